//! Correct files, and files with an error at a known position.

use std::fmt::Write as _;

use cubefold_simulator::Requirement;

use super::*;

/// The schedule of a file with this text, or the errors without its path.
fn read_text(text: &str) -> Result<TaskSchedule, Vec<String>> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.goal");
    std::fs::write(&path, text).unwrap();
    read_schedule(&path, &Budget::default()).map_err(|failure| failure.texts(directory.path()))
}

#[test]
fn operations_are_read_with_and_without_labels_and_comments() {
    let schedule = read_text(
        "num_ranks 3 // three\n/* rank 0 {\n */ rank 2 {\r\n\tl2 requires l1\n  l1: calc 100 cpu 1\n\
         l2 : send 16b to 0 cpu 2 nic 1 tag 7\n recv 0 b from 1\n}\n\nrank 0 { recv 16b from 2 tag 7 }\n\
         rank 1 {\nx_1: send 1b to 2\nx_1 irequires y\ny: calc 5\n}",
    )
    .unwrap();
    let operations: Vec<_> = schedule
        .operations()
        .iter()
        .map(|operation| {
            (
                operation.process.label(),
                operation.kind,
                operation.amount,
                operation.peer.label(),
                operation.tag,
                operation.processor,
            )
        })
        .collect();
    assert_eq!(
        operations,
        [
            (2, OperationKind::Calc, 100, 2, 0, 1),
            (2, OperationKind::Send, 16, 0, 7, 2),
            (2, OperationKind::Receive, 0, 1, 0, 0),
            (0, OperationKind::Receive, 16, 2, 7, 0),
            (1, OperationKind::Send, 1, 2, 0, 0),
            (1, OperationKind::Calc, 5, 1, 0, 0),
        ]
    );
    let requirements = schedule.requirements();
    assert_eq!(requirements[1], [(0, Requirement::Over)]);
    assert_eq!(requirements[4], [(5, Requirement::Begun)]);
    assert_eq!(requirements.concat().len(), 2);
}

#[test]
fn wrong_lines_are_reported_at_their_places() {
    let wrong = read_text(
        "num_ranks 2\nrank 0 {\nl1: calc x\nl2: send 5 to 1\nl3: send 5b from 1\nl4: recv 5b from 2\n\
         l5: recv 5b from -1\nl6: send 5b to 1 tag 4294967296\nl7: calc 1 tag 2\nl7 needs l1\nl8: jump\n\
         l9: calc 99999999999999999999\n9: calc 1\nl3 requires\nl10: calc 1 l11: calc 2\nl10: calc 1\n\
         l12 requires l10\n}\nrank 0 {\n}\nrank 2 {\nranks\n",
    )
    .unwrap_err();
    let expected = [
        "3:10: \"x\", expected a time from 0 to 9223372036854775807",
        "4:12: \"to\", expected \"b\" after the size",
        "5:13: \"from\", expected \"to\" and a rank",
        "6:18: 2, expected a rank from 0 to 1",
        "7:18: \"-1\", expected a rank: messages of any rank are not supported",
        "8:22: 4294967296, expected a tag from 0 to 4294967295",
        "9:12: \"tag\", expected \"cpu\" or the end of the line",
        "10:4: \"needs\", expected \":\", \"requires\" or \"irequires\"",
        "11:5: \"jump\", expected \"calc\", \"send\" or \"recv\"",
        "12:10: 99999999999999999999, expected a time from 0 to 9223372036854775807",
        "13:1: 9, expected an operation, a label or \"}\"",
        "14:12: the end of the line, expected a label",
        "15:13: \"l11\", expected \"cpu\" or the end of the line",
        "17:1: l12 names no operation of this rank, expected one of its labels",
        "19:6: 0, expected a rank that has had no operations yet",
        "20:1: \"}\", expected \"rank N {\"",
        "21:6: 2, expected a rank from 0 to 1",
        "22:1: \"ranks\", expected \"rank N {\"",
    ];
    assert_eq!(wrong, expected.map(|line| format!("a.goal:{line}")));
}

