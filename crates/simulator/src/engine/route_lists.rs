//! The channels of the routes between nodes, each route listed when it is asked for first.

use cubefold_topology::{Leg, LinkMode, LinkTime, Machine, NodeId, narrow};

use crate::{
    Communication,
    channels::{Channels, Transit},
};

/// The most steps that are kept when a placement begins: all of 512 nodes that are 8 links apart on average.
const MAX_STEPS: usize = 1 << 21;

/// A node, or a pair of nodes, that has not been asked for.
const UNKNOWN: u32 = u32::MAX;

/// The routes of a machine.
#[derive(Debug)]
pub(super) struct RouteLists<'a> {
    machine: &'a Machine,
    rules: Communication,
    channels: Channels,
    sites: Vec<u32>,       // by node, its number among the nodes that have been asked for
    firsts: Vec<Vec<u32>>, // by site and site, the first step of the route
    steps: Vec<Step>,      // of all routes, one after another
}

/// A link of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The place of its channel, or under half-duplex of the link.
    pub(super) place: u32,
    /// The links from here on, with this one.
    pub(super) left: u32,
}

impl<'a> RouteLists<'a> {
    /// No routes yet.
    pub(super) fn new(machine: &'a Machine, rules: Communication) -> Self {
        let sites = vec![UNKNOWN; usize::try_from(machine.node_count()).unwrap_or(usize::MAX)];
        let channels = Channels::new(machine);
        Self { machine, rules, channels, sites, firsts: vec![], steps: vec![] }
    }

    /// Estimates the bytes for the routes of `messages` messages between `nodes` nodes.
    pub(super) fn bytes(machine: &Machine, nodes: u64, messages: u64) -> u64 {
        let of_messages = messages.saturating_mul(machine.distance_bound());
        let steps = nodes.saturating_mul(nodes).saturating_mul(machine.distance_bound());
        // A list grows to its double.
        let steps = 2 * steps.min((MAX_STEPS as u64).saturating_add(of_messages));
        let pairs = nodes.saturating_mul(nodes).saturating_add(machine.node_count());
        steps.saturating_mul(size_of::<Step>() as u64).saturating_add(2 * pairs * size_of::<u32>() as u64)
    }

    /// The number of places of channels, or of links.
    pub(super) fn places(&self) -> usize {
        if self.is_by_link() { self.channels.link_places() } else { self.channels.channel_places() }
    }

    /// The times of the channels or links by place, if they differ; else none.
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

    /// Numbers the nodes of a placement, by process. Routes that were listed may be forgotten.
    pub(super) fn place(&mut self, nodes: &[NodeId], sites: &mut Vec<u32>) {
        if self.steps.len() > MAX_STEPS {
            self.steps.clear();
            self.firsts.iter_mut().for_each(|firsts| firsts.fill(UNKNOWN));
        }
        sites.clear();
        for node in nodes {
            let site = &mut self.sites[node.index() as usize];
            if *site == UNKNOWN {
                *site = narrow(self.firsts.len() as u64);
                self.firsts.push(vec![]);
            }
            sites.push(*site);
        }
    }

    /// The first step of the route between two different nodes, given their numbers.
    #[inline]
    pub(super) fn first(&mut self, [from, to]: [u32; 2], nodes: [NodeId; 2]) -> u32 {
        match self.firsts[from as usize].get(to as usize) {
            Some(&first) if first != UNKNOWN => first,
            Some(_) | None => self.list([from, to], nodes),
        }
    }

    /// A step of a route.
    #[inline]
    pub(super) fn step(&self, step: u32) -> Step {
        self.steps[step as usize]
    }

    #[cold]
    fn list(&mut self, [from, to]: [u32; 2], [source, destination]: [NodeId; 2]) -> u32 {
        let first = self.steps.len();
        for channel in self.machine.route(source, destination, self.rules.tie()) {
            let transit = Transit::new(0, channel.node, Leg { direction: channel.direction, hops: 1 });
            let place = if self.is_by_link() {
                self.channels.link(&transit)
            } else {
                self.channels.channel(&transit)
            };
            self.steps.push(Step { place: narrow(place as u64), left: 0 });
        }
        for (left, step) in (1..).zip(self.steps[first..].iter_mut().rev()) {
            step.left = left;
        }
        let first = narrow(first as u64);
        let firsts = &mut self.firsts[from as usize];
        if firsts.len() <= to as usize {
            firsts.resize(to as usize + 1, UNKNOWN);
        }
        firsts[to as usize] = first;
        first
    }
}
