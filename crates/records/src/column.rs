//! The table of result columns, and the row of cells that a record becomes.
//!
//! Each record's file in this module holds its columns: the definition of each (name, title, unit, kind,
//! text, formula, source) and the function that takes its cell from the record. CSV, Parquet, tables,
//! reports, `cubefold explain` and the list of terms in `docs/reading-results.md` derive from these entries.
//! JSON has the members of the records themselves; a test checks that the two agree.
//!
//! [`Record::fill`] sets the order of the columns in files.

use std::{borrow::Cow, collections::BTreeSet, fmt, io};

use cubefold_formats::input::{engineering_rate, engineering_seconds};

use crate::definition::{Definition, Kind};

/// A column whose cells are taken from a `T`, or a related term without cells.
#[derive(Debug)]
pub(crate) struct Column<T: ?Sized> {
    pub(crate) definition: Definition,
    pub(crate) value: for<'record> fn(&'record T) -> Cell<'record>,
}

/// A word that the program knows, or that was read from a file.
pub type Word = Cow<'static, str>;

/// The cell of a definition without a column.
pub(super) fn no_cell<T: ?Sized>(_: &T) -> Cell<'_> {
    Cell::Absent
}

/// Unit of columns in seconds.
pub(super) const SECONDS: &str = "seconds";
/// Unit of columns in percent.
pub(super) const PERCENT: &str = "percent";
/// Unit of columns with rates.
pub(super) const BYTES_PER_SECOND: &str = "bytes a second";

/// One value of a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell<'record> {
    /// The record has no such member.
    #[default]
    Absent,
    /// The member does not apply: `null` in JSON, empty in CSV.
    Missing,
    /// Words, or a list as in CSV.
    Text(Cow<'record, str>),
    /// A boolean.
    Truth(bool),
    /// A whole number.
    Natural(u64),
    /// A whole number that may be negative.
    Whole(i64),
    /// A sum over all processes and stages.
    Sum(u128),
    /// A finite floating-point number.
    Decimal(f64),
}

impl Cell<'_> {
    /// The cell of an optional member; [`Self::Missing`] for `None`.
    pub(super) fn optional(value: Option<impl Into<Self>>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }

    /// The lengths of a shape, such as `8x8`.
    pub(super) fn shape(lengths: &[u64]) -> Self {
        Self::Text(join(lengths, "x").into())
    }

    /// The items of a list, separated by spaces.
    pub(super) fn list<I: fmt::Display>(items: &[I]) -> Self {
        Self::Text(join(items, " ").into())
    }

    /// Whether the cell has a value.
    #[must_use]
    pub fn has_value(&self) -> bool {
        !matches!(self, Self::Absent | Self::Missing)
    }

    /// The value as in tables: booleans as yes or no, fractions with three digits; `None` if there is no
    /// value.
    #[must_use]
    pub fn shown(&self) -> Option<String> {
        match self {
            Self::Absent | Self::Missing => None,
            Self::Truth(holds) => Some(if *holds { "yes" } else { "no" }.to_owned()),
            Self::Decimal(number) => Some(format!("{number:.3}")),
            Self::Text(_) | Self::Natural(_) | Self::Whole(_) | Self::Sum(_) => Some(self.to_string()),
        }
    }
}

/// Joins items with a separator.
pub(super) fn join<I: fmt::Display>(items: &[I], separator: &str) -> String {
    let items: Vec<String> = items.iter().map(I::to_string).collect();
    items.join(separator)
}

/// Writes the value as in CSV; numbers are as in JSON.
impl fmt::Display for Cell<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent | Self::Missing => Ok(()),
            Self::Text(text) => text.fmt(formatter),
            Self::Truth(holds) => holds.fmt(formatter),
            Self::Natural(number) => number.fmt(formatter),
            Self::Whole(number) => number.fmt(formatter),
            Self::Sum(sum) => sum.fmt(formatter),
            Self::Decimal(number) => {
                serde_json::Number::from_f64(*number).map_or(Ok(()), |number| number.fmt(formatter))
            }
        }
    }
}

