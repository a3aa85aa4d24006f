//! The embeddings `greenberg` and `greenberg:NAME`, a mesh guest on a hypercube, and `polymorphic`, an array on a torus.

use cubefold_mapping::{
    GraphGuest, GreenbergConstruction, GreenbergError, GreenbergPlacement, Placement, WrapPlace,
};
use cubefold_topology::{Machine, Wrap};

use super::{Embedding, Maker};
use crate::{
    Run,
    errors::ScenarioError,
    keys::Key,
    mapping::{Fit, NamedEmbedding},
    placement_file::Failure,
    source_file::Place,
};

pub(super) const GREENBERG: Embedding = Embedding {
    name: "greenberg",
    summary: "a mesh in its smallest hypercube, of more than two dimensions in pairs, or by the Gray code in a larger one",
    source: "Greenberg 1987; docs/model.md, section 28.5",
    takes: "a mesh, or a grid that wraps where the construction closes it, and a hypercube",
    constructions: || GreenbergConstruction::NAMED.map(GreenbergConstruction::name).to_vec(),
    is_seeded: false,
    maker: Maker::Construction(place),
};

pub(super) const POLYMORPHIC: Embedding = Embedding {
    name: "polymorphic",
    summary: "an array of any two lengths folded evenly over a torus of Fibonacci and Lucas numbers",
    source: "Greenberg 1987, 6.3, after Fiat & Shamir 1984; docs/model.md, section 28.5",
    takes: "a mesh of two dimensions, and a torus of 3 x 7, 5 x 11, 13 x 29, 21 x 47, .. nodes, or its smallest hypercube",
    constructions: Vec::new,
    is_seeded: false,
    maker: Maker::Construction(|fit, named| place_by(fit, named, Some(GreenbergConstruction::Polymorphic))),
};

fn place(fit: &Fit<'_>, named: &NamedEmbedding) -> Result<Placement, Failure> {
    let chosen = named.name.construction();
    let construction =
        GreenbergConstruction::NAMED.into_iter().find(|construction| Some(construction.name()) == chosen);
    place_by(fit, named, construction)
}

/// The placement by a construction, or by the one that `greenberg` chooses.
fn place_by(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    construction: Option<GreenbergConstruction>,
) -> Result<Placement, Failure> {
    let Some(guest) = fit.program.guest().graph().map(GraphGuest::shape) else {
        return Err(not_a_mesh(fit, named).into());
    };
    let placement = match construction {
        Some(construction) => GreenbergPlacement::named(construction, guest, fit.machine),
        None => GreenbergPlacement::new(guest, fit.machine),
    };
    match placement {
        Ok(placement) => Ok(Placement::Greenberg(Box::new(placement))),
        Err(error) => Err(misfit(fit, named, guest, error).into()),
    }
}

/// A sentence on a mesh of two sides that `chan` places on the same hypercube with a smaller dilation than this placement.
pub(crate) fn shorter_in_cube(run: &Run) -> Option<String> {
    let Placement::Greenberg(placement) = &*run.placement else { return None };
    let (guest, host) = (run.program.guest().graph()?.shape(), placement.table().machine());
    let is_cube = host.extents().all(|extent| extent.length() == 2);
    let &[height, width] = guest.grid()?.shape().lengths() else { return None };
    let is_open = guest.extents().all(|extent| extent.wrap() == Wrap::Open);
    let dimensions = |count: u64| count.next_power_of_two().trailing_zeros();
    let smallest = dimensions(height.checked_mul(width)?);
    if !(is_cube && is_open) || host.shape().dimension_count() < smallest as usize {
        return None;
    }
    let shorter = if smallest == dimensions(height) + dimensions(width) { 1 } else { 2 };
    let nodes = placement.table().nodes();
    let apart = |one: usize, other: usize| (nodes[one].index() ^ nodes[other].index()).count_ones();
    let height = usize::try_from(height).ok()?;
    let columns = (1..nodes.len()).filter(|at| at % height > 0).map(|at| apart(at - 1, at));
    let rows = (height..nodes.len()).map(|at| apart(at - height, at));
    let longest = columns.chain(rows).max()?;
    (longest > shorter).then(|| {
        let guest = format!("{height} x {width}");
        format!(
            "{}, mesh {guest}: dilation {longest}; chan places it on this cube with dilation {shorter}",
            run.embedding
        )
    })
}

fn not_a_mesh(fit: &Fit<'_>, named: &NamedEmbedding) -> ScenarioError {
    let message = format!("embedding {} of a d-cube, expected a mesh guest", named.name);
    ScenarioError::at(fit.place_of(named), message, "places meshes")
        .because(fit.settings.place(Key::ProgramKind), "the kind")
        .with_help("use \"standard\", which puts the d-cube on a hypercube as it is, or a neighbour-exchange program")
}

