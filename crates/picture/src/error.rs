//! The reasons why a picture cannot be drawn.

use cubefold_formats::input::Bytes;

/// The reason why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Too many processes to be distinguished.
    #[error("{found} processes, expected at most {most}")]
    TooManyProcesses {
        /// Their number.
        found: u64,
        /// The most that are drawn.
        most: u64,
    },
    /// Too many ranks and shares to be distinguished.
    #[error("{found} rows of ranks and shares, expected at most {most}")]
    TooManyRows {
        /// Their number.
        found: u64,
        /// The most that are drawn.
        most: u64,
    },
    /// Too many activities to be distinguished.
    #[error("over {most} activities of processes, expected fewer")]
    TooManyMarks {
        /// The most that are drawn.
        most: usize,
    },
    /// A picture that exceeds the memory limit.
    #[error("the picture needs about {}, expected at most {}", Bytes(*.needed), Bytes(*.limit))]
    TooLarge {
        /// Its memory \[bytes\].
        needed: u64,
        /// The limit \[bytes\].
        limit: u64,
    },
    /// Results that exceed the memory limit.
    #[error("the results need about {}, expected at most {}", Bytes(*.needed), Bytes(*.limit))]
    ResultsTooLarge {
        /// Their memory \[bytes\].
        needed: u64,
        /// The limit \[bytes\].
        limit: u64,
    },
    /// Runs whose time is not divided among activities.
    #[error("no run whose time is divided, expected one that is no job with steps side by side")]
    NoShares,
    /// A window outside of the run.
    #[error("{what} {from}..{to}, expected a range from 0 to at most {last}")]
    EmptyWindow {
        /// `processes`, `ranks` or `cycles`.
        what: &'static str,
        /// Its beginning.
        from: u64,
        /// Its end.
        to: u64,
        /// The last that exists.
        last: u64,
    },
    /// Too many nodes to be distinguished.
    #[error("{found} nodes, expected at most {most}")]
    TooManyNodes {
        /// Their number.
        found: u64,
        /// The most that are drawn.
        most: u64,
    },
    /// Too many links to be distinguished.
    #[error("{found} links, expected at most {most}")]
    TooManyLinks {
        /// Their number.
        found: u64,
        /// The most that are drawn.
        most: u64,
    },
    /// Too many placements to be distinguished.
    #[error("{found} different placements, expected at most {most}")]
    TooManyPlacements {
        /// Their number.
        found: usize,
        /// The most that are drawn.
        most: usize,
    },
    /// Too many runs for one picture, or one page.
    #[error("{found} runs, expected at most {most}")]
    TooManyRuns {
        /// Their number.
        found: usize,
        /// The most that are drawn.
        most: usize,
    },
    /// Too many runs for one animation.
    #[error("{found} runs side by side, expected at most {most}")]
    TooManyAnimated {
        /// Their number.
        found: usize,
        /// The most that are animated.
        most: usize,
    },
    /// Too many transmissions for one animation.
    #[error("at least {found} transmissions, expected at most {most}")]
    TooManyTransmissions {
        /// Their number, counted until there are too many.
        found: u64,
        /// The most that are animated.
        most: u64,
    },
    /// A cycle after the end of all runs of an animation.
    #[error("cycle {found}, expected 0 to {last}")]
    NoSuchCycle {
        /// The requested one.
        found: u64,
        /// The longest makespan.
        last: u64,
    },
    /// A guest dimension that does not exist.
    #[error("guest dimension {found}, expected 0 to {last}")]
    NoSuchDimension {
        /// The requested one.
        found: usize,
        /// The last that exists.
        last: usize,
    },
    /// Results that cannot be read.
    #[error("{reason}")]
    Results {
        /// The defect.
        reason: String,
    },
    /// A column that results do not have, or that has no numbers above 0.
    #[error("column {column:?} {problem}")]
    Column {
        /// The requested column.
        column: String,
        /// The defect, and the existing columns.
        problem: String,
    },
    /// Rows of one curve at one place.
    #[error("{rows} rows at {place} of {curve:?} differ in {}, expected one row at a place of a curve", differences(.varying))]
    SeveralRows {
        /// Their number.
        rows: usize,
        /// Their position: the column across and its value.
        place: String,
        /// The curve.
        curve: String,
        /// The settings in which they differ.
        varying: Vec<String>,
        /// How to distinguish them.
        help: String,
    },
    /// A run in which no process waits and none is blocked.
    #[error("no process waits or is blocked in any stage, expected a time above 0 in some stage")]
    NoDelays,
    /// A darkest value below what a link carries.
    #[error("a darkest value of {asked} {unit}, expected at least {found}, which a link has")]
    DarkestTooSmall {
        /// The requested one.
        asked: u64,
        /// The greatest load of a link.
        found: u64,
        /// The counted things.
        unit: &'static str,
    },
    /// A share of guest edges.
    #[error("a share of guest edges, expected a number of them: only busy cycles are shares of the makespan")]
    ShareOfEdges,
    /// Runs without sizes.
    #[error(
        "no run has a size and takes time, expected collectives or messages with sizes, not jobs or task graphs"
    )]
    NoSizes,
    /// Runs without open-loop traffic.
    #[error("no run has a load, expected open-loop traffic")]
    NoLoads,
    /// Runs without parts.
    #[error("no run is pipelined, expected programs on cubes with program.pipelining")]
    NoParts,
    /// The plotting library refused, which would be a defect of the program.
    #[error("axes cannot be drawn: {reason}")]
    Plot {
        /// Its reason.
        reason: String,
    },
}

