//! The state of a run, and what happens in a cycle.

use std::collections::{BTreeMap, BTreeSet};

use super::super::grid::{Channel, Link, Sign};
use super::super::problem::Links;
use super::super::speeds::joins_after;
use super::{Arbitration, SizedMessage, StageOutcome, StageProblem, StageRow, Transmission};

/// A stage and a process.
type Pair = (usize, usize);

/// The key of a message, without the cycle: stage, turn, source, destination.
type Key = (usize, (usize, usize), usize, usize);

/// What a core does for a message (section 14): the cycle at which it may begin, whether it is a receive, the key and
/// number of the message.
type Task = (u64, bool, Key, usize);

/// A message on its way.
struct Travel {
    message: SizedMessage,
    route: Vec<Channel>, // empty inside a node
    packets: Vec<u64>,   // sizes [units]
    sent: bool,          // whether its source has spent its cost
    set_out: Option<u64>,
    there: Option<u64>, // all of it
    packets_received: usize,
    received: Option<u64>, // and its cost spent
}

/// A packet: the number of its message, and its own within that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    travel: usize,
    number: usize,
}

/// A packet in a queue; ordered by the key of section 13.2, the rest tells nothing apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    key: (u64, Key, usize), // joined, of the message, packet
    packet: Packet,
    crossed: usize, // channels of its route behind it
    input: usize,
}

/// What happens at a cycle to come.
enum Event {
    /// A packet joins the queue of its next channel.
    Joins { packet: Packet, crossed: usize },
    /// All of a packet is at its destination.
    Received(Packet),
    /// A computation ends.
    Computed(Pair),
    /// A core of this process ends what it did for a message.
    Served(usize, Task),
    /// Nothing but that a channel is free again, or that nothing is under way.
    Free,
}

/// The state of a run at a cycle.
pub(super) struct Run<'problem> {
    problem: &'problem StageProblem,
    cycle: u64,
    travels: Vec<Travel>,
    events: BTreeMap<u64, Vec<Event>>,
    queues: BTreeMap<Channel, BTreeSet<Waiting>>,
    /// Until when a channel transmits, or under half-duplex either channel of its link.
    occupied: BTreeMap<Channel, u64>,
    /// Until when anything that was transmitted is under way.
    under_way: u64,
    /// The input that a channel took from last.
    taken: BTreeMap<Channel, usize>,
    /// The dimension and direction of a machine with single-direction links.
    direction: Option<(usize, Sign)>,
    /// The processes at the begin of a stage, which have not been picked: by node, cycle and process.
    candidates: BTreeSet<(u64, u64, usize, usize)>,
    computing: BTreeMap<u64, usize>,
    /// What each process has to do for messages.
    tasks: BTreeMap<usize, BTreeSet<Task>>,
    /// Processes that compute, do something for a message, or have asked for a processor.
    occupied_processes: BTreeSet<usize>,
    begins: Vec<Pair>,
    newly_ready: Vec<Pair>,
    ready: BTreeMap<Pair, u64>,
    sharing: BTreeMap<Pair, u64>,
    finished: BTreeMap<Pair, u64>,
    longest_queue: u64,
    hops: u64,
    busy_cycles: BTreeMap<Link, u64>,
    transmissions: Vec<Transmission>,
}

impl<'problem> Run<'problem> {
    pub(super) fn new(problem: &'problem StageProblem) -> Self {
        let travel = |&message: &SizedMessage| Travel {
            message,
            route: problem.route(message),
            packets: problem.packets(message.units),
            sent: false,
            set_out: None,
            there: None,
            packets_received: 0,
            received: None,
        };
        Self {
            problem,
            cycle: 0,
            travels: problem.messages.iter().map(travel).collect(),
            events: BTreeMap::new(),
            queues: BTreeMap::new(),
            occupied: BTreeMap::new(),
            under_way: 0,
            taken: BTreeMap::new(),
            direction: None,
            candidates: BTreeSet::new(),
            computing: BTreeMap::new(),
            tasks: BTreeMap::new(),
            occupied_processes: BTreeSet::new(),
            begins: (0..problem.nodes.len()).map(|process| (0, process)).collect(),
            newly_ready: Vec::new(),
            ready: BTreeMap::new(),
            sharing: BTreeMap::new(),
            finished: BTreeMap::new(),
            longest_queue: 0,
            hops: 0,
            busy_cycles: BTreeMap::new(),
            transmissions: Vec::new(),
        }
    }

