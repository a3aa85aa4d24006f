//! Quantities with units: sizes, bandwidths and times as written in scenarios, as exact numbers (`docs/model.md`
//! section 17).
//!
//! A quantity is a decimal number and a unit: `64 MiB`, `50 GB/s`, `400 Gb/s`, `1.5 us`. It becomes an exact
//! [`Ratio`] of bytes, bytes a second or seconds. Nothing is rounded here, and no floating-point number takes part.

use std::fmt;

pub use cubefold_topology::greatest_common_divisor;

use super::exact_mean::exact_mean;

/// Largest number of digits, including those after the point.
const MAX_DIGITS: usize = 18;

/// A non-negative rational number in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    numerator: u128,
    denominator: u128, // at least 1
}

impl Ratio {
    /// 0.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// A quotient in lowest terms; `denominator` is not 0.
    #[must_use]
    pub fn new(numerator: u128, denominator: u128) -> Self {
        let divisor = greatest_common_divisor(numerator, denominator).max(1);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The sum, or `None` if a part exceeds 128 bits.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            let numerator = self.numerator.checked_add(other.numerator)?;
            return Some(Self { numerator, denominator: 1 });
        }
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Some(Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?))
    }

    /// The value of a decimal number of at least 0, with or without a point and an exponent.
    #[must_use]
    pub fn parse_decimal(word: &str) -> Option<Self> {
        // Most numbers of large files are short and whole.
        if (1..20).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit()) {
            return word.parse::<u64>().ok().map(Self::from);
        }
        let (digits, exponent) = match word.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (word, 0),
        };
        let digits = digits.strip_prefix('+').unwrap_or(digits);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let all = format!("{whole}{fraction}");
        if all.is_empty() && digits.len() < 2
            || !all.bytes().all(|byte| byte.is_ascii_digit())
            || all.len() > 30
        {
            return None;
        }
        let number: u128 = if all.is_empty() { 0 } else { all.parse().ok()? };
        let places = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = 10_u128.checked_pow(places.unsigned_abs())?;
        if places < 0 {
            Some(Self::new(number, power))
        } else {
            Some(Self::new(number.checked_mul(power)?, 1))
        }
    }

    /// The product, or `None` if a part exceeds 128 bits.
    #[must_use]
    pub fn times(self, other: Self) -> Option<Self> {
        // Reducing crosswise first keeps the parts small.
        let (one, two) =
            (Self::new(self.numerator, other.denominator), Self::new(other.numerator, self.denominator));
        let numerator = one.numerator.checked_mul(two.numerator)?;
        let denominator = one.denominator.checked_mul(two.denominator)?;
        Some(Self::new(numerator, denominator))
    }

    /// The quotient, or `None` if the divisor is 0 or a part exceeds 128 bits.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        if other.numerator == 0 {
            return None;
        }
        self.times(Self { numerator: other.denominator, denominator: other.numerator })
    }

    /// The factor by which it differs from `other`, and whether it is the smaller one; `None` if a part
    /// exceeds 128 bits.
    #[must_use]
    pub fn difference(self, other: Self) -> Option<(Self, bool)> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        Some((Self::new(left.abs_diff(right), denominator), left < right))
    }

    /// The denominator in lowest terms.
    #[must_use]
    pub fn denominator(self) -> u128 {
        self.denominator
    }

    /// Rounds up to a whole number.
    #[must_use]
    pub fn ceil(self) -> u128 {
        self.numerator.div_ceil(self.denominator)
    }

    /// Rounds to the nearest whole number; halves go up.
    #[must_use]
    pub fn rounded(self) -> u128 {
        let (whole, rest) = (self.numerator / self.denominator, self.numerator % self.denominator);
        whole + u128::from(rest >= self.denominator - rest)
    }

    /// Its numerator and its denominator, which is at least 1, in lowest terms.
    #[must_use]
    pub fn parts(self) -> (u128, u128) {
        (self.numerator, self.denominator)
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        // `None` only for denominators from 2^127 on.
        exact_mean(self.numerator, self.denominator).unwrap_or(0.0)
    }
}

