//! Tables fit a terminal of 80 columns.

use super::command::done;

#[test]
fn the_tables_of_the_first_scenarios_fit_in_80_columns() {
    for name in ["first-comparison", "figure-4", "figure-6", "contention-64x64"] {
        for command in ["run", "compare", "measure", "check"] {
            let table = done(&[command, &format!("scenarios/{name}.toml")]);
            // Settings above a table and sentences below it may be longer.
            let rows = table.lines().filter(|line| !line.starts_with("  ") && !line.ends_with('.'));
            let widest = rows.max_by_key(|line| line.chars().count()).unwrap();
            assert!(widest.chars().count() <= 80, "{command} {name}: {widest}");
        }
    }
}

#[test]
fn tables_have_no_colours_and_no_spaces_at_the_ends_of_lines() {
    for command in ["run", "compare", "measure", "check"] {
        let table = done(&[command, "scenarios/link-modes.toml", "--color", "always"]);
        assert!(!table.contains('\u{1b}'));
        assert!(table.lines().all(|line| line == line.trim_end()), "{table}");
    }
}

#[test]
fn tables_read_well() {
    for (name, command, file) in [
        ("run_figure_4", "run", "figure-4"),
        ("compare_contention", "compare", "contention-64x64"),
        ("measure_figure_4", "measure", "figure-4"),
        ("check_first_comparison", "check", "first-comparison"),
    ] {
        insta::assert_snapshot!(name, done(&[command, &format!("scenarios/{file}.toml")]));
    }
}

#[test]
fn settings_and_sentences_fit_in_80_columns_too() {
    for name in ["first-comparison", "figure-4", "figure-6", "contention-64x64"] {
        for command in ["run", "compare", "measure", "check"] {
            let page = done(&[command, &format!("scenarios/{name}.toml")]);
            for line in page.lines() {
                assert!(line.chars().count() <= 80, "{command} {name}: {line}");
            }
        }
    }
}

#[test]
fn one_dimension_is_told_in_the_singular() {
    let scratch =
        super::command::Scratch::with(&[("s.toml", "machine = { kind = \"ring\", shape = [2] }\n")]);
    let page = done(&["run", &scratch.path("s.toml")]);
    assert!(page.contains("1 dimension,"), "{page}");
}
