//! Whose turn it is on a node.

use std::collections::BTreeMap;

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

/// A process with its node, and how many processes before it sit there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seat {
    pub(super) process: ProcessId,
    pub(super) node: NodeId,
    pub(super) turn: u64,
}

/// Every process in order with its seat.
pub(super) fn seats(placement: &Placement) -> impl Iterator<Item = Seat> {
    let alone = placement.is_one_to_one();
    let mut taken: BTreeMap<NodeId, u64> = BTreeMap::new();
    ProcessId::first(placement.process_count()).map(move |process| {
        let node = placement.node(process);
        // Where nobody shares there is nothing to remember, however large the machine is.
        if alone {
            return Seat { process, node, turn: 0 };
        }
        let next = taken.entry(node).or_default();
        let turn = *next;
        *next += 1;
        Seat { process, node, turn }
    })
}
