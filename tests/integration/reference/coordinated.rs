//! Coordinated execution: all compute, then the machine routes the stage's messages together.
//!
//! `docs/model.md` section 6, one process a node at most, the stage's messages in one subset and
//! every message correcting its lowest-numbered coordinate first. How the messages are moved is in
//! module [`routing`]; here the steps become cycles.

mod routing;

use std::collections::BTreeMap;

use super::grid::Link;
use super::problem::{Message, Problem, Row};
use routing::Routing;

/// What is measured of a coordinated run (`docs/model.md` section 6).
#[derive(Clone, Debug)]
pub(crate) struct CoordinatedOutcome {
    /// What each process did in each stage: `rows[stage][process]`. Nothing is ever blocked.
    pub rows: Vec<Vec<Row>>,
    /// Routing steps of each stage, summed over its movements.
    pub steps: Vec<u64>,
    /// Conflicts of each stage: one a step for each message that wants a channel and is not moved.
    pub conflicts: Vec<u64>,
    /// The sum over the stages of `T_a + T_c * steps` [cycles].
    pub makespan: u64,
    /// Links crossed, by all messages together.
    pub hops: u64,
    /// Number of messages.
    pub messages: u64,
    /// Cycles of transmission over each link, both directions added up; a link that no message
    /// crosses has no entry.
    pub busy_cycles: BTreeMap<Link, u64>,
}

/// Runs a problem in coordination; with a phase length a message moves at most that many links in a
/// phase (`docs/model.md` section 6).
///
/// # Panics
///
/// Where two processes share a node, a process sends to itself or the phase length is 0.
pub(crate) fn coordinated(problem: &Problem, phase_length: Option<u64>) -> CoordinatedOutcome {
    problem.check();
    assert!(problem.largest_load() <= 1, "one process a node at most");
    assert_ne!(phase_length, Some(0), "a phase moves messages");
    let mut outcome = CoordinatedOutcome {
        rows: Vec::new(),
        steps: Vec::new(),
        conflicts: Vec::new(),
        makespan: 0,
        hops: 0,
        messages: 0,
        busy_cycles: BTreeMap::new(),
    };
    let messages = problem.messages();
    for stage in 0..problem.stages.len() {
        let of_stage = messages.iter().filter(|message| message.stage == stage).copied().collect::<Vec<_>>();
        execute_stage(problem, &of_stage, phase_length, &mut outcome);
    }
    outcome
}

/// Adds a stage with these messages to the outcome; it begins at the makespan so far.
fn execute_stage(
    problem: &Problem,
    messages: &[Message],
    phase_length: Option<u64>,
    outcome: &mut CoordinatedOutcome,
) {
    let routing = Routing::of(problem, messages, phase_length);
    let ready = outcome.makespan + problem.compute_cycles;
    let processes = 0..problem.nodes.len();
    outcome
        .rows
        .push(processes.map(|process| row(problem, messages, process, ready, routing.steps)).collect());
    outcome.makespan = ready + problem.hop_cycles * routing.steps;
    outcome.steps.push(routing.steps);
    outcome.conflicts.push(routing.conflicts);
    outcome.messages += messages.iter().map(|_| 1).sum::<u64>();
    for (link, crossings) in routing.crossings {
        outcome.hops += crossings;
        *outcome.busy_cycles.entry(link).or_default() += problem.hop_cycles * crossings;
    }
}

