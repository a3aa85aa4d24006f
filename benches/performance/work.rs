//! The work of a row: everything that is not measured is made first, then one round is the measured part.

use cubefold::{
    mapping::{Hypercube, Placement, PlacementMetrics, PlacementTable, ProductPlacement},
    simulator::{
        Communication, CubeProgram, Cycles, Engine, EngineChoice, Evaluator, MessageSizes, Outcome, Plan,
        Request, Routing, Switching, simulate,
    },
    topology::{LinkMode, Machine, MachineKind, NodeId, TieRule},
};

use super::{
    permutation::PermutationWork,
    row::{Cube, Messages, Placed, Row, Task},
    traffic::TrafficWork,
};

/// The placements of a round of evaluations.
const EVALUATIONS: usize = 1000;

/// A row, ready to be measured.
#[derive(Debug)]
pub(crate) struct Work {
    row: Row,
    subject: Subject,
}

#[derive(Debug)]
enum Subject {
    Run(Box<CubeWork>, Engine),
    Metrics(Box<CubeWork>),
    Evaluations(Box<CubeWork>),
    Permutation(Box<PermutationWork>),
    Traffic(Box<TrafficWork>),
}

/// A cube program on a square torus.
#[derive(Debug)]
struct CubeWork {
    program: CubeProgram,
    placement: Placement,
    communication: Communication,
    request: Request,
}

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Done {
    answer: u64,
    engine: Option<Engine>, // `None` where nothing is simulated
    /// The links crossed; of traffic, the cycles of all nodes; of evaluations, the placements.
    pub(crate) steps: u64,
}

impl Work {
    /// Makes machine, program and placement.
    pub(crate) fn new(row: Row) -> Self {
        let subject = match row.task {
            Task::Cube(cube, engine) => Subject::Run(Box::new(CubeWork::new(cube, engine)), engine),
            Task::Metrics(cube) => Subject::Metrics(Box::new(CubeWork::new(cube, Engine::Hop))),
            Task::Evaluations(cube) => Subject::Evaluations(Box::new(CubeWork::new(cube, Engine::Hop))),
            Task::Permutation(network, choice, links) => {
                Subject::Permutation(Box::new(PermutationWork::new(network, choice, links)))
            }
            Task::Traffic(traffic) => Subject::Traffic(Box::new(TrafficWork::new(traffic))),
        };
        Self { row, subject }
    }

    /// Does the measured work once.
    ///
    /// # Panics
    ///
    /// If the result is wrong, or another engine computed it.
    pub(crate) fn round(&self) -> Done {
        let (done, engine) = match &self.subject {
            Subject::Run(cube, engine) => (Done::of_run(&cube.run()), Some(*engine)),
            Subject::Metrics(cube) => (cube.measure(), None),
            Subject::Evaluations(cube) => (cube.evaluate(), None),
            Subject::Permutation(permutation) => (Done::of_run(&permutation.run()), Some(Engine::Hop)),
            Subject::Traffic(traffic) => {
                let (answer, steps) = traffic.run();
                (Done { answer, engine: None, steps }, None)
            }
        };
        assert_eq!((done.answer, done.engine), (self.row.answer, engine), "{}", self.row.name);
        done
    }

    /// A coarse upper bound on the memory of a round \[bytes\].
    pub(crate) fn bytes(&self) -> u64 {
        match &self.subject {
            Subject::Metrics(cube) => PlacementMetrics::bytes_to_measure(&cube.placement),
            Subject::Run(cube, _) | Subject::Evaluations(cube) => {
                let plan = Plan::new(&cube.program, &cube.placement, cube.communication, &cube.request);
                plan.expect("a run").bytes()
            }
            Subject::Permutation(permutation) => permutation.bytes(),
            Subject::Traffic(traffic) => traffic.bytes(),
        }
    }

