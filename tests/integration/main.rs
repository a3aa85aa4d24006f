//! Tests that go through several crates or the program itself.

#![cfg(test)]

mod coordinated_sums;
mod engines_equal_reference;
mod golden_steps;
mod many_random_cases;
mod networks_equal_reference;
mod predictions;
mod program;
mod random_choices;
mod random_problem;
mod reference;
mod theory;
