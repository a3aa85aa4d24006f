//! Square graphs: the chains of theorems 3.5.3 and 3.5.5.

mod lowering;
mod rising;

pub(super) use lowering::plan as plan_lowering;
pub(super) use rising::plan as plan_rising;

use super::promise::{PromisedSteps, RoutingSubset};

/// Whether a torus is folded before it is led to a host that wraps, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Folding {
    /// Where a torus goes into a mesh.
    AsNeeded,
    /// Also where the host is a torus.
    Always,
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The whole number whose `exponent`-th power is `power`, if any.
pub(super) fn root(power: u64, exponent: usize) -> Option<u64> {
    let exponent = u32::try_from(exponent).ok().filter(|&exponent| exponent > 0)?;
    let reaches = |base: u64| base.checked_pow(exponent).is_none_or(|found| found >= power);
    let (mut low, mut high) = (1, power);
    while low < high {
        let middle = low.midpoint(high);
        if reaches(middle) { high = middle } else { low = middle + 1 }
    }
    (low.checked_pow(exponent) == Some(power)).then_some(low)
}

/// Subset 1 with distances `s^(last)` and, for `q = 2, 3, ..`, subset `q` with `s^(q-2)`: each in phases of that
/// many links, two of them (lemma 4.2.2, errata A1).
fn folded_subsets(side: u64, last: u32, host_dimensions: usize) -> Vec<RoutingSubset> {
    let subset = |number: u32, exponent: u32| RoutingSubset {
        number,
        phase_length: Some(side.pow(exponent)),
        steps: PromisedSteps::uniform(2 * side.pow(exponent), host_dimensions),
    };
    let first = std::iter::once(subset(1, last));
    first.chain((0..last).map(|exponent| subset(exponent + 2, exponent))).collect()
}

/// The subset of dimension `k`, counted from 1: 1 for the first `first`, then 2, 3, .. for `block` each.
fn subset_of(dimension: usize, first: usize, block: usize) -> u32 {
    let block_number = dimension.saturating_sub(first).div_ceil(block);
    u32::try_from(block_number).unwrap_or(u32::MAX) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_whole_or_none() {
        assert_eq!(root(27, 3), Some(3));
        assert_eq!(root(1 << 32, 32), Some(2));
        assert_eq!(root(1 << 32, 1), Some(1 << 32));
        assert_eq!(root(12, 2), None);
        assert_eq!(greatest_common_divisor(12, 18), 6);
    }
}
