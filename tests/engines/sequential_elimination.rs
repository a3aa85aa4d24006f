//! Sequential elimination against the coordinated engine (`docs/model.md` section 28.2): permutation sets take at most
//! the promised steps under every link mode, and without conflicts where the routing has one subset.

use cubefold_mapping::{Construction, ConstructionKind, GraphGuest, Placement};
use cubefold_simulator::{Communication, Cycles, NeighbourProgram, Pattern, Request, Routing, simulate};
use cubefold_topology::{LinkMode, Machine, MachineKind, TieRule};
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use serde_json::Value;

/// Routes the shift sets of the guest and some random permutation sets under all link modes.
fn check_steps(construction: &Construction, sets: usize, key: [u8; 32]) {
    let context = format!(
        "{}: {:?} on {:?}, {:?}",
        construction.formula(),
        construction.guest(),
        construction.host(),
        construction.parameters()
    );
    let promised = construction.routing().unwrap().steps();
    let placement = Placement::Construction(Box::new(construction.clone()));
    for pattern in [Pattern::Shift, Pattern::Permutation { sets, key }] {
        let guest = GraphGuest::new(construction.guest().clone());
        let program = NeighbourProgram::new(guest, pattern, Cycles::ZERO).unwrap();
        for mode in LinkMode::ALL {
            let links = Communication::new(mode, Cycles::new(1), TieRule::Direct).unwrap();
            let request = Request::coordinated(Routing::PLAIN);
            let outcome = simulate(&program, &placement, links, &request, &mut ()).unwrap();
            for stage in outcome.traffic.routing.unwrap() {
                // Where subsets and phases route one dimension after another, messages may meet within a phase.
                let is_by_step = construction.routing().unwrap().subsets().len() > 1;
                assert!(stage.conflicts == 0 || is_by_step, "{mode}: {context}");
                if let Some(most) = promised.under(mode) {
                    assert!(stage.steps <= most, "{} steps, {most} promised, {mode}: {context}", stage.steps);
                }
            }
        }
    }
}

/// The four pairs of mesh and torus of two shapes.
fn constructions(guest: &[u64], host: &[u64]) -> Vec<Construction> {
    let kinds = [MachineKind::Mesh, MachineKind::Torus];
    let machine = |kind, lengths| Machine::new(kind, lengths).unwrap();
    let pairs = kinds.into_iter().flat_map(|from| kinds.map(|to| (machine(from, guest), machine(to, host))));
    pairs
        .map(|(from, to)| Construction::named(ConstructionKind::SequentialElimination, &from, &to).unwrap())
        .collect()
}

/// Two shapes with a chain: some lengths of a random guest times factors of its others.
fn random_pair(generator: &mut ChaCha12Rng) -> (Vec<u64>, Vec<u64>) {
    loop {
        let guest: Vec<u64> =
            (0..generator.random_range(2..=6)).map(|_| generator.random_range(2..=8)).collect();
        if guest.iter().product::<u64>() > 800 {
            continue;
        }
        let mut shuffled = guest.clone();
        shuffled.shuffle(generator);
        let mut host = shuffled.split_off(generator.random_range(1..guest.len()));
        for mut length in shuffled {
            for prime in [2, 3, 5, 7] {
                while length.is_multiple_of(prime) {
                    length /= prime;
                    let place = generator.random_range(0..host.len());
                    host[place] *= prime;
                }
            }
        }
        return (guest, host);
    }
}

/// Checks all four pairs of types of random shapes; returns the number of placements.
fn check_random_pairs(seed: u64, pairs: usize, sets: usize) -> usize {
    let mut generator = ChaCha12Rng::seed_from_u64(seed);
    let drawn: Vec<_> = (0..pairs).map(|_| (random_pair(&mut generator), generator.random())).collect();
    drawn
        .into_par_iter()
        .map(|((guest, host), key)| {
            let constructions = constructions(&guest, &host);
            constructions.iter().for_each(|construction| check_steps(construction, sets, key));
            constructions.len()
        })
        .sum()
}

#[test]
fn random_chains_keep_their_promised_steps() {
    assert_eq!(check_random_pairs(28, 40, 3), 160);
}

#[test]
#[ignore = "takes a minute or so: 686 pairs of shapes"]
fn many_random_chains_keep_their_promised_steps() {
    assert_eq!(check_random_pairs(286, 686, 8), 2744);
}

#[test]
fn the_chains_of_the_data_keep_their_promised_steps() {
    let golden: Value = serde_json::from_str(include_str!("../golden/papers_rest.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    let of_item = cases.iter().filter(|case| case["item"] == "sequential-elimination");
    let lengths = |value: &Value| -> Vec<u64> { serde_json::from_value(value.clone()).unwrap() };
    let mut checked = 0;
    for case in of_item {
        for construction in constructions(&lengths(&case["guest"]), &lengths(&case["host"])) {
            check_steps(&construction, 4, [7; 32]);
            checked += 1;
        }
    }
    assert_eq!(checked, 84);
}
