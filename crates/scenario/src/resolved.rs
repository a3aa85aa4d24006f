//! The resolved settings of a run: the value of every key after defaults, machine file, command line and sweep.
//!
//! They are the one description of a run. Results kept between runs are keyed by them
//! ([`Resolved::placement_key`]), and the ranks of a job recognise a run by their digest. Both take all keys but those
//! listed as irrelevant, so that a new key cannot be forgotten.
//!
//! Written out, a line is `path = value`: tables and keys are joined by `.`, and the entries of a list of tables are
//! numbered. Integers are decimal; reals are `f` and the 16 hexadecimal digits of the double; strings are in `"`; a value
//! that names a file is the SHA-256 of its contents.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::input::text::hexadecimal;
use cubefold_topology::{LinkTime, Machine, NodeId};
use sha2::{Digest, Sha256};

use super::{
    embeddings::EmbeddingName,
    input_digest::InputFile,
    keyed_values::{KeySet, KeyedValues},
    keys::{Key, KeyDefault, Section},
    program::ProgramKind,
    value::{Content, Value},
};

/// Keys that nothing depends on: the name is a caption, and a machine file is replaced by its
/// keys.
const IRRELEVANT_KEYS: [Key; 2] = [Key::Name, Key::MachineFile];

/// Keys that no placement and no guest depends on. The times of links enter with the machine, since routes depend on
/// those that differ; everything else is a rule of time.
const IRRELEVANT_TO_PLACEMENTS: [Key; 35] = [
    Key::MachineLinks,
    Key::MachineHopCycles,
    Key::MachineLatencyCycles,
    Key::MachineLink,
    Key::MachineUnitBytes,
    Key::MachineSwitching,
    Key::MachineRouterVirtualChannels,
    Key::MachineRouterBufferUnits,
    Key::MachineRouterCycles,
    Key::MachineRouterCreditCycles,
    Key::MachineRouterTerminalLatencyCycles,
    Key::MachineRouterAllocator,
    Key::MachineRouterSpeedup,
    Key::MachineRouterEjection,
    Key::MachineGlobalLatencyCycles,
    Key::MachinePacketUnits,
    Key::MachineArbitration,
    Key::MachineProcessorsPerNode,
    Key::MachineLocalLatencyCycles,
    Key::MachineLocalUnitCycles,
    Key::MachineLocal,
    Key::ProgramComputeCycles,
    Key::ProgramCompute,
    Key::ProgramComputeNoise,
    Key::ProgramPipelining,
    Key::ProgramStartupCycles,
    Key::ProgramStartup,
    Key::ProgramLoading,
    Key::ProgramReduceUnitsPerCycle,
    Key::ExecutionMode,
    Key::ExecutionEngine,
    Key::ExecutionDimensionChoice,
    Key::ExecutionPhases,
    Key::ExecutionEagerUnits,
    // Replaced by the one embedding that is placed.
    Key::MappingEmbeddings,
];

/// Keys whose integers are read as reals.
const REALS: [Key; 7] = [
    Key::MachineRouterSpeedup,
    Key::ProgramScale,
    Key::ProgramHotspotShare,
    Key::ProgramLoad,
    Key::ProgramLatencyLimit,
    Key::ProgramBurstCycles,
    Key::ProgramBurstLoad,
];

/// Keys in seconds and bytes, with the keys in cycles and units that they replace.
const REPLACED_BY_PHYSICAL: &[(Key, &[Key])] = &[
    (Key::MachineLink, &[Key::MachineHopCycles, Key::MachineLatencyCycles]),
    (Key::MachineLocal, &[Key::MachineLocalLatencyCycles, Key::MachineLocalUnitCycles]),
    (Key::ProgramCompute, &[Key::ProgramComputeCycles]),
    (Key::ProgramStartup, &[Key::ProgramStartupCycles]),
    (Key::ProgramMessageCost, &[Key::ProgramMessageCostCycles]),
    (Key::ProgramBytes, &[Key::ProgramUnits]),
];

/// The resolved settings of a run.
///
/// Runs of a sweep share all values except those that the sweep sets.
#[derive(Debug, Clone)]
pub struct Resolved {
    layers: [Arc<[Arc<CanonicalValue>]>; LAYERS], // a later layer takes precedence
    kind: &'static ProgramKind,
    embedding: Option<Arc<CanonicalValue>>, // the run's
}

