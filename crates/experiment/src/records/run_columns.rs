//! Columns of a run.

use super::{
    RunRecord,
    column::{BYTES_PER_SECOND, Cell, Column, PERCENT, SECONDS, no_cell},
};
use crate::{
    records::definition::{Definition, Kind},
    scenario::{Run, SweptValue},
};

/// Column of the seed.
pub(crate) static SEED: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "seed",
        title: "seed",
        kind: Kind::Natural,
        text: "The number that keys every random choice of the run; nothing else depends on it.",
        source: "docs/model.md, section 10",
        ..Definition::BLANK
    },
    value: |seed| (*seed).into(),
}];

/// Column of the swept keys.
pub(crate) static SWEEP: &[Column<str>] = &[Column {
    definition: Definition {
        name: "sweep",
        title: "sweep",
        kind: Kind::Text,
        text: "The keys that the sweep sets in the run, with their values as written: they tell runs apart \
               whatever is swept. The column is there only if a scenario has a sweep.",
        source: "docs/scenarios.md",
        ..Definition::BLANK
    },
    value: |sweep| sweep.into(),
}];

/// The keys that the sweep sets in a run, with their values as written; `None` without a sweep.
pub(crate) fn swept(run: &Run) -> Option<String> {
    let assignment = |(path, value): &SweptValue| format!("{path} = {value}");
    let all: Vec<String> = run.combination.iter().map(assignment).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Column of the engine.
pub(crate) static ENGINE: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "engine",
        title: "engine",
        kind: Kind::Text,
        text: "The engine that computed the run: hop or belt for asynchronous runs, \
                  coordinated for the others. No other value depends on it.",
        source: "docs/engines.md",
        ..Definition::BLANK
    },
    value: |run| (&run.engine).into(),
}];

/// Column of the makespan.
pub(crate) static MAKESPAN: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "makespan_cycles",
        title: "makespan",
        kind: Kind::Natural,
        unit: "cycles",
        text: "When the last process finishes. It is the number to compare: how long the \
              program takes under this placement, contention and waiting included.",
        formula: "asynchronous: the largest finish of a process; coordinated: sum over the \
                 stages of (T_a L + T_c * steps of the stage), L the largest load",
        source: "docs/model.md, sections 5 and 6",
        ..Definition::BLANK
    },
    value: |run| Cell::optional(run.makespan_cycles),
}];

