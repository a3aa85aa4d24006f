//! Guests larger than their hosts (Tao 1988, chapter 5): the contractions `mu`, `nu` and `xi`, the general scheme of
//! 5.3 and its special cases of unit dilation, and the processes on a node.

use cubefold_topology::{Length, MAX_DIMENSIONS, Shape, narrow};

use super::descriptor::{self, ConstructionDescriptor, ConstructionKind};
use super::error::UnmetCondition;
use super::expansion::{by_factor, plan_basic};
use super::factor::FreePositions;
use super::pair::{GraphType, ShapePair};
use super::plan::{Composition, Parameter, Plan, Planned};
use super::promise::{PromisedDilation, Routing};
use super::radix::CoordinateBuffer;
use super::sequence::Sequence;
use super::square::root;
use crate::ProcessId;

pub(super) static CONTRACTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::Contraction,
    name: "contraction",
    summary: "kappa successive coordinates together in every dimension, then the best one-to-one construction",
    source: "Tao 1988, 5.3",
    guest: "lengths that one kappa divides, leaving at least 2",
    host: "one with a construction for what is left",
    dilation: "that of the construction after it",
    is_contraction: true,
    plan: general,
};

pub(super) static RING_FOLD: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::RingFold,
    name: "ring-fold",
    summary: "a ring folded flat, then f_L",
    source: "Tao 1988, 5.3",
    guest: "a ring of 2 kappa times the number of nodes",
    host: "any",
    dilation: "1",
    is_contraction: true,
    plan: ring_fold,
};

pub(super) static TORUS_FOLD: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::TorusFold,
    name: "torus-fold",
    summary: "every dimension folded flat, then an expansion by f",
    source: "Tao 1988, 5.3",
    guest: "a torus of lengths 2 kappa times a shape that expands to the host's",
    host: "any",
    dilation: "1",
    is_contraction: true,
    plan: torus_fold,
};

pub(super) static PROJECTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::Projection,
    name: "projection",
    summary: "guest dimensions left out",
    source: "Tao 1988, 5.3",
    guest: "lengths of c dimensions are kappa times the host's; no torus into a mesh",
    host: "fewer dimensions than the guest",
    dilation: "1",
    is_contraction: true,
    plan: |pair| projection(DimensionFold::Unfolded, pair),
};

pub(super) static FOLDED_PROJECTION: ConstructionDescriptor = ConstructionDescriptor {
    kind: ConstructionKind::FoldedProjection,
    name: "folded-projection",
    summary: "guest dimensions left out and the others folded flat",
    source: "Tao 1988, 5.3",
    guest: "lengths of c dimensions are 2 kappa times the host's",
    host: "fewer dimensions than the guest",
    dilation: "1",
    is_contraction: true,
    plan: |pair| projection(DimensionFold::Folded, pair),
};

/// `E o mu`: all lengths divided by `kappa`, then the best embedding `E` there is.
fn general(pair: &ShapePair) -> Planned {
    let (kappa, lengths) = divided(pair, 1).ok_or(UnmetCondition::Kappa)?;
    let inner = contracted(pair, lengths, pair.guest_rings.clone());
    let (_, plan) = descriptor::best(&inner)?;
    let formula = format!("({}) o mu", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Unfolded, kappa), Plan { formula, ..plan }))
}

/// `f_L o mu o nu`: a ring of `2 kappa` times the number of nodes.
fn ring_fold(pair: &ShapePair) -> Planned {
    let unmet = || vec![UnmetCondition::RingFold];
    if pair.guest_dimensions() != 1 {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false]);
    let plan = plan_basic(Sequence::F, &inner)?;
    let formula = format!("{} o mu o nu", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Folded, kappa), Plan { formula, ..plan }))
}

