//! Clusters of accelerators (`docs/model.md` section 22): nodes with devices, linked inside the node and through
//! leaves and spines.
//!
//! Vertices are numbered: devices node by node, which are the hosts; switches inside nodes, NICs where they are vertices,
//! both node by node; leaves, rail by rail; spines.

mod distances;

use std::{collections::BTreeMap, fmt};

use cubefold_derive::Words;

use self::distances::ClusterDistances;
use crate::{Network, NetworkError, NodeId};

/// The parameters of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cluster {
    /// The number of nodes, at least 1.
    pub nodes: u64,
    /// The devices of a node, at least 1: the hosts.
    pub devices_per_node: u64,
    /// The network inside a node.
    pub inside: ClusterInside,
    /// The network between nodes; `None` only for a single node.
    pub outside: Option<ClusterOutside>,
    /// Whether messages pass through devices.
    pub hosts_forward: bool,
}

/// The links inside a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClusterInside {
    /// Every device is linked to this many switches.
    Switch {
        /// The number of switches, at least 1.
        planes: u64,
    },
    /// All devices are linked with each other.
    FullMesh,
    /// Device `i` is linked with device `i + 1`, and the last with the first.
    Ring,
    /// Devices whose numbers differ in one bit are linked; their number is a power of two.
    Hypercube,
    /// No links.
    None,
}

/// The links between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClusterOutside {
    /// The NICs of a node, at least 1. Fewer than devices are vertices; otherwise each device has their links itself.
    pub nics_per_node: u64,
    /// The nodes on a leaf, at least 1.
    pub nodes_per_leaf: u64,
    /// Whether every NIC of a node has a leaf of its own rail.
    pub has_rails: bool,
    /// The number of spines, to each of which every leaf is linked.
    pub spines: u64,
    /// The parallel links between a leaf and a spine.
    pub uplinks: ClusterUplinks,
}

/// The parallel links between a leaf and a spine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClusterUplinks {
    /// This many from every leaf, at least 1.
    Each(u64),
    /// The fewest by which a leaf has at least as many links to spines as to its nodes.
    Full,
}

/// The parts of a cluster whose links may differ in speed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Words)]
pub enum ClusterPart {
    /// Links inside a node.
    Inside,
    /// Links between devices and NICs.
    Nic,
    /// Links to leaves.
    Outside,
    /// Links between leaves and spines.
    Spine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A device, switch or NIC of a node, by its number among the same sort there.
    InNode { node: u64, sort: Sort, place: u64 },
    /// A leaf of a group of nodes, of a rail.
    Leaf { group: u64, rail: u64 },
    /// A spine.
    Spine(u64),
}

/// A sort of vertices of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Device,
    Switch,
    Nic,
}

impl Cluster {
    /// Whether all counts are at least 1, divide each other as they must, and there are at least 2 hosts.
    pub(crate) fn is_whole(&self) -> bool {
        let devices = self.devices_per_node;
        let inside = match self.inside {
            ClusterInside::Switch { planes } => planes > 0,
            ClusterInside::Hypercube => devices.is_power_of_two(),
            ClusterInside::FullMesh | ClusterInside::Ring | ClusterInside::None => true,
        };
        let outside = match &self.outside {
            Some(outside) => {
                let nics = outside.nics_per_node;
                nics > 0 && outside.nodes_per_leaf > 0 && outside.uplinks != ClusterUplinks::Each(0)
            }
            None => self.nodes == 1,
        };
        self.nodes > 0 && devices > 0 && inside && outside && self.host_count() >= 2
    }

