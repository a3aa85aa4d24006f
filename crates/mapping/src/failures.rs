//! Links and nodes that are down, drawn at random (`docs/model.md` section 19).
//!
//! Links and nodes fail in a random order; a failure that would divide the machine is skipped. The order depends
//! on the key and the machine alone, so that a larger set of failures contains a smaller one.

use std::collections::VecDeque;

use cubefold_topology::{Machine, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// A reason why a number of links or nodes cannot be down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooManyFailuresError {
    /// The machine would be divided.
    #[error("{asked} {what} down, expected at most {greatest}: without one more the machine falls apart")]
    FallsApart {
        /// The number asked for.
        asked: u64,
        /// `links` or `nodes`.
        what: &'static str,
        /// The greatest number in the order drawn that leaves routes between all others.
        greatest: u64,
    },
    /// Nearly every draw would divide a large machine.
    #[error(
        "{asked} {what} down by chance, of which {found} were found: nearly every other divides the machine, expected fewer or a list"
    )]
    TooManyDivide {
        /// The number asked for.
        asked: u64,
        /// `links` or `nodes`.
        what: &'static str,
        /// The number found so far.
        found: u64,
    },
}

/// The most nodes that are visited to check whether failures divide a machine, about a second.
const MAX_VISITS: u64 = 1 << 27;

/// Returns `machine` with `count` links down, drawn by `key`.
///
/// # Errors
///
/// When fewer can be down without dividing the machine, or nearly every draw would divide a large machine.
pub fn with_failed_links(
    machine: &Machine,
    count: u64,
    key: [u8; 32],
) -> Result<Machine, TooManyFailuresError> {
    let mut working = Working::new(machine);
    let links = links(machine);
    let failed = fail(&mut working, count, "links", links, key, |working, &link| working.stop_link(link))?;
    Ok(machine.with_failures(&failed, &[]).unwrap_or_else(|_| machine.clone())) // an error is ruled out by `working`
}

/// The links of a machine by their ends, the lower first; parallel ones, which fail together, once.
fn links(machine: &Machine) -> Vec<(NodeId, NodeId)> {
    let all = machine.nodes().flat_map(|one| machine.neighbours(one).map(move |other| (one, other)));
    let mut links: Vec<(NodeId, NodeId)> = all.filter(|(one, other)| one < other).collect();
    links.dedup();
    links
}

/// Returns `machine` with `count` nodes down, drawn by `key`.
///
/// # Errors
///
/// As [`with_failed_links`].
pub fn with_failed_nodes(
    machine: &Machine,
    count: u64,
    key: [u8; 32],
) -> Result<Machine, TooManyFailuresError> {
    let up = |node: &NodeId| machine.failures().is_none_or(|failures| !failures.nodes.contains(node));
    let nodes: Vec<NodeId> = machine.nodes().filter(up).collect();
    let mut working = Working::new(machine);
    let failed = fail(&mut working, count, "nodes", nodes, key, |working, &node| working.stop_node(node))?;
    Ok(machine.with_failures(&[], &failed).unwrap_or_else(|_| machine.clone())) // an error is ruled out by `working`
}

/// Draws candidates in a random order until `count` have failed; `stop` returns whether one may.
fn fail<T: Copy>(
    working: &mut Working,
    count: u64,
    what: &'static str,
    mut candidates: Vec<T>,
    key: [u8; 32],
    stop: impl Fn(&mut Working, &T) -> bool,
) -> Result<Vec<T>, TooManyFailuresError> {
    let mut generator = ChaCha12Rng::from_seed(key);
    let mut failed = vec![];
    for place in 0..candidates.len() {
        if failed.len() as u64 == count {
            break;
        }
        if working.visits > MAX_VISITS {
            let found = failed.len() as u64;
            return Err(TooManyFailuresError::TooManyDivide { asked: count, what, found });
        }
        let drawn = generator.random_range(place..candidates.len());
        candidates.swap(place, drawn);
        if stop(working, &candidates[place]) {
            failed.push(candidates[place]);
        }
    }
    let greatest = failed.len() as u64;
    if greatest < count {
        return Err(TooManyFailuresError::FallsApart { asked: count, what, greatest });
    }
    Ok(failed)
}

/// The working links and nodes of a machine, whose hosts are all connected.
struct Working {
    neighbours: Vec<Vec<usize>>, // by node
    is_host: Vec<bool>,          // by node
    hosts: u64,
    seen: Vec<u64>, // by node: the search that saw it last
    searches: u64,
    visits: u64, // of nodes, by all searches
}

