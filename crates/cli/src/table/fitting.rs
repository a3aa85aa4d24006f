//! Tables made narrow enough for a terminal.
//!
//! A table that is too wide first moves columns with one value into a sentence, then wraps long words, then leaves out
//! columns and says which. If that is not enough, as on a narrow terminal, it moves every column with one value into a
//! sentence, then wraps headers. Finally it has a line for each cell. Nothing is lost silently, and no number is ever cut.

use textwrap::{
    Options, WordSeparator, WordSplitter,
    core::{Word, display_width},
    wrap,
};

use super::TextTable;

/// Words up to this width stay whole while there are columns to leave out.
const LONG_WORD: usize = 20;
/// Words up to this width stay whole while there are important columns to leave out.
const SHORT_WORD: usize = 16;
/// The number of columns that are left out before words are wrapped.
const MIN_IMPORTANT: usize = 3;
/// The least width of wrapped words.
const MIN_WORD: usize = 8;

/// A table that fits, and sentences on the parts that it does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fitted {
    pub(super) table: TextTable,
    pub(super) layout: Layout,
    pub(super) notes: Vec<String>,
}

/// The arrangement of the cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// The cells of a row side by side.
    Columns,
    /// All cells below each other, since no row is narrow enough for the terminal.
    Lines,
}

/// The names of the hidden columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Hidden {
    alike: Vec<&'static str>, // columns with one value, moved into a sentence
    left_out: Vec<&'static str>,
}

impl TextTable {
    /// Tables that fit in `columns` columns of a terminal, as far as possible, with the same columns left out.
    pub(super) fn fit(tables: &[Self], columns: usize) -> Vec<Fitted> {
        Self::fit_to(tables, columns, &format!("{columns} columns"))
    }

    /// Tables that fit in `columns` columns, which sentences call `width`.
    pub(super) fn fit_to(tables: &[Self], columns: usize, width: &str) -> Vec<Fitted> {
        let mut hidden = Hidden::default();
        for table in tables {
            hidden = table.fit_with(columns, width, &hidden).1;
        }
        let fitted =
            |table: &Self| table.fit_with(columns, width, &hidden).0.or_narrower(table, columns, width);
        tables.iter().map(fitted).collect()
    }

    /// The table with at least these columns hidden, and all hidden columns.
    fn fit_with(&self, columns: usize, width: &str, hidden: &Hidden) -> (Fitted, Hidden) {
        let mut table = self.clone();
        let mut hidden = hidden.clone();
        let said = table.remove_alike_columns(columns, &mut hidden.alike);
        let whole = table.clone();
        table = table.without(&hidden.left_out);
        table.wrap_words(columns, LONG_WORD);
        hidden.left_out.extend(table.leave_out(columns, MIN_IMPORTANT));
        table.wrap_words(columns, SHORT_WORD);
        hidden.left_out.extend(table.leave_out(columns, self.gives_way.len()));
        table.wrap_words(columns, MIN_WORD);
        let mut notes = vec![];
        if !said.is_empty() {
            notes.push(format!("In every row: {}.", said.join(", ")));
        }
        let left_out: Vec<&str> =
            hidden.left_out.iter().copied().filter(|name| whole.place_of(name).is_some()).collect();
        if !left_out.is_empty() {
            notes.push(format!(
                "Left out, to fit {width}: {}. --format markdown shows all.",
                left_out.join(", ")
            ));
        }
        (Fitted { table, layout: Layout::Columns, notes }, hidden)
    }

    /// The table without the columns after the first that have one value in several rows, and those columns with their
    /// values.
    fn without_alike(&self) -> (Self, Vec<String>) {
        let (mut table, mut said) = (self.clone(), vec![]);
        for place in (1..self.header.len()).rev() {
            let is_alike = self.rows.windows(2).all(|pair| pair[0][place] == pair[1][place]);
            let is_mark = |place: usize| self.header.get(place).is_some_and(String::is_empty);
            if self.rows.len() > 1 && is_alike && !is_mark(place) && !is_mark(place + 1) {
                let value = &self.rows[0][place];
                said.extend(
                    (!value.is_empty()).then(|| format!("{} {value}", self.header[place].replace('\n', " "))),
                );
                table.words -= usize::from(place < table.words);
                table.remove(place);
            }
        }
        said.reverse();
        (table, said)
    }

