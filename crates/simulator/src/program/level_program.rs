//! Normal hypercube algorithms on cube-connected cycles and butterflies.

use cubefold_mapping::{CubeDimension, GraphGuest, Guest, Hypercube, ProcessId};
use cubefold_topology::MachineKind;

use super::shuffle_exchange_program::guest_of;
use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program, ShuffleExchangeProgramError};

/// A network of levels, or of positions on cycles, each with a node for every word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelNetwork {
    /// Positions `0..n` of the cycle of each word.
    CubeConnectedCycles,
    /// Levels `0..n`, of which the last leads to the first.
    WrappedButterfly,
    /// Levels `0..=n`.
    Butterfly,
}

/// A stage: the move of the data of all words from one level to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LevelMove {
    from: u32,
    to: u32,
    dimension: Option<CubeDimension>, // of the exchange with the partner's data; `None` if data only move
}

/// A normal hypercube algorithm whose data move from level to level (CS838 1999; `docs/model.md` section 28.6).
///
/// The data of the `2^n` nodes of the hypercube stay in their words and are all at one level at a time. On cube-connected
/// cycles an exchange is over the cube link, and between two exchanges the data move along the cycle. On a butterfly an
/// exchange is a step over the gap of its dimension, straight and across at once; where the next gap is not at the new level,
/// the data go straight to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelProgram {
    cube: Hypercube,
    dimensions: Vec<CubeDimension>, // of the exchanges: at least one, each a neighbour of the one before
    guest: GraphGuest,              // the network
    levels: u32,
    moves: Vec<LevelMove>, // of all stages
    compute: Cycles,
    sizes: MessageSizes,
}

impl LevelNetwork {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CubeConnectedCycles, Self::WrappedButterfly, Self::Butterfly];

    /// The network of this kind.
    #[must_use]
    pub fn of_kind(kind: MachineKind) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.kind() == kind)
    }

    /// The kind of its machines.
    #[must_use]
    pub fn kind(self) -> MachineKind {
        match self {
            Self::CubeConnectedCycles => MachineKind::CubeConnectedCycles,
            Self::WrappedButterfly => MachineKind::WrappedButterfly,
            Self::Butterfly => MachineKind::Butterfly,
        }
    }

    /// The number of levels of a network of `n` dimensions.
    fn levels(self, n: u32) -> u32 {
        match self {
            Self::CubeConnectedCycles | Self::WrappedButterfly => n,
            Self::Butterfly => n + 1,
        }
    }

    /// The moves of a normal list of dimensions, at least one.
    fn moves(self, n: u32, dimensions: &[CubeDimension]) -> Vec<LevelMove> {
        match self {
            Self::CubeConnectedCycles => cycle_moves(dimensions),
            Self::WrappedButterfly | Self::Butterfly => self.butterfly_moves(n, dimensions),
        }
    }

    /// The level that follows another, over its gap.
    fn above(self, level: u32, n: u32) -> u32 {
        match self {
            Self::Butterfly => level + 1,
            Self::CubeConnectedCycles | Self::WrappedButterfly => (level + 1) % n,
        }
    }

    fn butterfly_moves(self, n: u32, dimensions: &[CubeDimension]) -> Vec<LevelMove> {
        let gap = |place: usize| dimensions.get(place).map(|&dimension| level_of(dimension));
        // A downward walk starts above its first gap.
        let goes_down = gap(0)
            .zip(gap(1))
            .is_some_and(|(first, next)| (next + 1) % n == first && (first + 1) % n != next);
        let first = level_of(dimensions[0]);
        let mut level = if goes_down { self.above(first, n) } else { first };
        let (mut moves, mut before) = (vec![], level);
        for &dimension in dimensions {
            let (low, high) = (level_of(dimension), self.above(level_of(dimension), n));
            while level != low && level != high {
                let to = match self {
                    Self::Butterfly if level > high => level - 1,
                    Self::Butterfly => level + 1,
                    // A turn: back over the gap that was crossed last.
                    Self::CubeConnectedCycles | Self::WrappedButterfly => before,
                };
                moves.push(LevelMove { from: level, to, dimension: None });
                level = to;
            }
            let to = if level == low { high } else { low };
            moves.push(LevelMove { from: level, to, dimension: Some(dimension) });
            (before, level) = (level, to);
        }
        moves
    }
}

/// The moves on cube-connected cycles: an exchange at the position of its dimension, and a link of the cycle to the next.
fn cycle_moves(dimensions: &[CubeDimension]) -> Vec<LevelMove> {
    let mut moves: Vec<LevelMove> = vec![];
    for &dimension in dimensions {
        let to = level_of(dimension);
        if let Some(last) = moves.last() {
            moves.push(LevelMove { from: last.to, to, dimension: None });
        }
        moves.push(LevelMove { from: to, to, dimension: Some(dimension) });
    }
    moves
}

