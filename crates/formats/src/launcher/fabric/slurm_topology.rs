//! Slurm's `topology.conf`, as a tree or in blocks, and the output of `scontrol show topology`.
//!
//! ```text
//! SwitchName=s0 Nodes=node[0-3]          BlockName=b1 Nodes=node[00-17]
//! SwitchName=s1 Nodes=node[4-7]          BlockName=b2 Nodes=node[18-35]
//! SwitchName=top Switches=s[0-1]         BlockSizes=18,36
//! ```
//!
//! `topology.conf`(5): keys in any case, `\` at the end of a line continues it, `#` starts a comment. A tree may have several
//! roots. Hosts are numbered in the order of the lines, then switches likewise. A block is a switch; the
//! greater block sizes are switches over as many blocks in a row, and one switch joins the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::{FabricReading, LinkSpeed, PlacedFormat, mapped_text::MappedText, reading::Vertex};
use crate::input::text::described;

pub(super) static FORMAT: PlacedFormat = PlacedFormat { name: "a Slurm topology", read };

pub(super) fn is_like(text: &str) -> bool {
    let starts = |line: &str| {
        let key = line.trim_start().split('=').next().unwrap_or_default().trim();
        KEYS.iter().any(|known| key.eq_ignore_ascii_case(known)) && line.contains('=')
    };
    text.lines().any(starts)
}

/// The keys that start a line.
const KEYS: [&str; 4] = ["switchname", "blockname", "blocksizes", "aggregatedblock"];

/// The keys of `topology.conf`(5) and of the output of `scontrol`.
const KNOWN: [&str; 10] = [
    "SwitchName",
    "Nodes",
    "Switches",
    "LinkSpeed",
    "Level",
    "BlockName",
    "BlockIndex",
    "BlockSize",
    "BlockSizes",
    "AggregatedBlock",
];

fn read(reading: &mut FabricReading<'_>) {
    let lines = MappedText::without_continuations(reading.text);
    let mut topology = Topology::default();
    for line in lines.text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        topology.add(&pairs(line).unwrap_or_default(), line);
    }
    topology.link(reading, &lines);
}

/// The keys of a line with their values, quoted or not, with or without blanks around `=`; `None` if the line has
/// anything else.
fn pairs(line: &str) -> Option<Vec<(&str, &str)>> {
    let (mut rest, mut pairs) = (line, vec![]);
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let after = after.trim_start();
        let (value, after) = if let Some(quoted) = after.strip_prefix('"') {
            quoted.split_once('"')?
        } else {
            let end = after.find(char::is_whitespace).unwrap_or(after.len());
            after.split_at(end)
        };
        if !is_key {
            return None;
        }
        pairs.push((key, value));
        rest = after.trim_start();
    }
    Some(pairs)
}

/// A switch or block, as its line describes it.
pub(super) struct Unit<'l> {
    pub(super) name: &'l str,
    /// A list of hosts.
    pub(super) nodes: &'l str,
    /// A list of switches below it.
    pub(super) below: &'l str,
    /// Whether the hosts are also listed by switches below.
    pub(super) repeats_hosts: bool,
    /// The speed of these links, in a site-specific unit.
    pub(super) link_speed: Option<u64>,
}

impl Unit<'_> {
    fn speed(&self) -> LinkSpeed {
        LinkSpeed { lanes: self.link_speed, ..LinkSpeed::default() }
    }
}

/// The contents of a topology before it is linked.
#[derive(Default)]
pub(super) struct Topology<'l> {
    pub(super) switches: Vec<Unit<'l>>,
    pub(super) blocks: Vec<Unit<'l>>,
    /// The sizes of blocks and of blocks of blocks, as words.
    pub(super) block_sizes: Vec<&'l str>,
    /// The sizes that scontrol prints for each block and each block of blocks; `None` if a block has none.
    printed_sizes: Option<BTreeMap<usize, &'l str>>,
    strange: Vec<&'l str>,
    /// Unknown keys of switches and blocks without hosts and switches.
    unknown: Vec<&'l str>,
}

