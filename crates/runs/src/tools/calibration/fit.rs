//! The fit of a series: `time = startup + bytes / bandwidth` for each protocol.
//!
//! Libraries change their protocol with the size, and one line cannot follow two protocols. The sizes are cut
//! into stretches, each with a line of its own, such that the sum of squared relative residuals and of
//! [`COST_OF_A_PROTOCOL`] for each stretch is least. A stretch has at least [`LEAST_SIZES`] sizes. Relative
//! residuals count small messages as much as large ones.
//!
//! No bandwidth is above the largest rate that was measured: a line that would be steeper keeps that rate, and
//! its startup is fitted again.

use cubefold_formats::benchmark::{Measurement, Point};

use super::CalibrationError;

/// The sum of squared relative residuals that one more protocol must save: one point by 22 %, or five by 10 %.
const COST_OF_A_PROTOCOL: f64 = 0.05;
/// Number of sizes that one protocol has at least, unless the series has fewer.
const LEAST_SIZES: usize = 3;
/// Largest number of sizes between which the protocol may change; with more, neighbours are grouped.
const MOST_STRETCHES: usize = 256;

/// The sizes between two changes of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// The smallest size \[bytes\].
    pub first_bytes: u64,
    /// The largest size \[bytes\].
    pub last_bytes: u64,
    /// The time of a message without bytes \[seconds\], at least 0.
    pub startup_seconds: f64,
    /// The bandwidth \[bytes per second\], above 0; `None` if all sizes take the same time.
    pub bytes_per_second: Option<f64>,
}

/// A series with its fitted lines.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedSeries {
    /// The measured series.
    pub measurement: Measurement,
    /// The protocols by size, at least one.
    pub protocols: Vec<Protocol>,
    /// The bandwidth of the largest sizes \[bytes per second\], above 0.
    pub bytes_per_second: f64,
    /// Whether a line without the bound of the measured rates would have a bandwidth at least 5 % larger.
    pub is_held: bool,
}

impl FittedSeries {
    /// Fits a series.
    ///
    /// # Errors
    ///
    /// If there are fewer than two sizes, or no time grows with the size.
    pub fn fit(measurement: Measurement) -> Result<Self, CalibrationError> {
        let sizes = sizes(&measurement.points);
        if sizes.len() < 2 {
            return Err(CalibrationError::FewSizes { name: measurement.name, found: sizes.len() });
        }
        let largest = measurement.largest_rate();
        let mut is_held = false;
        let mut protocols = vec![];
        for stretch in stretches(&measurement, &sizes) {
            let points = &measurement.points[stretch];
            let mut sums = Sums::default();
            points.iter().for_each(|point| sums.add(&measurement, *point));
            let free = sums.line();
            let line = if free.slope * largest < 1.0 { sums.line_of_slope(1.0 / largest) } else { free };
            let has_slope = free.slope > 0.0;
            // Only the largest sizes with a bandwidth count.
            is_held = if has_slope { free.slope * largest < 1.0 / 1.05 } else { is_held };
            let line = if has_slope { line } else { free };
            protocols.push(Protocol {
                first_bytes: points.first().map_or(0, |point| point.bytes),
                last_bytes: points.last().map_or(0, |point| point.bytes),
                startup_seconds: line.startup,
                bytes_per_second: has_slope.then(|| 1.0 / line.slope),
            });
        }
        let bandwidth = protocols.iter().rev().find_map(|protocol| protocol.bytes_per_second);
        let Some(bytes_per_second) = bandwidth.filter(|bandwidth| bandwidth.is_finite() && *bandwidth > 0.0)
        else {
            let [first, last] = [0, measurement.points.len() - 1].map(|place| measurement.points[place]);
            return Err(CalibrationError::NoBandwidth { name: measurement.name, first, last });
        };
        Ok(Self { measurement, protocols, bytes_per_second, is_held })
    }

    /// The startup of the smallest sizes \[seconds\], at least 0.
    #[must_use]
    pub fn startup_seconds(&self) -> f64 {
        self.protocols.first().map_or(0.0, |protocol| protocol.startup_seconds)
    }

    /// The fitted time of a message \[seconds\].
    #[must_use]
    pub fn seconds(&self, bytes: u64) -> f64 {
        let protocol = self.protocols.iter().rev().find(|protocol| protocol.first_bytes <= bytes);
        let protocol = protocol.or(self.protocols.first());
        protocol.map_or(0.0, |protocol| {
            let wire = self.measurement.wire_bytes(bytes);
            protocol.startup_seconds + protocol.bytes_per_second.map_or(0.0, |rate| wire / rate)
        })
    }

