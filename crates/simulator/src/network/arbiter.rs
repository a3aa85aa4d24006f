//! Who may transmit next, where messages are looked at one by one.

use super::{Identities, Transit};
use crate::Cycle;

/// The rule by which messages get their channels.
pub(super) trait Arbiter {
    /// The transmission of `transit` from its node has ended.
    fn release(&mut self, transit: &Transit);

    /// `transit` wants its channel from `now` on.
    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities);

    /// Fills `departures`, empty before, with the messages whose transmission begins in this cycle.
    fn depart(&mut self, departures: &mut Vec<Transit>);

    /// The most messages left in one channel's queue after the picks of any cycle so far.
    fn longest_queue(&self) -> u32;
}
