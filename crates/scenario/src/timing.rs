//! Times of messages: the keys of `[machine]` for links, switching, packets, arbitration and messages inside
//! a node (`docs/model.md` sections 13, 15, 17 and 21).
//!
//! A key of links has one value for all of them, or a list with one for each class. Links are described in cycles, or
//! by bandwidth and latency, but not by both. A higher layer replaces a lower one: the sweep has precedence over the
//! scenario, and that over the machine file.

use std::{num::NonZeroU64, sync::Arc};

use cubefold_formats::{
    input::{Ratio, quantity::Measure},
    launcher::fabric::LinkSpeed,
};
use cubefold_simulator::{Communication, Cycles, LocalCost, ServiceOrder};
use cubefold_topology::{LinkMode, LinkTime, Machine, MachineKind, TieRule};

use super::{
    errors::{Errors, ScenarioError},
    keys::{Key, MAX_INTEGER},
    part_links::OwnLinks,
    physical_links::{Figures, PhysicalLink, PhysicalLinks},
    routers::{self, SwitchingRule},
    settings::Settings,
    value::{Content, Table, Value, read_each},
};
use crate::PhysicalScale;

const LINK_IN_CYCLES: [Key; 2] = [Key::MachineHopCycles, Key::MachineLatencyCycles];

/// The times of messages in the settings; `None` where invalid.
#[derive(Debug, Clone, Default)]
pub(super) struct TimingSection {
    links: Option<ClassTimes>,
    local: Option<LocalCost>,
    switching: Option<SwitchingRule>,
    packet: Option<Packets>,
    service: Option<ServiceOrder>,
    processors: Option<NonZeroU64>,
}

/// Largest number of units of a packet; `None` if messages are not divided.
#[derive(Debug, Clone, Copy)]
struct Packets(Option<NonZeroU64>);

/// The times of the links of a machine.
#[derive(Debug, Clone)]
struct ClassTimes {
    times: Vec<LinkTime>,                 // by class; at least one
    used: Vec<LinkTime>,                  // of classes with links; at least one
    physical: Option<Arc<PhysicalLinks>>, // of links in seconds and bytes
}

impl TimingSection {
    /// The length of a cycle and the bytes of a unit, if the machine gives them.
    pub(super) fn scale(&self) -> Option<PhysicalScale> {
        self.physical().map(|links| links.scale())
    }

    /// The bandwidths and latencies, if the machine gives them.
    pub(super) fn physical(&self) -> Option<&Arc<PhysicalLinks>> {
        self.links.as_ref()?.physical.as_ref()
    }

    /// The times of links by class, if they differ.
    pub(super) fn different_links(&self) -> Option<&[LinkTime]> {
        let times = &self.links.as_ref()?.times;
        times.windows(2).any(|two| two[0] != two[1]).then_some(times)
    }

    /// The rules of the network, with eager messages of up to `eager` units; `None` after an error.
    pub(super) fn communication(&self, links: LinkMode, tie: TieRule, eager: u64) -> Option<Communication> {
        let times = self.links.as_ref()?;
        let communication = Communication::new(links, Cycles::new(1), tie).ok()?;
        Some(
            communication
                .with_longest(&times.used)
                .with_switching(self.switching?.of_queues())
                .with_packets(self.packet?.0)
                .with_service(self.service?)
                .with_eager(eager)
                .with_local_cost(self.local?)
                .with_processors(self.processors?),
        )
    }
}

/// Reads the times of messages on a machine; without one, after an error, lists may have any number of entries.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    machine_links: Option<&OwnLinks>,
) -> TimingSection {
    let classes = Classes { machine, names: machine.map(Machine::link_class_names) };
    let packet = match settings.get(Key::MachinePacketUnits) {
        Some(_) => settings.natural(Key::MachinePacketUnits).map(NonZeroU64::new).map(Packets),
        None => Some(Packets(None)),
    };
    let local = local(settings);
    let figures = match local {
        Some(Local::Figures(figures, _)) => Some(figures),
        Some(Local::Cycles(_)) | None => None,
    };
    let links = match machine_links {
        Some(machine_links) if machine_links.is_in_cycles() => own_cycles(settings, &classes, machine_links),
        Some(machine_links) if machine_links.is_in_seconds() => {
            own_bandwidths(settings, &classes, machine_links, figures)
        }
        _ => links(settings, &classes, figures),
    };
    TimingSection {
        local: local.and_then(|local| local.cost(settings, links.as_ref())),
        links,
        switching: routers::switching(settings),
        packet,
        service: settings.one_of(Key::MachineArbitration, &ServiceOrder::ALL, ServiceOrder::name),
        processors: settings.natural(Key::MachineProcessorsPerNode).and_then(NonZeroU64::new),
    }
}

