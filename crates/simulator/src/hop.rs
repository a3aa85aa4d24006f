//! Asynchronous execution (`docs/model.md` section 5), message by message and link by link.
//!
//! The engine advances from one cycle in which something happens to the next. All computations of a
//! run take equally long, and so do all transmissions: both end in the order in which they began,
//! so that first-in first-out lists replace an event queue, and no event allocates or sorts
//! anything. In a cycle transmissions end, messages whose legs are over begin the next or are
//! received, processes become ready and inject messages, and at last idle links are granted: the
//! outcome depends on the keys of messages, never on the order of events within these steps.
//!
//! [`Flow`] moves messages along the dimensions of a grid, each channel or link of which is granted
//! independently. It takes a transmission's occupancy, head and receipt as one time
//! ([`MessageTiming::uniform`](crate::MessageTiming::uniform)): the caller gives the rules of
//! [`Communication::unit_equivalent`]. Networks and single-direction links are of the engine for
//! messages with sizes ([`sized`](crate::sized)).

mod border;
mod computing;
mod engine;
mod flow;
mod processes;
pub(crate) mod slabs;
#[cfg(test)]
mod tests;

use std::fmt;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Extent, LinkMode, Machine, NodeId, Resource};

pub(crate) use self::computing::StartTimes;
use self::{
    engine::HopEngine,
    flow::{Flow, Layout},
};
use crate::{
    Communication, Cycle, Observer, Program, ServiceOrder, SimulationError, Traffic,
    message_queue::MessageKeys, slabs::Slab,
};

/// Checks that asynchronous execution is defined for a run.
///
/// # Errors
///
/// Under single-direction links on a network, and where channels serve their inputs in turn but are
/// not independent.
pub(crate) fn check(placement: &Placement, communication: Communication) -> Result<(), SimulationError> {
    let (is_network, links) = (placement.machine().graph().is_some(), communication.links());
    if is_network && links == LinkMode::SingleDirection {
        return Err(SimulationError::NoTurns);
    }
    if communication.service() == ServiceOrder::RoundRobin && links != LinkMode::FullDuplex {
        return Err(SimulationError::NoRoundRobin { links });
    }
    Ok(())
}

/// Bytes that a run on a grid takes at most, roughly.
pub(crate) fn bytes(program: &dyn Program, machine: &Machine) -> u64 {
    const BYTES_PER_MESSAGE: u64 = 160;
    const BYTES_PER_CHANNEL: u64 = 12;
    let messages = program.facts().messages_of_stage();
    messages * BYTES_PER_MESSAGE + machine.channel_places() * BYTES_PER_CHANNEL
}

/// Whether this engine runs messages on a machine: a grid whose channels or links are granted each by itself.
pub(crate) fn takes(machine: &Machine, links: LinkMode) -> bool {
    machine.graph().is_none() && links != LinkMode::SingleDirection
}

/// Runs `program` to its end, reporting to `observer`; each process may begin as `starts` says.
///
/// # Errors
///
/// The first process that did not reach its end, which none does whose sources and destinations
/// match.
///
/// # Panics
///
/// When the engine does not [take](takes) the machine, or messages have other times than units.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    starts: StartTimes<'_>,
    observer: &mut dyn Observer,
) -> Result<Traffic, ProcessId> {
    let machine = placement.machine();
    let input = HopInput { program, placement, communication, starts };
    let (layout, slab) = (layout(program, machine), Slab::whole(machine));
    if layout.bits() <= u64::BITS {
        let network = Flow::<u64>::new(machine, communication, layout, &slab);
        HopEngine::whole(&input, network, observer).run()
    } else {
        let network = Flow::<u128>::new(machine, communication, layout, &slab);
        HopEngine::whole(&input, network, observer).run()
    }
}

/// The layout of the words for messages of a run.
fn layout(program: &dyn Program, machine: &Machine) -> Layout {
    let messages = program.facts().messages_of_stage();
    let longest = machine.extents().map(Extent::diameter).max().unwrap_or(1);
    Layout::new(machine.node_count(), messages, longest)
}

/// Messages in flight, leg by leg.
///
/// In every cycle in which something happens, transmissions that end [arrive](Self::arrive);
/// messages whose leg or stretch of it is over are [taken](Self::take_arrived) and, like others,
/// [join](Self::join) in any order; then resources are granted and their messages
/// [depart](Self::depart).
trait Network {
    /// What a message moves along before it is taken.
    type Leg: Copy + fmt::Debug;

    /// The distance between two nodes \[links\], and the first leg of the route; none when they are the same.
    fn begin(&mut self, from: NodeId, to: NodeId) -> (u64, Option<Self::Leg>);

    /// The next leg of a message that was taken at `at`; none when it is at its destination.
    fn next_leg(&self, at: NodeId, to: NodeId) -> Option<Self::Leg>;

    /// The cycle at which the next transmissions end.
    fn next_end(&self) -> Option<Cycle>;

    /// Every transmission that ends at `now` arrives, if any does.
    fn arrive(&mut self, now: Cycle, keys: &impl MessageKeys);

    /// Takes a message that has arrived in this cycle at a node where its leg or a stretch of it
    /// ends.
    fn take_arrived(&mut self) -> Option<(u32, NodeId)>;

    /// `message` at `node` needs the first channel of `leg` from `now` on.
    fn join(&mut self, message: u32, node: NodeId, leg: Self::Leg, now: Cycle, keys: &impl MessageKeys);

    /// Whether any message may depart in this cycle: if none may, none does.
    fn may_depart(&self) -> bool;

    /// Idle resources are granted, and the messages that get them depart.
    fn depart(&mut self, now: Cycle, keys: &impl MessageKeys);

    /// The most messages left in one channel's queue after the grants of any cycle so far.
    fn longest_queue(&self) -> u32;
}

/// What is granted to one message at a time on full-duplex or half-duplex links.
///
/// # Panics
///
/// When the links are single-direction.
fn resource(links: LinkMode) -> Resource {
    match links {
        LinkMode::FullDuplex => Resource::Channel,
        LinkMode::HalfDuplex => Resource::Link,
        LinkMode::SingleDirection => panic!("single-direction links are not granted independently"),
    }
}

/// The inputs of a run.
struct HopInput<'run> {
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
    starts: StartTimes<'run>,
}