/// The settings in which rows differ, as text.
fn differences(varying: &[String]) -> String {
    if varying.is_empty() { "no setting".to_owned() } else { varying.join(", ") }
}

impl PictureError {
    /// The advice to the user.
    #[must_use]
    pub fn help(&self) -> &str {
        match self {
            Self::SeveralRows { help, .. } => help,
            Self::NoShares => "cubefold draw timeline shows when each step begins and is over",
            Self::NoDelays => "cubefold draw compare shows what the makespan is made of",
            Self::TooManyProcesses { .. } => "draw a part, with --processes 0..31",
            Self::TooManyRows { .. } => "draw a part, with --ranks 0..7",
            Self::ResultsTooLarge { .. } => {
                "give it more with --memory-limit, or draw a file with fewer runs"
            }
            Self::TooManyMarks { .. } => "draw a part, with --cycles 0..1000, or fewer processes",
            Self::TooLarge { .. } => {
                "give it more with --memory-limit, or draw a part, with --cycles 0..1000"
            }
            Self::EmptyWindow { what: "ranks", .. } => "name ranks of the run, as in --ranks 0..7",
            Self::EmptyWindow { .. } => "name a part of the run, as in --processes 0..31 --cycles 100..400",
            Self::TooManyNodes { .. } | Self::TooManyLinks { .. } => {
                "draw a smaller machine, or use cubefold place --format csv"
            }
            Self::TooManyPlacements { .. } => "leave out embeddings, or sweep fewer values",
            Self::TooManyRuns { .. } => {
                "sweep fewer values, or draw scaling from what cubefold run --output writes"
            }
            Self::TooManyAnimated { .. } => {
                "name some of its embeddings with --embedding, or its runs with --run"
            }
            Self::TooManyTransmissions { .. } => {
                "animate fewer runs, stages or processes; cubefold run --crossings lists up to 10 million"
            }
            Self::NoSuchCycle { .. } => "name a cycle of the runs with --cycle",
            Self::NoSuchDimension { .. } => "name one of the guest's dimensions with --dimension",
            Self::Results { .. } => "name what cubefold run --output wrote: .csv, .json, .jsonl or .parquet",
            Self::Column { .. } => "name columns of the results with --x and --y",
            Self::DarkestTooSmall { .. } => {
                "give --max the greatest value of all pictures that stand side by side"
            }
            Self::ShareOfEdges => "use --measure busy-cycles, or a number without %",
            Self::NoSizes => "give program.bytes or program.units, and sweep them",
            Self::NoLoads => "use program.kind = \"open-loop\" and sweep program.load",
            Self::NoParts => "give program.pipelining = \"best\", or sweep numbers of parts",
            Self::Plot { .. } => "this is a defect of cubefold",
        }
    }
}
