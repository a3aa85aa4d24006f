//! The reference of a comparison: one embedding, or one algorithm of a collective, with all other settings
//! equal.

use std::{borrow::Cow, collections::BTreeMap};

use cubefold_mapping::ProcessId;
use cubefold_scenario::{Run, Scenario};

use crate::tools::settings_besides_algorithms;

/// The reference with which the runs of a scenario are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The embedding of this name, with all other settings equal.
    Embedding(String),
    /// The algorithm of this name, with all other settings equal.
    Algorithm(String),
}

/// A combination without a run of the reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MissingReference {
    message: String,
    /// The names that can be a reference.
    pub known: Vec<String>,
}

impl Reference {
    /// The reference of a scenario: the requested embedding or algorithm, else the first algorithm if only
    /// algorithms differ, else the first embedding. Among orders of axes it is the one that places process `n` on
    /// node `n`, as a job without a placement does.
    ///
    /// # Errors
    ///
    /// If a combination lacks it.
    pub fn of(scenario: &Scenario, asked: Option<&str>) -> Result<Self, MissingReference> {
        let first = first_embedding(scenario);
        let algorithms = scenario.algorithms();
        let has_embedding = |name: &str| scenario.runs.iter().any(|run| run.embedding.to_string() == name);
        let by_algorithm = match asked {
            Some(name) => algorithms.iter().any(|algorithm| algorithm == name) && !has_embedding(name),
            None => {
                algorithms.len() > 1 && scenario.runs.iter().all(|run| run.embedding.to_string() == first)
            }
        };
        if by_algorithm {
            let name = asked.or(algorithms.first().map(|algorithm| &**algorithm)).unwrap_or_default();
            return Ok(Self::Algorithm(name.to_owned()));
        }
        let name = asked.map_or(first, str::to_owned);
        for group in scenario.combinations() {
            if !group.iter().any(|run| run.embedding.to_string() == name) {
                return Err(MissingReference::new(&name, scenario, group, &algorithms));
            }
        }
        Ok(Self::Embedding(name))
    }

    /// Name of the embedding or algorithm.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Embedding(name) | Self::Algorithm(name) => name,
        }
    }

    /// The reference's makespan in the combination of each run, given the makespans of the runs \[cycles\].
    #[must_use]
    pub fn makespans(&self, runs: &[Run], makespans: &[Option<u64>]) -> Vec<Option<u64>> {
        match self {
            Self::Embedding(name) => of_embedding(runs, name, makespans),
            Self::Algorithm(name) => of_algorithm(runs, name, makespans),
        }
    }
}

/// The first embedding, or among orders of axes the one that changes nothing.
fn first_embedding(scenario: &Scenario) -> String {
    let name = |run: &Run| run.embedding.to_string();
    let Some(first) = scenario.runs.first() else { return String::new() };
    let mut orders = scenario.runs.iter().take_while(|run| name(run).starts_with("axes:"));
    orders.find(|run| is_unchanged(run)).map_or_else(|| name(first), name)
}

/// Whether the ranks are on the nodes in order, `ranks_per_node` on each.
fn is_unchanged(run: &Run) -> bool {
    let each = run.program.ranks_per_node.max(1);
    let mut ranks = ProcessId::first(run.program.rank_count());
    ranks.all(|rank| u64::from(run.placement.node(rank).index()) == u64::from(rank.label()) / each)
}

impl MissingReference {
    /// An error for the combination of the runs `group`.
    fn new(name: &str, scenario: &Scenario, group: &[Run], algorithms: &[Cow<'_, str>]) -> Self {
        let settings = group.first().map(|run| &run.combination[..]).unwrap_or_default();
        let settings: Vec<String> =
            settings.iter().map(|(path, value)| format!("{path} = {value}")).collect();
        let embeddings = group.iter().map(|run| run.embedding.to_string());
        let known = embeddings.chain(algorithms.iter().map(ToString::to_string)).collect();
        let message = if settings.is_empty() {
            format!("reference {name:?} is none of the embeddings of {:?}", scenario.name)
        } else {
            let is_swept = settings.iter().any(|setting| setting.starts_with("mapping.embeddings"));
            let advice = if is_swept { ": write embeddings that are compared in one list" } else { "" };
            format!(
                "reference {name:?} is not run by {:?} with {}{advice}",
                scenario.name,
                settings.join(", ")
            )
        };
        Self { message, known }
    }
}

fn of_embedding(runs: &[Run], name: &str, makespans: &[Option<u64>]) -> Vec<Option<u64>> {
    let mut found = vec![];
    for group in runs.chunk_by(|one, other| one.combination == other.combination) {
        let of_group = &makespans[found.len()..];
        let place = group.iter().position(|run| run.embedding.to_string() == name);
        found.extend(vec![place.and_then(|place| of_group[place]); group.len()]);
    }
    found
}

/// Makespans of the reference among runs that differ only in the algorithm. If a run has none because the
/// reference has no choice of exchange or ports, the first run that differs in these too counts.
fn of_algorithm(runs: &[Run], name: &str, makespans: &[Option<u64>]) -> Vec<Option<u64>> {
    let exact = |run: &Run| {
        let others = run.combination.iter().filter(|(path, _)| &**path != "program.algorithm");
        (others.cloned().collect::<Vec<_>>(), run.embedding.to_string())
    };
    let wide = |run: &Run| (settings_besides_algorithms(&run.combination), run.embedding.to_string());
    let (mut same, mut alike) = (BTreeMap::new(), BTreeMap::new());
    for (run, &makespan) in
        runs.iter().zip(makespans).filter(|(run, _)| run.algorithm().as_deref() == Some(name))
    {
        same.insert(exact(run), makespan);
        alike.entry(wide(run)).or_insert(makespan);
    }
    runs.iter()
        .map(|run| same.get(&exact(run)).or_else(|| alike.get(&wide(run))).copied().flatten())
        .collect()
}
