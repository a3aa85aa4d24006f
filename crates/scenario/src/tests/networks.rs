//! Machines and guests that are not grids, and the programs of CS838 1999.

use cubefold_topology::TieRule;

use super::*;

/// A machine of a kind with dimensions, on one line.
fn machine(kind: &str, dimensions: u64) -> String {
    format!("machine = {{ kind = \"{kind}\", dimensions = {dimensions} }}\n")
}

#[test]
fn networks_have_the_nodes_of_their_kinds() {
    let kinds = [
        ("cube-connected-cycles", 4, "4x16"),
        ("wrapped-butterfly", 4, "4x16"),
        ("butterfly", 3, "4x8"),
        ("shuffle-exchange", 6, "64"),
        ("de-bruijn", 6, "64"),
    ];
    for (kind, dimensions, shape) in kinds {
        let nodes: u64 = shape.split('x').map(|length| length.parse::<u64>().unwrap()).product();
        let program = format!("program = {{ dimensions = {} }}\n", nodes.ilog2());
        let scenario = scenario(&format!("{}{program}", machine(kind, dimensions)));
        let lengths: Vec<_> =
            scenario.runs[0].machine.shape().lengths().iter().map(ToString::to_string).collect();
        assert_eq!((lengths.join("x").as_str(), scenario.runs.len()), (shape, 1));
        assert_eq!(scenario.runs[0].embedding.to_string(), "standard");
    }
}

#[test]
fn a_network_is_a_list_of_links_beside_the_scenario() {
    let text = "machine = { kind = \"network\", edges = \"links.txt\" }\nprogram = { guest = { kind = \"network\", edges = \"links.txt\" }, kind = \"neighbour-exchange\" }\n";
    let files = Files::new(&[("s.toml", text), ("links.txt", "0 1\n1 2\n2 0\n2 3\n")]);
    let scenario = files.load().unwrap();
    assert!(scenario.inputs.iter().any(|path| path.ends_with("links.txt")));
    let metrics = scenario.runs[0].program.guest().measure(&scenario.runs[0].placement, TieRule::default());
    assert_eq!((metrics.dilation.max(), metrics.dilation.edges()), (1, 4));
    let missing = Files::new(&[("s.toml", text)]).displayed();
    assert!(
        missing[0].starts_with("s.toml:1:39: list of links \"links.txt\" cannot be read: "),
        "{missing:?}"
    );
    let wrong = Files::new(&[("s.toml", text), ("links.txt", "0 0\n")]).displayed();
    assert_eq!(wrong, ["links.txt:1:1: a link of node 0 to itself, expected two nodes"]);
}

#[test]
fn trees_grow_by_the_seed_and_caterpillars_have_the_legs_that_are_listed() {
    let exchange = "kind = \"neighbour-exchange\", guest =";
    let tree = |seed: u64| {
        let guest = "{ kind = \"random-tree\", vertices = 200 }";
        scenario(&format!("seed = {seed}\n{}program = {{ {exchange} {guest} }}\n", machine("hypercube", 5)))
    };
    let (one, other) = (tree(1), tree(2));
    assert_eq!(one.runs[0].embedding.to_string(), "cs838");
    assert_eq!(one.runs[0].program.body.process_count(), 200);
    let messages = |scenario: &Scenario| scenario.runs[0].program.body.messages(0);
    assert_eq!(messages(&one), messages(&tree(1)));
    assert_ne!(messages(&one), messages(&other));
    let metrics = one.runs[0].program.guest().measure(&one.runs[0].placement, TieRule::default());
    assert_eq!((metrics.dilation.max(), metrics.load.sum), (1, 200));
    let guest = "{ kind = \"caterpillar\", legs = [0, 1, 0, 0, 1, 0] }";
    let balanced = scenario(&format!("{}program = {{ {exchange} {guest} }}\n", machine("hypercube", 3)));
    let metrics = balanced.runs[0].program.guest().measure(&balanced.runs[0].placement, TieRule::default());
    assert_eq!((metrics.dilation.max(), metrics.dilation.edges(), metrics.load.max), (1, 7, 1));
}

