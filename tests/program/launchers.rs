//! Placements in the formats of launchers, written and read back.

use super::command::{Scratch, case, done, json, refused, root, run, text_of, unframed};

/// The folder of the files written by hand.
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
            let mut arguments = vec!["place", &scenario, "--quiet", "--format", format];
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
    let rankfile = done(&[&place[..], &["--quiet", "--format", "open-mpi-rankfile"]].concat());
    assert_eq!(rankfile, text_of(&format!("{GOLDEN}/ring-8-two-a-host.open-mpi-rankfile")));
    let finished = run(&[&place[..], &["--format", "slurm-hostfile"]].concat());
    assert_eq!(finished.code, Some(0));
    assert_eq!(finished.stdout, "alpha\nalpha\nbravo\nbravo\ndelta\ndelta\ncharlie\ncharlie\n");
    let note = "note: slurm-hostfile gives the host of a rank but not its slot: hosts have 2 nodes of the machine \
                each, and the launcher decides which of them a rank uses\n\
                note: the hosts are taken in the order of the nodes, the first coordinate fastest: alpha at (0), bravo at \
                (1); --coordinates FILE puts them in that order\n";
    assert_eq!(finished.stderr.replace("\n      ", " "), note);
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
             hydra-hostfile, jax-device-order, jax-device-ids\n  help: give --format, or leave out --hosts\n",
        ),
        (
            &["--format", "csv", "--slots-per-node", "1"],
            "error: --slots-per-node without a launcher's format, expected --format with one of open-mpi-rankfile, \
             slurm-hostfile, cray-rank-order, bluegene-mapfile, flux-taskmap, fujitsu-rank-map, \
             hydra-hostfile, jax-device-order, jax-device-ids\n  help: give --format, or leave out --slots-per-node\n",
        ),
        (
            &["--format", "slurm-hostfile", "--hosts", "no/such.txt"],
            "no/such.txt: list of hosts cannot be read: No such file or directory (os error 2)",
        ),
    ];
    for (options, said) in cases {
        let stderr = refused(&[&["place", &scratch.path("gray.toml")], options].concat());
        let said = said.trim_start_matches("no/such.txt: ");
        assert!(stderr.contains(said), "{options:?}: {stderr}");
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
        let mut arguments = vec!["place", &scenario, "--quiet", "--format", format];
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
    let said = refused(&["place", &scenario, "--hosts", &few, "--format", "hosts"]);
    assert!(said.contains("2 hosts, expected 4 for a machine of 4 nodes"), "{said}");
    let without = run(&["place", &scenario, "--format", "hosts"]);
    assert_eq!(without.code, Some(2));
    assert!(without.stderr.contains("--coordinates"), "{}", without.stderr);
    // The same files describe the placement of a job.
    let read = SHARED.replace(
        "[\"gray\"]",
        "[\"gray\", { file = \"ranks.txt\", format = \"slurm-hostfile\", hosts = \"hosts.txt\", coordinates = \"site.csv\" }]",
    );
    std::fs::write(scratch.path("read.toml"), read).unwrap();
    let runs = json(&["run", &scratch.path("read.toml")]);
    assert_eq!(runs["runs"][0]["placement"], runs["runs"][1]["placement"]);
}

/// Runs `place` for a scenario and a list of hosts, or a coordinate map, of `cases`.
fn place_case(scenario: &str, options: &[&str]) -> super::command::Finished {
    run(&[&["place", &case(scenario), "--embedding", "standard"][..], options].concat())
}

#[test]
fn lists_of_hosts_of_every_scheduler_are_read() {
    let placed = |hosts: &str, format: &str| {
        let finished =
            place_case("hpc_ring2.toml", &["--quiet", "--format", format, "--hosts", &case(hosts)]);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{hosts}");
        finished.stdout
    };
    let addresses = ["2001:db8:0:1::7", "2001:db8:0:2::7"];
    let rankfile = format!("rank 0={} slot=0\nrank 1={} slot=0\n", addresses[0], addresses[1]);
    assert_eq!(placed("hpc_2.hosts-ipv6.txt", "open-mpi-rankfile"), rankfile);
    assert_eq!(placed("hpc_2.hosts-ipv6.txt", "slurm-hostfile"), format!("{}\n", addresses.join("\n")));
    for list in ["hpc_10.hosts-bom.txt", "hpc_15a.lsb_mcpu_hosts.txt", "hpc_15b.lsb_affinity_hostfile.txt"] {
        assert_eq!(placed(list, "slurm-hostfile"), "hosta\nhostb\n", "{list}");
    }
    let none =
        place_case("hpc_ring2.toml", &["--format", "slurm-hostfile", "--hosts", &case("hpc_15d.slots0.txt")]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("host \"hosta\" has 0 slots"), "{}", none.stderr);
    let order =
        place_case("hpc_ring2.toml", &["--format", "slurm-hostfile", "--hosts", &case("hpc_3.hosts.txt")]);
    assert!(order.stderr.contains("hosta at (0), hostb at (1)"), "{}", order.stderr);
}

