//! The three link modes: who may transmit at the same time.

use std::fmt;

use crate::{Channel, Direction, Machine, Sign};

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

    /// Whether channels `a` and `b` of `machine` may both be busy at the same time.
    ///
    /// # Panics
    ///
    /// When a channel is not one of the machine's.
    #[must_use]
    pub fn may_transmit_together(self, machine: &Machine, a: Channel, b: Channel) -> bool {
        match self {
            Self::FullDuplex => a != b,
            Self::HalfDuplex => machine.link(a) != machine.link(b),
            Self::SingleDirection => a != b && a.direction == b.direction,
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
    use crate::{HostDimension, MachineKind};

    fn channel(machine: &Machine, node: u64, dimension: usize, sign: Sign) -> Channel {
        let direction = Direction { dimension: HostDimension::new(dimension).unwrap(), sign };
        Channel { node: machine.node(node).unwrap(), direction }
    }

    #[test]
    fn the_modes_allow_what_tao_says() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let there = channel(&torus, 0, 1, Sign::Positive);
        let back = channel(&torus, 1, 1, Sign::Negative);
        let beside = channel(&torus, 1, 1, Sign::Positive);
        let across = channel(&torus, 1, 2, Sign::Positive);
        let allowed = |other| LinkMode::ALL.map(|mode| mode.may_transmit_together(&torus, there, other));
        assert_eq!(allowed(there), [false, false, false]);
        assert_eq!(allowed(back), [true, false, false]);
        assert_eq!(allowed(beside), [true, true, true]);
        assert_eq!(allowed(across), [true, true, false]);
    }

    #[test]
    fn each_movement_may_be_made_at_once_and_all_directions_are_covered() {
        let counts = LinkMode::ALL.map(|mode| mode.movements(3).iter().map(Vec::len).collect::<Vec<_>>());
        assert_eq!(counts, [vec![6], vec![3, 3], vec![1; 6]]);
    }
}
