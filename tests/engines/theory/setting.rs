//! Machines, placements and runs, in the words of the theory.

use cubefold_mapping::{EmbeddingKind, Hypercube, Placement, PlacementMetrics, PlacementTable, ProcessId};
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, Cycles, EngineChoice, Outcome, Request, Routing, StageRecord,
    lower_bound, predict, simulate,
};

use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule, Wrap};

/// The ring of `2^bits` nodes.
pub(crate) fn ring(bits: u32) -> Machine {
    Machine::new(MachineKind::Ring, &[1 << bits]).unwrap()
}

/// The line of `2^bits` nodes.
pub(crate) fn line(bits: u32) -> Machine {
    Machine::new(MachineKind::Line, &[1 << bits]).unwrap()
}

pub(crate) fn torus(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Torus, lengths).unwrap()
}

pub(crate) fn mesh(lengths: &[u64]) -> Machine {
    Machine::new(MachineKind::Mesh, lengths).unwrap()
}

/// The machine with these extents.
pub(crate) fn mixed(extents: &[(u64, Wrap)]) -> Machine {
    let (lengths, wraps): (Vec<_>, Vec<_>) = extents.iter().copied().unzip();
    Machine::with_wraps(MachineKind::Mesh, &lengths, &wraps).unwrap()
}

/// All machines of `2^bits` nodes whose lengths are powers of two: every shape in every order, and every
/// way to wrap. Lengths of 2 are left open: they have the same one link when they wrap.
pub(crate) fn machines(bits: u32) -> Vec<Machine> {
    let with_all_wraps = |lengths: Vec<u64>| {
        let mut choices = vec![vec![]];
        for length in lengths {
            let wraps: &[Wrap] = if length == 2 { &[Wrap::Open] } else { &[Wrap::Open, Wrap::Around] };
            choices = choices
                .iter()
                .flat_map(|chosen: &Vec<_>| {
                    wraps.iter().map(|&wrap| [&chosen[..], &[(length, wrap)]].concat())
                })
                .collect();
        }
        choices
    };
    shapes(bits).into_iter().flat_map(with_all_wraps).map(|extents| mixed(&extents)).collect()
}

/// All meshes and all toruses of `2^bits` nodes whose lengths are powers of two, in every order.
pub(crate) fn meshes_and_toruses(bits: u32) -> Vec<Machine> {
    shapes(bits).iter().flat_map(|lengths| [mesh(lengths), torus(lengths)]).collect()
}

/// All ordered lists of powers of two from 2 on with the product `2^bits`.
fn shapes(bits: u32) -> Vec<Vec<u64>> {
    let mut all = vec![vec![1 << bits]];
    for last in 1..bits {
        all.extend(shapes(bits - last).into_iter().map(|shape| [&shape[..], &[1 << last]].concat()));
    }
    all
}

/// Whether every dimension of length over 2 wraps.
pub(crate) fn all_wrap(machine: &Machine) -> bool {
    machine.extents().all(|extent| extent.is_ring() || extent.length() == 2)
}

/// The cube with as many processes as the machine has nodes.
pub(crate) fn cube_of(machine: &Machine) -> Hypercube {
    Hypercube::new(u64::from(machine.node_count().ilog2())).unwrap()
}

/// The cube with as many processes as the machine has nodes, placed by a named embedding.
pub(crate) fn embed(kind: EmbeddingKind, machine: &Machine) -> Placement {
    Placement::embed(kind, cube_of(machine), machine).unwrap()
}

/// Process `n` on node `nodes[n]`.
pub(crate) fn place(machine: &Machine, nodes: &[u32]) -> Placement {
    let nodes = nodes.iter().copied().map(NodeId::new).collect();
    Placement::Table(PlacementTable::new(machine, nodes).unwrap())
}

fn cube_placed(placement: &Placement) -> Hypercube {
    Hypercube::new(u64::from(placement.process_count().ilog2())).unwrap()
}

/// The metrics of a placement, ties going the direct way.
pub(crate) fn measure(placement: &Placement) -> PlacementMetrics {
    PlacementMetrics::measure(&cube_placed(placement), placement, TieRule::Direct)
}

/// The distances `D_i(n)` by their definition: row `i` holds those of all processes `n`.
pub(crate) fn distances(placement: &Placement) -> Vec<Vec<u64>> {
    let (machine, nodes, cube) = (placement.machine(), placement.nodes(), cube_placed(placement));
    let row = |dimension| {
        let of_process = |process: ProcessId| {
            let neighbour = cube.neighbour(process, dimension);
            machine.distance(nodes[process.label() as usize], nodes[neighbour.label() as usize])
        };
        ProcessId::first(placement.process_count()).map(of_process).collect()
    };
    cube.dimensions().map(row).collect()
}

/// The parameters of a run, by the letters of `docs/model.md`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) links: LinkMode,
    pub(crate) compute: u64, // T_a
    pub(crate) hop: u64,     // T_c
    pub(crate) tie: TieRule,
}

