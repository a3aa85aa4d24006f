//! Links of lanes, and pairs of devices that reach each other over the buses of a node.
//!
//! Tables of `nvidia-smi` and `rocm-smi` name a class for a pair without a direct link: one bridge (`PIX`), several
//! (`PXB`), the host bridge (`PHB`), a NUMA node (`NODE`), the system (`SYS`). Each class is a level of a tree: a switch
//! over all nodes that its pairs and those of nearer classes join.

use std::collections::BTreeMap;

use cubefold_topology::narrow;

use super::{Fabric, FabricLink, LinkSpeed, reading::lowest};
use crate::{input::Ratio, value::Network};

/// The classes of `nvidia-smi topo -m`, the nearest first; others are farther.
const LEVELS: [&str; 5] = ["PIX", "PXB", "PHB", "NODE", "SYS"];

/// The pairs of nodes of a network without a direct link, by class, the nearest class first.
pub(super) fn paths(network: &Network) -> Vec<(String, Vec<(u32, u32)>)> {
    let places: BTreeMap<&str, u32> = network.nodes.iter().map(String::as_str).zip(0..).collect();
    let pair = |[one, other]: &[String; 2]| Some((*places.get(one.as_str())?, *places.get(other.as_str())?));
    let of_nodes = |pairs: &[[String; 2]]| pairs.iter().filter_map(pair).collect::<Vec<_>>();
    let all = network.paths.iter().map(|(class, pairs)| (class.clone(), of_nodes(pairs)));
    let mut paths: Vec<_> = all.filter(|(_, pairs)| !pairs.is_empty()).collect();
    let level = |class: &str| LEVELS.iter().position(|level| *level == class).unwrap_or(LEVELS.len());
    paths.sort_by_key(|(class, _)| level(class));
    paths
}

impl Fabric {
    /// Whether any link has lanes.
    #[must_use]
    pub fn has_lanes(&self) -> bool {
        self.links.iter().any(|link| link.speed.lanes.is_some())
    }

    /// The same network, in which a link of `n` lanes has `n` times the bandwidth and the latency of `lane`; without
    /// `lane`, the numbers of lanes are ignored.
    #[must_use]
    pub fn with_lane(mut self, lane: Option<LinkSpeed>) -> Self {
        for link in &mut self.links {
            let lanes = link.speed.lanes.take();
            if let (Some(lane), Some(lanes)) = (lane, lanes) {
                let bandwidth = lane.bandwidth.and_then(|bandwidth| bandwidth.times(Ratio::from(lanes)));
                link.speed = LinkSpeed { bandwidth, ..lane };
            }
        }
        self
    }

    /// The same network with switches for every class with a speed: one over each group of nodes that the pairs of
    /// this class and nearer ones join. Other classes are left out.
    #[must_use]
    pub fn with_paths(mut self, speeds: &BTreeMap<String, LinkSpeed>) -> Self {
        let hosts = self.nodes;
        // The highest node over each host so far, and its hosts.
        let mut tops: Vec<u32> = (0..hosts).collect();
        let mut near: Vec<(u32, u32)> = vec![];
        for (class, pairs) in self.paths.clone() {
            let Some(&speed) = speeds.get(&class) else { continue };
            near.extend(pairs);
            for group in groups(&tops, &near) {
                let mut below: Vec<u32> = group.iter().map(|&host| tops[host as usize]).collect();
                below.sort_unstable();
                below.dedup();
                let (&[first, ..], [_, _, ..]) = (&group[..], &below[..]) else { continue };
                let switch = self.nodes;
                self.nodes += 1;
                let name = format!("{class} of {}", self.name(first));
                self.names.push(name);
                let link = |node| FabricLink { ends: (node, switch), directions: [true; 2], count: 1, speed };
                self.links.extend(below.into_iter().map(link));
                group.iter().for_each(|&host| tops[host as usize] = switch);
            }
        }
        self.paths.retain(|(class, _)| !speeds.contains_key(class));
        self.links.sort_unstable_by_key(|link| link.ends);
        self
    }

