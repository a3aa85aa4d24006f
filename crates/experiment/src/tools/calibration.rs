//! Calibration: fits the start-up cost, latency and bandwidth of a machine to the output of benchmarks.
//!
//! Each file is a series of sizes and times: `time = startup + bytes / bandwidth`, fitted by least squares of
//! the relative residuals, so that small messages count as much as large ones. The meaning of a series'
//! startup depends on the benchmark:
//!
//! | benchmark | startup |
//! | --- | --- |
//! | OSU latency, nccl-tests sendrecv | the cost of starting a message and the latency of its route |
//! | OSU bandwidth, of one or both directions, message rate
//! only the cost of starting a message: many are in flight at once |
//! | nccl-tests collectives | both, once for each of the `steps` of a ring |
//!
//! Hockney 1994 (the two parameters), Culler et al. 1993 (`LogP`: start-up cost separate from latency).

mod measurement;
mod nccl_tests;
mod osu;

use std::{fmt, path::Path};

pub use self::measurement::{Measurement, SeriesKind};
use crate::{
    input::{engineering_rate, engineering_seconds},
    scenario::{ScenarioErrors, parsed},
};

/// Reads the output of a benchmark, for [`Calibration`].
///
/// # Errors
///
/// If the file cannot be read, or is not output of a known benchmark: every error.
pub fn read_measurement(path: &Path) -> Result<Measurement, ScenarioErrors> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    parsed(path, "measurements", |text| Measurement::parse(&name, text)).map_err(ScenarioErrors::new)
}

/// A series with its fitted line.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedSeries {
    /// The measured series.
    pub measurement: Measurement,
    /// The time of a message without bytes \[seconds\], at least 0.
    pub startup_seconds: f64,
    /// The bandwidth \[bytes per second\], above 0.
    pub bytes_per_second: f64,
}

/// Measurements that cannot be fitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrationError {
    /// There is no series.
    #[error("no measurements, expected the output of a benchmark")]
    Nothing,
    /// A series has only one size.
    #[error("{name}: {found} size, expected at least two different ones")]
    FewSizes {
        /// The file.
        name: String,
        /// The number of different sizes.
        found: usize,
    },
    /// Larger messages are not slower.
    #[error("{name}: times do not grow with the size, expected a bandwidth to fit")]
    NoBandwidth {
        /// The file.
        name: String,
    },
}

impl FittedSeries {
    /// Fits the line with the least sum of squared relative residuals to a series.
    ///
    /// # Errors
    ///
    /// If there are fewer than two sizes, or times do not grow with the size.
    pub fn fit(measurement: Measurement) -> Result<Self, CalibrationError> {
        let name = || measurement.name.clone();
        let mut sizes: Vec<u64> = measurement.points.iter().map(|point| point.bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() < 2 {
            return Err(CalibrationError::FewSizes { name: name(), found: sizes.len() });
        }
        // Residuals (startup + slope * bytes) / time - 1: normal equations in x = 1 / time, y = bytes / time.
        let [mut xx, mut xy, mut yy, mut x, mut y] = [0.0_f64; 5];
        for point in &measurement.points {
            let inverse = 1.0 / point.seconds;
            let ratio = measurement.wire_bytes(point.bytes) * inverse;
            xx += inverse * inverse;
            xy += inverse * ratio;
            yy += ratio * ratio;
            x += inverse;
            y += ratio;
        }
        let determinant = xx * yy - xy * xy;
        let startup = (x * yy - y * xy) / determinant;
        let slope = if startup > 0.0 { (y * xx - x * xy) / determinant } else { y / yy };
        if !(slope.is_finite() && slope > 0.0) {
            return Err(CalibrationError::NoBandwidth { name: name() });
        }
        Ok(Self { startup_seconds: startup.max(0.0), bytes_per_second: 1.0 / slope, measurement })
    }

    /// The fitted time of a message \[seconds\].
    #[must_use]
    pub fn seconds(&self, bytes: u64) -> f64 {
        self.startup_seconds + self.measurement.wire_bytes(bytes) / self.bytes_per_second
    }

    /// Relative deviations of the fitted times from the measured ones, in order.
    pub fn residuals(&self) -> impl Iterator<Item = f64> {
        self.measurement.points.iter().map(|point| self.seconds(point.bytes) / point.seconds - 1.0)
    }
}

/// Parameters of a machine, and the series from which they follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    series: Vec<FittedSeries>, // at least one
    startup_seconds: Option<f64>,
    latency_seconds: f64,
    bytes_per_second: f64,
}

