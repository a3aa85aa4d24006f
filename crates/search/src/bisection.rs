//! Recursive bisection: ranks and sites are halved together until every part is one site, so that few units pass between
//! the halves (dual recursive bipartitioning, Pellegrini 1994). The first half is grown from one rank, or consists of the
//! lowest ranks; both are improved by exchanges (Kernighan & Lin 1970), and the better is kept.

use std::{cmp::Reverse, collections::VecDeque};

use cubefold_topology::{Axis, NodeId};

use crate::{distances::Distances, problem::Problem, traffic::Traffic};

/// The most ranks and sites that are divided.
const MOST: usize = 4096;
/// The most passes over a division.
const PASSES: u32 = 10;
/// The exchanges without improvement after which a pass ends.
const PATIENCE: usize = 64;

/// Ranks and the sites that will hold them.
struct Part {
    ranks: Vec<u32>,
    sites: Vec<usize>,
}

/// Places all ranks by recursive bisection; `None` above [`MOST`] ranks or sites.
pub(crate) fn nodes(
    problem: &Problem<'_>,
    traffic: &Traffic,
    distances: &Distances<'_>,
) -> Option<Vec<NodeId>> {
    let (ranks, sites) = (problem.rank_count(), problem.sites.len());
    if ranks > MOST || sites > MOST {
        return None;
    }
    // The hosts of a switch have consecutive numbers, regardless of their order in an allocation. More sites than the
    // ranks need would only spread them.
    let mut all: Vec<usize> = (0..sites).collect();
    let needed = ranks.div_ceil(problem.per_site);
    if needed < sites {
        let centre = distances.centre(&all);
        all.sort_by_key(|&site| distances.between(centre, site));
        all.truncate(needed);
    }
    all.sort_unstable_by_key(|&site| problem.sites[site]);
    let whole = Part { ranks: (0..u32::try_from(ranks).ok()?).collect(), sites: all };
    let mut site_of = vec![whole.sites[0]; ranks]; // by rank, the centre of its part after the first division
    let mut parts = VecDeque::from([whole]);
    while let Some(part) = parts.pop_front() {
        if part.sites.len() == 1 || part.ranks.is_empty() {
            continue;
        }
        let sites = halve_sites(problem, distances, part.sites);
        let centres = [&sites[0], &sites[1]].map(|sites| distances.centre(sites));
        let places = sites.each_ref().map(|sites| sites.len() * problem.per_site);
        let count = share(part.ranks.len(), places);
        let ranks = Bisection::new(traffic, distances, &site_of, &part.ranks, centres).best(count);
        for (side, (ranks, sites)) in ranks.into_iter().zip(sites).enumerate() {
            ranks.iter().for_each(|&rank| site_of[rank as usize] = centres[side]);
            parts.push_back(Part { ranks, sites });
        }
    }
    Some(site_of.into_iter().map(|site| problem.sites[site]).collect())
}

/// The number of ranks of the first half, proportional to its places.
fn share(ranks: usize, [first, second]: [usize; 2]) -> usize {
    let share = (2 * ranks * first + first + second) / (2 * (first + second)); // rounded
    share.clamp(ranks.saturating_sub(second), first.min(ranks))
}

/// Divides sites into two parts, about equal.
fn halve_sites(problem: &Problem<'_>, distances: &Distances<'_>, mut sites: Vec<usize>) -> [Vec<usize>; 2] {
    let cut = match problem.machine.coordinate_grid() {
        Some(grid) => sort_across(grid.axes(), problem.sites, &mut sites),
        None => widest_gap(distances, &sites),
    };
    let second = sites.split_off(cut.unwrap_or(sites.len() / 2));
    [sites, second]
}

/// Sorts sites along their widest dimension; returns the boundary that is nearest to the middle.
fn sort_across(axes: &[Axis], nodes: &[NodeId], sites: &mut [usize]) -> Option<usize> {
    let coordinate = |site: usize, axis: usize| axes[axis].coordinate(nodes[site]);
    let width = |axis: usize| {
        let coordinates = || sites.iter().map(|&site| coordinate(site, axis));
        coordinates().max().unwrap_or(0) - coordinates().min().unwrap_or(0)
    };
    let widest = (0..axes.len()).rev().max_by_key(|&axis| width(axis))?;
    sites.sort_by_key(|&site| coordinate(site, widest));
    let is_boundary = |&cut: &usize| coordinate(sites[cut - 1], widest) != coordinate(sites[cut], widest);
    (1..sites.len()).filter(is_boundary).min_by_key(|&cut| cut.abs_diff(sites.len() / 2))
}

