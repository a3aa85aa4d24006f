//! The `[mapping]` table: the embeddings and their placements.

mod misfits;
mod one_embedding;

use std::{path::Path, sync::Arc};

use cubefold_formats::input::region::{Allocation, Region};
use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_topology::{Machine, MachineKind, NodeId, Partition};

use self::{
    misfits::{misfits, no_box},
    one_embedding::placement,
};
use super::{
    allocation,
    embeddings::{Embedding, EmbeddingName, Maker, all_axis_orders, expected},
    errors::{Errors, ScenarioError, help},
    failures,
    keys::Key,
    launcher_file,
    library::{Library, PlacementRequest},
    placement_file::Failure,
    placement_search,
    resolved::{CanonicalValue, Resolved},
    settings::Settings,
    source_file::Place,
    value::{Content, Size, Value},
};
use crate::ScenarioProgram;

pub(super) use self::{
    misfits::{no_groups, too_many_processes},
    one_embedding::{by_coordinate_sums, is_mesh_on_a_line},
};

/// The embeddings of a scenario that names none.
pub(super) const DEFAULT_EMBEDDINGS: [&str; 3] = ["standard", "xor", "byweight"];

/// The largest number of default embeddings for programs of these kinds.
pub(super) fn most_default_embeddings<'a>(kinds: impl IntoIterator<Item = &'a str>) -> u128 {
    // Programs on a d-cube; all others are placed by number, or by one construction.
    const ON_CUBES: [&str; 3] = ["cc-cube", "divide-and-conquer", "normal"];
    let is_on_cube = |kind: &str| ON_CUBES.contains(&kind);
    if kinds.into_iter().any(is_on_cube) { DEFAULT_EMBEDDINGS.len() as u128 } else { 1 }
}

/// An embedding and its place in the file; `None` for a default.
#[derive(Debug)]
pub(super) struct NamedEmbedding {
    pub(super) name: EmbeddingName,
    pub(super) place: Option<Place>,
}

/// An embedding with its placement, and the settings of its run.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) embedding: EmbeddingName,
    pub(super) placement: Arc<Placement>,
    pub(super) resolved: Resolved,
}

/// A program and the machine on which its processes are to be placed.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    pub(super) settings: &'a Settings<'a>,
    pub(super) program: &'a ScenarioProgram,
    /// The machine; for a twisted torus, or a grid with failures, the grid of its coordinates.
    pub(super) machine: &'a Machine,
    /// The machine itself.
    pub(super) whole: &'a Machine,
    pub(super) partition: Option<&'a Partition>,
    /// The nodes of the job, if they are listed.
    pub(super) allocation: Option<&'a Allocation>,
    pub(super) size: &'a Size,
    pub(super) resolved: &'a Resolved,
}

