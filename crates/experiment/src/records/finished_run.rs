//! A finished run, as the runner leaves it, from which records are made.

use std::{borrow::Cow, sync::Arc};

use cubefold_collectives::CollectiveBounds;
use cubefold_mapping::{ChannelCongestion, PlacementMetrics};
use cubefold_simulator::{
    Cycles, LinkUse, LowerBound, OperationTimes, Outcome, RankTask, StageRecord, Transmission,
};
use cubefold_topology::{Direction, Link, Machine, NodeId, Sign};

use crate::scenario::{Run, ScenarioProgram};

/// The results of a run.
#[derive(Debug)]
pub struct FinishedRun {
    /// The program that ran: the run's, or the fastest of its equivalents.
    pub program: Arc<ScenarioProgram>,
    /// The outcome of the simulation.
    pub outcome: Outcome,
    /// The metrics of the placement, which runs with the same placement share.
    pub metrics: Arc<PlacementMetrics>,
    /// The makespan without contention \[cycles\].
    pub predicted: Option<u64>,
    /// A bound below all placements, if one is known.
    pub lower_bound: Option<LowerBound>,
    /// The lower bounds of a collective on this placement.
    pub collective_bounds: Option<CollectiveBounds>,
    /// Total number of links crossed by the units of all messages.
    pub unit_hops: u128,
    /// The link that is busy for the most cycles, if link use is counted and any link is used.
    pub busiest_link: Option<LinkTraffic>,
    /// The load of the busiest channel, for networks and all-to-all, if it is counted.
    pub channel_congestion: Option<ChannelCongestion>,
    /// The largest number of busy cycles of a channel: a direction of a full-duplex link, else a link.
    pub busiest_channel: Option<u64>,
    /// Every process in every stage, by process and stage, if they are kept.
    pub records: Vec<StageRecord>,
    /// The name of the run among the ranks that divided it; the records are then those of the processes of
    /// this rank, and every other rank has its own.
    pub part_of: Option<RankTask>,
    /// Names among ranks of the run's programs that do not count; these have records, too.
    pub parts_that_do_not_count: Vec<RankTask>,
    /// Begin and end of every operation of a task graph, in the order of its schedule, if they are kept.
    pub operations: Vec<OperationTimes>,
    /// Every packet on every channel, in the order of their begins, messages and packets, if they are kept.
    pub transmissions: Vec<Transmission>,
}

impl FinishedRun {
    /// The run with the program that counts.
    #[must_use]
    pub fn run_that_counts<'run>(&self, run: &'run Run) -> Cow<'run, Run> {
        if Arc::ptr_eq(&self.program, &run.program) {
            Cow::Borrowed(run)
        } else {
            Cow::Owned(Run { program: Arc::clone(&self.program), ..run.clone() })
        }
    }

    /// The links that were busy; `None` if the run was too large to count them.
    #[must_use]
    pub fn busy_links(&self) -> Option<BusyLinks> {
        BusyLinks::of(&self.outcome)
    }
}

/// A link and its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkTraffic {
    /// The link.
    pub link: Link,
    /// Number of guest edges, or cycles.
    pub count: u64,
    /// Busy cycles in each direction, from the near end and back; `None` for guest edges.
    pub ways: Option<[u64; 2]>,
}

impl LinkTraffic {
    /// Makes the load of a link from its busy cycles in each direction.
    pub(crate) fn busy((link, ways): (Link, [Cycles; 2])) -> Self {
        let ways = ways.map(Cycles::get);
        Self { link, count: ways.iter().sum(), ways: Some(ways) }
    }

    /// Nodes at the ends of the link; direction `+` leads from the first to the second.
    #[must_use]
    pub fn ends(&self, machine: &Machine) -> Option<[NodeId; 2]> {
        let Link { near, dimension } = self.link;
        let far = machine.neighbour(near, Direction { dimension, sign: Sign::Positive })?;
        Some([near, far])
    }
}

/// The busy links and the makespan of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyLinks {
    /// The makespan \[cycles\].
    pub makespan: u64,
    /// Links that are used, by dimension and near end.
    pub links: Vec<LinkTraffic>,
}

impl BusyLinks {
    /// The busy links of an outcome, if they were counted.
    pub(crate) fn of(outcome: &Outcome) -> Option<Self> {
        let counted: &LinkUse = outcome.traffic.link_use.as_ref()?;
        let links = counted.busy_channels().map(LinkTraffic::busy).collect();
        Some(Self { makespan: outcome.summary.makespan().get(), links })
    }
}
