//! `cubefold calibrate`: the parameters of a machine, fitted to the output of benchmarks.

use std::io::Write;

use cubefold_runs::{
    read_measurement,
    tools::calibration::{Calibration, CalibrationError, MeasurementOptions},
};

use crate::{
    arguments::{CalibrateOptions, SharedOptions},
    failure::Failure,
    format::check_extension,
    option_value::ByteCount,
    output::{Output, overwritten},
};

pub(super) fn calibrate(options: &CalibrateOptions, shared: &SharedOptions) -> Result<(), Failure> {
    check_extension(shared.output(), &["toml"])?;
    if let Some(file) = overwritten(&options.files, shared.output()) {
        let message = format!("cannot write {}: the measurements are read from it", file.display());
        return Err(Failure::usage(message, "name another file for the machine"));
    }
    let bytes = |size: Option<ByteCount>| size.map(|size| size.0);
    let chosen = MeasurementOptions {
        ranks: options.ranks,
        from: bytes(options.from),
        to: bytes(options.to),
        bytes: bytes(options.bytes),
        operation: options.operation,
    };
    let read = |path: &std::path::PathBuf| read_measurement(path, chosen);
    let measurements = options.files.iter().map(read).collect::<Result<_, _>>().map_err(Failure::Scenario)?;
    let calibration = Calibration::new(measurements, options.hops)
        .map_err(|error| Failure::usage(error.to_string(), help(&error)))?;
    let output = Output::open(shared, &[])?;
    output.write(|output| write!(output, "{calibration}"))
}

fn help(error: &CalibrationError) -> &'static str {
    match error {
        CalibrationError::Nothing | CalibrationError::FewSizes { .. } => {
            "measure more sizes: files of one size each are taken together if they are of one benchmark"
        }
        CalibrationError::NoBandwidth { .. } => "measure larger sizes, or choose them with --from and --to",
        CalibrationError::NoMachine { .. } => {
            "look at the unit of the columns, or choose sizes with --from and --to"
        }
    }
}
