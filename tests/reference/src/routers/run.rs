//! A run, cycle by cycle: section 26.2.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::allocation::first_from;
use super::routing::{Candidates, Within, mix};
use super::table::{TableLine, table_lines};
use super::wiring::{End, Wiring};
use super::{RouterMachine, RouterProblem};

/// What is measured of every message, and of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterOutcome {
    /// Start, entry and receipt of every message.
    pub times: Vec<[u64; 3]>,
    /// The most packets of an injection queue.
    pub longest_queue: usize,
    /// Links between routers that packets have crossed.
    pub crossings: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Flit {
    pub(super) packet: usize,
    is_head: bool,
    is_tail: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Packet {
    message: usize,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) flits: u64,
    pub(super) key: u64,
    pub(super) leg: u64,
    pub(super) within: Within,
    /// Whether it came from a router through an escape channel.
    pub(super) escaped: bool,
    /// Links passed; between groups in a dragonfly.
    pub(super) links: u64,
    /// Once decided, the group by way of which it goes, if any.
    pub(super) group: Option<Option<u64>>,
    /// Once decided, the router by way of which it goes, or the place of its line in a table.
    pub(super) middle: Option<u64>,
    /// The router where it was injected.
    pub(super) first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Waiting { since: u64 }, // a step
    Active { port: usize, channel: usize },
}

pub(super) struct Input {
    pub(super) buffer: VecDeque<Flit>,
    pub(super) state: State,
    pub(super) candidates: Option<Candidates>,
    pub(super) pointer: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Output {
    pub(super) credits: u64,
    pub(super) used: bool,
    pub(super) pointer: usize,
}

pub(super) struct Router {
    pub(super) inputs: Vec<Vec<Input>>,
    pub(super) outputs: Vec<Vec<Output>>,
    pub(super) channel_pointers: Vec<usize>,          // h
    pub(super) input_pointers: Vec<usize>,            // a'
    pub(super) output_pointers: Vec<usize>,           // g'
    output_queues: Vec<VecDeque<(u64, usize, Flit)>>, // by port: the step in which it joins, channel, flit
    credit_queues: Vec<VecDeque<usize>>,              // by port: channels
}

struct Terminal {
    outputs: Vec<Output>,
    /// Flits of packets, by queue; a packet that is being sent has its channel.
    queues: BTreeMap<usize, VecDeque<VecDeque<Flit>>>,
    sending: BTreeMap<usize, usize>,
    last_queue: Option<usize>,
    next_channel: usize,
}

enum Event {
    ToRouter(u64, usize, usize, Flit),
    ToTerminal(u64, usize, Flit),
    CreditToRouter(u64, usize, usize),
    CreditToTerminal(u64, usize),
}

pub(super) struct Run<'problem> {
    pub(super) problem: &'problem RouterProblem,
    pub(super) wiring: Wiring,
    pub(super) cycle: u64,
    /// Of phases 4 to 6, numbered through (30.1).
    pub(super) step: u64,
    /// The credits of every port before phase 4 of the cycle.
    pub(super) credits_before: BTreeMap<(u64, usize), u64>,
    pub(super) table: Vec<TableLine>,
    pub(super) routers: BTreeMap<u64, Router>,
    pub(super) packets: Vec<Packet>,
    terminals: BTreeMap<u64, Terminal>,
    events: BTreeMap<u64, Vec<Event>>,
    times: Vec<[Option<u64>; 3]>,
    missing: Vec<usize>, // packets of each message
    longest_queue: usize,
    crossings: u64,
}

/// Runs until all messages are received; an error after `limit` cycles.
pub fn run_routers(problem: &RouterProblem, limit: u64) -> Result<RouterOutcome, String> {
    let mut run = Run::new(problem);
    while run.times.iter().any(|own| own[2].is_none()) {
        if run.cycle > limit {
            return Err(format!("not over after {limit} cycles"));
        }
        run.step();
        run.cycle += 1;
    }
    // The last credits come back.
    while !run.events.is_empty() || run.has_queues() {
        run.step();
        run.cycle += 1;
    }
    run.check_conservation();
    Ok(RouterOutcome {
        times: run.times.iter().map(|own| own.map(Option::unwrap)).collect(),
        longest_queue: run.longest_queue,
        crossings: run.crossings,
    })
}

