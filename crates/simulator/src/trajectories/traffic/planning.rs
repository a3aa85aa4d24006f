//! The planning of a message from the one ahead.

use super::{
    super::{LineEvent, LineEventKind, queue_watch::QueueWatch, trajectory::TrajectorySegment},
    LineMessage, LineTraffic,
};

/// The message ahead of another one, with its links numbered as on the other's route.
#[derive(Debug, Clone, Copy)]
struct Lead<'run> {
    message: &'run LineMessage,
    offset: i64, // added to its links
    known: i64,  // the first link with a known crossing time
    end: i64,    // the link after the last common link for which it is planned
}

impl Lead<'_> {
    /// The number of a link on its route.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a link of its route")]
    fn link(&self, at: i64) -> u32 {
        (at - self.offset) as u32
    }

    /// The number, on the route of the message behind, of a link after the first common link; any number beyond
    /// the last one.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sum of lengths of a few routes"
    )]
    fn own_link(&self, link: u32) -> u32 {
        (i64::from(link) + self.offset) as u32
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a link of a route")]
    fn last_link(&self) -> u32 {
        (self.end - 1) as u32
    }

    /// Segments of its trajectory that are not over.
    #[inline]
    fn segments(&self) -> &[TrajectorySegment] {
        self.message.trajectory.segments()
    }

    /// The segment of its trajectory with this index, and the link at which the next one begins, or both end.
    #[inline]
    fn segment(&self, index: usize) -> (&TrajectorySegment, i64) {
        let segments = self.message.trajectory.segments();
        let next = segments.get(index + 1).map_or(self.end, |next| i64::from(next.link) + self.offset);
        (&segments[index], next.min(self.end))
    }
}

/// The planned trajectory of a message from some link on.
#[derive(Debug, Default)]
pub(super) struct Plan {
    kept: usize,  // segments of the trajectory before these
    is_cut: bool, // whether it ends in contact, before the end of the route
    segments: Vec<TrajectorySegment>,
    watch: QueueWatch,
}

