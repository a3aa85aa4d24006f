//! Axes with their ticks, by the plotting library; the sheet draws everything between them.

use std::ops::Range;

use plotters::{
    coord::ranged1d::{AsRangedCoord, ValueFormatter},
    prelude::*,
    style::{FontStyle, register_font},
};

use cubefold_formats::input::printable;

use crate::{
    error::PictureError,
    font::{FONT_BYTES, text_width},
    sheet::{Anchor, Area, Point, Sheet, TEXT},
};

/// The nominal size at which the library writes text of at least [`TEXT`] pixels: it divides sizes by 1.24.
const LIBRARY_TEXT: u32 = 15;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Logarithmic; all values are above 0.
    Logarithmic,
}

/// The values at the ticks of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ticks {
    /// Whole numbers only.
    Whole,
    /// None: the picture labels values itself, such as groups of bars.
    Own,
    Any,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    /// The quantity with its unit; empty for an axis that is not drawn.
    pub(crate) title: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) scale: Scale,
    pub(crate) ticks: Ticks,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axes {
    /// The axes, as a part of an SVG document.
    pub(crate) svg: String,
    /// The area of the values on the sheet.
    pub(crate) inside: Area,
    across: Axis,
    up: Axis,
    unit_up: f64, // the unit of the values upwards, in units of the axis
}

/// The margins for the names of ticks \[pixels\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Margins {
    pub(crate) left: u32,
    pub(crate) below: u32,
    pub(crate) right: u32,
    pub(crate) above: u32,
}

impl Axis {
    /// An axis from 0 to at least `greatest`.
    pub(crate) fn from_zero(title: &str, greatest: f64) -> Self {
        let to = if greatest > 0.0 { greatest } else { 1.0 };
        Self { title: title.to_owned(), from: 0.0, to, scale: Scale::Linear, ticks: Ticks::Whole }
    }

    /// The text at a tick; empty where texts would overlap, or no such value exists.
    fn name(&self, value: f64) -> String {
        let is_dense = self.scale == Scale::Logarithmic && self.to / self.from > 10.0;
        let first_digit = value / 10.0_f64.powf((value.abs() * (1.0 + 1e-9)).log10().floor());
        let is_named =
            !is_dense || [1.0, 2.0, 3.0, 5.0].iter().any(|digit| (first_digit - digit).abs() < 1e-6);
        let is_there = match self.ticks {
            Ticks::Any => true,
            Ticks::Whole => (value - value.round()).abs() < 1e-6,
            Ticks::Own => false,
        };
        if is_named && is_there { number(value) } else { String::new() }
    }

    /// The share of the axis before a value.
    fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }
}

