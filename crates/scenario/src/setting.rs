//! Keys set on the command line: `KEY=VALUE` replaces the value in a scenario file before validation.

use std::{path::Path, str::FromStr, sync::Arc};

use super::{
    rules,
    source_file::{self, SourceFile},
    value::{Content, Entry, Value},
};

/// A key by its path in the scenario, and its value, for every scenario of a command.
///
/// The value is TOML, or else a string, so that `machine.links=half-duplex` needs no quotes. Other keys of
/// the same table keep their values; a table in braces is one value. A key that the file sweeps is no longer swept, nor
/// the same value in another measure, such as bytes instead of units; a member of a swept table is set in all its values.
#[derive(Debug, Clone)]
pub struct Setting {
    source: Arc<SourceFile>,
}

/// A text that does not set a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected KEY=VALUE with a key of the scenario, such as machine.links=half-duplex")]
pub struct SettingError;

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let source = |text: String| SourceFile::excerpt(Path::new("--set"), text, 0);
        let is_toml =
            |source: &Arc<SourceFile>| source_file::parse(source).is_ok_and(|entries| entries.len() == 1);
        let whole = source(text.to_owned());
        if is_toml(&whole) {
            return Ok(Self { source: whole });
        }
        let (key, value) = text.split_once('=').ok_or(SettingError)?;
        // Escapes of JSON are also TOML, except for one character.
        let value = serde_json::Value::from(value.trim()).to_string().replace('\u{7f}', "\\u007f");
        let quoted = source(format!("{}={value}", key.trim()));
        if is_toml(&quoted) { Ok(Self { source: quoted }) } else { Err(SettingError) }
    }
}

impl Setting {
    /// The text as given, with quotes around a value that is not TOML.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Puts the value into the entries of a scenario.
    pub(super) fn apply(&self, entries: &mut Vec<Entry>) {
        // It was already parsed once, so there are no errors.
        let added = source_file::parse(&self.source).unwrap_or_default();
        for path in added.iter().flat_map(|entry| leaves("", entry)) {
            stop_sweep(entries, &path, &added);
            rules::same_in_other_measures(&path).for_each(|other| stop_sweep(entries, other, &[]));
        }
        merge(entries, added);
    }
}

/// Merges entries into others: tables of dotted keys key by key, other values as a whole.
fn merge(entries: &mut Vec<Entry>, added: Vec<Entry>) {
    for entry in added {
        let Some(known) = entries.iter_mut().find(|known| known.key == entry.key) else {
            entries.push(entry);
            continue;
        };
        let is_whole = is_in_braces(&entry.value);
        match (&mut known.value.content, entry.value.content) {
            (Content::Table(known), Content::Table(added)) if !is_whole => merge(known, added),
            (_, content) => {
                known.key_place = entry.key_place;
                known.value.place = entry.value.place;
                known.value.content = content;
            }
        }
    }
}

/// Whether a table is one value, rather than the result of dotted keys.
fn is_in_braces(value: &Value) -> bool {
    value.place.text().starts_with('{')
}

/// The paths of the values in an entry.
fn leaves(prefix: &str, entry: &Entry) -> Vec<String> {
    let path = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
    match &entry.value.content {
        Content::Table(entries) if !is_in_braces(&entry.value) => {
            entries.iter().flat_map(|entry| leaves(&path, entry)).collect()
        }
        _ => vec![path],
    }
}

/// The entries of the table at a path.
fn members<'a>(entries: &'a [Entry], path: &str) -> Option<&'a [Entry]> {
    path.split('.').try_fold(entries, |entries, key| {
        let entry = entries.iter().find(|entry| entry.key == key)?;
        if let Content::Table(inner) = &entry.value.content { Some(inner.as_slice()) } else { None }
    })
}

/// Merges entries into a swept table, or into all tables of a list; false for other values.
fn merge_swept(value: &mut Value, added: &[Entry]) -> bool {
    match &mut value.content {
        Content::Table(table) => {
            merge(table, added.to_vec());
            true
        }
        Content::List(values) => {
            let are_tables = values.iter().all(|value| matches!(value.content, Content::Table(_)));
            are_tables && values.iter_mut().all(|value| merge_swept(value, added))
        }
        _ => false,
    }
}

/// Removes a key and its parts from the sweep. Swept tables around it take the member as `added` has it, or else go.
fn stop_sweep(entries: &mut Vec<Entry>, path: &str, added: &[Entry]) {
    let Some(place) = entries.iter().position(|entry| entry.key == "sweep") else { return };
    let Content::Table(sweep) = &mut entries[place].value.content else { return };
    let inside = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let stays = |entry: &mut Entry| {
        if inside(path, &entry.key) && path != entry.key {
            return members(added, &entry.key).is_some_and(|added| merge_swept(&mut entry.value, added));
        }
        !inside(&entry.key, path)
    };
    let count = sweep.len();
    sweep.retain_mut(stays);
    let mut is_changed = sweep.len() < count;
    for entry in sweep.iter_mut().filter(|entry| entry.key == "cases") {
        let Content::List(cases) = &mut entry.value.content else { continue };
        for case in cases.iter_mut() {
            let Content::Table(keys) = &mut case.content else { continue };
            let count = keys.len();
            keys.retain_mut(stays);
            is_changed |= keys.len() < count;
        }
        if is_changed {
            keep_one_empty(cases);
        }
    }
    if is_changed {
        let is_empty = |entry: &Entry| matches!(&entry.value.content, Content::List(list) if list.is_empty());
        sweep.retain(|entry| entry.key != "cases" || !is_empty(entry));
        if sweep.is_empty() {
            entries.remove(place);
        }
    }
}

