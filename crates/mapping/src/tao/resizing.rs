//! The functions that give a guest the size of its host, or of a box of it, before a one-to-one construction.

use cubefold_topology::MAX_DIMENSIONS;

use super::{
    contraction::{Contraction, CoordinateSet},
    radix::CoordinateBuffer,
    spare_nodes::Corner,
    uneven_contraction::UnevenContraction,
};

/// The guest coordinates, dimension by dimension, of the processes of one node: their product.
pub(super) type CoordinateSets = [CoordinateSet; MAX_DIMENSIONS];

/// A function from the coordinates of a guest to those of a grid of another size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resizing {
    /// Equally many processes to a node.
    Contraction(Contraction),
    /// More processes on some nodes than on others.
    Uneven(UnevenContraction),
    /// One process on some nodes of a box of the host, none elsewhere.
    Corner(Corner),
}

impl Resizing {
    pub(super) fn image(&self, from: &CoordinateBuffer) -> CoordinateBuffer {
        match self {
            Self::Contraction(contraction) => contraction.image(from),
            Self::Uneven(contraction) => contraction.image(from),
            Self::Corner(corner) => corner.image(from),
        }
    }

    /// The host coordinates of the image of a one-to-one construction.
    pub(super) fn on_host(&self, image: CoordinateBuffer) -> CoordinateBuffer {
        match self {
            Self::Contraction(_) | Self::Uneven(_) => image,
            Self::Corner(corner) => corner.on_host(&image),
        }
    }

    /// The image of a one-to-one construction that has these host coordinates; `None` outside its box.
    pub(super) fn in_box(&self, node: CoordinateBuffer) -> Option<CoordinateBuffer> {
        match self {
            Self::Contraction(_) | Self::Uneven(_) => Some(node),
            Self::Corner(corner) => corner.in_box(&node),
        }
    }

    /// The coordinates of all processes with an image; `None` if there are none.
    pub(super) fn origins(&self, image: &CoordinateBuffer) -> Option<CoordinateSets> {
        match self {
            Self::Contraction(contraction) => Some(contraction.origins(image)),
            Self::Uneven(contraction) => Some(contraction.origins(image)),
            Self::Corner(corner) => corner.origins(image),
        }
    }

    /// The greatest and the least number of processes on a node of a guest of `processes` on a host of `nodes`.
    pub(super) fn loads(&self, processes: u64, nodes: u64) -> (u64, u64) {
        match self {
            Self::Contraction(_) => (processes / nodes, processes / nodes),
            Self::Uneven(contraction) => contraction.loads(),
            Self::Corner(_) => (1, 0),
        }
    }
}
