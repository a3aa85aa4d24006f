//! The program of a record.

use cubefold_mapping::{CubeDimension, Hypercube};
use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::Word;
use crate::{NeighbourCommunication, ScenarioProgram};

/// A program as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRecord {
    /// `cc-cube`, `normal`, `divide-and-conquer` or `neighbour-exchange`.
    pub kind: Word,
    /// `d` of a program on a d-cube.
    pub dimensions: Option<u8>,
    /// The dimension of each stage of a CC or normal program.
    pub stages: Option<Vec<u8>>,
    /// `T_a` \[cycles\].
    pub compute_cycles: u64,
    /// The guest of a neighbour-exchange program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<GuestRecord>,
    /// The communications of a neighbour-exchange program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communication: Option<Word>,
    /// The number of sets of permutation communications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sets: Option<usize>,
}

/// The guest of a neighbour-exchange program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestRecord {
    /// The kind that it was asked for as.
    pub kind: Word,
    /// The lengths of its dimensions.
    pub shape: Vec<u64>,
    /// Whether each dimension wraps, as declared or implied by the kind.
    pub wrap: Vec<bool>,
}

impl ProgramRecord {
    /// The record of a program.
    #[must_use]
    pub fn new(program: &ScenarioProgram) -> Self {
        let communication = program.communication();
        let numbers = |stages: &[CubeDimension]| stages.iter().map(|stage| stage.number()).collect();
        Self {
            kind: program.kind().into(),
            dimensions: program.exchange_cube().map(Hypercube::dimension_count),
            stages: program.exchanges().map(numbers),
            compute_cycles: program.compute().get(),
            guest: program
                .graph()
                .filter(|_| communication.is_some())
                .map(|guest| GuestRecord::new(guest.shape())),
            communication: communication.map(|communication| communication.name().into()),
            sets: communication.and_then(NeighbourCommunication::sets),
        }
    }
}

impl GuestRecord {
    fn new(shape: &Machine) -> Self {
        Self {
            kind: shape.kind().name().into(),
            shape: shape.shape().lengths().to_vec(),
            wrap: shape.extents().map(|extent| extent.wrap() == Wrap::Around).collect(),
        }
    }
}
