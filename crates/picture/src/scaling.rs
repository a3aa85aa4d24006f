//! Two columns of a sweep's results against each other, with a curve per embedding or per value of other columns.
//!
//! A curve has one value per position. Rows that would have to be averaged are refused, with the columns in which they
//! differ.

use cubefold_formats::input::{engineering_seconds, unit_of_seconds};
use cubefold_records::{Definition, grouped};

use crate::{
    axes::{Ticks, number},
    curve::{DataPoint, axis_around, curve_sheet, draw_curve, sign},
    error::PictureError,
    picture::Picture,
    results_table::ResultsTable,
};

/// The least and the greatest number on a logarithmic axis; beyond them its ends are not finite.
const AXIS: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// The columns to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScalingColumns<'names> {
    /// The column across, or `nodes`.
    pub across: &'names str,
    /// The column upwards.
    pub up: &'names str,
    /// The columns with a curve per value; empty for embeddings, algorithms and execution modes.
    pub by: &'names [String],
}

/// Draws one column against another on logarithmic axes, with a curve for each value of `by`. Rows without numbers
/// above 0 are left out. Curves that coincide are drawn once, with all their names.
///
/// # Errors
///
/// If a column is missing or has no numbers above 0, or if rows of one curve have the same value across and different
/// values upwards.
pub fn scaling(table: &ResultsTable, columns: ScalingColumns<'_>) -> Result<Picture, PictureError> {
    let mut curves = curves(table, columns)?;
    let (across_quantity, up_quantity) = (
        Quantity::of(columns.across, points(&curves).map(|pair| pair.across)),
        Quantity::of(columns.up, points(&curves).map(|pair| pair.up)),
    );
    for pair in curves.iter_mut().flat_map(|curve| &mut curve.points) {
        *pair = DataPoint { across: pair.across / across_quantity.unit, up: pair.up / up_quantity.unit };
    }
    let has_powers = !across_quantity.is_seconds && points(&curves).all(|pair| is_power_of_two(pair.across));
    let ticks = if has_powers { Ticks::Own } else { Ticks::Any };
    let entries = curves.iter().enumerate().map(|(place, curve)| (curve.name.clone(), sign(place)));
    let across = axis_around(across_quantity.title.clone(), points(&curves).map(|pair| pair.across), ticks);
    let up = axis_around(up_quantity.title.clone(), points(&curves).map(|pair| pair.up), Ticks::Any);
    let caption = format!("{} over {}", up_quantity.name, across_quantity.name);
    let what = if columns.by.is_empty() { "embedding".to_owned() } else { columns.by.join(" and ") };
    let description = format!("{caption}, one curve for each {what}; both axes grow by equal factors.");
    let (mut sheet, axes) = curve_sheet(&caption, &description, entries, across, up)?;
    if has_powers {
        axes.draw_powers_of_two(&mut sheet, points(&curves).map(|pair| pair.across), power_text);
    }
    for (place, curve) in curves.iter().enumerate() {
        let title = |pair: &DataPoint| {
            let (up, across) = (up_quantity.text(pair.up), across_quantity.text(pair.across));
            format!("{}: {up} at {across}", curve.name)
        };
        draw_curve(&mut sheet, &axes, &curve.points, place, title);
    }
    Ok(sheet.finish())
}

/// The text of a tick at a power of two: its digits if they are few.
fn power_text(value: f64) -> String {
    if value < 1e6 { value.to_string() } else { number(value) }
}

/// Whether a number is a power of two and at least 1.
fn is_power_of_two(value: f64) -> bool {
    value >= 1.0 && value.log2().fract() == 0.0 && value < 1e19
}

/// The quantity of an axis.
struct Quantity {
    name: String,
    /// The name, with the unit if the name lacks it.
    title: String,
    /// The number of column units in one unit of the axis.
    unit: f64,
    is_seconds: bool,
}

