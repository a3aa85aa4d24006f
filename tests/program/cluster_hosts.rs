//! The hosts of a job on a cluster are its nodes, in files for launchers and read back from them.

use super::command::{Scratch, done, run};

/// Three nodes of four devices, with an all-reduce on the devices.
fn scenario(machine: &str, embeddings: &str) -> String {
    format!(
        "[machine]\nkind = \"cluster\"\nnodes = 3\ndevices_per_node = 4\n{machine}\n\
         inside = {{ kind = \"switch\", link = {{ bandwidth = \"4 GB/s\", latency = \"1 us\" }} }}\n\
         outside = {{ link = {{ bandwidth = \"1 GB/s\", latency = \"1 us\" }}, leaves = {{ nodes = 3 }} }}\n\
         [program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nbytes = \"1 MiB\"\n\
         [mapping]\nembeddings = [{embeddings}]\n"
    )
}

#[test]
fn hosts_are_the_nodes_of_a_cluster_and_its_devices_take_their_ranks_in_turn() {
    let scratch = Scratch::with(&[
        ("c.toml", scenario("", "\"cyclic\"").as_str()),
        ("named.toml", scenario("host_names = \"hosts.txt\"", "\"cyclic\"").as_str()),
        ("hosts.txt", "a\nb\nc\n"),
        ("two.txt", "c\na\n"),
        ("wrong.txt", "c\na\nd\n"),
    ]);
    let hosts = scratch.path("hosts.txt");
    let place = |format: &str| {
        let listed =
            done(&["place", &scratch.path("c.toml"), "--format", format, "--hosts", &hosts, "--quiet"]);
        let named = done(&["place", &scratch.path("named.toml"), "--format", format, "--quiet"]);
        assert_eq!(listed, named, "{format}");
        listed
    };
    assert_eq!(place("slurm-hostfile"), "a\nb\nc\n".repeat(4));
    assert_eq!(place("hydra-hostfile"), "a:1\nb:1\nc:1\n".repeat(4));
    let ranks = place("open-mpi-rankfile");
    assert_eq!(ranks.lines().nth(5), Some("rank 5=c slot=1"), "{ranks}");
    let taskmap = done(&["place", &scratch.path("c.toml"), "--format", "flux-taskmap", "--quiet"]);
    assert_eq!(taskmap, "[[0,3,1,4]]\n");
    // A list of some of the hosts is the job.
    let two = scratch.path("two.txt");
    let part = done(&["place", &scratch.path("named.toml"), "--format", "hosts", "--hosts", &two, "--quiet"]);
    assert_eq!(part, "c\na\n");
    let wrong = scratch.path("wrong.txt");
    let mistyped =
        run(&["place", &scratch.path("named.toml"), "--format", "slurm-hostfile", "--hosts", &wrong]);
    assert!(mistyped.stderr.contains("host \"d\" of the list is none of the machine"), "{}", mistyped.stderr);
    let few = run(&["place", &scratch.path("c.toml"), "--format", "slurm-hostfile", "--hosts", &two]);
    let said = "2 hosts, expected 3 for a machine of 12 nodes with 4 on a host";
    assert!(few.stderr.contains(said), "{}", few.stderr);
}

#[test]
fn files_of_a_cluster_are_read_back_with_and_without_a_list_of_hosts() {
    let files = "\"cyclic\", { file = \"s.txt\", format = \"slurm-hostfile\" }, \
                 { file = \"h.txt\", format = \"hydra-hostfile\" }, \
                 { file = \"r.txt\", format = \"open-mpi-rankfile\", hosts = \"hosts.txt\" }, \
                 { file = \"f.txt\", format = \"flux-taskmap\" }, \"file:l.txt\", \"file:r.txt\"";
    let labelled: String = (0..12).map(|rank| format!("{rank}: {}\n", ["a", "b", "c"][rank % 3])).collect();
    let rankfile: String = (0..12)
        .map(|rank| format!("rank {rank}={} slot={}\n", ["a", "b", "c"][rank % 3], rank / 3))
        .collect();
    let scratch = Scratch::with(&[
        ("named.toml", scenario("host_names = \"hosts.txt\"", files).as_str()),
        ("c.toml", scenario("", files).as_str()),
        ("hosts.txt", "a\nb\nc\n"),
        ("s.txt", "a\nb\nc\n".repeat(4).as_str()),
        ("h.txt", "a:1\nb:1\nc:1\n".repeat(4).as_str()),
        ("r.txt", &rankfile),
        ("f.txt", "[[0,3,1,4]]\n"),
        ("l.txt", &labelled),
    ]);
    let table =
        done(&["run", &scratch.path("named.toml"), "--format", "csv", "--columns", "makespan", "--quiet"]);
    let makespans: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(makespans.len(), 7, "{table}");
    assert!(makespans.iter().all(|makespan| *makespan == makespans[0]), "{table}");
    let unnamed = run(&["check", &scratch.path("c.toml")]);
    assert!(
        unnamed.stderr.contains("slurm-hostfile without hosts on a machine without names"),
        "{}",
        unnamed.stderr
    );
}
