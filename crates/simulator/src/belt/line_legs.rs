//! The ways of all messages on a line, computed beforehand.

use cubefold_topology::NodeId;

use super::{
    course::CACHED,
    layout::{Layout, Leg, Stop},
};

/// Where messages between partners set out on a line, and how far they go: the same in all stages that pair them, and
/// on all lines of a dimension.
#[derive(Debug)]
pub(super) struct LineLegs {
    legs: Vec<LineLeg>, // bit by bit in which partners differ, those to each process
    processes: u32,
    length: u32, // the nodes of the line, as many as processes or more
}

/// A message's way along the line.
#[derive(Debug, Clone, Copy)]
struct LineLeg {
    channel: u32, // the first: that from node x is x upward, and downward the number of nodes + its position
    hops: u32,
}

impl LineLegs {
    /// The ways of processes on these nodes; none where the machine is not a line, or one so long that they would not
    /// stay near the processor.
    pub(super) fn new(layout: &Layout, nodes: &[NodeId]) -> Option<Self> {
        if layout.dimensions() > 1 || nodes.len() > CACHED {
            return None;
        }
        let leg = |process: usize, bit: u32| {
            let Leg { stop, hops, .. } = layout.next_leg(nodes[process ^ (1 << bit)], nodes[process])?;
            Some(LineLeg { channel: stop.line + stop.position, hops })
        };
        let bits = 0..nodes.len().trailing_zeros();
        let legs = bits.flat_map(|bit| (0..nodes.len()).map(move |process| leg(process, bit)));
        let legs = legs.collect::<Option<_>>()?;
        Some(Self { legs, processes: u32::try_from(nodes.len()).ok()?, length: layout.length(0) })
    }

    /// Bytes that the ways of so many processes on a line take.
    pub(super) fn bytes(processes: u64) -> u64 {
        let partners = u64::from(processes.max(1).ilog2());
        if processes > CACHED as u64 { 0 } else { processes * partners * size_of::<LineLeg>() as u64 }
    }

    /// The way from one process to its partner, whose node is `end`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call for each message costs as much as its work")]
    pub(super) fn leg(&self, from: u32, to: u32, end: NodeId) -> Option<Leg> {
        let place = u64::from((from ^ to).trailing_zeros()) * u64::from(self.processes) + u64::from(to);
        let LineLeg { channel, hops } = self.legs[usize::try_from(place).ok()?];
        let direction = u32::from(channel >= self.length);
        let line = self.length * direction;
        let stop = Stop { direction, line, position: channel - line };
        Some(Leg { stop, hops, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::{Machine, MachineKind, TieRule, Wrap};

    fn layout(lengths: &[u64], wrap: Wrap, tie: TieRule) -> Layout {
        let wraps = vec![wrap; lengths.len()];
        Layout::new(&Machine::with_wraps(MachineKind::Mesh, lengths, &wraps).unwrap(), tie)
    }

    #[test]
    fn ways_are_those_of_the_layout_also_where_nodes_are_left_over() {
        for (wrap, tie) in [
            (Wrap::Around, TieRule::Direct),
            (Wrap::Around, TieRule::Negative),
            (Wrap::Open, TieRule::Direct),
        ] {
            let layout = layout(&[11], wrap, tie);
            let nodes = [7, 0, 10, 3, 5, 9, 1, 2].map(NodeId::new);
            let legs = LineLegs::new(&layout, &nodes).unwrap();
            assert_eq!(LineLegs::bytes(8), legs.legs.len() as u64 * 8);
            for (from, to) in (0..8_u32).flat_map(|from| [1, 2, 4].map(|bit| (from, from ^ bit))) {
                let (here, there) = (nodes[from as usize], nodes[to as usize]);
                assert_eq!(legs.leg(from, to, there), layout.next_leg(here, there));
            }
        }
    }

    #[test]
    fn ways_are_kept_on_short_lines_only() {
        let nodes: Vec<NodeId> = (0..4).map(NodeId::new).collect();
        assert!(LineLegs::new(&layout(&[2, 2], Wrap::Around, TieRule::Direct), &nodes).is_none());
        let length = 2 * CACHED as u64;
        let nodes: Vec<NodeId> = (0..).take(2 * CACHED).map(NodeId::new).collect();
        let long = layout(&[length], Wrap::Around, TieRule::Direct);
        assert!(LineLegs::new(&long, &nodes).is_none());
        assert_eq!(LineLegs::bytes(length), 0);
    }
}
