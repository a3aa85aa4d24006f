//! The failures of commands, their messages, and the exit codes.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
};

use cubefold_formats::{input::printable, launcher::LauncherError};
use cubefold_runs::{RunError, journal::JournalError};
use cubefold_scenario::ScenarioErrors;
use textwrap::core::display_width;

use crate::{
    option_value::Color,
    output::{closed_output, columns_of_messages, filled, of_system, printable_path, say},
};

/// The exit codes, the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// 0: done.
    Done,
    /// 1: a run failed, or its results could not be written.
    RunFailed,
    /// 2: the input is wrong or refused (command line, scenario, memory limit); nothing was run.
    InputRefused,
    /// 3: done, but `verify` found a claim that does not hold.
    ClaimFails,
    /// 3: `inspect` recognised all files, but one is not read or ambiguous.
    FileNotRead,
    /// 4: another process writes the same results; nothing was run.
    ResultsLocked,
}

impl ExitCode {
    /// The number.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::RunFailed => 1,
            Self::InputRefused => 2,
            Self::ClaimFails | Self::FileNotRead => 3,
            Self::ResultsLocked => 4,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}

#[derive(Debug)]
pub(crate) enum Failure {
    /// Scenario files are wrong.
    Scenario(ScenarioErrors),
    /// The command line is wrong.
    Usage { message: String, help: String },
    /// Another process writes the journal; the message names it and its results.
    Locked { message: String },
    /// A run is refused before anything runs.
    Refused(RunError),
    Runs {
        /// The errors, each with its run's place in the results.
        failed: Vec<(usize, RunError)>,
        /// The number of requested runs.
        of: usize,
        /// The journal that holds the other runs.
        kept: Option<PathBuf>,
    },
    /// Results could not be written.
    Output {
        /// The destination.
        place: String,
        error: io::Error,
        /// The journal that holds the finished runs.
        kept: Option<PathBuf>,
    },
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: help.into() }
    }

    /// Results that could not be written; no place is standard output.
    pub(crate) fn output(place: Option<&Path>, error: io::Error) -> Self {
        let place = place.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
        let error = of_system(&error).unwrap_or(error);
        Self::Output { place, error, kept: None }
    }

    /// The failure with the journal that holds the finished runs, if results could not be written.
    pub(crate) fn keeping(self, journal: Option<&Path>) -> Self {
        match self {
            Self::Output { place, error, .. } => {
                Self::Output { place, error, kept: journal.map(Path::to_owned) }
            }
            other => other,
        }
    }

    /// A placement that a launcher's format cannot express.
    pub(crate) fn launcher(error: &LauncherError) -> Self {
        Self::usage(error.to_string(), error.help())
    }

    /// A file that cannot be opened, before anything runs.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let described = of_system(error);
        let error = described.as_ref().unwrap_or(error);
        let message = format!("cannot write {}: {error}", path.display());
        Self::usage(
            message,
            match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    "make room on the disk, or name a file on another one"
                }
                io::ErrorKind::InvalidFilename => "choose a shorter name",
                _ => "name a file in a folder that exists and can be written to",
            },
        )
    }

    /// The journal at `place` cannot be used for results in `path`.
    pub(crate) fn journal(path: &Path, place: &Path, error: &JournalError) -> Self {
        let message =
            format!("cannot write {}: beside it is {}, and {error}", path.display(), place.display());
        let place = place.display();
        let help = match error {
            JournalError::System(error) => return Self::unwritable(path, error),
            JournalError::Found => format!("continue it with --resume, or delete {place} to start over"),
            JournalError::Locked => return Self::Locked { message },
            JournalError::Foreign => "delete it, or name another file with --output".to_owned(),
            JournalError::Form { .. } | JournalError::Version { .. } => {
                format!("continue it with the version that began it, or delete {place} to start over")
            }
            JournalError::OtherShard { .. } | JournalError::Changed(_) | JournalError::OtherSearches => {
                format!("ask for the same runs again, or delete {place} to start over")
            }
            JournalError::Damaged => format!("delete {place} to start over"),
        };
        Self::usage(message, help)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Scenario(_) | Self::Usage { .. } | Self::Refused(_) => ExitCode::InputRefused,
            Self::Locked { .. } => ExitCode::ResultsLocked,
            Self::Runs { .. } | Self::Output { .. } => ExitCode::RunFailed,
        }
    }

    /// Prints the failure on standard error.
    pub(crate) fn print(&self, color: Color) {
        match self {
            Self::Scenario(errors) => {
                // If standard error is closed, the exit code still reports the failure.
                let _ = write!(io::stderr(), "{}", Rendered { errors, color });
            }
            other => say(&format!("error: {other}")),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(errors) => errors.fmt(formatter),
            Self::Usage { message, help } => write_with_help(formatter, message, help),
            Self::Locked { message } => {
                let help = "wait for it with --resume --wait, or name another file with --output";
                write_with_help(formatter, message, help)
            }
            Self::Refused(error) => match help_for(error) {
                Some(help) => write_with_help(formatter, &error.to_string(), help),
                None => formatter.write_str(&printable(&error.to_string())),
            },
            Self::Runs { failed, of, kept } => {
                for (_, error) in failed {
                    write!(formatter, "{}\nerror: ", printable(&error.to_string()))?;
                }
                write!(formatter, "{} of {of} runs failed", failed.len())?;
                let Some(kept) = kept else { return Ok(()) };
                let kept = printable_path(kept);
                write!(formatter, "; the others are kept in {kept}\n  help: try again with --resume")
            }
            Self::Output { place, error, kept } => {
                write!(formatter, "cannot write {}: {error}", printable(place))?;
                let Some(kept) = kept else { return Ok(()) };
                let help = "make room or name another file; the finished runs are kept in";
                write!(formatter, "\n  help: {help} {}", printable_path(kept))
            }
        }
    }
}

