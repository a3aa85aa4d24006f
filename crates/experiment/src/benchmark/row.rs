//! What is measured: built-in scenarios, each with what it must come to.

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
    /// One run is simulated; the answer is its makespan \[cycles\].
    Simulate,
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

/// A simulation with the processes where the scenario says.
const fn simulated(name: &'static str, scenario: &'static str, quick: u64, full: u64) -> Row {
    Row { name, scenario, work: Work::Simulate, placed: Placed::AsWritten, answer: Answer { quick, full } }
}

impl Row {
    /// All rows, in the order in which they are shown.
    pub(super) const ALL: [Self; 17] = [
        simulated("hop/full-duplex/xor", scenario!("hop-full-duplex-xor"), 46, 382),
        simulated("hop/full-duplex/xor/3-cycles", scenario!("hop-full-duplex-xor-3-cycles"), 138, 1146),
        simulated("hop/full-duplex/byweight", scenario!("hop-full-duplex-byweight"), 210, 1260),
        simulated(
            "hop/full-duplex/byweight/3-cycles",
            scenario!("hop-full-duplex-byweight-3-cycles"),
            430,
            3466,
        ),
        simulated("hop/half-duplex/gray", scenario!("hop-half-duplex"), 172, 900),
        simulated("hop/single-direction/byweight", scenario!("hop-single-direction"), 218, 3551),
        simulated("hop/neighbour-exchange", scenario!("hop-neighbour-exchange"), 42, 43),
        simulated("hop/shared-nodes", scenario!("hop-shared-nodes"), 242, 242),
        simulated("belt/product/byweight", scenario!("belt-product"), 210, 1260),
        simulated("belt/interleaved/byweight", scenario!("belt-interleaved"), 210, 656),
        simulated("belt/random", scenario!("belt-random"), 177, 1544).at_random(),
        simulated("coordinated/product/xor", scenario!("coordinated-product"), 146, 542),
        simulated("coordinated/random", scenario!("coordinated-random"), 218, 1985).at_random(),
        simulated("metrics/by-field", scenario!("metrics-by-field"), 40_320, 132_914_675_712)
            .doing(Work::Measure),
        simulated("metrics/by-edge", scenario!("metrics-by-edge"), 81_654, 67_074_744)
            .at_random()
            .doing(Work::Measure),
        simulated("sweep/small-runs", scenario!("sweep"), 916, 254_122).doing(Work::Sweep),
        simulated("scenario/load", scenario!("sweep"), 1620, 1620).doing(Work::Load),
    ];

    const fn at_random(self) -> Self {
        Self { placed: Placed::AtRandom, ..self }
    }

    const fn doing(self, work: Work) -> Self {
        Self { work, ..self }
    }
}
