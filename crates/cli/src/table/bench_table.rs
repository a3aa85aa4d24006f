//! The page of `cubefold bench`.

use cubefold_experiment::{
    Definition,
    benchmark::SavedSet,
    export::{BenchRecord, Cell, Row},
};

use super::{Page, TextTable};

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
    page.notes(notes(rows, saved));
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

fn notes(rows: &[BenchRecord], saved: Option<&SavedSet>) -> Vec<String> {
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