    /// Relative deviations of the fitted times from the measured ones, in order.
    pub fn residuals(&self) -> impl Iterator<Item = f64> {
        self.measurement.points.iter().map(|point| self.seconds(point.bytes) / point.seconds - 1.0)
    }
}

/// The different sizes: the points of each.
fn sizes(points: &[Point]) -> Vec<std::ops::Range<usize>> {
    let mut sizes: Vec<std::ops::Range<usize>> = vec![];
    for (place, point) in points.iter().enumerate() {
        match sizes.last_mut() {
            Some(size) if points[size.start].bytes == point.bytes => size.end = place + 1,
            Some(_) | None => sizes.push(place..place + 1),
        }
    }
    sizes
}

/// The stretches of points with the least cost, by dynamic programming over their ends.
fn stretches(measurement: &Measurement, sizes: &[std::ops::Range<usize>]) -> Vec<std::ops::Range<usize>> {
    let each = sizes.len().div_ceil(MOST_STRETCHES);
    let parts: Vec<&[std::ops::Range<usize>]> = sizes.chunks(each).collect();
    let count = parts.len();
    let least = LEAST_SIZES.div_ceil(each);
    let mut best: Vec<Option<(f64, usize)>> = vec![None; count + 1]; // cost of the first parts, and the start of their last stretch
    best[0] = Some((0.0, 0));
    for begin in 0..count {
        let Some((before, _)) = best[begin] else { continue };
        let mut sums = Sums::default();
        for end in begin + 1..=count {
            let part = parts[end - 1];
            let points = part[0].start..part[part.len() - 1].end;
            measurement.points[points].iter().for_each(|point| sums.add(measurement, *point));
            let is_whole = begin == 0 && end == count;
            if end - begin < least && !is_whole {
                continue;
            }
            let cost = before + COST_OF_A_PROTOCOL + sums.line().cost(&sums);
            if best[end].is_none_or(|(known, _)| cost < known) {
                best[end] = Some((cost, begin));
            }
        }
    }
    let mut stretches = vec![];
    let mut end = count;
    while let Some((_, begin)) = best[end].filter(|_| end > 0) {
        let last = parts[end - 1];
        stretches.push(parts[begin][0].start..last[last.len() - 1].end);
        end = begin;
    }
    stretches.reverse();
    stretches
}

/// Sums of normal equations in `x = 1 / time`, `y = bytes / time`: residuals are `startup x + slope y - 1`.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: f64,
    first_bytes: Option<u64>,
    has_sizes: bool, // more than one
    xx: f64,
    xy: f64,
    yy: f64,
    x: f64,
    y: f64,
}

/// A line: its time without bytes, and the time of a byte, both at least 0.
#[derive(Debug, Clone, Copy)]
struct Line {
    startup: f64,
    slope: f64,
}

impl Sums {
    fn add(&mut self, measurement: &Measurement, point: Point) {
        let x = 1.0 / point.seconds;
        let y = measurement.wire_bytes(point.bytes) * x;
        self.has_sizes |= *self.first_bytes.get_or_insert(point.bytes) != point.bytes;
        self.count += 1.0;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
        self.x += x;
        self.y += y;
    }

    /// The line with the least sum of squared residuals.
    fn line(&self) -> Line {
        let flat = Line { startup: self.x / self.xx, slope: 0.0 };
        if !self.has_sizes {
            return flat;
        }
        let determinant = self.xx * self.yy - self.xy * self.xy;
        let startup = (self.x * self.yy - self.y * self.xy) / determinant;
        let slope = (self.y * self.xx - self.x * self.xy) / determinant;
        // A slope within rounding errors counts as 0.
        let is_flat = !(slope.is_finite() && slope * self.y > 1e-9 * self.count);
        if is_flat {
            flat
        } else if startup >= 0.0 {
            Line { startup, slope }
        } else {
            Line { startup: 0.0, slope: self.y / self.yy }
        }
    }

    /// The line with this slope and the least sum of squared residuals.
    fn line_of_slope(&self, slope: f64) -> Line {
        Line { startup: ((self.x - slope * self.xy) / self.xx).max(0.0), slope }
    }
}

impl Line {
    /// The sum of squared residuals.
    fn cost(self, sums: &Sums) -> f64 {
        let (startup, slope) = (self.startup, self.slope);
        let squares = startup * startup * sums.xx + 2.0 * startup * slope * sums.xy + slope * slope * sums.yy;
        (squares - 2.0 * (startup * sums.x + slope * sums.y) + sums.count).max(0.0)
    }
}
