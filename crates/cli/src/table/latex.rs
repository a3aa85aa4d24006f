//! Blocks of a page as LaTeX: tables with the rules of `booktabs`, numbers to the right, units in headings.

use cubefold_formats::input::latex_text as escaped;
use cubefold_records::Definition;

use super::{
    TextTable,
    fitting::{Fitted, Layout},
};

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

/// The room that tables have on a page.
#[derive(Debug, Clone, Copy)]
pub(super) enum Room {
    /// They fit.
    Enough,
    /// They fit with the layout of a terminal of so many columns.
    Columns(usize),
    /// No layout fits.
    TooLittle,
}

impl Room {
    /// The room that tables have in `points`: letters differ in width, so the widest layout of a terminal that fits.
    ///
    /// Widths are those of Computer Modern at 9 points, which is `\\small` in an article of 10 points.
    pub(super) fn of(tables: &[TextTable], points: usize) -> Self {
        const MOST: usize = 160;
        const LEAST: usize = 24;
        let headed: Vec<TextTable> = tables.iter().map(with_units).collect();
        let fits = |table: &TextTable| width(table) <= points;
        if headed.iter().all(fits) {
            return Self::Enough;
        }
        let is_good = |own: &Fitted| own.layout == Layout::Columns && fits(&own.table);
        let fit = |columns: &usize| TextTable::fit_to(&headed, *columns, "").iter().all(is_good);
        (LEAST..MOST).rev().find(fit).map_or(Self::TooLittle, Self::Columns)
    }
}

/// The tables with the layout for their room in `points`, and the same columns left out, each with sentences on what it does
/// not show. Units stand below the names of columns.
pub(super) fn fitted(tables: &[TextTable], points: usize, room: Room) -> Vec<(TextTable, Vec<String>)> {
    let headed: Vec<TextTable> = tables.iter().map(with_units).collect();
    match room {
        Room::Enough => headed.into_iter().map(|table| (table, vec![])).collect(),
        Room::Columns(columns) => {
            let note =
                |note: String| note.replace("--format markdown shows all.", "--columns chooses others.");
            let fitted = TextTable::fit_to(&headed, columns, &format!("{points} points"));
            fitted.into_iter().map(|own| (own.table, own.notes.into_iter().map(note).collect())).collect()
        }
        Room::TooLittle => {
            let note = format!("Wider than {points} points. --columns chooses columns.");
            headed.into_iter().map(|table| (table, vec![note.clone()])).collect()
        }
    }
}

/// The table with the units of its numbers below the names of its columns.
fn with_units(table: &TextTable) -> TextTable {
    let header = (0..table.header.len()).map(|place| heading(table, place)).collect();
    TextTable { header, ..table.clone() }
}

/// The width of a table \[points\].
fn width(table: &TextTable) -> usize {
    let column = |place: usize| {
        let header = table.header[place].lines().map(text_width);
        header.chain(table.rows.iter().map(|row| text_width(&row[place]))).max().unwrap_or(0)
    };
    let hundredths: usize = (0..table.header.len()).map(|place| column(place) + 2 * COLUMN_GAP * 100).sum();
    hundredths.div_ceil(100)
}

/// Half of the gap between two columns \[points\].
const COLUMN_GAP: usize = 4;

/// The width of a text in the roman font of 9 points \[hundredths of a point\].
pub(super) fn text_width(text: &str) -> usize {
    let thousandths = |sign: char| match sign {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '[' | ']' | '!' | '|' => 285,
        'f' | 't' | 'r' | 's' | '(' | ')' | '-' | ' ' | 'I' => 400,
        'm' | 'w' | '%' | '=' | '+' | '<' | '>' => 850,
        'M' | 'W' => 1050,
        'A'..='Z' => 770,
        'a' | 'c' | 'e' | 'g' | 'o' | 'z' | '0'..='9' | '*' | '/' => 515,
        _ => 570,
    };
    9 * text.chars().map(thousandths).sum::<usize>() / 10
}

/// The table up to its first row.
pub(super) fn begin(table: &TextTable) -> String {
    let columns = table.header.len();
    let words = table.words.min(columns);
    let lines = table.header.iter().map(|header| header.lines().count()).max().unwrap_or(1);
    let line = |number: usize| {
        let cell = |header: &String| escaped(header.lines().nth(number).unwrap_or_default());
        let cells: Vec<String> = table.header.iter().map(cell).collect();
        format!("    {} \\\\\n", cells.join(" & "))
    };
    let header: String = (0..lines).map(line).collect();
    let caption = table.caption.as_ref().map(|caption| format!("  {}", command("caption", caption)));
    let caption = caption.unwrap_or_default();
    format!(
        "\\begin{{table}}[htbp]\n  \\centering\\small\n  \\setlength{{\\tabcolsep}}{{{COLUMN_GAP}pt}}\n{caption}  \
         \\begin{{tabular}}{{{}{}}}\n    \\toprule\n{header}    \\midrule\n",
        "l".repeat(words),
        "r".repeat(columns - words),
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

/// The table after its last row, with sentences below it.
pub(super) fn end(notes: Vec<String>) -> String {
    let notes = if notes.is_empty() { String::new() } else { format!("\n{}", list(notes.into_iter())) };
    format!("    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n{notes}")
}

/// The header of a column, with the unit of its numbers unless the header or its cells say it.
fn heading(table: &TextTable, place: usize) -> String {
    let header = &table.header[place];
    let unit = Definition::find(header).map_or("", |definition| definition.unit);
    let mut cells = table.rows.iter().map(|row| row[place].as_str()).filter(|cell| !cell.is_empty());
    let is_number = |cell: &str| cell.parse::<f64>().is_ok();
    // Ratios say by their names what they are.
    let says_unit = ["", "ratio"].contains(&unit) || header.is_empty() || header.contains(unit);
    if says_unit || place < table.words || !cells.all(is_number) {
        header.clone()
    } else {
        format!("{header}\n[{unit}]")
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
        let of = |cells| begin(&with_units(&table(cells)));
        let units = "    embedding & makespan & time \\\\\n     & {[}cycles] &  \\\\\n";
        assert!(of(["xor", "12", "cct"]).contains(units), "{}", of(["xor", "12", "cct"]));
        assert!(of(["xor", "12 us", "cct"]).contains("    embedding & makespan & time \\\\\n"));
        assert!(of(["xor", "12", "cct"]).contains("\\begin{tabular}{lrr}\n"));
        assert_eq!(rows(&table(["xor", "12", "cct"])), "    xor & 12 & cct \\\\\n");
    }
}
