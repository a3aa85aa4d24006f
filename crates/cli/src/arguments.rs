//! The command line.

mod drawing;
mod examples;
pub(crate) mod new_scenario;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, builder::NonEmptyStringValueParser};
use clap_complete::Shell;
use cubefold_runs::journal::{Found, Shard, SweepPlan};
use cubefold_scenario::{Embedding, Setting, embeddings};
use cubefold_search::Objective;

use self::examples::{
    AFTER_CALIBRATE, AFTER_CHECK, AFTER_CITE, AFTER_COMPARE, AFTER_COMPLETIONS, AFTER_DRAW, AFTER_EXPLAIN,
    AFTER_EXPORT, AFTER_INSPECT, AFTER_MAIN, AFTER_MAN, AFTER_MEASURE, AFTER_MERGE, AFTER_NEW, AFTER_PLACE,
    AFTER_REPORT, AFTER_ROUTES, AFTER_RUN, AFTER_SCHEMA, AFTER_SEARCH, AFTER_TABLES, AFTER_VERIFY,
};
pub(crate) use self::{
    drawing::{DrawOptions, Drawing, FileOption, LanesName, LinkColumn, Span},
    new_scenario::{ExecutionModes, Lengths, MACHINES, NewOptions, ProgramKind},
};
use crate::{
    call::Given,
    failure::Failure,
    format::{
        ExplainFormat, ExportFormat, PlacementFormat, ResultFormat, SearchFormat, SearchObjective,
        TablesFormat,
    },
    option_value::ByteCount,
    option_value::Color,
    option_value::MemoryLimit,
    option_value::RuntimeName,
    option_value::StageName,
    option_value::operation_name,
    origin::ExpectedDigest,
};

/// The embeddings that a scenario can name, then the examples and exit codes.
fn after_main() -> String {
    let names: Vec<String> = embeddings().iter().flat_map(Embedding::names).collect();
    let known = format!("{} file:PATH", names.join(" "));
    let options = textwrap::Options::new(96).initial_indent("  ").subsequent_indent("  ");
    let options = options.word_separator(textwrap::WordSeparator::AsciiSpace);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    format!("Embeddings that a scenario can name:\n{}\n\n{AFTER_MAIN}", textwrap::fill(&known, options))
}

/// Places parallel programs on ring, mesh, torus and hypercube machines and measures, to the cycle, what
/// the placement costs.
#[derive(Debug, Parser)]
#[command(name = "cubefold", version, after_help = after_main(), max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shared: SharedOptions,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The headings under which the help lists options.
const INPUT: &str = "Input";
const SWEEPS: &str = "Sweeps";
const OUTPUT: &str = "Output";
const LIMITS: &str = "Limits";
const MESSAGES: &str = "Messages";

/// The commands that run and measure nothing, to which the options about [`LIMITS`] do not apply.
const WITHOUT_LIMITS: [&str; 9] =
    ["calibrate", "cite", "completions", "explain", "inspect", "man", "merge", "new", "schema"];

/// The built command line. The help of a command lists no option that does not apply to it.
pub(crate) fn built(mut command: clap::Command) -> clap::Command {
    // Building copies global options to each command; hidden before, they would be hidden for all.
    command.build();
    for name in WITHOUT_LIMITS {
        command = command.mut_subcommand(name, |command| {
            command.mut_args(|arg| {
                let means_nothing = arg.get_help_heading() == Some(LIMITS);
                if means_nothing { arg.hide(true) } else { arg }
            })
        });
    }
    command
}

/// Options that all commands take.
#[derive(Debug, Args)]
pub(crate) struct SharedOptions {
    /// Where results go; `-` is standard output [default: -]
    #[arg(long, short, global = true, value_name = "PATH", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,

    /// Overwrite an existing file of results; without it, such a file is refused
    #[arg(long, global = true, help_heading = OUTPUT)]
    pub(crate) force: bool,

    /// The number of threads; results do not depend on it [default: one per processor]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = LIMITS)]
    pub(crate) threads: Option<u16>,

    /// The memory limit of all runs together, such as 8GiB; runs that need more are refused
    /// [default: the free memory of the machine]
    #[arg(long, global = true, value_name = "SIZE", help_heading = LIMITS)]
    pub(crate) memory_limit: Option<MemoryLimit>,

    /// Whether messages, and tables on standard output, are coloured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = MESSAGES)]
    pub(crate) color: Color,

    /// Show no progress and no notes
    #[arg(long, short, global = true, help_heading = MESSAGES)]
    pub(crate) quiet: bool,

