//! `optimal` reaches the lower bound and nothing goes below it (`docs/model.md` section 5).

use cubefold_mapping::EmbeddingKind;
use cubefold_topology::{LinkMode, Machine};

use super::setting::{PLAIN, Setting, Trial, embed, machines, makespan, meshes_and_toruses};

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

/// Checks that no named embedding finishes before the bound or before its prediction, whatever the links.
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
fn optimal_meets_the_bound_on_every_mesh_and_torus_of_2_to_the_9_and_2_to_the_10_nodes() {
    for machine in (9..=10).flat_map(meshes_and_toruses) {
        check_optimal(&machine, &[(10, 2)]);
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
fn no_embedding_finishes_before_bound_or_prediction_on_every_machine_of_2_to_the_7_and_2_to_the_8_nodes() {
    for machine in (7..=8).flat_map(machines) {
        check_all_embeddings(&machine, &[(0, 1)]);
    }
}

#[test]
#[ignore = "minutes: every machine of 2^9 and 2^10 nodes"]
fn no_embedding_finishes_before_bound_or_prediction_on_every_machine_of_2_to_the_9_and_2_to_the_10_nodes() {
    for machine in (9..=10).flat_map(machines) {
        check_all_embeddings(&machine, &[(0, 1)]);
    }
}
