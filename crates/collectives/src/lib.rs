//! Collective operations as stage programs (`docs/model.md` section 16).
//!
//! A [`Collective`] is a list of steps: [`Groups`], one algorithm in every line, plane or other group
//! of a logical shape at once, and computations. Most often it is one step of one group, made from a
//! [`CollectiveSpecification`]: an [`Operation`] such as all-reduce, performed by an [`Algorithm`] on
//! ranks in a shape. It is a [`Program`](cubefold_simulator::Program) of stages whose messages have
//! sizes. Messages are computed from the structure of the algorithm, not stored.
//!
//! [`OPERATIONS`] and [`ALGORITHMS`] are the registries. Every algorithm carries its data flow:
//! [`Groups::flow`] says which blocks a message carries, [`Collective::check_data_flow`] replays
//! them, and [`Collective::bounds`] gives lower bounds on a placement.
//!
//! | concept | file |
//! | --- | --- |
//! | the promise of an operation | `operation` |
//! | a user's choices | `specification` |
//! | shares and blocks of a vector | `vector` |
//! | coordinates and lines of ranks | `rank_grid` |
//! | the messages of a phase | `schedule` |
//! | the phases of an algorithm | `plan`, `algorithm` and a file for each family |
//! | an algorithm on one group | `group_algorithm` |
//! | ranks in groups | `group_map`, `groups` |
//! | steps | `collective` |
//! | the program and its guest graph | `program`, `guest` |
//! | the blocks of messages, replayed | `data_flow` |
//! | lower bounds | `bounds` |
//!
//! This crate is independent of scenarios: exchange `best` and lists of algorithms are choices among
//! collectives.
//!
//! ```
//! use cubefold_collectives::{Algorithm, Collective, CollectiveSpecification, Operation, Ports};
//! use cubefold_topology::Shape;
//!
//! let shape = Shape::new(&[4, 6])?;
//! let plain = CollectiveSpecification::new(Operation::AllReduce, Algorithm::Swing, shape, 1 << 20);
//! let swing = Collective::new(CollectiveSpecification { ports: Ports::All, ..plain })?;
//! // Two shares a dimension; 2 and 3 steps, there and back.
//! assert_eq!((swing.share_count(), swing.stage_count()), (4, 10));
//! assert_eq!(swing.check_data_flow(), Ok(()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithm;
mod bounds;
mod collective;
mod data_flow;
mod group_algorithm;
mod group_map;
mod groups;
mod guest;
mod operation;
mod plan;
mod program;
mod rank_grid;
mod schedule;
mod specification;
mod vector;

pub use algorithm::{ALGORITHMS, Algorithm, AlgorithmDescriptor, ShapeRequirement, ShareRule};
pub use bounds::{BandwidthSource, CollectiveBoundSource, CollectiveBounds, LinkCosts};
pub use collective::{Collective, Step, StepsError};
pub use data_flow::{DataFlowError, FlowMessage, MAX_REPLAYED_RANKS};
pub use groups::Groups;
pub use operation::{OPERATIONS, Operation, OperationDescriptor};
pub use schedule::Payload;
pub use specification::{
    Channels, CollectiveError, CollectiveSpecification, Exchange, Fold, MessageOrder, Ports,
};
