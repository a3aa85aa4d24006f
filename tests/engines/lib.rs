//! The engines against the slow reference, and against the theory.
//!
//! Everything is a test, except [`compare_engines_of`], which makes a case of any bytes, for fuzzing.

#![cfg_attr(not(test), allow(dead_code, unused_imports, unused_macros, reason = "the tests use the rest"))]

mod byte_generator;
#[cfg(test)]
mod coordinated_sums;
#[cfg(test)]
mod cuts_equal_reference;
#[cfg(test)]
mod engines_equal_reference;
#[cfg(test)]
mod evaluator_equals_simulate;
#[cfg(test)]
mod explicit_routes;
#[cfg(test)]
mod golden_steps;
#[cfg(test)]
mod jobs_equal_reference;
#[cfg(test)]
mod many_random_cases;
#[cfg(test)]
mod networks_equal_reference;
#[cfg(test)]
mod open_loop;
#[cfg(test)]
mod predictions;
#[cfg(test)]
mod random_choices;
mod random_problem;
#[cfg(test)]
mod ranks_equal_reference;
#[cfg(test)]
mod routers_equal_reference;
#[cfg(test)]
mod sequential_elimination;
#[cfg(test)]
mod sized_equal_checked_runs;
mod sized_equal_reference;
#[cfg(test)]
mod sized_slabs_equal_reference;
#[cfg(test)]
mod sized_theory;
#[cfg(test)]
mod speeds_equal_reference;
#[cfg(test)]
mod switches_equal_reference;
#[cfg(test)]
mod task_graphs_equal_reference;
#[cfg(test)]
mod theory;
#[cfg(test)]
mod turns_equal_reference;
#[cfg(test)]
mod unchanged_numbers;

pub use sized_equal_reference::compare_engines_of;
