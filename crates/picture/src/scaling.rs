//! Two columns of a sweep's results against each other, one line an embedding; and the results,
//! read from a file.

use std::{collections::BTreeMap, path::Path};

use cubefold_experiment::export::read_flat;

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks},
    error::PictureError,
    legend::{Legend, Sign},
    palette::series,
    picture::Picture,
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
    let lines = lines(table, across, up)?;
    let all = || lines.values().flatten();
    let around = |title: &str, of: &dyn Fn(&DataPoint) -> f64| {
        let (least, greatest) = all()
            .map(of)
            .fold((f64::MAX, 0.0_f64), |(least, greatest), value| (least.min(value), greatest.max(value)));
        let (from, to) = (least / 1.15, greatest * 1.15);
        Axis { title: title.replace('_', " "), from, to, scale: Scale::Logarithmic, ticks: Ticks::Any }
    };
    let sign = |place: usize| Sign::Line { color: series(place), dashes: dashes(place) };
    let entries = lines.keys().enumerate().map(|(place, (_, name))| (name.clone(), sign(place)));
    let legend = Legend::new(entries, 86.0, 940.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few rows")]
    let above = 58 + legend.extra_height() as u32;
    let (width, height) = (960.0, 520.0 + legend.extra_height());
    let margins = Margins { left: 70, below: 42, right: 20, above };
    let (x, y) = (around(across, &|pair| pair.across), around(up, &|pair| pair.up));
    let axes = Axes::draw(width, height, margins, x, y)?;
    let caption = format!("{} over {}", up.replace('_', " "), across.replace('_', " "));
    let description = format!("{caption}, one line an embedding; both axes grow by equal factors.");
    let mut sheet = Sheet::new(width, height, &caption, &description);
    sheet.caption(&caption);
    legend.draw(&mut sheet, 46.0);
    sheet.embed(axes.svg.clone());
    for (place, ((_, name), pairs)) in lines.iter().enumerate() {
        draw_line(&mut sheet, &axes, name, pairs, place);
    }
    Ok(sheet.finish())
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DataPoint {
    across: f64,
    up: f64,
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

/// The names of the rows' lines: the embedding, and the execution mode where there are several.
fn names(table: &ResultsTable) -> Vec<String> {
    let embeddings = table.words("embedding").unwrap_or_default();
    let modes = table.words("execution_mode").unwrap_or_default();
    let several = modes.windows(2).any(|pair| pair[0] != pair[1]);
    let name = |(place, embedding): (usize, &&str)| match modes.get(place) {
        Some(mode) if several => format!("{embedding}, {mode}"),
        _ => (*embedding).to_owned(),
    };
    embeddings.iter().enumerate().map(name).collect()
}

/// One point for each value across, with the mean of its values upwards.
fn means(pairs: &[DataPoint]) -> Vec<DataPoint> {
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
fn dashes(place: usize) -> &'static str {
    DASHES[(place + place / 8) % DASHES.len()]
}

fn draw_line(sheet: &mut Sheet, axes: &Axes, name: &str, pairs: &[DataPoint], place: usize) {
    let points: Vec<Point> = pairs.iter().map(|pair| axes.point(pair.across, pair.up)).collect();
    let steps: Vec<String> =
        points.iter().map(|point| format!("{} {}", rounded(point.x), rounded(point.y))).collect();
    let properties = [("stroke", series(place)), ("stroke-width", "2"), ("stroke-dasharray", dashes(place))];
    sheet.path(&format!("M{}", steps.join("L")), &properties, "");
    for (point, pair) in points.iter().zip(pairs) {
        let title =
            format!("{name}: {} at {}", crate::axes::number(pair.up), crate::axes::number(pair.across));
        sheet.dot(*point, series(place), &title);
    }
}

/// The rows of a results file, as CSV holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultsTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl ResultsTable {
    /// Reads what `cubefold run --output` wrote: `.csv`, `.json`, `.jsonl` or `.parquet`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is none of these, or holds no run.
    pub fn read(path: &Path) -> Result<Self, PictureError> {
        let (columns, rows) =
            read_flat(path).map_err(|reason| PictureError::Results { reason: reason.to_string() })?;
        if rows.is_empty() {
            return Err(PictureError::Results { reason: format!("{} holds no run", path.display()) });
        }
        Ok(Self { columns, rows })
    }

    /// The names of the columns that have numbers in some row.
    fn numbers(&self) -> Vec<&str> {
        let is_number = |place: usize| self.rows.iter().any(|row| parse(row, place).is_some());
        let columns = self.columns.iter().enumerate().filter(|(place, _)| is_number(*place));
        columns.map(|(_, name)| name.as_str()).chain(["nodes"]).collect()
    }

    /// The numbers of a column, row by row; of `nodes` the products of the machines' lengths.
    fn column(&self, name: &str) -> Option<Vec<Option<f64>>> {
        if name == "nodes" {
            let place = self.place("machine_shape")?;
            return Some(self.rows.iter().map(|row| node_count(row.get(place)?)).collect());
        }
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| parse(row, place)).collect())
    }

    /// The words of a column, row by row.
    fn words(&self, name: &str) -> Option<Vec<&str>> {
        let place = self.place(name)?;
        Some(self.rows.iter().map(|row| row.get(place).map_or("", String::as_str)).collect())
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

fn parse(row: &[String], place: usize) -> Option<f64> {
    row.get(place)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number of nodes of a shape as it is written, `8x8` for instance.
fn node_count(shape: &str) -> Option<f64> {
    shape.split('x').map(|length| length.parse::<f64>().ok()).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ResultsTable {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("cubefold-scaling-{}-{}.csv", std::process::id(), text.len()));
        std::fs::write(&path, text).unwrap();
        let table = ResultsTable::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        table
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
