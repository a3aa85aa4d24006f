//! Statements of Tao 1988 that fail as they are printed (part A of `docs/errata.md`), each measured to fail on the
//! smallest counterexamples and beside it the reading that holds.
//!
//! The printed variants exist only here and, where they are about translation tables, in [`tables`]; no scenario can
//! ask for one.

mod figure;
mod inverses;
mod phases;
mod rising;
mod sharing;
mod single_direction;

use cubefold_mapping::{Construction, ConstructionKind, Placement};
use cubefold_topology::Machine;

use super::{Case, Scope, claim::Claim, findings::Findings, pairs::Words, tables};

/// In the order of the errata.
pub(super) fn claims() -> Vec<Claim> {
    let late = [sharing::SHARED, figure::FIGURE, tables::UNDROPPED];
    [
        &phases::CLAIMS[..],
        &[single_direction::SUMS],
        &[inverses::UNFOLDED],
        &[inverses::MIRRORED],
        &rising::CLAIMS,
        &late,
    ]
    .concat()
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let mut cases: Vec<Case> = vec![
        Box::new(single_direction::check),
        Box::new(inverses::check_unfolded),
        Box::new(inverses::check_mirrored),
        Box::new(sharing::check),
        Box::new(figure::check),
        Box::new(tables::check_undropped),
    ];
    cases.extend(phases::cases(scope));
    cases.extend(rising::cases());
    cases
}

/// A construction asked for by name, which covers the pair; otherwise the claim fails.
fn named(
    claim: Claim,
    kind: ConstructionKind,
    guest: &Machine,
    host: &Machine,
    findings: &mut Findings,
) -> Option<(Construction, Placement)> {
    match Construction::named(kind, guest, host) {
        Ok(construction) => {
            let placement = Placement::Construction(Box::new(construction.clone()));
            Some((construction, placement))
        }
        Err(error) => {
            findings.fail(claim, &format!("{} on {}", Words(guest), Words(host)), &error);
            None
        }
    }
}
