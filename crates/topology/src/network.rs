//! Networks: nodes and links that lie in no dimensions, and the numbering of their channels.
//!
//! Which routes messages take is found in [`routes`](crate::routes).

mod connection;
mod directed;
mod distances;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use crate::{
    Channel, Cluster, Direction, HostDimension, Link, LinkTime, NodeId, Sign,
    levels::Levels,
    routes::{Destinations, Distances, LinkWeight, Tables},
};

/// The most neighbours that a node of a network may have.
pub const MAX_NEIGHBOURS: usize = HostDimension::MAX_PORTS;

/// The most nodes of a network whose distances are looked up in tables, of a byte or more for every pair of nodes.
pub const MAX_ROUTED_NODES: u64 = 1 << 16;

/// A graph without loops, whose links lead in both directions or, in some networks from lists, in one. Two nodes may have
/// several links between them, which are equal.
///
/// The links of a node are numbered by **ports**: its neighbours in ascending order, counted from 0, one with parallel
/// links as often as it has links. The [`Direction`] of a channel has the port where a machine with dimensions has the
/// dimension, and its sign is `+` towards the node with the higher index. Of parallel links the `k`-th port at one end is
/// the `k`-th at the other.
#[derive(Debug)]
pub struct Network {
    firsts: Vec<u32>, // the start of each node's neighbours; one more entry for the end of the last
    neighbours: Vec<NodeId>, // of each node, ascending
    degree: Option<u32>, // the degree of all nodes, if they have the same
    max_degree: usize,
    hosts: u32,                                // the nodes that processes can be on, the first ones
    hosts_forward: bool,                       // whether routes may lead through hosts
    leaves: u32,                               // the number of first nodes with at most one link
    has_parallels: bool,                       // whether any two nodes have several links
    classes: Option<Arc<[u16]>>, // of the links, channel by channel; `None` if all are of one class
    incoming: Option<Arc<directed::Incoming>>, // channels by their ends, if links lead in one direction
    weights: Box<[LinkWeight]>,  // by class; empty if routes have the fewest links
    formula: Option<Arc<dyn Distances>>,
    tables: Tables,                // without a formula
    distance_bound: OnceLock<u64>, // of its nodes; found when it is first asked for
    cluster: Option<Arc<Cluster>>, // the cluster that it connects
    levels: OnceLock<Arc<Levels>>, // of its nodes; with failures, the levels of the whole network
    destinations: OnceLock<Destinations>,
}

/// A list of links that makes no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// A link to a node that does not exist.
    #[error("a link to node {node}, expected a node in 0 to {greatest}")]
    NoSuchNode {
        /// The node found.
        node: u32,
        /// The greatest node.
        greatest: u32,
    },
    /// A node with more links than ports are numbered.
    #[error("node {node} has {found} neighbours, expected at most {MAX_NEIGHBOURS}")]
    TooManyNeighbours {
        /// The node.
        node: NodeId,
        /// Their number.
        found: usize,
    },
}

impl Network {
    /// Returns the network of `node_count` nodes with these links, each given by its ends in either order. A link that is
    /// listed again, or connects a node with itself, is left out.
    ///
    /// # Errors
    ///
    /// When a link leads to no node, or a node has more than [`MAX_NEIGHBOURS`].
    pub fn from_edges(node_count: u32, links: &[(u32, u32)]) -> Result<Self, NetworkError> {
        let mut arcs = Self::arcs(node_count, links)?;
        arcs.dedup();
        Self::of_arcs(node_count, arcs)
    }

    /// The same with parallel links: two nodes have a link for each time they are listed, in either order
    /// (`docs/model.md` section 22).
    ///
    /// # Errors
    ///
    /// As [`from_edges`](Self::from_edges); parallel links count as neighbours.
    pub fn from_parallel_edges(node_count: u32, links: &[(u32, u32)]) -> Result<Self, NetworkError> {
        Self::of_arcs(node_count, Self::arcs(node_count, links)?)
    }