    /// The number of hosts: devices.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        self.nodes.saturating_mul(self.devices_per_node)
    }

    /// The switches inside a node.
    fn planes(&self) -> u64 {
        match self.inside {
            ClusterInside::Switch { planes } => planes,
            ClusterInside::FullMesh
            | ClusterInside::Ring
            | ClusterInside::Hypercube
            | ClusterInside::None => 0,
        }
    }

    /// The NICs of a node that are vertices.
    fn nics(&self) -> u64 {
        let nics = self.outside.map_or(0, |outside| outside.nics_per_node);
        if nics < self.devices_per_node { nics } else { 0 }
    }

    /// The number of groups of nodes on the same leaves.
    fn groups(&self) -> u64 {
        self.outside.map_or(0, |outside| self.nodes.div_ceil(outside.nodes_per_leaf))
    }

    /// The number of rails; 1 without rails.
    pub(crate) fn rails(&self) -> u64 {
        self.outside.map_or(0, |outside| if outside.has_rails { outside.nics_per_node } else { 1 })
    }

    /// The NICs of a device: several if a node has more than devices.
    fn nics_of(&self, device: u64) -> std::ops::Range<u64> {
        let (q, g) = (self.outside.map_or(0, |outside| outside.nics_per_node), self.devices_per_node);
        let first = device.saturating_mul(q) / g;
        first..(first + 1).max((device + 1).saturating_mul(q) / g)
    }

    /// Whether messages between devices of a node stay inside, given the time of the first unit on the links of each part:
    /// all devices are adjacent, or linked to a switch, and every way over NICs takes longer. Rings and hypercubes do not
    /// count (`docs/model.md` section 24).
    #[must_use]
    pub fn keeps_messages_inside(&self, first_unit: impl Fn(ClusterPart) -> u64) -> bool {
        let inside = match self.inside {
            ClusterInside::FullMesh => first_unit(ClusterPart::Inside),
            ClusterInside::Switch { .. } => first_unit(ClusterPart::Inside).saturating_mul(2),
            ClusterInside::Ring | ClusterInside::Hypercube | ClusterInside::None => return false,
        };
        let Some(outside) = self.outside else { return true };
        let to_leaves = if self.nics() > 0 { ClusterPart::Nic } else { ClusterPart::Outside };
        let spines = if self.nics() == 0 && outside.has_rails { first_unit(ClusterPart::Spine) } else { 0 };
        inside < first_unit(to_leaves).saturating_add(spines).saturating_mul(2)
    }

    /// Whether a device has several NICs, of which its messages choose one.
    pub(crate) fn has_nics_to_choose(&self) -> bool {
        self.outside.is_some_and(|outside| outside.nics_per_node > self.devices_per_node)
    }

    /// The number of a device as a destination of routes: its node if there are rails, else its NIC, the
    /// first of several (`docs/model.md` section 19).
    pub(crate) fn destination_number(&self, host: u64) -> u64 {
        let (node, device) = (host / self.devices_per_node, host % self.devices_per_node);
        match self.outside {
            Some(outside) if outside.has_rails => node,
            Some(outside) => node * outside.nics_per_node + self.nics_of(device).start,
            None => host,
        }
    }

    pub(crate) fn is_inside_switch(&self, vertex: NodeId) -> bool {
        let [switches, nics, ..] = self.firsts();
        (switches..nics).contains(&vertex.index().into())
    }

    pub(crate) fn is_nic(&self, vertex: NodeId) -> bool {
        let [_, nics, leaves, ..] = self.firsts();
        (nics..leaves).contains(&vertex.index().into())
    }

    /// The parallel links from a leaf of a group to each spine.
    fn uplinks(&self, group: u64) -> u64 {
        let Some(outside) = self.outside else { return 0 };
        match outside.uplinks {
            ClusterUplinks::Each(uplinks) => uplinks,
            ClusterUplinks::Full => {
                let nodes =
                    outside.nodes_per_leaf.min(self.nodes.saturating_sub(group * outside.nodes_per_leaf));
                let links =
                    if outside.has_rails { nodes } else { nodes.saturating_mul(outside.nics_per_node) };
                links.div_ceil(outside.spines.max(1))
            }
        }
    }

    /// Whether all leaves have the same number of links to each spine.
    fn has_even_uplinks(&self) -> bool {
        self.groups() == 0 || self.uplinks(0) == self.uplinks(self.groups() - 1)
    }

    fn spines(&self) -> u64 {
        self.outside.map_or(0, |outside| outside.spines)
    }

    /// The first switch inside nodes, first NIC, first leaf and first spine; then the number of vertices.
    fn firsts(&self) -> [u64; 5] {
        let switches = self.host_count();
        let nics = switches.saturating_add(self.nodes.saturating_mul(self.planes()));
        let leaves = nics.saturating_add(self.nodes.saturating_mul(self.nics()));
        let spines = leaves.saturating_add(self.groups().saturating_mul(self.rails()));
        [switches, nics, leaves, spines, spines.saturating_add(self.spines())]
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> u64 {
        self.firsts()[4]
    }

    /// The first vertex of each sort besides hosts that the cluster has: `inside`, `nics`, `leaves`, `spines`.
    #[must_use]
    pub fn first_vertices(&self) -> BTreeMap<String, u64> {
        let firsts = self.firsts();
        let names = ["inside", "nics", "leaves", "spines"];
        let sorts = names.into_iter().zip(firsts.windows(2));
        sorts.filter(|(_, ends)| ends[1] > ends[0]).map(|(name, ends)| (name.to_owned(), ends[0])).collect()
    }

    /// The number of vertices that are not hosts, by level: switches inside nodes, NICs, leaves and spines; empty levels
    /// are left out.
    #[must_use]
    pub fn level_counts(&self) -> Vec<u64> {
        let [switches, nics, leaves, spines, all] = self.firsts();
        let counts = [nics - switches, leaves - nics, spines - leaves, all - spines];
        counts.into_iter().filter(|&count| count > 0).collect()
    }

    pub(crate) fn link_count(&self) -> u64 {
        let g = self.devices_per_node;
        let inside = match self.inside {
            ClusterInside::Switch { planes } => g.saturating_mul(planes),
            ClusterInside::FullMesh => g.saturating_mul(g.saturating_sub(1)) / 2,
            ClusterInside::Ring if g > 2 => g,
            ClusterInside::Ring => g.saturating_sub(1),
            ClusterInside::Hypercube => g.saturating_mul(g.trailing_zeros().into()) / 2,
            ClusterInside::None => 0,
        };
        let to_nics = if self.nics() > 0 { g } else { 0 };
        let to_leaves = self.outside.map_or(0, |outside| outside.nics_per_node);
        let in_nodes = inside.saturating_add(to_nics).saturating_add(to_leaves).saturating_mul(self.nodes);
        // The last leaf may have fewer.
        let groups = self.groups();
        let most = if groups == 0 { 0 } else { self.uplinks(0).saturating_mul(groups - 1) };
        let last = if groups == 0 { 0 } else { self.uplinks(groups - 1) };
        let uplinks = most.saturating_add(last).saturating_mul(self.spines());
        in_nodes.saturating_add(uplinks.saturating_mul(self.rails()))
    }

    fn position(&self, vertex: u64) -> Position {
        let [switches, nics, leaves, spines, _] = self.firsts();
        let in_node = |first: u64, each: u64, sort| {
            let (node, place) = ((vertex - first) / each, (vertex - first) % each);
            Position::InNode { node, sort, place }
        };
        if vertex < switches {
            in_node(0, self.devices_per_node, Sort::Device)
        } else if vertex < nics {
            in_node(switches, self.planes(), Sort::Switch)
        } else if vertex < leaves {
            in_node(nics, self.nics(), Sort::Nic)
        } else if vertex < spines {
            let groups = self.groups();
            Position::Leaf { group: (vertex - leaves) % groups, rail: (vertex - leaves) / groups }
        } else {
            Position::Spine(vertex - spines)
        }
    }

    fn vertex(&self, position: Position) -> u64 {
        let [switches, nics, leaves, spines, _] = self.firsts();
        match position {
            Position::InNode { node, sort: Sort::Device, place } => node * self.devices_per_node + place,
            Position::InNode { node, sort: Sort::Switch, place } => switches + node * self.planes() + place,
            Position::InNode { node, sort: Sort::Nic, place } => nics + node * self.nics() + place,
            Position::Leaf { group, rail } => leaves + rail * self.groups() + group,
            Position::Spine(spine) => spines + spine,
        }
    }

    /// The first leaf, as a vertex.
    pub(crate) fn first_leaf(&self) -> u64 {
        self.firsts()[2]
    }

    /// The node of a vertex; `None` for leaves and spines.
    pub(crate) fn node_of(&self, vertex: NodeId) -> Option<u64> {
        match self.position(vertex.index().into()) {
            Position::InNode { node, .. } => Some(node),
            Position::Leaf { .. } | Position::Spine(_) => None,
        }
    }

    /// The rail of a host, the first of several; 0 without rails.
    pub(crate) fn rail_of(&self, host: u64) -> u64 {
        if self.rails() > 1 { self.nics_of(host % self.devices_per_node).start } else { 0 }
    }

    /// The group of nodes on the same leaves that includes a host.
    pub(crate) fn group_of(&self, host: u64) -> u64 {
        self.group(host / self.devices_per_node)
    }

    /// The leaf of a host, the first of several, counted from 0.
    pub(crate) fn leaf_of(&self, host: u64) -> u64 {
        self.rail_of(host) * self.groups() + self.group_of(host)
    }

    /// The group of a node, by the leaves that it is linked to.
    fn group(&self, node: u64) -> u64 {
        self.outside.map_or(0, |outside| node / outside.nodes_per_leaf)
    }

    /// All links by their ends, each parallel link listed.
    #[expect(clippy::too_many_lines, reason = "one list of links, part by part")]
    pub(crate) fn links(&self) -> Vec<(u32, u32)> {
        let mut links = vec![];
        let mut link = |one: Position, other: Position| {
            let [one, other] = [one, other].map(|end| u32::try_from(self.vertex(end)).unwrap_or(u32::MAX));
            links.push((one, other));
        };
        let g = self.devices_per_node;
        for node in 0..self.nodes {
            let device = |place| Position::InNode { node, sort: Sort::Device, place };
            for i in 0..g {
                match self.inside {
                    ClusterInside::Switch { planes } => {
                        for place in 0..planes {
                            link(device(i), Position::InNode { node, sort: Sort::Switch, place });
                        }
                    }
                    ClusterInside::FullMesh => (i + 1..g).for_each(|other| link(device(i), device(other))),
                    // A ring of two has one link.
                    ClusterInside::Ring if i + 1 < g => link(device(i), device(i + 1)),
                    ClusterInside::Ring if g > 2 => link(device(i), device(0)),
                    ClusterInside::Hypercube => {
                        let bits = (0..g.trailing_zeros()).map(|bit| i ^ 1 << bit);
                        bits.filter(|&other| other > i).for_each(|other| link(device(i), device(other)));
                    }
                    ClusterInside::Ring | ClusterInside::None => {}
                }
            }
            let Some(outside) = self.outside else { continue };
            let q = outside.nics_per_node;
            for i in (0..g).filter(|_| q < g) {
                let place = self.nics_of(i).start;
                link(device(i), Position::InNode { node, sort: Sort::Nic, place });
            }
            let leaf = |nic| {
                let rail = if outside.has_rails { nic } else { 0 };
                Position::Leaf { group: self.group(node), rail }
            };
            if q < g {
                (0..q).for_each(|place| link(Position::InNode { node, sort: Sort::Nic, place }, leaf(place)));
            } else {
                (0..g).for_each(|i| self.nics_of(i).for_each(|nic| link(device(i), leaf(nic))));
            }
        }
        for (group, rail) in
            (0..self.groups()).flat_map(|group| (0..self.rails()).map(move |rail| (group, rail)))
        {
            let uplinks = self.uplinks(group);
            for (spine, _) in (0..self.spines()).flat_map(|spine| (0..uplinks).map(move |link| (spine, link)))
            {
                link(Position::Leaf { group, rail }, Position::Spine(spine));
            }
        }
        links
    }

    /// The part of the cluster that the link between two vertices belongs to.
    #[must_use]
    pub fn part(&self, one: NodeId, other: NodeId) -> ClusterPart {
        let [low, high] = [one.min(other), one.max(other)].map(|end| self.position(end.index().into()));
        match (low, high) {
            (_, Position::Spine(_)) => ClusterPart::Spine,
            (_, Position::Leaf { .. }) => ClusterPart::Outside,
            (_, Position::InNode { sort: Sort::Nic, .. }) => ClusterPart::Nic,
            _ => ClusterPart::Inside,
        }
    }

    /// The network. [`Self::is_whole`] must hold, and the numbers must be small enough.
    pub(crate) fn network(&self) -> Result<Network, NetworkError> {
        Ok(self.searched_network()?.with_formula(ClusterDistances::new(self.clone(), &[])?))
    }

    /// The network, with distances found by a search.
    fn searched_network(&self) -> Result<Network, NetworkError> {
        let [vertices, hosts] =
            [self.vertex_count(), self.host_count()].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let network = Network::from_parallel_edges(vertices, &self.links())?;
        Ok(network.with_hosts(hosts).with_hosts_forwarding(self.hosts_forward).of_cluster(self))
    }

    /// A cluster of at most two groups of at most two nodes, with the same nodes and spines.
    fn small(&self) -> Self {
        match self.outside {
            Some(outside) => {
                let uplinks = ClusterUplinks::Each(self.uplinks(0));
                let outside = Some(ClusterOutside { nodes_per_leaf: 2, uplinks, ..outside });
                Self { nodes: 4, outside, ..self.clone() }
            }
            None => self.clone(),
        }
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let g = self.devices_per_node;
        write!(formatter, "{} nodes of {g} devices, ", self.nodes)?;
        match self.inside {
            ClusterInside::Switch { planes: 1 } => formatter.write_str("a switch inside")?,
            ClusterInside::Switch { planes } => write!(formatter, "{planes} switches inside")?,
            ClusterInside::FullMesh => formatter.write_str("a full mesh inside")?,
            ClusterInside::Ring => formatter.write_str("a ring inside")?,
            ClusterInside::Hypercube => formatter.write_str("a hypercube inside")?,
            ClusterInside::None => formatter.write_str("nothing inside")?,
        }
        let Some(outside) = self.outside else { return Ok(()) };
        let nics = outside.nics_per_node;
        let rails = if outside.has_rails { format!(" on {nics} rails") } else { String::new() };
        let leaves = self.groups().saturating_mul(self.rails());
        write!(formatter, ", {nics} NICs a node, {leaves} leaves{rails}, {} spines", outside.spines)?;
        match self.uplinks(0) {
            0 | 1 => Ok(()),
            _ if outside.spines == 0 => Ok(()),
            uplinks => write!(formatter, " by {uplinks} links each"),
        }
    }
}

#[cfg(test)]
mod tests;
