//! Dissemination: a barrier in `ceil(log2 P)` stages. At stage `s` rank `r` sends one unit to `r +
//! 2^s`, modulo `P` (Hensgen, Finkel & Manber 1988; `docs/model.md` section 16).

use super::{AlgorithmDescriptor, ceil_log2, other_end};
use crate::{
    Operation,
    plan::Plan,
    schedule::{End, Payload, Place, StageSchedule},
};

pub(super) static DISSEMINATION: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "dissemination",
    summary: "one unit to the process 1, 2, 4, .. further on",
    source: "Hensgen, Finkel & Manber 1988",
    operations: &[Operation::Barrier],
    plan: |context| Plan::copying(DisseminationSchedule { rank_count: context.grid.rank_count() }),
    ..AlgorithmDescriptor::BLANK
};

/// One unit to the rank at distance `2^s`.
#[derive(Debug)]
struct DisseminationSchedule {
    rank_count: u32,
}

impl StageSchedule for DisseminationSchedule {
    fn stage_count(&self) -> usize {
        ceil_log2(self.rank_count)
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        add(other_end(place.rank, 1 << stage, self.rank_count, end), 1);
    }

    fn payload(&self, _: usize, _: u32, _: u32, _: u32) -> Payload {
        Payload::Token
    }
}
