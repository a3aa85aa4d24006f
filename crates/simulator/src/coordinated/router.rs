//! Routing: messages move to their destinations, phase by phase.
//!
//! In a phase every message that is not at its destination moves along one coordinate. Its path in the phase
//! lies on one line, and messages block each other only on the same line in the same direction: under every
//! link mode, the messages that can meet move at the same time. So each direction is computed separately, and
//! the link mode only decides whether the directions move together or one after another.

use cubefold_topology::{Axis, Channel, Displacement, LinkMode, Machine, NodeId, Sign, TieRule, narrow};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{
    DimensionChoice, Routing,
    lines::{LineMovements, Move},
};
use crate::{Communication, StageRouting, observe::traffic::LinkUseCounter};

/// A message at a node between two phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoutedMessage<U = u64> {
    pub(super) at: NodeId,
    pub(super) to: NodeId,
    /// Its size, used only if link use is counted; otherwise it is left out, and a message is one word.
    pub(super) units: U,
}

/// The size of a moving message.
trait Units: Copy {
    /// The units that it adds to the links that it crosses, if link use is counted.
    fn counted(self) -> u64;
}

impl Units for u64 {
    fn counted(self) -> u64 {
        self
    }
}

/// A size that is not counted.
impl Units for () {
    fn counted(self) -> u64 {
        0
    }
}

/// Routes sets of messages, one after another.
pub(super) struct Router {
    displacements: Displacements,
    random: Option<Box<ChaCha12Rng>>, // draws dimensions; without it the lowest are chosen
    phase: Phase,
}

/// The displacements of messages along the dimensions of a machine.
struct Displacements {
    axes: Vec<Axis>,
    tie: TieRule,
}

impl Router {
    pub(super) fn new(
        machine: &Machine,
        communication: Communication,
        routing: &Routing,
        link_use: Option<LinkUseCounter>,
    ) -> Self {
        let random = match routing.dimension_choice {
            DimensionChoice::Lowest => None,
            DimensionChoice::Random { key } => Some(Box::new(ChaCha12Rng::from_seed(key))),
        };
        let displacements = Displacements { axes: machine.axes().to_vec(), tie: communication.tie() };
        Self { displacements, random, phase: Phase::new(machine, communication.links(), link_use) }
    }

    /// Begins a stage: its random choices depend only on the key and its own messages.
    pub(super) fn begin_stage(&mut self, stage: usize) {
        if let Some(generator) = &mut self.random {
            generator.set_stream(stage as u64);
            generator.set_word_pos(0);
        }
    }

    pub(super) fn into_link_use(self) -> Option<LinkUseCounter> {
        self.phase.link_use
    }

    /// Counts the use of channels by a message, if link use is counted.
    pub(super) fn count_channels(&mut self, channels: &[Channel], units: u64) {
        if let Some(link_use) = &mut self.phase.link_use {
            link_use.count_channels(channels, units);
        }
    }

    /// Routes all messages, in the order of source and destination; in a phase each moves at most
    /// `limit` links.
    pub(super) fn route(
        &mut self,
        messages: impl Iterator<Item = RoutedMessage>,
        starts: StartNodes,
        limit: u64,
    ) -> StageRouting {
        if self.phase.link_use.is_some() {
            return self.route_with(messages, starts, limit);
        }
        let uncounted = messages.map(|RoutedMessage { at, to, .. }| RoutedMessage { at, to, units: () });
        self.route_with(uncounted, starts, limit)
    }

    fn route_with<U: Units>(
        &mut self,
        messages: impl Iterator<Item = RoutedMessage<U>>,
        starts: StartNodes,
        limit: u64,
    ) -> StageRouting {
        let Self { displacements, random, phase } = self;
        let limited = |(dimension, full): (usize, Displacement)| {
            (dimension, Displacement { hops: full.hops.min(limit), ..full })
        };
        if let Some(generator) = random {
            let any = |message| {
                let all: Vec<_> = displacements.of(message).collect();
                (!all.is_empty()).then(|| limited(all[generator.random_range(0..all.len())]))
            };
            // All messages advance phase by phase, in the order of the random choices.
            return route(displacements, phase, messages, starts, FirstPhases::One, any);
        }
        let lowest = |message| displacements.lowest(message).map(limited);
        let first = if starts == StartNodes::Distinct { FirstPhases::Two } else { FirstPhases::One };
        route(displacements, phase, messages, starts, first, lowest)
    }
}

/// Number of phases that each message takes before the next message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstPhases {
    One,
    /// The first two; start nodes are distinct in the first.
    Two,
}

impl Displacements {
    /// The lowest coordinate in which a message is not at its destination, counted from 0, and its
    /// displacement.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn lowest<U: Units>(
        &self,
        RoutedMessage { at, to, .. }: RoutedMessage<U>,
    ) -> Option<(usize, Displacement)> {
        for (dimension, axis) in self.axes.iter().enumerate() {
            if let Some(displacement) = axis.displacement(at, to, self.tie) {
                return Some((dimension, displacement));
            }
        }
        None
    }

    /// The coordinates in which a message is not at its destination, counted from 0, each with its
    /// displacement.
    #[inline]
    fn of<U: Units>(&self, message: RoutedMessage<U>) -> impl Iterator<Item = (usize, Displacement)> {
        let RoutedMessage { at, to, .. } = message;
        let displacement = move |axis: &Axis| axis.displacement(at, to, self.tie);
        self.axes
            .iter()
            .enumerate()
            .filter_map(move |(dimension, axis)| Some((dimension, displacement(axis)?)))
    }
}

