//! Destinations and formats of results.

use std::fs;

use super::command::{PROGRAM, Scratch, csv, done, json, refused, root, run};

const FIGURE_4: &str = "scenarios/figure-4.toml";
/// Commands that take any number of scenarios.
const OF_SCENARIOS: [&str; 4] = ["run", "compare", "measure", "check"];
const TABLES: [&str; 4] = ["tables", FIGURE_4, "--embedding", "byweight"];
const PLACE: [&str; 4] = ["place", FIGURE_4, "--embedding", "byweight"];

/// A part of a sweep for `merge`, all of it.
fn part(scratch: &Scratch) -> String {
    done(&["run", FIGURE_4, "--force", "--shard", "1/1", "--output", &scratch.path("figure-4")]);
    scratch.path("figure-4.part-1-of-1")
}

#[test]
fn the_extension_of_the_output_decides_the_format() {
    let scratch = Scratch::empty();
    let formats = [
        ("r.json", "json"),
        ("r.jsonl", "jsonl"),
        ("r.csv", "csv"),
        ("r.md", "markdown"),
        ("r.txt", "table"),
        ("r", "table"),
    ];
    let check = |arguments: &[&str], (name, format): (&str, &str)| {
        assert_eq!(done(&[arguments, &["--force", "--output", &scratch.path(name)]].concat()), "");
        let expected = done(&[arguments, &["--format", format]].concat());
        assert_eq!(scratch.read(name), expected, "{arguments:?} {name}");
    };
    for format in formats {
        for command in OF_SCENARIOS {
            check(&[command, FIGURE_4], format);
        }
        check(&["merge", &part(&scratch)], format);
    }
    for (name, format) in [("p.json", "json"), ("p.csv", "csv")] {
        check(&PLACE, (name, format));
        check(&TABLES, (name, format));
    }
    check(&PLACE, ("p.txt", "grid"));
    check(&TABLES, ("p.txt", "table"));
}

#[test]
fn a_file_that_is_named_as_something_else_is_refused() {
    let scratch = Scratch::empty();
    let commands: [(&[&str], &str, &str); 6] = [
        (&["export", FIGURE_4, "--embedding", "standard"], "e.xlsx", ".goal, .csv, .xml"),
        (&["schema", "scenario"], "s.xlsx", ".json"),
        (&["new", "--machine", "torus", "--shape", "8x8", "--program", "cc-cube"], "n.csv", ".toml"),
        (&["calibrate", "any"], "m.json", ".toml"),
        (&["man", "run"], "run.txt", ".1"),
        (&["report", FIGURE_4], "r.md", ".html, .htm"),
    ];
    for (command, name, expected) in commands {
        let refused = run(&[command, &["--output", &scratch.path(name)]].concat());
        let extension = name.split_once('.').unwrap().1;
        let said = format!("error: this command writes no .{extension}, expected {expected}\n");
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{command:?}");
        assert!(refused.stderr.starts_with(&said), "{}", refused.stderr);
    }
    assert_eq!(scratch.names(), Vec::<String>::new());
    let export = ["export", FIGURE_4, "--embedding", "standard", "--quiet", "--output"];
    done(&[&export[..], &[&scratch.path("e.xlsx"), "--format", "goal"]].concat());
    done(&[&export[..], &[&scratch.path("e.goal")]].concat());
    assert_eq!(scratch.read("e.xlsx"), scratch.read("e.goal"));
    done(&[&export[..], &[&scratch.path("e.csv")]].concat());
    assert!(scratch.read("e.csv").starts_with("stage,source,destination"), "{}", scratch.read("e.csv"));
}

#[test]
fn the_extension_decides_the_format_of_what_takes_long_to_measure() {
    // It was written without `--format`, into a file that ends in `.json`.
    assert_eq!(super::verify::QUICK["format"], "cubefold-verify");
}

#[test]
fn the_format_option_beats_the_extension() {
    let scratch = Scratch::empty();
    done(&["run", FIGURE_4, "--format", "csv", "--output", &scratch.path("r.json")]);
    assert_eq!(scratch.read("r.json"), done(&["run", FIGURE_4, "--format", "csv"]));
}

#[test]
fn a_dash_is_standard_output() {
    assert_eq!(done(&["run", FIGURE_4, "--output", "-"]), done(&["run", FIGURE_4]));
    assert!(!root().join("-").exists());
}

