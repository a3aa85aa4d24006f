//! Runs of a stage program for the makespan only, placement after placement.
//!
//! The rules are those of [`StageProcesses`](super::stages) over packets (`docs/model.md` sections 5, 13 and 15), in the
//! case of most searches: whole messages over the routes of the machine, and channels or links that serve first
//! come first served. There the time at which a message departs is known as soon as all are known that join its queue in
//! the same cycle, so that an event is a message at a step of its route: two numbers.

use cubefold_mapping::ProcessId;
use cubefold_topology::{LinkMode, LinkTime, Machine, NodeId, narrow};

use super::{
    numbered_program::{Counts, Message, NumberedProgram},
    route_lists::{RouteLists, Step},
    tails::Tails,
};
use crate::{
    Communication, Cycle, Cycles, MessageRoutes, Program, ServiceOrder, SimulationError, Switching,
    processors::Processors, time_wheel::TimeWheel, timing::gap,
};

/// A stage program and a machine for its messages.
#[derive(Debug)]
pub(super) struct BareStages<'a> {
    rules: Communication,
    tails: Tails<'a>,
    program: NumberedProgram,
    routes: RouteLists<'a>,
    times: Vec<LinkTime>,    // by place of a channel or link, if they differ
    shortest: Communication, // with the least times of all of them

    // The state of a run:
    nodes: Vec<NodeId>, // by process
    now: u64,
    events: TimeWheel<Event>,
    ready_in: Vec<u32>,             // by process, the stages so far; `ENDED` after the last
    awaited: Vec<u32>,              // by visit, the receipts to come, and 1 until it is ready
    beginning: Vec<u32>,            // processes, with their next stages
    channels: Vec<Channel>,         // by place
    touched: Vec<u32>,              // places of channels that messages have joined
    joining: Vec<Joining>,          // in this cycle
    together: Vec<Joining>,         // those of them that are not alone
    processors: Option<Processors>, // where processes may wait for one
    unfinished: usize,              // processes
    limit: u64,                     // the cycle before which all are to be over
    is_late: bool,                  // whether it is known that they are not
    work: u64,
}

/// A channel, or under half-duplex a link.
#[derive(Debug, Clone, Copy)]
struct Channel {
    idle_from: u64,    // the cycle from which on all messages that have joined have been transmitted
    joined: u64,       // 1 + the latest cycle in which a message joined
    first_joined: u32, // the place in `joining` of the first of that cycle
}

impl Channel {
    const IDLE: Self = Self { idle_from: 0, joined: 0, first_joined: 0 };
}

/// A message that joins the queue of a channel.
#[derive(Debug, Clone, Copy)]
struct Joining {
    place: u32, // of the channel; `MOVED` of one that is among those that join together
    message: u32,
    step: u32, // of its route
    left: u32, // links of it, from this one on
}

const MOVED: u32 = u32::MAX;
const ENDED: u32 = u32::MAX;

/// An event at a later cycle: a message needs the channel of a step of its route, all of a message is at its
/// destination, or the computation of a process ends.
///
/// The number of the message or process, and below it the step: one word, which is written and read in one piece.
#[derive(Debug, Clone, Copy)]
struct Event(u64);

impl Event {
    const RECEIPT: u32 = u32::MAX; // replaces a step
    const COMPUTED: u32 = u32::MAX - 1;

    #[inline]
    fn new(number: u32, step: u32) -> Self {
        Self(u64::from(number) << 32 | u64::from(step))
    }

    /// The number, and the step or its substitute.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "each is a half")]
    fn parts(self) -> (u32, u32) {
        ((self.0 >> 32) as u32, self.0 as u32)
    }
}

