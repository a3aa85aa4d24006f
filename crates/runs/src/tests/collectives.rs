//! Collectives: times, bounds and words of their records.

use std::ops::ControlFlow;

use cubefold_collectives::{Algorithm, Operation};
use cubefold_mapping::ProcessId;
use cubefold_scenario::{PlacementSearch, SearchRequest};
use cubefold_search::{BoundKind, Objective};

use super::*;

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n";

fn collective(keys: &str) -> String {
    format!("{TORUS}[program]\nkind = \"all-reduce\"\n{keys}")
}

#[test]
fn a_ring_takes_its_textbook_time_and_reports_bounds_and_bandwidth() {
    // 2 (P - 1) steps of a block of 4 units to the neighbour: 14 (1 + 4) cycles.
    let text = "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\n\
                units = 32\ncompute_cycles = 1\n";
    let result = only_record(text);
    assert_eq!((result.makespan_cycles.unwrap(), result.predicted_cycles), (70, Some(70)));
    // All-reduce: 2 M (N - 1) arrivals over 16 channels; 4 links away.
    assert_eq!((result.bandwidth_bound_cycles, result.latency_bound_cycles), (Some(28), Some(5)));
    assert_eq!((result.steps_bound_cycles, result.lower_bound_cycles), (Some(3), Some(28)));
    // The larger of the two is the bound; the run takes 70 cycles.
    assert_eq!(
        (result.lower_bound_source.as_deref(), result.lower_bound_percent),
        (Some("bandwidth"), Some(40.0))
    );
    assert_eq!(result.busiest_link_in_words().as_deref(), Some("(0)-(1)"));
    let short = only_record(&text.replace("units = 32", "units = 1"));
    assert_eq!((short.bandwidth_bound_cycles, short.latency_bound_cycles), (Some(1), Some(5)));
    assert_eq!(short.lower_bound_source.as_deref(), Some("latency"));
    assert_eq!((result.bus_bandwidth_bytes_per_second, result.unit_hops.unwrap()), (None, 14 * 8 * 4));
    let asked = result.program.collective.unwrap();
    assert_eq!(
        (asked.vector_units, asked.vector_bytes, asked.exchange, asked.ports),
        (Some(32), None, None, None)
    );
    assert_eq!(
        (result.program.compute_cycles, result.program.processes, result.program.stage_units),
        (1, Some(8), None)
    );
}

#[test]
fn bytes_are_those_of_the_vector() {
    let link = "link = { bandwidth = \"50 GB/s\", latency = \"400 ns\" }\n";
    for (size, bytes) in [("bytes = \"1 kB\"", 1000_u32), ("units = 16", 1024)] {
        let text = format!("{TORUS}{link}[program]\nkind = \"all-gather\"\nalgorithm = \"bruck\"\n{size}\n");
        let result = only_record(&text);
        let asked = result.program.collective.unwrap();
        assert_eq!((asked.vector_units, asked.vector_bytes), (Some(16), Some(bytes.into())));
        assert_eq!(result.program.message_bytes, None);
        let goodput = result.goodput_bytes_per_second.unwrap();
        assert!((goodput * result.makespan_seconds.unwrap() - f64::from(bytes)).abs() < 1e-3);
        assert!((result.bus_bandwidth_bytes_per_second.unwrap() / goodput - 15.0 / 16.0).abs() < 1e-12);
    }
}

#[test]
fn every_operation_runs_by_every_algorithm_that_performs_it() {
    for operation in Operation::ALL {
        let size = if operation == Operation::Barrier { "" } else { "units = 37\n" };
        let algorithms = Algorithm::ALL.into_iter().filter(|one| {
            one.descriptor().operations.contains(&operation) && *one != Algorithm::HamiltonianRings
        });
        let names: Vec<String> = algorithms.map(|algorithm| format!("\"{algorithm}\"")).collect();
        let text = format!(
            "[machine]\nkind = \"torus\"\nshape = [2, 4]\n[program]\nkind = \"{operation}\"\nports = \"all\"\n\
             algorithm = [{}]\n{size}",
            names.join(", ")
        );
        let scenario = scenario(&text);
        let count = scenario.runs.len();
        assert_eq!((count, scenario.swept), (names.len(), true));
        for run in &scenario.runs {
            let result = record(run);
            assert!(
                Some(result.makespan_cycles.unwrap()) >= result.lower_bound_cycles,
                "{:?}",
                run.combination
            );
        }
    }
}

