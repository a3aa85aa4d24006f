//! Headings, tables and notes, as plain text, Markdown or LaTeX.

use std::fmt::Write;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle, presets};
use cubefold_formats::input::printable;
use cubefold_records::{Definition, SingleRunTable, is_heading};
use textwrap::{Options, WordSeparator, core::display_width, fill};

use super::{
    fitting::{Fitted, Layout},
    latex,
};

/// The escape sequences that switch the colour of a marked row on and off: bold and green.
const MARKED: [&str; 2] = ["\u{1b}[1;32m", "\u{1b}[0m"];

/// The colouring of marked rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Paint {
    /// Marks only.
    #[default]
    Plain,
    /// Colours too, if the page is text.
    Colored,
}

/// The style of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// For a terminal with this many columns.
    Text { columns: usize },
    /// For a page in Markdown.
    Markdown,
    /// For a paper in LaTeX, with tables of at most this width.
    Latex { points: usize },
}

impl Style {
    /// The text above all pages of a document.
    pub(crate) fn preamble(self) -> &'static str {
        match self {
            Self::Text { .. } | Self::Markdown => "",
            Self::Latex { .. } => latex::PREAMBLE,
        }
    }
}

/// The output of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Page {
    blocks: Vec<Block>,
    paint: Paint,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Heading(String),
    Caption(String),
    Settings(Vec<(&'static str, String)>),
    Tables(Vec<TextTable>),
    Notes(Vec<String>),
}

/// Rows of text under a header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TextTable {
    /// The caption, if there are several tables.
    pub(crate) caption: Option<String>,
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The number of leading columns with words; the others have numbers.
    pub(crate) words: usize,
    /// The headers of columns that are left out if the table is too wide, the least important first.
    pub(crate) gives_way: &'static [&'static str],
}

impl Page {
    /// An empty page.
    pub(crate) fn new(paint: Paint) -> Self {
        Self { blocks: vec![], paint }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(printable(text).into_owned()));
    }

    /// Adds a page below a heading.
    pub(crate) fn caption(&mut self, text: &str) {
        self.blocks.push(Block::Caption(printable(text).into_owned()));
    }

    /// Named settings, one a line.
    pub(crate) fn settings(&mut self, settings: Vec<(&'static str, String)>) {
        let shown = |(name, value): (&'static str, String)| (name, printable(&value).into_owned());
        self.blocks.push(Block::Settings(settings.into_iter().map(shown).collect()));
    }

    pub(crate) fn table(&mut self, table: TextTable) {
        self.tables(&[table]);
    }

    /// Tables below each other that leave out the same columns if they are too wide.
    pub(crate) fn tables(&mut self, tables: &[TextTable]) {
        self.blocks.push(Block::Tables(tables.iter().map(TextTable::printable).collect()));
    }

    /// Sentences, each on its own lines; nothing if there are none.
    pub(crate) fn notes(&mut self, notes: Vec<String>) {
        if !notes.is_empty() {
            let shown = notes.into_iter().map(|note| printable(&note).into_owned());
            self.blocks.push(Block::Notes(shown.collect()));
        }
    }

    /// The page with these columns of its tables, in this order; tables without any of them are left out.
    ///
    /// # Errors
    ///
    /// The first name in no table, and the existing names.
    pub(crate) fn with_columns(self, names: &[String]) -> Result<Self, (String, Vec<String>)> {
        let tables = || {
            let of_block = |block: &'_ Block| match block {
                Block::Tables(tables) => tables.clone(),
                Block::Heading(_) | Block::Caption(_) | Block::Settings(_) | Block::Notes(_) => vec![],
            };
            self.blocks.iter().flat_map(of_block)
        };
        let (found, absent): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| tables().any(|table| table.place_named(name).is_some()));
        // A column of which no row has a value is left out of tables.
        let is_wrong = |name: &&&String| found.is_empty() || !is_heading(name);
        if let Some(&unknown) = absent.iter().find(is_wrong) {
            let mut known: Vec<String> = vec![];
            for header in tables().flat_map(|table| table.header) {
                if !header.is_empty() && !known.contains(&header) {
                    known.push(header);
                }
            }
            return Err((unknown.clone(), known));
        }
        // A table of which only the names of its rows are chosen says nothing beside one with more.
        let is_more = |table: &TextTable| table.header.len() > table.words;
        let is_any_more = tables().filter_map(|table| table.with_columns(names)).any(|table| is_more(&table));
        let with_columns =
            |table: &TextTable| table.with_columns(names).filter(|table| is_more(table) || !is_any_more);
        let chosen = |block| match block {
            Block::Tables(tables) => Block::Tables(tables.iter().filter_map(with_columns).collect()),
            other => other,
        };
        let blocks = self.blocks.into_iter().map(chosen);
        let blocks =
            blocks.filter(|block| !matches!(block, Block::Tables(tables) if tables.is_empty())).collect();
        let mut page = Self { blocks, paint: self.paint };
        if !absent.is_empty() {
            let absent: Vec<&str> = absent.into_iter().map(String::as_str).collect();
            page.notes(vec![format!("No row has a value of {}.", absent.join(", "))]);
        }
        Ok(page)
    }

    /// Whether the page is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The page in a style.
    pub(crate) fn written(&self, style: Style) -> String {
        match style {
            Style::Text { columns } => self.text(columns),
            Style::Markdown => self.markdown(),
            Style::Latex { points } => self.latex(points),
        }
    }

    /// For a terminal with this many columns.
    pub(crate) fn text(&self, columns: usize) -> String {
        let mut text = String::new();
        for block in &self.blocks {
            if !text.is_empty() && !matches!(block, Block::Settings(_)) {
                text.push('\n');
            }
            text += &block.text(columns, self.paint);
        }
        text
    }

    /// For a page in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(Block::markdown).collect();
        blocks.join("\n")
    }

    /// For a paper in LaTeX, without its preamble.
    fn latex(&self, points: usize) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(|block| block.latex(points)).collect();
        blocks.join("\n")
    }
}

