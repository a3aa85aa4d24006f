//! Machines whose nodes do not all reach one another are refused by every command: no distance means anything there.

use super::command::{Scratch, done, refused, run, unframed};

/// Commands that would report distances, bounds or times.
const COMMANDS: [&[&str]; 7] =
    [&["check"], &["run"], &["measure"], &["compare"], &["search"], &["draw", "links"], &["report"]];

const RING: &str = "[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\nunits = 4\n[mapping]\nembeddings = [\"standard\"]\n";

/// Asserts that every command refuses a machine, and says these words.
fn assert_apart(machine: &str, words: &[&str]) {
    assert_refused(machine, RING, words);
}

/// Asserts that every command refuses a program on a machine, and says these words, wherever lines end.
fn assert_refused(machine: &str, program: &str, words: &[&str]) {
    let scratch = Scratch::with(&[("s.toml", format!("[machine]\n{machine}\n{program}"))]);
    let path = scratch.path("s.toml");
    for command in COMMANDS {
        let stderr = refused(&[command, &[&path]].concat());
        let said = unframed(&stderr);
        for word in words {
            assert!(said.contains(word), "{command:?}: {word}: {stderr}");
        }
    }
}

/// A cluster with these keys.
fn cluster(nodes: u64, devices: u64, rest: &str) -> String {
    format!("kind = \"cluster\"\nnodes = {nodes}\ndevices_per_node = {devices}\n{rest}")
}

#[test]
fn leaves_without_spines_are_told_apart() {
    let outside = "outside = { hop_cycles = 1, leaves = { nodes = 1 } }";
    assert_apart(
        &cluster(3, 1, &format!("inside = {{ kind = \"none\" }}\n{outside}")),
        &[
            "no route between device 0 of node 0 and device 0 of node 1",
            "3 parts: device 0 of node 0; device 0 of node 1; device 0 of node 2",
            "outside.spines",
        ],
    );
    let switch = "inside = { kind = \"switch\", hop_cycles = 1 }";
    assert_apart(
        &cluster(2, 2, &format!("{switch}\n{outside}")),
        &["2 parts: device 0 of node 0 and 1 more; device 0 of node 1 and 1 more", "spines = 1"],
    );
}

#[test]
fn rails_and_devices_that_nothing_joins_are_told_apart() {
    let rails = "outside = { hop_cycles = 1, leaves = { nodes = 4 }, rails = true }";
    let nothing = "inside = { kind = \"none\" }";
    assert_apart(
        &cluster(2, 2, &format!("{nothing}\n{rails}")),
        &["2 parts: device 0 of node 0 and 1 more; device 1 of node 0 and 1 more"],
    );
    assert_apart(&cluster(1, 4, nothing), &["4 parts: ", "inside links the devices of a node"]);
    // Joined by a switch inside, but only through devices.
    let switch = "inside = { kind = \"switch\", hop_cycles = 1 }\nhosts_forward = false";
    assert_apart(
        &cluster(2, 2, &format!("{switch}\n{rails}")),
        &["no route that leads through no host between device 0 of node 0 and device 1 of node 1"],
    );
}

#[test]
fn partners_beyond_a_device_that_does_not_forward_are_refused() {
    let cube = "[program]\nkind = \"cc-cube\"\n[mapping]\nembeddings = [\"standard\"]\n";
    let all = "[program]\nkind = \"all-to-all\"\nalgorithm = \"direct\"\nunits = 4\n[mapping]\nembeddings = [\"standard\"]\n";
    for (inside, program, far) in [("ring", cube, 2), ("ring", all, 2), ("hypercube", all, 3)] {
        let inside = format!("inside = {{ kind = \"{inside}\", hop_cycles = 1 }}");
        let apart = format!("between device 0 of node 0 and device {far} of node 0");
        let rules = format!("{inside}\nhosts_forward = false");
        assert_refused(
            &cluster(1, 4, &rules),
            program,
            &["no route that leads through no host", &apart, "set it to true"],
        );
        // Devices forward by default; and a program of neighbours needs no other routes, but a search would.
        let scratch = Scratch::with(&[
            ("forward.toml", format!("[machine]\n{}\n{program}", cluster(1, 4, &inside))),
            (
                "neighbours.toml",
                format!("[machine]\n{}\n{cube}", cluster(1, 4, &rules.replace("ring", "hypercube"))),
            ),
        ]);
        done(&["check", &scratch.path("forward.toml")]);
        done(&["run", &scratch.path("neighbours.toml")]);
        let searched = run(&["search", &scratch.path("neighbours.toml")]);
        assert_eq!(searched.code, Some(2));
        assert!(searched.stderr.contains("no route between them: nodes 0 and 3"), "{}", searched.stderr);
    }
}
