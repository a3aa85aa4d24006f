//! Machines (hosts): the hardware that a parallel program runs on.
//!
//! A [`Machine`] is a [`Grid`] or a graph. A grid has nodes in one or more dimensions, each of which wraps around or
//! does not (`docs/model.md` section 1; Tao 1988, 3.2.2 and 3.2.3). Nothing of it is stored: everything is computed from
//! coordinates ([`Axis`]), so that a machine of four billion nodes takes no more memory than one of eight. A graph, like a
//! butterfly, a fat tree or a list of links, is a [`Network`], whose routes are shortest, by formula or looked up in tables. This crate knows nodes,
//! links and channels, distances, routes and the three link modes.
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
mod cluster;
mod divisor;
mod edge_grammar;
mod extent;
mod families;
mod grid;
mod index_digit;
mod levels;
mod link;
mod machine;
mod machine_kind;
mod network;
mod node;
mod packet_routes;
mod partition;
mod route;
mod routes;
mod shape;
mod switched;
mod trees;
mod twisted;

pub use axis::{Axis, LinePosition, axes_distance};
pub use cluster::{Cluster, ClusterInside, ClusterOutside, ClusterPart, ClusterUplinks};
pub use divisor::{Divisor, Length, greatest_common_divisor, narrow};
pub use edge_grammar::{
    DerivationError, DerivedWords, EDGE_GRAMMARS, EdgeGrammar, GrammarMistake, MAX_DERIVED_PAIRS,
    NamedGrammar, UnmetGrammarCondition,
};
pub use extent::{Displacement, Extent, TieRule, Wrap, ring_sub};
pub use grid::Grid;
pub use index_digit::{BitDigit, Digit, IndexDigit, RadixDigit};
pub use levels::Levels;
pub use link::{Channel, Direction, Leg, Link, LinkMode, Sign};
pub use machine::{
    Failures, Graph, GraphSource, HostPart, HostParts, LinkTime, Machine, MachineError, MachineForm,
};
pub use machine_kind::{MachineKind, MachineKindDescriptor};
pub use network::{MAX_NEIGHBOURS, MAX_ROUTED_NODES, Network, NetworkError};
pub use node::{Coordinates, CoordinatesError, NodeError, NodeId};
pub use packet_routes::{
    ClassIn, HopLines, NextHop, PacketRoutes, PacketRoutesError, PathLines, RouteLines, minimal_routes,
    valiant_routes,
};
pub use partition::{Partition, PartitionError};
pub use route::Route;
pub use routes::{Climb, ClimbingSide, NetworkRoutes, RouteChoice, RouteKey, mix};
pub use shape::{HostDimension, HostDimensionError, MAX_DIMENSIONS, MAX_NODE_COUNT, Shape, ShapeError};
pub use switched::{HostNics, MAX_NETWORK_NODES, NetworkParameters};
pub use trees::{MAX_TREE_NODES, TreeParameters};
