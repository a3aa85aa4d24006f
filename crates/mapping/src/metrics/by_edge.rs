//! Metrics of any placement, guest edge by guest edge.

use cubefold_topology::{MachineForm, TieRule};

use super::{
    congestion,
    distances::tally,
    edge_blocks::EdgeBlocks,
    measures::{Congestion, Dilation, DimensionDistances, PlacementMetrics},
};
use crate::{Guest, Placement, PlacementForm};

impl PlacementMetrics {
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
        let images = placement.listed_nodes();
        let blocks = EdgeBlocks::new(guest, placement, &images);
        let (distances, dilation) = tally(&blocks, true).distances_and_dilation();
        let Congestion { node_load, link_congestion, node_congestion, load } =
            congestion_of(&blocks, placement, tie);
        Self { distances, dilation, node_load, link_congestion, node_congestion, load }
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
        let images = placement.listed_nodes();
        tally(&EdgeBlocks::new(guest, placement, &images), false).distances_and_dilation().0
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
        let images = placement.listed_nodes();
        tally(&EdgeBlocks::new(guest, placement, &images), true).distances_and_dilation().1
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
        let images = placement.listed_nodes();
        congestion_of(&EdgeBlocks::new(guest, placement, &images), placement, tie)
    }
}

/// Estimates the memory that measuring takes: the images of the processes and a few counters for every node \[bytes\].
pub(super) fn bytes(placement: &Placement) -> u64 {
    let (processes, nodes) = (placement.process_count(), placement.machine().node_count());
    let images = match placement.form() {
        PlacementForm::Product(_) | PlacementForm::Construction(_) => 4 * processes,
        PlacementForm::Table(_) => 0,
    };
    let routes = placement.machine().bytes_of_routes();
    // The guests here have at most 26 dimensions with up to 2^26 processes.
    let counter = if processes <= 1 << 26 { size_of::<u32>() } else { size_of::<u64>() };
    routes + images + nodes * (congestion::MAX_ARRAYS + 1) as u64 * counter as u64
}

