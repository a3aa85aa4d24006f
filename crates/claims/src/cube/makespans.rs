//! What programs on hypercubes take: the prediction, and the lower bound.

use cubefold_mapping::{EmbeddingKind, Placement};
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, Cycles, EngineChoice, Execution, Outcome, Routing,
    SimulationError, lower_bound, predict, simulate,
};
use cubefold_topology::{LinkMode, Machine, TieRule};

use super::super::{
    Case, Scope,
    claim::Claim,
    findings::Findings,
    pairs::{Words, is_torus_host, machines_of},
    trial::Trial,
};
use super::{cube, embed, measure};

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
pub(super) const CLAIMS: &[Claim] = &[SUM, UNDISTURBED, CONFLICTS, PREDICTED, NOT_BELOW, OPTIMAL, BOUND];

/// Every machine here has powers of two as lengths, and every program uses each dimension once.
const NO_BOUND: &str = "no lower bound is stated";

/// `T_a` and `T_c` \[cycles\].
const TIMES: [(u64, u64); 3] = [(0, 1), (10, 1), (3, 2)];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
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
        write!(formatter, "{} on {}, T_a = {compute}, T_c = {hop}", kind.name(), Words(machine))
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

    fn simulate(&self, mode: LinkMode, execution: &Execution) -> Result<Outcome, SimulationError> {
        simulate(&self.program, &self.placement, self.links(mode), execution, CountLinkUse::No, &mut ())
    }

    fn check(&self, findings: &mut Findings) {
        for mode in LinkMode::ALL {
            match self.simulate(mode, &Execution::Asynchronous(EngineChoice::Auto)) {
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
            match self.simulate(LinkMode::FullDuplex, &Execution::Coordinated(Routing::PLAIN)) {
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
