//! The communication of traces: its time in a run, beside its time when the traces were recorded
//! (`docs/model.md` section 23.4).

use std::collections::BTreeMap;

use cubefold_simulator::OperationTimes;

use super::{TraceProgram, trace_reader::Work};

/// The messages or collectives of a kind, over all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceTimes {
    /// A kind of collective, `send` or `receive`.
    pub kind: &'static str,
    /// The number of operations over all ranks.
    pub operations: u64,
    /// How many of them have a time in the traces.
    pub measured_operations: u64,
    /// The sum of their times in the traces \[ns\].
    pub measured: u128,
    /// The sum of their times in the run, from when they may start until they end at their ranks \[cycles\].
    pub simulated: u128,
}

impl TraceProgram {
    /// Whether the traces say how long their messages or collectives took.
    #[must_use]
    pub fn has_measured_times(&self) -> bool {
        self.set.traces.iter().flat_map(|trace| &trace.nodes).any(|node| node.measured > 0)
    }

    /// The times of messages and collectives in the traces and in a run, collectives by name, then sends and receives.
    /// `times` has the times of the operations of the schedule.
    #[must_use]
    pub fn communication(&self, times: &[OperationTimes]) -> Vec<TraceTimes> {
        let firsts = || self.firsts.iter().flatten().map(|&first| first as usize);
        let lasts = firsts().skip(1).chain([times.len()]).map(|next| next - 1);
        let nodes = self.set.traces.iter().flat_map(|trace| &trace.nodes);
        let mut kinds: BTreeMap<(bool, bool, &str), TraceTimes> = BTreeMap::new();
        for (node, (first, last)) in nodes.zip(firsts().zip(lasts)) {
            let (order, kind) = match &node.work {
                Work::Nothing | Work::Compute(_) => continue,
                Work::Collective { operation, .. } => ((false, false), operation.name()),
                Work::Message(message) if message.is_send => ((true, false), "send"),
                Work::Message(_) => ((true, true), "receive"),
            };
            let none = TraceTimes { kind, operations: 0, measured_operations: 0, measured: 0, simulated: 0 };
            let entry = kinds.entry((order.0, order.1, kind)).or_insert(none);
            entry.operations += 1;
            entry.measured_operations += u64::from(node.measured > 0);
            entry.measured += u128::from(node.measured);
            entry.simulated += u128::from((times[last].over - times[first].begun).get());
        }
        kinds.into_values().collect()
    }
}
