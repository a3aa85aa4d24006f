//! Large files are recognised by a sample of them, as small ones are by all their lines.

use std::fmt::Write;

use cubefold_formats::inspection::Inspection;
use serde_json::Value;

use crate::support::answer;

/// A line, by its number.
type Line = fn(usize) -> String;

/// A format, its first lines, its rows, its last lines, and how many rows a large file has.
type Large = (&'static str, &'static str, Line, &'static str, usize);

const ROWS: usize = 16_384; // the square of 128

const LARGE: &[Large] = &[
    ("matrix-triples", "", |row| format!("{} {} {row}", row / 200, row % 200), "", ROWS),
    ("matrix-dense", "", |row| vec![format!("{}", 1000 + row); 300].join(" "), "", 300),
    ("pair-table", "src,dst,bytes\n", |row| format!("{},{},{row}", row / 200, row % 200), "", ROWS),
    ("edge-list", "", |row| format!("{row} {}", row + 1), "", ROWS),
    ("link-table", "from,to\n", |row| format!("node{row},leaf{}", row % 9), "", ROWS),
    ("weighted-edge-list", "", |row| format!("{row} {} 1.5 # {row}", row + 1), "", ROWS),
    (
        "adjacency-list",
        "",
        |row| {
            format!("{row} {} {}", (row + 1) % ROWS, vec![format!("{}", (row + 2) % ROWS); row % 2].join(""))
        },
        "",
        ROWS,
    ),
    (
        "metis-graph",
        "16384 16383\n",
        |row| match row {
            0 => "2".to_owned(),
            16_383 => "16383".to_owned(),
            _ => format!("{row} {}", row + 2),
        },
        "",
        ROWS,
    ),
    ("qaplib", "128\n\n", |row| format!("{}", 10_000_000 + row), "", ROWS),
    ("host-list", "", |row| format!("node{row} slots=8"), "", ROWS),
    ("labelled-hostnames", "", |row| format!("{row}: node{}", row / 8), "", ROWS),
    (
        "open-mpi-monitoring",
        "",
        |row| format!("E\t{}\t{}\t5 bytes\t1 msgs sent", row / 200, row % 200),
        "",
        ROWS,
    ),
    ("open-mpi-bindings", "", |row| format!("[n{row}:7] MCW rank {row} bound to socket 0"), "", ROWS),
    (
        "osu",
        "# OSU MPI Latency Test v7.5\n# Size       Latency (us)\n",
        |row| format!("{row}   1.90"),
        "",
        ROWS,
    ),
    (
        "paraver",
        "#Paraver (10/04/2001 at 18:21):620244_ns:1(4):1:2(1:1,1:1)\n",
        |_| "3:1:1:1:1:5:5:2:1:2:1:6:9:4096:7".to_owned(),
        "",
        ROWS,
    ),
    ("simgrid-ti", "0 init\n1 init\n", |_| "0 send 1 0 10 6".to_owned(), "", ROWS),
    ("goal", "num_ranks 2\nrank 0 {\n", |row| format!("l{row}: send 8b to 1"), "}\n", ROWS),
    ("graphviz-dot", "graph g {\n", |row| format!("n{row} -- m{row};"), "}\n", ROWS),
    (
        "ipm-xml",
        "<ipm><task mpi_rank=\"0\" mpi_size=\"2\" host=\"a\">\n",
        |_| "<hent call=\"MPI_Send\" bytes=\"8\" orank=\"1\" count=\"1\"/>".to_owned(),
        "</task></ipm>\n",
        ROWS,
    ),
    (
        "kineto",
        "{\"traceEvents\": [\n",
        |row| {
            format!(
                "{{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": {row}, \"dur\": 1, \"args\": {{\"Collective name\": \"allreduce\", \"In msg nelems\": 4, \"dtype\": \"Float\"}}}},"
            )
        },
        "{}], \"distributedInfo\": {\"rank\": 0, \"world_size\": 2}}\n",
        4000,
    ),
    // A table in the middle of a log.
    (
        "perftest",
        "",
        |row| {
            match row {
        8_000 => " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n 65536 1000 97.0 96.0 0.1".to_owned(),
        _ => format!("node7:4711 [0] NCCL INFO Channel {row} : 0 -> 1"),
    }
        },
        "",
        ROWS,
    ),
];

fn inspected(text: &str) -> Value {
    answer(&Inspection::of_bytes("file".to_owned(), text.as_bytes(), None))
}

#[test]
fn large_files_are_read_in_the_format_of_their_begin() {
    for (format, head, line, end, rows) in LARGE {
        let mut text = (*head).to_owned();
        (0..*rows).for_each(|row| writeln!(text, "{}", line(row)).unwrap());
        text.push_str(end);
        let found = inspected(&text);
        let is_weighted = *format == "weighted-edge-list";
        let expected = if is_weighted { "matrix-triples" } else { format };
        assert_eq!(
            (&found["format"], &found["errors"]),
            (&expected.into(), &Value::Array(vec![])),
            "{format}"
        );
        assert_eq!(found["read"], true, "{format}");
        assert_eq!(
            found["candidates"].as_array().unwrap().iter().any(|own| own == format),
            found["candidates"] != Value::Array(vec![]),
            "{format}"
        );
    }
}

/// The errors of rows that no sample has are found by the reader.
#[test]
fn rows_beyond_the_sample_are_checked() {
    let rows = |wrong: &str| {
        let mut text = String::new();
        (0..ROWS).for_each(|row| writeln!(text, "{} {} {row}", row / 200, row % 200).unwrap());
        let middle = text.len() * 3 / 4;
        let at = middle + text[middle..].find('\n').unwrap() + 1;
        text.insert_str(at, wrong);
        inspected(&text)
    };
    for (wrong, message) in [
        ("0 0\n", "a row without exactly 3 words"),
        ("0 0 x\n", "an entry is \"x\""),
        ("0 0 1\n", "the pair 0, 0 a second time"),
    ] {
        let found = rows(wrong);
        let error = &found["errors"][0];
        assert!(error["message"].as_str().unwrap().starts_with(message), "{error}");
        assert!(error["line"].as_u64().unwrap() > 4_000, "{error}");
    }
}
