//! Times of whole runs, and what they are made of.

use super::Definition;

pub(super) const WHOLE_RUN: &[Definition] = &[
    Definition {
        name: "makespan_cycles",
        title: "makespan",
        aliases: &[],
        unit: "cycles",
        text: "When the last process finishes. It is the number to compare: how long the program takes under this \
               placement, contention and waiting included.",
        formula: "asynchronous: the largest finish of a process; coordinated: sum over the stages of \
                  (T_a L + T_c * steps of the stage), L the largest load",
        source: "docs/model.md, sections 5 and 6",
    },
    Definition {
        name: "predicted_cycles",
        title: "predicted",
        aliases: &["prediction"],
        unit: "cycles",
        text: "What the makespan would be if no message were ever in another's way. No asynchronous run takes less, \
               and one without blocked cycles takes exactly this. Only cc-cube programs with one process on a node \
               have it.",
        formula: "the largest T_(S-1)(n) of T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), T_(s-1)(N_(q_s)(n))), \
                  T_(-1)(n) = 0",
        source: "González & Valero 1993, 2.1; docs/model.md, section 5, prediction",
    },
    Definition {
        name: "lower_bound_cycles",
        title: "bound",
        aliases: &["lower bound"],
        unit: "cycles",
        text: "What no one-to-one placement on this machine goes below. It is known for cc-cube programs that use \
               every dimension once, on as many nodes as processes, with lengths that are powers of two.",
        formula: "d T_a + T_c B; B is the sum over the machine's dimensions of length 2^(d_j) of 3 * 2^(d_j - 2) - 1 \
                  where they wrap (and d_j >= 2), else 2^(d_j) - 1",
        source: "Harper 1964; Bezrukov et al. 1998; Guu 1997; Liu & Tang 2023; Tang, arXiv 2302.13237; \
                 docs/model.md, section 5, lower bound",
    },
    Definition {
        name: "lower_bound_source",
        title: "bound source",
        aliases: &["theorem", "preprint"],
        unit: "",
        text: "How firmly the bound is established: it rests on a theorem, or on a preprint.",
        formula: "",
        source: "docs/model.md, section 5, lower bound",
    },
    Definition {
        name: "loading_cycles",
        title: "loading",
        aliases: &[],
        unit: "cycles",
        text: "How long it takes to broadcast the loader and every type of code before the program begins; it is no \
               part of the makespan.",
        formula: "broadcast_cycles * (1 + number of types)",
        source: "Tao 1988, 4.3.3; docs/model.md, section 9",
    },
    Definition {
        name: "ratio_to_reference",
        title: "/ reference",
        aliases: &["reference", "ratio to the reference"],
        unit: "ratio",
        text: "The makespan over that of the reference embedding in the same combination of the sweep. 0.8 means \
               1.25 times fewer cycles, 1 equally many, 2 twice as many.",
        formula: "makespan / makespan of the reference",
        source: "docs/reading-results.md, ratio to the reference",
    },
];

