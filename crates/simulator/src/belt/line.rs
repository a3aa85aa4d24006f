//! Lines run separately: the segments of a program on a product placement, and runs of one segment on one
//! line.
//!
//! Messages of stages that use one field of the labels stay on lines of one dimension. The lines share no channel
//! and can be run separately, one for all ([`line_classes`](super::line_classes)).

use std::ops::Range;

use cubefold_mapping::{CubeDimension, Placement, ProcessId, ProductPlacement};
use cubefold_topology::LinkMode;

use super::{
    event_loop,
    line_routes::LineRoutes,
    stages::{ContentionFreeStages, Segment},
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
    /// The rules for messages of one unit if all messages take the times of such.
    pub(super) communication: Communication,
    /// Whether there are no such rules.
    pub(super) has_sizes: bool,
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
    let compute = program.facts().compute.get();
    let segment = |(field, stages): (usize, Range<usize>)| {
        let first = stages.start;
        Segment { field, bits: program.stages()[stages].iter().map(bit).collect(), first, compute }
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

impl LineProblem<'_> {
    /// Runs a segment on a line of its dimension. `finishes` are the cycles at which processes begin, and afterwards
    /// those at which they finish. Returns the longest queue after the arbitration of a cycle \[messages\].
    ///
    /// # Errors
    ///
    /// The first process that did not finish: a defect of the engine.
    pub(super) fn run_line(
        &self,
        segment: &Segment,
        line: &ProductPlacement,
        finishes: &mut [u64],
        observer: &mut dyn Observer,
    ) -> Result<u32, ProcessId> {
        let nodes = ProcessId::first(finishes.len() as u64).map(|process| line.node(process).index());
        let extent = line.machine().axes()[0].extent();
        let routes = LineRoutes::new(extent, self.communication.tie(), nodes.collect());
        let done = match (self.bulk, self.stored_hops(segment)) {
            (BulkStages::Yes, Some(hops)) => {
                ContentionFreeStages::new(&routes, segment, hops).run(finishes, observer)
            }
            (BulkStages::Yes | BulkStages::No, _) => 0,
        };
        if done == segment.bits.len() {
            Ok(0)
        } else if self.has_slots() {
            Ok(event_loop::run(&routes, segment, done, finishes, observer))
        } else {
            self.run_messages(segment, done, line, finishes, observer)
        }
    }

    /// Whether lines are conveyor belts of slots: links take one cycle, and opposite messages do not meet.
    pub(super) fn has_slots(&self) -> bool {
        let communication = self.communication;
        !self.has_sizes && communication.links() == LinkMode::FullDuplex && communication.hop().get() == 1
    }

    /// For each stage the time of its messages over a link, if messages of one stage can be computed as a
    /// whole.
    pub(super) fn stored_hops(&self, segment: &Segment) -> Option<Vec<u64>> {
        if self.communication.links() != LinkMode::FullDuplex {
            return None;
        }
        let hop = |stage| self.communication.stored_hop(self.units(stage)).map(Cycles::get);
        segment.stages().map(hop).collect()
    }

    /// The size of the messages of a stage under the rules of the run.
    fn units(&self, stage: usize) -> u64 {
        if self.has_sizes { self.program.max_units(stage) } else { 1 }
    }

    /// The stages of a segment after its first `done`, fewer than all, as a program on the cube of its field.
    #[expect(clippy::expect_used, reason = "stages are left, and the bits are those of the field")]
    pub(super) fn program_of(&self, segment: &Segment, done: usize, line: &ProductPlacement) -> CubeProgram {
        let cube = line.cube();
        let dimension = |bit: &u32| -> CubeDimension {
            cube.dimension(bit.trailing_zeros().into()).expect("a bit of the field")
        };
        let stages = segment.bits[done..].iter().map(dimension).collect();
        let units = segment.stages().skip(done).map(|stage| self.units(stage)).collect();
        let sizes = MessageSizes::by_stage(units).expect("at least one stage");
        let compute = self.program.facts().compute;
        CubeProgram::new(cube, stages, compute).expect("at least one stage").with_sizes(sizes)
    }

    /// Runs the stages after the first `done` by the trajectories of messages if the rules allow it, else link by
    /// link.
    fn run_messages(
        &self,
        segment: &Segment,
        done: usize,
        line: &ProductPlacement,
        finishes: &mut [u64],
        observer: &mut dyn Observer,
    ) -> Result<u32, ProcessId> {
        let (program, placement) = (&self.program_of(segment, done, line), &Placement::Product(line.clone()));
        let begins: Vec<Cycle> = finishes.iter().map(|&begin| Cycle::new(begin)).collect();
        let first_stage = segment.first + done;
        let mut observer = SegmentObserver { first_stage, finishes, observer };
        if let Some(line) = PlannedLine::new(program, placement, self.communication) {
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
    use cubefold_mapping::{EmbeddingKind, Hypercube};
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
        let parts: Vec<_> =
            segments.iter().map(|segment| (segment.field, segment.stages(), segment.bits.clone())).collect();
        assert_eq!(parts, [(0, 0..2, vec![2, 1]), (1, 2..4, vec![1, 4]), (0, 4..5, vec![2])]);
        assert!(revisits_field(&segments));
        assert!(!revisits_field(&segments_of(&[0, 0, 1, 3, 2])));
    }
}
