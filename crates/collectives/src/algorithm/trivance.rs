//! Trivance: partners on both sides at once, at distances 1, 3, 9, ...
//!
//! Coordinate `x` of a side `k` exchanges with both `x + e_j` and `x - e_j`, modulo the side: `e_j
//! = 3^j`, and `ceil((k - 3^(S-1)) / 2)` in the last of `S = ceil(log3 k)` steps. Of blocks that
//! both partners of a step could take, the `+` partner takes them (Jürss, Addanki & Schmid 2026;
//! `docs/model.md` section 16).

use super::{
    AlgorithmDescriptor, ShapeRequirement,
    line_pattern::{LinePattern, Symmetry},
    pattern::{self, pattern_plan, patterns_by_share},
};

pub(super) static TRIVANCE: AlgorithmDescriptor = AlgorithmDescriptor {
    name: "trivance",
    summary: "partners on both sides in every step; log3 P steps",
    source: "Juerss, Addanki & Schmid 2026 (Trivance)",
    whole_shapes: ShapeRequirement::SidesTwoOrPowersOfThree,
    plan: |context| {
        let plain = |side| line(side, |distance| [distance, side - distance]);
        let exchanged = |side| line(side, |distance| [side - distance, distance]);
        pattern_plan(context, patterns_by_share(context, plain, exchanged))
    },
    ..pattern::BLANK_PATTERN
};

/// Returns the pattern along a line, if `partners` gives the offsets of the two partners at a distance.
fn line(side: u32, partners: impl Fn(u32) -> [u32; 2]) -> LinePattern {
    let partners: Vec<Vec<u32>> = distances(side)
        .into_iter()
        .map(|distance| {
            let mut offsets = partners(distance).to_vec();
            offsets.dedup(); // on a side of 2 the two are equal
            offsets
        })
        .collect();
    LinePattern::new(side, Symmetry::Shift, &partners)
}

/// Returns the distances `e_j` of all steps.
fn distances(side: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u64), |power| Some(power * 3));
    let mut distances: Vec<u32> = Vec::new();
    for power in powers.take_while(|&power| power < side.into()) {
        distances.extend(u32::try_from(power));
    }
    if let Some(last) = distances.last_mut() {
        *last = (side - *last).div_ceil(2);
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_powers_of_three_and_half_of_the_rest() {
        assert_eq!(distances(2), [1]);
        assert_eq!(distances(3), [1]);
        assert_eq!(distances(8), [1, 3]);
        assert_eq!(distances(27), [1, 3, 9]);
        assert_eq!(distances(64), [1, 3, 9, 19]);
    }
}
