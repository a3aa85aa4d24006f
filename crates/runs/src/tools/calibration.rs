//! Calibration: fits the cost of a message, the latency and bandwidth of a machine to the output of benchmarks.
//!
//! Each file is a series of sizes and times. A line `time = startup + bytes / bandwidth` is fitted to the sizes of
//! each protocol. The machine has the startup of the smallest sizes and the bandwidth of the largest. The meaning
//! of a startup depends on the benchmark:
//!
//! | benchmark | startup |
//! | --- | --- |
//! | single messages: `osu_latency`, `PingPong`, `sendrecv_perf` | the cost of a message at both ends and the latency of its route |
//! | many messages: `osu_bw`, `osu_bibw`, `osu_mbw_mr`, `Uniband` | the cost of a message at one end: the sender never waits |
//! | collectives | both, once for each of the steps |
//!
//! Hockney 1994 (the two parameters), Culler et al. 1993 (`LogP`: the overhead separate from the latency).

mod fit;
mod machine_run;
#[cfg(test)]
mod tests;

use std::{fmt, path::Path};

use cubefold_formats::{
    benchmark::Point,
    input::{engineering_rate, engineering_seconds, written_rate, written_seconds},
};
use cubefold_scenario::{ScenarioErrors, load_text, measured};

use self::machine_run::TwoNodes;

pub use self::fit::{FittedSeries, Protocol};
pub use cubefold_formats::benchmark::{Measurement, MeasurementOptions, SeriesKind};

/// Reads the output of a benchmark, for [`Calibration`].
///
/// # Errors
///
/// If the file cannot be read, or is not output of one known benchmark: every error.
pub fn read_measurement(path: &Path, options: MeasurementOptions) -> Result<Measurement, ScenarioErrors> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    measured(path, &name, options).map_err(ScenarioErrors::new)
}

/// Measurements that cannot be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    #[error(
        "{name}: {} and {}, expected sizes so large that the time grows with them",
        shown(first),
        shown(last)
    )]
    NoBandwidth {
        /// The file.
        name: String,
        /// The smallest size.
        first: Point,
        /// The largest size.
        last: Point,
    },
    /// The parameters are outside the range of scenarios.
    #[error("the fitted link is {link}, which scenarios do not take: {reason}")]
    NoMachine {
        /// The link as a scenario would have it.
        link: String,
        /// The first error of the scenario.
        reason: String,
    },
}

/// `12.4 us at 1024 B`.
fn shown(point: &Point) -> String {
    format!("{} at {} B", engineering_seconds(point.seconds), point.bytes)
}

/// Parameters of a machine, and the series from which they follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    series: Vec<FittedSeries>, // at least one
    startup_seconds: Option<f64>,
    latency_seconds: f64,
    bytes_per_second: f64,
    hops: u32, // at least 1
}

impl Calibration {
    /// Derives parameters from series of messages that cross `hops` links. Series of one size and the same benchmark are
    /// one series: some tools measure a size a run.
    ///
    /// The bandwidth is that of many messages in flight, else of single ones, else of collectives. The
    /// latency is the startup less the cost of a message at both ends, divided by the number of links
    /// (`docs/model.md` section 14).
    ///
    /// # Errors
    ///
    /// If there is no series, one cannot be fitted, or the parameters are no valid machine.
    pub fn new(measurements: Vec<Measurement>, hops: u32) -> Result<Self, CalibrationError> {
        let series =
            pooled(measurements).into_iter().map(FittedSeries::fit).collect::<Result<Vec<_>, _>>()?;
        let first =
            |wanted: fn(SeriesKind) -> bool| series.iter().find(|fitted| wanted(fitted.measurement.kind));
        let streaming = first(|kind| kind == SeriesKind::Streaming);
        let single = first(|kind| kind == SeriesKind::Single);
        let collective = first(|kind| matches!(kind, SeriesKind::Collective { .. }));
        let bandwidth =
            streaming.or(single).or(collective).ok_or(CalibrationError::Nothing)?.bytes_per_second;
        let startup = streaming.map(FittedSeries::startup_seconds);
        let whole = single.map(FittedSeries::startup_seconds).or_else(|| {
            let steps = collective?.measurement.kind.steps();
            collective.map(|collective| collective.startup_seconds() / f64::from(steps))
        });
        let latency = (whole.unwrap_or(0.0) - 2.0 * startup.unwrap_or(0.0)).max(0.0) / f64::from(hops.max(1));
        let calibration = Self {
            startup_seconds: startup,
            latency_seconds: latency,
            bytes_per_second: bandwidth,
            hops: hops.max(1),
            series,
        };
        calibration.check()?;
        Ok(calibration)
    }

