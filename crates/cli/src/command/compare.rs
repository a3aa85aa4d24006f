//! `cubefold compare`: the runs side by side against one embedding or one algorithm, and the fastest algorithm of a
//! collective at each size.

mod faster_exchange;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use cubefold_records::{RunCaption, RunRecord};
use cubefold_runs::{
    AlgorithmComparison, Competitor, FastestChange, KeepRecords, MissingReference, Reference, check_runs,
};
use cubefold_scenario::{Run, Scenario};
use serde_json::Value;

use super::{execution, run::provenance};
use crate::{
    arguments::{CompareOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, ResultFormat},
    grouping::{all_runs, captions, in_places, inputs, refuse_open_loop, whole_plan},
    origin::{BUILD, command_line},
    output::say,
    run_notes::write_runs,
    sweep_output::SweepOutput,
    table::compare_table,
};

pub(super) fn compare(options: &CompareOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = ResultFormat::decide(options.sweep.scenarios.format, shared.output())?;
    let scenarios = options.sweep.scenarios.load(shared)?;
    options.sweep.tables.check::<RunRecord>(format, &scenarios)?;
    let references = references(&scenarios, options)?;
    let runs = all_runs(&scenarios);
    check_runs(&runs, shared.resources(), KeepRecords::No).map_err(Failure::Refused)?;
    let plan = whole_plan(&scenarios, &runs)?;
    options.sweep.expect.check(&plan)?;
    let origin = plan.made_by(BUILD, options.command_line());
    let output = SweepOutput::open(shared, &inputs(&scenarios), &plan, options.sweep.resume.found(), None)?;
    execution::execute_sweep(&in_places(&runs), &output, None, shared, shared.resources())?;
    output.finish(|output, records| {
        let unreadable = |error| Failure::output(shared.output(), error);
        let makespans: io::Result<Vec<Option<u64>>> =
            records().map(|record| Ok(record?.makespan_cycles)).collect();
        let makespans = makespans.map_err(unreadable)?;
        let of_references = makespans_of_references(&scenarios, &references, &makespans);
        let records =
            || records().zip(&of_references).map(|(record, &makespan)| Ok(record?.with_ratio(makespan)));
        let algorithms = if scenarios.iter().any(|scenario| scenario.algorithms().len() > 1) {
            let records: Vec<RunRecord> = records().collect::<io::Result<_>>().map_err(unreadable)?;
            fastest_algorithms(&scenarios, &references, &records, options, shared)?
        } else {
            vec![vec![]; scenarios.len()]
        };
        let extra: Vec<(&str, Value)> = provenance(Some(&origin))
            .into_iter()
            .chain([("reference", common(&references))])
            .chain(in_document(&scenarios, &algorithms))
            .collect();
        let exchange = match format {
            ResultFormat::Table if !shared.quiet => {
                let records: Vec<RunRecord> = records().collect::<io::Result<_>>().map_err(unreadable)?;
                faster_exchange::in_words(&scenarios, &records, options, shared)?
            }
            _ => None,
        };
        let steps = options.sweep.steps_shown();
        let page = || {
            let records: Vec<RunRecord> = records().collect::<io::Result<_>>()?;
            let mut page =
                compare_table(&captions(&scenarios), &references, &records, &algorithms, steps, shared);
            page.notes(exchange.iter().cloned().collect());
            Ok(page)
        };
        write_runs(output, (format, &options.sweep.tables), &extra, shared, records, page)
    })
}

impl CompareOptions {
    /// Returns the command line for a citation.
    fn command_line(&self) -> String {
        let reference = self.reference.iter().flat_map(|name| ["--reference", name.as_str()]);
        let more: Vec<&str> = reference.chain(self.bisect.then_some("--bisect")).collect();
        command_line("compare", &self.sweep.scenarios, &more)
    }
}

