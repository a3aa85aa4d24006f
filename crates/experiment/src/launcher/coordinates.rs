//! Coordinate maps: positions of a site's hosts in its network, and the order of hosts that follows.
//!
//! Placements go wrong most often because hosts are listed in another order than the nodes of the machine. A
//! map gives the coordinates of every host; a job then takes the hosts of its allocation in the order of the
//! nodes.
//!
//! ```text
//! host,x,y             a table, its columns separated by commas or spaces: the host, and its coordinates by their names
//! nid00012,3,0
//! NID NODENAME x_coord y_coord z_coord                   Cray: xtprocadmin, xtdb2proc
//! TpuDevice(id=5, process_index=1, coords=(1,1,0), ..)   JAX: print(jax.devices())
//! SwitchName=s0 Level=0 Nodes=node[0-3]                  Slurm: scontrol show topology, topology.conf
//! ```
//!
//! A switch tree has no coordinates: its hosts are ordered leaf switch by leaf switch, like the hosts of
//! networks with switches.

use std::collections::BTreeMap;

use cubefold_topology::Machine;

use super::{
    HostList,
    fabric::{Fabric, format_of, is_plain_list},
};
use crate::input::{
    diagnostic::Diagnostics,
    text::{LineCounter, Remarks, described, lines, shortened, span},
};

/// Coordinates of hosts: at least one host, all different, with the same number of coordinates each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoordinateMap {
    hosts: BTreeMap<String, MappedHost>,
    is_tree: bool,
}

/// A host and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MappedHost {
    address: Vec<u64>, // of a switch tree only its place in the order
    line: u64,         // of the map, counted from 1; 0 for a switch tree
}

/// A host to be given a node.
#[derive(Debug, Clone)]
struct ChosenHost<'a> {
    name: &'a str,
    address: Vec<u64>,
    line: u64,
}

/// A map that gives no order of hosts for a machine.
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
    #[error("{found} coordinates a host in the map, expected {expected}, the dimensions of the machine")]
    Dimensions {
        /// Number of coordinates of each host in the map.
        found: usize,
        /// The dimensions of the machine.
        expected: usize,
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

/// ` (line 7)`, or nothing for line 0.
fn in_line(line: u64) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}

/// Names of the columns that hold hosts.
const HOST_COLUMNS: [&str; 5] = ["host", "hostname", "nodename", "node", "name"];

impl CoordinateMap {
    /// Reads a map in any form.
    ///
    /// # Errors
    ///
    /// All errors of the text, with their positions.
    pub(crate) fn parse(text: &str) -> Result<Self, Diagnostics> {
        let (hosts, diagnostics) = (BTreeMap::new(), Diagnostics::default());
        let mut reading = MapReading { text, hosts, counter: LineCounter::new(text), diagnostics };
        let is_tree = !is_plain_list(format_of(text));
        if is_tree {
            reading.read_switches();
        } else if text.contains("coords=(") {
            reading.read_devices();
        } else {
            reading.read_table();
        }
        if reading.hosts.is_empty() && reading.diagnostics.is_empty() {
            let message = || "no host with coordinates, expected a table with a line for each".to_owned();
            reading.diagnostics.add(0..0, message);
        }
        let MapReading { hosts, diagnostics, .. } = reading;
        if diagnostics.is_empty() { Ok(Self { hosts, is_tree }) } else { Err(diagnostics) }
    }

