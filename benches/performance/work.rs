//! A row with everything made that is not to be measured, and the one function that does what it says.

use std::num::NonZeroU64;

use cubefold::{
    keep_freed_memory,
    mapping::{
        Congestion, CubeDimension, Dilation, DimensionDistances, EmbeddingKind, Guest, Hypercube, Placement,
        PlacementMetrics, PlacementTable, ProductPlacement,
    },
    simulator::{
        Communication, CountLinkUse, CubeProgram, Cycles, Engine, Execution, MessageSizes, Outcome, Routing,
        Switching, bytes_to_simulate, simulate,
    },
    topology::{Machine, NodeId, TieRule},
};

use super::{
    Messages, Placed, Row, Stages, Task,
    every_process::{self, Sums},
    message_file::MessageFile,
    neighbours::Questions,
    permutation::PermutationWork,
};

/// A row, ready to be measured.
#[derive(Debug)]
pub(crate) struct Work {
    row: Row,
    subject: Subject,
}

/// What is measured.
#[derive(Debug)]
enum Subject {
    Cube(Box<CubeWork>),
    Permutation(Box<PermutationWork>),
}

/// A d-cube on a grid.
#[derive(Debug)]
struct CubeWork {
    row: Row,
    program: CubeProgram,
    placement: Placement,
    communication: Communication,
    questions: Option<(ProductPlacement, Questions)>, // where neighbours are asked for
    file: Option<MessageFile>,                        // where one is read
}

/// What a message of a file takes at most while it is read and checked, roughly.
const BYTES_A_MESSAGE: u64 = 256;

/// What a round came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
    /// As [`Row::answer`] says.
    answer: u64,
    /// Links crossed, processes told, guest edges measured, neighbours found or messages read.
    pub(crate) operations: u64,
    engine: Option<Engine>,
    sums: Option<Sums>, // where every process was told
}

impl Work {
    /// Makes machine, program and placement, in a process that keeps freed memory as the program does.
    pub(crate) fn new(row: Row) -> Self {
        keep_freed_memory();
        let subject = match row.task {
            Task::Permutation(network, choice) => {
                Subject::Permutation(Box::new(PermutationWork::new(network, choice, row.links)))
            }
            _ => Subject::Cube(Box::new(CubeWork::new(row))),
        };
        Self { row, subject }
    }

    /// Does what the row says, once.
    pub(crate) fn round(&self) -> Done {
        match &self.subject {
            Subject::Cube(cube) => cube.round(),
            Subject::Permutation(permutation) => permutation.round(),
        }
    }

    /// Stops when what came out is wrong, or came from another engine than the row says.
    pub(crate) fn check(&self, done: Done) {
        assert_eq!(done.answer, self.row.answer, "{}", self.row.name);
        assert_eq!(done.engine, self.row.engine_that_runs(), "{}", self.row.name);
        if let Subject::Cube(cube) = &self.subject {
            cube.check(done);
        }
    }

    /// Messages sent, guest edges measured or neighbours found in a round.
    pub(crate) fn elements(&self) -> u64 {
        match &self.subject {
            Subject::Cube(cube) => cube.elements(),
            Subject::Permutation(permutation) => permutation.messages(),
        }
    }

    /// Bytes that a round takes at most, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.subject {
            Subject::Cube(cube) => cube.bytes(),
            Subject::Permutation(permutation) => permutation.bytes(),
        }
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> u64 {
        match &self.subject {
            Subject::Cube(cube) => cube.nodes(),
            Subject::Permutation(permutation) => permutation.nodes(),
        }
    }

    /// Whether memory is asked for.
    pub(crate) fn is_memory(&self) -> bool {
        self.row.quantity.is_memory()
    }
}

impl Done {
    /// What a run came to.
    pub(crate) fn of_run(outcome: &Outcome) -> Self {
        Self {
            answer: outcome.summary.makespan().get(),
            operations: outcome.traffic.hops,
            engine: Some(outcome.engine),
            sums: None,
        }
    }
}

impl CubeWork {
    fn new(row: Row) -> Self {
        let machine = Machine::new(row.machine, row.lengths).expect("a machine");
        let dimensions = row.lengths.iter().map(|length| u64::from(length.ilog2())).sum();
        let cube = Hypercube::new(dimensions).expect("a cube");
        let placement = placement(row.placed, cube, &machine);
        let questions = match (row.task, &placement) {
            (Task::Neighbours, Placement::Product(product)) => {
                Some((product.clone(), Questions::new(product)))
            }
            _ => None,
        };
        let file = (row.task == Task::MessageFile).then(|| MessageFile::new(row.lengths));
        let program =
            CubeProgram::new(cube, stages(row.stages, cube), Cycles::new(row.compute)).expect("stages");
        let communication =
            Communication::new(row.links, Cycles::new(row.hop), TieRule::Direct).expect("a time");
        let (program, communication) = with_messages(row.messages, program, communication);
        Self { row, program, placement, communication, questions, file }
    }

