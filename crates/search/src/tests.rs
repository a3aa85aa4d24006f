//! Searches against every placement, and bounds against placements drawn at random.

use std::{num::NonZeroU64, ops::ControlFlow, sync::Arc};

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, Computations, CubeProgram, Cycles, EngineChoice, Job, JobStep, Operation, OperationKind,
    Program, Request, StageMessage, StageProgram, StepBody, Switching, TaskGraph, TaskScheduleBuilder,
    predict, simulate, task_schedule,
};
use cubefold_topology::{
    LinkMode, LinkTime, Machine, MachineKind, Network, NetworkParameters, NodeId, TieRule,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    BoundKind, Effort, Found, Objective, Problem, SearchError, Start,
    arrangement::Arrangement,
    bounds::{Depth, bound},
    complete::applies,
    distances::Distances,
    judge::{Judge, Known, Measure},
    moves::{Move, Neighbourhood},
    routes::Routes,
    search,
    traffic::Traffic,
};

/// A random program, machine and rules.
struct Case {
    program: StageProgram,
    machine: Machine,
    rules: Communication,
    sites: Vec<NodeId>,
    per_site: usize,
}

/// A problem with a rank for every process.
pub(crate) fn problem_of<'a>(
    program: &'a dyn Program,
    machine: &'a Machine,
    rules: Communication,
    sites: &'a [NodeId],
    per_site: usize,
) -> Problem<'a> {
    let ranks = program.process_count();
    Problem { program, machine, ranks, rules, sites, per_site, least_makespan: None }
}

/// Searches until the effort is spent, unwatched.
fn search_from(
    problem: &Problem<'_>,
    objective: Objective,
    starts: &[Start],
    evaluations: u64,
    seed: u64,
) -> Result<Found, SearchError> {
    let effort = Effort { evaluations: Some(evaluations), seed };
    search(*problem, objective, starts, effort, &mut |_| ControlFlow::Continue(()), &mut |_| ())
}

/// Messages between processes drawn at random.
pub(crate) fn traffic_of(processes: u32, generator: &mut ChaCha8Rng) -> Traffic {
    let mut messages = vec![];
    for _ in 0..3 * processes {
        let [source, destination] = [(); 2].map(|()| ProcessId::new(generator.random_range(0..processes)));
        if source != destination {
            let units = generator.random_range(1..99);
            messages.push(StageMessage { stage: 0, source, destination, units });
        }
    }
    messages.sort_unstable();
    messages.dedup_by_key(|message| (message.source, message.destination));
    let program = StageProgram::new(processes, Computations::Same(Cycles::ZERO), &messages).unwrap();
    Traffic::new(&program, processes.into())
}

impl Case {
    fn draw(generator: &mut ChaCha8Rng, processes: u32) -> Self {
        let machine = draw_machine(generator);
        let mut messages = vec![];
        let stages = generator.random_range(1..4);
        for stage in 0..stages {
            for source in 0..processes {
                let destination = generator.random_range(0..processes);
                if source != destination {
                    let [source, destination] = [source, destination].map(ProcessId::new);
                    let units = generator.random_range(1..9);
                    messages.push(StageMessage { stage, source, destination, units });
                }
            }
        }
        let [source, destination] = [0, 1].map(ProcessId::new);
        messages.push(StageMessage { stage: 0, source, destination, units: 3 });
        messages.sort_unstable();
        messages.dedup_by_key(|message| (message.stage, message.source, message.destination));
        let computations = Computations::Same(Cycles::new(generator.random_range(0..4)));
        let program = StageProgram::new(processes, computations, &messages).unwrap();
        let modes = [LinkMode::FullDuplex, LinkMode::HalfDuplex];
        let rules = Communication::new(
            modes[generator.random_range(0..2)],
            Cycles::new(generator.random_range(1..4)),
            TieRule::Direct,
        )
        .unwrap()
        .with_latency(Cycles::new(generator.random_range(0..3)))
        .with_switching(Switching::ALL[generator.random_range(0..2)])
        .with_packets(NonZeroU64::new(generator.random_range(0..4)))
        .with_eager(generator.random_range(0..2) * generator.random_range(0..9));
        let rules = machine.link_times().map_or(rules, |times| rules.with_longest(times));
        let mut sites: Vec<NodeId> = machine.hosts().collect();
        let per_site = if sites.len() < processes as usize { 2 } else { generator.random_range(1..3) };
        // Only some of the nodes, if enough are left.
        while (sites.len() - 1) * per_site >= processes as usize && generator.random_range(0..2) == 0 {
            sites.remove(generator.random_range(0..sites.len()));
        }
        Self { program, machine, rules, sites, per_site }
    }