impl Working {
    fn new(machine: &Machine) -> Self {
        let index = |node: NodeId| node.index() as usize;
        let neighbours: Vec<Vec<usize>> =
            machine.nodes().map(|node| machine.neighbours(node).map(index).collect()).collect();
        let mut is_host = vec![false; neighbours.len()];
        machine.hosts().for_each(|host| is_host[index(host)] = true);
        let seen = vec![0; neighbours.len()];
        Self { neighbours, is_host, hosts: machine.host_count(), seen, searches: 0, visits: 0 }
    }

    /// Takes a link down, unless that would divide the hosts; returns whether it is down.
    fn stop_link(&mut self, (one, other): (NodeId, NodeId)) -> bool {
        let [one, other] = [one, other].map(|node| node.index() as usize);
        let before = [self.neighbours[one].clone(), self.neighbours[other].clone()];
        self.neighbours[one].retain(|&next| next != other);
        self.neighbours[other].retain(|&next| next != one);
        if self.connects(&[one, other]) {
            return true;
        }
        [self.neighbours[one], self.neighbours[other]] = before;
        false
    }

    /// Takes a node down, unless that would divide the other hosts or leave fewer than two; returns whether it is down.
    fn stop_node(&mut self, node: NodeId) -> bool {
        let node = node.index() as usize;
        let lost = u64::from(self.is_host[node]);
        if self.hosts - lost < 2 {
            return false;
        }
        let ends = std::mem::take(&mut self.neighbours[node]);
        for &end in &ends {
            self.neighbours[end].retain(|&next| next != node);
        }
        let was_host = std::mem::replace(&mut self.is_host[node], false);
        self.hosts -= lost;
        if self.connects(&ends) {
            return true;
        }
        self.hosts += lost;
        self.is_host[node] = was_host;
        for &end in &ends {
            self.neighbours[end].push(node);
        }
        self.neighbours[node] = ends;
        false
    }

    /// Whether the hosts are all connected, given that they were before something between these nodes went down.
    ///
    /// Every part of the machine has one of the nodes. They are usually still near each other, so a search from one ends
    /// when it has reached the others; a search that does not reach them has seen all of its part.
    fn connects(&mut self, ends: &[usize]) -> bool {
        let mut left: Vec<usize> = ends.to_vec();
        // Ends with fewer links are more likely to be cut off.
        left.sort_by_key(|&end| (std::cmp::Reverse(self.neighbours[end].len()), end));
        left.dedup();
        while left.len() > 1 {
            let Some(start) = left.pop() else { break };
            let hosts = self.search(start, &mut left);
            if left.is_empty() || hosts == self.hosts {
                return true;
            }
            if hosts > 0 {
                return false;
            }
        }
        // The last part has all hosts, or is the only one.
        true
    }

    /// Visits the part of a node until `ends` is empty, removing from it the nodes reached; returns the hosts seen.
    fn search(&mut self, start: usize, ends: &mut Vec<usize>) -> u64 {
        self.searches += 1;
        let (mut queue, mut hosts) = (VecDeque::from([start]), 0);
        self.seen[start] = self.searches;
        while let Some(node) = queue.pop_front() {
            self.visits += 1;
            hosts += u64::from(self.is_host[node]);
            ends.retain(|&end| end != node);
            if ends.is_empty() {
                break;
            }
            for &next in &self.neighbours[node] {
                if self.seen[next] != self.searches {
                    self.seen[next] = self.searches;
                    queue.push_back(next);
                }
            }
        }
        hosts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{MachineKind, NetworkParameters};

    #[test]
    fn more_failures_are_fewer_and_some_more() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let links = |count| {
            let machine = with_failed_links(&torus, count, [1; 32]).unwrap();
            machine.failures().map_or_else(Vec::new, |failures| failures.links.clone())
        };
        let [three, five] = [3, 5].map(links);
        assert_eq!((links(0).len(), three.len(), five.len()), (0, 3, 5));
        assert!(three.iter().all(|link| five.contains(link)));
        let other = with_failed_links(&torus, 3, [2; 32]).unwrap();
        assert_ne!(other.failures().unwrap().links, three);
    }