impl Axes {
    /// Draws two axes on a sheet of `width` x `height` pixels.
    ///
    /// # Errors
    ///
    /// When the plotting library refuses, which would be a defect of the program.
    pub(crate) fn draw(
        width: f64,
        height: f64,
        margins: Margins,
        across: Axis,
        up: Axis,
    ) -> Result<Self, PictureError> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sheets are small")]
        let size = (width.ceil() as u32, height.ceil() as u32);
        let (x, y) = (across.from..across.to, up.from..up.to);
        let named = (&across, &up);
        let drawn = match (across.scale, up.scale) {
            (Scale::Linear, Scale::Linear) => draw(size, margins, named, x, y),
            (Scale::Linear, Scale::Logarithmic) => draw(size, margins, named, x, y.log_scale()),
            (Scale::Logarithmic, Scale::Linear) => draw(size, margins, named, x.log_scale(), y),
            (Scale::Logarithmic, Scale::Logarithmic) => {
                draw(size, margins, named, x.log_scale(), y.log_scale())
            }
        };
        let (svg, inside) = drawn.map_err(|reason| PictureError::Plot { reason })?;
        Ok(Self { svg, inside, across, up, unit_up: 1.0 })
    }

    /// The axes for values upwards in a smaller unit; the argument is their number per unit of the axis.
    pub(crate) fn with_unit_up(self, unit_up: f64) -> Self {
        Self { unit_up, ..self }
    }

    pub(crate) fn x(&self, value: f64) -> f64 {
        self.inside.x + self.across.share(value) * self.inside.width
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        self.inside.y + (1.0 - self.up.share(value / self.unit_up)) * self.inside.height
    }

    /// Labels the powers of two between the least and the greatest of these values, as many as fit, and draws a line up
    /// at each. A single value, or values between two powers, are labelled themselves.
    pub(crate) fn draw_powers_of_two(
        &self,
        sheet: &mut Sheet,
        values: impl Iterator<Item = f64>,
        text: impl Fn(f64) -> String,
    ) {
        let (least, greatest) = least_and_greatest(values);
        let powers: Vec<f64> = (0..64)
            .map(|power| f64::powi(2.0, power))
            .filter(|value| (least..=greatest).contains(value))
            .collect();
        let named = if powers.len() < 2 { vec![least, greatest] } else { powers };
        let texts: Vec<String> = named.iter().map(|value| text(*value)).collect();
        let widest = texts.iter().map(|text| text_width(text, TEXT) + 10.0).fold(1.0, f64::max);
        let all = self.x(named[named.len() - 1]) - self.x(named[0]);
        #[expect(clippy::cast_precision_loss, reason = "at most 64")]
        let one = all / (named.len().max(2) - 1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 64")]
        let step = if one > 0.0 { (widest / one).ceil().clamp(1.0, 64.0) as usize } else { named.len() };
        let bottom = self.inside.y + self.inside.height;
        for (value, text) in named.iter().zip(&texts).step_by(step) {
            let x = self.x(*value);
            let properties = [("stroke", "currentColor"), ("stroke-opacity", "0.15")];
            sheet.line(Point { x, y: self.inside.y }, Point { x, y: bottom }, &properties, "");
            sheet.text(text, Point { x, y: bottom + 16.0 }, TEXT, Anchor::Middle);
        }
    }

    pub(crate) fn point(&self, across: f64, up: f64) -> Point {
        Point { x: self.x(across), y: self.y(up) }
    }
}

/// Draws axes in the colour of the text around the picture.
fn draw<X, Y>(
    size: (u32, u32),
    margins: Margins,
    (across, up): (&Axis, &Axis),
    x: X,
    y: Y,
) -> Result<(String, Area), String>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    // Registering a font again replaces it by itself.
    let known = register_font("sans-serif", FontStyle::Normal, FONT_BYTES);
    known.map_err(|_| "the font is not understood".to_owned())?;
    let mut svg = String::new();
    let inside = {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(margins.above)
            .margin_left(8)
            .margin_right(margins.right)
            .x_label_area_size(margins.below)
            .y_label_area_size(margins.left)
            .build_cartesian_2d(x, y)
            .map_err(|error| error.to_string())?;
        let (across_name, up_name) = (|value: &f64| across.name(*value), |value: &f64| up.name(*value));
        let mut mesh = chart.configure_mesh();
        // Titles are names of columns, which come from files.
        mesh.x_desc(printable(&across.title))
            .y_desc(printable(&up.title))
            .label_style(("sans-serif", LIBRARY_TEXT))
            .axis_desc_style(("sans-serif", LIBRARY_TEXT))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.15))
            .x_label_formatter(&across_name)
            .y_label_formatter(&up_name);
        if across.ticks == Ticks::Own {
            mesh.disable_x_mesh().set_tick_mark_size(LabelAreaPosition::Bottom, 0);
        } else {
            mesh.set_tick_mark_size(LabelAreaPosition::Bottom, 5);
        }
        if up.title.is_empty() {
            mesh.disable_y_axis().disable_y_mesh();
        }
        mesh.draw().map_err(|error| error.to_string())?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        root.present().map_err(|error| error.to_string())?;
        area(&across, &down)
    };
    Ok((svg.replace("\"#000000\"", "\"currentColor\""), inside))
}

/// The least and the greatest of values above 0.
pub(crate) fn least_and_greatest(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, 0.0), |(least, greatest), value| (least.min(value), greatest.max(value)))
}

