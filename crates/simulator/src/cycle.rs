//! Time: points and lengths, in whole cycles.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Mul, Sub},
};

/// A point in time: a number of cycles after the start of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cycle(u64);

/// A length of time in cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cycles(u64);

impl Cycle {
    /// The cycle at which every process starts.
    pub const START: Self = Self(0);

    /// The point this many cycles after the start.
    #[must_use]
    pub const fn new(cycles: u64) -> Self {
        Self(cycles)
    }

    /// The cycles since the start.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Cycles {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A length of this many cycles.
    #[must_use]
    pub const fn new(cycles: u64) -> Self {
        Self(cycles)
    }

    /// The number of cycles.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Add<Cycles> for Cycle {
    type Output = Self;

    fn add(self, length: Cycles) -> Self {
        Self(self.0 + length.0)
    }
}

impl Sub for Cycle {
    type Output = Cycles;

    /// The time from `earlier` to this point.
    fn sub(self, earlier: Self) -> Cycles {
        Cycles(self.0 - earlier.0)
    }
}

impl Add for Cycles {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Cycles {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Cycles {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Cycles {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Cycles {
    fn sum<I: Iterator<Item = Self>>(lengths: I) -> Self {
        lengths.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for Cycles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