/// Full-duplex links, `T_a = 0`, `T_c = 1`.
pub(crate) const PLAIN: Setting =
    Setting { links: LinkMode::FullDuplex, compute: 0, hop: 1, tie: TieRule::Direct };

/// A compute-and-communicate program on placed processes.
#[derive(Debug)]
pub(crate) struct Trial {
    program: CubeProgram,
    placement: Placement,
    communication: Communication,
}

impl Trial {
    /// With the dimensions in ascending order.
    pub(crate) fn ascend(placement: Placement, setting: Setting) -> Self {
        let stages: Vec<u64> = (0..u64::from(placement.process_count().ilog2())).collect();
        Self::with_stages(placement, setting, &stages)
    }

    /// With these dimensions.
    pub(crate) fn with_stages(placement: Placement, setting: Setting, stages: &[u64]) -> Self {
        let cube = cube_placed(&placement);
        let stages = stages.iter().map(|&number| cube.dimension(number).unwrap()).collect();
        let program = CubeProgram::new(cube, stages, Cycles::new(setting.compute)).unwrap();
        let communication = Communication::new(setting.links, Cycles::new(setting.hop), setting.tie).unwrap();
        Self { program, placement, communication }
    }

    /// The makespan without contention.
    pub(crate) fn predicted(&self) -> u64 {
        predict(&self.program, &self.placement, self.communication).get()
    }

    /// The lower bound on the makespan.
    pub(crate) fn bound(&self) -> u64 {
        lower_bound(&self.program, &self.placement, self.communication).unwrap().cycles.get()
    }

    pub(crate) fn asynchronous(&self) -> Measured {
        self.measured(&Request::asynchronous(EngineChoice::Auto))
    }

    pub(crate) fn coordinated(&self) -> Measured {
        self.measured(&IN_ORDER)
    }

    pub(crate) fn measured(&self, request: &Request) -> Measured {
        let (outcome, records) = self.run(request);
        let mut finishes = vec![0; usize::try_from(self.placement.process_count()).unwrap()];
        for record in records {
            // The last stage of a process comes last.
            finishes[record.process.label() as usize] = (record.finish + record.idle).get();
        }
        Measured { outcome, finishes }
    }

    /// Runs in sums alone: no record is made and no link counted.
    pub(crate) fn in_sums(&self, request: &Request) -> Outcome {
        let (program, placement) = (&self.program, &self.placement);
        simulate(program, placement, self.communication, request, &mut ()).unwrap()
    }

    /// Runs with the busy cycles of the links counted, and returns the records besides.
    pub(crate) fn run(&self, request: &Request) -> (Outcome, Vec<StageRecord>) {
        let mut records = vec![];
        let (program, placement) = (&self.program, &self.placement);
        let outcome = simulate(
            program,
            placement,
            self.communication,
            &request.counting(CountLinkUse::Yes),
            &mut records,
        );
        (outcome.unwrap(), records)
    }
}

/// Coordinated, the lowest-numbered coordinate first, in the phases of the placement: without a limit unless a
/// construction of Tao 1988 brings one.
pub(crate) const IN_ORDER: Request = Request::coordinated(Routing::PLAIN);

/// The outcome of a run, and the finish of each process.
pub(crate) struct Measured {
    outcome: Outcome,
    finishes: Vec<u64>, // by process
}

impl std::ops::Deref for Measured {
    type Target = Outcome;

    fn deref(&self) -> &Outcome {
        &self.outcome
    }
}

pub(crate) fn finishes(measured: &Measured) -> Vec<u64> {
    measured.finishes.clone()
}

/// The finish of the last process.
pub(crate) fn makespan(outcome: &Outcome) -> u64 {
    outcome.summary.makespan().get()
}

/// The routing steps and the conflicts of each stage of a coordinated run.
pub(crate) fn steps_and_conflicts(outcome: &Outcome) -> Vec<(u64, u64)> {
    outcome.traffic.routing.as_ref().unwrap().iter().map(|stage| (stage.steps, stage.conflicts)).collect()
}

/// Calls `visit` with every order of `0..count`, each once.
pub(crate) fn for_each_bijection(count: u32, mut visit: impl FnMut(&[u32])) {
    let mut nodes: Vec<u32> = (0..count).collect();
    permute(&mut nodes, 0, &mut visit);
}

/// Calls `visit` with every order of the entries from `fixed` on, and leaves them as they were.
fn permute(nodes: &mut [u32], fixed: usize, visit: &mut impl FnMut(&[u32])) {
    if fixed == nodes.len() {
        visit(nodes);
        return;
    }
    for chosen in fixed..nodes.len() {
        nodes.swap(fixed, chosen);
        permute(nodes, fixed + 1, visit);
        nodes.swap(fixed, chosen);
    }
}

#[test]
fn every_bijection_is_visited_once() {
    let mut seen = std::collections::BTreeSet::new();
    for_each_bijection(6, |nodes| {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        assert!(seen.insert(nodes.to_vec()));
    });
    assert_eq!(seen.len(), 720);
}