impl<'a> Fit<'a> {
    /// The part of the machine that placements may use.
    fn region(&self) -> Region<'a> {
        Region { machine: self.machine, partition: self.partition, allocation: self.allocation }
    }

    /// The cube as which embeddings place the program.
    fn cube(&self) -> Option<Hypercube> {
        self.program.placement_cube()
    }

    /// Number of groups of processes; named embeddings put each group on one node.
    pub(super) fn group_count(&self) -> u64 {
        self.program.rank_count().div_ceil(self.program.ranks_per_node)
    }

    /// Where the scenario names an embedding, or else its machine.
    pub(super) fn place_of<'b>(&'b self, embedding: &'b NamedEmbedding) -> &'b Place {
        embedding.place.as_ref().unwrap_or(&self.size.place)
    }

    /// The placement with these nodes of the machine, by process.
    pub(super) fn on_nodes(&self, nodes: Vec<NodeId>) -> Result<Placement, Failure> {
        PlacementTable::new(self.machine, nodes)
            .map(Placement::Table)
            .map_err(|error| ScenarioError::at(&self.size.place, error.to_string(), "this machine").into())
    }

    /// Whether an embedding is applied to groups of processes, one per node; random ones, those by number, and
    /// "standard" if it counts nodes handle groups themselves.
    fn places_groups(&self, embedding: &Embedding) -> bool {
        let handles_groups = match embedding.maker {
            Maker::ByNumber(_) | Maker::Drawn(_) => true,
            Maker::Rule(kind) => kind == EmbeddingKind::Standard && self.standard_counts(),
            Maker::Construction(_) | Maker::Seeded(_) | Maker::AxisOrders => false,
        };
        self.program.ranks_per_node > 1 && !handles_groups
    }

    /// Whether `standard` puts process `n` on the `n`-th node, rather than by the fields of labels, which fill a
    /// machine whose lengths are powers of two.
    pub(super) fn standard_counts(&self) -> bool {
        self.has_network()
            || self.program.is_placed_by_number()
            || self.allocation.is_some()
            || self.cube().is_none()
            || self.group_count() < self.machine.node_count()
    }

    /// The first nodes that can hold processes, in order, as many as groups of processes need or as there are: the
    /// nodes of the job, or the hosts that are up.
    pub(super) fn needed_nodes(&self) -> Vec<NodeId> {
        self.first_nodes(self.group_count())
    }

    /// The nodes that can hold processes, in order.
    pub(super) fn job_nodes(&self) -> Vec<NodeId> {
        self.first_nodes(u64::MAX)
    }

    /// The first `count` nodes that can hold processes, or all if there are fewer.
    pub(super) fn first_nodes(&self, count: u64) -> Vec<NodeId> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        match self.allocation {
            Some(allocation) => allocation.nodes().iter().take(count).copied().collect(),
            None => self.whole.hosts().take(count).collect(),
        }
    }

    /// The number of nodes that can hold processes.
    pub(super) fn job_node_count(&self) -> u64 {
        self.allocation.map_or_else(|| self.whole.host_count(), Allocation::count)
    }

    /// Whether an embedding fills a whole grid, or a box of one.
    fn fills_grid(embedding: &NamedEmbedding) -> bool {
        match &embedding.name {
            EmbeddingName::Registered { embedding, .. } => match embedding.maker {
                Maker::Rule(kind) => kind != EmbeddingKind::Standard,
                Maker::Construction(_) | Maker::AxisOrders => true,
                Maker::Drawn(_) | Maker::Seeded(_) | Maker::ByNumber(_) => false,
            },
            EmbeddingName::Axes(_) => true,
            EmbeddingName::Plane(_)
            | EmbeddingName::Search(_)
            | EmbeddingName::File(_)
            | EmbeddingName::Launcher(_)
            | EmbeddingName::Added(_) => false,
        }
    }

    /// Whether the machine or the guest is a network.
    fn has_network(&self) -> bool {
        self.machine.graph().is_some() || self.program.has_network_guest()
    }
}

/// Reads the list of embeddings; the default depends on machine and program.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    program: Option<&ScenarioProgram>,
) -> Option<Vec<NamedEmbedding>> {
    let Some(value) = settings.get(Key::MappingEmbeddings) else {
        let on_network = machine.is_some_and(|machine| machine.coordinate_grid().is_none());
        let kind = machine.map(Machine::kind);
        let names: &[&str] = match program {
            // A network on a machine of its own kind is placed node by node, on another kind by the constructions of
            // CS838.
            Some(program) if is_foreign(program, kind) => &["cs838"],
            Some(program) if on_network || program.has_network_guest() || program.is_placed_by_number() => {
                &["standard"]
            }
            Some(_) if settings.get(Key::MachineAllocation).is_some() => &["standard"],
            Some(program) if program.guest().cube().is_none() => &["tao"],
            _ => &DEFAULT_EMBEDDINGS[..],
        };
        let names = names.iter().filter_map(|name| EmbeddingName::with_name(name));
        return Some(names.map(|name| NamedEmbedding { name, place: None }).collect());
    };
    let values = value.list(Key::MappingEmbeddings.path(), "embeddings", settings.errors())?;
    let before = settings.errors().len();
    let mut embeddings: Vec<NamedEmbedding> = vec![];
    for entry in values {
        let Some(name) = embedding(entry, settings.errors()) else { continue };
        // Results identify embeddings by name, so names must differ.
        if let Some(first) =
            embeddings.iter().find(|embedding| embedding.name.to_string() == name.to_string())
        {
            let message = format!("embedding {name} a second time, expected every embedding once");
            let error = ScenarioError::at(&entry.place, message, "a second time");
            settings.report(
                error.because(first.place.as_ref(), "the first time").with_help("remove one of them"),
            );
        } else {
            embeddings.push(NamedEmbedding { name, place: Some(entry.place.clone()) });
        }
    }
    (settings.errors().len() == before).then_some(embeddings)
}

