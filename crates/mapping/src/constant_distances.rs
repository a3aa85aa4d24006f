//! Every placement of a hypercube with constant distances on a ring, the subject of theorem 10 of González & Valero
//! 1993.

use cubefold_topology::{Machine, NodeId};

/// Calls `visit` with the node of each process for every one-to-one placement of the hypercube on a ring of as many
/// nodes in which the distance to a neighbour depends on the dimension alone, with process 0 on node 0 and distances
/// that do not descend with the dimension. A rotation of the ring, which changes no distance, and a permutation of the
/// label's bits, which permutes the distances, make every other such placement one of these.
///
/// Processes are placed in order, and process `n` only where its distance to each neighbour placed before it is the
/// distance of that dimension; process `2^i` decides the distance of dimension `i`. The time grows faster than any power
/// of the number of nodes: a ring of 64 takes half a minute.
pub fn for_each_constant_distance_placement(ring: &Machine, mut visit: impl FnMut(&[NodeId])) {
    let first = NodeId::new(0);
    let taken = ring.nodes().map(|node| node == first).collect();
    Search { ring, nodes: vec![first], taken, distances: vec![], visit: &mut visit }.place_next();
}

struct Search<'run> {
    ring: &'run Machine,
    nodes: Vec<NodeId>, // of the processes placed
    taken: Vec<bool>,   // by node
    distances: Vec<u64>,
    visit: &'run mut dyn FnMut(&[NodeId]),
}

impl Search<'_> {
    fn place_next(&mut self) {
        if self.nodes.len() == self.taken.len() {
            (self.visit)(&self.nodes);
            return;
        }
        for node in self.ring.nodes() {
            if !self.taken[node.index() as usize] {
                self.try_node(node);
            }
        }
    }

    fn try_node(&mut self, node: NodeId) {
        let process = self.nodes.len();
        let decides = process.is_power_of_two();
        if decides {
            self.distances.push(self.ring.distance(self.nodes[0], node));
        }
        if self.distances.is_sorted() && self.keeps_distances(process, node) {
            self.taken[node.index() as usize] = true;
            self.nodes.push(node);
            self.place_next();
            self.nodes.pop();
            self.taken[node.index() as usize] = false;
        }
        if decides {
            self.distances.pop();
        }
    }

    fn keeps_distances(&self, process: usize, node: NodeId) -> bool {
        self.distances.iter().enumerate().all(|(dimension, &distance)| {
            let neighbour = process ^ (1 << dimension);
            neighbour > process || self.ring.distance(self.nodes[neighbour], node) == distance
        })
    }
}