impl Block {
    fn text(&self, columns: usize, paint: Paint) -> String {
        match self {
            Self::Heading(text) | Self::Caption(text) => lines([fill(text, columns)]),
            Self::Settings(settings) => {
                let width = settings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                let indent = " ".repeat(width + 4);
                lines(settings.iter().map(|(name, value)| {
                    let options = Options::new(columns).subsequent_indent(&indent);
                    fill(
                        &format!("  {name:width$}  {value}"),
                        options.word_separator(WordSeparator::AsciiSpace),
                    )
                }))
            }
            Self::Tables(tables) => {
                let text = |Fitted { table, layout, notes }| {
                    let caption = table.caption.iter().map(|caption| fill(caption, columns));
                    let notes = Self::Notes(notes).text(columns, paint);
                    let cells = match layout {
                        Layout::Columns => table.painted(paint),
                        Layout::Lines => table.listed(columns, paint),
                    };
                    format!("{}{cells}{notes}", lines(caption))
                };
                TextTable::fit(tables, columns).into_iter().map(text).collect::<Vec<_>>().join("\n")
            }
            Self::Notes(notes) => {
                let options = Options::new(columns).word_separator(WordSeparator::AsciiSpace);
                lines(notes.iter().map(|note| fill(note, &options)))
            }
        }
    }

    fn markdown(&self) -> String {
        match self {
            Self::Heading(text) => format!("## {text}\n"),
            Self::Caption(text) => format!("### {text}\n"),
            Self::Settings(settings) => {
                lines(settings.iter().map(|(name, value)| format!("- {name}: {value}")))
            }
            Self::Tables(tables) => {
                let text = |table: &TextTable| {
                    let caption = table.caption.iter().map(|caption| format!("### {caption}\n"));
                    format!("{}{}", lines(caption), lines(table.draw(presets::ASCII_MARKDOWN, 1)))
                };
                tables.iter().map(text).collect::<Vec<_>>().join("\n")
            }
            Self::Notes(notes) => lines(notes.iter().map(|note| format!("- {note}"))),
        }
    }

    fn latex(&self, points: usize) -> String {
        match self {
            Self::Heading(text) => latex::command("subsection*", text),
            Self::Caption(text) => latex::command("subsubsection*", text),
            Self::Settings(settings) => {
                latex::list(settings.iter().map(|(name, value)| format!("{name}: {value}")))
            }
            Self::Tables(tables) => {
                let room = latex::Room::of(tables, points);
                let text = |(table, notes): (TextTable, Vec<String>)| {
                    format!("{}{}{}", latex::begin(&table, room), latex::rows(&table), latex::end(notes))
                };
                latex::fitted(tables, points, room).into_iter().map(text).collect::<Vec<_>>().join("\n")
            }
            Self::Notes(notes) => latex::list(notes.iter().cloned()),
        }
    }
}