fn area(across: &Range<i32>, down: &Range<i32>) -> Area {
    let length = |range: &Range<i32>| f64::from(range.end - range.start);
    Area { x: across.start.into(), y: down.start.into(), width: length(across), height: length(down) }
}

/// The text of a number at a tick: whole numbers without a fraction, large ones in thousands, millions, ..
pub(crate) fn number(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")];
    let unit = UNITS.into_iter().find(|(least, _)| value.abs() >= *least);
    match unit {
        Some((_, "k")) => short(value / 1e3, "k"),
        Some((least, name)) => short(value / least, name),
        None => short(value, ""),
    }
}

/// A number with two decimals, or with its first two nonzero decimals if it is smaller.
fn short(value: f64, unit: &str) -> String {
    let leading_zeros = if value == 0.0 { 0.0 } else { -value.abs().log10().floor() - 1.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 2 to 302")]
    let digits = leading_zeros.clamp(0.0, 300.0) as usize + 2;
    let text = format!("{value:.digits$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGINS: Margins = Margins { left: 60, below: 40, right: 20, above: 10 };

    fn axis(from: f64, to: f64, scale: Scale) -> Axis {
        Axis { title: "cycles".to_owned(), from, to, scale, ticks: Ticks::Any }
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 2.5, 64.0, 9999.0, 12_000.0, 2_500_000.0, 4e9, 0.001, 0.0256].map(number);
        assert_eq!(texts, ["0", "2.5", "64", "9999", "12k", "2.5M", "4G", "0.001", "0.026"]);
    }

    #[test]
    fn ends_of_axes_lie_on_the_edges_and_equal_factors_are_equally_long() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let axes =
                Axes::draw(400.0, 300.0, MARGINS, axis(1.0, 100.0, scale), axis(1.0, 100.0, scale)).unwrap();
            let inside = axes.inside;
            assert_eq!((axes.x(1.0), axes.x(100.0)), (inside.x, inside.x + inside.width));
            assert_eq!((axes.y(1.0), axes.y(100.0)), (inside.y + inside.height, inside.y));
        }
        let logarithmic = axis(1.0, 100.0, Scale::Logarithmic);
        assert!((logarithmic.share(10.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn ticks_name_values_that_exist_and_fit() {
        let whole = Axis { ticks: Ticks::Whole, ..axis(0.0, 2.0, Scale::Linear) };
        assert_eq!([0.0, 0.5, 1.0].map(|value| whole.name(value)), ["0", "", "1"]);
        let wide = axis(0.5, 40.0, Scale::Logarithmic);
        assert_eq!(
            [1.0, 2.0, 8.0, 9.0, 10.0, 50.0].map(|value| wide.name(value)),
            ["1", "2", "", "", "10", "50"]
        );
        let narrow = axis(70.0, 95.0, Scale::Logarithmic);
        assert_eq!([70.0, 80.0].map(|value| narrow.name(value)), ["70", "80"]);
    }

    #[test]
    fn what_is_drawn_takes_the_colour_of_the_page_and_names_no_font_of_the_system() {
        let axes = Axes::draw(
            400.0,
            300.0,
            MARGINS,
            axis(0.0, 9.0, Scale::Linear),
            axis(1.0, 1e6, Scale::Logarithmic),
        );
        let svg = axes.unwrap().svg;
        assert!(svg.contains("currentColor") && !svg.contains("#000000"), "{svg}");
        assert!(svg.contains("1M"), "{svg}");
    }

    #[test]
    fn text_is_as_high_as_that_of_sheets_and_printable() {
        let named = Axis { title: "a\u{202e}b\u{9b}".to_owned(), ..axis(0.0, 9.0, Scale::Linear) };
        let svg = Axes::draw(400.0, 300.0, MARGINS, named.clone(), named).unwrap().svg;
        let sizes: Vec<f64> = svg
            .split("font-size=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert!(!sizes.is_empty() && sizes.iter().all(|size| (TEXT..TEXT + 0.2).contains(size)), "{sizes:?}");
        assert!(svg.contains("a\\u{202e}b\\u{9b}") && !svg.contains(['\u{202e}', '\u{9b}']), "{svg}");
    }
}
