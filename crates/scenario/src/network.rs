//! Networks, as machines or as guests: families with a number of dimensions, and lists of links in files.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_formats::{
    launcher::fabric::{Fabric, FabricLink, LinkSpeed},
    value::Kind,
};
use cubefold_topology::{Machine, MachineKind, Network, NodeId, narrow};

use super::{
    asked_file,
    budget::{Budget, OverBudget},
    described_graph::missing,
    errors::{Errors, ScenarioError, Standing, errors_at},
    keys::{Key, Section},
    lanes,
    library::Library,
    part_links::OwnLinks,
    placement_file::Failure,
    source_file::SourceFile,
    uplinks::Uplinks,
    value::{Content, Size, Value},
};

/// The given keys of a network, with their values.
#[derive(Debug)]
pub(super) struct NetworkKeys<'a> {
    /// The path of their table: `machine` or `program.guest`.
    pub(super) name: &'static str,
    /// The key of the number of dimensions.
    pub(super) count_key: &'static str,
    pub(super) count: Option<&'a Value>,
    pub(super) edges: Option<&'a Value>,
    /// The number of hosts, and whether they forward messages.
    pub(super) hosts: Option<&'a Value>,
    pub(super) hosts_forward: Option<&'a Value>,
    /// The cables between switches.
    pub(super) uplinks: Option<&'a Value>,
    /// The speeds of all links, of a lane of a link, of the unit of Slurm's speeds, and of pairs without a link by class.
    pub(super) link: Option<&'a Value>,
    pub(super) lane: Option<&'a Value>,
    pub(super) link_speed_unit: Option<&'a Value>,
    pub(super) paths: Option<&'a Value>,
    pub(super) directed: Option<&'a Value>,
    pub(super) kind: &'a Value,
}

/// A network, the lengths by which its nodes are numbered, the speeds of links in its file, and notes on the file.
#[derive(Debug)]
pub(super) struct ReadNetwork {
    pub(super) machine: Arc<Machine>,
    pub(super) size: Size,
    pub(super) own_links: Option<OwnLinks>,
    pub(super) notes: Vec<String>,
}

/// Reads a network that is not a grid. `beside` finds the files that it names.
pub(super) fn read(
    kind: MachineKind,
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &Errors,
) -> Option<ReadNetwork> {
    if kind == MachineKind::Network {
        return from_file(keys, beside, library, errors);
    }
    let name = format!("{}.{}", keys.name, keys.count_key);
    let range = kind.network_dimensions()?;
    let Some(value) = keys.count else {
        let expected = format!("from {} to {}", range.start(), range.end());
        return errors.fail(missing(keys.name, keys.kind, keys.count_key, &expected));
    };
    let count = value.natural(name, range, errors)?;
    let nodes = kind.network_node_count(count)?;
    errors.value_of(library.budget().take_network(nodes, 2 * nodes, &value.place))?;
    match Machine::of_dimensions(kind, count) {
        Ok(machine) => {
            let size = Size::of_machine(&machine, &value.place);
            Some(ReadNetwork { machine: Arc::new(machine), size, own_links: None, notes: vec![] })
        }
        Err(error) => errors.fail(ScenarioError::at(&value.place, error.to_string(), "this network")),
    }
}

