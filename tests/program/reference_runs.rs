//! The scenarios equal the reference simulator, process by process.

use cubefold_mapping::ProcessId;
use cubefold_reference::{
    asynchronous::asynchronous,
    coordinated::{RoutingPlan, coordinated_by_plan},
    problem::{Problem, Row},
};
use cubefold_runs::{KeepRecords, Progress, execute};
use cubefold_scenario::{DimensionChoice, ExecutionMode, Phases, RoutingRule, Run, load};
use cubefold_simulator::{Cycles, ServiceOrder};
use cubefold_topology::RouteChoice;

use super::command::{files_in, json, root};
use crate::random_problem::{self, rows};

/// Runs with more processes take the reference too long.
const MAX_PROCESSES: u64 = 256;

/// Whether all messages have one unit and links no latency, as in section 5 of the model. The engines' own tests compare
/// other messages with the reference.
fn has_unit_messages(run: &Run) -> bool {
    let communication = &run.communication;
    run.machine.link_times().is_none()
        && communication.latency().get() == 0
        && communication.eager() == 0
        && communication.service() == ServiceOrder::FirstCome
        && (0..run.program.body.stage_count()).all(|stage| run.program.body.max_units(stage) == 1)
}

/// The reference's result of a run: its makespan and `rows[stage][process]`; `None` where chance decides.
fn expected(run: &Run) -> Option<(u64, Vec<Vec<Row>>)> {
    // Task graphs have a reference of their own.
    if run.program.body.special().tasks().is_some() {
        return None;
    }
    // It knows no turns, and no routes by the number of the destination.
    if run.program.body.has_turns() || run.machine.route_choice() == Some(RouteChoice::DModK) {
        return None;
    }
    // The reference corrects dimension after dimension, and takes the lowest of the shortest routes of networks.
    if run
        .execution
        .routing
        .is_some_and(|routing| !matches!(routing, RoutingRule::DimensionOrder | RoutingRule::Lowest))
    {
        return None;
    }
    let problem = problem(run)?;
    let limit: Box<dyn Fn(u32) -> Option<u64>> = match run.execution.mode {
        ExecutionMode::Asynchronous => {
            let outcome = asynchronous(&problem);
            return Some((outcome.makespan, outcome.rows));
        }
        ExecutionMode::Coordinated { dimension_choice: DimensionChoice::Random, .. } => return None,
        ExecutionMode::Coordinated { dimension_choice: DimensionChoice::Lowest, phases } => match phases {
            Phases::Embedding => Box::new(|subset| run.placement.phase_length(subset)),
            Phases::Unlimited => Box::new(|_| None),
            Phases::Length(length) => Box::new(move |_| Some(length.get())),
        },
    };
    let outcome = coordinated_by_plan(&problem, &plan(run, &problem, limit));
    Some((outcome.makespan, outcome.rows))
}

/// The subsets that the placement gives to the messages, each with its phase length.
fn plan(run: &Run, problem: &Problem, limit: impl Fn(u32) -> Option<u64>) -> RoutingPlan {
    let subset = |&(source, destination): &(u32, u32)| {
        run.placement.subset(ProcessId::new(source), ProcessId::new(destination))
    };
    let subset_of_message: Vec<Vec<u64>> =
        problem.stages.iter().map(|stage| stage.iter().map(|pair| subset(pair).into()).collect()).collect();
    let numbers = problem.stages.iter().flatten().map(subset);
    let phase_length = numbers.map(|number| (number.into(), limit(number))).collect();
    RoutingPlan { subset_of_message, phase_length }
}

/// The run in the reference's terms; `None` if computations differ.
fn problem(run: &Run) -> Option<Problem> {
    let program = &*run.program.body;
    let compute = program.facts().compute;
    let processes = || ProcessId::first(program.process_count());
    let is_known = |stage| {
        let mut computations = processes().map(|process| program.computation(stage, process));
        computations.all(|cycles| cycles == compute || cycles == Cycles::ZERO)
    };
    let has_one_compute_time = (0..program.stage_count()).all(is_known);
    has_one_compute_time.then(|| random_problem::problem(program, &run.placement, run.communication))
}

#[test]
fn every_run_of_every_scenario_with_at_most_256_processes_equals_the_reference() {
    let mut compared = 0;
    for path in files_in("scenarios", "toml") {
        let scenarios = load(&[root().join(&path)]).unwrap();
        let runs = scenarios.iter().flat_map(|scenario| &scenario.runs);
        let small = runs.enumerate().filter(|(_, run)| run.program.body.process_count() <= MAX_PROCESSES);
        for (place, run) in small.filter(|(_, run)| has_unit_messages(run)) {
            let Some((makespan, expected)) = expected(run) else { continue };
            let finished = execute(run, place, KeepRecords::Yes, &Progress::default()).unwrap();
            assert_eq!(finished.outcome.summary.makespan().get(), makespan, "{path}, run {place}");
            let processes = usize::try_from(run.program.body.process_count()).unwrap();
            assert_eq!(rows(&finished.records, processes), expected, "{path}, run {place}");
            compared += 1;
        }
    }
    assert!(compared > 250, "only {compared} runs are small enough");
}

#[test]
fn the_documents_of_scenarios_have_the_makespans_of_the_reference() {
    for name in
        ["first-comparison", "figure-4", "link-modes", "mixed-wrap", "own-placement", "phases", "tie-rules"]
    {
        let path = format!("scenarios/{name}.toml");
        let document = json(&["run", &path]);
        let scenarios = load(&[root().join(&path)]).unwrap();
        let records = document["runs"].as_array().unwrap();
        assert_eq!(records.len(), scenarios[0].runs.len());
        for (record, run) in records.iter().zip(&scenarios[0].runs) {
            let (makespan, _) = expected(run).unwrap();
            assert_eq!(record["makespan_cycles"].as_u64(), Some(makespan), "{name}, {}", run.embedding);
            assert_eq!(record["embedding"].as_str(), Some(run.embedding.to_string().as_str()));
        }
    }
}
