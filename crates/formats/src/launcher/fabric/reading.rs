//! A network being read: nodes by name, links with counts, errors with places.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use cubefold_topology::narrow;
use indexmap::IndexSet;

use super::{Fabric, FabricLink, LinkSpeed, MAX_NODES};
use crate::{
    input::{
        diagnostic::Diagnostics,
        text::{counted, described, span},
    },
    launcher::host_names::{expanded, parts},
};

/// A host or a switch; each kind is numbered separately, in file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Vertex {
    Host(u32),
    Switch(u32),
}

/// Names in the order of first mention.
#[derive(Debug, Default)]
struct Names(IndexSet<String>);

/// The note of a file that counts its nodes from 1.
pub(crate) const COUNTED_FROM_1: &str = "nodes are counted from 1 in the file, from 0 here";

/// How a list that has two nodes in both directions counts their links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PairCount {
    /// Every line is a link.
    #[default]
    Lines,
    /// Every link is listed once, or every link in both directions (`docs/model.md` section 22).
    OneOrBothDirections,
}

/// A link as given by a line.
#[derive(Debug)]
struct ToldLink {
    from: Vertex,
    to: Vertex,
    count: u64,
    speed: LinkSpeed,
    place: Range<usize>,
}

/// A network being read.
#[derive(Debug)]
pub struct FabricReading<'t> {
    /// The text that errors point into.
    pub(super) text: &'t str,
    format: &'static str,
    hosts: Names,
    switches: Names,
    links: Vec<ToldLink>,
    roots: Vec<(u32, Range<usize>)>, // switches that are below no other, if the format has levels
    pub(super) pairs: PairCount,
    /// Whether nodes have names, not numbers.
    pub(super) is_named: bool,
    /// Whether the file says which nodes are hosts.
    pub(super) knows_hosts: bool,
    /// Whether the file counts its nodes from 1.
    pub(super) counts_from_1: bool,
    expanded: usize, // the number of names expanded from lists
    notes: Vec<String>,
    diagnostics: Diagnostics,
}

/// Largest total number of names in all lists of a file: higher levels may repeat host names.
const MAX_EXPANDED: usize = 4 * MAX_NODES as usize;

impl Names {
    /// The index of a name, which is added if it is new, and whether it was.
    fn add(&mut self, name: &str) -> (u32, bool) {
        if let Some(place) = self.place(name) {
            return (place, false);
        }
        self.0.insert(name.to_owned());
        (self.count() - 1, true)
    }

    fn place(&self, name: &str) -> Option<u32> {
        self.0.get_index_of(name).map(|place| narrow(place as u64))
    }

    fn count(&self) -> u32 {
        narrow(self.0.len() as u64)
    }
}

impl<'t> FabricReading<'t> {
    pub(super) fn new(text: &'t str, format: &'static str) -> Self {
        Self {
            text,
            format,
            hosts: Names::default(),
            switches: Names::default(),
            links: vec![],
            roots: vec![],
            pairs: PairCount::Lines,
            is_named: true,
            knows_hosts: true,
            counts_from_1: false,
            expanded: 0,
            notes: vec![],
            diagnostics: Diagnostics::default(),
        }
    }

    /// Reports an error in a part of the text.
    pub(super) fn complain(&mut self, part: &str, message: impl FnOnce() -> String) {
        self.diagnostics.add(span(self.text, part), message);
    }

    /// Reports an error at a place of the text.
    pub(super) fn complain_at(&mut self, place: Range<usize>, message: impl FnOnce() -> String) {
        self.diagnostics.add(place, message);
    }

