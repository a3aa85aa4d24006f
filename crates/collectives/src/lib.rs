//! Collective operations as stage programs (`docs/model.md` section 16).
//!
//! A [`Collective`] is made from a [`CollectiveSpecification`]: an [`Operation`] such as all-reduce,
//! performed by an [`Algorithm`] on ranks in a logical shape. It is a program of stages whose
//! messages have sizes. Messages are computed from the structure of the algorithm, not stored. A
//! [`GroupedCollective`] runs in every line or plane of a logical shape at once; a
//! [`CollectiveSequence`] puts collectives and computations one after another. All three are
//! [`Program`](cubefold_simulator::Program)s of the engines.
//!
//! [`OPERATIONS`] and [`ALGORITHMS`] list what there is. Every algorithm carries its data flow:
//! [`Collective::flow`] says which blocks a message carries, [`Collective::check_data_flow`] replays
//! them, and [`Collective::bounds`] gives lower bounds on a placement.
//!
//! This crate knows no scenarios: exchange `best` and lists of algorithms are choices between
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
mod collective_program;
mod data_flow;
mod form;
mod grouped;
mod operation;
mod program;
mod rank_grid;
mod schedule;
mod sequence;
mod specification;
mod vector;

pub use algorithm::{ALGORITHMS, Algorithm, AlgorithmDescriptor, ShapeRequirement, ShareRule};
pub use bounds::{BandwidthSource, CollectiveBoundSource, CollectiveBounds, LinkCosts};
pub use collective::{Collective, ComputationTotals, ProcessMessages};
pub use collective_program::{CollectiveProgram, bytes_of_guest};
pub use data_flow::{DataFlowError, FlowMessage, MAX_REPLAYED_RANKS};
pub use form::{CollectiveForm, CollectiveProgramForm, CollectiveStep};
pub use grouped::{GroupError, GroupMessages, GroupedCollective};
pub use operation::{OPERATIONS, Operation, OperationDescriptor};
pub use schedule::Payload;
pub use sequence::{CollectiveSequence, SequenceError, SequenceMessages, SequenceStep};
pub use specification::{CollectiveError, CollectiveSpecification, Exchange, Ports};
