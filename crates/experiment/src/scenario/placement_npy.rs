//! Placements from `NumPy` arrays, as `place --format npy` writes them: a row of coordinates per process.
//!
//! The format is that of `numpy.lib.format`: a magic word, a version, the length of a header, the header as a
//! Python dictionary, and the numbers. Integers of 1 to 8 bytes in either byte order, by rows or by columns
//! (`fortran_order`), can be read.

use std::{io, path::Path};

use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_topology::NodeId;

use super::{
    budget::Budget,
    errors::{ScenarioError, and_more},
    placement_file::Failure,
};
use crate::input::{diagnostic::MAX_REPORTED, input_file, region::Region};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Larger than any header \[bytes\].
const MAX_HEADER: u64 = 1 << 17;

/// An array of integers.
#[derive(Debug)]
struct Array {
    shape: Vec<usize>,
    numbers: Vec<i128>,
}

/// Reads the placement of `processes` processes on `region`.
///
/// # Errors
///
/// If the file cannot be read or is wrong: the first errors, the last of them with the number of omitted
/// ones.
pub(super) fn read(
    path: &Path,
    processes: u64,
    region: Region<'_>,
    budget: &Budget,
) -> Result<Placement, Failure> {
    let dimensions = region.machine.shape().dimension_count();
    // Numbers are held both as bytes of the file and as integers.
    let bytes_a_process = (dimensions as u64).saturating_mul((size_of::<u64>() + size_of::<i128>()) as u64);
    budget
        .take_for_a_while(processes.saturating_mul(bytes_a_process), 0)
        .map_err(|over| Failure::Wrong(vec![over.of_file(path, "its rows:")]))?;
    let most = processes.saturating_mul(8 * dimensions as u64).saturating_add(MAX_HEADER);
    let bytes = input_file::read(path, most)
        .map_err(|error| Failure::Unreadable(io::Error::from(error).to_string()))?;
    let wrong = |message: String| Failure::Wrong(vec![ScenarioError::of_file(path, message)]);
    let array = Array::new(&bytes).map_err(wrong)?;
    if array.shape[..] != [usize::try_from(processes).unwrap_or(usize::MAX), dimensions] {
        let message = format!(
            "an array of shape {:?}, expected [{processes}, {dimensions}]: a row of coordinates for each process",
            array.shape
        );
        return Err(wrong(message));
    }
    let (mut nodes, mut errors, mut count) = (vec![], vec![], 0_u64);
    for (row, process) in array.numbers.chunks(dimensions).zip(ProcessId::first(processes)) {
        let mut index = 0;
        for (&coordinate, dimension) in row.iter().zip(region.machine.shape().dimensions()) {
            let range = region.coordinates_along(dimension);
            if let Some(own) = u64::try_from(coordinate).ok().filter(|own| range.contains(own)) {
                index += (own - range.start()) * region.machine.shape().stride(dimension);
            } else {
                count += 1;
                let (least, greatest) = (range.start(), range.end());
                let message = format!(
                    "p_{dimension} of process {process} is {coordinate}, expected an integer from {least} to {greatest}"
                );
                if errors.len() < MAX_REPORTED {
                    errors.push(ScenarioError::of_file(path, message));
                }
            }
        }
        nodes.push(region.machine.node(index).unwrap_or(NodeId::new(0)));
    }
    if count > 0 {
        let left_out = count - errors.len() as u64;
        return Err(Failure::Wrong(and_more(errors, left_out)));
    }
    let table = PlacementTable::new(region.machine, nodes).map_err(|error| wrong(error.to_string()))?;
    Ok(Placement::Table(table))
}

impl Array {
    /// Parses the array in a file; the error is a message.
    fn new(bytes: &[u8]) -> Result<Self, String> {
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
            .filter(|own| !own.is_empty())
            .map(|own| own.parse().ok())
            .collect();
        let shape = shape.ok_or_else(no_array)?;
        let numbers = whole_numbers(kind, numbers)?;
        let count = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
        if count != Some(numbers.len()) {
            return Err(format!("{} numbers, expected as many as shape {shape:?} has", numbers.len()));
        }
        let numbers = match shape[..] {
            [rows, columns] if is_columns_first => rows_first(&numbers, rows, columns),
            _ => numbers,
        };
        Ok(Self { shape, numbers })
    }
}

/// Reorders the numbers of a table from columns to rows.
fn rows_first(numbers: &[i128], rows: usize, columns: usize) -> Vec<i128> {
    let row = |row: usize| (0..columns).filter_map(move |column| numbers.get(column * rows + row));
    (0..rows).flat_map(row).copied().collect()
}

