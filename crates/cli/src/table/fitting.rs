//! Tables made narrow enough for a terminal.
//!
//! A table that is too wide first says what is the same in all rows in a sentence, then wraps long words, then leaves
//! out columns, and says which. Nothing is lost silently, and no number is ever cut.

use textwrap::{Options, WordSeparator, WordSplitter, core::display_width, wrap};

use super::TextTable;

/// Words up to this width are left whole as long as there are columns to leave out.
const LONG_WORD: usize = 20;
/// Words up to this width are left whole as long as there are important columns to leave out.
const SHORT_WORD: usize = 16;
/// The number of columns that give way before words are wrapped.
const MIN_IMPORTANT: usize = 3;
/// Words are never wrapped to less.
const MIN_WORD: usize = 8;

/// A table that fits, and sentences on what it does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fitted {
    pub(super) table: TextTable,
    pub(super) notes: Vec<String>,
}

impl TextTable {
    /// The table in `columns` columns of a terminal, as far as that can be done.
    pub(super) fn fit(&self, columns: usize) -> Fitted {
        let mut table = self.clone();
        let said = table.say_what_is_alike(columns);
        table.wrap_words(columns, LONG_WORD);
        let mut left_out = table.leave_out(columns, MIN_IMPORTANT);
        table.wrap_words(columns, SHORT_WORD);
        left_out.extend(table.leave_out(columns, self.gives_way.len()));
        table.wrap_words(columns, MIN_WORD);
        let mut notes = vec![];
        if !said.is_empty() {
            notes.push(format!("In every row: {}.", said.join(", ")));
        }
        if !left_out.is_empty() {
            notes.push(format!(
                "Left out, to fit {columns} columns: {}. --format markdown or csv shows all.",
                left_out.join(", ")
            ));
        }
        Fitted { table, notes }
    }

    fn width(&self) -> usize {
        let gaps = self.header.iter().skip(1).map(|header| if header.is_empty() { 1 } else { 2 });
        (0..self.header.len()).map(|place| self.column_width(place)).sum::<usize>() + gaps.sum::<usize>()
    }

    fn column_width(&self, place: usize) -> usize {
        let cells = self.rows.iter().map(|row| display_width(&row[place]));
        cells.chain([display_width(&self.header[place])]).max().unwrap_or(0)
    }

    /// Takes out columns that have one value in all rows, as many as it takes to fit; gives their names and values.
    fn say_what_is_alike(&mut self, columns: usize) -> Vec<String> {
        let mut said = vec![];
        for name in self.gives_way {
            let Some(place) = self.place_of(name).filter(|_| self.width() > columns) else { continue };
            let alike = self.rows.windows(2).all(|pair| pair[0][place] == pair[1][place]);
            if let Some(value) = self.rows.first().map(|row| row[place].clone()).filter(|_| alike) {
                said.push(format!("{name} {value}"));
                self.remove(place);
            }
        }
        said
    }

    /// Takes out the least important columns, as many as it takes to fit, but at most `most`; gives their names.
    fn leave_out(&mut self, columns: usize, most: usize) -> Vec<&'static str> {
        let whole = self.clone();
        let mut left_out: Vec<&str> = vec![];
        for name in self.gives_way.iter().take(most) {
            if self.width() > columns && self.place_of(name).is_some() {
                left_out.push(name);
                *self = whole.without(&left_out);
            }
        }
        // Where a wide column had to go, a narrower one that went before it may have room again.
        for name in left_out.clone().into_iter().rev() {
            let fewer: Vec<&str> = left_out.iter().copied().filter(|other| *other != name).collect();
            let wider = whole.without(&fewer);
            if wider.width() <= columns {
                (*self, left_out) = (wider, fewer);
            }
        }
        left_out
    }

    /// The table without the columns of these names.
    fn without(&self, names: &[&str]) -> Self {
        let mut table = self.clone();
        for name in names {
            if let Some(place) = table.place_of(name) {
                table.remove(place);
            }
        }
        table
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|header| header == name)
    }

    fn remove(&mut self, place: usize) {
        self.header.remove(place);
        for row in &mut self.rows {
            row.remove(place);
        }
    }

    /// Wraps the widest words, though not to less than `least` and their headers, until the table fits.
    fn wrap_words(&mut self, columns: usize, least: usize) {
        let mut too_wide = self.width().saturating_sub(columns);
        if too_wide == 0 {
            return;
        }
        let mut widths: Vec<usize> = (0..self.words).map(|place| self.column_width(place)).collect();
        let wrappable =
            |widths: &[usize], place: usize| widths[place] > least.max(display_width(&self.header[place]));
        while too_wide > 0 {
            let places = (0..widths.len()).filter(|&place| wrappable(&widths, place));
            let Some(widest) = places.max_by_key(|&place| widths[place]) else { break };
            widths[widest] -= 1;
            too_wide -= 1;
        }
        *self = self.wrapped(&widths);
    }

    /// The table with its words wrapped to these widths, over as many rows as that takes.
    fn wrapped(&self, widths: &[usize]) -> Self {
        let rows = self.rows.iter().flat_map(|row| wrapped_row(row, widths)).collect();
        let header = self.header.clone();
        Self { header, rows, words: self.words, gives_way: self.gives_way }
    }
}

