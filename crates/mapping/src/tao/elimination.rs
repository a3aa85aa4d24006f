//! The function of a chain of general reductions that eliminates one guest dimension per step (Tao 1988, 4.5.3).
//!
//! With `P_j` the multiplier of the guest dimension `a_j` that becomes host dimension `j`, `e_k` the list to which
//! the coordinate of the eliminated dimension `k` expands, and `Q_kj` the product of the components at `j` of the
//! dimensions eliminated after it:
//!
//! ```text
//! p_j = P_j x_(a_j) + sum over k of Q_kj e_kj
//! ```
//!
//! Below `P_j` is a mixed-radix number, in which the dimension eliminated first weighs most (`docs/model.md` section
//! 28.2).

use cubefold_topology::{Length, MAX_DIMENSIONS, narrow};

use super::radix::{CoordinateBuffer, RadixBase};
use super::sequence::Sequence;

/// The function `F'`, `H'` or `G'` of a chain, by the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Elimination {
    sequence: Sequence,
    multiplicands: Vec<Multiplicand>, // of each host dimension
    eliminated: Vec<Eliminated>,      // in the order of elimination
}

/// The guest dimension that becomes a host dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Multiplicand {
    dimension: usize,   // a_j
    multiplier: Length, // P_j
}

/// A guest dimension that is eliminated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Eliminated {
    dimension: usize,
    list: RadixBase, // S_k
    places: Vec<Place>,
}

/// The place of a component of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: usize,
    weight: Length, // Q_kj
    length: Length, // f_kj
}

impl Elimination {
    /// A function without eliminated dimensions: coordinates multiplied by `multipliers`, one for each host
    /// dimension with the guest dimension that becomes it.
    pub(super) fn new(sequence: Sequence, multiplicands: &[usize], multipliers: &[u64]) -> Self {
        let multiplicand = |(&dimension, &multiplier): (&usize, &u64)| Multiplicand {
            dimension,
            multiplier: Length::new(multiplier),
        };
        let multiplicands = multiplicands.iter().zip(multipliers).map(multiplicand).collect();
        Self { sequence, multiplicands, eliminated: vec![] }
    }

    /// Eliminates one more dimension, whose list has components `(host dimension, weight, length)`.
    pub(super) fn eliminate(&mut self, dimension: usize, components: &[(usize, u64, u64)]) {
        let lengths: Vec<u64> = components.iter().map(|&(_, _, length)| length).collect();
        let place = |&(host, weight, length): &(usize, u64, u64)| Place {
            host,
            weight: Length::new(weight),
            length: Length::new(length),
        };
        self.eliminated.push(Eliminated {
            dimension,
            list: RadixBase::new(&lengths),
            places: components.iter().map(place).collect(),
        });
    }

    pub(super) fn write_image(&self, from: &CoordinateBuffer, image: &mut CoordinateBuffer) {
        for (slot, multiplicand) in image.iter_mut().zip(&self.multiplicands) {
            *slot = narrow(multiplicand.multiplier.get() * u64::from(from[multiplicand.dimension]));
        }
        for eliminated in &self.eliminated {
            let mut element = [0; MAX_DIMENSIONS];
            let element = &mut element[..eliminated.places.len()];
            self.sequence.write_element(&eliminated.list, from[eliminated.dimension], element);
            for (place, &component) in eliminated.places.iter().zip(element.iter()) {
                image[place.host] += narrow(place.weight.get() * u64::from(component));
            }
        }
    }

    pub(super) fn write_origin(&self, image: &CoordinateBuffer, origin: &mut CoordinateBuffer) {
        let mut below = [0; MAX_DIMENSIONS];
        for ((multiplicand, &coordinate), rest) in self.multiplicands.iter().zip(image).zip(&mut below) {
            let (base, offset) = multiplicand.multiplier.divide(u64::from(coordinate));
            origin[multiplicand.dimension] = narrow(base);
            *rest = offset;
        }
        for eliminated in &self.eliminated {
            let mut element = [0; MAX_DIMENSIONS];
            for (place, component) in eliminated.places.iter().zip(&mut element) {
                let (digits, _) = place.weight.divide(below[place.host]);
                *component = narrow(place.length.divide(digits).1);
            }
            origin[eliminated.dimension] =
                self.sequence.position(&eliminated.list, &element[..eliminated.places.len()]);
        }
    }
}
