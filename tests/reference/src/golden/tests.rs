//! The embeddings of Tao 1988 against `tests/golden/tao_embeddings.json`, by the reference alone.
//!
//! The file gives, for many constructions, where each guest node is placed and the steps that sets of
//! messages between neighbours take; its `conventions` say how it is to be read. Cases without images
//! are left out, as the reference makes no embeddings.

use std::collections::BTreeSet;

use super::super::coordinated::{RoutingPlan, coordinated_by_plan};
use super::super::problem::Problem;
use super::case::{self, Case, cases};
use super::message_set::{self, MessageSet, Order};

/// Steps and conflicts of a set of messages under a link mode and a scheme.
///
/// With several processes on one node the set is cut into the parts that the file's conventions tell,
/// which are not those of section 6 of `docs/model.md`, and the steps and conflicts are summed over them.
fn steps_and_conflicts(case: &Case, mode: &str, scheme: &str, set: &MessageSet) -> (u64, u64) {
    let (mut steps, mut conflicts) = (0, 0);
    for (nodes, part) in parts(case, set) {
        let problem = Problem {
            grid: case.host(),
            links: case::links(mode),
            tie: case::tie(),
            hop_cycles: 1,
            compute_cycles: 0,
            wires: None,
            passes: BTreeSet::new(),
            nodes,
            stages: vec![part.iter().map(|message| (message.source, message.destination)).collect()],
            explicit: None,
        };
        let vector = case.routing_vector();
        let numbers = part.iter().map(|message| vector[message.dimension]).collect();
        let plan = RoutingPlan { subset_of_message: vec![numbers], phase_length: case.phase_lengths(scheme) };
        let outcome = coordinated_by_plan(&problem, &plan);
        steps += outcome.steps[0];
        conflicts += outcome.conflicts[0];
    }
    (steps, conflicts)
}

/// The parts of a set that are routed one after another, each with a placement of one process a node.
///
/// With one process a node this is the set on the images. Otherwise the processes are the host's nodes,
/// and part `j` has the `j`-th message, by source, of those between each two nodes.
fn parts(case: &Case, set: &MessageSet) -> Vec<(Vec<u64>, MessageSet)> {
    if case.is_one_to_one() {
        return vec![(case.images(), set.clone())];
    }
    let parts = message_set::parts_of_equal_ends(set, &case.images());
    let host_nodes = (0..case.host().number_of_nodes()).collect::<Vec<_>>();
    parts.into_iter().map(|part| (host_nodes.clone(), part)).collect()
}

#[test]
fn shift_sets_and_mixed_sets_take_the_golden_steps() {
    let (mut one_to_one, mut many_to_one, mut with_phase_lengths) = (0, 0, 0);
    for case in cases() {
        for mode in case::MODES {
            for scheme in case.schemes() {
                let mut all_conflicts = 0;
                for (order, golden) in case.golden_sets() {
                    let set = message_set::messages(&case.guest(), order);
                    let (steps, conflicts) = steps_and_conflicts(&case, mode, &scheme, &set);
                    let expected = golden.steps(&scheme, mode);
                    assert_eq!(steps, expected, "{} {mode} {scheme} {order:?}", case.name());
                    assert_eq!(u64::try_from(set.len()).unwrap(), golden.messages(), "{}", case.name());
                    all_conflicts += conflicts;
                }
                assert_eq!(all_conflicts, case.conflicts_of_all_sets(&scheme, mode), "{}", case.name());
            }
        }
        *if case.is_one_to_one() { &mut one_to_one } else { &mut many_to_one } += 1;
        with_phase_lengths += usize::from(case.schemes().len() > 1);
    }
    assert!(one_to_one > 0 && many_to_one > 0 && with_phase_lengths > 0, "cases of each kind");
}

#[test]
fn many_to_one_sets_have_the_golden_number_of_parts() {
    for case in cases().filter(|case| !case.is_one_to_one()) {
        for (order, golden) in case.golden_sets() {
            let set = message_set::messages(&case.guest(), order);
            assert_eq!(parts(&case, &set).len(), golden.parts(), "{} {order:?}", case.name());
        }
    }
}

#[test]
fn full_scatter_takes_the_golden_steps_and_conflicts() {
    let mut checked = 0;
    for case in cases() {
        let set = message_set::messages(&case.guest(), Order::Scatter);
        for mode in case::MODES {
            if let Some(expected) = case.golden_scatter(mode) {
                let found = steps_and_conflicts(&case, mode, case::PRINTED_SCHEME, &set);
                assert_eq!(found, expected, "{} {mode}", case.name());
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "cases of full scatter");
}