pub(super) const TOTALS: &[Definition] = &[
    Definition {
        name: "time",
        title: "time",
        aliases: &["where the time goes", "time bar"],
        unit: "",
        text: "A bar of ten letters in tables: how the time of all processes divides, a tenth for each letter, \
               rounded so that the shares add up. c computes, s shares a processor, w waits, t is on the way, b is \
               blocked, and a dot is idle at the end.",
        formula: "compute + sharing + waiting + transfer + blocked + idle at the end = P * makespan in asynchronous \
                  runs",
        source: "docs/reading-results.md, where does the time go",
    },
    Definition {
        name: "totals_compute_cycles",
        title: "compute",
        aliases: &[],
        unit: "cycles",
        text: "Computation, summed over all processes and stages.",
        formula: "P * S * T_a",
        source: "docs/model.md, section 2",
    },
    Definition {
        name: "totals_sharing_cycles",
        title: "sharing",
        aliases: &["sharing_cycles"],
        unit: "cycles",
        text: "Time that processes stand in line for the processor of a node that they share with others; 0 with one \
               process on each node.",
        formula: "asynchronous: measured; coordinated: P * S * T_a (L - 1), L the largest load",
        source: "docs/model.md, section 5, several processes on one node",
    },
    Definition {
        name: "totals_waiting_cycles",
        title: "waiting",
        aliases: &["waiting_cycles", "stages_waiting_cycles"],
        unit: "cycles",
        text: "Idle time before a message starts, because the partner is not ready yet: it comes from distances that \
               differ between processes, or from contention in an earlier stage. In a coordinated run, the steps of \
               the stage that the own message did not need.",
        formula: "asynchronous: start - ready; coordinated: T_c * steps of the stage - T_c * distance; summed over \
                  all processes and stages",
        source: "docs/model.md, sections 5 and 6",
    },
    Definition {
        name: "totals_transfer_cycles",
        title: "transfer",
        aliases: &["transfer_cycles", "stages_transfer_cycles"],
        unit: "cycles",
        text: "Unhindered travel of the messages that processes wait for: of several messages to a process in one \
               stage, the last one counts.",
        formula: "T_c * distance, summed over all processes and stages",
        source: "docs/model.md, sections 5 and 6",
    },
    Definition {
        name: "totals_blocked_cycles",
        title: "blocked",
        aliases: &["blocked_cycles", "stages_blocked_cycles", "contention"],
        unit: "cycles",
        text: "Time that messages are held up behind other messages: contention. 0 in coordinated runs, which count \
               conflicts instead.",
        formula: "finish - start - transfer, summed over all processes and stages",
        source: "docs/model.md, section 5",
    },
    Definition {
        name: "totals_idle_at_end_cycles",
        title: "idle at the end",
        aliases: &["idle", "idle_at_end_cycles"],
        unit: "cycles",
        text: "From each process's finish to the makespan, summed over the processes; 0 in coordinated runs.",
        formula: "sum over n of (makespan - finish of n)",
        source: "docs/model.md, section 5",
    },
    Definition {
        name: "waiting_max",
        title: "waiting, largest",
        aliases: &[],
        unit: "cycles",
        text: "The longest wait of one process in one stage, exact.",
        formula: "",
        source: "docs/reading-results.md, distributions",
    },
    Definition {
        name: "waiting_mean",
        title: "waiting, mean",
        aliases: &[],
        unit: "cycles",
        text: "The mean wait of one process in one stage; those that do not wait count.",
        formula: "sum / number of (process, stage) pairs",
        source: "docs/reading-results.md, distributions",
    },
    Definition {
        name: "waiting_p50",
        title: "waiting, percentiles",
        aliases: &["waiting_p90", "waiting_p99"],
        unit: "cycles",
        text: "The wait that 50, 90 or 99 per cent of the (process, stage) pairs do not exceed. From a histogram of \
               three significant digits, never above the largest.",
        formula: "",
        source: "docs/reading-results.md, distributions",
    },
    Definition {
        name: "blocked_max",
        title: "blocked, largest",
        aliases: &[],
        unit: "cycles",
        text: "The longest that one process was held up by other messages in one stage, exact.",
        formula: "",
        source: "docs/reading-results.md, distributions",
    },
    Definition {
        name: "blocked_mean",
        title: "blocked, mean",
        aliases: &[],
        unit: "cycles",
        text: "The mean time that one process was held up in one stage; those that were not count.",
        formula: "sum / number of (process, stage) pairs",
        source: "docs/reading-results.md, distributions",
    },
    Definition {
        name: "blocked_p50",
        title: "blocked, percentiles",
        aliases: &["blocked_p90", "blocked_p99"],
        unit: "cycles",
        text: "The blocked time that 50, 90 or 99 per cent of the (process, stage) pairs do not exceed. From a \
               histogram of three significant digits, never above the largest.",
        formula: "",
        source: "docs/reading-results.md, distributions",
    },
];
