use cubefold_mapping::{Hypercube, Placement, PlacementTable};
use cubefold_topology::{LinkMode, MachineKind, TieRule};

use super::*;
use crate::{
    CubeProgram, StageRecord,
    hop::{HopEngine, HopInput, StartTimes},
};

/// What a run on a network says, whose first transmission has a number.
fn run(placement: &Placement, links: LinkMode, hop: u64, first: u32) -> (Vec<StageRecord>, [Option<u64>; 2]) {
    let cube = Hypercube::new(6).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(2)).unwrap();
    let communication = Communication::new(links, Cycles::new(hop), TieRule::Direct).unwrap();
    let mut network = ClaimedNetwork::new(placement.machine(), communication);
    network.next = first;
    let input = HopInput { program: &program, placement, communication, starts: StartTimes::Together };
    let mut records = vec![];
    let traffic = HopEngine::whole(&input, network, &mut records).run().unwrap();
    records.sort_unstable_by_key(|record| (record.stage, record.process));
    (records, [Some(traffic.hops), traffic.longest_queue.map(u64::from)])
}

#[test]
fn transmissions_that_are_numbered_again_change_nothing() {
    let machine = Machine::of_dimensions(MachineKind::DeBruijn, 6).unwrap();
    let nodes = (0..64).map(|label| NodeId::new(label * 37 % 64)).collect();
    let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
    for (links, hop) in [(LinkMode::FullDuplex, 1), (LinkMode::FullDuplex, 3), (LinkMode::HalfDuplex, 2)] {
        let expected = run(&placement, links, hop, 1);
        assert!(expected.1[1] > Some(1));
        // From the last number before 2^31 that leaves room for a message of each process there is no way on.
        let firsts = (0..1000).step_by(23).map(|before| MAX_NUMBER - before).chain([2 * MAX_NUMBER - 70]);
        for first in firsts {
            assert_eq!(run(&placement, links, hop, first), expected, "{links:?} {hop} {first}");
        }
    }
}