/// Columns on the time of the whole run.
pub(crate) static WHOLE_RUN: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "makespan_seconds",
            title: "seconds",
            kind: Kind::Decimal,
            unit: SECONDS,
            text: "The makespan in seconds; empty if the machine is described in cycles.",
            formula: "makespan * cycle",
            source: "docs/model.md, section 17",
            ..Definition::BLANK
        },
        value: |run| run.makespan_seconds.into(),
    },
    Column {
        definition: Definition {
            name: "goodput_bytes_per_second",
            title: "goodput",
            kind: Kind::Decimal,
            unit: BYTES_PER_SECOND,
            text: "The bytes of the largest message, or of the vector of a collective, over the \
                   makespan; empty for jobs and task graphs, and if the scenario gives no bytes.",
            formula: "M / makespan",
            source: "docs/model.md, section 17",
            ..Definition::BLANK
        },
        value: |run| run.goodput_bytes_per_second.into(),
    },
    Column {
        definition: Definition {
            name: "bus_bandwidth_bytes_per_second",
            title: "bus bandwidth",
            aliases: &["busbw"],
            kind: Kind::Decimal,
            unit: BYTES_PER_SECOND,
            text: "The goodput of a collective times the part of the vector that every link of a ring carries, so that algorithms and operations compare with the bandwidth of the hardware. The column is there only if a run has it.",
            formula: "goodput * 2 (P - 1) / P of all-reduce, (P - 1) / P of reduce-scatter, all-gather and all-to-all, 1 of others",
            source: "nccl-tests; docs/model.md, section 17",
        },
        value: |run| Cell::optional(run.bus_bandwidth_bytes_per_second),
    },
    Column {
        definition: Definition {
            name: "predicted_cycles",
            title: "predicted",
            aliases: &["prediction"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The makespan without contention. No asynchronous run takes less, and a run without \
                   blocked cycles takes exactly this if every process has a node of its own and no \
                   message is eager.",
            formula: "the largest T_(S-1)(n) of T_s(n) = T_a + T_c D_(q_s)(n) + max(T_(s-1)(n), \
                     T_(s-1)(N_(q_s)(n))), T_(-1)(n) = 0",
            source: "González & Valero 1993, 2.1; docs/model.md, section 5, prediction; section 15",
        },
        value: |run| run.predicted_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_cycles",
            title: "bound",
            aliases: &["lower bound"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "For cc-cube programs, a lower bound for all one-to-one placements on this machine, \
                   known if every dimension is used once, on as many nodes as processes, with lengths \
                   that are powers of two. For collectives, a lower bound for all algorithms under this \
                   placement; for other programs, for all runs under this placement.",
            formula: "cc-cube: d T_a + T_c B; B is the sum over the machine's dimensions of length 2^(d_j) \
                     of 3 * 2^(d_j - 2) - 1 where they wrap (and d_j >= 2), else 2^(d_j) - 1; collectives: the \
                     largest of bandwidth, latency and cut bound; other programs: the larger of cut bound \
                     and computations of a node",
            source: "Harper 1964; Bezrukov et al. 1998; Guu 1997; Liu & Tang 2023; Tang, arXiv \
                    2302.13237; docs/model.md, section 5, lower bound, section 16, bounds, and section 24",
        },
        value: |run| run.lower_bound_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_source",
            title: "bound by",
            aliases: &["theorem", "preprint"],
            kind: Kind::Text,
            text: "For cc-cube programs, whether the bound rests on a theorem or on a preprint. For \
                   collectives, the largest bound: bandwidth, latency or cut. For other programs, cut or \
                   computations.",
            source: "docs/model.md, section 5, lower bound, section 16, bounds, and section 24",
            ..Definition::BLANK
        },
        value: |run| run.lower_bound_source.as_ref().into(),
    },
    Column {
        definition: Definition {
            name: "lower_bound_percent",
            title: "of bound",
            aliases: &["part of the lower bound"],
            kind: Kind::Decimal,
            unit: PERCENT,
            text: "The part of its lower bound that the run of a collective reaches: 100 % is a run that no \
                  algorithm can beat under this placement, 50 % one that takes twice as long as the bound. \
                  The column is there only if a run is a collective.",
            formula: "100 * bound / makespan",
            source: "docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.lower_bound_percent),
    },
    Column {
        definition: Definition {
            name: "bandwidth_bound_cycles",
            title: "bandwidth bound",
            aliases: &["bandwidth bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time that links need for the data that must enter or leave a node, or travel in \
                   all, in a collective on this placement. This column and the latency and steps bounds \
                   are there only if a run is a collective.",
            formula: "all-reduce, for a node with deg channels: u ceil(M / deg) + l, and others",
            source: "Patarasuk & Yuan 2009; docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.bandwidth_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "latency_bound_cycles",
            title: "latency bound",
            aliases: &["latency bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time in which data travel the largest distance that they must travel in a \
                   collective on this placement.",
            formula: "distance * (l + u) + T_a",
            source: "docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.latency_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "cut_bound_cycles",
            title: "cut bound",
            aliases: &["cut", "cut bound of a program"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time that links need for the data that must cross into or out of a set of nodes: \
                   the largest over nodes, intervals of coordinates, and parts of machines with switches. \
                   The column is there only if a run has such a bound.",
            formula: "the least T with sum over the channels j into the set of max(0, floor((T - l_j) / u_j)) \
                     >= what must come in, and outwards",
            source: "docs/model.md, section 24",
        },
        value: |run| Cell::optional(run.cut_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "cut_bound_set",
            title: "set of the cut bound",
            kind: Kind::Text,
            text: "The set of nodes with the largest cut bound, the first of equal ones: a node, \
                   coordinates of a dimension, or the hosts below a switch, subtree, group, cluster node, \
                   leaf or rail.",
            source: "docs/model.md, section 24",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.cut_bound_set.as_deref()),
    },
    Column {
        definition: Definition {
            name: "steps_bound_cycles",
            title: "steps bound",
            aliases: &["steps bound of a collective"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cost of starting the fewest steps that an algorithm of this kind needs. Other \
                   algorithms may need fewer, so it is not part of the lower bound.",
            formula: "ceil(log_(p+1) P) T_a, p the most messages that a process receives in a stage",
            source: "docs/model.md, section 16, bounds",
        },
        value: |run| Cell::optional(run.steps_bound_cycles),
    },
    Column {
        definition: Definition {
            name: "worst_case_bound",
            title: "worst-case bound",
            aliases: &["Gottlieb & Kruskal"],
            kind: Kind::Decimal,
            unit: "cycles",
            text: "A lower bound on the worst permutation with as many units on this machine, not on this one. The column \
                   is there only if a run is a permutation.",
            formula: "u (N / P) log2 P / (3 (log2 K + 1)), N units on P nodes of degree at most K",
            source: "Tao 1988, theorem 2.4.2; docs/model.md, section 28.4",
        },
        value: |run| Cell::optional(run.worst_case_bound),
    },
    Column {
        definition: Definition {
            name: "loading_cycles",
            title: "loading",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time to broadcast the loader and every type of code before the program begins; \
                   it is not part of the makespan.",
            formula: "broadcast_cycles * (1 + number of types)",
            source: "Tao 1988, 4.3.3; docs/model.md, section 9",
            ..Definition::BLANK
        },
        value: |run| run.loading_cycles.into(),
    },
];

/// Column of the ratio to the reference, in `compare`.
pub(crate) static RATIO: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "ratio_to_reference",
        title: "vs reference",
        aliases: &["ratio to the reference"],
        kind: Kind::Decimal,
        unit: "ratio",
        text: "The makespan over that of the reference embedding in the same combination of \
                  the sweep. 0.8 is 1.25x faster, 1 is equal, 2 takes twice as long.",
        formula: "makespan / makespan of the reference",
        source: "docs/reading-results.md, ratio to the reference",
    },
    value: |run| Cell::optional(run.ratio_to_reference),
}];

/// Columns of amounts.
pub(crate) static AMOUNTS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "messages",
            title: "messages",
            kind: Kind::Natural,
            unit: "messages",
            text: "The messages of all stages.",
            source: "docs/model.md, section 2",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.messages),
    },
    Column {
        definition: Definition {
            name: "hops",
            title: "hops",
            kind: Kind::Natural,
            unit: "links",
            text: "The number of links crossed by all messages together, or by all packets if messages \
                   are divided.",
            source: "docs/model.md, sections 2, 4 and 13",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.hops),
    },
    Column {
        definition: Definition {
            name: "units",
            title: "units",
            kind: Kind::Natural,
            unit: "units",
            text: "The size of the largest message.",
            formula: "the largest L",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.units.into(),
    },
    Column {
        definition: Definition {
            name: "unit_hops",
            title: "unit hops",
            kind: Kind::Sum,
            unit: "units times links",
            text: "The number of links crossed by the units of all messages together.",
            formula: "sum over the messages of L * distance",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.unit_hops),
    },
    Column {
        definition: Definition {
            name: "channel_congestion",
            title: "channel congestion",
            kind: Kind::Natural,
            unit: "units",
            text: "The number of units on the busiest channel along the routes of all messages of all \
                   stages. Counted on networks, and for all-to-all on every machine, up to 2^20 \
                   messages; the column is there only if a run has it.",
            source: "docs/model.md, section 19",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.channel_congestion),
    },
    Column {
        definition: Definition {
            name: "balanced_congestion",
            title: "balanced congestion",
            kind: Kind::Decimal,
            unit: "units",
            text: "The units on the busiest channel if every message were split evenly over all its \
                   shortest routes. If the routes of messages carry much more, they are far from even.",
            source: "docs/model.md, section 19",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.balanced_congestion),
    },
    Column {
        definition: Definition {
            name: "link_busy_max_cycles",
            title: "busiest link",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles for which the busiest link is occupied, both directions together. Empty \
                   if processes times messages per stage times distinct stages exceeds 2^22 (on \
                   networks and in coordinated runs also times the diameter), or the machine has more \
                   than 2^20 links.",
            formula: "the largest, over the links, of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.link_busy_max_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "busiest_link_from",
            title: "busiest link, one end",
            kind: Kind::List,
            text: "The coordinates of the node at one end of the busiest link; of several, the \
                  first by dimension and node.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.busiest_link_from.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "busiest_link_to",
            title: "busiest link, other end",
            kind: Kind::List,
            text: "The coordinates of the node at the other end of the busiest link.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.busiest_link_to.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "busiest_link_name",
            title: "busiest link, by name",
            kind: Kind::Text,
            text: "The names of the two nodes of the busiest link. The column is there only if a machine's \
                   nodes have names.",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.busiest_link_name.as_deref()),
    },
];

