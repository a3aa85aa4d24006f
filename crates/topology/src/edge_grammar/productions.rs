//! The productions of an edge grammar, from a text.

use std::{fmt, ops::Range};

/// A type 3 edge grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeGrammar {
    name: String,
    symbols: Vec<char>,        // ascending
    nonterminals: Vec<String>, // the start first
    pub(super) productions: Vec<Production>,
}

/// `A -> B (v,w)`, `A -> B` or `A -> (v,w)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Production {
    pub(super) left: usize,
    pub(super) right: Option<usize>,
    pub(super) terminal: Option<Terminal>, // present if `right` is not
}

/// A pair of strings of symbols, by the places of these in the alphabet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terminal {
    pub(super) strings: [Vec<u64>; 2], // neither is empty
}

/// An error in the text of a grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrammarMistake {
    /// The bytes that are wrong.
    pub span: Range<usize>,
    /// Found and expected.
    pub message: String,
}

/// A condition of theorem 2.3.2 of Tao 1988, under which `G(n + 1)` can be truncated to `G(n)`, that a grammar does
/// not meet.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnmetGrammarCondition {
    /// Condition 1: the strings of every terminal have one symbol.
    #[error("terminal ({one},{other}), expected one symbol on each side (condition 1 of theorem 2.3.2)")]
    LongTerminal {
        /// The one string.
        one: String,
        /// The other.
        other: String,
    },
    /// Condition 2: the start has a production to every other nonterminal.
    #[error("no production {start} -> {nonterminal}, expected one (condition 2 of theorem 2.3.2)")]
    NoProduction {
        /// The start.
        start: String,
        /// The nonterminal.
        nonterminal: String,
    },
}

/// An alternative as written.
struct Alternative<'text> {
    left: &'text str,
    right: Option<&'text str>,
    terminal: Option<[&'text str; 2]>,
}

impl EdgeGrammar {
    /// The grammar of a text: `A -> B (v,w)`, `A -> B` or `A -> (v,w)` a line, alternatives with `|`; `#` begins a
    /// comment. The first left side is the start. Every character of a string is a symbol, and they are ordered as
    /// characters are.
    ///
    /// # Errors
    ///
    /// Everything in the text that is not a production.
    pub fn parse(name: &str, text: &str) -> Result<Self, Vec<GrammarMistake>> {
        let (mut alternatives, mut mistakes) = (vec![], vec![]);
        for line in text.split('\n') {
            let line = line.split_once('#').map_or(line, |(content, _)| content).trim();
            if !line.is_empty() {
                read_line(text, line, &mut alternatives, &mut mistakes);
            }
        }
        if alternatives.is_empty() && mistakes.is_empty() {
            let message = "no productions, expected at least one: \"A -> (0,1)\" a line".to_owned();
            mistakes.push(GrammarMistake { span: 0..0, message });
        }
        let mut nonterminals: Vec<&str> = vec![];
        for alternative in &alternatives {
            if !nonterminals.contains(&alternative.left) {
                nonterminals.push(alternative.left);
            }
        }
        for right in alternatives.iter().filter_map(|alternative| alternative.right) {
            if !nonterminals.contains(&right) {
                let message = format!("nonterminal {right} has no production, expected one of its own");
                mistakes.push(GrammarMistake { span: span(text, right), message });
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Self::new(name, &nonterminals, &alternatives))
    }

    /// The grammar of alternatives without a mistake.
    fn new(name: &str, nonterminals: &[&str], alternatives: &[Alternative<'_>]) -> Self {
        let mut symbols: Vec<char> = alternatives
            .iter()
            .filter_map(|alternative| alternative.terminal)
            .flatten()
            .flat_map(str::chars)
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        let number = |symbol: char| symbols.partition_point(|&other| other < symbol) as u64;
        let place =
            |name: &str| nonterminals.iter().position(|&nonterminal| nonterminal == name).unwrap_or(0);
        let production = |alternative: &Alternative<'_>| Production {
            left: place(alternative.left),
            right: alternative.right.map(place),
            terminal: alternative
                .terminal
                .map(|strings| Terminal { strings: strings.map(|text| text.chars().map(number).collect()) }),
        };
        let productions = alternatives.iter().map(production).collect();
        let nonterminals = nonterminals.iter().map(|&nonterminal| nonterminal.to_owned()).collect();
        Self { name: name.to_owned(), symbols, nonterminals, productions }
    }

    /// Its name, or the path of its file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of symbols, at least 1 unless nothing is derived.
    pub(super) fn symbol_count(&self) -> u64 {
        self.symbols.len() as u64
    }

    /// The number of nonterminals, at least 1; the start is the first.
    pub(super) fn nonterminal_count(&self) -> usize {
        self.nonterminals.len()
    }

    /// The conditions of theorem 2.3.2 of Tao 1988 that it does not meet.
    #[must_use]
    pub fn unmet_conditions(&self) -> Vec<UnmetGrammarCondition> {
        let text = |string: &[u64]| {
            string.iter().filter_map(|&at| self.symbols.get(usize::try_from(at).ok()?)).collect::<String>()
        };
        let terminals = self.productions.iter().filter_map(|production| production.terminal.as_ref());
        let long = terminals.filter(|terminal| terminal.strings.iter().any(|string| string.len() != 1));
        let mut unmet: Vec<UnmetGrammarCondition> = vec![];
        for Terminal { strings: [one, other] } in long {
            let condition = UnmetGrammarCondition::LongTerminal { one: text(one), other: text(other) };
            if !unmet.contains(&condition) {
                unmet.push(condition);
            }
        }
        let leads_to = |place: usize| {
            let is_it = |production: &Production| {
                production.left == 0 && production.right == Some(place) && production.terminal.is_none()
            };
            self.productions.iter().any(is_it)
        };
        let missing = self.nonterminals.iter().enumerate().skip(1).filter(|&(place, _)| !leads_to(place));
        unmet.extend(missing.map(|(_, nonterminal)| UnmetGrammarCondition::NoProduction {
            start: self.nonterminals[0].clone(),
            nonterminal: nonterminal.clone(),
        }));
        unmet
    }
}

impl fmt::Display for EdgeGrammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

/// The bytes of `part` in `text`, of which it is a slice.
fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

fn read_line<'text>(
    text: &'text str,
    line: &'text str,
    alternatives: &mut Vec<Alternative<'text>>,
    mistakes: &mut Vec<GrammarMistake>,
) {
    let mut mistake =
        |part: &str, message: String| mistakes.push(GrammarMistake { span: span(text, part), message });
    let Some((left, right)) = line.split_once("->") else {
        mistake(line, "no \"->\" in the line, expected a production: \"A -> B (0,1)\"".to_owned());
        return;
    };
    let left = left.trim();
    if !is_name(left) {
        let found = if left.is_empty() { line } else { left };
        mistake(found, "left side, expected a nonterminal of letters, digits and underscores".to_owned());
        return;
    }
    for alternative in right.split('|') {
        match read_alternative(alternative.trim()) {
            Ok((right, terminal)) => alternatives.push(Alternative { left, right, terminal }),
            Err(message) => {
                let found = alternative.trim();
                mistake(if found.is_empty() { line } else { found }, message.to_owned());
            }
        }
    }
}