/// Counts a program that can be run this way; `None` for others.
fn count(program: &dyn Program, machine: &Machine, rules: Communication) -> Option<Counts> {
    let can_run = rules.routes() == MessageRoutes::OfMachine
        && rules.router_rules().is_none()
        && rules.service() == ServiceOrder::FirstCome
        && rules.links() != LinkMode::SingleDirection
        && rules.packet().is_none()
        && rules.message_cost() == Cycles::ZERO;
    let can_keep = |counts: &Counts| RouteLists::can_keep(machine, program.process_count(), counts.messages);
    can_run.then(|| Counts::of(program)).flatten().filter(can_keep)
}

impl<'a> BareStages<'a> {
    /// A program on a machine; `None` if it cannot be run this way.
    pub(super) fn new(program: &dyn Program, machine: &'a Machine, rules: Communication) -> Option<Self> {
        count(program, machine, rules)?;
        let program = NumberedProgram::new(program, rules)?;
        let routes = RouteLists::new(machine, rules);
        let times = routes.times();
        Some(Self {
            rules,
            channels: vec![Channel::IDLE; routes.places()],
            tails: Tails::new(&program, machine, rules).keeping_all(&program),
            routes,
            shortest: rules.with_shortest(machine),
            nodes: vec![],
            now: 0,
            events: TimeWheel::new(),
            ready_in: vec![0; program.processes],
            awaited: vec![0; program.computations.len()],
            beginning: vec![],
            joining: vec![],
            together: vec![],
            touched: vec![],
            processors: None,
            unfinished: 0,
            limit: 0,
            is_late: false,
            work: 0,
            times,
            program,
        })
    }

    /// Estimates the bytes for a program; `None` if it cannot be run this way.
    pub(super) fn bytes(program: &dyn Program, machine: &Machine, rules: Communication) -> Option<u64> {
        let Counts { visits, messages } = count(program, machine, rules)?;
        let (processes, stages) = (program.process_count(), program.stage_count() as u64);
        let a_channel = (size_of::<Channel>() + size_of::<LinkTime>() + 2 * size_of::<u32>()) as u64;
        let an_event = TimeWheel::<Event>::BYTES_PER_EVENT + 4 * size_of::<Joining>() as u64;
        let under_way = processes + messages.min(4 * program.facts().messages_of_stage());
        Some(
            NumberedProgram::bytes(visits, messages)
                + visits * size_of::<u32>() as u64
                + machine.channel_places() * a_channel
                + under_way * an_event
                + Tails::bytes(processes, stages + 1, machine)
                + RouteLists::bytes(machine, processes, messages),
        )
    }

    /// Runs the program with its processes on these nodes, whose routes are prepared; returns the end of the last, or
    /// `None` if that is not before `limit`. With a limit, [`predict`](Self::predict) must have been called for these nodes.
    pub(super) fn run(
        &mut self,
        nodes: &[NodeId],
        processors: Option<Processors>,
        limit: Option<Cycle>,
    ) -> Result<Option<Cycle>, SimulationError> {
        self.reset(nodes, processors);
        self.limit = limit.map_or(u64::MAX, Cycle::get);
        let mut taken = vec![];
        loop {
            self.settle();
            self.depart();
            if self.is_late {
                return Ok(None);
            }
            let Some(now) = self.events.advance() else { break };
            if now >= self.limit && self.unfinished > 0 {
                return Ok(None);
            }
            self.now = now;
            while self.events.take(&mut taken) {
                for &event in &taken {
                    self.happen(event);
                }
            }
        }
        let unfinished = ProcessId::first(self.ready_in.len() as u64)
            .find(|process| self.ready_in[process.label() as usize] != ENDED);
        match unfinished {
            None => Ok(Some(Cycle::new(self.now))),
            Some(process) => Err(SimulationError::Unfinished { process }),
        }
    }

    /// The messages that predictions have looked at and that have set out in runs, and the links that they set out to cross.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// The makespan of the prediction with the processes on these nodes.
    pub(super) fn predict(&mut self, nodes: &[NodeId]) -> Cycles {
        self.tails.measure(&self.program, nodes, &mut self.work)
    }

