//! The routers of a machine, cycle by cycle (`docs/model.md` section 26.2).
//!
//! All state is in flat arrays: of channels, of ports, of terminals. A router that can do nothing is asleep and costs
//! nothing: it wakes when a flit or credit arrives, when a head may request, and in the step after one in which it matched
//! anything. So idle stretches of time are skipped.
//!
//! With a speedup routers take several steps a cycle, and queues stand before the links (section 30.1); without one a step
//! is a cycle, and a flit that leaves a buffer enters its link at once.
//!
//! Invariant between cycles: a channel's credits, the flits in the buffer that they are for, the flits on the way there and
//! the credits on the way back are `B` together.

mod flits;
mod records;

use std::collections::VecDeque;

use cubefold_topology::{Machine, NodeId};

use super::{
    departures::Departures,
    in_flight::InFlight,
    injection::{Departure, Terminals},
    matching::{Matcher, Request},
    open_loop::RowRecorder,
    packet::{Candidate, Flit, Packet},
    routing::{AdaptiveChoice, AtRouter, PacketRoutes, SpentCredits},
    settings::{Allocator, RouterSettings, Routers},
    speedup::{Speedup, Step},
    wake_list::WakeList,
    wiring::{End, Wiring},
};
use crate::{Communication, slots::Slots};

pub(super) const NONE: u32 = u32::MAX;

/// The buffer of an input channel, and the resources that its packet holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct InputChannel {
    first: u16,             // place of its first flit
    pub(super) len: u16,    // flits
    pub(super) output: u32, // the output channel, among those of all ports; `NONE` unless active
    pub(super) accept: u32, // `a`, over the output channels of the router
}

/// The other side of an output channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputChannel {
    pub(super) credits: u16,
    pub(super) grant: u32, // `g`, over the input channels of the router
}

/// The input and the output of a port.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Port {
    pub(super) asking: u64,  // input channels that wait and whose cycle has come
    pub(super) sending: u64, // input channels that are active and have a flit
    pub(super) used: u64,    // output channels that a packet uses
    pub(super) channel: u32, // `h`, over the input channels
    pub(super) accept: u32,  // `a'`, over the output ports
    pub(super) grant: u32,   // `g'`, over the input ports
}

/// The rules that routers apply in every cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouterRules {
    pub(super) channels: u32, // `V`
    pub(super) buffer: u32,   // `B`
    pub(super) is_speculative: bool,
    pub(super) link_after: u64, // cycles from sending a flit to its entering the link
    pub(super) needs_room: bool, // whether a head needs credits for its packet, or for a whole buffer
    pub(super) adaptive_choice: AdaptiveChoice,
    pub(super) escape_channels: u32,
    pub(super) router_cycles: u32, // `R`
    pub(super) speedup: Speedup,
}

/// The routers and terminals of a machine.
#[derive(Debug)]
pub(crate) struct RouterNetwork<'run> {
    pub(super) wiring: Wiring,
    pub(super) routes: PacketRoutes<'run>,
    pub(super) rules: RouterRules,
    pub(super) inputs: Vec<InputChannel>,
    pub(super) outputs: Vec<OutputChannel>,
    pub(super) ports: Vec<Port>,
    buffers: Vec<Flit>,                         // by input channel
    pub(super) packets: Slots<Packet>,          // by number
    pub(super) candidates: Vec<Vec<Candidate>>, // by packet, if it has a list
    pub(crate) terminals: Terminals,
    pub(super) in_flight: InFlight,
    pub(super) starts: VecDeque<(Step, u32)>, // input channels whose heads may ask, and from when on
    pub(super) departures: Option<Departures>, // with a speedup
    pub(super) spent: Option<SpentCredits>,   // if routes depend on the credits of other routers
    awake: WakeList,                          // routers
    awake_terminals: WakeList,                // with something to send
    taken: Vec<u32>,                          // the ones of this cycle
    pub(super) scratch: Scratch,
    entered: Vec<u64>,                         // by message, when its first flit was injected
    pub(super) consumed: u64,                  // flits, by terminals
    pub(crate) crossings: u64,                 // links between routers that packets have crossed
    pub(super) use_of_ports: Option<Vec<u64>>, // flits that left by each, if they are counted
    use_of_terminals: Vec<u64>,                // flits that each has sent, if they are counted
    pub(super) recorder: Option<Box<RowRecorder>>, // of open-loop traffic, if rows are requested
    pub(super) now: u64,
}

