//! The built-in font of all text, and the widths of texts in it.

use ab_glyph::{Font, FontRef, ScaleFont};
use cubefold_formats::input::printable;

/// The built-in font `DejaVu Sans` (`assets/LICENSE_DEJAVU`): pictures look the same on every machine.
pub(crate) const FONT_BYTES: &[u8] = include_bytes!("../assets/DejaVuSans.ttf");

/// The name of the font, then the fallbacks of browsers.
pub(crate) const FONT_FAMILIES: &str = "DejaVu Sans, Verdana, sans-serif";

/// The width \[pixels\] of a text of `size` pixels, after [`printable`].
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::try_from_slice(FONT_BYTES) else { return 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "sizes of letters are small")]
    let font = font.as_scaled(size as f32);
    // The crate's unit is the line height, SVG's the em: the first is larger by this factor.
    let em = font.font.units_per_em().map_or(1.0, |units| font.font.height_unscaled() / units);
    printable(text).chars().map(|letter| f64::from(font.h_advance(font.glyph_id(letter)) * em)).sum()
}

/// A printable text, cut off with an ellipsis if it is wider than the limit \[pixels\].
pub(crate) fn fitted(text: &str, size: f64, most: f64) -> String {
    let text = &*printable(text);
    if text_width(text, size) <= most {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(end, _)| end);
    let cut = |end: usize| format!("{}…", &text[..end]);
    ends.map(cut).take_while(|cut| text_width(cut, size) <= most).last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_off_at_letters() {
        assert_eq!(fitted("placement", 12.0, 100.0), "placement");
        let cut = fitted(&"ä".repeat(100), 12.0, 100.0);
        assert!(cut.ends_with("ä…") && (80.0..=100.0).contains(&text_width(&cut, 12.0)), "{cut}");
        assert_eq!(fitted("placement", 12.0, 0.0), "");
    }

    #[test]
    fn what_does_not_show_is_escaped_before_it_is_measured_and_cut_off() {
        assert_eq!(fitted("a\u{202e}b", 12.0, 100.0), "a\\u{202e}b");
        assert!((text_width("a\u{9b}b", 12.0) - text_width("a\\u{9b}b", 12.0)).abs() < 1e-9);
        let cut = fitted("\u{1b}".repeat(9).as_str(), 12.0, 60.0);
        assert!(cut.starts_with("\\u{1b}\\") && cut.ends_with('…'), "{cut}");
    }

    #[test]
    fn widths_are_those_of_the_letters() {
        // Digits of this font are 1303 of 2048 units wide.
        assert!((text_width("0", 2048.0) - 1303.0).abs() < 1.0, "{}", text_width("0", 2048.0));
        assert!((text_width("0123", 10.0) - 4.0 * 13.03 / 2.048).abs() < 0.01);
    }
}
