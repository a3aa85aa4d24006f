//! Latency over load of open-loop traffic, a curve per routing, buffer size or other swept value, with the loads at
//! which the network saturates (Dally & Towles 2004, chapter 23; `docs/model.md` section 27).

use cubefold_runs::names_besides as names_of_settings;

use crate::{
    axes::{Axes, Axis, Ticks, number},
    curve::{DataPoint, curve_sheet, draw_curve, sign},
    error::PictureError,
    legend::Sign,
    palette::series,
    picture::Picture,
    results_table::ResultsTable,
    sheet::{Point, Sheet, polyline},
};

/// The dashes of the lines at which curves end.
const SATURATION: &str = "4 3";
/// The dashes of the lines at the limits by the loads of channels.
const LIMIT: &str = "1 3";

/// The key whose values are across.
const LOAD: &str = "program.load";

/// Draws the mean packet latency of open-loop traffic over its load.
///
/// A curve joins the runs that agree in everything but the load. It ends at the last load that does not saturate; a
/// dashed line of its colour marks the first one that does, or the saturation load that a search found. A dotted
/// line marks the limit by the loads of channels, if that is not far beyond. Bars are the intervals around means.
///
/// # Errors
///
/// When no run has a load, or the plotting library refuses.
pub fn latency(caption: &str, results: &ResultsTable) -> Result<Picture, PictureError> {
    let curves = curves(results)?;
    let entries = curves.iter().enumerate().map(|(place, curve)| (curve.name.clone(), sign(place)));
    let has_saturation = curves.iter().any(|curve| curve.saturation.is_some());
    let across = width_of_loads(&curves);
    let has_limit = curves.iter().any(|curve| curve.limit_within(across).is_some());
    let line = |is_there: bool, name: &str, dashes: &'static str| {
        is_there.then(|| (name.to_owned(), Sign::Line { color: "currentColor", dashes }))
    };
    let lines = [line(has_saturation, "saturation", SATURATION), line(has_limit, "limit of channels", LIMIT)];
    let entries = entries.chain(lines.into_iter().flatten());
    let caption = format!("{caption}: latency over load");
    let description = format!(
        "{caption}, one line for each setting; dashed lines are where it saturates, dotted ones the limits of channels."
    );
    let [loads, latencies] = axes(&curves, across);
    let (mut sheet, axes) = curve_sheet(&caption, &description, entries, loads, latencies)?;
    for (place, curve) in curves.iter().enumerate() {
        curve.draw(&mut sheet, &axes, place, across);
    }
    Ok(sheet.finish())
}

/// The latencies of one setting.
#[derive(Debug, Clone, PartialEq, Default)]
struct Curve {
    name: String,
    /// The mean packet latency at each load that does not saturate, by ascending load.
    points: Vec<DataPoint>,
    /// The half-widths of the intervals around these, if known.
    half_widths: Vec<Option<f64>>,
    saturation: Option<Saturation>,
    /// The sign of saturation at the lowest load that saturates.
    sign: String,
    /// The largest load that the busiest channel can carry.
    limit: Option<f64>,
}

/// Where a curve ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Saturation {
    /// The lowest load that saturates.
    At(f64),
    /// The highest load that does not, found by a search.
    Above(f64),
}

impl Saturation {
    fn load(self) -> f64 {
        match self {
            Self::At(load) | Self::Above(load) => load,
        }
    }
}

impl Curve {
    fn draw(&self, sheet: &mut Sheet, axes: &Axes, place: usize, across: f64) {
        let half_width = |point: &DataPoint| {
            let index = self.points.iter().position(|other| other == point)?;
            self.half_widths.get(index).copied().flatten()
        };
        let title = |point: &DataPoint| {
            let about = half_width(point).map_or_else(String::new, |half| format!(" +- {}", number(half)));
            format!("{}: {}{about} cycles at load {}", self.name, number(point.up), number(point.across))
        };
        for point in &self.points {
            let Some(half) = half_width(point) else { continue };
            let x = axes.x(point.across);
            let (bottom, top) = (axes.y((point.up - half).max(0.0)), axes.y(point.up + half));
            let top = top.max(axes.inside.y);
            let bar = polyline(&[Point { x, y: top }, Point { x, y: bottom }]);
            sheet.path(&bar, &[("stroke", series(place)), ("stroke-width", "1")], &title(point));
        }
        draw_curve(sheet, axes, &self.points, place, title);
        if let Some(limit) = self.limit_within(across) {
            let title = format!("{}: no channel passes more than load {}", self.name, number(limit));
            draw_line(sheet, axes, place, (limit, LIMIT, &title));
        }
        let Some(saturation) = self.saturation else { return };
        let title = match (saturation, self.points.last()) {
            (Saturation::At(load), Some(last)) => {
                format!("{}: saturates between loads {} and {}", self.name, number(last.across), number(load))
            }
            (Saturation::At(load), None) => format!("{}: saturates below load {}", self.name, number(load)),
            (Saturation::Above(load), _) => format!("{}: stable up to load {}", self.name, number(load)),
        };
        let verdict = if self.sign.is_empty() { String::new() } else { format!(" ({})", self.sign) };
        draw_line(sheet, axes, place, (saturation.load(), SATURATION, &format!("{title}{verdict}")));
    }

