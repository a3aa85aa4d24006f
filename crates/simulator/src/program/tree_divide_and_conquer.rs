//! Divide and conquer on a rooted tree.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind};

use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program, RootedTree};

/// Divide and conquer whose processes are the vertices of a tree of `n` levels of links, rooted at process 0: a complete
/// binary one, or any other (CS838 1999; `docs/model.md` section 28.6).
///
/// ```text
/// stage     s = 0 .. n-1     level s computes (divides) and sends to its children
/// stage     n + j, j = 0 ..  level n - j computes and sends its result to its parent; the root only computes
/// ```
///
/// A leaf above level `n` computes once, when its part has arrived, and sends its result with its level.
/// A process that neither computes nor communicates in a stage passes through it in 0 cycles. Without contention the
/// program takes `(2n + 1) T_a + 2 T_c D` cycles, where `D` is the number of links on the longest way from the root to
/// a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeDivideAndConquer {
    guest: GraphGuest,                   // the tree
    levels: u32,                         // of links, at least 1
    any: Option<(RootedTree, Vec<u32>)>, // with the level of every vertex; `None` of a complete binary tree in heap order
    compute: Cycles,
    sizes: MessageSizes,
}

impl TreeDivideAndConquer {
    /// The program on the tree of `levels` levels of links, with computations of `compute`.
    ///
    /// # Errors
    ///
    /// If there is no binary tree of `levels` levels.
    pub fn new(levels: u32, compute: Cycles) -> Result<Self, MachineError> {
        let tree = Machine::of_dimensions(MachineKind::BinaryTree, levels.into())?;
        let sizes = MessageSizes::ONE_UNIT;
        Ok(Self { guest: GraphGuest::new(tree), levels, any: None, compute, sizes })
    }

