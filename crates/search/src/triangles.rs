//! The projection bound of hop-units, strengthened by inequalities between the distances of any three places (after
//! Karisch & Rendl 1995).
//!
//! Whatever the placement, the distances between tokens are distances of places: for any three, `a + b - c` is at least the
//! minimum over any three places, so is `a + b + c`, and every distance is between the least and the largest. Each of
//! these, times a non-negative multiplier, can be subtracted from the flows and added as a constant. The bound of the
//! remaining flows is a concave function of the multipliers; subgradients show where to raise them.

use crate::projection::Projection;

/// The most places; the time of a step grows with their cube.
pub(crate) const MAX_PLACES: usize = 160;
/// The length of the first steps and of the last ones, as a share of Polyak's, which would reach the value of a placement
/// if the function had a constant slope. The first are longer, since the path is long and nearly straight.
const LENGTHS: [f64; 2] = [4.0, 0.004];
/// The factor by which steps become shorter, and the steps without a better value after which they do.
const SHORTER: f64 = 0.7;
const PATIENCE: u32 = 10;
/// The share of the previous direction that a step keeps, since subgradients oscillate about their common direction.
const KEPT: f64 = 0.8;

/// Bytes for `places` places; 0 if there are too many for this bound.
pub(crate) fn bytes(places: u64) -> u64 {
    if places > MAX_PLACES as u64 {
        return 0;
    }
    // The multipliers, the best so far and the direction; a dozen matrices.
    let multipliers = 4 * (places * places * places / 6) + places * places;
    (3 * multipliers + 14 * places * places) * size_of::<f64>() as u64
}

/// Flows between tokens, and distances between equally many places.
#[derive(Debug)]
pub(crate) struct Relaxation<'a> {
    size: usize,
    flows: &'a [f64], // by token and token, symmetric
    projection: Projection,
    limits: Limits,
}

/// Limits that hold for the distances of all pairs and triples of places.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limits {
    least: f64,
    most: f64,
    detour: f64,    // the least sum of two of three distances less the third
    perimeter: f64, // the least sum of three
}

/// The amounts that multipliers take off the flows and add to the bound.
#[derive(Debug)]
struct Taken {
    flows: Vec<f64>,
    constant: f64,
    absolute: Vec<f64>, // sums of the absolute values of all terms, for their rounding errors
    terms: f64,         // the same for the constant
}

impl<'a> Relaxation<'a> {
    /// The relaxation for distances between places, symmetric with zeros on the diagonal, as flows are; `None` for too
    /// few or too many places.
    pub(crate) fn new(flows: &'a [f64], distances: &[f64], size: usize) -> Option<Self> {
        if !(4..=MAX_PLACES).contains(&size) {
            return None;
        }
        let projection = Projection::new(distances, size)?;
        Some(Self { size, flows, projection, limits: Limits::of(distances, size) })
    }

    /// A lower bound over all placements, after at most `steps` steps. `known` is the value of a placement.
    pub(crate) fn bound(&self, steps: u32, known: f64) -> Option<f64> {
        let mut multipliers = vec![0.0; self.multiplier_count()];
        let (mut best, mut best_value) = (multipliers.clone(), f64::NEG_INFINITY);
        let mut direction = multipliers.clone();
        let (mut length, mut stale) = (LENGTHS[0], 0);
        for _ in 0..steps {
            let taken = self.taken(&multipliers);
            let left: Vec<f64> =
                self.flows.iter().zip(&taken.flows).map(|(one, other)| one - other).collect();
            let projected = self.projection.of(&left)?;
            let value = projected.value + taken.constant;
            if value > best_value {
                (best_value, stale) = (value, 0);
                best.copy_from_slice(&multipliers);
            } else {
                stale += 1;
            }
            if stale > PATIENCE {
                (length, stale) = (length * SHORTER, 0);
            }
            let mut square = 0.0;
            let mut current = multipliers.iter();
            self.for_each_lack(&projected.distances, &mut |lacks| {
                let is_raised = current.next().is_some_and(|multiplier| *multiplier > 0.0);
                if lacks > 0.0 || is_raised {
                    square += lacks * lacks;
                }
            });
            if length < LENGTHS[1] || square == 0.0 || value >= known {
                break;
            }
            let step = length * (known - value) / square;
            let mut both = multipliers.iter_mut().zip(&mut direction);
            self.for_each_lack(&projected.distances, &mut |lacks| {
                if let Some((multiplier, direction)) = both.next() {
                    *direction = KEPT * *direction + (1.0 - KEPT) * lacks;
                    *multiplier = (*multiplier + step * *direction).max(0.0);
                }
            });
        }
        self.certain(&best)
    }

