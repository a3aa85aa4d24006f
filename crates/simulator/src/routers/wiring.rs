//! The ports of routers and their far ends (`docs/model.md` section 26.1).
//!
//! Routers and terminals are numbered from 0. A terminal has the number of its node; a router that of its node, or, where
//! hosts and switches are different nodes, the number of its switch. The ports of all routers follow one another.

use cubefold_topology::{Direction, Machine, NodeId, narrow};

use super::settings::has_switches;

/// The far end of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing: a line of a grid ends.
    Nothing,
    /// This port of another router, among those of all.
    Router(u32),
    /// This terminal.
    Terminal(u32),
}

/// The ports of all routers of a machine.
#[derive(Debug)]
pub(super) struct Wiring {
    first_ports: Vec<u32>, // by router; one more for the end of the last
    ends: Vec<End>,        // by port, among those of all routers
    owners: Vec<u32>,      // by port, its router
    terminals: Vec<u32>,   // by terminal, the port that it is joined to; `NONE` of one that is down
    switches: Option<u32>, // the node of the first router, if hosts are not routers
    places: Vec<u32>, // by port, that of its link among those of its node, `NONE` without an output; empty if the ports follow the links
    is_global: Vec<bool>, // by port, whether its link joins groups; empty unless that counts
    terminals_last: bool, // whether the terminal of a node has its last port, as on grids
}

impl Wiring {
    /// An unconnected port.
    pub(super) const NONE: u32 = u32::MAX;

    /// The wiring of a machine, with or without the links between the groups of a dragonfly apart.
    pub(super) fn new(machine: &Machine, tells_groups: bool) -> Self {
        let switches = has_switches(machine).then(|| narrow(machine.numbered_hosts()));
        let mut wiring = Self {
            first_ports: vec![0],
            ends: vec![],
            owners: vec![],
            terminals: vec![],
            is_global: vec![],
            places: vec![],
            switches,
            terminals_last: machine.grid().is_some(),
        };
        wiring.terminals = vec![Self::NONE; usize::try_from(machine.numbered_hosts()).unwrap_or(usize::MAX)];
        let nodes: Vec<Vec<Neighbour>> = machine
            .nodes()
            .skip(switches.unwrap_or(0) as usize)
            .map(|node| wiring.neighbours(machine, node))
            .collect();
        for neighbours in &nodes {
            let next = wiring.first_ports.last().map_or(0, |last| last + narrow(neighbours.len() as u64));
            wiring.first_ports.push(next);
        }
        for (router, neighbours) in (0..).zip(&nodes) {
            for (port, neighbour) in (wiring.first_ports[router as usize]..).zip(neighbours) {
                let end = wiring.end(port, *neighbour);
                wiring.ends.push(end);
                wiring.owners.push(router);
                if machine.is_directed() {
                    wiring.places.push(neighbour.place_of_link(machine, wiring.node(router)));
                }
                if tells_groups {
                    wiring.is_global.push(neighbour.is_beyond_group(machine, wiring.node(router)));
                }
            }
        }
        wiring
    }

    /// The neighbours of a router by port.
    fn neighbours(&self, machine: &Machine, node: NodeId) -> Vec<Neighbour> {
        let terminal = Neighbour::Terminal(node.index());
        if machine.grid().is_some() {
            let directions = Direction::all(machine.axes().len());
            let along = |direction| match machine.neighbour(node, direction) {
                Some(next) => Neighbour::Node { next, back: direction.opposite().index() },
                None => Neighbour::Nothing,
            };
            return directions.map(along).chain([terminal]).collect();
        }
        let Some(network) = machine.graph() else { return vec![] };
        let at_router = self.switches.is_none().then_some(terminal);
        let end = |(next, back): (NodeId, usize)| {
            if self.switches.is_some_and(|first| next.index() < first) {
                return Neighbour::Terminal(next.index());
            }
            Neighbour::Node { next, back: back + usize::from(self.switches.is_none()) }
        };
        if network.is_directed() {
            let joined = |of: NodeId| -> Vec<NodeId> {
                let mut all: Vec<NodeId> = network.neighbours(of).to_vec();
                all.extend(network.before(of).map(|link| link.1));
                all.sort_unstable();
                all.dedup();
                all
            };
            let back = |next: NodeId| (next, joined(next).partition_point(|&other| other < node));
            return at_router.into_iter().chain(joined(node).into_iter().map(back).map(end)).collect();
        }
        let back = |(port, &next): (usize, &NodeId)| {
            (next, network.opposite_channel(node, port) - network.first_channel(next.index()) as usize)
        };
        at_router.into_iter().chain(network.neighbours(node).iter().enumerate().map(back).map(end)).collect()
    }

