//! Lines and rings in any host (theorems 3.3.1 to 3.3.4), and guests of fewer dimensions than the host (theorem
//! 3.4.1): the functions `F_V`, `G_V` and `H_V`, which for one guest dimension are `f_L`, `g_L` and `h_L`.

use super::bijection::{Bijection, Composition, Expansion, rearrangement};
use super::descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
use super::error::UnmetCondition;
use super::factor::{Factor, can_be_even_first, partition, put_even_first};
use super::pair::{GraphType, ShapePair};
use super::plan::{Parameter, Plan, Planned};
use super::promise::{PromisedDilation, Routing};
use super::sequence::Sequence;

pub(super) static BASIC_F: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::BasicF,
    name: "basic-f",
    summary: "the reflected sequence f_L over the host's lengths",
    source: "Tao 1988, theorem 3.3.1",
    guest: "a line",
    host: "any",
    dilation: "1",
    sizes: Sizes::Equal,
    plan: |pair| plan_basic(Sequence::F, pair),
};

pub(super) static BASIC_H: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::BasicH,
    name: "basic-h",
    summary: "the circuit h_L of the host",
    source: "Tao 1988, theorems 3.3.4 and 3.3.3",
    guest: "a ring",
    host: "a torus, or a mesh of two dimensions or more with an even length",
    dilation: "1",
    sizes: Sizes::Equal,
    plan: |pair| plan_basic(Sequence::H, pair),
};

pub(super) static BASIC_G: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::BasicG,
    name: "basic-g",
    summary: "the sequence g_L, there and back on every other node",
    source: "Tao 1988, theorem 3.3.2",
    guest: "a ring",
    host: "any",
    dilation: "2",
    sizes: Sizes::Equal,
    plan: |pair| plan_basic(Sequence::G, pair),
};

pub(super) static EXPANSION_F: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::ExpansionF,
    name: "expansion-f",
    summary: "every coordinate expanded by f over its list of factors",
    source: "Tao 1988, theorem 3.4.1(a)",
    guest: "a mesh",
    host: "lengths are the guest's, factored",
    dilation: "1",
    sizes: Sizes::Equal,
    plan: |pair| plan_expansion(Sequence::F, pair),
};

pub(super) static EXPANSION_H: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::ExpansionH,
    name: "expansion-h",
    summary: "every coordinate expanded by h over its list of factors",
    source: "Tao 1988, theorem 3.4.1(b), (c)",
    guest: "a torus",
    host: "lengths are the guest's, factored; in a mesh every list of factors begins even",
    dilation: "1",
    sizes: Sizes::Equal,
    plan: |pair| plan_expansion(Sequence::H, pair),
};

pub(super) static EXPANSION_G: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::ExpansionG,
    name: "expansion-g",
    summary: "every coordinate expanded by g over its list of factors",
    source: "Tao 1988, theorem 3.4.1(c)",
    guest: "a torus",
    host: "lengths are the guest's, factored",
    dilation: "2",
    sizes: Sizes::Equal,
    plan: |pair| plan_expansion(Sequence::G, pair),
};

/// `f_L`, `g_L` or `h_L` for a guest of one dimension.
pub(super) fn plan_basic(sequence: Sequence, pair: &ShapePair) -> Planned {
    if pair.guest_dimensions() != 1 {
        return Err(UnmetCondition::OneDimension { found: pair.guest_dimensions() }.into());
    }
    match (sequence, pair.guest, pair.host) {
        (Sequence::F, GraphType::Torus, _) => Err(UnmetCondition::GuestMesh.into()),
        (Sequence::F, GraphType::Mesh, _) => Ok(direct(sequence, pair, "theorem 3.3.1", 1)),
        (Sequence::G, _, _) => Ok(direct(sequence, pair, "theorem 3.3.2", 2)),
        (Sequence::H, _, GraphType::Torus) => Ok(direct(sequence, pair, "theorem 3.3.4", 1)),
        (Sequence::H, _, GraphType::Mesh) => circuit_of_mesh(pair),
    }
}

/// The sequence over the host's lengths in their order.
fn direct(sequence: Sequence, pair: &ShapePair, theorem: &'static str, links: u64) -> Plan {
    let lengths = &pair.host_lengths;
    // Errata B5: two processes are never two links apart.
    let exact = pair.processes() > 2 && pair.is_exactly(GraphType::Torus, GraphType::Mesh);
    Plan {
        theorem,
        formula: format!("{}_L", sequence.letter()),
        parameters: vec![Parameter::list("L", lengths)],
        resizing: None,
        composition: Composition::new(vec![over_one_list(sequence, lengths)]),
        dilation: PromisedDilation::new(links, exact),
        routing: Some(Routing::for_dilation(links, 1, pair.host_dimensions())),
    }
}

