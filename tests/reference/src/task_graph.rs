//! Task graphs: the model's section 18, step by step.
//!
//! As in [`stage_program`](super::stage_program) nothing is done cleverly: every cycle goes through all operations
//! until none can begin, queues and lists are sorted sets, and packets are moved link by link. Of the
//! other modules only the machine and its routes are used.

use std::collections::{BTreeMap, BTreeSet};

use super::grid::{Channel, Grid, Link, Sign};
use super::problem::Links;
use super::route::Tie;
use super::speeds::{Speed, Speeds, joins_after, transfer};
use super::stage_program::{Arbitration, Switching};
use super::wires::Wires;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Occupies a processor for so many cycles.
    Calc(u64),
    /// Sends so many units to a process under a tag.
    Send { to: usize, tag: u32, units: u64 },
    /// Receives from a process under a tag.
    Receive { from: usize, tag: u32 },
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOperation {
    /// Its process.
    pub process: usize,
    /// Its processor.
    pub processor: usize,
    /// What it does.
    pub task: Task,
    /// The operations that must be over.
    pub requires: Vec<usize>,
    /// The operations that must have begun.
    pub irequires: Vec<usize>,
}

/// A task graph placed on a machine.
#[derive(Clone, Debug)]
pub struct TaskProblem {
    /// The machine; unused where there are wires.
    pub grid: Grid,
    /// The machine, where it is no grid.
    pub wires: Option<Wires>,
    /// Its link mode.
    pub links: Links,
    /// The way round where two are equally long.
    pub tie: Tie,
    /// What a unit occupies a link for \[cycles\].
    pub hop_cycles: u64,
    /// What wire and router add \[cycles\].
    pub latency_cycles: u64,
    /// The links that have another `u` and `l`.
    pub speeds: Speeds,
    /// When a packet joins its next queue.
    pub switching: Switching,
    /// The most units of a packet.
    pub packet_units: Option<u64>,
    /// Which packet an idle channel takes.
    pub arbitration: Arbitration,
    /// What a message inside a node takes: once, and for each unit \[cycles\].
    pub local_cycles: (u64, u64),
    /// The largest size that is sent eagerly \[units\].
    pub eager_units: u64,
    /// What every send occupies its processor for \[cycles\].
    pub compute_cycles: u64,
    /// `o`: what every send and every receive besides occupies its processor for \[cycles\] (section 14).
    pub message_cost: u64,
    /// The channels of sends, by their places in the file, that do not take the routes of the machine.
    pub lists: BTreeMap<usize, Vec<Channel>>,
    /// The numbers of tags in the keys of queues; empty if they are the tags themselves.
    pub numbers_of_tags: Vec<u32>,
    /// The node of each process.
    pub nodes: Vec<u64>,
    /// The operations, in the order of the file.
    pub operations: Vec<TaskOperation>,
}

/// Why a graph does not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// Operations wait for one another.
    Cycle,
    /// This receive has begun, and no send is left for it.
    ReceiveWithoutSend(usize),
    /// This send has begun, and no receive is left for it.
    SendWithoutReceive(usize),
}

/// How a process spent its time \[cycles\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TaskRow {
    /// The cycle at which its last operation was over.
    pub finish: u64,
    /// While any of its processors was occupied.
    pub computing: u64,
    /// Before the message that ended a gap set out.
    pub waiting: u64,
    /// What that message takes.
    pub transfer: u64,
    /// Held up by other messages.
    pub blocked: u64,
}

/// What a task graph came to.
#[derive(Clone, Debug)]
pub struct TaskOutcome {
    /// By process.
    pub rows: Vec<TaskRow>,
    /// When each operation was over.
    pub over: Vec<u64>,
    /// The largest of these.
    pub makespan: u64,
    /// The most packets left in the queue of a channel at the end of a cycle.
    pub longest_queue: u64,
    /// Links crossed by packets.
    pub hops: u64,
    /// For how long links were occupied in all \[cycles\].
    pub busy_cycles: u64,
}

/// Runs a task graph (section 18).
///
/// # Errors
///
/// When it does not come to its end.
///
/// # Panics
///
/// Where a law of the model is broken, a fault of this module.
pub fn run_tasks(problem: &TaskProblem) -> Result<TaskOutcome, Stuck> {
    let run = to_the_end(problem);
    let rows = |run: &Run<'_>| (0..problem.nodes.len()).map(|process| run.row(process)).collect();
    run.outcome(rows)
}

