//! Searches for a placement of a program that no named embedding gives (`docs/model.md` section 25).
//!
//! [`search`] takes a [`Problem`], a program with the sites that its processes may take, an [`Objective`] and starting
//! placements. It returns the best placement found, and a lower [`Bound`] over all placements: if they are equal, the
//! placement is proved optimal. The result depends on the seed and the number of evaluations only, never on time or
//! threads.
//!
//! | concept | file |
//! | --- | --- |
//! | the program, its machine and the sites | `problem` |
//! | the quantity to minimise | `objective` |
//! | the units between each pair of processes | `traffic` |
//! | the place of every token, and changes of it | `arrangement`, `moves` |
//! | channels between sites, and their loads, kept up to date | `routes`, `loads` |
//! | sums and distances, kept up to date | `distances` |
//! | the value of an arrangement | `judge` |
//! | every placement of a small problem | `complete` |
//! | a placement by halving ranks and sites | `bisection` |
//! | linear maps of the bits of labels, reflections of grids | `maps` |
//! | tabu search by hop-units | `tabu` |
//! | one searcher, all searchers | `island`, `portfolio` |
//! | the memory estimate | `memory` |
//! | lower bounds over all placements | `bounds`, `assignment`, `recursion`, `critical_path`, `one_machine`, `classes`, `triangles`, `projection`, `eigen` |

mod arrangement;
mod assignment;
mod bisection;
mod bounds;
mod classes;
mod complete;
mod critical_path;
mod distances;
mod eigen;
mod island;
mod judge;
mod loads;
mod maps;
mod memory;
mod moves;
mod objective;
mod one_machine;
mod portfolio;
mod problem;
mod projection;
mod recursion;
mod routes;
mod tabu;
#[cfg(test)]
mod tests;
mod traffic;
mod triangles;

pub use bounds::{Bound, BoundKind};
pub use objective::Objective;
pub use portfolio::{Effort, Found, Progress, Start, search};
pub use problem::{Problem, SearchError};
