//! Distances in a network without a table: searches from one node over its links.

use super::Network;
use crate::{
    LinkTime, NodeId,
    routes::{LinkWeight, WeightedRoutes},
};

impl Network {
    /// A bound on the distance between two nodes with a route \[links\]: twice the greatest distance to some node
    /// that has links and forwards, if all other nodes with links reach it.
    #[must_use]
    pub fn distance_bound(&self) -> u64 {
        *self.distance_bound.get_or_init(|| {
            if self.is_directed() {
                return self.node_count(); // the way back may be longer than the way there
            }
            let has_links = |pair: &[u32]| pair[0] < pair[1];
            let silent = if self.hosts_forward { 0 } else { self.hosts as usize };
            let linked = self.firsts.windows(2).skip(silent).position(has_links).map(|place| place + silent);
            let Some(linked) = linked.or_else(|| self.firsts.windows(2).position(has_links)) else {
                return 0;
            };
            let distances = self.distances_to(NodeId::new(u32::try_from(linked).unwrap_or(0)));
            let falls_apart = self
                .firsts
                .windows(2)
                .zip(&distances)
                .any(|(pair, links)| has_links(pair) && links.is_none());
            if falls_apart {
                return self.node_count();
            }
            let fewest = 2 * u64::from(distances.into_iter().flatten().max().unwrap_or(0));
            let weights = self.weights.iter().map(|weight| weight.first_unit);
            let [least, most] = [weights.clone().min(), weights.max()];
            match (least, most) {
                // A route weighs no more than one with the fewest links.
                (Some(least), Some(most)) => {
                    let links = u128::from(fewest) * u128::from(most) / u128::from(least);
                    u64::try_from(links).unwrap_or(u64::MAX).min(self.node_count())
                }
                _ => fewest,
            }
        })
    }

    /// The distance of every node to `to` \[links\]; `None` for nodes without a route to it.
    #[must_use]
    pub fn distances_to(&self, to: NodeId) -> Vec<Option<u32>> {
        let distances = self.links_to(to);
        distances.into_iter().map(|links| Some(links).filter(|&links| links != Self::UNREACHED)).collect()
    }

    /// The fewest links of any path from each node to `to`, hosts that do not forward included; `None` without a path.
    ///
    /// # Panics
    ///
    /// When there is no such node.
    #[must_use]
    pub fn fewest_links_to(&self, to: NodeId) -> Vec<Option<u32>> {
        let distances = self.links_past(to, self.leaves);
        distances.into_iter().map(|links| Some(links).filter(|&links| links != Self::UNREACHED)).collect()
    }

    /// The least sum of `l + u` over any path from each node to `to`, hosts that do not forward included, given the
    /// times of the classes of links \[cycles\]; `None` without a path.
    ///
    /// # Panics
    ///
    /// When there is no such node, or a class has no time.
    #[must_use]
    pub fn least_sums_to(&self, to: NodeId, times: &[LinkTime]) -> Vec<Option<u64>> {
        let weight = |channel| LinkWeight::from(times[usize::from(self.class(channel))]);
        WeightedRoutes::to(self, to, self.leaves, weight).iter().map(WeightedRoutes::weight).collect()
    }

    /// The distance of a node without a route.
    pub(crate) const UNREACHED: u32 = u32::MAX;

    /// The distance of every node to `to` \[links\] by a search; [`Self::UNREACHED`] without a route.
    pub(crate) fn links_to(&self, to: NodeId) -> Vec<u32> {
        self.links_past(to, self.ends_only())
    }

    /// The links of every node to `to` over a shortest path through none of the first `ends` nodes;
    /// [`Self::UNREACHED`] without one.
    fn links_past(&self, to: NodeId, ends: u32) -> Vec<u32> {
        let mut distances = vec![Self::UNREACHED; self.firsts.len() - 1];
        let Some(distance) = distances.get_mut(to.index() as usize) else { return distances };
        *distance = 0;
        let mut reached = Vec::with_capacity(distances.len());
        reached.push(to);
        let mut next = 0;
        while let Some(&node) = reached.get(next) {
            if reached.len() == distances.len() {
                break; // in a dense network most links need no look
            }
            next += 1;
            if node.index() < ends && node != to {
                continue; // no route leads through it
            }
            let farther = distances[node.index() as usize] + 1;
            let mut reach = |neighbour: NodeId| {
                let distance = &mut distances[neighbour.index() as usize];
                if *distance == Self::UNREACHED {
                    *distance = farther;
                    reached.push(neighbour);
                }
            };
            if self.is_directed() {
                self.before(node).for_each(|(_, from)| reach(from));
            } else {
                self.neighbours(node).iter().copied().for_each(reach);
            }
        }
        distances
    }
}
