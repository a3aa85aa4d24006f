//! Closed forms, and bisections of the literature.

use super::*;
use crate::{Machine, NodeId};

#[test]
fn networks_without_hosts_or_too_large_cannot_be_made() {
    let hyperx = |shape: &[u64], hosts_per_switch| {
        NetworkParameters::HyperX { shape: shape.to_vec(), hosts_per_switch }.is_makeable()
    };
    assert!(hyperx(&[2, 3], 1) && hyperx(&[2], 1));
    assert!(!hyperx(&[], 4) && !hyperx(&[4, 1], 4) && !hyperx(&[4, 4], 0));
    assert!(hyperx(&[1 << 10], 1 << 10) && !hyperx(&[1 << 10], 1 << 11) && !hyperx(&[u64::MAX; 3], 1));
    let tree = |arity, levels| NetworkParameters::k_ary_tree(arity, levels).is_makeable();
    assert!(tree(2, 1) && tree(4, 9) && !tree(1, 4) && !tree(2, 0) && !tree(4, 11) && !tree(u64::MAX, 2));
    let mesh = |nodes| NetworkParameters::FullMesh { nodes }.is_makeable();
    assert!(mesh(2) && !mesh(1) && mesh(1 << 14) && !mesh(1 << 15));
}

/// Nodes, links, the greatest distance of two hosts, and the sum of the distances of all pairs of hosts.
fn figures(parameters: &NetworkParameters) -> (u64, u64, u64, u64) {
    let machine = Machine::of_parameters(parameters).unwrap();
    let pairs = machine.hosts().flat_map(|one| machine.hosts().map(move |other| (one, other)));
    let distances: Vec<u64> = pairs.map(|(one, other)| machine.distance(one, other)).collect();
    let sum = distances.iter().sum();
    (machine.node_count(), machine.link_count(), distances.into_iter().max().unwrap(), sum)
}

/// The sum of the distances of all pairs of `switches p` hosts, given the `sum` over all pairs of switches.
fn with_hosts(switches: u64, p: u64, sum: u64) -> u64 {
    // Two links to the switches, but for a host and itself.
    let hosts = switches * p;
    p * p * sum + 2 * hosts * (hosts - 1)
}

#[test]
fn full_meshes_have_their_closed_forms() {
    for nodes in 2..20 {
        let parameters = NetworkParameters::FullMesh { nodes };
        assert_eq!(figures(&parameters), (nodes, nodes * (nodes - 1) / 2, 1, nodes * (nodes - 1)));
        assert_eq!((parameters.node_count(), parameters.link_count()), (nodes, nodes * (nodes - 1) / 2));
    }
}

#[test]
fn hyperx_has_its_closed_forms() {
    for (a, b, c, p) in (2..5)
        .flat_map(|a| (2..5).flat_map(move |b| (2..4).flat_map(move |c| (1..4).map(move |p| (a, b, c, p)))))
    {
        let parameters = NetworkParameters::HyperX { shape: vec![a, b, c], hosts_per_switch: p };
        let switches = a * b * c;
        let links = switches * (a - 1 + b - 1 + c - 1) / 2 + switches * p;
        // Two random switches differ in dimension i with probability (k - 1) / k.
        let sum = switches * switches * 3 - switches * (switches / a + switches / b + switches / c);
        let expected = (switches * (p + 1), links, 5, with_hosts(switches, p, sum));
        assert_eq!(figures(&parameters), expected);
        assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, links));
    }
}

#[test]
fn dragonflies_have_their_closed_forms() {
    for (p, a, h) in (1..3).flat_map(|p| (1..6).flat_map(move |a| (1..4).map(move |h| (p, a, h)))) {
        let parameters = NetworkParameters::dragonfly(p, a, h);
        let (groups, switches) = (a * h + 1, a * (a * h + 1));
        let links = switches * p + groups * a * (a - 1) / 2 + groups * (groups - 1) / 2;
        let (nodes, found_links, diameter, _) = figures(&parameters);
        assert_eq!((nodes, found_links), (switches * (p + 1), links), "{p} {a} {h}");
        assert_eq!((parameters.node_count(), parameters.link_count()), (nodes, links));
        // Inside the group, to another group, and inside that: at most three links between switches.
        assert!((3..=5).contains(&diameter), "{p} {a} {h}: {diameter}");
        // Every two groups are linked once, every switch to h other groups.
        let machine = Machine::of_parameters(&parameters).unwrap();
        let group = |node: NodeId| (u64::from(node.index()) - switches * p) / a;
        let mut between = std::collections::BTreeSet::new();
        for (one, other) in machine.graph().unwrap().links() {
            if u64::from(one.index()) >= switches * p && group(one) != group(other) {
                assert!(between.insert((group(one), group(other))));
            }
        }
        assert_eq!(between.len() as u64, groups * (groups - 1) / 2);
    }
    // 72 hosts, 36 switches (p = 2, a = 4, h = 2): the diameter is 5.
    let seventy_two = NetworkParameters::dragonfly(2, 4, 2);
    assert_eq!(figures(&seventy_two).2, 5);
}

