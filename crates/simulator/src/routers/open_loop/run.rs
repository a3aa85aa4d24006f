//! A run under open-loop traffic (`docs/model.md` sections 27.1, 27.3 and 30.4 to 30.8).
//!
//! Packets that wait at a terminal are kept as the cycles at which they were made: all else of them follows from that. One
//! of each terminal is in the injection queue of the routers. Replies, which follow from more, are kept whole.

use std::collections::VecDeque;

use cubefold_topology::{Machine, NodeId, narrow};

use super::{
    LatencySummary, OpenLoop, PacketKind, PacketRow, SeedOutcome,
    batches::{Window, ratio},
    latencies::{Latencies, Missing},
    pattern::Destinations,
    rows::{OpenLoopRows, WantedRows},
    source::{Made, Sources},
};
use crate::{
    Communication, Deadlock,
    routers::{channel_load::ChannelLoad, injection::Departure, network::RouterNetwork, settings::Routers},
};

/// A run with one seed.
#[derive(Debug)]
pub(super) struct Run<'run> {
    traffic: &'run OpenLoop,
    load: f64,
    network: RouterNetwork<'run>,
    sources: Sources<'run>,
    requests: Vec<VecDeque<u64>>,  // by terminal, when waiting ones were made
    replies: Vec<VecDeque<OnWay>>, // by terminal, waiting
    due: VecDeque<(u64, OnWay)>,   // when replies are to be made, with the packets that they answer
    on_way: Vec<Option<OnWay>>,    // by number of a message
    vacant: Vec<u32>,              // unused numbers
    made: u64,                     // flits, in all
    window: Window,
    measured: u64, // packets
    received: u64, // of them
    packet_latencies: Latencies,
    network_latencies: Latencies,
    round_trips: u64, // cycles
    wanted: WantedRows,
    packets: Vec<PacketRow>, // received ones
}

/// A packet in the injection queue of its terminal, or in the network; or a reply that waits at its terminal.
#[derive(Debug, Clone, Copy)]
struct OnWay {
    kind: PacketKind,
    made: u64,
    request_made: u64, // its own, or that of the request that it replies to
    from: NodeId,
    to: NodeId,
    units: u64,
}

impl<'run> Run<'run> {
    /// A run that measures nothing.
    pub(super) fn new(
        traffic: &'run OpenLoop,
        machine: &'run Machine,
        rules: Communication,
        routers: &Routers,
        load: f64,
    ) -> Self {
        let destinations = Destinations::new(&traffic.pattern, machine);
        machine.prepare_routes(&destinations.terminals);
        let sources = Sources::new(traffic, destinations, routers.settings.seed, load);
        let terminals = sources.terminals().len();
        Self {
            traffic,
            load,
            network: RouterNetwork::new(machine, rules, routers),
            sources,
            requests: vec![VecDeque::new(); terminals],
            replies: vec![VecDeque::new(); if traffic.reply.is_some() { terminals } else { 0 }],
            due: VecDeque::new(),
            on_way: vec![],
            vacant: vec![],
            made: 0,
            window: Window::default(),
            measured: 0,
            received: 0,
            packet_latencies: Latencies::default(),
            network_latencies: Latencies::default(),
            round_trips: 0,
            wanted: WantedRows::NONE,
            packets: vec![],
        }
    }

    /// The same with measured cycles after a warm-up, and these rows.
    pub(super) fn measuring(mut self, warmup: u64, wanted: WantedRows) -> Self {
        let window = Window::new(warmup, self.traffic.measure, self.traffic.batches);
        if wanted.is_any() {
            self.network.record_rows(wanted, [warmup, window.end()]);
        }
        Self { window, wanted, ..self }
    }

    /// The backlogs of a pilot run, added up over intervals.
    ///
    /// # Errors
    ///
    /// When packets wait for one another for ever.
    pub(super) fn backlogs(mut self, cycles: u64, interval: u64) -> Result<Vec<u128>, Deadlock> {
        let mut sums = vec![];
        for now in 0..cycles {
            self.step(now)?;
            if now.is_multiple_of(interval) {
                sums.push(0);
            }
            if let Some(sum) = sums.last_mut() {
                *sum += u128::from(self.backlog());
            }
        }
        Ok(sums)
    }

