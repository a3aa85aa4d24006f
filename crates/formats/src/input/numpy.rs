//! Arrays that `numpy.save` wrote: the format of `numpy.lib.format`.
//!
//! A magic word, a version, the length of a header, the header as a Python dictionary, and the numbers:
//! integers of 1 to 8 bytes, floats of 2 to 8 bytes and truth values, in either byte order, by rows or by
//! columns (`fortran_order`).

/// First bytes of such a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// Larger than any header \[bytes\].
pub const MAX_HEADER: u64 = 1 << 17;

/// An array.
#[derive(Debug)]
pub struct NumpyArray {
    /// The lengths of its dimensions.
    pub shape: Vec<usize>,
    /// Its numbers in file order; their count is that of the shape.
    pub numbers: Numbers,
    is_columns_first: bool,
}

/// The numbers of an array.
#[derive(Debug)]
pub enum Numbers {
    /// Signed or unsigned integers, or truth values.
    Integers(Vec<i128>),
    /// Floats.
    Floats(Vec<f64>),
}

/// The kind of the numbers in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Signed,
    Unsigned,
    Truth,
    Float,
}

impl NumpyArray {
    /// The memory that a number takes after it is read, with its bytes in the file \[bytes\].
    pub const BYTES_A_NUMBER: u64 = (size_of::<u64>() + size_of::<i128>()) as u64;

    /// The memory that the numbers of a file take once they are read \[bytes\]; 0 if it has none.
    #[must_use]
    pub fn bytes_to_read(bytes: &[u8]) -> u64 {
        let head = &bytes[..bytes.len().min(1 << 10)];
        let kind = head.utf8_chunks().find_map(|chunk| value(chunk.valid(), "descr"));
        let width = kind.map(|kind| {
            kind.trim_matches('\'').trim_start_matches(|character: char| !character.is_ascii_digit())
        });
        let width: u64 = width.and_then(|width| width.parse().ok()).unwrap_or(1);
        (bytes.len() as u64 / width.max(1)).saturating_mul(size_of::<i128>() as u64)
    }

    /// Parses a file; the error is a message.
    ///
    /// # Errors
    ///
    /// A message on the error in the header or the numbers.
    pub fn new(bytes: &[u8]) -> Result<Self, String> {
        let no_array = || "not a NumPy array, expected a file that numpy.save wrote".to_owned();
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(no_array)?;
        let (version, rest) = rest.split_at_checked(2).ok_or_else(no_array)?;
        let width = if version[0] == 1 { 2 } else { 4 };
        let (length, rest) = rest.split_at_checked(width).ok_or_else(no_array)?;
        let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
        let (header, numbers) = rest.split_at_checked(length).ok_or_else(no_array)?;
        let header = std::str::from_utf8(header).map_err(|_| no_array())?;
        let kind = value(header, "descr").ok_or_else(no_array)?.trim_matches(['\'', '"']);
        let is_columns_first = match value(header, "fortran_order") {
            Some("False") => false,
            Some("True") => true,
            _ => return Err(no_array()),
        };
        let shape = value(header, "shape").ok_or_else(no_array)?;
        let shape: Option<Vec<usize>> = shape
            .trim_matches(['(', ')', ' '])
            .split(',')
            .map(str::trim)
            .filter(|length| !length.is_empty())
            .map(|length| length.parse().ok())
            .collect();
        let shape = shape.ok_or_else(no_array)?;
        let numbers = numbers_of(kind, numbers)?;
        let found = match &numbers {
            Numbers::Integers(all) => all.len(),
            Numbers::Floats(all) => all.len(),
        };
        let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
        if count != Some(found) {
            return Err(format!("{found} numbers, expected as many as shape {shape:?} has"));
        }
        Ok(Self { shape, numbers, is_columns_first })
    }

    /// The position of a table entry among the numbers.
    #[must_use]
    pub fn place(&self, row: usize, column: usize) -> usize {
        match self.shape[..] {
            [rows, _] if self.is_columns_first => column * rows + row,
            [_, columns] => row * columns + column,
            _ => row,
        }
    }
}

/// The value of a key in a Python dictionary of strings, words and tuples of numbers.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let after = header.split_once(&format!("'{key}':"))?.1.trim_start();
    let end = if after.starts_with('(') { after.find(')')? + 1 } else { after.find([',', '}'])? };
    Some(after[..end].trim())
}

/// Reads numbers of a type such as `<u4`, `|b1` or `>f8`.
fn numbers_of(kind: &str, bytes: &[u8]) -> Result<Numbers, String> {
    let unknown = || {
        format!(
            "numbers of type {kind:?}, expected integers of 1 to 8 bytes, floats of 2 to 8 bytes or truth values"
        )
    };
    let (order, rest) = kind.split_at_checked(1).ok_or_else(unknown)?;
    let (class, width) = rest.split_at_checked(1).ok_or_else(unknown)?;
    let width: usize = width.parse().map_err(|_| unknown())?;
    let class = match (class, width) {
        ("i", 1 | 2 | 4 | 8) => Class::Signed,
        ("u", 1 | 2 | 4 | 8) => Class::Unsigned,
        ("b", 1) => Class::Truth,
        ("f", 2 | 4 | 8) => Class::Float,
        _ => return Err(unknown()),
    };
    let is_big = match order {
        "<" | "|" => false,
        ">" => true,
        _ => return Err(unknown()),
    };
    if !bytes.len().is_multiple_of(width) {
        return Err(format!("{} bytes of numbers, expected a multiple of {width}", bytes.len()));
    }
    let pattern = |bytes: &[u8]| {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    };
    let patterns = bytes.chunks(width).map(pattern);
    Ok(match class {
        Class::Float => Numbers::Floats(patterns.map(|pattern| float(pattern, width)).collect()),
        Class::Truth => Numbers::Integers(patterns.map(|pattern| (pattern != 0).into()).collect()),
        Class::Unsigned => Numbers::Integers(patterns.map(i128::from).collect()),
        Class::Signed => {
            let bits = 8 * width;
            let signed = |pattern: u64| {
                let number = i128::from(pattern);
                if number >> (bits - 1) > 0 { number - (1 << bits) } else { number }
            };
            Numbers::Integers(patterns.map(signed).collect())
        }
    })
}

