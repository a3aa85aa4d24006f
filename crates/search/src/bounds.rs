//! Lower bounds over all placements (`docs/model.md` section 25).

use std::fmt;

use cubefold_mapping::ProcessId;
use cubefold_simulator::{Communication, Cycles};
use cubefold_topology::LinkMode;

use crate::{
    Objective, Problem,
    assignment::least_assignment,
    distances::Distances,
    recursion::{Contention, Nearest, least_makespan},
    traffic::Traffic,
};

/// A value that no placement is below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The value.
    pub value: u128,
    /// The reason for which it holds.
    pub kind: BoundKind,
}

/// The reason for which a bound holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// Each process with its largest flows to the nearest sites, all on sites of their own (Gilmore 1962, Lawler 1963).
    Assignment,
    /// What all channels must carry, divided among them.
    Volume,
    /// What one process must receive or send, over the channels of its node.
    Cut,
    /// The recursion without contention, every message over the shortest way.
    Prediction,
    /// The computations of all processes, divided among all processors.
    Processors,
    /// All placements were tried.
    Complete,
}

impl BoundKind {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::Assignment, Self::Volume, Self::Cut, Self::Prediction, Self::Processors, Self::Complete];

    /// The word for it in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Assignment => "assignment",
            Self::Volume => "volume",
            Self::Cut => "cut",
            Self::Prediction => "prediction",
            Self::Processors => "processors",
            Self::Complete => "complete",
        }
    }
}

impl fmt::Display for BoundKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The most places for which processes are assigned to sites of their own; beyond, each takes the best site.
const MAX_ASSIGNED: usize = 512;

/// The largest lower bound of an objective over all placements.
pub(crate) fn bound(
    problem: &Problem<'_>,
    objective: Objective,
    traffic: &Traffic,
    distances: &Distances<'_>,
) -> Bound {
    let fastest = fastest(problem);
    let own = Bounds { problem, traffic, distances, nearest: nearest(problem, distances), fastest };
    let bounds = match objective {
        Objective::HopUnits => vec![own.hop_units()],
        Objective::Dilation => vec![own.dilation()],
        Objective::Load => vec![own.volume(), own.load_of_a_node()],
        Objective::Predicted => vec![own.prediction(Contention::None)],
        Objective::Makespan => {
            vec![own.prediction(Contention::Some), own.cut(), own.volume(), own.processors()]
        }
    };
    // Of equal bounds the first.
    bounds
        .into_iter()
        .rev()
        .max_by_key(|bound| bound.value)
        .unwrap_or(Bound { value: 0, kind: BoundKind::Volume })
}

/// What all placements have in common.
fn nearest(problem: &Problem<'_>, distances: &Distances<'_>) -> Nearest {
    let pairs = (0..problem.sites.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    // Sites side by side are found at once on grids; behind switches none is.
    let mut links = u64::MAX;
    for (one, other) in pairs.take(1 << 22) {
        links = links.min(distances.between(one, other));
        if links == 1 {
            break;
        }
    }
    let is_seen = problem.sites.len() < 1 << 11;
    Nearest { links: if is_seen && links < u64::MAX { links } else { 1 }, shares: problem.per_site > 1 }
}

/// The rules with the shortest times that any link has, where links differ.
fn fastest(problem: &Problem<'_>) -> Communication {
    let Some(times) = problem.machine.link_times() else { return problem.rules };
    let has_links = problem.machine.has_links_of_class();
    let used = || times.iter().zip(&has_links).filter(|&(_, &has_links)| has_links).map(|(time, _)| time);
    let unit = used().map(|time| time.unit).min().unwrap_or(1).max(1);
    let latency = used().map(|time| time.latency).min().unwrap_or(0);
    let rules = problem.rules.with_hop(Cycles::new(unit)).unwrap_or(problem.rules);
    rules.with_latency(Cycles::new(latency))
}

struct Bounds<'a> {
    /// The rules with the fastest links.
    fastest: Communication,
    problem: &'a Problem<'a>,
    traffic: &'a Traffic,
    distances: &'a Distances<'a>,
    nearest: Nearest,
}

