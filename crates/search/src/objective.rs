//! The objectives that a search minimises.

use std::fmt;

use cubefold_derive::Words;

/// The value of a placement that a search minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
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

impl fmt::Display for Objective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
