//! Lower bounds over all placements (`docs/model.md` section 25).

#[cfg(test)]
mod tests;

use std::fmt;

use cubefold_mapping::{DilationBound, DilationBoundSource, ProcessId};
use cubefold_simulator::{Communication, GuestRef, Special};
use cubefold_topology::{LinkMode, NodeId, greatest_common_divisor};

use crate::{
    Objective, Problem,
    assignment::least_assignment,
    classes::{
        Classes, connected_ranks, divisions, least_makespan_apart, least_makespan_with_few_partners_near,
    },
    critical_path::{least_makespan_of_tasks, longest_computations_of_tasks},
    distances::Distances,
    judge::Known,
    recursion::{Contention, Nearest, Recursion},
    traffic::{Flow, Traffic},
    triangles::{self, Relaxation},
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
    /// Eigenvalues of flows and distances, with what holds for any three places (Hadley, Rendl & Wolkowicz 1992, Karisch &
    /// Rendl 1995).
    Projection,
    /// The load of all channels together, divided among them.
    Volume,
    /// The units that one process must receive or send, divided among the channels of its node; of a collective that
    /// fills all sites, what must cross into or out of a set of nodes.
    Cut,
    /// The data that the nodes of a collective that fills all sites must receive or send.
    Bandwidth,
    /// The distance that data of a collective that fills all sites must cover.
    Latency,
    /// The recursion without contention, every message over the shortest way.
    Prediction,
    /// The computations of all processes, divided among all processors.
    Processors,
    /// A bound of dilation of grids on grids.
    Dilation(DilationBoundSource),
    /// All placements were tried.
    Complete,
    /// No bound above 0 is known, as in a search that was interrupted before it had one.
    None,
}

impl BoundKind {
    /// Every reason.
    pub fn all() -> impl Iterator<Item = Self> {
        let single = [
            Self::Assignment,
            Self::Projection,
            Self::Volume,
            Self::Cut,
            Self::Bandwidth,
            Self::Latency,
            Self::Prediction,
            Self::Processors,
            Self::Complete,
            Self::None,
        ];
        single.into_iter().chain(DilationBoundSource::ALL.map(Self::Dilation))
    }

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Assignment => "assignment",
            Self::Projection => "projection",
            Self::Volume => "volume",
            Self::Cut => "cut",
            Self::Bandwidth => "bandwidth",
            Self::Latency => "latency",
            Self::Prediction => "prediction",
            Self::Processors => "processors",
            Self::Dilation(source) => source.name(),
            Self::Complete => "complete",
            Self::None => "none",
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

/// The effort spent on bounds of hop-units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth {
    /// The subgradient steps towards the best multipliers of the projection bound; 0 skips the bound.
    pub(crate) steps: u32,
    /// The hop-units of a placement.
    pub(crate) known: u128,
}

/// The largest lower bound of an objective over all placements.
pub(crate) fn bound(known: &Known<'_>, objective: Objective, depth: Depth) -> Bound {
    let &Known { ref problem, traffic, distances, .. } = known;
    let fastest = problem.rules.with_shortest(problem.machine);
    let bounds = Bounds { problem, traffic, distances, nearest: nearest(problem, distances), fastest };
    let with_volume = |others: Vec<Bound>| {
        // The volume is below that of any placement; the better bound is computed only if it can be the largest.
        let most = bounds.volume(depth.known);
        let can_be_largest = others.iter().all(|other| other.value < most.value);
        let depth = if can_be_largest { depth } else { Depth { steps: 0, ..depth } };
        others.into_iter().chain([bounds.volume(bounds.hop_units(depth).value)]).collect()
    };
    let candidates: Vec<Bound> = match objective {
        Objective::HopUnits => vec![bounds.hop_units(depth)],
        Objective::Dilation => vec![bounds.dilation()],
        Objective::Load => with_volume(vec![bounds.load_of_a_node()]),
        Objective::Predicted => {
            vec![bounds.prediction(Contention::None), bounds.apart(Contention::None, &divisions(problem))]
        }
        Objective::Makespan => {
            let divisions = divisions(problem);
            let prediction = largest([
                bounds.prediction(Contention::Some),
                bounds.apart(Contention::Some, &divisions),
                bounds.few_partners(&divisions),
            ]);
            let all_arrive = problem.receives_all();
            let mut others = vec![prediction];
            others.extend(all_arrive.then(|| bounds.cut()));
            others.push(bounds.processors());
            others.extend(problem.least_makespan);
            if all_arrive { with_volume(others) } else { others }
        }
    };
    largest(candidates)
}

