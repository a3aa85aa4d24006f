//! The cycles at which one message begins to cross the links of its route, as a piecewise linear function.

use cubefold_topology::narrow;

/// Links that a message begins to cross one after another at equal intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrajectorySegment {
    /// The cycle at which the crossing of the first link begins.
    pub(super) start: u64,
    /// The first link, counted from 0 along the route.
    pub(super) link: u32,
    /// The index of the cycles from one link to the next, in [`Slopes`].
    pub(super) slope: u32,
}

/// The times that messages of all stages take from link to link, each once \[cycles\].
///
/// A message moves as fast as its own size allows, or as fast as one ahead of it: there are no other slopes.
#[derive(Debug)]
pub(super) struct Slopes(Vec<u64>);

impl Slopes {
    /// Those of messages with these times a link, and for each of them its index.
    pub(super) fn new(steps: impl Iterator<Item = u64>) -> (Self, Vec<u32>) {
        let mut slopes: Vec<u64> = vec![];
        let mut index = |step| {
            let known = slopes.iter().position(|&own| own == step);
            narrow(known.unwrap_or_else(|| {
                slopes.push(step);
                slopes.len() - 1
            }) as u64) // at most one a stage, and no program has 2^32
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

/// The crossings of all links of a route, up to what is known of the messages ahead.
#[derive(Debug, Clone, Default)]
pub(super) struct Trajectory {
    segments: Vec<TrajectorySegment>, // by link
    past: usize,                      // those before this one are over
}

/// The segments that are over before they are removed: moving the others costs something.
const KEPT_PAST: usize = 16;

impl Trajectory {
    /// Forgets all crossings.
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.past = 0;
    }

    /// The segments that are not over, and perhaps some that are.
    #[inline]
    pub(super) fn segments(&self) -> &[TrajectorySegment] {
        &self.segments[self.past..]
    }

    /// The first link of which it is known when its crossing begins. At all links before, the crossing was over before
    /// the cycle in which the trajectory was last [rewritten](Self::rewrite).
    #[inline]
    pub(super) fn first_known(&self) -> u32 {
        self.segments[self.past].link
    }

    /// The index, among [those not over](Self::segments), of the segment with a link.
    #[inline]
    pub(super) fn index(&self, link: u32) -> usize {
        self.segments().partition_point(|segment| segment.link <= link).saturating_sub(1)
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

    /// The last segment.
    #[inline]
    pub(super) fn last(&self) -> Option<TrajectorySegment> {
        self.segments.last().copied()
    }

    /// Begins to replace what is known from a link on, at cycle `now`.
    pub(super) fn rewrite(&mut self, link: u32, now: u64) -> TrajectoryWriter<'_> {
        while self.segments.get(self.past + 1).is_some_and(|next| next.start < now) {
            self.past += 1;
        }
        if self.past >= KEPT_PAST {
            self.segments.drain(..self.past);
            self.past = 0;
        }
        let length = self.segments.partition_point(|segment| segment.link < link);
        self.past = self.past.min(length.saturating_sub(1));
        TrajectoryWriter { trajectory: self, length, first_change: None }
    }
}

/// Replaces the segments of a trajectory from one on, and notes where they differ from those before.
#[derive(Debug)]
pub(super) struct TrajectoryWriter<'run> {
    trajectory: &'run mut Trajectory,
    length: usize, // of what is kept and written
    first_change: Option<u32>,
}

impl TrajectoryWriter<'_> {
    /// The cycle at which the crossing of a link that is kept begins.
    #[inline]
    pub(super) fn start(&self, link: u32, slopes: &Slopes) -> u64 {
        self.trajectory.start(link, slopes)
    }

    /// Appends a segment.
    #[inline]
    pub(super) fn push(&mut self, segment: TrajectorySegment) {
        match self.trajectory.segments.get_mut(self.length) {
            Some(old) if *old == segment => {}
            Some(old) => {
                self.first_change.get_or_insert(segment.link.min(old.link));
                *old = segment;
            }
            None => {
                self.first_change.get_or_insert(segment.link);
                self.trajectory.segments.push(segment);
            }
        }
        self.length += 1;
    }

    /// Appends a segment of links that a message crosses at its own pace, unless it continues the last one.
    #[inline]
    pub(super) fn push_own(&mut self, segment: TrajectorySegment, slopes: &Slopes) {
        let kept = &self.trajectory.segments[..self.length];
        let continues = |last: &TrajectorySegment| {
            last.slope == segment.slope && slopes.start(last, segment.link) == segment.start
        };
        if !kept.last().is_some_and(continues) {
            self.push(segment);
        }
    }

    /// Ends the trajectory. Returns the first link that is crossed in another cycle than before, or an earlier one;
    /// none where all is as before.
    #[inline]
    pub(super) fn finish(mut self) -> Option<u32> {
        if let Some(old) = self.trajectory.segments.get(self.length) {
            self.first_change.get_or_insert(old.link);
            self.trajectory.segments.truncate(self.length);
        }
        self.first_change.take()
    }
}
