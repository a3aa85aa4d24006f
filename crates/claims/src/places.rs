//! Claims by their place: errata by id, theorems and the like by the number of their paper.
//!
//! Most claims name their place in their source or text. [`ELSEWHERE`] has the other places, with the claims
//! that measure them, and [`UNMEASURED`] the unmeasured ones, with the reason. Together they cover every erratum of
//! `docs/errata.md` and every numbered statement of the papers.

use crate::claim::Claim;

/// The place that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// An erratum by its id, such as `A9`.
    Erratum(String),
    /// A theorem, lemma, corollary or proposition.
    Statement {
        /// Its kind, if the text gives it.
        kind: Option<Kind>,
        /// Its number, such as `3.4.1`.
        number: String,
    },
}

/// The kinds of numbered statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Theorem,
    Lemma,
    Corollary,
    Proposition,
}

use Kind::{Corollary, Lemma, Proposition, Theorem};

impl Kind {
    /// The kind that a word or its abbreviation names, singular or plural.
    fn named(word: &str) -> Option<Self> {
        match word.trim_matches(['(', ',', '.']) {
            "theorem" | "theorems" | "thm" => Some(Theorem),
            "lemma" | "lemmas" => Some(Lemma),
            "corollary" | "corollaries" | "cor" => Some(Corollary),
            "proposition" | "propositions" | "prop" => Some(Proposition),
            _ => None,
        }
    }
}

/// Statements that no claim names, with the sources of the claims that measure them.
const ELSEWHERE: &[(Kind, &str, &[&str])] = &[
    (Theorem, "2.3.1", &["Tao 2.3, figure 2.2", "Tao 2.3, theorem 2.3.2"]),
    (Lemma, "3.3.1", &["Tao 3.3.1", "Tao 4.3.1"]),
    (Lemma, "3.3.2", &["Tao 3.3.1"]),
    (Lemma, "3.3.3", &["Tao 3.3.1"]),
    (Lemma, "3.3.4", &["Tao 3.3.2"]),
    (Lemma, "3.3.5", &["Tao 3.3.3"]),
    (Lemma, "3.3.6", &["Tao 3.3.3"]),
    (Lemma, "3.3.7", &["Tao 3.3.3"]),
    (Lemma, "3.3.8", &["Tao 3.3.4"]),
    (Corollary, "3.3.1", &["Tao 3.3.2", "CS838 arrays and cycles"]),
    (Corollary, "3.3.2", &["Tao 3.3.3", "CS838 arrays and cycles"]),
    (Corollary, "3.3.3", &["Tao 3.3.4", "CS838 arrays and cycles"]),
    (Corollary, "3.4.2", &["Tao 3.4.3"]),
    (Corollary, "3.5.1", &["Tao 3.4.3"]),
    (Lemma, "3.5.4", &["Tao 3.5.3"]),
    (Lemma, "4.2.1", &["Tao 4.5.4", "Tao 4.5.5"]),
    (Lemma, "4.5.1", &["Tao 4.5.5"]),
    (Lemma, "4.5.2", &["Tao 4.5.5"]),
    (Corollary, "4.5.1", &["Tao 4.5.1"]),
    (Corollary, "4.5.2", &["Tao 4.5.1"]),
    (Corollary, "4.5.3", &["Tao 4.5.2"]),
    (Corollary, "4.5.6", &["Tao 4.5.5"]),
    (Corollary, "4.5.7", &["Tao 4.5.5"]),
    (Corollary, "4.5.8", &["Tao 4.5.5"]),
    (Corollary, "4.5.9", &["Tao 4.5.5"]),
    (Lemma, "2", &["Greenberg 1987, lemma 2.1", "Greenberg 1987, lemma 2.2", "Greenberg 1987, lemma 2.3"]),
    (Corollary, "7", &["González & Valero 1993, lemma 6"]),
    (Corollary, "11", &["González & Valero 1993, theorem 10", "González & Valero 1993, corollary"]),
];

