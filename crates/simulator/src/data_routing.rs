//! Data routing by sorting (Tao 1988, section 2.4; Nassimi & Sahni 1981; `docs/model.md` section 20).
//!
//! All nodes execute the same sequence of operations, each along one bit of the **sorted order**: the
//! numbering of the nodes by which records are sorted. On a hypercube it is the numbering of the nodes; on a
//! grid with power-of-two lengths its bits interleave the coordinate bits of all dimensions, the lowest
//! first. Two nodes that differ in one bit are **partners**; an operation along a bit takes a number of
//! parallel data movement steps equal to the distance of its partners in links, and twice that if a link
//! carries one message at a time.
//!
//! Lists are in sorted order: entry `i` is at the node with number `i` in that order.

mod access;

use std::cmp::Ordering;

use cubefold_topology::{Grid, LinkMode, NodeId};

/// The order in which the nodes of a grid are sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedOrder {
    bits: Vec<OrderBit>, // the lowest first
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OrderBit {
    node_bit: u32, // of the index of a node
    distance: u64, // between two nodes that differ only in this bit [links]
}

/// A grid without this order of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "length of dimension {dimension} is {length}, expected a power of two: sorting goes by the bits of coordinates"
)]
pub struct SortedOrderError {
    /// The dimension, counted from 1.
    pub dimension: usize,
    /// Its length.
    pub length: u64,
}

/// The result of data routing, and its parallel data movement steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routed<T> {
    /// In sorted order.
    pub records: Vec<T>,
    /// Under full-duplex links.
    pub steps: u64,
}

impl SortedOrder {
    /// Returns the order of a grid whose lengths are powers of two.
    ///
    /// # Errors
    ///
    /// The first length that is not a power of two.
    pub fn new(grid: &Grid) -> Result<Self, SortedOrderError> {
        let lengths = grid.shape().lengths();
        let wrong = (1..).zip(lengths).find(|(_, length)| !length.is_power_of_two());
        if let Some((dimension, &length)) = wrong {
            return Err(SortedOrderError { dimension, length });
        }
        let most = lengths.iter().map(|length| length.trailing_zeros()).max().unwrap_or(0);
        let mut bits = vec![];
        for bit in 0..most {
            let mut first = 0;
            for length in lengths {
                let bit_count = length.trailing_zeros();
                if bit < bit_count {
                    bits.push(OrderBit { node_bit: first + bit, distance: 1 << bit });
                }
                first += bit_count;
            }
        }
        Ok(Self { bits })
    }

