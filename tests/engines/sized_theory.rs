//! Statements of the model about messages with sizes: the time of a message alone, and the bounds on programs.

use std::{fmt::Debug, num::NonZeroU64};

use cubefold_mapping::{CubeDimension, EmbeddingKind, Hypercube, Placement, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, Computations, CubeProgram, Cycles, EAGER_ALL, Engine, EngineChoice, MessageSizes, Program,
    Request, ServiceOrder, StageMessage, StageProgram, StageRecord, Switching, lower_bound, predict,
    simulate,
};

use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule, Wrap};
use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;

use crate::theory::setting::for_each_bijection;

fn links(hop: u64) -> Communication {
    Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct).unwrap()
}

fn on_nodes(machine: &Machine, nodes: impl IntoIterator<Item = u32>) -> Placement {
    let nodes = nodes.into_iter().map(NodeId::new).collect();
    Placement::Table(PlacementTable::new(machine, nodes).unwrap())
}

/// `T_s = D l + (D - 1) u g + u L` of section 13.2, for all `D, L, P, u, l` up to 8, 33, 16, 3, 7.
#[test]
fn a_message_alone_takes_the_time_of_the_closed_form() {
    let line = Machine::new(MachineKind::Line, &[9]).unwrap();
    let request = Request::asynchronous(EngineChoice::Sized);
    for (distance, units) in (1..=8_u32).flat_map(|distance| (1..=33).map(move |units| (distance, units))) {
        let placement = on_nodes(&line, [0, distance]);
        let message =
            StageMessage { stage: 0, source: ProcessId::new(0), destination: ProcessId::new(1), units };
        let program = StageProgram::new(2, Computations::Same(Cycles::ZERO), &[message]).unwrap();
        for (switching, packet) in
            Switching::ALL.iter().flat_map(|one| (0..=16).map(move |packet| (one, packet)))
        {
            for (hop, latency) in (1..=3).flat_map(|hop| (0..=7).map(move |latency| (hop, latency))) {
                let rules = links(hop)
                    .with_latency(Cycles::new(latency))
                    .with_switching(*switching)
                    .with_packets(NonZeroU64::new(packet));
                let grain = match (switching, packet) {
                    (Switching::CutThrough, _) => 1,
                    (Switching::StoreAndForward, 0) => units,
                    (Switching::StoreAndForward, packet) => units.min(packet),
                };
                let distance = u64::from(distance);
                let expected = distance * latency + (distance - 1) * hop * grain + hop * units;
                let outcome = simulate(&program, &placement, rules, &request, &mut ()).unwrap();
                assert_eq!(outcome.summary.makespan().get(), expected, "{rules:?} {distance} {units}");
                assert_eq!(outcome.summary.totals().blocked, 0);
            }
        }
    }
}

/// The bound of section 15 over all 40 320 placements: none is predicted below, so that no run is.
#[test]
fn no_placement_of_eight_processes_goes_below_the_lower_bound() {
    let cube = Hypercube::new(3).unwrap();
    let order: Vec<CubeDimension> = [2, 0, 1].map(|number| cube.dimension(number).unwrap()).to_vec();
    let machines = [
        Machine::new(MachineKind::Ring, &[8]).unwrap(),
        Machine::new(MachineKind::Line, &[8]).unwrap(),
        Machine::new(MachineKind::Torus, &[4, 2]).unwrap(),
        Machine::new(MachineKind::Mesh, &[2, 4]).unwrap(),
    ];
    let cut_through = links(2).with_latency(Cycles::new(5)).with_switching(Switching::CutThrough);
    let packets = links(3).with_latency(Cycles::new(2)).with_packets(NonZeroU64::new(4));
    let whole = links(2).with_latency(Cycles::new(3));
    let rules = [(cut_through, [7, 1, 20]), (packets, [4, 8, 13]), (whole, [6, 6, 6])];
    for machine in &machines {
        for (rules, units) in &rules {
            let sizes = MessageSizes::by_stage(units.to_vec()).unwrap();
            let program = CubeProgram::new(cube, order.clone(), Cycles::new(4)).unwrap().with_sizes(sizes);
            let bound = lower_bound(&program, &on_nodes(machine, 0..8), *rules).unwrap().cycles.get();
            let mut least = u64::MAX;
            for_each_bijection(8, |nodes| {
                let placement = on_nodes(machine, nodes.iter().copied());
                least = least.min(predict(&program, &placement, *rules).get());
            });
            assert!(bound <= least, "{machine:?} {rules:?}: bound {bound}, a placement takes {least}");
            // It is no empty promise: the serialisation alone is less.
            assert!(5 * bound >= 4 * least, "{machine:?} {rules:?}: bound {bound}, the best takes {least}");
        }
    }
}