/// Runs the operations, without an account of what the processes did: one that only waits for another one of its rank
/// has no message that ends its gap.
///
/// # Errors
///
/// When it does not come to its end.
pub fn run_operations(problem: &TaskProblem) -> Result<TaskOutcome, Stuck> {
    to_the_end(problem).outcome(|_| Vec::new())
}

fn to_the_end(problem: &TaskProblem) -> Run<'_> {
    let mut run = Run::new(problem);
    loop {
        run.events_happen();
        loop {
            while run.round_begins() {}
            if !run.processors_pick() {
                break;
            }
        }
        run.channels_pick();
        match run.events.keys().next() {
            Some(&next) => run.cycle = next,
            None => return run,
        }
    }
}

/// A packet: the send of its message, its number and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    send: usize,
    number: usize,
    units: u64,
    is_last: bool,
}

/// A packet in a queue, by its key: joined, tag, source, destination, send, packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    key: (u64, u32, usize, usize, usize, usize),
    packet: Packet,
    crossed: usize,
    input: usize,
}

enum Event {
    Joins { packet: Packet, crossed: usize },
    Received { send: usize },
    Computed { operation: usize },
    Free,
}

/// A message that ended an operation of a process: when, and what it is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    cycle: u64,
    start: u64,
    source: usize,
    tag: u32,
    send: usize,
    transfer: u64,
}

/// Source, destination and tag.
type Matching = (usize, usize, u32);

struct Run<'problem> {
    problem: &'problem TaskProblem,
    cycle: u64,
    events: BTreeMap<u64, Vec<Event>>,
    asked: BTreeSet<usize>,    // operations whose requirements have been met
    prepared: BTreeSet<usize>, // sends that have had their processor
    begun: BTreeSet<usize>,
    over: BTreeMap<usize, u64>,
    sends: BTreeMap<Matching, Vec<usize>>, // begun and unmatched, in the order in which they began
    receives: BTreeMap<Matching, Vec<usize>>,
    partners: BTreeMap<usize, usize>, // the receive of a send
    set_out: BTreeMap<usize, u64>,
    packets_left: BTreeMap<usize, usize>,
    there: BTreeSet<usize>,
    requests: BTreeMap<(usize, usize), BTreeSet<(u64, usize)>>, // of a processor: by cycle and place in the file
    busy: BTreeMap<(usize, usize), usize>,
    computations: Vec<Vec<(u64, u64)>>, // by process
    arrivals: Vec<Vec<Arrival>>,        // by process
    queues: BTreeMap<Channel, BTreeSet<Waiting>>,
    occupied: BTreeMap<Channel, u64>,
    under_way: u64,
    taken: BTreeMap<Channel, usize>,
    direction: Option<(usize, Sign)>,
    longest_queue: u64,
    hops: u64,
    busy_cycles: u64,
}

impl<'problem> Run<'problem> {
    fn new(problem: &'problem TaskProblem) -> Self {
        Self {
            problem,
            cycle: 0,
            events: BTreeMap::new(),
            asked: BTreeSet::new(),
            prepared: BTreeSet::new(),
            begun: BTreeSet::new(),
            over: BTreeMap::new(),
            sends: BTreeMap::new(),
            receives: BTreeMap::new(),
            partners: BTreeMap::new(),
            set_out: BTreeMap::new(),
            packets_left: BTreeMap::new(),
            there: BTreeSet::new(),
            requests: BTreeMap::new(),
            busy: BTreeMap::new(),
            computations: vec![Vec::new(); problem.nodes.len()],
            arrivals: vec![Vec::new(); problem.nodes.len()],
            queues: BTreeMap::new(),
            occupied: BTreeMap::new(),
            under_way: 0,
            taken: BTreeMap::new(),
            direction: None,
            longest_queue: 0,
            hops: 0,
            busy_cycles: 0,
        }
    }

    fn later(&mut self, cycle: u64, event: Event) {
        self.events.entry(cycle).or_default().push(event);
    }

