//! Vectors: the units of a collective, their shares and their blocks (`docs/model.md` section 16).

/// Returns the units of share `share` of `share_count` of a vector of `vector_units` units.
///
/// The share is `floor(c M / k) .. floor((c + 1) M / k)`.
pub(crate) fn share_units(vector_units: u64, share: u32, share_count: u32) -> u64 {
    let start = |share: u32| {
        let product = u128::from(vector_units) * u128::from(share) / u128::from(share_count);
        u64::try_from(product).unwrap_or(vector_units) // at most the vector, as share <= share_count
    };
    start(share + 1) - start(share)
}

/// Returns the longest distance along a cycle from a member with units to the next one with units, given
/// the sizes of all members in order: 1 if all have units, 0 if none has.
pub(crate) fn longest_gap(sizes: impl Iterator<Item = u64> + Clone) -> usize {
    let places = sizes.clone().enumerate().filter(|&(_, units)| units > 0).map(|(place, _)| place);
    let (first, last) = (places.clone().next(), places.clone().last());
    let (Some(first), Some(last)) = (first, last) else { return 0 };
    let inside = places.clone().zip(places.skip(1)).map(|(one, next)| next - one).max();
    (first + sizes.count() - last).max(inside.unwrap_or(0))
}

/// The division of a share of `V` units into `P` blocks, block `b` being `floor(b V / P) ..
/// floor((b + 1) V / P)`.
#[derive(Debug, Clone)]
pub(crate) struct BlockTable {
    starts: Vec<u64>, // P + 1 entries; starts[b] = floor(b V / P)
}

impl BlockTable {
    /// The memory of a block \[bytes\].
    pub(crate) const BYTES_A_BLOCK: u64 = size_of::<u64>() as u64;

    /// Returns the division of `units` units into `block_count >= 1` blocks.
    pub(crate) fn new(units: u64, block_count: u32) -> Self {
        let count = u64::from(block_count);
        let (quotient, remainder) = (units / count, units % count);
        // The remainder and the block are below 2^32, so their product is below 2^64.
        let starts = (0..=count).map(|block| quotient * block + remainder * block / count).collect();
        Self { starts }
    }

    /// Returns the blocks of these sizes, at least one \[units\].
    pub(crate) fn of_sizes(sizes: impl Iterator<Item = u64>) -> Self {
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        Self { starts }
    }

    /// Returns the number of units of all blocks.
    pub(crate) fn units(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Returns the number of blocks `P`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "made for a number of blocks of 32 bits")]
    pub(crate) fn count(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// Whether all blocks of a [division](Self::new) have the same size.
    pub(crate) fn is_even(&self) -> bool {
        self.units().is_multiple_of(self.count().into())
    }

    /// Returns the number of units of a block.
    #[inline]
    pub(crate) fn size(&self, block: u32) -> u64 {
        self.starts[block as usize + 1] - self.starts[block as usize]
    }

    /// Returns the sizes of all blocks \[units\], by block.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        self.starts.windows(2).map(|ends| ends[1] - ends[0]).collect()
    }

    /// Returns the number of units of the `count <= P` blocks from `first` on, cyclically.
    #[inline]
    pub(crate) fn cyclic(&self, first: u32, count: u32) -> u64 {
        let (first, end, blocks) = (first as usize, first as usize + count as usize, self.starts.len() - 1);
        if end <= blocks {
            self.starts[end] - self.starts[first]
        } else {
            self.units() - self.starts[first] + self.starts[end - blocks]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_blocks_add_up_and_differ_by_one_unit_at_most() {
        for units in 0..70 {
            for count in 1..12 {
                let table = BlockTable::new(units, count);
                let sizes = table.sizes();
                assert_eq!(
                    sizes,
                    (0..count).map(|share| share_units(units, share, count)).collect::<Vec<_>>()
                );
                assert_eq!(sizes.iter().sum::<u64>(), units);
                assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
        assert_eq!(share_units(u64::MAX, 6, 7), u64::MAX.div_ceil(7));
    }

    #[test]
    fn cyclic_intervals_are_sums_of_blocks() {
        let table = BlockTable::new(23, 7);
        for first in 0..7 {
            for count in 0..=7 {
                let sum: u64 = (first..first + count).map(|block| table.size(block % 7)).sum();
                assert_eq!(table.cyclic(first, count), sum);
            }
        }
    }
}
