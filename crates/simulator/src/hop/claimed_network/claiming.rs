//! How messages claim their resources, many at a time.

use std::{hint::select_unpredictable, ops::Range};

use cubefold_topology::{NodeId, Resource, RoutedMessage, narrow};
use prefetch_index::prefetch_index;

use super::{ClaimedNetwork, Refused, TOGETHER};
use crate::Cycle;

/// Messages that have moved together to the ends of their next channels.
#[derive(Debug, Default)]
struct Together {
    first: usize,       // the index of the first of them
    nodes: Vec<NodeId>, // where they were, under half-duplex links, else none
    places: Vec<u32>,   // of what they need
}

/// So many messages are in a cache near the core.
const IN_CACHE: usize = 1 << 15;

impl ClaimedNetwork {
    /// All messages that move on in this cycle claim their next resources: those that have one are the first of them, in
    /// the place of those that have not.
    pub(super) fn claim_all(&mut self, now: Cycle) {
        // The same for all of them: a resource without a queue is idle when its last transmission has ended.
        let idle = 2 * self.batches.front().map_or(self.next, |oldest| oldest.first);
        let mut claims = 0;
        // Resources of messages are prefetched while those of the messages before them are claimed.
        let (mut before, mut next) = (Together::default(), Together::default());
        let mut first = 0;
        while first < self.moving.len() || !before.places.is_empty() {
            let end = self.moving.len().min(first + TOGETHER);
            self.move_on(first..end, &mut next);
            first = end;
            self.claim_together(&before, idle, &mut claims);
            if self.joining.len() >= TOGETHER {
                self.join_queues(now);
            }
            std::mem::swap(&mut before, &mut next);
        }
        self.join_queues(now);
        self.moving.truncate(claims);
        if !self.replacing.is_empty() {
            self.arriving.append(&mut self.replacing);
            #[expect(
                clippy::stable_sort_primitive,
                reason = "it is faster where all but the end is in order"
            )]
            self.arriving.sort();
        }
    }

    /// Messages that have moved together claim their resources, those whose states are below `idle`; the others are to join
    /// queues. Which do has no pattern, so that a branch for each message would be foreseen badly.
    fn claim_together(&mut self, moved: &Together, idle: u32, claims: &mut usize) {
        let Together { first, nodes, places } = moved;
        let (mut claimed, mut refused) = ([0; TOGETHER], [0; TOGETHER]);
        let (mut claimed_count, mut refused_count) = (0_usize, 0_usize);
        let mut claim = 2 * (self.next + narrow(*claims as u64)); // below 2^31 for all of them, as MAX_NUMBER says
        let resources = &mut self.resources[..];
        for (index, &place) in places.iter().enumerate() {
            let state = &mut resources[place as usize];
            // Those with a queue are odd: rotated, they are above all others.
            let is_idle = state.rotate_right(1) < idle / 2;
            *state = select_unpredictable(is_idle, claim, *state);
            claimed[claimed_count % TOGETHER] = index;
            refused[refused_count % TOGETHER] = index;
            // These wrap nowhere: checks would be a good part of the loop.
            claim = claim.wrapping_add(2 * u32::from(is_idle));
            claimed_count = claimed_count.wrapping_add(is_idle.into());
            refused_count = refused_count.wrapping_add((!is_idle).into());
        }
        for &index in &refused[..refused_count] {
            let (place, message) = (places[index], &self.moving[first + index]);
            let is_down = nodes.get(index).is_some_and(|&from| message.node() < from);
            self.joining.push(Refused { place, direction: is_down.into(), message: *message });
        }
        let (mut arriving, mut arriving_count) = ([0; TOGETHER], 0_usize);
        for &index in &claimed[..claimed_count] {
            let message = self.moving[first + index];
            self.moving[*claims] = message;
            arriving[arriving_count % TOGETHER] = narrow(*claims as u64);
            arriving_count = arriving_count.wrapping_add(message.has_arrived().into());
            *claims += 1;
        }
        self.arriving.extend_from_slice(&arriving[..arriving_count]);
    }

    /// Messages move together to the ends of their next channels; what they occupy is prefetched.
    fn move_on(&mut self, range: Range<usize>, moved: &mut Together) {
        let Together { first, nodes, places } = moved;
        *first = range.start;
        if self.moving.len() > IN_CACHE {
            for ahead in range.end + TOGETHER..range.end + 2 * TOGETHER {
                prefetch_index(&self.moving, ahead);
            }
        }
        let messages = &mut self.moving[range];
        places.clear();
        nodes.clear();
        if self.resource == Resource::Link {
            nodes.extend(messages.iter().map(RoutedMessage::node));
        }
        self.network.advance(self.choice, self.resource, messages, places);
        self.places.find(places);
        for &place in &*places {
            prefetch_index(&self.resources, place as usize);
        }
    }
}
