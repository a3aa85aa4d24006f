//! Classes of sites that are near each other, such as the nodes of a cluster or the hosts of a switch. A class does not
//! hold all ranks, so some pair that exchanges messages, and all but a few partners of any rank, are in different
//! classes.

use std::collections::BTreeMap;

use cubefold_simulator::{Communication, Program, transfer_over};
use cubefold_topology::LinkTime;

use crate::{
    problem::Problem,
    recursion::{Contention, Nearest, Recursion},
    traffic::Traffic,
};

/// The most sites that are divided into classes.
const MAX_SITES: usize = 512;
/// The most sizes of messages whose times are looked up; others take at least the time of the next smaller of these.
const MAX_SIZES: usize = 16;
/// The most messages that the bounds of all pairs look at.
const MAX_MESSAGES: u64 = 1 << 26;

/// One division of the sites into classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Classes {
    /// The places of the largest class.
    pub(crate) places: usize,
    /// By units, the least time of a message between sites of different classes \[cycles\].
    times: BTreeMap<u64, u64>,
}

impl Classes {
    /// The least time of a message between two classes, if one is known for its size \[cycles\].
    pub(crate) fn time(&self, units: u64) -> Option<u64> {
        self.times.range(..=units).next_back().map(|(_, &time)| time)
    }
}

/// All divisions in which no class holds all ranks, the finest first: two sites are in one class if messages between
/// them, or from each to the next over other sites, take less than a time. Empty if there are too many sites, or if
/// links differ and messages may take other routes than the machine's.
pub(crate) fn divisions(problem: &Problem<'_>) -> Vec<Classes> {
    let Problem { machine, rules, sites, .. } = *problem;
    let are_alike = machine.link_times().is_none();
    if sites.len() > MAX_SITES || !are_alike && !problem.takes_routes_of_machine() {
        return vec![];
    }
    let sizes = sizes(problem.program);
    let Some(&largest) = sizes.last() else { return vec![] };
    let routes = RouteKinds::new(problem);
    let times: Vec<BTreeMap<u64, u64>> = routes.kinds.iter().map(|kind| kind.times(&sizes, rules)).collect();
    let time = |kind: usize| times[kind].get(&largest).copied().unwrap_or(0);
    let mut thresholds: Vec<u64> = (0..times.len()).map(time).collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    let mut found = vec![];
    let mut parents: Vec<usize> = (0..sites.len()).collect();
    for threshold in thresholds {
        let class_of = sets(&mut parents);
        let places = largest_set(&class_of) * problem.per_site;
        if places >= problem.rank_count() {
            break;
        }
        found.push(Classes { places, times: routes.least_between(&class_of, &times) });
        for (pair, &kind) in routes.of_pairs.iter().enumerate() {
            if time(kind) <= threshold {
                join(&mut parents, pair / sites.len(), pair % sites.len());
            }
        }
    }
    found
}

/// Sizes of a program's messages, ascending: the smallest, the largest, and some between.
fn sizes(program: &dyn Program) -> Vec<u64> {
    let mut sizes = vec![];
    for (stage, _) in program.distinct_stages() {
        program.for_each_message(stage, &mut |_, _, units| {
            if sizes.last() != Some(&units) {
                sizes.push(units);
            }
        });
        sizes.sort_unstable();
        sizes.dedup();
    }
    let last = sizes.len().saturating_sub(1);
    if last < MAX_SIZES {
        return sizes;
    }
    (0..MAX_SIZES).map(|place| sizes[place * last / (MAX_SIZES - 1)]).collect()
}

/// The size of the largest set, given the number of each item's set.
fn largest_set(set_of: &[usize]) -> usize {
    let mut counts = vec![0; set_of.len()];
    set_of.iter().for_each(|&set| counts[set] += 1);
    counts.into_iter().max().unwrap_or(0)
}

/// Merges the sets of two items, each set a tree of parents.
fn join(parents: &mut [usize], one: usize, other: usize) {
    let roots = [one, other].map(|item| root(parents, item));
    parents[roots[1]] = roots[0];
}

