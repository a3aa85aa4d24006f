//! The stages of a run, and the computation of contention-free ones as a whole.

use std::ops::Range;

use cubefold_mapping::ProcessId;

use super::line_routes::LineRoutes;
use crate::{Observer, StageRecord};

/// Successive stages of a compute-and-communicate program that use one field of the labels: in each, every process
/// computes and exchanges one message with a partner. Their messages stay on lines of one dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) field: usize,   // the index of the field, and of the dimension
    pub(super) bits: Vec<u32>, // by stage, the bit of the field's value in which partners differ
    pub(super) first: usize,   // the number of the first stage in the program
    pub(super) compute: u64,   // `T_a` [cycles]
}

impl Segment {
    /// The numbers of its stages in the program.
    pub(super) fn stages(&self) -> Range<usize> {
        self.first..self.first + self.bits.len()
    }

    /// The partner of a process in a stage, counted from the first of these; `None` after the last.
    #[inline]
    pub(super) fn partner(&self, process: u32, stage: u32) -> Option<u32> {
        self.bits.get(stage as usize).map(|bit| process ^ bit)
    }
}

/// Stages computed as a whole, from the first on, while none of their messages can be blocked.
///
/// Messages of one size that are injected in the same cycle at different nodes, are stored whole before they
/// are forwarded, and move on one line cannot meet: each begins to cross a link at least one crossing after the one
/// before it. If all of them arrive before any message of the next stage can be injected, the stage has no
/// contention: a process finishes the time of a link times the distance after the later partner is ready.
/// Messages of the next stage may have another size.
#[derive(Debug)]
pub(super) struct ContentionFreeStages<'run> {
    routes: &'run LineRoutes,
    stages: &'run Segment,
    hops: Vec<u64>, // by stage, the time of a message over a link, at least 1 [cycles]
    ends: Vec<u64>, // by process, for the current stage
}

/// Times at which the messages of a stage are injected and arrive.
#[derive(Debug, Clone, Copy)]
struct StageWindow {
    first_start: u64,
    last_start: u64,
    last_end: u64,
}

impl<'run> ContentionFreeStages<'run> {
    /// For the processes of a line. `hops` gives for each stage the time of a message over a link, at least 1
    /// \[cycles\], which is also the longest occupancy of the link.
    pub(super) fn new(routes: &'run LineRoutes, stages: &'run Segment, hops: Vec<u64>) -> Self {
        Self { routes, stages, hops, ends: vec![0; routes.process_count()] }
    }

    /// Computes stages from the first on and returns their number. `finishes` are the cycles at which
    /// processes begin, and afterwards those at which they finish the last of these stages.
    pub(super) fn run(&mut self, finishes: &mut [u64], observer: &mut dyn Observer) -> usize {
        for (stage, &bit) in self.stages.bits.iter().enumerate() {
            let next = self.stages.bits.get(stage + 1);
            let window = self.compute_ends(bit, self.hops[stage], finishes);
            // Its messages may meet one another, or one of the next stage.
            if window.first_start != window.last_start || window.last_end > self.next_start(next) {
                return stage;
            }
            self.report(stage, bit, finishes, observer);
            finishes.copy_from_slice(&self.ends);
        }
        self.stages.bits.len()
    }

    /// Computes the arrivals of all messages without contention.
    fn compute_ends(&mut self, bit: u32, hop: u64, finishes: &[u64]) -> StageWindow {
        let mut window = StageWindow { first_start: u64::MAX, last_start: 0, last_end: 0 };
        for (low, high) in pairs(bit, finishes.len()) {
            let start = finishes[low].max(finishes[high]) + self.stages.compute;
            let end = start + hop * self.routes.distance(low, high);
            window.first_start = window.first_start.min(start);
            window.last_start = window.last_start.max(start);
            window.last_end = window.last_end.max(end);
            (self.ends[low], self.ends[high]) = (end, end);
        }
        window
    }

    /// The first cycle at which a message of the next stage can be injected; the maximum without a next
    /// stage.
    fn next_start(&self, next: Option<&u32>) -> u64 {
        let Some(&bit) = next else { return u64::MAX };
        let complete = pairs(bit, self.ends.len()).map(|(low, high)| self.ends[low].max(self.ends[high]));
        complete.min().unwrap_or(u64::MAX).saturating_add(self.stages.compute)
    }

    fn report(&self, stage: usize, bit: u32, finishes: &[u64], observer: &mut dyn Observer) {
        for (low, high) in pairs(bit, finishes.len()) {
            let start = finishes[low].max(finishes[high]) + self.stages.compute;
            for process in [low, high] {
                let finish = self.ends[process];
                let times = [finishes[process] + self.stages.compute, start, finish];
                #[expect(clippy::cast_possible_truncation, reason = "labels have at most 32 bits")]
                let label = process as u32;
                let (process, stage) = (ProcessId::new(label), self.stages.first + stage);
                observer.stage_finished(&StageRecord::plain(process, stage, times, finish - start));
            }
        }
    }
}

/// The pairs of labels that differ in one bit, the lower label first.
fn pairs(bit: u32, count: usize) -> impl Iterator<Item = (usize, usize)> {
    let bit = bit as usize;
    let blocks = (0..count).step_by(2 * bit);
    blocks.flat_map(move |block| (block..block + bit).map(move |low| (low, low + bit)))
}