type RightSide<'text> = (Option<&'text str>, Option<[&'text str; 2]>);

/// Reads `B (v,w)`, `B` or `(v,w)`.
fn read_alternative(text: &str) -> Result<RightSide<'_>, &'static str> {
    const EXPECTED: &str = "right side, expected a nonterminal, a pair \"(0,1)\", or both in this order";
    let (right, terminal) = match text.split_once('(') {
        None => (text, None),
        Some((right, pair)) => {
            let pair = pair.strip_suffix(')').ok_or(EXPECTED)?;
            let (one, other) = pair.split_once(',').ok_or(EXPECTED)?;
            let strings = [one.trim(), other.trim()];
            if !strings.iter().all(|string| is_name(string)) {
                return Err("pair of symbols, expected letters and digits on both sides: \"(0,1)\"");
            }
            (right.trim(), Some(strings))
        }
    };
    match right {
        "" if terminal.is_some() => Ok((None, terminal)),
        name if is_name(name) => Ok((Some(name), terminal)),
        _ => Err(EXPECTED),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_production_is_reported_at_its_place() {
        let text = "A -> B (0,1) # fine\nB (0,1)\n-> A\nA -> | (0) | (a,) | C\nB -> (0,0) x\n";
        let found: Vec<(&str, String)> = EdgeGrammar::parse("g", text)
            .unwrap_err()
            .into_iter()
            .map(|mistake| {
                (&text[mistake.span], mistake.message.split(", expected").next().unwrap().to_owned())
            })
            .collect();
        let expected = [
            ("B (0,1)", "no \"->\" in the line"),
            ("-> A", "left side"),
            ("A -> | (0) | (a,) | C", "right side"),
            ("(0)", "right side"),
            ("(a,)", "pair of symbols"),
            ("(0,0) x", "right side"),
            ("B", "nonterminal B has no production"),
            ("C", "nonterminal C has no production"),
        ];
        assert_eq!(found, expected.map(|(part, message)| (part, message.to_owned())));
        let none = EdgeGrammar::parse("g", "# nothing\n").unwrap_err();
        assert_eq!(none[0].message, "no productions, expected at least one: \"A -> (0,1)\" a line");
    }

    #[test]
    fn the_conditions_of_the_theorem_are_tested() {
        let unmet = |text: &str| {
            let grammar = EdgeGrammar::parse("g", text).unwrap();
            grammar.unmet_conditions().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(unmet("G -> A | (0,1)\nA -> (1,0)"), [""; 0]);
        assert_eq!(
            unmet("G -> A (0,1) | (01,1)\nA -> (1,0)"),
            [
                "terminal (01,1), expected one symbol on each side (condition 1 of theorem 2.3.2)",
                "no production G -> A, expected one (condition 2 of theorem 2.3.2)",
            ]
        );
    }
}
