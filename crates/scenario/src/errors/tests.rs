use miette::Diagnostic as _;

use super::*;
use crate::source_file::SourceFile;

#[test]
fn an_error_moves_to_the_mark_that_is_preferred() {
    let source = SourceFile::excerpt(Path::new("a.toml"), "one two".to_owned(), 0);
    let (one, two) = (Place::new(&source, 0..3), Place::new(&source, 4..7));
    let error = ScenarioError::at(&one, "wrong", "here").because(Some(&two), "and there");
    assert_eq!(error.to_string(), "a.toml:1:1: wrong");
    let moved = error.led_by(|place| two.contains(place));
    assert_eq!((moved.to_string().as_str(), moved.marked()), ("a.toml:1:5: wrong", Some("two")));
    let labels: Vec<_> = moved.report().labels().unwrap().map(|label| label.offset()).collect();
    assert_eq!(labels, [4, 0]);
}

#[test]
fn three_of_the_errors_that_are_alike_are_told() {
    let source = SourceFile::excerpt(Path::new("a.toml"), "0123456789".to_owned(), 0);
    let at = |place: usize, message: String| {
        ScenarioError::at(&Place::new(&source, place..place + 1), message, "here")
    };
    let mut errors: Vec<ScenarioError> =
        (0..6).map(|stage| at(stage, format!("stage {stage} uses \"{stage}x\""))).collect();
    errors.insert(4, at(9, "something else".to_owned()));
    let all = errors.len() as u64;
    let errors = ScenarioErrors::new(first_errors(errors));
    let messages: Vec<&str> = errors.iter().map(ScenarioError::message).collect();
    assert_eq!(messages[..3], ["stage 0 uses \"0x\"", "stage 1 uses \"1x\"", "stage 2 uses \"2x\""]);
    assert_eq!(messages[3..], ["something else"]);
    assert_eq!(errors.count(), all);
    let helps: Vec<Option<String>> =
        errors.iter().map(|error| error.report().help().map(|help| help.to_string())).collect();
    assert_eq!(helps, [None, None, Some("and 3 more like this one".to_owned()), None]);
}

#[test]
fn from_the_twentieth_error_on_they_are_counted() {
    let errors = ('a'..='y').map(|letter| ScenarioError::of_file(Path::new("a.toml"), letter));
    let errors = first_errors(errors.collect());
    assert_eq!(errors.len(), MAX_REPORTED);
    assert_eq!(errors[19].report().help().unwrap().to_string(), "and 5 more errors in this file");
}

#[test]
fn a_foreign_key_is_told_with_the_kind_that_has_none() {
    let source = SourceFile::excerpt(Path::new("a.toml"), "torus 2".to_owned(), 0);
    let (kind, key) = (Place::new(&source, 0..5), Place::new(&source, 6..7));
    let error = ScenarioError::foreign_key("program.guest.levels", &key, "torus", Some(&kind));
    assert_eq!(error.to_string(), "a.toml:1:7: program.guest.levels with a torus, which has none");
    let labels: Vec<_> = error
        .report()
        .labels()
        .unwrap()
        .map(|label| (label.offset(), label.label().unwrap().to_owned()))
        .collect();
    assert_eq!(labels, [(6, "not of this kind".to_owned()), (0, "a torus".to_owned())]);
    assert_eq!(error.report().help().unwrap().to_string(), "remove it, or change program.guest.kind");
}

#[test]
fn marks_in_other_files_are_told_in_the_help() {
    let here = SourceFile::excerpt(Path::new("a.toml"), "one".to_owned(), 0);
    let there = SourceFile::excerpt(Path::new("b.toml"), "\ntwo".to_owned(), 0);
    let error = ScenarioError::at(&Place::start(&here), "wrong", "here")
        .because(Some(&Place::new(&there, 1..4)), "8 nodes")
        .with_help("mend it");
    assert_eq!(error.report().help().unwrap().to_string(), "mend it\nb.toml:2:1: 8 nodes");
    assert_eq!(error.report().labels().unwrap().count(), 1);
}

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
