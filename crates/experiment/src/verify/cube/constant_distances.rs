//! Theorem 10 of González & Valero 1993: every embedding with constant distances on a ring.

use cubefold_topology::{Machine, NodeId};

use super::super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::Words,
    routed::table,
    trial::{Quantity, Trial},
};
use super::{average_distance, measure, ring, sum_of_distances};
use cubefold_mapping::EmbeddingKind;

/// Tried on all of them.
pub(super) const THEOREM_10: Claim = Claim::new(
    "González & Valero 1993, theorem 10",
    "least average distance of all embeddings with constant distances on a ring of 2^d, each tried: \
     no less than (3 * 2^(d-2) - 1)/d",
);

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most_bits = match scope {
        Scope::Quick => 4,
        Scope::Full => 5,
    };
    let mut cases: Vec<Case> = vec![];
    for bits in 2..=most_bits {
        cases.push(Box::new(move |findings| check(bits, findings)));
    }
    cases
}

/// Each embedding that the search finds is a case.
fn check(bits: u32, findings: &mut Findings) {
    let ring = ring(bits);
    let promised = Quantity::fraction(sum_of_distances(EmbeddingKind::Xor, bits), bits.into());
    Search::run(&ring, &mut |nodes| {
        let metrics = measure(&table(&ring, nodes.to_vec()));
        if metrics.constant_distances() {
            findings.add(THEOREM_10, Trial::at_least(promised, average_distance(&metrics)), &Words(&ring));
        }
    });
}

/// The placements with constant distances on a ring, process 0 on node 0 and distances ascending: every other
/// one becomes such a one by a turn of the ring, which changes no distance, and a reordering of the label's bits,
/// which reorders the distances.
///
/// Processes are placed in order, and process `n` only where its distance to each neighbour placed before it is the
/// one of that dimension; process `2^i` decides the distance of dimension `i`.
struct Search<'run> {
    ring: &'run Machine,
    nodes: Vec<NodeId>, // of the processes placed so far
    taken: Vec<bool>,   // by node
    distances: Vec<u64>,
    found: &'run mut dyn FnMut(&[NodeId]),
}

impl Search<'_> {
    fn run(ring: &Machine, found: &mut dyn FnMut(&[NodeId])) {
        let first = NodeId::new(0);
        let taken = ring.nodes().map(|node| node == first).collect();
        Search { ring, nodes: vec![first], taken, distances: vec![], found }.place_next();
    }

    fn place_next(&mut self) {
        if self.nodes.len() == self.taken.len() {
            (self.found)(&self.nodes);
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
