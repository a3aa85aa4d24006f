//! Task graphs: the engine equals the reference in every process of random graphs, those that do not come to
//! their end included, and cases worked out by hand.

use std::sync::Arc;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_reference::task_graph::{Stuck, Task, TaskOperation, TaskProblem, TaskRow, run_tasks};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, EAGER_ALL, EngineChoice, LinkUse, Observer, Operation,
    OperationKind, Outcome, Request, Requirement, SimulationError, StageRecord, StuckReason, TaskGraph,
    TaskSchedule, TaskScheduleBuilder, TaskScheduleError, simulate, task_schedule, transmission_count,
};
use cubefold_topology::Machine;
use rand::{Rng, RngExt, SeedableRng, seq::IndexedMutRandom, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::random_problem::{check_all, task_problem};
use crate::sized_equal_reference::{Transmissions, network, numbered_case, placement, random_grid, rules};

const ALL: u64 = 30_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 2_000;

#[test]
fn a_share_of_the_graphs() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 30 000 graphs"]
fn all_graphs() {
    check_cases(ALL);
}

#[test]
fn graphs_whose_messages_cost_time_equal_the_reference() {
    check_costs(1500);
}

#[test]
#[ignore = "some minutes: 20 000 graphs"]
fn all_graphs_whose_messages_cost_time_equal_the_reference() {
    check_costs(20_000);
}

/// The random graphs with a cost of each message.
fn check_costs(count: u64) {
    let takes_longer = |number: &u64| {
        let mut case = TaskCase::random(*number);
        let makespan = |case: &TaskCase| {
            let graph = TaskGraph::new(Arc::new(case.schedule().ok()?), Cycles::new(case.overhead));
            case.simulate(&graph, &mut vec![]).ok().map(|outcome| outcome.summary.makespan())
        };
        let before = makespan(&case);
        let cost = Cycles::new([1, 3, 20][usize::try_from(number % 3).unwrap()]);
        case.communication = case.communication.with_message_cost(cost);
        check(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:#?}"));
        makespan(&case) > before
    };
    let longer = (0..count).into_par_iter().filter(takes_longer).count() as u64;
    assert!(2 * longer >= count, "costs matter in {longer} of {count} graphs only");
}

fn check_cases(count: u64) {
    let [complete, blocked, queued, refused] = check_all(count, TaskCase::random, check);
    assert!(10 * complete >= 6 * count, "{complete} of {count} graphs come to their end");
    assert!(10 * blocked >= 2 * count, "{blocked} of {count} graphs with blocked cycles");
    assert!(10 * queued >= 2 * count, "{queued} of {count} graphs with queues");
    assert!(50 * refused >= count, "{refused} of {count} schedules are refused");
    assert!(50 * (count - complete - refused) >= count, "{complete} of {count} end, {refused} are refused");
}

/// A task graph on a machine, for the engine and the reference at once.
#[derive(Debug)]
pub(crate) struct TaskCase {
    placement: Placement,
    pub(crate) communication: Communication,
    overhead: u64,
    operations: Vec<TaskOperation>, // in the order of the file
}

#[test]
fn stage_programs_take_the_same_cycles_as_task_graphs() {
    check_stage_programs(500);
}

#[test]
#[ignore = "some minutes: 20 000 programs"]
fn all_stage_programs_take_the_same_cycles_as_task_graphs() {
    check_stage_programs(20_000);
}

/// The random cases of stage programs in which each process has a processor of its own.
fn check_stage_programs(count: u64) {
    let alike = (0..count).into_par_iter().map(|number| {
        let case = numbered_case(number);
        if case.placement.max_load() > case.communication.processors().get() {
            return 0;
        }
        let program = case.program();
        let schedule = task_schedule(&program).unwrap();
        let left = TaskGraph::new(Arc::new(leaving_sends(&schedule)), Cycles::ZERO);
        let graph = TaskGraph::new(Arc::new(schedule), Cycles::ZERO);
        let run = |records: &mut Vec<StageRecord>, graph: Option<&TaskGraph>| {
            let (placement, rules) = (&case.placement, case.communication);
            let request = Request::asynchronous(EngineChoice::Auto);
            let outcome = match graph {
                Some(graph) => simulate(graph, placement, rules, &request, records),
                None => simulate(&program, placement, rules, &request, records),
            };
            let outcome = outcome.unwrap();
            let traffic = outcome.traffic;
            (outcome.summary.makespan(), traffic.messages, traffic.hops, traffic.longest_queue)
        };
        let (mut stages, mut tasks, mut leaving) = (vec![], vec![], vec![]);
        let times = run(&mut stages, None);
        assert_eq!(run(&mut tasks, Some(&graph)), times, "case {number}");
        assert_eq!(run(&mut leaving, Some(&left)), times, "case {number}");
        let last = cubefold_simulator::Program::stage_count(&program) - 1;
        stages.retain(|record| record.stage == last);
        stages.sort_unstable_by_key(|record| record.process);
        // An operation that sends by rendezvous is over when its message is there; no process waits for that in stages.
        let is_eager = case.communication.eager() == EAGER_ALL;
        let is_right = |(tasks, stages): (&StageRecord, &StageRecord)| {
            tasks.finish == stages.finish || !is_eager && tasks.finish > stages.finish
        };
        assert!(tasks.iter().zip(&stages).all(is_right), "case {number}: {tasks:?}, not {stages:?}");
        // With sends that are not awaited they end as in stages.
        let finishes =
            |records: &[StageRecord]| records.iter().map(|record| record.finish).collect::<Vec<_>>();
        assert_eq!(finishes(&leaving), finishes(&stages), "case {number}");
        1
    });
    let alike: u64 = alike.sum();
    assert!(2 * alike >= count, "{alike} of {count} programs have a processor for each process");
}

/// The schedule with sends that no process awaits.
fn leaving_sends(schedule: &TaskSchedule) -> TaskSchedule {
    let mut builder = TaskScheduleBuilder::new(schedule.process_count());
    for operation in schedule.operations() {
        builder.add(Operation { is_awaited: operation.kind != OperationKind::Send, ..*operation });
    }
    for (number, required) in (0..).zip(schedule.requirements()) {
        required.iter().for_each(|&(before, kind)| builder.require(number, before, kind));
    }
    builder.finish().unwrap()
}

/// Compares everything; returns 1 for graphs that end, have blocked cycles, have queues, are refused.
pub(crate) fn check(case: &TaskCase) -> Result<[u64; 4], String> {
    let expected = run_tasks(&case.problem());
    let schedule = match case.schedule() {
        Ok(schedule) => Arc::new(schedule),
        Err(error) => {
            let is_right = match (&error, &expected) {
                (TaskScheduleError::Cycle { operations }, Err(_)) => case.is_cycle(operations),
                (TaskScheduleError::ReceiveWithoutSend { .. }, Err(_)) => true,
                _ => false,
            };
            return if is_right { Ok([0, 0, 0, 1]) } else { Err(format!("{error:?}, not {expected:?}")) };
        }
    };
    let graph = TaskGraph::new(schedule, Cycles::new(case.overhead));
    let (mut records, mut transmissions): (Vec<StageRecord>, _) = (vec![], Transmissions::default());
    let found = case.simulate(&graph, &mut (&mut records, &mut transmissions));
    let (outcome, expected) = match (found, expected) {
        (Ok(outcome), Ok(expected)) => (outcome, expected),
        (Err(SimulationError::Stuck(stuck)), Err(expected)) => {
            let is_right = match (stuck.reason, expected) {
                (StuckReason::Cycle, Stuck::Cycle) => !stuck.operations.is_empty(),
                (StuckReason::ReceiveWithoutSend, Stuck::ReceiveWithoutSend(number))
                | (StuckReason::SendWithoutReceive, Stuck::SendWithoutReceive(number)) => {
                    stuck.operations == [u32::try_from(number).unwrap()]
                }
                _ => false,
            };
            return if is_right { Ok([0; 4]) } else { Err(format!("{stuck:?}, not {expected:?}")) };
        }
        (found, expected) => return Err(format!("{found:?}, not {expected:?}")),
    };
    let rows: Vec<TaskRow> = records.iter().map(row).collect();
    if rows != expected.rows {
        return Err(format!("{rows:?}, not {:?}", expected.rows));
    }
    let traffic = &outcome.traffic;
    let busy: u64 =
        traffic.link_use.iter().flat_map(LinkUse::busy_links).map(|(_, cycles)| cycles.get()).sum();
    let found = [outcome.summary.makespan().get(), traffic.hops, traffic.longest_queue.unwrap().into(), busy];
    let want = [expected.makespan, expected.hops, expected.longest_queue, expected.busy_cycles];
    if found != want {
        return Err(format!("makespan, hops, queue, busy links {found:?}, not {want:?}"));
    }
    transmissions.check(traffic.hops, busy)?;
    let count = transmission_count(&graph, &case.placement, case.communication, u64::MAX);
    if count != traffic.hops {
        return Err(format!("{count} transmissions are counted, not {}", traffic.hops));
    }
    let is_blocked = rows.iter().any(|row| row.blocked > 0);
    Ok([1, u64::from(is_blocked), u64::from(expected.longest_queue > 0), 0])
}

fn row(record: &StageRecord) -> TaskRow {
    TaskRow {
        finish: record.finish.get(),
        computing: record.ready.get(),
        waiting: record.waiting().get(),
        transfer: record.transfer.get(),
        blocked: record.blocked().get(),
    }
}

impl TaskCase {
    fn simulate(&self, graph: &TaskGraph, observer: &mut dyn Observer) -> Result<Outcome, SimulationError> {
        let request = Request::asynchronous(EngineChoice::Auto);
        simulate(graph, &self.placement, self.communication, &request.counting(CountLinkUse::Yes), observer)
    }

    fn schedule(&self) -> Result<TaskSchedule, TaskScheduleError> {
        let mut builder = TaskScheduleBuilder::new(u32::try_from(self.placement.process_count()).unwrap());
        let process = |label: usize| ProcessId::new(u32::try_from(label).unwrap());
        for operation in &self.operations {
            let (kind, amount, peer, tag) = match operation.task {
                Task::Calc(cycles) => (OperationKind::Calc, cycles, 0, 0),
                Task::Send { to, tag, units } => (OperationKind::Send, units, to, tag),
                Task::Receive { from, tag } => (OperationKind::Receive, 0, from, tag),
            };
            builder.add(Operation {
                amount,
                process: process(operation.process),
                peer: process(peer),
                tag,
                processor: u16::try_from(operation.processor).unwrap(),
                kind,
                is_awaited: true,
            });
        }
        for (number, operation) in (0..).zip(&self.operations) {
            let required = operation.requires.iter().map(|&other| (other, Requirement::Over));
            let begun = operation.irequires.iter().map(|&other| (other, Requirement::Begun));
            for (other, requirement) in required.chain(begun) {
                builder.require(number, u32::try_from(other).unwrap(), requirement);
            }
        }
        builder.finish()
    }

    /// Whether each operation requires the one before it.
    fn is_cycle(&self, operations: &[u32]) -> bool {
        let before = operations.iter().cycle().skip(operations.len() - 1);
        let requires = |(&number, &before): (&u32, &u32)| {
            let operation = &self.operations[number as usize];
            operation.requires.iter().chain(&operation.irequires).any(|&other| other == before as usize)
        };
        !operations.is_empty() && operations.iter().zip(before).all(requires)
    }

    fn problem(&self) -> TaskProblem {
        TaskProblem {
            compute_cycles: self.overhead,
            operations: self.operations.clone(),
            ..task_problem(&self.placement, self.communication)
        }
    }

    /// The case with this number: operations in an order in which they can be executed, most of the time.
    fn random(number: u64) -> Self {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let machine = if generator.random_bool(0.2) { network(generator) } else { random_grid(generator) };
        Self::random_on(generator, &machine)
    }

    pub(crate) fn random_on(generator: &mut impl Rng, machine: &Machine) -> Self {
        let placement = placement(generator, machine);
        let processes = usize::try_from(placement.process_count()).unwrap();
        let mut lists = random_lists(generator, processes);
        if generator.random_bool(0.25) {
            spoil(generator, &mut lists);
        }
        let mut order: Vec<usize> = (0..processes).collect();
        if generator.random_bool(0.3) {
            order.shuffle(generator);
        }
        let mut operations: Vec<TaskOperation> = vec![];
        for process in order {
            let first = operations.len();
            operations.extend(lists[process].iter().map(|operation| {
                let global = |list: &[usize]| list.iter().map(|other| other + first).collect();
                TaskOperation {
                    requires: global(&operation.requires),
                    irequires: global(&operation.irequires),
                    ..operation.clone()
                }
            }));
        }
        let overhead = *[0, 0, 1, 7].choose(generator).unwrap();
        Self { communication: rules(generator, machine), placement, overhead, operations }
    }
}

/// Operations of each process, whose requirements are places in the list of the process.
fn random_lists(generator: &mut impl Rng, processes: usize) -> Vec<Vec<TaskOperation>> {
    let mut lists: Vec<Vec<TaskOperation>> = vec![vec![]; processes];
    let tags = *[1, 2, 100].choose(generator).unwrap();
    let greatest = *[1, 4, 16, 64].choose(generator).unwrap();
    let longest = *[0, 3, 40].choose(generator).unwrap();
    let processors = *[1, 1, 2, 3].choose(generator).unwrap();
    let density = *[1, 2, 3].choose(generator).unwrap();
    for _ in 0..generator.random_range(1..=6 * processes) {
        let process = generator.random_range(0..processes);
        if generator.random_bool(0.3) {
            let task = Task::Calc(generator.random_range(0..=longest));
            add(generator, &mut lists[process], process, processors, density, task);
            continue;
        }
        let peer = generator.random_range(0..processes);
        let (tag, units) = (generator.random_range(0..tags), generator.random_range(1..=greatest));
        let send = Task::Send { to: peer, tag, units };
        add(generator, &mut lists[process], process, processors, density, send);
        add(generator, &mut lists[peer], peer, processors, density, Task::Receive { from: process, tag });
    }
    lists
}

/// Adds an operation that requires some of those before it.
fn add(
    generator: &mut impl Rng,
    list: &mut Vec<TaskOperation>,
    process: usize,
    processors: usize,
    density: usize,
    task: Task,
) {
    let (mut requires, mut irequires) = (vec![], vec![]);
    for _ in 0..generator.random_range(0..=density) {
        if !list.is_empty() {
            let other = generator.random_range(list.len().saturating_sub(4)..list.len());
            // A send and its receive in one process would wait for each other.
            if !matches!(list[other].task, Task::Send { to, .. } if to == process) {
                if generator.random_bool(0.8) { &mut requires } else { &mut irequires }.push(other);
            }
        }
    }
    let processor = generator.random_range(0..processors);
    list.push(TaskOperation { process, processor, task, requires, irequires });
}

/// Takes a send or a receive away, or lets an operation require a later one.
fn spoil(generator: &mut impl Rng, lists: &mut [Vec<TaskOperation>]) {
    let list = lists.choose_mut(generator).unwrap();
    if list.is_empty() {
        return;
    }
    let place = generator.random_range(0..list.len());
    if generator.random() {
        list[place].task = Task::Calc(1);
    } else {
        let other = generator.random_range(0..list.len());
        list[place].requires.push(other);
    }
}

/// Cases worked out by hand, on a line of nodes with links of one cycle a unit.
mod by_hand {
    use super::*;
    use cubefold_mapping::PlacementTable;
    use cubefold_topology::{LinkMode, MachineKind, NodeId, TieRule};

    fn calc(process: usize, cycles: u64, requires: &[usize]) -> TaskOperation {
        let task = Task::Calc(cycles);
        TaskOperation { process, processor: 0, task, requires: requires.to_vec(), irequires: vec![] }
    }

    fn send(process: usize, to: usize, units: u64, requires: &[usize]) -> TaskOperation {
        TaskOperation { task: Task::Send { to, tag: 0, units }, ..calc(process, 0, requires) }
    }

    fn receive(process: usize, from: usize, requires: &[usize]) -> TaskOperation {
        TaskOperation { task: Task::Receive { from, tag: 0 }, ..calc(process, 0, requires) }
    }

    fn on_a_line(processes: u32, eager: u64, operations: Vec<TaskOperation>) -> TaskCase {
        let machine = Machine::new(MachineKind::Line, &[u64::from(processes)]).unwrap();
        let nodes = (0..processes).map(NodeId::new).collect();
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        TaskCase {
            placement: Placement::Table(PlacementTable::new(&machine, nodes).unwrap()),
            communication: links.with_eager(eager),
            overhead: 0,
            operations,
        }
    }

    fn makespan(case: &TaskCase) -> u64 {
        assert_eq!(check(case).unwrap()[0], 1);
        let graph = TaskGraph::new(Arc::new(case.schedule().unwrap()), Cycles::new(case.overhead));
        case.simulate(&graph, &mut vec![]).unwrap().summary.makespan().get()
    }

    #[test]
    fn a_rendezvous_waits_for_the_receive_and_an_eager_message_does_not() {
        // 0 sends 4 units over one link; 1 computes for 10 cycles before it receives.
        let operations = vec![send(0, 1, 4, &[]), calc(1, 10, &[]), receive(1, 0, &[1])];
        assert_eq!(makespan(&on_a_line(2, 0, operations.clone())), 10 + 4);
        assert_eq!(makespan(&on_a_line(2, 4, operations)), 10);
    }

    #[test]
    fn the_overhead_of_sends_takes_the_processor_one_after_another() {
        // Two sends of one unit, 5 cycles each before it sets out: at 5 and 10; received a link later.
        let operations = vec![send(0, 1, 1, &[]), send(0, 1, 1, &[]), receive(1, 0, &[]), receive(1, 0, &[])];
        let case = TaskCase { overhead: 5, ..on_a_line(2, 0, operations) };
        assert_eq!(makespan(&case), 11);
    }

    #[test]
    fn a_begun_calculation_lets_another_begin() {
        // On a processor of its own the second begins with the first, and would end at 7 after it.
        let mut operations = vec![calc(0, 3, &[]), calc(0, 4, &[])];
        operations[1].irequires = vec![0];
        operations[1].processor = 1;
        assert_eq!(makespan(&on_a_line(2, 0, operations.clone())), 4);
        operations[1].processor = 0;
        assert_eq!(makespan(&on_a_line(2, 0, operations)), 7);
    }

    #[test]
    fn two_processes_that_send_first_wait_for_each_other_by_rendezvous_only() {
        let operations =
            vec![send(0, 1, 2, &[]), receive(0, 1, &[0]), send(1, 0, 2, &[]), receive(1, 0, &[2])];
        assert_eq!(makespan(&on_a_line(2, 2, operations.clone())), 2);
        let case = on_a_line(2, 1, operations);
        let graph = TaskGraph::new(Arc::new(case.schedule().unwrap()), Cycles::ZERO);
        let SimulationError::Stuck(stuck) = case.simulate(&graph, &mut vec![]).unwrap_err() else {
            panic!("another error")
        };
        // 0 waits for the receive 3, that for the send 2, that for the receive 1, that for 0.
        assert_eq!((stuck.reason, stuck.operations), (StuckReason::Cycle, vec![0, 3, 2, 1]));
    }

    #[test]
    fn a_million_ranks_pass_a_token_round() {
        let ranks = 1_000_000_u32;
        let mut builder = TaskScheduleBuilder::new(ranks);
        for rank in 0..ranks {
            let process = ProcessId::new(rank);
            let operation = |kind, peer, amount| Operation {
                amount,
                process,
                peer: ProcessId::new(peer),
                tag: 1,
                processor: 0,
                kind,
                is_awaited: true,
            };
            let received = builder.add(operation(OperationKind::Receive, (rank + ranks - 1) % ranks, 8));
            let sent = builder.add(operation(OperationKind::Send, (rank + 1) % ranks, 8));
            if rank > 0 {
                builder.require(sent, received, Requirement::Over);
            }
        }
        let graph = TaskGraph::new(Arc::new(builder.finish().unwrap()), Cycles::ZERO);
        let machine = Machine::new(MachineKind::Torus, &[1000, 1000]).unwrap();
        let nodes = (0..ranks).map(NodeId::new).collect();
        let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
        let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        let request = Request::asynchronous(EngineChoice::Auto);
        let outcome = simulate(&graph, &placement, links, &request, &mut ()).unwrap();
        // One link a step, two at the end of each row of 1000.
        assert_eq!(outcome.traffic.hops, 1_000_000 + 1_000);
        assert_eq!(outcome.summary.makespan().get(), 8 * (1_000_000 + 1_000));
    }
}
