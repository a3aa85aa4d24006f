//! The loads of links where packets go by way of a random node: anywhere (Valiant), or between the ends (ROMM).

use cubefold_topology::{NodeId, Sign, TieRule};
use rustc_hash::FxHashMap;

use super::{
    fraction::Fraction,
    links::{GridOrder, LinkLoads, NextLink, Target},
    traffic::Traffic,
};
use crate::routers::settings::RouterTie;

/// Adds traffic by way of a node that is drawn among all: what routers send is spread evenly, and what they receive comes
/// evenly from all.
pub(super) fn add_by_random_middle(loads: &mut LinkLoads<'_>, traffic: &Traffic) -> Option<()> {
    let [sent, _] = traffic.at_terminals()?;
    let middles: Vec<Target> = (0_u32..)
        .zip(loads.terminals_by_router())
        .filter(|own| !own.1.is_empty())
        .map(|(router, _)| Target { router, node: loads.wiring.node(router) })
        .collect();
    let count = middles.len() as u128;
    for &middle in &middles {
        for (terminal, units) in (0_u32..).zip(&sent) {
            loads.put(loads.router_of(terminal), units.over(count)?)?;
        }
        loads.carry(middle, None)?;
    }
    for (is_even, received) in by_parity(loads, traffic)? {
        for (terminal, units) in (0_u32..).zip(received) {
            if units == Fraction::ZERO {
                continue;
            }
            for middle in &middles {
                loads.put(middle.router, units.over(count)?)?;
            }
            let target = Target { router: loads.router_of(terminal), node: loads.host(terminal) };
            loads.carry(target, is_even)?;
        }
    }
    Some(())
}

/// Adds traffic in a dragonfly by way of a group that is drawn among those of neither end; without one directly.
pub(super) fn add_by_random_group(loads: &mut LinkLoads<'_>, traffic: &Traffic) -> Option<()> {
    let NextLink::Dragonfly(groups) = &loads.rule else { return None };
    let count = groups.count();
    // Units by router: to the entrance of a group from another, then to each terminal.
    let mut first: FxHashMap<u32, Vec<(u32, Fraction)>> = FxHashMap::default();
    let mut second: FxHashMap<u32, Vec<(u32, Fraction)>> = FxHashMap::default();
    traffic.for_each_pair(|from, to, units| {
        let (source, own, other) =
            (loads.router_of(from), groups.group(loads.router_of(from)), groups.group(loads.router_of(to)));
        if own == other || count < 3 {
            second.entry(to).or_default().push((source, units));
            return Some(());
        }
        let each = units.over(u128::from(count - 2))?;
        for middle in (0..count).filter(|group| ![own, other].contains(group)) {
            let entrance = groups.entrance(middle, own);
            first.entry(entrance).or_default().push((source, each));
            second.entry(to).or_default().push((entrance, each));
        }
        Some(())
    })?;
    let sorted = |legs: FxHashMap<u32, Vec<(u32, Fraction)>>| {
        let mut legs: Vec<_> = legs.into_iter().collect();
        legs.sort_unstable_by_key(|own| own.0);
        legs
    };
    for (entrance, from) in sorted(first) {
        from.into_iter().try_for_each(|(router, units)| loads.put(router, units))?;
        loads.carry(Target { router: entrance, node: loads.wiring.node(entrance) }, None)?;
    }
    for (to, from) in sorted(second) {
        from.into_iter().try_for_each(|(router, units)| loads.put(router, units))?;
        loads.carry(Target { router: loads.router_of(to), node: loads.host(to) }, None)?;
    }
    Some(())
}

/// The units that each terminal receives, by the parities of the coordinates of their sources if the way of the second leg
/// depends on them.
fn by_parity(loads: &LinkLoads<'_>, traffic: &Traffic) -> Option<Vec<(Option<u64>, Vec<Fraction>)>> {
    let [_, received] = traffic.at_terminals()?;
    let NextLink::Grid(order) = &loads.rule else { return Some(vec![(None, received)]) };
    if order.tie != RouterTie::Rule(TieRule::Alternate) {
        return Some(vec![(None, received)]);
    }
    let mut classes = std::collections::BTreeMap::new();
    traffic.for_each_pair(|from, to, units| {
        let own: &mut Vec<Fraction> = classes
            .entry(order.parities(loads.host(from)))
            .or_insert_with(|| vec![Fraction::ZERO; received.len()]);
        own[to as usize] = own[to as usize].plus(units)?;
        Some(())
    })?;
    Some(classes.into_iter().map(|(parities, own)| (Some(parities), own)).collect())
}

impl GridOrder<'_> {
    /// A bit for each dimension in which the coordinate of a node is even.
    fn parities(&self, node: NodeId) -> u64 {
        let is_even = |(dimension, axis): (u32, &cubefold_topology::Axis)| {
            u64::from(axis.coordinate(node).is_multiple_of(2)) << dimension
        };
        (0_u32..).zip(self.axes).map(is_even).sum()
    }

    /// The ways from a node to another in each dimension in which they differ: `(dimension, sign, links)`. Several, equally
    /// likely, if ways are drawn.
    fn ways(&self, from: NodeId, to: NodeId) -> Vec<Vec<Way>> {
        let mut all: Vec<Vec<Way>> = vec![vec![]];
        for (dimension, axis) in self.axes.iter().enumerate() {
            let Some(way) = axis.displacement(from, to, TieRule::Direct) else { continue };
            let is_half = axis.extent().is_ring() && 2 * way.hops == axis.length();
            let signs = match self.tie {
                RouterTie::Random if is_half => vec![Sign::Positive, Sign::Negative],
                RouterTie::Rule(rule) => {
                    axis.displacement(from, to, rule).map(|own| own.sign).into_iter().collect()
                }
                RouterTie::Random => vec![way.sign],
            };
            let with = |sign: Sign| {
                all.iter().map(move |one| {
                    let last = Way { dimension, sign, links: way.hops };
                    one.iter().copied().chain([last]).collect()
                })
            };
            all = signs.into_iter().flat_map(with).collect();
        }
        all
    }
}

