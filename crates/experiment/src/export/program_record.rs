//! The program of a record.

use cubefold_mapping::{CubeDimension, Hypercube};
use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::Word;
use crate::{GuestProgram, NeighbourCommunication};

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
    pub fn new(program: &GuestProgram) -> Self {
        let mut record = Self {
            kind: program.kind().into(),
            dimensions: None,
            stages: None,
            compute_cycles: program.compute().get(),
            guest: None,
            communication: None,
            sets: None,
        };
        match program {
            GuestProgram::Cube(program) | GuestProgram::Normal(program) => {
                record.on_cube(program.cube(), program.stages());
            }
            GuestProgram::ShuffleExchange(program) => record.on_cube(program.cube(), program.dimensions()),
            GuestProgram::DivideAndConquer(program) => {
                record.dimensions = Some(program.cube().dimension_count());
            }
            GuestProgram::Neighbours { program, communication } => {
                record.guest = Some(GuestRecord::new(program.guest().shape()));
                record.communication = Some(communication.name().into());
                record.sets = match communication {
                    NeighbourCommunication::Permutation { sets } => Some(*sets),
                    NeighbourCommunication::Shift | NeighbourCommunication::Scatter => None,
                };
            }
        }
        record
    }

    fn on_cube(&mut self, cube: Hypercube, stages: &[CubeDimension]) {
        self.dimensions = Some(cube.dimension_count());
        self.stages = Some(stages.iter().map(|dimension| dimension.number()).collect());
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
