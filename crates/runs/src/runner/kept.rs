//! The records that a run keeps beside its result: stages, operations, messages and transmissions.

use cubefold_simulator::{
    Detail, DetailList, MessageTimes, Observer, OperationTimes, RankSpan, RankTask, StageRecord,
    Transmission, WantedRows,
};

/// Whether the records of all processes and stages are kept for rows and pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRecords {
    /// Yes, and the spans of the ranks of a job.
    Yes,
    /// Yes, and the times of all operations of a task graph.
    WithOperations,
    /// Yes, and the times of all messages.
    WithMessages,
    /// Only the times of all messages.
    OnlyMessages,
    /// Yes, and all transmissions: an asynchronous run is then simulated link by link.
    WithTransmissions,
    /// No, but these rows of open-loop traffic are kept.
    OpenLoop(WantedRows),
    /// No.
    No,
}

pub(super) struct Kept {
    keep: KeepRecords,
    pub(super) wants_operations: bool,
    pub(super) records: Vec<StageRecord>,
    pub(super) operations: Vec<OperationTimes>,
    pub(super) messages: Vec<MessageTimes>,
    pub(super) transmissions: Vec<Transmission>,
    pub(super) rank_spans: Vec<RankSpan>,
    pub(super) part_of: Option<RankTask>,
}

impl KeepRecords {
    /// Whether the records of processes and stages are kept.
    pub(super) fn has_records(self) -> bool {
        match self {
            Self::Yes | Self::WithOperations | Self::WithMessages | Self::WithTransmissions => true,
            Self::OnlyMessages | Self::OpenLoop(_) | Self::No => false,
        }
    }

    /// Whether the times of messages are kept.
    pub(super) fn has_messages(self) -> bool {
        match self {
            Self::WithMessages | Self::OnlyMessages | Self::WithTransmissions => true,
            Self::Yes | Self::WithOperations | Self::OpenLoop(_) | Self::No => false,
        }
    }

    /// The rows of open-loop traffic that are kept.
    pub(super) fn rows_of_open_loop(self) -> WantedRows {
        if let Self::OpenLoop(rows) = self { rows } else { WantedRows::NONE }
    }
}

impl Kept {
    pub(super) fn new(keep: KeepRecords) -> Self {
        Self {
            keep,
            wants_operations: keep == KeepRecords::WithOperations,
            records: vec![],
            operations: vec![],
            messages: vec![],
            transmissions: vec![],
            rank_spans: vec![],
            part_of: None,
        }
    }

    /// Sorts the records by process and stage.
    pub(super) fn sort(&mut self) {
        self.records.sort_unstable_by_key(|record| (record.process, record.stage));
    }
}

impl Observer for Kept {
    fn stage_finished(&mut self, record: &StageRecord) {
        if self.wants_records() {
            self.records.push(*record);
        }
    }

    fn wants_records(&self) -> bool {
        self.keep.has_records()
    }

    fn part_finished(&mut self, task: RankTask) {
        self.part_of = Some(task);
    }

    fn wants(&self, detail: Detail) -> bool {
        match detail {
            Detail::Operations => self.wants_operations,
            Detail::RankSpans => self.keep.has_records(),
            Detail::Messages => self.keep.has_messages(),
            Detail::Transmissions => self.keep == KeepRecords::WithTransmissions,
        }
    }

    fn details_finished(&mut self, details: DetailList) {
        match details {
            DetailList::Operations(times) => self.operations = times,
            DetailList::RankSpans(spans) => self.rank_spans = spans,
            DetailList::Messages(messages) => self.messages = messages,
            DetailList::Transmissions(transmissions) => self.transmissions = transmissions,
        }
    }
}