impl Quantity {
    /// The quantity of a column; seconds get the unit that suits the greatest value.
    fn of(column: &str, values: impl Iterator<Item = f64>) -> Self {
        let name = column.replace('_', " ");
        if Definition::find(column).is_none_or(|definition| definition.unit != "seconds") {
            return Self { title: name.clone(), name, unit: 1.0, is_seconds: false };
        }
        let (unit, unit_name) = unit_of_seconds(values.fold(0.0, f64::max));
        let name = name.trim_end_matches(" seconds").to_owned();
        Self { title: format!("{name} [{unit_name}]"), name, unit, is_seconds: true }
    }

    /// A value of the axis as titles show it.
    fn text(&self, value: f64) -> String {
        if self.is_seconds { engineering_seconds(value * self.unit) } else { number(value) }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Curve {
    name: String,
    /// Sorted by value across, each once.
    points: Vec<DataPoint>,
}

fn points(curves: &[Curve]) -> impl Iterator<Item = &DataPoint> {
    curves.iter().flat_map(|curve| &curve.points)
}

/// The point of a row of the results.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RowPoint {
    row: usize,
    at: DataPoint,
}

/// The curves in order of first occurrence; those that coincide are merged.
fn curves(table: &ResultsTable, columns: ScalingColumns<'_>) -> Result<Vec<Curve>, PictureError> {
    let names = names(table, columns.by)?;
    let points = row_points(table, columns)?;
    let mut curves: Vec<Curve> = vec![];
    for (name, rows) in grouped(points.into_iter().map(|point| (&names[point.row], point))) {
        let points = one_value_a_place(table, columns, name, rows)?;
        match curves.iter_mut().find(|curve| curve.points == points) {
            Some(curve) => curve.name = format!("{}; {name}", curve.name),
            None => curves.push(Curve { name: name.clone(), points }),
        }
    }
    Ok(curves)
}

/// The rows with both numbers above 0.
fn row_points(table: &ResultsTable, columns: ScalingColumns<'_>) -> Result<Vec<RowPoint>, PictureError> {
    let column = |name: &str| {
        let problem = || format!("is not in the results, expected one of {}", table.numbers().join(", "));
        table.column(name).ok_or_else(|| wrong(name, problem()))
    };
    let (xs, ys) = (column(columns.across)?, column(columns.up)?);
    for (name, values) in [(columns.across, &xs), (columns.up, &ys)] {
        let is_outside = |value: &&f64| **value > 0.0 && !AXIS.contains(*value);
        if let Some(found) = values.iter().flatten().find(is_outside) {
            return Err(wrong(name, format!("has {found:e}, expected numbers from 1e-100 to 1e100")));
        }
    }
    let above_zero = |value: &Option<f64>| value.filter(|value| *value > 0.0);
    let points = xs.iter().zip(&ys).enumerate().filter_map(|(row, (x, y))| {
        let at = DataPoint { across: above_zero(x)?, up: above_zero(y)? };
        Some(RowPoint { row, at })
    });
    let points: Vec<RowPoint> = points.collect();
    if points.is_empty() {
        let has_across = xs.iter().flatten().any(|value| *value > 0.0);
        let (name, values) = if has_across { (columns.up, ys) } else { (columns.across, xs) };
        let least = values.iter().flatten().copied().reduce(f64::max);
        let found = least.map_or("no numbers".to_owned(), |greatest| format!("no number above {greatest}"));
        return Err(wrong(name, format!("has {found}, expected numbers above 0")));
    }
    Ok(points)
}

/// The points of a curve; rows at one position must have one value.
fn one_value_a_place(
    table: &ResultsTable,
    columns: ScalingColumns<'_>,
    name: &str,
    mut rows: Vec<RowPoint>,
) -> Result<Vec<DataPoint>, PictureError> {
    rows.sort_by(|one, other| one.at.across.total_cmp(&other.at.across));
    let same_place = |one: &RowPoint, other: &RowPoint| one.at.across.total_cmp(&other.at.across).is_eq();
    let mut points = vec![];
    for group in rows.chunk_by(same_place) {
        let at = group[0].at;
        if group.iter().any(|point| point.at != at) {
            let places: Vec<usize> = group.iter().map(|point| point.row).collect();
            let mut varying = table.varying_settings(&places, columns.across);
            // The column of all swept keys repeats the others, if they are there.
            if varying.len() > 1 {
                varying.retain(|&(column, _)| column != "sweep");
            }
            return Err(PictureError::SeveralRows {
                rows: group.len(),
                place: format!("{} {}", columns.across, number(at.across)),
                curve: name.to_owned(),
                help: advice(&varying),
                varying: varying.iter().map(|(column, _)| (*column).to_owned()).collect(),
            });
        }
        points.push(at);
    }
    Ok(points)
}

/// Options that distinguish rows that differ in these columns.
fn advice(varying: &[(&str, &str)]) -> String {
    match varying {
        [] => "remove the rows that were run twice".to_owned(),
        [(column, value), ..] => {
            format!(
                "give each value a curve with --by {column}, or draw the rows of one with --where {column}={value}"
            )
        }
    }
}

fn wrong(column: &str, problem: String) -> PictureError {
    PictureError::Column { column: column.to_owned(), problem }
}

/// The names of the rows' curves: the values of these columns. Without columns: the embedding, and the algorithm and
/// execution mode if there are several.
fn names(table: &ResultsTable, by: &[String]) -> Result<Vec<String>, PictureError> {
    let mut parts = vec![];
    if by.is_empty() {
        parts.push((None, table.words("embedding").unwrap_or_default()));
        for name in ["program_algorithm", "execution_mode"] {
            let words = table.words(name).unwrap_or_default();
            if words.windows(2).any(|pair| pair[0] != pair[1]) {
                parts.push((None, words));
            }
        }
    }
    for column in by {
        parts.push((Some(column.replace('_', " ")), table.known_words(column)?));
    }
    let name = |row: usize| {
        let word = |(label, words): &(Option<String>, Vec<&str>)| {
            let word = words.get(row).copied().unwrap_or_default();
            match label {
                // A number is meaningless without the name of its column.
                Some(label) if word.parse::<f64>().is_ok() || ["true", "false", ""].contains(&word) => {
                    Some(format!("{label} {}", if word.is_empty() { "none" } else { word }))
                }
                _ => Some(word.to_owned()).filter(|word| !word.is_empty()),
            }
        };
        parts.iter().filter_map(word).collect::<Vec<_>>().join(", ")
    };
    Ok((0..table.row_count()).map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> ResultsTable {
        // A folder per call: tests with the same text run in parallel.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        std::fs::write(&path, text).unwrap();
        ResultsTable::read(&path, u64::MAX).unwrap()
    }

    fn columns<'a>(across: &'a str, up: &'a str, by: &'a [String]) -> ScalingColumns<'a> {
        ScalingColumns { across, up, by }
    }

