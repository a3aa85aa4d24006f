//! What the network did in a run: messages, links crossed, queues, and the busy cycles of links.

use std::ops::AddAssign;

use cubefold_mapping::Placement;
use cubefold_topology::{Link, Machine, NodeId, TieRule, narrow};

use crate::{
    Communication, Cycles, Program,
    channels::{Channels, Transit},
};

/// Messages, links crossed and queues of a run.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// The number of messages.
    pub messages: u64,
    /// The number of links crossed by all messages.
    pub hops: u64,
    /// The most messages left in one channel's queue after the grants of a cycle; none in a
    /// coordinated run.
    pub longest_queue: Option<u32>,
    /// The parallel data movement steps and conflicts of each stage; none in an asynchronous run.
    pub routing: Option<Vec<StageRouting>>,
    /// The busy cycles of each link, where they were to be counted.
    pub link_use: Option<LinkUse>,
}

/// How the messages of one stage of a coordinated run were routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageRouting {
    /// Parallel data movement steps, summed over the movements.
    pub steps: u64,
    /// How often a message wanted a channel in a step and was not moved.
    pub conflicts: u64,
}

impl AddAssign for StageRouting {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.conflicts += other.conflicts;
    }
}

/// The busy cycles of every link of a run, both directions together.
#[derive(Debug, Clone)]
pub struct LinkUse {
    channels: Channels,
    units: Vec<u64>, // that crossed it, by the link's place
    hop: Cycles,     // the occupancy of a link by a unit
}

impl LinkUse {
    /// No transmissions yet over the links of `machine`.
    pub(crate) fn new(machine: &Machine, communication: Communication) -> Self {
        let channels = Channels::new(machine);
        let units = vec![0; channels.link_places()];
        Self { channels, units, hop: communication.hop() }
    }

    /// Counts the transmissions of a message of `units` units over `hops` links from `node` on in the
    /// direction with this index.
    pub(crate) fn count(&mut self, node: NodeId, direction: usize, hops: u64, units: u64) {
        let mut transit =
            Transit { message: 0, node: node.index(), hops: 1, direction: narrow(direction as u64) };
        for _ in 0..hops {
            self.units[self.channels.link(&transit)] += units;
            transit.node = self.channels.next(&transit);
        }
    }

    /// Counts the transmissions of all messages of a program by their routes, whenever they take
    /// place.
    pub(crate) fn count_routes<P: Program>(&mut self, program: &P, placement: &Placement, tie: TieRule) {
        let machine = placement.machine();
        for stage in 0..program.stage_count() {
            for (source, destination) in program.messages(stage) {
                let units = program.units(stage, source, destination);
                for channel in machine.route(placement.node(source), placement.node(destination), tie) {
                    self.count(channel.node, channel.direction.index(), 1, units);
                }
            }
        }
    }

    /// The links that were busy at all, by dimension and near end, with the cycles for which they
    /// were.
    pub fn busy_links(&self) -> impl Iterator<Item = (Link, Cycles)> {
        self.units
            .iter()
            .enumerate()
            .filter(|&(_, &units)| units > 0)
            .map(|(place, &units)| (self.channels.link_at(place), self.hop * units))
    }
}
