//! Times of messages: the keys of `[machine]` for links, switching, packets, arbitration and messages inside
//! a node (`docs/model.md` sections 13, 15 and 17).
//!
//! Links are described in cycles, or by bandwidth and latency, but not by both. A higher layer replaces a
//! lower one: the sweep has precedence over the scenario, and that over the machine file.

use std::num::NonZeroU64;

use cubefold_simulator::{Communication, Cycles, LocalCost, ServiceOrder, Switching};
use cubefold_topology::{LinkMode, TieRule};

use super::{
    errors::ScenarioError,
    keys::Key,
    settings::{Layer, Settings},
    value::{Content, Table, Value},
};
use crate::{
    input::{Ratio, quantity::Measure},
    scenario::PhysicalScale,
};

/// The times of messages in the settings, as far as they are valid.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimingSection {
    links: Option<LinkTimes>,
    local: Option<LocalCost>,
    switching: Option<Switching>,
    packet: Option<Packets>,
    service: Option<ServiceOrder>,
    processors: Option<NonZeroU64>,
}

/// Largest number of units of a packet; `None` if messages are not divided.
#[derive(Debug, Clone, Copy)]
struct Packets(Option<NonZeroU64>);

/// Times of a link.
#[derive(Debug, Clone, Copy)]
struct LinkTimes {
    hop: Cycles,
    latency: Cycles,
    scale: Option<PhysicalScale>, // of a link in seconds and bytes
}

impl TimingSection {
    /// The length of a cycle and the bytes of a unit, if the machine gives them.
    pub(super) fn scale(&self) -> Option<PhysicalScale> {
        self.links?.scale
    }

    /// The rules of the network, with eager messages of up to `eager` units; `None` after an error.
    pub(super) fn communication(&self, links: LinkMode, tie: TieRule, eager: u64) -> Option<Communication> {
        let times = self.links?;
        let communication = Communication::new(links, times.hop, tie).ok()?;
        Some(
            communication
                .with_latency(times.latency)
                .with_switching(self.switching?)
                .with_packets(self.packet?.0)
                .with_service(self.service?)
                .with_eager(eager)
                .with_local_cost(self.local?)
                .with_processors(self.processors?),
        )
    }
}

