//! Columns of `bench`.

use super::Definition;

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition {
        name: "row",
        title: "row",
        aliases: &[],
        unit: "",
        text: "What was measured, with the size of the machine or the number of runs.",
        formula: "",
        source: "docs/performance.md",
    },
    Definition {
        name: "cpu_milliseconds",
        title: "cpu ms",
        aliases: &[],
        unit: "milliseconds",
        text: "The least processor time of the row's work, over all repetitions.",
        formula: "",
        source: "docs/performance.md",
    },
    Definition {
        name: "wall_milliseconds",
        title: "wall ms",
        aliases: &[],
        unit: "milliseconds",
        text: "The least time on the wall, over all repetitions.",
        formula: "",
        source: "docs/performance.md",
    },
    Definition {
        name: "ratio_to_baseline",
        title: "ratio",
        aliases: &[],
        unit: "ratio",
        text: "The least processor time of the row over that of a fixed loop that is measured in turn with it, so \
               that machines can be compared.",
        formula: "cpu / cpu of the baseline",
        source: "docs/performance.md",
    },
    Definition {
        name: "noise_percent",
        title: "noise %",
        aliases: &["noise"],
        unit: "per cent",
        text: "How far the middle repetition lies above the least one, that of the row and that of the baseline added.",
        formula: "",
        source: "docs/performance.md",
    },
    Definition {
        name: "saved_ratio_to_baseline",
        title: "saved",
        aliases: &[],
        unit: "ratio",
        text: "The ratio of the saved figures that are compared with.",
        formula: "",
        source: "docs/performance.md",
    },
    Definition {
        name: "change_percent",
        title: "change %",
        aliases: &["change"],
        unit: "per cent",
        text: "By how much the ratio is above the saved one.",
        formula: "100 * (ratio / saved - 1)",
        source: "docs/performance.md",
    },
    Definition {
        name: "allowed_percent",
        title: "allowed %",
        aliases: &["allowed"],
        unit: "per cent",
        text: "By how much the ratio may be above the saved one before the row is called slower: the noise of both, \
               and at least 5.",
        formula: "max(5, noise now + noise saved)",
        source: "docs/performance.md",
    },
];
