//! Machines (hosts): what a parallel program runs on.
//!
//! A [`Machine`] is a grid of nodes in one or more dimensions, each of which wraps around or does not
//! (`docs/model.md` section 1; Tao 1988, 3.2.2 and 3.2.3). This crate knows its nodes, links and
//! channels, the distances between nodes, the dimension-order routes of messages and the three link
//! modes. Nothing of it is stored as a graph: everything is computed from coordinates, so that a machine
//! of four billion nodes costs no more than one of eight. Machines that are no grids, like butterflies, trees or what a
//! list of links describes, are a [`Network`] behind the same face: its routes are looked up in tables.
//!
//! It knows no processes, no placements and no time; the crates above add those.
//!
//! ```
//! use cubefold_topology::{Machine, MachineKind, TieRule};
//!
//! let torus = Machine::new(MachineKind::Torus, &[8, 4])?;
//! let (corner, middle) = (torus.node(0)?, torus.node(7 + 2 * 8)?);
//! assert_eq!(torus.distance(corner, middle), 1 + 2);
//! assert_eq!(torus.route(corner, middle, TieRule::Direct).count(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod divisor;
mod extent;
mod families;
mod grid;
mod index_digit;
mod link;
mod machine;
mod machine_kind;
mod network;
mod node;
mod partition;
mod route;
mod shape;

pub use axis::{Axis, AxisLeg, LinePosition, axes_distance};
pub use divisor::{Divisor, Length, narrow};
pub use extent::{Displacement, Extent, Wrap, ring_add, ring_sub};
pub use grid::Grid;
pub use index_digit::{BitDigit, Digit, IndexDigit, RadixDigit};
pub use link::{Channel, Direction, Link, LinkMode, Sign};
pub use machine::{Graph, GraphSource, Machine, MachineError, MachineForm};
pub use machine_kind::{MachineKind, MachineKindDescriptor};
pub use network::{MAX_NEIGHBOURS, MAX_ROUTED_NODES, Network, NetworkError};
pub use node::{Coordinates, CoordinatesError, NodeError, NodeId};
pub use partition::{Partition, PartitionError};
pub use route::{Leg, Route, TieRule};
pub use shape::{HostDimension, HostDimensionError, MAX_DIMENSIONS, MAX_NODE_COUNT, Shape, ShapeError};