    /// Wraps headers that are wider than their cells, the widest first, until the table fits.
    fn wrap_headers(&mut self, columns: usize) {
        while self.width() > columns {
            let room = |place: usize| {
                let word = self.header[place].split(' ').map(display_width).max().unwrap_or(0);
                self.column_width(place).saturating_sub(self.cells_width(place).max(word))
            };
            let Some(place) = (0..self.header.len()).max_by_key(|&place| room(place)) else { return };
            let (room, width) = (room(place), self.column_width(place));
            if room == 0 {
                return;
            }
            let enough = width - room.min(self.width() - columns);
            self.header[place] = wrapped_cell(&self.header[place].replace('\n', " "), enough).join("\n");
        }
    }

    fn width(&self) -> usize {
        let gaps = self.header.iter().skip(1).map(|header| if header.is_empty() { 1 } else { 2 });
        (0..self.header.len()).map(|place| self.column_width(place)).sum::<usize>() + gaps.sum::<usize>()
    }

    fn column_width(&self, place: usize) -> usize {
        self.cells_width(place).max(self.header[place].lines().map(display_width).max().unwrap_or(0))
    }

    fn cells_width(&self, place: usize) -> usize {
        self.rows.iter().map(|row| display_width(&row[place])).max().unwrap_or(0)
    }

    /// Removes columns with one value in all rows: the columns in `names`, and as many more as necessary to fit, which
    /// are added to `names`. Returns names and values.
    fn remove_alike_columns(&mut self, columns: usize, names: &mut Vec<&'static str>) -> Vec<String> {
        let mut said = vec![];
        for name in self.gives_way {
            let Some(place) = self.place_of(name) else { continue };
            if self.width() <= columns && !names.contains(name) {
                continue;
            }
            let alike = self.rows.windows(2).all(|pair| pair[0][place] == pair[1][place]);
            if let Some(value) = self.rows.first().map(|row| row[place].clone()).filter(|_| alike) {
                said.extend((!value.is_empty()).then(|| format!("{name} {value}")));
                self.remove(place);
                if !names.contains(name) {
                    names.push(name);
                }
            }
        }
        said
    }

    /// Removes the least important columns until the table fits, but at most `most`. Returns their names.
    fn leave_out(&mut self, columns: usize, most: usize) -> Vec<&'static str> {
        let whole = self.clone();
        let mut left_out: Vec<&str> = vec![];
        for name in self.gives_way.iter().take(most) {
            if self.width() > columns && self.place_of(name).is_some() {
                left_out.push(name);
                *self = whole.without(&left_out);
            }
        }
        // After a wide column is removed, a narrower one that was removed before may fit again.
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
        // A unit may be in the line below.
        self.header.iter().position(|header| header.lines().next() == Some(name))
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

    /// The table with its words wrapped to these widths, over several rows if necessary.
    fn wrapped(&self, widths: &[usize]) -> Self {
        let rows = self.rows.iter().flat_map(|row| wrapped_row(row, widths)).collect();
        Self { rows, ..self.clone() }
    }
}

impl Fitted {
    /// This table if it fits, else `whole` in a narrower arrangement.
    fn or_narrower(self, whole: &TextTable, columns: usize, width: &str) -> Self {
        if self.table.width() <= columns {
            return self;
        }
        let (table, said) = whole.without_alike();
        let note = (!said.is_empty()).then(|| format!("In every row: {}.", said.join(", ")));
        let mut narrower = table.fit_with(columns, width, &Hidden::default()).0;
        narrower.table.wrap_headers(columns);
        if narrower.table.width() > columns {
            narrower = Self { table, layout: Layout::Lines, notes: vec![] };
        }
        Self { notes: note.into_iter().chain(narrower.notes).collect(), ..narrower }
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

/// Words of a cell: they end with spaces, and names of orders and files also with slashes.
fn words(cell: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    Box::new(cell.split_inclusive([' ', '/']).map(Word::from))
}

fn wrapped_cell(cell: &str, width: usize) -> Vec<String> {
    let options = Options::new(width)
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::HyphenSplitter);
    wrap(cell, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_at_slashes() {
        assert_eq!(
            wrapped_cell("axes:0=1:2x2:4/1=1:4x2:4/folded", 18),
            ["axes:0=1:2x2:4/", "1=1:4x2:4/folded"]
        );
    }

    fn table(header: &[&str], rows: &[&[&str]]) -> TextTable {
        let texts = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        TextTable {
            caption: None,
            header: texts(header),
            rows: rows.iter().map(|row| texts(row)).collect(),
            words: 1,
            gives_way: &["queue", "waiting"],
        }
    }

    fn fit(table: &TextTable, columns: usize) -> Fitted {
        TextTable::fit(std::slice::from_ref(table), columns).remove(0)
    }

    #[test]
    fn tables_below_each_other_leave_out_the_same_columns() {
        let header = ["embedding", "makespan", "waiting", "queue"];
        let wide = table(&header, &[&["byweight", "16", "123456", "1"], &["gray", "17", "0", "2"]]);
        let narrow = table(&header, &[&["xor", "16", "1", "1"], &["gray", "17", "0", "2"]]);
        let fitted = TextTable::fit(&[narrow.clone(), wide, narrow.clone()], 33);
        let note = "Left out, to fit 33 columns: queue. --format markdown shows all.";
        for fitted in fitted {
            assert_eq!(fitted.table.header, ["embedding", "makespan", "waiting"]);
            assert_eq!(fitted.notes, [note]);
        }
        assert_eq!(fit(&narrow, 35).table, narrow);
    }

    #[test]
    fn a_table_that_fits_is_left_as_it_is() {
        let narrow = table(&["embedding", "makespan", "queue"], &[&["xor", "16", "0"]]);
        let whole = Fitted { table: narrow.clone(), layout: Layout::Columns, notes: vec![] };
        assert_eq!(fit(&narrow, 26), whole);
    }

    #[test]
    fn what_is_alike_is_said_before_anything_is_left_out() {
        let wide = table(
            &["embedding", "makespan", "waiting", "queue"],
            &[&["xor", "16", "0", "1"], &["gray", "17", "0", "2"]],
        );
        let fitted = fit(&wide, 28);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "queue"]);
        assert_eq!(fitted.notes, ["In every row: waiting 0."]);
    }

