//! The program to place, its machine, and the sites that its processes may take.

use cubefold_simulator::{Communication, MessageRoutes, OperationKind, Program, SimulationError, Special};
use cubefold_topology::{Machine, NodeId};

use crate::{Bound, Objective};

/// A program whose processes are to be placed.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The program.
    pub program: &'a dyn Program,
    /// The number of ranks to place: process `n` sits with rank `n` modulo this number, which divides the number of
    /// processes.
    pub ranks: u64,
    /// The machine.
    pub machine: &'a Machine,
    /// How messages travel.
    pub rules: Communication,
    /// The nodes that ranks may be on, each once.
    pub sites: &'a [NodeId],
    /// The most ranks of a node, at least 1.
    pub per_site: usize,
    /// A bound on the makespan \[cycles\] that is known of the program wherever its ranks are.
    pub least_makespan: Option<Bound>,
}

/// A reason why a problem cannot be searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The program cannot be run on the machine.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The sites do not hold all ranks.
    #[error("{places} places for {ranks} processes, expected at least {ranks}")]
    TooFewPlaces {
        /// The places: sites times ranks of a site.
        places: u64,
        /// The ranks.
        ranks: u64,
    },
    /// There are more messages or places than a search keeps.
    #[error("{found} {what}, expected at most {most}: a search holds all of them in memory")]
    TooLarge {
        /// The things counted, as a plural noun.
        what: &'static str,
        /// Their number.
        found: u64,
        /// The most that a search takes.
        most: u64,
    },
    /// The objective is not defined for the program.
    #[error(
        "objective {objective} of a task graph or a job, expected another: section 15 predicts stage programs only"
    )]
    NoPrediction {
        /// The objective.
        objective: Objective,
    },
    /// The objective goes by the routes of the machine, which messages do not take.
    #[error(
        "objective {objective} of messages whose routes go by more than their nodes, expected makespan: the others count \
         the routes of the machine"
    )]
    OtherRoutes {
        /// The objective.
        objective: Objective,
    },
    /// No start is named.
    #[error("no placement with a name to start from, expected at least one")]
    NoStart,
}

/// The most places that are searched.
const MAX_PLACES: u64 = 1 << 20;
/// The most messages of a stage.
const MAX_MESSAGES: u64 = 1 << 26;

impl Problem<'_> {
    /// The ranks.
    #[must_use]
    pub fn rank_count(&self) -> usize {
        usize::try_from(self.ranks).unwrap_or(usize::MAX)
    }

    /// Whether the program is one of stages, which the recursion of section 15 predicts.
    #[must_use]
    pub(crate) fn has_prediction(&self) -> bool {
        !matches!(self.program.special(), Special::Tasks(_) | Special::Job(_))
    }

    /// Whether every message takes the route of the machine.
    pub(crate) fn takes_routes_of_machine(&self) -> bool {
        self.rules.routes() == MessageRoutes::OfMachine && self.rules.routers().is_none()
    }

    /// Whether messages take the routes that an objective counts.
    fn has_routes_of(&self, objective: Objective) -> bool {
        match self.rules.routes() {
            // Routers have routes of their own.
            MessageRoutes::OfMachine | MessageRoutes::OfEmbedding => {
                let routers = self.rules.routers();
                objective != Objective::Load || routers.is_none_or(|routers| routers.takes_machine_routes())
            }
            MessageRoutes::Valiant { .. } => objective == Objective::Makespan,
            // All have the length of the machine's.
            MessageRoutes::SpreadByMessage { .. } | MessageRoutes::OfShares { .. } => {
                objective != Objective::Load
            }
        }
    }

    /// Whether a run lasts until every message is received; false for task graphs with eager sends that no operation
    /// receives.
    pub(crate) fn receives_all(&self) -> bool {
        let Some(graph) = self.program.special().tasks() else { return true };
        let count =
            |kind| graph.schedule().operations().iter().filter(|operation| operation.kind == kind).count();
        count(OperationKind::Send) == count(OperationKind::Receive)
    }

    /// The places that ranks can take: [`per_site`](Self::per_site) a site.
    #[must_use]
    pub fn place_count(&self) -> usize {
        self.sites.len().saturating_mul(self.per_site)
    }

    /// Refuses problems that cannot be searched.
    ///
    /// # Errors
    ///
    /// If the sites do not hold all ranks, if a search would keep too much in memory, for the prediction of a task graph,
    /// and if messages do not take the routes that the objective counts.
    pub fn check(&self, objective: Objective) -> Result<(), SearchError> {
        let (places, ranks) = (self.place_count() as u64, self.ranks);
        if places < ranks {
            return Err(SearchError::TooFewPlaces { places, ranks });
        }
        if places > MAX_PLACES {
            return Err(SearchError::TooLarge { what: "places", found: places, most: MAX_PLACES });
        }
        if objective == Objective::Predicted && !self.has_prediction() {
            return Err(SearchError::NoPrediction { objective });
        }
        if !self.has_routes_of(objective) {
            return Err(SearchError::OtherRoutes { objective });
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
