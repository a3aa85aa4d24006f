//! Experiments: scenario files, sweeps, runs and result records.
