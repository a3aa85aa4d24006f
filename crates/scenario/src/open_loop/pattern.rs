//! The pattern of open-loop traffic: `program.pattern` and the keys that only some patterns have (`docs/model.md` sections
//! 27.2 and 30.4).

use cubefold_formats::input::{
    input_file,
    text::{Remarks, lines, shortened},
};
use cubefold_simulator::TrafficPattern;
use cubefold_topology::{GraphSource, Machine, NetworkParameters, NodeId};

use crate::{
    errors::{ScenarioError, alternatives},
    failures,
    keys::Key,
    settings::Settings,
    value::{Content, Value},
};

/// Reads the pattern, which must fit the machine.
pub(super) fn read(settings: &Settings<'_>, machine: Option<&Machine>) -> Option<TrafficPattern> {
    let written = settings.get(Key::ProgramPattern);
    let name = match written.map(|value| &value.content) {
        None => TrafficPattern::NAMES[0],
        Some(Content::Text(text)) => text.as_str(),
        Some(_) => "",
    };
    refuse_other_patterns(settings, name);
    let found = match name {
        "uniform" => TrafficPattern::Uniform,
        "uniform-others" => TrafficPattern::UniformOthers,
        "transpose" => TrafficPattern::Transpose,
        "shuffle" => TrafficPattern::Shuffle,
        "bit-reversal" => TrafficPattern::BitReversal,
        "bit-complement" => TrafficPattern::BitComplement,
        "tornado" => TrafficPattern::Tornado,
        "neighbour" => TrafficPattern::Neighbour,
        "hotspot" => hotspot(settings, machine?)?,
        "file" => listed(settings, machine?)?,
        "group-tornado" => {
            let group_size = group_size(settings, machine?, written)?;
            TrafficPattern::GroupTornado { group_size }
        }
        _ => {
            let (key, value) = (Key::ProgramPattern.path(), written?);
            let numbered = TrafficPattern::NAMES.into_iter().filter(|name| name.ends_with('+'));
            let group =
                |prefix: &str| name.strip_prefix(prefix).and_then(|groups| groups.parse::<u64>().ok());
            for prefix in numbered {
                let Some(groups_on) = group(prefix).filter(|&groups| groups <= MAX_GROUPS) else { continue };
                let group_size = group_size(settings, machine?, written)?;
                return Some(match prefix {
                    "adv+" => TrafficPattern::Adversarial { group_size, groups_on },
                    _ => TrafficPattern::AdversarialRandom { group_size, groups_on },
                });
            }
            let with_number = |known: &'static str| match known {
                "adv+" => "adv+1",
                "adv-random+" => "adv-random+1",
                other => other,
            };
            let known = TrafficPattern::NAMES.map(with_number);
            return settings.fail(value.unknown_word(key, alternatives(&known), &known));
        }
    };
    if let (Some(value), Some(machine)) = (written, machine) {
        check_fit(settings, value, &found, machine)?;
    }
    Some(found)
}

/// The most groups by which an adversarial pattern shifts.
const MAX_GROUPS: u64 = 1 << 32;

/// The number of terminals of a group, which divides all terminals into at least two groups.
fn group_size(settings: &Settings<'_>, machine: &Machine, pattern: Option<&Value>) -> Option<u32> {
    let key = Key::ProgramGroupSize;
    let of_dragonfly = match machine.source() {
        Some(&GraphSource::Parameters(NetworkParameters::Dragonfly {
            hosts_per_switch,
            switches_per_group,
            ..
        })) => hosts_per_switch.checked_mul(switches_per_group),
        _ => None,
    };
    let size = match (settings.get(key), of_dragonfly) {
        (Some(_), _) => settings.natural(key)?,
        (None, Some(size)) => size,
        (None, None) => {
            return settings.fail(settings.missing(key, "the number of terminals of a group"));
        }
    };
    let terminals = machine.host_count();
    if !terminals.is_multiple_of(size) || terminals / size < 2 {
        let message = format!(
            "groups of {size} of {terminals} terminals, expected a divisor that makes at least two groups"
        );
        let place = settings.place(key).or(pattern.map(|pattern| &pattern.place))?;
        let error = ScenarioError::at(place, message, "does not divide them");
        return settings.fail(error.because(settings.place(Key::MachineKind), "the machine"));
    }
    u32::try_from(size).ok()
}

fn refuse_other_patterns(settings: &Settings<'_>, name: &str) {
    let has_groups = name == "group-tornado" || name.starts_with("adv");
    let owners = [
        (Key::ProgramGroupSize, has_groups, "adv+n, adv-random+n or group-tornado"),
        (Key::ProgramDestinations, name == "file", "the pattern file"),
        (Key::ProgramHotspots, name == "hotspot", "the pattern hotspot"),
        (Key::ProgramHotspotShare, name == "hotspot", "the pattern hotspot"),
    ];
    for (key, _, expected) in owners.into_iter().filter(|(_, is_owner, _)| !is_owner) {
        if let Some(value) = settings.get(key) {
            let message = format!("{} with the pattern {name}, expected {expected}", key.path());
            let error = ScenarioError::at(&value.place, message, "of another pattern");
            settings.report(error.because(settings.place(Key::ProgramPattern), "the pattern"));
        }
    }
}

