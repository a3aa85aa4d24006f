//! Programs on hypercubes: normal algorithms (CS838 1999), and makespans, the prediction and the
//! lower bound (González & Valero 1993).

use cubefold_mapping::{CubeDimension, EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_simulator::{
    Communication, CubeProgram, Cycles, DivideAndConquer, EngineChoice, Outcome, Program, Request, Routing,
    ShuffleExchangeProgram, SimulationError, lower_bound, predict, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

use crate::{
    cases::{MachineLabel, is_torus_host, machines_of},
    claim::{Claim, Trial},
    cube::{cube, embed, measure},
    findings::{Case, Findings, Scope},
};

const DIVIDE: Claim = Claim::new(
    "CS838 divide and conquer",
    "communication steps of divide and conquer on Q_n: n for the halves (erratum N8: dimensions 0..n), n for the results",
);
const SHUFFLE_EXCHANGE: Claim = Claim::new(
    "CS838 normal algorithms",
    "communication steps of a normal algorithm of t steps on SE_n: 2t - 1",
);
const DE_BRUIJN: Claim = Claim::new(
    "CS838 normal algorithms",
    "communication steps on dB_(2,n-1), two processes a node: t - 1 (erratum N9; the notes promise t)",
);
const DE_BRUIJN_COMPUTATION: Claim =
    Claim::new("CS838 normal algorithms", "computation steps on dB_(2,n-1), two processes a node: 2t");

/// In the order of the notes.
pub(super) const CLAIMS: [Claim; 4] = [DIVIDE, SHUFFLE_EXCHANGE, DE_BRUIJN, DE_BRUIJN_COMPUTATION];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = match scope {
        Scope::Quick => 6,
        Scope::Full => 10,
    };
    let divide = (1..=most).map(|order| -> Case { Box::new(move |findings| divide(order, findings)) });
    let normal = (1..=most).flat_map(|order| {
        walks(order)
            .into_iter()
            .map(move |walk| -> Case { Box::new(move |findings| normal(order, &walk, findings)) })
    });
    divide.chain(normal).collect()
}

/// Lists of dimensions in which each is the next or the one before: up, down, round and round, to
/// and fro.
fn walks(order: u64) -> Vec<Vec<u64>> {
    let up: Vec<u64> = (0..order).collect();
    let down = (0..order).rev().collect();
    if order == 1 {
        return vec![up];
    }
    let round = (0..=2 * order).map(|step| (step + order / 2) % order).collect();
    let fro = up.iter().copied().chain((0..order - 1).rev()).collect();
    vec![up, down, round, fro]
}

fn divide(order: u64, findings: &mut Findings) {
    let case = format!("n = {order}");
    let machine = Hypercube::new(order).map(Hypercube::shape);
    let run = machine.and_then(|machine| {
        let cube = Hypercube::new(order)?;
        Ok((cube, Placement::embed(EmbeddingKind::Standard, cube, &machine)))
    });
    let Ok((cube, Ok(placement))) = run else {
        return findings.fail(DIVIDE, &case, &"no hypercube");
    };
    match cycles(&DivideAndConquer::new(cube, Cycles::ZERO), &placement) {
        Ok(cycles) => findings.add(DIVIDE, Trial::equal(2 * order, cycles), &case),
        Err(error) => findings.fail(DIVIDE, &case, &error),
    }
}

fn normal(order: u64, walk: &[u64], findings: &mut Findings) {
    let case = format!("n = {order}, dimensions {walk:?}");
    let steps = walk.len() as u64;
    let measured = [(SHUFFLE_EXCHANGE, 0, 2 * steps - 1), (DE_BRUIJN, 0, steps - 1)];
    for (claim, compute, promised) in measured {
        match run_shuffled(order, walk, claim, compute) {
            Ok(cycles) => findings.add(claim, Trial::equal(promised, cycles), &case),
            Err(error) => findings.fail(claim, &case, &error),
        }
    }
    // Long enough to differ from every other time.
    let computation = 1 << 20;
    let claim = DE_BRUIJN_COMPUTATION;
    match run_shuffled(order, walk, claim, computation) {
        Ok(cycles) => findings.add(claim, Trial::equal(2 * steps, cycles / computation), &case),
        Err(error) => findings.fail(claim, &case, &error),
    }
}

/// The makespan on the network that the claim speaks of; a de Bruijn network of no dimension is not
/// made.
fn run_shuffled(order: u64, walk: &[u64], claim: Claim, compute: u64) -> Result<u64, String> {
    let cube = Hypercube::new(order).map_err(|error| error.to_string())?;
    let dimensions: Result<Vec<CubeDimension>, _> =
        walk.iter().map(|&number| cube.dimension(number)).collect();
    let dimensions = dimensions.map_err(|error| error.to_string())?;
    let program = ShuffleExchangeProgram::new(cube, dimensions, Cycles::new(compute))
        .map_err(|error| error.to_string())?;
    let (kind, own, words) = if claim == SHUFFLE_EXCHANGE {
        (MachineKind::ShuffleExchange, order, 1)
    } else {
        (MachineKind::DeBruijn, order.max(2) - 1, 2)
    };
    let machine = Machine::of_dimensions(kind, own).map_err(|error| error.to_string())?;
    let nodes = (0..1 << order).map(|word: u32| NodeId::new(word / words)).collect();
    let placement = PlacementTable::new(&machine, nodes).map_err(|error| error.to_string())?;
    cycles(&program, &Placement::Table(placement))
}

fn cycles(program: &dyn Program, placement: &Placement) -> Result<u64, String> {
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct);
    let links = links.map_err(|error| error.to_string())?;
    let request = Request::asynchronous(EngineChoice::Hop);
    let outcome = simulate(program, placement, links, &request, &mut ());
    Ok(outcome.map_err(|error| error.to_string())?.summary.makespan().get())
}

