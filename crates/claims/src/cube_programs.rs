//! Programs on hypercubes: normal algorithms (CS838 1999), and makespans, the prediction and the
//! lower bound (González & Valero 1993).

use std::error::Error;

use cubefold_mapping::{
    ClassicConstruction, ClassicPlacement, CubeDimension, EmbeddingKind, Hypercube, Placement,
    classic::FlipBit,
};
use cubefold_simulator::{
    Communication, CubeProgram, Cycles, DivideAndConquer, EngineChoice, LevelNetwork, LevelProgram, Outcome,
    Program, Request, Routing, ShuffleExchangeProgram, TreeDivideAndConquer, lower_bound, predict, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

use crate::{
    cases::{
        MachineLabel, hypercube, identity, is_torus_host, links, machines_of, mesh, most, route_by, table,
    },
    claim::{Claim, Trial, claims},
    cube::{cube, embed, measure},
    findings::{Case, Findings, Scope, for_each},
};

claims! {
    /// In the order of the notes.
    pub(super) CLAIMS:

    "CS838 divide and conquer":
        DIVIDE =
            "communication steps of divide and conquer on Q_n: n for the halves (erratum N8: dimensions 0..n), n for the results";
        DIVIDE_TREE =
            "makespan of divide and conquer on CBT_n in Q_(n+1), Q_(n+2), Q_n without contention: (2n + 1) T_a + 2 T_c D, D = n + 1, n, n";

    "CS838 divide and conquer on meshes":
        DIVIDE_ON_MESH =
            "makespan of divide and conquer on CBT_2m on the mesh (2^m, 2^m) without contention: D = 2, 6, 12 for m = 1, 2, 3";

    "CS838 normal algorithms":
        SHUFFLE_EXCHANGE = "communication steps of a normal algorithm of t steps on SE_n: 2t - 1";
        DE_BRUIJN =
            "communication steps on dB_(2,n-1), two processes a node: t - 1 (erratum N9; the notes promise t)";
        DE_BRUIJN_COMPUTATION = "computation steps on dB_(2,n-1), two processes a node: 2t";
        CYCLES = "communication steps of a normal algorithm of t steps on CCC_n, 2^n nodes at a time: 2t - 1";
        WRAPPED = "communication steps on wBF_n, 2^n nodes at a time: t, and one for each turn";
        BUTTERFLY =
            "communication steps on oBF_n: t, one for each turn, and n for each pair of dimensions n - 1 and 0, at most";
}

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let most = scope.quick_or_full(6, 10);
    let walks = (1..=most).flat_map(|order| walks(order).into_iter().map(move |walk| (order, walk)));
    [
        for_each(1..=most, divide),
        for_each(1..=most.min(8), divide_trees),
        for_each(1..=3, divide_on_mesh),
        for_each(walks, |(order, walk), findings| normal(order, &walk, findings)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A number of cycles or steps, or why it could not be measured.
type Measured = Result<u64, Box<dyn Error>>;

/// Computations and links of different lengths.
const COSTS: [(u64, u64); 3] = [(1, 1), (10, 1), (3, 2)];

fn divide_trees(levels: u64, findings: &mut Findings) {
    let cubes =
        [("double-rooted-tree", 1, levels + 1), ("wide-tree", 2, levels), ("binomial-tree", 0, levels)];
    for (name, more, longest) in cubes {
        divide_tree(findings, (DIVIDE_TREE, name), levels, &hypercube(levels + more), longest);
    }
}

fn divide_on_mesh(order: u32, findings: &mut Findings) {
    let longest = [2, 6, 12][order as usize - 1];
    let host = mesh(&[1 << order; 2]);
    divide_tree(findings, (DIVIDE_ON_MESH, "tree-on-mesh"), 2 * u64::from(order), &host, longest);
}

/// Divide and conquer on a tree that a construction places: the prediction for each cost.
fn divide_tree(
    findings: &mut Findings,
    (claim, name): (Claim, &str),
    levels: u64,
    host: &Machine,
    longest: u64,
) {
    for (compute, hop) in COSTS {
        let case = format!("{name}, n = {levels}, T_a = {compute}, T_c = {hop}");
        let cycles = predicted_on_tree(name, levels, host, compute, hop);
        let Some(cycles) = findings.or_fail(claim, &case, cycles) else { continue };
        let promised = (2 * levels + 1) * compute + 2 * hop * longest;
        findings.add(claim, Trial::equal(promised, cycles), &case);
    }
}

fn predicted_on_tree(name: &str, levels: u64, host: &Machine, compute: u64, hop: u64) -> Measured {
    let program = TreeDivideAndConquer::new(u32::try_from(levels)?, Cycles::new(compute))?;
    let guest = Machine::of_dimensions(MachineKind::BinaryTree, levels)?;
    let construction = ClassicConstruction::with_name(name).ok_or("no construction")?;
    let placement = ClassicPlacement::named(construction, &guest, host, &|_| FlipBit::LeftStays)?;
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(hop), TieRule::Direct)?;
    Ok(predict(&program, &Placement::Classic(Box::new(placement)), links).get())
}

/// Lists of dimensions in which each follows or precedes the one before: up, down, cyclic, and back
/// and forth.
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
    let host = hypercube(order);
    let program = DivideAndConquer::new(cube(&host), Cycles::ZERO);
    let cycles = cycles(&program, &embed(EmbeddingKind::Standard, &host));
    let trial = cycles.map(|cycles| Trial::equal(2 * order, cycles));
    findings.try_add(DIVIDE, trial, &format!("n = {order}"));
}

fn normal(order: u64, walk: &[u64], findings: &mut Findings) {
    let case = format!("n = {order}, dimensions {walk:?}");
    let steps = walk.len() as u64;
    let measured = [(SHUFFLE_EXCHANGE, 0, 2 * steps - 1), (DE_BRUIJN, 0, steps - 1)];
    for (claim, compute, promised) in measured {
        let trial = run_shuffled(order, walk, claim, compute).map(|cycles| Trial::equal(promised, cycles));
        findings.try_add(claim, trial, &case);
    }
    if order > 1 {
        normal_by_level(order, walk, findings);
    }
    // Long enough to differ from every other time.
    let computation = 1 << 20;
    let claim = DE_BRUIJN_COMPUTATION;
    let trial = run_shuffled(order, walk, claim, computation)
        .map(|cycles| Trial::equal(2 * steps, cycles / computation));
    findings.try_add(claim, trial, &case);
}

/// Runs a walk on cube-connected cycles and butterflies, every process on the node of its own number.
fn normal_by_level(order: u64, walk: &[u64], findings: &mut Findings) {
    let case = format!("n = {order}, dimensions {walk:?}");
    let steps = walk.len() as u64;
    let up = |pair: &[u64]| (pair[0] + 1) % order == pair[1];
    let turns = walk.windows(3).filter(|turn| order > 2 && up(&turn[..2]) != up(&turn[1..])).count() as u64;
    let wraps = walk.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == order - 1).count() as u64;
    for network in LevelNetwork::ALL {
        let (claim, promised) = match network {
            LevelNetwork::CubeConnectedCycles => (CYCLES, 2 * steps - 1),
            LevelNetwork::WrappedButterfly => (WRAPPED, steps + turns),
            LevelNetwork::Butterfly => (BUTTERFLY, steps + turns + order * wraps),
        };
        let trial = run_by_level(network, order, walk).map(|cycles| match network {
            LevelNetwork::Butterfly => Trial::at_most(promised, cycles),
            LevelNetwork::CubeConnectedCycles | LevelNetwork::WrappedButterfly => {
                Trial::equal(promised, cycles)
            }
        });
        findings.try_add(claim, trial, &case);
    }
}

