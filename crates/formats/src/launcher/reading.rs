//! Reads placements from launcher files: the part shared by all formats.

use std::{collections::BTreeMap, fmt::Display, ops::RangeInclusive};

use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_topology::NodeId;

use super::{
    LauncherFormat,
    hosts::{HostList, HostOptions},
};
use crate::input::text::{counted, described, span};
use crate::input::{
    diagnostic::{Diagnostics, missing_processes},
    region::Region,
};

/// Largest number of processes: a few characters of a task map could stand for any number of them.
const MAX_PROCESSES: u64 = 1 << 24;

/// Reads the placement of `processes` processes.
///
/// # Errors
///
/// All errors of the text, up to a limit, including hosts that do not fit the machine.
pub fn read(
    format: LauncherFormat,
    text: &str,
    processes: u64,
    region: Region<'_>,
    options: HostOptions<'_>,
) -> Result<Placement, Diagnostics> {
    let mut reading = Reading::new(text, processes, region, options);
    if processes > MAX_PROCESSES {
        reading.complain_of_all(|| {
            format!("a program of {processes} processes, expected at most {MAX_PROCESSES} for {format}")
        });
        return Err(reading.diagnostics);
    }
    (format.0.read)(&mut reading);
    reading.finish()
}

/// Hosts in the order of the nodes of the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodesOfHosts<'t> {
    pub(super) names: &'t HostList,
    pub(super) nodes_per_host: u64, // at least 1
    hosts_per_node: u64,            // at least 1; 1 if hosts have several nodes
}

impl NodesOfHosts<'_> {
    /// The first node of the host at a place.
    pub(super) fn node(self, place: u64) -> u64 {
        place / self.hosts_per_node * self.nodes_per_host
    }
}

/// A text being read. Errors are reported for slices of it.
#[derive(Debug)]
pub(super) struct Reading<'t> {
    pub(super) text: &'t str,
    pub(super) processes: u64, // at least 1, at most MAX_PROCESSES
    pub(super) region: Region<'t>,
    pub(super) options: HostOptions<'t>,
    seats: BTreeMap<ProcessId, Option<NodeId>>, // `None` after an error
    unknown: u64,                               // number of places read for an unknown rank
    taken: BTreeMap<(u64, u64), ProcessId>,     // by host or node and slot, if the format has slots
    devices: u64,                               // of each host that is a node of a cluster, else 1
    seated: BTreeMap<u64, u64>,                 // ranks by host, if hosts have several devices
    diagnostics: Diagnostics,
}

impl<'t> Reading<'t> {
    fn new(text: &'t str, processes: u64, region: Region<'t>, options: HostOptions<'t>) -> Self {
        let (seats, taken, diagnostics) = (BTreeMap::new(), BTreeMap::new(), Diagnostics::default());
        let (devices, seated) = (region.devices_per_host(), BTreeMap::new());
        Self { text, processes, region, options, seats, unknown: 0, taken, devices, seated, diagnostics }
    }

    /// Reports an error in a part of the text.
    pub(super) fn complain(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.diagnostics.add(span(self.text, part), message);
    }

    /// Reports an error of the whole file, at its beginning: any rank may be missing because of it.
    pub(super) fn complain_of_all(&mut self, message: impl FnOnce() -> String) {
        self.no_more_missing();
        self.diagnostics.add(0..0, message);
    }

    /// Reports an error in the place of an unknown rank, so that some rank will be missing.
    pub(super) fn complain_of_rank(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.unknown += 1;
        self.complain(part, message);
    }

    /// Suppresses reports of missing ranks, since an earlier error may be their cause.
    pub(super) fn no_more_missing(&mut self) {
        self.unknown = self.processes;
    }

