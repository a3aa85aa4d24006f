//! The network while a program runs: messages under way, queues, and who transmits next.
//!
//! Two kinds keep the rules of `docs/model.md` section 5: [`Flow`], where messages flow along the dimensions of a grid and
//! each channel or link goes its own way, and [`OneByOne`], where messages are looked at one by one: under single-direction
//! links, by which the whole machine takes turns, and on machines without dimensions.

mod arbiter;
mod channels;
mod flow;
mod identity;
mod in_flight;
mod independent;
mod link_use;
mod media;
mod one_by_one;
mod queues;
mod single_direction;
mod slab;
mod transit;

use cubefold_topology::{Leg, NodeId};

pub(crate) use channels::Channels;
pub(crate) use flow::{Flow, Layout};
pub(crate) use identity::{Identities, Identity};
pub(crate) use independent::Independent;
pub use link_use::LinkUse;
pub(crate) use one_by_one::OneByOne;
pub(crate) use single_direction::SingleDirection;
pub(crate) use transit::Transit;

use crate::Cycle;

/// Messages on their way, leg by leg.
///
/// In every cycle in which something happens, all that ends [arrives](Self::arrive), messages whose leg or
/// stretch of it is over are [taken](Self::take_arrived) and, like others, [join](Self::join) in any order,
/// and then all that may [departs](Self::depart): the outcome depends on the messages' keys, never on the
/// order of the calls.
pub(crate) trait Network {
    /// The cycle at which the next transmissions end.
    fn next_end(&self) -> Option<Cycle>;

    /// Every transmission that ends at `now` arrives, if any does.
    fn arrive(&mut self, now: Cycle, identities: &impl Identities);

    /// Takes a message that has arrived in this cycle at a node where it is to turn, go on with a rest of
    /// its leg, or be delivered.
    fn take_arrived(&mut self) -> Option<(u32, NodeId)>;

    /// `message` at `node` wants to move along `leg` from `now` on.
    fn join(&mut self, message: u32, node: NodeId, leg: Leg, now: Cycle, identities: &impl Identities);

    /// Idle resources pick, and what they pick departs.
    fn depart(&mut self, now: Cycle, identities: &impl Identities);

    /// The most messages left in one channel's queue after the picks of any cycle so far.
    fn longest_queue(&self) -> u32;
}
