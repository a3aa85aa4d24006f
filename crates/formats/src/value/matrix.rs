//! Matrices of amounts between ranks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::number;
use crate::input::Ratio;

/// A matrix of amounts.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    /// The number of ranks.
    pub size: usize,
    /// `bytes`, `units` or `weight`.
    pub unit: &'static str,
    /// The names of ranks.
    pub labels: Option<Vec<String>>,
    /// The hosts of ranks, if they are known.
    pub ranks: Option<Vec<Option<String>>>,
    ordered: Vec<([u32; 2], Stored)>, // ascending: most files are in the order of their ranks
    others: BTreeMap<[u32; 2], Stored>, // all pairs that are not in `ordered`
    fractions: Vec<Ratio>,
    is_full: bool,
}

/// A compact amount with its messages, since a matrix may have millions.
#[derive(Debug, Clone, Copy)]
struct Stored {
    amount: u64,   // an integer below `FRACTION`, else an index into the fractions
    messages: u64, // or `UNKNOWN`
}

const FRACTION: u64 = 1 << 63;
const UNKNOWN: u64 = u64::MAX;
/// Largest number of ranks.
const MAX_SIZE: usize = 1 << 20;
const MAX_ENTRIES: usize = 1 << 24;

/// An entry of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The rank that sends.
    pub source: usize,
    /// The rank that receives.
    pub destination: usize,
    /// The amount.
    pub amount: Ratio,
    /// The number of messages, if it is known.
    pub messages: Option<u64>,
}

impl Matrix {
    /// An empty matrix of `size` ranks, or more if its entries name more.
    #[must_use]
    pub fn new(unit: &'static str, size: usize) -> Self {
        Self { size, unit, ..Self::default() }
    }

    /// Adds an amount and messages to an entry; returns whether it existed. Ranks are below 2^32.
    pub fn add(&mut self, source: usize, destination: usize, amount: Ratio, messages: Option<u64>) -> bool {
        self.size = self.size.max(source + 1).max(destination + 1);
        let (Ok(from), Ok(to)) = (u32::try_from(source), u32::try_from(destination)) else { return false };
        let pair = [from, to];
        if let Some(&earlier) = self.stored(pair) {
            let before = self.amount(earlier);
            let amount = before.plus(amount).unwrap_or(before);
            let messages = self.messages(earlier).zip(messages).map(|(one, other)| one.saturating_add(other));
            let sum = self.store(amount, messages);
            if let Some(stored) = self.stored_mut(pair) {
                *stored = sum;
            }
            return true;
        }
        if self.len() == MAX_ENTRIES {
            self.is_full = true;
            return false;
        }
        let stored = self.store(amount, messages);
        if self.ordered.last().is_none_or(|last| last.0 < pair) {
            self.ordered.push((pair, stored));
        } else {
            self.others.insert(pair, stored);
        }
        false
    }

    fn store(&mut self, amount: Ratio, messages: Option<u64>) -> Stored {
        let amount = match amount.parts() {
            (whole, 1) if whole < u128::from(FRACTION) => u64::try_from(whole).unwrap_or(0),
            _ => {
                self.fractions.push(amount);
                FRACTION + (self.fractions.len() - 1) as u64
            }
        };
        Stored { amount, messages: messages.unwrap_or(UNKNOWN) }
    }

    fn amount(&self, stored: Stored) -> Ratio {
        let place = stored.amount.checked_sub(FRACTION).and_then(|place| usize::try_from(place).ok());
        place.map_or(Ratio::from(stored.amount), |place| self.fractions[place])
    }

    #[expect(clippy::unused_self, reason = "the counterpart of the amount")]
    fn messages(&self, stored: Stored) -> Option<u64> {
        (stored.messages != UNKNOWN).then_some(stored.messages)
    }

    fn place(&self, pair: [u32; 2]) -> Option<usize> {
        // Entries usually arrive in ascending order: a pair above the last one is new.
        match self.ordered.last() {
            Some(last) if last.0 < pair => None,
            _ => self.ordered.binary_search_by_key(&pair, |(known, _)| *known).ok(),
        }
    }

    fn stored(&self, pair: [u32; 2]) -> Option<&Stored> {
        self.place(pair).map(|place| &self.ordered[place].1).or_else(|| self.others.get(&pair))
    }

    fn stored_mut(&mut self, pair: [u32; 2]) -> Option<&mut Stored> {
        match self.place(pair) {
            Some(place) => Some(&mut self.ordered[place].1),
            None => self.others.get_mut(&pair),
        }
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ordered.len() + self.others.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The limit that it exceeds.
    pub(super) fn excess(&self) -> Option<&'static str> {
        if self.is_full {
            return Some("more than 2^24 entries");
        }
        (self.size > MAX_SIZE).then_some("more than 2^20 ranks")
    }

