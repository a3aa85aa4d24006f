//! Cube-connected cycles and butterflies in one another.
//!
//! Numbering is that of the machines: `(i, x)` is node `i + n x` of cube-connected cycles and
//! wrapped butterflies, and `i + (n + 1) x` of ordinary butterflies.

use cubefold_topology::{
    Machine,
    MachineKind::{self, Butterfly, CubeConnectedCycles, WrappedButterfly},
    NodeId,
};

use super::{
    construction::{ClassicConstruction, Pair, Plan},
    error::{ClassicError, in_range},
    machines::{guest_edges, nodes},
    routed_embedding::RoutedEmbedding,
};
use crate::{ProcessId, tao::folded};

/// The least number of dimensions: with two, the butterfly has two links between the same nodes
/// (errata N11).
pub(super) const MIN_DIMENSIONS: u32 = 3;

/// The most for which there are machines of both kinds.
pub(super) const MAX_DIMENSIONS: u32 = 15;

pub(super) static CYCLES_IN_BUTTERFLY: ClassicConstruction = ClassicConstruction {
    name: "cycles-in-butterfly",
    summary: "cube-connected cycles of n dimensions on a wrapped butterfly of n, n at least 3",
    promised_dilation: "1",
    source: "lemma on butterflies and CCC",
    plan: |pair| {
        let dimensions = same_dimensions(pair, CubeConnectedCycles, WrappedButterfly)?;
        Some(Ok(Plan::exact(1, turned_places(dimensions))))
    },
};

/// The cube-connected cycles of `n` dimensions as a spanning subgraph of the wrapped butterfly of
/// `n` dimensions: dilation 1 (CS838 1999, lemma on butterflies and CCC).
///
/// `(i, x)` goes to `(i + parity(x), x)`: the cycles of odd words are turned by one.
///
/// # Errors
///
/// When `dimensions` is not 3 to 15.
pub fn cycles_in_butterfly(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let [guest, host] = both(dimensions, CubeConnectedCycles, WrappedButterfly)?;
    let edges = guest_edges(&guest);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, turned_places(dimensions), edges)?)
}

pub(super) fn turned_places(dimensions: u32) -> Vec<NodeId> {
    nodes((0..dimensions << dimensions).map(|vertex| {
        let (position, word) = (vertex % dimensions, vertex / dimensions);
        (position + word.count_ones() % 2) % dimensions + dimensions * word
    }))
}

pub(super) static BUTTERFLY_IN_CYCLES: ClassicConstruction = ClassicConstruction {
    name: "butterfly-in-cycles",
    summary: "a wrapped butterfly of n dimensions on cube-connected cycles of n, n at least 3",
    promised_dilation: "2",
    source: "lemma on butterflies and CCC",
    plan: |pair| {
        same_dimensions(pair, WrappedButterfly, CubeConnectedCycles)?;
        Some(Ok(Plan::exact(2, pair.host_nodes())))
    },
};

/// The wrapped butterfly of `n` dimensions in the cube-connected cycles of `n` dimensions: load 1,
/// dilation and link congestion 2 (as above; errata N11).
///
/// Every vertex is on the node of its own name. A straight edge takes the link of the cycle, a
/// cross edge from `(i, x)` to `(i + 1, x')` the link across to `(i, x')` and then that of the
/// cycle.
///
/// # Errors
///
/// When `dimensions` is not 3 to 15.
pub fn butterfly_in_cycles(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let [guest, host] = both(dimensions, WrappedButterfly, CubeConnectedCycles)?;
    let path = |from: ProcessId, to: ProcessId| {
        let (near, far) = in_order(dimensions, from, to);
        let corner = near.0 + dimensions * far.1;
        let path = [near.0 + dimensions * near.1, corner, far.0 + dimensions * far.1].map(NodeId::new);
        from_end(&path, NodeId::new(from.label()))
    };
    Ok(RoutedEmbedding::new(host, guest.nodes().collect(), guest_edges(&guest), path)?)
}