    /// The number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        1 << self.bits.len()
    }

    /// The place of a node in the order.
    #[must_use]
    pub fn place(&self, node: NodeId) -> usize {
        let placed_bits = (0..).zip(&self.bits);
        placed_bits.map(|(place, bit)| ((node.index() >> bit.node_bit & 1) as usize) << place).sum()
    }

    /// The node at a place in the order.
    #[must_use]
    pub fn node(&self, place: usize) -> NodeId {
        let placed_bits = (0..).zip(&self.bits);
        NodeId::new(
            placed_bits.map(|(place_bit, bit)| u32::from(place >> place_bit & 1 == 1) << bit.node_bit).sum(),
        )
    }

    /// Steps of an operation along every bit once: a rank, concentrate, distribute or generalize.
    #[must_use]
    pub fn steps_of_pass(&self) -> u64 {
        self.bits.iter().map(|bit| bit.distance).sum()
    }

    /// Steps of Batcher's bitonic sort.
    #[must_use]
    pub fn steps_of_sort(&self) -> u64 {
        let times = (1..=self.bits.len() as u64).rev();
        self.bits.iter().zip(times).map(|(bit, times)| bit.distance * times).sum()
    }

    /// Steps of a permutation: a sort, followed by a distribute if some nodes send nothing.
    #[must_use]
    pub fn steps_of_permutation(&self, is_partial: bool) -> u64 {
        self.steps_of_sort() + if is_partial { self.steps_of_pass() } else { 0 }
    }

    /// Sorts by Batcher's bitonic sort: `compare` orders two records that meet, and may change them.
    ///
    /// # Panics
    ///
    /// If the number of records is not that of the nodes.
    pub fn sort<T>(&self, records: &mut [T], mut compare: impl FnMut(&mut T, &mut T) -> Ordering) -> u64 {
        assert_eq!(records.len(), self.node_count(), "a record a node");
        let mut steps = 0;
        for merged in 1..=self.bits.len() {
            for bit in (0..merged).rev() {
                for low in (0..records.len()).filter(|place| place >> bit & 1 == 0) {
                    // Sequences of 2^merged records alternately ascend and descend; the last one ascends.
                    let ascends = low >> merged & 1 == 0;
                    let (before, behind) = records.split_at_mut(low + 1);
                    let (one, other) = (&mut before[low], &mut behind[(1 << bit) - 1]);
                    let order = compare(one, other);
                    if order == if ascends { Ordering::Greater } else { Ordering::Less } {
                        std::mem::swap(one, other);
                    }
                }
                steps += self.bits[bit].distance;
            }
        }
        steps
    }

    /// For every selected record, the number of selected records at smaller places.
    ///
    /// # Panics
    ///
    /// If the number of records is not that of the nodes.
    #[must_use]
    pub fn rank(&self, is_selected: &[bool]) -> Routed<Option<usize>> {
        assert_eq!(is_selected.len(), self.node_count(), "a record a node");
        let mut ranks = vec![0; is_selected.len()];
        let mut totals: Vec<usize> = is_selected.iter().map(|&is_chosen| usize::from(is_chosen)).collect();
        for bit in 0..self.bits.len() {
            let before = totals.clone();
            for place in 0..totals.len() {
                let partner = place ^ 1 << bit;
                if partner < place {
                    ranks[place] += before[partner];
                }
                totals[place] += before[partner];
            }
        }
        let records =
            ranks.into_iter().zip(is_selected).map(|(rank, &is_chosen)| is_chosen.then_some(rank)).collect();
        Routed { records, steps: self.steps_of_pass() }
    }

    /// Moves every record to the place of its rank, from low bits to high.
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes, or the ranks are wrong.
    #[must_use]
    pub fn concentrate<T>(&self, records: Vec<Option<(usize, T)>>) -> Routed<Option<T>> {
        self.move_along((0..self.bits.len()).collect(), records)
    }

    /// Moves the records at the first places to their destinations, which ascend, from high bits to low.
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes, or the destinations do not ascend.
    #[must_use]
    pub fn distribute<T>(&self, records: Vec<Option<(usize, T)>>) -> Routed<Option<T>> {
        self.move_along((0..self.bits.len()).rev().collect(), records)
    }

    fn move_along<T>(&self, bits: Vec<usize>, mut records: Vec<Option<(usize, T)>>) -> Routed<Option<T>> {
        assert_eq!(records.len(), self.node_count(), "an entry a node");
        for bit in bits {
            let mut moved: Vec<Option<(usize, T)>> = records.iter().map(|_| None).collect();
            for (place, record) in records.into_iter().enumerate() {
                if let Some((to, record)) = record {
                    let next = (place & !(1 << bit)) | (to & 1 << bit);
                    assert!(moved[next].is_none(), "two records meet at a node");
                    moved[next] = Some((to, record));
                }
            }
            records = moved;
        }
        let records = records.into_iter().map(|record| record.map(|(_, record)| record)).collect();
        Routed { records, steps: self.steps_of_pass() }
    }

    /// Copies the record at place `i` to the places after the height of the previous record, up to its own
    /// height. Heights ascend, and the height before the first is -1 (the text says 0, which leaves place 0
    /// without a record).
    ///
    /// # Panics
    ///
    /// If the number of entries is not that of the nodes.
    #[must_use]
    pub fn generalize<T: Clone>(&self, records: Vec<Option<(usize, T)>>) -> Routed<Option<T>> {
        assert_eq!(records.len(), self.node_count(), "an entry a node");
        let mut records = records;
        for bit in (0..self.bits.len()).rev() {
            let of_place = |place: usize| {
                // Of the two records that meet, the first one whose height reaches the node's half is kept.
                let first = place & !((1 << bit) - 1);
                let both = [&records[place & !(1 << bit)], &records[place | 1 << bit]];
                let reaching = both.into_iter().flatten().filter(|(height, _)| *height >= first);
                reaching.min_by_key(|(height, _)| *height).cloned()
            };
            records = (0..records.len()).map(of_place).collect();
        }
        let records = records.into_iter().map(|record| record.map(|(_, record)| record)).collect();
        Routed { records, steps: self.steps_of_pass() }
    }
}

