//! The links of full meshes, networks with switches, twisted toruses, and machines with failures.
//!
//! `docs/model.md` section 19, link by link. A link is a pair of nodes, the lower first.

use std::collections::BTreeSet;

/// Every link once.
pub type Links = BTreeSet<(u64, u64)>;

/// Adds the link of two different nodes.
fn link(links: &mut Links, one: u64, other: u64) {
    if one != other {
        links.insert((one.min(other), one.max(other)));
    }
}

/// Host `i` on switch `floor(i / per_switch)`; switches follow the hosts.
fn hosts(links: &mut Links, count: u64, per_switch: u64) {
    for host in 0..count {
        link(links, host, count + host / per_switch);
    }
}

/// All nodes with each other.
pub fn full_mesh(nodes: u64) -> Links {
    let mut links = Links::new();
    for one in 0..nodes {
        for other in 0..nodes {
            link(&mut links, one, other);
        }
    }
    links
}

/// Coordinates, the first fastest.
fn coordinates(mut number: u64, lengths: &[u64]) -> Vec<u64> {
    let mut coordinates = Vec::new();
    for length in lengths {
        coordinates.push(number % length);
        number /= length;
    }
    coordinates
}

/// The number of a node with these coordinates.
fn number(coordinates: &[u64], lengths: &[u64]) -> u64 {
    let mut number = 0;
    for (coordinate, length) in coordinates.iter().zip(lengths).rev() {
        number = number * length + coordinate;
    }
    number
}

/// Switches at the coordinates of the shape, linked with all on the same line.
pub fn hyperx(shape: &[u64], per_switch: u64) -> Links {
    let switches: u64 = shape.iter().product();
    let count = switches * per_switch;
    let mut links = Links::new();
    hosts(&mut links, count, per_switch);
    for one in 0..switches {
        for other in 0..switches {
            let (a, b) = (coordinates(one, shape), coordinates(other, shape));
            if a.iter().zip(&b).filter(|(a, b)| a != b).count() == 1 {
                link(&mut links, count + one, count + other);
            }
        }
    }
    links
}

/// `a h + 1` groups of `a` switches with `p` hosts each.
pub fn dragonfly(p: u64, a: u64, h: u64) -> Links {
    let groups = a * h + 1;
    let count = p * a * groups;
    let switch = |group: u64, own: u64| count + group * a + own;
    let mut links = Links::new();
    hosts(&mut links, count, p);
    for group in 0..groups {
        for one in 0..a {
            for other in 0..a {
                link(&mut links, switch(group, one), switch(group, other));
            }
        }
        for other in 0..groups {
            if other != group {
                let j = (other + groups - group - 1) % groups;
                let back = (group + groups - other - 1) % groups;
                link(&mut links, switch(group, j / h), switch(other, back / h));
            }
        }
    }
    links
}

/// Every leaf linked to every spine.
pub fn leaf_spine(leaves: u64, per_leaf: u64, spines: u64) -> Links {
    let count = leaves * per_leaf;
    let mut links = Links::new();
    hosts(&mut links, count, per_leaf);
    for leaf in 0..leaves {
        for spine in 0..spines {
            link(&mut links, count + leaf, count + leaves + spine);
        }
    }
    links
}

/// Switch `(level, w)` linked to those of the next level that differ from it in digit `level` at most.
pub fn k_ary_tree(k: u64, n: u32) -> Links {
    let (count, width) = (k.pow(n), k.pow(n - 1));
    let lengths = vec![k; usize::try_from(n - 1).expect("few digits")];
    let mut links = Links::new();
    hosts(&mut links, count, k);
    for level in 0..usize::try_from(n - 1).expect("few levels") {
        for below in 0..width {
            for above in 0..width {
                let (one, other) = (coordinates(below, &lengths), coordinates(above, &lengths));
                if (0..one.len()).all(|digit| digit == level || one[digit] == other[digit]) {
                    let base = count + width * level as u64;
                    link(&mut links, base + below, base + width + above);
                }
            }
        }
    }
    links
}

/// What crossing the wraparound of each dimension adds to the coordinates, each modulo its length.
pub fn twisted_torus(lengths: &[u64], twist: &[Vec<u64>]) -> Links {
    let mut links = Links::new();
    for node in 0..lengths.iter().product() {
        for dimension in 0..lengths.len() {
            let mut next = coordinates(node, lengths);
            if next[dimension] + 1 < lengths[dimension] {
                next[dimension] += 1;
            } else {
                next[dimension] = 0;
                for (at, coordinate) in next.iter_mut().enumerate() {
                    *coordinate = (*coordinate + twist[dimension][at]) % lengths[at];
                }
            }
            link(&mut links, node, number(&next, lengths));
        }
    }
    links
}

/// Without the links and nodes that are down.
pub fn without(links: &Links, failed: &Links, nodes: &BTreeSet<u64>) -> Links {
    let works =
        |pair: &&(u64, u64)| !failed.contains(pair) && !nodes.contains(&pair.0) && !nodes.contains(&pair.1);
    links.iter().filter(works).copied().collect()
}
