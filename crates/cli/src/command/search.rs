//! `cubefold search`: a better placement than those with names.

use std::{ops::ControlFlow, sync::atomic::Ordering};

use cubefold_experiment::{
    PlacementSearch, PlacementSearchError, Progress, Run, SearchRequest,
    records::{Document, SearchRecord},
};

use super::{
    execution,
    place::{Written, refuse_hosts_as_output, refuse_unneeded},
};
use crate::{
    arguments::{SearchOptions, SharedOptions},
    failure::Failure,
    format::{OutputFormat, PlacementFormat, ResultFormat, SearchFormat, write_records},
    grouping::{all_runs, refuse_open_loop, shown},
    interruption,
    output::{Output, say},
    progress_bar::{Show, Work, watch},
    table::search_table,
};

pub(super) fn search(options: &SearchOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = SearchFormat::decide(options.format, shared.output())?;
    let placement = match format {
        SearchFormat::Placement(format) => Some(format),
        SearchFormat::Results(_) => None,
    };
    refuse_unneeded(placement.unwrap_or(PlacementFormat::Csv), &options.hosts)?;
    let scenarios = super::scenarios(std::slice::from_ref(&options.file), &options.set, shared)?;
    let combinations: Vec<&[Run]> =
        scenarios.iter().flat_map(cubefold_experiment::Scenario::combinations).collect();
    if placement.is_some() && combinations.len() > 1 {
        let message = format!("{} combinations for one placement, expected one", combinations.len());
        return Err(Failure::usage(message, "choose one with --set KEY=VALUE for each key of the sweep"));
    }
    refuse_open_loop(all_runs(&scenarios), "a placement")?;
    refuse_hosts_as_output(&options.hosts, shared)?;
    let output = Output::open(shared, &scenarios)?;
    let searches = search_all(&combinations, options, shared)?;
    let record = |search: &PlacementSearch| {
        let names = [search.reference.as_str(), search.named.as_str()];
        SearchRecord::new(&search.run, options.objective.0, names, &search.found)
    };
    let records: Vec<SearchRecord> = searches.iter().map(record).collect();
    let page = || Ok(search_table(&names(&combinations), &records));
    match (format, searches.first()) {
        (SearchFormat::Placement(format), Some(search)) => {
            Written::new(&search.run, format, None, &options.hosts)?.write(output, shared)?;
            // The placement went elsewhere: what it is worth is said here.
            if !shared.quiet && shared.output().is_some() {
                let standard = Output::open_path(None, shared.existing(), &[])?;
                write_records(
                    standard,
                    ResultFormat::Table,
                    Document::SEARCHES,
                    &[],
                    || records.iter().map(Ok),
                    page,
                )?;
            }
            Ok(())
        }
        (SearchFormat::Results(format), _) => {
            write_records(output, format, Document::SEARCHES, &[], || records.iter().map(Ok), page)
        }
        (SearchFormat::Placement(_), None) => Ok(()),
    }
}

/// Searches every combination. An interruption ends the search, and keeps the best so far.
fn search_all(
    combinations: &[&[Run]],
    options: &SearchOptions,
    shared: &SharedOptions,
) -> Result<Vec<PlacementSearch>, Failure> {
    let request = SearchRequest {
        objective: options.objective.0,
        evaluations: options.evaluations,
        seed: options.seed,
        starts: options.starts.clone(),
    };
    let (pool, progress) = (execution::pool(shared.resources().threads)?, Progress::default());
    let stop = interruption::stop_instead();
    // Permille of the combinations, since the evaluations of the later ones are not known yet.
    let work = Work::of(1000 * combinations.len() as u64, "permille");
    let found = watch(Show::unless(shared.quiet), work, &progress, || {
        let one = |(place, runs): (usize, &&[Run])| {
            let mut before = 0;
            let mut watch = |own: cubefold_search::Progress| {
                let permille = 1000 * own.evaluations / own.of.max(1);
                progress.add(permille.saturating_sub(before));
                before = permille;
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let search = PlacementSearch::of(runs, &request, &mut watch);
            progress.add((1000 * (place as u64 + 1)).saturating_sub(progress.done()));
            search
        };
        pool.install(|| {
            combinations.iter().enumerate().map(one).collect::<Result<Vec<_>, PlacementSearchError>>()
        })
    });
    if stop.load(Ordering::Relaxed) {
        say("note: interrupted: the best placements so far are kept");
    }
    found.map_err(|error| Failure::usage(error.to_string(), "cubefold check shows what the scenario runs"))
}

/// The combinations as tables name them.
fn names(combinations: &[&[Run]]) -> Vec<String> {
    let name = |runs: &&[Run]| {
        let values = runs.first().into_iter().flat_map(|run| run.combination.iter());
        values.map(|(path, value)| shown(path, value)).collect::<Vec<_>>().join(", ")
    };
    combinations.iter().map(name).collect()
}
