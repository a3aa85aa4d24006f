//! How waiting and blocked times are spread over processes and stages.

use cubefold_simulator::{Distribution, Summary};

use crate::{
    axes::Scale,
    bars::{BarChart, Series},
    error::PictureError,
    palette::Doing,
    picture::Picture,
};

/// Draws how often single processes wait so long in single stages, and are blocked so long.
///
/// Most times are 0: counts grow by equal factors, so that the few others are seen.
///
/// # Errors
///
/// When the plotting library refuses.
pub fn histogram(caption: &str, summary: &Summary) -> Result<Picture, PictureError> {
    let series = |doing: Doing, distribution: &Distribution| Series {
        name: doing.name().to_owned(),
        fill: doing.fill(),
        counts: distribution.counts().collect(),
    };
    let chart = BarChart {
        caption: format!("{caption}: waiting and blocked times"),
        description: "How many processes in how many stages wait, and are blocked, for how long.".to_owned(),
        values: "cycles",
        counted: "processes and stages",
        series: vec![series(Doing::Waiting, summary.waiting()), series(Doing::Blocked, summary.blocked())],
        scale: Scale::Logarithmic,
    };
    chart.draw()
}
