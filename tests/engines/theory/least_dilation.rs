//! The least total dilation of all placements, found by search, is the bound that the simulator states.

use cubefold_mapping::{EmbeddingKind, least_distances};
use cubefold_topology::{Extent, LinkMode, Machine};

use super::setting::{
    PLAIN, Setting, Trial, distances, embed, for_each_bijection, machines, makespan, measure, place, ring,
};

// `B` of the lower bound is the least total dilation over `2^(d-1)`, and no placement finishes before the bound
// (`docs/model.md` section 5): tried on every placement of the 3-cube.

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

// `B` of the lower bound, coordinate by coordinate, for the 4-cube on every machine of 16 nodes (`docs/model.md`
// section 5): also where it is known from a preprint only. A total dilation is a sum over the coordinates, and
// the contribution of a coordinate depends only on which processes share each of its positions. It is a sum of cuts:
// the edges that leave the processes before a link of a line; or those that leave one half of a ring, once for
// every way to halve it by cutting two opposite links. So the least sums of cuts over all ways to fill the
// positions, added over the coordinates, are below every total dilation; and `optimal` shows that they are met
// together.

/// A set of processes of the 4-cube, a bit a process.
type Processes = u16;

const SETS: usize = 1 << Processes::BITS;

/// For every set the edges of the 4-cube that leave it.
fn edges_leaving() -> Vec<u64> {
    let leaving = |set: Processes| {
        let edges = (0..16_u32).flat_map(|process| (0..4).map(move |i| (process, process ^ (1 << i))));
        edges.filter(|&(inside, outside)| set >> inside & 1 == 1 && set >> outside & 1 == 0).count() as u64
    };
    (0..=Processes::MAX).map(leaving).collect()
}

/// The subsets of `set` with `size` elements.
fn subsets(set: Processes, size: u32) -> Vec<Processes> {
    let smaller = |&subset: &Processes| (subset != 0).then(|| (subset - 1) & set);
    std::iter::successors(Some(set), smaller).filter(|subset| subset.count_ones() == size).collect()
}

/// From the least sums of cuts so far, by the set that the last cut parted off, the least sums with one
/// more cut; `next` lists the sets that the next one may part off.
fn with_one_more_cut(
    least: &[Option<u64>],
    cuts: &[u64],
    next: impl Fn(Processes) -> Vec<Processes>,
) -> Vec<Option<u64>> {
    let mut longer: Vec<Option<u64>> = vec![None; SETS];
    for (set, sum) in (0..=Processes::MAX).zip(least) {
        let Some(sum) = sum else { continue };
        for parted in next(set) {
            let best = &mut longer[usize::from(parted)];
            let sum = sum + cuts[usize::from(parted)];
            *best = Some(best.map_or(sum, |other| other.min(sum)));
        }
    }
    longer
}

fn only(set: Processes, sum: u64) -> Vec<Option<u64>> {
    let mut least = vec![None; SETS];
    least[usize::from(set)] = Some(sum);
    least
}

fn smallest(least: &[Option<u64>]) -> u64 {
    least.iter().flatten().copied().min().unwrap()
}

/// The least sum over the `length - 1` links of a line with 16 / `length` processes at each position.
fn least_on_a_line(length: u32, cuts: &[u64]) -> u64 {
    let mut least = only(0, 0);
    for _ in 1..length {
        least = with_one_more_cut(&least, cuts, |before| {
            subsets(!before, 16 / length).into_iter().map(|position| before | position).collect()
        });
    }
    smallest(&least)
}

/// The least sum over the `length / 2` ways to halve a ring with 16 / `length` processes at each position:
/// the half turns by one position at a time, which leaves its first half and takes one of the other.
fn least_on_a_ring(length: u32, cuts: &[u64]) -> u64 {
    let of_first_half = |first: Processes| {
        let mut least = only(first, cuts[usize::from(first)]);
        for _ in 1..length / 2 {
            least = with_one_more_cut(&least, cuts, |half| {
                let joining = subsets(!first & !half, 16 / length);
                let turned = |left: Processes| joining.iter().map(move |taken| half & !left | taken);
                subsets(first & half, 16 / length).into_iter().flat_map(turned).collect()
            });
        }
        smallest(&least)
    };
    halves().into_iter().map(of_first_half).min().unwrap()
}

/// Sets of 8 processes, one of each kind: all others are images of these under exclusive or with a label
/// and reorderings of the label's bits, which take neighbours to neighbours.
fn halves() -> Vec<Processes> {
    let (mut seen, mut kinds) = (vec![false; SETS], vec![]);
    let mut orders = vec![];
    super::setting::for_each_bijection(4, |order| orders.push(order.to_vec()));
    for half in subsets(Processes::MAX, 8) {
        if !seen[usize::from(half)] {
            kinds.push(half);
            for (order, label) in orders.iter().flat_map(|order| (0..16).map(move |label| (order, label))) {
                seen[usize::from(image(half, order, label))] = true;
            }
        }
    }
    kinds
}

/// Bit `i` of every process moved to `order[i]`, then all exclusive or `label`.
fn image(set: Processes, order: &[u32], label: u32) -> Processes {
    let moved = |process: u32| order.iter().enumerate().map(|(i, to)| (process >> i & 1) << to).sum::<u32>();
    let inside = (0..16).filter(|process| set >> process & 1 == 1);
    inside.map(|process| 1 << (moved(process) ^ label)).sum()
}

#[test]
fn b_is_the_least_total_dilation_on_every_machine_of_16_nodes() {
    let cuts = edges_leaving();
    let lines = [2, 4, 8, 16].map(|length| (length, least_on_a_line(length, &cuts)));
    let rings = [4, 8, 16].map(|length| (length, least_on_a_ring(length, &cuts)));
    let least_in = |extent: Extent| {
        let list = if extent.is_ring() { &rings[..] } else { &lines[..] };
        list.iter().find(|&&(length, _)| u64::from(length) == extent.length()).unwrap().1
    };
    for machine in machines(4) {
        let least: u64 = machine.extents().map(least_in).sum();
        let bound = least_distances(&machine).unwrap().sum;
        assert_eq!(least, bound * 8, "{:?}", machine.shape().lengths());
        let met = measure(&embed(EmbeddingKind::Optimal, &machine)).dilation.total();
        assert_eq!(met, least, "{:?}", machine.shape().lengths());
    }
}
