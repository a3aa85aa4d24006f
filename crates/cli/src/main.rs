//! The `cubefold` program.

fn main() {}
