//! Why a command did not do what was asked, and how that is said.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
};

use cubefold_experiment::{RunError, ScenarioErrors, benchmark::BenchmarkError};

use crate::{ExitCode, color::Color};

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Scenario files are wrong.
    Scenario(ScenarioErrors),
    /// The command line asks for what there is not.
    Usage {
        /// What is wrong.
        message: String,
        /// How to mend it.
        help: String,
    },
    /// A run is refused before anything runs.
    Refused(RunError),
    /// A run failed.
    Run(RunError),
    /// The benchmark has no figures.
    Benchmark(BenchmarkError),
    /// Results could not be written.
    Output {
        /// Where they were to go.
        place: String,
        /// Why not.
        error: io::Error,
    },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: help.into() }
    }

    pub(crate) fn output(place: Option<&Path>, error: io::Error) -> Self {
        let place = place.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
        Self::Output { place, error }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Scenario(_) | Self::Usage { .. } | Self::Refused(_) => ExitCode::InputRefused,
            Self::Run(_) | Self::Benchmark(_) | Self::Output { .. } => ExitCode::RunFailed,
        }
    }

    /// Says it on standard error.
    pub(crate) fn print(&self, color: Color) {
        let mut stderr = io::stderr().lock();
        // Where nobody reads what is wrong the exit code still tells.
        let _ = match self {
            Self::Scenario(errors) => write!(stderr, "{}", Rendered { errors, color }),
            other => writeln!(stderr, "error: {other}"),
        };
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(errors) => errors.fmt(formatter),
            Self::Usage { message, help } => write!(formatter, "{message}\n  help: {help}"),
            Self::Refused(error @ (RunError::Memory(_) | RunError::AddressExchangeMemory { .. })) => {
                write!(
                    formatter,
                    "{error}\n  help: give it more with --memory-limit, or make the machine smaller"
                )
            }
            Self::Refused(error) | Self::Run(error) => error.fmt(formatter),
            Self::Benchmark(error) => error.fmt(formatter),
            Self::Output { place, error } => write!(formatter, "cannot write {place}: {error}"),
        }
    }
}

/// Errors of scenario files, each with its place marked.
struct Rendered<'errors> {
    errors: &'errors ScenarioErrors,
    color: Color,
}

impl fmt::Display for Rendered<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handler = self.color.report_handler();
        for error in self.errors.iter() {
            let mut text = String::new();
            handler.render_report(&mut text, error)?;
            writeln!(formatter, "{text}")?;
        }
        match self.errors.iter().count() {
            1 => writeln!(formatter, "1 error; nothing was run"),
            count => writeln!(formatter, "{count} errors; nothing was run"),
        }
    }
}

/// Says what is wrong with the command line, or gives the help that was asked for.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    // Help goes to standard output and its pipe may be closed: nothing is lost then.
    let _ = error.print();
    if error.use_stderr() { ExitCode::InputRefused } else { ExitCode::Done }
}
