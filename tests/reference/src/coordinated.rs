//! Coordinated execution: all compute, then the machine routes the stage's messages together.
//!
//! `docs/model.md` section 6, every message correcting its lowest-numbered coordinate first. A stage's
//! messages are routed in subsets, one after another (modules `parts` and `plan`); how the messages
//! of a subset are moved is in module `routing`. Here the steps become cycles.

mod parts;
mod plan;
mod routing;

use std::collections::BTreeMap;

use routing::Routing;

use super::{
    grid::Link,
    problem::{Message, Problem, Row},
};

pub use plan::RoutingPlan;

/// What is measured of a coordinated run (`docs/model.md` section 6).
#[derive(Clone, Debug)]
pub struct CoordinatedOutcome {
    /// What each process did in each stage: `rows[stage][process]`. Nothing is ever blocked.
    pub rows: Vec<Vec<Row>>,
    /// Routing steps of each stage, summed over its subsets and their movements.
    pub steps: Vec<u64>,
    /// Conflicts of each stage: one a step for each message that wants a channel and is not moved.
    pub conflicts: Vec<u64>,
    /// The sum over the stages of `T_a L + T_c * steps` \[cycles\], `L` the largest load.
    pub makespan: u64,
    /// Links crossed, by all messages together.
    pub hops: u64,
    /// Number of messages, those within a node included.
    pub messages: u64,
    /// Cycles of transmission over each link, both directions added up; a link that no message
    /// crosses has no entry.
    pub busy_cycles: BTreeMap<Link, u64>,
}

/// Runs a problem in coordination without a routing vector; with a phase length a message moves at most
/// that many links in a phase (`docs/model.md` section 6).
///
/// # Panics
///
/// Where a process sends to itself or the phase length is 0.
pub fn coordinated(problem: &Problem, phase_length: Option<u64>) -> CoordinatedOutcome {
    coordinated_by_plan(problem, &RoutingPlan::one_subset(problem, phase_length))
}

/// Runs a problem in coordination, the messages of a stage in the subsets that a plan gives
/// (`docs/model.md` section 6).
///
/// # Panics
///
/// Where a process sends to itself, and where the plan does not give each message a number and each
/// number a phase length that is not 0, or none.
pub fn coordinated_by_plan(problem: &Problem, plan: &RoutingPlan) -> CoordinatedOutcome {
    problem.check();
    plan.check(problem);
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
        execute_stage(problem, &of_stage, plan, &mut outcome);
    }
    outcome
}

/// Adds a stage with these messages, as they are listed, to the outcome; it begins at the makespan so far.
fn execute_stage(
    problem: &Problem,
    messages: &[Message],
    plan: &RoutingPlan,
    outcome: &mut CoordinatedOutcome,
) {
    let (mut steps, mut conflicts) = (0, 0);
    for (subset, phase_length) in plan.subsets(problem, messages) {
        let routing = Routing::of(problem, &subset, phase_length);
        steps += routing.steps;
        conflicts += routing.conflicts;
        for (link, crossings) in routing.crossings {
            outcome.hops += crossings;
            *outcome.busy_cycles.entry(link).or_default() += problem.hop_cycles * crossings;
        }
    }
    let begin = outcome.makespan;
    let processes = 0..problem.nodes.len();
    outcome.rows.push(processes.map(|process| row(problem, messages, process, begin, steps)).collect());
    outcome.makespan = begin + problem.compute_cycles * problem.largest_load() + problem.hop_cycles * steps;
    outcome.steps.push(steps);
    outcome.conflicts.push(conflicts);
    outcome.messages += messages.iter().map(|_| 1).sum::<u64>();
}

/// The row of a process in a stage that begins at a cycle and takes so many steps, from the farthest
/// message that the process receives; one from its own node has come no way at all.
fn row(problem: &Problem, messages: &[Message], process: usize, begin: u64, steps: u64) -> Row {
    let sharing = problem.compute_cycles * (problem.largest_load() - 1);
    let ready = begin + problem.compute_cycles + sharing;
    let received = messages.iter().filter(|message| message.destination == process);
    let Some(farthest) = received.map(|message| problem.distance(*message)).max() else {
        return Row { sharing, ..Row::without_message(ready) };
    };
    let waiting = problem.hop_cycles * steps - problem.hop_cycles * farthest;
    let transfer = problem.hop_cycles * farthest;
    let start = ready + waiting;
    Row { sharing, ready, start, finish: start + transfer, waiting, transfer, blocked: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Links, Problem, Row};
    use super::coordinated;

    /// Process `n` on node `n` of a mesh, `T_a = 5`, `T_c = 2`.
    fn mesh(lengths: &[u64], links: Links, stages: &[&[(u32, u32)]]) -> Problem {
        Problem { links, hop_cycles: 2, compute_cycles: 5, ..Problem::on_mesh(lengths, stages) }
    }

    #[test]
    fn the_steps_of_a_stage_are_paid_by_every_process() {
        // (3,2)-mesh, stage 0: 0 = (0,0) and 2 = (2,0) send to 4 = (1,1). Phase 1: both reach (1,0) in
        // one step, by different channels. Phase 2: one goes up, the other waits (a conflict), then goes:
        // two steps. Stage 1: 5 -> 4, one step.
        let problem = mesh(&[3, 2], Links::FullDuplex, &[&[(0, 4), (2, 4)], &[(5, 4)]]);
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
        let problem = mesh(&[4], Links::FullDuplex, &[&[(1, 2), (0, 2)]]);
        let row = Row { sharing: 0, ready: 5, start: 5, finish: 9, waiting: 0, transfer: 4, blocked: 0 };
        assert_eq!(coordinated(&problem, None).rows[0][2], row);
    }

    #[test]
    fn a_phase_length_lets_messages_turn_earlier() {
        // (3,2)-mesh: 0 = (0,0) to 2 = (2,0), and 3 = (0,1) to 1 = (1,0), which turns. Unlimited: phase 1
        // takes the two steps of 0 -> 2, phase 2 one more. Length 1: one step, and in phase 2 0 -> 2 makes
        // its second link while 3 -> 1 comes down: two steps.
        let problem = mesh(&[3, 2], Links::FullDuplex, &[&[(0, 2), (3, 1)]]);
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
            let outcome = coordinated(&mesh(&[2, 2], links, &[&stage]), None);
            assert_eq!((outcome.steps, outcome.conflicts), (vec![steps], vec![0]));
        }
        // 0 -> 1 in dimension 1 and 0 -> 2 in dimension 2, both +, go together but for single-direction
        for (links, steps) in [(Links::FullDuplex, 1), (Links::HalfDuplex, 1), (Links::SingleDirection, 2)] {
            let outcome = coordinated(&mesh(&[2, 2], links, &[&[(0, 1), (0, 2)]]), None);
            assert_eq!((outcome.steps, outcome.conflicts), (vec![steps], vec![0]));
        }
    }
}
