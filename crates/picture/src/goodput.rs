//! Goodput over the size of the vector on logarithmic axes, a line per algorithm, as in papers on collectives, with
//! the sizes at which another algorithm becomes the fastest.

mod line_names;

use cubefold_formats::input::{engineering_rate, engineering_seconds};
use cubefold_records::grouped;

use self::line_names::line_names;
use crate::{
    axes::{Axes, Axis, Ticks, number},
    curve::{DataPoint, axis_around, curve_sheet, draw_curve, sign},
    error::PictureError,
    font::text_width,
    legend::Sign,
    picture::Picture,
    results_table::ResultsTable,
    sheet::{Anchor, Area, Point, Sheet, TEXT, polyline},
};

/// The colour of the bound.
const BOUND: &str = "#888888";

/// The legend of rings, which mark interpolated sizes.
const INTERPOLATED: &str = "the fastest changes (size interpolated)";

/// The kinds of programs without goodput, since messages of many sizes determine their makespan.
const WITHOUT_GOODPUT: [&str; 4] = ["job", "goal", "chakra", "trace"];

/// Draws the goodput of runs over the size of their vectors, or of their largest messages: in bytes and seconds if all
/// runs have them, else in units and cycles.
///
/// A line joins the runs that agree in everything but the size; jobs and task graphs have none. The dotted line is the
/// greatest goodput under the lower bounds. Where the lines between measured sizes cross and the fastest changes, a
/// ring marks the crossover.
///
/// # Errors
///
/// When no run has a size, or the plotting library refuses.
pub fn goodput(caption: &str, results: &ResultsTable) -> Result<Picture, PictureError> {
    let chart = GoodputChart::new(results)?;
    let entries = chart.lines.iter().enumerate().map(|(place, line)| (line.name.clone(), sign(place)));
    let bound = (!chart.bound.is_empty())
        .then(|| ("at the lower bound".to_owned(), Sign::Line { color: BOUND, dashes: "2 4" }));
    let crossovers = chart.crossovers();
    let changes = (!crossovers.is_empty()).then(|| (INTERPOLATED.to_owned(), Sign::Ring));
    let entries = entries.chain(bound).chain(changes);
    let caption = format!("{caption}: goodput over size");
    let description = format!("{caption}, one line an algorithm; both axes grow by equal factors.");
    let [across, up] = chart.axes();
    let (mut sheet, axes) = curve_sheet(&caption, &description, entries, across, up)?;
    let axes = axes.with_unit_up(chart.unit_up());
    let sizes = chart.lines.iter().flat_map(|line| &line.points).map(|point| point.across);
    axes.draw_powers_of_two(&mut sheet, sizes, |size| chart.size_text(size));
    let bound: Vec<Point> = chart.bound.iter().map(|pair| axes.point(pair.across, pair.up)).collect();
    if !bound.is_empty() {
        let properties = [("stroke", BOUND), ("stroke-width", "2"), ("stroke-dasharray", "2 4")];
        sheet.path(&polyline(&bound), &properties, "goodput at the lower bounds");
    }
    for (place, line) in chart.lines.iter().enumerate() {
        draw_curve(&mut sheet, &axes, &line.points, place, |point| chart.title(line, *point));
    }
    chart.draw_crossovers(&mut sheet, &axes, &crossovers, &bound);
    Ok(sheet.finish())
}

/// The goodput of one algorithm.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    name: String,
    /// Sorted by size.
    points: Vec<DataPoint>,
}

#[derive(Debug, Clone, PartialEq)]
struct GoodputChart {
    /// Whether sizes are in bytes and rates in bytes per second, else in units and units per cycle.
    has_bytes: bool,
    lines: Vec<Line>,
    /// The greatest goodput under the lower bounds, by size; empty if no run has a bound.
    bound: Vec<DataPoint>,
}

/// A size at which the fastest line changes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Crossover {
    at: DataPoint,
    /// The fastest line below it.
    from: usize,
    /// The fastest line above it.
    to: usize,
}

/// A run: the name of its line, its size and its makespan.
struct SizedRun {
    name: String,
    size: f64,
    makespan: f64,
    bound: Option<f64>,
}

