//! Networks that look the same from all nodes: what is known of node 0 is known of all.

use std::sync::OnceLock;

use prefetch_index::prefetch_index;

use super::{Draw, Hop, Rotation, RouteSteps, short};
use crate::{Network, NodeId, RouteChoice, network::Moving, twisted::TwistedTorus};

/// The moves of a network to itself that bring any node to node 0.
#[derive(Debug)]
pub(crate) enum Symmetry {
    /// Of cube-connected cycles and wrapped butterflies of so many dimensions: rotation and exclusive or.
    Rotation(Rotation),
    /// Of a twisted torus: addition of coordinates.
    Translation(TwistedTorus),
}

/// What is known of the nodes from node 0, found when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct SymmetryTable {
    distances: OnceLock<Box<[u16]>>,
    routes: OnceLock<Box<[u64]>>,
    links: OnceLock<Option<LinkTable>>,
}

/// Which links lead nearer. The links of all nodes have the numbers of those of node 0 to which they are moved.
#[derive(Debug)]
struct LinkTable {
    /// The ends of the links of node 0.
    ends: Box<[u32]>,
    /// For every node, a bit for each link of node 0 that leads nearer to it.
    nearer: Box<[u8]>,
    /// For every class of nodes, the bits of their links in the order of their ports, in bytes from the lowest on.
    ports: Box<[u64]>,
    /// For every node, the ends of its links by their bits; empty where these take less to compute than to look up.
    neighbours: Box<[u32]>,
    /// For every link of node 0, the one that leads back; as far.
    back: Box<[u8]>,
}

/// The most links of a node whose bits are kept.
const MAX_LINKS: usize = 8;

/// What a byte is multiplied with to be in every byte of a word.
const EVERY_BYTE: u64 = u64::MAX / 0xff;

impl Symmetry {
    /// The node to which `to` is moved when `at` is moved to node 0.
    #[inline]
    pub(super) fn difference(&self, at: u32, to: u32) -> u32 {
        match self {
            Self::Rotation(rotation) => rotation.difference(rotation.split(at), rotation.split(to)),
            Self::Translation(torus) => torus.difference(at, to),
        }
    }

    /// The class of a node: in a class links to the same ends, seen from the node, are in the same order.
    #[inline]
    fn class(&self, at: u32) -> u32 {
        match self {
            Self::Rotation(rotation) => rotation.class(rotation.split(at)),
            Self::Translation(_) => at,
        }
    }

    /// The first node of every class, by class; node 0 for a class without nodes.
    fn representatives(&self, nodes: u32) -> Vec<u32> {
        let Self::Rotation(rotation) = self else { return (0..nodes).collect() };
        let mut representatives = vec![0; rotation.classes() as usize];
        for node in (0..nodes).rev() {
            representatives[self.class(node) as usize] = node;
        }
        representatives
    }
}

impl SymmetryTable {
    #[inline]
    pub(super) fn distances(&self, network: &Network) -> &[u16] {
        self.distances.get_or_init(|| {
            let distances = network.searched_distances_to(NodeId::new(0));
            distances.into_iter().map(|distance| distance.map_or(u16::MAX, short)).collect()
        })
    }

    #[inline]
    pub(super) fn routes(&self, network: &Network) -> &[u64] {
        self.routes.get_or_init(|| network.routes_to(NodeId::new(0)).routes)
    }

    /// Which links lead nearer; none where that has to be searched for.
    #[inline]
    fn links(&self, symmetry: &Symmetry, network: &Network) -> Option<&LinkTable> {
        self.links.get_or_init(|| LinkTable::new(symmetry, self, network)).as_ref()
    }

    /// How many links a node has, where they have the same numbers for all nodes.
    pub(super) fn numbered_links(&self, symmetry: &Symmetry, network: &Network) -> Option<usize> {
        Some(self.links(symmetry, network)?.ends.len())
    }

    /// Moves messages over the links to the lowest of the neighbours that are nearer, or to those that are drawn, where
    /// [`Self::numbered_links`] are known.
    ///
    /// A message keeps what its destination is moved to when the node that it is at is moved to node 0.
    pub(super) fn advance<const LINKS: bool>(
        &self,
        symmetry: &Symmetry,
        network: &Network,
        choice: RouteChoice,
        moving: Moving<'_, LINKS>,
    ) {
        let Some(links) = self.links(symmetry, network) else { return };
        match (symmetry, choice) {
            (Symmetry::Rotation(rotation), RouteChoice::Lowest) => {
                links.advance_rotated::<false, LINKS>(*rotation, &[], moving);
            }
            (Symmetry::Rotation(rotation), RouteChoice::Spread(_)) => {
                links.advance_rotated::<true, LINKS>(*rotation, self.routes(network), moving);
            }
            (Symmetry::Translation(_), RouteChoice::Lowest) => {
                links.advance_translated::<false, LINKS>(&[], moving);
            }
            (Symmetry::Translation(_), RouteChoice::Spread(_)) => {
                links.advance_translated::<true, LINKS>(self.routes(network), moving);
            }
        }
    }

