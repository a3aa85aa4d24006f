//! Task graphs: operations of processes that wait for one another (`docs/model.md` section 18).
//!
//! A [`TaskGraph`] is the program that a run executes: a [`TaskSchedule`] with its amounts in cycles and units.

use std::{collections::BTreeMap, sync::Arc};

use cubefold_mapping::ProcessId;

use crate::{
    Communication, Cycles, End, Facts, GuestRef, Operation, OperationKind, Peer, Program, Special,
    TaskSchedule, program::stage_program::Partners,
};

/// A task graph as a program of one stage.
///
/// As a [`Program`] it has one stage, in which every two processes that exchange messages exchange one of all
/// their units, for metrics and sums over messages. [`simulate`](crate::simulate) executes its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskGraph {
    schedule: Arc<TaskSchedule>,
    amounts: Option<Vec<u64>>, // by operation, if they differ from those of the schedule
    overhead: Cycles,          // processor time of every send
    sent: Partners,
    sent_units: Vec<u64>, // of all messages of each pair of `sent`
    received: Partners,
    totals: Totals,
}

/// Sums over the operations of a task graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Totals {
    calculations: u128, // [cycles], including sends
    units: u128,
    sends: u64,
    largest: u64,
    smallest: u64, // 0 if there are none
}

impl TaskGraph {
    /// A schedule whose calculations take its times as cycles, and whose messages have a unit per byte; every
    /// send occupies a processor for `overhead` before it begins.
    #[must_use]
    pub fn new(schedule: Arc<TaskSchedule>, overhead: Cycles) -> Self {
        Self::with_amounts(schedule, None, overhead)
    }

    /// A schedule with other amounts: `cycles` converts the times of calculations to cycles, `units` the
    /// sizes of messages to units.
    #[must_use]
    pub fn scaled(
        schedule: Arc<TaskSchedule>,
        overhead: Cycles,
        cycles: impl Fn(u64) -> u64,
        units: impl Fn(u64) -> u64,
    ) -> Self {
        // Few amounts differ from the previous one of their kind.
        let mut latest = [None::<(u64, u64)>; 2];
        let mut turn = |kind: usize, amount: u64, into: &dyn Fn(u64) -> u64| match latest[kind] {
            Some((known, kept)) if known == amount => kept,
            _ => {
                let kept = into(amount);
                latest[kind] = Some((amount, kept));
                kept
            }
        };
        let amount = |operation: &Operation| match operation.kind {
            OperationKind::Calc => turn(0, operation.amount, &cycles),
            OperationKind::Send | OperationKind::Receive => turn(1, operation.amount, &units),
        };
        let amounts = schedule.operations().iter().map(amount).collect();
        Self::with_amounts(schedule, Some(amounts), overhead)
    }

    fn with_amounts(schedule: Arc<TaskSchedule>, amounts: Option<Vec<u64>>, overhead: Cycles) -> Self {
        // Receives without a send are an error, so every pair has a message.
        let pairs = || {
            let between = schedule.pairs.iter().filter(|pair| pair.0 != pair.1);
            between.map(|&(source, destination)| [source, destination].map(ProcessId::new))
        };
        let mut sent: Vec<_> = pairs().collect();
        sent.sort_unstable();
        let sent = Partners::new(sent.into_iter().map(|[source, destination]| (source, destination)));
        let received = Partners::new(pairs().map(|[source, destination]| (destination, source)));
        let sent_units = vec![0; sent.count()];
        let totals = Totals::default();
        let mut graph = Self { schedule, amounts, overhead, sent, sent_units, received, totals };
        graph.add_operations();
        graph
    }

    /// Adds all operations to the sums.
    fn add_operations(&mut self) {
        // Few messages have another route than the previous one of their process.
        let mut latest = (None, None);
        let schedule = Arc::clone(&self.schedule);
        for (number, operation) in (0..).zip(schedule.operations()) {
            match operation.kind {
                OperationKind::Calc => self.totals.calculations += u128::from(self.cycles(number).get()),
                OperationKind::Send => {
                    let size = self.units(number);
                    self.totals.add_send(size, self.overhead);
                    let pair = (operation.process, operation.peer);
                    if latest.0 != Some(pair) {
                        latest = (Some(pair), self.sent.place(pair.0, pair.1));
                    }
                    if let Some(place) = latest.1 {
                        let sum = &mut self.sent_units[place];
                        *sum = sum.saturating_add(size);
                    }
                }
                OperationKind::Receive => {}
            }
        }
    }