/// A line under the header, and space between the columns.
const PLAIN: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

fn lines(lines: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    lines.into_iter().fold(String::new(), |mut text, line| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
        text
    })
}

/// The lines of a table without the last `below`, and without those above its rows unless they are requested.
fn part_of(mut drawn: Vec<String>, below: usize, (above, with_header): (usize, bool)) -> String {
    drawn.truncate(drawn.len().saturating_sub(below));
    lines(drawn.into_iter().skip(if with_header { 0 } else { above }))
}

impl From<SingleRunTable> for TextTable {
    /// The table without a caption.
    fn from(table: SingleRunTable) -> Self {
        Self {
            words: table.columns.iter().take_while(|column| column.has_words).count(),
            header: table.columns.iter().map(|column| column.title.to_owned()).collect(),
            rows: table.rows,
            ..Self::default()
        }
    }
}

impl TextTable {
    /// The place of the column with this name, which is its header or its name in files.
    fn place_named(&self, name: &str) -> Option<usize> {
        let headed = |is_it: &dyn Fn(&str) -> bool| {
            self.header.iter().position(|header| !header.is_empty() && is_it(header))
        };
        let title = Definition::find(name).map(|definition| definition.title);
        let is_alike = |header: &str| {
            Some(header) == title || (name == "ratio_to_reference" && header.starts_with("vs "))
        };
        // First the header itself: that of one column may be the title of another, such as `busiest link`.
        headed(&|header| header == name).or_else(|| headed(&is_alike))
    }

    /// The table with these columns, in this order, and the marks after them; `None` if it has none.
    fn with_columns(&self, names: &[String]) -> Option<Self> {
        let chosen = names.iter().filter_map(|name| self.place_named(name));
        // A mark, which has no header, follows its column.
        let is_mark = |place: usize| self.header.get(place).is_some_and(String::is_empty);
        let with_mark = |place: usize| std::iter::once(place).chain(is_mark(place + 1).then_some(place + 1));
        let places: Vec<usize> = chosen.flat_map(with_mark).collect();
        let of = |cells: &Vec<String>| places.iter().map(|&place| cells[place].clone()).collect();
        let words = places.iter().take_while(|&&place| place < self.words).count();
        let rows = self.rows.iter().map(of).collect();
        let header = of(&self.header);
        (!places.is_empty()).then(|| Self {
            caption: self.caption.clone(),
            header,
            rows,
            words,
            gives_way: &[],
        })
    }

    /// The table without control characters.
    fn printable(&self) -> Self {
        let cells = |row: &Vec<String>| row.iter().map(|cell| printable(cell).into_owned()).collect();
        let caption = self.caption.as_ref().map(|caption| printable(caption).into_owned());
        let rows = self.rows.iter().map(cells).collect();
        Self { caption, header: cells(&self.header), rows, ..self.clone() }
    }

    /// The table as text, its marked rows painted.
    fn painted(&self, paint: Paint) -> String {
        let above_rows = self.lines_above();
        let painted = |(place, line): (usize, String)| {
            let row = place.checked_sub(above_rows).and_then(|row| self.rows.get(row));
            self.colored(row, line, paint)
        };
        lines(self.draw(PLAIN, 0).into_iter().enumerate().map(painted))
    }

    /// A line of a row, painted if the row is marked.
    fn colored(&self, row: Option<&Vec<String>>, line: String, paint: Paint) -> String {
        let [on, off] = MARKED;
        match paint {
            Paint::Colored if row.is_some_and(|row| self.is_marked(row)) => format!("{on}{line}{off}"),
            Paint::Colored | Paint::Plain => line,
        }
    }