    #[test]
    fn the_least_important_columns_are_left_out_and_named() {
        let wide = table(
            &["embedding", "makespan", "waiting", "queue"],
            &[&["xor", "16", "0", "1"], &["gray", "17", "3", "2"]],
        );
        let fitted = fit(&wide, 30);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "waiting"]);
        assert_eq!(fitted.notes, ["Left out, to fit 30 columns: queue. --format markdown shows all."]);
    }

    #[test]
    fn a_narrow_column_comes_back_where_a_wide_one_had_to_go() {
        let wide = table(
            &["embedding", "makespan", "queue", "waiting"],
            &[&["xor", "16", "0", "123456789012345678901234567890"], &["gray", "17", "3", "2"]],
        );
        let fitted = fit(&wide, 30);
        assert_eq!(fitted.table.header, ["embedding", "makespan", "queue"]);
        assert_eq!(fitted.notes, ["Left out, to fit 30 columns: waiting. --format markdown shows all."]);
    }

    #[test]
    fn long_words_go_on_in_the_rows_below() {
        let long = table(&["embedding", "makespan"], &[&["tao:square-lowering-folded", "16"]]);
        let fitted = fit(&long, 32);
        assert_eq!(fitted.table.rows, [["tao:square-lowering-", "16"], ["folded", ""]]);
        assert_eq!(fitted.notes, Vec::<String>::new());
    }

    #[test]
    fn a_name_without_end_is_wrapped_in_any_place() {
        let name = "x".repeat(300);
        let fitted = fit(&table(&["embedding", "makespan"], &[&[&name, "16"]]), 40);
        assert_eq!(fitted.table.width(), 40);
        assert_eq!(fitted.table.rows.iter().map(|row| row[0].as_str()).collect::<String>(), name);
    }

    #[test]
    fn on_a_narrow_terminal_every_column_that_is_alike_is_said_first() {
        let rows: &[&[&str]] = &[&["ring", "standard", "16"], &["swing", "standard", "17"]];
        let wide = TextTable { words: 2, ..table(&["algorithm", "embedding", "makespan"], rows) };
        let fitted = fit(&wide, 20);
        assert_eq!((fitted.table.width(), fitted.table.words), (19, 1));
        assert_eq!(fitted.table.header, ["algorithm", "makespan"]);
        assert_eq!(
            (fitted.layout, &fitted.notes[..]),
            (Layout::Columns, &["In every row: embedding standard.".to_owned()][..])
        );
    }

    #[test]
    fn then_headers_go_on_in_lines_below_and_then_cells_stand_below_each_other() {
        let wide = table(&["run", "busy for all", "steps bound"], &[&["a", "1", "234"], &["b", "2", "345"]]);
        assert_eq!(wide.width(), 3 + 2 + 12 + 2 + 11);
        let fitted = fit(&wide, 22);
        assert_eq!(fitted.table.header, ["run", "busy\nfor\nall", "steps bound"]);
        assert_eq!((fitted.layout, fitted.table.width()), (Layout::Columns, 22));
        let fitted = fit(&wide, 15);
        assert_eq!((fitted.layout, fitted.table), (Layout::Lines, wide));
    }
}
