//! The README promises what the program does.

use std::{collections::BTreeMap, fs};

use super::command::{Scratch, csv, done, text_of};

/// The blocks of the README in this language.
fn blocks(language: &str) -> Vec<String> {
    let readme = text_of("README.md");
    let opening = format!("```{language}\n");
    let after_opening = readme.split(&opening).skip(1);
    after_opening.map(|rest| rest.split_once("```").unwrap().0.to_owned()).collect()
}

#[test]
fn every_command_of_the_readme_prints_what_the_readme_shows() {
    let blocks = blocks("console");
    assert!(blocks.len() >= 2, "the README shows commands with their output");
    for block in blocks {
        let (command, output) = block.split_once('\n').unwrap();
        let arguments = command.strip_prefix("$ cargo run --release -- ").unwrap();
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        assert_eq!(done(&arguments), output, "{command}");
    }
}

#[test]
fn the_scenario_of_the_readme_is_the_first_comparison() {
    let blocks = blocks("toml");
    assert_eq!(blocks.len(), 1);
    let scratch = Scratch::with(&[("shown.toml", &blocks[0])]);
    let results = |path: &str| csv(&["run", path]);
    assert_eq!(results(&scratch.path("shown.toml")), results("scenarios/first-comparison.toml"));
}

#[test]
fn every_file_that_the_documents_link_to_exists() {
    let names = [
        "scenarios",
        "reading-results",
        "real-machines",
        "embeddings",
        "greenberg",
        "engines",
        "performance",
        "clusters",
        "use-a-placement",
        "pictures",
    ];
    let pages = names.map(|page| format!("docs/{page}.md"));
    for document in std::iter::once("README.md").chain(pages.iter().map(String::as_str)) {
        let text = text_of(document);
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        let targets = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for target in targets.filter(|target| !target.starts_with('#') && !target.contains("://")) {
            let file = target.split('#').next().unwrap();
            let path = super::command::root().join(folder).join(file);
            assert!(path.exists(), "{document} links to {target}");
        }
    }
}

/// The makespans that the page on scenarios tells of its example of an order.
fn told_makespans() -> BTreeMap<u64, u64> {
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
fn the_example_of_an_order_has_the_runs_that_its_page_tells() {
    let page = text_of("docs/scenarios.md");
    let example = page.split_once("```toml\nname = \"order\"").unwrap().1.split_once("```").unwrap().0;
    let scratch = Scratch::with(&[("order.toml", format!("name = \"order\"{example}"))]);
    let (header, rows) = csv(&["run", &scratch.path("order.toml")]);
    let column = header.iter().position(|name| name == "makespan_cycles").unwrap();
    let makespans = (0..).zip(rows.iter().map(|row| row[column].parse().unwrap()));
    assert_eq!(makespans.collect::<BTreeMap<u64, u64>>(), told_makespans());
}

#[test]
fn the_examples_on_the_page_on_scenarios_are_valid() {
    let page = text_of("docs/scenarios.md");
    for start in ["[machine]\nkind = \"torus\"\nshape = [8, 8]\n```", "name = \"first comparison\"\nseed = 7"]
    {
        let at = page.find(start).unwrap();
        let example = page[at..].split_once("```").unwrap().0;
        let scratch = Scratch::empty();
        fs::write(scratch.path("example.toml"), example).unwrap();
        let listed = done(&["check", &scratch.path("example.toml")]);
        assert!(listed.ends_with("No errors; 3 runs.\n"), "{listed}");
    }
}
