//! The formats of results, with a descriptor each, from which `--format`, its help, completions and the choice by the
//! extension of `--output` derive; and the writer of records.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    path::Path,
    sync::LazyLock,
};

use clap::{ValueEnum, builder::PossibleValue};
use cubefold_formats::launcher::LauncherFormat;
use cubefold_records::{
    Definition, Document, Record, is_heading, nearest_names, write_csv, write_document, write_lines,
    write_parquet,
};
use cubefold_runs::tools::program_files::ProgramFormat;
use cubefold_scenario::{Scenario, last_word};
use serde::Serialize;
use serde_json::Value;

use crate::{
    arguments::TableOptions,
    failure::Failure,
    option_value::named_values,
    output::{Output, is_terminal},
    table::{Page, Style},
};

/// A set of formats, the default first.
pub(crate) trait OutputFormat: ValueEnum + 'static {
    /// The file extension that selects the format.
    fn extension(&self) -> Option<&'static str>;

    /// The requested format, else that of the path's extension, else the default.
    fn decide(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        let format = match (asked, output.and_then(Path::extension)) {
            (Some(format), _) => format,
            (None, None) => Self::value_variants()[0].clone(),
            (None, Some(extension)) => {
                let extension = extension.to_string_lossy();
                Self::of_extension(&extension).ok_or_else(|| Self::of_other_extension(&extension))?
            }
        };
        if format.is_binary() && is_terminal(output) {
            Err(Self::on_terminal(&format, output))
        } else {
            Ok(format)
        }
    }

    /// Whether it is binary, so that a terminal cannot show it.
    fn is_binary(&self) -> bool {
        false
    }

    /// The refusal of a binary format on a terminal.
    fn on_terminal(format: &Self, output: Option<&Path>) -> Failure {
        let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let place = output.filter(|path| *path != Path::new("-")).map(|path| path.display().to_string());
        let place = place.unwrap_or_else(|| "standard output".to_owned());
        Failure::usage(
            format!("{name} is no text, and {place} is a terminal"),
            "name a file with --output, or send it to another program",
        )
    }

    fn of_extension(extension: &str) -> Option<Self> {
        variant_of_extension(extension)
    }

    /// The refusal of an extension of no format: other tools would misread the file.
    fn of_other_extension(extension: &str) -> Failure {
        let known: Vec<&str> = Self::value_variants().iter().filter_map(Self::extension).collect();
        foreign_extension(extension, &known, "end the name in one of them or in none, or say --format")
    }
}

fn variant_of_extension<F: OutputFormat>(extension: &str) -> Option<F> {
    let is_own = |format: &&F| format.extension().is_some_and(|known| known.eq_ignore_ascii_case(extension));
    F::value_variants().iter().find(is_own).cloned()
}

fn foreign_extension(extension: &str, known: &[&str], help: &str) -> Failure {
    let known: Vec<String> = known.iter().map(|extension| format!(".{extension}")).collect();
    Failure::usage(format!("this command writes no .{extension}, expected {}", known.join(", ")), help)
}

/// Refuses an extension other than the single one of a command: other tools would misread the file.
pub(crate) fn check_extension(output: Option<&Path>, known: &[&str]) -> Result<(), Failure> {
    let Some(extension) = output.and_then(Path::extension) else { return Ok(()) };
    let extension = extension.to_string_lossy();
    if known.iter().any(|allowed| allowed.eq_ignore_ascii_case(&extension)) {
        return Ok(());
    }
    Err(foreign_extension(&extension, known, "end the name in one of them or in none"))
}

/// Declares a set of formats, the default first: each with its name, its extension and a line of help.
macro_rules! formats {
    ($(#[$about:meta])* $set:ident { $($variant:ident: $name:literal, $extension:literal, $help:literal;)+ } $($more:item)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $set {
            $(#[doc = $help] $variant,)+
        }

        impl ValueEnum for $set {
            fn value_variants<'a>() -> &'a [Self] {
                &[$(Self::$variant),+]
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                let (name, help) = match self {
                    $(Self::$variant => ($name, $help),)+
                };
                Some(PossibleValue::new(name).help(help))
            }
        }

        impl OutputFormat for $set {
            fn extension(&self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($extension),)+
                }
            }

            $($more)*
        }
    };
}

formats! {
    /// The formats of results.
    ResultFormat {
        Table: "table", "txt", "For people, as wide as the terminal, elsewhere in 80 columns";
        Json: "json", "json", "One document with an envelope";
        Jsonl: "jsonl", "jsonl", "One line per run, without the envelope";
        Csv: "csv", "csv", "One row per run, scalars only";
        Parquet: "parquet", "parquet", "The rows of `csv` in typed columns";
        Markdown: "markdown", "md", "As `table`, for a page";
        Latex: "latex", "tex", "As `table`, for a paper, with the rules of booktabs and units in headings";
    }

    fn is_binary(&self) -> bool {
        *self == Self::Parquet
    }
}

formats! {
    /// The formats of translation tables.
    TablesFormat {
        Table: "table", "txt", "One line a process";
        Json: "json", "json", "One document";
        Csv: "csv", "csv", "One row an entry";
    }
}