impl<'problem> Run<'problem> {
    fn new(problem: &'problem RouterProblem) -> Self {
        let (wiring, v) = (Wiring::new(&problem.machine), problem.channels);
        let output = Output { credits: problem.buffer, used: false, pointer: 0 };
        let input = || Input { buffer: VecDeque::new(), state: State::Idle, candidates: None, pointer: 0 };
        let router = |ports: usize| Router {
            inputs: (0..ports).map(|_| (0..v).map(|_| input()).collect()).collect(),
            outputs: vec![vec![output; v]; ports],
            channel_pointers: vec![0; ports],
            input_pointers: vec![0; ports],
            output_pointers: vec![0; ports],
            output_queues: vec![VecDeque::new(); ports],
            credit_queues: vec![VecDeque::new(); ports],
        };
        let terminal = || Terminal {
            outputs: vec![output; v],
            queues: BTreeMap::new(),
            sending: BTreeMap::new(),
            last_queue: None,
            next_channel: 0,
        };
        Self {
            problem,
            cycle: 0,
            step: 0,
            credits_before: BTreeMap::new(),
            table: table_lines(&problem.table),
            routers: wiring.ports.iter().map(|(&node, ports)| (node, router(ports.len()))).collect(),
            packets: vec![],
            terminals: wiring.terminals.keys().map(|&node| (node, terminal())).collect(),
            events: BTreeMap::new(),
            times: vec![[None; 3]; problem.messages.len()],
            missing: vec![0; problem.messages.len()],
            longest_queue: 0,
            crossings: 0,
            wiring,
        }
    }

    fn at(&mut self, cycle: u64, event: Event) {
        self.events.entry(cycle).or_default().push(event);
    }

    fn step(&mut self) {
        self.step = self.first_step(self.cycle);
        self.arrivals();
        for message in 0..self.problem.messages.len() {
            self.set_out_if_it_can(message);
        }
        for terminal in self.wiring.terminals.clone().into_keys() {
            self.inject(terminal);
        }
        let queues = self.terminals.values().flat_map(|own| own.queues.values().map(VecDeque::len));
        self.longest_queue = queues.chain([self.longest_queue]).max().unwrap();
        let ports = |(&node, own): (&u64, &Router)| {
            let sum = |port: &Vec<Output>| port.iter().map(|own| own.credits).sum();
            own.outputs.iter().map(sum).enumerate().map(|(port, sum)| ((node, port), sum)).collect::<Vec<_>>()
        };
        self.credits_before = self.routers.iter().flat_map(ports).collect();
        while self.step < self.first_step(self.cycle + 1) {
            for node in self.wiring.ports.clone().into_keys() {
                self.grant(node);
            }
            self.step += 1;
        }
        for node in self.wiring.ports.clone().into_keys() {
            self.leave_queues(node);
        }
    }

    /// The number of the first step of a cycle.
    fn first_step(&self, cycle: u64) -> u64 {
        cycle * self.problem.speedup / 100
    }

    /// The cycle of a step.
    fn cycle_of(&self, step: u64) -> u64 {
        (self.cycle..).find(|&cycle| step < self.first_step(cycle + 1)).unwrap()
    }

    /// The step from which a head asks that is first in its buffer from step `x` on.
    fn asks_from(&self, x: u64) -> u64 {
        match self.problem.router_cycles.saturating_sub(3) {
            r @ 0..=1 => x + r,
            r => self.first_step(self.cycle_of(x) + r - 1) + 1,
        }
    }

    fn has_queues(&self) -> bool {
        let holds = |own: &Router| {
            own.output_queues.iter().any(|queue| !queue.is_empty())
                || own.credit_queues.iter().any(|queue| !queue.is_empty())
        };
        self.routers.values().any(holds)
    }

    /// The latency of the link between two routers.
    fn latency(&self, one: u64, other: u64) -> u64 {
        let RouterMachine::Dragonfly(p, a, h) = self.problem.machine else { return self.problem.latency };
        let group = |switch: u64| (switch - p * a * (a * h + 1)) / a;
        let is_global = group(one) != group(other);
        self.problem.global_latency.filter(|_| is_global).unwrap_or(self.problem.latency)
    }

    /// After the last step of a cycle the first flit and the first credit of every queue leave.
    fn leave_queues(&mut self, node: u64) {
        let (now, end) = (self.cycle, self.step);
        for port in 0..self.wiring.ports[&node].len() {
            let there = self.wiring.ports[&node][port];
            let router = self.routers.get_mut(&node).unwrap();
            let has_joined = router.output_queues[port].front().is_some_and(|own| own.0 < end);
            let flit = if has_joined { router.output_queues[port].pop_front() } else { None };
            let credit = router.credit_queues[port].pop_front();
            let c = self.problem.credit_cycles;
            let m = self.problem.terminal_latency;
            match there {
                End::Router(next, far) => {
                    let l = self.latency(node, next);
                    if let Some((_, lane, flit)) = flit {
                        self.at(now + 1 + l + 1, Event::ToRouter(next, far, lane, flit));
                    }
                    if let Some(channel) = credit {
                        self.at(now + c + l + 1, Event::CreditToRouter(next, far, channel));
                    }
                }
                End::Terminal(host) => {
                    if let Some((_, lane, flit)) = flit {
                        self.at(now + 1 + m + 1, Event::ToTerminal(host, lane, flit));
                    }
                    if let Some(channel) = credit {
                        self.at(now + c + m + 1, Event::CreditToTerminal(host, channel));
                    }
                }
                End::Nothing => assert!(flit.is_none() && credit.is_none()),
            }
        }
    }

