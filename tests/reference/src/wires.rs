//! A machine that is no grid: which nodes are linked how often, and which forward nothing.
//!
//! `docs/model.md` sections 12, 21.8 and 22. A channel has a place among the links of its node, in ascending order of their
//! far ends, where a grid has a dimension, and `+` towards the higher index; a link is named by its lower end.

use std::collections::BTreeMap;

use super::grid::{Channel, Grid, Link, Sign};
use super::route::Tie;

/// The links of each node.
#[derive(Clone, Debug)]
pub struct Wires {
    /// By node the far ends of its links, ascending; one with parallel links as often as it has links.
    pub neighbours: Vec<Vec<u64>>,
    /// The number of first nodes through which no route leads (`docs/model.md` section 22).
    pub ends_only: u64,
    /// Which of the best routes messages take (`docs/model.md` section 19).
    pub choice: Choice,
    /// `l + u` and `u` of links by their two nodes, the lower first, where links differ: routes have the least sum of
    /// the first, then the fewest links, then the least sum of the second (section 21.8).
    pub weights: BTreeMap<(u64, u64), (u64, u64)>,
    /// The grid that lost links or nodes, or is routed as a network: its directions are the inputs of channels
    /// (section 22.5).
    pub grid: Option<Grid>,
    /// The tie rule of the routes of that grid in dimension order, where messages take those that are whole.
    pub order: Option<Tie>,
}

/// Which of the best routes messages take.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// That over the lowest neighbours.
    Lowest,
    /// One drawn for each pair of nodes.
    Pairs {
        /// The seed.
        seed: u64,
    },
    /// One drawn for each message.
    Messages {
        /// The seed.
        seed: u64,
    },
    /// By the number of the destination.
    Destinations(Destinations),
}

/// The part of a message's key that routes may depend on: its processes, stage or tag, and how many there were before
/// with the same.
pub type MessageName = [u64; 4];

/// What routes by destination must know of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Destinations {
    /// The number of hosts.
    pub hosts: u64,
    /// The processes of a share.
    pub processes_of_share: u64,
    /// The nodes, where it is a cluster.
    pub cluster: Option<ClusterNodes>,
}

/// The nodes of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterNodes {
    /// `g`.
    pub devices: u64,
    /// `q`.
    pub nics: u64,
    /// Whether there are rails.
    pub has_rails: bool,
    /// The switches inside nodes: the first, and their number.
    pub inside: (u64, u64),
}

/// What the best route weighs, its links, and how long they are occupied: better is less.
type Length = (u64, u64, u64);

impl Wires {
    /// The length of the best route of every node to `to`: what every node says is what the best of its neighbours that
    /// forward says and the link to it, until nobody has anything new to say.
    fn lengths(&self, to: u64) -> Vec<Length> {
        let far = (u64::MAX / 2, 0, 0);
        let mut lengths: Vec<Length> = self.neighbours.iter().map(|_| far).collect();
        lengths[index(to)] = (0, 0, 0);
        loop {
            let before = lengths.clone();
            for node in (0_u64..).take(self.neighbours.len()) {
                let onward = self.onward(node, to);
                let best = onward.map(|next| self.beyond(node, next, before[index(next)])).min();
                lengths[index(node)] = lengths[index(node)].min(best.unwrap_or(far));
            }
            if lengths == before {
                return lengths;
            }
        }
    }

    /// The neighbours of a node over which a message to `to` may go, each as often as it is linked.
    fn onward(&self, node: u64, to: u64) -> impl Iterator<Item = u64> {
        let own = self.neighbours[index(node)].iter().copied();
        own.filter(move |&next| next == to || next >= self.ends_only)
    }

    /// The length of a route over a neighbour, given that from there.
    fn beyond(&self, node: u64, next: u64, (weight, links, occupied): Length) -> Length {
        let (own, unit) = self.weights.get(&(node.min(next), node.max(next))).copied().unwrap_or((1, 0));
        (weight + own, links + 1, occupied + unit)
    }

    /// The neighbours of a node on a best route to `to`, each with the number of links to it.
    fn next_nodes(&self, node: u64, to: u64, lengths: &[Length]) -> Vec<(u64, u64)> {
        let mut nodes: Vec<(u64, u64)> = Vec::new();
        for next in self.onward(node, to) {
            if self.beyond(node, next, lengths[index(next)]) == lengths[index(node)] {
                match nodes.last_mut() {
                    Some((last, links)) if *last == next => *links += 1,
                    _ => nodes.push((next, 1)),
                }
            }
        }
        nodes
    }