impl Bounds<'_> {
    /// Half the least sum of what every process has with its partners, its largest flows to the nearest places.
    fn hop_units(&self) -> Bound {
        let (processes, places) = (self.traffic.rank_count(), self.problem.place_count());
        let of_sites: Vec<Vec<u64>> =
            (0..self.problem.sites.len()).map(|site| self.nearest_places(site)).collect();
        let flows: Vec<Vec<u128>> = (0..processes).map(|process| self.largest_flows(process)).collect();
        let cost = |process: usize, site: usize| -> u128 {
            flows[process].iter().zip(&of_sites[site]).map(|(units, &links)| units * u128::from(links)).sum()
        };
        let costs: Vec<Vec<u128>> = (0..processes)
            .map(|process| (0..of_sites.len()).map(|site| cost(process, site)).collect())
            .collect();
        let twice = if places <= MAX_ASSIGNED {
            let cost = |process: usize, place: usize| {
                i128::try_from(costs[process][place / self.problem.per_site]).unwrap_or(i128::MAX / 4)
            };
            u128::try_from(least_assignment(processes, places, cost)).unwrap_or(0)
        } else {
            costs.iter().filter_map(|costs| costs.iter().min()).sum()
        };
        Bound { value: twice.div_ceil(2), kind: BoundKind::Assignment }
    }

    /// The distances from a site to all other places, ascending: as many as any process has partners.
    fn nearest_places(&self, site: usize) -> Vec<u64> {
        let sites = self.problem.sites.len();
        let others =
            (0..sites).filter(|&other| other != site).map(|other| self.distances.between(site, other));
        let mut links: Vec<u64> = others.collect();
        links.sort_unstable();
        let own = std::iter::repeat_n(0, self.problem.per_site - 1);
        let others = links.into_iter().flat_map(|links| std::iter::repeat_n(links, self.problem.per_site));
        own.chain(others).take(self.most_partners()).collect()
    }

    fn most_partners(&self) -> usize {
        self.processes().map(|process| self.traffic.of(process).len()).max().unwrap_or(0)
    }

    fn processes(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.traffic.rank_count()).unwrap_or(u32::MAX)
    }

    /// What a process exchanges with each of its partners, descending.
    fn largest_flows(&self, process: usize) -> Vec<u128> {
        let flows = self.traffic.of(u32::try_from(process).unwrap_or(u32::MAX));
        let mut units: Vec<u128> =
            flows.iter().map(|flow| u128::from(flow.sent) + u128::from(flow.received)).collect();
        units.sort_unstable_by(|one, other| other.cmp(one));
        units
    }

    fn dilation(&self) -> Bound {
        let any = self.traffic.pairs().next().is_some();
        let value = if any && !self.nearest.shares { self.nearest.links } else { 0 };
        Bound { value: value.into(), kind: BoundKind::Assignment }
    }

    /// The channels, under half-duplex the links, that can be busy at a time.
    fn channels(&self) -> u128 {
        let links = u128::from(self.problem.machine.link_count());
        if self.is_half_duplex() { links } else { 2 * links }
    }

    fn is_half_duplex(&self) -> bool {
        self.problem.rules.links() == LinkMode::HalfDuplex
    }

    /// The hop-units of any placement, divided among all channels.
    fn volume(&self) -> Bound {
        let cycles = self.hop_units().value * u128::from(self.fastest.hop().get());
        Bound { value: cycles.div_ceil(self.channels().max(1)), kind: BoundKind::Volume }
    }

    /// What one process must receive, or send, over each of the most channels of a node \[units\]; 0 where processes may
    /// share a node.
    fn units_of_a_channel(&self) -> u128 {
        if self.nearest.shares {
            return 0;
        }
        let links = |&node: &cubefold_topology::NodeId| self.problem.machine.neighbours(node).count();
        let most = self.problem.sites.iter().map(links).max().unwrap_or(0).max(1);
        let of = |process| {
            let flows = self.traffic.of(process);
            let sent: u128 = flows.iter().map(|flow| u128::from(flow.sent)).sum();
            let received: u128 = flows.iter().map(|flow| u128::from(flow.received)).sum();
            let crossing = if self.is_half_duplex() { sent + received } else { sent.max(received) };
            crossing.div_ceil(most as u128)
        };
        self.processes().map(of).max().unwrap_or(0)
    }

    fn load_of_a_node(&self) -> Bound {
        let value = self.units_of_a_channel() * u128::from(self.fastest.hop().get());
        Bound { value, kind: BoundKind::Cut }
    }

    /// The least time in which one process receives, or sends, all that it must.
    fn cut(&self) -> Bound {
        let load = self.load_of_a_node();
        let latency = u128::from(self.fastest.latency().get());
        Bound { value: if load.value == 0 { 0 } else { load.value + latency }, ..load }
    }

    fn prediction(&self, contention: Contention) -> Bound {
        let program = self.problem.program;
        let cycles = if self.problem.has_prediction() {
            least_makespan(program, self.problem.ranks, self.fastest, self.nearest, contention)
        } else {
            0
        };
        Bound { value: cycles.into(), kind: BoundKind::Prediction }
    }

    /// All computations among all processors.
    fn processors(&self) -> Bound {
        let Problem { program, rules, sites, .. } = *self.problem;
        let mut total = 0;
        if self.problem.has_prediction() {
            for stage in 0..program.stage_count() {
                let all = ProcessId::first(program.process_count());
                total +=
                    all.map(|process| u128::from(program.computation(stage, process).get())).sum::<u128>();
            }
        }
        let processors = sites.len() as u128 * u128::from(rules.processors().get());
        Bound { value: total.div_ceil(processors.max(1)), kind: BoundKind::Processors }
    }
}
