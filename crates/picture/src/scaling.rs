//! Two columns of a sweep's results against each other, one line an embedding.

use std::collections::BTreeMap;

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks},
    error::PictureError,
    legend::{Legend, Sign},
    palette::series,
    picture::Picture,
    results_file::ResultsTable,
    sheet::{Point, Sheet, rounded},
};

/// Lines that lie on each other are told apart by their dashes.
const DASHES: [&str; 4] = ["none", "8 3", "3 3", "9 3 2 3"];

/// Draws one column against another, both by equal factors, one line an embedding (and execution mode, where there
/// are two). `nodes` is a column, too. Rows without numbers above 0 are left out; of several rows with the same
/// value across the line shows the mean.
///
/// # Errors
///
/// When there is no such column, or it has no numbers above 0.
pub fn scaling(table: &ResultsTable, across: &str, up: &str) -> Result<Picture, PictureError> {
    let lines = lines(table, across, up)?;
    let all = || lines.values().flatten();
    let around = |title: &str, of: &dyn Fn(&Pair) -> f64| {
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
    let above = 58 + legend.more() as u32;
    let (width, height) = (960.0, 520.0 + legend.more());
    let margins = Margins { left: 70, below: 42, right: 20, above };
    let (x, y) = (around(across, &|pair| pair.across), around(up, &|pair| pair.up));
    let axes = Axes::draw(width, height, margins, x, y)?;
    let caption = format!("{} over {}", up.replace('_', " "), across.replace('_', " "));
    let description = format!("{caption}, one line an embedding; both axes grow by equal factors.");
    let mut sheet = Sheet::new(width, height, &caption, &description);
    sheet.caption(&caption);
    legend.draw(&mut sheet, 46.0);
    sheet.drawn(axes.svg.clone());
    for (place, ((_, name), pairs)) in lines.iter().enumerate() {
        draw_line(&mut sheet, &axes, name, pairs, place);
    }
    Ok(sheet.finish())
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pair {
    across: f64,
    up: f64,
}

/// The lines by the order in which they occur and their names.
type Lines = BTreeMap<(usize, String), Vec<Pair>>;

fn lines(table: &ResultsTable, across: &str, up: &str) -> Result<Lines, PictureError> {
    let column = |name: &str| {
        let problem = || format!("is none of the results', expected one of {}", table.numbers().join(", "));
        table.column(name).ok_or_else(|| wrong(name, problem()))
    };
    let (xs, ys, names) = (column(across)?, column(up)?, names(table));
    let mut lines = Lines::new();
    let mut order: Vec<String> = vec![];
    for ((x, y), name) in xs.iter().zip(&ys).zip(names) {
        let above_zero = |value: &Option<f64>| value.filter(|value| *value > 0.0);
        let (Some(across), Some(up)) = (above_zero(x), above_zero(y)) else { continue };
        let place = order.iter().position(|known| *known == name).unwrap_or_else(|| {
            order.push(name.clone());
            order.len() - 1
        });
        lines.entry((place, name)).or_default().push(Pair { across, up });
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

/// What the rows' lines are called: the embedding, and the execution mode where there are several.
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

/// One point for each value across, with the mean of what stands there.
fn means(pairs: &[Pair]) -> Vec<Pair> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|one, other| one.across.total_cmp(&other.across));
    let mean = |group: &[Pair]| {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let up = group.iter().map(|pair| pair.up).sum::<f64>() / group.len() as f64;
        Pair { across: group[0].across, up }
    };
    sorted.chunk_by(|one, other| one.across.total_cmp(&other.across).is_eq()).map(mean).collect()
}

/// Lines of one colour differ in their dashes.
fn dashes(place: usize) -> &'static str {
    DASHES[(place + place / 8) % DASHES.len()]
}

fn draw_line(sheet: &mut Sheet, axes: &Axes, name: &str, pairs: &[Pair], place: usize) {
    let points: Vec<Point> = pairs.iter().map(|pair| axes.point(pair.across, pair.up)).collect();
    let steps: Vec<String> =
        points.iter().map(|point| format!("{} {}", rounded(point.x), rounded(point.y))).collect();
    let properties = [("stroke", series(place)), ("stroke-width", "2"), ("stroke-dasharray", dashes(place))];
    sheet.path(&format!("M{}", steps.join("L")), &properties, "");
    for (point, pair) in points.iter().zip(pairs) {
        let says =
            format!("{name}: {} at {}", crate::axes::number(pair.up), crate::axes::number(pair.across));
        sheet.dot(*point, series(place), &says);
    }
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
        let pair = |across, up| Pair { across, up };
        let expected = [
            ((0, "xor".to_owned()), vec![pair(16.0, 10.0), pair(64.0, 25.0)]),
            ((1, "gray".to_owned()), vec![pair(16.0, 15.0)]),
        ];
        assert_eq!(lines, Lines::from(expected));
        let picture = scaling(&table(RESULTS), "nodes", "makespan_cycles").unwrap();
        assert!(picture.svg().contains("xor: 25 at 64"));
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
