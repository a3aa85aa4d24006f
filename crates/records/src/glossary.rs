//! Definitions of all columns and terms of the results, ordered for people (`cubefold explain`), and the
//! search by name.

use crate::{
    claim_record::CLAIM,
    collective_record::COLLECTIVE,
    column::Column,
    construction_record::CONSTRUCTION,
    definition::Definition,
    execution_record::EXECUTION,
    job_record::{JOB_TIME, STEPS_OF_JOBS},
    machine_record::{MACHINE, NODE, PARTITION},
    message_record::MESSAGE,
    open_loop_record::{
        CHANNEL_LOAD, LOAD, LOAD_END, MEAN_OF_SEEDS, NETWORK_LATENCY, OF_SEED, OF_SEED_RUN, PACKET_LATENCY,
        SATURATION, VERDICT,
    },
    open_loop_rows::{BUFFERS, CHANNELS, PACKETS},
    pipeline_record::PIPELINES_OF_JOBS,
    placement_record::{BOUNDS, DILATION_BOUND, PATHS, PLACEMENT},
    program_record::{GUEST, JOB, MESSAGES, NEIGHBOURS, NOISE, PROGRAM, TRAFFIC},
    router_record::ROUTER,
    row_records::{PROCESS, RANK, STAGE_COUNT, TABLES},
    run_record::{AMOUNTS, ENGINE, EXPOSED, LINK_USE, MAKESPAN, OVERLAPPED, RATIO, STEPS, WHOLE_RUN},
    search_record::SEARCH,
    shared_columns::{CHANNEL, EMBEDDING, ITERATION, NODES, PROCESSES, RUN, SCENARIO, SEED, STEP, SWEEP},
    terms::{TERMS, Term},
    time_record::{BLOCKED, TOTALS, WAITING},
    transmission_record::TRANSMISSION,
};

/// Largest number of suggestions for a misspelt name.
const MAX_SUGGESTIONS: usize = 3;
/// Longer terms are not compared: every name is much shorter.
const MAX_COMPARED_LENGTH: usize = 64;
/// Least similarity of a suggestion, from 0 (nothing in common) to 1 (equal).
const MIN_LIKENESS: f64 = 0.6;

/// A group of related definitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionGroup {
    /// The subject of the group.
    pub title: &'static str,
    /// The definitions, in the order of the records.
    pub definitions: Vec<&'static Definition>,
}

impl DefinitionGroup {
    /// All groups, in the order of results.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let runs = [what_was_run(), group("Time of the whole run").of(MAKESPAN).of(WHOLE_RUN).of(RATIO)];
        let measured = [
            group("Where the time goes")
                .of(TOTALS)
                .of(OVERLAPPED)
                .of(WAITING)
                .of(BLOCKED)
                .of(EXPOSED)
                .of(JOB_TIME)
                .and(STEPS_OF_JOBS.iter().chain(PIPELINES_OF_JOBS)),
            group("Amounts, steps and queues").of(AMOUNTS).of(LINK_USE).of(STEPS).and([&CHANNEL].into_iter()),
            group("Open-loop traffic")
                .of(LOAD)
                .of(PACKET_LATENCY)
                .of(NETWORK_LATENCY)
                .of(LOAD_END)
                .of(OF_SEED)
                .of(VERDICT)
                .of(OF_SEED_RUN)
                .of(CHANNEL_LOAD)
                .of(MEAN_OF_SEEDS)
                .of(SATURATION),
            group("The placement").of(PATHS).of(PLACEMENT).of(BOUNDS).of(DILATION_BOUND).of(CONSTRUCTION),
        ];
        let rows = [
            group("Single processes, nodes and tables")
                .of(PROCESS)
                .of(ITERATION)
                .of(STEP)
                .of(RANK)
                .and(TABLES.iter()),
            group("Messages").of(MESSAGE),
            group("Packets, channels and buffers of routers").of(PACKETS).of(CHANNELS).of(BUFFERS),
            group("Transmissions").of(TRANSMISSION),
            group("Searches").of(SEARCH),
            group("Claims of verify").of(CLAIM),
        ];
        runs.into_iter().chain(measured).chain(rows).collect()
    }

    fn of<T: ?Sized>(self, columns: &'static [Column<T>]) -> Self {
        self.and(columns.iter().map(|column| &column.definition))
    }

    fn and(mut self, definitions: impl Iterator<Item = &'static Definition>) -> Self {
        self.definitions.extend(definitions.filter(|definition| !definition.text.is_empty()));
        self
    }
}

/// An empty group.
fn group(title: &'static str) -> DefinitionGroup {
    DefinitionGroup { title, definitions: vec![] }
}

/// The settings of a run.
fn what_was_run() -> DefinitionGroup {
    let run = group("What was run").of(SCENARIO).of(RUN).of(SEED).of(SWEEP);
    let machine = run.of(MACHINE).of(NODE).of(ROUTER).of(PARTITION);
    let program = machine
        .of(PROGRAM)
        .of(JOB)
        .of(MESSAGES)
        .of(NOISE)
        .of(COLLECTIVE)
        .of(GUEST)
        .of(NEIGHBOURS)
        .of(TRAFFIC)
        .of(PROCESSES)
        .of(NODES)
        .of(STAGE_COUNT);
    program.of(EMBEDDING).of(EXECUTION).of(ENGINE)
}

