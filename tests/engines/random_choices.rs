//! Random choices are random: over many keys everything that may be chosen is, and about as often as it should.
//!
//! The keys are fixed, so that the outcome is the same every time.

use cubefold_mapping::{GraphGuest, Placement, PlacementTable};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, DimensionChoice, NeighbourProgram, Pattern, PhaseLength, Program,
    Request, Routing, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

use crate::random_problem::MessageSets;

const KEYS: u32 = 600;

/// Different keys.
fn keys() -> impl Iterator<Item = [u8; 32]> {
    let key = |number: u32| {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_le_bytes());
        key
    };
    (0..KEYS).map(key)
}

/// The dimensions in the order in which a message from node 0 to node 7 of the (2, 2, 2)-mesh is led along them.
fn order(key: [u8; 32]) -> Vec<usize> {
    let mesh = Machine::new(MachineKind::Mesh, &[2, 2, 2]).unwrap();
    let ends = [0, 7].map(NodeId::new).to_vec();
    let placement = Placement::Table(PlacementTable::new(&mesh, ends).unwrap());
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let dimension_choice = DimensionChoice::Random { key };
    let request = Request::coordinated(Routing {
        dimension_choice,
        phase_length: PhaseLength::Unlimited,
        ..Routing::PLAIN
    });
    let program = MessageSets::of_one_stage(2, vec![(0, 1)]);
    let outcome =
        simulate(&program, &placement, links, &request.counting(CountLinkUse::Yes), &mut ()).unwrap();
    let used = outcome.traffic.link_use.as_ref().unwrap();
    let mut used: Vec<(u32, usize)> =
        used.busy_links().map(|(link, _)| (link.near.index(), link.dimension.index())).collect();
    // The nearer ends of the three links are ever further from node 0.
    used.sort_by_key(|(near, _)| near.count_ones());
    assert_eq!(used.iter().map(|(near, _)| near.count_ones()).collect::<Vec<_>>(), [0, 1, 2]);
    used.into_iter().map(|(_, dimension)| dimension).collect()
}

#[test]
fn a_message_takes_its_dimensions_in_every_order_and_each_first_more_than_a_quarter_of_the_time() {
    let orders: Vec<Vec<usize>> = keys().map(order).collect();
    let often = |chosen: &dyn Fn(&[usize]) -> bool| orders.iter().filter(|order| chosen(order)).count();
    for first in 0..3 {
        assert!(often(&|order| order[0] == first) > KEYS as usize / 4, "dimension {first} first");
        for second in (0..3).filter(|&second| second != first) {
            let count = often(&|order| order[..2] == [first, second]);
            assert!(count > KEYS as usize / 8, "{first}, then {second}");
        }
    }
}

/// The random sets of messages on the ring of 5, one for each key.
fn sets() -> Vec<Vec<(u32, u32)>> {
    let ring = GraphGuest::new(Machine::new(MachineKind::Ring, &[5]).unwrap());
    let of_key = |key| {
        let pattern = Pattern::Permutation { sets: 1, key };
        let program = NeighbourProgram::new(ring.clone(), pattern, Cycles::ZERO).unwrap();
        program
            .messages(0)
            .iter()
            .map(|message| (message.source.label(), message.destination.label()))
            .collect()
    };
    keys().map(of_key).collect()
}

#[test]
fn every_process_is_left_out_of_some_random_set_as_a_source_and_as_a_destination() {
    let sets = sets();
    for process in 0..5 {
        let without = |is_in: &dyn Fn(&(u32, u32)) -> bool| sets.iter().any(|set| !set.iter().any(is_in));
        assert!(without(&|pair| pair.0 == process), "process {process} always sends");
        assert!(without(&|pair| pair.1 == process), "process {process} always receives");
    }
}

#[test]
fn every_process_sends_to_both_neighbours_more_than_a_quarter_of_the_time() {
    let sets = sets();
    for process in 0..5 {
        for neighbour in [(process + 1) % 5, (process + 4) % 5] {
            let count = sets.iter().filter(|set| set.contains(&(process, neighbour))).count();
            assert!(count > KEYS as usize / 4, "{process} to {neighbour}: {count} of {KEYS}");
        }
    }
}