    /// The classes of pairs without a direct link.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|(class, _)| class.as_str())
    }
}

/// The hosts that pairs, or a common top, join; each group ascending.
fn groups(tops: &[u32], pairs: &[(u32, u32)]) -> Vec<Vec<u32>> {
    let mut first_below: BTreeMap<u32, u32> = BTreeMap::new();
    let mut part: Vec<u32> = (0..).take(tops.len()).collect(); // the lowest host known to be in the same group
    let of_tops = (0..).zip(tops).map(|(host, &top)| (*first_below.entry(top).or_insert(host), host));
    let joined: Vec<(u32, u32)> = of_tops.chain(pairs.iter().copied()).collect();
    for (one, other) in joined {
        let [one, other] = [one, other].map(|host| lowest(&mut part, host));
        part[one.max(other) as usize] = one.min(other);
    }
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for host in 0..narrow(part.len() as u64) {
        groups.entry(lowest(&mut part, host)).or_default().push(host);
    }
    groups.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        asked::{Asked, ask},
        value::{Content, Kind},
    };

    fn fabric(text: &str) -> Fabric {
        let Asked::Value(format, reading) = ask("topo.txt", text.as_bytes(), Kind::Network) else {
            panic!("{text}");
        };
        let Content::Network(network) = &reading.content else { panic!("{}", format.name) };
        Fabric::of_network(network, format, &reading).unwrap()
    }

    fn named(fabric: &Fabric) -> Vec<String> {
        let name = |link: &FabricLink| {
            let bandwidth = link.speed.bandwidth.map_or(0.0, Ratio::to_f64);
            format!("{}-{} {bandwidth}", fabric.name(link.ends.0), fabric.name(link.ends.1))
        };
        fabric.links.iter().map(name).collect()
    }

    fn speed(bandwidth: u64) -> LinkSpeed {
        LinkSpeed { bandwidth: Some(Ratio::from(bandwidth)), ..LinkSpeed::default() }
    }

    const MIXED: &str = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\n\\
        GPU0\tX\tNV4\tPHB\tSYS\tPIX\nGPU1\tNV4\tX\tSYS\tSYS\tSYS\n\\
        GPU2\tPHB\tSYS\tX\tNV2\tSYS\nGPU3\tSYS\tSYS\tNV2\tX\tSYS\nNIC0\tPIX\tSYS\tSYS\tSYS\tX\n";

    #[test]
    fn a_link_of_lanes_is_one_link_of_their_bandwidth() {
        let fabric = fabric(MIXED).with_lane(Some(speed(25)));
        assert_eq!(named(&fabric), ["GPU0-GPU1 100", "GPU2-GPU3 50"]);
        assert!(fabric.links.iter().all(|link| link.count == 1));
        assert_eq!(fabric.classes().collect::<Vec<_>>(), ["PHB", "SYS"]); // PIX has only adapters
    }

    #[test]
    fn classes_are_levels_of_a_tree_with_a_speed_each() {
        let both = [("PHB".to_owned(), speed(8)), ("SYS".to_owned(), speed(4))].into();
        let joined = fabric(MIXED).with_lane(Some(speed(25))).with_paths(&both);
        assert_eq!(
            named(&joined),
            [
                "GPU0-GPU1 100",
                "GPU0-PHB of GPU0 8",
                "GPU1-SYS of GPU0 4",
                "GPU2-GPU3 50",
                "GPU2-PHB of GPU0 8",
                "GPU3-SYS of GPU0 4",
                "PHB of GPU0-SYS of GPU0 4",
            ]
        );
        let near = [("PHB".to_owned(), speed(8))].into();
        assert_eq!(fabric(MIXED).with_paths(&near).nodes, 5);
        assert_eq!(fabric(MIXED).with_paths(&BTreeMap::new()).nodes, 4);
    }
}
