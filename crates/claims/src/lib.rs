//! The claims of the papers, each measured: what `cubefold verify` runs.
//!
//! A claim is a statement of a paper that can be measured. Nothing here decides the outcome: every
//! value is measured through the lower crates, on the constructions, placements and runs that users
//! get, and compared with the formula in the paper. If `docs/errata.md` calls a
//! statement false, the printed variant is built here, and nowhere else, and measured to fail, with
//! the reading that holds.
//!
//! The cases run in parallel and are combined in list order; random choices are keyed by
//! their purpose. So the outcome does not depend on the number of threads.

mod blue_gene;
mod cases;
mod claim;
mod collectives;
mod constructions;
mod contraction;
mod covered;
mod cs838;
mod cube;
mod cube_pipelines;
mod cube_programs;
mod data_routing;
mod dilation;
mod embedding_paths;
mod findings;
mod gonzalez_1995;
mod grammars;
mod greenberg;
mod listed_steps;
mod measured;
mod measurements;
mod misprints;
mod other_sizes;
mod places;
mod published_curves;
mod routing_misprints;
mod steps;
mod surveyed;
mod verification;

pub use claim::{CheckedClaim, Quantity, Verdict};
pub use findings::Scope;
pub use verification::Verification;
