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

/// The size of the letters of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// 9 points in an article of 10.
    Small,
    /// 8 points.
    Footnote,
}

impl Size {
    fn command(self) -> &'static str {
        match self {
            Self::Small => "\\small",
            Self::Footnote => "\\footnotesize",
        }
    }

    /// Half of the gap between two columns \[points\].
    fn column_gap(self) -> usize {
        match self {
            Self::Small => 4,
            Self::Footnote => 3,
        }
    }

    /// The width of a text of 9 points in this size: Computer Modern has wider letters in smaller sizes.
    fn scaled(self, width: usize) -> usize {
        match self {
            Self::Small => width,
            Self::Footnote => (width * 92).div_ceil(100),
        }
    }
}

/// The headings of the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Headings {
    /// The units stand in a line of their own.
    UnitsBelow,
    /// Words stand below one another where they are wider than the cells.
    Wrapped,
}

/// The arrangement of tables on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    headings: Headings,
    size: Size,
    /// The columns of a terminal whose layout the tables have, with fewer columns or wrapped words; `None` if they are
    /// whole.
    columns: Option<usize>,
    is_enough: bool,
}

impl Room {
    const WHOLE: Self =
        Self { headings: Headings::UnitsBelow, size: Size::Small, columns: None, is_enough: true };

    /// The arrangement of tables in `points`: whole tables, then the widest layout of a terminal that fits, since letters
    /// differ in width; if none does, the same with wrapped headings, and with smaller letters.
    pub(super) fn of(tables: &[TextTable], points: usize) -> Self {
        const MOST: usize = 160;
        const LEAST: usize = 24;
        const WRAPPED: [Room; 2] = [
            Room { headings: Headings::Wrapped, ..Room::WHOLE },
            Room { headings: Headings::Wrapped, size: Size::Footnote, ..Room::WHOLE },
        ];
        let layouts = |rooms: &'static [Self]| {
            let narrower = (LEAST..MOST).rev().map(Some);
            narrower.flat_map(move |columns| rooms.iter().map(move |room| Self { columns, ..*room }))
        };
        let rooms = std::iter::once(Self::WHOLE)
            .chain(layouts(&[Self::WHOLE]))
            .chain(WRAPPED)
            .chain(layouts(&WRAPPED));
        let too_little = Self { is_enough: false, ..Self::WHOLE };
        let tables: Vec<Headed<'_>> = tables.iter().map(Headed::new).collect();
        let fits = |room: &Self| {
            let is_good = |fitted: &Fitted| {
                fitted.layout == Layout::Columns && width(&fitted.table, room.size) <= points
            };
            room.arranged(&tables, "").iter().all(is_good)
        };
        rooms.into_iter().find(fits).unwrap_or(too_little)
    }

    /// Tables in this arrangement, in a page that notes call `width`.
    fn arranged(self, tables: &[Headed<'_>], width: &str) -> Vec<Fitted> {
        let headed = |table: &Headed<'_>| table.with_headings(table.table, self.headings);
        let whole = |table: TextTable| Fitted { table, layout: Layout::Columns, notes: vec![] };
        match (self.headings, self.columns) {
            (_, None) => tables.iter().map(|table| whole(headed(table))).collect(),
            (Headings::UnitsBelow, Some(columns)) => {
                let tables: Vec<TextTable> = tables.iter().map(headed).collect();
                TextTable::fit_to(&tables, columns, width)
            }
            // Columns are left out by their names, before these are wrapped.
            (Headings::Wrapped, Some(columns)) => {
                let plain: Vec<TextTable> = tables.iter().map(|table| table.table.clone()).collect();
                let fitted = TextTable::fit_to(&plain, columns, width).into_iter().zip(tables);
                let wrapped = |(fitted, original): (Fitted, &Headed<'_>)| {
                    let table = original.with_headings(&fitted.table, self.headings);
                    Fitted { table, ..fitted }
                };
                fitted.map(wrapped).collect()
            }
        }
    }
}

/// A table, and the headings of its columns with their units.
#[derive(Debug)]
struct Headed<'a> {
    table: &'a TextTable,
    headings: Vec<String>,
}

impl<'a> Headed<'a> {
    fn new(table: &'a TextTable) -> Self {
        Self { table, headings: (0..table.header.len()).map(|place| heading(table, place)).collect() }
    }

    /// A part of the table with headings for names.
    fn with_headings(&self, part: &TextTable, headings: Headings) -> TextTable {
        let heading = |(place, name): (usize, &String)| {
            let known = self.table.header.iter().position(|header| header == name);
            let heading = known.map_or(name, |known| &self.headings[known]);
            match headings {
                Headings::UnitsBelow => heading.clone(),
                Headings::Wrapped => wrapped(heading, cells_width(part, place)),
            }
        };
        TextTable { header: part.header.iter().enumerate().map(heading).collect(), ..part.clone() }
    }
}