fn from_file(
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &Errors,
) -> Option<ReadNetwork> {
    let Some(value) = keys.edges else {
        let expected = "the path of a file with a link a line";
        return errors.fail(missing(keys.name, keys.kind, "edges", expected));
    };
    let path = value.text(format!("{}.edges", keys.name), errors)?;
    let is_directed = truth(keys, "directed", keys.directed, errors)?.unwrap_or(false);
    let fabric = library.fabric(&beside(path), is_directed);
    let fabric = fabric.map_err(|failure| failure.report(errors, value, "list of links", path)).ok()?;
    let link_of_lanes = keys.link.filter(|_| fabric.has_lanes());
    let fabric = with_numbers_as_names(keys, lanes::with_speeds(keys, fabric, errors)?);
    let is_named = fabric.hosts.is_none() && !fabric.names.is_empty();
    let (fabric, hosts_forward) = (
        with_named_hosts(keys, fabric, path, errors)?,
        truth(keys, "hosts_forward", keys.hosts_forward, errors)?,
    );
    let hosts = if is_named { fabric.hosts? } else { hosts(keys, &fabric, errors)? };
    // Other keys that the network depends on, besides its file and the numbers below.
    let speeds_of_lanes = [keys.lane, link_of_lanes, keys.link_speed_unit, keys.paths];
    let by_keys = [keys.hosts.filter(|_| is_named)].into_iter().chain(speeds_of_lanes);
    let by_keys: Vec<&str> = by_keys.map(|value| value.map_or("", |value| value.place.text())).collect();
    let has_switches = hosts < fabric.nodes;
    let forwards = hosts_forward.unwrap_or(!has_switches);
    let uplinks = uplinks(keys, &fabric, errors)?;
    if let Some((value, Uplinks::ByLevel(counts))) = keys.uplinks.zip(uplinks.cables.as_ref()) {
        let levels = switch_levels(&fabric, hosts).ok()?;
        Uplinks::check_length(counts, levels, value, errors)?;
    }
    let nodes = FabricNodes { hosts, hosts_forward: forwards, is_directed };
    match library.network((&beside(path), &by_keys.join("\n"), &fabric), nodes, &uplinks, machine_of) {
        Ok(machine) => {
            let size = Size::of_machine(&machine, &value.place);
            let by_class = speeds(&fabric);
            let says_any = by_class.iter().any(|speed| *speed != LinkSpeed::default());
            let own_links = says_any.then(|| OwnLinks { by_class, place: value.place.clone() });
            let notes = fabric.notes.iter().map(|note| format!("{path}: {note}.")).collect();
            Some(ReadNetwork { machine, size, own_links, notes })
        }
        Err(message) => {
            let error = ScenarioError::at(&value.place, message, "this network");
            let help = lanes::joining(&fabric).unwrap_or_else(|| {
                let help = "hosts_forward = true lets messages pass through hosts";
                if forwards { String::new() } else { help.to_owned() }
            });
            errors.fail(error.because(keys.hosts.map(|hosts| &hosts.place), "the hosts").with_help(help))
        }
    }
}

/// The network; if its nodes have numbers and the key names hosts, with the numbers as names.
fn with_numbers_as_names(keys: &NetworkKeys<'_>, mut fabric: Arc<Fabric>) -> Arc<Fabric> {
    let is_by_name =
        keys.hosts.is_some_and(|hosts| matches!(hosts.content, Content::Text(_) | Content::List(_)));
    if is_by_name && fabric.hosts.is_none() && fabric.names.is_empty() {
        let fabric = Arc::make_mut(&mut fabric);
        fabric.names = (0..fabric.nodes).map(|node| node.to_string()).collect();
    }
    fabric
}

/// The network; if its file names nodes but does not say which are hosts, with the hosts that the key names. Hosts are
/// never guessed.
fn with_named_hosts(
    keys: &NetworkKeys<'_>,
    fabric: Arc<Fabric>,
    path: &str,
    errors: &Errors,
) -> Option<Arc<Fabric>> {
    if fabric.hosts.is_some() || fabric.names.is_empty() {
        return Some(fabric);
    }
    if keys.is_of_guest() {
        let all = vec![true; fabric.names.len()];
        return Some(Arc::new(Fabric::clone(&fabric).with_hosts(&all)));
    }
    let name = format!("{}.hosts", keys.name);
    let expected = "a pattern such as \"node*\", a list of names, or \"leaves\"";
    let Some(value) = keys.hosts else {
        let edges = keys.edges.map_or(&keys.kind.place, |edges| &edges.place);
        let message =
            format!("{name} is missing, expected {expected}: {path:?} does not say which nodes are hosts");
        let error = ScenarioError::at(edges, message, "which are hosts?").standing(Standing::MissingValue);
        return errors.fail(error.with_help("hosts = \"*\" takes all nodes"));
    };
    let matches = |pattern: &str| fabric.names.iter().map(|name| is_like(name, pattern)).collect();
    let chosen: Vec<bool> = match &value.content {
        Content::Text(word) if word == "leaves" => fabric.leaves(),
        Content::Text(pattern) => matches(pattern),
        Content::List(names) => {
            let mut chosen = vec![false; fabric.names.len()];
            for entry in names {
                let pattern = entry.text(&name, errors)?;
                let found: Vec<bool> = matches(pattern);
                if !found.contains(&true) {
                    return errors.fail(entry.unexpected(&name, format!("the name of a node of {path:?}")));
                }
                chosen.iter_mut().zip(found).for_each(|(is_host, is_found)| *is_host |= is_found);
            }
            chosen
        }
        _ => {
            return errors
                .fail(value.unexpected(name, format!("{expected}: the nodes of {path:?} have names")));
        }
    };
    let count = chosen.iter().filter(|is_host| **is_host).count();
    if count < 2 {
        let message = format!("{name} of {count} nodes of {path:?}, expected at least 2");
        return errors.fail(ScenarioError::at(&value.place, message, "these hosts"));
    }
    Some(Arc::new(Fabric::clone(&fabric).with_hosts(&chosen)))
}

