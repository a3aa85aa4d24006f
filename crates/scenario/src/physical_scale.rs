//! Seconds and bytes of a machine that is described by bandwidths and latencies (`docs/model.md` sections 17 and 21.6).
//!
//! All arithmetic is in exact rationals; only numbers needed as whole cycles or units are rounded.

use cubefold_formats::input::quantity::Ratio;

/// The seconds of a cycle and the bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhysicalScale {
    cycle: Ratio,    // [seconds], above 0
    unit_bytes: u64, // at least 1
}

impl PhysicalScale {
    /// A scale with this cycle \[seconds\], above 0, and units of `unit_bytes` bytes.
    pub(crate) fn new(cycle: Ratio, unit_bytes: u64) -> Self {
        Self { cycle, unit_bytes }
    }

    /// The length of a cycle \[nanoseconds\].
    #[must_use]
    pub fn cycle_nanoseconds(&self) -> Ratio {
        nanoseconds(self.cycle)
    }

    /// Bytes per unit.
    #[must_use]
    pub fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// The length of a cycle \[seconds\].
    pub(super) fn cycle(&self) -> Ratio {
        self.cycle
    }

    /// Converts a number of cycles to seconds, rounded once.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "only products beyond 128 bits")]
    pub fn seconds(&self, cycles: u64) -> f64 {
        let exact = Ratio::from(cycles).times(self.cycle).map(Ratio::to_f64);
        exact.unwrap_or_else(|| cycles as f64 * self.cycle.to_f64())
    }

    /// Rounds a time \[seconds\] to whole cycles; halves go up. `None` above 2^63.
    #[must_use]
    pub fn cycles(&self, time: Ratio) -> Option<u64> {
        whole(time.over(self.cycle)?.rounded())
    }

    /// Number of units for a number of bytes, rounded up. `None` above 2^63.
    pub(crate) fn units(&self, bytes: Ratio) -> Option<u64> {
        whole(bytes.over(Ratio::from(self.unit_bytes))?.ceil())
    }
}

pub(super) fn nanoseconds(time: Ratio) -> Ratio {
    time.times(Ratio::from(1_000_000_000)).unwrap_or(Ratio::ZERO)
}

/// The number, unless it is 2^63 or more.
pub(super) fn whole(number: u128) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number < 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_formats::input::quantity::Measure;

    #[test]
    fn times_and_sizes_are_whole_cycles_and_units() {
        let cycle = Ratio::from(64).over(Measure::Bandwidth.parse("50 GB/s").unwrap()).unwrap();
        let scale = PhysicalScale::new(cycle, 64);
        assert_eq!(scale.cycle_nanoseconds().to_string(), "1.28");
        assert_eq!(scale.cycles(Measure::Time.parse("513 ns").unwrap()), Some(401));
        assert_eq!(scale.units(Measure::Size.parse("64 MiB").unwrap()), Some(1 << 20));
        assert_eq!(scale.units(Ratio::from(65)), Some(2));
        assert_eq!(scale.units(Measure::Size.parse("999999999 TB").unwrap()), None);
    }
}
