//! `cubefold routes`, and runs over the tables that it writes.

use super::command::{Scratch, done, json, run};

const NETWORK: &str = "seed = 5\n[machine]\nkind = \"network\"\nedges = \"links.txt\"\nswitching = \"wormhole\"\n\
                       router = { virtual_channels = 8, buffer_units = 2 }\n[program]\nkind = \"all-to-all\"\n\
                       algorithm = \"direct\"\nunits = 60\n";

#[test]
fn the_table_of_all_shortest_routes_is_minimal_adaptive_routing() {
    let with = |execution: &str| format!("{NETWORK}[execution]\n{execution}\n");
    let scratch = Scratch::with(&[
        ("links.txt", "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n0 3\n1 4\n".to_owned()),
        ("s.toml", NETWORK.to_owned()),
        ("built-in.toml", with("routing = \"minimal-adaptive\"")),
        ("minimal.toml", with("routes = \"file:minimal.txt\"")),
        ("valiant.toml", with("routes = \"file:valiant.txt\"")),
    ]);
    let path = |name: &str| scratch.path(name);
    done(&["routes", &path("s.toml"), "--output", &path("minimal.txt"), "--quiet"]);
    done(&["routes", &path("s.toml"), "--valiant", "--output", &path("valiant.txt"), "--quiet"]);
    let makespan = |name: &str| {
        let results = json(&["run", &path(name), "--quiet"]);
        results["runs"][0]["makespan_cycles"].as_u64().unwrap()
    };
    let built_in = makespan("built-in.toml");
    assert_eq!(makespan("minimal.toml"), built_in);
    assert!(makespan("valiant.toml") > built_in);
}

#[test]
fn tables_that_may_deadlock_are_refused_before_the_run() {
    let scratch = Scratch::with(&[
        ("links.txt", "0 1\n1 2\n2 0\n"),
        ("r.txt", "routes hop 1\n0 1 : 1\n0 2 : 1\n1 0 : 2\n1 2 : 2\n2 0 : 0\n2 1 : 0\n"),
        ("s.toml", &format!("{NETWORK}[execution]\nroutes = \"file:r.txt\"\n")),
    ]);
    let refused = run(&["check", &scratch.path("s.toml")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("cycle 0>1/0 1>2/0 2>0/0"), "{}", refused.stderr);
}
