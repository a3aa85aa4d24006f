//! `cubefold search`: a better placement than those with names.

use std::{ops::ControlFlow, sync::atomic::Ordering};

use cubefold_experiment::{
    PlacementSearch, PlacementSearchError, Progress, Run, SearchRequest, printable,
    records::{Document, SearchRecord},
    runs::journal::{Found, SearchJournal},
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
    output::{Existing, Output, regular_file, say},
    progress_bar::{Show, Work, watch},
    sweep_output::{refuse_without_file, with_suffix},
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
    let existing = if options.resume { Existing::Replace } else { shared.existing() };
    let output = Output::open_path(shared.output(), existing, &scenarios)?;
    let mut journal = open_journal(&combinations, options, shared)?;
    let searches = match search_all(&combinations, options, shared, journal.as_mut()) {
        Ok(searches) => searches,
        Err(failure) => {
            journal.filter(|journal| journal.count() == 0).map(SearchJournal::remove);
            return Err(failure);
        }
    };
    let table = |output, format| write_table(output, format, &searches, &combinations, options);
    match (format, searches.first()) {
        (SearchFormat::Placement(format), Some(search)) => {
            Written::new(&search.run, format, None, &options.hosts)?.write(output, shared)?;
            close(journal, combinations.len())?;
            // The placement went elsewhere: what it is worth is said here.
            if !shared.quiet && shared.output().is_some() {
                table(Output::open_path(None, shared.existing(), &[])?, ResultFormat::Table)?;
            }
            Ok(())
        }
        (SearchFormat::Results(format), _) => {
            table(output, format)?;
            close(journal, combinations.len())
        }
        (SearchFormat::Placement(_), None) => Ok(()),
    }
}

/// Writes what was found, a row for each combination.
fn write_table(
    output: Output,
    format: ResultFormat,
    searches: &[PlacementSearch],
    combinations: &[&[Run]],
    options: &SearchOptions,
) -> Result<(), Failure> {
    let record = |search: &PlacementSearch| {
        let names = [search.reference.as_str(), search.named.as_str()];
        SearchRecord::new(&search.run, options.objective.0, names, &search.found)
    };
    let records: Vec<SearchRecord> = searches.iter().map(record).collect();
    let page = || Ok(search_table(&names(combinations), &records));
    write_records(output, format, Document::SEARCHES, &[], || records.iter().map(Ok), page)
}

impl SearchOptions {
    fn request(&self) -> SearchRequest {
        let Self { objective, evaluations, seed, .. } = *self;
        SearchRequest { objective: objective.0, evaluations, seed, starts: self.starts.clone() }
    }
}

/// Opens the journal beside the file of results; standard output and devices have none.
fn open_journal(
    combinations: &[&[Run]],
    options: &SearchOptions,
    shared: &SharedOptions,
) -> Result<Option<SearchJournal>, Failure> {
    let found = if options.resume { Found::Resume } else { Found::Refuse };
    let Some(file) = regular_file(shared.output()) else {
        refuse_without_file(found, None)?;
        return Ok(None);
    };
    let place = with_suffix(&file, "partial");
    let opened = SearchJournal::open(&place, combinations, &options.request(), found);
    let journal = opened.map_err(|error| Failure::journal(&file, &place, &error))?;
    interruption::keep_runs(journal.path(), journal.count(), combinations.len());
    Ok(Some(journal))
}

/// Removes a journal whose searches are all finished.
fn close(journal: Option<SearchJournal>, combinations: usize) -> Result<(), Failure> {
    let Some(journal) = journal else { return Ok(()) };
    let place = journal.path().to_owned();
    if journal.count() < combinations {
        let place = place.display().to_string();
        say(&format!(
            "note: {} of {combinations} combinations are finished; continue with --resume, which reads {}",
            journal.count(),
            printable(&place)
        ));
        return Ok(());
    }
    journal.remove().map_err(|error| Failure::output(Some(&place), error))
}

/// Searches every combination that the journal does not have. An interruption ends the search, and keeps the best so far.
fn search_all(
    combinations: &[&[Run]],
    options: &SearchOptions,
    shared: &SharedOptions,
    mut journal: Option<&mut SearchJournal>,
) -> Result<Vec<PlacementSearch>, Failure> {
    let request = options.request();
    let resources = shared.resources();
    let (pool, progress) = (execution::pool(resources.threads)?, Progress::default());
    let stop = interruption::stop_instead();
    // Permille of the combinations, since the evaluations of the later ones are not known yet.
    let work = Work::of(1000 * combinations.len() as u64, "permille");
    let found = watch(Show::unless(shared.quiet), work, &progress, || {
        let mut one = |(place, runs): (usize, &&[Run])| {
            if let Some(search) = journal.as_ref().and_then(|journal| journal.finished(place, runs)) {
                progress.add(1000);
                return Ok(search);
            }
            let mut before = 0;
            let mut watch = |own: cubefold_search::Progress| {
                let permille = 1000 * own.evaluations / own.of.max(1);
                progress.add(permille.saturating_sub(before));
                before = permille;
                if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let search = PlacementSearch::of(runs, &request, resources.memory, &mut watch);
            let search = search.map_err(|error| refused(&error))?;
            progress.add((1000 * (place as u64 + 1)).saturating_sub(progress.done()));
            // An interrupted search is begun again by --resume.
            if let Some(journal) = &mut journal
                && !stop.load(Ordering::Relaxed)
            {
                journal
                    .append(place, &search)
                    .map_err(|error| Failure::output(Some(journal.path()), error))?;
                interruption::keep_run();
            }
            Ok(search)
        };
        pool.install(|| combinations.iter().enumerate().map(&mut one).collect())
    });
    if stop.load(Ordering::Relaxed) {
        say("note: interrupted: the best placements so far are kept");
    }
    found
}

fn refused(error: &PlacementSearchError) -> Failure {
    let help = match error {
        PlacementSearchError::Memory { .. } => {
            "give it more with --memory-limit, or make the machine smaller"
        }
        _ => "cubefold check shows what the scenario runs",
    };
    Failure::usage(error.to_string(), help)
}

/// The combinations as tables name them.
fn names(combinations: &[&[Run]]) -> Vec<String> {
    let name = |runs: &&[Run]| {
        let values = runs.first().into_iter().flat_map(|run| run.combination.iter());
        values.map(|(path, value)| shown(path, value)).collect::<Vec<_>>().join(", ")
    };
    combinations.iter().map(name).collect()
}
