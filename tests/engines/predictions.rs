//! The prediction field by field equals that over all processes, in any order of the dimensions, and both equal the
//! recursion written out.

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable, ProcessId};
use cubefold_simulator::{Communication, CubeProgram, Cycles, Program, predict};
use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule, Wrap};
use proptest::prelude::*;
use proptest::sample::select;

/// Up to 2^16 processes: more than are processed at a time.
const SHAPES: [&[u64]; 9] =
    [&[2], &[64], &[8, 4], &[2, 2, 2, 2], &[4, 2, 8], &[16, 16], &[256, 256], &[128, 2, 128], &[1 << 15]];

fn placement() -> impl Strategy<Value = (Hypercube, Placement)> {
    let machine = select(&SHAPES[..]).prop_flat_map(|lengths| {
        let wrap = prop_oneof![Just(Wrap::Around), Just(Wrap::Open)];
        let wraps = prop::collection::vec(wrap, lengths.len());
        wraps.prop_map(|wraps| Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap())
    });
    (machine, select(&EmbeddingKind::ALL)).prop_map(|(machine, kind)| {
        let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
        (cube, Placement::embed(kind, cube, &machine).unwrap())
    })
}

/// The recursion of `docs/model.md` section 5, word for word.
fn recursion(program: &CubeProgram, placement: &Placement, hop: u64) -> u64 {
    let (cube, machine) = (program.cube(), placement.machine());
    let all = || ProcessId::first(placement.process_count());
    let mut times: Vec<u64> = vec![0; all().count()];
    for &dimension in program.stages() {
        let time = |process: ProcessId| {
            let neighbour = cube.neighbour(process, dimension);
            let distance = machine.distance(placement.node(process), placement.node(neighbour));
            let latest =
                [process, neighbour].map(|partner| times[partner.label() as usize]).into_iter().max();
            program.facts().compute.get() + hop * distance + latest.unwrap()
        };
        times = all().map(time).collect();
    }
    times.into_iter().max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn by_field_by_process_and_written_out((cube, placement) in placement(), seed in prop::collection::vec(any::<u64>(), 1..=24), compute in 0..20_u64, hop in 1..5_u64) {
        let dimensions = u64::from(cube.dimension_count());
        let stages = seed.iter().map(|number| cube.dimension(number % dimensions).unwrap()).collect();
        let program = CubeProgram::new(cube, stages, Cycles::new(compute)).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct).unwrap();
        let table = PlacementTable::new(placement.machine(), placement.nodes()).unwrap();
        let expected = recursion(&program, &placement, hop);
        prop_assert_eq!(predict(&program, &placement, links).get(), expected);
        prop_assert_eq!(predict(&program, &Placement::Table(table), links).get(), expected);
    }
}
