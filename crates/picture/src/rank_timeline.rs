//! Timelines of the ranks of a job (`docs/model.md` section 23.6): a lane for each rank, with its activity in every
//! cycle.
//!
//! If there are many ranks, consecutive ones with equal activities share a lane; if there are still too many, groups of
//! equally many consecutive ranks share the lane of the first.

use cubefold_records::FinishedRun;
use cubefold_scenario::Run;
use cubefold_simulator::{JobStep, RankPart, RankSpan};

use crate::{
    activity_diagram::{ActivityDiagram, Span, down_and_across},
    error::PictureError,
    palette::Activity,
    picture::Picture,
    space_time::{MAX_PROCESSES, Window},
    time_scale::TimeScale,
};

/// The most ranks with a lane each.
const MAX_ALONE: usize = 32;

/// Consecutive ranks that share a lane.
struct Lane<'run> {
    first: u32,
    last: u32,
    spans: &'run [RankSpan], // of the first rank
}

/// Draws the activities of the ranks of a job; the window's rows are ranks.
///
/// # Errors
///
/// When the window is not inside the run, or there are too many activities for a picture or the memory limit.
pub(crate) fn rank_timeline(
    caption: &str,
    run: &Run,
    finished: &FinishedRun,
    window: &Window,
) -> Result<Picture, PictureError> {
    let steps: &[JobStep] = run.program.job.as_deref().map_or(&[], |job| job.steps());
    let shown = window.rows("ranks", run.program.rank_count().saturating_sub(1))?;
    let makespan = finished.outcome.summary.makespan().get();
    let cycles = window.cycles(makespan)?;
    let lanes = lanes(finished, *shown.start(), *shown.end());
    let name = |lane: &Lane<'_>| {
        if lane.first == lane.last {
            lane.first.to_string()
        } else {
            format!("{}..{}", lane.first, lane.last)
        }
    };
    let diagram = ActivityDiagram {
        caption,
        description: format!(
            "Timeline of {caption}: {}; ranks that share a lane do what the first does.",
            down_and_across("ranks", &shown, &cycles)
        ),
        row_title: "rank",
        rows: lanes.iter().map(name).collect(),
        makespan,
        cycles,
        scale: TimeScale::of(run),
    };
    let mut spans = vec![];
    for (row, lane) in lanes.iter().enumerate() {
        let shown = lane.spans.iter().filter(|span| diagram.shows(span.from.get(), span.to.get()));
        spans.extend(shown.map(|span| mark(row, span, steps, &name(lane))));
        window.check_marks(spans.len())?;
    }
    diagram.draw(&spans, &[], &[])
}

/// The mark of an activity of a rank.
fn mark(row: usize, span: &RankSpan, steps: &[JobStep], lane: &str) -> Span {
    let (activity, what) = match span.part {
        RankPart::Computation => (Activity::Compute, "computes"),
        RankPart::Communication => (Activity::Transfer, "communicates"),
        RankPart::Bubble => (Activity::Waiting, "waits for other ranks"),
    };
    let step = span.step.and_then(|place| steps.get(place as usize % steps.len().max(1)));
    let step = step.map(|step| format!(", {}", step.name)).unwrap_or_default();
    let (from, to) = (span.from.get(), span.to.get());
    Span { row, activity, from, to, title: format!("rank {lane} {what}{step}, cycles {from} to {to}") }
}

