//! The channels of the routes between nodes; each route is listed on first use.

use cubefold_topology::{Leg, LinkMode, LinkTime, Machine, NodeId, narrow};
use rustc_hash::FxHashMap;

use crate::{
    Communication,
    channels::{Channels, Transit},
};

/// The most steps kept at the start of a placement.
const MAX_KEPT: u64 = 1 << 20;

/// The most steps of one placement.
const MAX_STEPS: u64 = 1 << 22;

#[derive(Debug)]
pub(super) struct RouteLists<'a> {
    machine: &'a Machine,
    rules: Communication,
    channels: Channels,
    firsts: FxHashMap<[NodeId; 2], u32>, // by source and destination, the first step of the route
    steps: Vec<Step>,                    // of all routes, one after another
}

/// The most steps of the routes of `messages` messages among `processes` processes.
fn steps(machine: &Machine, processes: u64, messages: u64) -> u64 {
    messages.min(processes.saturating_mul(processes)).saturating_mul(machine.distance_bound())
}

/// A link of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The place of its channel, or under half-duplex of the link.
    pub(super) place: u32,
    /// The number of links from here on, including this one.
    pub(super) left: u32,
}

impl<'a> RouteLists<'a> {
    pub(super) fn new(machine: &'a Machine, rules: Communication) -> Self {
        let channels = Channels::new(machine);
        Self { machine, rules, channels, firsts: FxHashMap::default(), steps: vec![] }
    }

    /// Whether the routes of one placement can be kept.
    pub(super) fn can_keep(machine: &Machine, processes: u64, messages: u64) -> bool {
        steps(machine, processes, messages) <= MAX_STEPS && machine.channel_places() < u32::MAX.into()
    }

    /// Estimates the bytes for the routes of `messages` messages among `processes` processes.
    pub(super) fn bytes(machine: &Machine, processes: u64, messages: u64) -> u64 {
        let pairs = machine.node_count().saturating_mul(machine.node_count());
        let of_all = pairs.saturating_mul(machine.distance_bound());
        let steps = of_all.min(MAX_KEPT + steps(machine, processes, messages));
        // Lists grow to their double; a route has at least one step.
        2 * steps * (size_of::<Step>() + size_of::<([NodeId; 2], u32)>()) as u64
    }

    /// The number of places of channels, or of links.
    pub(super) fn places(&self) -> usize {
        if self.is_by_link() { self.channels.link_places() } else { self.channels.channel_places() }
    }

    /// The times of the channels or links by place if they differ, else empty.
    pub(super) fn times(&self) -> Vec<LinkTime> {
        let Some(times) = self.machine.link_times() else { return vec![] };
        let class = |place| match self.rules.links() {
            LinkMode::HalfDuplex => self.channels.class_of_link(place),
            LinkMode::FullDuplex | LinkMode::SingleDirection => {
                self.channels.class(&self.channels.transit_at(place))
            }
        };
        (0..self.places()).map(|place| times[class(place)]).collect()
    }

    fn is_by_link(&self) -> bool {
        self.rules.links() == LinkMode::HalfDuplex
    }

    /// Starts another placement. Listed routes may be dropped.
    pub(super) fn begin(&mut self) {
        if self.steps.len() as u64 > MAX_KEPT {
            self.firsts.clear();
            self.steps.clear();
        }
    }

    /// The first step of the route between two different nodes; `None` if there is no route.
    #[inline]
    pub(super) fn first(&mut self, ends: [NodeId; 2]) -> Option<u32> {
        if let Some(&first) = self.firsts.get(&ends) { Some(first) } else { self.list(ends) }
    }

    #[inline]
    pub(super) fn step(&self, step: u32) -> Step {
        self.steps[step as usize]
    }

    #[cold]
    fn list(&mut self, ends: [NodeId; 2]) -> Option<u32> {
        let ([source, destination], first) = (ends, self.steps.len());
        for channel in self.machine.route(source, destination, self.rules.tie()) {
            let transit = Transit::new(0, channel.node, Leg { direction: channel.direction, hops: 1 });
            let place = if self.is_by_link() {
                self.channels.link(&transit)
            } else {
                self.channels.channel(&transit)
            };
            self.steps.push(Step { place: narrow(place as u64), left: 0 });
        }
        if self.steps.len() == first {
            return None;
        }
        for (left, step) in (1..).zip(self.steps[first..].iter_mut().rev()) {
            step.left = left;
        }
        let first = narrow(first as u64);
        self.firsts.insert(ends, first);
        Some(first)
    }
}
