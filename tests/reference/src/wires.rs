//! A machine that is no grid: which nodes are neighbours, and nothing else.
//!
//! `docs/model.md` section 12. A channel has the place of its far end among the ascending neighbours of its node where
//! a grid has a dimension, and `+` towards the higher index; a link is named by its lower end.

use std::collections::BTreeSet;

use super::grid::{Channel, Link, Sign};

/// The neighbours of each node.
#[derive(Clone, Debug)]
pub struct Wires {
    /// By node.
    pub neighbours: Vec<BTreeSet<u64>>,
    /// The seed by which routes are drawn, where they are (`docs/model.md` section 19).
    pub spread: Option<u64>,
}

impl Wires {
    /// The distance of every node to `to` \[links\]: what every node says is one more than what its nearest neighbour
    /// says, until nobody has anything new to say.
    fn distances(&self, to: u64) -> Vec<u64> {
        let far = u64::MAX / 2;
        let mut distances: Vec<u64> = (0_u64..).take(self.neighbours.len()).map(|_| far).collect();
        distances[index(to)] = 0;
        loop {
            let before = distances.clone();
            for (node, neighbours) in self.neighbours.iter().enumerate() {
                let nearest =
                    neighbours.iter().map(|&neighbour| before[index(neighbour)]).min().unwrap_or(far);
                distances[node] = distances[node].min(nearest + 1);
            }
            if distances == before {
                return distances;
            }
        }
    }

    /// Links between two nodes.
    pub fn distance(&self, from: u64, to: u64) -> u64 {
        self.distances(to)[index(from)]
    }

    /// The channels of a message: always to the lowest neighbour that is nearer.
    pub fn route(&self, from: u64, to: u64) -> Vec<Channel> {
        if let Some(seed) = self.spread {
            return self.route_by_chance(seed, from, to);
        }
        let distances = self.distances(to);
        let (mut node, mut channels) = (from, Vec::new());
        while node != to {
            let nearer = |neighbour: &&u64| distances[index(**neighbour)] + 1 == distances[index(node)];
            let next = *self.neighbours[index(node)].iter().find(nearer).expect("some neighbour is nearer");
            channels.push(self.channel(node, next));
            node = next;
        }
        channels
    }

    /// The channels of a message whose route is drawn: at every node the hash decides among the nearer neighbours, each
    /// with the number of its shortest routes (section 19).
    fn route_by_chance(&self, seed: u64, from: u64, to: u64) -> Vec<Channel> {
        let distances = self.distances(to);
        let (mut node, mut channels) = (from, Vec::new());
        while node != to {
            let own = self.neighbours[index(node)].iter();
            let nearer = own.filter(|&&next| distances[index(next)] + 1 == distances[index(node)]);
            let ways: Vec<(u64, u64)> =
                nearer.map(|&next| (next, self.number_of_routes(next, &distances))).collect();
            let all: u64 = ways.iter().map(|(_, routes)| routes).sum();
            let mut drawn = mixed(mixed(mixed(mixed(seed) ^ from) ^ to) ^ node) % all;
            let mut next = node;
            for (neighbour, routes) in ways {
                if drawn < routes {
                    next = neighbour;
                    break;
                }
                drawn -= routes;
            }
            channels.push(self.channel(node, next));
            node = next;
        }
        channels
    }

    /// The number of shortest routes from a node to the one at distance 0, at most 2^48.
    fn number_of_routes(&self, node: u64, distances: &[u64]) -> u64 {
        if distances[index(node)] == 0 {
            return 1;
        }
        let nearer = self.neighbours[index(node)]
            .iter()
            .filter(|&&next| distances[index(next)] + 1 == distances[index(node)]);
        nearer.map(|&next| self.number_of_routes(next, distances)).sum::<u64>().min(1 << 48)
    }

    fn channel(&self, node: u64, next: u64) -> Channel {
        let place = self.neighbours[index(node)].iter().position(|&neighbour| neighbour == next);
        let sign = if next > node { Sign::Positive } else { Sign::Negative };
        Channel { node, dimension: place.expect("neighbours"), sign }
    }

    fn end(&self, channel: Channel) -> u64 {
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
