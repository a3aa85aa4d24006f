//! Files of other tools: networks, lists of hosts, places of ranks, matrices, traces, output of benchmarks.
//!
//! The crate knows nothing of scenarios: a file becomes a neutral value, from which the crate above makes machines,
//! placements and programs.
//!
//! - [`input`] reads text: files, places of errors, quantities with units.
//! - [`format`](mod@format) describes a format; `recognition` chooses one of [`read::FORMATS`], which reads a [`value`]; [`inspection`] tells
//!   people what a file is.
//! - [`launcher`] reads and writes rank files, and reads host lists, coordinate maps and networks.
//! - [`benchmark`] reads sizes and times from the output of benchmarks.

pub mod asked;
pub mod benchmark;
mod file_text;
pub mod format;
pub mod input;
pub mod inspection;
pub mod launcher;
pub mod read;
mod recognition;
pub mod scenario_lines;
pub mod value;
