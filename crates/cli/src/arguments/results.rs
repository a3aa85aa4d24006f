//! Options of the commands that make tables of results, or read them.

use std::path::{Path, PathBuf};

use clap::{Args, builder::NonEmptyStringValueParser};
use cubefold_runs::journal::Shard;
use cubefold_search::Objective;

use super::{
    ExpectOption, FileOption, HostFileOptions, OUTPUT, ResumeOption, SWEEPS, ScenarioOptions, TableOptions,
};
use crate::{
    format::{ResultFormat, SearchFormat},
    option_value::SearchObjective,
    table::StepsShown,
};

/// Options of the commands that execute all runs of scenarios.
#[derive(Debug, Args)]
pub(crate) struct SweepOptions {
    #[command(flatten)]
    pub(crate) scenarios: ScenarioOptions,

    #[command(flatten)]
    pub(crate) expect: ExpectOption,

    #[command(flatten)]
    pub(crate) tables: TableOptions,

    #[command(flatten)]
    pub(crate) resume: ResumeOption,

    /// Show all steps of jobs in tables, also those of pipelines
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) steps: bool,
}

impl SweepOptions {
    /// The steps of jobs that tables show.
    pub(crate) fn steps_shown(&self) -> StepsShown {
        if self.steps { StepsShown::All } else { StepsShown::WithoutPipelines }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) sweep: SweepOptions,

    /// Execute only the K-th of N parts of the runs, into PATH.part-K-of-N beside --output PATH; cubefold merge
    /// merges the parts [default: all runs]
    #[arg(long, value_name = "K/N", help_heading = SWEEPS)]
    pub(crate) shard: Option<Shard>,

    /// Also write a row for every run, process and stage, as .csv, .jsonl or .parquet
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) processes: Option<PathBuf>,

    /// Also write a row for every message of jobs, and of programs over routers with finite buffers, as .csv, .jsonl or
    /// .parquet
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) messages: Option<PathBuf>,

    /// Also write a row for every packet on every channel of its route, as .csv, .jsonl or .parquet; for asynchronous
    /// runs of up to 10 million of them
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) crossings: Option<PathBuf>,

    /// Also write a row for every measured packet of open-loop traffic, as .csv, .jsonl or .parquet
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) packets: Option<PathBuf>,

    /// Also write a row for every output of the routers under open-loop traffic, with the units that crossed it, as .csv,
    /// .jsonl or .parquet
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) channels: Option<PathBuf>,

    /// Also write a row for every input channel of the routers under open-loop traffic, with the units in its buffer, as
    /// .csv, .jsonl or .parquet
    #[arg(long, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) buffers: Option<PathBuf>,
}

impl RunOptions {
    /// The options that name files of rows, with their paths if they are given.
    pub(crate) fn row_files(&self) -> [(&'static str, Option<&Path>); 6] {
        [
            ("--processes", self.processes.as_deref()),
            ("--messages", self.messages.as_deref()),
            ("--crossings", self.crossings.as_deref()),
            ("--packets", self.packets.as_deref()),
            ("--channels", self.channels.as_deref()),
            ("--buffers", self.buffers.as_deref()),
        ]
    }
}

#[derive(Debug, Args)]
pub(crate) struct MergeOptions {
    /// The parts of one sweep, from run --shard
    #[arg(required = true, value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,

    /// The format of results [default: by the extension of --output, else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ResultFormat>,

    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    #[command(flatten)]
    pub(crate) sweep: SweepOptions,

    /// The embedding or algorithm to compare the others with [default: the first embedding of the scenario, or
    /// the first algorithm if only algorithms differ]
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,

    /// Find to the unit the sizes at which the fastest algorithm of a collective changes, by more runs between
    /// the sizes of the scenario
    #[arg(long)]
    pub(crate) bisect: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureOptions {
    #[command(flatten)]
    pub(crate) scenarios: ScenarioOptions,

    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    #[command(flatten)]
    pub(crate) scenario: FileOption,

    /// What to minimise
    #[arg(long, value_enum, default_value_t = SearchObjective(Objective::Makespan))]
    pub(crate) objective: SearchObjective,

    /// The number of placements to judge in each combination [default: as many as take about half a minute on two cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) evaluations: Option<u64>,

    /// The seed of the search [default: that of the scenario]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// An embedding of the scenario to start from; repeat the option for more [default: all, and others with names]
    #[arg(long = "start", value_name = "NAME")]
    pub(crate) starts: Vec<String>,

    /// Continue an interrupted command into the same file: combinations in its journal, PATH.partial beside --output
    /// PATH, are not searched again. Standard output has no journal
    #[arg(long, help_heading = SWEEPS)]
    pub(crate) resume: bool,

    /// The format: a table of searches, or the placement found in a format of cubefold place [default: by the extension
    /// of --output, of which .csv is the placement; else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<SearchFormat>,

    #[command(flatten)]
    pub(crate) tables: TableOptions,

    #[command(flatten)]
    pub(crate) hosts: HostFileOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyOptions {
    /// Measure smaller and fewer cases: seconds instead of minutes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Measure only the claims with TEXT in their section, source or words, such as `Greenberg`, or those of an erratum
    /// or theorem, such as A9, `theorem 3` or 3.4.1, with a line for each
    /// [default: all, without lines for those that hold]
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) only: Option<String>,

    /// The format of the claims [default: by the extension of --output, else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ResultFormat>,

    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

#[derive(Debug, Args)]
pub(crate) struct CiteOptions {
    /// Results of run, compare or merge as one JSON document
    #[arg(value_name = "RESULTS")]
    pub(crate) results: PathBuf,
}
