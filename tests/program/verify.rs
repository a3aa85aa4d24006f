//! `verify`: the claims of the papers, each measured.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::command::{Scratch, csv_table, done, run, text_of};
use super::shape_of_json::assert_shape;

/// What stands before the program's own words in the page.
const MARK: &str = "<!-- cubefold verify --format markdown -->\n\n";

/// What the quick verification writes as a document: it takes seconds, so that the tests share it.
pub(super) static QUICK: LazyLock<Value> = LazyLock::new(|| {
    let scratch = Scratch::empty();
    done(&["verify", "--quick", "--output", &scratch.path("claims.json")]);
    serde_json::from_str(&scratch.read("claims.json")).unwrap()
});

/// The tables of a part of the quick verification, with a line for each claim, and of another without.
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
fn the_tables_fit_eighty_columns_with_a_line_a_claim() {
    let [lines, _] = &*TABLES;
    let claims = csv_table(&done(&["verify", "--quick", "--only", "greenberg", "--format", "csv"])).1.len();
    let is_claim = |line: &&str| {
        let mut words = line.split("  ").last().unwrap_or_default().split_whitespace();
        words.next().is_some_and(|word| ["holds", "bounded", "fails-as-printed"].contains(&word))
    };
    assert_eq!(lines.lines().filter(is_claim).count(), claims, "{lines}");
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
    let finished = run(&["verify", "--only", "no such claim"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    assert!(finished.stderr.contains("no claim has \"no such claim\""), "{}", finished.stderr);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_anything_is_tried() {
    let finished = run(&["verify", "--output", "no/such/folder/claims.md"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
}

#[test]
#[ignore = "about a minute: the whole verification"]
fn the_page_of_claims_is_what_the_program_writes() {
    let page = text_of("docs/verify.md");
    let written = page.split_once(MARK).unwrap().1;
    assert_eq!(done(&["verify", "--format", "markdown"]), written);
}

#[test]
fn the_page_of_claims_lists_those_that_the_program_tries_with_their_verdicts() {
    let page = text_of("docs/verify.md");
    let written = page.split_once(MARK).unwrap().1;
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = written.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| source"));
    let listed: Vec<_> =
        rows.map(cells).map(|row| [row[1].clone(), row[2].clone(), row[6].clone()]).collect();
    let word = |claim: &Value, key: &str| claim[key].as_str().unwrap().to_owned();
    let tried: Vec<_> = claims()
        .iter()
        .map(|claim| {
            let erratum = claim["erratum"].as_str().map(|entry| format!(" {entry}")).unwrap_or_default();
            [word(claim, "source"), word(claim, "claim"), word(claim, "verdict") + &erratum]
        })
        .collect();
    for (listed, tried) in listed.iter().zip(&tried) {
        assert_eq!(listed, tried);
    }
    assert_eq!(listed.len(), tried.len());
}
