//! Timelines of task graphs (`docs/model.md` section 18): ranks down, with their processors, time across. A row shows
//! computations, and in the remaining time the messages that the rank awaits.

use std::collections::BTreeMap;

use cubefold_records::{FinishedRun, counted};
use cubefold_scenario::Run;
use cubefold_simulator::{Operation, OperationKind, OperationTimes, TaskGraph};

use crate::{
    activity_diagram::{ActivityDiagram, Arrow, Span, down_and_across},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    space_time::{MAX_PROCESSES, Window},
    time_scale::TimeScale,
    timeline::{MAX_ARROWS, MAX_ROWS_WITH_ARROWS},
};

/// Memory per activity in the window until overlaps are resolved \[bytes\].
const BYTES_OCCUPIED: u64 = 3 * size_of::<Occupied>() as u64;

/// Draws the operations of a task graph from their kept records.
///
/// # Errors
///
/// When the window is not inside the run, the ranks have more than [`MAX_PROCESSES`] processors, or there are too many
/// activities for a picture or the memory limit.
pub(crate) fn task_timeline(
    caption: &str,
    run: &Run,
    graph: &TaskGraph,
    finished: &FinishedRun,
    window: &Window,
) -> Result<Picture, PictureError> {
    let schedule = graph.schedule();
    let ranks = window.rows("ranks", u64::from(schedule.process_count()).saturating_sub(1))?;
    let makespan = finished.outcome.summary.makespan().get();
    let cycles = window.cycles(makespan)?;
    let rows = Rows::new(schedule.operations(), |rank| ranks.contains(&rank));
    if rows.count() > MAX_PROCESSES {
        return Err(PictureError::TooManyRows { found: rows.count(), most: MAX_PROCESSES });
    }
    let diagram = ActivityDiagram {
        caption,
        description: format!("Timeline of {caption}: {}.", down_and_across("ranks", &ranks, &cycles)),
        row_title: if rows.has_processors { "rank.cpu" } else { "rank" },
        rows: rows.names(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let history = History { run, graph, times: &finished.operations, scale: diagram.scale };
    let mut occupied = vec![];
    for (place, operation) in schedule.operations().iter().enumerate() {
        let Some(row) = rows.of(operation) else { continue };
        let shown = history.activities(place).into_iter().chain([history.overhead(place)]).flatten();
        let shown = shown.filter(|shown| diagram.shows(shown.from, shown.to));
        occupied.extend(shown.map(|shown| Occupied { row, ..shown }));
        window.check_memory(occupied.len() as u64 * BYTES_OCCUPIED)?;
    }
    let parts = side_by_side(occupied);
    window.check_marks(parts.len())?;
    let spans: Vec<Span> = parts.into_iter().map(|part| history.span(part)).collect();
    let mut arrows = history.arrows(&rows);
    if diagram.rows.len() > MAX_ROWS_WITH_ARROWS || arrows.len() > MAX_ARROWS {
        arrows.clear();
    }
    diagram.draw(&spans, &[], &arrows)
}

/// The rows of a timeline, one per processor of a rank.
struct Rows {
    places: BTreeMap<(u64, u16), usize>,
    has_processors: bool, // a rank has several
}

impl Rows {
    fn new(operations: &[Operation], is_shown: impl Fn(u64) -> bool) -> Self {
        let shown =
            operations.iter().map(|operation| (u64::from(operation.process.label()), operation.processor));
        let mut places: BTreeMap<(u64, u16), usize> =
            shown.filter(|&(rank, _)| is_shown(rank)).map(|key| (key, 0)).collect();
        places.values_mut().zip(0..).for_each(|(place, row)| *place = row);
        let has_processors = places.keys().any(|&(_, processor)| processor > 0);
        Self { places, has_processors }
    }

    fn count(&self) -> u64 {
        self.places.len() as u64
    }

    fn names(&self) -> Vec<String> {
        let name = |&(rank, processor): &(u64, u16)| {
            if self.has_processors { format!("{rank}.{processor}") } else { rank.to_string() }
        };
        self.places.keys().map(name).collect()
    }

    /// The row of an operation; `None` if its rank is not shown.
    fn of(&self, operation: &Operation) -> Option<usize> {
        self.places.get(&(operation.process.label().into(), operation.processor)).copied()
    }
}

/// The events of a run.
struct History<'run> {
    run: &'run Run,
    graph: &'run TaskGraph,
    times: &'run [OperationTimes],
    scale: TimeScale,
}

impl History<'_> {
    fn operation(&self, place: usize) -> &Operation {
        &self.graph.schedule().operations()[place]
    }

    fn units(&self, place: usize) -> u64 {
        self.graph.units(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// The cycle at which the message of a send starts: if it is not eager, not before its receive.
    fn message_start(&self, send: usize) -> u64 {
        let begun = self.times[send].begun.get();
        let receive = self.times[send].partner.map(|receive| self.times[receive as usize].begun.get());
        if self.run.communication.is_eager(self.units(send)) {
            begun
        } else {
            begun.max(receive.unwrap_or(0))
        }
    }

    /// The activities of an operation, without their rows.
    fn activities(&self, place: usize) -> [Option<Occupied>; 2] {
        let (operation, times) = (self.operation(place), &self.times[place]);
        let (begun, over) = (times.begun.get(), times.over.get());
        let part = |activity, from, to| {
            Some(Occupied { row: 0, operation: place, activity, from, to, whole: (from, to) })
        };
        let start = match (operation.kind, times.partner) {
            (OperationKind::Calc, _) => return [part(Activity::Compute, begun, over), None],
            (OperationKind::Send, _) => self.message_start(place),
            (OperationKind::Receive, Some(send)) => self.message_start(send as usize),
            (OperationKind::Receive, None) => over,
        };
        let moves = start.clamp(begun, over.max(begun));
        let (waiting, transfer) =
            (part(Activity::Waiting, begun, moves), part(Activity::Transfer, moves, over.max(begun)));
        [waiting, transfer]
    }

    /// The overhead of a send: the computation before its start.
    fn overhead(&self, place: usize) -> Option<Occupied> {
        let (begun, overhead) = (self.times[place].begun.get(), self.graph.overhead().get());
        let (from, to) = (begun.saturating_sub(overhead), begun);
        let is_send = self.operation(place).kind == OperationKind::Send;
        let part =
            Occupied { row: 0, operation: place, activity: Activity::Compute, from, to, whole: (from, to) };
        is_send.then_some(part)
    }

    /// A part of an activity with the text under the pointer, which describes the whole activity.
    fn span(&self, part: Occupied) -> Span {
        let Occupied { row, operation, activity, from, to, whole } = part;
        let shown = self.operation(operation);
        let (rank, peer, tag) = (shown.process.label(), shown.peer.label(), shown.tag);
        let units = || counted(self.units(operation), "unit");
        let what = match shown.kind {
            OperationKind::Calc => format!("rank {rank}, computation"),
            OperationKind::Send => format!("rank {rank}, send of {} to {peer}, tag {tag}", units()),
            OperationKind::Receive => format!("rank {rank}, receive of {} from {peer}, tag {tag}", units()),
        };
        let cycles = whole.1 - whole.0;
        let (doing, aside) = (activity.name(), self.scale.aside(cycles));
        let (cycles, (begin, end)) = (counted(cycles, "cycle"), whole);
        Span { row, activity, from, to, title: format!("{what}: {doing} {cycles}, {begin} to {end}{aside}") }
    }

    /// The messages between rows.
    fn arrows(&self, rows: &Rows) -> Vec<Arrow> {
        let schedule = self.graph.schedule();
        let sends = schedule.operations().iter().enumerate();
        let arrow = |(place, operation): (usize, &Operation)| {
            let receive =
                self.times[place].partner.filter(|_| operation.kind == OperationKind::Send)? as usize;
            let ends = [rows.of(operation)?, rows.of(self.operation(receive))?];
            let cycles = [self.message_start(place), self.times[receive].over.get()];
            (cycles[0] < cycles[1]).then_some(Arrow { rows: ends, cycles })
        };
        sends.filter_map(arrow).take(MAX_ARROWS + 1).collect()
    }
}

/// A part of a row that an activity occupies.
#[derive(Debug, Clone, Copy)]
struct Occupied {
    row: usize,
    operation: usize,
    activity: Activity,
    from: u64,
    to: u64,
    /// The first cycle and the end of the whole activity.
    whole: (u64, u64),
}

/// Parts without overlaps in a row. Computations take precedence over transfers, and transfers over waiting; within one
/// kind, the part that begins first.
///
/// # Complexity
///
/// `O(n log n)` for `n` parts: the occupied time is a union of disjoint intervals, each of which is merged once.
fn side_by_side(mut occupied: Vec<Occupied>) -> Vec<Occupied> {
    let order = |activity: Activity| match activity {
        Activity::Compute => 0,
        Activity::Transfer => 1,
        _ => 2,
    };
    occupied.sort_by_key(|part| (part.row, order(part.activity), part.from));
    let mut taken: BTreeMap<u64, u64> = BTreeMap::new(); // of one row: the end of each interval by its beginning; disjoint
    let (mut row, mut parts) = (0, vec![]);
    for part in occupied {
        if part.row != row {
            row = part.row;
            taken.clear();
        }
        let (mut from, mut begin, mut end) = (part.from, part.from, part.to);
        // An earlier interval that reaches this one is merged with it.
        if let Some((&before, &until)) = taken.range(..=from).next_back().filter(|&(_, &until)| until >= from)
        {
            (from, begin, end) = (until, before, end.max(until));
        }
        if from >= part.to {
            continue;
        }
        while let Some((&next, &until)) = taken.range(begin + 1..=part.to).next() {
            if from < next {
                parts.push(Occupied { from, to: next, ..part });
            }
            from = from.max(until);
            end = end.max(until);
            taken.remove(&next);
        }
        if from < part.to {
            parts.push(Occupied { from, to: part.to, ..part });
        }
        taken.insert(begin, end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        space_time::MAX_MARKS,
        support::{finished_with, run_of_files},
        timeline,
    };
    use cubefold_records::FinishedRun;
    use cubefold_runs::KeepRecords;

    const GRAPH: &str = "num_ranks 2\n\
        rank 0 {\na: calc 100\nb: send 4b to 1 tag 7\nb requires a\nc: calc 50 cpu 1\n}\n\
        rank 1 {\na: recv 4b from 0 tag 7\nb: calc 30\n}\n";

    /// The run of a graph on a ring of 4.
    fn executed(graph: &str, more_of_machine: &str, more_of_program: &str) -> (Run, FinishedRun) {
        let scenario = format!(
            "[machine]\nkind = \"ring\"\nshape = [4]\n{more_of_machine}\
             [program]\nkind = \"goal\"\nfile = \"a.goal\"\n{more_of_program}"
        );
        let run = run_of_files(&scenario, &[("a.goal", graph)]);
        let finished = finished_with(&run, KeepRecords::WithOperations);
        (run, finished)
    }

    fn picture(eager: &str) -> String {
        let more = format!("compute_cycles = 10\n[execution]\neager_units = {eager}\n");
        let (run, finished) = executed(GRAPH, "latency_cycles = 5\n", &more);
        timeline("a graph", &run, &finished, &Window::default(), None).unwrap().svg().to_owned()
    }

    #[test]
    fn operations_stand_in_the_rows_of_their_processors() {
        let svg = picture("0");
        for row in ["0.0", "0.1", "1.0"] {
            assert_eq!(svg.matches(&format!("\n{row}\n")).count(), 1, "{row}");
        }
        for title in [
            "rank 0, computation: compute 100 cycles, 0 to 100",
            "rank 0, computation: compute 50 cycles, 0 to 50",
            "rank 0, send of 4 units to 1, tag 7: compute 10 cycles, 100 to 110",
            "rank 1, computation: compute 30 cycles, 0 to 30",
            // The computation covers its beginning.
            "rank 1, receive of 4 units from 0, tag 7: waiting 110 cycles, 0 to 110",
            "rank 1, receive of 4 units from 0, tag 7: transfer 9 cycles, 110 to 119",
            "rank 0, send of 4 units to 1, tag 7: transfer 9 cycles, 110 to 119",
        ] {
            assert_eq!(svg.matches(&format!("<title>{title}</title>")).count(), 1, "{title}");
        }
        assert_eq!(svg.matches("class=\"mark\"").count(), 7);
        assert_eq!(svg.matches("class=\"message\"").count(), 1);
    }

    #[test]
    fn eager_sends_are_over_when_they_set_out() {
        let svg = picture("\"all\"");
        assert!(!svg.contains("rank 0, send of 4 units to 1, tag 7: transfer"));
        assert!(svg.contains("rank 1, receive of 4 units from 0, tag 7: transfer 9 cycles, 110 to 119"));
    }

    /// A part of the first row.
    fn part(activity: Activity, from: u64, to: u64) -> Occupied {
        Occupied { row: 0, operation: 0, activity, from, to, whole: (from, to) }
    }

    #[test]
    fn what_comes_first_cuts_what_comes_later() {
        let parts = side_by_side(vec![
            part(Activity::Waiting, 0, 20),
            part(Activity::Compute, 5, 8),
            part(Activity::Transfer, 7, 12),
            part(Activity::Compute, 15, 30),
            part(Activity::Waiting, 6, 7),
        ]);
        let mut found: Vec<_> = parts.iter().map(|part| (part.from, part.to, part.activity)).collect();
        found.sort_by_key(|part| part.0);
        assert_eq!(
            found,
            [
                (0, 5, Activity::Waiting),
                (5, 8, Activity::Compute),
                (8, 12, Activity::Transfer),
                (12, 15, Activity::Waiting),
                (15, 30, Activity::Compute),
            ]
        );
    }

    /// Every cycle has the activity of the first part, by precedence, that occupies it.
    #[test]
    fn parts_side_by_side_are_those_of_a_row_of_cycles() {
        let mut state = 1_u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..300 {
            let kinds = [Activity::Compute, Activity::Transfer, Activity::Waiting];
            let all: Vec<Occupied> = (0..below(12))
                .map(|operation| {
                    let (from, kind) = (below(30), kinds[usize::try_from(below(3)).unwrap()]);
                    let operation = usize::try_from(operation).unwrap();
                    Occupied { operation, row: operation % 2, ..part(kind, from, from + 1 + below(12)) }
                })
                .collect();
            let mut cells = vec![[None; 2]; 50];
            for kind in kinds {
                let mut of_kind: Vec<_> = all.iter().filter(|one| one.activity == kind).collect();
                of_kind.sort_by_key(|part| part.from);
                for part in of_kind {
                    for cycle in part.from..part.to {
                        let cell = &mut cells[usize::try_from(cycle).unwrap()][part.row];
                        cell.get_or_insert((part.activity, part.operation));
                    }
                }
            }
            let mut drawn = vec![[None; 2]; 50];
            for part in side_by_side(all) {
                for cycle in part.from..part.to {
                    let cell = &mut drawn[usize::try_from(cycle).unwrap()][part.row];
                    assert!(cell.replace((part.activity, part.operation)).is_none(), "twice");
                }
            }
            assert_eq!(drawn, cells);
        }
    }

    /// A receive during a computation of its rank is hidden by the computation.
    #[test]
    fn a_message_that_is_there_within_a_computation_is_drawn() {
        for graph in [
            "num_ranks 2\nrank 0 {\na: calc 100\nb: recv 1b from 1\n}\nrank 1 {\na: send 1b to 0\n}\n",
            "num_ranks 2\nrank 0 {\ns: send 640b to 1 tag 0\n}\nrank 1 {\na: calc 5000\nr: recv 640b from 0 tag 0\n}\n",
        ] {
            let (run, finished) = executed(graph, "", "");
            let picture = timeline("a graph", &run, &finished, &Window::default(), None).unwrap();
            assert!(picture.svg().contains("computation: compute "), "{}", picture.svg());
        }
    }

    #[test]
    fn more_activities_than_a_picture_holds_are_refused_and_a_part_is_drawn() {
        let count = MAX_MARKS + 1;
        let calcs: String = (0..count).map(|place| format!("c{place}: calc 1\n")).collect();
        let graph = format!("num_ranks 2\nrank 0 {{\n{calcs}}}\nrank 1 {{\n}}\n");
        let (run, finished) = executed(&graph, "", "");
        let draw = |cycles, memory| {
            timeline("a graph", &run, &finished, &Window { processes: None, cycles, memory }, None)
        };
        assert_eq!(draw(None, None).unwrap_err(), PictureError::TooManyMarks { most: MAX_MARKS });
        assert!(matches!(draw(Some(0..=100_000), Some(1 << 20)), Err(PictureError::TooLarge { .. })));
        assert!(draw(Some(0..=1000), Some(1 << 20)).is_ok());
    }
}
