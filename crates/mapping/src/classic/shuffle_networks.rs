//! Shuffle-exchange and de Bruijn networks in one another.
//!
//! CS838 1999, embeddings into shuffle-based topologies. Nodes are binary words; the shuffle
//! rotates one to the left.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    construction::{ClassicConstruction, Plan},
    error::{ClassicError, in_range},
    machines::{guest_edges, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::ProcessId;

const MAX_DIMENSIONS: u32 = 19;

pub(super) static UNSHUFFLED_WORDS: ClassicConstruction = ClassicConstruction {
    name: "unshuffled-words",
    summary: "a shuffle-exchange network of n dimensions on a de Bruijn network of n",
    promised_dilation: "1",
    source: "embeddings into shuffle-based topologies",
    plan: |pair| {
        let [guest, host] = pair.dimensions(MachineKind::ShuffleExchange, MachineKind::DeBruijn)?;
        let fits = guest == host && host <= MAX_DIMENSIONS;
        fits.then(|| Ok(Plan::exact(1, unshuffled_places(host))))
    },
};

/// The shuffle-exchange network of `n` dimensions as a spanning subgraph of the de Bruijn network
/// of `n` dimensions: dilation 1 (CS838 1999, embeddings into shuffle-based topologies; errata N2).
///
/// Words of even parity stay, those of odd parity are rotated right by one: un-shuffled.
///
/// # Errors
///
/// When `dimensions` is not 1 to 19.
pub fn unshuffled_words(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("dimensions", dimensions, 1..=MAX_DIMENSIONS)?;
    let guest = Machine::of_dimensions(MachineKind::ShuffleExchange, dimensions.into())?;
    let host = Machine::of_dimensions(MachineKind::DeBruijn, dimensions.into())?;
    let places = unshuffled_places(dimensions);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places, guest_edges(&guest))?)
}

fn unshuffled_places(dimensions: u32) -> Vec<NodeId> {
    nodes((0..1 << dimensions).map(|word: u32| {
        let is_even = word.count_ones().is_multiple_of(2);
        if is_even { word } else { rotated_right(word, dimensions) }
    }))
}

pub(super) static SHUFFLE_THEN_EXCHANGE: ClassicConstruction = ClassicConstruction {
    name: "shuffle-then-exchange",
    summary: "a de Bruijn network of n dimensions, n at least 2, on a shuffle-exchange network of n",
    promised_dilation: "2",
    source: "embeddings into shuffle-based topologies",
    plan: |pair| {
        let [guest, host] = pair.dimensions(MachineKind::DeBruijn, MachineKind::ShuffleExchange)?;
        let fits = guest == host && (2..=MAX_DIMENSIONS).contains(&host);
        fits.then(|| Ok(Plan::exact(2, pair.host_nodes())))
    },
};

/// The de Bruijn network of `n` dimensions in the shuffle-exchange network of `n` dimensions: load
/// 1, dilation 2 (as above). Link congestion, which the notes do not state, is 2 or 3 by these
/// routes.
///
/// Every word is on its own node. An edge takes the rotation, and then the exchange if the last bit
/// differs.
///
/// # Errors
///
/// When `dimensions` is not 2 to 19.
pub fn shuffle_then_exchange(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("dimensions", dimensions, 2..=MAX_DIMENSIONS)?;
    let guest = Machine::of_dimensions(MachineKind::DeBruijn, dimensions.into())?;
    let host = Machine::of_dimensions(MachineKind::ShuffleExchange, dimensions.into())?;
    let path = |from: ProcessId, to: ProcessId| {
        let (from, to) = (from.label(), to.label());
        let greatest = (1 << dimensions) - 1;
        let leads_on = from << 1 & greatest == to & !1;
        let (start, end) = if leads_on { (from, to) } else { (to, from) };
        let mut path = vec![start, rotated_left(start, dimensions), end];
        path.dedup();
        if !leads_on {
            path.reverse();
        }
        nodes(path)
    };
    Ok(RoutedEmbedding::new(host, guest.nodes().collect(), guest_edges(&guest), path)?)
}

