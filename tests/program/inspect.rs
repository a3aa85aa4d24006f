//! `cubefold inspect`: the answer to a file, and its exit code.

use std::fs;

use serde_json::Value;

use super::command::{Scratch, blocks_of, done, json, program, text_of, unframed};

/// The exit code and the answer to files of the given names and contents.
fn inspected(files: &[(&str, &str)], options: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let names = files.iter().map(|(name, _)| *name);
    let mut command = program();
    command.arg("inspect").args(names).args(options).current_dir(folder.path());
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

const TOPOLOGY: &str = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\nGPU0\t X \tNV4\tPIX\t0-3\nGPU1\tNV4\t X \tSYS\t0-3\n\
                        NIC0\tPIX\tSYS\t X \n";

#[test]
fn an_answer_has_the_lines_that_use_a_file() {
    let (code, text) = inspected(&[("topo.txt", TOPOLOGY)], &[]);
    assert_eq!(code, Some(0));
    let expected = "\
topo.txt: nvidia-topo, nvidia-smi topo -m
  network: 2 nodes, 2 hosts, 1 link, 2 pairs by class (PIX, SYS)
  missing: bandwidth, latency, speeds-by-class
  [machine]
  kind = \"network\"
  edges = \"topo.txt\"
  lane = { bandwidth = \"..\", latency = \"..\" }
";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn exit_codes_tell_read_from_recognised_from_unknown() {
    let code = |files: &[(&str, &str)]| inspected(files, &[]).0;
    let ring = ("ring.txt", "0 1\n1 2\n2 0\n");
    let pairs = ("pairs.txt", "0 5\n5 0\n");
    let netbench = ("net.txt", "|V|=2\n|E|=2\n0 1\n1 0\n");
    let note = ("note.txt", "This is a note.\n");
    assert_eq!(code(&[ring]), Some(0));
    assert_eq!(code(&[ring, pairs]), Some(3));
    assert_eq!(code(&[netbench]), Some(3));
    assert_eq!(code(&[ring, pairs, note]), Some(2));
    assert_eq!(inspected(&[pairs], &["--as", "edge-list"]).0, Some(0));
    assert_eq!(inspected(&[pairs], &["--as", "kineto"]).0, Some(2));
}

#[test]
fn formats_that_are_not_read_name_the_command() {
    let (_, text) = inspected(&[("a b.txt", "|V|=2\n|E|=2\n0 1\n1 0\n")], &["--format", "json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let file = &document["files"][0];
    assert_eq!(file["convert"], "awk '/^[0-9]/ && $1<$2' 'a b.txt' > edges.txt");
    assert_eq!((&file["read"], &file["data"]), (&Value::Bool(false), &Value::Null));
}

#[test]
fn an_unread_file_is_read_by_no_key() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.json"), "{\"schema\": \"1.0.2\", \"nodes\": []}").unwrap();
    let output = program().args(["inspect", "t.json"]).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("not read") && !text.contains("read by"), "{text}");
}

#[test]
fn the_list_has_a_line_for_each_format() {
    let text = done(&["inspect", "--list"]);
    assert_eq!(text.lines().count(), cubefold_formats::read::FORMATS.len());
    assert!(text.lines().any(|line| line.starts_with("kineto ") && line.contains("trace")), "{text}");
    let listed: Value = serde_json::from_str(&done(&["inspect", "--list", "--format", "json"])).unwrap();
    let formats = listed["formats"].as_array().unwrap();
    assert_eq!(formats.len(), cubefold_formats::read::FORMATS.len());
    assert!(formats.iter().any(|format| format["name"] == "kineto" && format["read"] == true), "{listed}");
}

/// The standard error and exit code of `check` on a scenario, with files beside it.
fn checked(scenario: &str, files: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    fs::write(folder.path().join("s.toml"), scenario).unwrap();
    let output = program().args(["check", "s.toml"]).current_dir(folder.path()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

const RING: &str = "[machine]\nkind = \"ring\"\nshape = [4]\n";

#[test]
fn a_file_of_another_kind_is_one_error_with_the_key_that_reads_it() {
    let network = "[machine]\nkind = \"network\"\nedges = \"f\"\n";
    let traffic = format!("{RING}[program]\nkind = \"traffic\"\nfile = \"f\"\n");
    let names = format!("{RING}host_names = \"f\"\n");
    let dense = "0 5 5 5\n5 0 6 5\n5 6 0 4\n5 5 4 0\n";
    let hwloc = "<?xml version=\"1.0\"?>\n<topology>\n  <object type=\"Machine\"/>\n</topology>\n";
    let trace = "{\"schema\": \"1.0.2\", \"nodes\": []}";
    let paraver =
        "#Paraver (01/01/2024 at 00:00):1000_ns:1(2):1:2(1:1,1:1)\n3:1:1:1:1:10:10:2:1:2:1:20:20:64:0\n";
    let goal = format!("{RING}[program]\nkind = \"goal\"\nfile = \"f\"\n");
    let cases = [
        (
            goal.as_str(),
            paraver,
            "a trace (paraver), expected a GOAL schedule",
            "read by program.file of kind = \"traffic\"",
        ),
        (network, dense, "a matrix of bytes (matrix-dense), expected a network", "kind = \"traffic\""),
        (network, hwloc, "one of lstopo of hwloc, which cubefold does not read", "cores of one node"),
        (&traffic, trace, "PyTorch's execution trace observer", "chakra_converter PyTorch --input f"),
        (&traffic, TOPOLOGY, "a network (nvidia-topo), expected a matrix", "machine.edges"),
        (&names, trace, "PyTorch's execution trace observer", "chakra_converter PyTorch --input f"),
    ];
    for (scenario, file, message, help) in cases {
        let (code, text) = checked(scenario, &[("f", file)]);
        assert_eq!(code, Some(2), "{text}");
        let flat = unframed(&text);
        assert!(flat.contains(message) && flat.contains(help), "{text}");
        assert_eq!(text.matches("the file is").count(), 1, "{text}");
    }
}

#[test]
fn networks_of_other_tools_are_machines() {
    let metis = "4 4\n2 4\n1 3\n2 4\n1 3\n";
    let ibsim = "Switch 8 \"leaf\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n\nHca 1 \"a\"\n[1] \"leaf\"[1]\n\nHca 1 \"b\"\n[1] \"leaf\"[2]\n";
    let dot = "graph g { h0 -- s; h1 -- s; h2 -- s }";
    let machine = |hosts: &str| {
        format!(
            "[machine]\nkind = \"network\"\nedges = \"f\"\n{hosts}[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\n"
        )
    };
    for (file, hosts) in [(metis, ""), (ibsim, ""), (dot, "hosts = \"h*\"\n"), (dot, "hosts = \"leaves\"\n")]
    {
        let (code, text) = checked(&machine(hosts), &[("f", file)]);
        assert_eq!(code, Some(0), "{file}: {text}");
    }
    let (code, text) = checked(&machine(""), &[("f", dot)]);
    assert_eq!(code, Some(2));
    assert!(text.contains("does not say which nodes are hosts"), "{text}");
    let (code, text) = checked(&machine("hosts = 3\n"), &[("f", dot)]);
    assert_eq!(code, Some(2));
    assert!(text.contains("have names"), "{text}");
}

#[test]
fn a_profile_and_a_log_are_a_job_on_a_machine() {
    let scenario = format!(
        "{RING}host_names = \"hosts\"\n[program]\nkind = \"traffic\"\nfile = \"p.prof\"\n[mapping]\nembeddings = [\"standard\", \"file:job.log\"]\n"
    );
    let hosts = "0: a.site\n1: b.site\n2: c.site\n3: d.site\n";
    let profile = "E\t0\t1\t4096 bytes\t2 msgs sent\nE\t2\t3\t4096 bytes\t2 msgs sent\nI\t1\t0\t64 bytes\t1 msgs sent\n";
    let log = "[a:1] MCW rank 0 bound to socket 0\n[c:1] MCW rank 1 bound to socket 0\n[b:1] MCW rank 2 bound to socket 0\n[d:1] MCW rank 3 bound to socket 0\n";
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [("hosts", hosts), ("p.prof", profile), ("job.log", log), ("s.toml", &scenario)] {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let output =
        program().args(["run", "s.toml", "--format", "csv"]).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().count(), 3, "{text}");
    let (code, text) =
        checked(&scenario.replace("host_names = \"hosts\"\n", ""), &[("p.prof", profile), ("job.log", log)]);
    assert_eq!(code, Some(2));
    assert!(text.contains("machine.host_names"), "{text}");
}

#[test]
fn a_matrix_that_could_be_a_list_of_pairs_asks_for_its_form() {
    let scenario = |form: &str| format!("{RING}[program]\nkind = \"traffic\"\nfile = \"f\"\n{form}");
    let file = [("f", "0 1 4096\n1 0 2048\n2 1 0\n")];
    let (code, text) = checked(&scenario(""), &file);
    assert_eq!(code, Some(2));
    assert!(text.contains("matrix-dense or matrix-triples") && text.contains("form = "), "{text}");
    for form in ["matrix-dense", "matrix-triples"] {
        let (code, text) = checked(&scenario(&format!("form = \"{form}\"\n")), &file);
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn calibration_reads_other_benchmarks() {
    let log = " Send BW Test\n #bytes #iterations BW peak[MiB/sec] BW average[MiB/sec] MsgRate[Mpps]\n \
               65536 1000 0.00 20000.00 0.1\n 1048576 1000 0.00 23000.00 0.1\n 8388608 1000 0.00 23500.00 0.1\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bw.txt"), log).unwrap();
    let output = program().args(["calibrate", "bw.txt"]).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("bandwidth"), "{text}");
}

/// A Kineto trace of one rank of eight: 100 us of computation, an all-reduce, 60 us, and an all-gather among four.
#[test]
fn a_trace_of_one_rank_runs_at_all_ranks() {
    let scenario = |bandwidth: &str| {
        format!(
            "[machine]\nkind = \"full-mesh\"\nnodes = 8\nlink = {{ bandwidth = \"{bandwidth}\", latency = \"1 us\" }}\n\
             [program]\nkind = \"trace\"\nfile = \"trace.json\"\n\
             algorithms = {{ all-reduce = \"ring\", all-gather = \"ring\" }}\n"
        )
    };
    let trace = text_of("tests/formats/given/trace-01.json");
    let seconds = |bandwidth: &str| -> f64 {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("trace.json"), &trace).unwrap();
        fs::write(folder.path().join("s.toml"), scenario(bandwidth)).unwrap();
        let arguments = ["run", "s.toml", "--format", "json"];
        let output = program().args(arguments).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("the trace of rank 3 is that of all 8 ranks"), "{text}");
        assert!(text.contains("groups of 4 are consecutive ranks"), "{text}");
        let document: Value = serde_json::from_str(&text).unwrap();
        document["runs"][0]["makespan_seconds"].as_f64().unwrap()
    };
    let (slow, fast) = (seconds("1 GB/s"), seconds("2 GB/s"));
    // Rings: 14 steps of 512 bytes, 3 steps of 200 bytes, each with a latency.
    let sent = 14.0 * 512.0 + 3.0 * 200.0;
    let expected = |rate: f64| 160e-6 + 17e-6 + sent / rate;
    for (found, rate) in [(slow, 1e9), (fast, 2e9)] {
        assert!((found - expected(rate)).abs() < 0.02 * expected(rate), "{found} {}", expected(rate));
    }
    assert!(fast < slow);
}

#[test]
fn traces_without_collectives_name_the_kind_that_runs_them() {
    let scenario = format!("{RING}[program]\nkind = \"trace\"\nfile = \"f\"\n");
    let sends = text_of("tests/formats/given/trace-09.txt");
    let (code, text) = checked(&scenario, &[("f", &sends)]);
    assert_eq!(code, Some(2));
    assert!(text.contains("kind = \"traffic\""), "{text}");
}

#[test]
fn the_examples_of_the_page_run() {
    let topology = "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=s[0-1]\n\
                    SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3]\n";
    let profile: String = (0..16)
        .map(|rank| format!("I\t{rank}\t{}\t640000 bytes\t5 msgs sent\t0,0,5\n", (rank + 1) % 16))
        .collect();
    // The job ran with the ranks on the two hosts by turns.
    let places: String = (0..16).map(|rank| format!("{rank}: n{}\n", 1 + rank % 2 * 2)).collect();
    let gpus = text_of("tests/formats/given/gpu-01.txt");
    let trace = text_of("tests/formats/given/trace-01.json");
    let scenarios = blocks_of("docs/files.md", "toml");
    let files = [
        ("job.toml", scenarios[0].as_str()),
        ("node.toml", &scenarios[1]),
        ("trace.toml", &scenarios[2]),
        ("topology.txt", topology),
        ("nodes.txt", "n1\nn3\n"),
        ("job.prof", &profile),
        ("where.txt", &places),
        ("topo.txt", &gpus),
        ("trace.json", &trace),
    ];
    let scratch = Scratch::with(&files);
    let times = |name: &str| -> Vec<f64> {
        let runs = json(&["run", &scratch.path(name)]);
        let runs = runs["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["makespan_seconds"].as_f64().unwrap()).collect()
    };
    let job = times("job.toml");
    assert!(
        job[0] < job[1] && job[1] <= job[2],
        "{job:?}: in blocks two messages leave a host, by turns all"
    );
    let page = done(&["compare", &scratch.path("node.toml"), "--reference", "ring"]);
    assert!(page.contains("faster than ring"), "{page}");
    let trace = times("trace.toml");
    assert!(trace[1] < trace[0], "{trace:?}: of twice the bandwidth");
    let ranks = ["--embedding", "cyclic", "--format", "open-mpi-rankfile"];
    let placed = done(&[&["place", &scratch.path("job.toml")][..], &ranks].concat());
    assert!(placed.starts_with("rank 0=n1 slot=0\nrank 1=n3 slot=0\n"), "{placed}");
}

/// A scenario with the lines that `inspect` prints of a file, its gaps filled in; `None` for files that make none.
fn scenario_of(file: &Value) -> Option<String> {
    let lines: Vec<&str> = file["use"].as_array()?.iter().filter_map(Value::as_str).collect();
    let is_unconnected = file["missing"].as_array()?.contains(&Value::from("unconnected"));
    // A machine has at least two hosts, and a job of Chakra the files of all ranks.
    let is_part = file["counts"]["hosts"] == 1 || file["format"].as_str()?.starts_with("chakra");
    if lines.is_empty() || is_unconnected || is_part {
        return None;
    }
    let lines = lines
        .join("\n")
        .replace("hosts = \"..\"", "hosts = \"*\"")
        .replace("latency = \"..\"", "latency = \"1 us\"")
        .replace("bytes = \"..\"", "bytes = \"1 MiB\"")
        .replace("\"..\"", "\"5 GB/s\"");
    let program = "\n[program]\nkind = \"all-reduce\"\nalgorithm = \"ring\"\n";
    let count = |key: &str| file["counts"][key].as_u64().unwrap_or(2).max(2);
    let mesh = |nodes: u64| {
        let link = "link = { bandwidth = \"10 GB/s\", latency = \"1 us\" }";
        format!("[machine]\nkind = \"full-mesh\"\nnodes = {nodes}\n{link}\n")
    };
    match file["kind"].as_str()? {
        "network" => Some(lines + program),
        "matrix" | "trace" => Some(mesh(count("ranks")) + &lines),
        "hosts" => Some(lines.replace("[machine]\n", &mesh(count("hosts"))) + program),
        "ranks" => {
            let (ranks, hosts) = (count("ranks"), count("hosts"));
            let each = format!("processes_per_node = {}\n", ranks / hosts);
            ranks.is_multiple_of(hosts).then(|| lines.replace("[machine]\n", &mesh(hosts)) + program + &each)
        }
        "settings" if !lines.contains("[machine]") => Some(mesh(4) + &lines),
        "settings" => Some(lines),
        _ => None,
    }
}

#[test]
fn the_lines_of_an_answer_run() {
    let given = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/formats/given");
    let folder = tempfile::tempdir().unwrap();
    let mut names: Vec<String> =
        fs::read_dir(given).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with(".expect.json"));
    names.sort_unstable();
    for name in &names {
        fs::copy(format!("{given}/{name}"), folder.path().join(name)).unwrap();
    }
    let mut inspect = program();
    inspect.arg("inspect").args(&names).args(["--format", "json"]).current_dir(folder.path());
    let answer: Value = serde_json::from_slice(&inspect.output().unwrap().stdout).unwrap();
    let mut checked = 0;
    for file in answer["files"].as_array().unwrap() {
        let Some(scenario) = scenario_of(file) else { continue };
        fs::write(folder.path().join("s.toml"), &scenario).unwrap();
        let output = program().args(["check", "s.toml"]).current_dir(folder.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {scenario}\n{errors}", file["file"]);
        checked += 1;
    }
    assert!(checked > 50, "{checked}");
}
