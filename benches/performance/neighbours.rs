//! Where the neighbours of processes are that are asked for in no order.

use std::hint::black_box;

use cubefold::mapping::{CubeDimension, ProcessId, ProductPlacement};

/// What is asked for.
#[derive(Debug)]
pub(super) struct Questions(Vec<(ProcessId, CubeDimension)>);

impl Questions {
    /// The same ones always: few enough for the memory near the processor, so that the answers are measured.
    const COUNT: u64 = 1 << 14;
    /// How often each is asked.
    const ROUNDS: u64 = 1 << 8;
    /// How many answers there are.
    pub(super) const ASKED: u64 = Self::COUNT * Self::ROUNDS;

    /// Multiples of an odd number: every process as often, in no order that a cache could know.
    pub(super) fn new(placement: &ProductPlacement) -> Self {
        let cube = placement.cube();
        let dimensions = u64::from(cube.dimension_count());
        let question = |question: u64| {
            let process = question.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - dimensions);
            let process = u32::try_from(process).expect("labels of 32 bits");
            (ProcessId::new(process), cube.dimension(question % dimensions).expect("a dimension"))
        };
        Self((0..Self::COUNT).map(question).collect())
    }

    /// The sum of the nodes of all answers.
    pub(super) fn ask(&self, placement: &ProductPlacement) -> u64 {
        let ask = |&(process, dimension)| u64::from(placement.neighbour_node(process, dimension).index());
        (0..Self::ROUNDS).map(|_| black_box(&self.0).iter().map(ask).sum::<u64>()).sum()
    }

    /// That the process on every answer is the neighbour.
    pub(super) fn check(&self, placement: &ProductPlacement) {
        for &(process, dimension) in &self.0 {
            let neighbour = placement.process(placement.neighbour_node(process, dimension));
            assert_eq!(neighbour, placement.cube().neighbour(process, dimension));
        }
    }
}