    fn problem(&self) -> Problem<'_> {
        problem_of(&self.program, &self.machine, self.rules, &self.sites, self.per_site)
    }

    /// Computes a value with the functions of `run` and `measure`.
    fn value(&self, objective: Objective, nodes: &[NodeId]) -> u128 {
        let table = PlacementTable::new(&self.machine, nodes.to_vec()).unwrap();
        let placement = Placement::Table(table);
        let messages = (0..self.program.stage_count()).flat_map(|stage| self.program.messages(stage));
        let route = |message: &StageMessage| {
            let [from, to] =
                [message.source, message.destination].map(|process| nodes[process.label() as usize]);
            self.machine.route(from, to, self.rules.tie())
        };
        match objective {
            Objective::Makespan => {
                let request = Request::asynchronous(EngineChoice::Sized);
                let run = simulate(&self.program, &placement, self.rules, &request, &mut ()).unwrap();
                run.summary.makespan().get().into()
            }
            Objective::Predicted => predict(&self.program, &placement, self.rules).get().into(),
            Objective::HopUnits => {
                messages.map(|message| u128::from(message.units) * route(&message).count() as u128).sum()
            }
            Objective::Dilation => messages.map(|message| route(&message).count() as u128).max().unwrap(),
            Objective::Load => {
                let by_link = self.rules.links() == LinkMode::HalfDuplex;
                let mut loads = std::collections::BTreeMap::new();
                let unit = |channel| match self.machine.link_times() {
                    Some(times) => times[self.machine.link_class(channel)].unit,
                    None => self.rules.hop().get(),
                };
                for message in messages {
                    for channel in route(&message) {
                        let link = self.machine.link(channel);
                        let place = (link, (!by_link).then_some(channel));
                        *loads.entry(place).or_insert(0) += u128::from(message.units * unit(channel));
                    }
                }
                loads.values().copied().max().unwrap_or(0)
            }
        }
    }

    /// A placement drawn at random.
    fn nodes(&self, generator: &mut ChaCha8Rng) -> Vec<NodeId> {
        let mut places: Vec<NodeId> =
            self.sites.iter().flat_map(|&site| std::iter::repeat_n(site, self.per_site)).collect();
        (0..self.program.process_count())
            .map(|_| places.swap_remove(generator.random_range(0..places.len())))
            .collect()
    }

    fn search(&self, objective: Objective, starts: &[Vec<NodeId>], evaluations: u64) -> Found {
        let starts: Vec<Start> =
            starts.iter().map(|nodes| Start { name: Some(String::new()), nodes: nodes.clone() }).collect();
        search_from(&self.problem(), objective, &starts, evaluations, 5).unwrap()
    }
}

/// The tables that all judges of a case share.
struct Tables<'a> {
    traffic: Traffic,
    distances: Distances<'a>,
    routes: Routes<'a>,
}

impl<'a> Tables<'a> {
    fn new(case: &'a Case) -> Self {
        Self {
            traffic: Traffic::new(&case.program, case.program.process_count()),
            distances: Distances::new(&case.machine, &case.sites),
            routes: Routes::new(&case.problem()),
        }
    }

    fn known(&'a self, case: &'a Case) -> Known<'a> {
        let Self { traffic, distances, routes } = self;
        Known { problem: case.problem(), traffic, distances, routes: Some(routes) }
    }
}

