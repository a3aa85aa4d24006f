//! The pairs of words that an edge grammar derives.

use std::{collections::BTreeMap, sync::Arc};

use super::{EdgeGrammar, productions::Terminal};

/// The most derivations of pairs of words of one pair of lengths, counted for all nonterminals together.
pub const MAX_DERIVED_PAIRS: u64 = 1 << 22;

/// The words of one length that an edge grammar derives: the nodes of `G(n)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedWords {
    grammar: Arc<EdgeGrammar>,
    size: u32,
    words: Vec<u64>, // ascending: the symbols are digits to the base of their number, the first the highest
}

/// A reason why an edge grammar has no graph of words of some length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DerivationError {
    /// Too few words.
    #[error("{found} nodes, expected at least 2")]
    Words {
        /// The number of words.
        found: usize,
    },
    /// Too many derivations.
    #[error("{found} derivations of pairs of words, expected at most {MAX_DERIVED_PAIRS} (2^22)")]
    TooManyPairs {
        /// Their number, capped at 64 bits.
        found: u64,
    },
    /// Words that are too long.
    #[error("words of {symbols} kinds of symbols do not fit in 64 bits, expected a smaller size")]
    LongWords {
        /// The number of symbols of the grammar.
        symbols: u64,
    },
}

/// A pair of words, and the lengths of both.
type Words = (u64, u64);
type Lengths = (u32, u32);

impl EdgeGrammar {
    /// Derives `G(size)`: its words, and its links by their places, the lower first.
    ///
    /// # Errors
    ///
    /// When there are too many derivations, or words do not fit in 64 bits.
    pub fn graph(self: &Arc<Self>, size: u32) -> Result<(DerivedWords, Vec<(u32, u32)>), DerivationError> {
        let symbols = self.symbol_count();
        if symbols.checked_pow(size).is_none() {
            return Err(DerivationError::LongWords { symbols });
        }
        let found = self.derivation_count(size);
        if found > MAX_DERIVED_PAIRS {
            return Err(DerivationError::TooManyPairs { found });
        }
        let Pairs(pairs) = self.derive(size, &mut |_| {});
        let mut words: Vec<u64> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
        words.sort_unstable();
        words.dedup();
        let place =
            |word: u64| u32::try_from(words.partition_point(|&other| other < word)).unwrap_or(u32::MAX);
        let mut links: Vec<(u32, u32)> = pairs
            .into_iter()
            .filter(|(one, other)| one != other)
            .map(|(one, other)| (place(one.min(other)), place(one.max(other))))
            .collect();
        links.sort_unstable();
        links.dedup();
        Ok((DerivedWords { grammar: Arc::clone(self), size, words }, links))
    }

    /// The most derivations of pairs of words of one pair of lengths, for all nonterminals together: a bound on the
    /// pairs that [`graph`](Self::graph) keeps at a time.
    #[must_use]
    pub fn derivation_count(&self, size: u32) -> u64 {
        let mut most = 0;
        self.derive(size, &mut |cell: &[Count]| {
            most = most.max(cell.iter().fold(0, |sum: u64, count| sum.saturating_add(count.0)));
        });
        most
    }

    /// Returns the derivations of the start with two words of `size` symbols. `visit` sees those of all nonterminals
    /// with words of each pair of lengths, the shorter ones first.
    fn derive<T: Derived>(&self, size: u32, visit: &mut impl FnMut(&[T])) -> T {
        let (reached, reach) = (self.reached(), self.longest_terminal());
        let mut cells: BTreeMap<Lengths, Vec<T>> = BTreeMap::new();
        for lengths in self.lengths(size) {
            let direct = self.direct(lengths, &cells);
            let join = |places: &Vec<usize>| {
                let mut all = T::default();
                places.iter().for_each(|&place| all.join(&direct[place]));
                all
            };
            let cell: Vec<T> = reached.iter().map(join).collect();
            visit(&cell);
            cells.insert(lengths, cell);
            cells.retain(|kept, _| kept.0 + kept.1 + reach >= lengths.0 + lengths.1);
        }
        cells.remove(&(size, size)).and_then(|cell| cell.into_iter().next()).unwrap_or_default()
    }

