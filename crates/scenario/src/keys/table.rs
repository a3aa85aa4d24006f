//! The table of the keys of a scenario file: a key is one entry here, with the form of its values.

use cubefold_collectives::{Exchange, Fold, MessageOrder};
use cubefold_simulator::{
    Access, AdaptiveChoice, Allocator, Collisions, Ejection, EngineChoice, Reach, RouterTie, ServiceOrder,
    TableChoice,
};
use cubefold_topology::{LinkMode, MAX_NETWORK_NODES, MachineKind, TieRule};

use super::{
    KeyDefault::{self, Absent, Derived, Differing, Required, Word},
    KeyValues::{self, Choice, Form, Text},
    KeyWord, MAX_INTEGER, NICS_ON, ScenarioKey,
    forms::{self, count, integer, link, node, size, truth},
};
use crate::{
    chakra_file::DEPENDENCIES,
    collective::BEST,
    described_graph::MAX_SIZE,
    execution::{DimensionChoice, ENGINES, ExecutionMode, RoutingRule, Spread},
    program::{COMMUNICATIONS, PROGRAM_KINDS},
    routers::SwitchingRule,
    schema::{list_of, one_or_list, step},
    stages_file::MAX_PROCESSES,
};

/// Defines the names of the keys and their table from the same entries.
macro_rules! keys {
    ($($key:ident $path:literal, $values:expr, $default:expr, $summary:literal;)*) => {
        /// The name of a key, which is its index in the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Key {
            $($key),*
        }

        impl Key {
            /// Every key, in the order of the documentation.
            pub(crate) const ALL: &[Self] = &[$(Self::$key),*];
        }

        pub(super) static KEYS: &[ScenarioKey] = &[$(ScenarioKey {
            path: $path,
            values: $values,
            default: $default,
            summary: $summary,
        }),*];
    };
}

/// Integers of at least `least`.
const fn from(least: u64) -> KeyValues {
    KeyValues::Integer { least, greatest: MAX_INTEGER }
}

/// Integers from `least` to `greatest`.
const fn range(least: u64, greatest: u64) -> KeyValues {
    KeyValues::Integer { least, greatest }
}

/// The default of an integer.
const fn number(number: u64) -> KeyDefault {
    KeyDefault::Integer(number)
}

/// The words of an enumeration, and further ones.
macro_rules! words {
    ($choice:ty $(, $other:expr)*) => {
        Choice(|| {
            let words = <$choice>::ALL.map(|word| KeyWord { name: word.name(), summary: word.summary() });
            words.into_iter()$(.chain([KeyWord { name: $other, summary: "" }]))*.collect()
        })
    };
}