/// The machine file, the scenario file with the command line, the sweep, and changes by the program itself.
const LAYERS: usize = 4;

/// The written value of a key.
#[derive(Debug)]
pub(super) struct CanonicalValue {
    key: Key,
    lines: Vec<Line>,
    digest: [u8; 32], // of its lines, with paths instead of the contents of files
}

/// A line of the canonical form.
#[derive(Debug)]
struct Line {
    path: String,
    value: Vec<Part>,
}

/// A piece of a value.
#[derive(Debug)]
enum Part {
    Text(String),
    File(Arc<InputFile>),
}

/// Files that values name, without duplicates.
#[derive(Debug, Default)]
pub(super) struct InputFiles(BTreeMap<PathBuf, Arc<InputFile>>);

impl InputFiles {
    /// The paths of the files; a path with `{rank}` stands for several.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    fn at(&mut self, path: &Path) -> Arc<InputFile> {
        let file = || Arc::new(InputFile::new(path.to_owned()));
        Arc::clone(self.0.entry(path.to_owned()).or_insert_with(file))
    }
}

/// The identity of a placement: a digest of everything that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PlacementKey([u8; 32]);

impl Resolved {
    /// The settings of a combination: the values of the machine file, the scenario and the sweep.
    pub(super) fn new(
        machine_file: Option<Arc<[Arc<CanonicalValue>]>>,
        scenario: Arc<[Arc<CanonicalValue>]>,
        swept: Arc<[Arc<CanonicalValue>]>,
        kind: &'static ProgramKind,
    ) -> Self {
        let layers = [machine_file.unwrap_or_default(), scenario, swept, Arc::default()];
        Self { layers, kind, embedding: None }
    }

    /// The settings of the run with this embedding.
    pub(super) fn with_embedding(&self, embedding: Arc<CanonicalValue>) -> Self {
        Self { embedding: Some(embedding), ..self.clone() }
    }

    /// The settings of the run with its processes on these nodes, a placement called `name`.
    pub(super) fn placed_on(&self, name: &str, nodes: &[NodeId]) -> Self {
        let mut hash = Sha256::new();
        nodes.iter().for_each(|node| hash.update(node.index().to_le_bytes()));
        let value = format!("[{},sha256:{}]", quoted(name), hexadecimal(&hash.finalize()));
        self.with_embedding(Arc::new(CanonicalValue::of_text(Key::MappingEmbeddings, value)))
    }

    /// The settings of the run with a vector of `units` units.
    pub(super) fn with_vector_units(&self, units: u64) -> Self {
        let mut resolved = self.clone();
        let set = CanonicalValue::of_text(Key::ProgramUnits, units.to_string());
        resolved.layers[LAYERS - 1] = [Arc::new(set)].into();
        resolved
    }

    /// The effective values by key, with the number of their layer.
    fn effective(&self) -> [Option<(u8, &CanonicalValue)>; Key::ALL.len()] {
        let mut found = [const { None }; Key::ALL.len()];
        for (number, layer) in (0..).zip(&self.layers) {
            // If a layer has two values of a key, the first counts.
            for setting in layer.iter().rev() {
                found[setting.key as usize] = Some((number, &**setting));
            }
        }
        if let Some(embedding) = &self.embedding {
            found[Key::MappingEmbeddings as usize] = Some((0, &**embedding));
        }
        found
    }

    /// The key of the placement of `embedding` on `machine`, with the seed if the placement depends on it.
    ///
    /// The layers of the values are part of it: if two keys exclude each other, the one in the higher layer counts.
    pub(super) fn placement_key(
        &self,
        embedding: &CanonicalValue,
        machine: &Machine,
        is_drawn: bool,
    ) -> PlacementKey {
        let mut hash = Sha256::new();
        let ignored = IRRELEVANT_KEYS
            .iter()
            .chain(&IRRELEVANT_TO_PLACEMENTS)
            .fold(KeySet::default(), |set, key| set.with(*key));
        let ignored = if is_drawn { ignored } else { ignored.with(Key::Seed) };
        for (layer, setting) in self.effective().into_iter().flatten() {
            if !ignored.contains(setting.key) {
                hash.update([setting.key as u8, layer]);
                hash.update(setting.digest);
            }
        }
        hash.update([u8::from(is_drawn)]);
        hash.update(embedding.digest);
        for LinkTime { unit, latency } in machine.link_times().unwrap_or_default() {
            hash.update(unit.to_le_bytes());
            hash.update(latency.to_le_bytes());
        }
        PlacementKey(hash.finalize().into())
    }