    /// A bit for each port of `at` that leads nearer to `to`, in bytes from the lowest on; none where they have to be
    /// searched for.
    #[inline]
    pub(super) fn nearer_ports(
        &self,
        symmetry: &Symmetry,
        network: &Network,
        at: u32,
        to: u32,
    ) -> Option<u64> {
        let links = self.links(symmetry, network)?;
        let nearer = links.nearer[symmetry.difference(at, to) as usize];
        Some(links.ports[symmetry.class(at) as usize] & (u64::from(nearer) * EVERY_BYTE))
    }

    /// The lowest port of `at` that leads nearer to `to`, another node; none where it has to be searched for.
    #[inline]
    pub(super) fn lowest_port(
        &self,
        symmetry: &Symmetry,
        network: &Network,
        at: u32,
        to: u32,
    ) -> Option<u16> {
        let ports = self.nearer_ports(symmetry, network, at, to)?;
        u16::try_from(ports.trailing_zeros() / u8::BITS).ok()
    }
}

impl LinkTable {
    /// The table, on the thread that asks first: a thread that shared the work with others could take up work of theirs
    /// that waits for the table. None where nodes have many links, or different numbers of them.
    fn new(symmetry: &Symmetry, table: &SymmetryTable, network: &Network) -> Option<Self> {
        let links = network.neighbours(NodeId::new(0));
        if links.len() > MAX_LINKS {
            return None;
        }
        let distances = table.distances(network);
        let nodes = u32::try_from(network.node_count()).ok()?;
        let bits = || links.iter().enumerate().map(|(bit, end)| (1_u8 << bit, end.index()));
        let nearer = |to: u32| -> u8 {
            let is_nearer =
                |end: u32| distances[symmetry.difference(end, to) as usize] < distances[to as usize];
            bits().filter(|&(_, end)| is_nearer(end)).map(|(bit, _)| bit).sum()
        };
        let ports = |at: u32| -> Option<u64> {
            let bit = |next: &NodeId| {
                let moved = symmetry.difference(at, next.index());
                bits().find(|&(_, end)| end == moved).map(|(bit, _)| u64::from(bit))
            };
            let own = network.neighbours(NodeId::new(at)).iter().take(MAX_LINKS);
            own.enumerate().try_fold(0, |sum, (port, next)| Some(sum | bit(next)? << (8 * port)))
        };
        let mut table = Self {
            ends: links.iter().map(|end| end.index()).collect(),
            nearer: (0..nodes).map(nearer).collect(),
            ports: symmetry.representatives(nodes).into_iter().map(ports).collect::<Option<_>>()?,
            neighbours: Box::default(),
            back: Box::default(),
        };
        table.back = table.ways_back(symmetry)?;
        if let Symmetry::Translation(_) = symmetry {
            table.neighbours = table.neighbours_by_bits(network);
        }
        Some(table)
    }

    /// Moves messages in a network that is moved by rotation, over the lowest links or, given the numbers of routes to all
    /// nodes, over links that are drawn: a node has few links, and where they lead to takes less to compute than to look up.
    fn advance_rotated<const DRAWS: bool, const LINKS: bool>(
        &self,
        rotation: Rotation,
        routes: &[u64],
        moving: Moving<'_, LINKS>,
    ) {
        let Self { nearer, ports, ends, .. } = self;
        for message in &*moving.messages {
            prefetch_index(nearer, message.steps().number() as usize);
        }
        let mut split_ends = [(0, 0); MAX_LINKS];
        for (split, &end) in split_ends.iter_mut().zip(ends) {
            *split = rotation.split(end);
        }
        let next = |at: u32, steps: &mut RouteSteps| {
            let difference = steps.number();
            let nearer = u64::from(nearer[difference as usize]) * EVERY_BYTE;
            let (node, difference) = (rotation.split(at), rotation.split(difference));
            let after = |code: u32| rotation.difference(split_ends[code as usize], difference);
            let nearer = ports[rotation.class(node) as usize] & nearer;
            let code = if DRAWS {
                drawn(nearer, || steps.hash().at(at), |code| routes[after(code) as usize])
            } else {
                lowest(nearer)
            };
            *steps = steps.with_number(after(code));
            Hop { code, next: rotation.sum(node, split_ends[code as usize]) }
        };
        moving.each_there_and_back(|message| message.cross(next), |_, hop| self.back_of(hop));
    }

