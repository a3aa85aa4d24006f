//! The canonical form of values: lines `path = value`, from which digests are made.
//!
//! Tables and keys are joined by `.`, and the entries of a list of tables are numbered. Integers are decimal; reals are
//! `f` and the 16 hexadecimal digits of the double; strings are in `"`; a value that names a file is the SHA-256 of its
//! contents.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::input::text::hexadecimal;
use sha2::{Digest, Sha256};

use crate::{
    embeddings::EmbeddingName,
    input_digest::InputFile,
    keyed_values::KeyedValues,
    keys::{Key, Section},
    short_value::last_word,
    value::{Content, Value},
};

/// Keys whose integers are read as reals.
pub(super) const REALS: [Key; 7] = [
    Key::MachineRouterSpeedup,
    Key::ProgramScale,
    Key::ProgramHotspotShare,
    Key::ProgramLoad,
    Key::ProgramLatencyLimit,
    Key::ProgramBurstCycles,
    Key::ProgramBurstLoad,
];

/// The written value of a key.
#[derive(Debug)]
pub(crate) struct CanonicalValue {
    pub(super) key: Key,
    pub(super) lines: Vec<Line>,
    digest: [u8; 32], // of its lines, with paths instead of the contents of files
}

#[derive(Debug)]
pub(super) struct Line {
    pub(super) path: String,
    pub(super) value: Vec<Part>,
}

/// A piece of a value: text, or a file that stands for the digest of its contents.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    File(Arc<InputFile>),
}

/// Files that values name, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct InputFiles(BTreeMap<PathBuf, Arc<InputFile>>);

impl InputFiles {
    /// The paths of the files; a path with `{rank}` stands for several.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    fn at(&mut self, path: &Path) -> Arc<InputFile> {
        let file = || Arc::new(InputFile::new(path.to_owned()));
        Arc::clone(self.0.entry(path.to_owned()).or_insert_with(file))
    }
}

impl CanonicalValue {
    /// The value of a key; the paths of files are relative to the folder `beside`.
    pub(crate) fn new(key: Key, value: &Value, beside: &Path, files: &mut InputFiles) -> Self {
        let mut writer = Writer { beside, files, lines: vec![] };
        writer.add(key.path().to_owned(), value);
        Self::of_lines(key, writer.lines)
    }

    /// All values of a file.
    pub(crate) fn all(values: &KeyedValues, beside: &Path, files: &mut InputFiles) -> Arc<[Arc<Self>]> {
        let setting = |key| Some(Arc::new(Self::new(key, values.get(key)?, beside, files)));
        values.keys().iter().filter_map(setting).collect()
    }

    /// The embedding of a run.
    pub(crate) fn embedding(
        name: &EmbeddingName,
        listed: Option<&Value>,
        beside: &Path,
        files: &mut InputFiles,
    ) -> Self {
        let key = Key::MappingEmbeddings;
        let mut writer = Writer { beside, files, lines: vec![] };
        let path = format!("{}.0", key.path());
        match name {
            EmbeddingName::Launcher(entry) => {
                let mut text =
                    |key: &str, value| writer.push(format!("{path}.{key}"), vec![Part::Text(value)]);
                text("format", quoted(entry.format.name()));
                if let Some(slots) = entry.slots_per_node {
                    text("slots_per_node", slots.to_string());
                }
                let (hosts, coordinates) = (entry.hosts.as_ref(), entry.coordinates.as_ref());
                for (key, file) in
                    [("hosts", hosts), ("coordinates", coordinates), ("file", Some(&entry.file))]
                {
                    if let Some(file) = file {
                        let file = writer.file(file);
                        writer.push(format!("{path}.{key}"), vec![file]);
                    }
                }
            }
            // A search starts from the others of the list.
            EmbeddingName::Search(request) => {
                writer.push(format!("{path}.search"), vec![Part::Text(quoted(&format!("{request:?}")))]);
                if let Some(listed) = listed {
                    writer.add(key.path().to_owned(), listed);
                }
            }
            EmbeddingName::File(file) => {
                let file = writer.file(file);
                let value = [Part::Text("[".to_owned()), file, Part::Text("]".to_owned())];
                writer.push(key.path().to_owned(), value.into());
            }
            name => {
                let value = format!("[{}]", quoted(&name.to_string()));
                writer.push(key.path().to_owned(), vec![Part::Text(value)]);
            }
        }
        Self::of_lines(key, writer.lines)
    }

    pub(super) fn of_text(key: Key, value: String) -> Self {
        Self::of_lines(key, vec![Line { path: key.path().to_owned(), value: vec![Part::Text(value)] }])
    }

    fn of_lines(key: Key, lines: Vec<Line>) -> Self {
        let mut hash = Sha256::new();
        for line in &lines {
            hash.update(&line.path);
            for part in &line.value {
                match part {
                    Part::Text(text) => hash.update([b" ", text.as_bytes()].concat()),
                    Part::File(file) => {
                        hash.update([b"\0", file.path().as_os_str().as_encoded_bytes()].concat());
                    }
                }
            }
            hash.update(b"\n");
        }
        Self { key, lines, digest: hash.finalize().into() }
    }

