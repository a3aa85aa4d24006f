//! Inputs at the limits of the program: files that cannot be written, pictures and sweeps beyond a limit, and the answer
//! of `check` on runs that would be refused.

use std::fs;

use super::command::{PROGRAM, Scratch, csv_table, done, json, run};

/// Many runs of a small collective, whose rows cannot be written.
const MANY_RUNS: &str = "machine = { kind = \"torus\", shape = [4, 4] }\n\
    program = { kind = \"all-reduce\", algorithm = [\"ring\", \"swing\"], units = 8 }\n\
    [sweep]\nseed = [0, 1, 2, 3, 4, 5, 6, 7]\n\"machine.hop_cycles\" = [1, 2, 3, 4, 5, 6, 7, 8]\n";

#[cfg(target_os = "linux")]
#[test]
fn rows_that_cannot_be_written_end_the_sweep_at_once_with_their_file() {
    let scratch = Scratch::with(&[("s.toml", MANY_RUNS)]);
    let full = scratch.path("full.csv");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let arguments = ["run", &scratch.path("s.toml"), "--processes", &full, "--threads", "2"];
    let finished = run(&arguments);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stderr.contains("full.csv: "), "{}", finished.stderr);
    assert!(!finished.stderr.contains("standard output"), "{}", finished.stderr);
    // The finished runs are kept where there is a journal.
    let output = scratch.path("r.csv");
    let finished = run(&[&arguments[..], &["--output", &output]].concat());
    assert_eq!(finished.code, Some(1));
    assert!(finished.stderr.contains("the finished runs are kept in"), "{}", finished.stderr);
    done(&["run", &scratch.path("s.toml"), "--output", &output, "--resume"]);
    assert_eq!(scratch.read("r.csv").lines().count(), 129);
}

#[test]
fn a_timeline_is_drawn_where_messages_come_within_computations() {
    for graph in [
        "num_ranks 2\nrank 0 {\na: calc 100\nb: recv 1b from 1\n}\nrank 1 {\na: send 1b to 0\n}\n",
        "num_ranks 2\nrank 0 {\ns: send 640b to 1\n}\nrank 1 {\na: calc 5000\nr: recv 640b from 0\n}\n",
    ] {
        let scenario =
            "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"goal\", file = \"a.goal\" }\n";
        let scratch = Scratch::with(&[("a.goal", graph), ("s.toml", scenario)]);
        let picture = done(&["draw", "timeline", &scratch.path("s.toml")]);
        assert!(picture.contains("computation: compute "), "{picture}");
    }
}

#[test]
fn a_picture_beyond_the_memory_limit_is_refused_and_a_part_of_it_is_drawn() {
    let calcs: String = (0..60_000).map(|place| format!("c{place}: calc 1\n")).collect();
    let scratch = Scratch::with(&[
        ("a.goal", format!("num_ranks 2\nrank 0 {{\n{calcs}}}\n")),
        (
            "s.toml",
            "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"goal\", file = \"a.goal\" }\n"
                .to_owned(),
        ),
    ]);
    let whole = ["draw", "timeline", &scratch.path("s.toml"), "--memory-limit", "32MiB"];
    let refused = run(&whole);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("the picture needs about "), "{}", refused.stderr);
    done(&[&whole[..], &["--cycles", "0..1000"]].concat());
}

/// The first error of `check`, after its place; `run` refuses the same.
fn refusal(text: &str, files: &[(&str, &str)]) -> String {
    let mut written = vec![("s.toml", text)];
    written.extend(files);
    let scratch = Scratch::with(&written);
    let [check, ran] = ["check", "run"].map(|command| {
        let finished = run(&[command, &scratch.path("s.toml"), "--color", "never"]);
        assert_eq!(finished.code, Some(2), "{command}: {}", finished.stderr);
        let text = finished.stderr.replace("\n  │ ", " ");
        let (_, message) = text.split_once("s.toml:").unwrap_or_else(|| panic!("no place: {text}"));
        message.lines().next().unwrap().trim().to_owned()
    });
    assert_eq!(check, ran);
    check
}

