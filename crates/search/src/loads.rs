//! The loads of all channels under an arrangement, kept up to date as processes move.

use cubefold_simulator::Communication;
use cubefold_topology::{Channel, Direction, LinkMode, Machine, NodeId, Sign};

use crate::traffic::Traffic;

/// For how long every channel, under half-duplex every link, is occupied by all messages \[cycles\].
#[derive(Debug)]
pub(crate) struct Loads<'a> {
    machine: &'a Machine,
    rules: Communication,
    firsts: Vec<usize>, // by node of a network, the place of its first channel
    by_link: bool,
    cycles: Vec<u64>, // by place: of a grid node and direction, of a network node and port
}

impl<'a> Loads<'a> {
    pub(crate) fn new(machine: &'a Machine, rules: Communication) -> Self {
        let by_link = rules.links() == LinkMode::HalfDuplex;
        let (mut firsts, mut places) =
            (vec![], machine.node_count().saturating_mul(2 * machine.axes().len() as u64));
        if machine.graph().is_some() {
            places = 0;
            for node in machine.nodes() {
                firsts.push(usize::try_from(places).unwrap_or(usize::MAX));
                places += machine.neighbours(node).count() as u64;
            }
        }
        let cycles = vec![0; usize::try_from(places).unwrap_or(usize::MAX)];
        Self { machine, rules, firsts, by_link, cycles }
    }

    /// Takes all messages away.
    pub(crate) fn clear(&mut self) {
        self.cycles.fill(0);
    }

    /// The place of a channel.
    #[inline]
    fn place(&self, channel: Channel) -> usize {
        let Channel { node, direction } = channel;
        match self.firsts.get(node.index() as usize) {
            Some(first) => first + direction.dimension.index(),
            None => node.index() as usize * 2 * self.machine.axes().len() + direction.index(),
        }
    }

    /// Adds the messages of a process with the processes of which `counts` holds.
    pub(crate) fn add(
        &mut self,
        traffic: &Traffic,
        process: u32,
        nodes: &[NodeId],
        counts: impl Fn(u32) -> bool,
    ) {
        self.change(traffic, process, nodes, counts, u64::wrapping_add);
    }

    /// Takes away all messages of a process.
    pub(crate) fn remove(&mut self, traffic: &Traffic, process: u32, nodes: &[NodeId]) {
        self.change(traffic, process, nodes, |_| true, u64::wrapping_sub);
    }

    fn change(
        &mut self,
        traffic: &Traffic,
        process: u32,
        nodes: &[NodeId],
        counts: impl Fn(u32) -> bool,
        by: fn(u64, u64) -> u64,
    ) {
        let node = nodes[process as usize];
        for flow in traffic.of(process).iter().filter(|flow| counts(flow.other)) {
            let other = nodes[flow.other as usize];
            self.route(node, other, flow.sent, by);
            self.route(other, node, flow.received, by);
        }
    }

    fn route(&mut self, from: NodeId, to: NodeId, units: u64, by: fn(u64, u64) -> u64) {
        if units == 0 || from == to {
            return;
        }
        for channel in self.machine.route(from, to, self.rules.tie()) {
            let channel = if self.by_link { self.near_channel(channel) } else { channel };
            let unit = match self.machine.link_times() {
                Some(times) => times[self.machine.link_class(channel)].unit,
                None => self.rules.hop().get(),
            };
            let cycles = units.wrapping_mul(unit);
            let place = self.place(channel);
            self.cycles[place] = by(self.cycles[place], cycles);
        }
    }

    /// The channel of the same link by which its near end sends.
    fn near_channel(&self, channel: Channel) -> Channel {
        let link = self.machine.link(channel);
        Channel { node: link.near, direction: Direction { dimension: link.dimension, sign: Sign::Positive } }
    }

    /// The largest load \[cycles\].
    pub(crate) fn largest(&self) -> u64 {
        self.cycles.iter().copied().max().unwrap_or(0)
    }

    /// How many channels have this load.
    pub(crate) fn count(&self, cycles: u64) -> usize {
        self.cycles.iter().filter(|&&load| load == cycles).count()
    }

    /// The number of channels.
    pub(crate) fn len(&self) -> usize {
        self.cycles.len()
    }
}
