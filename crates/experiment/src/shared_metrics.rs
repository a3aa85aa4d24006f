//! Metrics of placements that several runs have in common, measured once.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, OnceLock},
};

use cubefold_mapping::PlacementMetrics;
use rayon::ThreadPool;

use crate::{
    Progress, Resources,
    job::{Job, do_jobs},
    scenario::Run,
};

/// For each run, the metrics of its placement where another run has the same placement.
///
/// They are measured before the runs: a run that waited for another's measurement would block a thread
/// that the measurement may need.
#[derive(Debug)]
pub(crate) struct SharedMetrics {
    by_run: Vec<Option<Arc<PlacementMetrics>>>,
}

/// The runs that have one placement, measured under one tie rule.
struct Group<'run> {
    run: &'run Run, // the first of them
    places: Vec<usize>,
}

impl SharedMetrics {
    /// Measures what at least `shared_by` of the runs have in common, in parallel; `progress` counts the runs whose
    /// placements are measured.
    pub(crate) fn measure(
        pool: &ThreadPool,
        runs: &[&Run],
        shared_by: usize,
        resources: Resources,
        progress: &Progress,
    ) -> Self {
        let groups: Vec<Group<'_>> =
            groups(runs).into_iter().filter(|group| group.places.len() >= shared_by).collect();
        let job = |(place, group): (usize, &Group<'_>)| Job {
            place,
            bytes: PlacementMetrics::bytes_to_measure(&group.run.placement),
        };
        let measured: Vec<OnceLock<Arc<PlacementMetrics>>> = groups.iter().map(|_| OnceLock::new()).collect();
        do_jobs(pool, groups.iter().enumerate().map(job), resources, |job, _| {
            // Where this fails every run of the group measures for itself, and fails by its own name.
            if let Ok(metrics) = catch_unwind(AssertUnwindSafe(|| measure(groups[job.place].run))) {
                measured[job.place].get_or_init(|| metrics);
            }
            progress.add(groups[job.place].places.len() as u64);
            Ok::<(), Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        let mut by_run = vec![None; runs.len()];
        for (group, metrics) in groups.iter().zip(measured) {
            let metrics = metrics.into_inner();
            group.places.iter().for_each(|&place| by_run[place].clone_from(&metrics));
        }
        Self { by_run }
    }

    /// The metrics of the run at `place`, which are then left to the caller.
    pub(crate) fn take(&mut self, place: usize) -> Option<Arc<PlacementMetrics>> {
        self.by_run[place].take()
    }
}

/// The metrics of a run's placement.
pub(crate) fn measure(run: &Run) -> Arc<PlacementMetrics> {
    Arc::new(run.program.measure(&run.placement, run.communication.tie()))
}

/// The runs by placement and tie rule, in the order in which these occur.
///
/// Equal placements of one guest are one in memory: the scenario's library sees to it.
fn groups<'run>(runs: &[&'run Run]) -> Vec<Group<'run>> {
    let mut known = BTreeMap::new();
    let mut groups: Vec<Group<'_>> = vec![];
    for (place, run) in runs.iter().enumerate() {
        let key = (Arc::as_ptr(&run.placement).addr(), run.communication.tie().name());
        let group = *known.entry(key).or_insert_with(|| {
            groups.push(Group { run, places: vec![] });
            groups.len() - 1
        });
        groups[group].places.push(place);
    }
    groups
}