    fn events_happen(&mut self) {
        for event in self.events.remove(&self.cycle).unwrap_or_default() {
            match event {
                Event::Joins { packet, crossed } => self.join(packet, crossed),
                Event::Received { send } => self.receive_packet(send),
                Event::Computed { operation } => {
                    let own = &self.problem.operations[operation];
                    self.busy.remove(&(own.process, own.processor));
                    match own.task {
                        Task::Calc(_) | Task::Receive { .. } => self.complete(operation),
                        Task::Send { .. } => {
                            self.prepared.insert(operation);
                        }
                    }
                }
                Event::Free => {}
            }
        }
    }

    /// All that can begin now begins, in the order of the file; whether anything could.
    fn round_begins(&mut self) -> bool {
        let can = |(number, own): &(usize, &TaskOperation)| {
            let is_prepared = self.prepared.contains(number) && !self.begun.contains(number);
            let is_free = !self.asked.contains(number)
                && own.requires.iter().all(|other| self.over.contains_key(other))
                && own.irequires.iter().all(|other| self.begun.contains(other));
            is_prepared || is_free
        };
        let round: Vec<usize> =
            self.problem.operations.iter().enumerate().filter(can).map(|own| own.0).collect();
        for &operation in &round {
            self.asked.insert(operation);
            let own = &self.problem.operations[operation];
            match own.task {
                Task::Calc(0) => {
                    self.begun.insert(operation);
                    self.complete(operation);
                }
                Task::Calc(_) => self.request(operation),
                Task::Send { .. } if self.cost_of_send() > 0 && !self.prepared.contains(&operation) => {
                    self.request(operation);
                }
                Task::Send { to, tag, units } => {
                    self.begun.insert(operation);
                    let matching = (own.process, to, tag);
                    let receive = take(&mut self.receives, matching);
                    match receive {
                        Some(receive) => {
                            self.partners.insert(operation, receive);
                        }
                        None => self.sends.entry(matching).or_default().push(operation),
                    }
                    if units <= self.problem.eager_units {
                        self.complete(operation);
                        self.set_out(operation);
                    } else if receive.is_some() {
                        self.set_out(operation);
                    }
                }
                Task::Receive { from, tag } => {
                    self.begun.insert(operation);
                    let matching = (from, own.process, tag);
                    match take(&mut self.sends, matching) {
                        None => self.receives.entry(matching).or_default().push(operation),
                        Some(send) => {
                            self.partners.insert(send, operation);
                            if self.there.contains(&send) {
                                self.end_receive(operation);
                            } else if !self.set_out.contains_key(&send) {
                                self.set_out(send);
                            }
                        }
                    }
                }
            }
        }
        !round.is_empty()
    }

    fn cost_of_send(&self) -> u64 {
        self.problem.compute_cycles + self.problem.message_cost
    }

    /// A receive that has begun, and whose message is there.
    fn end_receive(&mut self, receive: usize) {
        if self.problem.message_cost > 0 {
            self.request(receive);
        } else {
            self.complete(receive);
        }
    }

    fn request(&mut self, operation: usize) {
        let own = &self.problem.operations[operation];
        self.requests.entry((own.process, own.processor)).or_default().insert((self.cycle, operation));
    }

    fn processors_pick(&mut self) -> bool {
        let mut picked = false;
        for (processor, mut waiting) in std::mem::take(&mut self.requests) {
            if !self.busy.contains_key(&processor)
                && let Some((_, operation)) = waiting.pop_first()
            {
                picked = true;
                self.busy.insert(processor, operation);
                let length = match self.problem.operations[operation].task {
                    Task::Calc(cycles) => {
                        self.begun.insert(operation);
                        cycles
                    }
                    Task::Send { .. } => self.cost_of_send(),
                    Task::Receive { .. } => self.problem.message_cost,
                };
                self.computations[processor.0].push((self.cycle, self.cycle + length));
                self.later(self.cycle + length, Event::Computed { operation });
            }
            self.requests.insert(processor, waiting);
        }
        picked
    }

    fn complete(&mut self, operation: usize) {
        assert!(self.over.insert(operation, self.cycle).is_none(), "an operation is over once");
    }

    fn ends(&self, send: usize) -> (usize, usize, u32, u64) {
        let own = &self.problem.operations[send];
        match own.task {
            Task::Send { to, tag, units } => (own.process, to, tag, units),
            Task::Calc(_) | Task::Receive { .. } => panic!("operation {send} is no send"),
        }
    }