/// Whether a name matches a pattern, in which `*` stands for any characters.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    name.ends_with(last)
}

/// The number of hosts: from the file or the key, or else all nodes.
fn hosts(keys: &NetworkKeys<'_>, fabric: &Fabric, errors: &Errors) -> Option<u32> {
    let Some(value) = keys.hosts else { return Some(fabric.hosts.unwrap_or(fabric.nodes)) };
    if let Some(known) = fabric.hosts {
        let message = format!(
            "{}.hosts beside {}, expected no number: the file says which nodes are hosts",
            keys.name, fabric.format
        );
        let error = ScenarioError::at(&value.place, message, format!("{known} hosts in the file"));
        return errors.fail(error.with_help("leave it out"));
    }
    let found = value.natural(format!("{}.hosts", keys.name), 2..=fabric.nodes.into(), errors)?;
    Some(narrow(found))
}

/// The cables between switches, if the file does not count them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FabricUplinks {
    cables: Option<Uplinks>,
    are_assumed: bool,
}

/// The cables between switches of a machine: from the key, or full bisection in formats that leave them out.
fn uplinks(keys: &NetworkKeys<'_>, fabric: &Fabric, errors: &Errors) -> Option<FabricUplinks> {
    let leaves_out = fabric.assumes_cables;
    let Some(value) = keys.uplinks else {
        let is_assumed = leaves_out && keys.name == "machine";
        return Some(FabricUplinks { cables: is_assumed.then_some(Uplinks::Full), are_assumed: is_assumed });
    };
    let uplinks = Uplinks::read(value, Key::MachineUplinks.path(), errors)?;
    if !leaves_out {
        let message =
            format!("machine.uplinks beside {}, expected none: the file counts cables", fabric.format);
        return errors
            .fail(ScenarioError::at(&value.place, message, "counted in the file").with_help("leave it out"));
    }
    Some(FabricUplinks { cables: Some(uplinks), are_assumed: false })
}

fn switch_levels(fabric: &Fabric, hosts: u32) -> Result<usize, String> {
    let ends: Vec<(u32, u32)> = fabric.links.iter().map(|link| link.ends).collect();
    let network = Network::from_edges(fabric.nodes, &ends).map_err(|error| error.to_string())?;
    Ok(network.with_hosts(hosts).levels().count().saturating_sub(2) as usize)
}

/// The value of a key that is true or false, if it is set.
#[expect(clippy::option_option, reason = "an error, nothing written, or a word")]
fn truth(keys: &NetworkKeys<'_>, key: &str, value: Option<&Value>, errors: &Errors) -> Option<Option<bool>> {
    let Some(value) = value else { return Some(None) };
    value.truth(format!("{}.{key}", keys.name), errors).map(Some)
}

impl NetworkKeys<'_> {
    /// Whether they describe a guest, all of whose nodes are processes.
    fn is_of_guest(&self) -> bool {
        self.name != Section::Machine.name()
    }
}

/// Reads the description of a network in any format.
///
/// # Errors
///
/// When the file cannot be read, or is wrong: the first errors.
pub(super) fn read_fabric(path: &Path, is_directed: bool, budget: &Budget) -> Result<Fabric, Failure> {
    let source = SourceFile::read_within(path, budget)
        .map_err(|error| Failure::unread(path, "list of links", error))?;
    let over = |over: OverBudget| over.of_file(path, "its links:");
    let most = memchr::memchr_iter(b'\n', source.text().as_bytes()).count() as u64 + 1;
    let [while_made, kept] = Network::bytes_to_make(0, most);
    let read = most.saturating_mul(BYTES_A_LINE).saturating_add(source.text().len() as u64);
    budget.take_for_a_while(while_made.saturating_add(read), kept).map_err(over)?;
    // In a list of two words a line, errors have places; anything else must be a network in a known format.
    if !Fabric::is_like(source.text()) {
        asked_file::asked(path, &source, Kind::Network).map_err(Failure::Wrong)?;
    }
    let parsed =
        if is_directed { Fabric::parse_directed(source.text()) } else { Fabric::parse(source.text()) };
    let fabric = parsed.map_err(|diagnostics| {
        let with_help = |error: ScenarioError| error.with_help(READ_FORMATS);
        Failure::Wrong(errors_at(&source, &diagnostics).into_iter().map(with_help).collect())
    })?;
    let [while_made, kept] = Network::bytes_to_make(fabric.nodes.into(), fabric.link_count());
    budget.take_for_a_while(while_made, kept).map_err(over)?;
    Ok(fabric)
}

