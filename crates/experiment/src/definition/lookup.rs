//! Definitions by what people type.

use super::Definition;

/// How many suggestions are made.
const MAX_SUGGESTIONS: usize = 3;
/// No name is nearly as long: what is longer is not compared.
const MAX_COMPARED_LENGTH: usize = 64;
/// How alike a suggestion is at least, from 0 (nothing in common) to 1 (the same).
const MIN_LIKENESS: f64 = 0.6;

/// A name without what makes no difference.
pub(super) fn plain(term: &str) -> String {
    let joined = |character: char| match character {
        '_' | '-' | '.' => ' ',
        other => other,
    };
    let words: String = term.to_lowercase().chars().map(joined).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The definition that has this name, whatever number stands behind it.
pub(super) fn find(term: &str) -> Option<&'static Definition> {
    let term = plain(term);
    let ratio = if term.starts_with("/ ") { "/ reference" } else { &term };
    let without_number = term.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end();
    with_name(ratio).or_else(|| with_name(without_number))
}

fn with_name(term: &str) -> Option<&'static Definition> {
    // A name in the files comes before a word of the tables that happens to be the same.
    let named = |definition: &&Definition| plain(definition.name) == term;
    let called = |definition: &&Definition| definition.names().any(|name| plain(name) == term);
    Definition::all().find(named).or_else(|| Definition::all().find(called))
}

/// The names that are most like `term`, best first; those of the same likeness in their order.
pub(super) fn nearest(term: &str) -> Vec<&'static str> {
    if term.len() > MAX_COMPARED_LENGTH {
        return vec![];
    }
    let term = plain(term);
    let best = |definition: &'static Definition| {
        let alike = |name: &'static str| (strsim::normalized_damerau_levenshtein(&term, &plain(name)), name);
        definition.names().map(alike).max_by(|one, other| one.0.total_cmp(&other.0))
    };
    let mut found: Vec<(f64, &str)> =
        Definition::all().filter_map(best).filter(|(likeness, _)| *likeness >= MIN_LIKENESS).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.into_iter().map(|(_, name)| name).take(MAX_SUGGESTIONS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(term: &str) -> Option<&'static str> {
        Definition::find(term).map(|definition| definition.name)
    }

    #[test]
    fn a_term_is_found_however_it_is_written() {
        for term in ["makespan", "Makespan", "makespan_cycles", "makespan-cycles", " makespan  cycles "] {
            assert_eq!(found(term), Some("makespan_cycles"), "{term}");
        }
        assert_eq!(found("placement.dilation.max"), Some("placement_dilation_max"));
        assert_eq!(found("distance, dimension 3"), Some("placement_distances"));
        assert_eq!(found("p_12"), Some("p_1"));
        assert_eq!(found("/ tao:same-shape"), Some("ratio_to_reference"));
        assert_eq!(found("nonsense"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn the_nearest_names_are_suggested_and_nothing_far_fetched() {
        assert_eq!(nearest("makspan")[0], "makespan");
        assert_eq!(nearest("dilatoin")[0], "dilation");
        assert_eq!(nearest("xyzzy"), Vec::<&str>::new());
        assert_eq!(nearest(&"makespan".repeat(100)), Vec::<&str>::new());
    }
}
