//! Runs and results by scenario and by combination, their names, and the selection of one run.

pub(crate) use cubefold_scenario::short_value as shown;
use std::path::PathBuf;

use cubefold_mapping::ProcessId;
use cubefold_records::{RunCaption, RunRecord, ScenarioCaption, grouped};
use cubefold_runs::{Reference, journal::SweepPlan};
use cubefold_scenario::{Run, Scenario, named_value};
use cubefold_topology::Coordinates;

use crate::{arguments::OneRunOptions, failure::Failure};

/// The records of each embedding, or of each algorithm, in order of first occurrence.
pub(crate) fn by_reference<'a>(
    reference: &Reference,
    runs: &'a [RunCaption],
    records: &'a [RunRecord],
) -> Vec<(&'a str, Vec<&'a RunRecord>)> {
    match reference {
        Reference::Embedding(_) => by_embedding(&records.iter().collect::<Vec<_>>(), |record| record),
        Reference::Algorithm(_) => by_algorithm(runs, records),
    }
}

/// The records of each algorithm, in order of first occurrence; a program without algorithms is named by its kind.
pub(crate) fn by_algorithm<'a>(
    runs: &'a [RunCaption],
    records: &'a [RunRecord],
) -> Vec<(&'a str, Vec<&'a RunRecord>)> {
    let rows = runs.iter().zip(records);
    let name = |(run, record): (&'a RunCaption, &'a RunRecord)| {
        run.algorithm.as_deref().unwrap_or(&record.program.kind)
    };
    grouped(rows.map(|row| (name(row), row.1)))
}

pub(crate) fn in_places<'a>(runs: &[&'a Run]) -> Vec<(usize, &'a Run)> {
    runs.iter().copied().enumerate().collect()
}

/// The plan of all runs of these scenarios.
pub(crate) fn whole_plan<'a>(scenarios: &[Scenario], runs: &[&'a Run]) -> Result<SweepPlan<'a>, Failure> {
    let plan = SweepPlan::new(runs).map_err(|error| Failure::output(None, error.into()))?;
    let named = scenarios.iter().map(|scenario| (scenario.name.clone(), scenario.runs.len()));
    Ok(plan.in_scenarios(named))
}

/// The files that scenarios were read from.
pub(crate) fn inputs(scenarios: &[Scenario]) -> Vec<&PathBuf> {
    scenarios.iter().flat_map(|scenario| &scenario.inputs).collect()
}

pub(crate) fn all_runs(scenarios: &[Scenario]) -> Vec<&Run> {
    scenarios.iter().flat_map(|scenario| &scenario.runs).collect()
}

/// Refuses open-loop traffic, whose packets belong to no process, if `what` needs processes.
pub(crate) fn refuse_open_loop<'run>(
    runs: impl IntoIterator<Item = &'run Run>,
    what: &str,
) -> Result<(), Failure> {
    if runs.into_iter().all(|run| run.program.open_loop.is_none()) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{what} of open-loop traffic, expected a program whose processes send messages"),
        "cubefold run and cubefold draw latency show open-loop traffic",
    ))
}

/// The parts of the scenarios that tables show.
pub(crate) fn captions(scenarios: &[Scenario]) -> Vec<ScenarioCaption> {
    scenarios.iter().map(ScenarioCaption::new).collect()
}

/// The runs of all scenarios with their results, scenario by scenario.
pub(crate) fn by_scenario<'a, R>(
    scenarios: &'a [ScenarioCaption],
    mut results: &'a [R],
) -> impl Iterator<Item = (&'a ScenarioCaption, &'a [R])> {
    scenarios.iter().map(move |scenario| {
        let (of_scenario, rest) = results.split_at(scenario.runs.len());
        results = rest;
        (scenario, of_scenario)
    })
}

/// The names of the runs of a scenario: the embedding, and the swept values if there are any.
pub(crate) fn run_names(runs: &[Run]) -> Vec<String> {
    let name = |run: &Run| {
        let values: Vec<String> =
            run.combination.iter().map(|(path, value)| named_value(path, value)).collect();
        let embedding = run.embedding.to_string();
        if run.program.open_loop.is_some() {
            // Open-loop traffic has no placement.
            return if values.is_empty() { run.scenario.to_string() } else { values.join(", ") };
        }
        if values.is_empty() { embedding } else { format!("{embedding}, {}", values.join(", ")) }
    };
    runs.iter().map(name).collect()
}

/// The items of each embedding, in order of first occurrence.
pub(crate) fn by_embedding<'a, T: Copy>(
    items: &[T],
    record: impl Fn(T) -> &'a RunRecord,
) -> Vec<(&'a str, Vec<T>)> {
    grouped(items.iter().map(|&item| (record(item).embedding.as_str(), item)))
}

/// The requested run: by its number, by its embedding, or the only one.
pub(crate) fn one_run<'a>(scenarios: &'a [Scenario], options: &OneRunOptions) -> Result<&'a Run, Failure> {
    let runs = all_runs(scenarios);
    if let Some(number) = options.run {
        return runs.get(number).copied().ok_or_else(|| no_such_run(number, runs.len()));
    }
    if scenarios.iter().any(|scenario| scenario.swept) {
        return Err(Failure::usage(
            "the scenario has a sweep or lists of values, expected one placement",
            "name one of its runs by its number, as in --run 0, or write the values of one combination into the file",
        ));
    }
    let names: Vec<String> = runs.iter().map(|run| run.embedding.to_string()).collect();
    match (options.embedding.as_deref(), runs.as_slice()) {
        (None, [run]) => Ok(run),
        (None, _) => Err(Failure::usage(
            format!("the scenario has {} embeddings, expected one", runs.len()),
            name_embedding(&names),
        )),
        (Some(name), _) => {
            let place = names.iter().position(|known| known == name);
            place.map(|place| runs[place]).ok_or_else(|| no_such_embedding(name, &names))
        }
    }
}

/// The refusal of a run number of a scenario with this many runs.
pub(crate) fn no_such_run(number: usize, count: usize) -> Failure {
    let message = format!("run {number}, expected 0 to {}", count - 1);
    Failure::usage(message, "cubefold check FILE lists the runs in the order of their numbers")
}

/// The refusal of an embedding of a scenario with these.
pub(crate) fn no_such_embedding(name: &str, known: &[String]) -> Failure {
    Failure::usage(format!("embedding {name:?} is none of the scenario's"), name_embedding(known))
}

fn name_embedding(known: &[String]) -> String {
    format!("name one of {} with --embedding", known.join(", "))
}

/// Every process with the coordinates of its node, on the whole machine if the run is in a partition.
pub(crate) fn addresses(run: &Run) -> impl Iterator<Item = (ProcessId, Coordinates)> {
    ProcessId::first(run.program.body.process_count())
        .map(|process| (process, run.address(run.placement.node(process))))
}
