//! Jobs: the engine equals the reference in the start and finish of every step at every rank of random jobs, chains
//! take the predicted cycles, and stencils equal the equivalent stages.

use std::sync::Arc;

use cubefold_mapping::{GraphGuest, Placement, PlacementTable, ProcessId};
use cubefold_reference::{
    job::{JobOutcome, ReferenceJob, ReferenceStep, run_job},
    stage_program::SizedMessage,
};
use cubefold_simulator::{
    Communication, Computations, CountLinkUse, Cycles, EngineChoice, Evaluator, Execution, Job, JobStep,
    LinkUse, Observer, Program, RankTime, Reach, Request, StageMessage, StageProgram, StageRecord,
    StencilProgram, StepBody, StepRecord, StepTimes, max_cycles, predict, simulate, transmission_count,
};
use cubefold_topology::{LinkMode, Machine, NodeId};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use crate::{
    random_problem::{check_all, task_problem},
    sized_equal_reference::{Transmissions, network, random_grid, rules},
};

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 200;

#[test]
fn a_share_of_the_jobs() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 20 000 jobs"]
fn all_jobs() {
    check_cases(ALL);
}

#[test]
fn jobs_whose_messages_cost_time_equal_the_reference() {
    check_costs(400);
}

#[test]
#[ignore = "some minutes: 10 000 jobs"]
fn all_jobs_whose_messages_cost_time_equal_the_reference() {
    check_costs(10_000);
}

/// The random jobs with a cost of each message.
fn check_costs(count: u64) {
    (0..count).into_par_iter().for_each(|number| {
        let mut case = JobCase::random(number);
        let cost = Cycles::new([1, 3, 20][usize::try_from(number % 3).unwrap()]);
        case.communication = case.communication.with_message_cost(cost);
        check(&case).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:#?}"));
    });
}

fn check_cases(count: u64) {
    let [chains, queued, absent] = check_all(count, JobCase::random, check);
    assert!(
        10 * chains >= count && 10 * (count - chains) >= 4 * count,
        "{chains} of {count} jobs are chains"
    );
    assert!(10 * queued >= 2 * count, "{queued} of {count} jobs with queues");
    assert!(10 * absent >= count, "{absent} of {count} jobs with ranks that take no part in a step");
}

/// A job on a machine, for the engine and the reference at once.
#[derive(Debug)]
pub(crate) struct JobCase {
    pub(crate) placement: Placement,
    pub(crate) communication: Communication,
    ranks: usize,
    iterations: usize,
    steps: Vec<ReferenceStep>,
}

/// The steps of ranks that an engine reports, and the records of actors.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    pub(crate) steps: Vec<StepRecord>,
    records: Vec<StageRecord>,
}

impl Observer for Reported {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.records.push(*record);
    }

    fn step_finished(&mut self, record: &StepRecord) {
        self.steps.push(*record);
    }
}

/// Compares everything; returns 1 for a chain, for queues, for ranks that take no part.
fn check(case: &JobCase) -> Result<[u64; 3], String> {
    let expected = run_job(&case.reference()).map_err(|stuck| format!("{stuck:?}"))?;
    let job = case.job();
    let (mut reported, mut transmissions) = (Reported::default(), Transmissions::default());
    let request = Request::asynchronous(EngineChoice::Auto).counting(CountLinkUse::Yes);
    let observer = &mut (&mut reported, &mut transmissions);
    let outcome = simulate(&job, &case.placement, case.communication, &request, observer)
        .map_err(|error| error.to_string())?;
    let link_use = outcome.traffic.link_use.as_ref();
    let busy = link_use.into_iter().flat_map(LinkUse::busy_links).map(|(_, cycles)| cycles.get()).sum();
    transmissions.check(outcome.traffic.hops, busy)?;
    let count = transmission_count(&job, &case.placement, case.communication, u64::MAX);
    if count != outcome.traffic.hops {
        return Err(format!("{count} transmissions are counted, not {}", outcome.traffic.hops));
    }
    let times = outcome.job.ok_or("no times of steps")?;
    compare_steps(&reported.steps, &expected.steps)?;
    let found = (
        outcome.summary.makespan().get(),
        times.exposed,
        outcome.traffic.hops,
        outcome.traffic.longest_queue.map(u64::from),
    );
    let want = (expected.makespan, expected.exposed.into(), expected.hops, Some(expected.longest_queue));
    if found != want {
        return Err(format!("makespan, exposed, hops, longest queue {found:?}, expected {want:?}"));
    }
    let of_step = |ranks: &Vec<(u64, u64)>| {
        (
            ranks.iter().map(|(begin, _)| *begin).min().unwrap_or(0),
            ranks.iter().map(|(_, finish)| *finish).max().unwrap_or(0),
        )
    };
    // Over the ranks that take part (section 23.6); scenarios of random jobs compare them with a count of every cycle.
    let is_within = |step: &StepTimes, (begin, finish): (u64, u64)| {
        step.ranks == 0 || (begin <= step.begin.get() && step.finish.get() <= finish)
    };
    let all = expected.steps.iter().flatten().map(of_step);
    if let Some((step, all)) = times.steps.iter().zip(all).find(|&(step, all)| !is_within(step, all)) {
        return Err(format!("{step:?}, expected within {all:?} of all ranks"));
    }
    let parts = |time: &RankTime| time.computation + time.communication + time.bubble + time.done;
    if let Some(time) = times.by_rank.iter().find(|time| parts(time) != expected.makespan) {
        return Err(format!("{time:?} of a makespan of {}", expected.makespan));
    }
    let bound = max_cycles(&job, &case.placement, case.communication, &Execution::Asynchronous);
    if u128::from(expected.makespan) > bound {
        return Err(format!("a bound of {bound} cycles, below {}", expected.makespan));
    }
    check_evaluator(case, &job, expected.makespan)?;
    if job.is_chain() && case.communication.message_cost() == Cycles::ZERO {
        check_prediction(case, &job, &expected)?;
    }
    let is_absent = case.steps.iter().any(|step| step.takes_part.contains(&false));
    Ok([u64::from(job.is_chain()), u64::from(expected.longest_queue > 0), u64::from(is_absent)])
}

