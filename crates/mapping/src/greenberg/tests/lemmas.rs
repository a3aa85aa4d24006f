//! The combinatorial lemmas of sections 2 and 3. Lemma 5 is tested beside [`disjoint_paths`](crate::disjoint_paths).

use crate::{flexed_dimension, gray_code_word};

#[test]
fn lemma_1_nodes_a_power_of_two_apart_on_the_code_are_two_links_apart() {
    for dimensions in 1..=10_u32 {
        let nodes = 1_u32 << dimensions;
        for power in 1..dimensions {
            for position in 0..nodes {
                // Also across the end of the code.
                let other = (position + (1 << power)) % nodes;
                assert_eq!((gray_code_word(position) ^ gray_code_word(other)).count_ones(), 2);
            }
        }
    }
}

/// How often each node of a cube has been pebbled after each of `rounds` rounds, `pebbles` at a time (definition 7).
fn pebbling(dimensions: u32, pebbles: u32, rounds: u32) -> Vec<Vec<i32>> {
    let mut counts = vec![0; 1 << dimensions];
    let mut crossed = 0;
    let mut round = |number| {
        (0..pebbles).for_each(|position| counts[(gray_code_word(position) ^ crossed) as usize] += 1);
        crossed ^= 1 << flexed_dimension(number, dimensions);
        counts.clone()
    };
    (1..=rounds).map(&mut round).collect()
}

fn spread<'a>(counts: impl Iterator<Item = &'a i32> + Clone) -> i32 {
    counts.clone().max().unwrap() - counts.min().unwrap()
}

#[test]
fn lemma_2_1_a_primary_subcube_pebbles_every_node_once() {
    for dimensions in 1..=8 {
        for own in 0..=dimensions {
            let rounds = 1 << (dimensions - own);
            let counts = pebbling(dimensions, 1 << own, rounds);
            assert!(counts[rounds as usize - 1].iter().all(|&count| count == 1));
        }
    }
}

#[test]
fn lemma_2_2_and_2_3_neighbours_differ_by_one_and_all_nodes_by_half_the_dimensions() {
    for dimensions in 1..=7_u32 {
        let mut most = 0;
        for pebbles in 1..=1 << dimensions {
            // Twice round the flexed sequence.
            for counts in pebbling(dimensions, pebbles, 2 << dimensions) {
                for (node, count) in counts.iter().enumerate() {
                    for dimension in 0..dimensions {
                        assert!(i32::abs(count - counts[node ^ (1 << dimension)]) <= 1);
                    }
                }
                most = most.max(spread(counts.iter()));
            }
        }
        // The lemma promises at most n; measured it is this.
        assert_eq!(most, dimensions.div_ceil(2).cast_signed());
    }
}

#[test]
fn lemma_3_a_node_beside_two_of_a_shortest_path_is_on_one_too() {
    let distance = |one: u32, other: u32| (one ^ other).count_ones();
    for target in 0..32_u32 {
        for node in 0..32 {
            // Two neighbours of the node on one shortest path from 0: both on some, and in line.
            let beside: Vec<u32> = (0..5).map(|dimension| node ^ (1 << dimension)).collect();
            for &one in &beside {
                for &other in beside.iter().filter(|&&other| other != one) {
                    let length = distance(0, one) + distance(one, other) + distance(other, target);
                    if length == distance(0, target) {
                        assert_eq!(distance(0, node) + distance(node, target), distance(0, target));
                    }
                }
            }
        }
    }
}

#[test]
fn lemma_4_homes_have_disjoint_pairs_of_neighbours() {
    for dimensions in 2..=5_u32 {
        let nodes = 1 << dimensions;
        for_each_set(nodes, dimensions as usize - 1, &mut vec![], &mut |homes| {
            assert!(claim_pairs(homes, dimensions, &mut vec![]), "{homes:?}");
        });
    }
}

fn for_each_set(nodes: u32, size: usize, set: &mut Vec<u32>, check: &mut impl FnMut(&[u32])) {
    if set.len() == size {
        return check(set);
    }
    for node in set.last().map_or(0, |last| last + 1)..nodes {
        set.push(node);
        for_each_set(nodes, size, set, check);
        set.pop();
    }
}

/// Whether the homes from the `taken.len() / 2`-th on can claim two neighbours each that nobody else has.
fn claim_pairs(homes: &[u32], dimensions: u32, taken: &mut Vec<u32>) -> bool {
    let Some(&home) = homes.get(taken.len() / 2) else { return true };
    let neighbours = (0..dimensions).map(|dimension| home ^ (1 << dimension));
    let free: Vec<u32> = neighbours.filter(|node| !taken.contains(node) && !homes.contains(node)).collect();
    for (at, &one) in free.iter().enumerate() {
        for &other in &free[at + 1..] {
            taken.extend([one, other]);
            if claim_pairs(homes, dimensions, taken) {
                return true;
            }
            taken.truncate(taken.len() - 2);
        }
    }
    false
}
