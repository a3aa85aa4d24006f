//! Two columns of a sweep's results against each other, one line an embedding.

use std::collections::BTreeMap;

use cubefold_experiment::{Definition, engineering_seconds};

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks, number},
    error::PictureError,
    legend::{Legend, Sign},
    palette::series,
    picture::Picture,
    results_table::ResultsTable,
    sheet::{Point, Sheet, rounded},
};

/// The least number that an axis by equal factors shows, and the greatest: beyond them its ends are no numbers.
const AXIS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// Lines that coincide differ in their dashes.
const DASHES: [&str; 4] = ["none", "8 3", "3 3", "9 3 2 3"];

/// Draws one column against another, both by equal factors, one line an embedding (and execution
/// mode, where there are two). `nodes` is a column, too. Rows without numbers above 0 are left out;
/// of several rows with the same value across the line shows the mean.
///
/// # Errors
///
/// When there is no such column, or it has no numbers above 0.
pub fn scaling(table: &ResultsTable, across: &str, up: &str) -> Result<Picture, PictureError> {
    let mut lines = lines(table, across, up)?;
    let (across_quantity, up_quantity) = (
        Quantity::of(across, lines.values().flatten().map(|pair| pair.across)),
        Quantity::of(up, lines.values().flatten().map(|pair| pair.up)),
    );
    for pair in lines.values_mut().flatten() {
        *pair = DataPoint { across: pair.across / across_quantity.unit, up: pair.up / up_quantity.unit };
    }
    let all = || lines.values().flatten();
    let around = |quantity: &Quantity, of: &dyn Fn(&DataPoint) -> f64| {
        let (from, to) = around(all().map(of));
        Axis { title: quantity.title.clone(), from, to, scale: Scale::Logarithmic, ticks: Ticks::Any }
    };
    let sign = |place: usize| Sign::Line { color: series(place), dashes: dashes(place) };
    let entries = lines.keys().enumerate().map(|(place, (_, name))| (name.clone(), sign(place)));
    let legend = Legend::new(entries, 86.0, 940.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few rows")]
    let above = 58 + legend.extra_height() as u32;
    let (width, height) = (960.0, 520.0 + legend.extra_height());
    let margins = Margins { left: 70, below: 42, right: 20, above };
    let x = around(&across_quantity, &|pair| pair.across);
    let y = around(&up_quantity, &|pair| pair.up);
    let axes = Axes::draw(width, height, margins, x, y)?;
    let caption = format!("{} over {}", up_quantity.name, across_quantity.name);
    let description = format!("{caption}, one line an embedding; both axes grow by equal factors.");
    let mut sheet = Sheet::new(width, height, &caption, &description);
    sheet.caption(&caption);
    legend.draw(&mut sheet, 46.0);
    sheet.embed(axes.svg.clone());
    for (place, ((_, name), pairs)) in lines.iter().enumerate() {
        let title = |pair: &DataPoint| {
            format!("{name}: {} at {}", up_quantity.text(pair.up), across_quantity.text(pair.across))
        };
        draw_line(&mut sheet, &axes, pairs, place, title);
    }
    Ok(sheet.finish())
}

/// What an axis counts.
struct Quantity {
    name: String,
    /// The name with the unit, where it is not in the name.
    title: String,
    /// The column's numbers in one of the axis.
    unit: f64,
    is_seconds: bool,
}

impl Quantity {
    /// The quantity of a column: seconds in the unit that suits the greatest.
    fn of(column: &str, values: impl Iterator<Item = f64>) -> Self {
        const UNITS: [(f64, &str); 5] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")];
        let name = column.replace('_', " ");
        if Definition::find(column).is_none_or(|definition| definition.unit != "seconds") {
            return Self { title: name.clone(), name, unit: 1.0, is_seconds: false };
        }
        let greatest = values.fold(0.0, f64::max);
        let (unit, unit_name) = UNITS.into_iter().find(|(unit, _)| greatest >= *unit).unwrap_or(UNITS[4]);
        let name = name.trim_end_matches(" seconds").to_owned();
        Self { title: format!("{name} [{unit_name}]"), name, unit, is_seconds: true }
    }

    /// A value of the axis, as titles say it.
    fn text(&self, value: f64) -> String {
        if self.is_seconds { engineering_seconds(value * self.unit) } else { number(value) }
    }
}

/// The ends of a logarithmic axis with room around these values.
pub(crate) fn around(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, greatest) =
        values.fold((f64::MAX, 0.0_f64), |(least, greatest), value| (least.min(value), greatest.max(value)));
    (least / 1.15, greatest * 1.15)
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DataPoint {
    pub(crate) across: f64,
    pub(crate) up: f64,
}

/// The lines by the order in which they occur and their names.
type Lines = BTreeMap<(usize, String), Vec<DataPoint>>;

fn lines(table: &ResultsTable, across: &str, up: &str) -> Result<Lines, PictureError> {
    let column = |name: &str| {
        let problem = || format!("is none of the results', expected one of {}", table.numbers().join(", "));
        table.column(name).ok_or_else(|| wrong(name, problem()))
    };
    let (xs, ys, names) = (column(across)?, column(up)?, names(table));
    for (name, values) in [(across, &xs), (up, &ys)] {
        let is_outside = |value: &&f64| **value > 0.0 && !AXIS.contains(*value);
        if let Some(found) = values.iter().flatten().find(is_outside) {
            return Err(wrong(name, format!("has {found:e}, expected numbers from 1e-100 to 1e100")));
        }
    }
    let mut lines = Lines::new();
    let mut order: Vec<String> = vec![];
    for ((x, y), name) in xs.iter().zip(&ys).zip(names) {
        let above_zero = |value: &Option<f64>| value.filter(|value| *value > 0.0);
        let (Some(across), Some(up)) = (above_zero(x), above_zero(y)) else { continue };
        let place = order.iter().position(|known| *known == name).unwrap_or_else(|| {
            order.push(name.clone());
            order.len() - 1
        });
        lines.entry((place, name)).or_default().push(DataPoint { across, up });
    }
    if lines.is_empty() {
        let (name, values) =
            if xs.iter().flatten().any(|value| *value > 0.0) { (up, ys) } else { (across, xs) };
        let least = values.iter().flatten().copied().reduce(f64::max);
        let found = least.map_or("no numbers".to_owned(), |greatest| format!("no number above {greatest}"));
        return Err(wrong(name, format!("has {found}, expected numbers above 0")));
    }
    for pairs in lines.values_mut() {
        *pairs = means(pairs);
    }
    Ok(lines)
}

fn wrong(column: &str, problem: String) -> PictureError {
    PictureError::Column { column: column.to_owned(), problem }
}

/// The names of the rows' lines: the embedding, and the algorithm and execution mode where there are
/// several.
fn names(table: &ResultsTable) -> Vec<String> {
    let embeddings = table.words("embedding").unwrap_or_default();
    let others = ["program_algorithm", "execution_mode"].map(|name| {
        let words = table.words(name).unwrap_or_default();
        let several = words.windows(2).any(|pair| pair[0] != pair[1]);
        if several { words } else { vec![] }
    });
    let name = |(place, embedding): (usize, &&str)| {
        let others = others.iter().filter_map(|words| words.get(place).copied());
        let words: Vec<&str> =
            [*embedding].into_iter().chain(others).filter(|word| !word.is_empty()).collect();
        words.join(", ")
    };
    embeddings.iter().enumerate().map(name).collect()
}

/// One point for each value across, with the mean of its values upwards.
pub(crate) fn means(pairs: &[DataPoint]) -> Vec<DataPoint> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|one, other| one.across.total_cmp(&other.across));
    let mean = |group: &[DataPoint]| {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let up = group.iter().map(|pair| pair.up).sum::<f64>() / group.len() as f64;
        DataPoint { across: group[0].across, up }
    };
    sorted.chunk_by(|one, other| one.across.total_cmp(&other.across).is_eq()).map(mean).collect()
}