#[test]
fn ranks_are_placed_by_number_cube_tao_and_file() {
    let embeddings =
        "[mapping]\nembeddings = [\"standard\", \"xor\", \"byweight\", \"gray\", \"tao\", \"random\"]\n";
    let text =
        collective(&format!("algorithm = \"recursive-doubling\"\nports = \"all\"\nunits = 64\n{embeddings}"));
    let runs = scenario(&text).runs;
    assert_eq!(runs.len(), 6);
    for run in &runs {
        assert_eq!((run.placement.process_count(), run.placement.max_load()), (64, 4));
        record(run);
    }
    // Two ranks a node, in their order.
    let two = only_run(&collective("algorithm = \"ring\"\nprocesses_per_node = 2\n"));
    assert_eq!((two.program.rank_count(), two.placement.max_load()), (32, 2));
    assert_eq!(two.placement.node(ProcessId::new(5)).index(), 2);
    // A logical shape of its own, on some of the nodes.
    let few = only_run(&collective("algorithm = \"bucket\"\nshape = [3, 4]\nports = \"all\"\nunits = 30\n"));
    assert_eq!((few.program.rank_count(), few.program.body.process_count()), (12, 48));
    record(&few);
}

#[test]
fn axes_are_every_order_and_one_by_its_name() {
    let text = |shape: &str, embeddings: &str| {
        format!(
            "[machine]\nkind = \"torus\"\nshape = [2, 4]\n[program]\nkind = \"all-reduce\"\nalgorithm = \"bucket\"\n\
             units = 80\nshape = {shape}\nover = [0]\n[mapping]\nembeddings = {embeddings}\n"
        )
    };
    let names = |text: &str| -> Vec<(String, u64)> {
        let runs = scenario(text).runs;
        runs.iter().map(|run| (run.embedding.to_string(), makespan_of(run))).collect()
    };
    let all = names(&text("[4, 2]", "[\"axes\"]"));
    let find =
        |name: &str| all.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{all:?}")).1;
    // Along the ring of 4 all links carry a message each; across, two of the rings' links are shared.
    assert!(find("axes:0=2/1=1") < find("axes:0=1x2/1=2"));
    // The axis of 4 on a box of 2 x 2 is a ring of neighbours when it is folded.
    assert!(find("axes:0=1x2/1=2/folded") < find("axes:0=1x2/1=2"));
    assert_eq!(
        names(&text("[4, 2]", "[\"axes:0=2/1=1\"]")),
        [("axes:0=2/1=1".to_owned(), find("axes:0=2/1=1"))]
    );
    // An order that is named itself is not repeated.
    assert_eq!(names(&text("[4, 2]", "[\"axes:0=2/1=1\", \"axes\"]")).len(), all.len());
    // The order of the machine is standard.
    let standard = scenario(&text("[2, 4]", "[\"standard\", \"axes:0=1/1=2\"]")).runs;
    assert_eq!(standard[0].placement.nodes(), standard[1].placement.nodes());
    assert_eq!(
        errors(&text("[4, 2]", "[\"axes:0=1/1=2\"]")),
        ["11:15: embedding axes:0=1/1=2: 0=1/1=2 is no order of axes of lengths 4x2 on those of 2x4"]
    );
    assert_eq!(
        errors(&text("[4]", "[\"axes\"]")),
        ["11:15: embedding axes: 4 processes for 8 nodes, expected as many"]
    );
    assert_eq!(
        errors("[machine]\nkind = \"torus\"\nshape = [4, 4]\n[mapping]\nembeddings = [\"axes\"]\n"),
        ["5:15: embedding axes of a cc-cube program, expected a collective or a job"]
    );
}

#[test]
fn rings_in_meshes_have_neighbours_where_tao_has_them() {
    let time = |embedding: &str| {
        let text = format!(
            "[machine]\nkind = \"mesh\"\nshape = [4, 6]\n[program]\nkind = \"all-gather\"\nalgorithm = \"ring\"\n\
             shape = [24]\nunits = 240\n[mapping]\nembeddings = [\"{embedding}\"]\n"
        );
        makespan(&text)
    };
    // 23 steps of a block of 10 units to a neighbour.
    assert_eq!(time("tao"), 230);
    assert_eq!(time("axes:0=1x2/folded"), 230);
    assert!(time("standard") > 230);
}

