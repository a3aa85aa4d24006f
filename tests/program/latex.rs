//! `--format latex`: the structure of the output, and that `pdflatex` accepts it if it is installed.

use std::{collections::BTreeSet, fs, process::Command};

use super::command::{Scratch, done};

/// The commands whose tables are written.
const COMMANDS: [&[&str]; 8] = [
    &["run", "scenarios/figure-4.toml"],
    &["run", "scenarios/all-reduce.toml"],
    &["run", "scenarios/task-graph.toml"],
    &["run", "scenarios/training-step.toml"],
    &["compare", "scenarios/first-comparison.toml"],
    &["measure", "scenarios/figure-6.toml"],
    &["check", "scenarios/link-modes.toml"],
    &["verify", "--quick", "--only", "xor"],
];

/// Checks the structure of a text: environments and braces close in order, rows have as many cells as their table has
/// columns, every command is known, and no character has a meaning that it should not have.
#[expect(clippy::too_many_lines, reason = "one pass over the lines")]
fn check(text: &str) {
    let known = [
        "begin",
        "end",
        "item",
        "caption",
        "centering",
        "small",
        "setlength",
        "tabcolsep",
        "toprule",
        "midrule",
        "bottomrule",
        "subsection",
        "subsubsection",
        "textbackslash",
        "textasciicircum",
        "textasciitilde",
        "textless",
        "textgreater",
        "textbar",
        "textquotedbl",
        "ensuremath",
        "times",
        "cdot",
        "leq",
        "geq",
        "rightarrow",
        "mu",
    ];
    let mut open: Vec<&str> = vec![];
    let mut columns = 0;
    for line in text.lines().filter(|line| !line.starts_with('%')) {
        let mut depth = 0_i32;
        let mut cells = 1;
        let mut rest = line.char_indices();
        while let Some((place, letter)) = rest.next() {
            match letter {
                '\\' => {
                    let after = &line[place + 1..];
                    let name: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
                    if name.is_empty() {
                        let (_, escaped) = rest.next().unwrap();
                        assert!("\\{}$&#_%".contains(escaped), "{line}");
                    } else {
                        assert!(known.contains(&name.as_str()), "{name}: {line}");
                    }
                }
                '{' => depth += 1,
                '}' => depth -= 1,
                '&' => cells += 1,
                '$' | '#' | '_' | '^' | '~' | '%' => panic!("{letter}: {line}"),
                _ => {}
            }
            assert!(depth >= 0, "{line}");
        }
        assert_eq!(depth, 0, "{line}");
        let argument = |of: &str| line.trim().strip_prefix(of).map(|rest| rest.split('}').next().unwrap());
        if let Some(name) = argument("\\begin{") {
            open.push(name);
            if name == "tabular" {
                columns = line.trim().strip_prefix("\\begin{tabular}").unwrap().len() - 2;
            }
        } else if let Some(name) = argument("\\end{") {
            assert_eq!(open.pop(), Some(name), "{line}");
        } else if line.ends_with("\\\\") {
            assert_eq!((cells, open.last()), (columns, Some(&"tabular")), "{line}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_command_writes_tables_that_are_latex() {
    for command in COMMANDS {
        let text = done(&[command, &["--quiet", "--format", "latex"]].concat());
        assert!(text.contains("\\toprule") && text.contains("\\end{table}"), "{command:?}\n{text}");
        check(&text);
    }
    let text = done(&["run", "scenarios/figure-4.toml", "--format", "latex"]);
    assert!(text.contains("embedding & makespan & ") && text.contains("\n     & {[}cycles] & "), "{text}");
}

#[test]
fn names_are_no_commands() {
    let scratch = Scratch::with(&[(
        "s.toml",
        "name = \"50% \\\\input{x} & #1 $a_b^c~ [y]\"\nmachine = { kind = \"ring\", shape = [8] }\n",
    )]);
    for command in ["run", "measure", "check"] {
        let text = done(&[command, &scratch.path("s.toml"), "--format", "latex"]);
        check(&text);
        assert!(text.contains("50\\% \\textbackslash{}input\\{x\\} \\& \\#1 \\$a\\_b"), "{text}");
    }
}

#[test]
fn the_extension_selects_it() {
    let scratch = Scratch::empty();
    done(&["run", "scenarios/figure-4.toml", "--quiet", "--output", &scratch.path("t.tex")]);
    check(&scratch.read("t.tex"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn pdflatex_takes_it() {
    if Command::new("pdflatex").arg("--version").output().is_err() {
        eprintln!("skipped: there is no pdflatex");
        return;
    }
    let scratch = Scratch::empty();
    let body: String = COMMANDS
        .iter()
        .map(|command| done(&[command, &["--quiet", "--format", "latex"][..]].concat()) + "\\clearpage\n")
        .collect();
    let text = format!(
        "\\documentclass{{article}}\n\\usepackage[T1]{{fontenc}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    );
    let path = scratch.path("paper.tex");
    fs::write(&path, text).unwrap();
    let folder = std::path::Path::new(&path).parent().unwrap();
    let finished = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "paper.tex"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stdout));
}

#[test]
fn the_table_of_the_readme_fits_a_page_and_says_what_it_leaves_out() {
    let written = |more: &[&str]| {
        done(&[&["compare", "scenarios/first-comparison.toml", "--format", "latex"], more].concat())
    };
    let columns = |text: &str| -> Vec<String> {
        let header = text.split("\\toprule\n").nth(1).unwrap().lines().next().unwrap();
        header.trim().trim_end_matches(" \\\\").split(" & ").map(str::to_owned).collect()
    };
    let narrow = written(&[]);
    check(&narrow);
    assert!(
        narrow.contains("\\item In every row: ") || narrow.contains("Left out, to fit 345 points: "),
        "{narrow}"
    );
    let whole = written(&["--width", "1000"]);
    assert!(columns(&whole).len() > columns(&narrow).len(), "{whole}");
    assert!(columns(&narrow).contains(&"makespan".to_owned()));
    // 40 letters and digits of nine points take at most half of a page.
    let narrower = columns(&written(&["--width", "170"])).len();
    assert!(narrower < columns(&narrow).len() && narrower > 1);
}

#[test]
fn the_heading_of_every_column_chooses_it() {
    let machine =
        "machine = { kind = \"ring\", shape = [4], link = { bandwidth = \"1 GB/s\", latency = \"1 us\" } }\n";
    let collective =
        "program = { kind = \"all-reduce\", algorithm = [\"ring\", \"swing\"], bytes = \"4 kB\" }\n";
    let open_loop = "machine = { kind = \"mesh\", shape = [4, 4], switching = \"wormhole\" }\n\
                     [program]\nkind = \"open-loop\"\npattern = \"transpose\"\nload = 0.1\n\
                     warmup_cycles = 100\nmeasure_cycles = 100\ndrain_cycles = 100\n";
    for text in [format!("{machine}{collective}"), super::jobs::PIPELINE.to_owned(), open_loop.to_owned()] {
        let scratch = Scratch::with(&[("s.toml", text)]);
        let path = scratch.path("s.toml");
        let headings = |more: &[&str]| {
            let page = done(&[&["run", &path, "--format", "markdown"], more].concat());
            let lines: Vec<&str> = page.lines().collect();
            let above =
                lines.windows(2).filter(|pair| pair[1].starts_with("| -") || pair[1].starts_with("|-"));
            let cells = above.flat_map(|pair| pair[0].split('|').map(|cell| cell.trim().to_owned()));
            cells.filter(|cell| !cell.is_empty()).collect::<BTreeSet<String>>()
        };
        let all = headings(&[]);
        assert!(all.len() > 5, "{all:?}");
        for heading in &all {
            assert_eq!(headings(&["--columns", heading]), BTreeSet::from([heading.clone()]));
        }
    }
}

#[test]
fn numbers_of_tasks_have_no_unit_and_their_times_have() {
    let scratch = Scratch::with(&[("s.toml", super::jobs::PIPELINE)]);
    let page = done(&["run", &scratch.path("s.toml"), "--format", "latex"]);
    let (_, below) = page.split_once("& task & count & least & greatest \\\\\n").unwrap();
    assert!(
        below.trim_start().starts_with("& {[}cycle] & {[}cycle] &  &  & {[}cycles] & {[}cycles]"),
        "{page}"
    );
}

#[test]
fn columns_are_chosen_by_their_names_in_tables_and_in_files() {
    let scenario = "scenarios/first-comparison.toml";
    let first_line = |format: &str, columns: &str| {
        let text = done(&["run", scenario, "--format", format, "--columns", columns]);
        let start = text.lines().find(|line| line.contains("makespan")).unwrap().to_owned();
        start.split([' ', '|', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    for columns in ["makespan,embedding", "makespan_cycles,embedding"] {
        assert_eq!(first_line("table", columns), ["makespan", "embedding"]);
        assert_eq!(first_line("markdown", columns), ["makespan", "embedding"]);
        assert_eq!(first_line("csv", columns), ["embedding", "makespan_cycles"]);
    }
    for format in ["table", "csv", "latex", "json"] {
        let refused = super::command::run(&["run", scenario, "--format", format, "--columns", "makespans"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{format}");
        let said = if format == "json" { "--columns with --format json" } else { "did you mean makespan" };
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    // A comma in a heading belongs to it.
    let told = done(&["run", scenario, "--columns", "embedding,packet latency, p99"]);
    assert!(told.contains("No row has a value of packet latency, p99."), "{told}");
    let ratio = done(&["compare", scenario, "--columns", "embedding,ratio_to_reference"]);
    assert!(ratio.contains("embedding  vs standard\n"), "{ratio}");
}
