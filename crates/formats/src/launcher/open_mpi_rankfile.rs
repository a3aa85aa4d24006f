//! `open-mpi-rankfile`: `rank N=HOST slot=S`, a line per rank.
//!
//! Open MPI 4 and 5, mpirun(1), "Rankfiles": a rankfile names the host of every rank and the processors to
//! which it is bound, by their numbers on the host or in its sockets; comments start with `#`. One number is
//! written. When a file is read, the node counts, and cores are ignored. `+n0` is the first host of the list.
//!
//! ```text
//! rank 0=node-1 slot=0
//! rank 1=node-1 slot=1
//! ```

use std::io::{self, Write};

use cubefold_topology::NodeId;

use super::{
    FormatDescriptor, HostNaming,
    file::LauncherFile,
    reading::{NodesOfHosts, Reading},
};
use crate::input::text::{Remarks, described, lines};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "open-mpi-rankfile",
    summary: "Host and slot of every rank, for mpirun --rankfile; needs --hosts",
    hosts: HostNaming::Names,
    has_slots: true,
    check: |_| Ok(()),
    write,
    read,
};

const FORM: &str = "\"rank N=HOST slot=S\"";

fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        writeln!(output, "rank {}={} slot={}", seat.process, file.host(seat), file.slot(seat))?;
    }
    Ok(())
}

/// Reads lines in any order.
fn read(reading: &mut Reading<'_>) {
    let Some(hosts) = Hosts::new(reading) else { return };
    for line in lines(reading.text, Remarks::AfterHash) {
        let Some([rank, host, slot]) = words(line) else {
            reading.complain_of_rank(line, || format!("line is {}, expected {FORM}", described(line)));
            continue;
        };
        let process = reading.process(rank);
        let place = hosts.place(reading, host, slot);
        let Some(process) = process else { continue };
        reading.seat(process, place.map(|(_, node)| node), rank);
        if let Some((Some(slot_taken), _)) = place {
            reading.take(process, slot_taken, slot);
        }
    }
}

/// The rank, host and slot of a line.
fn words(line: &str) -> Option<[&str; 3]> {
    let (rank, rest) = line.strip_prefix("rank")?.split_once('=')?;
    let (host, slot) = rest.trim_start().split_once(char::is_whitespace)?;
    let slot = slot.trim_start().strip_prefix("slot")?;
    let slot = slot.strip_prefix('s').unwrap_or(slot).trim_start().strip_prefix('=')?;
    rank.starts_with(char::is_whitespace).then(|| [rank.trim(), host, slot.trim()])
}

/// The processors of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Processors {
    /// One, by its number on the host.
    One(u64),
    /// Several, from the first to the last.
    Range(u64, u64),
    /// Cores of sockets.
    OfSockets,
}

/// Reads processors: `3`, `0-15`, `0,2-3`, and in sockets `1:0-3`, `0:*`, `0-1:2`; `None` for anything else.
fn processors(slot: &str) -> Option<Processors> {
    let number = |word: &str| {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| word.parse::<u64>().ok()).flatten()
    };
    let range = |word: &str| match word.trim().split_once('-') {
        Some((first, last)) => {
            let (first, last) = (number(first.trim())?, number(last.trim())?);
            (first <= last).then_some((first, last))
        }
        None => number(word.trim()).map(|number| (number, number)),
    };
    if slot.contains([':', ';']) {
        // A socket, and cores up to the next one: "0:1,1:0-2", "0:1;1:0".
        let is_known = |word: &str| {
            let cores = word.trim().rsplit_once(':').map_or(word, |(sockets, cores)| {
                if range(sockets).is_some() || sockets == "*" { cores } else { "" }
            });
            cores.trim() == "*" || range(cores).is_some()
        };
        return slot.split([',', ';']).all(is_known).then_some(Processors::OfSockets);
    }
    let ranges: Vec<(u64, u64)> = slot.split(',').map(range).collect::<Option<_>>()?;
    let first = ranges.iter().map(|range| range.0).min()?;
    let last = ranges.iter().map(|range| range.1).max()?;
    Some(if first == last { Processors::One(first) } else { Processors::Range(first, last) })
}

/// Hosts of the machine and the division of their slots among its nodes.
struct Hosts<'t> {
    division: NodesOfHosts<'t>,
    last: u64,           // the greatest slot of a host
    slots_per_node: u64, // per node of the machine; unused if each host is one node
}