    /// The limit, if it is at most this load.
    fn limit_within(&self, across: f64) -> Option<f64> {
        self.limit.filter(|&limit| limit <= across)
    }
}

/// Draws a line at a load from top to bottom.
fn draw_line(sheet: &mut Sheet, axes: &Axes, place: usize, (load, dashes, title): (f64, &str, &str)) {
    let x = axes.x(load);
    let (top, bottom) = (axes.inside.y, axes.inside.y + axes.inside.height);
    let properties = [("stroke", series(place)), ("stroke-width", "1.5"), ("stroke-dasharray", dashes)];
    sheet.path(&polyline(&[Point { x, y: top }, Point { x, y: bottom }]), &properties, title);
}

/// The load at the end of the axis: a little more than the greatest that is drawn, and more for a limit close by.
fn width_of_loads(curves: &[Curve]) -> f64 {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let ends = curves.iter().filter_map(|curve| curve.saturation).map(Saturation::load);
    let greatest = points.map(|point| point.across).chain(ends).fold(0.0, f64::max);
    let limits = curves.iter().filter_map(|curve| curve.limit).filter(|&limit| limit <= 1.5 * greatest);
    limits.fold(greatest, f64::max) * 1.05
}

/// The room above the highest point of a curve, as a factor.
const ROOM: f64 = 1.1;

/// The axes of loads and of latencies.
fn axes(curves: &[Curve], across: f64) -> [Axis; 2] {
    let end = |(point, half): (&DataPoint, &Option<f64>)| point.up + half.unwrap_or(0.0);
    let ends = curves.iter().flat_map(|curve| curve.points.iter().zip(&curve.half_widths).map(end));
    let latencies = ends.fold(0.0, f64::max) * ROOM;
    [("load [units a terminal a cycle]", across), ("mean packet latency [cycles]", latencies)]
        .map(|(title, to)| Axis { ticks: Ticks::Any, ..Axis::from_zero(title, to) })
}

/// The curves of all runs with a load, in the order of the runs.
fn curves(results: &ResultsTable) -> Result<Vec<Curve>, PictureError> {
    let loads = results.column("load").unwrap_or_default();
    let means = results.column("packet_latency_mean").unwrap_or_default();
    let searched = results.column("saturation_load").unwrap_or_default();
    let half_widths = results.column("open_loop_latency_half_width").unwrap_or_default();
    let channel_loads = results.words("open_loop_channel_load").unwrap_or_default();
    let saturated = results.words("saturated").unwrap_or_default();
    let at = |values: &[Option<f64>], row: usize| values.get(row).copied().flatten();
    let mut curves: Vec<Curve> = vec![];
    for (row, name) in names_besides(results, LOAD).into_iter().enumerate() {
        let Some(load) = at(&loads, row) else { continue };
        let place = curves.iter().position(|curve| curve.name == name).unwrap_or_else(|| {
            curves.push(Curve { name, ..Curve::default() });
            curves.len() - 1
        });
        let curve = &mut curves[place];
        if let Some(load) = at(&searched, row) {
            curve.saturation = Some(Saturation::Above(load));
        }
        match (saturated.get(row).is_some_and(|word| !word.is_empty()), at(&means, row)) {
            (false, Some(up)) => {
                curve.points.push(DataPoint { across: load, up });
                curve.half_widths.push(at(&half_widths, row));
            }
            (true, _) if curve.saturation.is_none_or(|saturation| load < saturation.load()) => {
                curve.saturation = Some(Saturation::At(load));
                curve.sign = saturated.get(row).map_or_else(String::new, |word| (*word).to_owned());
            }
            _ => {}
        }
        curve.limit = channel_loads.get(row).and_then(|load| inverse(load));
    }
    if curves.is_empty() {
        return Err(PictureError::NoLoads);
    }
    for curve in &mut curves {
        let points = std::mem::take(&mut curve.points).into_iter();
        let mut points: Vec<_> = points.zip(std::mem::take(&mut curve.half_widths)).collect();
        points.sort_by(|one, next| one.0.across.total_cmp(&next.0.across));
        // With several seeds a load may saturate under only one of them.
        let end = curve.saturation.map_or(f64::INFINITY, Saturation::load);
        points.retain(|point| point.0.across <= end);
        (curve.points, curve.half_widths) = points.into_iter().unzip();
    }
    Ok(curves)
}

/// The inverse of a fraction such as `7/1`.
fn inverse(fraction: &str) -> Option<f64> {
    let (numerator, denominator) = fraction.split_once('/')?;
    Some(denominator.parse::<f64>().ok()? / numerator.parse::<f64>().ok()?)
}

