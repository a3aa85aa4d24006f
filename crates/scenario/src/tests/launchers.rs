use super::*;

const HOSTS: (&str, &str) = ("hosts.txt", "a\nb # the second\nc\nd\n");

/// A scenario of two processes on a ring of 4 with this embedding and these other files.
fn with_files(embedding: &str, files: &[(&str, &str)]) -> Files {
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [4] }}\nprogram.dimensions = 1\nmapping.embeddings = [{embedding}]\n"
    );
    Files::new(&[&[("s.toml", text.as_str()), HOSTS], files].concat())
}

const RANKFILE: &str = "{ file = \"r.txt\", format = \"open-mpi-rankfile\", hosts = \"hosts.txt\" }";

#[test]
fn a_launchers_file_is_a_placement() {
    let files = with_files(RANKFILE, &[("r.txt", "rank 1=b slot=0\nrank 0=d slot=2\n")]);
    let scenario = files.load().unwrap();
    let run = &scenario.runs[0];
    assert_eq!((run.embedding.to_string().as_str(), nodes(run)), ("open-mpi-rankfile:r.txt", vec![3, 1]));
    let inputs: Vec<_> =
        scenario.inputs.iter().map(|path| files.without_directory(&path.display())).collect();
    assert_eq!(inputs, ["s.toml", "hosts.txt", "r.txt"]);
}

#[test]
fn slots_of_a_host_may_lie_on_several_nodes() {
    let entry =
        "{ file = \"r.txt\", format = \"open-mpi-rankfile\", hosts = \"two.txt\", slots_per_node = 6 }";
    let files = [("two.txt", "a\nb\n"), ("r.txt", "rank 0=b slot=2\nrank 1=b slot=3\n")];
    assert_eq!(nodes(&with_files(entry, &files).load().unwrap().runs[0]), [2, 3]);
    // By default, the hosts have as many slots as the processes need: one per node.
    let entry = entry.replace(", slots_per_node = 6", "");
    let told = with_files(&entry, &files).displayed();
    assert_eq!(
        told,
        [
            "r.txt:1:15: slot is 2, expected an integer from 0 to 1",
            "r.txt:2:15: slot is 3, expected an integer from 0 to 1"
        ]
    );
}

#[test]
fn errors_in_a_launchers_file_point_into_it() {
    let files = with_files(RANKFILE, &[("r.txt", "# mine\nrank 0=e slot=0\nrank 1=a slot=x\n")]);
    assert_eq!(
        files.displayed(),
        [
            "r.txt:2:8: host \"e\" is none of the hosts, expected one of them",
            "r.txt:3:15: slot is \"x\", expected an integer from 0 to 4294967295, or cores such as 0-15 or 1:0-3",
        ]
    );
    let files = with_files(RANKFILE, &[("hosts.txt", "a\na\n"), ("r.txt", "")]);
    assert_eq!(files.displayed(), ["hosts.txt:2:1: host \"a\" a second time, expected every host once"]);
}

#[test]
fn from_the_third_error_that_is_alike_on_they_are_counted() {
    let lines = "rank 7=a slot=0\n".repeat(25);
    let errors = with_files(RANKFILE, &[("r.txt", &lines)]).errors();
    assert_eq!(errors.len(), 3);
    assert_eq!(errors[2].report().help().unwrap().to_string(), "and 22 more like this one");
}

#[test]
fn files_that_cannot_be_read_are_told() {
    let missing = "No such file or directory (os error 2)";
    assert_eq!(
        with_files(RANKFILE, &[]).displayed(),
        [format!("s.toml:3:23: embedding open-mpi-rankfile:r.txt cannot be read: {missing}")]
    );
    let entry = RANKFILE.replace("hosts.txt", "no.txt");
    let files = with_files(&entry, &[("r.txt", "")]);
    assert_eq!(files.displayed(), [format!("no.txt: list of hosts cannot be read: {missing}")]);
    let files = with_files(RANKFILE, &[("r.txt", "")]);
    fs::write(files.directory.path().join("r.txt"), b"rank \xff").unwrap();
    let expected =
        "r.txt: launcher's file is not UTF-8 text: byte 5 is the first that is not, expected a text file";
    assert_eq!(files.displayed(), [expected]);
}

