//! Entries of traffic files: exact numbers of at least 0.

use cubefold_formats::input::Ratio;

/// A number above 0, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Whole(u64),
    /// A number divided by a power of ten.
    Decimal(u64, u32),
    /// A number divided by a power of two.
    Binary(u64, u32),
}

/// A text or a float that is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAmount {
    Negative,
    NotANumber, // or not a finite one
    TooLarge,   // 2^63 or more
    TooLong,    // more than 19 digits, or too near to 0
}

impl NoAmount {
    /// The violated expectation, in words.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Negative => "expected at least 0",
            Self::NotANumber => "expected a number",
            Self::TooLarge => "expected less than 2^63",
            Self::TooLong => "expected at most 19 digits, and 30 after the point",
        }
    }
}

/// The largest amount.
const MAX: u64 = (1 << 63) - 1;
/// The most digits after the point.
const MAX_PLACES: u32 = 30;
/// The largest power of two that floats are divided by.
const MAX_SHIFT: u32 = 100;

impl Amount {
    /// A whole number; `None` for 0.
    pub(super) fn whole(number: i128) -> Result<Option<Self>, NoAmount> {
        match u64::try_from(number) {
            Ok(0) => Ok(None),
            Ok(number) if number <= MAX => Ok(Some(Self::Whole(number))),
            Err(_) if number < 0 => Err(NoAmount::Negative),
            Ok(_) | Err(_) => Err(NoAmount::TooLarge),
        }
    }