/// `pi o h_L*`, `L*` being `L` with its first even length before the others (theorem 3.3.3).
fn circuit_of_mesh(pair: &ShapePair) -> Planned {
    let factor = even_first_factor(&[pair.processes()], &pair.host_lengths);
    let lengths = factor.ok_or(UnmetCondition::HamiltonianMesh)?.lengths();
    let permutation = rearrangement(&lengths, &pair.host_lengths);
    Ok(Plan {
        theorem: "theorem 3.3.3",
        formula: "pi o h_L*".to_owned(),
        parameters: vec![Parameter::list("Lstar", &lengths), Parameter::new("pi", &permutation)],
        resizing: None,
        composition: Composition::new(vec![
            over_one_list(Sequence::H, &lengths),
            Bijection::Permutation(permutation),
        ]),
        dilation: PromisedDilation::new(1, true),
        routing: Some(Routing::for_dilation(1, 1, lengths.len())),
    })
}

/// The expansion of one coordinate to a list of these lengths.
fn over_one_list(sequence: Sequence, lengths: &[u64]) -> Bijection {
    Bijection::Expansion(Expansion::new(sequence, Factor::new(&[lengths.to_vec()])))
}

/// `pi o F_V`, `pi o H_V` or `pi o G_V` (theorem 3.4.1).
fn plan_expansion(sequence: Sequence, pair: &ShapePair) -> Planned {
    let (guest, host) = (pair.guest_dimensions(), pair.host_dimensions());
    if guest >= host {
        return Err(UnmetCondition::ExpansionDimensions { guest, host }.into());
    }
    match (sequence, pair.guest, pair.host) {
        (Sequence::F, GraphType::Torus, _) => Err(UnmetCondition::GuestMesh.into()),
        (Sequence::F, GraphType::Mesh, _) => by_factor(sequence, pair, "theorem 3.4.1(a)"),
        (Sequence::H, _, GraphType::Torus) => by_factor(sequence, pair, "theorem 3.4.1(b)"),
        (Sequence::H, _, GraphType::Mesh) => by_even_factor(pair),
        (Sequence::G, _, _) => by_factor(sequence, pair, "theorem 3.4.1(c)"),
    }
}

/// `pi o F_V`, `pi o H_V` or `pi o G_V` with any factor.
pub(super) fn by_factor(sequence: Sequence, pair: &ShapePair, theorem: &'static str) -> Planned {
    let factor =
        any_factor(&pair.guest_lengths, &pair.host_lengths).ok_or(UnmetCondition::ExpansionFactor)?;
    Ok(with_factor(sequence, factor, pair, theorem))
}

/// `pi o H_V` with a factor whose lists are (2), or of two lengths or more, an even one first (errata C4).
fn by_even_factor(pair: &ShapePair) -> Planned {
    match even_first_factor(&pair.guest_lengths, &pair.host_lengths) {
        Some(factor) => Ok(with_factor(Sequence::H, factor, pair, "theorem 3.4.1(c)")),
        None if any_factor(&pair.guest_lengths, &pair.host_lengths).is_some() => {
            Err(UnmetCondition::EvenExpansionFactor.into())
        }
        None => Err(UnmetCondition::ExpansionFactor.into()),
    }
}

/// The first expansion factor of one list of lengths into another, components in the order of the host's.
fn any_factor(guest: &[u64], host: &[u64]) -> Option<Factor> {
    let groups = partition(guest, host, &|_, _| true)?;
    Some(Factor::of_groups(&groups, host))
}

/// The first factor of lists that are (2) or, of two components or more, have an even one, put first.
fn even_first_factor(guest: &[u64], host: &[u64]) -> Option<Factor> {
    let mut groups = partition(guest, host, &|_, list| can_be_even_first(list))?;
    for group in &mut groups {
        put_even_first(group, |&at| host[at]);
    }
    Some(Factor::of_groups(&groups, host))
}

fn with_factor(sequence: Sequence, factor: Factor, pair: &ShapePair, theorem: &'static str) -> Plan {
    let links = if sequence == Sequence::G { 2 } else { 1 };
    let permutation = rearrangement(&factor.lengths(), &pair.host_lengths);
    Plan {
        theorem,
        formula: format!("pi o {}_V", sequence.capital()),
        parameters: vec![Parameter::new("V", &factor), Parameter::new("pi", &permutation)],
        resizing: None,
        composition: Composition::new(vec![
            Bijection::Expansion(Expansion::new(sequence, factor)),
            Bijection::Permutation(permutation),
        ]),
        dilation: PromisedDilation::new(links, pair.is_exactly(GraphType::Torus, GraphType::Mesh)),
        routing: Some(Routing::for_dilation(links, pair.guest_dimensions(), pair.host_dimensions())),
    }
}
