//! Processes down, cycles across, as González & Valero-García 1993 draw figure 4.

use std::ops::RangeInclusive;

use cubefold_experiment::FinishedRun;
use cubefold_simulator::StageRecord;

use crate::{
    axes::{Axes, Axis, Margins, Scale, Ticks},
    error::PictureError,
    legend::Legend,
    palette::Activity,
    picture::Picture,
    sheet::{Anchor, Area, Point, Sheet, TEXT, as_drawn},
};

/// The most processes that one picture shows.
pub const MAX_PROCESSES: u64 = 256;

/// The part of a run that is drawn; what is not given is the whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// The first and the last process.
    pub processes: Option<RangeInclusive<u64>>,
    /// The first and the last cycle.
    pub cycles: Option<RangeInclusive<u64>>,
}

/// Draws the activity of every process at every cycle of a run whose records were kept.
///
/// The time that a message is held up is drawn behind the time that it moves: how the two alternate
/// on the route is not known.
///
/// # Errors
///
/// When the window is not inside the run, or holds more than [`MAX_PROCESSES`].
pub fn space_time(caption: &str, finished: &FinishedRun, window: &Window) -> Result<Picture, PictureError> {
    let shown = VisiblePart::new(finished, window)?;
    let rows = shown.rows();
    let row_height = (640.0 / rows).clamp(3.0, 20.0);
    let (width, height) = (960.0, rows * row_height + 104.0);
    let margins = Margins { left: 52, below: 36, right: 16, above: 44 };
    let across = Axis {
        title: "cycle".to_owned(),
        from: as_drawn(*shown.cycles.start()),
        to: as_drawn(*shown.cycles.end()),
        scale: Scale::Linear,
        ticks: Ticks::Whole,
    };
    let axes = Axes::draw(width, height - 24.0, margins, across, Axis::from_zero("", rows))?;
    let description = format!(
        "Space-time diagram of {caption}: processes {} to {} down, cycles {} to {} across.",
        shown.processes.start(),
        shown.processes.end(),
        shown.cycles.start(),
        shown.cycles.end()
    );
    let mut sheet = Sheet::new(width, height, caption, &description);
    sheet.caption(caption);
    sheet.embed(axes.svg.clone());
    sheet.text("process", Point { x: 8.0, y: 40.0 }, TEXT, Anchor::Start);
    let diagram = Diagram { axes: &axes, shown: &shown, row_height: axes.inside.height / rows };
    diagram.draw_labels(&mut sheet);
    let done = diagram.draw_spans(&mut sheet, &finished.records);
    Legend::new(Legend::activities(&done), 60.0, width).draw(&mut sheet, height - 10.0);
    Ok(sheet.finish())
}

/// The part that is drawn.
struct VisiblePart {
    processes: RangeInclusive<u64>,
    cycles: RangeInclusive<u64>,
}

impl VisiblePart {
    fn new(finished: &FinishedRun, window: &Window) -> Result<Self, PictureError> {
        let last_process = finished.records.last().map_or(0, |record| u64::from(record.process.label()));
        let makespan = finished.outcome.summary.makespan().get();
        let processes = window.processes.clone().unwrap_or(0..=last_process);
        let cycles = window.cycles.clone().unwrap_or(0..=makespan.max(1));
        let inside = |what, range: &RangeInclusive<u64>, last| {
            let (&from, &to) = (range.start(), range.end());
            let is_inside = from <= to && from <= last;
            if is_inside { Ok(()) } else { Err(PictureError::EmptyWindow { what, from, to, last }) }
        };
        inside("processes", &processes, last_process)?;
        inside("cycles", &cycles, makespan)?;
        if cycles.start() == cycles.end() && window.cycles.is_some() {
            let (from, to) = (*cycles.start(), *cycles.end());
            return Err(PictureError::EmptyWindow { what: "cycles", from, to, last: makespan });
        }
        let processes = *processes.start()..=*processes.end().min(&last_process);
        let found = processes.end() - processes.start() + 1;
        if found > MAX_PROCESSES {
            return Err(PictureError::TooManyProcesses { found, most: MAX_PROCESSES });
        }
        Ok(Self { processes, cycles })
    }

    fn rows(&self) -> f64 {
        as_drawn(self.processes.end() - self.processes.start() + 1)
    }
}

struct Diagram<'picture> {
    axes: &'picture Axes,
    shown: &'picture VisiblePart,
    row_height: f64,
}

/// The activity of a process from one cycle to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    activity: Activity,
    from: u64,
    to: u64,
}

