//! One phase: every message that has not arrived moves along one coordinate.

use cubefold_topology::{Direction, Displacement, Leg, LinkMode, Machine, NodeId, Sign};

use super::lines::{Lines, Move};
use crate::{
    LinkUse, StageRouting,
    axis::{Axis, low_word},
    network::Channels,
};

/// Whether messages may start at one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// No two do: then those that move one way keep their distances and never meet.
    Apart,
    /// Some may.
    Shared,
}

/// The messages of one phase, and of the next when that is over.
///
/// A message's way in a phase lies on one line, and messages hold each other up only on the same line in
/// the same direction: under every link mode the messages that could meet move at the same time. So each
/// direction is gone through by itself, and the link mode only says whether the directions move together
/// or one after another.
pub(super) struct Phase {
    nodes: u64,
    links: LinkMode,
    farthest: Vec<u64>,    // by direction: the most links that one moves
    moves: Vec<Vec<Move>>, // by direction: the messages that may meet
    lines: Lines,
    count: Option<Count>,
}

/// Where the links that messages cross are counted.
struct Count {
    directions: Vec<Direction>, // in ascending order
    channels: Channels,
    link_use: LinkUse,
}

impl Phase {
    pub(super) fn new(machine: &Machine, links: LinkMode, link_use: Option<LinkUse>) -> Self {
        let directions = 2 * machine.shape().dimension_count();
        Self {
            nodes: machine.node_count(),
            links,
            farthest: vec![0; directions],
            moves: vec![vec![]; directions],
            lines: Lines::default(),
            count: link_use.map(|link_use| Count::new(machine, link_use)),
        }
    }

    /// The links that were crossed, where they were to be counted.
    pub(super) fn into_link_use(self) -> Option<LinkUse> {
        self.count.map(|count| count.link_use)
    }

    /// A message moves this way along `axis`, that of a dimension counted from 0.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn add(
        &mut self,
        dimension: usize,
        axis: &Axis,
        at: NodeId,
        way: Displacement,
        starts: Starts,
    ) {
        let direction = 2 * dimension + usize::from(way.sign == Sign::Negative);
        match starts {
            Starts::Apart => {
                let farthest = &mut self.farthest[direction];
                *farthest = way.hops.max(*farthest);
            }
            Starts::Shared => {
                let place = axis.line_position(at, way.sign);
                self.moves[direction].push(Move { place, hops: low_word(way.hops) });
            }
        }
        if let Some(count) = &mut self.count {
            count.add(direction, at, way.hops);
        }
    }

    /// What the phase takes, now that all its messages are known: first those that start apart, then, as in
    /// a phase of their own, those that share.
    pub(super) fn finish(&mut self, axes: &[Axis]) -> StageRouting {
        let mut routing = StageRouting { steps: steps(self.links, &self.farthest), conflicts: 0 };
        self.farthest.fill(0);
        for (direction, moves) in self.moves.iter_mut().enumerate() {
            if !moves.is_empty() {
                let own = self.lines.run(&axes[direction / 2], self.nodes, moves);
                self.farthest[direction] = own.steps;
                routing.conflicts += own.conflicts;
                moves.clear();
            }
        }
        routing.steps += steps(self.links, &self.farthest);
        self.farthest.fill(0);
        routing
    }
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

/// The steps of a phase from those of the directions, in ascending order (`docs/model.md` section 6).
pub(super) fn steps(links: LinkMode, by_direction: &[u64]) -> u64 {
    let most = |first| by_direction.iter().skip(first).step_by(2).copied().max().unwrap_or(0);
    match links {
        LinkMode::FullDuplex => most(0).max(most(1)),
        LinkMode::HalfDuplex => most(0) + most(1),
        LinkMode::SingleDirection => by_direction.iter().sum(),
    }
}