    /// The cost of a message at either end \[seconds\]; `None` if no series separates it from the latency.
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

    /// The value of `machine.link`.
    fn link(&self) -> String {
        let (bandwidth, latency) =
            (written_rate(self.bytes_per_second), written_seconds(self.latency_seconds));
        format!("{{ bandwidth = \"{bandwidth}\", latency = \"{latency}\" }}")
    }

    /// Checks that a scenario can have these parameters.
    fn check(&self) -> Result<(), CalibrationError> {
        let link = self.link();
        let cost = message_cost(self.startup_seconds);
        let text = format!(
            "[machine]\nkind = \"ring\"\nshape = [4]\nlink = {link}\n[program]\nkind = \"cc-cube\"\n{cost}"
        );
        let checked = load_text(Path::new("calibration"), &text);
        checked.map(|_| ()).map_err(|errors| {
            let reason = errors.to_string();
            CalibrationError::NoMachine { link, reason: reason.lines().next().unwrap_or_default().to_owned() }
        })
    }
}

/// The line of a program with this cost of a message at either end, if it is known.
fn message_cost(startup_seconds: Option<f64>) -> String {
    let line = |startup| format!("message_cost = \"{}\"\n", written_seconds(startup));
    startup_seconds.map_or_else(String::new, line)
}

/// Joins series of one size, of the same benchmark and kind.
fn pooled(measurements: Vec<Measurement>) -> Vec<Measurement> {
    let mut all: Vec<(bool, Measurement)> = vec![];
    for found in measurements {
        let has_one_size = found.points.windows(2).all(|two| two[0].bytes == two[1].bytes);
        let same = all.iter_mut().find(|(can_grow, known)| {
            *can_grow && has_one_size && known.benchmark == found.benchmark && known.kind == found.kind
        });
        let Some((_, known)) = same else {
            all.push((has_one_size, found));
            continue;
        };
        known.name = format!("{}, {}", known.name, found.name);
        known.points.extend(found.points);
        known.points.sort_by_key(|point| point.bytes);
        known.left_out += found.left_out;
    }
    all.into_iter().map(|(_, measurement)| measurement).collect()
}

/// Writes a machine file, or the section of a scenario, with the cost of starting and the residuals as
/// comments.
impl fmt::Display for Calibration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the fit has it: a message crosses all links at once.
        writeln!(formatter, "[machine]\nlink = {}\nswitching = \"cut-through\"", self.link())?;
        if let Some(startup) = self.startup_seconds {
            writeln!(formatter, "\n# The cost of a message at either end, for the scenario:")?;
            writeln!(formatter, "# [program]\n# message_cost = \"{}\"", written_seconds(startup))?;
        } else {
            let missing = "# The latency contains the cost of a message at both ends: add a benchmark of bandwidth to tell them apart.";
            writeln!(formatter, "{missing}")?;
        }
        if self.latency_seconds <= 0.0 {
            let missing = if self.series.iter().all(|fitted| fitted.measurement.kind == SeriesKind::Streaming)
            {
                "add a benchmark of single messages, such as osu_latency"
            } else {
                "no measured message takes longer than the bandwidth and the cost of starting explain"
            };
            writeln!(formatter, "# The latency is not in these measurements and stands as 0 ps: {missing}.")?;
        }
        let machine = TwoNodes { link: self.link(), startup_seconds: self.startup_seconds, hops: self.hops };
        let sort = |series: &FittedSeries| std::mem::discriminant(&series.measurement.kind);
        for (place, series) in self.series.iter().enumerate() {
            write_series(formatter, series, &machine)?;
            if let Some(first) = self.series[..place].iter().find(|before| sort(before) == sort(series)) {
                let first = &first.measurement.name;
                writeln!(formatter, "# Not used for the machine: {first} is of its kind and came first.")?;
            }
        }
        Ok(())
    }
}