impl Calibration {
    /// Derives parameters from series of messages that cross `hops` links.
    ///
    /// The bandwidth is that of many messages in flight, else of single ones, else of collectives. The
    /// latency is the startup minus the cost of starting, divided by the number of links.
    ///
    /// # Errors
    ///
    /// If there is no series, or one cannot be fitted.
    pub fn new(measurements: Vec<Measurement>, hops: u32) -> Result<Self, CalibrationError> {
        let series = measurements.into_iter().map(FittedSeries::fit).collect::<Result<Vec<_>, _>>()?;
        let first = |wanted: fn(SeriesKind) -> bool| series.iter().find(|own| wanted(own.measurement.kind));
        let streaming = first(|kind| kind == SeriesKind::Streaming);
        let single = first(|kind| kind == SeriesKind::Single);
        let ring = first(|kind| matches!(kind, SeriesKind::Ring { .. }));
        let bandwidth = streaming.or(single).or(ring).ok_or(CalibrationError::Nothing)?.bytes_per_second;
        let startup = streaming.map(|own| own.startup_seconds);
        let whole = single.map(|own| own.startup_seconds).or_else(|| {
            let steps = ring?.measurement.kind.steps();
            ring.map(|own| own.startup_seconds / f64::from(steps))
        });
        let latency = (whole.unwrap_or(0.0) - startup.unwrap_or(0.0)).max(0.0) / f64::from(hops.max(1));
        Ok(Self { startup_seconds: startup, latency_seconds: latency, bytes_per_second: bandwidth, series })
    }

    /// The cost of starting a message \[seconds\]; `None` if no series separates it from the latency.
    #[must_use]
    pub fn startup_seconds(&self) -> Option<f64> {
        self.startup_seconds
    }

    /// The latency of a link \[seconds\].
    #[must_use]
    pub fn latency_seconds(&self) -> f64 {
        self.latency_seconds
    }

    /// The bandwidth of a link \[bytes per second\].
    #[must_use]
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes_per_second
    }
}

/// Writes a machine file, or the section of a scenario, with the cost of starting and the residuals as
/// comments.
impl fmt::Display for Calibration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bandwidth, latency) = (self.bytes_per_second / 1e6, self.latency_seconds * 1e9);
        writeln!(formatter, "[machine]")?;
        writeln!(
            formatter,
            "link = {{ bandwidth = \"{bandwidth:.3} MB/s\", latency = \"{latency:.1} ns\" }}"
        )?;
        if let Some(startup) = self.startup_seconds {
            writeln!(formatter, "\n# The cost of starting a message, for the scenario:")?;
            writeln!(formatter, "# [program]\n# compute = \"{:.1} ns\"", startup * 1e9)?;
        } else {
            let missing = "# The latency contains the cost of starting a message: add a benchmark of bandwidth to tell them apart.";
            writeln!(formatter, "{missing}")?;
        }
        self.series.iter().try_for_each(|series| write_series(formatter, series))
    }
}

fn write_series(formatter: &mut fmt::Formatter<'_>, series: &FittedSeries) -> fmt::Result {
    let measurement = &series.measurement;
    let count = measurement.points.len();
    #[expect(clippy::cast_precision_loss, reason = "a mean of a few residuals")]
    let mean = series.residuals().map(f64::abs).sum::<f64>() / count as f64;
    let largest = series.residuals().map(f64::abs).fold(0.0, f64::max);
    writeln!(formatter, "\n# {} ({}, {count} sizes)", measurement.name, measurement.kind)?;
    writeln!(
        formatter,
        "# time = {} + bytes / {}; residuals: mean {:.1} %, largest {:.1} %",
        engineering_seconds(series.startup_seconds),
        engineering_rate(series.bytes_per_second),
        100.0 * mean,
        100.0 * largest
    )?;
    writeln!(formatter, "# {:>12} {:>14} {:>14} {:>9}", "bytes", "measured us", "fitted us", "residual")?;
    for (point, residual) in measurement.points.iter().zip(series.residuals()) {
        writeln!(
            formatter,
            "# {:>12} {:>14.3} {:>14.3} {:>7.1} %",
            point.bytes,
            point.seconds * 1e6,
            series.seconds(point.bytes) * 1e6,
            percent(residual)
        )?;
    }
    Ok(())
}

