//! The events of a run: partners find each other, messages set out, turn and arrive.

use cubefold_mapping::ProcessId;
use cubefold_topology::NodeId;

use super::{
    contended::ContendedChannels,
    layout::{Layout, Leg},
    process::{Process, State},
    stages::Stages,
    time_wheel::TimeWheel,
};
use crate::{Cycle, Cycles, Observer, StageRecord};

/// A run on a machine or a line of one, cycle by cycle where anything happens.
///
/// It may be used for one run after another: at the end of a run nothing of it is left but memory.
#[derive(Debug)]
pub(super) struct Engine<'run> {
    pub(super) layout: &'run Layout,
    pub(super) stages: &'run Stages,
    pub(super) nodes: &'run [NodeId], // by process
    pub(super) processes: Vec<Process>,
    pub(super) belts: Vec<u32>, // for each slot 1 + the first process whose message is in it, 0 when empty
    pub(super) contended: ContendedChannels,
    pub(super) events: TimeWheel, // of processes
    pub(super) picks: TimeWheel,  // of the queues of contended channels
    pub(super) turned: Vec<u32>,  // for each dimension, how far its belts have turned by now
    pub(super) now: u64,
    pub(super) longest_queue: u32,
}

impl<'run> Engine<'run> {
    /// For runs of processes on these nodes.
    pub(super) fn new(layout: &'run Layout, stages: &'run Stages, nodes: &'run [NodeId]) -> Self {
        let flight = stages.hop.saturating_mul(layout.diameter());
        let horizon = flight.saturating_add(stages.compute).saturating_add(1);
        Self {
            layout,
            stages,
            nodes,
            processes: vec![],
            belts: vec![0; layout.channels()],
            contended: ContendedChannels::new(layout.channels()),
            picks: TimeWheel::new(stages.hop.saturating_add(1)),
            turned: vec![0; layout.dimensions()],
            now: 0,
            longest_queue: 0,
            events: TimeWheel::new(horizon),
        }
    }

    /// Runs the stages from `stage` on, given when each process finished the one before.
    pub(super) fn run<O: Observer>(&mut self, stage: usize, finishes: &[u64], observer: &mut O) {
        self.begin(stage, finishes);
        while let Some(now) = self.next_cycle() {
            self.set_now(now);
            self.wake_all(observer);
            self.pick_all();
        }
    }

    /// Everything that is planned for the present cycle, and what that brings about in the same cycle.
    fn wake_all<O: Observer>(&mut self, observer: &mut O) {
        loop {
            let mut next = self.events.take(self.now);
            if next == 0 {
                return;
            }
            while let Some(process) = next.checked_sub(1) {
                next = self.processes[process as usize].next_event;
                self.wake(process, observer);
            }
        }
    }

    fn pick_all(&mut self) {
        loop {
            let mut next = self.picks.take(self.now);
            if next == 0 {
                return;
            }
            while let Some(queue) = next.checked_sub(1) {
                next = self.contended.queue(queue).next_pick;
                self.pick(queue);
            }
        }
    }

    /// When each process finished its last stage.
    pub(super) fn finishes(&self) -> impl Iterator<Item = u64> {
        self.processes.iter().map(|process| process.finish)
    }

    fn begin(&mut self, stage: usize, finishes: &[u64]) {
        let first = finishes.iter().copied().min().unwrap_or(0);
        self.events.begin_again(first);
        self.picks.begin_again(first);
        self.processes.clear();
        let stage = number(stage);
        let nodes = self.nodes.iter().map(|node| node.index());
        self.processes.extend(nodes.zip(finishes).map(|(node, &finish)| Process::new(node, stage, finish)));
        for process in 0..number(finishes.len()) {
            // Each pair once, by its lower label.
            if let Some(partner) = self.stages.partner(process, stage).filter(|&partner| partner > process) {
                self.meet(process, partner);
            }
        }
    }

