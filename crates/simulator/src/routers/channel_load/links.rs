//! The loads of links: the traffic to each destination is carried from router to router, the farthest first.

use cubefold_topology::{Machine, NodeId, narrow};
use smallvec::SmallVec;

use super::{fraction::Fraction, traffic::Traffic};
use crate::routers::{
    settings::RouterSettings,
    wiring::{End, Wiring},
};

/// The most steps for which loads are computed: some seconds.
const MAX_STEPS: u64 = 1 << 30;

/// The loads of the outputs of routers.
#[derive(Debug)]
pub(in crate::routers) struct LinkLoads<'run> {
    pub(super) traffic: &'run Traffic,
    pub(in crate::routers) machine: &'run Machine,
    pub(super) settings: &'run RouterSettings,
    hosts: &'run [NodeId],
    pub(in crate::routers) wiring: Wiring,
    pub(super) loads: Vec<Fraction>, // by port, among those of all routers
    amounts: Vec<Fraction>,          // by router, on its way
    left: Vec<u32>,                  // by router, links to the destination
}

/// Adds the expected loads of all traffic under a rule of routing.
pub(in crate::routers) type AddLinkLoads = fn(&mut LinkLoads<'_>) -> Result<(), NoLinkLoads>;

/// The reason why the loads of links are unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::routers) enum NoLinkLoads {
    /// They depend on the state of the network, or there is too much traffic to follow.
    NotFollowed,
    /// A fraction leaves 128 bits.
    LargeFraction,
}

/// The destination of a leg: a router, and the node by which the machine knows the way there.
#[derive(Debug, Clone, Copy)]
pub(in crate::routers) struct Target {
    pub(in crate::routers) router: u32,
    pub(in crate::routers) node: NodeId,
    /// A bit for each dimension in which the coordinate of the source is even; without it that of the router at hand
    /// counts.
    pub(in crate::routers) is_even: Option<u64>,
}

/// The links by which packets leave a router, all equally likely.
pub(in crate::routers) trait NextLinks {
    /// Their ports, among those of the router, if the target is at another router. `None` without such links.
    fn next(&self, wiring: &Wiring, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>>;
}

impl<'run> LinkLoads<'run> {
    /// The loads of all links.
    pub(super) fn of(
        traffic: &'run Traffic,
        machine: &'run Machine,
        settings: &'run RouterSettings,
        hosts: &'run [NodeId],
    ) -> Result<Self, NoLinkLoads> {
        let add = settings.routing.descriptor().link_loads.ok_or(NoLinkLoads::NotFollowed)?;
        let wiring = Wiring::new(machine, false);
        let count = wiring.router_count() as usize;
        let mut loads = Self {
            traffic,
            machine,
            settings,
            hosts,
            loads: vec![Fraction::ZERO; wiring.port_count()],
            amounts: vec![Fraction::ZERO; count],
            left: vec![u32::MAX; count],
            wiring,
        };
        add(&mut loads)?;
        Ok(loads)
    }

    /// Refuses traffic that takes too long to follow, at `steps` steps per pair with traffic.
    pub(super) fn check_pairs(&self, steps: u64) -> Result<(), NoLinkLoads> {
        let hosts = self.hosts.len() as u64;
        let pairs = if self.traffic.is_dense() { hosts * hosts } else { hosts };
        check_steps(pairs, steps)
    }

    /// Refuses machines on which it takes too long to carry traffic from all routers to all terminals.
    pub(super) fn check_size(&self) -> Result<(), NoLinkLoads> {
        check_steps(self.hosts.len() as u64, self.router_count())
    }

    pub(super) fn router_count(&self) -> u64 {
        self.amounts.len() as u64
    }

    /// The router of a terminal by its place among all.
    pub(super) fn router_of(&self, terminal: u32) -> u32 {
        let port = self.wiring.port_of_terminal(self.hosts[terminal as usize].index());
        self.wiring.router(port)
    }

    pub(super) fn terminals_by_router(&self) -> Vec<Vec<u32>> {
        let mut all = vec![vec![]; self.wiring.router_count() as usize];
        for terminal in 0..narrow(self.hosts.len() as u64) {
            all[self.router_of(terminal) as usize].push(terminal);
        }
        all
    }

    /// The node of a terminal by its place among all.
    pub(super) fn host(&self, terminal: u32) -> NodeId {
        self.hosts[terminal as usize]
    }

    /// Adds units that leave a router in the next leg.
    pub(super) fn put(&mut self, router: u32, units: Fraction) -> Option<()> {
        let amount = &mut self.amounts[router as usize];
        *amount = amount.plus(units)?;
        Some(())
    }

    /// Carries the units put at routers to a target.
    pub(super) fn carry(&mut self, links: &dyn NextLinks, target: Target) -> Option<()> {
        let count = self.amounts.len();
        self.amounts[target.router as usize] = Fraction::ZERO;
        self.left.fill(u32::MAX);
        self.left[target.router as usize] = 0;
        let mut by_distance: Vec<Vec<u32>> = vec![];
        for router in 0..narrow(count as u64) {
            if self.amounts[router as usize] == Fraction::ZERO {
                continue;
            }
            let left = self.links_left(links, router, target)? as usize;
            by_distance.resize(by_distance.len().max(left + 1), vec![]);
            by_distance[left].push(router);
        }
        for left in (1..by_distance.len()).rev() {
            for router in std::mem::take(&mut by_distance[left]) {
                let all = std::mem::replace(&mut self.amounts[router as usize], Fraction::ZERO);
                let ports = self.ports(links, router, target)?;
                let each = all.over(ports.len() as u128)?;
                for port in ports {
                    self.loads[port as usize] = self.loads[port as usize].plus(each)?;
                    let next = self.beyond(port)?;
                    if self.amounts[next as usize] == Fraction::ZERO && next != target.router {
                        by_distance[left - 1].push(next);
                    }
                    self.put(next, each)?;
                }
            }
        }
        self.amounts[target.router as usize] = Fraction::ZERO;
        Some(())
    }