#[test]
fn what_networks_do_not_have_is_told() {
    check_whole(&[
        (
            "machine = { kind = \"de-bruijn\" }",
            &["1:20: machine.dimensions is missing, expected from 1 to 20"][..],
        ),
        (
            "machine = { kind = \"butterfly\", dimensions = 16 }",
            &["1:46: machine.dimensions is 16, expected an integer from 1 to 15"],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 17, failed_links = 1 }",
            &["1:65: failures of 131072 nodes, expected at most 65536 (2^16)"],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 3, shape = [8], wrap = [true] }",
            &[
                "1:57: machine.shape with a de-bruijn, which has none",
                "1:69: machine.wrap with a de-bruijn, which has none",
            ],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 3, edges = \"x\" }",
            &["1:57: machine.edges with a de-bruijn, which has none"],
        ),
        (
            "machine = { kind = \"ring\", shape = [8], edges = \"x\" }",
            &["1:49: machine.edges with a ring, which has none"],
        ),
        (
            "machine = { kind = \"network\" }",
            &["1:20: machine.edges is missing, expected the path of a file with a link a line"],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 3, links = \"single-direction\" }\nexecution.mode = \"coordinated\"",
            &[
                "1:57: single-direction links of a de-bruijn, expected full-duplex or half-duplex",
                "2:18: coordinated execution on a de-bruijn, expected asynchronous",
            ],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 3 }\nmapping.embeddings = [\"standard\", \"xor\"]",
            &["2:35: embedding xor with a network as guest or machine, expected standard"],
        ),
        (
            "machine = { kind = \"de-bruijn\", dimensions = 3 }\nprogram.dimensions = 4",
            &["1:46: 16 processes on 8 nodes, expected at most 8 for standard"],
        ),
    ]);
}

#[test]
fn what_programs_do_not_have_is_told() {
    check(&[
        (
            "[program]\nkind = \"divide-and-conquer\"\nstages = [0]\n[execution]\nmode = \"coordinated\"",
            &[
                "6:10: program.stages with a divide-and-conquer program, which has none",
                "8:8: coordinated execution of a divide-and-conquer program, expected asynchronous",
            ],
        ),
        (
            "[program]\nkind = \"normal\"\nstages = [0, 1, 1]",
            &[
                "6:10: the program is not normal: stage 2 uses dimension 1 after 1, expected the next or the one before it",
            ],
        ),
        (
            "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"binary-tree\", dimensions = 2 }",
            &[
                "6:18: program.guest.levels is missing, expected from 1 to 19",
                "6:46: program.guest.dimensions with a binary-tree, which has none",
            ],
        ),
        (
            "[program]\nkind = \"neighbour-exchange\"\ncommunication = \"shift\"\nguest = { kind = \"binary-tree\", levels = 2 }",
            &["6:17: program.communication is \"shift\" with a binary-tree, \
              expected scatter, permutation, to-children or to-parents"],
        ),
        (
            "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"caterpillar\", legs = [0, 2], vertices = 3 }",
            &[
                "6:44: entry of program.guest.legs is 2, expected 0 or 1",
                "6:59: program.guest.vertices with a caterpillar, which has none",
            ],
        ),
        (
            "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"random-tree\" }",
            &["6:18: program.guest.vertices is missing, expected the number of vertices"],
        ),
        (
            "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"torus\", levels = 2, shape = [8] }",
            &["6:36: program.guest.levels with a torus, which has none"],
        ),
    ]);
    assert_eq!(
        errors(
            "machine = { kind = \"de-bruijn\", dimensions = 3 }\nprogram = { kind = \"normal\", dimensions = 3 }"
        ),
        ["2:43: program.dimensions is 3, expected 4 for a normal program on this de-bruijn"]
    );
}

/// Four GPUs of which two pairs have links of four lanes.
const TOPOLOGY: &str = "\tGPU0\tGPU1\tGPU2\tGPU3\nGPU0\tX\tNV4\tSYS\tSYS\nGPU1\tNV4\tX\tSYS\tSYS\n\
                        GPU2\tSYS\tSYS\tX\tNV4\nGPU3\tSYS\tSYS\tNV4\tX\n";