/// Compares the start and finish of every step at every rank, by iteration, step and rank.
pub(crate) fn compare_steps(found: &[StepRecord], expected: &[Vec<Vec<(u64, u64)>>]) -> Result<(), String> {
    let expected_count: usize = expected.iter().flatten().map(Vec::len).sum();
    if found.len() != expected_count {
        return Err(format!("{} records of steps, expected {expected_count}", found.len()));
    }
    for record in found {
        let want = expected[record.iteration as usize][record.step as usize][record.rank as usize];
        if (record.begin.get(), record.finish.get()) != want {
            return Err(format!("{record:?}, expected {want:?}"));
        }
    }
    Ok(())
}

/// The evaluator takes the same cycles, and is cut off at them.
fn check_evaluator(case: &JobCase, job: &Job, makespan: u64) -> Result<(), String> {
    let machine = case.placement.machine();
    let mut evaluator =
        Evaluator::new(job, machine, case.communication).map_err(|error| error.to_string())?;
    let nodes = case.placement.nodes();
    for limit in [None, Some(makespan), Some(makespan + 1)] {
        let found = evaluator.makespan(&nodes, limit.map(Cycles::new)).map_err(|error| error.to_string())?;
        let want = (limit != Some(makespan)).then(|| Cycles::new(makespan));
        if found != want {
            return Err(format!("evaluated below {limit:?} as {found:?}, expected {want:?}"));
        }
    }
    Ok(())
}

/// No chain takes less than predicted, and one whose messages never wait takes as long.
fn check_prediction(case: &JobCase, job: &Job, run: &JobOutcome) -> Result<(), String> {
    let predicted = predict(job, &case.placement, case.communication).get();
    let is_contended = run.longest_queue > 0 || case.communication.links() != LinkMode::FullDuplex;
    if run.makespan == predicted || run.makespan > predicted && is_contended {
        return Ok(());
    }
    Err(format!("the reference takes {} cycles instead of the predicted {predicted}", run.makespan))
}

impl JobCase {
    pub(crate) fn random(number: u64) -> Self {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let machine = if generator.random_bool(0.15) { network(generator) } else { random_grid(generator) };
        let ranks = generator.random_range(2..=8_usize);
        let is_chain = generator.random_bool(0.3);
        let steps: Vec<ReferenceStep> = (0..generator.random_range(1..=5))
            .map(|place| random_step(generator, place, ranks, is_chain))
            .collect();
        let shares = steps.iter().map(|step| step.shares).max().unwrap();
        let nodes: Vec<NodeId> = machine.hosts().collect();
        let of_ranks: Vec<NodeId> = if generator.random_bool(0.7) {
            let begin = generator.random_range(0..nodes.len());
            (0..ranks).map(|rank| nodes[(begin + rank) % nodes.len()]).collect()
        } else {
            (0..ranks).map(|_| *nodes.choose(generator).unwrap()).collect()
        };
        let placement = Placement::Table(PlacementTable::new(&machine, of_ranks.repeat(shares)).unwrap());
        let communication = rules(generator, &machine);
        Self { placement, communication, ranks, iterations: generator.random_range(1..=3), steps }
    }

