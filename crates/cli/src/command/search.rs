//! `cubefold search`: a better placement than the named ones.

use std::{
    ops::ControlFlow,
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    time::Duration,
};

use cubefold_records::{Document, SearchRecord};
use cubefold_runs::{
    Progress, Resources,
    journal::{Found, SearchJournal},
};
use cubefold_scenario::{PlacementSearch, PlacementSearchError, Run, Scenario, SearchRequest};

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
    output::{Existing, Output, printable_path, regular_file, say},
    progress_bar::{Work, watch},
    sweep_output::{refuse_without_file, with_suffix},
    table::search_table,
};

pub(super) fn search(options: &SearchOptions, shared: &SharedOptions) -> Result<(), Failure> {
    search_and_write(options, shared)?;
    match interruption::stop_requested() {
        // The placements found so far have been written.
        Some(signal) => process::exit(interruption::exit_code(signal)),
        None => Ok(()),
    }
}

fn search_and_write(options: &SearchOptions, shared: &SharedOptions) -> Result<(), Failure> {
    let format = SearchFormat::decide(options.format, shared.output())?;
    let placement = match format {
        SearchFormat::Placement(format) => Some(format),
        SearchFormat::Results(_) => None,
    };
    refuse_unneeded(placement.unwrap_or(PlacementFormat::Csv), &options.hosts)?;
    let scenarios = options.scenario.load(shared)?;
    let all: Vec<&[Run]> = combinations(&scenarios).collect();
    if placement.is_some() && all.len() > 1 {
        let message = format!("{} combinations for one placement, expected one", all.len());
        return Err(Failure::usage(message, "choose one with --set KEY=VALUE for each key of the sweep"));
    }
    refuse_open_loop(all_runs(&scenarios), "a placement")?;
    if let SearchFormat::Results(format) = format {
        options.tables.check::<SearchRecord>(format, &scenarios)?;
    }
    refuse_hosts_as_output(&options.hosts, shared)?;
    let existing = if options.resume { Existing::Replace } else { shared.existing() };
    let output = Output::open_path(shared.output(), existing, &scenarios)?;
    let journal = open_journal(&all, options, shared)?;
    let kept = Arc::new(Mutex::new(Kept { journal, ..Kept::default() }));
    let scenarios = Arc::new(scenarios);
    let searched = search_all(&scenarios, &kept, options, shared);
    // The search thread, if still running, waits for this lock.
    let mut kept = lock(&kept);
    if let Err(failure) = searched {
        kept.journal.take().filter(|journal| journal.count() == 0).map(SearchJournal::remove);
        return Err(failure);
    }
    let all: Vec<&[Run]> = combinations(&scenarios).collect();
    let searches = std::mem::take(&mut kept.finished);
    let table = |output, format| write_table(output, format, &searches, &all, options);
    match (format, searches.first()) {
        (SearchFormat::Placement(format), Some(search)) => {
            Written::new(&search.run, format, None, &options.hosts)?.write(output, shared)?;
            close(&mut kept, all.len())?;
            // The placement was written elsewhere, so its value is reported here.
            if !shared.quiet && shared.output().is_some() {
                table(Output::open_path(None, shared.existing(), &[])?, ResultFormat::Table)?;
            }
            Ok(())
        }
        (SearchFormat::Results(format), _) => {
            table(output, format)?;
            close(&mut kept, all.len())
        }
        (SearchFormat::Placement(_), None) => Ok(()),
    }
}

/// Writes the found placements, a row for each combination.
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
    // After a signal the last ones may be missing.
    let searched = &combinations[..records.len().min(combinations.len())];
    let most = searched.iter().map(|runs| PlacementSearch::most_of_a_node(runs)).max().unwrap_or(1);
    let page = || Ok(search_table(&names(searched), &records, most));
    write_records(output, (format, &options.tables), Document::SEARCHES, &[], || records.iter().map(Ok), page)
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

/// Removes a journal whose searches are all finished; otherwise reports that it remains.
fn close(kept: &mut Kept, combinations: usize) -> Result<(), Failure> {
    let Some(journal) = kept.journal.take() else { return Ok(()) };
    let place = journal.path().to_owned();
    if journal.count() < combinations {
        say(&format!(
            "note: {} of {combinations} combinations are finished; continue with --resume, which reads {}",
            journal.count(),
            printable_path(&place)
        ));
        return Ok(());
    }
    journal.remove().map_err(|error| Failure::output(Some(&place), error))
}

/// The searches that are kept if a signal ends the command.
#[derive(Debug, Default)]
struct Kept {
    finished: Vec<PlacementSearch>,
    /// The best so far of the current combination.
    best: Option<PlacementSearch>,
    journal: Option<SearchJournal>,
}

