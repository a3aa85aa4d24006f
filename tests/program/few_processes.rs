//! A few processes on a machine with very many nodes take the memory that processes need, and none for each node.

use super::command::{Scratch, done, refused, run, unframed};

fn scenario(machine: &str, embeddings: &str) -> Scratch {
    let text = format!(
        "[machine]\n{machine}\n[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nprocesses = 4\nunits = 4\n\
         [mapping]\nembeddings = [{embeddings}]\n"
    );
    Scratch::with(&[("s.toml", text)])
}

const LARGEST: &str = "kind = \"torus\"\nshape = [65536, 65536]";
const BY_NUMBER: &str = "\"standard\", \"random\", \"hilbert\", \"block\", \"cyclic\", \"plane=2\"";

#[test]
fn four_processes_are_placed_on_four_billion_nodes() {
    for machine in
        [LARGEST, "kind = \"mesh\"\nshape = [1024, 1024, 4096]", "kind = \"line\"\nshape = [4294967296]"]
    {
        let scratch = scenario(machine, BY_NUMBER);
        let path = scratch.path("s.toml");
        let listed = done(&["check", &path, "--memory-limit", "16MiB"]);
        assert!(listed.contains("4294967296") && listed.contains("6 runs"), "{listed}");
    }
    let scratch = scenario("kind = \"hypercube\"\ndimensions = 32", "\"standard\", \"random\", \"block\"");
    assert!(done(&["check", &scratch.path("s.toml"), "--memory-limit", "16MiB"]).contains("3 runs"));
}

#[test]
fn their_placements_are_those_of_a_smaller_machine_where_they_agree() {
    let place = |shape: &str, embedding: &str| {
        let scratch = scenario(&format!("kind = \"mesh\"\nshape = {shape}"), &format!("\"{embedding}\""));
        done(&["place", &scratch.path("s.toml"), "--format", "csv", "--memory-limit", "16MiB"])
    };
    for embedding in ["standard", "hilbert", "block", "cyclic"] {
        assert_eq!(place("[65536, 65536]", embedding), place("[256, 256]", embedding), "{embedding}");
    }
}

#[test]
fn what_lists_every_node_is_refused_before_it_does() {
    let scratch = scenario(LARGEST, "\"standard\"");
    let path = scratch.path("s.toml");
    let assert_refused = |arguments: &[&str], words: &str| {
        let said = refused(arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    };
    for command in ["run", "measure", "compare", "report", "search"] {
        assert_refused(&[command, &path, "--memory-limit", "256MiB"], "expected at most 256.0 MiB");
    }
    assert_refused(
        &["place", &path],
        "a grid of 4294967296 nodes for 4 processes, expected at most 1048576 nodes",
    );
    assert_refused(&["draw", "links", &path], "4294967296 nodes, expected at most");
    // Neighbours are those of processes, not of nodes.
    let tables = done(&["tables", &path, "--memory-limit", "16MiB"]);
    assert_eq!(tables.lines().count(), 4, "{tables}");
}

#[test]
fn an_allocation_of_too_many_nodes_is_refused_with_its_limit() {
    let refused = |machine: &str, limit: &[&str], words: &str| {
        let scratch = scenario(machine, "\"standard\"");
        let finished = run(&[&["check", &scratch.path("s.toml")], limit].concat());
        assert_eq!(finished.code, Some(2), "{machine}");
        let said = unframed(&finished.stderr);
        assert!(said.contains(words), "{}", finished.stderr);
    };
    let most = "nodes, expected at most 16777216 (2^24)";
    refused(&format!("{LARGEST}\nallocation = [\"0-4294967295\"]"), &[], &format!("4294967296 {most}"));
    refused(&format!("{LARGEST}\nallocation = [\"0-9\", \"10-16777216\"]"), &[], &format!("16777217 {most}"));
    let limit = ["--memory-limit", "64MiB"];
    refused(&format!("{LARGEST}\nallocation = [\"0-9999999\"]"), &limit, "expected at most 64.0 MiB");
    let scratch = scenario(&format!("{LARGEST}\nallocation = [\"7-100006\", 3]"), "\"hilbert\", \"random\"");
    assert!(done(&["check", &scratch.path("s.toml"), "--memory-limit", "16MiB"]).contains("2 runs"));
}

#[test]
fn a_link_that_is_down_costs_what_goes_round_it() {
    for down in ["failed_links = 1", "failed_links = [[0, 1]]", "failed_nodes = [300]\nfailure_seed = 1"] {
        let scratch = scenario(&format!("kind = \"torus\"\nshape = [256, 256]\n{down}"), "\"standard\"");
        let path = scratch.path("s.toml");
        let results = done(&["run", &path, "--memory-limit", "64MiB"]);
        assert!(results.contains("makespan"), "{results}");
    }
}
