//! Normal hypercube algorithms on shuffle-exchange and de Bruijn networks.

use cubefold_mapping::{CubeDimension, GraphGuest, Guest, Hypercube, ProcessId};
use cubefold_topology::{Machine, MachineKind};

use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program};

/// A normal hypercube algorithm whose data move between processes (CS838 1999; erratum N9).
///
/// A compute-and-communicate program is **normal** if consecutive stages use consecutive dimensions, where
/// the last and the first count as such. Then its data can move so that every exchange is along the last bit:
/// processes are the words of a shuffle-exchange network, each with the data of one node of the hypercube.
/// Initially, node `u` of the hypercube is in the word `u` rotated right by the first dimension. Between two
/// stages all data move, by a rotation right to the next higher dimension and left to the next lower:
///
/// ```text
/// stage  0   every word computes and exchanges with the one with the other last bit     dimension j_1
///        1   every word sends its data to the word rotated                           no process computes
///        2   as stage 0                                                                 dimension j_2
/// ```
///
/// `t` stages become `2t - 1`. On a shuffle-exchange network of the words each takes a link; on a de Bruijn
/// network with two words per node, exchanges are internal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShuffleExchangeProgram {
    cube: Hypercube,
    dimensions: Vec<CubeDimension>, // of the exchanges: at least one, each a neighbour of the one before
    guest: GraphGuest,              // the shuffle-exchange network
    compute: Cycles,
    sizes: MessageSizes,
}

/// An invalid list of dimensions for a normal program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ShuffleExchangeProgramError {
    /// There are no stages.
    #[error("no stages, expected at least one")]
    NoStages,
    /// Two consecutive stages use dimensions that are not neighbours.
    #[error(
        "stage {stage} uses dimension {dimension} after {before}, expected the next or the one before it"
    )]
    NotNormal {
        /// The later stage, counted from 0.
        stage: usize,
        /// Its dimension.
        dimension: CubeDimension,
        /// The dimension of the previous stage.
        before: CubeDimension,
    },
    /// More dimensions than a shuffle-exchange network may have.
    #[error("{found} dimensions, expected at most {greatest}")]
    TooManyDimensions {
        /// The number of dimensions.
        found: u8,
        /// The greatest number allowed.
        greatest: u64,
    },
}

/// The rotation of words between two exchanges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rotation {
    /// To the next higher dimension.
    Right,
    /// To the next lower one.
    Left,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShuffleStage {
    Exchange,
    Move(Rotation),
}