fn congestion_of<G: Guest>(blocks: &EdgeBlocks<'_, G>, placement: &Placement, tie: TieRule) -> Congestion {
    let grid = match blocks.machine.form() {
        MachineForm::Grid(grid) => grid,
        MachineForm::Graph(graph) => {
            return congestion::on_graph(blocks.guest, blocks.machine, graph.network(), blocks.images);
        }
    };
    let one_to_one = placement.is_one_to_one();
    // A process owns at most one edge per dimension.
    let max_edges = blocks.images.len().saturating_mul(blocks.guest.dimension_count());
    if max_edges < 1 << 31 {
        congestion::on_grid::<G, u32>(blocks, grid, one_to_one, tie)
    } else {
        congestion::on_grid::<G, u64>(blocks, grid, one_to_one, tie)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{EmbeddingKind, Extremes, Hypercube, PlacementTable, ProcessId};
    use cubefold_topology::{Machine, MachineKind, NodeId};

    fn standard(kind: MachineKind, lengths: &[u64]) -> PlacementMetrics {
        let machine = Machine::new(kind, lengths).unwrap();
        let cube = Hypercube::new(u64::from(machine.node_count().trailing_zeros())).unwrap();
        let placement = Placement::embed(EmbeddingKind::Standard, cube, &machine).unwrap();
        PlacementMetrics::measure_by_edge(&cube, &placement, TieRule::Direct)
    }

    #[test]
    fn a_square_on_a_line_of_four_by_hand() {
        // Edges 0-1 and 2-3 over one link, 0-2 and 1-3 over two: links carry 2, 2, 2.
        // Node 1 is passed by 0-2, node 2 by 1-3; each node has two edges of its own.
        let metrics = standard(MachineKind::Line, &[4]);
        assert_eq!(metrics.dilation.spectrum, BTreeMap::from([(1, 2), (2, 2)]));
        assert_eq!(metrics.link_congestion, Extremes { min: 2, max: 2, sum: 6, count: 3 });
        assert_eq!(metrics.node_load, Extremes { min: 0, max: 1, sum: 2, count: 4 });
        assert_eq!(metrics.node_congestion, Extremes { min: 2, max: 3, sum: 10, count: 4 });
        assert!(metrics.constant_distances());
    }

    #[test]
    fn images_and_counters_of_every_node_are_in_the_estimate() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let cube = Hypercube::new(4).unwrap();
        let product = Placement::embed(EmbeddingKind::Xor, cube, &torus).unwrap();
        let table = Placement::Table(PlacementTable::new(&torus, product.nodes()).unwrap());
        // A word for each of five counters of each of 16 nodes, and for each image that is no entry of a table.
        assert_eq!([bytes(&product), bytes(&table)], [16 * 5 * 4 + 16 * 4, 16 * 5 * 4]);
    }

    #[test]
    fn empty_nodes_and_odd_lengths_count() {
        // Processes 0 and 1 at both ends of a ring of five, next to each other round the back.
        let ring = Machine::new(MachineKind::Ring, &[5]).unwrap();
        let nodes = vec![NodeId::new(4), NodeId::new(0)];
        let placement = Placement::Table(PlacementTable::new(&ring, nodes).unwrap());
        let metrics =
            PlacementMetrics::measure_by_edge(&Hypercube::new(1).unwrap(), &placement, TieRule::Direct);
        assert_eq!(metrics.dilation.total(), 1);
        assert_eq!(metrics.link_congestion, Extremes { min: 0, max: 1, sum: 1, count: 5 });
        assert_eq!(metrics.load, Extremes { min: 0, max: 1, sum: 2, count: 5 });
    }

    /// Cases that differ in every distinction made by the loops: powers of two and other lengths, lines and rings, both
    /// of length 2, one-to-one and not, with empty nodes.
    fn placements() -> Vec<(Hypercube, Placement)> {
        let shapes: [&[u64]; 7] =
            [&[1 << 15], &[128, 256], &[2, 64, 2, 128], &[2; 15], &[181, 182], &[3, 5, 7, 2, 157], &[40_009]];
        let mut all = vec![];
        for (shape, kind) in shapes
            .into_iter()
            .flat_map(|shape| [MachineKind::Mesh, MachineKind::Torus].map(|kind| (shape, kind)))
        {
            let machine = Machine::new(kind, shape).unwrap();
            let nodes = u32::try_from(machine.node_count()).unwrap();
            for (dimensions, factor) in [(14, 15_485_863_u32), (13, 7), (14, 3 * 5 * 7 * 41)] {
                let place = |label: u32| label.wrapping_mul(factor) % nodes / (1 + label % 2);
                let places = (0..1 << dimensions).map(place).map(NodeId::new).collect();
                let table = PlacementTable::new(&machine, places).unwrap();
                all.push((Hypercube::new(dimensions).unwrap(), Placement::Table(table)));
            }
        }
        all
    }

    #[test]
    fn wide_counters_count_as_narrow_ones() {
        for (cube, placement) in placements() {
            let images = placement.listed_nodes();
            let blocks = EdgeBlocks::new(&cube, &placement, &images);
            let grid = placement.machine().grid().unwrap();
            for tie in TieRule::ALL {
                let one_to_one = placement.is_one_to_one();
                assert_eq!(
                    congestion::on_grid::<_, u32>(&blocks, grid, one_to_one, tie),
                    congestion::on_grid::<_, u64>(&blocks, grid, one_to_one, tie)
                );
            }
        }
    }

    #[test]
    fn any_number_of_threads_measures_the_same() {
        let with_threads = |threads: usize, cube: &Hypercube, placement: &Placement| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| PlacementMetrics::measure_by_edge(cube, placement, TieRule::Direct))
        };
        for (cube, placement) in placements() {
            let serial = with_threads(1, &cube, &placement);
            assert_eq!(serial.link_congestion.count, placement.machine().link_count());
            assert_eq!(serial.link_congestion.sum, serial.dilation.total());
            for threads in [2, 5] {
                assert_eq!(with_threads(threads, &cube, &placement), serial);
            }
        }
    }

    #[test]
    fn edges_of_a_cube_in_rows_are_those_looked_up_one_by_one() {
        /// A cube whose edges are looked up one by one.
        struct Plain(Hypercube);

        impl Guest for Plain {
            fn process_count(&self) -> u64 {
                self.0.process_count()
            }

            fn dimension_count(&self) -> usize {
                Guest::dimension_count(&self.0)
            }

            fn edges_from(
                &self,
                dimension: usize,
                labels: std::ops::Range<u64>,
            ) -> impl Iterator<Item = (ProcessId, ProcessId)> {
                self.0.edges_from(dimension, labels)
            }

            fn neighbours(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
                self.0.neighbours(process)
            }
        }

        for (cube, placement) in placements() {
            let in_rows = PlacementMetrics::measure_by_edge(&cube, &placement, TieRule::Negative);
            assert_eq!(
                in_rows,
                PlacementMetrics::measure_by_edge(&Plain(cube), &placement, TieRule::Negative)
            );
        }
    }

    #[test]
    fn far_nodes_of_the_largest_machines_are_measured_without_overflow() {
        // On the ring the two ends are neighbours round the back, 2^31 is as far as can be, and a line is longest.
        let largest = 1_u64 << 32;
        let nodes = [0, u32::MAX, 1 << 31, 1].map(NodeId::new);
        let distances = |kind, lengths: &[u64]| {
            let table = PlacementTable::new(&Machine::new(kind, lengths).unwrap(), nodes.to_vec()).unwrap();
            let metrics = Dilation::by_edge(&Hypercube::new(2).unwrap(), &Placement::Table(table));
            metrics.spectrum.into_iter().collect::<Vec<_>>()
        };
        let half = largest / 2;
        assert_eq!(distances(MachineKind::Ring, &[largest]), [(1, 1), (2, 1), (half - 1, 1), (half, 1)]);
        let line = [(half - 1, 1), (half, 1), (largest - 2, 1), (largest - 1, 1)];
        assert_eq!(distances(MachineKind::Line, &[largest]), line);
        // The same nodes in 32 dimensions: bits that differ.
        assert_eq!(distances(MachineKind::Hypercube, &[2; 32]), [(1, 1), (2, 1), (31, 1), (32, 1)]);
    }
}