    /// Lets all that is due happen once; whether anything did.
    pub(super) fn something_happens(&mut self) -> bool {
        let events = self.events.remove(&self.cycle).unwrap_or_default();
        let begins = std::mem::take(&mut self.begins);
        let happened = !events.is_empty() || !begins.is_empty();
        for event in events {
            match event {
                Event::Joins { packet, crossed } => self.join(packet, crossed),
                Event::Received(packet) => self.receive(packet),
                Event::Computed(pair) => {
                    *self.computing.get_mut(&self.problem.nodes[pair.1]).expect("it computed") -= 1;
                    self.occupied_processes.remove(&pair.1);
                    self.become_ready(pair);
                }
                Event::Served(process, task) => self.served(process, task),
                Event::Free => {}
            }
        }
        for (stage, process) in begins {
            if stage == self.problem.computations.len() {
                continue;
            }
            if self.problem.computations[stage][process] == 0 {
                self.become_ready((stage, process));
            } else {
                self.candidates.insert((self.problem.nodes[process], self.cycle, process, stage));
                self.occupied_processes.insert(process);
            }
        }
        let newly_ready = std::mem::take(&mut self.newly_ready);
        let anybody = !newly_ready.is_empty();
        for pair in newly_ready {
            self.add_tasks(pair);
            self.set_out_what_can(pair);
            self.finish_if_over(pair);
        }
        happened || anybody
    }

    /// The key of a message, without the cycle.
    fn key(&self, number: usize) -> Key {
        let message = self.travels[number].message;
        (message.stage, self.problem.turn(message), message.source, message.destination)
    }

    /// What a process that is ready in a stage has to do for its messages: sends, and receives of what is there.
    fn add_tasks(&mut self, (stage, process): Pair) {
        if self.problem.message_cost == 0 {
            return;
        }
        for number in 0..self.travels.len() {
            let (message, is_there) = (self.travels[number].message, self.travels[number].there.is_some());
            if message.stage != stage {
                continue;
            }
            let key = self.key(number);
            if message.source == process {
                self.tasks.entry(process).or_default().insert((self.cycle, false, key, number));
            } else if message.destination == process && is_there {
                self.tasks.entry(process).or_default().insert((self.cycle, true, key, number));
            }
        }
    }

    /// Idle processes with something to do for a message ask for a processor.
    fn ask(&mut self) {
        for (&process, tasks) in &self.tasks {
            if !tasks.is_empty() && self.occupied_processes.insert(process) {
                let stage = tasks.first().expect("it has one").2.0;
                self.candidates.insert((self.problem.nodes[process], self.cycle, process, stage));
            }
        }
    }

    /// A core has done something for a message.
    fn served(&mut self, process: usize, (_, is_receive, _, number): Task) {
        *self.computing.get_mut(&self.problem.nodes[process]).expect("it served") -= 1;
        self.occupied_processes.remove(&process);
        let message = self.travels[number].message;
        if is_receive {
            self.travels[number].received = Some(self.cycle);
            self.finish_if_over((message.stage, process));
        } else {
            self.travels[number].sent = true;
            self.set_out_what_can((message.stage, process));
            self.finish_if_over((message.stage, process));
        }
    }

    /// Lets free processors begin; whether any did.
    pub(super) fn processors_pick(&mut self) -> bool {
        self.ask();
        let mut picked = false;
        for (node, since, process, stage) in self.candidates.clone() {
            let computing = self.computing.entry(node).or_default();
            if *computing == self.problem.processors_per_node {
                continue;
            }
            *computing += 1;
            self.candidates.remove(&(node, since, process, stage));
            picked = true;
            if let Some(task) = self.tasks.entry(process).or_default().pop_first() {
                let end = self.cycle + self.problem.message_cost;
                self.events.entry(end).or_default().push(Event::Served(process, task));
                continue;
            }
            self.sharing.insert((stage, process), self.cycle - since);
            let end = self.cycle + self.problem.computations[stage][process];
            self.events.entry(end).or_default().push(Event::Computed((stage, process)));
        }
        picked
    }

