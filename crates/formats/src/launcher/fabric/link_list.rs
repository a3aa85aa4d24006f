//! The link list of ns-3 simulations and of ASTRA-sim's ns-3 backend.
//!
//! ```text
//! 9 1 8                         nodes, switches, links
//! 8                             the numbers of the switches
//! 0 8 400Gbps 0.0005ms 0        source, destination, bandwidth, latency, error rate
//! ```
//!
//! Hosts are numbered in ascending order, then switches; all keep their numbers as names.

use std::collections::BTreeSet;

use super::{FabricFormat, FabricReading, LinkSpeed, MAX_NODES, reading::Vertex};
use crate::input::{
    Ratio,
    quantity::Measure,
    text::{Remarks, described, lines},
};

pub(super) const FORMAT: FabricFormat = FabricFormat {
    name: "a link list of ns-3 or ASTRA-sim",
    is_like: |text| {
        let mut rows = lines(text, Remarks::AfterHash);
        let first: Vec<&str> = rows.next().unwrap_or_default().split_whitespace().collect();
        let numbers = first.iter().all(|word| word.parse::<u64>().is_ok());
        numbers
            && first.len() == 3
            && rows.any(|row| row.split_whitespace().count() == 5 && row.contains("bps"))
    },
    read,
};

fn read(reading: &mut FabricReading<'_>) {
    let mut rows = lines(reading.text, Remarks::AfterHash).peekable();
    let head = rows.next().unwrap_or_default();
    let numbers: Vec<u64> = head.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let &[nodes, switches, links] = numbers.as_slice() else { return };
    if nodes > MAX_NODES.into() || switches > nodes {
        reading.complain(head, || {
            format!("{nodes} nodes with {switches} switches, expected at most {MAX_NODES} nodes, and no more switches than nodes")
        });
        return;
    }
    let mut switch_numbers = BTreeSet::new();
    while (switch_numbers.len() as u64) < switches {
        let Some(row) = rows.next_if(|row| !row.contains("bps")) else {
            let found = switch_numbers.len();
            return reading.complain(head, || format!("{found} switches listed, expected {switches}"));
        };
        for word in row.split_whitespace() {
            match word.parse::<u64>().ok().filter(|&own| own < nodes) {
                Some(own) if switch_numbers.insert(own) => {}
                _ => reading.complain(word, || {
                    format!("switch {}, expected different numbers below {nodes}", described(word))
                }),
            }
        }
    }
    let mut vertices = vec![];
    for node in 0..nodes {
        let name = node.to_string();
        let vertex = if switch_numbers.contains(&node) {
            reading.switch(&name, head)
        } else {
            reading.host(&name, head)
        };
        vertices.extend(vertex.map(|(vertex, _)| vertex));
    }
    let (mut found, mut with_errors) = (0, 0);
    for row in rows {
        found += 1;
        with_errors += u64::from(read_link(reading, row, &vertices));
    }
    if found != links && reading.is_right() {
        reading.complain(head, || format!("{found} links, expected {links} as announced here"));
    }
    if with_errors > 0 {
        reading.note(format!("the error rates of {with_errors} links are left out: no message is lost"));
    }
}

/// Reads a link, and returns whether it has an error rate.
fn read_link(reading: &mut FabricReading<'_>, row: &str, vertices: &[Vertex]) -> bool {
    let words: Vec<&str> = row.split_whitespace().collect();
    let &[from, to, bandwidth, latency, errors] = words.as_slice() else {
        reading.complain(row, || {
            format!(
                "{} words, expected 5: source, destination, bandwidth, latency and error rate",
                words.len()
            )
        });
        return false;
    };
    let mut ends = vec![];
    for word in [from, to] {
        match word.parse::<usize>().ok().and_then(|node| vertices.get(node)) {
            Some(&vertex) => ends.push(vertex),
            None => reading.complain(word, || {
                format!("node {}, expected a number below {}", described(word), vertices.len())
            }),
        }
    }
    let speed = LinkSpeed {
        bandwidth: bits_a_second(reading, bandwidth),
        latency: seconds(reading, latency),
        ..LinkSpeed::default()
    };
    if let (&[from, to], Some(_), Some(_)) = (ends.as_slice(), speed.bandwidth, speed.latency) {
        reading.link([from, to], 1, speed, row);
    }
    errors.parse::<f64>().is_ok_and(|rate| rate > 0.0)
}

/// Reads `400Gbps`.
fn bits_a_second(reading: &mut FabricReading<'_>, word: &str) -> Option<Ratio> {
    let written = word.replacen("bps", "b/s", 1).replacen("Kb/s", "kb/s", 1);
    let found =
        match written.strip_suffix("b/s").filter(|rest| rest.ends_with(|last: char| last.is_ascii_digit())) {
            // Plain bits: an eighth of the bytes.
            Some(number) => Measure::Bandwidth
                .parse(&format!("{number} B/s"))
                .ok()
                .and_then(|bytes| bytes.over(Ratio::from(8))),
            None => Measure::Bandwidth.parse(&written).ok(),
        };
    let found = found.filter(|&own| own != Ratio::ZERO);
    if found.is_none() {
        reading.complain(word, || format!("bandwidth {}, expected one such as 400Gbps", described(word)));
    }
    found
}

fn seconds(reading: &mut FabricReading<'_>, word: &str) -> Option<Ratio> {
    let found = Measure::Time.parse(word).ok();
    if found.is_none() {
        reading.complain(word, || format!("latency {}, expected one such as 0.0005ms", described(word)));
    }
    found
}