/// Columns on link use.
pub(crate) static LINK_USE: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "link_busy_share",
            title: "link use",
            aliases: &["busy share", "saturation"],
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The fraction of the makespan for which the busiest channel is occupied: one \
                   direction of a full-duplex link, of which link_busy_max_cycles adds both, else the \
                   whole link. Near 1, this channel alone determines the makespan. Empty if busy cycles \
                   are not counted.",
            formula: "the largest, over the channels, of u * units that cross it, / makespan",
            source: "docs/model.md, section 13",
        },
        value: |run| run.link_busy_share.into(),
    },
    Column {
        definition: Definition {
            name: "direction_busy_cycles",
            title: "busy by direction",
            kind: Kind::List,
            unit: "cycles",
            text: "The busy cycles of all channels of each direction together, in the order (1,+) (1,-) \
                   (2,+) (2,-) and so on. A direction with much less than the others has unused \
                   capacity. Empty on networks, whose links have no dimensions, and if busy cycles are \
                   not counted.",
            formula: "sum over the channels of a direction of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.direction_busy_cycles.as_deref().map(Cell::list).into(),
    },
    Column {
        definition: Definition {
            name: "direction_busy_max_cycles",
            title: "busiest by direction",
            kind: Kind::List,
            unit: "cycles",
            text: "The busy cycles of the busiest channel of each direction, in the same order.",
            formula: "the largest, over the channels of a direction, of u * units that cross it",
            source: "docs/model.md, section 13",
            ..Definition::BLANK
        },
        value: |run| run.direction_busy_max_cycles.as_deref().map(Cell::list).into(),
    },
];