    /// The number of multipliers, each at least 0: two of every pair, for the least and the largest distance, and four of
    /// every triple, for three detours and the perimeter. They are in the order of [`for_each_lack`](Self::for_each_lack).
    fn multiplier_count(&self) -> usize {
        let pairs = self.size * (self.size - 1) / 2;
        2 * pairs + 4 * (pairs * (self.size - 2) / 3)
    }

    /// The value of multipliers, less its largest rounding error.
    #[expect(clippy::cast_precision_loss, reason = "some million")]
    fn certain(&self, multipliers: &[f64]) -> Option<f64> {
        let taken = self.taken(multipliers);
        let left: Vec<f64> = self.flows.iter().zip(&taken.flows).map(|(one, other)| one - other).collect();
        let off = 8.0 * self.size as f64 * f64::EPSILON * crate::eigen::norm(&taken.absolute);
        let rounded = multipliers.len() as f64 * f64::EPSILON * taken.terms;
        Some(self.projection.certain(&left, off)? + taken.constant - rounded)
    }

    /// Calls `visit` with the amount by which distances between tokens break the limit of each multiplier, negative if
    /// they keep it.
    fn for_each_lack(&self, distances: &[f64], visit: &mut impl FnMut(f64)) {
        let Limits { least, most, detour, perimeter } = self.limits;
        let rows: Vec<&[f64]> = distances.chunks_exact(self.size).collect();
        for (one, first) in rows.iter().enumerate() {
            for other in one + 1..self.size {
                let pair = first[other];
                visit(least - pair);
                visit(pair - most);
                for (&first, &second) in first[other + 1..].iter().zip(&rows[other][other + 1..]) {
                    let all = pair + first + second;
                    visit(detour - (all - 2.0 * pair));
                    visit(detour - (all - 2.0 * first));
                    visit(detour - (all - 2.0 * second));
                    visit(perimeter - all);
                }
            }
        }
    }

    /// The amounts that multipliers take off the flows and add to the bound.
    fn taken(&self, mut multipliers: &[f64]) -> Taken {
        let (size, Limits { least, most, detour, perimeter }) = (self.size, self.limits);
        let (mut flows, mut absolute) = (vec![0.0; size * size], vec![0.0; size * size]);
        let (mut constant, mut terms) = (0.0, 0.0);
        let mut add = |one: usize, other: usize, by: f64, all: f64| {
            flows[one * size + other] += by;
            absolute[one * size + other] += all;
        };
        for one in 0..size {
            for other in one + 1..size {
                let Some(([lower, upper], rest)) = multipliers.split_first_chunk() else { break };
                add(one, other, lower - upper, lower + upper);
                constant += lower * least - upper * most;
                terms += lower * least + upper * most;
                let (triples, rest) = rest.split_at(4 * (size - other - 1));
                multipliers = rest;
                for (third, [pair, first, second, all]) in (other + 1..size).zip(triples.as_chunks().0) {
                    let sum = pair + first + second + all;
                    add(one, other, sum - 2.0 * pair, sum);
                    add(one, third, sum - 2.0 * first, sum);
                    add(other, third, sum - 2.0 * second, sum);
                    constant += (pair + first + second) * detour + all * perimeter;
                    terms += (pair + first + second) * detour.abs() + all * perimeter;
                }
            }
        }
        for (one, other) in (0..size).flat_map(|one| (0..one).map(move |other| (one, other))) {
            flows[one * size + other] = flows[other * size + one];
            absolute[one * size + other] = absolute[other * size + one];
        }
        Taken { flows, constant, absolute, terms }
    }
}