    fn next_cycle(&self) -> Option<u64> {
        match (self.events.next_cycle(), self.picks.next_cycle()) {
            (Some(event), Some(pick)) => Some(event.min(pick)),
            (event, pick) => event.or(pick),
        }
    }

    fn set_now(&mut self, now: u64) {
        self.now = now;
        let steps = if self.stages.hop == 1 { now } else { now.div_ceil(self.stages.hop) };
        for (dimension, turned) in self.turned.iter_mut().enumerate() {
            *turned = self.layout.turned(dimension, steps);
        }
    }

    /// The event that was planned for a process: what it means depends on what has happened since.
    #[inline]
    fn wake<O: Observer>(&mut self, process: u32, observer: &mut O) {
        let own = &mut self.processes[process as usize];
        own.planned = false;
        match own.state {
            State::Computing => self.exchange(process),
            State::Moving if own.time > self.now => self.plan(process), // it was held up on the way
            State::Moving => self.end_leg(process, observer),
            State::Queued | State::Alone => {}
        }
    }

    #[inline]
    pub(super) fn plan(&mut self, process: u32) {
        let own = &mut self.processes[process as usize];
        if !own.planned {
            own.planned = true;
            own.next_event = self.events.add(process, own.time);
        }
    }

    /// Both partners have come to the same stage: their messages set out when the later one has computed.
    fn meet(&mut self, one: u32, other: u32) {
        let begin = self.processes[one as usize].finish.max(self.processes[other as usize].finish);
        let start = begin + self.stages.compute;
        for process in [one, other] {
            let own = &mut self.processes[process as usize];
            (own.start, own.time, own.distance, own.state) = (start, start, 0, State::Computing);
        }
        self.plan(one); // one event does for both
    }

    /// The messages of a process and its partner set out.
    fn exchange(&mut self, one: u32) {
        let own = &self.processes[one as usize];
        let Some(other) = self.stages.partner(one, own.stage) else { return };
        let (here, there) = (own.node, self.processes[other as usize].node);
        for (process, from, to) in [(one, there, here), (other, here, there)] {
            if let Some(leg) = self.layout.next_leg(from, to) {
                self.take_leg(process, leg);
            }
        }
    }

    fn take_leg(&mut self, process: u32, leg: Leg) {
        let own = &mut self.processes[process as usize];
        own.leg_end = leg.end;
        own.hops = leg.hops;
        own.distance += leg.hops;
        self.join(process, leg.stop);
    }

    /// A message has come to the end of its leg: it turns, or has arrived.
    fn end_leg<O: Observer>(&mut self, process: u32, observer: &mut O) {
        self.leave_slot(process);
        let own = &self.processes[process as usize];
        let next = if own.leg_end == own.node { None } else { self.layout.next_leg(own.leg_end, own.node) };
        match next {
            Some(leg) => self.take_leg(process, leg),
            None => self.deliver(process, observer),
        }
    }

    /// The message for a process arrives: the stage is over for it.
    fn deliver<O: Observer>(&mut self, process: u32, observer: &mut O) {
        let (now, stages) = (self.now, self.stages);
        let own = &mut self.processes[process as usize];
        observer.stage_finished(&StageRecord {
            process: ProcessId::new(process),
            stage: stages.number(own.stage),
            sharing: Cycles::ZERO,
            ready: Cycle::new(own.finish + stages.compute),
            start: Cycle::new(own.start),
            finish: Cycle::new(now),
            transfer: Cycles::new(stages.hop * u64::from(own.distance)),
            idle: Cycles::ZERO,
        });
        own.finish = now;
        own.stage += 1;
        own.state = State::Alone;
        let stage = own.stage;
        if let Some(partner) = stages.partner(process, stage)
            && self.processes[partner as usize].stage == stage
        {
            self.meet(process, partner);
        }
    }
}

/// A number of processes or stages, which a run has checked to fit.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