impl GoodputChart {
    fn new(results: &ResultsTable) -> Result<Self, PictureError> {
        let column = |name: &str| results.column(name).unwrap_or_default();
        let all = |values: &[Option<f64>]| !values.is_empty() && values.iter().all(Option::is_some);
        let either = |first: &str, second: &str| {
            let (first, second) = (column(first), column(second));
            let length = first.len().max(second.len());
            let at = |values: &Vec<Option<f64>>, row: usize| values.get(row).copied().flatten();
            (0..length).map(|row| at(&first, row).or_else(|| at(&second, row))).collect::<Vec<_>>()
        };
        let (bytes, seconds) =
            (either("program_vector_bytes", "program_message_bytes"), column("makespan_seconds"));
        let has_bytes = all(&bytes) && all(&seconds);
        let (cycles, bounds) = (column("makespan_cycles"), column("lower_bound_cycles"));
        let (sizes, makespans) = if has_bytes {
            (bytes, seconds)
        } else {
            (either("program_vector_units", "units"), cycles.clone())
        };
        let kinds = results.words("program_kind").unwrap_or_default();
        let has_goodput = |row: usize| kinds.get(row).is_none_or(|kind| !WITHOUT_GOODPUT.contains(kind));
        let mut runs = vec![];
        for (row, name) in line_names(results).into_iter().enumerate().filter(|(row, _)| has_goodput(*row)) {
            let at = |values: &[Option<f64>]| values.get(row).copied().flatten().filter(|value| *value > 0.0);
            let (Some(size), Some(makespan)) = (at(&sizes), at(&makespans)) else { continue };
            let bound = at(&bounds).zip(at(&cycles)).map(|(bound, cycles)| makespan * bound / cycles);
            runs.push(SizedRun { name, size, makespan, bound });
        }
        if runs.is_empty() {
            return Err(PictureError::NoSizes);
        }
        let point = |run: &SizedRun| DataPoint { across: run.size, up: run.size / run.makespan };
        let lines = grouped(runs.iter().map(|run| (&run.name, point(run)))).into_iter();
        let lines = lines.map(|(name, points)| Line { name: name.clone(), points: means(points) }).collect();
        Ok(Self { has_bytes, lines, bound: bound(&runs) })
    }

    /// The axes of sizes and of goodput.
    fn axes(&self) -> [Axis; 2] {
        let all = || self.lines.iter().flat_map(|line| &line.points).chain(&self.bound);
        let size = if self.has_bytes { "size" } else { "size [units]" };
        let goodput = if self.has_bytes { "goodput [GB/s]" } else { "goodput [units a cycle]" };
        let rates = all().map(|point| point.up / self.unit_up());
        [
            axis_around(size.to_owned(), all().map(|point| point.across), Ticks::Own),
            axis_around(goodput.to_owned(), rates, Ticks::Any),
        ]
    }

    /// The unit of the axis upwards: 1 GB/s \[bytes per second\], or 1 unit a cycle.
    fn unit_up(&self) -> f64 {
        if self.has_bytes { 1e9 } else { 1.0 }
    }

    fn size_text(&self, size: f64) -> String {
        if self.has_bytes { bytes_text(size) } else { number(size) }
    }

    fn title(&self, line: &Line, point: DataPoint) -> String {
        let (name, size, time) = (&line.name, self.size_text(point.across), point.across / point.up);
        if self.has_bytes {
            format!("{name}: {} at {size}, {}", engineering_rate(point.up), engineering_seconds(time))
        } else {
            format!("{name}: {} units a cycle at {size} units, {} cycles", number(point.up), number(time))
        }
    }

    /// Marks the crossovers with their sizes, as labels clear of the lines and the bound.
    fn draw_crossovers(&self, sheet: &mut Sheet, axes: &Axes, crossovers: &[Crossover], bound: &[Point]) {
        let place = |point: &DataPoint| axes.point(point.across, point.up);
        let lines = self.lines.iter().map(|line| line.points.iter().map(place).collect::<Vec<_>>());
        let lines: Vec<Vec<Point>> = lines.chain([bound.to_vec()]).collect();
        for &Crossover { at, from, to } in crossovers {
            let point = axes.point(at.across, at.up);
            let size = self.size_text(at.across);
            let title = format!(
                "from about {size} (interpolated) on {} is faster than {}",
                self.lines[to].name, self.lines[from].name
            );
            let label = format!("about {size}");
            let below = free_place(point, text_width(&label, TEXT), axes.inside, &lines);
            if below.y > point.y + 30.0 {
                let (top, bottom) = (point.plus(0.0, 7.0), Point { x: point.x, y: below.y - TEXT });
                sheet.line(top, bottom, &[("stroke", "currentColor"), ("stroke-opacity", "0.4")], "");
            }
            sheet.ring(point, &title);
            sheet.text(&label, below, TEXT, Anchor::Middle);
        }
    }

