//! The prediction for compute-and-communicate programs: their makespan without contention.
//!
//! `docs/model.md` section 5, prediction; the recursion of González & Valero 1993, 2.1.

use super::grid::Grid;

/// Makespan without contention of a compute-and-communicate program \[cycles\], `stage_dimensions` being
/// `q_0, q_1, ...`.
///
/// `T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), T_(s-1)(N_(q_s)(n)))`, `T_(-1) = 0`; the largest
/// `T_(S-1)(n)`.
pub fn predicted(
    grid: &Grid,
    nodes: &[u64],
    compute_cycles: u64,
    hop_cycles: u64,
    stage_dimensions: &[u32],
) -> u64 {
    let mut times = vec![0; nodes.len()];
    for dimension in stage_dimensions {
        let time = |process: usize| {
            let neighbour = process ^ (1 << dimension);
            let distance = grid.distance(nodes[process], nodes[neighbour]);
            compute_cycles + hop_cycles * distance + times[process].max(times[neighbour])
        };
        times = (0..nodes.len()).map(time).collect();
    }
    times.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Grid, predicted};

    #[test]
    fn the_recursion_by_hand() {
        // Line of four, processes 0 1 2 3 on nodes 0 3 1 2; D_0 = 3 3 1 1, D_1 = 1 1 1 1. T_a = 10, T_c = 2.
        // Stage 0: 16 16 12 12. Stage 1: 0 and 2 both 10 + 2 + 16 = 28, 1 and 3 the same.
        let grid = Grid { lengths: vec![4], wraps: vec![false] };
        assert_eq!(predicted(&grid, &[0, 3, 1, 2], 10, 2, &[0, 1]), 28);
        // Dimension 0 again: 10 + 2 * 3 + 28
        assert_eq!(predicted(&grid, &[0, 3, 1, 2], 10, 2, &[0, 1, 0]), 44);
    }
}
