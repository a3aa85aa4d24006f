//! Networks, as machines or as guests: families with a number of dimensions, and lists of links in files.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use cubefold_topology::{Machine, MachineError, MachineKind, Network, narrow};

use super::{
    budget::{Budget, OverBudget},
    errors::{ScenarioError, Standing, errors_at},
    library::Library,
    placement_file::Failure,
    source_file::{ReadError, SourceFile},
    value::{Size, Value},
};
use crate::{
    input::{
        diagnostic::Diagnostics,
        text::{Remarks, described, lines, span},
    },
    launcher::switch_tree::{SwitchTree, is_switch_tree},
};

/// The keys of a network with their values, as far as they are there.
#[derive(Debug)]
pub(super) struct NetworkKeys<'a> {
    /// What is called `machine` or `program.guest`.
    pub(super) name: &'static str,
    /// The key of the number of dimensions.
    pub(super) count_key: &'static str,
    pub(super) count: Option<&'a Value>,
    pub(super) edges: Option<&'a Value>,
    /// What only grids have.
    pub(super) foreign: Vec<(&'static str, &'a Value)>,
    /// The kind.
    pub(super) kind: &'a Value,
}

/// Reads the network of a kind that is no grid. `beside` finds the files that it names.
pub(super) fn read(
    kind: MachineKind,
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let before = errors.len();
    for (key, value) in &keys.foreign {
        errors.push(keys.foreign(key, value, kind));
    }
    let network = if kind == MachineKind::Network {
        if let Some(value) = keys.count {
            errors.push(keys.foreign(keys.count_key, value, kind));
        }
        from_file(keys, beside, library, errors)
    } else {
        if let Some(value) = keys.edges {
            errors.push(keys.foreign("edges", value, kind));
        }
        of_dimensions(kind, keys, library, errors)
    };
    network.filter(|_| errors.len() == before)
}

fn of_dimensions(
    kind: MachineKind,
    keys: &NetworkKeys<'_>,
    library: &Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let name = format!("{}.{}", keys.name, keys.count_key);
    let range = kind.network_dimensions()?;
    let Some(value) = keys.count else {
        errors.push(keys.missing(keys.count_key, &format!("from {} to {}", range.start(), range.end())));
        return None;
    };
    let count = value.natural(name, range, errors)?;
    let nodes = kind.network_node_count(count)?;
    if let Err(over) = library.budget().take_network(nodes, 2 * nodes, &value.place) {
        errors.push(over);
        return None;
    }
    match Machine::of_dimensions(kind, count) {
        Ok(machine) => Some(with_size(Arc::new(machine), value)),
        Err(error) => {
            errors.push(wrong(value, &error));
            None
        }
    }
}

fn from_file(
    keys: &NetworkKeys<'_>,
    beside: impl Fn(&str) -> PathBuf,
    library: &mut Library,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Arc<Machine>, Size)> {
    let Some(value) = keys.edges else {
        errors.push(keys.missing("edges", "the path of a file with a link a line"));
        return None;
    };
    let path = value.text(format!("{}.edges", keys.name), errors)?;
    match library.network(&beside(path)) {
        Ok(machine) => Some(with_size(machine, value)),
        Err(Failure::Wrong(wrong)) => {
            errors.extend(wrong);
            None
        }
        Err(Failure::Unreadable(reason)) => {
            let message = format!("list of links {path:?} cannot be read: {reason}");
            let error = ScenarioError::at(&value.place, message, "named here");
            errors.push(error.with_help("paths are relative to the scenario file"));
            None
        }
    }
}

fn with_size(machine: Arc<Machine>, value: &Value) -> (Arc<Machine>, Size) {
    let size = Size::of_machine(&machine, &value.place);
    (machine, size)
}

fn wrong(value: &Value, error: &MachineError) -> ScenarioError {
    ScenarioError::at(&value.place, error.to_string(), "this network")
}

