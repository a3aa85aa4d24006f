//! Rings and trees that depend on the nodes: `program.channels` and `program.rings`, the ranks of a node, and the notes
//! on the order of messages (`docs/model.md` section 16).

use std::num::NonZeroU32;

use cubefold_collectives::{Algorithm, Channels, CollectiveSpecification, MessageOrder, Operation};
use cubefold_topology::{Machine, NodeId};

use super::choices::is_lenient;
use crate::{
    errors::ScenarioError,
    keys::Key,
    program::Reading,
    routers,
    value::{Content, Value},
};

/// The most channels of a collective.
pub const MAX_CHANNELS: u64 = 64;

/// The ranks of a node: the devices of a cluster with a process on each, or else the processes that embeddings put on a
/// node.
pub(crate) fn ranks_per_node(reading: &Reading<'_>, per_node: u64) -> u32 {
    let devices =
        reading.machine.machine.as_deref().and_then(Machine::cluster).map(|cluster| cluster.devices_per_node);
    u32::try_from(devices.filter(|_| per_node == 1).unwrap_or(per_node)).unwrap_or(1)
}

/// Reports a job that has only some devices of a node of a cluster: its consecutive ranks would be those of several nodes.
pub(super) fn check_whole_nodes(reading: &mut Reading<'_>, per_node: u64) -> Option<()> {
    let (settings, machine) = (reading.settings, reading.machine.machine.clone()?);
    let Some(cluster) = machine.cluster().filter(|_| per_node == 1) else { return Some(()) };
    let node = |device: &NodeId| u64::from(device.index()) / cluster.devices_per_node;
    let devices: Vec<NodeId> = match &reading.machine.allocation {
        Some(allocation) => allocation.nodes().to_vec(),
        None if machine.failures().is_some() => machine.hosts().collect(),
        None => return Some(()),
    };
    let of_node = usize::try_from(cluster.devices_per_node).ok()?;
    let is_whole = |devices: &[NodeId]| {
        devices.len() == of_node && devices.iter().all(|device| node(device) == node(&devices[0]))
    };
    let Some(parts) = devices.chunks(of_node).find(|devices| !is_whole(devices)) else { return Some(()) };
    let keys = [Key::MachineAllocation, Key::MachineFailedNodes, Key::MachineKind];
    let place = keys.iter().find_map(|&key| settings.place(key))?;
    let message = format!(
        "ranks by nodes, as channels and hierarchical collectives take them, on some of the {of_node} devices of node {}, \
         expected all or none of every node, one node after another",
        node(&parts[0])
    );
    let error = ScenarioError::at(place, message, "not whole nodes");
    settings.fail(error.because(settings.place(Key::ProgramAlgorithm), "the algorithm"))
}

/// Reads the channels of an algorithm, if it has any.
#[expect(clippy::option_option, reason = "an error, nothing written, or channels")]
pub(super) fn channels(
    reading: &mut Reading<'_>,
    algorithm: Option<Algorithm>,
    operation: Operation,
    per_node: u64,
) -> Option<Option<Channels>> {
    let count = count(reading)?;
    let devices = ranks_per_node(reading, per_node);
    let rings = rings(reading, devices)?;
    check_ring_count(reading, count, rings.len());
    let runs_so = algorithm?.descriptor().channel_operations.contains(&operation);
    if !runs_so && is_lenient(reading, Key::ProgramChannels) {
        return Some(None);
    }
    if count.is_some() {
        check_whole_nodes(reading, per_node)?;
    }
    Some(count.map(|count| Channels { count, rings }))
}

/// The number of channels, if given.
#[expect(clippy::option_option, reason = "an error, nothing written, or a number")]
fn count(reading: &mut Reading<'_>) -> Option<Option<NonZeroU32>> {
    let Some(value) = reading.settings.get(Key::ProgramChannels) else { return Some(None) };
    let found = match &value.content {
        Content::Integer(Some(count)) => Some(*count),
        Content::Text(text) if text == "nics" => {
            let cluster = reading.machine.machine.as_deref().and_then(Machine::cluster);
            Some(
                cluster
                    .and_then(|cluster| cluster.outside.as_ref())
                    .map_or(1, |outside| outside.nics_per_node),
            )
        }
        _ => None,
    };
    let count = found.filter(|count| *count <= MAX_CHANNELS).and_then(|count| u32::try_from(count).ok());
    let Some(count) = count.and_then(NonZeroU32::new) else {
        let expected = format!("an integer from 1 to {MAX_CHANNELS}, or \"nics\"");
        return reading.settings.fail(value.unexpected(Key::ProgramChannels.path(), expected));
    };
    Some(Some(count))
}