fn run_by_level(network: LevelNetwork, order: u64, walk: &[u64]) -> Measured {
    let cube = Hypercube::new(order)?;
    let dimensions: Result<Vec<CubeDimension>, _> =
        walk.iter().map(|&number| cube.dimension(number)).collect();
    let program = LevelProgram::new(network, cube, dimensions?, Cycles::ZERO)?;
    cycles(&program, &identity(&Machine::of_dimensions(network.kind(), order)?))
}

/// The makespan on the network of the claim; there is no de Bruijn network of
/// 0 dimensions.
fn run_shuffled(order: u64, walk: &[u64], claim: Claim, compute: u64) -> Measured {
    let cube = Hypercube::new(order)?;
    let dimensions: Result<Vec<CubeDimension>, _> =
        walk.iter().map(|&number| cube.dimension(number)).collect();
    let program = ShuffleExchangeProgram::new(cube, dimensions?, Cycles::new(compute))?;
    let (kind, size, words) = if claim == SHUFFLE_EXCHANGE {
        (MachineKind::ShuffleExchange, order, 1)
    } else {
        (MachineKind::DeBruijn, order.max(2) - 1, 2)
    };
    let nodes = (0..1 << order).map(|word: u32| NodeId::new(word / words)).collect();
    cycles(&program, &table(&Machine::of_dimensions(kind, size)?, nodes))
}

fn cycles(program: &dyn Program, placement: &Placement) -> Measured {
    let request = Request::asynchronous(EngineChoice::Hop);
    let outcome = simulate(program, placement, links(LinkMode::FullDuplex), &request, &mut ())?;
    Ok(outcome.summary.makespan().get())
}

