//! The algorithms that a new scenario compares: those of one level that are defined for the ranks, and on a cluster
//! hierarchical ones.

use cubefold_collectives::{Algorithm, CollectiveSpecification, Operation};
use cubefold_scenario::{Level, hierarchical_operations};
use cubefold_topology::Shape;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedAlgorithm {
    /// Of all ranks together.
    OneLevel(Algorithm),
    /// One inside every node, one among equal places of the nodes, with the vector in this many chunks.
    Hierarchical { inner: Algorithm, outer: Algorithm, chunks: u32 },
}

/// The algorithms inside nodes that are proposed: for switches and full meshes, and for rings.
const INNER: [Algorithm; 2] = [Algorithm::Direct, Algorithm::Ring];

/// The algorithms between nodes that are proposed: those with few steps, and those for long vectors.
const OUTER: [Algorithm; 4] =
    [Algorithm::Direct, Algorithm::RecursiveDoubling, Algorithm::Ring, Algorithm::DoubleTree];

/// One chunk for short vectors; several keep the links inside and between nodes busy at the same time.
const CHUNKS: [u32; 2] = [1, 4];

impl ComparedAlgorithm {
    /// The algorithms of an operation for ranks of this shape.
    pub(super) fn of_ranks(operation: Operation, shape: &[u64]) -> Vec<Self> {
        let is_defined = |algorithm: &Algorithm| is_defined(operation, *algorithm, shape);
        Algorithm::ALL.into_iter().filter(is_defined).map(Self::OneLevel).collect()
    }

    /// The hierarchical algorithms of an operation on several nodes with several devices each.
    pub(super) fn hierarchical(operation: Operation, nodes: u64, devices: u64) -> Vec<Self> {
        let Some(steps) = hierarchical_operations(operation) else { return vec![] };
        let suits = |algorithm: Algorithm, level: Level, ranks: u64| {
            let mut of_level = steps.iter().filter(|(of, _)| *of == level);
            of_level.all(|&(_, operation)| is_defined(operation, algorithm, &[ranks]))
        };
        if nodes < 2 || devices < 2 {
            return vec![];
        }
        let inner = INNER.into_iter().filter(|&algorithm| suits(algorithm, Level::Inner, devices));
        let outer = || OUTER.into_iter().filter(|&algorithm| suits(algorithm, Level::Outer, nodes));
        let pairs: Vec<_> = inner.flat_map(|inner| outer().map(move |outer| (inner, outer))).collect();
        let in_chunks =
            |chunks| pairs.iter().map(move |&(inner, outer)| Self::Hierarchical { inner, outer, chunks });
        CHUNKS.into_iter().flat_map(in_chunks).collect()
    }

    /// Its descriptor, if it has one level.
    pub(super) fn one_level(self) -> Option<Algorithm> {
        match self {
            Self::OneLevel(algorithm) => Some(algorithm),
            Self::Hierarchical { .. } => None,
        }
    }

    /// Its value in TOML.
    pub(super) fn text(self) -> String {
        match self {
            Self::OneLevel(algorithm) => format!("\"{algorithm}\""),
            Self::Hierarchical { inner, outer, chunks } => {
                let chunks = if chunks == 1 { String::new() } else { format!(", chunks = {chunks}") };
                format!("{{ hierarchical = {{ inner = \"{inner}\", outer = \"{outer}\"{chunks} }} }}")
            }
        }
    }
}

/// Whether an algorithm performs an operation on ranks of this shape.
fn is_defined(operation: Operation, algorithm: Algorithm, shape: &[u64]) -> bool {
    let specification = |shape| CollectiveSpecification::new(operation, algorithm, shape, 1);
    Shape::new(shape).is_ok_and(|shape| specification(shape).check().is_ok())
}
