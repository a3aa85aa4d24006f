//! Hosts: their names in the order of the nodes of a machine, and their slots.

use std::collections::BTreeMap;

use super::{
    LauncherError,
    host_names::{MAX_HOSTS, NameError, exec_hosts, expanded, is_exec_host, parts},
};
use crate::input::diagnostic::Diagnostics;
use crate::input::text::{LineCounter, Remarks, described, lines, span};

/// The hosts of a machine, from the command line or a scenario.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostOptions<'a> {
    /// Host names, in the order of the nodes.
    pub hosts: Option<&'a HostList>,
    /// Number of slots of each host; by default that of one node of the machine.
    pub slots_per_node: Option<u64>,
}

/// Host names by place; the first has node 0. At least one, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostList {
    names: Vec<String>,
    places: BTreeMap<String, u64>, // the inverse
    slots: Vec<Option<u64>>,       // per host, if the list gives them
    lines: Vec<u64>,               // per host, counted from 1
}

/// A host with fewer slots than processes.
#[derive(Debug)]
pub(super) struct LackingHost<'a> {
    pub(super) name: &'a str,
    pub(super) line: u64, // of the list, counted from 1
    pub(super) slots: u64,
    pub(super) expected: u64,
}

/// A name in a list, with its slots.
struct ListedHost<'t> {
    name: String,
    slots: Option<u64>,
    part: &'t str,
}

impl HostList {
    /// Reads hosts as schedulers and launchers print them; comments after `#` and empty lines are skipped.
    ///
    /// ```text
    /// alpha                    a name a line
    /// node[000-255,300],alpha  Slurm: $SLURM_JOB_NODELIST
    /// alpha slots=4            Open MPI
    /// alpha:4                  Hydra
    /// alpha                    PBS: every name on the same number of lines ($PBS_NODEFILE)
    /// alpha
    /// alpha/0*2+beta/0*2       PBS: exec_host of qstat -f, with the processors of each
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no name, a line has none of these forms, or the names are not equally frequent, each with
    /// its position in the text.
    pub(crate) fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let listed = listed(text, &mut diagnostics);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for host in &listed {
            *counts.entry(&host.name).or_default() += 1;
        }
        let mut times = counts.values();
        let first = times.next().copied().unwrap_or(1);
        // Hosts that are listed equally often have that number of slots.
        let is_even = counts.len() > 1 && times.all(|&count| count == first);
        let repeated = (first > 1 && is_even && diagnostics.is_empty()).then_some(first);
        let mut list = Self { names: vec![], places: BTreeMap::new(), slots: vec![], lines: vec![] };
        let mut counter = LineCounter::new(text);
        for ListedHost { name, slots, part } in &listed {
            if list.places.contains_key(name) {
                if repeated.is_none() {
                    let message =
                        || format!("host {} a second time, expected every host once", described(name));
                    diagnostics.add(span(text, part), message);
                }
                continue;
            }
            list.places.insert(name.clone(), list.names.len() as u64);
            list.names.push(name.clone());
            list.slots.push(slots.or(repeated));
            list.lines.push(counter.line(part));
        }
        if list.names.is_empty() && diagnostics.is_empty() {
            diagnostics.add(0..0, || "no host, expected a name a line".to_owned());
        }
        if diagnostics.is_empty() { Ok(list) } else { Err(diagnostics) }
    }

    /// A list of names, all different, at least one.
    pub(crate) fn of_names(names: impl Iterator<Item = String>) -> Self {
        Self::in_order(names.map(|name| (name, 0)).collect(), None)
    }

    /// A list in another order: names, all different, at least one, each with its line; slots come from
    /// `listed`.
    pub(super) fn in_order(hosts: Vec<(String, u64)>, listed: Option<&Self>) -> Self {
        let (names, mut lines): (Vec<String>, Vec<u64>) = hosts.into_iter().unzip();
        let places = names.iter().cloned().zip(0..).collect();
        let mut slots = vec![None; names.len()];
        if let Some(listed) = listed {
            for ((name, slots), line) in names.iter().zip(&mut slots).zip(&mut lines) {
                let place = listed.place(name).and_then(|place| usize::try_from(place).ok());
                if let Some(place) = place {
                    (*slots, *line) = (listed.slots[place], listed.lines[place]);
                }
            }
        }
        Self { names, places, slots, lines }
    }

    /// Lists the names with their lines, in order.
    pub(super) fn with_lines(&self) -> impl Iterator<Item = (&str, u64)> {
        self.names().zip(self.lines.iter().copied())
    }

    /// Lists the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The first host that has fewer slots than the number for its place.
    pub(super) fn lacking(&self, expected: impl Fn(u64) -> u64) -> Option<LackingHost<'_>> {
        let hosts = (0..).zip(self.with_lines().zip(&self.slots));
        hosts
            .filter_map(|(place, ((name, line), slots))| {
                Some(LackingHost { name, line, slots: (*slots)?, expected: expected(place) })
            })
            .find(|host| host.slots < host.expected)
    }

    /// The number of hosts.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.names.len() as u64
    }

    /// The name at a place, counted from 0; empty if there is none.
    pub(crate) fn name(&self, place: u64) -> &str {
        usize::try_from(place).ok().and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }

    /// Whether it has a name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The same hosts, with the slots of another list that has them.
    #[must_use]
    pub fn with_slots_of(&self, listed: &Self) -> Self {
        Self::in_order(self.names.iter().cloned().map(|name| (name, 0)).collect(), Some(listed))
    }

    /// The place of a name.
    pub(super) fn place(&self, name: &str) -> Option<u64> {
        self.places.get(name).copied()
    }
}

