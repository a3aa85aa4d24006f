//! Stage programs on machines whose messages have sizes: the model's sections 13 to 15, step by step.
//!
//! As in [`asynchronous`](super::asynchronous) nothing is done cleverly, and nothing is shared with it but the
//! machine and its routes: a queue is a sorted set, a cycle is gone through until nothing more happens, and every
//! packet is moved link by link.

mod outcome;
mod prediction;
mod run;

use run::Run;

use super::{
    explicit_routes::Lists,
    grid::{Channel, Grid, Link},
    problem::Links,
    route::Tie,
    speeds::{Speed, Speeds, transfer},
    wires::Wires,
};

pub use outcome::{StageOutcome, StageRow, Transmission};
pub use prediction::predicted;

/// When a packet joins its next queue (section 13.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// When all of it is there.
    StoreAndForward,
    /// When its first unit is there.
    CutThrough,
}

/// Which packet an idle channel takes (section 13.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbitration {
    /// The one with the smallest key.
    FirstCome,
    /// That of the next input in turn.
    RoundRobin,
}

/// Ranks whose messages are in rotated order (section 5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The ranks of every group, in the order of their numbers in it; each is one process.
    pub groups: Vec<Vec<usize>>,
    /// `g`, the ranks of a node, which divides those of a group.
    pub per_node: usize,
}

impl Rotated {
    /// `x` and `y` of the key of a queue.
    fn turn(&self, source: usize, destination: usize) -> (usize, usize) {
        let group = self.groups.iter().find(|group| group.contains(&source)).expect("in a group");
        let place = |rank| group.iter().position(|&own| own == rank).expect("in the same group");
        let (s, d, g, p) = (place(source), place(destination), self.per_node, group.len());
        let nodes = p.div_ceil(g);
        ((d / g + nodes - s / g) % nodes, (d + p - s) % g)
    }
}

/// A message of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SizedMessage {
    /// The stage it belongs to.
    pub stage: usize,
    /// The process that sends it.
    pub source: usize,
    /// The process that receives it.
    pub destination: usize,
    /// Its size \[units\], at least 1.
    pub units: u64,
}

/// A stage program placed on a machine.
#[derive(Clone, Debug)]
pub struct StageProblem {
    /// The machine; unused where there are wires.
    pub grid: Grid,
    /// The machine, where it is no grid.
    pub wires: Option<Wires>,
    /// Its link mode.
    pub links: Links,
    /// The way round where two are equally long.
    pub tie: Tie,
    /// `u`: what a unit occupies a link for \[cycles\], at least 1.
    pub hop_cycles: u64,
    /// `l`: what wire and router add \[cycles\].
    pub latency_cycles: u64,
    /// The links that have another `u` and `l`.
    pub speeds: Speeds,
    /// When a packet joins its next queue.
    pub switching: Switching,
    /// `P`: the most units of a packet; none where messages go whole.
    pub packet_units: Option<u64>,
    /// Which packet an idle channel takes.
    pub arbitration: Arbitration,
    /// How many processes of a node compute at the same time, at least 1.
    pub processors_per_node: usize,
    /// What a message inside a node takes: once, and for each unit \[cycles\].
    pub local_cycles: (u64, u64),
    /// The largest size that is sent eagerly \[units\].
    pub eager_units: u64,
    /// The node of each process.
    pub nodes: Vec<u64>,
    /// `C_s(n)`: `computations[stage][process]` \[cycles\].
    pub computations: Vec<Vec<u64>>,
    /// The messages, in any order.
    pub messages: Vec<SizedMessage>,
    /// The ranks of messages in rotated order, in all stages.
    pub rotated: Option<Rotated>,
    /// `o`: the cycles for which the core of a process is busy with a message that it sends or receives.
    pub message_cost: u64,
    /// The lists of channels that messages carry, where they do not take the routes of the machine.
    pub explicit: Option<Lists>,
}

/// Runs a stage program (sections 13 to 15).
///
/// # Panics
///
/// Where the problem is not one of the model's, or where a law of the model is broken, a fault of this module.
pub fn run_stages(problem: &StageProblem) -> StageOutcome {
    problem.check();
    let mut run = Run::new(problem);
    loop {
        while run.something_happens() || run.processors_pick() {}
        run.channels_pick();
        if !run.advance() {
            return run.outcome();
        }
    }
}

