//! Coordinate maps: where the hosts of a site are in its network, and the order of hosts that follows.
//!
//! A list of hosts in another order than that of the machine's nodes is the commonest source of a wrong placement. A
//! map says the coordinates of every host; a job then takes the hosts of its allocation in the order of the nodes.
//!
//! ```text
//! host,x,y             a table, its columns separated by commas or spaces: the host, and its coordinates by their names
//! nid00012,3,0
//! NID NODENAME x_coord y_coord z_coord                   Cray: xtprocadmin, xtdb2proc
//! TpuDevice(id=5, process_index=1, coords=(1,1,0), ..)   JAX: print(jax.devices())
//! SwitchName=s0 Level=0 Nodes=node[0-3]                  Slurm: scontrol show topology, topology.conf
//! ```
//!
//! A tree of switches has no coordinates: its hosts are in the order of the leaf switches, one after another, as hosts of
//! networks with switches are numbered.

use std::collections::BTreeMap;

use cubefold_topology::Machine;

use super::{
    HostList,
    switch_tree::{SwitchTree, is_switch_tree},
};
use crate::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, shortened, span},
};

/// The coordinates of hosts. At least one host; all different, with equally many coordinates each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoordinateMap {
    hosts: BTreeMap<String, Vec<u64>>, // of a tree of switches the place in its order alone
    is_tree: bool,
}

/// Why a map gives no order of hosts for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CoordinateError {
    /// A host of the list is not in the map.
    #[error("host {host} is not in the coordinate map")]
    UnknownHost {
        /// Its name.
        host: String,
    },
    /// The map has other dimensions than the machine.
    #[error("{found} coordinates a host in the map, expected {expected}, the dimensions of the machine")]
    Dimensions {
        /// The coordinates of each host in the map.
        found: usize,
        /// The dimensions of the machine.
        expected: usize,
    },
    /// A host lies outside of the machine.
    #[error("host {host} is at {address}, expected coordinates below the lengths of the machine")]
    Outside {
        /// Its name.
        host: String,
        /// Its coordinates, less the least of all hosts where a list chooses them.
        address: String,
    },
    /// Two hosts have the same coordinates.
    #[error("hosts {first} and {second} are both at {address}, expected one host a node")]
    SamePlace {
        /// One.
        first: String,
        /// The other.
        second: String,
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

/// How names of columns say that they hold hosts.
const HOST_COLUMNS: [&str; 5] = ["host", "hostname", "nodename", "node", "name"];

impl CoordinateMap {
    /// Reads a map in any of the forms.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, each with its place in the text.
    pub(crate) fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut reading = MapReading { text, hosts: BTreeMap::new(), diagnostics: Diagnostics::default() };
        let is_tree = is_switch_tree(text);
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

    /// The hosts in the order of the nodes of a machine: those of the list, or all of the map. The coordinates of listed
    /// hosts count from the least of them in each dimension, so that a job may be any box of the site's machine.
    ///
    /// # Errors
    ///
    /// When a host is unknown, or the coordinates are not those of the nodes of the machine, one host each.
    pub fn order(&self, machine: &Machine, listed: Option<&HostList>) -> Result<HostList, CoordinateError> {
        let chosen: Vec<(&str, &[u64])> = match listed {
            None => self.hosts.iter().map(|(name, address)| (name.as_str(), address.as_slice())).collect(),
            Some(list) => {
                let mut known = vec![];
                for name in list.names() {
                    let Some(address) = self.hosts.get(name) else {
                        return Err(CoordinateError::UnknownHost { host: name.to_owned() });
                    };
                    known.push((name, address.as_slice()));
                }
                known
            }
        };
        if self.is_tree {
            return tree_order(machine, chosen);
        }
        let lengths = machine.shape().lengths();
        let found = chosen.first().map_or(0, |(_, address)| address.len());
        if found != lengths.len() {
            return Err(CoordinateError::Dimensions { found, expected: lengths.len() });
        }
        let least =
            |dimension: usize| chosen.iter().map(|(_, address)| address[dimension]).min().unwrap_or(0);
        let base: Vec<u64> = (0..found).map(|dimension| listed.map_or(0, |_| least(dimension))).collect();
        let mut names: BTreeMap<u64, &str> = BTreeMap::new();
        for (name, address) in chosen {
            let address: Vec<u64> = address.iter().zip(&base).map(|(own, base)| own - base).collect();
            if address.iter().zip(lengths).any(|(own, length)| own >= length) {
                return Err(CoordinateError::Outside { host: name.to_owned(), address: written(&address) });
            }
            let mut index = 0;
            for (dimension, own) in machine.shape().dimensions().zip(&address) {
                index += own * machine.shape().stride(dimension);
            }
            if let Some(first) = names.insert(index, name) {
                let (first, second) = (first.to_owned(), name.to_owned());
                return Err(CoordinateError::SamePlace { first, second, address: written(&address) });
            }
        }
        let nodes = machine.node_count();
        if let Some(node) = (0..nodes).find(|node| !names.contains_key(node)) {
            let address = machine.node(node).map(|node| machine.shape().coordinates(node));
            let address: Vec<u64> = address
                .map(|address| address.as_slice().iter().copied().map(u64::from).collect())
                .unwrap_or_default();
            return Err(CoordinateError::Missing { address: written(&address), nodes });
        }
        Ok(HostList::of_names(names.into_values().map(str::to_owned).collect()))
    }
}

/// The hosts of a tree of switches, one for each host of the machine.
fn tree_order(machine: &Machine, mut chosen: Vec<(&str, &[u64])>) -> Result<HostList, CoordinateError> {
    chosen.sort_by_key(|&(_, place)| place);
    let (found, nodes) = (chosen.len() as u64, machine.numbered_hosts());
    if found < nodes {
        return Err(CoordinateError::Missing { address: format!("node {found}"), nodes });
    }
    if let Some((host, _)) = chosen.get(usize::try_from(nodes).unwrap_or(usize::MAX)) {
        return Err(CoordinateError::Outside { host: (*host).to_owned(), address: format!("node {nodes}") });
    }
    Ok(HostList::of_names(chosen.into_iter().map(|(name, _)| name.to_owned()).collect()))
}

/// `(x, y)`.
fn written(address: &[u64]) -> String {
    let numbers: Vec<String> = address.iter().map(u64::to_string).collect();
    format!("({})", numbers.join(", "))
}

/// A map while it is read.
struct MapReading<'t> {
    text: &'t str,
    hosts: BTreeMap<String, Vec<u64>>,
    diagnostics: Diagnostics,
}

