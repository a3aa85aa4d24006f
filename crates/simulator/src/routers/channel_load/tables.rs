//! The loads of links under the routes of a table (`docs/model.md` section 30.2).

use std::collections::{BTreeMap, btree_map::Entry};

use cubefold_topology::{ClassIn, HopLines, NextHop, NodeId, PathLines, RouteLines};

use super::{
    fraction::Fraction,
    links::{LinkLoads, NoLinkLoads},
};
use crate::routers::routing::TableChoice;

/// The steps of a pair in the estimate of the time: roughly the links of a route.
const STEPS_OF_PAIR: u64 = 16;

/// Adds traffic by the routes of a table: of whole routes in proportion to their weights, of next routers by the one
/// candidate, or evenly by those that are drawn.
///
/// # Errors
///
/// [`NoLinkLoads::NotFollowed`] where the candidate depends on credits.
pub(in crate::routers) fn add_by_table(loads: &mut LinkLoads<'_>) -> Result<(), NoLinkLoads> {
    let table = loads.machine.packet_routes().ok_or(NoLinkLoads::NotFollowed)?;
    let choice = loads.settings.routing.options().route_choice;
    loads.check_pairs(STEPS_OF_PAIR)?;
    match table.lines() {
        RouteLines::Path(lines) => add_by_paths(loads, lines),
        RouteLines::Hop(lines) => {
            let mut by_destination: Vec<Vec<(u32, Fraction)>> = vec![];
            let add = |from, to: u32, units| {
                by_destination.resize(by_destination.len().max(to as usize + 1), vec![]);
                by_destination[to as usize].push((from, units));
                Some(())
            };
            loads.traffic.for_each_pair(add).ok_or(NoLinkLoads::LargeFraction)?;
            for (to, from) in (0_u32..).zip(by_destination) {
                Hops { lines, choice, to: ends(loads, to), flows: BTreeMap::new(), order: vec![] }
                    .add(loads, &from)?;
            }
            Ok(())
        }
    }
}

/// A terminal and its router.
fn ends(loads: &LinkLoads<'_>, terminal: u32) -> [NodeId; 2] {
    [loads.host(terminal), loads.wiring.node(loads.router_of(terminal))]
}

fn add_by_paths(loads: &mut LinkLoads<'_>, lines: &PathLines) -> Result<(), NoLinkLoads> {
    let mut pairs = vec![];
    let add = |from, to, units| {
        pairs.push((from, to, units));
        Some(())
    };
    loads.traffic.for_each_pair(add).ok_or(NoLinkLoads::LargeFraction)?;
    for (from, to, units) in pairs {
        if loads.router_of(from) == loads.router_of(to) {
            continue;
        }
        let weighted = lines.weighted(ends(loads, from), ends(loads, to)).ok_or(NoLinkLoads::NotFollowed)?;
        let sum: u128 = weighted.iter().map(|path| u128::from(path.1)).sum();
        for (path, weight) in weighted {
            let share = Fraction::new(weight.into(), sum).and_then(|share| units.times(share));
            let share = share.ok_or(NoLinkLoads::LargeFraction)?;
            let mut at = loads.router_of(from);
            for hop in lines.hops(path) {
                at = cross(loads, at, *hop, share)?;
            }
        }
    }
    Ok(())
}

/// Adds units to the link from a router to another; returns the other.
fn cross(loads: &mut LinkLoads<'_>, router: u32, hop: NextHop, units: Fraction) -> Result<u32, NoLinkLoads> {
    let (port, next) = link(loads, router, hop)?;
    let load = &mut loads.loads[port as usize];
    *load = load.plus(units).ok_or(NoLinkLoads::LargeFraction)?;
    Ok(next)
}

/// The port of the link from a router to another, and the other.
fn link(loads: &LinkLoads<'_>, router: u32, hop: NextHop) -> Result<(u32, u32), NoLinkLoads> {
    let mut found = loads.wiring.routers_beyond(router).filter(|link| link.1 == hop.node);
    // Of parallel links, the one with more credits is taken.
    let (Some((port, _)), None) = (found.next(), found.next()) else {
        return Err(NoLinkLoads::NotFollowed);
    };
    let port = loads.wiring.ports(router).0 + port;
    loads.beyond(port).map(|next| (port, next)).ok_or(NoLinkLoads::NotFollowed)
}

/// A router, and the class in which a packet came there.
type State = (u32, ClassIn);

/// The packets to a terminal by lines of next routers.
struct Hops<'a> {
    lines: &'a HopLines,
    choice: TableChoice,
    to: [NodeId; 2],
    flows: BTreeMap<State, Fraction>,
    order: Vec<State>, // those that a packet reaches, each after its successors
}

impl<'a> Hops<'a> {
    /// Adds the units of these terminals.
    fn add(&mut self, loads: &mut LinkLoads<'_>, from: &[(u32, Fraction)]) -> Result<(), NoLinkLoads> {
        for &(terminal, units) in from {
            let state = (loads.router_of(terminal), ClassIn::Terminal);
            self.reach(loads, state)?;
            self.put(state, units)?;
        }
        for state in std::mem::take(&mut self.order).into_iter().rev() {
            let hops = self.hops(loads, state)?;
            let all = self.flows.remove(&state).unwrap_or(Fraction::ZERO);
            for hop in hops {
                let each = all.over(hops.len() as u128).ok_or(NoLinkLoads::LargeFraction)?;
                let next = cross(loads, state.0, *hop, each)?;
                self.put((next, ClassIn::Class(hop.class)), each)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, state: State, units: Fraction) -> Result<(), NoLinkLoads> {
        let flow = self.flows.entry(state).or_insert(Fraction::ZERO);
        *flow = flow.plus(units).ok_or(NoLinkLoads::LargeFraction)?;
        Ok(())
    }

    /// The next routers of a packet, all equally likely; empty at the router of its terminal.
    fn hops(&self, loads: &LinkLoads<'_>, (router, class): State) -> Result<&'a [NextHop], NoLinkLoads> {
        let node = loads.wiring.node(router);
        if node == self.to[1] {
            return Ok(&[]);
        }
        let hops = self.lines.candidates(node, class, self.to).ok_or(NoLinkLoads::NotFollowed)?;
        let is_drawn =
            self.choice == TableChoice::Random && !hops.iter().any(|hop| self.lines.is_escape(hop.class));
        if hops.len() > 1 && !is_drawn { Err(NoLinkLoads::NotFollowed) } else { Ok(hops) }
    }

    /// Appends a state to the order after its successors; tables have no circles.
    fn reach(&mut self, loads: &LinkLoads<'_>, state: State) -> Result<(), NoLinkLoads> {
        let mut open = vec![(state, false)];
        while let Some((state, is_done)) = open.pop() {
            if is_done {
                self.order.push(state);
                continue;
            }
            let Entry::Vacant(unknown) = self.flows.entry(state) else { continue };
            unknown.insert(Fraction::ZERO);
            open.push((state, true));
            for hop in self.hops(loads, state)? {
                let (_, next) = link(loads, state.0, *hop)?;
                open.push(((next, ClassIn::Class(hop.class)), false));
            }
        }
        Ok(())
    }
}
