//! Time: programs placed on machines, executed to the cycle.

mod cube_program;
mod cycle;
mod program;

pub use cube_program::{CubeProgram, CubeProgramError};
pub use cycle::{Cycle, Cycles};
pub use program::Program;
