//! Collectives in groups, one after another, and the better of two exchanges.

use cubefold_mapping::ProcessId;

use super::*;

fn on(machine: &str, program: &str) -> String {
    format!("[machine]\n{machine}\n[program]\n{program}")
}

const TORUS_4X3: &str = "kind = \"torus\"\nshape = [4, 3]\nlatency_cycles = 7";

const STEPS: [&str; 3] = [
    "kind = \"all-gather\"\nalgorithm = \"ring\"\nover = [0]\nunits = 96\n",
    "kind = \"reduce-scatter\"\nalgorithm = \"bucket\"\nover = [1]\nunits = 60\nreduce_units_per_cycle = 2\n",
    "kind = \"all-to-all\"\nalgorithm = \"pairwise\"\nunits = 24\n",
];

#[test]
fn a_sequence_has_the_stages_of_its_steps_one_after_another() {
    let text = format!("[[program.steps]]\n{}", STEPS.join("[[program.steps]]\n"));
    let run = scenario(&on(TORUS_4X3, &format!("compute_cycles = 10\n{text}"))).runs.remove(0);
    let mut stage = 0;
    for step in STEPS {
        let alone = scenario(&on(TORUS_4X3, &format!("compute_cycles = 10\n{step}"))).runs.remove(0);
        for alone_stage in 0..alone.program.body.stage_count() {
            let messages = |run: &Run, stage: usize| {
                let mut all = vec![];
                run.program.body.for_each_message(stage, &mut |from, to, units| all.push((from, to, units)));
                let computations: Vec<_> = ProcessId::first(12)
                    .map(|process| run.program.body.computation(stage, process))
                    .collect();
                (all, computations)
            };
            assert_eq!(messages(&run, stage), messages(&alone, alone_stage));
            stage += 1;
        }
    }
    assert_eq!(stage, run.program.body.stage_count());
}

#[test]
fn what_no_groups_are_is_reported_at_its_place() {
    let errors = |program: &str| errors(&on("kind = \"torus\"\nshape = [4, 3]", program));
    let groups =
        |over: &str| errors(&format!("kind = \"all-reduce\"\nalgorithm = \"ring\"\nover = {over}\n"));
    assert_eq!(groups("[]"), ["7:8: program.over is an empty list, expected at least one entry"]);
    assert_eq!(groups("1"), ["7:8: program.over is 1, expected a list of dimensions"]);
    assert_eq!(groups("[0, 2]"), ["7:12: dimension of program.over is 2, expected 0 to 1"]);
    assert_eq!(groups("[1, 1]"), ["7:12: dimension 1 of program.over a second time, expected it once"]);
    assert_eq!(
        errors("kind = \"all-reduce\"\nalgorithm = \"bine\"\nover = [1]\n"),
        ["7:8: shape 3, expected a number of processes that is a power of two for bine"]
    );
    assert_eq!(
        errors("kind = \"cc-cube\"\ndimensions = 2\nover = [1]\n[mapping]\nembeddings = [\"tao\"]\n")[0],
        "7:8: program.over with a cc-cube program, which has none"
    );
}

#[test]
fn a_hierarchical_collective_refuses_what_it_would_ignore() {
    let levels = "kind = \"all-reduce\"\nprocesses_per_node = 2\n\
                  algorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\n";
    let errors = |line: &str| errors(&on(TORUS_4X3, &format!("{levels}{line}")));
    let of_levels = "of a collective in two levels, expected";
    assert_eq!(errors("over = [0]"), [format!("9:8: program.over {of_levels} all ranks")]);
    assert_eq!(errors("ports = \"all\""), [format!("9:9: program.ports {of_levels} patterns or bucket")]);
    assert_eq!(errors("stages = [0]"), [format!("9:10: program.stages {of_levels} recursive-doubling")]);
    let channels = format!("9:12: program.channels {of_levels} ring, tree or double-tree");
    assert_eq!(errors("channels = 2"), [channels]);
}

#[test]
fn collectives_by_nodes_need_all_devices_of_every_node() {
    let cluster = "kind = \"cluster\"\nnodes = 4\ndevices_per_node = 2\ninside = { kind = \"switch\" }\n\
                   outside = { leaves = { nodes = 4 } }\n";
    let levels =
        "kind = \"all-reduce\"\nalgorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\n";
    let channels = "kind = \"all-reduce\"\nalgorithm = \"ring\"\nchannels = 2\n";
    for program in [levels, channels] {
        let of = |nodes: &str| Files::new(&[("s.toml", &on(&format!("{cluster}{nodes}"), program))]).load();
        assert!(of("").is_ok() && of("allocation = [\"2-5\"]").is_ok(), "{program}");
        for nodes in ["allocation = [\"1-4\"]", "failed_nodes = [3, 5]"] {
            let errors = of(nodes).unwrap_err().to_string();
            assert!(
                errors.contains("expected all or none of every node, one node after another"),
                "{errors}"
            );
        }
    }
}

