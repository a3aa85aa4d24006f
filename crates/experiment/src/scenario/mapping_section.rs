//! The `[mapping]` table: the embeddings, and the placements that they come to.

use std::sync::Arc;

use cubefold_mapping::{EmbeddingKind, Guest, Hypercube, Placement};
use cubefold_topology::Machine;

use super::{
    embedding_name::EmbeddingName,
    known_names::all_of,
    library::{Library, PlacementKey},
    machine_section::Size,
    placement_file::{self, Failure},
    scenario_error::ScenarioError,
    setting::Setting,
    settings::Settings,
    source_file::Place,
    value::{Content, NOT_SUPPORTED, Value},
};

/// What is compared when a scenario names no embeddings.
pub(super) const DEFAULT_EMBEDDINGS: [EmbeddingKind; 3] =
    [EmbeddingKind::Standard, EmbeddingKind::Xor, EmbeddingKind::Byweight];

/// An embedding and where it is named; nowhere when it is a default.
#[derive(Debug)]
pub(super) struct NamedEmbedding {
    pub(super) name: EmbeddingName,
    place: Option<Place>,
}

/// A cube and the machine that it is to be placed on.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    pub(super) settings: &'a Settings<'a>,
    pub(super) cube: Hypercube,
    pub(super) machine: &'a Machine,
    pub(super) size: &'a Size,
}

