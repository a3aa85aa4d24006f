//! Twisted toruses (`docs/model.md` section 19; Camarero, Martinez & Beivide 2013): crossing a wraparound also moves
//! along other dimensions.

use crate::{
    Divisor, MAX_DIMENSIONS, MachineError, Network, NodeId,
    families::{Moves, Symmetric},
};

/// A torus whose wraparounds add to other coordinates.
#[derive(Debug, Clone)]
pub(crate) struct TwistedTorus {
    lengths: Vec<u32>,
    divisors: Vec<Divisor>, // the same
    twists: Vec<Vec<u32>>, // by dimension, the offsets that crossing its wraparound upwards adds, each below its length
}

impl TwistedTorus {
    /// Returns the torus of these lengths with these twists, as many as lengths and each with as many entries. No
    /// wraparound may add to its own dimension.
    pub(crate) fn new(lengths: &[u64], twists: &[Vec<u64>]) -> Result<Self, MachineError> {
        let expected = lengths.len();
        if twists.len() != expected {
            return Err(MachineError::TwistEntries { found: twists.len(), expected });
        }
        for (index, twist) in twists.iter().enumerate() {
            if twist.len() != expected {
                return Err(MachineError::TwistEntries { found: twist.len(), expected });
            }
            if !twist[index].is_multiple_of(lengths[index]) {
                return Err(MachineError::OwnTwist { dimension: index + 1, found: twist[index] });
            }
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let reduced = |twist: &Vec<u64>| {
            twist.iter().zip(lengths).map(|(entry, length)| small(entry % length)).collect()
        };
        Ok(Self {
            lengths: lengths.iter().map(|&length| small(length)).collect(),
            divisors: lengths.iter().map(|&length| Divisor::new(length)).collect(),
            twists: twists.iter().map(reduced).collect(),
        })
    }

    /// Whether the wraparound of a dimension adds anything.
    fn is_twisted(&self, dimension: usize) -> bool {
        self.twists[dimension].iter().any(|&entry| entry > 0)
    }

    pub(crate) fn has_twist(&self) -> bool {
        (0..self.lengths.len()).any(|dimension| self.is_twisted(dimension))
    }

    /// Whether no dimension that a wraparound adds to has a wraparound that adds: then coordinates can be added.
    fn is_symmetric(&self) -> bool {
        let added_to = |dimension: usize| self.twists.iter().any(|twist| twist[dimension] > 0);
        (0..self.lengths.len()).all(|dimension| !(self.is_twisted(dimension) && added_to(dimension)))
    }

    /// Its links: every node to the next in every dimension; in a dimension of length 2 the wraparound is the same link,
    /// unless it is twisted.
    fn links(&self) -> Vec<(u32, u32)> {
        let nodes: u32 = self.lengths.iter().product();
        let mut links = vec![];
        for node in 0..nodes {
            links.extend((0..self.lengths.len()).map(|dimension| (node, self.next(node, dimension))));
        }
        links
    }

    /// A node moved by the offsets of the wraparound of a dimension.
    fn twisted(&self, node: u32, dimension: usize) -> u32 {
        let (mut moved, mut stride) = (0, 1);
        for (&length, &twist) in self.lengths.iter().zip(&self.twists[dimension]) {
            moved += (node / stride % length + twist) % length * stride;
            stride *= length;
        }
        moved
    }

    /// The dimension of the link between two neighbours, counted from 0: the lowest of several.
    pub(crate) fn dimension_between(&self, one: NodeId, other: NodeId) -> usize {
        let [one, other] = [one, other].map(NodeId::index);
        let leads = |from: u32, dimension: usize, to: u32| self.next(from, dimension) == to;
        let is_along = |&dimension: &usize| leads(one, dimension, other) || leads(other, dimension, one);
        (0..self.lengths.len()).find(is_along).unwrap_or(0)
    }

    /// The next node upwards in a dimension.
    fn next(&self, node: u32, dimension: usize) -> u32 {
        let stride: u32 = self.lengths[..dimension].iter().product();
        let coordinate = node / stride % self.lengths[dimension];
        if coordinate + 1 < self.lengths[dimension] {
            node + stride
        } else {
            self.twisted(node - coordinate * stride, dimension)
        }
    }

    pub(crate) fn network(self) -> Result<Network, MachineError> {
        let nodes: u32 = self.lengths.iter().product();
        let network = Network::from_edges(nodes, &self.links())?;
        if self.is_symmetric() {
            let formula = Symmetric::new(self, &network);
            return Ok(network.with_formula(formula));
        }
        Ok(network)
    }
}

impl Moves for TwistedTorus {
    /// The difference of their coordinates; crossing the wraparound
    /// of a dimension backwards subtracts its offsets.
    #[inline]
    fn difference(&self, at: u32, to: u32) -> u32 {
        let mut rest = [at, to];
        let mut difference = [0_u32; MAX_DIMENSIONS];
        for (dimension, (&length, divisor)) in self.lengths.iter().zip(&self.divisors).enumerate() {
            let [(at, a), (to, b)] = rest.map(|rest| divisor.split(rest));
            rest = [at, to];
            difference[dimension] += if b >= a { b - a } else { b + length - a };
            if b < a {
                for (entry, (&taken_off, &other)) in
                    difference.iter_mut().zip(self.twists[dimension].iter().zip(&self.lengths))
                {
                    *entry += other - taken_off;
                }
            }
        }
        let (mut node, mut stride) = (0, 1);
        for (&steps, &length) in difference.iter().zip(&self.lengths) {
            let mut steps = steps;
            while steps >= length {
                steps -= length; // at most as often as there are dimensions
            }
            node += steps * stride;
            stride *= length;
        }
        node
    }
}