    /// Whether there are no errors so far.
    pub(super) fn is_right(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Notes a part of the file that was left out or interpreted.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The host with a name, and whether it is new. `None` if there are too many.
    pub(super) fn host(&mut self, name: &str, part: &str) -> Option<(Vertex, bool)> {
        let (place, is_new) = self.hosts.add(name);
        self.check_count(part, is_new)?;
        Some((Vertex::Host(place), is_new))
    }

    /// The switch with a name, and whether it is new. `None` if there are too many.
    pub(super) fn switch(&mut self, name: &str, part: &str) -> Option<(Vertex, bool)> {
        let (place, is_new) = self.switches.add(name);
        self.check_count(part, is_new)?;
        Some((Vertex::Switch(place), is_new))
    }

    pub(super) fn known_host(&self, name: &str) -> Option<Vertex> {
        self.hosts.place(name).map(Vertex::Host)
    }

    pub(super) fn known_switch(&self, name: &str) -> Option<Vertex> {
        self.switches.place(name).map(Vertex::Switch)
    }

    pub(super) fn host_count(&self) -> u32 {
        self.hosts.count()
    }

    fn check_count(&mut self, part: &str, is_new: bool) -> Option<()> {
        let found = self.hosts.0.len() + self.switches.0.len();
        if found <= MAX_NODES as usize {
            return Some(());
        }
        if is_new && found == MAX_NODES as usize + 1 {
            self.complain(part, || {
                format!("more than {MAX_NODES} hosts and switches, expected at most as many")
            });
        }
        None
    }

    /// The names in a list such as `n[0-3],m7`, each with its part of the list; `place` gives the places for errors in
    /// parts.
    pub(super) fn names_at<'p>(
        &mut self,
        list: &'p str,
        what: &str,
        place: impl Fn(&str) -> Range<usize>,
    ) -> Vec<(String, &'p str)> {
        let mut found = vec![];
        for part in parts(list) {
            if self.expanded > MAX_EXPANDED {
                return vec![]; // reported earlier
            }
            let names = expanded(part.trim());
            self.expanded += names.as_ref().map_or(0, Vec::len);
            if self.expanded > MAX_EXPANDED {
                let message = || format!("lists of more than {MAX_EXPANDED} names together, expected fewer");
                self.complain_at(place(part), message);
                return vec![];
            }
            match names {
                Ok(names) if found.len() + names.len() <= MAX_NODES as usize => {
                    found.extend(names.into_iter().map(|name| (name, part)));
                }
                Ok(_) => {
                    let message = || format!("more than {MAX_NODES} {what}, expected at most as many");
                    self.complain_at(place(part), message);
                    return vec![];
                }
                Err(_) => self.complain_at(place(part), || {
                    format!("{what} are {}, expected names such as n[0-3]", described(part))
                }),
            }
        }
        found
    }

    /// Adds parallel links, given at a place of the text.
    pub(super) fn link_at(
        &mut self,
        [from, to]: [Vertex; 2],
        count: u64,
        speed: LinkSpeed,
        place: Range<usize>,
    ) {
        if from == to {
            let name = self.name(from).into_owned();
            self.complain_at(place, || format!("a link of node {name} to itself, expected two nodes"));
        } else {
            self.links.push(ToldLink { from, to, count, speed, place });
        }
    }

    /// Adds a switch below no other, given at a place of the text.
    pub(super) fn root(&mut self, switch: Vertex, place: Range<usize>) {
        if let Vertex::Switch(number) = switch {
            self.roots.push((number, place));
        }
    }

