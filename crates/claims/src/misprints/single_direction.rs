//! Errata A4: simple reductions under mode 3.

use cubefold_mapping::ConstructionKind;
use cubefold_simulator::PhaseLength;
use cubefold_topology::LinkMode;

use super::super::{
    claim::Claim,
    factors::SimpleFactor,
    findings::Findings,
    message_sets::MessageSets,
    pairs::{Case, is_torus_guest, is_torus_host, mesh, torus},
    routed::{most, permutations, route},
    trial::Trial,
};

/// The note after theorem 4.5.4.
pub(super) const SUMS: Claim = Claim::misprinted(
    "Tao 4.5.4, note",
    "steps of simple reduction, mode 3: sum m_i/l_vi, twice that with folding; twice as many always suffice",
    "A4",
);

pub(super) fn check(findings: &mut Findings) {
    for (guest, host) in [
        (mesh(&[2, 2]), mesh(&[4])),
        (mesh(&[4, 4]), mesh(&[16])),
        (mesh(&[2, 3, 4]), mesh(&[6, 4])),
        (torus(&[3, 4]), mesh(&[12])),
        (torus(&[4, 4, 4]), torus(&[16, 4])),
    ] {
        let found = super::named(SUMS, ConstructionKind::SimpleReduction, &guest, &host, findings);
        let Some((construction, placement)) = found else { continue };
        let Some(factor) = SimpleFactor::of(&construction) else { continue };
        let folding = if is_torus_guest(&guest) && !is_torus_host(&host) { 2 } else { 1 };
        let printed = folding * factor.sum();
        let (case, phases) = (Case(&construction), PhaseLength::OfPlacement);
        let mode = LinkMode::SingleDirection;
        // Of the (2, 2)-mesh (0, 0) -> (1, 0) and (1, 1) -> (0, 1).
        let crossing = MessageSets::of_labels(guest.node_count(), &[(0, 1), (3, 2)]);
        let routed = if guest.node_count() == 4 {
            route(&crossing, &placement, mode, phases)
        } else {
            route(&permutations(&guest, 20, &format!("mode 3; {guest:?}")), &placement, mode, phases)
        };
        match routed {
            Ok(stages) => {
                let steps = most(&stages).steps;
                findings.add(SUMS, Trial::at_most(printed, steps), &case);
                findings.add_reading(SUMS, Trial::at_most(2 * printed, steps), &case);
            }
            Err(error) => findings.fail(SUMS, &case, &error),
        }
    }
}
