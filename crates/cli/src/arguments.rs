//! The command line: its commands, and the options that all of them take.

mod drawing;
mod examples;
pub(crate) mod new_scenario;
mod one_run;
mod option_groups;
mod results;
mod without_scenario;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cubefold_scenario::{Embedding, embeddings};

pub(crate) use self::{
    drawing::{DrawOptions, Drawing, LinkColumn, Span},
    new_scenario::{ExecutionModes, Lengths, MACHINES, NewOptions, ProgramKind},
    one_run::{ExportOptions, PlaceOptions, RoutesOptions, TablesOptions},
    option_groups::{
        ExpectOption, FileOption, HostFileOptions, OneRunOptions, ResumeOption, ScenarioOptions,
        SettingOption, TableOptions,
    },
    results::{
        CiteOptions, CompareOptions, MeasureOptions, MergeOptions, RunOptions, SearchOptions, VerifyOptions,
    },
    without_scenario::{
        CalibrateOptions, CompletionsOptions, ExplainOptions, InspectFormat, InspectOptions, ManOptions,
        SchemaOptions, SchemaSubject,
    },
};
use crate::{
    call::Given,
    option_value::{Color, MemoryLimit},
};

/// The embeddings that a scenario can name, then the examples and exit codes.
fn after_main() -> String {
    let names: Vec<String> = embeddings().iter().flat_map(Embedding::names).collect();
    let known = format!("{} file:PATH", names.join(" "));
    let options = textwrap::Options::new(96).initial_indent("  ").subsequent_indent("  ");
    let options = options.word_separator(textwrap::WordSeparator::AsciiSpace);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    format!(
        "Embeddings that a scenario can name:\n{}\n\n{}",
        textwrap::fill(&known, options),
        examples::AFTER_MAIN
    )
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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs every scenario in the files, a row per run
    #[command(after_help = examples::AFTER_RUN)]
    Run(RunOptions),
    /// Runs every scenario side by side against one embedding, with ratios
    #[command(after_help = examples::AFTER_COMPARE)]
    Compare(CompareOptions),
    /// Merges the parts of a sweep into the results of one run
    #[command(after_help = examples::AFTER_MERGE)]
    Merge(MergeOptions),
    /// Prints an entry of a bibliography for results, and the command that repeats them
    #[command(after_help = examples::AFTER_CITE)]
    Cite(CiteOptions),
    /// Measures the placements, without running the program
    #[command(after_help = examples::AFTER_MEASURE)]
    Measure(MeasureOptions),
    /// Prints one placement: the node of every process
    #[command(after_help = examples::AFTER_PLACE)]
    Place(PlaceOptions),
    /// Searches a better placement than those with names, and says how far from the best it is
    #[command(after_help = examples::AFTER_SEARCH)]
    Search(SearchOptions),
    /// Writes the program of a scenario for other tools: GOAL, MSCCL XML, Chakra and more
    #[command(after_help = examples::AFTER_EXPORT)]
    Export(ExportOptions),
    /// Draws a picture, as SVG or PNG
    #[command(after_help = examples::AFTER_DRAW)]
    Draw(DrawOptions),
    /// Writes one HTML page with the runs of a scenario: tables, pictures and definitions
    #[command(after_help = examples::AFTER_REPORT)]
    Report(FileOption),
    /// Prints translation tables: the nodes of every process's neighbours
    #[command(after_help = examples::AFTER_TABLES)]
    Tables(TablesOptions),
    /// Writes a table of the routes of packets over routers, for execution.routes
    #[command(after_help = examples::AFTER_ROUTES)]
    Routes(RoutesOptions),
    /// Validates scenarios and lists their runs, without running them
    #[command(after_help = examples::AFTER_CHECK)]
    Check(ScenarioOptions),
    /// Measures the claims of the papers, a line per claim
    #[command(after_help = examples::AFTER_VERIFY)]
    Verify(VerifyOptions),
    /// Says what files of other tools are, what they hold and lack, and the lines that use them
    #[command(after_help = examples::AFTER_INSPECT)]
    Inspect(InspectOptions),
    /// Explains a column or term: meaning, formula and source; without one, lists all
    #[command(after_help = examples::AFTER_EXPLAIN)]
    Explain(ExplainOptions),
    /// Fits start-up cost, latency and bandwidth to the output of OSU, Intel MPI or NCCL benchmarks
    #[command(after_help = examples::AFTER_CALIBRATE)]
    Calibrate(CalibrateOptions),
    /// Writes a scenario with comments, after three questions or from options
    #[command(after_help = examples::AFTER_NEW)]
    New(NewOptions),
    /// Prints the JSON Schema of scenario files or of results, for editors and other programs
    #[command(after_help = examples::AFTER_SCHEMA)]
    Schema(SchemaOptions),
    /// Prints the completion script of a shell
    #[command(after_help = examples::AFTER_COMPLETIONS)]
    Completions(CompletionsOptions),
    /// Prints the manual page of the program or of a command
    #[command(after_help = examples::AFTER_MAN)]
    Man(ManOptions),
}

impl ValueEnum for Color {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.name().into())
    }
}
