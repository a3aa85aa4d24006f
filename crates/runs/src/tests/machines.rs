//! Machines with switches, twists and failures, the choice among routes, and permutations.

use std::path::Path;

use cubefold_scenario::load_text;

use super::*;

/// The makespan and steps of the only run of a text.
fn times(text: &str) -> (u64, Option<u64>) {
    let outcome = finished(&only_run(text)).outcome;
    let steps = outcome.traffic.routing.map(|stages| stages.iter().map(|stage| stage.steps).sum());
    (outcome.summary.makespan().get(), steps)
}

#[test]
fn a_fat_tree_uses_its_spines_by_chance_and_one_of_them_otherwise() {
    let text = |routing: &str| {
        format!(
            "machine = {{ kind = \"fat-tree\", leaves = 8, hosts_per_switch = 8, spines = 8 }}\n\
             program = {{ kind = \"cc-cube\" }}\nexecution = {{ routing = \"{routing}\" }}\n"
        )
    };
    let (lowest, _) = times(&text("lowest"));
    let (spread, _) = times(&text("spread"));
    // Three exchanges inside leaves over 2 links, three between leaves over 4: 18 cycles without contention. Over one
    // spine the last of the 8 hosts of a leaf waits for 7 others.
    assert!(lowest >= 18 + 7, "{lowest}");
    assert!((18..lowest).contains(&spread), "{spread}");
    let congestion = finished(&only_run(&text("lowest"))).channel_congestion.unwrap();
    assert!(congestion.is_far_from_even(), "{congestion:?}");
    assert_eq!((congestion.routed, congestion.balanced.round()), (24, 6.0));
}

#[test]
fn permutations_are_routed_in_three_ways() {
    let text = |pattern: &str, routing: &str| {
        format!(
            "machine = {{ kind = \"hypercube\", dimensions = 6 }}\nprogram = {{ kind = \"permutation\", pattern = \"{pattern}\" }}\n\
             mapping.embeddings = [\"standard\"]\nexecution = {{ mode = \"coordinated\", routing = \"{routing}\" }}\n"
        )
    };
    for pattern in ["random", "transpose", "bit-reversal", "shuffle", "complement"] {
        assert_eq!(times(&text(pattern, "sorting")).1, Some(21), "{pattern}");
        let steps = |routing| times(&text(pattern, routing)).1.unwrap();
        assert!(steps("valiant") > 6 && steps("valiant") < 36, "{pattern}");
        assert!(steps("dimension-order") >= 3, "{pattern}");
    }
    // Every message goes to the opposite node without meeting another.
    assert_eq!(times(&text("complement", "dimension-order")).1, Some(6));
    assert_eq!(
        errors(
            "machine = { kind = \"ring\", shape = [6] }\nprogram = { kind = \"permutation\", pattern = \"shuffle\" }\n"
        ),
        ["2:45: pattern shuffle of 6 processes, expected a power of two"]
    );
    let tornado = scenario(
        "machine = { kind = \"ring\", shape = [7] }\nprogram = { kind = \"permutation\", pattern = \"tornado\" }\n",
    );
    let mut sent = vec![];
    let program = &tornado.runs[0].program.body;
    program.for_each_message(0, &mut |source, to, _| sent.push((source.label(), to.label())));
    sent.sort_unstable();
    assert_eq!(sent, [(0, 3), (1, 4), (2, 5), (3, 6), (4, 0), (5, 1), (6, 2)]);
}

#[test]
fn a_permutation_that_leaves_everything_where_it_is_takes_its_computation() {
    // A label of one bit is the same in any order.
    let text = |execution: &str| {
        format!(
            "machine = {{ kind = \"hypercube\", dimensions = 1 }}\nexecution = {{ {execution} }}\n\
             program = {{ kind = \"permutation\", pattern = \"bit-reversal\", compute_cycles = 5 }}\n"
        )
    };
    assert_eq!(times(&text("mode = \"asynchronous\"")), (5, None));
    for routing in ["dimension-order", "valiant", "sorting"] {
        let coordinated = format!("mode = \"coordinated\", routing = \"{routing}\"");
        assert_eq!(times(&text(&coordinated)), (5, Some(0)), "{routing}");
    }
}