    /// The derivations of each nonterminal by productions with a terminal last, with words of these lengths.
    fn direct<T: Derived>(&self, lengths: Lengths, cells: &BTreeMap<Lengths, Vec<T>>) -> Vec<T> {
        let mut direct = vec![T::default(); self.nonterminal_count()];
        for production in &self.productions {
            let Some(terminal) = &production.terminal else { continue };
            let (one, other) = terminal.lengths();
            let before = lengths.0.checked_sub(one).zip(lengths.1.checked_sub(other));
            let derived = match (production.right, before) {
                (None, Some((0, 0))) => Some(T::of(terminal, self.symbol_count())),
                (Some(right), Some(before)) => {
                    cells.get(&before).map(|cell| cell[right].followed_by(terminal, self.symbol_count()))
                }
                (None, _) | (_, None) => None,
            };
            if let Some(derived) = derived {
                direct[production.left].join(&derived);
            }
        }
        direct
    }

    /// The pairs of lengths up to `size` by which words can be derived, the shorter ones first.
    fn lengths(&self, size: u32) -> Vec<Lengths> {
        let terminals = || self.productions.iter().filter_map(|production| production.terminal.as_ref());
        if terminals().all(|terminal| terminal.lengths().0 == terminal.lengths().1) {
            return (1..=size).map(|length| (length, length)).collect();
        }
        let of_sum = |sum: u32| (1..sum).map(move |one| (one, sum - one));
        (2..=2 * size).flat_map(of_sum).filter(|&(one, other)| one.max(other) <= size).collect()
    }

    /// The most symbols of a terminal, on both sides together.
    fn longest_terminal(&self) -> u32 {
        let terminals = self.productions.iter().filter_map(|production| production.terminal.as_ref());
        terminals.map(|terminal| terminal.lengths().0 + terminal.lengths().1).max().unwrap_or(0)
    }

    /// The nonterminals that each becomes by productions without a terminal, itself included.
    fn reached(&self) -> Vec<Vec<usize>> {
        let from = |start: usize| {
            let mut reached = vec![start];
            let mut at = 0;
            while let Some(&left) = reached.get(at) {
                at += 1;
                let is_from_it = |production: &&super::productions::Production| {
                    production.left == left && production.terminal.is_none()
                };
                for right in
                    self.productions.iter().filter(is_from_it).filter_map(|production| production.right)
                {
                    if !reached.contains(&right) {
                        reached.push(right);
                    }
                }
            }
            reached
        };
        (0..self.nonterminal_count()).map(from).collect()
    }
}

/// The derivations of a nonterminal with words of one pair of lengths.
trait Derived: Clone + Default {
    /// A terminal alone.
    fn of(terminal: &Terminal, symbols: u64) -> Self;

    /// These with a terminal appended.
    fn followed_by(&self, terminal: &Terminal, symbols: u64) -> Self;

    /// Adds the derivations by another production.
    fn join(&mut self, other: &Self);
}

/// A number of derivations, capped at 64 bits.
#[derive(Debug, Clone, Copy, Default)]
struct Count(u64);

impl Derived for Count {
    fn of(_: &Terminal, _: u64) -> Self {
        Self(1)
    }

    fn followed_by(&self, _: &Terminal, _: u64) -> Self {
        *self
    }