impl<'l> Topology<'l> {
    fn add(&mut self, pairs: &[(&'l str, &'l str)], line: &'l str) {
        let value = |key: &str| {
            let found = pairs.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
            // scontrol prints this for empty lists.
            found.map(|&(_, value)| value).filter(|&value| value != "(null)")
        };
        let unit = |name| Unit {
            name,
            nodes: value("Nodes").unwrap_or_default(),
            below: value("Switches").unwrap_or_default(),
            repeats_hosts: value("Level").is_some_and(|level| level != "0"),
            link_speed: value("LinkSpeed").and_then(|speed| speed.parse().ok()).filter(|speed| *speed > 0),
        };
        if value("Nodes").or(value("Switches")).is_none() {
            let is_known = |key: &str| KNOWN.iter().any(|known| key.eq_ignore_ascii_case(known));
            self.unknown.extend(pairs.iter().map(|&(key, _)| key).filter(|key| !is_known(key)));
        }
        if value("BlockName").or(value("AggregatedBlock")).is_some() {
            let size = value("BlockSize").and_then(|word| Some((word.parse().ok()?, word)));
            if self.blocks.is_empty() {
                self.printed_sizes = size.map(|size| BTreeMap::from([size]));
            } else {
                self.printed_sizes.iter_mut().for_each(|sizes| sizes.extend(size));
            }
        }
        match (value("SwitchName"), value("BlockName"), value("BlockSizes")) {
            (Some(name), ..) if !name.is_empty() => self.switches.push(unit(name)),
            (_, Some(name), _) if !name.is_empty() => self.blocks.push(unit(name)),
            (.., Some(sizes)) => self.block_sizes = sizes.split(',').map(str::trim).collect(),
            // scontrol also prints blocks of blocks: they follow from the sizes.
            _ if value("AggregatedBlock").is_some() => {}
            _ => self.strange.push(line),
        }
    }

    /// Adds all hosts, switches and links.
    pub(super) fn link(&self, reading: &mut FabricReading<'_>, places: &MappedText<'_>) {
        for line in &self.strange {
            reading.complain_at(places.place(line), || {
                format!("line is {}, expected SwitchName=.. or BlockName=..", described(line))
            });
        }
        for key in &self.unknown {
            reading.complain_at(places.place(key), || {
                format!("unknown key {} of a line without Nodes and Switches", described(key))
            });
        }
        if let (Some(block), true) = (self.blocks.first(), !self.switches.is_empty()) {
            reading.complain_at(places.place(block.name), || {
                format!("block {} beside switches, expected one of the two", described(block.name))
            });
            return;
        }
        if self.blocks.is_empty() {
            self.link_tree(reading, places);
        } else {
            self.link_blocks(reading, places);
        }
    }

    fn link_tree(&self, reading: &mut FabricReading<'_>, places: &MappedText<'_>) {
        // Leaves come first, so that hosts are known when switches above repeat them.
        for leaf in self.switches.iter().filter(|switch| switch.below.is_empty() && !switch.repeats_hosts) {
            add_hosts(reading, places, leaf.nodes, Repeated::Wrong);
        }
        for above in self.switches.iter().filter(|switch| !switch.below.is_empty() || switch.repeats_hosts) {
            add_hosts(reading, places, above.nodes, Repeated::Known);
        }
        for unit in &self.switches {
            if let Some((_, false)) = reading.switch(unit.name, unit.name) {
                reading.complain_at(places.place(unit.name), || {
                    format!("switch {} a second time, expected every switch once", described(unit.name))
                });
            }
        }
        let mut linked = BTreeSet::new();
        for unit in &self.switches {
            let Some(switch) = reading.known_switch(unit.name) else { continue };
            for (name, part) in list(reading, places, unit.below, "switches") {
                match reading.known_switch(&name) {
                    Some(below) => {
                        linked.insert(below);
                        reading.link_at([below, switch], 1, unit.speed(), places.place(part));
                    }
                    None => reading.complain_at(places.place(part), || {
                        format!("switch {} has no line, expected one for every switch", described(&name))
                    }),
                }
            }
        }
        if !reading.is_right() {
            return;
        }
        // A host is on the lowest switch whose line lists it.
        let mut seated = BTreeSet::new();
        let leaves = |unit: &&Unit<'_>| unit.below.is_empty() && !unit.repeats_hosts;
        let order =
            self.switches.iter().filter(leaves).chain(self.switches.iter().filter(|switch| !leaves(switch)));
        for unit in order {
            let Some(switch) = reading.known_switch(unit.name) else { continue };
            for (name, part) in quiet_list(unit.nodes) {
                if let Some(host) = reading.known_host(&name)
                    && seated.insert(host)
                {
                    reading.link_at([host, switch], 1, unit.speed(), places.place(part));
                }
            }
        }
        for unit in &self.switches {
            if let Some(switch) = reading.known_switch(unit.name).filter(|switch| !linked.contains(switch)) {
                reading.root(switch, places.place(unit.name));
            }
        }
    }

