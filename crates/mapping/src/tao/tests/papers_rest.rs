//! The cases of `tests/golden/papers_rest.json` for sequential elimination and for other numbers of processes and nodes
//! (`docs/model.md` sections 28.2 and 28.9), and random pairs beside them.

use std::collections::BTreeMap;

use cubefold_topology::{Extent, LinkMode, Machine, MachineKind};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use serde::Deserialize;
use serde_json::Value;

use super::{check, describe, machine, measured_dilation, processes};
use crate::{
    Construction, ConstructionKind, Exactness, RoutingSource,
    classic::guest_edges,
    test_support::{cases, wrapping},
};

/// The number of guest edges at each distance.
fn spectrum(construction: &Construction) -> BTreeMap<u64, u64> {
    let mut spectrum = BTreeMap::new();
    for (a, b) in guest_edges(construction.guest()) {
        let links = construction.host().distance(construction.node(a), construction.node(b));
        *spectrum.entry(links).or_default() += 1;
    }
    spectrum
}

/// The value of a parameter as the data write it.
fn parameter(construction: &Construction, name: &str) -> Value {
    let found = construction.parameters().iter().find(|parameter| parameter.name == name).unwrap();
    serde_json::from_str(&found.value).unwrap()
}

#[derive(Deserialize)]
struct Elimination {
    guest: Vec<u64>,
    guest_torus: bool,
    host: Vec<u64>,
    host_torus: bool,
    expect: ExpectedElimination,
}

#[derive(Deserialize)]
struct ExpectedElimination {
    variant: String,
    promised_dilation: u64,
    dilation: u64,
    multiplicands: Value,
    eliminated: Vec<usize>,
    factors: Value,
    promised_steps: Vec<u64>,
    spectrum: BTreeMap<u64, u64>,
    phase_lengths_of_eliminated: Option<Vec<u64>>,
    nodes: Option<Vec<u32>>,
}

fn kind_of(is_torus: bool) -> MachineKind {
    if is_torus { MachineKind::Torus } else { MachineKind::Mesh }
}

#[test]
fn sequential_eliminations_are_those_of_the_data() {
    let cases = cases("sequential-elimination");
    assert_eq!(cases.len(), 21);
    for case in cases {
        let case: Elimination = serde_json::from_value(case).unwrap();
        let guest = machine(kind_of(case.guest_torus), &case.guest);
        let host = machine(kind_of(case.host_torus), &case.host);
        let construction =
            Construction::named(ConstructionKind::SequentialElimination, &guest, &host).unwrap();
        let (expect, context) = (case.expect, describe(&construction));
        check(&construction);
        let formula = match expect.variant.as_str() {
            "F" => "F'",
            "H" => "H'",
            "G" => "G'",
            "TH" => "T_M o H'",
            "FT" => "F' o T_L",
            other => panic!("{other}"),
        };
        assert_eq!(construction.formula(), formula, "{context}");
        assert_eq!(construction.dilation().links, expect.promised_dilation, "{context}");
        assert_eq!(
            construction.dilation().exactness == Exactness::AtMost,
            formula.contains("T_"),
            "{context}"
        );
        assert_eq!(measured_dilation(&construction), expect.dilation, "{context}");
        assert_eq!(parameter(&construction, "multiplicands"), expect.multiplicands, "{context}");
        assert_eq!(parameter(&construction, "factors"), expect.factors, "{context}");
        assert_eq!(spectrum(&construction), expect.spectrum, "{context}");
        check_routing(&construction, &expect, &context);
        if let Some(nodes) = expect.nodes {
            let found: Vec<u32> =
                processes(&guest).map(|process| construction.node(process).index()).collect();
            assert_eq!(found, nodes, "{context}");
        }
    }
}

/// The promised steps, the routing vector and the phases.
fn check_routing(construction: &Construction, expect: &ExpectedElimination, context: &str) {
    let routing = construction.routing().unwrap();
    let steps: Vec<u64> = LinkMode::ALL.into_iter().filter_map(|mode| routing.steps().under(mode)).collect();
    assert_eq!(steps, expect.promised_steps, "{context}");
    match &expect.phase_lengths_of_eliminated {
        None => {
            assert!(routing.vector().iter().all(|&subset| subset == 1), "{context}");
            assert_eq!(routing.subsets().len(), 1, "{context}");
            assert_eq!(routing.source(), RoutingSource::Dissertation, "{context}");
        }
        Some(lengths) => {
            let subsets = &routing.subsets()[1..];
            let phase_lengths: Vec<u64> = subsets.iter().filter_map(|subset| subset.phase_length).collect();
            assert_eq!(&phase_lengths, lengths, "{context}");
            for (number, &dimension) in (2..).zip(&expect.eliminated) {
                assert_eq!(routing.vector()[dimension - 1], number, "{context}");
            }
            assert_eq!(routing.source(), RoutingSource::Extension, "{context}");
        }
    }
}

