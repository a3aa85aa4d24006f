//! Programs given as lists of messages.

use std::ops::Range;

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind, Network, NetworkError, narrow};

use crate::{Cycles, End, Facts, GuestRef, Peer, Program, program::rotation::Rotation};

/// A stage program: every process has its own computation in every stage, and sends messages
/// with sizes (`docs/model.md` section 15).
///
/// Its guest has an edge between every two processes that exchange a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageProgram {
    computations: Computations,
    stages: Vec<Stage>, // of a round, at least one
    rounds: usize,      // at least 1
    rotation: Option<Rotation>,
    guest: GraphGuest,
    facts: Facts,
}

/// A message of a stage program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageMessage {
    /// Its stage, counted from 0.
    pub stage: usize,
    /// The process that sends it.
    pub source: ProcessId,
    /// The process that receives it.
    pub destination: ProcessId,
    /// Its size \[units\], at least 1 but in [`StageProgram::with_empty_messages`].
    pub units: u64,
}

/// Computations of a stage program, `C_s(n)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Computations {
    /// The same in all stages.
    Same(Cycles),
    /// The same for all processes in each of the first stages; later stages have none.
    ByStage(Vec<Cycles>),
    /// By stage, then by process; later stages have none.
    ByProcess(Vec<Vec<Cycles>>),
}

/// The messages of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Stage {
    sent: Partners,
    units: Vec<u64>, // of the messages in `sent`
    received: Partners,
    max_units: u64,
}

/// The partners of processes, by process and partner.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Partners {
    processes: Vec<u32>, // those with partners, ascending; empty if most have, to list all by label
    firsts: Vec<u32>,    // by listed process, the start of its partners; one more for the end
    labels: Vec<ProcessId>, // of the partners
}