#[test]
fn check_refuses_coordinated_runs_as_run_does_at_their_place() {
    let ring = "[machine]\nkind = \"ring\"\nshape = [4]\n";
    let coordinated = "[execution]\nmode = \"coordinated\"\n";
    let neighbours = "[program]\nkind = \"neighbour-exchange\"\nguest = { kind = \"ring\", shape = [8] }\n";
    let permutation = "[program]\nkind = \"permutation\"\npattern = \"shuffle\"\nprocesses_per_node = 2\n";
    let cube = "[program]\ndimensions = 3\nprocesses_per_node = 2\n";
    for program in [neighbours, permutation, cube] {
        for key in ["local_latency_cycles = 3", "local_unit_cycles = 1"] {
            let said = refusal(&format!("{ring}{key}\n{program}{coordinated}"), &[]);
            assert!(said.starts_with("4:"), "{said}");
            assert!(said.contains("times of messages inside nodes in coordinated execution"), "{said}");
        }
        // Without times inside nodes, and without shared nodes, nothing is refused.
        let free = Scratch::with(&[("s.toml", format!("{ring}{program}{coordinated}"))]);
        done(&["run", &free.path("s.toml")]);
    }
    let alone = format!(
        "{ring}local_latency_cycles = 3\n[program]\nkind = \"permutation\"\npattern = \"shuffle\"\n{coordinated}"
    );
    done(&["run", &Scratch::with(&[("s.toml", alone)]).path("s.toml")]);
    let collective = "[program]\nkind = \"barrier\"\nalgorithm = \"dissemination\"\ncompute_cycles = 3\nprocesses_per_node = 3\n";
    let said = refusal(&format!("{ring}{collective}{coordinated}"), &[]);
    assert!(said.starts_with("8:22") && said.contains("3 processes and shares on a node"), "{said}");
}

#[test]
fn check_refuses_clocks_that_overflow_as_run_does() {
    let graph = "num_ranks 2\nrank 0 {\na: calc 9223372036854775807\nb: calc 9223372036854775807\n}\n";
    let scenario = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\n";
    let said = refusal(scenario, &[("a.goal", graph)]);
    assert!(said.starts_with("6:8") && said.contains("cycle count would overflow"), "{said}");
}

#[test]
fn every_fault_of_a_task_graph_is_told_at_once() {
    let faults = "num_ranks 4\nrank 0 {\na: recv 1b from 1 tag 1\nb: recv 1b from 2 tag 2\nc: recv 1b from 3 tag 3\n}\n\
                  rank 1 {\na: calc 1\na requires a\n}\n";
    let open = "num_ranks 2 /* not closed\nrank 0 {\na: calc 5\n}\n";
    let scenario = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\n";
    let errors = |graph: &str| {
        let scratch = Scratch::with(&[("s.toml", scenario), ("a.goal", graph)]);
        let finished = run(&["check", &scratch.path("s.toml"), "--color", "never"]);
        assert_eq!(finished.code, Some(2));
        finished.stderr
    };
    let all = errors(faults);
    for place in ["a.goal:3:1", "a.goal:4:1", "a.goal:5:1", "a.goal:8:1"] {
        assert!(all.contains(place), "{place}: {all}");
    }
    assert!(all.ends_with("4 errors; nothing was run\n"), "{all}");
    let comment = errors(open);
    assert!(comment.contains("a.goal:1:13: the comment has no end"), "{comment}");
}