/// Executes the phases of all messages; `choose` returns the move of a message in a phase, or `None` if it
/// has arrived.
fn route<U: Units>(
    displacements: &Displacements,
    phase: &mut Phase,
    messages: impl Iterator<Item = RoutedMessage<U>>,
    starts: StartNodes,
    first_phases: FirstPhases,
    mut choose: impl FnMut(RoutedMessage<U>) -> Option<(usize, Displacement)>,
) -> StageRouting {
    // Moves a message in a phase; `None` if it has arrived.
    let mut advance = |phase: &mut Phase, message: RoutedMessage<U>, starts| {
        let (dimension, displacement) = choose(message)?;
        let axis = &displacements.axes[dimension];
        phase.add(dimension, axis, message, displacement, starts);
        let at = axis.after(message.at, displacement);
        (at != message.to).then_some(RoutedMessage { at, ..message })
    };
    let mut in_flight = vec![];
    for message in messages {
        let Some(onward) = advance(phase, message, starts) else { continue };
        in_flight.extend(match first_phases {
            FirstPhases::One => Some(onward),
            FirstPhases::Two => advance(phase, onward, StartNodes::Shared),
        });
    }
    let mut routing = phase.finish(&displacements.axes);
    while !in_flight.is_empty() {
        in_flight.retain_mut(|message| {
            advance(phase, *message, StartNodes::Shared).map(|onward| *message = onward).is_some()
        });
        routing += phase.finish(&displacements.axes);
    }
    routing
}

/// Whether messages of a phase may share start nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartNodes {
    /// All start nodes differ: messages in one direction then keep their distances and never meet.
    Distinct,
    /// Messages may share start nodes.
    Shared,
}

/// The messages of one phase, reused for the next.
struct Phase {
    nodes: u64,
    links: LinkMode,
    farthest: Vec<u64>,    // by direction: the longest move in links
    moves: Vec<Vec<Move>>, // by direction: the messages that may meet
    movements: LineMovements,
    link_use: Option<LinkUseCounter>, // if link use is counted
}

impl Phase {
    fn new(machine: &Machine, links: LinkMode, link_use: Option<LinkUseCounter>) -> Self {
        let directions = 2 * machine.shape().dimension_count();
        Self {
            nodes: machine.node_count(),
            links,
            farthest: vec![0; directions],
            moves: vec![vec![]; directions],
            movements: LineMovements::default(),
            link_use,
        }
    }

    /// Adds the move of a message along `axis`, which is the dimension counted from 0.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    fn add<U: Units>(
        &mut self,
        dimension: usize,
        axis: &Axis,
        RoutedMessage { at, units, .. }: RoutedMessage<U>,
        displacement: Displacement,
        starts: StartNodes,
    ) {
        let direction = 2 * dimension + usize::from(displacement.sign == Sign::Negative);
        match starts {
            StartNodes::Distinct => {
                let farthest = &mut self.farthest[direction];
                // This is rare; writing each time would delay the next read.
                if displacement.hops > *farthest {
                    *farthest = displacement.hops;
                }
            }
            StartNodes::Shared => {
                let place = axis.line_position(at, displacement.sign);
                self.moves[direction].push(Move { place, hops: narrow(displacement.hops) });
            }
        }
        if let Some(link_use) = &mut self.link_use {
            link_use.count(at, direction, displacement.hops, units.counted());
        }
    }

    /// The steps and conflicts of a complete phase: first messages with distinct start nodes, then, as in a
    /// separate phase, those that share start nodes.
    fn finish(&mut self, axes: &[Axis]) -> StageRouting {
        let mut routing = StageRouting { steps: steps(self.links, &self.farthest), conflicts: 0 };
        self.farthest.fill(0);
        for (direction, moves) in self.moves.iter_mut().enumerate() {
            if !moves.is_empty() {
                let result = self.movements.run(&axes[direction / 2], self.nodes, moves);
                self.farthest[direction] = result.steps;
                routing.conflicts += result.conflicts;
                moves.clear();
            }
        }
        routing.steps += steps(self.links, &self.farthest);
        self.farthest.fill(0);
        routing
    }
}

/// The steps of a phase from those of its directions, in ascending order (`docs/model.md` section 6).
pub(super) fn steps(links: LinkMode, by_direction: &[u64]) -> u64 {
    let most = |first| by_direction.iter().skip(first).step_by(2).copied().max().unwrap_or(0);
    match links {
        LinkMode::FullDuplex => most(0).max(most(1)),
        LinkMode::HalfDuplex => most(0) + most(1),
        LinkMode::SingleDirection => by_direction.iter().sum(),
    }
}