    /// Both directions of all links between different nodes, ascending.
    fn arcs(node_count: u32, links: &[(u32, u32)]) -> Result<Vec<(u32, u32)>, NetworkError> {
        let ends = links.iter().flat_map(|&(one, other)| [one, other]);
        if let Some(node) = ends.clone().find(|&end| end >= node_count) {
            return Err(NetworkError::NoSuchNode { node, greatest: node_count.saturating_sub(1) });
        }
        let arcs = links.iter().flat_map(|&(one, other)| [(one, other), (other, one)]);
        let mut arcs: Vec<(u32, u32)> = arcs.filter(|(from, to)| from != to).collect();
        arcs.sort_unstable();
        Ok(arcs)
    }

    fn of_arcs(node_count: u32, arcs: Vec<(u32, u32)>) -> Result<Self, NetworkError> {
        let (mut firsts, mut most) = (vec![0; node_count as usize + 1], 0);
        for (from, _) in &arcs {
            firsts[*from as usize + 1] += 1;
        }
        for (node, found) in (0..).map(NodeId::new).zip(&firsts[1..]) {
            most = most.max(*found);
            let found = *found as usize;
            if found > MAX_NEIGHBOURS {
                return Err(NetworkError::TooManyNeighbours { node, found });
            }
        }
        for node in 0..node_count as usize {
            firsts[node + 1] += firsts[node];
        }
        let has_parallels = arcs.windows(2).any(|pair| pair[0] == pair[1]);
        let mut neighbours: Vec<NodeId> = arcs.into_iter().map(|(_, to)| NodeId::new(to)).collect();
        // They are collected where the arcs were, which are twice as long.
        neighbours.shrink_to_fit();
        let degree = firsts.get(1).copied();
        let is_regular = firsts.windows(2).all(|pair| degree == Some(pair[1] - pair[0]));
        let leaves = firsts.windows(2).take_while(|pair| pair[1] - pair[0] <= 1).count();
        Ok(Self {
            degree: degree.filter(|_| is_regular),
            max_degree: most as usize,
            hosts: node_count,
            hosts_forward: true,
            leaves: u32::try_from(leaves).unwrap_or(node_count),
            has_parallels,
            firsts,
            neighbours,
            classes: None,
            incoming: None,
            weights: [].into(),
            formula: None,
            tables: Tables::default(),
            distance_bound: OnceLock::new(),
            cluster: None,
            levels: OnceLock::new(),
            destinations: OnceLock::new(),
        })
    }

    /// Estimates the memory that a network of `nodes` nodes and `links` links takes \[bytes\]: while
    /// [`from_edges`](Self::from_edges) makes it, the list of the links included, and afterwards.
    #[must_use]
    pub fn bytes_to_make(nodes: u64, links: u64) -> [u64; 2] {
        // The list, an arc in each direction and its end; a search over all nodes for whether they are connected.
        const WHILE_MADE: [u64; 2] = [20, 26];
        const KEPT: [u64; 2] = [4, 8];
        [WHILE_MADE, KEPT]
            .map(|[node, link]| nodes.saturating_mul(node).saturating_add(links.saturating_mul(link)))
    }

    /// The same with processes on the first `hosts` nodes only; the others are switches.
    #[must_use]
    pub fn with_hosts(self, hosts: u32) -> Self {
        Self { hosts, ..self }
    }

    /// The same with or without routes through hosts (`docs/model.md` section 22).
    #[must_use]
    pub fn with_hosts_forwarding(self, hosts_forward: bool) -> Self {
        Self { hosts_forward, ..self }
    }

    /// Whether routes may lead through hosts.
    #[must_use]
    pub fn hosts_forward(&self) -> bool {
        self.hosts_forward
    }

    /// Whether any two nodes have several links.
    #[must_use]
    pub fn has_parallel_links(&self) -> bool {
        self.has_parallels
    }

    /// The number of first nodes through which no route leads: the hosts, or nodes with at most one link.
    #[inline]
    pub(crate) fn ends_only(&self) -> u32 {
        if self.hosts_forward { self.leaves } else { self.hosts.max(self.leaves) }
    }

    pub(crate) fn with_formula(self, formula: impl Distances + 'static) -> Self {
        Self { formula: Some(Arc::new(formula)), ..self }
    }

    /// The same with distances looked up in tables.
    pub(crate) fn without_formula(&self) -> Self {
        Self { formula: None, ..self.copied() }
    }

