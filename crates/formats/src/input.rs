//! Reads text from people and other programs: files up to a size limit, positions in a text, lists of
//! errors, quantities with units. Nothing here knows of scenarios or launchers.

pub mod chakra_schema;
pub mod diagnostic;
pub mod exact_mean;
pub mod foreign;
pub mod input_file;
mod latex_text;
pub mod line_limit;
pub mod numpy;
pub mod quantity;
pub mod region;
pub mod text;

pub use self::{
    latex_text::latex_text,
    quantity::{
        Bytes, Ratio, bytes_of_size, engineering_rate, engineering_seconds, unit_of_seconds, written_rate,
        written_seconds,
    },
    text::printable,
};
