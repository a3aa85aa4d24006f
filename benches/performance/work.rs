//! A row with everything made that is not to be measured, and the one function that does what it says.

use cubefold::{
    mapping::{Guest, Hypercube, Placement, PlacementMetrics, PlacementTable, ProcessId},
    simulator::{
        Communication, CountLinkUse, CubeProgram, Cycles, Execution, Routing, bytes_to_simulate, predict,
        simulate,
    },
    topology::{Machine, NodeId, TieRule},
};

use super::{Placed, Row, Stages, Task};

/// How many addresses one round asks for.
const ADDRESSES: u64 = 1 << 22;

/// A row, ready to be measured.
#[derive(Debug)]
pub(crate) struct Work {
    row: Row,
    program: CubeProgram,
    placement: Placement,
    communication: Communication,
}

/// What a round came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
    /// As [`Row::answer`] says.
    pub(crate) answer: u64,
    /// Links crossed, guest edges measured, or addresses found.
    pub(crate) operations: u64,
}

impl Work {
    /// Makes machine, program and placement.
    pub(crate) fn new(row: Row) -> Self {
        let machine = Machine::new(row.machine, row.lengths).expect("a machine");
        let dimensions = row.lengths.iter().map(|length| u64::from(length.ilog2())).sum();
        let cube = Hypercube::new(dimensions).expect("a cube");
        let ascend = CubeProgram::ascend(cube);
        let stages = match row.stages {
            Stages::Ascend => ascend,
            Stages::Interleaved => {
                let half = ascend.len() / 2;
                (0..half).flat_map(|place| [ascend[place], ascend[half + place]]).collect()
            }
        };
        Self {
            row,
            program: CubeProgram::new(cube, stages, Cycles::new(row.compute)).expect("stages"),
            placement: match row.placed {
                Placed::By(kind) => Placement::embed(kind, cube, &machine).expect("a placement"),
                Placed::AtRandom => at_random(&machine),
            },
            communication: Communication::new(row.links, Cycles::new(row.hop), TieRule::Direct)
                .expect("a time"),
        }
    }

    /// Does what the row says, once.
    pub(crate) fn round(&self) -> Done {
        match self.row.task {
            Task::Asynchronous => self.simulate(&Execution::Asynchronous(self.row.engine)),
            Task::Coordinated => self.simulate(&Execution::Coordinated(Routing::PLAIN)),
            Task::Metrics => Self::measured(&PlacementMetrics::measure(
                &self.program.cube(),
                &self.placement,
                TieRule::Direct,
            )),
            Task::MetricsByEdge => Self::measured(&PlacementMetrics::measure_by_edge(
                &self.program.cube(),
                &self.placement,
                TieRule::Direct,
            )),
            Task::Addresses => self.addresses(),
        }
    }

    /// Stops when what came out is wrong.
    pub(crate) fn check(&self, done: Done) {
        match (self.row.answer, self.row.task) {
            (Some(answer), _) => assert_eq!(done.answer, answer, "{}", self.row.name),
            (None, Task::Asynchronous | Task::Coordinated) => {
                let predicted = predict(&self.program, &self.placement, self.communication).get();
                assert!(done.answer >= predicted, "{}: {} below {predicted}", self.row.name, done.answer);
            }
            (None, Task::Metrics | Task::MetricsByEdge | Task::Addresses) => {}
        }
    }

    /// Messages sent, guest edges measured or addresses found in a round.
    pub(crate) fn elements(&self) -> u64 {
        let processes = self.program.cube().process_count();
        match self.row.task {
            Task::Asynchronous | Task::Coordinated => processes * self.program.stages().len() as u64,
            Task::Metrics | Task::MetricsByEdge => {
                processes / 2 * u64::from(self.program.cube().dimension_count())
            }
            Task::Addresses => ADDRESSES,
        }
    }

    /// Bytes that a round takes at most, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        match self.row.task {
            Task::Asynchronous => self.bytes_to_simulate(&Execution::Asynchronous(self.row.engine)),
            Task::Coordinated => self.bytes_to_simulate(&Execution::Coordinated(Routing::PLAIN)),
            Task::Metrics => PlacementMetrics::bytes_to_measure(&self.placement),
            // As of a placement that is no product: two words a node.
            Task::MetricsByEdge => 16 * self.placement.machine().node_count(),
            Task::Addresses => 0,
        }
    }

    fn bytes_to_simulate(&self, execution: &Execution) -> u64 {
        bytes_to_simulate(&self.program, &self.placement, self.communication, execution)
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> u64 {
        self.placement.machine().node_count()
    }

    fn simulate(&self, execution: &Execution) -> Done {
        let (program, placement) = (&self.program, &self.placement);
        let outcome = simulate(program, placement, self.communication, execution, CountLinkUse::No, &mut ());
        let outcome = outcome.expect("a run");
        Done { answer: outcome.summary.makespan().get(), operations: outcome.traffic.hops }
    }

    fn measured(metrics: &PlacementMetrics) -> Done {
        Done { answer: metrics.dilation.total(), operations: metrics.dilation.edges() }
    }

    /// The addresses of neighbours of processes in no order: each is known only when the one before is.
    fn addresses(&self) -> Done {
        let (cube, mut process, mut sum) = (self.program.cube(), 0_u32, 0);
        let dimensions = u32::from(cube.dimension_count());
        let last = u32::try_from(cube.process_count() - 1).expect("labels of 32 bits");
        for round in 0..u32::try_from(ADDRESSES).expect("not that many") {
            let neighbour = process ^ (1 << (round % dimensions));
            let node = self.placement.node(ProcessId::new(neighbour)).index();
            sum += u64::from(node);
            process = node.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & last;
        }
        Done { answer: sum, operations: ADDRESSES }
    }
}

/// One process on every node, in an order that a fixed congruential generator draws (Fisher & Yates).
fn at_random(machine: &Machine) -> Placement {
    let mut nodes: Vec<NodeId> = machine.nodes().collect();
    let mut state = 1_u64;
    for place in (1..nodes.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper bits: the lower ones of such a generator repeat soon.
        let drawn = usize::try_from((state >> 33) % (place as u64 + 1)).expect("a place");
        nodes.swap(place, drawn);
    }
    Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"))
}