    fn become_ready(&mut self, pair: Pair) {
        assert!(self.ready.insert(pair, self.cycle).is_none());
        self.newly_ready.push(pair);
    }

    /// The messages that can set out now that a process is ready in a stage.
    fn set_out_what_can(&mut self, (stage, process): Pair) {
        for number in 0..self.travels.len() {
            let message = self.travels[number].message;
            if message.stage != stage || self.travels[number].set_out.is_some() {
                continue;
            }
            if self.problem.message_cost > 0 && !self.travels[number].sent {
                continue;
            }
            let is_ready = |process| self.ready.contains_key(&(stage, process));
            let sets_out = if self.problem.is_eager(message) {
                message.source == process
            } else {
                (message.source == process || message.destination == process)
                    && is_ready(message.source)
                    && is_ready(message.destination)
            };
            if sets_out {
                self.set_out(number);
            }
        }
    }

    fn set_out(&mut self, number: usize) {
        let travel = &mut self.travels[number];
        travel.set_out = Some(self.cycle);
        if travel.route.is_empty() {
            let arrival = self.cycle + self.problem.transfer(travel.message);
            // All of it at once: inside a node there are no packets.
            travel.packets = vec![travel.message.units];
            let whole = Packet { travel: number, number: 0 };
            self.events.entry(arrival).or_default().push(Event::Received(whole));
        } else {
            self.join(Packet { travel: number, number: 0 }, 0);
        }
    }

    fn join(&mut self, packet: Packet, crossed: usize) {
        let route = &self.travels[packet.travel].route;
        let key = (self.cycle, self.key(packet.travel), packet.number);
        let input = crossed.checked_sub(1).map_or(0, |last| self.problem.input(route[last]));
        let waiting = Waiting { key, packet, crossed, input };
        self.queues.entry(route[crossed]).or_default().insert(waiting);
    }

    fn receive(&mut self, packet: Packet) {
        let travel = &mut self.travels[packet.travel];
        travel.packets_received += 1;
        if travel.packets_received == travel.packets.len() {
            travel.there = Some(self.cycle);
            let pair = (travel.message.stage, travel.message.destination);
            if self.problem.message_cost == 0 {
                self.travels[packet.travel].received = Some(self.cycle);
                self.finish_if_over(pair);
            } else if self.ready.contains_key(&pair) {
                let task = (self.cycle, true, self.key(packet.travel), packet.travel);
                self.tasks.entry(pair.1).or_default().insert(task);
            }
        }
    }

    /// Ends a stage for a process that is ready and has received all that is for it.
    fn finish_if_over(&mut self, pair: Pair) {
        let over = self.ready.contains_key(&pair)
            && self.messages_for(pair).all(|travel| travel.received.is_some())
            && (self.problem.message_cost == 0 || self.messages_of(pair).all(|travel| travel.sent))
            && !self.finished.contains_key(&pair);
        if over {
            self.finished.insert(pair, self.cycle);
            self.begins.push((pair.0 + 1, pair.1));
        }
    }

    fn messages_for(&self, (stage, process): Pair) -> impl Iterator<Item = &Travel> {
        let is_for =
            move |travel: &&Travel| travel.message.stage == stage && travel.message.destination == process;
        self.travels.iter().filter(is_for)
    }

    fn messages_of(&self, (stage, process): Pair) -> impl Iterator<Item = &Travel> {
        let is_of = move |travel: &&Travel| travel.message.stage == stage && travel.message.source == process;
        self.travels.iter().filter(is_of)
    }