/// Whether the guest is a network of another kind than the machine; a program whose data move fits both of
/// its networks.
fn is_foreign(program: &ScenarioProgram, machine: Option<MachineKind>) -> bool {
    program.has_network_guest() && !program.is_wandering() && machine != Some(program.guest().shape().kind())
}

fn embedding(entry: &Value, errors: &Errors) -> Option<EmbeddingName> {
    let text = match &entry.content {
        Content::Text(text) => text,
        Content::Table(_) if placement_search::is_search(entry) => {
            return placement_search::entry(entry, errors)
                .map(|request| EmbeddingName::Search(Box::new(request)));
        }
        Content::Table(_) => return launcher_file::entry(entry, errors).map(EmbeddingName::Launcher),
        Content::Integer(_) | Content::Boolean(_) | Content::List(_) | Content::Other => {
            return errors.fail(entry.unexpected("embedding", expected()));
        }
    };
    let name = EmbeddingName::with_name(text);
    if name.is_none() {
        let known = EmbeddingName::known();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let error = entry.unexpected("embedding", expected());
        let help = launcher_file::as_table(text).unwrap_or_else(|| help(text, &known));
        errors.report(error.with_help(help));
    }
    name
}

/// The placement of each embedding, in order; misfits are reported.
pub(super) fn place(
    fit: &Fit<'_>,
    embeddings: Vec<NamedEmbedding>,
    library: &mut Library,
) -> Option<Vec<Placed>> {
    let before = fit.settings.errors().len();
    // If the allocation is a box, embeddings that fill a grid are placed in it.
    let grid_box = fit.allocation.and_then(Allocation::as_box).map(Partition::inside);
    let box_size = grid_box.map(|inside| Size::of_machine(inside, &fit.size.place));
    let in_box = grid_box.zip(box_size.as_ref()).map(|(inside, size)| Fit {
        machine: inside,
        whole: inside,
        allocation: None,
        size,
        ..*fit
    });
    let region = in_box.as_ref().unwrap_or(fit);
    let embeddings = with_axis_orders(region, embeddings);
    let (filling, counting): (Vec<_>, Vec<_>) =
        embeddings.iter().partition(|embedding| Fit::fills_grid(embedding));
    let wrong = match &in_box {
        None if fit.allocation.is_some() => misfits(fit, &counting),
        // All rules that do not fit are reported together.
        None => misfits(fit, &embeddings.iter().collect::<Vec<_>>()),
        Some(in_box) => [misfits(fit, &counting), misfits(in_box, &filling)].concat(),
    };
    let rules_fit = wrong.is_empty();
    fit.settings.report_all(wrong);
    let mut placed = vec![];
    for embedding in embeddings {
        // Misfits are already reported, once for all rules.
        if embedding.name.rule().is_some() && !rules_fit {
            continue;
        }
        let make = || {
            let made = match (&in_box, fit.allocation) {
                (Some(in_box), Some(allocation)) if Fit::fills_grid(&embedding) => {
                    placement(in_box, &embedding)
                        .and_then(|placement| out_of_box(fit, allocation, &placement))
                }
                (None, Some(_)) if Fit::fills_grid(&embedding) => Err(no_box(fit, &embedding).into()),
                _ => placement(fit, &embedding)
                    .and_then(|placement| on_whole_machine(fit, &embedding, placement)),
            };
            made.and_then(|placement| inside(fit, &embedding, placement))
        };
        let (made, resolved) = made_once(fit, &embedding, library, make);
        match made {
            Ok(placement) => placed.push(Placed { embedding: embedding.name, placement, resolved }),
            Err(Failure::Wrong(wrong)) => fit.settings.report_all(wrong),
            Err(Failure::Unreadable(reason)) => fit.settings.report(unreadable(fit, &embedding, &reason)),
        }
    }
    (fit.settings.errors().len() == before).then_some(placed)
}

