//! Dissemination: a barrier in `ceil(log2 P)` stages; at stage `s` rank `r` sends one unit to `r +
//! 2^s`, modulo `P` (Hensgen, Finkel & Manber 1988; `docs/model.md` section 16).

use cubefold_topology::narrow;

use super::{Algorithm, AlgorithmDescriptor, Plan, ShapeRequirement, ShareRule, ceil_log2};
use crate::{
    Operation,
    schedule::{End, Payload, PeerMessage, Place, StageSchedule},
};

pub(super) static DISSEMINATION: AlgorithmDescriptor = AlgorithmDescriptor {
    algorithm: Algorithm::Dissemination,
    name: "dissemination",
    summary: "one unit to the process 1, 2, 4, .. further on",
    source: "Hensgen, Finkel & Manber 1988",
    operations: &[Operation::Barrier],
    exchange_operations: &[],
    shares: ShareRule::One,
    shapes: ShapeRequirement::Any,
    whole_shapes: ShapeRequirement::Any,
    plan: |context| {
        let mut plan = Plan::default();
        plan.copy(DisseminationSchedule { rank_count: context.grid.rank_count() });
        plan
    },
};

/// One unit to the rank `2^s` further on.
#[derive(Debug, Clone)]
pub(crate) struct DisseminationSchedule {
    rank_count: u32,
}

impl StageSchedule for DisseminationSchedule {
    fn stage_count(&self) -> usize {
        ceil_log2(self.rank_count)
    }

    #[inline]
    fn candidate_count(&self, _: usize, _: Place, _: End) -> u32 {
        1
    }

    #[inline]
    fn candidate(&self, stage: usize, place: Place, end: End, _: u32) -> Option<PeerMessage> {
        let (rank, count) = (u64::from(place.rank), u64::from(self.rank_count));
        let peer = match end {
            End::Source => rank + (1 << stage),
            End::Destination => rank + count - (1 << stage),
        };
        Some((narrow(peer % count), 1))
    }

    fn max_candidates(&self, _: End) -> u32 {
        1
    }

    fn payload(&self, _: usize, _: u32, _: u32, _: u32) -> Payload {
        Payload::Token
    }
}