    #[test]
    fn what_would_divide_the_machine_stays_up() {
        let tree = NetworkParameters::leaf_spine(3, 2, 2);
        let tree = Machine::of_parameters(&tree).unwrap();
        // Every leaf keeps its hosts and a spine: at most 6 - 3 links above, or 1 less with both spines to join them.
        let error = with_failed_links(&tree, 12, [3; 32]).unwrap_err();
        let TooManyFailuresError::FallsApart { greatest, .. } = error else { panic!("{error}") };
        assert!((2..=3).contains(&greatest), "{error}");
        for count in 0..=greatest {
            let machine = with_failed_links(&tree, count, [3; 32]).unwrap();
            assert_eq!((machine.host_count(), machine.link_count()), (6, 12 - count));
        }
        let mesh = Machine::new(MachineKind::Mesh, &[3, 3]).unwrap();
        let machine = with_failed_nodes(&mesh, 4, [5; 32]).unwrap();
        assert_eq!(machine.host_count(), 5);
        let first = machine.hosts().next().unwrap();
        assert!(machine.hosts().all(|host| machine.distance(first, host) <= 8));
    }

    /// Failures drawn one by one, each tried on the machine itself.
    fn slowly<T: Copy>(
        machine: &Machine,
        mut candidates: Vec<T>,
        key: [u8; 32],
        without: impl Fn(&Machine, T) -> Option<Machine>,
    ) -> Vec<Machine> {
        let mut generator = ChaCha12Rng::from_seed(key);
        let mut all = vec![machine.clone()];
        for place in 0..candidates.len() {
            let drawn = generator.random_range(place..candidates.len());
            candidates.swap(place, drawn);
            let less = all.last().and_then(|machine| without(machine, candidates[place]));
            all.extend(less);
        }
        all
    }

    #[test]
    fn failures_are_those_that_leave_routes_on_the_machine_itself() {
        let tree = NetworkParameters::leaf_spine(3, 2, 3);
        let fly = NetworkParameters::dragonfly(2, 2, 1);
        let machines = [
            Machine::new(MachineKind::Torus, &[4, 3]).unwrap(),
            Machine::new(MachineKind::Line, &[7]).unwrap(),
            Machine::of_parameters(&tree).unwrap(),
            Machine::of_parameters(&fly).unwrap(),
            Machine::of_dimensions(MachineKind::DeBruijn, 4).unwrap(),
        ];
        for (machine, seed) in machines.iter().flat_map(|machine| (0..8).map(move |seed| (machine, seed))) {
            let key = [seed; 32];
            let pairs =
                machine.nodes().flat_map(|one| machine.neighbours(one).map(move |other| (one, other)));
            let links: Vec<(NodeId, NodeId)> = pairs.filter(|(one, other)| one < other).collect();
            let by_links =
                slowly(machine, links, key, |machine, link| machine.with_failures(&[link], &[]).ok());
            let by_nodes = slowly(machine, machine.nodes().collect(), key, |machine, node| {
                machine.with_failures(&[], &[node]).ok()
            });
            for (count, expected) in (0..).zip(&by_links) {
                assert_eq!(&with_failed_links(machine, count, key).unwrap(), expected);
            }
            for (count, expected) in (0..).zip(&by_nodes) {
                assert_eq!(&with_failed_nodes(machine, count, key).unwrap(), expected);
            }
            let [links, nodes] = [by_links.len(), by_nodes.len()].map(|count| count as u64);
            let greatest = |error| match error {
                TooManyFailuresError::FallsApart { greatest, .. } => greatest + 1,
                other @ TooManyFailuresError::TooManyDivide { .. } => panic!("{other}"),
            };
            assert_eq!(greatest(with_failed_links(machine, links, key).unwrap_err()), links);
            assert_eq!(greatest(with_failed_nodes(machine, nodes, key).unwrap_err()), nodes);
        }
    }

    #[test]
    fn a_thousand_links_fail_on_a_large_torus_within_a_few_visits_each() {
        let torus = Machine::new(MachineKind::Torus, &[128, 128]).unwrap();
        let mut working = Working::new(&torus);
        let links = links(&torus);
        let failed =
            fail(&mut working, 1000, "links", links, [1; 32], |working, &link| working.stop_link(link));
        assert_eq!(failed.unwrap().len(), 1000);
        assert!(working.visits < 100_000, "{} visits", working.visits);
    }

    #[test]
    fn a_machine_that_nearly_every_failure_divides_is_refused_early() {
        let line = Machine::new(MachineKind::Line, &[1 << 16]).unwrap();
        let error = with_failed_nodes(&line, 3, [1; 32]).unwrap_err();
        assert!(matches!(error, TooManyFailuresError::TooManyDivide { .. }), "{error}");
    }
}