#[test]
fn patterns_that_always_halve_take_the_words_that_say_so() {
    let text = |kind: &str, algorithm: &str, exchange: &str| {
        format!("{TORUS}[program]\nkind = \"{kind}\"\nalgorithm = \"{algorithm}\"\nunits = 32\n{exchange}")
    };
    for kind in ["reduce-scatter", "all-gather"] {
        for algorithm in ["swing", "recursive-doubling", "mirrored", "trivance", "bine"] {
            let plain = only_record(&text(kind, algorithm, ""));
            for exchange in ["halving", "best"] {
                let chosen = text(kind, algorithm, &format!("exchange = \"{exchange}\"\n"));
                assert_eq!(only_record(&chosen), plain, "{kind} {algorithm} {exchange}");
            }
            assert_eq!(
                errors(&text(kind, algorithm, "exchange = \"whole\"\n")),
                [format!(
                    "8:12: program.exchange is \"whole\" for {kind} by {algorithm}, which always halves"
                )]
            );
        }
        // Others have no exchange at all.
        assert_eq!(
            errors(&text(kind, "bruck", "exchange = \"halving\"\n")),
            [format!(
                "8:12: program.exchange is \"halving\" for {kind} by bruck, which has no choice of exchange"
            )]
        );
    }
}

#[test]
fn a_rate_of_reducing_has_no_effect_where_nothing_is_reduced() {
    for kind in ["all-gather", "broadcast", "gather", "scatter", "all-to-all", "barrier"] {
        let algorithm = match kind {
            "all-gather" => "ring",
            "all-to-all" => "pairwise",
            "barrier" => "dissemination",
            _ => "binomial",
        };
        let text =
            |rate: &str| format!("{TORUS}[program]\nkind = \"{kind}\"\nalgorithm = \"{algorithm}\"\n{rate}");
        assert_eq!(makespan(&text("reduce_units_per_cycle = 1\n")), makespan(&text("")), "{kind}");
    }
    // A sweep over kinds has it in all of them.
    let swept = format!(
        "{TORUS}[program]\nalgorithm = \"ring\"\nunits = 64\nreduce_units_per_cycle = 2\n\
         [sweep]\n\"program.kind\" = [\"reduce-scatter\", \"all-gather\"]\n"
    );
    let times = makespans(&swept);
    assert!(times[0] > times[1], "{times:?}");
}

#[test]
fn recursive_doubling_takes_an_order_of_cube_dimensions() {
    let text = |keys: &str| collective(&format!("algorithm = \"recursive-doubling\"\nunits = 160\n{keys}"));
    let order = |keys: &str| {
        let run = only_run(&text(keys));
        run.program.collective.as_deref().unwrap().specification().unwrap().cube_dimensions.clone()
    };
    assert_eq!(order(""), None);
    assert_eq!(order("stages = [3, 2, 1, 0]\n"), Some(vec![3, 2, 1, 0]));
    assert_eq!(order("stages = \"descend\"\n"), Some(vec![3, 2, 1, 0]));
    assert_eq!(order("stages = \"ascend\"\n"), Some(vec![0, 1, 2, 3]));
    // The dimensions are those of the ranks of a group.
    assert_eq!(order("over = [1]\nstages = [1, 0]\n"), Some(vec![1, 0]));
    // The first exchange of halves is the largest: here at distances 2, 1, 2, 1, or 1, 2, 1, 2.
    let far = only_record(&text("stages = [1, 0, 3, 2]\n"));
    assert!(far.makespan_cycles.unwrap() > makespan(&text("stages = [0, 1, 2, 3]\n")));
    assert_eq!(far.program.stages, Some(vec![1, 0, 3, 2]));
    let only = |keys: &str| errors(&text(keys)).remove(0);
    assert_eq!(only("stages = [3, 2, 1]\n"), "8:10: cube dimensions [3, 2, 1], expected each of 0 to 3 once");
    assert_eq!(only("stages = [4, 2, 1, 0]\n"), "8:11: stage 0 uses dimension 4, expected 0 to 3");
    assert!(only("stages = \"bitonic\"\n").starts_with("8:10: cube dimensions [0, 1, 0"));
    assert_eq!(
        only("ports = \"all\"\nstages = \"descend\"\n"),
        "9:10: an order of cube dimensions for recursive-doubling with ports all, expected recursive-doubling \
         with ports 1"
    );
    assert_eq!(
        errors(&collective("algorithm = \"swing\"\nstages = \"descend\"\n")),
        [
            "7:10: an order of cube dimensions for swing with ports 1, expected recursive-doubling with ports 1"
        ]
    );
    // If algorithms are compared, it applies to the one that has it.
    let both =
        scenario(&collective("algorithm = [\"ring\", \"recursive-doubling\"]\nstages = [3, 2, 1, 0]\n"));
    let orders: Vec<bool> = both
        .runs
        .iter()
        .map(|run| {
            run.program.collective.as_deref().unwrap().specification().unwrap().cube_dimensions.is_some()
        })
        .collect();
    assert_eq!(orders, [false, true]);
    let all_to_all =
        format!("{TORUS}[program]\nkind = \"all-to-all\"\nalgorithm = \"direct\"\nstages = \"ascend\"\n");
    assert_eq!(errors(&all_to_all), ["7:10: program.stages with an all-to-all program, which has none"]);
}

