//! Placements in the formats of launchers, written and read back.

use super::command::{Scratch, done, json, root, run, text_of};

/// Where the files written by hand are.
const GOLDEN: &str = "tests/golden/launchers";

/// Every format, and whether it names hosts.
const FORMATS: [(&str, bool); 8] = [
    ("open-mpi-rankfile", true),
    ("slurm-hostfile", true),
    ("cray-rank-order", false),
    ("bluegene-mapfile", false),
    ("flux-taskmap", false),
    ("fujitsu-rank-map", false),
    ("hydra-hostfile", true),
    ("jax-device-order", false),
];

/// The machines of the files written by hand.
const MACHINES: [(&str, &str); 2] =
    [("ring-8", "kind = \"ring\"\nshape = [8]"), ("torus-2x4", "kind = \"torus\"\nshape = [2, 4]")];

fn gray_on(machine: &str) -> Scratch {
    Scratch::with(&[("gray.toml", format!("[machine]\n{machine}\n[mapping]\nembeddings = [\"gray\"]\n"))])
}

/// The absolute path of a file written by hand.
fn golden(name: &str) -> String {
    root().join(GOLDEN).join(name).canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn the_gray_embedding_comes_out_as_written_by_hand() {
    for (name, machine) in MACHINES {
        let scratch = gray_on(machine);
        let scenario = scratch.path("gray.toml");
        for (format, named) in FORMATS {
            let hosts = format!("{GOLDEN}/hosts-8.txt");
            let mut arguments = vec!["place", &scenario, "--format", format];
            arguments.extend(named.then_some(["--hosts", &hosts]).iter().flatten().copied());
            assert_eq!(done(&arguments), text_of(&format!("{GOLDEN}/{name}.{format}")), "{name}.{format}");
        }
    }
}

#[test]
fn two_nodes_on_a_host_come_out_as_written_by_hand() {
    let scratch = gray_on(MACHINES[0].1);
    let hosts = format!("{GOLDEN}/hosts-4.txt");
    let place = ["place", &scratch.path("gray.toml"), "--hosts", &hosts, "--slots-per-node", "2"];
    let rankfile = done(&[&place[..], &["--format", "open-mpi-rankfile"]].concat());
    assert_eq!(rankfile, text_of(&format!("{GOLDEN}/ring-8-two-a-host.open-mpi-rankfile")));
    let finished = run(&[&place[..], &["--format", "slurm-hostfile"]].concat());
    assert_eq!(finished.code, Some(0));
    assert_eq!(finished.stdout, "alpha\nalpha\nbravo\nbravo\ndelta\ndelta\ncharlie\ncharlie\n");
    let note = "note: slurm-hostfile gives the host of a rank but not its slot: hosts have 2 nodes of the machine \
                each, and the launcher decides which of them a rank uses\n";
    assert_eq!(finished.stderr, note);
    done(&[&place[..], &["--format", "slurm-hostfile", "--quiet"]].concat());
}

#[test]
fn files_written_by_hand_are_read_as_the_gray_embedding() {
    for (name, machine) in MACHINES {
        let entry = |&(format, named): &(&str, bool)| {
            let hosts = if named { format!(", hosts = {:?}", golden("hosts-8.txt")) } else { String::new() };
            let file = golden(&format!("{name}.{format}"));
            format!("{{ file = {file:?}, format = \"{format}\"{hosts} }}")
        };
        let two = format!(
            "{{ file = {:?}, format = \"open-mpi-rankfile\", hosts = {:?}, slots_per_node = 2 }}",
            golden("ring-8-two-a-host.open-mpi-rankfile"),
            golden("hosts-4.txt")
        );
        let entries = FORMATS.iter().map(entry).chain((name == "ring-8").then_some(two));
        let list: Vec<String> = std::iter::once("\"gray\"".to_owned()).chain(entries).collect();
        let text = format!("[machine]\n{machine}\n[mapping]\nembeddings = [\n{}\n]\n", list.join(",\n"));
        let scratch = Scratch::with(&[("read.toml", text)]);
        let runs = json(&["run", &scratch.path("read.toml")]);
        let runs = runs["runs"].as_array().unwrap();
        assert_eq!(runs.len(), list.len());
        for run in &runs[1..] {
            for member in ["makespan_cycles", "totals", "placement", "stages"] {
                assert_eq!(run[member], runs[0][member], "{} {member}", run["embedding"]);
            }
            let asked = ["place", &scratch.path("read.toml"), "--format", "csv", "--embedding"];
            let placed = |name: &str| done(&[&asked[..], &[name]].concat());
            assert_eq!(placed(run["embedding"].as_str().unwrap()), placed("gray"));
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = gray_on(MACHINES[0].1);
    let hosts = format!("{GOLDEN}/hosts-4.txt");
    let cases: [(&[&str], &str); 8] = [
        (
            &["--format", "open-mpi-rankfile"],
            "error: open-mpi-rankfile without the names of the hosts, expected a list of them\n  help: give --hosts \
             FILE with a name a line, in the order of the nodes: the first coordinate runs fastest\n",
        ),
        (
            &["--format", "flux-taskmap", "--hosts", &hosts],
            "error: host names for flux-taskmap, expected none: it names no hosts\n  help: leave out --hosts\n",
        ),
        (
            &["--format", "cray-rank-order", "--slots-per-node", "2"],
            "error: slots per host for cray-rank-order, expected none: it names every node of the machine\n  \
             help: leave out --slots-per-node\n",
        ),
        (
            &["--format", "slurm-hostfile", "--hosts", &hosts],
            "error: 4 hosts, expected 8 for a machine of 8 nodes with 1 on a host\n  help: list the hosts of this \
             machine and no others; --slots-per-node puts several nodes on a host\n",
        ),
        (
            &["--format", "flux-taskmap", "--slots-per-node", "3"],
            "error: 3 nodes on a host, expected a divisor of 8, the nodes of the machine\n  help: all hosts have the \
             same number of nodes: give --slots-per-node another value\n",
        ),
        (
            &["--hosts", &hosts],
            "error: --hosts without a launcher's format, expected --format with one of open-mpi-rankfile, \
             slurm-hostfile, cray-rank-order, bluegene-mapfile, flux-taskmap, fujitsu-rank-map, \
             hydra-hostfile, jax-device-order\n  help: give --format, or leave out --hosts\n",
        ),
        (
            &["--format", "csv", "--slots-per-node", "1"],
            "error: --slots-per-node without a launcher's format, expected --format with one of open-mpi-rankfile, \
             slurm-hostfile, cray-rank-order, bluegene-mapfile, flux-taskmap, fujitsu-rank-map, \
             hydra-hostfile, jax-device-order\n  help: give --format, or leave out --slots-per-node\n",
        ),
        (
            &["--format", "slurm-hostfile", "--hosts", "no/such.txt"],
            "no/such.txt: list of hosts cannot be read: No such file or directory (os error 2)",
        ),
    ];
    for (options, said) in cases {
        let finished = run(&[&["place", &scratch.path("gray.toml")], options].concat());
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{options:?}");
        let said = said.trim_start_matches("no/such.txt: ");
        assert!(finished.stderr.contains(said), "{options:?}: {}", finished.stderr);
    }
}

#[test]
fn nodes_with_fewer_processes_keep_a_placement_out_of_a_rank_order() {
    let scratch = Scratch::with(&[
        (
            "s.toml",
            "machine = { kind = \"mesh\", shape = [3, 2] }\nprogram.dimensions = 2\nmapping.embeddings = [\"file:p.csv\"]\n",
        ),
        ("p.csv", "process,p_1,p_2\n0,0,0\n1,1,0\n2,0,1\n3,1,1\n"),
    ]);
    let finished = run(&["place", &scratch.path("s.toml"), "--format", "cray-rank-order"]);
    assert_eq!(
        (finished.code, finished.stderr.as_str()),
        (
            Some(2),
            "error: 0 processes on node (2, 0), expected 1 as on the fullest node\n  help: a rank order cannot leave \
             a slot empty: use a format that names hosts or coordinates\n"
        )
    );
}

#[test]
fn a_list_of_hosts_is_told_line_by_line_and_never_written_over() {
    let scratch = gray_on(MACHINES[0].1);
    let (scenario, hosts) = (scratch.path("gray.toml"), scratch.path("hosts.txt"));
    let place = ["place", &scenario, "--format", "slurm-hostfile", "--hosts", &hosts];
    std::fs::write(&hosts, "a\nb or c\na\n").unwrap();
    let finished = run(&place);
    assert_eq!(finished.code, Some(2));
    for said in ["line is \"b or c\", expected the name of one host", "host \"a\" a second time", "2 errors"]
    {
        assert!(finished.stderr.contains(said), "{}", finished.stderr);
    }
    let list = text_of(&format!("{GOLDEN}/hosts-8.txt"));
    std::fs::write(&hosts, &list).unwrap();
    let finished = run(&[&place[..], &["--output", &hosts]].concat());
    assert_eq!((finished.code, scratch.read("hosts.txt")), (Some(2), list));
    assert!(finished.stderr.contains("the hosts are read from"), "{}", finished.stderr);
}

#[test]
fn a_sweep_over_a_launchers_file_is_another_one_when_the_file_changes() {
    let text = "machine = { kind = \"ring\", shape = [4] }\nprogram.dimensions = 1\nsweep = { \"program.compute_cycles\" = [1, 2] }\n\
                mapping.embeddings = [{ file = \"r.txt\", format = \"fujitsu-rank-map\" }]\n";
    let scratch = Scratch::with(&[("s.toml", text), ("r.txt", "(0)\n(1)\n")]);
    let (scenario, output) = (scratch.path("s.toml"), scratch.path("results.csv"));
    done(&["run", &scenario, "--output", &output, "--shard", "1/2"]);
    std::fs::write(scratch.path("r.txt"), "(0)\n(2)\n").unwrap();
    let finished = run(&["run", &scenario, "--output", &output, "--shard", "1/2", "--resume"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("the sweep has changed"), "{}", finished.stderr);
    for input in ["s.toml", "r.txt"] {
        let finished = run(&["run", &scenario, "--format", "csv", "--output", &scratch.path(input)]);
        assert_eq!(finished.code, Some(2), "{input}");
        assert!(finished.stderr.contains("the scenarios are read from"), "{}", finished.stderr);
    }
}

#[test]
fn an_array_of_numpy_has_a_row_of_coordinates_a_process() {
    let scratch = gray_on(MACHINES[1].1);
    let path = scratch.path("placed.npy");
    done(&["place", &scratch.path("gray.toml"), "--force", "--output", &path]);
    let bytes = std::fs::read(&path).unwrap();
    let (header, numbers) = bytes.split_at(128);
    assert!(header.starts_with(b"\x93NUMPY\x01\x00"));
    let dictionary = String::from_utf8_lossy(&header[10..]).into_owned();
    assert_eq!(dictionary.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (8, 2), }");
    let numbers: Vec<u32> =
        numbers.chunks(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect();
    // As in torus-2x4.fujitsu-rank-map.
    assert_eq!(numbers, [0, 0, 1, 0, 0, 1, 1, 1, 0, 3, 1, 3, 0, 2, 1, 2]);
}

/// Four ranks on each node of a ring of 4, under the Gray embedding of the groups: nodes 0 1 3 2.
const SHARED: &str = "machine = { kind = \"ring\", shape = [4] }\n\
                      program = { kind = \"cc-cube\", processes_per_node = 2 }\nmapping.embeddings = [\"gray\"]\n";

#[test]
fn several_ranks_of_a_node_stand_together_in_every_format() {
    let scratch = Scratch::with(&[("s.toml", SHARED), ("hosts.txt", "node[08-11]\n")]);
    let place = |format: &str, hosts: bool| {
        let (scenario, list) = (scratch.path("s.toml"), scratch.path("hosts.txt"));
        let mut arguments = vec!["place", &scenario, "--format", format];
        arguments.extend(hosts.then_some(["--hosts", &list]).iter().flatten().copied());
        done(&arguments)
    };
    assert_eq!(place("hydra-hostfile", true), "node08:2\nnode09:2\nnode11:2\nnode10:2\n");
    let lines = "node08\nnode08\nnode09\nnode09\nnode11\nnode11\nnode10\nnode10\n";
    assert_eq!(place("slurm-hostfile", true), lines);
    let rankfile = place("open-mpi-rankfile", true);
    assert!(rankfile.contains("rank 4=node11 slot=0\nrank 5=node11 slot=1\n"), "{rankfile}");
    assert_eq!(place("cray-rank-order", false), "0,1,2,3,6,7,4,5\n");
    assert_eq!(place("jax-device-order", false), "[0, 1, 2, 3, 6, 7, 4, 5]\n");
    assert_eq!(place("csv", false).lines().nth(6), Some("5,3"));
}

#[test]
fn a_coordinate_map_puts_the_hosts_of_a_job_in_order() {
    let map = "host,x\ngolf,9\nalpha,3\nbravo,5\ncharlie,4\ndelta,6\n";
    let scratch = Scratch::with(&[
        ("s.toml", SHARED),
        ("hosts.txt", "alpha,bravo,charlie,delta\n"),
        ("few.txt", "alpha\nbravo\n"),
        ("site.csv", map),
        ("ranks.txt", "alpha\nalpha\ncharlie\ncharlie\ndelta\ndelta\nbravo\nbravo\n"),
    ]);
    let [scenario, hosts, few, site] =
        ["s.toml", "hosts.txt", "few.txt", "site.csv"].map(|name| scratch.path(name));
    let place = ["place", &scenario, "--hosts", &hosts, "--coordinates", &site, "--format"];
    assert_eq!(done(&[&place[..], &["hosts"]].concat()), "alpha\ncharlie\nbravo\ndelta\n");
    assert_eq!(done(&[&place[..], &["slurm-hostfile"]].concat()), scratch.read("ranks.txt"));
    let missing = run(&["place", &scenario, "--hosts", &few, "--coordinates", &site, "--format", "hosts"]);
    assert_eq!(missing.code, Some(2));
    assert!(
        missing.stderr.contains("no host at (1), expected one for each of 4 nodes"),
        "{}",
        missing.stderr
    );
    let without = run(&["place", &scenario, "--format", "hosts"]);
    assert_eq!(without.code, Some(2));
    assert!(without.stderr.contains("--coordinates"), "{}", without.stderr);
    // The same files say what a job has.
    let read = SHARED.replace(
        "[\"gray\"]",
        "[\"gray\", { file = \"ranks.txt\", format = \"slurm-hostfile\", hosts = \"hosts.txt\", coordinates = \"site.csv\" }]",
    );
    std::fs::write(scratch.path("read.toml"), read).unwrap();
    let runs = json(&["run", &scratch.path("read.toml")]);
    assert_eq!(runs["runs"][0]["placement"], runs["runs"][1]["placement"]);
}
