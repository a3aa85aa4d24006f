//! What a program costs where nothing is in the way, and what it costs at least.

use cubefold_mapping::{BoundSource, Guest, Placement, least_distances};

use crate::{Communication, CubeProgram, Cycle, Cycles, Program};

/// The makespan of a program without contention: the recursion of González & Valero 1993, 2.1.
///
/// `T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), T_(s-1)(N_(q_s)(n)))`, largest over `n`
/// (`docs/model.md` section 5). An asynchronous run without blocked cycles equals it, and none is below.
///
/// # Complexity
///
/// O(S P) for S stages and P processes; one word a process of memory.
///
/// # Panics
///
/// When the placement has fewer processes than the program.
#[must_use]
pub fn predict(program: &CubeProgram, placement: &Placement, communication: Communication) -> Cycle {
    let (machine, nodes) = (placement.machine(), placement.nodes());
    let mut times = vec![Cycle::START; nodes.len()];
    for dimension in program.stages() {
        for (low, high) in program.cube().edges(dimension.index()) {
            let (low, high) = (low.label() as usize, high.label() as usize);
            let distance = machine.distance(nodes[low], nodes[high]);
            let begin = times[low].max(times[high]);
            let end = begin + program.compute() + communication.hop() * distance;
            (times[low], times[high]) = (end, end);
        }
    }
    times.into_iter().max().unwrap_or(Cycle::START)
}

/// A makespan that no one-to-one placement of a program goes below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowerBound {
    /// `d T_a + T_c B` \[cycles\].
    pub cycles: Cycles,
    /// How it is known.
    pub source: BoundSource,
}

/// The lower bound on the makespan of `program` on the machine of `placement`, whatever the placement.
///
/// None unless the stages use every dimension exactly once, every node has one process, and the lengths are
/// powers of two: for other cases none is stated (`docs/model.md` section 5).
#[must_use]
pub fn lower_bound(
    program: &CubeProgram,
    placement: &Placement,
    communication: Communication,
) -> Option<LowerBound> {
    let fills = placement.is_one_to_one() && program.process_count() == placement.machine().node_count();
    if !(fills && program.uses_every_dimension_once()) {
        return None;
    }
    let least = least_distances(placement.machine())?;
    let compute = program.compute() * u64::from(program.cube().dimension_count());
    Some(LowerBound { cycles: compute + communication.hop() * least.sum, source: least.source })
}
