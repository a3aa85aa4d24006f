//! Reading of text from people and other programs: files up to a size limit, positions in a text, lists of
//! errors, quantities with units. Nothing here knows scenarios or launchers.

pub(crate) mod chakra_schema;
pub(crate) mod diagnostic;
pub(crate) mod exact_mean;
pub(crate) mod foreign;
pub(crate) mod input_file;
mod latex_text;
pub(crate) mod numpy;
pub(crate) mod quantity;
pub(crate) mod region;
pub(crate) mod text;

pub use self::{
    latex_text::latex_text,
    quantity::{
        Bytes, Ratio, bytes_of_size, engineering_rate, engineering_seconds, written_rate, written_seconds,
    },
    text::printable,
};
