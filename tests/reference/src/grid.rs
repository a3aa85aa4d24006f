//! The machine: coordinates, links, channels and distances.
//!
//! `docs/model.md` section 1. Nodes are their indices, dimensions are counted from 0 here
//! (the model's dimension 1 is this module's dimension 0). Nothing is stored beside the lengths
//! and whether each dimension wraps; everything else is worked out anew each time.

/// A machine: the length of each dimension \[nodes, at least 2\] and whether it wraps.
///
/// `docs/model.md` section 1. Both lists have one entry a dimension.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Length of each dimension \[nodes\], at least 2.
    pub lengths: Vec<u64>,
    /// Whether each dimension wraps.
    pub wraps: Vec<bool>,
}

/// The direction of a channel in its dimension; `+` comes before `-`, as in `docs/model.md` section 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// `+`: towards the higher coordinate, or across the wraparound from `k - 1` to 0.
    Positive,
    /// `-`: the other way.
    Negative,
}

impl Sign {
    /// The other direction.
    pub fn opposite(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
        }
    }
}

/// One direction of a link, named by the node it leaves (`docs/model.md` section 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel {
    /// Index of the node that the channel leaves.
    pub node: u64,
    /// The dimension it lies in, from 0.
    pub dimension: usize,
    /// Its direction.
    pub sign: Sign,
}

/// A link, named by the node from which `+` leads over it, and the dimension (from 0) it lies in.
pub type Link = (u64, usize);

impl Grid {
    /// Number of nodes: the product of the lengths.
    pub fn number_of_nodes(&self) -> u64 {
        self.lengths.iter().product()
    }

    /// Coordinates `(p_1, ..., p_c)` of the node with this index; the first varies fastest.
    pub fn coordinates(&self, node: u64) -> Vec<u64> {
        assert!(node < self.number_of_nodes(), "node {node} is not of this machine");
        let mut rest = node;
        let mut coordinates = Vec::new();
        for length in &self.lengths {
            coordinates.push(rest % length);
            rest /= length;
        }
        coordinates
    }

    /// Index of the node with these coordinates: `p_1 + p_2 k_1 + p_3 k_1 k_2 + ...`.
    pub fn index(&self, coordinates: &[u64]) -> u64 {
        assert_eq!(coordinates.len(), self.lengths.len(), "one coordinate a dimension");
        let mut index = 0;
        let mut stride = 1;
        for (coordinate, length) in coordinates.iter().zip(&self.lengths) {
            assert!(coordinate < length, "coordinate {coordinate} is not below {length}");
            index += coordinate * stride;
            stride *= length;
        }
        index
    }

    /// Distance of two nodes \[links\]: over the dimensions, the sum of `|a-b|`, or of
    /// `min(|a-b|, k-|a-b|)` where the dimension wraps (`docs/model.md` section 1).
    pub fn distance(&self, from: u64, to: u64) -> u64 {
        let from = self.coordinates(from);
        let to = self.coordinates(to);
        let along = |dimension: usize| {
            let direct = from[dimension].abs_diff(to[dimension]);
            if self.wraps[dimension] { direct.min(self.lengths[dimension] - direct) } else { direct }
        };
        (0..self.lengths.len()).map(along).sum()
    }

    /// The node that a channel leads to, or none where there is no such channel: at the ends of a
    /// dimension that does not wrap, and of one of length 2 whether it wraps or not.
    pub fn neighbour(&self, channel: Channel) -> Option<u64> {
        let mut coordinates = self.coordinates(channel.node);
        let last = self.lengths[channel.dimension] - 1;
        let goes_around = self.wraps[channel.dimension] && last > 1;
        let coordinate = &mut coordinates[channel.dimension];
        let beyond_the_end = match channel.sign {
            Sign::Positive => *coordinate == last,
            Sign::Negative => *coordinate == 0,
        };
        if beyond_the_end && !goes_around {
            return None;
        }
        *coordinate = match (channel.sign, beyond_the_end) {
            (Sign::Positive, false) => *coordinate + 1,
            (Sign::Positive, true) => 0,
            (Sign::Negative, false) => *coordinate - 1,
            (Sign::Negative, true) => last,
        };
        Some(self.index(&coordinates))
    }

    /// The node that a channel of the machine leads to.
    ///
    /// # Panics
    ///
    /// Where the machine has no such channel.
    pub fn end(&self, channel: Channel) -> u64 {
        self.neighbour(channel).expect("the channel is one of the machine")
    }

    /// The channel of the same link in the other direction.
    pub fn opposite(&self, channel: Channel) -> Channel {
        Channel { node: self.end(channel), dimension: channel.dimension, sign: channel.sign.opposite() }
    }

    /// The link that a channel is one direction of.
    pub fn link(&self, channel: Channel) -> Link {
        match channel.sign {
            Sign::Positive => (channel.node, channel.dimension),
            Sign::Negative => (self.end(channel), channel.dimension),
        }
    }

    /// Every link of the machine, each once.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for node in 0..self.number_of_nodes() {
            for dimension in 0..self.lengths.len() {
                if self.neighbour(Channel { node, dimension, sign: Sign::Positive }).is_some() {
                    links.push((node, dimension));
                }
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::{Channel, Grid, Sign};

    #[test]
    fn the_first_coordinate_varies_fastest() {
        let grid = Grid { lengths: vec![3, 4, 2], wraps: vec![false; 3] };
        // 2 + 3 * 3 + 1 * 12 = 23, the last of 24 nodes
        assert_eq!(grid.index(&[2, 3, 1]), 23);
        // 17 = 2 + 1 * 3 + 1 * 12
        assert_eq!(grid.coordinates(17), [2, 1, 1]);
        for node in 0..grid.number_of_nodes() {
            assert_eq!(grid.index(&grid.coordinates(node)), node);
        }
    }

    #[test]
    fn a_dimension_of_length_two_has_one_link_whether_it_wraps_or_not() {
        for wraps in [false, true] {
            let grid = Grid { lengths: vec![2], wraps: vec![wraps] };
            let positive = Channel { node: 0, dimension: 0, sign: Sign::Positive };
            let negative = Channel { node: 1, dimension: 0, sign: Sign::Negative };
            assert_eq!((grid.distance(0, 1), grid.distance(1, 0)), (1, 1));
            assert_eq!(grid.opposite(positive), negative);
            assert_eq!(grid.link(negative), (0, 0));
            assert_eq!(grid.neighbour(Channel { node: 0, ..negative }), None);
            assert_eq!(grid.neighbour(Channel { node: 1, ..positive }), None);
            assert_eq!(grid.links(), [(0, 0)]);
        }
    }

    #[test]
    fn a_wrapping_dimension_measures_the_shorter_way() {
        // (5 wrapping, 5 not): (0,0) = 0 to (4,4) = 24 is 1 + 4; (1,3) = 16 to (4,1) = 9 is 2 + 2
        let grid = Grid { lengths: vec![5, 5], wraps: vec![true, false] };
        assert_eq!((grid.distance(0, 24), grid.distance(16, 9)), (5, 4));
    }

    #[test]
    fn a_link_is_named_by_the_end_from_which_plus_leads_over_it() {
        let grid = Grid { lengths: vec![4], wraps: vec![true] };
        // the wraparound link joins 3 and 0; + leads over it from 3
        assert_eq!(grid.link(Channel { node: 3, dimension: 0, sign: Sign::Positive }), (3, 0));
        assert_eq!(grid.link(Channel { node: 0, dimension: 0, sign: Sign::Negative }), (3, 0));
        assert_eq!(grid.links(), [(0, 0), (1, 0), (2, 0), (3, 0)]);
    }
}
