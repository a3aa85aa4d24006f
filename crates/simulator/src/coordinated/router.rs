//! Bringing messages to their destinations, phase by phase.

use cubefold_topology::{Displacement, Machine, NodeId, TieRule};
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
        let ways = Ways { axes: machine.axes().to_vec(), tie: communication.tie() };
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
        let limited = |(dimension, way): (usize, Displacement)| {
            (dimension, Displacement { hops: way.hops.min(limit), ..way })
        };
        match choose {
            Choose::Lowest => {
                let lowest = |message| ways.lowest(message).map(limited);
                let pace = if starts == Starts::Apart { Pace::TwoPhases } else { Pace::OnePhase };
                route(ways, phase, messages, starts, pace, lowest)
            }
            Choose::Random(generator) => {
                let any = |message| {
                    let all: Vec<_> = ways.of(message).collect();
                    (!all.is_empty()).then(|| limited(all[generator.random_range(0..all.len())]))
                };
                // One phase of all messages after another, as the choices are numbered.
                route(ways, phase, messages, starts, Pace::OnePhase, any)
            }
        }
    }
}

/// How many phases a message is taken through at a time to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    OnePhase,
    /// The first, in which messages start apart, and the next.
    TwoPhases,
}

impl Ways {
    /// The lowest coordinate in which a message is not at its destination, counted from 0, and the way.
    #[inline]
    fn lowest(&self, Traveller { at, to }: Traveller) -> Option<(usize, Displacement)> {
        for (dimension, axis) in self.axes.iter().enumerate() {
            if let Some(way) = axis.displacement(at, to, self.tie) {
                return Some((dimension, way));
            }
        }
        None
    }

    /// The coordinates in which a message is not at its destination, counted from 0, each with the way to
    /// correct it.
    #[inline]
    fn of(&self, message: Traveller) -> impl Iterator<Item = (usize, Displacement)> {
        let Traveller { at, to } = message;
        let way = move |axis: &Axis| axis.displacement(at, to, self.tie);
        self.axes.iter().enumerate().filter_map(move |(dimension, axis)| Some((dimension, way(axis)?)))
    }
}

/// Goes through the phases, `choose` telling what a message does in one; none when it has arrived.
fn route(
    ways: &Ways,
    phase: &mut Phase,
    messages: impl Iterator<Item = Traveller>,
    starts: Starts,
    pace: Pace,
    mut choose: impl FnMut(Traveller) -> Option<(usize, Displacement)>,
) -> StageRouting {
    // Through a phase; none when it has arrived.
    let mut advance = |phase: &mut Phase, message: Traveller, starts| {
        let (dimension, way) = choose(message)?;
        let axis = &ways.axes[dimension];
        phase.add(dimension, axis, message.at, way, starts);
        let at = axis.after(message.at, way);
        (at != message.to).then_some(Traveller { at, ..message })
    };
    let mut under_way = vec![];
    for message in messages {
        let Some(onward) = advance(phase, message, starts) else { continue };
        under_way.extend(match pace {
            Pace::OnePhase => Some(onward),
            Pace::TwoPhases => advance(phase, onward, Starts::Shared),
        });
    }
    let mut routing = phase.finish(&ways.axes);
    while !under_way.is_empty() {
        under_way =
            under_way.into_iter().filter_map(|message| advance(phase, message, Starts::Shared)).collect();
        routing += phase.finish(&ways.axes);
    }
    routing
}
