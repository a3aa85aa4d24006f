//! Networks: nodes, hosts first, and the links between them.

use std::collections::{BTreeMap, BTreeSet};

use crate::input::Ratio;

/// Largest number of nodes.
pub const MAX_NODES: usize = 1 << 20;
const MAX_LINKS: usize = 1 << 24;

/// Identical links between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The two nodes, by number.
    pub ends: [usize; 2],
    /// The number of cables, at least 1.
    pub count: u64,
    /// The bandwidth of a cable in one direction \[bytes/s\].
    pub bandwidth: Option<Ratio>,
    /// The latency \[s\].
    pub latency: Option<Ratio>,
    /// The lanes of one link, which carry a message together.
    pub lanes: Option<u64>,
    /// `NVLink`, `XGMI`, `PCIe` or `SYS`.
    pub class: Option<&'static str>,
    /// The latency along `ends` and back \[cycles\], if the file counts cycles.
    pub cycles: Option<[u64; 2]>,
    /// Whether the file lists it along `ends` and back; `None` if it does not tell the directions apart.
    pub listed: Option<[bool; 2]>,
}

/// Nodes and links; hosts come first.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// The names of all nodes, hosts first.
    pub nodes: Vec<String>,
    /// The number of hosts; `None` if the file does not distinguish them from switches.
    pub hosts: Option<usize>,
    /// The links.
    pub links: Vec<Link>,
    /// Pairs without a direct link, by class.
    pub paths: BTreeMap<String, Vec<[String; 2]>>,
    /// The number of cables from a node back to itself.
    pub loops: u64,
    places: BTreeMap<String, usize>,
    are_hosts: Vec<bool>,
    is_overfull: bool, // whether nodes were left out
}

impl Network {
    /// The number of the node with a name, which is added if it is new.
    pub fn node(&mut self, name: &str, is_host: bool) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        if self.nodes.len() == MAX_NODES {
            self.is_overfull = true;
            return 0;
        }
        self.nodes.push(name.to_owned());
        self.are_hosts.push(is_host);
        self.places.insert(name.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The limit that it exceeds.
    pub(super) fn excess(&self) -> Option<&'static str> {
        if self.is_overfull {
            return Some("more than 2^20 nodes");
        }
        (self.links.len() > MAX_LINKS).then_some("more than 2^24 links")
    }

    /// The number of a known node.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Adds a cable of unknown speed.
    pub fn cable(&mut self, from: usize, to: usize) {
        self.links.push(Link { ends: [from, to], count: 1, ..Link::default() });
    }

    /// Adds the links of a list, and counts those from a node to itself.
    pub(crate) fn add_listed(&mut self, pairs: impl IntoIterator<Item = [usize; 2]>) {
        let mut told = vec![];
        for [from, to] in pairs {
            if from == to {
                self.loops += 1;
            } else {
                told.push(([from.min(to), from.max(to)], from > to));
            }
        }
        told.sort_unstable();
        let pairs = told.chunk_by(|one, other| one.0 == other.0).map(|pair| {
            let back = pair.iter().filter(|told| told.1).count() as u64;
            (pair[0].0, [pair.len() as u64 - back, back])
        });
        self.add_counted(pairs.collect());
    }

    /// Adds links by their ends and the number of times that they are listed in each direction. A list that has all its
    /// pairs equally often in both directions has every link twice (`docs/model.md` section 22.1).
    pub(crate) fn add_counted(&mut self, pairs: Vec<([usize; 2], [u64; 2])>) {
        let are_twice = pairs.iter().all(|(_, [along, back])| along == back);
        let count = |[along, back]: [u64; 2]| if are_twice { along } else { along + back };
        let link = |(ends, listed): ([usize; 2], [u64; 2])| Link {
            ends,
            count: count(listed),
            listed: Some(listed.map(|count| count > 0)),
            ..Link::default()
        };
        self.links.extend(pairs.into_iter().map(link));
    }

    /// Adds a pair without a direct link.
    pub(crate) fn path(&mut self, class: &str, one: &str, other: &str) {
        self.paths.entry(class.to_owned()).or_default().push([one.to_owned(), other.to_owned()]);
    }