/// Locks the kept searches, which every holder leaves consistent.
fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches every combination that the journal does not have. A signal ends the wait for the search
/// thread, not the thread: the best so far is kept at once.
fn search_all(
    scenarios: &Arc<Vec<Scenario>>,
    kept: &Arc<Mutex<Kept>>,
    options: &SearchOptions,
    shared: &SharedOptions,
) -> Result<(), Failure> {
    const TICK: Duration = Duration::from_millis(20);
    let searching = Searching {
        scenarios: Arc::clone(scenarios),
        kept: Arc::clone(kept),
        request: options.request(),
        resources: shared.resources(),
        progress: Arc::default(),
    };
    let count = combinations(scenarios).count();
    // In permille of the combinations, since the evaluations of later ones are unknown.
    let work = Work::searches(count);
    let progress = Arc::clone(&searching.progress);
    interruption::stop_instead();
    let (done, over) = channel::<()>();
    let thread = std::thread::spawn(move || {
        let _done = done; // dropped on every exit
        searching.all()
    });
    let is_over = watch(shared, work, &progress, || {
        while over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            if interruption::stop_requested().is_some() {
                return false;
            }
        }
        true
    });
    if is_over {
        return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    let mut kept = lock(kept);
    let best = kept.best.take();
    kept.finished.extend(best);
    if kept.finished.is_empty() {
        drop(kept);
        interruption::end(interruption::stop_requested().unwrap_or_default());
    }
    say("note: interrupted: the best placements so far are kept");
    Ok(())
}

/// A thread that searches all combinations.
struct Searching {
    scenarios: Arc<Vec<Scenario>>,
    kept: Arc<Mutex<Kept>>,
    request: SearchRequest,
    resources: Resources,
    progress: Arc<Progress>,
}

impl Searching {
    fn all(&self) -> Result<(), Failure> {
        let pool = execution::pool(self.resources.threads)?;
        let mut all = combinations(&self.scenarios).enumerate();
        pool.install(|| all.try_for_each(|(place, runs)| self.one(place, runs)))
    }

    /// Searches a combination, unless the journal has it.
    fn one(&self, place: usize, runs: &[Run]) -> Result<(), Failure> {
        let end = 1000 * (place as u64 + 1);
        let finish = |search: PlacementSearch, kept: &mut Kept| {
            kept.best = None;
            kept.finished.push(search);
            self.progress.add(end.saturating_sub(self.progress.done()));
            self.progress.run_over();
        };
        {
            let mut kept = lock(&self.kept);
            if let Some(search) = kept.journal.as_ref().and_then(|journal| journal.finished(place, runs)) {
                finish(search, &mut kept);
                return Ok(());
            }
        }
        let mut before = 0;
        let mut watch = |progress: cubefold_search::Progress| {
            let permille = 1000 * progress.evaluations / progress.of.max(1);
            self.progress.add(permille.saturating_sub(before));
            before = permille.max(before);
            ControlFlow::Continue(())
        };
        let mut keep = |search: PlacementSearch| lock(&self.kept).best = Some(search);
        let memory = self.resources.memory;
        let search = PlacementSearch::of_kept(runs, &self.request, memory, &mut watch, &mut keep);
        let search = search.map_err(|error| refused(&error, runs))?;
        let mut kept = lock(&self.kept);
        if let Some(journal) = &mut kept.journal {
            journal.append(place, &search).map_err(|error| Failure::output(Some(journal.path()), error))?;
            interruption::keep_run();
        }
        finish(search, &mut kept);
        Ok(())
    }
}

/// The combinations of all scenarios: runs that differ in the embedding only.
fn combinations(scenarios: &[Scenario]) -> impl Iterator<Item = &[Run]> {
    scenarios.iter().flat_map(Scenario::combinations)
}

fn refused(error: &PlacementSearchError, runs: &[Run]) -> Failure {
    let help = match error {
        PlacementSearchError::Memory { .. } => {
            "give it more with --memory-limit, or make the machine smaller"
        }
        _ => "cubefold check shows what the scenario runs",
    };
    let of = match name(runs) {
        name if name.is_empty() => String::new(),
        name => format!("{name}: "),
    };
    Failure::usage(format!("{of}{error}"), help)
}

/// The names of the combinations in tables.
fn names(combinations: &[&[Run]]) -> Vec<String> {
    combinations.iter().map(|runs| name(runs)).collect()
}

/// The swept values of a combination.
fn name(runs: &[Run]) -> String {
    let values = runs.first().into_iter().flat_map(|run| run.combination.iter());
    values.map(|(path, value)| shown(path, value)).collect::<Vec<_>>().join(", ")
}
