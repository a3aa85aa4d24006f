//! The loads of links of grids: in dimension order, by way of a random node anywhere (Valiant), or of one between the ends
//! (ROMM).

use std::collections::BTreeMap;

use cubefold_topology::{Axis, NodeId, Sign, TieRule};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{
    fraction::Fraction,
    links::{LinkLoads, NextLinks, NoLinkLoads, Target},
    middle::{Received, add_by_random_middle},
};
use crate::routers::{settings::RouterTie, wiring::Wiring};

/// Dimension order on a grid.
#[derive(Debug)]
struct GridOrder<'run> {
    axes: &'run [Axis],
    tie: RouterTie,
}

pub(in crate::routers) fn add_in_order(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    loads.add_directly(&GridOrder::of(loads))
}

pub(in crate::routers) fn add_by_random_node(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    let order = GridOrder::of(loads);
    let by_parity = match order.tie {
        RouterTie::Rule(TieRule::Alternate) => {
            loads.check_size()?;
            Some(order.received_by_parity(loads).ok_or(NoLinkLoads::LargeFraction)?)
        }
        RouterTie::Rule(_) | RouterTie::Random => None,
    };
    add_by_random_middle(loads, &order, by_parity)
}

/// Adds traffic by way of a node that lies, independently in every dimension, a drawn number of links on the way.
pub(in crate::routers) fn add_by_node_between(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    loads.check_pairs(loads.router_count())?;
    let order = GridOrder::of(loads);
    add_between(loads, &order).ok_or(NoLinkLoads::LargeFraction)
}

impl NextLinks for GridOrder<'_> {
    /// The ports of a node towards another: two if both ways around a ring are equally long and one is drawn.
    fn next(&self, wiring: &Wiring, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>> {
        let (at, to) = (wiring.node(router), target.node);
        let rule = match self.tie {
            RouterTie::Rule(rule) => rule,
            RouterTie::Random => TieRule::Direct,
        };
        for (dimension, axis) in (0_u32..).zip(self.axes) {
            let Some(way) = axis.displacement(at, to, rule) else { continue };
            let is_half = axis.extent().is_ring() && 2 * way.hops == axis.length();
            let ports = 2 * dimension;
            return Some(match (self.tie, target.is_even) {
                (RouterTie::Random, _) if is_half => smallvec![ports, ports + 1],
                (RouterTie::Rule(TieRule::Alternate), Some(even)) if is_half => {
                    smallvec![ports + u32::from(even >> dimension & 1 == 0)]
                }
                (RouterTie::Rule(_) | RouterTie::Random, _) => {
                    smallvec![ports + u32::from(way.sign == Sign::Negative)]
                }
            });
        }
        None
    }
}

impl<'run> GridOrder<'run> {
    fn of(loads: &LinkLoads<'run>) -> Self {
        Self { axes: loads.machine.axes(), tie: loads.settings.tie }
    }

    /// The units that each terminal receives, by the parities of the coordinates of their sources.
    fn received_by_parity(&self, loads: &LinkLoads<'_>) -> Option<Received> {
        let count = loads.traffic.at_terminals()?[1].len();
        let mut classes = BTreeMap::new();
        loads.traffic.for_each_pair(|from, to, units| {
            let units_of: &mut Vec<Fraction> =
                classes.entry(self.parities(loads.host(from))).or_insert_with(|| vec![Fraction::ZERO; count]);
            units_of[to as usize] = units_of[to as usize].plus(units)?;
            Some(())
        })?;
        Some(classes.into_iter().map(|(parities, units)| (Some(parities), units)).collect())
    }

    /// A bit for each dimension in which the coordinate of a node is even.
    fn parities(&self, node: NodeId) -> u64 {
        let is_even =
            |(dimension, axis): (u32, &Axis)| u64::from(axis.coordinate(node).is_multiple_of(2)) << dimension;
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
                    axis.displacement(from, to, rule).map(|way| way.sign).into_iter().collect()
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

#[derive(Debug, Clone, Copy)]
struct Way {
    dimension: usize,
    sign: Sign,
    links: u64, // at least 1
}

fn add_between(loads: &mut LinkLoads<'_>, order: &GridOrder<'_>) -> Option<()> {
    // Units of all pairs, by port, in parts of a unit of each denominator that occurs.
    let mut parts: FxHashMap<u128, Vec<u128>> = FxHashMap::default();
    let ports = loads.loads.len();
    loads.traffic.for_each_pair(|from, to, units| {
        let ends = [loads.host(from), loads.host(to)];
        let all = order.ways(ends[0], ends[1]);
        for ways in &all {
            let denominator = ways
                .iter()
                .try_fold(units.denominator(), |product, way| product.checked_mul(u128::from(way.links) + 1));
            let denominator = denominator?.checked_mul(all.len() as u128)?;
            let counts = parts.entry(denominator).or_insert_with(|| vec![0; ports]);
            let legs = Legs { loads, order, ways, units: units.numerator() };
            legs.first(ends[0], counts)?;
            legs.second(ends[1], counts)?;
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
            let further: u128 = self.ways[place + 1..].iter().map(|way| u128::from(way.links) + 1).product();
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
            let before: u128 = self.ways[..place].iter().map(|way| u128::from(way.links) + 1).product();
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
        let crossed = &mut parts[self.loads.wiring.ports(at.index()).0 as usize + port];
        *crossed = crossed.checked_add(middles.checked_mul(self.units)?)?;
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