#[test]
fn trees_of_two_levels_have_their_closed_forms() {
    for (leaves, p, spines) in (2..6).flat_map(|l| (1..4).flat_map(move |p| (1..4).map(move |s| (l, p, s)))) {
        let parameters = NetworkParameters::leaf_spine(leaves, p, spines);
        let hosts = leaves * p;
        let expected = (
            hosts + leaves + spines,
            hosts + leaves * spines,
            4,
            // 4 links to the hosts of other leaves, 2 to those of the same leaf.
            hosts * (4 * (hosts - p) + 2 * (p - 1)),
        );
        assert_eq!(figures(&parameters), expected);
        assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, expected.1));
    }
}

#[test]
fn k_ary_n_trees_have_their_closed_forms() {
    for (arity, levels) in [(2, 1), (2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2)] {
        let parameters = NetworkParameters::k_ary_tree(arity, levels);
        let power = |exponent| u64::pow(arity, u32::try_from(exponent).unwrap());
        let hosts = power(levels);
        // Petrini & Vanneschi 1997: n k^(n-1) switches, and 2 i links to the k^i - k^(i-1) hosts of level i.
        let sum: u64 = (1..=levels).map(|i| 2 * i * (power(i) - power(i - 1))).sum();
        let expected = (hosts + levels * power(levels - 1), levels * hosts, 2 * levels, hosts * sum);
        assert_eq!(figures(&parameters), expected);
        assert_eq!((parameters.node_count(), parameters.link_count()), (expected.0, expected.1));
    }
}

/// The fewest links between two halves of the hosts, switches being on either side: the least over all halves of a
/// greatest flow.
fn bisection(parameters: &NetworkParameters) -> u64 {
    let machine = Machine::of_parameters(parameters).unwrap();
    let hosts = machine.host_count();
    let halves =
        (0..1_u32 << hosts).filter(|half| half & 1 == 1 && u64::from(half.count_ones()) == hosts / 2);
    halves.map(|half| flow(&machine, half)).min().unwrap()
}

/// The greatest flow between the hosts of a mask and the others: one unit per link, one augmenting path at a time.
fn flow(machine: &Machine, half: u32) -> u64 {
    let hosts = machine.host_count();
    let side = |node: NodeId| (u64::from(node.index()) < hosts).then(|| half >> node.index() & 1 == 1);
    let mut used = std::collections::BTreeSet::new(); // arcs with a unit, except where it was sent back
    let mut total = 0;
    loop {
        let mut from: std::collections::BTreeMap<NodeId, Option<NodeId>> =
            machine.hosts().filter(|&host| side(host) == Some(true)).map(|host| (host, None)).collect();
        let mut queue: std::collections::VecDeque<NodeId> = from.keys().copied().collect();
        let mut end = None;
        while let Some(node) = queue.pop_front() {
            if side(node) == Some(false) {
                end = Some(node);
                break;
            }
            for next in machine.neighbours(node) {
                if !used.contains(&(node, next)) && !from.contains_key(&next) {
                    from.insert(next, Some(node));
                    queue.push_back(next);
                }
            }
        }
        let Some(mut node) = end else { return total };
        total += 1;
        while let Some(before) = from[&node] {
            if !used.remove(&(node, before)) {
                used.insert((before, node));
            }
            node = before;
        }
    }
}

#[test]
fn bisections_are_those_of_the_literature() {
    for nodes in [2, 4, 6, 8] {
        assert_eq!(bisection(&NetworkParameters::FullMesh { nodes }), nodes * nodes / 4);
    }
    for (leaves, p, spines) in [(2, 2, 2), (2, 4, 2), (4, 2, 1), (4, 2, 2), (2, 3, 2)] {
        // Oversubscription: as many links as spines a leaf, if there are fewer than hosts.
        let expected = (leaves / 2 * spines).min(leaves * p / 2);
        let parameters = NetworkParameters::leaf_spine(leaves, p, spines);
        assert_eq!(bisection(&parameters), expected, "{leaves} {p} {spines}");
    }
    for (arity, levels) in [(2, 1), (2, 2), (2, 3), (4, 1)] {
        // Full bisection: half of the hosts.
        let parameters = NetworkParameters::k_ary_tree(arity, levels);
        assert_eq!(bisection(&parameters), parameters.host_count() / 2);
    }
    for (shape, p) in [(vec![4], 2), (vec![2, 2], 2), (vec![4, 2], 1), (vec![2, 2, 2], 1)] {
        // Ahn et al. 2009: the product of the lengths times the least k / 4 over the dimensions.
        let switches: u64 = shape.iter().product();
        let least = shape.iter().min().unwrap();
        let parameters = NetworkParameters::HyperX { shape: shape.clone(), hosts_per_switch: p };
        assert_eq!(bisection(&parameters), (switches * least / 4).min(switches * p / 2), "{shape:?} {p}");
    }
    // 3 groups of 2 switches with a host each: a cut through one group and its links to the others.
    let dragonfly = NetworkParameters::dragonfly(1, 2, 1);
    assert_eq!(bisection(&dragonfly), 2);
}

#[test]
fn parameters_that_make_no_network_are_refused() {
    let message =
        |parameters: &NetworkParameters| Machine::of_parameters(parameters).unwrap_err().to_string();
    let none = NetworkParameters::leaf_spine(2, 0, 1);
    assert_eq!(
        message(&none),
        "a fat-tree without hosts, switches or links, expected at least 1 of each and 2 hosts"
    );
    let large = NetworkParameters::k_ary_tree(16, 6);
    assert!(message(&large).starts_with("23068672 hosts and switches with 100663296 links"));
}
