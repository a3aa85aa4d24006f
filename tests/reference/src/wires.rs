//! A machine that is no grid: which nodes are neighbours, and nothing else.
//!
//! `docs/model.md` sections 12, 21.8 and 22.5. A channel has the place of its far end among the ascending neighbours of its node where
//! a grid has a dimension, and `+` towards the higher index; a link is named by its lower end.

use std::collections::{BTreeMap, BTreeSet};

use super::grid::{Channel, Grid, Link, Sign};
use super::route::Tie;

/// The neighbours of each node.
#[derive(Clone, Debug)]
pub struct Wires {
    /// By node.
    pub neighbours: Vec<BTreeSet<u64>>,
    /// The seed by which routes are drawn, where they are (`docs/model.md` section 19).
    pub spread: Option<u64>,
    /// `l + u` of links by their two nodes, the lower first, where links differ: routes have the least sum
    /// (section 21.8).
    pub weights: BTreeMap<(u64, u64), u64>,
    /// The grid that lost links or nodes, or is routed as a network: its directions are the inputs of channels
    /// (section 22.5).
    pub grid: Option<Grid>,
    /// The tie rule of the routes of that grid in dimension order, where messages take those that are whole.
    pub order: Option<Tie>,
}

/// What the best route weighs, and its links: better is less.
type Length = (u64, u64);

impl Wires {
    /// The length of the best route of every node to `to`: what every node says is what the best of its neighbours says
    /// and the link to it, until nobody has anything new to say.
    fn lengths(&self, to: u64) -> Vec<Length> {
        let far = (u64::MAX / 2, 0);
        let mut lengths: Vec<Length> = self.neighbours.iter().map(|_| far).collect();
        lengths[index(to)] = (0, 0);
        loop {
            let before = lengths.clone();
            for (node, neighbours) in (0_u64..).zip(&self.neighbours) {
                let best = neighbours.iter().map(|&next| self.beyond(node, next, before[index(next)])).min();
                lengths[index(node)] = lengths[index(node)].min(best.unwrap_or(far));
            }
            if lengths == before {
                return lengths;
            }
        }
    }

    /// The length of a route over a neighbour, given that from there.
    fn beyond(&self, node: u64, next: u64, (weight, links): Length) -> Length {
        let own = self.weights.get(&(node.min(next), node.max(next))).copied().unwrap_or(1);
        (weight + own, links + 1)
    }

    /// The neighbours of a node on a best route.
    fn next_nodes(&self, node: u64, lengths: &[Length]) -> Vec<u64> {
        let own = self.neighbours[index(node)].iter().copied();
        own.filter(|&next| self.beyond(node, next, lengths[index(next)]) == lengths[index(node)]).collect()
    }

    /// Links of the route between two nodes.
    pub fn distance(&self, from: u64, to: u64) -> u64 {
        self.route(from, to).len() as u64
    }

    /// The channels of a message: in dimension order where that is whole, else always to the lowest neighbour on a best
    /// route, or to one that is drawn.
    pub fn route(&self, from: u64, to: u64) -> Vec<Channel> {
        if let Some(route) = self.route_in_order(from, to) {
            return route;
        }
        let lengths = self.lengths(to);
        let (mut node, mut channels) = (from, Vec::new());
        while node != to {
            let nodes = self.next_nodes(node, &lengths);
            let next = match self.spread {
                Some(seed) => self.drawn(&nodes, [seed, from, to, node], &lengths),
                None => nodes[0],
            };
            channels.push(self.channel(node, next));
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
            channels.push(self.channel(own.node, next));
        }
        Some(channels)
    }

    /// One of some nodes, by the hash of the seed, both ends and the node, each node with the number of its best routes
    /// (section 19).
    fn drawn(&self, nodes: &[u64], [seed, from, to, node]: [u64; 4], lengths: &[Length]) -> u64 {
        let ways: Vec<u64> = nodes.iter().map(|&next| self.number_of_routes(next, lengths)).collect();
        let mut drawn = mixed(mixed(mixed(mixed(seed) ^ from) ^ to) ^ node) % ways.iter().sum::<u64>();
        for (&next, routes) in nodes.iter().zip(ways) {
            if drawn < routes {
                return next;
            }
            drawn -= routes;
        }
        node
    }

    /// The number of best routes from a node to the one at distance 0, at most 2^48.
    fn number_of_routes(&self, node: u64, lengths: &[Length]) -> u64 {
        if lengths[index(node)] == (0, 0) {
            return 1;
        }
        let nodes = self.next_nodes(node, lengths);
        nodes.iter().map(|&next| self.number_of_routes(next, lengths)).sum::<u64>().min(1 << 48)
    }

    /// The number of the input by which a packet comes over a channel to the next node: 0 is the node itself, then come
    /// the neighbours by number, or the directions of a grid.
    pub fn input(&self, came_over: Channel) -> usize {
        let Some(grid) = &self.grid else { return 1 + index(came_over.node) };
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
        1 + self.grid.as_ref().map_or(self.neighbours.len(), |grid| 2 * grid.lengths.len())
    }

    fn channel(&self, node: u64, next: u64) -> Channel {
        let place = self.neighbours[index(node)].iter().position(|&neighbour| neighbour == next);
        let sign = if next > node { Sign::Positive } else { Sign::Negative };
        Channel { node, dimension: place.expect("neighbours"), sign }
    }

    /// The node that a channel leads to.
    pub fn end(&self, channel: Channel) -> u64 {
        *self.neighbours[index(channel.node)].iter().nth(channel.dimension).expect("a channel of the machine")
    }

    /// The channel of the same link in the other direction.
    pub fn opposite(&self, channel: Channel) -> Channel {
        self.channel(self.end(channel), channel.node)
    }

    /// The link that a channel is one direction of.
    pub fn link(&self, channel: Channel) -> Link {
        let lower = if channel.sign == Sign::Positive { channel } else { self.opposite(channel) };
        (lower.node, lower.dimension)
    }
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