    fn link_blocks(&self, reading: &mut FabricReading<'_>, places: &MappedText<'_>) {
        let mut level: Vec<(Vertex, String)> = vec![];
        for block in &self.blocks {
            let hosts = add_hosts(reading, places, block.nodes, Repeated::Wrong);
            let Some((switch, is_new)) = reading.switch(block.name, block.name) else { return };
            if !is_new {
                reading.complain_at(places.place(block.name), || {
                    format!("block {} a second time, expected every block once", described(block.name))
                });
            }
            for host in hosts {
                reading.link_at([host, switch], 1, LinkSpeed::default(), places.place(block.name));
            }
            level.push((switch, block.name.to_owned()));
        }
        let sizes = self.sizes(reading, places);
        let mut groups: Vec<usize> = sizes.windows(2).map(|two| two[1] / two[0]).collect();
        groups.push(usize::MAX); // one switch over the rest
        for together in groups {
            if level.len() < 2 {
                break;
            }
            let mut above = vec![];
            for blocks in level.chunks(together) {
                let (first, last) = (&blocks[0].1, &blocks[blocks.len() - 1].1);
                let end = last.rsplit("..").next().unwrap_or(last);
                let name = format!("{}..{end}", first.split("..").next().unwrap_or(first));
                if blocks.len() == 1 {
                    above.push(blocks[0].clone());
                    continue;
                }
                let Some((switch, _)) = reading.switch(&name, "") else { return };
                for (block, _) in blocks {
                    reading.link_at([*block, switch], 1, LinkSpeed::default(), 0..0);
                }
                above.push((switch, name));
            }
            level = above;
        }
    }

    /// The block sizes, ascending, each a multiple of the one before.
    fn sizes(&self, reading: &mut FabricReading<'_>, places: &MappedText<'_>) -> Vec<usize> {
        let mut sizes: Vec<usize> = vec![];
        let printed = self.printed_sizes.iter().flat_map(BTreeMap::values);
        let words =
            if self.block_sizes.is_empty() { printed.copied().collect() } else { self.block_sizes.clone() };
        for word in words {
            let size = word.parse().ok().filter(|&size: &usize| size > 0);
            let size =
                size.filter(|size| sizes.last().is_none_or(|last| size > last && size.is_multiple_of(*last)));
            match size {
                Some(size) => sizes.push(size),
                None => reading.complain_at(places.place(word), || {
                    format!(
                        "block size {}, expected numbers each of which is a multiple of the one before",
                        described(word)
                    )
                }),
            }
        }
        sizes
    }
}

/// Whether known hosts may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeated {
    Wrong,
    Known,
}

/// Adds the hosts of a list, and returns the new ones.
fn add_hosts(
    reading: &mut FabricReading<'_>,
    places: &MappedText<'_>,
    nodes: &str,
    repeated: Repeated,
) -> Vec<Vertex> {
    let mut added = vec![];
    for (name, part) in list(reading, places, nodes, "nodes") {
        match reading.host(&name, "") {
            Some((host, true)) => added.push(host),
            Some((_, false)) if repeated == Repeated::Wrong => {
                reading.complain_at(places.place(part), || {
                    format!("host {} a second time, expected every host once", described(&name))
                });
            }
            Some((_, false)) => {}
            None => return added,
        }
    }
    added
}

/// The names of a list, with their parts; reports errors.
fn list<'p>(
    reading: &mut FabricReading<'_>,
    places: &MappedText<'_>,
    list: &'p str,
    what: &str,
) -> Vec<(String, &'p str)> {
    if list.is_empty() {
        return vec![];
    }
    reading.names_at(list, what, |part| places.place(part))
}

/// The names of a list whose errors have been reported.
fn quiet_list(list: &str) -> impl Iterator<Item = (String, &str)> {
    use crate::launcher::host_names::{expanded, parts};
    let names = |part: &str| expanded(part.trim()).unwrap_or_default();
    parts(list).flat_map(move |part| names(part).into_iter().map(move |name| (name, part)))
}