claims! {
    /// In the order in which they are shown.
    pub(super) MAKESPAN_CLAIMS:

    "González & Valero 1993, 2.1":
        SUM =
            "makespan of standard, and of xor on toruses, full-duplex: d T_a + T_c times the sum of the distances";
        UNDISTURBED = "cycles waited or blocked by standard, and by xor on toruses, full-duplex";
        CONFLICTS = "conflicts of standard, and of xor on toruses, routed in coordination, full-duplex";
        PREDICTED =
            "makespan of runs of any embedding without blocked cycles, any links: the recursion's prediction";
        NOT_BELOW = "makespan of any embedding, any links: no less than predicted";

    "lower bound (Harper 1964; Guu 1997; Tang)":
        OPTIMAL = "makespan of optimal on every torus and mesh, full-duplex: d T_a + T_c B, the bound";
        BOUND = "predicted makespan of any embedding: no less than d T_a + T_c B";
}

/// `T_a` and `T_c` \[cycles\].
const TIMES: [(u64, u64); 3] = [(0, 1), (10, 1), (3, 2)];

pub(super) fn makespan_cases(scope: Scope) -> Vec<Case> {
    let most_bits = scope.quick_or_full(6, 8);
    let machines = (1..=most_bits).flat_map(|bits| machines_of(1 << bits));
    let timed = machines.flat_map(|machine| TIMES.map(|times| (machine.clone(), times)));
    for_each(timed, |(machine, (compute, hop)), findings| {
        for kind in EmbeddingKind::ALL {
            Run::new(kind, &machine, compute, hop).check(findings);
        }
    })
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

    fn check(&self, findings: &mut Findings) {
        for mode in LinkMode::ALL {
            let request = Request::asynchronous(EngineChoice::Auto);
            let outcome = simulate(&self.program, &self.placement, self.links(mode), &request, &mut ());
            if let Some(outcome) = findings.or_fail(PREDICTED, self, outcome) {
                self.check_asynchronous(mode, &outcome, findings);
            }
        }
        let predicted = predict(&self.program, &self.placement, self.links(LinkMode::FullDuplex)).get();
        findings.add(BOUND, Trial::at_least(self.bound(), predicted), self);
        if self.is_undisturbed() {
            let links = self.links(LinkMode::FullDuplex);
            let stages = route_by(&self.program, &self.placement, links, &Routing::PLAIN);
            let trial = stages.map(|stages| Trial::equal(0, most(&stages).conflicts));
            findings.try_add(CONFLICTS, trial, self);
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
        if self.kind == EmbeddingKind::Optimal {
            findings.add(OPTIMAL, Trial::equal(self.bound(), makespan), self);
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
        let distances: u64 =
            measure(&self.placement).distances.iter().map(|distance| distance.over_edges.max).sum();
        let d = u64::from(self.program.cube().dimension_count());
        d * self.compute + self.hop * distances
    }

    #[expect(clippy::expect_used, reason = "lengths are powers of two, and every dimension is used once")]
    fn bound(&self) -> u64 {
        let links = self.links(LinkMode::FullDuplex);
        lower_bound(&self.program, &self.placement, links).expect("a lower bound").cycles.get()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn divide_and_conquer_on_trees_takes_the_predicted_times_of_the_checked_cases() {
        let text = include_str!("../../../tests/golden/papers_rest.json");
        let golden: Value = serde_json::from_str(text).unwrap();
        let cases = golden["cases"].as_array().unwrap().iter();
        let cases: Vec<&Value> = cases.filter(|case| case["item"] == "divide-and-conquer-tree").collect();
        assert!(!cases.is_empty());
        for case in cases {
            let [levels, compute, hop] =
                ["levels", "compute_cycles", "hop_cycles"].map(|key| case[key].as_u64().unwrap());
            let name = case["embedding"].as_str().unwrap();
            let more = match name {
                "double-rooted-tree" => 1,
                "wide-tree" => 2,
                _ => 0,
            };
            let predicted = predicted_on_tree(name, levels, &hypercube(levels + more), compute, hop).unwrap();
            assert_eq!(Some(predicted), case["expect"]["predicted"].as_u64(), "{case}");
        }
    }

    #[test]
    fn normal_algorithms_take_the_steps_of_the_checked_cases() {
        let text = include_str!("../../../tests/golden/cs838.json");
        let golden: Value = serde_json::from_str(text).unwrap();
        let statements = golden["statements"].as_array().unwrap();
        let normal = statements.iter().find(|statement| statement["id"] == "normal-algorithm").unwrap();
        let cases = normal["cases"].as_array().unwrap();
        for case in cases {
            let walk: Vec<u64> = serde_json::from_value(case["dimensions_used"].clone()).unwrap();
            let order = case["n"].as_u64().unwrap();
            let steps = |claim| run_shuffled(order, &walk, claim, 0).ok();
            assert_eq!(steps(SHUFFLE_EXCHANGE), case["steps_on_SE_n"].as_u64());
            assert_eq!(steps(DE_BRUIJN), case["communication_steps_on_dB_2_n_minus_1"].as_u64());
        }
        assert!(cases.len() > 5);
    }
}