/// Buffers of a router's cycle.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) asks: Vec<super::grant::Ask>,
    pub(super) requests: Vec<Request>,
    pub(super) switch_requests: Vec<Request>,
    pub(super) seen: Vec<u32>, // by output port, the number of the input port that was seen to ask for it
    pub(super) channels: Matcher,
    pub(super) switch: Matcher,
}

impl RouterRules {
    fn new(settings: &RouterSettings, routes: &PacketRoutes<'_>) -> Self {
        // With a speedup flits are sent from their output queues, the cycle before they enter the links.
        let link_after = if settings.speedup == Speedup::ONE { settings.router_cycles.min(2) } else { 1 };
        Self {
            channels: settings.virtual_channels,
            buffer: settings.buffer_units,
            is_speculative: settings.router_cycles <= 2,
            link_after: link_after.into(),
            needs_room: routes.rule.needs_room() || settings.flow_control.needs_room(),
            adaptive_choice: settings.routing.options().adaptive_choice,
            escape_channels: routes.rule.escape_channels(),
            router_cycles: settings.router_cycles,
            speedup: settings.speedup,
        }
    }
}

impl Scratch {
    /// Buffers for routers of up to `ports` ports with `channels` channels each.
    fn new(allocator: Allocator, channels: u32, ports: u32) -> Self {
        let all = ports as usize * channels as usize;
        Self {
            asks: vec![],
            requests: vec![],
            switch_requests: vec![],
            seen: vec![NONE; ports as usize],
            channels: Matcher::new(allocator, all),
            switch: Matcher::new(allocator, ports as usize),
        }
    }
}

/// The entry cycle of a message of which no flit was injected yet.
const NOT_ENTERED: u64 = u64::MAX;

/// Upper bounds of the number of routers of a machine and of their ports.
fn nodes_and_ports(machine: &Machine, routers: &Routers) -> (u64, u64) {
    let terminals = machine.numbered_hosts();
    let nodes = machine.node_count() - if routers.end_links > 0 { terminals } else { 0 };
    let ports = match machine.grid() {
        Some(grid) => nodes.saturating_mul(2 * grid.axes().len() as u64 + 1),
        None => machine.channel_places().saturating_add(nodes),
    };
    (nodes, ports)
}

impl<'run> RouterNetwork<'run> {
    /// The routers of a machine while nothing moves.
    pub(crate) fn new(machine: &'run Machine, communication: Communication, routers: &Routers) -> Self {
        let settings = &routers.settings;
        let wiring = Wiring::new(machine, settings.global_latency.is_some());
        let routes = PacketRoutes::new(machine, routers);
        let (channels, ports) = (settings.virtual_channels, wiring.port_count());
        let rules = RouterRules::new(settings, &routes);
        let spent = routes.rule.sees_all_routers().then(|| SpentCredits::new(ports));
        let all = ports * channels as usize;
        Self {
            rules,
            routes,
            inputs: vec![InputChannel { first: 0, len: 0, output: NONE, accept: 0 }; all],
            outputs: vec![OutputChannel { credits: small(settings.buffer_units), grant: 0 }; all],
            ports: vec![Port::default(); ports],
            buffers: vec![Flit::default(); all * settings.buffer_units as usize],
            packets: Slots::default(),
            candidates: vec![],
            terminals: Terminals::new(wiring.terminal_count(), settings, communication.packet()),
            in_flight: InFlight::new(communication.latency().get(), settings, rules.link_after),
            starts: VecDeque::new(),
            departures: (settings.speedup != Speedup::ONE)
                .then(|| Departures::new(settings.speedup, settings.router_cycles, ports)),
            spent,
            awake: WakeList::new(wiring.router_count()),
            awake_terminals: WakeList::new(wiring.terminal_count()),
            taken: vec![],
            scratch: Scratch::new(settings.allocator, channels, wiring.most_ports()),
            entered: vec![],
            consumed: 0,
            crossings: 0,
            use_of_ports: None,
            use_of_terminals: vec![],
            recorder: None,
            now: 0,
            wiring,
        }
    }

