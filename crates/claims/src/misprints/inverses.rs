//! Errata A5 and A6: inverses that are printed wrong.

use std::collections::BTreeSet;

use cubefold_mapping::{Construction, ConstructionKind, ProcessId};
use cubefold_topology::{Coordinates, NodeId};

use super::super::{
    claim::Claim,
    contraction::wrong_processes,
    findings::Findings,
    pairs::{Case, mesh, torus},
    trial::Trial,
};

/// 4.3.1.
pub(super) const UNFOLDED: Claim = Claim::misprinted(
    "Tao 4.3.1",
    "processes that the inverse of H''_S does not return, dimensions b+1..c not unfolded; unfolded, it returns all",
    "A5",
);
/// 5.4.1.
pub(super) const MIRRORED: Claim = Claim::misprinted(
    "Tao 5.4.1",
    "processes that the inverse of mu o nubar o xi misses or has too many, mirrored before multiplied by kappa; \
     after it, none",
    "A6",
);

/// The (2, 2, 3, 4)-torus on the (4, 4, 3)-mesh with `S = ((2, 2))`: `b = 2`, `c = 3`, and no permutations.
pub(super) fn check_unfolded(findings: &mut Findings) {
    let (guest, host) = (torus(&[2, 2, 3, 4]), mesh(&[4, 4, 3]));
    let found = super::named(UNFOLDED, ConstructionKind::GeneralReduction, &guest, &host, findings);
    let Some((construction, _)) = found else { return };
    let lost = |inverse: &dyn Fn(NodeId) -> Option<ProcessId>| {
        let returns = |process: &ProcessId| inverse(construction.node(*process)) == Some(*process);
        ProcessId::first(guest.node_count()).filter(|process| !returns(process)).count() as u64
    };
    let case = Case(&construction);
    findings.add(UNFOLDED, Trial::equal(0, lost(&|node| not_unfolded(&construction, node))), &case);
    findings.add_reading(UNFOLDED, Trial::equal(0, lost(&|node| Some(construction.process(node)))), &case);
}

/// As printed: coordinate 3 of the process is that of the node.
fn not_unfolded(construction: &Construction, node: NodeId) -> Option<ProcessId> {
    let (guest, host) = (construction.guest().shape(), construction.host().shape());
    let process = guest.coordinates(NodeId::new(construction.process(node).label()));
    let mut values: Vec<u64> = process.as_slice().iter().map(|&value| u64::from(value)).collect();
    values[2] = u64::from(host.coordinates(node).as_slice()[2]);
    let printed = Coordinates::new(guest, &values).ok()?;
    Some(ProcessId::new(guest.node_at(&printed).index()))
}

/// The (8, 3)-torus on the line of 2: `kappa = 2`, the second dimension left out.
pub(super) fn check_mirrored(findings: &mut Findings) {
    let (guest, host) = (torus(&[8, 3]), mesh(&[2]));
    let found = super::named(MIRRORED, ConstructionKind::FoldedProjection, &guest, &host, findings);
    let Some((construction, _)) = found else { return };
    let case = Case(&construction);
    let printed = wrong_processes(&construction, |node| mirrored_first(node.index()));
    findings.add(MIRRORED, Trial::equal(0, printed), &case);
    let read = wrong_processes(&construction, |node| construction.processes(node).collect());
    findings.add_reading(MIRRORED, Trial::equal(0, read), &case);
}

/// As printed: `e kappa + c` for `e` among `y` and `l - 1 - y`, with all of the other dimension.
fn mirrored_first(y: u32) -> BTreeSet<ProcessId> {
    let (kappa, length) = (2, 8);
    let first = [y, length - 1 - y].into_iter().flat_map(|e| (0..kappa).map(move |c| e * kappa + c));
    first.flat_map(|first| (0..3).map(move |second| ProcessId::new(first + length * second))).collect()
}
