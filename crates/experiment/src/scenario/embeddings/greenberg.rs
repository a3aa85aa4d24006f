//! The embedding `greenberg`: a mesh guest on the hypercube that it needs.

use cubefold_mapping::{GraphGuest, GreenbergError, GreenbergPlacement, Placement, WrapPlace};
use cubefold_topology::Machine;

use super::{Embedding, Maker};
use crate::scenario::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
    source_file::Place,
};

pub(super) const GREENBERG: Embedding = Embedding {
    name: "greenberg",
    summary: "a mesh in its smallest hypercube, of more than two dimensions in pairs",
    source: "Greenberg 1987",
    takes: "a mesh or line as guest, and the hypercube that it needs",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::Construction(place),
};

fn place(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Placement, Failure> {
    let named = named.place.as_ref();
    let Some(guest) = fit.program.guest().graph().map(GraphGuest::shape) else {
        return Err(Failure::Wrong(vec![not_a_mesh(fit, named)]));
    };
    match GreenbergPlacement::new(guest, fit.machine) {
        Ok(placement) => Ok(Placement::Greenberg(Box::new(placement))),
        Err(error) => Err(Failure::Wrong(vec![misfit(fit, named, guest, error)])),
    }
}

fn not_a_mesh(fit: &Fit<'_>, named: Option<&Place>) -> ScenarioError {
    let message = "embedding greenberg of a d-cube, expected a mesh guest";
    ScenarioError::at(named.unwrap_or(&fit.size.place), message, "places meshes")
        .because(fit.settings.place(Key::ProgramKind), "the kind")
        .with_help("use \"standard\", which puts the d-cube on a hypercube as it is, or a neighbour-exchange program")
}

/// The error for a guest and a machine that do not match, at the place to correct.
fn misfit(fit: &Fit<'_>, named: Option<&Place>, guest: &Machine, error: GreenbergError) -> ScenarioError {
    let needed = GreenbergPlacement::cube_dimensions(guest);
    let message = format!("embedding greenberg: {error}");
    let guest_place = fit.settings.place(Key::ProgramGuest);
    match error {
        GreenbergError::CubeDimensions { found, expected } => {
            let label = format!("{found} dimensions, expected {expected}");
            at_machine(fit, named, &fit.size.place, (message, label))
                .with_help(format!("machine.dimensions = {needed} is {}", what_is_needed(guest)))
        }
        GreenbergError::NoHypercube { dimension, .. } => {
            let place = fit.size.length_place(dimension.index());
            at_machine(fit, named, place, (message, "expected a hypercube".to_owned())).with_help(format!(
                "machine = {{ kind = \"hypercube\", dimensions = {needed} }} is {}",
                what_is_needed(guest)
            ))
        }
        GreenbergError::Wrap { place, .. } => {
            let error = ScenarioError::at(guest_place.unwrap_or(&fit.size.place), message, "wraps");
            error.because(named, "places meshes").with_help(help_on_wrap(place))
        }
        GreenbergError::Network { .. } => {
            let error = ScenarioError::at(named.unwrap_or(&fit.size.place), message, "places meshes");
            error
                .because(guest_place, "the guest")
                .because(fit.settings.place(Key::MachineKind), "the machine")
                .with_help("use \"cs838\", which places other graphs")
        }
        GreenbergError::Processes { .. } => {
            ScenarioError::at(guest_place.unwrap_or(&fit.size.place), message, "too large")
                .because(named, "keeps a table")
        }
        // Scenarios cannot cause these: checks that would reveal a defect, and steps that are not requested
        // here.
        GreenbergError::Size { .. }
        | GreenbergError::NotForReflection { .. }
        | GreenbergError::Stage { .. }
        | GreenbergError::Percolation(_)
        | GreenbergError::Shared { .. }
        | GreenbergError::Dilation { .. }
        | GreenbergError::Table(_) => {
            ScenarioError::at(named.unwrap_or(&fit.size.place), message, "this one")
        }
    }
}

fn at_machine(
    fit: &Fit<'_>,
    named: Option<&Place>,
    place: &Place,
    (message, label): (String, String),
) -> ScenarioError {
    ScenarioError::at(place, message, label)
        .because(fit.settings.place(Key::ProgramGuest), "the guest")
        .because(named, "fills the cube that the guest needs")
}

/// Describes the hypercube of the needed size.
fn what_is_needed(guest: &Machine) -> &'static str {
    match guest.shape().dimension_count() {
        1 | 2 => "the smallest hypercube with a node for each process",
        _ => "what the guest needs with its dimensions in pairs",
    }
}

fn help_on_wrap(place: WrapPlace) -> &'static str {
    match place {
        WrapPlace::Longer => {
            "of the two sides of a mesh by reflection only the shorter one, which is compressed, may wrap: the \
             reflections carry the ends of the other apart (errata G18)"
        }
        WrapPlace::Gray => {
            "a side that is placed by the Gray code may wrap where its length is a power of two: only there the \
             code ends beside its beginning"
        }
    }
}
