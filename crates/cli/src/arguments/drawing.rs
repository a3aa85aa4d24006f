//! The command line of `cubefold draw`.

use std::{ops::RangeInclusive, path::PathBuf, str::FromStr};

use clap::{Args, Subcommand, ValueEnum};
use cubefold_picture::{DarkestValue, Lanes};

use super::{FileOption, INPUT, OUTPUT, OneRunOptions};
use crate::{format::PictureFormat, option_value::named_values};

#[derive(Debug, Args)]
pub(crate) struct DrawOptions {
    #[command(subcommand)]
    pub(crate) what: Drawing,

    /// The format of the picture [default: by the extension of --output, else svg]
    #[arg(long, value_enum, global = true, help_heading = OUTPUT)]
    pub(crate) format: Option<PictureFormat>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Drawing {
    /// The activity of every process: processes down, cycles across
    SpaceTime {
        #[command(flatten)]
        run: OneRunOptions,
        /// Only these processes, the last included; at most 256 [default: all]
        #[arg(long, value_name = "FROM..TO")]
        processes: Option<Span>,
        /// These cycles, which may end after the run; give pictures side by side the same [default: all]
        #[arg(long, value_name = "FROM..TO")]
        cycles: Option<Span>,
    },
    /// The activity of every rank of a collective, job or task graph, or process of a program: ranks down, time across
    Timeline {
        #[command(flatten)]
        run: OneRunOptions,
        /// The lanes of a job; ranks in a row that do the same, and steps of a stage of a pipeline, share one
        /// [default: ranks if it has pipelines, else steps]
        #[arg(long, value_enum, value_name = "NAME")]
        lanes: Option<LanesName>,
        /// Only these ranks with their shares, or lanes of steps, the last included; at most 256 rows [default: all]
        #[arg(long, value_name = "FROM..TO")]
        ranks: Option<Span>,
        /// These cycles, which may end after the run; give pictures side by side the same [default: all]
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
    /// The load of every link, as a heat map
    Links {
        #[command(flatten)]
        run: OneRunOptions,
        /// The measure
        #[arg(long, value_enum, default_value_t = LinkColumn::Congestion)]
        measure: LinkColumn,
        /// The end of the scale, such as 5000, or 100% of a link's capacity; give pictures side by side the same
        /// [default: the greatest value of this picture]
        #[arg(long, value_name = "VALUE")]
        max: Option<Darkest>,
    },
    /// A page on which messages travel over the links of the machine, run beside run with one clock
    ///
    /// Asynchronous runs on up to 1024 nodes with up to 100000 transmissions, at most 4 side by side
    Animation {
        #[command(flatten)]
        file: FileOption,
        /// Only this embedding; repeat the option for others [default: all]
        #[arg(long, value_name = "NAME", help_heading = INPUT)]
        embedding: Vec<String>,
        /// Only the run with this number, counted from 0 in the order of results; repeat the option for others
        /// [default: all]
        #[arg(long, value_name = "NUMBER", conflicts_with = "embedding", help_heading = INPUT)]
        run: Vec<usize>,
        /// A picture of this cycle, as the page shows it when it pauses there [default: the page]
        #[arg(long, value_name = "CYCLE")]
        cycle: Option<u64>,
    },
    /// The number of guest edges with each dilation, the scenario's embeddings side by side
    Spectrum(FileOption),
    /// The parts of every run's makespan, with the lower bound
    Compare(FileOption),
    /// The distribution of waiting and blocked times
    Histogram(OneRunOptions),
    /// Goodput over size on logarithmic axes, a line per algorithm, with the sizes at which the fastest changes
    ///
    /// FILE is a scenario that sweeps sizes, or its results from run --output: .csv, .json, .jsonl or .parquet
    Goodput(FileOption),
    /// Latency over load of open-loop traffic, a line per routing or other swept value, with saturation
    ///
    /// FILE is a scenario that sweeps program.load, or its results from run --output: .csv, .json, .jsonl or .parquet
    Latency(FileOption),
    /// Makespan over the parts of pipelined exchanges, a line per embedding or other swept value, with the best number
    ///
    /// FILE is a scenario with program.pipelining = "best" or a sweep of it, or results from run --output: .csv, .json,
    /// .jsonl or .parquet
    Pipelining(FileOption),
    /// Two columns of results against each other on logarithmic axes, a curve per embedding
    Scaling {
        /// Results of run --output: .csv, .json, .jsonl or .parquet
        #[arg(value_name = "RESULTS")]
        file: PathBuf,
        /// The column across, or `nodes`
        #[arg(long, value_name = "COLUMN", default_value = "nodes")]
        x: String,
        /// The column upwards [default: `makespan_seconds` if all runs have seconds, else `makespan_cycles`]
        #[arg(long, value_name = "COLUMN")]
        y: Option<String>,
        /// A curve for each value of this column; repeat the option for combinations of values [default: for each
        /// embedding, algorithm and execution mode]
        #[arg(long, value_name = "COLUMN")]
        by: Vec<String>,
        /// Only rows with this value, such as `machine_links=full-duplex`; repeat the option for other columns
        /// [default: all]
        #[arg(long = "where", value_name = "COLUMN=VALUE")]
        only: Vec<ColumnValue>,
    },
}

named_values! {
    /// The lanes of a timeline of a job.
    LanesName(Lanes), |lanes| match lanes {
        Lanes::Ranks =>
            "What each rank does: it computes, communicates beside no computation, waits for other ranks, or is done",
        Lanes::Steps => "When each step runs",
    }
}

/// The measure of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkColumn {
    /// Guest edges whose routes use the link
    Congestion,
    /// Cycles in which it is busy in a run
    BusyCycles,
}

/// Parses a darkest value: `5000` or `80%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Darkest(pub(crate) DarkestValue);

impl FromStr for Darkest {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str =
            "expected a number above 0 such as 5000, or a percentage up to 100% such as 80%";
        let value = match text.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.trim().parse().map_err(|_| EXPECTED)?;
                let is_share = percent > 0.0 && percent <= 100.0;
                is_share.then_some(DarkestValue::Share(percent / 100.0))
            }
            None => text.parse().ok().filter(|&count| count > 0).map(DarkestValue::Count),
        };
        value.map(Self).ok_or(EXPECTED)
    }
}

