//! Values that a sweep sets, as people read them.

/// A swept value as tables show it: a shape as files of results have it, a file without its folder, others as they
/// are written.
pub(crate) fn shown(path: &str, value: &str) -> String {
    let lengths = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match (path.rsplit('.').next(), lengths) {
        (Some("shape"), Some(lengths)) => lengths.split(',').map(str::trim).collect::<Vec<_>>().join("x"),
        (Some("file"), _) => plain(value).rsplit('/').next().unwrap_or_default().to_owned(),
        _ if value.starts_with('{') => without_keys(value),
        _ => plain(value),
    }
}

/// A table in braces without its braces and keys: `{ kind = "ring", shape = [9] }` as `ring, [9]`.
fn without_keys(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_key = |place: usize| words.get(place + 1) == Some(&"=");
    let values =
        words.iter().enumerate().filter(|&(place, word)| !is_key(place) && !["{", "}", "="].contains(word));
    values.map(|(_, word)| word.replace('"', "")).collect::<Vec<_>>().join(" ")
}

/// A value without the quotes that it is written with.
pub(crate) fn plain(value: &str) -> String {
    value.trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_values_are_shown_shorter_than_they_are_written() {
        assert_eq!(shown("machine.shape", "[16, 8]"), "16x8");
        assert_eq!(shown("machine.file", "\"../configs/torus-8x8.toml\""), "torus-8x8.toml");
        assert_eq!(shown("program.guest", "{ kind = \"ring\", shape = [9] }"), "ring, [9]");
        assert_eq!(shown("machine.links", "\"full-duplex\""), "full-duplex");
        assert_eq!(shown("program.stages", "[0, 1]"), "[0, 1]");
    }
}
