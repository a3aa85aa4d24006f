//! Runs on ranks: their names, and the part of ranks other than the leader.

use cubefold_scenario::Run;
use cubefold_simulator::{
    EngineChoice, Observer, RankTask, Ranks, Request, StageRecord, Workers, next_task, simulate,
};

use super::{KeepRecords, Kept, RunError, failed};

const PROGRAM_BITS: u32 = 8;
const PLACE_BITS: u32 = 30;
const DIGEST_BITS: u32 = 24;

/// Name of a program of a run in a sweep, for messages between ranks. Its digest reveals ranks that have read
/// different scenarios, or files of different contents.
pub(super) fn rank_task(ranks: &'static dyn Ranks, run: &Run, place: usize, program: usize) -> RankTask {
    let digest = run.resolved.digest();
    let digest =
        digest.iter().take((DIGEST_BITS / 8) as usize).fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    // A sweep has at most 10^9 runs, and a run few programs.
    let number = (digest << PLACE_BITS | place as u64) << PROGRAM_BITS | program as u64;
    RankTask { ranks, number }
}

/// Takes part in the runs of the leader until it ends the sweep. `runs` are those of its sweep. When this
/// rank's part of a run is finished, the records of its processes, if they are kept, are passed to `leave`,
/// by process and stage; the leader continues when all ranks have done so.
///
/// # Errors
///
/// If the leader names a run that is not among these, or the simulation is refused.
pub fn follow(
    runs: &[&Run],
    ranks: &'static dyn Ranks,
    keep: KeepRecords,
    leave: impl Fn(RankTask, &[StageRecord]),
) -> Result<(), RunError> {
    while let Some(task) = next_task(ranks) {
        let program = usize::try_from(task.number % (1 << PROGRAM_BITS)).unwrap_or(usize::MAX);
        let place =
            usize::try_from(task.number >> PROGRAM_BITS & ((1 << PLACE_BITS) - 1)).unwrap_or(usize::MAX);
        let run = runs.get(place).filter(|run| rank_task(ranks, run, place, program) == task);
        let Some((run, program)) = run.and_then(|run| Some((run, run.programs().nth(program)?))) else {
            return Err(RunError::OtherScenario { rank: ranks.rank(), run: place });
        };
        let request = Request::asynchronous(EngineChoice::Hop).by(Some(Workers::Ranks(task)));
        let mut part = RankPart { kept: Kept::new(keep), leave: &leave };
        let (body, placement) = (&*program.body, &run.placement);
        simulate(body, placement, run.communication, &request, &mut part)
            .map_err(|error| failed(run, place, error))?;
    }
    Ok(())
}

/// The records that a rank other than the leader keeps of its part of a run, until it leaves them to the
/// leader.
struct RankPart<'leave, F> {
    kept: Kept,
    leave: &'leave F,
}

impl<F: Fn(RankTask, &[StageRecord])> Observer for RankPart<'_, F> {
    fn stage_finished(&mut self, record: &StageRecord) {
        self.kept.stage_finished(record);
    }

    fn wants_records(&self) -> bool {
        self.kept.wants_records()
    }

    fn part_finished(&mut self, task: RankTask) {
        if self.wants_records() {
            self.kept.sort();
            (self.leave)(task, &self.kept.records);
        }
    }
}
