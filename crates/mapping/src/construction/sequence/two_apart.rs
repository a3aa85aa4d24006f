//! The map `t_n`: a ring folded onto a line so that neighbours come to lie at most two apart.

use super::super::mixed_radix::narrow;

/// `t_n(x)` (Tao 1988, definition 3.3.2): `2x` in the first half, `2n - 2x - 1` in the second.
///
/// The two clauses of the definition, for even and odd `n`, come to the same; `x` is below `n`. Even numbers
/// ascend, then odd ones descend:
///
/// ```text
/// x         0 1 2 3 4 5 6
/// t_7(x)    0 2 4 6 5 3 1
/// ```
pub(in super::super) fn fold(length: u64, position: u32) -> u32 {
    let doubled = 2 * u64::from(position);
    narrow(if doubled < length { doubled } else { 2 * length - doubled - 1 })
}

/// `t_n^-1(y)` (Tao 1988, 4.3.1): `y / 2` for even `y`, `n - (y + 1) / 2` for odd.
pub(in super::super) fn unfold(length: u64, folded: u32) -> u32 {
    let folded = u64::from(folded);
    narrow(if folded.is_multiple_of(2) { folded / 2 } else { length - folded.div_ceil(2) })
}
