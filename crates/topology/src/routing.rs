//! Distances of regular networks by formula, so that their routes need no tables of n^2 entries (`docs/model.md`
//! sections 12 and 19).
//!
//! A [`RouteRule`] answers questions of two nodes: their distance, which link of a shortest route leads to the neighbour
//! with the lowest number, and, where a formula has it, the number of shortest routes. The rules `lowest` and `spread` are
//! the same with a formula as with a search, whose neighbours that are nearer are those whose distance is one less. A
//! network that looks the same from all nodes ([`Symmetry`]) keeps what is known from one of them.

mod bit_runs;
mod cycle_walk;
mod de_bruijn;
mod drawn_walks;
mod hop;
mod level_walk;
mod rotation;
mod route_graph;
mod route_hash;
mod route_steps;
mod shift_walk;
mod shuffle_exchange;
mod symmetry;

pub(crate) use self::route_steps::CodeWriter;
pub use self::route_steps::RouteSteps;
pub(crate) use self::{
    bit_runs::{ones, place_of, places},
    hop::{ChannelNumbers, Hop},
    level_walk::LevelWalk,
    rotation::Rotation,
    route_graph::NearerWord,
    route_hash::{Draw, RouteHash},
    shuffle_exchange::MAX_ORDER as MAX_SHUFFLE_EXCHANGE_ORDER,
    symmetry::{Symmetry, SymmetryTable},
};
use self::{
    de_bruijn::DeBruijn, level_walk::Butterfly, route_graph::RouteGraph, shuffle_exchange::ShuffleExchange,
};
use crate::{
    Network, RouteChoice, narrow,
    network::Moving,
    switched::{Dragonfly, FatTree, HyperX, KeepsRoutes},
};

/// The greatest number of shortest routes that is counted: sums over the neighbours of a node stay below 2^64.
pub(crate) const MAX_ROUTE_COUNT: u64 = 1 << 48;

/// How distances in a network are found.
#[derive(Debug)]
pub(crate) enum RouteRule {
    /// By search.
    Searched,
    /// All nodes are linked.
    FullMesh,
    /// By the distances from node 0, to which every pair of nodes can be moved.
    Symmetric(Symmetry, SymmetryTable),
    /// A butterfly of so many dimensions.
    Butterfly(u32),
    /// Words of so many bits, linked by rotation and by exchange.
    ShuffleExchange(u32),
    /// Words of so many bits, linked by shifts.
    DeBruijn(u32),
    /// Switches on the lines of a grid.
    HyperX(HyperX),
    /// Levels of switches.
    FatTree(FatTree),
    /// Groups of switches.
    Dragonfly(Dragonfly),
}

impl RouteRule {
    /// Returns the rule of a symmetric network.
    pub(crate) fn symmetric(symmetry: Symmetry) -> Self {
        Self::Symmetric(symmetry, SymmetryTable::default())
    }

    /// The distance between two nodes of `network`, whose rule this is \[links\]; none where only a search finds it.
    #[inline]
    pub(crate) fn distance(&self, network: &Network, at: u32, to: u32) -> Option<u32> {
        match self {
            Self::Searched => None,
            Self::FullMesh => Some(u32::from(at != to)),
            Self::Symmetric(symmetry, table) => {
                Some(table.distances(network)[symmetry.difference(at, to) as usize].into())
            }
            Self::Butterfly(order) => Some(Butterfly::new(*order, at, to).distance()),
            Self::ShuffleExchange(order) => Some(ShuffleExchange::new(*order, at, to).distance()),
            Self::DeBruijn(order) => Some(DeBruijn::new(*order, at, to).distance()),
            Self::HyperX(hyperx) => Some(hyperx.distance(at, to)),
            Self::FatTree(tree) => Some(tree.distance(at, to)),
            Self::Dragonfly(dragonfly) => Some(dragonfly.distance(at, to)),
        }
    }

    /// The number of shortest routes between two nodes, at most [`MAX_ROUTE_COUNT`]; none where only a search finds it.
    pub(crate) fn route_count(&self, network: &Network, at: u32, to: u32) -> Option<u64> {
        let count = match self {
            Self::Searched | Self::ShuffleExchange(_) | Self::DeBruijn(_) => return None,
            Self::FullMesh => 1,
            Self::Symmetric(symmetry, table) => table.routes(network)[symmetry.difference(at, to) as usize],
            Self::Butterfly(order) => Butterfly::new(*order, at, to).route_count(),
            Self::HyperX(hyperx) => hyperx.route_count(at, to),
            Self::FatTree(tree) => tree.route_count(at, to),
            Self::Dragonfly(dragonfly) => dragonfly.route_count(at, to),
        };
        Some(count.min(MAX_ROUTE_COUNT))
    }