impl Limits {
    fn of(distances: &[f64], size: usize) -> Self {
        let infinity = f64::INFINITY;
        let mut limits = Self { least: infinity, most: 0.0, detour: infinity, perimeter: infinity };
        for (one, first) in distances.chunks_exact(size).enumerate() {
            for (other, second) in distances.chunks_exact(size).enumerate().skip(one + 1) {
                let pair = first[other];
                (limits.least, limits.most) = (limits.least.min(pair), limits.most.max(pair));
                for (&first, &second) in first[other + 1..].iter().zip(&second[other + 1..]) {
                    let all = pair + first + second;
                    limits.perimeter = limits.perimeter.min(all);
                    limits.detour = limits.detour.min(all - 2.0 * pair.max(first).max(second));
                }
            }
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{Machine, MachineKind, NodeId};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The least sum over all placements of the tokens from `placed.len()` on.
    fn least(flows: &[f64], distances: &[f64], size: usize, placed: &mut Vec<usize>) -> f64 {
        if placed.len() == size {
            return 0.0;
        }
        let process = placed.len();
        let mut best = f64::INFINITY;
        for place in 0..size {
            if !placed.contains(&place) {
                let cost = |(other, &at): (usize, &usize)| {
                    flows[process * size + other] * distances[place * size + at]
                };
                let cost: f64 = placed.iter().enumerate().map(cost).sum();
                placed.push(place);
                best = best.min(cost + least(flows, distances, size, placed));
                placed.pop();
            }
        }
        best
    }

    fn symmetric(size: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
        let mut matrix = vec![0.0; size * size];
        for (one, other) in (0..size).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let value = entry(one, other);
            matrix[one * size + other] = value;
            matrix[other * size + one] = value;
        }
        matrix
    }

    /// Asserts that no placement of `rounds` random cases is below its bound; returns the sum of the bounds on machines
    /// as a share of the sum of the optima.
    fn tightness(rounds: u32, steps: u32) -> f64 {
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        let mesh = Machine::new(MachineKind::Mesh, &[3, 2]).unwrap();
        let nodes: Vec<NodeId> = mesh.hosts().collect();
        let (mut bounds, mut optima) = (0.0, 0.0);
        for round in 0..rounds {
            let (size, density) = (6, [0.3, 0.7, 1.0][round as usize % 3]);
            let flows = symmetric(size, |_, _| {
                let units = f64::from(generator.random_range(1_u32..100));
                if generator.random_bool(density) { units } else { 0.0 }
            });
            // Distances of a machine, or random numbers.
            let distances = symmetric(size, |one, other| match round % 2 {
                0 => f64::from(u32::try_from(mesh.distance(nodes[one], nodes[other])).unwrap()),
                _ => f64::from(generator.random_range(0_u32..9)),
            });
            let optimum = least(&flows, &distances, size, &mut vec![]);
            let relaxation = Relaxation::new(&flows, &distances, size).unwrap();
            let bound = relaxation.bound(steps, optimum).unwrap();
            assert!(bound <= optimum, "{bound} {optimum} {flows:?} {distances:?}");
            if round % 2 == 0 {
                (bounds, optima) = (bounds + bound, optima + optimum);
            }
        }
        bounds / optima
    }

    #[test]
    fn no_placement_is_below_the_bound_and_on_machines_it_is_near() {
        let (few, many) = (tightness(60, 1), tightness(60, 200));
        assert!(few < 0.9 && many > 0.95, "{few} {many}");
    }

    #[test]
    #[ignore = "a minute: more of the same"]
    fn no_placement_is_below_the_bound_at_length() {
        tightness(4000, 100);
    }
}
