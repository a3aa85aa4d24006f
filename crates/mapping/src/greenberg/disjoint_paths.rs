//! Paths of a hypercube that have no node in common (lemma 5).
//!
//! The proof of the lemma is an induction over half cubes. Here the paths are a maximum flow through nodes of capacity
//! 1, which finds them wherever there are any (Menger 1927): each search takes a shortest augmenting path from any source
//! that has none yet.

use std::collections::VecDeque;

/// Why there are no disjoint paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DisjointPathsError {
    /// A source or sink is none of the cube's nodes, or the cube has over 30 dimensions.
    #[error("node {node} in a cube of {dimensions} dimensions, expected one of its nodes")]
    NoSuchNode {
        /// The node found.
        node: u32,
        /// The dimensions of the cube.
        dimensions: u32,
    },
    /// A source or sink is named twice.
    #[error("node {node} twice, expected sources, and sinks, that differ")]
    Repeated {
        /// The node.
        node: u32,
    },
    /// Some source has no path.
    #[error("disjoint paths from {found} sources, expected {expected}")]
    TooFew {
        /// How many have one.
        found: usize,
        /// How many sources there are.
        expected: usize,
    },
}

/// A path from every source to a sink of its own in the cube of `dimensions` dimensions, no two with a node in
/// common; the paths in the order of the sources, each with both its ends.
///
/// Greenberg 1987, lemma 5: they exist for up to `dimensions` sources and as many sinks (errata G12). A node may be
/// source and sink, and is then a path. A path passes no other source, and ends at its first sink.
///
/// # Errors
///
/// When a node is not of the cube, a list has a node twice, or there are no such paths.
///
/// # Complexity
///
/// O(p n 2^n) for p sources in n dimensions; where sinks are near, only the nodes around are looked at.
///
/// # Examples
///
/// ```
/// use cubefold_mapping::disjoint_paths;
///
/// // Both of 0's neighbours in the square are taken by the sources: each ends at once, or beside.
/// assert_eq!(disjoint_paths(2, &[0, 1], &[3, 2])?, [[0, 2], [1, 3]]);
/// # Ok::<(), cubefold_mapping::DisjointPathsError>(())
/// ```
pub fn disjoint_paths(
    dimensions: u32,
    sources: &[u32],
    sinks: &[u32],
) -> Result<Vec<Vec<u32>>, DisjointPathsError> {
    check(dimensions, sources)?;
    check(dimensions, sinks)?;
    let mut flow = Flow::new(dimensions, sinks);
    for found in 0..sources.len() {
        if !flow.augment(sources) {
            return Err(DisjointPathsError::TooFew { found, expected: sources.len() });
        }
    }
    Ok(sources.iter().map(|&source| flow.path(source)).collect())
}

fn check(dimensions: u32, nodes: &[u32]) -> Result<(), DisjointPathsError> {
    if let Some(&node) = nodes.iter().find(|&&node| dimensions > 30 || node >> dimensions > 0) {
        return Err(DisjointPathsError::NoSuchNode { node, dimensions });
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(DisjointPathsError::Repeated { node: pair[0] }),
        None => Ok(()),
    }
}

/// What comes before or after a node on its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Nothing: it is on no path.
    None,
    /// Nothing: the path starts or ends here.
    End,
    /// A neighbour.
    Node(u32),
}

/// A side of a node: the flow goes in, and out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    In(u32),
    Out(u32),
}

impl Port {
    fn index(self) -> usize {
        match self {
            Self::In(node) => 2 * node as usize,
            Self::Out(node) => 2 * node as usize + 1,
        }
    }
}

/// Disjoint paths found so far.
struct Flow {
    dimensions: u32,
    is_sink: Vec<bool>,
    previous: Vec<Link>, // by node; None exactly where next is None
    next: Vec<Link>,
    reached: Vec<(u32, Port)>, // by port: the search that reached it last, and from where
    search: u32,               // the number of the search, from 1
}

impl Flow {
    fn new(dimensions: u32, sinks: &[u32]) -> Self {
        let nodes = 1_usize << dimensions;
        let mut is_sink = vec![false; nodes];
        for &sink in sinks {
            is_sink[sink as usize] = true;
        }
        let (previous, next) = (vec![Link::None; nodes], vec![Link::None; nodes]);
        Self { dimensions, is_sink, previous, next, reached: vec![(0, Port::In(0)); 2 * nodes], search: 0 }
    }

    /// Adds a path from one more source, others giving way; false when there is none.
    fn augment(&mut self, sources: &[u32]) -> bool {
        self.search += 1;
        let mut queue = VecDeque::new();
        for &source in sources {
            if self.previous[source as usize] != Link::End {
                self.reach(Port::In(source), Port::In(source), &mut queue);
            }
        }
        while let Some(port) = queue.pop_front() {
            match port {
                Port::In(node) => self.leave_in(node, &mut queue),
                Port::Out(node) if self.is_open_sink(node) => {
                    self.turn(node);
                    return true;
                }
                Port::Out(node) => self.leave_out(node, &mut queue),
            }
        }
        false
    }

    fn reach(&mut self, port: Port, from: Port, queue: &mut VecDeque<Port>) {
        let reached = &mut self.reached[port.index()];
        if reached.0 < self.search {
            *reached = (self.search, from);
            queue.push_back(port);
        }
    }

