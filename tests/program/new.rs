//! `new`: scenarios that the program itself accepts.

use super::command::{Scratch, done, refused, run};

const COMPLETE: [&str; 7] = ["new", "--machine", "torus", "--shape", "8x8", "--program", "cc-cube"];

#[test]
fn a_new_scenario_is_read_and_run() {
    let scratch = Scratch::empty();
    let path = scratch.path("mine.toml");
    let finished = run(&[&COMPLETE[..], &["--output", &path]].concat());
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), ""));
    assert_eq!(finished.stderr, format!("{path} is written; its runs: cubefold compare {path}\n"));
    insta::assert_snapshot!("new_scenario", scratch.read("mine.toml").replace(&path, "mine.toml"));
    assert!(done(&["check", &path]).ends_with("No errors; 4 runs.\n"));
    assert!(done(&["compare", &path]).contains("xor: 1.40x faster than standard; meets the lower bound."));
}

#[test]
fn without_an_output_it_goes_to_standard_output() {
    assert!(
        done(&COMPLETE)
            .starts_with("# What does the placement of a hypercube program cost on a torus of 8x8?\n")
    );
}

#[test]
fn a_file_that_is_there_is_written_over_with_force_only() {
    let scratch = Scratch::with(&[("mine.toml", "by hand")]);
    let path = scratch.path("mine.toml");
    let finished = run(&[&COMPLETE[..], &["--output", &path]].concat());
    assert_eq!((finished.code, scratch.read("mine.toml").as_str()), (Some(2), "by hand"));
    let said = format!(
        "error: cannot write {path}: the file exists already\n  help: overwrite it with --force, or name another \
         file\n"
    );
    assert_eq!(finished.stderr, said);
    let forced = run(&[&COMPLETE[..], &["--output", &path, "--force"]].concat());
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    assert!(scratch.read("mine.toml").contains("[machine]"));
}

#[test]
fn without_a_terminal_missing_options_are_named() {
    let stderr = refused(&["new", "--shape", "8x8"]);
    assert_eq!(
        stderr,
        "error: there is no terminal to ask on, and without --machine, --program too little is said\n  \
         help: give these options, or answer the questions on a terminal\n"
    );
}

#[test]
fn what_cannot_be_is_refused_as_in_any_scenario_and_nothing_is_written() {
    let scratch = Scratch::empty();
    let cases: [(&[&str], &str); 4] = [
        (&["--machine", "torus", "--shape", "6x6", "--program", "cc-cube"], "error: no scenario for this: "),
        (&["--machine", "torus", "--shape", "8y8", "--program", "cc-cube"], "expected lengths such as 8x8"),
        (
            &["--machine", "ring", "--shape", "8", "--program", "neighbour-exchange", "--guest", "8"],
            "expected a kind and lengths such as torus:4x6",
        ),
        (
            &["--machine", "ring", "--shape", "8", "--program", "cc-cube", "--guest", "ring:8"],
            "leave out --guest, or ask for --program neighbour-exchange",
        ),
    ];
    for (options, said) in cases {
        let finished = run(&[&["new"], options, &["--output", &scratch.path("mine.toml")]].concat());
        assert_eq!((finished.code, scratch.names()), (Some(2), vec![]), "{options:?}");
        assert!(finished.stderr.contains(said), "{options:?}: {}", finished.stderr);
        assert!(!finished.stderr.contains(".toml"), "no line that nobody wrote: {}", finished.stderr);
    }
}
