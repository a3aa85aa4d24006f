//! `cubefold compare`: the runs side by side against one embedding or one algorithm, and the fastest algorithm of a
//! collective at each size.

use std::{collections::BTreeMap, io};

use cubefold_experiment::{
    AlgorithmComparison, Competitor, FastestChange, KeepRecords, Run, Scenario, check_runs, exact_mean,
    export::{Document, RunCaption, RunRecord},
    journal::SweepPlan,
};
use serde_json::Value;

use super::execution;
use crate::{
    arguments::{CompareOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat, write_records},
    grouping::{Reference, all_runs, captions, combinations},
    sweep_output::SweepOutput,
    table::compare_table,
};

pub(super) fn compare(options: &CompareOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.scenarios.format, shared.output())?;
    let scenarios = super::scenarios(&options.scenarios.files, &options.scenarios.set, shared)?;
    let references = references(&scenarios, options.reference.as_deref())?;
    let runs = all_runs(&scenarios);
    check_runs(&runs, shared.resources(), KeepRecords::No).map_err(Failure::Refused)?;
    let plan = SweepPlan::new(&runs).in_scenarios(&scenarios);
    let output = SweepOutput::open(shared, &scenarios, &plan, options.resume.found(), None)?;
    execution::execute_sweep(&runs, &output, None, shared)?;
    output.finish(|output, records| {
        let unreadable = |error| Failure::output(shared.output(), error);
        let makespans: io::Result<Vec<u64>> = records().map(|record| Ok(record?.makespan_cycles)).collect();
        let makespans = makespans.map_err(unreadable)?;
        let of_references = makespans_of_references(&scenarios, &references, &makespans);
        let records =
            || records().zip(&of_references).map(|(record, &makespan)| with_ratio(record?, makespan));
        let algorithms = if scenarios.iter().any(|scenario| algorithms(&scenario.runs).len() > 1) {
            let records: Vec<RunRecord> = records().collect::<io::Result<_>>().map_err(unreadable)?;
            fastest_algorithms(&scenarios, &references, &records, options, shared)?
        } else {
            vec![vec![]; scenarios.len()]
        };
        let extra: Vec<(&str, Value)> = [("reference", common(&references))]
            .into_iter()
            .chain(in_document(&scenarios, &algorithms))
            .collect();
        let page = || {
            let records: Vec<RunRecord> = records().collect::<io::Result<_>>()?;
            Ok(compare_table(&captions(&scenarios), &references, &records, &algorithms, shared))
        };
        write_records(output, format, Document::RESULTS, &extra, records, page)
    })
}

/// The algorithms of collectives, each once, in the order of the runs.
fn algorithms(runs: &[Run]) -> Vec<&'static str> {
    let mut found = vec![];
    for algorithm in runs.iter().filter_map(algorithm) {
        if !found.contains(&algorithm) {
            found.push(algorithm);
        }
    }
    found
}

fn algorithm(run: &Run) -> Option<&'static str> {
    Some(run.program.collective()?.specification()?.algorithm.name())
}

/// The reference of each scenario.
fn references(scenarios: &[Scenario], asked: Option<&str>) -> Result<Vec<Reference>, Failure> {
    scenarios.iter().map(|scenario| reference(scenario, asked)).collect()
}

/// The reference: an embedding, or where only algorithms differ, or one is asked for, an algorithm.
fn reference(scenario: &Scenario, asked: Option<&str>) -> Result<Reference, Failure> {
    let first = scenario.runs.first().map(|run| run.embedding.to_string()).unwrap_or_default();
    let algorithms = algorithms(&scenario.runs);
    let has_embedding = |name: &str| scenario.runs.iter().any(|run| run.embedding.to_string() == name);
    let by_algorithm = match asked {
        Some(name) => algorithms.contains(&name) && !has_embedding(name),
        None => algorithms.len() > 1 && scenario.runs.iter().all(|run| run.embedding.to_string() == first),
    };
    if by_algorithm {
        let name = asked.or(algorithms.first().copied()).unwrap_or_default();
        return Ok(Reference::Algorithm(name.to_owned()));
    }
    let name = asked.map_or(first, str::to_owned);
    for group in combinations(&scenario.runs) {
        if !group.iter().any(|run| run.embedding.to_string() == name) {
            return Err(missing_reference(&name, scenario, group, &algorithms));
        }
    }
    Ok(Reference::Embedding(name))
}

/// The error for a combination, whose runs are given, without the reference.
fn missing_reference(name: &str, scenario: &Scenario, group: &[Run], algorithms: &[&str]) -> Failure {
    let settings = group.first().map(|run| run.combination.as_slice()).unwrap_or_default();
    let settings: Vec<String> = settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
    let known = group.iter().map(|run| run.embedding.to_string());
    let known: Vec<String> = known.chain(algorithms.iter().map(ToString::to_string)).collect();
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
    references: &[Reference],
    makespans: &[u64],
) -> Vec<Option<u64>> {
    let mut found = vec![];
    for (scenario, reference) in scenarios.iter().zip(references) {
        let own = &makespans[found.len()..];
        match reference {
            Reference::Embedding(name) => found.extend(of_embedding(&scenario.runs, name, own)),
            Reference::Algorithm(name) => found.extend(of_algorithm(&scenario.runs, name, own)),
        }
    }
    found
}

