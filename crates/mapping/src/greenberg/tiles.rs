//! Meshes of three sides `3 * 2^a` in their smallest hypercubes (`docs/model.md` section 28.5).
//!
//! 27 nodes fill a 5-cube better than the Gray code does, which needs a 6-cube. A search found where to put them
//! with dilation 2; larger sides are cut into tiles of 3, mirrored from one to the next, so that the nodes on both
//! sides of a cut are at the same place of their tiles.

use cubefold_topology::Grid;

use super::slot_table::bits;
use crate::gray_code_word;

/// The node of the 5-cube of every node of the 3 x 3 x 3 mesh, in the order of their labels.
const TILE: [u32; 27] =
    [28, 16, 26, 25, 17, 18, 27, 29, 24, 31, 19, 2, 13, 21, 22, 15, 23, 30, 11, 3, 0, 8, 1, 4, 9, 5, 6];

/// The dimensions of the cube in which a tile lies.
const TILE_BITS: u32 = 5;

const TILE_SIDE: u32 = 3;

/// The numbers of tiles along the sides of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tiles {
    counts: [u32; 3], // powers of two
}

impl Tiles {
    /// The tiles of a mesh; `None` unless it has three sides `3 * 2^a`, all of them open.
    pub(super) fn of(guest: &Grid) -> Option<Self> {
        let mut extents = guest.extents();
        let mut count = || {
            let extent = extents.next().filter(|extent| !extent.is_ring())?;
            let tiles = u32::try_from(extent.length()).ok()?;
            (tiles.is_multiple_of(TILE_SIDE) && (tiles / TILE_SIDE).is_power_of_two())
                .then_some(tiles / TILE_SIDE)
        };
        let counts = [count()?, count()?, count()?];
        extents.next().is_none().then_some(Self { counts })
    }

    /// The dimensions of the cube that they fill.
    pub(super) fn cube_dimensions(self) -> u32 {
        TILE_BITS + self.counts.map(bits).iter().sum::<u32>()
    }

    /// The cube node of a node of the mesh: its place in the tile in the lowest bits, above it the code words of the
    /// tile's number along each side.
    pub(super) fn node(self, coordinates: [u32; 3]) -> u32 {
        let (mut inside, mut node, mut first_bit) = (0, 0, TILE_BITS);
        for (stride, (coordinate, count)) in
            [1, 3, 9].into_iter().zip(coordinates.into_iter().zip(self.counts))
        {
            let (tile, place) = (coordinate / TILE_SIDE, coordinate % TILE_SIDE);
            inside += stride * if tile.is_multiple_of(2) { place } else { TILE_SIDE - 1 - place };
            node |= gray_code_word(tile) << first_bit;
            first_bit += bits(count);
        }
        node | TILE[inside as usize]
    }
}
