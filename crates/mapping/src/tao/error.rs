//! The conditions of the theorems that a pair of shapes fails.

use cubefold_topology::MachineKind;

impl From<UnmetCondition> for Vec<UnmetCondition> {
    fn from(condition: UnmetCondition) -> Self {
        vec![condition]
    }
}

/// A condition of a theorem that a pair of guest and host fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnmetCondition {
    /// The dissertation is about toruses and meshes.
    #[error("a {machine}, expected a torus or mesh")]
    Grid {
        /// The guest or the host.
        machine: MachineKind,
    },
    /// One-to-one constructions need a node for every process.
    #[error("{processes} processes on {nodes} nodes, expected as many nodes as processes")]
    EqualSizes {
        /// The number of processes.
        processes: u64,
        /// The number of nodes.
        nodes: u64,
    },
    /// Contractions need a multiple of the number of nodes, twice it at least.
    #[error(
        "contraction: {processes} processes on {nodes} nodes, expected twice as many processes as nodes, or more times as many"
    )]
    MultipleSizes {
        /// The number of processes.
        processes: u64,
        /// The number of nodes.
        nodes: u64,
    },
    /// Uneven contractions are of guests larger than the host.
    #[error("uneven contraction: {processes} processes on {nodes} nodes, expected more processes than nodes")]
    MoreProcesses {
        /// The number of processes.
        processes: u64,
        /// The number of nodes.
        nodes: u64,
    },
    /// Only a host larger than the guest has nodes to spare.
    #[error("spare nodes: {processes} processes on {nodes} nodes, expected fewer processes than nodes")]
    SpareNodes {
        /// The number of processes.
        processes: u64,
        /// The number of nodes.
        nodes: u64,
    },
    /// Basic embeddings are of lines and rings (3.3).
    #[error("basic: the guest has {found} dimensions, expected 1")]
    OneDimension {
        /// The number of guest dimensions.
        found: usize,
    },
    /// `f_L`, `F_V` and functions built on them cut a wrapping dimension open.
    #[error("f: a guest dimension wraps, expected a line or mesh")]
    GuestMesh,
    /// `h_L` is a circuit of a mesh of even size and two dimensions or more only (theorem 3.3.3).
    #[error("h: a mesh of odd size or one dimension has no Hamiltonian circuit, expected a torus")]
    HamiltonianMesh,
    /// Lemma 3.4.1: the same lengths up to order.
    #[error("same shape: the lengths differ by more than their order")]
    SameLengths,
    /// Definition 3.4.1: `d < c`.
    #[error("expansion: {guest} guest and {host} host dimensions, expected fewer of the guest")]
    ExpansionDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Definition 3.4.1: an expansion factor.
    #[error("expansion: the host lengths do not group into products that are the guest lengths")]
    ExpansionFactor,
    /// Theorem 3.4.1 (c): an expansion factor of lists that are (2) or, of two components at least, start even.
    #[error(
        "expansion by H: in no factor is every list (2), or of two lengths or more with an even one first"
    )]
    EvenExpansionFactor,
    /// Definition 3.4.4: `d > c`.
    #[error("simple reduction: {guest} guest and {host} host dimensions, expected more of the guest")]
    SimpleReductionDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Definition 3.4.4: a reduction factor.
    #[error("simple reduction: the guest lengths do not group into products that are the host lengths")]
    SimpleReductionFactor,
    /// Definition 3.4.6: `c < d < 2c` (errata C1).
    #[error("general reduction: {guest} guest and {host} host dimensions, expected c < d < 2c")]
    GeneralReductionDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Definition 3.4.6: multiplicand and multiplier sublists and a reduction factor.
    #[error("general reduction: no multiplicand and multiplier sublists with a factor give the host lengths")]
    GeneralReductionFactor,
    /// The search for a general reduction stopped at its limit.
    #[error("general reduction: none found among the first {states} partial choices")]
    GeneralReductionSearch {
        /// The number of partial choices tried.
        states: usize,
    },
    /// Section 4.5.3: `d > c`.
    #[error("sequential elimination: {guest} guest and {host} host dimensions, expected more of the guest")]
    SequentialEliminationDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Section 4.5.3: multiplicands.
    #[error("sequential elimination: the host lengths are no multiples of guest lengths of their own")]
    SequentialEliminationFactor,
    /// Theorems 3.5.3 and 3.5.5: square graphs.
    #[error("square: the dimensions of guest and host are not all as long as one another")]
    Square,
    /// Theorem 3.5.3: `d > c`, `d` not divisible by `c`.
    #[error(
        "square, lowering: {guest} guest dimensions, expected more than the host's {host}, not a multiple"
    )]
    SquareLoweringDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Theorem 3.5.5: `d < c`, `c` not divisible by `d`.
    #[error("square, rising: {host} host dimensions, expected more than the guest's {guest}, not a multiple")]
    SquareRisingDimensions {
        /// The number `d` of guest dimensions.
        guest: usize,
        /// The number `c` of host dimensions.
        host: usize,
    },
    /// Theorems 4.5.6 and 4.5.7: a guest of odd size.
    #[error("square with folding: the guest's size is even, expected an odd one")]
    OddSize,
    /// 5.3, general scheme: one factor `kappa` in every dimension that leaves lengths of at least 2.
    #[error("contraction: no kappa divides every guest length and leaves as many processes as nodes")]
    Kappa,
    /// 5.3: a ring of `2 kappa` times the number of nodes.
    #[error("ring fold: expected a guest of one dimension, an even multiple of the number of nodes long")]
    RingFold,
    /// 5.3: every guest length `2 kappa` times one of a shape that expands to the host's.
    #[error("torus fold: no kappa makes the guest lengths 2 kappa times a shape that expands to the host's")]
    TorusFold,
    /// 5.3: `d > c` and host lengths that are guest lengths divided by one `kappa`.
    #[error("projection: no kappa makes every host length, times kappa, a guest length of its own")]
    Projection,
    /// 5.3: the same with `2 kappa`.
    #[error("folded projection: no kappa makes every host length, times 2 kappa, a guest length of its own")]
    FoldedProjection,
    /// `docs/model.md` section 28.9: lengths up to the guest's that have a one-to-one construction.
    #[error(
        "uneven contraction: no lengths up to the guest's, of a shape of as many nodes as the host has, have a one-to-one construction"
    )]
    UnevenShape,
    /// The search for the lengths of an uneven contraction stopped at its limit.
    #[error("uneven contraction: none found among the first {states} partial choices")]
    UnevenSearch {
        /// The number of partial choices tried.
        states: usize,
    },
    /// The search for a grid and a box stopped at its limit.
    #[error("spare nodes: none found among the first {states} grids and boxes")]
    SpareSearch {
        /// The number of grids and boxes tried.
        states: usize,
    },
    /// `docs/model.md` section 28.9: a box of the host and lengths from the guest's on, with a one-to-one construction.
    #[error(
        "spare nodes: no lengths from the guest's on, of a shape of as many nodes as a box of the host has, have a one-to-one construction"
    )]
    SpareShape,
    /// 5.3: dimensions are left out without folding between graphs of one type, or from a mesh.
    #[error("projection: a torus on a mesh needs folding")]
    ProjectionTypes,
}
