//! Records and times of single processes, put together from those of one line a segment.

use cubefold_mapping::{Guest, ProcessId, ProductPlacement};

use super::line_classes::{LineClasses, SegmentRecords};
use crate::{Cycle, Cycles, Observer, StageRecord};

/// Reports every stage of every process, by process and stage.
pub(super) fn report<O: Observer>(classes: &LineClasses, placement: &ProductPlacement, observer: &mut O) {
    let mut values = vec![];
    for process in ProcessId::first(placement.cube().process_count()) {
        values.clear();
        values.extend(placement.field_values(process).map(|value| value as usize));
        for segment in &classes.segments {
            let others = segment.begin_of_others(&values);
            for record in segment.of_value(values[segment.field]) {
                observer.stage_finished(&StageRecord {
                    process,
                    ready: record.ready + others,
                    start: record.start + others,
                    finish: record.finish + others,
                    ..*record
                });
            }
        }
    }
}

impl SegmentRecords {
    /// The shares of the other fields of the time at which the segment begins for a process.
    fn begin_of_others(&self, values: &[usize]) -> Cycles {
        let shares = self.begins.iter().zip(values).enumerate().filter(|&(field, _)| field != self.field);
        Cycles::new(shares.map(|(_, (shares, &value))| shares[value]).sum())
    }

    /// The records of the processes with a value of the field, stage by stage.
    fn of_value(&self, value: usize) -> &[StageRecord] {
        &self.records[value * self.stages..(value + 1) * self.stages]
    }
}

/// When every process finished, and for how long it waited and was blocked, as sums of what the fields of
/// its label contribute: a few words a coordinate, whatever the number of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessTimes {
    placement: ProductPlacement,
    shares: Vec<Vec<ProcessTime>>, // for each field, by value
}

/// What a whole run was for one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessTime {
    /// When it finished.
    pub finish: Cycle,
    /// How long it waited for partners, in all stages together.
    pub waiting: Cycles,
    /// How long the messages that it waited for were blocked, in all stages together.
    pub blocked: Cycles,
}

impl ProcessTimes {
    pub(super) fn new(classes: &LineClasses, placement: &ProductPlacement) -> Self {
        let lengths = placement.machine().shape().lengths().iter();
        let length = |&length: &u64| usize::try_from(length).unwrap_or(usize::MAX);
        let mut shares: Vec<_> = lengths.map(|own| vec![ProcessTime::default(); length(own)]).collect();
        for segment in &classes.segments {
            let by_value = segment.records.chunks_exact(segment.stages);
            for (share, records) in shares[segment.field].iter_mut().zip(by_value) {
                for record in records {
                    share.finish = record.finish;
                    share.waiting += record.waiting();
                    share.blocked += record.blocked();
                }
            }
        }
        Self { placement: placement.clone(), shares }
    }

    /// The time of one process.
    ///
    /// # Panics
    ///
    /// When there is no such process.
    ///
    /// # Complexity
    ///
    /// O(c) for c coordinates.
    #[must_use]
    #[inline]
    pub fn of(&self, process: ProcessId) -> ProcessTime {
        let values = self.placement.field_values(process);
        self.shares.iter().zip(values).fold(ProcessTime::default(), |sum, (shares, value)| {
            let share = shares[value as usize];
            ProcessTime {
                finish: sum.finish + (share.finish - Cycle::START),
                waiting: sum.waiting + share.waiting,
                blocked: sum.blocked + share.blocked,
            }
        })
    }
}