/// The set of each item, by its root.
fn sets(parents: &mut [usize]) -> Vec<usize> {
    (0..parents.len()).map(|item| root(parents, item)).collect()
}

/// The root of an item's tree; the path to it is halved on the way.
fn root(parents: &mut [usize], mut item: usize) -> usize {
    while parents[item] != item {
        parents[item] = parents[parents[item]];
        item = parents[item];
    }
    item
}

/// The property of a route that determines the time of a message of given size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum RouteKind {
    /// The number of links, if all are alike.
    Alike(u64),
    /// The links one by one.
    Different(Vec<LinkTime>),
}

impl RouteKind {
    fn times(&self, sizes: &[u64], rules: Communication) -> BTreeMap<u64, u64> {
        let time = |units: u64| match self {
            Self::Alike(links) => rules.timing_of(units).transfer(*links),
            Self::Different(links) => transfer_over(links.iter().copied(), rules, units),
        };
        sizes.iter().map(|&units| (units, time(units).get())).collect()
    }
}

/// The routes between all sites.
struct RouteKinds {
    kinds: Vec<RouteKind>,
    of_pairs: Vec<usize>, // by site and site, the number of the kind
}

impl RouteKinds {
    fn new(problem: &Problem<'_>) -> Self {
        let Problem { machine, rules, sites, .. } = *problem;
        let mut numbers: BTreeMap<RouteKind, usize> = BTreeMap::new();
        let (mut kinds, mut of_pairs) = (vec![], vec![]);
        for (from, to) in sites.iter().flat_map(|&from| sites.iter().map(move |&to| (from, to))) {
            let kind = match machine.link_times() {
                None => RouteKind::Alike(machine.distance(from, to)),
                Some(times) => {
                    let link = |channel| times[machine.link_class(channel)];
                    RouteKind::Different(machine.route(from, to, rules.tie()).map(link).collect())
                }
            };
            let number = numbers.entry(kind).or_insert_with_key(|kind| {
                kinds.push(kind.clone());
                kinds.len() - 1
            });
            of_pairs.push(*number);
        }
        Self { kinds, of_pairs }
    }

    /// By units, the least time of a message between sites of different classes, given the times of every kind.
    fn least_between(&self, class_of: &[usize], times: &[BTreeMap<u64, u64>]) -> BTreeMap<u64, u64> {
        let mut least = BTreeMap::new();
        let sites = class_of.len();
        for (pair, &kind) in self.of_pairs.iter().enumerate() {
            if class_of[pair / sites] != class_of[pair % sites] {
                for (&units, &time) in &times[kind] {
                    let least = least.entry(units).or_insert(time);
                    *least = time.min(*least);
                }
            }
        }
        least
    }
}

/// Two ranks that are in different classes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Apart<'a> {
    /// The ranks, in any order.
    pub(crate) ranks: [u64; 2],
    pub(crate) classes: &'a Classes,
}

impl Apart<'_> {
    /// The least time of a message of `units` units between `one` and `other` \[cycles\]; `None` if they are not these
    /// two ranks, or no time is known for its size.
    pub(crate) fn time(&self, one: u64, other: u64, units: u64) -> Option<u64> {
        let is_own = self.ranks == [one, other] || self.ranks == [other, one];
        if is_own { self.classes.time(units) } else { None }
    }
}