/// The way of a packet in a dimension.
#[derive(Debug, Clone, Copy)]
struct Way {
    dimension: usize,
    sign: Sign,
    links: u64, // at least 1
}

/// Adds traffic by way of a node that lies, in every dimension by itself, a drawn number of links on the way.
pub(super) fn add_by_middle_between(loads: &mut LinkLoads<'_>, traffic: &Traffic) -> Option<()> {
    // Units of all pairs, by port, in parts of a unit of each denominator that occurs.
    let mut parts: FxHashMap<u128, Vec<u128>> = FxHashMap::default();
    let ports = loads.loads.len();
    traffic.for_each_pair(|from, to, units| {
        let NextLink::Grid(order) = &loads.rule else { return None };
        let ends = [loads.host(from), loads.host(to)];
        let all = order.ways(ends[0], ends[1]);
        for ways in &all {
            let denominator = ways
                .iter()
                .try_fold(units.denominator(), |product, way| product.checked_mul(u128::from(way.links) + 1));
            let denominator = denominator?.checked_mul(all.len() as u128)?;
            let own = parts.entry(denominator).or_insert_with(|| vec![0; ports]);
            let legs = Legs { loads, order, ways, units: units.numerator() };
            legs.first(ends[0], own)?;
            legs.second(ends[1], own)?;
        }
        Some(())
    })?;
    let mut denominators: Vec<u128> = parts.keys().copied().collect();
    denominators.sort_unstable();
    for denominator in denominators {
        for (port, &units) in parts.get(&denominator).into_iter().flatten().enumerate() {
            if units > 0 {
                let units = Fraction::new(units, denominator)?.reduced();
                loads.loads[port] = loads.loads[port].plus(units)?;
            }
        }
    }
    Some(())
}

/// The two legs of the packets of a pair, over all middle nodes. Amounts count middle nodes, times the units.
struct Legs<'a, 'run> {
    loads: &'a LinkLoads<'run>,
    order: &'a GridOrder<'run>,
    ways: &'a [Way],
    units: u128,
}

impl Legs<'_, '_> {
    /// From the source: in each dimension, from all middle coordinates of those before it.
    fn first(&self, source: NodeId, parts: &mut [u128]) -> Option<()> {
        let mut begins = vec![source];
        for (place, way) in self.ways.iter().enumerate() {
            let further: u128 = self.ways[place + 1..].iter().map(|own| u128::from(own.links) + 1).product();
            let mut ends = vec![];
            for begin in begins {
                let mut at = begin;
                for step in 0..way.links {
                    ends.push(at);
                    // The middle lies further on.
                    let middles = u128::from(way.links - step).checked_mul(further)?;
                    at = self.cross(at, way, middles, parts)?;
                }
                ends.push(at);
            }
            begins = ends;
        }
        Some(())
    }

    /// To the destination: in each dimension, with all middle coordinates of those after it; backwards.
    fn second(&self, destination: NodeId, parts: &mut [u128]) -> Option<()> {
        let mut ends = vec![destination];
        for (place, way) in self.ways.iter().enumerate().rev() {
            let before: u128 = self.ways[..place].iter().map(|own| u128::from(own.links) + 1).product();
            let mut begins = vec![];
            for end in ends {
                let mut at = self.step(end, way, way.links, true)?;
                for step in 0..way.links {
                    begins.push(at);
                    // The middle lies here or before.
                    let middles = u128::from(step + 1).checked_mul(before)?;
                    at = self.cross(at, way, middles, parts)?;
                }
                begins.push(at);
            }
            ends = begins;
        }
        Some(())
    }

    /// Crosses a link on a way; returns the node after it.
    fn cross(&self, at: NodeId, way: &Way, middles: u128, parts: &mut [u128]) -> Option<NodeId> {
        let port = 2 * way.dimension + usize::from(way.sign == Sign::Negative);
        let own = &mut parts[self.loads.wiring.ports(at.index()).0 as usize + port];
        *own = own.checked_add(middles.checked_mul(self.units)?)?;
        self.step(at, way, 1, false)
    }

    /// The node some links further on a way, or back.
    fn step(&self, at: NodeId, way: &Way, links: u64, is_back: bool) -> Option<NodeId> {
        let axis = &self.order.axes[way.dimension];
        let length = axis.length();
        let here = u64::from(axis.coordinate(at));
        let is_forward = (way.sign == Sign::Positive) != is_back;
        let there = if is_forward { (here + links) % length } else { (here + length - links) % length };
        let stride = axis.digit().stride();
        let index = (u64::from(at.index()) + there * stride).checked_sub(here * stride)?;
        Some(NodeId::new(u32::try_from(index).ok()?))
    }
}
