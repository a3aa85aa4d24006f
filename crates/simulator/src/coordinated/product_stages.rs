//! Stages of cube programs under product placements, from one line of each dimension.
//!
//! An exchange along a dimension of one field moves messages on the lines of its coordinate alone, the same
//! on each of them. All start apart, go one way and differ in one coordinate: they never meet, and however
//! short its phases are, a movement takes as many steps in all as its longest distance.

use cubefold_mapping::{CubeDimension, Guest, ProductPlacement};
use cubefold_topology::{Sign, TieRule};

use super::{distance_counts::DistanceCounts, phase::steps, stage_schedule::StageSchedule};
use crate::{
    Communication, StageRouting,
    field_line::{FieldLine, Pair},
};

/// The stages of a product placement.
pub(super) struct ProductStages {
    fields: Vec<FieldLine>,
    processes: u64,
    communication: Communication,
}

/// How far the messages of one line go.
#[derive(Debug, Default)]
struct OneLine {
    distances: DistanceCounts,
    farthest: [u64; 2], // by sign, `+` first
}

impl ProductStages {
    pub(super) fn new(placement: &ProductPlacement, communication: Communication) -> Self {
        let processes = placement.cube().process_count();
        Self { fields: FieldLine::all(placement), processes, communication }
    }

    /// The stage in which all processes exchange messages along `dimension`.
    ///
    /// # Complexity
    ///
    /// O(k) for a line of k nodes.
    pub(super) fn exchange(&self, dimension: CubeDimension) -> StageSchedule {
        let mut received = DistanceCounts::default();
        let mut routing = StageRouting::default();
        for field in &self.fields {
            let Some(bit) = field.bit(dimension) else { continue };
            let line = OneLine::exchange(field, bit, self.communication.tie());
            let lines = self.processes / field.extent().length();
            for (distance, count) in line.distances.iter() {
                received.add(distance, count * lines);
            }
            routing.steps = steps(self.communication.links(), &line.farthest);
        }
        StageSchedule { routing, messages: self.processes, hops: received.sum(), received }
    }
}

impl OneLine {
    fn exchange(field: &FieldLine, bit: u32, tie: TieRule) -> Self {
        let mut line = Self::default();
        for Pair { positions: [low, high], .. } in field.pairs(bit) {
            line.add(field, low, high, tie);
            line.add(field, high, low, tie);
        }
        line
    }

    fn add(&mut self, field: &FieldLine, from: u32, to: u32, tie: TieRule) {
        let Some(way) = field.extent().displacement(from, to, tie) else { return };
        self.distances.add(way.hops, 1);
        let farthest = &mut self.farthest[usize::from(way.sign == Sign::Negative)];
        *farthest = way.hops.max(*farthest);
    }
}
