//! The program as people use it: command lines, files, results, messages.
//!
//! Everything goes through the binary, run in the root of the repository; only where the reference
//! simulator needs the runs themselves are the scenarios also loaded as a library does.
#![recursion_limit = "256"] // of the shapes of results, each one macro
#![cfg(test)]

mod animation;
mod bad_input;
mod browser;
mod calibrate;
mod cases;
mod citations;
mod cluster_hosts;
mod clusters;
mod collective_results;
mod command;
mod compare;
mod completions;
mod crossings;
mod csv_results;
mod determinism;
mod draw;
mod engines;
mod expectations;
mod explain;
mod few_processes;
mod fuzz_corpora;
mod greenberg;
mod help;
mod hostile;
mod inspect;
mod interruption;
mod jobs;
mod json_results;
mod latex;
mod launchers;
mod limits;
mod manual;
mod measure;
mod memory_limit;
#[cfg(target_os = "linux")]
mod memory_peaks;
mod mpirun;
mod neighbour_exchange;
mod networks;
mod new;
mod open_loop_rows;
mod other_graphs;
mod outputs;
mod parquet_results;
mod place;
mod processes;
mod published_runs;
#[path = "../engines/random_problem.rs"]
#[expect(dead_code, reason = "only what comes from scenarios is asked for here")]
mod random_problem;
mod readme;
mod reference_runs;
mod report;
mod research;
mod routers;
mod routes;
mod scenario_files;
mod search;
mod shape_of_json;
mod shards;
mod sweep_scenario;
mod table_width;
mod tables;
#[cfg(unix)]
mod terminal;
mod unconnected_machines;
mod use_a_placement;
mod verify;
