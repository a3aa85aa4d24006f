//! A placement to be written for a launcher.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Coordinates, NodeId};

use super::{
    HostNaming, LauncherError, LauncherFormat,
    hosts::{HostList, HostOptions, Slots},
};
use crate::input::region::Region;

/// A placement that can be written in a launcher's format.
#[derive(Debug)]
pub struct LauncherFile<'a> {
    pub(super) placement: &'a Placement,
    pub(super) region: Region<'a>,
    pub(super) slots: Slots, // for the whole machine, or for the partition if the format numbers a job's nodes
    format: LauncherFormat,
    hosts: Option<&'a HostList>, // as many as `slots` has, if the format names hosts
}

/// The slots of a host that the user gives, or else a cluster with `load` processes on each of its devices, whose nodes
/// are the hosts (`docs/model.md` section 23.7) unless the devices have names of their own.
fn given_slots(region: Region<'_>, load: u64, options: HostOptions<'_>) -> Option<u64> {
    let are_nodes = |hosts: &HostList| hosts.hosts_per_node() == 1 && hosts.count() != region.listed_hosts();
    let of_cluster = || {
        let each = region.devices_per_host();
        let is_of_nodes = each > 1 && options.hosts.is_none_or(are_nodes);
        is_of_nodes.then(|| each.saturating_mul(load))
    };
    options.slots_per_node.or_else(of_cluster)
}

impl<'a> LauncherFile<'a> {
    /// Checks that there is one name for every host of a region with a placement.
    ///
    /// # Errors
    ///
    /// If there are more names or fewer, or hosts would divide nodes.
    pub fn check_hosts(
        region: Region<'_>,
        placement: &Placement,
        hosts: &HostList,
        slots_per_node: Option<u64>,
    ) -> Result<(), LauncherError> {
        let load = placement.max_load();
        let given = given_slots(region, load, HostOptions { hosts: Some(hosts), slots_per_node });
        Slots::new(region.listed_hosts(), load, given, hosts.hosts_per_node())?.check_hosts(hosts.count())
    }

    /// Prepares a placement on a region for a format.
    ///
    /// # Errors
    ///
    /// If host names are missing or unneeded, a number of slots is unneeded, the hosts do not fit the
    /// machine, or the format cannot express the placement.
    pub fn new(
        region: Region<'a>,
        placement: &'a Placement,
        format: LauncherFormat,
        options: HostOptions<'a>,
    ) -> Result<Self, LauncherError> {
        let is_of_map = options.hosts.is_some_and(HostList::is_of_map);
        match (format.0.hosts, options.hosts) {
            (HostNaming::Names, None) => return Err(LauncherError::NoHosts { format }),
            (HostNaming::Numbers | HostNaming::Nodes, Some(_)) => {
                return Err(LauncherError::UnneededHosts { format, are_of_map: is_of_map });
            }
            (HostNaming::Devices, Some(_)) if !is_of_map => {
                return Err(LauncherError::UnneededHosts { format, are_of_map: false });
            }
            (HostNaming::Names | HostNaming::Devices, _) | (_, None) => {}
        }
        if options.slots_per_node.is_some() && !format.groups_nodes() {
            return Err(LauncherError::UnneededSlots { format });
        }
        let is_of_whole = format.names_hosts() || is_of_map;
        let nodes = if is_of_whole { region.listed_hosts() } else { region.job_nodes() };
        let hosts_per_node = options.hosts.map_or(1, HostList::hosts_per_node);
        let load = placement.max_load();
        let given = given_slots(region, load, options).filter(|_| format.groups_nodes());
        let slots = Slots::new(nodes, load, given, hosts_per_node)?;
        if let Some(hosts) = options.hosts {
            slots.check_hosts(hosts.count())?;
        }
        let file = Self { placement, region, slots, format, hosts: options.hosts };
        file.check_slots()?;
        (format.0.check)(&file)?;
        Ok(file)
    }

    /// Checks that every host has a slot for each of its processes, if the host list gives its slots.
    fn check_slots(&self) -> Result<(), LauncherError> {
        let Some(hosts) = self.hosts.filter(|hosts| hosts.lacking(|_| u64::MAX).is_some()) else {
            return Ok(());
        };
        let mut loads: BTreeMap<u64, u64> = BTreeMap::new();
        for seat in self.seats() {
            *loads.entry(self.place(seat)).or_default() += 1;
        }
        match hosts.lacking(|place| loads.get(&place).copied().unwrap_or(0)) {
            Some(lacking) => Err(LauncherError::FewSlots {
                host: lacking.name.to_owned(),
                line: lacking.line,
                found: lacking.slots,
                expected: lacking.expected,
            }),
            None => Ok(()),
        }
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// If `output` fails.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        (self.format.0.write)(self, output)
    }

