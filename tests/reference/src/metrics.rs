//! Metrics of a placement of a guest graph.
//!
//! `docs/model.md` section 7. Every edge of the graph is routed and its route walked link by
//! link. Nothing is divided: a mean is its sum over its count.

use std::collections::{BTreeMap, BTreeSet};

use super::grid::{Grid, Link};
use super::route::Tie;

/// Least and greatest of some values, their sum and how many they are; all 0 when there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The least value.
    pub min: u64,
    /// The greatest value.
    pub max: u64,
    /// The sum of the values.
    pub sum: u64,
    /// The number of values.
    pub count: u64,
}

impl Summary {
    /// Summary of some values.
    pub fn of(values: impl Iterator<Item = u64>) -> Self {
        let values = values.collect::<Vec<_>>();
        Self {
            min: values.iter().min().copied().unwrap_or(0),
            max: values.iter().max().copied().unwrap_or(0),
            sum: values.iter().sum(),
            count: u64::try_from(values.len()).expect("a count fits"),
        }
    }
}

/// The metrics of `docs/model.md` section 7.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// How many edges have each dilation that occurs.
    pub spectrum: BTreeMap<u64, u64>,
    /// The sum of the dilations.
    pub total: u64,
    /// The largest dilation.
    pub max: u64,
    /// For each guest dimension `i` the distances `D_i(n)` over all processes `n` and their neighbours in
    /// that dimension, so that each edge counts once from each of its ends.
    pub distances: Vec<Summary>,
    /// Over all nodes of the machine, the edges whose routes pass the node and end elsewhere.
    pub node_load: Summary,
    /// Over all links of the machine, the edges whose routes use the link.
    pub link_congestion: Summary,
    /// Over all nodes of the machine, the edges whose routes touch the node, ends included.
    pub node_congestion: Summary,
    /// Over all nodes of the machine, the processes on the node. The node evenness is the greatest over the
    /// least, where that is not 0.
    pub load: Summary,
}

/// An edge of the guest graph: its two processes, in either order.
pub type Edge = (usize, usize);

/// Metrics of a placement of the cube with so many dimensions, `nodes[n]` being the node of process `n`.
///
/// # Panics
///
/// Where there are not `2^d` processes.
pub fn metrics(grid: &Grid, tie: &Tie, nodes: &[u64], dimensions: u32) -> Metrics {
    assert_eq!(nodes.len(), 1 << dimensions, "a node for each process");
    let is_lower_end = |process: &usize, dimension: u32| process & (1 << dimension) == 0;
    let edges_of = |dimension: u32| {
        let lower_ends = (0..nodes.len()).filter(|process| is_lower_end(process, dimension));
        lower_ends.map(|process| (process, process ^ (1 << dimension))).collect()
    };
    metrics_of_edges(grid, tie, nodes, &(0..dimensions).map(edges_of).collect::<Vec<_>>())
}

/// Metrics of a placement of a guest graph, given as the edges along each guest dimension, each edge once.
///
/// `nodes[n]` is the node of process `n`; several processes may be on one node.
pub fn metrics_of_edges(grid: &Grid, tie: &Tie, nodes: &[u64], edges: &[Vec<Edge>]) -> Metrics {
    let distance = |&(one, other): &Edge| grid.distance(nodes[one], nodes[other]);
    let mut spectrum = BTreeMap::new();
    for edge in edges.iter().flatten() {
        *spectrum.entry(distance(edge)).or_default() += 1;
    }
    let dilation = Summary::of(edges.iter().flatten().map(distance));
    // An edge is at a distance for each of its two ends.
    let from_both_ends = |edges: &Vec<Edge>| Summary::of(edges.iter().chain(edges).map(distance));
    // It is routed once, from the end with the smaller label.
    let ends = |&(one, other): &Edge| (nodes[one.min(other)], nodes[one.max(other)]);
    let traffic = Traffic::of(grid, tie, edges.iter().flatten().map(ends));
    let mut load = zero_for_each_node(grid);
    for node in nodes {
        *load.entry(*node).or_default() += 1;
    }
    Metrics {
        spectrum,
        total: dilation.sum,
        max: dilation.max,
        distances: edges.iter().map(from_both_ends).collect(),
        node_load: Summary::of(traffic.passed.into_values()),
        link_congestion: Summary::of(traffic.used.into_values()),
        node_congestion: Summary::of(traffic.touched.into_values()),
        load: Summary::of(load.into_values()),
    }
}

