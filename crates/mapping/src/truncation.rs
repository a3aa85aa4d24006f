//! Graphs of an edge grammar on smaller ones of the same grammar: words without their last symbols.
//!
//! Berman 1983; Tao 1988, definitions 2.3.4 to 2.3.6 and theorem 2.3.2; `docs/model.md` section 28.4.

use std::sync::Arc;

use cubefold_topology::{DerivedWords, GraphSource, Machine, NodeId, UnmetGrammarCondition};

use crate::{PlacementTable, PlacementTableError};

/// A pair of machines that truncation does not map.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TruncationError {
    /// One of them is not a graph of an edge grammar.
    #[error("a {found}, expected graphs of an edge grammar as guest and machine")]
    NoGrammar {
        /// The kind found.
        found: &'static str,
    },
    /// They are of different grammars.
    #[error("a guest of grammar {guest} on a machine of grammar {host}, expected the same grammar")]
    OtherGrammar {
        /// The grammar of the guest.
        guest: String,
        /// The grammar of the machine.
        host: String,
    },
    /// The words of the guest are no longer than those of the machine.
    #[error("words of {guest} symbols on words of {host}, expected longer ones as guest")]
    Sizes {
        /// The symbols of a word of the guest.
        guest: u32,
        /// The symbols of a word of the machine.
        host: u32,
    },
    /// The grammar does not meet a condition under which truncated pairs of words are derived as well.
    #[error("grammar {grammar}: {condition}")]
    Condition {
        /// The grammar.
        grammar: String,
        /// The condition.
        condition: UnmetGrammarCondition,
    },
    /// The result is not a placement.
    #[error(transparent)]
    Table(#[from] PlacementTableError),
}

/// Puts every word of the guest on its first symbols, which are a word of the machine: dilation at most 1.
///
/// # Errors
///
/// When the two are not graphs of the same edge grammar, the guest is no larger, or the grammar does not meet the two
/// conditions of theorem 2.3.2, under which truncated links are links (the theorem itself says more, and fails:
/// `G -> (a,b)` meets them, and `G(2)` is empty).
pub fn truncation(guest: &Machine, host: &Machine) -> Result<PlacementTable, TruncationError> {
    let (longer, shorter) = (words(guest)?, words(host)?);
    let (grammar, other) = (longer.grammar(), shorter.grammar());
    if grammar != other {
        return Err(TruncationError::OtherGrammar { guest: grammar.to_string(), host: other.to_string() });
    }
    if longer.size() <= shorter.size() {
        return Err(TruncationError::Sizes { guest: longer.size(), host: shorter.size() });
    }
    if let Some(condition) = grammar.unmet_conditions().into_iter().next() {
        return Err(TruncationError::Condition { grammar: grammar.to_string(), condition });
    }
    // Under the conditions the start derives every pair without its last symbols.
    let nodes: Vec<NodeId> = longer.truncated(shorter).flatten().map(NodeId::new).collect();
    debug_assert_eq!(nodes.len(), longer.words().len(), "every word has its first symbols");
    Ok(PlacementTable::new(host, nodes)?)
}