    /// Orders hosts by the nodes of a machine: those of the list, or all of the map. Coordinates of listed
    /// hosts are relative to the least in each dimension, so that a job may be any box of the site's machine.
    /// If hosts have more coordinates than the machine has dimensions, constant coordinates are dropped.
    ///
    /// # Errors
    ///
    /// If a host is unknown, or the coordinates do not match the nodes of the machine one to one.
    pub fn order(&self, machine: &Machine, listed: Option<&HostList>) -> Result<HostList, CoordinateError> {
        let mut chosen = self.chosen(listed)?;
        if self.is_tree {
            return tree_order(machine, chosen, listed);
        }
        let lengths = machine.shape().lengths();
        leave_out_constant(&mut chosen, lengths.len());
        let found = chosen.first().map_or(0, |host| host.address.len());
        if found != lengths.len() {
            return Err(CoordinateError::Dimensions { found, expected: lengths.len() });
        }
        let least = |dimension: usize| chosen.iter().map(|host| host.address[dimension]).min().unwrap_or(0);
        let base: Vec<u64> = (0..found).map(|dimension| listed.map_or(0, |_| least(dimension))).collect();
        let mut placed: BTreeMap<u64, ChosenHost<'_>> = BTreeMap::new();
        for mut host in chosen {
            for (own, base) in host.address.iter_mut().zip(&base) {
                *own -= base;
            }
            let (name, line, address) = (host.name.to_owned(), host.line, written(&host.address));
            if host.address.iter().zip(lengths).any(|(own, length)| own >= length) {
                return Err(CoordinateError::Outside { host: name, line, address });
            }
            let dimensions = machine.shape().dimensions().zip(&host.address);
            let index = dimensions.map(|(dimension, own)| own * machine.shape().stride(dimension)).sum();
            if let Some(first) = placed.insert(index, host) {
                let (lines, first) = ([first.line, line], first.name.to_owned());
                return Err(CoordinateError::SamePlace { first, second: name, lines, address });
            }
        }
        let nodes = machine.node_count();
        if let Some(node) = (0..nodes).find(|node| !placed.contains_key(node)) {
            let address = machine.node(node).map(|node| machine.shape().coordinates(node));
            let address: Vec<u64> = address
                .map(|address| address.as_slice().iter().copied().map(u64::from).collect())
                .unwrap_or_default();
            return Err(CoordinateError::Missing { address: written(&address), nodes });
        }
        Ok(in_order(placed.into_values(), listed))
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
        Ok(Some(in_order(chosen.into_iter(), Some(listed))))
    }

    /// The hosts of the list, or all of the map.
    fn chosen(&self, listed: Option<&HostList>) -> Result<Vec<ChosenHost<'_>>, CoordinateError> {
        let chosen =
            |name, own: &MappedHost| ChosenHost { name, address: own.address.clone(), line: own.line };
        let Some(list) = listed else {
            return Ok(self.hosts.iter().map(|(name, own)| chosen(name.as_str(), own)).collect());
        };
        let known = list.with_lines().map(|(host, line)| match self.hosts.get_key_value(host) {
            Some((name, own)) => Ok(chosen(name.as_str(), own)),
            None => Err(CoordinateError::UnknownHost { host: host.to_owned(), line }),
        });
        known.collect()
    }
}

/// Drops constant coordinates, the last first, until their number is that of the dimensions: JAX prints three
/// for every device, even if a slice is flat.
fn leave_out_constant(hosts: &mut [ChosenHost<'_>], dimensions: usize) {
    let Some(first) = hosts.first().map(|host| host.address.clone()) else { return };
    let excess = first.len().saturating_sub(dimensions);
    let is_constant = |own: &usize| hosts.iter().all(|host| host.address[*own] == first[*own]);
    let left_out: Vec<usize> = (0..first.len()).rev().filter(is_constant).take(excess).collect();
    if left_out.len() < excess {
        return;
    }
    for host in hosts {
        for &own in &left_out {
            host.address.remove(own);
        }
    }
}

/// Makes a host list in this order, with the slots of `listed`.
fn in_order<'a>(hosts: impl Iterator<Item = ChosenHost<'a>>, listed: Option<&HostList>) -> HostList {
    HostList::in_order(hosts.map(|host| (host.name.to_owned(), host.line)).collect(), listed)
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
    Ok(in_order(chosen.into_iter(), listed))
}

/// `(x, y)`.
fn written(address: &[u64]) -> String {
    let numbers: Vec<String> = address.iter().map(u64::to_string).collect();
    format!("({})", numbers.join(", "))
}

/// A map while it is read.
struct MapReading<'t> {
    text: &'t str,
    hosts: BTreeMap<String, MappedHost>,
    counter: LineCounter<'t>,
    diagnostics: Diagnostics,
}

impl<'t> MapReading<'t> {
    fn complain(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.diagnostics.add(span(self.text, part), message);
    }

    /// Adds a host; reports an error if it is already there.
    fn add(&mut self, name: String, address: Vec<u64>, part: &str) {
        let (found, line) = (described(&name), self.counter.line(part));
        if self.hosts.insert(name, MappedHost { address, line }).is_some() {
            self.complain(part, || format!("host {found} a second time, expected every host once"));
        }
    }

