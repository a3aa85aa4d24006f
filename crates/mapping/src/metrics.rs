//! Metrics of a placement before anything runs: distances, dilation, congestion, load (`docs/model.md` section 7).
//!
//! Sums and counts are kept as integers; a mean becomes a fraction only where it is printed. A product
//! placement is measured field by field, in the time of its side lengths; every other one edge by edge.

mod by_edge;
mod by_field;
mod congestion;
mod counter;
mod distances;

use std::collections::BTreeMap;

use cubefold_topology::TieRule;

use crate::{Guest, Hypercube, Placement, PlacementForm};

/// All metrics of a placement of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementMetrics {
    /// The distances between neighbours, for each guest dimension.
    pub distances: Vec<DimensionDistances>,
    /// The dilations of all guest edges.
    pub dilation: Dilation,
    /// Over all nodes: the guest edges whose route passes the node and does not end there.
    pub node_load: Extremes,
    /// Over all links: the guest edges whose route uses the link.
    pub link_congestion: Extremes,
    /// Over all nodes: the guest edges whose route touches the node, ends included.
    pub node_congestion: Extremes,
    /// Over all nodes: the processes on the node.
    pub load: Extremes,
}

/// The distances between the images of neighbours in one guest dimension; each edge counts once \[links\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DimensionDistances {
    /// The least, the greatest, the sum and the number of edges.
    pub over_edges: Extremes,
}

/// The number of guest edges of each dilation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dilation {
    /// The number of edges of each dilation that occurs.
    pub spectrum: BTreeMap<u64, u64>,
}

/// The congestion of nodes and links by the routes of a guest's edges, and the load of nodes by its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Congestion {
    /// Over all nodes: the guest edges whose route passes the node and does not end there.
    pub node_load: Extremes,
    /// Over all links: the guest edges whose route uses the link.
    pub link_congestion: Extremes,
    /// Over all nodes: the guest edges whose route touches the node, ends included.
    pub node_congestion: Extremes,
    /// Over all nodes: the processes on the node.
    pub load: Extremes,
}

/// The least and greatest of some counts, with their sum and number for the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extremes {
    /// The least, 0 over nothing.
    pub min: u64,
    /// The greatest, 0 over nothing.
    pub max: u64,
    /// The sum.
    pub sum: u64,
    /// The number of values.
    pub count: u64,
}

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

    /// Measures a placement of any guest by walking its edges, in parallel.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the guest.
    ///
    /// # Complexity
    ///
    /// O(c (E + N)) for E guest edges and N nodes in c dimensions, however long the routes. Memory:
    /// [`PlacementMetrics::bytes_to_measure`].
    #[must_use]
    pub fn measure_by_edge<G: Guest>(guest: &G, placement: &Placement, tie: TieRule) -> Self {
        by_edge::measure(guest, placement, tie)
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

    /// Whether all distances are constant: for every guest dimension, the same for every process.
    #[must_use]
    pub fn constant_distances(&self) -> bool {
        self.distances.iter().all(|distances| distances.over_edges.min == distances.over_edges.max)
    }
}

impl DimensionDistances {
    /// The distances of every guest dimension, by walking the edges, in parallel.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the guest.
    #[must_use]
    pub fn by_edge<G: Guest>(guest: &G, placement: &Placement) -> Vec<Self> {
        by_edge::distances(guest, placement)
    }
}

impl Congestion {
    /// Congestion and loads, by walking the edges of a guest, in parallel.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the guest.
    #[must_use]
    pub fn by_edge<G: Guest>(guest: &G, placement: &Placement, tie: TieRule) -> Self {
        by_edge::congestion(guest, placement, tie)
    }
}

impl Dilation {
    /// The dilations of all edges of a guest, by walking them, in parallel.
    ///
    /// # Panics
    ///
    /// When the placement has fewer processes than the guest.
    #[must_use]
    pub fn by_edge<G: Guest>(guest: &G, placement: &Placement) -> Self {
        by_edge::dilation(guest, placement)
    }

    /// The largest dilation, 0 without edges.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.spectrum.last_key_value().map_or(0, |(&dilation, _)| dilation)
    }

    /// The sum of all dilations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.spectrum.iter().map(|(dilation, edges)| dilation * edges).sum()
    }

    /// The number of edges.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.spectrum.values().sum()
    }
}

impl Extremes {
    /// The extremes of no values.
    pub const NONE: Self = Self { min: 0, max: 0, sum: 0, count: 0 };

    /// Returns the extremes of some values.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        values.into_iter().fold(Self::NONE, |extremes, value| {
            extremes.and(Self { min: value, max: value, sum: value, count: 1 })
        })
    }

    /// The extremes of the values of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.count, other.count) {
            (0, _) => other,
            (_, 0) => self,
            _ => Self {
                min: self.min.min(other.min),
                max: self.max.max(other.max),
                sum: self.sum + other.sum,
                count: self.count + other.count,
            },
        }
    }

    /// The extremes of each value repeated `times` times.
    #[must_use]
    pub fn repeated(self, times: u64) -> Self {
        Self { sum: self.sum * times, count: self.count * times, ..self }
    }
}

#[cfg(test)]
mod grids {
    //! Grids with dimensions of every kind, for the tests of the loops over edges.

    use cubefold_topology::{Machine, MachineKind, NodeId, Wrap};

    /// Machines with dimensions of every kind: powers of two and others, of length 2, wrapping or not.
    pub(super) fn all() -> impl Iterator<Item = Machine> {
        let shapes: [&[u64]; 8] = [&[8], &[7], &[2, 4], &[4, 2, 8], &[3, 2], &[2, 5, 4], &[6, 8], &[2; 5]];
        shapes.into_iter().flat_map(|shape| {
            (0..1_u32 << shape.len()).map(move |wraps| {
                let wrap = |at: usize| if wraps >> at & 1 == 1 { Wrap::Around } else { Wrap::Open };
                let wraps: Vec<Wrap> = (0..shape.len()).map(wrap).collect();
                Machine::with_wraps(MachineKind::Mesh, shape, &wraps).unwrap()
            })
        })
    }

    /// All pairs of nodes.
    pub(super) fn pairs(machine: &Machine) -> (Vec<NodeId>, Vec<NodeId>) {
        machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))).unzip()
    }
}