    /// Phase 1.
    fn arrivals(&mut self) {
        let events = self.events.remove(&self.cycle).unwrap_or_default();
        for event in events {
            match event {
                Event::CreditToRouter(node, port, channel) => {
                    self.routers.get_mut(&node).unwrap().outputs[port][channel].credits += 1;
                }
                Event::CreditToTerminal(node, channel) => {
                    self.terminals.get_mut(&node).unwrap().outputs[channel].credits += 1;
                }
                Event::ToRouter(node, port, channel, flit) => {
                    let since = self.asks_from(self.step);
                    let input = &mut self.routers.get_mut(&node).unwrap().inputs[port][channel];
                    input.buffer.push_back(flit);
                    assert!(input.buffer.len() as u64 <= self.problem.buffer);
                    if input.state == State::Idle {
                        assert!(flit.is_head);
                        input.state = State::Waiting { since };
                        input.candidates = None;
                    }
                }
                Event::ToTerminal(node, channel, flit) => self.consume(node, channel, flit),
            }
        }
    }

    fn consume(&mut self, terminal: u64, channel: usize, flit: Flit) {
        let (router, port) = self.wiring.terminals[&terminal];
        let due = self.cycle + self.problem.credit_cycles + self.problem.terminal_latency + 1;
        self.at(due, Event::CreditToRouter(router, port, channel));
        if flit.is_tail {
            let message = self.packets[flit.packet].message;
            assert_eq!(self.problem.messages[message].destination, terminal);
            self.missing[message] -= 1;
            if self.missing[message] == 0 {
                self.times[message][2] = Some(self.cycle);
            }
        }
    }

    /// Phase 2.
    fn set_out_if_it_can(&mut self, number: usize) {
        let message = &self.problem.messages[number];
        let is_after = message.after.iter().all(|&other| self.times[other][2].is_some());
        if self.times[number][0].is_some() || !is_after || message.time > self.cycle {
            return;
        }
        self.times[number][0] = Some(self.cycle);
        let base = message.draws.iter().fold(mix(self.problem.seed), |key, number| mix(key ^ number));
        let mut left = message.units;
        let terminal = self.terminals.get_mut(&message.source).unwrap();
        for part in 0.. {
            let flits = left.min(self.problem.packet.unwrap_or(u64::MAX));
            let packet = self.packets.len();
            self.packets.push(Packet {
                message: number,
                from: message.source,
                to: message.destination,
                flits,
                key: mix(base ^ part),
                leg: 0,
                within: None,
                escaped: false,
                links: 0,
                group: None,
                middle: None,
                first: self.wiring.terminals[&message.source].0,
            });
            self.missing[number] += 1;
            let flit = |place: u64| Flit { packet, is_head: place == 0, is_tail: place + 1 == flits };
            terminal.queues.entry(message.queue).or_default().push_back((0..flits).map(flit).collect());
            left -= flits;
            if left == 0 {
                break;
            }
        }
    }

