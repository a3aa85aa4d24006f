//! The rows, with the least figures and the goals of the project's performance notes.

use cubefold::{
    mapping::EmbeddingKind::{self, Byweight, Gray, Xor},
    simulator::{BulkStages, EngineChoice, Lines, Shortcuts},
    topology::{LinkMode, MachineKind, RouteChoice},
};

use super::{Messages, OnNetwork, Placed, Quantity, Row, Run, Stages, Task};

/// A simulated row in the setting that most have: `T_a` = 10, `T_c` = 1, full-duplex, dimension after dimension, on a
/// torus, by the fastest engine. It comes to `answer`, and is to take so long at most, or better the shorter time.
const fn row(
    name: &'static str,
    lengths: &'static [u64],
    kind: EmbeddingKind,
    answer: u64,
    (least, goal): (f64, f64),
) -> Row {
    Row {
        name,
        run: Run::Always,
        task: Task::Asynchronous,
        machine: MachineKind::Torus,
        lengths,
        placed: Placed::By(kind),
        stages: Stages::Ascend,
        compute: 10,
        hop: 1,
        links: LinkMode::FullDuplex,
        messages: Messages::Unit,
        engine: EngineChoice::Auto,
        quantity: Quantity::Seconds,
        least,
        goal,
        answer,
    }
}

/// A random permutation on a network.
const fn network(name: &'static str, network: OnNetwork, answer: u64) -> Row {
    row(name, &[], Xor, answer, (30.0, 100.0))
        .hop_by_hop()
        .doing(Task::Permutation(network, RouteChoice::Lowest))
}

/// A family made from a number.
const fn family(name: &'static str, kind: MachineKind, order: u64, answer: u64) -> Row {
    network(name, OnNetwork::Family(kind, order), answer)
}

/// The belts, with lines taken so far apart.
const fn belts(lines: Lines) -> EngineChoice {
    EngineChoice::Belt(Shortcuts { lines, bulk: BulkStages::Yes })
}

impl Row {
    /// Hop by hop.
    const fn hop_by_hop(self) -> Self {
        Self { engine: EngineChoice::Hop, quantity: Quantity::MillionHopsASecond, ..self }
    }

    /// Without one line standing for others.
    const fn each_line(self) -> Self {
        Self { engine: belts(Lines::Each), ..self }
    }

    /// All lines together.
    const fn whole_machine(self) -> Self {
        Self { engine: belts(Lines::Whole), ..self }
    }

    /// Over links that take so many cycles.
    const fn hop_cycles(self, hop: u64) -> Self {
        Self { hop, ..self }
    }

    /// With messages of other sizes than one unit.
    const fn of(self, messages: Messages) -> Self {
        Self { messages, ..self }
    }

    const fn when_long(self) -> Self {
        Self { run: Run::WhenLong, ..self }
    }

    const fn doing(self, task: Task) -> Self {
        Self { task, ..self }
    }

    const fn in_terms_of(self, quantity: Quantity) -> Self {
        Self { quantity, ..self }
    }

    /// By routes that a seed draws.
    const fn spread(self) -> Self {
        match self.task {
            Task::Permutation(network, _) => self.doing(Task::Permutation(network, RouteChoice::Spread(0))),
            _ => self,
        }
    }

    /// Over links that one message crosses at a time, in either direction.
    const fn half_duplex(self) -> Self {
        Self { links: LinkMode::HalfDuplex, ..self }
    }

    const fn interleaved(self) -> Self {
        Self { stages: Stages::Interleaved, ..self }
    }

    const fn listed(self) -> Self {
        match self.placed {
            Placed::By(kind) => Self { placed: Placed::ListedBy(kind), ..self },
            Placed::ListedBy(_) | Placed::AtRandom => self,
        }
    }

    const fn at_random(self) -> Self {
        Self { placed: Placed::AtRandom, ..self }
    }
}