/// Lines of one colour differ in their dashes.
pub(crate) fn dashes(place: usize) -> &'static str {
    DASHES[(place + place / 8) % DASHES.len()]
}

/// Draws a line through points, with a dot and a title at each.
pub(crate) fn draw_line(
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
        sheet.dot(*point, series(place), &title(pair));
    }
}

/// A line through points, in SVG's words.
pub(crate) fn polyline(points: &[Point]) -> String {
    let steps: Vec<String> =
        points.iter().map(|point| format!("{} {}", rounded(point.x), rounded(point.y))).collect();
    format!("M{}", steps.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ResultsTable {
        // A folder for each call: tests with the same text run side by side.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        std::fs::write(&path, text).unwrap();
        ResultsTable::read(&path).unwrap()
    }

    const RESULTS: &str = "machine_shape,embedding,execution_mode,makespan_cycles,conflicts\n\
                           4x4,xor,asynchronous,10,\n8x8,xor,asynchronous,20,\n8x8,xor,asynchronous,30,\n\
                           4x4,gray,asynchronous,15,\n";

    #[test]
    fn a_line_an_embedding_with_means_of_equal_places() {
        let lines = lines(&table(RESULTS), "nodes", "makespan_cycles").unwrap();
        let pair = |across, up| DataPoint { across, up };
        let expected = [
            ((0, "xor".to_owned()), vec![pair(16.0, 10.0), pair(64.0, 25.0)]),
            ((1, "gray".to_owned()), vec![pair(16.0, 15.0)]),
        ];
        assert_eq!(lines, Lines::from(expected));
        let picture = scaling(&table(RESULTS), "nodes", "makespan_cycles").unwrap();
        assert!(picture.svg().contains("xor: 25 at 64"));
    }

    #[test]
    fn seconds_are_shown_in_the_unit_that_suits_them() {
        let results = "machine_shape,embedding,makespan_seconds\n4x4,xor,0.000012\n8x8,xor,0.00034\n";
        let picture = scaling(&table(results), "nodes", "makespan_seconds").unwrap();
        for text in ["makespan over nodes", "makespan [us]", "xor: 12.0 us at 16", "xor: 340 us at 64"] {
            assert!(picture.svg().contains(text), "{text}");
        }
    }

    #[test]
    fn numbers_that_no_axis_shows_are_refused() {
        for number in ["2e-308", "5e-324", "1.7e308"] {
            let table =
                table(&format!("machine_shape,embedding,makespan_cycles\n4x4,xor,{number}\n4x4,xor,1\n"));
            let refused = scaling(&table, "nodes", "makespan_cycles").unwrap_err().to_string();
            assert!(refused.ends_with(", expected numbers from 1e-100 to 1e100"), "{refused}");
        }
    }

    #[test]
    fn columns_that_are_not_there_or_empty_are_refused() {
        let refusal = |across| scaling(&table(RESULTS), across, "makespan_cycles").unwrap_err().to_string();
        assert_eq!(
            refusal("length"),
            "column \"length\" is none of the results', expected one of makespan_cycles, nodes"
        );
        assert_eq!(refusal("conflicts"), "column \"conflicts\" has no numbers, expected numbers above 0");
    }
}
