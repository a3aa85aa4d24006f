//! Coordinated execution (Tao 1988, 4.2 and 4.5.1; `docs/model.md` section 6).
//!
//! All processes compute, then the stage's messages go in phases: each message that is not at its
//! destination picks a coordinate in which it differs and moves along it. A phase is executed as one or
//! more movements, depending on the link mode.
//!
//! A stage begins for all processes at once and ends for all at once, so that what it takes depends on its
//! messages alone: each is scheduled by itself ([`scheduler`]), and a process's times follow from the
//! stage's steps and how far its message comes ([`stage_clock`]).

mod belt;
mod distance_counts;
mod lines;
mod parts;
mod phase;
mod product_stages;
mod routed_stages;
mod router;
mod scheduler;
mod stage_clock;
mod stage_schedule;

use cubefold_mapping::{Placement, ProcessId};

use self::{scheduler::Scheduler, stage_clock::StageClock};
use crate::{Communication, Cycle, LinkUse, Observer, Program, Routing, Summary, Traffic};

/// A message of the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Message {
    source: ProcessId,
    destination: ProcessId,
}

/// Runs `program` to its end: sums go to `summary`, and single records to `observer` where it wants them.
pub(crate) fn run<P: Program, O: Observer>(
    program: &P,
    placement: &Placement,
    communication: Communication,
    routing: &Routing,
    link_use: Option<LinkUse>,
    summary: &mut Summary,
    observer: &mut O,
) -> Traffic {
    let mut scheduler = Scheduler::new(program, placement, communication, routing, link_use);
    let sharing = program.compute() * (placement.max_load() - 1);
    let hop = communication.hop();
    let nodes = observer.wants_records().then(|| placement.listed_nodes());
    let (mut messages, mut hops, mut stages) = (0, 0, vec![]);
    let mut begin = Cycle::START;
    for stage in 0..program.stage_count() {
        let schedule = scheduler.schedule(stage);
        let ready = begin + sharing + program.compute();
        let clock = StageClock { stage, ready, sharing, hop, moving: hop * schedule.routing.steps };
        clock.summarise(&schedule.received, program.process_count(), summary);
        match &nodes {
            Some(nodes) => clock.report(program, nodes, placement.machine(), observer),
            None => observer.pairs_finished(program.process_count()),
        }
        begin = clock.end();
        (messages, hops) = (messages + schedule.messages, hops + schedule.hops);
        stages.push(schedule.routing);
    }
    summary.add_finish(begin, program.process_count());
    let (routing, link_use) = (Some(stages), scheduler.into_link_use());
    Traffic { messages, hops, longest_queue: None, routing, link_use }
}

/// Whether one line of each dimension tells all about a run.
pub(crate) fn goes_by_lines<P: Program>(program: &P, placement: &Placement) -> bool {
    program.as_cube().is_some() && matches!(placement, Placement::Product(_))
}

/// Bytes that a compute-and-communicate program takes at most, roughly.
pub(crate) fn bytes<P: Program>(program: &P, placement: &Placement) -> u64 {
    let longest = placement.machine().shape().lengths().iter().copied().max().unwrap_or(0);
    if goes_by_lines(program, placement) {
        longest * BYTES_A_POSITION
    } else {
        program.process_count() * BYTES_A_PROCESS + longest * BYTES_A_POSITION
    }
}

/// What a message needs while it is routed.
const BYTES_A_PROCESS: u64 = 64;
/// What is kept for every node of one line.
const BYTES_A_POSITION: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CubeProgram, Cycles};
    use cubefold_mapping::{EmbeddingKind, Hypercube};
    use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};

    #[test]
    fn four_billion_processes_are_scheduled_by_two_lines_of_65536() {
        let cube = Hypercube::new(32).unwrap();
        let machine = Machine::new(MachineKind::Torus, &[1 << 16, 1 << 16]).unwrap();
        let program = CubeProgram::new(cube, CubeProgram::descend(cube), Cycles::new(10)).unwrap();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(2), TieRule::Direct).unwrap();
        // The distances of a ring of 2^16: 1, 2, 4, .., and the last again half of that.
        for (kind, ring) in
            [(EmbeddingKind::Standard, (1 << 16) - 1), (EmbeddingKind::Xor, 3 * (1 << 14) - 1)]
        {
            let placement = Placement::embed(kind, cube, &machine).unwrap();
            let mut summary = Summary::new(1 << 32, 32, Cycles::new(10));
            let routing = &Routing::PLAIN;
            let traffic = run(&program, &placement, links, routing, None, &mut summary, &mut ());
            assert_eq!(summary.makespan().get(), 32 * 10 + 2 * 2 * ring);
            assert_eq!(summary.totals().transfer, u128::from(2 * 2 * ring) << 32);
            assert_eq!((summary.totals().waiting, summary.waiting().count()), (0, 32 << 32));
            assert_eq!((traffic.messages, traffic.hops), (32 << 32, (2 * ring) << 32));
            assert_eq!(summary.check_balance(), Ok(()));
            assert_eq!(crate::predict(&program, &placement, links), summary.makespan());
        }
    }
}
