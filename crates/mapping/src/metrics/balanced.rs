//! The loads of channels under a pattern of messages: by the routes taken, and if every message were split evenly
//! over all shortest routes (`docs/model.md` section 19).
//!
//! The split is exact up to the rounding of floating point; loads are added up in the order of the destinations, so that
//! they are the same in every run.

use cubefold_topology::{Channel, Machine, NodeId, TieRule, narrow};
use rayon::prelude::*;

/// The messages of a pattern: source, destination and weight, which is a size or a number of messages.
pub type PatternMessage = (NodeId, NodeId, u64);

/// The load of the busiest channel under a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelCongestion {
    /// By the routes that the messages take.
    pub routed: u64,
    /// If every message were split evenly over all its shortest routes.
    pub balanced: f64,
    /// The load of a channel if all channels of the machine were loaded equally: the least that shortest routes allow.
    pub mean: f64,
}

/// The channels of a machine, node by node, by the node at their end: parallel ones together.
struct ChannelList {
    firsts: Vec<usize>,
    ends: Vec<usize>,
    parallel: Vec<u32>, // by place: the number of parallel channels, at least 1
    before: Vec<Vec<(usize, usize)>>, // by node: the nodes with channels to it, and the places of these
    forwards: Vec<bool>, // by node
}

/// The destinations whose loads are summed in sequence before they are added to those of the others.
const DESTINATIONS_A_CHUNK: usize = 32;

impl ChannelCongestion {
    /// Returns the congestion of a pattern on a machine. Messages from a node to itself load nothing.
    ///
    /// # Complexity
    ///
    /// O(D (N + C)) for D destinations, N nodes and C channels, in parallel, and the lengths of all routes.
    #[must_use]
    pub fn of(machine: &Machine, messages: &[PatternMessage], tie: TieRule) -> Self {
        let channels = ChannelList::new(machine);
        let mut by_destination: Vec<PatternMessage> =
            messages.iter().copied().filter(|(source, destination, _)| source != destination).collect();
        by_destination.sort_unstable_by_key(|&(source, destination, _)| (destination, source));
        let directions = 2 * machine.axes().len();
        let place = |channel: Channel| match machine.graph() {
            Some(network) => {
                network.first_channel(channel.node.index()) as usize + channel.direction.dimension.index()
            }
            None => channel.node.index() as usize * directions + channel.direction.index(),
        };
        let places = machine
            .graph()
            .map_or(channels.firsts.len() * directions, |network| network.channel_ends().len());
        let mut routed = vec![0_u64; places];
        let mut total = 0_u64;
        for &(source, destination, weight) in &by_destination {
            for channel in machine.route(source, destination, tie) {
                routed[place(channel)] += weight;
                total += weight;
            }
        }
        let groups: Vec<&[PatternMessage]> = by_destination.chunk_by(|one, other| one.1 == other.1).collect();
        let of_chunk = |chunk: &[&[PatternMessage]]| {
            let mut loads = vec![0.0_f64; channels.ends.len()];
            for messages in chunk {
                channels.split(messages, &mut loads);
            }
            loads
        };
        let mut balanced = vec![0.0_f64; channels.ends.len()];
        // A few chunks at a time, so that their loads fit in memory.
        for chunks in groups.chunks(DESTINATIONS_A_CHUNK * 16) {
            let parts: Vec<Vec<f64>> = chunks.par_chunks(DESTINATIONS_A_CHUNK).map(of_chunk).collect();
            for part in parts {
                balanced.iter_mut().zip(part).for_each(|(sum, load)| *sum += load);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean is printed with a few digits")]
        let mean = total as f64
            / (channels.parallel.iter().map(|&links| u64::from(links)).sum::<u64>().max(1) as f64);
        let of_one = balanced.into_iter().zip(&channels.parallel).map(|(sum, &links)| sum / f64::from(links));
        Self { routed: routed.into_iter().max().unwrap_or(0), balanced: of_one.fold(0.0, f64::max), mean }
    }

    /// Whether the busiest channel carries much more by the routes taken than it would if they were balanced.
    #[must_use]
    pub fn is_far_from_even(&self) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a comparison with a factor")]
        let routed = self.routed as f64;
        routed >= 1.5 * self.balanced && routed >= self.balanced + 1.0
    }
}

impl ChannelList {
    fn new(machine: &Machine) -> Self {
        let (mut firsts, mut ends, mut parallel) = (vec![0], vec![], vec![]);
        for node in machine.nodes() {
            let mut neighbours: Vec<usize> = match machine.graph() {
                Some(network) => network.neighbours(node).iter().map(|next| next.index() as usize).collect(),
                None => machine.neighbours(node).map(|next| next.index() as usize).collect(),
            };
            neighbours.sort_unstable();
            for same in neighbours.chunk_by(|one, other| one == other) {
                ends.push(same[0]);
                parallel.push(narrow(same.len() as u64));
            }
            firsts.push(ends.len());
        }
        let mut before = vec![vec![]; firsts.len() - 1];
        for node in 0..before.len() {
            for place in firsts[node]..firsts[node + 1] {
                before[ends[place]].push((node, place));
            }
        }
        let stops = machine.graph().is_some_and(|network| !network.hosts_forward());
        let forwards = machine.nodes().map(|node| !stops || !machine.is_host(node)).collect();
        Self { firsts, ends, parallel, before, forwards }
    }

