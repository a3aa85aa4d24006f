//! The page of `cubefold verify`: a table for each part of the papers, a row a claim.

use cubefold_claims::{CheckedClaim, Quantity, Verdict};
use cubefold_experiment::Definition;
use textwrap::{Options, WordSplitter, wrap};

use super::{Page, TextTable};
use crate::format::ResultFormat;

/// The widest that sources, claims and verdicts are on a terminal.
const WIDTHS: [usize; 3] = [15, 26, 9];

/// Every claim; a cell that is too wide for a terminal goes on in the rows below.
pub(crate) fn verify_table(claims: &[CheckedClaim], format: ResultFormat) -> Page {
    let mut page = Page::default();
    for part in claims.chunk_by(|one, other| one.part == other.part) {
        page.heading(part.first().map_or("", |claim| claim.part));
        let rows = part.iter().flat_map(|claim| match format {
            ResultFormat::Markdown => vec![row(claim)],
            ResultFormat::Table
            | ResultFormat::Json
            | ResultFormat::Jsonl
            | ResultFormat::Csv
            | ResultFormat::Parquet => wrapped(&row(claim)),
        });
        let header = ["source", "claim", "cases", "promised", "worst", "verdict"]
            .map(|name| Definition::title_of(name).to_owned());
        page.table(TextTable { header: header.to_vec(), rows: rows.collect(), words: 2, gives_way: &[] });
    }
    page.notes(notes(claims));
    page
}

fn row(claim: &CheckedClaim) -> Vec<String> {
    let value = |value: Option<Quantity>| value.map_or_else(|| "none".to_owned(), |value| value.to_string());
    let verdict = match (claim.verdict, claim.erratum) {
        (Verdict::FailsAsPrinted, Some(erratum)) => format!("{} {erratum}", claim.verdict),
        (verdict, _) => verdict.to_string(),
    };
    let words = [claim.source, claim.claim].map(str::to_owned);
    let numbers = [claim.cases.to_string(), value(claim.promised), value(claim.worst)];
    words.into_iter().chain(numbers).chain([verdict]).collect()
}

/// The row with its words cut to the widths, over as many rows as that takes.
fn wrapped(row: &[String]) -> Vec<Vec<String>> {
    let lines = |place: usize, width: usize| {
        let options = Options::new(width).word_splitter(WordSplitter::HyphenSplitter);
        wrap(&row[place], options).into_iter().map(std::borrow::Cow::into_owned).collect::<Vec<_>>()
    };
    let [source, claim, verdict] =
        [(0, WIDTHS[0]), (1, WIDTHS[1]), (5, WIDTHS[2])].map(|(place, width)| lines(place, width));
    let height = source.len().max(claim.len()).max(verdict.len());
    let line = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
    let row_at = |at: usize| {
        let numbers = (2..5).map(|place| if at == 0 { row[place].clone() } else { String::new() });
        let words = [line(&source, at), line(&claim, at)];
        words.into_iter().chain(numbers).chain([line(&verdict, at)]).collect()
    };
    (0..height).map(row_at).collect()
}

fn notes(claims: &[CheckedClaim]) -> Vec<String> {
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let counted = [Verdict::Holds, Verdict::Bounded, Verdict::FailsAsPrinted, Verdict::Fails]
        .map(|verdict| format!("{} {verdict}", count(verdict)));
    vec![format!("{} claims: {}.", claims.len(), counted.join(", "))]
}
