//! Timelines of collectives, stage programs and task graphs: ranks down, with their shares, time across.
//!
//! Unlike in a space-time diagram, rows are ranks, stages are marked and named, and marks list the awaited messages.
//! Lines lead from the sender of a message, at its start, to its receiver, at the arrival of the last message that it
//! awaits in the stage.

use std::collections::BTreeMap;

use cubefold_derive::Words;
use cubefold_mapping::ProcessId;
use cubefold_records::{FinishedRun, counted};
use cubefold_scenario::Run;
use cubefold_simulator::StageRecord;

use crate::{
    activity_diagram::{ActivityDiagram, Arrow, Span, down_and_across},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    rank_timeline::rank_timeline,
    space_time::{MAX_PROCESSES, Window, mark_count, spans, stage_section, stage_starts},
    step_timeline::step_timeline,
    task_timeline::task_timeline,
    time_scale::TimeScale,
};

/// The maximum number of a program's messages that are listed for the titles of marks.
const MAX_MESSAGES: u64 = 1 << 19;

/// The maximum number of messages in a title.
const MAX_NAMED: usize = 4;

/// The maximum number of rows with lines for messages; more lines could not be followed.
pub(crate) const MAX_ROWS_WITH_ARROWS: usize = 32;

/// The maximum number of messages with lines.
pub(crate) const MAX_ARROWS: usize = 400;

/// The lanes of a timeline of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words)]
pub enum Lanes {
    /// One for each rank.
    Ranks,
    /// One for each step; the steps of a pipeline share the lane of their stage.
    Steps,
}

/// Draws the activities of every rank in every stage of a run from its kept records; each share of a collective has a row
/// below its rank. For a task graph, draws the kept operations; for a job, these lanes, by default of ranks if it has
/// pipelines.
///
/// # Errors
///
/// When the window is not inside the run, the ranks have more than [`MAX_PROCESSES`] rows, or there are too many activities
/// for a picture or the memory limit.
pub fn timeline(
    caption: &str,
    run: &Run,
    finished: &FinishedRun,
    window: &Window,
    lanes: Option<Lanes>,
) -> Result<Picture, PictureError> {
    if let Some(times) = &finished.outcome.job {
        let default = if run.program.pipelines.is_empty() { Lanes::Steps } else { Lanes::Ranks };
        return match lanes.unwrap_or(default) {
            Lanes::Steps => step_timeline(caption, run, times, finished, window),
            Lanes::Ranks => rank_timeline(caption, run, finished, window),
        };
    }
    match run.program.body.special().tasks().filter(|_| !finished.operations.is_empty()) {
        Some(graph) => task_timeline(caption, run, graph, finished, window),
        None => stage_timeline(caption, run, finished, window),
    }
}

