//! Processes down, cycles across, as in figure 4 of González & Valero-García 1993.

use std::{mem, ops::RangeInclusive};

use cubefold_records::{FinishedRun, counted};
use cubefold_scenario::Run;
use cubefold_simulator::StageRecord;

use crate::{
    activity_diagram::{ActivityDiagram, Section, Span, down_and_across},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    time_scale::TimeScale,
};

/// The maximum number of processes in a picture.
pub const MAX_PROCESSES: u64 = 256;

/// The maximum number of activities in a picture.
pub(crate) const MAX_MARKS: usize = 1 << 18;
/// Memory per activity, with its mark and its title, and the written picture \[bytes\]; measured on timelines.
const BYTES_A_MARK: u64 = 1200;
/// The number of activities whose memory is not counted.
const UNCOUNTED_MARKS: usize = 1 << 12;

/// The part of a run that is drawn; by default all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// The first and the last process, or in a timeline the first and the last rank.
    pub processes: Option<RangeInclusive<u64>>,
    /// The first and the last cycle.
    pub cycles: Option<RangeInclusive<u64>>,
    /// The memory limit of the picture \[bytes\]; `None` for none.
    pub memory: Option<u64>,
}

impl Window {
    /// The cycles that are shown of a run with this makespan.
    ///
    /// # Errors
    ///
    /// If they are not inside the run, or only one cycle.
    pub(crate) fn cycles(&self, makespan: u64) -> Result<RangeInclusive<u64>, PictureError> {
        let cycles = inside("cycles", self.cycles.as_ref(), makespan, makespan.max(1))?;
        if cycles.start() == cycles.end() && self.cycles.is_some() {
            let (from, to) = (*cycles.start(), *cycles.end());
            return Err(PictureError::EmptyWindow { what: "cycles", from, to, last: makespan });
        }
        Ok(cycles)
    }

    /// Checks that a picture of this many activities, counted up to [`MAX_MARKS`] and one more, can be drawn.
    ///
    /// # Errors
    ///
    /// If there are more, or they exceed the memory limit.
    pub(crate) fn check_marks(&self, marks: usize) -> Result<(), PictureError> {
        if marks > MAX_MARKS {
            return Err(PictureError::TooManyMarks { most: MAX_MARKS });
        }
        self.check_memory(marks.saturating_sub(UNCOUNTED_MARKS) as u64 * BYTES_A_MARK)
    }

    /// Checks that a picture may take `needed` bytes of memory.
    ///
    /// # Errors
    ///
    /// If the limit is lower.
    pub(crate) fn check_memory(&self, needed: u64) -> Result<(), PictureError> {
        match self.memory.filter(|&limit| needed > limit) {
            Some(limit) => Err(PictureError::TooLarge { needed, limit }),
            None => Ok(()),
        }
    }

    /// The visible rows of those up to `last`; `what` is their noun in errors.
    ///
    /// # Errors
    ///
    /// When the first is not among them.
    pub(crate) fn rows(&self, what: &'static str, last: u64) -> Result<RangeInclusive<u64>, PictureError> {
        let rows = inside(what, self.processes.as_ref(), last, last)?;
        Ok(*rows.start()..=*rows.end().min(&last))
    }
}

/// The requested range, or all up to `end`; it must begin at `last` at the latest.
fn inside(
    what: &'static str,
    asked: Option<&RangeInclusive<u64>>,
    last: u64,
    end: u64,
) -> Result<RangeInclusive<u64>, PictureError> {
    let range = asked.cloned().unwrap_or(0..=end);
    let (from, to) = (*range.start(), *range.end());
    if from <= to && from <= last {
        Ok(range)
    } else {
        Err(PictureError::EmptyWindow { what, from, to, last })
    }
}

