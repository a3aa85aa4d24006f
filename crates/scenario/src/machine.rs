//! The `[machine]` table: kind, lengths, wraps, partition and link mode; its times are read in
//! [`timing`](super::timing).

use std::sync::Arc;

use cubefold_formats::{
    input::{region::Allocation, text::with_article},
    launcher::HostList,
};
use cubefold_topology::{
    HostDimension, LinkMode, MAX_DIMENSIONS, Machine, MachineError, MachineKind, Partition, PartitionError,
    RouteChoice, Wrap,
};

use super::{
    allocation,
    collective::in_switch,
    connection,
    described_graph::{DescribedGraph, is_described},
    errors::{Errors, ScenarioError, alternatives},
    execution::{self, RoutingRule},
    failures,
    keys::{Key, Section, is_foreign_to_machine},
    library::Library,
    network::{self, NetworkKeys, ReadNetwork},
    packet_routes,
    part_links::OwnLinks,
    routers,
    settings::Settings,
    source_file::Place,
    switched,
    timing::{self, TimingSection},
    value::{Content, Size, Table, Value, read_each, read_wraps},
};

/// The machine of the valid settings.
#[derive(Debug)]
pub(super) struct MachineSection {
    /// The machine that the program runs on: the whole machine, or the inside of its partition.
    pub(super) machine: Option<Arc<Machine>>,
    pub(super) partition: Option<Arc<Partition>>,
    /// The nodes of the job, if they are listed.
    pub(super) allocation: Option<Arc<Allocation>>,
    pub(super) host_names: Option<Arc<HostList>>,
    /// The lengths of `machine`.
    pub(super) size: Option<Size>,
    /// Notes on the file that its links are read from.
    pub(super) notes: Arc<[String]>,
    pub(super) links: Option<LinkMode>,
    pub(super) timing: TimingSection,
}

impl MachineSection {
    /// The number of nodes that can hold processes: those of the job.
    pub(super) fn host_count(&self) -> Option<u64> {
        let machine = self.machine.as_ref()?;
        Some(self.allocation.as_ref().map_or_else(|| machine.host_count(), |allocation| allocation.count()))
    }
}

pub(super) fn read(settings: &Settings<'_>, library: &mut Library) -> MachineSection {
    let kind = kind(settings);
    if let Some(value) = settings.get(Key::MachineReduce) {
        in_switch::reduce(value, Key::MachineReduce.path(), settings.errors());
    }
    let NodesAndLinks { machine, size, own_links, notes } = nodes_and_links(settings, kind, library);
    let whole = machine.clone();
    let machine = failures::read(settings, machine);
    let links = links(settings);
    check_direction(settings, machine.as_ref(), links);
    let timing = timing::read(settings, machine.as_ref().or(whole.as_ref()), own_links.as_ref());
    let machine = machine.map(|machine| match timing.different_links() {
        Some(times) => machine.with_link_times(times),
        None => machine,
    });
    let whole = MachineSection {
        machine: None,
        partition: None,
        allocation: None,
        host_names: None,
        size,
        notes: notes.into(),
        links,
        timing,
    };
    let section = match settings.get(Key::MachinePartition).filter(|_| kind.is_none_or(MachineKind::is_grid))
    {
        Some(value) => in_partition(value, whole, machine.as_ref(), settings, library),
        None => with_allocation(whole, machine, settings, library),
    };
    let machine = section.machine.and_then(|machine| packet_routes::read(settings, machine, library));
    MachineSection { machine, ..section }
}

/// Reports links in one direction whose two directions are to share a link.
fn check_direction(settings: &Settings<'_>, machine: Option<&Machine>, links: Option<LinkMode>) {
    let is_directed = machine.is_some_and(Machine::is_directed);
    let Some(links) = links.filter(|&links| is_directed && links != LinkMode::FullDuplex) else { return };
    if let Some(place) = settings.place(Key::MachineLinks) {
        let message =
            format!("{links} links of a machine whose links lead in one direction, expected full-duplex");
        let error = ScenarioError::at(place, message, "shares a link between two directions");
        settings.report(error.because(settings.place(Key::MachineDirected), "one direction"));
    }
}

/// The nodes and links of a machine, the lengths by which its nodes are numbered, the speeds of links that it defines,
/// and notes on its file.
#[derive(Debug, Default)]
struct NodesAndLinks {
    machine: Option<Machine>,
    size: Option<Size>,
    own_links: Option<OwnLinks>,
    notes: Vec<String>,
}

