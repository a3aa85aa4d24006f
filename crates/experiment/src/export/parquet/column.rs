//! Columns of a parquet table and what is collected in them.

use std::io;

use parquet::{
    data_type::{
        BoolType, ByteArray, ByteArrayType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
    },
    errors::Result,
    file::writer::SerializedColumnWriter,
};

/// A column, with the values of the rows that are not written yet.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    values: Values,
    present: Vec<i16>, // by row: 1, or 0 where the value is missing
}

/// The values that are not missing.
#[derive(Debug)]
enum Values {
    Text(Vec<ByteArray>),
    Truth(Vec<bool>),
    Real(Vec<f64>),
    Natural(Vec<i64>), // the bits of unsigned numbers
    Sum(Vec<FixedLenByteArray>),
}

/// The columns of words and lists.
const TEXTS: [&str; 29] = [
    "scenario",
    "embedding",
    "engine",
    "machine_kind",
    "machine_shape",
    "machine_wrap",
    "machine_links",
    "machine_partition_base",
    "machine_partition_shape",
    "program_kind",
    "program_stages",
    "program_guest_kind",
    "program_guest_shape",
    "program_guest_wrap",
    "program_communication",
    "execution_mode",
    "execution_tie",
    "execution_dimension_choice",
    "execution_phases",
    "lower_bound_source",
    "placement_construction_name",
    "placement_construction_theorem",
    "placement_construction_formula",
    "placement_construction_promised_dilation_is",
    "placement_construction_routing_vector",
    "placement_construction_phase_lengths",
    "source",
    "claim",
    "verdict",
];

/// The columns of numbers with a fraction, beside all that end in `_mean`.
const REALS: [&str; 6] = [
    "placement_average_distance",
    "placement_expansion",
    "placement_node_evenness",
    "ratio_to_reference",
    "promised",
    "worst",
];

/// The most that a decimal of 38 digits holds.
const MAX_SUM: u128 = 10_u128.pow(38) - 1;

impl Column {
    /// The column with this name, which decides its type.
    pub(super) fn new(name: &str) -> Self {
        let values = match name {
            "erratum" => Values::Text(vec![]),
            _ if TEXTS.contains(&name) => Values::Text(vec![]),
            "placement_constant_distances" => Values::Truth(vec![]),
            _ if REALS.contains(&name) || name.ends_with("_mean") => Values::Real(vec![]),
            _ if name.starts_with("totals_") => Values::Sum(vec![]),
            _ => Values::Natural(vec![]),
        };
        Self { name: name.to_owned(), values, present: vec![] }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The column in the language of parquet's schemas.
    pub(super) fn declaration(&self) -> String {
        let name = &self.name;
        match self.values {
            Values::Text(_) => format!("OPTIONAL BYTE_ARRAY {name} (STRING); "),
            Values::Truth(_) => format!("OPTIONAL BOOLEAN {name}; "),
            Values::Real(_) => format!("OPTIONAL DOUBLE {name}; "),
            Values::Natural(_) => format!("OPTIONAL INT64 {name} (INTEGER(64,false)); "),
            Values::Sum(_) => format!("OPTIONAL FIXED_LEN_BYTE_ARRAY (16) {name} (DECIMAL(38,0)); "),
        }
    }

    /// Adds the value of the next row; none where it is missing.
    pub(super) fn add(&mut self, cell: Option<&str>) -> io::Result<()> {
        self.present.push(cell.is_some().into());
        let Some(cell) = cell else { return Ok(()) };
        let added = match &mut self.values {
            Values::Text(values) => {
                values.push(cell.into());
                Some(())
            }
            Values::Truth(values) => cell.parse().ok().map(|value| values.push(value)),
            Values::Real(values) => cell.parse().ok().map(|value| values.push(value)),
            Values::Natural(values) => cell.parse().ok().map(|value: u64| values.push(value.cast_signed())),
            Values::Sum(values) => sum(cell).map(|value| values.push(value)),
        };
        let unfit = || io::Error::new(io::ErrorKind::InvalidData, format!("{} is {cell:?}", self.name));
        added.ok_or_else(unfit)
    }

    /// Writes the values and forgets them.
    pub(super) fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let present = Some(self.present.as_slice());
        match &mut self.values {
            Values::Text(values) => {
                writer.typed::<ByteArrayType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Truth(values) => {
                writer.typed::<BoolType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Real(values) => {
                writer.typed::<DoubleType>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Natural(values) => {
                writer.typed::<Int64Type>().write_batch(values, present, None)?;
                values.clear();
            }
            Values::Sum(values) => {
                writer.typed::<FixedLenByteArrayType>().write_batch(values, present, None)?;
                values.clear();
            }
        }
        self.present.clear();
        Ok(())
    }
}

/// A sum as a decimal without a fraction.
fn sum(cell: &str) -> Option<FixedLenByteArray> {
    let sum: u128 = cell.parse().ok().filter(|sum| *sum <= MAX_SUM)?;
    Some(ByteArray::from(sum.to_be_bytes().to_vec()).into())
}