#[test]
fn an_output_appears_whole_and_alone_and_replaces_what_was_there() {
    let scratch = Scratch::with(&[("r.csv", "x".repeat(1 << 20))]);
    let rows = scratch.path("rows.csv");
    done(&["run", FIGURE_4, "--output", &scratch.path("r.csv"), "--processes", &rows, "--force"]);
    assert_eq!(scratch.read("r.csv"), done(&["run", FIGURE_4, "--format", "csv"]));
    assert_eq!(scratch.names(), ["r.csv", "rows.csv"]);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_anything_runs() {
    let (scratch, other) = (Scratch::with(&[("file", "a file")]), Scratch::empty());
    let (part, rows) = (part(&other), scratch.path("rows.csv"));
    let mut commands: Vec<Vec<&str>> = OF_SCENARIOS.map(|command| vec![command, FIGURE_4]).to_vec();
    commands.push(vec!["run", FIGURE_4, "--processes", &rows]);
    commands.extend([PLACE.to_vec(), TABLES.to_vec(), vec!["merge", &part], vec!["verify"]]);
    for name in ["missing/r.json", "file/r.json", ""] {
        let output = scratch.path(name);
        for command in &commands {
            let said = refused(&[&command[..], &["--output", &output]].concat());
            assert!(said.contains(&format!("cannot write {output}")), "{said}");
        }
    }
    assert_eq!(scratch.names(), ["file"]);
}

#[cfg(unix)]
#[test]
fn an_output_has_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::with(&[("new", "")]);
    done(&["run", FIGURE_4, "--output", &scratch.path("r.csv")]);
    let mode = |name: &str| fs::metadata(scratch.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("r.csv"), mode("new"));
}

