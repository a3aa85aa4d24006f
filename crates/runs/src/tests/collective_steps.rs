//! Collectives in groups, one after another, and the better of two exchanges.

use std::borrow::Cow;

use cubefold_collectives::Step;
use cubefold_records::RunRecord;
use cubefold_scenario::Run;

use super::*;

fn on(machine: &str, program: &str) -> String {
    format!("[machine]\n{machine}\n[program]\n{program}")
}

const TORUS_4X3: &str = "kind = \"torus\"\nshape = [4, 3]\nlatency_cycles = 7";

const KEYS: &str = "units = 96\ncompute_cycles = 10\n";

#[test]
fn groups_on_lines_that_do_not_meet_take_the_time_of_one_alone() {
    for (over, side) in [(0, 4), (1, 3)] {
        for algorithm in ["ring", "bidirectional-ring", "swing", "bucket", "trivance"] {
            let asked = format!("kind = \"all-reduce\"\nalgorithm = \"{algorithm}\"\n{KEYS}");
            let lines = only_record(&on(TORUS_4X3, &format!("{asked}over = [{over}]\n")));
            let ring = format!("kind = \"ring\"\nshape = [{side}]\nlatency_cycles = 7");
            let alone = only_record(&on(&ring, &asked));
            assert_eq!(
                lines.makespan_cycles.unwrap(),
                alone.makespan_cycles.unwrap(),
                "{algorithm} over {over}"
            );
            assert_eq!(lines.messages.unwrap(), alone.messages.unwrap() * (12 / side));
            assert_eq!(lines.steps_bound_cycles, alone.steps_bound_cycles);
            let collective = lines.program.collective.unwrap();
            assert_eq!((collective.logical_shape, collective.over), (vec![4, 3], Some(vec![over])));
        }
    }
}

#[test]
fn a_group_of_all_ranks_is_the_collective() {
    let asked = format!("kind = \"all-reduce\"\nalgorithm = \"bucket\"\nports = \"all\"\n{KEYS}");
    let alone = only_record(&on(TORUS_4X3, &asked));
    assert_eq!(only_record(&on(TORUS_4X3, &format!("{asked}over = [1, 0]\n"))), alone);
    let step = format!("[[program.steps]]\n{asked}");
    let as_step = only_record(&on(TORUS_4X3, &step));
    assert_eq!(as_step.makespan_cycles.unwrap(), alone.makespan_cycles.unwrap());
    assert_eq!(as_step.program.kind, "sequence");
    assert_eq!(as_step.lower_bound_cycles, alone.lower_bound_cycles);
}

const STEPS: [&str; 3] = [
    "kind = \"all-gather\"\nalgorithm = \"ring\"\nover = [0]\nunits = 96\n",
    "kind = \"reduce-scatter\"\nalgorithm = \"bucket\"\nover = [1]\nunits = 60\nreduce_units_per_cycle = 2\n",
    "kind = \"all-to-all\"\nalgorithm = \"pairwise\"\nunits = 24\n",
];

#[test]
fn steps_of_equal_ranks_take_the_sum_of_their_times() {
    let computation = "[[program.steps]]\ncompute_cycles = 1000\n";
    let [gather, scatter, _] = STEPS;
    let text = format!("[[program.steps]]\n{gather}{computation}[[program.steps]]\n{scatter}");
    let all = only_record(&on(TORUS_4X3, &text));
    let alone = [gather, scatter].map(|step| makespan(&on(TORUS_4X3, step)));
    assert_eq!(all.makespan_cycles.unwrap(), alone[0] + 1000 + alone[1]);
    assert!(all.lower_bound_cycles.unwrap() >= 1000);
    assert_eq!(all.program.collective, None);
    let steps = all.program.steps.unwrap();
    assert_eq!(steps.len(), 3);
    assert_eq!((steps[1].collective.clone(), steps[1].compute_cycles), (None, 1000));
    assert_eq!(steps[2].collective.as_ref().unwrap().over, Some(vec![1]));
    assert_eq!(steps[2].collective.as_ref().unwrap().reduce_units_per_cycle, Some(2));
}

