//! Divide and conquer on a rooted tree.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind, narrow};

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
    guest: GraphGuest, // the tree
    tree: RootedTree,
    levels: Vec<u32>, // of links above each process
    deepest: u32,     // of these levels, at least 1
    compute: Cycles,
    sizes: MessageSizes,
    facts: Facts,
}

impl TreeDivideAndConquer {
    /// The program on the complete binary tree of `levels` levels of links, with computations of `compute`.
    ///
    /// # Errors
    ///
    /// If there is no binary tree of `levels` levels.
    pub fn new(levels: u32, compute: Cycles) -> Result<Self, MachineError> {
        let guest = GraphGuest::new(Machine::of_dimensions(MachineKind::BinaryTree, levels.into())?);
        let tree = RootedTree::binary_heap(guest.process_count());
        Ok(Self::of(guest, tree, compute))
    }

    /// The program on a tree, rooted at process 0; `None` if the guest is not a tree of two processes or more.
    #[must_use]
    pub fn on_tree(guest: GraphGuest, compute: Cycles) -> Option<Self> {
        let tree = RootedTree::new(&guest).filter(|_| guest.process_count() > 1)?;
        Some(Self::of(guest, tree, compute))
    }

    fn of(guest: GraphGuest, tree: RootedTree, compute: Cycles) -> Self {
        let processes = guest.process_count();
        let above =
            |process: ProcessId| std::iter::successors(tree.parent(process), |&above| tree.parent(above));
        let levels: Vec<u32> =
            ProcessId::first(processes).map(|process| narrow(above(process).count() as u64)).collect();
        let deepest = levels.iter().copied().max().unwrap_or(0);
        let mut children = vec![0; levels.len()];
        for parent in ProcessId::first(processes).filter_map(|process| tree.parent(process)) {
            children[parent.label() as usize] += 1;
        }
        // The inner vertices compute twice, the leaves once.
        let computations: u128 = children.iter().map(|&count| if count > 0 { 2 } else { 1 }).sum();
        let facts = Facts {
            all_processes_compute: false,
            total_compute: u128::from(compute.get()) * computations,
            max_received: children.into_iter().max().unwrap_or(0),
            ..Facts::new(processes, 2 * deepest as usize + 1, compute)
        };
        Self { guest, tree, levels, deepest, compute, sizes: MessageSizes::ONE_UNIT, facts }
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        let facts = Facts { uniform_units: sizes.uniform(), ..self.facts };
        Self { sizes, facts, ..self }
    }

    /// The level that computes in a stage, and whether it divides.
    fn active_level(&self, stage: usize) -> (u32, bool) {
        let stage = u32::try_from(stage).unwrap_or(u32::MAX);
        if stage < self.deepest { (stage, true) } else { ((2 * self.deepest).saturating_sub(stage), false) }
    }

    fn level(&self, process: ProcessId) -> u32 {
        self.levels[process.label() as usize]
    }
}

impl Program for TreeDivideAndConquer {
    fn facts(&self) -> Facts {
        self.facts
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        let (active, divides) = self.active_level(stage);
        // A leaf has solved its part when it arrived.
        let has_solved =
            || !divides && active < self.deepest && self.tree.children(&self.guest, process).next().is_none();
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
            peers.extend(self.tree.children(&self.guest, process).map(peer));
        } else if level == parents + 1 && divides != (end == End::Source) {
            peers.extend(self.tree.parent(process).map(peer));
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
        for levels in 1..=6 {
            let program = program(levels);
            check_lists(&program);
            assert!((0..program.stage_count()).all(|stage| pairs(&program, stage).is_sorted()));
            let facts = program.facts();
            assert_eq!((program.stage_count(), facts.max_received), (2 * levels as usize + 1, 2));
            assert_eq!(facts.total_compute, 7 * (3 * (1 << levels) - 2));
        }
        assert!(TreeDivideAndConquer::new(0, Cycles::ZERO).is_err());
    }

    #[test]
    fn a_complete_tree_as_any_tree_is_the_same_program() {
        for levels in 1..=5 {
            let complete = program(levels);
            let any = TreeDivideAndConquer::on_tree(complete.guest.clone(), Cycles::new(7)).unwrap();
            assert_eq!(complete, any);
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
        assert_eq!(program.facts().max_received, 2);
    }
}
