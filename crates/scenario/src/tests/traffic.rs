//! Traffic matrices and stencils: every format, and every error at its place.

use cubefold_simulator::StageMessage;

use super::*;

const TRAFFIC: &str = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"traffic\"\n";

/// The same with bytes.
const IN_BYTES: &str = "[machine]\nkind = \"ring\"\nshape = [4]\nlink = { bandwidth = \"64 GB/s\" }\n\
                        [program]\nkind = \"traffic\"\n";

fn files(head: &str, keys: &str, name: &str, text: &str) -> Files {
    let scenario = format!("{head}{keys}\nfile = \"{name}\"\n[mapping]\nembeddings = [\"standard\"]\n");
    Files::new(&[("s.toml", &scenario), (name, text)])
}

fn messages(files: &Files) -> (Vec<(u32, u32, u64)>, Vec<String>) {
    let run = files.load().unwrap().runs.remove(0);
    let listed =
        |message: &StageMessage| (message.source.label(), message.destination.label(), message.units);
    (run.program.body.messages(0).iter().map(listed).collect(), run.program.notes.clone())
}

/// The matrix that every format below has.
const EXPECTED: [(u32, u32, u64); 4] = [(0, 1, 40), (1, 2, 7), (2, 0, 130), (3, 1, 1)];

#[test]
fn every_format_gives_the_same_messages() {
    let banner = "%%MatrixMarket matrix";
    let texts = [
        ("m.csv", "0,40,0,0\n0,5,7,0\n130,0,0,0\n0,1,0,0\n".to_owned()),
        ("m.txt", "# who to whom\n 0 40 0 0\n0\t5 7 0 # a remark\n\n130 0 0 0\n0 1 0 0\n".to_owned()),
        ("m.csv", "\u{feff}0, 4e1, 0.0, 0\r\n0, 5, +7, 0\r\n130.00, 0, 0, 0\r\n0, 1, 0, 0\r\n".to_owned()),
        ("t.csv", "source,destination,units\n3,1,1\n2,0,130\n1,1,5\n0,1,40\n1,2,7\n0,2,0\n".to_owned()),
        (
            "m.mtx",
            format!(
                "{banner} coordinate integer general\n% x\n4 4 5\n1 2 40\n2 3 7\n3 1 130\n4 2 1\n2 2 5\n"
            ),
        ),
        (
            "m.mtx",
            format!("{banner} COORDINATE Real General\n\n4 4 5\n1 2 4.0e1\n2 3 7.\n3 1 130\n4 2 1\n2 2 5\n"),
        ),
        (
            "m.mtx",
            format!("{banner} array real general\n4 4\n0\n0\n130\n0\n40\n5\n0\n1\n0\n7\n0\n0\n0\n0\n0\n0\n"),
        ),
        (
            "t.csv",
            "from,to,bytes # a remark\n3,1,1\n# another\n2,0,130 # one\n1,1,5\n0,1,4e1\n1,2,7\n".to_owned(),
        ),
        ("t.csv", "source\tdestination\tunits\n3.0 1.0 1\n2.0 0.0 130\n1 1 5\n0 1 40\n1, 2, 7\n".to_owned()),
        ("m.txt", "# a remark\n4\n0, 40, 0, 0\n0, 5, 7, 0\n130, 0, 0, 0 # here\n0, 1, 0, 0\n".to_owned()),
        ("m.txt", "4\n\n0 40 0 0\n0 5 7 0\n130 0 0 0\n0 1 0 0\n".to_owned()),
        ("m.dat", "0 40 0 0\n0 5 7 0\n130 0 0 0\n0 1 0 0\n".to_owned()),
        ("m.dat", "4\n\n0 40 0 0\n0 5 7 0\n130 0 0 0\n0 1 0 0\n".to_owned()),
        ("m.dat", "4 0 40 0 0 0 5 7 0\n130 0 0 0 0 1 0 0\n0 40 0 0 0 5 7 0 130 0 0 0 0 1 0 0".to_owned()),
    ];
    for (name, text) in texts {
        let (found, notes) = messages(&files(TRAFFIC, "", name, &text));
        assert_eq!(found, EXPECTED, "{text}");
        assert!(notes.contains(&format!("{name}: 1 entry on the diagonal, 5, is not sent.")), "{notes:?}");
    }
}