impl<'record> From<&'record str> for Cell<'record> {
    fn from(text: &'record str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'record> From<&'record String> for Cell<'record> {
    fn from(text: &'record String) -> Self {
        text.as_str().into()
    }
}

impl<'record> From<&'record Word> for Cell<'record> {
    fn from(word: &'record Word) -> Self {
        Self::Text(Cow::Borrowed(word))
    }
}

impl From<bool> for Cell<'_> {
    fn from(holds: bool) -> Self {
        Self::Truth(holds)
    }
}

impl From<u128> for Cell<'_> {
    fn from(sum: u128) -> Self {
        Self::Sum(sum)
    }
}

impl From<u64> for Cell<'_> {
    fn from(number: u64) -> Self {
        Self::Natural(number)
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<u32> for Cell<'_> {
    fn from(number: u32) -> Self {
        Self::Natural(number.into())
    }
}

impl From<u8> for Cell<'_> {
    fn from(number: u8) -> Self {
        Self::Natural(number.into())
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Self::Natural(number as u64)
    }
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Decimal(number) } else { Self::Missing }
    }
}

impl<'record, T: Into<Cell<'record>>> From<Option<T>> for Cell<'record> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A member of a record that is a column; [`Columns`](cubefold_derive::Columns) makes them.
pub(crate) trait Member {
    /// The type of its values.
    const KIND: Kind;

    /// Its cell; [`Cell::Missing`] for `None`.
    fn cell(&self) -> Cell<'_>;

    /// Its cell; [`Cell::Absent`] for `None`, which JSON leaves out.
    fn cell_or_absent(&self) -> Cell<'_> {
        self.cell()
    }
}

/// Implements [`Member`] for types whose values or references are cells.
macro_rules! members {
    ($($kind:ident: $($member:ty = $cell:expr),+;)+) => {
        $($(impl Member for $member {
            const KIND: Kind = Kind::$kind;

            fn cell(&self) -> Cell<'_> {
                let cell: fn(&Self) -> Cell<'_> = $cell;
                cell(self)
            }
        })+)+
    };
}

members! {
    Natural: u64 = |value| (*value).into(), u32 = |value| (*value).into(), u8 = |value| (*value).into(),
        usize = |value| (*value).into(), i64 = |value| (*value).into();
    Sum: u128 = |value| (*value).into();
    Decimal: f64 = |value| (*value).into();
    Truth: bool = |value| (*value).into();
    Text: String = |value| value.into(), Word = |value| value.into(), &'static str = |value| (*value).into();
}

impl<I: fmt::Display> Member for Vec<I> {
    const KIND: Kind = Kind::List;

    fn cell(&self) -> Cell<'_> {
        Cell::list(self)
    }
}

impl<M: Member> Member for Option<M> {
    const KIND: Kind = M::KIND;

    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Missing, M::cell)
    }

    fn cell_or_absent(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Absent, M::cell)
    }
}

/// A record that becomes a row of cells.
pub trait Record {
    /// Adds the cells of the record to a row, in the order of the columns in files; without a record, adds
    /// only the columns.
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>);

    /// All columns of this type of record, in the order of files.
    #[must_use]
    fn columns() -> Vec<&'static Definition> {
        let mut row = Row::default();
        Self::fill(None, &mut row);
        row.cells.into_iter().map(|(column, _)| column).collect()
    }

    /// The definitions of all its members: of its columns, and of those that only JSON has.
    #[must_use]
    fn members() -> Vec<&'static Definition> {
        let mut row = Row { members: Some(vec![]), ..Row::default() };
        Self::fill(None, &mut row);
        row.members.unwrap_or_default()
    }
}

impl<R: Record> Record for &R {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        R::fill(record.map(|record| &**record), row);
    }
}

/// The cells of a record with their columns. Rows of one record type have the same columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row<'record> {
    cells: Vec<(&'static Definition, Cell<'record>)>,
    members: Option<Vec<&'static Definition>>, // with those that only JSON has, if they are asked for
}

impl<'record> Row<'record> {
    /// The row of a record.
    #[must_use]
    pub fn new<R: Record>(record: &'record R) -> Self {
        let mut row = Self::default();
        R::fill(Some(record), &mut row);
        row
    }