#[derive(Deserialize)]
struct OtherSize {
    guest: Vec<u64>,
    guest_wrap: Vec<bool>,
    host: Vec<u64>,
    host_wrap: Vec<bool>,
    expect: ExpectedSize,
}

#[derive(Deserialize)]
struct ExpectedSize {
    intermediate: Value,
    #[serde(rename = "box")]
    sides: Option<Value>,
    promised_dilation: u64,
    dilation: u64,
    load: u64,
    least_load: Option<u64>,
}

#[test]
fn other_numbers_of_processes_and_nodes_are_those_of_the_data() {
    for (item, kind) in [
        ("uneven-contraction", ConstructionKind::UnevenContraction),
        ("spare-nodes", ConstructionKind::SpareNodes),
    ] {
        let cases = cases(item);
        assert_eq!(cases.len(), 6, "{item}");
        for case in cases {
            let case: OtherSize = serde_json::from_value(case).unwrap();
            let guest = wrapping(&case.guest, &case.guest_wrap);
            let host = wrapping(&case.host, &case.host_wrap);
            let construction = Construction::named(kind, &guest, &host).unwrap();
            let (expect, context) = (case.expect, describe(&construction));
            check(&construction);
            assert_eq!(parameter(&construction, "K"), expect.intermediate, "{context}");
            if let Some(sides) = expect.sides {
                assert_eq!(parameter(&construction, "B"), sides, "{context}");
            }
            assert_eq!(construction.dilation().links, expect.promised_dilation, "{context}");
            assert_eq!(measured_dilation(&construction), expect.dilation, "{context}");
            assert_eq!(construction.load(), expect.load, "{context}");
            assert_eq!(construction.least_load(), expect.least_load.unwrap_or(0), "{context}");
            assert_eq!(construction.routing(), None, "{context}");
            assert_eq!(Construction::choose(&guest, &host).unwrap(), construction, "{context}");
        }
    }
}

#[test]
fn nine_processes_of_a_ring_go_to_four_nodes_in_runs() {
    let [guest, host] = [9, 4].map(|length| machine(MachineKind::Ring, &[length]));
    let construction = Construction::choose(&guest, &host).unwrap();
    let nodes: Vec<u32> = processes(&guest).map(|process| construction.node(process).index()).collect();
    assert_eq!(nodes, [0, 0, 0, 1, 1, 2, 2, 3, 3]);
}

/// A grid of one to four dimensions of 2 to 9, with up to `most` nodes, that wraps here and there.
fn random_grid(generator: &mut ChaCha12Rng, most: u64) -> Machine {
    loop {
        let dimensions = generator.random_range(1..=4);
        let lengths: Vec<u64> = (0..dimensions).map(|_| generator.random_range(2..=9)).collect();
        if lengths.iter().product::<u64>() <= most {
            let wraps: Vec<bool> = lengths.iter().map(|_| generator.random()).collect();
            return wrapping(&lengths, &wraps);
        }
    }
}

/// Checks random pairs of different sizes; returns how many have a construction, of each kind.
fn check_random_sizes(seed: u64, pairs: usize, most: u64) -> [usize; 2] {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    let mut covered = [0; 2];
    for _ in 0..pairs {
        let (guest, host) = (random_grid(&mut generator, most), random_grid(&mut generator, most));
        let kinds = [ConstructionKind::UnevenContraction, ConstructionKind::SpareNodes];
        for (count, kind) in covered.iter_mut().zip(kinds) {
            if let Ok(construction) = Construction::named(kind, &guest, &host) {
                check(&construction);
                *count += 1;
            }
        }
    }
    covered
}

#[test]
fn random_pairs_of_other_sizes_keep_their_loads_and_their_dilation() {
    let covered = check_random_sizes(28, 150, 100);
    assert!(covered.iter().all(|&count| count > 40), "{covered:?}");
}

#[test]
#[ignore = "takes some minutes: random pairs of up to 500 nodes"]
fn many_random_pairs_of_other_sizes_keep_their_loads_and_their_dilation() {
    let covered = check_random_sizes(29, 2000, 500);
    assert!(covered.iter().sum::<usize>() > 628, "{covered:?}");
}

/// All lengths `K` of a construction by exhaustive search (section 28.9): the best, its dilation and greatest load.
fn best_uneven(guest: &Machine, host: &Machine) -> Option<(u64, u64, Vec<u64>)> {
    let lengths = guest.shape().lengths();
    let mut shapes: Vec<Vec<u64>> = vec![vec![]];
    for &length in lengths {
        shapes = shapes
            .iter()
            .flat_map(|shape| (1..=length).map(|parts| [&shape[..], &[parts]].concat()).collect::<Vec<_>>())
            .collect();
    }
    shapes.retain(|shape| shape.iter().product::<u64>() == host.node_count());
    let judged = shapes.into_iter().filter_map(|shape| {
        let inner = part_of(guest, &shape);
        let links = Construction::choose(&inner, host).ok()?.dilation().links;
        let load = lengths.iter().zip(&shape).map(|(length, parts)| length.div_ceil(*parts)).product();
        Some((links, load, shape))
    });
    judged.min()
}

