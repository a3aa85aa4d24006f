//! Theorem 1 and corollary 1: what dilation 1 needs, by search.

use cubefold_mapping::{GreenbergPlacement, Placement};
use cubefold_topology::{Coordinates, Machine, MachineKind, NodeId};

use super::super::{
    Case,
    claim::Claim,
    findings::Findings,
    pairs::{Words, machine, mesh},
    routed::dilation,
    trial::{Quantity, Trial},
};

const THEOREM_1: Claim = Claim::new(
    "Greenberg 1987, theorem 1",
    "least dimensions of a cube in which a mesh lies with dilation 1, by search: the sum of the log over(l_i)",
);
const COROLLARY_1: Claim = Claim::new(
    "Greenberg 1987, corollary 1",
    "smallest hypercubes that fit into the one that d sides of 2^k + 1, k >= d, need at dilation 1: 2^(d-1)",
);

/// In the order of the report.
pub(super) const CLAIMS: [Claim; 2] = [THEOREM_1, COROLLARY_1];

/// Meshes that would fit a smaller cube by their size.
const MESHES: [&[u64]; 13] = [
    &[3, 5],
    &[3, 9],
    &[3, 10],
    &[5, 5],
    &[5, 6],
    &[5, 9],
    &[6, 9],
    &[6, 10],
    &[7, 9],
    &[9, 9],
    &[3, 3, 3],
    &[3, 3, 5],
    &[3, 4, 5],
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    for lengths in MESHES {
        cases.push(Box::new(move |findings| check_least(lengths, findings)));
    }
    for sides in 2..=4_u32 {
        cases.push(Box::new(move |findings| check_expansion(sides, findings)));
    }
    cases
}

/// `log over(length)`.
fn bits(length: u64) -> u64 {
    length.next_power_of_two().trailing_zeros().into()
}

fn check_least(lengths: &[u64], findings: &mut Findings) {
    let guest = mesh(lengths);
    let needed: u64 = lengths.iter().map(|&length| bits(length)).sum();
    let smaller = Search::finds(&guest, needed - 1);
    let measured = if smaller { needed - 1 } else { needed };
    findings.add(THEOREM_1, Trial::equal(needed, measured), &Words(&guest));
    // By the Gray code along every side it is reached: side by side, as lines are placed.
    let longest = lengths.iter().map(|&length| gray_line(length, findings)).max().unwrap_or(0);
    findings.add(THEOREM_1, Trial::equal(1, longest), &Words(&guest));
}

/// The dilation of a line on the cube that it needs.
fn gray_line(length: u64, findings: &mut Findings) -> u64 {
    let line = mesh(&[length]);
    let cube = machine(MachineKind::Hypercube, &vec![2; GreenbergPlacement::cube_dimensions(&line) as usize]);
    match GreenbergPlacement::new(&line, &cube) {
        Ok(placement) => dilation(&line, &Placement::Greenberg(Box::new(placement))),
        Err(error) => {
            findings.fail(THEOREM_1, &Words(&line), &error);
            0
        }
    }
}

fn check_expansion(sides: u32, findings: &mut Findings) {
    for power in sides..=6 {
        let lengths = vec![(1_u64 << power) + 1; sides as usize];
        let needed: u64 = lengths.iter().map(|&length| bits(length)).sum();
        let smallest = bits(lengths.iter().product());
        let measured = Quantity::fraction(1 << needed, 1 << smallest);
        findings.add(COROLLARY_1, Trial::equal(1 << (sides - 1), measured), &Words(&mesh(&lengths)));
    }
}

/// A search for a placement of unit dilation on a cube. Processes are placed in the order of their labels, each beside
/// all of its neighbours that are placed; a dimension of the cube that none has crossed yet is as good as any other.
struct Search {
    before: Vec<Vec<usize>>, // the neighbours of each process with smaller labels
    dimensions: u64,
    nodes: Vec<u32>, // of the processes placed so far
    taken: Vec<bool>,
}

impl Search {
    fn finds(guest: &Machine, dimensions: u64) -> bool {
        let before = guest.nodes().map(|node| before(guest, node)).collect();
        let mut search = Self { before, dimensions, nodes: vec![], taken: vec![false; 1 << dimensions] };
        search.place(0, 0)
    }

    /// Places a process, `crossed` dimensions having been crossed so far: the first ones.
    fn place(&mut self, node: u32, crossed: u64) -> bool {
        self.taken[node as usize] = true;
        self.nodes.push(node);
        let found = self.nodes.len() == self.before.len() || self.place_next(crossed);
        self.nodes.pop();
        self.taken[node as usize] = false;
        found
    }

    fn place_next(&mut self, crossed: u64) -> bool {
        let beside: Vec<u32> = self.before[self.nodes.len()].iter().map(|&own| self.nodes[own]).collect();
        let Some((&first, others)) = beside.split_first() else { return false };
        (0..self.dimensions.min(crossed + 1)).any(|dimension| {
            let node = first ^ (1 << dimension);
            let fits =
                !self.taken[node as usize] && others.iter().all(|other| (node ^ other).is_power_of_two());
            fits && self.place(node, crossed.max(dimension + 1))
        })
    }
}

fn before(guest: &Machine, node: NodeId) -> Vec<usize> {
    let shape = guest.shape();
    let index = node.index() as usize;
    let coordinates: Coordinates = shape.coordinates(node);
    let dimensions = shape.dimensions().filter(|&dimension| coordinates.along(dimension) > 0);
    #[expect(clippy::cast_possible_truncation, reason = "a stride of a mesh of a hundred nodes")]
    dimensions.map(|dimension| index - shape.stride(dimension) as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_of_unit_dilation_is_found_where_there_is_one() {
        assert!(Search::finds(&mesh(&[3, 5]), 5));
        assert!(Search::finds(&mesh(&[4, 4]), 4));
        assert!(!Search::finds(&mesh(&[3, 3]), 3));
    }
}
