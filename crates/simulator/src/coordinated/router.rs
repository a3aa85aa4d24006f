//! Bringing messages to their destinations, phase by phase.
//!
//! A message's way in a phase lies on one line, and messages hold each other up only on the same line in
//! the same direction: under every link mode the messages of a movement that could meet move in it
//! together. So each direction is gone through by itself, and the link mode only says whether the steps of
//! the directions are taken together or one after another.

use cubefold_topology::{Direction, Leg, LinkMode, Machine, NodeId, Sign, TieRule, Way};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use super::{
    axis::{Axis, low_word},
    lines::{Lines, Move},
};
use crate::{Communication, DimensionChoice, LinkUse, Routing, StageRouting, network::Channels};

/// A message on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traveller {
    pub(super) at: NodeId,
    pub(super) to: NodeId,
}

/// Whether messages may start at one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// No two do: then those that move one way keep their distances and never meet.
    Apart,
    /// Some may.
    Shared,
}

/// Routes sets of messages, one after another.
pub(super) struct Router {
    nodes: u64,
    axes: Vec<Axis>,
    links: LinkMode,
    tie: TieRule,
    choose: Choose,
    lines: Lines,
    farthest: Vec<u64>,    // by direction: the most links that one moves in the phase
    moves: Vec<Vec<Move>>, // by direction: the messages of the phase that may meet
    count: Option<Count>,
}

/// The state of the choice of dimensions.
enum Choose {
    Lowest,
    Random(Box<ChaCha12Rng>),
}

/// Where the links that messages cross are counted.
struct Count {
    directions: Vec<Direction>, // in ascending order
    channels: Channels,
    link_use: LinkUse,
}

impl Count {
    fn new(machine: &Machine, link_use: LinkUse) -> Self {
        let directions = Direction::all(machine.shape().dimension_count()).collect();
        Self { directions, channels: Channels::new(machine), link_use }
    }

    /// Counts the links that a message crosses in a direction from `at` on.
    fn add(&mut self, direction: usize, at: NodeId, hops: u64) {
        let mut transit = Channels::transit(0, at, Leg { direction: self.directions[direction], hops });
        for _ in 0..hops {
            self.link_use.count(&transit);
            transit.node = self.channels.next(&transit);
        }
    }
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
        let directions = 2 * machine.shape().dimension_count();
        Self {
            nodes: machine.node_count(),
            axes: Axis::all(machine),
            links: communication.links(),
            tie: communication.tie(),
            choose,
            lines: Lines::default(),
            farthest: vec![0; directions],
            moves: vec![vec![]; directions],
            count: link_use.map(|link_use| Count::new(machine, link_use)),
        }
    }

    /// The links that were crossed, where they were to be counted.
    pub(super) fn into_link_use(self) -> Option<LinkUse> {
        self.count.map(|count| count.link_use)
    }

    /// Brings all messages, in the order of source and destination, to their destinations; in a phase each
    /// moves at most `limit` links.
    pub(super) fn route(
        &mut self,
        messages: impl Iterator<Item = Traveller>,
        starts: Starts,
        limit: u64,
    ) -> StageRouting {
        let mut under_way = vec![];
        let mut routing = self.phase(messages, starts, limit, &mut under_way);
        let mut next = vec![];
        while !under_way.is_empty() {
            routing += self.phase(under_way.drain(..), Starts::Shared, limit, &mut next);
            std::mem::swap(&mut under_way, &mut next);
        }
        routing
    }

    /// Moves every message along one coordinate. Those that are not yet at their destinations go to
    /// `under_way`.
    fn phase(
        &mut self,
        messages: impl Iterator<Item = Traveller>,
        starts: Starts,
        limit: u64,
        under_way: &mut Vec<Traveller>,
    ) -> StageRouting {
        self.farthest.fill(0);
        for Traveller { at, to } in messages {
            let Some((dimension, whole)) = self.choose(at, to) else { continue };
            let way = Way { hops: whole.hops.min(limit), ..whole };
            self.enter(dimension, at, way, starts);
            let at = self.axes[dimension].after(at, way);
            if at != to {
                under_way.push(Traveller { at, to });
            }
        }
        self.steps_and_conflicts()
    }

    /// The coordinate that a message corrects next, counted from 0, and how; none when it has arrived.
    #[inline]
    fn choose(&mut self, at: NodeId, to: NodeId) -> Option<(usize, Way)> {
        match &mut self.choose {
            Choose::Lowest => ways(&self.axes, at, to, self.tie).next(),
            Choose::Random(generator) => {
                let ways: Vec<_> = ways(&self.axes, at, to, self.tie).collect();
                (!ways.is_empty()).then(|| ways[generator.random_range(0..ways.len())])
            }
        }
    }

    /// A message moves this way from `at` in the current phase.
    #[inline]
    fn enter(&mut self, dimension: usize, at: NodeId, way: Way, starts: Starts) {
        let direction = 2 * dimension + usize::from(way.sign == Sign::Negative);
        self.farthest[direction] = self.farthest[direction].max(way.hops);
        if starts == Starts::Shared {
            let place = self.axes[dimension].place(at, way.sign);
            self.moves[direction].push(Move { place, hops: low_word(way.hops) });
        }
        if let Some(count) = &mut self.count {
            count.add(direction, at, way.hops);
        }
    }

    /// What the phase takes, now that all its messages are known.
    fn steps_and_conflicts(&mut self) -> StageRouting {
        let mut conflicts = 0;
        for (direction, moves) in self.moves.iter_mut().enumerate() {
            if !moves.is_empty() {
                let own = self.lines.run(&self.axes[direction / 2], self.nodes, moves);
                self.farthest[direction] = own.steps;
                conflicts += own.conflicts;
                moves.clear();
            }
        }
        StageRouting { steps: steps(self.links, &self.farthest), conflicts }
    }
}

/// The coordinates in which two nodes differ, counted from 0, each with the way to correct it.
#[inline]
fn ways(axes: &[Axis], at: NodeId, to: NodeId, tie: TieRule) -> impl Iterator<Item = (usize, Way)> {
    axes.iter().enumerate().filter_map(move |(dimension, axis)| Some((dimension, axis.way(at, to, tie)?)))
}

/// The steps of a phase from those of the directions, in ascending order (`docs/model.md` section 6).
pub(super) fn steps(links: LinkMode, by_direction: &[u64]) -> u64 {
    let most = |first| by_direction.iter().skip(first).step_by(2).copied().max().unwrap_or(0);
    match links {
        LinkMode::FullDuplex => most(0).max(most(1)),
        LinkMode::HalfDuplex => most(0) + most(1),
        LinkMode::SingleDirection => by_direction.iter().sum(),
    }
}
