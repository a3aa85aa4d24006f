//! Inputs that people brought, in `tests/program/cases`: those that no page of a command has a test for.

use serde_json::{Value, json};

use super::command::{case, done, json, run};

/// The first run of a case.
fn first_run(name: &str) -> Value {
    json(&["run", &case(name)])["runs"][0].clone()
}

#[test]
fn topologies_of_slurm_are_machines() {
    // Two switches with two hosts each below one: the ring crosses the top twice, 4 links of 2 units, 6 stages.
    for name in ["hpc_5a.toml", "hpc_5b.toml"] {
        let run = first_run(name);
        assert_eq!((&run["nodes"], &run["makespan_cycles"]), (&json!(4), &json!(48)), "{name}");
    }
    let refused = run(&["check", &case("hpc_5d.toml")]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("fabA (4 hosts from n1) and fabB (4 hosts from n5)"),
        "{}",
        refused.stderr
    );
}

#[test]
fn hosts_of_a_job_are_found_in_the_topology_of_the_site() {
    let (hosts, topology) = (case("hpc_7.hosts.txt"), case("hpc_7.topology.conf"));
    let place = |format: &str| {
        done(&[
            "place",
            &case("hpc_7.toml"),
            "--format",
            format,
            "--hosts",
            &hosts,
            "--coordinates",
            &topology,
        ])
    };
    assert_eq!(place("slurm-hostfile"), "n3\nn5\n");
    assert_eq!(place("open-mpi-rankfile"), "rank 0=n3 slot=0\nrank 1=n5 slot=0\n");
    // Results name the nodes.
    assert_eq!(first_run("hpc_7.toml")["busiest_link_name"], "n1-l1");
}

#[test]
fn parallel_links_are_channels_of_their_own() {
    let run = first_run("hpc_8.toml");
    // Each host sends 16 units to three others. To host 2 the messages take link 2, to host 3 link 3.
    assert_eq!(run["channel_congestion"], json!(48));
    assert_eq!((&run["cut_bound_cycles"], &run["cut_bound_set"]), (&json!(48), &json!("node 0")));
}

#[test]
fn messages_inside_a_node_take_the_time_of_their_bandwidth() {
    // 7 of 8 blocks of 64 MiB at 400 GB/s, and 7 times a microsecond.
    let seconds = first_run("ml_2.toml")["makespan_seconds"].as_f64().unwrap();
    let expected = 7.0 / 8.0 * f64::from(64 << 20) / 400e9 + 7e-6;
    assert!((seconds - expected).abs() < 1e-7, "{seconds}, expected {expected}");
}

#[test]
fn exports_say_which_runtime_stops_at_them_and_what_is_rounded() {
    let written = |name: &str, more: &[&str]| {
        let path = case(name);
        run(&[&["export", &path, "--format", "msccl-xml"], more].concat())
    };
    let scatter = written("ml_7.toml", &["--runtime", "rccl"]);
    assert!(scatter.stdout.contains("coll=\"reducescatter\"") && !scatter.stdout.contains("maxBytes=\"0\""));
    let wide = written("ml_8.toml", &[]);
    assert_eq!(wide.code, Some(0));
    assert!(wide.stderr.contains("rccl cannot execute it: 63 peers on a channel, of at most 32"));
    assert_eq!(written("ml_8.toml", &["--runtime", "msccl"]).code, Some(2));
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("trace");
    let traces = ["export", &case("ml_12.toml"), "--format", "chakra", "--output", output.to_str().unwrap()];
    let told = run(&traces).stderr;
    assert!(told.contains("300 ns become 1000 ns, 233.3 % more"), "{told}");
}

#[test]
fn empty_steps_are_the_operation_of_the_program() {
    // Two all-reduces by a ring of 8: 14 stages of 8 units each.
    let run = first_run("ml_10.toml");
    assert_eq!(run["makespan_cycles"], json!(2 * 14 * 8));
}

#[test]
fn a_timeline_of_a_receive_behind_a_long_computation_is_drawn() {
    let svg = done(&["draw", "timeline", &case("users_timeline.toml")]);
    assert!(svg.starts_with("<svg") && svg.contains("Timeline of users_timeline"));
}

#[test]
fn bounds_count_all_groups_and_all_steps() {
    // The vectors of 8 groups come to a host over one link; 8 times less was the bound of one group.
    let run = first_run("users_over_bound.toml");
    let vectors = 8 * 50_000_000_u64.div_ceil(1024);
    assert_eq!(run["lower_bound_cycles"], json!(vectors + 390));
    let percent = run["lower_bound_percent"].as_f64().unwrap();
    assert!(percent > 50.0 && percent <= 100.0, "{percent}");
    // A cycle is a ninth of a unit's time on a link.
    let run = first_run("users_hierarchical.toml");
    assert_eq!(run["lower_bound_cycles"], json!(9 * vectors + 3507));
}

#[test]
fn blocks_of_processes_share_a_node_however_tao_is_asked() {
    let document = json(&["compare", &case("users_halo_blocks.toml")]);
    let run = &document["runs"][0];
    assert_eq!((&run["embedding"], &run["makespan_cycles"]), (&json!("tao"), &json!(8289)));
}