#[test]
fn numpy_arrays_of_any_type_and_order_give_the_same_messages() {
    let rows = [[0, 40, 0, 0], [0, 5, 7, 0], [130, 0, 0, 0], [0, 1, 0, 0_u8]];
    let by_rows: Vec<u8> = rows.concat();
    let by_columns: Vec<u8> = (0..16).map(|place| rows[place % 4][place / 4]).collect();
    let wide = |numbers: &[u8]| {
        numbers.iter().flat_map(|&number| f64::from(number).to_be_bytes()).collect::<Vec<_>>()
    };
    let arrays = [
        numpy_file("|u1", "False", "(4, 4)", &by_rows),
        numpy_file("|u1", "True", "(4, 4)", &by_columns),
        numpy_file(">f8", "False", "(4, 4)", &wide(&by_rows)),
        numpy_file(">f8", "True", "(4, 4)", &wide(&by_columns)),
    ];
    for array in arrays {
        // Contents tell what a file is, not its name.
        let files = files(TRAFFIC, "", "m.csv", "");
        fs::write(files.directory.path().join("m.csv"), array).unwrap();
        assert_eq!(messages(&files).0, EXPECTED);
    }
    let refused = |array: Vec<u8>| {
        let files = files(TRAFFIC, "", "m.npy", "");
        fs::write(files.directory.path().join("m.npy"), array).unwrap();
        files.displayed()
    };
    assert_eq!(
        refused(numpy_file("|u1", "False", "(2, 2, 2)", &[0; 8])),
        ["m.npy: an array of shape [2, 2, 2], expected [n, n] with n from 1 to 1048576 (2^20)"]
    );
    assert_eq!(
        refused(numpy_file("|i1", "False", "(2, 2)", &[0, 255, 1, 0])),
        ["m.npy: entry [0, 1] is -1, expected at least 0"]
    );
    let not_finite = [0.0, f32::NAN, 1.0, f32::INFINITY].map(f32::to_le_bytes).concat();
    assert_eq!(
        refused(numpy_file("<f4", "False", "(2, 2)", &not_finite)),
        ["m.npy: entry [0, 1] is NaN, expected a number", "m.npy: entry [1, 1] is inf, expected a number"]
    );
    let too_large = [0.0, 1e300, 1.0, 0.0].map(f64::to_le_bytes).concat();
    assert_eq!(
        refused(numpy_file("<f8", "False", "(2, 2)", &too_large)),
        ["m.npy: entry [0, 1] is 1e300, expected less than 2^63"]
    );
}

#[test]
fn symmetric_matrices_stand_for_both_directions() {
    let banner = "%%MatrixMarket matrix";
    for text in [
        format!("{banner} coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n"),
        format!("{banner} array integer symmetric\n3 3\n0\n1\n0\n0\n1\n1\n"),
    ] {
        let (found, _) = messages(&files(TRAFFIC, "", "s.mtx", &text));
        assert_eq!(found, [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)], "{text}");
    }
}

#[test]
fn amounts_are_scaled_and_rounded_up_to_units() {
    let text = "0,1000,64,1\n65,0,0,0\n0,0.5,0,0\n0,0,0,12\n";
    let (found, notes) = messages(&files(IN_BYTES, "", "b.csv", text));
    assert_eq!(found, [(0, 1, 16), (0, 2, 1), (0, 3, 1), (1, 0, 2), (2, 1, 1)]);
    assert_eq!(notes[1..], ["b.csv: 4 messages are rounded up to whole units.".to_owned()]);
    let (found, _) = messages(&files(IN_BYTES, "scale = 128", "b.csv", text));
    assert_eq!(found, [(0, 1, 2000), (0, 2, 128), (0, 3, 2), (1, 0, 130), (2, 1, 1)]);
    // In floating-point numbers 1.1 * 10 is more than 11.
    let (found, notes) = messages(&files(TRAFFIC, "scale = 10.0", "b.csv", "0,1.1\n0.25,0\n"));
    assert_eq!(found, [(0, 1, 11), (1, 0, 3)]);
    assert_eq!(notes, ["b.csv: 1 message is rounded up to whole units."]);
    let (_, notes) = messages(&files(IN_BYTES, "", "t.csv", "source,destination,units\n0,1,64\n"));
    assert_eq!(notes, ["t.csv: the column units is read as bytes, because the machine has a bandwidth."]);
}

