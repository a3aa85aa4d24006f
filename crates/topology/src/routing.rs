//! Distances of regular networks by formula, so that their routes need no tables of n^2 entries (`docs/model.md`
//! sections 12 and 19).
//!
//! A [`RouteRule`] answers two questions of two nodes: their distance, and, where a formula has it, the number of
//! shortest routes. Which of the shortest routes a message takes is decided in [`Network`]: the neighbours
//! that are nearer are those whose distance is one less, so that the rules `lowest` and `spread` are the same with a
//! formula as with a search. A network that looks the same from all nodes ([`Symmetry`]) keeps the distances from one of
//! them.

use std::sync::OnceLock;

use crate::{
    Network, NodeId,
    switched::{Dragonfly, FatTree, HyperX},
    twisted::TwistedTorus,
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
    Dragonfly(Box<Dragonfly>),
}

/// The moves of a network to itself that bring any node to node 0.
#[derive(Debug)]
pub(crate) enum Symmetry {
    /// Of cube-connected cycles and wrapped butterflies of so many dimensions: rotation and exclusive or.
    Rotation(u32),
    /// Of a twisted torus: addition of coordinates.
    Translation(TwistedTorus),
}

/// What is known of the nodes from node 0, found when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct SymmetryTable {
    distances: OnceLock<Box<[u16]>>,
    routes: OnceLock<Box<[u64]>>,
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
            Self::ShuffleExchange(order) => Some(shuffle_exchange(*order, at, to)),
            Self::DeBruijn(order) => Some(de_bruijn(*order, at, to)),
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

    /// The neighbour of `at` with the lowest number that is nearer to `to`, another node, where it follows without a
    /// look at all neighbours.
    #[inline]
    pub(crate) fn lowest(&self, at: u32, to: u32) -> Option<u32> {
        match self {
            Self::FullMesh => Some(to),
            Self::HyperX(hyperx) => Some(hyperx.lowest(at, to)),
            Self::FatTree(tree) => tree.lowest(at, to),
            Self::Dragonfly(dragonfly) => dragonfly.lowest(at, to),
            Self::Searched
            | Self::Symmetric(..)
            | Self::Butterfly(_)
            | Self::ShuffleExchange(_)
            | Self::DeBruijn(_) => None,
        }
    }
}

impl Symmetry {
    /// The node to which `to` is moved when `at` is moved to node 0.
    #[inline]
    fn difference(&self, at: u32, to: u32) -> u32 {
        match self {
            Self::Rotation(order) => {
                let (n, word_mask) = (*order, (1 << order) - 1);
                let (i, j, word) = (at % n, to % n, (at / n) ^ (to / n));
                let rotated = (word >> i | word << (n - i)) & word_mask;
                let level = if j >= i { j - i } else { j + n - i };
                level + n * rotated
            }
            Self::Translation(torus) => torus.difference(at, to),
        }
    }
}

impl SymmetryTable {
    #[inline]
    fn distances(&self, network: &Network) -> &[u16] {
        self.distances.get_or_init(|| {
            let distances = network.distances_to(NodeId::new(0));
            distances.into_iter().map(|distance| distance.map_or(u16::MAX, short)).collect()
        })
    }

    fn routes(&self, network: &Network) -> &[u64] {
        self.routes.get_or_init(|| network.routes_to(NodeId::new(0)).routes)
    }
}

/// A distance of a regular network.
pub(crate) fn short(distance: u32) -> u16 {
    u16::try_from(distance).unwrap_or(u16::MAX)
}

/// A shortest walk along a line of levels from one to another that crosses given gaps: those of the bits, or digits, in
/// which two nodes of a butterfly, or of a tree of switches, differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelWalk {
    from: u32,
    to: u32,
    low: u32,  // the lowest level that it visits
    high: u32, // the highest
}

impl LevelWalk {
    /// Returns the walk between two levels that crosses the gaps from level `gaps.0` to level `gaps.1 + 1`.
    pub(crate) fn new(from: u32, to: u32, gaps: Option<(u32, u32)>) -> Self {
        let (mut low, mut high) = (from.min(to), from.max(to));
        if let Some((first, last)) = gaps {
            low = low.min(first);
            high = high.max(last + 1);
        }
        Self { from, to, low, high }
    }

    /// Its length down first, and up first.
    fn lengths(self) -> [u32; 2] {
        let Self { from, to, low, high } = self;
        [(from - low) + (high - low) + (high - to), (high - from) + (high - low) + (to - low)]
    }

    /// Its length \[links\].
    pub(crate) fn length(self) -> u32 {
        let [down, up] = self.lengths();
        down.min(up)
    }

    /// The number of ways to go it, where a gap crossed once leads to one node, and every further crossing of it multiplies
    /// the ways by `choices`.
    pub(crate) fn ways(self, choices: u64) -> u64 {
        let [down, up] = self.lengths();
        let is_both = down == up && self.low < self.from && self.from < self.high;
        let repeated = self.length() - (self.high - self.low);
        choices.saturating_pow(repeated).saturating_mul(1 + u64::from(is_both))
    }
}