/// The nodes, the times of links in cycles of a nanosecond, and the notes, of GPUs with these keys of their machine.
fn gpus(keys: &str) -> (u64, Vec<u64>, Vec<String>) {
    let text = format!(
        "[machine]\nkind = \"network\"\nedges = \"topo.txt\"\nunit_bytes = 1000\n{keys}\n\
         [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"1 MB\"\n"
    );
    let scenario = Files::new(&[("s.toml", &text), ("topo.txt", TOPOLOGY)]).load().unwrap();
    let run = &scenario.runs[0];
    let times =
        run.machine.link_times().map_or_else(Vec::new, |times| times.iter().map(|time| time.unit).collect());
    (run.machine.node_count(), times, run.notes())
}

#[test]
fn links_of_lanes_are_one_link_and_classes_of_paths_have_speeds() {
    let paths = "paths = { SYS = \"10 GB/s\" }";
    let (nodes, times, notes) = gpus(&format!("lane = {{ bandwidth = \"25 GB/s\" }}\n{paths}"));
    // A cycle is the time of 1000 bytes at 100 GB/s: the slowest link takes ten.
    assert_eq!((nodes, times, notes), (5, vec![1, 10], vec![]));
    let (_, times, notes) = gpus(&format!("link = {{ bandwidth = \"25 GB/s\" }}\n{paths}"));
    assert_eq!(times, [1, 10]);
    let told = "topo.txt: a link of n lanes has n times the bandwidth of machine.link (lane = { .. }).";
    assert_eq!(notes, [told]);
    let text = "machine = { kind = \"network\", edges = \"topo.txt\" }\nprogram = { dimensions = 2 }\n";
    let apart = Files::new(&[("s.toml", text), ("topo.txt", TOPOLOGY)]).displayed();
    assert!(apart[0].contains("no route between hosts GPU0 and GPU2"), "{apart:?}");
    let wrong = text.replace("\" }\np", "\", paths = { PIX = \"1 GB/s\" } }\np");
    let wrong = Files::new(&[("s.toml", &wrong), ("topo.txt", TOPOLOGY)]).displayed();
    assert!(wrong[0].contains("unknown key \"PIX\" in machine.paths, expected SYS"), "{wrong:?}");
}

#[test]
fn speeds_of_slurm_count_with_their_unit() {
    let topology = "SwitchName=s0 Nodes=n[0-1] LinkSpeed=2\nSwitchName=s1 Nodes=n[2-3] LinkSpeed=2\n\
                    SwitchName=top Switches=s[0-1] LinkSpeed=4\n";
    let run = |keys: &str| {
        let text = format!(
            "[machine]\nkind = \"network\"\nedges = \"t.conf\"\nuplinks = 1\n{keys}\n\
             link = {{ bandwidth = \"10 GB/s\" }}\nunit_bytes = 1000\n\
             [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"1 MB\"\n"
        );
        Files::new(&[("s.toml", &text), ("t.conf", topology)]).load().unwrap().runs.remove(0)
    };
    let units = |run: &crate::Run| {
        let times = run.machine.link_times().unwrap_or_default();
        times.iter().map(|time| time.unit).collect::<Vec<u64>>()
    };
    let with_unit = run("unit-of-linkspeed = \"5 GB/s\"");
    assert_eq!(
        (units(&with_unit), with_unit.notes().iter().any(|note| note.contains("LinkSpeed"))),
        (vec![2, 1], false)
    );
    let without_unit = run("");
    assert_eq!(
        (units(&without_unit), without_unit.notes().iter().any(|note| note.contains("LinkSpeed"))),
        (vec![], true)
    );
}

