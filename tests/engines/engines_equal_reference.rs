//! The engines equal the reference, written apart from them, on random cases: every row of every process
//! and stage, the queues, the hops and the busy cycles of every link.

use std::{
    collections::BTreeMap,
    num::{NonZeroU64, NonZeroUsize},
};

use cubefold_mapping::{Placement, PlacementMetrics, ProcessId, RoutingSpace};
use cubefold_reference::{
    asynchronous::{AsynchronousOutcome, asynchronous},
    coordinated::{CoordinatedOutcome, RoutingPlan, coordinated, coordinated_by_plan},
    metrics::{self, metrics, metrics_of_edges},
    prediction::predicted,
    problem::{Problem, Row},
};
use cubefold_simulator::{
    BulkStages, CountLinkUse, DimensionChoice, Distribution, EngineChoice, MessageRoutes, Outcome, Percent,
    PhaseLength, Plan, Request, Routing, StageRecord, StageTotals, Summary, Workers, predict, simulate,
};
use cubefold_topology::{NodeId, TieRule};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::random_problem::{
    Case, cube_case, cube_placement, grid, message_sets_case, node_indices, other_size_case, rows,
    shared_cube_case, shared_message_sets_case, tao_case, tie,
};

/// Cases of up to 256 nodes, in every run of the tests.
const SMALL: u64 = 256;
/// Cases of up to 4096 nodes, on request.
const LARGE: u64 = 4096;

pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_global_rejects: 1 << 20, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn asynchronous_cube_programs(case in cube_case(SMALL)) {
        check_asynchronous(&case)?;
    }

    #[test]
    fn asynchronous_message_sets(case in message_sets_case(SMALL)) {
        check_asynchronous(&case)?;
    }

    #[test]
    fn coordinated_cube_programs(case in cube_case(SMALL), phase_length in phase_length()) {
        check_coordinated(&case, phase_length)?;
    }

    #[test]
    fn coordinated_message_sets(case in message_sets_case(SMALL), phase_length in phase_length()) {
        check_coordinated(&case, phase_length)?;
    }

    #[test]
    fn asynchronous_programs_on_shared_nodes(
        case in prop_oneof![shared_cube_case(SMALL), shared_message_sets_case(SMALL)]
    ) {
        check_asynchronous(&case)?;
    }

    #[test]
    fn coordinated_programs_on_shared_nodes(
        case in prop_oneof![shared_cube_case(SMALL), shared_message_sets_case(SMALL)],
        phase_length in phase_length(),
    ) {
        check_coordinated(&case, phase_length)?;
        check_metrics(&case)?;
    }

    #[test]
    fn metrics_and_predictions(case in cube_case(SMALL)) {
        check_metrics(&case)?;
        check_prediction(&case)?;
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn asynchronous_neighbour_exchange_by_the_constructions_of_tao(case in tao_case(SMALL)) {
        check_asynchronous(&case)?;
    }

    #[test]
    fn coordinated_neighbour_exchange_by_the_constructions_of_tao(case in tao_case(SMALL)) {
        check_by_plan(&case)?;
        check_metrics(&case)?;
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn neighbour_exchange_on_uneven_and_spare_nodes(case in other_size_case(SMALL / 2)) {
        check_asynchronous(&case)?;
        check_by_plan(&case)?;
        check_metrics(&case)?;
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    #[ignore = "minutes: machines of up to 4096 nodes"]
    fn large_asynchronous_cube_programs(case in cube_case(LARGE)) {
        check_asynchronous(&case)?;
    }

    #[test]
    #[ignore = "minutes: machines of up to 4096 nodes"]
    fn large_coordinated_cube_programs(case in cube_case(LARGE), phase_length in phase_length()) {
        check_coordinated(&case, phase_length)?;
    }

    #[test]
    #[ignore = "minutes: machines of up to 4096 nodes"]
    fn large_metrics((cube, placement) in cube_placement(LARGE)) {
        for rule in TieRule::ALL {
            let measured = PlacementMetrics::measure(&cube, &placement, rule);
            check_metrics_of(&measured, &metrics(
                &grid(placement.machine()), &tie(rule), &node_indices(&placement), cube.dimension_count().into(),
            ))?;
        }
    }
}

fn phase_length() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![3 => Just(None), 2 => (1..5_u64).prop_map(Some)]
}

pub(crate) fn run(case: &Case, request: &Request) -> (Outcome, Vec<StageRecord>) {
    let mut records = vec![];
    let (placement, links) = (&case.placement, case.communication);
    let outcome =
        simulate(&*case.program, placement, links, &request.counting(CountLinkUse::Yes), &mut records);
    (outcome.unwrap(), records)
}

/// Compares every engine that applies with the reference; returns whether anything was blocked.
pub(crate) fn check_asynchronous(case: &Case) -> Result<bool, TestCaseError> {
    let expected = asynchronous(&case.problem());
    for request in requests(case) {
        check_outcome(case, run(case, &request), &expected)
            .map_err(|error| TestCaseError::fail(format!("{request:?}: {error}")))?;
    }
    Ok(expected.rows.iter().flatten().any(|row| row.blocked > 0))
}

/// The engines that apply, the belt with and without its shortcut.
fn requests(case: &Case) -> Vec<Request> {
    let engines = [EngineChoice::Auto, EngineChoice::Hop, EngineChoice::Sized];
    let mut requests = vec![by_threads(case)];
    requests.extend(engines.map(Request::asynchronous));
    let belt = Request::asynchronous(EngineChoice::BELT);
    if Plan::new(&*case.program, &case.placement, case.communication, &belt).is_ok() {
        let shortcut = [BulkStages::Yes, BulkStages::No];
        requests.extend(shortcut.map(|bulk| Request::asynchronous(EngineChoice::Belt(bulk))));
    }
    requests
}

/// The hop engine on 1, 2, 3 or 7 threads, of which there may be more than lines; on 2 in a long run, where more
/// threads than processors would wait for each other in every cycle.
fn by_threads(case: &Case) -> Request {
    let processes = case.placement.process_count();
    let number = processes + case.communication.hop().get();
    let workers = if processes > 256 { 2 } else { [2, 3, 7, 1][(number % 4) as usize] };
    let workers = Workers::Threads(NonZeroUsize::new(workers).unwrap());
    Request::asynchronous(EngineChoice::Hop).by(Some(workers))
}

/// Compares the outcome of a run, with its records, with the reference.
pub(crate) fn check_outcome(
    case: &Case,
    (outcome, records): (Outcome, Vec<StageRecord>),
    expected: &AsynchronousOutcome,
) -> Result<(), TestCaseError> {
    check_rows(&records, &expected.rows)?;
    prop_assert_eq!(outcome.summary.makespan().get(), expected.makespan);
    prop_assert_eq!(outcome.traffic.longest_queue.map(u64::from), Some(expected.longest_queue));
    prop_assert_eq!(outcome.traffic.hops, expected.hops);
    prop_assert_eq!(outcome.traffic.messages, expected.messages);
    prop_assert_eq!(&busy_cycles(&outcome), &expected.busy_cycles);
    check_sums(&outcome.summary, &records)?;
    check_against_prediction(case, &outcome)
}

/// The sums and distributions are those of the records.
pub(crate) fn check_sums(summary: &Summary, records: &[StageRecord]) -> Result<(), TestCaseError> {
    let mut stages = vec![StageTotals::default(); summary.stages().len()];
    let (mut waiting, mut blocked) = (Distribution::new(), Distribution::new());
    for record in records {
        let stage = &mut stages[record.stage];
        stage.sharing += u128::from(record.sharing.get());
        stage.waiting += u128::from(record.waiting().get());
        stage.transfer += u128::from(record.transfer.get());
        stage.blocked += u128::from(record.blocked().get());
        waiting.record(record.waiting().get());
        blocked.record(record.blocked().get());
    }
    prop_assert_eq!(summary.stages(), &stages);
    prop_assert_eq!(spread(summary.waiting()), spread(&waiting));
    prop_assert_eq!(spread(summary.blocked()), spread(&blocked));
    let last = summary.stages().len() - 1;
    let ends = records.iter().filter(|record| record.stage == last);
    let ends: Vec<u64> = ends.map(|record| (record.finish + record.idle).get()).collect();
    let makespan = ends.iter().copied().max().unwrap_or(0);
    prop_assert_eq!(summary.makespan().get(), makespan);
    prop_assert_eq!(summary.idle_at_end(), ends.iter().map(|end| u128::from(makespan - end)).sum::<u128>());
    Ok(())
}

/// All values of a distribution.
pub(crate) fn spread(distribution: &Distribution) -> (u64, u128, u64, [u64; 3]) {
    let percentiles = [Percent::Fifty, Percent::Ninety, Percent::NinetyNine];
    let percentiles = percentiles.map(|percent| distribution.percentile(percent));
    (distribution.count(), distribution.sum(), distribution.max(), percentiles)
}

/// No makespan is below the predicted one; with one process a node and without blocked cycles they are equal.
fn check_against_prediction(case: &Case, outcome: &Outcome) -> Result<(), TestCaseError> {
    let predicted = predict(&*case.program, &case.placement, case.communication);
    prop_assert!(outcome.summary.makespan() >= predicted);
    if case.placement.is_one_to_one() && outcome.summary.totals().blocked == 0 {
        prop_assert_eq!(outcome.summary.makespan(), predicted);
    }
    Ok(())
}

/// A coordinated run with one limit for the phases of all messages.
fn check_coordinated(case: &Case, phase_length: Option<u64>) -> Result<(), TestCaseError> {
    let routing = Routing {
        dimension_choice: DimensionChoice::Lowest,
        phase_length: phase_length
            .and_then(NonZeroU64::new)
            .map_or(PhaseLength::Unlimited, PhaseLength::Links),
        ..Routing::PLAIN
    };
    check_routed(case, routing, coordinated(&case.problem(), phase_length))
}

/// A coordinated run with the routing vector and phase lengths of the placement's construction.
fn check_by_plan(case: &Case) -> Result<(), TestCaseError> {
    let problem = case.problem();
    check_routed(case, Routing::PLAIN, coordinated_by_plan(&problem, &plan(case, &problem)))
}

/// Compares a coordinated run with the reference.
pub(crate) fn check_routed(
    case: &Case,
    routing: Routing,
    expected: CoordinatedOutcome,
) -> Result<(), TestCaseError> {
    let (outcome, records) = run(case, &Request::coordinated(routing));
    check_rows(&records, &expected.rows)?;
    let routing = outcome.traffic.routing.as_ref().unwrap();
    prop_assert_eq!(routing.iter().map(|stage| stage.steps).collect::<Vec<_>>(), expected.steps);
    prop_assert_eq!(routing.iter().map(|stage| stage.conflicts).collect::<Vec<_>>(), expected.conflicts);
    prop_assert_eq!(outcome.summary.makespan().get(), expected.makespan);
    prop_assert_eq!(outcome.traffic.hops, expected.hops);
    prop_assert_eq!(outcome.traffic.messages, expected.messages);
    let has_queues = case.communication.routes() != MessageRoutes::OfMachine;
    prop_assert_eq!(outcome.traffic.longest_queue.is_some(), has_queues);
    prop_assert_eq!(busy_cycles(&outcome), expected.busy_cycles);
    Ok(())
}

/// The subset of every message by the dimension of the guest that it goes along, where the vector numbers
/// these, else as the construction says; without a routing, one subset and no limit.
fn plan(case: &Case, problem: &Problem) -> RoutingPlan {
    let Placement::Construction(construction) = &case.placement else { panic!("a construction's plan") };
    let Some(routing) = construction.routing() else {
        return RoutingPlan::one_subset(problem, None);
    };
    let shape = construction.guest().shape();
    let number = |&(source, destination): &(u32, u32)| -> u64 {
        if routing.space() == RoutingSpace::FirstStage {
            let subset = construction.subset(ProcessId::new(source), ProcessId::new(destination));
            return subset.unwrap_or(1).into();
        }
        let [from, to] = [source, destination].map(|label| shape.coordinates(NodeId::new(label)));
        let differs = from.as_slice().iter().zip(to.as_slice()).position(|(from, to)| from != to);
        routing.vector()[differs.unwrap()].into()
    };
    RoutingPlan {
        subset_of_message: problem.stages.iter().map(|stage| stage.iter().map(number).collect()).collect(),
        phase_length: routing
            .subsets()
            .iter()
            .map(|subset| (subset.number.into(), subset.phase_length))
            .collect(),
    }
}

/// Every process in every stage, each once.
fn check_rows(records: &[StageRecord], expected: &[Vec<Row>]) -> Result<(), TestCaseError> {
    let found = rows(records, expected[0].len());
    prop_assert_eq!(found.len(), expected.len());
    for (stage, (found, expected)) in found.iter().zip(expected).enumerate() {
        for (process, (found, expected)) in found.iter().zip(expected).enumerate() {
            prop_assert_eq!(found, expected, "stage {} process {}", stage, process);
        }
    }
    Ok(())
}

pub(crate) fn busy_cycles(outcome: &Outcome) -> BTreeMap<(u64, usize), u64> {
    let busy = outcome.traffic.link_use.as_ref().unwrap().busy_links();
    busy.map(|(link, cycles)| ((u64::from(link.near.index()), link.dimension.index()), cycles.get()))
        .collect()
}

fn check_metrics(case: &Case) -> Result<(), TestCaseError> {
    let (placement, rule) = (&case.placement, case.communication.tie());
    let Some(guest) = case.program.guest() else { return Ok(()) };
    let label = |process: ProcessId| process.label() as usize;
    let of =
        |dimension| guest.edges(dimension).iter().map(|&(low, high)| (label(low), label(high))).collect();
    let edges: Vec<Vec<(usize, usize)>> = (0..guest.dimension_count()).map(of).collect();
    let measured = guest.measure(placement, rule);
    let (grid, nodes) = (grid(placement.machine()), node_indices(placement));
    check_metrics_of(&measured, &metrics_of_edges(&grid, &tie(rule), &nodes, &edges))
}

fn check_metrics_of(measured: &PlacementMetrics, expected: &metrics::Metrics) -> Result<(), TestCaseError> {
    prop_assert_eq!(&measured.dilation.spectrum, &expected.spectrum);
    prop_assert_eq!(measured.dilation.total(), expected.total);
    prop_assert_eq!(measured.dilation.max(), expected.max);
    let plain =
        |extremes: cubefold_mapping::Extremes| (extremes.min, extremes.max, extremes.sum, extremes.count);
    let summary = |summary: metrics::Summary| (summary.min, summary.max, summary.sum, summary.count);
    prop_assert_eq!(plain(measured.node_load), summary(expected.node_load));
    prop_assert_eq!(plain(measured.link_congestion), summary(expected.link_congestion));
    prop_assert_eq!(plain(measured.node_congestion), summary(expected.node_congestion));
    prop_assert_eq!(plain(measured.load), summary(expected.load));
    prop_assert_eq!(measured.distances.len(), expected.distances.len());
    for (dimension, expected) in measured.distances.iter().zip(&expected.distances) {
        // The reference counts each edge from both ends.
        let edges = dimension.over_edges;
        prop_assert_eq!((edges.min, edges.max), (expected.min, expected.max));
        prop_assert_eq!((edges.sum * 2, edges.count * 2), (expected.sum, expected.count));
    }
    Ok(())
}

fn check_prediction(case: &Case) -> Result<(), TestCaseError> {
    let Some(program) = case.program.special().cube() else { return Ok(()) };
    let problem = case.problem();
    let stages: Vec<u32> = program.stages().iter().map(|dimension| dimension.number().into()).collect();
    let expected =
        predicted(&problem.grid, &problem.nodes, problem.compute_cycles, problem.hop_cycles, &stages);
    prop_assert_eq!(predict(program, &case.placement, case.communication).get(), expected);
    Ok(())
}