/// The classes of links of a machine; names are unknown after an error.
struct Classes<'a> {
    machine: Option<&'a Machine>,
    names: Option<Vec<String>>,
}

impl Classes<'_> {
    /// The values of a key by class: one for all of them, or a list with one for each.
    fn of<T: Clone>(
        &self,
        value: &Value,
        name: &str,
        mut read: impl FnMut(&Value, &str) -> Option<T>,
        errors: &Errors,
    ) -> Option<Vec<T>> {
        if !matches!(value.content, Content::List(_)) {
            let count = self.names.as_ref().map_or(1, Vec::len);
            return Some(vec![read(value, name)?; count]);
        }
        let entries = value.list(name, "values", errors)?;
        let entry_name = format!("entry of {name}");
        let values = read_each(entries, |entry| read(entry, &entry_name));
        if let Some(names) = self.names.as_ref().filter(|names| names.len() != entries.len()) {
            let expected = match &names[..] {
                [_] => "1: all links of this machine are of one class".to_owned(),
                names => format!("{}, one for each class of links: {}", names.len(), names.join(", ")),
            };
            let found = entries.len();
            let message = format!("{found} entries in {name}, expected {expected}");
            let label = format!("expected {}", names.len());
            return errors.fail(ScenarioError::at(&value.place, message, label));
        }
        values
    }

    /// Whether any link is of a class, by class.
    fn have_links(&self, count: usize) -> Vec<bool> {
        let found = self.machine.filter(|_| count > 1).map(Machine::has_links_of_class);
        found.unwrap_or_else(|| vec![true; count])
    }

    fn times(&self, times: Vec<LinkTime>, physical: Option<PhysicalLinks>) -> ClassTimes {
        let have_links = self.have_links(times.len());
        let used = times.iter().zip(have_links).filter(|(_, has_links)| *has_links).map(|(time, _)| *time);
        ClassTimes { used: used.collect(), times, physical: physical.map(Arc::new) }
    }
}

/// Reads the times of links: in cycles, or by bandwidth and latency.
fn links(settings: &Settings<'_>, classes: &Classes<'_>, local: Option<Figures>) -> Option<ClassTimes> {
    let Some((value, is_alone)) = physical(settings, Key::MachineLink, LINK_IN_CYCLES) else {
        let has_link = settings.get(Key::MachineLink).is_some();
        if let Some(value) = settings.get(Key::MachineUnitBytes).filter(|_| !has_link) {
            report_without_link(settings, Key::MachineUnitBytes, value, "nothing");
        }
        let hops = cycles_by_class(settings, Key::MachineHopCycles, 1, classes);
        let latencies = cycles_by_class(settings, Key::MachineLatencyCycles, 0, classes);
        let times = hops?.into_iter().zip(latencies?).map(|(unit, latency)| LinkTime { unit, latency });
        return Some(classes.times(times.collect(), None));
    };
    let unit_bytes = settings.natural(Key::MachineUnitBytes);
    let read = |value: &Value, name: &str| figures(value, name, settings.errors());
    let by_class = classes.of(value, Key::MachineLink.path(), read, settings.errors());
    let (by_class, unit_bytes) = (by_class?, unit_bytes?);
    if !is_alone {
        return None;
    }
    let count = by_class.len();
    let named: Vec<(String, Figures)> =
        match (&classes.names, by_class.windows(2).all(|two| two[0] == two[1])) {
            (Some(names), false) => names.iter().cloned().zip(by_class).collect(),
            // All links have equal times.
            _ => vec![("links".to_owned(), by_class[0])],
        };
    let has_links = classes.have_links(named.len());
    let Some(physical) = PhysicalLinks::new(&named, &has_links, local, unit_bytes) else {
        let message = "machine.link is out of range: its numbers have too many digits, or its latency passes 2^63 cycles";
        return settings.fail(ScenarioError::at(&value.place, message, "out of range"));
    };
    let times = physical.classes().iter().map(PhysicalLink::time).cycle().take(count).collect();
    Some(classes.times(times, Some(physical)))
}

/// The speed of each class, as far as the machine defines it.
fn speeds(machine_links: &OwnLinks) -> impl Iterator<Item = LinkSpeed> {
    machine_links.by_class.iter().copied().chain(std::iter::repeat_with(LinkSpeed::default))
}