#[test]
fn a_list_of_hosts_is_no_network() {
    for (hosts, list) in [
        ("", "node1 slots=8\nnode2 slots=8\nnode3 slots=8\n"),
        (", hosts = \"*\"", "# nodes\n\n10.0.0.1\tslots=8\n10.0.0.2\tslots=8\n"),
        ("", "n1,slots=8\nn2,slots=8\n"),
    ] {
        let text = format!(
            "machine = {{ kind = \"network\", edges = \"hosts.txt\"{hosts} }}\nprogram = {{ kind = \"barrier\", algorithm = \"dissemination\" }}\n"
        );
        let files = Files::new(&[("s.toml", &text), ("hosts.txt", list)]);
        assert_eq!(
            files.displayed(),
            ["hosts.txt: the file is a list of hosts (host-list), expected a network"]
        );
        assert_eq!(files.help(), "it is read by machine.host_names, machine.allocation and --hosts");
    }
}

#[test]
fn hosts_of_numbered_nodes_may_be_the_leaves() {
    for hosts in ["\"leaves\"", "[\"0\", \"1\", \"4\", \"5\"]"] {
        let text = format!(
            "machine = {{ kind = \"network\", edges = \"links.txt\", hosts = {hosts} }}\nprogram = {{ kind = \"barrier\", algorithm = \"dissemination\" }}\n"
        );
        let links = "0 2\n1 2\n2 3\n3 4\n3 5\n";
        let scenario = Files::new(&[("s.toml", &text), ("links.txt", links)]).load().unwrap();
        let machine = &scenario.runs[0].machine;
        assert_eq!((machine.host_count(), scenario.runs[0].program.body.process_count()), (4, 4));
    }
}

#[test]
fn a_machine_that_cannot_be_read_may_have_speeds() {
    let text = "machine = { kind = \"network\", edges = \"links.csv\", hosts = 2 }\nprogram = { kind = \"all-reduce\", algorithm = \"ring\", bytes = \"64 MiB\" }\n";
    let links = "from,to,bandwidth,latency\na,s,300 GB/s,500 ns\nb,s,300 GB/s,500 ns\n";
    let told = Files::new(&[("s.toml", text), ("links.csv", links)]).displayed();
    assert!(told.len() == 1 && told[0].contains("machine.hosts is 2"), "{told:?}");
    let cycles = text.replace("hosts = 2", "hosts = 2, hop_cycles = 3");
    assert_eq!(Files::new(&[("s.toml", &cycles), ("links.csv", links)]).displayed().len(), 2);
}

#[test]
fn a_table_that_replaces_that_of_the_machine_file_says_so() {
    let file = "kind = \"cluster\"\nnodes = 2\ndevices_per_node = 2\ninside = { kind = \"switch\", link = { bandwidth = \"100 GB/s\" } }\noutside = { link = { bandwidth = \"10 GB/s\" }, leaves = { nodes = 2 } }\nunit_bytes = 512\n";
    let text = "machine.file = \"m.toml\"\nmachine.inside.reduce = true\nprogram = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
    let files = Files::new(&[("s.toml", text), ("m.toml", file)]);
    assert_eq!(
        files.displayed(),
        [
            "s.toml:2:9: machine.inside.kind is missing: the table replaces that of the machine file as a whole"
        ]
    );
    assert!(files.help().starts_with("write all keys of machine.inside, also those of the machine file"));
}

#[test]
fn assumed_cables_of_uneven_trees_are_told_as_a_range() {
    let note = |leaf: &str| {
        let topology = format!(
            "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes={leaf}\nSwitchName=s2 Switches=s[0-1]\n"
        );
        let text = "machine = { kind = \"network\", edges = \"t.conf\" }\nprogram = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
        let scenario = Files::new(&[("s.toml", text), ("t.conf", &topology)]).load().unwrap();
        scenario.runs[0].notes().into_iter().find(|note| note.starts_with("cables are assumed")).unwrap()
    };
    let even = "2 from each leaf to s2 (uplinks = \"full\"). A site with blocking 2 has uplinks = 1.";
    assert_eq!(note("n[2-3]"), format!("cables are assumed: {even}"));
    let uneven =
        "2 to 6 from each leaf to s2 (uplinks = \"full\"). uplinks = [..] has a number for each level.";
    assert_eq!(note("n[2-7]"), format!("cables are assumed: {uneven}"));
}