    /// Resets all processes to the start; nothing is under way.
    fn reset(&mut self, nodes: &[NodeId], processors: Option<Processors>) {
        self.nodes.clear();
        self.nodes.extend_from_slice(nodes);
        self.routes.begin();
        self.processors = processors;
        self.now = 0;
        self.events.clear();
        self.ready_in.fill(0);
        for (awaited, ends) in self.awaited.iter_mut().zip(self.program.first_received.windows(2)) {
            *awaited = ends[1] - ends[0] + 1;
        }
        for place in self.touched.drain(..) {
            self.channels[place as usize] = Channel::IDLE;
        }
        self.joining.clear();
        self.beginning.clear();
        self.beginning.extend(0..narrow(nodes.len() as u64));
        self.unfinished = nodes.len();
        self.is_late = false;
    }

    #[inline]
    fn happen(&mut self, event: Event) {
        match event.parts() {
            (message, Event::RECEIPT) => self.receive(message),
            (process, Event::COMPUTED) => {
                if let Some(processors) = &mut self.processors {
                    processors.release(ProcessId::new(process));
                }
                self.become_ready(process);
            }
            (message, step) => self.join(message, step),
        }
    }

    /// Lets processes begin stages until none does; then grants idle processors.
    fn settle(&mut self) {
        while let Some(process) = self.beginning.pop() {
            let computation = self.program.computations[self.next_visit(process)];
            match &mut self.processors {
                _ if computation == Cycles::ZERO => self.become_ready(process),
                Some(processors) => processors.request(ProcessId::new(process), Cycle::new(self.now)),
                None => {
                    self.events.add(Event::new(process, Event::COMPUTED), self.now + computation.get());
                }
            }
        }
        if let Some(processors) = &mut self.processors {
            let (program, ready_in, events, now) =
                (&self.program, &self.ready_in, &mut self.events, self.now);
            processors.grant(Cycle::new(now), |process| {
                let visit = program.visit(ready_in[process.label() as usize], process.label());
                events.add(
                    Event::new(process.label(), Event::COMPUTED),
                    now + program.computations[visit].get(),
                );
            });
        }
    }

    fn next_visit(&self, process: u32) -> usize {
        self.program.visit(self.ready_in[process as usize], process)
    }

    /// Sends the messages of a stage to and from a ready process whose other ends are ready.
    fn become_ready(&mut self, process: u32) {
        let stage = self.ready_in[process as usize];
        let visit = self.program.visit(stage, process);
        self.ready_in[process as usize] = stage + 1;
        for number in self.program.first_sent[visit]..self.program.first_sent[visit + 1] {
            let message = self.program.messages[number as usize];
            if message.is_eager || self.ready_in[message.destination as usize] > stage {
                self.set_out(number, message);
            }
        }
        for place in self.program.first_received[visit]..self.program.first_received[visit + 1] {
            let number = self.program.received[place as usize];
            let message = self.program.messages[number as usize];
            if !message.is_eager && self.ready_in[message.source as usize] > stage {
                self.set_out(number, message);
            }
        }
        self.await_less(stage, process);
    }

    fn set_out(&mut self, number: u32, message: Message) {
        self.work += 1;
        let ends = [message.source, message.destination].map(|end| self.nodes[end as usize]);
        if ends[0] != ends[1] {
            // Without a route, the message is never received.
            if let Some(step) = self.routes.first(ends) {
                self.join(number, step);
            }
            return;
        }
        match self.rules.timing_of(message.units).transfer(0) {
            Cycles::ZERO => self.receive(number),
            local => {
                self.events.add(Event::new(number, Event::RECEIPT), self.now + local.get());
            }
        }
    }

    fn receive(&mut self, number: u32) {
        let Message { stage, destination, .. } = self.program.messages[number as usize];
        self.await_less(stage, destination);
    }

