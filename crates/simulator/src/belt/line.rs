//! Lines run separately: the segments of a program on a product placement, and runs of one segment on one
//! line.
//!
//! Messages of stages that use one field of the labels stay on lines of one dimension. The lines share no channel
//! and can be run separately, one for all ([`line_classes`](super::line_classes)).

use std::ops::Range;

use cubefold_mapping::{CubeDimension, Hypercube, Placement, ProcessId, ProductPlacement};
use cubefold_topology::LinkMode;

use super::{
    event_loop::{BeltInput, BeltSimulator},
    route_table::ChannelMap,
    stages::{ContentionFreeStages, StageSequence},
};
use crate::{
    BulkStages, Communication, CubeProgram, Cycle, Cycles, ImbalanceError, MessageSizes, Observer, Program,
    SerialMessages, StageRecord,
    engine::{self, StartTimes, TransportKind},
    trajectories::PlannedLine,
};

/// A program on a product placement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineProblem<'run> {
    pub(super) program: &'run CubeProgram,
    pub(super) placement: &'run ProductPlacement,
    pub(super) communication: Communication,
    /// The time of a message over a link, at least 1, if all messages have the same.
    pub(super) hop: Option<Cycles>,
    pub(super) bulk: BulkStages,
}

/// Whether the records of lines are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeepRecords {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// The reason why a run cannot be composed of runs of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineError {
    /// Stages revisit a field while messages of its last segment may still be in transit.
    Overlap,
    /// A process did not finish: a defect of the engine.
    Unfinished(ProcessId),
    /// The times of a process do not add up: a defect of the engine.
    Imbalance(ImbalanceError),
}

/// Successive stages that use one field of the labels: their messages stay on lines of one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// The index of the field, and of the dimension.
    pub(super) field: usize,
    /// Its stages.
    pub(super) stages: Range<usize>,
    /// For each stage the bit of the field's value in which partners differ.
    pub(super) bits: Vec<u32>,
}

impl Segment {
    /// The number of its stages.
    pub(super) fn stage_count(&self) -> usize {
        self.bits.len()
    }

    /// Its part of a program on the cube of the field, without its first `done` stages, fewer than all.
    #[expect(clippy::expect_used, reason = "stages are left, and the bits are those of the field")]
    fn program_after(&self, done: usize, program: &CubeProgram, cube: Hypercube) -> CubeProgram {
        let dimension = |bit: &u32| -> CubeDimension {
            cube.dimension(bit.trailing_zeros().into()).expect("a bit of the field")
        };
        let stages = self.bits[done..].iter().map(dimension).collect();
        let units = self.stages.clone().skip(done).map(|stage| program.max_units(stage)).collect();
        let sizes = MessageSizes::by_stage(units).expect("at least one stage");
        CubeProgram::new(cube, stages, program.facts().compute).expect("at least one stage").with_sizes(sizes)
    }

    /// Its part of a program on the cube of the field.
    pub(super) fn program(&self, program: &CubeProgram, cube: Hypercube) -> CubeProgram {
        self.program_after(0, program, cube)
    }
}

/// Divides the stages of `program` before each change of the field; each part is paired with its field.
fn stages_by_field(
    program: &CubeProgram,
    placement: &ProductPlacement,
) -> impl Iterator<Item = (usize, Range<usize>)> {
    let field = |dimension: &CubeDimension| placement.field_of(*dimension).0;
    let mut first = 0;
    program.stages().chunk_by(move |one, next| field(one) == field(next)).map(move |stages| {
        let part = first..first + stages.len();
        first = part.end;
        (field(&stages[0]), part)
    })
}

/// Divides the stages of `program` into segments, each as long as possible.
pub(super) fn segments(program: &CubeProgram, placement: &ProductPlacement) -> Vec<Segment> {
    let bit = |&dimension: &CubeDimension| placement.field_of(dimension).1;
    let segment = |(field, stages): (usize, Range<usize>)| {
        let bits = program.stages()[stages.clone()].iter().map(bit).collect();
        Segment { field, stages, bits }
    };
    stages_by_field(program, placement).map(segment).collect()
}

