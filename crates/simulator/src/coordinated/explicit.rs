//! Explicit routes in coordinated steps (`docs/model.md` section 28.1): queues resolve conflicts.
//!
//! All messages set out together, and a message crosses a link in a step: asynchronous execution (section 5) with
//! `T_c = 1`. There are no subsets, phases or movements.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, btree_map::BTreeMap},
};

use cubefold_topology::{Channel, Leg, LinkMode, Machine};

use crate::{
    StageRouting,
    channels::{Channels, Transit},
};

/// The channels of a machine, and the messages that wait for them.
#[derive(Debug)]
pub(super) struct StepRouter {
    channels: Channels,
    links: LinkMode,
    queues: BTreeMap<usize, Queue>, // by place of the channel; never empty
    longest_queue: usize,           // of all steps so far
}

/// The messages that wait for a channel, each with the step at which it joined and its place among the messages.
type Queue = BinaryHeap<Reverse<(u64, usize)>>;

impl StepRouter {
    pub(super) fn new(machine: &Machine, links: LinkMode) -> Self {
        Self { channels: Channels::new(machine), links, queues: BTreeMap::new(), longest_queue: 0 }
    }

    /// The most messages left in one queue after the grants of any step so far.
    pub(super) fn longest_queue(&self) -> u32 {
        u32::try_from(self.longest_queue).unwrap_or(u32::MAX)
    }

    /// Moves messages, by ascending source and destination, along their routes until all are at their ends.
    pub(super) fn route(&mut self, routes: &[Vec<Channel>]) -> StageRouting {
        let mut crossed = vec![0; routes.len()];
        let mut joining: Vec<usize> = (0..routes.len()).collect();
        let mut routing = StageRouting::default();
        let mut turn = None; // none before the first transmission
        loop {
            for message in joining.drain(..) {
                if let Some(&channel) = routes[message].get(crossed[message]) {
                    let place = self.place(channel);
                    self.queues.entry(place).or_default().push(Reverse((routing.steps, message)));
                }
            }
            if self.queues.is_empty() {
                return routing;
            }
            for place in self.granted(&mut turn) {
                joining.extend(self.take_first(place));
            }
            for &message in &joining {
                crossed[message] += 1;
            }
            routing.conflicts += self.queues.values().map(|queue| queue.len() as u64).sum::<u64>();
            let longest = self.queues.values().map(BinaryHeap::len).max().unwrap_or(0);
            self.longest_queue = self.longest_queue.max(longest);
            routing.steps += 1;
        }
    }

    fn place(&self, channel: Channel) -> usize {
        let leg = Leg { direction: channel.direction, hops: 1 };
        self.channels.channel(&Transit::new(0, channel.node, leg))
    }

    /// The channels that transmit in a step. `turn` is the direction in which the machine transmits under
    /// single-direction links.
    fn granted(&self, turn: &mut Option<u32>) -> Vec<usize> {
        let places = self.queues.keys().copied();
        match self.links {
            LinkMode::FullDuplex => places.collect(),
            LinkMode::HalfDuplex => {
                let mut first: BTreeMap<usize, (Reverse<(u64, usize)>, usize)> = BTreeMap::new();
                for (&place, queue) in &self.queues {
                    let link = self.channels.link(&self.channels.transit_at(place));
                    let Some(&head) = queue.peek() else { continue };
                    // Reversed: the smallest key is the greatest.
                    let best = first.entry(link).or_insert((head, place));
                    *best = (*best).max((head, place));
                }
                first.into_values().map(|(_, place)| place).collect()
            }
            LinkMode::SingleDirection => {
                let direction = |place| self.channels.transit_at(place).direction;
                let mut queued: Vec<u32> = places.clone().map(direction).collect();
                queued.sort_unstable();
                // Nothing is in flight between two steps.
                let next = queued.iter().find(|&&source| Some(source) >= *turn).or(queued.first());
                *turn = next.copied();
                places.filter(|&place| Some(direction(place)) == *turn).collect()
            }
        }
    }

    /// Takes the first message from the queue of a channel.
    fn take_first(&mut self, place: usize) -> Option<usize> {
        let queue = self.queues.get_mut(&place)?;
        let first = queue.pop().map(|Reverse((_, message))| message);
        if queue.is_empty() {
            self.queues.remove(&place);
        }
        first
    }
}
