//! Paths of a hypercube that have no node in common (lemma 5).
//!
//! The proof of the lemma is an induction over half cubes. Here the paths are a maximum flow
//! through nodes of capacity 1, which finds them wherever there are any (Menger 1927): each search
//! adds as many as it can of the shortest augmenting paths.

use std::collections::VecDeque;

/// A reason why there are no disjoint paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DisjointPathsError {
    /// A source or sink is not a node of the cube, or the cube has over 30 dimensions.
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
        /// The number of sources with a path.
        found: usize,
        /// The number of sources.
        expected: usize,
    },
}

/// A path from every source to a separate sink in the cube of `dimensions` dimensions, no two
/// with a node in common; the paths in the order of the sources, each with both its ends.
///
/// Greenberg 1987, lemma 5: they exist for up to `dimensions` sources and as many sinks (errata
/// G12). A node may be source and sink, and is then a path. A path passes no other source, and ends
/// at its first sink.
///
/// # Errors
///
/// When a node is not in the cube, a list has a node twice, or there are no such paths.
///
/// # Complexity
///
/// O(n 2^n) in n dimensions for each length of augmenting paths that occurs, at most as many as
/// sources; where sinks are near, only the nodes around are searched.
///
/// # Examples
///
/// ```
/// use cubefold_mapping::disjoint_paths;
///
/// // In the square 0, 1, 3, 2 both sources have a sink beside them.
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
    let mut found = 0;
    while found < sources.len() {
        match flow.augment(sources) {
            0 => return Err(DisjointPathsError::TooFew { found, expected: sources.len() }),
            more => found += more,
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

/// The node before or after another on its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Nothing: it is on no path.
    None,
    /// Nothing: the path starts or ends here.
    End,
    /// A neighbour.
    Node(u32),
}

/// A vertex of the residual graph: the entry or the exit of a node.
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

/// The result of a search at a port.
#[derive(Debug, Clone, Copy, Default)]
struct Reached {
    search: u32, // the last one that reached it, from 1; the other members belong to it
    level: u32,  // the length of the shortest residual path to it
    arcs: u32,   // the number of arcs from it that have been taken, or lead to no sink
}

/// Disjoint paths found so far.
struct Flow {
    dimensions: u32,
    is_sink: Vec<bool>,
    previous: Vec<Link>, // by node; None exactly where next is None
    next: Vec<Link>,
    reached: Vec<Reached>, // by port
    search: u32,
}

impl Flow {
    fn new(dimensions: u32, sinks: &[u32]) -> Self {
        let nodes = 1_usize << dimensions;
        let mut is_sink = vec![false; nodes];
        for &sink in sinks {
            is_sink[sink as usize] = true;
        }
        let (previous, next) = (vec![Link::None; nodes], vec![Link::None; nodes]);
        Self { dimensions, is_sink, previous, next, reached: vec![Reached::default(); 2 * nodes], search: 0 }
    }

    /// Adds as many augmenting paths of the least length as there can be, from sources without a
    /// path; returns their number (Dinitz 1970).
    fn augment(&mut self, sources: &[u32]) -> usize {
        let Some(length) = self.search(sources) else { return 0 };
        let mut found = 0;
        for &source in sources {
            if !self.is_served(source)
                && let Some(ports) = self.descend(source, length)
            {
                self.add_flow(&ports);
                found += 1;
            }
        }
        found
    }

    /// Whether a path starts at the source.
    fn is_served(&self, source: u32) -> bool {
        self.previous[source as usize] == Link::End
    }

    /// Finds the levels of all ports up to the first open sink, and returns its level.
    fn search(&mut self, sources: &[u32]) -> Option<u32> {
        self.search += 1;
        let mut queue = VecDeque::new();
        for &source in sources {
            if !self.is_served(source) {
                self.reach(Port::In(source), 0, &mut queue);
            }
        }
        while let Some(port) = queue.pop_front() {
            let level = self.reached[port.index()].level;
            if self.is_open_sink(port) {
                return Some(level);
            }
            for arc in 0..=self.dimensions {
                if let Some(next) = self.residual_arc(port, arc) {
                    self.reach(next, level + 1, &mut queue);
                }
            }
        }
        None
    }

    fn reach(&mut self, port: Port, level: u32, queue: &mut VecDeque<Port>) {
        let reached = &mut self.reached[port.index()];
        if reached.search < self.search {
            *reached = Reached { search: self.search, level, arcs: 0 };
            queue.push_back(port);
        }
    }

    /// The port to which a residual arc leads; `None` if the flow closes it.
    ///
    /// From the entry of a node: through it if it is free, else back along the path that uses it.
    /// From its exit: to its neighbours, and last back through it if a path uses it.
    fn residual_arc(&self, port: Port, arc: u32) -> Option<Port> {
        match port {
            Port::In(node) if arc == 0 => match self.previous[node as usize] {
                Link::None => Some(Port::Out(node)),
                Link::Node(previous) => Some(Port::Out(previous)),
                Link::End => None,
            },
            Port::In(_) => None,
            Port::Out(node) if arc < self.dimensions => {
                let neighbour = node ^ (1 << arc);
                (self.next[node as usize] != Link::Node(neighbour)).then_some(Port::In(neighbour))
            }
            Port::Out(node) => (self.next[node as usize] != Link::None).then_some(Port::In(node)),
        }
    }

    fn is_open_sink(&self, port: Port) -> bool {
        match port {
            Port::In(_) => false,
            Port::Out(node) => self.is_sink[node as usize] && self.next[node as usize] != Link::End,
        }
    }

    /// The ports from a source to an open sink at the end of the least length, level by level.
    fn descend(&mut self, source: u32, length: u32) -> Option<Vec<Port>> {
        let mut ports = vec![Port::In(source)];
        while let Some(&port) = ports.last() {
            if self.reached[port.index()].level == length && self.is_open_sink(port) {
                return Some(ports);
            }
            match self.next_down(port) {
                Some(next) => ports.push(next),
                None => {
                    ports.pop();
                }
            }
        }
        None
    }

    /// The port one level down to which the next untried arc leads.
    fn next_down(&mut self, port: Port) -> Option<Port> {
        let Reached { level, arcs, .. } = self.reached[port.index()];
        for arc in arcs..=self.dimensions {
            self.reached[port.index()].arcs = arc + 1;
            let below = |next: &Port| {
                let next = self.reached[next.index()];
                next.search == self.search && next.level == level + 1
            };
            if let Some(next) = self.residual_arc(port, arc).filter(below) {
                return Some(next);
            }
        }
        None
    }

    /// Adds the flow along the ports that lead to a sink, and removes the flow that they traverse
    /// backwards.
    fn add_flow(&mut self, ports: &[Port]) {
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
        if let [Port::In(source), .., Port::Out(sink)] = *ports {
            self.previous[source as usize] = Link::End;
            self.next[sink as usize] = Link::End;
        }
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