/// Whether one of these fields of a placement, which has at most 32, occurs more than once.
fn has_repetition(fields: impl Iterator<Item = usize>) -> bool {
    let mut seen = 0_u32;
    fields.map(|field| 1 << field).any(|field| {
        let again = seen & field != 0;
        seen |= field;
        again
    })
}

/// Whether a field has more than one segment.
pub(super) fn revisits_field(segments: &[Segment]) -> bool {
    has_repetition(segments.iter().map(|segment| segment.field))
}

/// The messages of one line of each segment, for which its processes may have to wait one after another;
/// `None` if lines cannot be considered separately.
pub(crate) fn serial_messages(
    program: &CubeProgram,
    placement: &ProductPlacement,
) -> Option<Vec<SerialMessages>> {
    if has_repetition(stages_by_field(program, placement).map(|(field, _)| field)) {
        return None;
    }
    let mut messages = vec![];
    for (field, stages) in stages_by_field(program, placement) {
        let line = placement.machine().axes()[field].extent(); // one process per node
        let of_stages = |units, stages: usize| SerialMessages {
            units,
            count: u128::from(line.length()) * stages as u128,
            links: line.diameter(),
        };
        match program.facts().uniform_units {
            Some(units) => messages.push(of_stages(units, stages.len())),
            None => messages.extend(stages.map(|stage| of_stages(program.max_units(stage), 1))),
        }
    }
    Some(messages)
}

/// The input that the runs of a segment on all lines of its dimension share.
#[derive(Debug)]
pub(super) struct LineInput<'run> {
    belt: BeltInput, // of the processes of the line, by value of the field
    hop_by_hop: Option<HopByHopLine<'run>>,
}

/// A line that is run hop by hop: its links are half-duplex, so that opposite messages meet anywhere on their
/// routes, or its messages have sizes, so that messages can meet anywhere.
#[derive(Debug)]
struct HopByHopLine<'run> {
    program: &'run CubeProgram,
    segment: &'run Segment,
    cube: Hypercube, // of the field
    placement: Placement,
    communication: Communication,
    has_sizes: bool,
}

impl<'run> LineInput<'run> {
    /// A segment of a program on lines like `line`.
    pub(super) fn new(problem: &LineProblem<'run>, line: &ProductPlacement, segment: &'run Segment) -> Self {
        let &LineProblem { program, communication, hop, bulk, .. } = problem;
        let placement = Placement::Product(line.clone());
        let nodes = placement.nodes();
        let is_hop_by_hop = hop.is_none() || communication.links() == LinkMode::HalfDuplex;
        let hop_by_hop = is_hop_by_hop.then(|| HopByHopLine {
            program,
            segment,
            cube: line.cube(),
            placement,
            communication,
            has_sizes: hop.is_none(),
        });
        let stages = StageSequence {
            bits: segment.bits.clone(),
            first: segment.stages.start,
            compute: program.facts().compute.get(),
            hop: hop.unwrap_or(communication.hop()).get(),
        };
        let channels = ChannelMap::new(line.machine(), communication.tie());
        Self { belt: BeltInput::new(channels, stages, nodes, bulk), hop_by_hop }
    }

    /// Makes a simulator for successive lines.
    pub(super) fn simulator(&self) -> LineSimulator<'_> {
        let hops = self.hop_by_hop.as_ref().and_then(HopByHopLine::stored_hops);
        let contention_free = hops.and_then(|hops| self.belt.contention_free(hops));
        LineSimulator { input: self, belt: self.belt.simulator(), contention_free, longest_queue: 0 }
    }
}

/// Runs a segment on one line after another.
pub(super) struct LineSimulator<'run> {
    input: &'run LineInput<'run>,
    belt: BeltSimulator<'run>,
    contention_free: Option<ContentionFreeStages<'run>>, // of a line that is run hop by hop
    longest_queue: u32,
}

