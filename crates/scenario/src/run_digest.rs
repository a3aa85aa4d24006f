//! The digest of a run, for citing it (`docs/model.md` section 30.10).
//!
//! It is the SHA-256 of the [resolved settings](super::resolved) in cycles and units: runs that print the same numbers
//! have the same digest, wherever their values were written. Runs that print seconds also name the length of their
//! cycle.

use std::collections::BTreeMap;

use cubefold_formats::input::{Ratio, quantity::Measure, text::hexadecimal};
use sha2::{Digest, Sha256};

use super::{PhysicalScale, Run, keys::Key, resolved::written};

/// The number of the model. It increases with each release that prints another number for some scenario, and only then.
pub const MODEL: u32 = 4;

/// A file that a key of a run names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct NamedFile {
    /// The path of the key.
    pub key: String,
    /// The path of the file or folder; with `{rank}`, of one file per rank.
    pub path: String,
    /// The SHA-256 of its contents in hexadecimal digits; for several files, the SHA-256 of the lines `name hash`.
    /// `None` if it cannot be read twice.
    pub sha256: Option<String>,
}

/// Keys of times, and the keys in cycles that they replace, also in steps.
const TIMES: [(&str, &str); 3] =
    [("compute", "compute_cycles"), ("startup", "startup_cycles"), ("message_cost", "message_cost_cycles")];
/// The key of sizes in bytes, and the key in units.
const SIZES: (&str, &str) = ("bytes", "units");

impl Run {
    /// The text whose SHA-256 is the [digest](Self::digest): the number of the model, then a line `path = value` for every
    /// key.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut lines = self.resolved.lines();
        // Engines differ only in time and memory.
        lines.remove(Key::ExecutionEngine.path());
        if let Some(scale) = self.scale {
            lines = lines.into_iter().flat_map(|(path, value)| in_cycles(path, value, scale)).collect();
            self.add_links(scale, &mut lines);
        }
        format!("cubefold 1\nmodel {MODEL}\n{}", written(&lines))
    }

    /// The SHA-256 of everything that affects its results, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        hexadecimal(&Sha256::digest(self.canonical()))
    }

    /// The files that its keys name.
    pub fn named_files(&self) -> impl Iterator<Item = NamedFile> {
        self.resolved.named_files().map(|(key, path, digest)| NamedFile {
            key: key.to_owned(),
            path: path.to_string_lossy().into_owned(),
            sha256: digest.map(|digest| hexadecimal(&digest)),
        })
    }

    /// Adds the times of links, and the length of a cycle.
    fn add_links(&self, scale: PhysicalScale, lines: &mut BTreeMap<String, String>) {
        let (numerator, denominator) = scale.cycle().parts();
        lines.insert("machine.cycle_seconds".to_owned(), format!("\"{numerator}/{denominator}\""));
        let Some(links) = &self.physical_links else { return };
        let times: Vec<_> = links.classes().iter().map(super::PhysicalLink::time).collect();
        let listed = |values: Vec<u64>| match &values[..] {
            [only] => only.to_string(),
            _ => format!("[{}]", values.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
        };
        let units = listed(times.iter().map(|time| time.unit).collect());
        let latencies = listed(times.iter().map(|time| time.latency).collect());
        let mut insert = |key: Key, value| lines.insert(key.path().to_owned(), value);
        insert(Key::MachineHopCycles, units);
        insert(Key::MachineLatencyCycles, latencies);
        if let Some(local) = links.local() {
            insert(Key::MachineLocalUnitCycles, local.unit.to_string());
            insert(Key::MachineLocalLatencyCycles, local.latency.to_string());
        }
    }
}

/// A line in cycles and units. Bandwidths and latencies are left out: the times of the links stand for them.
fn in_cycles(path: String, value: String, scale: PhysicalScale) -> Vec<(String, String)> {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", &path));
    if table.starts_with("machine.") && ["bandwidth", "latency"].contains(&key) {
        return vec![];
    }
    if let Some((_, renamed)) = TIMES.iter().find(|(name, _)| *name == key) {
        let converted = each(&value, |word| scale.cycles(Measure::Time.parse(word).ok()?));
        return vec![
            converted.map_or((path.clone(), value), |in_cycles| (format!("{table}.{renamed}"), in_cycles)),
        ];
    }
    if key != SIZES.0 {
        return vec![(path, value)];
    }
    let bytes =
        |word: &str| Measure::Size.parse(word).ok().or_else(|| Some(Ratio::from(word.parse::<u64>().ok()?)));
    let Some(units) = each(&value, |word| scale.units(bytes(word)?)) else { return vec![(path, value)] };
    let in_units = (format!("{table}.{}", SIZES.1), units.clone());
    // Rates count bytes, including those of a partly filled last unit.
    let whole = each(&value, |word| u64::try_from(bytes(word)?.ceil()).ok());
    let of_units = each(&units, |word| word.parse::<u64>().ok()?.checked_mul(scale.unit_bytes()));
    match whole {
        Some(whole) if of_units.as_ref() != Some(&whole) => vec![in_units, (path, whole)],
        _ => vec![in_units],
    }
}

/// The value with every entry converted; `None` if an entry cannot be converted.
fn each(value: &str, convert: impl Fn(&str) -> Option<u64>) -> Option<String> {
    let inner = value.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let words = inner.unwrap_or(value).split(',');
    let converted: Option<Vec<String>> =
        words.map(|word| Some(convert(word.trim_matches('"'))?.to_string())).collect();
    let joined = converted?.join(",");
    Some(if inner.is_some() { format!("[{joined}]") } else { joined })
}