/// A count for each node of the machine, used or not.
fn zero_for_each_node(grid: &Grid) -> BTreeMap<u64, u64> {
    (0..grid.number_of_nodes()).map(|node| (node, 0)).collect()
}

/// How many routes pass, use and touch each node and link of the machine.
struct Traffic {
    /// Routes that pass a node that is neither of their ends.
    passed: BTreeMap<u64, u64>,
    /// Routes that use a link.
    used: BTreeMap<Link, u64>,
    /// Routes that touch a node, ends included.
    touched: BTreeMap<u64, u64>,
}

impl Traffic {
    /// Counts the routes of edges between these nodes, walked from the first to the second.
    fn of(grid: &Grid, tie: &Tie, edges: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut traffic = Self {
            passed: zero_for_each_node(grid),
            used: grid.links().into_iter().map(|link| (link, 0)).collect(),
            touched: zero_for_each_node(grid),
        };
        for (from, to) in edges {
            traffic.walk(grid, tie, from, to);
        }
        traffic
    }

    /// Walks the route of one edge.
    fn walk(&mut self, grid: &Grid, tie: &Tie, from: u64, to: u64) {
        let mut visited = BTreeSet::from([from]);
        for channel in grid.route(from, to, tie) {
            visited.insert(grid.end(channel));
            *self.used.get_mut(&grid.link(channel)).expect("the link is one of the machine") += 1;
        }
        for node in visited {
            *self.touched.entry(node).or_default() += 1;
            if node != from && node != to {
                *self.passed.entry(node).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Grid, Summary, Tie, metrics, metrics_of_edges};

    /// A summary from `min`, `max`, `sum` and `count`.
    fn summary(min: u64, max: u64, sum: u64, count: u64) -> Summary {
        Summary { min, max, sum, count }
    }

    #[test]
    fn a_square_on_a_line_by_hand() {
        // Processes 0 1 2 3 on nodes 0 1 2 3 of a line of four. Edges 0-1 and 2-3 have dilation 1, 0-2 and
        // 1-3 dilation 2. Passed: 1 by 0-2, 2 by 1-3. Used: 0-1 by two, 1-2 by two, 2-3 by two.
        // Touched: 0 by 0-1, 0-2; 1 by 0-1, 0-2, 1-3; 2 by 0-2, 2-3, 1-3; 3 by 2-3, 1-3.
        let grid = Grid { lengths: vec![4], wraps: vec![false] };
        let metrics = metrics(&grid, &Tie::Direct, &[0, 1, 2, 3], 2);
        assert_eq!(metrics.spectrum.into_iter().collect::<Vec<_>>(), [(1, 2), (2, 2)]);
        assert_eq!((metrics.total, metrics.max), (6, 2));
        assert_eq!(metrics.distances[0], summary(1, 1, 4, 4));
        assert_eq!(metrics.distances[1], summary(2, 2, 8, 4));
        assert_eq!(metrics.node_load, summary(0, 1, 2, 4));
        assert_eq!(metrics.link_congestion, summary(2, 2, 6, 3));
        assert_eq!(metrics.node_congestion, summary(2, 3, 10, 4));
        assert_eq!(metrics.load, summary(1, 1, 4, 4));
    }

    #[test]
    fn empty_nodes_and_unused_links_count() {
        // One edge, on nodes 4 and 1 of a ring of six: a tie of three links. Process 0 is on 4, so the route
        // starts there: direct by 3 and 2, positive by 5 and 0.
        let grid = Grid { lengths: vec![6], wraps: vec![true] };
        for tie in [Tie::Direct, Tie::Positive, Tie::Negative] {
            let metrics = metrics(&grid, &tie, &[4, 1], 1);
            assert_eq!(metrics.node_load, summary(0, 1, 2, 6));
            assert_eq!(metrics.link_congestion, summary(0, 1, 3, 6));
            assert_eq!(metrics.node_congestion, summary(0, 1, 4, 6));
            assert_eq!(metrics.load, summary(0, 1, 2, 6));
        }
    }

    #[test]
    fn the_tie_rule_and_the_smaller_label_decide_the_route() {
        // A square on a ring of four, processes 0 1 2 3 on nodes 2 0 1 3. Edge 0-1 goes from 2 to 0 and edge
        // 2-3 from 1 to 3, both ties; 0-2 (nodes 2, 1) and 1-3 (nodes 0, 3) are one link.
        // Direct: 0-1 passes 1, 2-3 passes 2. Positive: 0-1 passes 3, 2-3 passes 2. Negative: 1 and 0.
        // Links of direct: 1-2, 0-1 and 1-2, 2-3 and 1-2 and 3-0, so at most 3; of positive: 2-3, 3-0 and
        // 1-2, 2-3 and 1-2 and 3-0: at most 2 each; of negative: 1-2, 0-1 and 0-1, 3-0 and 1-2 and 3-0.
        let grid = Grid { lengths: vec![4], wraps: vec![true] };
        for (tie, least, most) in [(Tie::Direct, 1, 3), (Tie::Positive, 0, 2), (Tie::Negative, 0, 2)] {
            let congestion = metrics(&grid, &tie, &[2, 0, 1, 3], 2).link_congestion;
            assert_eq!(congestion, summary(least, most, 6, 4));
        }
    }

    #[test]
    fn an_edge_is_routed_from_the_smaller_label_however_it_is_given() {
        // Ring of four, processes 0 1 2 on nodes 0 2 1. Edge 0-1 goes from 0 to 2, a tie: positive by links
        // 0-1 and 1-2, negative by 3-0 and 2-3. Edge 0-2 is link 0-1, which two edges use under positive.
        let grid = Grid { lengths: vec![4], wraps: vec![true] };
        for (tie, most) in [(Tie::Positive, 2), (Tie::Negative, 1)] {
            for edges in [[vec![(0, 1)], vec![(0, 2)]], [vec![(1, 0)], vec![(2, 0)]]] {
                let congestion = metrics_of_edges(&grid, &tie, &[0, 2, 1], &edges).link_congestion;
                assert_eq!(congestion, summary(0, most, 3, 4));
            }
        }
    }

    #[test]
    fn edges_within_a_node_have_dilation_0_and_touch_it_once() {
        // (3,2)-mesh of processes n = i_1 + 3 i_2 on a line of four: 0 1 | 3 4 on node 0, 2 on node 3, 5 on 1.
        // Dimension 0: 0-1 and 3-4 within node 0; 1-2 over three links, 4-5 over one.
        // Dimension 1: 0-3 and 1-4 within node 0; 2-5 from 3 to 1 over two links.
        // Passed: 1 by 1-2, 2 by 1-2 and 2-5. Used: 0-1 by two, 1-2 by two, 2-3 by two. Touched: 0 by the four
        // within it, 1-2 and 4-5; 1 by 1-2, 4-5 and 2-5; 2 by 1-2 and 2-5; 3 by the same. Node 2 is empty.
        let grid = Grid { lengths: vec![4], wraps: vec![false] };
        let edges = [vec![(0, 1), (2, 1), (3, 4), (4, 5)], vec![(0, 3), (4, 1), (5, 2)]];
        let metrics = metrics_of_edges(&grid, &Tie::Direct, &[0, 0, 3, 0, 0, 1], &edges);
        assert_eq!(metrics.spectrum.into_iter().collect::<Vec<_>>(), [(0, 4), (1, 1), (2, 1), (3, 1)]);
        assert_eq!((metrics.total, metrics.max), (6, 3));
        assert_eq!(metrics.distances, [summary(0, 3, 8, 8), summary(0, 2, 4, 6)]);
        assert_eq!(metrics.node_load, summary(0, 2, 3, 4));
        assert_eq!(metrics.link_congestion, summary(2, 2, 6, 3));
        assert_eq!(metrics.node_congestion, summary(2, 6, 13, 4));
        assert_eq!(metrics.load, summary(0, 4, 6, 4));
    }

    #[test]
    fn a_cube_of_no_dimensions_has_no_edges() {
        let grid = Grid { lengths: vec![2], wraps: vec![false] };
        let metrics = metrics(&grid, &Tie::Direct, &[1], 0);
        assert_eq!((metrics.total, metrics.max, metrics.distances.len()), (0, 0, 0));
        assert_eq!(metrics.node_load, summary(0, 0, 0, 2));
        assert_eq!(metrics.load, summary(0, 1, 1, 2));
    }
}