/// A lower bound of the makespan over all placements \[cycles\]. Each pair of ranks that exchange messages has a delay: the
/// bound if this pair is in two classes. The ranks that messages connect do not fit in one class; so among any pairs that
/// connect as many of them, one pair is in two classes.
pub(crate) fn least_makespan_apart(
    problem: &Problem<'_>,
    traffic: &Traffic,
    rules: Communication,
    (nearest, contention): (Nearest, Contention),
    divisions: &[Classes],
) -> u64 {
    let pairs: Vec<(u32, u32)> = traffic.pairs().map(|(one, other, _)| (one, other)).collect();
    let connected = connected_ranks(traffic);
    let Some(classes) = divisions.iter().rfind(|division| division.places < connected) else { return 0 };
    let program = problem.program;
    let messages = program.facts().messages_of_stage().saturating_mul(program.stage_count() as u64);
    if messages.saturating_mul(pairs.len() as u64) > MAX_MESSAGES {
        return 0;
    }
    let makespan = |&(one, other): &(u32, u32)| {
        let apart = Apart { ranks: [one.into(), other.into()], classes };
        Recursion::new(program, problem.ranks, rules, nearest, contention).apart(apart).makespan()
    };
    let mut weighed: Vec<(u64, (u32, u32))> = pairs.iter().map(|pair| (makespan(pair), *pair)).collect();
    // Pairs by descending delay, until they connect as many ranks as all pairs do.
    weighed.sort_unstable_by(|one, other| other.cmp(one));
    let mut parents: Vec<usize> = (0..traffic.rank_count()).collect();
    for (makespan, (one, other)) in weighed {
        join(&mut parents, one as usize, other as usize);
        if largest_set(&sets(&mut parents)) == connected {
            return makespan;
        }
    }
    0
}

/// The size of the largest set of ranks connected by messages.
pub(crate) fn connected_ranks(traffic: &Traffic) -> usize {
    let mut parents: Vec<usize> = (0..traffic.rank_count()).collect();
    traffic.pairs().for_each(|(one, other, _)| join(&mut parents, one as usize, other as usize));
    largest_set(&sets(&mut parents))
}

/// A lower bound of the makespan of a stage program over all placements \[cycles\]: a process receives stage after stage, and
/// its class holds at most as many partners as it has other places.
pub(crate) fn least_makespan_with_few_partners_near(
    problem: &Problem<'_>,
    rules: Communication,
    nearest: Nearest,
    divisions: &[Classes],
) -> u64 {
    let longest = |classes| {
        longest_with_few_partners_near(problem.program, problem.rank_count(), rules, nearest, classes)
    };
    divisions.iter().map(longest).max().unwrap_or(0)
}

fn longest_with_few_partners_near(
    program: &dyn Program,
    ranks: usize,
    rules: Communication,
    nearest: Nearest,
    classes: &Classes,
) -> u64 {
    let processes = usize::try_from(program.process_count()).unwrap_or(usize::MAX);
    let mut sums = vec![0_u64; processes];
    let mut saved: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); processes]; // by process and rank of its partners
    let mut computations = vec![];
    for (stage, times) in program.distinct_stages() {
        let times = times as u64;
        let mut longest = vec![0_u64; processes];
        program.for_each_message(stage, &mut |source, destination, units| {
            let [from, to] = [source, destination].map(|process| process.label() as usize);
            let (near, far) = if from % ranks == to % ranks {
                let inside = rules.timing_of(units).transfer(0).get();
                (inside, inside)
            } else {
                let near = nearest.transfer(rules, units);
                (near, classes.time(units).unwrap_or(near).max(near))
            };
            // An eager message may arrive before its destination is ready.
            if !rules.is_eager(units) {
                longest[to] = longest[to].max(far);
                let saved = saved[to].entry(from % ranks).or_default();
                *saved = saved.saturating_add((far - near).saturating_mul(times));
            }
        });
        program.list_computations(stage, &mut computations);
        for ((sum, longest), computation) in sums.iter_mut().zip(longest).zip(&computations) {
            *sum = sum.saturating_add(longest.saturating_add(*computation).saturating_mul(times));
        }
    }
    let least = |(sum, saved): (u64, BTreeMap<usize, u64>)| {
        let mut saved: Vec<u64> = saved.into_values().collect();
        saved.sort_unstable_by(|one, other| other.cmp(one));
        saved.iter().take(classes.places - 1).fold(sum, |sum, &saved| sum.saturating_sub(saved))
    };
    sums.into_iter().zip(saved).map(least).max().unwrap_or(0)
}

/// Bytes for the divisions of `sites` sites; 0 if there are too many.
pub(crate) fn bytes(sites: u64) -> u64 {
    if sites <= MAX_SITES as u64 { sites * sites * size_of::<usize>() as u64 } else { 0 }
}
