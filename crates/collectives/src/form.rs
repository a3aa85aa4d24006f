//! Collectives in any of their forms: alone, in groups, or one after another.
//!
//! What places a collective and what reports on it asks the same of a [`Collective`], a
//! [`GroupedCollective`] and a [`CollectiveSequence`]: [`CollectiveForm`].

use std::fmt::Debug;

use cubefold_mapping::ProcessId;
use cubefold_simulator::Program;
use cubefold_topology::{Machine, NodeId, Shape, narrow};

use crate::{
    Collective, CollectiveBounds, CollectiveSequence, CollectiveSpecification, Exchange, GroupedCollective,
    LinkCosts, SequenceStep,
};

/// A collective, the same collective in groups, or a sequence of such.
///
/// With `R` ranks, share `c` of rank `r` is process `c R + r`.
pub trait CollectiveForm: Debug + Send + Sync {
    /// The logical shape of all ranks; of a sequence that of its first collective.
    fn shape(&self) -> &Shape;

    /// The number of ranks `R`.
    fn rank_count(&self) -> u64;

    /// The number of shares, which is the number of processes of a rank.
    fn share_count(&self) -> u32;

    /// The lower bounds with rank `r` on node `nodes[r]`.
    fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds;

    /// The steps; one of what is no sequence.
    fn steps(&self) -> Vec<CollectiveStep<'_>>;

    /// Whether every two processes of different ranks with a message in a stage are known to have had one in an earlier
    /// stage.
    fn adds_no_pairs(&self, stage: usize) -> bool;

    /// The most messages that a process receives in a stage.
    fn max_received(&self) -> usize;

    /// Returns the collective of all ranks at once, if it is one.
    fn single(&self) -> Option<&Collective> {
        None
    }

    /// The rank of a process, in `0..R`.
    fn rank(&self, process: ProcessId) -> u32 {
        narrow(u64::from(process.label()) % self.rank_count())
    }

    /// The share of a process.
    fn share(&self, process: ProcessId) -> u32 {
        narrow(u64::from(process.label()) / self.rank_count())
    }

    /// What is asked for, of what is no sequence.
    fn specification(&self) -> Option<&CollectiveSpecification> {
        match self.steps()[..] {
            [CollectiveStep::Collective { specification, .. }] => Some(specification),
            _ => None,
        }
    }
}

/// A collective whose processes are those of a program.
pub trait CollectiveProgramForm: CollectiveForm + Program + 'static {}

impl<C: CollectiveForm + Program + 'static> CollectiveProgramForm for C {}

/// What a step of a collective is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectiveStep<'a> {
    /// A collective.
    Collective {
        /// Of each group, whose shape it has.
        specification: &'a CollectiveSpecification,
        /// The logical shape of all ranks, and the dimensions that a group extends over; none where
        /// all ranks are one group.
        groups: Option<(&'a Shape, &'a [usize])>,
    },
    /// A computation of every rank \[cycles\].
    Computation(u64),
}

impl CollectiveSpecification {
    /// What messages carry, where there is a choice.
    #[must_use]
    pub fn chosen_exchange(&self) -> Option<Exchange> {
        let has_choice = self.algorithm.descriptor().has_exchange(self.operation);
        has_choice.then(|| self.exchange.unwrap_or_default())
    }
}

impl CollectiveForm for Collective {
    fn shape(&self) -> &Shape {
        &self.specification().shape
    }

    fn rank_count(&self) -> u64 {
        self.rank_count()
    }

    fn share_count(&self) -> u32 {
        self.share_count()
    }

    fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        self.bounds(machine, nodes, costs)
    }

    fn steps(&self) -> Vec<CollectiveStep<'_>> {
        vec![CollectiveStep::Collective { specification: self.specification(), groups: None }]
    }

    fn adds_no_pairs(&self, stage: usize) -> bool {
        self.adds_no_pairs(stage)
    }

    fn max_received(&self) -> usize {
        self.max_received()
    }

    fn single(&self) -> Option<&Collective> {
        Some(self)
    }
}

impl GroupedCollective {
    /// What is asked for.
    fn step(&self) -> CollectiveStep<'_> {
        let groups = (self.group_count() > 1).then(|| (self.shape(), self.over()));
        CollectiveStep::Collective { specification: self.collective().specification(), groups }
    }
}

impl CollectiveForm for GroupedCollective {
    fn shape(&self) -> &Shape {
        self.shape()
    }

    fn rank_count(&self) -> u64 {
        self.rank_count()
    }

    fn share_count(&self) -> u32 {
        self.share_count()
    }

    fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        self.bounds(machine, nodes, costs)
    }

    fn steps(&self) -> Vec<CollectiveStep<'_>> {
        vec![self.step()]
    }

    fn adds_no_pairs(&self, stage: usize) -> bool {
        self.collective().adds_no_pairs(stage)
    }

    fn max_received(&self) -> usize {
        self.max_received()
    }
}

impl CollectiveForm for CollectiveSequence {
    fn shape(&self) -> &Shape {
        let first = self.steps().iter().find_map(|step| match step {
            SequenceStep::Collective(grouped) => Some(grouped.shape()),
            SequenceStep::Computation(_) => None,
        });
        #[expect(clippy::expect_used, reason = "a sequence without a collective is refused when it is made")]
        first.expect("a sequence has a collective")
    }

    fn rank_count(&self) -> u64 {
        self.rank_count()
    }

    fn share_count(&self) -> u32 {
        self.share_count()
    }

    fn bounds(&self, machine: &Machine, nodes: &[NodeId], costs: LinkCosts) -> CollectiveBounds {
        self.bounds(machine, nodes, costs)
    }

    fn steps(&self) -> Vec<CollectiveStep<'_>> {
        self.steps()
            .iter()
            .map(|step| match step {
                SequenceStep::Collective(grouped) => grouped.step(),
                &SequenceStep::Computation(cycles) => CollectiveStep::Computation(cycles),
            })
            .collect()
    }

    fn adds_no_pairs(&self, stage: usize) -> bool {
        self.adds_no_pairs(stage)
    }

    fn max_received(&self) -> usize {
        self.max_received()
    }
}
