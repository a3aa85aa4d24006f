//! Bringing messages to their destinations, phase by phase.

use cubefold_topology::{Machine, NodeId, TieRule, Way};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::phase::{Phase, Starts};
use crate::{Communication, DimensionChoice, LinkUse, Routing, StageRouting, axis::Axis};

/// A message on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traveller {
    pub(super) at: NodeId,
    pub(super) to: NodeId,
}

/// Routes sets of messages, one after another.
pub(super) struct Router {
    ways: Ways,
    choose: Choose,
    phase: Phase,
}

/// The ways along the dimensions of a machine.
struct Ways {
    axes: Vec<Axis>,
    tie: TieRule,
}

/// The state of the choice of dimensions.
enum Choose {
    Lowest,
    Random(Box<ChaCha12Rng>),
}

impl Router {
    pub(super) fn new(
        machine: &Machine,
        communication: Communication,
        routing: &Routing,
        link_use: Option<LinkUse>,
    ) -> Self {
        let choose = match routing.dimension_choice {
            DimensionChoice::Lowest => Choose::Lowest,
            DimensionChoice::Random { key } => Choose::Random(Box::new(ChaCha12Rng::from_seed(key))),
        };
        let ways = Ways { axes: Axis::all(machine), tie: communication.tie() };
        Self { ways, choose, phase: Phase::new(machine, communication.links(), link_use) }
    }

    /// The links that were crossed, where they were to be counted.
    pub(super) fn into_link_use(self) -> Option<LinkUse> {
        self.phase.into_link_use()
    }

    /// Brings all messages, in the order of source and destination, to their destinations; in a phase each
    /// moves at most `limit` links.
    pub(super) fn route(
        &mut self,
        messages: impl Iterator<Item = Traveller>,
        starts: Starts,
        limit: u64,
    ) -> StageRouting {
        let Self { ways, choose, phase } = self;
        match choose {
            Choose::Lowest => route(ways, phase, messages, starts, |ways, message| {
                let (dimension, way) = ways.of(message).next()?;
                Some((dimension, Way { hops: way.hops.min(limit), ..way }))
            }),
            Choose::Random(generator) => route(ways, phase, messages, starts, |ways, message| {
                let all: Vec<_> = ways.of(message).collect();
                let (dimension, way) =
                    (!all.is_empty()).then(|| all[generator.random_range(0..all.len())])?;
                Some((dimension, Way { hops: way.hops.min(limit), ..way }))
            }),
        }
    }
}

impl Ways {
    /// The coordinates in which a message is not at its destination, counted from 0, each with the way to
    /// correct it.
    #[inline]
    fn of(&self, message: Traveller) -> impl Iterator<Item = (usize, Way)> {
        let Traveller { at, to } = message;
        let way = move |axis: &Axis| axis.way(at, to, self.tie);
        self.axes.iter().enumerate().filter_map(move |(dimension, axis)| Some((dimension, way(axis)?)))
    }
}

/// Goes through the phases, `choose` telling what a message does in one; none when it has arrived.
fn route(
    ways: &Ways,
    phase: &mut Phase,
    messages: impl Iterator<Item = Traveller>,
    starts: Starts,
    mut choose: impl FnMut(&Ways, Traveller) -> Option<(usize, Way)>,
) -> StageRouting {
    let mut under_way = vec![];
    move_all(ways, phase, messages, starts, &mut choose, &mut under_way);
    let mut routing = phase.finish(&ways.axes);
    let mut next = vec![];
    while !under_way.is_empty() {
        move_all(ways, phase, under_way.drain(..), Starts::Shared, &mut choose, &mut next);
        routing += phase.finish(&ways.axes);
        std::mem::swap(&mut under_way, &mut next);
    }
    routing
}

#[inline]
fn move_all(
    ways: &Ways,
    phase: &mut Phase,
    messages: impl Iterator<Item = Traveller>,
    starts: Starts,
    choose: &mut impl FnMut(&Ways, Traveller) -> Option<(usize, Way)>,
    under_way: &mut Vec<Traveller>,
) {
    for message in messages {
        let Some((dimension, way)) = choose(ways, message) else { continue };
        let axis = &ways.axes[dimension];
        phase.add(dimension, axis, message.at, way, starts);
        let at = axis.after(message.at, way);
        if at != message.to {
            under_way.push(Traveller { at, ..message });
        }
    }
}