/// A fraction in percent, without a sign if it is shown as 0.0.
fn percent(fraction: f64) -> f64 {
    let percent = 100.0 * fraction;
    if percent.abs() < 0.05 { 0.0 } else { percent }
}

#[cfg(test)]
mod tests {
    use super::{measurement::Point, *};

    fn series(kind: SeriesKind, startup: f64, rate: f64) -> Measurement {
        let mut measurement = Measurement { name: "m.txt".to_owned(), kind, points: vec![] };
        for bytes in [0, 1, 64, 1024, 65536, 1 << 20] {
            let seconds = startup + measurement.wire_bytes(bytes) / rate;
            if seconds > 0.0 {
                measurement.points.push(Point { bytes, seconds });
            }
        }
        measurement
    }

    fn is_near(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-9
    }

    #[test]
    fn exact_lines_are_found_again() {
        let ring = SeriesKind::Ring { steps: 14, wire_share: 1.75 };
        for kind in [SeriesKind::Single, SeriesKind::Streaming, ring] {
            let fitted = FittedSeries::fit(series(kind, 2e-6, 5e9)).unwrap();
            assert!(is_near(fitted.startup_seconds, 2e-6) && is_near(fitted.bytes_per_second, 5e9), "{kind}");
            assert!(fitted.residuals().all(|residual| residual.abs() < 1e-9));
        }
        let none = FittedSeries::fit(series(SeriesKind::Streaming, 0.0, 5e9)).unwrap();
        assert!(none.startup_seconds < 1e-15 && is_near(none.bytes_per_second, 5e9));
    }

    /// Worked by hand: the cost of starting is 0.4 us, the latency of two links 2 us - 0.4 us.
    #[test]
    fn starting_is_told_from_latency_by_the_bandwidth_benchmark() {
        let (single, streaming) =
            (series(SeriesKind::Single, 2e-6, 4e9), series(SeriesKind::Streaming, 4e-7, 5e9));
        let both = Calibration::new(vec![single.clone(), streaming], 2).unwrap();
        assert!(is_near(both.startup_seconds().unwrap(), 4e-7));
        assert!(is_near(both.latency_seconds(), 8e-7) && is_near(both.bytes_per_second(), 5e9));
        let alone = Calibration::new(vec![single], 1).unwrap();
        assert_eq!(alone.startup_seconds(), None);
        assert!(is_near(alone.latency_seconds(), 2e-6) && is_near(alone.bytes_per_second(), 4e9));
        let ring = series(SeriesKind::Ring { steps: 14, wire_share: 1.75 }, 14e-6, 1e11);
        let ring = Calibration::new(vec![ring], 1).unwrap();
        assert!(is_near(ring.latency_seconds(), 1e-6) && is_near(ring.bytes_per_second(), 1e11));
    }

    #[test]
    fn small_residuals_have_no_sign() {
        assert_eq!(format!("{:.1} {:.1}", percent(-0.0004), percent(-0.0006)), "0.0 -0.1");
        let text = Calibration::new(vec![series(SeriesKind::Single, 2e-6, 4e9)], 1).unwrap().to_string();
        assert!(text.contains(" 0.0 %") && !text.contains("-0.0"), "{text}");
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        let message = |points: &[(u64, f64)]| {
            let points = points.iter().map(|&(bytes, seconds)| Point { bytes, seconds }).collect();
            let measurement = Measurement { name: "m.txt".to_owned(), kind: SeriesKind::Single, points };
            Calibration::new(vec![measurement], 1).unwrap_err().to_string()
        };
        assert_eq!(message(&[(8, 1.0), (8, 2.0)]), "m.txt: 1 size, expected at least two different ones");
        let flat = "m.txt: times do not grow with the size, expected a bandwidth to fit";
        assert_eq!(message(&[(1, 2.0), (1024, 1.0)]), flat);
        assert_eq!(Calibration::new(vec![], 1), Err(CalibrationError::Nothing));
    }
}
