//! The event loop: messages are injected, turn and arrive, cycle by cycle, skipping cycles without events.
//!
//! The loop is compiled for each [`ChannelModel`] (links of one cycle, links of several) and each
//! [`RouteTable`] (a line, any machine). Only [`BeltInput::event_loop`] chooses.

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{
    one_cycle_links::OneCycleLinks,
    route_table::{ChannelMap, ChannelPosition, LineRouteTable, RouteTable},
    several_cycle_links::SeveralCycleLinks,
    stages::{ContentionFreeStages, StageSequence},
    state::{MAX_CACHED_PROCESSES, MessageStatus, PREFETCHED_EXCHANGES, PendingExchange, SimulationState},
};
use crate::{BulkStages, Cycle, Cycles, Observer, StageRecord, event_queue::EventLists};

/// The slots and queues of all channels, and their arbitration.
pub(super) trait ChannelModel<L: EventLists> {
    /// Channels before the first run, all idle.
    fn new(state: &SimulationState<'_, L>) -> Self;

    /// Begins another run at the present cycle, after the end of one.
    fn restart(&mut self, state: &SimulationState<'_, L>);

    /// Prepares for the clock to pass from a cycle to the next one with an event.
    fn advance(&mut self, from: u64, to: u64);

    /// The next cycle after the present one in which a channel with a queue arbitrates.
    fn next_arbitration(&self, state: &SimulationState<'_, L>) -> Option<u64>;

    /// Lets the message for `process` join the channel that leads on from `at`.
    fn join(&mut self, state: &mut SimulationState<'_, L>, process: u32, at: ChannelPosition);

    /// Takes the message for `process` out of its slot at the end of its leg.
    fn leave(&mut self, state: &mut SimulationState<'_, L>, process: u32);

    /// Lets every idle channel with a queue grant its first message.
    fn arbitrate(&mut self, state: &mut SimulationState<'_, L>);
}

/// The input shared by all runs on a machine, or on the lines of a dimension.
#[derive(Debug)]
pub(super) struct BeltInput {
    channels: ChannelMap,
    pub(super) stages: StageSequence,
    /// By process.
    pub(super) nodes: Vec<NodeId>,
    routes: Option<LineRouteTable>,
    bulk: BulkStages,
}

impl BeltInput {
    /// The input of processes on these nodes.
    pub(super) fn new(
        channels: ChannelMap,
        stages: StageSequence,
        nodes: Vec<NodeId>,
        bulk: BulkStages,
    ) -> Self {
        let routes = LineRouteTable::new(&channels, &nodes);
        Self { channels, stages, nodes, routes, bulk }
    }

    /// Makes a simulator for successive runs.
    pub(super) fn simulator(&self) -> BeltSimulator<'_> {
        let contention_free = self.contention_free(vec![self.stages.hop; self.stages.count()]);
        BeltSimulator { contention_free, event_loop: self.event_loop(), stages: &self.stages }
    }

    /// Computes stages as a whole, if possible: `hops` gives for each the time of a message over a link.
    pub(super) fn contention_free(&self, hops: Vec<u64>) -> Option<ContentionFreeStages<'_>> {
        match self.bulk {
            BulkStages::Yes => {
                Some(ContentionFreeStages::new(&self.channels, &self.stages, hops, &self.nodes))
            }
            BulkStages::No => None,
        }
    }

    fn event_loop(&self) -> Box<dyn RunStages + Send + '_> {
        match (self.stages.hop, &self.routes) {
            (1, Some(line)) => Box::new(EventLoop::<OneCycleLinks, _>::new(self, line)),
            (1, None) => Box::new(EventLoop::<OneCycleLinks, _>::new(self, &self.channels)),
            (_, Some(line)) => Box::new(EventLoop::<SeveralCycleLinks, _>::new(self, line)),
            (_, None) => Box::new(EventLoop::<SeveralCycleLinks, _>::new(self, &self.channels)),
        }
    }
}

/// Runs stages as a whole while they have no contention, and the rest event by event. Its memory is reused by
/// the next run.
pub(super) struct BeltSimulator<'run> {
    contention_free: Option<ContentionFreeStages<'run>>,
    event_loop: Box<dyn RunStages + Send + 'run>,
    stages: &'run StageSequence,
}

impl BeltSimulator<'_> {
    /// Runs all stages. `finishes` are the cycles at which processes begin, and afterwards those at which
    /// they finish.
    ///
    /// Returns the longest queue after the arbitration of a cycle \[messages\], over at least this run and at
    /// most all runs so far.
    pub(super) fn run(&mut self, finishes: &mut [u64], observer: &mut dyn Observer) -> u32 {
        let done = self.contention_free.as_mut().map_or(0, |stages| stages.run(finishes, observer));
        if done == self.stages.count() { 0 } else { self.event_loop.run_stages(done, finishes, observer) }
    }
}

/// An event loop of any kind. It is called once per run, so that the loop itself is compiled for its kind.
trait RunStages {
    /// Runs the stages from `first` on, as [`BeltSimulator::run`] does for all.
    fn run_stages(&mut self, first: usize, finishes: &mut [u64], observer: &mut dyn Observer) -> u32;
}

/// An event loop for successive runs: only its memory is kept between them.
#[derive(Debug)]
struct EventLoop<'run, M, R: RouteTable> {
    nodes: &'run [NodeId], // by process
    routes: R,
    state: SimulationState<'run, R::Lists>,
    channels: M,
}

