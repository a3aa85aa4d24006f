//! The entries of a traffic matrix while it is read, within a budget of memory.

use super::{
    amount::Amount,
    text_file::{FileErrors, Line},
};
use crate::budget::{Budget, OverBudget, RowBudget};

/// Memory per entry of a list that grows by doubling \[bytes\].
const BYTES_AN_ENTRY: u64 = 2 * size_of::<Entry>() as u64;
/// The same, with the place that lists the entry.
const BYTES_A_LISTED_ENTRY: u64 = BYTES_AN_ENTRY + 2 * size_of::<Listed>() as u64;

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) amount: Amount,
}

/// The entries on the diagonal, which no message carries.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Diagonal {
    count: u64,
    whole: u128,   // the sum of those that are whole
    fraction: f64, // the sum of the others
}

#[derive(Debug)]
pub(super) struct Entries<'b> {
    pub(super) rows: u64,
    pub(super) above_zero: Vec<Entry>, // off the diagonal
    pub(super) diagonal: Diagonal,
    listed: Option<Vec<Listed>>, // of all entries of a file that lists them by their places
    pub(super) room: RowBudget<'b>,
    pub(super) over: Option<OverBudget>, // once there is no room: the entries that follow are dropped
}

/// The place in the file that lists an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    source: u32,
    destination: u32,
    line: u32,
}

impl<'b> Entries<'b> {
    /// No entries of a matrix of `rows` rows.
    pub(super) fn new(rows: u64, budget: &'b Budget) -> Self {
        let room = RowBudget::new(budget, BYTES_AN_ENTRY);
        Self { rows, above_zero: vec![], diagonal: Diagonal::default(), listed: None, room, over: None }
    }

    /// No entries, of a file that lists them by their places.
    pub(super) fn listed(budget: &'b Budget) -> Self {
        let room = RowBudget::new(budget, BYTES_A_LISTED_ENTRY);
        Self { listed: Some(vec![]), room, ..Self::new(0, budget) }
    }

    /// Takes the memory for an entry; returns whether there was enough, for this and all before.
    #[inline]
    fn has_room(&mut self) -> bool {
        if self.over.is_none() {
            self.over = self.room.take_row().err();
        }
        self.over.is_none()
    }

    /// Adds an entry; of a row and a column below 2^32.
    #[inline]
    pub(super) fn add(&mut self, row: u64, column: u64, amount: Option<Amount>) {
        let Some(amount) = amount else { return };
        if row == column {
            self.diagonal.add(amount);
            return;
        }
        if let (Ok(source), Ok(destination), true) =
            (u32::try_from(row), u32::try_from(column), self.has_room())
        {
            self.above_zero.push(Entry { source, destination, amount });
        }
    }

    /// Adds an entry that stands in a line.
    #[inline]
    pub(super) fn add_listed(&mut self, row: u64, column: u64, amount: Option<Amount>, line: Line<'_>) {
        self.add(row, column, amount);
        if let (Some(listed), Ok(source), Ok(destination), None) =
            (&mut self.listed, u32::try_from(row), u32::try_from(column), self.over)
        {
            let line = u32::try_from(line.number).unwrap_or(u32::MAX);
            listed.push(Listed { source, destination, line });
        }
    }

    /// Reports pairs that are listed twice; the file counts rows and columns from 1.
    pub(super) fn check_pairs(&mut self, text: &str, errors: &mut FileErrors<'_>) {
        let Some(mut listed) = self.listed.take() else { return };
        listed.sort_unstable();
        let pairs = listed
            .windows(2)
            .filter(|pair| (pair[0].source, pair[0].destination) == (pair[1].source, pair[1].destination));
        let mut repeated: Vec<[Listed; 2]> = pairs.map(|pair| [pair[0], pair[1]]).collect();
        repeated.sort_unstable_by_key(|pair| (pair[1].line, pair[1].source, pair[1].destination));
        for [earlier, Listed { source, destination, line }] in repeated {
            errors.at_number(text, line as usize, || {
                format!(
                    "the pair {}, {} a second time, expected it once; the first is in line {}",
                    u64::from(source) + 1,
                    u64::from(destination) + 1,
                    u64::from(earlier.line) + 1
                )
            });
        }
    }
}

impl Diagonal {
    fn add(&mut self, amount: Amount) {
        self.count += 1;
        match amount {
            Amount::Whole(number) => self.whole += u128::from(number),
            Amount::Decimal(..) | Amount::Binary(..) => self.fraction += amount.to_f64(),
        }
    }

    /// A sentence on them, unless there are none.
    pub(super) fn note(self) -> Option<String> {
        let Self { count, whole, fraction } = self;
        #[expect(clippy::cast_precision_loss, reason = "a sum in a message")]
        let sum = if fraction == 0.0 { whole.to_string() } else { (whole as f64 + fraction).to_string() };
        match count {
            0 => None,
            1 => Some(format!("1 entry on the diagonal, {sum}, is not sent")),
            count => Some(format!("{count} entries on the diagonal, {sum} in all, are not sent")),
        }
    }
}