/// Parses a column with a value: `embedding=xor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnValue {
    pub(crate) column: String,
    pub(crate) value: String,
}

impl FromStr for ColumnValue {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected COLUMN=VALUE, such as embedding=xor";
        let (column, value) = text.split_once('=').ok_or(EXPECTED)?;
        let [column, value] = [column, value].map(|part| part.trim().to_owned());
        if column.is_empty() { Err(EXPECTED) } else { Ok(Self { column, value }) }
    }
}

/// Parses a range: `100..400`, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) RangeInclusive<u64>);

impl FromStr for Span {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str =
            "expected FROM..TO with two numbers, the first at most the second, such as 0..31";
        let (from, to) = text.split_once("..").ok_or(EXPECTED)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| EXPECTED);
        let (from, to) = (number(from)?, number(to)?);
        if from <= to { Ok(Self(from..=to)) } else { Err(EXPECTED) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn darkest_values_are_counts_or_percentages() {
        assert_eq!("5000".parse(), Ok(Darkest(DarkestValue::Count(5000))));
        assert_eq!("80%".parse(), Ok(Darkest(DarkestValue::Share(0.8))));
        for wrong in ["", "0", "%", "0%", "101%", "-5%", "NaN%", "1.5", "x"] {
            assert!(wrong.parse::<Darkest>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn columns_have_values() {
        let pair = |column: &str, value: &str| {
            Ok(ColumnValue { column: column.to_owned(), value: value.to_owned() })
        };
        assert_eq!("embedding=xor".parse(), pair("embedding", "xor"));
        assert_eq!("a = b=c".parse(), pair("a", "b=c"));
        assert_eq!("a=".parse(), pair("a", ""));
        for wrong in ["", "a", "=", "=b"] {
            assert!(wrong.parse::<ColumnValue>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_have_two_numbers_in_order() {
        assert_eq!("100..400".parse(), Ok(Span(100..=400)));
        assert_eq!("7..7".parse(), Ok(Span(7..=7)));
        for wrong in ["", "7", "..7", "7..", "8..7", "1..=2", "-1..2", "a..b"] {
            assert!(wrong.parse::<Span>().is_err(), "{wrong}");
        }
    }
}
