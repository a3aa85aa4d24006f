//! Every line by itself, several in parallel.
//!
//! Lines of a segment share nothing, so that they may run in any order and in parallel. The processes of a
//! dimension's line lie far apart in the order of labels: their times are gathered a few lines at a time, as many as
//! share cache lines, and are scattered in the same way.

use cubefold_mapping::{ProcessId, ProductPlacement};
use rayon::prelude::*;

use super::{
    BeltOutcome,
    line::{KeepRecords, LineError, LineInput, LineProblem, LineSimulator, Segment, segments},
};
use crate::{Cycle, Cycles, Observer, Program, StageRecord, Summary, observe::accounts::Accounts};

/// The number of lines that are gathered together: the eight words of a cache line, twice.
const LINES_TOGETHER: usize = 16;

impl LineProblem<'_> {
    /// Runs all lines of every segment.
    ///
    /// Only for programs that [`run_classes`](Self::run_classes) can run: in these no field is revisited too early.
    ///
    /// # Errors
    ///
    /// When a process does not finish or has times that do not add up.
    pub(super) fn run_each(&self, keep: KeepRecords) -> Result<LineTotals, LineError> {
        let program = self.program;
        let lines = self.placement.lines();
        let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
        let mut times = FinishTimes { by_label: vec![0; processes], by_line: vec![0; processes] };
        let mut totals = self.no_totals();
        for segment in segments(program, self.placement) {
            let line = &lines[segment.field];
            let stride =
                lines[..segment.field].iter().map(|line| line.machine().node_count()).product::<u64>();
            let stride = usize::try_from(stride).unwrap_or(usize::MAX);
            let lines = SegmentLines { segment: &segment, stride, keep };
            totals = totals.and(self.run_lines(&lines, line, &mut times)?);
        }
        for &finish in &times.by_label {
            totals.outcome.summary.add_finish(Cycle::new(finish), 1);
        }
        Ok(totals)
    }

    fn run_lines(
        &self,
        lines: &SegmentLines<'_>,
        line: &ProductPlacement,
        times: &mut FinishTimes,
    ) -> Result<LineTotals, LineError> {
        let input = LineInput::new(self, line, lines.segment);
        let (stride, length) = (lines.stride, input.processes());
        let FinishTimes { by_label, by_line } = times;
        let together = LINES_TOGETHER.min(by_label.len() / length);
        let parts = by_line.par_chunks_mut(together * length).enumerate().try_fold(
            || LineWorker::new(self, lines, &input),
            |mut worker, (part, times)| {
                gather(by_label, stride, length, part * together, times);
                worker.run(part * together, times, length)?;
                Ok(worker)
            },
        );
        let totals = parts.map(|worker| worker.map(LineWorker::finish));
        let totals = totals.try_reduce(|| self.no_totals(), |one, other| Ok(one.and(other)))?;
        scatter(by_line, stride, length, by_label);
        Ok(totals)
    }

    fn no_totals(&self) -> LineTotals {
        let program = self.program;
        let summary = Summary::new(program.process_count(), program.stage_count(), program.compute());
        LineTotals { outcome: BeltOutcome { summary, longest_queue: 0 }, records: vec![] }
    }
}

/// The results of some lines.
#[derive(Debug)]
pub(super) struct LineTotals {
    pub(super) outcome: BeltOutcome,
    /// The records of all processes, if they are kept.
    pub(super) records: Vec<StageRecord>,
}

impl LineTotals {
    /// The results of these lines and others.
    fn and(mut self, other: Self) -> Self {
        self.outcome.summary.add(&other.outcome.summary);
        self.outcome.longest_queue = self.outcome.longest_queue.max(other.outcome.longest_queue);
        self.records.extend(other.records);
        self
    }
}

/// The lines of a segment.
struct SegmentLines<'run> {
    segment: &'run Segment,
    stride: usize, // the difference between the labels of neighbours on a line
    keep: KeepRecords,
}