/// The lanes of the ranks from `first` to `last`.
fn lanes(finished: &FinishedRun, first: u64, last: u64) -> Vec<Lane<'_>> {
    let of_rank = |rank: u64| {
        let begin = finished.rank_spans.partition_point(|span| u64::from(span.rank) < rank);
        let end = finished.rank_spans.partition_point(|span| u64::from(span.rank) <= rank);
        &finished.rank_spans[begin..end]
    };
    let alone = (first..=last).map(|rank| {
        let label = u32::try_from(rank).unwrap_or(u32::MAX);
        Lane { first: label, last: label, spans: of_rank(rank) }
    });
    let mut lanes: Vec<Lane<'_>> = alone.collect();
    if lanes.len() > MAX_ALONE {
        let is_same = |one: &RankSpan, other: &RankSpan| {
            (one.part, one.step, one.from, one.to) == (other.part, other.step, other.from, other.to)
        };
        lanes = merged(lanes, |before, next| {
            let [one, other] = [before.spans, next.spans];
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        });
    }
    let most = usize::try_from(MAX_PROCESSES).unwrap_or(usize::MAX);
    if lanes.len() > most {
        let together = lanes.len().div_ceil(most);
        let mut place = 0;
        lanes = merged(lanes, |_, _| {
            place += 1;
            place % together != 0
        });
    }
    lanes
}

/// Merges lanes with the lanes before them.
fn merged<'run>(
    lanes: Vec<Lane<'run>>,
    mut joins: impl FnMut(&Lane<'run>, &Lane<'run>) -> bool,
) -> Vec<Lane<'run>> {
    let mut joined: Vec<Lane<'run>> = vec![];
    for lane in lanes {
        match joined.last_mut() {
            Some(before) if joins(before, &lane) => before.last = lane.last,
            _ => joined.push(lane),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use cubefold_runs::KeepRecords;

    use super::*;
    use crate::{
        support::{finished_with, run},
        timeline::{Lanes, timeline},
    };

    const PIPELINE: &str = "[machine]\nkind = \"torus\"\nshape = [16, 4]\n[program]\nshape = [16, 4]\n[[program.steps]]\n\
                            kind = \"pipeline\"\nover = [1]\nmicrobatches = 4\nschedule = \"1f1b\"\nunits = 3\n\
                            forward = [{ compute_cycles = 10 }]\nbackward = [{ compute_cycles = 20 }]\n";

    #[test]
    fn ranks_that_do_the_same_share_a_lane() {
        let run = run(PIPELINE);
        let finished = finished_with(&run, KeepRecords::WithOperations);
        let picture = timeline("a pipeline", &run, &finished, &Window::default(), None).unwrap();
        let svg = picture.svg();
        for lane in ["0..15", "16..31", "32..47", "48..63"] {
            assert_eq!(svg.matches(&format!("\n{lane}\n")).count(), 1, "{lane}");
        }
        assert!(svg.contains("rank 0..15 computes, F0.0.0 compute, cycles 0 to 10"));
        assert!(svg.contains("rank 48..63 waits for other ranks, cycles "));
        let one = Window { processes: Some(17..=18), cycles: None, memory: None };
        let one = timeline("a pipeline", &run, &finished, &one, Some(Lanes::Ranks)).unwrap();
        assert!(one.svg().contains("rank 17 communicates, F0.0.0 send") && !one.svg().contains("rank 16"));
        // The activities of a rank add up to its finish time.
        let all = finished.rank_spans.iter().filter(|span| span.rank == 0);
        let sum: u64 = all.map(|span| (span.to - span.from).get()).sum();
        let times = &finished.outcome.job.as_ref().unwrap().by_rank[0];
        assert_eq!(sum, times.computation + times.communication + times.bubble);
    }

    #[test]
    fn steps_of_a_pipeline_share_the_lane_of_their_stage() {
        let run = run(PIPELINE);
        let finished = finished_with(&run, KeepRecords::WithOperations);
        let picture =
            timeline("a pipeline", &run, &finished, &Window::default(), Some(Lanes::Steps)).unwrap();
        let svg = picture.svg();
        for lane in ["F0 stage 3", "B0 stage 0", "F0 stage 2 send", "B0 stage 1 send"] {
            assert_eq!(svg.matches(&format!("\n{lane}\n")).count(), 1, "{lane}");
        }
        assert_eq!(svg.matches("class=\"mark\"").count(), 2 * 4 * 4 + 2 * 3 * 4);
    }
}
