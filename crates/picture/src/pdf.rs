//! A picture as a page of PDF: its shapes, and text as outlines, so that readers need no font.

use std::{collections::BTreeMap, io::Write as _};

use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{
    Content, Filter, Name, Pdf, Rect, Ref,
    types::{ColorSpaceOperand, LineCapStyle, LineJoinStyle, PaintType, TilingType},
};
use resvg::{
    tiny_skia::Transform,
    usvg::{Fill, FillRule, Group, LineCap, LineJoin, Options, Paint, Pattern, Stroke, Tree},
};

use crate::{
    shapes::{Part, Shape, parts, visit_shapes},
    text_outlines::with_outlines,
};

/// The points of a pixel: 1/96 of an inch is 72/96 points.
pub(crate) const POINTS_A_PIXEL: f32 = 0.75;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const DRAWING: Ref = Ref::new(4);
const FIRST_FREE: i32 = 5;

/// The file of a document in SVG; the same document gives the same bytes.
///
/// # Errors
///
/// For a part of the document that is not understood, which is a defect of the code that drew it.
pub(crate) fn pdf(svg: &str) -> Result<Vec<u8>, String> {
    let tree =
        Tree::from_str(&with_outlines(svg)?, &Options::default()).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width() * POINTS_A_PIXEL, tree.size().height() * POINTS_A_PIXEL);
    // Pages are measured from the lower left.
    let page = Transform::from_row(POINTS_A_PIXEL, 0.0, 0.0, -POINTS_A_PIXEL, 0.0, height);
    let mut file =
        File { pdf: Pdf::new(), next: FIRST_FREE, page, alphas: BTreeMap::new(), patterns: vec![] };
    let mut content = Content::new();
    content.transform(matrix(page));
    file.draw(tree.root(), &mut content)?;
    let drawing = compressed(&content.finish())?;
    file.pdf.stream(DRAWING, &drawing).filter(Filter::FlateDecode);
    file.pdf.catalog(CATALOG).pages(PAGES);
    file.pdf.pages(PAGES).kids([PAGE]).count(1);
    let File { mut pdf, alphas, patterns, .. } = file;
    let mut page = pdf.page(PAGE);
    page.parent(PAGES).media_box(Rect::new(0.0, 0.0, width, height)).contents(DRAWING);
    let mut resources = page.resources();
    let mut named = resources.patterns();
    for (place, (_, pattern)) in patterns.iter().enumerate() {
        named.pair(Name(format!("P{place}").as_bytes()), *pattern);
    }
    drop(named);
    let mut named = resources.ext_g_states();
    for (place, state) in alphas.values() {
        named.pair(Name(format!("A{place}").as_bytes()), *state);
    }
    drop(named);
    drop(resources);
    drop(page);
    Ok(pdf.finish())
}

