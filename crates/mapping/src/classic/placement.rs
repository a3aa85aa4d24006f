//! The list of the constructions of the notes, and guests placed by one of them.
//!
//! Parsing, lists and documentation derive from [`ClassicConstruction::ALL`].

use std::sync::OnceLock;

use cubefold_topology::Machine;

use super::{
    EdgePaths, caterpillar,
    construction::{ClassicConstruction, FlipBit, Pair, Plan},
    cube_in_rectangle,
    error::ClassicError,
    grids, growing_tree, hypercubic_networks, k_ary_trees, mesh_of_trees, paths_and_cycles,
    rectangle_in_cube, rectangles, shuffle_networks, spanning_trees, squeeze, tour_cycle, tree_on_mesh,
    trees_in_cubes,
};
use crate::{PlacementTable, PlacementTableError, ProcessId, PromisedDilation};

impl ClassicConstruction {
    /// Every construction. Where several apply to a pair of guest and host, the first in this order
    /// is taken.
    pub const ALL: &'static [&'static Self] = &[
        &paths_and_cycles::GRAY_PATH,
        &paths_and_cycles::GRAY_CYCLE,
        &grids::MESH_IN_TORUS,
        &paths_and_cycles::RECURSIVE_PATH,
        &paths_and_cycles::RECURSIVE_CYCLE,
        &grids::SNAKE,
        &paths_and_cycles::Z_ORDER,
        &grids::FOLDED_TORUS,
        &grids::TORUS_IN_RING,
        &rectangles::RECTANGLE_IN_SQUARE,
        &rectangles::SQUARE_IN_RECTANGLE,
        &rectangles::EXAMPLE_MESHES,
        &cube_in_rectangle::CUBE_IN_RECTANGLE,
        &rectangle_in_cube::RECTANGLE_IN_CUBE,
        &squeeze::SQUEEZE,
        &trees_in_cubes::DOUBLE_ROOTED_TREE,
        &trees_in_cubes::SHARED_TREE,
        &trees_in_cubes::WIDE_TREE,
        &trees_in_cubes::BINOMIAL_TREE,
        &spanning_trees::STRETCHED_TREE,
        &spanning_trees::TWO_TREES,
        &k_ary_trees::K_ARY_TREE,
        &k_ary_trees::TREE_IN_TREE,
        &k_ary_trees::Z_ORDER_IN_TREE,
        &tree_on_mesh::TREE_ON_MESH,
        &caterpillar::CATERPILLAR,
        &growing_tree::FLIP_BITS,
        &mesh_of_trees::MESH_OF_TREES,
        &hypercubic_networks::CYCLES_IN_BUTTERFLY,
        &hypercubic_networks::BUTTERFLY_IN_CYCLES,
        &hypercubic_networks::MERGED_LEVELS,
        &hypercubic_networks::FOLDED_LEVELS,
        &shuffle_networks::UNSHUFFLED_WORDS,
        &shuffle_networks::SHUFFLE_THEN_EXCHANGE,
        &shuffle_networks::CONTRACTED_EXCHANGES,
        &tour_cycle::TOUR_CYCLE,
    ];

    /// The construction with this name.
    #[must_use]
    pub fn with_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|construction| construction.name == name)
    }
}

/// The placement of the processes of one guest on one host by a construction of CS838 1999.
///
/// Its messages take the routes of the host, or the [paths](Self::paths) of the construction; the promised dilation
/// holds for both, since no route is longer than a path.
///
/// ```
/// use cubefold_mapping::{ClassicPlacement, classic::FlipBit};
/// use cubefold_topology::{Machine, MachineKind};
///
/// let ring = Machine::new(MachineKind::Ring, &[8])?;
/// let cube = Machine::new(MachineKind::Hypercube, &[2, 2, 2])?;
/// let placement = ClassicPlacement::choose(&ring, &cube, &|_| FlipBit::LeftStays)?;
/// assert_eq!(placement.construction().name, "gray-cycle");
/// assert_eq!(placement.dilation().links, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClassicPlacement {
    construction: &'static ClassicConstruction,
    guest: Machine,
    table: PlacementTable,
    dilation: PromisedDilation,
    paths: OnceLock<EdgePaths>, // made on first use
}

/// Equality without the paths, which follow from the rest.
impl PartialEq for ClassicPlacement {
    fn eq(&self, other: &Self) -> bool {
        let kind = |placement: &Self| (placement.construction, placement.dilation);
        kind(self) == kind(other) && self.guest == other.guest && self.table == other.table
    }
}

