//! Flits and credits in flight: delay lines of constant time.

use std::collections::VecDeque;

use super::{packet::Flit, settings::RouterSettings};

/// Items that leave in the order of entry, each after the same time.
#[derive(Debug)]
pub(super) struct DelayLine<T> {
    delay: u64,
    items: VecDeque<(u64, T)>, // with the cycles at which they come out, ascending
}

impl<T> DelayLine<T> {
    /// An empty line through which every item takes `delay` cycles.
    pub(super) fn new(delay: u64) -> Self {
        Self { delay, items: VecDeque::new() }
    }

    /// Puts in an item at a cycle, no earlier than the previous one.
    #[inline]
    pub(super) fn push(&mut self, now: u64, item: T) {
        let due = now + self.delay;
        debug_assert!(
            self.items.back().is_none_or(|last| last.0 <= due),
            "items in the order of their cycles"
        );
        self.items.push_back((due, item));
    }

    /// Takes out the next item that is due.
    #[inline]
    pub(super) fn pop_due(&mut self, now: u64) -> Option<T> {
        self.items.pop_front_if(|(due, _)| *due <= now).map(|(_, item)| item)
    }

    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.items.front().map(|item| item.0)
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
    }
}

/// Everything in flight between routers and terminals.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) to_routers: [DelayLine<(u32, Flit)>; 2], // by input channel; over links inside and between groups
    pub(super) to_terminals: DelayLine<(u32, u32, Flit)>, // by terminal and channel
    pub(super) injected: DelayLine<(u32, Flit)>,        // by input channel
    pub(super) credits: [DelayLine<u32>; 2],            // to output channels of routers, over the same links
    pub(super) credits_to_terminals: DelayLine<(u32, u32)>, // by terminal and channel
    pub(super) credits_of_terminals: DelayLine<u32>,    // to output channels
}

impl InFlight {
    /// Nothing between routers whose links have this latency, and whose flits enter them `link_after` cycles after they are
    /// sent.
    pub(super) fn new(latency: u64, settings: &RouterSettings, link_after: u64) -> Self {
        let [credit, terminal] = [settings.credit_cycles, settings.terminal_latency].map(u64::from);
        let latencies = [latency, settings.global_latency.unwrap_or(latency)];
        Self {
            to_routers: latencies.map(|latency| DelayLine::new(link_after + latency + 1)),
            to_terminals: DelayLine::new(link_after + terminal + 1),
            injected: DelayLine::new(terminal + 2),
            credits: latencies.map(|latency| DelayLine::new(credit + latency + 1)),
            credits_to_terminals: DelayLine::new(credit + terminal + 1),
            credits_of_terminals: DelayLine::new(credit + terminal + 1),
        }
    }

    pub(super) fn next(&self) -> Option<u64> {
        let flits = self.to_routers.iter().map(DelayLine::next);
        let credits = self.credits.iter().map(DelayLine::next);
        let of_terminals = [
            self.to_terminals.next(),
            self.injected.next(),
            self.credits_to_terminals.next(),
            self.credits_of_terminals.next(),
        ];
        flits.chain(credits).chain(of_terminals).flatten().min()
    }

    pub(super) fn clear(&mut self) {
        self.to_routers.iter_mut().for_each(DelayLine::clear);
        self.to_terminals.clear();
        self.injected.clear();
        self.credits.iter_mut().for_each(DelayLine::clear);
        self.credits_to_terminals.clear();
        self.credits_of_terminals.clear();
    }
}