    /// The keys that others replace: between a time or size in seconds or bytes and the same in cycles or units, the
    /// higher layer counts.
    fn replaced(effective: &[Option<(u8, &CanonicalValue)>]) -> KeySet {
        let layer = |key: Key| effective[key as usize].map(|(layer, _)| layer);
        let replaced = REPLACED_BY_PHYSICAL.iter().filter(|(physical, _)| layer(*physical).is_some());
        let replaced = replaced.flat_map(|(physical, in_cycles)| {
            let is_replaced = in_cycles.iter().any(|&key| layer(key) > layer(*physical));
            if is_replaced { std::slice::from_ref(physical) } else { *in_cycles }
        });
        replaced.fold(KeySet::default(), |set, &key| set.with(key))
    }

    /// The values of all keys except those of other kinds of programs, by path.
    pub(super) fn lines(&self) -> BTreeMap<String, String> {
        let effective = self.effective();
        let replaced = IRRELEVANT_KEYS.iter().fold(Self::replaced(&effective), |set, &key| set.with(key));
        let mut lines = BTreeMap::new();
        for &key in Key::ALL.iter().filter(|key| !replaced.contains(**key)) {
            match effective[key as usize] {
                Some((_, setting)) => {
                    lines.extend(setting.lines.iter().map(|line| (line.path.clone(), line.written())));
                }
                None if !key.is_foreign_to(self.kind) => {
                    // The default of `ports` applies to collectives.
                    let is_other =
                        key == Key::ProgramPorts && self.kind.keys.contains(&Key::ProgramPipelining);
                    let default = default_value(key).filter(|_| !is_other);
                    lines.extend(default.map(|value| (key.path().to_owned(), value)));
                }
                None => {}
            }
        }
        lines
    }

    /// The lines `path = value`, sorted by the bytes of their paths, each ended by a line feed.
    #[must_use]
    pub fn text(&self) -> String {
        written(&self.lines())
    }

    /// The SHA-256 of [`text`](Self::text).
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.text()).into()
    }

    /// The SHA-256 of each file that a value names, by the path of its key.
    #[must_use]
    pub fn file_digests(&self) -> BTreeMap<String, String> {
        self.lines_with_files().map(|line| (line.path.clone(), line.written())).collect()
    }

    /// The files that values name: the path of the key, the path of the file, and the SHA-256 of its contents, if it can be
    /// read again.
    pub(super) fn named_files(&self) -> impl Iterator<Item = (&str, &Path, Option<[u8; 32]>)> {
        self.lines_with_files().flat_map(|line| {
            line.value.iter().filter_map(|part| match part {
                Part::File(file) => Some((line.path.as_str(), file.path(), file.digest())),
                Part::Text(_) => None,
            })
        })
    }

    fn lines_with_files(&self) -> impl Iterator<Item = &Line> {
        let settings = self.effective().into_iter().flatten().map(|(_, setting)| setting);
        let lines = settings.flat_map(|setting| &setting.lines);
        lines.filter(|line| line.value.iter().any(|part| matches!(part, Part::File(_))))
    }
}

/// Lines `path = value`, each ended by a line feed.
pub(super) fn written(lines: &BTreeMap<String, String>) -> String {
    lines.iter().fold(String::new(), |mut text, (path, value)| {
        // Writing to a string never fails.
        let _ = writeln!(text, "{path} = {value}");
        text
    })
}

#[cfg(test)]
impl Resolved {
    /// The paths of the files that values name.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let settings = self.effective().into_iter().flatten();
        settings.flat_map(|(_, setting)| setting.files()).map(Path::to_owned).collect()
    }
}

