//! Collective operations as stage programs (`docs/model.md` section 16).
//!
//! A [`Collective`] is made from a [`CollectiveSpecification`]: an [`Operation`] such as
//! all-reduce, performed by an [`Algorithm`] on ranks in a logical shape. It is a program of stages
//! whose messages have sizes.

mod algorithm;
mod bounds;
mod collective;
mod collective_program;
mod data_flow;
mod grouped;
mod operation;
mod program;
mod rank_grid;
mod schedule;
mod sequence;
mod specification;
mod vector;

pub use algorithm::{ALGORITHMS, Algorithm, AlgorithmDescriptor, ShapeRequirement, ShareRule};
pub use bounds::{BandwidthSource, CollectiveBounds, LinkCosts};
pub use collective::{Collective, ComputationTotals, ProcessMessages};
pub use collective_program::CollectiveProgram;
pub use data_flow::{DataFlowError, FlowMessage, MAX_REPLAYED_RANKS};
pub use grouped::{GroupError, GroupMessages, GroupedCollective};
pub use operation::{OPERATIONS, Operation, OperationDescriptor};
pub use schedule::Payload;
pub use sequence::{CollectiveSequence, SequenceError, SequenceMessages, SequenceStep};
pub use specification::{CollectiveError, CollectiveSpecification, Exchange, Ports};