/// Exit code and standard error of a command that writes to a pipe which nobody reads.
fn into_a_closed_pipe(arguments: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = std::process::Command::new(PROGRAM.as_str());
    let output = command.current_dir(root()).args(arguments).stdout(writer).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Asserts that a command does not fail if nobody reads its output in these formats.
fn assert_no_error(arguments: &[&str], formats: &[&str]) {
    for format in formats {
        let arguments = [arguments, &["--format", format]].concat();
        assert_eq!(into_a_closed_pipe(&arguments), (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn a_pipe_that_its_reader_closes_is_no_error() {
    let scratch = Scratch::empty();
    for command in OF_SCENARIOS {
        assert_no_error(&[command, FIGURE_4], &["table", "json", "jsonl", "markdown"]);
    }
    assert_no_error(&["merge", &part(&scratch)], &["table", "json", "jsonl", "markdown"]);
    assert_no_error(&PLACE, &["grid", "json"]);
    assert_no_error(&TABLES, &["table", "json", "csv"]);
    assert_no_error(&["verify", "--quick", "--only", "greenberg"], &["table"]);
    assert_eq!(into_a_closed_pipe(&["--help"]), (Some(0), String::new()));
}

#[test]
#[cfg(unix)]
fn an_output_that_was_closed_before_is_an_error_and_the_null_device_is_none() {
    let scratch = Scratch::empty();
    let started = |redirection: &str, arguments: &[&str]| {
        let script = format!("exec \"$0\" \"$@\" {redirection}");
        let mut command = std::process::Command::new("sh");
        let command = command.current_dir(root()).args(["-c", &script, PROGRAM.as_str()]);
        let output = command.args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let closed = (Some(1), "error: cannot write standard output: it is closed\n".to_owned());
    let file = scratch.path("r.csv");
    for arguments in [&["run", FIGURE_4][..], &PLACE, &["explain", "xor"], &["--help"]] {
        assert_eq!(started(">&-", arguments), closed, "{arguments:?}");
        for null in [">/dev/null", "1<>/dev/null"] {
            assert_eq!(started(null, arguments), (Some(0), String::new()), "{arguments:?}");
        }
    }
    // Results in a file need no standard output.
    assert_eq!(started(">&-", &["run", FIGURE_4, "--output", &file]).0, Some(0));
}

#[test]
fn quiet_leaves_the_results_and_their_tables_only() {
    let scratch = Scratch::empty();
    let part = part(&scratch);
    for command in [["run", FIGURE_4], ["compare", FIGURE_4], ["merge", &part]] {
        let with = |options: &[&str]| done(&[&command[..], options].concat());
        let (loud, quiet) = (with(&[]), with(&["--quiet"]));
        assert!(loud.contains("Times in cycles") && !quiet.contains("Times in cycles"), "{quiet}");
        assert!(loud.starts_with(quiet.trim_end()), "{quiet}");
        for format in ["json", "jsonl", "csv"] {
            assert_eq!(with(&["--format", format]), with(&["--format", format, "--quiet"]));
        }
    }
}

#[test]
fn several_files_come_one_after_another() {
    let files = [FIGURE_4, "scenarios/mixed-wrap.toml"];
    let both = json(&["run", files[0], files[1]]);
    let each = files.map(|file| json(&["run", file])["runs"].as_array().unwrap().clone());
    let mut expected = each.concat();
    for (place, run) in expected.iter_mut().enumerate() {
        run["run"] = place.into();
    }
    assert_eq!(both["runs"].as_array().unwrap(), &expected);
    let (_, rows) = csv(&["run", files[1], files[0]]);
    assert_eq!((rows.len(), rows[0][1].as_str(), rows[5][1].as_str()), (7, "mixed-wrap", "figure-4"));
}

#[test]
fn markdown_has_the_rows_of_the_table() {
    let markdown = done(&["run", FIGURE_4, "--format", "markdown"]);
    assert!(markdown.starts_with("## figure-4\n"), "{markdown}");
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{markdown}");
    let columns = |row: &str| row.matches('|').count();
    assert!(rows.iter().all(|row| columns(row) == columns(rows[0])), "{markdown}");
}

#[test]
fn large_results_into_a_pipe_that_its_reader_closes_are_no_error() {
    for command in OF_SCENARIOS {
        let arguments = [command, "scenarios/compute-sweep.toml"];
        assert_no_error(&arguments, &["table", "json", "jsonl", "markdown", "csv"]);
    }
    let large = ["scenarios/contention-64x64.toml", "--embedding", "xor"];
    assert_no_error(&[&["place"], &large[..]].concat(), &["grid", "json", "csv", "npy", "bluegene-mapfile"]);
    assert_no_error(&[&["tables"], &large[..]].concat(), &["table", "json", "csv"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_usual_file_is_never_replaced_by_one() {
    use std::os::unix::fs::FileTypeExt;
    let scratch = Scratch::empty();
    let _socket = std::os::unix::net::UnixListener::bind(scratch.path("socket")).unwrap();
    for option in ["--output", "--processes"] {
        let path = if option == "--output" { "socket" } else { "socket.csv" };
        if option == "--processes" {
            fs::rename(scratch.path("socket"), scratch.path(path)).unwrap();
        }
        run(&["run", FIGURE_4, option, &scratch.path(path)]);
        let kind = fs::symlink_metadata(scratch.path(path)).unwrap().file_type();
        assert!(kind.is_socket(), "{option} made a file of it");
    }
}

#[cfg(unix)]
#[test]
fn results_go_where_a_symbolic_link_leads() {
    let scratch = Scratch::with(&[("results.csv", "old")]);
    std::os::unix::fs::symlink("results.csv", scratch.path("latest.csv")).unwrap();
    done(&["run", FIGURE_4, "--force", "--output", &scratch.path("latest.csv")]);
    assert!(fs::symlink_metadata(scratch.path("latest.csv")).unwrap().is_symlink());
    assert_eq!(scratch.read("results.csv"), done(&["run", FIGURE_4, "--format", "csv"]));
}

#[test]
fn results_never_take_the_place_of_what_they_are_made_from() {
    let text = "machine.file = \"m.toml\"\nmapping.embeddings = [\"file:p.csv\"]\n";
    let files = [
        ("s.toml", text),
        ("m.toml", "kind = \"ring\"\nshape = [2]\n"),
        ("p.csv", "process,p_1\n0,0\n1,1\n"),
    ];
    for (name, input) in files {
        let scratch = Scratch::with(&files);
        let finished = run(&["run", &scratch.path("s.toml"), "--output", &scratch.path(name)]);
        assert_eq!((finished.code, scratch.read(name).as_str()), (Some(2), input), "{name}");
    }
}

#[test]
fn results_and_rows_in_one_file_are_refused() {
    let scratch = Scratch::empty();
    let path = scratch.path("both.csv");
    let other = scratch.path("./both.csv");
    for rows in [&path, &other] {
        let finished = run(&["run", FIGURE_4, "--output", &path, "--processes", rows]);
        assert_eq!((finished.code, scratch.names()), (Some(2), vec![]), "{rows}");
    }
}

#[test]
fn programs_of_more_ranks_are_not_mixed_with_those_of_fewer() {
    let ring = |ranks: u32| {
        format!(
            "machine = {{ kind = \"ring\", shape = [{ranks}] }}\n\
             program = {{ kind = \"all-reduce\", algorithm = \"ring\", units = 8 }}\n"
        )
    };
    let scratch = Scratch::with(&[("4.toml", ring(4)), ("8.toml", ring(8))]);
    let export = |ranks: u32| {
        let (scenario, folder) = (scratch.path(&format!("{ranks}.toml")), scratch.path("traces"));
        run(&["export", &scenario, "--format", "chakra", "--output", &folder, "--force"])
    };
    assert_eq!([export(4).code, export(8).code], [Some(0); 2]);
    let fewer = export(4);
    assert_eq!(fewer.code, Some(2));
    assert!(fewer.stderr.contains("program.4.et is of another program"), "{}", fewer.stderr);
}