    fn join(&mut self, other: &Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// Pairs of words, ascending, each once.
#[derive(Debug, Clone, Default)]
struct Pairs(Vec<Words>);

impl Derived for Pairs {
    fn of(terminal: &Terminal, symbols: u64) -> Self {
        Self(vec![(0, 0)]).followed_by(terminal, symbols)
    }

    fn followed_by(&self, terminal: &Terminal, symbols: u64) -> Self {
        let appended =
            |word: u64, string: &[u64]| string.iter().fold(word, |word, symbol| word * symbols + symbol);
        let [one, other] = &terminal.strings;
        Self(self.0.iter().map(|&(v, w)| (appended(v, one), appended(w, other))).collect())
    }

    fn join(&mut self, other: &Self) {
        if !other.0.is_empty() {
            self.0.extend_from_slice(&other.0);
            self.0.sort_unstable();
            self.0.dedup();
        }
    }
}

impl Terminal {
    /// The lengths of both strings, at least 1.
    fn lengths(&self) -> Lengths {
        let [one, other] = &self.strings;
        let length = |string: &[u64]| u32::try_from(string.len()).unwrap_or(u32::MAX >> 2);
        (length(one), length(other))
    }
}

impl DerivedWords {
    /// The grammar.
    #[must_use]
    pub fn grammar(&self) -> &Arc<EdgeGrammar> {
        &self.grammar
    }

    /// The symbols of a word.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The words in lexicographic order, as numbers.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// For every word, the place of its first symbols among `shorter`'s words, which are no longer; `None` if its first
    /// symbols are not among them.
    pub fn truncated<'words>(
        &'words self,
        shorter: &'words Self,
    ) -> impl Iterator<Item = Option<u32>> + 'words {
        let cut = self.size.checked_sub(shorter.size).map(|cut| self.grammar.symbol_count().pow(cut));
        self.words.iter().map(move |word| {
            let place = shorter.words.binary_search(&(word / cut?)).ok()?;
            u32::try_from(place).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, NamedGrammar};

    fn grammar(text: &str) -> Arc<EdgeGrammar> {
        Arc::new(EdgeGrammar::parse("g", text).unwrap())
    }

    #[test]
    fn pairs_of_strings_of_any_lengths_are_derived() {
        // Two symbols to one and one to two: words of equal length use both equally often.
        let (words, links) = grammar("A -> (01,1) | (1,01) | A (01,1) | A (1,01)").graph(3).unwrap();
        assert_eq!(words.words(), [0b011, 0b101]);
        assert_eq!(links, [(0, 1)]);
        assert_eq!(grammar("A -> (01,1)").graph(2).unwrap().0.words(), [0; 0]);
    }

    #[test]
    fn nonterminals_may_lead_round_in_circles() {
        let (words, links) = grammar("A -> B | (0,1)\nB -> A | (1,0)").graph(1).unwrap();
        assert_eq!((words.words(), &links[..]), (&[0, 1][..], &[(0, 1)][..]));
    }

    #[test]
    fn graphs_that_are_too_large_or_empty_are_refused() {
        let message =
            |grammar: &Arc<EdgeGrammar>, size| Machine::of_grammar(grammar, size).unwrap_err().to_string();
        let cube = Arc::new(NamedGrammar::with_name("hypercube").unwrap().grammar());
        assert_eq!(
            message(&cube, 22),
            "the graph of words of 22 symbols: 100663296 derivations of pairs of words, expected at most 4194304 (2^22)"
        );
        assert_eq!(
            message(&cube, 64),
            "the graph of words of 64 symbols: words of 2 kinds of symbols do not fit in 64 bits, expected a smaller size"
        );
        let single = grammar("G -> (a,b)");
        assert_eq!(Machine::of_grammar(&single, 1).unwrap().link_count(), 1);
        assert_eq!(message(&single, 2), "the graph of words of 2 symbols: 0 nodes, expected at least 2");
    }

    #[test]
    fn truncation_cuts_the_last_symbols_off() {
        let line = Arc::new(NamedGrammar::with_name("line").unwrap().grammar());
        let [long, short] = [4, 2].map(|size| line.graph(size).unwrap().0);
        let expected: Vec<Option<u32>> = (0..16).map(|word| Some(word / 4)).collect();
        assert_eq!(long.truncated(&short).collect::<Vec<_>>(), expected);
        assert!(short.truncated(&long).all(|place| place.is_none()));
    }
}
