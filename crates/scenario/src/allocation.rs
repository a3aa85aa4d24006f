//! `machine.allocation`: the nodes that a job has, in its order (`docs/model.md` section 22).
//!
//! A list of numbers, coordinates, ranges as strings and names; or the path of a file with one of these a line, or with
//! hosts as schedulers and launchers list them. Names come from the network's file, or from `machine.host_names`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use cubefold_formats::{
    input::{
        diagnostic::Diagnostics,
        region::{Allocation, Region},
        text::{Remarks, described, lines, span},
    },
    launcher::{
        HostList,
        host_names::{expanded, parts},
    },
};
use cubefold_topology::{Coordinates, Machine, NodeId, Partition};

use super::{
    budget::{HELP, RowBudget},
    errors::{Errors, ScenarioError, errors_at},
    keys::Key,
    launcher_file::read_names as read_names_file,
    settings::Settings,
    source_file::{Place, SourceFile},
    value::{Content, Value},
};

/// The named hosts of a machine, by name, and the names by number.
#[derive(Debug)]
pub(super) struct KnownNames {
    nodes: BTreeMap<String, u64>, // the first of its hosts
    each: u64,                    // hosts of a name: the devices of a node of a cluster, else 1
    pub(super) list: Arc<HostList>,
}

/// The names of the hosts of a job in its order, if the machine's hosts or the nodes of a cluster have names; errors in
/// them are reported with the machine.
pub(super) fn job_hosts(settings: &Settings<'_>, region: Region<'_>) -> Option<HostList> {
    read_names(&settings.silent(), Some(region.whole()))?.list.of_job(region)
}

/// Reads the names of the hosts, from `machine.host_names` or the network's file.
pub(super) fn read_names(settings: &Settings<'_>, machine: Option<&Machine>) -> Option<KnownNames> {
    let machine = machine?;
    let hosts = usize::try_from(machine.numbered_hosts()).unwrap_or(usize::MAX);
    let devices = machine.cluster().map_or(1, |cluster| cluster.devices_per_node);
    let list = match (settings.get(Key::MachineHostNames), machine.node_names()) {
        (Some(value), Some(_)) => {
            let message = "machine.host_names of a network with names, expected none";
            return settings
                .fail(ScenarioError::at(&value.place, message, "not needed").with_help("remove it"));
        }
        (Some(value), None) => {
            let path = value.text(Key::MachineHostNames.path(), settings.errors())?;
            let list = read_names_file(&settings.beside(path), "list of host names");
            let list = list.map_err(|wrong| settings.report_all(wrong)).ok()?;
            let count = list.count();
            if count != hosts as u64 && count.saturating_mul(devices) != hosts as u64 {
                let of_nodes = match devices {
                    1 => String::new(),
                    devices => format!(", or {}, one for each node", hosts as u64 / devices),
                };
                let message = format!(
                    "{count} host names, expected {hosts}, one for each host of the machine{of_nodes}"
                );
                return settings.fail(ScenarioError::at(&value.place, message, "not one for each"));
            }
            list
        }
        (None, Some(names)) => HostList::of_names(names.iter().take(hosts).cloned()),
        (None, None) => return None,
    };
    let each = if list.count() == hosts as u64 { 1 } else { devices };
    let nodes = list.names().map(str::to_owned).zip((0..).map(|name: u64| name * each)).collect();
    Some(KnownNames { nodes, each, list: Arc::new(list) })
}