    #[cfg(test)]
    pub(crate) fn with_shared_formula(self, formula: Arc<dyn Distances>) -> Self {
        Self { formula: Some(formula), ..self }
    }

    pub(crate) fn of_cluster(self, cluster: &Cluster) -> Self {
        Self { cluster: Some(Arc::new(cluster.clone())), ..self }
    }

    /// The same as the rest of a whole network, with some of its links: nodes keep their levels.
    pub(crate) fn left_of(self, whole: &Self) -> Self {
        let levels = OnceLock::from(Arc::clone(whole.levels()));
        Self { cluster: whole.cluster.clone(), levels, ..self }
    }

    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_deref()
    }

    /// The levels of its nodes (`docs/model.md` section 19).
    #[must_use]
    pub fn levels(&self) -> &Arc<Levels> {
        self.levels.get_or_init(|| Arc::new(Levels::new(self)))
    }

    /// The numbers by which destinations choose routes.
    pub(crate) fn destinations(&self) -> &Destinations {
        self.destinations.get_or_init(|| Destinations::new(self))
    }

    /// The same with a class for each link, given by its ends in either order.
    #[must_use]
    pub fn with_classes(self, class: impl Fn(NodeId, NodeId) -> u16) -> Self {
        let nodes = (0..self.firsts.len() - 1).filter_map(|node| u32::try_from(node).ok()).map(NodeId::new);
        let classes = nodes.flat_map(|node| {
            let class = &class;
            self.neighbours(node).iter().map(move |&other| class(node, other))
        });
        let classes: Arc<[u16]> = classes.collect();
        let is_one = classes.iter().all(|&class| class == 0);
        Self { classes: (!is_one).then_some(classes), ..self }
    }

    /// The same with these weights by class, none for routes with the fewest links, and no formula.
    pub(crate) fn with_weights(self, weights: &[LinkWeight]) -> Self {
        Self { weights: weights.into(), formula: None, ..self }
    }

    /// The same links with a class for each, and these times by class: routes have the least sum of `l + u`, and of
    /// those the fewest links (`docs/model.md` section 21.8).
    pub(crate) fn with_times(
        self: &Arc<Self>,
        class: impl Fn(NodeId, NodeId) -> u16,
        times: &[LinkTime],
    ) -> Arc<Self> {
        let classed = self.copied().with_classes(class);
        let weights: Box<[LinkWeight]> = times.iter().map(|&time| time.into()).collect();
        let has_one_weight = weights.windows(2).all(|two| two[0] == two[1]);
        let formula = match &self.formula {
            Some(formula) if has_one_weight || formula.holds_for_any_weights() => {
                formula.with_weights(&[]).or_else(|| Some(Arc::clone(formula)))
            }
            Some(formula) => formula.with_weights(&weights),
            None => None,
        };
        let is_plain = formula.as_ref().is_some_and(|formula| formula.holds_for_any_weights());
        let weights = if has_one_weight || is_plain { [].into() } else { weights };
        Arc::new(Self { weights, formula, ..classed })
    }

    /// The same links, with the routes that have the fewest.
    pub(crate) fn without_weights(self: &Arc<Self>) -> Arc<Self> {
        if self.weights.is_empty() {
            return Arc::clone(self);
        }
        let formula = self
            .formula
            .as_ref()
            .map(|formula| formula.with_weights(&[]).unwrap_or_else(|| Arc::clone(formula)));
        Arc::new(Self { weights: [].into(), formula, ..self.copied() })
    }

    /// The same network without the routes that have been looked up.
    fn copied(&self) -> Self {
        Self {
            firsts: self.firsts.clone(),
            neighbours: self.neighbours.clone(),
            classes: self.classes.clone(),
            incoming: self.incoming.clone(),
            weights: self.weights.clone(),
            formula: self.formula.clone(),
            tables: Tables::default(),
            distance_bound: OnceLock::new(),
            cluster: self.cluster.clone(),
            levels: self.levels.clone(),
            destinations: OnceLock::new(),
            ..*self
        }
    }

    /// The number of classes of links: 1 + the greatest class.
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.classes.iter().flat_map(|classes| classes.iter()).max().map_or(1, |&most| usize::from(most) + 1)
    }

    pub(crate) fn has_classes(&self) -> bool {
        self.classes.is_some()
    }

    /// The class of the link of a channel of [`Self::first_channels`].
    ///
    /// # Panics
    ///
    /// When there is no such channel.
    #[inline]
    #[must_use]
    pub fn class(&self, channel: usize) -> u16 {
        self.classes.as_ref().map_or(0, |classes| classes[channel])
    }

    /// The class of the link between two neighbours.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn class_between(&self, one: NodeId, other: NodeId) -> u16 {
        let port = self.port_to(one.index(), other.index()).map_or(0, usize::from);
        self.class(self.first_channel(one.index()) as usize + port)
    }

    /// Whether routes have the least sum of weights, not the fewest links.
    #[inline]
    pub(crate) fn is_weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The weight of a channel of [`Self::first_channels`]; 1 where routes have the fewest links.
    #[inline]
    pub(crate) fn weight(&self, channel: usize) -> LinkWeight {
        self.weights.get(usize::from(self.class(channel))).copied().unwrap_or(LinkWeight::ONE)
    }

    #[inline]
    pub(crate) fn formula(&self) -> Option<&dyn Distances> {
        self.formula.as_deref()
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The neighbours of a node through which routes may lead, ascending, and the port of the first of them.
    #[inline]
    pub(crate) fn inner_neighbours(&self, node: NodeId) -> (u16, &[NodeId]) {
        let (neighbours, ends) = (self.neighbours(node), self.ends_only());
        let first =
            if ends == 0 { 0 } else { neighbours.partition_point(|neighbour| neighbour.index() < ends) };
        (u16::try_from(first).unwrap_or(u16::MAX), &neighbours[first..])
    }

    /// The number of nodes that can hold processes, failed ones included: the first ones.
    #[must_use]
    pub fn host_count(&self) -> u64 {
        self.hosts.into()
    }

    /// The start of each node's channels in a list of all, port by port; one more entry for the end of the last.
    #[must_use]
    pub fn first_channels(&self) -> &[u32] {
        &self.firsts
    }

    /// The start of a node's channels in that list.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn first_channel(&self, node: u32) -> u32 {
        self.degree.map_or_else(|| self.firsts[node as usize], |degree| node * degree)
    }

    /// The nodes that the channels of [`Self::first_channels`] lead to.
    #[must_use]
    pub fn channel_ends(&self) -> &[NodeId] {
        &self.neighbours
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> u64 {
        self.firsts.len() as u64 - 1
    }

    /// The number of links.
    #[must_use]
    pub fn link_count(&self) -> u64 {
        let channels = self.neighbours.len() as u64;
        if self.is_directed() { channels } else { channels / 2 }
    }

    /// The neighbours of a node, ascending; one with parallel links as often as it has links.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        let node = node.index() as usize;
        if let Some(degree) = self.degree {
            let degree = degree as usize;
            return &self.neighbours[node * degree..][..degree];
        }
        &self.neighbours[self.firsts[node] as usize..self.firsts[node + 1] as usize]
    }

    /// The port of a node that leads to another, the first of parallel links; `None` without a link.
    #[inline]
    pub(crate) fn port_to(&self, at: u32, next: u32) -> Option<u16> {
        /// Up to this number, a linear search is as fast as bisection.
        const FEW: usize = 8;
        let (neighbours, next) = (self.neighbours(NodeId::new(at)), NodeId::new(next));
        let place = if neighbours.len() <= FEW {
            neighbours.iter().position(|&neighbour| neighbour == next)?
        } else {
            let place = neighbours.partition_point(|&neighbour| neighbour < next);
            neighbours.get(place).filter(|&&neighbour| neighbour == next).map(|_| place)?
        };
        u16::try_from(place).ok()
    }

    /// The number of links between a node and the neighbour at its port, the first of parallel ones.
    #[inline]
    pub(crate) fn links_at(&self, at: u32, port: u16) -> u16 {
        if !self.has_parallels {
            return 1;
        }
        let from = &self.neighbours(NodeId::new(at))[usize::from(port)..];
        let count = from.iter().take_while(|&&neighbour| neighbour == from[0]).count();
        u16::try_from(count).unwrap_or(u16::MAX)
    }

    pub(crate) fn links_between(&self, one: NodeId, other: NodeId) -> u64 {
        let port = self.port_to(one.index(), other.index());
        port.map_or(0, |port| self.links_at(one.index(), port).into())
    }

    /// The place of the channel opposite to the one at a port of a node.
    ///
    /// # Panics
    ///
    /// When there is no such channel.
    #[inline]
    #[must_use]
    pub fn opposite_channel(&self, node: NodeId, port: usize) -> usize {
        let neighbours = self.neighbours(node);
        let (far, back) = (neighbours[port], self.neighbours(neighbours[port]));
        let place = back.partition_point(|&other| other < node);
        let parallel =
            if self.has_parallels { port - neighbours.partition_point(|&other| other < far) } else { 0 };
        self.first_channel(far.index()) as usize + place + parallel
    }

    /// The most neighbours of any node.
    #[must_use]
    pub fn max_degree(&self) -> usize {
        self.max_degree
    }

    /// The directions of all ports that any node has.
    pub(crate) fn directions(&self) -> impl Iterator<Item = Direction> {
        let ports = (0..=u16::MAX).take(self.max_degree()).map(HostDimension::of_port);
        ports.flat_map(|dimension| Sign::BOTH.map(|sign| Direction { dimension, sign }))
    }

    #[inline]
    pub(crate) fn direction(&self, node: NodeId, port: u16) -> Direction {
        let sign =
            if self.neighbours(node)[usize::from(port)] > node { Sign::Positive } else { Sign::Negative };
        Direction { dimension: HostDimension::of_port(port), sign }
    }

    /// The node that a channel leads to; `None` if the node has no such port.
    pub(crate) fn neighbour(&self, node: NodeId, direction: Direction) -> Option<NodeId> {
        let neighbour = *self.neighbours(node).get(direction.dimension.index())?;
        let sign = if neighbour > node { Sign::Positive } else { Sign::Negative };
        (sign == direction.sign).then_some(neighbour)
    }

    /// The link of a channel: its port is that of the end with the lower index. `None` if there is no such channel.
    pub(crate) fn link(&self, channel: Channel) -> Option<Link> {
        let (node, port) = (channel.node, channel.direction.dimension.index());
        let far = self.neighbour(node, channel.direction)?;
        if node < far || self.is_directed() {
            return Some(Link { near: node, dimension: channel.direction.dimension });
        }
        let port = self.opposite_channel(node, port) - self.first_channel(far.index()) as usize;
        Some(Link { near: far, dimension: HostDimension::of_port(u16::try_from(port).ok()?) })
    }

    /// The place of a channel's link among [`Self::first_channels`]: the place of the channel from the node
    /// with the lower index.
    ///
    /// # Panics
    ///
    /// When there is no such channel.
    #[must_use]
    pub fn link_number(&self, node: NodeId, direction: Direction) -> usize {
        let port = direction.dimension.index();
        match direction.sign {
            _ if self.is_directed() => self.first_channel(node.index()) as usize + port,
            Sign::Positive => self.first_channel(node.index()) as usize + port,
            Sign::Negative => self.opposite_channel(node, port),
        }
    }

    /// Every link once, by its end with the lower index and the other; a directed link by its start and its end.
    pub fn links(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let nodes = (0..self.firsts.len() - 1).filter_map(|node| u32::try_from(node).ok()).map(NodeId::new);
        nodes.flat_map(|node| {
            let is_directed = self.is_directed();
            let neighbours = self.neighbours(node).iter();
            neighbours.filter(move |&&other| is_directed || other > node).map(move |&other| (node, other))
        })
    }
}

/// Networks are equal if they have the same links, hosts and weights, whichever routes have been looked up.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.firsts == other.firsts
            && self.neighbours == other.neighbours
            && (self.hosts, self.hosts_forward) == (other.hosts, other.hosts_forward)
            && self.classes == other.classes
            && self.is_directed() == other.is_directed()
            && self.weights == other.weights
            && self.cluster == other.cluster
            && self.levels() == other.levels()
    }
}

impl Eq for Network {}
