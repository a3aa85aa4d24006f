//! Coordinate maps: the positions of a site's hosts in its network, and the host order that follows.
//!
//! The most common placement error is a host list in another order than the nodes of the machine. A map gives
//! the coordinates of every host, by which a job puts the hosts of its allocation in node order.
//!
//! ```text
//! host,x,y             a table, its columns separated by commas or spaces: the host, and its coordinates by their names
//! nid00012,3,0
//! NID NODENAME TYPE CORES X Y Z                          Cray: xtprocadmin, meshcoords
//! cpu=0,slot=1,x_coord=0,..,processor_id=4               Cray: xtdb2proc
//! TpuDevice(id=5, process_index=1, coords=(1,1,0), ..)   JAX: print(jax.devices())
//! SwitchName=s0 Level=0 Nodes=node[0-3]                  Slurm: scontrol show topology, topology.conf
//! ```
//!
//! A switch tree has no coordinates: its hosts are ordered leaf switch by leaf switch, like the hosts of
//! networks with switches.
//!
//! Several hosts may be at one place: the nodes of a Gemini or Aries router, or the cores of a chip. Every place
//! then has the same number of hosts, which either share the processes of a node of the machine, or form one more
//! dimension of the machine, of that length. Devices of several slices have the slice as their last coordinate.

mod map_forms;

use std::collections::{BTreeMap, BTreeSet};

use cubefold_topology::{Machine, NodeId};

use self::map_forms::MapReading;
use super::{HostList, hosts::OrderedHost};
use crate::{
    format::{Complaint, Recognised, Recogniser},
    input::diagnostic::Diagnostics,
    value::Kind,
};

/// Coordinates of hosts: at least one host, all different, with the same number of coordinates each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoordinateMap {
    hosts: BTreeMap<String, MappedHost>,
    aliases: BTreeMap<String, String>, // other names of hosts
    has_slices: bool,                  // whether the last coordinate is the slice of a device
    is_tree: bool,
}

/// A host and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MappedHost {
    address: Vec<u64>, // for a switch tree, only its position in the order
    core: u64,         // the order of hosts at one place
    rank: u64,         // its number in the map, counted from 0
    line: u64,         // in the map, counted from 1; 0 for a switch tree
}

/// A host that will be assigned to a node.
#[derive(Debug, Clone)]
struct ChosenHost<'a> {
    name: &'a str,
    address: Vec<u64>,
    core: u64,
    rank: u64, // in the order of the list, else of the map
    line: u64,
}

/// The reason why a map gives no host order for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoordinateError {
    /// A host of the list is not in the map.
    #[error("host {host} (line {line} of the list) is not in the coordinate map")]
    UnknownHost {
        /// Its name.
        host: String,
        /// Its line in the list of hosts, counted from 1.
        line: u64,
    },
    /// The map and the machine have different numbers of dimensions.
    #[error(
        "{found} coordinates a host in the map{}, expected {expected}, the dimensions of the machine",
        if *has_slices { " (the last is slice_index)" } else { "" }
    )]
    Dimensions {
        /// Number of coordinates of each host in the map.
        found: usize,
        /// The dimensions of the machine.
        expected: usize,
        /// Whether the last coordinate is the slice of a device.
        has_slices: bool,
    },
    /// Places have different numbers of hosts.
    #[error("{first} at {}, {second} at {}, expected the same number of hosts at every place", places[0], places[1])]
    UnevenPlaces {
        /// Hosts at the first place.
        first: usize,
        /// Hosts at the second place.
        second: usize,
        /// The coordinates of both.
        places: [String; 2],
    },
    /// A host lies outside the machine.
    #[error("host {host}{} is at {address}, expected coordinates below the lengths of the machine", in_line(*line))]
    Outside {
        /// Its name.
        host: String,
        /// Its line in the map, counted from 1; 0 if a line has several hosts.
        line: u64,
        /// Its coordinates, relative to the least of all hosts if a list chooses them.
        address: String,
    },
    /// Two hosts have the same coordinates.
    #[error(
        "hosts {first}{} and {second}{} are both at {address}, expected one host a node",
        in_line(lines[0]),
        in_line(lines[1])
    )]
    SamePlace {
        /// The first host.
        first: String,
        /// The second host.
        second: String,
        /// Their lines in the map, counted from 1.
        lines: [u64; 2],
        /// The coordinates.
        address: String,
    },
    /// A node of the machine has no host.
    #[error("no host at {address}, expected one for each of {nodes} nodes")]
    Missing {
        /// The coordinates.
        address: String,
        /// The nodes of the machine.
        nodes: u64,
    },
}