    /// The crossovers of the upper envelope, by ascending size.
    fn crossovers(&self) -> Vec<Crossover> {
        let mut sizes: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.across).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let mut found = vec![];
        for pair in sizes.windows(2) {
            self.crossovers_between(pair[0], pair[1], &mut found);
        }
        found
    }

    /// The crossovers between two neighbouring sizes, between which lines are straight.
    fn crossovers_between(&self, first: f64, last: f64, found: &mut Vec<Crossover>) {
        let ends: Vec<(usize, f64, f64)> = (self.lines.iter().enumerate())
            .filter_map(|(place, line)| Some((place, line.at(first)?.ln(), line.at(last)?.ln())))
            .collect();
        let best = ends.iter().copied().reduce(|best, line| {
            let (is_higher, is_equal) = (line.1 > best.1, line.1.total_cmp(&best.1).is_eq());
            if is_higher || is_equal && line.2 > best.2 { line } else { best }
        });
        let Some(mut best) = best else { return };
        let mut passed = 0.0;
        loop {
            let crossing = |line: &(usize, f64, f64)| {
                let (gap, gain) = (best.1 - line.1, (line.2 - line.1) - (best.2 - best.1));
                let share = if gain > 0.0 { gap / gain } else { f64::INFINITY };
                (*line, share)
            };
            let is_ahead = |&(line, share): &((usize, f64, f64), f64)| {
                line.0 != best.0 && share >= passed && share < 1.0
            };
            let steeper = |a: &((usize, f64, f64), f64), b: &((usize, f64, f64), f64)| {
                a.1.total_cmp(&b.1).then((b.0.2 - b.0.1).total_cmp(&(a.0.2 - a.0.1)))
            };
            let Some((next, share)) = ends.iter().map(crossing).filter(is_ahead).min_by(steeper) else {
                return;
            };
            let at = DataPoint {
                across: (first.ln() + share * (last / first).ln()).exp(),
                up: (best.1 + share * (best.2 - best.1)).exp(),
            };
            found.push(Crossover { at, from: best.0, to: next.0 });
            (best, passed) = (next, share);
        }
    }
}

/// The position of a label of this width, centred, at or below a point: the first position clear of all lines, else
/// close to the point.
fn free_place(point: Point, width: f64, inside: Area, lines: &[Vec<Point>]) -> Point {
    let beside = width / 2.0 + 9.0;
    let near = [(-beside, -11.0), (beside, 20.0), (-beside, 20.0)];
    let below = (2..20).map(|step| (0.0, 18.0 * f64::from(step)));
    let is_free = |at: &Point| {
        let area = Area { x: at.x - width / 2.0, y: at.y - TEXT, width, height: TEXT + 3.0 };
        area.x >= inside.x
            && area.x + area.width <= inside.x + inside.width
            && area.y + area.height <= inside.y + inside.height
            && !lines.iter().any(|line| is_crossed(area, line))
    };
    let mut places = near.into_iter().chain(below).map(|(x, y)| point.plus(x, y));
    places.find(is_free).unwrap_or(point.plus(0.0, 20.0))
}

/// Whether a polyline enters an area.
fn is_crossed(area: Area, line: &[Point]) -> bool {
    /// The number of parts of a segment at whose ends it is tested.
    const PARTS: u32 = 64;
    let is_inside = |at: Point| {
        (area.x..=area.x + area.width).contains(&at.x) && (area.y..=area.y + area.height).contains(&at.y)
    };
    line.windows(2).any(|ends| {
        let along = |part: u32| ends[0].towards(ends[1], f64::from(part) / f64::from(PARTS));
        (0..=PARTS).map(along).any(is_inside)
    })
}

impl Line {
    /// The goodput at a size, interpolated linearly in logarithms between the measured sizes.
    fn at(&self, size: f64) -> Option<f64> {
        let (first, last) = (self.points.first()?, self.points.last()?);
        if !(first.across..=last.across).contains(&size) {
            return None;
        }
        let after = self.points.partition_point(|point| point.across < size);
        let (above, below) = (self.points[after], self.points[after.saturating_sub(1)]);
        if above.across.total_cmp(&size).is_eq() {
            return Some(above.up);
        }
        let share = (size / below.across).ln() / (above.across / below.across).ln();
        Some((below.up.ln() + share * (above.up / below.up).ln()).exp())
    }
}

