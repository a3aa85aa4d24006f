//! Timelines of task graphs (`docs/model.md` section 18): ranks down, with their processors, time across. A row shows
//! computations, and in the remaining time the messages that the rank awaits.

use std::collections::BTreeMap;

use cubefold_experiment::{FinishedRun, Run};
use cubefold_simulator::{Operation, OperationKind, OperationTimes, TaskGraph};

use crate::{
    activity_diagram::{ActivityDiagram, Arrow, Span},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    space_time::{MAX_PROCESSES, Window},
    time_scale::TimeScale,
    timeline::{MAX_ARROWS, MAX_ROWS_WITH_ARROWS},
};

/// Draws the operations of a task graph from their kept records.
///
/// # Errors
///
/// When the window is not inside the run, or the ranks have more than [`MAX_PROCESSES`] processors.
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
        description: format!(
            "Timeline of {caption}: ranks {} to {} down, cycles {} to {} across.",
            ranks.start(),
            ranks.end(),
            cycles.start(),
            cycles.end()
        ),
        row_title: if rows.has_processors { "rank.cpu" } else { "rank" },
        rows: rows.names(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let history = History { run, graph, times: &finished.operations, scale: diagram.scale };
    let mut spans = vec![];
    for (place, own) in schedule.operations().iter().enumerate() {
        if let Some(row) = rows.of(own) {
            history.add_spans(place, row, &mut spans);
        }
    }
    let (first, last) = (*diagram.cycles.start(), *diagram.cycles.end());
    spans.retain(|span| span.from.max(first) < span.to.min(last));
    let mut arrows = history.arrows(&rows);
    if diagram.rows.len() > MAX_ROWS_WITH_ARROWS || arrows.len() > MAX_ARROWS {
        arrows.clear();
    }
    diagram.draw(&side_by_side(spans), &[], &arrows)
}

/// The rows of a timeline, one per processor of a rank.
struct Rows {
    places: BTreeMap<(u64, u16), usize>,
    has_processors: bool, // a rank has several
}