    fn round(&self) -> Done {
        let (cube, placement, tie) = (self.program.cube(), &self.placement, TieRule::Direct);
        let edges = self.edges();
        let measured = |answer| Done { answer, operations: edges, engine: None, sums: None };
        match self.row.task {
            Task::Asynchronous | Task::Coordinated | Task::Permutation(..) => self.simulate(),
            Task::EveryProcess => {
                self.told(every_process::streamed(&self.program, placement, self.communication))
            }
            Task::EveryNode => self.told(every_process::kept(&self.program, placement, self.communication)),
            Task::Metrics => measured(PlacementMetrics::measure(&cube, placement, tie).dilation.total()),
            Task::Distances => {
                let distances = DimensionDistances::by_edge(&cube, placement);
                measured(distances.iter().map(|distances| distances.over_edges.sum).sum())
            }
            Task::Spectrum => measured(Dilation::by_edge(&cube, placement).total()),
            // Every edge is on as many links as it is dilated.
            Task::Congestion => measured(Congestion::by_edge(&cube, placement, tie).link_congestion.sum),
            Task::Neighbours => {
                let (product, questions) = self.questions.as_ref().expect("a product placement");
                Done { operations: Questions::ASKED, ..measured(questions.ask(product)) }
            }
            Task::MessageFile => {
                let messages = self.file.as_ref().expect("a file of messages").read();
                Done { operations: messages, ..measured(messages) }
            }
        }
    }

    fn check(&self, done: Done) {
        if let Some(sums) = done.sums {
            assert_eq!(sums, Sums::of(&self.outcome().summary), "{}", self.row.name);
        }
        if let Some((product, questions)) = &self.questions {
            questions.check(product);
        }
    }

    /// Messages sent or read, guest edges measured or neighbours found in a round.
    pub(crate) fn elements(&self) -> u64 {
        match self.row.task {
            Task::Asynchronous
            | Task::Coordinated
            | Task::Permutation(..)
            | Task::EveryProcess
            | Task::EveryNode => self.program.cube().process_count() * self.program.stages().len() as u64,
            Task::Metrics | Task::Distances | Task::Spectrum | Task::Congestion => self.edges(),
            Task::Neighbours => Questions::ASKED,
            Task::MessageFile => MessageFile::ROWS,
        }
    }

    fn bytes(&self) -> u64 {
        let run = || bytes_to_simulate(&self.program, &self.placement, self.communication, &self.execution());
        match self.row.task {
            Task::Asynchronous | Task::Coordinated | Task::Permutation(..) | Task::EveryProcess => run(),
            Task::EveryNode => run() + every_process::BYTES_A_NODE * self.nodes(),
            Task::Metrics | Task::Distances | Task::Spectrum | Task::Congestion => {
                PlacementMetrics::bytes_to_measure(&self.placement)
            }
            Task::Neighbours => 0,
            Task::MessageFile => BYTES_A_MESSAGE * MessageFile::ROWS,
        }
    }

    fn nodes(&self) -> u64 {
        self.placement.machine().node_count()
    }

    fn edges(&self) -> u64 {
        let cube = self.program.cube();
        cube.process_count() / 2 * u64::from(cube.dimension_count())
    }

    fn execution(&self) -> Execution {
        match self.row.task {
            Task::Coordinated => Execution::Coordinated(Routing::PLAIN),
            _ => Execution::Asynchronous(self.row.engine),
        }
    }

    fn outcome(&self) -> Outcome {
        let (program, placement) = (&self.program, &self.placement);
        simulate(program, placement, self.communication, &self.execution(), CountLinkUse::No, &mut ())
            .expect("a run")
    }

    fn simulate(&self) -> Done {
        Done::of_run(&self.outcome())
    }

    fn told(&self, sums: Sums) -> Done {
        // Only this engine tells the times of lines.
        let engine = Some(Engine::Belt);
        Done { answer: sums.makespan, operations: self.nodes(), engine, sums: Some(sums) }
    }
}

/// The program with messages of these sizes, and how they are switched.
fn with_messages(
    messages: Messages,
    program: CubeProgram,
    communication: Communication,
) -> (CubeProgram, Communication) {
    let same = |units| MessageSizes::same(units).expect("a size");
    let cut_through = communication.with_switching(Switching::CutThrough).with_latency(Cycles::new(3));
    let count = program.stages().len();
    let halving = |last: usize| {
        let sizes = (0..count).rev().map(|later| 1 << (later + last)).collect();
        MessageSizes::by_stage(sizes).expect("sizes")
    };
    match messages {
        Messages::Unit => (program, communication),
        Messages::CutThrough => (program.with_sizes(same(16)), cut_through),
        Messages::Packets => (program.with_sizes(same(64)), cut_through.with_packets(NonZeroU64::new(4))),
        Messages::Halving => (program.with_sizes(halving(1)), communication),
        Messages::HalvingToOne => (program.with_sizes(halving(0)), communication),
    }
}

fn stages(order: Stages, cube: Hypercube) -> Vec<CubeDimension> {
    let ascend = CubeProgram::ascend(cube);
    match order {
        Stages::Ascend => ascend,
        Stages::Interleaved => {
            let half = ascend.len() / 2;
            (0..half).flat_map(|place| [ascend[place], ascend[half + place]]).collect()
        }
    }
}

fn placement(placed: Placed, cube: Hypercube, machine: &Machine) -> Placement {
    let embedded = |kind: EmbeddingKind| ProductPlacement::new(kind, cube, machine).expect("2^d nodes");
    let listed = |nodes| Placement::Table(PlacementTable::new(machine, nodes).expect("nodes of the machine"));
    match placed {
        Placed::By(kind) => Placement::Product(embedded(kind)),
        Placed::ListedBy(kind) => listed(embedded(kind).nodes()),
        Placed::AtRandom => listed(shuffled(machine.nodes().collect())),
    }
}

/// These nodes in an order that a fixed congruential generator draws (Fisher & Yates).
pub(crate) fn shuffled(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut state = 1_u64;
    for place in (1..nodes.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The upper bits: the lower ones of such a generator repeat soon.
        let drawn = usize::try_from((state >> 33) % (place as u64 + 1)).expect("a place");
        nodes.swap(place, drawn);
    }
    nodes
}
