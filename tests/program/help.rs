//! The help of the program.

use super::command::{done, program, refused};

/// Every command that has options of its own.
const COMMANDS: [&str; 17] = [
    "run",
    "compare",
    "merge",
    "measure",
    "place",
    "export",
    "draw",
    "report",
    "tables",
    "check",
    "verify",
    "inspect",
    "explain",
    "new",
    "completions",
    "schema",
    "man",
];

/// The output of a command in a window of this width.
fn wide(columns: &str, arguments: &[&str]) -> String {
    let output = program().env("COLUMNS", columns).args(arguments).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_reads_well() {
    insta::assert_snapshot!("help", wide("100", &["--help"]));
    insta::assert_snapshot!("help_run", wide("100", &["run", "--help"]));
    insta::assert_snapshot!("help_compare", wide("100", &["compare", "--help"]));
    insta::assert_snapshot!("help_place", wide("100", &["place", "--help"]));
    insta::assert_snapshot!("help_draw", wide("100", &["draw", "--help"]));
    insta::assert_snapshot!("help_draw_space_time", wide("100", &["draw", "space-time", "--help"]));
}

#[test]
fn help_fits_the_window() {
    for command in COMMANDS {
        for columns in [60, 80] {
            let help = wide(&columns.to_string(), &[command, "--help"]);
            let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns, "{command}: {widest}");
        }
    }
}

#[test]
fn every_command_has_help_and_tells_of_every_option_its_default() {
    for command in COMMANDS {
        let help = wide("1000", &[command, "--help"]);
        assert_eq!(help, wide("1000", &["help", command]));
        let mut options = vec!["--output", "--color"];
        // Commands that neither run nor measure have no limits.
        let is_limited =
            !["explain", "inspect", "merge", "new", "completions", "schema", "man"].contains(&command);
        assert_eq!(help.contains("--threads"), is_limited, "{command}");
        if is_limited {
            options.extend(["--threads", "--memory-limit"]);
        }
        match command {
            "man" => options.push("--folder"),
            "completions" | "report" | "schema" => {}
            "new" => options.push("--links"),
            _ => options.push("--format"),
        }
        for option in options {
            let text = help.split_once(&format!("{option} <"));
            let text = text.unwrap_or_else(|| panic!("{command} has no {option}")).1;
            let end = text.find("\n      --").unwrap_or(text.len());
            let text = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("[default: "), "{command} {option}: {text}");
        }
    }
}

#[test]
fn every_picture_has_help_that_fits_the_window_and_tells_its_defaults() {
    for what in ["space-time", "placement", "links", "spectrum", "compare", "histogram", "scaling"] {
        let help = wide("80", &["draw", what, "--help"]);
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        let help = wide("1000", &["draw", what, "--help"]);
        for option in ["--format", "--output", "--threads"] {
            let text = help.split_once(&format!("{option} <"));
            let text = text.unwrap_or_else(|| panic!("{what} has no {option}")).1;
            assert!(
                text[..text.find("\n      --").unwrap_or(text.len())].contains("[default: "),
                "{what} {option}"
            );
        }
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(done(&["--version"]), format!("cubefold {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_help_names_the_exit_codes() {
    let help = done(&["--help"]);
    for code in
        ["\n  0  done", "\n  1  a run failed", "\n  2  the input is wrong or refused", "\n  3  done, but"]
    {
        assert!(help.contains(code), "{help}");
    }
}

#[test]
fn every_command_names_the_exit_codes_that_it_can_end_with() {
    let codes = |command: &str| -> Vec<String> {
        let help = done(&[command, "--help"]);
        let codes = help.split_once("Exit codes:\n").unwrap().1.lines();
        codes.filter_map(|line| line.trim_start().split_once("  ")).map(|(code, _)| code.to_owned()).collect()
    };
    for command in COMMANDS {
        let expected: &[&str] = match command {
            "run" | "compare" => &["0", "1", "2", "4", "130, 143"],
            "verify" | "inspect" => &["0", "1", "2", "3", "130, 143"],
            _ => &["0", "1", "2", "130, 143"],
        };
        assert_eq!(codes(command), expected, "{command}");
    }
    assert!(done(&["verify", "--help"]).contains("  3  done, but a claim does not hold\n"));
    assert!(!done(&["merge", "--help"]).contains("a run failed"));
}

#[test]
fn wrong_command_lines_are_refused() {
    let figure_4 = "scenarios/figure-4.toml";
    let cases: [&[&str]; 12] = [
        &[],
        &["frobnicate"],
        &["run"],
        &["compare"],
        &["measure"],
        &["place"],
        &["check"],
        &["run", figure_4, "--frobnicate"],
        &["run", figure_4, "--format", "xml"],
        &["run", figure_4, "--threads", "0"],
        &["run", figure_4, "--memory-limit", "8GB"],
        &["run", figure_4, "--reference", "xor"],
    ];
    for arguments in cases {
        let said = refused(arguments);
        assert!(said.contains("Usage: ") || said.contains("--help"), "{said}");
    }
}
