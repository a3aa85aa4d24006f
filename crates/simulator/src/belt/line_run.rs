//! Runs of one segment on lines of its dimension.

use cubefold_mapping::{Placement, ProcessId, ProductPlacement};
use cubefold_topology::LinkMode;

use super::{
    layout::Layout,
    run::{Run, Setting},
    segments::Segment,
    stages::Stages,
};
use crate::{
    BulkStages, Communication, CubeProgram, Cycle, Observer, Program, StageRecord,
    hop::{self, StartTimes},
};

/// A segment on a line: what the runs on all lines of the dimension have in common.
#[derive(Debug)]
pub(super) struct LineSetting {
    setting: Setting, // of the processes of the line, by value of the field
    hop_by_hop: Option<HopByHop>,
}

/// What links that serve one direction at a time need: there, opposing messages meet all along their ways,
/// and every hop has to be gone through.
#[derive(Debug, Clone)]
struct HopByHop {
    program: CubeProgram, // that of the segment, on the cube of the field
    placement: Placement,
    communication: Communication,
}

/// Runs on one line after another.
#[derive(Debug)]
pub(super) struct LineRun<'setting> {
    line: &'setting LineSetting,
    run: Run<'setting>,
    longest_queue: u32,
}

impl LineSetting {
    /// `segment` of `program` on lines like `line`, that of its field.
    pub(super) fn new(
        program: &CubeProgram,
        line: &ProductPlacement,
        segment: &Segment,
        communication: Communication,
        bulk: BulkStages,
    ) -> Self {
        let placement = Placement::Product(line.clone());
        let nodes = placement.nodes();
        let hop_by_hop = (communication.links() == LinkMode::HalfDuplex).then(|| HopByHop {
            program: segment.program(line.cube(), program.compute()),
            placement,
            communication,
        });
        let stages = Stages {
            bits: segment.bits.clone(),
            first: segment.stages.start,
            compute: program.compute().get(),
            hop: communication.hop().get(),
        };
        let layout = Layout::new(line.machine(), communication.tie());
        Self { setting: Setting::new(layout, stages, nodes, bulk), hop_by_hop }
    }

    /// The number of processes of a line.
    pub(super) fn processes(&self) -> usize {
        self.setting.nodes.len()
    }

    /// A run, to be used for one line after another.
    pub(super) fn start(&self) -> LineRun<'_> {
        LineRun { line: self, run: self.setting.start(), longest_queue: 0 }
    }
}

impl LineRun<'_> {
    /// Runs the segment on a line, given when each of its processes begins; `finishes` then says when it
    /// finished.
    ///
    /// # Errors
    ///
    /// The first process that did not come to its end, which would be a defect of the engine.
    pub(super) fn run<O: Observer>(
        &mut self,
        finishes: &mut [u64],
        observer: &mut O,
    ) -> Result<(), ProcessId> {
        let longest_queue = match &self.line.hop_by_hop {
            None => {
                self.run.run(finishes, observer);
                self.run.longest_queue()
            }
            Some(line) => line.run(self.line.setting.stages.first, finishes, observer)?,
        };
        self.longest_queue = self.longest_queue.max(longest_queue);
        Ok(())
    }

    /// The most messages left in one queue after the picks of a cycle, over all lines so far.
    pub(super) fn longest_queue(&self) -> u32 {
        self.longest_queue
    }
}

impl HopByHop {
    fn run<O: Observer>(
        &self,
        first_stage: usize,
        finishes: &mut [u64],
        observer: &mut O,
    ) -> Result<u32, ProcessId> {
        let begins: Vec<Cycle> = finishes.iter().map(|&begin| Cycle::new(begin)).collect();
        let mut stages = StagesFrom { first: first_stage, finishes, observer };
        let (program, placement) = (&self.program, &self.placement);
        let begins = StartTimes::Each(&begins);
        let traffic = hop::run(program, placement, self.communication, begins, &mut stages)?;
        Ok(traffic.longest_queue.unwrap_or(0))
    }
}

/// Tells an observer of stages by their numbers in the whole program, and keeps when processes finish.
struct StagesFrom<'run, O> {
    first: usize,
    finishes: &'run mut [u64],
    observer: &'run mut O,
}

impl<O: Observer> Observer for StagesFrom<'_, O> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.finishes[record.process.label() as usize] = record.finish.get();
        self.observer.stage_finished(&StageRecord { stage: self.first + record.stage, ..*record });
    }
}