pub(super) static CONTRACTED_EXCHANGES: ClassicConstruction = ClassicConstruction {
    name: "contracted-exchanges",
    summary: "a shuffle-exchange network of n + 1 dimensions on a de Bruijn network of n",
    promised_dilation: "1",
    source: "embeddings into shuffle-based topologies",
    plan: |pair| {
        let [guest, host] = pair.dimensions(MachineKind::ShuffleExchange, MachineKind::DeBruijn)?;
        let fits = guest == host + 1 && host <= MAX_DIMENSIONS;
        fits.then(|| Ok(Plan::exact(1, contracted_places(host))))
    },
};

/// The shuffle-exchange network of `n + 1` dimensions in the de Bruijn network of `n`: load 2,
/// dilation 1. The edges that exchange the last bit have both ends on one node; contracting them
/// makes one network of the other (as above).
///
/// # Errors
///
/// When `dimensions`, those of the host, are not 1 to 19.
pub fn contracted_exchanges(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    in_range("dimensions", dimensions, 1..=MAX_DIMENSIONS)?;
    let guest = Machine::of_dimensions(MachineKind::ShuffleExchange, (dimensions + 1).into())?;
    let host = Machine::of_dimensions(MachineKind::DeBruijn, dimensions.into())?;
    let places = contracted_places(dimensions);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, places, guest_edges(&guest))?)
}

fn contracted_places(dimensions: u32) -> Vec<NodeId> {
    nodes((0..2 << dimensions).map(|word: u32| word >> 1))
}

/// The word of `length` bits, rotated left by one: the shuffle.
pub(super) fn rotated_left(word: u32, length: u32) -> u32 {
    debug_assert!(length > 0 && length < 32, "a word of 1 to 31 bits");
    (word << 1 | word >> (length - 1)) & ((1 << length) - 1)
}

/// The word of `length` bits, rotated right by one.
fn rotated_right(word: u32, length: u32) -> u32 {
    debug_assert!(length > 0 && length < 32, "a word of 1 to 31 bits");
    word >> 1 | (word & 1) << (length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_odd_parity_are_rotated_right() {
        for dimensions in 1..=10 {
            let measures = unshuffled_words(dimensions).unwrap().measures();
            let figures = (measures.load, measures.least_load, measures.dilation, measures.link_congestion);
            assert_eq!(figures, (1, 1, 1, 1), "{dimensions}");
        }
    }

    #[test]
    fn a_de_bruijn_step_is_a_rotation_and_an_exchange() {
        for dimensions in 2..=10 {
            let measures = shuffle_then_exchange(dimensions).unwrap().measures();
            assert_eq!((measures.load, measures.dilation), (1, 2), "{dimensions}");
            assert!(measures.link_congestion <= 3, "{dimensions}");
        }
    }

    #[test]
    fn contracting_the_exchanges_gives_every_link_of_the_de_bruijn_network() {
        for dimensions in 1..=10 {
            let embedding = contracted_exchanges(dimensions).unwrap();
            let measures = embedding.measures();
            assert_eq!((measures.load, measures.least_load, measures.dilation), (2, 2, 1), "{dimensions}");
            let crossed = embedding.paths().filter(|(_, path)| path.len() == 2);
            let mut links: Vec<_> =
                crossed.map(|(_, path)| (path[0].min(path[1]), path[0].max(path[1]))).collect();
            links.sort_unstable();
            links.dedup();
            assert_eq!(links.len() as u64, embedding.host().link_count(), "{dimensions}");
        }
    }

    #[test]
    fn the_highest_bit_becomes_the_lowest_and_back() {
        assert_eq!(rotated_left(0b101, 3), 0b011);
        assert_eq!(rotated_left(0b1, 1), 0b1);
        assert_eq!(rotated_right(0b011, 3), 0b101);
    }
}
