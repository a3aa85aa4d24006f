//! Pairs of lines, rings, meshes, toruses and hypercubes.

use cubefold_topology::{Extent, Machine, NodeId};

use super::{Pair, Plan};
use crate::classic::{
    example_meshes::{ExampleMeshes, example_places},
    folded_torus::folded_places,
    gray,
    hosts::MAX_DIMENSIONS,
    numberings::MAX_ORDER,
    snake::snake_places,
    square_meshes::{SquareAndRectangle, paper_places, snaking_places},
    torus_in_ring::ring_places,
    tour_cycle::tour_places,
};

/// Whether it is a grid of these lengths without dimensions that wrap.
pub(super) fn is_mesh(machine: &Machine, lengths: &[u64]) -> bool {
    machine.shape().lengths() == lengths && is_open(machine)
}

/// Whether it is a grid in which no dimension wraps; one of length 2 never counts as wrapping.
fn is_open(machine: &Machine) -> bool {
    !machine.axes().is_empty() && !machine.extents().any(Extent::is_ring)
}

/// Whether it is a grid in which every dimension wraps, and one is longer than 2.
fn is_torus(machine: &Machine) -> bool {
    let mut extents = machine.extents();
    extents.clone().any(Extent::is_ring) && extents.all(|extent| extent.is_ring() || extent.length() == 2)
}

/// Whether it is a line.
pub(super) fn is_line(machine: &Machine) -> bool {
    is_open(machine) && machine.shape().dimension_count() == 1
}

/// Whether it is a ring of three nodes or more.
pub(super) fn is_ring(machine: &Machine) -> bool {
    is_torus(machine) && machine.shape().dimension_count() == 1
}

/// The number of dimensions of a hypercube; none when it is something else.
pub(super) fn cube_dimensions(machine: &Machine) -> Option<u32> {
    let lengths = machine.shape().lengths();
    let is_cube = !machine.axes().is_empty() && lengths.iter().all(|&length| length == 2);
    u32::try_from(lengths.len()).ok().filter(|_| is_cube)
}

/// `n` of `2^n`.
pub(super) fn exponent(count: u64) -> Option<u32> {
    count.is_power_of_two().then(|| count.ilog2())
}

impl Pair<'_> {
    fn have_same_lengths(self) -> bool {
        !self.guest.axes().is_empty() && self.guest.shape() == self.host.shape()
    }

    /// Whether there are as many vertices as nodes.
    fn have_same_size(self) -> bool {
        self.guest.node_count() == self.host.node_count()
    }

    /// The Gray code, when the guest has the right kind.
    pub(super) fn gray(self, is_kind: bool) -> Option<Plan> {
        let dimensions = cube_dimensions(self.host).filter(|_| is_kind && self.have_same_size())?;
        (dimensions <= MAX_DIMENSIONS).then(|| Plan::exact(1, gray::places(1 << dimensions)))
    }

    pub(super) fn mesh_in_torus(self) -> Option<Plan> {
        let fits = is_open(self.guest) && is_torus(self.host) && self.have_same_lengths();
        fits.then(|| Plan::exact(1, self.host.nodes().collect()))
    }

    /// A numbering of a square mesh, when the guest has the right kind.
    pub(super) fn numbering(
        self,
        is_kind: bool,
        dilation: impl Fn(u32) -> u64,
        places: impl Fn(u32) -> Vec<NodeId>,
    ) -> Option<Plan> {
        let order = exponent(*self.host.shape().lengths().first()?)?;
        let is_square = is_mesh(self.host, &[1 << order; 2]) && self.have_same_size();
        (is_kind && is_square && order <= MAX_ORDER).then(|| Plan::exact(dilation(order), places(order)))
    }

    pub(super) fn snake(self) -> Option<Plan> {
        let (before, [along, across]) = self.host.shape().lengths().split_last_chunk::<2>()?;
        let guest = [before, &[along * across]].concat();
        let fits = is_mesh(self.guest, &guest) && is_open(self.host);
        fits.then(|| Plan::exact(1, snake_places(self.host)))
    }

    pub(super) fn folded_torus(self) -> Option<Plan> {
        let fits = is_torus(self.guest) && is_open(self.host) && self.have_same_lengths();
        fits.then(|| Plan::exact(2, folded_places(self.guest)))
    }

    pub(super) fn torus_in_ring(self) -> Option<Plan> {
        let &[first, second] = self.guest.shape().lengths() else { return None };
        let fits = is_torus(self.guest) && is_ring(self.host) && first != second && self.have_same_size();
        fits.then(|| Plan::exact(first.min(second), ring_places(self.guest)))
    }

    pub(super) fn rectangle_in_square(self) -> Option<Plan> {
        let lengths: [u64; 2] = self.guest.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(self.guest) && is_mesh(self.host, &[meshes.side(); 2]);
        fits.then(|| Plan::exact(1, paper_places(meshes)))
    }

    pub(super) fn square_in_rectangle(self) -> Option<Plan> {
        let lengths: [u64; 2] = self.host.shape().lengths().try_into().ok()?;
        let meshes = SquareAndRectangle::of_rectangle(lengths)?;
        let fits = is_open(self.host) && is_mesh(self.guest, &[meshes.side(); 2]);
        fits.then(|| Plan::exact(meshes.columns().into(), snaking_places(meshes)))
    }

    pub(super) fn example_meshes(self) -> Option<Plan> {
        let fits = |example: &ExampleMeshes| {
            is_mesh(self.guest, &example.guest_lengths()) && is_mesh(self.host, &example.host_lengths())
        };
        let example = ExampleMeshes::BOTH.into_iter().find(fits)?;
        Some(Plan::exact(2, example_places(example)))
    }

    pub(super) fn tour_cycle(self) -> Option<Plan> {
        let fits = is_ring(self.guest) && self.have_same_size();
        fits.then(|| tour_places(self.host)).flatten().map(|places| Plan::at_most(3, places))
    }
}
