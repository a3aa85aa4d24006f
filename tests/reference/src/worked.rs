//! Whole runs worked out by hand, asynchronous and coordinated.

use super::asynchronous::asynchronous;
use super::coordinated::coordinated;
use super::problem::{Problem, Row};

/// The rows of a stage in columns: sharing, finish, waiting, transfer and blocked of each process.
fn columns(rows: &[Row]) -> [Vec<u64>; 5] {
    let column = |value: fn(&Row) -> u64| rows.iter().map(value).collect();
    [
        column(|row| row.sharing),
        column(|row| row.finish),
        column(|row| row.waiting),
        column(|row| row.transfer),
        column(|row| row.blocked),
    ]
}

#[test]
fn scatter_of_a_two_by_two_mesh_on_a_line_of_four() {
    let stage = [(0, 1), (0, 2), (1, 0), (1, 3), (2, 0), (2, 3), (3, 1), (3, 2)];
    let problem = Problem::on_mesh(&[4], &[&stage]);
    // (0,+): 0 -> 1 [0,1), 0 -> 2 [1,2). (1,+): 1 -> 3 [0,1), 0 -> 2 [2,3). (2,+): 2 -> 3 [0,1), 1 -> 3 [1,2).
    // (1,-): 1 -> 0 [0,1), 2 -> 0 [1,2). (2,-): 2 -> 0 [0,1), 3 -> 1 [1,2). (3,-): 3 -> 1 [0,1), 3 -> 2 [1,2).
    // Last for 0: 2 -> 0 at 2. For 1: 3 -> 1 at 2. For 2: 0 -> 2 at 3, two links, so 1 blocked. For 3: 1 -> 3 at 2.
    let outcome = asynchronous(&problem);
    let zeros = vec![0; 4];
    let expected = [zeros.clone(), vec![2, 2, 3, 2], zeros.clone(), vec![2; 4], vec![0, 0, 1, 0]];
    assert_eq!(columns(&outcome.rows[0]), expected);
    // 0 -> 2 waits for (0,+) at 0, 3 -> 2 for (3,-) at 0
    assert_eq!((outcome.makespan, outcome.longest_queue, outcome.hops), (3, 1, 12));

    // Step 1: (0,+) and (3,-) have two messages each, two conflicts, and the smaller destinations go.
    // Step 2: 0 -> 2 to 1, 1 -> 3 to 3, 2 -> 0 to 0, 3 -> 1 to 1, 3 -> 2 to 2. Step 3: 0 -> 2 to 2.
    let outcome = coordinated(&problem, None);
    assert_eq!((outcome.steps, outcome.conflicts, outcome.makespan), (vec![3], vec![2], 3));
    // everyone's farthest message goes two links
    let expected = [zeros.clone(), vec![3; 4], vec![1; 4], vec![2; 4], zeros];
    assert_eq!(columns(&outcome.rows[0]), expected);
}

#[test]
fn a_cube_of_two_dimensions_with_two_processes_a_node() {
    // 0 and 1 on node 0, 2 and 3 on node 1; stage 0 is within the nodes, stage 1 across the link. T_a = 5.
    let stages: [&[_]; 2] = [&[(0, 1), (1, 0), (2, 3), (3, 2)], &[(0, 2), (1, 3), (2, 0), (3, 1)]];
    let problem = Problem { compute_cycles: 5, nodes: vec![0, 0, 1, 1], ..Problem::on_mesh(&[2], &stages) };
    // Stage 0: 0 and 2 compute [0,5), 1 and 3 [5,10); at 10 all four messages are injected and arrive.
    // Stage 1: 0 and 2 compute [10,15) and exchange [15,16), 1 and 3 [15,20) and exchange [20,21).
    let outcome = asynchronous(&problem);
    let zeros = vec![0; 4];
    let expected = [vec![0, 5, 0, 5], vec![10; 4], vec![5, 0, 5, 0], zeros.clone(), zeros.clone()];
    assert_eq!(columns(&outcome.rows[0]), expected);
    let expected = [vec![0, 5, 0, 5], vec![16, 21, 16, 21], zeros.clone(), vec![1; 4], zeros.clone()];
    assert_eq!(columns(&outcome.rows[1]), expected);
    assert_eq!((outcome.makespan, outcome.messages, outcome.hops, outcome.longest_queue), (21, 8, 4, 0));

    // Stage 0: 5 * 2, no step. Stage 1: 5 * 2, and the parts 0 -> 2 with 2 -> 0, then 1 -> 3 with 3 -> 1, take a
    // step each: 10 + 10 + 2.
    let outcome = coordinated(&problem, None);
    assert_eq!((outcome.steps, outcome.conflicts, outcome.makespan), (vec![0, 2], vec![0, 0], 22));
    let expected = [vec![5; 4], vec![10; 4], zeros.clone(), zeros.clone(), zeros.clone()];
    assert_eq!(columns(&outcome.rows[0]), expected);
    assert_eq!(columns(&outcome.rows[1]), [vec![5; 4], vec![22; 4], vec![1; 4], vec![1; 4], zeros]);
}
