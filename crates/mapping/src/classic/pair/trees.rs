//! Pairs of trees, or meshes of them, and hypercubes or meshes.

use cubefold_topology::{Machine, MachineKind, NodeId};

use super::{
    Pair, Plan, dimensions_of,
    grids::{cube_dimensions, exponent, is_mesh},
};
use crate::{
    ProcessId,
    classic::{
        caterpillar::{Caterpillar, caterpillar_places},
        dense_trees::{binomial_places, larger_cube_places, shared_places},
        double_rooted_tree::{DoubleRootedTree, MAX_DEPTH, tree_places},
        error::ClassicError,
        growing_tree::{GrowingTree, growing_places},
        hosts::MAX_DIMENSIONS,
        mesh_of_trees::{self, MAX_LEVELS, MeshOfTrees},
        tree_on_mesh,
    },
};

impl Pair<'_> {
    /// The depth of the binary tree, when the hypercube has so many dimensions more.
    fn tree_in_cube(self, more: u32) -> Option<u32> {
        let depth = dimensions_of(self.guest, MachineKind::BinaryTree)?;
        let fits = cube_dimensions(self.host)? == depth + more && depth <= MAX_DEPTH;
        fits.then_some(depth)
    }

    pub(super) fn double_rooted_tree(self) -> Option<Plan> {
        let depth = self.tree_in_cube(1)?;
        Some(Plan::exact(2, tree_places(&DoubleRootedTree::of_depth(depth))))
    }

    pub(super) fn shared_tree(self) -> Option<Result<Plan, ClassicError>> {
        let depth = self.tree_in_cube(1).filter(|&depth| depth >= 2)?;
        Some(shared_places(depth).map(|places| Plan::exact(1, places)))
    }

    pub(super) fn wide_tree(self) -> Option<Plan> {
        let depth = self.tree_in_cube(2).filter(|&depth| depth < MAX_DEPTH)?;
        Some(Plan::exact(1, larger_cube_places(depth)))
    }

    pub(super) fn binomial_tree(self) -> Option<Plan> {
        Some(Plan::exact(1, binomial_places(self.tree_in_cube(0)?)))
    }

    pub(super) fn tree_on_mesh(self) -> Option<Result<Plan, ClassicError>> {
        let depth = dimensions_of(self.guest, MachineKind::BinaryTree)?;
        let order = exponent(*self.host.shape().lengths().first()?)?;
        let fits = is_mesh(self.host, &[1 << order; 2]) && depth == 2 * order;
        let links = (1 << order) + 2 * u64::from(order);
        (fits && order <= tree_on_mesh::MAX_ORDER)
            .then(|| tree_on_mesh::places(order).map(|places| Plan::at_most(links, places)))
    }

    pub(super) fn flip_bits(self) -> Option<Plan> {
        let dimensions = cube_dimensions(self.host).filter(|&dimensions| dimensions <= MAX_DIMENSIONS)?;
        let (tree, labels) = GrowingTree::of_network(self.guest)?;
        let flip = |vertex: ProcessId| (self.flip)(labels[vertex.label() as usize]);
        Some(Plan::at_most(1, in_label_order(&labels, &growing_places(&tree, dimensions, flip))))
    }

    pub(super) fn caterpillar(self) -> Option<Result<Plan, ClassicError>> {
        let (caterpillar, labels) = Caterpillar::of_network(self.guest)?;
        let fits = exponent(self.guest.node_count()) == cube_dimensions(self.host);
        let places = (fits && caterpillar.is_balanced()).then(|| caterpillar_places(&caterpillar))?;
        Some(places.map(|places| Plan::exact(1, in_label_order(&labels, &places))))
    }

    pub(super) fn mesh_of_trees(self) -> Option<Plan> {
        let levels = dimensions_of(self.guest, MachineKind::MeshOfTrees)?;
        let fits = cube_dimensions(self.host)? == 2 * levels + 2 && levels <= MAX_LEVELS;
        fits.then(|| Plan::exact(2, mesh_of_trees::places(MeshOfTrees { levels })))
    }
}

/// The places of vertices in the order of their labels.
fn in_label_order(labels: &[ProcessId], places: &[NodeId]) -> Vec<NodeId> {
    let mut ordered: Vec<(ProcessId, NodeId)> = labels.iter().copied().zip(places.iter().copied()).collect();
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, place)| place).collect()
}

/// Whether a machine is a network with one link fewer than nodes.
pub(in crate::classic) fn has_links_of_a_tree(machine: &Machine) -> bool {
    machine.graph().is_some() && machine.link_count() + 1 == machine.node_count()
}