#[test]
fn steps_take_an_order_of_cube_dimensions() {
    let text = |stages: &str| {
        format!(
            "{TORUS}[program]\nalgorithm = \"recursive-doubling\"\nunits = 160\n[[program.steps]]\n\
             kind = \"reduce-scatter\"\n{stages}[[program.steps]]\ncompute_cycles = 5\n"
        )
    };
    let far = only_record(&text("stages = [1, 0, 3, 2]\n"));
    assert!(far.makespan_cycles.unwrap() > makespan(&text("stages = \"ascend\"\n")));
    assert_eq!(far.program.steps.unwrap()[0].stages, Some(vec![1, 0, 3, 2]));
    assert_eq!(errors(&text("stages = [0]\n")), ["9:10: cube dimensions [0], expected each of 0 to 3 once"]);
}

#[test]
fn a_search_knows_the_bounds_of_collectives_that_fill_the_machine() {
    let machines = [
        TORUS,
        "[machine]\nkind = \"cluster\"\nnodes = 4\ndevices_per_node = 4\nnics_per_node = 1\n\
         inside = { kind = \"switch\", hop_cycles = 1, latency_cycles = 3 }\n\
         outside = { hop_cycles = 9, latency_cycles = 7, leaves = { nodes = 4 } }\nswitching = \"cut-through\"\n",
    ];
    let mut kinds = vec![];
    for (machine, keys) in machines.iter().flat_map(|machine| {
        ["units = 64", "units = 640", "units = 63", "units = 640\nshape = [15]"].map(|keys| (machine, keys))
    }) {
        for [kind, algorithm] in [["all-reduce", "ring"], ["all-to-all", "direct"], ["broadcast", "binomial"]]
        {
            let text = format!(
                "{machine}[program]\nkind = \"{kind}\"\nalgorithm = \"{algorithm}\"\n{keys}\n\
                 [mapping]\nembeddings = [\"standard\", \"random\"]\n"
            );
            let runs = scenario(&text).runs;
            let request = SearchRequest {
                objective: Objective::Makespan,
                evaluations: Some(20),
                seed: None,
                starts: vec![],
            };
            let search =
                PlacementSearch::of(&runs, &request, 1 << 30, &mut |_| ControlFlow::Continue(())).unwrap();
            let bound = search.found.bound;
            assert!(bound.value <= search.found.value, "{:?} {text}", search.found);
            let [one, other] = [0, 1].map(|run| u128::from(record(&runs[run]).lower_bound_cycles.unwrap()));
            let is_known = kind != "broadcast" && keys.starts_with("units = 64") && !keys.contains("shape");
            let collective = runs[0].program.asked_collective().unwrap();
            assert_eq!(collective.ranks_are_alike(), is_known, "{text}");
            if is_known {
                assert_eq!(one, other, "{text}");
                assert!(bound.value >= one, "{bound:?} {text}");
            }
            kinds.push(bound.kind);
        }
    }
    let of_collectives = [BoundKind::Bandwidth, BoundKind::Cut];
    assert!(of_collectives.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
}
