//! Task graphs from GOAL files: published patterns, and graphs that do not end.

use std::fmt::Write as _;

use super::*;
use crate::{KeepRecords, Progress, execute};

/// A folder with a scenario, and the graph that it names `a.goal`.
fn files(scenario: &str, goal: &str) -> Files {
    Files::new(&[("s.toml", scenario), ("a.goal", goal)])
}

#[test]
fn the_example_of_loggopsim_takes_a_cycle_for_each_level_of_its_tree() {
    // As binary_tree_32.goal: rank r receives from r less its highest bit, and sends to all r + 2^k above. On
    // a hypercube every message crosses one link, and rank 31 is five messages away.
    let mut goal = "num_ranks 32\n\n".to_owned();
    for rank in 0..32_u32 {
        writeln!(goal, "rank {rank} {{").unwrap();
        let mut label = 1;
        if rank > 0 {
            writeln!(goal, "l1: recv 1b from {} tag 0", rank - (1 << rank.ilog2())).unwrap();
            label = 2;
        }
        for bit in (0..5).map(|bit| 1_u32 << bit).filter(|&bit| bit > rank) {
            writeln!(goal, "l{label}: send 1b to {} tag 0", rank + bit).unwrap();
            if rank > 0 {
                writeln!(goal, "l{label} requires l1").unwrap();
            }
            label += 1;
        }
        goal.push_str("}\n\n");
    }
    let text =
        "[machine]\nkind = \"hypercube\"\ndimensions = 5\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\n";
    let scenario = files(text, &goal).load().unwrap();
    let run = &scenario.runs[0];
    assert_eq!(run.program.body.special().tasks().unwrap().message_count(), 31);
    let finished = execute(run, 0, KeepRecords::Yes, &Progress::default()).unwrap();
    assert_eq!(finished.outcome.summary.makespan().get(), 5);
    let levels: Vec<u64> = finished.records.iter().map(|record| record.finish.get()).collect();
    // A rank finishes when it receives, at its number of ones, or with its last send: rank 0 at 1, rank 16 at
    // 1.
    assert_eq!((levels[0], levels[16], levels[31]), (1, 1, 5));
}

#[test]
fn graphs_that_do_not_end_name_the_lines_of_their_operations() {
    let goal = "num_ranks 2\nrank 0 {\na: send 9b to 1\nb: recv 9b from 1\nb requires a\n}\nrank 1 {\n\
                a: send 9b to 0\nb: recv 9b from 0\nb requires a\n}\n";
    let text = "[machine]\nkind = \"ring\"\nshape = [4]\n[program]\nkind = \"goal\"\nfile = \"a.goal\"\n";
    let eager = files(&format!("{text}[execution]\neager_units = 9\n"), goal).load().unwrap();
    assert_eq!(makespan_of(&eager.runs[0]), 9);
    let files = files(text, goal);
    let run = &files.load().unwrap().runs[0];
    let error = execute(run, 0, KeepRecords::No, &Progress::default()).unwrap_err();
    let error = files.without_directory(&error);
    assert!(
        error.ends_with(
            "the task graph does not come to its end: operations wait for one another: \
             rank 0 at a.goal:3:1: a: send 9b to 1; rank 1 at a.goal:9:1: b: recv 9b from 0; \
             rank 1 at a.goal:8:1: a: send 9b to 0; rank 0 at a.goal:4:1: b: recv 9b from 1"
        ),
        "{error}"
    );
}

/// The makespan of a graph on a full mesh by `LogGP`: latency 2500, an overhead of 1500 before every send, a
/// cycle per byte.
fn log_gp_makespan(goal: &str, ranks: u32) -> u64 {
    let text = format!(
        "machine = {{ kind = \"full-mesh\", nodes = {ranks}, latency_cycles = 2500 }}\n\
         program = {{ kind = \"goal\", file = \"a.goal\", compute_cycles = 1500 }}\nexecution.eager_units = \"all\"\n"
    );
    makespan_of(&files(&text, goal).load().unwrap().runs[0])
}

/// The pattern of `LogGOPSim`'s `dissemination_16.goal` and `dissemination_32.goal`: in round `i` a rank
/// sends one byte to the rank `2^i` after it and receives one from the rank `2^i` before it; the next round
/// requires both.
///
/// Worked by hand: every round takes an overhead, the latency and a byte, `1500 + 2500 + 1`.
#[test]
fn dissemination_takes_the_time_of_log_gp() {
    for (ranks, rounds) in [(16_u32, 4_u32), (32, 5)] {
        let mut goal = format!("num_ranks {ranks}\n");
        for rank in 0..ranks {
            writeln!(goal, "rank {rank} {{").unwrap();
            for round in 0..rounds {
                let (to, from) = ((rank + (1 << round)) % ranks, (rank + ranks - (1 << round)) % ranks);
                writeln!(goal, "s{round}: send 1b to {to} tag {round}").unwrap();
                writeln!(goal, "r{round}: recv 1b from {from} tag {round}").unwrap();
                for required in ["s", "r"].iter().filter(|_| round > 0) {
                    writeln!(goal, "s{round} requires {required}{}", round - 1).unwrap();
                }
            }
            goal.push_str("}\n");
        }
        assert_eq!(log_gp_makespan(&goal, ranks), u64::from(rounds) * (1500 + 2500 + 1));
    }
}

/// The pattern of `LogGOPSim`'s `binary_tree_16.goal`: rank `r` receives from its parent, then sends to ranks `2 r + 1` and
/// `2 r + 2`.
///
/// Worked by hand: a first child has the message `1500 + 2500 + 1` after its parent, a second one an overhead
/// later. Rank 15 is four times a first child, 16004; rank 14 three times a second one, 16503, which is the
/// latest.
#[test]
fn a_binary_tree_takes_the_time_of_log_gp() {
    let mut goal = "num_ranks 16\n".to_owned();
    for rank in 0_u32..16 {
        writeln!(goal, "rank {rank} {{").unwrap();
        if let Some(up) = rank.checked_sub(1) {
            writeln!(goal, "up: recv 1b from {}", up / 2).unwrap();
        }
        for child in [2 * rank + 1, 2 * rank + 2].into_iter().filter(|&child| child < 16) {
            writeln!(goal, "d{child}: send 1b to {child}").unwrap();
            if rank > 0 {
                writeln!(goal, "d{child} requires up").unwrap();
            }
        }
        goal.push_str("}\n");
    }
    assert_eq!(log_gp_makespan(&goal, 16), 3 * (2 * 1500 + 2500 + 1));
}