impl<'t> MapReading<'t> {
    fn complain(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.diagnostics.add(span(self.text, part), message);
    }

    /// Adds a host; reported where it is there.
    fn add(&mut self, name: String, address: Vec<u64>, part: &str) {
        let found = described(&name);
        if self.hosts.insert(name, address).is_some() {
            self.complain(part, || format!("host {found} a second time, expected every host once"));
        }
    }

    /// A coordinate; none, with a complaint, where it is no number.
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

    /// A table with a header, its columns separated by commas or spaces.
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

    /// The devices that JAX prints: `..Device(id=5, .., coords=(1,1,0), ..)`. A device is called by its number.
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
                    "another number of coordinates than the devices before".to_owned()
                });
                continue;
            }
            // The second core of a chip is at the same place: the chip is the node.
            if core.is_none_or(|core| core == "0") {
                self.add(id_number.to_string(), address, id);
            }
        }
    }

    /// The hosts of a tree of switches, each with its place in their order.
    fn read_switches(&mut self) {
        let tree = SwitchTree::read(self.text, &mut self.diagnostics);
        self.hosts = tree.hosts.into_iter().zip((0..).map(|place| vec![place])).collect();
    }
}

/// The cells of a row.
fn words(row: &str, has_commas: bool) -> impl Iterator<Item = &str> {
    let (by_comma, by_space) = if has_commas {
        (Some(row.split(',').map(str::trim)), None)
    } else {
        (None, Some(row.split_whitespace()))
    };
    by_comma.into_iter().flatten().chain(by_space.into_iter().flatten())
}

/// Whether the name of a column, in small letters, is that of a coordinate: `x`, `x_coord`, `p_1`, `dim0`, `coord_2`.
fn is_coordinate(name: &str) -> bool {
    let letter = name.strip_suffix("_coord").unwrap_or(name);
    let is_letter = letter.len() == 1 && "abcdexyz".contains(letter);
    let numbered =
        ["p_", "dim_", "dim", "coord_", "coord"].iter().find_map(|before| name.strip_prefix(before));
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_letter || numbered.is_some_and(is_number)
}

/// What follows a key.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(key).map(|(_, rest)| rest)
}

/// The text up to the first of some signs, without the space around.
fn until<'t>(text: &'t str, signs: &str) -> &'t str {
    text.split(|sign| signs.contains(sign)).next().unwrap_or_default().trim()
}