/// Draws the activity of every process at every cycle of a run whose records were kept.
///
/// Blocked time is drawn after the transfer, since their order on the route is not recorded.
///
/// # Errors
///
/// If the window is not inside the run, has more than [`MAX_PROCESSES`] processes, or too many activities for a picture or
/// the memory limit.
pub fn space_time(
    caption: &str,
    run: &Run,
    finished: &FinishedRun,
    window: &Window,
) -> Result<Picture, PictureError> {
    let last = finished.records.last().map_or(0, |record| u64::from(record.process.label()));
    let processes = window.rows("processes", last)?;
    let makespan = finished.outcome.summary.makespan().get();
    let cycles = window.cycles(makespan)?;
    let found = processes.end() - processes.start() + 1;
    if found > MAX_PROCESSES {
        return Err(PictureError::TooManyProcesses { found, most: MAX_PROCESSES });
    }
    let diagram = ActivityDiagram {
        caption,
        description: format!(
            "Space-time diagram of {caption}: {}.",
            down_and_across("processes", &processes, &cycles)
        ),
        row_title: "process",
        rows: processes.clone().map(|process| process.to_string()).collect(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let is_shown = |record: &&StageRecord| processes.contains(&record.process.label().into());
    let records: Vec<&StageRecord> = finished.records.iter().filter(is_shown).collect();
    window.check_marks(mark_count(&records, &diagram))?;
    let (mut marks, mut sections) = (vec![], vec![]);
    for (record, begin) in records.iter().zip(stage_starts(&records)) {
        let row =
            usize::try_from(u64::from(record.process.label()) - processes.start()).unwrap_or(usize::MAX);
        let name = format!("process {}, stage {}", record.process, record.stage);
        marks.extend(spans(record, begin, row, &name, &diagram));
        sections.push(stage_section(record, begin, row));
    }
    diagram.draw(&marks, &sections, &[])
}

/// The number of activities of these records in the cycles of the diagram, up to [`MAX_MARKS`] and one more.
pub(crate) fn mark_count(records: &[&StageRecord], diagram: &ActivityDiagram<'_>) -> usize {
    let starts = stage_starts(records);
    let marks = records.iter().zip(starts).flat_map(|(record, begin)| activities(record, begin, diagram));
    marks.take(MAX_MARKS + 1).count()
}

/// A stage of a row; its number is on the light part, while the process waits and receives.
pub(crate) fn stage_section(record: &StageRecord, begin: u64, row: usize) -> Section {
    let (ready, finish) = (record.ready.get(), (record.start + record.transfer).get());
    Section { row, from: begin, label: ready..=finish, name: record.stage.to_string() }
}

/// The cycle at which the process of each record finished the previous stage; records are sorted by
/// process and stage.
pub(crate) fn stage_starts(records: &[&StageRecord]) -> Vec<u64> {
    let mut starts = Vec::with_capacity(records.len());
    let mut last: Option<&StageRecord> = None;
    for record in records {
        let before = last.filter(|last| last.process == record.process);
        starts.push(before.map_or(0, |last| (last.finish + last.idle).get()));
        last = Some(record);
    }
    starts
}

/// The activities of a process in a stage that it starts at `begin`, if they take time in the cycles of the diagram;
/// `name` is the name of the process.
pub(crate) fn spans(
    record: &StageRecord,
    begin: u64,
    row: usize,
    name: &str,
    diagram: &ActivityDiagram<'_>,
) -> impl Iterator<Item = Span> {
    activities(record, begin, diagram).map(move |(activity, from, to)| {
        let (doing, aside) = (activity.name(), diagram.scale.aside(to - from));
        let title = format!("{name}: {doing} {}, {from} to {to}{aside}", counted(to - from, "cycle"));
        Span { row, activity, from, to, title }
    })
}

/// The activities of a process in a stage that it starts at `begin`, each with its first cycle and its end, if they take time
/// in the cycles of the diagram.
fn activities(
    record: &StageRecord,
    begin: u64,
    diagram: &ActivityDiagram<'_>,
) -> impl Iterator<Item = (Activity, u64, u64)> {
    let mut from = begin;
    let ends = [
        (Activity::Sharing, begin + record.sharing.get()),
        (Activity::Compute, record.ready.get()),
        (Activity::Waiting, record.start.get()),
        (Activity::Transfer, (record.start + record.transfer).get()),
        (Activity::Blocked, record.finish.get()),
        (Activity::Idle, (record.finish + record.idle).get()),
    ];
    let all = ends.map(|(activity, to)| (activity, mem::replace(&mut from, to), to));
    all.into_iter().filter(|&(_, from, to)| diagram.shows(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{finished, run};

    const LINE: &str = "[machine]\nkind = \"line\"\nshape = [8]\n[program]\nkind = \"cc-cube\"\n\
                        compute_cycles = 1\n[mapping]\nembeddings = [\"byweight\"]\n";

    /// A diagram of a whole run.
    fn diagram(finished: &FinishedRun) -> ActivityDiagram<'static> {
        ActivityDiagram {
            caption: "",
            description: String::new(),
            row_title: "",
            rows: vec![],
            makespan: finished.outcome.summary.makespan().get(),
            cycles: 0..=finished.outcome.summary.makespan().get(),
            scale: TimeScale::default(),
        }
    }

    #[test]
    fn spans_of_every_process_add_up_to_its_finish() {
        let run = run(LINE);
        let finished = finished(&run);
        let records: Vec<&StageRecord> = finished.records.iter().collect();
        for (record, begin) in records.iter().zip(stage_starts(&records)) {
            let spans: Vec<Span> = spans(record, begin, 0, "", &diagram(&finished)).collect();
            let ends = (spans[0].from, spans[spans.len() - 1].to);
            assert_eq!(ends, (begin, (record.finish + record.idle).get()));
            assert!(spans.windows(2).all(|pair| pair[0].to == pair[1].from));
            let length = |activity: Activity| {
                spans
                    .iter()
                    .filter(|span| span.activity == activity)
                    .map(|span| span.to - span.from)
                    .sum::<u64>()
            };
            assert_eq!(length(Activity::Compute), 1);
            assert_eq!(length(Activity::Blocked), record.blocked().get());
        }
    }

    #[test]
    fn a_mark_for_everything_that_takes_time() {
        let run = run(LINE);
        let finished = finished(&run);
        let picture = space_time("a line", &run, &finished, &Window::default()).unwrap();
        let records: Vec<&StageRecord> = finished.records.iter().collect();
        let diagram = diagram(&finished);
        let of = |(record, begin): (&&StageRecord, u64)| spans(record, begin, 0, "", &diagram).count();
        let marks: usize = records.iter().zip(stage_starts(&records)).map(of).sum();
        assert_eq!(picture.svg().matches("class=\"mark\"").count(), marks);
        assert!(picture.svg().contains("process 0, stage 0: compute 1 cycle, 0 to 1"));
    }

    #[test]
    fn stages_are_numbered_in_high_rows_and_above_low_ones() {
        let run = run(LINE);
        let finished = finished(&run);
        let picture = space_time("a line", &run, &finished, &Window::default()).unwrap();
        let group = |svg: &str, fill: &str| {
            let begin = svg.find(&format!("<g fill=\"{fill}\" text-anchor=\"middle\">")).unwrap();
            svg[begin..].split("</g>").next().unwrap().matches("<text").count()
        };
        assert!(group(picture.svg(), "#000000") > 8, "{}", picture.svg());
        let large = LINE.replace("[8]", "[128]");
        let run = crate::support::run(&large);
        let finished = crate::support::finished(&run);
        let picture = space_time("a line", &run, &finished, &Window::default()).unwrap();
        assert!((2..=7).contains(&group(picture.svg(), "currentColor")), "{}", picture.svg());
    }

    #[test]
    fn windows_show_less_and_have_to_be_inside() {
        let run = run(LINE);
        let finished = finished(&run);
        let draw = |processes, cycles| {
            space_time("a line", &run, &finished, &Window { processes, cycles, memory: None })
        };
        let part = draw(Some(2..=3), Some(0..=1)).unwrap();
        assert_eq!(part.svg().matches("class=\"mark\"").count(), 2, "two processes compute");
        let error = draw(Some(9..=12), None).unwrap_err();
        assert_eq!(error.to_string(), "processes 9..12, expected a range from 0 to at most 7");
        assert!(!part.svg().contains("makespan"));
        let makespan = finished.outcome.summary.makespan().get();
        let longer = draw(None, Some(0..=2 * makespan)).unwrap();
        assert!(longer.svg().contains(&format!("\nmakespan {makespan} cycles\n")), "{}", longer.svg());
        assert!(draw(None, Some(1..=1)).is_err() && draw(None, Some(5000..=6000)).is_err());
    }
}