    /// A coordinate; reports an error and returns `None` if it is not a number.
    fn coordinate(&mut self, word: &str, column: &str) -> Option<u64> {
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| word.parse::<u32>().ok()).flatten();
        if number.is_none() {
            let found = described(word);
            self.complain(word, || {
                format!("{column} is {found}, expected an integer from 0 to {}", u32::MAX)
            });
        }
        number.map(u64::from)
    }

    /// Reads a table with a header, its columns separated by commas or spaces.
    fn read_table(&mut self) {
        let mut rows = lines(self.text, Remarks::AfterHash);
        let Some(header) = rows.next() else { return };
        let has_commas = header.contains(',');
        let names: Vec<String> = words(header, has_commas).map(str::to_ascii_lowercase).collect();
        let host = HOST_COLUMNS.iter().find_map(|known| names.iter().position(|name| name == known));
        let number = names.iter().position(|name| name == "nid");
        let coordinates: Vec<usize> =
            (0..names.len()).filter(|&column| is_coordinate(&names[column])).collect();
        if host.or(number).is_none() || coordinates.is_empty() {
            let message = || {
                format!(
                    "header is {}, expected a column host and one for each coordinate, such as host,x,y,z",
                    described(header)
                )
            };
            self.complain(header, message);
            return;
        }
        for row in rows {
            let cells: Vec<&'t str> = words(row, has_commas).collect();
            if cells.len() != names.len() {
                let (found, expected) = (cells.len(), names.len());
                self.complain(row, || format!("{found} columns, expected {expected} as in the header"));
                continue;
            }
            let found = coordinates.iter().map(|&column| self.coordinate(cells[column], &names[column]));
            let address: Vec<Option<u64>> = found.collect();
            let name = match (host, number) {
                (Some(column), _) => Some(cells[column].to_owned()),
                (None, Some(column)) => {
                    self.coordinate(cells[column], "nid").map(|number| format!("nid{number:05}"))
                }
                (None, None) => None,
            };
            if let (Some(name), Some(address)) = (name, address.into_iter().collect()) {
                self.add(name, address, row);
            }
        }
    }

    /// Reads devices as JAX prints them: `..Device(id=5, .., coords=(1,1,0), ..)`. A device is named by its
    /// number.
    fn read_devices(&mut self) {
        let mut dimensions = None;
        for device in self.text.split("Device(").skip(1) {
            let id = value(device, "id=").map(|rest| until(rest, ",)"));
            let coordinates = value(device, "coords=(").map(|rest| until(rest, ")"));
            let (Some(id), Some(coordinates)) = (id, coordinates) else {
                self.complain(shown(device), || {
                    format!("device is {}, expected id= and coords=", described(&shortened(device)))
                });
                continue;
            };
            let core = value(device, "core_on_chip=").map(|rest| until(rest, ",)"));
            let Some(id_number) = self.coordinate(id, "id") else { continue };
            let words: Vec<&str> =
                coordinates.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
            let address: Vec<Option<u64>> =
                words.iter().map(|word| self.coordinate(word, "coords")).collect();
            let Some(address) = address.into_iter().collect::<Option<Vec<u64>>>() else { continue };
            if *dimensions.get_or_insert(address.len()) != address.len() {
                self.complain(coordinates, || {
                    "number of coordinates differs from that of earlier devices".to_owned()
                });
                continue;
            }
            // The second core of a chip is skipped: the chip is the node.
            if core.is_none_or(|core| core == "0") {
                self.add(id_number.to_string(), address, id);
            }
        }
    }

    /// Reads the hosts of a network, each with its place in their order.
    fn read_switches(&mut self) {
        match Fabric::parse_part(self.text) {
            Ok(fabric) => {
                let placed = (0..).map(|place| MappedHost { address: vec![place], line: 0 });
                self.hosts = fabric.host_names().iter().cloned().zip(placed).collect();
            }
            Err(diagnostics) => self.diagnostics = diagnostics,
        }
    }
}

/// Splits a row into cells.
fn words(row: &str, has_commas: bool) -> impl Iterator<Item = &str> {
    let (by_comma, by_space) = if has_commas {
        (Some(row.split(',').map(str::trim)), None)
    } else {
        (None, Some(row.split_whitespace()))
    };
    by_comma.into_iter().flatten().chain(by_space.into_iter().flatten())
}

/// Whether the lower-case name of a column names a coordinate: `x`, `x_coord`, `p_1`, `dim0`, `coord_2`.
fn is_coordinate(name: &str) -> bool {
    let letter = name.strip_suffix("_coord").unwrap_or(name);
    let is_letter = letter.len() == 1 && "abcdexyz".contains(letter);
    let numbered =
        ["p_", "dim_", "dim", "coord_", "coord"].iter().find_map(|before| name.strip_prefix(before));
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_letter || numbered.is_some_and(is_number)
}

/// The text after a key.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(key).map(|(_, rest)| rest)
}

/// The text before the first of some characters, trimmed.
fn until<'t>(text: &'t str, signs: &str) -> &'t str {
    text.split(|sign| signs.contains(sign)).next().unwrap_or_default().trim()
}

/// The first line of a text, as a slice of it.
fn shown(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
