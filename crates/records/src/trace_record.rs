//! The communication of Chakra traces in the results.

use cubefold_scenario::{Run, TraceTimes};
use cubefold_simulator::OperationTimes;
use serde::{Deserialize, Serialize};

use super::Word;

/// The messages or collectives of a kind in traces, summed over all ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceTimesRecord {
    /// A kind of collective, `send` or `receive`.
    pub kind: Word,
    /// The number of operations of ranks.
    pub operations: u64,
    /// How many of them have a time in the traces.
    #[serde(default)]
    pub traced_operations: u64,
    /// The times of these in the traces.
    pub traced_seconds: f64,
    /// The times of all in the run, from when they may start until they end at their ranks.
    pub simulated_seconds: f64,
    /// The same in cycles.
    pub simulated_cycles: u128,
}

impl TraceTimesRecord {
    /// Makes the records of a run; `None` unless its program is one of traces with the times of their communication.
    pub(super) fn all(run: &Run, times: &[OperationTimes]) -> Option<Vec<Self>> {
        let traces = run.program.traces.as_deref().filter(|traces| traces.has_measured_times())?;
        if times.is_empty() {
            return None;
        }
        // Without seconds a microsecond is 1000 cycles.
        let cycle = run.scale.map_or(1.0, |scale| scale.cycle_nanoseconds().to_f64());
        #[expect(clippy::cast_precision_loss, reason = "sums of times are printed with a few digits")]
        let record = |sums: TraceTimes| Self {
            kind: sums.kind.into(),
            operations: sums.operations,
            traced_operations: sums.measured_operations,
            traced_seconds: sums.measured as f64 / 1e9,
            simulated_seconds: sums.simulated as f64 * cycle / 1e9,
            simulated_cycles: sums.simulated,
        };
        Some(traces.communication(times).into_iter().map(record).collect())
    }
}