fn level_of(dimension: CubeDimension) -> u32 {
    dimension.number().into()
}

impl LevelProgram {
    /// The normal program on `cube` whose stages use `dimensions`, with a computation of `compute` before every
    /// exchange, on a network of as many dimensions as the cube.
    ///
    /// # Errors
    ///
    /// If there is no stage, two consecutive stages use dimensions that are not neighbours, or there is no such network.
    pub fn new(
        network: LevelNetwork,
        cube: Hypercube,
        dimensions: Vec<CubeDimension>,
        compute: Cycles,
    ) -> Result<Self, ShuffleExchangeProgramError> {
        let guest = guest_of(network.kind(), cube, &dimensions)?;
        let n = u32::from(cube.dimension_count());
        let (levels, moves) = (network.levels(n), network.moves(n, &dimensions));
        let sizes = MessageSizes::ONE_UNIT;
        Ok(Self { cube, dimensions, guest, levels, moves, compute, sizes })
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }
}

impl Program for LevelProgram {
    fn facts(&self) -> Facts {
        let compute = u128::from(self.compute.get()) * self.dimensions.len() as u128;
        Facts {
            all_processes_compute: false,
            total_compute: compute * u128::from(self.cube.process_count()),
            max_received: 2,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(self.guest.process_count(), self.moves.len(), self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let LevelMove { from, dimension, .. } = self.moves[stage];
        let computes = dimension.is_some() && process.label() % self.levels == from;
        if computes { self.compute } else { Cycles::ZERO }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let LevelMove { from, to, dimension } = self.moves[stage];
        let (own_level, other) = if end == End::Source { (from, to) } else { (to, from) };
        let (level, word) = (process.label() % self.levels, process.label() / self.levels);
        if level != own_level {
            return;
        }
        let straight = (from != to).then_some(word);
        let across = dimension.map(|dimension| word ^ 1 << dimension.number());
        let mut words: Vec<u32> = straight.into_iter().chain(across).collect();
        words.sort_unstable();
        let node = |word| ProcessId::new(other + self.levels * word);
        let units = self.sizes.of_stage(stage);
        peers.extend(words.into_iter().map(|word| Peer { process: node(word), units }));
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        let LevelMove { from, to, dimension } = self.moves[stage];
        dimension.filter(|_| from == to).map(CubeDimension::index)
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;
    use serde_json::{Value, json};

    use super::*;
    use crate::program;

    fn level_program(network: LevelNetwork, n: u64, dimensions: &[u64]) -> LevelProgram {
        let cube = Hypercube::new(n).unwrap();
        let dimensions = dimensions.iter().map(|&number| cube.dimension(number).unwrap()).collect();
        LevelProgram::new(network, cube, dimensions, Cycles::new(1)).unwrap()
    }

    #[test]
    fn data_move_as_in_the_checked_cases() {
        let text = include_str!("../../../../tests/golden/papers_rest.json");
        let golden: Value = serde_json::from_str(text).unwrap();
        let cases: Vec<&Value> =
            golden["cases"].as_array().unwrap().iter().filter(|case| case["item"] == "normal").collect();
        assert!(!cases.is_empty());
        for case in cases {
            let kind = case["machine"].as_str().unwrap();
            let network = LevelNetwork::ALL.into_iter().find(|one| one.kind().name() == kind).unwrap();
            let stages: Vec<u64> =
                case["stages"].as_array().unwrap().iter().map(|stage| stage.as_u64().unwrap()).collect();
            let program = level_program(network, case["dimensions"].as_u64().unwrap(), &stages);
            let word = |step: &LevelMove| match step.dimension {
                None => "move",
                Some(_) if step.from == step.to => "exchange",
                Some(_) => "cross",
            };
            let moves = program.moves.iter();
            let moves = moves.map(|moves| {
                json!([
                    moves.from,
                    moves.to,
                    moves.dimension.map(cubefold_mapping::CubeDimension::number),
                    word(moves)
                ])
            });
            let expected = &case["expect"];
            assert_eq!(Value::from(moves.collect::<Vec<_>>()), expected["moves"], "{case}");
            assert_eq!(Some(program.stage_count() as u64), expected["steps"].as_u64(), "{case}");
            assert_eq!(Some(u64::from(program.moves[0].from)), expected["start_level"].as_u64(), "{case}");
        }
    }

    /// The datum of a node after an exchange: it differs between the two sides and between orders.
    fn mixed(this: u64, partner: u64, stage: usize) -> u64 {
        this.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(partner.rotate_left(17)) ^ stage as u64
    }

    /// Runs an algorithm on the hypercube and its moves on the network, message by message.
    fn replay(network: LevelNetwork, n: u64, stages: &[u64]) {
        let program = level_program(network, n, stages);
        let words = 1_u32 << n;
        let mut cube: Vec<u64> = (0..words).map(|word| u64::from(word * word) + 5).collect();
        let mut held: Vec<Option<u64>> = vec![None; usize::try_from(program.process_count()).unwrap()];
        let node = |level: u32, word: u32| (level + program.levels * word) as usize;
        for word in 0..words {
            held[node(program.moves[0].from, word)] = Some(cube[word as usize]);
        }
        let mut exchange = 0;
        for stage in 0..program.stage_count() {
            let LevelMove { from, to, dimension } = program.moves[stage];
            let sent = program.messages(stage);
            assert_eq!(sent, program::received(&program, stage), "{network:?} {stages:?}");
            let mut next: Vec<Option<u64>> = vec![None; held.len()];
            for word in 0..words {
                // A node's data and its partner's are those sent to it, or those it had.
                let at = node(to, word);
                let data = |from: usize| {
                    let message = sent.iter().any(|message| {
                        message.source.label() as usize == from && message.destination.label() as usize == at
                    });
                    (message || from == at).then(|| held[from].unwrap()).unwrap()
                };
                let of_node = data(node(from, word));
                next[at] = Some(match dimension {
                    None => of_node,
                    Some(dimension) => {
                        mixed(of_node, data(node(from, word ^ 1 << dimension.number())), exchange)
                    }
                });
            }
            let linked = |message: &crate::StageMessage| {
                program.guest.neighbours(message.source).any(|end| end == message.destination)
            };
            assert!(sent.iter().all(linked), "{network:?} {stages:?}");
            if let Some(dimension) = dimension {
                assert_eq!(u64::from(dimension.number()), stages[exchange]);
                let partner = |word: u32| cube[(word ^ 1 << dimension.number()) as usize];
                cube = (0..words).map(|word| mixed(cube[word as usize], partner(word), exchange)).collect();
                exchange += 1;
            }
            held = next;
        }
        assert_eq!(exchange, stages.len());
        let end = program.moves.last().unwrap().to;
        for word in 0..words {
            assert_eq!(held[node(end, word)], Some(cube[word as usize]), "{network:?} {stages:?}");
        }
        check_steps(network, n, stages, program.stage_count());
    }

    /// The promised numbers of steps.
    fn check_steps(network: LevelNetwork, n: u64, stages: &[u64], steps: usize) {
        let up = |pair: &[u64]| (pair[0] + 1) % n == pair[1];
        let turns = if n == 2 {
            0
        } else {
            stages.windows(3).filter(|pair| up(&pair[..2]) != up(&pair[1..])).count()
        };
        let wraps = stages.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == n - 1 && n > 2).count();
        match network {
            LevelNetwork::CubeConnectedCycles => assert_eq!(steps, 2 * stages.len() - 1),
            LevelNetwork::WrappedButterfly => assert_eq!(steps, stages.len() + turns, "{stages:?}"),
            LevelNetwork::Butterfly => {
                let most = stages.len() + turns + wraps * usize::try_from(n).unwrap();
                assert!(steps <= most || n == 2, "{stages:?}: {steps} of {most}");
            }
        }
    }

    /// Replays random walks over the dimensions on every network.
    fn replay_random_walks(walks: u64, most: u64) {
        let mut generator = ChaCha12Rng::seed_from_u64(1);
        for _ in 0..walks {
            let n = generator.random_range(2..=most);
            let mut stages = vec![generator.random_range(0..n)];
            for _ in 0..generator.random_range(0..12) {
                let last = stages[stages.len() - 1];
                let up = generator.random_range(0..2) == 0;
                stages.push(if up { last + 1 } else { last + n - 1 } % n);
            }
            for network in LevelNetwork::ALL {
                replay(network, n, &stages);
            }
        }
    }

    #[test]
    fn data_meet_their_partners_in_every_exchange() {
        replay_random_walks(60, 4);
    }

    #[test]
    #[ignore = "takes some seconds"]
    fn data_meet_their_partners_in_every_exchange_of_hundreds_of_walks() {
        replay_random_walks(900, 6);
    }

    #[test]
    fn lists_that_jump_and_networks_that_do_not_exist_are_refused() {
        let cube = Hypercube::new(4).unwrap();
        let dimensions = [0, 2].map(|number| cube.dimension(number).unwrap()).to_vec();
        for network in LevelNetwork::ALL {
            let error = LevelProgram::new(network, cube, dimensions.clone(), Cycles::ZERO).unwrap_err();
            assert!(matches!(error, ShuffleExchangeProgramError::NotNormal { .. }));
        }
        let large = Hypercube::new(17).unwrap();
        let first = vec![large.dimension(0).unwrap()];
        let error = LevelProgram::new(LevelNetwork::Butterfly, large, first, Cycles::ZERO).unwrap_err();
        assert_eq!(error.to_string(), "17 dimensions, expected at most 15");
    }
}
