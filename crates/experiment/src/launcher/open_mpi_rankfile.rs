//! `open-mpi-rankfile`: `rank N=HOST slot=S`, a line per rank.
//!
//! Open MPI 4 and 5, mpirun(1), "Rankfiles": a rankfile names the host of every rank and the processors to
//! which it is bound, here one, by its number on the host; comments begin with `#`.
//!
//! ```text
//! rank 0=node-1 slot=0
//! rank 1=node-1 slot=1
//! ```

use std::io::{self, Write};

use cubefold_topology::NodeId;

use super::{FormatDescriptor, HostList, HostNaming, file::LauncherFile, reading::Reading};
use crate::input::text::{Remarks, described, lines};

/// The format.
pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "open-mpi-rankfile",
    summary: "Host and slot of every rank, for mpirun --rankfile; needs --hosts",
    hosts: HostNaming::Names,
    has_slots: true,
    check: |_| Ok(()),
    write,
    read,
};

/// Form of a line.
const FORM: &str = "\"rank N=HOST slot=S\"";

/// Writes a line per rank.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        let slot = file.slots.slot(file.number(seat.node), seat.turn);
        writeln!(output, "rank {}={} slot={slot}", seat.process, file.host(seat.node))?;
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
        if let Some((slot_taken, _)) = place {
            reading.take(process, slot_taken, slot);
        }
    }
}

/// The rank, host and slot of a line.
fn words(line: &str) -> Option<[&str; 3]> {
    let (rank, rest) = line.strip_prefix("rank")?.split_once('=')?;
    let (host, slot) = rest.trim_start().split_once(char::is_whitespace)?;
    let slot = slot.trim_start().strip_prefix("slot")?.trim_start().strip_prefix('=')?;
    rank.starts_with(char::is_whitespace).then(|| [rank.trim(), host, slot.trim()])
}

/// Hosts of the machine and the division of their slots among its nodes.
struct Hosts<'t> {
    names: &'t HostList,
    each: u64,           // nodes of the machine on a host
    last: u64,           // the greatest slot of a host
    slots_per_node: u64, // of a node of the machine; unused if each host is one node
}

impl<'t> Hosts<'t> {
    /// Derives the slots from the host list and the number of slots. Without a number, a host has an even
    /// share of the processes as slots, and a host that is one node accepts any slot.
    fn new(reading: &mut Reading<'t>) -> Option<Self> {
        let (names, each) = reading.hosts()?;
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
        Some(Self { names, each, last, slots_per_node: slots / each })
    }

    /// The slot of a host and its node.
    fn place(&self, reading: &mut Reading<'_>, host: &str, slot: &str) -> Option<((u64, u64), NodeId)> {
        let place = self.names.place(host);
        if place.is_none() {
            let found = described(host);
            reading.complain(host, || format!("host {found} is none of the hosts, expected one of them"));
        }
        let number = reading.number(slot, "slot", 0..=self.last);
        let (place, slot) = (place?, number?);
        let inner = if self.each == 1 { 0 } else { slot / self.slots_per_node };
        let node = reading.numbered_node(host, place * self.each + inner)?;
        Some(((place, slot), node))
    }
}
