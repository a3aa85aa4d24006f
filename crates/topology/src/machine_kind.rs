//! The kinds of machines: one table of their names, their parameters and how they are made.

use std::{fmt, ops::RangeInclusive};

use self::KindStructure::{Links, Parameters};
use crate::{Wrap, families::Family};

/// A kind of machines (`docs/model.md` section 1). Those from cube-connected cycles on are graphs (CS838 1999): their
/// links lie in no dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineKind {
    /// The mesh of one dimension.
    Line,
    /// The torus of one dimension.
    Ring,
    /// No dimension wraps unless declared to.
    Mesh,
    /// Every dimension wraps unless declared not to.
    Torus,
    /// All lengths are 2.
    Hypercube,
    /// A hypercube with each node replaced by a cycle of `n` nodes.
    CubeConnectedCycles,
    /// `n` levels of `2^n` nodes, of which the last leads to the first.
    WrappedButterfly,
    /// `n + 1` levels of `2^n` nodes.
    Butterfly,
    /// Words of `n` bits: links to the word rotated, and to the one with the other last bit.
    ShuffleExchange,
    /// Words of `n` bits: links to the words that they become when their bits move by one.
    DeBruijn,
    /// The complete binary tree with `n` levels of links.
    BinaryTree,
    /// The complete tree in which all inner nodes have the same number of children.
    KAryTree,
    /// The complete binary tree with a vertex on the link from the root to its right child.
    StretchedTree,
    /// Two complete binary trees.
    TwoTrees,
    /// A graph whose links an edge grammar derives.
    Grammar,
    /// `2^n x 2^n` leaves with a complete binary tree over every row and column.
    MeshOfTrees,
    /// Nodes that are all linked with each other.
    FullMesh,
    /// Switches on the lines of a grid, with hosts.
    HyperX,
    /// Groups of switches, with hosts.
    Dragonfly,
    /// Levels of switches, with hosts below.
    FatTree,
    /// Nodes of several devices, with leaves and spines between them.
    Cluster,
    /// Links one by one.
    Network,
    /// A binary tree that has grown at random.
    RandomTree,
    /// A path with at most one leg at every vertex.
    Caterpillar,
}

/// The properties of a machine kind.
#[derive(Debug)]
pub struct MachineKindDescriptor {
    /// The kind.
    pub kind: MachineKind,
    /// Its name in files.
    pub name: &'static str,
    /// A short description.
    pub description: &'static str,
    /// Whether programs run on it; every kind can be the shape of a guest.
    pub is_host: bool,
    structure: KindStructure,
}

