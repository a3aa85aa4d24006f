//! Messages that move the same way, line by line.

use super::belt::{Belt, Start};
use crate::{
    StageRouting,
    axis::{Axis, Place},
};

/// A message that starts somewhere on the lines of an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) place: Place,
    pub(super) hops: u32, // at least 1
}

/// Takes the messages of one direction after another through their lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    belt: Belt,
    firsts: Vec<u32>, // by line: the place of its first message in `sorted`
    sorted: Vec<Start>,
}

impl Lines {
    /// Steps and conflicts of the messages that move one way along `axis` on a machine of `nodes` nodes;
    /// those that start at one node go in the order of `moves`.
    ///
    /// Lines have no channel in common: as many steps as the slowest takes.
    pub(super) fn run(&mut self, axis: &Axis, nodes: u64, moves: &mut [Move]) -> StageRouting {
        let lines = nodes / axis.length();
        // On a machine with hardly any messages there may be far more lines than these.
        if lines / 4 <= moves.len() as u64 {
            self.count_by_line(usize::try_from(lines).unwrap_or(usize::MAX), moves);
        } else {
            self.sort_by_line(moves);
        }
        let length = usize::try_from(axis.length()).unwrap_or(usize::MAX);
        let mut routing = StageRouting::default();
        for bounds in self.firsts.windows(2) {
            let line = &self.sorted[bounds[0] as usize..bounds[1] as usize];
            let own = self.belt.run(length, line);
            routing.steps = routing.steps.max(own.steps);
            routing.conflicts += own.conflicts;
        }
        routing
    }

    /// Sorts by line, keeping the order within each, in as many steps as there are messages and lines.
    fn count_by_line(&mut self, lines: usize, moves: &[Move]) {
        self.firsts.clear();
        self.firsts.resize(lines + 1, 0);
        for own in moves {
            self.firsts[own.place.line as usize + 1] += 1;
        }
        let mut first = 0;
        for entry in &mut self.firsts[1..] {
            first += std::mem::replace(entry, first);
        }
        self.sorted.clear();
        self.sorted.resize(moves.len(), Start::default());
        // Entry `line + 1` goes from the line's first place to behind its last, where the next begins.
        for own in moves {
            let place = &mut self.firsts[own.place.line as usize + 1];
            self.sorted[*place as usize] = own.start();
            *place += 1;
        }
    }

    /// Sorts by line, keeping the order within each, in memory of the messages alone.
    fn sort_by_line(&mut self, moves: &mut [Move]) {
        moves.sort_by_key(|own| own.place.line);
        self.sorted.clear();
        self.sorted.extend(moves.iter().map(Move::start));
        self.firsts.clear();
        self.firsts.push(0);
        let mut end = 0;
        for line in moves.chunk_by(|one, other| one.place.line == other.place.line) {
            end += crate::axis::low_word(line.len() as u64);
            self.firsts.push(end);
        }
    }
}

impl Move {
    fn start(&self) -> Start {
        Start { position: self.place.position, hops: self.hops }
    }
}
