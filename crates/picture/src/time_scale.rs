//! Times in pictures: in cycles, and in seconds if the scenario gives a cycle's length.

use cubefold_formats::input::{engineering_seconds, unit_of_seconds};
use cubefold_records::RunRecord;
use cubefold_scenario::Run;

use crate::sheet::as_drawn;

/// The length of a cycle, if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TimeScale {
    cycle_seconds: Option<f64>, // above 0
}

/// The unit in which an axis counts time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimeUnit {
    /// `cycles`, or a unit of seconds.
    pub(crate) name: &'static str,
    /// The length of a cycle in this unit.
    pub(crate) cycle: f64,
}

impl TimeScale {
    /// The scale of a run.
    pub(crate) fn of(run: &Run) -> Self {
        Self { cycle_seconds: run.scale.map(|scale| scale.seconds(1)) }
    }

    /// The common scale of the records; cycles if they differ.
    pub(crate) fn common<'record>(mut records: impl Iterator<Item = &'record RunRecord>) -> Self {
        let scale = |record: &RunRecord| record.machine.cycle_nanoseconds.map(|length| length * 1e-9);
        let first = records.next().and_then(scale);
        Self { cycle_seconds: first.filter(|_| records.all(|record| scale(record) == first)) }
    }

    /// The unit for an axis of this many cycles: the largest that is no longer than the axis.
    pub(crate) fn unit(self, greatest: u64) -> TimeUnit {
        let Some(cycle) = self.cycle_seconds else { return TimeUnit { name: "cycles", cycle: 1.0 } };
        let (length, name) = unit_of_seconds(cycle * as_drawn(greatest.max(1)));
        TimeUnit { name, cycle: cycle / length }
    }

    /// A number of cycles in seconds, in parentheses to follow the cycles; empty if seconds are unknown.
    pub(crate) fn aside(self, cycles: u64) -> String {
        let seconds = |cycle: f64| format!(" ({})", engineering_seconds(cycle * as_drawn(cycles)));
        self.cycle_seconds.map_or_else(String::new, seconds)
    }
}

impl TimeUnit {
    /// A number of cycles in this unit.
    pub(crate) fn of(self, cycles: u64) -> f64 {
        as_drawn(cycles) * self.cycle
    }

    /// Whether times are counted in cycles.
    pub(crate) fn is_cycles(self) -> bool {
        self.name == "cycles"
    }

    /// The title of an axis: the given text about cycles, or `time` with its unit.
    pub(crate) fn title(self, cycles: &str) -> String {
        if self.is_cycles() { cycles.to_owned() } else { format!("time [{}]", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_counts_in_the_largest_unit_of_which_it_has_one() {
        let scale = TimeScale { cycle_seconds: Some(1.28e-9) };
        let unit = scale.unit(1000);
        assert_eq!((unit.name, unit.title("cycle")), ("us", "time [us]".to_owned()));
        assert!((unit.of(1000) - 1.28).abs() < 1e-9);
        assert_eq!(scale.unit(1).name, "ns");
        assert_eq!(scale.aside(401), " (513 ns)");
        let cycles = TimeScale::default();
        assert_eq!((cycles.unit(7).title("cycle"), cycles.aside(7)), ("cycle".to_owned(), String::new()));
        assert!((cycles.unit(7).of(7) - 7.0).abs() < 1e-9);
    }
}
