//! Numbers of processes and nodes outside Tao 1988 (`docs/model.md` section 28.9): the
//! dilation and the loads of `uneven-contraction` and `spare-nodes`.

use cubefold_mapping::{Construction, ConstructionKind, Placement};
use cubefold_topology::Machine;

use crate::{
    cases::{ConstructionLabel, machines_of, metrics},
    claim::{Trial, claims},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    pub(super) CLAIMS:

    "docs/model.md 28.9":
        SCALED = "dilation of an uneven contraction: at most that of the smaller grid";
        MOST = "most processes on a node of an uneven contraction: the product of ceil(l_i/k_i)";
        FEWEST = "fewest processes on a node of it: the product of floor(l_i/k_i)";
        CORNER =
            "dilation with spare nodes: at most that of the larger grid, twice that where rings are folded";
        ALONE = "most processes on a node with spare nodes: 1";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = scope.quick_or_full(12, 24);
    for_each(2..=most, move |processes, findings| {
        for nodes in (2..=most).filter(|&nodes| nodes != processes) {
            check_sizes(processes, nodes, findings);
        }
    })
}

fn check_sizes(processes: u64, nodes: u64, findings: &mut Findings) {
    let (guests, hosts) = (machines_of(processes), machines_of(nodes));
    for (guest, host) in guests.iter().flat_map(|guest| hosts.iter().map(move |host| (guest, host))) {
        let kind = if processes > nodes {
            ConstructionKind::UnevenContraction
        } else {
            ConstructionKind::SpareNodes
        };
        if let Ok(construction) = Construction::named(kind, guest, host) {
            check(guest, &construction, findings);
        }
    }
}

fn check(guest: &Machine, construction: &Construction, findings: &mut Findings) {
    let placement = Placement::Construction(Box::new(construction.clone()));
    let metrics = metrics(guest, &placement);
    let case = ConstructionLabel(construction);
    let dilation = Trial::at_most(construction.dilation().links, metrics.dilation.max());
    if construction.kind() == ConstructionKind::SpareNodes {
        findings.add(CORNER, dilation, &case);
        findings.add(ALONE, Trial::equal(1, metrics.load.max), &case);
        return;
    }
    findings.add(SCALED, dilation, &case);
    let Some(parts) = parts(construction) else { return findings.fail(MOST, &case, &"no lengths K") };
    let lengths = guest.shape().lengths().iter().zip(&parts);
    let most: u64 = lengths.clone().map(|(length, parts)| length.div_ceil(*parts)).product();
    let fewest: u64 = lengths.map(|(length, parts)| length / parts).product();
    findings.add(MOST, Trial::equal(most, metrics.load.max), &case);
    findings.add(FEWEST, Trial::equal(fewest, metrics.load.min), &case);
}

/// The lengths `K`.
fn parts(construction: &Construction) -> Option<Vec<u64>> {
    let found = construction.parameters().iter().find(|parameter| parameter.name == "K")?;
    serde_json::from_str(&found.value).ok()
}
