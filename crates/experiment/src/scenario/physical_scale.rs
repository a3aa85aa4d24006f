//! Seconds and bytes of a machine that is described by bandwidth and latency (`docs/model.md` section 17).
//!
//! A cycle is the time of a unit on a link, so that a unit occupies a link for one cycle. All arithmetic is
//! in exact rationals; only numbers that a run needs as whole cycles or units are rounded.

use crate::input::quantity::Ratio;

/// The seconds of a cycle, the bytes of a unit, and the rounding of the latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhysicalScale {
    cycle: Ratio,     // [seconds], above 0
    bandwidth: Ratio, // of a link [bytes per second], above 0
    unit_bytes: u64,  // at least 1
    latency: Ratio,   // of a link, as given [seconds]
    latency_cycles: u64,
}

impl PhysicalScale {
    /// The scale of links with this bandwidth and latency and units of `unit_bytes` bytes; `None` if a number
    /// exceeds 128 bits or the latency exceeds 2^63 cycles.
    pub(crate) fn new(bandwidth: Ratio, latency: Ratio, unit_bytes: u64) -> Option<Self> {
        let cycle = Ratio::from(unit_bytes).over(bandwidth)?;
        // floor(latency / cycle - 1 + 1/2): the unit's own cycle is subtracted.
        let latency_cycles = whole(latency.over(cycle)?.rounded().saturating_sub(1))?;
        Some(Self { cycle, bandwidth, unit_bytes, latency, latency_cycles })
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

    /// The given latency of a link \[nanoseconds\].
    #[must_use]
    pub fn latency_nanoseconds(&self) -> Ratio {
        nanoseconds(self.latency)
    }

    /// The latency of a link, `l` \[cycles\].
    #[must_use]
    pub fn latency_cycles(&self) -> u64 {
        self.latency_cycles
    }

    /// The simulated latency of a link, `l + u`, until a unit has arrived \[nanoseconds\].
    #[must_use]
    pub fn simulated_latency_nanoseconds(&self) -> Ratio {
        Ratio::from(self.latency_cycles + 1).times(self.cycle_nanoseconds()).unwrap_or(Ratio::ZERO)
    }

    /// The difference between the simulated and the given latency, negative if it is shorter \[nanoseconds\].
    #[must_use]
    pub fn latency_rounding_nanoseconds(&self) -> f64 {
        match self.simulated_latency_nanoseconds().difference(self.latency_nanoseconds()) {
            Some((difference, true)) => -difference.to_f64(),
            Some((difference, false)) => difference.to_f64(),
            None => 0.0,
        }
    }

    /// Describes the cycle and the rounding of the latency in a sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        let Self { unit_bytes, latency_cycles, .. } = self;
        let (cycle, given) = (self.cycle_nanoseconds(), self.latency_nanoseconds());
        let simulated = self.simulated_latency_nanoseconds();
        let rounding = match simulated.difference(given) {
            Some((difference, _)) if difference == Ratio::ZERO => "exactly".to_owned(),
            Some((difference, true)) => format!("{difference} ns less"),
            Some((difference, false)) => format!("{difference} ns more"),
            None => "about".to_owned(),
        };
        let below = self.latency.difference(self.cycle).is_some_and(|(_, is_less)| is_less);
        let note = if below { ": less than the cycle that a unit takes in any case" } else { "" };
        format!(
            "A cycle is {cycle} ns, the time of a unit of {unit_bytes} bytes on a link. The latency of {given} ns \
             becomes {simulated} ns ({rounding}){note}; latency_cycles = {latency_cycles}."
        )
    }

    /// Converts a number of cycles to seconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "results show it as a fraction")]
    pub fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 * self.cycle.to_f64()
    }

    /// Rounds a time \[seconds\] to whole cycles; halves go up. `None` above 2^63.
    pub(crate) fn cycles(&self, time: Ratio) -> Option<u64> {
        whole(time.over(self.cycle)?.rounded())
    }

    /// Rounds the time of a unit at this bandwidth \[bytes per second\] to whole cycles; halves go up.
    pub(crate) fn unit_cycles(&self, bandwidth: Ratio) -> Option<u64> {
        whole(self.bandwidth.over(bandwidth)?.rounded())
    }

    /// Number of units for a number of bytes, rounded up. `None` above 2^63.
    pub(crate) fn units(&self, bytes: Ratio) -> Option<u64> {
        whole(bytes.over(Ratio::from(self.unit_bytes))?.ceil())
    }
}

fn nanoseconds(time: Ratio) -> Ratio {
    time.times(Ratio::from(1_000_000_000)).unwrap_or(Ratio::ZERO)
}

/// The number, if it is below 2^63.
fn whole(number: u128) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number < 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::quantity::Measure;

    fn scale(bandwidth: &str, latency: &str, unit_bytes: u64) -> PhysicalScale {
        let bandwidth = Measure::Bandwidth.parse(bandwidth).unwrap();
        PhysicalScale::new(bandwidth, Measure::Time.parse(latency).unwrap(), unit_bytes).unwrap()
    }

    #[test]
    fn a_cycle_is_the_time_of_a_unit() {
        let links = scale("50 GB/s", "400 ns", 64);
        assert_eq!(links.cycle_nanoseconds().to_string(), "1.28");
        // 312.5 cycles, rounded half up, minus the unit's own.
        assert_eq!(links.latency_cycles(), 312);
        assert_eq!(
            links.describe(),
            "A cycle is 1.28 ns, the time of a unit of 64 bytes on a link. The latency of 400 ns becomes 400.64 ns \
             (0.64 ns more); latency_cycles = 312."
        );
        assert_eq!(links.cycles(Measure::Time.parse("513 ns").unwrap()), Some(401));
        assert_eq!(links.units(Measure::Size.parse("64 MiB").unwrap()), Some(1 << 20));
        assert_eq!(links.units(Ratio::from(65)), Some(2));
        assert_eq!(links.unit_cycles(Measure::Bandwidth.parse("100 GB/s").unwrap()), Some(1));
        assert_eq!(links.units(Measure::Size.parse("999999999 TB").unwrap()), None);
        assert!((links.latency_rounding_nanoseconds() - 0.64).abs() < 1e-9);
    }

    #[test]
    fn a_latency_below_a_cycle_is_said() {
        let links = scale("1 GB/s", "10 ns", 64);
        assert_eq!(links.latency_cycles(), 0);
        assert!(links.describe().contains("64 ns (54 ns more): less than the cycle"), "{}", links.describe());
    }
}
