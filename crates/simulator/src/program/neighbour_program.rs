//! Neighbour-exchange programs on torus, mesh and network guests.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Direction, HostDimension, Sign, Wrap};
use rand::{Rng, RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;

use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program};

/// A program whose processes are the nodes of a torus, mesh or network and send only to neighbours (Tao 1988,
/// 4.2; `docs/model.md` section 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeighbourProgram {
    guest: GraphGuest,
    stages: Vec<Exchange>, // at least one
    compute: Cycles,
    sizes: MessageSizes,
}

/// The messages of the stages of a neighbour-exchange program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// A stage per dimension and direction, `(1,+) (1,-) (2,+) ..`: every process sends in that direction. A
    /// wrapping dimension of length 2 has one stage, since both directions lead to the same neighbour.
    Shift,
    /// Random permutation-type sets, one stage each: a process sends at most one message and receives at most
    /// one.
    Permutation {
        /// The number of sets, at least 1.
        sets: usize,
        /// The key of the generator: equal keys make equal sets.
        key: [u8; 32],
    },
    /// One stage: every process sends to all its neighbours.
    Scatter,
    /// One stage: every process of a tree sends to its children.
    ToChildren,
    /// One stage: every process of a tree but the root sends to its parent.
    ToParents,
}

/// The messages of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Exchange {
    Shift(Direction),
    Swap(HostDimension), // both directions at once, in a wrapping dimension of length 2
    Set(PermutationSet),
    Scatter,
    ToChildren(RootedTree),
    ToParents(RootedTree),
}

/// A tree as a guest, rooted at process 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootedTree {
    parents: Vec<Option<ProcessId>>, // by process
}

impl RootedTree {
    /// The tree of a guest; `None` if it has a cycle, or is in parts.
    #[must_use]
    pub fn new(guest: &GraphGuest) -> Option<Self> {
        let count = usize::try_from(guest.process_count()).ok()?;
        if guest.shape().link_count() + 1 != guest.process_count() {
            return None;
        }
        let (root, mut parents) = (ProcessId::new(0), vec![None; count]);
        let (mut found, mut place) = (vec![root], 0);
        while let Some(&process) = found.get(place) {
            let above = parents[process.label() as usize];
            for child in guest.neighbours(process).filter(|&neighbour| Some(neighbour) != above) {
                parents[child.label() as usize] = Some(process);
                found.push(child);
            }
            place += 1;
            if found.len() > count {
                return None;
            }
        }
        (found.len() == count).then_some(Self { parents })
    }

    /// The complete binary tree of `count` processes, of which `n` has the children `2n + 1` and `2n + 2`.
    pub(super) fn binary_heap(count: u64) -> Self {
        let parent =
            |process: ProcessId| process.label().checked_sub(1).map(|below| ProcessId::new(below / 2));
        Self { parents: ProcessId::first(count).map(parent).collect() }
    }

    pub(crate) fn parent(&self, process: ProcessId) -> Option<ProcessId> {
        self.parents[process.label() as usize]
    }

    /// The children of a process in the tree of this guest.
    pub(super) fn children(&self, guest: &GraphGuest, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        guest.neighbours(process).filter(move |&neighbour| self.parent(neighbour) == Some(process))
    }
}

/// An invalid pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no stages, expected at least one permutation set, a guest with dimensions to shift along, or a tree with parents \
     and children"
)]
pub struct NoStagesError;

impl NeighbourProgram {
    /// The program on `guest` with the stages of `pattern`, each with a computation of `compute`.
    ///
    /// # Errors
    ///
    /// If the pattern has 0 permutation sets, shifts on a network, which has no dimensions, or is for trees and the
    /// guest is none.
    pub fn new(guest: GraphGuest, pattern: Pattern, compute: Cycles) -> Result<Self, NoStagesError> {
        let stages: Vec<Exchange> = match pattern {
            Pattern::Shift => shifts(&guest),
            Pattern::Scatter => vec![Exchange::Scatter],
            Pattern::ToChildren => RootedTree::new(&guest).map(Exchange::ToChildren).into_iter().collect(),
            Pattern::ToParents => RootedTree::new(&guest).map(Exchange::ToParents).into_iter().collect(),
            Pattern::Permutation { sets, key } => {
                let mut generator = ChaCha12Rng::from_seed(key);
                (0..sets).map(|_| Exchange::Set(PermutationSet::random(&guest, &mut generator))).collect()
            }
        };
        if stages.is_empty() {
            Err(NoStagesError)
        } else {
            Ok(Self { guest, stages, compute, sizes: MessageSizes::ONE_UNIT })
        }
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    /// The partner in a wrapping dimension of length 2: its only neighbour.
    fn other(&self, process: ProcessId, dimension: HostDimension) -> Option<ProcessId> {
        Sign::BOTH.into_iter().find_map(|sign| self.guest.neighbour(process, Direction { dimension, sign }))
    }
}

/// One shift per dimension and direction; none on a network.
fn shifts(guest: &GraphGuest) -> Vec<Exchange> {
    let shape = guest.shape();
    let Some(grid) = shape.grid() else { return vec![] };
    let of_dimension = |dimension: HostDimension| {
        let extent = grid.extent(dimension);
        if extent.wrap() == Wrap::Around && !extent.is_ring() {
            return vec![Exchange::Swap(dimension)];
        }
        Sign::BOTH.map(|sign| Exchange::Shift(Direction { dimension, sign })).to_vec()
    };
    grid.shape().dimensions().flat_map(of_dimension).collect()
}

/// Largest number of neighbours of a process: one in a dimension of length 2, else up to two.
fn max_neighbours(guest: &GraphGuest) -> usize {
    if let Some(network) = guest.shape().graph() {
        return network.max_degree();
    }
    guest.shape().extents().map(|extent| if extent.length() > 2 { 2 } else { 1 }).sum()
}

/// Messages between neighbours with distinct sources and distinct destinations.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PermutationSet {
    destinations: Vec<Option<ProcessId>>, // by source
    sources: Vec<Option<ProcessId>>,      // by destination
}