    fn route(&self, send: usize) -> Vec<Channel> {
        if let Some(list) = self.problem.lists.get(&send) {
            return list.clone();
        }
        let (source, destination, tag, _) = self.ends(send);
        let (from, to) = (self.problem.nodes[source], self.problem.nodes[destination]);
        let is_same = |&earlier: &usize| {
            matches!(self.problem.operations[earlier].task, Task::Send { .. }) && {
                let (one, other, its, _) = self.ends(earlier);
                (one, other, its) == (source, destination, tag)
            }
        };
        let before = (0..send).filter(is_same).count();
        match &self.problem.wires {
            Some(wires) => {
                wires.route(from, to, [source as u64, destination as u64, tag.into(), before as u64])
            }
            None => self.problem.grid.route(from, to, &self.problem.tie),
        }
    }

    /// `u` and `l` of a channel.
    fn speed(&self, channel: Channel) -> Speed {
        let problem = self.problem;
        let end = match &problem.wires {
            Some(wires) => wires.end(channel),
            None => problem.grid.end(channel),
        };
        let pair = (channel.node.min(end), channel.node.max(end));
        problem.speeds.get(&pair).copied().unwrap_or((problem.hop_cycles, problem.latency_cycles))
    }

    /// The time of a message with nothing in its way: section 13.2, or section 21.3.
    fn transfer(&self, send: usize) -> u64 {
        let (.., units) = self.ends(send);
        let problem = self.problem;
        let distance = self.route(send).len() as u64;
        if units == 0 {
            return 0; // section 23.5
        }
        if distance == 0 {
            return problem.local_cycles.0 + problem.local_cycles.1 * units;
        }
        if !problem.speeds.is_empty() {
            let route: Vec<Speed> = self.route(send).into_iter().map(|channel| self.speed(channel)).collect();
            return transfer(problem.switching, &route, units, problem.packet_units);
        }
        let grain = match problem.switching {
            Switching::CutThrough => 1,
            Switching::StoreAndForward => problem.packet_units.map_or(units, |most| most.min(units)),
        };
        distance * problem.latency_cycles
            + (distance - 1) * problem.hop_cycles * grain
            + problem.hop_cycles * units
    }

    fn packets(&self, send: usize) -> Vec<Packet> {
        let (.., units) = self.ends(send);
        let most = self.problem.packet_units.unwrap_or(units);
        let count = usize::try_from(units.div_ceil(most)).expect("few packets");
        let packet = |number: usize| Packet {
            send,
            number,
            units: most.min(units - most * number as u64),
            is_last: number + 1 == count,
        };
        (0..count).map(packet).collect()
    }

    fn set_out(&mut self, send: usize) {
        assert!(self.set_out.insert(send, self.cycle).is_none(), "a message sets out once");
        if self.route(send).is_empty() || self.ends(send).3 == 0 {
            self.packets_left.insert(send, 1);
            match self.transfer(send) {
                0 => self.receive_packet(send),
                transfer => self.later(self.cycle + transfer, Event::Received { send }),
            }
        } else {
            let packets = self.packets(send);
            self.packets_left.insert(send, packets.len());
            self.join(packets[0], 0);
        }
    }

    fn receive_packet(&mut self, send: usize) {
        let left = self.packets_left.get_mut(&send).expect("it has set out");
        *left -= 1;
        if *left > 0 {
            return;
        }
        self.there.insert(send);
        let (source, destination, tag, units) = self.ends(send);
        let arrival = Arrival {
            cycle: self.cycle,
            start: self.set_out[&send],
            source,
            tag,
            send,
            transfer: self.transfer(send),
        };
        if units > self.problem.eager_units {
            self.complete(send);
            self.arrivals[source].push(arrival);
        }
        if let Some(&receive) = self.partners.get(&send) {
            self.end_receive(receive);
            self.arrivals[destination].push(arrival);
        }
    }

    fn join(&mut self, packet: Packet, crossed: usize) {
        let route = self.route(packet.send);
        let (source, destination, tag, _) = self.ends(packet.send);
        let tag = self.problem.numbers_of_tags.get(tag as usize).copied().unwrap_or(tag);
        let key = (self.cycle, tag, source, destination, packet.send, packet.number);
        let input = crossed.checked_sub(1).map_or(0, |last| self.input(route[last]));
        let waiting = Waiting { key, packet, crossed, input };
        self.queues.entry(route[crossed]).or_default().insert(waiting);
    }

