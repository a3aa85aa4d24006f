//! The rows of the table of performance: each is data, and one function does what it says.

mod every_process;
mod figure;
mod machine;
mod measured;
mod message_file;
mod neighbours;
mod page;
mod permutation;
mod row;
mod rows;
mod work;

pub(crate) use figure::cells;
pub(crate) use machine::{baseline, load, machine};
pub(crate) use measured::Report;
pub(crate) use page::write_between_comments;
pub(crate) use permutation::OnNetwork;
pub(crate) use row::{Messages, Placed, Quantity, Row, Run, Stages, Task};
pub(crate) use rows::ROWS;
pub(crate) use work::Work;