    /// The program on a tree, rooted at process 0; `None` if the guest is not a tree.
    #[must_use]
    pub fn on_tree(guest: GraphGuest, compute: Cycles) -> Option<Self> {
        let tree = RootedTree::new(&guest)?;
        let mut levels: Vec<u32> = vec![0; usize::try_from(guest.process_count()).ok()?];
        for process in ProcessId::first(guest.process_count()) {
            let mut above = tree.parent(process);
            while let Some(parent) = above {
                levels[process.label() as usize] += 1;
                above = tree.parent(parent);
            }
        }
        let deepest = levels.iter().copied().max().filter(|&deepest| deepest > 0)?;
        let (any, sizes) = (Some((tree, levels)), MessageSizes::ONE_UNIT);
        Some(Self { guest, levels: deepest, any, compute, sizes })
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    /// The level that computes in a stage, and whether it divides.
    fn active_level(&self, stage: usize) -> (u32, bool) {
        let stage = u32::try_from(stage).unwrap_or(u32::MAX);
        if stage < self.levels { (stage, true) } else { ((2 * self.levels).saturating_sub(stage), false) }
    }

    /// The level of a vertex; the root has 0.
    fn level(&self, process: ProcessId) -> u32 {
        match &self.any {
            Some((_, levels)) => levels[process.label() as usize],
            None => (u64::from(process.label()) + 1).ilog2(),
        }
    }

    fn parent(&self, process: ProcessId) -> Option<ProcessId> {
        match &self.any {
            Some((tree, _)) => tree.parent(process),
            None => process.label().checked_sub(1).map(|below| ProcessId::new(below / 2)),
        }
    }

    fn children(&self, process: ProcessId) -> impl Iterator<Item = ProcessId> {
        self.guest.neighbours(process).filter(move |&neighbour| self.parent(neighbour) == Some(process))
    }
}

impl Program for TreeDivideAndConquer {
    fn facts(&self) -> Facts {
        // The inner vertices compute twice, the leaves once.
        let (computations, max_received) = if self.any.is_none() {
            (3 * (1_u128 << self.levels) - 2, 2)
        } else {
            let counts = || {
                let all = ProcessId::first(self.guest.process_count());
                all.map(|process| self.children(process).count())
            };
            (counts().map(|count| if count > 0 { 2 } else { 1 }).sum(), counts().max().unwrap_or(0))
        };
        Facts {
            all_processes_compute: false,
            total_compute: u128::from(self.compute.get()) * computations,
            max_received,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(self.guest.process_count(), 2 * self.levels as usize + 1, self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let (active, divides) = self.active_level(stage);
        // A leaf has solved its part when it arrived.
        let has_solved = || !divides && active < self.levels && self.children(process).next().is_none();
        if self.level(process) == active && !has_solved() { self.compute } else { Cycles::ZERO }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let (active, divides) = self.active_level(stage);
        let level = self.level(process);
        let peer = |process| Peer { process, units: self.sizes.of_stage(stage) };
        // Messages go between the active level and the one below it, or the one above.
        let parents = if divides { Some(active) } else { active.checked_sub(1) };
        let Some(parents) = parents else { return };
        if level == parents && divides == (end == End::Source) {
            peers.extend(self.children(process).map(peer));
        } else if level == parents + 1 && divides != (end == End::Source) {
            peers.extend(self.parent(process).map(peer));
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
    use cubefold_topology::Network;

    fn program(levels: u32) -> TreeDivideAndConquer {
        TreeDivideAndConquer::new(levels, Cycles::new(7)).unwrap()
    }

    #[test]
    fn parts_go_down_level_by_level_and_results_come_back() {
        let program = program(2);
        assert_eq!(pairs(&program, 0), [(0, 1), (0, 2)]);
        assert_eq!(pairs(&program, 1), [(1, 3), (1, 4), (2, 5), (2, 6)]);
        assert_eq!(pairs(&program, 2), [(3, 1), (4, 1), (5, 2), (6, 2)]);
        assert_eq!(pairs(&program, 3), [(1, 0), (2, 0)]);
        assert_eq!(pairs(&program, 4), []);
    }

    #[test]
    fn sources_and_destinations_agree_and_computations_are_counted() {
        (1..=6).for_each(|levels| check_lists(&program(levels)));
        assert!(TreeDivideAndConquer::new(0, Cycles::ZERO).is_err());
    }

    #[test]
    fn a_complete_tree_as_any_tree_is_the_same_program() {
        for levels in 1..=5 {
            let complete = program(levels);
            let any = TreeDivideAndConquer::on_tree(complete.guest.clone(), Cycles::new(7)).unwrap();
            assert_eq!(complete.facts(), any.facts());
            for stage in 0..complete.stage_count() {
                assert_eq!(complete.messages(stage), any.messages(stage));
                for process in ProcessId::first(complete.process_count()) {
                    assert_eq!(complete.computation(stage, process), any.computation(stage, process));
                }
            }
        }
    }

    #[test]
    fn leaves_of_any_level_compute_once() {
        // 0 has the children 1, a leaf, and 2, whose child is 3.
        let tree = Network::from_edges(4, &[(0, 1), (0, 2), (2, 3)]).unwrap();
        let guest = GraphGuest::new(Machine::network(MachineKind::Network, tree).unwrap());
        let program = TreeDivideAndConquer::on_tree(guest, Cycles::new(7)).unwrap();
        let computes = |stage| -> Vec<u64> {
            ProcessId::first(4).map(|process| program.computation(stage, process).get()).collect()
        };
        assert_eq!(program.stage_count(), 5);
        assert_eq!(
            [0, 1, 2, 3, 4].map(computes),
            [[7, 0, 0, 0], [0, 7, 7, 0], [0, 0, 0, 7], [0, 0, 7, 0], [7, 0, 0, 0]]
        );
        let messages = |stage| pairs(&program, stage);
        assert_eq!([0, 1, 2].map(messages), [vec![(0, 1), (0, 2)], vec![(2, 3)], vec![(3, 2)]]);
        assert_eq!([3, 4].map(messages), [vec![(1, 0), (2, 0)], vec![]]);
        check_lists(&program);
    }
}
