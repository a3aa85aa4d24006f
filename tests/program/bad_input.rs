//! Wrong input is refused at its place, and nothing is touched.

use std::fs;

use super::command::{Finished, PROGRAM, Scratch, run};

/// A ring of 8 with nothing wrong, three lines long.
const RING: &str = "[machine]\nkind = \"ring\"\nshape = [8]\n";

/// The mistake, the text after `RING`, and each error: its place and its words.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Every kind of bad input, on a machine that is right.
const ON_A_RING: &[Case] = &[
    (
        "a stage out of range",
        "[program]\nstages = [0, 3]\n",
        &[("5:14", "stage 1 uses dimension 3, expected 0 to 2")],
    ),
    (
        "hops of no cycles",
        "hop_cycles = 0\n",
        &[("4:14", "machine.hop_cycles is 0, expected an integer from 1")],
    ),
    (
        "an unknown embedding",
        "[mapping]\nembeddings = [\"standard\", \"xro\"]\n",
        &[(
            "5:27",
            "embedding is \"xro\", expected standard, xor, byweight, gray, optimal, random, random-groups, hilbert, block, cyclic, tao, tao:NAME, axes, greenberg, greenberg:NAME, polymorphic, even-squeeze, chan, cs838, cs838:NAME, truncation, plane=N or file:PATH",
        )],
    ),
    (
        "a count of cycles that would overflow",
        "[program]\ncompute_cycles = 9223372036854775807\n",
        &[("5:18", "cycle count would overflow: up to 27670116110564327517 cycles, expected less than")],
    ),
    (
        "a sweep of a path that does not exist",
        "[sweep]\n\"machine.lnks\" = [1]\n",
        &[("5:1", "unknown path \"machine.lnks\", expected a key of this file")],
    ),
    (
        "a sweep without values",
        "[sweep]\n\"machine.links\" = []\n",
        &[("5:19", "sweep of machine.links is an empty list, expected a list of at least one value")],
    ),
    (
        "a combination that is invalid",
        "[sweep]\n\"machine.kind\" = [\"ring\", \"torus\"]\n\"machine.shape\" = [[8], [4, 4]]\n",
        &[("6:25", "2 lengths, expected 1: a ring has one dimension")],
    ),
    ("a misspelt key", "lnks = 1\n", &[("4:1", "unknown key \"lnks\" in [machine], expected kind, shape")]),
    ("a value of another type", "links = true\n", &[("4:9", "machine.links is true, expected full-duplex")]),
    ("a fraction", "hop_cycles = 1.5\n", &[("4:14", "machine.hop_cycles is 1.5, expected an integer")]),
    ("not a number", "hop_cycles = nan\n", &[("4:14", "machine.hop_cycles is nan, expected an integer")]),
    ("a key twice", "shape = [4]\n", &[("4:1", "duplicate key")]),
    ("no TOML", "hop_cycles = \n", &[("4:14", "not TOML")]),
];

/// The same, with machines that are wrong themselves.
const WHOLE: &[Case] = &[
    (
        "a shape that is not a power of two",
        "machine = { kind = \"torus\", shape = [6, 8] }\n",
        &[("1:37", "shape 6x8 has 48 nodes, expected a power of two")],
    ),
    (
        "a length under 2",
        "machine = { kind = \"torus\", shape = [8, 1] }\n",
        &[("1:41", "length of dimension 2 is 1, expected at least 2")],
    ),
    (
        "fewer wrap entries than dimensions",
        "machine = { kind = \"torus\", shape = [4, 4], wrap = [true] }\n",
        &[("1:52", "1 wrap entries, expected 2, one for each dimension")],
    ),
    (
        "more wrap entries than dimensions",
        "machine = { kind = \"torus\", shape = [4, 4], wrap = [true, true, false] }\n",
        &[("1:52", "3 wrap entries, expected 2, one for each dimension")],
    ),
    (
        "more than 2^32 nodes",
        "machine = { kind = \"torus\", shape = [65536, 65536, 2] }\n",
        &[("1:37", "8589934592 nodes, expected at most 4294967296 (2^32)")],
    ),
    (
        "an empty file",
        "",
        &[("1:1", "machine.kind is missing, expected line"), ("1:1", "machine.shape is missing")],
    ),
    (
        "a machine file that is not there",
        "machine.file = \"no.toml\"\n",
        &[("1:16", "machine file \"no.toml\" cannot be read: No such file")],
    ),
    (
        "a placement file that is not there",
        "machine = { kind = \"ring\", shape = [8] }\nmapping.embeddings = [\"file:no.csv\"]\n",
        &[("2:23", "embedding file:no.csv cannot be read: No such file")],
    ),
];

