//! The `[mapping]` table: the embeddings and their placements.

mod misfits;

use std::sync::Arc;

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_topology::{Machine, MachineKind, NodeId, Partition};

pub(super) use self::misfits::no_groups;
use self::misfits::{misfits, no_box, not_a_cube};
use super::{
    allocation,
    budget::BYTES_A_PROCESS,
    embeddings::{EmbeddingName, Maker, all_axis_orders, expected, in_turn, place_axes, place_seeded},
    errors::{ScenarioError, help},
    failures,
    keys::Key,
    launcher_file::{self, LauncherSource},
    library::{Library, PlacementKey},
    placement_file::{self, Failure},
    placement_npy, placement_search,
    settings::Settings,
    source_file::Place,
    value::{Content, Size, Value},
};
use crate::{
    input::region::{Allocation, Region},
    scenario::{ScenarioProgram, scenario_program::ContractedGuest},
};

/// Embeddings of a scenario that names none.
pub(super) const DEFAULT_EMBEDDINGS: [&str; 3] = ["standard", "xor", "byweight"];

/// The largest number of default embeddings of programs of these kinds, by their names in the file.
pub(super) fn most_default_embeddings<'a>(kinds: impl IntoIterator<Item = &'a str>) -> u128 {
    // Programs on a d-cube; all others are placed by their numbers, or by one construction.
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
    /// The nodes that the job has, if they are listed.
    pub(super) allocation: Option<&'a Allocation>,
    pub(super) size: &'a Size,
    pub(super) seed: u64,
}