/// `pi o F_V o mu o nubar`: every length `2 kappa` times that of a mesh whose shape expands to the host's, or is
/// the host's up to order.
fn torus_fold(pair: &ShapePair) -> Planned {
    let unmet = || vec![UnmetCondition::TorusFold];
    if pair.guest_dimensions() == 1 || pair.guest_dimensions() > pair.host_dimensions() {
        return Err(unmet());
    }
    let (kappa, lengths) = divided(pair, 2).ok_or_else(unmet)?;
    let inner = contracted(pair, lengths, vec![false; pair.guest_dimensions()]);
    let plan = by_factor(Sequence::F, &inner, "").map_err(|_| unmet())?;
    let formula = format!("{} o mu o nubar", plan.formula);
    Ok(finish(all_kept(pair, DimensionFold::Folded, kappa), Plan { formula, ..plan }))
}

/// `mu o xi` between graphs of one type or from a mesh, and `mu o nubar o xi` from a torus.
fn projection(folding: DimensionFold, pair: &ShapePair) -> Planned {
    let (folds, unmet, formula) = match folding {
        DimensionFold::Unfolded => (1, UnmetCondition::Projection, "mu o xi"),
        DimensionFold::Folded => (2, UnmetCondition::FoldedProjection, "mu o nubar o xi"),
    };
    if folding == DimensionFold::Unfolded && pair.guest == GraphType::Torus && pair.host == GraphType::Mesh {
        return Err(vec![UnmetCondition::ProjectionTypes]);
    }
    let (kappa, kept) = kept_dimensions(pair, folds).ok_or_else(|| vec![unmet])?;
    let left_out = (0..pair.guest_dimensions()).filter(|dimension| !kept.contains(dimension));
    let order: Vec<usize> = kept.iter().copied().chain(left_out).map(|dimension| dimension + 1).collect();
    let plan = Plan {
        theorem: "section 5.3",
        formula: formula.to_owned(),
        parameters: vec![Parameter::list("pi", &order)],
        contraction: None,
        composition: Composition::new(vec![]),
        dilation: PromisedDilation::new(1, true),
        routing: Routing::for_dilation(1, pair.guest_dimensions(), pair.host_dimensions()),
    };
    let lengths = pair.guest_lengths.clone();
    Ok(finish(Contraction { lengths, kept, folding, kappa: Length::new(kappa) }, plan))
}

/// The plan with `contraction` applied first and `kappa` before the other parameters.
fn finish(contraction: Contraction, plan: Plan) -> Plan {
    let mut parameters = vec![Parameter::new("kappa", &contraction.kappa.get())];
    parameters.extend(plan.parameters);
    Plan { theorem: "section 5.3", parameters, contraction: Some(contraction), ..plan }
}

/// The contraction that keeps all dimensions in order.
fn all_kept(pair: &ShapePair, folding: DimensionFold, kappa: u64) -> Contraction {
    let kept = (0..pair.guest_dimensions()).collect();
    Contraction { lengths: pair.guest_lengths.clone(), kept, folding, kappa: Length::new(kappa) }
}

/// The `kappa` with `(folds kappa)^d` processes a node, and the guest lengths divided by `folds kappa`; none
/// unless those are whole and at least 2.
fn divided(pair: &ShapePair, folds: u64) -> Option<(u64, Vec<u64>)> {
    let divisor = root(pair.processes() / pair.nodes(), pair.guest_dimensions())?;
    let divides =
        |length: &u64| (length.is_multiple_of(divisor) && *length > divisor).then(|| length / divisor);
    let lengths = pair.guest_lengths.iter().map(divides).collect::<Option<Vec<_>>>()?;
    divisor.is_multiple_of(folds).then_some((divisor / folds, lengths))
}

/// The contracted guest on the same host.
fn contracted(pair: &ShapePair, lengths: Vec<u64>, mut rings: Vec<bool>) -> ShapePair {
    for (ring, &length) in rings.iter_mut().zip(&lengths) {
        *ring &= length > 2;
    }
    ShapePair::of_lengths(lengths, rings, pair.host_lengths.clone(), pair.host_rings.clone())
}

