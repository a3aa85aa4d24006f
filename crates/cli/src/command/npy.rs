//! Placements as arrays of `NumPy`.

use std::io::{self, Write};

use cubefold_experiment::Run;

use super::one_run::addresses;

/// What such files begin with, and the version of their form, 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// The header ends at a multiple of this many bytes from the beginning of the file.
const ALIGNMENT: usize = 64;

/// Writes an array with a row for each process, of its coordinates: unsigned integers of 32 bits, little-endian.
///
/// "NPY format", `NumPy` reference, `numpy.lib.format`.
pub(super) fn write_npy(output: &mut impl Write, run: &Run) -> io::Result<()> {
    let columns = run.machine.shape().dimension_count();
    output.write_all(&header(run.program.process_count(), columns))?;
    for (_, address) in addresses(run) {
        for coordinate in address.as_slice() {
            output.write_all(&coordinate.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Everything before the numbers: a dictionary as Python writes it, and how long it is.
fn header(rows: u64, columns: usize) -> Vec<u8> {
    let dictionary = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let before = MAGIC.len() + size_of::<u16>();
    let whole = (before + dictionary.len() + 1).next_multiple_of(ALIGNMENT);
    let padded = format!("{dictionary:<width$}\n", width = whole - before - 1);
    // Two numbers of at most 20 digits: the length is far below 2^16.
    let length = u16::try_from(padded.len()).unwrap_or(u16::MAX);
    [MAGIC, &length.to_le_bytes(), padded.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_fill_whole_blocks_and_tell_their_length() {
        for (rows, columns) in [(8, 1), (1 << 32, 32)] {
            let header = header(rows, columns);
            assert!(header.len().is_multiple_of(ALIGNMENT));
            let length = u16::from_le_bytes([header[8], header[9]]);
            assert_eq!(usize::from(length) + 10, header.len());
            assert_eq!(header.last(), Some(&b'\n'));
        }
        let text = String::from_utf8_lossy(&header(8, 1)[10..]).into_owned();
        assert_eq!(text.trim_end(), "{'descr': '<u4', 'fortran_order': False, 'shape': (8, 1), }");
    }
}