    fn of_node(&self, node: usize) -> std::ops::Range<usize> {
        self.firsts[node]..self.firsts[node + 1]
    }

    /// Adds the loads of messages to one destination, split over all shortest routes: at every node in proportion to the
    /// numbers of routes from the nearer neighbours. Parallel channels get theirs together.
    fn split(&self, messages: &[PatternMessage], loads: &mut [f64]) {
        let Some(&(_, destination, _)) = messages.first() else { return };
        let nodes = self.firsts.len() - 1;
        let (mut distances, mut routes) = (vec![u32::MAX; nodes], vec![0.0_f64; nodes]);
        let root = destination.index() as usize;
        (distances[root], routes[root]) = (0, 1.0);
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            if node != root && !self.forwards[node] {
                continue;
            }
            for &(other, place) in &self.before[node] {
                if distances[other] == u32::MAX {
                    distances[other] = distances[node] + 1;
                    order.push(other);
                }
                if distances[other] == distances[node] + 1 {
                    routes[other] += f64::from(self.parallel[place]) * routes[node];
                }
            }
        }
        let mut flow = vec![0.0_f64; nodes];
        for &(source, _, weight) in messages {
            #[expect(clippy::cast_precision_loss, reason = "loads are printed with a few digits")]
            let weight = weight as f64;
            flow[source.index() as usize] += weight;
        }
        for &node in order.iter().skip(1).rev() {
            if flow[node] > 0.0 {
                for place in self.of_node(node) {
                    let end = self.ends[place];
                    let leads_on = end == root || self.forwards[end];
                    if leads_on && distances[end].checked_add(1) == Some(distances[node]) {
                        let part = flow[node] * f64::from(self.parallel[place]) * routes[end] / routes[node];
                        loads[place] += part;
                        flow[end] += part;
                    }
                }
            }
        }
    }
}