    /// The entries in the order of sources and destinations.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut ordered = self.ordered.iter().map(|(pair, stored)| (*pair, *stored)).peekable();
        let mut others = self.others.iter().map(|(pair, stored)| (*pair, *stored)).peekable();
        std::iter::from_fn(move || match (ordered.peek(), others.peek()) {
            (Some(one), Some(other)) if one.0 < other.0 => ordered.next(),
            (Some(_), None) => ordered.next(),
            _ => others.next(),
        })
        .map(|([source, destination], stored)| Entry {
            source: source as usize,
            destination: destination as usize,
            amount: self.amount(stored),
            messages: self.messages(stored),
        })
    }

    /// The amount of an entry.
    #[must_use]
    pub fn get(&self, source: usize, destination: usize) -> Option<Ratio> {
        let pair = [u32::try_from(source).ok()?, u32::try_from(destination).ok()?];
        self.stored(pair).map(|stored| self.amount(*stored))
    }

    /// Whether its ranks are exactly 1 to n.
    pub(crate) fn counts_from_1(&self) -> bool {
        let mut is_used = vec![false; self.size];
        for rank in self.ordered.iter().map(|(pair, _)| pair).chain(self.others.keys()).flatten() {
            is_used[*rank as usize] = true;
        }
        is_used.first() == Some(&false) && is_used.len() > 1 && is_used[1..].iter().all(|used| *used)
    }

    /// The first entry that differs from the entry of the opposite pair.
    pub(crate) fn first_asymmetry(&mut self) -> Option<[usize; 2]> {
        if !self.others.is_empty() {
            let entries = std::mem::take(&mut self.others);
            self.ordered.extend(entries);
            self.ordered.sort_unstable_by_key(|(pair, _)| *pair);
        }
        // In a symmetric matrix, column `n` from the top equals row `n` from the left.
        let mut next = vec![0; self.size];
        for (place, (pair, _)) in self.ordered.iter().enumerate().rev() {
            next[pair[0] as usize] = place;
        }
        let differs = |&&([from, to], stored): &&([u32; 2], Stored)| {
            let place = &mut next[to as usize];
            let opposite = self.ordered.get(*place).filter(|(pair, _)| *pair == [to, from]);
            *place += 1;
            opposite.is_none_or(|(_, other)| self.amount(*other) != self.amount(stored))
        };
        self.ordered.iter().find(differs).map(|(pair, _)| pair.map(|rank| rank as usize))
    }

    /// The same matrix with ranks counted from 0 instead of 1.
    pub(crate) fn counted_from_0(mut self) -> Self {
        for (pair, _) in &mut self.ordered {
            *pair = pair.map(|rank| rank - 1);
        }
        let others = self.others.into_iter().map(|(pair, stored)| (pair.map(|rank| rank - 1), stored));
        Self { size: self.size - 1, others: others.collect(), ..self }
    }

    pub(super) fn counts(&self, counts: &mut Map<String, Value>) {
        let (mut pairs, mut sum) = (0_u64, Ratio::ZERO);
        for entry in self.entries() {
            pairs += u64::from(entry.source != entry.destination && entry.amount != Ratio::ZERO);
            sum = sum.plus(entry.amount).unwrap_or(sum);
        }
        counts.insert("ranks".into(), json!(self.size));
        counts.insert("pairs".into(), json!(pairs));
        counts.insert(if self.unit == "weight" { "weight" } else { self.unit }.into(), number(sum));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_in_any_order_are_those_of_a_map() {
        let mut matrix = Matrix::default();
        let mut map: BTreeMap<(usize, usize), (Ratio, u64)> = BTreeMap::new();
        let mut state = 1_u64;
        for turn in 0..2000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = usize::try_from(state >> 40).unwrap();
            let (source, destination) = if turn < 400 {
                (number % 3, number % 31)
            } else {
                (usize::try_from(turn).unwrap() / 40, number % 40)
            };
            let amount = Ratio::new(u128::from(state % 1000), if turn % 5 == 0 { 7 } else { 1 });
            let is_known = matrix.add(source, destination, amount, Some(1));
            assert_eq!(is_known, map.contains_key(&(source, destination)));
            let sum = map.entry((source, destination)).or_insert((Ratio::ZERO, 0));
            *sum = (sum.0.plus(amount).unwrap(), sum.1 + 1);
        }
        let expected = map.iter().map(|(&(source, destination), &(amount, messages))| Entry {
            source,
            destination,
            amount,
            messages: Some(messages),
        });
        assert!(matrix.entries().eq(expected));
        assert!(map.iter().all(|(pair, sum)| matrix.get(pair.0, pair.1) == Some(sum.0)));
        assert_eq!(matrix.len(), map.len());
    }
}
