//! Tao 1988, chapter 3: the dilation of every construction, by the formulas of the theorems.
//!
//! If the dissertation calls a dilation of 2 optimal, a search shows that no placement has unit
//! dilation.

use cubefold_mapping::{Construction, ConstructionKind, GraphGuest, Guest, Placement, ProcessId};
use cubefold_topology::{Machine, NodeId};

use crate::{
    cases,
    cases::{ConstructionLabel, MachineLabel, is_hypercube, mesh, named, side, torus},
    claim::{Claim, Trial, claims},
    covered::{Covered, GeneralFactor, SimpleFactor, general_case},
    findings::{Case, Findings, for_each},
};

claims! {
    /// In the order of the dissertation.
    pub(super) CLAIMS:

    "Tao 3.3.1":
        pub(super) LINE = "a line goes into any torus or mesh by f_L with this dilation";

    "Tao 3.3.2":
        pub(super) RING_INTO_MESH =
            "a ring goes into any mesh by g_L with this dilation (for n = 2 a bound, errata B5)";

    "Tao 3.3.3":
        pub(super) EVEN_RING_INTO_MESH =
            "an even ring goes into a mesh of two dimensions or more by pi o h_L*";

    "Tao 3.3.4":
        pub(super) RING_INTO_TORUS = "a ring goes into any torus by h_L";

    "Tao lemma 3.4.1":
        pub(super) SAME_SHAPE = "a torus goes into the mesh of its shape by T_L with this dilation";
        pub(super) REORDERED = "lengths in another order, not a torus into a mesh: a permutation";

    "Tao 3.4.1 (a)":
        EXPANSION_F = "a mesh goes into an expansion of it by F_V";

    "Tao 3.4.1 (b)":
        EXPANSION_H = "a torus goes into a torus that expands it by H_V";

    "Tao 3.4.1 (c)":
        EXPANSION_EVEN = "a torus goes into a mesh by H_V where every list begins even";
        EXPANSION_G = "a torus goes into any mesh that expands it by G_V";

    "Tao 3.4.2":
        pub(super) INTO_HYPERCUBE = "a torus or mesh goes into the hypercube of its size (corollary 3.4.1)";

    "Tao 3.4.3":
        SIMPLE = "simple reduction, not of a torus to a mesh: max m_i/l_vi";
        SIMPLE_FOLDED =
            "simple reduction of a torus to a mesh: 2 max m_i/l_vi (a bound where l_vi = 2, errata B1)";
        SIMPLE_EXACT = "the same exactly: max c_i m_i/l_vi, c_i = 2 if l_vi > 2 and 1 else (errata B1)";
        pub(super) CUBE = "a hypercube goes into a torus or mesh: max m_i/2 (corollary)";

    "Tao 3.4.4 (1)":
        GENERAL_1 = "general reduction of a mesh by F'_S: max s_k";

    "Tao 3.4.4 (2)":
        GENERAL_2 = "general reduction of a torus to a torus by H'_S: max s_k";

    "Tao 3.4.4 (3)":
        GENERAL_3 = "general reduction of a torus to a torus by G'_S: max s_k";

    "Tao 3.4.4 (4)":
        GENERAL_4 = "general reduction, torus to mesh, H''_S: 2 max s_k (a bound, errata B2)";

    "Tao 3.4.4 (5)":
        GENERAL_5 = "general reduction, torus to mesh, G''_S: 2 max s_k (a bound, errata B2)";

    "Tao 3.4.4":
        GENERAL_EXACT =
            "(4) and (5) exactly: the largest of c_k s_k, c_k = 2 if l'_k > 2 and 1 else, and 1 or 2 (errata B2)";

    "Tao 4.5.3":
        ELIMINATION = "sequential elimination, not of a torus to a mesh: max m_j/l_(a_j) (errata B4)";
        ELIMINATION_FOLDED = "sequential elimination of a torus to a mesh: at most 2 max m_j/l_(a_j)";

    "Tao 3.5.2":
        pub(super) SQUARE_DIVISIBLE =
            "square graphs, c divides d: l^((d-c)/c), twice that for a torus into a mesh (a bound at l = 2, errata B3)";

    "Tao 3.5.3":
        pub(super) SQUARE_LOWERING =
            "square graphs, c < d does not divide d: l^((d-c)/c), twice that for a torus into a mesh";

    "Tao 3.5.4":
        pub(super) SQUARE_EXPANSION =
            "square graphs, d divides c: 2 for an odd torus into a mesh, else 1 (the construction chosen)";

    "Tao 3.5.5":
        pub(super) SQUARE_RISING =
            "square graphs, d < c does not divide c: l^((d-a)/c), twice that for an odd torus into a mesh";
}

