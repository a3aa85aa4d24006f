//! The engines as the library has compiled them for its programs: what the tests run is what users run, and is not
//! compiled again for the tests.

use cubefold_mapping::Placement;
use cubefold_simulator::{
    Communication, CountLinkUse, CubeProgram, DivideAndConquer, Execution, NeighbourProgram, Observer,
    Outcome, ShuffleExchangeProgram, SimulationError, StageProgram, TaskGraph,
};

use crate::random_problem::MessageSets;

/// A program that can be run.
pub(crate) trait Simulated {
    /// See [`simulate`](cubefold_simulator::simulate).
    fn simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
        count: CountLinkUse,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, SimulationError>;
}

macro_rules! simulated {
    ($($program:ty),+) => {
        $(impl Simulated for $program {
            fn simulate(
                &self,
                placement: &Placement,
                communication: Communication,
                execution: &Execution,
                count: CountLinkUse,
                observer: &mut dyn Observer,
            ) -> Result<Outcome, SimulationError> {
                self.clone().erase().simulate(placement, communication, execution, count, Some(observer))
            }
        })+
    };
}

simulated!(CubeProgram, NeighbourProgram, DivideAndConquer, ShuffleExchangeProgram, StageProgram, TaskGraph);

/// A program of the tests' own, for which the engines are compiled here.
impl Simulated for MessageSets {
    fn simulate(
        &self,
        placement: &Placement,
        communication: Communication,
        execution: &Execution,
        count: CountLinkUse,
        mut observer: &mut dyn Observer,
    ) -> Result<Outcome, SimulationError> {
        cubefold_simulator::simulate(self, placement, communication, execution, count, &mut observer)
    }
}

/// Runs a program.
pub(crate) fn simulate(
    program: &impl Simulated,
    placement: &Placement,
    communication: Communication,
    execution: &Execution,
    count: CountLinkUse,
    observer: &mut dyn Observer,
) -> Result<Outcome, SimulationError> {
    program.simulate(placement, communication, execution, count, observer)
}
