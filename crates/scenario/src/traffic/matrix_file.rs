//! A matrix file, read in the form that its content has.

use std::{io, path::Path};

use cubefold_formats::{
    format::{Format, Recogniser},
    input::{
        input_file,
        numpy::{Numbers, NumpyArray},
    },
};

use super::{
    amount::Amount,
    entries::{Diagonal, Entries, Entry},
    form::{Form, form_of},
    matrix_market,
    plain_matrix::{self, Instance},
    text_file::FileErrors,
};
use crate::{
    budget::{Budget, OverBudget},
    placement_file::Failure,
    stages_file::MAX_PROCESSES,
};

#[derive(Debug)]
pub(crate) struct TrafficFile {
    pub(super) rows: u64,           // at least 1
    pub(super) entries: Vec<Entry>, // above 0, off the diagonal
    pub(super) diagonal: Diagonal,
    pub(super) unit: &'static str, // of its amounts, if a column is called so
    pub(super) note: Option<String>,
    pub(super) has_choice: bool, // whether files of its format have a first and a second matrix
    pub(super) is_from_1: bool,  // whether its ranks, exactly 1 to n, were counted down to 0
}

impl TrafficFile {
    /// Reads a file as a format, else by its content; of `QAPLIB` this matrix, counted from 1.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is wrong.
    pub(crate) fn read(
        path: &Path,
        matrix: Option<u64>,
        form: Option<&'static Format>,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let bytes = input_file::read(path, input_file::MAX_BYTES)
            .map_err(|error| Failure::Unreadable(io::Error::from(error).to_string()))?;
        let over = |over: OverBudget| Failure::Wrong(vec![over.of_file(path, "its matrix:")]);
        budget.take_for_a_while(2 * bytes.len() as u64, 0).map_err(over)?;
        let mut errors = FileErrors::new(path);
        let read = Self::of_bytes(path, &bytes, (matrix, form), &mut errors, budget).map_err(over)?;
        read.filter(|_| errors.is_empty()).ok_or_else(|| Failure::Wrong(errors.into_errors()))
    }

    /// The matrix of the contents of a file; `None` after an error.
    fn of_bytes(
        path: &Path,
        bytes: &[u8],
        (matrix, asked): (Option<u64>, Option<&'static Format>),
        errors: &mut FileErrors<'_>,
        budget: &Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let (mut unit, mut note, mut has_choice, mut is_from_1) = ("", None, false, false);
        let mut file = Recogniser::new(bytes);
        let form = form_of(path, &mut file, asked, errors, budget)?;
        let text = &*file.file.text;
        let entries = match form {
            Form::Array => {
                let Some(entries) = read_array(bytes, errors, budget)? else { return Ok(None) };
                entries
            }
            Form::Market => matrix_market::read(text, errors, budget),
            Form::Dense => plain_matrix::read_dense(text, errors, budget),
            Form::Instance => {
                // A number takes at least two bytes of the file.
                budget.take_for_a_while(text.len() as u64 * Instance::BYTES_A_NUMBER / 2, 0)?;
                let Some(instance) = Instance::read(text, errors) else { return Ok(None) };
                let Some(chosen) = chosen_matrix(&instance, matrix, errors) else { return Ok(None) };
                has_choice = true;
                note = instance.has_two().then(|| {
                    let other = if chosen == 0 { "second" } else { "first" };
                    format!("the {other} matrix is not read: distances are those of the machine")
                });
                instance.entries(chosen, budget)
            }
            Form::Other(other) => {
                let Some(other) = other else { return Ok(None) };
                (unit, note, is_from_1) = (other.unit, other.note, other.is_from_1);
                other.entries
            }
        };
        let Entries { rows, above_zero: mut entries, diagonal, room, over, .. } = entries;
        over.map_or(Ok(()), Err)?;
        if errors.is_empty() && entries.is_empty() {
            errors.of_file("nothing to send, expected an entry above 0 off the diagonal");
        }
        entries.shrink_to_fit();
        room.keep(size_of_val(&*entries) as u64);
        Ok(Some(Self { rows, entries, diagonal, unit, note, has_choice, is_from_1 }))
    }
}

/// The matrix of an instance that is the flow, counted from 0; reports two different ones without a choice.
fn chosen_matrix(instance: &Instance, asked: Option<u64>, errors: &mut FileErrors<'_>) -> Option<usize> {
    match asked {
        Some(2) if !instance.has_two() => {
            errors.of_file("one matrix, expected two for matrix = 2");
            None
        }
        Some(2) => Some(1),
        None if instance.has_two() && !instance.are_equal() => {
            errors.of_file(format!(
                "two different matrices, expected matrix = 1 or 2 to say which is the flow; their first rows are {:?} \
                 and {:?}",
                instance.first_row(0),
                instance.first_row(1)
            ));
            errors.help("files differ in the order of flow and distance");
            None
        }
        _ => Some(0),
    }
}

fn read_array<'b>(
    bytes: &[u8],
    errors: &mut FileErrors<'_>,
    budget: &'b Budget,
) -> Result<Option<Entries<'b>>, OverBudget> {
    budget.take_for_a_while(NumpyArray::bytes_to_read(bytes), 0)?;
    let array = match NumpyArray::new(bytes) {
        Ok(array) => array,
        Err(message) => {
            errors.of_file(message);
            return Ok(None);
        }
    };
    let size = match array.shape[..] {
        [rows, columns] if rows == columns && (1..=MAX_PROCESSES).contains(&(rows as u64)) => rows,
        _ => {
            let most = MAX_PROCESSES;
            let shape = &array.shape;
            errors.of_file(format!(
                "an array of shape {shape:?}, expected [n, n] with n from 1 to {most} (2^20)"
            ));
            return Ok(None);
        }
    };
    let mut entries = Entries::new(size as u64, budget);
    for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
        let place = array.place(row, column);
        let amount = match &array.numbers {
            Numbers::Integers(all) => {
                Amount::whole(all[place]).map_err(|error| (error, all[place].to_string()))
            }
            Numbers::Floats(all) => {
                Amount::float(all[place]).map_err(|error| (error, in_few_digits(all[place])))
            }
        };
        match amount {
            Ok(amount) => entries.add(row as u64, column as u64, amount),
            Err((error, found)) => {
                errors.of_entry(|| format!("entry [{row}, {column}] is {found}, {}", error.expected()));
            }
        }
    }
    Ok(Some(entries))
}

/// A number, however large or small.
fn in_few_digits(number: f64) -> String {
    let is_long = number != 0.0 && !(1e-9..1e18).contains(&number.abs());
    if is_long { format!("{number:e}") } else { number.to_string() }
}