/// Reads the hosts of a text, in order, and reports its errors.
fn listed<'t>(text: &'t str, diagnostics: &mut Diagnostics) -> Vec<ListedHost<'t>> {
    let mut listed = vec![];
    for line in lines(text, Remarks::AfterHash) {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let Some(slots) = slot_words(words) else {
            let message = || format!("line is {}, expected the name of one host", described(line));
            diagnostics.add(span(text, line), message);
            continue;
        };
        if is_exec_host(first) {
            match exec_hosts(first) {
                Some(hosts) if listed.len() + hosts.len() <= MAX_HOSTS => {
                    let host = |(name, slots, part)| ListedHost { name, slots: Some(slots), part };
                    listed.extend(hosts.into_iter().map(host));
                }
                found => diagnostics.add(span(text, first), || wrong_exec_host(line, found.is_some())),
            }
            continue;
        }
        for part in parts(first) {
            let (names, count) = match part.rsplit_once(':') {
                Some((names, count)) => (names, count.parse().ok().filter(|&count| count > 0)),
                None => (part, None),
            };
            let is_wrong = part.contains(':') && count.is_none();
            match expanded(names).and_then(|names| (!is_wrong).then_some(names).ok_or(NameError::Malformed)) {
                Ok(names) if listed.len() + names.len() <= MAX_HOSTS => {
                    listed.extend(names.into_iter().map(|name| ListedHost {
                        name,
                        slots: count.or(slots),
                        part,
                    }));
                }
                Ok(_) | Err(NameError::TooMany) => {
                    diagnostics.add(span(text, part), || format!("more than {MAX_HOSTS} hosts (2^20)"));
                    return vec![];
                }
                Err(NameError::Malformed) => {
                    let message = || format!("line is {}, expected the name of one host", described(line));
                    diagnostics.add(span(text, line), message);
                }
            }
        }
    }
    listed
}

fn wrong_exec_host(line: &str, is_long: bool) -> String {
    if is_long {
        format!("more than {MAX_HOSTS} hosts (2^20)")
    } else {
        format!("line is {}, expected hosts of PBS such as alpha/0*2+beta/0*2", described(line))
    }
}

/// The slots that the words after a name give; `None` if there is an unknown word.
#[expect(clippy::option_option, reason = "another word, no word, or a number of slots")]
fn slot_words<'t>(words: impl Iterator<Item = &'t str>) -> Option<Option<u64>> {
    let mut slots = None;
    for word in words {
        let (key, number) = word.split_once('=')?;
        let number: u64 = number.parse().ok().filter(|&number| number > 0)?;
        match key {
            "slots" => slots = Some(number),
            "max_slots" | "max-slots" => {}
            _ => return None,
        }
    }
    Some(slots)
}

/// Slots of hosts that have the same number of nodes each, in the order of node numbers.
///
/// ```text
/// 2 slots a node, 4 a host:   host   0               1
///                             node   0       1       2       3
///                             slot   0   1   2   3   0   1   2   3
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots {
    nodes: u64,    // of the machine, a multiple of `each`
    each: u64,     // nodes on a host, at least 1
    per_node: u64, // at least 1
}

impl Slots {
    /// The slots of a machine of `nodes` nodes with at most `load` processes per node. Hosts have the slots
    /// of one node by default.
    ///
    /// # Errors
    ///
    /// If a node would be divided between hosts, or hosts would have different numbers of nodes.
    pub(super) fn new(nodes: u64, load: u64, per_host: Option<u64>) -> Result<Self, LauncherError> {
        let found = per_host.unwrap_or(load);
        if found == 0 || !found.is_multiple_of(load) {
            return Err(LauncherError::DividedNode { found, load });
        }
        let each = found / load;
        if !nodes.is_multiple_of(each) {
            return Err(LauncherError::UnevenHosts { each, nodes });
        }
        Ok(Self { nodes, each, per_node: load })
    }

    /// The number of hosts.
    pub(super) fn host_count(self) -> u64 {
        self.nodes / self.each
    }

    /// Checks that there is one name per host.
    ///
    /// # Errors
    ///
    /// If there are more or fewer.
    pub(super) fn check_hosts(self, found: u64) -> Result<(), LauncherError> {
        let (nodes, each, expected) = (self.nodes, self.each, self.host_count());
        if found == expected {
            Ok(())
        } else {
            Err(LauncherError::HostCount { found, expected, nodes, each })
        }
    }