impl From<u64> for Ratio {
    fn from(number: u64) -> Self {
        Self { numerator: number.into(), denominator: 1 }
    }
}

/// A decimal, rounded to six digits after the point.
impl fmt::Display for Ratio {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SCALE: u128 = 1_000_000;
        let Some(scaled) = self.numerator.checked_mul(SCALE) else {
            return write!(formatter, "{}", self.rounded());
        };
        let millionths = Self::new(scaled, self.denominator).rounded();
        let (whole, fraction) = (millionths / SCALE, millionths % SCALE);
        if fraction == 0 {
            return write!(formatter, "{whole}");
        }
        let digits = format!("{fraction:06}");
        write!(formatter, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// The kinds of quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Bytes.
    Size,
    /// Bytes a second.
    Bandwidth,
    /// Seconds.
    Time,
}

/// A unit: its name, and its value as a numerator and a denominator.
type Unit = (&'static str, u128, u128);

const SIZES: [Unit; 9] = [
    ("B", 1, 1),
    ("kB", 1000, 1),
    ("MB", 1_000_000, 1),
    ("GB", 1_000_000_000, 1),
    ("TB", 1_000_000_000_000, 1),
    ("KiB", 1 << 10, 1),
    ("MiB", 1 << 20, 1),
    ("GiB", 1 << 30, 1),
    ("TiB", 1 << 40, 1),
];

const BANDWIDTHS: [Unit; 13] = [
    ("B/s", 1, 1),
    ("kB/s", 1000, 1),
    ("MB/s", 1_000_000, 1),
    ("GB/s", 1_000_000_000, 1),
    ("TB/s", 1_000_000_000_000, 1),
    ("KiB/s", 1 << 10, 1),
    ("MiB/s", 1 << 20, 1),
    ("GiB/s", 1 << 30, 1),
    ("TiB/s", 1 << 40, 1),
    ("kb/s", 1000, 8),
    ("Mb/s", 1_000_000, 8),
    ("Gb/s", 1_000_000_000, 8),
    ("Tb/s", 1_000_000_000_000, 8),
];

const TIMES: [Unit; 5] = [
    ("s", 1, 1),
    ("ms", 1, 1000),
    ("us", 1, 1_000_000),
    ("ns", 1, 1_000_000_000),
    ("ps", 1, 1_000_000_000_000),
];

/// An invalid quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuantityError {
    /// A suggested correction, or the known units.
    pub help: String,
    /// Whether only the number of digits is wrong.
    pub is_long: bool,
}

impl QuantityError {
    fn new(help: String) -> Self {
        Self { help, is_long: false }
    }

    fn long(digits: usize) -> Self {
        Self { help: format!("write at most {MAX_DIGITS} digits: this number has {digits}"), is_long: true }
    }

    /// A description of what was expected, for messages.
    #[must_use]
    pub fn expected(&self, measure: Measure) -> String {
        if self.is_long {
            format!("a number of at most {MAX_DIGITS} digits")
        } else {
            measure.expected().to_owned()
        }
    }
}

impl Measure {
    fn units(self) -> &'static [Unit] {
        match self {
            Self::Size => &SIZES,
            Self::Bandwidth => &BANDWIDTHS,
            Self::Time => &TIMES,
        }
    }

