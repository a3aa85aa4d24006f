//! Columns of several records, and a term that no record has.

use super::column::Column;
use crate::definition::{Definition, Kind};

/// Column of the scenario's name.
pub(crate) static SCENARIO: &[Column<str>] = &[Column {
    definition: Definition {
        name: "scenario",
        title: "scenario",
        aliases: &["name"],
        kind: Kind::Text,
        text: "The name of the scenario, or the stem of its file if it has none.",
        source: "docs/scenarios.md, top-level keys",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];

/// Column of the embedding's name.
pub(crate) static EMBEDDING: &[Column<str>] = &[Column {
    definition: Definition {
        name: "embedding",
        title: "embedding",
        aliases: &["placement"],
        kind: Kind::Text,
        text: "Which process sits on which node, as the scenario names it.",
        source: "docs/embeddings.md; docs/model.md, section 3",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];

/// Column of the index of a run in the results.
pub(crate) static RUN: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "run",
        title: "run",
        kind: Kind::Natural,
        text: "The place of the run in the results, counted from 0 over all files.",
        source: "docs/scenarios.md, the order of the runs",
        ..Definition::BLANK
    },
    value: |run| (*run).into(),
}];

/// Column of the number of processes of a program.
pub(crate) static PROCESSES: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "processes",
        title: "processes",
        kind: Kind::Natural,
        unit: "processes",
        text: "The number of processes of the program.",
        formula: "P",
        source: "docs/model.md, section 2",
        ..Definition::BLANK
    },
    value: |processes| (*processes).into(),
}];

/// Column of the number of nodes of a machine.
pub(crate) static NODES: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "nodes",
        title: "nodes",
        kind: Kind::Natural,
        unit: "nodes",
        text: "The number of nodes that the program can use: those of the machine, or of the partition; of networks \
               with switches the hosts.",
        formula: "k_1 * ... * k_c",
        source: "docs/model.md, section 1",
        ..Definition::BLANK
    },
    value: |nodes| (*nodes).into(),
}];

/// Column of the iteration of a job.
pub(crate) static ITERATION: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "iteration",
        title: "iteration",
        aliases: &["iterations"],
        kind: Kind::Natural,
        text: "The repetition of the steps of a job, counted from 0. Empty for other programs.",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    value: |iteration| (*iteration).into(),
}];

/// Column of the step of a job.
pub(crate) static STEP: &[Column<str>] = &[Column {
    definition: Definition {
        name: "step",
        title: "step",
        kind: Kind::Text,
        text: "The step of a job, by its name. Empty for other programs.",
        source: "docs/model.md, section 23",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];

/// Column of the seed.
pub(crate) static SEED: &[Column<u64>] = &[Column {
    definition: Definition {
        name: "seed",
        title: "seed",
        kind: Kind::Natural,
        text: "The number that keys every random choice of the run; nothing else depends on it.",
        source: "docs/model.md, section 10",
        ..Definition::BLANK
    },
    value: |seed| (*seed).into(),
}];

/// Column of the swept keys.
pub(crate) static SWEEP: &[Column<str>] = &[Column {
    definition: Definition {
        name: "sweep",
        title: "sweep",
        kind: Kind::Text,
        text: "The keys that the sweep sets in the run, with their values as written: they tell runs apart \
               whatever is swept. The column is there only if a scenario has a sweep.",
        source: "docs/scenarios.md",
        ..Definition::BLANK
    },
    value: |sweep| sweep.into(),
}];

/// A link in one direction: the term that the columns of links use.
pub(crate) static CHANNEL: Definition = Definition {
    name: "channel",
    title: "channel",
    aliases: &["link"],
    kind: Kind::Term,
    text: "One direction of a link between two neighbouring nodes. A message waits for the \
           channel through which it leaves a node in a queue of that channel.",
    source: "docs/model.md, sections 1 and 5",
    ..Definition::BLANK
};