fn nodes_and_links(
    settings: &Settings<'_>,
    kind: Option<MachineKind>,
    library: &mut Library,
) -> NodesAndLinks {
    let before = settings.errors().len();
    if let Some(kind) = kind {
        let is_foreign = |key: Key| is_foreign_to_machine(key.key(), kind);
        settings.report_foreign(Key::MachineKind, kind.name(), is_foreign);
    }
    let is_valid = |_: &NodesAndLinks| settings.errors().len() == before;
    let with = |(machine, size, own_links)| NodesAndLinks {
        machine: Some(machine),
        size: Some(size),
        own_links,
        notes: vec![],
    };
    let read = match kind.filter(|kind| !kind.is_grid()) {
        None => {
            let (machine, size) = grid(settings, kind);
            return NodesAndLinks { machine, size, ..NodesAndLinks::default() };
        }
        Some(MachineKind::Network) => {
            let read = network(settings, MachineKind::Network, library);
            return read.filter(is_valid).unwrap_or_default();
        }
        Some(kind) if kind.has_parameters() => switched::read(settings, kind).map(with),
        Some(kind) if is_described(kind) => {
            described(settings, kind, library).map(|(machine, size)| with((machine, size, None)))
        }
        Some(kind) => network(settings, kind, library),
    };
    let is_connected = |read: &NodesAndLinks| {
        let machine = read.machine.as_ref().zip(read.size.as_ref());
        machine.and_then(|(machine, size)| connection::check(settings, machine, size)).is_some()
    };
    read.filter(is_valid).filter(is_connected).unwrap_or_default()
}

fn in_partition(
    value: &Value,
    whole: MachineSection,
    machine: Option<&Machine>,
    settings: &Settings<'_>,
    library: &mut Library,
) -> MachineSection {
    if machine.is_some_and(|machine| machine.graph().is_some()) {
        let message = "a partition of a machine with twists or failures, expected the whole machine";
        let error = ScenarioError::at(&value.place, message, "its routes leave every box");
        settings.report(
            error
                .because(settings.place(Key::MachineTwist), "the twists")
                .because(settings.place(Key::MachineFailedLinks), "the failures")
                .because(settings.place(Key::MachineFailedNodes), "the failures"),
        );
        return whole;
    }
    allocation::read(settings, machine, None); // refuses one
    let (partition, size) = read_partition(value, machine, settings.errors()).unzip();
    let inside = partition.as_ref().map(|partition| partition.inside().clone());
    let machine = inside.and_then(|inside| routed(inside, settings, library)).map(Arc::new);
    MachineSection { machine, partition: partition.map(Arc::new), size, ..whole }
}

/// The whole machine, with the nodes of the job.
fn with_allocation(
    whole: MachineSection,
    machine: Option<Machine>,
    settings: &Settings<'_>,
    library: &mut Library,
) -> MachineSection {
    let names = allocation::read_names(settings, machine.as_ref());
    let allocation = allocation::read(settings, machine.as_ref(), names.as_ref()).map(Arc::new);
    let is_wrong = allocation.is_none() && settings.get(Key::MachineAllocation).is_some();
    let machine = machine.filter(|_| !is_wrong);
    let machine = machine.and_then(|machine| routed(machine, settings, library)).map(Arc::new);
    MachineSection { machine, allocation, host_names: names.map(|names| names.list), ..whole }
}

fn grid(settings: &Settings<'_>, kind: Option<MachineKind>) -> (Option<Machine>, Option<Size>) {
    let size = size(settings, kind);
    let wraps = wraps(settings, kind, size.as_ref());
    let machine = match (kind, &size) {
        (Some(kind), Some(size)) => machine(settings, kind, size, wraps.as_deref()),
        _ => None,
    };
    (machine, size)
}

