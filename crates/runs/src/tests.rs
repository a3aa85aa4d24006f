//! Whole scenarios and their results.

mod chakra;
mod channels;
mod collective_steps;
mod collectives;
mod cubes;
mod goal_files;
mod golden_machines;
mod golden_routers;
mod golden_truth;
mod job_times;
mod jobs;
mod lists_of_runs;
mod machines;
mod networks;
mod records;
mod schema;

use crate::support::{
    Files, RING, errors, finished, makespan, makespan_of, makespans, observed, only_record, only_run, record,
    scenario, toml,
};