fn draw_machine(generator: &mut ChaCha8Rng) -> Machine {
    let machine = match generator.random_range(0..8) {
        0 => Machine::new(MachineKind::Ring, &[6]),
        1 => Machine::new(MachineKind::Mesh, &[3, 2]),
        2 => Machine::new(MachineKind::Torus, &[4, 2]),
        3 => Machine::new(MachineKind::Hypercube, &[2, 2, 2]),
        4 => Machine::new(MachineKind::Line, &[7]),
        // Eight hosts, two a switch.
        5 => Ok(Machine::of_parameters(&NetworkParameters::k_ary_tree(2, 3)).unwrap()),
        // A ring with two links between some nodes.
        6 => {
            let links = [(0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (3, 4), (4, 5), (5, 0)];
            Machine::network(MachineKind::Network, Network::from_parallel_edges(6, &links).unwrap())
        }
        _ => Ok(Machine::of_dimensions(MachineKind::DeBruijn, 3).unwrap()),
    }
    .unwrap();
    if generator.random_range(0..3) > 0 {
        return machine;
    }
    // Links of different speed.
    let mut time = || LinkTime { unit: generator.random_range(1..5), latency: generator.random_range(0..4) };
    let times: Vec<LinkTime> = (0..machine.link_class_count()).map(|_| time()).collect();
    machine.with_link_times(&times)
}

fn for_each_placement(case: &Case, visit: &mut impl FnMut(&[NodeId])) {
    fn next(case: &Case, nodes: &mut Vec<NodeId>, visit: &mut impl FnMut(&[NodeId])) {
        if nodes.len() as u64 == case.program.process_count() {
            return visit(nodes);
        }
        for &site in &case.sites {
            if nodes.iter().filter(|&&node| node == site).count() < case.per_site {
                nodes.push(site);
                next(case, nodes, visit);
                nodes.pop();
            }
        }
    }
    next(case, &mut vec![], visit);
}

/// The job of random steps with the messages of cases, some of them side by side, on the ranks of the first.
fn draw_job(case: &Case, generator: &mut ChaCha8Rng) -> Job {
    let ranks = u32::try_from(case.program.process_count()).unwrap();
    let iterations = generator.random_range(1..3);
    let steps = (0..4_usize).map(|number| {
        let messages =
            StepBody::Messages { program: Arc::new(Case::draw(generator, ranks).program), shares: 1 };
        let computation = StepBody::Computation(Cycles::new(generator.random_range(1..40)));
        let body = if generator.random_bool(0.4) { computation } else { messages };
        let after = (0..number).filter(|_| generator.random_bool(0.5)).collect();
        JobStep { name: number.to_string(), body, after, takes_part: Arc::default() }
    });
    Job::new(ranks, iterations, steps.collect()).unwrap()
}

/// The task graph of a case, with few tags so that sends and receives meet in the order of the run, and sometimes fewer
/// receives than sends.
fn draw_tasks(case: &Case, generator: &mut ChaCha8Rng) -> TaskGraph {
    let schedule = task_schedule(&case.program).unwrap();
    let mut builder = TaskScheduleBuilder::new(schedule.process_count());
    let tags = generator.random_range(1..3);
    let left_out = if generator.random_bool(0.3) { 0.2 } else { 0.0 };
    for operation in schedule.operations() {
        let processor = u16::from(generator.random_bool(0.2));
        let is_left_out = operation.kind == OperationKind::Receive && generator.random_bool(left_out);
        let kind = if is_left_out { OperationKind::Calc } else { operation.kind };
        builder.add(Operation { tag: operation.tag % tags, processor, kind, ..*operation });
    }
    for (number, requirements) in (0..).zip(schedule.requirements()) {
        for (before, requirement) in requirements {
            builder.require(number, before, requirement);
        }
    }
    TaskGraph::new(Arc::new(builder.finish().unwrap()), Cycles::new(generator.random_range(0..3)))
}

/// No placement of a job or a task graph has a makespan below its bound; returns the sum of all bounds
/// as a share of the sum of the optima.
fn bounds_of_paths(rounds: u64) -> f64 {
    let mut generator = ChaCha8Rng::seed_from_u64(23);
    let (mut bounds, mut optima) = (0.0, 0.0);
    for round in 0..rounds {
        let case = Case::draw(&mut generator, 4);
        let (job, tasks) = (draw_job(&case, &mut generator), draw_tasks(&case, &mut generator));
        let program: &dyn Program = if round % 2 == 0 { &job } else { &tasks };
        let problem = Problem { program, ..case.problem() };
        let mut least = u64::MAX;
        for_each_placement(&case, &mut |nodes| {
            let table = PlacementTable::new(&case.machine, nodes.to_vec()).unwrap();
            let request = Request::asynchronous(EngineChoice::Sized);
            let run = simulate(program, &Placement::Table(table), case.rules, &request, &mut ());
            // With rendezvous, operations may deadlock.
            least = least.min(run.map_or(u64::MAX, |run| run.summary.makespan().get()));
        });
        if least == u64::MAX {
            continue;
        }
        let tables = Tables::new(&case);
        let traffic = Traffic::new(program, problem.ranks);
        let known = Known { problem, traffic: &traffic, ..tables.known(&case) };
        let bound = bound(&known, Objective::Makespan, Depth { steps: 0, known: 0 });
        assert!(bound.value <= least.into(), "{bound:?} {least} {round}");
        (bounds, optima) = (
            bounds + f64::from(u32::try_from(bound.value).unwrap()),
            optima + f64::from(u32::try_from(least).unwrap()),
        );
    }
    bounds / optima
}

#[test]
fn no_placement_of_a_job_or_a_task_graph_is_below_its_bound() {
    let tightness = bounds_of_paths(24);
    assert!(tightness > 0.6, "{tightness}");
}

#[test]
#[ignore = "a minute: more of the same"]
fn no_placement_of_a_job_or_a_task_graph_is_below_its_bound_at_length() {
    bounds_of_paths(3000);
}

/// Complete searches find the least value of all placements, and no bound is above it.
fn proved_optima(rounds: u64, processes: u32) {
    let mut generator = ChaCha8Rng::seed_from_u64(processes.into());
    for _ in 0..rounds {
        let case = Case::draw(&mut generator, processes);
        for objective in Objective::ALL {
            let mut least = u128::MAX;
            for_each_placement(&case, &mut |nodes| least = least.min(case.value(objective, nodes)));
            let found = case.search(objective, &[case.nodes(&mut generator)], 1000);
            if applies(&case.problem()) {
                assert_eq!((found.value, found.is_proved()), (least, true), "{objective} {found:?}");
            }
            assert_eq!(case.value(objective, &found.nodes), found.value);
            let tables = Tables::new(&case);
            let depth = Depth { steps: 60, known: case.value(Objective::HopUnits, &found.nodes) };
            let bound = bound(&tables.known(&case), objective, depth);
            assert!(bound.value <= least, "{objective} {bound:?} {least}");
        }
    }
}

#[test]
fn complete_searches_are_brute_force() {
    proved_optima(12, 4);
}

#[test]
#[ignore = "minutes: every placement of more problems"]
fn complete_searches_are_brute_force_at_length() {
    proved_optima(300, 4);
    proved_optima(60, 5);
}

/// Searches of eight processes find the least makespan of all placements that have the first `fixed` processes on the first
/// nodes.
fn optima_of_eight_processes(machines: &[(MachineKind, &[u64])], fixed: usize) {
    let cube = Hypercube::new(3).unwrap();
    let ascend = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(2)).unwrap();
    let mut generator = ChaCha8Rng::seed_from_u64(8);
    let drawn = Case::draw(&mut generator, 8).program;
    let modes = [LinkMode::FullDuplex, LinkMode::HalfDuplex];
    for (&(kind, lengths), links) in machines.iter().flat_map(|machine| modes.map(|links| (machine, links))) {
        let machine = Machine::new(kind, lengths).unwrap();
        let rules = Communication::new(links, Cycles::new(1), TieRule::Direct).unwrap();
        let sites: Vec<NodeId> = machine.hosts().collect();
        for program in [&ascend as &dyn Program, &drawn] {
            let problem = problem_of(program, &machine, rules, &sites, 1);
            let starts = [Start { name: Some("standard".into()), nodes: sites.clone() }];
            let found = search_from(&problem, Objective::Makespan, &starts, 100, 0).unwrap();
            let mut least = u64::MAX;
            let mut nodes = sites.clone();
            for_each_order(&mut nodes[fixed..], &mut |order| {
                let nodes = [&sites[..fixed], order].concat();
                let placement = Placement::Table(PlacementTable::new(&machine, nodes).unwrap());
                let request = Request::asynchronous(EngineChoice::Auto);
                let run = simulate(program, &placement, rules, &request, &mut ()).unwrap();
                least = least.min(run.summary.makespan().get());
            });
            assert_eq!((found.value, found.is_proved()), (least.into(), true), "{kind:?} {links:?}");
            assert!(matches!(found.bound.kind, BoundKind::Complete | BoundKind::Prediction));
        }
    }
}

