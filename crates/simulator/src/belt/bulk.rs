//! Whole stages at once, where nobody can be in anybody's way.

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{layout::Layout, stages::Stages};
use crate::{Cycle, Cycles, Observer, StageRecord};

/// Goes through stages at once as long as it can be seen beforehand that nothing is blocked in them.
///
/// Messages that set out together from different nodes and never turn cannot meet. If all of them arrive
/// before any message of the next stage can set out, the stage is over without a blocked cycle: a process
/// finishes when the later partner is ready, and `T_c` a link later.
#[derive(Debug)]
pub(super) struct Bulk<'run> {
    layout: &'run Layout,
    stages: &'run Stages,
    nodes: &'run [NodeId],
    ends: Vec<u64>, // by process, of the stage that is tried
}

/// When the messages of a stage set out and arrive.
#[derive(Debug, Clone, Copy)]
struct Window {
    first_start: u64,
    last_start: u64,
    last_end: u64,
}

impl<'run> Bulk<'run> {
    /// For runs of processes on these nodes.
    pub(super) fn new(layout: &'run Layout, stages: &'run Stages, nodes: &'run [NodeId]) -> Self {
        Self { layout, stages, nodes, ends: vec![0; nodes.len()] }
    }

    /// Goes through stages from the first on, given when each process begins, as far as that is possible;
    /// returns how many. `finishes` then says when each process finished the last of them.
    pub(super) fn run<O: Observer>(&mut self, finishes: &mut [u64], observer: &mut O) -> usize {
        for (stage, &bit) in self.stages.bits.iter().enumerate() {
            let next = self.stages.bits.get(stage + 1);
            match self.fly(bit, finishes) {
                Some(window) if window.is_undisturbed(self.next_start(next)) => {}
                _ => return stage,
            }
            self.report(stage, bit, finishes, observer);
            finishes.copy_from_slice(&self.ends);
        }
        self.stages.count()
    }

    /// When everybody's message would arrive if nothing is in its way; none when one has to turn.
    fn fly(&mut self, bit: u32, finishes: &[u64]) -> Option<Window> {
        let mut window = Window { first_start: u64::MAX, last_start: 0, last_end: 0 };
        for (low, high) in pairs(bit, finishes.len()) {
            let start = finishes[low].max(finishes[high]) + self.stages.compute;
            let hops = self.layout.straight(self.nodes[low], self.nodes[high])?;
            let end = start + self.stages.hop * u64::from(hops);
            window.first_start = window.first_start.min(start);
            window.last_start = window.last_start.max(start);
            window.last_end = window.last_end.max(end);
            (self.ends[low], self.ends[high]) = (end, end);
        }
        Some(window)
    }

    /// The first cycle at which a message of the next stage, if there is one, can set out.
    fn next_start(&self, next: Option<&u32>) -> u64 {
        let Some(&bit) = next else { return u64::MAX };
        let meetings = pairs(bit, self.ends.len()).map(|(low, high)| self.ends[low].max(self.ends[high]));
        meetings.min().unwrap_or(u64::MAX).saturating_add(self.stages.compute)
    }

    fn report<O: Observer>(&self, stage: usize, bit: u32, finishes: &[u64], observer: &mut O) {
        for (low, high) in pairs(bit, finishes.len()) {
            let start = finishes[low].max(finishes[high]) + self.stages.compute;
            for process in [low, high] {
                let finish = self.ends[process];
                #[expect(clippy::cast_possible_truncation, reason = "labels have at most 32 bits")]
                let label = process as u32;
                observer.stage_finished(&StageRecord {
                    process: ProcessId::new(label),
                    stage: self.stages.first + stage,
                    sharing: Cycles::ZERO,
                    ready: Cycle::new(finishes[process] + self.stages.compute),
                    start: Cycle::new(start),
                    finish: Cycle::new(finish),
                    transfer: Cycles::new(finish - start),
                    idle: Cycles::ZERO,
                });
            }
        }
    }
}

impl Window {
    /// Whether no message of the stage meets another one of it, or one of the next stage.
    fn is_undisturbed(&self, next_start: u64) -> bool {
        self.first_start == self.last_start && self.last_end <= next_start
    }
}

/// The pairs of labels that differ in one bit, the lower first.
fn pairs(bit: u32, count: usize) -> impl Iterator<Item = (usize, usize)> {
    let bit = bit as usize;
    let blocks = (0..count).step_by(2 * bit);
    blocks.flat_map(move |block| (block..block + bit).map(move |low| (low, low + bit)))
}
