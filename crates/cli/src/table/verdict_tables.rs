//! The pages of `cubefold bench` and `cubefold verify`: rows with verdicts.

use cubefold_claims::{CheckedClaim, Quantity, Verdict};
use cubefold_experiment::{
    Definition,
    benchmark::SavedSet,
    export::{BenchRecord, Cell, Row},
};
use textwrap::{Options, WordSplitter, wrap};

use super::{Page, TextTable};
use crate::format::ResultFormat;

/// Every row, with what it is compared with where there is something.
pub(crate) fn bench_table(rows: &[BenchRecord], saved: Option<&SavedSet>) -> Page {
    let mut page = Page::default();
    let columns: [(&str, Digits); 5] = if saved.is_none() {
        [
            ("row", Digits::Four),
            ("cpu_milliseconds", Digits::Four),
            ("wall_milliseconds", Digits::Four),
            ("ratio_to_baseline", Digits::Four),
            ("noise_percent", Digits::Tenths),
        ]
    } else {
        [
            ("row", Digits::Four),
            ("ratio_to_baseline", Digits::Four),
            ("saved_ratio_to_baseline", Digits::Four),
            ("change_percent", Digits::SignedTenths),
            ("verdict", Digits::Four),
        ]
    };
    let cells = |record: &BenchRecord| {
        let row = Row::new(record);
        columns.map(|(name, digits)| digits.of(row.cell(name))).to_vec()
    };
    page.table(TextTable {
        header: columns.map(|(name, _)| Definition::title_of(name).to_owned()).to_vec(),
        rows: rows.iter().map(cells).collect(),
        words: 1,
        gives_way: &[],
    });
    page.notes(bench_notes(rows, saved));
    page
}

/// How the numbers of a column are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    /// To about four digits.
    Four,
    Tenths,
    SignedTenths,
}

impl Digits {
    fn of(self, cell: &Cell<'_>) -> String {
        match (self, cell) {
            (Self::Four, Cell::Decimal(figure)) if *figure < 1.0 => format!("{figure:.4}"),
            (Self::Four, Cell::Decimal(figure)) if *figure < 100.0 => format!("{figure:.2}"),
            (Self::Four, Cell::Decimal(figure)) => format!("{figure:.0}"),
            (Self::Tenths, Cell::Decimal(figure)) => format!("{figure:.1}"),
            (Self::SignedTenths, Cell::Decimal(figure)) => format!("{figure:+.1}"),
            (_, cell) => cell.to_string(),
        }
    }
}

fn bench_notes(rows: &[BenchRecord], saved: Option<&SavedSet>) -> Vec<String> {
    let Some(saved) = saved else {
        let note = "cpu, wall: the least of all repetitions. ratio: cpu over that of a fixed loop that is measured in \
                    turn. noise: how far a usual repetition lies above the least.";
        return vec![note.to_owned()];
    };
    let count = |verdict| rows.iter().filter(|row| row.verdict == Some(verdict)).count();
    let counts = ["same", "slower", "faster", "new", "missing"].map(|verdict| (count(verdict), verdict));
    let counted =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}"));
    let counted: Vec<String> = counted.collect();
    vec![
        format!("Compared with figures of cubefold {}: {}.", saved.cubefold, counted.join(", ")),
        "A row is slower when its ratio exceeds the saved one by more than the noise of both, and at least 5 %."
            .to_owned(),
    ]
}

/// The widest that sources, claims and verdicts are on a terminal.
const WIDTHS: [usize; 3] = [15, 26, 9];

/// Every claim; a cell that is too wide for a terminal goes on in the rows below.
pub(crate) fn verify_table(claims: &[CheckedClaim], format: ResultFormat) -> Page {
    let mut page = Page::default();
    for part in claims.chunk_by(|one, other| one.part == other.part) {
        page.heading(part.first().map_or("", |claim| claim.part));
        let rows = part.iter().flat_map(|claim| match format {
            ResultFormat::Markdown => vec![claim_row(claim)],
            ResultFormat::Table
            | ResultFormat::Json
            | ResultFormat::Jsonl
            | ResultFormat::Csv
            | ResultFormat::Parquet => wrapped(&claim_row(claim)),
        });
        let header = ["source", "claim", "cases", "promised", "worst", "verdict"]
            .map(|name| Definition::title_of(name).to_owned());
        page.table(TextTable { header: header.to_vec(), rows: rows.collect(), words: 2, gives_way: &[] });
    }
    page.notes(claim_notes(claims));
    page
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

fn claim_notes(claims: &[CheckedClaim]) -> Vec<String> {
    let count = |verdict: Verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let counted = [Verdict::Holds, Verdict::Bounded, Verdict::FailsAsPrinted, Verdict::Fails]
        .map(|verdict| format!("{} {verdict}", count(verdict)));
    vec![format!("{} claims: {}.", claims.len(), counted.join(", "))]
}
