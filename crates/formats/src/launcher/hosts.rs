//! Hosts: their names in the order of the nodes of a machine, and their slots.

use cubefold_topology::NodeId;
use indexmap::{IndexMap, IndexSet};

use super::{
    LauncherError,
    host_lines::{ListedHost, listed},
};
use crate::input::{
    diagnostic::Diagnostics,
    region::Region,
    text::{LineCounter, described, span},
};

/// The hosts of a machine, from the command line or a scenario.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostOptions<'a> {
    /// Host names, in the order of the nodes.
    pub hosts: Option<&'a HostList>,
    /// Number of slots of each host; by default the slots of one node of the machine.
    pub slots_per_node: Option<u64>,
}

/// Host names by place; the first has node 0. At least one, all different.
#[derive(Debug, Clone)]
pub struct HostList {
    names: IndexSet<String>,
    slots: Vec<Option<u64>>, // per host, if the list gives them
    lines: Vec<u64>,         // per host, counted from 1
    listed: Vec<u64>,        // the places of the hosts in the order of the list or map
    hosts_per_node: u64,     // at least 1; consecutive places
    is_of_map: bool,         // whether a coordinate map gave the order
}

/// A host in the order of the nodes.
#[derive(Debug)]
pub(super) struct OrderedHost {
    pub(super) name: String,
    pub(super) line: u64, // counted from 1, or 0
    pub(super) rank: u64, // in the order of the list, else of the map
}

/// A host with fewer slots than processes.
#[derive(Debug)]
pub(super) struct LackingHost<'a> {
    pub(super) name: &'a str,
    pub(super) line: u64, // of the list, counted from 1
    pub(super) slots: u64,
    pub(super) expected: u64,
}

impl HostList {
    /// A list of names with slots; `None` if it is empty, or a name is invalid or repeated.
    #[must_use]
    pub fn with_slots(hosts: &[(String, Option<u64>)]) -> Option<Self> {
        let line = |(name, slots): &(String, Option<u64>)| match slots {
            Some(slots) => format!("{name} slots={slots}\n"),
            None => format!("{name}\n"),
        };
        let list = Self::parse(&hosts.iter().map(line).collect::<String>()).ok()?;
        let is_same = list.names().eq(hosts.iter().map(|host| host.0.as_str()));
        is_same.then_some(list)
    }

    /// Lists the names with their slots.
    pub fn named(&self) -> impl Iterator<Item = (String, Option<u64>)> {
        self.names.iter().cloned().zip(self.slots.iter().copied())
    }

