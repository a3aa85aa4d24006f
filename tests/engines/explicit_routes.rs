//! Explicit routes: the engines equal the reference in every row of random cases, and the golden cases of Valiant's
//! routing.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_mapping::{Placement, PlacementTable};
use cubefold_reference::{
    asynchronous::asynchronous,
    explicit_routes::{Lists, coordinated_on_lists, joined, valiant},
    problem::Problem,
    stage_program::{StageProblem, predicted, run_stages},
};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, EngineChoice, MessageRoutes, Request, Routing, StageRecord, predict,
};
use cubefold_topology::{LinkMode, Machine, NodeId, TieRule};
use proptest::{prelude::*, test_runner::TestCaseError};
use serde::Deserialize;

use crate::{
    engines_equal_reference::{cases, check_outcome, check_routed, run},
    random_problem::{Case, MessageSets, any_case, torus},
    sized_equal_reference::{SizedCase, check_transmissions, compare, numbered_case},
};

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn runs_on_the_routes_of_valiant(case in any_case(128), seed in 0..4_u64) {
        check_asynchronous(&case, seed)?;
        check_coordinated(&case, seed)?;
    }
}

proptest! {
    #![proptest_config(cases(6000))]

    #[test]
    #[ignore = "minutes: thousands of cases of up to 512 nodes"]
    fn many_runs_on_the_routes_of_valiant(case in any_case(512), seed in any::<u64>()) {
        check_asynchronous(&case, seed)?;
        check_coordinated(&case, seed)?;
    }
}

/// The same case by the routes of a seed.
fn by_chance(case: &Case, seed: u64) -> Case {
    let communication = case.communication.with_routes(MessageRoutes::Valiant { seed });
    Case { placement: case.placement.clone(), program: Arc::clone(&case.program), communication }
}

fn check_asynchronous(case: &Case, seed: u64) -> Result<(), TestCaseError> {
    let problem = case.problem();
    let explicit = Some(joined(&valiant(&problem, seed)));
    let expected = asynchronous(&Problem { explicit, ..problem });
    let case = by_chance(case, seed);
    for engine in [EngineChoice::Auto, EngineChoice::Hop] {
        check_outcome(&case, run(&case, &Request::asynchronous(engine)), &expected)?;
    }
    Ok(())
}

fn check_coordinated(case: &Case, seed: u64) -> Result<(), TestCaseError> {
    let problem = case.problem();
    let phases = valiant(&problem, seed);
    let expected = coordinated_on_lists(&problem, &phases);
    check_routed(&by_chance(case, seed), Routing::PLAIN, expected)
}

/// Messages with sizes, in packets, cut through, eager and so on.
fn check_sized(number: u64) {
    let case = numbered_case(number);
    if case.placement.machine().graph().is_some() {
        return;
    }
    let problem = case.problem();
    // The lists depend on the ends of a message alone.
    let unsized_problem = Problem {
        grid: problem.grid.clone(),
        links: problem.links.clone(),
        tie: problem.tie.clone(),
        nodes: problem.nodes.clone(),
        stages: stages(&problem),
        ..Problem::on_mesh(&[2], &[&[]])
    };
    let lists = joined(&valiant(&unsized_problem, number));
    let problem = StageProblem { explicit: Some(lists), ..problem };
    let communication = case.communication.with_routes(MessageRoutes::Valiant { seed: number });
    let case = SizedCase { communication, ..case };
    let expected = run_stages(&problem);
    let request = Request::asynchronous(EngineChoice::Auto).counting(CountLinkUse::Yes);
    let (outcome, records) = case.run(&request).unwrap();
    compare(&outcome, &records, &expected).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:?}"));
    check_transmissions(&case, &expected).unwrap_or_else(|error| panic!("case {number}: {error}\n{case:?}"));
    let found = predict(&case.program(), &case.placement, communication).get();
    assert_eq!(found, predicted(&problem), "case {number}");
}

fn stages(problem: &StageProblem) -> Vec<Vec<(u32, u32)>> {
    let of_stage = |stage: usize| {
        let messages = problem.messages.iter().filter(|message| message.stage == stage);
        let label = |process: usize| u32::try_from(process).unwrap();
        messages.map(|message| (label(message.source), label(message.destination))).collect()
    };
    (0..problem.computations.len()).map(of_stage).collect()
}

#[test]
fn messages_with_sizes_on_the_routes_of_valiant() {
    (0..300).for_each(check_sized);
}

#[test]
#[ignore = "minutes: thousands of cases"]
fn many_messages_with_sizes_on_the_routes_of_valiant() {
    (300..8000).for_each(check_sized);
}

#[derive(Debug, Deserialize)]
struct Golden {
    cases: Vec<serde_json::Value>,
}

/// A golden case of Valiant's routing.
#[derive(Debug, Deserialize)]
struct GoldenCase {
    id: String,
    shape: Vec<u64>,
    wrap: Vec<bool>,
    pattern: String,
    permutation: Option<Vec<u32>>,
    seed: u64,
    tie: String,
    links: String,
    expect: Expected,
}

#[derive(Debug, Deserialize)]
struct Expected {
    steps_a: u64,
    steps_b: u64,
    conflicts: u64,
    hops: u64,
    coordinated_longest_queue: u32,
    async_makespan: u64,
    async_longest_queue: u32,
    intermediate: Option<Vec<u64>>,   // of small cases
    async_arrivals: Option<Vec<u64>>, // likewise
}