const SUM: Claim = Claim::new(
    "González & Valero 1993, 2.1",
    "makespan of standard, and of xor on toruses, full-duplex: d T_a + T_c times the sum of the distances",
);
const UNDISTURBED: Claim = Claim::new(
    "González & Valero 1993, 2.1",
    "cycles waited or blocked by standard, and by xor on toruses, full-duplex",
);
const CONFLICTS: Claim = Claim::new(
    "González & Valero 1993, 2.1",
    "conflicts of standard, and of xor on toruses, routed in coordination, full-duplex",
);
const PREDICTED: Claim = Claim::new(
    "González & Valero 1993, 2.1",
    "makespan of runs of any embedding without blocked cycles, any links: the recursion's prediction",
);
const NOT_BELOW: Claim =
    Claim::new("González & Valero 1993, 2.1", "makespan of any embedding, any links: no less than predicted");
const OPTIMAL: Claim = Claim::new(
    "lower bound (Harper 1964; Guu 1997; Tang)",
    "makespan of optimal on every torus and mesh, full-duplex: d T_a + T_c B, the bound",
);
const BOUND: Claim = Claim::new(
    "lower bound (Harper 1964; Guu 1997; Tang)",
    "predicted makespan of any embedding: no less than d T_a + T_c B",
);

/// In the order in which they are shown.
pub(super) const MAKESPAN_CLAIMS: &[Claim] =
    &[SUM, UNDISTURBED, CONFLICTS, PREDICTED, NOT_BELOW, OPTIMAL, BOUND];

/// Every machine here has powers of two as lengths, and every program uses each dimension once.
const NO_BOUND: &str = "no lower bound is stated";

/// `T_a` and `T_c` \[cycles\].
const TIMES: [(u64, u64); 3] = [(0, 1), (10, 1), (3, 2)];

pub(super) fn makespan_cases(scope: Scope) -> Vec<Case> {
    let most_bits = match scope {
        Scope::Quick => 6,
        Scope::Full => 8,
    };
    let mut cases: Vec<Case> = vec![];
    for bits in 1..=most_bits {
        for machine in machines_of(1 << bits) {
            for (compute, hop) in TIMES {
                let machine = machine.clone();
                cases.push(Box::new(move |findings| {
                    for kind in EmbeddingKind::ALL {
                        Run::new(kind, &machine, compute, hop).check(findings);
                    }
                }));
            }
        }
    }
    cases
}

/// A program that uses every dimension once, in ascending order, with one placement.
struct Run<'machine> {
    kind: EmbeddingKind,
    machine: &'machine Machine,
    placement: Placement,
    program: CubeProgram,
    compute: u64,
    hop: u64,
}

impl std::fmt::Display for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, machine, compute, hop, .. } = self;
        write!(formatter, "{} on {}, T_a = {compute}, T_c = {hop}", kind.name(), MachineLabel(machine))
    }
}

impl<'machine> Run<'machine> {
    #[expect(clippy::expect_used, reason = "the stages are the cube's own dimensions")]
    fn new(kind: EmbeddingKind, machine: &'machine Machine, compute: u64, hop: u64) -> Self {
        let cube = cube(machine);
        let program =
            CubeProgram::new(cube, CubeProgram::ascend(cube), Cycles::new(compute)).expect("stages");
        Self { kind, machine, placement: embed(kind, machine), program, compute, hop }
    }