formats! {
    /// The formats of definitions.
    ExplainFormat {
        Text: "text", "txt", "For people, as wide as the terminal, elsewhere in 80 columns";
        Json: "json", "json", "One document with an envelope";
        Markdown: "markdown", "md", "A list, for a page";
    }
}

formats! {
    /// The formats of pictures.
    PictureFormat {
        Svg: "svg", "svg", "For pages, any size; shows values under the pointer";
        Png: "png", "png", "Pixels, two per pixel of the SVG in each direction";
        Pdf: "pdf", "pdf", "A page for a paper, with text as outlines";
        Tikz: "tikz", "tikz", "For LaTeX, with text in the font of the paper";
    }

    fn is_binary(&self) -> bool {
        matches!(self, Self::Png | Self::Pdf)
    }

    fn of_other_extension(extension: &str) -> Failure {
        Failure::usage(
            format!("pictures are not written as .{extension}, expected .svg, .png, .pdf or .tikz"),
            "end the name in one of them, or say --format svg",
        )
    }
}

/// The formats of placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlacementFormat {
    Grid,
    Csv,
    Json,
    Npy,
    Hosts,
    Launcher(LauncherFormat),
}

impl ValueEnum for PlacementFormat {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<PlacementFormat>> = LazyLock::new(|| {
            let formats = [
                PlacementFormat::Grid,
                PlacementFormat::Csv,
                PlacementFormat::Json,
                PlacementFormat::Npy,
                PlacementFormat::Hosts,
            ];
            formats.into_iter().chain(LauncherFormat::ALL.map(PlacementFormat::Launcher)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Grid => ("grid", "The machine as a grid with the process of each node"),
            Self::Csv => ("csv", "One row per process with its coordinates, as scenarios read it"),
            Self::Json => ("json", "One document"),
            Self::Npy => ("npy", "An array of NumPy, one row of coordinates per process"),
            Self::Hosts => {
                ("hosts", "The hosts in the order of the nodes, one per line; needs --hosts or --coordinates")
            }
            Self::Launcher(format) => (format.name(), format.summary()),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

named_values! {
    /// The formats of programs for other tools.
    ExportFormat(ProgramFormat), ProgramFormat::summary
}

impl OutputFormat for ExportFormat {
    fn extension(&self) -> Option<&'static str> {
        self.0.extension()
    }
}

/// The formats of searches: a table of them, or the placement found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchFormat {
    /// Reference, best named placement, found placement and bound of each combination.
    Results(ResultFormat),
    Placement(PlacementFormat),
}

impl ValueEnum for SearchFormat {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<SearchFormat>> = LazyLock::new(|| {
            let results = ResultFormat::value_variants().iter().copied().map(SearchFormat::Results);
            // Those whose names differ from the names of tables.
            let has_own_name = |format: &PlacementFormat| {
                matches!(format, PlacementFormat::Npy | PlacementFormat::Hosts | PlacementFormat::Launcher(_))
            };
            let placements = PlacementFormat::value_variants().iter().copied().filter(has_own_name);
            results.chain(placements.map(SearchFormat::Placement)).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Results(format) => format.to_possible_value(),
            Self::Placement(format) => format.to_possible_value(),
        }
    }
}

impl OutputFormat for SearchFormat {
    fn extension(&self) -> Option<&'static str> {
        match self {
            // A `.csv` file is the placement.
            Self::Results(format) => format.extension(),
            Self::Placement(format) => format.extension(),
        }
    }

    fn of_extension(extension: &str) -> Option<Self> {
        if extension.eq_ignore_ascii_case("csv") {
            return Some(Self::Placement(PlacementFormat::Csv));
        }
        variant_of_extension(extension)
    }

    fn is_binary(&self) -> bool {
        match self {
            Self::Results(format) => format.is_binary(),
            Self::Placement(format) => format.is_binary(),
        }
    }
}

impl OutputFormat for PlacementFormat {
    fn extension(&self) -> Option<&'static str> {
        match self {
            Self::Csv => Some("csv"),
            Self::Json => Some("json"),
            Self::Npy => Some("npy"),
            Self::Grid => Some("txt"),
            Self::Hosts | Self::Launcher(_) => None,
        }
    }

    fn is_binary(&self) -> bool {
        *self == Self::Npy
    }
}

