//! The rows, with the least figures and the goals of the project's performance notes.

use cubefold::{
    mapping::EmbeddingKind::{self, Byweight, Gray, Xor},
    simulator::EngineChoice,
    topology::{LinkMode, MachineKind},
};

use super::{Placed, Quantity, Row, Run, Stages, Task};

/// A simulated row in the setting that most have: `T_a` = 10, `T_c` = 1, full-duplex, dimension after dimension, on a
/// torus.
const fn row(name: &'static str, lengths: &'static [u64], kind: EmbeddingKind, figures: (f64, f64)) -> Row {
    Row {
        name,
        run: Run::Always,
        task: Task::Asynchronous,
        machine: MachineKind::Torus,
        lengths,
        placed: Placed::By(kind),
        stages: Stages::Ascend,
        compute: 10,
        hop: 1,
        links: LinkMode::FullDuplex,
        engine: EngineChoice::Auto,
        quantity: Quantity::Seconds,
        least: figures.0,
        goal: figures.1,
        answer: None,
    }
}

/// A row of the hop-by-hop engine.
const fn hop(
    name: &'static str,
    lengths: &'static [u64],
    kind: EmbeddingKind,
    hop: u64,
    figures: (f64, f64),
) -> Row {
    let quantity = Quantity::MillionHopsASecond;
    Row { hop, engine: EngineChoice::Hop, quantity, ..row(name, lengths, kind, figures) }
}

impl Row {
    const fn comes_to(self, answer: u64) -> Self {
        Self { answer: Some(answer), ..self }
    }

    const fn when_long(self) -> Self {
        Self { run: Run::WhenLong, ..self }
    }

    const fn doing(self, task: Task) -> Self {
        Self { task, ..self }
    }

    const fn in_terms_of(self, quantity: Quantity) -> Self {
        Self { quantity, ..self }
    }

    const fn interleaved(self) -> Self {
        Self { stages: Stages::Interleaved, ..self }
    }

    const fn at_random(self) -> Self {
        Self { placed: Placed::AtRandom, ..self }
    }
}

const D16: &[u64] = &[256, 256];
const D18: &[u64] = &[512, 512];
const D20: &[u64] = &[1024, 1024];
const D24: &[u64] = &[4096, 4096];
const D30: &[u64] = &[1 << 15, 1 << 15];

/// All rows, in the order of the table. Makespans of product placements whose fields are not taken in turn are twice
/// those of the ring (`docs/model.md` section 8).
pub(crate) const ROWS: &[Row] = &[
    hop("hop/d16/xor", D16, Xor, 1, (200.0, 450.0)).comes_to(542),
    hop("hop/d16/byweight", D16, Byweight, 1, (200.0, 450.0)).comes_to(1260),
    hop("hop/d16/xor/3-cycles", D16, Xor, 3, (120.0, 220.0)).comes_to(1306),
    hop("hop/d16/byweight/3-cycles", D16, Byweight, 3, (120.0, 220.0)).comes_to(3466),
    hop("hop/d20/byweight", D20, Byweight, 1, (110.0, 370.0)).comes_to(5196).when_long(),
    hop("hop/d20/gray", D20, Gray, 1, (100.0, 200.0)).comes_to(2370).when_long(),
    hop("hop/d18/xor/memory", D18, Xor, 1, (105.0, 52.0)).in_terms_of(Quantity::BytesANode).comes_to(946),
    row("belt/d20/xor", D20, Xor, (0.1, 0.03)).comes_to(1734),
    row("belt/d20/byweight", D20, Byweight, (0.1, 0.03)).comes_to(5196),
    row("belt/d20/gray", D20, Gray, (0.1, 0.03)).comes_to(2370),
    row("belt/d24/byweight", D24, Byweight, (2.0, 0.5)).comes_to(22_168).when_long(),
    row("belt/d24/byweight/memory", D24, Byweight, (0.5, 0.2))
        .comes_to(22_168)
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/d30/byweight", D30, Byweight, (10.0, 1.0)).comes_to(199_838).when_long(),
    row("belt/d30/byweight/memory", D30, Byweight, (1.0, 0.1))
        .comes_to(199_838)
        .in_terms_of(Quantity::Gigabytes)
        .when_long(),
    row("belt/d20/byweight/interleaved/two-threads", D20, Byweight, (1.6, 1.9))
        .interleaved()
        .in_terms_of(Quantity::Speedup)
        .when_long(),
    row("belt/d20/xor/interleaved", D20, Xor, (2.0, 0.9)).interleaved().comes_to(1734),
    row("belt/d20/byweight/interleaved", D20, Byweight, (15.0, 6.0)).interleaved().when_long(),
    row("belt/d20/random", D20, Xor, (20.0, 10.0)).at_random().when_long(),
    row("coordinated/d24/xor", D24, Xor, (0.5, 0.1)).doing(Task::Coordinated).comes_to(6382).when_long(),
    row("coordinated/d20/random", D20, Xor, (1.5, 0.35)).at_random().doing(Task::Coordinated).when_long(),
    row("metrics/d24/xor/by-edge", D24, Xor, (2.3, 0.91))
        .doing(Task::MetricsByEdge)
        .comes_to(51_522_830_336)
        .when_long(),
    row("metrics/d24/xor/by-field", D24, Xor, (10.0, 1.0))
        .doing(Task::Metrics)
        .in_terms_of(Quantity::Milliseconds)
        .comes_to(51_522_830_336),
    row("address/d24/xor", D24, Xor, (5.0, 1.6))
        .doing(Task::Addresses)
        .in_terms_of(Quantity::Nanoseconds)
        .comes_to(35_182_620_588_682),
];
