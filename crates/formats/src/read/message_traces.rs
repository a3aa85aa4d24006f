//! Traces whose messages form a traffic matrix: Paraver, `SimGrid`, GOAL.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    format::{Complaint, Format, Read, Reading, wrong},
    input::{Ratio, text::described},
    read::{ranks::MAX_RANKS, reads},
    value::{Content, Kind, Matrix, Trace},
};

/// A trace, whose messages also form a matrix.
const HOLDS: &[Kind] = &[Kind::Trace, Kind::Matrix];

/// The trace with these messages between all its ranks, and further counts.
fn trace<const N: usize>(matrix: Matrix, counts: [(&str, Value); N]) -> Reading {
    let counts = counts.map(|(name, count)| (name.to_owned(), count)).into_iter().collect();
    let ranks = Some(matrix.size as u64);
    Content::Trace(Trace { ranks, matrix: Some(matrix), counts, ..Trace::default() }).into()
}

pub(super) static PARAVER: Format = reads(
    "paraver",
    "Extrae, Paraver (*.prv)",
    HOLDS,
    |file| file.text.starts_with("#Paraver (").into(),
    |file| read_paraver(file.lines()),
);

/// Reads the messages of a trace, line by line.
pub(super) fn read_paraver<T: AsRef<str>>(mut lines: impl Iterator<Item = (usize, T)>) -> Read {
    let header = lines.next();
    let header = header.as_ref().map_or("", |(_, line)| line.as_ref());
    let after = header.split_once("):").map_or("", |(_, after)| after);
    let mut parts = after.split(':');
    let span = parts.next().unwrap_or_default();
    let (digits, scale) = span.strip_suffix("_ns").map_or((span, 1e-6), |digits| (digits, 1e-9));
    let Ok(time) = digits.parse::<f64>() else { return wrong(1, "no length of the trace") };
    // `..:nodes(cpus):applications:tasks(..)`.
    let applications = parts.nth(1).unwrap_or_default();
    if applications != "1" {
        return wrong(1, format!("applications are {}, expected 1", described(applications)));
    }
    let tasks =
        parts.next().and_then(|part| part.split('(').next()).and_then(|count| count.parse::<usize>().ok());
    let Some(tasks) = tasks.filter(|count| (1..=1 << 20).contains(count)) else {
        return wrong(1, "no number of tasks");
    };
    let mut matrix = Matrix::new("bytes", tasks);
    let (mut messages, mut has_events) = (0_u64, false);
    for (line, text) in lines {
        let text = text.as_ref();
        has_events |= text.starts_with("2:");
        if !text.starts_with("3:") {
            continue;
        }
        let fields: Option<Vec<u64>> = text.trim().split(':').map(|field| field.parse().ok()).collect();
        let Some(fields) = fields.filter(|fields| fields.len() == 15) else {
            return wrong(line, "a message without 15 numbers");
        };
        let number = |at: usize| usize::try_from(fields[at]).ok()?.checked_sub(1);
        let task = |at: usize| number(at).filter(|index| *index < tasks);
        let (Some(from), Some(to)) = (task(3), task(9)) else {
            return wrong(
                line,
                format!("a message between tasks {} and {}, expected 1 to {tasks}", fields[3], fields[9]),
            );
        };
        matrix.add(from, to, Ratio::from(fields[13]), Some(1));
        messages += 1;
    }
    let mut reading = trace(matrix, [("messages", json!(messages)), ("seconds", json!(time * scale))]);
    if has_events {
        reading.missing.push("collectives");
    }
    Ok(reading)
}

pub(super) static SIMGRID_TI: Format = reads(
    "simgrid-ti",
    "SimGrid, time-independent traces",
    HOLDS,
    |file| {
        let mut words = file.rows().next().map_or("", |(_, row)| row).split_whitespace();
        (words.next().is_some_and(|word| word.parse::<u64>().is_ok()) && words.next() == Some("init")).into()
    },
    |file| read_actions(file.lines()),
);

