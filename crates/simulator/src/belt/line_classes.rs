//! One line that represents all lines of its dimension.
//!
//! The events on a line depend only on differences of times, on stages, and on the order of its processes. On
//! a product placement all lines of a dimension have the same processes in the same order, up to the other
//! fields of their labels. At first all processes begin together. So all lines of the first segment behave
//! equally, and a process finishes it at `F_1(v_1)`; then every line of the second begins with all its
//! processes together, and finishes at `F_1(v_1) + F_2(v_2)`; and so on. Times are sums of contributions of
//! the fields, contention included, and one line per segment determines them all (`docs/model.md` section 8).
//!
//! If stages revisit a field, all messages of its last segment must have arrived before; this is checked.
//! Otherwise no segment depends on another, and long lines are run in parallel.

use cubefold_mapping::{Guest, ProcessId, ProductPlacement};
use rayon::prelude::*;

use super::{
    BeltOutcome,
    line::{KeepRecords, LineError, LineProblem, revisits_field, segments},
    stages::Segment,
};
use crate::{Cycle, Cycles, Observer, Program, StageRecord, Summary, observe::accounts::Accounts};

/// The results of all lines.
#[derive(Debug)]
pub(super) struct LineClasses {
    pub(super) outcome: BeltOutcome,
    segments: Vec<SegmentRecords>, // if records are kept
}

/// Number of processes from which a line is worth a separate thread.
const LONG_LINE: u64 = 1 << 12;

/// The result of the line of a segment.
struct ClassRun {
    finishes: Vec<u64>, // by value of the field
    longest_queue: u32,
    records: Vec<StageRecord>, // by value and stage, if they are kept
}

/// The records of one segment, for the processes of the line that represents all.
#[derive(Debug)]
struct SegmentRecords {
    field: usize,
    begins: Vec<Vec<u64>>, // by field and value, its contribution to the cycle at which the segment begins
    records: Vec<StageRecord>, // by value and stage; times are without the contributions of the other fields
    stages: usize,
}

impl LineProblem<'_> {
    /// Runs one line for every segment.
    ///
    /// # Errors
    ///
    /// If stages revisit a field too early, or a process does not finish or has times that do not add up.
    pub(super) fn run_classes(&self, keep: KeepRecords) -> Result<LineClasses, LineError> {
        let (program, lines) = (self.program, self.placement.lines());
        let segments = segments(program, self.placement);
        let revisits_field = revisits_field(&segments);
        let mut offsets = FieldOffsets::new(&lines);
        let new_summary =
            || Summary::new(program.process_count(), program.stage_count(), program.facts().compute);
        let outcome = BeltOutcome { summary: new_summary(), longest_queue: 0 };
        let mut classes = LineClasses { outcome, segments: vec![] };
        if self.lines_together(&segments) > 1 {
            let run = |segment: &Segment| {
                let (mut summary, begins) = (new_summary(), offsets.finishes[segment.field].clone());
                Ok((self.run_class(segment, &lines[segment.field], begins, &mut summary, keep)?, summary))
            };
            let runs: Vec<_> = segments.par_iter().map(run).collect::<Result<_, LineError>>()?;
            for (segment, (run, summary)) in segments.iter().zip(runs) {
                classes.outcome.summary.add(&summary);
                classes.add(segment, run, &mut offsets, keep);
            }
        } else {
            for segment in &segments {
                if !offsets.is_quiet(segment) {
                    return Err(LineError::Overlap);
                }
                let (line, begins) = (&lines[segment.field], offsets.finishes[segment.field].clone());
                let run = self.run_class(segment, line, begins, &mut classes.outcome.summary, keep)?;
                classes.add(segment, run, &mut offsets, keep);
                if revisits_field {
                    offsets.ended[segment.field] = Some(offsets.finishes.clone());
                }
            }
        }
        offsets.add_to(&mut classes.outcome.summary, program.process_count());
        Ok(classes)
    }

    /// Number of lines that are run in parallel, at least 1.
    pub(super) fn lines_together(&self, segments: &[Segment]) -> u64 {
        let is_long = self.placement.machine().shape().lengths().iter().any(|&length| length >= LONG_LINE);
        if is_long && !revisits_field(segments) { segments.len() as u64 } else { 1 }
    }

    /// Runs the line of a segment, whose processes begin at `begins`.
    fn run_class(
        &self,
        segment: &Segment,
        line: &ProductPlacement,
        begins: Vec<u64>,
        summary: &mut Summary,
        keep: KeepRecords,
    ) -> Result<ClassRun, LineError> {
        let program = self.program;
        let mut finishes = begins;
        let first = finishes.iter().map(|&begin| Cycle::new(begin));
        let mut observer = ClassObserver {
            summary,
            lines: program.process_count() / line.machine().node_count(),
            accounts: Accounts::new(first, program.facts().compute, segment.stages().end - 1),
            records: vec![],
            keep,
        };
        let longest_queue =
            self.run_line(segment, line, &mut finishes, &mut observer).map_err(LineError::Unfinished)?;
        observer.accounts.check().map_err(LineError::Imbalance)?;
        let mut records = observer.records;
        records.sort_unstable_by_key(|record| (record.process, record.stage));
        Ok(ClassRun { finishes, longest_queue, records })
    }
}