/// The least `kappa` for which every host length, times `folds kappa`, is the length of a guest dimension of its
/// own, with those dimensions: of equal lengths the first.
fn kept_dimensions(pair: &ShapePair, folds: u64) -> Option<(u64, Vec<usize>)> {
    if pair.guest_dimensions() <= pair.host_dimensions() {
        return None;
    }
    let unit = folds * pair.host_lengths[0];
    let divisible = pair.guest_lengths.iter().filter(|length| length.is_multiple_of(unit));
    let mut kappas: Vec<u64> = divisible.map(|length| length / unit).collect();
    kappas.sort_unstable();
    kappas.into_iter().find_map(|kappa| {
        let mut free = FreePositions::new(pair.guest_dimensions());
        let mut keep = |host| free.take(|at| pair.guest_lengths[at] == folds * kappa * host);
        let kept = pair.host_lengths.iter().map(|&host| keep(host)).collect::<Option<Vec<_>>>()?;
        Some((kappa, kept))
    })
}

/// `mu o nubar o xi`: some guest dimensions kept, those folded flat or not, and every `kappa` successive
/// coordinates taken together (Tao 1988, 5.3).
///
/// Each of the others is a case of it: `mu` keeps all dimensions in order and folds none, `nu` is `nubar` for one
/// dimension, and `kappa` may be 1.
///
/// ```text
/// mu_2      0 0 1 1 2 2 3 3        nu_8      0 1 2 3 3 2 1 0
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contraction {
    pub(super) lengths: Vec<u64>, // of the guest's dimensions
    pub(super) kept: Vec<usize>,  // the guest dimensions pi(1), .., pi(c), less 1, all different
    pub(super) folding: DimensionFold,
    pub(super) kappa: Length, // divides every kept length, twice it where they are folded
}

/// Whether the kept dimensions are folded by `nu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DimensionFold {
    Folded,
    Unfolded,
}

/// The guest coordinates in one dimension that contract to one coordinate: one run, or two of the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoordinateSet {
    first: u64,
    run: u64,
    mirror: u64, // the start of the second run, after the first; 0 when there is none
    count: u64,  // run, or twice that
}

impl CoordinateSet {
    /// One coordinate.
    pub(super) fn of(coordinate: u32) -> Self {
        Self::run(u64::from(coordinate), 1)
    }

    fn run(first: u64, run: u64) -> Self {
        Self { first, run, mirror: 0, count: run }
    }

    /// The number of coordinates.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The coordinate at a position in ascending order.
    pub(super) fn get(&self, position: u64) -> u64 {
        if position < self.run { self.first + position } else { self.mirror + position - self.run }
    }
}

impl Contraction {
    /// The contracted coordinates of a guest node.
    pub(super) fn image(&self, from: &CoordinateBuffer) -> CoordinateBuffer {
        let mut image = [0; MAX_DIMENSIONS];
        for (slot, &dimension) in image.iter_mut().zip(&self.kept) {
            let (coordinate, length) = (u64::from(from[dimension]), self.lengths[dimension]);
            let unfolded = match self.folding {
                DimensionFold::Folded if coordinate >= length / 2 => length - 1 - coordinate,
                DimensionFold::Folded | DimensionFold::Unfolded => coordinate,
            };
            *slot = narrow(self.kappa.divide(unfolded).0);
        }
        image
    }