#[test]
fn the_table_says_what_the_format_needs_and_no_more() {
    let told = |entry: &str| {
        let told = with_files(entry, &[("r.txt", "0,1,2,3")]).displayed();
        told.iter().map(|line| line.strip_prefix("s.toml:3:").unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        told("{ file = \"r.txt\", format = \"slurm-hostfile\", slots_per_node = 1, name = \"x\" }"),
        [
            "85: embedding.slots_per_node is given, expected none: slurm-hostfile has no slots of hosts",
            "88: unknown key \"name\" in embedding, expected file, format, hosts, coordinates or slots_per_node",
        ]
    );
    assert_eq!(
        told("{ file = \"r.txt\", format = \"slurm-hostfile\" }"),
        ["23: slurm-hostfile without hosts on a machine without names, expected a list of its hosts"]
    );
    assert_eq!(
        told("{ format = \"cray-rank-order\", hosts = \"hosts.txt\" }"),
        [
            "23: embedding.file is missing, expected the path of a launcher's file",
            "61: embedding.hosts is given, expected none: cray-rank-order names no hosts",
        ]
    );
    assert_eq!(
        told("{ file = \"\", format = \"open-mpi\" }"),
        [
            "32: embedding.file is \"\", expected a path",
            "45: embedding.format is \"open-mpi\", expected open-mpi-rankfile, slurm-hostfile, cray-rank-order, \
             bluegene-mapfile, flux-taskmap, fujitsu-rank-map, hydra-hostfile, jax-device-order or jax-device-ids",
        ]
    );
    let twice = format!("{RANKFILE}, {}", RANKFILE.replace("hosts.txt", "others.txt"));
    let expected = "embedding open-mpi-rankfile:r.txt a second time, expected every embedding once";
    assert!(told(&twice)[0].ends_with(expected));
}

#[test]
fn the_name_that_results_use_leads_to_the_table() {
    let files = with_files("\"slurm-hostfile:r.txt\"", &[]);
    assert_eq!(files.help(), "write it as { file = \"r.txt\", format = \"slurm-hostfile\", hosts = .. }");
}

/// The nodes of all processes, by embedding, with `program.processes_per_node`.
fn placed(text: &str) -> Vec<(String, Vec<u32>)> {
    let loaded = load_text(Path::new("s.toml"), text).unwrap();
    loaded.runs.iter().map(|run| (run.embedding.to_string(), nodes(run))).collect()
}

#[test]
fn every_named_embedding_puts_groups_of_processes_on_nodes() {
    let grouped = |program: &str, each: usize| {
        let machine = "machine = { kind = \"torus\", shape = [4, 4] }\nmapping.embeddings = ";
        let names =
            "[\"standard\", \"xor\", \"byweight\", \"gray\", \"optimal\", \"random-groups\", \"tao\"]\n";
        let groups = placed(&format!("{machine}{names}program = {{ {program}, dimensions = 4 }}\n"));
        let all =
            placed(&format!("{machine}{names}program = {{ {program}, processes_per_node = {each} }}\n"));
        assert_eq!(all.len(), 7);
        for ((name, nodes), (_, group)) in all.iter().zip(&groups) {
            let expected: Vec<u32> = group.iter().flat_map(|&node| vec![node; each]).collect();
            if name == "random-groups" {
                // Drawn for the same number of groups with the same seed, but of a row instead of a cube.
                assert!(nodes.chunks(each).all(|group| group.iter().all(|node| *node == group[0])));
                assert_eq!(nodes.iter().collect::<std::collections::BTreeSet<_>>().len(), 16);
            } else {
                assert_eq!(nodes, &expected, "{name}");
            }
        }
    };
    grouped("kind = \"cc-cube\"", 4);
    grouped("kind = \"divide-and-conquer\"", 2);
    grouped("kind = \"normal\"", 8);
}

#[test]
fn groups_of_other_guests_divide_their_first_length() {
    let text = |each| {
        format!(
            "machine = {{ kind = \"torus\", shape = [4, 4] }}\nmapping.embeddings = [\"tao\"]\n\
             program = {{ kind = \"neighbour-exchange\", guest = {{ kind = \"torus\", shape = [8, 4] }}, processes_per_node = {each} }}\n"
        )
    };
    let placed = &placed(&text(2))[0].1;
    assert!(placed.chunks(2).all(|pair| pair[0] == pair[1]), "{placed:?}");
    assert_eq!(placed.iter().collect::<std::collections::BTreeSet<_>>().len(), 16);
    let error = load_text(Path::new("s.toml"), &text(3)).unwrap_err().to_string();
    assert!(error.contains("embedding tao of 32 processes in groups of 3"), "{error}");
    let collective = "machine = { kind = \"torus\", shape = [2, 2] }\nmapping.embeddings = [\"standard\", \"gray\"]\n\
                      program = { kind = \"all-reduce\", algorithm = \"ring\", units = 8, processes_per_node = 2 }\n";
    for (name, nodes) in self::placed(collective) {
        assert_eq!(nodes, [0, 0, 1, 1, 2, 2, 3, 3], "{name}");
    }
    let wandering = "machine = { kind = \"shuffle-exchange\", dimensions = 4 }\nprogram = { kind = \"normal\", processes_per_node = 2 }\n";
    let error = load_text(Path::new("s.toml"), wandering).unwrap_err().to_string();
    assert!(error.contains("expected 1 if the data of a normal program move"), "{error}");
}

/// The nodes of all processes of a scenario with a GOAL file of 32 ranks in a ring.
fn placed_beside_goal(text: &str) -> Result<Vec<(String, Vec<u32>)>, String> {
    let directory = tempfile::tempdir().unwrap();
    let rank = |rank: u32| {
        format!("rank {rank} {{\nsend 8b to {}\nrecv 8b from {}\n}}\n", (rank + 1) % 32, (rank + 31) % 32)
    };
    let goal = format!("num_ranks 32\n{}", (0..32).map(rank).collect::<String>());
    std::fs::write(directory.path().join("a.goal"), goal).unwrap();
    let loaded = load_text(&directory.path().join("s.toml"), text).map_err(|error| error.to_string())?;
    Ok(loaded.runs.iter().map(|run| (run.embedding.to_string(), nodes(run))).collect())
}

#[test]
fn task_graphs_and_permutations_are_placed_several_a_node() {
    let names = "[\"standard\", \"xor\", \"byweight\", \"gray\", \"optimal\", \"random-groups\"]";
    let groups = |program: &str| {
        placed_beside_goal(&format!(
            "machine = {{ kind = \"torus\", shape = [4, 4] }}\nmapping.embeddings = {names}\nprogram = {{ {program} }}\n"
        ))
        .unwrap()
    };
    let alone = groups("kind = \"cc-cube\", dimensions = 4");
    let goal = "kind = \"goal\", file = \"a.goal\", processes_per_node = 2";
    let permutation = "kind = \"permutation\", pattern = \"shuffle\", processes_per_node = 2";
    for program in [goal, permutation] {
        for ((name, nodes), (_, group)) in groups(program).iter().zip(&alone) {
            assert_eq!(nodes.len(), 32);
            assert!(nodes.chunks(2).all(|pair| pair[0] == pair[1]), "{program} {name}");
            let of_groups: Vec<u32> = nodes.iter().copied().step_by(2).collect();
            match name.as_str() {
                "random-groups" => {
                    assert_eq!(of_groups.iter().collect::<std::collections::BTreeSet<_>>().len(), 16);
                }
                _ => assert_eq!(&of_groups, group, "{program} {name}"),
            }
        }
    }
    // By default a permutation has as many processes as the nodes hold.
    let four = groups("kind = \"permutation\", pattern = \"bit-reversal\", processes_per_node = 4");
    assert!(four.iter().all(|(_, nodes)| nodes.len() == 64));
    let few = "machine = { kind = \"torus\", shape = [3, 5] }\nmapping.embeddings = [\"standard\"]\n\
               program = { kind = \"goal\", file = \"a.goal\", processes_per_node = 2 }\n";
    assert!(placed_beside_goal(few).unwrap_err().contains("32 processes on 15 nodes"));
}

#[test]
fn orders_of_axes_place_groups_of_ranks() {
    let placed = |shape: &str, each: &str| {
        placed(&format!(
            "machine = {{ kind = \"torus\", shape = [4, 2] }}\nmapping.embeddings = [\"axes\"]\n\
             program = {{ kind = \"all-reduce\", algorithm = \"ring\", units = 8, shape = {shape}, processes_per_node = {each} }}\n"
        ))
    };
    let (alone, pairs) = (placed("[4, 2]", "1"), placed("[8, 2]", "[2, 1]"));
    assert!(alone.len() > 1);
    let doubled = |nodes: &[u32]| nodes.iter().flat_map(|&node| [node, node]).collect::<Vec<_>>();
    let expected: Vec<_> = alone.iter().map(|(name, nodes)| (name.clone(), doubled(nodes))).collect();
    assert_eq!(pairs, expected);
    // A number is the block with the least surface: here the first length lies inside the nodes.
    let inside = placed("[2, 4, 2]", "2");
    assert_eq!(inside, expected);
    let uneven = "machine = { kind = \"torus\", shape = [4, 2] }\nmapping.embeddings = [\"axes\"]\n\
                  program = { kind = \"all-reduce\", algorithm = \"ring\", units = 8, shape = [4, 4], processes_per_node = 3 }\n";
    let error = load_text(Path::new("s.toml"), uneven).unwrap_err().to_string();
    assert!(error.contains("embedding axes of 16 processes in groups of 3"), "{error}");
}

#[test]
fn slurm_distributes_over_all_nodes_of_the_job() {
    let text = "machine = { kind = \"line\", shape = [3] }\nmapping.embeddings = [\"block\", \"cyclic\"]\n\
                program = { kind = \"neighbour-exchange\", guest = { kind = \"ring\", shape = [4] }, processes_per_node = 2 }\n";
    let placed = placed(text);
    assert_eq!((&*placed[0].1, &*placed[1].1), (&[0, 0, 1, 2][..], &[0, 1, 2, 0][..]));
}

#[test]
fn slurm_distributes_over_the_nodes_of_a_cluster() {
    let text = |per_node: &str| {
        format!(
            "mapping.embeddings = [\"block\", \"cyclic\", \"plane=2\"]\n\
             machine = {{ kind = \"cluster\", nodes = 4, devices_per_node = 4, inside = {{ kind = \"switch\" }}, \
             outside = {{ leaves = {{ nodes = 4 }} }} }}\n\
             program = {{ kind = \"all-reduce\", algorithm = \"ring\", units = 16{per_node} }}\n"
        )
    };
    let alone = placed(&text(""));
    assert_eq!(alone[0].1, (0..16).collect::<Vec<u32>>());
    assert_eq!(alone[1].1, [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]);
    assert_eq!(alone[2].1, [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15]);
    let few = placed(&text(", processes = 8"));
    assert_eq!(few[0].1, [0, 2, 4, 6, 8, 10, 12, 14]);
    // Several processes on a device are told.
    let notes = |text: &str| load_text(Path::new("s.toml"), text).unwrap().runs[0].program.notes.clone();
    let are_told = |text: &str| notes(text).iter().any(|note| note.contains("2 processes share a device"));
    assert!(!are_told(&text("")) && are_told(&text(", processes_per_node = 2")));
}

#[test]
fn random_draws_single_processes_and_passes_over_failed_nodes() {
    let several = "machine = { kind = \"torus\", shape = [4, 4] }\nmapping.embeddings = [\"random\", \"random-groups\"]\n\
                   program = { kind = \"cc-cube\", dimensions = 6, processes_per_node = 4 }\n";
    let placed_several = placed(several);
    let are_groups = |nodes: &[u32]| nodes.chunks(4).all(|group| group.iter().all(|node| *node == group[0]));
    assert!(!are_groups(&placed_several[0].1) && are_groups(&placed_several[1].1));
    for (_, nodes) in &placed_several {
        for node in 0..16 {
            assert_eq!(nodes.iter().filter(|placed| **placed == node).count(), 4);
        }
    }
    let failed = "machine = { kind = \"torus\", shape = [8, 8], failed_nodes = [1] }\nmapping.embeddings = [\"random\"]\n\
                  program = { kind = \"all-reduce\", algorithm = \"ring\", processes = 63, units = 640 }\n";
    let mut nodes = placed(failed).remove(0).1;
    nodes.sort_unstable();
    assert_eq!(nodes, (0..64).filter(|node| *node != 1).collect::<Vec<u32>>());
}
