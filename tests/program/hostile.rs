//! Hostile input: lines without end, floods of errors, names that a terminal would obey, damaged results, devices.

use std::fs;

use super::command::{Finished, PROGRAM, Scratch, done, run};

/// A ring of 8 with nothing wrong.
const RING: &str = "machine = { kind = \"ring\", shape = [8] }\n";

/// The refusal of a scenario, which is no panic and not long.
fn refused(text: &str) -> Finished {
    let scratch = Scratch::with(&[("s.toml", text)]);
    let finished = run(&["check", &scratch.path("s.toml"), "--color", "never"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{:.2000}", finished.stderr);
    assert!(!finished.stderr.contains("panicked"), "{:.2000}", finished.stderr);
    assert!(finished.stderr.len() < 60_000, "{} bytes of errors", finished.stderr.len());
    finished
}

#[test]
fn an_error_at_any_column_of_a_line_is_told_in_few_words() {
    let brackets = refused(&format!("a = {}", "[".repeat(65_535)));
    assert!(brackets.stderr.contains("not TOML"), "{}", brackets.stderr);
    let entries = "\"xor\",".repeat(20_000);
    let list = refused(&format!("{RING}[mapping]\nembeddings = [{entries}\"zzz\"]\n"));
    assert!(list.stderr.contains("…"), "{}", list.stderr);
    let numbers = format!("{}true", "0, ".repeat(40_000));
    let stage = refused(&format!("{RING}[program]\nstages = [{numbers}]\n"));
    assert!(stage.stderr.contains(".toml:3:120011: dimension of stage 40000 is true"), "{}", stage.stderr);
}

#[test]
fn a_flood_of_errors_that_are_alike_is_cut_after_three_and_counted() {
    let keys: Vec<String> = (0..7000).map(|number| format!("a{number} = 1\n")).collect();
    let keys = keys.concat();
    let finished = refused(&format!("{keys}{RING}"));
    assert_eq!(finished.stderr.matches("unknown key").count(), 6, "each twice: message and label");
    assert!(finished.stderr.contains("and 6997 more like this one"), "{}", finished.stderr);
    assert!(
        finished.stderr.ends_with("7000 errors, the first shown; nothing was run\n"),
        "{}",
        finished.stderr
    );
}

#[test]
fn slips_of_toml_are_told_as_slips() {
    let cases = [
        (
            "[machine]\nkind = torus\n",
            "s.toml:2:8: not TOML: torus without quotes",
            "put it in quotes: \"torus\"",
        ),
        (
            "[machine]\nkind = \"torus\"\nshape = [8 8]\n",
            "s.toml:3:11: not TOML: a comma is missing between two entries of a list",
            "separate the entries with commas, as in [8, 8]",
        ),
        ("[machine]\nkind =\n", "s.toml:2:7: not TOML: a key without a value", "write a value after the ="),
    ];
    for (text, message, help) in cases {
        let stderr = refused(text).stderr.replace("\n  │ ", " ");
        assert!(stderr.contains(message) && stderr.contains(help), "{stderr}");
    }
}

#[test]
fn the_names_that_were_expected_are_said_once() {
    let stderr = refused("[machine]\nkind = \"clique\"\nshape = [8]\n").stderr;
    assert_eq!(stderr.matches("wrapped-butterfly").count(), 1, "{stderr}");
}

/// Characters that a terminal obeys: they colour, name the window, turn the direction of writing.
const OBEYED: &str = "a\u{1b}[31mb\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";

/// Asserts that a text has lines, and nothing else that a terminal obeys.
fn assert_shown(what: &str, text: &str) {
    let is_obeyed = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    assert!(!text.contains(is_obeyed), "{what}: {text:?}");
}

#[cfg(unix)]
#[test]
fn nothing_that_a_terminal_obeys_is_repeated_as_it_is() {
    let name = format!("{OBEYED}\n.toml");
    let escaped = r"a\u001b[31mb\u001b]0;owned\u0007\u009b2J\u202e\nx";
    let good = format!(
        "name = \"{escaped}\"\n{RING}[program]\nloading.code_types = [{types}]\n[mapping]\nembeddings = [\"xor\"]\n",
        types = vec![format!("\"{escaped}\""); 8].join(", ")
    );
    let bad = format!("name = \"x\"\n{RING}\"{escaped}\" = 1\nseed = \"{escaped}\" # {OBEYED}\n");
    let scratch = Scratch::with(&[(name.as_str(), good), ("bad.toml", bad)]);
    let (good, bad) = (scratch.path(&name), scratch.path("bad.toml"));
    for command in ["run", "compare", "measure", "check", "tables"] {
        let shown = done(&[command, &good]);
        assert_shown(command, &shown);
        assert!(
            command == "measure" || shown.contains("u{1b}") || shown.contains("u{202e}"),
            "{command}: {shown}"
        );
    }
    for arguments in
        [vec!["check", &bad], vec!["run", &good, OBEYED], vec!["run", &good, "--threads", OBEYED]]
    {
        let finished = run(&arguments);
        assert_eq!(finished.code, Some(2));
        assert_shown("errors", &finished.stderr);
    }
    let output = scratch.path(&format!("{OBEYED}/r.csv"));
    assert_shown("a path", &run(&["run", &good, "--output", &output]).stderr);
    // A name of two lines is one row.
    let rows = |text: &str| text.lines().filter(|line| line.contains("xor")).count();
    assert_eq!(rows(&done(&["check", &good])), 1);
}

#[test]
fn damaged_parquet_is_an_error_and_no_panic() {
    let scratch = Scratch::empty();
    let path = scratch.path("r.parquet");
    done(&["run", "scenarios/figure-4.toml", "--output", &path]);
    let whole = fs::read(&path).unwrap();
    let step = whole.len() / 40;
    for at in (0..whole.len()).step_by(step) {
        for byte in [0x00, 0xff, whole[at] ^ 1] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            fs::write(&path, &damaged).unwrap();
            let finished = run(&["draw", "scaling", &path]);
            assert!(matches!(finished.code, Some(0 | 2)), "byte {at}: {}", finished.stderr);
            assert!(!finished.stderr.contains("panicked"), "byte {at}: {}", finished.stderr);
        }
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(run(&["draw", "scaling", &path]).code, Some(2), "cut at {at}");
    }
}

#[test]
fn numbers_that_no_axis_shows_end_a_picture_before_it_begins() {
    let scratch =
        Scratch::with(&[("r.csv", "machine_shape,embedding,makespan_cycles\n4x4,xor,1e-308\n8x8,xor,3\n")]);
    let finished = run(&["draw", "scaling", &scratch.path("r.csv")]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("expected numbers from 1e-100 to 1e100"), "{}", finished.stderr);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_named_and_not_waited_for() {
    let scratch = Scratch::with(&[
        ("m.toml", "machine.file = \"/dev/zero\"\n"),
        ("p.toml", &format!("{RING}mapping.embeddings = [\"file:/dev/zero\"]\n")),
    ]);
    let fifo = scratch.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let cases = [
        ("/dev/zero".to_owned(), "is a device, expected a file"),
        (fifo, "is a named pipe, expected a file"),
        (scratch.path("m.toml"), "is a device, expected a file"),
        (scratch.path("p.toml"), "is a device, expected a file"),
    ];
    for (path, said) in cases {
        let finished = run(&["check", &path]);
        assert_eq!(finished.code, Some(2));
        let stderr = finished.stderr.replace("\n  │ ", " ");
        assert!(stderr.contains(said), "{stderr}");
    }
    let finished = run(&["draw", "scaling", "/dev/zero"]);
    assert_eq!(finished.code, Some(2));
}

#[test]
fn a_scenario_comes_from_standard_input_and_keys_from_the_command_line() {
    let mut program = super::command::program();
    let piped = |arguments: &[&str]| {
        let mut program = super::command::program();
        program.args(arguments).write_stdin(format!("{RING}mapping.embeddings = [\"xor\"]\nseed = 4\n"));
        let output = program.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, rows) =
        piped(&["run", "-", "--format", "csv", "--set", "machine.shape=[16]", "--set", "seed=9"]);
    assert_eq!(code, Some(0));
    let row = rows.lines().nth(1).unwrap();
    assert!(row.starts_with("0,standard input,16,16,9,ring,16,"), "{row}");
    for command in
        [&["compare"][..], &["measure"], &["check"], &["place"], &["tables"], &["draw", "placement"]]
    {
        let (code, _) = piped(&[command, &["-", "--set", "machine.shape=[4]"]].concat());
        assert_eq!(code, Some(0), "{command:?}");
    }
    assert_eq!(piped(&["run", "-", "-"]).0, Some(2));
    let wrong =
        program.args(["run", "-", "--set", "machine.links=sideways"]).write_stdin(RING).output().unwrap();
    let stderr = String::from_utf8(wrong.stderr).unwrap().replace("\n  │ ", " ");
    assert!(stderr.contains("--set:1:15: machine.links is \"sideways\""), "{stderr}");
    for text in ["seed", "=1"] {
        assert_eq!(run(&["run", "scenarios/figure-4.toml", "--set", text]).code, Some(2));
    }
}

#[test]
fn what_is_too_long_for_a_scenario_is_refused_at_the_bound_of_scenarios() {
    let scratch = Scratch::with(&[("long.toml", RING)]);
    let path = scratch.path("long.toml");
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 30).unwrap();
    let file = run(&["check", &path]);
    let said = "scenario file has more than 32 MiB, the most that is read";
    assert_eq!(file.code, Some(2));
    assert!(file.stderr.contains(said), "{}", file.stderr);
    let mut piped = std::process::Command::new(PROGRAM.as_str());
    let piped = piped.args(["check", "-"]).stdin(fs::File::open(&path).unwrap()).output().unwrap();
    assert!(String::from_utf8(piped.stderr).unwrap().contains(said));
}

#[test]
fn results_are_written_over_only_when_that_is_asked_for() {
    let scenario = "scenarios/figure-4.toml";
    let scratch = Scratch::with(&[("r.csv", "mine"), ("empty.csv", "")]);
    let output = scratch.path("r.csv");
    let commands: [&[&str]; 7] = [
        &["run", scenario],
        &["compare", scenario],
        &["measure", scenario],
        &["check", scenario],
        &["place", scenario, "--embedding", "standard"],
        &["tables", scenario, "--embedding", "standard"],
        &["verify", "--quick"],
    ];
    for command in commands {
        let finished = run(&[command, &["--output", &output]].concat());
        assert_eq!((finished.code, scratch.read("r.csv").as_str()), (Some(2), "mine"), "{command:?}");
        assert!(finished.stderr.contains("--force"), "{}", finished.stderr);
    }
    for command in &commands[..6] {
        fs::write(&output, "mine").unwrap();
        done(&[*command, &["--output", &output, "--force"]].concat());
        assert_ne!(scratch.read("r.csv"), "mine", "{command:?}");
    }
    done(&["run", scenario, "--output", &output, "--resume"]);
    // Nothing is lost with an empty file.
    done(&["run", scenario, "--output", &scratch.path("empty.csv")]);
    let rows = scratch.path("rows.csv");
    fs::write(&rows, "mine").unwrap();
    assert_eq!(run(&["run", scenario, "--processes", &rows]).code, Some(2));
    assert_eq!(scratch.read("rows.csv"), "mine");
}

#[test]
fn an_extension_that_no_format_has_is_refused() {
    let scratch = Scratch::empty();
    let scenario = "scenarios/figure-4.toml";
    let commands: [&[&str]; 6] = [
        &["run", scenario],
        &["measure", scenario],
        &["place", scenario, "--embedding", "standard"],
        &["tables", scenario, "--embedding", "standard"],
        &["explain"],
        &["report", scenario],
    ];
    for command in commands {
        let finished = run(&[command, &["--output", &scratch.path("x.xlsx")]].concat());
        assert_eq!(finished.code, Some(2), "{command:?}");
        assert!(finished.stderr.contains("this command writes no .xlsx, expected ."), "{}", finished.stderr);
    }
    assert!(scratch.names().is_empty());
    done(&["run", scenario, "--output", &scratch.path("x.xlsx"), "--format", "csv"]);
    done(&["run", scenario, "--output", &scratch.path("x.txt")]);
    done(&["run", scenario, "--output", &scratch.path("x")]);
    assert_eq!(scratch.read("x"), scratch.read("x.txt"));
}
