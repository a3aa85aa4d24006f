//! Rows of placement files, kept small, and their text when it is needed after all.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use crate::scenario::{
    scenario_error::ScenarioError,
    source_file::{Place, SourceFile},
};

/// The most bytes of a row that an error shows.
const MAX_SHOWN: u64 = 4096;

/// A row that is right by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) process: ProcessId,
    pub(super) node: NodeId,
    pub(super) start: u64, // byte of the file at or before which it begins, only line ends between
}

/// Fetches the text of rows for errors.
#[derive(Debug)]
pub(super) struct RowTexts<'a> {
    path: &'a Path,
}

impl<'a> RowTexts<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self { path }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The error at a field of the row that begins at a byte, or at the whole row.
    pub(super) fn wrong(&self, start: u64, field: Option<usize>, message: &str) -> ScenarioError {
        // The file has been read before; if it is gone by now the error still names it.
        match self.fetch(start) {
            Ok((text, lines_before)) => {
                let span = field.and_then(|field| field_span(&text, field)).unwrap_or(0..text.len());
                let source = SourceFile::excerpt(self.path, text, lines_before);
                ScenarioError::at(&Place::new(&source, span), message, "here")
            }
            Err(_) => ScenarioError::of_file(self.path, message),
        }
    }

    /// The line of the first text after a byte, and how many lines precede it.
    fn fetch(&self, start: u64) -> io::Result<(String, usize)> {
        let mut file = File::open(self.path)?;
        let mut lines_before = count_lines(&mut (&mut file).take(start))?;
        file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::new(file).take(MAX_SHOWN);
        loop {
            let mut line = vec![];
            if reader.read_until(b'\n', &mut line)? == 0 {
                return Ok((String::new(), lines_before));
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.is_empty() {
                return Ok((text.to_owned(), lines_before));
            }
            lines_before += 1;
        }
    }
}

fn count_lines(reader: &mut impl Read) -> io::Result<usize> {
    let mut reader = BufReader::new(reader);
    let mut lines = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(lines);
        }
        lines += buffer.split(|&byte| byte == b'\n').count() - 1;
        let length = buffer.len();
        reader.consume(length);
    }
}

/// Where a field stands in a row without quotes.
fn field_span(row: &str, field: usize) -> Option<Range<usize>> {
    if row.contains('"') {
        return None;
    }
    let mut start = 0;
    for (index, text) in row.split(',').enumerate() {
        if index == field {
            return Some(start..start + text.len());
        }
        start += text.len() + 1;
    }
    None
}