    /// Lets idle channels transmit, then lets the packets that follow join, and measures the queues.
    pub(super) fn channels_pick(&mut self) {
        let following = match self.problem.links {
            Links::FullDuplex => self.pick_by_channel(None),
            Links::HalfDuplex => self.pick_by_link(),
            Links::SingleDirection => {
                self.turn();
                match self.direction {
                    Some(direction) => self.pick_by_channel(Some(direction)),
                    None => Vec::new(),
                }
            }
        };
        for packet in following {
            self.join(packet, 0);
        }
        let lengths = self.queues.values().map(|queue| queue.len() as u64);
        self.longest_queue = self.longest_queue.max(lengths.max().unwrap_or(0));
    }

    fn is_idle(&self, channel: Channel) -> bool {
        self.occupied.get(&channel).is_none_or(|&until| until <= self.cycle)
    }

    fn pick_by_channel(&mut self, direction: Option<(usize, Sign)>) -> Vec<Packet> {
        let channels: Vec<Channel> = self.queues.keys().copied().collect();
        let mut following = Vec::new();
        for channel in channels {
            let allowed = direction.is_none_or(|own| own == (channel.dimension, channel.sign));
            if allowed && self.is_idle(channel) {
                let waiting = self.next_of(channel);
                following.extend(self.transmit(channel, waiting));
            }
        }
        following
    }

    /// Of both channels of an idle link, the packet with the smallest key.
    fn pick_by_link(&mut self) -> Vec<Packet> {
        let links: BTreeSet<Link> = self.queues.keys().map(|&channel| self.problem.link(channel)).collect();
        let mut following = Vec::new();
        for link in links {
            let channels: Vec<Channel> =
                self.queues.keys().copied().filter(|&channel| self.problem.link(channel) == link).collect();
            let idle =
                |channel: Channel| self.is_idle(channel) && self.is_idle(self.problem.opposite(channel));
            if !channels.iter().all(|&channel| idle(channel)) {
                continue;
            }
            let first = channels.iter().map(|&channel| (self.queues[&channel].first().copied(), channel));
            let (waiting, channel) = first.min().expect("a channel of the link has a queue");
            following.extend(self.transmit(channel, waiting.expect("queues are not empty")));
        }
        following
    }

    /// What a channel takes from its queue (section 13.3).
    fn next_of(&mut self, channel: Channel) -> Waiting {
        let queue = &self.queues[&channel];
        match self.problem.arbitration {
            Arbitration::FirstCome => *queue.first().expect("queues are not empty"),
            Arbitration::RoundRobin => {
                let inputs = self.problem.inputs();
                let last = self.taken.get(&channel).copied().unwrap_or(inputs - 1);
                let mut input = (last + 1) % inputs;
                loop {
                    if let Some(&waiting) = queue.iter().find(|waiting| waiting.input == input) {
                        self.taken.insert(channel, input);
                        return waiting;
                    }
                    input = (input + 1) % inputs;
                }
            }
        }
    }

    /// Transmits a packet; gives the one that follows it, where it leaves its first queue.
    fn transmit(&mut self, channel: Channel, waiting: Waiting) -> Option<Packet> {
        let queue = self.queues.get_mut(&channel).expect("it is in the queue");
        assert!(queue.remove(&waiting));
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        let Waiting { key: (joined, ..), packet, crossed, .. } = waiting;
        let travel = &self.travels[packet.travel];
        let units = travel.packets[packet.number];
        let (unit, latency) = self.problem.speed(channel);
        let free = self.cycle + unit * units;
        let all_there = free + latency;
        self.occupied.insert(channel, free);
        let SizedMessage { stage, source, destination, .. } = travel.message;
        self.transmissions.push(Transmission {
            message: (stage, source, destination),
            packet: packet.number,
            channel,
            joined,
            begin: self.cycle,
            end: free,
        });
        self.under_way = self.under_way.max(all_there);
        self.hops += 1;
        *self.busy_cycles.entry(self.problem.link(channel)).or_default() += unit * units;
        let (when, event) = if crossed + 1 == travel.route.len() {
            (all_there, Event::Received(packet))
        } else {
            let next = self.problem.speed(travel.route[crossed + 1]);
            let joins = self.cycle + joins_after(self.problem.switching, (unit, latency), next, units);
            (joins, Event::Joins { packet, crossed: crossed + 1 })
        };
        let follows = crossed == 0 && packet.number + 1 < travel.packets.len();
        self.events.entry(when).or_default().push(event);
        self.events.entry(free).or_default().push(Event::Free);
        self.events.entry(all_there).or_default().push(Event::Free);
        follows.then_some(Packet { number: packet.number + 1, ..packet })
    }