/// Of the cases without keys, which make the same runs, the first stays beside others, and none alone.
fn keep_one_empty(cases: &mut Vec<Value>) {
    let is_empty = |case: &Value| matches!(&case.content, Content::Table(keys) if keys.is_empty());
    let mut may_stay = !cases.iter().all(is_empty);
    cases.retain(|case| !is_empty(case) || std::mem::take(&mut may_stay));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, load_with};

    fn set(text: &str, settings: &[&str]) -> Result<Scenario, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s.toml");
        std::fs::write(&path, text).unwrap();
        let settings: Vec<Setting> = settings.iter().map(|text| text.parse().unwrap()).collect();
        let loaded = load_with(&[path], &settings, u64::MAX);
        loaded.map(|mut scenarios| scenarios.remove(0)).map_err(|errors| errors.to_string())
    }

    const SWEPT: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\ncompute_cycles = 7\n\
                         [mapping]\nembeddings = [\"xor\"]\n[sweep]\n\"machine.links\" = [1, 2]\nseed = [1, 2, 3]\n";

    #[test]
    fn a_key_is_set_beside_the_others_and_swept_no_more() {
        assert_eq!(set(SWEPT, &[]).unwrap().runs.len(), 6);
        let scenario = set(SWEPT, &["machine.links=half-duplex", "program.compute_cycles=9"]).unwrap();
        assert_eq!(scenario.runs.len(), 3);
        assert!(scenario.swept && scenario.runs.iter().all(|run| run.machine.node_count() == 8));
        let none = set(SWEPT, &["machine.links=2", "seed=5", "machine.shape=[16]"]).unwrap();
        assert_eq!((none.runs.len(), none.swept, none.runs[0].seed), (1, false, 5));
        assert_eq!(none.runs[0].machine.node_count(), 16);
        let more = set(SWEPT, &["sweep.seed=[1]", "sweep.\"program.compute_cycles\"=[1,2]"]).unwrap();
        assert_eq!(more.runs.len(), 4);
    }

    #[test]
    fn a_table_in_braces_is_one_value() {
        let text = "[machine]\nkind = \"ring\"\nshape = [8]\n\
                    link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }\n";
        let latency = |setting: &str| {
            let run = set(text, &[setting]).unwrap().runs.remove(0);
            run.physical_links.as_ref().map(|links| links.classes()[0].time().latency > 0)
        };
        assert_eq!(latency("machine.link={ bandwidth = \"25 GB/s\" }"), Some(false));
        assert_eq!(latency("machine.link.bandwidth=\"25 GB/s\""), Some(true));
    }

    #[test]
    fn a_size_that_is_set_ends_the_sweep_of_the_same_in_other_units() {
        let text = "machine = { kind = \"ring\", shape = [8], link = { bandwidth = \"50 GB/s\" } }\n\
                    mapping.embeddings = [\"xor\"]\n[sweep]\n\"program.bytes\" = [\"1 KiB\", \"2 KiB\"]\n";
        assert_eq!(set(text, &["program.units=1000"]).unwrap().runs.len(), 1);
    }

    #[test]
    fn keys_of_cases_are_set_for_all_of_them() {
        let cases = "machine = { kind = \"ring\", shape = [8] }\nmapping.embeddings = [\"xor\"]\n\
                     [[sweep.cases]]\nseed = 1\n\"machine.links\" = 1\n[[sweep.cases]]\nseed = 2\n";
        let seeds = set(cases, &["seed=3"]).unwrap();
        let combinations: Vec<usize> = seeds.runs.iter().map(|run| run.combination.len()).collect();
        assert_eq!(combinations, [1, 0]);
        assert!(seeds.runs.iter().all(|run| run.seed == 3));
        assert_eq!(set(cases, &["seed=3", "machine.links=1"]).unwrap().runs.len(), 1);
        let both = set(cases, &["machine.links=2"]).unwrap();
        assert_eq!(both.runs.iter().map(|run| run.seed).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_member_of_swept_tables_is_set_in_each_of_them() {
        let sweep = "[sweep]\n\"program.compute_noise\" = [{ kind = \"uniform\", max = 3 }, { kind = \"uniform\", max = 5 }]\n";
        let text =
            format!("machine = {{ kind = \"ring\", shape = [8] }}\nmapping.embeddings = [\"xor\"]\n{sweep}");
        let noise = |settings: &[&str]| -> Vec<String> {
            let runs = set(&text, settings).unwrap().runs;
            runs.iter().map(|run| format!("{:?}", run.program.noise)).collect()
        };
        let (before, after) = (noise(&[]), noise(&["program.compute_noise.max=7"]));
        assert_eq!((before.len(), after.len()), (2, 2));
        assert!(before[0] != before[1] && after[0] == after[1] && after[0].contains('7'), "{after:?}");
        assert_eq!(noise(&["program.compute_noise={kind=\"uniform\",max=7}"]).len(), 1);
    }

    #[test]
    fn a_wrong_value_is_an_error_at_its_place_in_the_setting() {
        assert_eq!(
            set(SWEPT, &["program.compute_cycles=many"]).unwrap_err().lines().next().unwrap(),
            "--set:1:24: program.compute_cycles is \"many\", expected an integer from 0 to 2^63 - 1"
        );
        assert!(set(SWEPT, &["machine.lnks=1"]).unwrap_err().starts_with("--set:1:9: unknown key \"lnks\""));
    }

    #[test]
    fn a_text_without_key_or_value_sets_nothing() {
        for wrong in ["", "seed", "=1", "a b=1"] {
            assert_eq!(wrong.parse::<Setting>().map(|_| ()), Err(SettingError), "{wrong}");
        }
        assert_eq!("program.bytes=64 MiB".parse::<Setting>().unwrap().text(), "program.bytes=\"64 MiB\"");
    }
}
