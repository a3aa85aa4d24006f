//! Guest processes.

use std::fmt;

/// A process of a guest, by its label: not a node of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(u32);

impl ProcessId {
    /// The process with this label. Whether a guest has it is for the guest to say.
    #[must_use]
    pub const fn new(label: u32) -> Self {
        Self(label)
    }

    /// The label.
    #[must_use]
    pub const fn label(self) -> u32 {
        self.0
    }

    /// The first `count` processes in order, at most 2^32.
    pub fn first(count: u64) -> impl Iterator<Item = Self> + Clone {
        (0..=u32::MAX).map(Self).take(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