/// The cut between the two consecutive sites farthest apart, like hosts of two switches, in the middle half of
/// the list.
fn widest_gap(distances: &Distances<'_>, sites: &[usize]) -> Option<usize> {
    let from_half = |cut: usize| cut.abs_diff(sites.len() / 2);
    let gap = |&cut: &usize| (distances.between(sites[cut - 1], sites[cut]), Reverse(from_half(cut)));
    (1..sites.len()).filter(|&cut| from_half(cut) <= sites.len() / 4).max_by_key(gap)
}

/// A division of ranks into two sides, with its costs.
#[derive(Clone)]
struct Bisection<'a> {
    traffic: &'a Traffic,
    ranks: &'a [u32],
    place_of: Vec<usize>,    // by rank of the program, its place in this bisection
    sides: Vec<usize>,       // by place: 0 or 1
    outside: Vec<[i128; 2]>, // by place and side, hop-units to ranks outside
    across: i128,            // the links from one side to the other
}

/// Marks a rank outside this bisection.
const ELSEWHERE: usize = usize::MAX;

impl<'a> Bisection<'a> {
    /// All ranks on the second side. `site_of` has the sites of all others.
    fn new(
        traffic: &'a Traffic,
        distances: &Distances<'_>,
        site_of: &[usize],
        ranks: &'a [u32],
        centres: [usize; 2],
    ) -> Self {
        let mut place_of = vec![ELSEWHERE; traffic.rank_count()];
        for (place, &rank) in ranks.iter().enumerate() {
            place_of[rank as usize] = place;
        }
        let outside = |&rank: &u32| {
            centres.map(|centre| {
                let others =
                    traffic.of(rank).iter().filter(|flow| place_of[flow.other as usize] == ELSEWHERE);
                let links = |other: u32| i128::from(distances.between(centre, site_of[other as usize]));
                others.map(|flow| units(flow.sent, flow.received) * links(flow.other)).sum()
            })
        };
        let outside = ranks.iter().map(outside).collect();
        let across = i128::from(distances.between(centres[0], centres[1]).max(1));
        Self { traffic, ranks, place_of, sides: vec![1; ranks.len()], outside, across }
    }

    /// The ranks of both sides, `count` on the first.
    fn best(self, count: usize) -> [Vec<u32>; 2] {
        let mut in_order = self.clone();
        in_order.sides[..count].fill(0);
        let best = [in_order, self.grown(count)].map(Self::improved).into_iter().min_by_key(Self::cost);
        [0, 1].map(|side| {
            let sides = best.iter().flat_map(|best| best.ranks.iter().zip(&best.sides));
            sides.filter(|(_, at)| **at == side).map(|(rank, _)| *rank).collect()
        })
    }

    /// The hop-units of all pairs on different sides, and of pairs with ranks outside.
    fn cost(&self) -> i128 {
        let of_place = |place: usize| {
            let others = self
                .flows(place)
                .filter(|&(other, _)| other < place && self.sides[other] != self.sides[place]);
            others.map(|(_, cost)| cost).sum::<i128>() + self.outside[place][self.sides[place]]
        };
        (0..self.ranks.len()).map(of_place).sum()
    }

    /// Grows the first side from one rank, always by the rank that exchanges most with it.
    fn grown(mut self, count: usize) -> Self {
        let mut scores: Vec<i128> = self.outside.iter().map(|costs| costs[1] - costs[0]).collect();
        let mut next = self.rim();
        for _ in 0..count {
            self.sides[next] = 0;
            for (other, cost) in self.flows(next) {
                scores[other] += cost;
            }
            let free = (0..scores.len()).rev().filter(|&place| self.sides[place] == 1);
            next = free.max_by_key(|&place| scores[place]).unwrap_or(next);
        }
        self
    }

