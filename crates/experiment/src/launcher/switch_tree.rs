//! Switch trees of Slurm: `topology.conf`, `scontrol show topology`.
//!
//! ```text
//! SwitchName=s0 Nodes=node[0-3]
//! SwitchName=s1 Nodes=node[4-7]
//! SwitchName=top Switches=s[0-1]
//! ```
//!
//! Hosts are ordered leaf switch by leaf switch, like the hosts of networks with switches. In the network,
//! hosts come first, then the switches in the order of their lines.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::host_names::{MAX_HOSTS, expanded, parts};
use crate::input::{
    diagnostic::Diagnostics,
    text::{Remarks, described, lines, span},
};

/// A switch tree; wrong lines are left out.
#[derive(Debug, Default)]
pub(crate) struct SwitchTree {
    /// The hosts, leaf switch by leaf switch; all different.
    pub(crate) hosts: Vec<String>,
    switches: Vec<Switch>,
}

#[derive(Debug)]
struct Switch {
    hosts: Range<usize>,
    below: Vec<usize>, // switches listed on its line
}

/// Whether a text describes switches.
pub(crate) fn is_switch_tree(text: &str) -> bool {
    text.contains("SwitchName=")
}

impl SwitchTree {
    /// Reads a description and reports its errors.
    pub(crate) fn read(text: &str, diagnostics: &mut Diagnostics) -> Self {
        let mut tree = Self::default();
        let (mut known, mut names) = (BTreeSet::new(), BTreeMap::new());
        let mut children = vec![];
        for line in lines(text, Remarks::AfterHash) {
            let value = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key));
            let mut complain = |part: &str, message: String| diagnostics.add(span(text, part), || message);
            let Some(name) = value("SwitchName=").filter(|name| !name.is_empty()) else {
                complain(line, format!("line is {}, expected SwitchName=..", described(line)));
                continue;
            };
            if names.insert(name, tree.switches.len()).is_some() {
                complain(
                    name,
                    format!("switch {} a second time, expected every switch once", described(name)),
                );
            }
            let below = value("Switches=").unwrap_or("");
            children.push(below);
            let first = tree.hosts.len();
            // Slurm repeats all nodes below the switches of higher levels.
            let is_leaf = below.is_empty() && value("Level=").is_none_or(|level| level == "0");
            for part in value("Nodes=").filter(|_| is_leaf).into_iter().flat_map(parts) {
                let Ok(hosts) = expanded(part) else {
                    complain(
                        part,
                        format!("nodes are {}, expected names such as node[0-3]", described(part)),
                    );
                    continue;
                };
                if tree.hosts.len() + hosts.len() > MAX_HOSTS {
                    complain(part, format!("more than {MAX_HOSTS} hosts, expected at most as many"));
                    return tree;
                }
                for host in hosts {
                    if known.insert(host.clone()) {
                        tree.hosts.push(host);
                    } else {
                        let message = "a second time, expected every host once";
                        complain(part, format!("host {} {message}", described(&host)));
                    }
                }
            }
            tree.switches.push(Switch { hosts: first..tree.hosts.len(), below: vec![] });
        }
        tree.link_switches(text, &names, &children, diagnostics);
        tree
    }

    /// Resolves the switches that others name.
    fn link_switches(
        &mut self,
        text: &str,
        names: &BTreeMap<&str, usize>,
        children: &[&str],
        diagnostics: &mut Diagnostics,
    ) {
        let mut count = 0;
        for (switch, list) in self.switches.iter_mut().zip(children) {
            for part in parts(list).filter(|part| !part.is_empty()) {
                let Ok(below) = expanded(part) else {
                    diagnostics.add(span(text, part), || {
                        format!("switches are {}, expected names such as s[0-3]", described(part))
                    });
                    continue;
                };
                count += below.len();
                if count > MAX_HOSTS {
                    let message =
                        || format!("more than {MAX_HOSTS} links between switches, expected at most as many");
                    return diagnostics.add(span(text, part), message);
                }
                for name in below {
                    match names.get(name.as_str()) {
                        Some(&place) => switch.below.push(place),
                        None => diagnostics.add(span(text, part), || {
                            format!("switch {} has no line, expected one for every switch", described(&name))
                        }),
                    }
                }
            }
        }
    }

    /// Number of hosts and switches.
    pub(crate) fn node_count(&self) -> usize {
        self.hosts.len() + self.switches.len()
    }

    /// Lists the links by their ends.
    pub(crate) fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        let number = |switch: usize| self.hosts.len() + switch;
        self.switches.iter().enumerate().flat_map(move |(place, switch)| {
            let below = switch.below.iter().map(move |&below| number(below));
            switch.hosts.clone().chain(below).map(move |below| (below, number(place)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SwitchTree, Vec<String>> {
        let mut diagnostics = Diagnostics::default();
        let tree = SwitchTree::read(text, &mut diagnostics);
        let written = |one: &crate::input::diagnostic::Diagnostic| {
            format!("{}: {}", &text[one.span.clone()], one.message)
        };
        if diagnostics.is_empty() { Ok(tree) } else { Err(diagnostics.kept().iter().map(written).collect()) }
    }

    #[test]
    fn hosts_come_leaf_by_leaf_then_the_switches() {
        let text = "# two racks\nSwitchName=top Level=1 Nodes=n[0-3] Switches=s[0-1]\n\
            SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[2-3]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n0,n1\n";
        let tree = read(text).unwrap();
        assert_eq!(tree.hosts, ["n2", "n3", "n0", "n1"]);
        assert_eq!(tree.node_count(), 7);
        assert_eq!(tree.links().collect::<Vec<_>>(), [(5, 4), (6, 4), (0, 5), (1, 5), (2, 6), (3, 6)]);
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        let text =
            "SwitchName=a Nodes=n[0-1]\nSwitchName=a Nodes=n1,n[\nNodes=n7\nSwitchName=b Switches=a,c\n";
        assert_eq!(
            read(text).unwrap_err(),
            [
                "a: switch \"a\" a second time, expected every switch once",
                "n1: host \"n1\" a second time, expected every host once",
                "n[: nodes are \"n[\", expected names such as node[0-3]",
                "Nodes=n7: line is \"Nodes=n7\", expected SwitchName=..",
                "c: switch \"c\" has no line, expected one for every switch",
            ]
        );
    }
}