const D16: &[u64] = &[256, 256];
const D18: &[u64] = &[512, 512];
const D20: &[u64] = &[1024, 1024];
const D24: &[u64] = &[4096, 4096];
const D28: &[u64] = &[1 << 14, 1 << 14];
const D30: &[u64] = &[1 << 15, 1 << 15];
const D32: &[u64] = &[1 << 16, 1 << 16];

const FAT_TREE: OnNetwork = OnNetwork::FatTree { arity: 4, levels: 8 };
const DRAGONFLY: OnNetwork =
    OnNetwork::Dragonfly { hosts_per_switch: 8, switches_per_group: 16, global_links: 8 };
const LARGE_DRAGONFLY: OnNetwork =
    OnNetwork::Dragonfly { hosts_per_switch: 12, switches_per_group: 24, global_links: 12 };
const WIDE_DRAGONFLY: OnNetwork =
    OnNetwork::Dragonfly { hosts_per_switch: 2, switches_per_group: 80, global_links: 2 };
const LEAF_SPINE: OnNetwork = OnNetwork::LeafSpine { leaves: 256, hosts_per_switch: 64, spines: 64 };
const FAILED_UPLINK: OnNetwork = OnNetwork::FailedUplink { leaves: 64, hosts_per_switch: 64, spines: 32 };
const GRAPH_OF_DEGREE_8: OnNetwork = OnNetwork::Cycles { nodes: 4096, cycles: 4 };
const GRAPH_OF_DEGREE_32: OnNetwork = OnNetwork::Cycles { nodes: 4096, cycles: 16 };
const HYPERX: OnNetwork = OnNetwork::HyperX { shape: &[16, 16, 16], hosts_per_switch: 16 };
const HYPERX_4: OnNetwork = OnNetwork::HyperX { shape: &[8, 8, 8, 8], hosts_per_switch: 8 };