/// Draws the activities of every rank in every stage.
fn stage_timeline(
    caption: &str,
    run: &Run,
    finished: &FinishedRun,
    window: &Window,
) -> Result<Picture, PictureError> {
    let numbers = RowNumbers::new(run);
    let ranks = window.rows("ranks", numbers.ranks.saturating_sub(1))?;
    let makespan = finished.outcome.summary.makespan().get();
    let cycles = window.cycles(makespan)?;
    let found = (ranks.end() - ranks.start() + 1) * numbers.shares;
    if found > MAX_PROCESSES {
        return Err(PictureError::TooManyRows { found, most: MAX_PROCESSES });
    }
    let shown = || ranks.clone().flat_map(|rank| (0..numbers.shares).map(move |share| (rank, share)));
    let diagram = ActivityDiagram {
        caption,
        description: format!("Timeline of {caption}: {}.", down_and_across("ranks", &ranks, &cycles)),
        row_title: if numbers.shares > 1 { "rank.share" } else { "rank" },
        rows: shown().map(|place| numbers.short_name(place)).collect(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let rows: BTreeMap<u64, usize> = shown().map(|place| numbers.process(place)).zip(0_usize..).collect();
    let is_shown = |record: &&StageRecord| rows.contains_key(&record.process.label().into());
    let records: Vec<&StageRecord> = finished.records.iter().filter(is_shown).collect();
    window.check_marks(mark_count(&records, &diagram))?;
    let awaited = awaited(run, &rows);
    let (mut marks, mut sections, mut arrows) = (vec![], vec![], vec![]);
    for (record, begin) in records.iter().zip(stage_starts(&records)) {
        let process = u64::from(record.process.label());
        let row = rows[&process];
        let name = format!("{}, stage {}", numbers.name(process), record.stage);
        let messages = awaited.get(&(record.stage, process)).map_or(&[][..], Vec::as_slice);
        let marked = spans(record, begin, row, &name, &diagram).map(|span| match span.activity {
            Activity::Transfer | Activity::Blocked => {
                Span { title: format!("{}{}", span.title, numbers.messages(messages)), ..span }
            }
            _ => span,
        });
        marks.extend(marked);
        sections.push(stage_section(record, begin, row));
        let sources = messages.iter().filter_map(|(source, _)| rows.get(&source.label().into()));
        let arrow =
            |&from: &usize| Arrow { rows: [from, row], cycles: [record.start.get(), record.finish.get()] };
        arrows.extend(sources.map(arrow).filter(|arrow| arrow.cycles[0] < arrow.cycles[1]));
    }
    if rows.len() > MAX_ROWS_WITH_ARROWS || arrows.len() > MAX_ARROWS {
        arrows.clear();
    }
    diagram.draw(&marks, &sections, &arrows)
}

/// The messages that a process receives in a stage: their sources and sizes \[units\].
type Awaited = BTreeMap<(usize, u64), Vec<(ProcessId, u64)>>;

/// The messages that the processes with a row receive, unless the program has too many.
fn awaited(run: &Run, rows: &BTreeMap<u64, usize>) -> Awaited {
    let program = &run.program;
    let stages = program.body.stage_count();
    let pairs = program.body.process_count().saturating_mul(stages as u64);
    let most = pairs.saturating_mul(program.body.facts().max_received as u64);
    let mut found = Awaited::new();
    for stage in (0..stages).filter(|_| most <= MAX_MESSAGES) {
        program.body.for_each_message(stage, &mut |source, destination, units| {
            let process = u64::from(destination.label());
            if rows.contains_key(&process) {
                found.entry((stage, process)).or_default().push((source, units));
            }
        });
    }
    found
}

/// The names of processes: by rank and share in collectives, else by number.
struct RowNumbers {
    ranks: u64,
    shares: u64, // at least 1
    has_ranks: bool,
}

impl RowNumbers {
    fn new(run: &Run) -> Self {
        let (processes, ranks) = (run.program.body.process_count(), run.program.rank_count().max(1));
        Self { ranks, shares: (processes / ranks).max(1), has_ranks: run.program.ranks.is_some() }
    }

    fn process(&self, (rank, share): (u64, u64)) -> u64 {
        share * self.ranks + rank
    }

    /// The name of a row beside the diagram.
    fn short_name(&self, (rank, share): (u64, u64)) -> String {
        if self.shares > 1 { format!("{rank}.{share}") } else { rank.to_string() }
    }

    /// The messages that a process awaits, for titles.
    fn messages(&self, messages: &[(ProcessId, u64)]) -> String {
        let message = |&(source, units): &(ProcessId, u64)| {
            format!("{} from {}", counted(units, "unit"), self.name(source.label().into()))
        };
        let named: Vec<String> = messages.iter().take(MAX_NAMED).map(message).collect();
        match messages.len().saturating_sub(MAX_NAMED) {
            _ if messages.is_empty() => String::new(),
            0 => format!("; {}", named.join(", ")),
            more => format!("; {} and {more} more", named.join(", ")),
        }
    }

    /// The name of a process in titles.
    fn name(&self, process: u64) -> String {
        let (share, rank) = (process / self.ranks, process % self.ranks);
        match (self.has_ranks, self.shares) {
            (false, _) => format!("process {process}"),
            (true, 1) => format!("rank {rank}"),
            (true, _) => format!("rank {rank} share {share}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::{finished, run};

    const RING: &str = "[machine]\nkind = \"ring\"\nshape = [4]\n\
                        link = { bandwidth = \"1 GB/s\", latency = \"1 us\" }\nswitching = \"cut-through\"\n\
                        [program]\nkind = \"all-reduce\"\nalgorithm = \"bidirectional-ring\"\nbytes = \"4 kB\"\n\
                        compute = \"500 ns\"\n";

    #[test]
    fn rows_are_ranks_with_their_shares_and_marks_say_what_is_awaited_from_whom() {
        let run = run(RING);
        let picture = timeline("a ring", &run, &finished(&run), &Window::default(), None).unwrap();
        let svg = picture.svg();
        for row in ["0.0", "0.1", "3.1"] {
            assert_eq!(svg.matches(&format!("\n{row}\n")).count(), 1, "{row}");
        }
        assert!(svg.contains("time [us]") && !svg.contains(">cycle<"));
        // The first share goes up, the second down.
        for (rank, share, from) in [(1, 0, 0), (3, 0, 2), (1, 1, 2), (3, 1, 0)] {
            let start = format!("rank {rank} share {share}, stage 0: transfer ");
            let title = svg.split("<title>").find(|title| title.starts_with(&start)).unwrap();
            assert!(title.contains(&format!(" from rank {from} share {share}<")), "{title}");
        }
        assert!(svg.contains("stage 0: compute 8 cycles, 0 to 8 (512 ns)"));
        // A line for every message: 6 stages of 8 processes.
        assert_eq!(svg.matches("class=\"message\"").count(), 48);
    }

    #[test]
    fn rows_and_cycles_can_be_chosen_and_have_to_be_there() {
        let run = run(RING);
        let finished = finished(&run);
        let draw = |processes, cycles| {
            timeline("a ring", &run, &finished, &Window { processes, cycles, memory: None }, None)
        };
        let part = draw(Some(2..=2), Some(0..=4)).unwrap();
        assert_eq!(part.svg().matches("class=\"mark\"").count(), 2, "two shares compute");
        let error = draw(Some(4..=9), None).unwrap_err();
        assert_eq!(error.to_string(), "ranks 4..9, expected a range from 0 to at most 3");
    }

    #[test]
    fn programs_without_ranks_have_a_row_a_process() {
        let run = run("[machine]\nkind = \"ring\"\nshape = [8]\n");
        let picture = timeline("a cube", &run, &finished(&run), &Window::default(), None).unwrap();
        assert!(picture.svg().contains("process 7, stage 2: transfer 4 cycles"));
        assert!(picture.svg().contains("; 1 unit from process 3</title>"));
    }
}
