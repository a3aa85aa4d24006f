//! Messages of one unit in slabs: each worker has a slab of nodes, with their processes and the links whose near ends
//! they are, and an engine for them.

mod words;

use std::marker::PhantomData;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::{Channel, Leg, NodeId, narrow};

use super::{
    HopInput, StartTimes,
    border::{HopBorder, Note, Visitor},
    engine::HopEngine,
    flow::{Flow, Word},
    layout,
};
use crate::{
    Communication, Cycles, Observer, Program, SimulationError, Summary, Traffic, Workers,
    slabs::{Border, Neighbours, SlabEngine, SlabPart, Transport, run_divided},
    slots::Slots,
};

/// Runs `program` to its end by several workers, reporting to `observer`. Of ranks the leader returns the results of
/// all, and each other those of its slab.
///
/// # Errors
///
/// The first process that did not reach its end, or whose times do not add up.
///
/// # Panics
///
/// When the engine does not [take](super::takes) the machine, or messages have other times than units.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    workers: Workers,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    let input = HopInput { program, placement, communication, starts: StartTimes::Together };
    if layout(program, placement.machine()).bits() <= u64::BITS {
        run_divided(&HopSlabs::<u64> { input, word: PhantomData }, workers, observer)
    } else {
        run_divided(&HopSlabs::<u128> { input, word: PhantomData }, workers, observer)
    }
}

/// The engines of a run, whose words `W` hold a message in flight.
struct HopSlabs<'run, W> {
    input: HopInput<'run>,
    word: PhantomData<fn() -> W>,
}

impl<W: Word> SlabEngine for HopSlabs<'_, W> {
    type Note = Note;

    fn program(&self) -> &dyn Program {
        self.input.program
    }

    fn placement(&self) -> &Placement {
        self.input.placement
    }

    fn may_begin_again(&self) -> bool {
        self.input.program.facts().compute == Cycles::ZERO && !self.input.placement.is_one_to_one()
    }

    /// On nodes of their own processes compute whenever they can: there is nothing to be granted but links, and each that is
    /// takes the same time.
    fn tells_next_early(&self) -> bool {
        self.input.placement.is_one_to_one()
    }

    fn run_part(
        &self,
        part: &SlabPart<'_>,
        transport: &mut dyn Transport<Note>,
        observer: &mut dyn Observer,
    ) -> Result<Traffic, ProcessId> {
        let HopInput { program, placement, communication, .. } = self.input;
        let machine = placement.machine();
        // Below 2^30, as that of the whole run.
        let own_messages = narrow((part.nodes.len() * program.facts().max_received.max(1)) as u64);
        let network = Flow::<W>::new(machine, communication, layout(program, machine), &part.slab);
        let border = part.border(Visitors { own_messages, slots: Slots::default() }, transport);
        HopEngine::new(&self.input, &part.nodes, network, border, observer).run()
    }
}

/// The messages on links of an engine whose destinations are of others.
#[derive(Debug)]
struct Visitors {
    own_messages: u32, // the numbers of messages to own processes are below this
    slots: Slots<Visitor>,
}

impl HopBorder for Neighbours<'_, Note, Visitors> {
    type Leg = Leg;

    #[inline]
    fn visitor(&self, message: u32) -> Option<&Visitor> {
        message.checked_sub(self.visitors.own_messages).map(|slot| &self.visitors.slots[slot])
    }

    fn admit(&mut self, visitor: Visitor) -> u32 {
        if self.elsewhere(visitor.to).is_some() {
            self.visitors.own_messages + self.visitors.slots.insert(|| visitor)
        } else {
            visitor.number // it comes home
        }
    }

    fn dismiss(&mut self, message: u32) -> Option<Visitor> {
        let slot = message.checked_sub(self.visitors.own_messages)?;
        self.visitors.slots.remove(slot);
        Some(self.visitors.slots[slot])
    }

    #[inline]
    fn link_elsewhere(&self, node: NodeId, leg: &Leg) -> Option<usize> {
        let channel = Channel { node, direction: leg.direction };
        self.elsewhere(self.placement().machine().link(channel).near)
    }
}
