//! A finished run, as the runner leaves it, from which records are made.

use std::{borrow::Cow, sync::Arc};

use cubefold_collectives::CollectiveBounds;
use cubefold_mapping::{ChannelCongestion, PlacementMetrics};
use cubefold_simulator::{
    CutBound, Cycles, LinkUse, LowerBound, MessageTimes, OpenLoopOutcome, OpenLoopRows, OperationTimes,
    Outcome, RankSpan, RankTask, StageRecord, Transmission,
};
use cubefold_topology::{Channel, Direction, Link, Machine, NodeId, Sign};

use cubefold_scenario::{Run, ScenarioProgram};

/// The results of a run.
#[derive(Debug)]
pub struct FinishedRun {
    /// The program that ran: the run's, or the fastest of its equivalents.
    pub program: Arc<ScenarioProgram>,
    /// The outcome of the simulation.
    pub outcome: Outcome,
    /// The measurements of open-loop traffic; the outcome then has no messages.
    pub open_loop: Option<OpenLoopResult>,
    /// The rows of open-loop traffic that are kept.
    pub open_loop_rows: OpenLoopRows,
    /// The metrics of the placement, which runs with the same placement share.
    pub metrics: Arc<PlacementMetrics>,
    /// The makespan without contention \[cycles\].
    pub predicted: Option<u64>,
    /// A bound below all placements, if one is known.
    pub lower_bound: Option<LowerBound>,
    /// The lower bounds of a collective on this placement.
    pub collective_bounds: Option<CollectiveBounds>,
    /// The lower bounds of another program on this placement, if there is no bound below all placements.
    pub program_bounds: Option<ProgramBounds>,
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
    /// The times of every message, in the order of their receptions, if they are kept.
    pub messages: Vec<MessageTimes>,
    /// The start and end of every operation of a task graph, in the order of its schedule, if they are kept or if traces measured
    /// them, too.
    pub operations: Vec<OperationTimes>,
    /// The activities of the ranks of a job, by rank and time, if they are kept.
    pub rank_spans: Vec<RankSpan>,
    /// The messages of a job that large ones held up, if there are any.
    pub held_up: Option<HeldUpMessages>,
    /// Every packet on every channel, in order of start, message and packet, if they are kept.
    pub transmissions: Vec<Transmission>,
}

/// Messages that were blocked for more than three times their time without contention, and that waited while a message of
/// at least 16 times their units held the channel (`docs/model.md` section 23.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldUpMessages {
    /// Their number.
    pub count: u64,
    /// Whether these are all; of very many late messages only the first are examined.
    pub are_all: bool,
    /// The most blocked one.
    pub worst: MessageTimes,
    /// The time for which it was blocked \[cycles\].
    pub blocked: u64,
}

impl HeldUpMessages {
    /// A sentence on these messages.
    pub(crate) fn in_words(&self, program: &ScenarioProgram) -> String {
        let MessageTimes { stage, source, destination, units, transfer, .. } = self.worst;
        let of_step = program.job.as_deref().map(|job| {
            let at = job.locate(stage as usize);
            (&job.steps()[at.step].name, job.rank(source), job.rank(destination))
        });
        let worst = of_step.map_or_else(String::new, |(step, source, destination)| {
            format!(
                " The worst, {units} units of step {step:?} from rank {source} to rank {destination}, was blocked for {} \
                 cycles and takes {} alone.",
                self.blocked,
                transfer.get()
            )
        });
        let least = if self.are_all { "" } else { "At least " };
        let (messages, wait) = if self.count == 1 { ("message", "waits") } else { ("messages", "wait") };
        format!(
            "{least}{} {messages} {wait} for channels that messages of 16 times their units or more hold.{worst} \
             machine.packet_units lets messages share a channel.",
            self.count
        )
    }
}

/// The lower bounds of a program that is no collective, on one placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramBounds {
    /// The largest cut bound; `None` if nothing must cross a link.
    pub cut: Option<CutBound>,
    /// The largest time for which a node computes \[cycles\].
    pub computation_cycles: u64,
}

impl ProgramBounds {
    /// The larger of the bounds with its name, the cut bound if both are equal; `None` if both are 0.
    #[must_use]
    pub fn larger(&self) -> Option<(u64, &'static str)> {
        let cut = self.cut.map_or(0, |cut| cut.cycles);
        match cut.max(self.computation_cycles) {
            0 => None,
            most if most == cut => Some((most, "cut")),
            most => Some((most, "computations")),
        }
    }
}

/// The measurements of open-loop traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenLoopResult {
    /// The runs: one, or those of a search in their order. At least one.
    pub runs: Vec<OpenLoopOutcome>,
    /// Whether a search ran them.
    pub is_searched: bool,
    /// The highest load that a search found not to saturate \[units a terminal a cycle\]; `None` without a search, or
    /// if all of its loads saturate.
    pub saturation_load: Option<f64>,
}

impl OpenLoopResult {
    /// The run that results show: the highest load that does not saturate, else the lowest.
    #[must_use]
    pub(crate) fn shown(&self) -> Option<&OpenLoopOutcome> {
        let stable = self.runs.iter().filter(|run| run.saturated.is_none());
        let by_load = |one: &&OpenLoopOutcome, other: &&OpenLoopOutcome| one.load.total_cmp(&other.load);
        stable.max_by(by_load).or_else(|| self.runs.iter().min_by(by_load))
    }
}

impl FinishedRun {
    /// The largest cut bound, of a collective or another program.
    #[must_use]
    pub fn cut_bound(&self) -> Option<CutBound> {
        let of_program = || self.program_bounds.and_then(|bounds| bounds.cut);
        self.collective_bounds.map_or_else(of_program, |bounds| bounds.cut)
    }

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
    pub fn busy((link, ways): (Link, [Cycles; 2])) -> Self {
        let ways = ways.map(Cycles::get);
        Self { link, count: ways.iter().sum(), ways: Some(ways) }
    }

    /// The channel from the near end: in direction `+`, unless the link of a directed network leads to a lower node.
    #[must_use]
    pub fn channel(&self, machine: &Machine) -> Option<Channel> {
        let Link { near, dimension } = self.link;
        let channels =
            Sign::BOTH.map(|sign| Channel { node: near, direction: Direction { dimension, sign } });
        channels.into_iter().find(|channel| machine.neighbour(near, channel.direction).is_some())
    }

    /// Nodes at the ends of the link; its [channel](Self::channel) leads from the first to the second.
    #[must_use]
    pub fn ends(&self, machine: &Machine) -> Option<[NodeId; 2]> {
        let Channel { node, direction } = self.channel(machine)?;
        Some([node, machine.neighbour(node, direction)?])
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
    pub fn of(outcome: &Outcome) -> Option<Self> {
        let counted: &LinkUse = outcome.traffic.link_use.as_ref()?;
        let links = counted.busy_channels().map(LinkTraffic::busy).collect();
        Some(Self { makespan: outcome.summary.makespan().get(), links })
    }
}