impl Eq for ClassicPlacement {}

impl ClassicPlacement {
    /// Chooses the first construction in the order of [`ClassicConstruction::ALL`] that takes the pair.
    /// `flip` gives the flip bits of the vertices of a tree that grows; no other construction is
    /// random.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be made.
    pub fn choose(
        guest: &Machine,
        host: &Machine,
        flip: &dyn Fn(ProcessId) -> FlipBit,
    ) -> Result<Self, ClassicPlacementError> {
        let pair = Pair { guest, host, flip };
        let mut plans = ClassicConstruction::ALL.iter().filter_map(|one| Some((*one, (one.plan)(pair)?)));
        let (construction, plan) = plans.next().ok_or(ClassicPlacementError::NotCovered)?;
        Self::new(construction, plan?, pair)
    }

    /// The named construction. `flip` is as above.
    ///
    /// # Errors
    ///
    /// When it does not take the pair, or cannot be made.
    pub fn named(
        construction: &'static ClassicConstruction,
        guest: &Machine,
        host: &Machine,
        flip: &dyn Fn(ProcessId) -> FlipBit,
    ) -> Result<Self, ClassicPlacementError> {
        let pair = Pair { guest, host, flip };
        let plan = (construction.plan)(pair).ok_or(ClassicPlacementError::OtherPair { construction })?;
        Self::new(construction, plan?, pair)
    }

    fn new(
        construction: &'static ClassicConstruction,
        plan: Plan,
        pair: Pair<'_>,
    ) -> Result<Self, ClassicPlacementError> {
        let Plan { nodes, dilation } = plan;
        let table = PlacementTable::new(pair.host, nodes)?;
        Ok(Self { construction, guest: pair.guest.clone(), table, dilation, paths: OnceLock::new() })
    }

    /// The construction.
    #[must_use]
    pub fn construction(&self) -> &'static ClassicConstruction {
        self.construction
    }

    /// The guest, whose nodes are the processes.
    #[must_use]
    pub fn guest(&self) -> &Machine {
        &self.guest
    }

    /// The nodes of the processes.
    #[must_use]
    pub fn table(&self) -> &PlacementTable {
        &self.table
    }

    /// The paths of the guest's edges.
    ///
    /// # Errors
    ///
    /// When they cannot be made.
    pub fn paths(&self) -> Result<&EdgePaths, ClassicError> {
        if let Some(paths) = self.paths.get() {
            return Ok(paths);
        }
        let Self { construction, guest, table, .. } = self;
        let paths = EdgePaths::new(construction, guest, table.machine(), table.nodes())?;
        Ok(self.paths.get_or_init(|| paths))
    }

    /// The dilation that the notes state.
    #[must_use]
    pub fn dilation(&self) -> PromisedDilation {
        self.dilation
    }
}

