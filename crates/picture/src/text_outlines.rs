//! Text as the outlines of its letters, for pixels.
//!
//! A painter with text support includes shaping for every script. All text of pictures is in one built-in font, set
//! letter after letter with the widths of [`text_width`](crate::font::text_width). So each `<text>` of a document
//! becomes a `<path>` here, and the painter needs only shapes.

use std::fmt::Write as _;

use ab_glyph::{Font, FontRef, OutlineCurve, Point as GlyphPoint};
use quick_xml::{
    Reader, Writer,
    escape::unescape,
    events::{BytesStart, Event, attributes::Attributes},
};

use crate::{font::FONT_BYTES, sheet::Anchor};

/// The defaults of SVG for text.
const INITIAL: TextStyle = TextStyle { size: 16.0, anchor: Anchor::Start };

/// Attributes of text that a path does not have.
const OF_TEXT: [&str; 8] = ["x", "y", "dx", "dy", "text-anchor", "font-family", "font-size", "font-weight"];

/// The style of a text, from its element and those around it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TextStyle {
    size: f32, // of an em [pixels]
    anchor: Anchor,
}

impl TextStyle {
    /// The style inside an element with these attributes.
    fn inside(self, attributes: Attributes<'_>) -> Result<Self, String> {
        let mut style = self;
        for (name, value) in named(attributes)? {
            match (name.as_str(), value.as_str()) {
                ("font-size", size) => style.size = pixels(size, self.size)?,
                ("text-anchor", "start") => style.anchor = Anchor::Start,
                ("text-anchor", "middle") => style.anchor = Anchor::Middle,
                ("text-anchor", "end") => style.anchor = Anchor::End,
                ("text-anchor", other) => return Err(format!("text-anchor \"{other}\"")),
                _ => {}
            }
        }
        Ok(style)
    }
}

/// The document with a path instead of every text.
///
/// # Errors
///
/// For markup that is not understood, which is a defect of the code that drew the document.
pub(crate) fn with_outlines(svg: &str) -> Result<String, String> {
    let font = FontRef::try_from_slice(FONT_BYTES).map_err(|error| error.to_string())?;
    let understood = |error: quick_xml::Error| error.to_string();
    let mut reader = Reader::from_str(svg);
    let mut writer = Writer::new(vec![]);
    let mut styles = vec![INITIAL]; // of the enclosing elements
    loop {
        let style = styles.last().copied().unwrap_or(INITIAL);
        let event = match reader.read_event().map_err(understood)? {
            Event::Eof => break,
            Event::Start(element) if element.name().as_ref() == "text" => {
                let text = reader.read_text(element.name()).map_err(understood)?.into_inner();
                let text = unescape(&text).map_err(|error| error.to_string())?;
                Event::Empty(outlined(&font, &element, text.trim(), style)?)
            }
            event => event,
        };
        match &event {
            Event::Start(element) => styles.push(style.inside(element.attributes())?),
            Event::End(_) => {
                styles.pop();
            }
            _ => {}
        }
        writer.write_event(event).map_err(|error| error.to_string())?;
    }
    String::from_utf8(writer.into_inner()).map_err(|error| error.to_string())
}

/// The path of a text element, with the attributes that paths share with text.
fn outlined(
    font: &FontRef<'_>,
    element: &BytesStart<'_>,
    text: &str,
    around: TextStyle,
) -> Result<BytesStart<'static>, String> {
    let style = around.inside(element.attributes())?;
    let mut place = GlyphPoint { x: 0.0, y: 0.0 };
    let mut path = BytesStart::new("path");
    for (name, value) in named(element.attributes())? {
        match name.as_str() {
            "x" | "dx" => place.x += pixels(&value, style.size)?,
            "y" | "dy" => place.y += pixels(&value, style.size)?,
            other if OF_TEXT.contains(&other) => {}
            other => path.push_attribute((other, value.as_str())),
        }
    }
    let pixels_per_unit = style.size / font.units_per_em().unwrap_or(style.size);
    let width = text.chars().map(|letter| font.h_advance_unscaled(font.glyph_id(letter))).sum::<f32>();
    place.x -= width
        * pixels_per_unit
        * match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        };
    let mut outline = String::new();
    for letter in text.chars() {
        let glyph = font.glyph_id(letter);
        // Outlines are measured upwards.
        let at = |point: GlyphPoint| GlyphPoint {
            x: place.x + point.x * pixels_per_unit,
            y: place.y - point.y * pixels_per_unit,
        };
        let curves = font.outline(glyph).map(|outline| outline.curves).unwrap_or_default();
        let mut end = None; // of the previous curve
        for curve in curves {
            end = Some(add_curve(&mut outline, &curve, end, at));
        }
        place.x += font.h_advance_unscaled(glyph) * pixels_per_unit;
    }
    path.push_attribute(("d", outline.as_str()));
    Ok(path)
}

