//! Loads of nodes and use of links on rings (`docs/model.md` sections 4, 7 and 8; González et al. 1995,
//! 4.5 and 4.6).

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::TieRule;

use super::setting::{PLAIN, Setting, Trial, embed, measure, ring};

/// Twice the mean node load, which is a whole number on the rings below.
fn twice_mean_load(kind: EmbeddingKind, bits: u32) -> u64 {
    let load = measure(&embed(kind, &ring(bits))).node_load;
    assert_eq!(load.count, 1 << bits);
    assert_eq!(2 * load.sum % load.count, 0);
    2 * load.sum / load.count
}

#[test]
fn mean_node_load_of_standard_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        assert_eq!(twice_mean_load(EmbeddingKind::Standard, bits), (1 << bits) - 1 - u64::from(bits));
    }
}

#[test]
fn mean_node_load_of_xor_on_every_ring_is_as_its_formula_says() {
    for bits in 2..=16 {
        let expected = 3 * (1 << (bits - 2)) - 1 - u64::from(bits);
        assert_eq!(twice_mean_load(EmbeddingKind::Xor, bits), expected);
    }
}

/// The busy cycles of the wraparound link in a run of `standard` on the ring of `2^bits`.
fn wraparound_use(bits: u32, tie: TieRule) -> u64 {
    let trial = Trial::ascend(embed(EmbeddingKind::Standard, &ring(bits)), Setting { tie, ..PLAIN });
    let link_use = trial.asynchronous().traffic.link_use.clone().unwrap();
    let wraparound = link_use.busy_links().find(|(link, _)| link.near.index() == (1 << bits) - 1);
    wraparound.map_or(0, |(_, cycles)| cycles.get())
}

#[test]
fn standard_leaves_the_wraparound_link_idle_unless_ties_go_that_way() {
    for bits in 2..=8 {
        // Only the last dimension ties: 2^(d-1) messages each way. Those that start at h = 2^(d-1) or
        // above and go up, or that start below h and go down, all cross the wraparound link.
        let half = 1 << (bits - 1);
        let found = TieRule::ALL.map(|tie| (tie, wraparound_use(bits, tie)));
        let expected = [(TieRule::Direct, 0), (TieRule::Positive, half), (TieRule::Negative, half)];
        assert_eq!(found, expected, "ring of 2^{bits}");
    }
}
