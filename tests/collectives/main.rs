//! Collectives against runs that were checked elsewhere, against textbook costs and against their
//! bounds.
//!
//! Everything is run by the slow reference, which shares no code with the crate.

#![cfg(test)]

mod bounds;
mod chains;
mod contention_free;
mod costs;
mod golden;
mod sequences;
mod support;
mod task_graphs;
