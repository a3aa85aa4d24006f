//! The promises of a theorem: the dilation of a construction and the routing of its messages.

use cubefold_topology::LinkMode;

/// The dilation that a theorem states \[links\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromisedDilation {
    /// The dilation stated, at least 1.
    pub links: u64,
    /// Whether the dilation equals the statement or is at most that (errata B1, B2, C11).
    pub exactness: Exactness,
}

/// The relation of a measured value to the stated one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// The measured value equals the statement.
    Exact,
    /// The measured value may be less: a fold of a length of 2 does not double distances, and guests and hosts
    /// that wrap in some dimensions only, or that are taken as another type, may do better.
    AtMost,
}

/// Parallel data movement steps that suffice, under each link mode \[steps\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromisedSteps {
    /// Under mode 1.
    pub full_duplex: u64,
    /// Under mode 2; `None` if none are promised.
    pub half_duplex: Option<u64>,
    /// Under mode 3; `None` if none are promised.
    pub single_direction: Option<u64>,
}

/// A conflict-free routing of the messages of a stage (Tao 1988, 4.5.1; `docs/model.md` section 6).
///
/// A stage's messages are routed in subsets, those with the smallest number in the routing vector first; the
/// promised steps hold for every permutation-type set, for unit dilation for every scatter-type set too
/// (errata A3), and after a contraction for sets in which no two messages share a source node or a
/// destination node (errata A9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routing {
    pub(super) vector: Vec<u32>,
    pub(super) space: RoutingSpace,
    pub(super) subsets: Vec<RoutingSubset>,
    pub(super) source: RoutingSource,
}

/// The graph whose dimensions a routing vector numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingSpace {
    /// The guest.
    Guest,
    /// The graph that the first stage of the construction maps to (theorem 4.5.7).
    FirstStage,
}

/// The source of a routing promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingSource {
    /// A theorem of the dissertation, as the errata read it.
    Dissertation,
    /// The errata alone, where the dissertation promises nothing (errata C11 and A8).
    Errata,
    /// The argument of a theorem for pairs that it does not name (`docs/model.md` section 28.2).
    Extension,
}

/// One subset of a stage's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutingSubset {
    /// Its number in the routing vector, at least 1.
    pub number: u32,
    /// The limit of links that a message moves in a phase \[links\]; `None` if it moves until its coordinate
    /// agrees (errata A1).
    pub phase_length: Option<u64>,
    /// The steps that suffice for the subset.
    pub steps: PromisedSteps,
}

impl PromisedSteps {
    /// `links` along every one of `dimensions` host dimensions at once: `rho`, `2 rho` and `2 c rho` (Tao 1988,
    /// 4.5.1).
    pub(super) fn uniform(links: u64, dimensions: usize) -> Self {
        Self::along(links, links * dimensions as u64)
    }

    /// `most` links along one host dimension, `sum` over all: both directions one after another take twice
    /// that (errata A4).
    pub(super) fn along(most: u64, sum: u64) -> Self {
        Self { full_duplex: most, half_duplex: Some(2 * most), single_direction: Some(2 * sum) }
    }

    /// Steps under mode 1 alone.
    pub(super) fn full_duplex_only(steps: u64) -> Self {
        Self { full_duplex: steps, half_duplex: None, single_direction: None }
    }

    /// The steps under a link mode; `None` if none are promised.
    #[must_use]
    pub fn under(self, mode: LinkMode) -> Option<u64> {
        match mode {
            LinkMode::FullDuplex => Some(self.full_duplex),
            LinkMode::HalfDuplex => self.half_duplex,
            LinkMode::SingleDirection => self.single_direction,
        }
    }

    fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, other: Option<u64>| Some(one? + other?);
        Self {
            full_duplex: self.full_duplex + other.full_duplex,
            half_duplex: sum(self.half_duplex, other.half_duplex),
            single_direction: sum(self.single_direction, other.single_direction),
        }
    }
}

impl Routing {
    /// All messages in one subset; dilation 2 in phases of one link (theorems 4.5.1 and 4.5.2, errata A1 and A2).
    pub(super) fn for_dilation(links: u64, guest_dimensions: usize, host_dimensions: usize) -> Self {
        let phase_length = (links == 2).then_some(1);
        Self::together(guest_dimensions, phase_length, PromisedSteps::uniform(links, host_dimensions))
    }

    /// All messages in one subset.
    pub(super) fn together(dimensions: usize, phase_length: Option<u64>, steps: PromisedSteps) -> Self {
        Self {
            vector: vec![1; dimensions],
            space: RoutingSpace::Guest,
            subsets: vec![RoutingSubset { number: 1, phase_length, steps }],
            source: RoutingSource::Dissertation,
        }
    }

    /// The routing vector: a positive number for each dimension of [`Routing::space`].
    #[must_use]
    pub fn vector(&self) -> &[u32] {
        &self.vector
    }

    /// The graph whose dimensions the vector numbers.
    #[must_use]
    pub fn space(&self) -> RoutingSpace {
        self.space
    }

    /// The subsets in the order in which they are routed: numbers 1, 2, and so on.
    #[must_use]
    pub fn subsets(&self) -> &[RoutingSubset] {
        &self.subsets
    }

    /// The source of the promise.
    #[must_use]
    pub fn source(&self) -> RoutingSource {
        self.source
    }

    /// The steps that suffice for all subsets, one after another.
    #[must_use]
    pub fn steps(&self) -> PromisedSteps {
        let none = PromisedSteps::along(0, 0);
        self.subsets.iter().fold(none, |sum, subset| sum.plus(subset.steps))
    }
}

impl PromisedDilation {
    pub(crate) fn exactly(links: u64) -> Self {
        Self { links, exactness: Exactness::Exact }
    }

    pub(crate) fn at_most(links: u64) -> Self {
        Self { links, exactness: Exactness::AtMost }
    }

    /// A statement that holds with equality when `exact`.
    pub(super) fn new(links: u64, exact: bool) -> Self {
        // One-to-one or not, some guest edge joins two nodes, so that a dilation of 1 is exact.
        if exact || links == 1 { Self::exactly(links) } else { Self::at_most(links) }
    }
}
