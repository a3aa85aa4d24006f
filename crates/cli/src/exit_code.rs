//! What the program says to whoever called it.

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
    /// 3: done, but `bench --against` found a row that is slower.
    RowSlower,
}

impl ExitCode {
    /// The number.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::RunFailed => 1,
            Self::InputRefused => 2,
            Self::ClaimFails | Self::RowSlower => 3,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        code.number().into()
    }
}
