//! A search for the placement of a run's program with the smallest value.

mod starts;

use std::{ops::ControlFlow, sync::Arc};

use cubefold_collectives::CollectiveBoundSource;
use cubefold_formats::input::Bytes;
use cubefold_mapping::{Placement, PlacementTable};
use cubefold_search::{Bound, BoundKind, Effort, Found, Objective, Problem, Progress, SearchError, search};
use cubefold_topology::NodeId;

use super::{
    EmbeddingName, ExecutionMode, Run, ScenarioProgram,
    budget::{Budget, HELP, UNCOUNTED},
    errors::{Errors, ScenarioError},
    keys::MAX_INTEGER,
    source_file::Place,
    value::{Content, Table, Value},
};

/// The settings of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// The objective to minimise.
    pub objective: Objective,
    /// The number of placements judged; the default takes about half a minute on two cores.
    pub evaluations: Option<u64>,
    /// The seed; by default the scenario's.
    pub seed: Option<u64>,
    /// The names of the embeddings of the scenario to start from; if empty, all of them and others that fit.
    pub starts: Vec<String>,
}

/// A search of one combination of a scenario.
#[derive(Debug, Clone)]
pub struct PlacementSearch {
    /// The name of the first embedding of the scenario: the reference.
    pub reference: String,
    /// The name of the best placement that has one.
    pub named: String,
    /// The result.
    pub found: Found,
    /// The run of the combination with the placement found.
    pub run: Run,
}

/// The reason why a combination cannot be searched.
#[derive(Debug, thiserror::Error)]
pub enum PlacementSearchError {
    /// Only asynchronous runs are searched.
    #[error("search of a coordinated run, expected execution.mode = \"asynchronous\"")]
    Coordinated,
    /// No embedding of the scenario has this name.
    #[error("--start {name}: the scenario has no such embedding, expected one of {}", known.join(", "))]
    NoSuchStart {
        /// The name.
        name: String,
        /// The names that it has.
        known: Vec<String>,
    },
    /// Placements of a search could leave messages without a route.
    #[error("search of a machine with hosts that have no route between them: nodes {one} and {other}")]
    Apart {
        /// A host.
        one: NodeId,
        /// A host without a route to it.
        other: NodeId,
    },
    /// Searches assume equal distances in both directions.
    #[error("search of a machine whose links lead in one direction, expected links in both")]
    Directed,
    /// A search would exceed the memory limit.
    #[error("a search of {processes} processes needs about {}, expected at most {}", Bytes(*.needed), Bytes(*.limit))]
    Memory {
        /// The number of processes.
        processes: u64,
        /// The memory that it needs \[bytes\].
        needed: u64,
        /// The memory limit \[bytes\].
        limit: u64,
    },
    /// The program fits no placement that was found.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl PlacementSearch {
    /// Searches a placement for the program of `runs`, which differ in the embedding only; the first is the reference.
    /// `watch` is called between rounds, and can end the search. Of equivalent programs, each is searched with its share of
    /// the evaluations, and the best placement of all is found.
    ///
    /// # Errors
    ///
    /// If the runs are coordinated, a start is unknown, the problem cannot be searched, or the search would take more
    /// than `memory` bytes.
    ///
    /// # Panics
    ///
    /// If there are no runs.
    pub fn of(
        runs: &[Run],
        request: &SearchRequest,
        memory: u64,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, PlacementSearchError> {
        Self::of_kept(runs, request, memory, watch, &mut |_| ())
    }

    /// Searches as [`of`](Self::of) does; `keep` is called with every improvement.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    ///
    /// # Panics
    ///
    /// As [`of`](Self::of).
    pub fn of_kept(
        runs: &[Run],
        request: &SearchRequest,
        memory: u64,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        keep: &mut dyn FnMut(Self),
    ) -> Result<Self, PlacementSearchError> {
        let run = &runs[0];
        if run.execution.mode != ExecutionMode::Asynchronous {
            return Err(PlacementSearchError::Coordinated);
        }
        let sites = sites(run, memory)?;
        let per_site = Self::most_of_a_node(runs);
        let programs = problems(run, &sites, per_site);
        check_memory(&programs, runs.len(), request.objective, memory)?;
        let starts = starts::all(runs, &request.starts, &sites, per_site)?;
        let count = programs.len() as u64;
        let effort = Effort {
            evaluations: request.evaluations.map(|evaluations| (evaluations / count).max(1)),
            seed: request.seed.unwrap_or(run.seed),
        };
        let search_of = |found: Found| {
            let names = [0, found.named].map(|place| starts[place].name.clone().unwrap_or_default());
            Self::found(run, names, found)
        };
        let mut best: Option<Found> = None;
        for problem in programs {
            let before = best.as_ref().map_or(0, |best| best.evaluations);
            let mut watch = |progress: Progress| {
                let best = best.as_ref().map_or(progress.best, |best| best.value.min(progress.best));
                watch(Progress {
                    evaluations: before + progress.evaluations,
                    of: progress.of.saturating_mul(count),
                    best,
                })
            };
            let with_best = |found: Found| match best.clone() {
                None => found,
                Some(before) => better_of(before, found),
            };
            let mut keep = |found: &Found| keep(search_of(with_best(found.clone())));
            let found = search(problem, request.objective, &starts, effort, &mut watch, &mut keep)?;
            best = Some(with_best(found));
        }
        Ok(search_of(best.ok_or(SearchError::NoStart)?))
    }

    /// The most ranks of a node that a search of these runs allows: as many as one of their placements has.
    #[must_use]
    pub fn most_of_a_node(runs: &[Run]) -> usize {
        let of = |run: &Run| {
            let shares = run.program.body.process_count() / run.program.rank_count().max(1);
            run.placement.max_load() / shares.max(1)
        };
        let most = runs.iter().map(of).max().unwrap_or(1);
        usize::try_from(most).unwrap_or(usize::MAX).max(1)
    }

    /// The search of the combination of `run` with the result `found`; `names` are the names of the reference and of
    /// the best named placement.
    pub fn found(run: &Run, names: [String; 2], found: Found) -> Self {
        let table = PlacementTable::new(&run.machine, found.nodes.clone());
        let placement = table.map(Placement::Table).map_or_else(|_| Arc::clone(&run.placement), Arc::new);
        let run = Run { embedding: EmbeddingName::Added("search".to_owned()), placement, ..run.clone() };
        let [reference, named] = names;
        Self { reference, named, found, run }
    }
}

/// The placement problem of each program of a run.
fn problems<'a>(run: &'a Run, sites: &'a [NodeId], per_site: usize) -> Vec<Problem<'a>> {
    let places = sites.len().saturating_mul(per_site) as u64;
    let (ranks, least_makespan) = (run.program.rank_count(), bound_of_all_places(run, places));
    let problem = |program: &'a ScenarioProgram| Problem {
        program: &*program.body,
        machine: &run.machine,
        ranks,
        rules: run.communication,
        sites,
        per_site,
        least_makespan,
    };
    run.programs().map(problem).collect()
}

