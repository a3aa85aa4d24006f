//! Links and nodes that are down, drawn at random (`docs/model.md` section 19).
//!
//! Links and nodes fail in a random order; one without which the machine would fall apart is passed over. The order depends
//! on the key and the machine alone, so that more failures are those of fewer and some more.

use cubefold_topology::{Machine, MachineError, NodeId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// The reason for which a number of links or nodes cannot be down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{asked} {what} down, expected at most {greatest}: without one more the machine falls apart")]
pub struct TooManyFailuresError {
    /// The number asked for.
    pub asked: u64,
    /// `links` or `nodes`.
    pub what: &'static str,
    /// The most of the order drawn that leave routes between all others.
    pub greatest: u64,
}

/// Returns `machine` with `count` links down, drawn by `key`.
///
/// # Errors
///
/// When fewer can be down without the machine falling apart.
pub fn with_failed_links(
    machine: &Machine,
    count: u64,
    key: [u8; 32],
) -> Result<Machine, TooManyFailuresError> {
    let all = machine.nodes().flat_map(|one| machine.neighbours(one).map(move |other| (one, other)));
    let mut links: Vec<(NodeId, NodeId)> = all.filter(|(one, other)| one < other).collect();
    links.dedup(); // parallel links fail together
    fail(machine, count, "links", links, key, |machine, &link| machine.with_failures(&[link], &[]))
}

/// Returns `machine` with `count` nodes down, drawn by `key`.
///
/// # Errors
///
/// When fewer can be down without the machine falling apart.
pub fn with_failed_nodes(
    machine: &Machine,
    count: u64,
    key: [u8; 32],
) -> Result<Machine, TooManyFailuresError> {
    let up = |node: &NodeId| machine.failures().is_none_or(|failures| !failures.nodes.contains(node));
    let nodes: Vec<NodeId> = machine.nodes().filter(up).collect();
    fail(machine, count, "nodes", nodes, key, |machine, &node| machine.with_failures(&[], &[node]))
}

fn fail<T>(
    machine: &Machine,
    count: u64,
    what: &'static str,
    mut candidates: Vec<T>,
    key: [u8; 32],
    without: impl Fn(&Machine, &T) -> Result<Machine, MachineError>,
) -> Result<Machine, TooManyFailuresError> {
    let mut generator = ChaCha12Rng::from_seed(key);
    let (mut machine, mut failed) = (machine.clone(), 0);
    for place in 0..candidates.len() {
        if failed == count {
            break;
        }
        let drawn = generator.random_range(place..candidates.len());
        candidates.swap(place, drawn);
        if let Ok(less) = without(&machine, &candidates[place]) {
            machine = less;
            failed += 1;
        }
    }
    if failed < count {
        return Err(TooManyFailuresError { asked: count, what, greatest: failed });
    }
    Ok(machine)
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
        let tree = NetworkParameters::LeafSpine { leaves: 3, hosts_per_switch: 2, spines: 2 };
        let tree = Machine::of_parameters(&tree).unwrap();
        // Every leaf keeps its hosts and a spine: at most 6 - 3 links above, or 1 less with both spines to join them.
        let error = with_failed_links(&tree, 12, [3; 32]).unwrap_err();
        assert!((2..=3).contains(&error.greatest), "{error}");
        for count in 0..=error.greatest {
            let machine = with_failed_links(&tree, count, [3; 32]).unwrap();
            assert_eq!((machine.host_count(), machine.link_count()), (6, 12 - count));
        }
        let mesh = Machine::new(MachineKind::Mesh, &[3, 3]).unwrap();
        let machine = with_failed_nodes(&mesh, 4, [5; 32]).unwrap();
        assert_eq!(machine.host_count(), 5);
        assert_eq!(machine.hosts().filter(|&host| machine.distance(NodeId::new(0), host) > 8).count(), 0);
    }
}
