//! `cubefold compare`: the runs side by side against one embedding.

use std::io;

use cubefold_experiment::{
    KeepRecords, Run, Scenario, check_runs, exact_mean,
    export::{Document, RunRecord},
    journal::SweepPlan,
    load,
};
use serde_json::Value;

use super::execution;
use crate::{
    arguments::{CompareOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::{all_runs, captions, combinations},
    sweep_output::SweepOutput,
    table::compare_table,
};

pub(super) fn compare(options: &CompareOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.scenarios.format, shared.output())?;
    let scenarios = load(&options.scenarios.files).map_err(Failure::Scenario)?;
    let references = references(&scenarios, options.reference.as_deref())?;
    let runs = all_runs(&scenarios);
    check_runs(&runs, shared.resources(), KeepRecords::No).map_err(Failure::Refused)?;
    let plan = SweepPlan::new(&runs).in_scenarios(&scenarios);
    let output = SweepOutput::open(shared.output(), &scenarios, &plan, options.resume.found(), None)?;
    execution::execute_sweep(&runs, &output, None, shared)?;
    output.finish(|output, records| {
        let makespans: io::Result<Vec<u64>> = records().map(|record| Ok(record?.makespan_cycles)).collect();
        let makespans = makespans.map_err(|error| Failure::output(shared.output(), error))?;
        let of_references = makespans_of_references(&scenarios, &references, &makespans);
        let records =
            || records().zip(&of_references).map(|(record, &makespan)| with_ratio(record?, makespan));
        let page = || {
            let records: Vec<RunRecord> = records().collect::<io::Result<_>>()?;
            Ok(compare_table(&captions(&scenarios), &references, &records, shared))
        };
        let extra = [("reference", common(&references))];
        write_records(output, format, Document::RESULTS, &extra, records, page)
    })
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

/// For every run, the makespan of the reference in its combination.
fn makespans_of_references(
    scenarios: &[Scenario],
    references: &[String],
    makespans: &[u64],
) -> Vec<Option<u64>> {
    let mut found = vec![];
    for (scenario, reference) in scenarios.iter().zip(references) {
        for group in combinations(&scenario.runs) {
            let own = &makespans[found.len()..];
            let place = group.iter().position(|run| run.embedding.to_string() == *reference);
            found.extend(vec![place.map(|place| own[place]); group.len()]);
        }
    }
    found
}

/// The record with its ratio to the reference's makespan.
#[expect(clippy::unnecessary_wraps, reason = "one step of a chain whose others can fail")]
fn with_ratio(mut record: RunRecord, reference: Option<u64>) -> io::Result<RunRecord> {
    let ratio = |reference: u64| exact_mean(record.makespan_cycles.into(), reference.into());
    record.ratio_to_reference = reference.and_then(ratio);
    Ok(record)
}

/// The reference's name where all scenarios have the same.
fn common(references: &[String]) -> Value {
    match references {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.as_str().into(),
        _ => Value::Null,
    }
}
