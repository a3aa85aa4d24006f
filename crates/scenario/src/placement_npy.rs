//! Placements from `NumPy` arrays, as `place --format npy` writes them: a row of coordinates per process.

use std::path::Path;

use cubefold_formats::input::{
    diagnostic::MAX_REPORTED,
    input_file,
    numpy::{MAGIC, MAX_HEADER, Numbers, NumpyArray},
    region::Region,
};
use cubefold_mapping::{Placement, PlacementTable, ProcessId};
use cubefold_topology::NodeId;

use super::{
    budget::Budget,
    errors::{ScenarioError, and_more},
    placement_file::Failure,
};

/// Whether a file begins like a `NumPy` array.
pub(super) fn is_like(path: &Path) -> bool {
    input_file::begins_with(path, MAGIC)
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
    let bytes_a_process = (dimensions as u64).saturating_mul(NumpyArray::BYTES_A_NUMBER);
    budget
        .take_for_a_while(processes.saturating_mul(bytes_a_process), 0)
        .map_err(|over| over.of_file(path, "its rows:"))?;
    let most = processes.saturating_mul(8 * dimensions as u64).saturating_add(MAX_HEADER);
    let bytes = input_file::read(path, most)?;
    let wrong = |message: String| Failure::of_file(path, message);
    let array = NumpyArray::new(&bytes).map_err(wrong)?;
    if array.shape[..] != [usize::try_from(processes).unwrap_or(usize::MAX), dimensions] {
        let message = format!(
            "an array of shape {:?}, expected [{processes}, {dimensions}]: a row of coordinates for each process",
            array.shape
        );
        return Err(wrong(message));
    }
    let Numbers::Integers(numbers) = &array.numbers else {
        return Err(wrong("an array of floats, expected integers: coordinates of nodes".to_owned()));
    };
    let (mut nodes, mut errors, mut count) = (vec![], vec![], 0_u64);
    for process in ProcessId::first(processes) {
        let mut index = 0;
        for (column, dimension) in region.machine.shape().dimensions().enumerate() {
            let coordinate = numbers[array.place(process.label() as usize, column)];
            let range = region.coordinates_along(dimension);
            if let Some(value) = u64::try_from(coordinate).ok().filter(|value| range.contains(value)) {
                index += (value - range.start()) * region.machine.shape().stride(dimension);
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

#[cfg(test)]
mod tests {
    use crate::tests::{nodes, numpy_file as file};

    #[test]
    fn a_placement_is_read_and_its_mistakes_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let scenario = "[machine]\nkind = \"torus\"\nshape = [2, 2]\n[program]\nkind = \"cc-cube\"\n\
                        [mapping]\nembeddings = [\"file:p.array\"]\n";
        let run = |numbers: &[u8], shape: &str| {
            std::fs::write(directory.path().join("p.array"), file("|u1", "False", shape, numbers)).unwrap();
            crate::load_text(&directory.path().join("s.toml"), scenario)
        };
        let read = run(&[0, 0, 1, 0, 1, 1, 0, 1], "(4, 2)").unwrap();
        assert_eq!(nodes(&read.runs[0]), [0, 1, 3, 2]);
        let wrong = |numbers: &[u8], shape| run(numbers, shape).unwrap_err().to_string();
        assert!(
            wrong(&[0, 0, 1, 0, 1, 2, 0, 1], "(4, 2)")
                .ends_with("p_2 of process 2 is 2, expected an integer from 0 to 1")
        );
        assert!(wrong(&[0, 0, 1, 0], "(2, 2)").contains("an array of shape [2, 2], expected [4, 2]"));
        let floats = file("<f8", "False", "(4, 2)", &[0; 64]);
        std::fs::write(directory.path().join("p.array"), floats).unwrap();
        let read = crate::load_text(&directory.path().join("s.toml"), scenario);
        assert!(read.unwrap_err().to_string().contains("an array of floats, expected integers"));
    }
}
