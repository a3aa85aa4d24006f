//! Open-loop traffic against the golden cases of section 30: every member of `open_loop`, and the files of rows.

use serde_json::Value;

use super::command::{Scratch, json, text_of};

/// Whether two values are equal, numbers with a fraction up to rounding.
fn agree(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => {
            let [found, expected] = [found, expected].map(|number| number.as_f64().unwrap());
            (found - expected).abs() <= 1e-9 * expected.abs()
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(one, other)| agree(one, other))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && expected
                    .iter()
                    .all(|(name, value)| found.get(name).is_some_and(|member| agree(member, value)))
        }
        _ => found == expected,
    }
}

#[test]
fn open_loop_results_equal_the_golden_ones() {
    let golden: Value = serde_json::from_str(&text_of("tests/golden/research/research.json")).unwrap();
    let mut wrong = vec![];
    for (place, case) in golden["cases"].as_array().unwrap().iter().enumerate() {
        if case["kind"] != "open" {
            continue;
        }
        let files = case["files"].as_object().unwrap().iter();
        let mut files: Vec<(&str, String)> =
            files.map(|(name, text)| (name.as_str(), text.as_str().unwrap().to_owned())).collect();
        files.push(("s.toml", case["scenario"].as_str().unwrap().to_owned()));
        let scratch = Scratch::with(&files);
        let document = json(&["run", &scratch.path("s.toml")]);
        let found = &document["runs"][0]["open_loop"];
        let mut expected = case["expect"].as_object().unwrap().clone();
        expected.shift_remove("files_sha256");
        expected.shift_remove("channels");
        for (name, value) in &expected {
            if !agree(&found[name], value) {
                wrong.push(format!("{place} {}: {name} {}, expected {value}", case["what"], found[name]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
