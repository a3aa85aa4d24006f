//! The program of a record.

use cubefold_topology::{Machine, Wrap};
use serde::{Deserialize, Serialize};

use super::Word;
use crate::{GuestProgram, NeighbourCommunication};

/// A program as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRecord {
    /// `cc-cube` or `neighbour-exchange`.
    pub kind: Word,
    /// `d` of a d-cube program.
    pub dimensions: Option<u8>,
    /// The dimension of each stage of a d-cube program.
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
        let compute_cycles = program.compute().get();
        match program {
            GuestProgram::Cube(program) => Self {
                kind: "cc-cube".into(),
                dimensions: Some(program.cube().dimension_count()),
                stages: Some(program.stages().iter().map(|dimension| dimension.number()).collect()),
                compute_cycles,
                guest: None,
                communication: None,
                sets: None,
            },
            GuestProgram::Neighbours { program, communication } => Self {
                kind: "neighbour-exchange".into(),
                dimensions: None,
                stages: None,
                compute_cycles,
                guest: Some(GuestRecord::new(program.guest().shape())),
                communication: Some(communication.name().into()),
                sets: match communication {
                    NeighbourCommunication::Permutation { sets } => Some(*sets),
                    NeighbourCommunication::Shift | NeighbourCommunication::Scatter => None,
                },
            },
        }
    }
}

impl GuestRecord {
    fn new(shape: &Machine) -> Self {
        Self {
            kind: shape.kind().name().into(),
            shape: shape.shape().lengths().to_vec(),
            wrap: shape.extents().iter().map(|extent| extent.wrap() == Wrap::Around).collect(),
        }
    }
}
