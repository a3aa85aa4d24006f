//! Makespan over the parts of pipelined exchanges, a curve per embedding, ordering or other swept value, with the best
//! number of parts and the closed form (`docs/model.md` section 29.1).

use crate::{
    axes::{Axes, Ticks, number},
    curve::{DataPoint, axis_around, curve_sheet, draw_curve, sign},
    error::PictureError,
    latency::names_besides,
    legend::Sign,
    picture::Picture,
    results_table::ResultsTable,
    sheet::{Anchor, Point, Sheet, TEXT, polyline},
};

/// The colour of the closed form.
const CLOSED: &str = "#888888";
const CLOSED_DASHES: &str = "2 4";

/// The key whose values are across.
const PARTS: &str = "program.pipelining";

/// Draws the makespan of pipelined programs over the number of parts, on logarithmic axes.
///
/// A curve joins the runs that agree in everything but the parts; a ring marks its least makespan. The dotted line is the
/// closed form of exchanges between neighbours whose dimensions do not repeat, at parts that need not divide the messages.
///
/// # Errors
///
/// When no run is pipelined, or the plotting library refuses.
pub fn pipelining(caption: &str, results: &ResultsTable) -> Result<Picture, PictureError> {
    let curves = curves(results)?;
    let closed = closed_forms(results, &curves);
    let entries = curves.iter().enumerate().map(|(place, curve)| (curve.name.clone(), sign(place)));
    let dotted = (!closed.is_empty()).then(|| {
        ("closed form between neighbours".to_owned(), Sign::Line { color: CLOSED, dashes: CLOSED_DASHES })
    });
    let best = [("least makespan".to_owned(), Sign::Ring)];
    let entries = entries.chain(dotted).chain(best);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let makespans = points().chain(closed.iter().flatten()).map(|point| point.up);
    let across = axis_around("parts of a message".to_owned(), points().map(|point| point.across), Ticks::Any);
    let up = axis_around("makespan [cycles]".to_owned(), makespans, Ticks::Any);
    let caption = format!("{caption}: makespan over parts");
    let description = format!("{caption}, one line for each setting; both axes grow by equal factors.");
    let (mut sheet, axes) = curve_sheet(&caption, &description, entries, across, up)?;
    for form in &closed {
        let points: Vec<Point> = form.iter().map(|point| axes.point(point.across, point.up)).collect();
        let properties = [("stroke", CLOSED), ("stroke-width", "2"), ("stroke-dasharray", CLOSED_DASHES)];
        sheet.path(&polyline(&points), &properties, "closed form between neighbours");
    }
    let rings = curves.iter().filter_map(Curve::best).map(|best| axes.point(best.across, best.up));
    let mut labels = Labels { rings: rings.collect(), placed: vec![] };
    for (place, curve) in curves.iter().enumerate() {
        curve.draw(&mut sheet, &axes, place, &mut labels);
    }
    Ok(sheet.finish())
}

/// The makespans of one setting.
#[derive(Debug, Clone, PartialEq)]
struct Curve {
    name: String,
    /// The first row of the results that belongs to it.
    row: usize,
    /// By ascending number of parts.
    points: Vec<DataPoint>,
}

impl Curve {
    /// The least makespan, of equal ones the one with the fewest parts.
    fn best(&self) -> Option<DataPoint> {
        self.points.iter().copied().min_by(|one, other| one.up.total_cmp(&other.up))
    }

    /// Draws the curve with the label of its least makespan.
    fn draw(&self, sheet: &mut Sheet, axes: &Axes, place: usize, labels: &mut Labels) {
        let title = |point: &DataPoint| {
            format!("{}: {} cycles in {} parts", self.name, number(point.up), number(point.across))
        };
        draw_curve(sheet, axes, &self.points, place, title);
        let Some(best) = self.best() else { return };
        let point = axes.point(best.across, best.up);
        sheet.ring(point, &format!("{}: the least makespan, {}", self.name, title(&best)));
        let text = format!("Q = {}", number(best.across));
        if let Some(label) = labels.place(&text, point.plus(0.0, 20.0)) {
            sheet.text(&text, label, TEXT, Anchor::Middle);
        }
    }
}

