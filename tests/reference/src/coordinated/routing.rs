//! The routing of a stage's messages: phases, movements and steps.
//!
//! `docs/model.md` section 6.

use std::collections::BTreeMap;

use super::super::grid::{Channel, Link, Sign};
use super::super::problem::{Links, Message, Problem};
use super::super::route::Leg;

/// The routing of the messages of one stage, and what it took.
pub struct Routing<'problem> {
    problem: &'problem Problem,
    /// Where each message is: the message and the node it has reached.
    positions: Vec<(Message, u64)>,
    /// Steps so far.
    pub steps: u64,
    /// Conflicts so far.
    pub conflicts: u64,
    /// How many messages crossed each link so far.
    pub crossings: BTreeMap<Link, u64>,
}

/// A message in a movement.
struct Mover {
    /// Its place among the messages of the routing.
    place: usize,
    /// What is left of its way in this movement.
    leg: Leg,
    /// The step of this movement in which it arrived at its node, the first one being step 1; 0 when
    /// it started the movement there.
    arrived: u64,
}

impl<'problem> Routing<'problem> {
    /// Routes messages to the end, phase by phase.
    pub fn of(problem: &'problem Problem, messages: &[Message], phase_length: Option<u64>) -> Self {
        let start = |message: &Message| (*message, problem.nodes[message.source]);
        let positions = messages.iter().map(start).collect();
        let mut routing = Self { problem, positions, steps: 0, conflicts: 0, crossings: BTreeMap::new() };
        while routing.phase(phase_length) {}
        routing
    }

    /// One phase; whether any message had still to move.
    fn phase(&mut self, phase_length: Option<u64>) -> bool {
        let movements = self.movements(phase_length);
        let any = !movements.is_empty();
        for movers in movements.into_values() {
            self.movement(movers);
        }
        any
    }

    /// The movements of a phase that have messages, in their order, named by a dimension and direction
    /// as far as the link mode tells those apart.
    fn movements(&self, phase_length: Option<u64>) -> BTreeMap<(usize, Sign), Vec<Mover>> {
        let mut movements = BTreeMap::<_, Vec<Mover>>::new();
        for (place, &(message, node)) in self.positions.iter().enumerate() {
            let destination = self.problem.nodes[message.destination];
            if let Some(mut leg) = self.problem.grid.next_leg(node, destination, &self.problem.tie) {
                leg.links = leg.links.min(phase_length.unwrap_or(leg.links));
                let movement = match self.problem.links {
                    Links::FullDuplex => (0, Sign::Positive),
                    Links::HalfDuplex => (0, leg.sign),
                    Links::SingleDirection => (leg.dimension, leg.sign),
                };
                movements.entry(movement).or_default().push(Mover { place, leg, arrived: 0 });
            }
        }
        movements
    }

    /// One movement: steps until every message has gone its way in it.
    fn movement(&mut self, mut movers: Vec<Mover>) {
        let most_links = movers.iter().map(|mover| mover.leg.links).max().unwrap_or(0);
        let conflicts_before = self.conflicts;
        let mut step = 0;
        while !movers.is_empty() {
            step += 1;
            self.step(step, &mut movers);
            movers.retain(|mover| mover.leg.links > 0);
        }
        assert!(self.conflicts > conflicts_before || step == most_links, "no conflicts, no delay");
        self.steps += step;
    }

    /// One step: every channel that is wanted moves the first of the messages that want it, by the
    /// step it arrived, source and destination; the others suffer a conflict.
    fn step(&mut self, step: u64, movers: &mut [Mover]) {
        let mut wanting = BTreeMap::<Channel, Vec<&mut Mover>>::new();
        for mover in movers {
            let (_, node) = self.positions[mover.place];
            let Leg { dimension, sign, .. } = mover.leg;
            wanting.entry(Channel { node, dimension, sign }).or_default().push(mover);
        }
        for (channel, mut movers) in wanting {
            movers.sort_by_key(|mover| (mover.arrived, self.positions[mover.place].0));
            let mut movers = movers.into_iter();
            if let Some(first) = movers.next() {
                self.positions[first.place].1 = self.problem.grid.end(channel);
                first.arrived = step;
                first.leg.links -= 1;
                *self.crossings.entry(self.problem.grid.link(channel)).or_default() += 1;
            }
            self.conflicts += movers.map(|_| 1).sum::<u64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::{Links, Problem};
    use super::Routing;

    /// Steps and conflicts of messages on a line of four with process `n` on node `n`.
    fn on_a_line(links: Links, messages: &[(u32, u32)]) -> (u64, u64) {
        let problem = Problem { links, ..Problem::on_mesh(&[4], &[messages]) };
        let routing = Routing::of(&problem, &problem.messages(), None);
        (routing.steps, routing.conflicts)
    }

    #[test]
    fn the_message_that_arrived_first_goes_first() {
        // Step 1: 0 -> 3 moves to 1; channel (1,+) is wanted by 1 -> 2 and 1 -> 3, both from the start:
        // 1 -> 2 goes, one conflict. Step 2: 1 -> 3 (arrived 0) goes before 0 -> 3 (arrived 1), though its
        // source is greater: one conflict. Step 3: 0 -> 3 to 2, 1 -> 3 to 3. Step 4: 0 -> 3 to 3.
        assert_eq!(on_a_line(Links::FullDuplex, &[(0, 3), (1, 3), (1, 2)]), (4, 2));
    }

    #[test]
    fn without_conflicts_a_movement_takes_the_most_links() {
        // 0 -> 3 and 3 -> 1: three steps together; under half-duplex 3 for + and then 2 for -
        assert_eq!(on_a_line(Links::FullDuplex, &[(0, 3), (3, 1)]), (3, 0));
        assert_eq!(on_a_line(Links::HalfDuplex, &[(0, 3), (3, 1)]), (5, 0));
        assert_eq!(on_a_line(Links::SingleDirection, &[(0, 3), (3, 1)]), (5, 0));
        assert_eq!(on_a_line(Links::FullDuplex, &[]), (0, 0));
    }
}