    /// A place far from others: the one that leans most to the first side, or the last that is reached from the first.
    fn rim(&self) -> usize {
        let lean = |place: &usize| self.outside[*place][1] - self.outside[*place][0];
        let places = || (0..self.ranks.len()).rev();
        if places().any(|place| lean(&place) != 0) {
            return places().max_by_key(lean).unwrap_or(0);
        }
        let (mut is_seen, mut order) = (vec![false; self.ranks.len()], vec![0]);
        is_seen[0] = true;
        let mut looked = 0;
        while looked < order.len() {
            for (other, _) in self.flows(order[looked]) {
                if !std::mem::replace(&mut is_seen[other], true) {
                    order.push(other);
                }
            }
            looked += 1;
        }
        order[order.len() - 1]
    }

    /// Returns the division after passes of exchanges, repeated while they gain.
    fn improved(mut self) -> Self {
        let mut passes = 0;
        while passes < PASSES && self.pass() > 0 {
            passes += 1;
        }
        self
    }

    /// The flows of a place within this bisection, by place \[hop-units if on different sides\].
    fn flows(&self, place: usize) -> impl Iterator<Item = (usize, i128)> {
        let flows = self.traffic.of(self.ranks[place]).iter();
        let inside = flows.map(|flow| (self.place_of[flow.other as usize], flow));
        inside
            .filter(|inside| inside.0 != ELSEWHERE)
            .map(|(other, flow)| (other, units(flow.sent, flow.received) * self.across))
    }

    /// The hop-units that are saved if a place changes sides.
    fn gain(&self, place: usize) -> i128 {
        let side = self.sides[place];
        let inside =
            self.flows(place).map(|(other, cost)| if self.sides[other] == side { -cost } else { cost });
        inside.sum::<i128>() + self.outside[place][side] - self.outside[place][1 - side]
    }

    /// Exchanges pairs, the best first and each place once, undoes those after the best sum, and returns the gain.
    fn pass(&mut self) -> i128 {
        let mut gains: Vec<i128> = (0..self.ranks.len()).map(|place| self.gain(place)).collect();
        let mut is_free = vec![true; self.ranks.len()];
        let mut shared = vec![0; self.ranks.len()]; // by place, with the first of a pair
        let mut exchanged: Vec<[usize; 2]> = vec![];
        let (mut sum, mut best, mut kept) = (0, 0, 0);
        while exchanged.len() < kept + PATIENCE {
            let free = |side: usize| {
                let (sides, is_free) = (&self.sides, &is_free);
                (0..sides.len()).filter(move |&place| is_free[place] && sides[place] == side)
            };
            let Some(one) = free(0).max_by_key(|&place| gains[place]) else { break };
            // The flow between two partners stays across, so both of their gains lose it.
            self.flows(one).for_each(|(partner, cost)| shared[partner] = 2 * cost);
            let other = free(1).max_by_key(|&place| gains[place] - shared[place]);
            sum += other.map_or(0, |other| gains[one] + gains[other] - shared[other]);
            self.flows(one).for_each(|(partner, _)| shared[partner] = 0);
            let Some(other) = other else { break };
            for place in [one, other] {
                self.sides[place] = 1 - self.sides[place];
                is_free[place] = false;
                // A partner on its new side no longer gains by following it.
                for (partner, cost) in self.flows(place) {
                    let change = if self.sides[partner] == self.sides[place] { -2 * cost } else { 2 * cost };
                    gains[partner] += change;
                }
            }
            exchanged.push([one, other]);
            if sum > best {
                (best, kept) = (sum, exchanged.len());
            }
        }
        for place in exchanged.into_iter().skip(kept).flatten() {
            self.sides[place] = 1 - self.sides[place];
        }
        best
    }
}