    fn name(&self, vertex: Vertex) -> Cow<'_, str> {
        let (names, place) = match vertex {
            Vertex::Host(place) => (&self.hosts.0, place),
            Vertex::Switch(place) => (&self.switches.0, place),
        };
        names.get_index(place as usize).map_or(Cow::Borrowed(""), |name| Cow::Borrowed(name.as_str()))
    }

    /// Reports a network without links or with fewer than two hosts, or hosts that are not connected.
    pub(super) fn check_machine(&mut self) {
        if self.links.is_empty() && self.is_right() {
            let format = self.format;
            self.complain_at(0..0, || {
                format!("no links in what looks like {format}, expected at least one: \"0 1\" a line")
            });
        }
        let hosts = self.host_count();
        if hosts < 2 && self.is_right() {
            self.complain_at(0..0, || format!("{}, expected at least 2", counted(hosts.into(), "host")));
        }
        if self.is_right() {
            let ends: Vec<[u32; 2]> =
                self.links.iter().map(|link| [self.number(link.from), self.number(link.to)]).collect();
            self.check_connected(&ends);
        }
    }

    /// The network, once all of the text has been read.
    ///
    /// # Errors
    ///
    /// All errors of the text.
    pub(super) fn finish(mut self) -> Result<Fabric, Diagnostics> {
        let (links, hosts) = (self.pairs(), self.host_count());
        if !self.is_right() {
            self.diagnostics.sort();
            return Err(self.diagnostics);
        }
        let nodes = hosts + self.switches.count();
        let all = self.hosts.0.into_iter().chain(self.switches.0);
        let names = if self.is_named { all.collect() } else { vec![] };
        let hosts = self.knows_hosts.then_some(hosts);
        // Slurm never says how many cables join two switches.
        let assumes_cables = self.format.starts_with("a Slurm topology");
        if self.counts_from_1 {
            self.notes.push(COUNTED_FROM_1.to_owned());
        }
        Ok(Fabric {
            format: self.format,
            names,
            nodes,
            hosts,
            links,
            paths: vec![],
            assumes_cables,
            notes: self.notes,
        })
    }

    /// The number of a node among hosts and switches.
    fn number(&self, vertex: Vertex) -> u32 {
        match vertex {
            Vertex::Host(place) => place,
            Vertex::Switch(place) => self.host_count() + place,
        }
    }

    /// The links of each pair of nodes, counted.
    fn pairs(&mut self) -> Vec<FabricLink> {
        let mut told: Vec<Told> = (0..)
            .zip(&self.links)
            .map(|(place, link)| {
                let [from, to] = [self.number(link.from), self.number(link.to)];
                Told { ends: (from.min(to), from.max(to)), is_back: from > to, place }
            })
            .collect();
        told.sort_unstable();
        let (mut links, mut one_way, mut both_ways) = (vec![], None, None);
        for pair in told.chunk_by(|one, other| one.ends == other.ends) {
            self.check_speeds(pair);
            let (first, last) = (pair[0].place, pair[pair.len() - 1].place);
            let count = match (self.pairs, self.counts(pair)) {
                (PairCount::Lines, [one, other]) => one.saturating_add(other),
                (PairCount::OneOrBothDirections, [count, 0] | [0, count]) => {
                    one_way = one_way.or(Some(first));
                    count
                }
                (PairCount::OneOrBothDirections, [one, other]) => {
                    both_ways = both_ways.or(Some(last));
                    if one != other {
                        self.complain_of(last, || format!("{one} links one way and {other} the other way between two nodes, expected as many each way, or one way only"));
                    }
                    one
                }
            };
            let directions = [false, true].map(|back| pair.iter().any(|link| link.is_back == back));
            let speed = self.links[first].speed;
            links.push(FabricLink { ends: pair[0].ends, directions, count, speed });
        }
        if let (Some(one_way), Some(both)) = (one_way, both_ways) {
            let message = "some links in both directions and others in one, expected every link once, or every link in both directions (directed = true: as listed)";
            self.complain_of(one_way.max(both), || message.to_owned());
        }
        links
    }

    /// Reports links of one pair of nodes that have different speeds.
    fn check_speeds(&mut self, pair: &[Told]) {
        let speed = self.links[pair[0].place].speed;
        if let Some(other) = pair.iter().find(|told| self.links[told.place].speed != speed) {
            let link = &self.links[other.place];
            let [one, two] = [link.from, link.to].map(|end| self.name(end).into_owned());
            self.complain_of(other.place, || {
                format!("links of different speed between {one} and {two}, expected equal ones side by side")
            });
        }
    }

    /// The number of links of a pair of nodes in each direction.
    fn counts(&self, pair: &[Told]) -> [u64; 2] {
        let mut counts = [0_u64; 2];
        for told in pair {
            let count = &mut counts[usize::from(told.is_back)];
            *count = count.saturating_add(self.links[told.place].count);
        }
        counts
    }

    /// Reports an error at the place of a link.
    fn complain_of(&mut self, link: usize, message: impl FnOnce() -> String) {
        let place = self.links[link].place.clone();
        self.complain_at(place, message);
    }

    /// Reports unconnected parts, if several have hosts.
    fn check_connected(&mut self, links: &[[u32; 2]]) {
        let (hosts, nodes) = (self.host_count(), self.host_count() as usize + self.switches.0.len());
        let mut part: Vec<u32> = (0..).take(nodes).collect(); // the lowest node known to be in the same part
        for link in links {
            let [one, other] = link.map(|end| lowest(&mut part, end));
            part[one.max(other) as usize] = one.min(other);
        }
        let part: Vec<u32> = (0..narrow(nodes as u64)).map(|node| lowest(&mut part, node)).collect();
        let with_hosts: BTreeSet<u32> = part.iter().take(hosts as usize).copied().collect();
        if with_hosts.len() < 2 {
            return;
        }
        let mut place = 0..0;
        let mut described = vec![];
        for &representative in with_hosts.iter().take(3) {
            let of = |node: u32| part[node as usize];
            let mut members = (0..hosts).filter(|&host| of(host) == representative);
            let first = members.next().unwrap_or(representative);
            let count = counted(1 + members.count() as u64, "host");
            let root = self.roots.iter().find(|(switch, _)| of(hosts + switch) == representative);
            let host = self.name(Vertex::Host(first));
            described.push(match root {
                Some((switch, at)) => {
                    place = at.clone();
                    format!("{} ({count} from {host})", self.name(Vertex::Switch(*switch)))
                }
                None => format!("the one of {host} ({count})"),
            });
        }
        let found = with_hosts.len();
        let more = if found > described.len() { ", .." } else { "" };
        self.complain_at(place, || {
            let all = described.join(" and ");
            format!("{found} fabrics without a link between them, expected a connected network: {all}{more}")
        });
    }
}

/// A link as it was read, ordered by its two nodes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    ends: (u32, u32), // ascending
    is_back: bool,    // from the second to the first
    place: usize,     // in the list of links
}

/// The lowest node known to be in the same part; `part` has a lower one for each, or the node itself.
pub(super) fn lowest(part: &mut [u32], mut node: u32) -> u32 {
    while part[node as usize] != node {
        part[node as usize] = part[part[node as usize] as usize];
        node = part[node as usize];
    }
    node
}