#[test]
fn what_the_program_says_holds_for_steps_that_do_not_say_otherwise() {
    let text = on(
        TORUS_4X3,
        "kind = \"all-reduce\"\nalgorithm = \"swing\"\nports = \"all\"\nexchange = \"halving\"\nunits = 50\n\
         compute_cycles = 3\nroot = 5\n\
         [[program.steps]]\nunits = 60\n\
         [[program.steps]]\nover = [0]\nalgorithm = \"ring\"\n\
         [[program.steps]]\nkind = \"broadcast\"\nalgorithm = \"binomial\"\ncompute_cycles = 9\n\
         [[program.steps]]\ncompute_cycles = 77\n",
    );
    let run = only_run(&text);
    let collective = run.program.collective.as_deref().unwrap();
    let asked: Vec<String> = collective
        .steps()
        .iter()
        .map(|step| match step {
            Step::Groups(groups) => {
                let specification = groups.specification();
                format!(
                    "{} {} {} {} {} {} {:?}",
                    specification.operation,
                    specification.algorithm,
                    specification.ports.name(),
                    specification.vector_units,
                    specification.compute_cycles,
                    specification.root,
                    groups.over()
                )
            }
            Step::Computation(cycles) => format!("{cycles}"),
        })
        .collect();
    assert_eq!(
        asked,
        [
            "all-reduce swing all 60 3 0 [0, 1]",
            "all-reduce ring 1 50 3 0 [0]",
            "broadcast binomial 1 50 9 5 [0, 1]",
            "77"
        ]
    );
    // Shares of all steps have processors and processes.
    assert_eq!((collective.share_count(), run.program.body.process_count()), (4, 48));
    let swept = format!("{text}[sweep]\n\"program.units\" = [50, 70]\n\"program.compute_cycles\" = [3, 4]\n");
    let times = makespans(&swept);
    assert_eq!(times[0], record(&run).makespan_cycles.unwrap());
    assert!(times[0] < times[1] && times[1] < times[3], "{times:?}");
    // Steps are swept as a whole.
    let whole = "[sweep]\n\"program.steps\" = [[{ units = 60 }], [{ units = 60 }, { compute_cycles = 5 }]]\n";
    let text = on(TORUS_4X3, &format!("kind = \"all-reduce\"\nalgorithm = \"ring\"\n{whole}"));
    let times = makespans(&text);
    assert_eq!(times[0] + 5, times[1]);
}

#[test]
fn sizes_of_steps_have_bytes() {
    let machine = "kind = \"ring\"\nshape = [4]\nlink = { bandwidth = \"64 GB/s\", latency = \"0 ns\" }";
    let text = on(
        machine,
        "bytes = \"1 kB\"\nalgorithm = \"ring\"\nkind = \"all-gather\"\n[[program.steps]]\nunits = 4\n\
         [[program.steps]]\ncompute = \"20 ns\"\n[[program.steps]]\nkind = \"all-gather\"\n",
    );
    let steps = only_record(&text).program.steps.unwrap();
    let bytes = |step: usize| steps[step].collective.as_ref().and_then(|collective| collective.vector_bytes);
    assert_eq!((bytes(0), bytes(1), bytes(2)), (Some(256), None, Some(1000)));
    assert_eq!(steps[1].compute_cycles, 20);
}

#[test]
fn best_is_the_faster_of_both_exchanges() {
    let asked = |exchange: &str, units: u32| {
        format!(
            "kind = \"torus\"\nshape = [4, 4]\nlatency_cycles = 3\n[program]\nkind = \"all-reduce\"\n\
             algorithm = \"swing\"\nports = \"all\"\ncompute_cycles = 50\nexchange = \"{exchange}\"\nunits = {units}\n"
        )
    };
    let mut kept = vec![];
    for units in [1, 8, 64, 512, 4096] {
        let [halving, whole, best] = ["halving", "whole", "best"]
            .map(|exchange| only_record(&format!("[machine]\n{}", asked(exchange, units))));
        let faster =
            if whole.makespan_cycles.unwrap() < halving.makespan_cycles.unwrap() { whole } else { halving };
        assert_eq!(best, faster, "{units} units");
        kept.push(best.program.collective.unwrap().exchange.unwrap().into_owned());
    }
    assert_eq!(kept.first().unwrap(), "whole");
    assert_eq!(kept.last().unwrap(), "halving");
}

