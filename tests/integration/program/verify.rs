//! `verify`: the claims of the papers, each measured.

use serde_json::json;

use super::command::{csv_table, done, json, run};
use super::shape_of_json::assert_shape;

#[test]
fn the_quick_verification_finds_no_claim_that_fails() {
    let document = json(&["verify", "--quick"]);
    let envelope = json!({ "format": "text", "version": "count", "cubefold": "text", "claims": [{
        "source": "text", "claim": "text", "cases": "count", "promised": "number", "worst": "number",
        "verdict": "text", "erratum": "text?"
    }] });
    assert_shape(&document, &envelope);
    assert_eq!(document["format"], "cubefold-verify");
    for claim in document["claims"].as_array().unwrap() {
        let verdict = claim["verdict"].as_str().unwrap();
        assert!(["holds", "bounded", "fails-as-printed"].contains(&verdict), "{claim}");
        assert_eq!(verdict == "fails-as-printed", claim["erratum"].is_string(), "{claim}");
        assert!(claim["cases"].as_u64().unwrap() > 0, "{claim}");
    }
}

#[test]
fn the_outcome_is_the_same_whatever_the_threads() {
    let by = |threads| done(&["verify", "--quick", "--format", "csv", "--threads", threads]);
    let two = by("2");
    assert_eq!(two, by("1"));
    let (header, rows) = csv_table(&two);
    assert_eq!(header, ["source", "claim", "cases", "promised", "worst", "verdict", "erratum"]);
    assert_eq!(json!(rows.len()), json!(json(&["verify", "--quick"])["claims"].as_array().unwrap().len()));
}

#[test]
fn the_table_fits_eighty_columns() {
    let table = done(&["verify", "--quick"]);
    let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 80, "{widest}");
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_tried() {
    let finished = run(&["verify", "--output", "no/such/folder/claims.md"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
}
