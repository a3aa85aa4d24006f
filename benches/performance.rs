//! The rows of the table of performance: each is data, and one function does what it says.

mod figure;
mod measured;
mod row;
mod rows;
mod work;

pub(crate) use figure::cells;
pub(crate) use measured::Report;
pub(crate) use row::{Placed, Quantity, Row, Run, Stages, Task};
pub(crate) use rows::ROWS;
pub(crate) use work::Work;
