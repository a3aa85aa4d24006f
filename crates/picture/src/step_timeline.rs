//! Timelines of the steps of jobs (`docs/model.md` section 23): a lane for each step, or stage of a pipeline, time
//! across. A lane shows the time from the earliest start to the latest finish of the step over all ranks, in every
//! iteration; computations and messages differ in colour.

use std::collections::BTreeMap;

use cubefold_records::FinishedRun;
use cubefold_scenario::Run;
use cubefold_simulator::{JobStep, JobTimes};

use crate::{
    activity_diagram::{ActivityDiagram, Span},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    space_time::{MAX_PROCESSES, Window},
    time_scale::TimeScale,
};

/// The longest name of a lane; longer ones are shortened.
const MAX_NAME: usize = 24;

/// Draws the steps of a job; the window's rows are steps.
///
/// # Errors
///
/// When the window is not inside the run, or there are more than [`MAX_PROCESSES`] steps.
pub(crate) fn step_timeline(
    caption: &str,
    run: &Run,
    times: &JobTimes,
    finished: &FinishedRun,
    window: &Window,
) -> Result<Picture, PictureError> {
    let steps: &[JobStep] = run.program.job.as_deref().map_or(&[], |job| job.steps());
    let lanes = lanes(run, steps);
    let shown = window.rows("steps", (lanes.len() as u64).saturating_sub(1))?;
    let makespan = finished.outcome.summary.makespan().get();
    let cycles = window.cycles(makespan)?;
    let found = shown.end() - shown.start() + 1;
    if found > MAX_PROCESSES {
        return Err(PictureError::TooManyRows { found, most: MAX_PROCESSES });
    }
    let first = usize::try_from(*shown.start()).unwrap_or(usize::MAX);
    let lanes = || lanes.iter().skip(first).take(usize::try_from(found).unwrap_or(usize::MAX));
    let diagram = ActivityDiagram {
        caption,
        description: format!(
            "Timeline of {caption}: steps down, cycles {} to {} across.",
            cycles.start(),
            cycles.end()
        ),
        row_title: "step",
        rows: lanes().map(|lane| short(&lane.name)).collect(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let mut spans = vec![];
    for (iteration, step_times) in times.steps.chunks(steps.len().max(1)).enumerate() {
        for (row, lane) in lanes().enumerate() {
            for &place in &lane.steps {
                let (from, to) = (step_times[place].begin.get(), step_times[place].finish.get());
                let step = &steps[place];
                let (activity, what) = match step.computation() {
                    Some(_) => (Activity::Compute, "computation"),
                    None => (Activity::Transfer, "messages"),
                };
                let name = &step.name;
                let title = format!("{name}, iteration {iteration}: {what}, cycles {from} to {to}");
                spans.push(Span { row, activity, from, to, title });
            }
        }
        spans.retain(|span| diagram.shows(span.from, span.to));
        window.check_marks(spans.len())?;
    }
    diagram.draw(&spans, &[], &[])
}

/// The steps of a lane.
struct Lane {
    name: String,
    steps: Vec<usize>,
}

/// A lane for each step; the tasks of a stage of a pipeline share one, and so do their sends.
fn lanes(run: &Run, steps: &[JobStep]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = vec![];
    let mut lane_of: Vec<Option<usize>> = vec![None; steps.len()];
    for pipeline in &*run.program.pipelines {
        let prefix = &pipeline.prefix;
        let mut kinds = BTreeMap::new();
        for task in &pipeline.tasks {
            let place = *kinds.entry((task.kind, task.chunk, task.stage)).or_insert_with(|| {
                let (pass, send) = task.kind.split_at(1);
                let name = format!("{prefix}{pass}{} stage {}{send}", task.chunk, task.stage);
                lanes.push(Lane { name, steps: vec![] });
                lanes.len() - 1
            });
            lane_of[task.first..=task.last].fill(Some(place));
        }
    }
    // In the order of the first step of each.
    let mut ordered: Vec<Lane> = vec![];
    let mut places: Vec<Option<usize>> = vec![None; lanes.len()];
    for (step, lane) in lane_of.into_iter().enumerate() {
        let known = lane.and_then(|lane| places[lane]);
        if let Some(place) = known {
            ordered[place].steps.push(step);
            continue;
        }
        let name = lane.map_or_else(|| steps[step].name.clone(), |lane| lanes[lane].name.clone());
        if let Some(lane) = lane {
            places[lane] = Some(ordered.len());
        }
        ordered.push(Lane { name, steps: vec![step] });
    }
    ordered
}

/// A name that fits beside the lanes.
fn short(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let begin: String = name.chars().take(MAX_NAME - 2).collect();
    format!("{begin}..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        font::text_width,
        support::{finished, run},
        timeline::timeline,
    };

    const JOB: &str = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\niterations = 2\n\
                       [[program.steps]]\nname = \"backward\"\ncompute_cycles = 50\n\
                       [[program.steps]]\nname = \"gradients\"\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 64\n\
                       [[program.steps]]\nname = \"a computation beside the others\"\ncompute_cycles = 30\nafter = [\"backward\"]\n";

    #[test]
    fn every_step_has_a_lane_and_computations_differ_from_messages() {
        let run = run(JOB);
        let picture = timeline("a job", &run, &finished(&run), &Window::default(), None).unwrap();
        let svg = picture.svg();
        for name in ["backward", "gradients", "a computation beside t.."] {
            assert!(svg.contains(name), "{name}");
        }
        assert_eq!(svg.matches("class=\"mark\"").count(), 6, "three steps in two iterations");
        // Names end at the lanes, and begin inside the picture.
        let ends = svg
            .lines()
            .filter(|line| line.contains("text-anchor=\"end\""))
            .filter_map(|line| line.split_once("x=\"")?.1.split_once('"')?.0.parse::<f64>().ok());
        let name = text_width("a computation beside t..", crate::sheet::TEXT);
        assert!(ends.clone().any(|x| x >= name), "{name} {:?}", ends.collect::<Vec<_>>());
        assert!(svg.contains("backward, iteration 0: computation, cycles 0 to 50"));
        assert!(svg.contains("gradients, iteration 1: messages, cycles "));
        let one = Window { processes: Some(1..=1), cycles: None, memory: None };
        let one = timeline("a job", &run, &finished(&run), &one, None).unwrap();
        assert_eq!(one.svg().matches("class=\"mark\"").count(), 2);
    }
}
