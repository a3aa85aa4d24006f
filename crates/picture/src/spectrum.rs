//! How many guest edges have each dilation, several embeddings side by side.

use cubefold_experiment::export::PlacementRecord;

use crate::{
    axes::Scale,
    bars::{BarChart, Series},
    error::PictureError,
    picture::Picture,
};

/// Draws the dilation spectra (González et al. 1995, 4.4) of named placements.
///
/// # Errors
///
/// When the plotting library refuses.
pub fn spectrum(caption: &str, placements: &[(String, PlacementRecord)]) -> Result<Picture, PictureError> {
    let series = placements.iter().map(|(name, placement)| Series {
        name: name.clone(),
        counts: placement.dilation.spectrum.iter().map(|(&dilation, &edges)| (dilation, edges)).collect(),
    });
    let chart = BarChart {
        caption: format!("{caption}: dilation spectrum"),
        description: "How many guest edges have each dilation, one colour an embedding.".to_owned(),
        values: "dilation [links]",
        counted: "guest edges",
        series: series.collect(),
        scale: Scale::Linear,
    };
    chart.draw()
}
