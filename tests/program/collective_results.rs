//! Collectives: their bounds, busiest links, and the references of algorithms.

use serde_json::{Value, json};

use super::command::{Scratch, csv, done, json};

/// A ring of 8, on which recursive doubling by whole vectors and a ring compete at two sizes.
const CASES: &str = "machine = { kind = \"ring\", shape = [8] }\n[program]\nkind = \"all-reduce\"\ncompute_cycles = 9\n\
                     [[sweep.cases]]\n\"program.algorithm\" = \"ring\"\n\
                     [[sweep.cases]]\n\"program.algorithm\" = \"recursive-doubling\"\n\"program.exchange\" = \"whole\"\n\
                     [sweep]\n\"program.units\" = [8, 800]\n";

#[test]
fn every_run_has_its_bounds_the_part_that_it_reaches_and_its_busiest_link() {
    let scratch = Scratch::with(&[("two.toml", CASES)]);
    let path = scratch.path("two.toml");
    let runs = json(&["run", &path])["runs"].clone();
    for run in runs.as_array().unwrap() {
        let number = |key: &str| run[key].as_f64().unwrap();
        let (bandwidth, latency) = (number("bandwidth_bound_cycles"), number("latency_bound_cycles"));
        let cut = number("cut_bound_cycles");
        let most = bandwidth.max(latency).max(cut);
        let source = match most {
            most if (most - bandwidth).abs() < 0.5 => "bandwidth",
            most if (most - latency).abs() < 0.5 => "latency",
            _ => "cut",
        };
        assert_eq!(run["lower_bound_source"], json!(source));
        assert!((number("lower_bound_cycles") - most).abs() < 0.5);
        assert!(
            run["cut_bound_set"]
                .as_str()
                .is_some_and(|set| set.starts_with("node ") || set.starts_with("dim"))
        );
        let percent = 100.0 * number("lower_bound_cycles") / number("makespan_cycles");
        assert!((number("lower_bound_percent") - percent).abs() < 1e-9, "{run}");
    }
    assert!(csv(&["run", &path]).0.contains(&"lower_bound_percent".to_owned()));
    let table = done(&["run", &path]);
    for part in ["of bound", "bounds and busiest links", "steps bound", "(0)-(1)", "latency bound"] {
        assert!(table.contains(part), "no {part:?} in {table}");
    }
    let sentence = "No algorithm finishes before the bound under this placement";
    assert!(table.split_whitespace().collect::<Vec<_>>().join(" ").contains(sentence), "{table}");
    assert!(done(&["run", &path, "--format", "markdown"]).contains("busiest link"));
    assert!(!done(&["run", "scenarios/figure-6.toml"]).contains("of bound"));
}

#[test]
fn an_algorithm_without_an_exchange_is_the_reference_of_those_with_one() {
    let scratch = Scratch::with(&[("two.toml", CASES)]);
    let path = scratch.path("two.toml");
    let runs = json(&["compare", &path, "--reference", "ring"])["runs"].clone();
    let runs = runs.as_array().unwrap();
    let algorithm = |run: &Value| run["program"]["algorithm"].as_str().unwrap().to_owned();
    for run in runs {
        let is_same_size = |other: &&Value| {
            algorithm(other) == "ring" && other["program"]["vector_units"] == run["program"]["vector_units"]
        };
        let ring = runs.iter().find(is_same_size).unwrap();
        let expected = run["makespan_cycles"].as_f64().unwrap() / ring["makespan_cycles"].as_f64().unwrap();
        assert!((run["ratio_to_reference"].as_f64().unwrap() - expected).abs() < 1e-9, "{run}");
    }
    // One mark at each size.
    let table = done(&["compare", &path, "--reference", "ring"]);
    let marked = table.lines().filter(|line| line.contains(" * ")).count();
    assert_eq!(marked, 2, "{table}");
}

#[test]
fn the_report_compares_algorithms_at_the_same_size() {
    let text = "machine = { kind = \"ring\", shape = [8] }\n[program]\nkind = \"all-reduce\"\ncompute_cycles = 9\n\
                algorithm = [\"ring\", \"recursive-doubling\"]\nexchange = \"whole\"\n\
                [sweep]\n\"program.units\" = [8, 800]\n";
    let scratch = Scratch::with(&[("two.toml", text)]);
    let page = done(&["report", &scratch.path("two.toml")]);
    for sentence in [
        "ring takes the fewest cycles in 1 of 2 combinations.",
        "recursive-doubling takes the fewest cycles in 1 of 2 combinations.",
        "Ratios are to ring in the same combination",
    ] {
        assert!(page.contains(sentence), "no {sentence:?}");
    }
    // In both parts of the table.
    assert_eq!(page.matches("class=\"mark-best\"").count(), 4);
    // 83 cycles of recursive doubling over 140 of a ring.
    assert!(page.contains("<td data-value=\"0.593\">0.593</td>"));
    let alone =
        done(&["report", &scratch.path("two.toml"), "--set", "program.algorithm=\"recursive-doubling\""]);
    assert!(!alone.contains("takes the fewest cycles") && !alone.contains("class=\"mark-best\""));
}