/// All rows, in the order of the table. Makespans of product placements whose fields are not taken in turn are twice
/// those of the ring (`docs/model.md` section 8).
pub(crate) const ROWS: &[Row] = &[
    row("hop/d16/xor", D16, Xor, 542, (200.0, 450.0)).hop_by_hop(),
    row("hop/d16/byweight", D16, Byweight, 1260, (200.0, 450.0)).hop_by_hop(),
    row("hop/d16/xor/3-cycles", D16, Xor, 1306, (120.0, 220.0)).hop_by_hop().hop_cycles(3),
    row("hop/d16/byweight/3-cycles", D16, Byweight, 3466, (120.0, 220.0)).hop_by_hop().hop_cycles(3),
    row("hop/d20/byweight", D20, Byweight, 5196, (110.0, 370.0)).hop_by_hop().when_long(),
    row("hop/d20/gray", D20, Gray, 2370, (100.0, 200.0)).hop_by_hop().when_long(),
    row("hop/d18/xor/memory", D18, Xor, 946, (105.0, 52.0)).hop_by_hop().in_terms_of(Quantity::BytesANode),
    row("sized/d16/byweight/cut-through", D16, Byweight, 10_174, (25.0, 100.0))
        .hop_by_hop()
        .of(Messages::CutThrough),
    row("sized/d16/byweight/packets", D16, Byweight, 39_440, (25.0, 100.0))
        .hop_by_hop()
        .of(Messages::Packets)
        .when_long(),
    row("sized/d16/byweight/halving", D16, Byweight, 10_150_622, (25.0, 100.0))
        .hop_by_hop()
        .of(Messages::Halving),
    row("sized/d16/random/cut-through", D16, Xor, 15_150, (15.0, 60.0))
        .at_random()
        .hop_by_hop()
        .of(Messages::CutThrough)
        .when_long(),
    family("network/wrapped-butterfly/12", MachineKind::WrappedButterfly, 12, 24),
    family("network/wrapped-butterfly/16", MachineKind::WrappedButterfly, 16, 36).when_long(),
    family("network/cube-connected-cycles/12", MachineKind::CubeConnectedCycles, 12, 33),
    family("network/butterfly/12", MachineKind::Butterfly, 12, 530),
    family("network/de-bruijn/16", MachineKind::DeBruijn, 16, 22),
    family("network/de-bruijn/20", MachineKind::DeBruijn, 20, 29).when_long(),
    family("network/shuffle-exchange/16", MachineKind::ShuffleExchange, 16, 32),
    family("network/shuffle-exchange/20", MachineKind::ShuffleExchange, 20, 43).when_long(),
    network("network/twisted-torus/32x32x64", OnNetwork::TwistedTorus { k: 32 }, 212),
    network("network/failed-link/16x16x16", OnNetwork::FailedLink { k: 16 }, 40),
    network("network/failed-link/32x32x32", OnNetwork::FailedLink { k: 32 }, 172).when_long(),
    network("network/fat-tree/4-ary-8-tree", FAT_TREE, 12_435),
    network("network/fat-tree/4-ary-8-tree/spread", FAT_TREE, 23).spread(),
    network("network/dragonfly/8-16-8", DRAGONFLY, 12),
    network("network/hyperx/16x16x16", HYPERX, 14),
    family("network/wrapped-butterfly/12/spread", MachineKind::WrappedButterfly, 12, 23).spread(),
    family("network/wrapped-butterfly/12/half-duplex", MachineKind::WrappedButterfly, 12, 29).half_duplex(),
    family("network/cube-connected-cycles/12/spread", MachineKind::CubeConnectedCycles, 12, 32).spread(),
    family("network/cube-connected-cycles/12/half-duplex", MachineKind::CubeConnectedCycles, 12, 39)
        .half_duplex(),
    family("network/butterfly/12/spread", MachineKind::Butterfly, 12, 32).spread(),
    family("network/butterfly/12/half-duplex", MachineKind::Butterfly, 12, 1028).half_duplex().when_long(),
    family("network/de-bruijn/16/spread", MachineKind::DeBruijn, 16, 24).spread(),
    family("network/de-bruijn/16/half-duplex", MachineKind::DeBruijn, 16, 27).half_duplex().when_long(),
    family("network/shuffle-exchange/16/spread", MachineKind::ShuffleExchange, 16, 31).spread(),
    family("network/shuffle-exchange/16/half-duplex", MachineKind::ShuffleExchange, 16, 40)
        .half_duplex()
        .when_long(),
    network("network/twisted-torus/32x32x64/spread", OnNetwork::TwistedTorus { k: 32 }, 53).spread(),
    network("network/twisted-torus/32x32x64/half-duplex", OnNetwork::TwistedTorus { k: 32 }, 367)
        .half_duplex(),
    network("network/failed-link/16x16x16/spread", OnNetwork::FailedLink { k: 16 }, 26).spread(),
    network("network/failed-link/16x16x16/half-duplex", OnNetwork::FailedLink { k: 16 }, 61)
        .half_duplex()
        .when_long(),
    network("network/fat-tree/4-ary-8-tree/half-duplex", FAT_TREE, 24_788).half_duplex().when_long(),
    network("network/dragonfly/8-16-8/spread", DRAGONFLY, 11).spread(),
    network("network/dragonfly/8-16-8/half-duplex", DRAGONFLY, 14).half_duplex().when_long(),
    network("network/hyperx/16x16x16/spread", HYPERX, 10).spread(),
    network("network/hyperx/16x16x16/half-duplex", HYPERX, 18).half_duplex().when_long(),
    network("network/leaf-spine/256-64-64", LEAF_SPINE, 80),
    network("network/leaf-spine/256-64-64/spread", LEAF_SPINE, 10).spread(),
    network("network/leaf-spine/256-64-64/half-duplex", LEAF_SPINE, 130).half_duplex().when_long(),
    network("network/dragonfly/12-24-12", LARGE_DRAGONFLY, 12),
    network("network/dragonfly/12-24-12/spread", LARGE_DRAGONFLY, 12).spread(),
    network("network/dragonfly/12-24-12/half-duplex", LARGE_DRAGONFLY, 15).half_duplex().when_long(),
    network("network/dragonfly/2-80-2", WIDE_DRAGONFLY, 11),
    network("network/dragonfly/2-80-2/spread", WIDE_DRAGONFLY, 11).spread(),
    network("network/dragonfly/2-80-2/half-duplex", WIDE_DRAGONFLY, 13).half_duplex().when_long(),
    network("network/hyperx/8x8x8x8", HYPERX_4, 16),
    network("network/hyperx/8x8x8x8/spread", HYPERX_4, 10).spread(),
    network("network/hyperx/8x8x8x8/half-duplex", HYPERX_4, 23).half_duplex().when_long(),
    network("network/failed-link/64-64-32", FAILED_UPLINK, 80),
    network("network/failed-link/64-64-32/spread", FAILED_UPLINK, 11).spread(),
    network("network/failed-link/64-64-32/half-duplex", FAILED_UPLINK, 130).half_duplex().when_long(),
    network("network/degree-8/4096", GRAPH_OF_DEGREE_8, 13),
    network("network/degree-8/4096/spread", GRAPH_OF_DEGREE_8, 12).spread(),
    network("network/degree-8/4096/half-duplex", GRAPH_OF_DEGREE_8, 16).half_duplex().when_long(),
    network("network/degree-32/4096", GRAPH_OF_DEGREE_32, 5),
    network("network/degree-32/4096/spread", GRAPH_OF_DEGREE_32, 8).spread(),
    network("network/degree-32/4096/half-duplex", GRAPH_OF_DEGREE_32, 6).half_duplex().when_long(),
    network("network/path/4096", OnNetwork::Path { nodes: 4096 }, 4037),
    network("network/path/4096/spread", OnNetwork::Path { nodes: 4096 }, 4037).spread().when_long(),
    network("network/path/4096/half-duplex", OnNetwork::Path { nodes: 4096 }, 4865).half_duplex().when_long(),
    network("network/full-mesh/4096", OnNetwork::FullMesh { nodes: 4096 }, 1),
    row("belt/each-line/d20/xor", D20, Xor, 1734, (0.3, 0.08)).each_line(),
    row("belt/each-line/d20/byweight", D20, Byweight, 5196, (1.5, 0.9)).each_line(),
    row("belt/each-line/d20/gray", D20, Gray, 2370, (2.0, 1.1)).each_line(),
    row("belt/each-line/d24/xor", D24, Xor, 6382, (6.0, 1.5)).each_line().when_long(),
    row("belt/each-line/d24/byweight", D24, Byweight, 22_168, (60.0, 30.0)).each_line().when_long(),
    row("belt/each-line/d24/gray", D24, Gray, 8636, (80.0, 45.0)).each_line().when_long(),
    row("belt/each-line/d24/xor/memory", D24, Xor, 6382, (0.5, 0.2))
        .each_line()
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/each-line/d20/byweight/3-cycles", D20, Byweight, 15_178, (5.0, 2.8))
        .each_line()
        .hop_cycles(3)
        .when_long(),
    row("belt/each-line/d20/byweight/two-threads", D20, Byweight, 5196, (1.6, 1.9))
        .each_line()
        .in_terms_of(Quantity::Speedup),
    row("belt/line-classes/d20/xor", D20, Xor, 1734, (0.1, 0.03)),
    row("belt/line-classes/d20/byweight", D20, Byweight, 5196, (0.1, 0.03)),
    row("belt/line-classes/d20/gray", D20, Gray, 2370, (0.1, 0.03)),
    row("belt/line-classes/d24/xor", D24, Xor, 6382, (2.0, 0.5)),
    row("belt/line-classes/d24/byweight", D24, Byweight, 22_168, (2.0, 0.5)),
    row("belt/line-classes/d24/gray", D24, Gray, 8636, (2.0, 0.5)),
    row("belt/line-classes/d30/xor", D30, Xor, 49_450, (10.0, 1.0)),
    row("belt/line-classes/d30/byweight", D30, Byweight, 199_838, (10.0, 1.0)),
    row("belt/line-classes/d30/gray", D30, Gray, 65_806, (10.0, 1.0)),
    row("belt/line-classes/d30/byweight/memory", D30, Byweight, 199_838, (1.0, 0.1))
        .in_terms_of(Quantity::Gigabytes),
    row("belt/line-classes/d32/xor", D32, Xor, 98_622, (20.0, 2.0)),
    row("belt/line-classes/d32/byweight", D32, Byweight, 409_094, (20.0, 2.0)),
    row("belt/line-classes/d32/gray", D32, Gray, 131_360, (20.0, 2.0)),
    row("belt/line-classes/d32/byweight/halving", D32, Byweight, 58_185_205_422_285, (20.0, 2.0))
        .of(Messages::HalvingToOne)
        .when_long(),
    row("belt/line-classes/d32/byweight/memory", D32, Byweight, 409_094, (1.0, 0.1))
        .in_terms_of(Quantity::Gigabytes),
    row("belt/every-process/d28/byweight", D28, Byweight, 95_542, (60.0, 10.0))
        .doing(Task::EveryProcess)
        .when_long(),
    row("belt/every-process/d28/byweight/memory", D28, Byweight, 95_542, (6.0, 3.5))
        .doing(Task::EveryProcess)
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/every-process/d30/byweight", D30, Byweight, 199_838, (300.0, 60.0))
        .doing(Task::EveryProcess)
        .when_long(),
    row("belt/every-process/d30/byweight/memory", D30, Byweight, 199_838, (18.0, 14.0))
        .doing(Task::EveryProcess)
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/every-node/d28/byweight", D28, Byweight, 95_542, (60.0, 10.0))
        .doing(Task::EveryNode)
        .when_long(),
    row("belt/every-node/d28/byweight/memory", D28, Byweight, 95_542, (6.0, 3.5))
        .doing(Task::EveryNode)
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/d20/xor/interleaved", D20, Xor, 1734, (2.0, 0.9)).interleaved(),
    row("belt/whole-machine/d20/xor/interleaved", D20, Xor, 1734, (2.0, 0.9)).interleaved().whole_machine(),
    row("belt/whole-machine/d20/byweight/interleaved", D20, Byweight, 5136, (15.0, 6.0))
        .interleaved()
        .whole_machine()
        .when_long(),
    row("belt/whole-machine/d20/random", D20, Xor, 16_524, (20.0, 10.0))
        .at_random()
        .whole_machine()
        .when_long(),
    row("coordinated/d24/xor", D24, Xor, 6382, (0.5, 0.1)).doing(Task::Coordinated),
    row("coordinated/d20/random", D20, Xor, 20_801, (1.5, 0.35)).at_random().doing(Task::Coordinated),
    row("metrics/by-edge/d24/xor/distances", D24, Xor, 51_522_830_336, (0.3, 0.11))
        .listed()
        .doing(Task::Distances),
    row("metrics/by-edge/d24/xor/spectrum", D24, Xor, 51_522_830_336, (0.5, 0.2))
        .listed()
        .doing(Task::Spectrum),
    row("metrics/by-edge/d24/xor/congestion", D24, Xor, 51_522_830_336, (1.5, 0.6))
        .listed()
        .doing(Task::Congestion),
    row("metrics/by-field/d24/xor", D24, Xor, 51_522_830_336, (10.0, 1.0))
        .doing(Task::Metrics)
        .in_terms_of(Quantity::Milliseconds),
    row("stages-file/1M-rows", D16, Xor, 1_000_000, (1.0, 1.0)).doing(Task::MessageFile),
    row("neighbour/d24/xor", D24, Xor, 35_179_525_136_896, (5.0, 1.6))
        .doing(Task::Neighbours)
        .in_terms_of(Quantity::Nanoseconds),
];