/// The error for a guest and a machine that do not match, at the place to correct.
fn misfit(fit: &Fit<'_>, named: &NamedEmbedding, guest: &Machine, error: GreenbergError) -> ScenarioError {
    let message = format!("embedding {}: {error}", named.name);
    match error {
        GreenbergError::CubeDimensions { .. }
        | GreenbergError::NoHypercube { .. }
        | GreenbergError::NotPolymorphic => machine_misfit(fit, named, guest, &message, error),
        GreenbergError::Network { .. } => ScenarioError::at(fit.place_of(named), message, "places meshes")
            .because(fit.settings.place(Key::ProgramGuest), "the guest")
            .because(fit.settings.place(Key::MachineKind), "the machine")
            .with_help("use \"cs838\", which places other graphs"),
        GreenbergError::Wrap { .. }
        | GreenbergError::NotFolded { .. }
        | GreenbergError::TwoDimensions { .. }
        | GreenbergError::NotForReflection { .. }
        | GreenbergError::Percolation(_)
        | GreenbergError::Processes { .. } => guest_misfit(fit, named, message, error),
        // Scenarios cannot cause these: they would reveal a defect, or are not requested here.
        GreenbergError::Size { .. }
        | GreenbergError::NoTiles
        | GreenbergError::Stage { .. }
        | GreenbergError::Shared { .. }
        | GreenbergError::Dilation { .. }
        | GreenbergError::Table(_) => ScenarioError::at(fit.place_of(named), message, "this one"),
    }
}

/// The error for a machine of another kind or size.
fn machine_misfit(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    guest: &Machine,
    message: &str,
    error: GreenbergError,
) -> ScenarioError {
    let at = |place: &Place, label: String| {
        ScenarioError::at(place, message, label)
            .because(fit.settings.place(Key::ProgramGuest), "the guest")
            .because(named.place.as_ref(), "needs another machine")
    };
    match error {
        GreenbergError::CubeDimensions { found, expected, gray } => {
            let help = what_is_needed(guest, expected, gray);
            at(&fit.size.place, format!("{found} dimensions, expected {expected}"))
                .with_help(format!("machine.dimensions = {expected} is {help}"))
        }
        GreenbergError::NoHypercube { dimension, .. } => {
            let needed = GreenbergPlacement::cube_dimensions(guest);
            let help = what_is_needed(guest, needed, None);
            at(fit.size.length_place(dimension.index()), "expected a hypercube".to_owned()).with_help(
                format!("machine = {{ kind = \"hypercube\", dimensions = {needed} }} is {help}"),
            )
        }
        _ => at(&fit.size.place, "another shape".to_owned()).with_help(
            "the lengths are a Fibonacci and a Lucas number of one index that 3 does not divide: machine = { kind = \
             \"torus\", shape = [21, 47] }, or a hypercube of 5, 6, 9, 10, 13, 15, .. dimensions",
        ),
    }
}

/// The error for a guest that the construction does not support.
fn guest_misfit(
    fit: &Fit<'_>,
    named: &NamedEmbedding,
    message: String,
    error: GreenbergError,
) -> ScenarioError {
    let (label, reason, help) = match error {
        GreenbergError::Wrap { place, .. } => ("wraps", "places meshes", help_on_wrap(place)),
        GreenbergError::NotFolded { .. } => (
            "does not wrap",
            "folds the longer side",
            "\"greenberg\" places a mesh whose longer side does not wrap",
        ),
        GreenbergError::TwoDimensions { .. } => {
            ("expected two lengths", "places meshes of two dimensions", "")
        }
        GreenbergError::NotForReflection { .. } => (
            "needs no reflection",
            "reflects the mesh",
            "\"greenberg\" places this mesh, by the Gray code or with its shorter side compressed",
        ),
        GreenbergError::Percolation(_) => (
            "no paths",
            "is not promised for every mesh",
            "\"greenberg\", which compresses the shorter side, places every mesh",
        ),
        _ => ("too large", "keeps a table", ""),
    };
    let place = fit.settings.place(Key::ProgramGuest).unwrap_or(&fit.size.place);
    ScenarioError::at(place, message, label).because(named.place.as_ref(), reason).with_help(help)
}

/// Describes the hypercube of the needed size.
fn what_is_needed(guest: &Machine, dimensions: u32, gray: Option<u32>) -> &'static str {
    if gray == Some(dimensions) {
        return "the smallest hypercube that its Gray code fits";
    }
    if 1 << dimensions == guest.node_count().next_power_of_two() {
        return "the smallest hypercube with a node for each process";
    }
    "what the guest needs with its dimensions in pairs"
}

fn help_on_wrap(place: WrapPlace) -> &'static str {
    match place {
        WrapPlace::Longer => {
            "of the two sides of a mesh by reflection only the shorter one, which is compressed, may wrap: the \
             reflections carry the ends of the other apart (errata G18); \"greenberg:folded\" folds the longer one, and \
             \"greenberg:gray\" closes both in a larger hypercube"
        }
        WrapPlace::LongerCompressed => {
            "use \"greenberg\", whose shorter side may wrap, \"greenberg:folded\", or \"greenberg:gray\" in a larger \
             hypercube"
        }
        WrapPlace::Array => {
            "the array is a mesh: its elements are folded over the torus as often as it is long"
        }
    }
}