#[test]
fn the_levels_of_a_collective_take_time_to_reduce() {
    let computations = |rate: &str| {
        let levels = "kind = \"all-reduce\"\nprocesses_per_node = 2\nunits = 48\n\
                      algorithm = { hierarchical = { inner = \"ring\", outer = \"ring\" } }\n";
        let run = scenario(&on(TORUS_4X3, &format!("{levels}{rate}"))).runs.remove(0);
        let body = &run.program.body;
        let stages = 0..body.stage_count();
        stages.map(|stage| body.computation(stage, ProcessId::first(1).next().unwrap()).get()).sum::<u64>()
    };
    assert_eq!(computations(""), 0);
    // 24 units inside the node, then 11 blocks of 2 among 12 nodes.
    assert_eq!(computations("reduce_units_per_cycle = 1"), 24 + 22);
}

#[test]
fn an_empty_step_is_the_operation_of_the_program() {
    let loaded = |steps: &str| {
        let text = on(
            "kind = \"ring\"\nshape = [8]",
            &format!("kind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 64\n{steps}"),
        );
        load_text(Path::new("s.toml"), &text).unwrap().runs[0].program.body.stage_count()
    };
    let empty = loaded("[[program.steps]]\n[[program.steps]]\n");
    assert_eq!(
        empty,
        loaded("[[program.steps]]\nkind = \"all-reduce\"\n[[program.steps]]\nkind = \"all-reduce\"\n")
    );
    assert_eq!(empty, 2 * 14);
}

#[test]
fn what_no_steps_are_is_reported_at_its_place() {
    let errors = |program: &str| errors(&on("kind = \"torus\"\nshape = [4, 3]", program));
    let steps = |steps: &str| errors(&format!("algorithm = \"ring\"\nsteps = {steps}\n"));
    for (written, error) in [
        ("[]", "9: program.steps is an empty list, expected at least one entry"),
        ("[3]", "10: step of the program is 3, expected a table of a collective or a computation"),
        (
            "[{ kind = \"all-gather\", root = 3 }]",
            "40: program.root with a step of kind all-gather, which has none",
        ),
        ("[{ compute_cycles = 3 }]", "9: a sequence without a collective, expected at least one"),
        (
            "[{ kind = \"all-gather\" }, { kind = \"all-gather\", shape = [2, 2] }]",
            "35: step 1 has 4 ranks, expected 12 as in the steps before",
        ),
        (
            "[{ kind = \"all-gather\", ports = \"all\" }]",
            "41: all ports for ring, which has no choice of ports",
        ),
    ] {
        assert_eq!(steps(written), [format!("6:{error}")]);
    }
    assert_eq!(
        steps("[{ units = 3 }]")[0],
        "6:10: kind of a step is missing, expected all-reduce, reduce-scatter, all-gather, broadcast, reduce, gather, \
         scatter, all-to-all or barrier"
    );
    assert!(
        steps("[{ kind = \"all-gather\", unit = 3 }]")[0].starts_with("6:33: unknown key \"unit\" in a step")
    );
    assert_eq!(
        errors("kind = \"sequence\"\n"),
        ["4:2: program.steps is missing, expected a list of tables: [[program.steps]]"]
    );
    assert_eq!(
        errors("kind = \"stages\"\nfile = \"none.csv\"\n[[program.steps]]\ncompute_cycles = 1\n")[1],
        "7:1: program.steps with a stages program, which has none"
    );
    assert_eq!(
        errors("[[program.steps]]\nkind = \"all-gather\"\n")[0],
        "5:1: program.algorithm is missing, expected recursive-doubling, mirrored, swing, bine, trivance, ring, \
         bidirectional-ring, hamiltonian-rings, bucket, bruck or direct"
    );
}

const CLUSTER: &str = "kind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\nswitching = \"cut-through\"\nunit_bytes = 1024\n\
    inside = { kind = \"switch\", link = { bandwidth = \"450 GB/s\", latency = \"500 ns\" } }\n\
    outside = { link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }, leaves = { nodes = 2 }, rails = true, spines = 1 }";
const LEVELS: &str = "{ hierarchical = { inner = \"ring\", outer = \"direct\" } }";

#[test]
fn a_swept_algorithm_of_a_sequence_has_its_name() {
    let text = format!(
        "[[program.steps]]\nkind = \"all-reduce\"\n[[program.steps]]\ncompute_cycles = 5\n[sweep]\n\
         \"program.bytes\" = [\"4 KiB\"]\n\"program.algorithm\" = [\"ring\", {LEVELS}]\n"
    );
    let scenario = scenario(&on(CLUSTER, &text));
    assert_eq!(scenario.algorithms(), ["ring", "hierarchical ring/direct"]);
}