    /// Bytes for the routers of a machine with up to `messages` messages in injection queues at a time.
    pub(crate) fn bytes(machine: &Machine, routers: &Routers, messages: u64) -> u64 {
        let terminals = machine.numbered_hosts();
        let (nodes, ports) = nodes_and_ports(machine, routers);
        let settings = &routers.settings;
        let (channels, buffer) = (u64::from(settings.virtual_channels), u64::from(settings.buffer_units));
        let of_channel = (size_of::<InputChannel>() + size_of::<OutputChannel>()) as u64
            + buffer * size_of::<Flit>() as u64;
        let of_port = size_of::<Port>() as u64 + channels * of_channel;
        // Packets and flits on links: roughly one buffer's worth per port.
        let on_links = 64 * buffer.min(64);
        ports
            .saturating_mul(of_port + on_links)
            .saturating_add(Wiring::bytes(nodes, ports))
            .saturating_add(if settings.speedup == Speedup::ONE { 0 } else { Departures::bytes(ports) })
            .saturating_add(Terminals::bytes(terminals, channels, messages))
            .saturating_add(machine.bytes_of_routes())
    }

    /// A message joins the injection queue of its process in the present cycle; messages of one cycle and queue in their
    /// order.
    pub(crate) fn join(&mut self, departure: &Departure) {
        self.terminals.join(departure);
        self.awake_terminals.add(departure.from);
    }

    /// Phase 1: flits and credits due at `now` arrive. The messages of received packets are appended to `received`, an
    /// entry per packet.
    pub(crate) fn arrive(&mut self, now: u64, received: &mut Vec<u32>) {
        self.now = now;
        for line in 0..2 {
            while let Some(channel) = self.in_flight.credits[line].pop_due(now) {
                self.add_credit(channel);
            }
        }
        while let Some(channel) = self.in_flight.credits_of_terminals.pop_due(now) {
            self.add_credit(channel);
        }
        while let Some((terminal, channel)) = self.in_flight.credits_to_terminals.pop_due(now) {
            self.terminals.add_credit(terminal, channel);
            if self.terminals.has_queue(terminal) {
                self.awake_terminals.add(terminal);
            }
        }
        for line in 0..2 {
            while let Some((channel, flit)) = self.in_flight.to_routers[line].pop_due(now) {
                self.push(channel, flit, now);
            }
        }
        while let Some((channel, flit)) = self.in_flight.injected.pop_due(now) {
            self.push(channel, flit, now);
        }
        while let Some((terminal, channel, flit)) = self.in_flight.to_terminals.pop_due(now) {
            self.consume(terminal, channel, flit, now, received);
        }
    }

    /// Phases 3 to 6: terminals inject, and routers move flits.
    pub(crate) fn advance(&mut self, now: u64) {
        self.now = now;
        let mut awake = std::mem::take(&mut self.taken);
        self.awake_terminals.take(&mut awake);
        for &terminal in &awake {
            self.inject(terminal, now);
        }
        self.terminals.end_cycle();
        for step in self.rules.speedup.steps(now) {
            self.begin_asking(step);
            self.awake.take(&mut awake);
            for &router in &awake {
                if self.grant(router, step) {
                    self.awake.add(router);
                }
            }
        }
        self.taken = awake;
        self.leave_queues(now);
        if let Some(recorder) = &mut self.recorder {
            recorder.look_at_buffers(now, self.inputs.iter().map(|input| input.len.into()));
        }
    }

    /// The next cycle in which anything can happen; `None` if nothing moves.
    pub(crate) fn next(&self) -> Option<u64> {
        let has_queues = self.departures.as_ref().is_some_and(|departures| !departures.are_empty());
        if has_queues || !self.awake.is_empty() || !self.awake_terminals.is_empty() {
            return Some(self.now + 1);
        }
        let start = self.starts.front().map(|(step, _)| step.cycle);
        self.in_flight.next().into_iter().chain(start).min()
    }