#[test]
fn ranks_are_there_once_and_end() {
    let wrong = |text| read_text(text).unwrap_err();
    assert_eq!(wrong(""), ["a.goal: no ranks, expected \"num_ranks N\""]);
    assert_eq!(
        wrong("rank 0 {\n}"),
        ["a.goal:1:1: \"rank\", expected \"num_ranks N\"", "a.goal:2:1: \"}\", expected \"num_ranks N\"",]
    );
    assert_eq!(
        wrong("num_ranks 2\nrank 0 {\n"),
        ["a.goal:2:1: the operations of rank 0 have no end, expected \"}\""]
    );
    assert_eq!(
        wrong("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n")[0],
        "a.goal:4:6: 0, expected a rank that has had no operations yet"
    );
    assert_eq!(
        wrong("num_ranks 2\nrank 0 {\na: calc 1\nb requires a\na: calc 2\na requires b\n}\n"),
        [
            "a.goal:5:1: a second operation a of rank 0, expected one",
            "a.goal:4:1: b names no operation of this rank, expected one of its labels",
            "a.goal:6:12: b names no operation of this rank, expected one of its labels",
        ]
    );
    assert!(wrong("num_ranks 1048577\n")[0].starts_with("a.goal:1:11: 1048577, expected a number of ranks"));
    let few = ", expected from 2 to 1048576 ranks";
    assert_eq!(wrong("num_ranks 0\n")[0], format!("a.goal:1:11: 0{few}"));
    assert_eq!(wrong("num_ranks 1\nrank 0 {\n}\n")[0], format!("a.goal:1:11: 1{few}"));
}

#[test]
fn schedules_that_no_run_completes_are_reported_at_their_operations() {
    let wrong = |text| read_text(text).unwrap_err();
    assert_eq!(
        wrong(
            "num_ranks 2\nrank 1 {\na: calc 1\nb: calc 2\n  c: calc 3\nb requires a\nb irequires c\nc requires b\n}\n"
        ),
        ["a.goal:4:1: 2 operations require one another, expected an order in which they can begin"]
    );
    assert_eq!(
        wrong(
            "num_ranks 2\nrank 0 {\nsend 1b to 1 tag 3\n}\nrank 1 {\nrecv 1b from 0 tag 3\n recv 1b from 0 tag 3\n}\n"
        ),
        ["a.goal:7:2: a receive without a send: 2 of this rank and tag, expected as many as sends, 1"]
    );
}

#[test]
fn ten_thousand_changed_files_are_read_or_reported() {
    use rand::{RngExt, SeedableRng};
    let text = "num_ranks 3\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 16b to 1 tag 7 nic 0\nl2 requires l1\n}\n\
                rank 1 {\nl1: recv 16b from 0 tag 7\nl2: send 4b to 2\nl2 irequires l1 // so\n}\n\
                rank 2 { /* this */ recv 4b from 1\n}\n";
    let generator = &mut rand_chacha::ChaCha12Rng::seed_from_u64(17);
    let alphabet = b"{}:/*l19b -\n\xff\t";
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..10_000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..generator.random_range(1..4) {
            let at = generator.random_range(0..bytes.len().max(1));
            if at >= bytes.len() {
                break;
            }
            match generator.random_range(0..4) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, alphabet[generator.random_range(0..alphabet.len())]),
                2 => bytes[at] = alphabet[generator.random_range(0..alphabet.len())],
                _ => bytes.truncate(at.max(1)),
            }
        }
        let read = read_bytes(&bytes);
        assert_eq!(read_stream(&bytes), read, "{}", String::from_utf8_lossy(&bytes));
        match read {
            Ok(_) => right += 1,
            Err(errors) => {
                assert!(!errors.is_empty());
                wrong += 1;
            }
        }
    }
    assert!(right > 500 && wrong > 5000, "{right} are right, {wrong} wrong");
}

/// Most lines are plain; some end with a carriage return, a blank or a comment, some are longer than a chunk.
#[test]
fn plain_lines_are_read_as_all_others() {
    use rand::SeedableRng;
    let generator = &mut rand_chacha::ChaCha12Rng::seed_from_u64(71);
    let (mut operations, mut requirements, mut wrong) = (0, 0, 0);
    for _ in 0..3000 {
        let mut text = "num_ranks 40\n".to_owned();
        for rank in 0..4 {
            writeln!(text, "rank {rank} {{").unwrap();
            write_rank(&mut text, generator);
            text += "}\n";
        }
        let read = read_bytes(text.as_bytes());
        assert_eq!(read_stream(text.as_bytes()), read, "{text}");
        match read {
            Ok(schedule) => {
                operations += schedule.operations().len();
                requirements += schedule.requirements().concat().len();
            }
            Err(_) => wrong += 1,
        }
    }
    assert!(operations > 100_000, "{operations} operations");
    assert!(requirements > 10_000, "{requirements} requirements");
    assert!((100..2000).contains(&wrong), "{wrong} are wrong");
}