/// Reads the allocation; failed nodes are skipped.
pub(super) fn read(
    settings: &Settings<'_>,
    machine: Option<&Machine>,
    names: Option<&KnownNames>,
) -> Option<Allocation> {
    let (value, machine) = (settings.get(Key::MachineAllocation)?, machine?);
    // Wrong names are reported already, and no entry with a name could be read.
    let lacks_names = names.is_none() && settings.get(Key::MachineHostNames).is_some();
    if !settings.obeys(Key::MachineAllocation) || lacks_names {
        return None;
    }
    let before = settings.errors().len();
    let mut rows = RowBudget::new(settings.budget(), BYTES_A_NODE);
    let mut reading = Reading { machine, names, nodes: vec![], known: BTreeSet::new(), rows: &mut rows };
    match &value.content {
        Content::Text(path) => reading.file(&settings.beside(path), settings.errors()),
        _ => {
            for entry in value.list(
                Key::MachineAllocation.path(),
                "nodes, or the path of a file",
                settings.errors(),
            )? {
                if let Err(message) = reading.entry(entry) {
                    let error = ScenarioError::at(&entry.place, message, "no node to allocate");
                    settings.report(error.with_help(
                        "nodes are numbers, coordinates such as [0, 3], ranges such as \"0-63\", or names of hosts",
                    ));
                }
            }
        }
    }
    if settings.errors().len() > before {
        return None;
    }
    let is_up = |node: &NodeId| machine.is_host(*node);
    let nodes: Vec<NodeId> = reading.nodes.into_iter().filter(is_up).collect();
    rows.keep(Allocation::bytes(nodes.len() as u64));
    if nodes.is_empty() {
        let message = "machine.allocation without a working node, expected at least one";
        return settings.fail(ScenarioError::at(&value.place, message, "no node left"));
    }
    let as_box = as_box(machine, &nodes);
    Some(Allocation::new(nodes, as_box))
}

/// The most nodes of an allocation; each of them is listed.
const MAX_NODES: u64 = 1 << 24;
/// Memory per node of an allocation while it is read and made \[bytes\].
const BYTES_A_NODE: u64 = 48;

/// The partition whose nodes, in order, are exactly these; `None` if they are not a box.
fn as_box(machine: &Machine, nodes: &[NodeId]) -> Option<Partition> {
    machine.grid()?;
    let shape = machine.shape();
    let along = |node: NodeId| shape.dimensions().map(move |axis| u64::from(shape.coordinate(node, axis)));
    let base: Vec<u64> = along(*nodes.first()?).collect();
    let last: Vec<u64> = along(*nodes.last()?).collect();
    let lengths: Option<Vec<u64>> =
        base.iter().zip(&last).map(|(base, last)| Some(last.checked_sub(*base)? + 1)).collect();
    let partition = Partition::new(machine, &base, &lengths?).ok()?;
    let inside = partition.inside();
    let is_same = inside.node_count() == nodes.len() as u64
        && inside.nodes().zip(nodes).all(|(inner, &node)| shape.node_at(&partition.address(inner)) == node);
    is_same.then_some(partition)
}

/// The nodes read so far.
struct Reading<'a, 'b> {
    machine: &'a Machine,
    names: Option<&'a KnownNames>,
    nodes: Vec<NodeId>,
    known: BTreeSet<NodeId>,
    rows: &'a mut RowBudget<'b>,
}

impl Reading<'_, '_> {
    /// Adds the nodes of an entry of a list.
    fn entry(&mut self, entry: &Value) -> Result<(), String> {
        match &entry.content {
            Content::Integer(Some(number)) => self.number(*number),
            Content::Text(text) => self.text(text),
            Content::List(_) => {
                let expected = || format!("node is {}, expected coordinates", entry.describe());
                self.coordinates(&entry.integers().ok_or_else(expected)?)
            }
            _ => Err(format!("node is {}, expected a number, coordinates or a range", entry.describe())),
        }
    }

    /// Adds the nodes of a file: an entry a line.
    fn file(&mut self, path: &Path, errors: &Errors) {
        let source = match SourceFile::read(path) {
            Ok(source) => source,
            Err(error) => {
                errors.report(ScenarioError::of_file(path, format!("allocation {error}")));
                return;
            }
        };
        let mut diagnostics = Diagnostics::default();
        for line in lines(source.text(), Remarks::AfterHash) {
            if let Err(message) = self.line(line) {
                diagnostics.add(span(source.text(), line), || message);
            }
        }
        if !diagnostics.is_empty() && self.hosts(path) {
            return;
        }
        errors.report_all(errors_at(&source, &diagnostics));
    }

    /// Takes the nodes of a file of hosts in another form than a name a line; false if it is none, or names others.
    fn hosts(&mut self, path: &Path) -> bool {
        let Some(list) = self.names.and_then(|_| read_names_file(path, "allocation").ok()) else {
            return false;
        };
        (self.nodes, self.known) = (vec![], BTreeSet::new());
        list.names().try_for_each(|name| self.named(name)).is_ok()
    }