/// The cycle at which each process finished its last stage.
struct FinishTimes {
    by_label: Vec<u64>,
    by_line: Vec<u64>, // line by line of the dimension at hand
}

/// Runs lines, one after another.
struct LineWorker<'run> {
    simulator: LineSimulator<'run, LineObserver<'run>>,
    observer: LineObserver<'run>,
}

impl<'run> LineWorker<'run> {
    fn new(problem: &LineProblem<'_>, lines: &'run SegmentLines<'run>, input: &'run LineInput) -> Self {
        let segment = lines.segment;
        let observer = LineObserver {
            totals: problem.no_totals(),
            accounts: Accounts::new([], problem.program.compute(), segment.stages.end - 1),
            counts: ShortTimeCounts::new(segment.stages.start, segment.stage_count()),
            first_label: 0,
            lines,
        };
        Self { simulator: input.simulator(), observer }
    }

    /// Runs lines of `length` processes each, from number `first` on; `times` are the cycles at which they begin, and
    /// then those at which they finish.
    fn run(&mut self, first: usize, times: &mut [u64], length: usize) -> Result<(), LineError> {
        let Self { simulator, observer } = self;
        for (line, times) in (first..).zip(times.chunks_exact_mut(length)) {
            observer.first_label = first_label(line, observer.lines.stride, length);
            observer.accounts.begin_again(times.iter().map(|&begin| Cycle::new(begin)));
            simulator.run(times, observer).map_err(LineError::Unfinished)?;
            observer.accounts.check().map_err(LineError::Imbalance)?;
        }
        Ok(())
    }

    fn finish(self) -> LineTotals {
        let LineObserver { mut totals, counts, .. } = self.observer;
        counts.add_to(&mut totals.outcome.summary);
        totals.outcome.longest_queue = self.simulator.longest_queue();
        totals
    }
}

/// Sums the records of lines.
struct LineObserver<'run> {
    totals: LineTotals,
    accounts: Accounts,
    counts: ShortTimeCounts,
    first_label: usize, // of the line at hand
    lines: &'run SegmentLines<'run>,
}

impl Observer for LineObserver<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.counts.add(record, &mut self.totals.outcome.summary);
        self.accounts.stage_finished(record);
        if self.lines.keep == KeepRecords::Yes {
            let label = self.first_label + record.process.label() as usize * self.lines.stride;
            let process = ProcessId::new(u32::try_from(label).unwrap_or(u32::MAX));
            self.totals.records.push(StageRecord { process, ..*record });
        }
    }
}

/// The label of the first process of a line.
fn first_label(line: usize, stride: usize, length: usize) -> usize {
    line / stride * stride * length + line % stride
}

/// Copies the times of lines, from number `first` on, from the order of labels.
fn gather(by_label: &[u64], stride: usize, length: usize, first: usize, lines: &mut [u64]) {
    let count = lines.len() / length;
    for value in 0..length {
        for line in 0..count {
            let label = first_label(first + line, stride, length) + value * stride;
            lines[line * length + value] = by_label[label];
        }
    }
}

/// Copies the times of all lines to the order of labels.
fn scatter(by_line: &[u64], stride: usize, length: usize, by_label: &mut [u64]) {
    let values = LINES_TOGETHER.min(length);
    by_label.par_chunks_mut(stride * values).enumerate().for_each(|(part, labels)| {
        let first_row = part * values;
        let (block, first_value) = (first_row / length, first_row % length);
        for low in 0..stride {
            let line = (block * stride + low) * length + first_value;
            for (value, time) in by_line[line..line + values].iter().enumerate() {
                labels[value * stride + low] = *time;
            }
        }
    });
}

/// For each stage of a segment the number of processes that waited, and were blocked, for each short time.
///
/// A summary does not relate waiting times to blocked times, so that they are counted apart, and zeros like all others.
#[derive(Debug)]
struct ShortTimeCounts {
    first: usize, // the number of the first stage
    stages: Vec<StageCounts>,
}

