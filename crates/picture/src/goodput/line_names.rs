//! The names of the lines of a picture of goodput: the algorithm, and the settings in which runs of one size differ.

use std::collections::{BTreeMap, BTreeSet};

use cubefold_scenario::{last_word, short_value};

use crate::results_table::ResultsTable;

/// The name of each row's line: the algorithm, and the other settings that differ among the rows, except sizes.
pub(super) fn line_names(results: &ResultsTable) -> Vec<String> {
    let names = names_by_columns(results);
    let marks = swept_marks(results, &names);
    names.into_iter().zip(marks).map(|(name, marks)| [vec![name], marks].concat().join(", ")).collect()
}

/// The swept settings that have no column, and with which rows of one name differ at one size: such as `channels 8`.
fn swept_marks(results: &ResultsTable, names: &[String]) -> Vec<Vec<String>> {
    const SIZES: [&str; 4] = ["program.bytes", "program.units", "program.sizes", "seed"];
    let swept: Vec<BTreeMap<&str, &str>> = (results.words("sweep").unwrap_or_default().iter())
        .map(|text| text.split("; ").filter_map(|setting| setting.split_once(" = ")).collect())
        .collect();
    let makespans = results.words("makespan_cycles").unwrap_or_default();
    let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for ((settings, name), makespan) in swept.iter().zip(names).zip(makespans) {
        let sizes = SIZES.map(|key| settings.get(key));
        alike.entry((name, sizes)).or_default().push((settings, makespan));
    }
    let mut differ = BTreeSet::new();
    for ((name, _), rows) in alike {
        let (first, makespan) = rows[0];
        if rows.iter().any(|row| row.1 != makespan) {
            let keys = first.iter().filter(|(key, _)| !SIZES.contains(key));
            let differing = keys.filter(|(key, value)| rows.iter().any(|row| row.0.get(*key) != Some(value)));
            differ.extend(differing.map(|(key, _)| (*key, name)));
        }
    }
    let marks = |(settings, name): (&BTreeMap<&str, &str>, &String)| {
        let differing = settings.iter().filter(|(key, _)| differ.contains(&(**key, name)));
        let mark = |(key, value): (&&str, &&str)| {
            let word = last_word(key).replace('_', " ");
            format!("{word} {}", short_value(key, value))
        };
        differing.map(mark).collect()
    };
    let mut marks: Vec<Vec<String>> = swept.iter().zip(names).map(marks).collect();
    marks.resize(names.len(), vec![]);
    marks
}

/// Whether rows of one size that agree in all other parts of their names differ in this one.
fn distinguishes(results: &ResultsTable, parts: &[(&str, Vec<&str>)], place: usize) -> bool {
    let sizes = ["program_vector_units", "program_vector_bytes"].map(|name| results.words(name));
    let mut known: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
    (0..results.row_count()).any(|row| {
        let others = parts.iter().enumerate().filter(|(other, _)| *other != place).map(|(_, part)| &part.1);
        let words = others.chain(sizes.iter().flatten()).map(|words| words.get(row).copied().unwrap_or(""));
        let own = parts[place].1.get(row).copied().unwrap_or("");
        *known.entry(words.collect()).or_insert(own) != own
    })
}

/// Columns that an algorithm, or its size, may decide: `exchange = "best"` takes the faster one, and channels have a
/// processor each.
const CHOSEN: [&str; 3] = ["program_exchange", "program_logical_shape", "machine_processors_per_node"];

/// The name of each row by its columns.
fn names_by_columns(results: &ResultsTable) -> Vec<String> {
    const ALWAYS: &str = "program_algorithm";
    // These grow with the size, or belong to the algorithm.
    const LEFT_OUT: [&str; 7] = [
        "program_vector_units",
        "program_vector_bytes",
        "program_message_bytes",
        "program_stage_units",
        "program_processes",
        "machine_cycle_nanoseconds",
        "machine_latency_rounding_nanoseconds",
    ];
    let is_asked = |name: &str| {
        let is_part = ["machine_", "program_", "execution_"].iter().any(|part| name.starts_with(part));
        (is_part || name == "embedding" || name == "scenario") && !LEFT_OUT.contains(&name)
    };
    let mut parts: Vec<(&str, Vec<&str>)> = vec![];
    for name in results.names().filter(|name| is_asked(name)) {
        let words = results.words(name).unwrap_or_default();
        // A setting that an algorithm ignores makes no difference.
        let mut given: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
        given.dedup();
        if name == ALWAYS || given.len() > 1 {
            let rank = if name == ALWAYS { 0 } else { parts.len() };
            parts.insert(rank, (name, words));
        }
    }
    for chosen in CHOSEN {
        if let Some(place) = parts.iter().position(|(name, _)| *name == chosen)
            && !distinguishes(results, &parts, place)
        {
            parts.remove(place);
        }
    }
    let parts: Vec<(String, Vec<&str>)> =
        parts.into_iter().map(|(name, words)| (label(name), words)).collect();
    let name = |row: usize| {
        let word = |(label, words): &(String, Vec<&str>)| {
            let word = words.get(row).copied().filter(|word| !word.is_empty())?;
            if label == "ports" {
                return Some(if word == "1" { "1 port".to_owned() } else { format!("{word} ports") });
            }
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || b". ".contains(&byte));
            let is_switch = ["true", "false"].contains(&word);
            // Words that say little alone.
            let is_named = ["order", "fold"].contains(&label.as_str());
            Some(if is_number || is_switch || is_named { format!("{label} {word}") } else { word.to_owned() })
        };
        let words: Vec<String> = parts.iter().filter_map(word).collect();
        if words.is_empty() { "goodput".to_owned() } else { words.join(", ") }
    };
    (0..results.row_count()).map(name).collect()
}

/// The label of a column in names of lines, before numbers.
fn label(column: &str) -> String {
    let name = ["machine_", "program_", "execution_"].iter().find_map(|part| column.strip_prefix(part));
    name.unwrap_or(column).replace('_', " ")
}
