//! The formats that results are written in.

use std::path::Path;

use clap::{ValueEnum, builder::PossibleValue};
use cubefold_experiment::launcher::LauncherFormat;

use crate::{arguments::PictureFormat, failure::Failure};

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// For people, in 80 columns
    Table,
    /// One document with an envelope
    Json,
    /// One line a run, without the envelope
    Jsonl,
    /// One row a run, scalars only
    Csv,
    /// The rows of `csv` in typed columns
    Parquet,
    /// As `table`, for a page
    Markdown,
}

/// How a placement is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlacementFormat {
    /// The machine as a grid with the process of each node.
    Grid,
    /// One row a process with its coordinates, as scenarios read it.
    Csv,
    /// One document.
    Json,
    /// An array of `NumPy` with a row of coordinates a process.
    Npy,
    /// A file that places the ranks of a parallel program.
    Launcher(LauncherFormat),
}

impl ValueEnum for PlacementFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use LauncherFormat::{
            BluegeneMapfile, CrayRankOrder, FluxTaskmap, FujitsuRankMap, OpenMpiRankfile, SlurmHostfile,
        };
        const ALL: [PlacementFormat; 10] = [
            PlacementFormat::Grid,
            PlacementFormat::Csv,
            PlacementFormat::Json,
            PlacementFormat::Npy,
            PlacementFormat::Launcher(OpenMpiRankfile),
            PlacementFormat::Launcher(SlurmHostfile),
            PlacementFormat::Launcher(CrayRankOrder),
            PlacementFormat::Launcher(BluegeneMapfile),
            PlacementFormat::Launcher(FluxTaskmap),
            PlacementFormat::Launcher(FujitsuRankMap),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Grid => ("grid", "The machine as a grid with the process of each node"),
            Self::Csv => ("csv", "One row a process with its coordinates, as scenarios read it"),
            Self::Json => ("json", "One document"),
            Self::Npy => ("npy", "An array of NumPy, one row of coordinates a process"),
            Self::Launcher(format) => (format.name(), format.summary()),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// How translation tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TablesFormat {
    /// One line a process
    Table,
    /// One document
    Json,
    /// One row an entry
    Csv,
}

/// How definitions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For people, in 80 columns
    Text,
    /// One document with an envelope
    Json,
    /// A list, for a page
    Markdown,
}

/// A format that a path's extension may stand for.
pub(crate) trait ByExtension: Sized {
    /// The format when nothing says otherwise.
    const DEFAULT: Self;

    /// The format with this extension.
    fn of_extension(extension: &str) -> Option<Self>;

    /// The format asked for, else that of the path's extension, else the default.
    fn decide(asked: Option<Self>, output: Option<&Path>) -> Result<Self, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        let Some(extension) = output.and_then(Path::extension) else { return Ok(Self::DEFAULT) };
        let extension = extension.to_string_lossy();
        Self::of_extension(&extension).map_or_else(|| Self::of_other_extension(&extension), Ok)
    }

    /// The format with an extension that stands for none: the default, but for parquet, for which other tools would take
    /// it.
    fn of_other_extension(extension: &str) -> Result<Self, Failure> {
        match extension {
            "parquet" => Err(Failure::usage("this command writes no parquet", "write .csv or .json")),
            _ => Ok(Self::DEFAULT),
        }
    }
}

impl ByExtension for PictureFormat {
    const DEFAULT: Self = Self::Svg;

    fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }

    fn of_other_extension(extension: &str) -> Result<Self, Failure> {
        Err(Failure::usage(
            format!("pictures are not written as .{extension}, expected .svg or .png"),
            "end the name in one of them, or say --format svg",
        ))
    }
}

impl ByExtension for ResultFormat {
    const DEFAULT: Self = Self::Table;

    fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "parquet" => Some(Self::Parquet),
            "md" => Some(Self::Markdown),
            _ => None,
        }
    }
}

impl ByExtension for PlacementFormat {
    const DEFAULT: Self = Self::Grid;

    fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

impl ByExtension for TablesFormat {
    const DEFAULT: Self = Self::Table;

    fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

impl ByExtension for ExplainFormat {
    const DEFAULT: Self = Self::Text;

    fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Self::Json),
            "md" => Some(Self::Markdown),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_comes_before_the_extension_and_that_before_the_default() {
        let decide = |asked, path| ResultFormat::decide(asked, path).unwrap();
        assert_eq!(decide(Some(ResultFormat::Json), Some(Path::new("a.csv"))), ResultFormat::Json);
        assert_eq!(decide(None, Some(Path::new("a.csv"))), ResultFormat::Csv);
        assert_eq!(decide(None, Some(Path::new("a.md"))), ResultFormat::Markdown);
        assert_eq!(decide(None, Some(Path::new("-"))), ResultFormat::Table);
        assert_eq!(decide(None, None), ResultFormat::Table);
        assert_eq!(decide(None, Some(Path::new("a.parquet"))), ResultFormat::Parquet);
        assert!(PlacementFormat::decide(None, Some(Path::new("a.parquet"))).is_err());
        assert_eq!(PlacementFormat::decide(None, Some(Path::new("a.npy"))).unwrap(), PlacementFormat::Npy);
    }

    #[test]
    fn every_format_of_a_launcher_can_be_asked_for_by_its_name() {
        for format in LauncherFormat::ALL {
            let asked = PlacementFormat::from_str(format.name(), false);
            assert_eq!(asked, Ok(PlacementFormat::Launcher(format)));
        }
    }
}
