//! What a program costs where nothing is in the way, and what it costs at least.

mod recursion;

use cubefold_mapping::{BoundSource, Placement, PlacementForm, least_distances};

use crate::{Communication, CubeProgram, Cycle, Cycles, Program};

/// The makespan of a program without contention: the recursion of González & Valero 1993, 2.1.
///
/// `T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), T_(s-1)(N_(q_s)(n)))`, largest over `n`
/// (`docs/model.md` section 5). An asynchronous run without blocked cycles equals it, and none is below.
///
/// # Complexity
///
/// O(S P) for S stages and P processes, with a word a process of memory; under a product placement
/// O(S k) for lines of k nodes, with a word for each of these.
///
/// # Panics
///
/// When the placement has another number of processes than the program.
#[must_use]
pub fn predict(program: &CubeProgram, placement: &Placement, communication: Communication) -> Cycle {
    assert_eq!(placement.process_count(), program.process_count(), "a placement of another guest");
    let hop = communication.hop();
    Cycle::new(match placement.form() {
        PlacementForm::Product(product) => recursion::by_field(program, product, hop),
        PlacementForm::Table(_) | PlacementForm::Construction(_) => {
            recursion::by_process(program, placement, hop)
        }
    })
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