    /// The same network, its nodes in the order of their numbers.
    #[must_use]
    pub fn in_numeric_order(self) -> Self {
        let number = |name: &String| name.parse::<u64>().unwrap_or(u64::MAX);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| number(&self.nodes[node]));
        self.in_order(&order)
    }

    /// The same network, its hosts ordered by the numbers at the ends of their names.
    #[must_use]
    pub(crate) fn hosts_by_number(self) -> Self {
        let hosts = self.hosts.unwrap_or(0);
        let number = |name: &str| name.rsplit(' ').next().and_then(|word| word.parse::<u64>().ok());
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order[..hosts].sort_by_key(|&node| number(&self.nodes[node]));
        self.in_order(&order)
    }

    /// The same network, its nodes in the given order of their current numbers.
    fn in_order(mut self, order: &[usize]) -> Self {
        let mut new = vec![0; order.len()];
        for (place, &old) in order.iter().enumerate() {
            new[old] = place;
        }
        self.nodes = order.iter().map(|&old| std::mem::take(&mut self.nodes[old])).collect();
        self.are_hosts = order.iter().map(|&old| self.are_hosts[old]).collect();
        self.places = self.nodes.iter().cloned().zip(0..).collect();
        for link in &mut self.links {
            link.ends = link.ends.map(|end| new[end]);
        }
        self
    }

    /// Puts hosts first and merges identical links; `knows_hosts` says whether hosts are distinguished from switches.
    #[must_use]
    pub fn finish(mut self, knows_hosts: bool) -> Self {
        if knows_hosts {
            let mut order: Vec<usize> = (0..self.nodes.len()).collect();
            order.sort_by_key(|&node| !self.are_hosts[node]);
            self.hosts = Some(self.are_hosts.iter().filter(|are_host| **are_host).count());
            self = self.in_order(&order);
        }
        for link in &mut self.links {
            if link.ends[0] > link.ends[1] {
                link.ends.reverse();
                link.cycles = link.cycles.map(|[one, other]| [other, one]);
                link.listed = link.listed.map(|[one, other]| [other, one]);
            }
        }
        self.links.sort_by_key(|link| link.ends);
        let mut merged: Vec<Link> = vec![];
        for link in std::mem::take(&mut self.links) {
            let same =
                merged.iter_mut().rev().take_while(|known| known.ends == link.ends).find(|known| {
                    Link { count: 0, ..(**known).clone() } == Link { count: 0, ..link.clone() }
                });
            match same {
                Some(known) => known.count += link.count,
                None => merged.push(link),
            }
        }
        self.links = merged;
        self
    }

    /// Whether the hosts, or all nodes if hosts are unknown, are not all connected.
    pub(crate) fn is_unconnected(&self) -> bool {
        let mut part = self.parts(|_| true);
        let count = self.hosts.unwrap_or(self.nodes.len());
        let first = if count > 0 { root(&mut part, 0) } else { 0 };
        (1..count).any(|node| root(&mut part, node) != first)
    }

    /// Whether some hosts of a network with switches reach others only through hosts.
    pub(crate) fn needs_forwarding_hosts(&self) -> bool {
        let Some(hosts) = self.hosts.filter(|hosts| (2..self.nodes.len()).contains(hosts)) else {
            return false;
        };
        if self.is_unconnected() {
            return false;
        }
        let mut part = self.parts(|link| link.ends.iter().all(|end| *end >= hosts));
        let mut around: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); hosts]; // parts and hosts beside each host
        for link in &self.links {
            for [node, other] in [link.ends, [link.ends[1], link.ends[0]]] {
                if node < hosts {
                    around[node].insert(root(&mut part, other));
                }
            }
        }
        let first = &around[0];
        // Right for nearly all networks: looks for one connected part of switches beside all hosts.
        !first.iter().any(|place| *place >= hosts && around.iter().all(|others| others.contains(place)))
    }

    /// For each node, another one of its part, where `joins` selects the links; [`root`] finds the representative.
    fn parts(&self, joins: impl Fn(&Link) -> bool) -> Vec<usize> {
        let mut part: Vec<usize> = (0..self.nodes.len()).collect();
        for link in self.links.iter().filter(|link| joins(link)) {
            let [one, other] = link.ends.map(|end| root(&mut part, end));
            part[one] = other;
        }
        part
    }
}

/// The representative of the part of a node.
fn root(part: &mut [usize], mut node: usize) -> usize {
    while part[node] != node {
        part[node] = part[part[node]];
        node = part[node];
    }
    node
}