    /// The schedule of operations.
    #[must_use]
    pub fn schedule(&self) -> &Arc<TaskSchedule> {
        &self.schedule
    }

    /// Counts, for each operation that sends, the earlier ones of the file with the same process, peer and tag; 0 for
    /// others.
    pub(crate) fn ordinals(&self) -> Vec<u32> {
        let mut sent = BTreeMap::new();
        let ordinal = |operation: &Operation| {
            if operation.kind != OperationKind::Send {
                return 0;
            }
            let count = sent.entry((operation.process, operation.peer, operation.tag)).or_insert(0_u32);
            *count += 1;
            *count - 1
        };
        self.schedule.operations().iter().map(ordinal).collect()
    }

    /// The time for which every send occupies a processor before it begins.
    #[must_use]
    pub fn overhead(&self) -> Cycles {
        self.overhead
    }

    /// The number of messages.
    #[must_use]
    pub fn message_count(&self) -> u64 {
        self.totals.sends
    }

    /// The time of a calculation.
    #[must_use]
    #[inline]
    pub fn cycles(&self, operation: u32) -> Cycles {
        Cycles::new(self.amount(operation))
    }

    /// The size of the message of a send, at least 1 \[units\].
    #[must_use]
    #[inline]
    pub fn units(&self, operation: u32) -> u64 {
        self.amount(operation).max(1)
    }

    /// The size of the largest message \[units\]; 1 if there are none.
    #[must_use]
    pub fn largest_message(&self) -> u64 {
        self.totals.largest.max(1)
    }

    #[inline]
    fn amount(&self, operation: u32) -> u64 {
        match &self.amounts {
            None => self.schedule.operations()[operation as usize].amount,
            Some(amounts) => amounts[operation as usize],
        }
    }

    /// An upper bound of the makespan on a machine of this diameter \[cycles\]: all calculations and the
    /// times of all messages in sequence.
    pub(crate) fn max_cycles(&self, communication: Communication, diameter: u64) -> u128 {
        let Totals { calculations, units, sends, .. } = self.totals;
        let packets = communication.packet().map_or(0, |packet| units / u128::from(packet.get()));
        let times = |cycles: Cycles, count: u128| u128::from(cycles.get()).saturating_mul(count);
        let local = communication.local_cost();
        let inside = times(local.latency, sends.into()).saturating_add(times(local.unit, units));
        if let Some(of_flit) = communication.flit_bound(diameter) {
            return of_flit.saturating_mul(units).saturating_add(inside).saturating_add(calculations);
        }
        times(communication.hop(), units)
            .saturating_add(times(communication.latency(), packets.saturating_add(sends.into())))
            .saturating_mul(diameter.into())
            .saturating_add(inside)
            .saturating_add(calculations)
    }
}

impl Totals {
    fn add_send(&mut self, units: u64, overhead: Cycles) {
        self.calculations += u128::from(overhead.get());
        self.units += u128::from(units);
        self.sends += 1;
        self.largest = self.largest.max(units);
        self.smallest = if self.sends == 1 { units } else { self.smallest.min(units) };
    }
}

impl Program for TaskGraph {
    fn facts(&self) -> Facts {
        let is_uniform = self.totals.smallest == self.totals.largest;
        Facts {
            all_processes_compute: false,
            total_compute: self.totals.calculations,
            max_received: self.received.most(),
            uniform_units: is_uniform.then(|| self.largest_message()),
            ..Facts::new(self.schedule.process_count().into(), 1, self.overhead)
        }
    }

    fn max_units(&self, _: usize) -> u64 {
        self.largest_message()
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        Cycles::ZERO
    }

    fn list(&self, end: End, _: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        match end {
            End::Source => peers.extend(self.sent.peers(process, &self.sent_units)),
            End::Destination => peers.extend(self.received.of(process).iter().map(|&source| {
                let units = self.sent.place(source, process).map_or(1, |place| self.sent_units[place]);
                Peer { process: source, units }
            })),
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.schedule.guest))
    }

    fn special(&self) -> Special<'_> {
        Special::Tasks(self)
    }
}