#[test]
fn rounds_and_processes_are_those_asked_for() {
    let keys = "rounds = 3\nprocesses = 4\ncompute_cycles = 5";
    let files = files(TRAFFIC, keys, "m.csv", "0,1\n2,0\n");
    let run = files.load().unwrap().runs.remove(0);
    assert_eq!((run.program.body.stage_count(), run.program.body.process_count()), (3, 4));
    assert_eq!(run.program.body.facts().total_compute, 3 * 4 * 5);
    assert_eq!(run.program.notes, ["m.csv: 2 processes have no messages, the first is 2."]);
    // Fewer processes than rows make no difference.
    let fewer = self::files(TRAFFIC, "processes = 2", "m.csv", "0,1,0\n2,0,0\n0,1,0\n");
    assert_eq!(fewer.load().unwrap().runs[0].program.body.process_count(), 3);
}

#[test]
fn ranks_1_to_n_of_n_and_one_processes_count_from_0() {
    let of =
        |keys: &str| messages(&files(TRAFFIC, keys, "t.csv", "source,destination,units\n1,2,5\n2,1,5\n"));
    assert_eq!(of("").0, [(0, 1, 5), (1, 0, 5)]);
    assert!(of("").1.iter().any(|note| note.contains("counted from 1")));
    let (messages, notes) = of("processes = 3");
    assert_eq!(messages, [(1, 2, 5), (2, 1, 5)]);
    assert_eq!(notes, ["t.csv: process 0 has no messages."]);
    assert_eq!(of("processes = 4").0, [(0, 1, 5), (1, 0, 5)]);
}

#[test]
fn errors_stand_at_their_places() {
    let wrong = |name: &str, text: &str| files(TRAFFIC, "", name, text).displayed();
    for (rows, error) in [
        ("0,1,2\n1,0,2\n", "1:1: 3 columns in a matrix of 2 rows, expected as many as rows"),
        ("0,1\n1\n", "2:1: 1 columns in a matrix of 2 rows, expected as many as rows"),
        ("0, -1\n1,0\n", "1:4: an entry is -1, expected at least 0"),
        ("0 nan\n1 0\n", "1:3: an entry is \"nan\", expected a number"),
        ("0,9223372036854775808\n1,0\n", "1:3: an entry is 9223372036854775808, expected less than 2^63"),
        ("3,0\n0,2\n", " nothing to send, expected an entry above 0 off the diagonal"),
        ("", " nothing to send, expected an entry above 0 off the diagonal"),
        ("# nothing\n", " nothing to send, expected an entry above 0 off the diagonal"),
    ] {
        assert_eq!(wrong("a.csv", rows), [format!("a.csv:{error}")]);
    }
    assert_eq!(
        wrong("a.csv", "0,x\n,0\n"),
        ["a.csv:1:3: an entry is \"x\", expected a number", "a.csv:2:1: an entry is \"\", expected a number"]
    );
    for (row, error) in [
        ("0,1", "2 fields, expected 3 as in the header"),
        ("1,1048576,2", "a rank is 1048576, expected an integer below 2^20"),
        ("O,1,3", "ranks \"O\" and 1, expected numbers in all rows, or names in all"),
        ("00,1,4", "the pair 00, 1 a second time, expected it once; the first is in line 2"),
    ] {
        let found = wrong("t.csv", &format!("source,destination,bytes\n0,1,3\n\n{row}\n"));
        assert_eq!(found, [format!("t.csv:4:1: {error}")]);
    }
    assert_eq!(
        wrong("a.dat", "3\n0 1 2\n1 0 3\n"),
        ["a.dat:1:1: 6 numbers after n = 3, expected 9 or 18: one or two matrices"]
    );
    assert_eq!(
        wrong("a.dat", "2\n0 1 2 0\n0 3 2 0\n"),
        [
            "a.dat: two different matrices, expected matrix = 1 or 2 to say which is the flow; their first rows are \
             \"0 1\" and \"0 3\""
        ]
    );
    let second = files(TRAFFIC, "matrix = 2", "a.dat", "2\n0 1 2 0\n0 3 2 0\n");
    assert_eq!(messages(&second).0, [(0, 1, 3), (1, 0, 2)]);
}

