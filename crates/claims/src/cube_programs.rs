//! CS838 1999: divide and conquer on the hypercube, and normal hypercube algorithms on networks of shuffles.

use cubefold_mapping::{CubeDimension, EmbeddingKind, Hypercube, Placement, PlacementTable};
use cubefold_simulator::{
    Communication, CountLinkUse, Cycles, DivideAndConquer, EngineChoice, Execution, Program,
    ShuffleExchangeProgram, simulate,
};
use cubefold_topology::{LinkMode, Machine, MachineKind, NodeId, TieRule};

use super::{Case, Scope, claim::Claim, findings::Findings, trial::Trial};

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

/// Lists of dimensions in which each is the next or the one before: up, down, round and round, to and fro.
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
    // Long enough for whatever else takes time to be told from it.
    let computation = 1 << 20;
    let claim = DE_BRUIJN_COMPUTATION;
    match run_shuffled(order, walk, claim, computation) {
        Ok(cycles) => findings.add(claim, Trial::equal(2 * steps, cycles / computation), &case),
        Err(error) => findings.fail(claim, &case, &error),
    }
}

/// The makespan on the network that the claim speaks of; a de Bruijn network of no dimension is not made.
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

fn cycles(program: &impl Program, placement: &Placement) -> Result<u64, String> {
    let links = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct);
    let links = links.map_err(|error| error.to_string())?;
    let execution = Execution::Asynchronous(EngineChoice::Hop);
    let outcome = simulate(program, placement, links, &execution, CountLinkUse::No, &mut ());
    Ok(outcome.map_err(|error| error.to_string())?.summary.makespan().get())
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