/// The default of a key, if it is a value.
fn default_value(key: Key) -> Option<String> {
    match key.entry().default {
        KeyDefault::Integer(number) => Some(number.to_string()),
        KeyDefault::Word(word) => Some(match word.parse::<f64>() {
            Ok(number) if REALS.contains(&key) => real(number),
            // Numbers and lists are written as words in the table.
            _ if word.parse::<u64>().is_ok() || word.starts_with('[') || word == "false" => {
                word.replace(' ', "")
            }
            _ => quoted(word),
        }),
        KeyDefault::Required | KeyDefault::Absent | KeyDefault::Derived(_) => None,
    }
}

impl CanonicalValue {
    /// The value of a key; the paths of files are relative to the folder `beside`.
    pub(super) fn new(key: Key, value: &Value, beside: &Path, files: &mut InputFiles) -> Self {
        let mut writer = Writer { is_real: REALS.contains(&key), beside, files, lines: vec![] };
        writer.add(key.path().to_owned(), value);
        Self::of_lines(key, writer.lines)
    }

    /// All values of a file.
    pub(super) fn all(values: &KeyedValues, beside: &Path, files: &mut InputFiles) -> Arc<[Arc<Self>]> {
        let setting = |key| Some(Arc::new(Self::new(key, values.get(key)?, beside, files)));
        values.keys().iter().filter_map(setting).collect()
    }

    /// The embedding of a run.
    pub(super) fn embedding(
        name: &EmbeddingName,
        listed: Option<&Value>,
        beside: &Path,
        files: &mut InputFiles,
    ) -> Self {
        let key = Key::MappingEmbeddings;
        let mut writer = Writer { is_real: false, beside, files, lines: vec![] };
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

    fn of_text(key: Key, value: String) -> Self {
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
    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The paths of the files that it names.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let parts = self.lines.iter().flat_map(|line| &line.value);
        parts.filter_map(|part| match part {
            Part::File(file) => Some(file.path()),
            Part::Text(_) => None,
        })
    }
}

impl Line {
    fn written(&self) -> String {
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
    is_real: bool,
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
        let is_scale_of_step = || {
            let step = path.strip_prefix(Key::ProgramSteps.path());
            step.and_then(|step| step.rsplit_once('.')).is_some_and(|(_, key)| key == "scale")
        };
        let is_real = self.is_real || path.starts_with(SATURATION) || is_scale_of_step();
        let text = match &value.content {
            Content::Text(text) => match named_file(path, text, is_in_list) {
                Some(name) => return parts.push(self.file(name)),
                None => quoted(text),
            },
            #[expect(clippy::cast_precision_loss, reason = "the key takes a number with a fraction")]
            Content::Integer(Some(number)) if is_real => real(*number as f64),
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
    let last = path.rsplit('.').next().unwrap_or(path);
    let is_file = match last {
        "edges" | "file" | "trace" | "host_names" | "groups" | "destinations" => true,
        "allocation" => !is_in_list,
        "hosts" | "coordinates" => Section::Mapping.name() == path.split('.').next().unwrap_or(path),
        _ => false,
    };
    is_file.then_some(text)
}

/// A real, as the bits of its double.
fn real(number: f64) -> String {
    let number = if number == 0.0 { 0.0 } else { number };
    format!("f{:016x}", number.to_bits())
}

/// A string between quotation marks.
fn quoted(text: &str) -> String {
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
pub(super) fn canonical_text(scenario: &str, folder: &Path) -> String {
    let source = super::source_file::SourceFile::excerpt(Path::new("s.toml"), scenario.to_owned(), 0);
    let entries = super::source_file::parse(&source).unwrap_or_default();
    let mut files = InputFiles::default();
    let mut lines = vec![];
    for section in entries {
        let inner = match section.value.content {
            Content::Table(entries) => entries,
            content => {
                let mut writer = Writer { is_real: false, beside: folder, files: &mut files, lines: vec![] };
                writer.add(section.key, &Value { content, place: section.value.place });
                lines.extend(writer.lines);
                continue;
            }
        };
        for entry in inner {
            let path = format!("{}.{}", section.key, entry.key);
            let is_real = Key::with_path(&path).is_some_and(|key| REALS.contains(&key));
            let mut writer = Writer { is_real, beside: folder, files: &mut files, lines: vec![] };
            writer.add(path, &entry.value);
            lines.extend(writer.lines);
        }
    }
    let mut written: Vec<String> =
        lines.iter().map(|line| format!("{} = {}\n", line.path, line.written())).collect();
    written.sort_unstable();
    written.concat()
}
