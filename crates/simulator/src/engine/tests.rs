//! Start times: the second half of a program starts where the first half ended.

use cubefold_mapping::{CubeDimension, EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_topology::{LinkMode, MachineKind, NodeId, TieRule, Wrap};

use super::*;
use crate::{CubeProgram, StageRecord};

/// The records of every process in every stage, in ascending order.
fn records(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
) -> Vec<StageRecord> {
    let mut records = vec![];
    let kind = TransportKind::of(program, placement.machine(), communication);
    run(program, placement, communication, kind, starts, &mut records).unwrap();
    records.sort_unstable_by_key(|record| (record.stage, record.process));
    records
}

fn finishes(records: &[StageRecord], stage: usize) -> Vec<Cycle> {
    records.iter().filter(|record| record.stage == stage).map(|record| record.finish).collect()
}

/// Runs a program whole, and in two halves, the second of which starts for every process when the
/// first has ended for it; the two share no link.
fn check_halves(placement: &Placement, halves: [&[CubeDimension]; 2], compute: u64, links: Communication) {
    let Placement::Product(product) = placement else { panic!("a product embedding") };
    let program =
        |stages: &[_]| CubeProgram::new(product.cube(), stages.to_vec(), Cycles::new(compute)).unwrap();
    let first = records(&program(halves[0]), placement, links, StartTimes::Together);
    let begins = finishes(&first, halves[0].len() - 1);
    let second = records(&program(halves[1]), placement, links, StartTimes::Each(&begins));
    let renumbered = |record: StageRecord| StageRecord { stage: record.stage + halves[0].len(), ..record };
    let joined: Vec<_> = first.into_iter().chain(second.into_iter().map(renumbered)).collect();
    assert_eq!(joined, records(&program(&halves.concat()), placement, links, StartTimes::Together));
}

#[test]
fn a_program_in_two_halves_is_the_program() {
    let wraps = [Wrap::Around, Wrap::Open];
    for (lengths, low) in [([8, 8], 3), ([4, 16], 2), ([16, 2], 4)] {
        let machine = Machine::with_wraps(MachineKind::Torus, &lengths, &wraps).unwrap();
        let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
        let stages = CubeProgram::ascend(cube);
        for kind in EmbeddingKind::ALL {
            let placement = Placement::embed(kind, cube, &machine).unwrap();
            for (mode, compute, hop) in [
                (LinkMode::FullDuplex, 0, 1),
                (LinkMode::FullDuplex, 7, 3),
                (LinkMode::HalfDuplex, 0, 1),
                (LinkMode::HalfDuplex, 3, 2),
            ] {
                let links = Communication::new(mode, Cycles::new(hop), TieRule::Direct).unwrap();
                check_halves(&placement, [&stages[..low], &stages[low..]], compute, links);
                check_halves(&placement, [&stages[low..], &stages[..low]], compute, links);
            }
        }
    }
}

#[test]
fn processes_that_begin_later_together_do_all_later() {
    let machine = Machine::new(MachineKind::Mesh, &[3, 3]).unwrap();
    let cube = Hypercube::new(4).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::descend(cube), Cycles::new(5)).unwrap();
    let nodes = (0..16).map(|process| NodeId::new(process % 9)).collect();
    let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
    for mode in LinkMode::ALL {
        let links = Communication::new(mode, Cycles::new(2), TieRule::Direct).unwrap();
        let late = Cycles::new(1000);
        let begins = [Cycle::START + late; 16];
        let moved: Vec<_> = records(&program, &placement, links, StartTimes::Together)
            .into_iter()
            .map(|record| StageRecord {
                ready: record.ready + late,
                start: record.start + late,
                finish: record.finish + late,
                ..record
            })
            .collect();
        assert_eq!(records(&program, &placement, links, StartTimes::Each(&begins)), moved);
    }
}

#[test]
fn a_pair_starts_when_both_are_ready_and_a_shared_processor_serves_the_process_that_may_begin_first() {
    let machine = Machine::new(MachineKind::Line, &[2]).unwrap();
    let cube = Hypercube::new(1).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(10)).unwrap();
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(3), TieRule::Direct).unwrap();
    let times = |nodes: [u32; 2], begins: [u64; 2]| {
        let nodes = nodes.map(NodeId::new).to_vec();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let all = records(&program, &placement, links, StartTimes::Each(&begins.map(Cycle::new)));
        all.iter()
            .map(|record| [record.sharing.get(), record.ready.get(), record.start.get(), record.finish.get()])
            .collect::<Vec<_>>()
    };
    // Apart: ready at 17 and 14, start at 17, one link of 3 cycles.
    assert_eq!(times([0, 1], [7, 4]), [[0, 17, 17, 20], [0, 14, 17, 20]]);
    // On one node: process 1 from 4 to 14, then process 0, which could start at 7, from 14 to 24.
    assert_eq!(times([1, 1], [7, 4]), [[7, 24, 24, 24], [0, 14, 24, 24]]);
}