/// The name of each row's curve: the scenario if there are several, and the swept settings in which rows differ, except
/// for the key `besides`.
pub(crate) fn names_besides(results: &ResultsTable, besides: &str) -> Vec<String> {
    let rows = results.row_count();
    let settings: Vec<Vec<(&str, &str)>> = match results.words("sweep") {
        Some(sweeps) => sweeps.into_iter().map(assignments).collect(),
        None => vec![vec![]; rows],
    };
    let scenarios = results.words("scenario").unwrap_or_else(|| vec![""; rows]);
    let several = scenarios.windows(2).any(|two| two[0] != two[1]);
    let name = |(settings, scenario): (String, &str)| {
        let scenario = Some(scenario).filter(|_| several || settings.is_empty());
        let all = scenario.into_iter().chain(Some(settings.as_str()).filter(|words| !words.is_empty()));
        all.collect::<Vec<_>>().join(", ")
    };
    names_of_settings(&settings, besides).into_iter().zip(scenarios).map(name).collect()
}

/// The paths and values of a cell of the column `sweep`.
fn assignments(sweep: &str) -> Vec<(&str, &str)> {
    sweep.split("; ").filter_map(|one| one.split_once(" = ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of scenario, sweep, load, mean latency, sign of saturation, saturation load, and often half-width and load of
    /// channels.
    fn table(rows: &[(&str, &str)]) -> ResultsTable {
        let header = "scenario,sweep,load,packet_latency_mean,saturated,saturation_load,\
                      open_loop_latency_half_width,open_loop_channel_load";
        let full =
            |rest: &str| format!("{rest}{}", ",".repeat(5_usize.saturating_sub(rest.matches(',').count())));
        let lines: Vec<String> =
            rows.iter().map(|(sweep, rest)| format!("s,{sweep},{}", full(rest))).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        std::fs::write(&path, format!("{header}\n{}\n", lines.join("\n"))).unwrap();
        ResultsTable::read(&path, u64::MAX).unwrap()
    }

    #[test]
    fn a_curve_ends_at_the_first_load_that_saturates() {
        let rows = [
            ("machine.router.buffer_units = 4; program.load = 0.2", "0.2,40,,"),
            ("machine.router.buffer_units = 4; program.load = 0.1", "0.1,30,,"),
            ("machine.router.buffer_units = 4; program.load = 0.4", "0.4,900,latency,"),
            ("machine.router.buffer_units = 4; program.load = 0.3", "0.3,200,drain,"),
            ("machine.router.buffer_units = 8; program.load = 0.1", "0.1,31,,"),
        ];
        let curves = curves(&table(&rows)).unwrap();
        assert_eq!(
            curves.iter().map(|curve| curve.name.as_str()).collect::<Vec<_>>(),
            ["buffer units 4", "buffer units 8"]
        );
        let point = |across, up| DataPoint { across, up };
        assert_eq!(curves[0].points, [point(0.1, 30.0), point(0.2, 40.0)]);
        assert_eq!((curves[0].saturation, curves[1].saturation), (Some(Saturation::At(0.3)), None));
        let picture = latency("two", &table(&rows)).unwrap();
        assert!(picture.svg().contains("buffer units 4: saturates between loads 0.2 and 0.3"));
        assert_eq!(picture.svg().matches(" cycles at load ").count(), 3);
    }

    #[test]
    fn limits_verdicts_and_intervals_are_drawn() {
        let rows = [
            ("x = 1; program.load = 0.1", "0.1,30,,,1.5,5/1"),
            ("x = 1; program.load = 0.15", "0.15,,growth,,,5/1"),
            ("x = 2; program.load = 0.1", "0.1,31,,,,1/1"),
        ];
        let picture = latency("three", &table(&rows)).unwrap();
        let svg = picture.svg();
        for words in [
            "x 1: 30 +- 1.5 cycles at load 0.1",
            "x 1: saturates between loads 0.1 and 0.15 (growth)",
            "x 1: no channel passes more than load 0.2",
            "limit of channels",
        ] {
            assert!(svg.contains(words), "{words}");
        }
        // A limit far beyond the loads is left out; a curve has at most two lines.
        assert!(!svg.contains("x 2: no channel"));
    }

    #[test]
    fn routings_are_named_by_their_words_and_searches_are_marked() {
        let rows = [
            ("execution.routing = \"\"adaptive\"\"", "0.34,90,,0.345"),
            ("execution.routing = \"\"valiant\"\"", "0.1,60,,"),
        ];
        let rows = rows.map(|(sweep, rest)| (format!("\"{sweep}\""), rest));
        let rows: Vec<(&str, &str)> = rows.iter().map(|(sweep, rest)| (sweep.as_str(), *rest)).collect();
        let curves = curves(&table(&rows)).unwrap();
        assert_eq!(curves[0].name, "adaptive");
        assert_eq!(curves[0].saturation, Some(Saturation::Above(0.345)));
    }

    #[test]
    fn runs_without_a_load_have_no_curve() {
        assert_eq!(latency("none", &table(&[("x = 1", ",,,")])).unwrap_err(), PictureError::NoLoads);
    }
}
