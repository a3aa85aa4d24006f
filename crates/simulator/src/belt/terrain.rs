//! What runs on a line and runs on a machine do otherwise: how messages find their ways, and how events are kept.

use super::{
    layout::{Layout, Leg},
    line_legs::LineLegs,
    process::Process,
};
use crate::event_queue::{ChunkedLists, EventLists, LinkedLists};

/// Where messages move.
pub(super) trait Terrain {
    /// The lists of events of the same cycle.
    type Events: EventLists;

    /// The first leg of the way of a message from one process to its partner.
    fn first_leg(&self, processes: &mut [Process], from: u32, to: u32) -> Option<Leg>;

    /// The leg after the one at whose end the message for a process is; none where it has arrived.
    fn next_leg(&self, own: &mut Process) -> Option<Leg>;
}

/// A line of a few processes, whose state stays near the processor: all ways are straight, and known.
#[derive(Debug)]
pub(super) struct OnLine<'run>(pub(super) &'run LineLegs);

/// Any machine.
#[derive(Debug)]
pub(super) struct OnMachine<'run>(pub(super) &'run Layout);

impl Terrain for OnLine<'_> {
    type Events = LinkedLists;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn first_leg(&self, processes: &mut [Process], from: u32, to: u32) -> Option<Leg> {
        self.0.leg(from, to, processes[to as usize].node)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn next_leg(&self, _: &mut Process) -> Option<Leg> {
        None
    }
}

impl Terrain for OnMachine<'_> {
    type Events = ChunkedLists;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn first_leg(&self, processes: &mut [Process], from: u32, to: u32) -> Option<Leg> {
        let at = processes[from as usize].node;
        let own = &mut processes[to as usize];
        let leg = self.0.next_leg(at, own.node)?;
        own.leg_end = leg.end;
        Some(leg)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn next_leg(&self, own: &mut Process) -> Option<Leg> {
        if own.leg_end == own.node {
            return None;
        }
        let leg = self.0.next_leg(own.leg_end, own.node)?;
        own.leg_end = leg.end;
        Some(leg)
    }
}