/// The row of a process in a stage of so many steps, from the farthest message that it receives.
fn row(problem: &Problem, messages: &[Message], process: usize, ready: u64, steps: u64) -> Row {
    let received = messages.iter().filter(|message| message.destination == process);
    let Some(farthest) = received.map(|message| problem.distance(*message)).max() else {
        return Row::without_message(ready);
    };
    let waiting = problem.hop_cycles * steps - problem.hop_cycles * farthest;
    let transfer = problem.hop_cycles * farthest;
    let start = ready + waiting;
    Row { sharing: 0, ready, start, finish: start + transfer, waiting, transfer, blocked: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::grid::Grid;
    use super::super::problem::{Links, Problem, Row};
    use super::super::route::Tie;
    use super::coordinated;

    /// Process `n` on node `n` of a mesh, `T_a = 5`, `T_c = 2`.
    fn mesh(lengths: &[u64], links: Links, stages: Vec<Vec<(u32, u32)>>) -> Problem {
        let grid = Grid { lengths: lengths.to_vec(), wraps: vec![false; lengths.len()] };
        Problem {
            nodes: (0..grid.number_of_nodes()).collect(),
            grid,
            links,
            tie: Tie::Direct,
            hop_cycles: 2,
            compute_cycles: 5,
            stages,
        }
    }

    #[test]
    fn the_steps_of_a_stage_are_paid_by_every_process() {
        // (3,2)-mesh, stage 0: 0 = (0,0) and 2 = (2,0) send to 4 = (1,1). Phase 1: both reach (1,0) in
        // one step, by different channels. Phase 2: one goes up, the other waits (a conflict), then goes:
        // two steps. Stage 1: 5 -> 4, one step.
        let problem = mesh(&[3, 2], Links::FullDuplex, vec![vec![(0, 4), (2, 4)], vec![(5, 4)]]);
        let outcome = coordinated(&problem, None);
        assert_eq!((&outcome.steps[..], &outcome.conflicts[..]), (&[3, 1][..], &[1, 0][..]));
        // ready at 5; 2 * 3 - 2 * 2 = 2 waiting, 2 * 2 = 4 transfer
        let row = Row { sharing: 0, ready: 5, start: 7, finish: 11, waiting: 2, transfer: 4, blocked: 0 };
        assert_eq!(outcome.rows[0][4], row);
        assert_eq!(outcome.rows[0][1], Row::without_message(5));
        // stage 1 begins at 5 + 2 * 3 = 11
        let row = Row { sharing: 0, ready: 16, start: 16, finish: 18, waiting: 0, transfer: 2, blocked: 0 };
        assert_eq!(outcome.rows[1][4], row);
        // 5 + 6 + 5 + 2 = 18
        assert_eq!((outcome.makespan, outcome.messages, outcome.hops), (18, 3, 5));
        // links 0-1, 1-2 and 4-5 once, 1-4 twice, T_c = 2
        let busy_cycles = outcome.busy_cycles.into_iter().collect::<Vec<_>>();
        assert_eq!(busy_cycles, [((0, 0), 2), ((1, 0), 2), ((1, 1), 4), ((4, 0), 2)]);
    }

    #[test]
    fn the_farthest_message_sets_the_row() {
        // line of 4: 1 -> 2 and 0 -> 2 (two links). Step 1: both move; step 2: 0 -> 2 moves. 2 steps.
        let problem = mesh(&[4], Links::FullDuplex, vec![vec![(1, 2), (0, 2)]]);
        let row = Row { sharing: 0, ready: 5, start: 5, finish: 9, waiting: 0, transfer: 4, blocked: 0 };
        assert_eq!(coordinated(&problem, None).rows[0][2], row);
    }

    #[test]
    fn a_phase_length_lets_messages_turn_earlier() {
        // (3,2)-mesh: 0 = (0,0) to 2 = (2,0), and 3 = (0,1) to 1 = (1,0), which turns. Unlimited: phase 1
        // takes the two steps of 0 -> 2, phase 2 one more. Length 1: one step, and in phase 2 0 -> 2 makes
        // its second link while 3 -> 1 comes down: two steps.
        let problem = mesh(&[3, 2], Links::FullDuplex, vec![vec![(0, 2), (3, 1)]]);
        assert_eq!(coordinated(&problem, None).steps, [3]);
        assert_eq!(coordinated(&problem, Some(2)).steps, [3]);
        assert_eq!(coordinated(&problem, Some(1)).steps, [2]);
    }

    #[test]
    fn the_link_modes_part_a_phase_into_movements() {
        // (2,2)-mesh, 0 <-> 3 and 1 <-> 2: in each of the two phases two messages move + and two move -,
        // all in one dimension. Full-duplex: 1 + 1 steps; half-duplex: (1 + 1) + (1 + 1); single-direction
        // the same, as the movements of the other dimension have no messages.
        let stage = vec![(0, 3), (3, 0), (1, 2), (2, 1)];
        for (links, steps) in [(Links::FullDuplex, 2), (Links::HalfDuplex, 4), (Links::SingleDirection, 4)] {
            let outcome = coordinated(&mesh(&[2, 2], links, vec![stage.clone()]), None);
            assert_eq!((outcome.steps, outcome.conflicts), (vec![steps], vec![0]));
        }
        // 0 -> 1 in dimension 1 and 0 -> 2 in dimension 2, both +, go together but for single-direction
        for (links, steps) in [(Links::FullDuplex, 1), (Links::HalfDuplex, 1), (Links::SingleDirection, 2)] {
            let outcome = coordinated(&mesh(&[2, 2], links, vec![vec![(0, 1), (0, 2)]]), None);
            assert_eq!((outcome.steps, outcome.conflicts), (vec![steps], vec![0]));
        }
    }
}