/// Errata that no claim names, with the sources of the claims that measure them.
const ERRATA_ELSEWHERE: &[(&str, &[&str])] = &[
    ("C1", &["Tao 3.4.4 (1)", "Tao 3.4.4 (2)", "Tao 3.4.4 (3)", "Tao 3.4.4 (4)", "Tao 3.4.4 (5)"]),
    ("C2", &["Tao 4.5.3"]),
    ("C3", &["Tao 4.5.3", "Tao 4.5.5"]),
    ("C4", &["Tao 3.4.1 (c)"]),
    ("C5", &["Tao 3.4.2", "Tao 3.4.3"]),
    ("C6", &["Tao 4.3.1"]),
    ("C7", &["Tao 4.3.1"]),
    ("C13", &["Tao 4.5.3", "Tao 4.5.5"]),
    ("G1", &["Greenberg 1987, lemma 1"]),
    ("G2", &["Greenberg 1987, lemma 2.1", "Greenberg 1987, lemma 2.2"]),
    ("G3", &["Greenberg 1987, lemma 2.2"]),
    ("G5", &["Greenberg 1987, theorem 2"]),
    ("G6", &["Greenberg 1987, theorem 2", "Greenberg 1987, theorem 3"]),
    ("G10", &["Greenberg 1987, theorem 3"]),
    ("G11", &["Greenberg 1987, theorem 3"]),
    ("G13", &["Greenberg 1987, corollary 1"]),
    ("G15", &["Greenberg 1987, figure 6"]),
    ("T1", &["Tao 2.3, figure 2.2", "Tao 2.3, theorem 2.3.2"]),
    ("T2", &["Tao 2.3, theorem 2.3.2"]),
    ("X2", &["González & Valero 1993, lemma 3", "González & Valero 1993, lemma 6"]),
];

/// Statements that nothing measures, with the reason.
const UNMEASURED: &[(Kind, &str, &str)] = &[
    (Lemma, "3.2.1", "it is how distances on toruses are counted everywhere here"),
    (Lemma, "3.2.2", "it is how distances on meshes are counted everywhere here"),
    (Lemma, "3.5.1", "a step to theorem 3.5.1, which holds up to a constant"),
    (Lemma, "3.5.2", "a step to theorem 3.5.1, which holds up to a constant"),
    (Lemma, "3.5.3", "a step to theorem 3.5.1, which holds up to a constant"),
    (Theorem, "3.5.1", "a lower bound up to a constant"),
    (Corollary, "2.4.1", "asymptotic"),
    (Corollary, "2.4.2", "asymptotic"),
    (Lemma, "2", "of González & Valero 1993: a step to theorem 10"),
    (Lemma, "4", "of González & Valero 1993: a step to theorem 10"),
    (Lemma, "5", "of González & Valero 1993: a step to theorem 10"),
    (Lemma, "8", "no ring of up to 32 nodes has an embedding with constant distances below 2^(d-2)"),
    (Corollary, "9", "no ring of up to 32 nodes has an embedding with constant distances below 2^(d-2)"),
];

/// Errata that nothing measures, with the reason.
const ERRATA_UNMEASURED: &[(&str, &str)] = &[
    ("B6", "about an embedding of others whose construction is not in the text"),
    ("B7", "about an embedding of others whose construction is not in the text"),
    ("B8", "about a proof; the theorem stands"),
    ("B9", "about a proof; the theorem stands"),
    ("C8", "a definition, as it is read everywhere here"),
    ("C9", "a definition, as it is read everywhere here"),
    ("C14", "about an example"),
    ("G19", "the text does not describe the method"),
    ("G20", "the text does not describe the method"),
    ("S6", "about the text; the runs of verify route as the published simulator does"),
    ("T4", "a misprint"),
    ("T5", "a sign that the text at hand lacks"),
    ("T6", "a definition"),
    ("T7", "about running times of constructions"),
    ("T10", "the construction is not in the text"),
    ("T11", "about figures with missing entries"),
    ("X3", "no ring of up to 32 nodes has an embedding as in lemma 8"),
    ("X4", "about a proof"),
];

impl Place {
    /// The place that a text names, in upper or lower case, with or without the word for its kind; `None` for other
    /// texts.
    pub(super) fn named(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if let ["errata" | "erratum", ..] = words[..] {
            words.remove(0);
            return erratum(words.first().filter(|_| words.len() == 1)?);
        }
        let kind = words.first().and_then(|word| Kind::named(word));
        let number = match (&words[..], kind) {
            ([_, number], Some(_)) | ([number], None) => *number,
            _ => return None,
        };
        if kind.is_none()
            && let Some(found) = erratum(number)
        {
            return Some(found);
        }
        is_number(number).then(|| Self::Statement { kind, number: number.to_owned() })
    }

