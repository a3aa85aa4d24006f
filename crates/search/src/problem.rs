//! The program to place, its machine, and the sites that its processes may take.

use cubefold_simulator::{Communication, Program, SimulationError};
use cubefold_topology::{Machine, NodeId};

use crate::Objective;

/// A program whose processes are to be placed.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The program.
    pub program: &'a dyn Program,
    /// The machine.
    pub machine: &'a Machine,
    /// How messages travel.
    pub rules: Communication,
    /// The nodes that processes may be on, each once.
    pub sites: &'a [NodeId],
    /// The most processes of a node, at least 1.
    pub per_site: usize,
}

/// A reason for which nothing can be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The program cannot be run on the machine.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The sites do not hold all processes.
    #[error("{places} places for {processes} processes, expected at least {processes}")]
    TooFewPlaces {
        /// The places: sites times processes of a site.
        places: u64,
        /// The processes.
        processes: u64,
    },
    /// There are more messages or places than a search keeps.
    #[error("{found} {what}, expected at most {most}: a search holds all of them in memory")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// The most that a search takes.
        most: u64,
    },
    /// The objective is not defined for the program.
    #[error(
        "objective {objective} of a task graph, expected another: section 15 predicts stage programs only"
    )]
    NoPrediction {
        /// The objective.
        objective: Objective,
    },
    /// No placement to start from.
    #[error("no placement to start from, expected at least one")]
    NoStart,
}

/// The most places that are searched.
const MAX_PLACES: u64 = 1 << 20;
/// The most messages of a stage.
const MAX_MESSAGES: u64 = 1 << 26;

impl Problem<'_> {
    /// The processes.
    #[must_use]
    pub fn process_count(&self) -> usize {
        usize::try_from(self.program.process_count()).unwrap_or(usize::MAX)
    }

    /// The places that processes can take: [`per_site`](Self::per_site) a site.
    #[must_use]
    pub fn place_count(&self) -> usize {
        self.sites.len().saturating_mul(self.per_site)
    }

    /// Refuses what is not searched.
    ///
    /// # Errors
    ///
    /// Where the sites do not hold all processes, where a search would keep too much in memory, and for the prediction of a
    /// task graph.
    pub fn check(&self, objective: Objective) -> Result<(), SearchError> {
        let (places, processes) = (self.place_count() as u64, self.program.process_count());
        if places < processes {
            return Err(SearchError::TooFewPlaces { places, processes });
        }
        if places > MAX_PLACES {
            return Err(SearchError::TooLarge { what: "places", found: places, most: MAX_PLACES });
        }
        if objective == Objective::Predicted && self.program.special().tasks().is_some() {
            return Err(SearchError::NoPrediction { objective });
        }
        let messages = match self.program.special().tasks() {
            Some(graph) => graph.message_count(),
            None => self.program.facts().messages_of_stage(),
        };
        if messages > MAX_MESSAGES {
            return Err(SearchError::TooLarge {
                what: "messages of a stage",
                found: messages,
                most: MAX_MESSAGES,
            });
        }
        Ok(())
    }
}