fn write_with_help(formatter: &mut fmt::Formatter<'_>, message: &str, help: &str) -> fmt::Result {
    write!(formatter, "{}\n  help: {}", printable(message), printable(help))
}

/// The remedy for a run that is refused; `None` if its error names it.
fn help_for(error: &RunError) -> Option<&'static str> {
    match error {
        RunError::ListMemory { .. } => Some("give it more with --memory-limit, or sweep fewer values"),
        RunError::Memory(_) | RunError::AddressExchangeMemory { .. } => {
            Some("give it more with --memory-limit, or make the machine smaller")
        }
        RunError::TooManyTransmissions { .. } => Some("run fewer stages or processes, or larger packets"),
        _ => None,
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
            handler.render_report(&mut text, &error.report())?;
            writeln!(formatter, "{text}")?;
        }
        let (count, shown) = (self.errors.count(), self.errors.iter().count() as u64);
        match count {
            1 => writeln!(formatter, "1 error; nothing was run"),
            count if count > shown => writeln!(formatter, "{count} errors, the first shown; nothing was run"),
            count => writeln!(formatter, "{count} errors; nothing was run"),
        }
    }
}

/// Prints an error of the command line, or the requested help.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() && cubefold_standard_output::was_closed() {
        Failure::output(None, closed_output()).print(Color::default());
        return ExitCode::RunFailed;
    }
    let text = error.to_string();
    let is_safe = text.split('\n').all(|line| matches!(printable(line), Cow::Borrowed(_)));
    let columns = columns_of_messages().filter(|_| error.use_stderr());
    let fits = columns.is_none_or(|columns| text.lines().all(|line| display_width(line) <= columns));
    // Help goes to standard output, whose pipe may be closed without harm.
    let _ = if is_safe && fits {
        error.print()
    } else {
        // Control characters of the command line would be obeyed by the terminal.
        let lines: Vec<_> = text.split('\n').map(printable).collect();
        let text = lines.join("\n");
        write!(io::stderr(), "{}", columns.map_or_else(|| text.clone(), |columns| filled(&text, columns)))
    };
    if error.use_stderr() { ExitCode::InputRefused } else { ExitCode::Done }
}

#[cfg(test)]
mod tests {
    use cubefold_runs::RunName;

    use super::*;

    #[test]
    fn runs_that_fail_are_named_with_what_is_kept_of_the_others() {
        let failed = |place| {
            let run = RunName { scenario: "s".to_owned(), place, embedding: Some("xor".to_owned()) };
            (place, RunError::Panicked { run, message: "a defect".to_owned() })
        };
        let failure = |kept| Failure::Runs { failed: vec![failed(3), failed(7)], of: 9, kept };
        let named = "run 3 of \"s\" with xor stopped: a defect\n\
                     error: run 7 of \"s\" with xor stopped: a defect\nerror: 2 of 9 runs failed";
        assert_eq!(failure(None).to_string(), named);
        let kept = failure(Some("r.csv.partial".into()));
        let kept_text = "; the others are kept in r.csv.partial\n  help: try again with --resume";
        assert_eq!(kept.to_string(), format!("{named}{kept_text}"));
        assert_eq!(kept.exit_code(), ExitCode::RunFailed);
    }
}