    /// Reads hosts as printed by schedulers and launchers; comments after `#` and empty lines are skipped.
    ///
    /// ```text
    /// alpha                    a name a line
    /// node[000-255,300],alpha  Slurm: $SLURM_JOB_NODELIST
    /// alpha slots=4            Open MPI
    /// alpha:4                  Hydra
    /// alpha                    PBS: every name on the same number of lines ($PBS_NODEFILE)
    /// alpha
    /// alpha/0*2+beta/0*2       PBS: exec_host of qstat -f, with the processors of each
    /// alpha 4 beta 4           LSF: $LSB_MCPU_HOSTS
    /// alpha 0,2,4 NULL 0       LSF: $LSB_AFFINITY_HOSTFILE, a line a task
    /// alpha 4 all.q@alpha ..   Grid Engine: $PE_HOSTFILE
    /// 2001:db8::7              an address; [2001:db8::7]:4 with slots
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no name, a line has another form, or the names are not equally frequent; each error has its
    /// position in the text.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let listed = listed(text, &mut diagnostics);
        let has_tasks = listed.iter().any(|host| host.is_task);
        let mut counts: IndexMap<&str, u64> = IndexMap::new();
        for host in &listed {
            *counts.entry(&host.name).or_default() += 1;
        }
        let mut times = counts.values();
        let first = times.next().copied().unwrap_or(1);
        // If all hosts are listed equally often, that is their number of slots.
        let is_even = counts.len() > 1 && times.all(|&count| count == first);
        let repeated = (first > 1 && is_even && diagnostics.is_empty()).then_some(first);
        let mut list = Self::empty();
        let mut counter = LineCounter::new(text);
        for ListedHost { name, slots, part, is_task } in &listed {
            if list.names.contains(name) {
                if repeated.is_none() && !is_task {
                    let message =
                        || format!("host {} a second time, expected every host once", described(name));
                    diagnostics.add(span(text, part), message);
                }
                continue;
            }
            list.listed.push(list.names.len() as u64);
            list.names.insert(name.clone());
            let tasks = counts.get(name.as_str()).copied().filter(|_| has_tasks);
            list.slots.push(slots.or(repeated).or(tasks));
            list.lines.push(counter.line(part));
        }
        if list.names.is_empty() && diagnostics.is_empty() {
            diagnostics.add(0..0, || "no host, expected a name a line".to_owned());
        }
        if diagnostics.is_empty() { Ok(list) } else { Err(diagnostics) }
    }

    /// A list of names, all different, at least one.
    pub fn of_names(names: impl Iterator<Item = String>) -> Self {
        let host = |(rank, name)| OrderedHost { name, line: 0, rank };
        Self::in_order((0..).zip(names).map(host).collect(), 1, None)
    }

    fn empty() -> Self {
        Self {
            names: IndexSet::new(),
            slots: vec![],
            lines: vec![],
            listed: vec![],
            hosts_per_node: 1,
            is_of_map: false,
        }
    }

    /// The list of a coordinate map: at least one host, all different, in node order, with the same number per
    /// node. Slots come from `listed`.
    pub(super) fn in_order(hosts: Vec<OrderedHost>, hosts_per_node: u64, listed: Option<&Self>) -> Self {
        let mut ranks: Vec<(u64, u64)> = hosts.iter().map(|host| host.rank).zip(0..).collect();
        ranks.sort_unstable();
        let order = ranks.into_iter().map(|(_, place)| place).collect();
        let mut list = Self { hosts_per_node, is_of_map: true, listed: order, ..Self::empty() };
        for OrderedHost { name, line, .. } in hosts {
            let known = listed.and_then(|listed| Some((listed, usize::try_from(listed.place(&name)?).ok()?)));
            list.slots.push(known.and_then(|(listed, place)| listed.slots[place]));
            list.lines.push(known.map_or(line, |(listed, place)| listed.lines[place]));
            list.names.insert(name);
        }
        list
    }

    pub(super) fn hosts_per_node(&self) -> u64 {
        self.hosts_per_node
    }

    /// Whether a coordinate map, or the machine itself, gave the order.
    #[must_use]
    pub fn is_of_map(&self) -> bool {
        self.is_of_map
    }

    /// The place of the host with a number in the order of the list, or else of the map.
    pub(super) fn place_of_listed(&self, number: u64) -> Option<u64> {
        self.listed.get(usize::try_from(number).ok()?).copied()
    }

    /// The numbers of the hosts in the order of the list, or else of the map, by place.
    pub(super) fn listed_numbers(&self) -> Vec<u64> {
        let mut numbers = vec![0; self.listed.len()];
        for (number, &place) in (0..).zip(&self.listed) {
            if let Some(entry) = usize::try_from(place).ok().and_then(|place| numbers.get_mut(place)) {
                *entry = number;
            }
        }
        numbers
    }

    /// Lists the names with their lines, in order.
    pub(super) fn with_lines(&self) -> impl Iterator<Item = (&str, u64)> {
        self.names().zip(self.lines.iter().copied())
    }

    /// Lists the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The first host with fewer slots than the number for its place.
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
    pub fn name(&self, place: u64) -> &str {
        usize::try_from(place).ok().and_then(|place| self.names.get_index(place)).map_or("", String::as_str)
    }

    /// Whether it contains a name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The hosts of a job in its order, of a list of all hosts of its machine or of all nodes of a cluster; `None` if the
    /// job has some devices of a node without the others.
    #[must_use]
    pub fn of_job(&self, region: Region<'_>) -> Option<Self> {
        let Some(allocation) = region.allocation else { return Some(self.clone()) };
        let each = (region.whole().numbered_hosts() / self.count().max(1)).max(1);
        if each > 1 && each != region.devices_per_host() {
            return None;
        }
        let firsts = allocation.nodes().iter().step_by(usize::try_from(each).ok()?);
        let number = |node: &NodeId| u64::from(node.index()) / each;
        Some(Self::of_names(firsts.map(|node| self.name(number(node)).to_owned())))
    }

    /// The same hosts, with the slots of another list that has them.
    #[must_use]
    pub fn with_slots_of(&self, listed: &Self) -> Self {
        let host = |name: &String| OrderedHost {
            name: name.clone(),
            line: 0,
            rank: listed.place(name).unwrap_or(u64::MAX),
        };
        Self::in_order(self.names.iter().map(host).collect(), 1, Some(listed))
    }

    pub(super) fn place(&self, name: &str) -> Option<u64> {
        self.names.get_index_of(name).map(|place| place as u64)
    }
}

