//! Charts of curves through points with markers: scaling, goodput, latency and pipelining.
//!
//! Curves differ in colour, marker and, beyond the colours, dashes, so they can be told apart without colour and where
//! they cross.

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks, least_and_greatest},
    error::PictureError,
    legend::{Legend, Sign},
    palette::series,
    sheet::{Point, Sheet, polyline, rounded},
};

/// The dashes, which distinguish curves of one colour.
const DASHES: [&str; 4] = ["none", "8 3", "3 3", "9 3 2 3"];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DataPoint {
    pub(crate) across: f64,
    pub(crate) up: f64,
}

/// The shape of a curve's markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    TriangleUp,
    Diamond,
    TriangleDown,
    Cross,
}

impl Marker {
    const ALL: [Self; 6] =
        [Self::Circle, Self::Square, Self::TriangleUp, Self::Diamond, Self::TriangleDown, Self::Cross];

    /// The marker of the curve with this number.
    pub(crate) fn of(place: usize) -> Self {
        Self::ALL[place % Self::ALL.len()]
    }

    /// Its outline round a point, as SVG path data.
    pub(crate) fn outline(self, at: Point) -> String {
        let corners: &[(f64, f64)] = match self {
            Self::Circle => {
                let (x, y) = (rounded(at.x - 3.75), rounded(at.y));
                return format!("M{x} {y}a3.75 3.75 0 1 0 7.5 0a3.75 3.75 0 1 0 -7.5 0Z");
            }
            Self::Square => &[(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
            Self::TriangleUp => &[(0.0, -4.8), (4.4, 3.2), (-4.4, 3.2)],
            Self::Diamond => &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)],
            Self::TriangleDown => &[(0.0, 4.8), (4.4, -3.2), (-4.4, -3.2)],
            Self::Cross => &[
                (-4.5, -3.0),
                (-3.0, -4.5),
                (0.0, -1.5),
                (3.0, -4.5),
                (4.5, -3.0),
                (1.5, 0.0),
                (4.5, 3.0),
                (3.0, 4.5),
                (0.0, 1.5),
                (-3.0, 4.5),
                (-4.5, 3.0),
                (-1.5, 0.0),
            ],
        };
        let corners: Vec<Point> = corners.iter().map(|&(x, y)| at.plus(x, y)).collect();
        format!("{}Z", polyline(&corners))
    }
}

/// The sign of the curve with this number in a legend.
pub(crate) fn sign(place: usize) -> Sign {
    Sign::Curve { color: series(place), dashes: dashes(place), marker: Marker::of(place) }
}

/// The dashes of the curve with this number.
fn dashes(place: usize) -> &'static str {
    DASHES[(place + place / 8) % DASHES.len()]
}

/// Draws a curve through points, with a marker and a title at each.
pub(crate) fn draw_curve(
    sheet: &mut Sheet,
    axes: &Axes,
    pairs: &[DataPoint],
    place: usize,
    title: impl Fn(&DataPoint) -> String,
) {
    let points: Vec<Point> = pairs.iter().map(|pair| axes.point(pair.across, pair.up)).collect();
    let properties = [("stroke", series(place)), ("stroke-width", "2"), ("stroke-dasharray", dashes(place))];
    sheet.path(&polyline(&points), &properties, "");
    for (point, pair) in points.iter().zip(pairs) {
        sheet.shape(&Marker::of(place).outline(*point), series(place), &title(pair));
    }
}

/// A logarithmic axis with room around these values.
pub(crate) fn axis_around(title: String, values: impl Iterator<Item = f64>, ticks: Ticks) -> Axis {
    let (least, greatest) = least_and_greatest(values);
    Axis { title, from: least / 1.15, to: greatest * 1.15, scale: Scale::Logarithmic, ticks }
}

/// The sheet of a chart of curves with its caption and its legend, and the axes on it.
///
/// # Errors
///
/// When the plotting library refuses.
pub(crate) fn curve_sheet(
    caption: &str,
    description: &str,
    entries: impl IntoIterator<Item = (String, Sign)>,
    across: Axis,
    up: Axis,
) -> Result<(Sheet, Axes), PictureError> {
    let legend = Legend::new(entries, 86.0, 940.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few rows")]
    let above = 58 + legend.extra_height() as u32;
    let (width, height) = (960.0, 520.0 + legend.extra_height());
    let axes = Axes::draw(width, height, Margins { left: 70, below: 42, right: 28, above }, across, up)?;
    let mut sheet = Sheet::new(width, height, caption, description);
    sheet.caption(caption);
    legend.draw(&mut sheet, 46.0);
    sheet.embed(axes.svg.clone());
    Ok((sheet, axes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_differ_in_colour_or_marker_or_dashes() {
        let looks: Vec<_> = (0..24).map(|place| (series(place), Marker::of(place), dashes(place))).collect();
        for (number, look) in looks.iter().enumerate() {
            assert!(!looks[..number].contains(look), "{number}");
        }
    }
}
