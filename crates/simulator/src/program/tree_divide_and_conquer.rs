//! Binary divide and conquer on a complete binary tree.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Machine, MachineError, MachineKind};

use crate::{Cycles, End, Facts, GuestRef, MessageSizes, Peer, Program};

/// Divide and conquer whose processes are the vertices of a complete binary tree of `n` levels of links (CS838 1999;
/// `docs/model.md` section 28.6).
///
/// ```text
/// stage     s = 0 .. n-1     level s computes (divides) and sends to both children
/// stage     n + j, j = 0 ..  level n - j computes and sends its result to its parent; the root only computes
/// ```
///
/// A process that neither computes nor communicates in a stage passes through it in no time. Without contention the
/// program takes `(2n + 1) T_a + 2 T_c D` cycles, where `D` is the number of links on the longest way from the root to
/// a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeDivideAndConquer {
    guest: GraphGuest, // the tree, in heap order
    levels: u32,       // of links, at least 1
    compute: Cycles,
    sizes: MessageSizes,
}

impl TreeDivideAndConquer {
    /// The program on the tree of `levels` levels of links, with computations of `compute`.
    ///
    /// # Errors
    ///
    /// When there is no binary tree of `levels` levels.
    pub fn new(levels: u32, compute: Cycles) -> Result<Self, MachineError> {
        let tree = Machine::of_dimensions(MachineKind::BinaryTree, levels.into())?;
        Ok(Self { guest: GraphGuest::new(tree), levels, compute, sizes: MessageSizes::ONE_UNIT })
    }

    /// The same program with messages of these sizes, instead of one unit.
    #[must_use]
    pub fn with_sizes(self, sizes: MessageSizes) -> Self {
        Self { sizes, ..self }
    }

    /// The levels of links of the tree.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The level that computes in a stage, and whether it divides.
    fn active_level(&self, stage: usize) -> (u32, bool) {
        let stage = u32::try_from(stage).unwrap_or(u32::MAX);
        if stage < self.levels { (stage, true) } else { ((2 * self.levels).saturating_sub(stage), false) }
    }
}

/// The level of a vertex in heap order; the root has 0.
fn level(process: ProcessId) -> u32 {
    (u64::from(process.label()) + 1).ilog2()
}

impl Program for TreeDivideAndConquer {
    fn facts(&self) -> Facts {
        let leaves = 1_u128 << self.levels;
        Facts {
            all_processes_compute: false,
            // The inner vertices twice, the leaves once.
            total_compute: u128::from(self.compute.get()) * (3 * leaves - 2),
            max_received: 2,
            uniform_units: self.sizes.uniform(),
            ..Facts::new(self.guest.process_count(), 2 * self.levels as usize + 1, self.compute)
        }
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.sizes.of_stage(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        if level(process) == self.active_level(stage).0 { self.compute } else { Cycles::ZERO }
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let (active, divides) = self.active_level(stage);
        let (own, label) = (level(process), process.label());
        let mut add =
            |label| peers.push(Peer { process: ProcessId::new(label), units: self.sizes.of_stage(stage) });
        // Messages go between the active level and the one below it, or the one above.
        let parents = if divides { Some(active) } else { active.checked_sub(1) };
        let Some(parents) = parents else { return };
        if own == parents && divides == (end == End::Source) {
            add(2 * label + 1);
            add(2 * label + 2);
        } else if own == parents + 1 && divides != (end == End::Source) {
            add((label - 1) / 2);
        }
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;

    fn program(levels: u32) -> TreeDivideAndConquer {
        TreeDivideAndConquer::new(levels, Cycles::new(7)).unwrap()
    }

    fn messages(levels: u32, stage: usize) -> Vec<(u32, u32)> {
        let messages = program(levels).messages(stage);
        messages.iter().map(|own| (own.source.label(), own.destination.label())).collect()
    }

    #[test]
    fn parts_go_down_level_by_level_and_results_come_back() {
        assert_eq!(messages(2, 0), [(0, 1), (0, 2)]);
        assert_eq!(messages(2, 1), [(1, 3), (1, 4), (2, 5), (2, 6)]);
        assert_eq!(messages(2, 2), [(3, 1), (4, 1), (5, 2), (6, 2)]);
        assert_eq!(messages(2, 3), [(1, 0), (2, 0)]);
        assert_eq!(messages(2, 4), []);
    }

    #[test]
    fn sources_and_destinations_agree_and_computations_are_counted() {
        for levels in 1..=6 {
            let program = program(levels);
            let mut computations = 0;
            for stage in 0..program.stage_count() {
                assert_eq!(program.messages(stage), program::received(&program, stage));
                let processes = ProcessId::first(program.process_count());
                computations +=
                    processes.map(|own| u128::from(program.computation(stage, own).get())).sum::<u128>();
            }
            assert_eq!(program.facts().total_compute, computations);
        }
        assert!(TreeDivideAndConquer::new(0, Cycles::ZERO).is_err());
    }
}
