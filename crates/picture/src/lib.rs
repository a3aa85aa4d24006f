//! Pictures of placements, runs and results.
//!
//! Each module draws one kind of [`Picture`]. Axes with ticks come from a plotting library; everything else is drawn
//! here. The same input gives the same bytes on every machine. Marks carry a title, which browsers show under the
//! pointer.
//!
//! The crate reads scenarios and runs through `cubefold-scenario` and `cubefold-runs`, and prints nothing.

mod activity_diagram;
mod animation;
mod axes;
mod bar_chart;
mod curve;
mod error;
mod font;
mod goodput;
mod guest_edges;
mod latency;
mod legend;
mod link_map;
mod link_paths;
mod machine_name;
mod machine_plan;
mod network_layout;
mod page;
mod palette;
mod pdf;
mod picture;
mod pipelining;
mod placement_grid;
mod rank_timeline;
mod report;
mod results_table;
mod scaling;
mod shapes;
mod sheet;
mod space_time;
mod step_timeline;
#[cfg(test)]
mod support;
mod task_timeline;
mod text_outlines;
mod tikz;
mod time_scale;
mod time_shares;
mod timeline;

pub use animation::{
    AnimatedRun, MAX_ANIMATED_NODES, MAX_ANIMATED_RUNS, MAX_ANIMATED_TRANSMISSIONS, animation,
    check_animation, still,
};
pub use bar_chart::{MAX_PLACEMENTS, histogram, spectrum};
pub use error::PictureError;
pub use goodput::goodput;
pub use latency::latency;
pub use link_map::{DarkestValue, LinkMeasure, link_map};
pub use machine_plan::{MAX_NODES, check_machine};
pub use picture::{Picture, PngError};
pub use pipelining::pipelining;
pub use placement_grid::placement_grid;
pub use report::{MAX_RUNS, ReportedRun, animated_in_report, report};
pub use results_table::ResultsTable;
pub use scaling::{ScalingColumns, scaling};
pub use space_time::{MAX_PROCESSES, Window, space_time};
pub use time_shares::{ComparedRun, MAX_BARS, time_shares};
pub use timeline::{Lanes, timeline};