    pub(crate) fn job(&self) -> Job {
        let steps = self.steps.iter().enumerate().map(|(place, step)| {
            let body = match step.computation {
                Some(cycles) => StepBody::Computation(Cycles::new(cycles)),
                None => StepBody::Messages {
                    program: Arc::new(stage_program(self.ranks, step)),
                    shares: u32::try_from(step.shares).unwrap(),
                },
            };
            let is_whole = step.takes_part.iter().all(|&takes_part| takes_part);
            let takes_part = if is_whole { Arc::default() } else { step.takes_part.clone().into() };
            JobStep { name: format!("step {place}"), body, after: step.after.clone(), takes_part }
        });
        Job::new(u32::try_from(self.ranks).unwrap(), self.iterations, steps.collect()).unwrap()
    }

    fn reference(&self) -> ReferenceJob {
        let machine = task_problem(&self.placement, self.communication);
        ReferenceJob { machine, ranks: self.ranks, iterations: self.iterations, steps: self.steps.clone() }
    }
}

/// The program of a step with messages.
fn stage_program(ranks: usize, step: &ReferenceStep) -> StageProgram {
    let label = |process: usize| ProcessId::new(u32::try_from(process).unwrap());
    let message = |message: &SizedMessage| StageMessage {
        stage: message.stage,
        source: label(message.source),
        destination: label(message.destination),
        units: message.units,
    };
    let messages: Vec<StageMessage> = step.messages.iter().map(message).collect();
    let cycles = |stage: &Vec<u64>| stage.iter().copied().map(Cycles::new).collect();
    let computations = Computations::ByProcess(step.computations.iter().map(cycles).collect());
    let processes = u32::try_from(ranks * step.shares).unwrap();
    StageProgram::with_empty_messages(step.computations.len(), processes, computations, &messages).unwrap()
}

/// A step in this place; in a chain it comes after the one before.
fn random_step(generator: &mut impl Rng, place: usize, ranks: usize, is_chain: bool) -> ReferenceStep {
    let after = match place.checked_sub(1) {
        None => vec![],
        Some(before) if is_chain => vec![before],
        Some(_) => (0..place).filter(|_| generator.random_bool(0.4)).collect(),
    };
    let takes_part = match generator.random_bool(0.15) {
        true => (0..ranks).map(|_| generator.random_bool(0.7)).collect(),
        false => vec![true; ranks],
    };
    if generator.random_bool(0.4) {
        let cycles = *[0, 1, 7, 30].choose(generator).unwrap();
        let computation = Some(cycles);
        return ReferenceStep {
            after,
            takes_part,
            computation,
            shares: 1,
            computations: vec![],
            messages: vec![],
        };
    }
    let shares = *[1, 1, 2, 3].choose(generator).unwrap();
    let (processes, stages) = (ranks * shares, generator.random_range(1..=3));
    let longest = *[0, 0, 9].choose(generator).unwrap();
    let computations =
        (0..stages).map(|_| (0..processes).map(|_| generator.random_range(0..=longest)).collect()).collect();
    let mut messages = vec![];
    for stage in 0..stages {
        let by = generator.random_range(1..processes);
        let (permutation, greatest) = (generator.random_bool(0.5), *[1, 20].choose(generator).unwrap());
        for source in 0..processes {
            let by = if permutation { by } else { generator.random_range(1..processes) };
            if permutation || generator.random_bool(0.7) {
                let units = generator.random_range(u64::from(greatest == 1)..=greatest);
                messages.push(SizedMessage { stage, source, destination: (source + by) % processes, units });
            }
        }
    }
    ReferenceStep { after, takes_part, computation: None, shares, computations, messages }
}

#[test]
fn stencils_equal_the_stages_that_say_the_same() {
    (0..100_u64).into_par_iter().for_each(|number| {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let guest: Machine = random_grid(generator);
        let host = random_grid(generator);
        let sizes: Vec<u128> = (0..3).map(|_| generator.random_range(1..=12)).collect();
        let (reach, compute) = (*Reach::ALL.choose(generator).unwrap(), generator.random_range(0..=5));
        let units = |set: u32| sizes[set.count_ones() as usize - 1];
        let stencil =
            StencilProgram::new(GraphGuest::new(guest), reach, Cycles::new(compute), units).unwrap();
        let processes = u32::try_from(stencil.process_count()).unwrap();
        let same = Computations::Same(Cycles::new(compute));
        let stages = StageProgram::new(processes, same, &stencil.messages(0)).unwrap();
        let nodes: Vec<NodeId> = host.hosts().collect();
        let nodes = (0..processes).map(|_| *nodes.choose(generator).unwrap()).collect();
        let placement = Placement::Table(PlacementTable::new(&host, nodes).unwrap());
        let rules = rules(generator, &host);
        let run = |program: &dyn Program| {
            let mut records = vec![];
            let request = Request::asynchronous(EngineChoice::Auto);
            let outcome = simulate(program, &placement, rules, &request, &mut records).unwrap();
            records.sort_unstable_by_key(|record| record.process);
            (records, outcome.summary.makespan(), outcome.traffic.hops, outcome.traffic.longest_queue)
        };
        assert_eq!(run(&stencil), run(&stages), "case {number}");
    });
}
