//! What is run, and what is measured of a process in a stage: plain data.
//!
//! `docs/model.md` sections 1, 2 and 5. A placement is a list of nodes, one a process; several
//! processes may be on the same node. The messages of a stage may be any set between different
//! processes.

use std::collections::{BTreeMap, BTreeSet};

use super::explicit_routes::Lists;
use super::grid::{Channel, Grid, Link};
use super::route::Tie;
use super::wires::Wires;

/// Which messages may move at the same time (`docs/model.md` section 1, link modes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Links {
    /// One message a channel.
    FullDuplex,
    /// One message a link, in either direction.
    HalfDuplex,
    /// One message a channel, and only channels of one dimension and direction in the whole machine.
    SingleDirection,
}

/// A program placed on a machine, and how the machine executes it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The machine; unused where there are wires.
    pub grid: Grid,
    /// The machine, where it is no grid.
    pub wires: Option<Wires>,
    /// Its link mode.
    pub links: Links,
    /// The way round where two are equally long.
    pub tie: Tie,
    /// `T_c`, what a message takes to cross a link \[cycles\], at least 1.
    pub hop_cycles: u64,
    /// `T_a`, what a process computes in a stage \[cycles\].
    pub compute_cycles: u64,
    /// Index of the node of each process; several processes may share a node.
    pub nodes: Vec<u64>,
    /// The stages that processes pass through without a computation.
    pub passes: BTreeSet<(usize, usize)>,
    /// The messages of each stage, from a source to a destination process; at least one stage.
    pub stages: Vec<Vec<(u32, u32)>>,
    /// The lists of channels that messages carry, where they do not take the routes of the machine.
    pub explicit: Option<Lists>,
}

/// What is measured of one process in one stage \[cycles\] (`docs/model.md` section 5).
///
/// For a process that receives no message `start` and `finish` are `ready`, and the rest is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Cycles for which the process waited for the processor of its node.
    pub sharing: u64,
    /// The cycle at which the computation ended.
    pub ready: u64,
    /// The cycle at which the message that it waits for was injected.
    pub start: u64,
    /// The cycle at which that message reached it.
    pub finish: u64,
    /// Idle until the partner is there.
    pub waiting: u64,
    /// What the message takes for its distance.
    pub transfer: u64,
    /// How long other messages held it up.
    pub blocked: u64,
}

impl Row {
    /// The row of a process that is ready at this cycle, shares its processor with none and receives
    /// no message.
    pub fn without_message(ready: u64) -> Self {
        Self { sharing: 0, ready, start: ready, finish: ready, waiting: 0, transfer: 0, blocked: 0 }
    }
}

/// One message of a problem. The order is that of the stage, the source and the destination, as in
/// the keys of `docs/model.md` section 5; the number only tells apart a message given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    /// The stage it belongs to.
    pub stage: usize,
    /// The process that sends it.
    pub source: usize,
    /// The process that receives it.
    pub destination: usize,
    /// Its place among all messages of the problem, as they are listed.
    pub number: usize,
}

impl Problem {
    /// Stages on a full-duplex mesh, process `n` on node `n`: `T_a = 0`, `T_c = 1`, ties go the direct way.
    pub fn on_mesh(lengths: &[u64], stages: &[&[(u32, u32)]]) -> Self {
        let grid = Grid { lengths: lengths.to_vec(), wraps: vec![false; lengths.len()] };
        Self {
            nodes: (0..grid.number_of_nodes()).collect(),
            grid,
            wires: None,
            links: Links::FullDuplex,
            tie: Tie::Direct,
            hop_cycles: 1,
            compute_cycles: 0,
            passes: BTreeSet::new(),
            stages: stages.iter().map(|messages| messages.to_vec()).collect(),
            explicit: None,
        }
    }

    /// Panics where the problem is not one of the model's.
    pub fn check(&self) {
        assert!(self.hop_cycles >= 1, "a message takes at least a cycle to cross a link");
        assert!(!self.stages.is_empty(), "a program has at least one stage");
        for message in self.messages() {
            assert_ne!(message.source, message.destination, "a message goes to another process");
        }
    }