    /// Describes the choices that the file leaves to the launcher; `None` if it is complete.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let hosts_per_node = self.hosts.map_or(1, HostList::hosts_per_node);
        let used = self.placement.max_load().div_ceil(self.slots.slots_per_node());
        if used < hosts_per_node {
            return Some(format!(
                "{hosts_per_node} hosts or devices are at every node, and the processes use {used} of them: \
                 program.processes_per_node uses more"
            ));
        }
        let silent = !self.format.has_slots() && self.slots.nodes_per_host() > 1;
        (silent && self.out_of_turn()).then(|| {
            format!(
                "{} gives the host of a rank but not its slot: hosts have {} nodes of the machine each, and the \
                 launcher decides which of them a rank uses",
                self.format,
                self.slots.nodes_per_host()
            )
        })
    }

    /// Whether the ranks of some host do not take its slots in order from the first.
    fn out_of_turn(&self) -> bool {
        let mut ranks: BTreeMap<u64, u64> = BTreeMap::new();
        self.seats().any(|seat| {
            let node = self.number(seat.node);
            let next = ranks.entry(self.place(seat)).or_default();
            *next += 1;
            *next - 1 != self.slots.slot(node, seat.turn)
        })
    }

    /// Checks that every node of the job has as many processes as the fullest, so that no slot is empty.
    pub(super) fn check_even_load(&self) -> Result<(), LauncherError> {
        let expected = self.placement.max_load();
        let slots = u128::from(self.region.job_nodes()) * u128::from(expected);
        if slots == u128::from(self.placement.process_count()) {
            return Ok(());
        }
        let load = |node: &NodeId| self.placement.processes(*node).count() as u64;
        let short = self.region.nodes_of_job().find(|node| load(node) < expected);
        short.map_or(Ok(()), |node| {
            Err(LauncherError::EmptySlot {
                address: self.written_address(node),
                found: load(&node),
                expected,
            })
        })
    }

    /// Lists the processes in order, with their seats.
    pub(super) fn seats(&self) -> impl Iterator<Item = Seat> {
        let placement = self.placement;
        let alone = placement.is_one_to_one();
        let mut taken: BTreeMap<NodeId, u64> = BTreeMap::new();
        ProcessId::first(placement.process_count()).map(move |process| {
            let node = placement.node(process);
            // If no node is shared, no counts are kept, however large the machine is.
            if alone {
                return Seat { process, node, turn: 0 };
            }
            let next = taken.entry(node).or_default();
            let turn = *next;
            *next += 1;
            Seat { process, node, turn }
        })
    }

    /// The number of a node, as counted by `slots`.
    fn number(&self, node: NodeId) -> u64 {
        let is_of_whole = self.format.names_hosts() || self.hosts.is_some();
        if is_of_whole { self.region.number(node) } else { self.region.job_place(node) }
    }

    /// The position of the host of a process.
    pub(super) fn place(&self, seat: Seat) -> u64 {
        self.slots.host(self.number(seat.node), seat.turn)
    }

    /// The slot of a process on its host.
    pub(super) fn slot(&self, seat: Seat) -> u64 {
        self.slots.slot(self.number(seat.node), seat.turn)
    }

    /// The hosts, or the devices of a coordinate map.
    pub(super) fn hosts(&self) -> Option<&'a HostList> {
        self.hosts
    }

    /// Name of the host of a process.
    pub(super) fn host(&self, seat: Seat) -> &str {
        self.hosts.map_or("", |hosts| hosts.name(self.place(seat)))
    }

    /// Coordinates of a node on the whole machine.
    pub(super) fn address(&self, node: NodeId) -> Coordinates {
        self.region.address(node)
    }

    /// Coordinates of a node for messages: `(x, y)`.
    pub(super) fn written_address(&self, node: NodeId) -> String {
        let numbers: Vec<String> = self.address(node).as_slice().iter().map(ToString::to_string).collect();
        format!("({})", numbers.join(", "))
    }
}

/// A process, its node, and the number of earlier processes on that node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) process: ProcessId,
    pub(super) node: NodeId,
    pub(super) turn: u64,
}