    /// The exact value of a float; `None` for 0.
    pub(super) fn float(number: f64) -> Result<Option<Self>, NoAmount> {
        if !number.is_finite() {
            return Err(NoAmount::NotANumber);
        }
        if number == 0.0 {
            return Ok(None);
        }
        if number < 0.0 {
            return Err(NoAmount::Negative);
        }
        // A float above 0 is `mantissa * 2^exponent`.
        let bits = number.to_bits();
        let (biased, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
        let (odd, zeros) = (mantissa >> mantissa.trailing_zeros(), mantissa.trailing_zeros());
        let exponent = i64::try_from(biased.max(1)).unwrap_or(i64::MAX) - 1075 + i64::from(zeros);
        if exponent < 0 {
            let shift = u32::try_from(-exponent).ok().filter(|&shift| shift <= MAX_SHIFT);
            return shift.map(|shift| Some(Self::Binary(odd, shift))).ok_or(NoAmount::TooLong);
        }
        let whole = u32::try_from(exponent).ok().and_then(|exponent| 1_u64.checked_shl(exponent));
        let whole = whole.and_then(|power| odd.checked_mul(power)).filter(|&whole| whole <= MAX);
        whole.map(|whole| Some(Self::Whole(whole))).ok_or(NoAmount::TooLarge)
    }

    /// The exact value of a fraction of a power of ten; `None` for 0.
    pub(super) fn of_ratio(ratio: Ratio) -> Result<Option<Self>, NoAmount> {
        let (numerator, denominator) = ratio.parts();
        if numerator == 0 {
            return Ok(None);
        }
        let mut power: u128 = 1;
        for places in 0..=MAX_PLACES {
            if power.is_multiple_of(denominator) {
                let number =
                    numerator.checked_mul(power / denominator).and_then(|number| u64::try_from(number).ok());
                let number = number.filter(|number| *number <= MAX).ok_or(NoAmount::TooLarge)?;
                return Ok(Some(if places == 0 {
                    Self::Whole(number)
                } else {
                    Self::Decimal(number, places)
                }));
            }
            power *= 10;
        }
        Err(NoAmount::TooLong)
    }

    /// Parses a decimal number with or without a point and an exponent; `None` for 0.
    pub(super) fn parse(text: &[u8]) -> Result<Option<Self>, NoAmount> {
        if text.len() < 19 && !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
            let number = text.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
            return Ok((number > 0).then_some(Self::Whole(number)));
        }
        let (is_negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        let mut decimal = Decimal::default();
        let rest = decimal.take_digits(rest, false);
        let rest = match rest {
            [b'.', rest @ ..] => decimal.take_digits(rest, true),
            rest => rest,
        };
        let exponent = match rest {
            [] => Some(0),
            [b'e' | b'E', rest @ ..] => {
                std::str::from_utf8(rest).ok().and_then(|text| text.parse::<i32>().ok())
            }
            _ => None,
        };
        match exponent.filter(|_| decimal.has_digits) {
            None => Err(NoAmount::NotANumber),
            Some(_) if decimal.digits == 0 && !decimal.is_too_long => Ok(None),
            Some(_) if is_negative => Err(NoAmount::Negative),
            Some(exponent) => decimal.amount(exponent).map(Some),
        }
    }

    /// The amount times a factor, rounded up, and whether it was rounded; `None` for 2^63 or more.
    pub(super) fn scaled_up(self, factor: Ratio) -> Option<(u64, bool)> {
        let (number, divisor) = self.parts();
        let (numerator, denominator) = factor.parts();
        let numerator = u128::from(number).checked_mul(numerator)?;
        let Some(denominator) = denominator.checked_mul(divisor) else {
            // Less than 1 / 2^128 of a numerator below 2^128.
            return Some((1, true));
        };
        let rounded = numerator.div_ceil(denominator);
        let is_rounded = !numerator.is_multiple_of(denominator);
        u64::try_from(rounded).ok().filter(|&units| units <= MAX).map(|units| (units, is_rounded))
    }

    /// An approximation, for sums in notes.
    pub(super) fn to_f64(self) -> f64 {
        let (number, divisor) = self.parts();
        #[expect(clippy::cast_precision_loss, reason = "for a note only")]
        let quotient = number as f64 / divisor as f64;
        quotient
    }

    /// The exact value, unless it is too fine.
    pub(super) fn ratio(self) -> Ratio {
        let (number, divisor) = self.parts();
        Ratio::new(number.into(), divisor)
    }

    fn parts(self) -> (u64, u128) {
        match self {
            Self::Whole(number) => (number, 1),
            // At most 10^30 and 2^100.
            Self::Decimal(number, places) => (number, 10_u128.pow(places)),
            Self::Binary(number, shift) => (number, 1 << shift),
        }
    }
}

/// The digits of a decimal number without zeros at its end.
#[derive(Debug, Default)]
struct Decimal {
    digits: u64,
    zeros: u32,  // after these digits, not yet among them
    places: i32, // of all digits taken so far, those after the point
    has_digits: bool,
    is_too_long: bool,
}

impl Decimal {
    /// Takes the digits at the start of a text; returns the rest.
    fn take_digits<'t>(&mut self, text: &'t [u8], is_after_point: bool) -> &'t [u8] {
        let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        for digit in digits {
            self.places += i32::from(is_after_point);
            self.take(digit - b'0');
        }
        self.has_digits |= !digits.is_empty();
        rest
    }

    fn take(&mut self, digit: u8) {
        if digit == 0 {
            self.zeros += 1;
            return;
        }
        let power = 10_u64.checked_pow(self.zeros + 1).or((self.digits == 0).then_some(0));
        let shifted = power.and_then(|power| self.digits.checked_mul(power));
        match shifted.and_then(|shifted| shifted.checked_add(digit.into())) {
            Some(digits) => (self.digits, self.zeros) = (digits, 0),
            None => self.is_too_long = true,
        }
    }

    /// The amount with an exponent.
    fn amount(&self, exponent: i32) -> Result<Amount, NoAmount> {
        if self.is_too_long {
            return Err(NoAmount::TooLong);
        }
        let zeros = i32::try_from(self.zeros).unwrap_or(i32::MAX);
        let exponent = exponent.saturating_sub(self.places).saturating_add(zeros);
        if exponent < 0 {
            let places = Some(exponent.unsigned_abs()).filter(|&places| places <= MAX_PLACES);
            return places.map(|places| Amount::Decimal(self.digits, places)).ok_or(NoAmount::TooLong);
        }
        let power = u32::try_from(exponent).ok().and_then(|exponent| 10_u64.checked_pow(exponent));
        let whole = power.and_then(|power| self.digits.checked_mul(power)).filter(|&whole| whole <= MAX);
        whole.map(Amount::Whole).ok_or(NoAmount::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Amount>, NoAmount> {
        Amount::parse(text.as_bytes())
    }

    #[test]
    fn decimals_are_exact() {
        let amount = |text| parse(text).unwrap().unwrap();
        for text in [
            "40",
            "+40",
            "40.0",
            "4e1",
            "0.4e2",
            "400E-1",
            "4.000000000000000000e+01",
            "0000000000000000000040",
        ] {
            assert_eq!(amount(text), Amount::Whole(40), "{text}");
        }
        assert_eq!(amount("0.5"), Amount::Decimal(5, 1));
        assert_eq!(amount(".05"), Amount::Decimal(5, 2));
        assert_eq!(amount("1.25e-3"), Amount::Decimal(125, 5));
        assert_eq!(amount("1.000000000000000056e-01"), Amount::Decimal(1_000_000_000_000_000_056, 19));
        assert_eq!(amount("9223372036854775807"), Amount::Whole(MAX));
        assert_eq!(amount("700000000000000000"), Amount::Whole(700_000_000_000_000_000));
        for zero in ["0", "-0", "0.0", "0e9", "0000000000000000000000"] {
            assert_eq!(parse(zero), Ok(None), "{zero}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "x", "nan", "inf", "-inf", "1e", "1.2.3", "--1", "1 2", ".", "0x1", "1_000", "1e99999999999"]
        {
            assert_eq!(parse(text), Err(NoAmount::NotANumber), "{text}");
        }
        for text in ["-1", "-0.5", "-1e300"] {
            assert_eq!(parse(text), Err(NoAmount::Negative), "{text}");
        }
        for text in ["9223372036854775808", "1e19", "1e2147483647"] {
            assert_eq!(parse(text), Err(NoAmount::TooLarge), "{text}");
        }
        for text in ["1e-31", "0.12345678901234567890123", "1e-2147483648", "123456789012345678901"] {
            assert_eq!(parse(text), Err(NoAmount::TooLong), "{text}");
        }
    }

    #[test]
    fn floats_are_exact() {
        assert_eq!(Amount::float(40.0), Ok(Some(Amount::Whole(40))));
        assert_eq!(Amount::float(0.25), Ok(Some(Amount::Binary(1, 2))));
        assert_eq!(Amount::float(0.1), Ok(Some(Amount::Binary(3_602_879_701_896_397, 55))));
        assert_eq!(Amount::float(-0.0), Ok(None));
        assert_eq!(Amount::float(2_f64.powi(63)), Err(NoAmount::TooLarge));
        assert_eq!(Amount::float(1e300), Err(NoAmount::TooLarge));
        assert_eq!(Amount::float(f64::MIN_POSITIVE / 4.0), Err(NoAmount::TooLong));
        assert_eq!(Amount::float(-1.0), Err(NoAmount::Negative));
        assert_eq!(Amount::float(f64::NAN), Err(NoAmount::NotANumber));
        assert_eq!(Amount::float(f64::INFINITY), Err(NoAmount::NotANumber));
    }

    #[test]
    fn amounts_are_scaled_and_rounded_up_once() {
        let bytes = Ratio::new(1, 64);
        assert_eq!(Amount::Whole(64).scaled_up(bytes), Some((1, false)));
        assert_eq!(Amount::Whole(65).scaled_up(bytes), Some((2, true)));
        assert_eq!(Amount::Decimal(5, 1).scaled_up(Ratio::from(1)), Some((1, true)));
        // 1.1 * 10 is 11, although it is not in floating-point numbers.
        assert_eq!(Amount::Decimal(11, 1).scaled_up(Ratio::from(10)), Some((11, false)));
        assert_eq!(Amount::Binary(1, 100).scaled_up(Ratio::new(1, 1 << 40)), Some((1, true)));
        assert_eq!(Amount::Whole(MAX).scaled_up(Ratio::from(2)), None);
    }
}
