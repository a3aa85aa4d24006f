//! Butterflies, cube-connected cycles, shuffle-exchange and de Bruijn networks in one another.

use cubefold_mapping::classic::{
    butterfly_in_cycles, contracted_exchanges, cycles_in_butterfly, folded_levels, merged_levels,
    shuffle_then_exchange, unshuffled_words,
};

use super::{
    super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial},
    Measure,
    Promise::{AtMost, Exactly},
    check, congestion, dilation, for_each, load,
};

const CYCLES: Claim =
    Claim::new("CS838 butterflies and CCC", "dilation of CCC_n in wBF_n, a spanning subgraph: 1");
const CYCLES_LOAD: Claim = Claim::new("CS838 butterflies and CCC", "load of CCC_n in wBF_n: 1");
const BUTTERFLY: Claim =
    Claim::new("CS838 butterflies and CCC", "dilation of wBF_n in CCC_n, n >= 3, load 1: 2");
const BUTTERFLY_CONGESTION: Claim =
    Claim::new("CS838 butterflies and CCC", "link congestion of wBF_n in CCC_n, n >= 3: 2");
const MERGED: Claim = Claim::new("CS838 butterflies and CCC", "dilation of oBF_n in wBF_n: 1");
const MERGED_LOAD: Claim = Claim::new("CS838 butterflies and CCC", "load of oBF_n in wBF_n: 2");
const FOLDED: Claim =
    Claim::new("CS838 butterflies and CCC", "dilation of wBF_n in oBF_n, load 1: a constant, 3 here");
const UNSHUFFLED: Claim = Claim::new(
    "CS838 shuffle-based topologies",
    "dilation of SE_n in dB_(2,n), a spanning subgraph, odd necklaces unshuffled: 1",
);
const DE_BRUIJN: Claim =
    Claim::new("CS838 shuffle-based topologies", "dilation of dB_(2,n) in SE_n, load 1: 2");
const CONTRACTED: Claim = Claim::new(
    "CS838 shuffle-based topologies",
    "links of dB_(2,n) that are none of SE_(n+1) with contracted exchange arcs: 0",
);
const CONTRACTED_DILATION: Claim = Claim::new(
    "CS838 shuffle-based topologies",
    "dilation of SE_(n+1) in dB_(2,n), so that it has no link but those: 1",
);

/// In the order of the notes.
pub(super) const CLAIMS: [Claim; 11] = [
    CYCLES,
    CYCLES_LOAD,
    BUTTERFLY,
    BUTTERFLY_CONGESTION,
    MERGED,
    MERGED_LOAD,
    FOLDED,
    UNSHUFFLED,
    DE_BRUIJN,
    CONTRACTED,
    CONTRACTED_DILATION,
];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = match scope {
        Scope::Quick => 6,
        Scope::Full => 10,
    };
    let shuffles = for_each(2..=most, shuffles);
    for_each(3..=most, butterflies).into_iter().chain(shuffles).collect()
}

fn butterflies(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    let promises = [(CYCLES, dilation as Measure, Exactly(1)), (CYCLES_LOAD, load, Exactly(1))];
    check(findings, &case, cycles_in_butterfly(n), &promises);
    let promises =
        [(BUTTERFLY, dilation as Measure, Exactly(2)), (BUTTERFLY_CONGESTION, congestion, Exactly(2))];
    check(findings, &case, butterfly_in_cycles(n), &promises);
    let promises = [(MERGED, dilation as Measure, Exactly(1)), (MERGED_LOAD, load, Exactly(2))];
    check(findings, &case, merged_levels(n), &promises);
    check(findings, &case, folded_levels(n), &[(FOLDED, dilation, AtMost(3))]);
}

fn shuffles(n: u32, findings: &mut Findings) {
    let case = format!("n = {n}");
    check(findings, &case, unshuffled_words(n), &[(UNSHUFFLED, dilation, Exactly(1))]);
    check(findings, &case, shuffle_then_exchange(n), &[(DE_BRUIJN, dilation, Exactly(2))]);
    let embedding = contracted_exchanges(n);
    if let Ok(embedding) = &embedding {
        let crossed = embedding.paths().filter(|(_, path)| path.len() > 1);
        let mut links: Vec<_> =
            crossed.map(|(_, path)| (path[0].min(path[1]), path[0].max(path[1]))).collect();
        links.sort_unstable();
        links.dedup();
        let missing = embedding.host().link_count().abs_diff(links.len() as u64);
        findings.add(CONTRACTED, Trial::equal(0, missing), &case);
    }
    check(findings, &case, embedding, &[(CONTRACTED_DILATION, dilation, Exactly(1))]);
}
