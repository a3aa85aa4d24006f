//! The Gray and the flexed sequence: which dimension of a cube is crossed at each step (definition 2).
//!
//! Of the report's three ways to count, the one of definition 6 is meant: an n-cube has dimensions 0 to n - 1, and
//! steps are counted from 1 (errata G1, G2).

use crate::product::{gray_position as position_in_gray_code, gray_word};

/// The dimension that step `step` of the Gray code crosses, in a cube of `dimensions` dimensions: 0, 1, 0, 2, 0, ..
///
/// Greenberg 1987, definition 2. `step` counts from 1; after `2^n - 1` steps it goes on cyclically, the closing step
/// `2^n` crossing the highest dimension back to the first node. A cube without dimensions, and step 0, count
/// as dimension 0.
#[must_use]
pub fn gray_dimension(step: u32, dimensions: u32) -> u32 {
    step.trailing_zeros().min(dimensions.saturating_sub(1))
}

/// The dimension that step `step` of the flexed sequence crosses: the Gray sequence with the order of dimensions
/// reversed, n - 1, n - 2, n - 1, n - 3, ..
///
/// Greenberg 1987, definition 2. Beyond `2^n - 1` steps it goes on cyclically: the closing step `2^n` crosses
/// dimension 0 (errata G3).
#[must_use]
pub fn flexed_dimension(step: u32, dimensions: u32) -> u32 {
    dimensions.saturating_sub(1) - gray_dimension(step, dimensions)
}

/// The cube node at a position of the Gray code, both counted from 0 (definitions 3 and 6; errata G5).
#[must_use]
pub fn gray_code_word(position: u32) -> u32 {
    gray_word(position)
}

/// The position of a cube node on the Gray code: the inverse of [`gray_code_word`].
pub(super) fn gray_position(word: u32) -> u32 {
    position_in_gray_code(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_the_sequence_lead_from_word_to_word() {
        for position in 0..1 << 12 {
            let crossed = gray_code_word(position) ^ gray_code_word(position + 1);
            assert_eq!(crossed, 1 << gray_dimension(position + 1, 13));
        }
        assert_eq!(gray_code_word((1 << 12) - 1), 1 << gray_dimension(1 << 12, 12), "the closing step");
    }

    #[test]
    fn the_sixth_step_of_the_fourth_order_crosses_dimension_one() {
        // Example 1 of the report.
        assert_eq!(gray_dimension(6, 4), 1);
    }
}
