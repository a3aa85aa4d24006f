//! cubefold places parallel programs on ring, mesh, torus and hypercube machines and measures, to the
//! cycle, what the placement costs.
//!
//! This crate is the command line, and re-exports the crates below it: [`topology`] has machines, [`mapping`] placements
//! and their metrics, [`simulator`] the engines, [`collectives`] all-reduce and the like, [`scenario`] scenario files,
//! [`runs`] their execution, [`records`] results, [`claims`] the claims of the papers, and [`picture`] pictures.
//!
//! Three programs in the folder `examples` show the library: `named_embedding` runs a program under named embeddings,
//! `own_embedding` adds an embedding to a scenario and compares it, and `many_placements` evaluates one placement after
//! another, as a search does. The types to begin with are [`topology::Machine`], [`mapping::Placement`],
//! [`simulator::Program`], [`simulator::simulate`], [`simulator::Evaluator`] and [`scenario::Scenario`].

mod arguments;
mod call;
mod command;
mod failure;
mod format;
mod grouping;
mod interruption;
mod option_value;
mod origin;
mod output;
mod progress_bar;
mod ranks;
mod run_notes;
mod sweep_output;
mod table;

pub use cubefold_claims as claims;
pub use cubefold_collectives as collectives;
pub use cubefold_mapping as mapping;
pub use cubefold_picture as picture;
pub use cubefold_records as records;
pub use cubefold_runs as runs;
pub use cubefold_scenario as scenario;
pub use cubefold_simulator as simulator;
pub use cubefold_topology as topology;

pub use call::{Call, CallError};
pub use failure::ExitCode;
pub use origin::{BUILD, cited_command};

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use cubefold_simulator::end_ranks;

use crate::arguments::{Arguments, built};

/// Runs the program with these arguments, the first of which is the program's name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    #[cfg(feature = "mpi")]
    let _job = match ranks::join() {
        Ok(job) => job,
        Err(failure) => {
            failure.print(option_value::Color::default());
            return failure.exit_code();
        }
    };
    let matches = built(Arguments::command()).try_get_matches_from(arguments);
    let arguments = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    let Some(ranks) = ranks::ranks() else { return run(arguments) };
    if ranks.rank() > 0 {
        ranks::work(arguments, ranks);
        return ExitCode::Done;
    }
    let code = run(arguments);
    end_ranks(ranks);
    code
}

fn run(arguments: Result<Arguments, clap::Error>) -> ExitCode {
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(error) => return failure::report_usage(&error),
    };
    interruption::watch();
    let color = arguments.shared.color;
    match command::execute(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.print(color);
            failure.exit_code()
        }
    }
}
