//! Short forms of swept values in tables, pictures and sentences.

use toml::{Table, Value};

use super::collective::hierarchical;

/// The last word of a key's path, which heads its column unless two keys end alike.
#[must_use]
pub fn last_word(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// A swept value as results show it: a shape as in files of results, wrapped dimensions in words, a file without its
/// folder, a table by its values, anything else as written.
#[must_use]
pub fn short_value(path: &str, value: &str) -> String {
    let key = last_word(path);
    let parsed = toml::from_str::<Table>(&format!("value = {value}")).ok();
    match parsed.as_ref().and_then(|table| table.get("value")) {
        Some(parsed) => short(key, parsed),
        None => value.trim_matches('"').to_owned(),
    }
}

/// A swept value in the name of a run: a word, a file, a shape or bytes alone, anything else after its key, such as
/// `units 64`.
#[must_use]
pub fn named_value(path: &str, value: &str) -> String {
    let (key, shown) = (last_word(path), short_value(path, value));
    // Words that say nothing without their key.
    let is_opaque = ["all", "auto", "best", "false", "none", "true"].contains(&&*shown);
    let is_word = shown.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_opaque;
    let is_size = key == "shape" || key == "bytes" && shown.ends_with('B');
    if is_word || is_size || is_of_files(key) { shown } else { format!("{} {shown}", key.replace('_', " ")) }
}

fn short(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if is_of_files(key) => text.rsplit('/').next().unwrap_or(text).to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(entries) => list(key, entries),
        Value::Table(entries) => algorithm_of_levels(entries).unwrap_or_else(|| table(entries)),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(time) => time.to_string(),
    }
}

/// Whether a key names a file, whose folder is irrelevant in a table.
fn is_of_files(key: &str) -> bool {
    ["file", "matrix", "edges", "destinations", "groups", "hosts", "allocation"].contains(&key)
}

fn list(key: &str, entries: &[Value]) -> String {
    let words = || entries.iter().map(|entry| short(key, entry));
    match (key, entries) {
        ("shape", _) => words().collect::<Vec<_>>().join("x"),
        ("wrap", _) => wrap(&entries.iter().map(|entry| entry.as_bool() == Some(true)).collect::<Vec<_>>()),
        // Steps, cases and other lists of tables.
        (_, [Value::Table(_), ..]) => words().collect::<Vec<_>>().join("; "),
        _ => format!("[{}]", words().collect::<Vec<_>>().join(", ")),
    }
}

/// The wrapping of the dimensions: a torus, a mesh, or each dimension.
fn wrap(dimensions: &[bool]) -> String {
    if dimensions.iter().all(|dimension| *dimension) {
        return "torus".to_owned();
    }
    if dimensions.iter().all(|dimension| !dimension) {
        return "mesh".to_owned();
    }
    let words = dimensions.iter().map(|wraps| if *wraps { "around" } else { "open" });
    words.collect::<Vec<_>>().join(" ")
}

/// The algorithm of a table `{ hierarchical = { inner = .., outer = .., chunks = .. } }`.
fn algorithm_of_levels(entries: &Table) -> Option<String> {
    let levels = entries.get("hierarchical").filter(|_| entries.len() == 1)?.as_table()?;
    let of_level = |level: &str| levels.get(level)?.as_str();
    let chunks = levels.get("chunks").map_or(Some(1), |chunks| u64::try_from(chunks.as_integer()?).ok());
    Some(hierarchical::name(of_level("inner")?, of_level("outer")?, chunks?))
}

/// The values of a table: its name or kind and its shape come first, numbers and booleans have their keys.
fn table(entries: &Table) -> String {
    if let Some(Value::String(name)) = entries.get("name") {
        return name.clone();
    }
    let of = |key: &str| entries.get(key).map(|value| short(key, value));
    let first: Vec<String> = [of("kind"), of("shape")].into_iter().flatten().collect();
    let first = Some(first.join(" ")).filter(|words| !words.is_empty());
    let others = entries.iter().filter(|(key, _)| !["kind", "shape"].contains(&key.as_str()));
    let word = |(key, value): (&String, &Value)| match value {
        Value::String(_) | Value::Table(_) => short(key, value),
        _ => format!("{key} {}", short(key, value)),
    };
    first.into_iter().chain(others.map(word)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_values_are_shown_shorter_than_they_are_written() {
        assert_eq!(short_value("machine.shape", "[16, 8]"), "16x8");
        assert_eq!(short_value("machine.wrap", "[true, false]"), "around open");
        assert_eq!(short_value("machine.file", "\"../configs/torus-8x8.toml\""), "torus-8x8.toml");
        assert_eq!(short_value("program.matrix", "\"a/b/m.npy\""), "m.npy");
        assert_eq!(short_value("program.guest", "{ kind = \"ring\", shape = [9] }"), "ring 9");
        assert_eq!(short_value("machine.links", "\"full-duplex\""), "full-duplex");
        assert_eq!(short_value("program.stages", "[0, 1]"), "[0, 1]");
    }

    #[test]
    fn words_name_runs_alone_and_numbers_after_their_keys() {
        let named = [
            ("program.algorithm", "\"ring\"", "ring"),
            ("machine.shape", "[8, 8]", "8x8"),
            ("program.file", "\"a/2.csv\"", "2.csv"),
            ("machine.router.buffer_units", "4", "buffer units 4"),
            ("program.bytes", "\"64 KiB\"", "64 KiB"),
            ("program.bytes", "4096", "bytes 4096"),
            ("program.ports", "\"all\"", "ports all"),
            ("machine.hosts_forward", "true", "hosts forward true"),
        ];
        for (path, value, name) in named {
            assert_eq!(named_value(path, value), name);
        }
    }

    #[test]
    fn tables_are_shown_by_their_values() {
        let link = "{ bandwidth = \"50 GB/s\", latency = \"1 us\" }";
        assert_eq!(short_value("machine.link", link), "50 GB/s, 1 us");
        assert_eq!(short_value("machine.failed", "{ seed = 3, links = 2 }"), "links 2, seed 3");
        let steps =
            "[{ name = \"forward\", compute = \"1 ms\" }, { kind = \"all-reduce\", bytes = \"1 MiB\" }]";
        assert_eq!(short_value("program.steps", steps), "forward; all-reduce, 1 MiB");
        let levels = "{ hierarchical = { inner = \"ring\", outer = \"direct\" } }";
        assert_eq!(short_value("program.algorithm", levels), "hierarchical ring/direct");
        let levels = "{ hierarchical = { inner = \"ring\", outer = \"direct\", chunks = 4 } }";
        assert_eq!(short_value("program.algorithm", levels), "hierarchical ring/direct in 4 chunks");
    }
}
