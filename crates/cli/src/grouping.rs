//! Runs and results by scenario and by combination.

use cubefold_experiment::{
    Run, Scenario,
    export::{RunRecord, ScenarioCaption},
};

use crate::swept_value::shown;

/// The runs of all scenarios, in their order.
pub(crate) fn all_runs(scenarios: &[Scenario]) -> Vec<&Run> {
    scenarios.iter().flat_map(|scenario| &scenario.runs).collect()
}

/// What tables show of the scenarios.
pub(crate) fn captions(scenarios: &[Scenario]) -> Vec<ScenarioCaption> {
    scenarios.iter().map(ScenarioCaption::new).collect()
}

/// The runs of all scenarios with their results, scenario by scenario.
pub(crate) fn by_scenario<'a, R>(
    scenarios: &'a [ScenarioCaption],
    mut results: &'a [R],
) -> impl Iterator<Item = (&'a ScenarioCaption, &'a [R])> {
    scenarios.iter().map(move |scenario| {
        let (own, rest) = results.split_at(scenario.runs.len());
        results = rest;
        (scenario, own)
    })
}

/// The runs that differ in nothing but the embedding, group by group.
pub(crate) fn combinations(runs: &[Run]) -> impl Iterator<Item = &[Run]> {
    runs.chunk_by(|a, b| a.combination == b.combination)
}

/// What tells the runs of a scenario apart: the embedding, and the swept values where there are any.
pub(crate) fn run_names(runs: &[Run]) -> Vec<String> {
    let name = |run: &Run| {
        let values: Vec<String> = run.combination.iter().map(|(path, value)| shown(path, value)).collect();
        let embedding = run.embedding.to_string();
        if values.is_empty() { embedding } else { format!("{embedding}, {}", values.join(", ")) }
    };
    runs.iter().map(name).collect()
}

/// What belongs to the records of each embedding, in the order in which embeddings come up first.
pub(crate) fn by_embedding<'a, T: Copy>(
    items: &[T],
    record: impl Fn(T) -> &'a RunRecord,
) -> Vec<(&'a str, Vec<T>)> {
    let mut found: Vec<(&str, Vec<T>)> = vec![];
    for &item in items {
        let name = record(item).embedding.as_str();
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => own.push(item),
            None => found.push((name, vec![item])),
        }
    }
    found
}
