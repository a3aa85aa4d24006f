//! Every one-to-one construction on every pair of machines of a size, for all that chapters 3 and 4 say of it.

use cubefold_mapping::{Construction, ConstructionError, ConstructionKind, Placement};
use cubefold_topology::Machine;

use super::{
    Case, Scope,
    claim::Claim,
    dilation::{self, Covered},
    findings::Findings,
    inverse,
    pairs::{Words, machines, machines_of, square_pairs},
    promised, steps, tables,
};

/// How much is tried of a pair.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// The random permutation sets that are routed besides the shift sets; none are routed without it.
    routed_sets: Option<usize>,
}

/// Pairs beyond the sizes that are tried wholly: the smallest of rare kinds, and those of the errata.
const MORE_PAIRS: [(&[u64], &[u64]); 10] = [
    (&[2, 2, 9], &[6, 6]),
    (&[3, 3, 6], &[6, 9]),
    (&[3, 3, 9], &[9, 9]),
    (&[9, 9], &[3, 3, 3, 3]),
    (&[2, 3, 3, 4], &[4, 6, 3]),
    (&[2, 2, 3, 4], &[4, 4, 3]),
    (&[5, 3, 2], &[10, 3]),
    (&[6, 12], &[6, 3, 2, 2]),
    (&[2, 2, 8], &[4, 8]),
    (&[4, 6, 10], &[15, 16]),
];

/// The cases: one for each guest, with all hosts of its size.
pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (wholly, routed, sets, square) = match scope {
        Scope::Quick => (28, 20, 3, 729),
        Scope::Full => (96, 56, 10, 4096),
    };
    let mut cases: Vec<Case> = vec![];
    for size in 2..=wholly {
        let extent = Extent { routed_sets: (size <= routed).then_some(sets) };
        for guest in machines_of(size) {
            cases.push(Box::new(move |findings| {
                for host in machines_of(size) {
                    check_pair(&guest, &host, extent, findings);
                }
            }));
        }
    }
    let extent = Extent { routed_sets: Some(sets) };
    let more = MORE_PAIRS.iter().map(|(guest, host)| (guest.to_vec(), host.to_vec()));
    let squares = square_pairs(square).into_iter();
    let large = [(vec![9; 5], vec![243; 2]), (vec![243; 2], vec![9; 5])].into_iter();
    let large = large.filter(|_| matches!(scope, Scope::Full));
    for (guest, host) in more.chain(squares).chain(large) {
        cases.extend(kinds_of_pair(&guest, &host, extent));
    }
    cases.push(Box::new(dilation::check_ring_of_two));
    cases
}

/// A case for each choice of mesh or torus.
fn kinds_of_pair(guest: &[u64], host: &[u64], extent: Extent) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![];
    for guest in machines(guest) {
        for host in machines(host) {
            let guest = guest.clone();
            cases.push(Box::new(move |findings| check_pair(&guest, &host, extent, findings)));
        }
    }
    cases
}

fn check_pair(guest: &Machine, host: &Machine, extent: Extent, findings: &mut Findings) {
    for kind in ConstructionKind::ALL {
        let promised = promised::by_name(kind, guest, host);
        let construction = Construction::named(kind, guest, host);
        check_covered((guest, host), &construction, promised, findings, |covered, findings| {
            check(covered, extent, findings);
        });
    }
    let (chosen, promised) = (Construction::choose(guest, host), promised::by_choice(guest, host));
    check_covered((guest, host), &chosen, promised, findings, dilation::check_chosen);
}

/// Measures a construction that is within its theorem; that there is none, or none within it, breaks the claim by
/// which it is promised.
fn check_covered(
    (guest, host): (&Machine, &Machine),
    construction: &Result<Construction, ConstructionError>,
    promised: Option<Claim>,
    findings: &mut Findings,
    measure: impl Fn(&Covered, &mut Findings),
) {
    let refusal = match construction {
        Ok(construction) => match Covered::new(construction) {
            Some(covered) => return measure(&covered, findings),
            None => "outside of its theorem".to_owned(),
        },
        Err(error) => error.to_string(),
    };
    if let Some(claim) = promised {
        findings.fail(claim, &format!("{} on {}", Words(guest), Words(host)), &refusal);
    }
}

fn check(covered: &Covered, extent: Extent, findings: &mut Findings) {
    let placement = Placement::Construction(Box::new(covered.construction.clone()));
    dilation::check(covered, &placement, findings);
    inverse::check(covered, findings);
    if let Some(sets) = extent.routed_sets {
        steps::check(covered, &placement, sets, findings);
        steps::check_choices(covered, &placement, findings);
        tables::check(covered, &placement, findings);
    }
}

/// The exchange of addresses on every machine of some sizes.
pub(super) fn exchange_cases(scope: Scope) -> Vec<Case> {
    let sizes = match scope {
        Scope::Quick => 2..=32,
        Scope::Full => 2..=128,
    };
    let mut cases: Vec<Case> = vec![];
    for size in sizes {
        cases.push(Box::new(move |findings| {
            for machine in machines_of(size) {
                tables::check_exchange(&machine, findings);
            }
        }));
    }
    cases
}
