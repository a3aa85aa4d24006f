//! The one run of a scenario whose placement is asked for, and the addresses of its processes.

use cubefold_experiment::{Run, Scenario};
use cubefold_mapping::ProcessId;
use cubefold_topology::Coordinates;

use crate::{failure::Failure, grouping::all_runs};

/// The one run whose placement is asked for.
pub(super) fn one_run<'a>(scenarios: &'a [Scenario], embedding: Option<&str>) -> Result<&'a Run, Failure> {
    let runs = all_runs(scenarios);
    if scenarios.iter().any(|scenario| scenario.swept) {
        return Err(Failure::usage(
            "the scenario has a sweep, expected one placement",
            "remove [sweep], and write the values of one of its combinations into the file",
        ));
    }
    let names: Vec<String> = runs.iter().map(|run| run.embedding.to_string()).collect();
    let known = || format!("name one of {} with --embedding", names.join(", "));
    match (embedding, runs.as_slice()) {
        (None, [run]) => Ok(run),
        (None, _) => {
            Err(Failure::usage(format!("the scenario has {} embeddings, expected one", runs.len()), known()))
        }
        (Some(name), _) => {
            let place = names.iter().position(|known| known == name);
            place.map(|place| runs[place]).ok_or_else(|| {
                Failure::usage(format!("embedding {name:?} is none of the scenario's"), known())
            })
        }
    }
}

/// Every process with the coordinates of its node, on the whole machine where it runs in a partition.
pub(super) fn addresses(run: &Run) -> impl Iterator<Item = (ProcessId, Coordinates)> {
    ProcessId::first(run.program.process_count())
        .map(|process| (process, run.address(run.placement.node(process))))
}