fn of_embedding(runs: &[Run], name: &str, makespans: &[u64]) -> Vec<Option<u64>> {
    let mut found = vec![];
    for group in combinations(runs) {
        let own = &makespans[found.len()..];
        let place = group.iter().position(|run| run.embedding.to_string() == name);
        found.extend(vec![place.map(|place| own[place]); group.len()]);
    }
    found
}

/// Those of the runs that differ in the algorithm only.
fn of_algorithm(runs: &[Run], name: &str, makespans: &[u64]) -> Vec<Option<u64>> {
    let key = |run: &Run| {
        let others = run.combination.iter().filter(|(path, _)| path != "program.algorithm");
        (others.cloned().collect::<Vec<_>>(), run.embedding.to_string())
    };
    let of_reference = runs.iter().zip(makespans).filter(|(run, _)| algorithm(run) == Some(name));
    let known: BTreeMap<_, u64> = of_reference.map(|(run, &makespan)| (key(run), makespan)).collect();
    runs.iter().map(|run| known.get(&key(run)).copied()).collect()
}

/// The record with its ratio to the reference's makespan.
#[expect(clippy::unnecessary_wraps, reason = "one step of a chain whose others can fail")]
fn with_ratio(mut record: RunRecord, reference: Option<u64>) -> io::Result<RunRecord> {
    let ratio = |reference: u64| exact_mean(record.makespan_cycles.into(), reference.into());
    record.ratio_to_reference = reference.and_then(ratio);
    Ok(record)
}

/// The reference's name where all scenarios have the same.
fn common(references: &[Reference]) -> Value {
    match references {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.name().into(),
        _ => Value::Null,
    }
}

/// The comparisons of algorithms of each scenario, with changes to the unit where that is asked for.
fn fastest_algorithms(
    scenarios: &[Scenario],
    references: &[Reference],
    records: &[RunRecord],
    options: &CompareOptions,
    shared: &SharedOptions,
) -> Result<Vec<Vec<AlgorithmComparison>>, Failure> {
    let (mut all, mut rest) = (vec![], records);
    for (scenario, reference) in scenarios.iter().zip(references) {
        let (own, others) = rest.split_at(scenario.runs.len());
        rest = others;
        let captions: Vec<RunCaption> = scenario.runs.iter().map(RunCaption::new).collect();
        let competitors = Competitor::all(captions.iter().zip(own));
        let reference = match reference {
            Reference::Algorithm(name) => Some(name.as_str()),
            Reference::Embedding(_) => None,
        };
        let mut comparisons = AlgorithmComparison::all(&competitors, reference);
        if options.bisect {
            for comparison in &mut comparisons {
                comparison.changes = bisected(comparison, &competitors, &scenario.runs, shared)?;
            }
        }
        all.push(comparisons);
    }
    Ok(all)
}

/// The changes of a comparison to the unit, by runs at sizes between.
fn bisected(
    comparison: &AlgorithmComparison,
    competitors: &[Competitor],
    runs: &[Run],
    shared: &SharedOptions,
) -> Result<Vec<FastestChange>, Failure> {
    let mut templates: Vec<(&str, &Run)> = vec![];
    for own in competitors
        .iter()
        .filter(|own| own.setting.iter().cloned().collect::<BTreeMap<_, _>>() == comparison.setting)
    {
        if templates.iter().all(|(name, _)| *name != own.name) {
            templates.push((&own.name, &runs[own.place]));
        }
    }
    let fastest_at = |units: u64| {
        let sized: Vec<(&str, Run)> =
            templates.iter().filter_map(|(name, run)| Some((*name, run.with_vector_units(units)?))).collect();
        let asked: Vec<&Run> = sized.iter().map(|(_, run)| run).collect();
        let finished = execution::finished(&asked, KeepRecords::No, shared)?;
        let makespans = finished.iter().map(|finished| finished.outcome.summary.makespan());
        let fastest = sized.iter().zip(makespans).min_by_key(|(_, makespan)| *makespan);
        Ok(fastest.map(|((name, _), _)| (*name).to_owned()).unwrap_or_default())
    };
    let mut found = vec![];
    for change in &comparison.changes {
        found.extend(change.to_the_unit(fastest_at)?);
    }
    Ok(found)
}

/// The comparisons as a key of a document; none where there are none.
fn in_document(
    scenarios: &[Scenario],
    algorithms: &[Vec<AlgorithmComparison>],
) -> Option<(&'static str, Value)> {
    let of_scenario = |(scenario, comparisons): (&Scenario, &Vec<AlgorithmComparison>)| {
        let of_setting = |comparison: &AlgorithmComparison| {
            let mut value = serde_json::to_value(comparison).unwrap_or_default();
            if let Some(members) = value.as_object_mut() {
                members.shift_insert(0, "scenario".to_owned(), scenario.name.as_str().into());
            }
            value
        };
        comparisons.iter().map(of_setting).collect::<Vec<Value>>()
    };
    let all: Vec<Value> = scenarios.iter().zip(algorithms).flat_map(of_scenario).collect();
    (!all.is_empty()).then(|| ("algorithms", all.into()))
}