    /// Whether a claim measures the statement at this place.
    pub(super) fn has(&self, claim: &Claim) -> bool {
        match self {
            Self::Erratum(id) => {
                let is_elsewhere =
                    ERRATA_ELSEWHERE.iter().any(|(known, by)| known == id && by.contains(&claim.source));
                claim.erratum == Some(id) || is_elsewhere || names_erratum(claim, id)
            }
            Self::Statement { kind, number } => {
                let is_elsewhere = |(found, at, by): &(Kind, &str, &[&str])| {
                    is_asked(*kind, Some(*found)) && at == number && by.contains(&claim.source)
                };
                let named =
                    |text: &str| statements(text).any(|(found, at)| is_asked(*kind, found) && at == *number);
                let in_section = || {
                    let inside = format!("{number}.");
                    let is_section = kind.is_none() && number.contains('.');
                    is_section && statements(claim.source).any(|(_, at)| at.starts_with(&inside))
                };
                ELSEWHERE.iter().any(is_elsewhere)
                    || named(claim.source)
                    || in_section()
                    || statements(claim.text)
                        .any(|(found, at)| found.is_some() && is_asked(*kind, found) && at == *number)
            }
        }
    }

    /// Returns why no claim measures this place; `None` if one does, or the place does not exist.
    pub(super) fn unmeasured(&self) -> Option<String> {
        match self {
            Self::Erratum(id) => {
                let reason = ERRATA_UNMEASURED.iter().find(|(known, _)| known == id)?.1;
                Some(format!("no claim measures erratum {id}: {reason}"))
            }
            Self::Statement { kind, number } => {
                let is_it =
                    |(found, at, _): &&(Kind, &str, &str)| is_asked(*kind, Some(*found)) && at == number;
                let (found, _, reason) = UNMEASURED.iter().find(is_it)?;
                let name = format!("{found:?}").to_lowercase();
                Some(format!("no claim measures {name} {number}: {reason}"))
            }
        }
    }
}

/// Whether a request covers a statement of kind `found`.
fn is_asked(asked: Option<Kind>, found: Option<Kind>) -> bool {
    asked.is_none() || asked == found
}

fn erratum(word: &str) -> Option<Place> {
    let digits = word.strip_prefix(|letter: char| "abcgnstx".contains(letter))?;
    let is_id = !digits.is_empty() && digits.len() < 3 && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_id.then(|| Place::Erratum(word.to_uppercase()))
}

