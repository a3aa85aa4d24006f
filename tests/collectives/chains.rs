//! Jobs whose steps are a chain take the cycles of the sequence of the same steps.

use std::{num::NonZeroU64, sync::Arc};

use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Groups, Operation, Ports, Step};
use cubefold_mapping::{Placement, PlacementTable};
use cubefold_simulator::{
    Communication, Cycles, EngineChoice, Job, JobStep, Program, Request, StepBody, Switching, predict,
    simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, Shape, TieRule};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

/// A collective in groups, or a computation, on ranks in this shape; none where they have no such algorithm.
pub(crate) fn step(generator: &mut impl Rng, shape: &Shape) -> Option<Step> {
    if generator.random_bool(0.3) {
        return Some(Step::Computation(generator.random_range(0..=40)));
    }
    let operation = *Operation::ALL.choose(generator)?;
    let algorithm = *Algorithm::ALL.choose(generator)?;
    let asked = CollectiveSpecification {
        ports: if generator.random() { Ports::All } else { Ports::One },
        compute_cycles: *[0, 0, 5].choose(generator)?,
        reduce_units_per_cycle: NonZeroU64::new(*[0, 0, 3].choose(generator)?),
        ..CollectiveSpecification::new(operation, algorithm, shape.clone(), generator.random_range(1..=90))
    };
    let dimensions = shape.dimension_count();
    let over: Vec<usize> = (0..dimensions).filter(|_| generator.random_bool(0.6)).collect();
    Groups::new(asked, &over).ok().map(Step::from)
}

fn job(ranks: u32, steps: &[Step]) -> Job {
    let step = |(place, step): (usize, &Step)| JobStep {
        name: place.to_string(),
        body: match step {
            Step::Computation(cycles) => StepBody::Computation(Cycles::new(*cycles)),
            Step::Groups(groups) => {
                let collective = Collective::of_groups(Arc::clone(groups));
                StepBody::Messages { shares: collective.share_count(), program: Arc::new(collective) }
            }
        },
        after: place.checked_sub(1).into_iter().collect(),
        takes_part: Arc::default(),
    };
    Job::new(ranks, 1, steps.iter().enumerate().map(step).collect()).unwrap()
}

/// Compares a random chain with the sequence; whether it has several shares.
fn check_case(number: u64) -> bool {
    let generator = &mut ChaCha12Rng::seed_from_u64(number);
    let lengths: &[u64] = [&[4][..], &[6], &[2, 4], &[3, 3], &[2, 2, 2], &[4, 4]].choose(generator).unwrap();
    let shape = Shape::new(lengths).unwrap();
    let wanted = generator.random_range(1..=5);
    let mut steps: Vec<Step> =
        std::iter::repeat_with(|| step(generator, &shape)).flatten().take(wanted).collect();
    if steps.iter().all(|step| step.groups().is_none()) {
        let ring = CollectiveSpecification::new(Operation::AllReduce, Algorithm::Ring, shape.clone(), 30);
        steps.push(Groups::one(ring).unwrap().into());
    }
    let machine = Machine::new(MachineKind::Torus, lengths).unwrap();
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    nodes.shuffle(generator);
    let sequence = Collective::of_steps(steps.clone()).unwrap();
    let job = job(u32::try_from(shape.node_count()).unwrap(), &steps);
    let shares = sequence.share_count();
    assert_eq!((job.share_count(), job.is_chain()), (shares, true));
    let rules = rules(generator).with_processors(NonZeroU64::new(shares.into()).unwrap());
    let placement = Placement::Table(PlacementTable::new(&machine, nodes.repeat(shares as usize)).unwrap());
    let run = |program: &dyn Program| {
        let request = Request::asynchronous(EngineChoice::Auto);
        let outcome = simulate(program, &placement, rules, &request, &mut ()).unwrap();
        let (summary, traffic) = (outcome.summary, outcome.traffic);
        let predicted = predict(program, &placement, rules);
        (summary.makespan(), traffic.hops, traffic.longest_queue, predicted, summary.compute())
    };
    assert_eq!(run(&job), run(&sequence), "case {number}: {steps:?}");
    shares > 1
}

/// Rules under which messages inside a node cost nothing.
pub(crate) fn rules(generator: &mut impl Rng) -> Communication {
    let links = [LinkMode::FullDuplex, LinkMode::FullDuplex, LinkMode::HalfDuplex];
    let hop = Cycles::new(generator.random_range(1..=2));
    Communication::new(*links.choose(generator).unwrap(), hop, TieRule::Direct)
        .unwrap()
        .with_latency(Cycles::new(generator.random_range(0..=6)))
        .with_switching(*Switching::ALL.choose(generator).unwrap())
        .with_eager(*[0, 0, 8].choose(generator).unwrap())
}

fn check(count: u64) {
    let shared = (0..count).into_par_iter().filter(|&number| check_case(number)).count();
    assert!(5 * shared as u64 >= count, "{shared} of {count} chains with several shares");
}

#[test]
fn chains_take_the_cycles_of_sequences() {
    check(250);
}

#[test]
#[ignore = "a minute: 10 000 chains"]
fn many_chains_take_the_cycles_of_sequences() {
    check(10_000);
}