/// The largest bound, of equal ones the first; none if all are 0.
fn largest(bounds: impl IntoIterator<Item = Bound, IntoIter: DoubleEndedIterator>) -> Bound {
    let largest = bounds.into_iter().rev().max_by_key(|bound| bound.value);
    largest.filter(|largest| largest.value > 0).unwrap_or(Bound { value: 0, kind: BoundKind::None })
}

/// The facts about the sites that hold for every placement.
fn nearest(problem: &Problem<'_>, distances: &Distances<'_>) -> Nearest {
    let pairs = (0..problem.sites.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    // On grids, adjacent sites are found at once; if switches lie between the sites, there are none.
    let mut links = u64::MAX;
    for (one, other) in pairs.take(1 << 22) {
        links = links.min(distances.between(one, other));
        if links == 1 {
            break;
        }
    }
    let is_seen = problem.sites.len() < 1 << 11;
    Nearest {
        links: if is_seen && links < u64::MAX { links } else { 1 },
        shares: problem.per_site > 1,
        has_parallels: problem.machine.graph().is_some_and(|network| network.has_parallel_links()),
    }
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
    /// The larger of both bounds of hop-units, rounded up to a multiple of the greatest common divisor of all flows, as
    /// every sum is.
    fn hop_units(&self, depth: Depth) -> Bound {
        let assignment = self.assignment();
        let projection = if depth.steps > 0 { self.projection(depth) } else { None };
        let bound = projection.filter(|projection| projection.value > assignment.value).unwrap_or(assignment);
        let flows = self.traffic.pairs();
        let divisor = flows.fold(0, |divisor, (_, _, units)| greatest_common_divisor(divisor, units));
        let divisor = u128::from(divisor.max(1));
        Bound { value: bound.value.div_ceil(divisor) * divisor, ..bound }
    }

    /// The projection bound; `None` for too many places, or inexact numbers.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers are below 2^53, the bound is at least 0, and a known value only guides the steps"
    )]
    fn projection(&self, Depth { steps, known }: Depth) -> Option<Bound> {
        const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
        let (places, per_site) = (self.problem.place_count(), self.problem.per_site);
        if places > triangles::MAX_PLACES {
            return None;
        }
        let exact = |number: u64| (number < EXACT).then_some(number as f64);
        let mut flows = vec![0.0; places * places];
        for (one, other, units) in self.traffic.pairs() {
            let (one, other) = (one as usize, other as usize);
            flows[one * places + other] = exact(units)?;
            flows[other * places + one] = exact(units)?;
        }
        let pairs =
            (0..places).flat_map(|one| (0..places).map(move |other| (one / per_site, other / per_site)));
        let links: Vec<u64> = pairs.map(|(one, other)| self.distances.between(one, other)).collect();
        let is_symmetric = (0..places)
            .all(|one| (0..one).all(|other| links[one * places + other] == links[other * places + one]));
        let distances: Vec<f64> = links.into_iter().map(exact).collect::<Option<_>>()?;
        let relaxation = Relaxation::new(&flows, &distances, places).filter(|_| is_symmetric)?;
        let value = relaxation.bound(steps, known as f64)?.ceil().max(0.0);
        Some(Bound { value: value as u128, kind: BoundKind::Projection })
    }

    /// Half the least sum over all processes of flows times distances, with the largest flows to the nearest places.
    fn assignment(&self) -> Bound {
        let (processes, places) = (self.traffic.rank_count(), self.problem.place_count());
        let of_sites: Vec<Vec<u64>> =
            (0..self.problem.sites.len()).map(|site| self.nearest_places(site)).collect();
        let flows: Vec<Vec<u128>> = (0..processes).map(|process| self.largest_flows(process)).collect();
        let cost = &|process: usize, site: usize| -> u128 {
            flows[process].iter().zip(&of_sites[site]).map(|(units, &links)| units * u128::from(links)).sum()
        };
        let costs = |process: usize| (0..of_sites.len()).map(move |site| cost(process, site));
        let twice = if places <= MAX_ASSIGNED {
            let costs: Vec<Vec<u128>> = (0..processes).map(|process| costs(process).collect()).collect();
            let cost = |process: usize, place: usize| {
                i128::try_from(costs[process][place / self.problem.per_site]).unwrap_or(i128::MAX / 4)
            };
            u128::try_from(least_assignment(processes, places, cost)).unwrap_or(0)
        } else {
            (0..processes).filter_map(|process| costs(process).min()).sum()
        };
        Bound { value: twice.div_ceil(2), kind: BoundKind::Assignment }
    }

    /// The distances from a site to all other places, ascending, as many as the most partners of a process.
    fn nearest_places(&self, site: usize) -> Vec<u64> {
        let sites = self.problem.sites.len();
        let others =
            (0..sites).filter(|&other| other != site).map(|other| self.distances.between(site, other));
        let mut links: Vec<u64> = others.collect();
        links.sort_unstable();
        let on_same_site = std::iter::repeat_n(0, self.problem.per_site - 1);
        let others = links.into_iter().flat_map(|links| std::iter::repeat_n(links, self.problem.per_site));
        on_same_site.chain(others).take(self.most_partners()).collect()
    }

    fn most_partners(&self) -> usize {
        self.processes().map(|process| self.traffic.of(process).len()).max().unwrap_or(0)
    }

    fn processes(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.traffic.rank_count()).unwrap_or(u32::MAX)
    }

    /// The units that a process exchanges with each of its partners, descending.
    fn largest_flows(&self, process: usize) -> Vec<u128> {
        let flows = self.traffic.of(u32::try_from(process).unwrap_or(u32::MAX));
        let mut units: Vec<u128> =
            flows.iter().map(|flow| u128::from(flow.sent) + u128::from(flow.received)).collect();
        units.sort_unstable_by(|one, other| other.cmp(one));
        units
    }

    /// The larger of the least distance of two sites and, if the messages go along all edges of a grid, the bound of
    /// section 29.5.
    fn dilation(&self) -> Bound {
        // A site does not hold all ranks that messages connect.
        let are_apart = connected_ranks(self.traffic) > self.problem.per_site;
        if !are_apart {
            return Bound { value: 0, kind: BoundKind::Assignment };
        }
        let nearest = Bound { value: self.nearest.links.into(), kind: BoundKind::Assignment };
        let guest = self.problem.program.guest().map(GuestRef::shape).filter(|_| !self.nearest.shares);
        let Some(guest) = guest else { return nearest };
        let is_edge =
            |&(one, other, _): &(u32, u32, u64)| guest.distance(NodeId::new(one), NodeId::new(other)) == 1;
        let uses_all_edges = guest.node_count() == self.traffic.rank_count() as u64
            && guest.grid().is_some()
            && self.traffic.pairs().filter(is_edge).count() as u64 == guest.link_count();
        let bound = uses_all_edges.then(|| DilationBound::new(&guest, self.problem.machine)).flatten();
        let of_grids =
            bound.map(|bound| Bound { value: bound.links.into(), kind: BoundKind::Dilation(bound.source) });
        largest(of_grids.into_iter().chain([nearest]).collect::<Vec<_>>())
    }

    /// The channels, under half-duplex the links, that can be busy at a time.
    fn channels(&self) -> u128 {
        let links = u128::from(self.problem.machine.link_count());
        if self.is_half_duplex() { links } else { 2 * links }
    }

    fn is_half_duplex(&self) -> bool {
        self.problem.rules.links() == LinkMode::HalfDuplex
    }

    /// Hop-units, divided among all channels.
    fn volume(&self, hop_units: u128) -> Bound {
        let cycles = hop_units.saturating_mul(self.fastest.hop().get().into());
        Bound { value: cycles.div_ceil(self.channels().max(1)), kind: BoundKind::Volume }
    }

    /// The most units that one process must receive, or send, divided by the most channels of a node \[units\]. If
    /// processes may share a node, the largest flows, of as many partners as fit beside it, need no channel.
    fn units_of_a_channel(&self) -> u128 {
        let links = |&node: &NodeId| self.problem.machine.neighbours(node).count();
        let most = self.problem.sites.iter().map(links).max().unwrap_or(0).max(1);
        let of = |process| {
            let from_outside = |units: fn(&Flow) -> u128| {
                let mut units: Vec<u128> = self.traffic.of(process).iter().map(units).collect();
                units.sort_unstable_by(|one, other| other.cmp(one));
                units.into_iter().skip(self.problem.per_site - 1).sum::<u128>()
            };
            let crossing = if self.is_half_duplex() {
                from_outside(|flow| u128::from(flow.sent) + u128::from(flow.received))
            } else {
                from_outside(|flow| flow.sent.into()).max(from_outside(|flow| flow.received.into()))
            };
            crossing.div_ceil(most as u128)
        };
        self.processes().map(of).max().unwrap_or(0)
    }

    fn load_of_a_node(&self) -> Bound {
        let value = self.units_of_a_channel() * u128::from(self.fastest.hop().get());
        Bound { value, kind: BoundKind::Cut }
    }

    /// The least time in which one process receives, or sends, all of its units.
    fn cut(&self) -> Bound {
        let load = self.load_of_a_node();
        let latency = u128::from(self.fastest.least_latency().get());
        Bound { value: if load.value == 0 { 0 } else { load.value + latency }, ..load }
    }

    fn prediction(&self, contention: Contention) -> Bound {
        let program = self.problem.program;
        let cycles = match program.special() {
            Special::Tasks(graph) => {
                let takes_routes_of_machine = self.problem.takes_routes_of_machine();
                least_makespan_of_tasks(graph, self.fastest, self.nearest, takes_routes_of_machine)
            }
            Special::Job(_)
            | Special::None
            | Special::Cube(_)
            | Special::Pipelined(_)
            | Special::RandomAccess(_) => {
                Recursion::new(program, self.problem.ranks, self.fastest, self.nearest, contention).makespan()
            }
        };
        Bound { value: cycles.into(), kind: BoundKind::Prediction }
    }

    /// The prediction with some pair of ranks in different classes of sites.
    fn apart(&self, contention: Contention, divisions: &[Classes]) -> Bound {
        let Self { problem, traffic, fastest, nearest, .. } = *self;
        let value = match problem.program.special() {
            Special::Tasks(_) => 0,
            _ => least_makespan_apart(problem, traffic, fastest, (nearest, contention), divisions),
        };
        Bound { value: value.into(), kind: BoundKind::Prediction }
    }

    /// The prediction with all but a few partners of any rank in different classes of sites.
    fn few_partners(&self, divisions: &[Classes]) -> Bound {
        let Self { problem, fastest, nearest, .. } = *self;
        let value = match problem.program.special() {
            Special::Tasks(_) | Special::Job(_) => 0,
            _ => least_makespan_with_few_partners_near(problem, fastest, nearest, divisions),
        };
        Bound { value: value.into(), kind: BoundKind::Prediction }
    }

    /// All computations divided among all processors; for task graphs and jobs, whose processors belong to their
    /// processes, the computations of the busiest one.
    fn processors(&self) -> Bound {
        let Problem { program, rules, sites, .. } = *self.problem;
        let value = match program.special() {
            Special::Tasks(graph) => longest_computations_of_tasks(graph),
            Special::Job(job) => {
                let ranks = 0..u32::try_from(job.rank_count()).unwrap_or(u32::MAX);
                ranks.map(|rank| job.computations_of(rank)).max().unwrap_or(0)
            }
            Special::None | Special::Cube(_) | Special::Pipelined(_) | Special::RandomAccess(_) => {
                let processes = || ProcessId::first(program.process_count());
                let of_stage = |stage| {
                    processes()
                        .map(|process| u128::from(program.computation(stage, process).get()))
                        .sum::<u128>()
                };
                let total: u128 = (0..program.stage_count()).map(of_stage).sum();
                let processors = sites.len() as u128 * u128::from(rules.processors().get());
                total.div_ceil(processors.max(1))
            }
        };
        Bound { value, kind: BoundKind::Processors }
    }
}