#[test]
fn there_is_no_bound_where_the_grain_differs_or_messages_are_eager() {
    let cube = Hypercube::new(3).unwrap();
    let ring = Machine::new(MachineKind::Ring, &[8]).unwrap();
    let sizes = MessageSizes::by_stage(vec![8, 4, 2]).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap().with_sizes(sizes);
    let bound = |rules| lower_bound(&program, &on_nodes(&ring, 0..8), rules);
    assert!(bound(links(1)).is_none());
    assert!(bound(links(1).with_packets(NonZeroU64::new(2))).is_some());
    assert!(bound(links(1).with_packets(NonZeroU64::new(4))).is_none());
    let cut_through = links(1).with_switching(Switching::CutThrough);
    assert!(bound(cut_through).is_some());
    assert!(bound(cut_through.with_eager(2)).is_none());
}

/// The prediction of an exchange of partners is that of the same messages one by one, eager or not.
#[test]
fn a_cube_program_is_predicted_as_the_list_of_its_messages() {
    let cube = Hypercube::new(4).unwrap();
    let machine = Machine::new(MachineKind::Mesh, &[4, 4]).unwrap();
    let sizes = MessageSizes::by_stage(vec![9, 1, 5, 5]).unwrap();
    let program =
        CubeProgram::new(cube, CubeProgram::descend(cube), Cycles::new(3)).unwrap().with_sizes(sizes);
    let messages: Vec<StageMessage> = (0..4).flat_map(|stage| program.messages(stage)).collect();
    let list = StageProgram::new(16, Computations::Same(Cycles::new(3)), &messages).unwrap();
    for eager in [0, 5, 9] {
        let rules = links(2).with_latency(Cycles::new(1)).with_eager(eager);
        for kind in EmbeddingKind::ALL {
            let named = Placement::embed(kind, cube, &machine).unwrap();
            let table = on_nodes(&machine, named.nodes().iter().map(|node| node.index()));
            let expected = predict(&list, &table, rules);
            assert_eq!([predict(&program, &named, rules), predict(&program, &table, rules)], [expected; 2]);
        }
    }
}

/// The engine of a run, all of its results, and among them the longest queue.
fn run(
    program: &CubeProgram,
    placement: &Placement,
    rules: Communication,
    choice: EngineChoice,
) -> (Engine, impl PartialEq + Debug + use<>, Option<u32>) {
    let mut records: Vec<StageRecord> = vec![];
    let outcome = simulate(program, placement, rules, &Request::asynchronous(choice), &mut records).unwrap();
    records.sort_unstable_by_key(|record| (record.stage, record.process));
    let (summary, traffic) = (&outcome.summary, &outcome.traffic);
    let sums = (summary.makespan(), summary.totals(), summary.overlapped());
    let results = (records, sums, traffic.messages, traffic.hops, traffic.longest_queue);
    (outcome.engine, results, traffic.longest_queue)
}