/// Messages that do not form a stage program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StageProgramError {
    /// There is no stage.
    #[error("no stages, expected at least one")]
    NoStages,
    /// A message from or to a process that does not exist.
    #[error("process {process}, expected 0 to {}", processes.saturating_sub(1))]
    NoSuchProcess {
        /// Index of the message in the list, counted from 0.
        message: usize,
        /// The process as found.
        process: ProcessId,
        /// The number of processes.
        processes: u64,
    },
    /// A message of a process to itself.
    #[error("process {process} sends to itself, expected another process")]
    ToItself {
        /// Index of the message in the list, counted from 0.
        message: usize,
        /// The process.
        process: ProcessId,
    },
    /// A message without units.
    #[error("a message of 0 units, expected at least 1")]
    NoUnits {
        /// Index of the message in the list, counted from 0.
        message: usize,
    },
    /// Two messages of one stage between the same processes in the same direction.
    #[error(
        "stage {stage} has two messages from process {source_process} to process {destination}, expected one"
    )]
    Repeated {
        /// Indices of both in the list, counted from 0, the lower first.
        messages: [usize; 2],
        /// The stage.
        stage: usize,
        /// The process that sends them.
        source_process: ProcessId,
        /// The process that receives them.
        destination: ProcessId,
    },
    /// A process with more partners than a graph can number edges.
    #[error(transparent)]
    Guest(#[from] NetworkError),
    /// Fewer than two processes, or too many.
    #[error(transparent)]
    Processes(#[from] MachineError),
}

impl Computations {
    /// Number of stages up to the last with an explicit entry.
    fn stage_count(&self) -> usize {
        match self {
            Self::Same(_) => 0,
            Self::ByStage(stages) => stages.len(),
            Self::ByProcess(stages) => stages.len(),
        }
    }

    #[inline]
    fn of(&self, stage: usize, process: ProcessId) -> Cycles {
        match self {
            Self::Same(cycles) => *cycles,
            Self::ByStage(stages) => stages.get(stage).copied().unwrap_or_default(),
            Self::ByProcess(stages) => stages
                .get(stage)
                .and_then(|of_stage| of_stage.get(process.label() as usize))
                .copied()
                .unwrap_or_default(),
        }
    }

    fn longest(&self) -> Cycles {
        let longest = match self {
            Self::Same(cycles) => Some(*cycles),
            Self::ByStage(stages) => stages.iter().copied().max(),
            Self::ByProcess(stages) => stages.iter().flatten().copied().max(),
        };
        longest.unwrap_or_default()
    }

    /// Total computation of `stages` stages of `processes` processes \[cycles\].
    fn total(&self, stages: usize, processes: u64) -> u128 {
        let sum = |cycles: &[Cycles]| cycles.iter().map(|cycle| u128::from(cycle.get())).sum::<u128>();
        match self {
            Self::Same(cycles) => u128::from(cycles.get()) * stages as u128 * u128::from(processes),
            Self::ByStage(all) => sum(all) * u128::from(processes),
            Self::ByProcess(all) => all.iter().map(|stage| sum(stage)).sum(),
        }
    }
}

impl Partners {
    /// Pairs of a process and a partner, in ascending order.
    pub(super) fn new(pairs: impl Iterator<Item = (ProcessId, ProcessId)>) -> Self {
        let mut lists = Self::default();
        for (process, partner) in pairs {
            if lists.processes.last() != Some(&process.label()) {
                lists.processes.push(process.label());
                lists.firsts.push(narrow(lists.labels.len() as u64)); // below 2^32, as messages and operations are
            }
            lists.labels.push(partner);
        }
        lists.firsts.push(narrow(lists.labels.len() as u64));
        let listed = lists.processes.last().map_or(0, |&last| last as usize + 1);
        if listed <= 2 * lists.processes.len() {
            lists.list_all(listed);
        }
        lists
    }

    /// Extends the list to the first `listed` processes, with partners or without.
    fn list_all(&mut self, listed: usize) {
        let mut firsts = vec![0; listed + 1];
        for (&process, ends) in self.processes.iter().zip(self.firsts.windows(2)) {
            firsts[process as usize + 1] = ends[1];
        }
        for at in 1..firsts.len() {
            firsts[at] = firsts[at].max(firsts[at - 1]);
        }
        (self.processes, self.firsts) = (vec![], firsts);
    }

    #[inline]
    fn range(&self, process: ProcessId) -> Range<usize> {
        let at = if self.processes.is_empty() {
            Some(process.label() as usize)
        } else {
            self.processes.binary_search(&process.label()).ok()
        };
        match at.map(|at| (self.firsts.get(at), self.firsts.get(at + 1))) {
            Some((Some(&first), Some(&end))) => first as usize..end as usize,
            _ => 0..0,
        }
    }

    #[inline]
    pub(super) fn of(&self, process: ProcessId) -> &[ProcessId] {
        &self.labels[self.range(process)]
    }

    /// The partners of a process as peers, given the sizes of the messages with all partners.
    pub(super) fn peers(&self, process: ProcessId, units: &[u64]) -> impl Iterator<Item = Peer> {
        let range = self.range(process);
        let partners = self.labels[range.clone()].iter().zip(&units[range]);
        partners.map(|(&process, &units)| Peer { process, units })
    }

    /// The place of a partner of a process among all partners.
    pub(super) fn place(&self, process: ProcessId, partner: ProcessId) -> Option<usize> {
        let range = self.range(process);
        let place = self.labels[range.clone()].binary_search(&partner).ok()?;
        Some(range.start + place)
    }

    pub(super) fn count(&self) -> usize {
        self.labels.len()
    }

    /// Largest number of partners of a process.
    pub(super) fn most(&self) -> usize {
        self.firsts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }
}

impl Stage {
    /// The stage of these messages, by source and destination.
    fn new(messages: &[(usize, StageMessage)]) -> Self {
        let all = || messages.iter().map(|(_, message)| message);
        let mut backwards: Vec<_> = all().map(|message| (message.destination, message.source)).collect();
        backwards.sort_unstable();
        Self {
            sent: Partners::new(all().map(|message| (message.source, message.destination))),
            units: all().map(|message| message.units).collect(),
            received: Partners::new(backwards.into_iter()),
            max_units: all().map(|message| message.units).max().unwrap_or(1).max(1),
        }
    }

    /// Returns the size of a message; 0 if there is none.
    fn units(&self, source: ProcessId, destination: ProcessId) -> u64 {
        self.sent.place(source, destination).map_or(0, |place| self.units[place])
    }
}

impl StageProgram {
    /// Estimates the memory of this number of processes, stages and messages while [`new`](Self::new) makes a
    /// program of them, including the list of messages, and the memory that the program keeps \[bytes\].
    #[must_use]
    pub fn bytes_to_make(processes: u64, stages: u64, messages: u64) -> [u64; 2] {
        // Each message in the list, sorted with its index, at both of its ends, and as two arcs of the guest.
        const WHILE_MADE: u64 = (2 * size_of::<StageMessage>() + 72) as u64;
        const KEPT: u64 = 48;
        let fixed =
            processes.saturating_mul(16).saturating_add(stages.saturating_mul(size_of::<Stage>() as u64));
        [WHILE_MADE, KEPT].map(|each| fixed.saturating_add(messages.saturating_mul(each)))
    }

    /// The program of `processes` processes with these computations and messages, in any order. Its last
    /// stage is the last with a message or an explicit computation.
    ///
    /// # Errors
    ///
    /// The first message, in the order of the list, with an invalid process, equal source and destination, or
    /// no units; else the first duplicate, by stage, source and destination; also if there are no stages or
    /// fewer than two processes.
    pub fn new(
        processes: u32,
        computations: Computations,
        messages: &[StageMessage],
    ) -> Result<Self, StageProgramError> {
        Self::with_stages(0, processes, computations, messages)
    }

    /// Makes a program as [`Self::new`] does, with at least `stages` stages, even if some have no messages.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub fn with_stages(
        least_stages: usize,
        processes: u32,
        computations: Computations,
        messages: &[StageMessage],
    ) -> Result<Self, StageProgramError> {
        Self::with_least_units(1, least_stages, processes, computations, messages)
    }

    /// Makes a program as [`Self::with_stages`] does, of messages that may have 0 units: such a message is received when it
    /// sets out, over no link (`docs/model.md` section 23.5). Only steps of jobs send them.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], but for messages without units.
    pub fn with_empty_messages(
        least_stages: usize,
        processes: u32,
        computations: Computations,
        messages: &[StageMessage],
    ) -> Result<Self, StageProgramError> {
        Self::with_least_units(0, least_stages, processes, computations, messages)
    }

    fn with_least_units(
        least_units: u64,
        least_stages: usize,
        processes: u32,
        computations: Computations,
        messages: &[StageMessage],
    ) -> Result<Self, StageProgramError> {
        for (message, listed) in messages.iter().enumerate() {
            check_message(message, listed, processes.into())?;
            if listed.units < least_units {
                return Err(StageProgramError::NoUnits { message });
            }
        }
        let mut sorted: Vec<(usize, StageMessage)> = messages.iter().copied().enumerate().collect();
        sorted.sort_unstable_by_key(|&(place, StageMessage { stage, source, destination, .. })| {
            (stage, source, destination, place)
        });
        check_pairs(&sorted)?;
        let last = sorted.last().map_or(0, |(_, message)| message.stage + 1);
        let stage_count = last.max(computations.stage_count()).max(least_stages);
        if stage_count == 0 {
            return Err(StageProgramError::NoStages);
        }
        let mut rest = &sorted[..];
        let stages: Vec<Stage> = (0..stage_count)
            .map(|stage| {
                let (of_stage, others) =
                    rest.split_at(rest.partition_point(|(_, message)| message.stage == stage));
                rest = others;
                Stage::new(of_stage)
            })
            .collect();
        let edges: Vec<_> =
            messages.iter().map(|message| (message.source.label(), message.destination.label())).collect();
        let network = Network::from_edges(processes, &edges)?;
        let facts = Facts {
            has_one_compute_time: matches!(computations, Computations::Same(_)),
            total_compute: computations.total(stage_count, processes.into()),
            max_received: stages.iter().map(|stage| stage.received.most()).max().unwrap_or(0),
            uniform_units: uniform_units(&stages),
            ..Facts::new(processes.into(), stage_count, computations.longest())
        };
        let guest = GraphGuest::new(Machine::network(MachineKind::Network, network)?);
        Ok(Self { computations, stages, rounds: 1, rotation: None, guest, facts })
    }

    /// The same program with its messages in rotated order.
    #[must_use]
    pub fn rotated(self, rotation: Rotation) -> Self {
        Self { rotation: Some(rotation), ..self }
    }

    /// The program with its stages repeated `rounds` times, at least once, one round after another.
    #[must_use]
    pub fn repeated(mut self, rounds: usize) -> Self {
        let rounds = rounds.max(1);
        self.facts.stage_count = self.facts.stage_count.saturating_mul(rounds);
        self.facts.total_compute = self.facts.total_compute.saturating_mul(rounds as u128);
        self.rounds = self.rounds.saturating_mul(rounds);
        self
    }

    /// The stage of a round.
    #[inline]
    fn stage(&self, stage: usize) -> usize {
        if self.rounds == 1 { stage } else { stage % self.stages.len() }
    }

    /// The number of messages.
    #[must_use]
    pub fn message_count(&self) -> u64 {
        let of_round: u64 = self.stages.iter().map(|stage| stage.units.len() as u64).sum();
        of_round.saturating_mul(self.rounds as u64)
    }
}