#[test]
fn a_partial_permutation_from_a_file_is_sorted_then_distributed() {
    let text = "machine = { kind = \"hypercube\", dimensions = 3 }\nprogram = { kind = \"permutation\", pattern = \"file:p.csv\" }\n\
                mapping.embeddings = [\"standard\"]\nexecution = { mode = \"coordinated\", routing = \"sorting\" }\n";
    let steps = |rows: &str| {
        let rows = format!("source,destination\n{rows}");
        let files = Files::new(&[("s.toml", text), ("p.csv", &rows)]);
        let scenario = files.load().unwrap();
        let outcome = finished(&scenario.runs[0]).outcome;
        outcome.traffic.routing.unwrap()[0].steps
    };
    assert_eq!(steps("0,5\n3,1\n"), 6 + 3);
    // Two processes exchange records, and all others keep theirs.
    assert_eq!(steps("0,5\n5,0\n"), 6);
    let wrong = Files::new(&[("s.toml", text), ("p.csv", "source,destination\n0,5\n1,5\n")]);
    assert_eq!(
        wrong.displayed(),
        ["s.toml:2:45: permutation \"p.csv\", line 3: a second message from or to one process, expected one"]
    );
}

#[test]
fn messages_on_the_paths_of_an_embedding_do_not_meet() {
    let text = |guest: &str, cube: u32, mode: &str, links: &str, routing: &str, communication: &str| {
        format!(
            "machine = {{ kind = \"hypercube\", dimensions = {cube}, links = \"{links}\" }}\n\
             program = {{ kind = \"neighbour-exchange\", guest = {guest}, communication = \"{communication}\" }}\n\
             mapping.embeddings = [\"cs838\"]\nexecution = {{ mode = \"{mode}\"{routing} }}\n"
        )
    };
    let tree = "{ kind = \"binary-tree\", levels = 3 }";
    let trees = "{ kind = \"mesh-of-trees\", dimensions = 2 }";
    let by_embedding = ", routing = \"embedding\"";
    for (guest, cube) in [(tree, 4), (trees, 6)] {
        for links in ["full-duplex", "half-duplex"] {
            let cycles = |mode, routing| times(&text(guest, cube, mode, links, routing, "scatter"));
            assert_eq!(cycles("asynchronous", by_embedding), (2, None), "{guest} {links}");
            assert_eq!(cycles("coordinated", by_embedding), (2, Some(2)), "{guest} {links}");
        }
    }
    // By the routes of the machine two messages of the tree meet on a half-duplex link.
    assert_eq!(times(&text(tree, 4, "asynchronous", "half-duplex", "", "scatter")).0, 3);
    let run = only_run(&text(tree, 4, "asynchronous", "full-duplex", by_embedding, "to-children"));
    let finished = finished(&run);
    assert_eq!(finished.metrics.link_congestion.max, 1);
    assert_eq!(finished.outcome.traffic.messages, 14);
    let errors = errors(&text(
        "{ kind = \"ring\", shape = [16] }",
        4,
        "asynchronous",
        "full-duplex",
        "",
        "to-parents",
    ));
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].ends_with("program.communication is \"to-parents\" with a ring, expected a tree"),
        "{errors:?}"
    );
}

#[test]
fn trees_on_meshes_send_to_children_without_meeting() {
    for order in 1..=4_u32 {
        let text = |communication: &str| {
            format!(
                "machine = {{ kind = \"mesh\", shape = [{side}, {side}] }}\n\
                 program = {{ kind = \"neighbour-exchange\", guest = {{ kind = \"binary-tree\", levels = {levels} }}, \
                 communication = \"{communication}\" }}\n\
                 mapping.embeddings = [\"cs838\"]\nexecution.routing = \"embedding\"\n",
                side = 1 << order,
                levels = 2 * order
            )
        };
        for communication in ["to-children", "to-parents"] {
            let run = only_run(&text(communication));
            let finished = finished(&run);
            assert_eq!(finished.outcome.summary.totals().blocked, 0, "{order} {communication}");
            let paths = run.placement.edge_paths().unwrap().unwrap();
            assert_eq!(finished.outcome.summary.makespan().get(), paths.longest(), "{order} {communication}");
        }
    }
}

