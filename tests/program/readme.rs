//! The README promises what the program does.

use std::collections::BTreeMap;

use super::command::{Scratch, blocks_of, csv, done, files_in, root, text_of};

#[test]
fn every_command_of_the_readme_prints_what_the_readme_shows() {
    let blocks = blocks_of("README.md", "console");
    assert!(!blocks.is_empty(), "the README shows a command with its output");
    for block in blocks {
        let (command, output) = block.split_once('\n').unwrap();
        let arguments = command.strip_prefix("$ cubefold ").unwrap();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        assert_eq!(done(&arguments), output, "{command}");
    }
}

#[test]
fn the_scenario_of_the_readme_is_the_first_comparison() {
    let blocks = blocks_of("README.md", "toml");
    assert_eq!(blocks.len(), 1);
    let scratch = Scratch::with(&[("shown.toml", &blocks[0])]);
    let results = |path: &str| csv(&["run", path]);
    assert_eq!(results(&scratch.path("shown.toml")), results("scenarios/first-comparison.toml"));
}

/// Returns every page: those at the root, and those of `docs`.
fn pages() -> Vec<String> {
    let at_root = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(str::to_owned);
    at_root.into_iter().chain(files_in("docs", "md")).collect()
}

#[test]
fn every_file_that_the_pages_link_to_exists() {
    for page in pages() {
        let text = text_of(&page);
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        let targets = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for target in targets.filter(|target| !target.starts_with('#') && !target.contains("://")) {
            let file = target.split('#').next().unwrap();
            assert!(root().join(folder).join(file).exists(), "{page} links to {target}");
        }
    }
}

#[test]
fn the_summary_lists_every_page() {
    let summary = text_of("docs/SUMMARY.md");
    for page in files_in("docs", "md") {
        let name = page.rsplit('/').next().unwrap();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{page}");
    }
}

/// Returns the makespans that the page on scenarios shows for its example of an order.
fn shown_makespans() -> BTreeMap<u64, u64> {
    let page = text_of("docs/scenarios.md");
    let table = page.split_once("| run | `machine.links`").unwrap().1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0].parse().unwrap(), cells.last().unwrap().parse().unwrap())
    };
    rows.map(row).collect()
}

#[test]
fn the_example_of_an_order_has_the_runs_that_its_page_shows() {
    let page = text_of("docs/scenarios.md");
    let example = page.split_once("```toml\nname = \"order\"").unwrap().1.split_once("```").unwrap().0;
    let scratch = Scratch::with(&[("order.toml", format!("name = \"order\"{example}"))]);
    let (header, rows) = csv(&["run", &scratch.path("order.toml")]);
    let column = header.iter().position(|name| name == "makespan_cycles").unwrap();
    let makespans = (0..).zip(rows.iter().map(|row| row[column].parse().unwrap()));
    assert_eq!(makespans.collect::<BTreeMap<u64, u64>>(), shown_makespans());
}

#[test]
fn the_shortest_scenario_makes_three_runs() {
    let page = text_of("docs/scenarios.md");
    let example = page.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let scratch = Scratch::with(&[("shortest.toml", example)]);
    let listed = done(&["check", &scratch.path("shortest.toml")]);
    assert!(listed.ends_with("No errors; 3 runs.\n"), "{listed}");
}