/// The hosts of a network, in order; `None` if the text is not a network with hosts.
///
/// # Errors
///
/// If the text can only be a network, but has errors.
fn tree_of(file: &mut Recogniser<'_>) -> Result<Option<Vec<String>>, Vec<Complaint>> {
    match file.recognise(Some(Kind::Network)) {
        Recognised::Read(format, reading, _) if file.is_sure(format) => {
            Ok(reading.content.hosts().map(|hosts| hosts.into_iter().map(|host| host.0).collect()))
        }
        Recognised::Wrong(format, complaints) if file.is_sure(format) => Err(complaints),
        _ => Ok(None),
    }
}

/// ` (line 7)`, or nothing for line 0.
fn in_line(line: u64) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}

impl CoordinateMap {
    /// Reads a map in any form.
    ///
    /// # Errors
    ///
    /// All errors of the text, with their positions.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut file = Recogniser::new(text.as_bytes());
        let tree = tree_of(&mut file);
        file.read_plain(text, |plain| Self::parse_plain(plain, tree))
    }

    fn parse_plain(
        text: &str,
        tree: Result<Option<Vec<String>>, Vec<Complaint>>,
    ) -> Result<Self, Diagnostics> {
        let mut reading = MapReading::new(text);
        let is_tree = !matches!(tree, Ok(None));
        match tree {
            Ok(Some(hosts)) => reading.add_tree(hosts),
            Err(complaints) => {
                complaints.into_iter().for_each(|complaint| reading.complain_of_line(complaint));
            }
            Ok(None) if text.contains("coords=(") => reading.read_devices(),
            Ok(None) if text.contains("x_coord=") => reading.read_fields(),
            Ok(None) => reading.read_table(),
        }
        reading.finish(is_tree)
    }

    /// The hosts in the order of the map.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let mut hosts: Vec<(u64, &String)> =
            self.hosts.iter().map(|(name, host)| (host.rank, name)).collect();
        hosts.sort_unstable();
        hosts.into_iter().map(|host| host.1.clone()).collect()
    }

    /// Puts hosts, from the list or else the whole map, in the node order of a machine. Coordinates of listed
    /// hosts are relative to the least in each dimension, so that a job may be any box of the site's machine.
    /// If hosts have more coordinates than the machine has dimensions, constant coordinates are dropped.
    ///
    /// # Errors
    ///
    /// If a host is unknown, or the coordinates do not match the nodes of the machine.
    pub fn order(&self, machine: &Machine, listed: Option<&HostList>) -> Result<HostList, CoordinateError> {
        let mut chosen = self.chosen(listed)?;
        if self.is_tree {
            return tree_order(machine, chosen, listed);
        }
        let lengths = machine.shape().lengths();
        // If there are fewer places than nodes, the order of the hosts at a place becomes a dimension.
        let places: BTreeSet<&Vec<u64>> = chosen.iter().map(|host| &host.address).collect();
        let is_spread =
            lengths.len() > 1 && places.len() < chosen.len() && (places.len() as u64) < machine.node_count();
        leave_out_constant(&mut chosen, lengths.len() - usize::from(is_spread));
        let least = |dimension: usize| chosen.iter().map(|host| host.address[dimension]).min().unwrap_or(0);
        let base: Vec<u64> = match (listed, chosen.first()) {
            (Some(_), Some(first)) => (0..first.address.len()).map(least).collect(),
            _ => vec![],
        };
        for host in &mut chosen {
            host.address.iter_mut().zip(&base).for_each(|(coordinate, base)| *coordinate -= base);
        }
        let mut places = Places::new(chosen);
        if is_spread {
            places.spread();
        }
        let found = places.dimensions();
        if found != lengths.len() {
            let has_slices = self.has_slices;
            return Err(CoordinateError::Dimensions { found, expected: lengths.len(), has_slices });
        }
        places.check(machine)?;
        let hosts_per_node = places.hosts_per_place()?;
        let by_node = places.in_order_of(machine);
        Ok(in_order(by_node.into_iter(), hosts_per_node, listed))
    }

    /// The hosts of a list in the order of a switch tree or another network; `None` if the map has coordinates.
    ///
    /// # Errors
    ///
    /// If a host is unknown.
    pub fn along_network(&self, listed: &HostList) -> Result<Option<HostList>, CoordinateError> {
        if !self.is_tree {
            return Ok(None);
        }
        let mut chosen = self.chosen(Some(listed))?;
        chosen.sort_by(|one, other| one.address.cmp(&other.address));
        Ok(Some(in_order(chosen.into_iter(), 1, Some(listed))))
    }

    /// The hosts of the list, or all of the map.
    fn chosen<'a>(&'a self, listed: Option<&'a HostList>) -> Result<Vec<ChosenHost<'a>>, CoordinateError> {
        let chosen = |name: &'a str, host: &MappedHost, rank| ChosenHost {
            name,
            address: host.address.clone(),
            core: host.core,
            rank,
            line: host.line,
        };
        let Some(list) = listed else {
            return Ok(self
                .hosts
                .iter()
                .map(|(name, host)| chosen(name.as_str(), host, host.rank))
                .collect());
        };
        let known = list.with_lines().zip(0..).map(|((host, line), rank)| {
            let mapped = self.hosts.get(self.aliases.get(host).map_or(host, String::as_str));
            mapped
                .map(|mapped| chosen(host, mapped, rank))
                .ok_or_else(|| CoordinateError::UnknownHost { host: host.to_owned(), line })
        });
        known.collect()
    }
}