/// Writes records, which some formats iterate twice, or the page of tables that shows them.
///
/// `extra` keys go into the envelope of a document.
pub(crate) fn write_records<R: Record + Serialize, I: Iterator<Item = io::Result<R>>>(
    output: Output,
    (format, tables): (ResultFormat, &TableOptions),
    document: Document,
    extra: &[(&str, Value)],
    records: impl Fn() -> I,
    page: impl FnOnce() -> io::Result<Page>,
) -> Result<(), Failure> {
    let page = || tables.chosen(page().map_err(|error| Failure::output(None, error))?);
    let width = tables.width.map(usize::from);
    match format {
        ResultFormat::Table => {
            let columns = width.unwrap_or_else(|| output.columns());
            let text = page()?.text(columns);
            output.write(|output| output.write_all(text.as_bytes()))
        }
        ResultFormat::Markdown => {
            let text = page()?.markdown();
            output.write(|output| output.write_all(text.as_bytes()))
        }
        ResultFormat::Latex => {
            let style = Style::Latex { points: width.unwrap_or(POINTS) };
            let text = page()?.written(style);
            output.write(|output| write!(output, "{}{text}", style.preamble()))
        }
        ResultFormat::Json => {
            tables.refuse_for("json")?;
            output.write(|output| write_document(output, document, extra, records()))
        }
        ResultFormat::Jsonl => {
            tables.refuse_for("jsonl")?;
            output.write(|output| write_lines(output, records()))
        }
        ResultFormat::Csv => {
            let columns = tables.columns_of_files::<R>()?;
            output.write(|output| write_csv(output, &columns, records))
        }
        ResultFormat::Parquet => {
            let columns = tables.columns_of_files::<R>()?;
            output.write(|output| write_parquet(output, &columns, records))
        }
    }
}

/// The width of the text of an article in LaTeX \[points\].
pub(crate) const POINTS: usize = 345;

impl TableOptions {
    /// The chosen names. A blank after a comma goes on with the name: `packet latency, p99`.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = vec![];
        for part in &self.columns {
            match names.last_mut().filter(|_| part.starts_with(' ')) {
                Some(name) => *name += &format!(",{part}"),
                None => names.push(part.clone()),
            }
        }
        names
    }

    /// The page with the chosen columns.
    fn chosen(&self, page: Page) -> Result<Page, Failure> {
        if self.columns.is_empty() {
            return Ok(page);
        }
        page.with_columns(&self.names()).map_err(|(name, known)| unknown_column(&name, &known))
    }

    /// Refuses columns that no results of these scenarios have, before anything runs. Which of the others a table has depends
    /// on the results.
    ///
    /// # Errors
    ///
    /// If columns are chosen for a format without columns, or one is unknown: in files not that of a record, in tables
    /// neither a swept key nor explained.
    pub(crate) fn check<R: Record>(
        &self,
        format: ResultFormat,
        scenarios: &[Scenario],
    ) -> Result<(), Failure> {
        match format {
            ResultFormat::Json => self.refuse_for("json"),
            ResultFormat::Jsonl => self.refuse_for("jsonl"),
            ResultFormat::Csv | ResultFormat::Parquet => self.columns_of_files::<R>().map(|_| ()),
            ResultFormat::Table | ResultFormat::Markdown | ResultFormat::Latex => {
                self.check_headings(scenarios)
            }
        }
    }

    fn check_headings(&self, scenarios: &[Scenario]) -> Result<(), Failure> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let runs = scenarios.iter().flat_map(|scenario| &scenario.runs);
        let swept = runs.flat_map(|run| run.combination.iter());
        let swept: BTreeSet<&str> = swept.flat_map(|(path, _)| [&**path, last_word(path)]).collect();
        // The makespan of an algorithm relative to the fastest has a heading such as `x ring`.
        let is_possible =
            |name: &String| name.starts_with("x ") || swept.contains(name.as_str()) || is_heading(name);
        self.names().iter().find(|name| !is_possible(name)).map_or(Ok(()), |unknown| {
            let names = Definition::all().flat_map(Definition::names).map(str::to_owned);
            let known: Vec<String> = swept.into_iter().map(str::to_owned).chain(names).collect();
            Err(unknown_column(unknown, &known))
        })
    }

    fn refuse_for(&self, format: &str) -> Result<(), Failure> {
        if self.columns.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(
            format!("--columns with --format {format}, expected a table, csv or parquet"),
            "leave it out: JSON has members, not columns",
        ))
    }

    /// The chosen columns of a file. Tables head swept keys by their last word, `compute_cycles`; the column of a file is
    /// that of the key, `program_compute_cycles`.
    fn columns_of_files<R: Record>(&self) -> Result<Vec<String>, Failure> {
        let columns = R::columns();
        let is_known = |wanted: &str| columns.iter().any(|column| column.names().any(|name| name == wanted));
        let known: Vec<String> = columns.iter().map(|column| column.name.to_owned()).collect();
        let column = |name: String| {
            let of_keys = ["machine", "program", "execution"].map(|section| format!("{section}_{name}"));
            let found = std::iter::once(name.clone()).chain(of_keys).find(|name| is_known(name));
            found.ok_or_else(|| unknown_column(&name, &known))
        };
        self.names().into_iter().map(column).collect()
    }
}

fn unknown_column(name: &str, known: &[String]) -> Failure {
    const MAX_LISTED: usize = 30;
    let nearest = nearest_names(name, known.iter().map(String::as_str));
    if !nearest.is_empty() {
        let help = format!("did you mean {}?", nearest.join(", "));
        return Failure::usage(format!("no column {name:?}"), help);
    }
    let expected = if known.len() > MAX_LISTED {
        String::new()
    } else {
        format!(", expected one of {}", known.join(", "))
    };
    let help = "cubefold explain lists all columns, and cubefold explain NAME says what a column has";
    Failure::usage(format!("no column {name:?}{expected}"), help)
}

#[cfg(test)]
mod tests;