/// Decodes a float of `width` bytes from its bits.
fn float(pattern: u64, width: usize) -> f64 {
    let low = u32::try_from(pattern & u64::from(u32::MAX)).unwrap_or_default();
    match width {
        8 => f64::from_bits(pattern),
        4 => f32::from_bits(low).into(),
        _ => half(low),
    }
}

/// A float of 2 bytes: a sign, 5 bits of exponent, 10 of fraction (IEEE 754, binary16).
fn half(pattern: u32) -> f64 {
    let (exponent, fraction) = (pattern >> 10 & 31, f64::from(pattern & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * 2_f64.powi(exponent.cast_signed() - 15),
    };
    if pattern >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these numbers.
    fn file(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
    }

    fn integers(descr: &str, order: &str, shape: &str, bytes: &[u8]) -> Vec<i128> {
        match NumpyArray::new(&file(descr, order, shape, bytes)).unwrap().numbers {
            Numbers::Integers(all) => all,
            Numbers::Floats(all) => panic!("floats {all:?}"),
        }
    }

    fn floats(descr: &str, shape: &str, bytes: &[u8]) -> Vec<f64> {
        match NumpyArray::new(&file(descr, "False", shape, bytes)).unwrap().numbers {
            Numbers::Floats(all) => all,
            Numbers::Integers(all) => panic!("integers {all:?}"),
        }
    }

    #[test]
    fn arrays_of_any_integers_are_read() {
        let row = |descr: &str, bytes: &[u8]| integers(descr, "False", "(1, 2)", bytes);
        assert_eq!(row("<u4", &[1, 0, 0, 0, 2, 1, 0, 0]), [1, 258]);
        assert_eq!(row(">i2", &[0, 7, 0xff, 0xff]), [7, -1]);
        assert_eq!(row("|u1", &[255, 3]), [255, 3]);
        assert_eq!(row("|b1", &[1, 0]), [1, 0]);
        assert_eq!(row("<i8", &[0xfe, 255, 255, 255, 255, 255, 255, 255, 4, 0, 0, 0, 0, 0, 0, 0]), [-2, 4]);
        assert_eq!(row(">u8", &[255; 16]), [u64::MAX.into(); 2]);
    }

    #[test]
    fn arrays_of_any_floats_are_read() {
        let double = [0.1_f64.to_be_bytes(), (-2.5_f64).to_be_bytes()].concat();
        assert_eq!(floats(">f8", "(2,)", &double), [0.1, -2.5]);
        let single = [40_f32.to_le_bytes(), 0.25_f32.to_le_bytes()].concat();
        assert_eq!(floats("<f4", "(2,)", &single), [40.0, 0.25]);
        // 1, -2, the largest, the smallest, infinity.
        let half = [0x00, 0x3c, 0x00, 0xc0, 0xff, 0x7b, 0x01, 0x00, 0x00, 0x7c];
        assert_eq!(floats("<f2", "(5,)", &half), [1.0, -2.0, 65504.0, 2_f64.powi(-24), f64::INFINITY]);
        assert!(floats("<f2", "(1,)", &[0x01, 0x7e])[0].is_nan());
    }

    #[test]
    fn entries_are_found_in_either_order() {
        for (order, bytes) in [("True", [1, 2, 3, 4, 5, 6]), ("False", [1, 4, 2, 5, 3, 6])] {
            let array = NumpyArray::new(&file("|u1", order, "(3, 2)", &bytes)).unwrap();
            let Numbers::Integers(numbers) = &array.numbers else { panic!() };
            let entry = |row, column| numbers[array.place(row, column)];
            assert_eq!([entry(0, 0), entry(1, 0), entry(2, 0)], [1, 2, 3]);
            assert_eq!([entry(0, 1), entry(1, 1), entry(2, 1)], [4, 5, 6]);
        }
    }

    #[test]
    fn other_files_are_refused() {
        let wrong = |bytes: &[u8]| NumpyArray::new(bytes).unwrap_err();
        assert_eq!(wrong(b"process,p_1\n"), "not a NumPy array, expected a file that numpy.save wrote");
        assert!(wrong(&file("<f16", "False", "(1,)", &[0; 16])).starts_with("numbers of type \"<f16\""));
        assert!(wrong(&file("<c8", "False", "(1,)", &[0; 8])).starts_with("numbers of type \"<c8\""));
        assert!(wrong(&file("<u4", "Maybe", "(1, 2)", &[0; 8])).starts_with("not a NumPy array"));
        assert_eq!(
            wrong(&file("<u4", "False", "(3, 2)", &[0; 8])),
            "2 numbers, expected as many as shape [3, 2] has"
        );
        assert!(wrong(&file("<u4", "False", "(1, 2)", &[0; 7])).starts_with("7 bytes"));
        let right = file("<u4", "False", "(1, 2)", &[0; 8]);
        for length in 0..right.len() {
            assert!(NumpyArray::new(&right[..length]).is_err());
        }
    }
}