/// Slots of hosts with equally many nodes each, in the order of node numbers.
///
/// ```text
/// 2 slots a node, 4 a host:   host   0               1
///                             node   0       1       2       3
///                             slot   0   1   2   3   0   1   2   3
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots {
    nodes: u64,          // of the machine, a multiple of `each`
    each: u64,           // nodes on a host, at least 1
    per_node: u64,       // at least 1
    hosts_per_node: u64, // at least 1; 1 if `each` is not
}

impl Slots {
    /// The slots of a machine of `nodes` nodes with at most `load` processes per node. By default, hosts have the
    /// slots of one node.
    ///
    /// # Errors
    ///
    /// If a node would be divided between hosts, or hosts would have different numbers of nodes.
    pub(super) fn new(
        nodes: u64,
        load: u64,
        per_host: Option<u64>,
        hosts_per_node: u64,
    ) -> Result<Self, LauncherError> {
        if hosts_per_node > 1 {
            return match per_host {
                Some(found) => Err(LauncherError::SeveralHosts { found, hosts_per_node }),
                None => Ok(Self { nodes, each: 1, per_node: load.div_ceil(hosts_per_node), hosts_per_node }),
            };
        }
        let found = per_host.unwrap_or(load);
        if found == 0 || !found.is_multiple_of(load) {
            return Err(LauncherError::DividedNode { found, load });
        }
        let each = found / load;
        if !nodes.is_multiple_of(each) {
            return Err(LauncherError::UnevenHosts { each, nodes });
        }
        Ok(Self { nodes, each, per_node: load, hosts_per_node: 1 })
    }

    /// The number of hosts.
    pub(super) fn host_count(self) -> u64 {
        self.nodes / self.each * self.hosts_per_node
    }

    /// Checks that there is one name per host.
    ///
    /// # Errors
    ///
    /// If there are more names or fewer.
    pub(super) fn check_hosts(self, found: u64) -> Result<(), LauncherError> {
        let (nodes, each, expected) = (self.nodes, self.each, self.host_count());
        if found == expected {
            Ok(())
        } else {
            Err(LauncherError::HostCount { found, expected, nodes, each })
        }
    }

    pub(super) fn nodes_per_host(self) -> u64 {
        self.each
    }

    /// Slots that the processes of a node take on each of its hosts.
    pub(super) fn slots_per_node(self) -> u64 {
        self.per_node
    }

    /// The host of the process at a place, counted from 0, on a node: the first processes of a node are on its
    /// first host.
    pub(super) fn host(self, node: u64, turn: u64) -> u64 {
        let place = if self.hosts_per_node > 1 { turn / self.per_node } else { 0 };
        node / self.each * self.hosts_per_node + place
    }

    /// The slot, on its host, of the process at a place, counted from 0, on a node.
    pub(super) fn slot(self, node: u64, turn: u64) -> u64 {
        let turn = if self.hosts_per_node > 1 { turn % self.per_node } else { turn };
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
        assert_eq!(
            HostList::parse("a\nb or=2\na\n").unwrap_err().written(),
            [
                "2..8: line is \"b or=2\", expected the name of one host",
                "9..10: host \"a\" a second time, expected every host once"
            ]
        );
        let empty = HostList::parse("# none\n").unwrap_err();
        assert_eq!(empty.kept()[0].message, "no host, expected a name a line");
    }