/// Adds a curve to the outline, whose last point is `end`, and returns its end. A curve that begins elsewhere starts a
/// contour; filling closes contours.
fn add_curve(
    outline: &mut String,
    curve: &OutlineCurve,
    end: Option<GlyphPoint>,
    at: impl Fn(GlyphPoint) -> GlyphPoint,
) -> GlyphPoint {
    let (begin, command, points) = match *curve {
        OutlineCurve::Line(begin, end) => (begin, 'L', vec![end]),
        OutlineCurve::Quad(begin, control, end) => (begin, 'Q', vec![control, end]),
        OutlineCurve::Cubic(begin, control, other, end) => (begin, 'C', vec![control, other, end]),
    };
    let mut add = |command: char, points: &[GlyphPoint]| {
        outline.push(command);
        for point in points.iter().map(|&point| at(point)) {
            // A tenth of the visible precision at the scale of PNGs. Writing to a string never fails.
            let _ = write!(outline, "{:.2} {:.2} ", point.x, point.y);
        }
    };
    if end != Some(begin) {
        add('M', &[begin]);
    }
    add(command, &points);
    points.last().copied().unwrap_or(begin)
}

/// A length \[pixels\], given in pixels, in `em`, or in `ex` (half an em, as in painters).
pub(crate) fn pixels(value: &str, em: f32) -> Result<f32, String> {
    let (number, unit) = match value {
        value if value.ends_with("em") => (&value[..value.len() - 2], em),
        value if value.ends_with("ex") => (&value[..value.len() - 2], em / 2.0),
        value => (value, 1.0),
    };
    let number: f32 = number.parse().map_err(|_| format!("\"{value}\" is no length"))?;
    Ok(number * unit)
}

/// The names and values of attributes.
fn named(attributes: Attributes<'_>) -> Result<Vec<(String, String)>, String> {
    attributes
        .map(|attribute| {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let value = unescape(&attribute.value).map_err(|error| error.to_string())?;
            Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::font::text_width;

    /// The least and the greatest coordinates of the paths of a document, across and down.
    fn bounds(svg: &str) -> [(f64, f64); 2] {
        let document = roxmltree::Document::parse(svg).unwrap();
        let outlines = document.descendants().filter_map(|node| node.attribute("d"));
        let numbers: Vec<f64> = outlines
            .flat_map(|outline| outline.split([' ', 'M', 'L', 'Q', 'C']))
            .filter(|number| !number.is_empty())
            .map(|number| number.parse().unwrap())
            .collect();
        [0, 1].map(|axis| {
            let along = || numbers.iter().copied().skip(axis).step_by(2);
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max))
        })
    }

    fn outlined(element: &str) -> String {
        with_outlines(&format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{element}</svg>")).unwrap()
    }

    #[test]
    fn text_lies_where_its_anchor_says_and_is_as_wide_as_it_is_measured() {
        let width = text_width("HHHH", 20.0);
        for (anchor, left) in [("start", 100.0), ("middle", 100.0 - width / 2.0), ("end", 100.0 - width)] {
            let svg = outlined(&format!(
                "<text x=\"100\" y=\"50\" font-size=\"20\" text-anchor=\"{anchor}\">HHHH</text>"
            ));
            let [(from, to), (top, bottom)] = bounds(&svg);
            // Each H has a tenth of an em of space on both sides, and is on the baseline.
            assert!(
                (from - left - 2.0).abs() < 0.1 && (left + width - to - 2.0).abs() < 0.1,
                "{anchor}: {from}"
            );
            assert!((bottom - 50.0).abs() < 0.01 && (top - 35.4).abs() < 0.1, "{anchor}: {top} to {bottom}");
        }
    }

    #[test]
    fn groups_give_size_and_anchor_and_other_attributes_stay() {
        let single =
            outlined("<text x=\"9\" y=\"8\" font-size=\"12\" text-anchor=\"end\" fill=\"red\">a&lt;b</text>");
        let group = outlined(
            "<g font-size=\"12\" text-anchor=\"end\"><g/><text x=\"9\" y=\"8\" fill=\"red\">a&lt;b</text></g>",
        );
        assert_eq!(bounds(&single), bounds(&group));
        assert!(
            single.contains("<path fill=\"red\" d=\"M") && group.contains("<path fill=\"red\" d=\"M"),
            "{group}"
        );
        // After a group, its attributes no longer apply.
        let after = outlined("<g font-size=\"12\"><path d=\"\"/></g><text x=\"0\" y=\"0\">H</text>");
        let [(_, _), (top, _)] = bounds(&after);
        assert!((top + 16.0 * 0.729).abs() < 0.02, "{top}");
    }

    #[test]
    fn parts_of_the_em_are_lengths_and_what_is_none_is_refused() {
        let [_, (_, bottom)] = bounds(&outlined("<text y=\"10\" dy=\"0.5ex\" font-size=\"8\">H</text>"));
        assert!((bottom - 12.0).abs() < 0.01, "{bottom}");
        let refused = |element: &str| with_outlines(&format!("<svg>{element}</svg>")).unwrap_err();
        assert_eq!(refused("<text x=\"wide\">a</text>"), "\"wide\" is no length");
        assert_eq!(refused("<g text-anchor=\"left\"></g>"), "text-anchor \"left\"");
    }
}