impl<'t> Hosts<'t> {
    /// Derives the slots from the host list and the number of slots. Without a number, a host has an even
    /// share of the processes as slots, and a host that is one node accepts any slot.
    fn new(reading: &mut Reading<'t>) -> Option<Self> {
        let hosts = reading.hosts()?;
        let each = hosts.nodes_per_host;
        let share = reading.processes.div_ceil(reading.region.job_nodes());
        let slots = reading.options.slots_per_node.unwrap_or(each.saturating_mul(share));
        if !slots.is_multiple_of(each) {
            reading.complain_of_all(|| {
                format!(
                    "{slots} slots a host, expected a multiple of {each}, the nodes of the machine on a host"
                )
            });
            return None;
        }
        let any = each == 1 && reading.options.slots_per_node.is_none();
        let last = if any { u32::MAX.into() } else { slots - 1 };
        Some(Self { division: hosts, last, slots_per_node: slots / each })
    }

    /// The slot of a host, if it is one processor, and its node. If a host is one node, only the host counts: the
    /// processors just bind the rank.
    fn place(
        &self,
        reading: &mut Reading<'_>,
        host: &str,
        slot: &str,
    ) -> Option<(Option<(u64, u64)>, NodeId)> {
        let place = self.host(reading, host);
        let processors = processors(slot);
        if processors.is_none() {
            let (last, found) = (self.last, described(slot));
            reading.complain(slot, || {
                format!(
                    "slot is {found}, expected an integer from 0 to {last}, or cores such as 0-15 or 1:0-3"
                )
            });
        }
        let (place, processors) = (place?, processors?);
        let inner = self.node_on_host(reading, processors, slot)?;
        let node = reading.numbered_node(host, self.division.node(place) + inner)?;
        let taken = if let Processors::One(number) = processors { Some((place, number)) } else { None };
        Some((taken, node))
    }

    /// The number, on its host, of the node with some processors.
    fn node_on_host(&self, reading: &mut Reading<'_>, processors: Processors, slot: &str) -> Option<u64> {
        let each = self.division.nodes_per_host;
        let (first, last) = match processors {
            Processors::One(number) => (number, number),
            Processors::Range(..) | Processors::OfSockets if each == 1 => return Some(0),
            Processors::Range(first, last) => (first, last),
            Processors::OfSockets => {
                let message = || {
                    format!(
                        "slot is {}, expected the number of a slot: a host has {each} nodes of the machine",
                        described(slot)
                    )
                };
                reading.complain(slot, message);
                return None;
            }
        };
        if last > self.last {
            let greatest = self.last;
            let message = || format!("slot is {}, expected an integer from 0 to {greatest}", described(slot));
            reading.complain(slot, message);
            return None;
        }
        if each == 1 {
            return Some(0);
        }
        let inner = first / self.slots_per_node;
        if last / self.slots_per_node != inner {
            reading.complain(slot, || {
                format!("slots {} are on two nodes of the machine, expected those of one", described(slot))
            });
            return None;
        }
        Some(inner)
    }

    /// The place of a host: by its name, or `+n0`, `+n1`, .. in the order of the list.
    fn host(&self, reading: &mut Reading<'_>, host: &str) -> Option<u64> {
        let names = self.division.names;
        let numbered = host.strip_prefix("+n").and_then(|number| number.parse().ok());
        let place = numbered.and_then(|number| names.place_of_listed(number)).or_else(|| names.place(host));
        if place.is_none() {
            let found = described(host);
            let last = names.count() - 1;
            reading.complain(host, || {
                if host.starts_with("+n") {
                    format!("host {found} is none of the hosts, expected +n0 to +n{last}")
                } else {
                    format!("host {found} is none of the hosts, expected one of them")
                }
            });
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_numbers_ranges_and_cores_of_sockets() {
        assert_eq!(processors("7"), Some(Processors::One(7)));
        assert_eq!(processors("0-15"), Some(Processors::Range(0, 15)));
        assert_eq!(processors("0,2-3"), Some(Processors::Range(0, 3)));
        for of_sockets in ["1:0,2", "0:*", "1:0-3", "0-1:2", "0:1,1:0-2", "0:0;1:0", "*:1"] {
            assert_eq!(processors(of_sockets), Some(Processors::OfSockets), "{of_sockets}");
        }
        for wrong in ["", "x", "3-1", "1:", ":1", "1:x", "0,,1", "-1", "0-"] {
            assert_eq!(processors(wrong), None, "{wrong}");
        }
    }
}