/// Whether a word is the number of a statement, not a year.
fn is_number(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    parts.len() < 4
        && parts
            .iter()
            .all(|part| (1..3).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether the words of a claim name an erratum, alone or in a list.
fn names_erratum(claim: &Claim, id: &str) -> bool {
    [claim.source, claim.text].iter().any(|text| {
        let lists = text.split("errat").skip(1).filter_map(|after| after.split(['(', ')']).next());
        lists.flat_map(|list| list.split([' ', ',', ':', ';'])).any(|word| word == id)
    })
}

/// The numbers of statements in a text with their kinds; numbers of figures, tables and notes are skipped.
fn statements(text: &str) -> impl Iterator<Item = (Option<Kind>, String)> {
    let text = text.to_lowercase();
    let mut found = vec![];
    let (mut kind, mut is_other) = (None, false);
    for word in text.split([' ', ';']) {
        let bare = word.trim_matches(['(', ')', ',', '.', ':']);
        if is_number(bare) {
            // A number in parentheses numbers a case.
            if !is_other && !word.starts_with('(') {
                // Claims about Tao's theorems have bare numbers; bare numbers of other papers are sections.
                let is_theorem = kind.is_none() && bare.split('.').count() == 3;
                found.push((if is_theorem { Some(Theorem) } else { kind }, bare.to_owned()));
            }
        } else if let Some(named) = Kind::named(word) {
            (kind, is_other) = (Some(named), false);
        } else if bare != "to" && bare != "and" && !bare.is_empty() {
            (kind, is_other) = (None, IS_OTHER.contains(&bare));
        }
    }
    found.into_iter()
}

/// Words whose numbers are not statements.
const IS_OTHER: [&str; 12] = [
    "figure",
    "figures",
    "table",
    "tables",
    "footnote",
    "step",
    "basic",
    "lowering",
    "increasing",
    "=",
    "mode",
    "chapter",
];

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{findings::Scope, verification::Verification};

    /// Numbered statements of Tao 1988.
    const TAO: &[(Kind, &[&str])] = &[
        (
            Theorem,
            &[
                "2.3.1", "2.3.2", "2.4.1", "2.4.2", "3.3.1", "3.3.2", "3.3.3", "3.3.4", "3.4.1", "3.4.2",
                "3.4.3", "3.4.4", "3.5.1", "3.5.2", "3.5.3", "3.5.4", "3.5.5", "4.5.1", "4.5.2", "4.5.3",
                "4.5.4", "4.5.5", "4.5.6", "4.5.7",
            ],
        ),
        (
            Lemma,
            &[
                "3.2.1", "3.2.2", "3.3.1", "3.3.2", "3.3.3", "3.3.4", "3.3.5", "3.3.6", "3.3.7", "3.3.8",
                "3.4.1", "3.5.1", "3.5.2", "3.5.3", "3.5.4", "4.2.1", "4.2.2", "4.5.1", "4.5.2",
            ],
        ),
        (
            Corollary,
            &[
                "2.4.1", "2.4.2", "3.3.1", "3.3.2", "3.3.3", "3.4.1", "3.4.2", "3.5.1", "4.5.1", "4.5.2",
                "4.5.3", "4.5.4", "4.5.5", "4.5.6", "4.5.7", "4.5.8", "4.5.9", "5.4.1", "5.4.2",
            ],
        ),
        (Proposition, &["5.4.1"]),
    ];
    /// The statements of González & Valero 1993 and of Greenberg 1987.
    const OTHERS: &[(Kind, &[&str])] = &[
        (Theorem, &["1", "2", "3", "10"]),
        (Lemma, &["1", "2", "3", "4", "5", "6", "7", "8"]),
        (Corollary, &["1", "2", "3", "7", "9", "11"]),
    ];

    fn is_found(text: &str) -> bool {
        let is_said = Place::named(text).is_some_and(|place| place.unmeasured().is_some());
        !Verification::new(Scope::Quick, text).is_empty() || is_said
    }

    #[test]
    fn every_erratum_is_found_by_its_id() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errata.md");
        let page = fs::read_to_string(path).unwrap();
        let mut count = 0;
        for line in page.lines() {
            let in_bold = line.split("**").skip(1).step_by(2).map(|bold| bold.split(['.', ' ']).next());
            let in_rows = line.strip_prefix("| ").map(|row| row.split(' ').next());
            for id in in_bold.chain(in_rows).flatten() {
                let Some(Place::Erratum(named)) = Place::named(id) else { continue };
                assert_eq!(named, id);
                assert!(is_found(id) && is_found(&format!("erratum {}", id.to_lowercase())), "{id}");
                count += 1;
            }
        }
        assert!(count >= 89, "{count}");
        assert!(!is_found("A12") && !is_found("erratum X5"));
    }

    #[test]
    fn every_statement_is_found_by_its_number_with_and_without_its_kind() {
        for (kind, number) in
            TAO.iter().chain(OTHERS).flat_map(|(kind, all)| all.iter().map(move |one| (kind, one)))
        {
            let text = format!("{kind:?} {number}");
            assert!(is_found(&text) && is_found(&text.to_lowercase()) && is_found(number), "{text}");
        }
        assert!(!is_found("theorem 3.4.9") && !is_found("lemma 12"));
    }

    #[test]
    fn a_number_finds_its_statement_and_no_longer_number() {
        let sources = |text: &str| -> Vec<&str> {
            let verification = Verification::new(Scope::Quick, text);
            let mut sources: Vec<&str> = verification.sources().collect();
            sources.sort_unstable();
            sources.dedup();
            sources
        };
        assert_eq!(sources("theorem 3"), ["Greenberg 1987, theorem 3"]);
        assert!(sources("3").contains(&"Greenberg 1987, theorem 3"));
        assert!(sources("3").contains(&"González & Valero 1993, lemma 3"));
        assert!(sources("3").iter().all(|source| !source.starts_with("Tao")), "{:?}", sources("3"));
        assert!(sources("theorem 1").iter().all(|source| !source.contains("10")));
        assert_eq!(sources("lemma 3.4.1"), ["Tao lemma 3.4.1"]);
        assert_eq!(sources("corollary 4.5.8"), ["Tao 4.5.5"]);
        assert!(sources("4.5").len() > 6 && sources("4.5").iter().all(|source| source.contains("4.5")));
        assert_eq!(sources("a9"), ["Tao 5.4 (errata A9)", "Tao prop. 5.4.1"]);
    }
}
