//! `tao` and `tao:NAME`: the constructions of Tao 1988.

use cubefold_mapping::{Construction, ConstructionError, ConstructionKind, Placement};

use super::{Embedding, Maker};
use crate::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
};

pub(super) const TAO: Embedding = Embedding {
    name: "tao",
    summary: "the construction of Tao that promises the least dilation, or the one that is named",
    source: "Tao 1988, chapters 3 and 4",
    takes: "a guest and a machine that are grids, for which one of the theorems holds",
    constructions: || ConstructionKind::ALL.map(ConstructionKind::name).to_vec(),
    is_seeded: false,
    maker: Maker::Construction(place),
};

fn place(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Placement, Failure> {
    construct(fit, named.name.construction()).map_err(|error| not_covered(fit, named, &error).into())
}

/// The construction of Tao with this name, or the one that the theorems choose. A d-cube is the mesh with all
/// lengths 2 (errata C5).
fn construct(fit: &Fit<'_>, name: Option<&str>) -> Result<Placement, ConstructionError> {
    let guest = fit.program.placed_shape();
    let kind = name.and_then(|name| ConstructionKind::ALL.into_iter().find(|kind| kind.name() == name));
    let construction = match kind {
        Some(kind) => Construction::named(kind, &guest, fit.machine),
        None => Construction::choose(&guest, fit.machine),
    };
    construction.map(|construction| Placement::Construction(Box::new(construction)))
}

/// The error for a pair of shapes that no theorem covers, with the conditions that fail.
fn not_covered(fit: &Fit<'_>, named: &NamedEmbedding, error: &ConstructionError) -> ScenarioError {
    let what = match error.kind {
        Some(kind) => format!("tao:{kind} does not map"),
        None => "no construction of Tao 1988 maps".to_owned(),
    };
    let message = format!("{what} this guest on the machine of shape {}", fit.size.written());
    let conditions: Vec<String> = error.unmet.iter().map(ToString::to_string).collect();
    ScenarioError::at(fit.place_of(named), message, "not covered")
        .because(Some(&fit.size.place), "the machine")
        .because(fit.settings.place(Key::ProgramGuest), "the guest")
        .with_help(format!("conditions that fail:\n{}", conditions.join("\n")))
}
