//! Lines and rings in any host: theorems 3.3.1 to 3.3.4.

use super::error::UnmetCondition;
use super::expansion::{Expansion, even_first_factor};
use super::factor::Factor;
use super::graph_type::{GraphType, Pair};
use super::permutation::rearrangement;
use super::plan::{Parameter, Plan};
use super::promise::{PromisedDilation, PromisedSteps, Routing};
use super::sequence::Sequence;
use super::step::Step;

/// `f_L`, `g_L` or `h_L` for a guest of one dimension.
pub(super) fn plan(sequence: Sequence, pair: &Pair) -> Result<Plan, UnmetCondition> {
    if pair.guest_dimensions() != 1 {
        return Err(UnmetCondition::OneDimension { found: pair.guest_dimensions() });
    }
    match (sequence, pair.guest, pair.host) {
        (Sequence::F, GraphType::Torus, _) => Err(UnmetCondition::GuestMesh),
        (Sequence::F, GraphType::Mesh, _) => Ok(direct(sequence, pair, "theorem 3.3.1", 1)),
        (Sequence::G, _, _) => Ok(direct(sequence, pair, "theorem 3.3.2", 2)),
        (Sequence::H, _, GraphType::Torus) => Ok(direct(sequence, pair, "theorem 3.3.4", 1)),
        (Sequence::H, _, GraphType::Mesh) => round_a_mesh(pair),
    }
}

/// The sequence over the host's lengths as they stand.
fn direct(sequence: Sequence, pair: &Pair, theorem: &'static str, links: u64) -> Plan {
    let lengths = &pair.host_lengths;
    // Errata B5: two processes are never two links apart.
    let exact = pair.processes() > 2 && pair.is_exactly(GraphType::Torus, GraphType::Mesh);
    Plan {
        theorem,
        formula: format!("{}_L", sequence.letter()),
        parameters: vec![Parameter::list("L", lengths)],
        contraction: None,
        steps: vec![step(sequence, lengths)],
        dilation: PromisedDilation::new(links, exact),
        routing: routing(links, pair.host_dimensions()),
    }
}

/// `pi o h_L*`, `L*` being `L` with its first even length before the others (theorem 3.3.3).
fn round_a_mesh(pair: &Pair) -> Result<Plan, UnmetCondition> {
    let factor = even_first_factor(&[pair.processes()], &pair.host_lengths);
    let lengths = factor.ok_or(UnmetCondition::HamiltonianMesh)?.lengths();
    let permutation = rearrangement(&lengths, &pair.host_lengths);
    Ok(Plan {
        theorem: "theorem 3.3.3",
        formula: "pi o h_L*".to_owned(),
        parameters: vec![Parameter::list("Lstar", &lengths), Parameter::list("pi", &permutation.numbers())],
        contraction: None,
        steps: vec![step(Sequence::H, &lengths), Step::Permutation(permutation)],
        dilation: PromisedDilation::new(1, true),
        routing: routing(1, lengths.len()),
    })
}

fn step(sequence: Sequence, lengths: &[u64]) -> Step {
    Step::Expansion(Expansion::new(sequence, Factor::new(&[lengths.to_vec()])))
}

/// One subset; dilation 2 in phases of one link (theorems 4.5.1 and 4.5.2, errata A1 and A2).
fn routing(links: u64, host_dimensions: usize) -> Routing {
    let phase_length = (links == 2).then_some(1);
    Routing::together(1, phase_length, PromisedSteps::uniform(links, host_dimensions))
}
