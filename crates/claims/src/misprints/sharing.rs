//! Errata A9: which sets of messages are parallelizable.

use cubefold_mapping::{ConstructionKind, ProcessId};
use cubefold_simulator::PhaseLength;
use cubefold_topology::LinkMode;

use super::super::{
    claim::Claim,
    findings::Findings,
    message_sets::{Message, MessageSets},
    pairs::{Case, mesh},
    routed::{identity, most, route},
    trial::Trial,
};

/// Proposition 5.4.1.
pub(super) const SHARED: Claim = Claim::misprinted(
    "Tao prop. 5.4.1",
    "steps for permutation sets of which no two messages share both nodes: rho; where they share neither, they hold",
    "A9",
);

/// The (4, 4)-mesh by `kappa = 2` and `U_V` on the line of 4: (0,1) -> (0,2) and (1,1) -> (2,1) leave one node.
pub(super) fn check(findings: &mut Findings) {
    let (guest, host) = (mesh(&[4, 4]), mesh(&[4]));
    let found = super::named(SHARED, ConstructionKind::Contraction, &guest, &host, findings);
    let Some((construction, placement)) = found else { return };
    let case = Case(&construction);
    let set: [Message; 2] = [(4, 8), (5, 6)].map(|(from, to)| (ProcessId::new(from), ProcessId::new(to)));
    // U_V leads the (2, 2)-mesh to the line of 4 with dilation 2.
    let rho = 2;
    // As printed: both at once, from node to node.
    let node = |process| ProcessId::new(construction.node(process).index());
    let at_once = vec![set.map(|(from, to)| (node(from), node(to))).to_vec()];
    let together = MessageSets::new(host.node_count(), at_once);
    // As read: one after another, each a set of its own.
    let apart = MessageSets::new(guest.node_count(), set.map(|message| vec![message]).to_vec());
    let mode = LinkMode::FullDuplex;
    let routed = (
        route(&together, &identity(&host), mode, PhaseLength::Unlimited),
        route(&apart, &placement, mode, PhaseLength::OfPlacement),
    );
    match routed {
        (Ok(together), Ok(apart)) => {
            findings.add(SHARED, Trial::at_most(rho, most(&together).steps), &case);
            findings.add_reading(SHARED, Trial::at_most(rho, most(&apart).steps), &case);
        }
        (Err(error), _) | (_, Err(error)) => findings.fail(SHARED, &case, &error),
    }
}