#[test]
fn searches_by_dilation_prove_what_the_literature_proves() {
    let cube = Hypercube::new(4).unwrap();
    let program = CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::ZERO).unwrap();
    let line = Machine::new(MachineKind::Line, &[16]).unwrap();
    let sites: Vec<NodeId> = line.hosts().collect();
    let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
    let problem = problem_of(&program, &line, rules, &sites, 1);
    let byweight = Placement::embed(EmbeddingKind::Byweight, cube, &line).unwrap();
    let nodes = byweight.nodes();
    let starts = [Start { name: Some("byweight".into()), nodes }];
    let found = search_from(&problem, Objective::Dilation, &starts, 1000, 0).unwrap();
    // Harper 1966.
    assert_eq!((found.value, found.bound.value, found.bound.kind.name()), (7, 7, "line"));
}

/// Calls `visit` with every order of nodes (Heap 1963).
fn for_each_order(nodes: &mut [NodeId], visit: &mut impl FnMut(&[NodeId])) {
    fn permute(nodes: &mut [NodeId], free: usize, visit: &mut impl FnMut(&[NodeId])) {
        if free <= 1 {
            return visit(nodes);
        }
        for place in 0..free {
            permute(nodes, free - 1, visit);
            nodes.swap(if free.is_multiple_of(2) { place } else { 0 }, free - 1);
        }
    }
    let all = nodes.len();
    permute(nodes, all, visit);
}