/// Hosts by their coordinates.
struct Places<'a> {
    hosts: BTreeMap<Vec<u64>, Vec<ChosenHost<'a>>>, // no list is empty; each is sorted by core and rank
}

impl<'a> Places<'a> {
    fn new(chosen: Vec<ChosenHost<'a>>) -> Self {
        let mut hosts: BTreeMap<Vec<u64>, Vec<ChosenHost<'a>>> = BTreeMap::new();
        for host in chosen {
            hosts.entry(host.address.clone()).or_default().push(host);
        }
        hosts.values_mut().for_each(|hosts| hosts.sort_by_key(|host| (host.core, host.rank)));
        Self { hosts }
    }

    fn dimensions(&self) -> usize {
        self.hosts.keys().next().map_or(0, Vec::len)
    }

    /// Appends each host's position among those at its place as a last coordinate.
    fn spread(&mut self) {
        let several = std::mem::take(&mut self.hosts).into_values();
        let spread = several.flat_map(|hosts| {
            (0..).zip(hosts).map(|(place, mut host)| {
                host.address.push(place);
                host
            })
        });
        *self = Self::new(spread.collect());
    }

    /// Checks that all places lie inside the machine, and that they cover its nodes.
    fn check(&self, machine: &Machine) -> Result<(), CoordinateError> {
        let lengths = machine.shape().lengths();
        for (address, hosts) in &self.hosts {
            if address.iter().zip(lengths).any(|(coordinate, length)| coordinate >= length) {
                let (host, line) =
                    hosts.first().map_or((String::new(), 0), |host| (host.name.to_owned(), host.line));
                return Err(CoordinateError::Outside { host, line, address: written(address) });
            }
        }
        let nodes = machine.node_count();
        let several = self.hosts.iter().find(|(_, hosts)| hosts.len() > 1);
        let is_missing = (self.hosts.len() as u64) < nodes;
        if let Some((address, [first, second, ..])) =
            several.map(|(address, hosts)| (address, hosts.as_slice())).filter(|_| is_missing)
        {
            return Err(CoordinateError::SamePlace {
                first: first.name.to_owned(),
                second: second.name.to_owned(),
                lines: [first.line, second.line],
                address: written(address),
            });
        }
        let missing = machine.nodes().map(|node| address_of(machine, node));
        match missing.filter(|_| is_missing).find(|address| !self.hosts.contains_key(address)) {
            Some(address) => Err(CoordinateError::Missing { address: written(&address), nodes }),
            None => Ok(()),
        }
    }