impl NetworkKeys<'_> {
    fn foreign(&self, key: &str, value: &Value, kind: MachineKind) -> ScenarioError {
        let path = format!("{}.{key}", self.name);
        ScenarioError::foreign_key(&path, &value.place, kind.name(), Some(&self.kind.place))
    }

    fn missing(&self, key: &str, expected: &str) -> ScenarioError {
        let message = format!("{}.{key} is missing, expected {expected}", self.name);
        ScenarioError::at(&self.kind.place, message, format!("needs {key}"))
            .with_help(format!("add {key} = .."))
            .standing(Standing::MissingValue)
    }
}

/// The most nodes that a file may name.
const MAX_NODES: u32 = 1 << 20;

/// Reads a network: a tree of switches as Slurm describes it, or two numbers of nodes a line, with a comma or blanks
/// between them; `#` begins a comment. There are as many nodes as the greatest number says.
///
/// # Errors
///
/// When the file cannot be read, or is wrong: the first errors.
pub(super) fn read_edges(path: &Path, budget: &Budget) -> Result<Machine, Failure> {
    let source = SourceFile::read_within(path, budget).map_err(|error| match error {
        ReadError::Input(error) => Failure::Unreadable(io::Error::from(error).to_string()),
        ReadError::NotUtf8(_) | ReadError::OverBudget(_) => {
            Failure::Wrong(vec![ScenarioError::of_file(path, format!("list of links {error}"))])
        }
    })?;
    let over = |over: OverBudget| Failure::Wrong(vec![over.of_file(path, "its links:")]);
    let mut diagnostics = Diagnostics::default();
    let most = memchr::memchr_iter(b'\n', source.text().as_bytes()).count() as u64 + 1;
    let [while_made, kept] = Network::bytes_to_make(0, most);
    budget.take_for_a_while(while_made.saturating_add(source.text().len() as u64), kept).map_err(over)?;
    let links = if is_switch_tree(source.text()) {
        Links::of_switches(source.text(), &mut diagnostics)
    } else {
        Links::of_lines(source.text(), &mut diagnostics)
    };
    if links.ends.is_empty() && diagnostics.is_empty() {
        diagnostics.add(0..0, || "no links, expected at least one: \"0 1\" a line".to_owned());
    }
    if diagnostics.is_empty() {
        let [while_made, kept] = Network::bytes_to_make(links.nodes.into(), links.ends.len() as u64);
        budget.take_for_a_while(while_made, kept).map_err(over)?;
        match links.machine() {
            Ok(machine) => return Ok(machine),
            Err(message) => diagnostics.add(0..0, || message),
        }
    }
    Err(Failure::Wrong(errors_at(&source, &diagnostics)))
}

/// The links of a network, and its nodes.
struct Links {
    ends: Vec<(u32, u32)>,
    nodes: u32,
    hosts: u32, // the nodes that are no switches, the first ones
}

impl Links {
    fn machine(&self) -> Result<Machine, String> {
        let network = Network::from_edges(self.nodes, &self.ends).map_err(|error| error.to_string())?;
        if !network.is_connected() {
            return Err("some nodes are not reached from node 0, expected a connected network".to_owned());
        }
        if self.hosts < 2 {
            return Err(format!("{} hosts, expected at least 2", self.hosts));
        }
        Machine::network(MachineKind::Network, network.with_hosts(self.hosts))
            .map_err(|error| error.to_string())
    }

    /// The links of a tree of switches: the hosts are the first nodes.
    fn of_switches(text: &str, diagnostics: &mut Diagnostics) -> Self {
        let tree = SwitchTree::read(text, diagnostics);
        let found = tree.node_count();
        if found > MAX_NODES as usize {
            diagnostics.add(0..0, || format!("{found} hosts and switches, expected at most {MAX_NODES}"));
        }
        let ends = tree.links().map(|(below, above)| (narrow(below as u64), narrow(above as u64))).collect();
        Self { ends, nodes: narrow(found as u64), hosts: narrow(tree.hosts.len() as u64) }
    }

    /// The links of all lines; what is wrong is reported.
    fn of_lines(text: &str, diagnostics: &mut Diagnostics) -> Self {
        let ends = links(text, diagnostics);
        let greatest = ends.iter().map(|&(one, other)| one.max(other)).max().unwrap_or(0);
        Self { ends, nodes: greatest + 1, hosts: greatest + 1 }
    }
}

