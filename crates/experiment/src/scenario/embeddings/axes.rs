//! `axes` and `axes:ORDER`: the logical torus of a collective with its axes along those of the machine.

use cubefold_collectives::CollectiveForm;
use cubefold_mapping::{AxisOrder, AxisOrderError, Placement};

use super::{Embedding, EmbeddingName, Maker};
use crate::scenario::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
};

/// What stands before an order.
pub(super) const PREFIX: &str = "axes:";

pub(super) const AXES: Embedding = Embedding {
    name: "axes",
    summary: "every order of the axes of a logical torus on those of the machine, a placement each",
    source: "docs/model.md, section 16, groups and sequences",
    takes: "a collective with as many processes as the grid has nodes",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::AxisOrders,
};

/// An embedding for each order.
pub(in crate::scenario) fn all(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
) -> Result<Vec<NamedEmbedding>, ScenarioError> {
    let collective = collective(fit, named)?;
    let orders =
        AxisOrder::all(collective.shape(), fit.machine).map_err(|error| refused(fit, named, &error))?;
    let of_order = |order| NamedEmbedding { name: EmbeddingName::Axes(order), place: named.place.clone() };
    Ok(orders.into_iter().map(of_order).collect())
}

/// The placement of one order.
pub(in crate::scenario) fn place(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    order: &AxisOrder,
) -> Result<Placement, Failure> {
    let collective = collective(fit, named).map_err(|error| Failure::Wrong(vec![error]))?;
    let placed = order.place(collective.shape(), fit.machine);
    placed.map(Placement::Table).map_err(|error| Failure::Wrong(vec![refused(fit, named, &error)]))
}

fn collective<'a>(fit: &Fit<'a>, named: &NamedEmbedding) -> Result<&'a dyn CollectiveForm, ScenarioError> {
    fit.program.collective().ok_or_else(|| {
        let message =
            format!("embedding {} of a {} program, expected a collective", named.name, fit.program.kind());
        let place = named.place.as_ref().unwrap_or(&fit.size.place);
        ScenarioError::at(place, message, "places logical toruses")
            .because(fit.settings.place(Key::ProgramKind), "the program")
    })
}

fn refused(fit: &Fit<'_>, named: &NamedEmbedding, error: &AxisOrderError) -> ScenarioError {
    let help = match error {
        AxisOrderError::NoGrid => "use \"standard\", or name a placement file: \"file:PATH\"",
        AxisOrderError::Count { .. } => "standard, random and placement files go with other numbers",
        AxisOrderError::Lengths { .. } => {
            "each product of first lengths is to divide, or be divided by, the others"
        }
        AxisOrderError::Axes { .. } => "\"axes\" runs every order; cubefold check lists their names",
        AxisOrderError::TooMany { .. } => {
            "name single orders: \"axes:0=1/1=2\" puts axis 0 along dimension 1"
        }
    };
    let place = named.place.as_ref().unwrap_or(&fit.size.place);
    ScenarioError::at(place, format!("embedding {}: {error}", named.name), "not placed")
        .because(Some(&fit.size.place), "the machine")
        .because(fit.settings.place(Key::ProgramShape), "the logical shape")
        .because(fit.settings.place(Key::ProgramProcesses), "the processes")
        .with_help(help)
}