/// Reads a machine that is not a grid.
fn network(settings: &Settings<'_>, kind: MachineKind, library: &mut Library) -> Option<NodesAndLinks> {
    // A tree has levels where other families have dimensions.
    let counted = if kind == MachineKind::BinaryTree { Key::MachineLevels } else { Key::MachineDimensions };
    let keys = NetworkKeys {
        name: "machine",
        count_key: counted.key(),
        count: settings.get(counted),
        edges: settings.get(Key::MachineEdges),
        hosts: settings.get(Key::MachineHosts),
        hosts_forward: settings.get(Key::MachineHostsForward),
        uplinks: settings.get(Key::MachineUplinks),
        link: settings.get(Key::MachineLink),
        lane: settings.get(Key::MachineLane),
        link_speed_unit: settings.get(Key::MachineLinkSpeedUnit),
        paths: settings.get(Key::MachinePaths),
        directed: settings.get(Key::MachineDirected),
        kind: settings.get(Key::MachineKind)?,
    };
    let ReadNetwork { machine, size, own_links, notes } =
        network::read(kind, &keys, |path| settings.beside(path), library, settings.errors())?;
    Some(NodesAndLinks { machine: Some(Machine::clone(&machine)), size: Some(size), own_links, notes })
}

/// A tree that numbers describe, or the graph of an edge grammar.
fn described(settings: &Settings<'_>, kind: MachineKind, library: &mut Library) -> Option<(Machine, Size)> {
    let get = |key| settings.get(Key::with_key(Section::Machine, key)?);
    let graph = DescribedGraph { name: "machine", kind: settings.get(Key::MachineKind)?, get: &get };
    graph.read(kind, |path| settings.beside(path), library, settings.errors())
}

/// The machine with the routes that the scenario chooses: under `lowest` and `spread` a grid becomes a network.
fn routed(machine: Machine, settings: &Settings<'_>, library: &mut Library) -> Option<Machine> {
    // Routers do not support these rules; that is reported with the routers.
    let rule = execution::read_routing(settings).filter(|_| !routers::are_asked_for(settings));
    let choice = match rule {
        Some(RoutingRule::Lowest) => RouteChoice::Lowest,
        Some(RoutingRule::Spread) => RouteChoice::Spread(settings.seed().unwrap_or(0)),
        Some(RoutingRule::DModK) if machine.grid().is_none() => RouteChoice::DModK,
        None if !routers::are_asked_for(settings) && execution::routes_by_destination(&machine) => {
            return Some(library.with_known_routes(machine.with_route_choice(RouteChoice::DModK)));
        }
        _ => {
            let tie = routers::read_tie_rule(&settings.silent()).unwrap_or_default();
            return Some(library.with_known_routes(machine.with_tie(tie)));
        }
    };
    let place = settings.place(Key::ExecutionRouting)?;
    if machine.grid().is_some() {
        let what = format!("routing {}", choice.name());
        failures::check_size(settings, &machine, &what, place)?;
    }
    match machine.as_network(choice) {
        Ok(machine) => Some(library.with_known_routes(machine)),
        Err(error) => settings.fail(ScenarioError::at(place, error.to_string(), "makes the grid a network")),
    }
}

fn kind(settings: &Settings<'_>) -> Option<MachineKind> {
    settings.required(Key::MachineKind, &alternatives(&MachineKind::HOSTS))?;
    settings.one_of(Key::MachineKind, &MachineKind::HOSTS, MachineKind::name)
}

/// The lengths, from the shape or the dimensions: the one in the higher layer.
fn size(settings: &Settings<'_>, kind: Option<MachineKind>) -> Option<Size> {
    if !settings.obeys(Key::MachineDimensions) {
        return None;
    }
    if settings.is_written_with(Key::MachineShape, Key::MachineDimensions) {
        return Size::read(settings.get(Key::MachineShape)?, Key::MachineShape.path(), settings.errors());
    }
    match settings.get(Key::MachineDimensions) {
        Some(value) => size_of_cube(settings, kind, value),
        None => settings.fail(missing_size(settings, kind)),
    }
}

fn missing_size(settings: &Settings<'_>, kind: Option<MachineKind>) -> ScenarioError {
    let (setting, expected) = match kind {
        Some(MachineKind::Hypercube) => (Key::MachineDimensions, "how many, or a shape of all 2"),
        Some(MachineKind::Line | MachineKind::Ring) => (Key::MachineShape, "its length: [64]"),
        _ => (Key::MachineShape, "the length of each dimension: [8, 8]"),
    };
    let written_as = kind.map(|kind| with_article(kind.name())).unwrap_or_default();
    settings.missing(setting, expected).because(settings.place(Key::MachineKind), written_as)
}