/// The messages of an all-to-all among these nodes: one of weight 1 from each to every other.
#[must_use]
pub fn all_to_all_pattern(nodes: &[NodeId]) -> Vec<PatternMessage> {
    let from = |&source: &NodeId| nodes.iter().map(move |&destination| (source, destination, 1));
    nodes.iter().flat_map(from).filter(|(source, destination, _)| source != destination).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, Network, NetworkParameters, RouteChoice};

    fn all_to_all(machine: &Machine) -> ChannelCongestion {
        let nodes: Vec<NodeId> = machine.hosts().collect();
        ChannelCongestion::of(machine, &all_to_all_pattern(&nodes), TieRule::Direct)
    }

    #[test]
    fn twists_balance_an_all_to_all_as_published() {
        // The table of all-to-all: 128 and 73.33, 256 and 184.
        let plain = |lengths: &[u64]| all_to_all(&Machine::new(MachineKind::Torus, lengths).unwrap());
        let twisted = |lengths: &[u64], twists: [[u64; 3]; 3]| {
            all_to_all(&Machine::twisted_torus(lengths, &twists.map(Vec::from)).unwrap())
        };
        assert!((plain(&[4, 4, 8]).balanced - 128.0).abs() < 1e-9);
        assert!((plain(&[4, 8, 8]).balanced - 256.0).abs() < 1e-9);
        let fcc = twisted(&[4, 4, 8], [[0, 0, 4], [0, 0, 4], [0, 0, 0]]);
        assert!((fcc.balanced - 220.0 / 3.0).abs() < 1e-9, "{fcc:?}");
        assert!((fcc.mean - fcc.balanced).abs() < 1e-9);
        let bcc = twisted(&[4, 8, 8], [[0, 4, 4], [0, 0, 0], [0, 0, 0]]);
        assert!((bcc.balanced - 184.0).abs() < 1e-9, "{bcc:?}");
        assert!(bcc.routed > 184);
    }

    #[test]
    fn a_tree_of_two_levels_is_uneven_by_its_lowest_routes_and_even_by_chance() {
        let tree = NetworkParameters::leaf_spine(4, 4, 4);
        let tree = Machine::of_parameters(&tree).unwrap();
        let lowest = all_to_all(&tree);
        // 4 hosts send to 12 others, all over spine 0; or a quarter over each spine. A host's own link carries 15.
        assert_eq!((lowest.routed, lowest.balanced), (48, 15.0));
        assert!(lowest.is_far_from_even());
        let spread = all_to_all(&tree.with_route_choice(RouteChoice::Spread(1)));
        assert!(spread.routed < 30 && (spread.balanced - 15.0).abs() < 1e-9, "{spread:?}");
    }

    #[test]
    fn parallel_links_carry_a_part_each() {
        // Hosts 0 to 3, two on each of the switches 4 and 5, with four links between these.
        let links = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5), (4, 5), (4, 5), (4, 5)];
        let network = Network::from_parallel_edges(6, &links).unwrap().with_hosts(4);
        let trunk = Machine::network(MachineKind::Network, network).unwrap();
        // A host's own link carries 3. Messages to host 2 take link 2, those to host 3 link 3: 2 each.
        assert_eq!(all_to_all(&trunk), ChannelCongestion { routed: 3, balanced: 3.0, mean: 32.0 / 16.0 });
        let across: Vec<PatternMessage> =
            [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(from, to)| (NodeId::new(from), NodeId::new(to), 1)).into();
        let across = ChannelCongestion::of(&trunk, &across, TieRule::Direct);
        assert_eq!(across, ChannelCongestion { routed: 2, balanced: 2.0, mean: 12.0 / 16.0 });
    }

    #[test]
    fn messages_are_split_over_routes_that_they_may_take() {
        let of = |network: Network, messages: &[(u32, u32, u64)]| {
            let machine = Machine::network(MachineKind::Network, network).unwrap();
            let messages: Vec<PatternMessage> = messages
                .iter()
                .map(|&(from, to, units)| (NodeId::new(from), NodeId::new(to), units))
                .collect();
            ChannelCongestion::of(&machine, &messages, TieRule::Direct)
        };
        // From 2 to 0 along the one channel of a ring in one direction.
        let ring = Network::from_channels(3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
        assert_eq!(of(ring, &[(2, 0, 8)]), ChannelCongestion { routed: 8, balanced: 8.0, mean: 8.0 / 3.0 });
        // Hosts 0 to 5 do not forward: the short way from 2 to 4 by hosts 0 and 1 is none.
        let links = [(0, 6), (0, 7), (1, 6), (1, 7), (2, 6), (3, 6), (4, 7), (5, 7), (6, 8), (8, 9), (9, 7)];
        let network = Network::from_edges(10, &links).unwrap().with_hosts(6).with_hosts_forwarding(false);
        let congestion = of(network, &[(2, 4, 10), (3, 5, 10)]);
        assert_eq!((congestion.routed, congestion.balanced), (20, 20.0));
    }

    #[test]
    fn loads_of_one_message_are_split_over_its_routes() {
        let mesh = Machine::new(MachineKind::Mesh, &[2, 2]).unwrap();
        let [from, to] = [0, 3].map(NodeId::new);
        let congestion = ChannelCongestion::of(&mesh, &[(from, to, 6), (to, to, 9)], TieRule::Direct);
        assert_eq!(congestion, ChannelCongestion { routed: 6, balanced: 3.0, mean: 12.0 / 8.0 });
    }
}