/// The times in cycles of links that the machine defines; missing ones come from the keys for all links.
fn own_cycles(
    settings: &Settings<'_>,
    classes: &Classes<'_>,
    machine_links: &OwnLinks,
) -> Option<ClassTimes> {
    if machine_links.is_in_seconds() {
        let message = "some links in cycles and others in seconds, expected all in one of them";
        return settings.fail(ScenarioError::at(&machine_links.place, message, "both"));
    }
    if let Some(value) = settings.get(Key::MachineLink) {
        let message = "machine.link of a machine whose links have cycles, expected none";
        let error = ScenarioError::at(&value.place, message, "in seconds");
        return settings.fail(error.because(Some(&machine_links.place), "in cycles"));
    }
    let hops = cycles_by_class(settings, Key::MachineHopCycles, 1, classes)?;
    let latencies = cycles_by_class(settings, Key::MachineLatencyCycles, 0, classes)?;
    let times = speeds(machine_links).zip(hops.into_iter().zip(latencies)).map(|(speed, (hop, latency))| {
        LinkTime { unit: speed.hop_cycles.unwrap_or(hop), latency: speed.latency_cycles.unwrap_or(latency) }
    });
    Some(classes.times(times.collect(), None))
}

/// The times by bandwidth and latency of links that the machine defines; missing figures come from the key for all links.
fn own_bandwidths(
    settings: &Settings<'_>,
    classes: &Classes<'_>,
    machine_links: &OwnLinks,
    local: Option<Figures>,
) -> Option<ClassTimes> {
    for key in LINK_IN_CYCLES {
        if let Some(value) = settings.get(key) {
            let message = format!("{} of a machine whose links have bandwidths, expected none", key.path());
            let error = ScenarioError::at(&value.place, message, "in cycles");
            return settings
                .fail(error.because(Some(&machine_links.place), "in seconds").with_help("remove it"));
        }
    }
    let all = match settings.get(Key::MachineLink) {
        Some(value) => Some(figures(value, Key::MachineLink.path(), settings.errors())?),
        None => None,
    };
    let unit_bytes = settings.natural(Key::MachineUnitBytes)?;
    let names =
        classes.names.clone().unwrap_or_else(|| vec!["links".to_owned(); machine_links.by_class.len()]);
    let has_links = classes.have_links(names.len());
    let mut named = vec![];
    for ((name, speed), has_links) in names.into_iter().zip(speeds(machine_links)).zip(&has_links) {
        let known = speed.bandwidth.or(all.map(|all| all.bandwidth));
        // A class without links and without a bandwidth takes the first known bandwidth.
        let any = || machine_links.by_class.iter().find_map(|speed| speed.bandwidth).filter(|_| !has_links);
        let Some(bandwidth) = known.or_else(any) else {
            let message = format!("no bandwidth of {name}, expected one for all links");
            let error = ScenarioError::at(&machine_links.place, message, "not for all");
            return settings
                .fail(error.with_help("machine.link counts for links that have none of their own"));
        };
        let latency = speed.latency.or(all.map(|all| all.latency)).unwrap_or(Ratio::ZERO);
        named.push((name, Figures { bandwidth, latency }));
    }
    let Some(physical) = PhysicalLinks::new(&named, &has_links, local, unit_bytes) else {
        let message =
            "the links are out of range: their numbers have too many digits, or a latency passes 2^63 cycles";
        return settings.fail(ScenarioError::at(&machine_links.place, message, "out of range"));
    };
    let times = physical.classes().iter().map(PhysicalLink::time).collect();
    Some(classes.times(times, Some(physical)))
}

/// Reads cycles of at least `least`, the default, by class.
fn cycles_by_class(settings: &Settings<'_>, key: Key, least: u64, classes: &Classes<'_>) -> Option<Vec<u64>> {
    let Some(value) = settings.get(key) else {
        return Some(vec![least; classes.names.as_ref().map_or(1, Vec::len)]);
    };
    let read = |value: &Value, name: &str| value.natural(name, least..=MAX_INTEGER, settings.errors());
    classes.of(value, key.path(), read, settings.errors())
}

/// The cost of messages inside a node, as written.
#[derive(Clone, Copy)]
enum Local<'a> {
    Cycles(LocalCost),
    /// By bandwidth and latency, at this place.
    Figures(Figures, &'a Value),
}

