//! The engines against the slow reference, and against the theory.

#![cfg(test)]

mod compiled;
mod coordinated_sums;
mod engines_equal_reference;
mod golden_steps;
mod many_random_cases;
mod networks_equal_reference;
mod predictions;
mod random_choices;
mod random_problem;
mod sized_equal_reference;
mod sized_theory;
mod task_graphs_equal_reference;
mod theory;
mod unchanged_numbers;