#[test]
fn best_takes_what_is_defined_and_counts_only_where_there_is_a_choice() {
    let text = on(
        TORUS_4X3,
        "kind = \"all-reduce\"\nexchange = \"best\"\nunits = 2\nalgorithm = [\"swing\", \"trivance\", \"ring\"]\n",
    );
    let runs = scenario(&text).runs;
    // Sides of 4 and 3 are for halving only.
    assert_eq!(runs.iter().map(|run| run.program.others.len()).collect::<Vec<_>>(), [0, 0, 0]);
    let chosen = |run: &Run| record(run).program.collective.unwrap().exchange.map(Cow::into_owned);
    assert_eq!(chosen(&runs[0]).as_deref(), Some("halving"));
    assert_eq!(chosen(&runs[2]), None);
    // In groups, the sides of a group count.
    let lines = text.replace("[\"swing\", \"trivance\", \"ring\"]", "\"swing\"\nover = [0]");
    assert_eq!(scenario(&lines).runs[0].program.others.len(), 1);
}

#[test]
fn best_of_steps_is_the_best_of_all_together() {
    let step = |exchanges: [&str; 2]| {
        let steps = exchanges.map(|exchange| format!("[[program.steps]]\nexchange = \"{exchange}\"\n"));
        on(
            "kind = \"torus\"\nshape = [4, 4]\nlatency_cycles = 3",
            &format!(
                "kind = \"all-reduce\"\nalgorithm = \"swing\"\nunits = 40\ncompute_cycles = 30\n{}units = 900\n",
                steps.concat()
            ),
        )
    };
    let both = ["halving", "whole"];
    let slow = both.iter().flat_map(|first| both.iter().map(move |second| [*first, *second]));
    let least = slow.map(|both| makespan(&step(both))).min().unwrap();
    let best = only_record(&step(["best", "best"]));
    assert_eq!(best.makespan_cycles.unwrap(), least);
    let chosen =
        best.program.steps.unwrap().into_iter().map(|step| step.collective.unwrap().exchange.unwrap());
    assert_eq!(chosen.collect::<Vec<_>>(), ["whole", "halving"]);
}

/// All-reduces of 8 ranks on each of 32 hosts, 50 MB in every group of ranks on different hosts.
const HOSTS_OF_EIGHT: &str = "[machine]\nkind = \"fat-tree\"\nleaves = 4\nhosts_per_switch = 8\nspines = 8\n\
    link = { bandwidth = \"400 GB/s\", latency = \"1 us\" }\nlocal = { bandwidth = \"450 GB/s\", latency = \"1 us\" }\n\
    unit_bytes = 1024\nswitching = \"cut-through\"\nprocessors_per_node = 8\n[program]\nshape = [8, 32]\n\
    processes_per_node = 8\nalgorithm = \"ring\"\ncompute = \"3 us\"\n";

#[test]
fn the_bounds_of_groups_that_share_links_add_up() {
    let groups = "kind = \"all-reduce\"\nover = [1]\nbytes = \"50 MB\"\n";
    let sequence = format!(
        "[[program.steps]]\nkind = \"reduce-scatter\"\nover = [0]\nbytes = \"400 MB\"\n[[program.steps]]\n{groups}\
         [[program.steps]]\nkind = \"all-gather\"\nover = [0]\nbytes = \"400 MB\"\n[execution]\nrouting = \"spread\"\n"
    );
    for program in [groups, &sequence] {
        let record = only_record(&format!("{HOSTS_OF_EIGHT}{program}"));
        // The vectors of 8 groups, 48829 units each, come to every host over one link with u = 9 (beside 8 inside a
        // host) and l = 3507.
        let bound = 8 * 48_829 * 9 + 3_507;
        assert_eq!(record.lower_bound_cycles, Some(bound));
        assert_eq!(record.cut_bound_cycles, record.lower_bound_cycles);
        assert_eq!(record.lower_bound_source.as_deref(), Some("bandwidth"));
        let makespan = record.makespan_cycles.unwrap();
        assert!(makespan > bound && makespan < 4 * bound);
    }
}