fn size_of_cube(settings: &Settings<'_>, kind: Option<MachineKind>, value: &Value) -> Option<Size> {
    if let Some(kind) = kind.filter(|&kind| kind != MachineKind::Hypercube) {
        let kind = with_article(kind.name());
        let message = format!("machine.dimensions with {kind}, expected machine.shape");
        let error = ScenarioError::at(&value.place, message, "only a hypercube has it instead of a shape")
            .because(settings.place(Key::MachineKind), kind)
            .with_help("give the length of each dimension: shape = [8, 8]");
        return settings.fail(error);
    }
    let count = value.natural(Key::MachineDimensions.path(), 1..=MAX_DIMENSIONS as u64, settings.errors())?;
    Some(Size::of_cube(count, &value.place))
}

/// The wrap of each dimension: as written, or the default of the kind.
fn wraps(settings: &Settings<'_>, kind: Option<MachineKind>, size: Option<&Size>) -> Option<Vec<Wrap>> {
    let name = Key::MachineWrap.path();
    let Some(value) = settings.get(Key::MachineWrap) else {
        return Some(vec![kind?.wrap(); size?.lengths.len()]);
    };
    read_wraps(value, name, size, settings.errors())
}

fn machine(
    settings: &Settings<'_>,
    kind: MachineKind,
    size: &Size,
    wraps: Option<&[Wrap]>,
) -> Option<Machine> {
    // Wraps that are wrong have been reported: the rest is checked as if there were none.
    let twists = match settings.get(Key::MachineTwist).filter(|_| kind == MachineKind::Torus) {
        Some(value) => Some((value, twists(value, settings.errors())?)),
        None => None,
    };
    if let (Some((value, _)), Some(_)) = (&twists, wraps.filter(|wraps| wraps.contains(&Wrap::Open))) {
        let message = "twists of a torus with a dimension that does not wrap, expected all to wrap";
        let error = ScenarioError::at(&value.place, message, "twists wraparounds");
        return settings.fail(error.because(settings.place(Key::MachineWrap), "no wraparound"));
    }
    if let Some((value, twists)) = &twists
        && twists.iter().flatten().any(|&twist| twist > 0)
    {
        let product = |product: u64, length: &u64| product.saturating_mul(*length);
        let nodes = size.lengths.iter().fold(1, product);
        let links = nodes.saturating_mul(size.lengths.len() as u64);
        settings.errors().value_of(settings.budget().take_network(nodes, links, &value.place))?;
    }
    let machine = match (&twists, wraps) {
        (Some((_, twists)), _) => {
            Machine::twisted_torus(&size.lengths, &modulo_lengths(twists, &size.lengths))
        }
        (None, Some(wraps)) => Machine::with_wraps(kind, &size.lengths, wraps),
        (None, None) => Machine::new(kind, &size.lengths),
    };
    match machine {
        Ok(machine) => wraps.map(|_| machine),
        Err(error) => {
            settings.report_all(placed(&error, settings, size));
            None
        }
    }
}

/// An error of the machine at the value that causes it.
fn placed(error: &MachineError, settings: &Settings<'_>, size: &Size) -> Vec<ScenarioError> {
    let kind = settings.place(Key::MachineKind);
    match error {
        MachineError::HypercubeLength { .. } => {
            let wrong = size.lengths.iter().enumerate().filter(|&(_, &length)| length != 2);
            wrong.filter_map(|(index, &length)| hypercube_length(index, length, kind, size)).collect()
        }
        MachineError::OneDimension { kind: name, .. } => {
            let help = match name {
                MachineKind::Ring => "a ring of more dimensions is a torus",
                _ => "a line of more dimensions is a mesh",
            };
            let error = ScenarioError::at(&size.place, error.to_string(), "expected 1 length");
            vec![error.because(kind, with_article(name.name())).with_help(help)]
        }
        MachineError::TwistEntries { .. } | MachineError::OwnTwist { .. } => {
            let place = settings.place(Key::MachineTwist).unwrap_or(&size.place);
            let error = ScenarioError::at(place, error.to_string(), "these twists");
            vec![error.because(Some(&size.place), "the lengths")]
        }
        MachineError::Shape(_)
        | MachineError::NoHosts { .. }
        | MachineError::OneHost { .. }
        | MachineError::TooLarge { .. }
        | MachineError::NoSuchLink { .. }
        | MachineError::FallsApart { .. }
        | MachineError::NothingLeft { .. }
        | MachineError::WrapEntries { .. }
        | MachineError::NoGrid { .. }
        | MachineError::NoFamily { .. }
        | MachineError::Dimensions { .. }
        | MachineError::Tree { .. }
        | MachineError::Grammar { .. }
        | MachineError::Network(_) => {
            vec![ScenarioError::at(&size.place, error.to_string(), "this shape")]
        }
    }
}