impl Fit<'_> {
    /// The cube by which embeddings place the program.
    fn cube(&self) -> Option<Hypercube> {
        self.program.placement_cube()
    }

    /// Number of groups of processes, each of which named embeddings put on one node.
    fn group_count(&self) -> u64 {
        self.program.rank_count().div_ceil(self.program.ranks_per_node)
    }

    /// Whether an embedding is applied to groups of processes, one per node; "standard" by number and orders
    /// of axes handle groups themselves.
    fn places_groups(&self, embedding: &NamedEmbedding) -> bool {
        if matches!(embedding.name, EmbeddingName::Axes(_)) {
            return false;
        }
        // These deal with groups themselves.
        let is_by_number = match &embedding.name {
            EmbeddingName::Registered { embedding, .. } => matches!(embedding.maker, Maker::ByNumber(_)),
            name => matches!(name, EmbeddingName::Plane(_)),
        };
        let is_standard = embedding.name.rule() == Some(EmbeddingKind::Standard);
        self.program.ranks_per_node > 1 && !is_by_number && !(is_standard && self.standard_counts())
    }

    /// Whether `standard` puts process `n` on the `n`-th node, not by the fields of labels, which fill a machine whose
    /// lengths are powers of two.
    pub(super) fn standard_counts(&self) -> bool {
        self.has_network()
            || self.program.is_placed_by_number()
            || self.allocation.is_some()
            || self.cube().is_none()
            || self.group_count() < self.machine.node_count()
    }

    /// The nodes that processes can be on, in their order: those of the job, or all hosts that are up.
    pub(super) fn job_nodes(&self) -> Vec<NodeId> {
        self.allocation.map_or_else(|| self.whole.hosts().collect(), |own| own.nodes().to_vec())
    }

    /// The number of those nodes.
    pub(super) fn job_node_count(&self) -> u64 {
        self.allocation.map_or_else(|| self.whole.host_count(), Allocation::count)
    }

    /// Whether an embedding fills a whole grid, or a box of one.
    fn fills_grid(embedding: &NamedEmbedding) -> bool {
        match &embedding.name {
            EmbeddingName::Registered { embedding, .. } => match embedding.maker {
                Maker::Rule(kind) => kind != EmbeddingKind::Standard,
                Maker::Construction(_) | Maker::AxisOrders => true,
                Maker::Seeded(_) | Maker::ByNumber(_) => false,
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
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<NamedEmbedding>> {
    let Some(value) = settings.get(Key::MappingEmbeddings) else {
        let on_network = machine.is_some_and(|machine| machine.coordinate_grid().is_none());
        let kind = machine.map(Machine::kind);
        let names: &[&str] = match program {
            // A network on a machine of its own kind is placed as it is, on another one by the constructions
            // of CS838.
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
    let values = value.list(Key::MappingEmbeddings.path(), "embeddings", errors)?;
    let before = errors.len();
    let mut embeddings: Vec<NamedEmbedding> = vec![];
    for entry in values {
        let Some(name) = embedding(entry, errors) else { continue };
        // Results identify embeddings by name, so names must differ.
        if let Some(first) =
            embeddings.iter().find(|embedding| embedding.name.to_string() == name.to_string())
        {
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

/// Whether the guest is a network of another kind than the machine; a program whose data move fits both of
/// its networks.
fn is_foreign(program: &ScenarioProgram, machine: Option<MachineKind>) -> bool {
    program.has_network_guest() && !program.is_wandering() && machine != Some(program.guest().shape().kind())
}

fn embedding(entry: &Value, errors: &mut Vec<ScenarioError>) -> Option<EmbeddingName> {
    let text = match &entry.content {
        Content::Text(text) => text,
        Content::Table(_) if placement_search::is_search(entry) => {
            return placement_search::entry(entry, errors)
                .map(|request| EmbeddingName::Search(Box::new(request)));
        }
        Content::Table(_) => return launcher_file::entry(entry, errors).map(EmbeddingName::Launcher),
        Content::Integer(_) | Content::Boolean(_) | Content::List(_) | Content::Other => {
            errors.push(entry.unexpected("embedding", expected()));
            return None;
        }
    };
    let name = EmbeddingName::with_name(text);
    if name.is_none() {
        let known = EmbeddingName::known();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let error = entry.unexpected("embedding", expected());
        let help = launcher_file::as_table(text).unwrap_or_else(|| help(text, &known));
        errors.push(error.with_help(help));
    }
    name
}

/// The placement of each embedding, in their order; misfits are reported.
pub(super) fn place(
    fit: &Fit<'_>,
    embeddings: Vec<NamedEmbedding>,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<Vec<(EmbeddingName, Arc<Placement>)>> {
    let before = errors.len();
    // What fills a grid is placed in the box that the allocation is.
    let box_size = fit
        .allocation
        .and_then(Allocation::as_box)
        .map(|own| Size::of_machine(own.inside(), &fit.size.place));
    let in_box = fit.allocation.and_then(Allocation::as_box).zip(box_size.as_ref()).map(|(own, size)| Fit {
        machine: own.inside(),
        whole: own.inside(),
        allocation: None,
        size,
        ..*fit
    });
    let region = in_box.as_ref().unwrap_or(fit);
    let embeddings = with_axis_orders(region, embeddings, errors);
    let (filling, counting): (Vec<_>, Vec<_>) = embeddings.iter().partition(|own| Fit::fills_grid(own));
    let wrong = match &in_box {
        None if fit.allocation.is_some() => misfits(fit, &counting),
        // Rules of either sort that do not fit are reported together.
        None => misfits(fit, &embeddings.iter().collect::<Vec<_>>()),
        Some(in_box) => [misfits(fit, &counting), misfits(in_box, &filling)].concat(),
    };
    let rules_fit = wrong.is_empty();
    errors.extend(wrong);
    let mut placed = vec![];
    for embedding in embeddings {
        // Misfits have been reported, once for all rules.
        if embedding.name.rule().is_some() && !rules_fit {
            continue;
        }
        let made = match (&in_box, fit.allocation) {
            (Some(in_box), Some(own)) if Fit::fills_grid(&embedding) => {
                placement(in_box, &embedding, library).and_then(|placement| out_of_box(fit, own, &placement))
            }
            (None, Some(_)) if Fit::fills_grid(&embedding) => {
                Err(Failure::Wrong(vec![no_box(fit, &embedding)]))
            }
            _ => {
                placement(fit, &embedding, library).and_then(|placement| settled(fit, &embedding, placement))
            }
        };
        match made.and_then(|placement| inside(fit, &embedding, placement)) {
            Ok(placement) => placed.push((embedding.name, placement)),
            Err(Failure::Wrong(wrong)) => errors.extend(wrong),
            Err(Failure::Unreadable(reason)) => errors.push(unreadable(fit, &embedding, &reason)),
        }
    }
    (errors.len() == before).then_some(placed)
}

/// A placement in the box that an allocation is, on the machine itself.
fn out_of_box(
    fit: &Fit<'_>,
    allocation: &Allocation,
    placement: &Placement,
) -> Result<Arc<Placement>, Failure> {
    let nodes = placement.nodes().into_iter().map(|node| allocation.nodes()[node.index() as usize]).collect();
    let table = PlacementTable::new(fit.machine, nodes);
    table.map(|table| Arc::new(Placement::Table(table))).map_err(|error| {
        Failure::Wrong(vec![ScenarioError::at(&fit.size.place, error.to_string(), "this machine")])
    })
}

/// The placement, if all of it is on nodes of the job.
fn inside(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    placement: Arc<Placement>,
) -> Result<Arc<Placement>, Failure> {
    let Some(own) = fit.allocation else { return Ok(placement) };
    let place = embedding.place.as_ref().unwrap_or(&fit.size.place);
    match allocation::outside(own, &placement.nodes(), place) {
        Some(error) => Err(Failure::Wrong(vec![
            error.because(fit.settings.place(Key::MachineAllocation), "the job's nodes"),
        ])),
        None => Ok(placement),
    }
}

/// The placement on the machine itself, where no process may be on a failed node or a switch.
fn settled(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    placement: Arc<Placement>,
) -> Result<Arc<Placement>, Failure> {
    if fit.whole.graph().is_none() && fit.settings.get(Key::MappingSpareNodes).is_none() {
        return Ok(placement);
    }
    take_bytes(fit, embedding, fit.program.body.process_count().saturating_mul(BYTES_A_SHARE))?;
    let place = embedding.place.as_ref().unwrap_or(&fit.size.place);
    failures::settle(fit.settings, fit.whole, Arc::unwrap_or_clone(placement), place)
        .map(Arc::new)
        .map_err(|error| Failure::Wrong(vec![error]))
}

/// Replaces `axes` by an embedding for every order of axes; orders that are named themselves are not
/// repeated.
fn with_axis_orders(
    fit: &Fit<'_>,
    embeddings: Vec<NamedEmbedding>,
    errors: &mut Vec<ScenarioError>,
) -> Vec<NamedEmbedding> {
    let is_axis_orders = |own: &NamedEmbedding| matches!(&own.name, EmbeddingName::Registered { embedding, .. } if embedding.is_axis_orders());
    if !embeddings.iter().any(is_axis_orders) {
        return embeddings;
    }
    let named: Vec<String> = embeddings.iter().map(|own| own.name.to_string()).collect();
    let mut all = vec![];
    for embedding in embeddings {
        if !is_axis_orders(&embedding) {
            all.push(embedding);
            continue;
        }
        match all_axis_orders(fit, &embedding) {
            Ok(orders) => {
                all.extend(orders.into_iter().filter(|own| !named.contains(&own.name.to_string())));
            }
            Err(error) => errors.push(error),
        }
    }
    all
}

/// The placement of one embedding, made or cached; every share of a collective is on the node of its rank.
fn placement(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    library: &mut Library,
) -> Result<Arc<Placement>, Failure> {
    let placement = placement_of_ranks(fit, embedding, library)?;
    let shares = fit.program.ranks.as_ref().map_or(1, |own| own.share_count);
    if shares == 1 {
        return Ok(placement);
    }
    take_bytes(fit, embedding, fit.program.body.process_count().saturating_mul(BYTES_A_SHARE))?;
    let nodes = placement.nodes();
    PlacementTable::new(fit.machine, nodes.repeat(shares as usize))
        .map(|table| Arc::new(Placement::Table(table)))
        .map_err(|error| {
            let error = ScenarioError::at(&fit.size.place, error.to_string(), "this machine");
            Failure::Wrong(vec![error])
        })
}

/// The placement of processes or ranks by one embedding.
#[expect(clippy::too_many_lines, reason = "one list of cases, to be divided")]
fn placement_of_ranks(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    library: &mut Library,
) -> Result<Arc<Placement>, Failure> {
    let region = Region { machine: fit.machine, partition: fit.partition, allocation: fit.allocation };
    match &embedding.name {
        EmbeddingName::Registered { .. } if fit.places_groups(embedding) => groups(fit, embedding, library),
        EmbeddingName::Registered { embedding: registered, .. } => {
            let seed = if registered.is_seeded { format!(" by seed {}", fit.seed) } else { String::new() };
            let key = PlacementKey::named(format!("{}{seed}", embedding.name), fit.program, region);
            match registered.maker {
                Maker::Rule(kind) => place_by_rule(fit, embedding, kind, key, library),
                Maker::Construction(_) if fit.program.ranks.is_some() && registered.name != "tao" => {
                    Err(Failure::Wrong(vec![not_a_cube(fit, embedding)]))
                }
                Maker::Construction(place) => library.placement(key, || {
                    take_memory(fit, embedding)?;
                    place(fit, embedding)
                }),
                Maker::Seeded(place) => library.placement(key, || {
                    take_memory(fit, embedding)?;
                    place_seeded(fit, embedding, place)
                }),
                Maker::ByNumber(place) => library.placement(key, || {
                    take_memory(fit, embedding)?;
                    place(fit, embedding)
                }),
                // Its orders have replaced it.
                Maker::AxisOrders => Err(Failure::Wrong(vec![not_a_cube(fit, embedding)])),
            }
        }
        EmbeddingName::Axes(order) => {
            let key = PlacementKey::named(embedding.name.to_string(), fit.program, region);
            library.placement(key, || {
                take_memory(fit, embedding)?;
                place_axes(fit, embedding, order)
            })
        }
        EmbeddingName::Plane(together) => {
            let key = PlacementKey::named(embedding.name.to_string(), fit.program, region);
            library.placement(key, || {
                take_memory(fit, embedding)?;
                in_turn(fit, embedding, &fit.job_nodes(), *together)
            })
        }
        EmbeddingName::File(name) => from_file(fit, embedding, name, library),
        // Searched from those of the other embeddings; until then as `standard` has them.
        EmbeddingName::Search(_) => {
            let name = EmbeddingName::with_name("standard").unwrap_or_else(|| embedding.name.clone());
            placement_of_ranks(fit, &NamedEmbedding { name, place: embedding.place.clone() }, library)
        }
        // These come with their placements, after the file is read.
        EmbeddingName::Added(_) => Err(Failure::Wrong(vec![not_a_cube(fit, embedding)])),
        EmbeddingName::Launcher(entry) => {
            let source = LauncherSource {
                format: entry.format,
                file: fit.settings.beside(&entry.file),
                hosts: entry.hosts.as_ref().map(|hosts| fit.settings.beside(hosts)),
                coordinates: entry.coordinates.as_ref().map(|map| fit.settings.beside(map)),
                slots_per_node: entry.slots_per_node,
            };
            let key = PlacementKey::launcher(&source, fit.program, region);
            library.placement(key, || {
                take_memory(fit, embedding)?;
                source.read(fit.program.rank_count(), region)
            })
        }
    }
}

/// The placement in a file.
fn from_file(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    name: &str,
    library: &mut Library,
) -> Result<Arc<Placement>, Failure> {
    let region = Region { machine: fit.machine, partition: fit.partition, allocation: fit.allocation };
    let path = fit.settings.beside(name);
    let key = PlacementKey::file(&path, fit.program, region);
    let (processes, budget) = (fit.program.rank_count(), fit.settings.budget());
    library.placement(key, || {
        take_memory(fit, embedding)?;
        match path.extension() {
            Some(extension) if extension == "npy" => placement_npy::read(&path, processes, region, budget),
            _ => placement_file::read(&path, processes, region, budget),
        }
    })
}

/// The placement of groups of consecutive processes, one group per node, by an embedding of the groups as a
/// guest. In a cube, the lowest dimensions are the place inside the node.
fn groups(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    library: &mut Library,
) -> Result<Arc<Placement>, Failure> {
    let guest = match &embedding.name {
        EmbeddingName::Registered { embedding: registered, .. } => match registered.maker {
            Maker::Rule(_) => ContractedGuest::Cube,
            Maker::Construction(_) | Maker::AxisOrders => ContractedGuest::Own,
            Maker::Seeded(_) | Maker::ByNumber(_) => ContractedGuest::Row,
        },
        EmbeddingName::Axes(_)
        | EmbeddingName::Plane(_)
        | EmbeddingName::File(_)
        | EmbeddingName::Launcher(_)
        | EmbeddingName::Search(_)
        | EmbeddingName::Added(_) => ContractedGuest::Own,
    };
    let program = fit.program.contracted(guest);
    let program = program.ok_or_else(|| Failure::Wrong(vec![no_groups(fit, embedding)]))?;
    let placed = placement_of_ranks(&Fit { program: &program, ..*fit }, embedding, library)?;
    take_bytes(fit, embedding, fit.program.rank_count().saturating_mul(BYTES_A_SHARE))?;
    let nodes = fit.program.over_groups(guest, &placed.listed_nodes());
    let table = PlacementTable::new(fit.machine, nodes);
    table.map(|table| Arc::new(Placement::Table(table))).map_err(|error| {
        let error = ScenarioError::at(&fit.size.place, error.to_string(), "this machine");
        Failure::Wrong(vec![error])
    })
}

/// Takes the memory for the table of a placement, before it is made.
fn take_memory(fit: &Fit<'_>, embedding: &NamedEmbedding) -> Result<(), Failure> {
    take_bytes(fit, embedding, fit.program.rank_count().saturating_mul(BYTES_A_PROCESS))
}

/// Takes memory for a placement, before it is made.
fn take_bytes(fit: &Fit<'_>, embedding: &NamedEmbedding, bytes: u64) -> Result<(), Failure> {
    fit.settings.budget().take(bytes).map_err(|over| {
        let place = embedding.place.as_ref().unwrap_or(&fit.size.place);
        Failure::Wrong(vec![over.at(place, &format!("embedding {}:", embedding.name))])
    })
}

/// Memory per process on several shares or in a group: the list of nodes while it is made and when it is
/// kept, and the data that a table has per process \[bytes\].
const BYTES_A_SHARE: u64 = 16;

/// The placement of a rule: by fields of labels, or process by process if a network is involved.
fn place_by_rule(
    fit: &Fit<'_>,
    embedding: &NamedEmbedding,
    kind: EmbeddingKind,
    key: PlacementKey,
    library: &mut Library,
) -> Result<Arc<Placement>, Failure> {
    if kind == EmbeddingKind::Standard && fit.standard_counts() {
        return library.placement(key, || {
            take_memory(fit, embedding)?;
            as_numbered(fit)
        });
    }
    let cube = fit.cube().ok_or_else(|| Failure::Wrong(vec![not_a_cube(fit, embedding)]))?;
    library.placement(key, || {
        // `misfits` has reported the causes; this error is a fallback.
        Placement::embed(kind, cube, fit.machine).map_err(|error| {
            let error = ScenarioError::at(&fit.size.place, error.to_string(), "this shape");
            Failure::Wrong(vec![error])
        })
    })
}

/// Places process `n` on node `n`; if every node has two words, processes `2n` and `2n + 1`.
fn as_numbered(fit: &Fit<'_>) -> Result<Placement, Failure> {
    let processes = usize::try_from(fit.program.rank_count()).unwrap_or(usize::MAX);
    let words = match &fit.program.ranks {
        None if fit.program.ranks_per_node == 1 => {
            (fit.program.rank_count() / fit.machine.numbered_hosts()).max(1)
        }
        _ => fit.program.ranks_per_node,
    };
    let words = usize::try_from(words).unwrap_or(usize::MAX);
    // A program that fills the machine is on the nodes of its own numbers, failed ones included, which have spare nodes.
    let fills = fit.allocation.is_none() && fit.group_count() == fit.machine.numbered_hosts();
    let hosts: Vec<NodeId> = if fit.program.is_placed_by_number() || !(fills || fit.program.is_wandering()) {
        fit.job_nodes()
    } else {
        fit.machine
            .nodes()
            .take(usize::try_from(fit.machine.numbered_hosts()).unwrap_or(usize::MAX))
            .collect()
    };
    let nodes = match &fit.program.block {
        Some(_) => fit.program.over_groups(ContractedGuest::Row, &hosts),
        None => hosts.into_iter().flat_map(|node| std::iter::repeat_n(node, words)).take(processes).collect(),
    };
    PlacementTable::new(fit.machine, nodes).map(Placement::Table).map_err(|error| {
        let error = ScenarioError::at(&fit.size.place, error.to_string(), "this machine");
        Failure::Wrong(vec![error])
    })
}

fn unreadable(fit: &Fit<'_>, embedding: &NamedEmbedding, reason: &str) -> ScenarioError {
    let message = format!("embedding {} cannot be read: {reason}", embedding.name);
    let place = embedding.place.as_ref().unwrap_or(&fit.size.place);
    ScenarioError::at(place, message, "named here").with_help("paths are relative to the scenario file")
}