/// Measures the dilation of a construction for all claims about it.
pub(super) fn check(covered: &Covered, placement: &Placement, findings: &mut Findings) {
    let construction = covered.construction;
    let measured = cases::dilation(construction.guest(), placement);
    let mut add = |claim, trial| findings.add(claim, trial, &ConstructionLabel(construction));
    for (claim, trial) in own_claims(covered, measured) {
        add(claim, trial);
    }
    if construction.kind() == ConstructionKind::SimpleReduction {
        if let Some(trial) = of_squares(covered, measured) {
            add(SQUARE_DIVISIBLE, trial);
        }
        if !covered.from_torus && is_hypercube(construction.guest()) {
            let longest = construction.host().shape().lengths().iter().copied().max();
            add(CUBE, Trial::equal(longest.unwrap_or(0) / 2, measured));
        }
    }
    let is_expansion =
        matches!(construction.kind(), ConstructionKind::ExpansionF | ConstructionKind::ExpansionH);
    if is_expansion && is_hypercube(construction.host()) {
        add(INTO_HYPERCUBE, Trial::equal(1, measured));
    }
}

/// The claims of the theorem that the construction rests on.
fn own_claims(covered: &Covered, measured: u64) -> Vec<(Claim, Trial)> {
    let (construction, stated) = (covered.construction, covered.stated);
    let equal = Trial::equal(stated, measured);
    match construction.kind() {
        ConstructionKind::BasicF => vec![(LINE, equal)],
        ConstructionKind::BasicG => vec![(RING_INTO_MESH, equal)],
        ConstructionKind::BasicH if covered.to_torus => vec![(RING_INTO_TORUS, equal)],
        ConstructionKind::BasicH => vec![(EVEN_RING_INTO_MESH, equal)],
        ConstructionKind::SameShape if covered.folds() => vec![(SAME_SHAPE, equal)],
        ConstructionKind::SameShape => vec![(REORDERED, equal)],
        ConstructionKind::ExpansionF => vec![(EXPANSION_F, equal)],
        ConstructionKind::ExpansionH if covered.to_torus => vec![(EXPANSION_H, equal)],
        ConstructionKind::ExpansionH => vec![(EXPANSION_EVEN, equal)],
        ConstructionKind::ExpansionG => vec![(EXPANSION_G, equal)],
        ConstructionKind::SimpleReduction if covered.folds() => folded_simple(construction, stated, measured),
        ConstructionKind::SimpleReduction => vec![(SIMPLE, equal)],
        ConstructionKind::GeneralReduction => general(covered, measured),
        ConstructionKind::SequentialElimination if covered.folds() => {
            vec![(ELIMINATION_FOLDED, Trial::at_most(stated, measured))]
        }
        ConstructionKind::SequentialElimination => vec![(ELIMINATION, equal)],
        ConstructionKind::SquareLowering => vec![(SQUARE_LOWERING, equal)],
        ConstructionKind::SquareRising => vec![(SQUARE_RISING, equal)],
        // The folded chains on toruses are for routing; no dilation is stated for them.
        _ => vec![],
    }
}

fn folded_simple(construction: &Construction, stated: u64, measured: u64) -> Vec<(Claim, Trial)> {
    let exact = SimpleFactor::of(construction).map_or(0, |factor| factor.most_folded());
    vec![(SIMPLE_FOLDED, Trial::stated(stated, measured)), (SIMPLE_EXACT, Trial::equal(exact, measured))]
}

fn general(covered: &Covered, measured: u64) -> Vec<(Claim, Trial)> {
    let Some((case, offset)) = general_case(covered.construction) else { return vec![] };
    let claim = [GENERAL_1, GENERAL_2, GENERAL_3, GENERAL_4, GENERAL_5][case - 1];
    if !covered.folds() {
        return vec![(claim, Trial::equal(covered.stated, measured))];
    }
    let exact = GeneralFactor::of(covered.construction).map_or(0, |factor| factor.most_folded(offset));
    vec![(claim, Trial::stated(covered.stated, measured)), (GENERAL_EXACT, Trial::equal(exact, measured))]
}

/// Theorem 3.5.2, in which a hypercube guest on a mesh also counts as a torus.
fn of_squares(covered: &Covered, measured: u64) -> Option<Trial> {
    let (guest, host) = (covered.construction.guest(), covered.construction.host());
    let ratio = side(host)? / side(guest)?;
    Some(match side(guest)? {
        2 if !covered.to_torus => Trial::stated(2 * ratio, measured),
        _ => Trial::equal(covered.stated, measured),
    })
}