    /// A process awaits one event less in a stage, which may end it.
    fn await_less(&mut self, stage: u32, process: u32) {
        let awaited = &mut self.awaited[self.program.visit(stage, process)];
        *awaited -= 1;
        if *awaited > 0 {
            return;
        }
        self.is_late |= self.now + self.tails.after(stage, process) >= self.limit;
        if stage as usize + 1 < self.program.stages {
            self.beginning.push(process);
        } else {
            self.ready_in[process as usize] = ENDED;
            self.unfinished -= 1;
        }
    }

    /// A message joins the queue of a channel in this cycle.
    #[inline]
    fn join(&mut self, message: u32, step: u32) {
        let Step { place, left } = self.routes.step(step);
        self.joining.push(Joining { place, message, step, left });
    }

    /// The messages that have joined queues in this cycle depart after those that were there, in the order of
    /// their keys.
    fn depart(&mut self) {
        let mut joining = std::mem::take(&mut self.joining);
        self.separate(&mut joining);
        for joined in &joining {
            if joined.place != MOVED {
                self.depart_last(joined);
            }
        }
        let mut together = std::mem::take(&mut self.together);
        together.sort_unstable_by_key(|joined| (joined.place, self.program.order(joined.message)));
        for joined in &together {
            self.depart_last(joined);
        }
        joining.clear();
        together.clear();
        (self.joining, self.together) = (joining, together);
    }

    /// Separates the messages that join a queue together from those that join alone.
    fn separate(&mut self, joining: &mut [Joining]) {
        for place in 0..joining.len() {
            let joined = joining[place];
            let channel = &mut self.channels[joined.place as usize];
            if channel.joined == 0 {
                self.touched.push(joined.place);
            }
            if channel.joined <= self.now {
                (channel.joined, channel.first_joined) = (self.now + 1, narrow(place as u64));
                continue;
            }
            let first = &mut joining[channel.first_joined as usize];
            if first.place != MOVED {
                self.together.push(*first);
                first.place = MOVED;
            }
            self.together.push(joined);
            joining[place].place = MOVED;
        }
    }

    /// A message departs after all that are in its queue.
    #[inline]
    fn depart_last(&mut self, joining: &Joining) {
        self.work += 1;
        let &Joining { place, message, step, left } = joining;
        let units = self.program.messages[message as usize].units;
        let LinkTime { unit, latency } = self.time(place);
        let channel = &mut self.channels[place as usize];
        let start = channel.idle_from.max(self.now);
        channel.idle_from = start + unit * units;
        // Without a wait it is as late as its ends, which were checked already.
        if start > self.now && self.limit < u64::MAX {
            self.look_at_limit(message, start, left);
        }
        let all_there = start + unit * units + latency;
        if left == 1 {
            self.events.add(Event::new(message, Event::RECEIPT), all_there);
            return;
        }
        let step = step + 1;
        let head = match self.rules.switching() {
            Switching::StoreAndForward => all_there,
            Switching::CutThrough => start + unit + latency + self.gap_before(step, unit, units),
        };
        self.events.add(Event::new(message, step), head);
    }

    #[inline]
    fn time(&self, place: u32) -> LinkTime {
        match self.times.get(place as usize) {
            Some(&time) => time,
            None => LinkTime { unit: self.rules.hop().get(), latency: self.rules.latency().get() },
        }
    }

    /// The cycles that a message waits, after its first unit has crossed a channel, before it joins the queue of the
    /// next, a faster one.
    fn gap_before(&self, step: u32, unit: u64, units: u64) -> u64 {
        if self.times.is_empty() {
            return 0;
        }
        let next = self.time(self.routes.step(step).place).unit;
        u64::try_from(gap(unit, next, units)).unwrap_or(u64::MAX) // below the bound on cycles, 2^63
    }

    /// A message departs at `start`, delayed: the program may then exceed the limit.
    fn look_at_limit(&mut self, message: u32, start: u64, left: u32) {
        let Message { units, stage, destination, .. } = self.program.messages[message as usize];
        let rest = self.shortest.timing_of(units).transfer(left.into()).get();
        self.is_late |= start + rest + self.tails.after(stage, destination) >= self.limit;
    }
}