#[test]
fn rankfiles_with_cores_and_numbers_of_hosts_are_read() {
    for scenario in ["hpc_3a.toml", "hpc_3b.toml"] {
        done(&["check", &case(scenario)]);
        assert_eq!(
            done(&["place", &case(scenario), "--format", "csv"]),
            "process,p_1\n0,0\n1,1\n",
            "{scenario}"
        );
    }
}

#[test]
fn the_maps_of_a_cray_order_its_nodes() {
    let placed = |options: &[&str]| {
        let finished = place_case("hpc_ring2.toml", options);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        (finished.stdout, finished.stderr)
    };
    let database = case("hpc_4.xtdb2proc.txt");
    assert_eq!(placed(&["--format", "hosts", "--coordinates", &database]).0, "nid00004\nnid00005\n");
    // Two nodes at each router.
    let scratch = Scratch::with(&[("hosts.txt", "c0-0c0s1n1,c0-0c0s1n0,c0-0c0s0n1,c0-0c0s0n0")]);
    let (map, hosts) = (case("hpc_11.meshcoords.txt"), scratch.path("hosts.txt"));
    let all = placed(&["--format", "hosts", "--hosts", &hosts, "--coordinates", &map]).0;
    assert_eq!(all, "c0-0c0s0n1\nc0-0c0s0n0\nc0-0c0s1n1\nc0-0c0s1n0\n");
    let (ranks, note) = placed(&["--format", "slurm-hostfile", "--hosts", &hosts, "--coordinates", &map]);
    assert_eq!(ranks, "c0-0c0s0n1\nc0-0c0s1n1\n");
    assert!(note.contains("the processes use 1 of them"), "{note}");
    let two = text_of("tests/program/cases/hpc_ring2.toml")
        .replace("units = 8", "units = 8, processes_per_node = 2");
    std::fs::write(scratch.path("two.toml"), two).unwrap();
    let place = [
        "place",
        &scratch.path("two.toml"),
        "--format",
        "slurm-hostfile",
        "--hosts",
        &hosts,
        "--coordinates",
        &map,
    ];
    assert_eq!(done(&place), "c0-0c0s0n1\nc0-0c0s0n0\nc0-0c0s1n1\nc0-0c0s1n0\n");
}

