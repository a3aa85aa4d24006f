//! Options that several commands share: the scenarios, one of their runs, tables, journals, hosts.

use std::{path::PathBuf, slice};

use clap::Args;
use cubefold_runs::journal::{Found, SweepPlan};
use cubefold_scenario::{Scenario, Setting};

use super::{INPUT, OUTPUT, SWEEPS, SharedOptions};
use crate::{failure::Failure, format::ResultFormat, origin::ExpectedDigest};

/// Keys that are set for all scenarios of a command.
#[derive(Debug, Clone, Args)]
pub(crate) struct SettingOption {
    /// Set a key in every scenario before validation, such as machine.links=half-duplex; this replaces a sweep
    /// of the key. Repeat the option for other keys [default: as in the files]
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = INPUT)]
    pub(crate) settings: Vec<Setting>,
}

/// One scenario.
#[derive(Debug, Clone, Args)]
pub(crate) struct FileOption {
    /// A scenario file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) set: SettingOption,
}

impl FileOption {
    /// The scenario in the file, as a list.
    pub(crate) fn load(&self, shared: &SharedOptions) -> Result<Vec<Scenario>, Failure> {
        shared.given.scenarios(slice::from_ref(&self.file), &self.set, shared)
    }
}

/// The scenarios, and how results are written.
#[derive(Debug, Args)]
pub(crate) struct ScenarioOptions {
    /// Scenario files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) set: SettingOption,

    /// The format of results [default: by the extension of --output, else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ResultFormat>,
}

impl ScenarioOptions {
    /// The scenarios in the files.
    pub(crate) fn load(&self, shared: &SharedOptions) -> Result<Vec<Scenario>, Failure> {
        shared.given.scenarios(&self.files, &self.set, shared)
    }
}

/// The columns of tables, and their width.
#[derive(Debug, Default, Args)]
pub(crate) struct TableOptions {
    /// Show only these columns of tables and of CSV and Parquet files, by their names in either, such as
    /// embedding,makespan [default: all that fit]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', help_heading = OUTPUT)]
    pub(crate) columns: Vec<String>,

    /// The width of tables: in columns of text, or in points for latex [default: the terminal, elsewhere 80; 345]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(20..), help_heading = OUTPUT)]
    pub(crate) width: Option<u16>,
}

/// The choice of one run of a scenario.
#[derive(Debug, Args)]
pub(crate) struct OneRunOptions {
    #[command(flatten)]
    pub(crate) scenario: FileOption,

    /// The embedding; required if the scenario has several
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub(crate) embedding: Option<String>,

    /// The number of the run, counted from 0 in the order of results; for a sweep or several algorithms
    #[arg(long, value_name = "NUMBER", conflicts_with = "embedding", help_heading = INPUT)]
    pub(crate) run: Option<usize>,
}

/// The treatment of an existing journal.
#[derive(Debug, Args)]
pub(crate) struct ResumeOption {
    /// Continue an interrupted sweep into the same file: runs in its journal, PATH.partial beside --output PATH,
    /// are not repeated. Standard output has no journal
    #[arg(long, help_heading = SWEEPS)]
    pub(crate) resume: bool,

    /// If another process writes the same journal, wait until it ends, and continue; without it, end with exit
    /// code 4
    #[arg(long, requires = "resume", help_heading = SWEEPS)]
    pub(crate) wait: bool,
}

impl ResumeOption {
    /// The treatment of an existing journal.
    pub(crate) fn found(&self) -> Found {
        match (self.resume, self.wait) {
            (true, true) => Found::ResumeWhenFree,
            (true, false) => Found::Resume,
            (false, _) => Found::Refuse,
        }
    }
}

/// The digest that runs must have.
#[derive(Debug, Args)]
pub(crate) struct ExpectOption {
    /// End before the first run unless the digest of the runs begins with these digits, 12 or more: that of cubefold cite
    #[arg(long, value_name = "DIGEST", help_heading = INPUT)]
    pub(crate) expect: Option<ExpectedDigest>,
}

impl ExpectOption {
    /// Refuses runs with another digest than the expected one.
    pub(crate) fn check(&self, plan: &SweepPlan<'_>) -> Result<(), Failure> {
        self.expect.as_ref().map_or(Ok(()), |expected| expected.check(&plan.cited()))
    }
}

/// The hosts that a placement names.
#[derive(Debug, Args)]
pub(crate) struct HostFileOptions {
    /// The hosts in the order of the nodes, the first coordinate fastest, as a scheduler or launcher lists them; for
    /// formats that name hosts [default: none]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) hosts: Option<PathBuf>,

    /// The coordinates of hosts: a table, or the output of scontrol show topology, Cray's xtprocadmin or JAX.
    /// Puts the hosts of --hosts, or all, in the order of the nodes [default: none]
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) coordinates: Option<PathBuf>,

    /// The number of slots of a host, a multiple of the processes on the fullest node; for formats of launchers
    /// [default: that number, so that every node is a host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = INPUT)]
    pub(crate) slots_per_node: Option<u64>,
}