impl LineSimulator<'_> {
    /// Runs a line. `finishes` are the cycles at which its processes begin, and afterwards those at which
    /// they finish.
    ///
    /// # Errors
    ///
    /// The first process that did not finish: a defect of the engine.
    pub(super) fn run(&mut self, finishes: &mut [u64], observer: &mut dyn Observer) -> Result<(), ProcessId> {
        let longest_queue = match &self.input.hop_by_hop {
            None => self.belt.run(finishes, observer),
            Some(line) => {
                let stages = self.contention_free.as_mut();
                let done = stages.map_or(0, |stages| stages.run(finishes, observer));
                line.run_after(done, finishes, observer)?
            }
        };
        self.longest_queue = self.longest_queue.max(longest_queue);
        Ok(())
    }

    /// The longest queue after the arbitration of a cycle, over all lines so far \[messages\].
    pub(super) fn longest_queue(&self) -> u32 {
        self.longest_queue
    }
}

impl HopByHopLine<'_> {
    /// For each stage the time of its messages over a link, if messages of one stage can be computed as a
    /// whole.
    fn stored_hops(&self) -> Option<Vec<u64>> {
        if self.communication.links() != LinkMode::FullDuplex {
            return None;
        }
        let hop = |stage| self.communication.stored_hop(self.program.max_units(stage)).map(Cycles::get);
        self.segment.stages.clone().map(hop).collect()
    }

    /// Runs the stages after the first `done`. Returns the longest queue after the arbitration of a cycle
    /// \[messages\].
    fn run_after(
        &self,
        done: usize,
        finishes: &mut [u64],
        observer: &mut dyn Observer,
    ) -> Result<u32, ProcessId> {
        if done == self.segment.stage_count() {
            return Ok(0);
        }
        let first_stage = self.segment.stages.start + done;
        let mut program = self.segment.program_after(done, self.program, self.cube);
        if !self.has_sizes {
            // These are the rules of one-unit messages of the same duration.
            program = program.with_sizes(MessageSizes::ONE_UNIT);
        }
        let program = &program;
        let begins: Vec<Cycle> = finishes.iter().map(|&begin| Cycle::new(begin)).collect();
        let mut observer = SegmentObserver { first_stage, finishes, observer };
        let placement = &self.placement;
        if self.has_sizes
            && let Some(line) = PlannedLine::new(program, placement, self.communication)
        {
            return line.run(&begins, &mut observer);
        }
        let begins = StartTimes::Each(&begins);
        let kind = TransportKind::of(program, placement.machine(), self.communication);
        let traffic = engine::run(program, placement, self.communication, kind, begins, &mut observer)?;
        Ok(traffic.longest_queue.unwrap_or(0))
    }
}

/// Reports stages by their numbers in the whole program, and keeps the cycles at which processes finish.
struct SegmentObserver<'run> {
    first_stage: usize,
    finishes: &'run mut [u64],
    observer: &'run mut dyn Observer,
}

impl Observer for SegmentObserver<'_> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.finishes[record.process.label() as usize] = record.finish.get();
        self.observer.stage_finished(&StageRecord { stage: self.first_stage + record.stage, ..*record });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::EmbeddingKind;
    use cubefold_topology::{Machine, MachineKind};

    fn segments_of(stages: &[u64]) -> Vec<Segment> {
        let machine = Machine::new(MachineKind::Torus, &[4, 8]).unwrap();
        let cube = Hypercube::new(5).unwrap();
        let placement = ProductPlacement::new(EmbeddingKind::Xor, cube, &machine).unwrap();
        let stages = stages.iter().map(|&stage| cube.dimension(stage).unwrap()).collect();
        segments(&CubeProgram::new(cube, stages, Cycles::ZERO).unwrap(), &placement)
    }

    #[test]
    fn successive_stages_of_one_field_are_a_segment() {
        let segments = segments_of(&[1, 0, 2, 4, 1]);
        let parts: Vec<_> = segments
            .iter()
            .map(|segment| (segment.field, segment.stages.clone(), segment.bits.clone()))
            .collect();
        assert_eq!(parts, [(0, 0..2, vec![2, 1]), (1, 2..4, vec![1, 4]), (0, 4..5, vec![2])]);
        assert!(revisits_field(&segments));
        assert!(!revisits_field(&segments_of(&[0, 0, 1, 3, 2])));
    }
}