impl Definition {
    /// Lists every definition once, in the order of the groups.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        DefinitionGroup::all().into_iter().flat_map(|group| group.definitions)
    }

    /// The definition with this name, title or alias.
    ///
    /// Ignores case, whether words are joined by `_`, `-`, `.`, `:` or a space, a number after a name (`p_2`,
    /// `distance, dimension 3`), and the name after `vs` (`vs standard`).
    #[must_use]
    pub fn find(term: &str) -> Option<&'static Self> {
        let term = plain(term);
        let ratio = if term.starts_with("vs ") { "vs reference" } else { &term };
        let without_number = term.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end();
        with_name(ratio).or_else(|| with_name(without_number))
    }

    /// The title of a column, given its name in files; the name itself if it is unknown.
    #[must_use]
    pub fn title_of(name: &'static str) -> &'static str {
        Self::find(name).map_or(name, |definition| definition.title)
    }

    /// The known names most similar to a misspelt `term`, best first, at most three; equally similar ones in
    /// their order.
    #[must_use]
    pub fn nearest(term: &str) -> Vec<&'static str> {
        nearest_of(term, Self::all().map(Self::names))
    }
}

/// The names most similar to a misspelt `term`, best first, at most three; equally similar ones in their order.
#[must_use]
pub fn nearest_names<'n>(term: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    nearest_of(term, names.into_iter().map(std::iter::once))
}

/// The names most similar to `term`, at most one of the names of each thing.
fn nearest_of<'n>(term: &str, things: impl Iterator<Item = impl Iterator<Item = &'n str>>) -> Vec<&'n str> {
    if term.len() > MAX_COMPARED_LENGTH {
        return vec![];
    }
    let term = plain(term);
    let alike = |name: &'n str| (strsim::normalized_damerau_levenshtein(&term, &plain(name)), name);
    let best = things.filter_map(|names| names.map(alike).max_by(|one, other| one.0.total_cmp(&other.0)));
    let mut found: Vec<(f64, &str)> = best.filter(|(likeness, _)| *likeness >= MIN_LIKENESS).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut names: Vec<&str> = found.into_iter().map(|(_, name)| name).collect();
    names.dedup();
    names.truncate(MAX_SUGGESTIONS);
    names
}

/// Whether a column of tables may have this heading: that of a definition, or a term.
#[must_use]
pub fn is_heading(name: &str) -> bool {
    let is_known = |term: &Term| term.names.iter().any(|known| plain(known) == plain(name));
    Definition::find(name).is_some() || TERMS.iter().any(is_known)
}

/// Normalizes a name: removes the differences that the search ignores.
pub(crate) fn plain(term: &str) -> String {
    let words = term.to_lowercase().replace(['_', '-', '.', ':'], " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn with_name(term: &str) -> Option<&'static Definition> {
    // A column name takes precedence over an equal word of tables.
    let named = |definition: &&Definition| plain(definition.name) == term;
    let called = |definition: &&Definition| definition.names().any(|name| plain(name) == term);
    // "Mean dilation" is the title "dilation, mean".
    let turned = |definition: &&Definition| match definition.title.split_once(", ") {
        Some((of, what)) => plain(&format!("{what} {of}")) == term,
        None => false,
    };
    let all = Definition::all;
    all().find(named).or_else(|| all().find(called)).or_else(|| all().find(turned))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_two_definitions_share_a_name() {
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for definition in Definition::all() {
            for name in definition.names() {
                let owner = *owners.entry(plain(name)).or_insert(definition.name);
                assert_eq!(owner, definition.name, "{name}");
            }
        }
    }

    #[test]
    fn titles_are_found_as_people_say_them() {
        for (term, name) in
            [("mean dilation", "placement_dilation_mean"), ("Total dilation", "placement_dilation_total")]
        {
            assert_eq!(Definition::find(term).map(|definition| definition.name), Some(name));
        }
    }

    #[test]
    fn every_name_finds_its_own_definition() {
        for definition in Definition::all() {
            for name in definition.names() {
                assert_eq!(Definition::find(name), Some(definition), "{name}");
            }
        }
    }

    #[test]
    fn every_definition_is_one_to_three_sentences_and_has_a_source() {
        for Definition { name, text, source, .. } in Definition::all() {
            let sentences = text.matches(". ").count() + usize::from(text.ends_with('.'));
            assert!((1..=3).contains(&sentences) && text.ends_with('.'), "{name}: {text}");
            assert!(!source.is_empty(), "{name}");
        }
    }

    fn found(term: &str) -> Option<&'static str> {
        Definition::find(term).map(|definition| definition.name)
    }

    #[test]
    fn a_term_is_found_however_it_is_written() {
        for term in ["makespan", "Makespan", "makespan_cycles", "makespan-cycles", " makespan  cycles "] {
            assert_eq!(found(term), Some("makespan_cycles"), "{term}");
        }
        assert_eq!(found("placement.dilation.max"), Some("placement_dilation_max"));
        assert_eq!(found("distance, dimension 3"), Some("placement_distances"));
        assert_eq!(found("p_12"), Some("p_1"));
        assert_eq!(found("vs tao:same-shape"), Some("ratio_to_reference"));
        assert_eq!(found("nonsense"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn the_nearest_names_are_suggested_and_nothing_far_fetched() {
        assert_eq!(Definition::nearest("makspan")[0], "makespan");
        assert_eq!(Definition::nearest("dilatoin")[0], "dilation");
        assert_eq!(Definition::nearest("xyzzy"), Vec::<&str>::new());
        assert_eq!(Definition::nearest(&"makespan".repeat(100)), Vec::<&str>::new());
    }
}
