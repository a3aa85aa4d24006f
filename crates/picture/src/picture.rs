//! A finished picture, as SVG, PNG, PDF or `TikZ`.

use std::io::Write as _;

use png::{BitDepth, ColorType, Encoder, EncodingError};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{Options, Tree},
};

use crate::{pdf::pdf, text_outlines::with_outlines, tikz::tikz};

/// The pixels of a PNG per pixel of the SVG, in each direction; enough for print.
const SCALE: f32 = 2.0;

/// The most pixels of a PNG: half a gigabyte in a viewer.
const MAX_PIXELS: u64 = 128 << 20;

/// The pixels that are painted at a time: 8 MiB.
const STRIP_PIXELS: u32 = 2 << 20;

/// The fixed memory of painting: the font, twice, and a strip \[bytes\].
const PAINTER_BYTES: u64 = 24 << 20;

/// The memory of shapes, outlines and the file per byte of the document \[bytes\], measured with placements, whose nodes
/// are mostly text.
const BYTES_PER_LETTER: u64 = 40;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    svg: String,
}

/// The reason why a picture cannot be painted.
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
    /// It does not fit in the memory.
    #[error("the picture takes {} MiB to paint, expected at most the memory limit of {} MiB", .needed >> 20, .limit >> 20)]
    NoMemory {
        /// The memory that it needs \[bytes\].
        needed: u64,
        /// The limit \[bytes\].
        limit: u64,
    },
    /// The document is not understood: a defect of the program.
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

    /// The picture as an SVG document. Text stays text, in the font of PNGs if that is installed.
    #[must_use]
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The picture as a PNG file, two pixels for each of the SVG, painted strip by strip in at most `memory` \[bytes\].
    /// Text is set in the built-in font, never in one of the system.
    ///
    /// # Errors
    ///
    /// When the picture is too large, or takes more memory.
    pub fn png(&self, memory: u64) -> Result<Vec<u8>, PngError> {
        let unpaintable = |reason: String| PngError::Unpaintable { reason };
        self.check_memory(memory)?;
        let outlines = with_outlines(&self.svg).map_err(unpaintable)?;
        let tree =
            Tree::from_str(&outlines, &Options::default()).map_err(|error| unpaintable(error.to_string()))?;
        drop(outlines);
        let size = tree.size().to_int_size();
        let size = size.scale_by(SCALE).unwrap_or(size);
        let (width, height) = (size.width(), size.height());
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(PngError::TooLarge { width, height });
        }
        painted(&tree, width, height).map_err(|error| unpaintable(error.to_string()))
    }

    /// The picture as a page of PDF, which may take at most `memory` \[bytes\]. Text is outlines of the built-in font, so
    /// that no reader needs it.
    ///
    /// # Errors
    ///
    /// When it takes more memory.
    pub fn pdf(&self, memory: u64) -> Result<Vec<u8>, PngError> {
        self.check_memory(memory)?;
        pdf(&self.svg).map_err(|reason| PngError::Unpaintable { reason })
    }

    /// The picture as an environment of `TikZ`, which may take at most `memory` \[bytes\]. Text is in the font of the paper.
    ///
    /// # Errors
    ///
    /// When it takes more memory.
    pub fn tikz(&self, memory: u64) -> Result<String, PngError> {
        self.check_memory(memory)?;
        tikz(&self.svg).map_err(|reason| PngError::Unpaintable { reason })
    }

    fn check_memory(&self, limit: u64) -> Result<(), PngError> {
        let needed = PAINTER_BYTES + self.svg.len() as u64 * BYTES_PER_LETTER;
        if needed > limit { Err(PngError::NoMemory { needed, limit }) } else { Ok(()) }
    }
}

/// The file of a picture of these dimensions \[pixels\].
fn painted(tree: &Tree, width: u32, height: u32) -> Result<Vec<u8>, EncodingError> {
    let mut file = vec![];
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    let mut header = encoder.write_header()?;
    let mut rows = header.stream_writer()?;
    let strip = (STRIP_PIXELS / width.max(1)).clamp(1, height.max(1));
    for top in (0..height).step_by(strip as usize) {
        let Some(mut pixels) = Pixmap::new(width, strip.min(height - top)) else { continue };
        #[expect(clippy::cast_precision_loss, reason = "of less than 2^24 rows")]
        let down = top as f32;
        let place = Transform::from_scale(SCALE, SCALE).post_translate(0.0, -down);
        resvg::render(tree, place, &mut pixels.as_mut());
        rows.write_all(&pixels.take_demultiplied())?;
    }
    rows.finish()?;
    header.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(height: u32) -> Picture {
        let bar = |y| format!("<rect y=\"{y}\" width=\"300\" height=\"20\" fill=\"#0072b2\"/>");
        let bars = (0..height).step_by(40).map(bar).collect::<Vec<_>>().concat();
        Picture::new(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"{height}\">{bars}</svg>"
        ))
    }

    #[test]
    fn strips_are_the_picture() {
        // More rows than a strip.
        let picture = picture(4000);
        let tree = Tree::from_str(picture.svg(), &Options::default()).unwrap();
        let mut whole = Pixmap::new(1200, 8000).unwrap();
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut whole.as_mut());
        const { assert!(STRIP_PIXELS / 1200 < 8000) };
        let painted = Pixmap::decode_png(&picture.png(u64::MAX).unwrap()).unwrap();
        assert!(painted == whole);
    }

    #[test]
    fn what_does_not_fit_in_the_memory_or_a_file_is_refused() {
        let refused = picture(100).png(1 << 20).unwrap_err().to_string();
        assert!(refused.ends_with(" MiB to paint, expected at most the memory limit of 1 MiB"), "{refused}");
        let refused = picture(200_000).png(u64::MAX).unwrap_err().to_string();
        assert_eq!(refused, "a picture of 1200 x 400000 pixels, expected at most 128 Mi of them");
    }
}