/// The placement from `make`, or from an earlier run with the same machine, program and embedding; and the settings of
/// the run.
fn made_once(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    library: &mut Library,
    make: impl FnOnce() -> Result<Placement, Failure>,
) -> (Result<Arc<Placement>, Failure>, Resolved) {
    let listed = fit.settings.get(Key::MappingEmbeddings);
    let folder = fit.settings.folder();
    let canonical = library
        .canonical_embedding(|files| CanonicalValue::embedding(&embedding.name, listed, folder, files));
    // If the machine or the program depends on the seed, so does the placement.
    let drawn = fit.settings.is_seed_read();
    let request = PlacementRequest {
        keys: [drawn, true].map(|is_drawn| fit.resolved.placement_key(&canonical, fit.whole, is_drawn)),
        scenario: fit.settings.path(),
        files: canonical.files().map(Path::to_owned).collect(),
    };
    let made = library.placement(request, || fit.settings.noting_seed(make));
    (made, fit.resolved.with_embedding(canonical))
}

/// Translates a placement in the box of an allocation to the machine itself.
fn out_of_box(fit: &Fit<'_>, allocation: &Allocation, placement: &Placement) -> Result<Placement, Failure> {
    let nodes = placement.nodes().into_iter().map(|node| allocation.nodes()[node.index() as usize]);
    fit.on_nodes(nodes.collect())
}

/// The placement, if all processes are on nodes of the job.
fn inside(fit: &Fit<'_>, embedding: &NamedEmbedding, placement: Placement) -> Result<Placement, Failure> {
    let Some(allocation) = fit.allocation else { return Ok(placement) };
    match allocation::outside(allocation, &placement.nodes(), fit.place_of(embedding)) {
        Some(error) => {
            Err(error.because(fit.settings.place(Key::MachineAllocation), "the job's nodes").into())
        }
        None => Ok(placement),
    }
}

/// The placement on the machine itself; no process may be on a failed node or a switch.
fn on_whole_machine(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    placement: Placement,
) -> Result<Placement, Failure> {
    if fit.whole.graph().is_none() && fit.settings.get(Key::MappingSpareNodes).is_none() {
        return Ok(placement);
    }
    take_bytes(fit, embedding, fit.program.body.process_count().saturating_mul(BYTES_A_SHARE))?;
    Ok(failures::settle(fit.settings, fit.whole, placement, fit.place_of(embedding))?)
}

/// Replaces `axes` by an embedding for every order of axes; orders that are named themselves are not
/// repeated.
fn with_axis_orders(fit: &Fit<'_>, embeddings: Vec<NamedEmbedding>) -> Vec<NamedEmbedding> {
    let is_axis_orders = |named: &NamedEmbedding| {
        matches!(
            named.name,
            EmbeddingName::Registered { embedding: Embedding { maker: Maker::AxisOrders, .. }, .. }
        )
    };
    if !embeddings.iter().any(is_axis_orders) {
        return embeddings;
    }
    let named: Vec<String> = embeddings.iter().map(|embedding| embedding.name.to_string()).collect();
    let mut all = vec![];
    for embedding in embeddings {
        if !is_axis_orders(&embedding) {
            all.push(embedding);
            continue;
        }
        match all_axis_orders(fit, &embedding) {
            Ok(orders) => {
                all.extend(orders.into_iter().filter(|order| !named.contains(&order.name.to_string())));
            }
            Err(error) => fit.settings.report(error),
        }
    }
    all
}

/// Takes memory for a placement, before it is made.
fn take_bytes(fit: &Fit<'_>, embedding: &NamedEmbedding, bytes: u64) -> Result<(), Failure> {
    let taken = fit.settings.budget().take(bytes);
    taken.map_err(|over| over.at(fit.place_of(embedding), &format!("embedding {}:", embedding.name)).into())
}

/// Memory per process with several shares or in a group: the list of nodes, while it is made and afterwards, and the
/// data of a table per process \[bytes\].
const BYTES_A_SHARE: u64 = 16;

fn unreadable(fit: &Fit<'_>, embedding: &NamedEmbedding, reason: &str) -> ScenarioError {
    let message = format!("embedding {} cannot be read: {reason}", embedding.name);
    ScenarioError::at(fit.place_of(embedding), message, "named here")
        .with_help("paths are relative to the scenario file")
}
