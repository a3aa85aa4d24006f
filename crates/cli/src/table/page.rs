//! Headings, tables and notes, as plain text or Markdown.

use std::fmt::Write;

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle, presets};
use textwrap::{Options, WordSeparator, fill};

/// What settings and notes are wrapped to.
const COLUMNS: usize = 80;

/// What a command shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Page {
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Heading(String),
    Caption(String),
    Settings(Vec<(&'static str, String)>),
    Table(TextTable),
    Notes(Vec<String>),
}

/// Rows of text under a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextTable {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    /// How many columns from the left hold words; the others hold numbers.
    pub(crate) words: usize,
}

impl Page {
    pub(crate) fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(printable(text)));
    }

    /// What the table that follows holds.
    pub(crate) fn caption(&mut self, text: &str) {
        self.blocks.push(Block::Caption(printable(text)));
    }

    /// Named settings, one a line.
    pub(crate) fn settings(&mut self, settings: Vec<(&'static str, String)>) {
        self.blocks.push(Block::Settings(settings));
    }

    pub(crate) fn table(&mut self, table: TextTable) {
        self.blocks.push(Block::Table(table));
    }

    /// Sentences, each on lines of its own; nothing when there are none.
    pub(crate) fn notes(&mut self, notes: Vec<String>) {
        if !notes.is_empty() {
            self.blocks.push(Block::Notes(notes));
        }
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut apart = false; // whether an empty line comes before the next block
        for block in &self.blocks {
            if apart && !matches!(block, Block::Settings(_)) {
                text.push('\n');
            }
            text += &block.text();
            apart = !matches!(block, Block::Caption(_));
        }
        text
    }

    /// For a page in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(Block::markdown).collect();
        blocks.join("\n")
    }
}

impl Block {
    fn text(&self) -> String {
        match self {
            Self::Heading(text) | Self::Caption(text) => format!("{text}\n"),
            Self::Settings(settings) => {
                let width = settings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                let indent = " ".repeat(width + 4);
                lines(settings.iter().map(|(name, value)| {
                    let options = Options::new(COLUMNS).subsequent_indent(&indent);
                    fill(
                        &format!("  {name:width$}  {value}"),
                        options.word_separator(WordSeparator::AsciiSpace),
                    )
                }))
            }
            Self::Table(table) => table.draw(PLAIN, 0),
            Self::Notes(notes) => lines(
                notes
                    .iter()
                    .map(|note| fill(note, Options::new(COLUMNS).word_separator(WordSeparator::AsciiSpace))),
            ),
        }
    }

    fn markdown(&self) -> String {
        match self {
            Self::Heading(text) => format!("## {text}\n"),
            Self::Caption(text) => format!("### {text}\n"),
            Self::Settings(settings) => {
                lines(settings.iter().map(|(name, value)| format!("- {name}: {value}")))
            }
            Self::Table(table) => table.draw(presets::ASCII_MARKDOWN, 1),
            Self::Notes(notes) => lines(notes.iter().map(|note| format!("- {note}"))),
        }
    }
}

/// A line under the header, and space between the columns.
const PLAIN: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// A text without control characters, which a name may hold and a terminal would obey.
fn printable(text: &str) -> String {
    let shown = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().map(shown).collect()
}

fn lines(lines: impl Iterator<Item = impl std::fmt::Display>) -> String {
    lines.fold(String::new(), |mut text, line| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
        text
    })
}

impl TextTable {
    fn draw(&self, style: TableStyle, edge: u16) -> String {
        let mut table = Table::new();
        table.load_style(style).set_header(self.header.iter().map(String::as_str));
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| printable(cell)));
        }
        for (place, column) in table.column_iter_mut().enumerate() {
            column.set_padding((if place == 0 { edge } else { 1 }, edge));
            if place >= self.words {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        lines(table.lines().map(|line| line.trim_end().to_owned()))
    }
}