pub(super) static MERGED_LEVELS: ClassicConstruction = ClassicConstruction {
    name: "merged-levels",
    summary: "a butterfly of n dimensions on a wrapped butterfly of n, n at least 3",
    promised_dilation: "1",
    source: "lemma on butterflies and CCC",
    plan: |pair| {
        let dimensions = same_dimensions(pair, Butterfly, WrappedButterfly)?;
        Some(Ok(Plan::exact(1, merged_places(dimensions))))
    },
};

/// The ordinary butterfly of `n` dimensions in the wrapped one: load 2, dilation 1, link congestion
/// 1 (as above).
///
/// The first and the last level are merged; only their nodes have two vertices.
///
/// # Errors
///
/// When `dimensions` is not 3 to 15.
pub fn merged_levels(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let [guest, host] = both(dimensions, Butterfly, WrappedButterfly)?;
    let edges = guest_edges(&guest);
    Ok(RoutedEmbedding::along_routes_of_the_host(host, merged_places(dimensions), edges)?)
}

pub(super) fn merged_places(dimensions: u32) -> Vec<NodeId> {
    let levels = dimensions + 1;
    nodes((0..levels << dimensions).map(|vertex| {
        let (level, word) = (vertex % levels, vertex / levels);
        level % dimensions + dimensions * word
    }))
}

pub(super) static FOLDED_LEVELS: ClassicConstruction = ClassicConstruction {
    name: "folded-levels",
    summary: "a wrapped butterfly of n dimensions on a butterfly of n, n at least 3",
    promised_dilation: "at most 3",
    source: "lemma on butterflies and CCC",
    plan: |pair| {
        let dimensions = same_dimensions(pair, WrappedButterfly, Butterfly)?;
        Some(Ok(Plan::at_most(3, folded_places(dimensions))))
    },
};

/// The wrapped butterfly of `n` dimensions in the ordinary one: load 1, dilation 3 (as above; the
/// notes promise a constant and leave the proof out).
///
/// The cycle of levels is folded flat on the levels `0..n`. An edge then leads over one or two gaps
/// of the host; the bits of the words are exchanged so that the bit that it crosses is that of one
/// of them. Only where the fold turns, the bit is that of the last gap, one link beside the path.
///
/// # Errors
///
/// When `dimensions` is not 3 to 15.
pub fn folded_levels(dimensions: u32) -> Result<RoutedEmbedding, ClassicError> {
    let [guest, host] = both(dimensions, WrappedButterfly, Butterfly)?;
    let places = folded_places(dimensions);
    let path = |from: ProcessId, to: ProcessId| {
        let [from, to] = [from, to].map(|vertex| places[vertex.label() as usize]);
        path_by_levels(dimensions, from, to)
    };
    Ok(RoutedEmbedding::new(host, places.clone(), guest_edges(&guest), path)?)
}

pub(super) fn folded_places(dimensions: u32) -> Vec<NodeId> {
    let bits: Vec<u32> = (0..dimensions).map(|bit| folded_bit(dimensions, bit)).collect();
    nodes((0..dimensions << dimensions).map(|vertex| {
        let (level, word) = (vertex % dimensions, vertex / dimensions);
        let word = bits.iter().zip(0..).map(|(to, bit)| (word >> bit & 1) << to).sum::<u32>();
        folded(dimensions.into(), level) + (dimensions + 1) * word
    }))
}

/// The bit of the host's words that stands for a bit of the guest's: that of the second gap crossed
/// by the edges across it.
fn folded_bit(dimensions: u32, bit: u32) -> u32 {
    let [near, far] = [bit, (bit + 1) % dimensions].map(|level| folded(dimensions.into(), level));
    // The last level and the first are on the host's levels 1 and 0.
    if bit + 1 == dimensions { 0 } else { near.min(far) + 1 }
}

