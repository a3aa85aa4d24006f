//! How much memory runs may take.

use std::{num::ParseIntError, str::FromStr};

/// A size of memory on the command line: a number with `KiB`, `MiB`, `GiB` or `TiB` behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryLimit(pub(crate) u64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MemoryLimitError {
    #[error("expected a whole number and KiB, MiB, GiB or TiB, such as 8GiB ({0})")]
    Number(#[from] ParseIntError),
    #[error("expected less than 2^64 bytes")]
    TooLarge,
}

impl FromStr for MemoryLimit {
    type Err = MemoryLimitError;

    fn from_str(text: &str) -> Result<Self, MemoryLimitError> {
        const UNITS: [(&str, u64); 4] =
            [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
        let unit = UNITS.iter().find_map(|(name, bytes)| Some((text.strip_suffix(name)?, *bytes)));
        let (number, bytes) = unit.unwrap_or((text, 1));
        let size = number.trim().parse::<u64>()?.checked_mul(bytes);
        size.map(Self).ok_or(MemoryLimitError::TooLarge)
    }
}

impl MemoryLimit {
    /// What the machine has free now.
    pub(crate) fn free() -> Self {
        let free = sysinfo::System::new().map_or(0, |mut system| {
            system.refresh_memory();
            system.available_memory()
        });
        // A system that does not say is taken to have enough.
        if free == 0 { Self(u64::MAX) } else { Self(free) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        let bytes = |text: &str| text.parse::<MemoryLimit>().map(|limit| limit.0);
        assert_eq!(bytes("1024"), Ok(1024));
        assert_eq!(bytes("8GiB"), Ok(8 << 30));
        assert_eq!(bytes("3 MiB"), Ok(3 << 20));
        assert!(bytes("8GB").is_err());
        assert_eq!(bytes("99999999TiB"), Err(MemoryLimitError::TooLarge));
    }
}