impl LineTraffic {
    /// The message ahead of another one.
    #[inline]
    fn lead(&self, id: u32) -> Option<Lead<'_>> {
        let follower = &self.messages[id as usize];
        let message = self.messages.get(follower.ahead as usize)?;
        #[expect(clippy::cast_possible_wrap, reason = "channels of messages under way differ by few turns")]
        let offset = (message.first + self.turn(id)).wrapping_sub(follower.first) as i64;
        let known = i64::from(message.trajectory.first_known()) + offset;
        let end = (i64::from(message.planned_to) + offset).min(follower.hops.into());
        Some(Lead { message, offset, known, end })
    }

    /// Plans a message from a link on. Returns the first link whose crossing time changes, or an earlier one.
    pub(super) fn plan(&mut self, id: u32, link: u32, now: u64) -> Option<u32> {
        let mut plan = std::mem::take(&mut self.plan);
        plan.watch.begin(self.longest_queue, self.least_occupancy);
        plan.segments.clear();
        plan.is_cut = false;
        plan.kept = self.messages[id as usize].trajectory.forget(link, now);
        let free_from = self.follow(id, link, &mut plan);
        let message = &mut self.messages[id as usize];
        message.free_from = free_from;
        message.is_cut = plan.is_cut;
        let change = message.trajectory.replace(plan.kept, &plan.segments);
        for &(cycle, link) in &plan.watch.found {
            if cycle >= now {
                self.events.add(LineEvent { link, ..LineEvent::new(id, LineEventKind::QueueCheck) }, cycle);
            }
        }
        self.plan = plan;
        let planned_to = self.plan_contact(id);
        change.into_iter().chain(planned_to).min()
    }

    /// The cycle at which a message joins the channel of a link, if its crossing of the link before is known.
    #[inline]
    pub(super) fn joined(&self, message: &LineMessage, link: u32) -> u64 {
        match link.checked_sub(1) {
            None => message.injected,
            Some(before) => message.trajectory.start(before, &self.slopes) + message.step,
        }
    }

    /// Appends links that a message crosses at its own pace to its plan, unless they continue the last
    /// segment.
    #[inline]
    fn push_own(&self, message: &LineMessage, plan: &mut Plan, link: u32, start: u64) {
        let last = plan.segments.last().or_else(|| message.trajectory.last_of(plan.kept));
        let continues =
            |last: &TrajectorySegment| last.slope == message.slope && self.slopes.start(last, link) == start;
        if !last.is_some_and(continues) {
            plan.segments.push(TrajectorySegment { start, link, slope: message.slope });
        }
    }

    /// Plans the trajectory of a message from a link on: in contact with the message ahead while that keeps
    /// it from crossing a link when it joins the channel, then at its own pace. Returns the link from which
    /// it moves at its own pace.
    fn follow(&self, id: u32, link: u32, plan: &mut Plan) -> u32 {
        let (message, slopes) = (&self.messages[id as usize], &self.slopes);
        let mut joined = self.joined(message, link);
        let mut at = link;
        let Some(lead) = self.lead(id).filter(|lead| lead.known <= at.into() && i64::from(at) < lead.end)
        else {
            self.push_own(message, plan, at, joined);
            return at;
        };
        let (end, segments, occupancy) = (lead.last_link() + 1, lead.segments(), lead.message.occupancy);
        let mut index = lead.message.trajectory.index(lead.link(at.into()));
        let mut start = slopes.start(&segments[index], lead.link(at.into())) + occupancy;
        loop {
            if start < joined {
                self.push_own(message, plan, at, joined);
                return at;
            }
            let slope = segments[index].slope;
            let step = slopes.step(slope);
            index += 1;
            let following = segments.get(index);
            let next = following.map_or(end, |next| lead.own_link(next.link).min(end));
            plan.watch.wait(&self.messages, id, start - joined, (joined, at));
            if step <= message.step && next > at + 1 {
                // If it is slower than the one ahead, contact ends after one link; if it is as fast, it does
                // not wait at later links.
                self.push_own(message, plan, at, start);
                if step < message.step {
                    return at + 1;
                }
            } else {
                plan.segments.push(TrajectorySegment { start, link: at, slope });
                if next > at + 1 {
                    plan.watch.wait(&self.messages, id, step - message.step, (start + message.step, at + 1));
                }
            }
            joined = start + u64::from(next - 1 - at) * step + message.step;
            at = next;
            if at == end {
                if end < message.hops {
                    self.push_own(message, plan, at, joined);
                    plan.is_cut = lead.message.planned_to < lead.message.hops;
                }
                return at;
            }
            start = following.map_or(joined, |next| next.start + occupancy);
            if plan.segments.len() >= self.planned_segments && start > joined {
                self.push_own(message, plan, at, joined);
                plan.is_cut = true;
                return at;
            }
        }
    }

    /// Finds where a message at its own pace comes into contact with the one ahead, where its plan is cut.
    /// Returns the first link that is newly planned or no longer planned.
    pub(super) fn plan_contact(&mut self, id: u32) -> Option<u32> {
        let (lead, message) = (self.lead(id), &self.messages[id as usize]);
        let free_from = message.free_from;
        let is_lead_cut = lead.as_ref().is_some_and(|lead| {
            lead.end == i64::from(free_from) && lead.message.planned_to < lead.message.hops
        });
        let found = lead.and_then(|lead| self.find_contact(message, &lead));
        let message = &mut self.messages[id as usize];
        let (cycle, link) = found.unwrap_or((u64::MAX, 0));
        let is_new = cycle != message.contact_cycle && cycle < u64::MAX;
        (message.contact_cycle, message.contact_link) = (cycle, link);
        if is_new {
            self.events.add(LineEvent::new(id, LineEventKind::Contact), cycle);
        }
        message.is_cut &= is_lead_cut || found.is_some() && link == free_from;
        let planned_to = if message.is_cut { free_from } else { message.hops };
        let before = std::mem::replace(&mut message.planned_to, planned_to);
        (before != planned_to).then(|| before.min(planned_to))
    }

    /// The cycle and the link at which a message joins a channel that the one ahead still occupies or waits
    /// for.
    fn find_contact(&self, message: &LineMessage, lead: &Lead<'_>) -> Option<(u64, u32)> {
        let slopes = &self.slopes;
        let mut at = i64::from(message.free_from).max(lead.known);
        if at >= lead.end {
            return None;
        }
        let free = message.trajectory.last()?;
        let begin = i64::from(free.link);
        let mut index = lead.message.trajectory.index(lead.link(at));
        let contact = |at: i64, joined| u32::try_from(at).ok().map(|link| (joined, link));
        while at < lead.end {
            let (of_lead, next) = lead.segment(index);
            let joined = free.start + cycles(at - begin, message.step);
            let start = slopes.start(of_lead, lead.link(at)) + lead.message.occupancy;
            let step = slopes.step(of_lead.slope);
            if start > joined {
                return contact(at, joined);
            }
            if step > message.step {
                let links = (joined - start) / (step - message.step) + 1;
                if links < cycles(next - at, 1) {
                    let joined = joined + links * message.step;
                    return contact(at + i64::try_from(links).ok()?, joined);
                }
            }
            (at, index) = (next, index + 1);
        }
        None
    }
}

/// The cycles that a message takes for a number of links, at least 0.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "at least 0")]
fn cycles(links: i64, step: u64) -> u64 {
    links as u64 * step
}
