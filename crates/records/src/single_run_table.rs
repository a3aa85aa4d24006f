//! Tables of single runs as people read them, in the terminal and in reports: the steps of a job, and the
//! communication of Chakra traces.

use cubefold_formats::input::engineering_seconds;

use super::{JobStepRecord, PipelineRecord, RunRecord, TaskTimesRecord, TraceTimesRecord};

/// The most rows of a table of steps.
const MAX_ROWS: usize = 60;
/// The most computation steps that a cell names.
const MAX_NAMED: usize = 3;

/// A table of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleRunTable {
    /// Its columns.
    pub columns: Vec<SingleRunColumn>,
    /// Its rows, with a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// The number of rows that are left out.
    pub left_out: u64,
}

/// A column of such a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SingleRunColumn {
    /// The header.
    pub title: &'static str,
    /// The name of its definition; empty if it has none.
    pub definition: &'static str,
    /// Whether its cells are words, not numbers.
    pub has_words: bool,
}

impl SingleRunColumn {
    const fn words(title: &'static str, definition: &'static str) -> Self {
        Self { title, definition, has_words: true }
    }

    const fn numbers(title: &'static str, definition: &'static str) -> Self {
        Self { title, definition, has_words: false }
    }
}

impl SingleRunTable {
    /// The most runs of a scenario whose tables are shown.
    pub const MAX_RUNS: usize = 4;

    /// The sentence on the columns of [`RunRecord::trace_table`].
    pub const TRACES_IN_WORDS: &'static str = "Traced and simulated are the mean times of an operation at a rank, the latter from when it may begin until \
         it is over there; ratio is simulated / traced.";

    /// The table of these steps, of at most `most` rows.
    fn of_steps(steps: &[&JobStepRecord], most: usize) -> Self {
        let has_iterations = steps.last().is_some_and(|last| last.iteration > 0);
        let has_seconds = steps.iter().any(|step| step.begin_seconds.is_some());
        let mut columns = vec![SingleRunColumn::words("step", "step"), SingleRunColumn::words("kind", "")];
        columns.extend(has_iterations.then_some(SingleRunColumn::numbers("iteration", "iteration")));
        columns.push(SingleRunColumn::numbers("ranks", "steps_ranks"));
        columns
            .extend(["begin", "finish"].map(|title| SingleRunColumn::numbers(title, "steps_begin_cycles")));
        columns.extend(has_seconds.then_some(SingleRunColumn::numbers("takes", "")));
        columns.extend([
            SingleRunColumn::numbers("share", "steps_share"),
            SingleRunColumn::numbers("exposed", "steps_exposed_cycles"),
            SingleRunColumn::numbers("hidden", "steps_hidden_cycles"),
            SingleRunColumn::words("behind", "steps_behind"),
        ]);
        let row = |step: &JobStepRecord| {
            let mut row = vec![step.name.clone(), step.kind.to_string()];
            row.extend(has_iterations.then(|| step.iteration.to_string()));
            row.push(step.ranks.map(|ranks| ranks.to_string()).unwrap_or_default());
            row.extend([step.begin_cycles, step.finish_cycles].map(|cycles| cycles.to_string()));
            let seconds = step.begin_seconds.zip(step.finish_seconds).map(|(begin, finish)| finish - begin);
            row.extend(has_seconds.then(|| seconds.map(engineering_seconds).unwrap_or_default()));
            row.push(step.share.map(percent).unwrap_or_default());
            row.push(step.exposed_mean_cycles().map(|cycles| format!("{cycles:.0}")).unwrap_or_default());
            row.push(step.hidden_share.map(percent).unwrap_or_default());
            row.push(first_names(step.behind.as_deref().unwrap_or_default()));
            row
        };
        let rows = steps.iter().take(most).map(|step| row(step)).collect();
        Self { columns, rows, left_out: steps.len().saturating_sub(most) as u64 }
    }

