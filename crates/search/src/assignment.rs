//! The linear assignment problem (Kuhn 1955, in the form of Jonker & Volgenant 1987: shortest augmenting paths).

/// The least sum of `cost[row][column]` over all ways to give each row a column of its own.
///
/// There are at most as many rows as columns. O(rows^2 columns).
pub(crate) fn least_assignment(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> i128) -> i128 {
    debug_assert!(rows <= columns);
    // Potentials of rows and columns, and the row of each column; column 0 and row 0 mean `none`.
    let (mut of_rows, mut of_columns) = (vec![0_i128; rows + 1], vec![0_i128; columns + 1]);
    let (mut row_of, mut way) = (vec![0; columns + 1], vec![0; columns + 1]);
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        let (mut least, mut is_used) = (vec![i128::MAX; columns + 1], vec![false; columns + 1]);
        while row_of[column] != 0 {
            is_used[column] = true;
            let occupant = row_of[column];
            let (mut delta, mut next) = (i128::MAX, 0);
            for other in 1..=columns {
                if is_used[other] {
                    continue;
                }
                let reduced = cost(occupant - 1, other - 1) - of_rows[occupant] - of_columns[other];
                if reduced < least[other] {
                    (least[other], way[other]) = (reduced, column);
                }
                if least[other] < delta {
                    (delta, next) = (least[other], other);
                }
            }
            for other in 0..=columns {
                if is_used[other] {
                    of_rows[row_of[other]] += delta;
                    of_columns[other] -= delta;
                } else if least[other] != i128::MAX {
                    least[other] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[way[column]];
            column = way[column];
        }
    }
    -of_columns[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sum by trying every assignment.
    fn brute_force(cost: &[Vec<i128>], row: usize, taken: &mut Vec<bool>) -> i128 {
        if row == cost.len() {
            return 0;
        }
        let mut best = i128::MAX;
        for column in 0..taken.len() {
            if !taken[column] {
                taken[column] = true;
                best = best.min(cost[row][column] + brute_force(cost, row + 1, taken));
                taken[column] = false;
            }
        }
        best
    }

    #[test]
    fn the_least_assignment_is_that_of_all() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 58)
        };
        for round in 0..200 {
            let (rows, columns) = (1 + round % 5, 1 + round % 5 + round % 3);
            let cost: Vec<Vec<i128>> = (0..rows).map(|_| (0..columns).map(|_| draw()).collect()).collect();
            let found = least_assignment(rows, columns, |row, column| cost[row][column]);
            assert_eq!(found, brute_force(&cost, 0, &mut vec![false; columns]));
        }
    }
}
