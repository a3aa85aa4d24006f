//! Descriptions of members of values, words of keys, and marks that no list of the scenario describes.

/// A table of scenarios, or a member of a key's value: its path, its values, and its description.
pub(super) type Member = (&'static str, &'static str, &'static str);

/// A word that a key takes: the path of the key, the word, and its meaning.
pub(super) type Word = (&'static str, &'static str, &'static str);

/// Declares [`MEMBERS`]: the path and the values of each, then its description.
macro_rules! parts_of_scenarios {
    ($($path:literal: $values:literal, $text:literal;)+) => {
        /// Parts of scenarios that are not keys themselves.
        pub(super) const MEMBERS: &[Member] = &[$(($path, $values, $text)),+];
    };
}

/// Declares [`WORDS`]: for each path its words with their meanings.
macro_rules! words {
    ($($path:literal { $($word:literal: $text:literal;)+ })+) => {
        /// Words of keys that no other list describes.
        pub(super) const WORDS: &[Word] = &[$($(($path, $word, $text),)+)+];
    };
}

parts_of_scenarios! {
    "machine": "", "The table of the machine: its kind, its shape, its links.";
    "program": "", "The table of the program: its kind, its stages, the sizes of its messages.";
    "mapping": "", "The table of placements: the node of each process.";
    "execution": "", "The table of the execution: its mode, its routing, its engine.";
    "sweep": "a list of values for each key",
        "The table of keys with several values: every combination is run.";
    "sweep.cases": "tables of keys and values",
        "Single combinations: each is run with the scenario's other keys.";
    "machine.link.bandwidth": "such as \"50 GB/s\"", "The bytes per second of a link in one direction.";
    "machine.link.latency": "such as \"400 ns\"",
        "The time on the wire and in the router, which does not occupy the link.";
    "machine.local.bandwidth": "such as \"200 GB/s\"",
        "The bytes per second between two processes of a node.";
    "machine.local.latency": "such as \"100 ns\"",
        "The time of a message inside a node, without that of its bytes.";
    "machine.router": "a table of virtual_channels, buffer_units, cycles, credit_cycles, terminal_latency_cycles, speedup, ejection and allocator",
        "The routers with finite buffers of a machine whose switching is wormhole or virtual-cut-through.";
    "program.loading.code_types": "a word, or a list with an entry for each process",
        "The type of code of each process.";
    "program.loading.broadcast_cycles": "an integer from 1 to 4294967296",
        "The cycles that the broadcast of one type of code takes.";
    "machine.lane.bandwidth": "such as \"25 GB/s\"", "The bytes per second of a lane in one direction.";
    "machine.lane.latency": "such as \"500 ns\"", "The latency of links of any number of lanes.";
    "machine.inside.kind": "", "The links of the devices of a node: over switches, or with one another.";
    "machine.inside.planes": "an integer of at least 1; 1 by default",
        "The switches inside a node, each of which is linked to every device.";
    "machine.inside.link": "a table of bandwidth and latency", "The speed of the links inside a node.";
    "machine.inside.reduce": "true, or the units that a switch combines in a cycle",
        "Whether the switches inside a node combine what they receive, as NVLS does.";
    "machine.nic.link": "a table of bandwidth and latency",
        "The speed of the links between devices and NICs that they share.";
    "machine.outside.link": "a table of bandwidth and latency",
        "The speed of the links between NICs and leaves, and of those to spines without spine_link.";
    "machine.outside.leaves": "{ nodes = n }", "The switches to which the NICs of n nodes each are linked.";
    "machine.outside.leaves.nodes": "an integer of at least 1", "The nodes that share a leaf.";
    "machine.outside.rails": "true or false, the default",
        "Whether every NIC of a node has a leaf of its own, to which the equal NICs of other nodes are linked.";
    "machine.outside.spines": "an integer; 0 by default",
        "The switches above the leaves, each of which is linked to every leaf.";
    "machine.outside.uplinks": "a number, or full; 1 by default",
        "The parallel links between a leaf and a spine.";
    "machine.outside.spine_link": "a table of bandwidth and latency",
        "The speed of the links between leaves and spines.";
    "machine.outside.reduce": "true, or the units that a switch combines in a cycle",
        "Whether leaves and spines combine what they receive, as SHARP does.";
    "program.algorithm.hierarchical": "a table of inner, outer and chunks",
        "An algorithm of two levels: inner runs inside every node, outer among equal places of the nodes.";
    "program.algorithm.hierarchical.inner": "an algorithm",
        "The algorithm inside every node of a hierarchical one: a reduce-scatter before outer, an all-gather after it.";
    "program.algorithm.hierarchical.outer": "an algorithm",
        "The algorithm among equal places of the nodes of a hierarchical one, each with a part of the vector.";
    "program.algorithm.hierarchical.chunks": "an integer from 1 to 1024; 1 by default",
        "The parts of the vector, which go through both levels one after another, so that the links of both are in use.";
    "program.compute_noise.one_in": "an integer of at least 1",
        "One computation of this number is delayed by outliers, on average.";
    "program.compute_noise.mean": "a number of cycles", "The mean of exponential noise.";
    "program.compute_noise.each": "stage or process",
        "Whether every stage of a process draws its own extra cycles, or every process once.";
    "program.reply.delay_cycles": "an integer; 0 by default",
        "The cycles from the receipt of a packet to the making of its reply.";
    "program.saturation.low": "a load", "The least load that a search for saturation tries.";
    "program.saturation.high": "a load", "The greatest load that a search for saturation tries.";
    "program.saturation.resolution": "a number above 0",
        "The difference between two loads at which a search for saturation ends.";
    "program.guest.vertices": "an integer", "The vertices of a random tree.";
    "program.guest.legs": "a list of 0 and 1",
        "For every vertex of the path of a caterpillar whether it has a leg.";
    "program.steps.name": "a string", "The name of a step of a job, by which others wait for it.";
    "program.steps.after": "a list of names; the step before by default",
        "The steps of a job that a step waits for.";
    "program.steps.only": "a list of [axis, first, last]",
        "The ranks that take part in a step of a job, by their coordinates in the shape of the program.";
    "program.steps.by": "an integer; 1 by default",
        "The ranks from the source to the destination of a send, along the axis in over.";
    "program.steps.wrap": "true or false, the default", "Whether a send goes around its axis.";
    "program.steps.microbatches": "an integer of at least 1",
        "The parts of a batch that pass through the stages of a pipeline one after another.";
    "program.steps.schedule": "", "The order of the forward and backward tasks of a stage of a pipeline.";
    "program.steps.forward": "a list of steps",
        "The steps of the forward task of a microbatch in a stage of a pipeline.";
    "program.steps.backward": "a list of steps",
        "The steps of the backward task of a microbatch in a stage of a pipeline.";
    "file:PATH": "a value of mapping.embeddings", "A placement from a file: CSV, text, or an array of NumPy.";
}

words! {
    "machine.switching" {
        "store-and-forward": "A message or packet joins the next queue when all of it has arrived.";
        "cut-through": "A message or packet joins the next queue when its first unit has arrived.";
        "wormhole":
            "Through routers with finite buffers: a packet may span several of them while its head waits.";
        "virtual-cut-through":
            "Through routers with finite buffers: a head gets a channel only where the whole packet fits.";
    }
    "machine.nics_on" {
        "one-switch": "All links of a host lead to one switch.";
        "neighbours": "Each link of a host leads to another of neighbouring switches.";
    }
    "program.exchange" {
        "best": "Both are run, and the faster is kept.";
    }
    "program.communication" {
        "shift": "Each stage sends to the next neighbour in one dimension and direction.";
        "permutation": "In each stage every process draws the direction of its message.";
        "to-children": "In one stage every process of a tree sends to its children.";
        "to-parents": "In one stage every process of a tree sends to its parent.";
        "stencil": "In one stage every process sends to all around it, also across edges and corners.";
        "scatter": "In one stage every process sends to all of its neighbours.";
    }
    "program.stages" {
        "ascend": "Every dimension once, from the lowest to the highest.";
        "descend": "Every dimension once, from the highest to the lowest.";
        "bitonic":
            "Dimension 0, then 1 and 0, then 2, 1 and 0, and so on: the stages of Batcher's bitonic sort.";
    }
    "program.dependencies" {
        "data": "Operations of traces wait for the operations whose data they need.";
        "both": "Operations of traces wait for those whose data they need and for those that control them.";
    }
    "program.access" {
        "read": "Every process gets the data of the process that it names.";
        "write": "The data of every process go to the process that it names.";
    }
    "program.channels" {
        "nics": "A channel for each NIC of a node.";
    }
    "program.pipelining" {
        "best": "The number of parts with the least makespan, of those that are tried.";
    }
    "execution.eager_units" {
        "all": "Every message is sent before its destination is ready.";
    }
    "execution.phases" {
        "embedding": "The phase lengths of the embedding, for which Tao's bounds hold.";
        "unlimited": "To the end of its leg.";
    }
    "execution.mode" {
        "asynchronous": "Every process advances on its own; messages may block each other.";
        "coordinated": "All processes route a stage together, and begin the next together.";
    }
    "execution.tie" {
        "random": "Of two equally long directions, one drawn for each packet; through routers only.";
    }
    "execution.routing" {
        "embedding": "Between neighbours of the guest, the path that the embedding's construction gives.";
        "sorting": "The messages are sorted by their destinations.";
        "lowest": "Over the lowest-numbered neighbour that is nearer to the destination.";
        "spread": "Over one of the nearer neighbours, chosen by source and destination.";
        "d-mod-k": "Over the cable that the number of the destination chooses.";
        "valiant":
            "On grids by way of a random node, to it with the coordinates in a random order, from it link by link in any.";
    }
    "execution.engine" {
        "auto": "The faster of the engines that can compute the run.";
        "hop": "Every crossing of a link is an event.";
        "belt": "Messages that move alike are computed together, and one line stands for all equal ones.";
    }
    "machine.inside.kind" {
        "switch": "Every device of a node is linked to one or more switches.";
        "none": "The devices of a node have no links with one another.";
    }
    "machine.uplinks" {
        "full": "The fewest cables by which a switch has as many links up as down.";
    }
    "program.loading.code_types" {
        "same": "All processes run the same code.";
        "by parity": "One code for processes whose coordinates have an even sum, and one for the others.";
    }
    "program.algorithm" {
        "in-switch":
            "The switches of the machine, which have reduce, combine the vectors and send the result down.";
    }
    "program.steps.schedule" {
        "gpipe": "All forward tasks of a stage, then all backward tasks.";
        "1f1b":
            "A few forward tasks, then a backward and a forward task in turn, so that few results are kept.";
        "interleaved":
            "As 1f1b with several chunks of layers a stage, so that pipelines are idle for a shorter time.";
    }
    "program.pattern" {
        "uniform": "In open loop, any terminal, also that of the source.";
        "uniform-others": "In open loop, any terminal but that of the source.";
        "random": "A random permutation, drawn by the seed.";
        "transpose":
            "The number with its upper and lower half of bits exchanged: on a square, row and column.";
        "shuffle": "The number with its bits rotated to the left by one.";
        "bit-reversal": "The number with its bits in reverse order.";
        "bit-complement": "In open loop, the number with every bit inverted.";
        "complement": "In a permutation, the number with every bit inverted.";
        "tornado": "On grids ceil(k / 2) - 1 nodes on in every dimension of length k.";
        "neighbour": "On grids the next node in every dimension.";
        "hotspot": "One of program.hotspots for a share of the packets, else any terminal.";
        "file": "In open loop, the destinations that the file program.destinations lists.";
        "adv+n":
            "The terminal at the same place of the group n groups on: its traffic shares the links between two groups.";
        "adv-random+n": "Any terminal of the group n groups on.";
        "group-tornado":
            "The terminal at the same place of the group ceil(g / 2) - 1 groups on, of g groups.";
    }
}

/// The marks in tables of results, and their meaning.
pub(super) const MARKS: &[(&str, &str)] = &[
    (
        "*",
        "The fewest cycles of a combination: of the runs that differ only in the embedding or the algorithm, with its \
         exchange and ports.",
    ),
    ("..", "A shortened text; a wider terminal or another --format shows all of it."),
];