#[derive(Debug, Clone)]
struct StageCounts {
    waiting: [u64; ShortTimeCounts::SHORT],
    blocked: [u64; ShortTimeCounts::SHORT], // as many in all
    transfer: u64,                          // the sum
}

impl ShortTimeCounts {
    /// Times are short below this \[cycles\].
    const SHORT: usize = 512;
    /// Transfers are short below this \[cycles\]. At most 2^32 processes take part in a stage: the sum fits.
    const SHORT_TRANSFER: u64 = 1 << 32;

    /// Counts of 0 for so many stages from the first of a segment on.
    fn new(first: usize, stages: usize) -> Self {
        let none = StageCounts { waiting: [0; Self::SHORT], blocked: [0; Self::SHORT], transfer: 0 };
        Self { first, stages: vec![none; stages] }
    }

    /// Counts a stage of a process; one with long times is added to the summary at once.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn add(&mut self, record: &StageRecord, summary: &mut Summary) {
        let counts = &mut self.stages[record.stage - self.first];
        let transfer = record.transfer.get();
        let waiting = usize::try_from(record.waiting().get()).unwrap_or(usize::MAX);
        let blocked = usize::try_from(record.blocked().get()).unwrap_or(usize::MAX);
        let has_others = record.sharing > Cycles::ZERO || record.idle > Cycles::ZERO;
        if has_others || waiting.max(blocked) >= Self::SHORT || transfer >= Self::SHORT_TRANSFER {
            summary.add_stage(record, 1);
            return;
        }
        counts.waiting[waiting] += 1;
        counts.blocked[blocked] += 1;
        counts.transfer += transfer;
    }

    /// Adds all counts to a summary.
    fn add_to(&self, summary: &mut Summary) {
        for (stage, counts) in (self.first..).zip(&self.stages) {
            summary.add_counts(stage, times(&counts.waiting), times(&counts.blocked), counts.transfer);
        }
    }
}

/// The times that occurred, with the number of occurrences.
fn times(counts: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    (0..).zip(counts.iter().copied()).filter(|&(_, count)| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(stage: usize, waiting: u64, blocked: u64, transfer: u64, idle: u64) -> StageRecord {
        StageRecord {
            process: ProcessId::new(0),
            stage,
            sharing: Cycles::ZERO,
            ready: Cycle::START,
            start: Cycle::new(waiting),
            finish: Cycle::new(waiting + blocked + transfer),
            transfer: Cycles::new(transfer),
            overlapped: Cycles::ZERO,
            idle: Cycles::new(idle),
        }
    }

    #[test]
    fn counted_apart_sums_and_distributions_are_the_same() {
        let records = [
            stage(3, 0, 0, 5, 0),
            stage(3, 0, 7, 9, 0),
            stage(3, 511, 0, 1, 0),
            stage(3, 512, 0, 2, 0),
            stage(3, 0, 600, 3, 0),
            stage(4, 2, 1, (1 << 32) - 1, 0),
            stage(4, 2, 1, 1 << 32, 0),
            stage(4, 1, 4, 8, 6),
            stage(4, 1, 2, 8, 0),
        ];
        let summary = || Summary::new(5, 6, Cycles::new(10));
        let (mut one_by_one, mut counted) = (summary(), summary());
        let mut counts = ShortTimeCounts::new(3, 3);
        for record in &records {
            one_by_one.add_stage(record, 1);
            counts.add(record, &mut counted);
        }
        assert_ne!(counted.stages(), one_by_one.stages());
        counts.add_to(&mut counted);
        assert_eq!(counted.stages(), one_by_one.stages());
        let distributions =
            |of: &Summary| [of.waiting(), of.blocked()].map(|own| own.counts().collect::<Vec<_>>());
        assert_eq!(distributions(&counted), distributions(&one_by_one));
    }
}
