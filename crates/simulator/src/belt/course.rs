//! The course of a run: the processes, the clock, and what is planned.

use cubefold_topology::NodeId;

use super::{
    layout::{Layout, Stop},
    process::{Process, State},
    stages::Stages,
    starts::{Start, Starts},
};
use crate::event_queue::{EventLists, EventQueue};

/// Of so many processes the state stays near the processor by itself.
pub(super) const CACHED: usize = 1 << 14;
/// For so many pairs memory is asked for together.
pub(super) const FETCHED_STARTS: usize = 16;

/// How far a run has come, but for what is on the belts and in queues.
#[derive(Debug)]
pub(super) struct Course<'run, E> {
    pub(super) layout: &'run Layout,
    pub(super) stages: &'run Stages,
    pub(super) processes: Vec<Process>,
    pub(super) starts: Starts,
    pub(super) events: EventQueue<E>, // of processes whose messages move
    belts: Vec<Belts>,                // of each dimension
    pub(super) now: u64,
    pub(super) longest_queue: u32,
}

/// The belts of a dimension.
#[derive(Debug, Clone, Copy)]
struct Belts {
    length: u32, // their slots
    turned: u32, // how far they have turned by now
}

impl<'run, E: EventLists> Course<'run, E> {
    /// Before the first run of so many processes.
    pub(super) fn new(layout: &'run Layout, stages: &'run Stages, processes: usize) -> Self {
        let flight = stages.hop.saturating_mul(layout.diameter());
        let horizon = flight.saturating_add(1);
        Self {
            layout,
            stages,
            processes: vec![],
            starts: Starts::default(),
            events: EventQueue::new(horizon, processes),
            belts: (0..layout.dimensions())
                .map(|dimension| Belts { length: layout.length(dimension), turned: 0 })
                .collect(),
            now: 0,
            longest_queue: 0,
        }
    }

    /// Begins a run of processes on these nodes from a stage on, given when each finished the one before.
    pub(super) fn begin_again(&mut self, nodes: &[NodeId], stage: u32, finishes: &[u64]) {
        self.set_now(finishes.iter().copied().min().unwrap_or(0));
        self.events.restart(self.now);
        self.starts.begin_again(nodes.len());
        self.processes.clear();
        let all = nodes.iter().zip(finishes);
        self.processes.extend(all.map(|(&node, &finish)| Process::new(node, stage, finish)));
    }

    /// Goes on to a cycle.
    pub(super) fn set_now(&mut self, now: u64) {
        self.now = now;
        let steps = if self.stages.hop == 1 { now } else { now.div_ceil(self.stages.hop) };
        for (dimension, belts) in self.belts.iter_mut().enumerate() {
            belts.turned = self.layout.turned(dimension, steps);
        }
    }

    /// The place of the slot that is now at a stop.
    #[inline]
    pub(super) fn slot(&self, stop: Stop) -> u32 {
        let Belts { length, turned } = self.belts[stop.dimension()];
        stop.slot(turned, length)
    }

    /// The message for a process moves on over the links that are left of its leg. Returns when it comes to the
    /// end if nothing stops it.
    #[inline]
    pub(super) fn transmit(&mut self, process: u32) -> u64 {
        let own = &mut self.processes[process as usize];
        own.time = self.now + self.stages.hop * u64::from(own.hops);
        own.state = State::Moving;
        own.plan(process, &mut self.events);
        own.time
    }

    /// Asks for the memory of processes with an event, and of those with whom they will be partners next: the one
    /// does not wait for the other then, as it would where one event is done with before the next.
    #[inline]
    pub(super) fn fetch(&self, processes: &[u32]) {
        for &process in processes {
            let stage = self.processes[process as usize].stage;
            if let Some(partner) = self.stages.partner(process, stage + 1) {
                std::hint::black_box(self.processes[partner as usize].stage);
            }
        }
    }

    /// Asks for the memory of the pairs whose messages set out next, in the same way.
    #[inline]
    pub(super) fn fetch_starts(&self) {
        for count in 0..FETCHED_STARTS {
            let Start { process, stage, .. } = self.starts.ahead(count);
            if let Some(partner) = self.stages.partner(process, stage) {
                std::hint::black_box(self.processes[process as usize].stage);
                std::hint::black_box(self.processes[partner as usize].stage);
            }
        }
    }
}