    fn hosts_per_place(&self) -> Result<u64, CoordinateError> {
        let mut counts = self.hosts.iter().map(|(address, hosts)| (address, hosts.len()));
        let Some((place, first)) = counts.next() else { return Ok(1) };
        match counts.find(|&(_, count)| count != first) {
            Some((other, second)) => {
                let places = [written(place), written(other)];
                Err(CoordinateError::UnevenPlaces { first, second, places })
            }
            None => Ok(first as u64),
        }
    }

    /// The hosts in node order; every node must have a place.
    fn in_order_of(mut self, machine: &Machine) -> Vec<ChosenHost<'a>> {
        let at = |node| self.hosts.remove(&address_of(machine, node)).unwrap_or_default();
        machine.nodes().flat_map(at).collect()
    }
}

/// Coordinates of a node.
fn address_of(machine: &Machine, node: NodeId) -> Vec<u64> {
    machine.shape().coordinates(node).as_slice().iter().copied().map(u64::from).collect()
}

/// Drops constant coordinates, the last first, until there is one per dimension: JAX prints three for every device,
/// even if a slice is flat.
fn leave_out_constant(hosts: &mut [ChosenHost<'_>], dimensions: usize) {
    let Some(first) = hosts.first().map(|host| host.address.clone()) else { return };
    let excess = first.len().saturating_sub(dimensions);
    let is_constant =
        |dimension: &usize| hosts.iter().all(|host| host.address[*dimension] == first[*dimension]);
    let left_out: Vec<usize> = (0..first.len()).rev().filter(is_constant).take(excess).collect();
    if left_out.len() < excess {
        return;
    }
    for host in hosts {
        for &dimension in &left_out {
            host.address.remove(dimension);
        }
    }
}

/// Makes a host list in this order, with the slots of `listed`.
fn in_order<'a>(
    hosts: impl Iterator<Item = ChosenHost<'a>>,
    hosts_per_node: u64,
    listed: Option<&HostList>,
) -> HostList {
    let ordered =
        |host: ChosenHost<'_>| OrderedHost { name: host.name.to_owned(), line: host.line, rank: host.rank };
    HostList::in_order(hosts.map(ordered).collect(), hosts_per_node, listed)
}

/// Orders the hosts of a switch tree, one per host of the machine.
fn tree_order(
    machine: &Machine,
    mut chosen: Vec<ChosenHost<'_>>,
    listed: Option<&HostList>,
) -> Result<HostList, CoordinateError> {
    chosen.sort_by(|one, other| one.address.cmp(&other.address));
    let (found, nodes) = (chosen.len() as u64, machine.numbered_hosts());
    if found < nodes {
        return Err(CoordinateError::Missing { address: format!("node {found}"), nodes });
    }
    if let Some(host) = chosen.get(usize::try_from(nodes).unwrap_or(usize::MAX)) {
        let (name, address) = (host.name.to_owned(), format!("node {nodes}"));
        return Err(CoordinateError::Outside { host: name, line: host.line, address });
    }
    Ok(in_order(chosen.into_iter(), 1, listed))
}

/// `(x, y)`.
fn written(address: &[u64]) -> String {
    let numbers: Vec<String> = address.iter().map(u64::to_string).collect();
    format!("({})", numbers.join(", "))
}

#[cfg(test)]
mod tests;