/// Reads the times of messages.
pub(super) fn read(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> TimingSection {
    let links = links(settings, errors);
    let packet = match settings.get(Key::MachinePacketUnits) {
        Some(_) => settings.natural(Key::MachinePacketUnits, errors).map(NonZeroU64::new).map(Packets),
        None => Some(Packets(None)),
    };
    TimingSection {
        links,
        local: local(settings, links.and_then(|links| links.scale), errors),
        switching: settings.one_of(Key::MachineSwitching, &Switching::ALL, Switching::name, errors),
        packet,
        service: settings.one_of(Key::MachineArbitration, &ServiceOrder::ALL, ServiceOrder::name, errors),
        processors: settings.natural(Key::MachineProcessorsPerNode, errors).and_then(NonZeroU64::new),
    }
}

/// Reads the times of a link: in cycles, or by bandwidth and latency.
fn links(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<LinkTimes> {
    let in_cycles = [Key::MachineHopCycles, Key::MachineLatencyCycles];
    let Some((value, layer)) = physical(settings, Key::MachineLink, &in_cycles, errors) else {
        let has_link = settings.get(Key::MachineLink).is_some();
        if let Some(value) = settings.get(Key::MachineUnitBytes).filter(|_| !has_link) {
            errors.push(without_link(settings, Key::MachineUnitBytes, value, "nothing"));
        }
        let hop = settings.natural(Key::MachineHopCycles, errors).map(Cycles::new);
        let latency = settings.natural(Key::MachineLatencyCycles, errors).map(Cycles::new);
        return Some(LinkTimes { hop: hop?, latency: latency?, scale: None });
    };
    let unit_bytes = settings.natural(Key::MachineUnitBytes, errors);
    let figures = figures(value, Key::MachineLink, errors);
    let replaced = in_cycles.map(|key| settings.layered(key).is_some_and(|(own, _)| own == layer));
    let (figures, unit_bytes) = (figures?, unit_bytes?);
    if replaced.contains(&true) {
        return None;
    }
    let scale = PhysicalScale::new(figures.bandwidth, figures.latency, unit_bytes);
    if scale.is_none() {
        let message = "machine.link is out of range: its numbers have too many digits, or its latency passes 2^63 cycles";
        errors.push(ScenarioError::at(&value.place, message, "out of range"));
    }
    let scale = scale?;
    let latency = Cycles::new(scale.latency_cycles());
    Some(LinkTimes { hop: Cycles::new(1), latency, scale: Some(scale) })
}

/// Reads the cost of messages inside a node: in cycles, or by bandwidth and latency.
fn local(
    settings: &Settings<'_>,
    scale: Option<PhysicalScale>,
    errors: &mut Vec<ScenarioError>,
) -> Option<LocalCost> {
    let in_cycles = [Key::MachineLocalLatencyCycles, Key::MachineLocalUnitCycles];
    let Some((value, layer)) = physical(settings, Key::MachineLocal, &in_cycles, errors) else {
        let [latency, unit] = in_cycles.map(|key| settings.natural(key, errors).map(Cycles::new));
        return Some(LocalCost { latency: latency?, unit: unit? });
    };
    let figures = figures(value, Key::MachineLocal, errors);
    if in_cycles.iter().any(|&key| settings.layered(key).is_some_and(|(own, _)| own == layer)) {
        return None;
    }
    if settings.get(Key::MachineLink).is_none() {
        errors.push(without_link(
            settings,
            Key::MachineLocal,
            value,
            "local_latency_cycles and local_unit_cycles",
        ));
    }
    let (figures, scale) = (figures?, scale?);
    let cost = (scale.cycles(figures.latency), scale.unit_cycles(figures.bandwidth));
    let (Some(latency), Some(unit)) = cost else {
        let message = "machine.local is out of range: its times pass 2^63 cycles";
        errors.push(ScenarioError::at(&value.place, message, "out of range"));
        return None;
    };
    Some(LocalCost { latency: Cycles::new(latency), unit: Cycles::new(unit) })
}

/// The value of a key in seconds and bytes, with its layer, unless one of the corresponding keys in cycles is
/// set in a higher layer. Both in one layer are an error.
fn physical<'a>(
    settings: &'a Settings<'_>,
    key: Key,
    in_cycles: &[Key],
    errors: &mut Vec<ScenarioError>,
) -> Option<(&'a Value, Layer)> {
    let (layer, value) = settings.layered(key)?;
    let written = || in_cycles.iter().filter_map(|&own| Some((own, settings.layered(own)?)));
    for (other, (_, other_value)) in written().filter(|(_, (own, _))| *own == layer) {
        errors.push(both(key, value, other, other_value));
    }
    let is_replaced = written().any(|(_, (own, _))| own > layer);
    (!is_replaced).then_some((value, layer))
}

/// The error for two mutually exclusive keys.
pub(super) fn both(key: Key, value: &Value, other: Key, other_value: &Value) -> ScenarioError {
    let message = format!("both {} and {}, expected one of them", other.path(), key.path());
    ScenarioError::at(&other_value.place, message, format!("with {} beside it", key.key()))
        .because(Some(&value.place), key.key())
        .with_help("remove one of them")
}

/// The error for a key in seconds or bytes of a machine that is described in cycles; `instead` is the key for
/// such a machine.
pub(super) fn without_link(settings: &Settings<'_>, key: Key, value: &Value, instead: &str) -> ScenarioError {
    let message = format!("{} without machine.link, expected {instead}", key.path());
    ScenarioError::at(&value.place, message, "a cycle has no length")
        .because(settings.place(Key::MachineHopCycles), "the machine is described in cycles")
        .with_help("describe the links: link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }")
}

/// A bandwidth \[bytes per second\], above 0, and a latency \[seconds\].
struct Figures {
    bandwidth: Ratio,
    latency: Ratio,
}

fn figures(value: &Value, key: Key, errors: &mut Vec<ScenarioError>) -> Option<Figures> {
    let table = Table::read(value, key.path(), &["bandwidth", "latency"], errors)?;
    let expected = Measure::Bandwidth.expected();
    let bandwidth = table.required("bandwidth", expected, errors);
    let bandwidth = bandwidth.and_then(|value| {
        let bandwidth = quantity(value, &table.name("bandwidth"), Measure::Bandwidth, errors)?;
        if bandwidth == Ratio::ZERO {
            errors.push(value.unexpected(table.name("bandwidth"), "more than 0"));
            return None;
        }
        Some(bandwidth)
    });
    let latency = match table.get("latency") {
        Some(value) => quantity(value, &table.name("latency"), Measure::Time, errors),
        None => Some(Ratio::ZERO),
    };
    Some(Figures { bandwidth: bandwidth?, latency: latency? })
}

/// Reads a quantity with its unit.
pub(super) fn quantity(
    value: &Value,
    name: &str,
    measure: Measure,
    errors: &mut Vec<ScenarioError>,
) -> Option<Ratio> {
    let Content::Text(text) = &value.content else {
        errors.push(value.unexpected(name, measure.expected()));
        return None;
    };
    match measure.parse(text) {
        Ok(quantity) => Some(quantity),
        Err(error) => {
            errors.push(value.unexpected(name, measure.expected()).with_help(error.help));
            None
        }
    }
}
