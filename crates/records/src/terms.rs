//! Terms that people look up and that no file has: those of other tools and of the papers, each with its name here, and
//! second meanings of headers.

/// A term: its names, its source, and its meaning in one to three sentences.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) names: &'static [&'static str],
    pub(super) source: &'static str,
    pub(super) text: &'static str,
}

pub(super) static TERMS: [Term; 28] = [
    Term {
        names: &["fastest", "fastest algorithm", "second", "behind by"],
        source: "docs/collectives.md",
        text: "In the table below those of compare: the algorithm with the least makespan at each size, the next one, and \
               by how much more time that takes. x and an algorithm's name: the makespan of that algorithm, the first of \
               the list, divided by the least.",
    },
    Term {
        names: &["crossover", "crossover size"],
        source: "docs/collectives.md",
        text: "A size from which on another algorithm is the fastest: compare names the two sizes between which it lies, \
               and finds it to the unit with --bisect.",
    },
    Term {
        names: &["matrix", "communication matrix", "matrix of bytes", "traffic matrix"],
        source: "docs/scenarios.md",
        text: "The bytes that each process sends to each other one, a row a source: program.kind = \"traffic\" reads one. \
               With measure, its pairs are weighed by their bytes.",
    },
    Term {
        names: &["halo", "halo exchange", "ghost cells"],
        source: "docs/scenarios.md",
        text: "Every process of a grid sends its border to its neighbours: program.kind = \"neighbour-exchange\". The \
               guest is the grid of processes.",
    },
    Term {
        names: &["stencil"],
        source: "docs/scenarios.md",
        text: "The neighbours whose values a cell of a grid needs, and so the processes that exchange borders, or \
               halos: program.kind = \"neighbour-exchange\" with communication = \"stencil\".",
    },
    Term {
        names: &["rankfile", "rank file", "hostfile", "machinefile"],
        source: "docs/use-a-placement.md",
        text: "A launcher's file with the host of every rank, such as that of mpirun --rankfile. cubefold place --format \
               writes one, and mapping.embeddings reads one.",
    },
    Term {
        names: &["roofline"],
        source: "Williams, Waterman & Patterson 2009",
        text: "A picture of the rate of a program below the limits of a machine. Here the limits are lower bounds: \
               lower_bound_cycles beside makespan_cycles says how far a run is from what the links allow.",
    },
    Term {
        names: &["longest dilation", "maximum dilation"],
        source: "CS838 1999",
        text: "The largest distance between the nodes of two processes that communicate: dilation, largest.",
    },
    Term {
        names: &["average load", "mean load"],
        source: "CS838 1999",
        text: "The mean number of processes on a node: processes divided by nodes. A placement is even if its load, the \
               most processes on one node, is the next integer.",
    },
    Term {
        names: &["load factor"],
        source: "Greenberg et al. 1988, section 6",
        text: "The most edges of the guest whose paths cross one edge of the host: the congestion of the placement.",
    },
    Term {
        names: &["permutation type", "permutation type set"],
        source: "Tao 1988, section 4.1",
        text: "Communications in which each process sends at most one message to a neighbour and receives at most one: \
               program.communication = \"permutation\".",
    },
    Term {
        names: &["scatter type", "scatter type set"],
        source: "Tao 1988, section 4.1",
        text: "Communications in which each process may send a message to every neighbour: \
               program.communication = \"scatter\".",
    },
    Term {
        names: &["slowdown"],
        source: "docs/model.md",
        text: "The time with contention divided by the time without: makespan_cycles over predicted_cycles. A slowdown \
               of 1 means that no message was blocked.",
    },
    Term {
        names: &["edge grammar", "edge grammars"],
        source: "Tao 1988, section 2.3; Berman 1983",
        text: "Productions that generate a family of graphs as pairs of strings of equal length. Strings that differ only \
               after a prefix are contracted to one vertex, which gives placements of several processes a node.",
    },
    Term {
        names: &["busbw", "bus bandwidth", "algbw"],
        source: "nccl-tests, doc/PERFORMANCE.md",
        text: "The bytes that pass a rank in one direction divided by the time of a collective: in an all-reduce of P ranks \
               2 (P - 1) / P vectors. Goodput, the vector divided by the time, is algbw.",
    },
    Term {
        names: &["share", "share of a step"],
        source: "docs/model.md, section 23",
        text: "In a table of the steps of a job, the part of the makespan between the earliest begin and the latest \
               finish of a step: steps_share.",
    },
    Term {
        names: &["takes", "count", "greatest in seconds"],
        source: "docs/model.md, sections 23.5 and 23.6",
        text: "In the tables of jobs: the time of a step from its begin to its finish, the number of tasks of a kind in a \
               pipeline, and the time of the longest of them.",
    },
    Term {
        names: &["backlog"],
        source: "docs/model.md, section 30.6",
        text: "In open loop, the units that terminals have made and none has received yet. A batch adds up that of its \
               cycles; if it grows, the network does not keep up with the load.",
    },
    Term {
        names: &["growth"],
        source: "docs/model.md, section 30.7",
        text: "A value of saturated: the backlog grows from batch to batch (trend), and over 0.5 per cent less is accepted \
               than offered.",
    },
    Term {
        names: &["half-width", "half width", "confidence interval", "+-"],
        source: "docs/model.md, section 30.6",
        text: "The interval around a mean packet latency in which the true mean lies with a probability of 95 per cent, to \
               either side. It follows from the means of the batches, or of several seeds.",
    },
    Term {
        names: &["escape", "escape channel", "escape class"],
        source: "docs/model.md, sections 26.3 and 30.2",
        text: "Virtual channels over which every packet can always proceed, so that adaptive routes have no deadlock \
               (Duato 1993). A table of routes names their classes: routes hop C escape 0.",
    },
    Term {
        names: &["rail", "rails", "rail-optimised"],
        source: "docs/scenarios.md",
        text: "The switches that join the accelerators of equal index in all nodes of a cluster: machine.outside with \
               rails = true.",
    },
    Term {
        names: &["bisection", "bisection width", "bisection bandwidth"],
        source: "docs/model.md, section 24",
        text: "The links between two halves of a machine. What must cross them is one of the sets over which the cut bound \
               is the largest.",
    },
    Term {
        names: &["crossing", "transmission"],
        source: "docs/reading-results.md",
        text: "A message or packet going over one link: a row of run --crossings.",
    },
    Term {
        names: &["trace", "execution trace"],
        source: "docs/scenarios.md",
        text: "What the ranks of a job did, operation by operation: program.kind = \"chakra\" reads Chakra traces, \
               program.kind = \"goal\" GOAL files.",
    },
    Term {
        names: &["case", "as written"],
        source: "docs/scenarios.md",
        text: "In tables, the swept settings that only some runs of a scenario have, such as those of [[sweep.cases]]: the \
               last words of their keys, with their values. A case without settings is as written. Files have a column \
               for each key.",
    },
    Term {
        names: &["at ranks", "operation", "ratio", "simulated / traced"],
        source: "docs/scenarios.md",
        text: "In the table of the communication of traces: a kind of operation, how many ranks had one of it and how many \
               of these have a time in the traces, and the mean time in the run divided by that in the traces.",
    },
    Term {
        names: &["combination"],
        source: "docs/scenarios.md",
        text: "One value of each swept key: the lists of [sweep] stand for all their combinations, and each has a run for \
               every embedding.",
    },
];