/// Theorem 3.5.4, of the construction chosen for two square graphs.
pub(super) fn check_chosen(covered: &Covered, findings: &mut Findings) {
    let construction = covered.construction;
    let (guest, host) = (construction.guest(), construction.host());
    let (d, c) = (guest.shape().dimension_count(), host.shape().dimension_count());
    if d < c && c.is_multiple_of(d) && side(guest).is_some() && side(host).is_some() {
        let stated = if covered.folds() && covered.is_odd() { 2 } else { 1 };
        let measured = cases::dilation(guest, &Placement::Construction(Box::new(construction.clone())));
        findings.add(SQUARE_EXPANSION, Trial::equal(stated, measured), &ConstructionLabel(construction));
    }
}

/// Theorem 3.3.2 for the ring of 2, which is the line of 2 but is still stated to need two
/// links (errata B5).
pub(super) fn check_ring_of_two(findings: &mut Findings) {
    let [ring, line] = [torus(&[2]), mesh(&[2])];
    let found = named(RING_INTO_MESH, ConstructionKind::BasicG, &ring, &line, findings);
    if let Some((construction, placement)) = found {
        let measured = cases::dilation(&ring, &placement);
        findings.add(RING_INTO_MESH, Trial::stated(2, measured), &ConstructionLabel(&construction));
    }
}

claims! {
    /// In the order of the dissertation.
    pub(super) OPTIMAL_CLAIMS:

    "Tao 3.3.2":
        RING_OPTIMAL =
            "least dilation of all placements of a ring on a line or an odd mesh: g_L is optimal there";

    "Tao lemma 3.4.1":
        SAME_SHAPE_OPTIMAL =
            "least dilation of all placements of a torus on the mesh of its shape: T_L is optimal";
}

pub(super) fn optimal_cases() -> Vec<Case> {
    let pairs = [
        (RING_OPTIMAL, torus(&[9]), mesh(&[3, 3])),
        (RING_OPTIMAL, torus(&[15]), mesh(&[3, 5])),
        (RING_OPTIMAL, torus(&[12]), mesh(&[12])),
        (SAME_SHAPE_OPTIMAL, torus(&[2, 3]), mesh(&[2, 3])),
        (SAME_SHAPE_OPTIMAL, torus(&[2, 4]), mesh(&[2, 4])),
        (SAME_SHAPE_OPTIMAL, torus(&[3, 3]), mesh(&[3, 3])),
        (SAME_SHAPE_OPTIMAL, torus(&[3, 4]), mesh(&[3, 4])),
    ];
    for_each(pairs, |(claim, guest, host), findings| {
        let least = if Search::finds_unit_dilation(&guest, &host) { 1 } else { 2 };
        let case = format!("{} on {}", MachineLabel(&guest), MachineLabel(&host));
        findings.add(claim, Trial::at_least(2, least), &case);
    })
}

/// A search for a one-to-one placement of unit dilation. Processes are placed in the order of their
/// labels, each beside all of its placed neighbours.
pub(super) struct Search {
    neighbours: Vec<Vec<usize>>, // of each process
    host: Machine,
    nodes: Vec<NodeId>, // of the processes placed so far
    taken: Vec<bool>,   // by node
}

impl Search {
    /// Whether such a placement exists.
    pub(super) fn finds_unit_dilation(guest: &Machine, host: &Machine) -> bool {
        let grid = GraphGuest::new(guest.clone());
        let of = |process| grid.neighbours(process).map(|neighbour| neighbour.label() as usize).collect();
        let neighbours: Vec<Vec<usize>> = ProcessId::first(guest.node_count()).map(of).collect();
        let taken = host.nodes().map(|_| false).collect();
        Self { neighbours, host: host.clone(), nodes: vec![], taken }.place_next()
    }

    fn place_next(&mut self) -> bool {
        let process = self.nodes.len();
        if process == self.neighbours.len() {
            return true;
        }
        let nodes: Vec<NodeId> = self.host.nodes().collect();
        nodes.into_iter().any(|node| self.fits(process, node) && self.place(node))
    }

    fn place(&mut self, node: NodeId) -> bool {
        self.taken[node.index() as usize] = true;
        self.nodes.push(node);
        let found = self.place_next();
        self.nodes.pop();
        self.taken[node.index() as usize] = false;
        found
    }

    fn fits(&self, process: usize, node: NodeId) -> bool {
        let beside = |other: NodeId| self.host.neighbours(node).any(|neighbour| neighbour == other);
        let placed = self.neighbours[process].iter().filter_map(|&neighbour| self.nodes.get(neighbour));
        !self.taken[node.index() as usize] && placed.copied().all(beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_of_unit_dilation_is_found_where_there_is_one() {
        assert!(Search::finds_unit_dilation(&torus(&[6]), &mesh(&[2, 3])));
        assert!(!Search::finds_unit_dilation(&torus(&[5]), &mesh(&[5])));
    }
}
