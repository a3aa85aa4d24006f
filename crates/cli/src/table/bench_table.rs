//! The page of `cubefold bench`.

use cubefold_experiment::{benchmark::SavedSet, export::BenchRecord};

use super::{Page, TextTable};

/// Every row, with what it is compared with where there is something.
pub(crate) fn bench_table(rows: &[BenchRecord], saved: Option<&SavedSet>) -> Page {
    let mut page = Page::default();
    let (header, rows_of_cells): (_, Vec<_>) = match saved {
        None => (["row", "cpu ms", "wall ms", "ratio", "noise %"], rows.iter().map(figures).collect()),
        Some(_) => (["row", "ratio", "saved", "change %", "verdict"], rows.iter().map(comparison).collect()),
    };
    page.table(TextTable {
        header: header.map(str::to_owned).to_vec(),
        rows: rows_of_cells,
        words: 1,
        gives_way: &[],
    });
    page.notes(notes(rows, saved));
    page
}

fn figures(row: &BenchRecord) -> Vec<String> {
    vec![
        row.row.clone(),
        decimals(row.cpu_milliseconds),
        decimals(row.wall_milliseconds),
        decimals(row.ratio_to_baseline),
        row.noise_percent.map_or_else(String::new, |noise| format!("{noise:.1}")),
    ]
}

fn comparison(row: &BenchRecord) -> Vec<String> {
    vec![
        row.row.clone(),
        decimals(row.ratio_to_baseline),
        decimals(row.saved_ratio_to_baseline),
        row.change_percent.map_or_else(String::new, |change| format!("{change:+.1}")),
        row.verdict.unwrap_or_default().to_owned(),
    ]
}

/// A figure with about four digits; nothing where there is none.
fn decimals(figure: Option<f64>) -> String {
    match figure {
        None => String::new(),
        Some(figure) if figure < 1.0 => format!("{figure:.4}"),
        Some(figure) if figure < 100.0 => format!("{figure:.2}"),
        Some(figure) => format!("{figure:.0}"),
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
