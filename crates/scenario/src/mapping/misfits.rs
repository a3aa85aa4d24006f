//! Reasons why an embedding does not fit a machine and a program.

use cubefold_formats::input::text::counted;
use cubefold_mapping::{EmbeddingKind, ProcessBlock};

use super::{
    super::{
        errors::{ScenarioError, all_of},
        keys::Key,
    },
    Fit, NamedEmbedding,
};

/// Errors that apply to all rules, reported once.
pub(super) fn misfits(fit: &Fit<'_>, embeddings: &[&NamedEmbedding]) -> Vec<ScenarioError> {
    let is_standard = |embedding: &NamedEmbedding| embedding.name.rule() == Some(EmbeddingKind::Standard);
    // Process n may be put on the n-th node of any machine; the other embeddings treat a program as a cube.
    let counts = fit.standard_counts() && !fit.program.is_wandering();
    if let Some(standard) = embeddings.iter().find(|embedding| is_standard(embedding)).filter(|_| counts)
        && fit.job_node_count() < fit.group_count()
    {
        return vec![too_many_processes(fit, standard)];
    }
    let is_rule =
        |embedding: &&NamedEmbedding| embedding.name.rule().is_some() && !(counts && is_standard(embedding));
    let rules: Vec<&NamedEmbedding> = embeddings.iter().copied().filter(is_rule).collect();
    let Some(first) = rules.first().filter(|_| fit.cube().is_some() || fit.has_network()) else {
        return vec![];
    };
    if fit.has_network() {
        return rules.iter().filter_map(|embedding| network_misfit(fit, embedding)).collect();
    }
    let names = || all_of(&rules.iter().map(|embedding| &embedding.name).collect::<Vec<_>>());
    let lengths = fit.machine.shape().lengths();
    if !lengths.iter().all(|length| length.is_power_of_two()) {
        return wrong_lengths(fit, first, &names());
    }
    if fit.machine.node_count() != fit.group_count() {
        return vec![wrong_node_count(fit, first, &names())];
    }
    vec![]
}

/// The error for a rule on a network, or for a network guest on a machine. Only the rule that puts process
/// `n` on node `n` fits these; the others map fields of labels.
fn network_misfit(fit: &Fit<'_>, embedding: &NamedEmbedding) -> Option<ScenarioError> {
    let place = fit.place_of(embedding);
    let (nodes, processes) = (fit.machine.numbered_hosts(), fit.program.rank_count());
    if embedding.name.rule() != Some(EmbeddingKind::Standard) {
        let message =
            format!("embedding {} with a network as guest or machine, expected standard", embedding.name);
        return Some(
            ScenarioError::at(place, message, "needs the dimensions of a grid")
                .because(fit.settings.place(Key::MachineKind), "the machine")
                .because(fit.settings.place(Key::ProgramGuest), "the guest")
                .with_help("\"standard\" puts process n on node n; a placement file can name any node"),
        );
    }
    (nodes != fit.group_count() && !fit.program.is_wandering() && !fit.program.is_placed_by_number()).then(
        || {
            let message = format!(
                "{nodes} nodes for {processes} processes, expected as many nodes as processes for standard"
            );
            ScenarioError::at(place, message, format!("{nodes} nodes, expected {processes}"))
                .because(Some(&fit.size.place), format!("{nodes} nodes"))
                .because(fit.settings.place(Key::ProgramGuest), format!("{processes} processes"))
                .because(fit.settings.place(Key::ProgramDimensions), format!("{processes} processes"))
                .with_help("program.processes_per_node puts as many processes on each node; a placement file also leaves nodes empty")
        },
    )
}

/// The error for more processes than an embedding can place on the nodes of the job.
pub(crate) fn too_many_processes(fit: &Fit<'_>, embedding: &NamedEmbedding) -> ScenarioError {
    let (nodes, processes) = (fit.job_node_count(), fit.program.rank_count());
    let most = nodes.saturating_mul(fit.program.ranks_per_node);
    let nodes = counted(nodes, "node");
    let message = format!("{processes} processes on {nodes}, expected at most {most} for {}", embedding.name);
    let place = fit.settings.place(Key::ProgramProcesses).or(embedding.place.as_ref());
    let of_nodes = fit.settings.place(Key::MachineAllocation).unwrap_or(&fit.size.place);
    ScenarioError::at(place.unwrap_or(&fit.size.place), message, "too many")
        .because(Some(of_nodes), nodes)
        .because(fit.settings.place(Key::ProgramFile), format!("{processes} processes"))
        .because(fit.settings.place(Key::ProgramProcessesPerNode), "processes of a node")
        .because(embedding.place.as_ref(), "places them")
        .with_help(
            "program.processes_per_node puts as many processes on each node, a placement file any number",
        )
}

fn wrong_lengths(fit: &Fit<'_>, first: &NamedEmbedding, names: &str) -> Vec<ScenarioError> {
    let lengths = fit.machine.shape().lengths().iter().enumerate();
    let wrong = lengths.filter(|(_, length)| !length.is_power_of_two());
    let error = |(index, length): (usize, &u64)| {
        let message = format!(
            "length of dimension {} is {length}, expected a power of two for each field of {names}",
            index + 1
        );
        ScenarioError::at(fit.size.length_place(index), message, "expected a power of two")
            .because(first.place.as_ref(), "needs powers of two")
            .with_help(
                "block, hilbert, random and tao take other lengths, and standard if there are enough nodes or \
                 program.processes_per_node",
            )
    };
    wrong.map(error).collect()
}