/// A message without the ends of its lines, so that it can be searched.
fn unwrapped(stderr: &str) -> String {
    stderr.replace("\n  │ ", " ")
}

/// Runs a command on `path` with results for a file that exists, and asserts that it is refused untouched.
fn refused(scratch: &Scratch, command: &[&str]) -> Finished {
    fs::write(scratch.path("kept.json"), "kept").unwrap();
    let names = scratch.names();
    let finished = run(&[command, &["--color", "never", "--output", &scratch.path("kept.json")]].concat());
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{command:?}");
    assert_eq!((scratch.read("kept.json").as_str(), scratch.names()), ("kept", names), "{command:?}");
    finished
}

fn assert_told(what: &str, text: &str, errors: &[(&str, &str)]) {
    let scratch = Scratch::with(&[("s.toml", text)]);
    let path = scratch.path("s.toml");
    for command in ["run", "compare", "measure", "place", "tables", "check"] {
        let stderr = unwrapped(&refused(&scratch, &[command, &path]).stderr);
        for (place, said) in errors {
            // The mark in the file, and the message in words.
            for part in [format!("[{path}:{place}]"), (*said).to_owned()] {
                assert!(stderr.contains(&part), "{what}: no {part:?} in\n{stderr}");
            }
        }
        let count = errors.len();
        let last = format!("{count} error{}; nothing was run\n", if count == 1 { "" } else { "s" });
        assert!(stderr.ends_with(&last), "{what}: {stderr}");
    }
}

#[test]
fn every_kind_of_wrong_value_is_refused_at_its_place_by_every_command() {
    for (what, text, errors) in ON_A_RING {
        assert_told(what, &format!("{RING}{text}"), errors);
    }
}

#[test]
fn every_kind_of_wrong_machine_is_refused_at_its_place_by_every_command() {
    for (what, text, errors) in WHOLE {
        assert_told(what, text, errors);
    }
}

#[test]
fn all_errors_of_a_file_are_told_at_once() {
    assert_told(
        "several",
        "nmae = \"x\"\n[machine]\nkind = \"ring\"\nshape = [1]\nhop_cycles = 0\n[program]\nstages = [\"0\"]\n\
         [mapping]\nembeddings = [\"xr\"]\n[sweep]\n\"machine.lnk\" = [1]\n",
        &[
            ("1:1", "unknown key \"nmae\""),
            ("4:10", "length of dimension 1 is 1"),
            ("5:14", "machine.hop_cycles is 0"),
            ("7:11", "dimension of stage 0 is \"0\", expected an integer"),
            ("9:15", "embedding is \"xr\""),
            ("11:1", "unknown path \"machine.lnk\""),
        ],
    );
}

#[test]
fn the_errors_of_all_files_are_told() {
    let right = format!("{RING}hop_cycles = 2\n");
    let scratch = Scratch::with(&[
        ("a.toml", format!("{RING}hop_cycles = 0\n")),
        ("b.toml", right),
        ("c.toml", format!("{RING}[program]\nstages = [3]\n")),
    ]);
    let paths = ["a.toml", "b.toml", "c.toml", "no.toml"].map(|name| scratch.path(name));
    let stderr = refused(&scratch, &["run", &paths[0], &paths[1], &paths[2], &paths[3]]).stderr;
    assert!(stderr.contains(&format!("[{}:4:14]", paths[0])), "{stderr}");
    assert!(stderr.contains(&format!("[{}:5:11]", paths[2])), "{stderr}");
    assert!(unwrapped(&stderr).contains("no.toml: scenario file cannot be read"), "{stderr}");
    assert!(!stderr.contains("b.toml") && stderr.ends_with("3 errors; nothing was run\n"), "{stderr}");
}