fn wrapped_row(row: &[String], widths: &[usize]) -> Vec<Vec<String>> {
    let lines: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(cell, width)| wrapped_cell(cell, *width)).collect();
    let height = lines.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let row_at = |at: usize| {
        let words = lines.iter().map(|lines| lines.get(at).cloned().unwrap_or_default());
        let numbers = row.iter().skip(widths.len());
        words.chain(numbers.map(|cell| if at == 0 { cell.clone() } else { String::new() })).collect()
    };
    (0..height).map(row_at).collect()
}

fn wrapped_cell(cell: &str, width: usize) -> Vec<String> {
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::HyphenSplitter);
    wrap(cell, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(header: &[&str], rows: &[&[&str]]) -> TextTable {
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        TextTable {
            header: texts(header),
            rows: rows.iter().map(|row| texts(row)).collect(),
            words: 1,
            gives_way: &["queue", "waiting"],
        }
    }

    #[test]
    fn a_table_that_fits_is_left_as_it_is() {
        let narrow = table(&["embedding", "makespan", "queue"], &[&["xor", "16", "0"]]);
        assert_eq!(narrow.fit(26), Fitted { table: narrow.clone(), notes: vec![] });
    }

    #[test]
    fn what_is_alike_is_said_before_anything_is_left_out() {
        let wide = table(
            &["embedding", "makespan", "waiting", "queue"],
            &[&["xor", "16", "0", "1"], &["gray", "17", "0", "2"]],
        );
        let fitted = wide.fit(28);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "queue"]);
        assert_eq!(fitted.notes, ["In every row: waiting 0."]);
    }

    #[test]
    fn the_least_important_columns_are_left_out_and_named() {
        let wide = table(
            &["embedding", "makespan", "waiting", "queue"],
            &[&["xor", "16", "0", "1"], &["gray", "17", "3", "2"]],
        );
        let fitted = wide.fit(30);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "waiting"]);
        assert_eq!(fitted.notes, ["Left out, to fit 30 columns: queue. --format markdown or csv shows all."]);
    }

    #[test]
    fn a_narrow_column_comes_back_where_a_wide_one_had_to_go() {
        let wide = table(
            &["embedding", "makespan", "queue", "waiting"],
            &[&["xor", "16", "0", "123456789012345678901234567890"], &["gray", "17", "3", "2"]],
        );
        let fitted = wide.fit(30);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "queue"]);
        assert_eq!(
            fitted.notes,
            ["Left out, to fit 30 columns: waiting. --format markdown or csv shows all."]
        );
    }

    #[test]
    fn long_words_go_on_in_the_rows_below() {
        let long = table(&["embedding", "makespan"], &[&["tao:square-lowering-folded", "16"]]);
        let fitted = long.fit(32);
        assert_eq!(fitted.table.rows, [["tao:square-lowering-", "16"], ["folded", ""]]);
        assert_eq!(fitted.notes, Vec::<String>::new());
    }

    #[test]
    fn a_name_without_end_is_wrapped_in_any_place() {
        let name = "x".repeat(300);
        let fitted = table(&["embedding", "makespan"], &[&[&name, "16"]]).fit(40);
        assert_eq!(fitted.table.width(), 40);
        assert_eq!(fitted.table.rows.iter().map(|row| row[0].as_str()).collect::<String>(), name);
    }
}