/// Writes operations of a rank, and requirements of many of them.
fn write_rank(text: &mut String, generator: &mut rand_chacha::ChaCha12Rng) {
    use rand::{RngExt, seq::IndexedRandom};
    let letters: Vec<char> = (0..2).map(|_| *['l', 'a', 'Z'].choose(generator).unwrap()).collect();
    let last = generator.random_range(1..40);
    let first = *[1_u64, 1, 1, 8, 95, 997, 99_990, 9_999_995].choose(generator).unwrap();
    for number in first..first + last {
        let letter = *letters.choose(generator).unwrap();
        let operation = operation(number, generator);
        let end = *["", "", "", "", "\r", " ", "\t// so", "  ", " cpu 70000"].choose(generator).unwrap();
        let end = if end == " cpu 70000" && !generator.random_ratio(1, 200) { "" } else { end };
        let start = *["", "", " ", "\t", "  "].choose(generator).unwrap();
        writeln!(text, "{start}{letter}{number}: {operation}{end}").unwrap();
        for _ in 0..generator.random_range(0..3) {
            let before = generator.random_range(first..=number);
            let requires = *["requires", "requires", "irequires"].choose(generator).unwrap();
            let other = *letters.choose(generator).unwrap();
            if before < number && (letters[0] == letters[1] || generator.random_ratio(1, 500)) {
                writeln!(text, "{start}{letter}{number} {requires} {other}{before}{}", end.trim()).unwrap();
            }
        }
    }
}

/// An operation in a random form; a few name a rank that is out of range.
fn operation(number: u64, generator: &mut rand_chacha::ChaCha12Rng) -> String {
    use rand::{Rng, RngExt};
    let peers = if generator.random_ratio(1, 500) { 50 } else { 40 };
    let peer = generator.random_range(0..peers);
    let tag = if generator.random_ratio(1, 4) { generator.next_u64() >> 32 } else { number };
    let amount = generator.next_u64() >> generator.random_range(1..64);
    match generator.random_range(0..6) {
        0 | 1 => format!("calc {amount}"),
        2 => format!("calc {amount} cpu {}", number % 3),
        3 => format!("send {amount}b to {peer}"),
        4 => format!("send {amount}b to {peer} tag {tag} cpu {} nic 1", number % 2),
        _ => format!("send {amount}b to {peer} nic 0 tag {tag}"),
    }
}

/// Reads from memory: writing 10 000 files takes longer than reading them. No line is read as plain.
fn read_bytes(bytes: &[u8]) -> Result<TaskSchedule, Vec<String>> {
    let mut reader = GoalReader::default();
    let mut report = LineReport { path: Path::new("a.goal"), errors: vec![], wrong: 0 };
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        reader.read_line(line).unwrap_or_else(|error| report.add(number, line, error));
    }
    finish(reader, report)
}

/// Reads from memory in the way files are read.
fn read_stream(bytes: &[u8]) -> Result<TaskSchedule, Vec<String>> {
    let mut reader = GoalReader::default();
    let mut report = LineReport { path: Path::new("a.goal"), errors: vec![], wrong: 0 };
    let read = read_lines_of(bytes, &mut reader, |reader, number, line| {
        if let Lines::Next(line) = line {
            reader.read_line(line).unwrap_or_else(|error| report.add(number, line, error));
        }
        Ok(())
    });
    assert!(read.is_ok());
    finish(reader, report)
}

fn finish(reader: GoalReader, mut report: LineReport<'_>) -> Result<TaskSchedule, Vec<String>> {
    let builder = reader.finish().unwrap_or_else(|(line, error)| {
        report.add(line, b"", error);
        None
    });
    report.into_result().map_err(|failure| failure.texts(Path::new(".")))?;
    let builder = builder.ok_or_else(|| vec!["no ranks".to_owned()])?;
    builder.finish().map_err(|error| vec![error.to_string()])
}