/// Lines whose messages meet all along their routes: the same records and sums as packet by packet on the whole machine.
fn check_long_lines(shape: &[u64]) {
    let machine = Machine::new(MachineKind::Torus, shape).unwrap();
    let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
    let sizes = (0..cube.dimensions().count()).rev().map(|stage| 1 << stage).collect();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(10))
        .unwrap()
        .with_sizes(MessageSizes::by_stage(sizes).unwrap());
    for kind in [EmbeddingKind::Byweight, EmbeddingKind::Gray] {
        let placement = Placement::embed(kind, cube, &machine).unwrap();
        for rules in [links(1), links(2).with_latency(Cycles::new(5))] {
            let (_, by_lines, _) = run(&program, &placement, rules, EngineChoice::Auto);
            let (_, whole, longest_queue) = run(&program, &placement, rules, EngineChoice::Sized);
            assert!(longest_queue > Some(0), "queues");
            assert!(by_lines == whole, "{shape:?} {kind} {rules:?}");
        }
    }
}

#[test]
fn long_lines_of_sizes_that_halve_are_those_packet_by_packet() {
    check_long_lines(&[64, 64]);
}

#[test]
#[ignore = "a minute"]
fn longer_lines_of_sizes_that_halve_are_those_packet_by_packet() {
    check_long_lines(&[256, 64]);
    check_long_lines(&[256, 256]);
}

/// One line for all lines of its dimension: the same records and sums as packet by packet on the whole machine, under
/// every rule.
#[test]
fn one_line_stands_for_all_whatever_the_sizes() {
    let generator = &mut ChaCha12Rng::seed_from_u64(5);
    let shapes: [&[u64]; 5] = [&[16], &[8, 8], &[4, 2, 8], &[16, 4], &[2, 2, 4]];
    let (mut compared, mut contended) = (0, 0);
    for _ in 0..600 {
        let shape = *shapes.choose(generator).unwrap();
        let wraps: Vec<Wrap> =
            shape.iter().map(|_| if generator.random() { Wrap::Around } else { Wrap::Open }).collect();
        let machine = Machine::with_wraps(MachineKind::Torus, shape, &wraps).unwrap();
        let cube = Hypercube::new(machine.node_count().ilog2().into()).unwrap();
        let placement =
            Placement::embed(*EmbeddingKind::ALL.choose(generator).unwrap(), cube, &machine).unwrap();
        let order = if generator.random() { CubeProgram::ascend(cube) } else { CubeProgram::descend(cube) };
        let sizes = order.iter().map(|_| generator.random_range(1..=12)).collect();
        let program = CubeProgram::new(cube, order, Cycles::new(generator.random_range(0..=9)))
            .unwrap()
            .with_sizes(MessageSizes::by_stage(sizes).unwrap());
        let links = *[LinkMode::FullDuplex, LinkMode::HalfDuplex].choose(generator).unwrap();
        let rules = Communication::new(links, Cycles::new(generator.random_range(1..=3)), TieRule::Direct)
            .unwrap()
            .with_latency(Cycles::new(generator.random_range(0..=4)))
            .with_switching(*Switching::ALL.choose(generator).unwrap())
            .with_packets(NonZeroU64::new(generator.random_range(0..=5)))
            .with_eager(*[0, 0, 6, EAGER_ALL].choose(generator).unwrap());
        let rules = match links {
            LinkMode::FullDuplex => rules.with_service(*ServiceOrder::ALL.choose(generator).unwrap()),
            LinkMode::HalfDuplex | LinkMode::SingleDirection => rules,
        };
        let (engine, by_lines, _) = run(&program, &placement, rules, EngineChoice::Auto);
        assert_eq!(engine, Engine::Belt);
        let (_, whole, longest_queue) = run(&program, &placement, rules, EngineChoice::Sized);
        assert_eq!(by_lines, whole, "{shape:?} {rules:?}");
        compared += 1;
        contended += usize::from(longest_queue > Some(0));
    }
    assert!(contended > compared / 2, "{contended} of {compared} with queues");
}
