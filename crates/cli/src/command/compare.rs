//! `cubefold compare`: the runs side by side against one embedding.

use cubefold_experiment::{
    KeepRecords, Run, Scenario, check_runs, exact_mean,
    export::{Document, RunRecord},
    load,
};
use serde_json::Value;

use super::{execution, records};
use crate::{
    arguments::{CompareOptions, SharedOptions},
    failure::Failure,
    format::{ByExtension, ResultFormat},
    grouping::{all_runs, combinations},
    output::Output,
    table::compare_table,
};

pub(super) fn compare(options: &CompareOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.scenarios.format, shared.output())?;
    let scenarios = load(&options.scenarios.files).map_err(Failure::Scenario)?;
    let references = references(&scenarios, options.reference.as_deref())?;
    let runs = all_runs(&scenarios);
    let at_once = check_runs(&runs, shared.resources(), KeepRecords::No).map_err(Failure::Refused)?;
    let output = Output::open(shared.output(), &scenarios)?;
    let mut results = vec![];
    execution::execute_all(
        &runs,
        at_once,
        KeepRecords::No,
        shared,
        |run, finished| RunRecord::new(run, &finished),
        |_, batch| {
            results.extend(batch);
            Ok(())
        },
    )?;
    set_ratios(&scenarios, &references, &mut results);
    let extra = [("reference", common(&references))];
    let table = || compare_table(&scenarios, &references, &results, shared);
    records::write(output, format, Document::RESULTS, &extra, &results, table)
}

/// The name of the reference of each scenario.
fn references(scenarios: &[Scenario], asked: Option<&str>) -> Result<Vec<String>, Failure> {
    scenarios.iter().map(|scenario| reference(scenario, asked)).collect()
}

fn reference(scenario: &Scenario, asked: Option<&str>) -> Result<String, Failure> {
    let first = scenario.runs.first().map(|run| run.embedding.to_string()).unwrap_or_default();
    let name = asked.map_or(first, str::to_owned);
    for group in combinations(&scenario.runs) {
        if !group.iter().any(|run| run.embedding.to_string() == name) {
            return Err(missing_reference(&name, scenario, group));
        }
    }
    Ok(name)
}

/// The error for a combination, whose runs are given, without the reference.
fn missing_reference(name: &str, scenario: &Scenario, group: &[Run]) -> Failure {
    let settings = group.first().map(|run| run.combination.as_slice()).unwrap_or_default();
    let settings: Vec<String> = settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    let known: Vec<String> = group.iter().map(|run| run.embedding.to_string()).collect();
    let message = if settings.is_empty() {
        format!("reference {name:?} is none of the embeddings of {:?}", scenario.name)
    } else {
        format!("reference {name:?} is not run by {:?} with {}", scenario.name, settings.join(", "))
    };
    Failure::usage(message, format!("expected one of {}", known.join(", ")))
}

/// Fills in the ratios to the reference of each combination.
fn set_ratios(scenarios: &[Scenario], references: &[String], results: &mut [RunRecord]) {
    let mut at = 0;
    for (scenario, reference) in scenarios.iter().zip(references) {
        for group in combinations(&scenario.runs) {
            let own = &mut results[at..at + group.len()];
            at += group.len();
            let makespan =
                own.iter().find(|record| record.embedding == *reference).map(|record| record.makespan_cycles);
            for record in own {
                let ratio = |reference: u64| exact_mean(record.makespan_cycles.into(), reference.into());
                record.ratio_to_reference = makespan.and_then(ratio);
            }
        }
    }
}

/// The reference's name where all scenarios have the same.
fn common(references: &[String]) -> Value {
    match references {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.as_str().into(),
        _ => Value::Null,
    }
}