    fn input(&self, came_over: Channel) -> usize {
        match &self.problem.wires {
            Some(wires) => wires.input(came_over),
            None => 1 + 2 * came_over.dimension + usize::from(came_over.sign == Sign::Negative),
        }
    }

    fn inputs(&self) -> usize {
        match &self.problem.wires {
            Some(wires) => wires.inputs(),
            None => 1 + 2 * self.problem.grid.lengths.len(),
        }
    }

    fn link(&self, channel: Channel) -> Link {
        match &self.problem.wires {
            Some(wires) => wires.link(channel),
            None => self.problem.grid.link(channel),
        }
    }

    fn channels_pick(&mut self) {
        let following = match self.problem.links {
            Links::FullDuplex => self.pick_by_channel(None),
            Links::HalfDuplex => self.pick_by_link(),
            Links::SingleDirection => {
                self.turn();
                self.direction.map_or_else(Vec::new, |direction| self.pick_by_channel(Some(direction)))
            }
        };
        for packet in following {
            self.join(packet, 0);
        }
        let longest = self.queues.values().map(|queue| queue.len() as u64).max().unwrap_or(0);
        self.longest_queue = self.longest_queue.max(longest);
    }

    fn is_idle(&self, channel: Channel) -> bool {
        self.occupied.get(&channel).is_none_or(|&until| until <= self.cycle)
    }

    fn pick_by_channel(&mut self, direction: Option<(usize, Sign)>) -> Vec<Packet> {
        let channels: Vec<Channel> = self.queues.keys().copied().collect();
        let mut following = Vec::new();
        for channel in channels {
            let is_allowed = direction.is_none_or(|own| own == (channel.dimension, channel.sign));
            if is_allowed && self.is_idle(channel) {
                let waiting = self.next_of(channel);
                following.extend(self.transmit(channel, waiting));
            }
        }
        following
    }

    fn pick_by_link(&mut self) -> Vec<Packet> {
        let links: BTreeSet<Link> = self.queues.keys().map(|&channel| self.link(channel)).collect();
        let mut following = Vec::new();
        for link in links {
            let is_busy = self
                .occupied
                .iter()
                .any(|(&channel, &until)| until > self.cycle && self.link(channel) == link);
            if is_busy {
                continue;
            }
            let of_link = self.queues.iter().filter(|own| self.link(*own.0) == link);
            let first = of_link.filter_map(|(&channel, queue)| Some((*queue.first()?, channel))).min();
            let (waiting, channel) = first.expect("a channel of the link has a queue");
            following.extend(self.transmit(channel, waiting));
        }
        following
    }

    fn next_of(&mut self, channel: Channel) -> Waiting {
        let queue = &self.queues[&channel];
        if self.problem.arbitration == Arbitration::FirstCome {
            return *queue.first().expect("queues are not empty");
        }
        let inputs = self.inputs();
        let last = self.taken.get(&channel).copied().unwrap_or(inputs - 1);
        let in_turn = (1..=inputs).map(|step| (last + step) % inputs);
        let found = in_turn.filter_map(|input| queue.iter().find(|own| own.input == input)).next();
        let waiting = *found.expect("queues are not empty");
        self.taken.insert(channel, waiting.input);
        waiting
    }

    fn transmit(&mut self, channel: Channel, waiting: Waiting) -> Option<Packet> {
        let queue = self.queues.get_mut(&channel).expect("it is in the queue");
        assert!(queue.remove(&waiting));
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        let Waiting { packet, crossed, .. } = waiting;
        let (unit, latency) = self.speed(channel);
        let busy = unit * packet.units;
        let free = self.cycle + busy;
        let all_there = free + latency;
        self.occupied.insert(channel, free);
        self.under_way = self.under_way.max(all_there);
        self.hops += 1;
        self.busy_cycles += busy;
        let route = self.route(packet.send);
        if crossed + 1 == route.len() {
            self.later(all_there, Event::Received { send: packet.send });
        } else {
            let next = self.speed(route[crossed + 1]);
            let joins = self.cycle + joins_after(self.problem.switching, (unit, latency), next, packet.units);
            self.later(joins, Event::Joins { packet, crossed: crossed + 1 });
        }
        self.later(free, Event::Free);
        self.later(all_there, Event::Free);
        let follows = crossed == 0 && !packet.is_last;
        follows.then(|| self.packets(packet.send)[packet.number + 1])
    }