/// The orders of the devices of a node; empty if not given.
fn rings(reading: &mut Reading<'_>, devices: u32) -> Option<Vec<Vec<u32>>> {
    let Some(value) = reading.settings.get(Key::ProgramRings) else { return Some(vec![]) };
    if !reading.settings.obeys(Key::ProgramRings) || reading.machine.machine.is_none() {
        return None;
    }
    let expected = format!("lists of all devices of a node, 0 to {}", devices - 1);
    let entries = value.list(Key::ProgramRings.path(), &expected, reading.settings.errors())?;
    let rings: Vec<Option<Vec<u32>>> = entries.iter().map(|entry| ring(entry, devices)).collect();
    for (entry, ring) in entries.iter().zip(&rings) {
        if ring.is_none() {
            let expected = format!("each device of a node once, 0 to {}", devices - 1);
            reading.settings.report(entry.unexpected("ring of program.rings", expected));
        }
    }
    rings.into_iter().collect()
}

/// Reports rings that no channel goes through.
fn check_ring_count(reading: &Reading<'_>, channels: Option<NonZeroU32>, rings: usize) {
    let settings = reading.settings;
    let Some(channels) = channels.filter(|channels| rings > channels.get() as usize) else { return };
    let Some(place) = settings.place(Key::ProgramRings) else { return };
    let message = format!("{rings} rings on {channels} channels, expected at most as many rings as channels");
    let error = ScenarioError::at(place, message, "some on no channel");
    settings.report(error.because(settings.place(Key::ProgramChannels), "the channels"));
}

/// An order of all devices.
fn ring(entry: &Value, devices: u32) -> Option<Vec<u32>> {
    let order = entry.integers()?.into_iter().map(|device| u32::try_from(device).ok());
    let order: Vec<u32> = order.collect::<Option<_>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..devices).then_some(order)
}

/// Sentences on assumptions of a collective of all ranks whose groups run `asked`.
pub(super) fn notes(
    reading: &Reading<'_>,
    of_all: &CollectiveSpecification,
    asked: &CollectiveSpecification,
) -> Vec<String> {
    let mut notes = vec![];
    if asked.algorithm == Algorithm::Direct && asked.order == MessageOrder::Rotated {
        let has_routers = routers::are_asked_for(reading.settings);
        if !has_routers {
            notes.push(
                "direct: rank r sends to r + 1, r + 2, .. (order = \"listed\": to 0, 1, ..).".to_owned(),
            );
        } else if reading.settings.get(Key::ProgramOrder).is_some() {
            notes.push(
                "direct: over routers rank r sends to 0, 1, ..; program.order has no effect.".to_owned(),
            );
        }
    }
    match &asked.channels {
        Some(channels) => notes.extend(on_channels(asked, channels)),
        // Several groups use several NICs of a node.
        None if asked.rank_count() < of_all.rank_count() => {}
        None => notes.extend(without_channels(reading, asked)),
    }
    notes
}

fn on_channels(asked: &CollectiveSpecification, channels: &Channels) -> Vec<String> {
    let count = channels.count.get();
    let is_ring = asked.algorithm == Algorithm::Ring;
    let mut starts = asked.channel_starts();
    starts.dedup();
    let channels = match (is_ring, count) {
        (true, 1) => "ring",
        (true, _) => "rings",
        (false, 1) => "tree",
        (false, _) => "trees",
    };
    let from = if let [only] = starts[..] {
        format!(" from device {only}")
    } else {
        let starts: Vec<String> = starts.iter().map(u32::to_string).collect();
        format!(", one from each of devices {}", starts.join(", "))
    };
    let mut notes = vec![format!("{count} {channels}{from}.")];
    let nodes = asked.rank_count() / u64::from(asked.ranks_per_node);
    if is_ring && asked.ranks_per_node > 1 && nodes > 1 && nodes % 2 == 1 {
        notes.push("between the last node and the first the channels change rails.".to_owned());
    }
    notes
}

fn without_channels(reading: &Reading<'_>, asked: &CollectiveSpecification) -> Option<String> {
    let cluster = reading.machine.machine.as_deref().and_then(Machine::cluster)?;
    let nics = cluster.outside.as_ref()?.nics_per_node;
    let several = cluster.nodes > 1 && nics > 1;
    match asked.algorithm {
        _ if !several || !asked.algorithm.descriptor().channel_operations.contains(&asked.operation) => None,
        Algorithm::Ring => Some(format!(
            "one ring: a node sends over one of its {nics} NICs; channels = \"nics\" runs one for each."
        )),
        Algorithm::DoubleTree => Some("trees ignore nodes without channels.".to_owned()),
        _ => None,
    }
}