    /// Every message, stage by stage in the order in which they are listed.
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        for (stage, pairs) in self.stages.iter().enumerate() {
            for &(source, destination) in pairs {
                let number = messages.len();
                messages.push(Message {
                    stage,
                    source: place(source),
                    destination: place(destination),
                    number,
                });
            }
        }
        messages
    }

    /// The node that a message leaves.
    pub fn source_node(&self, message: Message) -> u64 {
        self.nodes[message.source]
    }

    /// The node that a message is for.
    pub fn destination_node(&self, message: Message) -> u64 {
        self.nodes[message.destination]
    }

    /// Whether a message is between processes of one node.
    pub fn is_local(&self, message: Message) -> bool {
        self.source_node(message) == self.destination_node(message)
    }

    /// The most processes on one node, `L` in `docs/model.md` section 5.
    pub fn largest_load(&self) -> u64 {
        let mut load = BTreeMap::<u64, u64>::new();
        for node in &self.nodes {
            *load.entry(*node).or_default() += 1;
        }
        load.into_values().max().unwrap_or(0)
    }

    /// The list that a message carries.
    fn list(&self, message: Message) -> Option<&Vec<Channel>> {
        self.explicit.as_ref()?.get(&(message.stage, message.source, message.destination))
    }

    /// Links between the nodes of a message's processes, or of the list that it carries.
    pub fn distance(&self, message: Message) -> u64 {
        if let Some(list) = self.list(message) {
            return list.iter().map(|_| 1).sum();
        }
        let (from, to) = (self.source_node(message), self.destination_node(message));
        match &self.wires {
            Some(wires) => wires.distance(from, to),
            None => self.grid.distance(from, to),
        }
    }

    /// The channels that a message takes.
    pub fn route(&self, message: Message) -> Vec<Channel> {
        if let Some(list) = self.list(message) {
            return list.clone();
        }
        let (from, to) = (self.source_node(message), self.destination_node(message));
        match &self.wires {
            Some(wires) => {
                let name = [message.source, message.destination, message.stage, 0];
                wires.route(from, to, name.map(|own| own as u64))
            }
            None => self.grid.route(from, to, &self.tie),
        }
    }

    /// The channel of the same link in the other direction.
    pub fn opposite(&self, channel: Channel) -> Channel {
        match &self.wires {
            Some(wires) => wires.opposite(channel),
            None => self.grid.opposite(channel),
        }
    }

    /// The link that a channel is one direction of.
    pub fn link(&self, channel: Channel) -> Link {
        match &self.wires {
            Some(wires) => wires.link(channel),
            None => self.grid.link(channel),
        }
    }

    /// How long a process computes in a stage \[cycles\].
    pub fn computes(&self, stage: usize, process: usize) -> u64 {
        if self.passes.contains(&(stage, process)) { 0 } else { self.compute_cycles }
    }
}

/// The place of a process in a list of all processes.
fn place(process: u32) -> usize {
    usize::try_from(process).expect("a process number fits an index")
}

#[cfg(test)]
mod tests {
    use super::{Message, Problem};

    #[test]
    fn messages_are_ordered_by_stage_then_source_then_destination() {
        let problem =
            Problem { nodes: vec![2, 0, 1], ..Problem::on_mesh(&[3], &[&[(1, 2), (1, 0)], &[(0, 1)]]) };
        problem.check();
        let mut messages = problem.messages();
        messages.sort();
        let ends = messages.iter().map(|message| (message.stage, message.source, message.destination));
        assert_eq!(ends.collect::<Vec<_>>(), [(0, 1, 0), (0, 1, 2), (1, 0, 1)]);
        // process 1 is on node 0 and process 0 on node 2: two links
        let Message { number, .. } = messages[0];
        assert_eq!((number, problem.distance(messages[0]), problem.route(messages[0]).len()), (1, 2, 2));
    }
}
