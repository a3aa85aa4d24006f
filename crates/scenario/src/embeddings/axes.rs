//! `axes` and `axes:ORDER`: the logical torus of a collective with its axes along the machine's.
//!
//! If several processes share a node, their blocks form the torus.

use cubefold_formats::input::text::with_article;
use cubefold_mapping::{AxisOrder, AxisOrderError, Placement};
use cubefold_topology::Shape;

use super::{Embedding, EmbeddingName, Maker};
use crate::{
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding, no_groups},
    placement_file::Failure,
    scenario_program::ContractedGuest,
};

/// Prefix of an order.
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
pub(crate) fn all(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Vec<NamedEmbedding>, ScenarioError> {
    check_ranks(fit, named)?;
    let shape = placed_shape(fit, named)?;
    let orders = AxisOrder::all(&shape, fit.machine).map_err(|error| refused(fit, named, &error))?;
    let of_order = |order| NamedEmbedding { name: EmbeddingName::Axes(order), place: named.place.clone() };
    Ok(orders.into_iter().map(of_order).collect())
}

/// The placement of one order.
pub(crate) fn place(fit: &Fit<'_>, named: &NamedEmbedding, order: &AxisOrder) -> Result<Placement, Failure> {
    let shape = placed_shape(fit, named)?;
    let placed = order.place(&shape, fit.machine).map_err(|error| refused(fit, named, &error))?;
    if fit.program.ranks_per_node == 1 {
        return Ok(Placement::Table(placed));
    }
    fit.on_nodes(fit.program.over_groups(ContractedGuest::Grid, placed.nodes()))
}

/// Refuses programs without logical axes: they have only the axes of their guest, which a single order may name.
fn check_ranks(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<(), ScenarioError> {
    if fit.program.ranks.is_some() {
        return Ok(());
    }
    let program = with_article(fit.program.kind.name);
    let message = format!("embedding {} of {program} program, expected a collective or a job", named.name);
    Err(ScenarioError::at(fit.place_of(named), message, "places logical toruses")
        .because(fit.settings.place(Key::ProgramKind), "the program"))
}

/// The shape that is placed, one process or group per node: the logical torus or the guest, of processes or of groups.
fn placed_shape(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Shape, ScenarioError> {
    if fit.program.ranks_per_node == 1 {
        return Ok(fit.program.placed_shape().shape().clone());
    }
    check_ranks(fit, named)?;
    let groups = fit.program.contracted(ContractedGuest::Grid).ok_or_else(|| no_groups(fit, named))?;
    Ok(groups.guest().shape().shape().clone())
}

fn refused(fit: &Fit<'_>, named: &NamedEmbedding, error: &AxisOrderError) -> ScenarioError {
    let help = match error {
        AxisOrderError::NoGrid => "use \"standard\", or name a placement file: \"file:PATH\"",
        AxisOrderError::Count { .. } => "standard, random and placement files support other numbers",
        AxisOrderError::Lengths { .. } => {
            "each product of first lengths is to divide, or be divided by, the others"
        }
        AxisOrderError::Boxes { .. } => {
            "lengths along a logical axis multiply to its length, those in a dimension to that of the dimension"
        }
        AxisOrderError::Axes { .. } => "\"axes\" runs every order; cubefold check lists their names",
        AxisOrderError::TooMany { .. } => {
            "name single orders: \"axes:0=1/1=2\" puts axis 0 along dimension 1"
        }
    };
    ScenarioError::at(fit.place_of(named), format!("embedding {}: {error}", named.name), "not placed")
        .because(Some(&fit.size.place), "the machine")
        .because(fit.settings.place(Key::ProgramShape), "the logical shape")
        .because(fit.settings.place(Key::ProgramProcesses), "the processes")
        .with_help(help)
}
