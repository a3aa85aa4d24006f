//! Makespans: those of the published table, those without contention, and none below the lower bound.

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::{LinkMode, Machine, Wrap};

use super::setting::{
    PLAIN, Setting, Trial, all_wrap, embed, finishes, line, machines, makespan, meshes_and_toruses, mixed,
    ring, steps_and_conflicts, torus,
};

// The makespans and totals that `docs/model.md` section 8 lists.

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

// Runs without waiting and contention (`docs/model.md` section 8; González & Valero 1993, 2.2;
// González et al. 1995, 4.6).

/// Checks that the ascending program runs without waiting, blocked cycles and conflicts, asynchronously
/// and coordinated, and therefore in the predicted time.
fn check(kind: EmbeddingKind, machine: &Machine, setting: Setting) {
    let trial = Trial::ascend(embed(kind, machine), setting);
    let case = format!("{kind} on {:?}", machine.shape().lengths());
    let (asynchronous, coordinated) = (trial.asynchronous(), trial.coordinated());
    for outcome in [&asynchronous, &coordinated] {
        let totals = outcome.summary.totals();
        assert_eq!((totals.waiting, totals.blocked), (0, 0), "{case}");
        assert_eq!(makespan(outcome), trial.predicted(), "{case}");
        assert_eq!(outcome.summary.idle_at_end(), 0, "{case}");
    }
    assert_eq!(asynchronous.traffic.longest_queue, Some(0), "{case}");
    assert!(steps_and_conflicts(&coordinated).iter().all(|&(_, conflicts)| conflicts == 0), "{case}");
}

#[test]
fn standard_runs_undisturbed_on_every_machine_of_up_to_2_to_the_8_nodes() {
    for machine in (1..=8).flat_map(machines) {
        check(EmbeddingKind::Standard, &machine, Setting { compute: 3, hop: 2, ..PLAIN });
    }
}

#[test]
fn xor_runs_undisturbed_on_every_machine_of_up_to_2_to_the_8_nodes_that_wraps() {
    for machine in (1..=8).flat_map(machines).filter(all_wrap) {
        check(EmbeddingKind::Xor, &machine, Setting { compute: 3, hop: 2, ..PLAIN });
    }
}

#[test]
fn standard_and_xor_run_undisturbed_without_computation_on_every_torus_of_up_to_2_to_the_9_nodes() {
    for machine in (1..=9).flat_map(meshes_and_toruses).filter(all_wrap) {
        check(EmbeddingKind::Standard, &machine, PLAIN);
        check(EmbeddingKind::Xor, &machine, PLAIN);
    }
}

#[test]
#[ignore = "a minute: every machine of 2^9 and 2^10 nodes"]
fn standard_and_xor_run_undisturbed_on_every_machine_of_2_to_the_9_and_2_to_the_10_nodes() {
    for machine in (9..=10).flat_map(machines) {
        check(EmbeddingKind::Standard, &machine, PLAIN);
        if all_wrap(&machine) {
            check(EmbeddingKind::Xor, &machine, PLAIN);
        }
    }
}

// `optimal` reaches the lower bound and nothing goes below it (`docs/model.md` section 5).

/// Orders of the stages that use every dimension once: ascending, descending, and one in which no field's
/// stages follow one another: all even dimensions, then all odd ones.
fn orders(machine: &Machine) -> [Vec<u64>; 3] {
    let ascending: Vec<u64> = (0..u64::from(machine.node_count().ilog2())).collect();
    let descending = ascending.iter().rev().copied().collect();
    let (even, odd): (Vec<u64>, Vec<u64>) = ascending.iter().partition(|&dimension| dimension % 2 == 0);
    [ascending, descending, [even, odd].concat()]
}

/// Checks `optimal` under full-duplex links, with pairs of `T_a` and `T_c`.
fn check_optimal(machine: &Machine, times: &[(u64, u64)]) {
    let placement = embed(EmbeddingKind::Optimal, machine);
    for &(compute, hop) in times {
        for stages in orders(machine) {
            let setting = Setting { compute, hop, ..PLAIN };
            let trial = Trial::with_stages(placement.clone(), setting, &stages);
            let bound = trial.bound();
            assert_eq!(trial.predicted(), bound, "{:?}, stages {stages:?}", machine.shape().lengths());
            let found = makespan(&trial.asynchronous());
            assert_eq!(found, bound, "{:?}, stages {stages:?}", machine.shape().lengths());
        }
    }
}

/// Checks that no named embedding finishes before the bound or before its prediction, under any link mode.
fn check_all_embeddings(machine: &Machine, times: &[(u64, u64)]) {
    for (kind, links) in
        EmbeddingKind::ALL.into_iter().flat_map(|kind| LinkMode::ALL.map(|links| (kind, links)))
    {
        for &(compute, hop) in times {
            let setting = Setting { links, compute, hop, ..PLAIN };
            let trial = Trial::ascend(embed(kind, machine), setting);
            let (found, predicted, bound) =
                (makespan(&trial.asynchronous()), trial.predicted(), trial.bound());
            let case =
                format!("{kind} on {:?}, {links}, T_a = {compute}, T_c = {hop}", machine.shape().lengths());
            assert!(found >= predicted, "{case}: {found}, predicted {predicted}");
            assert!(predicted >= bound, "{case}: predicted {predicted}, bound {bound}");
        }
    }
}

#[test]
fn optimal_meets_the_bound_on_every_machine_of_up_to_2_to_the_8_nodes() {
    for machine in (1..=8).flat_map(machines) {
        check_optimal(&machine, &[(0, 1), (5, 3)]);
    }
}

#[test]
#[ignore = "a minute: every machine of 2^9 and 2^10 nodes"]
fn optimal_meets_the_bound_on_every_machine_of_2_to_the_9_and_2_to_the_10_nodes() {
    for machine in (9..=10).flat_map(machines) {
        check_optimal(&machine, &[(0, 1), (10, 2)]);
    }
}

#[test]
fn no_embedding_finishes_before_bound_or_prediction_on_every_machine_of_up_to_2_to_the_6_nodes() {
    for machine in (1..=6).flat_map(machines) {
        check_all_embeddings(&machine, &[(0, 1), (1, 1), (4, 3)]);
    }
}

#[test]
#[ignore = "minutes: every machine of 2^7 to 2^10 nodes"]
fn no_embedding_finishes_before_bound_or_prediction_on_every_machine_of_2_to_the_7_to_2_to_the_10_nodes() {
    for machine in (7..=10).flat_map(machines) {
        check_all_embeddings(&machine, &[(0, 1)]);
    }
}
