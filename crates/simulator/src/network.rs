//! The network while a program runs: messages under way, queues, and who transmits next.
//!
//! One piece serves both executions. A message moves as a [`Transit`]: it joins the channel that it needs,
//! an [`Arbiter`] grants each channel (or link, or direction) to one message at a time in the order of
//! `docs/model.md` section 5, and what departs in a cycle arrives together `T_c` later. A transit carries
//! all that a hop needs, so that a message in free flight touches one word of the machine's state a hop.

mod arbiter;
mod channel_queues;
mod channels;
mod in_flight;
mod link_use;
mod messages;
mod transit;

pub(crate) use arbiter::{Arbiter, FullDuplex, HalfDuplex, SharedMedia, SingleDirection};
pub(crate) use channels::Channels;
pub(crate) use in_flight::InFlight;
pub use link_use::LinkUse;
pub(crate) use messages::{Identity, Messages};
pub(crate) use transit::Transit;