const CLUSTER: &str = "kind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\nswitching = \"cut-through\"\nunit_bytes = 1024\n\
    inside = { kind = \"switch\", link = { bandwidth = \"450 GB/s\", latency = \"500 ns\" } }\n\
    outside = { link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }, leaves = { nodes = 2 }, rails = true, spines = 1 }";
const LEVELS: &str = "{ hierarchical = { inner = \"ring\", outer = \"direct\" } }";

#[test]
fn a_hierarchical_all_reduce_has_a_name_its_whole_vector_and_the_bounds_of_all_algorithms() {
    for bytes in ["1 KiB", "6 KiB", "16 MiB"] {
        let asked = format!(
            "kind = \"all-reduce\"\nalgorithm = [\"ring\", \"recursive-doubling\", {LEVELS}]\nbytes = \"{bytes}\"\n"
        );
        let scenario = scenario(&on(CLUSTER, &asked));
        let records: Vec<RunRecord> = scenario.runs.iter().map(record).collect();
        let names = ["ring", "recursive-doubling", "hierarchical ring/direct"];
        assert_eq!(scenario.algorithms(), names);
        let bounds = |record: &RunRecord| {
            (
                record.lower_bound_cycles,
                record.bandwidth_bound_cycles,
                record.latency_bound_cycles,
                record.cut_bound_cycles,
            )
        };
        for (record, name) in records.iter().zip(names) {
            let collective = record.program.collective.as_ref().unwrap();
            assert_eq!(collective.algorithm, name);
            let vector = |record: &RunRecord| {
                let collective = record.program.collective.as_ref().unwrap();
                (collective.vector_units, collective.vector_bytes)
            };
            assert_eq!(
                (vector(record), bounds(record)),
                (vector(&records[0]), bounds(&records[0])),
                "{name}"
            );
            assert!(record.bus_bandwidth_bytes_per_second.is_some(), "{name}");
            for other in &records {
                assert!(record.lower_bound_cycles <= other.makespan_cycles, "{name}");
            }
        }
        let steps = records[2].program.steps.as_ref();
        assert!(steps.is_none_or(|steps| steps.len() == 3) && records[2].steps_bound_cycles.is_none());
    }
}

#[test]
fn a_hierarchical_step_has_its_name_and_no_bound_above_that_of_other_algorithms() {
    let steps = |algorithm: &str| {
        on(
            CLUSTER,
            &format!(
                "[[program.steps]]\nkind = \"all-reduce\"\nalgorithm = {algorithm}\nbytes = \"96 KiB\"\n\
                 [[program.steps]]\nkind = \"all-gather\"\nalgorithm = \"ring\"\nbytes = \"4 KiB\"\n"
            ),
        )
    };
    let (levels, ring) = (only_record(&steps(LEVELS)), only_record(&steps("\"ring\"")));
    assert_eq!(levels.lower_bound_cycles, ring.lower_bound_cycles);
    assert_eq!(levels.latency_bound_cycles, ring.latency_bound_cycles);
    let names = |record: &RunRecord| -> Vec<String> {
        let steps = record.program.steps.as_ref().unwrap();
        steps.iter().map(|step| step.collective.as_ref().unwrap().algorithm.to_string()).collect()
    };
    assert_eq!(names(&levels), ["hierarchical ring/direct", "ring"]);
    // A step of a job, too.
    let job = steps(LEVELS).replacen("kind = \"all-reduce\"", "name = \"a\"\nkind = \"all-reduce\"", 1);
    assert_eq!(names(&only_record(&job)), ["hierarchical ring/direct", "ring"]);
}

#[test]
fn a_hierarchical_all_reduce_of_another_size_is_that_size_read_anew() {
    let asked = |units: u64| format!("kind = \"all-reduce\"\nalgorithm = {LEVELS}\nunits = {units}\n");
    let runs = |units| scenario(&on(CLUSTER, &asked(units))).runs;
    for units in [1, 7, 64, 1000] {
        let resized = runs(96)[0].with_vector_units(units).unwrap();
        assert_eq!(record(&resized), record(&runs(units)[0]), "{units}");
    }
}