/// Reports a pattern that the number of terminals or the shape of the machine does not allow.
fn check_fit(
    settings: &Settings<'_>,
    value: &Value,
    pattern: &TrafficPattern,
    machine: &Machine,
) -> Option<()> {
    let terminals = machine.host_count();
    let (is_right, expected) = match pattern {
        TrafficPattern::Transpose => {
            (terminals.is_power_of_two() && terminals.trailing_zeros().is_multiple_of(2), "a power of four")
        }
        TrafficPattern::Shuffle | TrafficPattern::BitReversal | TrafficPattern::BitComplement => {
            (terminals.is_power_of_two(), "a power of two")
        }
        TrafficPattern::Tornado | TrafficPattern::Neighbour => (machine.grid().is_some(), "a whole grid"),
        TrafficPattern::UniformOthers => (terminals >= 2, "at least 2"),
        TrafficPattern::Uniform
        | TrafficPattern::Hotspot { .. }
        | TrafficPattern::Listed(_)
        | TrafficPattern::Adversarial { .. }
        | TrafficPattern::AdversarialRandom { .. }
        | TrafficPattern::GroupTornado { .. } => return Some(()),
    };
    if is_right {
        return Some(());
    }
    let name = pattern.name();
    let has_failures = machine.failures().is_some();
    let failures = if has_failures { " with failures" } else { "" };
    let message = format!(
        "pattern {name} of {terminals} terminals of a {}{failures}, expected {expected}",
        machine.kind().name()
    );
    let error = ScenarioError::at(&value.place, message, "does not fit");
    settings.fail(error.because(settings.place(Key::MachineKind), "the machine"))
}

/// Reads the nodes of hotspots and their share of the packets.
fn hotspot(settings: &Settings<'_>, machine: &Machine) -> Option<TrafficPattern> {
    let share = match settings.get(Key::ProgramHotspotShare) {
        None => Some(0.1),
        Some(value) => {
            let is_share = |share: f64| (0.0..=1.0).contains(&share);
            value.number(Key::ProgramHotspotShare.path(), "a number from 0 to 1", is_share, settings.errors())
        }
    };
    let key = Key::ProgramHotspots;
    let value = settings.required(key, "a list of nodes")?;
    let entries = value.list(key.path(), "nodes", settings.errors())?;
    let nodes: Option<Vec<NodeId>> =
        entries.iter().map(|entry| failures::node(entry, key, machine, settings.errors())).collect();
    let nodes = nodes?;
    if let Some((node, entry)) = nodes.iter().zip(entries).find(|(node, _)| !machine.is_host(**node)) {
        let is_down = machine.failures().is_some_and(|failures| failures.nodes.contains(node));
        let label = if is_down { "a failed node" } else { "a switch" };
        let message = "a hotspot without a terminal, expected a working host";
        return settings.fail(ScenarioError::at(&entry.place, message, label));
    }
    Some(TrafficPattern::Hotspot { nodes, share: share? })
}

/// Reads the destinations in a file, one per line.
fn listed(settings: &Settings<'_>, machine: &Machine) -> Option<TrafficPattern> {
    let key = Key::ProgramDestinations;
    let value = settings.required(key, "the path of a file with a destination on each line")?;
    let name = value.text(key.path(), settings.errors())?;
    let wrong = |reason: &str| {
        let message = format!("destinations {name:?}{reason}");
        let error = ScenarioError::at(&value.place, message, "this file");
        settings.report(error.with_help("paths are relative to the scenario file"));
    };
    let text = match input_file::read(&settings.beside(name), input_file::MAX_BYTES).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => {
            wrong(" are not UTF-8 text");
            return None;
        }
        Err(error) => {
            wrong(&format!(" {error}"));
            return None;
        }
    };
    let terminals = machine.host_count();
    let mut destinations = vec![];
    for (source, line) in (0_u64..).zip(lines(&text, Remarks::AfterHash)) {
        let node = line.parse::<u64>().ok().filter(|&node| node < terminals);
        let Some(node) = node.and_then(|node| u32::try_from(node).ok()) else {
            let found = shortened(line);
            wrong(&format!(
                ": destination {found:?} of node {source}, expected a node from 0 to {}",
                terminals - 1
            ));
            return None;
        };
        destinations.push(NodeId::new(node));
    }
    if destinations.len() as u64 != terminals {
        wrong(&format!(": {} lines, expected {terminals}, one for each terminal", destinations.len()));
        return None;
    }
    Some(TrafficPattern::Listed(destinations))
}
