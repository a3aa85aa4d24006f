//! The longest queue of a channel that serves packets first come first served.

use std::collections::VecDeque;

use cubefold_topology::narrow;

use crate::{Cycle, Cycles};

/// The longest queue of a channel so far.
///
/// A revoked packet joins again at the end of the cycle, together with others: the queue measured with it was no
/// longer than the one measured then.
#[derive(Debug)]
pub(super) enum LongestQueue {
    /// Of packets of one size: those of a channel depart at intervals of their occupancy, so the length
    /// follows from the wait of the last one. `span` is the longest such wait so far.
    OfOneSize { occupancy: Cycles, span: Cycles },
    OfAnySizes {
        /// By channel, the cycles at which packets in its queue depart, in order. Each queue has separate memory, so that
        /// joining and leaving packets are adjacent to others of it.
        departures: Vec<VecDeque<Cycle>>,
        longest: u32,
    },
}

impl LongestQueue {
    pub(super) const BYTES_PER_CHANNEL: usize = size_of::<VecDeque<Cycle>>();
    pub(super) const BYTES_PER_PACKET: usize = 2 * size_of::<Cycle>(); // a list grows to its double

    /// A tracker for `channels` empty queues of packets that all have one size, or of any packets.
    pub(super) fn new(channels: usize, is_one_size: bool) -> Self {
        if is_one_size {
            Self::OfOneSize { occupancy: Cycles::new(1), span: Cycles::ZERO }
        } else {
            Self::OfAnySizes { departures: vec![VecDeque::new(); channels], longest: 0 }
        }
    }

    /// All queues are empty again.
    pub(super) fn reset(&mut self) {
        match self {
            Self::OfOneSize { span, .. } => *span = Cycles::ZERO,
            Self::OfAnySizes { departures, longest } => {
                departures.iter_mut().for_each(VecDeque::clear);
                *longest = 0;
            }
        }
    }

    /// The most packets left in one queue at the end of any cycle so far.
    pub(super) fn length(&self) -> u32 {
        match self {
            Self::OfOneSize { occupancy, span } => narrow(span.get().div_ceil(occupancy.get())),
            Self::OfAnySizes { longest, .. } => *longest,
        }
    }

    /// A packet that departs at `start`, after `now` and after all in the queue, joins it at `now`. It will occupy the
    /// channel for `occupied` cycles.
    #[inline]
    pub(super) fn join(&mut self, channel: usize, start: Cycle, now: Cycle, occupied: Cycles) {
        match self {
            Self::OfOneSize { occupancy, span } => {
                let wait = start - now;
                let product =
                    |cycles: Cycles, other: Cycles| u128::from(cycles.get()) * u128::from(other.get());
                if product(wait, *occupancy) > product(*span, occupied) {
                    (*span, *occupancy) = (wait, occupied);
                }
            }
            Self::OfAnySizes { departures, longest } => {
                let queue = &mut departures[channel];
                while queue.pop_front_if(|departure| *departure <= now).is_some() {}
                queue.push_back(start);
                *longest = (*longest).max(narrow(queue.len() as u64)); // below 2^32, more than memory holds
            }
        }
    }

    /// The last packet that joined a queue joins again later in the cycle.
    pub(super) fn revoke(&mut self, channel: usize) {
        if let Self::OfAnySizes { departures, .. } = self {
            departures[channel].pop_back();
        }
    }
}