    /// Whether tables of routes are faster where they are small: a formula takes many steps.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::Searched | Self::ShuffleExchange(_) | Self::DeBruijn(_))
    }

    /// The lowest port of `at` that leads nearer to `to`, another node, where it follows without a look at all neighbours.
    #[inline]
    pub(crate) fn lowest_port(&self, network: &Network, at: u32, to: u32) -> Option<u16> {
        let next = match self {
            Self::Searched => return None,
            Self::FullMesh => return u16::try_from(to - u32::from(to > at)).ok(),
            Self::Symmetric(symmetry, table) => return table.lowest_port(symmetry, network, at, to),
            Self::FatTree(tree) => return tree.alike_ports(at, to).map(|(port, _)| port),
            Self::Butterfly(order) => Butterfly::new(*order, at, to).lowest().next,
            Self::ShuffleExchange(order) => ShuffleExchange::lowest(*order, at, to),
            Self::DeBruijn(order) => DeBruijn::new(*order, at, to).lowest(),
            Self::HyperX(hyperx) => hyperx.next(at, to, || 0).next,
            Self::Dragonfly(dragonfly) => dragonfly.next(at, to, || 0).next,
        };
        network.port_to(at, next)
    }

    /// A bit for each port of `at` that leads nearer to `to`, in bytes from the lowest on, where they are known at once.
    #[inline]
    pub(crate) fn nearer_ports(&self, network: &Network, at: u32, to: u32) -> Option<u64> {
        let Self::Symmetric(symmetry, table) = self else { return None };
        table.nearer_ports(symmetry, network, at, to)
    }

    /// The ports of `at` that lead nearer to `to`, another node, where they lie side by side and equally many shortest
    /// routes begin with each: the first, and how many they are.
    #[inline]
    pub(crate) fn alike_ports(&self, at: u32, to: u32) -> Option<(u16, u64)> {
        let Self::FatTree(tree) = self else { return None };
        tree.alike_ports(at, to)
    }

    /// The links of the route from `from` to `to` over the lowest neighbours, and how many they are, where finding them
    /// together takes less than one after the other.
    pub(crate) fn steps(&self, from: u32, to: u32) -> Option<(u32, RouteSteps)> {
        match self {
            Self::ShuffleExchange(order) => Some(ShuffleExchange::steps(*order, from, to)),
            Self::DeBruijn(order) => Some(DeBruijn::new(*order, from, to).steps()),
            Self::Butterfly(_) | Self::FatTree(_) => self.steps_by_chance(from, to, |_| 0),
            _ => None,
        }
    }

    /// The links of a route from `from` to `to` that is drawn by a hash of each node on it, and how many they are, where
    /// finding them together takes less than one after the other. Hashes of 0 draw the lowest neighbours.
    pub(crate) fn steps_by_chance(
        &self,
        from: u32,
        to: u32,
        hash: impl Fn(u32) -> u64,
    ) -> Option<(u32, RouteSteps)> {
        match self {
            Self::ShuffleExchange(order) => {
                let (links, routes) = ShuffleExchange::routes(*order, from, to);
                Some((links, drawn_walks::draw(routes, links, hash)))
            }
            Self::DeBruijn(order) => {
                let (links, routes) = DeBruijn::new(*order, from, to).routes();
                Some((links, drawn_walks::draw(routes, links, hash)))
            }
            Self::Butterfly(order) => Some(Butterfly::new(*order, from, to).steps(hash)),
            Self::FatTree(tree) => tree.steps(from, to, hash),
            Self::HyperX(hyperx) if hyperx.keeps_routes() => Some(hyperx.steps(from, to, hash)),
            Self::Dragonfly(dragonfly) if dragonfly.keeps_routes() => Some(dragonfly.steps(from, to, hash)),
            Self::Searched | Self::FullMesh | Self::Symmetric(..) | Self::HyperX(_) | Self::Dragonfly(_) => {
                None
            }
        }
    }

    /// The neighbours of `at` that are nearer to `to`, ascending, with the numbers of shortest routes from them, where all
    /// shortest routes are found together.
    pub(crate) fn nearer_words(&self, at: u32, to: u32) -> Option<Vec<NearerWord>> {
        match self {
            Self::ShuffleExchange(order) => {
                let (links, routes) = ShuffleExchange::routes(*order, at, to);
                Some(RouteGraph::new(routes, links).first().collect())
            }
            Self::DeBruijn(order) => {
                let (links, routes) = DeBruijn::new(*order, at, to).routes();
                Some(RouteGraph::new(routes, links).first().collect())
            }
            _ => None,
        }
    }

    /// The distance between two nodes \[links\], and what goes along with a message over the lowest neighbours, or by a route
    /// that is drawn; none where nothing does.
    pub(crate) fn set_out(
        &self,
        network: &Network,
        [from, to]: [u32; 2],
        drawn: Option<RouteHash>,
    ) -> Option<(u32, RouteSteps)> {
        match (self, drawn) {
            (Self::Symmetric(symmetry, table), _) => {
                let difference = symmetry.difference(from, to);
                let links = table.distances(network)[difference as usize].into();
                Some((links, RouteSteps::of_number(difference, drawn)))
            }
            (Self::FullMesh, _) => Some((u32::from(from != to), RouteSteps::default())),
            (_, Some(hash)) => self.steps_by_chance(from, to, |at| hash.at(at)),
            (Self::ShuffleExchange(_) | Self::DeBruijn(_), None) => self.steps(from, to),
            (_, None) => self.steps_by_chance(from, to, |_| 0),
        }
    }

    /// The bits of a link of [`Self::steps`].
    #[inline]
    pub(crate) fn step_bits(&self) -> u32 {
        match self {
            Self::FatTree(tree) => tree.step_bits(),
            Self::HyperX(hyperx) => hyperx.step_bits(),
            Self::Dragonfly(_) => RouteSteps::HOP_BITS,
            _ => RouteSteps::FEW_LINKS_BITS,
        }
    }

    /// Takes the next link of [`Self::steps`], and returns the node behind it.
    #[inline]
    pub(crate) fn take_step(&self, at: u32, steps: &mut RouteSteps) -> u32 {
        match self {
            Self::HyperX(hyperx) => return hyperx.take_step(at, steps).next,
            Self::Dragonfly(dragonfly) => return dragonfly.take_step(at, steps).next,
            _ => {}
        }
        let code = steps.take_code(self.step_bits());
        let [step, ..] = code.to_le_bytes();
        match self {
            Self::ShuffleExchange(order) => shuffle_exchange::after(*order, at, step),
            Self::DeBruijn(order) => de_bruijn::after(*order, at, step),
            Self::Butterfly(order) => Butterfly::hop(Butterfly::levels(*order), at, step).next,
            Self::FatTree(tree) => tree.hop(at, code).next,
            _ => at,
        }
    }

    /// The numbers of channels for [`Self::advance`]; none where links follow only from lists of neighbours.
    pub(crate) fn channel_numbers(&self, network: &Network) -> Option<ChannelNumbers> {
        let of_all = |codes| Some(ChannelNumbers { single: 0, codes });
        match self {
            Self::Searched => None,
            Self::Symmetric(symmetry, table) => {
                of_all(narrow(table.numbered_links(symmetry, network)? as u64))
            }
            Self::FullMesh => of_all(narrow(network.node_count()) - 1),
            Self::Butterfly(_) => of_all(Butterfly::CODES),
            Self::ShuffleExchange(_) => of_all(shuffle_exchange::STEPS),
            Self::DeBruijn(_) => of_all(de_bruijn::STEPS),
            Self::HyperX(hyperx) => Some(hyperx.channel_numbers()),
            Self::FatTree(tree) => Some(tree.channel_numbers()),
            Self::Dragonfly(dragonfly) => Some(dragonfly.channel_numbers()),
        }
    }

    /// Moves messages between hosts that are not at their destinations over the next links of their routes; where
    /// [`Self::channel_numbers`] has the numbers of channels.
    pub(crate) fn advance<const LINKS: bool>(
        &self,
        network: &Network,
        choice: RouteChoice,
        moving: Moving<'_, LINKS>,
    ) {
        // The family is looked at once for all messages.
        match self {
            Self::Searched => {}
            Self::Symmetric(symmetry, table) => table.advance(symmetry, network, choice, moving),
            Self::FullMesh => moving.each_there_and_back(
                |message| {
                    let (at, to) = message.ends();
                    Hop { code: to - u32::from(to > at), next: to }
                },
                |at, hop| at - u32::from(at > hop.next),
            ),
            Self::Butterfly(order) => {
                let levels = Butterfly::levels(*order);
                moving.each_there_and_back(
                    |message| message.cross(|at, steps| Butterfly::hop(levels, at, steps.take())),
                    |_, hop| Butterfly::back(hop),
                );
            }
            Self::ShuffleExchange(order) => moving.each(
                |message| message.cross(|at, steps| shuffle_exchange::hop(*order, at, steps.take())),
                |at, hop| shuffle_exchange::link(*order, at, hop),
            ),
            Self::DeBruijn(order) => moving.each(
                |message| message.cross(|at, steps| de_bruijn::hop(*order, at, steps.take())),
                |at, hop| de_bruijn::link(*order, at, hop.next),
            ),
            Self::HyperX(hyperx) => hyperx.advance(choice, moving),
            Self::FatTree(tree) => {
                let bits = tree.step_bits();
                moving.each_there_and_back(
                    |message| message.cross(|at, steps| tree.hop(at, steps.take_code(bits))),
                    |at, hop| tree.back(at, hop),
                );
            }
            Self::Dragonfly(dragonfly) => dragonfly.advance(choice, moving),
        }
    }
}

/// A distance of a regular network.
pub(crate) fn short(distance: u32) -> u16 {
    u16::try_from(distance).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests;