/// Two nodes `(i, x)` and `(j, y)` of a butterfly.
struct Butterfly(LevelWalk);

impl Butterfly {
    #[inline]
    fn new(order: u32, at: u32, to: u32) -> Self {
        let levels = order + 1;
        let word = (at / levels) ^ (to / levels);
        let gaps = (word != 0).then(|| (word.trailing_zeros(), word.ilog2()));
        Self(LevelWalk::new(at % levels, to % levels, gaps))
    }

    fn distance(&self) -> u32 {
        self.0.length()
    }

    fn route_count(&self) -> u64 {
        self.0.ways(2)
    }
}

/// The distance of two words of a shuffle-exchange network: for every rotation in all, the bits that then differ are
/// exchanged on the way, a walk round a cycle of positions that visits them.
fn shuffle_exchange(order: u32, x: u32, y: u32) -> u32 {
    let mask = (1 << order) - 1;
    let rotated = |word: u32, by: u32| (word << by | word >> (order - by)) & mask;
    // After `turn` rotations to the left, position 0 holds bit -turn of x.
    let of_turn = |turn: u32| {
        let word = rotated(x, turn) ^ y;
        // The exchanges happen where a bit is last: position p of the result is last after `turn - p` rotations.
        let mut visits = 0;
        let mut rest = word;
        while rest != 0 {
            let p = rest.trailing_zeros();
            visits |= 1 << ((turn + order - p) % order);
            rest &= rest - 1;
        }
        word.count_ones() + walk_round(order, turn % order, visits)
    };
    (0..order).map(of_turn).min().unwrap_or(0)
}

/// The length of a shortest walk on a cycle of `length` positions from 0 to `to` that visits those of the mask.
fn walk_round(length: u32, to: u32, visits: u32) -> u32 {
    let below = |position: u32| (1_u32 << position) - 1;
    let mut shortest = if to == 0 { length } else { u32::MAX };
    for gap in 0..length {
        // The walk does not cross from position `gap` to the next: upwards it reaches `up`, downwards `down`.
        let (lower, upper) = (visits & below(gap + 1), visits & !below(gap + 1));
        let up = if lower == 0 { 0 } else { lower.ilog2() };
        let down = if upper == 0 { 0 } else { length - upper.trailing_zeros() };
        let cost = if to <= gap {
            let up = up.max(to);
            (2 * down + up + (up - to)).min(2 * up + down + down + to)
        } else {
            let end = length - to;
            let down = down.max(end);
            (2 * up + down + (down - end)).min(2 * down + up + up + end)
        };
        shortest = shortest.min(cost);
    }
    shortest
}

