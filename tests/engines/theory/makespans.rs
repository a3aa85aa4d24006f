//! The makespans and totals that `docs/model.md` section 8 lists.

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::{Machine, Wrap};

use super::setting::{
    PLAIN, Setting, Trial, embed, finishes, line, makespan, mixed, ring, steps_and_conflicts, torus,
};

fn plain(kind: EmbeddingKind, machine: &Machine) -> Trial {
    Trial::ascend(embed(kind, machine), PLAIN)
}

/// Checks a row of the table: simulated for `standard` and `xor`, predicted for `byweight` and `gray`.
fn check_row(machine: &Machine, [standard, xor, byweight, gray]: [u64; 4]) {
    for (kind, expected) in [(EmbeddingKind::Standard, standard), (EmbeddingKind::Xor, xor)] {
        let trial = plain(kind, machine);
        assert_eq!(makespan(&trial.asynchronous()), expected, "{kind}");
        assert_eq!(makespan(&trial.coordinated()), expected, "{kind}");
    }
    assert_eq!(plain(EmbeddingKind::Byweight, machine).predicted(), byweight);
    assert_eq!(plain(EmbeddingKind::Gray, machine).predicted(), gray);
}

#[test]
fn makespans_without_computation_are_those_of_the_table() {
    check_row(&ring(6), [63, 47, 111, 58]);
    check_row(&torus(&[8, 8]), [14, 10, 18, 10]);
    check_row(&torus(&[128, 32]), [158, 118, 302, 148]);
}

#[test]
fn optimal_finishes_at_18_on_16_wrapping_by_8_not_wrapping() {
    let machine = mixed(&[(16, Wrap::Around), (8, Wrap::Open)]);
    assert_eq!(makespan(&plain(EmbeddingKind::Optimal, &machine).asynchronous()), 18);
}

#[test]
fn totals_on_the_torus_of_64_by_64_are_those_of_the_table() {
    let totals = |kind| {
        let setting = Setting { compute: 10, ..PLAIN };
        let outcome = Trial::ascend(embed(kind, &torus(&[64, 64])), setting).asynchronous();
        let totals = outcome.summary.totals();
        (makespan(&outcome), totals.waiting, totals.blocked)
    };
    assert_eq!(totals(EmbeddingKind::Byweight), (356, 146_432, 16_000));
    assert_eq!(totals(EmbeddingKind::Gray), (248, 0, 38_400));
}

#[test]
fn contention_on_the_ring_of_64_costs_byweight_7_cycles_and_gray_none() {
    let byweight = plain(EmbeddingKind::Byweight, &ring(6));
    assert_eq!((byweight.predicted(), makespan(&byweight.asynchronous())), (111, 118));
    // Blocked cycles need not delay the end.
    let gray = plain(EmbeddingKind::Gray, &ring(6)).asynchronous();
    assert_eq!((makespan(&gray), gray.summary.totals().blocked), (58, 76));
}

#[test]
fn coordination_on_the_ring_of_64_helps_byweight_and_hurts_gray() {
    let coordinated = |kind| plain(kind, &ring(6)).coordinated();
    assert_eq!(makespan(&coordinated(EmbeddingKind::Byweight)), 111);
    let gray = coordinated(EmbeddingKind::Gray);
    assert_eq!(makespan(&gray), 88);
    assert_eq!(steps_and_conflicts(&gray).iter().map(|&(steps, _)| steps).sum::<u64>(), 88);
}

#[test]
fn byweight_waits_on_the_line_of_8_and_finishes_after_standard_as_in_figure_4() {
    // From the distances of figure 4a, T_a = 0 and T_c = 1; each process takes its distance after the
    // later of itself and its partner, which gives for n = 0 to 7:
    //   stage 0: 3 3 4 4 4 4 3 3
    //   stage 1: 6 7 6 7 7 6 7 6, after 0 1 6 7 have waited 1 each
    //   stage 2: 8 9 9 8 8 9 9 8, after 0 2 5 7 have waited 1 each
    let byweight = plain(EmbeddingKind::Byweight, &line(3)).asynchronous();
    assert_eq!(finishes(&byweight), [8, 9, 9, 8, 8, 9, 9, 8]);
    let totals = byweight.summary.totals();
    assert_eq!((totals.waiting, totals.blocked), (8, 0));
    assert_eq!(makespan(&plain(EmbeddingKind::Standard, &line(3)).asynchronous()), 7);
}
