//! The ranks that take part in a step: `only = [[axis, first, last], ..]` (`docs/model.md` section 23.3).

use std::sync::Arc;

use cubefold_formats::input::text::shortened;
use cubefold_topology::Shape;

use crate::{
    errors::ScenarioError,
    program::Reading,
    value::{Value, written_lengths},
};

/// Whether each rank takes part; empty if all do.
pub(super) fn takes_part(
    reading: &mut Reading<'_>,
    only: Option<&Value>,
    shape: &Shape,
) -> Option<Arc<[bool]>> {
    let Some(value) = only else { return Some(Arc::default()) };
    let ranges = ranges(reading, value, shape)?;
    let mut takes_part = vec![true; usize::try_from(shape.node_count()).ok()?];
    for (rank, is_in) in (0_u64..).zip(&mut takes_part) {
        let mut stride = 1;
        for (axis, &length) in shape.lengths().iter().enumerate() {
            let coordinate = rank / stride % length;
            *is_in &= ranges.iter().all(|range| range.0 != axis || (range.1..=range.2).contains(&coordinate));
            stride *= length;
        }
    }
    if takes_part.iter().all(|is_in| !is_in) {
        let message = "only leaves no rank, expected at least one";
        return reading.settings.fail(ScenarioError::at(&value.place, message, "no rank takes part"));
    }
    Some(takes_part.into())
}

/// The axes of `only` with the first and the last coordinate.
fn ranges(reading: &mut Reading<'_>, value: &Value, shape: &Shape) -> Option<Vec<(usize, u64, u64)>> {
    let entries = value.list("only", "ranges: [[axis, first, last], ..]", reading.settings.errors())?;
    let before = reading.settings.errors().len();
    let mut ranges = vec![];
    for entry in entries {
        let Some(&[axis, first, last]) = entry.integers().as_deref() else {
            let shape = written_lengths(shape.lengths());
            let expected = format!(
                "three integers [axis, first, last] of the logical shape {shape}, all counted from 0"
            );
            let message = format!("range {} of only, expected {expected}", shortened(&entry.written()));
            reading.settings.report(ScenarioError::at(&entry.place, message, "no range"));
            continue;
        };
        match range(shape, axis, first, last) {
            Ok(range) => ranges.push(range),
            Err(message) => {
                reading.settings.report(ScenarioError::at(&entry.place, message, "no range of an axis"));
            }
        }
    }
    (reading.settings.errors().len() == before).then_some(ranges)
}

/// An axis with a range of its coordinates, or the error.
fn range(shape: &Shape, axis: u64, first: u64, last: u64) -> Result<(usize, u64, u64), String> {
    let number = usize::try_from(axis).ok();
    let Some((number, &length)) = number.and_then(|number| Some((number, shape.lengths().get(number)?)))
    else {
        let greatest = shape.dimension_count() - 1;
        return Err(format!("axis {axis} in only, expected an axis of the logical shape: 0 to {greatest}"));
    };
    if first > last {
        return Err(format!("only from {first} to {last}, expected a first that is not above the last"));
    }
    if last >= length {
        return Err(format!("coordinate {last} in only, expected one of axis {axis}: 0 to {}", length - 1));
    }
    Ok((number, first, last))
}