/// The labels of least makespans, which keep clear of one another and of the rings.
#[derive(Debug)]
struct Labels {
    rings: Vec<Point>,
    placed: Vec<(Point, String)>,
}

impl Labels {
    /// The distances between the middles of two labels that do not overlap, across and down.
    const APART: (f64, f64) = (64.0, 15.0);
    /// Equal labels at most this far apart are one.
    const SAME: f64 = 60.0;

    /// The first free place from `start` downwards; `None` if an equal label is near.
    fn place(&mut self, text: &str, start: Point) -> Option<Point> {
        let is_near = |other: &Point, across: f64, down: f64, place: Point| {
            (place.x - other.x).abs() < across && (place.y - other.y).abs() < down
        };
        let mut same = self.placed.iter().filter(|(_, other)| other == text);
        if same.any(|(other, _)| is_near(other, Self::APART.0, Self::SAME, start)) {
            return None;
        }
        let is_taken = |place: Point| {
            let mut taken = self.rings.iter().chain(self.placed.iter().map(|(other, _)| other));
            taken.any(|other| is_near(other, Self::APART.0, Self::APART.1, place))
        };
        let mut place = start;
        while is_taken(place) {
            place.y += Self::APART.1;
        }
        self.placed.push((place, text.to_owned()));
        Some(place)
    }
}

/// The curves of all pipelined runs, in their order.
fn curves(results: &ResultsTable) -> Result<Vec<Curve>, PictureError> {
    let parts = results.column("program_pipelining").unwrap_or_default();
    let makespans = results.column("makespan_cycles").unwrap_or_default();
    let embeddings = results.words("embedding").unwrap_or_default();
    let several = embeddings.windows(2).any(|two| two[0] != two[1]);
    let at =
        |values: &[Option<f64>], row: usize| values.get(row).copied().flatten().filter(|value| *value > 0.0);
    let mut curves: Vec<Curve> = vec![];
    for (row, settings) in names_besides(results, PARTS).into_iter().enumerate() {
        let (Some(across), Some(up)) = (at(&parts, row), at(&makespans, row)) else { continue };
        let embedding = embeddings.get(row).copied().filter(|_| several);
        let words =
            embedding.into_iter().chain(Some(settings.as_str()).filter(|settings| !settings.is_empty()));
        let name = words.collect::<Vec<_>>().join(", ");
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push(DataPoint { across, up }),
            None => curves.push(Curve { name, row, points: vec![DataPoint { across, up }] }),
        }
    }
    if curves.is_empty() {
        return Err(PictureError::NoParts);
    }
    for curve in &mut curves {
        curve.points.sort_by(|one, next| one.across.total_cmp(&next.across));
        curve.points.dedup();
    }
    Ok(curves)
}

/// The closed forms of the curves that have one; equal ones once.
fn closed_forms(results: &ResultsTable, curves: &[Curve]) -> Vec<Vec<DataPoint>> {
    let mut forms: Vec<Vec<DataPoint>> = vec![];
    for curve in curves {
        let Some(form) = ClosedForm::of(results, curve.row) else { continue };
        let points = form.points(curve);
        if !forms.contains(&points) {
            forms.push(points);
        }
    }
    forms
}

/// The settings that the closed form depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ClosedForm {
    stages: f64,
    units: f64,
    compute: f64,
    startup: f64,
    hop: f64,
    latency: f64,
    has_one_port: bool,
}