/// The path between two nodes of the ordinary butterfly whose words differ in a bit between their
/// levels, in no bit, or in the bit of the last gap, which begins at the level of one of them.
fn path_by_levels(dimensions: u32, from: NodeId, to: NodeId) -> Vec<NodeId> {
    let levels = dimensions + 1;
    let place = |node: NodeId| (node.index() % levels, node.index() / levels);
    let [(from_level, from_word), (to_level, to_word)] = [from, to].map(place);
    let node = |(level, word): (u32, u32)| NodeId::new(level + levels * word);
    let (low, high) = (from_level.min(to_level), from_level.max(to_level));
    let differing = from_word ^ to_word;
    let is_beside = differing != 0 && differing.ilog2() >= high;
    let (mut path, mut word) = (vec![from], from_word);
    let mut level = from_level;
    if is_beside && from_level == high {
        word = to_word;
        path.extend([node((high + 1, word)), node((high, word))]);
    }
    while level != to_level {
        let (next, gap) = if to_level > level { (level + 1, level) } else { (level - 1, level - 1) };
        debug_assert!((low..high).contains(&gap), "between the levels");
        level = next;
        word ^= (word ^ to_word) & 1 << gap;
        path.push(node((level, word)));
    }
    if word != to_word {
        path.extend([node((high + 1, to_word)), to]);
    }
    path
}

/// The number of dimensions shared by guest and host of these kinds, if there is a
/// construction for it.
fn same_dimensions(pair: Pair<'_>, guest: MachineKind, host: MachineKind) -> Option<u32> {
    let [guest, host] = pair.dimensions(guest, host)?;
    (guest == host && (MIN_DIMENSIONS..=MAX_DIMENSIONS).contains(&guest)).then_some(guest)
}

/// Guest and host of the same number of dimensions.
fn both(dimensions: u32, guest: MachineKind, host: MachineKind) -> Result<[Machine; 2], ClassicError> {
    in_range("dimensions", dimensions, MIN_DIMENSIONS..=MAX_DIMENSIONS)?;
    let machine = |kind| Machine::of_dimensions(kind, dimensions.into());
    Ok([machine(guest)?, machine(host)?])
}

/// Level and word of the two ends of an edge of the wrapped butterfly, that of the level before
/// first.
fn in_order(dimensions: u32, from: ProcessId, to: ProcessId) -> ((u32, u32), (u32, u32)) {
    let place = |vertex: ProcessId| (vertex.label() % dimensions, vertex.label() / dimensions);
    let (from, to) = (place(from), place(to));
    if (from.0 + 1) % dimensions == to.0 { (from, to) } else { (to, from) }
}

/// The path without repetitions, seen from this end.
fn from_end(path: &[NodeId; 3], end: NodeId) -> Vec<NodeId> {
    let mut path = path.to_vec();
    path.dedup();
    if path.first() != Some(&end) {
        path.reverse();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_networks_are_in_one_another_with_constant_measures() {
        for dimensions in 3..=8 {
            let figures = |embedding: Result<RoutedEmbedding, ClassicError>| {
                let measures = embedding.unwrap().measures();
                (measures.load, measures.dilation, measures.link_congestion)
            };
            assert_eq!(figures(cycles_in_butterfly(dimensions)), (1, 1, 1), "{dimensions}");
            assert_eq!(figures(butterfly_in_cycles(dimensions)), (1, 2, 2), "{dimensions}");
            assert_eq!(figures(merged_levels(dimensions)), (2, 1, 1), "{dimensions}");
            assert_eq!(figures(folded_levels(dimensions)), (1, 3, 3), "{dimensions}");
        }
    }

    #[test]
    fn only_merged_levels_share_nodes() {
        let embedding = merged_levels(4).unwrap();
        assert_eq!([1, 2].map(|load| embedding.nodes_with_load(load)), [3 << 4, 1 << 4]);
    }

    #[test]
    fn two_dimensions_are_too_few() {
        assert_eq!(butterfly_in_cycles(2).unwrap_err().to_string(), "dimensions 2, expected 3 to 15");
    }
}