/// The twists as the machine takes them, each below the length of its dimension: they are taken modulo it, so -1 is one
/// less than the length.
fn modulo_lengths(twists: &[Vec<i64>], lengths: &[u64]) -> Vec<Vec<u64>> {
    let reduced = |(place, &twist): (usize, &i64)| match (u64::try_from(twist), lengths.get(place)) {
        (Err(_), Some(&length)) => (length - twist.unsigned_abs() % length) % length,
        (twist, _) => twist.unwrap_or(0), // the machine reports an entry too many
    };
    twists.iter().map(|twist| twist.iter().enumerate().map(reduced).collect()).collect()
}

/// Reads the twists: a list of numbers for each dimension.
fn twists(value: &Value, errors: &Errors) -> Option<Vec<Vec<i64>>> {
    let name = Key::MachineTwist.path();
    let rows = value.list(name, "lists, one for each dimension", errors)?;
    read_each(rows, |row| {
        let entries = row.list(format!("entry of {name}"), "integers, one for each dimension", errors)?;
        let read = |entry: &Value| entry.whole(format!("entry of {name}"), u32::MAX, errors);
        entries.iter().map(read).collect()
    })
}

fn hypercube_length(index: usize, length: u64, kind: Option<&Place>, size: &Size) -> Option<ScenarioError> {
    let dimension = HostDimension::new(index + 1).ok()?;
    let error = MachineError::HypercubeLength { dimension, length };
    let error = ScenarioError::at(size.length_place(index), error.to_string(), "expected 2");
    Some(
        error
            .because(kind, "a hypercube")
            .with_help("give the number of dimensions instead of a shape, or another kind"),
    )
}

/// Reads the link mode, by its name or Tao's number.
fn links(settings: &Settings<'_>) -> Option<LinkMode> {
    let written = settings.get(Key::MachineLinks).map(|value| (value, &value.content));
    let Some((value, &Content::Integer(number))) = written else {
        return settings.one_of(Key::MachineLinks, &LinkMode::ALL, LinkMode::name);
    };
    let mode = LinkMode::ALL.into_iter().find(|mode| number == Some(u64::from(mode.number())));
    if mode.is_none() {
        let expected = format!("{}, or 1, 2 or 3", alternatives(&LinkMode::ALL));
        settings.report(value.unexpected(Key::MachineLinks.path(), expected));
    }
    mode
}

/// Reads a partition of `machine`, with its lengths. Without a machine, only errors that hold for any are reported.
pub(super) fn read_partition(
    value: &Value,
    machine: Option<&Machine>,
    errors: &Errors,
) -> Option<(Partition, Size)> {
    let table = Table::read(value, Key::MachinePartition.path(), &["base", "shape"], errors)?;
    let base = table.required("base", "the coordinates of its first node: [0, 0]", errors);
    let shape = table.required("shape", "its lengths: [4, 4]", errors);
    let base_values = base.and_then(|value| coordinates(value, &table.name("base"), errors));
    let size = shape.and_then(|value| Size::read(value, &table.name("shape"), errors));
    let (base_values, size, machine) = (base_values?, size?, machine?);
    match Partition::new(machine, &base_values, &size.lengths) {
        Ok(partition) => Some((partition, size)),
        Err(error) => {
            let place = match error {
                PartitionError::Base(_) => base.map_or(&value.place, |base| &base.place),
                PartitionError::Outside { dimension, .. } => size.length_place(dimension.index()),
                PartitionError::Arity { .. } | PartitionError::Lengths(_) => &size.place,
            };
            let error = ScenarioError::at(place, error.to_string(), "not inside the machine");
            errors.fail(error.with_help("a partition is a box of the machine that does not wrap around"))
        }
    }
}

fn coordinates(value: &Value, name: &str, errors: &Errors) -> Option<Vec<u64>> {
    read_each(value.list(name, "coordinates", errors)?, |entry| match entry.content {
        Content::Integer(Some(coordinate)) => Some(coordinate),
        _ => errors.fail(entry.unexpected(format!("entry of {name}"), "an integer of at least 0")),
    })
}