    /// The same in a network that is moved by addition: a link takes its end off what its destination is moved to, which the
    /// link that leads back does in turn.
    fn advance_translated<const DRAWS: bool, const LINKS: bool>(
        &self,
        routes: &[u64],
        moving: Moving<'_, LINKS>,
    ) {
        let Self { nearer, ports, neighbours, back, ends } = self;
        let links = ends.len();
        for message in &*moving.messages {
            let (at, difference) = (message.ends().0 as usize, message.steps().number() as usize);
            prefetch_index(ports, at);
            prefetch_index(nearer, difference);
            prefetch_index(neighbours, at * links);
            prefetch_index(neighbours, difference * links);
        }
        let next = |at: u32, steps: &mut RouteSteps| {
            let difference = steps.number() as usize;
            let nearer = ports[at as usize] & (u64::from(nearer[difference]) * EVERY_BYTE);
            let after = |code: u32| neighbours[difference * links + usize::from(back[code as usize])];
            let code = if DRAWS {
                drawn(nearer, || steps.hash().at(at), |code| routes[after(code) as usize])
            } else {
                lowest(nearer)
            };
            *steps = steps.with_number(after(code));
            Hop { code, next: neighbours[at as usize * links + code as usize] }
        };
        moving.each_there_and_back(|message| message.cross(next), |_, hop| self.back_of(hop));
    }

    /// The code of the link back.
    #[inline]
    fn back_of(&self, hop: Hop) -> u32 {
        self.back[hop.code as usize].into()
    }

    /// [`Self::neighbours`], from the bits of the ports.
    fn neighbours_by_bits(&self, network: &Network) -> Box<[u32]> {
        let links = self.ends.len();
        let mut neighbours = vec![0; self.ports.len() * links];
        for ((row, bits), at) in neighbours.chunks_mut(links).zip(&self.ports).zip(0..) {
            for (bit, next) in bits.to_le_bytes().iter().zip(network.neighbours(NodeId::new(at))) {
                row[bit.trailing_zeros() as usize] = next.index();
            }
        }
        neighbours.into()
    }

    /// [`Self::back`]: seen from the end of a link, where it begins is node 0 seen from there.
    fn ways_back(&self, symmetry: &Symmetry) -> Option<Box<[u8]>> {
        let leads_back = |&end: &u32| {
            let moved = symmetry.difference(end, 0);
            u8::try_from(self.ends.iter().position(|&other| other == moved)?).ok()
        };
        self.ends.iter().map(leads_back).collect()
    }
}

/// The link with the lowest port of those that lead nearer, whose bits are in bytes by port.
#[inline]
fn lowest(nearer: u64) -> u32 {
    nearer.trailing_zeros() % u8::BITS
}

/// The link that is drawn of those that lead nearer, whose bits are in bytes by port, given the hash of the node and the number
/// of shortest routes behind each link.
#[inline]
fn drawn(nearer: u64, hash: impl FnOnce() -> u64, routes: impl Fn(u32) -> u64) -> u32 {
    if nearer.is_power_of_two() {
        return lowest(nearer);
    }
    let (mut weights, mut total, mut rest) = ([0; MAX_LINKS], 0_u64, nearer);
    for weight in &mut weights {
        if rest == 0 {
            break;
        }
        *weight = routes(lowest(rest));
        total += *weight; // at most 8 numbers of at most 2^48
        rest &= rest - 1;
    }
    let (mut draw, mut rest) = (Draw::new(hash(), total), nearer);
    for weight in weights {
        if draw.falls_on(weight) {
            break;
        }
        rest &= rest - 1;
    }
    lowest(rest)
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use crate::{Machine, MachineKind, NodeId, RouteChoice};

    #[test]
    fn many_threads_may_ask_first_for_what_is_known_of_all_nodes() {
        for order in [3, 4, 5].repeat(30) {
            let machine = Machine::of_dimensions(MachineKind::CubeConnectedCycles, order).unwrap();
            let network = machine.graph().unwrap();
            let last = NodeId::new(u32::try_from(machine.node_count()).unwrap() - 1);
            let nodes: Vec<NodeId> = machine.nodes().filter(|&node| node != last).collect();
            let next = |&at: &NodeId| network.next(RouteChoice::Lowest, at, at, last);
            let first: Vec<_> = nodes.par_iter().map(next).collect();
            let again: Vec<_> = nodes.iter().map(next).collect();
            assert!(first == again && first.iter().all(Option::is_some));
        }
    }
}
