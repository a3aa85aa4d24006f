//! The objectives that a search minimises.

use std::fmt;

/// The value of a placement that a search makes as small as it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// The makespan of an asynchronous run \[cycles\].
    #[default]
    Makespan,
    /// The makespan if no message waited for a channel \[cycles\].
    Predicted,
    /// The largest load of a channel, under half-duplex of a link \[cycles\].
    Load,
    /// The sum over messages of units times links.
    HopUnits,
    /// The largest distance of a message \[links\].
    Dilation,
}

impl Objective {
    /// Every objective.
    pub const ALL: [Self; 5] = [Self::Makespan, Self::Predicted, Self::Load, Self::HopUnits, Self::Dilation];

    /// Its name on the command line and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Makespan => "makespan",
            Self::Predicted => "predicted",
            Self::Load => "load",
            Self::HopUnits => "hop-units",
            Self::Dilation => "dilation",
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