#[test]
fn random_choices_of_dimensions_depend_on_seed_and_messages_alone() {
    let scenario = |more: &str, execution: &str| {
        format!(
            "[machine]\nkind = \"torus\"\nshape = [4, 4, 4]\n[program]\nkind = \"permutation\"\npattern = \"random\"\n{more}\
             [execution]\nmode = \"coordinated\"\n{execution}\n[sweep]\n\"machine.hop_cycles\" = [1, 2, 3]\n\
             \"program.compute_cycles\" = [0, 5]\n\"program.units\" = [1, 7]\nseed = [1, 2, 3, 4]\n"
        )
    };
    let scratch = Scratch::with(&[("s.toml", scenario("", "dimension_choice = \"random\""))]);
    let (header, rows) = csv_table(&done(&["run", &scratch.path("s.toml"), "--format", "csv"]));
    let column = |name: &str| header.iter().position(|title| title == name).unwrap();
    let of = |row: &Vec<String>| (row[column("routing_steps")].clone(), row[column("conflicts")].clone());
    // The seed is the innermost choice.
    let mut different = vec![];
    for seed in ["1", "2", "3", "4"] {
        let routed: Vec<_> = rows.iter().filter(|row| row[column("seed")] == seed).map(of).collect();
        assert_eq!(routed.len(), 12);
        assert!(routed.iter().all(|steps| *steps == routed[0]), "seed {seed}: {routed:?}");
        different.push(routed[0].clone());
    }
    different.dedup();
    assert!(different.len() > 1, "{different:?}");
}

#[test]
fn collectives_without_embeddings_count_as_what_will_run() {
    let seeds: Vec<String> = (0..1000).map(|seed| seed.to_string()).collect();
    let list = seeds.join(", ");
    // 400 000 runs: with three embeddings each they would be more than a file may have.
    let text = format!(
        "machine = {{ kind = \"ring\", shape = [4] }}\nprogram = {{ kind = \"barrier\", algorithm = \"dissemination\" }}\n\
         [sweep]\nseed = [{list}]\n\"machine.hop_cycles\" = [{}]\n",
        (1..=400).map(|cycles| cycles.to_string()).collect::<Vec<_>>().join(", ")
    );
    let scratch = Scratch::with(&[
        ("s.toml", text.clone()),
        (
            "cube.toml",
            text.replace("kind = \"barrier\", algorithm = \"dissemination\"", "kind = \"cc-cube\""),
        ),
    ]);
    let cube = run(&["run", &scratch.path("cube.toml")]);
    assert!(cube.stderr.contains("1200000 runs, expected at most 1000000"), "{}", cube.stderr);
    let barrier = run(&["run", &scratch.path("s.toml"), "--memory-limit", "64MiB"]);
    assert_eq!(barrier.code, Some(2));
    assert!(barrier.stderr.contains("a sweep of 400000 runs needs about"), "{}", barrier.stderr);
}

#[test]
fn swept_keys_tell_runs_apart_in_every_format() {
    let scenario = "[machine]\nkind = \"torus\"\nshape = [4, 4]\n[program]\nkind = \"all-to-all\"\nalgorithm = \"direct\"\n\
                    [sweep]\n\"machine.twist\" = [[[0,0],[0,0]], [[0,2],[0,0]]]\n\"machine.failure_seed\" = [1, 2]\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let path = scratch.path("s.toml");
    for command in ["run", "measure", "check"] {
        let (header, rows) = csv_table(&done(&[command, &path, "--format", "csv"]));
        let sweep = header.iter().position(|name| name == "sweep").unwrap();
        let cells: Vec<&str> = rows.iter().map(|row| row[sweep].as_str()).collect();
        assert_eq!(cells.len(), 4, "{command}");
        assert_eq!(cells[3], "machine.twist = [[0,2],[0,0]]; machine.failure_seed = 2", "{command}");
        let mut different = cells.clone();
        different.dedup();
        assert_eq!(different, cells, "{command}");
    }
    let runs = json(&["run", &path]);
    assert_eq!(runs["runs"][1]["sweep"], "machine.twist = [[0,0],[0,0]]; machine.failure_seed = 2");
    let parquet = scratch.path("r.parquet");
    done(&["run", &path, "--output", &parquet]);
    assert!(fs::read(&parquet).unwrap().windows(5).any(|name| name == b"sweep"));
    // Without a sweep there is no such column.
    let (header, _) = csv_table(&done(&["run", "scenarios/figure-4.toml", "--format", "csv"]));
    assert!(!header.iter().any(|name| name == "sweep"));
}

