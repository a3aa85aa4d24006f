//! `execution.engine`: results do not depend on it, the record names what ran, and one that does not apply is refused.

use serde_json::Value;

use super::command::{Scratch, done, files_in, json, refused, root, text_of};

/// Scenarios whose asynchronous runs the belt engine takes: named embeddings under full-duplex and half-duplex links,
/// mixed wrapping, stages that return to an idle line.
const BY_BELT: [&str; 8] = [
    "bitonic-sort",
    "contention-64x64",
    "fft-mesh-16x16",
    "hop-sweep",
    "mixed-wrap",
    "rings",
    "stage-order",
    "torus-3d",
];

/// A folder with the placements of the scenarios.
fn folder() -> Scratch {
    let placements = files_in("scenarios", "csv");
    let files: Vec<(&str, String)> =
        placements.iter().map(|path| (path.split('/').next_back().unwrap(), text_of(path))).collect();
    Scratch::with(&files)
}

/// The path of a scenario of the repository that asks for an engine.
fn with_engine(scratch: &Scratch, name: &str, engine: &str) -> String {
    let text = text_of(&format!("scenarios/{name}.toml"));
    let configs = root().join("configs").canonicalize().unwrap();
    let text = text.replace("\"../configs/", &format!("\"{}/", configs.to_str().unwrap()));
    let table = format!("[execution]\nengine = \"{engine}\"\n");
    let text = if text.contains("[execution]\n") {
        text.replace("[execution]\n", &table)
    } else {
        format!("{text}\n{table}")
    };
    write(scratch, name, &text)
}