    /// Nodes of the machine on each host.
    pub(super) fn nodes_per_host(self) -> u64 {
        self.each
    }

    /// The host of a node.
    pub(super) fn host(self, node: u64) -> u64 {
        node / self.each
    }

    /// The slot, on its host, of the process at a place, counted from 0, on a node.
    pub(super) fn slot(self, node: u64, turn: u64) -> u64 {
        node % self.each * self.per_node + turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_on_lines_of_their_own() {
        let hosts = HostList::parse("# rack 1\nnode-1\r\n\n  node-2  # the slow one\nnode-3").unwrap();
        assert_eq!((hosts.count(), hosts.name(1), hosts.place("node-3")), (3, "node-2", Some(2)));
        assert_eq!((hosts.name(3), hosts.place("node-4")), ("", None));
    }

    #[test]
    fn every_line_that_is_no_name_is_reported() {
        let diagnostics = HostList::parse("a\nb or=2\na\n").unwrap_err();
        let reported: Vec<_> =
            diagnostics.kept().iter().map(|one| (one.span.clone(), &*one.message)).collect();
        let line = "line is \"b or=2\", expected the name of one host";
        assert_eq!(reported, [(2..8, line), (9..10, "host \"a\" a second time, expected every host once")]);
        let empty = HostList::parse("# none\n").unwrap_err();
        assert_eq!(empty.kept()[0].message, "no host, expected a name a line");
    }

    /// Names and slots of a list.
    fn hosts_of(text: &str) -> Vec<(String, Option<u64>)> {
        let list = HostList::parse(text).unwrap();
        list.names.iter().cloned().zip(list.slots.iter().copied()).collect()
    }

    #[test]
    fn lists_are_read_as_schedulers_and_launchers_print_them() {
        let named = |slots: [Option<u64>; 3]| {
            ["n08", "n09", "n10"].map(str::to_owned).into_iter().zip(slots).collect::<Vec<_>>()
        };
        assert_eq!(hosts_of("n[08-10]\n"), named([None; 3]));
        assert_eq!(hosts_of("n08,n[09-10]"), named([None; 3]));
        assert_eq!(hosts_of("n08 slots=4 max_slots=8\nn09 slots=2\nn10\n"), named([Some(4), Some(2), None]));
        assert_eq!(hosts_of("n[08-09]:2\nn10:1\n"), named([Some(2), Some(2), Some(1)]));
        assert_eq!(hosts_of("n08\nn08\nn09\nn09\nn10\nn10\n"), named([Some(2); 3]));
        assert_eq!(hosts_of("n08/0*2+n09/1*2+n10/0*2\n"), named([Some(2); 3]));
        assert_eq!(hosts_of("n08/0+n08/1+n09/0-2+n10/5*1"), named([Some(2), Some(3), Some(1)]));
        for wrong in ["a/", "a/x", "a/0*0", "a/0*", "a+b", "a/0+", "/0", "a*2", "a/2-1", "a[0-1]/0"] {
            let diagnostics = HostList::parse(wrong).unwrap_err();
            let message = &diagnostics.kept()[0].message;
            assert!(
                message.ends_with("expected hosts of PBS such as alpha/0*2+beta/0*2"),
                "{wrong}: {message}"
            );
        }
        for wrong in ["a:0", "a:x", "a slots=0", "a slots=b", "a[1", "a,,b", "a[0-99999999]", "a\na\nb\n"] {
            assert_eq!(HostList::parse(wrong).unwrap_err().kept().len(), 1, "{wrong}");
        }
    }

    #[test]
    fn slots_are_numbered_host_by_host_and_node_by_node() {
        let slots = Slots::new(4, 2, Some(4)).unwrap();
        let pairs = (0..4).flat_map(|node| [0, 1].map(|turn| (slots.host(node), slots.slot(node, turn))));
        let expected = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)];
        assert_eq!(pairs.collect::<Vec<_>>(), expected);
        assert_eq!((slots.host_count(), slots.nodes_per_host()), (2, 2));
    }

    #[test]
    fn nodes_are_never_divided_and_hosts_are_alike() {
        let message =
            |nodes, load, per_host| Slots::new(nodes, load, Some(per_host)).unwrap_err().to_string();
        let divided = "3 slots a host, expected a multiple of 2, the most processes on one node";
        assert_eq!(message(8, 2, 3), divided);
        assert!(message(8, 2, 0).starts_with("0 slots a host"));
        let uneven = "3 nodes on a host, expected a divisor of 8, the nodes of the machine";
        assert_eq!(message(8, 1, 3), uneven);
        let few = Slots::new(8, 1, Some(2)).unwrap().check_hosts(3).unwrap_err().to_string();
        assert_eq!(few, "3 hosts, expected 4 for a machine of 8 nodes with 2 on a host");
    }
}