#[test]
fn both_exchanges_of_a_best_collective_are_measured() {
    let scenario = "[machine]\nkind = \"ring\"\nshape = [8]\n[program]\nkind = \"reduce\"\nalgorithm = \"bine\"\nunits = 8\nexchange = \"best\"\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let measured = json(&["measure", &scratch.path("s.toml")]);
    let exchanges: Vec<&str> = measured["placements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["program"]["exchange"].as_str().unwrap())
        .collect();
    assert_eq!(exchanges, ["halving", "whole"]);
    let table = done(&["measure", &scratch.path("s.toml")]);
    assert!(table.contains("standard, halving") && table.contains("standard, whole"), "{table}");
    done(&["draw", "spectrum", &scratch.path("s.toml")]);
}

#[test]
fn seconds_are_the_nearest_to_the_exact_time() {
    let scenario = "[machine]\nkind = \"ring\"\nshape = [2]\nlink = { bandwidth = \"1 kB/s\" }\n[program]\n\
                    stages = [0]\nbytes = 1920\n[mapping]\nembeddings = [\"standard\"]\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let results = json(&["run", &scratch.path("s.toml")]);
    assert_eq!(results["runs"][0]["makespan_seconds"].to_string(), "1.92");
    // 96 units of 20.48 ms: 1.9660800000000003 as a product of floating-point numbers.
    let scenario = scenario.replace("1 kB/s", "3125 B/s").replace("1920", "6144");
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let results = json(&["run", &scratch.path("s.toml")]);
    assert_eq!(results["runs"][0]["makespan_seconds"].to_string(), "1.96608");
}

#[test]
fn task_graphs_have_no_goodput() {
    let graph = "num_ranks 2\nrank 0 {\nsend 640b to 1\n}\nrank 1 {\nrecv 640b from 0\n}\n";
    let scenario = "[machine]\nkind = \"ring\"\nshape = [2]\nlink = { bandwidth = \"1 GB/s\" }\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\n";
    let scratch = Scratch::with(&[("s.toml", scenario), ("a.goal", graph)]);
    let results = json(&["run", &scratch.path("s.toml")]);
    assert!(results["runs"][0]["goodput_bytes_per_second"].is_null());
    assert!(results["runs"][0]["makespan_seconds"].is_number());
}

#[test]
fn names_are_written_without_what_a_terminal_obeys() {
    let scenario = "name = \"a\\u001b[31mb\"\nmachine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"xor\"]\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    for format in ["csv", "json", "jsonl", "markdown", "table"] {
        let shown = done(&["run", &scratch.path("s.toml"), "--format", format]);
        assert!(!shown.contains('\u{1b}'), "{format}: {shown}");
    }
    assert!(done(&["run", &scratch.path("s.toml"), "--format", "csv"]).contains("a\\u{1b}[31mb"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_ends_a_command_as_termination_does_unless_it_is_ignored() {
    use std::{
        io::Read,
        process::{Command, Stdio},
    };
    let runs: Vec<String> = (0..200).map(|seed| seed.to_string()).collect();
    let text = format!(
        "machine = {{ kind = \"torus\", shape = [64, 64] }}\nmapping.embeddings = [\"xor\"]\n\
         execution.engine = \"hop\"\n[sweep]\nseed = [{}]\n",
        runs.join(", ")
    );
    let scratch = Scratch::with(&[("s.toml", text)]);
    let output = scratch.path("rows.jsonl");
    let path = scratch.path("s.toml");
    let program = PROGRAM.as_str();
    let mut child = Command::new(program)
        .args(["run", &path, "--processes", &output, "--threads", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Until the hidden file exists.
    while scratch.names().len() < 2 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    let code = child.wait().unwrap().code();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((code, said.contains("terminated: ")), (Some(129), true), "{said}");
    assert_eq!(scratch.names(), ["s.toml"]);
    // `nohup` has a hangup ignored, and it stays so.
    let small = Scratch::with(&[("s.toml", MANY_RUNS)]);
    let line = format!(
        "trap '' HUP; {program} run {} --quiet > /dev/null & kill -HUP $!; wait $!",
        small.path("s.toml")
    );
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

#[test]
fn parts_of_a_program_are_written_whole_or_not_at_all() {
    let scenario = "machine = { kind = \"ring\", shape = [4] }\nprogram = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
    let scratch = Scratch::with(&[("s.toml", scenario)]);
    let folder = scratch.path("trace");
    fs::create_dir(&folder).unwrap();
    // A foreign file in the place of the last one.
    let export = ["export", &scratch.path("s.toml"), "--format", "chakra", "--output", &folder];
    let written = run(&export);
    assert_eq!(written.code, Some(0));
    assert!(
        written.stderr.contains("give execution.eager_units = 0 for the same cycles"),
        "{}",
        written.stderr
    );
    let names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 4);
    for name in &names[..3] {
        fs::remove_file(format!("{folder}/{name}")).unwrap();
    }
    assert_eq!(run(&export).code, Some(2), "the last file is there already");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn messages_name_what_was_found_and_expected() {
    let refused = |text: &str| {
        let scratch = Scratch::with(&[("s.toml", text)]);
        let finished = run(&["check", &scratch.path("s.toml"), "--color", "never"]);
        assert_eq!(finished.code, Some(2), "{text}");
        finished.stderr.replace("\n  │ ", " ")
    };
    let barrier = "program = { kind = \"barrier\", algorithm = \"dissemination\" }\n";
    let cases = [
        (
            format!("machine = {{ kind = \"fat-tree\", leaves = 1, hosts_per_switch = 1, spines = 1 }}\n{barrier}"),
            "a fat-tree with 1 host, expected at least 2",
        ),
        (
            format!("machine = {{ kind = \"fat-tree\", arity = 65536, levels = 20 }}\n{barrier}"),
            "over 2^62 hosts and switches",
        ),
        (
            "machine = { kind = \"ring\", shape = [4], failed_nodes = [\"a\"] }\n".to_owned(),
            "node in machine.failed_nodes: \"a\", expected a number or a list of coordinates",
        ),
        (
            "machine = { kind = \"ring\", shape = [4], link = { bandwidth = \"1 GB/s\" } }\nprogram.bytes = \"9223372036854775807 B\"\n"
                .to_owned(),
            "expected a number of at most 18 digits",
        ),
        (
            format!("machine = {{ kind = \"ring\", shape = [4] }}\n{barrier}x = {}1{}\n", "[".repeat(100), "]".repeat(100)),
            "s.toml:3:85: not TOML: cannot recurse further",
        ),
    ];
    for (text, said) in cases {
        let stderr = refused(&text);
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
    let numbered = run(&["draw", "placement", "scenarios/figure-4.toml", "--run", "99"]);
    assert!(numbered.stderr.contains("cubefold check FILE lists the runs"), "{}", numbered.stderr);
    let mut program = super::command::program();
    let output = program.args(["check", "-"]).write_stdin(&b"name = \"\xff\""[..]).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("standard input: scenario file is not UTF-8"), "{stderr}");
}

#[test]
fn all_to_all_of_few_units_among_many_ranks_is_refused_at_once() {
    let text = "machine = { kind = \"ring\", shape = [131072] }\nprogram = { kind = \"all-to-all\", algorithm = \"pairwise\" }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    let refused = run(&["check", &scratch.path("s.toml")]);
    assert_eq!(refused.code, Some(2));
    let said = refused.stderr.replace("\n  │ ", " ");
    assert!(said.contains("expected a unit for every rank of more than 16384"), "{said}");
}

#[test]
fn a_thousand_links_fail_by_chance_on_a_large_torus() {
    let text = "machine = { kind = \"torus\", shape = [256, 256], failed_links = 1000 }\nprogram = { kind = \"permutation\", pattern = \"transpose\" }\n";
    let scratch = Scratch::with(&[("s.toml", text)]);
    done(&["check", &scratch.path("s.toml"), "--quiet"]);
}