/// Memory per line of a description while it is read, for its cells and a node with its name \[bytes\].
const BYTES_A_LINE: u64 = 400;

/// The formats that are recognised, for the help of errors.
const READ_FORMATS: &str = "cubefold inspect --list has the formats";

/// The different speeds of links, in the order in which they first occur.
fn speeds(fabric: &Fabric) -> Vec<LinkSpeed> {
    let mut speeds: Vec<LinkSpeed> = vec![];
    for link in &fabric.links {
        // Most links are as fast as the previous one.
        if !speeds.iter().rev().any(|known| *known == link.speed) {
            speeds.push(link.speed);
        }
    }
    speeds
}

/// The roles of the nodes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FabricNodes {
    /// The number of hosts, which come first.
    pub(super) hosts: u32,
    pub(super) hosts_forward: bool,
    /// Whether a line is a channel, from its first node to its second.
    pub(super) is_directed: bool,
}

/// The channels of a file: each link in the directions in which it is listed.
fn listed_channels(fabric: &Fabric) -> Vec<(u32, u32)> {
    let of_link = |link: &FabricLink| {
        let both = [link.ends, (link.ends.1, link.ends.0)];
        both.into_iter().zip(link.directions).filter(|(_, is_listed)| *is_listed).map(|(ends, _)| ends)
    };
    fabric.links.iter().flat_map(of_link).collect()
}

/// The machine of a network from a file.
fn machine_of(fabric: &Fabric, nodes: FabricNodes, uplinks: &FabricUplinks) -> Result<Machine, String> {
    let FabricNodes { hosts, hosts_forward, is_directed } = nodes;
    let all = |(link, cables): (&FabricLink, u64)| {
        let count = usize::try_from(link.count.saturating_mul(cables)).unwrap_or(usize::MAX);
        std::iter::repeat_n(link.ends, count)
    };
    let cables = match &uplinks.cables {
        Some(uplinks) => {
            let pairs: Vec<(u32, u32)> = fabric.links.iter().map(|link| link.ends).collect();
            let single = Network::from_edges(fabric.nodes, &pairs).map_err(|error| error.to_string())?;
            uplinks.cables(&pairs, single.with_hosts(hosts).levels())
        }
        None => vec![1; fabric.links.len()],
    };
    let ends: Vec<(u32, u32)> = fabric.links.iter().zip(cables).flat_map(all).collect();
    let network = if is_directed {
        Network::from_channels(fabric.nodes, &listed_channels(fabric))
    } else {
        Network::from_parallel_edges(fabric.nodes, &ends)
    };
    let network = network.map_err(|error| error.to_string())?;
    let speeds = speeds(fabric);
    if speeds.len() > usize::from(u16::MAX) {
        return Err(format!("{} different speeds of links, expected at most {}", speeds.len(), u16::MAX));
    }
    let class = |one: NodeId, other: NodeId| {
        let ends = (one.min(other).index(), one.max(other).index());
        let place = fabric.links.binary_search_by_key(&ends, |link| link.ends);
        let speed = place.map(|place| fabric.links[place].speed).unwrap_or_default();
        let class = speeds.iter().position(|known| *known == speed);
        class.and_then(|class| u16::try_from(class).ok()).unwrap_or(0)
    };
    let network = network.with_hosts(hosts).with_hosts_forwarding(hosts_forward).with_classes(class);
    let all_hosts: Vec<NodeId> = (0..hosts).map(NodeId::new).collect();
    if let Some((one, other)) = network.hosts_apart(&all_hosts) {
        let [one, other] = [one, other].map(|node| fabric.name(node.index()));
        let through = if hosts_forward { "" } else { " that leads through no host" };
        if is_directed {
            return Err(format!("no route{through} from host {one} to {other}"));
        }
        return Err(format!("no route{through} between hosts {one} and {other}"));
    }
    let machine = Machine::network(MachineKind::Network, network).map_err(|error| error.to_string())?;
    let machine = match uplinks {
        FabricUplinks { cables: Some(_), are_assumed } => machine.with_chosen_uplinks(*are_assumed),
        FabricUplinks { cables: None, .. } => machine,
    };
    Ok(match fabric.names.as_slice() {
        [] => machine,
        names => machine.with_node_names(names.into()),
    })
}

#[cfg(test)]
mod tests;