impl<M: ChannelModel<R::Lists>, R: RouteTable> RunStages for EventLoop<'_, M, R> {
    fn run_stages(&mut self, first: usize, finishes: &mut [u64], observer: &mut dyn Observer) -> u32 {
        self.restart(first, finishes);
        while let Some(now) = self.next_cycle() {
            self.channels.advance(self.state.now, now);
            self.state.set_now(now);
            self.process_events(observer);
            self.channels.arbitrate(&mut self.state);
        }
        for (finish, process) in finishes.iter_mut().zip(&self.state.processes) {
            *finish = process.finish;
        }
        self.state.longest_queue
    }
}

impl<'run, M: ChannelModel<R::Lists>, R: RouteTable> EventLoop<'run, M, R> {
    fn new(input: &'run BeltInput, routes: R) -> Self {
        let state = SimulationState::new(&input.channels, &input.stages, input.nodes.len());
        Self { nodes: &input.nodes, routes, channels: M::new(&state), state }
    }

    fn restart(&mut self, stage: usize, finishes: &[u64]) {
        let stage = u32::try_from(stage).unwrap_or(u32::MAX); // a run has checked that it fits
        self.state.restart(self.nodes, stage, finishes);
        self.channels.restart(&self.state);
        let SimulationState { exchanges, stages, .. } = &mut self.state;
        exchanges.add_first_stage((0..).zip(finishes).filter_map(|(process, &finish)| {
            // Each pair once, by its lower label.
            let partner = stages.partner(process, stage).filter(|&partner| partner > process)?;
            let complete = finish.max(finishes[partner as usize]);
            Some(PendingExchange { cycle: complete + stages.compute, process, stage })
        }));
    }

    fn next_cycle(&self) -> Option<u64> {
        let arbitration = self.channels.next_arbitration(&self.state);
        if arbitration == Some(self.state.now + 1) {
            return arbitration; // nothing can be sooner
        }
        let next = [arbitration, self.state.events.next_cycle(), self.state.exchanges.next_cycle()];
        next.into_iter().flatten().min()
    }

    /// Processes all events of the present cycle and their consequences in the same cycle: with computations
    /// of 0 cycles, a process that finishes may exchange again at once. No message arrives in the cycle in
    /// which it is injected.
    fn process_events(&mut self, observer: &mut dyn Observer) {
        let is_large = self.nodes.len() > MAX_CACHED_PROCESSES;
        while let Some(chunk) = self.state.events.take(self.state.now) {
            if is_large {
                self.state.prefetch_partners(chunk.as_ref());
            }
            for &process in chunk.as_ref() {
                self.process_event(process, observer);
            }
        }
        let mut taken = 0_usize;
        while let Some(exchange) = self.state.exchanges.take(self.state.now) {
            if is_large && taken.is_multiple_of(PREFETCHED_EXCHANGES) {
                self.state.prefetch_exchanges();
            }
            taken += 1;
            self.inject_both(exchange);
        }
    }

    /// Processes the event of a process, whose meaning depends on what has happened since it was scheduled.
    #[inline]
    fn process_event(&mut self, process: u32, observer: &mut dyn Observer) {
        let state = &mut self.state.processes[process as usize];
        state.has_event = false;
        match state.status {
            // It was blocked on its way.
            MessageStatus::Moving if state.time > self.state.now => {
                state.schedule(process, &mut self.state.events);
            }
            MessageStatus::Moving => self.end_leg(process, observer),
            MessageStatus::Queued | MessageStatus::NotInjected => {}
        }
    }

    /// Injects the messages of a process and its partner.
    #[inline]
    fn inject_both(&mut self, exchange: PendingExchange) {
        let PendingExchange { process, stage, .. } = exchange;
        if let Some(partner) = self.state.stages.partner(process, stage) {
            self.inject(partner, process);
            self.inject(process, partner);
        }
    }

    /// Injects the message from a process to its partner.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn inject(&mut self, from: u32, to: u32) {
        let SimulationState { processes, now, .. } = &mut self.state;
        if let Some(leg) = self.routes.first_leg(processes, from, to) {
            let message = &mut processes[to as usize];
            (message.start, message.hops, message.distance) = (*now, leg.hops, leg.hops);
            self.channels.join(&mut self.state, to, leg.begin);
        }
    }

    /// Turns a message at the end of its leg, or delivers it.
    #[inline]
    fn end_leg(&mut self, process: u32, observer: &mut dyn Observer) {
        self.channels.leave(&mut self.state, process);
        let message = &mut self.state.processes[process as usize];
        if let Some(leg) = self.routes.next_leg(message) {
            message.hops = leg.hops;
            message.distance += leg.hops;
            self.channels.join(&mut self.state, process, leg.begin);
        } else {
            self.deliver(process, observer);
        }
    }

    /// Delivers the message for a process, which finishes its stage.
    #[inline]
    fn deliver(&mut self, process: u32, observer: &mut dyn Observer) {
        let SimulationState { processes, exchanges, stages, now, .. } = &mut self.state;
        let receiver = &mut processes[process as usize];
        observer.stage_finished(&StageRecord {
            process: ProcessId::new(process),
            stage: stages.number(receiver.stage),
            sharing: Cycles::ZERO,
            ready: Cycle::new(receiver.finish + stages.compute),
            start: Cycle::new(receiver.start),
            finish: Cycle::new(*now),
            transfer: Cycles::new(stages.hop * u64::from(receiver.distance)),
            overlapped: Cycles::ZERO,
            overhead: Cycles::ZERO,
            idle: Cycles::ZERO,
        });
        receiver.finish = *now;
        receiver.stage += 1;
        receiver.status = MessageStatus::NotInjected;
        let stage = receiver.stage;
        if let Some(partner) = stages.partner(process, stage) {
            let is_complete = processes[partner as usize].stage == stage;
            let exchange = PendingExchange { cycle: *now + stages.compute, process, stage };
            exchanges.add(exchange, u32::from(is_complete));
        }
    }
}