impl Rows {
    fn new(operations: &[Operation], is_shown: impl Fn(u64) -> bool) -> Self {
        let shown = operations.iter().map(|own| (u64::from(own.process.label()), own.processor));
        let mut places: BTreeMap<(u64, u16), usize> =
            shown.filter(|&(rank, _)| is_shown(rank)).map(|own| (own, 0)).collect();
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

    /// The cycle at which the message of a send sets out; `None` if its receive never came.
    fn sets_out(&self, send: usize) -> u64 {
        let begun = self.times[send].begun.get();
        let receive = self.times[send].partner.map(|receive| self.times[receive as usize].begun.get());
        if self.run.communication.is_eager(self.units(send)) {
            begun
        } else {
            begun.max(receive.unwrap_or(0))
        }
    }

    /// Adds the activities of an operation, with their priorities where they overlap.
    fn add_spans(&self, place: usize, row: usize, spans: &mut Vec<Span>) {
        let (own, times) = (self.operation(place), &self.times[place]);
        let (begun, over) = (times.begun.get(), times.over.get());
        let (rank, peer, tag) = (own.process.label(), own.peer.label(), own.tag);
        let units = || match self.units(place) {
            1 => "1 unit".to_owned(),
            units => format!("{units} units"),
        };
        let what = match own.kind {
            OperationKind::Calc => format!("rank {rank}, computation"),
            OperationKind::Send => format!("rank {rank}, send of {} to {peer}, tag {tag}", units()),
            OperationKind::Receive => format!("rank {rank}, receive of {} from {peer}, tag {tag}", units()),
        };
        let mut add = |activity: Activity, from: u64, to: u64| {
            let cycles = to - from;
            let (unit, aside) = (if cycles == 1 { "cycle" } else { "cycles" }, self.scale.aside(cycles));
            let doing = activity.name();
            let title = format!("{what}: {doing} {cycles} {unit}, {from} to {to}{aside}");
            spans.push(Span { row, activity, from, to, title });
        };
        let sets_out = match (own.kind, times.partner) {
            (OperationKind::Calc, _) => return add(Activity::Compute, begun, over),
            (OperationKind::Send, _) => {
                add(Activity::Compute, begun.saturating_sub(self.graph.overhead().get()), begun);
                self.sets_out(place)
            }
            (OperationKind::Receive, Some(send)) => self.sets_out(send as usize),
            (OperationKind::Receive, None) => over,
        };
        let moves = sets_out.clamp(begun, over);
        add(Activity::Waiting, begun, moves);
        add(Activity::Transfer, moves, over);
    }

    /// The messages between rows.
    fn arrows(&self, rows: &Rows) -> Vec<Arrow> {
        let schedule = self.graph.schedule();
        let sends = schedule.operations().iter().enumerate();
        let arrow = |(place, own): (usize, &Operation)| {
            let receive = self.times[place].partner.filter(|_| own.kind == OperationKind::Send)? as usize;
            let ends = [rows.of(own)?, rows.of(self.operation(receive))?];
            let cycles = [self.sets_out(place), self.times[receive].over.get()];
            (cycles[0] < cycles[1]).then_some(Arrow { rows: ends, cycles })
        };
        sends.filter_map(arrow).take(MAX_ARROWS + 1).collect()
    }
}

/// Spans without overlaps in a row. Computations take precedence over transfers, and these over waiting; of one kind,
/// the span that begins first.
fn side_by_side(mut spans: Vec<Span>) -> Vec<Span> {
    let order = |activity: Activity| match activity {
        Activity::Compute => 0,
        Activity::Transfer => 1,
        _ => 2,
    };
    spans.sort_by_key(|span| (span.row, order(span.activity), span.from));
    let mut taken: BTreeMap<(usize, u64), u64> = BTreeMap::new(); // by row and beginning, the end
    let mut parts = vec![];
    for span in spans {
        let mut from = span.from;
        // An earlier part that reaches into this one.
        if let Some((_, &end)) = taken.range((span.row, 0)..=(span.row, from)).next_back() {
            from = from.max(end);
        }
        let inside: Vec<(u64, u64)> = taken
            .range((span.row, from)..(span.row, span.to))
            .map(|(&(_, begin), &end)| (begin, end))
            .collect();
        for (begin, end) in inside.into_iter().chain([(span.to, span.to)]) {
            if from < begin {
                taken.insert((span.row, from), begin);
                parts.push(Span { from, to: begin, ..span.clone() });
            }
            from = from.max(end);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{support::run_of_files, timeline};
    use cubefold_experiment::{KeepRecords, Progress, execute};

    const GRAPH: &str = "num_ranks 2\n\
        rank 0 {\na: calc 100\nb: send 4b to 1 tag 7\nb requires a\nc: calc 50 cpu 1\n}\n\
        rank 1 {\na: recv 4b from 0 tag 7\nb: calc 30\n}\n";

    fn picture(eager: &str) -> String {
        let scenario = format!(
            "[machine]\nkind = \"ring\"\nshape = [4]\nlatency_cycles = 5\n\
             [program]\nkind = \"goal\"\nfile = \"a.goal\"\ncompute_cycles = 10\n[execution]\neager_units = {eager}\n"
        );
        let run = run_of_files(&scenario, &[("a.goal", GRAPH)]);
        let finished = execute(&run, 0, KeepRecords::WithOperations, &Progress::default()).unwrap();
        timeline("a graph", &run, &finished, &Window::default()).unwrap().svg().to_owned()
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

    #[test]
    fn what_comes_first_cuts_what_comes_later() {
        let span = |activity, from, to| Span { row: 0, activity, from, to, title: String::new() };
        let parts = side_by_side(vec![
            span(Activity::Waiting, 0, 20),
            span(Activity::Compute, 5, 8),
            span(Activity::Transfer, 7, 12),
            span(Activity::Compute, 15, 30),
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
}
