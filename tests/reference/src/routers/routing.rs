//! Routing: section 26.3.

use std::collections::BTreeSet;

use super::super::grid::{Channel, Grid};
use super::run::{Packet, Run};
use super::wiring::End;
use super::{RouterMachine, RouterRule, RouterTie};

/// The finaliser of SplitMix64 (section 19).
pub(super) fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The candidates of a head: ports with channels, and those that it asks for only if it can ask for no other.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub(super) others: Vec<(usize, Vec<usize>)>,
    pub(super) escape: Vec<(usize, Vec<usize>)>,
}

impl Candidates {
    fn only(port: usize, channels: Vec<usize>) -> Self {
        Self { others: vec![(port, channels)], escape: vec![] }
    }
}

/// The dimension in which a packet is, and its class there.
pub(super) type Within = Option<(usize, usize)>;

fn is_ring(grid: &Grid, dimension: usize) -> bool {
    grid.wraps[dimension] && grid.lengths[dimension] > 2
}

fn has_rings(grid: &Grid) -> bool {
    (0..grid.lengths.len()).any(|dimension| is_ring(grid, dimension))
}

impl Run<'_> {
    /// The channels of class `q` of `C`.
    pub(super) fn class(&self, q: u64, classes: u64) -> Vec<usize> {
        let v = self.problem.channels as u64;
        (q * v / classes..(q + 1) * v / classes).map(|channel| usize::try_from(channel).unwrap()).collect()
    }

    /// The candidates of a packet at a router, when its head asks there for the first time.
    pub(super) fn route(&mut self, number: usize, at: u64, came_in: Option<usize>) -> Candidates {
        let mut packet = self.packets[number].clone();
        let (router, port) = self.wiring.terminals[&packet.to];
        let terminal = match self.problem.ejects_by_class {
            true => Candidates::only(port, self.class(packet.links, 2)),
            false => Candidates::only(port, (0..self.problem.channels).collect()),
        };
        let machine = self.problem.machine.clone();
        let candidates = match (&machine, self.problem.rule) {
            (RouterMachine::Grid(grid), RouterRule::Valiant | RouterRule::Romm) => {
                self.by_middle(&mut packet, grid, at, terminal)
            }
            _ if router == at && !self.passes_ends() => terminal,
            (_, RouterRule::Table(rule)) => self.by_table(&mut packet, at, came_in, rule),
            (RouterMachine::Grid(grid), RouterRule::Adaptive(_)) => self.adaptive(&mut packet, grid, at),
            (RouterMachine::Grid(grid), _) => {
                let (port, within) = self.in_order(&packet, grid, at, packet.to, packet.within).unwrap();
                packet.within = Some(within);
                let (dimension, class) = within;
                let channels = match is_ring(grid, dimension) {
                    true => self.class(class as u64, 2),
                    false => self.class(0, 1),
                };
                Candidates::only(port, channels)
            }
            (
                RouterMachine::Dragonfly(..),
                RouterRule::Minimal
                | RouterRule::Valiant
                | RouterRule::Ugal(_)
                | RouterRule::UgalG(_)
                | RouterRule::Par(_),
            ) => self.between_groups(&mut packet, at),
            (_, RouterRule::Valiant | RouterRule::Ugal(_)) => self.by_router(&mut packet, at, terminal),
            (_, RouterRule::MinimalAdaptive) => {
                let distances = self.wiring.distances_to(router);
                let nearer =
                    self.wiring.neighbours[&at].iter().filter(|next| distances[next] < distances[&at]);
                let channels = self.class(packet.links, self.wiring.longest().max(1));
                packet.links += 1;
                let others = nearer.map(|&next| (self.port_to(at, next), channels.clone())).collect();
                Candidates { others, escape: vec![] }
            }
            (_, RouterRule::UpDown(is_adaptive)) => self.upwards(&mut packet, at, is_adaptive),
            (_, _) => {
                let next = self.lowest(packet.from, at, router);
                let channels = self.class(packet.links, self.wiring.longest().max(1));
                packet.links += 1;
                Candidates::only(self.port_to(at, next), channels)
            }
        };
        self.packets[number] = packet;
        candidates
    }

    /// Whether packets may go on from the router of their destination.
    fn passes_ends(&self) -> bool {
        let is_in_groups = matches!(self.problem.machine, RouterMachine::Dragonfly(..));
        !is_in_groups && matches!(self.problem.rule, RouterRule::Valiant | RouterRule::Ugal(_))
    }

    /// By way of a router with a terminal (30.3.4).
    fn by_router(&self, packet: &mut Packet, at: u64, terminal: Candidates) -> Candidates {
        let (to, _) = self.wiring.terminals[&packet.to];
        let routers: BTreeSet<u64> = self.wiring.terminals.values().map(|own| own.0).collect();
        let routers: Vec<u64> = routers.into_iter().collect();
        let middle = routers[usize::try_from(mix(packet.key ^ 128) % routers.len() as u64).unwrap()];
        if packet.middle.is_none() {
            packet.middle = Some(middle);
            if let RouterRule::Ugal(threshold) = self.problem.rule {
                let differ = at != to && at != middle && middle != to;
                let links = |from: u64, to: u64| i128::from(self.wiring.distances_to(to)[&from]);
                let queued = |goal: u64| {
                    let port = self.port_to(at, self.lowest(at, at, goal));
                    let there: u64 = self.routers[&at].outputs[port].iter().map(|own| own.credits).sum();
                    i128::from(self.problem.buffer * self.problem.channels as u64 - there)
                };
                let is_better = || {
                    queued(to) * links(at, to)
                        > queued(middle) * (links(at, middle) + links(middle, to)) + i128::from(threshold)
                };
                if !(differ && is_better()) {
                    (packet.leg, packet.middle) = (1, Some(at)); // where the second leg begins
                }
            }
        }
        if at == middle {
            packet.leg = 1;
        }
        if packet.leg == 1 && at == to {
            return terminal;
        }
        let next = match packet.leg {
            0 => self.lowest(packet.from, at, middle),
            _ => self.lowest(packet.middle.unwrap(), at, to),
        };
        let channels = self.class(packet.links, (2 * self.wiring.longest()).max(1));
        packet.links += 1;
        Candidates::only(self.port_to(at, next), channels)
    }

    /// The next router of the route between two others by section 12; on a grid with failures by section 22.5.
    fn lowest(&self, from: u64, at: u64, to: u64) -> u64 {
        if let RouterMachine::FailedGrid(grid, links, tie) = &self.problem.machine {
            let ends = |channel: &Channel| (channel.node, grid.end(*channel));
            let route: Vec<(u64, u64)> = grid.route(from, to, tie).iter().map(ends).collect();
            if route.iter().all(|&(one, other)| links.contains(&(one.min(other), one.max(other)))) {
                return route.iter().find(|(node, _)| *node == at).unwrap().1;
            }
        }
        let distances = self.wiring.distances_to(to);
        let is_nearer = |next: &&u64| distances[*next] + 1 == distances[&at];
        *self.wiring.neighbours[&at].iter().find(is_nearer).unwrap()
    }

    pub(super) fn port_to(&self, at: u64, next: u64) -> usize {
        self.wiring.ports[&at]
            .iter()
            .position(|end| matches!(end, End::Router(node, _) if *node == next))
            .unwrap()
    }

    /// Whether a packet goes in `+` from one coordinate to another (26.3.1).
    fn goes_up(&self, packet: &Packet, grid: &Grid, dimension: usize, from: u64, to: u64) -> bool {
        if !is_ring(grid, dimension) {
            return to > from;
        }
        let k = grid.lengths[dimension];
        let (up, down) = ((to + k - from) % k, (from + k - to) % k);
        if up != down {
            return up < down;
        }
        match self.problem.tie {
            RouterTie::Direct => to > from,
            RouterTie::Positive => true,
            RouterTie::Negative => false,
            RouterTie::Alternate => grid.coordinates(packet.from)[dimension].is_multiple_of(2),
            RouterTie::Random => mix(packet.key ^ (1 + dimension as u64)) % 2 == 1,
        }
    }

    /// The next port in dimension order, with the dimension and the class there.
    fn in_order(
        &self,
        packet: &Packet,
        grid: &Grid,
        at: u64,
        to: u64,
        within: Within,
    ) -> Option<(usize, (usize, usize))> {
        let (own, goal) = (grid.coordinates(at), grid.coordinates(to));
        let dimension = (0..own.len()).find(|&dimension| own[dimension] != goal[dimension])?;
        let up = self.goes_up(packet, grid, dimension, own[dimension], goal[dimension]);
        let class = match within {
            Some((same, class)) if same == dimension => class,
            _ => usize::from(own[dimension] > goal[dimension]),
        };
        Some((2 * dimension + usize::from(!up), (dimension, class)))
    }

    /// Valiant and ROMM (26.3.2, 26.3.3).
    fn by_middle(&self, packet: &mut Packet, grid: &Grid, at: u64, terminal: Candidates) -> Candidates {
        let middle = match self.problem.rule {
            RouterRule::Valiant => mix(packet.key ^ 128) % grid.number_of_nodes(),
            _ => self.romm_middle(packet, grid),
        };
        if packet.leg == 0 && at == middle {
            packet.leg = 1;
            packet.within = None;
        }
        if packet.leg == 1 && at == packet.to {
            return terminal;
        }
        let goal = if packet.leg == 0 { middle } else { packet.to };
        let (port, within) = self.in_order(packet, grid, at, goal, packet.within).unwrap();
        packet.within = Some(within);
        let (dimension, class) = within;
        let (leg, class) = (packet.leg, class as u64);
        let channels = if !has_rings(grid) {
            self.class(leg, 2)
        } else if is_ring(grid, dimension) {
            self.class(2 * class + leg, 4)
        } else {
            self.class(leg, 4).into_iter().chain(self.class(2 + leg, 4)).collect()
        };
        Candidates::only(port, channels)
    }

    fn romm_middle(&self, packet: &Packet, grid: &Grid) -> u64 {
        let (from, to) = (grid.coordinates(packet.from), grid.coordinates(packet.to));
        let mut middle = from.clone();
        for dimension in 0..from.len() {
            let (k, a, b) = (grid.lengths[dimension], from[dimension], to[dimension]);
            if a == b {
                continue;
            }
            let up = self.goes_up(packet, grid, dimension, a, b);
            let dist = if up { (b + k - a) % k } else { (a + k - b) % k };
            let steps = mix(packet.key ^ (192 + dimension as u64)) % (dist + 1);
            middle[dimension] = if up { (a + steps) % k } else { (a + k - steps) % k };
        }
        grid.index(&middle)
    }

    /// Adaptive routing (26.3.4): all ports that lead nearer, and at last the escape channel.
    fn adaptive(&self, packet: &mut Packet, grid: &Grid, at: u64) -> Candidates {
        let escapes = 1 + usize::from(has_rings(grid));
        let kept = if packet.escaped { packet.within } else { None };
        let (port, within) = self.in_order(packet, grid, at, packet.to, kept).unwrap();
        packet.within = Some(within);
        let escape = match is_ring(grid, within.0) {
            true => vec![within.1],
            false => (0..escapes).collect(),
        };
        let mut candidates = Candidates { others: vec![], escape: vec![(port, escape)] };
        if !packet.escaped {
            let distance = grid.distance(at, packet.to);
            for (port, end) in self.wiring.ports[&at].iter().enumerate() {
                if let End::Router(next, _) = end
                    && grid.distance(*next, packet.to) < distance
                {
                    candidates.others.push((port, (escapes..self.problem.channels).collect()));
                }
            }
        }
        candidates
    }

    /// Up to the nearest common ancestor and down (26.3.5).
    fn upwards(&self, packet: &mut Packet, at: u64, is_adaptive: bool) -> Candidates {
        let (router, _) = self.wiring.terminals[&packet.to];
        let distances = self.wiring.distances_to(router);
        let nearer: Vec<u64> = self.wiring.neighbours[&at]
            .iter()
            .copied()
            .filter(|next| distances[next] < distances[&at])
            .collect();
        let drawn = |tag: u64| {
            let place = mix(packet.key ^ tag) % nearer.len() as u64;
            self.port_to(at, nearer[usize::try_from(place).unwrap()])
        };
        let (one, other) = (drawn(64 + packet.links), drawn(96 + packet.links));
        let credits =
            |port: usize| self.routers[&at].outputs[port].iter().map(|own| own.credits).sum::<u64>();
        let port = if is_adaptive && credits(other) > credits(one) { other } else { one };
        packet.links += 1;
        Candidates::only(port, (0..self.problem.channels).collect())
    }

    /// Dragonflies (26.3.6).
    fn between_groups(&self, packet: &mut Packet, at: u64) -> Candidates {
        let (router, _) = self.wiring.terminals[&packet.to];
        let is_par = matches!(self.problem.rule, RouterRule::Par(_));
        let is_again = is_par && packet.links == 0 && at != packet.first && packet.group == Some(None);
        if self.problem.rule != RouterRule::Minimal && (packet.group.is_none() || is_again) {
            packet.group = Some(self.drawn_group(packet, at, router, if is_again { 130 } else { 129 }));
        }
        if packet.group == Some(Some(self.group(at))) {
            packet.group = Some(None);
        }
        let way = match packet.group {
            Some(Some(group)) => self.minimal_to_group(at, group),
            _ => self.minimal(at, router),
        };
        let leaves_group = self.group(way[0]) != self.group(at);
        let channels = match self.problem.rule {
            RouterRule::Minimal => self.class(packet.links, 2),
            RouterRule::Par(_) if at == packet.first && !leaves_group => self.class(0, 4),
            RouterRule::Par(_) => self.class(packet.links + 1, 4),
            _ => self.class(packet.links, 3),
        };
        if leaves_group {
            packet.links += 1;
        }
        Candidates::only(self.port_to(at, way[0]), channels)
    }

    fn group(&self, switch: u64) -> u64 {
        let RouterMachine::Dragonfly(p, a, h) = self.problem.machine else { unreachable!("a dragonfly") };
        (switch - p * a * (a * h + 1)) / a
    }

    /// The switches after `at` on the way to the first of another group.
    fn minimal_to_group(&self, at: u64, group: u64) -> Vec<u64> {
        let leads_there = |&&switch: &&u64| {
            self.group(switch) == self.group(at)
                && self.wiring.neighbours[&switch].iter().any(|&next| self.group(next) == group)
        };
        let exit = *self.wiring.neighbours.keys().find(leads_there).unwrap();
        let entrance =
            *self.wiring.neighbours[&exit].iter().find(|&&next| self.group(next) == group).unwrap();
        if exit == at { vec![entrance] } else { vec![exit, entrance] }
    }

    /// The switches after `at` on the minimal way to another.
    fn minimal(&self, at: u64, to: u64) -> Vec<u64> {
        if at == to {
            return vec![];
        }
        if self.group(at) == self.group(to) {
            return vec![to];
        }
        let mut way = self.minimal_to_group(at, self.group(to));
        if way.last() != Some(&to) {
            way.push(to);
        }
        way
    }

    /// The group by way of which a packet goes, if any (26.3.6, 30.3).
    fn drawn_group(&self, packet: &Packet, at: u64, to: u64, tag: u64) -> Option<u64> {
        let RouterMachine::Dragonfly(_, a, h) = self.problem.machine else { unreachable!("a dragonfly") };
        let groups = a * h + 1;
        if self.group(at) == self.group(to) || groups < 3 {
            return None;
        }
        let others: Vec<u64> =
            (0..groups).filter(|&group| group != self.group(at) && group != self.group(to)).collect();
        let drawn = others[usize::try_from(mix(packet.key ^ tag) % (groups - 2)).unwrap()];
        let (threshold, is_global) = match self.problem.rule {
            RouterRule::Ugal(threshold) | RouterRule::Par(threshold) => (threshold, false),
            RouterRule::UgalG(threshold) => (threshold, true),
            _ => return Some(drawn),
        };
        let minimal = self.minimal(at, to);
        let mut by_group = self.minimal_to_group(at, drawn);
        by_group.extend(self.minimal(*by_group.last().unwrap(), to));
        let queued = |way: &[u64]| {
            let there: u64 = if is_global {
                // The first link that leaves the group.
                let mut from = at;
                let exit = way.iter().find(|&&next| {
                    let leaves = self.group(next) != self.group(at);
                    if !leaves {
                        from = next;
                    }
                    leaves
                });
                let port = self.port_to(from, *exit.unwrap());
                self.credits_before[&(from, port)]
            } else {
                let outputs = &self.routers[&at].outputs[self.port_to(at, way[0])];
                outputs.iter().map(|own| own.credits).sum()
            };
            i128::from(self.problem.buffer * self.problem.channels as u64 - there) * way.len() as i128
        };
        (queued(&minimal) > queued(&by_group) + i128::from(threshold)).then_some(drawn)
    }
}
