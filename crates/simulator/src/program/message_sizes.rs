//! Sizes of messages, stage by stage.

/// Sizes of the messages of a program in which all messages of a stage have one size \[units\].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSizes(Sizes);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sizes {
    Same(u64),
    ByStage(Vec<u64>), // not empty
}

/// A size of 0 units, or no sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected sizes of at least 1 unit, one for each stage")]
pub struct MessageSizesError;

impl MessageSizes {
    /// Messages of one unit.
    pub const ONE_UNIT: Self = Self(Sizes::Same(1));

    /// One size for all messages.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub fn same(units: u64) -> Result<Self, MessageSizesError> {
        if units == 0 { Err(MessageSizesError) } else { Ok(Self(Sizes::Same(units))) }
    }

    /// One size per stage.
    ///
    /// # Errors
    ///
    /// If the list is empty, or a size is 0.
    pub fn by_stage(units: Vec<u64>) -> Result<Self, MessageSizesError> {
        match units.first() {
            Some(&first) if first > 0 && units.iter().all(|&size| size == first) => Self::same(first),
            Some(_) if !units.contains(&0) => Ok(Self(Sizes::ByStage(units))),
            _ => Err(MessageSizesError),
        }
    }

    /// The size of the messages of a stage; stages after the given ones have the size of the last.
    #[must_use]
    #[inline]
    pub fn of_stage(&self, stage: usize) -> u64 {
        match &self.0 {
            Sizes::Same(units) => *units,
            Sizes::ByStage(units) => units[stage.min(units.len() - 1)],
        }
    }

    /// The common size of all messages, if there is one.
    #[must_use]
    pub fn uniform(&self) -> Option<u64> {
        match self.0 {
            Sizes::Same(units) => Some(units),
            Sizes::ByStage(_) => None,
        }
    }
}