#[test]
fn errors_of_matrix_market_stand_at_their_places() {
    let wrong = |header: &str, rest: &str| {
        files(TRAFFIC, "", "a.mtx", &format!("%%MatrixMarket matrix {header}\n{rest}")).displayed()
    };
    for (header, rest, error) in [
        ("coordinate integer general", "2 2 2\n1 2 5\n", "1 entries, expected 2, as many as announced"),
        ("array real general", "2 2\n0\n1\n", "2 numbers, expected 4, as many as the matrix has"),
        (
            "coordinate integer general",
            "2 3 1\n1 2 5\n",
            "3 columns in a matrix of 2 rows, expected as many as rows",
        ),
    ] {
        assert_eq!(wrong(header, rest), [format!("a.mtx:2:1: {error}")]);
    }
    assert_eq!(
        wrong("coordinate integer general", "2 2 3\n1 3 5\n0 1 1\n1 2\n"),
        [
            "a.mtx:3:3: column is 3, expected an integer from 1 to 2",
            "a.mtx:4:1: row is 0, expected an integer from 1 to 2",
            "a.mtx:5:1: 2 fields, expected 3"
        ]
    );
    assert_eq!(
        wrong("coordinate integer symmetric", "3 3 2\n1 2 5\n2 1 5\n"),
        [
            "a.mtx:4:1: the pair 1, 2 a second time, expected it once; the first is in line 3",
            "a.mtx:4:1: the pair 2, 1 a second time, expected it once; the first is in line 3"
        ]
    );
    for header in ["coordinate complex general", "coordinate real skew-symmetric", "array pattern general"] {
        let expected = format!(
            "a.mtx:1:1: a Matrix Market file of \"matrix {header}\", expected matrix coordinate or array, integer, \
             real or pattern, general or symmetric"
        );
        assert_eq!(wrong(header, "2 2 1\n1 2 5 0\n"), [expected]);
    }
}

#[test]
fn a_matrix_larger_than_the_machine_is_refused() {
    let rows = "0,1,0,0,0\n".repeat(5);
    assert_eq!(
        files(TRAFFIC, "", "m.csv", &rows).displayed(),
        ["s.toml:9:15: 5 processes on 4 nodes, expected at most 4 for standard"]
    );
    let two = files(TRAFFIC, "processes_per_node = 2", "m.csv", &rows);
    assert!(two.load().is_ok());
    let nine = files(TRAFFIC, "processes_per_node = 2", "m.csv", &"0,1,0,0,0,0,0,0,0\n".repeat(9));
    assert_eq!(nine.displayed(), ["s.toml:9:15: 9 processes on 4 nodes, expected at most 8 for standard"]);
    assert!(nine.help().starts_with("program.processes_per_node puts as many processes on each node"));
}

#[test]
fn keys_that_a_matrix_does_not_have_are_refused() {
    let wrong = |keys: &str, name: &str| files(TRAFFIC, keys, name, "0,1\n1,0\n").displayed();
    assert_eq!(
        wrong("matrix = 1", "a.csv"),
        ["s.toml:6:10: program.matrix of \"a.csv\", which has one matrix, expected none"]
    );
    let scales = [
        ("0", "expected a number above 0"),
        ("-2", "expected a number above 0"),
        ("0x10", "expected a number"),
        ("1e30", "expected less than 2^63"),
        ("1e-40", "expected at most 19 digits, and 30 after the point"),
    ];
    for (scale, expected) in scales {
        let told = format!("s.toml:6:9: program.scale is {scale}, {expected}");
        assert_eq!(wrong(&format!("scale = {scale}"), "a.csv"), [told]);
    }
    let (found, _) = messages(&files(TRAFFIC, "", "a.csv", "Source, Destination, Bytes\n0, 1, 7\n"));
    assert_eq!(found, [(0, 1, 7)]);
}

const STENCIL: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n[program]\nkind = \"neighbour-exchange\"\n\
                       guest = { kind = \"torus\", shape = [4, 4] }\n";

fn stencil(keys: &str) -> Files {
    Files::new(&[("s.toml", &format!("{STENCIL}{keys}\n"))])
}

#[test]
fn stencils_have_the_sizes_that_are_asked_for() {
    let sizes = |keys: &str| {
        let run = stencil(&format!("communication = \"stencil\"\n{keys}")).load().unwrap().runs.remove(0);
        let peers = run.program.body.messages(0);
        let of_first = peers.iter().filter(|peer| peer.source.label() == 0);
        of_first.map(|of_first| (of_first.destination.label(), of_first.units)).collect::<Vec<_>>()
    };
    let faces = [1, 3, 4, 12];
    assert_eq!(sizes("units = 7"), faces.map(|process| (process, 7)));
    let all = [(1, 9), (3, 9), (4, 9), (5, 2), (7, 2), (12, 9), (13, 2), (15, 2)];
    assert_eq!(sizes("neighbours = \"all\"\nunits = [9, 2]"), all);
    assert_eq!(sizes("neighbours = \"edges\"\nunits = [9, 2]"), all);
    // 2 layers of cells of 3 units: 2 * 10 along dimension 1, 2 * 5 along dimension 0, 2 * 2 at corners.
    let cells = [(1, 60), (3, 60), (4, 30), (5, 12), (7, 12), (12, 30), (13, 12), (15, 12)];
    for bytes in ["3", "\"3 B\""] {
        let keys = format!("neighbours = \"all\"\ncells = [5, 10]\nwidth = 2\ncell_bytes = {bytes}");
        assert_eq!(sizes(&keys), cells);
    }
}

