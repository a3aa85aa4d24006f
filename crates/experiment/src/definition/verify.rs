//! Columns of `verify`, and the verdicts that `bench` has too.

use super::Definition;

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition {
        name: "source",
        title: "source",
        aliases: &[],
        unit: "",
        text: "Where the claim stands: Tao 4.5.4 is theorem 4.5.4 of Tao 1988, or its section.",
        formula: "",
        source: "docs/verify.md",
    },
    Definition {
        name: "claim",
        title: "claim",
        aliases: &[],
        unit: "",
        text: "What the paper promises, in plain words.",
        formula: "",
        source: "docs/verify.md",
    },
    Definition {
        name: "cases",
        title: "cases",
        aliases: &[],
        unit: "cases",
        text: "In how many cases the claim was tried.",
        formula: "",
        source: "docs/verify.md",
    },
    Definition {
        name: "promised",
        title: "promised",
        aliases: &[],
        unit: "",
        text: "The value that the claim promises in the worst case: the one in which the measured value is largest \
               in proportion, or the promise is broken.",
        formula: "",
        source: "docs/verify.md",
    },
    Definition {
        name: "worst",
        title: "worst",
        aliases: &[],
        unit: "",
        text: "The value measured in the worst case.",
        formula: "",
        source: "docs/verify.md",
    },
    Definition {
        name: "verdict",
        title: "verdict",
        aliases: &[],
        unit: "",
        text: "Of verify: the claim holds, is bounded (an upper bound that is not always reached), fails-as-printed \
               (as an erratum tells) or fails. Of bench: the row is the same, slower, faster, new or missing.",
        formula: "",
        source: "docs/verify.md; docs/performance.md",
    },
    Definition {
        name: "erratum",
        title: "erratum",
        aliases: &[],
        unit: "",
        text: "The entry of the errata that tells what is wrong with a claim that fails as printed.",
        formula: "",
        source: "docs/errata.md",
    },
];
