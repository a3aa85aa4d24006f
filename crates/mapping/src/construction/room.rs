//! Coordinates in room that fits those of any node, so that none is allocated.

use cubefold_topology::MAX_DIMENSIONS;

use super::length::Length;
use super::mixed_radix::narrow;

/// Room for the coordinates of any node; what follows the last coordinate is of no meaning.
pub(super) type Room = [u32; MAX_DIMENSIONS];

/// The coordinates of a node or process by its index.
pub(super) fn coordinates(index: u32, lengths: &[Length]) -> Room {
    let mut room = [0; MAX_DIMENSIONS];
    let mut rest = u64::from(index);
    for (slot, length) in room.iter_mut().zip(lengths) {
        let (higher, coordinate) = length.divide(rest);
        *slot = narrow(coordinate);
        rest = higher;
    }
    assert_eq!(rest, 0, "an index below the number of nodes");
    room
}

/// The index of a node or process by its coordinates.
pub(super) fn index(room: &Room, lengths: &[Length]) -> u32 {
    let (mut index, mut stride) = (0_u64, 1_u64);
    for (&coordinate, length) in room.iter().zip(lengths) {
        // Neither wraps: strides are at most the number of nodes, 2^32, and the sum stays below it.
        index = index.wrapping_add(u64::from(coordinate).wrapping_mul(stride));
        stride = stride.wrapping_mul(length.get());
    }
    narrow(index)
}