/// The value of a key in a Python dictionary of strings, words and tuples of numbers.
fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let behind = header.split_once(&format!("'{key}':"))?.1.trim_start();
    let end = if behind.starts_with('(') { behind.find(')')? + 1 } else { behind.find([',', '}'])? };
    Some(behind[..end].trim())
}

/// Reads integers of a type such as `<u4` or `|i1`.
fn whole_numbers(kind: &str, bytes: &[u8]) -> Result<Vec<i128>, String> {
    let unknown = || format!("numbers of type {kind:?}, expected integers of 1 to 8 bytes such as \"<u4\"");
    let (order, rest) = kind.split_at_checked(1).ok_or_else(unknown)?;
    let (sign, width) = rest.split_at_checked(1).ok_or_else(unknown)?;
    let width: usize = width.parse().ok().filter(|width| [1, 2, 4, 8].contains(width)).ok_or_else(unknown)?;
    let is_big = match order {
        "<" | "|" => false,
        ">" => true,
        _ => return Err(unknown()),
    };
    let is_signed = match sign {
        "u" => false,
        "i" => true,
        _ => return Err(unknown()),
    };
    if !bytes.len().is_multiple_of(width) {
        return Err(format!("{} bytes of numbers, expected a multiple of {width}", bytes.len()));
    }
    let number = |bytes: &[u8]| {
        let add = |number: i128, byte: &u8| number << 8 | i128::from(*byte);
        let number = if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
        let bits = 8 * width;
        if is_signed && number >> (bits - 1) > 0 { number - (1 << bits) } else { number }
    };
    Ok(bytes.chunks(width).map(number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(descr: &str, order: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), numbers].concat()
    }

    #[test]
    fn arrays_of_any_integers_are_read() {
        let array =
            |descr: &str, numbers: &[u8]| Array::new(&file(descr, "False", "(1, 2)", numbers)).unwrap();
        assert_eq!(array("<u4", &[1, 0, 0, 0, 2, 1, 0, 0]).numbers, [1, 258]);
        assert_eq!(array(">i2", &[0, 7, 0xff, 0xff]).numbers, [7, -1]);
        assert_eq!(array("|u1", &[255, 3]).numbers, [255, 3]);
        let by_columns = Array::new(&file("|u1", "True", "(3, 2)", &[1, 2, 3, 4, 5, 6])).unwrap();
        assert_eq!(by_columns.numbers, [1, 4, 2, 5, 3, 6]);
        assert_eq!(array("<i8", &[3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]).shape, [1, 2]);
    }

    #[test]
    fn other_files_are_refused() {
        let wrong = |bytes: &[u8]| Array::new(bytes).unwrap_err();
        assert_eq!(wrong(b"process,p_1\n"), "not a NumPy array, expected a file that numpy.save wrote");
        assert!(wrong(&file("<f8", "False", "(1,)", &[0; 8])).starts_with("numbers of type \"<f8\""));
        assert!(wrong(&file("<u4", "Maybe", "(1, 2)", &[0; 8])).starts_with("not a NumPy array"));
        assert_eq!(
            wrong(&file("<u4", "False", "(3, 2)", &[0; 8])),
            "2 numbers, expected as many as shape [3, 2] has"
        );
        assert!(wrong(&file("<u4", "False", "(1, 2)", &[0; 7])).starts_with("7 bytes"));
        let right = file("<u4", "False", "(1, 2)", &[0; 8]);
        for length in 0..right.len() {
            assert!(Array::new(&right[..length]).is_err());
        }
    }

    #[test]
    fn a_placement_is_read_and_its_mistakes_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let scenario = "[machine]\nkind = \"torus\"\nshape = [2, 2]\n[program]\nkind = \"cc-cube\"\n\
                        [mapping]\nembeddings = [\"file:p.npy\"]\n";
        let run = |numbers: &[u8], shape: &str| {
            std::fs::write(directory.path().join("p.npy"), file("|u1", "False", shape, numbers)).unwrap();
            crate::scenario::load_text(&directory.path().join("s.toml"), scenario)
        };
        let read = run(&[0, 0, 1, 0, 1, 1, 0, 1], "(4, 2)").unwrap();
        let nodes: Vec<u32> = read.runs[0].placement.nodes().iter().map(|own| own.index()).collect();
        assert_eq!(nodes, [0, 1, 3, 2]);
        let wrong = |numbers: &[u8], shape| run(numbers, shape).unwrap_err().to_string();
        assert!(
            wrong(&[0, 0, 1, 0, 1, 2, 0, 1], "(4, 2)")
                .ends_with("p_2 of process 2 is 2, expected an integer from 0 to 1")
        );
        assert!(wrong(&[0, 0, 1, 0], "(2, 2)").contains("an array of shape [2, 2], expected [4, 2]"));
    }
}