fn write(scratch: &Scratch, name: &str, text: &str) -> String {
    let path = scratch.path(&format!("{name}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// The document and the rows of processes of a scenario.
fn results(scratch: &Scratch, scenario: &str, options: &[&str]) -> (String, String) {
    let rows = scratch.path("rows.csv");
    let arguments = ["run", scenario, "--format", "json", "--force", "--processes", &rows];
    (done(&[&arguments[..], options].concat()), scratch.read("rows.csv"))
}

/// The document with another engine named in every run of this one, of which there are some.
fn renamed(document: &str, engine: &str, other: &str) -> String {
    let member = |engine: &str| format!("\"engine\": \"{engine}\"");
    assert!(document.contains(&member(engine)) && !document.contains(&member(other)));
    document.replace(&member(engine), &member(other))
}

#[test]
fn hop_and_belt_give_the_same_bytes_but_for_their_names() {
    let scratch = folder();
    for name in BY_BELT {
        let by = |engine| results(&scratch, &with_engine(&scratch, name, engine), &[]);
        let ((hop, hop_rows), (belt, belt_rows)) = (by("hop"), by("belt"));
        assert!(renamed(&hop, "hop", "belt") == belt, "{name}");
        assert!(hop_rows == belt_rows && hop_rows.lines().count() > 1, "{name}");
    }
}

#[test]
fn rows_of_a_belt_run_are_the_same_bytes_on_1_2_and_8_threads() {
    let scratch = folder();
    for name in ["contention-64x64", "fft-mesh-16x16", "hop-sweep", "stage-order"] {
        let scenario = with_engine(&scratch, name, "belt");
        let with = |threads| results(&scratch, &scenario, &["--threads", threads]);
        let one = with("1");
        assert!(one.0.contains("\"engine\": \"belt\""), "{name}");
        assert!(with("2") == one && with("8") == one, "{name}");
    }
}

/// The engines that a scenario's runs name.
fn named(scenario: &str) -> Vec<String> {
    let document = json(&["run", scenario]);
    let engine = |run: &Value| run["engine"].as_str().unwrap().to_owned();
    document["runs"].as_array().unwrap().iter().map(engine).collect()
}

#[test]
fn without_a_choice_the_record_names_the_fastest_engine_that_applies() {
    for (name, engine) in [
        ("contention-64x64", "belt"),
        ("mixed-wrap", "belt"),
        ("own-placement", "hop"),
        ("neighbour-exchange", "hop"),
        ("shared-nodes", "hop"),
    ] {
        let asynchronous = |text: String| text.replace("\"coordinated\"", "\"asynchronous\"");
        let scratch = folder();
        let text = asynchronous(text_of(&format!("scenarios/{name}.toml")));
        let configs = root().join("configs").canonicalize().unwrap();
        let text = text.replace("\"../configs/", &format!("\"{}/", configs.to_str().unwrap()));
        let engines = named(&write(&scratch, name, &text));
        assert!(!engines.is_empty() && engines.iter().all(|found| found == engine), "{name}: {engines:?}");
    }
    // Four embeddings, asynchronous then coordinated, under full-duplex, half-duplex and single-direction links.
    let by_links = ["belt", "belt", "hop", "coordinated", "coordinated", "coordinated"];
    let expected: Vec<&str> = by_links.iter().flat_map(|&engine| [engine; 4]).collect();
    assert_eq!(named("scenarios/link-modes.toml"), expected);
}

/// Asserts that the belt engine is refused for a reason, at the place of the choice.
fn assert_refused(text: &str, reason: &str) {
    let text = format!("{text}[execution]\nengine = \"belt\"\n");
    let apart = "process,p_1\n0,0\n1,3\n2,1\n3,2\n";
    let shared = "process,p_1\n0,0\n1,0\n2,1\n3,2\n";
    let files = [("s.toml", text.as_str()), ("apart.csv", apart), ("shared.csv", shared)];
    let scratch = Scratch::with(&files);
    let said = refused(&["run", &scratch.path("s.toml")]);
    // The report breaks lines, at hyphens too, and draws a frame around them.
    let dense = |text: &str| text.replace(|letter: char| letter.is_whitespace() || letter == '│', "");
    let report = dense(&said);
    assert!(report.contains(&dense(reason)), "{said}");
    let place = format!("s.toml:{}:10]", text.lines().count());
    assert!(report.contains(&place), "no {place} in {said}");
    // With the engine left to the program it runs.
    let automatic = text.replace("\"belt\"", "\"auto\"");
    std::fs::write(scratch.path("s.toml"), automatic).unwrap();
    assert!(named(&scratch.path("s.toml")).iter().all(|engine| engine == "hop"));
}

#[test]
fn the_belt_engine_is_refused_for_programs_that_are_not_on_cubes() {
    assert_refused(
        "machine = { kind = \"ring\", shape = [4] }\n\
         program = { kind = \"neighbour-exchange\", guest = { kind = \"ring\", shape = [4] } }\n",
        "the belt engine runs compute-and-communicate programs on cubes, not this one",
    );
}

#[test]
fn the_belt_engine_is_refused_where_processes_share_nodes() {
    assert_refused(
        "machine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"file:shared.csv\"]\n",
        "the belt engine needs a node for every process, but some share one",
    );
}

#[test]
fn the_belt_engine_is_refused_under_single_direction_links() {
    assert_refused(
        "machine = { kind = \"ring\", shape = [4], links = \"single-direction\" }\n",
        "the belt engine has no single-direction links",
    );
}

const NO_LINES: &str = "the belt engine runs named embeddings whose stages take one coordinate after another, not \
                        this placement or order of stages";

#[test]
fn the_belt_engine_is_refused_for_a_placement_from_a_file() {
    assert_refused(
        "machine = { kind = \"ring\", shape = [4] }\nmapping.embeddings = [\"file:apart.csv\"]\n",
        NO_LINES,
    );
}

#[test]
fn the_belt_engine_is_refused_for_stages_that_return_to_a_busy_line() {
    // Under byweight, whose distances differ, a line of the first coordinate is still busy when some of its
    // processes are back from a stage along the second.
    for links in ["full-duplex", "half-duplex"] {
        assert_refused(
            &format!(
                "machine = {{ kind = \"torus\", shape = [16, 16], links = \"{links}\" }}\n\
                 program.stages = [0, 4, 0, 5, 0, 6]\nmapping.embeddings = [\"byweight\"]\n"
            ),
            NO_LINES,
        );
    }
}
