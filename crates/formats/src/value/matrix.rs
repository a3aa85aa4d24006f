//! Matrices of amounts between ranks.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Amount and number of messages, if it is known, by source and destination.
    pub entries: BTreeMap<(usize, usize), (Ratio, Option<u64>)>,
    /// The names of ranks.
    pub labels: Option<Vec<String>>,
    /// The hosts of ranks, as far as they are known.
    pub ranks: Option<Vec<Option<String>>>,
}

impl Matrix {
    /// Adds an amount and messages to an entry; whether it was there already.
    pub fn add(&mut self, source: usize, destination: usize, amount: Ratio, messages: Option<u64>) -> bool {
        self.size = self.size.max(source + 1).max(destination + 1);
        if let Some(own) = self.entries.get_mut(&(source, destination)) {
            own.0 = own.0.plus(amount).unwrap_or(own.0);
            own.1 = own.1.zip(messages).map(|(one, other)| one.saturating_add(other));
            return true;
        }
        self.entries.insert((source, destination), (amount, messages));
        false
    }

    /// Whether its ranks are exactly 1 to n.
    pub(crate) fn counts_from_1(&self) -> bool {
        let used: BTreeSet<usize> = self.entries.keys().flat_map(|own| [own.0, own.1]).collect();
        !used.is_empty() && used.iter().copied().eq(1..=used.len())
    }

    /// The same matrix of ranks that are counted from 0 instead of 1.
    pub(crate) fn counted_from_0(self) -> Self {
        let entries = self.entries.into_iter().map(|((from, to), own)| ((from - 1, to - 1), own));
        Self { size: self.size - 1, entries: entries.collect(), ..self }
    }

    pub(super) fn data(&self) -> Value {
        let entries = self.entries.iter().filter(|(_, own)| own.0 != Ratio::ZERO);
        let rows: Vec<Value> =
            entries.map(|(&(from, to), &(amount, count))| json!([from, to, number(amount), count])).collect();
        let mut data = Map::new();
        data.insert("size".into(), json!(self.size));
        data.insert("unit".into(), json!(self.unit));
        data.insert("entries".into(), rows.into());
        if let Some(labels) = &self.labels {
            data.insert("labels".into(), json!(labels));
        }
        if let Some(ranks) = &self.ranks {
            data.insert("ranks".into(), json!(ranks));
        }
        data.into()
    }

    pub(super) fn counts(&self, counts: &mut Map<String, Value>) {
        let others = self.entries.iter().filter(|(pair, own)| pair.0 != pair.1 && own.0 != Ratio::ZERO);
        let sum = self.entries.values().fold(Ratio::ZERO, |sum, own| sum.plus(own.0).unwrap_or(sum));
        counts.insert("ranks".into(), json!(self.size));
        counts.insert("pairs".into(), json!(others.count()));
        counts.insert(if self.unit == "weight" { "weight" } else { self.unit }.into(), number(sum));
    }
}
