//! Pictures that are not drawn, and why.

use super::*;

/// Asserts that a picture is refused with this message, and that nothing is written.
fn assert_refused(arguments: &[&str], message: &str) {
    let scratch = Scratch::empty();
    let output = scratch.path("picture.svg");
    let stderr = refused(&[&["draw"], arguments, &["--output", &output]].concat());
    let said = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(message), "{message}: {stderr}");
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn what_cannot_be_drawn_is_refused_with_what_can() {
    let machine = |shape: &str| {
        format!("machine = {{ kind = \"torus\", shape = {shape} }}\nmapping.embeddings = [\"xor\"]\n")
    };
    let times: Vec<u32> = (1..=130).collect();
    let many = format!("{}sweep = {{ \"program.compute_cycles\" = {times:?} }}\n", machine("[2, 2]"));
    let files =
        [("large.toml", machine("[16, 32]")), ("huge.toml", machine("[64, 128]")), ("many.toml", many)];
    let scratch = Scratch::with(&files);
    let (large, huge, many) =
        (scratch.path("large.toml"), scratch.path("huge.toml"), scratch.path("many.toml"));
    assert_refused(
        &[&FIGURE_6[..], &["--dimension", "99"]].concat(),
        "guest dimension 99, expected 0 to 5 help: name one of the guest's dimensions with --dimension",
    );
    assert_refused(
        &["space-time", &large],
        "512 processes, expected at most 256 help: draw a part, with --processes 0..31",
    );
    for what in ["placement", "links"] {
        assert_refused(&[what, &huge], "8192 nodes, expected at most 4096 help: draw a smaller machine");
    }
    assert_refused(
        &["placement", "scenarios/partition.toml"],
        "the scenario has a sweep or lists of values, expected one placement",
    );
    assert_refused(
        &["placement", "scenarios/figure-6.toml"],
        "the scenario has 2 embeddings, expected one help: name one of standard, xor with --embedding",
    );
    assert_refused(
        &["spectrum", "scenarios/square-toruses.toml"],
        "different placements, expected at most 8 help: leave out embeddings, or sweep fewer values",
    );
    assert_refused(
        &["compare", &many],
        "130 runs, expected at most 120 help: sweep fewer values, or draw scaling",
    );
}

#[test]
fn windows_outside_of_the_run_are_refused() {
    let with = |more: &[&'static str]| [&FIGURE_4[..], more].concat();
    assert_refused(
        &with(&["--processes", "8..9"]),
        "processes 8..9, expected a range from 0 to at most 7 help: name a part of the run",
    );
    assert_refused(&with(&["--cycles", "31..40"]), "cycles 31..40, expected a range from 0 to at most 30");
    assert_refused(
        &with(&["--cycles", "9..3"]),
        "expected FROM..TO with two numbers, the first at most the second, such as 0..31",
    );
}

#[test]
fn a_picture_is_written_as_nothing_but_its_formats() {
    let scratch = Scratch::empty();
    let bitmap = scratch.path("picture.bmp");
    let finished = run(&[&["draw"], &FIGURE_4[..], &["--output", &bitmap]].concat());
    let said = "error: pictures are not written as .bmp, expected .svg, .png, .pdf or .tikz\n  \
                help: end the name in one of them, or say --format svg\n";
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(2), said));
    assert_eq!(scratch.names(), Vec::<String>::new());
}

#[test]
fn wrong_results_and_columns_are_refused_with_the_known_ones() {
    let scratch = results();
    let csv = scratch.path("r.csv");
    assert_refused(
        &["scaling", &csv, "--x", "length"],
        "column \"length\" is not in the results, expected one of run, processes, nodes, seed, ",
    );
    assert_refused(&["scaling", &csv, "--y", "length"], ", makespan_cycles, ");
    assert_refused(&["scaling", &csv, "--y", "embedding"], "column \"embedding\" has no numbers");
    assert_refused(
        &["scaling", &scratch.path("none.csv")],
        "help: name what cubefold run --output wrote: .csv, .json, .jsonl or .parquet",
    );
    assert_refused(&["scaling", &scratch.path("sweep.toml")], "expected one that ends in .csv, .json,");
    let broken = Scratch::with(&[
        ("a.json", "{"),
        ("b.json", "{}"),
        ("c.parquet", "no"),
        ("d.csv", "a,b\n"),
        ("e.jsonl", "[1\n"),
    ]);
    for name in broken.names() {
        assert_refused(&["scaling", &broken.path(&name)], "help: name what cubefold run --output wrote");
    }
}

#[test]
fn a_picture_never_takes_the_place_of_what_it_is_made_from() {
    let scratch = results();
    let scenario = "machine.file = \"m.svg\"\nmapping.embeddings = [\"xor\"]\n";
    let inputs = Scratch::with(&[("s.svg", scenario), ("m.svg", "kind = \"ring\"\nshape = [8]\n")]);
    for name in ["s.svg", "m.svg"] {
        let before = inputs.read(name);
        let finished = run(&["draw", "placement", &inputs.path("s.svg"), "--output", &inputs.path(name)]);
        assert_eq!((finished.code, inputs.read(name)), (Some(2), before), "{name}");
        assert!(finished.stderr.contains("the scenarios are read from "), "{}", finished.stderr);
    }
    let csv = scratch.path("r.csv");
    let before = scratch.read("r.csv");
    let finished = run(&["draw", "scaling", &csv, "--format", "svg", "--output", &csv]);
    assert_eq!((finished.code, scratch.read("r.csv")), (Some(2), before));
    let said = format!(
        "error: cannot write {csv}: the results are read from {csv}\n  help: name another file for the picture\n"
    );
    assert_eq!(finished.stderr, said);
}