/// The reference of each scenario; open loops have neither one nor sizes to bisect.
fn references(scenarios: &[Scenario], options: &CompareOptions) -> Result<Vec<Reference>, Failure> {
    let asked = options.reference.as_deref();
    for (option, is_given) in [("--reference", asked.is_some()), ("--bisect", options.bisect)] {
        if is_given {
            refuse_open_loop(all_runs(scenarios), option)?;
        }
    }
    let references: Result<_, _> = scenarios.iter().map(|scenario| Reference::of(scenario, asked)).collect();
    references.map_err(|error: MissingReference| {
        Failure::usage(error.to_string(), format!("expected one of {}", error.known.join(", ")))
    })
}

/// The makespan of the reference in every run's combination.
fn makespans_of_references(
    scenarios: &[Scenario],
    references: &[Reference],
    makespans: &[Option<u64>],
) -> Vec<Option<u64>> {
    let mut found = vec![];
    for (scenario, reference) in scenarios.iter().zip(references) {
        found.extend(reference.makespans(&scenario.runs, &makespans[found.len()..]));
    }
    found
}

/// The reference's name, if all scenarios have the same.
fn common(references: &[Reference]) -> Value {
    match references {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.name().into(),
        _ => Value::Null,
    }
}

/// The comparisons of algorithms of each scenario, with crossovers to the unit if requested.
fn fastest_algorithms(
    scenarios: &[Scenario],
    references: &[Reference],
    records: &[RunRecord],
    options: &CompareOptions,
    shared: &SharedOptions,
) -> Result<Vec<Vec<AlgorithmComparison>>, Failure> {
    let (mut all, mut rest) = (vec![], records);
    for (scenario, reference) in scenarios.iter().zip(references) {
        let (of_scenario, others) = rest.split_at(scenario.runs.len());
        rest = others;
        let captions: Vec<RunCaption> = scenario.runs.iter().map(RunCaption::new).collect();
        let competitors = Competitor::all(captions.iter().zip(of_scenario));
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

/// The crossovers of a comparison to the unit, by runs at sizes in between. Algorithms without such runs are left out
/// there, with a sentence; their own crossovers stay those between the given sizes.
fn bisected(
    comparison: &AlgorithmComparison,
    competitors: &[Competitor],
    runs: &[Run],
    shared: &SharedOptions,
) -> Result<Vec<FastestChange>, Failure> {
    let of_setting: Vec<&Competitor> = competitors
        .iter()
        .filter(|competitor| {
            competitor.setting.iter().cloned().collect::<BTreeMap<_, _>>() == comparison.setting
        })
        .collect();
    let mut templates: Vec<(&str, &Run)> = vec![];
    for competitor in &of_setting {
        if templates.iter().all(|(name, _)| *name != competitor.name) {
            templates.push((&competitor.name, &runs[competitor.place]));
        }
    }
    // At a size that was run, only a collective in several steps has no such run. A vector of few units may be one chunk,
    // so all its runs count.
    let is_in_steps = |competitor: &&&Competitor| {
        let change = comparison.changes.first();
        change.is_some_and(|change| runs[competitor.place].with_vector_units(change.last_units).is_none())
    };
    let in_steps: BTreeSet<&str> =
        of_setting.iter().filter(is_in_steps).map(|competitor| competitor.name.as_str()).collect();
    if let Some(first) = in_steps.first() {
        let who = match in_steps.len() {
            1 => format!("{first} runs"),
            count => format!("{count} algorithms, such as {first}, run"),
        };
        say(&format!(
            "note: {who} in several steps, whose sizes --bisect cannot change; the sizes between those that were run are \
             left to the others"
        ));
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
        if [&change.before, &change.after].iter().any(|name| in_steps.contains(name.as_str())) {
            found.push(change.clone());
        } else {
            found.extend(change.to_the_unit(fastest_at)?);
        }
    }
    Ok(found)
}

/// The comparisons as a key of a document; `None` if there are none.
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
