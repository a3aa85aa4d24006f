//! Jobs: the kinds of steps, and every error at its place.

use super::*;

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 2]\nlatency_cycles = 3\n[program]\n";

fn job(steps: &str) -> Files {
    Files::new(&[("s.toml", &format!("{TORUS}{steps}"))])
}

#[test]
fn ranks_outside_take_no_part() {
    let text = "[[program.steps]]\nname = \"a\"\ncompute_cycles = 9\nonly = [[0, 1, 2]]\n\
                [[program.steps]]\nname = \"b\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nover = [0]\nonly = [[1, 1, 1]]\n\
                [[program.steps]]\nname = \"c\"\nkind = \"send\"\nover = [0]\nwrap = true\nonly = [[0, 0, 1], [1, 0, 0]]\n";
    let run = job(text).load().unwrap().runs.remove(0);
    let loaded = run.program.job.as_deref().unwrap();
    let takes_part =
        |step: usize| (0..8).filter(|&rank| loaded.steps()[step].has_rank(rank)).collect::<Vec<_>>();
    assert_eq!(
        [takes_part(0), takes_part(1), takes_part(2)],
        [vec![1, 2, 5, 6], vec![4, 5, 6, 7], vec![0, 1]]
    );
    // Only the message from rank 0 to rank 1 has both of its ends among them.
    let last = run.program.body.stage_count() - 1;
    assert_eq!(run.program.body.messages(last).len(), 1);
    assert_eq!(run.program.body.facts().total_compute, 4 * 9);
    // Coordinates count along the shape of the program, whatever shape a step has of its own.
    let own_shape = "[[program.steps]]\nname = \"b\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nshape = [2, 4]\nover = [1]\n";
    assert_eq!(
        job(&format!("{own_shape}only = [[0, 0, 1]]\n")).displayed(),
        [
            "s.toml:12:8: only divides a group: rank 0 takes part and rank 2 of its group does not, expected whole groups"
        ]
    );
    assert!(job(&format!("{own_shape}only = [[1, 0, 1]]\n")).load().is_ok());
    let divided =
        "[[program.steps]]\nname = \"b\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nonly = [[1, 1, 1]]\n";
    assert_eq!(
        job(divided).displayed(),
        [
            "s.toml:10:8: only divides a group: rank 4 takes part and rank 0 of its group does not, expected whole groups"
        ]
    );
}

#[test]
fn names_and_orders_that_make_no_job_are_named() {
    let two = |second: &str| {
        job(&format!(
            "[[program.steps]]\nname = \"forward\"\ncompute_cycles = 1\n[[program.steps]]\ncompute_cycles = 2\n{second}"
        ))
    };
    let cases = [
        ("after = [\"forwad\"]", "s.toml:11:10: no step before it is called \"forwad\", expected forward"),
        (
            "name = \"b\"\nafter = [\"b\"]",
            "s.toml:12:10: no step before it is called \"b\", expected one above it",
        ),
        (
            "name = \"forward\"",
            "s.toml:11:8: two steps are called \"forward\", expected a name of its own for each",
        ),
        (
            "after = [\"forward\", \"forward\"]",
            "s.toml:11:21: \"forward\" a second time in after, expected it once",
        ),
        ("by = 2", "s.toml:11:6: by in a step that is no send, expected kind = \"send\""),
        ("only = [[0, 1, 4]]", "s.toml:11:9: coordinate 4 in only, expected one of axis 0: 0 to 3"),
        (
            "only = [[1, -1, 1]]",
            "s.toml:11:9: range [1, -1, 1] of only, expected three integers [axis, first, last] of the logical shape 4x2, all counted from 0",
        ),
        ("only = [[0, 1, 1], [0, 2, 2]]", "s.toml:11:8: only leaves no rank, expected at least one"),
    ];
    for (second, expected) in cases {
        assert_eq!(two(second).displayed(), [expected]);
    }
    assert_eq!(two("after = [\"forwad\"]").help(), "did you mean \"forward\"?");
    let itself = two("name = \"b\"\nafter = [\"b\"]").help();
    assert_eq!(itself, "a step comes after steps above it in the file, so that none waits in a circle");
    let coordinated =
        "[[program.steps]]\nname = \"a\"\ncompute_cycles = 1\n[execution]\nmode = \"coordinated\"\n";
    assert_eq!(
        job(coordinated).displayed(),
        ["s.toml:10:8: coordinated execution of a job program, expected asynchronous"]
    );
}

#[test]
fn keys_that_make_no_send_are_named() {
    let sends = [
        (
            "",
            "s.toml:6:1: over is missing in a send, expected one axis of the logical shape, such as [0], of 0 to 1",
        ),
        (
            "over = [2]",
            "s.toml:8:8: axis 2 in over of a send, expected one axis of the logical shape, such as [0], of 0 to 1",
        ),
        (
            "over = [0]\nby = 0",
            "s.toml:9:6: by is 0, expected 1, -1 or another number of ranks that is not 0",
        ),
        ("over = [0]\nwrap = 1", "s.toml:9:8: wrap is 1, expected true or false"),
    ];
    for (keys, expected) in sends {
        assert_eq!(job(&format!("[[program.steps]]\nkind = \"send\"\n{keys}\n")).displayed(), [expected]);
    }
}