/// The lower bound of a collective whose ranks are alike and fill all places: wherever they are, every node has as many.
fn bound_of_all_places(run: &Run, places: u64) -> Option<Bound> {
    let collective = run.program.asked_collective()?;
    if collective.rank_count() != places || !collective.ranks_are_alike() {
        return None;
    }
    let bounds = run.collective_bounds()?;
    let kind = match bounds.lower_bound_source()? {
        CollectiveBoundSource::Bandwidth => BoundKind::Bandwidth,
        CollectiveBoundSource::Latency => BoundKind::Latency,
        CollectiveBoundSource::Cut => BoundKind::Cut,
    };
    Some(Bound { value: bounds.lower_bound_cycles().into(), kind })
}

/// Memory per node that a search may use, at least \[bytes\].
const BYTES_A_SITE: u64 = 16;

/// The nodes that a search may use, if `limit` bytes suffice for them.
fn sites(run: &Run, limit: u64) -> Result<Vec<NodeId>, PlacementSearchError> {
    let count =
        run.allocation.as_ref().map_or_else(|| run.machine.host_count(), |allocation| allocation.count());
    let needed = count.saturating_mul(BYTES_A_SITE);
    if needed > limit.saturating_add(UNCOUNTED) {
        let processes = run.program.body.process_count();
        return Err(PlacementSearchError::Memory { processes, needed, limit });
    }
    if run.machine.is_directed() {
        return Err(PlacementSearchError::Directed);
    }
    if let Some((one, other)) = run.machine.two_hosts_apart() {
        return Err(PlacementSearchError::Apart { one, other });
    }
    Ok(match &run.allocation {
        Some(allocation) => allocation.nodes().to_vec(),
        None => run.machine.hosts().collect(),
    })
}