keys! {
    Name "name", Text, Derived("the file's name without its extension"),
        "The name of the scenario, which appears in every result.";
    Seed "seed", from(0), number(0),
        "The seed of all random choices.";
    MachineKind "machine.kind", Choice(|| KeyWord::all(MachineKind::HOSTS.map(MachineKind::name))), Required,
        "The family of the machine.";
    MachineShape "machine.shape", Form("a list of lengths", forms::lengths), Required,
        "The length of each dimension.";
    MachineDimensions "machine.dimensions", range(1, 32), Absent,
        "The number of dimensions of a hypercube or a network, instead of a shape.";
    MachineEdges "machine.edges", Text, Absent,
        "The path of a file with the links of a network, in one of the formats of cubefold inspect --list.";
    MachineHosts "machine.hosts", Form("a number, a pattern of names, a list of names, or leaves", forms::hosts), Derived("as the file says, or all numbered nodes"),
        "The hosts of a network whose file does not say them: the first ones of numbers, or those of these names.";
    MachineHostsForward "machine.hosts_forward", Form("true or false", forms::truth), Derived("true without switches"),
        "Whether messages pass through hosts.";
    MachineDirected "machine.directed", Form("true or false", forms::truth), Derived("false"),
        "Whether a line of machine.edges is a link in one direction, from its first node to its second.";
    MachineNodes "machine.nodes", range(1, MAX_NETWORK_NODES), Required,
        "The number of nodes of a full mesh, at most 8192, or of a cluster.";
    MachineDevicesPerNode "machine.devices_per_node", range(1, MAX_NETWORK_NODES), Required,
        "The number of devices of a node of a cluster, which are its hosts.";
    MachineNicsPerNode "machine.nics_per_node", range(1, MAX_NETWORK_NODES), Derived("one for each device"),
        "The number of NICs of a node of a cluster.";
    MachineInside "machine.inside", Form("a table of kind, planes and link", forms::inside), Required,
        "The network inside the nodes of a cluster.";
    MachineNic "machine.nic", Form("a table of link", forms::nic), Derived("as fast as outside"),
        "The links between the devices of a cluster and NICs that several of them share.";
    MachineOutside "machine.outside", Form("a table of link, leaves, rails, spines, uplinks, spine_link and reduce", forms::outside), Absent,
        "The network between the nodes of a cluster.";
    MachineHostsPerSwitch "machine.hosts_per_switch", range(1, MAX_NETWORK_NODES), Required,
        "The number of hosts per switch that has hosts.";
    MachineSwitchesPerGroup "machine.switches_per_group", range(1, MAX_NETWORK_NODES), Required,
        "The number of switches per group of a dragonfly.";
    MachineGlobalLinks "machine.global_links", range(1, MAX_NETWORK_NODES), Required,
        "The number of links of a switch of a dragonfly to other groups.";
    MachineGroups "machine.groups", range(2, MAX_NETWORK_NODES), Derived("as many as there are ports for"),
        "The number of groups of a dragonfly.";
    MachineLinksBetweenGroups "machine.links_between_groups", range(1, MAX_NETWORK_NODES),
        Derived("as many as there are ports for"),
        "The number of links between every two groups of a dragonfly.";
    MachineGlobalLatencyCycles "machine.global_latency_cycles", from(0), Derived("latency_cycles"),
        "The latency of the links between the groups of a dragonfly, through routers with finite buffers.";
    MachineNicsPerHost "machine.nics_per_host", range(1, 1024), number(1),
        "The number of links of a host of a fat tree or dragonfly.";
    MachineNicsOn "machine.nics_on", Choice(|| KeyWord::all(NICS_ON)), Word("one-switch"),
        "Whether the links of a host lead to one switch or to neighbouring ones.";
    MachineUplinks "machine.uplinks", Form("a number, a list with one for each level, or full", forms::uplinks),
        Derived("1; full where a file does not say"),
        "The cables between two linked switches of a fat tree, or of a network whose file does not count them.";
    MachineLane "machine.lane", Form("a bandwidth and a latency", forms::link), Derived("link"),
        "The speed of a lane of links such as NVLink: a link of n lanes has n times its bandwidth.";
    MachineLinkSpeedUnit "machine.unit-of-linkspeed", Form("a bandwidth", forms::text), Absent,
        "The bandwidth that a LinkSpeed of 1 in Slurm's topology.conf stands for.";
    MachinePaths "machine.paths", Form("a bandwidth, or a bandwidth and a latency, by class of pairs", forms::paths), Absent,
        "The speeds of the buses between devices without a link of their own, by the class that a file names.";
    MachineReduce "machine.reduce", Form("true, or the units that a switch combines in a cycle", forms::truth_or_count),
        Absent,
        "Whether the switches of a fat tree or network combine what they receive: NVLS, SHARP.";
    MachineLeaves "machine.leaves", range(1, MAX_NETWORK_NODES), Absent,
        "The number of switches with hosts of a fat tree of two levels.";
    MachineSpines "machine.spines", range(1, MAX_NETWORK_NODES), Absent,
        "The number of switches above the leaves of a fat tree of two levels.";
    MachineArity "machine.arity", range(2, MAX_NETWORK_NODES), Absent,
        "The number of hosts on a switch, and of links to the next level, of a k-ary n-tree, or of children in a k-ary tree.";
    MachineLevels "machine.levels", range(1, 20), Absent,
        "The number of levels of switches of a k-ary n-tree, or of links of a tree.";
    MachineGrammar "machine.grammar", Form("a name, or file:PATH", forms::text), Absent,
        "The edge grammar that derives the links of a graph.";
    MachineSize "machine.size", range(1, MAX_SIZE), Absent,
        "The number of symbols of a word of the graph of an edge grammar.";
    MachineTwist "machine.twist", Form("a list with a list of lengths for each dimension", forms::twist), Absent,
        "The offset that crossing the wraparound of each dimension adds to the coordinates.";
    MachineFailedLinks "machine.failed_links", Form("a list of pairs of nodes, or a number", forms::failed_links), Absent,
        "The failed links: each by its two nodes, or a number of random ones.";
    MachineFailedNodes "machine.failed_nodes", Form("a list of nodes, or a number", forms::failed_nodes), Absent,
        "The failed nodes: by coordinates or numbers, or a number of random ones.";
    MachineFailureSeed "machine.failure_seed", from(0), Derived("the seed"),
        "The seed of random failures.";
    MachineLinks "machine.links", words!(LinkMode), Word("full-duplex"),
        "The link mode.";
    MachineHopCycles "machine.hop_cycles", from(1), number(1),
        "The cycles for which a unit of a message occupies a link; also a list with one for each class of links.";
    MachineLatencyCycles "machine.latency_cycles", from(0), number(0),
        "The latency of a link in cycles, which does not occupy it; also a list with one for each class of links.";
    MachineSwitching "machine.switching", Choice(|| KeyWord::all(SwitchingRule::all().into_iter().map(SwitchingRule::name))),
        Word("store-and-forward"),
        "Whether a message continues when all of it has arrived or its first unit, or through routers with finite buffers.";
    MachineRouterVirtualChannels "machine.router.virtual_channels", range(1, 64), number(4),
        "The number of virtual channels of each input of a router.";
    MachineRouterBufferUnits "machine.router.buffer_units", range(1, 65_535), number(8),
        "The number of units that the buffer of a virtual channel holds.";
    MachineRouterCycles "machine.router.cycles", range(1, 64), number(4),
        "The cycles that the head of a packet takes in a router.";
    MachineRouterCreditCycles "machine.router.credit_cycles", range(0, 1 << 16), number(1),
        "The cycles that a credit takes in a router.";
    MachineRouterTerminalLatencyCycles "machine.router.terminal_latency_cycles", range(0, 1 << 16),
        Derived("0; with hosts latency_cycles"),
        "The latency of the link between a router and its terminal.";
    MachineRouterSpeedup "machine.router.speedup", Form("a number from 1 to 8, of at most two decimals", forms::speedup), Word("1.0"),
        "The number of steps that a router takes in a cycle, on average.";
    MachineRouterEjection "machine.router.ejection", words!(Ejection), Word("all"),
        "Whether packets are ejected over all channels, or, under minimal routing in dragonflies, those of their class.";
    MachineRouterAllocator "machine.router.allocator", words!(Allocator), Word("output-first"),
        "The order in which requests for channels and for the switch are granted.";
    MachinePacketUnits "machine.packet_units", from(1), Absent,
        "The largest number of units of a packet, if messages are divided into packets.";
    MachineArbitration "machine.arbitration", words!(ServiceOrder),
        Word("first-come"),
        "The order of the messages that wait for a channel.";
    MachineProcessorsPerNode "machine.processors_per_node", from(1), number(1),
        "The number of processes of a node that compute at the same time.";
    MachineLocalLatencyCycles "machine.local_latency_cycles", from(0), number(0),
        "The cycles of a message inside a node, independent of its size.";
    MachineLocalUnitCycles "machine.local_unit_cycles", from(0), number(0),
        "The cycles of each unit of a message inside a node.";
    MachineLink "machine.link", Form("a table of bandwidth and latency, or a list with one for each class of links", || one_or_list(&link())),
        Absent,
        "The bandwidth and latency of a link, instead of hop_cycles and latency_cycles.";
    MachineUnitBytes "machine.unit_bytes", range(1, 1 << 32), number(64),
        "The bytes of a unit, if machine.link is set.";
    MachineLocal "machine.local", Form("a table of bandwidth and latency", forms::link), Absent,
        "The bandwidth and latency of messages inside a node.";
    MachineWrap "machine.wrap", Form("a list of true or false", || list_of(&truth())), Derived("as the kind says"),
        "Whether each dimension wraps.";
    MachinePartition "machine.partition", Form("a table of base and shape", forms::partition), Absent,
        "The box of the machine that the program runs on.";
    MachineAllocation "machine.allocation", Form("a list of nodes and ranges, or the path of a file", forms::allocation), Derived("all nodes"),
        "The nodes that the job has, in its order.";
    MachineHostNames "machine.host_names", Text, Absent,
        "The path of a file with the name of every host of the machine, in the order of their numbers.";
    MachineFile "machine.file", Text, Absent,
        "The path of a machine file, from which the other keys are read.";
    ProgramKind "program.kind", Choice(|| KeyWord::all(PROGRAM_KINDS.iter().map(|kind| kind.name))), Word("cc-cube"),
        "The kind of the program.";
    ProgramDimensions "program.dimensions", range(1, 32), Derived("the binary logarithm of the number of nodes"),
        "The dimensions d of the guest hypercube: the program has 2^d processes.";
    ProgramStages "program.stages", Form("a list of dimensions, or an order: ascend, descend, bitonic, br, ..", forms::stages), Word("ascend"),
        "The dimension of the exchange of each stage.";
    ProgramComputeCycles "program.compute_cycles", from(0), number(0),
        "The cycles that a process computes before the messages of each stage; of cc-cube and stages also a list with one a stage.";
    ProgramComputeNoise "program.compute_noise", Form("a table of kind, its numbers, seed and each", forms::compute_noise), Absent,
        "The random extra cycles of every computation.";
    ProgramPipelining "program.pipelining", Form("an integer from 1 to 65536, or best", forms::pipelining), Derived("1"),
        "The number of parts of every message of a program on a cube, which are pipelined; best tries several.";
    ProgramStartupCycles "program.startup_cycles", from(0), Derived("0"),
        "The cycles of the processor for every message that a process of a program on a cube sends.";
    ProgramStartup "program.startup", Form("a time such as 513 ns", forms::text), Absent,
        "The time of the processor for every message that it sends, instead of startup_cycles.";
    ProgramFile "program.file", Text, Required,
        "The path of a file with the messages of a program.";
    ProgramMatrix "program.matrix", range(1, 2), Absent,
        "The matrix of a QAPLIB file that is the flow, if it has two different ones.";
    ProgramForm "program.form", Text, Absent,
        "The name of the format of a file with a matrix, where its content does not say it: cubefold inspect --list.";
    ProgramRounds "program.rounds", range(1, 1_000_000), number(1),
        "The number of times that the messages of a traffic matrix are sent.";
    ProgramScale "program.scale", Form("a number above 0", forms::positive), Word("1.0"),
        "The factor by which the entries of a traffic matrix are multiplied.";
    ProgramProcesses "program.processes", range(2, MAX_PROCESSES), Derived("one for each node"),
        "The number of processes of a program from a file, or of a collective.";
    ProgramCompute "program.compute", Form("a time such as 513 ns", forms::text), Absent,
        "The time that a process computes before the messages of each stage, instead of compute_cycles.";
    ProgramMessageCost "program.message_cost", Form("a time such as 500 ns", forms::text), Absent,
        "The time for which the core of a process is busy with each message that it sends or receives.";
    ProgramMessageCostCycles "program.message_cost_cycles", from(0), number(0),
        "The same in cycles.";
    ProgramUnits "program.units", Form("an integer, or a list with one a stage", || one_or_list(&count())), Word("1"),
        "The size of messages in units; of a stencil also a list with one for each number of dimensions that differ.";
    ProgramBytes "program.bytes", Form("a size such as 64 MiB, or a list with one a stage", || one_or_list(&size())), Absent,
        "The size of messages in bytes, instead of units.";
    ProgramDependencies "program.dependencies", Choice(|| KeyWord::all(DEPENDENCIES)), Word("data"),
        "Whether the operations of traces wait for data dependencies only, or for control dependencies, too.";
    ProgramGroups "program.groups", Text, Absent,
        "The path of a file with the members of the process groups of traces, in JSON.";
    ProgramStreams "program.streams", Form("true or false", forms::truth), Word("false"),
        "Whether the operations of a stream of a device begin in the order of the trace.";
    ProgramAlgorithms "program.algorithms", Form("a table of an algorithm for each kind of collective", forms::algorithms), Absent,
        "The algorithm of each kind of collective in traces.";
    ProgramPattern "program.pattern", Form("a pattern, or file:PATH", forms::pattern), Derived("uniform in open loop, else required"),
        "The pattern of a permutation, or of the destinations of open-loop traffic.";
    ProgramDestinations "program.destinations", Text, Absent,
        "The path of a file with the destination of each node, one a line, for pattern = \"file\".";
    ProgramHotspots "program.hotspots", Form("a list of nodes", || list_of(&node())), Absent,
        "The nodes to which the pattern hotspot sends more than to others.";
    ProgramHotspotShare "program.hotspot_share", Form("a number from 0 to 1", forms::share), Word("0.1"),
        "The share of the packets that the pattern hotspot sends to its hotspots.";
    ProgramLoad "program.load", Form("a number above 0, at most 1", forms::load), Absent,
        "The units that each terminal makes per cycle in open loop; sweep it for a curve.";
    ProgramSizes "program.sizes", Form("a list of pairs of units and weight", forms::sizes), Word("[[1, 1]]"),
        "The sizes of the packets of open-loop traffic with their weights.";
    ProgramGroupSize "program.group_size", range(1, 1 << 20), Derived("the terminals of a group of a dragonfly, else required"),
        "The number of terminals of a group, for the patterns adv+n, adv-random+n and group-tornado.";
    ProgramBurstCycles "program.burst_cycles", Form("a number of at least 1", forms::burst_cycles), Absent,
        "The mean length of the bursts in which terminals make packets.";
    ProgramBurstLoad "program.burst_load", Form("a number above 0, at most the mean size", forms::positive), Absent,
        "The units that a terminal makes per cycle during a burst.";
    ProgramReply "program.reply", Form("a table of sizes and delay_cycles", forms::reply), Absent,
        "The replies to packets: their sizes with weights, and the cycles after which they are made.";
    ProgramWarmupCycles "program.warmup_cycles", Form("an integer from 0 to 2^40, or auto", forms::warmup_cycles), Word("10000"),
        "The cycles of open-loop traffic before packets are measured; auto finds them by a pilot run.";
    ProgramPilotCycles "program.pilot_cycles", range(10, 1 << 40), number(10_000),
        "The cycles of the pilot run that finds the warm-up.";
    ProgramWarmupInterval "program.warmup_interval", range(1, 1 << 36), number(100),
        "The cycles of an interval of the pilot run, of which the warm-up is a multiple.";
    ProgramMeasureCycles "program.measure_cycles", range(1, 1 << 40), number(10_000),
        "The cycles in which the measured packets are made.";
    ProgramDrainCycles "program.drain_cycles", range(0, 1 << 40), number(10_000),
        "The most cycles that the last measured packets may take after that.";
    ProgramBatches "program.batches", Form("5, 10, 20 or 30", forms::batches), Word("10"),
        "The number of batches of the measured cycles, from which the interval around the mean and the growth of the backlog follow.";
    ProgramSeeds "program.seeds", Form("an integer from 1 to 10, 20 or 30", forms::seeds), Word("1"),
        "The number of runs of open-loop traffic, with seeds from the seed on.";
    ProgramLatencyLimit "program.latency_limit", Form("a number of cycles above 0", forms::positive), Word("500"),
        "The mean packet latency above which open-loop traffic counts as saturated.";
    ProgramSaturation "program.saturation", Form("a table of low, high and resolution", forms::saturation), Absent,
        "The search for the load at which the network saturates, instead of load.";
    ProgramAccess "program.access", Choice(|| KeyWord::all(Access::NAMES)), Word("read"),
        "Whether a random access reads or writes.";
    ProgramIndices "program.indices", Form("a list of processes, or file:PATH", forms::indices), Required,
        "The process that each process names in a random access; -1 for none.";
    ProgramCollisions "program.collisions", words!(Collisions),
        Word("last"),
        "Of several data written to one process by a random access, those that it keeps.";
    ProgramHalving "program.halving", Form("true or false", forms::truth), Word("false"),
        "Whether the messages of divide and conquer are halved dimension by dimension.";
    ProgramAlgorithm "program.algorithm", Form("an algorithm, a table of hierarchical, or a list of them", forms::algorithm), Required,
        "The algorithm of a collective; a list makes runs of each.";
    ProgramExchange "program.exchange", words!(Exchange, BEST), Word("halving"),
        "The contents of a pattern's messages: blocks, or all of a share; best runs both and keeps the faster.";
    ProgramPorts "program.ports", Form("1 or all", forms::ports), Differing { word: "1", others: "all of a program on a cube" },
        "The number of ports of a node that an algorithm uses at a time, or of exchanges of a process on a cube at a time.";
    ProgramChunks "program.chunks", range(1, 1 << 20), number(16),
        "The number of chunks of each share that follow one another along the trees of tree and double-tree.";
    ProgramOrder "program.order", words!(MessageOrder), Word("rotated"),
        "The order of the messages of direct exchanges and of traffic matrices that join a queue in one cycle.";
    ProgramFold "program.fold", words!(Fold), Word("pairs"),
        "The ranks that recursive doubling leaves out if their number is no power of two.";
    ProgramChannels "program.channels", Form("an integer from 1 to 64, or nics", forms::channels), Absent,
        "The number of rings or trees side by side, each through the devices of nodes in an order of its own.";
    ProgramRings "program.rings", Form("a list of lists of all devices of a node", || list_of(&list_of(&integer()))), Absent,
        "The orders of the devices of a node on the channels.";
    ProgramRoot "program.root", from(0), number(0),
        "The root of broadcast, reduce, gather and scatter.";
    ProgramShape "program.shape", Form("a list of lengths", forms::lengths), Derived("that of the machine"),
        "The logical shape of the processes of a collective.";
    ProgramOver "program.over", Form("a list of dimensions of the logical shape", || list_of(&integer())), Absent,
        "The dimensions of the logical shape that a group extends over: a collective runs in all groups at once.";
    ProgramSteps "program.steps", Form("a list of tables, one for each step", || list_of(&step())), Absent,
        "Collectives, computations and messages, one after another or side by side.";
    ProgramIterations "program.iterations", range(1, 1_000_000), number(1),
        "The number of times that the steps of a job are repeated.";
    ProgramReduceUnitsPerCycle "program.reduce_units_per_cycle", from(1), Absent,
        "The units that a process reduces in a cycle.";
    ProgramProcessesPerNode "program.processes_per_node", Form("a number, or the lengths of a block", || one_or_list(&count())), Word("1"),
        "The number of processes that named embeddings put on a node, or the lengths of the block of them.";
    ProgramLoading "program.loading", Form("a table of code_types and broadcast_cycles", forms::loading), Absent,
        "The loading of the program.";
    ProgramGuest "program.guest", Form("a table of kind and shape or the like", forms::guest), Required,
        "The graph whose nodes are the processes.";
    ProgramCommunication "program.communication", Choice(|| KeyWord::all(COMMUNICATIONS)), Word("shift"),
        "The neighbours to which a process sends in each stage.";
    ProgramNeighbours "program.neighbours", words!(Reach), Word("faces"),
        "The neighbours of a stencil: those that differ in one dimension, in at most two, or in any number.";
    ProgramCells "program.cells", Form("a list of lengths", forms::lengths), Absent,
        "The cells of a process of a stencil along each dimension, from which the sizes of messages follow.";
    ProgramWidth "program.width", range(1, MAX_PROCESSES), number(1),
        "The layers of cells that a process of a stencil sends.";
    ProgramCellBytes "program.cell_bytes", Form("a size such as 8 B", forms::size), Absent,
        "The bytes of a cell of a stencil; units where the machine is given in cycles.";
    ProgramSets "program.sets", range(1, 1_000_000), number(50),
        "The number of stages of permutation communications.";
    MappingEmbeddings "mapping.embeddings", Form("a list of embeddings", forms::placements), Derived("by program and machine"),
        "The placements, one run for each.";
    MappingSpareNodes "mapping.spare_nodes", Form("a list of nodes", || list_of(&node())), Absent,
        "The node that takes the processes of each failed node, in the order of the failed nodes.";
    ExecutionMode "execution.mode", Choice(|| KeyWord::all(ExecutionMode::NAMES)), Word("asynchronous"),
        "Whether every process advances on its own, or all route each stage together.";
    ExecutionTie "execution.tie", words!(TieRule, RouterTie::Random.name()), Word("direct"),
        "The direction around a wrapping dimension when both are equally long.";
    ExecutionRouting "execution.routing", Choice(|| KeyWord::all(RoutingRule::all().map(RoutingRule::name))),
        Derived("by the machine"),
        "The route of a message.";
    ExecutionSpread "execution.spread", words!(Spread), Word("pair"),
        "Whether a route is drawn for a pair of nodes or for each message, under the routing spread.";
    ExecutionAdaptiveChoice "execution.adaptive_choice", words!(AdaptiveChoice), Word("credits"),
        "The ports for which a packet asks under adaptive routing: that with the most credits, or any.";
    ExecutionRoutes "execution.routes", Text, Absent,
        "The path of a table with the routes of packets through routers, instead of routing.";
    ExecutionRouteChoice "execution.route_choice", words!(TableChoice), Word("credits"),
        "The candidates of a table for which a packet asks: that with the most credits, any, or a random one.";
    ExecutionUgalThreshold "execution.ugal_threshold", range(0, 1 << 40), number(0),
        "The advantage from which UGAL prefers the way through another group.";
    ExecutionEngine "execution.engine", Choice(|| KeyWord::all(ENGINES.map(EngineChoice::name))), Word("auto"),
        "The engine that computes asynchronous runs; results do not depend on it.";
    ExecutionDimensionChoice "execution.dimension_choice",
        words!(DimensionChoice), Word("lowest"),
        "The coordinate that a message of a coordinated run corrects next.";
    ExecutionPhases "execution.phases", Form("embedding, unlimited or a phase length of at least 1", forms::phases),
        Word("embedding"),
        "The number of links that a message of a coordinated run moves before it chooses again.";
    ExecutionEagerUnits "execution.eager_units", Form("an integer of at least 0, or all", forms::eager_units), Derived("0; all of a chakra program"),
        "The largest size of messages that are sent before their destinations are ready.";
}