    /// Changes the direction of a machine with single-direction links, where it may and something waits elsewhere.
    fn turn(&mut self) {
        let waits = |direction: (usize, Sign)| {
            self.queues.keys().any(|channel| (channel.dimension, channel.sign) == direction)
        };
        let order: Vec<(usize, Sign)> = (0..self.problem.grid.lengths.len())
            .flat_map(|dimension| [(dimension, Sign::Positive), (dimension, Sign::Negative)])
            .collect();
        match self.direction {
            None => self.direction = order.iter().copied().find(|&direction| waits(direction)),
            Some(current) => {
                if self.under_way > self.cycle || waits(current) {
                    return;
                }
                let place = order.iter().position(|&direction| direction == current).expect("one of them");
                let next = order[place + 1..].iter().chain(&order[..place]).copied();
                if let Some(direction) = next.into_iter().find(|&direction| waits(direction)) {
                    self.direction = Some(direction);
                }
            }
        }
    }

    /// Goes to the next cycle at which something happens; whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        match self.events.keys().next() {
            Some(&next) => {
                assert!(next > self.cycle, "all of a cycle happens in it");
                self.cycle = next;
                true
            }
            None => false,
        }
    }

    pub(super) fn outcome(self) -> StageOutcome {
        assert!(self.queues.is_empty() && self.candidates.is_empty());
        let stages = 0..self.problem.computations.len();
        let rows: Vec<Vec<StageRow>> = stages
            .map(|stage| (0..self.problem.nodes.len()).map(|process| self.row((stage, process))).collect())
            .collect();
        for process in 0..self.problem.nodes.len() {
            let spent = |(stage, rows): (usize, &Vec<StageRow>)| {
                let row = rows[process];
                self.problem.computations[stage][process]
                    + row.sharing
                    + row.waiting
                    + row.transfer
                    + row.blocked
                    + row.overhead
            };
            let total: u64 = rows.iter().enumerate().map(spent).sum();
            assert_eq!(total, rows.last().map_or(0, |rows| rows[process].finish), "the cycles add up");
        }
        let makespan = rows.last().into_iter().flatten().map(|row| row.finish).max().unwrap_or(0);
        StageOutcome {
            rows,
            makespan,
            longest_queue: self.longest_queue,
            hops: self.hops,
            busy_cycles: self.busy_cycles,
            transmissions: self.transmissions,
        }
    }

    fn row(&self, pair: Pair) -> StageRow {
        let (ready, finish) = (self.ready[&pair], self.finished[&pair]);
        let sharing = self.sharing.get(&pair).copied().unwrap_or(0);
        let count = self.messages_for(pair).count() + self.messages_of(pair).count();
        let overhead = self.problem.message_cost * count as u64;
        let mut last: Option<&Travel> = None;
        for travel in self.messages_for(pair) {
            let order = |travel: &Travel| (travel.received, std::cmp::Reverse(travel.message.source));
            if last.is_none_or(|last| order(travel) > order(last)) {
                last = Some(travel);
            }
        }
        let Some(last) = last else {
            let none = StageRow {
                ready,
                start: ready,
                finish,
                sharing,
                waiting: 0,
                transfer: 0,
                blocked: finish - ready - overhead,
                overlapped: 0,
                overhead,
            };
            assert!(self.problem.message_cost > 0 || ready == finish);
            return none;
        };
        let start = last.set_out.expect("it was received");
        let left = finish - ready - overhead;
        let waiting = (start.max(ready) - ready).min(left);
        let whole = self.problem.transfer(last.message);
        let transfer = whole.min(left - waiting);
        StageRow {
            ready,
            start: start.min(ready + waiting),
            finish,
            sharing,
            waiting,
            transfer,
            blocked: left - waiting - transfer,
            overlapped: whole - transfer,
            overhead,
        }
    }
}
