//! A finished picture, as SVG or PNG.

use std::sync::Arc;

use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree, fontdb::Database},
};

use crate::font::{FONT_BYTES, FONT_FAMILY};

/// The pixels of a PNG for one of the SVG, in each direction: enough for print.
const SCALE: f32 = 2.0;

/// The most pixels of a PNG: half a gigabyte while it is painted.
const MAX_PIXELS: u64 = 128 << 20;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    svg: String,
}

/// Why a picture cannot be turned into pixels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PngError {
    /// It is too large.
    #[error("a picture of {width} x {height} pixels, expected at most 128 Mi of them")]
    TooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// What was drawn is not understood, which would be a defect of the program.
    #[error("the picture cannot be painted: {reason}")]
    Unpaintable {
        /// The painter's reason.
        reason: String,
    },
}

impl Picture {
    pub(crate) fn new(svg: String) -> Self {
        Self { svg }
    }

    /// The picture as an SVG document. Text is text, in the font that PNGs have where it is
    /// installed.
    #[must_use]
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The picture as a PNG file, two pixels for each of the SVG. Text is set in the font that is
    /// part of the program, never in one of the system.
    ///
    /// # Errors
    ///
    /// When the picture is too large.
    pub fn png(&self) -> Result<Vec<u8>, PngError> {
        let unpaintable = |reason: String| PngError::Unpaintable { reason };
        let mut fonts = Database::new();
        fonts.load_font_data(FONT_BYTES.to_vec());
        fonts.set_sans_serif_family(FONT_FAMILY);
        let options =
            Options { fontdb: Arc::new(fonts), font_family: FONT_FAMILY.to_owned(), ..Options::default() };
        let tree = Tree::from_str(&self.svg, &options).map_err(|error| unpaintable(error.to_string()))?;
        let size = tree.size().to_int_size();
        let size = size.scale_by(SCALE).unwrap_or(size);
        let (width, height) = (size.width(), size.height());
        let too_large = PngError::TooLarge { width, height };
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(too_large);
        }
        let mut pixels = Pixmap::new(width, height).ok_or(too_large)?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| unpaintable(error.to_string()))
    }
}
