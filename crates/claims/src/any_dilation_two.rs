//! Theorem 4.5.2 for embeddings that are none of the dissertation's: it asks for a dilation of 2 only.

use cubefold_mapping::{Construction, Placement};
use cubefold_simulator::PhaseLength;
use cubefold_topology::{LinkMode, Machine, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use std::num::NonZeroU64;

use super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::{Words, mesh, torus},
    routed::{dilation, key, permutations, route, shifts, table},
    trial::Trial,
};

const STEPS: Claim = Claim::new(
    "Tao 4.5.2",
    "steps for permutation sets under random one-to-one placements of dilation 2, one-step phases (errata A2), mode 1",
);
const CONFLICTS: Claim =
    Claim::new("Tao 4.5.2", "conflicts of permutation sets under random placements of dilation 2, mode 1");

/// In the order in which they are shown.
pub(super) const CLAIMS: [Claim; 2] = [STEPS, CONFLICTS];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let placements = match scope {
        Scope::Quick => 4,
        Scope::Full => 40,
    };
    let mut cases: Vec<Case> = vec![];
    for (guest, host) in [
        (torus(&[4, 4]), mesh(&[4, 4])),
        (torus(&[5, 3]), mesh(&[5, 3])),
        (torus(&[3, 3]), torus(&[3, 3])),
        (mesh(&[4, 6]), torus(&[4, 6])),
        (torus(&[9]), mesh(&[3, 3])),
        (mesh(&[2, 3, 4]), mesh(&[4, 3, 2])),
        (torus(&[6, 6]), torus(&[6, 6])),
    ] {
        for number in 0..placements {
            let (guest, host) = (guest.clone(), host.clone());
            cases.push(Box::new(move |findings| check(&guest, &host, number, findings)));
        }
    }
    cases
}

fn check(guest: &Machine, host: &Machine, number: u32, findings: &mut Findings) {
    let case = format!("placement {number} of {} on {}", Words(guest), Words(host));
    let placement = match random_placement(guest, host, &case) {
        Ok(placement) => placement,
        Err(error) => return findings.fail(STEPS, &case, &error),
    };
    let phases = PhaseLength::Links(NonZeroU64::MIN);
    let routed = route(&shifts(guest), &placement, LinkMode::FullDuplex, phases).and_then(|mut stages| {
        let random = permutations(guest, 10, &case);
        stages.extend(route(&random, &placement, LinkMode::FullDuplex, phases)?);
        Ok(stages)
    });
    match routed {
        Ok(stages) => {
            for stage in stages {
                findings.add(STEPS, Trial::at_most(2, stage.steps), &case);
                findings.add(CONFLICTS, Trial::equal(0, stage.conflicts), &case);
            }
        }
        Err(error) => findings.fail(STEPS, &case, &error),
    }
}

/// The construction chosen for the pair, after exchanges of two processes each that keep the dilation at 2 or
/// less.
fn random_placement(
    guest: &Machine,
    host: &Machine,
    task: &str,
) -> Result<Placement, cubefold_mapping::ConstructionError> {
    let chosen = Placement::Construction(Box::new(Construction::choose(guest, host)?));
    let mut nodes: Vec<NodeId> = chosen.nodes();
    let mut generator = ChaCha12Rng::from_seed(key(task));
    for _ in 0..40 * nodes.len() {
        let [one, other] = [0, 1].map(|_| generator.random_range(0..nodes.len()));
        nodes.swap(one, other);
        if dilation(guest, &table(host, nodes.clone())) > 2 {
            nodes.swap(one, other);
        }
    }
    Ok(table(host, nodes))
}
