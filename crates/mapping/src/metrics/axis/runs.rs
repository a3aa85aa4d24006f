//! What routes use of the links of one dimension.

use cubefold_topology::{Digit, NodeId};

/// The runs of links of some routes along one dimension, each on its own line.
#[derive(Debug, Default)]
pub(in super::super) struct Runs {
    /// The node at which each begins, `+` leading along it.
    pub(in super::super) first: Vec<u32>,
    /// The node at which it ends: the first where the route uses no link of the dimension.
    pub(in super::super) end: Vec<u32>,
    /// The node at coordinate 0 of its line.
    pub(in super::super) origin: Vec<u32>,
    /// Whether it uses the wraparound link: 1 or 0.
    pub(in super::super) wraps: Vec<u32>,
    /// Whether any does.
    pub(in super::super) any_wraps: bool,
}

impl Runs {
    /// Writes the runs of routes that go up where `is_up` says so of the coordinates of both ends.
    pub(super) fn write(
        &mut self,
        digit: &impl Digit,
        from: &[NodeId],
        to: &[NodeId],
        is_up: impl Fn(u32, u32) -> bool,
    ) {
        for list in [&mut self.first, &mut self.end, &mut self.origin, &mut self.wraps] {
            list.resize(from.len(), 0);
        }
        let slots = self.first.iter_mut().zip(&mut self.end).zip(&mut self.origin).zip(&mut self.wraps);
        let mut any_wraps = 0;
        for ((((first, end), origin), wraps), (from, to)) in slots.zip(from.iter().zip(to)) {
            let (from, to) = (from.index(), to.index());
            let (a, b) = (digit.position(from), digit.position(to));
            let is_up = is_up(a, b);
            // Going down is going up over the same links from the other end.
            let (low, high) = (if is_up { a } else { b }, if is_up { b } else { a });
            // The sums are indices of nodes: none wraps.
            *origin = digit.line(from, to);
            *first = origin.wrapping_add(digit.offset(low));
            *end = origin.wrapping_add(digit.offset(high));
            *wraps = u32::from(high < low);
            any_wraps |= *wraps;
        }
        self.any_wraps = any_wraps != 0;
    }
}