#[test]
fn a_note_says_that_a_pair_of_hosts_uses_one_of_several_nics() {
    let notes = |nics: u64, execution: &str| {
        let text = format!(
            "[machine]\nkind = \"fat-tree\"\nleaves = 2\nhosts_per_switch = 2\nspines = 1\nnics_per_host = {nics}\n\
             [program]\nkind = \"all-to-all\"\nalgorithm = \"direct\"\n[execution]\n{execution}"
        );
        let scenario = crate::load_text(std::path::Path::new("s.toml"), &text).unwrap();
        scenario.runs[0].notes().join(" ")
    };
    assert!(notes(4, "").contains("take one of its 4 links"), "{}", notes(4, ""));
    assert!(notes(4, "routing = \"spread\"").contains("take one of its 4 links"));
    assert!(!notes(4, "routing = \"spread\"\nspread = \"message\"").contains("take one of"));
    assert!(!notes(1, "").contains("take one of"));
}

#[test]
fn names_of_nodes_of_a_cluster_are_all_their_devices() {
    let asked = |allocation: &str, hosts: &str| {
        let text = format!(
            "[machine]\nkind = \"cluster\"\nnodes = 3\ndevices_per_node = 2\ninside = {{ kind = \"switch\" }}\n\
             outside = {{ leaves = {{ nodes = 4 }} }}\nhost_names = \"hosts.txt\"\nallocation = {allocation}\n\
             [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\n"
        );
        Files::new(&[("s.toml", &text), ("hosts.txt", hosts)]).load()
    };
    let nodes = |allocation: &str| {
        let run = asked(allocation, "gpu0\ngpu1\ngpu2\n").unwrap().runs.remove(0);
        run.allocation.unwrap().nodes().iter().map(|node| node.index()).collect::<Vec<_>>()
    };
    assert_eq!(nodes("[\"gpu2\", \"gpu[0-1]\"]"), [4, 5, 0, 1, 2, 3]);
    assert_eq!(nodes("[\"gpu1\", 5]"), [2, 3, 5]);
    let error = asked("[\"a\"]", "a\nb\n").unwrap_err().to_string();
    assert!(
        error.contains("2 host names, expected 6, one for each host of the machine, or 3, one for each node")
    );
}

#[test]
fn an_allocation_may_be_any_list_of_hosts() {
    let load = |list: &str| {
        let text = "machine = { kind = \"network\", edges = \"g.txt\", allocation = \"job.txt\" }\n\
                    program = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
        let network = "SwitchName=s Nodes=n[0-7]\n";
        Files::new(&[("s.toml", text), ("g.txt", network), ("job.txt", list)]).load()
    };
    for list in [
        "n3\nn1\nn2\n",
        "n3 slots=4\nn1 slots=4\nn2 slots=4\n",
        "n3:4\nn1:4\nn2:4\n",
        "n3\nn3\nn1\nn1\nn2\nn2\n",
        "n3 8 n1 8 n2 8\n",
        "n3,n[1-2]\n",
    ] {
        let run = load(list).unwrap().runs.remove(0);
        let nodes: Vec<u32> = run.allocation.unwrap().nodes().iter().map(|node| node.index()).collect();
        assert_eq!(nodes, [3, 1, 2], "{list}");
    }
    let error = load("n3\nn1\nn3\n").unwrap_err().to_string();
    assert!(error.contains("node 3 (\"n3\") a second time"), "{error}");
    assert!(load("n3 slots=4\nm1 slots=4\n").is_err());
}

#[test]
fn all_nodes_of_a_guest_with_names_are_processes() {
    let text = "machine = { kind = \"line\", shape = [3] }\nmapping.embeddings = [\"standard\"]\n\
                [program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"network\", edges = \"g.txt\" }\n";
    let scenario = Files::new(&[("s.toml", text), ("g.txt", "a b\nb c\n")]).load().unwrap();
    assert_eq!(scenario.runs[0].program.body.process_count(), 3);
}