    /// A decimal number in a range; reports an error and returns `None` if it is not one.
    pub(super) fn number(&mut self, word: &str, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| word.parse().ok()).flatten().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, greatest) = range.into_inner();
            let found = described(word);
            self.complain(word, || {
                format!("{name} is {found}, expected an integer from {least} to {greatest}")
            });
        }
        number
    }

    /// The process with a label; reports an error and returns `None` if there is none.
    pub(super) fn process(&mut self, word: &str) -> Option<ProcessId> {
        let label = self.number(word, "rank", 0..=self.processes - 1);
        self.unknown += u64::from(label.is_none());
        u32::try_from(label?).ok().map(ProcessId::new)
    }

    /// The process of a line, given by its position; returns `None` for surplus lines and reports the first one.
    pub(super) fn next_process(&mut self, line: &str, place: u64) -> Option<ProcessId> {
        if place < self.processes {
            return u32::try_from(place).ok().map(ProcessId::new);
        }
        if place == self.processes {
            let count = self.processes;
            self.complain(line, || format!("a line for rank {count}, expected {count} lines, one a rank"));
        }
        None
    }

    /// The node with these coordinates.
    pub(super) fn node_at(&mut self, words: &[&str]) -> Option<NodeId> {
        let machine = self.region.machine;
        let mut index = Some(0);
        for (dimension, word) in machine.shape().dimensions().zip(words) {
            let range = self.region.coordinates_along(dimension);
            let base = *range.start();
            let coordinate = self.number(word, &format!("p_{dimension}"), range);
            let step = coordinate.map(|coordinate| (coordinate - base) * machine.shape().stride(dimension));
            index = index.zip(step).map(|(index, step)| index + step);
        }
        machine.node(index?).ok()
    }

    /// The node with this number on the whole machine; reports an error and returns `None` if it is outside
    /// the partition.
    pub(super) fn numbered_node(&mut self, word: &str, number: u64) -> Option<NodeId> {
        let node = self.region.node(number);
        if node.is_none() {
            let found = described(word);
            self.complain(word, || {
                format!("host {found} is node {number} of the machine, expected one in the partition")
            });
        }
        node
    }

    /// Puts a process on a node, unless it already has one; `None` records an invalid place.
    pub(super) fn seat(&mut self, process: ProcessId, node: Option<NodeId>, part: &str) {
        if self.seats.contains_key(&process) {
            self.complain(part, || format!("rank {process} a second time, expected every rank once"));
            return;
        }
        self.seats.insert(process, node);
    }

    /// Gives a process a slot of a host or node, unless it is taken.
    pub(super) fn take(&mut self, process: ProcessId, slot: (u64, u64), part: &str) {
        match self.taken.insert(slot, process) {
            Some(first) if first != process => {
                self.complain(part, || {
                    format!("rank {process} in the slot of rank {first}, expected a slot of its own")
                });
            }
            Some(_) | None => {}
        }
    }

    /// The devices of each host that is a node of a cluster, else 1.
    pub(super) fn devices(&self) -> u64 {
        self.devices
    }

    /// The device of a node of a cluster, counted from 0, for the next of its ranks: the devices take them in turn, an
    /// even share each. Reports an error that names the `host` and returns `None` if all are full.
    pub(super) fn next_device(&mut self, place: u64, host: impl Display, part: &str) -> Option<u64> {
        if self.devices == 1 {
            return Some(0);
        }
        let share = self.processes.div_ceil(self.region.job_nodes());
        let seated = self.seated.entry(place).or_default();
        let device = *seated / share;
        *seated += 1;
        if device < self.devices {
            return Some(device);
        }
        let most = share * self.devices;
        self.complain(part, || {
            format!("more than {most} ranks on {host}, expected at most {share} a device")
        });
        None
    }

    /// Hosts and their nodes; reports an error and returns `None` if they do not fit.
    pub(super) fn hosts(&mut self) -> Option<NodesOfHosts<'t>> {
        let names = self.options.hosts?;
        let hosts_per_node = names.hosts_per_node();
        let (found, nodes) = (names.count() / hosts_per_node, self.region.listed_hosts());
        if !nodes.is_multiple_of(found) {
            self.complain_of_all(|| {
                format!("{}, expected {nodes}, one a node, or a divisor of that", counted(found, "host"))
            });
            return None;
        }
        Some(NodesOfHosts { names, nodes_per_host: nodes / found, hosts_per_node })
    }

    /// Reports ranks without a place, unless an earlier error may concern them.
    fn complain_of_missing(&mut self) {
        if self.processes - self.seats.len() as u64 > self.unknown {
            let missing = missing_processes(self.seats.keys().copied(), self.processes);
            let last = self.processes - 1;
            self.complain_of_all(|| {
                format!("no place for rank {missing}, expected one for each of 0 to {last}")
            });
        }
    }

    fn finish(mut self) -> Result<Placement, Diagnostics> {
        self.complain_of_missing();
        if self.diagnostics.is_empty() {
            let nodes = self.seats.values().filter_map(|&node| node).collect();
            match PlacementTable::new(self.region.machine, nodes) {
                Ok(table) => return Ok(Placement::Table(table)),
                Err(error) => self.complain_of_all(|| error.to_string()),
            }
        }
        Err(self.diagnostics)
    }
}
