//! Asynchronous execution: every process advances on its own.
//!
//! `docs/model.md` section 5. The run visits cycle 0 and every cycle at which a transmission or a
//! computation ends. In such a cycle it lets everything arrive, become ready and be injected until
//! nothing more happens (module `run`); then it lets the free processors pick (module
//! `processor`). A computation of no cycles ends in the cycle in which it was picked, so both are
//! done in turn until no processor picks. Only then do the idle channels pick (module `pick`).

mod outcome;
mod pick;
mod processor;
mod run;

use run::Run;

use super::problem::Problem;

pub use outcome::AsynchronousOutcome;

/// Runs a problem asynchronously (`docs/model.md` section 5).
///
/// # Panics
///
/// Where a process sends to itself; and where a law of the model is broken, which would be a fault of
/// this module.
pub fn asynchronous(problem: &Problem) -> AsynchronousOutcome {
    problem.check();
    let mut run = Run::new(problem);
    loop {
        while run.something_happens() || run.processors_pick() {}
        run.pick();
        run.measure_queues();
        if !run.advance() {
            break;
        }
    }
    run.outcome()
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Problem, Row};
    use super::asynchronous;

    /// A line of four with process `n` on node `n`, `T_a = 2` and `T_c = 3`.
    fn line(stages: &[&[(u32, u32)]]) -> Problem {
        Problem { hop_cycles: 3, compute_cycles: 2, ..Problem::on_mesh(&[4], stages) }
    }

    /// A row from `ready`, `start` and `finish`, and from `waiting`, `transfer` and `blocked`.
    fn row([ready, start, finish]: [u64; 3], [waiting, transfer, blocked]: [u64; 3]) -> Row {
        Row { sharing: 0, ready, start, finish, waiting, transfer, blocked }
    }

    #[test]
    fn a_message_waits_for_both_partners_and_its_sender_goes_on() {
        // Stage 0: 0 -> 2 from cycle 2, two links, at 2 + 2 * 3 = 8; the others are done at 2.
        // Stage 1: 2 is ready at 8 + 2 = 10, 3 at 2 + 2 = 4; 3 -> 2 from max(4, 10) = 10 to 13.
        //          0 sent and received nothing: ready at 4, while its message of stage 0 still travels.
        //          0 -> 1 from 4: channel (0, +) has transmitted 0 -> 2 during [2, 5), so 5 to 8.
        let outcome = asynchronous(&line(&[&[(0, 2)], &[(3, 2), (0, 1)]]));
        assert_eq!(outcome.rows[0][0], Row::without_message(2));
        assert_eq!(outcome.rows[0][2], row([2, 2, 8], [0, 6, 0]));
        assert_eq!(outcome.rows[1][0], Row::without_message(4));
        assert_eq!(outcome.rows[1][1], row([4, 4, 8], [0, 3, 1]));
        assert_eq!(outcome.rows[1][2], row([10, 10, 13], [0, 3, 0]));
        assert_eq!((outcome.makespan, outcome.messages, outcome.hops, outcome.longest_queue), (13, 3, 4, 1));
        // link 0-1 twice, 1-2 and 2-3 once
        let busy_cycles = outcome.busy_cycles.into_iter().collect::<Vec<_>>();
        assert_eq!(busy_cycles, [((0, 0), 6), ((1, 0), 3), ((2, 0), 3)]);
    }

    #[test]
    fn a_process_waits_for_a_partner_that_is_late() {
        // Stage 0: 0 -> 1 from 2 to 5. Stage 1: 1 is ready at 7, 2 at 4; 1 -> 2 from 7 to 10.
        let outcome = asynchronous(&line(&[&[(0, 1)], &[(1, 2)]]));
        assert_eq!(outcome.rows[1][2], row([4, 7, 10], [3, 3, 0]));
    }

    #[test]
    fn of_several_messages_the_one_that_arrives_last_counts() {
        // Stage 0: 0 -> 1 from 2 to 5. Stage 1: 1 is ready at 7, the others at 4. 2 -> 3 from 4 to 7,
        // 1 -> 3 from 7 over channels (1, +) and (2, +), the second one free since 7: at 13.
        let outcome = asynchronous(&line(&[&[(0, 1)], &[(1, 3), (2, 3)]]));
        assert_eq!(outcome.rows[1][3], row([4, 7, 13], [3, 6, 0]));
    }

    #[test]
    fn of_two_that_arrive_together_the_smallest_source_counts() {
        // Stage 0: 0 -> 1 from 2 to 5, so 1 is ready at 7 in stage 1 and the others at 4. Stage 1:
        // 1 -> 0 from 7 to 10 and 1 -> 2 from 7 to 10. Stage 2: 0 and 2 are ready at 12, 1 at 9, 3 at 6;
        // 3 -> 1 from max(6, 9) = 9 over (3, -) to 12, over (2, -) to 15; 0 -> 1 from 12 to 15: source 0.
        let stages: [&[_]; 3] = [&[(0, 1)], &[(1, 0), (1, 2)], &[(3, 1), (0, 1)]];
        assert_eq!(asynchronous(&line(&stages)).rows[2][1], row([9, 12, 15], [3, 3, 0]));
    }
}
