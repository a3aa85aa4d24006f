//! The steps of jobs, below the tables of runs: begin, finish, share of the whole, and what hides behind what.

use cubefold_experiment::{
    engineering_seconds,
    records::{JobStepRecord, RunCaption, RunRecord, counted},
};

use super::{Page, TextTable};

/// The most runs whose steps are shown.
const MAX_RUNS: usize = 4;
/// The most rows of a table.
const MAX_ROWS: usize = 60;
/// The most computations that a step is said to hide behind.
const MAX_NAMED: usize = 3;

/// Adds a table of the steps of each run that is a job, and sentences on what is exposed.
pub(super) fn add_steps(page: &mut Page, runs: &[RunCaption], records: &[RunRecord]) {
    let jobs: Vec<(&RunCaption, &RunRecord, &[JobStepRecord])> = runs
        .iter()
        .zip(records)
        .filter_map(|(run, record)| Some((run, record, record.steps.as_deref()?)))
        .collect();
    let mut notes = vec![];
    for &(run, record, steps) in jobs.iter().take(MAX_RUNS) {
        let name =
            if jobs.len() > 1 { format!(" of run {}, {}", record.run, run.embedding) } else { String::new() };
        page.table(TextTable { caption: Some(format!("steps{name}")), ..table(record, steps) });
        if let Some(hidden) = steps.len().checked_sub(MAX_ROWS).filter(|&hidden| hidden > 0) {
            notes.push(format!("{} are in JSON only.", counted(hidden as u64, "further row")));
        }
    }
    if jobs.len() > MAX_RUNS {
        notes.push(format!("The steps of the first {MAX_RUNS} runs; those of all are in JSON."));
    }
    notes.extend(jobs.iter().take(MAX_RUNS).filter_map(|(_, record, _)| exposed(record, jobs.len() > 1)));
    page.notes(notes);
}

fn table(record: &RunRecord, steps: &[JobStepRecord]) -> TextTable {
    let has_iterations = steps.last().is_some_and(|last| last.iteration > 0);
    let has_seconds = steps.iter().any(|step| step.begin_seconds.is_some());
    let mut header = vec!["step".to_owned(), "kind".to_owned()];
    header.extend(has_iterations.then(|| "iteration".to_owned()));
    header.extend(["begin", "finish"].map(str::to_owned));
    header.extend(has_seconds.then(|| "takes".to_owned()));
    header.extend(["share", "hidden", "behind"].map(str::to_owned));
    let row = |step: &JobStepRecord| {
        let length = step.finish_cycles - step.begin_cycles;
        let mut row = vec![step.name.clone(), step.kind.to_string()];
        row.extend(has_iterations.then(|| step.iteration.to_string()));
        row.extend([step.begin_cycles, step.finish_cycles].map(|cycles| cycles.to_string()));
        let seconds = step.begin_seconds.zip(step.finish_seconds).map(|(begin, finish)| finish - begin);
        row.extend(has_seconds.then(|| seconds.map(engineering_seconds).unwrap_or_default()));
        row.push(percent(length, record.makespan_cycles.unwrap_or(0)));
        let (hidden, behind) = hidden(step, steps);
        row.push(if step.is_computation() { String::new() } else { percent(hidden, length) });
        row.push(behind);
        row
    };
    TextTable {
        rows: steps.iter().take(MAX_ROWS).map(row).collect(),
        header,
        words: 2,
        gives_way: &["behind", "kind", "takes"],
        ..TextTable::default()
    }
}

fn percent(part: u64, of: u64) -> String {
    let tenths = (u128::from(part) * 1000 + u128::from(of) / 2).checked_div(of.into()).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// The cycles of a step of messages in which a computation step runs, and the names of those with the most.
fn hidden(step: &JobStepRecord, steps: &[JobStepRecord]) -> (u64, String) {
    if step.is_computation() {
        return (0, String::new());
    }
    let overlap = |other: &JobStepRecord| {
        let (begin, end) =
            (step.begin_cycles.max(other.begin_cycles), step.finish_cycles.min(other.finish_cycles));
        (begin < end).then_some((begin, end))
    };
    let computations = steps.iter().filter(|other| other.is_computation());
    let mut parts: Vec<(u64, u64, &str)> = computations
        .filter_map(|other| overlap(other).map(|(begin, end)| (begin, end, other.name.as_str())))
        .collect();
    parts.sort_unstable();
    let (mut sum, mut until) = (0, 0);
    for &(begin, end, _) in &parts {
        sum += end.saturating_sub(begin.max(until));
        until = until.max(end);
    }
    parts.sort_by_key(|&(begin, end, _)| std::cmp::Reverse(end - begin));
    let mut names: Vec<&str> = parts.iter().take(MAX_NAMED).map(|part| part.2).collect();
    if parts.len() > MAX_NAMED {
        names.push("..");
    }
    (sum, names.join(", "))
}

/// A sentence on what no computation hides.
fn exposed(record: &RunRecord, has_several: bool) -> Option<String> {
    let mean = record.exposed_mean_cycles?;
    let share = match record.makespan_cycles {
        None | Some(0) => String::new(),
        Some(makespan) => {
            #[expect(clippy::cast_precision_loss, reason = "a share in percent")]
            let percent = 100.0 * mean / makespan as f64;
            format!(", {percent:.1} % of the makespan")
        }
    };
    let run = if has_several { format!("Run {}: of", record.run) } else { "Of".to_owned() };
    Some(format!(
        "{run} the time of a rank {mean:.1} cycles{share} are exposed: no computation step of it runs."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, kind: &'static str, begin_cycles: u64, finish_cycles: u64) -> JobStepRecord {
        let (iteration, begin_seconds, finish_seconds) = (0, None, None);
        let (name, kind) = (name.to_owned(), kind.into());
        JobStepRecord { iteration, name, kind, begin_cycles, finish_cycles, begin_seconds, finish_seconds }
    }

    #[test]
    fn what_hides_is_counted_once_and_the_longest_is_named_first() {
        let steps = [
            step("a", "computation", 0, 40),
            step("b", "computation", 30, 100),
            step("reduce", "all-reduce", 20, 120),
            step("later", "computation", 120, 130),
        ];
        assert_eq!(hidden(&steps[2], &steps), (80, "b, a".to_owned()));
        assert_eq!(hidden(&steps[0], &steps), (0, String::new()));
        assert_eq!(
            (percent(80, 100), percent(1, 3), percent(0, 0)),
            ("80.0 %".into(), "33.3 %".into(), "0.0 %".into())
        );
    }
}
