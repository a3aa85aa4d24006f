//! Wrong sweeps, and values that are wrong only in some combination.

use super::*;

#[test]
fn paths_of_sweeps() {
    check(&[
        (
            "[sweep]\n\"machine.lniks\" = [1]",
            &["5:1: unknown path \"machine.lniks\", expected a key of this file"],
        ),
        (
            "[sweep]\nmachine.links = [1]\nprogram = { compute_cycles = [3] }",
            &[
                "5:1: unquoted path machine.links, expected \"machine.links\"",
                "6:1: unquoted path program.compute_cycles, expected \"program.compute_cycles\"",
            ],
        ),
        ("[sweep]\nmachine = [1]", &["5:1: path \"machine\" names a table, expected one of its keys"]),
        (
            "[sweep]\nseed = [1]\n[[sweep.cases]]\nseed = 2",
            &["7:1: seed both in a case and in the sweep, expected it in one"],
        ),
    ]);
    let quoted = help(&format!("{RING}[sweep]\nmachine.links = [1]"));
    assert_eq!(quoted, "quote the path: \"machine.links\" = ..");
    for path in ["links", "\"machine.lniks\""] {
        let help = help(&format!("{RING}[sweep]\n{path} = [1]"));
        assert!(help.starts_with("did you mean \"machine.links\"?\nknown paths: name, seed, machine.kind,"));
    }
    assert!(help(&format!("{RING}[[sweep.case]]\nseed = 1")).starts_with("did you mean \"cases\"?"));
}

#[test]
fn sweeps_without_values() {
    check(&[
        (
            "[sweep]\n\"machine.links\" = []",
            &["5:19: sweep of machine.links is an empty list, expected a list of at least one value"],
        ),
        (
            "[sweep]\n\"machine.links\" = 1",
            &["5:19: sweep of machine.links is 1, expected a list of at least one value"],
        ),
        (
            "[sweep]\ncases = []",
            &["5:9: sweep.cases is an empty list, expected at least one table: [[sweep.cases]]"],
        ),
        ("[sweep]\ncases = [{}, 3]", &["5:14: case of a sweep is 3, expected a table of paths and values"]),
    ]);
    check_whole(&[("sweep = 3", &["1:9: sweep is 3, expected a table: [sweep]"])]);
}

#[test]
fn errors_of_combinations_are_marked_in_the_sweep() {
    check(&[
        (
            "[sweep]\n\"machine.shape\" = [[8], [6], [4, 1]]",
            &[
                "5:25: shape 6 has 6 nodes, expected a power of two: program.dimensions is its logarithm unless given",
                "5:34: length of dimension 2 is 1, expected at least 2",
            ],
        ),
        // The error is in the file and is reported there without a combination.
        (
            "[sweep]\n\"machine.kind\" = [\"ring\", \"hypercube\"]",
            &["5:27: length of dimension 1 is 8, expected 2: all lengths of a hypercube are 2"],
        ),
        (
            "[program]\nstages = [0, 2]\n[sweep]\n\"machine.shape\" = [[8], [4]]",
            &["7:25: stage 1 uses dimension 2, expected 0 to 1"],
        ),
        (
            "[program]\ndimensions = 3\n[sweep]\n\"program.dimensions\" = [3, 4]",
            &[
                "7:28: shape 8 has 8 nodes for 16 processes, expected as many nodes as processes for standard, xor and byweight",
            ],
        ),
        (
            "[sweep]\n\"machine.kind\" = [\"ring\", \"torus\"]\n\"machine.shape\" = [[8], [4, 4]]",
            &["6:25: 2 lengths, expected 1: a ring has one dimension"],
        ),
    ]);
}

#[test]
fn errors_of_combinations_are_told_once_and_counted() {
    let text = format!(
        "{RING}wrap = [true]\n[sweep]\n\"machine.links\" = [1, 2, 3]\n[[sweep.cases]]\nseed = 1\n\
         [[sweep.cases]]\n\"machine.kind\" = \"torus\"\n\"machine.shape\" = [4, 4]\n"
    );
    assert_eq!(errors(&text), ["11:19: 1 wrap entries, expected 2, one for each dimension"]);
    assert_eq!(
        help(&text),
        "in 3 of 6 combinations: the first with machine.links = 1, machine.kind = \"torus\", machine.shape = [4, 4]"
    );
    // Bounds differ between combinations; the value to blame is reported once.
    let text = format!(
        "{RING}[sweep]\nseed = [1, 2]\n\"program.compute_cycles\" = [9223372036854775807, 1]\n\"machine.hop_cycles\" = [1, 2, 3]"
    );
    assert_eq!(errors(&text).len(), 1);
    assert!(help(&text).ends_with(
        "in 6 of 12 combinations: the first with seed = 1, \
        program.compute_cycles = 9223372036854775807, machine.hop_cycles = 1"
    ));
    // An error in every combination does not mention combinations.
    let everywhere = format!("{RING}links = \"fullduplex\"\n[sweep]\nseed = [1, 2]");
    assert_eq!(help(&everywhere), "did you mean \"full-duplex\"?");
}

#[test]
fn sweeps_of_more_than_a_million_runs_are_refused_without_making_them() {
    let thousand: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let list = thousand.join(", ");
    let text = format!("{RING}[sweep]\nseed = [{list}]\n\"program.compute_cycles\" = [{list}]");
    assert_eq!(errors(&text), ["4:1: 3000000 runs, expected at most 1000000 in one file"]);
    let paths =
        ["machine.hop_cycles", "seed", "name", "program.dimensions", "program.stages", "program.kind"];
    let keys: Vec<String> = paths.map(|path| format!("\"{path}\" = [{list}]\n")).into();
    let text = format!("{RING}[sweep]\n{}", keys.concat());
    assert_eq!(errors(&text), ["4:1: 3000000000000000000 runs, expected at most 1000000 in one file"]);
}
