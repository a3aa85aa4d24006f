//! The loads of links if packets go by way of a random router, or of a random group (Valiant).

use rustc_hash::FxHashMap;

use super::{
    fraction::Fraction,
    links::{LinkLoads, NextLinks, NoLinkLoads, Target},
};
use crate::routers::routing::Groups;

/// The units that each terminal receives from sources whose coordinates have these parities, if the second leg depends on
/// them.
pub(super) type Received = Vec<(Option<u64>, Vec<Fraction>)>;

/// Adds traffic by way of a node drawn among all: traffic from a router spreads evenly, and traffic to it comes
/// evenly from all.
///
/// `by_parity` divides the units that terminals receive by the sources' parities, if the second leg depends on them.
pub(in crate::routers) fn add_by_random_middle(
    loads: &mut LinkLoads<'_>,
    links: &dyn NextLinks,
    by_parity: Option<Received>,
) -> Result<(), NoLinkLoads> {
    loads.check_size()?;
    carry_by_random_middle(loads, links, by_parity).ok_or(NoLinkLoads::LargeFraction)
}

fn carry_by_random_middle(
    loads: &mut LinkLoads<'_>,
    links: &dyn NextLinks,
    by_parity: Option<Received>,
) -> Option<()> {
    let [sent, received] = loads.traffic.at_terminals()?;
    let middles: Vec<Target> = (0_u32..)
        .zip(loads.terminals_by_router())
        .filter(|(_, terminals)| !terminals.is_empty())
        .map(|(router, _)| Target { router, node: loads.wiring.node(router), is_even: None })
        .collect();
    let count = middles.len() as u128;
    for &middle in &middles {
        for (terminal, units) in (0_u32..).zip(&sent) {
            loads.put(loads.router_of(terminal), units.over(count)?)?;
        }
        loads.carry(links, middle)?;
    }
    for (is_even, received) in by_parity.unwrap_or_else(|| vec![(None, received)]) {
        for (terminal, units) in (0_u32..).zip(received) {
            if units == Fraction::ZERO {
                continue;
            }
            for middle in &middles {
                loads.put(middle.router, units.over(count)?)?;
            }
            let (router, node) = (loads.router_of(terminal), loads.host(terminal));
            loads.carry(links, Target { router, node, is_even })?;
        }
    }
    Some(())
}

/// Adds traffic in a dragonfly by way of a group drawn among all but those of the ends; directly if there is none.
pub(in crate::routers) fn add_by_random_group(
    loads: &mut LinkLoads<'_>,
    groups: &Groups<'_>,
) -> Result<(), NoLinkLoads> {
    loads.check_pairs(loads.router_count())?;
    carry_by_random_group(loads, groups).ok_or(NoLinkLoads::LargeFraction)
}

fn carry_by_random_group(loads: &mut LinkLoads<'_>, groups: &Groups<'_>) -> Option<()> {
    let count = groups.count();
    // Units by router: to the entrance of a group from another, then to each terminal.
    let mut first: FxHashMap<u32, Vec<(u32, Fraction)>> = FxHashMap::default();
    let mut second: FxHashMap<u32, Vec<(u32, Fraction)>> = FxHashMap::default();
    loads.traffic.for_each_pair(|from, to, units| {
        let (source, home, other) =
            (loads.router_of(from), groups.group(loads.router_of(from)), groups.group(loads.router_of(to)));
        if home == other || count < 3 {
            second.entry(to).or_default().push((source, units));
            return Some(());
        }
        let each = units.over(u128::from(count - 2))?;
        for middle in (0..count).filter(|group| ![home, other].contains(group)) {
            let entrance = groups.entrance(middle, home);
            first.entry(entrance).or_default().push((source, each));
            second.entry(to).or_default().push((entrance, each));
        }
        Some(())
    })?;
    let sorted = |legs: FxHashMap<u32, Vec<(u32, Fraction)>>| {
        let mut legs: Vec<_> = legs.into_iter().collect();
        legs.sort_unstable_by_key(|leg| leg.0);
        legs
    };
    for (entrance, from) in sorted(first) {
        from.into_iter().try_for_each(|(router, units)| loads.put(router, units))?;
        let node = loads.wiring.node(entrance);
        loads.carry(groups, Target { router: entrance, node, is_even: None })?;
    }
    for (to, from) in sorted(second) {
        from.into_iter().try_for_each(|(router, units)| loads.put(router, units))?;
        let (router, node) = (loads.router_of(to), loads.host(to));
        loads.carry(groups, Target { router, node, is_even: None })?;
    }
    Some(())
}
