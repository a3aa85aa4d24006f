//! A message on a leg of its route.

/// A message at a node, about to move or moving in one direction.
///
/// Sixteen bytes that hold all a hop needs: lists of them are read and written in order, and nothing else
/// of the message is looked at until its leg ends or something is in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transit {
    /// Its place among the [`Messages`](super::Messages).
    pub(crate) message: u32,
    /// The node that it is at, or that is transmitting it.
    pub(crate) node: u32,
    /// The links left in this leg, at least 1.
    pub(crate) hops: u32,
    /// The index of the direction of this leg.
    pub(crate) direction: u32,
}