    /// The number of nodes, switches included.
    pub(crate) fn nodes(&self) -> u64 {
        match &self.subject {
            Subject::Run(cube, _) | Subject::Metrics(cube) | Subject::Evaluations(cube) => {
                cube.placement.machine().node_count()
            }
            Subject::Permutation(permutation) => permutation.nodes(),
            Subject::Traffic(traffic) => traffic.nodes(),
        }
    }
}

impl Done {
    fn of_run(outcome: &Outcome) -> Self {
        Self {
            answer: outcome.summary.makespan().get(),
            engine: Some(outcome.engine),
            steps: outcome.traffic.hops,
        }
    }
}

impl CubeWork {
    fn new(cube: Cube, engine: Engine) -> Self {
        let side = 1 << (cube.dimensions / 2);
        let machine = Machine::new(MachineKind::Torus, &[side, side]).expect("a torus");
        let hypercube = Hypercube::new(cube.dimensions.into()).expect("a cube");
        let placement = match cube.placed {
            Placed::By(kind) => Placement::Product(
                ProductPlacement::new(kind, hypercube, &machine).expect("as many nodes as processes"),
            ),
            Placed::AtRandom => {
                let nodes = shuffled(machine.nodes().collect());
                Placement::Table(PlacementTable::new(&machine, nodes).expect("nodes of the machine"))
            }
        };
        let program = CubeProgram::new(hypercube, CubeProgram::ascend(hypercube), Cycles::new(10));
        let links = LinkMode::FullDuplex;
        let communication = Communication::new(links, Cycles::new(1), TieRule::Direct).expect("a time");
        let (program, communication) = with_messages(cube.messages, program.expect("stages"), communication);
        let request = match engine {
            Engine::Hop => Request::asynchronous(EngineChoice::Hop),
            Engine::Belt => Request::asynchronous(EngineChoice::Auto),
            Engine::Coordinated => Request::coordinated(Routing::PLAIN),
        };
        Self { program, placement, communication, request }
    }

    fn run(&self) -> Outcome {
        let (program, placement) = (&self.program, &self.placement);
        simulate(program, placement, self.communication, &self.request, &mut ()).expect("a run")
    }

    fn evaluate(&self) -> Done {
        let (program, placement) = (&self.program, &self.placement);
        let evaluator = Evaluator::new(program, placement.machine(), self.communication);
        let (mut evaluator, mut nodes) = (evaluator.expect("a run"), placement.nodes());
        let (mut answer, count) = (0, nodes.len());
        for number in 0..EVALUATIONS {
            let (one, other) = (number % count, (7 * number + 1) % count);
            nodes.swap(one, other);
            let makespan = evaluator.makespan(&nodes, None).expect("a run").expect("no limit");
            answer += makespan.get();
            nodes.swap(one, other);
        }
        Done { answer, engine: None, steps: EVALUATIONS as u64 }
    }

    fn measure(&self) -> Done {
        let metrics = PlacementMetrics::measure(&self.program.cube(), &self.placement, TieRule::Direct);
        Done { answer: metrics.dilation.total(), engine: None, steps: 0 }
    }
}

/// The program and its timing with messages of these sizes.
fn with_messages(
    messages: Messages,
    program: CubeProgram,
    communication: Communication,
) -> (CubeProgram, Communication) {
    match messages {
        Messages::Unit => (program, communication),
        Messages::CutThrough => (
            program.with_sizes(MessageSizes::same(16).expect("a size")),
            communication.with_switching(Switching::CutThrough).with_latency(Cycles::new(3)),
        ),
        Messages::Halving => {
            let sizes = (0..program.stages().len()).rev().map(|later| 1 << later).collect();
            (program.with_sizes(MessageSizes::by_stage(sizes).expect("sizes")), communication)
        }
    }
}

/// These nodes in a fixed random order (Fisher & Yates, a linear congruential generator).
pub(crate) fn shuffled(mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut state = 1_u64;
    for place in (1..nodes.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The lower bits of such a generator repeat soon.
        let drawn = usize::try_from((state >> 33) % (place as u64 + 1)).expect("a place");
        nodes.swap(place, drawn);
    }
    nodes
}
