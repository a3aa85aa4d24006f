//! `B` of the lower bound is the least total dilation over `2^(d-1)`, and no placement finishes before the
//! bound (`docs/model.md` section 5): tried on every placement of the 3-cube.

use cubefold_mapping::least_distances;
use cubefold_topology::{LinkMode, Machine};

use super::bijections::for_each_bijection;
use super::setting::{PLAIN, Setting, Trial, distances, machines, makespan, place, ring};

/// The total dilation of process `n` on node `nodes[n]`.
fn total_dilation(machine: &Machine, nodes: &[u32]) -> u64 {
    // Every edge is counted from both ends.
    distances(&place(machine, nodes)).iter().flatten().sum::<u64>() / 2
}

#[test]
fn b_is_the_least_total_dilation_of_all_bijections_on_every_machine_of_up_to_8_nodes() {
    for bits in 1..=3 {
        for machine in machines(bits) {
            let mut least = u64::MAX;
            for_each_bijection(1 << bits, |nodes| least = least.min(total_dilation(&machine, nodes)));
            let bound = least_distances(&machine).unwrap().sum;
            assert_eq!(least, bound << (bits - 1), "{:?}", machine.shape().lengths());
        }
    }
}

/// All orders of the stages of a 3-cube program.
const ORDERS: [[u64; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn no_bijection_on_a_machine_of_8_nodes_is_predicted_to_finish_under_the_bound_in_any_order_of_stages() {
    for machine in machines(3) {
        let mut least = [u64::MAX; 6];
        for_each_bijection(8, |nodes| {
            let placement = place(&machine, nodes);
            for (stages, least) in ORDERS.iter().zip(&mut least) {
                let trial = Trial::with_stages(placement.clone(), PLAIN, stages);
                *least = (*least).min(trial.predicted());
            }
        });
        assert_eq!(least, [least_distances(&machine).unwrap().sum; 6], "{:?}", machine.shape().lengths());
    }
}

#[test]
fn no_bijection_on_the_ring_of_8_finishes_under_the_bound_under_any_link_mode() {
    let ring = ring(3);
    for links in LinkMode::ALL {
        let setting = Setting { links, compute: 2, ..PLAIN };
        for_each_bijection(8, |nodes| {
            let trial = Trial::ascend(place(&ring, nodes), setting);
            assert!(makespan(&trial.asynchronous()) >= trial.bound());
        });
    }
}
