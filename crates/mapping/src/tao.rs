//! The mappings of Tao 1988 among toruses and meshes: embeddings (chapter 3) and contractions (chapter 5).
//!
//! A [`Construction`] maps the nodes of a guest, the processes, to those of a host by formula, and back. It is
//! composed of the functions of the dissertation and carries the promises of its theorem: the dilation and a
//! routing without conflicts. The choice among the constructions, and of their free parameters, is by a
//! deterministic search; nothing is searched or allocated for a single process.
//!
//! Each construction is one entry of [`CONSTRUCTIONS`] and lives in the file of its theorem: `expansion`,
//! `same_shape`, `simple_reduction`, `general_reduction`, `sequential_elimination`, `square`,
//! `contraction_theorems`, `uneven_contraction` and `spare_nodes`. They compose the functions of `bijection`,
//! `elimination` and `resizing`, which are made of the sequences of `sequence` over the
//! mixed-radix numbers of `radix`, with factors that `factor` finds.
//!
//! Every reading of the dissertation is that of `docs/errata.md`, cited as "errata A5". Coordinates are in its order,
//! the first fastest in a node's index (`docs/model.md` section 1).
//!
//! The module runs and measures nothing.

mod bijection;
mod choice;
mod contraction;
mod contraction_theorems;
mod descriptor;
mod elimination;
mod elimination_chain;
mod error;
mod expansion;
mod factor;
mod general_reduction;
mod one_to_one;
mod pair;
mod plan;
mod promise;
mod radix;
mod resizing;
mod same_shape;
mod sequence;
mod sequential_elimination;
mod simple_reduction;
mod spare_nodes;
mod square;
mod uneven_contraction;

pub use choice::{CONSTRUCTIONS, ConstructionError};
pub use contraction::Processes;
pub use descriptor::{ConstructionDescriptor, ConstructionKind, Sizes};
pub use error::UnmetCondition;
pub use plan::Parameter;
pub use promise::{
    Exactness, PromisedDilation, PromisedSteps, Routing, RoutingSource, RoutingSpace, RoutingSubset,
};

pub(crate) use factor::divisors;
pub(crate) use sequence::fold as folded;

use contraction::CoordinateSet;
use cubefold_topology::{Length, Machine, NodeId};
use pair::ShapePair;
use plan::Plan;
use radix::{CoordinateBuffer, coordinates, index};

use crate::ProcessId;

/// A mapping of one guest on one host: one-to-one, or with several processes on nodes, or with nodes to spare.
///
/// Guest and host count as torus or mesh: a hypercube as a mesh where it is the guest and as a torus where it is
/// the host (errata C5). A guest that wraps in some dimensions only counts as the torus that contains it, a
/// host that does as the mesh that it contains; the promises then hold, the dilation as an upper bound.
///
/// ```
/// use cubefold_mapping::{Construction, ConstructionKind, ProcessId};
/// use cubefold_topology::{Machine, MachineKind};
///
/// let guest = Machine::new(MachineKind::Torus, &[4, 6])?;
/// let host = Machine::new(MachineKind::Mesh, &[2, 2, 2, 3])?;
/// let construction = Construction::choose(&guest, &host)?;
/// assert_eq!(construction.kind(), ConstructionKind::ExpansionH);
/// assert_eq!(construction.dilation().links, 1);
/// let node = construction.node(ProcessId::new(7));
/// assert_eq!(construction.process(node), Some(ProcessId::new(7)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Construction {
    kind: ConstructionKind,
    guest: Machine,
    guest_lengths: Vec<Length>,
    host: Machine,
    host_lengths: Vec<Length>,
    plan: Plan,
}

impl Construction {
    /// The construction with the least promised dilation; at a tie, the first in the order of
    /// [`ConstructionKind`].
    ///
    /// # Errors
    ///
    /// When no theorem covers the pair: every condition that it fails.
    ///
    /// # Complexity
    ///
    /// The searches for factors are bounded by the number of sublists of the lengths, at most 5760; the search for
    /// a general reduction, a sequential elimination with lists for `H'`, and an uneven contraction stop after 131072
    /// partial choices, that for spare nodes after 16384 ([`UnmetCondition::GeneralReductionSearch`]).
    pub fn choose(guest: &Machine, host: &Machine) -> Result<Self, ConstructionError> {
        match ShapePair::new(guest, host).and_then(|pair| choice::best(&pair)) {
            Ok((kind, plan)) => Ok(Self::new(kind, plan, guest, host)),
            Err(unmet) => Err(ConstructionError { kind: None, unmet }),
        }
    }

    /// The construction of a kind.
    ///
    /// One for a torus also takes a mesh, as a part of a torus, and one into a mesh also takes a torus as host; the
    /// promised dilation is then an upper bound.
    ///
    /// # Errors
    ///
    /// When the pair fails a condition of its theorem.
    pub fn named(kind: ConstructionKind, guest: &Machine, host: &Machine) -> Result<Self, ConstructionError> {
        match ShapePair::new(guest, host).and_then(|pair| kind.descriptor().plan_for(&pair)) {
            Ok(plan) => Ok(Self::new(kind, plan, guest, host)),
            Err(unmet) => Err(ConstructionError { kind: Some(kind), unmet }),
        }
    }

