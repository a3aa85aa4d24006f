//! Departures from routers with a speedup: the queues between the buffers, which move several flits a cycle, and the links,
//! which take one (`docs/model.md` section 30.1).

use std::collections::VecDeque;

use super::{
    packet::Flit,
    speedup::{Speedup, Step},
    wake_list::WakeList,
};

/// The output queue and the credit queue of every port of all routers.
#[derive(Debug)]
pub(super) struct Departures {
    speedup: Speedup,
    joins_at_once: bool, // whether flits join their queue in the step in which they leave their buffer
    flits: Vec<VecDeque<(Step, u32, Flit)>>, // by port, with the steps in which they join and their output channels
    credits: Vec<VecDeque<u32>>,             // by port, the input channels
    with_flits: WakeList,                    // ports
    with_credits: WakeList,                  // ports
    taken: Vec<u32>,
}

impl Departures {
    pub(super) fn new(speedup: Speedup, router_cycles: u32, ports: usize) -> Self {
        let count = u32::try_from(ports).unwrap_or(u32::MAX);
        Self {
            speedup,
            joins_at_once: router_cycles == 1,
            flits: vec![VecDeque::new(); ports],
            credits: vec![VecDeque::new(); ports],
            with_flits: WakeList::new(count),
            with_credits: WakeList::new(count),
            taken: vec![],
        }
    }

    /// A flit has left its buffer by a channel of an output port.
    pub(super) fn add_flit(&mut self, port: u32, channel: u32, flit: Flit, step: Step) {
        let joins = if self.joins_at_once { step } else { self.speedup.next(step) };
        self.flits[port as usize].push_back((joins, channel, flit));
        self.with_flits.add(port);
    }

    /// A buffer place of an input channel is free again.
    pub(super) fn add_credit(&mut self, port: u32, channel: u32) {
        self.credits[port as usize].push_back(channel);
        self.with_credits.add(port);
    }

    /// The first flit of every output queue leaves after the last step of a cycle, given to `take` with its channel.
    pub(super) fn take_flits(&mut self, cycle: u64, mut take: impl FnMut(u32, Flit)) {
        let last = self.speedup.last(cycle);
        self.with_flits.take(&mut self.taken);
        for &port in &self.taken {
            let queue = &mut self.flits[port as usize];
            if let Some((_, channel, flit)) = queue.pop_front_if(|(joins, ..)| *joins <= last) {
                take(channel, flit);
            }
            if !queue.is_empty() {
                self.with_flits.add(port);
            }
        }
    }

    /// The first credit of every credit queue leaves after the last step of a cycle, given to `take` by its channel.
    pub(super) fn take_credits(&mut self, mut take: impl FnMut(u32)) {
        self.with_credits.take(&mut self.taken);
        for &port in &self.taken {
            let queue = &mut self.credits[port as usize];
            if let Some(channel) = queue.pop_front() {
                take(channel);
            }
            if !queue.is_empty() {
                self.with_credits.add(port);
            }
        }
    }

    pub(super) fn are_empty(&self) -> bool {
        self.with_flits.is_empty() && self.with_credits.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.flits.iter_mut().for_each(VecDeque::clear);
        self.credits.iter_mut().for_each(VecDeque::clear);
        self.with_flits.clear();
        self.with_credits.clear();
    }

    pub(super) fn bytes(ports: u64) -> u64 {
        ports.saturating_mul((2 * size_of::<VecDeque<u32>>() + 10) as u64)
    }
}