    /// Adds the cells of a part of the record; absent cells if the record lacks the part.
    pub(super) fn section<T: ?Sized>(&mut self, columns: &'static [Column<T>], part: Option<&'record T>) {
        if let Some(members) = &mut self.members {
            members.extend(columns.iter().map(|column| &column.definition));
        }
        for Column { definition, value } in
            columns.iter().filter(|column| column.definition.kind != Kind::Term)
        {
            self.cells.push((definition, part.map_or(Cell::Absent, |part| value(part))));
        }
    }

    /// Adds the cells of a part with columns in several sections.
    pub(super) fn part<R: Record>(&mut self, part: Option<&'record R>) {
        R::fill(part, self);
    }

    /// The cells in the order of their columns.
    pub fn cells(&self) -> impl Iterator<Item = &Cell<'record>> {
        self.cells.iter().map(|(_, cell)| cell)
    }

    /// The cell of a column name; absent if there is none.
    #[must_use]
    pub fn cell(&self, name: &str) -> &Cell<'record> {
        self.cells.iter().find(|(column, _)| column.name == name).map_or(&Cell::Absent, |(_, cell)| cell)
    }

    /// The cell of a column name as in tables, with times and rates in a suitable unit; `None` if there is no
    /// value.
    #[must_use]
    pub fn shown(&self, name: &str) -> Option<String> {
        let (column, cell) = self.cells.iter().find(|(column, _)| column.name == name)?;
        match (column.unit, cell) {
            (SECONDS, Cell::Decimal(seconds)) => Some(engineering_seconds(*seconds)),
            (BYTES_PER_SECOND, Cell::Decimal(rate)) => Some(engineering_rate(*rate)),
            (PERCENT, Cell::Decimal(percent)) => Some(format!("{percent:.1} %")),
            (_, cell) => cell.shown(),
        }
    }
}

/// The columns that at least one record has, or those chosen, in the order of files, each with its place in the rows.
///
/// # Errors
///
/// If reading a record fails.
pub(super) fn present_columns<R: Record>(
    records: impl Iterator<Item = io::Result<R>>,
    chosen: &[String],
) -> io::Result<Vec<(usize, &'static Definition)>> {
    let columns = R::columns();
    let mut present = vec![false; columns.len()];
    for record in records {
        for (present, cell) in present.iter_mut().zip(Row::new(&record?).cells()) {
            *present |= *cell != Cell::Absent;
        }
    }
    let named = |wanted: &String| {
        let is_it = |place: &usize| columns[*place].names().any(|name| name == wanted);
        (0..columns.len()).filter(is_it).collect::<Vec<_>>()
    };
    for places in chosen.iter().map(named) {
        if let Some(&first) = places.first()
            && !places.iter().any(|&place| present[place])
        {
            present[first] = true; // empty, as the user would not expect it to be left out
        }
    }
    let chosen: BTreeSet<usize> = chosen.iter().flat_map(named).collect();
    let is_shown = |place: &usize| present[*place] && (chosen.is_empty() || chosen.contains(place));
    Ok((0..columns.len()).filter(is_shown).map(|place| (place, columns[place])).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{
        BufferRecord, ChannelRecord, ClaimRecord, MessageRecord, PacketRecord, PlacementEntry, PlannedRun,
        ProcessRecord, RowOfRun, RunRecord, TransmissionRecord,
    };

    #[test]
    fn every_column_has_a_definition() {
        let columns = [
            RunRecord::columns(),
            PlacementEntry::columns(),
            PlannedRun::columns(),
            RowOfRun::<ProcessRecord<'_>>::columns(),
            RowOfRun::<MessageRecord>::columns(),
            RowOfRun::<TransmissionRecord>::columns(),
            PacketRecord::columns(),
            ChannelRecord::columns(),
            BufferRecord::columns(),
            ClaimRecord::columns(),
        ];
        for column in columns.concat() {
            assert!(Definition::find(column.name).is_some(), "{}", column.name);
        }
    }

    #[test]
    fn numbers_are_written_as_in_json() {
        for number in [0.0, 1.0, 0.1, 1e300, 1.0 / 3.0] {
            assert_eq!(Cell::from(number).to_string(), Value::from(number).to_string());
        }
        assert_eq!(Cell::from(f64::NAN), Cell::Missing);
        assert_eq!(Cell::from(u128::MAX).to_string(), u128::MAX.to_string());
    }
}
