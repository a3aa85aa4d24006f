//! Suggestions for misspelt names.

use std::fmt::Display;

/// The most letters that a name may differ in and still be taken for misspelt.
const MAX_CHANGES: usize = 3;

/// No known name is nearly as long: what is longer is not compared.
const MAX_COMPARED_LENGTH: usize = 64;

/// The known name that `found` is most likely meant to be; none when it is like no known one.
pub(super) fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    if found.len() > MAX_COMPARED_LENGTH {
        return None;
    }
    let found = found.to_lowercase();
    known
        .iter()
        .map(|&name| (strsim::damerau_levenshtein(&found, name), name))
        .filter(|&(changes, name)| changes <= MAX_CHANGES && 2 * changes <= name.len())
        .min_by_key(|&(changes, _)| changes)
        .map(|(_, name)| name)
}

/// What to do about an unknown name: the nearest known one, or else one of them all.
pub(super) fn help(found: &str, known: &[&str]) -> String {
    match nearest(found, known) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None => format!("known names: {}", known.join(", ")),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn alternatives<T: Display>(names: &[T]) -> String {
    joined(names, "or")
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn all_of<T: Display>(names: &[T]) -> String {
    joined(names, "and")
}

fn joined<T: Display>(names: &[T], word: &str) -> String {
    let texts: Vec<String> = names.iter().map(T::to_string).collect();
    match texts.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [&str; 5] = ["line", "ring", "mesh", "torus", "hypercube"];

    #[test]
    fn the_nearest_name_is_suggested_and_nothing_far_fetched() {
        assert_eq!(nearest("tours", &KINDS), Some("torus"));
        assert_eq!(nearest("Ring", &KINDS), Some("ring"));
        assert_eq!(nearest("hyper-cube", &KINDS), Some("hypercube"));
        assert_eq!(nearest("butterfly", &KINDS), None);
        assert_eq!(nearest("", &KINDS), None);
        assert_eq!(nearest(&"ring".repeat(1000), &KINDS), None);
    }

    #[test]
    fn names_are_joined_as_in_a_sentence() {
        assert_eq!(alternatives(&["a"]), "a");
        assert_eq!(alternatives(&["a", "b", "c"]), "a, b or c");
        assert_eq!(all_of(&["a", "b"]), "a and b");
    }
}