impl PermutationSet {
    /// A random set: in random order, every process sends to a random neighbour that receives nothing yet, if
    /// there is one.
    fn random(guest: &GraphGuest, generator: &mut impl Rng) -> Self {
        let mut order: Vec<ProcessId> = ProcessId::first(guest.process_count()).collect();
        let mut set = Self { destinations: vec![None; order.len()], sources: vec![None; order.len()] };
        order.shuffle(generator);
        for source in order {
            let open = guest.neighbours(source).filter(|&neighbour| set.source(neighbour).is_none());
            let open: Vec<ProcessId> = open.collect();
            if !open.is_empty() {
                let destination = open[generator.random_range(0..open.len())];
                set.destinations[source.label() as usize] = Some(destination);
                set.sources[destination.label() as usize] = Some(source);
            }
        }
        set
    }

    /// The process to which `source` sends.
    fn destination(&self, source: ProcessId) -> Option<ProcessId> {
        self.destinations[source.label() as usize]
    }

    /// The process from which `destination` receives.
    fn source(&self, destination: ProcessId) -> Option<ProcessId> {
        self.sources[destination.label() as usize]
    }
}

impl Program for NeighbourProgram {
    fn facts(&self) -> Facts {
        // Only patterns of one stage have processes that receive several messages.
        let max_received = match &self.stages[0] {
            Exchange::Scatter => max_neighbours(&self.guest),
            Exchange::ToParents(tree) => {
                let children = |process| tree.children(&self.guest, process).count();
                ProcessId::first(self.guest.process_count()).map(children).max().unwrap_or(0)
            }
            Exchange::Shift(_) | Exchange::Swap(_) | Exchange::Set(_) | Exchange::ToChildren(_) => 1,
        };
        Facts {
            max_received,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(self.guest.process_count(), self.stages.len(), self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        self.compute
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let partner = match (&self.stages[stage], end) {
            (Exchange::Shift(direction), End::Source) => self.guest.neighbour(process, *direction),
            (Exchange::Shift(direction), End::Destination) => {
                self.guest.neighbour(process, direction.opposite())
            }
            (Exchange::Swap(dimension), _) => self.other(process, *dimension),
            (Exchange::Set(set), End::Source) => set.destination(process),
            (Exchange::Set(set), End::Destination) => set.source(process),
            (Exchange::ToChildren(tree), End::Destination) | (Exchange::ToParents(tree), End::Source) => {
                tree.parent(process)
            }
            (Exchange::Scatter | Exchange::ToChildren(_) | Exchange::ToParents(_), _) => None,
        };
        let units = self.sizes.of_stage(stage);
        let peer = |process| Peer { process, units };
        peers.extend(partner.map(peer));
        match (&self.stages[stage], end) {
            (Exchange::Scatter, _) => peers.extend(self.guest.neighbours(process).map(peer)),
            (Exchange::ToChildren(tree), End::Source) | (Exchange::ToParents(tree), End::Destination) => {
                peers.extend(tree.children(&self.guest, process).map(peer));
            }
            _ => {}
        }
    }

    fn stage_dimension(&self, stage: usize) -> Option<usize> {
        match &self.stages[stage] {
            Exchange::Shift(direction) => Some(direction.dimension.index()),
            Exchange::Swap(dimension) => Some(dimension.index()),
            Exchange::Set(_) | Exchange::Scatter | Exchange::ToChildren(_) | Exchange::ToParents(_) => None,
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{check_lists, pairs};
    use cubefold_topology::{Machine, MachineKind};

    fn program(kind: MachineKind, lengths: &[u64], pattern: Pattern) -> NeighbourProgram {
        let guest = GraphGuest::new(Machine::new(kind, lengths).unwrap());
        NeighbourProgram::new(guest, pattern, Cycles::ZERO).unwrap()
    }

    #[test]
    fn shifts_go_one_way_at_a_time() {
        let mesh = program(MachineKind::Mesh, &[3, 2], Pattern::Shift);
        assert_eq!(mesh.stage_count(), 4);
        assert_eq!(pairs(&mesh, 0), [(0, 1), (1, 2), (3, 4), (4, 5)]);
        assert_eq!(pairs(&mesh, 3), [(3, 0), (4, 1), (5, 2)]);
        let torus = program(MachineKind::Torus, &[3, 2], Pattern::Shift);
        assert_eq!(torus.stage_count(), 3);
        assert_eq!(pairs(&torus, 1), [(0, 2), (1, 0), (2, 1), (3, 5), (4, 3), (5, 4)]);
        assert_eq!(pairs(&torus, 2), [(0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)]);
    }

    #[test]
    fn messages_go_down_a_tree_or_up() {
        let tree = |pattern| {
            let guest = GraphGuest::new(Machine::of_dimensions(MachineKind::BinaryTree, 2).unwrap());
            NeighbourProgram::new(guest, pattern, Cycles::ZERO).unwrap()
        };
        let (down, up) = (tree(Pattern::ToChildren), tree(Pattern::ToParents));
        let edges = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)];
        assert_eq!(pairs(&down, 0), edges);
        assert_eq!(pairs(&up, 0), edges.map(|(parent, child)| (child, parent)));
        assert_eq!([&down, &up].map(|program| program.facts().max_received), [1, 2]);
        check_lists(&down);
        check_lists(&up);
        // A line is a tree rooted at its end; a ring is none.
        let line = program(MachineKind::Line, &[3], Pattern::ToChildren);
        assert_eq!(pairs(&line, 0), [(0, 1), (1, 2)]);
        let ring = GraphGuest::new(Machine::new(MachineKind::Ring, &[3]).unwrap());
        assert!(NeighbourProgram::new(ring, Pattern::ToParents, Cycles::ZERO).is_err());
    }

    #[test]
    fn scatter_reaches_every_neighbour_once() {
        let ring = program(MachineKind::Ring, &[3], Pattern::Scatter);
        assert_eq!(pairs(&ring, 0), [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]);
        let pair = program(MachineKind::Ring, &[2], Pattern::Scatter);
        assert_eq!(pairs(&pair, 0), [(0, 1), (1, 0)]);
    }

    #[test]
    fn no_process_receives_more_than_the_program_says_and_some_one_does() {
        let shapes: [(MachineKind, &[u64]); 4] = [
            (MachineKind::Torus, &[3, 2, 4]),
            (MachineKind::Mesh, &[3, 2, 4]),
            (MachineKind::Torus, &[2, 2]),
            (MachineKind::Mesh, &[5]),
        ];
        for (kind, lengths) in shapes {
            for pattern in [Pattern::Scatter, Pattern::Shift] {
                let program = program(kind, lengths, pattern);
                let received = ProcessId::first(program.process_count())
                    .flat_map(|process| (0..program.stage_count()).map(move |stage| (stage, process)));
                let count = |(stage, process)| {
                    let mut peers = vec![];
                    program.list(End::Destination, stage, process, &mut peers);
                    peers.len()
                };
                assert_eq!(received.map(count).max(), Some(program.facts().max_received));
            }
        }
    }

    #[test]
    fn random_sets_are_of_permutation_type_and_the_same_for_the_same_key() {
        let pattern = |byte| Pattern::Permutation { sets: 20, key: [byte; 32] };
        let torus = program(MachineKind::Torus, &[4, 3], pattern(1));
        for stage in 0..20 {
            let sent = pairs(&torus, stage);
            let mut destinations: Vec<_> = sent.iter().map(|(_, to)| to).collect();
            destinations.sort_unstable();
            assert!(destinations.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(sent.windows(2).all(|pair| pair[0].0 < pair[1].0));
            assert!(!sent.is_empty());
        }
        assert_eq!(torus, program(MachineKind::Torus, &[4, 3], pattern(1)));
        assert_ne!(torus, program(MachineKind::Torus, &[4, 3], pattern(2)));
    }

    #[test]
    fn sources_and_destinations_tell_the_same_messages_between_neighbours() {
        let patterns = [Pattern::Shift, Pattern::Scatter, Pattern::Permutation { sets: 9, key: [3; 32] }];
        for pattern in patterns {
            let program = program(MachineKind::Torus, &[4, 2, 3], pattern);
            check_lists(&program);
            for stage in 0..program.stage_count() {
                let neighbours = |&(from, to): &(u32, u32)| {
                    program.guest.neighbours(ProcessId::new(from)).any(|other| other.label() == to)
                };
                assert!(pairs(&program, stage).iter().all(neighbours));
            }
        }
    }
}