    fn turn(&mut self) {
        let waits = |direction: (usize, Sign)| {
            self.queues.keys().any(|channel| (channel.dimension, channel.sign) == direction)
        };
        let order: Vec<(usize, Sign)> = (0..self.problem.grid.lengths.len())
            .flat_map(|dimension| [(dimension, Sign::Positive), (dimension, Sign::Negative)])
            .collect();
        let begin = match self.direction {
            None => 0,
            Some(current) if self.under_way > self.cycle || waits(current) => return,
            Some(current) => 1 + order.iter().position(|&own| own == current).expect("one of them"),
        };
        let next = order.iter().cycle().skip(begin).take(order.len()).find(|&&direction| waits(direction));
        self.direction = next.copied().or(self.direction);
    }

    fn outcome(self, rows: impl Fn(&Self) -> Vec<TaskRow>) -> Result<TaskOutcome, Stuck> {
        if self.over.len() < self.problem.operations.len() {
            return Err(self.stuck());
        }
        assert!(self.queues.is_empty());
        let over: Vec<u64> = self.over.values().copied().collect();
        let makespan = over.iter().copied().max().unwrap_or(0);
        let rows = rows(&self);
        let Self { longest_queue, hops, busy_cycles, .. } = self;
        Ok(TaskOutcome { rows, over, makespan, longest_queue, hops, busy_cycles })
    }

    fn stuck(&self) -> Stuck {
        let operations = &self.problem.operations;
        let waits = |number: &usize| self.begun.contains(number) && !self.over.contains_key(number);
        let is_to_begin = |matching: Matching, wants_send: bool| {
            operations.iter().enumerate().any(|(number, own)| {
                let is = match own.task {
                    Task::Calc(_) => false,
                    Task::Send { to, tag, .. } => wants_send && (own.process, to, tag) == matching,
                    Task::Receive { from, tag } => !wants_send && (from, own.process, tag) == matching,
                };
                is && !self.begun.contains(&number)
            })
        };
        for number in (0..operations.len()).filter(waits) {
            if let Task::Receive { from, tag } = operations[number].task
                && !is_to_begin((from, operations[number].process, tag), true)
            {
                return Stuck::ReceiveWithoutSend(number);
            }
        }
        for number in (0..operations.len()).filter(waits) {
            if let Task::Send { to, tag, .. } = operations[number].task
                && !is_to_begin((operations[number].process, to, tag), false)
            {
                return Stuck::SendWithoutReceive(number);
            }
        }
        Stuck::Cycle
    }

    /// What a process did, cycle by cycle: it computed, or the next message that ended an operation was to come.
    fn row(&self, process: usize) -> TaskRow {
        let ends = self.over.iter().filter(|own| self.problem.operations[*own.0].process == process);
        let mut row = TaskRow { finish: ends.map(|own| *own.1).max().unwrap_or(0), ..TaskRow::default() };
        let computes =
            |cycle: u64| self.computations[process].iter().any(|own| own.0 <= cycle && cycle < own.1);
        let mut arrivals = self.arrivals[process].clone();
        arrivals.sort_unstable();
        let mut cycle = 0;
        while cycle < row.finish {
            if computes(cycle) {
                row.computing += 1;
                cycle += 1;
                continue;
            }
            let next = arrivals.iter().find(|arrival| arrival.cycle > cycle).expect("a message ends a gap");
            let begun = next.start.max(cycle);
            let transfer = next.transfer.min(next.cycle - begun);
            row.waiting += begun - cycle;
            row.transfer += transfer;
            row.blocked += next.cycle - begun - transfer;
            assert!((cycle..next.cycle).all(|gap| !computes(gap)), "a gap ends with a message");
            cycle = next.cycle;
        }
        assert_eq!(row.computing + row.waiting + row.transfer + row.blocked, row.finish);
        row
    }
}

/// Takes the first of a list.
fn take(lists: &mut BTreeMap<Matching, Vec<usize>>, matching: Matching) -> Option<usize> {
    let list = lists.get_mut(&matching)?;
    if list.is_empty() { None } else { Some(list.remove(0)) }
}
