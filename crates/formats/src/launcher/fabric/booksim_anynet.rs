//! `BookSim`'s `anynet`: routers with their nodes and neighbours.
//!
//! ```text
//! router 0 node 0 node 1 router 1 15 router 2
//! router 1 node 2 router 0 15
//! ```
//!
//! Jiang et al. 2013, `BookSim` 2.0. The first router or node of a line is linked with each that follows. A number
//! after one of these is the latency of its link in cycles, 1 without one. A channel of `L` cycles is a link with
//! `u = 1` and `l = L - 1`. Nodes are hosts, ordered by their numbers. Channels lead both ways; if both sides list one,
//! they must agree.

use std::collections::BTreeMap;

use super::{FabricFormat, FabricReading, LinkSpeed, reading::Vertex};
use crate::input::text::{Remarks, described, lines};

pub(super) const FORMAT: FabricFormat = FabricFormat {
    name: "an anynet file of BookSim",
    is_like: |text| {
        let begins = |line: &str| {
            let mut words = line.split_whitespace();
            matches!(words.next(), Some("router" | "node"))
                && words.next().is_some_and(|word| word.parse::<u32>().is_ok())
        };
        lines(text, Remarks::AfterHash).any(begins)
    },
    read,
};

/// The cycles of each channel, with the word of the file to point at.
type Channels<'a> = BTreeMap<[Vertex; 2], (u64, &'a str)>;

fn read(reading: &mut FabricReading<'_>) {
    let mut channels = Channels::new();
    let mut has_latency = false;
    for line in lines(reading.text, Remarks::AfterHash) {
        match read_line(reading, line, &mut channels) {
            Some(told) => has_latency |= told,
            None => return,
        }
    }
    for (&[from, to], &(cycles, part)) in &channels {
        let back = channels.get(&[to, from]);
        if let Some(&(other, _)) = back.filter(|&&(other, _)| other != cycles) {
            reading.complain(part, || {
                format!("a channel of {cycles} cycles one way and {other} the other, expected equal ones")
            });
        }
        if back.is_none() || from < to {
            let speed = if has_latency {
                let latency_cycles = Some(cycles.saturating_sub(1));
                LinkSpeed { hop_cycles: Some(1), latency_cycles, ..LinkSpeed::default() }
            } else {
                LinkSpeed::default()
            };
            reading.link([from, to], 1, speed, part);
        }
    }
    reading.sort_hosts_by_number();
}

/// Reads the channels of a line and returns whether a latency is among them; `None` ends the file.
fn read_line<'a>(
    reading: &mut FabricReading<'_>,
    line: &'a str,
    channels: &mut Channels<'a>,
) -> Option<bool> {
    let mut words = line.split_whitespace().peekable();
    let (mut head, mut has_latency) = (None, false);
    while let Some(kind) = words.next() {
        let number = words.next().filter(|word| word.parse::<u32>().is_ok());
        let vertex = match (kind, number) {
            ("router", Some(number)) => reading.switch(&format!("router {number}"), number),
            ("node", Some(number)) => reading.host(number, number),
            _ => {
                reading.complain(kind, || {
                    format!("{} in a line, expected router or node and its number", described(kind))
                });
                break;
            }
        };
        let (vertex, _) = vertex?;
        let Some(head) = head else {
            head = Some(vertex);
            continue;
        };
        let latency = words.next_if(|word| word.parse::<u64>().is_ok());
        has_latency |= latency.is_some();
        let cycles = latency.map_or(1, |word| word.parse().unwrap_or(1));
        if cycles == 0 {
            reading.complain(kind, || "a latency of 0 cycles, expected at least 1".to_owned());
        }
        if matches!((head, vertex), (Vertex::Host(_), Vertex::Host(_))) {
            reading.complain(kind, || "a link between two nodes, expected a router at one end".to_owned());
        }
        if channels.insert([head, vertex], (cycles, kind)).is_some() {
            reading.complain(kind, || "a channel a second time, expected every channel once".to_owned());
        }
    }
    Some(has_latency)
}
