//! Every line by itself, several at a time.
//!
//! Lines of a segment share nothing, so that they may run in any order and at once. The processes of a
//! dimension's line lie far apart in the order of labels: they are gathered a few lines at a time, as many as
//! share the memory that is fetched together, and go back the same way.

use cubefold_mapping::{ProcessId, ProductPlacement};
use rayon::prelude::*;

use super::{
    line_classes::{KeepLines, LineError, LineProblem},
    line_run::{LineRun, LineSetting},
    segments::{Segment, segments},
    tallies::Tallies,
};
use crate::{Cycle, Observer, Program, StageRecord, Summary, observe::accounts::Accounts};

/// How many lines are gathered together: eight words of a cache line, twice.
const LINES_TOGETHER: usize = 16;

impl LineProblem<'_> {
    /// Runs all lines of every segment, and returns what they came to.
    ///
    /// Only for programs that [one line a segment](Self::run_classes) can tell: there no field comes back
    /// too early.
    ///
    /// # Errors
    ///
    /// When a process does not finish or has times that do not add up.
    pub(super) fn run_each(&self, keep: KeepLines) -> Result<LineSums, LineError> {
        let program = self.program;
        let lines = self.placement.lines();
        let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
        let mut times = Times { by_label: vec![0; processes], by_line: vec![0; processes] };
        let mut sums = self.no_sums();
        for segment in segments(program, self.placement) {
            let line = &lines[segment.field];
            let stride =
                lines[..segment.field].iter().map(|line| line.machine().node_count()).product::<u64>();
            let stride = usize::try_from(stride).unwrap_or(usize::MAX);
            let of_segment = SegmentLines { segment: &segment, stride, keep };
            sums = sums.and(self.run_lines(&of_segment, line, &mut times)?);
        }
        for &finish in &times.by_label {
            sums.summary.add_finish(Cycle::new(finish), 1);
        }
        Ok(sums)
    }

    fn run_lines(
        &self,
        lines: &SegmentLines<'_>,
        line: &ProductPlacement,
        times: &mut Times,
    ) -> Result<LineSums, LineError> {
        let setting = LineSetting::new(self.program, line, lines.segment, self.communication, self.bulk);
        let (stride, length) = (lines.stride, setting.processes());
        let Times { by_label, by_line } = times;
        let together = LINES_TOGETHER.min(by_label.len() / length);
        let parts = by_line.par_chunks_mut(together * length).enumerate().try_fold(
            || Worker::new(self, lines, &setting),
            |mut worker, (part, times)| {
                gather(by_label, stride, length, part * together, times);
                worker.run(part * together, times, length)?;
                Ok(worker)
            },
        );
        let sums = parts.map(|worker| worker.map(Worker::finish));
        let sums = sums.try_reduce(|| self.no_sums(), |one, other| Ok(one.and(other)))?;
        scatter(by_line, stride, length, by_label);
        Ok(sums)
    }

    fn no_sums(&self) -> LineSums {
        let program = self.program;
        let summary = Summary::new(program.process_count(), program.stage_count(), program.compute());
        LineSums { summary, longest_queue: 0, records: vec![] }
    }
}

/// What lines came to.
#[derive(Debug)]
pub(super) struct LineSums {
    pub(super) summary: Summary,
    pub(super) longest_queue: u32,
    /// The records of all processes, where they were to be kept.
    pub(super) records: Vec<StageRecord>,
}

impl LineSums {
    /// Of these lines and others.
    fn and(mut self, other: Self) -> Self {
        self.summary.add(&other.summary);
        self.longest_queue = self.longest_queue.max(other.longest_queue);
        self.records.extend(other.records);
        self
    }
}

/// The lines of a segment.
struct SegmentLines<'run> {
    segment: &'run Segment,
    stride: usize, // the difference between the labels of neighbours on a line
    keep: KeepLines,
}

/// When each process finished its last stage.
struct Times {
    by_label: Vec<u64>,
    by_line: Vec<u64>, // line by line of the dimension at hand
}

/// Runs lines, one after another.
struct Worker<'run> {
    run: LineRun<'run>,
    accounts: Accounts,
    tallies: Tallies,
    sums: LineSums,
    lines: &'run SegmentLines<'run>,
}

impl<'run> Worker<'run> {
    fn new(problem: &LineProblem<'_>, lines: &'run SegmentLines<'run>, setting: &'run LineSetting) -> Self {
        let accounts = Accounts::new([], problem.program.compute(), lines.segment.stages.end - 1);
        let tallies = Tallies::new(lines.segment.stages.start, lines.segment.stage_count());
        Self { run: setting.start(), accounts, tallies, sums: problem.no_sums(), lines }
    }

    /// Runs lines of `length` processes each, from `first` on, which begin at `times` and finish at what is
    /// left there.
    fn run(&mut self, first: usize, times: &mut [u64], length: usize) -> Result<(), LineError> {
        for (line, times) in (first..).zip(times.chunks_exact_mut(length)) {
            self.accounts.begin_again(times.iter().map(|&begin| Cycle::new(begin)));
            let mut observer = LineObserver {
                sums: &mut self.sums,
                accounts: &mut self.accounts,
                tallies: &mut self.tallies,
                first_label: first_label(line, self.lines.stride, length),
                lines: self.lines,
            };
            self.run.run(times, &mut observer).map_err(LineError::Unfinished)?;
            self.accounts.check().map_err(LineError::Imbalance)?;
        }
        Ok(())
    }

    fn finish(mut self) -> LineSums {
        self.tallies.add_to(&mut self.sums.summary);
        LineSums { longest_queue: self.run.longest_queue(), ..self.sums }
    }
}

/// Counts what happens on a line.
struct LineObserver<'worker> {
    sums: &'worker mut LineSums,
    accounts: &'worker mut Accounts,
    tallies: &'worker mut Tallies,
    first_label: usize,
    lines: &'worker SegmentLines<'worker>,
}

impl Observer for LineObserver<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.tallies.add(record, &mut self.sums.summary);
        self.accounts.stage_finished(record);
        if self.lines.keep == KeepLines::Yes {
            let label = self.first_label + record.process.label() as usize * self.lines.stride;
            let process = ProcessId::new(u32::try_from(label).unwrap_or(u32::MAX));
            self.sums.records.push(StageRecord { process, ..*record });
        }
    }
}

/// The label of the first process of a line.
fn first_label(line: usize, stride: usize, length: usize) -> usize {
    line / stride * stride * length + line % stride
}

/// Fetches the times of lines one after another, from `first` on, out of those by label.
fn gather(by_label: &[u64], stride: usize, length: usize, first: usize, lines: &mut [u64]) {
    let count = lines.len() / length;
    for value in 0..length {
        for line in 0..count {
            let label = first_label(first + line, stride, length) + value * stride;
            lines[line * length + value] = by_label[label];
        }
    }
}

/// Brings the times of all lines back to the order of labels.
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
