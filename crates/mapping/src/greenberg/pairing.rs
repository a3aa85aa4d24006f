//! Which axes of a mesh of several dimensions are taken together (6.2).

use super::mesh_sides::bits_of;

/// The axes of a guest that are placed together, by their indices: a pair, or one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axes {
    /// Two.
    Pair([usize; 2]),
    /// One, by the Gray code.
    Alone(usize),
}

impl Axes {
    fn first(self) -> usize {
        match self {
            Self::Pair([first, _]) => first,
            Self::Alone(axis) => axis,
        }
    }
}

/// As many pairs as there can be of which each saves a dimension of the cube, in the order of their first axes; two
/// axes that are all there is are a pair in any case.
///
/// A pair saves one where the product of its sides is no more than half of what the Gray code has slots. Axes fill
/// the Gray code to some share each, and the fuller an axis is the fewer others it goes with: to pair the fullest that
/// still goes with the emptiest, again and again, gives the most pairs.
pub(super) fn pairs(lengths: &[u64]) -> Vec<Axes> {
    if lengths.len() == 2 {
        return vec![Axes::Pair([0, 1])];
    }
    let mut by_share: Vec<usize> = (0..lengths.len()).collect();
    // a / over(a) < b / over(b)
    by_share.sort_by_key(|&axis| (u128::from(lengths[axis]) << 64 >> bits_of(lengths[axis]), axis));
    let (mut axes, mut rest) = (vec![], by_share.as_slice());
    while let [emptiest, between @ .., fullest] = rest {
        rest = if saves(lengths[*emptiest], lengths[*fullest]) {
            let pair = [*emptiest, *fullest];
            axes.push(Axes::Pair([pair[0].min(pair[1]), pair[0].max(pair[1])]));
            between
        } else {
            axes.push(Axes::Alone(*fullest));
            &rest[..rest.len() - 1]
        };
    }
    axes.extend(rest.iter().map(|&axis| Axes::Alone(axis)));
    axes.sort_by_key(|axes| axes.first());
    axes
}

/// Whether the mesh of two sides needs a dimension fewer than its Gray code.
pub(super) fn saves(one: u64, other: u64) -> bool {
    let gray = 1_u128 << (bits_of(one) + bits_of(other));
    2 * u128::from(one) * u128::from(other) <= gray
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::greenberg::{MeshSides, Method};

    #[test]
    fn a_pair_saves_a_dimension_where_reflection_is_its_method() {
        for rows in 1..=64 {
            for columns in rows..=64 {
                let reflects = MeshSides::new(rows, columns).unwrap().method() == Method::Reflection;
                assert_eq!(saves(rows, columns), reflects, "{rows} x {columns}");
            }
        }
    }

    /// The most pairs, by trial of all.
    fn most_pairs(lengths: &[u64]) -> usize {
        let Some((&first, others)) = lengths.split_first() else { return 0 };
        let with = |at: usize| {
            let rest: Vec<u64> =
                others.iter().enumerate().filter(|&(own, _)| own != at).map(|(_, &own)| own).collect();
            1 + most_pairs(&rest)
        };
        let paired = (0..others.len()).filter(|&at| saves(first, others[at])).map(with);
        paired.max().unwrap_or(0).max(most_pairs(others))
    }

    #[test]
    fn no_other_pairing_has_more_pairs() {
        let sides = [2, 3, 4, 5, 6, 7, 9, 11];
        for code in 0..8_usize.pow(5) {
            let lengths: Vec<u64> = (0..5).map(|digit| sides[code / 8_usize.pow(digit) % 8]).collect();
            if !lengths.is_sorted() {
                continue;
            }
            let found = pairs(&lengths);
            let count = found.iter().filter(|axes| matches!(axes, Axes::Pair(_))).count();
            assert_eq!(count, most_pairs(&lengths), "{lengths:?}");
            assert_eq!(count + found.len(), lengths.len(), "{lengths:?}");
        }
    }

    #[test]
    fn two_axes_are_a_pair_and_three_cubes_of_three_have_none() {
        assert_eq!(pairs(&[4, 4]), [Axes::Pair([0, 1])]);
        assert_eq!(pairs(&[3, 3, 3]), [Axes::Alone(0), Axes::Alone(1), Axes::Alone(2)]);
        assert_eq!(pairs(&[5, 4, 5]), [Axes::Pair([0, 2]), Axes::Alone(1)]);
        assert_eq!(pairs(&[7]), [Axes::Alone(0)]);
    }
}
