//! Blocks of a page as LaTeX: tables with the rules of `booktabs`, numbers to the right, units in headings.

use cubefold_experiment::{Definition, latex_text as escaped};

use super::TextTable;

/// The packages that a page needs, as a comment above it.
pub(super) const PREAMBLE: &str = "% In the preamble: \\usepackage[T1]{fontenc} \\usepackage{booktabs}\n";

/// A command with a text.
pub(super) fn command(name: &str, text: &str) -> String {
    format!("\\{name}{{{}}}\n", escaped(text))
}

/// A list of sentences; nothing if there are none.
pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| format!("  \\item {}\n", escaped(&item))).collect();
    let items = items.concat();
    if items.is_empty() { items } else { format!("\\begin{{itemize}}\n{items}\\end{{itemize}}\n") }
}

/// The table up to its first row.
pub(super) fn begin(table: &TextTable) -> String {
    let columns = table.header.len();
    let words = table.words.min(columns);
    let header: Vec<String> = (0..columns).map(|place| escaped(&heading(table, place))).collect();
    let caption = table.caption.as_ref().map(|caption| format!("  {}", command("caption", caption)));
    let caption = caption.unwrap_or_default();
    format!(
        "\\begin{{table}}[htbp]\n  \\centering\n{caption}  \\begin{{tabular}}{{{}{}}}\n    \\toprule\n    {} \\\\\n    \\midrule\n",
        "l".repeat(words),
        "r".repeat(columns - words),
        header.join(" & ")
    )
}

/// The rows of a table.
pub(super) fn rows(table: &TextTable) -> String {
    let row = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        format!("    {} \\\\\n", cells.join(" & "))
    };
    table.rows.iter().map(row).collect::<Vec<_>>().concat()
}

/// The table after its last row.
pub(super) const END: &str = "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";

/// The header of a column, with the unit of its numbers unless the header or its cells say it.
fn heading(table: &TextTable, place: usize) -> String {
    let header = &table.header[place];
    let unit = Definition::find(header).map_or("", |definition| definition.unit);
    let mut cells = table.rows.iter().map(|row| row[place].as_str()).filter(|cell| !cell.is_empty());
    let is_number = |cell: &str| cell.parse::<f64>().is_ok();
    let says_unit = unit.is_empty() || header.is_empty() || header.contains(unit);
    if says_unit || place < table.words || !cells.all(is_number) {
        header.clone()
    } else {
        format!("{header} [{unit}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_in_headings_unless_cells_have_them() {
        let table = |cells: [&str; 3]| TextTable {
            header: ["embedding", "makespan", "time"].map(str::to_owned).to_vec(),
            rows: vec![cells.map(str::to_owned).to_vec()],
            words: 1,
            ..TextTable::default()
        };
        let of = |cells| begin(&table(cells));
        assert!(of(["xor", "12", "cct"]).contains("    embedding & makespan {[}cycles] & time \\\\\n"));
        assert!(of(["xor", "12 us", "cct"]).contains("    embedding & makespan & time \\\\\n"));
        assert!(of(["xor", "12", "cct"]).contains("\\begin{tabular}{lrr}\n"));
        assert_eq!(rows(&table(["xor", "12", "cct"])), "    xor & 12 & cct \\\\\n");
    }
}
