//! What is measured: built-in scenarios, each with what it must come to.

use cubefold_simulator::Engine::{self, Belt, Coordinated, Hop};

/// A row of the benchmark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// What is measured, as a path; the size of what is measured is added.
    pub(super) name: &'static str,
    /// The text of the scenario. Its first run is the quick one and its last the full one, where one is measured.
    pub(super) scenario: &'static str,
    /// What is done with it.
    pub(super) work: Work,
    /// Where the processes sit.
    pub(super) placed: Placed,
    /// What it must come to.
    pub(super) answer: Answer,
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Small machines, few repetitions: seconds. For trying out, not for comparing.
    Quick,
    /// About half a minute.
    Full,
}

impl Size {
    /// The word for it in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// What is done with a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// One run is simulated, by this engine; the answer is its makespan \[cycles\].
    Simulate(Engine),
    /// One placement is measured; the answer is the sum of all dilations \[links\].
    Measure,
    /// Many runs are executed and their results written as CSV; the answer is the sum of the makespans \[cycles\].
    Sweep,
    /// The scenario is read and validated; the answer is the number of its runs.
    Load,
}

/// Where the processes of a row sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// Where the scenario says.
    AsWritten,
    /// One a node at random, always at the same places.
    AtRandom,
}

/// What a row must come to, by size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) quick: u64,
    pub(super) full: u64,
}

impl Answer {
    pub(super) fn of(self, size: Size) -> u64 {
        match size {
            Size::Quick => self.quick,
            Size::Full => self.full,
        }
    }
}

/// The text of a built-in scenario.
macro_rules! scenario {
    ($name:literal) => {
        include_str!(concat!("scenarios/", $name, ".toml"))
    };
}

/// Work with the processes where the scenario says.
const fn row(name: &'static str, work: Work, scenario: &'static str, quick: u64, full: u64) -> Row {
    Row { name, scenario, work, placed: Placed::AsWritten, answer: Answer { quick, full } }
}

/// A simulation by this engine.
const fn simulated(name: &'static str, engine: Engine, scenario: &'static str, quick: u64, full: u64) -> Row {
    row(name, Work::Simulate(engine), scenario, quick, full)
}

impl Row {
    /// All rows, in the order in which they are shown.
    pub(super) const ALL: [Self; 20] = [
        simulated("hop/full-duplex/xor", Hop, scenario!("hop-full-duplex-xor"), 46, 382),
        simulated("hop/full-duplex/xor/3-cycles", Hop, scenario!("hop-full-duplex-xor-3-cycles"), 138, 1146),
        simulated("hop/full-duplex/byweight", Hop, scenario!("hop-full-duplex-byweight"), 210, 1260),
        simulated(
            "hop/full-duplex/byweight/3-cycles",
            Hop,
            scenario!("hop-full-duplex-byweight-3-cycles"),
            430,
            3466,
        ),
        simulated("hop/half-duplex/gray", Hop, scenario!("hop-half-duplex"), 172, 900),
        simulated("hop/single-direction/byweight", Hop, scenario!("hop-single-direction"), 218, 3551),
        simulated("hop/neighbour-exchange", Hop, scenario!("hop-neighbour-exchange"), 42, 43),
        simulated("hop/shared-nodes", Hop, scenario!("hop-shared-nodes"), 242, 242),
        simulated("belt/lines/xor", Belt, scenario!("belt-lines-xor"), 146, 98_622),
        simulated("belt/lines/byweight", Belt, scenario!("belt-lines-byweight"), 210, 58_855),
        simulated(
            "belt/lines/byweight/3-cycles",
            Belt,
            scenario!("belt-lines-byweight-3-cycles"),
            430,
            176_031,
        ),
        simulated("belt/lines/half-duplex/gray", Belt, scenario!("belt-lines-half-duplex"), 172, 11_886),
        simulated("belt/whole/byweight/interleaved", Belt, scenario!("belt-whole-interleaved"), 210, 1252),
        simulated("belt/whole/random", Belt, scenario!("belt-whole-random"), 177, 3394).at_random(),
        simulated("coordinated/product/xor", Coordinated, scenario!("coordinated-product"), 146, 6382),
        simulated("coordinated/random", Coordinated, scenario!("coordinated-random"), 218, 4329).at_random(),
        row("metrics/by-field", Work::Measure, scenario!("metrics-by-field"), 40_320, 132_914_675_712),
        row("metrics/by-edge", Work::Measure, scenario!("metrics-by-edge"), 81_654, 67_074_744).at_random(),
        row("sweep/small-runs", Work::Sweep, scenario!("sweep"), 916, 254_122),
        row("scenario/load", Work::Load, scenario!("sweep"), 1620, 1620),
    ];

    const fn at_random(self) -> Self {
        Self { placed: Placed::AtRandom, ..self }
    }
}