/// The links of all lines; what is wrong is reported.
fn links(text: &str, diagnostics: &mut Diagnostics) -> Vec<(u32, u32)> {
    let mut links = vec![];
    for line in lines(text, Remarks::AfterHash) {
        let separates = |character: char| character == ',' || character.is_whitespace();
        let words: Vec<&str> = line.split(separates).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [one, other] => match (node(one), node(other)) {
                (Some(one), Some(other)) if one != other => links.push((one, other)),
                (Some(one), Some(_)) => diagnostics
                    .add(span(text, line), || format!("a link of node {one} to itself, expected two nodes")),
                (one, _) => {
                    let wrong = if one.is_none() { words[0] } else { words[1] };
                    let greatest = MAX_NODES - 1;
                    diagnostics.add(span(text, wrong), || {
                        format!("node {}, expected an integer from 0 to {greatest}", described(wrong))
                    });
                }
            },
            _ => diagnostics.add(span(text, line), || {
                format!("{} words, expected 2: the nodes at the ends of a link", words.len())
            }),
        }
    }
    links
}

fn node(word: &str) -> Option<u32> {
    word.parse().ok().filter(|&node| node < MAX_NODES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Machine, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("links.txt");
        std::fs::write(&path, text).unwrap();
        read_edges(&path, &Budget::default()).map_err(|failure| match failure {
            Failure::Unreadable(reason) => reason,
            Failure::Wrong(errors) => {
                let prefix = format!("{}/", directory.path().display());
                let messages: Vec<_> =
                    errors.iter().map(|error| error.to_string().replace(&prefix, "")).collect();
                messages.join("\n")
            }
        })
    }

    #[test]
    fn links_stand_a_line_each_with_remarks() {
        let machine = read_text("# a star\n0 1\n0,2 # the second\n\n0\t3\n3 0\n").unwrap();
        assert_eq!((machine.node_count(), machine.link_count()), (4, 3));
    }

    #[test]
    fn switches_of_a_tree_follow_its_hosts() {
        let text = "SwitchName=s0 Nodes=n[0-2]\nSwitchName=s1 Nodes=n3\nSwitchName=top Switches=s[0-1]\n";
        let machine = read_text(text).unwrap();
        assert_eq!((machine.host_count(), machine.node_count(), machine.link_count()), (4, 7, 6));
        let node = |number| machine.node(number).unwrap();
        assert_eq!((machine.distance(node(0), node(1)), machine.distance(node(0), node(3))), (2, 4));
        assert!(!machine.is_host(node(4)));
        assert_eq!(
            read_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n").unwrap_err(),
            "links.txt:1:1: some nodes are not reached from node 0, expected a connected network"
        );
        assert_eq!(
            read_text("SwitchName=s0 Nodes=n0\nSwitchName=top Switches=s0\n").unwrap_err(),
            "links.txt:1:1: 1 hosts, expected at least 2"
        );
        assert_eq!(
            read_text("SwitchName=s0 Nodes=n[0-1]\nSwitchName=top Switches=s[0-1]\n").unwrap_err(),
            "links.txt:2:25: switch \"s1\" has no line, expected one for every switch"
        );
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        let wrong = read_text("0 1\n2 2\n1 x\n1\n0 1048576\n").unwrap_err();
        assert_eq!(
            wrong,
            "links.txt:2:1: a link of node 2 to itself, expected two nodes\n\
             links.txt:3:3: node \"x\", expected an integer from 0 to 1048575\n\
             links.txt:4:1: 1 words, expected 2: the nodes at the ends of a link\n\
             links.txt:5:3: node 1048576, expected an integer from 0 to 1048575"
        );
        assert_eq!(
            read_text("").unwrap_err(),
            "links.txt:1:1: no links, expected at least one: \"0 1\" a line"
        );
        let parts = read_text("0 1\n2 3\n").unwrap_err();
        assert_eq!(
            parts,
            "links.txt:1:1: some nodes are not reached from node 0, expected a connected network"
        );
    }
}
