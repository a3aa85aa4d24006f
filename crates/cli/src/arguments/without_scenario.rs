//! Options of the commands that read no scenario.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::{INPUT, OUTPUT};
use crate::{
    format::ExplainFormat,
    option_value::{ByteCount, operation_name},
};

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// A column of the files, a word of the tables or a term, such as makespan or `node load`
    #[arg(value_name = "TERM")]
    pub(crate) term: Vec<String>,

    /// The format [default: by the extension of --output, else text]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ExplainFormat>,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateOptions {
    /// The output of benchmarks, one a file: OSU Micro-Benchmarks, Intel MPI Benchmarks or nccl-tests
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The links between the two processes of a benchmark of single messages, or between neighbours of a ring
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hops: u32,

    /// The ranks of a collective, if the output does not say them, as that of OSU [default: as printed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1 << 20))]
    pub(crate) ranks: Option<u32>,

    /// The smallest size that is fitted, such as 8192 or 64KiB [default: the smallest measured one]
    #[arg(long, value_name = "SIZE")]
    pub(crate) from: Option<ByteCount>,

    /// The largest size that is fitted [default: the largest measured one]
    #[arg(long, value_name = "SIZE")]
    pub(crate) to: Option<ByteCount>,

    /// The size of messages, if the output does not say it, as the last lines of `ucx_perftest` [default: as printed]
    #[arg(long, value_name = "SIZE")]
    pub(crate) bytes: Option<ByteCount>,

    /// The operation that is fitted, of a log of several, as those of `DeepSpeed` or two of nccl-tests [default: the only one]
    #[arg(long, value_name = "NAME", value_parser = operation_name)]
    pub(crate) operation: Option<&'static str>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectOptions {
    /// The files
    #[arg(required_unless_present = "list", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The format of the output
    #[arg(long, value_enum, default_value_t = InspectFormat::Text, help_heading = OUTPUT)]
    pub(crate) format: InspectFormat,

    /// Read the files as this format [default: by their contents]
    #[arg(long = "as", value_name = "NAME", help_heading = INPUT)]
    pub(crate) named: Option<String>,

    /// List all formats that are recognised
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) list: bool,
}

/// The formats of `inspect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InspectFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// The documents that the schema describes
    #[arg(value_enum)]
    pub(crate) of: SchemaSubject,
}

/// The documents with schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaSubject {
    /// Scenario files
    Scenario,
    /// The documents of run, compare and measure, their JSON lines, and the rows of processes and transmissions
    Results,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManOptions {
    /// The command of the page [default: the program itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,

    /// Write the pages of the program and of all commands into this folder
    /// [default: one page to --output]
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "output"])]
    pub(crate) folder: Option<PathBuf>,
}