/// Sums the records of one line for all lines like it.
struct ClassObserver<'run> {
    summary: &'run mut Summary,
    lines: u64,
    accounts: Accounts,
    records: Vec<StageRecord>,
    keep: KeepRecords,
}

impl Observer for ClassObserver<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each record costs as much as its work")]
    fn stage_finished(&mut self, record: &StageRecord) {
        self.summary.add_stage(record, self.lines);
        self.accounts.stage_finished(record);
        if self.keep == KeepRecords::Yes {
            self.records.push(*record);
        }
    }
}

/// For each field, by value, its contribution to the cycle at which a process finished its last stage so far:
/// the finish of a process is the sum of the contributions of its fields.
#[derive(Debug)]
struct FieldOffsets {
    finishes: Vec<Vec<u64>>,
    /// For each field, all contributions at the end of its last segment; kept only if stages come back to a field.
    ended: Vec<Option<Vec<Vec<u64>>>>,
}

impl FieldOffsets {
    /// The contributions before the first stage, all 0.
    fn new(lines: &[ProductPlacement]) -> Self {
        let size =
            |line: &ProductPlacement| usize::try_from(line.machine().node_count()).unwrap_or(usize::MAX);
        Self {
            finishes: lines.iter().map(|line| vec![0; size(line)]).collect(),
            ended: vec![None; lines.len()],
        }
    }

    /// Whether all messages of the field's last segment have arrived when the first message of `segment` is
    /// injected, on every line.
    ///
    /// On the line with values `v_i` of the other fields, the last process finished at its largest
    /// contribution plus the contributions of the `v_i` at that time; the first message is injected at the
    /// earliest completion of partners plus the contributions of the `v_i` now. Contributions only grow, so
    /// that the line with the least growth decides.
    fn is_quiet(&self, segment: &Segment) -> bool {
        let field = segment.field;
        let Some(ended) = &self.ended[field] else { return true };
        let now = &self.finishes[field];
        let last_finish = now.iter().copied().max().unwrap_or(0);
        let bit = segment.bits[0] as usize;
        let complete = (0..now.len()).map(|value| now[value].max(now[value ^ bit]));
        let first_start = complete.min().unwrap_or(0) + segment.compute;
        let others = (0..self.finishes.len()).filter(|&other| other != field);
        let growth: u64 = others
            .map(|other| {
                let grown = self.finishes[other].iter().zip(&ended[other]).map(|(now, then)| now - then);
                grown.min().unwrap_or(0)
            })
            .sum();
        last_finish <= first_start + growth
    }

    /// Adds the finishes of all processes to a summary.
    fn add_to(&self, summary: &mut Summary, processes: u64) {
        let greatest = self.finishes.iter().map(|finish| finish.iter().copied().max().unwrap_or(0));
        let sum = self.finishes.iter().map(|finish| {
            let sum: u128 = finish.iter().map(|&part| u128::from(part)).sum();
            sum * (u128::from(processes) / finish.len() as u128)
        });
        summary.set_finishes(Cycle::new(greatest.sum()), sum.sum());
    }
}

impl LineClasses {
    /// Adds the result of the line of a segment, after those of earlier segments.
    fn add(&mut self, segment: &Segment, run: ClassRun, offsets: &mut FieldOffsets, keep: KeepRecords) {
        if keep == KeepRecords::Yes {
            let (begins, stages) = (offsets.finishes.clone(), segment.bits.len());
            self.segments.push(SegmentRecords { field: segment.field, begins, records: run.records, stages });
        }
        offsets.finishes[segment.field] = run.finishes;
        self.outcome.longest_queue = self.outcome.longest_queue.max(run.longest_queue);
    }

    /// Reports every stage of every process, by process and stage.
    pub(super) fn report(&self, placement: &ProductPlacement, observer: &mut dyn Observer) {
        let mut values = vec![];
        for process in ProcessId::first(placement.cube().process_count()) {
            values.clear();
            values.extend(placement.field_values(process).map(|value| value as usize));
            for segment in &self.segments {
                let others = segment.begin_of_others(&values);
                let first = values[segment.field] * segment.stages;
                for record in &segment.records[first..first + segment.stages] {
                    observer.stage_finished(&StageRecord {
                        process,
                        ready: record.ready + others,
                        start: record.start + others,
                        finish: record.finish + others,
                        ..*record
                    });
                }
            }
        }
    }
}

impl SegmentRecords {
    /// The contributions of the other fields to the cycle at which the segment begins for a process.
    fn begin_of_others(&self, values: &[usize]) -> Cycles {
        let parts = self.begins.iter().zip(values).enumerate().filter(|&(field, _)| field != self.field);
        Cycles::new(parts.map(|(_, (parts, &value))| parts[value]).sum())
    }
}