fn write_series(
    formatter: &mut fmt::Formatter<'_>,
    series: &FittedSeries,
    machine: &TwoNodes,
) -> fmt::Result {
    let measurement = &series.measurement;
    let count = measurement.points.len();
    let benchmark =
        if measurement.benchmark.is_empty() { String::new() } else { format!("{}: ", measurement.benchmark) };
    writeln!(formatter, "\n# {} ({benchmark}{}, {count} sizes)", measurement.name, measurement.kind)?;
    if measurement.left_out > 0 {
        let plural = if measurement.left_out == 1 { "line is" } else { "lines are" };
        writeln!(formatter, "# {} {plural} left out: not a row with a time", measurement.left_out)?;
    }
    for protocol in &series.protocols {
        write_protocol(formatter, protocol, measurement.kind, series.protocols.len() > 1)?;
    }
    if series.protocols.len() > 1 {
        writeln!(
            formatter,
            "# The protocol changes. The machine has the startup of the smallest sizes and the bandwidth of the largest;"
        )?;
        writeln!(formatter, "# --from and --to choose the sizes that are fitted.")?;
    }
    if series.is_held {
        writeln!(
            formatter,
            "# The bandwidth is the largest rate that was measured. A line would go beyond it: measure larger sizes."
        )?;
    }
    write_residuals(formatter, series, machine)
}

fn write_protocol(
    formatter: &mut fmt::Formatter<'_>,
    protocol: &Protocol,
    kind: SeriesKind,
    is_one_of_several: bool,
) -> fmt::Result {
    let sizes = if is_one_of_several {
        format!("sizes {} to {} B: ", protocol.first_bytes, protocol.last_bytes)
    } else {
        String::new()
    };
    let rate = protocol.bytes_per_second;
    let share = match kind {
        SeriesKind::Collective { wire_share, .. } => format!("{} ", (wire_share * 1e4).round() / 1e4),
        SeriesKind::Single | SeriesKind::Streaming => String::new(),
    };
    let rate = rate.map_or_else(String::new, |rate| format!(" + {share}bytes / {}", engineering_rate(rate)));
    writeln!(formatter, "# {sizes}time = {}{rate}", engineering_seconds(protocol.startup_seconds))
}

fn write_residuals(
    formatter: &mut fmt::Formatter<'_>,
    series: &FittedSeries,
    machine: &TwoNodes,
) -> fmt::Result {
    let measurement = &series.measurement;
    #[expect(clippy::cast_precision_loss, reason = "a mean of a few residuals")]
    let mean = series.residuals().map(f64::abs).sum::<f64>() / measurement.points.len() as f64;
    let sized = measurement.points.iter().zip(series.residuals().map(f64::abs));
    let largest = sized.max_by(|one, other| one.1.total_cmp(&other.1));
    let (bytes, largest) = largest.map_or((0, 0.0), |(point, residual)| (point.bytes, residual));
    writeln!(
        formatter,
        "# residuals: mean {:.1} %, largest {:.1} % at {bytes} B",
        100.0 * mean,
        100.0 * largest
    )?;
    let has_machine = !matches!(measurement.kind, SeriesKind::Collective { .. });
    if has_machine {
        writeln!(
            formatter,
            "# machine: two nodes of this machine, simulated; off: its deviation from the measured time"
        )?;
    }
    write!(formatter, "# {:>12} {:>14} {:>14} {:>9}", "bytes", "measured us", "fitted us", "residual")?;
    writeln!(
        formatter,
        "{}",
        if has_machine { format!(" {:>14} {:>9}", "machine us", "off") } else { String::new() }
    )?;
    for (point, residual) in measurement.points.iter().zip(series.residuals()) {
        write!(
            formatter,
            "# {:>12} {:>14.3} {:>14.3} {:>7.1} %",
            point.bytes,
            point.seconds * 1e6,
            series.seconds(point.bytes) * 1e6,
            percent(residual)
        )?;
        // A message without bytes has no unit that crosses the link.
        let simulated = machine.seconds(measurement.kind, point.bytes).filter(|_| point.bytes > 0);
        if let Some(seconds) = simulated {
            write!(formatter, " {:>14.3} {:>7.1} %", seconds * 1e6, percent(seconds / point.seconds - 1.0))?;
        }
        writeln!(formatter)?;
    }
    Ok(())
}

/// A fraction in percent, without a sign if it is shown as 0.0.
fn percent(fraction: f64) -> f64 {
    let percent = 100.0 * fraction;
    if percent.abs() < 0.05 { 0.0 } else { percent }
}
