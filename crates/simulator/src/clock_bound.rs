//! A bound on makespans, so that no clock overflows.
//!
//! In every cycle of a run some process of the earliest unfinished stage computes, or a message that it awaits crosses a link:
//! all computations of a node and all messages one after another take at least as long as the run. If stages use
//! one coordinate after another on a product placement, a process waits for messages of its own line only, and the lines
//! of a dimension are all equal (`docs/model.md` section 8): then the messages of one line are enough.

use cubefold_mapping::Placement;
use cubefold_topology::{LinkMode, Machine};

use crate::{
    Communication, Execution, MessageRoutes, Program, TaskGraph, belt, explicit_routes::ExplicitRoutes,
};

/// Messages of one size for which a process may have to wait, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SerialMessages {
    /// The size of each \[units\].
    pub units: u64,
    /// Their number.
    pub count: u128,
    /// The most links that one crosses.
    pub links: u64,
}

impl SerialMessages {
    /// The sum of their times, saturating at 128 bits \[cycles\].
    #[must_use]
    pub fn cycles(&self, communication: Communication) -> u128 {
        self.count.saturating_mul(communication.transfer_bound(self.units, self.links))
    }
}

/// Returns the messages whose times, with the computations of a node, bound the makespan of a program.
///
/// `execution` may be any in which a program runs; asynchronous executions on full-duplex and half-duplex links have the
/// better bound of their lines.
#[must_use]
pub fn serial_messages(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> Vec<SerialMessages> {
    let may_use_lines = *execution == Execution::Asynchronous
        && communication.links() != LinkMode::SingleDirection
        && communication.routes() == MessageRoutes::OfMachine
        && communication.routers().is_none();
    if may_use_lines
        && placement.is_one_to_one()
        && let (Some(program), Placement::Product(placement)) = (program.special().cube(), placement)
        && let Some(messages) = belt::serial_messages(program, placement)
    {
        return messages;
    }
    all_messages(program, ExplicitRoutes::longest(placement, communication))
}

/// The messages of all stages, each over at most `links` links.
fn all_messages(program: &dyn Program, links: u64) -> Vec<SerialMessages> {
    if let Some(job) = program.special().job() {
        let of_stage = |stage| {
            let count = job.messages_of_stage(stage) * job.iterations() as u128;
            SerialMessages { units: program.max_units(stage), count, links }
        };
        return (0..program.stage_count() / job.iterations()).map(of_stage).collect();
    }
    let count = u128::from(program.process_count()) * program.facts().max_received as u128;
    let of_stages = |units, stages: usize| SerialMessages { units, count: count * stages as u128, links };
    match program.facts().uniform_units {
        Some(units) => vec![of_stages(units, program.stage_count())],
        None => (0..program.stage_count()).map(|stage| of_stages(program.max_units(stage), 1)).collect(),
    }
}

/// Returns a bound on the makespan \[cycles\].
#[must_use]
pub fn max_cycles(
    program: &dyn Program,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
) -> u128 {
    let communication = communication.on(placement.machine());
    if let Some(graph) = program.special().tasks() {
        let longest = ExplicitRoutes::longest(placement, communication);
        return max_cycles_of_tasks(graph, communication, longest);
    }
    let messages = serial_messages(program, placement, communication, execution);
    sum(program, placement.max_load(), &messages, communication)
}

/// Returns a bound on the makespan of asynchronous execution under any placement \[cycles\].
pub(crate) fn max_cycles_of_any_placement(
    program: &dyn Program,
    machine: &Machine,
    communication: Communication,
) -> u128 {
    let communication = communication.on(machine);
    let longest = ExplicitRoutes::longest_of_any_placement(machine, communication);
    if let Some(graph) = program.special().tasks() {
        return max_cycles_of_tasks(graph, communication, longest);
    }
    let messages = all_messages(program, longest);
    sum(program, program.process_count(), &messages, communication)
}

/// All computations of a node with `load` processes, and these messages, one after another \[cycles\].
fn sum(program: &dyn Program, load: u64, messages: &[SerialMessages], communication: Communication) -> u128 {
    let computing = match program.special().job() {
        // A step may wait for the computations of any other.
        Some(_) => program.facts().total_compute,
        None => (program.stage_count() as u128)
            .saturating_mul(program.facts().compute.get().into())
            .saturating_mul(load.into()),
    };
    let of_messages =
        messages.iter().fold(computing, |sum, class| sum.saturating_add(class.cycles(communication)));
    let count = messages.iter().fold(0_u128, |sum, class| sum.saturating_add(class.count));
    of_messages.saturating_add(costs(count, communication))
}

/// The bound of a task graph whose messages cross at most `links` links.
fn max_cycles_of_tasks(graph: &TaskGraph, communication: Communication, links: u64) -> u128 {
    let costs = costs(graph.message_count().into(), communication);
    graph.max_cycles(communication, links).saturating_add(costs)
}

/// The time that cores are busy with these messages, one after another \[cycles\].
fn costs(messages: u128, communication: Communication) -> u128 {
    messages.saturating_mul(2 * u128::from(communication.message_cost().get()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{CubeProgram, Cycles, EngineChoice, Job, JobStep, MessageSizes, Request, StepBody, simulate};
    use cubefold_mapping::{EmbeddingKind, Hypercube};
    use cubefold_topology::{MachineKind, TieRule};

    const ASYNCHRONOUS: Execution = Execution::Asynchronous;

    fn program(stages: &[u64]) -> CubeProgram {
        let cube = Hypercube::new(6).unwrap();
        let stages = stages.iter().map(|&stage| cube.dimension(stage).unwrap()).collect();
        CubeProgram::new(cube, stages, Cycles::new(2)).unwrap()
    }

    #[test]
    fn no_run_takes_longer_than_its_bound() {
        let request = Request::asynchronous(EngineChoice::Auto);
        let machine = Machine::new(MachineKind::Torus, &[8, 8]).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(3), TieRule::Direct).unwrap();
        for kind in [EmbeddingKind::Standard, EmbeddingKind::Xor, EmbeddingKind::Byweight] {
            let placement = Placement::embed(kind, Hypercube::new(6).unwrap(), &machine).unwrap();
            for stages in [&[0, 1, 2, 3, 4, 5][..], &[5, 4, 3, 0, 0, 1], &[0, 3, 0, 3]] {
                let sizes = (1..=stages.len() as u64).map(|units| units * units).collect();
                let program = program(stages).with_sizes(MessageSizes::by_stage(sizes).unwrap());
                for mode in [LinkMode::FullDuplex, LinkMode::HalfDuplex] {
                    let rules = Communication::new(mode, links.hop(), links.tie()).unwrap();
                    let run = simulate(&program, &placement, rules, &request, &mut ());
                    let makespan = run.unwrap().summary.makespan().get();
                    assert!(u128::from(makespan) <= max_cycles(&program, &placement, rules, &ASYNCHRONOUS));
                }
            }
        }
    }

    #[test]
    fn steps_of_jobs_are_bounded_by_their_own_messages() {
        let exchange = || StepBody::Messages { shares: 1, program: Arc::new(program(&[0])) };
        let step =
            |after| JobStep { name: String::new(), body: exchange(), after, takes_part: Arc::default() };
        let steps = (0..10).map(|_| step(vec![])).collect();
        let job = Job::new(64, 3, steps).unwrap();
        let messages = all_messages(&job, 8);
        assert_eq!(messages, [SerialMessages { units: 1, count: 3 * 64, links: 8 }; 10]);
        let some = (0..64).map(|rank| rank < 16).collect();
        let job = Job::new(64, 1, vec![JobStep { takes_part: some, ..step(vec![]) }]).unwrap();
        assert_eq!(all_messages(&job, 8)[0].count, 16);
    }

    #[test]
    fn lines_that_are_run_apart_are_bounded_apart() {
        let machine = Machine::new(MachineKind::Torus, &[8, 8]).unwrap();
        let placement = Placement::embed(EmbeddingKind::Xor, Hypercube::new(6).unwrap(), &machine).unwrap();
        let of = |stages: &[u64], links| {
            let rules = Communication::new(links, Cycles::new(1), TieRule::Direct).unwrap();
            serial_messages(&program(stages), &placement, rules, &ASYNCHRONOUS)
        };
        let in_lines = SerialMessages { units: 1, count: 48, links: 4 };
        assert_eq!(
            of(&[0, 1, 2, 3, 4, 5], LinkMode::FullDuplex),
            [SerialMessages { count: 24, ..in_lines }; 2]
        );
        // Stages that revisit a coordinate, and links that all wait for each other, are bounded together.
        let together = [SerialMessages { units: 1, count: 6 * 64, links: 8 }];
        assert_eq!(of(&[0, 3, 0, 3, 0, 3], LinkMode::FullDuplex), together);
        assert_eq!(of(&[0, 1, 2, 3, 4, 5], LinkMode::SingleDirection), together);
    }
}