    /// Runs to the end.
    ///
    /// # Errors
    ///
    /// When packets wait for one another for ever.
    pub(super) fn run(
        mut self,
        channel_load: ChannelLoad,
        is_warmup_found: bool,
    ) -> Result<(SeedOutcome, OpenLoopRows), Deadlock> {
        let end = self.window.end();
        let mut now = 0;
        loop {
            self.step(now)?;
            let backlog = self.backlog();
            if let Some(batch) = self.window.at(now) {
                batch.backlog = batch.backlog.saturating_add(backlog);
            }
            let is_complete = self.received == self.measured;
            if now >= end && (is_complete || now == end + self.traffic.drain) {
                return Ok(self.outcome(now, channel_load, is_warmup_found));
            }
            now += 1;
        }
    }

    fn step(&mut self, now: u64) -> Result<(), Deadlock> {
        let consumed = self.network.consumed;
        let mut received = vec![];
        self.network.arrive(now, &mut received);
        let consumed = self.network.consumed - consumed;
        if let Some(batch) = self.window.at(now) {
            batch.consumed += consumed;
        }
        for message in received {
            self.receive(message, now);
        }
        self.make_replies(now);
        for terminal in 0..narrow(self.requests.len() as u64) {
            self.make(terminal, now);
        }
        self.network.advance(now);
        self.network.deadlock().map_or(Ok(()), Err)
    }

    /// The flits made and not yet consumed.
    fn backlog(&self) -> u64 {
        self.made - self.network.consumed
    }

    fn receive(&mut self, message: u32, now: u64) {
        let Some(packet) = self.on_way[message as usize].take() else { return };
        let entered = self.network.entered(message);
        if let Some(batch) = self.window.at(packet.request_made) {
            batch.received += 1;
            batch.latency_sum = batch.latency_sum.saturating_add(now - packet.made);
            self.received += 1;
            self.packet_latencies.add(now - packet.made);
            self.network_latencies.add(now - entered);
            if packet.kind == PacketKind::Reply {
                self.round_trips = self.round_trips.saturating_add(now - packet.request_made);
            }
        }
        if self.wanted.packets {
            let links = self.network.take_links(message);
            if self.window.contains(packet.request_made) {
                self.packets.push(packet.row(Some(entered), Some(now), links));
            }
        }
        self.vacant.push(message);
        if let (PacketKind::Request, Some(reply)) = (packet.kind, &self.traffic.reply) {
            self.due.push_back((now + reply.delay, packet));
        }
    }

    fn make_replies(&mut self, now: u64) {
        while let Some((_, request)) = self.due.pop_front_if(|(due, _)| *due <= now) {
            let Some(reply) = &self.traffic.reply else { continue };
            let (from, to, request_made) = (request.to, request.from, request.made);
            let units = self.sources.reply_units(reply, [now, from.index().into(), to.index().into()]);
            self.count_made(now, units);
            if let Some(batch) = self.window.at(request_made) {
                batch.packets += 1;
            }
            if let Ok(terminal) = self.sources.terminals().binary_search(&from) {
                let kind = PacketKind::Reply;
                self.replies[terminal].push_back(OnWay { kind, made: now, request_made, from, to, units });
            }
        }
    }

    fn count_made(&mut self, now: u64, units: u64) {
        self.made += units;
        if let Some(batch) = self.window.at(now) {
            batch.made += units;
        }
    }

    /// A terminal may make a packet; the first that waits joins its injection queue if that is empty.
    fn make(&mut self, terminal: u32, now: u64) {
        if let Some(made) = self.sources.make(terminal, now) {
            self.count_made(now, made.units);
            if let Some(batch) = self.window.at(now) {
                batch.packets += 1;
                self.measured += 1 + u64::from(self.traffic.reply.is_some());
            }
            self.requests[terminal as usize].push_back(now);
        }
        if self.traffic.reply.is_none() {
            let queue = self.sources.terminals()[terminal as usize].index();
            if !self.network.terminals.has_queue(queue) {
                self.send_request(terminal, queue);
            }
            return;
        }
        let [requests, replies] = [0, 1].map(|kind| 2 * terminal + kind);
        if self.network.terminals.is_queue_empty(requests) {
            self.send_request(terminal, requests);
        }
        if self.network.terminals.is_queue_empty(replies)
            && let Some(reply) = self.replies[terminal as usize].pop_front()
        {
            self.send(reply, replies);
        }
    }

    fn send_request(&mut self, terminal: u32, queue: u32) {
        let made = self.requests[terminal as usize].pop_front();
        if let Some(request) = made.and_then(|made| self.request(terminal, made)) {
            self.send(request, queue);
        }
    }

    /// The request that a terminal made in an earlier cycle.
    fn request(&self, terminal: u32, made: u64) -> Option<OnWay> {
        let Made { to, units } = self.sources.made_in(terminal, made)?;
        let from = self.sources.terminals()[terminal as usize];
        Some(OnWay { kind: PacketKind::Request, made, request_made: made, from, to, units })
    }