/// The parameters from which machines of a kind are made.
#[derive(Debug)]
pub(crate) enum KindStructure {
    /// A grid, from lengths.
    Grid {
        /// The wrap of each dimension if the scenario sets none.
        wrap: Wrap,
        /// Whether there is exactly one dimension.
        one_dimension: bool,
        /// Whether all lengths are 2.
        lengths_of_two: bool,
    },
    /// A graph, from a number of dimensions.
    Family(&'static Family),
    /// A graph, from the parameters of a network with switches.
    Parameters,
    /// A graph, from its links.
    Links,
}

/// Every kind, in the order of [`MachineKind`].
static KINDS: [MachineKindDescriptor; 24] = [
    host(MachineKind::Line, "line", "nodes in a row", line(Wrap::Open)),
    host(MachineKind::Ring, "ring", "nodes in a circle", line(Wrap::Around)),
    host(MachineKind::Mesh, "mesh", "a grid of any number of dimensions", grid(Wrap::Open)),
    host(MachineKind::Torus, "torus", "a grid that wraps around", grid(Wrap::Around)),
    host(MachineKind::Hypercube, "hypercube", "every dimension has two nodes", HYPERCUBE),
    host(
        MachineKind::CubeConnectedCycles,
        "cube-connected-cycles",
        "a hypercube with a cycle of nodes for each of its own",
        KindStructure::Family(&Family::CUBE_CONNECTED_CYCLES),
    ),
    host(
        MachineKind::WrappedButterfly,
        "wrapped-butterfly",
        "n levels of 2^n nodes, of which the last leads to the first",
        KindStructure::Family(&Family::WRAPPED_BUTTERFLY),
    ),
    host(
        MachineKind::Butterfly,
        "butterfly",
        "n + 1 levels of 2^n nodes",
        KindStructure::Family(&Family::BUTTERFLY),
    ),
    host(
        MachineKind::ShuffleExchange,
        "shuffle-exchange",
        "words linked by rotation and by exchange of the last bit",
        KindStructure::Family(&Family::SHUFFLE_EXCHANGE),
    ),
    host(
        MachineKind::DeBruijn,
        "de-bruijn",
        "words linked by shifts",
        KindStructure::Family(&Family::DE_BRUIJN),
    ),
    host(
        MachineKind::BinaryTree,
        "binary-tree",
        "the complete binary tree",
        KindStructure::Family(&Family::BINARY_TREE),
    ),
    host(
        MachineKind::KAryTree,
        "k-ary-tree",
        "the complete tree in which every inner node has as many children",
        Links,
    ),
    guest(
        MachineKind::StretchedTree,
        "stretched-tree",
        "the complete binary tree with a vertex between the root and its right child",
        Links,
    ),
    guest(MachineKind::TwoTrees, "two-trees", "two complete binary trees", Links),
    host(MachineKind::Grammar, "grammar", "a graph whose links an edge grammar derives", Links),
    guest(
        MachineKind::MeshOfTrees,
        "mesh-of-trees",
        "leaves with a complete binary tree over every row and column",
        KindStructure::Family(&Family::MESH_OF_TREES),
    ),
    host(MachineKind::FullMesh, "full-mesh", "nodes that are all linked with each other", Parameters),
    host(
        MachineKind::HyperX,
        "hyperx",
        "switches with hosts, linked with all on the same line of a grid",
        Parameters,
    ),
    host(
        MachineKind::Dragonfly,
        "dragonfly",
        "groups of switches with hosts, every two groups linked",
        Parameters,
    ),
    host(MachineKind::FatTree, "fat-tree", "levels of switches, with hosts below", Parameters),
    host(
        MachineKind::Cluster,
        "cluster",
        "nodes of several devices, with leaves and spines between them",
        Parameters,
    ),
    host(MachineKind::Network, "network", "links one by one", Links),
    guest(MachineKind::RandomTree, "random-tree", "a binary tree grown at random", Links),
    guest(MachineKind::Caterpillar, "caterpillar", "a path with at most one leg at every vertex", Links),
];

/// A kind that programs run on.
const fn host(
    kind: MachineKind,
    name: &'static str,
    description: &'static str,
    structure: KindStructure,
) -> MachineKindDescriptor {
    MachineKindDescriptor { kind, name, description, is_host: true, structure }
}

/// A kind that is only the shape of a guest.
const fn guest(
    kind: MachineKind,
    name: &'static str,
    description: &'static str,
    structure: KindStructure,
) -> MachineKindDescriptor {
    MachineKindDescriptor { kind, name, description, is_host: false, structure }
}

const fn line(wrap: Wrap) -> KindStructure {
    KindStructure::Grid { wrap, one_dimension: true, lengths_of_two: false }
}

const fn grid(wrap: Wrap) -> KindStructure {
    KindStructure::Grid { wrap, one_dimension: false, lengths_of_two: false }
}

const HYPERCUBE: KindStructure =
    KindStructure::Grid { wrap: Wrap::Open, one_dimension: false, lengths_of_two: true };

/// Some of the kinds.
#[derive(Clone, Copy)]
enum Selection {
    All,
    Grids,
    Hosts,
}

/// The selected kinds in the order of the table.
const fn select<const COUNT: usize>(selection: Selection) -> [MachineKind; COUNT] {
    let mut kinds = [MachineKind::Line; COUNT];
    let (mut row, mut count) = (0, 0);
    while row < KINDS.len() {
        let descriptor = &KINDS[row];
        let is_selected = match selection {
            Selection::All => true,
            Selection::Grids => matches!(descriptor.structure, KindStructure::Grid { .. }),
            Selection::Hosts => descriptor.is_host,
        };
        if is_selected {
            kinds[count] = descriptor.kind;
            count += 1;
        }
        row += 1;
    }
    assert!(count == COUNT, "as many kinds as are selected");
    kinds
}

impl MachineKind {
    /// The kinds whose nodes have coordinates and whose links lie in dimensions.
    pub const GRIDS: [Self; 5] = select(Selection::Grids);

    /// Every kind that a program can run on.
    pub const HOSTS: [Self; 19] = select(Selection::Hosts);

    /// Every kind.
    pub const ALL: [Self; KINDS.len()] = select(Selection::All);

    /// The properties of this kind.
    #[must_use]
    pub fn descriptor(self) -> &'static MachineKindDescriptor {
        &KINDS[self as usize]
    }

    pub(crate) fn structure(self) -> &'static KindStructure {
        &self.descriptor().structure
    }

    /// Whether the links of its machines lie in dimensions.
    #[must_use]
    pub fn is_grid(self) -> bool {
        matches!(self.structure(), KindStructure::Grid { .. })
    }

    /// The numbers of dimensions that a graph of this kind may have (of a tree, levels of links); `None` for kinds that
    /// are not made from a number alone.
    #[must_use]
    pub fn network_dimensions(self) -> Option<RangeInclusive<u64>> {
        match self.structure() {
            KindStructure::Family(family) => Some(family.dimensions.clone()),
            KindStructure::Grid { .. } | KindStructure::Parameters | KindStructure::Links => None,
        }
    }

    /// The number of nodes of the graph of this kind with `dimensions` dimensions, each with at most four neighbours;
    /// `None` if the kind is not made from a number alone, or the number is out of range.
    #[must_use]
    pub fn network_node_count(self, dimensions: u64) -> Option<u64> {
        match self.structure() {
            KindStructure::Family(family) => family.node_count(dimensions),
            KindStructure::Grid { .. } | KindStructure::Parameters | KindStructure::Links => None,
        }
    }

    /// Whether its machines are made from the parameters of a network with switches, or of a full mesh.
    #[must_use]
    pub fn has_parameters(self) -> bool {
        matches!(self.structure(), KindStructure::Parameters)
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// The wrap of its dimensions if the scenario sets none; graphs have none.
    #[must_use]
    pub fn wrap(self) -> Wrap {
        match self.structure() {
            KindStructure::Grid { wrap, .. } => *wrap,
            KindStructure::Family(_) | KindStructure::Parameters | KindStructure::Links => Wrap::Open,
        }
    }
}

impl fmt::Display for MachineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_described_in_its_own_row() {
        for (row, kind) in MachineKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, kind.descriptor().kind), (row, kind));
        }
        let names = MachineKind::ALL.map(MachineKind::name);
        assert!(names.iter().enumerate().all(|(row, name)| !names[..row].contains(name)));
    }
}