#[test]
fn proved_optima_of_eight_processes_are_those_of_all_placements() {
    // Exchanges of the ends of links keep all routes of a cube: process 0 may stay.
    optima_of_eight_processes(&[(MachineKind::Hypercube, &[2, 2, 2])], 1);
}

#[test]
#[ignore = "half a minute: all placements of other machines"]
fn proved_optima_of_eight_processes_are_those_of_all_placements_of_other_machines() {
    let machines =
        [(MachineKind::Ring, &[8_u64][..]), (MachineKind::Torus, &[4, 2]), (MachineKind::Mesh, &[4, 2])];
    optima_of_eight_processes(&machines, 0);
}

#[test]
fn tabu_searches_agree_on_any_number_of_threads_and_reach_what_annealing_does() {
    let mut generator = ChaCha8Rng::seed_from_u64(8);
    let case = Case::draw(&mut generator, 12);
    let machine = Machine::new(MachineKind::Mesh, &[4, 3]).unwrap();
    let case = Case { sites: machine.hosts().collect(), machine, per_site: 1, ..case };
    let start = case.nodes(&mut generator);
    let found = |threads: usize, evaluations: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let starts = std::slice::from_ref(&start);
        pool.install(|| case.search(Objective::HopUnits, starts, evaluations))
    };
    let [one, three] = [1, 3].map(|threads| found(threads, 20_000_000));
    assert_eq!(one, three);
    assert!(one.evaluations > 15_000_000 && one.evaluations <= 20_000_000, "{}", one.evaluations);
    assert_eq!(one.value, case.value(Objective::HopUnits, &one.nodes));
    assert!(one.value <= found(2, 20_000).value);
}

#[test]
fn no_placement_is_below_a_bound() {
    let mut generator = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..400 {
        let processes = generator.random_range(3..12);
        let case = Case::draw(&mut generator, processes);
        let tables = Tables::new(&case);
        let nodes = case.nodes(&mut generator);
        let depth = Depth { steps: 10, known: case.value(Objective::HopUnits, &nodes) };
        for objective in Objective::ALL {
            let bound = bound(&tables.known(&case), objective, depth);
            assert!(bound.value <= case.value(objective, &nodes), "{objective} {bound:?}");
        }
    }
}