    const MAKESPANS: ScalingColumns<'static> =
        ScalingColumns { across: "nodes", up: "makespan_cycles", by: &[] };

    const RESULTS: &str = "machine_shape,embedding,machine_links,makespan_cycles,conflicts\n\
                           4x4,xor,full-duplex,10,\n8x8,xor,full-duplex,20,\n8x8,xor,half-duplex,30,\n\
                           4x4,gray,full-duplex,15,\n";

    #[test]
    fn rows_at_one_place_of_a_curve_are_refused_with_what_they_differ_in() {
        let refused = scaling(&table(RESULTS), MAKESPANS).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "2 rows at nodes 64 of \"xor\" differ in machine_links, expected one row at a place of a curve"
        );
        assert_eq!(
            refused.help(),
            "give each value a curve with --by machine_links, or draw the rows of one with --where \
             machine_links=full-duplex"
        );
        let by = ["embedding".to_owned(), "machine_links".to_owned()];
        let picture = scaling(&table(RESULTS), columns("nodes", "makespan_cycles", &by)).unwrap();
        assert!(picture.svg().contains("xor, half-duplex: 30 at 64"));
        let part = table(RESULTS).with_values("machine_links", "full-duplex").unwrap();
        assert!(scaling(&part, MAKESPANS).unwrap().svg().contains("xor: 20 at 64"));
        // Of rows with few columns only that of all swept keys may differ.
        let swept =
            "machine_shape,embedding,sweep,makespan_cycles\n4x4,xor,units = 1,10\n4x4,xor,units = 2,20\n";
        let refused = scaling(&table(swept), MAKESPANS).unwrap_err();
        assert!(refused.help().starts_with("give each value a curve with --by sweep"), "{}", refused.help());
        // Rows with one value are accepted.
        scaling(&table(&RESULTS.replace(",30,", ",20,")), MAKESPANS).unwrap();
    }

    #[test]
    fn curves_that_coincide_share_one_label() {
        let results = table(
            &RESULTS
                .replace(",30,", ",20,")
                .replace("4x4,gray,full-duplex,15", "4x4,gray,full-duplex,10,\n8x8,gray,full-duplex,20"),
        );
        let found = curves(&results, MAKESPANS).unwrap();
        let pair = |across, up| DataPoint { across, up };
        let expected =
            Curve { name: "xor; gray".to_owned(), points: vec![pair(16.0, 10.0), pair(64.0, 20.0)] };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn ticks_are_powers_of_two_where_all_values_are() {
        let shown = |text: &str| scaling(&table(text), MAKESPANS).unwrap();
        let powers = shown("machine_shape,embedding,makespan_cycles\n4x4,xor,10\n8x8,xor,20\n16x16,xor,25\n");
        for tick in ["\n16\n", "\n32\n", "\n64\n", "\n256\n"] {
            assert!(powers.svg().contains(tick), "{tick}");
        }
        let others = shown("machine_shape,embedding,makespan_cycles\n4x4,xor,10\n9x9,xor,20\n16x16,xor,25\n");
        assert!(!others.svg().contains("\n128\n"));
    }

    #[test]
    fn seconds_are_shown_in_the_unit_that_suits_them() {
        let results = "machine_shape,embedding,makespan_seconds\n4x4,xor,0.000012\n8x8,xor,0.00034\n";
        let picture = scaling(&table(results), columns("nodes", "makespan_seconds", &[])).unwrap();
        for text in ["makespan over nodes", "makespan [us]", "xor: 12.0 us at 16", "xor: 340 us at 64"] {
            assert!(picture.svg().contains(text), "{text}");
        }
    }

    #[test]
    fn numbers_that_no_axis_shows_are_refused() {
        for number in ["2e-308", "5e-324", "1.7e308"] {
            let table =
                table(&format!("machine_shape,embedding,makespan_cycles\n4x4,xor,{number}\n4x4,xor,1\n"));
            let refused = scaling(&table, MAKESPANS).unwrap_err().to_string();
            assert!(refused.ends_with(", expected numbers from 1e-100 to 1e100"), "{refused}");
        }
    }

    #[test]
    fn columns_and_values_that_are_not_there_are_refused() {
        let refusal = |across| {
            scaling(&table(RESULTS), columns(across, "makespan_cycles", &[])).unwrap_err().to_string()
        };
        assert_eq!(
            refusal("length"),
            "column \"length\" is not in the results, expected one of makespan_cycles, nodes"
        );
        assert_eq!(refusal("conflicts"), "column \"conflicts\" has no numbers, expected numbers above 0");
        let by = ["lengths".to_owned()];
        let unknown = scaling(&table(RESULTS), columns("nodes", "makespan_cycles", &by)).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "column \"lengths\" is not in the results, expected one of machine_shape, embedding, machine_links, \
             makespan_cycles, conflicts"
        );
        let none = table(RESULTS).with_values("embedding", "tao").unwrap_err();
        assert_eq!(
            none.to_string(),
            "column \"embedding\" has no row with \"tao\", expected one of xor, gray"
        );
    }
}