/// Reads the messages of time-independent actions, line by line.
pub(super) fn read_actions<T: AsRef<str>>(lines: impl Iterator<Item = (usize, T)>) -> Read {
    let mut matrix = Matrix::new("bytes", 0);
    let (mut count, mut flops, mut is_old) = (0_u64, 0.0, false);
    let mut writers = BTreeSet::new();
    for (line, text) in lines {
        let text = text.as_ref();
        if text.trim().is_empty() {
            continue;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let rank = |word: Option<&&str>| {
            word.and_then(|word| word.parse::<usize>().ok()).filter(|number| (*number as u64) < MAX_RANKS)
        };
        let (Some(writer), Some(&action)) = (rank(words.first()), words.get(1)) else {
            return wrong(line, "no rank and action");
        };
        writers.insert(writer);
        matrix.size = matrix.size.max(writer + 1);
        count += 1;
        match action.to_ascii_lowercase().as_str() {
            "init" => is_old = words.len() > 2,
            "compute" => flops += words.get(2).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0),
            "send" | "isend" => {
                let Some(peer) = rank(words.get(2)) else {
                    return wrong(line, "a send without its destination");
                };
                let bytes =
                    sent_bytes(&words, is_old).map_err(|message| vec![Complaint { line, message }])?;
                matrix.add(writer, peer, Ratio::from(bytes), Some(1));
            }
            "recv" | "irecv" => {
                if let Some(peer) = rank(words.get(2)) {
                    matrix.size = matrix.size.max(peer + 1);
                }
            }
            _ => {}
        }
    }
    Ok(trace_of_actions(matrix, count, flops, writers.len()))
}

/// Builds a trace from `count` actions of `writers` ranks.
fn trace_of_actions(matrix: Matrix, count: u64, flops: f64, writers: usize) -> Reading {
    let is_part = writers < matrix.size || writers == 1;
    let mut reading = trace(matrix, [("operations", json!(count)), ("flops", json!(flops))]);
    if is_part {
        reading.missing.push("rows");
    }
    if flops > 0.0 {
        reading.missing.push("speed");
    }
    reading
}

/// The bytes of a send; element types are numbered.
fn sent_bytes(words: &[&str], is_old: bool) -> Result<u64, String> {
    // If there are four arguments, as in newer versions, a tag precedes the size.
    let size = words.get(4).or(words.get(3)).and_then(|word| word.parse::<u64>().ok());
    let width = match words.get(5).copied() {
        None if is_old => 8,
        None | Some("2" | "6") => 1,
        Some("0" | "4") => 8,
        Some("1" | "5") => 4,
        Some("3") => 2,
        Some(other) => return Err(format!("type {}, expected 0 to 6", described(other))),
    };
    size.and_then(|size| size.checked_mul(width)).ok_or_else(|| "a send without its size".to_owned())
}

pub(super) static GOAL: Format = reads(
    "goal",
    "GOAL of LogGOPSim, and cubefold export",
    HOLDS,
    |file| {
        let rows = file.rows().map(|(_, row)| row.trim());
        rows.filter(|row| !row.starts_with("//")).take(1).any(|row| row.starts_with("num_ranks")).into()
    },
    |file| {
        let mut matrix = Matrix::new("bytes", 0);
        let (mut rank, mut count) = (0, 0_u64);
        for (line, text) in file.rows() {
            let text = text.split("//").next().unwrap_or_default();
            let words: Vec<&str> = text.split_whitespace().collect();
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
            let below = |ranks: &usize| (*ranks as u64) < MAX_RANKS;
            match words[..] {
                ["num_ranks", ..] => match number(1).filter(below) {
                    Some(ranks) => matrix.size = ranks,
                    None => return wrong(line, "num_ranks without a number below 2^20"),
                },
                ["rank", ..] => match number(1).filter(|named| *named < matrix.size) {
                    Some(named) => rank = named,
                    None => return wrong(line, format!("no rank below {}", matrix.size)),
                },
                _ => {
                    let at = usize::from(words.first().is_some_and(|word| word.ends_with(':')));
                    count += u64::from(matches!(words.get(at), Some(&("send" | "recv" | "calc"))));
                    if words.get(at) != Some(&"send") {
                        continue;
                    }
                    let bytes =
                        words.get(at + 1).and_then(|word| word.strip_suffix('b')?.parse::<u64>().ok());
                    let (Some(bytes), Some(peer)) =
                        (bytes, number(at + 3).filter(|peer| *peer < matrix.size))
                    else {
                        return wrong(line, format!("{}, expected send Nb to RANK", described(text.trim())));
                    };
                    matrix.add(rank, peer, Ratio::from(bytes), Some(1));
                }
            }
        }
        Ok(trace(matrix, [("operations", json!(count))]))
    },
);