    /// Phase 3.
    fn inject(&mut self, node: u64) {
        let v = self.problem.channels;
        let packets = &self.packets;
        let terminal = self.terminals.get_mut(&node).unwrap();
        let queues: Vec<usize> = terminal.queues.keys().copied().collect();
        let after = |&&queue: &&usize| terminal.last_queue.is_some_and(|last| queue > last);
        let order: Vec<usize> =
            queues.iter().filter(after).chain(queues.iter().filter(|queue| !after(queue))).copied().collect();
        for queue in order {
            let Some(flits) = terminal.queues[&queue].front() else { continue };
            let channel = match terminal.sending.get(&queue) {
                Some(&channel) => Some(channel).filter(|&own| terminal.outputs[own].credits > 0),
                None => {
                    let need = if self.problem.is_cut_through { packets[flits[0].packet].flits } else { 1 };
                    let free: BTreeSet<usize> = (0..v)
                        .filter(|&own| !terminal.outputs[own].used && terminal.outputs[own].credits >= need)
                        .collect();
                    (!free.is_empty()).then(|| first_from(&free, terminal.next_channel))
                }
            };
            let Some(channel) = channel else { continue };
            let flits = terminal.queues.get_mut(&queue).unwrap().front_mut().unwrap();
            let flit = flits.pop_front().unwrap();
            let output = &mut terminal.outputs[channel];
            output.credits -= 1;
            output.used = !flit.is_tail;
            terminal.last_queue = Some(queue);
            if flit.is_head {
                terminal.next_channel = (channel + 1) % v;
                terminal.sending.insert(queue, channel);
                self.times[packets[flit.packet].message][1].get_or_insert(self.cycle);
            }
            if flit.is_tail {
                terminal.sending.remove(&queue);
                terminal.queues.get_mut(&queue).unwrap().pop_front();
            }
            let (router, port) = self.wiring.terminals[&node];
            let due = self.cycle + self.problem.terminal_latency + 2;
            self.at(due, Event::ToRouter(router, port, channel, flit));
            return;
        }
    }

    /// Phases 4 to 6 of a router.
    fn grant(&mut self, node: u64) {
        let (v, ports) = (self.problem.channels, self.wiring.ports[&node].len());
        let asked = self.asked(node);
        let channel_pairs = self.channel_pairs(node, &asked);
        let switch_pairs = self.switch_pairs(node, &asked);
        let escapes = self.escape_channels();
        let router = self.routers.get_mut(&node).unwrap();
        let mut granted = BTreeMap::new();
        for (input, output) in channel_pairs {
            let own = &mut router.inputs[input / v][input % v];
            own.pointer = (output + 1) % (ports * v);
            own.state = State::Active { port: output / v, channel: output % v };
            let packet = &mut self.packets[own.buffer[0].packet];
            packet.escaped = output % v < escapes;
            router.outputs[output / v][output % v].used = true;
            router.outputs[output / v][output % v].pointer = (input + 1) % (ports * v);
            granted.insert(input, output);
        }
        for (input, output, channel, is_speculative) in switch_pairs {
            let router = self.routers.get_mut(&node).unwrap();
            router.output_pointers[output] = (input + 1) % ports;
            router.input_pointers[input] = (output + 1) % ports;
            router.channel_pointers[input] = (channel + 1) % v;
            let succeeds = granted
                .get(&(input * v + channel))
                .is_some_and(|&own| own / v == output && router.outputs[own / v][own % v].credits > 0);
            if !is_speculative || succeeds {
                self.move_flit(node, input, channel);
            }
        }
    }

    fn escape_channels(&self) -> usize {
        match (&self.problem.machine, self.problem.rule) {
            (super::RouterMachine::Grid(grid), super::RouterRule::Adaptive(_)) => {
                1 + usize::from((0..grid.lengths.len()).any(|own| grid.wraps[own] && grid.lengths[own] > 2))
            }
            _ => 0,
        }
    }

    /// The first flit of an active channel leaves.
    fn move_flit(&mut self, node: u64, port: usize, channel: usize) {
        let (joins, since) = match self.problem.router_cycles {
            1 => (self.step, self.asks_from(self.step + 1)),
            _ => (self.step + 1, self.asks_from(self.step + 1)),
        };
        let router = self.routers.get_mut(&node).unwrap();
        let input = &mut router.inputs[port][channel];
        let State::Active { port: out, channel: lane } = input.state else { unreachable!("it is active") };
        let flit = input.buffer.pop_front().unwrap();
        router.outputs[out][lane].credits -= 1;
        if flit.is_tail {
            router.outputs[out][lane].used = false;
            input.candidates = None;
            input.state = match input.buffer.is_empty() {
                true => State::Idle,
                false => State::Waiting { since },
            };
        }
        router.output_queues[out].push_back((joins, lane, flit));
        router.credit_queues[port].push_back(channel);
        if let End::Router(..) = self.wiring.ports[&node][out] {
            self.crossings += u64::from(flit.is_head);
        }
    }

    /// Nothing is left, and every credit is back.
    fn check_conservation(&self) {
        let outputs = self.routers.values().flat_map(|own| own.outputs.iter().flatten());
        let of_terminals = self.terminals.values().flat_map(|own| own.outputs.iter());
        assert!(outputs.chain(of_terminals).all(|own| own.credits == self.problem.buffer && !own.used));
        let inputs = || self.routers.values().flat_map(|own| own.inputs.iter().flatten());
        assert!(inputs().all(|own| own.buffer.is_empty() && own.state == State::Idle));
    }
}