/// A pair of guest and host that no construction of the notes, or not the one asked for, covers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassicPlacementError {
    /// No construction takes the pair.
    #[error("no construction of CS838 1999 maps this guest on this host")]
    NotCovered,
    /// The named construction takes other pairs.
    #[error("{construction} does not map this guest on this host, expected {}", construction.summary)]
    OtherPair {
        /// The construction.
        construction: &'static ClassicConstruction,
    },
    /// The construction could not be made.
    #[error(transparent)]
    Construction(#[from] ClassicError),
    /// The construction's result is not a placement.
    #[error(transparent)]
    Table(#[from] PlacementTableError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exactness;
    use cubefold_topology::{MachineKind, Network, TreeParameters};

    fn machine(kind: MachineKind, lengths: &[u64]) -> Machine {
        Machine::new(kind, lengths).unwrap()
    }

    fn stays(_: ProcessId) -> FlipBit {
        FlipBit::LeftStays
    }

    /// The names of the constructions that take a pair, in order. The description of each states
    /// its promise.
    fn all(guest: &Machine, host: &Machine) -> Vec<&'static str> {
        let placements = ClassicConstruction::ALL.iter().filter_map(|&construction| {
            let placement = ClassicPlacement::named(construction, guest, host, &stays).ok()?;
            let stated = construction.promised_dilation;
            let is_bound = placement.dilation().exactness == Exactness::AtMost;
            assert_eq!(stated.starts_with("at most "), is_bound, "{construction}");
            if let Ok(links) = stated.trim_start_matches("at most ").parse::<u64>() {
                assert_eq!(placement.dilation().links, links, "{construction}");
            }
            Some(construction.name)
        });
        placements.collect()
    }

    #[test]
    fn pairs_get_the_constructions_that_are_for_them() {
        use MachineKind::{Hypercube, Line, Mesh, Ring, Torus};
        let of = |guest: (MachineKind, &[u64]), host: (MachineKind, &[u64])| {
            all(&machine(guest.0, guest.1), &machine(host.0, host.1))
        };
        assert_eq!(of((Line, &[8]), (Hypercube, &[2; 3])), ["gray-path"]);
        assert_eq!(of((Ring, &[8]), (Hypercube, &[2; 3])), ["gray-cycle", "tour-cycle"]);
        assert_eq!(of((Line, &[16]), (Mesh, &[4, 4])), ["recursive-path", "snake", "z-order"]);
        assert_eq!(of((Ring, &[16]), (Mesh, &[4, 4])), ["recursive-cycle", "tour-cycle"]);
        assert_eq!(of((Ring, &[5]), (Line, &[5])), ["folded-torus", "tour-cycle"]);
        assert_eq!(of((Mesh, &[2, 12]), (Mesh, &[2, 3, 4])), ["snake"]);
        assert_eq!(of((Mesh, &[4, 3]), (Torus, &[4, 3])), ["mesh-in-torus"]);
        assert_eq!(of((Torus, &[4, 2]), (Mesh, &[4, 2])), ["folded-torus"]);
        // Sides of length 2 have one link, around or not.
        assert_eq!(of((Mesh, &[2; 3]), (Torus, &[2; 3])), ["mesh-in-torus", "folded-torus"]);
        assert_eq!(of((Torus, &[2; 3]), (Mesh, &[2; 3])), ["mesh-in-torus", "folded-torus"]);
        assert_eq!(of((Torus, &[4, 3]), (Ring, &[12])), ["torus-in-ring"]);
        assert_eq!(of((Torus, &[3, 3]), (Ring, &[9])), [""; 0]);
        assert_eq!(
            of((Mesh, &[9, 4]), (Mesh, &[6, 6])),
            ["rectangle-in-square", "rectangle-in-cube", "squeeze"]
        );
        assert_eq!(
            of((Mesh, &[6, 6]), (Mesh, &[9, 4])),
            ["square-in-rectangle", "cube-in-rectangle", "squeeze"]
        );
        assert_eq!(of((Mesh, &[4, 4, 4]), (Mesh, &[2, 4, 8])), ["cube-in-rectangle"]);
        assert_eq!(of((Mesh, &[4, 4, 4]), (Mesh, &[16, 4])), ["cube-in-rectangle"]);
        assert_eq!(of((Mesh, &[8, 4, 2]), (Mesh, &[4, 4, 4])), ["rectangle-in-cube"]);
        assert_eq!(of((Mesh, &[4, 6]), (Mesh, &[3, 8])), ["squeeze"]);
        assert_eq!(of((Mesh, &[5, 3]), (Mesh, &[4, 4])), ["squeeze"]);
        assert_eq!(of((Mesh, &[3, 5]), (Mesh, &[4, 4])), ["squeeze"]);
        assert_eq!(of((Mesh, &[2, 9]), (Mesh, &[3, 6])), ["example-meshes", "squeeze"]);
        assert_eq!(of((Ring, &[5]), (Torus, &[2, 3])), [""; 0]);
    }

    #[test]
    fn networks_get_the_constructions_that_are_for_them() {
        use MachineKind::{
            BinaryTree, Butterfly, CubeConnectedCycles, DeBruijn, MeshOfTrees, ShuffleExchange,
            WrappedButterfly,
        };
        let network = |kind, dimensions| Machine::of_dimensions(kind, dimensions).unwrap();
        let cube = |dimensions| machine(MachineKind::Hypercube, &vec![2; dimensions]);
        let tree = network(BinaryTree, 4);
        assert_eq!(all(&tree, &cube(5)), ["double-rooted-tree", "shared-tree", "k-ary-tree", "flip-bits"]);
        assert_eq!(all(&tree, &cube(6)), ["wide-tree", "flip-bits"]);
        assert_eq!(all(&tree, &cube(4)), ["binomial-tree", "flip-bits"]);
        assert_eq!(all(&tree, &machine(MachineKind::Mesh, &[4, 4])), ["tree-on-mesh"]);
        assert_eq!(all(&network(MeshOfTrees, 3), &cube(8)), ["mesh-of-trees"]);
        let of_numbers = |parameters| Machine::of_tree(parameters).unwrap();
        let ternary = of_numbers(TreeParameters::KAry { arity: 3, levels: 2 });
        assert_eq!(all(&ternary, &cube(5)), ["k-ary-tree"]);
        assert_eq!(all(&ternary, &tree), ["tree-in-tree"]);
        assert_eq!(all(&ternary, &cube(6)), [""; 0]);
        let stretched = of_numbers(TreeParameters::Stretched { levels: 3 });
        assert_eq!(all(&stretched, &cube(4)), ["stretched-tree", "flip-bits"]);
        assert_eq!(all(&of_numbers(TreeParameters::Two { levels: 2 }), &cube(4)), ["two-trees"]);
        let quaternary = of_numbers(TreeParameters::KAry { arity: 4, levels: 2 });
        assert_eq!(all(&machine(MachineKind::Mesh, &[4, 4]), &quaternary), ["z-order-in-tree"]);
        let of = |guest, host| all(&network(guest, 4), &network(host, 4));
        assert_eq!(of(CubeConnectedCycles, WrappedButterfly), ["cycles-in-butterfly"]);
        assert_eq!(of(WrappedButterfly, CubeConnectedCycles), ["butterfly-in-cycles"]);
        assert_eq!(of(Butterfly, WrappedButterfly), ["merged-levels"]);
        assert_eq!(of(WrappedButterfly, Butterfly), ["folded-levels"]);
        assert_eq!(of(ShuffleExchange, DeBruijn), ["unshuffled-words"]);
        assert_eq!(of(DeBruijn, ShuffleExchange), ["shuffle-then-exchange"]);
        assert_eq!(all(&network(ShuffleExchange, 5), &network(DeBruijn, 4)), ["contracted-exchanges"]);
        assert_eq!(all(&machine(MachineKind::Ring, &[16]), &network(DeBruijn, 4)), ["tour-cycle"]);
    }

    #[test]
    fn lists_of_links_may_be_trees_and_caterpillars_with_any_numbers() {
        let of = |links: &[(u32, u32)]| {
            let network = Network::from_edges(8, links).unwrap();
            let guest = Machine::network(MachineKind::Network, network).unwrap();
            all(&guest, &machine(MachineKind::Hypercube, &[2; 3]))
        };
        // A spine 3 - 0 - 4 - 1 - 5 - 2 with legs at 0 and 4. Node 0 has too many children for the
        // root of a binary tree.
        assert_eq!(of(&[(3, 0), (0, 4), (4, 1), (1, 5), (5, 2), (0, 6), (4, 7)]), ["caterpillar"]);
        // Legs at 0 and 1: five vertices of one colour.
        assert_eq!(of(&[(3, 0), (0, 4), (4, 1), (1, 5), (5, 2), (0, 6), (1, 7)]), [""; 0]);
        // A binary tree, with two vertices below the leg at 1.
        assert_eq!(of(&[(0, 4), (0, 1), (1, 2), (1, 3), (3, 5), (3, 6), (2, 7)]), ["flip-bits"]);
        // A cycle and a separate node have the link count of a tree.
        assert_eq!(of(&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0)]), [""; 0]);
    }

    #[test]
    fn the_first_that_applies_is_chosen_and_others_say_what_they_are_for() {
        let (line, square) = (machine(MachineKind::Line, &[16]), machine(MachineKind::Mesh, &[4, 4]));
        let chosen = ClassicPlacement::choose(&line, &square, &stays).unwrap();
        assert_eq!(chosen.construction().name, "recursive-path");
        let torus_in_ring = ClassicConstruction::with_name("torus-in-ring").unwrap();
        assert_eq!(
            ClassicPlacement::named(torus_in_ring, &line, &square, &stays).unwrap_err().to_string(),
            "torus-in-ring does not map this guest on this host, expected a torus y x z, y and z different, on a ring of y z"
        );
        let (oblong, dozen) = (machine(MachineKind::Mesh, &[4, 3]), machine(MachineKind::Line, &[12]));
        let none = ClassicPlacement::choose(&oblong, &dozen, &stays).unwrap_err();
        assert_eq!(none.to_string(), "no construction of CS838 1999 maps this guest on this host");
    }
}