impl ClosedForm {
    /// Reads the closed form from a row of the results; `None` if dimensions repeat, or sizes or computations differ.
    fn of(results: &ResultsTable, row: usize) -> Option<Self> {
        let word = |name: &str| results.words(name).and_then(|words| words.get(row).copied()).unwrap_or("");
        let numbers = |name: &str| -> Vec<f64> {
            word(name).split_whitespace().filter_map(|number| number.parse().ok()).collect()
        };
        let number = |name: &str| numbers(name).first().copied();
        let (mut stages, units) = (numbers("program_stages"), numbers("program_stage_units"));
        let count = stages.len();
        stages.sort_by(f64::total_cmp);
        stages.dedup();
        let is_plain =
            word("program_stage_compute_cycles").is_empty() && word("program_compute_noise_kind").is_empty();
        let is_even = units.windows(2).all(|two| two[0].total_cmp(&two[1]).is_eq());
        if stages.len() < count || count == 0 || !is_plain || !is_even {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "few stages")]
        Some(Self {
            stages: count as f64,
            units: units.first().copied().unwrap_or(1.0),
            compute: number("program_compute_cycles")?,
            startup: number("program_startup_cycles")?,
            hop: number("machine_hop_cycles")?,
            latency: number("machine_latency_cycles").unwrap_or(0.0),
            has_one_port: word("program_exchange_ports") == "1",
        })
    }

    /// The makespan in `parts` parts.
    fn at(&self, parts: f64) -> f64 {
        let Self { stages, units, compute, startup, hop, latency, has_one_port } = *self;
        let computing = stages * compute;
        if has_one_port {
            return computing + stages * parts * (startup + latency) + stages * hop * units;
        }
        computing + stages * parts * startup + (stages + parts - 1.0) * (latency + hop * units / parts)
    }

    /// The points of the closed form between the ends of a curve.
    fn points(&self, curve: &Curve) -> Vec<DataPoint> {
        const STEPS: u32 = 64;
        let ends =
            [curve.points.first(), curve.points.last()].map(|end| end.map_or(1.0, |point| point.across));
        let place = |step: u32| ends[0] * (ends[1] / ends[0]).powf(f64::from(step) / f64::from(STEPS));
        (0..=STEPS).map(place).map(|across| DataPoint { across, up: self.at(across) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::records;

    fn table(program: &str) -> ResultsTable {
        let text = format!(
            "[machine]\nkind = \"hypercube\"\ndimensions = 4\n[program]\nunits = 64\ncompute_cycles = 64\n{program}\n\
             [mapping]\nembeddings = [\"standard\"]\n[sweep]\n\"program.pipelining\" = [1, 2, 4, 8, 16]\n"
        );
        ResultsTable::of(&records(&text))
    }

    #[test]
    fn the_closed_form_goes_through_the_runs_and_the_best_is_marked() {
        for (program, best) in [("startup_cycles = 4", 4.0), ("startup_cycles = 4\nports = 1", 1.0)] {
            let results = table(program);
            let curves = curves(&results).unwrap();
            assert_eq!(curves.len(), 1);
            let form = ClosedForm::of(&results, 0).unwrap();
            for point in &curves[0].points {
                assert!((form.at(point.across) - point.up).abs() < 1e-9, "{program} {point:?}");
            }
            assert!((curves[0].best().unwrap().across - best).abs() < 1e-9, "{program}");
            let picture = pipelining("gain", &results).unwrap();
            assert!(picture.svg().contains(&format!("Q = {best}")));
        }
    }

    #[test]
    fn labels_of_close_curves_do_not_overlap() {
        let at = |x: f64, y: f64| Point { x, y };
        let mut labels = Labels { rings: vec![at(110.0, 77.0)], placed: vec![] };
        assert_eq!(labels.place("Q = 1", at(100.0, 50.0)), Some(at(100.0, 50.0)));
        assert_eq!(labels.place("Q = 1", at(100.0, 62.0)), None);
        // Below the other label, and below a ring.
        assert_eq!(labels.place("Q = 2", at(110.0, 62.0)), Some(at(110.0, 92.0)));
        assert_eq!(labels.place("Q = 3", at(300.0, 55.0)), Some(at(300.0, 55.0)));
    }

    #[test]
    fn stages_that_repeat_dimensions_have_no_closed_form() {
        let results = table("stages = \"br\"\nstartup_cycles = 1");
        assert_eq!(closed_forms(&results, &curves(&results).unwrap()), Vec::<Vec<DataPoint>>::new());
    }

    #[test]
    fn plain_runs_have_no_parts() {
        let records = records("[machine]\nkind = \"ring\"\nshape = [8]\n");
        assert_eq!(pipelining("none", &ResultsTable::of(&records)).unwrap_err(), PictureError::NoParts);
    }
}