    /// A description for messages.
    #[must_use]
    pub fn expected(self) -> &'static str {
        match self {
            Self::Size => "a size such as \"64 MiB\"",
            Self::Bandwidth => "a bandwidth such as \"50 GB/s\"",
            Self::Time => "a time such as \"400 ns\"",
        }
    }

    /// Reads a quantity: digits, optionally with a point, and a unit.
    ///
    /// # Errors
    ///
    /// If the number or the unit is invalid, or the number has too many digits.
    pub fn parse(self, text: &str) -> Result<Ratio, QuantityError> {
        let text = text.trim();
        let end = text.find(|character: char| !(character.is_ascii_digit() || character == '.'));
        let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
        let unit = unit.trim();
        let number = self.number(digits)?;
        let known = self.units().iter().find(|(name, _, _)| *name == unit);
        let (_, numerator, denominator) = known.ok_or_else(|| self.unknown_unit(digits, unit))?;
        let quantity = number.times(Ratio::new(*numerator, *denominator));
        quantity.ok_or_else(|| QuantityError::long(digits.len()))
    }

    fn number(self, digits: &str) -> Result<Ratio, QuantityError> {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{whole}{fraction}");
        if whole.is_empty() || fraction.contains('.') || digits.ends_with('.') {
            return Err(QuantityError::new(format!("write a number and a unit: {}", self.unit_list())));
        }
        let scale = u32::try_from(fraction.len()).ok().and_then(|places| 10_u128.checked_pow(places));
        match (all.parse::<u128>(), scale) {
            (Ok(number), Some(scale)) if all.len() <= MAX_DIGITS => Ok(Ratio::new(number, scale)),
            _ => Err(QuantityError::long(all.len())),
        }
    }

    fn unit_list(self) -> String {
        self.units().iter().map(|(name, _, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Suggests a unit for common misspellings: `GBs`, `GBps`, `Gbit/s`, `KB`, `µs`, or a missing unit.
    fn unknown_unit(self, digits: &str, unit: &str) -> QuantityError {
        let names = || self.units().iter().map(|(name, _, _)| *name);
        let plain =
            |name: &str| name.replace("bit", "b").replace("ps", "s").replace('/', "").replace('µ', "u");
        let same = names().find(|name| plain(name) == plain(unit));
        let alike = || names().filter(|name| plain(name).eq_ignore_ascii_case(&plain(unit)));
        // A small b is a bit: `gbps` is no `GB/s`.
        let counts_alike = |name: &&str| plain(name).contains('b') == plain(unit).contains('b');
        let help = match same.or_else(|| alike().find(counts_alike)).or_else(|| alike().next()) {
            Some(name) => format!("did you mean \"{digits} {name}\"?"),
            None => format!("known units: {}", self.unit_list()),
        };
        QuantityError::new(help)
    }
}

/// Units of rates \[bytes per second\], descending.
const RATE_UNITS: [(f64, &str); 5] =
    [(1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")];
/// Units of times \[seconds\], descending.
const TIME_UNITS: [(f64, &str); 5] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")];

/// Writes a number of bytes exactly, in the unit that makes the shortest number: `64 KiB`, `400 MB`.
#[must_use]
pub fn written_bytes(bytes: u64) -> String {
    // Among equally short numbers, units of 1024 win, as they come last.
    let whole = SIZES.iter().filter(|(_, unit, _)| u128::from(bytes).is_multiple_of(*unit));
    let written = whole.map(|(name, unit, _)| (u128::from(bytes) / unit, name));
    let positive = written.filter(|(number, _)| *number > 0).rev();
    let shortest = positive.min_by_key(|(number, _)| number.ilog10());
    shortest.map_or_else(|| format!("{bytes} B"), |(number, name)| format!("{number} {name}"))
}

/// Writes a rate for a scenario with five significant digits, rounded down: `9.9928 GB/s`.
#[must_use]
pub fn written_rate(bytes_per_second: f64) -> String {
    // A quotient that should be a round number may be slightly below it.
    significant(bytes_per_second * (1.0 + 1e-12), &RATE_UNITS, 5, f64::floor)
}

/// The largest unit that is no longer than this time \[seconds\], or else picoseconds: its length \[seconds\] and its name.
#[must_use]
pub fn unit_of_seconds(longest: f64) -> (f64, &'static str) {
    TIME_UNITS.into_iter().find(|(length, _)| longest >= *length).unwrap_or(TIME_UNITS[4])
}

/// Writes a time for a scenario with four significant digits: `12.41 us`.
#[must_use]
pub fn written_seconds(seconds: f64) -> String {
    significant(seconds, &TIME_UNITS, 4, f64::round)
}

/// Formats `number` to `digits` significant digits, in the largest unit that does not exceed it, or else the last.
/// `units` descend.
fn significant(number: f64, units: &[(f64, &str)], digits: i32, rounded: fn(f64) -> f64) -> String {
    const MOST_PLACES: i32 = 12;
    let unit = units.iter().find(|(scale, _)| number >= *scale).or(units.last());
    let Some((scale, name)) = unit else { return number.to_string() };
    let scaled = number / scale;
    if scaled <= 0.0 {
        return format!("0 {name}");
    }
    let mut places = 0;
    while places < MOST_PLACES && scaled * 10_f64.powi(places) < 10_f64.powi(digits - 1) {
        places += 1;
    }
    let power = 10_f64.powi(places);
    let text = format!("{:.*}", usize::try_from(places).unwrap_or(0), rounded(scaled * power) / power);
    let text = if places > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

/// The bytes of a size such as `64 KiB`; `None` if it is invalid, or not a whole number below 2^64.
#[must_use]
pub fn bytes_of_size(text: &str) -> Option<u64> {
    let size = Measure::Size.parse(text).ok()?;
    u64::try_from(size.ceil()).ok().filter(|bytes| Ratio::from(*bytes) == size)
}

/// Formats a time with three or four digits in the largest unit that gives at least one, `12.4 us`.
#[must_use]
pub fn engineering_seconds(seconds: f64) -> String {
    engineering(seconds, &TIME_UNITS)
}

/// Formats a rate in the same way: `12.4 GB/s`.
#[must_use]
pub fn engineering_rate(bytes_per_second: f64) -> String {
    engineering(bytes_per_second, &RATE_UNITS)
}

/// Formats a number in the largest unit that gives at least one, or else the last; `units` descend.
fn engineering(number: f64, units: &[(f64, &str)]) -> String {
    // Rounds to three digits first: 999.96 us are 1.00 ms.
    let fits = |(scale, _): &&(f64, &str)| number >= 0.9995 * scale;
    let Some((scale, name)) = units.iter().find(fits).or(units.last()) else { return number.to_string() };
    let scaled = number / scale;
    match scaled {
        _ if scaled >= 99.95 => format!("{scaled:.0} {name}"),
        _ if scaled >= 9.995 => format!("{scaled:.1} {name}"),
        0.0 => format!("0 {name}"),
        _ => format!("{scaled:.2} {name}"),
    }
}

/// A number of bytes, displayed in units of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
        let unit = (0..UNITS.len()).rev().find(|&unit| self.0 >> (10 * unit) > 0).unwrap_or(0);
        let tenths = (u128::from(self.0) * 10) >> (10 * unit);
        match unit {
            0 => write!(formatter, "{} bytes", self.0),
            unit => write!(formatter, "{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_the_unit_in_which_they_are_round() {
        let written = [0, 1, 1000, 1024, 1536, 65_536, 400_000_000, 25 << 20, 1001].map(written_bytes);
        let expected = ["0 B", "1 B", "1 kB", "1 KiB", "1536 B", "64 KiB", "400 MB", "25 MiB", "1001 B"];
        assert_eq!(written, expected);
        for bytes in (0..4096).chain([1 << 40, 10_u64.pow(12), 10_u64.pow(18) - 1]) {
            assert_eq!(Measure::Size.parse(&written_bytes(bytes)).unwrap(), Ratio::from(bytes));
        }
    }

    #[test]
    fn quantities_are_exact() {
        let size = |text| Measure::Size.parse(text).unwrap();
        assert_eq!(size("64 MiB"), Ratio::from(64 << 20));
        assert_eq!(size("1GB"), Ratio::from(1_000_000_000));
        assert_eq!(size(" 1.5  kB "), Ratio::from(1500));
        let bandwidth = |text| Measure::Bandwidth.parse(text).unwrap();
        assert_eq!(bandwidth("400 Gb/s"), bandwidth("50 GB/s"));
        assert_eq!(bandwidth("50 GB/s"), Ratio::from(50_000_000_000));
        let time = |text| Measure::Time.parse(text).unwrap();
        assert_eq!(time("1.5 us"), Ratio::new(15, 10_000_000));
        assert_eq!(time("0.513 us"), time("513 ns"));
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_advice() {
        let help = |measure: Measure, text: &str| measure.parse(text).unwrap_err().help;
        assert_eq!(help(Measure::Bandwidth, "50 GBs"), "did you mean \"50 GB/s\"?");
        assert_eq!(help(Measure::Bandwidth, "400 Gbps"), "did you mean \"400 Gb/s\"?");
        assert_eq!(help(Measure::Bandwidth, "400 Gbit/s"), "did you mean \"400 Gb/s\"?");
        assert_eq!(help(Measure::Bandwidth, "50 gb/s"), "did you mean \"50 Gb/s\"?");
        assert_eq!(help(Measure::Bandwidth, "50 gbps"), "did you mean \"50 Gb/s\"?");
        assert_eq!(help(Measure::Size, "64 MIB"), "did you mean \"64 MiB\"?");
        assert_eq!(help(Measure::Size, "64"), "known units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
        assert_eq!(help(Measure::Time, "3 µs"), "did you mean \"3 us\"?");
        assert_eq!(help(Measure::Time, "-3 us"), "write a number and a unit: s, ms, us, ns, ps");
        assert_eq!(help(Measure::Time, "1.2.3 us"), "write a number and a unit: s, ms, us, ns, ps");
        assert_eq!(
            help(Measure::Time, "1234567890123456789 ns"),
            "write at most 18 digits: this number has 19"
        );
    }

    #[test]
    fn halves_are_rounded_up() {
        let rounded = |numerator, denominator| Ratio::new(numerator, denominator).rounded();
        assert_eq!([rounded(1, 2), rounded(3, 2), rounded(5, 4), rounded(7, 4)], [1, 2, 1, 2]);
        assert_eq!((Ratio::new(7, 3).ceil(), Ratio::new(6, 3).ceil()), (3, 2));
        let (difference, is_less) = Ratio::new(1, 3).difference(Ratio::new(1, 2)).unwrap();
        assert_eq!((difference, is_less), (Ratio::new(1, 6), true));
    }

    #[test]
    fn numbers_are_shown_as_people_say_them() {
        assert_eq!(Ratio::new(128, 100).to_string(), "1.28");
        assert_eq!(Ratio::new(1, 3).to_string(), "0.333333");
        assert_eq!(Ratio::from(7).to_string(), "7");
        let shown = [0.0, 1.24e-5, 9.9996e-4, 3.2, 1.234e-7, 5e-13].map(engineering_seconds);
        assert_eq!(shown, ["0 ps", "12.4 us", "1.00 ms", "3.20 s", "123 ns", "0.50 ps"]);
        assert_eq!(engineering_rate(4.66e10), "46.6 GB/s");
    }

    #[test]
    fn numbers_for_scenarios_have_significant_digits() {
        let rates = [9.99285e9, 400.0, 1.234_567e12, 0.5, 23_301_689_000.0, 135e9].map(written_rate);
        assert_eq!(rates, ["9.9928 GB/s", "400 B/s", "1.2345 TB/s", "0.5 B/s", "23.301 GB/s", "135 GB/s"]);
        let times = [0.0, 2.1e-6, 12.414e-6, 1.0 / 3.0, 5e-7, 999.96e-9].map(written_seconds);
        assert_eq!(times, ["0 ps", "2.1 us", "12.41 us", "333.3 ms", "500 ns", "1000 ns"]);
        for text in &rates {
            assert!(Measure::Bandwidth.parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn bytes_read_as_people_say_them() {
        let texts = [0, 1023, 1536, 5 << 30].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 GiB"]);
    }
}
