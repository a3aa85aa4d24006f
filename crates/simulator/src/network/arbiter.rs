//! Who transmits next.

mod shared_media;

pub(crate) use shared_media::SharedMedia;

use super::{Identities, Transit};
use crate::Cycle;

/// The rule by which messages that want a channel get it (`docs/model.md` section 5), one for each link
/// mode.
///
/// In every cycle the engine first releases all transmissions that end, then lets messages join the
/// channels that they need next, in any order, and then asks once for the departures: the outcome depends
/// on the messages' keys, never on the order of the calls.
pub(crate) trait Arbiter {
    /// The transmission of `transit` from its node has ended.
    fn release(&mut self, transit: &Transit);

    /// `transit` wants its channel from `now` on.
    fn join(&mut self, transit: Transit, now: Cycle, identities: &impl Identities);

    /// Fills `departures`, empty before, with the messages whose transmission begins in this cycle.
    fn depart(&mut self, identities: &impl Identities, departures: &mut Vec<Transit>);

    /// The messages left in queues.
    fn queued(&self) -> u64;
}