    /// Links of the route between two nodes.
    pub fn distance(&self, from: u64, to: u64) -> u64 {
        self.route(from, to, [0; 4]).len() as u64
    }

    /// The channels of a message: in dimension order where that is whole, else always to the lowest neighbour on a best
    /// route over link `to mod n` of `n`, or to one that is drawn, or that the destination chooses.
    pub fn route(&self, from: u64, to: u64, name: MessageName) -> Vec<Channel> {
        if let Some(route) = self.route_in_order(from, to) {
            return route;
        }
        let lengths = self.lengths(to);
        let (mut node, mut channels) = (from, Vec::new());
        while node != to {
            let nodes = self.next_nodes(node, to, &lengths);
            let (next, link) = match &self.choice {
                Choice::Lowest => (nodes[0].0, to % nodes[0].1),
                &Choice::Pairs { seed } => self.drawn(&nodes, to, hashed(seed, &[from, to, node]), &lengths),
                &Choice::Messages { seed } => {
                    let [source, destination, stage, before] = name;
                    let hash = hashed(seed, &[source, destination, stage, before, node]);
                    self.drawn(&nodes, to, hash, &lengths)
                }
                Choice::Destinations(own) => self.by_destination(own, &nodes, [node, to], name),
            };
            channels.push(self.channel(node, next, link));
            node = next;
        }
        channels
    }

    /// The dimension-order route, where messages take it and none of its links is missing (section 22.5).
    fn route_in_order(&self, from: u64, to: u64) -> Option<Vec<Channel>> {
        let (grid, tie) = (self.grid.as_ref()?, self.order.as_ref()?);
        let mut channels = Vec::new();
        for own in grid.route(from, to, tie) {
            let next = grid.end(own);
            if !self.neighbours[index(own.node)].contains(&next) {
                return None;
            }
            channels.push(self.channel(own.node, next, 0));
        }
        Some(channels)
    }

    /// The level of every node: the fewest links to a host.
    pub(super) fn levels(&self, hosts: u64) -> Vec<u64> {
        let far = u64::MAX / 2;
        let mut levels: Vec<u64> =
            (0_u64..).take(self.neighbours.len()).map(|node| if node < hosts { 0 } else { far }).collect();
        for _ in 0..self.neighbours.len() {
            for node in 0..self.neighbours.len() {
                let below = self.neighbours[node].iter().map(|&next| levels[index(next)]).min();
                levels[node] = levels[node].min(below.unwrap_or(far) + 1);
            }
        }
        levels
    }

    /// `w_i`: how many different neighbours on the next level a node of a level has, at most.
    pub(super) fn width(&self, level: u64, levels: &[u64], own: &Destinations) -> u64 {
        if level == 0 && own.cluster.is_some() {
            return 1;
        }
        let above = |node: &usize| {
            let different: std::collections::BTreeSet<u64> = self.neighbours[*node]
                .iter()
                .copied()
                .filter(|&next| levels[index(next)] == level + 1)
                .collect();
            different.len() as u64
        };
        (0..levels.len()).filter(|&node| levels[node] == level).map(|node| above(&node)).max().unwrap_or(0)
    }

    /// The next node and the number of the cable to it, by the destination (section 19).
    fn by_destination(
        &self,
        own: &Destinations,
        nodes: &[(u64, u64)],
        [node, to]: [u64; 2],
        name: MessageName,
    ) -> (u64, u64) {
        let levels = self.levels(own.hosts);
        let below = |level: u64| -> u64 { (0..level).map(|i| self.width(i, &levels, own)).product() };
        let share = name[0] / own.processes_of_share.max(1);
        let several = own.cluster.filter(|cluster| cluster.nics > cluster.devices);
        let number = match own.cluster {
            Some(cluster) if cluster.has_rails => to / cluster.devices,
            Some(cluster) => {
                to / cluster.devices * cluster.nics + to % cluster.devices * cluster.nics / cluster.devices
            }
            None => to,
        };
        let level = levels[index(node)];
        let mut up: Vec<(u64, u64)> = nodes
            .iter()
            .filter(|(next, _)| levels[index(*next)] > level)
            .flat_map(|&(next, cables)| (0..cables).map(move |cable| (cable, next)))
            .collect();
        up.sort_unstable();
        if !up.is_empty() {
            let is_inside = |next: u64| {
                own.cluster.is_some_and(|cluster| {
                    (cluster.inside.0..cluster.inside.0 + cluster.inside.1).contains(&next)
                })
            };
            let place = match own.cluster {
                Some(_) if node < own.hosts && several.is_some() => share,
                Some(cluster) if node < own.hosts && up.iter().all(|&(_, next)| is_inside(next)) => {
                    to % cluster.devices
                }
                _ => number / below(level),
            };
            let (cable, next) = up[index(place % up.len() as u64)];
            return (next, cable);
        }
        let place = match several {
            Some(_) => share,
            None if self.width(0, &levels, own) > 1 => number,
            None => 0,
        };
        let (next, cables) = nodes[index(place % nodes.len() as u64)];
        if several.is_some() && next == to {
            return (next, share % cables);
        }
        let j = levels[index(next)];
        (next, number / below(j) / self.width(j, &levels, own).max(1) % cables)
    }