impl Diagram<'_> {
    /// The upper edge of a process's row.
    fn top(&self, process: u64) -> f64 {
        self.axes.inside.y + as_drawn(process - self.shown.processes.start()) * self.row_height
    }

    /// Names as many processes as fit.
    fn draw_labels(&self, sheet: &mut Sheet) {
        let step = [1, 2, 4, 8, 16, 32].into_iter().find(|&step| as_drawn(step) * self.row_height >= TEXT);
        for process in self.shown.processes.clone().filter(|process| process % step.unwrap_or(64) == 0) {
            let y = self.top(process) + self.row_height / 2.0 + 4.0;
            let at = Point { x: self.axes.inside.x - 6.0, y };
            sheet.text(&process.to_string(), at, TEXT.min(self.row_height.max(9.0)), Anchor::End);
        }
    }

    /// Draws what all processes do, kind by kind, and returns the kinds that there are.
    fn draw_spans(&self, sheet: &mut Sheet, records: &[StageRecord]) -> Vec<Activity> {
        let shown = |record: &&StageRecord| self.shown.processes.contains(&record.process.label().into());
        let records: Vec<&StageRecord> = records.iter().filter(shown).collect();
        let starts = stage_starts(&records);
        let mut done = vec![];
        for activity in Activity::ALL {
            sheet.open(&[("fill", activity.fill())]);
            let mut any = false;
            for (record, begin) in records.iter().zip(&starts) {
                for span in spans(record, *begin).into_iter().filter(|span| span.activity == activity) {
                    any |= self.draw_span(sheet, record, span);
                }
            }
            sheet.close();
            if any {
                done.push(activity);
            }
        }
        done
    }

    /// Draws the part of a span that is in the window, and returns whether there is one.
    fn draw_span(&self, sheet: &mut Sheet, record: &StageRecord, span: Span) -> bool {
        let (first, last) = (*self.shown.cycles.start(), *self.shown.cycles.end());
        let (from, to) = (span.from.max(first), span.to.min(last));
        if from >= to {
            return false;
        }
        let (left, right) = (self.axes.x(as_drawn(from)), self.axes.x(as_drawn(to)));
        let gap = if self.row_height > 6.0 { 1.0 } else { 0.0 };
        let y = self.top(record.process.label().into());
        let area = Area { x: left, y, width: right - left, height: self.row_height - gap };
        let Span { activity, from, to } = span;
        let (process, stage, cycles) = (record.process, record.stage, to - from);
        let unit = if cycles == 1 { "cycle" } else { "cycles" };
        let title =
            format!("process {process}, stage {stage}: {} {cycles} {unit}, {from} to {to}", activity.name());
        sheet.mark(area, "", &title);
        true
    }
}

/// The cycle at which the process of each record finished the stage before; records are sorted by
/// process and stage.
fn stage_starts(records: &[&StageRecord]) -> Vec<u64> {
    let mut starts = Vec::with_capacity(records.len());
    let mut last: Option<&StageRecord> = None;
    for record in records {
        let before = last.filter(|last| last.process == record.process);
        starts.push(before.map_or(0, |last| (last.finish + last.idle).get()));
        last = Some(record);
    }
    starts
}

/// The activities of a process in a stage that it starts at `begin`; spans may be empty.
fn spans(record: &StageRecord, begin: u64) -> [Span; 6] {
    let mut from = begin;
    let sharing = begin + record.sharing.get();
    let ends = [
        (Activity::Sharing, sharing),
        (Activity::Compute, record.ready.get()),
        (Activity::Waiting, record.start.get()),
        (Activity::Transfer, (record.start + record.transfer).get()),
        (Activity::Blocked, record.finish.get()),
        (Activity::Idle, (record.finish + record.idle).get()),
    ];
    ends.map(|(activity, to)| {
        let span = Span { activity, from, to };
        from = to;
        span
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{finished, run};

    const LINE: &str = "[machine]\nkind = \"line\"\nshape = [8]\n[program]\nkind = \"cc-cube\"\n\
                        compute_cycles = 1\n[mapping]\nembeddings = [\"byweight\"]\n";

    #[test]
    fn spans_of_every_process_add_up_to_its_finish() {
        let finished = finished(&run(LINE));
        let records: Vec<&StageRecord> = finished.records.iter().collect();
        for (record, begin) in records.iter().zip(stage_starts(&records)) {
            let spans = spans(record, begin);
            assert_eq!((spans[0].from, spans[5].to), (begin, (record.finish + record.idle).get()));
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
        let finished = finished(&run(LINE));
        let picture = space_time("a line", &finished, &Window::default()).unwrap();
        let records: Vec<&StageRecord> = finished.records.iter().collect();
        let all = records.iter().zip(stage_starts(&records)).flat_map(|(record, begin)| spans(record, begin));
        let marks = all.filter(|span| span.from < span.to).count();
        assert_eq!(picture.svg().matches("class=\"mark\"").count(), marks);
        assert!(picture.svg().contains("process 0, stage 0: compute 1 cycle, 0 to 1"));
    }

    #[test]
    fn windows_show_less_and_have_to_be_inside() {
        let finished = finished(&run(LINE));
        let draw = |processes, cycles| space_time("a line", &finished, &Window { processes, cycles });
        let part = draw(Some(2..=3), Some(0..=1)).unwrap();
        assert_eq!(part.svg().matches("class=\"mark\"").count(), 2, "two processes compute");
        let error = draw(Some(9..=12), None).unwrap_err();
        assert_eq!(error.to_string(), "processes 9..12, expected a range from 0 to at most 7");
        assert!(draw(None, Some(1..=1)).is_err() && draw(None, Some(5000..=6000)).is_err());
    }
}