/// The units exchanged by two ranks.
fn units(sent: u64, received: u64) -> i128 {
    i128::from(sent) + i128::from(received)
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::ProcessId;
    use cubefold_simulator::{Communication, Computations, Cycles, StageMessage, StageProgram};
    use cubefold_topology::{LinkMode, Machine, MachineKind, NetworkParameters, TieRule};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::tests::{problem_of, traffic_of};

    /// The hop-units of ranks that exchange a unit each with some others, and the most ranks of a node.
    fn of_pairs(machine: &Machine, ranks: u32, per_site: usize, pairs: &[[u32; 2]]) -> (u128, usize) {
        let messages: Vec<StageMessage> = pairs
            .iter()
            .map(|pair| pair.map(ProcessId::new))
            .map(|[source, destination]| StageMessage { stage: 0, source, destination, units: 1 })
            .collect();
        let program = StageProgram::new(ranks, Computations::Same(Cycles::ZERO), &messages).unwrap();
        let rules = Communication::new(LinkMode::FullDuplex, Cycles::new(1), TieRule::Direct).unwrap();
        let sites: Vec<NodeId> = machine.hosts().collect();
        let problem = problem_of(&program, machine, rules, &sites, per_site);
        let (traffic, distances) = (Traffic::new(&program, ranks.into()), Distances::new(machine, &sites));
        let nodes = nodes(&problem, &traffic, &distances).unwrap();
        let site =
            |node: &NodeId| u32::try_from(sites.iter().position(|site| site == node).unwrap()).unwrap();
        let placed: Vec<u32> = nodes.iter().map(site).collect();
        let load = |node| nodes.iter().filter(|other| *other == node).count();
        (distances.hop_units(&traffic, &placed), nodes.iter().map(load).max().unwrap())
    }

    #[test]
    fn a_mesh_with_its_ranks_in_disorder_is_nearly_restored() {
        let machine = Machine::new(MachineKind::Mesh, &[8, 8]).unwrap();
        // 27 and 64 are coprime.
        let rank = |x: u32, y: u32| (x + 8 * y) * 27 % 64;
        let pairs: Vec<[u32; 2]> = (0..64)
            .map(|place| (place % 8, place / 8))
            .flat_map(|(x, y)| [(x, y, x + 1, y), (x, y, x, y + 1)])
            .filter(|&(_, _, x, y)| x < 8 && y < 8)
            .map(|(x, y, beside, above)| [rank(x, y), rank(beside, above)])
            .collect();
        let (units, load) = of_pairs(&machine, 64, 1, &pairs);
        assert_eq!(load, 1);
        assert!(units < 2 * pairs.len() as u128, "{units}, best {}", pairs.len());
    }

    #[test]
    fn groups_are_kept_behind_one_switch() {
        // Sixteen hosts, four a switch; ranks n, n + 4, n + 8 and n + 12 exchange units.
        let machine = Machine::of_parameters(&NetworkParameters::k_ary_tree(4, 2)).unwrap();
        let pairs: Vec<[u32; 2]> =
            (0..4).flat_map(|rank| [[rank, rank + 4], [rank + 4, rank + 8], [rank + 8, rank + 12]]).collect();
        assert_eq!(of_pairs(&machine, 16, 1, &pairs), (24, 1));
        // Two ranks a host: each pair fits on one.
        let pairs: Vec<[u32; 2]> = (0..16).map(|rank| [rank, rank + 16]).collect();
        assert_eq!(of_pairs(&machine, 32, 2, &pairs), (0, 2));
    }

    #[test]
    fn a_pass_gains_what_it_says_and_the_better_division_is_kept() {
        let machine = Machine::new(MachineKind::Mesh, &[6, 4]).unwrap();
        let sites: Vec<NodeId> = machine.hosts().collect();
        let distances = Distances::new(&machine, &sites);
        let mut generator = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..40 {
            let traffic = traffic_of(24, &mut generator);
            // Some ranks are elsewhere.
            let ranks: Vec<u32> = (0..24).filter(|rank| rank % 5 > 0).collect();
            let site_of: Vec<usize> = (0..24).map(|rank| rank * 7 % 24).collect();
            let empty = Bisection::new(&traffic, &distances, &site_of, &ranks, [7, 16]);
            let mut in_order = empty.clone();
            in_order.sides[..9].fill(0);
            let grown = empty.clone().grown(9);
            for mut division in [in_order.clone(), grown.clone()] {
                let before = division.cost();
                let gained = division.pass();
                assert_eq!(
                    (before - division.cost(), division.sides.iter().sum()),
                    (gained, ranks.len() - 9)
                );
            }
            let least = [in_order, grown].map(|division| division.improved().cost()).into_iter().min();
            let [first, _] = empty.clone().best(9);
            let mut best = empty;
            for (side, rank) in best.sides.iter_mut().zip(&ranks) {
                *side = usize::from(!first.contains(rank));
            }
            assert_eq!(Some(best.cost()), least);
        }
    }

    #[test]
    fn ranks_are_shared_by_places() {
        assert_eq!([share(8, [4, 4]), share(5, [4, 4]), share(3, [1, 2]), share(6, [2, 4])], [4, 3, 1, 2]);
        assert_eq!(share(7, [1, 8]), 1);
    }
}