#[test]
fn steps_that_send_less_than_all_are_told() {
    let notes = |keys: &str| {
        let run = job(&format!("[[program.steps]]\nname = \"a\"\nkind = \"send\"\nover = [0]\n{keys}\n"));
        run.load().unwrap().runs.remove(0).program.notes.clone()
    };
    assert_eq!(notes("by = 3"), Vec::<String>::new());
    assert_eq!(notes("by = 4"), ["step \"a\" sends nothing."]);
    assert_eq!(notes("wrap = true\nby = -4"), ["step \"a\" sends nothing."]);
    assert_eq!(
        notes("only = [[0, 2, 2]]"),
        ["step \"a\" sends nothing: an end of each message takes no part."]
    );
    let some = "step \"a\" sends 2 of 6 messages: of the others an end takes no part.";
    assert_eq!(notes("only = [[0, 2, 3]]"), [some]);
    let send = |name: &str, only: &str| {
        format!("[[program.steps]]\nname = \"{name}\"\nkind = \"send\"\nover = [0]\nonly = [[0, {only}]]\n")
    };
    let steps =
        [("a", "2, 3"), ("b", "1, 3"), ("c", "2, 2"), ("d", "1, 1")].map(|(name, only)| send(name, only));
    let run = job(&steps.concat()).load().unwrap().runs.remove(0);
    assert_eq!(
        run.notes(),
        [
            "2 steps send nothing, the first is \"c\".",
            "2 steps send a part of their messages, the first, \"a\", 2 of 6: of the others an end takes no part."
        ]
    );
}

#[test]
fn steps_of_other_numbers_of_ranks_are_refused() {
    let guest =
        "[[program.steps]]\nkind = \"neighbour-exchange\"\nguest = { kind = \"ring\", shape = [6] }\n";
    assert_eq!(
        job(guest).displayed(),
        ["s.toml:8:9: a step of 6 processes, expected 8: the ranks of the program"]
    );
    let shape = "[[program.steps]]\nname = \"a\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nshape = [4]\n";
    assert_eq!(job(shape).displayed(), ["s.toml:10:9: a step of 4 ranks, expected 8 as in the program"]);
    let unknown = "[[program.steps]]\nname = \"a\"\nkind = \"sned\"\nover = [0]\n";
    let found = job(unknown).displayed();
    assert!(found[0].starts_with("s.toml:8:8: program.kind is \"sned\", expected all-reduce,"), "{found:?}");
    assert_eq!(job(unknown).help(), "did you mean \"send\"?");
    let computation = "[[program.steps]]\nname = \"a\"\nkind = \"computation\"\ncompute_cycles = 4\n";
    assert_eq!(job(computation).help(), "a step with compute_cycles or compute alone is a computation");
}

#[test]
fn a_matrix_is_that_of_the_groups_of_an_axis() {
    let grouped = |over: &str, matrix: &str| {
        let step = format!(
            "[[program.steps]]\nname = \"experts\"\nkind = \"traffic\"\nfile = \"m.csv\"\nform = \"matrix-dense\"\n{over}"
        );
        let text = format!("[machine]\nkind = \"torus\"\nshape = [2, 3]\n[program]\nshape = [2, 3]\n{step}");
        Files::new(&[("s.toml", &text), ("m.csv", matrix)])
    };
    let matrix = "0 1 5\n2 0 7\n1 0 0\n";
    let run = grouped("over = [1]\n", matrix).load().unwrap().runs.remove(0);
    let messages = run.program.body.messages(0);
    let of_ranks: Vec<(u32, u32, u64)> = messages
        .iter()
        .map(|message| (message.source.label(), message.destination.label(), message.units))
        .collect();
    // Ranks 0, 2, 4 are a group, and 1, 3, 5.
    let expected = [
        (0, 2, 1),
        (0, 4, 5),
        (1, 3, 1),
        (1, 5, 5),
        (2, 0, 2),
        (2, 4, 7),
        (3, 1, 2),
        (3, 5, 7),
        (4, 0, 1),
        (5, 1, 1),
    ];
    assert_eq!(of_ranks, expected);
    assert_eq!(
        run.program.notes,
        [
            "m.csv: the hottest rank of a group, 2, receives 12 units, 2.25 times the mean; they bound the step from below."
        ]
    );
    let even = grouped("over = [0]\n", "0 4\n4 0\n").load().unwrap().runs.remove(0);
    assert!(even.program.notes.is_empty(), "{:?}", even.program.notes);
    let wrong = grouped("over = [0]\n", matrix).displayed();
    assert_eq!(
        wrong,
        ["s.toml:9:8: a matrix of 3 rows, expected 2: the ranks of a group along the axes of over"]
    );
    let no_axis = grouped("over = [2]\n", matrix).displayed();
    assert_eq!(no_axis.len(), 1);
    assert!(
        no_axis[0].contains("over of a traffic step is a list of 1, expected axes of the logical shape"),
        "{no_axis:?}"
    );
}