/// Reads the list of embeddings.
pub(super) fn read(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<Vec<NamedEmbedding>> {
    let Some(value) = settings.get(Setting::MappingEmbeddings) else {
        let default = |kind| NamedEmbedding { name: EmbeddingName::Kind(kind), place: None };
        return Some(DEFAULT_EMBEDDINGS.map(default).into());
    };
    let values = value.list(Setting::MappingEmbeddings.path(), "embeddings", errors)?;
    let before = errors.len();
    let mut embeddings: Vec<NamedEmbedding> = vec![];
    for entry in values {
        let Some(name) = embedding(entry, errors) else { continue };
        if let Some(first) = embeddings.iter().find(|embedding| embedding.name == name) {
            let message = format!("embedding {name} a second time, expected every embedding once");
            let error = ScenarioError::at(&entry.place, message, "a second time");
            errors
                .push(error.because(first.place.as_ref(), "the first time").with_help("remove one of them"));
        } else {
            embeddings.push(NamedEmbedding { name, place: Some(entry.place.clone()) });
        }
    }
    (errors.len() == before).then_some(embeddings)
}

fn embedding(entry: &Value, errors: &mut Vec<ScenarioError>) -> Option<EmbeddingName> {
    let text = match &entry.content {
        Content::Text(text) => text,
        Content::Table(keys) if keys.iter().any(|key| key.key == "format") => {
            let message = "an embedding in a launcher's format is not supported in this version";
            let error = ScenarioError::at(&entry.place, message, NOT_SUPPORTED);
            errors.push(error.with_help("use a CSV file: \"file:PATH\""));
            return None;
        }
        _ => {
            errors.push(entry.unexpected("embedding", "a name or \"file:PATH\""));
            return None;
        }
    };
    let name = EmbeddingName::with_name(text);
    if name.is_none() {
        let mut known: Vec<&str> = EmbeddingKind::ALL.map(EmbeddingKind::name).into();
        known.push("file:PATH");
        errors.push(entry.unknown_name("embedding", text, &known, &["tao"]));
    }
    name
}

/// The placement of each embedding, in their order; what does not fit is told.
pub(super) fn place(
    fit: &Fit<'_>,
    embeddings: Vec<NamedEmbedding>,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<(EmbeddingName, Arc<Placement>)>> {
    let before = errors.len();
    let too_many = fit.cube.process_count() > fit.machine.node_count();
    let misfits = misfits(fit, &embeddings);
    let rules_fit = misfits.is_empty();
    if rules_fit && too_many {
        errors.push(too_many_processes(fit));
    }
    errors.extend(misfits);
    let mut placed = vec![];
    for embedding in embeddings {
        let fits = match embedding.name {
            EmbeddingName::Kind(_) => rules_fit,
            EmbeddingName::File(_) => !too_many,
        };
        // What does not fit has been told, once for all of them.
        if !fits {
            continue;
        }
        match placement(fit, &embedding.name, library) {
            Ok(placement) => placed.push((embedding.name, placement)),
            Err(Failure::Wrong(wrong)) => errors.extend(wrong),
            Err(Failure::Unreadable(reason)) => errors.push(unreadable(fit, &embedding, &reason)),
        }
    }
    (errors.len() == before).then_some(placed)
}

/// What keeps the embeddings that are rules off the machine, once for all of them.
fn misfits(fit: &Fit<'_>, embeddings: &[NamedEmbedding]) -> Vec<ScenarioError> {
    let is_rule = |embedding: &&NamedEmbedding| matches!(embedding.name, EmbeddingName::Kind(_));
    let rules: Vec<&NamedEmbedding> = embeddings.iter().filter(is_rule).collect();
    let Some(first) = rules.first() else {
        return vec![];
    };
    let names = all_of(&rules.iter().map(|embedding| &embedding.name).collect::<Vec<_>>());
    let wrong_lengths = wrong_lengths(fit, first, &names);
    if wrong_lengths.is_empty() && fit.machine.node_count() != fit.cube.process_count() {
        return vec![wrong_node_count(fit, first, &names)];
    }
    wrong_lengths
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
            .with_help("only a placement file goes with other lengths")
    };
    wrong.map(error).collect()
}

fn wrong_node_count(fit: &Fit<'_>, first: &NamedEmbedding, names: &str) -> ScenarioError {
    let (nodes, processes) = (fit.machine.node_count(), fit.cube.process_count());
    let message = format!(
        "shape {} has {nodes} nodes for {processes} processes, expected as many nodes as processes for {names}",
        fit.size.written()
    );
    ScenarioError::at(&fit.size.place, message, format!("{nodes} nodes, expected {processes}"))
        .because(fit.settings.place(Setting::ProgramDimensions), format!("{processes} processes"))
        .because(first.place.as_ref(), "fills the machine")
        .with_help(format!(
            "program.dimensions = {} would fit; only a placement file leaves nodes empty",
            nodes.trailing_zeros()
        ))
}

fn too_many_processes(fit: &Fit<'_>) -> ScenarioError {
    let (nodes, processes) = (fit.machine.node_count(), fit.cube.process_count());
    let message = format!(
        "{processes} processes for {nodes} nodes, expected at most one process a node (shape {})",
        fit.size.written()
    );
    let place = fit.settings.place(Setting::ProgramDimensions).unwrap_or(&fit.size.place);
    ScenarioError::at(place, message, format!("{processes} processes"))
        .because(Some(&fit.size.place), format!("{nodes} nodes"))
        .with_help("give fewer program.dimensions or a larger machine")
}

/// The placement of one embedding, made or fetched.
fn placement(fit: &Fit<'_>, name: &EmbeddingName, library: &mut Library) -> Result<Arc<Placement>, Failure> {
    match name {
        EmbeddingName::Kind(kind) => {
            let key = PlacementKey::named(*kind, fit.cube, fit.machine);
            library.placement(key, || {
                // What could be wrong has been told by `misfits`; this is its net.
                Placement::embed(*kind, fit.cube, fit.machine).map_err(|error| {
                    let error = ScenarioError::at(&fit.size.place, error.to_string(), "this shape");
                    Failure::Wrong(vec![error])
                })
            })
        }
        EmbeddingName::File(name) => {
            let path = fit.settings.beside(name);
            let key = PlacementKey::file(&path, fit.cube, fit.machine);
            library.placement(key, || placement_file::read(&path, fit.cube, fit.machine))
        }
    }
}

fn unreadable(fit: &Fit<'_>, embedding: &NamedEmbedding, reason: &str) -> ScenarioError {
    let message = format!("embedding {} cannot be read: {reason}", embedding.name);
    let place = embedding.place.as_ref().unwrap_or(&fit.size.place);
    ScenarioError::at(place, message, "named here").with_help("paths are relative to the scenario file")
}
