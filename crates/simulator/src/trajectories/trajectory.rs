//! The cycles at which one message begins to cross the links of its route, as a piecewise linear function.

use cubefold_topology::narrow;
use prefetch_index::prefetch_index;

/// Links that a message begins to cross one after another at equal intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrajectorySegment {
    /// The cycle at which the crossing of the first link begins.
    pub(super) start: u64,
    /// The first link, counted from 0 along the route.
    pub(super) link: u32,
    /// Index in [`Slopes`] of the cycles from one link to the next.
    pub(super) slope: u32,
}

/// The distinct times that messages of all stages take from link to link \[cycles\].
///
/// A message moves at the pace of its own size, or at that of a message ahead: there are no other slopes.
#[derive(Debug)]
pub(super) struct Slopes(Vec<u64>);

impl Slopes {
    /// The slopes of messages with these times per link, and the index of each message's slope.
    pub(super) fn new(steps: impl Iterator<Item = u64>) -> (Self, Vec<u32>) {
        let mut slopes: Vec<u64> = vec![];
        let mut index = |step| {
            let known = slopes.iter().position(|&slope| slope == step);
            narrow(known.unwrap_or_else(|| {
                slopes.push(step);
                slopes.len() - 1
            }) as u64) // at most one per stage, and programs have fewer than 2^32
        };
        let indices = steps.map(&mut index).collect();
        (Self(slopes), indices)
    }

    /// The cycles from one link to the next.
    #[inline]
    pub(super) fn step(&self, slope: u32) -> u64 {
        self.0[slope as usize]
    }

    /// The cycle at which a message on `segment` begins to cross a link of it.
    #[inline]
    pub(super) fn start(&self, segment: &TrajectorySegment, link: u32) -> u64 {
        segment.start + u64::from(link - segment.link) * self.step(segment.slope)
    }
}

/// The crossings of all links of a route, as far as the messages ahead are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Trajectory {
    segments: Vec<TrajectorySegment>, // by link
    past: usize,                      // number of segments that are over
}

/// Number of past segments that are kept before removal: moving the others has a cost.
const KEPT_PAST: usize = 16;

impl Trajectory {
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.past = 0;
    }

    /// The current and future segments, possibly with some past ones.
    #[inline]
    pub(super) fn segments(&self) -> &[TrajectorySegment] {
        &self.segments[self.past..]
    }

    /// The first link whose crossing time is known. All earlier crossings ended before the cycle in which it
    /// was last planned.
    #[inline]
    pub(super) fn first_known(&self) -> u32 {
        self.segments[self.past].link
    }

    /// The index, among [those not over](Self::segments), of the segment with a link.
    #[inline]
    pub(super) fn index(&self, link: u32) -> usize {
        first_not_before(self.segments(), link + 1).saturating_sub(1)
    }

    /// The cycle at which the crossing of a link begins.
    #[inline]
    pub(super) fn start(&self, link: u32, slopes: &Slopes) -> u64 {
        slopes.start(&self.segments()[self.index(link)], link)
    }

    /// The cycle at which the crossing of the last link begins.
    pub(super) fn last_start(&self, hops: u32, slopes: &Slopes) -> u64 {
        self.segments.last().map_or(0, |last| slopes.start(last, hops - 1))
    }

    #[inline]
    pub(super) fn last(&self) -> Option<TrajectorySegment> {
        self.segments.last().copied()
    }

    /// Prefetches the cache lines that a plan needs first.
    #[inline]
    pub(super) fn prefetch(&self) {
        const SEGMENTS_PER_LINE: usize = 64 / size_of::<TrajectorySegment>();
        for line in 0..3 {
            prefetch_index(&self.segments, self.past + line * SEGMENTS_PER_LINE);
        }
    }

    /// Removes most of the segments that are over at cycle `now`. Returns the number of remaining segments
    /// that begin before a link.
    pub(super) fn forget(&mut self, link: u32, now: u64) -> usize {
        while self.segments.get(self.past + 1).is_some_and(|next| next.start < now) {
            self.past += 1;
        }
        if self.past >= KEPT_PAST {
            self.segments.drain(..self.past);
            self.past = 0;
        }
        let kept = self.past + first_not_before(self.segments(), link);
        self.past = self.past.min(kept.saturating_sub(1));
        kept
    }

    /// The last of the first `kept` segments.
    #[inline]
    pub(super) fn last_of(&self, kept: usize) -> Option<&TrajectorySegment> {
        self.segments[..kept].last()
    }

    /// Replaces all but the first `kept` segments. Returns the first link whose crossing time changes, or an
    /// earlier one; `None` if nothing changes.
    pub(super) fn replace(&mut self, kept: usize, segments: &[TrajectorySegment]) -> Option<u32> {
        let before = &mut self.segments[kept..];
        let same = before.iter().zip(segments).take_while(|(old, new)| old == new).count();
        let (old, new) = (before.get(same), segments.get(same));
        let change = old.into_iter().chain(new).map(|segment| segment.link).min()?;
        let common = before.len().min(segments.len());
        before[same..common].copy_from_slice(&segments[same..common]);
        self.segments.truncate(kept + segments.len());
        self.segments.extend_from_slice(&segments[common..]);
        Some(change)
    }
}

/// Number of segments that begin before a link.
///
/// It is usually small: a binary search would read scattered cache lines.
#[inline]
fn first_not_before(segments: &[TrajectorySegment], link: u32) -> usize {
    let is_before = |segment: &TrajectorySegment| segment.link < link;
    let mut bound = 4;
    while segments.get(bound).is_some_and(is_before) {
        bound *= 2;
    }
    let below = bound / 2; // once `bound` is before the link, so are all earlier ones
    let from = if bound > 4 { below } else { 0 };
    from + segments[from..segments.len().min(bound)].partition_point(is_before)
}
