//! Random placements: the baseline for planned placements.
//!
//! Every placement is as likely as every other: the places of the processes are the first of a random order of all places
//! (Fisher & Yates 1938), of which a node has as many as it takes processes. The seed of the scenario decides the order,
//! with the numbers of processes and nodes and nothing else, so that all link modes, programs and machines of one size
//! share it.

use std::collections::BTreeMap;

use cubefold_topology::{NodeId, narrow};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::{EmbeddingRefusal, Placement, PlacementTable, PlacementTask, SeededEmbedding};

/// `random`: each process on a node drawn by the seed.
pub const RANDOM: SeededEmbedding = SeededEmbedding {
    name: "random",
    summary: "each process on a node drawn by the seed: a baseline",
    source: "Fisher & Yates 1938",
    takes: "any program and any machine whose nodes take its processes",
    place,
};

/// `random-groups`: each group of consecutive processes that share a node on a node drawn by the seed.
pub const RANDOM_GROUPS: SeededEmbedding = SeededEmbedding {
    name: "random-groups",
    summary: "consecutive processes that share a node, each group on a node drawn by the seed",
    ..RANDOM
};

/// The most places: one number per place is shuffled.
const MAX_PLACES: u64 = 1 << 28;
/// The places per process from which on only the places drawn are kept.
const MANY: u64 = 16;

fn place(task: &PlacementTask<'_>) -> Result<Placement, EmbeddingRefusal> {
    let nodes = task.hosts.map_or_else(|| task.machine.host_count(), |hosts| hosts.len() as u64);
    let processes = task.guest.node_count();
    let places = nodes.saturating_mul(task.per_node);
    if places < processes {
        let message = format!("{places} places for {processes} processes, expected at least {processes}");
        return Err(EmbeddingRefusal { message, help: "program.processes_per_node is the number of a node" });
    }
    let is_sparse = places / MANY > processes;
    let shuffled = usize::try_from(processes).ok().filter(|_| is_sparse || places <= MAX_PLACES);
    let Some(count) = shuffled else {
        let message = format!("{places} places for processes, expected at most {MAX_PLACES} (2^28)");
        return Err(EmbeddingRefusal { message, help: "it keeps the order of all places in memory" });
    };
    let of_each = if task.per_node == 1 { String::new() } else { format!(" of {}", task.per_node) };
    let key = (task.key)(&format!("random placement; {processes} processes; {nodes} nodes{of_each}"));
    let mut generator = ChaCha12Rng::from_seed(key);
    let per_node = usize::try_from(task.per_node).unwrap_or(usize::MAX);
    let order = if is_sparse && task.hosts.is_none() && nodes == task.machine.numbered_hosts() {
        let drawn = first_of_many(&mut generator, count, usize::try_from(places).unwrap_or(usize::MAX));
        drawn.into_iter().map(|place| NodeId::new(narrow((place / per_node) as u64))).collect()
    } else {
        let hosts: Vec<NodeId> =
            task.hosts.map_or_else(|| task.machine.hosts().collect(), <[NodeId]>::to_vec);
        let mut order: Vec<NodeId> = match per_node {
            1 => hosts,
            _ => hosts.into_iter().flat_map(|host| std::iter::repeat_n(host, per_node)).collect(),
        };
        for place in 0..count {
            let drawn = generator.random_range(place..order.len());
            order.swap(place, drawn);
        }
        order.truncate(count);
        order
    };
    let table = PlacementTable::new(task.machine, order);
    table
        .map(Placement::Table)
        .map_err(|error| EmbeddingRefusal { message: error.to_string(), help: "give the program processes" })
}

