//! The table of the runs of a page, in parts that fit a window of 1280 pixels and A4 paper.
//!
//! A part has the names of the runs and some of the columns, in order. All parts are sorted together, so their rows are
//! in one order.

use maud::{Markup, html};

use super::{
    column::{Column, ReportedRun},
    contest::{fastest, ratios_in_words},
};

/// The width of a part \[characters\]: with the font sizes of the style sheet it fits into 1200 pixels of a screen, and
/// between the margins of A4.
const MAX_WIDTH: usize = 145;

/// The space around a cell \[characters\].
const PADDING: usize = 2;

/// The least and the greatest width of a name \[characters\]; longer names wrap.
const NAME_WIDTHS: [usize; 2] = [13, 33];

/// The table of runs, with their common values above it. Each header sorts, and beside it is the link to its
/// definition.
pub(super) fn runs_table(runs: &[ReportedRun<'_>], columns: &[Column]) -> Markup {
    let fastest = fastest(runs);
    let (common, varying): (Vec<&Column>, Vec<&Column>) =
        columns.iter().partition(|column| column.common().is_some());
    let parts = parts(name_width(runs), &varying);
    let label = |place: usize| match parts.len() {
        1 => "Table of runs".to_owned(),
        all => format!("Table of runs, part {} of {all}", place + 1),
    };
    html! {
        section #runs {
            h2 { "Runs" }
            p.caption #about-runs {
                "Press a header to sort; ? leads to the definition of a column." (ratios_in_words(runs))
            }
            @if !common.is_empty() {
                p.caption { "The same in all rows: " (in_every_row(&common)) "." }
            }
            @for (place, part) in parts.iter().enumerate() {
                div.scroll tabindex="0" role="region" aria-label=(label(place)) {
                    table aria-describedby="about-runs" {
                        thead { (header(part)) }
                        tbody {
                            @for (place, run) in runs.iter().enumerate() {
                                (row(place, run, fastest[place], part))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn header(columns: &[&Column]) -> Markup {
    html! {
        tr {
            th scope="col" aria-sort="none" { button type="button" { "run" } }
            @for column in columns {
                th scope="col" aria-sort="none" {
                    button type="button" { (column.title) }
                    @if column.definition.is_some() {
                        " " a href={ "#term-" (column.name) } aria-label={ "what " (column.title) " means" } { "?" }
                    }
                }
            }
        }
    }
}

fn row(place: usize, run: &ReportedRun<'_>, is_fastest: bool, columns: &[&Column]) -> Markup {
    html! {
        tr data-place=(place) {
            th scope="row" {
                (run.name)
                @if is_fastest { " " span.mark-best title="fewest cycles" { "*" } }
            }
            @for column in columns {
                @let cell = &column.cells[place];
                td data-value=(cell) { (cell) }
            }
        }
    }
}

/// The columns with the same value in every row, each with that value.
fn in_every_row(columns: &[&Column]) -> Markup {
    html! {
        @for (place, column) in columns.iter().enumerate() {
            @if place > 0 { ", " }
            @if column.definition.is_some() {
                a href={ "#term-" (column.name) } { (column.title) }
            } @else {
                (column.title)
            }
            " " (column.common().unwrap_or_default())
        }
    }
}

/// The columns of each part, as many as fit beside the names; at least one part.
fn parts<'column>(name_width: usize, columns: &[&'column Column]) -> Vec<Vec<&'column Column>> {
    let (mut parts, mut part, mut width) = (vec![], vec![], name_width);
    for &column in columns {
        let of_column = column_width(column);
        if width + of_column > MAX_WIDTH && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
            width = name_width;
        }
        width += of_column;
        part.push(column);
    }
    parts.push(part);
    parts
}

/// The least width of the names of runs, which are wrapped between words.
fn name_width(runs: &[ReportedRun<'_>]) -> usize {
    let words = runs.iter().flat_map(|run| run.name.split_whitespace());
    let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
    let [least, greatest] = NAME_WIDTHS;
    longest.clamp(least, greatest) + PADDING
}

/// The least width of a column: its longest cell, or the longest word of its header, whose letters are bold.
fn column_width(column: &Column) -> usize {
    let cell = column.cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    let word = column.title.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
    cell.max(word + word.div_ceil(8) + 1) + PADDING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(title: &'static str, cell: &str) -> Column {
        Column { name: title, title, definition: None, cells: vec![cell.to_owned()] }
    }

    #[test]
    fn columns_go_on_in_a_part_of_their_own_where_they_are_too_wide() {
        // 20 characters of a name, and 20 columns of 4 + 2.
        let narrow: Vec<Column> = (0..30).map(|_| column("a", "1234")).collect();
        let narrow: Vec<&Column> = narrow.iter().collect();
        let lengths: Vec<usize> = parts(20, &narrow).iter().map(Vec::len).collect();
        assert_eq!(lengths, [20, 10]);
        let wide = [column("a", &"1".repeat(200)), column("b", "1"), column("c", "1")];
        let wide: Vec<&Column> = wide.iter().collect();
        let lengths: Vec<usize> = parts(20, &wide).iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2]);
        assert_eq!(parts(20, &[]).len(), 1);
    }

    #[test]
    fn a_column_is_as_wide_as_its_longest_cell_or_the_longest_word_of_its_header() {
        assert_eq!(column_width(&column("lower bound", "12")), 7 + PADDING);
        assert_eq!(column_width(&column("lower bound", "1234567890")), 10 + PADDING);
    }
}
