//! The output of message and collective benchmarks: sizes and times.

mod collective_test;
mod intel_mpi;
mod log_prefix;
mod log_text;
mod measurement;
mod nccl_tests;
mod of_rows;
mod osu;

pub use self::measurement::{Measurement, MeasurementOptions, Point, SeriesKind};
pub(crate) use self::{log_prefix::without_prefix, log_text::cleaned};
