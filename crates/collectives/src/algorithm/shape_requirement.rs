//! The shapes for which an algorithm is defined.

use std::fmt;

use cubefold_topology::{Shape, greatest_common_divisor, narrow};

/// A condition on the logical shape of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeRequirement {
    /// None.
    Any,
    /// Every side is a power of two.
    SidesPowersOfTwo,
    /// One side, or sides that are powers of two.
    RowOrSidesPowersOfTwo,
    /// Every side is 2 or a power of three.
    SidesTwoOrPowersOfThree,
    /// The number of processes is a power of two.
    CountPowerOfTwo,
    /// Two sides `r` and `c >= 3`, in any order, where `c` divides `r` and `gcd(r, c - 1) = 1`.
    HamiltonianCycles,
}

impl ShapeRequirement {
    /// Whether a shape meets the condition.
    #[must_use]
    pub fn is_met_by(self, shape: &Shape) -> bool {
        let sides = shape.lengths();
        match self {
            Self::Any => true,
            Self::RowOrSidesPowersOfTwo => {
                sides.len() == 1 || sides.iter().all(|side| side.is_power_of_two())
            }
            Self::SidesPowersOfTwo => sides.iter().all(|side| side.is_power_of_two()),
            Self::SidesTwoOrPowersOfThree => sides.iter().all(|&side| side == 2 || is_power_of_three(side)),
            Self::CountPowerOfTwo => shape.node_count().is_power_of_two(),
            Self::HamiltonianCycles => {
                hamiltonian_sides(&sides.iter().map(|&side| narrow(side)).collect::<Vec<_>>()).is_some()
            }
        }
    }
}

impl fmt::Display for ShapeRequirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Any => "any shape",
            Self::RowOrSidesPowersOfTwo => "one side, or sides that are powers of two",
            Self::SidesPowersOfTwo => "sides that are powers of two",
            Self::SidesTwoOrPowersOfThree => "sides that are 2 or powers of three",
            Self::CountPowerOfTwo => "a number of processes that is a power of two",
            Self::HamiltonianCycles => {
                "two sides r and c >= 3 where c divides r, and r and c - 1 have no common factor"
            }
        })
    }
}

/// The dimensions of the sides `r` and `c` of a torus with two edge-disjoint Hamiltonian cycles;
/// `None` for other sides.
///
/// If both orders fit, `r` is the second side.
pub(crate) fn hamiltonian_sides(sides: &[u32]) -> Option<(usize, usize)> {
    let &[first, second] = sides else { return None };
    let fits = |r: u32, c: u32| c >= 3 && r.is_multiple_of(c) && greatest_common_divisor(r, c - 1) == 1;
    if fits(second, first) { Some((1, 0)) } else { fits(first, second).then_some((0, 1)) }
}

fn is_power_of_three(mut number: u64) -> bool {
    while number > 1 && number.is_multiple_of(3) {
        number /= 3;
    }
    number == 1
}