#[test]
fn a_wrong_machine_file_and_a_wrong_placement_file_are_marked_themselves() {
    let scratch = Scratch::with(&[
        ("s.toml", "machine.file = \"m.toml\"\n"),
        ("m.toml", "kind = \"torus\"\nshape = [4, 6]\nlinks = 4\n"),
        ("t.toml", "machine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"file:p.csv\"]\n"),
        ("p.csv", "process,p_1\n0,0\n1,4\n2,0\n3,2\n"),
    ]);
    let stderr = refused(&scratch, &["run", &scratch.path("s.toml"), &scratch.path("t.toml")]).stderr;
    for place in ["m.toml:3:9", "p.csv:3:3"] {
        assert!(stderr.contains(&format!("[{}]", scratch.path(place))), "no {place} in\n{stderr}");
    }
}

#[test]
fn rows_are_not_touched_either() {
    let scratch =
        Scratch::with(&[("s.toml", format!("{RING}hop_cycles = 0\n")), ("rows.csv", "kept".to_owned())]);
    let rows = scratch.path("rows.csv");
    refused(&scratch, &["run", &scratch.path("s.toml"), "--processes", &rows]);
    assert_eq!(scratch.read("rows.csv"), "kept");
}

#[test]
fn what_is_no_readable_text_is_refused() {
    let scratch = Scratch::with(&[("s.toml", &b"name = \"\xff\""[..]), ("zeros.toml", &[0; 64][..])]);
    for path in [scratch.path("s.toml"), scratch.path("zeros.toml"), scratch.path("")] {
        let finished = refused(&scratch, &["run", &path]);
        assert!(finished.stderr.ends_with("; nothing was run\n"), "{}", finished.stderr);
    }
}

#[test]
fn a_sweep_of_more_runs_than_a_million_is_refused_at_once() {
    let list = (0..1001).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let text = format!("{RING}[sweep]\nseed = [{list}]\n\"program.compute_cycles\" = [{list}]\n");
    assert_told("too many runs", &text, &[("4:1", "3006003 runs, expected at most 1000000 in one file")]);
}

/// The standard error for a scenario that is refused.
fn rendered(text: &str) -> String {
    let scratch = Scratch::with(&[("s.toml", text)]);
    // A short path, so that lines end at the same places in every folder.
    let output = super::command::program()
        .current_dir(scratch.path(""))
        .args(["check", "s.toml", "--color", "never"])
        .output()
        .unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn errors_are_drawn_with_the_text_in_question() {
    insta::assert_snapshot!(
        "several_errors",
        rendered(
            "nmae = \"x\"\n[machine]\nkind = \"tours\"\nshape = [8, 1]\nhop_cycles = 0\n[mapping]\n\
         embeddings = [\"xor\", \"grey\"]\n"
        )
    );
    insta::assert_snapshot!(
        "sweep_combination",
        rendered(
            "[machine]\nkind = \"ring\"\n[sweep]\n\"machine.links\" = [1, 2]\n\"machine.shape\" = [[8], [6]]\n"
        )
    );
    insta::assert_snapshot!(
        "cycle_overflow",
        rendered(
            "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\ncompute_cycles = 9223372036854775807\n"
        )
    );
    insta::assert_snapshot!("not_toml", rendered("[machine]\nkind = torus\nshape = [8, 8\n"));
}

#[test]
fn errors_that_nobody_reads_change_no_exit_code() {
    let scratch = Scratch::with(&[("s.toml", "nmae = \"x\"\n")]);
    let (scenario, missing) = (scratch.path("s.toml"), scratch.path("missing/r.json"));
    let cases = [
        vec!["check", scenario.as_str()],
        vec!["run", "scenarios/figure-4.toml", "--output", missing.as_str()],
    ];
    for arguments in cases {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(PROGRAM.as_str());
        let output = command.current_dir(super::command::root()).args(&arguments).stderr(writer).output();
        assert_eq!(output.unwrap().status.code(), Some(2), "{arguments:?}");
    }
}
