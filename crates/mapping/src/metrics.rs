//! Metrics of a placement before anything runs: distances, dilation, congestion, load (`docs/model.md` section 7).
//!
//! Sums and counts are kept as integers; a mean becomes a fraction only where it is printed. A product
//! placement is measured field by field, in the time of its side lengths; every other one edge by edge.

mod balanced;
mod by_edge;
mod by_field;
mod congestion;
mod counter;
mod distances;
mod edge_blocks;
mod measures;
mod on_paths;

pub use balanced::{ChannelCongestion, PatternMessage, all_to_all_pattern};
pub use measures::{Congestion, Dilation, DimensionDistances, Extremes, PlacementMetrics};

use cubefold_topology::{Machine, TieRule};

use crate::{Guest, Hypercube, Placement, PlacementForm, classic::EdgePaths};

impl PlacementMetrics {
    /// Measures a placement of a d-cube, by field where the placement is a product and by edge elsewhere.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the cube.
    #[must_use]
    pub fn measure(cube: &Hypercube, placement: &Placement, tie: TieRule) -> Self {
        match placement.form() {
            PlacementForm::Product(product) => by_field::measure(product, tie),
            PlacementForm::Table(_) | PlacementForm::Construction(_) => {
                Self::measure_by_edge(cube, placement, tie)
            }
        }
    }

    /// The largest dilation of a placement of any guest.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the guest.
    #[must_use]
    pub fn largest_dilation<G: Guest>(guest: &G, placement: &Placement) -> u64 {
        let distances = DimensionDistances::by_edge(guest, placement);
        distances.iter().map(|distances| distances.over_edges.max).max().unwrap_or(0)
    }

    /// Estimates the memory that measuring a placement takes at most \[bytes\].
    #[must_use]
    pub fn bytes_to_measure(placement: &Placement) -> u64 {
        match placement.form() {
            PlacementForm::Product(product) => by_field::bytes(product),
            PlacementForm::Table(_) | PlacementForm::Construction(_) => by_edge::bytes(placement),
        }
    }

    /// The same with the congestion of links and nodes, and the load of nodes, by these paths of the edges in the place of
    /// the routes of the machine.
    ///
    /// # Panics
    ///
    /// When a path is not one of the machine.
    #[must_use]
    pub fn along_paths(self, machine: &Machine, paths: &EdgePaths) -> Self {
        let (node_load, link_congestion, node_congestion) = on_paths::congestion(machine, paths);
        Self { node_load, link_congestion, node_congestion, ..self }
    }
}

#[cfg(test)]
mod grids {
    //! Grids with dimensions of every kind, for the tests of the loops over edges.

    use crate::test_support::wrapping_bits;
    use cubefold_topology::{Machine, NodeId};

    /// Machines with dimensions of every kind: powers of two and others, of length 2, wrapping or not.
    pub(super) fn all() -> impl Iterator<Item = Machine> {
        let shapes: [&[u64]; 8] = [&[8], &[7], &[2, 4], &[4, 2, 8], &[3, 2], &[2, 5, 4], &[6, 8], &[2; 5]];
        shapes
            .into_iter()
            .flat_map(|shape| (0..1 << shape.len()).map(move |wraps| wrapping_bits(shape, wraps)))
    }

    pub(super) fn pairs(machine: &Machine) -> (Vec<NodeId>, Vec<NodeId>) {
        machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))).unzip()
    }
}
