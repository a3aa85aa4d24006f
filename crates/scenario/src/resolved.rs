//! The resolved settings of a run: the value of every key after defaults, machine file, command line and sweep.
//!
//! They are the one description of a run. Results kept between runs are keyed by them
//! ([`Resolved::placement_key`]), and the ranks of a job recognise a run by their digest. Both take all keys but those
//! listed as irrelevant, so that a new key cannot be forgotten.
//!
//! They are written in the canonical form of values ([`canonical_value`]).

mod canonical_value;

use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use cubefold_formats::input::text::hexadecimal;
use cubefold_topology::{LinkTime, Machine, NodeId};
use sha2::{Digest, Sha256};

#[cfg(test)]
pub(super) use self::canonical_value::canonical_text;
pub(super) use self::canonical_value::{CanonicalValue, InputFiles};
use self::canonical_value::{Line, Part, REALS, quoted, real};
use super::{
    keyed_values::KeySet,
    keys::{Key, KeyDefault},
    program::ProgramKind,
    rules,
};

/// Keys that nothing depends on: the name is a caption, and a machine file is replaced by its
/// keys.
const IRRELEVANT_KEYS: [Key; 2] = [Key::Name, Key::MachineFile];

/// Keys that no placement and no guest depends on. The times of links enter with the machine, since routes depend on
/// those that differ; everything else is a rule of time. The bytes of a unit are not among them: with sizes in bytes they
/// decide which blocks are empty.
const IRRELEVANT_TO_PLACEMENTS: [Key; 34] = [
    Key::MachineLinks,
    Key::MachineHopCycles,
    Key::MachineLatencyCycles,
    Key::MachineLink,
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

    /// Whether the scenario or its sweep sets a key; its machine file does not count.
    pub(super) fn is_in_scenario(&self, key: Key) -> bool {
        let [_, scenario, swept, _] = &self.layers;
        scenario.iter().chain(swept.iter()).any(|setting| setting.key == key)
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
                hash.update(setting.digest());
            }
        }
        hash.update([u8::from(is_drawn)]);
        hash.update(embedding.digest());
        for LinkTime { unit, latency } in machine.link_times().unwrap_or_default() {
            hash.update(unit.to_le_bytes());
            hash.update(latency.to_le_bytes());
        }
        PlacementKey(hash.finalize().into())
    }

    /// The keys that others replace: between a time or size in seconds or bytes and the same in cycles or units, the
    /// higher layer counts.
    fn replaced(effective: &[Option<(u8, &CanonicalValue)>]) -> KeySet {
        let layer = |key: &Key| effective[*key as usize].map(|(layer, _)| layer);
        let both = rules::in_other_measures();
        // A rule refuses both in one layer.
        both.fold(KeySet::default(), |set, (keys, other)| match keys.iter().map(layer).max() {
            most if most < Some(layer(&other)) => keys.iter().fold(set, |set, &key| set.with(key)),
            most if most > Some(layer(&other)) => set.with(other),
            _ => set,
        })
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

/// The default of a key, if it is a value.
fn default_value(key: Key) -> Option<String> {
    match key.entry().default {
        KeyDefault::Integer(number) => Some(number.to_string()),
        KeyDefault::Word(word) | KeyDefault::Differing { word, .. } => Some(match word.parse::<f64>() {
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