/// Steps of operations along bits under a link mode: if a link carries one message at a time, partners
/// exchange in two turns.
#[must_use]
pub fn steps_under(links: LinkMode, steps: u64) -> u64 {
    match links {
        LinkMode::FullDuplex => steps,
        LinkMode::HalfDuplex | LinkMode::SingleDirection => 2 * steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Machine, MachineKind};
    use rand::{SeedableRng, seq::SliceRandom};
    use rand_chacha::ChaCha12Rng;

    fn order(kind: MachineKind, lengths: &[u64]) -> SortedOrder {
        SortedOrder::new(Machine::new(kind, lengths).unwrap().grid().unwrap()).unwrap()
    }

    fn orders() -> Vec<SortedOrder> {
        let shapes: [&[u64]; 7] = [&[2], &[2; 4], &[8, 8], &[4, 16], &[16], &[2, 8, 4], &[64, 64]];
        shapes.map(|shape| order(MachineKind::Torus, shape)).into()
    }

    #[test]
    fn every_sequence_of_zeros_and_ones_is_sorted() {
        for order in [order(MachineKind::Hypercube, &[2; 3]), order(MachineKind::Mesh, &[4, 4])] {
            let nodes = order.node_count();
            for input in 0..1_u32 << nodes {
                let mut bits: Vec<u32> = (0..nodes).map(|place| input >> place & 1).collect();
                let steps = order.sort(&mut bits, |one, other| one.cmp(&other));
                assert!(bits.is_sorted(), "{input:b}");
                assert_eq!(steps, order.steps_of_sort());
            }
        }
    }

    #[test]
    fn random_permutations_are_sorted() {
        let mut generator = ChaCha12Rng::seed_from_u64(1);
        for order in orders() {
            for _ in 0..5 {
                let mut numbers: Vec<usize> = (0..order.node_count()).collect();
                numbers.shuffle(&mut generator);
                order.sort(&mut numbers, |one, other| one.cmp(&other));
                assert!(numbers.into_iter().eq(0..order.node_count()));
            }
        }
    }

    #[test]
    fn places_and_nodes_are_inverse_and_bits_take_turns() {
        for order in orders() {
            for place in 0..order.node_count() {
                assert_eq!(order.place(order.node(place)), place);
            }
        }
        // x0 y0 x1 y1 x2: node (5, 2) of 8 x 4 has the bits 1 0 0 1 1.
        let order = order(MachineKind::Mesh, &[8, 4]);
        assert_eq!(order.place(NodeId::new(5 + 8 * 2)), 0b11001);
    }

    #[test]
    fn steps_are_those_of_the_page() {
        let mut square = order(MachineKind::Mesh, &[64, 64]);
        assert_eq!(square.steps_of_sort(), 417);
        // In row-major order:
        square.bits.sort_by_key(|bit| bit.node_bit);
        assert_eq!(square.steps_of_sort(), 618);
        for d in 1..7_u64 {
            let n = 1 << d;
            let order = order(MachineKind::Torus, &[n, n]);
            assert_eq!(order.steps_of_sort(), 7 * (n - 1) - 4 * d);
            assert_eq!(order.steps_of_pass(), 2 * (n - 1));
            let cube = super::tests::order(MachineKind::Hypercube, &vec![2; usize::try_from(d).unwrap()]);
            assert_eq!(cube.steps_of_sort(), d * (d + 1) / 2);
        }
        let line = Machine::new(MachineKind::Line, &[6]).unwrap();
        let error = SortedOrder::new(line.grid().unwrap()).unwrap_err();
        assert_eq!((error.dimension, error.length), (1, 6));
    }

    /// The examples of rank, concentrate, distribute and generalize (Tao 1988, section 2.4).
    #[test]
    fn operations_along_bits_are_those_of_the_text() {
        let cube = order(MachineKind::Hypercube, &[2; 3]);
        let selected = [false, false, false, true, false, true, true, true];
        let ranks = [None, None, None, Some(0), None, Some(1), Some(2), Some(3)];
        assert_eq!(cube.rank(&selected).records, ranks);
        let some = |entries: [(usize, char); 8]| -> Vec<Option<(usize, char)>> {
            entries.map(|entry| (entry.1 != '-').then_some(entry)).into()
        };
        let text = |records: Vec<Option<char>>| -> String {
            records.iter().map(|record| record.unwrap_or('-')).collect()
        };
        let scattered = [(0, 'A'), (0, '-'), (0, '-'), (1, 'B'), (0, '-'), (2, 'C'), (0, '-'), (3, 'D')];
        assert_eq!(text(cube.concentrate(some(scattered)).records), "ABCD----");
        let first = [(1, 'A'), (5, 'B'), (6, 'C'), (0, '-'), (0, '-'), (0, '-'), (0, '-'), (0, '-')];
        assert_eq!(text(cube.distribute(some(first)).records), "-A---BC-");
        // With -1 before the first height A has the places 0 and 1.
        assert_eq!(text(cube.generalize(some(first)).records), "AABBBBC-");
    }
}