    /// The rows below each other, with a line for each nonempty cell.
    fn listed(&self, columns: usize, paint: Paint) -> String {
        let names = self.header.iter().map(|header| display_width(header)).max().unwrap_or(0);
        // If names leave too little room beside them, cells continue below them.
        let indent = if names + 2 <= columns / 2 { names + 2 } else { 2 };
        let line = |(name, cell): (&String, &String)| {
            let indent = " ".repeat(indent);
            let options = Options::new(columns).subsequent_indent(&indent);
            let pad = " ".repeat(names.saturating_sub(display_width(name)) + 2);
            let pad = if indent.len() > 2 { pad } else { " ".to_owned() };
            fill(&format!("{name}{pad}{cell}"), options.word_separator(WordSeparator::AsciiSpace))
        };
        let row = |row: &Vec<String>| {
            // A mark, which has no header, follows the cell before it.
            let mut cells: Vec<(&String, String)> = vec![];
            for (name, cell) in self.header.iter().zip(row) {
                match cells.last_mut().filter(|_| name.is_empty()) {
                    Some((_, before)) if !cell.is_empty() => *before = format!("{before} {cell}"),
                    Some(_) => {}
                    None => cells.push((name, cell.clone())),
                }
            }
            let cells = cells.iter().filter(|(_, cell)| !cell.is_empty());
            let text: Vec<String> = cells.map(|(name, cell)| line((name, cell))).collect();
            lines(text.join("\n").lines().map(|line| self.colored(Some(row), line.to_owned(), paint)))
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    /// The table as a separate page.
    pub(super) fn page_text(&self, style: Style) -> String {
        Page { blocks: vec![Block::Tables(vec![self.clone()])], paint: Paint::Plain }.written(style)
    }

    /// The rows as a part of a larger table, laid out together with a `sample` of its rows, at least two, with or without
    /// the header.
    pub(super) fn text_beside(&self, sample: &Self, style: Style, with_header: bool) -> String {
        let both = Self { rows: self.rows.iter().chain(&sample.rows).cloned().collect(), ..self.clone() };
        let columns = match style {
            Style::Text { columns } => columns,
            Style::Markdown => {
                return part_of(both.draw(presets::ASCII_MARKDOWN, 1), sample.rows.len(), (2, with_header));
            }
            Style::Latex { points } => {
                // The sample decides: it is small and has all determining cells.
                let sample = std::slice::from_ref(sample);
                let room = latex::Room::of(sample, points);
                let of_sample = latex::fitted(sample, points, room).remove(0).0.rows.len();
                let mut table = latex::fitted(&[both], points, room).remove(0).0;
                table.rows.truncate(table.rows.len() - of_sample);
                let begin = if with_header { latex::begin(&table, room) } else { String::new() };
                return format!("{begin}{}", latex::rows(&table));
            }
        };
        let mut fitted = Self::fit(&[both], columns).remove(0);
        let of_sample = Self::fit(std::slice::from_ref(sample), columns).remove(0).table.rows.len();
        match fitted.layout {
            Layout::Columns => {
                part_of(fitted.table.draw(PLAIN, 0), of_sample, (fitted.table.lines_above(), with_header))
            }
            Layout::Lines => {
                fitted.table.rows.truncate(fitted.table.rows.len() - of_sample);
                let between = if with_header { "" } else { "\n" };
                format!("{between}{}", fitted.table.listed(columns, Paint::Plain))
            }
        }
    }

    /// The sentences below the table, or its end.
    pub(super) fn notes_text(&self, style: Style) -> String {
        match style {
            Style::Text { columns } => {
                let notes = Self::fit(std::slice::from_ref(self), columns).remove(0).notes;
                Block::Notes(notes).text(columns, Paint::Plain)
            }
            Style::Markdown => String::new(),
            Style::Latex { points } => {
                let tables = std::slice::from_ref(self);
                latex::end(latex::fitted(tables, points, latex::Room::of(tables, points)).remove(0).1)
            }
        }
    }

    /// The lines above the rows: the header, and the rule below it.
    fn lines_above(&self) -> usize {
        self.header.iter().map(|header| header.lines().count()).max().unwrap_or(1).max(1) + 1
    }

    /// Whether there is a mark in the row: in the column without a header.
    fn is_marked(&self, row: &[String]) -> bool {
        self.header.iter().zip(row).any(|(header, cell)| header.is_empty() && !cell.is_empty())
    }

    fn draw(&self, style: TableStyle, edge: u16) -> Vec<String> {
        let mut table = Table::new();
        table.load_style(style).set_header(self.header.iter().map(String::as_str));
        for row in &self.rows {
            table.add_row(row.iter().map(String::as_str));
        }
        for (place, column) in table.column_iter_mut().enumerate() {
            // A mark is close to the marked cell.
            let close = place == 0 || self.header[place].is_empty();
            column.set_padding((if close { edge } else { 1 }, edge));
            if place >= self.words {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}
