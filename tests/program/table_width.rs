//! Tables fit a terminal of 80 columns.

use super::command::{LONGEST, SMALLER, Scratch, done};

#[test]
fn tables_have_no_colours_and_no_spaces_at_the_ends_of_lines() {
    let (scratch, scenario) = (Scratch::empty(), "scenarios/link-modes.toml");
    done(&["run", scenario, "--shard", "1/1", "--output", &scratch.path("r")]);
    let part = scratch.path("r.part-1-of-1");
    let tables = ["tables", "scenarios/figure-6.toml", "--embedding", "xor"];
    let mut commands: Vec<Vec<&str>> =
        ["run", "compare", "measure", "check"].map(|command| vec![command, scenario]).to_vec();
    commands.extend([vec!["merge", &part], tables.to_vec(), vec!["explain"]]);
    let tables = commands.iter().map(|command| done(command));
    for table in tables.chain([super::verify::TABLES.concat()]) {
        assert!(!table.contains('\u{1b}'), "{table}");
        assert!(table.lines().all(|line| line == line.trim_end()), "{table}");
    }
}

#[test]
fn colour_adds_nothing_but_colour_and_goes_into_no_file() {
    let scratch = Scratch::empty();
    for command in [["run", "scenarios/link-modes.toml"], ["compare", "scenarios/figure-4.toml"]] {
        let (plain, colored) = (done(&command), done(&[&command[..], &["--color", "always"]].concat()));
        let marked = plain.lines().filter(|line| line.contains(" *"));
        let painted =
            colored.lines().filter(|line| line.starts_with("\u{1b}[1;32m") && line.ends_with("\u{1b}[0m"));
        assert_eq!(painted.clone().count(), marked.count(), "{colored}");
        assert!(painted.clone().count() > 0 && painted.clone().all(|line| line.contains(" *")), "{colored}");
        assert_eq!(colored.replace("\u{1b}[1;32m", "").replace("\u{1b}[0m", ""), plain);
        done(&[&command[..], &["--color", "always", "--force", "--output", &scratch.path("r.txt")]].concat());
        assert_eq!(scratch.read("r.txt"), plain);
        assert!(
            !done(&[&command[..], &["--color", "always", "--format", "markdown"]].concat())
                .contains('\u{1b}')
        );
    }
}

#[test]
fn tables_read_well() {
    for (name, command, file) in [
        ("run_figure_4", "run", "figure-4"),
        ("compare_contention", "compare", "contention-64x64"),
        ("measure_figure_4", "measure", "figure-4"),
        ("check_first_comparison", "check", "first-comparison"),
        ("run_link_modes", "run", "link-modes"),
        ("compare_fft_mesh", "compare", "fft-mesh-16x16"),
        ("run_same_size_machines", "run", "same-size-machines"),
    ] {
        insta::assert_snapshot!(name, done(&[command, &format!("scenarios/{file}.toml")]));
    }
}

/// Asserts that no line of the output of a command is wider than a terminal.
fn assert_fits(arguments: &[&str]) {
    for line in done(arguments).lines() {
        assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
    }
}

#[test]
fn tables_settings_and_sentences_fit_in_80_columns() {
    let scratch = Scratch::empty();
    for scenario in super::command::files_in("scenarios", "toml") {
        let smaller: &[&str] = if scenario == LONGEST { &SMALLER } else { &[] };
        assert_fits(&[&["compare", &scenario], smaller].concat());
    }
    for name in ["first-comparison", "figure-4", "figure-6", "contention-64x64"] {
        let scenario = format!("scenarios/{name}.toml");
        for command in ["run", "measure", "check"] {
            assert_fits(&[command, &scenario]);
        }
        done(&["run", &scenario, "--shard", "1/1", "--output", &scratch.path(name)]);
        assert_fits(&["merge", &scratch.path(&format!("{name}.part-1-of-1"))]);
    }
}

#[test]
fn one_dimension_is_told_in_the_singular() {
    let scratch = Scratch::with(&[("s.toml", "machine = { kind = \"ring\", shape = [2] }\n")]);
    let page = done(&["run", &scratch.path("s.toml")]);
    assert!(page.contains("1 dimension,"), "{page}");
}

#[test]
fn what_makes_runs_longer_than_predicted_is_named() {
    let said = |scenario: &str| {
        let page = done(&["run", scenario]);
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // Nothing is blocked there: two processes of a node compute one after the other.
    let shared = said("scenarios/shared-nodes.toml");
    let sentence = "In 3 of 6 runs processes share a processor and take longer than predicted. Worst is \
                    file:shared-nodes-uneven.csv with mode = asynchronous: 30 cycles instead of 12 predicted. ";
    assert!(shared.contains(sentence) && !shared.contains("block each other"), "{shared}");
    let contended = said("scenarios/link-modes.toml");
    assert!(contended.contains("In 8 of 24 runs messages block each other and take longer"), "{contended}");
}
