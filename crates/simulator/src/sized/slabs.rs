//! Messages with sizes in slabs: each worker has a slab of nodes, with their processes and the channels that begin there,
//! under half-duplex links those whose near ends they are, and an engine for them.

use std::borrow::Cow;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::LinkMode;

use super::{Transport, border::Note, message_table::MessageTable, packets_under_way, stages::run_stages};
use crate::{
    Communication, Observer, Program, SimulationError, Summary, Traffic, Workers,
    hop::StartTimes,
    slabs::{self, SlabEngine, SlabPart, run_divided},
};

/// Whether a run can be divided among workers: a stage program on a grid whose channels or links are granted each by
/// itself.
pub(crate) fn accepts(program: &dyn Program, placement: &Placement, communication: Communication) -> bool {
    program.special().tasks().is_none()
        && placement.machine().graph().is_none()
        && communication.links() != LinkMode::SingleDirection
}

/// Bytes that workers need beyond those of one engine, roughly.
pub(crate) fn further_bytes(program: &dyn Program, communication: Communication) -> u64 {
    let visitors = MessageTable::bytes(packets_under_way(program, communication));
    slabs::further_bytes(program.process_count()).saturating_add(visitors)
}

/// Runs `program` to its end by several workers, reporting to `observer`. Of ranks the leader returns the results of
/// all, and each other those of its slab.
///
/// # Errors
///
/// The first process that did not reach its end, or whose times do not add up.
pub(crate) fn run(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    workers: Workers,
    observer: &mut dyn Observer,
) -> Result<(Summary, Traffic), SimulationError> {
    run_divided(&SizedSlabs { program, placement, communication }, workers, observer)
}

/// The engines of a run.
struct SizedSlabs<'run> {
    program: &'run dyn Program,
    placement: &'run Placement,
    communication: Communication,
}

impl SlabEngine for SizedSlabs<'_> {
    type Note = Note;

    fn program(&self) -> &dyn Program {
        self.program
    }

    fn placement(&self) -> &Placement {
        self.placement
    }

    /// Which packet a channel is granted to says how long it transmits, and is known only behind the last note.
    fn tells_next_early(&self) -> bool {
        false
    }

    /// A computation of no time is none: whoever has it is ready at once.
    fn may_begin_again(&self) -> bool {
        false
    }

    fn run_part(
        &self,
        part: &SlabPart<'_>,
        transport: &mut dyn slabs::Transport<Note>,
        observer: &mut dyn Observer,
    ) -> Result<Traffic, ProcessId> {
        let &Self { program, placement, communication } = self;
        let place = (Cow::Borrowed(&*part.nodes), &part.slab, part.border((), transport));
        let transport =
            Transport::new(placement.machine(), communication, program.facts().uniform_units, place);
        run_stages(program, placement, StartTimes::Together, transport, observer)
    }
}