    /// Returns the far end of a port, and records the port of a terminal there.
    fn end(&mut self, port: u32, neighbour: Neighbour) -> End {
        match neighbour {
            Neighbour::Nothing => End::Nothing,
            Neighbour::Terminal(terminal) => {
                self.terminals[terminal as usize] = port;
                End::Terminal(terminal)
            }
            Neighbour::Node { next, back } => {
                End::Router(self.first_ports[self.router_of(next) as usize] + narrow(back as u64))
            }
        }
    }

    pub(super) fn router_count(&self) -> u32 {
        narrow(self.first_ports.len() as u64 - 1)
    }

    pub(super) fn terminal_count(&self) -> u32 {
        narrow(self.terminals.len() as u64)
    }

    pub(super) fn port_count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn most_ports(&self) -> u32 {
        self.first_ports.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// The first port of a router, and the number of its ports.
    #[inline]
    pub(super) fn ports(&self, router: u32) -> (u32, u32) {
        let [first, end] = [0, 1].map(|next| self.first_ports[router as usize + next]);
        (first, end - first)
    }

    #[inline]
    pub(super) fn leads_to(&self, port: u32) -> End {
        self.ends[port as usize]
    }

    /// The routers to which the ports of a router lead, with the ports, ascending.
    pub(super) fn routers_beyond(&self, router: u32) -> impl Iterator<Item = (u32, NodeId)> + '_ {
        let (first, count) = self.ports(router);
        (0..count).filter_map(move |port| match self.leads_to(first + port) {
            End::Router(far) if self.has_output(first + port) => Some((port, self.node(self.router(far)))),
            End::Router(_) | End::Terminal(_) | End::Nothing => None,
        })
    }

    /// The place of a port's line among those of links inside groups and between them.
    #[inline]
    pub(super) fn line(&self, port: u32) -> usize {
        self.is_global.get(port as usize).map_or(0, |&is_global| usize::from(is_global))
    }

    #[inline]
    pub(super) fn router(&self, port: u32) -> u32 {
        self.owners[port as usize]
    }

    #[inline]
    pub(super) fn port_of_terminal(&self, terminal: u32) -> u32 {
        self.terminals[terminal as usize]
    }

    /// The router of a node that is one.
    fn router_of(&self, node: NodeId) -> u32 {
        node.index() - self.switches.unwrap_or(0)
    }

    #[inline]
    pub(super) fn node(&self, router: u32) -> NodeId {
        NodeId::new(router + self.switches.unwrap_or(0))
    }

    /// Whether flits can leave by a port that is joined to a router: links may lead in one direction.
    pub(super) fn has_output(&self, port: u32) -> bool {
        self.places.get(port as usize).is_none_or(|&place| place != Self::NONE)
    }

    /// The port of a router over the link at a place among those of its node.
    pub(super) fn port_over(&self, router: u32, place: u32) -> u32 {
        let (first, count) = self.ports(router);
        if self.places.is_empty() {
            return place + u32::from(!self.has_switches());
        }
        (0..count).find(|port| self.places[(first + port) as usize] == place).unwrap_or(0)
    }

    /// The place of a port, among those of all routers, among the links of its node; `None` of one that leads to no link of
    /// the machine.
    pub(super) fn place_of_link(&self, port: u32) -> Option<u32> {
        if let Some(&place) = self.places.get(port as usize) {
            return (place != Self::NONE).then_some(place);
        }
        let number = port - self.ports(self.router(port)).0;
        match self.leads_to(port) {
            End::Nothing => None,
            End::Terminal(_) => self.has_switches().then_some(number),
            End::Router(_) if self.has_switches() || self.terminals_last => Some(number),
            End::Router(_) => Some(number - 1),
        }
    }

    /// Whether hosts and routers are different nodes.
    pub(super) fn has_switches(&self) -> bool {
        self.switches.is_some()
    }

    /// Bytes for the ports of a machine.
    pub(super) fn bytes(routers: u64, ports: u64) -> u64 {
        let of_port = (size_of::<End>() + size_of::<u32>() + 2 * size_of::<Neighbour>()) as u64;
        ports.saturating_mul(of_port).saturating_add(routers.saturating_mul(40))
    }
}

/// The neighbour of a router at a port.
#[derive(Debug, Clone, Copy)]
enum Neighbour {
    Nothing,
    Terminal(u32),
    /// Another router, and the port that leads back.
    Node {
        next: NodeId,
        back: usize,
    },
}

impl Neighbour {
    /// The place of the link to it among those of a node; `NONE` if none leads there.
    fn place_of_link(self, machine: &Machine, node: NodeId) -> u32 {
        let next = match self {
            Self::Node { next, .. } => next,
            Self::Terminal(terminal) => NodeId::new(terminal),
            Self::Nothing => return Wiring::NONE,
        };
        let place = machine.neighbours(node).position(|other| other == next);
        place.map_or(Wiring::NONE, |place| narrow(place as u64))
    }

    /// Whether two switches of a dragonfly belong to different groups.
    fn is_beyond_group(self, machine: &Machine, node: NodeId) -> bool {
        matches!(self, Self::Node { next, .. } if machine.joins_groups(node, next))
    }
}
