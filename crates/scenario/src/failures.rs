//! Failed links and nodes of the machine, and the spare nodes that replace them (`docs/model.md` section 19).

use cubefold_mapping::{
    Placement, PlacementTable, TooManyFailuresError, with_failed_links, with_failed_nodes,
};
use cubefold_topology::{Coordinates, MAX_ROUTED_NODES, Machine, MachineError, NodeId};

use super::{
    errors::{Errors, ScenarioError},
    keys::Key,
    settings::Settings,
    source_file::Place,
    value::{Content, Value},
};
use crate::generator_key;

/// Applies the failures to the machine; reports failures outside it, or that disconnect it.
pub(super) fn read(settings: &Settings<'_>, machine: Option<Machine>) -> Option<Machine> {
    let (links, nodes) = (settings.get(Key::MachineFailedLinks), settings.get(Key::MachineFailedNodes));
    let machine = machine?;
    let Some(first) = links.or(nodes) else { return Some(machine) };
    if machine.is_directed() {
        let message = "failures of a machine whose links lead in one direction, expected none";
        let error = ScenarioError::at(&first.place, message, "leave them out of the list of links");
        return settings.fail(error.because(settings.place(Key::MachineDirected), "one direction"));
    }
    check_size(settings, &machine, "failures", &first.place)?;
    let given = match settings.get(Key::MachineFailureSeed) {
        Some(_) => Some(settings.natural(Key::MachineFailureSeed)?),
        None => None,
    };
    let key = |what: &str| {
        let seed = given.or_else(|| settings.seed()).unwrap_or(0);
        generator_key(seed, &format!("failed {what}; {} nodes", machine.node_count()))
    };
    let before = settings.errors().len();
    let listed_links =
        links.and_then(|value| listed_links(value, &machine, settings.errors())).unwrap_or_default();
    let listed_nodes =
        nodes.and_then(|value| listed_nodes(value, &machine, settings.errors())).unwrap_or_default();
    if settings.errors().len() > before {
        return None;
    }
    let failed = machine.with_failures(&listed_links, &listed_nodes).map_err(|error| {
        let passes = machine.graph().is_none_or(|network| network.hosts_forward());
        let help = match error {
            MachineError::FallsApart { .. } if !passes => {
                "hosts_forward = true lets messages pass through hosts, as libraries use the NIC of another device"
            }
            _ => "",
        };
        ScenarioError::at(&first.place, error.to_string(), "these failures")
            .because(nodes.map(|value| &value.place), "and these")
            .because(settings.place(Key::MachineKind), "the machine")
            .with_help(help)
    });
    let with_random = |machine: Machine, value: Option<&Value>, what: &str, draw: Draw| {
        let count = value.and_then(|value| Some((value, value.integer()?)));
        let Some((value, count)) = count else { return Ok(machine) };
        draw(&machine, count, key(what))
            .map_err(|error| ScenarioError::at(&value.place, error.to_string(), "these failures"))
    };
    let failed = failed
        .and_then(|machine| with_random(machine, nodes, "nodes", with_failed_nodes))
        .and_then(|machine| with_random(machine, links, "links", with_failed_links));
    settings.errors().value_of(failed)
}

/// A function that lets a number of nodes or links fail at random, by a key.
type Draw = fn(&Machine, u64, [u8; 32]) -> Result<Machine, TooManyFailuresError>;

/// Reports a machine that is too large to become a network, as the value at `place` requires.
pub(super) fn check_size(
    settings: &Settings<'_>,
    machine: &Machine,
    what: &str,
    place: &Place,
) -> Option<()> {
    let (nodes, links) = (machine.node_count(), machine.link_count());
    if nodes > MAX_ROUTED_NODES {
        let message = format!("{what} of {nodes} nodes, expected at most {MAX_ROUTED_NODES} (2^16)");
        let error = ScenarioError::at(place, message, "makes it a network");
        return settings
            .fail(error.with_help("its routes are looked up in tables of a byte for every pair of nodes"));
    }
    // Network and machine are in memory together.
    settings.errors().value_of(settings.budget().take_network(nodes, links, place))
}

/// The entries of a list of failures; none for a number of random failures.
fn entries<'a>(value: &'a Value, key: Key, expected: &str, errors: &Errors) -> Option<&'a [Value]> {
    match &value.content {
        Content::Integer(Some(_)) => None,
        Content::List(values) => Some(values),
        _ => errors.fail(value.unexpected(key.path(), expected)),
    }
}

