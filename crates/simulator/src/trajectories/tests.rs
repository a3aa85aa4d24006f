//! Planned trajectories compared with simulation link by link.

use cubefold_mapping::{EmbeddingKind, Guest, Hypercube, Placement, PlacementTable};
use cubefold_topology::{Machine, MachineKind, NodeId, Wrap};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{
    Cycles, MessageSizes,
    engine::{self, StartTimes, TransportKind},
};

/// A random line with a random program.
#[derive(Debug)]
struct RandomLine {
    placement: Placement,
    program: CubeProgram,
    communication: Communication,
    begins: Vec<Cycle>,
}

impl RandomLine {
    fn new(seed: u64) -> Self {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let cube = Hypercube::new(random.random_range(1..7)).unwrap();
        let placement = placement(cube, random);
        let program = program(cube, random);
        let tie = TieRule::ALL[random.random_range(0..TieRule::ALL.len())];
        let hop = Cycles::new(if random.random_ratio(1, 4) { random.random_range(2..4) } else { 1 });
        let latency = if random.random() { 0 } else { random.random_range(0..8) };
        let communication =
            Communication::new(LinkMode::FullDuplex, hop, tie).unwrap().with_latency(Cycles::new(latency));
        let latest = [0, 0, 3, 50][random.random_range(0..4)];
        let begins = (0..cube.process_count()).map(|_| Cycle::new(random.random_range(0..=latest))).collect();
        Self { placement, program, communication, begins }
    }

    /// Compares the planned run with simulation link by link. Returns the longest queue.
    fn check(&self, seed: u64) -> u32 {
        let line = PlannedLine::new(&self.program, &self.placement, self.communication).unwrap();
        // Short plans have few segments.
        let line =
            PlannedLine { planned_segments: [1, 2, 3, 16][usize::try_from(seed % 4).unwrap()], ..line };
        let (mut planned, mut by_links) = (vec![], vec![]);
        let longest = line.run(&self.begins, &mut planned).unwrap();
        let starts = StartTimes::Each(&self.begins);
        let traffic = engine::run(
            &self.program,
            &self.placement,
            self.communication,
            TransportKind::Packets,
            starts,
            &mut by_links,
        )
        .unwrap();
        for records in [&mut planned, &mut by_links] {
            records.sort_unstable_by_key(|record: &StageRecord| (record.stage, record.process));
        }
        assert_eq!(planned, by_links, "seed {seed}: {self:?}");
        assert_eq!(Some(longest), traffic.longest_queue, "seed {seed}: {self:?}");
        longest
    }
}

/// Places the processes of a cube on a ring or an open line with the same number of nodes.
fn placement(cube: Hypercube, random: &mut ChaCha8Rng) -> Placement {
    let wrap = if random.random_ratio(2, 3) { Wrap::Around } else { Wrap::Open };
    let machine = Machine::with_wraps(MachineKind::Torus, &[cube.process_count()], &[wrap]).unwrap();
    let kinds = [EmbeddingKind::Byweight, EmbeddingKind::Gray, EmbeddingKind::Standard, EmbeddingKind::Xor];
    match random.random_range(0..5) {
        4 => {
            let mut nodes: Vec<NodeId> = machine.nodes().collect();
            nodes.shuffle(random);
            Placement::Table(PlacementTable::new(&machine, nodes).unwrap())
        }
        kind => Placement::embed(kinds[kind], cube, &machine).unwrap(),
    }
}

/// Stages of random dimensions, with halving or mixed sizes.
fn program(cube: Hypercube, random: &mut ChaCha8Rng) -> CubeProgram {
    let dimensions = CubeProgram::ascend(cube);
    let count = random.random_range(1..9);
    let stages = if random.random() {
        dimensions
    } else {
        (0..count).map(|_| dimensions[random.random_range(0..dimensions.len())]).collect()
    };
    let greatest = [1, 2, 3, 8, 40][random.random_range(0..5)];
    let units = if random.random_ratio(1, 4) {
        (0..stages.len()).map(|stage| 1 << (stages.len() - stage)).collect()
    } else {
        stages.iter().map(|_| random.random_range(1..=greatest)).collect()
    };
    let compute = if random.random_ratio(1, 3) { 0 } else { random.random_range(0..12) };
    let sizes = MessageSizes::by_stage(units).unwrap();
    CubeProgram::new(cube, stages, Cycles::new(compute)).unwrap().with_sizes(sizes)
}

/// Compares random lines, and returns how many of them had queues.
fn check_lines(seeds: std::ops::Range<u64>) -> usize {
    seeds.map(|seed| RandomLine::new(seed).check(seed)).filter(|&longest| longest > 0).count()
}

#[test]
fn planned_trajectories_are_those_link_by_link() {
    let lines_with_queues = check_lines(0..8000);
    assert!(lines_with_queues > 3000, "{lines_with_queues}");
}

#[test]
#[ignore = "takes a minute"]
fn planned_trajectories_of_many_lines_are_those_link_by_link() {
    let lines_with_queues = check_lines(8000..40_000);
    assert!(lines_with_queues > 12_000, "{lines_with_queues}");
}