/// The first `count` of `0..all` in the same random order; only the places that have changed are kept.
fn first_of_many(generator: &mut ChaCha12Rng, count: usize, all: usize) -> Vec<usize> {
    let mut moved = BTreeMap::new(); // numbers by the place to which they were moved
    let draw = |place: usize| {
        let drawn = generator.random_range(place..all);
        let number = moved.remove(&place).unwrap_or(place);
        if drawn == place { number } else { moved.insert(drawn, number).unwrap_or(drawn) }
    };
    (0..count).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Machine, MachineKind};

    #[test]
    fn few_of_many_are_the_first_of_the_whole_order() {
        for (seed, (count, all)) in (0..).zip([(0, 1), (1, 1), (7, 7), (5, 9), (40, 1000), (3, 1 << 20)]) {
            let mut generator = ChaCha12Rng::from_seed([seed; 32]);
            let mut order: Vec<usize> = (0..all).collect();
            for place in 0..count {
                let drawn = generator.random_range(place..all);
                order.swap(place, drawn);
            }
            let found = first_of_many(&mut ChaCha12Rng::from_seed([seed; 32]), count, all);
            assert_eq!(found, order[..count]);
        }
        let torus = grid(MachineKind::Torus, &[65536, 65536]);
        assert_eq!(nodes(&grid(MachineKind::Line, &[4]), &torus, 1).unwrap().len(), 4);
    }

    /// The nodes of the processes of a guest on a machine; `seed` gives the key.
    fn nodes(guest: &Machine, machine: &Machine, seed: u8) -> Result<Vec<NodeId>, EmbeddingRefusal> {
        let key = |task: &str| {
            let mut key = [seed; 32];
            key.iter_mut().zip(task.bytes()).for_each(|(byte, letter)| *byte ^= letter);
            key
        };
        place(&PlacementTask { guest, machine, hosts: None, per_node: 1, key: &key })
            .map(|placement| placement.nodes())
    }

    fn grid(kind: MachineKind, lengths: &[u64]) -> Machine {
        Machine::new(kind, lengths).unwrap()
    }

    #[test]
    fn random_placements_are_one_to_one_on_grids_and_networks() {
        let machines = [
            grid(MachineKind::Torus, &[5, 3]),
            grid(MachineKind::Line, &[100]),
            Machine::of_dimensions(MachineKind::CubeConnectedCycles, 3).unwrap(),
        ];
        for machine in &machines {
            for processes in [2, 7, 15] {
                let mut nodes = nodes(&grid(MachineKind::Line, &[processes]), machine, 3).unwrap();
                assert!(nodes.iter().all(|node| u64::from(node.index()) < machine.node_count()));
                nodes.sort_unstable();
                nodes.dedup();
                assert_eq!(nodes.len() as u64, processes, "{}", machine.kind());
            }
        }
    }

    #[test]
    fn as_many_nodes_as_processes_give_a_bijection() {
        let ring = grid(MachineKind::Ring, &[64]);
        let mut nodes = nodes(&grid(MachineKind::Mesh, &[8, 8]), &ring, 0).unwrap();
        nodes.sort_unstable();
        assert_eq!(nodes, ring.nodes().collect::<Vec<_>>());
    }

    #[test]
    fn the_seed_decides_the_placement_and_nothing_but_the_sizes_else() {
        let [torus, mesh] = [MachineKind::Torus, MachineKind::Mesh].map(|kind| grid(kind, &[8, 8]));
        assert_eq!(nodes(&mesh, &torus, 1), nodes(&torus, &mesh, 1));
        assert_ne!(nodes(&mesh, &torus, 1), nodes(&mesh, &torus, 2));
    }

    #[test]
    fn every_node_is_as_likely_as_every_other() {
        let (pair, ring) = (grid(MachineKind::Line, &[2]), grid(MachineKind::Ring, &[4]));
        let mut counts = [0; 4];
        for seed in 0..=u8::MAX {
            counts[nodes(&pair, &ring, seed).unwrap()[0].index() as usize] += 1;
        }
        // 64 each on average, with a standard deviation of 7.
        assert!(counts.iter().all(|count| (36..=92).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_node_takes_as_many_processes_as_it_may() {
        let (pairs, ring) = (grid(MachineKind::Line, &[12]), grid(MachineKind::Ring, &[4]));
        let task =
            PlacementTask { guest: &pairs, machine: &ring, hosts: None, per_node: 3, key: &|_| [7; 32] };
        let nodes = place(&task).unwrap().nodes();
        for node in ring.nodes() {
            assert_eq!(nodes.iter().filter(|placed| **placed == node).count(), 3);
        }
        assert!(nodes.chunks(3).any(|group| group.iter().any(|node| *node != group[0])), "{nodes:?}");
    }

    #[test]
    fn too_few_nodes_are_refused() {
        let refusal = nodes(&grid(MachineKind::Line, &[9]), &grid(MachineKind::Ring, &[8]), 1).unwrap_err();
        assert_eq!(refusal.to_string(), "8 places for 9 processes, expected at least 9");
    }
}