    #[arg(skip)]
    pub(crate) given: Given,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs every scenario in the files, a row per run
    #[command(after_help = AFTER_RUN)]
    Run(RunOptions),
    /// Runs every scenario side by side against one embedding, with ratios
    #[command(after_help = AFTER_COMPARE)]
    Compare(CompareOptions),
    /// Merges the parts of a sweep into the results of one run
    #[command(after_help = AFTER_MERGE)]
    Merge(MergeOptions),
    /// Prints an entry of a bibliography for results, and the command that repeats them
    #[command(after_help = AFTER_CITE)]
    Cite(CiteOptions),
    /// Measures the placements, without running the program
    #[command(after_help = AFTER_MEASURE)]
    Measure(MeasureOptions),
    /// Prints one placement: the node of every process
    #[command(after_help = AFTER_PLACE)]
    Place(PlaceOptions),
    /// Searches a better placement than those with names, and says how far from the best it is
    #[command(after_help = AFTER_SEARCH)]
    Search(SearchOptions),
    /// Writes the program of a scenario for other tools: GOAL, MSCCL XML, Chakra and more
    #[command(after_help = AFTER_EXPORT)]
    Export(ExportOptions),
    /// Draws a picture, as SVG or PNG
    #[command(after_help = AFTER_DRAW)]
    Draw(DrawOptions),
    /// Writes one HTML page with the runs of a scenario: tables, pictures and definitions
    #[command(after_help = AFTER_REPORT)]
    Report(FileOption),
    /// Prints translation tables: the nodes of every process's neighbours
    #[command(after_help = AFTER_TABLES)]
    Tables(TablesOptions),
    /// Writes a table of the routes of packets over routers, for execution.routes
    #[command(after_help = AFTER_ROUTES)]
    Routes(RoutesOptions),
    /// Validates scenarios and lists their runs, without running them
    #[command(after_help = AFTER_CHECK)]
    Check(ScenarioOptions),
    /// Measures the claims of the papers, a line per claim
    #[command(after_help = AFTER_VERIFY)]
    Verify(VerifyOptions),
    /// Says what files of other tools are, what they hold and lack, and the lines that use them
    #[command(after_help = AFTER_INSPECT)]
    Inspect(InspectOptions),
    /// Explains a column or term: meaning, formula and source; without one, lists all
    #[command(after_help = AFTER_EXPLAIN)]
    Explain(ExplainOptions),
    /// Fits start-up cost, latency and bandwidth to the output of OSU, Intel MPI or NCCL benchmarks
    #[command(after_help = AFTER_CALIBRATE)]
    Calibrate(CalibrateOptions),
    /// Writes a scenario with comments, after three questions or from options
    #[command(after_help = AFTER_NEW)]
    New(NewOptions),
    /// Prints the JSON Schema of scenario files or of results, for editors and other programs
    #[command(after_help = AFTER_SCHEMA)]
    Schema(SchemaOptions),
    /// Prints the completion script of a shell
    #[command(after_help = AFTER_COMPLETIONS)]
    Completions(CompletionsOptions),
    /// Prints the manual page of the program or of a command
    #[command(after_help = AFTER_MAN)]
    Man(ManOptions),
}

/// Keys that are set for all scenarios of a command.
#[derive(Debug, Clone, Args)]
pub(crate) struct SettingOption {
    /// Set a key in every scenario before validation, such as machine.links=half-duplex; this replaces a sweep
    /// of the key. Repeat the option for other keys [default: as in the files]
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = INPUT)]
    pub(crate) settings: Vec<Setting>,
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

/// Options of `measure`.
#[derive(Debug, Args)]
pub(crate) struct MeasureOptions {
    #[command(flatten)]
    pub(crate) scenarios: ScenarioOptions,

    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

/// The choice of one run of a scenario without a sweep.
#[derive(Debug, Args)]
pub(crate) struct OneRunOptions {
    /// A scenario file without a sweep; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) set: SettingOption,

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

/// Options of `cite`.
#[derive(Debug, Args)]
pub(crate) struct CiteOptions {
    /// Results of run, compare or merge as one JSON document
    #[arg(value_name = "RESULTS")]
    pub(crate) results: PathBuf,
}

/// Options of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
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

/// Options of `merge`.
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

/// Options of `compare`.
#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
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

    /// The embedding or algorithm to compare the others with [default: the first embedding of the scenario, or
    /// the first algorithm if only algorithms differ]
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,

    /// Find to the unit the sizes at which the fastest algorithm of a collective changes, by more runs between
    /// the sizes of the scenario
    #[arg(long)]
    pub(crate) bisect: bool,
}

/// Options of `place`.
#[derive(Debug, Args)]
pub(crate) struct PlaceOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The placement after a stage of the embedding greenberg: slots of the intermediate mesh, as grid, csv or
    /// json [default: the final placement]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) stage: Option<StageName>,

    /// The format of the placement [default: by the extension of --output, else grid]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<PlacementFormat>,

    #[command(flatten)]
    pub(crate) hosts: HostFileOptions,
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

/// Options of `search`.
#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    /// A scenario file; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) set: SettingOption,

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

/// Options of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The format of the program; formats with a file for each process go to the folder --output
    /// [default: by the extension of --output, else goal]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ExportFormat>,

    /// The runtime that executes msccl-xml: its names and its limits [default: msccl, with notes on the others]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) runtime: Option<RuntimeName>,
}

/// Options of `routes`.
#[derive(Debug, Args)]
pub(crate) struct RoutesOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// Every shortest next router, in the class of the links passed [default]
    #[arg(long, conflicts_with = "valiant")]
    pub(crate) minimal: bool,

    /// The routes by way of every router with terminals
    #[arg(long)]
    pub(crate) valiant: bool,
}

/// Options of `tables`.
#[derive(Debug, Args)]
pub(crate) struct TablesOptions {
    #[command(flatten)]
    pub(crate) run: OneRunOptions,

    /// The method: 1 evaluates the embedding, 2 exchanges addresses with the physical neighbours and needs unit
    /// dilation
    #[arg(long, value_name = "1|2", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) method: u8,

    /// The format of the tables [default: by the extension of --output, else table]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<TablesFormat>,
}

/// Options of `verify`.
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

/// Options of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// A column of the files, a word of the tables or a term, such as makespan or `node load`
    #[arg(value_name = "TERM")]
    pub(crate) term: Vec<String>,

    /// The format [default: by the extension of --output, else text]
    #[arg(long, value_enum, help_heading = OUTPUT)]
    pub(crate) format: Option<ExplainFormat>,
}

/// Options of `calibrate`.
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

    /// The operation that is fitted, of a log of several, as those of `DeepSpeed` [default: the only one]
    #[arg(long, value_name = "NAME", value_parser = operation_name)]
    pub(crate) operation: Option<&'static str>,
}

/// Options of `inspect`.
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

/// Options of `schema`.
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

/// Options of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Options of `man`.
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

impl ValueEnum for Color {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.name().into())
    }
}
