//! How far each process has come.

use cubefold_mapping::ProcessId;

use crate::Cycle;

/// The state of all processes.
#[derive(Debug)]
pub(super) struct Processes {
    stages: Vec<u32>,       // in how many stages it has become ready
    ready: Vec<Cycle>,      // when it became ready in the last of these
    awaited: Vec<u32>,      // the messages of that stage still to come; after the last stage `ENDED`
    injected: Vec<u32>,     // the messages of that stage for it that have set out
    last: Vec<LastArrival>, // where several messages may come in a stage, else empty
}

/// The message of a stage that arrived last so far, of those that arrived together the one with the
/// smallest source.
#[derive(Debug, Clone, Copy)]
struct LastArrival {
    arrival: Cycle,
    source: ProcessId,
    start: Cycle,
}

const ENDED: u32 = u32::MAX;

impl LastArrival {
    /// Before every arrival, and after every source.
    const NONE: Self = Self { arrival: Cycle::START, source: ProcessId::new(u32::MAX), start: Cycle::START };
}

impl Processes {
    /// `count` processes before their first stage, each receiving up to `width` messages a stage.
    pub(super) fn new(count: usize, width: usize) -> Self {
        Self {
            stages: vec![0; count],
            ready: vec![Cycle::START; count],
            awaited: vec![0; count],
            injected: vec![0; count],
            last: if width > 1 { vec![LastArrival::NONE; count] } else { vec![] },
        }
    }

    /// The process becomes ready in its next stage, which is returned.
    pub(super) fn become_ready(&mut self, process: ProcessId, now: Cycle) -> usize {
        let at = process.label() as usize;
        let stage = self.stages[at];
        self.stages[at] += 1;
        self.ready[at] = now;
        self.injected[at] = 0;
        if let Some(last) = self.last.get_mut(at) {
            *last = LastArrival::NONE;
        }
        stage as usize
    }

    /// Whether the process has become ready in `stage`.
    pub(super) fn was_ready(&self, process: ProcessId, stage: usize) -> bool {
        self.stages[process.label() as usize] as usize > stage
    }

    /// Says how many messages come for the process in the stage in which it has become ready.
    pub(super) fn await_messages(&mut self, process: ProcessId, count: usize) {
        self.awaited[process.label() as usize] = u32::try_from(count).unwrap_or(ENDED - 1);
    }

    /// The number of the next message for the process in its stage, counted from 0.
    pub(super) fn next_slot(&mut self, process: ProcessId) -> usize {
        let injected = &mut self.injected[process.label() as usize];
        *injected += 1;
        *injected as usize - 1
    }

    /// A message arrives. When it is the last of the stage: the source and start of that message which
    /// counts as arriving last.
    pub(super) fn receive(
        &mut self,
        process: ProcessId,
        source: ProcessId,
        start: Cycle,
        now: Cycle,
    ) -> Option<(ProcessId, Cycle)> {
        let at = process.label() as usize;
        self.awaited[at] -= 1;
        let Some(last) = self.last.get_mut(at) else { return Some((source, start)) };
        if now > last.arrival || source < last.source {
            *last = LastArrival { arrival: now, source, start };
        }
        (self.awaited[at] == 0).then_some((last.source, last.start))
    }

    /// The stage in which the process became ready last, and when.
    pub(super) fn current(&self, process: ProcessId) -> (usize, Cycle) {
        let at = process.label() as usize;
        (self.stages[at] as usize - 1, self.ready[at])
    }

    /// The process has come to the end of its last stage.
    pub(super) fn end(&mut self, process: ProcessId) {
        self.awaited[process.label() as usize] = ENDED;
    }

    /// The first process that has not come to its end.
    pub(super) fn unfinished(&self) -> Option<ProcessId> {
        let at = self.awaited.iter().position(|&awaited| awaited != ENDED)?;
        ProcessId::first(self.awaited.len() as u64).nth(at)
    }
}