impl StageProblem {
    fn check(&self) {
        assert!(self.hop_cycles >= 1 && self.processors_per_node >= 1);
        assert!(self.computations.iter().all(|stage| stage.len() == self.nodes.len()));
        let mut ends = std::collections::BTreeSet::new();
        for message in &self.messages {
            assert!(message.units >= 1 && message.source != message.destination);
            assert!(message.stage < self.computations.len());
            assert!(self.rotated.is_none() || self.turn(*message) != (0, 0));
            assert!(ends.insert((message.stage, message.source, message.destination)), "one message a pair");
        }
        assert!(self.arbitration == Arbitration::FirstCome || self.links == Links::FullDuplex);
    }

    /// The sizes of a message's packets \[units\], in order.
    fn packets(&self, units: u64) -> Vec<u64> {
        let Some(most) = self.packet_units else { return vec![units] };
        let mut sizes = Vec::new();
        let mut rest = units;
        while rest > 0 {
            sizes.push(rest.min(most));
            rest -= rest.min(most);
        }
        sizes
    }

    /// `x` and `y` of the key of a message in a queue.
    fn turn(&self, message: SizedMessage) -> (usize, usize) {
        self.rotated.as_ref().map_or((0, 0), |own| own.turn(message.source, message.destination))
    }

    /// The list that a message carries.
    fn list(&self, message: SizedMessage) -> Option<&Vec<Channel>> {
        self.explicit.as_ref()?.get(&(message.stage, message.source, message.destination))
    }

    /// Links between the nodes of a message, or of the list that it carries.
    fn distance(&self, message: SizedMessage) -> u64 {
        if let Some(list) = self.list(message) {
            return list.iter().map(|_| 1).sum();
        }
        let (from, to) = (self.nodes[message.source], self.nodes[message.destination]);
        match &self.wires {
            Some(wires) => wires.distance(from, to),
            None => self.grid.distance(from, to),
        }
    }

    /// What a message takes with nothing in its way \[cycles\]: the formula of section 13.2, or of section 21.3.
    pub fn transfer(&self, message: SizedMessage) -> u64 {
        let (distance, units) = (self.distance(message), message.units);
        if distance == 0 {
            return self.local_cycles.0 + self.local_cycles.1 * units;
        }
        if !self.speeds.is_empty() {
            let route: Vec<Speed> =
                self.route(message).into_iter().map(|channel| self.speed(channel)).collect();
            return transfer(self.switching, &route, units, self.packet_units);
        }
        let grain = match self.switching {
            Switching::CutThrough => 1,
            Switching::StoreAndForward => self.packet_units.map_or(units, |most| most.min(units)),
        };
        distance * self.latency_cycles + (distance - 1) * self.hop_cycles * grain + self.hop_cycles * units
    }

    /// Whether a message sets out without waiting for its destination (section 14).
    fn is_eager(&self, message: SizedMessage) -> bool {
        message.units <= self.eager_units
    }

    fn route(&self, message: SizedMessage) -> Vec<Channel> {
        if let Some(list) = self.list(message) {
            return list.clone();
        }
        let (from, to) = (self.nodes[message.source], self.nodes[message.destination]);
        match &self.wires {
            Some(wires) => {
                let name = [message.source, message.destination, message.stage, 0];
                wires.route(from, to, name.map(|own| own as u64))
            }
            None => self.grid.route(from, to, &self.tie),
        }
    }

    /// `u` and `l` of a channel.
    fn speed(&self, channel: Channel) -> Speed {
        let end = match &self.wires {
            Some(wires) => wires.end(channel),
            None => self.grid.end(channel),
        };
        let pair = (channel.node.min(end), channel.node.max(end));
        self.speeds.get(&pair).copied().unwrap_or((self.hop_cycles, self.latency_cycles))
    }

    fn opposite(&self, channel: Channel) -> Channel {
        match &self.wires {
            Some(wires) => wires.opposite(channel),
            None => self.grid.opposite(channel),
        }
    }

    fn link(&self, channel: Channel) -> Link {
        match &self.wires {
            Some(wires) => wires.link(channel),
            None => self.grid.link(channel),
        }
    }

    /// The number of the input by which a packet comes over a channel to the next node: 0 is the node itself.
    fn input(&self, came_over: Channel) -> usize {
        match &self.wires {
            Some(wires) => wires.input(came_over),
            None => 1 + 2 * came_over.dimension + usize::from(came_over.sign == super::grid::Sign::Negative),
        }
    }

    /// How many inputs a channel has, those that nothing comes by included.
    fn inputs(&self) -> usize {
        match &self.wires {
            Some(wires) => wires.inputs(),
            None => 1 + 2 * self.grid.lengths.len(),
        }
    }
}

#[cfg(test)]
mod tests;