#[test]
fn judged_values_are_those_of_runs_after_any_change() {
    let mut generator = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..60 {
        let processes = generator.random_range(3..12);
        let case = Case::draw(&mut generator, processes);
        let tables = Tables::new(&case);
        let neighbourhood = Neighbourhood::new(&case.machine, &case.sites, processes as usize);
        let start =
            || Arrangement::new(&case.nodes(&mut ChaCha8Rng::seed_from_u64(3)), &case.sites, case.per_site);
        for objective in Objective::ALL {
            let mut judge =
                Judge::new(tables.known(&case), Measure::Of(objective), start().unwrap()).unwrap();
            for change in 0..8 {
                let mut exchanges = vec![];
                let (kind, arrangement) = (Move::ALL[change % 4], judge.arrangement());
                neighbourhood.draw(kind, arrangement, &tables.traffic, &mut generator, &mut exchanges);
                exchanges.iter().for_each(|&(one, other)| judge.exchange(one, other));
                let value = case.value(objective, judge.nodes());
                assert_eq!(
                    judge.energy(None).unwrap().map(|energy| energy.value),
                    Some(value),
                    "{objective}"
                );
                let most = judge.energy(Some(value)).unwrap().map(|energy| energy.value);
                assert_eq!(most, Some(value), "{objective}");
                assert_eq!(judge.energy(value.checked_sub(1)).unwrap().is_some(), value == 0, "{objective}");
            }
        }
    }
}

/// A case of twelve ranks on a torus of 4 x 4.
fn twelve_on_a_torus(generator: &mut ChaCha8Rng) -> Case {
    let machine = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
    let case = Case::draw(generator, 12);
    Case { sites: machine.hosts().collect(), per_site: 1, machine, ..case }
}

#[test]
fn a_start_without_a_name_is_found_but_is_not_the_best_named() {
    let mut generator = ChaCha8Rng::seed_from_u64(17);
    let case = twelve_on_a_torus(&mut generator);
    let mut drawn: Vec<Vec<NodeId>> = (0..8).map(|_| case.nodes(&mut generator)).collect();
    drawn.sort_by_key(|nodes| case.value(Objective::HopUnits, nodes));
    let start =
        |name: Option<&str>, nodes: &[NodeId]| Start { name: name.map(str::to_owned), nodes: nodes.to_vec() };
    let starts = [start(Some("worst"), &drawn[7]), start(None, &drawn[0]), start(Some("middle"), &drawn[4])];
    let found = search_from(&case.problem(), Objective::HopUnits, &starts, 1, 0).unwrap();
    assert_eq!((found.named, found.named_value), (2, case.value(Objective::HopUnits, &drawn[4])));
    assert!(found.value <= case.value(Objective::HopUnits, &drawn[0]) && found.value < found.named_value);
    let unnamed = search_from(&case.problem(), Objective::HopUnits, &starts[1..2], 1, 0);
    assert!(matches!(unnamed, Err(SearchError::NoStart)));
}

#[test]
fn threads_do_not_change_what_is_found_and_it_is_never_worse_than_a_start() {
    let mut generator = ChaCha8Rng::seed_from_u64(13);
    let case = twelve_on_a_torus(&mut generator);
    let starts: Vec<Vec<NodeId>> = (0..3).map(|_| case.nodes(&mut generator)).collect();
    for objective in Objective::ALL {
        let found = [1, 2, 8].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.search(objective, &starts, 4000))
        });
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{objective}");
        let values = starts.iter().map(|nodes| case.value(objective, nodes));
        assert_eq!(found[0].named_value, values.min().unwrap());
        assert!(found[0].value <= found[0].named_value && found[0].bound.value <= found[0].value);
        assert_eq!(case.value(objective, &found[0].nodes), found[0].value);
        assert!(found[0].evaluations <= 4000, "{}", found[0].evaluations);
    }
}