impl ShuffleExchangeProgram {
    /// The normal program on `cube` whose stages use `dimensions`, with a computation of `compute` before
    /// every exchange.
    ///
    /// # Errors
    ///
    /// If there is no stage, two consecutive stages use dimensions that are not neighbours, or the cube has
    /// more dimensions than a shuffle-exchange network.
    pub fn new(
        cube: Hypercube,
        dimensions: Vec<CubeDimension>,
        compute: Cycles,
    ) -> Result<Self, ShuffleExchangeProgramError> {
        let guest = guest_of(MachineKind::ShuffleExchange, cube, &dimensions)?;
        Ok(Self { cube, dimensions, guest, compute, sizes: MessageSizes::ONE_UNIT })
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    fn phase(&self, stage: usize) -> ShuffleStage {
        let [before, after] = [stage / 2, stage / 2 + 1].map(|exchange| self.dimensions.get(exchange));
        match (stage % 2, before.zip(after)) {
            (1, Some((before, after))) => ShuffleStage::Move(rotation(self.cube, *before, *after)),
            _ => ShuffleStage::Exchange,
        }
    }

    fn rotated(&self, word: ProcessId, rotation: Rotation) -> ProcessId {
        let (word, order) = (word.label(), u32::from(self.cube.dimension_count()));
        let greatest = u32::MAX >> (u32::BITS - order);
        ProcessId::new(match rotation {
            Rotation::Right => word >> 1 | (word & 1) << (order - 1),
            Rotation::Left => (word << 1 | word >> (order - 1)) & greatest,
        })
    }
}

impl Rotation {
    fn opposite(self) -> Self {
        match self {
            Self::Right => Self::Left,
            Self::Left => Self::Right,
        }
    }
}

/// The network of a kind with as many dimensions as the cube, for a normal program.
pub(super) fn guest_of(
    kind: MachineKind,
    cube: Hypercube,
    dimensions: &[CubeDimension],
) -> Result<GraphGuest, ShuffleExchangeProgramError> {
    check_normal(cube, dimensions)?;
    let found = cube.dimension_count();
    let machine = Machine::of_dimensions(kind, found.into()).map_err(|_| {
        let greatest = kind.network_dimensions().map_or(0, |range| *range.end());
        ShuffleExchangeProgramError::TooManyDimensions { found, greatest }
    })?;
    Ok(GraphGuest::new(machine))
}

fn check_normal(cube: Hypercube, dimensions: &[CubeDimension]) -> Result<(), ShuffleExchangeProgramError> {
    if dimensions.is_empty() {
        return Err(ShuffleExchangeProgramError::NoStages);
    }
    let count = usize::from(cube.dimension_count());
    let neighbours = |before: CubeDimension, after: CubeDimension| {
        let up = (before.index() + 1) % count == after.index();
        let down = (after.index() + 1) % count == before.index();
        before != after && (up || down)
    };
    let pairs = (1..).zip(dimensions.windows(2));
    let wrong = pairs.map(|(stage, pair)| (stage, pair[0], pair[1]));
    match wrong.into_iter().find(|&(_, before, after)| !neighbours(before, after)) {
        Some((stage, before, dimension)) => {
            Err(ShuffleExchangeProgramError::NotNormal { stage, dimension, before })
        }
        None => Ok(()),
    }
}

fn rotation(cube: Hypercube, before: CubeDimension, after: CubeDimension) -> Rotation {
    let higher = (before.index() + 1) % usize::from(cube.dimension_count());
    if higher == after.index() { Rotation::Right } else { Rotation::Left }
}

impl Program for ShuffleExchangeProgram {
    fn facts(&self) -> Facts {
        let (processes, exchanges) = (self.guest.process_count(), self.dimensions.len());
        Facts {
            all_processes_compute: exchanges == 1,
            total_compute: Facts::new(processes, exchanges, self.compute).total_compute,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(processes, 2 * exchanges - 1, self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, _: ProcessId) -> Cycles {
        match self.phase(stage) {
            ShuffleStage::Exchange => self.compute,
            ShuffleStage::Move(_) => Cycles::ZERO,
        }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let other = match (self.phase(stage), end) {
            (ShuffleStage::Exchange, _) => ProcessId::new(process.label() ^ 1),
            (ShuffleStage::Move(rotation), End::Source) => self.rotated(process, rotation),
            (ShuffleStage::Move(rotation), End::Destination) => self.rotated(process, rotation.opposite()),
        };
        if other != process {
            peers.push(Peer { process: other, units: self.sizes.of_stage(stage) });
        }
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        let dimension = self.dimensions.get(stage / 2)?;
        (self.phase(stage) == ShuffleStage::Exchange).then(|| dimension.index())
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StageMessage, program};

    fn program(
        order: u64,
        dimensions: &[u64],
    ) -> Result<ShuffleExchangeProgram, ShuffleExchangeProgramError> {
        let cube = Hypercube::new(order).unwrap();
        let dimensions = dimensions.iter().map(|&number| cube.dimension(number).unwrap()).collect();
        ShuffleExchangeProgram::new(cube, dimensions, Cycles::new(1))
    }

    #[test]
    fn every_exchange_is_between_the_data_of_neighbours_in_its_dimension() {
        let lists: [(u64, &[u64]); 5] =
            [(3, &[0, 1, 2, 0, 1]), (4, &[2, 1, 0, 3, 2]), (4, &[1, 2, 1, 0, 1]), (2, &[1, 0, 1]), (5, &[4])];
        for (order, dimensions) in lists {
            let program = program(order, dimensions).unwrap();
            let words = || ProcessId::first(program.process_count());
            // A word holds the data of the node that it is when rotated back.
            let first_held = |word| {
                (0..program.dimensions[0].index()).fold(word, |word, _| program.rotated(word, Rotation::Left))
            };
            let mut held: Vec<u32> = words().map(|word| first_held(word).label()).collect();
            for stage in 0..program.stage_count() {
                let sent = program.messages(stage);
                if stage % 2 == 0 {
                    let bit = 1 << dimensions[stage / 2];
                    let partners = |message: &StageMessage| {
                        held[message.source.label() as usize] ^ held[message.destination.label() as usize]
                            == bit
                    };
                    assert!(sent.iter().all(partners) && sent.len() as u64 == program.process_count());
                } else {
                    let mut moved = held.clone();
                    for message in &sent {
                        moved[message.destination.label() as usize] = held[message.source.label() as usize];
                    }
                    held = moved;
                }
                assert_eq!(sent, program::received(&program, stage));
                let neighbours = |message: &StageMessage| {
                    program.guest.neighbours(message.source).any(|word| word == message.destination)
                };
                assert!(sent.iter().all(neighbours));
            }
        }
    }

    #[test]
    fn lists_that_jump_are_not_normal() {
        let error = program(4, &[0, 1, 3]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "stage 2 uses dimension 3 after 1, expected the next or the one before it"
        );
        assert!(program(4, &[1, 1]).is_err());
        assert!(program(4, &[3, 0]).is_ok());
        assert_eq!(program(3, &[]).unwrap_err(), ShuffleExchangeProgramError::NoStages);
        assert!(matches!(program(21, &[0]), Err(ShuffleExchangeProgramError::TooManyDimensions { .. })));
    }
}