/// The common size of all messages, if there is one; 1 without messages.
fn uniform_units(stages: &[Stage]) -> Option<u64> {
    let mut all = stages.iter().flat_map(|stage| &stage.units);
    let first = *all.next().unwrap_or(&1);
    all.all(|&units| units == first).then_some(first)
}

fn check_message(place: usize, message: &StageMessage, processes: u64) -> Result<(), StageProgramError> {
    for process in [message.source, message.destination] {
        if u64::from(process.label()) >= processes {
            return Err(StageProgramError::NoSuchProcess { message: place, process, processes });
        }
    }
    if message.source == message.destination {
        return Err(StageProgramError::ToItself { message: place, process: message.source });
    }
    Ok(())
}

/// Checks that sorted messages differ in stage, source or destination.
fn check_pairs(sorted: &[(usize, StageMessage)]) -> Result<(), StageProgramError> {
    let ends = |message: &StageMessage| (message.stage, message.source, message.destination);
    match sorted.windows(2).find(|pair| ends(&pair[0].1) == ends(&pair[1].1)) {
        None => Ok(()),
        Some(pair) => {
            let StageMessage { stage, source, destination, .. } = pair[0].1;
            let messages = [pair[0].0, pair[1].0];
            Err(StageProgramError::Repeated { messages, stage, source_process: source, destination })
        }
    }
}

impl Program for StageProgram {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.stages[self.stage(stage)].max_units
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.computations.of(self.stage(stage), process)
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let stage_lists = &self.stages[self.stage(stage)];
        match end {
            End::Source => peers.extend(stage_lists.sent.peers(process, &stage_lists.units)),
            End::Destination => peers.extend(stage_lists.received.of(process).iter().map(|&source| {
                let units = self.facts.uniform_units.unwrap_or_else(|| stage_lists.units(source, process));
                Peer { process: source, units }
            })),
        }
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        self.stages[self.stage(stage)].units(source, destination)
    }

    fn turn(&self, _: usize, source: ProcessId, destination: ProcessId) -> u32 {
        self.rotation.map_or(0, |rotation| rotation.turn(source.label(), destination.label()))
    }

    fn has_turns(&self) -> bool {
        self.rotation.is_some()
    }

    fn repeats(&self, stage: usize) -> bool {
        self.stages.len() == 1 && stage > 0
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests;