/// Column of the transfer time that eager messages hide.
pub(crate) static OVERLAPPED: &[Column<RunRecord>] = &[Column {
    definition: Definition {
        name: "overlapped_cycles",
        title: "overlapped",
        kind: Kind::Sum,
        unit: "cycles",
        text: "The parts of transfers that pass before the destination is ready, while it \
              computes; 0 unless messages are eager. They are not in the totals.",
        formula: "transfer - min(transfer, finish - max(start, ready)), summed over all processes and stages",
        source: "docs/model.md, section 14",
        ..Definition::BLANK
    },
    value: |run| Cell::optional(run.overlapped_cycles),
}];

/// Columns of steps, conflicts and queues.
pub(crate) static STEPS: &[Column<RunRecord>] = &[
    Column {
        definition: Definition {
            name: "routing_steps",
            title: "steps",
            aliases: &["stages_routing_steps"],
            kind: Kind::Natural,
            unit: "steps",
            text: "The parallel data movement steps of a coordinated run: in one step messages move \
                   over one link each. Tables show the sum over all stages.",
            formula: "sum over the stages of the steps of all their movements; one costs T_c",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
        },
        value: |run| run.routing_steps.into(),
    },
    Column {
        definition: Definition {
            name: "conflicts",
            title: "conflicts",
            aliases: &["stages_conflicts"],
            kind: Kind::Natural,
            unit: "message steps",
            text: "The number of times that a message of a coordinated run did not move in a step \
                   because another message had its channel.",
            source: "Tao 1988, 4.2; docs/model.md, section 6",
            ..Definition::BLANK
        },
        value: |run| run.conflicts.into(),
    },
    Column {
        definition: Definition {
            name: "longest_queue",
            title: "queue",
            kind: Kind::Natural,
            unit: "messages",
            text: "The largest number of messages, or packets if messages are divided, in the queue of \
                   one channel after the grants of a cycle of an asynchronous run, or of a step in which \
                   messages move on routes of their own (valiant); 0 if none has to wait.",
            source: "docs/model.md, sections 5, 13 and 28.1",
            ..Definition::BLANK
        },
        value: |run| run.longest_queue.into(),
    },
    Column {
        definition: Definition {
            name: "received",
            title: "received",
            aliases: &["random access"],
            kind: Kind::List,
            text: "Of a random access, the data that each process has received: of a read the process that it has \
                   asked, empty if none; of a write those that have written to it, in brackets. The column is \
                   there only if a run is a random access.",
            source: "Tao 1988, 2.4; docs/model.md, section 28.3",
            ..Definition::BLANK
        },
        value: |run| Cell::optional(run.received.as_ref().map(|own| Cell::Text(own.in_words().into()))),
    },
    Column {
        definition: Definition {
            name: "channel",
            title: "channel",
            aliases: &["link"],
            kind: Kind::Term,
            text: "One direction of a link between two neighbouring nodes. A message waits for the \
                  channel through which it leaves a node in a queue of that channel.",
            source: "docs/model.md, sections 1 and 5",
            ..Definition::BLANK
        },
        value: no_cell,
    },
];