    /// Adds the nodes of a line: a number, a range, coordinates, or names.
    fn line(&mut self, line: &str) -> Result<(), String> {
        let inner = line.trim_matches(|sign| "()[]\"".contains(sign));
        let words: Vec<&str> = inner
            .split(|sign: char| sign == ',' || sign.is_whitespace())
            .filter(|word| !word.is_empty())
            .collect();
        let numbers: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
        match numbers {
            Some(coordinates) if coordinates.len() > 1 => self.coordinates(&coordinates),
            _ => self.text(line),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim().trim_matches('"');
        if let Ok(number) = text.parse() {
            return self.number(number);
        }
        if let Some((first, last)) = text.split_once('-')
            && let (Ok(first), Ok(last)) = (first.trim().parse::<u64>(), last.trim().parse::<u64>())
        {
            if last < first || last >= self.machine.numbered_hosts() {
                let greatest = self.machine.numbered_hosts() - 1;
                return Err(format!(
                    "range {}, expected ascending numbers from 0 to {greatest}",
                    described(text)
                ));
            }
            self.take(last - first + 1)?;
            return (first..=last).try_for_each(|number| self.listed(number));
        }
        if self.names.is_none() {
            return Err(format!(
                "node {} of a machine without names, expected a number, a range, or machine.host_names",
                described(text)
            ));
        }
        for part in parts(text) {
            let listed = expanded(part.trim())
                .map_err(|_| format!("node {}, expected the name of a host", described(text)))?;
            listed.iter().try_for_each(|name| self.named(name))?;
        }
        Ok(())
    }

    /// Adds the nodes of a host.
    fn named(&mut self, name: &str) -> Result<(), String> {
        // Sites write names with or without their domain.
        let of = |names: &KnownNames| {
            let found = names.nodes.get(name).or_else(|| names.nodes.get(name.split('.').next()?));
            found.map(|&number| number..number + names.each)
        };
        let Some(mut numbers) = self.names.and_then(of) else {
            return Err(format!("host {} is not in the machine", described(name)));
        };
        numbers.try_for_each(|number| self.number(number))
    }

    fn coordinates(&mut self, coordinates: &[u64]) -> Result<(), String> {
        let shape = self.machine.shape();
        let address = Coordinates::new(shape, coordinates).map_err(|error| format!("node: {error}"))?;
        self.number(shape.node_at(&address).index().into())
    }

    fn number(&mut self, number: u64) -> Result<(), String> {
        self.take(1)?;
        self.listed(number)
    }

    /// Takes the memory for more nodes, before they are listed.
    fn take(&mut self, more: u64) -> Result<(), String> {
        let count = (self.nodes.len() as u64).saturating_add(more);
        if count > MAX_NODES {
            return Err(format!(
                "{count} nodes, expected at most {MAX_NODES} (2^24); machine.partition takes boxes of any size"
            ));
        }
        self.rows.take_rows(more).map_err(|over| format!("an allocation of {count} nodes {over}; {HELP}"))
    }

    /// Adds a node whose memory is already taken.
    fn listed(&mut self, number: u64) -> Result<(), String> {
        let hosts = self.machine.numbered_hosts();
        if number >= hosts {
            return Err(format!("node {number}, expected a host from 0 to {}", hosts - 1));
        }
        let node = self.machine.node(number).map_err(|error| error.to_string())?;
        if !self.known.insert(node) {
            let name = self.names.filter(|names| names.each == 1).map(|names| names.list.name(number));
            let name = name.map_or_else(String::new, |name| format!(" ({})", described(name)));
            return Err(format!("node {number}{name} a second time, expected every node once"));
        }
        self.nodes.push(node);
        Ok(())
    }
}

/// The error for a process outside the allocation.
pub(super) fn outside(allocation: &Allocation, nodes: &[NodeId], place: &Place) -> Option<ScenarioError> {
    let (process, node) = (0_u64..).zip(nodes).find(|(_, node)| allocation.place(**node).is_none())?;
    let message = format!("process {process} is on node {node}, expected a node of machine.allocation");
    Some(ScenarioError::at(place, message, "leaves the allocation"))
}
