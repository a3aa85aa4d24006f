//! A network of any format as a [`Fabric`].

use std::collections::BTreeMap;

use cubefold_topology::narrow;

use super::{COUNTED_FROM_1, Fabric, FabricLink, LinkSpeed, MAX_NODES, path_tree};
use crate::{
    format::{Format, Reading},
    input::text::counted,
    value::{Link, Network},
};

impl Fabric {
    /// The fabric of a network.
    ///
    /// # Errors
    ///
    /// A message if two nodes have links of different speeds, or there are too many nodes.
    pub fn of_network(network: &Network, format: &'static Format, reading: &Reading) -> Result<Self, String> {
        if network.nodes.len() as u64 > MAX_NODES.into() {
            return Err(format!("{} nodes, expected at most {MAX_NODES}", network.nodes.len()));
        }
        let mut links: BTreeMap<(u32, u32), FabricLink> = BTreeMap::new();
        // If no line gives cycles, the scenario gives the speed of links.
        let says_cycles = network.links.iter().any(|link| link.cycles.is_some_and(|cycles| cycles != [1, 1]));
        for link in &network.links {
            let link = &Link { cycles: link.cycles.filter(|_| says_cycles), ..link.clone() };
            let [one, other] = link.ends.map(|end| narrow(end as u64)); // ascending
            let fabric_link = FabricLink {
                ends: (one, other),
                directions: link.listed.unwrap_or([true; 2]),
                count: link.count,
                speed: speed(link)?,
            };
            match links.get_mut(&fabric_link.ends) {
                Some(known) if known.speed == fabric_link.speed => {
                    known.count = known.count.saturating_add(fabric_link.count);
                    known.directions = [0, 1].map(|way| known.directions[way] || fabric_link.directions[way]);
                }
                Some(_) => {
                    let [one, other] = link.ends.map(|end| &network.nodes[end]);
                    return Err(format!(
                        "links of {one} and {other} of different speeds, expected equal ones"
                    ));
                }
                None => {
                    links.insert(fabric_link.ends, fabric_link);
                }
            }
        }
        let hosts = network.hosts.unwrap_or(network.nodes.len());
        if hosts < 2 {
            return Err(format!("{}, expected at least 2", counted(hosts as u64, "host")));
        }
        let is_numbered = network.nodes.iter().enumerate().all(|(place, name)| *name == place.to_string());
        Ok(Self {
            format: format.tool,
            assumes_cables: reading.assumed.contains(&"one-cable"),
            names: if is_numbered { vec![] } else { network.nodes.clone() },
            nodes: narrow(network.nodes.len() as u64),
            hosts: network.hosts.map(|hosts| narrow(hosts as u64)),
            links: links.into_values().collect(),
            paths: path_tree::paths(network),
            notes: notes(network, reading),
        })
    }
}

/// Notes on parts that were left out or interpreted.
fn notes(network: &Network, reading: &Reading) -> Vec<String> {
    let mut notes = reading.notes.clone();
    if network.loops > 0 {
        let links = counted(network.loops, "link");
        notes.push(format!("left out: {links} from a node to itself"));
    }
    if network.links.iter().any(|link| link.cycles.is_some_and(|[along, back]| along != back)) {
        notes.push("links take the greater latency of their directions both ways".to_owned());
    }
    if reading.assumed.contains(&"base-1") {
        notes.push(COUNTED_FROM_1.to_owned());
    }
    notes
}

/// The speed of a link, equal in both directions: one cycle may stand for a direction that the file does not give.
fn speed(link: &Link) -> Result<LinkSpeed, String> {
    let cycles = match link.cycles {
        Some([along, back]) if along != back && along.min(back) > 1 => {
            return Err(format!("a link of {along} cycles and {back} back, expected equal ones"));
        }
        cycles => cycles.map(|[along, back]| along.max(back)),
    };
    // A unit occupies a link for one of these cycles.
    let (hop_cycles, latency_cycles) = (cycles.map(|_| 1), cycles.map(|cycles| cycles.saturating_sub(1)));
    let Link { bandwidth, latency, lanes, .. } = *link;
    Ok(LinkSpeed { bandwidth, latency, hop_cycles, latency_cycles, lanes })
}

impl Fabric {
    /// The same network with the hosts that `is_host` marks: they come first, in their order.
    #[must_use]
    pub fn with_hosts(self, is_host: &[bool]) -> Self {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|&node| !is_host.get(node).copied().unwrap_or(false));
        let mut new = vec![0; order.len()];
        for (place, &old) in (0..).zip(&order) {
            new[old] = place;
        }
        let turned = |link: FabricLink| {
            let [one, other] = [link.ends.0, link.ends.1].map(|end| new[end as usize]);
            let [along, back] = link.directions;
            let directions = if one < other { [along, back] } else { [back, along] };
            FabricLink { ends: (one.min(other), one.max(other)), directions, ..link }
        };
        let mut links: Vec<FabricLink> = self.links.into_iter().map(turned).collect();
        links.sort_unstable_by_key(|link| link.ends);
        let hosts = is_host.iter().filter(|is_host| **is_host).count();
        let names = order.iter().map(|&old| self.names[old].clone()).collect();
        Self { names, links, hosts: Some(narrow(hosts as u64)), ..self }
    }

    /// Whether each node has one neighbour.
    #[must_use]
    pub fn leaves(&self) -> Vec<bool> {
        let mut degrees = vec![0_u32; self.nodes as usize];
        for link in &self.links {
            degrees[link.ends.0 as usize] += 1;
            degrees[link.ends.1 as usize] += 1;
        }
        degrees.iter().map(|degree| *degree == 1).collect()
    }
}