    #[expect(clippy::expect_used, reason = "T_c is at least 1 here")]
    fn links(&self, mode: LinkMode) -> Communication {
        Communication::new(mode, Cycles::new(self.hop), TieRule::Direct).expect("a hop of some cycles")
    }

    fn simulate(&self, mode: LinkMode, request: &Request) -> Result<Outcome, SimulationError> {
        let links = self.links(mode);
        simulate(&self.program, &self.placement, links, request, &mut ())
    }

    fn check(&self, findings: &mut Findings) {
        for mode in LinkMode::ALL {
            match self.simulate(mode, &Request::asynchronous(EngineChoice::Auto)) {
                Ok(outcome) => self.check_asynchronous(mode, &outcome, findings),
                Err(error) => findings.fail(PREDICTED, self, &error),
            }
        }
        let predicted = predict(&self.program, &self.placement, self.links(LinkMode::FullDuplex)).get();
        match self.bound() {
            Some(bound) => findings.add(BOUND, Trial::at_least(bound, predicted), self),
            None => findings.fail(BOUND, self, &NO_BOUND),
        }
        if self.is_undisturbed() {
            match self.simulate(LinkMode::FullDuplex, &Request::coordinated(Routing::PLAIN)) {
                Ok(outcome) => {
                    let stages = outcome.traffic.routing.unwrap_or_default();
                    let conflicts: u64 = stages.iter().map(|stage| stage.conflicts).sum();
                    findings.add(CONFLICTS, Trial::equal(0, conflicts), self);
                }
                Err(error) => findings.fail(CONFLICTS, self, &error),
            }
        }
    }

    fn check_asynchronous(&self, mode: LinkMode, outcome: &Outcome, findings: &mut Findings) {
        let makespan = outcome.summary.makespan().get();
        let predicted = predict(&self.program, &self.placement, self.links(mode)).get();
        findings.add(NOT_BELOW, Trial::at_least(predicted, makespan), self);
        let totals = outcome.summary.totals();
        if totals.blocked == 0 {
            findings.add(PREDICTED, Trial::equal(predicted, makespan), self);
        }
        if mode != LinkMode::FullDuplex {
            return;
        }
        if self.is_undisturbed() {
            findings.add(SUM, Trial::equal(self.sum(), makespan), self);
            let disturbed = u64::try_from(totals.waiting + totals.blocked).unwrap_or(u64::MAX);
            findings.add(UNDISTURBED, Trial::equal(0, disturbed), self);
        }
        match (self.kind, self.bound()) {
            (EmbeddingKind::Optimal, Some(bound)) => {
                findings.add(OPTIMAL, Trial::equal(bound, makespan), self);
            }
            (EmbeddingKind::Optimal, None) => findings.fail(OPTIMAL, self, &NO_BOUND),
            _ => {}
        }
    }

    /// Whether the model promises a run without waiting and contention (`docs/model.md` section 8).
    fn is_undisturbed(&self) -> bool {
        match self.kind {
            EmbeddingKind::Standard => true,
            EmbeddingKind::Xor => is_torus_host(self.machine),
            EmbeddingKind::Byweight | EmbeddingKind::Gray | EmbeddingKind::Optimal => false,
        }
    }

    /// `d T_a + T_c` times the sum of the distances, which are constant.
    fn sum(&self) -> u64 {
        let distances: u64 = measure(&self.placement).distances.iter().map(|own| own.over_edges.max).sum();
        let d = u64::from(self.program.cube().dimension_count());
        d * self.compute + self.hop * distances
    }

    fn bound(&self) -> Option<u64> {
        let links = self.links(LinkMode::FullDuplex);
        Some(lower_bound(&self.program, &self.placement, links)?.cycles.get())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn normal_algorithms_take_the_steps_of_the_checked_cases() {
        let text = include_str!("../../../tests/golden/cs838.json");
        let golden: Value = serde_json::from_str(text).unwrap();
        let statements = golden["statements"].as_array().unwrap();
        let normal = statements.iter().find(|statement| statement["id"] == "normal-algorithm").unwrap();
        let cases = normal["cases"].as_array().unwrap();
        for case in cases {
            let walk: Vec<u64> =
                case["dimensions_used"].as_array().unwrap().iter().map(|own| own.as_u64().unwrap()).collect();
            let order = case["n"].as_u64().unwrap();
            let steps = |claim| run_shuffled(order, &walk, claim, 0).ok();
            assert_eq!(steps(SHUFFLE_EXCHANGE), case["steps_on_SE_n"].as_u64());
            assert_eq!(steps(DE_BRUIJN), case["communication_steps_on_dB_2_n_minus_1"].as_u64());
        }
        assert!(cases.len() > 5);
    }
}