/// The tables in the arrangement for `points`, with the same columns left out, each with sentences on what it does not show.
pub(super) fn fitted(tables: &[TextTable], points: usize, room: Room) -> Vec<(TextTable, Vec<String>)> {
    let note = |note: String| note.replace("--format markdown shows all.", "--columns chooses others.");
    let too_wide =
        (!room.is_enough).then(|| format!("Wider than {points} points. --columns chooses columns."));
    let tables: Vec<Headed<'_>> = tables.iter().map(Headed::new).collect();
    let arranged = room.arranged(&tables, &format!("{points} points")).into_iter();
    arranged
        .map(|fitted| (fitted.table, fitted.notes.into_iter().map(note).chain(too_wide.clone()).collect()))
        .collect()
}

/// The width of a table \[points\].
fn width(table: &TextTable, size: Size) -> usize {
    let column = |place: usize| {
        let header = table.header[place].lines().map(text_width).max().unwrap_or(0);
        size.scaled(header.max(cells_width(table, place))) + 2 * size.column_gap() * 100
    };
    (0..table.header.len()).map(column).sum::<usize>().div_ceil(100)
}

/// The width of the widest cell of a column \[hundredths of a point\].
fn cells_width(table: &TextTable, place: usize) -> usize {
    table.rows.iter().map(|row| text_width(&row[place])).max().unwrap_or(0)
}

/// The words of a heading in lines as wide as the cells or the widest word.
fn wrapped(heading: &str, cells: usize) -> String {
    let words = || heading.lines().map(|line| line.split(' '));
    let most = words().flatten().map(text_width).max().unwrap_or(0).max(cells);
    let mut lines: Vec<String> = vec![];
    for line in words() {
        lines.push(String::new());
        for word in line {
            let Some(last) = lines.last_mut() else { continue };
            let longer = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
            if last.is_empty() || text_width(&longer) <= most {
                *last = longer;
            } else {
                lines.push(word.to_owned());
            }
        }
    }
    lines.join("\n")
}

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
pub(super) fn begin(table: &TextTable, room: Room) -> String {
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
    let (size, gap) = (room.size.command(), room.size.column_gap());
    format!(
        "\\begin{{table}}[htbp]\n  \\centering{size}\n  \\setlength{{\\tabcolsep}}{{{gap}pt}}\n{caption}  \
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
        let of = |cells| {
            let table = table(cells);
            begin(&Headed::new(&table).with_headings(&table, Headings::UnitsBelow), Room::WHOLE)
        };
        let units = "    embedding & makespan & time \\\\\n     & {[}cycles] &  \\\\\n";
        assert!(of(["xor", "12", "cct"]).contains(units), "{}", of(["xor", "12", "cct"]));
        assert!(of(["xor", "12 us", "cct"]).contains("    embedding & makespan & time \\\\\n"));
        assert!(of(["xor", "12", "cct"]).contains("\\begin{tabular}{lrr}\n"));
        assert_eq!(rows(&table(["xor", "12", "cct"])), "    xor & 12 & cct \\\\\n");
    }

    /// The default columns of open-loop traffic.
    fn latencies() -> TextTable {
        let header = [
            "routing",
            "load",
            "offered",
            "accepted",
            "packet latency",
            "+-",
            "packet latency, p99",
            "network latency",
            "missing",
            "saturated",
            "trend",
        ];
        let rows = [
            [
                "dimension-order",
                "0.14",
                "0.140",
                "0.140",
                "42.875",
                "2.126",
                "137",
                "42.875",
                "0",
                "",
                "21/27",
            ],
            ["adaptive", "0.38", "0.381", "0.355", "", "", "", "", "17312", "channel", "45/27"],
        ];
        TextTable {
            header: header.map(str::to_owned).to_vec(),
            rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
            words: 2,
            gives_way: &["network latency", "missing", "offered"],
            ..TextTable::default()
        }
    }

    #[test]
    fn wrapped_headings_and_smaller_letters_fit_all_columns_of_open_loop_traffic() {
        let tables = [latencies()];
        let room = Room { headings: Headings::Wrapped, size: Size::Footnote, ..Room::WHOLE };
        // The text of a sheet with margins of an inch.
        let arranged = room.arranged(&[Headed::new(&tables[0])], "").remove(0).table;
        assert!(width(&arranged, room.size) <= 453 && width(&arranged, Size::Small) > 453);
        assert_eq!(arranged.header.len(), 11);
        assert_eq!(arranged.header[6], "packet\nlatency,\np99\n[cycles]");
        // The text of an article has fewer columns, and nothing fits a stamp.
        let room = Room::of(&tables, 345);
        let (fitted, notes) = fitted(&tables, 345, room).remove(0);
        assert!(room.is_enough && width(&fitted, room.size) <= 345 && !notes.is_empty());
    }
}
