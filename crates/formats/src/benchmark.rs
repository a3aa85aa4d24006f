//! The output of message and collective benchmarks: sizes and times.

mod collective_test;
mod intel_mpi;
mod log_prefix;
mod log_text;
mod measurement;
mod nccl_tests;
mod of_rows;
mod osu;

pub(crate) use self::log_text::cleaned;
pub use self::measurement::{Measurement, MeasurementOptions, Point, SeriesKind};