    /// From the entry of a node: through it when it is free, else back along the path that has it.
    fn leave_in(&mut self, node: u32, queue: &mut VecDeque<Port>) {
        match self.previous[node as usize] {
            Link::None => self.reach(Port::Out(node), Port::In(node), queue),
            Link::Node(previous) => self.reach(Port::Out(previous), Port::In(node), queue),
            Link::End => {}
        }
    }

    /// From the exit of a node: to its neighbours, and back through it when a path has it.
    fn leave_out(&mut self, node: u32, queue: &mut VecDeque<Port>) {
        let next = self.next[node as usize];
        for neighbour in (0..self.dimensions).map(|dimension| node ^ (1 << dimension)) {
            if next != Link::Node(neighbour) {
                self.reach(Port::In(neighbour), Port::Out(node), queue);
            }
        }
        if next != Link::None {
            self.reach(Port::In(node), Port::Out(node), queue);
        }
    }

    fn is_open_sink(&self, node: u32) -> bool {
        self.is_sink[node as usize] && self.next[node as usize] != Link::End
    }

    /// Turns the flow along the ports that led to a sink: what they went back is undone, what they went forth is
    /// added.
    fn turn(&mut self, sink: u32) {
        let mut ports = vec![Port::Out(sink)];
        loop {
            let last = ports[ports.len() - 1];
            let from = self.reached[last.index()].1;
            if from == last {
                break;
            }
            ports.push(from);
        }
        ports.reverse();
        for pair in ports.windows(2) {
            if let [Port::In(node), Port::Out(previous)] = *pair
                && node != previous
            {
                self.previous[node as usize] = Link::None;
                self.next[previous as usize] = Link::None;
            }
        }
        for pair in ports.windows(2) {
            if let [Port::Out(node), Port::In(next)] = *pair
                && node != next
            {
                self.next[node as usize] = Link::Node(next);
                self.previous[next as usize] = Link::Node(node);
            }
        }
        if let Some(Port::In(source)) = ports.first() {
            self.previous[*source as usize] = Link::End;
        }
        self.next[sink as usize] = Link::End;
    }

    fn path(&self, source: u32) -> Vec<u32> {
        let mut path = vec![source];
        let mut node = source;
        while let Link::Node(next) = self.next[node as usize]
            && !self.is_sink[node as usize]
        {
            path.push(next);
            node = next;
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The paths join their sources to sinks, step by step, and share nothing.
    fn check_paths(dimensions: u32, sources: &[u32], sinks: &[u32]) {
        let paths = disjoint_paths(dimensions, sources, sinks).unwrap();
        let context = format!("{sources:?} to {sinks:?}: {paths:?}");
        let mut seen = vec![false; 1 << dimensions];
        assert_eq!(paths.len(), sources.len(), "{context}");
        for (path, &source) in paths.iter().zip(sources) {
            assert_eq!(path[0], source, "{context}");
            assert!(sinks.contains(&path[path.len() - 1]), "{context}");
            assert!(path.windows(2).all(|pair| (pair[0] ^ pair[1]).is_power_of_two()), "{context}");
            assert!(path.iter().all(|&node| !std::mem::replace(&mut seen[node as usize], true)), "{context}");
        }
    }

    fn subsets(nodes: u32, size: u32) -> Vec<Vec<u32>> {
        let members = |mask: u32| (0..nodes).filter(|node| mask >> node & 1 == 1).collect();
        (0..1_u32 << nodes).filter(|mask| mask.count_ones() == size).map(members).collect()
    }

    #[test]
    fn lemma_5_holds_for_all_sources_and_sinks_of_cubes_up_to_three_dimensions() {
        for dimensions in 1..=3 {
            for count in 1..=dimensions {
                let sets = subsets(1 << dimensions, count);
                for sources in &sets {
                    for sinks in &sets {
                        check_paths(dimensions, sources, sinks);
                    }
                }
            }
        }
    }

    #[test]
    fn lemma_5_fails_with_more_sources_than_dimensions() {
        // Node 0 is shut in by the three other sources, its neighbours.
        let error = disjoint_paths(3, &[0, 1, 2, 4], &[3, 5, 6, 7]).unwrap_err();
        assert_eq!(error, DisjointPathsError::TooFew { found: 3, expected: 4 });
        assert_eq!(error.to_string(), "disjoint paths from 3 sources, expected 4");
    }

    proptest::proptest! {
        #[test]
        fn lemma_5_holds_in_larger_cubes(
            dimensions in 4..=7_u32,
            count in 1..=7_usize,
            order in Just((0..128_u32).collect::<Vec<u32>>()).prop_shuffle(),
            other in Just((0..128_u32).collect::<Vec<u32>>()).prop_shuffle(),
        ) {
            let count = count.min(dimensions as usize);
            let of = |order: &[u32]| -> Vec<u32> {
                order.iter().copied().filter(|&node| node < 1 << dimensions).take(count).collect()
            };
            check_paths(dimensions, &of(&order), &of(&other));
        }
    }

    #[test]
    fn nodes_that_are_not_there_or_twice_are_refused() {
        let error =
            |sources: &[u32], sinks: &[u32]| disjoint_paths(2, sources, sinks).unwrap_err().to_string();
        assert_eq!(error(&[4], &[0]), "node 4 in a cube of 2 dimensions, expected one of its nodes");
        assert_eq!(error(&[0, 0], &[1, 2]), "node 0 twice, expected sources, and sinks, that differ");
        assert_eq!(error(&[0, 1], &[3]), "disjoint paths from 1 sources, expected 2");
        assert_eq!(disjoint_paths(0, &[0], &[0]).unwrap(), [[0]]);
    }
}