/// A point per size, with the mean goodput of its runs.
fn means(mut pairs: Vec<DataPoint>) -> Vec<DataPoint> {
    pairs.sort_by(|one, other| one.across.total_cmp(&other.across));
    let mean = |group: &[DataPoint]| {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let up = group.iter().map(|pair| pair.up).sum::<f64>() / group.len() as f64;
        DataPoint { across: group[0].across, up }
    };
    pairs.chunk_by(|one, other| one.across.total_cmp(&other.across).is_eq()).map(mean).collect()
}

/// The greatest goodput under the bounds of the runs of each size.
fn bound(runs: &[SizedRun]) -> Vec<DataPoint> {
    let mut points: Vec<DataPoint> = runs
        .iter()
        .filter_map(|run| Some(DataPoint { across: run.size, up: run.size / run.bound? }))
        .collect();
    points.sort_by(|one, other| one.across.total_cmp(&other.across).then(other.up.total_cmp(&one.up)));
    points.dedup_by(|next, first| next.across.total_cmp(&first.across).is_eq());
    points
}

/// A number of bytes in binary units, with at most one digit of a fraction.
fn bytes_text(bytes: f64) -> String {
    const UNITS: [(f64, &str); 5] = [
        (1.0, "B"),
        (1024.0, "KiB"),
        (1_048_576.0, "MiB"),
        (1_073_741_824.0, "GiB"),
        (1_099_511_627_776.0, "TiB"),
    ];
    let (unit, name) = UNITS.into_iter().rev().find(|(unit, _)| bytes >= 0.9995 * unit).unwrap_or(UNITS[0]);
    let text = format!("{:.1}", bytes / unit);
    format!("{} {name}", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::records;

    fn line(name: &str, points: &[(f64, f64)]) -> Line {
        let points = points.iter().map(|&(across, up)| DataPoint { across, up }).collect();
        Line { name: name.to_owned(), points }
    }

    fn chart(lines: Vec<Line>) -> GoodputChart {
        GoodputChart { has_bytes: true, lines, bound: vec![] }
    }

    #[test]
    fn crossovers_lie_where_straight_lines_between_the_sizes_cross() {
        // In logarithms to base 4: 0, 0, 0, and -2, -1, 1, which cross in the middle of the second part.
        let flat = line("flat", &[(1.0, 1.0), (4.0, 1.0), (16.0, 1.0)]);
        let steep = line("steep", &[(1.0, 1.0 / 16.0), (4.0, 0.25), (16.0, 4.0)]);
        let found = chart(vec![flat.clone(), steep.clone()]).crossovers();
        assert_eq!(found.len(), 1);
        assert!((found[0].at.across - 8.0).abs() < 1e-9 && (found[0].at.up - 1.0).abs() < 1e-9);
        assert_eq!((found[0].from, found[0].to), (0, 1));
        // A third line above both in between takes over first.
        let bump = line("bump", &[(1.0, 0.5), (4.0, 0.7), (16.0, 2.0)]);
        let found = chart(vec![flat, steep, bump]).crossovers();
        let changes: Vec<(usize, usize)> =
            found.iter().map(|crossover| (crossover.from, crossover.to)).collect();
        assert_eq!(changes, [(0, 2), (2, 1)]);
    }

    #[test]
    fn lines_are_those_of_the_runs_and_the_bound_is_above_all_of_them() {
        let scenario = "name = \"a ring\"\n[machine]\nkind = \"ring\"\nshape = [16]\n\
                        link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\nswitching = \"cut-through\"\n\
                        [program]\nkind = \"all-reduce\"\nalgorithm = [\"ring\", \"swing\"]\ncompute = \"1 us\"\n\
                        [sweep]\n\"program.bytes\" = [\"1 KiB\", \"64 KiB\", \"4 MiB\"]\n";
        let records = records(scenario);
        let table = ResultsTable::of(&records);
        let chart = GoodputChart::new(&table).unwrap();
        let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ring", "swing"]);
        for record in &records {
            let size =
                record.program.collective.as_ref().and_then(|collective| collective.vector_bytes).unwrap();
            let name = &record.program.collective.as_ref().unwrap().algorithm;
            let line = chart.lines.iter().find(|line| line.name == **name).unwrap();
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let size = size as f64;
            let found = line.points.iter().find(|point| (point.across - size).abs() < 0.5).unwrap();
            let expected = record.goodput_bytes_per_second.unwrap();
            assert!((found.up / expected - 1.0).abs() < 1e-9, "{record:?}");
            let bound = chart.bound.iter().find(|point| (point.across - size).abs() < 0.5).unwrap();
            assert!(bound.up >= found.up);
        }
        // Few steps win for small vectors, neighbours for large ones.
        let changes: Vec<(usize, usize)> =
            chart.crossovers().iter().map(|crossover| (crossover.from, crossover.to)).collect();
        assert_eq!(changes, [(1, 0)]);
        let picture = goodput("a ring", &table).unwrap();
        assert!(picture.svg().contains(" (interpolated) on ring is faster than swing</title>"));
        assert!(picture.svg().contains("the fastest changes (size interpolated)"));
        for text in ["goodput [GB/s]", "64 KiB", "a ring: goodput over size"] {
            assert!(picture.svg().contains(text), "{text}");
        }
    }

    #[test]
    fn runs_in_cycles_are_drawn_in_units_and_a_single_size_too() {
        let scenario = "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\nkind = \"all-gather\"\n\
                        algorithm = [\"ring\", \"bruck\"]\nunits = 80\n";
        let picture = goodput("cycles", &ResultsTable::of(&records(scenario))).unwrap();
        assert!(picture.svg().contains("goodput [units a cycle]"));
        assert!(picture.svg().contains("bruck: "));
    }

    #[test]
    fn swept_settings_have_lines_of_their_own() {
        let scenario = "[machine]\nkind = \"torus\"\nshape = [8, 4]\n[program]\nkind = \"all-reduce\"\n\
                        algorithm = [\"ring\", \"direct\"]\n[sweep]\n\
                        \"program.order\" = [\"rotated\", \"listed\"]\n\"program.units\" = [64, 128]\n";
        let chart = GoodputChart::new(&ResultsTable::of(&records(scenario))).unwrap();
        let names: Vec<&str> = chart.lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["ring", "direct, order rotated", "direct, order listed"]);
        assert!(chart.lines.iter().all(|line| line.points.len() == 2));
    }

    /// Small vectors are exchanged whole, large ones by halving; a sweep of both has a line for each.
    #[test]
    fn the_better_of_both_exchanges_is_one_line() {
        let names = |keys: &str, sweep: &str| -> Vec<String> {
            let scenario = format!(
                "[machine]\nkind = \"ring\"\nshape = [8]\nlink = {{ bandwidth = \"50 GB/s\", latency = \"1 us\" }}\n\
                 switching = \"cut-through\"\n[program]\nkind = \"all-reduce\"\n{keys}[sweep]\n\
                 \"program.bytes\" = [\"64 B\", \"64 KiB\", \"1 MiB\"]\n{sweep}"
            );
            let chart = GoodputChart::new(&ResultsTable::of(&records(&scenario))).unwrap();
            chart.lines.into_iter().map(|line| line.name).collect()
        };
        let both = "algorithm = [\"ring\", \"recursive-doubling\"]\nexchange = \"best\"\n";
        assert_eq!(names(both, ""), ["ring", "recursive-doubling"]);
        let swept = "\"program.exchange\" = [\"whole\", \"halving\"]\n";
        assert_eq!(
            names("algorithm = \"recursive-doubling\"\n", swept),
            ["recursive-doubling, whole", "recursive-doubling, halving"]
        );
    }

    #[test]
    fn labels_keep_away_from_the_lines() {
        let area = Area { x: 10.0, y: 10.0, width: 50.0, height: 12.0 };
        let line = |y: f64| vec![Point { x: 0.0, y: y - 10.0 }, Point { x: 400.0, y: y + 10.0 }];
        assert!(is_crossed(area, &line(20.0)) && !is_crossed(area, &line(60.0)) && !is_crossed(area, &[]));
        // One line runs above the point, and another below it on both sides.
        let (inside, point) =
            (Area { x: 0.0, y: 0.0, width: 400.0, height: 300.0 }, Point { x: 200.0, y: 100.0 });
        let lines = [line(90.0), line(115.0)];
        let found = free_place(point, 60.0, inside, &lines);
        assert!(found.y > 120.0 && found.y < 150.0, "{found:?}");
        assert!(free_place(point, 60.0, inside, &lines[..1]).y < 130.0);
        assert!(free_place(point, 60.0, inside, &[]).y < 100.0);
    }

    #[test]
    fn bytes_are_short() {
        let texts = [32.0, 1024.0, 1536.0, 67_108_864.0, 1e12].map(bytes_text);
        assert_eq!(texts, ["32 B", "1 KiB", "1.5 KiB", "64 MiB", "931.3 GiB"]);
    }
}