fn listed_links(value: &Value, machine: &Machine, errors: &Errors) -> Option<Vec<(NodeId, NodeId)>> {
    let key = Key::MachineFailedLinks;
    let link = |entry: &Value| {
        let ends = match &entry.content {
            Content::List(ends) => &ends[..],
            _ => &[],
        };
        let [one, other] = ends else {
            let name = format!("entry of {}", key.path());
            return errors.fail(entry.unexpected(name, "a list of the two nodes of a link"));
        };
        let ends = (node(one, key, machine, errors)?, node(other, key, machine, errors)?);
        if !machine.neighbours(ends.0).any(|next| next == ends.1) {
            let message = format!(
                "a failed link between nodes {} and {}, expected two that are linked",
                ends.0, ends.1
            );
            return errors.fail(ScenarioError::at(&entry.place, message, "no link"));
        }
        Some(ends)
    };
    let expected = "a list of pairs of nodes, or a number of random links";
    entries(value, key, expected, errors)?.iter().map(link).collect()
}

fn listed_nodes(value: &Value, machine: &Machine, errors: &Errors) -> Option<Vec<NodeId>> {
    let key = Key::MachineFailedNodes;
    let entries = entries(value, key, "a list, or a number of random failures", errors)?;
    entries.iter().map(|entry| node(entry, key, machine, errors)).collect()
}

/// Reads a node by its number or its coordinates.
pub(super) fn node(value: &Value, key: Key, machine: &Machine, errors: &Errors) -> Option<NodeId> {
    let found = match &value.content {
        Content::Integer(Some(number)) => machine.node(*number).map_err(|error| error.to_string()),
        Content::List(_) => {
            let coordinates = value.integers().ok_or_else(|| "no list of coordinates".to_owned());
            coordinates.and_then(|coordinates| {
                let shape = machine.shape();
                let coordinates = Coordinates::new(shape, &coordinates).map_err(|error| error.to_string())?;
                Ok(shape.node_at(&coordinates))
            })
        }
        Content::Text(name) if machine.node_names().is_some() => {
            let names = machine.node_names().map_or(&[][..], |names| names);
            let place = names.iter().position(|known| known == name);
            let unknown = || format!("{} is no node of the network", value.describe());
            place
                .ok_or_else(unknown)
                .and_then(|place| machine.node(place as u64).map_err(|error| error.to_string()))
        }
        _ => Err(format!("{}, expected a number or a list of coordinates", value.describe())),
    };
    match found {
        Ok(node) => Some(node),
        Err(reason) => {
            let message = format!("node in {}: {reason}", key.path());
            let error = ScenarioError::at(&value.place, message, "no node of the machine");
            errors.fail(error.with_help("a node is its number, or the list of its coordinates: [0, 0, 3]"))
        }
    }
}

/// Moves the processes of failed nodes to their spare nodes, and the placement from a grid of coordinates to
/// the machine itself; reports processes on failed nodes or switches.
///
/// # Errors
///
/// The node that cannot hold its process, or an invalid spare node.
pub(super) fn settle(
    settings: &Settings<'_>,
    machine: &Machine,
    placement: Placement,
    place: &Place,
) -> Result<Placement, ScenarioError> {
    let failed = machine.failures().map_or(&[][..], |failures| &failures.nodes);
    let errors = Errors::default();
    let spares = match settings.get(Key::MappingSpareNodes) {
        Some(value) => spares(value, machine, failed, &errors),
        None => Some(vec![]),
    };
    let Some(spares) = spares else { return Err(errors.take().remove(0)) };
    let mut nodes = placement.nodes();
    for node in &mut nodes {
        if let Ok(number) = failed.binary_search(node) {
            *node = spares.get(number).copied().unwrap_or(*node);
        }
    }
    if let Some((process, &node)) = nodes.iter().enumerate().find(|&(_, &node)| !machine.is_host(node)) {
        let (what, help) = if failed.binary_search(&node).is_ok() {
            ("down", "mapping.spare_nodes names the nodes that stand in for failed ones")
        } else {
            ("a switch", "processes are on hosts, which have the lowest numbers")
        };
        let message = format!("process {process} on node {node}, which is {what}, expected a working node");
        return Err(ScenarioError::at(place, message, "not on this machine")
            .because(settings.place(Key::MachineFailedNodes), "nodes that are down")
            .with_help(help));
    }
    if spares.is_empty() && placement.machine() == machine {
        return Ok(placement);
    }
    let table = PlacementTable::new(machine, nodes)
        .map_err(|error| ScenarioError::at(place, error.to_string(), "this machine"))?;
    Ok(Placement::Table(table))
}

/// Reads the spare nodes, one per failed node.
fn spares(value: &Value, machine: &Machine, failed: &[NodeId], errors: &Errors) -> Option<Vec<NodeId>> {
    let key = Key::MappingSpareNodes;
    let entries = value.list(key.path(), "nodes", errors)?;
    let spares: Option<Vec<NodeId>> = entries.iter().map(|entry| node(entry, key, machine, errors)).collect();
    let spares = spares?;
    if spares.len() != failed.len() {
        let message =
            format!("{} spare nodes, expected {}, one for each failed node", spares.len(), failed.len());
        return errors.fail(ScenarioError::at(&value.place, message, "spare nodes"));
    }
    Some(spares)
}
