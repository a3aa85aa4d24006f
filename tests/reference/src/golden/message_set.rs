//! The sets of messages between guest neighbours that the golden file tells of.

use std::collections::{BTreeMap, BTreeSet};

use super::super::grid::{Grid, Sign};

/// A message from a process to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeighbourMessage {
    /// The process, or node, that sends it.
    pub source: u32,
    /// The one that receives it.
    pub destination: u32,
    /// The guest dimension that it goes along, from 0.
    pub dimension: usize,
}

/// The messages of a set, in any order.
pub type MessageSet = Vec<NeighbourMessage>;

/// Which neighbours of a guest exchange messages.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Every process sends to its neighbour along a dimension (from 0), in a direction.
    Shift(usize, Sign),
    /// Pairs of neighbours along any dimension exchange a message, a process being in one pair at most.
    Mixed,
    /// Every process sends to each of its neighbours.
    Scatter,
}

/// The messages of a set on a guest.
pub fn messages(guest: &Grid, order: Order) -> MessageSet {
    match order {
        Order::Shift(dimension, sign) => shift(guest, dimension, sign),
        Order::Mixed => mixed(guest),
        Order::Scatter => {
            let dimensions = 0..guest.lengths.len();
            let both = |dimension| [(dimension, Sign::Positive), (dimension, Sign::Negative)];
            // In a wrapping dimension of length 2 both neighbours are one.
            let all = dimensions.flat_map(both).flat_map(|(dimension, sign)| shift(guest, dimension, sign));
            all.collect::<BTreeSet<_>>().into_iter().collect()
        }
    }
}

/// Every process that has a neighbour there sends to it.
fn shift(guest: &Grid, dimension: usize, sign: Sign) -> MessageSet {
    let message = |process| {
        let destination = neighbour(guest, process, dimension, sign)?;
        Some(message(process, destination, dimension))
    };
    (0..guest.number_of_nodes()).filter_map(message).collect()
}

/// In the order of their numbers every process not yet paired tries the dimensions, beginning with its
/// number modulo how many they are, and pairs with its right neighbour if that is not paired yet.
fn mixed(guest: &Grid) -> MessageSet {
    let dimensions = guest.lengths.len();
    let mut paired = BTreeSet::new();
    let mut messages = Vec::new();
    for process in 0..guest.number_of_nodes() {
        if paired.contains(&process) {
            continue;
        }
        let first = usize::try_from(process).unwrap() % dimensions;
        let partner = (0..dimensions).map(|by| (first + by) % dimensions).find_map(|dimension| {
            let right = pairing_neighbour(guest, process, dimension)?;
            (!paired.contains(&right)).then_some((right, dimension))
        });
        if let Some((right, dimension)) = partner {
            paired.extend([process, right]);
            messages.extend([message(process, right, dimension), message(right, process, dimension)]);
        }
    }
    messages
}

/// The right neighbour, across the wraparound only where the dimension is longer than 2.
fn pairing_neighbour(guest: &Grid, process: u64, dimension: usize) -> Option<u64> {
    let is_last = guest.coordinates(process)[dimension] == guest.lengths[dimension] - 1;
    if is_last && guest.lengths[dimension] == 2 {
        return None;
    }
    neighbour(guest, process, dimension, Sign::Positive)
}

/// The neighbour of a process in a guest dimension and direction. Where the dimension wraps there always is
/// one, the same in both directions if the length is 2: a guest has neighbours, not links.
fn neighbour(guest: &Grid, process: u64, dimension: usize, sign: Sign) -> Option<u64> {
    let mut coordinates = guest.coordinates(process);
    let length = guest.lengths[dimension];
    let by = match sign {
        Sign::Positive => 1,
        Sign::Negative => length - 1,
    };
    let coordinate = &mut coordinates[dimension];
    let is_at_the_end = match sign {
        Sign::Positive => *coordinate == length - 1,
        Sign::Negative => *coordinate == 0,
    };
    *coordinate = (*coordinate + by) % length;
    (!is_at_the_end || guest.wraps[dimension]).then(|| guest.index(&coordinates))
}

fn message(source: u64, destination: u64, dimension: usize) -> NeighbourMessage {
    let label = |process: u64| u32::try_from(process).unwrap();
    NeighbourMessage { source: label(source), destination: label(destination), dimension }
}

/// The parts of a set of messages between processes on these nodes, as messages between the nodes.
///
/// Of the messages with the same source and destination node the `j`-th by source is in part `j`. Messages
/// within a node are in none.
pub fn parts_of_equal_ends(set: &MessageSet, nodes: &[u64]) -> Vec<MessageSet> {
    let node = |process: u32| nodes[usize::try_from(process).unwrap()];
    let mut sorted = set.clone();
    sorted.sort();
    let mut earlier = BTreeMap::<(u64, u64), usize>::new();
    let mut parts = Vec::<MessageSet>::new();
    for NeighbourMessage { source, destination, dimension } in sorted {
        let ends = (node(source), node(destination));
        if ends.0 == ends.1 {
            continue;
        }
        let place = earlier.entry(ends).or_default();
        if *place == parts.len() {
            parts.push(Vec::new());
        }
        parts[*place].push(message(ends.0, ends.1, dimension));
        *place += 1;
    }
    parts
}