    /// A packet joins an injection queue.
    fn send(&mut self, packet: OnWay, queue: u32) {
        let message = self.vacant.pop().unwrap_or_else(|| {
            self.on_way.push(None);
            narrow(self.on_way.len() as u64 - 1)
        });
        self.on_way[message as usize] = Some(packet);
        self.network.forget_entry(message);
        let OnWay { made, from, to, units, .. } = packet;
        let (from, to) = (from.index(), to.index());
        let draws = [made, from.into(), to.into()];
        let first_packet = match packet.kind {
            PacketKind::Request => 0,
            PacketKind::Reply => 1,
        };
        self.network.join(&Departure { message, from, to, queue, units, draws, first_packet });
    }

    /// The results after the last cycle.
    fn outcome(
        mut self,
        cycles: u64,
        channel_load: ChannelLoad,
        is_warmup_found: bool,
    ) -> (SeedOutcome, OpenLoopRows) {
        let missing = self.missing(cycles);
        let mut rows = self.network.rows();
        if self.wanted.packets {
            rows.packets = self.packet_rows();
        }
        let places = u128::from(self.traffic.measure) * self.requests.len() as u128;
        let packet_latency = self.packet_latencies.summary(missing);
        let is_complete = missing.packets == 0;
        let of_network = self.network_latencies.summary(Missing::default());
        let [made_units, consumed_units] = self.window.units();
        let outcome = SeedOutcome {
            offered_load: ratio(made_units.into(), places),
            accepted_load: ratio(consumed_units.into(), places),
            measured_packets: self.measured,
            missing_packets: missing.packets,
            packet_latency,
            network_latency: if is_complete { of_network } else { LatencySummary::default() },
            latency_sum_at_least: self.packet_latencies.sum().saturating_add(missing.sum),
            round_trip_sum: is_complete.then_some(self.round_trips),
            made_units,
            consumed_units,
            trend: self.window.trend(),
            trend_critical: self.window.critical_trend(),
            saturated: self.window.verdict(
                self.load,
                &channel_load,
                missing,
                packet_latency.mean,
                self.traffic.latency_limit,
            ),
            cycles,
            warmup: self.window.end() - self.traffic.measure,
            is_warmup_found,
            latency_half_width: if is_complete { self.window.half_width() } else { None },
            batches: self.window.batches,
        };
        (outcome, rows)
    }

    /// The measured packets that are not received, each with the least that its latency can be.
    fn missing(&self, cycles: u64) -> Missing {
        let mut missing = Missing::default();
        // Of a request that is not received, the reply is not made either.
        let replies = u64::from(self.traffic.reply.is_some());
        let mut add = |kind: PacketKind, made: u64, request_made: u64| {
            if self.window.contains(request_made) {
                missing.add(1, cycles + 1 - made);
                missing.add(if kind == PacketKind::Request { replies } else { 0 }, 1);
            }
        };
        for &made in self.requests.iter().flatten() {
            add(PacketKind::Request, made, made);
        }
        for packet in self.replies.iter().flatten().chain(self.on_way.iter().flatten()) {
            add(packet.kind, packet.made, packet.request_made);
        }
        let not_made = self.due.iter().filter(|(_, request)| self.window.contains(request.made)).count();
        missing.add(not_made as u64, 1);
        missing
    }

    /// The rows of all measured packets that are made.
    fn packet_rows(&mut self) -> Vec<PacketRow> {
        let mut rows = std::mem::take(&mut self.packets);
        for message in 0..narrow(self.on_way.len() as u64) {
            if let Some(packet) = self.on_way[message as usize]
                && self.window.contains(packet.request_made)
            {
                let links = self.network.take_links(message);
                rows.push(packet.row(self.network.entry(message), None, links));
            }
        }
        let run = &*self;
        let requests = (0_u32..).zip(&run.requests).flat_map(|(terminal, waiting)| {
            waiting.iter().filter_map(move |&made| run.request(terminal, made))
        });
        let waiting = requests.chain(run.replies.iter().flatten().copied());
        let waiting = waiting.filter(|packet| run.window.contains(packet.request_made));
        rows.extend(waiting.map(|packet| packet.row(None, None, 0)));
        rows.sort_by_key(|row| (row.made, row.source, row.kind));
        rows
    }
}

impl OnWay {
    fn row(self, entered: Option<u64>, received: Option<u64>, links: u64) -> PacketRow {
        let Self { kind, made, from: source, to: destination, units, .. } = self;
        PacketRow { made, kind, source, destination, units, entered, received, links }
    }
}
