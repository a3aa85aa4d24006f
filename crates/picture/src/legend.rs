//! The meaning of colours and lines, in rows.

use crate::{
    curve::Marker,
    font::{fitted, text_width},
    palette::{Activity, HeatStep},
    sheet::{Anchor, Area, Point, Sheet, TEXT, rounded},
};

/// The widest name \[pixels\]; longer ones are cut off.
const MAX_NAME_WIDTH: f64 = 420.0;

/// The distance of rows \[pixels\].
const ROW_HEIGHT: f64 = 20.0;

/// The width of a sign with the gap after it \[pixels\].
const SIGN_WIDTH: f64 = 17.0;

/// The gap between entries \[pixels\].
const ENTRY_GAP: f64 = 18.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A square.
    Filled(&'static str),
    /// A line across, with its dashes.
    Line {
        color: &'static str,
        dashes: &'static str,
    },
    /// A line across with a marker.
    Curve {
        color: &'static str,
        dashes: &'static str,
        marker: Marker,
    },
    Heat(HeatStep),
    FailedLink,
    /// A line upwards.
    Upright,
    Ring,
}

/// The length of a curve in a legend: it shows dashes on both sides of its marker \[pixels\].
const CURVE: f64 = 38.0;

impl Sign {
    /// The distance from its place to its name \[pixels\].
    fn width(self) -> f64 {
        match self {
            Self::Curve { .. } => CURVE - 8.0 + 5.0,
            _ => SIGN_WIDTH,
        }
    }
}

/// Signs with their names, laid out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Legend {
    entries: Vec<(Point, String, Sign)>,
    rows: u32,
}

impl Legend {
    /// Lays out entries between two distances from the left edge.
    pub(crate) fn new(entries: impl IntoIterator<Item = (String, Sign)>, left: f64, right: f64) -> Self {
        let (mut x, mut rows, mut placed) = (left, 1, vec![]);
        for (name, sign) in entries {
            let name = fitted(&name, TEXT, MAX_NAME_WIDTH);
            let width = sign.width() + text_width(&name, TEXT);
            if x > left && x + width > right {
                (x, rows) = (left, rows + 1);
            }
            placed.push((Point { x, y: f64::from(rows - 1) * ROW_HEIGHT }, name, sign));
            x += width + ENTRY_GAP;
        }
        Self { entries: placed, rows }
    }

    /// The entries of activities.
    pub(crate) fn activities(activities: &[Activity]) -> impl Iterator<Item = (String, Sign)> {
        activities.iter().map(|activity| (activity.name().to_owned(), Sign::Filled(activity.fill())))
    }

    /// The height of the rows after the first \[pixels\].
    pub(crate) fn extra_height(&self) -> f64 {
        f64::from(self.rows - 1) * ROW_HEIGHT
    }

    /// Draws the entries, the first row at `y`.
    pub(crate) fn draw(&self, sheet: &mut Sheet, y: f64) {
        for (place, name, sign) in &self.entries {
            let (x, y) = (place.x, y + place.y);
            match *sign {
                Sign::Filled(fill) => {
                    sheet.swatch(Area { x, y: y - 10.0, width: 12.0, height: 12.0 }, fill);
                }
                Sign::Heat(step) => {
                    sheet.heat_swatch(Area { x, y: y - 10.0, width: 12.0, height: 12.0 }, step, "");
                }
                Sign::Line { color, dashes } => draw_line(sheet, Point { x, y }, 21.0, (color, dashes)),
                Sign::Curve { color, dashes, marker } => {
                    draw_line(sheet, Point { x, y }, CURVE, (color, dashes));
                    let middle = Point { x: x - 8.0 + CURVE / 2.0, y: y - 4.0 };
                    sheet.shape(&marker.outline(middle), color, "");
                }
                Sign::FailedLink => {
                    let line = format!("M{} {}h21", rounded(x - 8.0), rounded(y - 4.0));
                    sheet.failed_link(&line, Some(Point { x: x + 2.5, y: y - 4.0 }), "");
                }
                Sign::Upright => {
                    let properties = [("stroke", "currentColor"), ("stroke-width", "2.5")];
                    let (from, to) = (Point { x: x + 6.0, y: y - 12.0 }, Point { x: x + 6.0, y: y + 3.0 });
                    sheet.line(from, to, &properties, "");
                }
                Sign::Ring => sheet.circle(Point { x: x + 5.0, y: y - 4.0 }, 5.5),
            }
            sheet.text(name, Point { x: x + sign.width(), y }, TEXT, Anchor::Start);
        }
    }
}

/// Draws a horizontal line before a name.
fn draw_line(sheet: &mut Sheet, Point { x, y }: Point, length: f64, (color, dashes): (&str, &str)) {
    let properties = [("stroke", color), ("stroke-width", "2"), ("stroke-dasharray", dashes)];
    sheet.line(Point { x: x - 8.0, y: y - 4.0 }, Point { x: x - 8.0 + length, y: y - 4.0 }, &properties, "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stay_between_the_edges_and_long_names_are_cut_off() {
        let names = (0..40).map(|number| format!("embedding {number}")).chain(["x".repeat(500)]);
        let legend = Legend::new(names.map(|name| (name, Sign::Upright)), 64.0, 944.0);
        assert!(legend.rows > 4);
        for (place, name, _) in &legend.entries {
            assert!(place.x >= 64.0 && place.x + SIGN_WIDTH + text_width(name, TEXT) <= 944.0, "{name}");
        }
        assert!(legend.entries[40].1.ends_with('…'));
    }
}
