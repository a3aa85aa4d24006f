//! How many guest edges have each dilation, several embeddings side by side.

use cubefold_experiment::export::PlacementRecord;

use crate::{
    axes::Scale,
    bars::{BarChart, Series},
    error::PictureError,
    palette::series,
    picture::Picture,
};

/// The most placements that are drawn side by side: as many as there are colours that all eyes tell apart.
pub const MAX_PLACEMENTS: usize = 8;

/// Draws the dilation spectra (González et al. 1995, 4.4) of named placements.
///
/// # Errors
///
/// When there are more than [`MAX_PLACEMENTS`].
pub fn spectrum(caption: &str, placements: &[(String, PlacementRecord)]) -> Result<Picture, PictureError> {
    let found = placements.len();
    if found > MAX_PLACEMENTS {
        return Err(PictureError::TooManyPlacements { found, most: MAX_PLACEMENTS });
    }
    let series = placements.iter().enumerate().map(|(place, (name, placement))| Series {
        name: name.clone(),
        fill: series(place),
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
