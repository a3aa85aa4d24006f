//! The coordinated engine against `tests/golden/tao_embeddings.json`: the steps and conflicts of every set of
//! messages, under both schemes and the three link modes.
//!
//! A set is taken in the subsets that the golden routing vector gives, each with its golden phase length. That
//! the constructions bring these vectors, lengths and images themselves is tested beside them, and that whole
//! runs of them equal the reference in `engines_equal_reference`.

use std::{collections::BTreeMap, num::NonZeroU64};

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_reference::golden::{
    case::{self, Case, cases},
    message_set::{self, MessageSet, Order},
};
use cubefold_simulator::{Communication, Cycles, DimensionChoice, PhaseLength, Request, Routing, simulate};
use cubefold_topology::{LinkMode, NodeId, TieRule};

use crate::random_problem::{MessageSets, torus};

/// Steps and conflicts of a set, subset by subset.
fn steps_and_conflicts(case: &Case, mode: LinkMode, scheme: &str, set: &MessageSet) -> (u64, u64) {
    let host = case.host();
    let machine = torus(&host.lengths, &host.wraps);
    let nodes = case.images().into_iter().map(|node| NodeId::new(u32::try_from(node).unwrap())).collect();
    let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
    let links = Communication::new(mode, Cycles::new(1), TieRule::Direct).unwrap();
    let (vector, lengths) = (case.routing_vector(), case.phase_lengths(scheme));
    let mut subsets: BTreeMap<u64, Vec<(u32, u32)>> = BTreeMap::new();
    for message in set {
        let subset = subsets.entry(vector[message.dimension]).or_default();
        subset.push((message.source, message.destination));
    }
    let (mut steps, mut conflicts) = (0, 0);
    for (number, messages) in subsets {
        let limit = lengths[&number].and_then(NonZeroU64::new);
        let phase_length = limit.map_or(PhaseLength::Unlimited, PhaseLength::Links);
        let routing = Routing { dimension_choice: DimensionChoice::Lowest, phase_length, ..Routing::PLAIN };
        let processes = u32::try_from(placement.process_count()).unwrap();
        let program = MessageSets::of_one_stage(processes, messages);
        let request = Request::coordinated(routing);
        let outcome = simulate(&program, &placement, links, &request, &mut ()).unwrap();
        let stage = outcome.traffic.routing.unwrap()[0];
        steps += stage.steps;
        conflicts += stage.conflicts;
    }
    (steps, conflicts)
}

#[test]
fn the_engine_takes_the_golden_steps_of_shift_sets_and_mixed_sets() {
    let mut checked = 0;
    for case in cases().filter(Case::is_one_to_one) {
        for mode in LinkMode::ALL {
            for scheme in case.schemes() {
                let mut all_conflicts = 0;
                for (order, golden) in case.golden_sets() {
                    let set = message_set::messages(&case.guest(), order);
                    let (steps, conflicts) = steps_and_conflicts(&case, mode, &scheme, &set);
                    assert_eq!(steps, golden.steps(&scheme, mode.name()), "{} {mode} {scheme}", case.name());
                    all_conflicts += conflicts;
                    checked += 1;
                }
                let expected = case.conflicts_of_all_sets(&scheme, mode.name());
                assert_eq!(all_conflicts, expected, "{} {mode} {scheme}", case.name());
            }
        }
    }
    assert!(checked > 500, "only {checked} sets");
}

#[test]
fn the_engine_takes_the_golden_steps_and_conflicts_of_full_scatter() {
    let mut checked = 0;
    for case in cases().filter(Case::is_one_to_one) {
        let set = message_set::messages(&case.guest(), Order::Scatter);
        for mode in LinkMode::ALL {
            let Some(expected) = case.golden_scatter(mode.name()) else { continue };
            let found = steps_and_conflicts(&case, mode, case::PRINTED_SCHEME, &set);
            assert_eq!(found, expected, "{} {mode}", case.name());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} sets");
}
