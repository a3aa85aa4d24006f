//! The stages of a compute-and-communicate program, or those of them that use one field of the labels.

use crate::{Communication, CubeProgram, Program};

/// What every process does, stage by stage: it computes and exchanges one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stages {
    /// For each stage the bit of the label in which partners differ.
    pub(super) bits: Vec<u32>,
    /// The number of the first of them in the program.
    pub(super) first: usize,
    /// `T_a` \[cycles\].
    pub(super) compute: u64,
    /// `T_c` \[cycles\], at least 1.
    pub(super) hop: u64,
}

impl Stages {
    /// All stages of a program.
    pub(super) fn of(program: &CubeProgram, communication: Communication) -> Self {
        Self {
            bits: program.stages().iter().map(|dimension| 1 << dimension.number()).collect(),
            first: 0,
            compute: program.compute().get(),
            hop: communication.hop().get(),
        }
    }

    /// The partner of a process in a stage, counted from the first of these; none after the last.
    #[inline]
    pub(super) fn partner(&self, process: u32, stage: u32) -> Option<u32> {
        self.bits.get(stage as usize).map(|bit| process ^ bit)
    }

    /// The number of a stage in the program.
    #[inline]
    pub(super) fn number(&self, stage: u32) -> usize {
        self.first + stage as usize
    }

    /// The number of these stages.
    pub(super) fn count(&self) -> usize {
        self.bits.len()
    }
}