/// The distance of two words of an undirected de Bruijn network: a common block of `m` bits, `s` places apart, stays,
/// and all else is shifted out, which takes `2 (n - m) - |s|` shifts; `n` where no block stays (Pradhan & Reddy 1982).
fn de_bruijn(order: u32, x: u32, y: u32) -> u32 {
    let longest_run = |mut bits: u32| {
        let mut length = 0;
        while bits != 0 {
            bits &= bits << 1;
            length += 1;
        }
        length
    };
    let of_shift = |shift: u32| {
        let mask = (1_u32 << (order - shift)) - 1;
        let run = longest_run(!(x >> shift ^ y) & mask).max(longest_run(!(x ^ y >> shift) & mask));
        // Without a block that stays, all bits go.
        if run == 0 { order } else { 2 * (order - run) - shift }
    };
    (0..order).map(of_shift).min().unwrap_or(0).min(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, MachineKind, NetworkParameters, RouteChoice, TieRule};

    /// Machines of every family with up to 2^10 nodes.
    fn machines() -> Vec<Machine> {
        let mut machines = vec![];
        for kind in MachineKind::ALL {
            let orders = kind.network_dimensions().into_iter().flatten();
            let made = orders.map(|order| Machine::of_dimensions(kind, order).unwrap());
            machines.extend(made.take_while(|machine| machine.node_count() <= 1 << 10));
        }
        let shapes: [&[u64]; 6] = [&[2], &[5], &[3, 4], &[2, 2, 2], &[4, 2, 3], &[6, 6]];
        let mut parameters: Vec<NetworkParameters> = shapes
            .iter()
            .map(|shape| NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch: 2 })
            .collect();
        parameters.extend([2, 3, 9, 40].map(|nodes| NetworkParameters::FullMesh { nodes }));
        for (p, a, h) in [(1, 1, 1), (2, 1, 3), (1, 2, 1), (2, 4, 2), (1, 3, 3), (3, 6, 2), (1, 2, 5)] {
            parameters.push(NetworkParameters::Dragonfly {
                hosts_per_switch: p,
                switches_per_group: a,
                global_links: h,
            });
        }
        for (leaves, hosts_per_switch, spines) in [(1, 2, 1), (2, 1, 3), (4, 3, 2), (8, 8, 8), (5, 2, 7)] {
            parameters.push(NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines });
        }
        for (arity, levels) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 3), (4, 3), (5, 2), (6, 3)] {
            parameters.push(NetworkParameters::KAryTree { arity, levels });
        }
        machines.extend(parameters.iter().map(|own| Machine::of_parameters(own).unwrap()));
        let twisted: [(&[u64], &[&[u64]]); 7] = [
            (&[4, 4, 8], &[&[0, 0, 4], &[0, 0, 4], &[0, 0, 0]]),
            (&[4, 8, 8], &[&[0, 4, 4], &[0, 0, 0], &[0, 0, 0]]),
            (&[6, 4], &[&[0, 1], &[0, 0]]),
            (&[3, 5], &[&[0, 0], &[2, 0]]),
            (&[2, 6], &[&[0, 3], &[0, 0]]),
            (&[2, 3, 4], &[&[0, 1, 3], &[0, 0, 0], &[0, 0, 0]]),
            // One wraparound adds to a dimension whose own adds again: searched.
            (&[4, 4, 4], &[&[0, 2, 0], &[0, 0, 1], &[0, 0, 0]]),
        ];
        machines.extend(twisted.map(|(lengths, twists)| {
            let twists: Vec<Vec<u64>> = twists.iter().map(|twist| twist.to_vec()).collect();
            Machine::twisted_torus(lengths, &twists).unwrap()
        }));
        machines
    }

    #[test]
    fn formulas_have_the_distances_and_routes_of_a_search() {
        for machine in machines() {
            let network = machine.graph().unwrap();
            let rule = network.rule();
            let (mut formulas, mut counted) = (0, 0);
            for to in machine.nodes().step_by(if machine.node_count() > 300 { 7 } else { 1 }) {
                let searched = network.distances_to(to);
                let counts = network.routes_to(to);
                for at in machine.nodes() {
                    let place = at.index() as usize;
                    let Some(distance) = rule.distance(network, at.index(), to.index()) else { continue };
                    formulas += 1;
                    assert_eq!(Some(distance), searched[place], "{:?} {at} {to}", machine.source());
                    if let Some(count) = rule.route_count(network, at.index(), to.index()) {
                        assert_eq!(count, counts.routes[place], "{:?} {at} {to}", machine.source());
                        counted += 1;
                    }
                    if let Some(lowest) = rule.lowest(at.index(), to.index()).filter(|_| at != to) {
                        let nearer = |next: &&NodeId| searched[next.index() as usize] < searched[place];
                        let expected = network.neighbours(at).iter().find(nearer).unwrap();
                        assert_eq!(lowest, expected.index(), "{:?} {at} {to}", machine.source());
                    }
                }
            }
            let is_searched = matches!(rule, RouteRule::Searched);
            assert_eq!(formulas > 0, !is_searched);
            assert_eq!(counted > 0, !is_searched && !rule.is_slow());
        }
    }

    #[test]
    fn routes_by_chance_are_shortest_and_all_equally_likely() {
        for machine in machines().into_iter().filter(|machine| machine.node_count() <= 64) {
            let machine = machine.with_route_choice(RouteChoice::Spread(7));
            for (from, to) in machine.nodes().flat_map(|from| machine.nodes().map(move |to| (from, to))) {
                let links = machine.route(from, to, TieRule::Direct).count() as u64;
                assert_eq!(links, machine.distance(from, to));
            }
        }
        // From host 0 to host 5 of a tree of 3 leaves and 4 spines, by every spine as often as by another.
        let tree = NetworkParameters::LeafSpine { leaves: 3, hosts_per_switch: 2, spines: 4 };
        let tree = Machine::of_parameters(&tree).unwrap();
        let [from, to] = [0, 5].map(NodeId::new);
        let mut by_spine = [0; 4];
        for seed in 0..4000 {
            let machine = tree.clone().with_route_choice(RouteChoice::Spread(seed));
            let spine = machine.route(from, to, TieRule::Direct).nth(2).unwrap().node;
            by_spine[spine.index() as usize - 9] += 1;
        }
        assert!(by_spine.iter().all(|count| (900..1100).contains(count)), "{by_spine:?}");
        // From a corner of a cube to the opposite one: six routes.
        let cube = Machine::new(MachineKind::Hypercube, &[2; 4]).unwrap();
        let cube = cube.with_failures(&[], &[NodeId::new(15)]).unwrap();
        let mut routes = std::collections::BTreeMap::new();
        for seed in 0..6000 {
            let machine = cube.clone().with_route_choice(RouteChoice::Spread(seed));
            let route = machine.route(NodeId::new(0), NodeId::new(7), TieRule::Direct);
            *routes.entry(route.map(|channel| channel.node).collect::<Vec<_>>()).or_insert(0) += 1;
        }
        assert_eq!(routes.len(), 6);
        assert!(routes.values().all(|count| (900..1100).contains(count)), "{routes:?}");
    }
}
