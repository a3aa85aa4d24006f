//! Results for people: pages of headings, tables and notes.

mod algorithm_tables;
mod fitting;
mod grids;
mod latex;
mod long_table;
mod open_loop_notes;
mod page;
mod result_notes;
mod results_page;
mod run_tables;
mod scenario_tables;
mod search_table;
mod step_tables;
mod trace_tables;
mod verdict_tables;

pub(crate) use grids::{write_grid, write_stage};
pub(crate) use page::{Page, Paint, Style, TextTable};
pub(crate) use run_tables::{compare_table, run_table};
pub(crate) use scenario_tables::{measure_table, write_checked};
pub(crate) use search_table::search_table;
pub(crate) use step_tables::StepsShown;
pub(crate) use verdict_tables::{Detail, verify_table};