    /// Whether no packet is in the network or in a queue.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.count() == 0 && self.terminals.are_empty()
    }

    /// The cycle at which the first flit of a message was injected.
    pub(crate) fn entered(&self, message: u32) -> u64 {
        self.entered.get(message as usize).copied().unwrap_or(0)
    }

    /// The same; `None` if it has not been injected since [`forget_entry`](Self::forget_entry).
    pub(super) fn entry(&self, message: u32) -> Option<u64> {
        self.entered.get(message as usize).copied().filter(|&cycle| cycle != NOT_ENTERED)
    }

    /// A number stands for another message from now on.
    pub(super) fn forget_entry(&mut self, message: u32) {
        if let Some(entered) = self.entered.get_mut(message as usize) {
            *entered = NOT_ENTERED;
        }
    }

    /// Forgets all messages, as at cycle 0.
    pub(crate) fn reset(&mut self) {
        self.inputs.fill(InputChannel { first: 0, len: 0, output: NONE, accept: 0 });
        self.outputs.fill(OutputChannel { credits: small(self.rules.buffer), grant: 0 });
        self.ports.fill(Port::default());
        self.packets.clear();
        self.candidates.clear();
        self.terminals.reset();
        self.in_flight.clear();
        self.starts.clear();
        self.departures.iter_mut().for_each(Departures::clear);
        self.spent.iter_mut().for_each(SpentCredits::clear);
        self.awake.clear();
        self.awake_terminals.clear();
        (self.consumed, self.crossings, self.now) = (0, 0, 0);
    }

    /// The head in a channel may request from a step on, no earlier than the previous head's.
    #[inline]
    pub(super) fn start(&mut self, from: Step, channel: u32) {
        debug_assert!(self.starts.back().is_none_or(|last| last.0 <= from), "in the order of their steps");
        self.starts.push_back((from, channel));
    }

    /// Lets the heads whose step has come request channels.
    fn begin_asking(&mut self, step: Step) {
        while let Some((_, channel)) = self.starts.pop_front_if(|(from, _)| *from <= step) {
            self.find_route(channel);
        }
    }

    /// The head in a channel may ask: its route is determined.
    fn find_route(&mut self, channel: u32) {
        let channels = self.rules.channels;
        let port = channel / channels;
        let router = self.wiring.router(port);
        self.ports[port as usize].asking |= 1 << (channel % channels);
        self.awake.add(router);
        let (first, _) = self.wiring.ports(router);
        let packet = self.front(channel).packet();
        let (outputs, spent, now) = (&self.outputs, &self.spent, self.now);
        let credits_of = |port: u32| -> u64 {
            let begin = (port * channels) as usize;
            outputs[begin..begin + channels as usize].iter().map(|output| u64::from(output.credits)).sum()
        };
        let credits = |port: u32| credits_of(first + port);
        let credits_before =
            |port: u32| credits_of(port) + spent.as_ref().map_or(0, |spent| spent.in_cycle(port, now));
        let is_injected = matches!(self.wiring.leads_to(port), End::Terminal(_));
        let at = AtRouter {
            router,
            came_in: (!is_injected).then_some(channel % channels),
            wiring: &self.wiring,
            credits: &credits,
            credits_before: &credits_before,
        };
        let place = packet as usize;
        if self.candidates.len() <= place {
            self.candidates.resize_with(place + 1, Vec::new);
        }
        let packet = &mut self.packets[packet];
        packet.route = self.routes.route(packet, &at, &mut self.candidates[place]);
    }

    /// The node at the other end of a port; `None` if it leads nowhere.
    pub(super) fn node_beyond(&self, port: u32) -> Option<NodeId> {
        match self.wiring.leads_to(port) {
            End::Nothing => None,
            End::Router(other) => Some(self.wiring.node(self.wiring.router(other))),
            End::Terminal(terminal) => Some(NodeId::new(terminal)),
        }
    }
}

/// Credits of a buffer, of at most 65535 flits.
pub(super) fn small(buffer_units: u32) -> u16 {
    u16::try_from(buffer_units).unwrap_or(u16::MAX)
}
