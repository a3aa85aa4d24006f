//! One line for all lines of its dimension.
//!
//! What happens on a line depends only on differences of times, on stages, and on the order of its processes.
//! On a product placement all lines of a dimension have the same processes in the same order, up to the other
//! fields of their labels. At first all processes begin together. So the lines of the first segment all do the
//! same, and a process finishes it at `F_1(v_1)`; then every line of the second begins with all its processes
//! together, and finishes at `F_1(v_1) + F_2(v_2)`; and so on: times are sums of what the fields contribute,
//! contention included, and one line a segment tells them all (`docs/model.md` section 8).
//!
//! When a field comes back, its lines must be quiet before they are used again, which is checked.

use cubefold_mapping::{ProcessId, ProductPlacement};

use super::{
    line_run::LineSetting,
    segments::{Segment, comes_back, segments},
    shares::Shares,
};
use crate::{
    BulkStages, Communication, CubeProgram, Cycle, ImbalanceError, Observer, Program, StageRecord, Summary,
    observe::accounts::Accounts,
};

/// What all lines came to.
#[derive(Debug)]
pub(super) struct LineClasses {
    pub(super) summary: Summary,
    pub(super) longest_queue: u32,
    /// Segment by segment the records of one line, where they were to be kept.
    pub(super) segments: Vec<SegmentRecords>,
}

/// The records of one segment, for the processes of the line that stands for all.
#[derive(Debug)]
pub(super) struct SegmentRecords {
    /// The place of its field.
    pub(super) field: usize,
    /// For each field, by value, its share of the time at which the segment begins.
    pub(super) begins: Vec<Vec<u64>>,
    /// By value of the field and by stage; in their times the shares of the other fields are left out.
    pub(super) records: Vec<StageRecord>,
    /// The number of its stages.
    pub(super) stages: usize,
}

/// Whether the records of the lines are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeepLines {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// Why lines do not tell what a run comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineError {
    /// A field comes back before its lines are certain to be quiet.
    Overlap,
    /// A process did not reach its end: a defect of the engine.
    Unfinished(ProcessId),
    /// The times of a process do not add up: a defect of the engine.
    Imbalance(ImbalanceError),
}

/// A program on a product placement.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineProblem<'run> {
    pub(super) program: &'run CubeProgram,
    pub(super) placement: &'run ProductPlacement,
    pub(super) communication: Communication,
    pub(super) bulk: BulkStages,
}

impl LineProblem<'_> {
    /// Runs one line for every segment.
    ///
    /// # Errors
    ///
    /// When a field comes back too early, or a process does not finish or has times that do not add up.
    pub(super) fn run_classes(&self, keep: KeepLines) -> Result<LineClasses, LineError> {
        let (program, lines) = (self.program, self.placement.lines());
        let segments = segments(program, self.placement);
        let comes_back = comes_back(&segments);
        let mut shares = Shares::new(&lines);
        let mut classes = LineClasses {
            summary: Summary::new(program.process_count(), program.stage_count(), program.compute()),
            longest_queue: 0,
            segments: vec![],
        };
        for segment in &segments {
            if !shares.is_quiet(segment, program.compute()) {
                return Err(LineError::Overlap);
            }
            self.run_segment(segment, &lines[segment.field], &mut shares, &mut classes, keep)?;
            if comes_back {
                shares.note_end(segment.field);
            }
        }
        shares.add_to(&mut classes.summary, program.process_count());
        Ok(classes)
    }

    fn run_segment(
        &self,
        segment: &Segment,
        line: &ProductPlacement,
        shares: &mut Shares,
        classes: &mut LineClasses,
        keep: KeepLines,
    ) -> Result<(), LineError> {
        let program = self.program;
        let setting = LineSetting::new(program, line, segment, self.communication, self.bulk);
        let begins = (keep == KeepLines::Yes).then(|| shares.finishes.clone());
        let own = &mut shares.finishes[segment.field];
        let first = own.iter().map(|&begin| Cycle::new(begin));
        let mut observer = ClassObserver {
            summary: &mut classes.summary,
            lines: program.process_count() / line.machine().node_count(),
            accounts: Accounts::new(first, program.compute(), segment.stages.end - 1),
            records: vec![],
            keep,
        };
        let mut run = setting.start();
        run.run(own, &mut observer).map_err(LineError::Unfinished)?;
        observer.accounts.check().map_err(LineError::Imbalance)?;
        classes.longest_queue = classes.longest_queue.max(run.longest_queue());
        if let Some(begins) = begins {
            let mut records = observer.records;
            records.sort_unstable_by_key(|record| (record.process, record.stage));
            let stages = segment.stage_count();
            classes.segments.push(SegmentRecords { field: segment.field, begins, records, stages });
        }
        Ok(())
    }
}

/// Counts what happens on one line for all lines like it.
struct ClassObserver<'run> {
    summary: &'run mut Summary,
    lines: u64,
    accounts: Accounts,
    records: Vec<StageRecord>,
    keep: KeepLines,
}

impl Observer for ClassObserver<'_> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.summary.add_stage(record, self.lines);
        self.accounts.stage_finished(record);
        if self.keep == KeepLines::Yes {
            self.records.push(*record);
        }
    }
}
