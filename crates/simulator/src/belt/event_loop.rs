//! The event loop of a line whose links take one cycle: messages are injected and arrive, cycle by cycle, skipping
//! cycles without events.

use cubefold_mapping::ProcessId;

use super::{
    line_routes::LineRoutes,
    one_cycle_links::OneCycleLinks,
    stages::Segment,
    state::{LineState, MessageStatus, PendingExchange},
};
use crate::{Observer, StageRecord};

/// Runs the stages from `first` on. `finishes` are the cycles at which processes finished the previous stage, or begin, and
/// afterwards those at which they finish the last one.
///
/// Returns the longest queue after the arbitration of a cycle \[messages\].
pub(super) fn run(
    routes: &LineRoutes,
    stages: &Segment,
    first: usize,
    finishes: &mut [u64],
    observer: &mut dyn Observer,
) -> u32 {
    let mut event_loop = EventLoop::new(routes, stages, first, finishes);
    event_loop.run(observer);
    for (finish, process) in finishes.iter_mut().zip(&event_loop.state.processes) {
        *finish = process.finish;
    }
    event_loop.state.longest_queue
}

#[derive(Debug)]
struct EventLoop<'run> {
    state: LineState<'run>,
    channels: OneCycleLinks,
    events: Vec<u32>, // of the present cycle, taken together
}

impl<'run> EventLoop<'run> {
    fn new(routes: &'run LineRoutes, stages: &'run Segment, first: usize, finishes: &[u64]) -> Self {
        let stage = u32::try_from(first).unwrap_or(u32::MAX); // a run has checked that it fits
        let mut state = LineState::new(routes, stages, stage, finishes);
        state.exchanges.add_first_stage((0..).zip(finishes).filter_map(|(process, &finish)| {
            // Each pair once, by its lower label.
            let partner = stages.partner(process, stage).filter(|&partner| partner > process)?;
            let complete = finish.max(finishes[partner as usize]);
            Some(PendingExchange { cycle: complete + stages.compute, process, stage })
        }));
        Self { channels: OneCycleLinks::new(routes.length, state.now), state, events: vec![] }
    }

    fn run(&mut self, observer: &mut dyn Observer) {
        while let Some(now) = self.next_cycle() {
            self.channels.advance(self.state.now, now);
            self.state.set_now(now);
            self.process_events(observer);
            self.channels.arbitrate(&mut self.state);
        }
    }

    /// The next cycle with an event, or one before it.
    fn next_cycle(&self) -> Option<u64> {
        if self.channels.has_queues() {
            return Some(self.state.now + 1); // they arbitrate in every cycle
        }
        let next = [self.state.events.least_next(), self.state.exchanges.next_cycle()];
        next.into_iter().flatten().min()
    }

    /// Processes all events of the present cycle and their consequences in the same cycle: with computations
    /// of 0 cycles, a process that finishes may exchange again at once. No message arrives in the cycle in
    /// which it is injected.
    fn process_events(&mut self, observer: &mut dyn Observer) {
        let mut events = std::mem::take(&mut self.events);
        while self.state.events.take(&mut events) {
            for &process in &events {
                self.process_event(process, observer);
            }
        }
        self.events = events;
        while let Some(PendingExchange { process, stage, .. }) = self.state.exchanges.take(self.state.now) {
            if let Some(partner) = self.state.stages.partner(process, stage) {
                self.inject(partner, process);
                self.inject(process, partner);
            }
        }
    }

    /// Processes the event of a process, whose meaning depends on what has happened since it was scheduled.
    #[inline]
    fn process_event(&mut self, process: u32, observer: &mut dyn Observer) {
        let state = &mut self.state.processes[process as usize];
        state.has_event = false;
        match state.status {
            // It was blocked on its way.
            MessageStatus::Moving if state.end > self.state.now => {
                state.schedule(process, &mut self.state.events);
            }
            MessageStatus::Moving => self.deliver(process, observer),
            MessageStatus::Queued | MessageStatus::NotInjected => {}
        }
    }

    /// Injects the message from a process to its partner.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn inject(&mut self, from: u32, to: u32) {
        let LineState { routes, processes, now, .. } = &mut self.state;
        if let Some(route) = routes.route(from, to) {
            let message = &mut processes[to as usize];
            (message.start, message.hops, message.distance) = (*now, route.hops, route.hops);
            self.channels.join(&mut self.state, to, route.begin);
        }
    }

    /// Delivers the message for a process, which finishes its stage.
    #[inline]
    fn deliver(&mut self, process: u32, observer: &mut dyn Observer) {
        let LineState { processes, exchanges, stages, now, .. } = &mut self.state;
        let receiver = &mut processes[process as usize];
        let times = [receiver.finish + stages.compute, receiver.start, *now];
        let stage = stages.first + receiver.stage as usize;
        let transfer = receiver.distance.into();
        observer.stage_finished(&StageRecord::plain(ProcessId::new(process), stage, times, transfer));
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