    fn new(kind: ConstructionKind, plan: Plan, guest: &Machine, host: &Machine) -> Self {
        Self {
            kind,
            guest: guest.clone(),
            guest_lengths: Length::all(guest.shape().lengths()),
            host: host.clone(),
            host_lengths: Length::all(host.shape().lengths()),
            plan,
        }
    }

    /// The kind of construction.
    #[must_use]
    pub fn kind(&self) -> ConstructionKind {
        self.kind
    }

    /// The statement of the dissertation that it follows, such as "theorem 3.4.3".
    #[must_use]
    pub fn theorem(&self) -> &'static str {
        self.plan.theorem
    }

    /// The function in the dissertation's letters, such as `U_V o T o pi`: the rightmost is applied first.
    #[must_use]
    pub fn formula(&self) -> &str {
        &self.plan.formula
    }

    /// The free choices that were made: factors and permutations.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.plan.parameters
    }

    /// The guest, whose nodes are the processes.
    #[must_use]
    pub fn guest(&self) -> &Machine {
        &self.guest
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &Machine {
        &self.host
    }

    /// The dilation that the theorem states.
    #[must_use]
    pub fn dilation(&self) -> PromisedDilation {
        self.plan.dilation
    }

    /// The conflict-free routing of its messages; `None` if none is promised.
    #[must_use]
    pub fn routing(&self) -> Option<&Routing> {
        self.plan.routing.as_ref()
    }

    /// The greatest number of processes on a node: 1 unless it is a contraction.
    ///
    /// Unless the contraction is uneven, all nodes have it, so that node evenness is 1: the best possible (Tao 1988,
    /// 5.2; errata B10).
    #[must_use]
    pub fn load(&self) -> u64 {
        self.loads().0
    }

    /// The least number of processes on a node; 0 if there are nodes to spare.
    #[must_use]
    pub fn least_load(&self) -> u64 {
        self.loads().1
    }

    fn loads(&self) -> (u64, u64) {
        let (processes, nodes) = (self.guest.node_count(), self.host.node_count());
        self.plan.resizing.as_ref().map_or((1, 1), |resizing| resizing.loads(processes, nodes))
    }

    /// The node of a process.
    ///
    /// # Panics
    ///
    /// When the guest has no such process.
    ///
    /// # Complexity
    ///
    /// O(c + d) for `d` guest and `c` host dimensions, and for the square constructions for each of their steps.
    #[must_use]
    pub fn node(&self, process: ProcessId) -> NodeId {
        NodeId::new(index(
            &self.image_of(&coordinates(process.label(), &self.guest_lengths)),
            &self.host_lengths,
        ))
    }

    /// The process on a node; if there are several, the one with the smallest label; `None` on a spare node.
    ///
    /// # Panics
    ///
    /// When the host has no such node.
    #[must_use]
    pub fn process(&self, node: NodeId) -> Option<ProcessId> {
        self.processes(node).next()
    }

    /// All processes on a node, in ascending order: the set-valued inverse (Tao 1988, 5.4.1).
    ///
    /// # Panics
    ///
    /// When the host has no such node.
    #[must_use]
    pub fn processes(&self, node: NodeId) -> Processes {
        let node = coordinates(node.index(), &self.host_lengths);
        let composition = &self.plan.composition;
        let sets = match &self.plan.resizing {
            None => Some(composition.origin(node).map(CoordinateSet::of)),
            Some(resizing) => {
                resizing.in_box(node).and_then(|image| resizing.origins(&composition.origin(image)))
            }
        };
        sets.map_or_else(Processes::none, |sets| Processes::new(self.guest.shape(), &sets))
    }

    /// The subset of the routing vector to which a message between two neighbouring processes belongs; `None`
    /// without a routing, or if the vector numbers the dimensions of an intermediate graph and both processes are on
    /// one node.
    ///
    /// Over an intermediate graph, the dimension is the one in which the images there differ: `s(x)` of theorem
    /// 4.5.7, the wraparound included (errata A8).
    ///
    /// # Panics
    ///
    /// When the guest has no such process.
    #[must_use]
    pub fn subset(&self, source: ProcessId, destination: ProcessId) -> Option<u32> {
        let routing = self.routing()?;
        let [source, destination] = [source, destination].map(|process| {
            let guest_coordinates = coordinates(process.label(), &self.guest_lengths);
            match routing.space {
                RoutingSpace::Guest => guest_coordinates,
                RoutingSpace::FirstStage => {
                    self.plan.composition.first_stage(self.resized(&guest_coordinates))
                }
            }
        });
        let dimension = (0..routing.vector.len()).find(|&at| source[at] != destination[at])?;
        Some(routing.vector[dimension])
    }

    fn image_of(&self, process: &CoordinateBuffer) -> CoordinateBuffer {
        let image = self.plan.composition.image(self.resized(process));
        match &self.plan.resizing {
            None => image,
            Some(resizing) => resizing.on_host(image),
        }
    }

    fn resized(&self, process: &CoordinateBuffer) -> CoordinateBuffer {
        match &self.plan.resizing {
            None => *process,
            Some(resizing) => resizing.image(process),
        }
    }
}

#[cfg(test)]
mod tests;
