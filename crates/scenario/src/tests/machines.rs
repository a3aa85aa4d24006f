//! Machines with switches, twists and failures, the choice among routes, and permutations.

use super::*;

const TORUS: &str = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n";

#[test]
fn switched_machines_have_the_hosts_of_their_parameters() {
    let machines = [
        ("kind = \"full-mesh\", nodes = 8", 8, 8),
        ("kind = \"hyperx\", shape = [2, 4], hosts_per_switch = 2", 16, 24),
        ("kind = \"dragonfly\", hosts_per_switch = 2, switches_per_group = 4, global_links = 2", 72, 108),
        ("kind = \"fat-tree\", leaves = 4, hosts_per_switch = 4, spines = 2", 16, 22),
        ("kind = \"fat-tree\", arity = 2, levels = 3", 8, 20),
    ];
    for (machine, hosts, nodes) in machines {
        let text = format!(
            "machine = {{ {machine} }}\nprogram = {{ kind = \"all-reduce\", algorithm = \"ring\", units = 64 }}\n"
        );
        let scenario = scenario(&text);
        let run = &scenario.runs[0];
        assert_eq!((run.machine.host_count(), run.machine.node_count()), (hosts, nodes), "{machine}");
        assert_eq!(run.program.rank_count(), hosts);
        assert!(run.placement.nodes().iter().all(|&node| run.machine.is_host(node)));
        let metrics = run.program.guest().measure(&run.placement, run.communication.tie());
        assert_eq!((metrics.load.count, metrics.load.min, metrics.load.max), (hosts, 1, 1));
    }
}

#[test]
fn wrong_parameters_are_reported_at_their_places() {
    let of_tree = "machine = { kind = \"fat-tree\", leaves = 4, arity = 2, levels = 2 }\n";
    assert_eq!(
        errors(of_tree),
        ["1:52: both machine.leaves and machine.arity, expected the keys of one form of fat tree"]
    );
    let missing =
        errors("machine = { kind = \"dragonfly\", hosts_per_switch = 1, switches_per_group = 2 }\n");
    assert_eq!(missing.len(), 1);
    assert!(
        missing[0].ends_with("machine.global_links is missing, expected from 1 to 2097152"),
        "{missing:?}"
    );
    assert_eq!(
        errors("machine = { kind = \"full-mesh\", nodes = 4, shape = [4] }\n"),
        ["1:52: machine.shape with a full-mesh, which has none"]
    );
    assert_eq!(
        errors("machine = { kind = \"de-bruijn\", dimensions = 3, reduce = true }\n"),
        ["1:58: machine.reduce with a de-bruijn, which has none"]
    );
    assert_eq!(
        errors(&format!("{TORUS}leaves = 3\n")),
        ["4:10: machine.leaves with a torus, which has none"]
    );
    assert_eq!(
        errors(&format!("{TORUS}twist = [[0, 1], [0, 1]]\n")),
        ["4:9: the wraparound of dimension 2 adds 1 to its own coordinate, expected 0"]
    );
    assert_eq!(
        errors("[machine]\nkind = \"mesh\"\nshape = [4, 4]\ntwist = [[0, 1], [0, 0]]\n"),
        ["4:9: machine.twist with a mesh, which has none"]
    );
}

#[test]
fn twists_count_modulo_the_lengths() {
    let machine = |twist: &str| scenario(&format!("{TORUS}twist = {twist}\n")).runs[0].machine.clone();
    assert_eq!(machine("[[0, -1], [0, 0]]"), machine("[[0, 3], [0, 0]]"));
    assert_eq!(machine("[[-4, -7], [0, 0]]"), machine("[[0, 1], [0, 0]]"));
    assert_eq!(machine("[[0, -4], [0, 0]]"), machine("[[0, 0], [0, 0]]"));
    assert_eq!(
        errors(&format!("{TORUS}twist = [[0, -1.5], [0, -9_999_999_999]]\n")),
        [
            "4:14: entry of machine.twist is -1.5, expected an integer from -4294967295 to 4294967295",
            "4:25: entry of machine.twist is -9_999_999_999, expected an integer from -4294967295 to 4294967295"
        ]
    );
}

#[test]
fn embeddings_go_by_the_coordinates_of_a_twisted_torus() {
    let program =
        "[program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"standard\", \"xor\", \"gray\"]\n";
    let [plain, twisted] =
        ["", "twist = [[0, 2], [0, 0]]\n"].map(|more| scenario(&format!("{TORUS}{more}{program}")));
    for (plain, twisted) in plain.runs.iter().zip(&twisted.runs) {
        assert_eq!(plain.placement.nodes(), twisted.placement.nodes());
        assert!(twisted.machine.graph().is_some() && plain.machine.graph().is_none());
    }
}