fn wrong_node_count(fit: &Fit<'_>, first: &NamedEmbedding, names: &str) -> ScenarioError {
    let (nodes, processes) = (fit.machine.node_count(), fit.program.rank_count());
    let per_node = fit.program.ranks_per_node;
    let placed = match per_node {
        1 => "processes".to_owned(),
        _ => format!("groups of {per_node} processes"),
    };
    let message = format!(
        "shape {} has {nodes} nodes for {processes} processes, expected as many nodes as {placed} for {names}",
        fit.size.written()
    );
    let groups = fit.group_count();
    ScenarioError::at(&fit.size.place, message, format!("{nodes} nodes, expected {groups}"))
        .because(fit.settings.place(Key::ProgramDimensions), format!("{processes} processes"))
        .because(first.place.as_ref(), "fills the machine")
        .because(fit.settings.place(Key::ProgramProcesses), format!("{processes} processes"))
        .because(fit.settings.place(Key::ProgramProcessesPerNode), format!("{per_node} processes a node"))
        .with_help(if fit.program.is_placed_by_number() {
            "standard, random and placement files support other numbers".to_owned()
        } else if nodes < groups {
            "program.processes_per_node, tao and placement files put several processes on a node".to_owned()
        } else {
            format!(
                "program.dimensions = {} would fit; block, hilbert, random and placement files leave nodes empty",
                nodes.saturating_mul(per_node).trailing_zeros()
            )
        })
}

/// The error for processes that do not divide into groups that the embedding can place.
pub(crate) fn no_groups(fit: &Fit<'_>, embedding: &NamedEmbedding) -> ScenarioError {
    let (processes, each) = (fit.program.rank_count(), fit.program.ranks_per_node);
    let message = format!(
        "embedding {} of {processes} processes in groups of {each}, expected groups that divide a cube, or that have a block that divides a grid{}",
        embedding.name,
        counts_of_blocks(fit)
    );
    let place = fit.settings.place(Key::ProgramProcessesPerNode).or(embedding.place.as_ref());
    ScenarioError::at(place.unwrap_or(&fit.size.place), message, "does not divide them")
        .because(embedding.place.as_ref(), "places one group a node")
        .because(fit.settings.place(Key::ProgramDimensions), format!("{processes} processes"))
        .because(fit.settings.place(Key::ProgramGuest), "the guest")
        .with_help("of a cube it is a power of two, of a grid a product of divisors of its lengths; or name a placement file")
}

/// The smallest numbers of processes that form a block: `: 1, 2, 4`.
fn counts_of_blocks(fit: &Fit<'_>) -> String {
    const MOST: usize = 24;
    let shape = fit.program.placed_shape();
    if shape.grid().is_none() {
        return String::new();
    }
    let counts = ProcessBlock::counts(shape.shape().lengths());
    let listed: Vec<String> = counts.iter().take(MOST).map(u64::to_string).collect();
    let more = if counts.len() > MOST { ", .." } else { "" };
    format!(": {}{more}", listed.join(", "))
}

/// The error for an embedding that fills a grid, if the nodes are not a box of a grid.
pub(super) fn no_box(fit: &Fit<'_>, embedding: &NamedEmbedding) -> ScenarioError {
    let message = format!(
        "embedding {} on an allocation that is no box of a grid in the order of its nodes, expected standard, block, cyclic, plane=N, random, random-groups, hilbert or a file",
        embedding.name
    );
    let place = embedding.place.as_ref().or(fit.settings.place(Key::MachineAllocation));
    ScenarioError::at(place.unwrap_or(&fit.size.place), message, "fills a grid")
        .because(fit.settings.place(Key::MachineAllocation), "the job's nodes")
}

/// The error for a program that is not a d-cube.
pub(super) fn not_a_cube(fit: &Fit<'_>, embedding: &NamedEmbedding) -> ScenarioError {
    let guest = if fit.program.is_placed_by_number() {
        format!("{} processes", fit.program.rank_count())
    } else {
        "a torus or mesh guest".to_owned()
    };
    let is_byweight = embedding.name.to_string() == "byweight" && !fit.program.is_placed_by_number();
    let expected = if is_byweight { "a d-cube, or a mesh that does not wrap on a line" } else { "a d-cube" };
    let message = format!("embedding {} of {guest}, expected {expected}", embedding.name);
    let place = embedding.place.as_ref().or(fit.settings.place(Key::ProgramGuest));
    ScenarioError::at(place.unwrap_or(&fit.size.place), message, "places d-cubes")
        .because(fit.settings.place(Key::ProgramGuest), "the guest")
        .because(fit.settings.place(Key::ProgramFile), "the messages")
        .with_help(if fit.program.is_placed_by_number() {
            "use \"standard\" or \"random\", or name a placement file: \"file:PATH\""
        } else {
            "use \"tao\", or name a placement file: \"file:PATH\""
        })
}