    /// The links of a route to a target; all that are equally likely are equally long.
    fn links_left(&mut self, links: &dyn NextLinks, router: u32, target: Target) -> Option<u32> {
        let mut route = vec![];
        let mut at = router;
        while self.left[at as usize] == u32::MAX {
            route.push(at);
            if route.len() > self.left.len() {
                return None; // no rule leads in a circle
            }
            at = self.beyond(*self.ports(links, at, target)?.first()?)?;
        }
        let mut left = self.left[at as usize];
        for passed in route.into_iter().rev() {
            left += 1;
            self.left[passed as usize] = left;
        }
        Some(self.left[router as usize])
    }

    /// The router at the other end of a port.
    pub(super) fn beyond(&self, port: u32) -> Option<u32> {
        match self.wiring.leads_to(port) {
            End::Router(other) => Some(self.wiring.router(other)),
            End::Nothing | End::Terminal(_) => None,
        }
    }

    /// The ports, among those of all routers, by which packets leave a router that is not the target's.
    fn ports(&self, links: &dyn NextLinks, router: u32, target: Target) -> Option<SmallVec<[u32; 4]>> {
        let (first, _) = self.wiring.ports(router);
        let ports = links.next(&self.wiring, router, target)?;
        Some(ports.into_iter().map(|port| first + port).collect())
    }

    /// Adds traffic whose route follows from the router and the destination.
    pub(in crate::routers) fn add_directly(&mut self, links: &dyn NextLinks) -> Result<(), NoLinkLoads> {
        self.check_size()?;
        self.carry_directly(links).ok_or(NoLinkLoads::LargeFraction)
    }

    fn carry_directly(&mut self, links: &dyn NextLinks) -> Option<()> {
        let by_router = self.terminals_by_router();
        let has_parallels = self.has_parallel_links();
        // Which of parallel links a packet takes depends on its terminal; all else on the router alone.
        let targets = (0_u32..).zip(&by_router).flat_map(|(router, terminals)| {
            let alike = if has_parallels { 1 } else { terminals.len().max(1) };
            terminals.chunks(alike).map(move |terminals| (router, terminals))
        });
        for (router, terminals) in targets {
            let target = Target { router, node: self.host(terminals[0]), is_even: None };
            for &terminal in terminals {
                let (from_others, listed) = self.traffic.to(terminal);
                if from_others > Fraction::ZERO {
                    for (source, others) in (0_u32..).zip(&by_router).filter(|source| !source.1.is_empty()) {
                        let count = Fraction::new(others.len() as u128, 1)?;
                        let units = if others.len() == 1 { from_others } else { from_others.times(count)? };
                        self.put(source, units)?;
                    }
                }
                for &(source, units) in listed {
                    self.put(self.router_of(source), units)?;
                }
            }
            self.carry(links, target)?;
        }
        Some(())
    }

    /// Whether several links lead from a router to another.
    fn has_parallel_links(&self) -> bool {
        (0..self.wiring.router_count()).any(|router| {
            let (first, end) = self.wiring.ports(router);
            let mut beyond: Vec<u32> = (first..end).filter_map(|port| self.beyond(port)).collect();
            beyond.sort_unstable();
            beyond.windows(2).any(|pair| pair[0] == pair[1])
        })
    }

    /// Adds traffic whose routes also depend on their sources: `next` gives the port of a router on the route from one
    /// terminal to another.
    pub(in crate::routers) fn add_pairs(
        &mut self,
        next: impl Fn(&Self, u32, NodeId, NodeId) -> Option<u32>,
    ) -> Result<(), NoLinkLoads> {
        self.check_size()?;
        let added = self.traffic.for_each_pair(|from, to, units| {
            let target = self.router_of(to);
            let mut at = self.router_of(from);
            while at != target {
                let port = self.wiring.ports(at).0 + next(self, at, self.host(from), self.host(to))?;
                self.loads[port as usize] = self.loads[port as usize].plus(units)?;
                at = self.beyond(port)?;
            }
            Some(())
        });
        added.ok_or(NoLinkLoads::LargeFraction)
    }

    /// The loads of links by the nodes at their ends.
    pub(super) fn in_order(&self) -> Vec<(NodeId, NodeId, Fraction)> {
        let ports = (0_u32..).zip(&self.loads);
        let mut all: Vec<_> = ports
            .filter_map(|(port, &load)| {
                let to = self.wiring.node(self.beyond(port)?);
                Some((self.wiring.node(self.wiring.router(port)), to, load))
            })
            .collect();
        all.sort_by_key(|link| (link.0, link.1));
        all
    }
}

/// Refuses computations that take too long.
fn check_steps(count: u64, steps: u64) -> Result<(), NoLinkLoads> {
    if count.saturating_mul(steps) > MAX_STEPS { Err(NoLinkLoads::NotFollowed) } else { Ok(()) }
}