    fn of_pipelines(pipelines: &[PipelineRecord]) -> Self {
        let has_iterations = pipelines.last().is_some_and(|last| last.iteration > 0);
        let has_seconds = pipelines.iter().any(|pipeline| pipeline.begin_seconds.is_some());
        let mut columns = vec![SingleRunColumn::words("pipeline", "pipelines")];
        columns.extend(has_iterations.then_some(SingleRunColumn::numbers("iteration", "iteration")));
        columns.extend(["begin", "finish"].map(|title| SingleRunColumn::numbers(title, "pipelines")));
        columns.push(SingleRunColumn::words("task", "pipelines"));
        columns
            .extend(["count", "least", "greatest"].map(|title| SingleRunColumn::numbers(title, "pipelines")));
        columns.extend(has_seconds.then_some(SingleRunColumn::numbers("greatest in seconds", "")));
        let of_task = |pipeline: &PipelineRecord, task: &TaskTimesRecord| {
            let mut row = vec![pipeline.name.clone()];
            row.extend(has_iterations.then(|| pipeline.iteration.to_string()));
            row.extend([pipeline.begin_cycles, pipeline.finish_cycles].map(|cycles| cycles.to_string()));
            row.push(task.task.to_string());
            row.extend(
                [task.count, task.least_cycles, task.greatest_cycles].map(|number| number.to_string()),
            );
            #[expect(clippy::cast_precision_loss, reason = "seconds with few digits")]
            let seconds = pipeline.cycle_seconds().map(|cycle| cycle * task.greatest_cycles as f64);
            row.extend(has_seconds.then(|| seconds.map(engineering_seconds).unwrap_or_default()));
            row
        };
        let rows = pipelines
            .iter()
            .flat_map(|pipeline| pipeline.tasks.iter().map(move |task| of_task(pipeline, task)));
        let mut rows: Vec<Vec<String>> = rows.collect();
        let left_out = rows.len().saturating_sub(MAX_ROWS) as u64;
        rows.truncate(MAX_ROWS);
        Self { columns, rows, left_out }
    }

    fn of_traces(times: &[TraceTimesRecord]) -> Self {
        let columns = vec![
            SingleRunColumn::words("operation", ""),
            SingleRunColumn::numbers("at ranks", ""),
            SingleRunColumn::numbers("traced", "trace_communication"),
            SingleRunColumn::numbers("simulated", "trace_communication"),
            SingleRunColumn::numbers("ratio", ""),
        ];
        let row = |times: &TraceTimesRecord| {
            #[expect(clippy::cast_precision_loss, reason = "a mean with three digits")]
            let mean = |seconds: f64, operations: u64| seconds / operations as f64;
            // None is traced, or an older file does not say how many.
            let timed = if times.traced_operations > 0 { times.traced_operations } else { times.operations };
            let traced = mean(times.traced_seconds, timed);
            let simulated = mean(times.simulated_seconds, times.operations);
            let all = times.operations;
            let at_ranks = if timed == all { all.to_string() } else { format!("{all}, {timed} traced") };
            vec![
                times.kind.to_string(),
                at_ranks,
                if traced > 0.0 { engineering_seconds(traced) } else { String::new() },
                engineering_seconds(simulated),
                if traced > 0.0 { format!("{:.2}", simulated / traced) } else { String::new() },
            ]
        };
        Self { columns, rows: times.iter().map(row).collect(), left_out: 0 }
    }
}

impl RunRecord {
    /// The table of the first steps of a job, without those of pipelines; `None` for other programs, and if no step is left.
    #[must_use]
    pub fn step_table(&self) -> Option<SingleRunTable> {
        let steps = self.steps.as_deref()?.iter().filter(|step| step.pipeline.is_none());
        let steps: Vec<&JobStepRecord> = steps.collect();
        (!steps.is_empty()).then(|| SingleRunTable::of_steps(&steps, MAX_ROWS))
    }

    /// The table of all steps of a job; `None` for other programs.
    #[must_use]
    pub fn all_steps_table(&self) -> Option<SingleRunTable> {
        let steps: Vec<&JobStepRecord> = self.steps.as_deref()?.iter().collect();
        Some(SingleRunTable::of_steps(&steps, usize::MAX))
    }

