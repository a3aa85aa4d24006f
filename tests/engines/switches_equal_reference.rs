//! Reduction in switches: the engine equals the reference in the start and finish of every step at every rank of random
//! collectives on trees of switches and clusters.

use std::{collections::BTreeSet, num::NonZeroU64, sync::Arc};

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_reference::switches::{
    Side, SwitchOperation as ReferenceOperation, SwitchProblem, SwitchStep, run_in_switches,
};
use cubefold_simulator::{
    Communication, Cycles, EngineChoice, Execution, Job, JobStep, Request, StepBody, SwitchOperation,
    SwitchReduction, max_cycles, simulate,
};
use cubefold_topology::{
    ClimbingSide, Cluster, ClusterInside, ClusterOutside, ClusterUplinks, GraphSource, HostNics, Machine,
    NetworkParameters, NodeId, narrow,
};
use rand::{Rng, RngExt, SeedableRng, seq::IndexedRandom, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;

use crate::jobs_equal_reference::{Reported, compare_steps};
use crate::random_problem::{check_all, destinations, task_problem};
use crate::sized_equal_reference::rules;
use crate::speeds_equal_reference::time;

const ALL: u64 = 20_000;
/// The number of cases in every run of the tests.
const SHARE: u64 = 1500;

#[test]
fn a_share_of_the_reductions() {
    check_cases(SHARE);
}

#[test]
#[ignore = "some minutes: 20 000 collectives"]
fn all_reductions() {
    check_cases(ALL);
}

fn check_cases(count: u64) {
    let [run, queued, in_groups] = check_all(count, SwitchCase::random, check);
    assert!(10 * run >= 7 * count, "{run} of {count} collectives run");
    assert!(10 * queued >= 4 * count, "{queued} of {count} collectives with queues");
    assert!(10 * in_groups >= 3 * count, "{in_groups} of {count} collectives in several groups");
}

/// Collectives on a machine, for the engine and the reference at once.
#[derive(Debug)]
struct SwitchCase {
    machine: Machine,
    nodes: Vec<NodeId>, // of ranks
    communication: Communication,
    steps: Vec<SwitchStep>,
}

/// Compares everything; returns 1 for collectives that run, have queues, and have several groups.
fn check(case: &SwitchCase) -> Result<[u64; 3], String> {
    let job = case.job();
    let placement = case.placement(job.share_count());
    let mut reported = Reported::default();
    let request = Request::asynchronous(EngineChoice::Auto);
    let found = simulate(&job, &placement, case.communication, &request, &mut reported);
    let (outcome, expected) = match (found, run_in_switches(&case.problem())) {
        (Ok(outcome), Some(expected)) => (outcome, expected),
        (Err(error), None) if error.to_string().contains("meets no switch") => return Ok([0; 3]),
        (found, expected) => return Err(format!("{found:?}, expected {expected:?}")),
    };
    compare_steps(&reported.steps, std::slice::from_ref(&expected.steps))?;
    let found = (outcome.traffic.hops, outcome.traffic.longest_queue.map(u64::from));
    let want = (expected.hops, Some(expected.longest_queue));
    if found != want {
        return Err(format!("hops, longest queue {found:?}, expected {want:?}"));
    }
    let makespan = outcome.summary.makespan().get();
    let bound = max_cycles(&job, &placement, case.communication, &Execution::Asynchronous);
    if u128::from(makespan) > bound {
        return Err(format!("a bound of {bound} cycles, below {makespan}"));
    }
    let in_groups = case.steps.iter().any(|step| step.groups.len() > 1);
    Ok([1, u64::from(expected.longest_queue > 0), u64::from(in_groups)])
}

impl SwitchCase {
    fn random(number: u64) -> Self {
        let generator = &mut ChaCha12Rng::seed_from_u64(number);
        let machine = machine(generator);
        let devices = cluster(&machine).map_or(1, |cluster| cluster.devices_per_node);
        let mut nodes: Vec<NodeId> = machine.hosts().collect();
        nodes.shuffle(generator);
        nodes.truncate(generator.random_range(2..=nodes.len()));
        let count = generator.random_range(1..=2);
        let steps = (0..count).map(|_| step(generator, &machine, devices, &nodes)).collect();
        let cost = Cycles::new(*[0, 0, 2, 9].choose(generator).unwrap());
        let communication = rules(generator, &machine).with_message_cost(cost);
        Self { machine, nodes, communication, steps }
    }

    fn job(&self) -> Job {
        let step = |(place, step): (usize, &SwitchStep)| {
            let narrowed = |group: &Vec<usize>| group.iter().map(|&rank| narrow(rank as u64)).collect();
            let reduction = SwitchReduction {
                operation: match step.operation {
                    ReferenceOperation::AllReduce => SwitchOperation::AllReduce,
                    ReferenceOperation::ReduceScatter => SwitchOperation::ReduceScatter,
                    ReferenceOperation::AllGather => SwitchOperation::AllGather,
                },
                side: match step.side {
                    Side::Whole => ClimbingSide::Whole,
                    Side::Inside => ClimbingSide::Inside,
                    Side::Outside => ClimbingSide::Outside,
                },
                groups: step.groups.iter().map(narrowed).collect(),
                chunks: step.chunks.clone(),
                compute: Cycles::new(step.compute),
                units_per_cycle: step.units_per_cycle.and_then(NonZeroU64::new),
            };
            JobStep {
                name: place.to_string(),
                body: StepBody::InSwitches(Arc::new(reduction)),
                after: place.checked_sub(1).filter(|_| step.is_after).into_iter().collect(),
                takes_part: Arc::default(),
            }
        };
        let steps = self.steps.iter().enumerate().map(step).collect();
        Job::new(narrow(self.nodes.len() as u64), 1, steps).unwrap()
    }

    fn placement(&self, shares: u32) -> Placement {
        let nodes = self.nodes.repeat(shares as usize);
        Placement::Table(PlacementTable::new(&self.machine, nodes).unwrap())
    }

    fn problem(&self) -> SwitchProblem {
        let firsts = cluster(&self.machine).map(Cluster::first_vertices).unwrap_or_default();
        let nics = firsts.get("nics").map_or((0, 0), |&first| (first, firsts["leaves"] - first));
        SwitchProblem {
            machine: task_problem(&self.placement(1), self.communication),
            destinations: destinations(&self.machine, self.communication.routes()),
            nics,
            steps: self.steps.clone(),
        }
    }
}

fn cluster(machine: &Machine) -> Option<&Cluster> {
    match machine.source() {
        Some(GraphSource::Parameters(NetworkParameters::Cluster(cluster))) => Some(cluster),
        _ => None,
    }
}

/// A tree of switches, or a cluster with switches inside its nodes.
fn machine(generator: &mut impl Rng) -> Machine {
    let parameters = match generator.random_range(0..5) {
        0 => NetworkParameters::LeafSpine {
            leaves: generator.random_range(1..=4),
            hosts_per_switch: generator.random_range(2..=3),
            spines: generator.random_range(1..=3),
            uplinks: generator.random_range(1..=3),
            nics: if generator.random_bool(0.3) { HostNics::OneSwitch(2) } else { HostNics::ONE },
        },
        1 => {
            let levels = generator.random_range(1..=3);
            NetworkParameters::KAryTree {
                arity: 2,
                levels,
                uplinks: (1..levels).map(|_| generator.random_range(1..=3)).collect(),
                nics_per_host: generator.random_range(1..=2),
            }
        }
        _ => {
            let devices_per_node = generator.random_range(2..=4);
            NetworkParameters::Cluster(Cluster {
                nodes: generator.random_range(1..=4),
                devices_per_node,
                inside: ClusterInside::Switch { planes: generator.random_range(1..=3) },
                outside: Some(ClusterOutside {
                    nics_per_node: generator.random_range(1..=2 * devices_per_node),
                    nodes_per_leaf: generator.random_range(1..=2),
                    has_rails: generator.random(),
                    spines: generator.random_range(0..=2),
                    uplinks: if generator.random_bool(0.3) {
                        ClusterUplinks::Full
                    } else {
                        ClusterUplinks::Each(generator.random_range(1..=2))
                    },
                }),
                hosts_forward: false,
            })
        }
    };
    let machine = Machine::of_parameters(&parameters).unwrap();
    if generator.random() {
        return machine;
    }
    let times: Vec<_> = (0..machine.link_class_count()).map(|_| time(generator)).collect();
    machine.with_link_times(&times)
}

/// A collective of all ranks, of those of a node, or of any groups.
fn step(generator: &mut impl Rng, machine: &Machine, devices: u64, nodes: &[NodeId]) -> SwitchStep {
    let side = match cluster(machine) {
        None => Side::Whole,
        Some(_) => *[Side::Inside, Side::Outside].choose(generator).unwrap(),
    };
    let group_count = generator.random_range(1..=3_u64);
    let group_of = |rank: usize| match side {
        Side::Inside => u64::from(nodes[rank].index()) / devices,
        Side::Whole | Side::Outside => rank as u64 % group_count,
    };
    let mut groups: Vec<Vec<usize>> = vec![];
    let all: BTreeSet<u64> = (0..nodes.len()).map(group_of).collect();
    for group in all {
        groups.push((0..nodes.len()).filter(|&rank| group_of(rank) == group).collect());
    }
    groups.sort_unstable();
    let greatest = *[1, 3, 40].choose(generator).unwrap();
    SwitchStep {
        operation: *[
            ReferenceOperation::AllReduce,
            ReferenceOperation::ReduceScatter,
            ReferenceOperation::AllGather,
        ]
        .choose(generator)
        .unwrap(),
        side,
        groups,
        chunks: (0..generator.random_range(1..=4)).map(|_| generator.random_range(1..=greatest)).collect(),
        compute: *[0, 0, 1, 12].choose(generator).unwrap(),
        units_per_cycle: *[None, Some(1), Some(3), Some(50)].choose(generator).unwrap(),
        is_after: generator.random(),
    }
}
