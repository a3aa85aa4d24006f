//! Tables with more rows than are held at a time, drawn block by block with the same text as if drawn at once.
//!
//! The layout of a table depends on the widths of the cells of each column, where they may wrap, and whether they are
//! alike. So a few rows with all of these properties are drawn with each block and removed from the output.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cubefold_formats::input::printable;

use super::{TextTable, latex::text_width, page::Style};

/// The number of rows that are drawn at a time.
const BLOCK: usize = 1 << 12;

/// A table whose rows are made on demand.
#[derive(Debug)]
pub(crate) struct LongTable<R> {
    /// As of a [`TextTable`].
    pub(crate) header: Vec<String>,
    /// As of a [`TextTable`].
    pub(crate) words: usize,
    /// Makes all rows.
    pub(crate) rows: R,
}

impl<R: Fn() -> I, I: Iterator<Item = io::Result<Vec<String>>>> LongTable<R> {
    /// Writes the table like a [`TextTable`] with these rows.
    pub(crate) fn write(&self, output: &mut impl Write, style: Style) -> io::Result<()> {
        let block = self.block((self.rows)().take(BLOCK + 1))?;
        if block.rows.len() <= BLOCK {
            return output.write_all(block.page_text(style).as_bytes());
        }
        drop(block);
        self.write_blocks(output, style, BLOCK)
    }

    fn write_blocks(&self, output: &mut impl Write, style: Style, rows_a_block: usize) -> io::Result<()> {
        let mut forms = Forms::new(self.header.len());
        for row in (self.rows)() {
            forms.add(row?);
        }
        let sample = TextTable { rows: forms.rows(), ..self.block(std::iter::empty())? };
        // Avoids drawing many forms again for a few rows each time.
        let rows_a_block = rows_a_block.max(sample.rows.len());
        let (mut rows, mut is_first) = ((self.rows)().peekable(), true);
        while rows.peek().is_some() {
            let block = self.block(rows.by_ref().take(rows_a_block))?;
            let text = block.text_beside(&sample, style, is_first);
            output.write_all(text.as_bytes())?;
            is_first = false;
        }
        output.write_all(sample.notes_text(style).as_bytes())
    }

    fn block(&self, rows: impl Iterator<Item = io::Result<Vec<String>>>) -> io::Result<TextTable> {
        let shown = |row: Vec<String>| row.iter().map(|cell| printable(cell).into_owned()).collect();
        let rows = rows.map(|row| row.map(shown)).collect::<io::Result<_>>()?;
        Ok(TextTable { header: self.header.clone(), words: self.words, rows, ..TextTable::default() })
    }
}

/// The cells of each column that decide the layout of a table: one of each form, one that differs from the
/// first, and the widest in LaTeX.
#[derive(Debug)]
struct Forms {
    columns: Vec<ColumnForms>,
}

#[derive(Debug, Default)]
struct ColumnForms {
    first: Option<String>,
    unlike: Option<String>,
    widest: Option<String>, // in LaTeX, whose letters differ in width
    by_form: BTreeMap<String, String>,
}

impl Forms {
    fn new(columns: usize) -> Self {
        Self { columns: (0..columns).map(|_| ColumnForms::default()).collect() }
    }

    fn add(&mut self, row: Vec<String>) {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.add(printable(&cell).into_owned());
        }
    }

    /// Rows with all of these cells, at least two: a single row has its own layout rules.
    fn rows(&self) -> Vec<Vec<String>> {
        let columns: Vec<Vec<&String>> = self.columns.iter().map(ColumnForms::cells).collect();
        let count = columns.iter().map(Vec::len).max().unwrap_or(0).max(2);
        let cell = |cells: &Vec<&String>, place: usize| {
            cells.get(place).or_else(|| cells.first()).map_or_else(String::new, |cell| (*cell).clone())
        };
        (0..count).map(|place| columns.iter().map(|cells| cell(cells, place)).collect()).collect()
    }
}

impl ColumnForms {
    fn add(&mut self, cell: String) {
        let first = self.first.get_or_insert_with(|| cell.clone());
        if self.unlike.is_none() && *first != cell {
            self.unlike = Some(cell.clone());
        }
        if self.widest.as_ref().is_none_or(|widest| text_width(widest) < text_width(&cell)) {
            self.widest = Some(cell.clone());
        }
        let form = form(&cell);
        self.by_form.entry(form).or_insert(cell);
    }

    fn cells(&self) -> Vec<&String> {
        self.first.iter().chain(&self.unlike).chain(&self.widest).chain(self.by_form.values()).collect()
    }
}

/// The form of a cell: its width and the places where it may wrap.
fn form(cell: &str) -> String {
    cell.chars().map(|letter| if letter.is_ascii_alphanumeric() { 'a' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::TestRunner};

    use super::*;

    fn text(table: &TextTable, style: Style) -> String {
        table.page_text(style)
    }

    fn blocks(table: &TextTable, style: Style, rows_a_block: usize) -> String {
        let rows = || table.rows.iter().cloned().map(Ok);
        let long = LongTable { header: table.header.clone(), words: table.words, rows };
        let mut written = vec![];
        long.write_blocks(&mut written, style, rows_a_block).unwrap();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn blocks_have_the_text_of_the_whole() {
        check_blocks(64);
    }

    #[test]
    #[ignore = "long"]
    fn blocks_of_many_tables_have_the_text_of_the_whole() {
        check_blocks(256);
    }

    fn check_blocks(cases: u32) {
        let row = ["[0-9]{1,9}", "[a-c]{0,3}([ -][a-z]{1,12}){0,3}", "[aé-]{1,9}", "7|7|8"];
        let header = ["[a-z]{1,6}", "[a-z]{1,9} [a-z]{1,9}", "[a-z]{1,3}", "[a-z]{1,9}"];
        let rows = proptest::collection::vec(row, 2..40);
        let tables = (rows, header, 0_usize..=4, 20_usize..70, 1_usize..9);
        TestRunner::new(ProptestConfig::with_cases(cases))
            .run(&tables, |(rows, header, words, columns, rows_a_block)| {
                let rows: Vec<Vec<String>> = rows.into_iter().map(|row| row.to_vec()).collect();
                let table = TextTable { header: header.to_vec(), words, rows, ..TextTable::default() };
                for style in [Style::Text { columns }, Style::Markdown, Style::Latex { points: 345 }] {
                    prop_assert_eq!(blocks(&table, style, rows_a_block), text(&table, style));
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn many_rows_are_written_in_blocks() {
        let rows: Vec<Vec<String>> =
            (0..3 * BLOCK + 5).map(|row| vec![row.to_string(), (row % 7).to_string()]).collect();
        let table =
            TextTable { header: vec!["run".into(), "seed".into()], words: 1, rows, ..TextTable::default() };
        let long =
            LongTable { header: table.header.clone(), words: 1, rows: || table.rows.iter().cloned().map(Ok) };
        for style in [Style::Text { columns: 80 }, Style::Markdown, Style::Latex { points: 345 }] {
            let mut written = vec![];
            long.write(&mut written, style).unwrap();
            assert!(String::from_utf8(written).unwrap() == text(&table, style));
        }
    }
}