#[test]
fn keys_that_make_no_stencil_are_named() {
    for (keys, error) in [
        (
            "neighbours = \"all\"\nunits = [9]",
            "9:9: program.units is a list of 1, expected one value, or 2 entries: one for each number of dimensions that differ",
        ),
        (
            "cells = [3]\ncell_bytes = 8",
            "8:9: program.cells is a list of 1, expected 2 lengths, one a dimension",
        ),
        (
            "cells = [3, 3]\ncell_bytes = 8\nunits = 4",
            "10:9: both program.units and cells, expected one of them",
        ),
        ("units = 4\nwidth = 2", "9:9: program.width without program.cells, expected it beside them"),
        (
            "cells = [3, 3]\ncell_bytes = \"0.5 B\"",
            "9:14: program.cell_bytes is \"0.5 B\", expected a whole number of bytes, at least 1",
        ),
        ("sets = 4", "8:8: program.sets with communication stencil, which has none"),
    ] {
        let found = stencil(&format!("communication = \"stencil\"\n{keys}")).displayed();
        assert_eq!(found, [format!("s.toml:{error}")]);
    }
    let shift = "s.toml:7:14: program.neighbours with communication shift, which has none";
    assert_eq!(stencil("neighbours = \"all\"").displayed(), [shift]);
}

#[test]
fn a_note_says_how_an_ambiguous_matrix_is_read() {
    let text = "0 1 4096\n1 2 4096\n2 0 4096\n";
    let (_, notes) = messages(&files(TRAFFIC, "", "t.txt", text));
    assert_eq!(
        notes[0],
        "t.txt: read as matrix-triples, could also be matrix-dense: form = \"matrix-dense\" chooses."
    );
    assert!(!notes.iter().any(|note| note.contains("column bytes")), "{notes:?}");
    let (_, notes) = messages(&files(TRAFFIC, "form = \"matrix-triples\"", "t.txt", text));
    assert!(!notes.iter().any(|note| note.contains("read as")), "{notes:?}");
    let told = files(TRAFFIC, "form = \"dense\"", "t.txt", text).displayed();
    assert!(
        told.len() == 1 && told[0].contains("matrix-dense") && told[0].contains("matrix-triples"),
        "{told:?}"
    );
}

#[test]
fn ranks_go_by_the_numbers_of_their_names() {
    let order = "its 4 names are ranks in the order of their numbers: rank 0 is r";
    // The matrix above with its ranks in the order 0, 3, 1, 2.
    let rows = ["0,0,40,0", "0,0,1,0", "0,0,5,7", "130,0,0,0"];
    let labels = |names: [&str; 4]| {
        let rows: String = names.iter().zip(rows).map(|(name, row)| format!("{name},{row}\n")).collect();
        format!(",{}\n{rows}", names.join(","))
    };
    for (text, first) in [
        (labels(["r0", "r3", "r1", "r2"]), "0"),
        (labels(["r1", "r4", "r2", "r3"]), "1"),
        ("src,dst,units\nr3,r1,1\nr2,r0,130\nr0,r1,40\nr1,r2,7\n".to_owned(), "0"),
    ] {
        let (found, notes) = messages(&files(TRAFFIC, "", "m.csv", &text));
        assert_eq!(found, EXPECTED, "{text}");
        assert!(notes[0].contains(&format!("{order}{first}")), "{notes:?}");
        assert!(!notes[0].contains("first mention"), "{notes:?}");
    }
    // Other names keep their order.
    let (found, notes) = messages(&files(TRAFFIC, "", "m.csv", &labels(["r0", "r5", "r1", "r2"])));
    assert_eq!(found[0], (0, 2, 40));
    assert!(notes[0].contains("its 4 names are ranks: rank 0 is r0"), "{notes:?}");
}
