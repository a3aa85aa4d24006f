//! The command line of `cubefold draw`.

use std::{ops::RangeInclusive, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand, ValueEnum};

use super::{OneRunOptions, SettingOption};
use crate::format::PictureFormat;

/// Options of `draw`.
#[derive(Debug, Args)]
pub(crate) struct DrawOptions {
    #[command(subcommand)]
    pub(crate) what: Drawing,

    /// How the picture is written [default: by the extension of --output, else svg]
    #[arg(long, value_enum, global = true)]
    pub(crate) format: Option<PictureFormat>,
}

/// What is drawn.
#[derive(Debug, Subcommand)]
pub(crate) enum Drawing {
    /// What every process does at every cycle: processes down, cycles across
    SpaceTime {
        #[command(flatten)]
        run: OneRunOptions,
        /// Only these processes, the last included; at most 256 [default: all]
        #[arg(long, value_name = "FROM..TO")]
        processes: Option<Span>,
        /// Only these cycles [default: all]
        #[arg(long, value_name = "FROM..TO")]
        cycles: Option<Span>,
    },
    /// The machine with the processes of its nodes
    Placement {
        #[command(flatten)]
        run: OneRunOptions,
        /// Also the edges of this dimension of the guest, counted from 0 [default: none]
        #[arg(long, value_name = "NUMBER")]
        dimension: Option<usize>,
    },
    /// What every link carries, as a heat map
    Links {
        #[command(flatten)]
        run: OneRunOptions,
        /// What is drawn
        #[arg(long, value_enum, default_value_t = LinkColumn::Congestion)]
        measure: LinkColumn,
    },
    /// How many guest edges have each dilation, the scenario's embeddings side by side
    Spectrum(FileOption),
    /// What the makespan of every run is made of, with the lower bound
    Compare(FileOption),
    /// How waiting and blocked times are spread
    Histogram(OneRunOptions),
    /// Two columns of results against each other, one line an embedding, by equal factors
    Scaling {
        /// What run --output wrote: .csv, .json, .jsonl or .parquet
        #[arg(value_name = "RESULTS")]
        file: PathBuf,
        /// The column across; `nodes` is one, too
        #[arg(long, value_name = "COLUMN", default_value = "nodes")]
        x: String,
        /// The column upwards
        #[arg(long, value_name = "COLUMN", default_value = "makespan_cycles")]
        y: String,
    },
}

/// The scenario whose runs are drawn, or reported.
#[derive(Debug, Args)]
pub(crate) struct FileOption {
    /// A scenario file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) set: SettingOption,
}

/// What is drawn of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkColumn {
    /// Guest edges whose routes use the link
    Congestion,
    /// Cycles in which it is busy in a run
    BusyCycles,
}

/// A range as it is written: `100..400`, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) RangeInclusive<u64>);

/// Why a text is no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected FROM..TO with two numbers, the first at most the second, such as 0..31")]
pub(crate) struct SpanError;

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let (from, to) = text.split_once("..").ok_or(SpanError)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| SpanError);
        let (from, to) = (number(from)?, number(to)?);
        if from <= to { Ok(Self(from..=to)) } else { Err(SpanError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_two_numbers_in_order() {
        assert_eq!("100..400".parse(), Ok(Span(100..=400)));
        assert_eq!("7..7".parse(), Ok(Span(7..=7)));
        for wrong in ["", "7", "..7", "7..", "8..7", "1..=2", "-1..2", "a..b"] {
            assert_eq!(wrong.parse::<Span>(), Err(SpanError), "{wrong}");
        }
    }
}
