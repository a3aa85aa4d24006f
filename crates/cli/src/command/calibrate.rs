//! `cubefold calibrate`: the parameters of a machine, fitted to the output of benchmarks.

use std::io::Write;

use cubefold_experiment::{read_measurement, tools::calibration::Calibration};

use crate::{
    arguments::{CalibrateOptions, SharedOptions},
    failure::Failure,
    format::check_extension,
    output::{Output, is_same},
};

pub(super) fn calibrate(options: &CalibrateOptions, shared: &SharedOptions) -> Result<(), Failure> {
    check_extension(shared.output(), &["toml"])?;
    if let Some(file) =
        options.files.iter().find(|file| shared.output().is_some_and(|path| is_same(file, path)))
    {
        let message = format!("cannot write {}: the measurements are read from it", file.display());
        return Err(Failure::usage(message, "name another file for the machine"));
    }
    let measurements = options.files.iter().map(|path| read_measurement(path)).collect::<Result<_, _>>();
    let measurements = measurements.map_err(Failure::Scenario)?;
    let calibration = Calibration::new(measurements, options.hops).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "measure more sizes: benchmarks go through powers of two by themselves",
        )
    })?;
    let output = Output::open(shared, &[])?;
    output.write(|output| write!(output, "{calibration}"))
}