    /// Its identity, with paths instead of the contents of files.
    pub(crate) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The paths of the files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        let parts = self.lines.iter().flat_map(|line| &line.value);
        parts.filter_map(|part| match part {
            Part::File(file) => Some(file.path()),
            Part::Text(_) => None,
        })
    }
}

impl Line {
    pub(super) fn written(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::File(file) => file.digest().map_or_else(
                || quoted(&file.path().to_string_lossy()),
                |digest| format!("sha256:{}", hexadecimal(&digest)),
            ),
        };
        self.value.iter().map(part).collect()
    }
}

/// Writes a value in the canonical form.
struct Writer<'a> {
    beside: &'a Path,
    files: &'a mut InputFiles,
    lines: Vec<Line>,
}

impl Writer<'_> {
    fn push(&mut self, path: String, value: Vec<Part>) {
        self.lines.push(Line { path, value });
    }

    fn file(&mut self, name: &str) -> Part {
        Part::File(self.files.at(&self.beside.join(name)))
    }

    /// Adds the lines of the value at `path`.
    fn add(&mut self, path: String, value: &Value) {
        match &value.content {
            Content::Table(entries) if !entries.is_empty() => {
                for entry in entries {
                    self.add(format!("{path}.{}", entry.key), &entry.value);
                }
            }
            Content::List(values)
                if values.iter().any(|value| matches!(value.content, Content::Table(_))) =>
            {
                for (number, value) in values.iter().enumerate() {
                    self.add(format!("{path}.{number}"), value);
                }
            }
            _ => {
                let mut parts = vec![];
                self.inline(&path, value, false, &mut parts);
                self.push(path, merged(parts));
            }
        }
    }

    /// Adds the parts of a value that takes one line.
    fn inline(&mut self, path: &str, value: &Value, is_in_list: bool, parts: &mut Vec<Part>) {
        let is_real = || {
            let step = path.strip_prefix(Key::ProgramSteps.path()).and_then(|step| step.rsplit_once('.'));
            let is_scale_of_step = step.is_some_and(|(_, key)| key == "scale");
            is_scale_of_step || path.starts_with(SATURATION) || REALS.iter().any(|key| key.path() == path)
        };
        let text = match &value.content {
            Content::Text(text) => match named_file(path, text, is_in_list) {
                Some(name) => return parts.push(self.file(name)),
                None => quoted(text),
            },
            #[expect(clippy::cast_precision_loss, reason = "the key takes a number with a fraction")]
            Content::Integer(Some(number)) if is_real() => real(*number as f64),
            Content::Integer(Some(number)) => number.to_string(),
            Content::Boolean(truth) => truth.to_string(),
            Content::List(values) => {
                parts.push(Part::Text("[".to_owned()));
                for (place, value) in values.iter().enumerate() {
                    if place > 0 {
                        parts.push(Part::Text(",".to_owned()));
                    }
                    self.inline(path, value, true, parts);
                }
                "]".to_owned()
            }
            Content::Table(_) => "{}".to_owned(), // empty
            Content::Integer(None) | Content::Other => {
                let written = value.place.text().replace('_', "");
                let number = || written.parse().map_or_else(|_| quoted(&written), real);
                written.parse::<i128>().map_or_else(|_| number(), |number| number.to_string())
            }
        };
        parts.push(Part::Text(text));
    }
}

/// The table of loads, which are reals.
const SATURATION: &str = "program.saturation";

/// Merges neighbouring texts.
fn merged(parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = vec![];
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(&text),
            (_, part) => merged.push(part),
        }
    }
    merged
}

/// The file that the text at `path` names, if it names one.
fn named_file<'text>(path: &str, text: &'text str, is_in_list: bool) -> Option<&'text str> {
    if let Some(name) = text.strip_prefix("file:") {
        return Some(name);
    }
    let last = last_word(path);
    let is_file = match last {
        "edges" | "file" | "trace" | "host_names" | "groups" | "destinations" => true,
        "allocation" => !is_in_list,
        "hosts" | "coordinates" => Section::Mapping.name() == path.split('.').next().unwrap_or(path),
        _ => false,
    };
    is_file.then_some(text)
}

/// A real, as the bits of its double.
pub(super) fn real(number: f64) -> String {
    let number = if number == 0.0 { 0.0 } else { number };
    format!("f{:016x}", number.to_bits())
}

/// A string between quotation marks.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for sign in text.chars() {
        match sign {
            '"' | '\\' | '\0'..='\x1f' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(sign));
            }
            _ => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

/// The lines of a scenario as written, without defaults; the files that it names are in `folder`.
#[cfg(test)]
pub(crate) fn canonical_text(scenario: &str, folder: &Path) -> String {
    let source = crate::source_file::SourceFile::excerpt(Path::new("s.toml"), scenario.to_owned(), 0);
    let mut writer = Writer { beside: folder, files: &mut InputFiles::default(), lines: vec![] };
    for entry in crate::source_file::parse(&source).unwrap_or_default() {
        writer.add(entry.key, &entry.value);
    }
    let mut written: Vec<String> =
        writer.lines.iter().map(|line| format!("{} = {}\n", line.path, line.written())).collect();
    written.sort_unstable();
    written.concat()
}