    /// The table of the pipelines of a job; `None` if it has none.
    #[must_use]
    pub fn pipeline_table(&self) -> Option<SingleRunTable> {
        self.pipelines.as_deref().filter(|pipelines| !pipelines.is_empty()).map(SingleRunTable::of_pipelines)
    }

    /// The table of the communication of traces that say how long theirs took; `None` for other programs.
    #[must_use]
    pub fn trace_table(&self) -> Option<SingleRunTable> {
        self.trace_communication.as_deref().map(SingleRunTable::of_traces)
    }

    /// A sentence on the exposed cycles of a job or of traces.
    #[must_use]
    pub fn exposed_in_words(&self) -> Option<String> {
        let mean = self.exposed_mean_cycles?;
        let share =
            self.exposed_share().map(|share| format!(", {share} of the makespan")).unwrap_or_default();
        let why = self.why_exposed();
        Some(format!("Of the time of a rank {mean:.1} cycles{share} are exposed: {why}."))
    }

    /// A sentence on the exposed cycles of each of several runs.
    #[must_use]
    pub fn all_exposed_in_words<'a>(runs: impl Iterator<Item = &'a Self>) -> Option<String> {
        let mut why = None;
        let shares: Vec<String> = runs
            .filter_map(|run| {
                why.get_or_insert(run.why_exposed());
                Some(format!("{} in run {}", run.exposed_share()?, run.run))
            })
            .collect();
        let why = why.filter(|_| !shares.is_empty())?;
        Some(format!("Exposed is the share of the makespan of a rank in which {why}: {}.", shares.join(", ")))
    }

    /// The mean exposed share of the makespan of a rank.
    fn exposed_share(&self) -> Option<String> {
        #[expect(clippy::cast_precision_loss, reason = "a share in percent")]
        let makespan = self.makespan_cycles.filter(|cycles| *cycles > 0)? as f64;
        Some(percent(self.exposed_mean_cycles? / makespan))
    }

    fn why_exposed(&self) -> &'static str {
        if self.steps.is_some() { "no computation step of it runs" } else { "its device does not compute" }
    }
}

/// A share in percent, with one decimal.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0).round() / 10.0)
}

/// The first names; `..` stands for others.
fn first_names(names: &[String]) -> String {
    let mut shown: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    if names.len() > MAX_NAMED {
        shown.push("..");
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_short() {
        assert_eq!(
            [0.8, 1.0 / 3.0, 0.0625, 0.0, 1.0].map(percent),
            ["80.0 %", "33.3 %", "6.3 %", "0.0 %", "100.0 %"]
        );
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        assert_eq!((first_names(&names[..3]), first_names(&names)), ("a, b, c".into(), "a, b, c, ..".into()));
    }

    #[test]
    fn what_an_older_file_lacks_is_empty() {
        let text =
            r#"{ "iteration": 0, "name": "a", "kind": "send", "begin_cycles": 1, "finish_cycles": 3 }"#;
        let step: JobStepRecord = serde_json::from_str(text).unwrap();
        let table = SingleRunTable::of_steps(&[&step], 1);
        assert_eq!(table.rows, [["a", "send", "", "1", "3", "", "", "", ""]]);
    }

    #[test]
    fn rows_of_traces_have_the_mean_of_an_operation() {
        let times = TraceTimesRecord {
            kind: "all-reduce".into(),
            operations: 4,
            traced_operations: 4,
            traced_seconds: 8e-6,
            simulated_seconds: 6e-6,
            simulated_cycles: 6000,
        };
        let untraced = TraceTimesRecord { traced_operations: 0, traced_seconds: 0.0, ..times.clone() };
        let some = TraceTimesRecord { traced_operations: 1, ..times.clone() };
        let table = SingleRunTable::of_traces(&[times, untraced, some]);
        assert_eq!(table.rows[0], ["all-reduce", "4", "2.00 us", "1.50 us", "0.75"]);
        assert_eq!(table.rows[1], ["all-reduce", "4", "", "1.50 us", ""]);
        assert_eq!(table.rows[2], ["all-reduce", "4, 1 traced", "8.00 us", "1.50 us", "0.19"]);
    }
}
