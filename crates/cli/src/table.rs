//! Results as people read them: pages of headings, tables and notes.

mod bench_table;
mod best_row;
mod check_table;
mod compare_table;
mod explain_page;
mod fitting;
mod grid;
mod measure_table;
mod page;
mod result_notes;
mod results_page;
mod run_table;
mod stage_grid;
mod surprises;
mod time_bar;
mod verify_table;

pub(crate) use bench_table::bench_table;
pub(crate) use check_table::check_table;
pub(crate) use compare_table::compare_table;
pub(crate) use explain_page::{definition_page, glossary_page};
pub(crate) use grid::write_grid;
pub(crate) use measure_table::measure_table;
pub(crate) use page::{Page, Paint, TextTable};
pub(crate) use run_table::run_table;
pub(crate) use stage_grid::write_stage;
pub(crate) use verify_table::verify_table;
