//! The three link modes: who may transmit at the same time.

use std::fmt;

use crate::{Direction, Sign};

/// Which channels may be busy at the same time (Tao 1988, 4.2; `docs/model.md` section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkMode {
    /// Mode 1: one message a channel.
    #[default]
    FullDuplex,
    /// Mode 2: one message a link, in either direction.
    HalfDuplex,
    /// Mode 3: one message a channel, and in the whole machine only channels of one direction.
    SingleDirection,
}

impl LinkMode {
    /// Every mode, in the order of Tao's numbers.
    pub const ALL: [Self; 3] = [Self::FullDuplex, Self::HalfDuplex, Self::SingleDirection];

    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FullDuplex => "full-duplex",
            Self::HalfDuplex => "half-duplex",
            Self::SingleDirection => "single-direction",
        }
    }

    /// Tao's number for it: 1, 2 or 3.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::FullDuplex => 1,
            Self::HalfDuplex => 2,
            Self::SingleDirection => 3,
        }
    }

    /// The coordinated movements that a phase is made of, one after another, each as the directions in
    /// which messages move at once (`docs/model.md` section 6).
    #[must_use]
    pub fn movements(self, dimension_count: usize) -> Vec<Vec<Direction>> {
        let directions = Direction::all(dimension_count);
        let with_sign = |sign| directions.clone().filter(move |direction| direction.sign == sign).collect();
        match self {
            Self::FullDuplex => vec![directions.collect()],
            Self::HalfDuplex => Sign::BOTH.map(with_sign).to_vec(),
            Self::SingleDirection => directions.map(|direction| vec![direction]).collect(),
        }
    }
}

impl fmt::Display for LinkMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_movement_may_be_made_at_once_and_all_directions_are_covered() {
        let counts = LinkMode::ALL.map(|mode| mode.movements(3).iter().map(Vec::len).collect::<Vec<_>>());
        assert_eq!(counts, [vec![6], vec![3, 3], vec![1; 6]]);
    }
}