#[test]
fn a_job_on_tofu_is_told_to_use_its_logical_lengths() {
    let finished = place_case("hpc_12.tofu.toml", &["--format", "fujitsu-rank-map"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("pjsub -L node=XxYxZ"), "{}", finished.stderr);
}

#[test]
fn the_raw_task_map_of_flux_is_a_placement() {
    let text = "machine = { kind = \"ring\", shape = [2] }\n\
                program = { kind = \"all-reduce\", algorithm = \"ring\", units = 8, processes_per_node = 4 }\n\
                mapping.embeddings = [{ file = \"MAP\", format = \"flux-taskmap\" }]\n";
    let map = root().join("tests/program/cases/hpc_16a.flux-raw.txt").canonicalize().unwrap();
    let scratch = Scratch::with(&[("s.toml", text.replace("MAP", map.to_str().unwrap()))]);
    let placed = done(&["place", &scratch.path("s.toml"), "--format", "csv"]);
    let nodes: Vec<&str> = placed.lines().skip(1).map(|line| line.split_once(',').unwrap().1).collect();
    assert_eq!(nodes, ["0", "0", "1", "1", "0", "0", "1", "1"]);
}

/// The numbers of a JSON array.
fn numbers(text: &str) -> Vec<u64> {
    serde_json::from_str(text).unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases, to be divided")]
fn files_have_an_entry_for_each_rank_and_are_read_back() {
    let hosts = Scratch::with(&[("hosts.txt", "node[0-15]\n")]);
    for (program, wider) in [
        ("algorithm = \"bucket\", ports = \"all\"", "torus"),
        ("algorithm = \"bidirectional-ring\"", "ring"),
        ("algorithm = \"mirrored\", ports = \"all\"", "torus"),
        ("algorithm = \"ring\"", "torus"),
    ] {
        let shape = if wider == "ring" { "shape = [16]" } else { "shape = [4, 4]" };
        let scenario = |embedding: &str| {
            format!(
                "machine = {{ kind = \"{wider}\", {shape} }}\nprogram = {{ kind = \"all-reduce\", {program}, units = 64 }}\n\
                 mapping.embeddings = [{embedding}]\n"
            )
        };
        let scratch = Scratch::with(&[("s.toml", scenario("\"random\""))]);
        let csv = done(&["place", &scratch.path("s.toml"), "--format", "csv"]);
        assert_eq!(csv.lines().count(), 17, "{program}");
        for (format, named) in FORMATS.into_iter().chain([("csv", false), ("npy", false)]) {
            let (list, file) = (hosts.path("hosts.txt"), scratch.path(&format!("p.{format}")));
            let mut arguments = vec![
                "place",
                &scratch.path("s.toml"),
                "--quiet",
                "--force",
                "--format",
                format,
                "--output",
                &file,
            ]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>();
            arguments.extend(named.then_some(["--hosts".to_owned(), list.clone()]).into_iter().flatten());
            done(&arguments);
            let entry = match format {
                "csv" | "npy" => format!("\"file:p.{format}\""),
                _ if named => format!("{{ file = \"p.{format}\", format = \"{format}\", hosts = {list:?} }}"),
                _ => format!("{{ file = \"p.{format}\", format = \"{format}\" }}"),
            };
            std::fs::write(scratch.path("back.toml"), scenario(&entry)).unwrap();
            assert_eq!(
                done(&["place", &scratch.path("back.toml"), "--format", "csv"]),
                csv,
                "{program} {format}"
            );
        }
    }
    let order = done(&["place", &case("ml_1.toml"), "--format", "jax-device-order"]);
    assert_eq!(numbers(&order), (0..16).collect::<Vec<_>>());
    let grid = done(&["place", &case("ml_1.toml")]);
    assert!(!grid.contains("63"), "{grid}");
    let order = done(&["place", "scenarios/device-order.toml", "--run", "0", "--format", "jax-device-order"]);
    assert_eq!(numbers(&order).len(), 128);
}

/// The coordinates of the devices in the order in which a list prints them.
fn printed_devices(name: &str) -> Vec<(u64, Vec<i64>)> {
    let text = text_of(&case(name));
    let after = |text: &str, key: &str, end: char| {
        text.split(key).nth(1).unwrap().split(end).next().unwrap().to_owned()
    };
    text.split("TpuDevice(")
        .skip(1)
        .map(|device| {
            let coordinates =
                after(device, "coords=(", ')').split(',').map(|word| word.parse().unwrap()).collect();
            (after(device, "id=", ',').parse().unwrap(), coordinates)
        })
        .collect()
}

#[test]
fn the_order_of_devices_goes_by_the_list_that_jax_prints() {
    let scenario = "machine = { kind = \"mesh\", shape = [4, 4] }\n\
                    program = { kind = \"all-reduce\", algorithm = \"ring\", shape = [16], units = 64 }\nmapping.embeddings = [\"tao\"]\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let list = case("ml_3.txt");
    let place = ["place", &scratch.path("s.toml"), "--coordinates", &list, "--format"];
    let order = done(&[&place[..], &["jax-device-order"]].concat());
    let devices = printed_devices("ml_3.txt");
    let ring: Vec<&(u64, Vec<i64>)> =
        numbers(&order).iter().map(|&place| &devices[usize::try_from(place).unwrap()]).collect();
    for (place, device) in ring.iter().enumerate() {
        let next = ring[(place + 1) % ring.len()];
        let hops: i64 = device.1.iter().zip(&next.1).map(|(one, other)| (one - other).abs()).sum();
        assert_eq!(hops, 1, "{place}");
    }
    let ids = done(&[&place[..], &["jax-device-ids"]].concat());
    assert_eq!(numbers(&ids), ring.iter().map(|device| device.0).collect::<Vec<_>>());
    for (format, text) in [("jax-device-order", order), ("jax-device-ids", ids)] {
        std::fs::write(scratch.path("order.json"), text).unwrap();
        let list = root().join(&list).canonicalize().unwrap();
        let entry = format!("{{ file = \"order.json\", format = \"{format}\", coordinates = {list:?} }}");
        std::fs::write(scratch.path("back.toml"), scenario.replace("\"tao\"", &entry)).unwrap();
        let csv = |file: &str| done(&["place", &scratch.path(file), "--format", "csv"]);
        assert_eq!(csv("back.toml"), csv("s.toml"), "{format}");
    }
    let without = run(&["place", &scratch.path("s.toml"), "--format", "jax-device-ids"]);
    assert!(without.stderr.contains("print(jax.devices())"), "{}", without.stderr);
    let other = run(&[&place[..], &["cray-rank-order"]].concat());
    assert!(other.stderr.contains("leave out --coordinates"), "{}", other.stderr);
}

#[test]
fn every_core_of_a_chip_has_its_process() {
    let scenario = "machine = { kind = \"torus\", shape = [2, 2] }\n\
                    program = { kind = \"all-reduce\", algorithm = \"ring\", shape = [8], units = 64, processes_per_node = 2 }\n";
    let scratch = Scratch::with(&[
        ("s.toml", scenario.to_owned()),
        ("one.toml", scenario.replace(", processes_per_node = 2", "").replace("[8]", "[4]")),
    ]);
    let place = |file: &str, format: &str| {
        run(&[
            "place",
            &scratch.path(file),
            "--embedding",
            "standard",
            "--coordinates",
            &case("ml_9.txt"),
            "--format",
            format,
        ])
    };
    assert_eq!(place("s.toml", "slurm-hostfile").stdout, "0\n1\n2\n3\n4\n5\n6\n7\n");
    assert_eq!(place("s.toml", "jax-device-order").stdout, "[0, 1, 2, 3, 4, 5, 6, 7]\n");
    let one = place("one.toml", "jax-device-order");
    assert_eq!(one.stdout, "[0, 2, 4, 6]\n");
    assert!(one.stderr.contains("the processes use 1 of them"), "{}", one.stderr);
}

#[test]
fn files_of_other_kinds_are_named_in_one_error() {
    let scratch = Scratch::with(&[
        ("algorithm.xml", &b"<algo name=\"x\" nchannels=\"1\">\n  <gpu id=\"0\">\n  </gpu>\n</algo>\n"[..]),
        ("trace.et", b"\x07\x0a\x050.0.4\x80\x01\x08\xff\n\xfe"),
        ("s.toml", b"machine = { kind = \"ring\", shape = [2] }\nprogram = { kind = \"goal\", file = \"algorithm.xml\" }\n"),
        ("t.toml", b"machine = { kind = \"ring\", shape = [2] }\nprogram = { kind = \"stages\", file = \"trace.et\" }\n"),
        ("p.toml", b"machine = { kind = \"ring\", shape = [2] }\nprogram.dimensions = 1\nmapping.embeddings = [\"file:algorithm.xml\"]\n"),
    ]);
    let xml = scratch.path("algorithm.xml");
    let trace = scratch.path("trace.et");
    let ring = case("hpc_ring2.toml");
    for (arguments, said) in [
        (
            vec!["place", &ring, "--format", "slurm-hostfile", "--hosts", &xml],
            "the file is a trace (msccl-xml), expected a list of hosts",
        ),
        (
            vec!["place", &ring, "--format", "hosts", "--coordinates", &xml],
            "the file is a trace (msccl-xml), expected coordinates of hosts, or a network",
        ),
        (
            vec!["place", &ring, "--format", "slurm-hostfile", "--hosts", &trace],
            "is a Chakra execution trace",
        ),
        (vec!["calibrate", &xml], "the file is a trace (msccl-xml), expected output of a benchmark"),
        (vec!["check", &scratch.path("s.toml")], "is a trace (msccl-xml), expected a GOAL schedule"),
        (vec!["check", &scratch.path("t.toml")], "is a trace (chakra), expected a list of messages"),
        (vec!["check", &scratch.path("p.toml")], "is a trace (msccl-xml), expected the hosts of ranks"),
    ] {
        let finished = run(&arguments);
        assert_eq!(finished.code, Some(2), "{arguments:?}");
        let plain = unframed(&finished.stderr);
        assert!(plain.contains(said), "{arguments:?}: {}", finished.stderr);
        assert!(!plain.contains("errors"), "{arguments:?}: {}", finished.stderr);
    }
}