/// A random access of 8 processes on a 3-cube: figure 2.3 of Tao 1988.
fn random_access(program: &str, execution: &str) -> String {
    format!(
        "machine = {{ kind = \"hypercube\", dimensions = 3 }}\n\
         program = {{ kind = \"random-access\", {program} }}\n\
         mapping.embeddings = [\"standard\"]\nexecution = {{ {execution} }}\n"
    )
}

const FIGURE: &str = "indices = [2, 6, 2, -1, 5, 6, -1, 6]";

const SORTING: &str = "mode = \"coordinated\", routing = \"sorting\"";

#[test]
fn random_accesses_are_executed_by_sorting_and_by_messages() {
    let write = format!("access = \"write\", {FIGURE}");
    let write_all = format!("{write}, collisions = \"all\"");
    let steps = |program: &str| times(&random_access(program, SORTING)).1.unwrap();
    // Two sorts of 6 steps and five passes of 3; a sort and three passes; a sort, a scan and three rounds of three passes.
    assert_eq!([FIGURE, &write, &write_all].map(steps), [27, 15, 36]);
    // A request crosses at most 3 links, and so does an answer.
    let cycles = |program: &str| times(&random_access(program, "mode = \"asynchronous\"")).0;
    let [read, written] = [FIGURE, &write].map(cycles);
    assert!((2..=12).contains(&read) && (1..=6).contains(&written), "{read} {written}");
    for (program, received) in [
        (FIGURE, "[2,6,2,null,5,6,null,6]"),
        (&write, "[[],[],[2],[],[],[4],[7],[]]"),
        (&write_all, "[[],[],[0,2],[],[],[4],[1,5,7],[]]"),
    ] {
        for execution in [SORTING, "mode = \"asynchronous\"", "routing = \"valiant\""] {
            let record = only_record(&random_access(program, execution));
            assert_eq!(serde_json::to_string(&record.received).unwrap(), received, "{program} {execution}");
        }
    }
}

#[test]
fn permutations_show_what_the_worst_of_them_takes() {
    let text = "machine = { kind = \"torus\", shape = [8, 8] }\n\
                program = { kind = \"permutation\", pattern = \"transpose\", units = 100 }\n\
                mapping.embeddings = [\"standard\"]\n";
    let record = only_record(text);
    assert!((record.worst_case_bound.unwrap() - 200.0 / 3.0).abs() < 1e-9);
}

#[test]
fn collectives_go_on_without_a_device_a_cable_or_a_nic() {
    let ring = |machine: &str| {
        format!(
            "[machine]\nkind = \"cluster\"\nnodes = 2\ndevices_per_node = 4\nnics_per_node = 2\n\
             inside = {{ kind = \"switch\", hop_cycles = 1 }}\n\
             outside = {{ hop_cycles = 4, leaves = {{ nodes = 1 }}, spines = 2 }}\n\
             switching = \"cut-through\"\n{machine}\n\
             [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 840\n"
        )
    };
    let ranks = |machine: &str| scenario(&ring(machine)).runs[0].program.rank_count();
    assert_eq!([ranks(""), ranks("failed_nodes = [2]")], [8, 7]);
    // Messages to the other node take the other spine if a cable is down.
    let whole = times(&ring(""));
    assert!(times(&ring("failed_links = [[14, 16]]")).0 >= whole.0);
    // Devices 0 and 1 have lost their NIC, vertex 10, and use that of the others.
    let refused = load_text(Path::new("s.toml"), &ring("failed_nodes = [10]")).unwrap_err().to_string();
    assert!(refused.contains("no route between nodes 0 and 4"), "{refused}");
    assert!(times(&ring("failed_nodes = [10]\nhosts_forward = true")).0 >= whole.0);
}
