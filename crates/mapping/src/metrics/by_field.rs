//! Metrics of a product placement, computed from the metrics of its fields.
//!
//! A guest edge of field `j` is routed along one line of dimension `j`, and the lines of a dimension are all alike.
//! Links have the congestion of their line, and a count of a node is the sum over the dimensions of the counts of its
//! coordinates: extremes add up, because coordinates are independent.

use cubefold_topology::{Extent, TieRule};

use super::{
    by_edge,
    measures::{Dilation, DimensionDistances, Extremes, PlacementMetrics},
};
use crate::{Placement, ProductPlacement};

/// Metrics of `placement`, measured line by line, in O(sum over j of `k_j d_j`) for lengths `k_j = 2^(d_j)`.
pub(super) fn measure(placement: &ProductPlacement, tie: TieRule) -> PlacementMetrics {
    let nodes = placement.machine().node_count();
    let mut whole = PlacementMetrics {
        distances: vec![],
        dilation: Dilation::default(),
        node_load: every_node(nodes),
        link_congestion: Extremes::NONE,
        node_congestion: every_node(nodes),
        load: Extremes { min: 1, max: 1, sum: nodes, count: nodes },
    };
    // Lines of one extent are alike in every dimension.
    let mut measured: Vec<(Extent, PlacementMetrics)> = vec![];
    for (line, extent) in placement.lines().into_iter().zip(placement.machine().extents()) {
        let lines = nodes / extent.length();
        let known = measured.iter().find(|(other, _)| *other == extent);
        if let Some((_, one)) = known {
            add_lines(&mut whole, one, lines);
        } else {
            let one = PlacementMetrics::measure_by_edge(&line.cube(), &Placement::Product(line), tie);
            add_lines(&mut whole, &one, lines);
            measured.push((extent, one));
        }
    }
    whole
}

/// Estimates the memory that measuring takes, which is that of the longest line \[bytes\].
pub(super) fn bytes(placement: &ProductPlacement) -> u64 {
    let lines = placement.lines().into_iter().map(Placement::Product);
    lines.map(|line| by_edge::bytes(&line)).max().unwrap_or(0)
}

/// Adds the metrics of `lines` lines of one dimension, each like `one`.
fn add_lines(whole: &mut PlacementMetrics, one: &PlacementMetrics, lines: u64) {
    whole.distances.extend(
        one.distances
            .iter()
            .map(|distance| DimensionDistances { over_edges: distance.over_edges.repeated(lines) }),
    );
    for (&dilation, edges) in &one.dilation.spectrum {
        *whole.dilation.spectrum.entry(dilation).or_default() += edges * lines;
    }
    whole.link_congestion = whole.link_congestion.and(one.link_congestion.repeated(lines));
    whole.node_load = coordinatewise(whole.node_load, one.node_load.repeated(lines));
    whole.node_congestion = coordinatewise(whole.node_congestion, one.node_congestion.repeated(lines));
}

/// Extremes of 0 on every node.
fn every_node(nodes: u64) -> Extremes {
    Extremes { min: 0, max: 0, sum: 0, count: nodes }
}

/// Extremes over nodes of a sum of two values that depend on different coordinates.
fn coordinatewise(a: Extremes, b: Extremes) -> Extremes {
    debug_assert_eq!(a.count, b.count, "both are over all nodes");
    Extremes { min: a.min + b.min, max: a.max + b.max, sum: a.sum + b.sum, count: a.count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmbeddingKind, Hypercube, test_support::wrapping_bits};
    use cubefold_topology::Machine;

    #[test]
    fn by_field_equals_by_edge_on_mixed_machines() {
        let shapes: [&[u64]; 6] = [&[2], &[16], &[4, 8], &[8, 2, 4], &[2, 2, 2, 2], &[2, 4, 2, 8]];
        for lengths in shapes {
            for wraps in 0..1_u32 << lengths.len() {
                check_all_embeddings(&wrapping_bits(lengths, wraps));
            }
        }
    }

    fn check_all_embeddings(machine: &Machine) {
        let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros())).unwrap();
        for kind in EmbeddingKind::ALL {
            let placement = Placement::embed(kind, cube, machine).unwrap();
            for tie in TieRule::ALL {
                let by_field = PlacementMetrics::measure(&cube, &placement, tie);
                assert_eq!(by_field, PlacementMetrics::measure_by_edge(&cube, &placement, tie));
            }
        }
    }
}
