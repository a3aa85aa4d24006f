//! Tools around runs: programs as files of other tools, machine parameters from measurements, and the comparison
//! of embeddings and algorithms.

mod address_exchange;
mod algorithm_comparison;
pub mod calibration;
pub mod program_files;
mod reference;
mod saturation_comparison;

pub use self::{
    address_exchange::address_exchange_steps,
    algorithm_comparison::{
        AlgorithmComparison, Competitor, FastestAtSize, FastestChange, settings_besides_algorithms,
        variants_in_words,
    },
    calibration::read_measurement,
    program_files::check_export,
    reference::{MissingReference, Reference},
    saturation_comparison::{SaturationRange, names_besides},
};
