//! The scenarios and machines of the repository are good.

use std::fs;

use serde_json::Value;

use super::command::{LONGEST, SMALLER, Scratch, done, files_in, json, root, text_of};

/// The command that checks files.
fn check(files: &[String]) -> Vec<&str> {
    std::iter::once("check").chain(files.iter().map(String::as_str)).collect()
}

/// The runs that it lists.
fn listed(files: &[String]) -> Vec<Value> {
    json(&check(files))["runs"].as_array().unwrap().clone()
}

#[test]
fn every_scenario_passes_the_check_and_all_do_at_once_with_their_runs_numbered_through() {
    let mut files = files_in("scenarios", "toml");
    files.retain(|path| path != LONGEST);
    let of_file = |path: &String| {
        let runs = listed(std::slice::from_ref(path));
        assert!(!runs.is_empty(), "{path}");
        runs
    };
    let mut expected: Vec<Value> = files.iter().flat_map(of_file).collect();
    for (place, run) in expected.iter_mut().enumerate() {
        run["run"] = place.into();
    }
    assert_eq!(listed(&files), expected);
    files.push(LONGEST.to_owned());
    let page = done(&check(&files));
    assert!(page.contains("No errors; "), "{page}");
}

#[test]
fn every_machine_file_is_a_machine() {
    let scratch = Scratch::empty();
    for path in files_in("configs", "toml") {
        let absolute = root().join(&path).canonicalize().unwrap();
        let text = text_of(&path);
        // A cluster has no shape; that a collective runs on it is enough.
        if text.contains("kind = \"cluster\"") {
            let program = "program = { kind = \"barrier\", algorithm = \"dissemination\" }";
            let text = format!("machine.file = {:?}\n{program}\n", absolute.to_str().unwrap());
            fs::write(scratch.path("on-file.toml"), text).unwrap();
            json(&["run", &scratch.path("on-file.toml")]);
            continue;
        }
        let text =
            format!("machine.file = {:?}\nmapping.embeddings = [\"optimal\"]\n", absolute.to_str().unwrap());
        fs::write(scratch.path("on-file.toml"), text).unwrap();
        let document = json(&["run", &scratch.path("on-file.toml")]);
        let machine = &document["runs"][0]["machine"];
        let stem = path.split('/').next_back().unwrap().strip_suffix(".toml").unwrap();
        let shape: Vec<String> =
            machine["shape"].as_array().unwrap().iter().map(ToString::to_string).collect();
        let shape = if machine["kind"] == "hypercube" { shape.len().to_string() } else { shape.join("x") };
        assert!(stem.ends_with(&format!("-{shape}")), "{path} has the shape {shape}");
    }
}

#[test]
fn the_command_in_every_scenario_names_that_scenario_and_runs() {
    let scratch = Scratch::empty();
    for path in files_in("scenarios", "toml") {
        let text = text_of(&path);
        let line = text.lines().find_map(|line| line.strip_prefix("# Run: cubefold ")).unwrap();
        let mut arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert!(arguments.contains(&path), "{path}: {line}");
        if let Some(option) = arguments.iter().position(|argument| argument == "--output") {
            arguments[option + 1] = scratch.path(&arguments[option + 1]);
        }
        // The largest takes seconds; that it is valid is enough.
        if path.ends_with("four-billion.toml") {
            done(&["check", &path]);
        } else if path == LONGEST {
            done(&[arguments, SMALLER.map(str::to_owned).to_vec()].concat());
        } else {
            done(&arguments);
        }
    }
}

#[test]
fn the_page_on_scenarios_names_every_scenario_and_machine_file() {
    let page = text_of("docs/scenarios.md");
    for path in [files_in("scenarios", "toml"), files_in("configs", "toml")].concat() {
        let name = path.split('/').next_back().unwrap();
        assert!(page.contains(&format!("`{name}`")), "docs/scenarios.md does not name {path}");
    }
}