    /// The guest coordinates, dimension by dimension, of all nodes that contract to these coordinates: their
    /// product (Tao 1988, 5.4.1).
    ///
    /// `y kappa + e` and, where folded, `l_i - 1 - y kappa - e`, for `e` below `kappa` (errata A6); all of a
    /// dimension that is not kept.
    pub(super) fn origins(&self, image: &CoordinateBuffer) -> [CoordinateSet; MAX_DIMENSIONS] {
        let mut sets = [CoordinateSet::of(0); MAX_DIMENSIONS];
        for (set, &length) in sets.iter_mut().zip(&self.lengths) {
            *set = CoordinateSet::run(0, length);
        }
        let kappa = self.kappa.get();
        for (&dimension, &coordinate) in self.kept.iter().zip(image) {
            let run = CoordinateSet::run(u64::from(coordinate) * kappa, kappa);
            sets[dimension] = match self.folding {
                DimensionFold::Unfolded => run,
                DimensionFold::Folded => {
                    let mirror = self.lengths[dimension] - run.first - kappa;
                    CoordinateSet { mirror, count: 2 * kappa, ..run }
                }
            };
        }
        sets
    }
}

/// The processes on one node, in ascending order; at least one.
#[derive(Debug, Clone)]
pub struct Processes {
    dimensions: usize,
    sets: [CoordinateSet; MAX_DIMENSIONS], // the coordinates in each dimension: the processes are their product
    strides: [u64; MAX_DIMENSIONS],        // of the guest
    positions: [u64; MAX_DIMENSIONS],      // in the sets, of the next process
    left: u64,                             // the number of processes not yet returned
}

impl Processes {
    pub(super) fn new(guest: &Shape, sets: &[CoordinateSet; MAX_DIMENSIONS]) -> Self {
        let dimensions = guest.dimension_count();
        let mut strides = [0; MAX_DIMENSIONS];
        for (slot, dimension) in strides.iter_mut().zip(guest.dimensions()) {
            *slot = guest.stride(dimension);
        }
        let left = sets[..dimensions].iter().map(CoordinateSet::count).product();
        Self { dimensions, sets: *sets, strides, positions: [0; MAX_DIMENSIONS], left }
    }

    /// Advances to the next process, the first dimension fastest.
    fn advance(&mut self) {
        for dimension in 0..self.dimensions {
            self.positions[dimension] += 1;
            if self.positions[dimension] < self.sets[dimension].count() {
                return;
            }
            self.positions[dimension] = 0;
        }
    }
}

impl Iterator for Processes {
    type Item = ProcessId;

    fn next(&mut self) -> Option<ProcessId> {
        self.left = self.left.checked_sub(1)?;
        let along =
            |dimension: usize| self.sets[dimension].get(self.positions[dimension]) * self.strides[dimension];
        let label = (0..self.dimensions).map(along).sum();
        self.advance();
        Some(ProcessId::new(narrow(label)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinates(set: &CoordinateSet) -> Vec<u64> {
        (0..set.count()).map(|position| set.get(position)).collect()
    }

    #[test]
    fn errata_a6_the_inverse_of_a_fold_mirrors_whole_runs() {
        // kappa = 2, l = 16, y = 0: the misprint gives 0, 1, 30, 31.
        let contraction = Contraction {
            lengths: vec![16],
            kept: vec![0],
            folding: DimensionFold::Folded,
            kappa: Length::new(2),
        };
        let sets = contraction.origins(&[0; 32]);
        assert_eq!(coordinates(&sets[0]), [0, 1, 14, 15]);
        for coordinate in [0, 1, 14, 15] {
            let mut from = [0; 32];
            from[0] = coordinate;
            assert_eq!(contraction.image(&from)[0], 0);
        }
    }

    #[test]
    fn dimensions_left_out_may_be_anywhere() {
        // kappa = 1, L = (3, 4), pi = (2, 1): host dimension 1 is guest dimension 2.
        let contraction = Contraction {
            lengths: vec![3, 4],
            kept: vec![1],
            folding: DimensionFold::Unfolded,
            kappa: Length::new(1),
        };
        let mut image = [0; 32];
        image[0] = 3;
        let sets = contraction.origins(&image);
        assert_eq!(coordinates(&sets[0]), [0, 1, 2]);
        assert_eq!(coordinates(&sets[1]), [3]);
    }
}