    /// One of some nodes and one of the links to it, by a hash, each node with the number of its best routes times that
    /// of the links to it (sections 19 and 22).
    fn drawn(&self, nodes: &[(u64, u64)], to: u64, hash: u64, lengths: &[Length]) -> (u64, u64) {
        let ways: Vec<u64> =
            nodes.iter().map(|&(next, links)| links * self.number_of_routes(next, to, lengths)).collect();
        let mut drawn = hash % ways.iter().sum::<u64>();
        for (&(next, links), weight) in nodes.iter().zip(ways) {
            if drawn < weight {
                return (next, drawn % links);
            }
            drawn -= weight;
        }
        unreachable!("the hash is below the sum")
    }

    /// The number of best routes from a node to `to`, at most 2^48.
    fn number_of_routes(&self, node: u64, to: u64, lengths: &[Length]) -> u64 {
        if node == to {
            return 1;
        }
        let nodes = self.next_nodes(node, to, lengths).into_iter();
        nodes.map(|(next, links)| links * self.number_of_routes(next, to, lengths)).sum::<u64>().min(1 << 48)
    }

    /// The number of the input by which a packet comes over a channel to the next node: 0 is the node itself, then come
    /// its links by neighbour, or the directions of a grid.
    pub fn input(&self, came_over: Channel) -> usize {
        let Some(grid) = &self.grid else { return 1 + self.opposite(came_over).dimension };
        let leads = |own: &(usize, Sign)| {
            let channel = Channel { node: came_over.node, dimension: own.0, sign: own.1 };
            grid.neighbour(channel) == Some(self.end(came_over))
        };
        let mut directions =
            (0..grid.lengths.len()).flat_map(|own| [(own, Sign::Positive), (own, Sign::Negative)]);
        1 + directions.position(|own| leads(&own)).expect("a link of the grid")
    }

    /// How many inputs a channel has, those that nothing comes by included.
    pub fn inputs(&self) -> usize {
        let most = self.neighbours.iter().map(Vec::len).max().unwrap_or(0);
        1 + self.grid.as_ref().map_or(most, |grid| 2 * grid.lengths.len())
    }

    /// The channel over one of the links to a neighbour, counted from 0.
    pub(super) fn channel(&self, node: u64, next: u64, link: u64) -> Channel {
        let first = self.neighbours[index(node)].iter().position(|&neighbour| neighbour == next);
        let sign = if next > node { Sign::Positive } else { Sign::Negative };
        Channel { node, dimension: first.expect("neighbours") + index(link), sign }
    }

    /// The node that a channel leads to.
    pub fn end(&self, channel: Channel) -> u64 {
        *self.neighbours[index(channel.node)].get(channel.dimension).expect("a channel of the machine")
    }

    /// The channel of the same link in the other direction: of parallel links the one of the same number.
    pub fn opposite(&self, channel: Channel) -> Channel {
        let own = &self.neighbours[index(channel.node)];
        let far = own[channel.dimension];
        let before = own[..channel.dimension].iter().filter(|&&neighbour| neighbour == far).count();
        self.channel(far, channel.node, before as u64)
    }

    /// The link that a channel is one direction of.
    pub fn link(&self, channel: Channel) -> Link {
        let lower = if channel.sign == Sign::Positive { channel } else { self.opposite(channel) };
        (lower.node, lower.dimension)
    }
}

/// The hash of words under a seed (section 19).
fn hashed(seed: u64, words: &[u64]) -> u64 {
    words.iter().fold(mixed(seed), |hash, word| mixed(hash ^ word))
}

/// The mixing of section 19.
fn mixed(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn index(node: u64) -> usize {
    usize::try_from(node).expect("a node of a list")
}
