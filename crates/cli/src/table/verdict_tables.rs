//! The pages of `cubefold bench` and `cubefold verify`: rows with verdicts.

use cubefold_claims::{CheckedClaim, Quantity, Verdict};
use cubefold_experiment::{
    Definition,
    records::{BenchRecord, Cell, Row, counted as counted_things},
    tools::benchmark::SavedSet,
};

use super::{Page, TextTable};
use crate::format::ResultFormat;

/// Every row, with its comparison if there is one.
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
        ..TextTable::default()
    });
    page.notes(bench_notes(rows, saved));
    page
}

/// The rounding of the numbers of a column.
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

/// The claims with a line of their own on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Those that do not simply hold.
    Exceptions,
    /// All.
    EveryClaim,
}

/// The claims by section; all of them in Markdown and LaTeX, elsewhere a line for each claim that `detail` selects.
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
