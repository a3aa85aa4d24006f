//! Runs and results by scenario and by combination, their names, and the selection of one run.

use cubefold_experiment::{
    Reference, Run, Scenario,
    records::{RunRecord, ScenarioCaption},
};
use cubefold_mapping::ProcessId;
use cubefold_topology::Coordinates;

use crate::{arguments::OneRunOptions, failure::Failure};

/// The records of each embedding, or of each algorithm, in order of first occurrence.
pub(crate) fn by_reference<'a>(
    reference: &Reference,
    records: &[&'a RunRecord],
) -> Vec<(&'a str, Vec<&'a RunRecord>)> {
    match reference {
        Reference::Embedding(_) => by_embedding(records, |record| record),
        Reference::Algorithm(_) => by_algorithm(records),
    }
}

/// The records of each algorithm, in order of first occurrence; the empty name stands for no algorithm.
pub(crate) fn by_algorithm<'a>(records: &[&'a RunRecord]) -> Vec<(&'a str, Vec<&'a RunRecord>)> {
    by_name(records, |record| record.program.collective.as_ref().map_or("", |own| &own.algorithm))
}

/// The runs of all scenarios, in order.
pub(crate) fn all_runs(scenarios: &[Scenario]) -> Vec<&Run> {
    scenarios.iter().flat_map(|scenario| &scenario.runs).collect()
}

/// Refuses open-loop traffic, whose packets belong to no process, where `what` needs processes.
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
        let (own, rest) = results.split_at(scenario.runs.len());
        results = rest;
        (scenario, own)
    })
}

/// The names of the runs of a scenario: the embedding, and the swept values if there are any.
pub(crate) fn run_names(runs: &[Run]) -> Vec<String> {
    let name = |run: &Run| {
        let values: Vec<String> = run.combination.iter().map(|(path, value)| shown(path, value)).collect();
        let embedding = run.embedding.to_string();
        if values.is_empty() { embedding } else { format!("{embedding}, {}", values.join(", ")) }
    };
    runs.iter().map(name).collect()
}

/// The items of each embedding, in order of first occurrence.
pub(crate) fn by_embedding<'a, T: Copy>(
    items: &[T],
    record: impl Fn(T) -> &'a RunRecord,
) -> Vec<(&'a str, Vec<T>)> {
    by_name(items, |item| record(item).embedding.as_str())
}

/// The items of each name, in order of first occurrence.
fn by_name<'a, T: Copy>(items: &[T], name: impl Fn(T) -> &'a str) -> Vec<(&'a str, Vec<T>)> {
    let mut found: Vec<(&str, Vec<T>)> = vec![];
    for &item in items {
        let name = name(item);
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, own)) => own.push(item),
            None => found.push((name, vec![item])),
        }
    }
    found
}

/// A swept value as tables show it: a shape as in files of results, wrapped dimensions in words, a file without its
/// folder, others as written.
pub(crate) fn shown(path: &str, value: &str) -> String {
    let lengths = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match (path.rsplit('.').next(), lengths) {
        (Some("shape"), Some(lengths)) => lengths.split(',').map(str::trim).collect::<Vec<_>>().join("x"),
        (Some("wrap"), Some(dimensions)) => wrap(&dimensions.split(',').map(str::trim).collect::<Vec<_>>()),
        (Some("file"), _) => plain(value).rsplit('/').next().unwrap_or_default().to_owned(),
        _ if value.starts_with('{') => without_keys(value),
        _ => plain(value),
    }
}

/// The wrapping of the dimensions: a torus, a mesh, or each dimension.
fn wrap(dimensions: &[&str]) -> String {
    let all = |word: &str| dimensions.iter().all(|own| *own == word);
    let word = |own: &&str| if *own == "true" { "around" } else { "open" };
    match (all("true"), all("false")) {
        (true, _) => "torus".to_owned(),
        (_, true) => "mesh".to_owned(),
        _ => dimensions.iter().map(word).collect::<Vec<_>>().join(" "),
    }
}

/// An inline table without its braces and keys: `{ kind = "ring", shape = [9] }` as `ring, [9]`.
fn without_keys(value: &str) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_key = |place: usize| words.get(place + 1) == Some(&"=");
    let values =
        words.iter().enumerate().filter(|&(place, word)| !is_key(place) && !["{", "}", "="].contains(word));
    values.map(|(_, word)| word.replace('"', "")).collect::<Vec<_>>().join(" ")
}

/// A value without its quotes.
pub(crate) fn plain(value: &str) -> String {
    value.trim_matches('"').to_owned()
}

/// The requested run: by its number, by its embedding, or the only one.
pub(crate) fn one_run<'a>(scenarios: &'a [Scenario], options: &OneRunOptions) -> Result<&'a Run, Failure> {
    let runs = all_runs(scenarios);
    if let Some(number) = options.run {
        return runs.get(number).copied().ok_or_else(|| {
            let last = runs.len() - 1;
            let found = format!("run {number}, expected 0 to {last}");
            Failure::usage(found, "cubefold check FILE lists the runs in the order of their numbers")
        });
    }
    if scenarios.iter().any(|scenario| scenario.swept) {
        return Err(Failure::usage(
            "the scenario has a sweep, expected one placement",
            "name one of its runs by its number, as in --run 0, or remove [sweep], and write the values of one of its combinations into the file",
        ));
    }
    let names: Vec<String> = runs.iter().map(|run| run.embedding.to_string()).collect();
    let known = || format!("name one of {} with --embedding", names.join(", "));
    match (options.embedding.as_deref(), runs.as_slice()) {
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

/// Every process with the coordinates of its node, on the whole machine if the run is in a partition.
pub(crate) fn addresses(run: &Run) -> impl Iterator<Item = (ProcessId, Coordinates)> {
    ProcessId::first(run.program.body.process_count())
        .map(|process| (process, run.address(run.placement.node(process))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swept_values_are_shown_shorter_than_they_are_written() {
        assert_eq!(shown("machine.shape", "[16, 8]"), "16x8");
        assert_eq!(shown("machine.file", "\"../configs/torus-8x8.toml\""), "torus-8x8.toml");
        assert_eq!(shown("program.guest", "{ kind = \"ring\", shape = [9] }"), "ring, [9]");
        assert_eq!(shown("machine.links", "\"full-duplex\""), "full-duplex");
        assert_eq!(shown("program.stages", "[0, 1]"), "[0, 1]");
    }
}
