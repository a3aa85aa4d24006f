//! The edges of a guest with the nodes of their ends, in blocks of processes.

use std::ops::Range;

use cubefold_topology::{Machine, NodeId};

use crate::{GatheredImages, Guest, Placement};

/// The processes of a block: few enough for their images to stay in the nearest cache.
const PROCESSES_A_BLOCK: usize = 1 << 13;

/// The edges of a guest with the nodes of its processes.
#[derive(Debug)]
pub(super) struct EdgeBlocks<'a, G> {
    pub(super) guest: &'a G,
    pub(super) machine: &'a Machine,
    pub(super) images: &'a [NodeId], // of the guest's processes
}

impl<'a, G: Guest> EdgeBlocks<'a, G> {
    /// The edges of `guest`, whose processes have the first of `images`.
    pub(super) fn new(guest: &'a G, placement: &'a Placement, images: &'a [NodeId]) -> Self {
        let machine = placement.machine();
        let processes = usize::try_from(guest.process_count()).unwrap_or(usize::MAX);
        Self { guest, machine, images: &images[..processes] }
    }

    pub(super) fn count(&self) -> usize {
        self.images.len().div_ceil(PROCESSES_A_BLOCK)
    }

    /// Calls `visit` with a guest dimension and the images of both ends of some of its edges, until all edges of the
    /// block were visited.
    pub(super) fn visit(
        &self,
        block: usize,
        gathered: &mut GatheredImages,
        visit: &mut impl FnMut(usize, &[NodeId], &[NodeId]),
    ) {
        for dimension in 0..self.guest.dimension_count() {
            let mut of_dimension = |low: &[NodeId], high: &[NodeId]| visit(dimension, low, high);
            self.guest.visit_images(dimension, self.labels(block), self.images, gathered, &mut of_dimension);
        }
    }

    pub(super) fn labels(&self, block: usize) -> Range<u64> {
        let start = block * PROCESSES_A_BLOCK;
        start as u64..(start + PROCESSES_A_BLOCK).min(self.images.len()) as u64
    }
}

/// The bits in which any two of these nodes differ.
pub(super) fn differing_bits(low: &[NodeId], high: &[NodeId]) -> u32 {
    low.iter().zip(high).fold(0, |bits, (low, high)| bits | (low.index() ^ high.index()))
}