fn compressed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = ZlibEncoder::new(vec![], Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

fn matrix(transform: Transform) -> [f32; 6] {
    [transform.sx, transform.ky, transform.kx, transform.sy, transform.tx, transform.ty]
}

/// A file under construction.
struct File {
    pdf: Pdf,
    next: i32,
    page: Transform,
    alphas: BTreeMap<u32, (usize, Ref)>, // by the bits of an opacity: its number, and its graphics state
    patterns: Vec<(String, Ref)>,        // by number, with their names in the document
}

impl File {
    fn free(&mut self) -> Ref {
        self.next += 1;
        Ref::new(self.next - 1)
    }

    fn draw(&mut self, group: &Group, content: &mut Content) -> Result<(), String> {
        visit_shapes(group, &mut |shape| {
            if let Some(fill) = shape.path.fill() {
                self.fill(&shape, fill, content)?;
            }
            if let Some(stroke) = shape.path.stroke() {
                self.stroke(&shape, stroke, content)?;
            }
            Ok(())
        })
    }

    fn fill(&mut self, shape: &Shape<'_>, fill: &Fill, content: &mut Content) -> Result<(), String> {
        content.save_state();
        self.set_opacity(fill.opacity().get() * shape.opacity, content);
        match fill.paint() {
            Paint::Color(color) => {
                let [red, green, blue] = [color.red, color.green, color.blue].map(share);
                content.set_fill_rgb(red, green, blue);
            }
            Paint::Pattern(pattern) => {
                let number = self.pattern(pattern)?;
                content.set_fill_color_space(ColorSpaceOperand::Pattern);
                content.set_fill_pattern([], Name(format!("P{number}").as_bytes()));
            }
            Paint::LinearGradient(_) | Paint::RadialGradient(_) => return Err("a gradient".to_owned()),
        }
        trace(shape, content);
        match fill.rule() {
            FillRule::NonZero => content.fill_nonzero(),
            FillRule::EvenOdd => content.fill_even_odd(),
        };
        content.restore_state();
        Ok(())
    }

    fn stroke(&mut self, shape: &Shape<'_>, stroke: &Stroke, content: &mut Content) -> Result<(), String> {
        let Paint::Color(color) = stroke.paint() else { return Err("a line of no colour".to_owned()) };
        content.save_state();
        self.set_opacity(stroke.opacity().get() * shape.opacity, content);
        let [red, green, blue] = [color.red, color.green, color.blue].map(share);
        content.set_stroke_rgb(red, green, blue).set_line_width(stroke.width().get() * shape.scale);
        content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        content.set_line_join(match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
        });
        content.set_miter_limit(stroke.miterlimit().get());
        if let Some(dashes) = stroke.dasharray() {
            let dashes = dashes.iter().map(|length| length * shape.scale);
            content.set_dash_pattern(dashes, stroke.dashoffset() * shape.scale);
        }
        trace(shape, content);
        content.stroke().restore_state();
        Ok(())
    }

    fn set_opacity(&mut self, opacity: f32, content: &mut Content) {
        if opacity >= 1.0 {
            return;
        }
        let known = self.alphas.get(&opacity.to_bits()).copied();
        let (number, _) = known.unwrap_or_else(|| {
            let state = (self.alphas.len(), self.free());
            self.pdf.ext_graphics(state.1).non_stroking_alpha(opacity).stroking_alpha(opacity);
            self.alphas.insert(opacity.to_bits(), state);
            state
        });
        content.set_parameters(Name(format!("A{number}").as_bytes()));
    }

    /// The number of a pattern.
    fn pattern(&mut self, pattern: &Pattern) -> Result<usize, String> {
        if let Some(place) = self.patterns.iter().position(|(id, _)| id == pattern.id()) {
            return Ok(place);
        }
        let mut tile = Content::new();
        self.draw(pattern.root(), &mut tile)?;
        let (tile, reference, area) = (tile.finish(), self.free(), pattern.rect());
        let mut tiling = self.pdf.tiling_pattern(reference, &tile);
        tiling
            .paint_type(PaintType::Colored)
            .tiling_type(TilingType::ConstantSpacing)
            .bbox(Rect::new(area.left(), area.top(), area.right(), area.bottom()))
            .x_step(area.width())
            .y_step(area.height())
            .matrix(matrix(self.page.pre_concat(pattern.transform())));
        tiling.resources();
        drop(tiling);
        self.patterns.push((pattern.id().to_owned(), reference));
        Ok(self.patterns.len() - 1)
    }
}

/// A component of a colour, from 0 to 1.
fn share(part: u8) -> f32 {
    f32::from(part) / 255.0
}

/// Adds the outline of a shape to the current path.
fn trace(shape: &Shape<'_>, content: &mut Content) {
    for part in parts(&shape.outline) {
        match part {
            Part::Move(to) => content.move_to(to.x, to.y),
            Part::Line(to) => content.line_to(to.x, to.y),
            Part::Curve([one, other, to]) => content.cubic_to(one.x, one.y, other.x, other.y, to.x, to.y),
            Part::Close => content.close_path(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_size_of_the_picture_in_points_and_the_same_bytes_each_time() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"200\">\
                   <defs><pattern id=\"p\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">\
                   <rect width=\"2\" height=\"4\" fill=\"#d55e00\"/></pattern></defs>\
                   <rect width=\"100\" height=\"50\" fill=\"url(#p)\"/><g opacity=\"0.5\">\
                   <path d=\"M0 0L10 10Q5 5 9 9\" stroke=\"#0072b2\" stroke-dasharray=\"2 3\" fill=\"none\"/></g>\
                   <text x=\"9\" y=\"20\" font-size=\"12\">H</text></svg>";
        let file = pdf(svg).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.starts_with("%PDF-") && text.trim_end().ends_with("%%EOF"));
        assert!(text.contains("/MediaBox [0 0 300 150]"), "{text}");
        for part in ["/PatternType 1", "/XStep 4", "/ca 0.5", "/P0 ", "/A0 "] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("/Font"));
        assert_eq!(pdf(svg).unwrap(), file);
    }
}