impl Local<'_> {
    /// The cost in cycles on a machine with these links.
    fn cost(self, settings: &Settings<'_>, links: Option<&ClassTimes>) -> Option<LocalCost> {
        let value = match self {
            Self::Cycles(cost) => return Some(cost),
            Self::Figures(_, value) => value,
        };
        let has_seconds = links.is_some_and(|links| links.physical.is_some());
        if !has_link(settings) && !has_seconds {
            let instead = "local_latency_cycles and local_unit_cycles";
            report_without_link(settings, Key::MachineLocal, value, instead);
        }
        let LinkTime { unit, latency } = links?.physical.as_ref()?.local()?;
        Some(LocalCost { latency: Cycles::new(latency), unit: Cycles::new(unit) })
    }
}

/// Reads the cost of messages inside a node: in cycles, or by bandwidth and latency.
fn local<'a>(settings: &'a Settings<'_>) -> Option<Local<'a>> {
    let in_cycles = [Key::MachineLocalLatencyCycles, Key::MachineLocalUnitCycles];
    let Some((value, is_alone)) = physical(settings, Key::MachineLocal, in_cycles) else {
        let [latency, unit] = in_cycles.map(|key| settings.natural(key).map(Cycles::new));
        return Some(Local::Cycles(LocalCost { latency: latency?, unit: unit? }));
    };
    let figures = figures(value, Key::MachineLocal.path(), settings.errors());
    is_alone.then_some(Local::Figures(figures?, value))
}

/// The value of a key in seconds and bytes, and whether rules let it stand beside its keys in cycles; `None` if one of
/// these is set in a higher layer.
fn physical<'a>(settings: &'a Settings<'_>, key: Key, in_cycles: [Key; 2]) -> Option<(&'a Value, bool)> {
    let value = settings.get(key)?;
    let is_alone = in_cycles.map(|in_cycles| settings.obeys(in_cycles)) == [true; 2];
    counts(settings, key, in_cycles).then_some((value, is_alone))
}

/// Whether a key in seconds and bytes is set, and none of its keys in cycles in a higher layer.
fn counts(settings: &Settings<'_>, key: Key, in_cycles: [Key; 2]) -> bool {
    in_cycles.iter().all(|&other| settings.get(other).is_none() || settings.is_written_with(key, other))
        && settings.get(key).is_some()
}

/// Whether the links are described in seconds and bytes, and no higher layer describes them in cycles.
pub(super) fn has_link(settings: &Settings<'_>) -> bool {
    counts(settings, Key::MachineLink, LINK_IN_CYCLES)
}

/// Reports a key in seconds or bytes of a machine that is described in cycles; `instead` is the key for such a machine.
///
/// A machine that is not a grid may have speeds of its own, which another error hides.
pub(super) fn report_without_link(settings: &Settings<'_>, key: Key, value: &Value, instead: &str) {
    let is_in_cycles = || {
        let kind = settings.silent().one_of(Key::MachineKind, &MachineKind::HOSTS, MachineKind::name);
        kind.is_some_and(MachineKind::is_grid)
            || LINK_IN_CYCLES.iter().any(|&key| settings.get(key).is_some())
    };
    if !settings.errors().is_empty() && !is_in_cycles() {
        return;
    }
    let message = format!("{} without machine.link, expected {instead}", key.path());
    settings.report(
        ScenarioError::at(&value.place, message, "a cycle has no length")
            .because(settings.place(Key::MachineHopCycles), "the machine is described in cycles")
            .with_help("describe the links: link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }"),
    );
}

/// Reads a bandwidth and a latency.
fn figures(value: &Value, name: &str, errors: &Errors) -> Option<Figures> {
    let table = Table::read(value, name, &["bandwidth", "latency"], errors)?;
    let expected = Measure::Bandwidth.expected();
    let bandwidth = table.required("bandwidth", expected, errors);
    let bandwidth = bandwidth.and_then(|value| {
        let bandwidth = quantity(value, &table.name("bandwidth"), Measure::Bandwidth, errors)?;
        if bandwidth == Ratio::ZERO {
            return errors.fail(value.unexpected(table.name("bandwidth"), "more than 0"));
        }
        Some(bandwidth)
    });
    let latency = match table.get("latency") {
        Some(value) => quantity(value, &table.name("latency"), Measure::Time, errors),
        None => Some(Ratio::ZERO),
    };
    Some(Figures { bandwidth: bandwidth?, latency: latency? })
}

pub(super) fn quantity(value: &Value, name: &str, measure: Measure, errors: &Errors) -> Option<Ratio> {
    let Content::Text(text) = &value.content else {
        return errors.fail(value.unexpected(name, measure.expected()));
    };
    match measure.parse(text) {
        Ok(quantity) => Some(quantity),
        Err(error) => errors.fail(value.unexpected(name, error.expected(measure)).with_help(error.help)),
    }
}
