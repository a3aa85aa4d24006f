//! JSON documents: an envelope that names the contents, and the records.

use std::{
    cell::RefCell,
    io::{self, Write},
};

use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeMap, SerializeSeq},
};
use serde_json::{Map, Value};

/// Contents of a document: its format's name and version, and the key of its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// The value of `format`.
    pub format: &'static str,
    /// The key of the records.
    pub records: &'static str,
}

impl Document {
    /// Results of `run` and `compare`.
    pub const RESULTS: Self = Self { format: "cubefold-results", records: "runs" };
    /// Metrics of `measure`.
    pub const PLACEMENTS: Self = Self { format: "cubefold-placements", records: "placements" };
    /// Runs that `check` lists.
    pub const CHECK: Self = Self { format: "cubefold-check", records: "runs" };

    /// Placements that `search` found.
    pub const SEARCHES: Self = Self { format: "cubefold-searches", records: "searches" };

    /// Claims of `verify`.
    pub const VERIFY: Self = Self { format: "cubefold-verify", records: "claims" };

    /// Definitions of `explain`.
    pub const DEFINITIONS: Self = Self { format: "cubefold-definitions", records: "definitions" };

    /// The version of every format.
    pub const VERSION: u32 = 1;
}

/// Writes a document with its envelope; `extra` keys come before the records.
///
/// # Errors
///
/// If reading a record or writing fails.
pub fn write_document<R: Serialize>(
    writer: &mut impl Write,
    document: Document,
    extra: &[(&str, Value)],
    records: impl Iterator<Item = io::Result<R>>,
) -> io::Result<()> {
    let mut envelope = Map::new();
    envelope.insert("format".to_owned(), document.format.into());
    envelope.insert("version".to_owned(), Document::VERSION.into());
    envelope.insert("cubefold".to_owned(), env!("CARGO_PKG_VERSION").into());
    for (key, value) in extra {
        envelope.insert((*key).to_owned(), value.clone());
    }
    let records = Stream(RefCell::new(Some(records)));
    let enveloped = Enveloped { envelope, key: document.records, records };
    serde_json::to_writer_pretty(&mut *writer, &enveloped)?;
    writeln!(writer)
}

/// A document that is written record by record and never held as a whole.
struct Enveloped<I> {
    envelope: Map<String, Value>,
    key: &'static str,
    records: Stream<I>,
}

impl<R: Serialize, I: Iterator<Item = io::Result<R>>> Serialize for Enveloped<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.envelope.len() + 1))?;
        for (key, value) in &self.envelope {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry(self.key, &self.records)?;
        map.end()
    }
}

/// Records that can be serialized once, as they come from the iterator.
struct Stream<I>(RefCell<Option<I>>);

impl<R: Serialize, I: Iterator<Item = io::Result<R>>> Serialize for Stream<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for record in self.0.take().into_iter().flatten() {
            list.serialize_element(&record.map_err(S::Error::custom)?)?;
        }
        list.end()
    }
}

/// A record on a line of its own, with the version of its format.
#[derive(Serialize)]
struct Line<R> {
    version: u32,
    #[serde(flatten)]
    record: R,
}

/// Writes records without an envelope, one per line, each with the version of the format as its first member.
///
/// # Errors
///
/// If reading a record or writing fails.
pub fn write_lines<R: Serialize>(
    writer: &mut impl Write,
    records: impl Iterator<Item = io::Result<R>>,
) -> io::Result<()> {
    for record in records {
        serde_json::to_writer(&mut *writer, &Line { version: Document::VERSION, record: record? })?;
        writeln!(writer)?;
    }
    Ok(())
}
