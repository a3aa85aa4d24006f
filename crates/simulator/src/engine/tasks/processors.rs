//! The processors of the processes of a task graph, and the operations that wait for them.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;

use crate::TaskSchedule;

/// The processors of all processes.
///
/// A processor is granted to the operation that requested it in the earliest cycle, or of several in one cycle
/// to the first in the file.
#[derive(Debug)]
pub(super) struct TaskProcessors {
    firsts: Vec<u32>, // by process, the number of its first processor; empty where each has one
    all: Vec<TaskProcessor>,
    waiting: Vec<(u32, u32)>, // in lists: an operation, and 1 + the entry of the next; 0 after the last
    vacant: Vec<u32>,         // 1 + entries of `waiting` that are in no list
    requests: Vec<(u32, u32)>, // of this cycle: processor and operation
    released: Vec<u32>,       // processors that became idle in this cycle, and have operations that wait
    granted: Vec<(u32, u32)>, // processor and operation
}

/// A processor, and the operations of earlier cycles that wait for it: 1 + entries, or 0.
#[derive(Debug, Clone, Copy, Default)]
struct TaskProcessor {
    first: u32,
    last: u32,
    granted: u32, // its place in the latest list of grants
    is_busy: bool,
}

impl TaskProcessors {
    pub(super) fn new(schedule: &TaskSchedule) -> Self {
        let mut firsts = schedule.processor_firsts();
        let count = *firsts.last().unwrap_or(&0);
        if count == schedule.process_count() {
            firsts.clear();
        }
        Self {
            firsts,
            all: vec![TaskProcessor::default(); count as usize],
            waiting: vec![],
            vacant: vec![],
            requests: vec![],
            released: vec![],
            granted: vec![],
        }
    }

    #[inline]
    pub(super) fn number(&self, process: ProcessId, processor: u16) -> u32 {
        match self.firsts.get(process.label() as usize) {
            None => process.label(),
            Some(first) => first + u32::from(processor),
        }
    }

    /// An operation needs a processor from this cycle on.
    #[inline]
    pub(super) fn request(&mut self, process: ProcessId, processor: u16, operation: u32) {
        self.requests.push((self.number(process, processor), operation));
    }

    #[inline]
    pub(super) fn release(&mut self, process: ProcessId, processor: u16) {
        let number = self.number(process, processor);
        let state = &mut self.all[number as usize];
        state.is_busy = false;
        if state.first > 0 {
            self.released.push(number);
        }
    }

    /// Grants idle processors; returns each with the operation that has it now.
    pub(super) fn grant(&mut self) -> Vec<(u32, u32)> {
        let mut granted = std::mem::take(&mut self.granted);
        let mut released = std::mem::take(&mut self.released);
        for processor in released.drain(..) {
            let state = &mut self.all[processor as usize];
            let entry = state.first as usize - 1;
            let (operation, next) = self.waiting[entry];
            self.vacant.push(state.first);
            state.first = next;
            state.is_busy = true;
            granted.push((processor, operation));
        }
        self.released = released;
        let (from, all) = (granted.len(), &mut self.all);
        let mut left = 0;
        self.requests.retain_mut(|(processor, operation)| {
            let state = &mut all[*processor as usize];
            if !state.is_busy {
                state.is_busy = true;
                state.granted = narrow(granted.len() as u64); // no more than processors
                granted.push((*processor, *operation));
                return false;
            }
            // Of several that request an idle processor now, the first in the file gets it.
            if let Some(first) = granted[from..].get_mut((state.granted as usize).wrapping_sub(from))
                && first.0 == *processor
                && first.1 > *operation
            {
                std::mem::swap(&mut first.1, operation);
            }
            left += 1;
            true
        });
        if left > 1 {
            self.requests.sort_unstable();
        }
        granted
    }

    /// Takes back the list of grants for reuse.
    pub(super) fn recycle(&mut self, mut granted: Vec<(u32, u32)>) {
        granted.clear();
        self.granted = granted;
    }

    /// Ends a cycle: its ungranted requests wait after earlier ones.
    pub(super) fn end_cycle(&mut self) {
        for (processor, operation) in self.requests.drain(..) {
            let entry = if let Some(entry) = self.vacant.pop() {
                self.waiting[entry as usize - 1] = (operation, 0);
                entry
            } else {
                self.waiting.push((operation, 0));
                u32::try_from(self.waiting.len()).unwrap_or(u32::MAX) // no more than operations
            };
            let state = &mut self.all[processor as usize];
            if state.first == 0 {
                state.first = entry;
            } else {
                self.waiting[state.last as usize - 1].1 = entry;
            }
            state.last = entry;
        }
    }
}