    /// Names and slots of a list.
    fn hosts_of(text: &str) -> Vec<(String, Option<u64>)> {
        HostList::parse(text).unwrap().named().collect()
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
        let lsf = vec![("n08".to_owned(), Some(4)), ("n09".to_owned(), Some(2))];
        for text in [
            "n08 4 n09 2\n",
            "LSB_MCPU_HOSTS=\"n08 4 n09 2\"\n",
            "n08 4\nn09 2\n",
            "n08 0 NULL 0\nn08 1 NULL 0\nn08 2-3 NULL NULL\nn08 4,5 0 1\nn09 0 NULL 0\nn09 1 NULL 0\n",
            "n08 4 all.q@n08 UNDEFINED\nn09 2 all.q@n09 <NULL>\n",
            "n08 n08 n08 n08 n09 n09\n",
            "LSB_HOSTS=n08 n08 n08 n08 n09 n09\n",
        ] {
            assert_eq!(hosts_of(text), lsf, "{text}");
        }
        let addresses = "2001:db8:0:1::7 slots=4\nfe80::1%eth0\n[2001:db8::8]:2\n[2001:db8::9]\nn08:1\n";
        let found = hosts_of(addresses);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["2001:db8:0:1::7", "fe80::1%eth0", "2001:db8::8", "2001:db8::9", "n08"]);
        assert_eq!(
            found.iter().map(|(_, slots)| *slots).collect::<Vec<_>>(),
            [Some(4), None, Some(2), None, Some(1)]
        );
        for none in ["a slots=0\nb slots=2\n", "a:0\nb\n", "a 0 b 2\n"] {
            let diagnostics = HostList::parse(none).unwrap_err();
            assert!(diagnostics.kept()[0].message.starts_with("host \"a\" has 0 slots"), "{none}");
        }
        for wrong in ["a:0", "a:x", "a slots=0", "a slots=b", "a[1", "a,,b", "a[0-99999999]", "a\na\nb\n"] {
            assert_eq!(HostList::parse(wrong).unwrap_err().kept().len(), 1, "{wrong}");
        }
    }

    #[test]
    fn slots_are_numbered_host_by_host_and_node_by_node() {
        let pairs_of = |slots: Slots, nodes| -> Vec<(u64, u64)> {
            let pair = |node, turn| (slots.host(node, turn), slots.slot(node, turn));
            (0..nodes).flat_map(|node| [0, 1].map(|turn| pair(node, turn))).collect()
        };
        let slots = Slots::new(4, 2, Some(4), 1).unwrap();
        let pairs = pairs_of(slots, 4).into_iter();
        let expected = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)];
        assert_eq!(pairs.collect::<Vec<_>>(), expected);
        assert_eq!((slots.host_count(), slots.nodes_per_host()), (2, 2));
        // Two hosts at each node share its processes.
        let shared = Slots::new(2, 2, None, 2).unwrap();
        assert_eq!(pairs_of(shared, 2), [(0, 0), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(shared.host_count(), 4);
        assert!(Slots::new(2, 2, Some(2), 2).unwrap_err().to_string().starts_with("2 slots a host"));
    }

    #[test]
    fn nodes_are_never_divided_and_hosts_are_alike() {
        let message =
            |nodes, load, per_host| Slots::new(nodes, load, Some(per_host), 1).unwrap_err().to_string();
        let divided = "3 slots a host, expected a multiple of 2, the most processes on one node";
        assert_eq!(message(8, 2, 3), divided);
        assert!(message(8, 2, 0).starts_with("0 slots a host"));
        let uneven = "3 nodes on a host, expected a divisor of 8, the nodes of the machine";
        assert_eq!(message(8, 1, 3), uneven);
        let few = Slots::new(8, 1, Some(2), 1).unwrap().check_hosts(3).unwrap_err().to_string();
        assert_eq!(few, "3 hosts, expected 4 for a machine of 8 nodes with 2 on a host");
    }
}