fn golden() -> Vec<GoldenCase> {
    let golden: Golden =
        serde_json::from_str(include_str!("../golden/papers_rest.json")).expect("the golden file");
    let cases = golden.cases.into_iter().filter(|case| case["item"] == "valiant");
    cases.map(|case| serde_json::from_value(case).unwrap()).collect()
}

impl GoldenCase {
    fn machine(&self) -> Machine {
        torus(&self.shape, &self.wrap)
    }

    /// The destination of a process under the pattern, by the words of the model.
    fn destination(&self, process: u32) -> u32 {
        let count: u64 = self.shape.iter().product();
        let (bits, label) = (count.trailing_zeros(), u64::from(process));
        let rotated = |by: u32| (label << by | label >> (bits - by)) & (count - 1);
        let to = match self.pattern.as_str() {
            "transpose" => rotated(bits / 2),
            "shuffle" => rotated(1),
            "bit-reversal" => label.reverse_bits() >> (64 - bits),
            "complement" | "reverse" => count - 1 - label,
            "random" => self.permutation.as_ref().unwrap()[process as usize].into(),
            "tornado" => {
                let (mut rest, mut stride, mut to) = (label, 1, 0);
                for &length in &self.shape {
                    to += (rest % length + length.div_ceil(2) - 1) % length * stride;
                    (rest, stride) = (rest / length, stride * length);
                }
                to
            }
            other => panic!("pattern {other}"),
        };
        u32::try_from(to).unwrap()
    }

    fn case(&self) -> Case {
        let machine = self.machine();
        let processes = u32::try_from(machine.node_count()).unwrap();
        let sent = (0..processes).map(|process| (process, self.destination(process)));
        let messages = sent.filter(|(source, destination)| source != destination).collect();
        let tie = TieRule::ALL.into_iter().find(|tie| tie.name() == self.tie).unwrap();
        let links = LinkMode::ALL.into_iter().find(|mode| mode.name() == self.links).unwrap();
        Case {
            placement: Placement::Table(
                PlacementTable::new(&machine, machine.nodes().collect::<Vec<NodeId>>()).unwrap(),
            ),
            communication: Communication::new(links, Cycles::new(1), tie).unwrap(),
            program: Arc::new(MessageSets::of_one_stage(processes, messages)),
        }
    }
}

#[test]
fn golden_cases_of_valiant() {
    let all = golden();
    assert!(all.len() >= 27, "{} cases", all.len());
    let mut listed = 0;
    for golden in all {
        let (id, expected) = (&golden.id, &golden.expect);
        let case = golden.case();
        let problem = case.problem();
        let phases = valiant(&problem, golden.seed);
        let ends = phases.each_ref().map(|lists| coordinated_on_lists(&problem, std::slice::from_ref(lists)));
        assert_eq!([ends[0].steps[0], ends[1].steps[0]], [expected.steps_a, expected.steps_b], "{id}");
        if let Some(nodes) = &expected.intermediate {
            assert_eq!(&intermediate(&problem, &phases[0]), nodes, "{id}");
            listed += 1;
        }

        let case = by_chance(&case, golden.seed);
        let (outcome, _) = run(&case, &Request::coordinated(Routing::PLAIN));
        let stage = outcome.traffic.routing.as_ref().unwrap()[0];
        assert_eq!(stage.steps, expected.steps_a + expected.steps_b, "{id}");
        assert_eq!(stage.conflicts, expected.conflicts, "{id}");
        assert_eq!(outcome.traffic.hops, expected.hops, "{id}");
        assert_eq!(outcome.traffic.longest_queue, Some(expected.coordinated_longest_queue), "{id}");

        let (outcome, mut records) = run(&case, &Request::asynchronous(EngineChoice::Auto));
        assert_eq!(outcome.summary.makespan().get(), expected.async_makespan, "{id}");
        assert_eq!(outcome.traffic.longest_queue, Some(expected.async_longest_queue), "{id}");
        assert_eq!(outcome.traffic.hops, expected.hops, "{id}");
        records.sort_by_key(|record| record.process);
        if let Some(cycles) = &expected.async_arrivals {
            assert_eq!(&arrivals(&golden, &records), cycles, "{id}");
        }
    }
    assert!(listed >= 9, "{listed} cases with nodes on the way");
}

/// The nodes of the messages after their first phase, by source.
fn intermediate(problem: &Problem, lists: &Lists) -> Vec<u64> {
    let by_source: BTreeMap<usize, u64> = lists
        .iter()
        .map(|(&(_, source, _), list)| {
            let end = list.last().map(|&channel| problem.grid.end(channel));
            (source, end.unwrap_or(problem.nodes[source]))
        })
        .collect();
    by_source.into_values().collect()
}

/// The cycles at which the messages are received, by source.
fn arrivals(golden: &GoldenCase, records: &[StageRecord]) -> Vec<u64> {
    let sources =
        (0..u32::try_from(records.len()).unwrap()).filter(|&source| golden.destination(source) != source);
    sources.map(|source| records[golden.destination(source) as usize].finish.get()).collect()
}