/// The grid of a shape without its lengths of 1, which wraps where the guest does.
fn part_of(guest: &Machine, shape: &[u64]) -> Machine {
    let rings = guest.extents().map(Extent::is_ring);
    let kept: Vec<(u64, bool)> = shape.iter().copied().zip(rings).filter(|(length, _)| *length > 1).collect();
    let (lengths, wraps): (Vec<u64>, Vec<bool>) = kept.into_iter().unzip();
    wrapping(&lengths, &wraps)
}

#[test]
fn the_uneven_contraction_is_the_best_of_all_by_trial() {
    let mut generator = ChaCha12Rng::seed_from_u64(30);
    let mut covered = 0;
    while covered < 60 {
        let (guest, host) = (random_grid(&mut generator, 60), random_grid(&mut generator, 30));
        if guest.node_count() <= host.node_count() {
            continue;
        }
        let found = Construction::named(ConstructionKind::UnevenContraction, &guest, &host).ok();
        let best = best_uneven(&guest, &host);
        let promised = found.as_ref().map(|construction| {
            let shape: Vec<u64> = serde_json::from_value(parameter(construction, "K")).unwrap();
            (construction.dilation().links, construction.load(), shape)
        });
        assert_eq!(promised, best, "{guest:?} on {host:?}");
        covered += usize::from(found.is_some());
    }
}

/// The best grid `K` and box `B` by exhaustive search: dilation, nodes, `K`, `B`.
fn best_corner(guest: &Machine, host: &Machine) -> Option<(u64, u64, Vec<u64>, Vec<u64>)> {
    let (lengths, room) = (guest.shape().lengths(), host.node_count());
    let rings: Vec<bool> = guest.extents().map(Extent::is_ring).collect();
    let mut grids: Vec<Vec<u64>> = vec![vec![]];
    for &length in lengths {
        let longer =
            |grid: &Vec<u64>| (length..=room).map(|side| [&grid[..], &[side]].concat()).collect::<Vec<_>>();
        grids = grids.iter().flat_map(longer).filter(|grid| grid.iter().product::<u64>() <= room).collect();
    }
    let mut boxes: Vec<Vec<u64>> = vec![vec![]];
    for &length in host.shape().lengths() {
        boxes = boxes
            .iter()
            .flat_map(|sides| (1..=length).map(|side| [&sides[..], &[side]].concat()).collect::<Vec<_>>())
            .collect();
    }
    let mut judged = vec![];
    for grid in &grids {
        let grows: Vec<bool> = lengths
            .iter()
            .zip(grid)
            .zip(&rings)
            .map(|((length, side), &ring)| ring && side > length)
            .collect();
        let factor = if grows.contains(&true) { 2 } else { 1 };
        let wraps: Vec<bool> = rings.iter().zip(&grows).map(|(&ring, &grows)| ring && !grows).collect();
        let nodes = grid.iter().product::<u64>();
        for sides in boxes.iter().filter(|sides| sides.iter().product::<u64>() == nodes) {
            let extents = host.extents().zip(sides).filter(|&(_, &side)| side > 1);
            let (long, around): (Vec<u64>, Vec<bool>) =
                extents.map(|(extent, &side)| (side, extent.is_ring() && side == extent.length())).unzip();
            let inner = Construction::choose(&wrapping(grid, &wraps), &wrapping(&long, &around));
            if let Ok(inner) = inner {
                judged.push((factor * inner.dilation().links, nodes, grid.clone(), sides.clone()));
            }
        }
    }
    judged.into_iter().min()
}

#[test]
fn the_corner_of_spare_nodes_is_the_best_of_all_by_trial() {
    let mut generator = ChaCha12Rng::seed_from_u64(31);
    let mut covered = 0;
    while covered < 60 {
        let (guest, host) = (random_grid(&mut generator, 30), random_grid(&mut generator, 40));
        if guest.node_count() >= host.node_count() {
            continue;
        }
        let found = Construction::named(ConstructionKind::SpareNodes, &guest, &host).ok();
        let promised = found.as_ref().map(|construction| {
            let of = |name| serde_json::from_value::<Vec<u64>>(parameter(construction, name)).unwrap();
            let grid = of("K");
            (construction.dilation().links, grid.iter().product(), grid, of("B"))
        });
        assert_eq!(promised, best_corner(&guest, &host), "{guest:?} on {host:?}");
        covered += usize::from(found.is_some());
    }
}
