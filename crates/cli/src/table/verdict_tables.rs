//! The page of `cubefold verify`: claims with verdicts.

use cubefold_claims::{CheckedClaim, Quantity, Verdict};
use cubefold_records::{Definition, counted as counted_things};

use super::{Page, TextTable};
use crate::format::ResultFormat;

/// The claims with a line each on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Claims that do not simply hold.
    Exceptions,
    /// All.
    EveryClaim,
}

/// The claims by section; all of them in Markdown and LaTeX, otherwise a line for each claim that `detail` selects.
pub(crate) fn verify_table(claims: &[CheckedClaim], format: ResultFormat, detail: Detail) -> Page {
    let mut page = Page::default();
    let is_paper = matches!(format, ResultFormat::Markdown | ResultFormat::Latex);
    let every_claim = is_paper || detail == Detail::EveryClaim;
    for part in claims.chunk_by(|one, other| one.part == other.part) {
        let name = part.first().map_or("", |claim| claim.part);
        let holding = part.iter().filter(|claim| claim.verdict == Verdict::Holds).count() as u64;
        let hold = if holding == 1 { "holds" } else { "hold" };
        match (is_paper, holding) {
            (true, _) | (_, 0) => page.heading(name),
            (_, holding) => page.heading(&format!("{name}: {} {hold}", counted_things(holding, "claim"))),
        }
        let shown = part.iter().filter(|claim| every_claim || claim.verdict != Verdict::Holds);
        let mut rows: Vec<Vec<String>> = shown.map(claim_row).collect();
        if !is_paper {
            for row in &mut rows {
                drop_paper(&mut row[0], name);
            }
        }
        let header = ["source", "claim", "cases", "promised", "worst", "verdict"]
            .map(|name| Definition::title_of(name).to_owned());
        if !rows.is_empty() {
            page.table(TextTable {
                header: header.to_vec(),
                rows,
                words: 2,
                gives_way: &["cases"],
                ..TextTable::default()
            });
        }
    }
    page.notes(claim_notes(claims));
    if !every_claim {
        page.notes(vec![
            "A claim that holds has a line with --only TEXT, and in every other --format.".to_owned(),
        ]);
    }
    page
}

/// A source without the paper if the heading begins with it: `lemma 1` below `Greenberg 1987: ..`.
fn drop_paper(source: &mut String, heading: &str) {
    let rest = source.split_once(", ").filter(|(paper, rest)| !rest.is_empty() && heading.starts_with(paper));
    if let Some((_, rest)) = rest {
        *source = rest.to_owned();
    }
}

fn claim_row(claim: &CheckedClaim) -> Vec<String> {
    let value = |value: Option<Quantity>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
    let verdict = match (claim.verdict, claim.erratum) {
        (Verdict::FailsAsPrinted, Some(erratum)) => format!("{} {erratum}", claim.verdict),
        (verdict, _) => verdict.to_string(),
    };
    let words = [claim.source, claim.claim].map(str::to_owned);
    let numbers = [claim.cases.to_string(), value(claim.promised), value(claim.worst)];
    words.into_iter().chain(numbers).chain([verdict]).collect()
}

fn claim_notes(claims: &[CheckedClaim]) -> Vec<String> {
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let counted = [
        (count(Verdict::Holds), "holds", "hold"),
        (count(Verdict::Bounded), "is bounded", "are bounded"),
        (count(Verdict::FailsAsPrinted), "fails as printed", "fail as printed"),
        (count(Verdict::Fails), "fails", "fail"),
    ];
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let words = counted.map(|(count, one, more)| format!("{count} {}", if count == 1 { one } else { more }));
    let all = counted_things(claims.len() as u64, "claim");
    vec![format!("{all}: {}.", words.collect::<Vec<_>>().join(", "))]
}
