//! Where messages meet: joining a channel, waiting for it, and being picked.
//!
//! Two messages of one direction meet only where one of them joins a channel, since through traffic comes to
//! a channel over one other channel and so never meets itself. So a message that joins looks for what is on
//! the belt around it, and there only. While somebody waits at a channel, or will come to it while it is busy,
//! the channel has a queue; whenever it is idle it takes off the belt what has arrived meanwhile, and
//! transmits the first of all. A message that is put on the belt again is right behind the one that held it up.
//!
//! Where links take one cycle that is simple, and is written apart ([`OneCycle`]): a slot holds one message, and
//! all channels with queues pick in every cycle. Links of several cycles need more care ([`SeveralCycles`]).

mod contended;
mod one_cycle;
mod several_cycles;

pub(super) use self::{one_cycle::OneCycle, several_cycles::SeveralCycles};
use super::{course::Course, layout::Stop};
use crate::event_queue::EventLists;

/// The belts and the queues of the channels.
pub(super) trait Meeting {
    /// Nothing is on its way yet.
    fn new<E: EventLists>(course: &Course<'_, E>) -> Self;

    /// Begins another run at the present cycle, at the end of one.
    fn begin_again<E: EventLists>(&mut self, course: &Course<'_, E>);

    /// Time goes on from a cycle to another one, before which nothing happens.
    fn go_on(&mut self, from: u64, to: u64);

    /// The next cycle after the present one's picks in which a channel picks.
    fn next_pick<E: EventLists>(&self, course: &Course<'_, E>) -> Option<u64>;

    /// The message for `process` wants to cross the channel that leads on from `stop`.
    fn join<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32, stop: Stop);

    /// The message for `process` has come to the end of its leg.
    fn leave<E: EventLists>(&mut self, course: &mut Course<'_, E>, process: u32);

    /// All channels that are idle and have a queue transmit its first message.
    fn pick_all<E: EventLists>(&mut self, course: &mut Course<'_, E>);
}