fn words(machine: &Machine) -> Result<&Arc<DerivedWords>, TruncationError> {
    match machine.source() {
        Some(GraphSource::Grammar(words)) => Ok(words),
        _ => Err(TruncationError::NoGrammar { found: machine.kind().name() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphGuest, Placement, PlacementMetrics};
    use cubefold_topology::{EdgeGrammar, MachineKind, NamedGrammar};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    fn machine(grammar: &Arc<EdgeGrammar>, size: u32) -> Option<Machine> {
        Machine::of_grammar(grammar, size).ok()
    }

    fn named(name: &str) -> Arc<EdgeGrammar> {
        Arc::new(NamedGrammar::with_name(name).unwrap().grammar())
    }

    #[test]
    fn pairs_that_are_not_truncated_are_refused() {
        let [line, ring] = ["line", "ring"].map(named);
        let message = |guest: &Machine, host: &Machine| truncation(guest, host).unwrap_err().to_string();
        let (long, short) = (machine(&line, 4).unwrap(), machine(&line, 2).unwrap());
        let mesh = Machine::new(MachineKind::Mesh, &[4]).unwrap();
        assert_eq!(message(&long, &mesh), "a mesh, expected graphs of an edge grammar as guest and machine");
        assert_eq!(
            message(&long, &machine(&ring, 2).unwrap()),
            "a guest of grammar line on a machine of grammar ring, expected the same grammar"
        );
        assert_eq!(message(&short, &long), "words of 2 symbols on words of 4, expected longer ones as guest");
        let unmet = Arc::new(EdgeGrammar::parse("g", "G -> A (0,1)\nA -> (1,0) | A (1,0)").unwrap());
        assert_eq!(
            message(&machine(&unmet, 4).unwrap(), &machine(&unmet, 2).unwrap()),
            "grammar g: no production G -> A, expected one (condition 2 of theorem 2.3.2)"
        );
    }

    /// A grammar of up to four nonterminals and three symbols that meets the conditions of the theorem.
    fn random_grammar(generator: &mut ChaCha12Rng) -> Arc<EdgeGrammar> {
        let (nonterminals, symbols) = (generator.random_range(1..=4), generator.random_range(2..=3));
        let name =
            |nonterminal: u32| if nonterminal == 0 { "G".to_owned() } else { format!("A{nonterminal}") };
        let mut text: Vec<String> =
            (1..nonterminals).map(|nonterminal| format!("G -> {}", name(nonterminal))).collect();
        for left in 0..nonterminals {
            for _ in 0..generator.random_range(1..=4) {
                let [one, other] = [0; 2].map(|_| generator.random_range(0..symbols));
                let right = match generator.random_range(0..3) {
                    0 => String::new(),
                    _ => name(generator.random_range(0..nonterminals)),
                };
                text.push(format!("{} -> {right} ({one},{other})", name(left)));
            }
        }
        Arc::new(EdgeGrammar::parse("random", &text.join("\n")).unwrap())
    }

    /// Truncates the graphs of random grammars: the pairs of sizes, and those in which links of the smaller graph are
    /// missing.
    fn truncate_random_graphs(grammars: u64) -> (u64, u64) {
        let (mut pairs, mut smaller) = (0, 0);
        for seed in 0..grammars {
            let mut generator = ChaCha12Rng::seed_from_u64(seed);
            let grammar = random_grammar(&mut generator);
            assert_eq!(grammar.unmet_conditions(), [], "seed {seed}");
            for size in 1..=4 {
                let [Ok((short, links)), Ok((long, long_links))] =
                    [size, size + 1].map(|size| grammar.graph(size))
                else {
                    continue;
                };
                if long_links.is_empty() {
                    continue;
                }
                let places: Vec<u32> = long.truncated(&short).map(Option::unwrap).collect();
                let place = |vertex: u32| places[vertex as usize];
                let ends = long_links.iter().map(|&(one, other)| (place(one), place(other)));
                let mut found: Vec<(u32, u32)> =
                    ends.filter(|(one, other)| one != other).map(|(a, b)| (a.min(b), a.max(b))).collect();
                found.sort_unstable();
                found.dedup();
                assert!(
                    found.iter().all(|link| links.binary_search(link).is_ok()),
                    "seed {seed}, size {size}"
                );
                pairs += 1;
                smaller += u64::from(found.len() < links.len());
            }
        }
        (pairs, smaller)
    }

    #[test]
    fn a_truncated_graph_is_part_of_the_smaller_one_and_not_always_all_of_it() {
        let (pairs, smaller) = truncate_random_graphs(150);
        assert!(pairs > 300 && smaller > 10, "{pairs} {smaller}");
    }

    #[test]
    #[ignore = "takes some seconds"]
    fn a_truncated_graph_is_part_of_the_smaller_one_in_thousands_of_cases() {
        let (pairs, smaller) = truncate_random_graphs(6000);
        assert!(pairs > 8299 && smaller > 727, "{pairs} {smaller}");
    }

    #[test]
    fn grammars_with_names_are_truncated_with_dilation_1_at_most() {
        for name in ["complete-binary-tree", "ring", "square-torus", "hex-mesh"] {
            let grammar = named(name);
            for (long, short) in [(5, 1), (5, 4), (3, 2)] {
                let (guest, host) = (machine(&grammar, long).unwrap(), machine(&grammar, short).unwrap());
                let placement = Placement::Table(truncation(&guest, &host).unwrap());
                assert!(
                    PlacementMetrics::largest_dilation(&GraphGuest::new(guest), &placement) <= 1,
                    "{name}"
                );
            }
        }
    }
}