/// The first line of a text, as a part of it.
fn shown(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use cubefold_topology::MachineKind;
    use proptest::prelude::*;

    use super::*;

    fn torus(lengths: &[u64]) -> Machine {
        Machine::new(MachineKind::Torus, lengths).unwrap()
    }

    fn order(text: &str, lengths: &[u64], listed: Option<&str>) -> Result<Vec<String>, String> {
        let map = CoordinateMap::parse(text).unwrap();
        let listed = listed.map(|list| HostList::parse(list).unwrap());
        let hosts = map.order(&torus(lengths), listed.as_ref()).map_err(|error| error.to_string())?;
        Ok(hosts.names().map(str::to_owned).collect())
    }

    const TABLE: &str = "host,x,y\nd,1,1\nb,1,0\nc,0,1\na,0,0\ne,2,0\nf,2,1\n";

    #[test]
    fn hosts_come_in_the_order_of_the_nodes() {
        assert_eq!(order(TABLE, &[3, 2], None).unwrap(), ["a", "b", "e", "c", "d", "f"]);
        // A job may be any box: its coordinates count from its corner.
        assert_eq!(order(TABLE, &[2, 2], Some("f\ne\nb\nd\n")).unwrap(), ["b", "e", "d", "f"]);
    }

    #[test]
    fn other_tools_print_maps_as_well() {
        let cray = "NID NODENAME     TYPE    x_coord y_coord z_coord\n 4  c0-0c0s1n0   compute 0 0 1\n 0  c0-0c0s0n0   compute 0 0 0\n";
        let map = CoordinateMap::parse(cray).unwrap();
        assert_eq!((map.hosts["c0-0c0s1n0"].as_slice(), map.hosts.len()), (&[0, 0, 1][..], 2));
        let jax = "[TpuDevice(id=0, process_index=0, coords=(0,1,0), core_on_chip=0), TpuDevice(id=1, process_index=0, coords=(0,1,0), core_on_chip=1),\n TpuDevice(id=2, process_index=1, coords=(0,0,0), core_on_chip=0)]";
        let map = CoordinateMap::parse(jax).unwrap();
        assert_eq!(map.hosts.len(), 2);
        assert_eq!(map.hosts["2"], [0, 0, 0]);
        let slurm = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=node[2-3]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=node[0-1]\nSwitchName=s2 Level=1 LinkSpeed=1 Nodes=node[0-3] Switches=s[0-1]\n";
        assert_eq!(order(slurm, &[4], None).unwrap(), ["node2", "node3", "node0", "node1"]);
        assert_eq!(order(slurm, &[2], Some("node1,node3")).unwrap(), ["node3", "node1"]);
    }

    #[test]
    fn a_map_that_is_not_the_machine_is_refused() {
        assert_eq!(
            order(TABLE, &[3, 2, 2], None).unwrap_err(),
            "2 coordinates a host in the map, expected 3, the dimensions of the machine"
        );
        assert_eq!(
            order(TABLE, &[2, 2], None).unwrap_err(),
            "host e is at (2, 0), expected coordinates below the lengths of the machine"
        );
        assert_eq!(
            order(TABLE, &[3, 3], None).unwrap_err(),
            "no host at (0, 2), expected one for each of 9 nodes"
        );
        assert_eq!(order(TABLE, &[2, 2], Some("a\nx\n")).unwrap_err(), "host x is not in the coordinate map");
        let twice = "host,x\na,0\nb,0\n";
        assert_eq!(
            order(twice, &[2], None).unwrap_err(),
            "hosts a and b are both at (0), expected one host a node"
        );
    }

    #[test]
    fn everything_wrong_with_a_map_is_reported() {
        let reported = |text: &str| -> Vec<String> {
            let diagnostics = CoordinateMap::parse(text).unwrap_err();
            diagnostics.kept().iter().map(|one| format!("{:?}: {}", one.span, one.message)).collect()
        };
        assert_eq!(
            reported("host,x\na,1\na,2\nb,z\nc\n"),
            [
                "11..14: host \"a\" a second time, expected every host once",
                "17..18: x is \"z\", expected an integer from 0 to 4294967295",
                "19..20: 1 columns, expected 2 as in the header",
            ]
        );
        assert_eq!(reported("")[0], "0..0: no host with coordinates, expected a table with a line for each");
        assert!(
            reported("rack,slot\n")[0].starts_with("0..9: header is \"rack,slot\", expected a column host")
        );
        assert!(reported("TpuDevice(id=x, coords=(0,0))")[0].starts_with("13..14: id is \"x\""));
        assert!(reported("SwitchName=s Nodes=a[1\n")[0].starts_with("19..22: nodes are"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Files in which some bytes are others, cut or doubled: an order, or errors with their places.
        #[test]
        fn no_map_and_no_list_is_too_strange(
            base in 0_usize..5,
            edits in proptest::collection::vec((any::<proptest::sample::Index>(), "[-0-9a-z,=()\\[\\] :\n#]{0,3}"), 1..6),
        ) {
            let mut text = [
                TABLE,
                "NID NODENAME x_coord y_coord\n 4 c0 0 1\n 0 c1 0 0\n",
                "[TpuDevice(id=0, process_index=0, coords=(0,1), core_on_chip=0)]",
                "SwitchName=s0 Level=0 Nodes=node[2-3]\nSwitchName=s2 Level=1 Switches=s[0-0]\n",
                "node[000-255,300]:4\nalpha slots=4 max_slots=8\nalpha,b\n",
            ][base].to_owned();
            for (place, inserted) in edits {
                let place = place.index(text.len() + 1);
                let end = (place + inserted.len() / 2).min(text.len());
                text.replace_range(place..end, &inserted);
            }
            let diagnostics = CoordinateMap::parse(&text)
                .map(|map| { let _ = map.order(&torus(&[3, 2]), None); })
                .err()
                .into_iter()
                .chain(HostList::parse(&text).err());
            for diagnostics in diagnostics {
                prop_assert!(!diagnostics.kept().is_empty());
                for one in diagnostics.kept() {
                    prop_assert!(one.span.start <= one.span.end && one.span.end <= text.len());
                }
            }
        }
    }
}
