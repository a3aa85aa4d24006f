//! Runs in which nobody waits and nothing is in the way (`docs/model.md` section 8; González & Valero
//! 1993, 2.2; González et al. 1995, 4.6).

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::Machine;

use super::setting::{
    PLAIN, Setting, Trial, all_wrap, embed, machines, makespan, meshes_and_toruses, steps_and_conflicts,
};

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