/// Refuses a search that would take more than `limit` bytes, starting from the placements of `runs` runs and up to
/// [`starts::MOST`] others.
fn check_memory(
    programs: &[Problem<'_>],
    runs: usize,
    objective: Objective,
    limit: u64,
) -> Result<(), PlacementSearchError> {
    let needed =
        programs.iter().map(|problem| problem.bytes(objective, runs + starts::MOST)).max().unwrap_or(0);
    if needed > limit.saturating_add(UNCOUNTED) {
        let processes = programs.iter().map(|problem| problem.program.process_count()).max().unwrap_or(0);
        return Err(PlacementSearchError::Memory { processes, needed, limit });
    }
    Ok(())
}

/// Merges the results for two equivalent programs; the faster one counts.
fn better_of(one: Found, other: Found) -> Found {
    let least = |one: Bound, other: Bound| if other.value < one.value { other } else { one };
    let (bound, reference) = (least(one.bound, other.bound), one.reference.min(other.reference));
    let evaluations = one.evaluations + other.evaluations;
    let (named, named_value) = if other.named_value < one.named_value {
        (other.named, other.named_value)
    } else {
        (one.named, one.named_value)
    };
    let found = if other.value < one.value { other } else { one };
    Found { bound, reference, evaluations, named, named_value, ..found }
}

const KEYS: [&str; 4] = ["objective", "evaluations", "seed", "start"];

/// Reads the table `{ search = { evaluations = 20000, objective = "makespan" } }` of an embedding and reports its errors.
pub(super) fn entry(value: &Value, errors: &Errors) -> Option<SearchRequest> {
    let before = errors.len();
    let outer = Table::read(value, "embedding", &["search"], errors)?;
    let inner = outer.required("search", "a table, which may be empty", errors)?;
    let table = Table::read(inner, "search", &KEYS, errors)?;
    let known = Objective::ALL.map(|objective| (objective.name(), objective));
    let objective = match table.get("objective") {
        Some(value) => value.choice(&table.name("objective"), &known, errors),
        None => Some(Objective::default()),
    };
    let number = |key: &str, least: u64| {
        table.get(key).and_then(|value| value.natural(table.name(key), least..=MAX_INTEGER, errors))
    };
    let (evaluations, seed) = (number("evaluations", 1), number("seed", 0));
    let listed = table.get("start").and_then(|value| value.list(table.name("start"), "embeddings", errors));
    let mut starts = vec![];
    for start in listed.unwrap_or_default() {
        starts.extend(start.text(table.name("start"), errors).map(str::to_owned));
    }
    let request = SearchRequest { objective: objective?, evaluations, seed, starts };
    (errors.len() == before).then_some(request)
}

/// Whether a table in the list of embeddings requests a search.
pub(super) fn is_search(value: &Value) -> bool {
    matches!(&value.content, Content::Table(members) if members.iter().any(|member| member.key == "search"))
}

/// Gives each run that requests a search the placement found by starting from the other runs.
pub(super) fn place_searched(runs: &mut [Run], budget: &Budget, size: &Place, errors: &Errors) {
    let memory = budget.limit().saturating_sub(budget.counted());
    for place in 0..runs.len() {
        let EmbeddingName::Search(request) = &runs[place].embedding else { continue };
        let request = SearchRequest::clone(request);
        let is_named = |run: &&Run| !matches!(run.embedding, EmbeddingName::Search(_));
        let mut others: Vec<Run> = runs.iter().filter(is_named).cloned().collect();
        if others.is_empty() {
            let standard =
                EmbeddingName::with_name("standard").unwrap_or_else(|| runs[place].embedding.clone());
            others.push(Run { embedding: standard, ..runs[place].clone() });
        }
        match PlacementSearch::of(&others, &request, memory, &mut |_| ControlFlow::Continue(())) {
            Ok(search) => runs[place].placement = search.run.placement,
            Err(error) => {
                let refused = ScenarioError::at(size, format!("embedding search: {error}"), "this machine");
                errors.report(match error {
                    PlacementSearchError::Memory { .. } => refused.with_help(HELP),
                    _ => refused,
                });
            }
        }
    }
}