#[test]
fn failures_are_named_or_drawn_and_what_cannot_be_is_reported() {
    let program = "[program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"xor\"]\n";
    let named = scenario(&format!("{TORUS}failed_links = [[[0, 0], [1, 0]], [2, 3]]\n{program}"));
    let failures = named.runs[0].machine.failures().unwrap();
    assert_eq!(failures.links.len(), 2);
    let drawn = |count, seed| {
        let text = format!("{TORUS}failed_links = {count}\nfailure_seed = {seed}\n{program}");
        let machine = scenario(&text).runs[0].machine.clone();
        machine.failures().map_or_else(Vec::new, |failures| failures.links.clone())
    };
    assert_eq!((drawn(0, 1).len(), drawn(4, 1).len()), (0, 4));
    assert!(drawn(2, 1).iter().all(|link| drawn(4, 1).contains(link)));
    assert_ne!(drawn(4, 1), drawn(4, 2));
    let wrong = |line: &str| errors(&format!("{TORUS}{line}\n{program}"));
    assert_eq!(
        wrong("failed_links = [[0, 5]]"),
        ["4:17: a failed link between nodes 0 and 5, expected two that are linked"]
    );
    assert_eq!(
        wrong("failed_nodes = [[4, 0]]"),
        ["4:17: node in machine.failed_nodes: coordinate 4 in dimension 1, expected 0 to 3"]
    );
    assert_eq!(
        wrong("failed_nodes = [5]"),
        ["8:15: process 5 on node 5, which is down, expected a working node"]
    );
    assert_eq!(
        wrong("failed_links = [[0, 1], [0, 3], [0, 4], [0, 12]]"),
        ["4:16: no route between nodes 0 and 1: the machine falls apart"]
    );
    let line =
        "machine = { kind = \"line\", shape = [4], failed_links = 1 }\nmapping.embeddings = [\"standard\"]\n";
    assert_eq!(
        errors(line),
        ["1:56: 1 links down, expected at most 0: without one more the machine falls apart"]
    );
}

#[test]
fn spare_nodes_take_the_processes_of_failed_ones() {
    let text = |spares: &str| {
        format!(
            "{TORUS}failed_nodes = [[1, 1]]\n[program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"standard\"]\n{spares}\n"
        )
    };
    let spared = scenario(&text("spare_nodes = [[1, 2]]"));
    let run = &spared.runs[0];
    assert_eq!(run.placement.max_load(), 2);
    assert_eq!(run.placement.node(cubefold_mapping::ProcessId::new(5)).index(), 9);
    assert_eq!(
        errors(&text("spare_nodes = [1, 2]")),
        ["9:15: 2 spare nodes, expected 1, one for each failed node"]
    );
    // Collectives skip failed nodes.
    let collective = scenario(&format!(
        "{TORUS}failed_nodes = [[1, 1]]\n[program]\nkind = \"all-gather\"\nalgorithm = \"bruck\"\nunits = 30\n"
    ));
    assert_eq!(nodes(&collective.runs[0]), [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

#[test]
fn routings_belong_to_machines_and_modes() {
    let text = |routing: &str, mode: &str| {
        format!(
            "{TORUS}[program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"standard\"]\n[execution]\nmode = \"{mode}\"\nrouting = \"{routing}\"\n"
        )
    };
    assert!(scenario(&text("spread", "asynchronous")).runs[0].machine.graph().is_some());
    assert_eq!(
        errors(&text("sorting", "asynchronous")),
        ["10:11: routing sorting of asynchronous execution, expected coordinated"]
    );
    let odd = text("sorting", "coordinated")
        .replace("[4, 4]", "[4, 6]")
        .replace("cc-cube\"", "permutation\"\npattern = \"random\"");
    assert_eq!(
        errors(&odd),
        ["11:11: routing sorting on a machine with a length of 6, expected powers of two"]
    );
    let network = "machine = { kind = \"full-mesh\", nodes = 8 }\nexecution = { routing = \"sorting\" }\n";
    assert_eq!(errors(network), ["2:25: routing sorting on a network, expected embedding, lowest or spread"]);
}

/// A random access of 8 processes on a 3-cube: figure 2.3 of Tao 1988.
fn random_access(program: &str, execution: &str) -> String {
    format!(
        "machine = {{ kind = \"hypercube\", dimensions = 3 }}\n\
         program = {{ kind = \"random-access\", {program} }}\n\
         mapping.embeddings = [\"standard\"]\nexecution = {{ {execution} }}\n"
    )
}

const SORTING: &str = "mode = \"coordinated\", routing = \"sorting\"";

#[test]
fn wrong_random_accesses_say_what_is_wrong() {
    let errors_of = |program: &str| errors(&random_access(program, SORTING));
    assert_eq!(
        errors_of("indices = [1, 8, 0, 0, 0, 0, 0, 0]"),
        ["2:51: an entry of program.indices is 8, expected a process from 0 to 7, or -1 for none"]
    );
    assert_eq!(
        errors_of("indices = [0, 1], collisions = \"all\"")[0],
        "2:68: program.collisions of a read, expected a write"
    );
    let files = |rows: &str| {
        let text = random_access("indices = \"file:indices.csv\"", SORTING);
        Files::new(&[("s.toml", text.as_str()), ("indices.csv", rows)])
    };
    let scenario = files("process,index\n0,5\n3,-1\n7,0\n").load().unwrap();
    let named = scenario.runs[0].program.body.special().random_access().unwrap().named().to_vec();
    assert_eq!(named.iter().flatten().map(|process| process.label()).collect::<Vec<_>>(), [5, 0]);
    let wrong = |rows: &str| files(rows).displayed();
    assert_eq!(
        wrong("process,index\n0,5\n0,6\n"),
        ["s.toml:2:47: indices \"indices.csv\", line 3: a second index of process 0, expected one"]
    );
    assert_eq!(
        wrong("process,index\n0,8\n"),
        ["s.toml:2:47: indices \"indices.csv\", line 2: index 8, expected 0 to 7, or -1 for none"]
    );
}
