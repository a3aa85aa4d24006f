//! `verify`: the claims of the papers, each measured.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::command::{Scratch, csv_table, done, refused, run};
use super::shape_of_json::assert_shape;

/// The document of the quick verification. It takes seconds, so the tests share it.
pub(super) static QUICK: LazyLock<Value> = LazyLock::new(|| {
    let scratch = Scratch::empty();
    done(&["verify", "--quick", "--output", &scratch.path("claims.json")]);
    serde_json::from_str(&scratch.read("claims.json")).unwrap()
});

/// The tables of two parts of the quick verification.
pub(super) static TABLES: LazyLock<[String; 2]> = LazyLock::new(|| {
    [done(&["verify", "--quick", "--only", "greenberg"]), done(&["verify", "--quick", "--only", "swing"])]
});

/// The claims of the quick verification.
fn claims() -> &'static Vec<Value> {
    QUICK["claims"].as_array().unwrap()
}

#[test]
fn the_quick_verification_finds_no_claim_that_fails() {
    let envelope = json!({ "format": "text", "version": "count", "cubefold": "text", "claims": [{
        "source": "text", "claim": "text", "cases": "count", "promised": "number", "worst": "number",
        "verdict": "text", "erratum": "text?"
    }] });
    assert_shape(&QUICK, &envelope);
    assert_eq!(QUICK["format"], "cubefold-verify");
    for claim in claims() {
        let verdict = claim["verdict"].as_str().unwrap();
        assert!(["holds", "bounded", "fails-as-printed"].contains(&verdict), "{claim}");
        assert_eq!(verdict == "fails-as-printed", claim["erratum"].is_string(), "{claim}");
        assert!(claim["cases"].as_u64().unwrap() > 0, "{claim}");
    }
}

#[test]
fn the_outcome_is_the_same_in_another_format_whatever_the_threads() {
    // The document is made on as many threads as there are processors.
    let part = ["verify", "--quick", "--only", "greenberg", "--format", "csv", "--threads", "1"];
    let (header, rows) = csv_table(&done(&part));
    assert_eq!(header, ["source", "claim", "cases", "promised", "worst", "verdict", "erratum"]);
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    let of_part = claims().iter().filter(|claim| claim["source"].as_str().unwrap().contains("Greenberg"));
    let expected: Vec<Vec<String>> =
        of_part.map(|claim| claim.as_object().unwrap().values().map(cell).collect()).collect();
    assert!(expected.len() > 10);
    assert_eq!(rows, expected);
}

#[test]
fn the_tables_fit_eighty_columns_and_cut_no_claim() {
    let [lines, _] = &*TABLES;
    let claims = csv_table(&done(&["verify", "--quick", "--only", "greenberg", "--format", "csv"])).1;
    for word in claims.iter().flat_map(|claim| claim[1].split_whitespace()) {
        assert!(lines.contains(word), "{word} in {lines}");
    }
    let is_claim = |line: &&str| {
        let mut words = line.split("  ").last().unwrap_or_default().split_whitespace();
        words.next().is_some_and(|word| ["holds", "bounded", "fails-as-printed"].contains(&word))
    };
    assert_eq!(lines.lines().filter(is_claim).count(), claims.len(), "{lines}");
    // The paper stands in the headings only.
    assert_eq!(lines.lines().filter(|line| line.starts_with("Greenberg 19")).count(), 2, "{lines}");
    for table in &*TABLES {
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{widest}");
    }
}

#[test]
fn claims_that_hold_are_counted_by_section() {
    let text = done(&["verify", "--quick", "--only", "Swing"]);
    assert!(text.contains("Swing 2024, as printed (docs/errata.md, S1 to S5, S7)"), "{text}");
    let said = refused(&["verify", "--only", "no such claim"]);
    assert!(said.contains("no claim has \"no such claim\""), "{said}");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_tried() {
    refused(&["verify", "--output", "no/such/folder/claims.md"]);
}

#[test]
fn an_erratum_that_nothing_measures_says_why() {
    let found = run(&["verify", "--quick", "--only", "erratum c8", "--format", "csv"]);
    assert_eq!(found.code, Some(0));
    assert!(found.stderr.contains("no claim measures erratum C8: a definition"), "{}", found.stderr);
    let unknown = run(&["verify", "--quick", "--only", "theorem 3.4.9"]);
    assert_eq!(unknown.code, Some(2));
}
