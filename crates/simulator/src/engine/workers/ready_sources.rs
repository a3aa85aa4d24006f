//! Sources that are ready before their destinations.

use cubefold_mapping::ProcessId;
use cubefold_topology::narrow;
use prefetch_index::prefetch_index;

use crate::engine::border::ReadySource;

/// For each process the sources that are ready for messages to it in stages in which it is not.
///
/// Most processes have at most one: their lists share one array.
#[derive(Debug)]
pub(super) struct ReadySources {
    first: Vec<u32>, // by process, 1 + the index of the first entry of its list, 0 of an empty one
    entries: Vec<Entry>,
    vacant: u32, // 1 + the index of the first entry that is in no list, 0 without one
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    source: ReadySource,
    next: u32, // 1 + the index of the next entry, 0 after the last
}

impl ReadySources {
    pub(super) fn new(processes: usize) -> Self {
        Self { first: vec![0; processes], entries: vec![], vacant: 0 }
    }

    pub(super) fn add(&mut self, process: ProcessId, source: ReadySource) {
        let first = &mut self.first[process.label() as usize];
        let entry = Entry { source, next: *first };
        if let Some(vacant) = self.vacant.checked_sub(1) {
            let slot = &mut self.entries[vacant as usize];
            *first = self.vacant;
            self.vacant = slot.next;
            *slot = entry;
        } else {
            self.entries.push(entry);
            *first = narrow(self.entries.len() as u64); // below 2^32, more than memory holds
        }
    }

    #[inline]
    pub(super) fn prefetch(&self, process: ProcessId) {
        if let Some(at) = self.first[process.label() as usize].checked_sub(1) {
            prefetch_index(&self.entries, at as usize);
        }
    }

    /// Moves the sources of `process` in a stage to `sources`.
    pub(super) fn take(&mut self, process: ProcessId, stage: u32, sources: &mut Vec<ReadySource>) {
        let mut next = std::mem::take(&mut self.first[process.label() as usize]);
        let mut kept = 0;
        while let Some(at) = next.checked_sub(1) {
            let entry = &mut self.entries[at as usize];
            let following = entry.next;
            if entry.source.stage == stage {
                sources.push(entry.source);
                entry.next = std::mem::replace(&mut self.vacant, next);
            } else {
                entry.next = std::mem::replace(&mut kept, next);
            }
            next = following;
        }
        self.first[process.label() as usize] = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::NodeId;

    fn source_of(destination: ProcessId, stage: u32, source: u32) -> ReadySource {
        let (source, from) = (ProcessId::new(source), NodeId::new(0));
        ReadySource { stage, source, from, destination, units: 1 }
    }

    #[test]
    fn sources_are_taken_stage_by_stage_and_leave_their_memory_to_others() {
        let [process, other] = [0, 1].map(ProcessId::new);
        let mut ready = ReadySources::new(2);
        let taken = |ready: &mut ReadySources, process, stage| {
            let mut sources = vec![];
            ready.take(process, stage, &mut sources);
            let mut labels: Vec<_> =
                sources.into_iter().map(|ready: ReadySource| ready.source.label()).collect();
            labels.sort_unstable();
            labels
        };
        for round in 0..3 {
            for (stage, source) in [(0, 5), (1, 6), (0, 7), (2, 8)] {
                ready.add(process, source_of(process, stage, source));
            }
            ready.add(other, source_of(other, 0, 9));
            assert_eq!(taken(&mut ready, process, 0), [5, 7], "round {round}");
            assert_eq!(taken(&mut ready, process, 0), [0; 0]);
            assert_eq!(taken(&mut ready, other, 0), [9]);
            assert_eq!(taken(&mut ready, process, 2), [8]);
            assert_eq!(taken(&mut ready, process, 1), [6]);
        }
        assert_eq!(ready.entries.len(), 5);
    }
}
