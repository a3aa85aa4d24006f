//! Collectives that run as steps of a job: in several overlapping chunks, or by switches (`docs/model.md`
//! section 16).
//!
//! The steps of a chunk follow one another, and each follows the same step of the previous chunk.

use std::sync::Arc;

use cubefold_collectives::{Collective, Groups, Operation};
use cubefold_simulator::{Job, JobStep, StepBody};

use super::{
    hierarchical::{LevelStep, Levels},
    in_switch, over_budget,
};
use crate::{
    JobStepDescription, ScenarioProgram,
    errors::ScenarioError,
    program::{ProgramKind, Reading},
    value::{Content, Value},
};

/// A step of a chunk, as a step of a job.
#[derive(Debug)]
pub(crate) struct ChunkStep {
    /// Its name: the chunk, the step and the operation.
    pub(crate) name: String,
    pub(crate) operation: Operation,
    pub(crate) body: StepBody,
    /// Its collective, unless switches perform it.
    pub(crate) groups: Option<Arc<Groups>>,
    /// The name of the algorithm of switches.
    pub(crate) algorithm: Option<Arc<str>>,
    /// The steps that it comes after, by their places in the collective.
    pub(crate) after: Vec<usize>,
}

/// Whether an algorithm, as written, makes a collective a job: of several steps, or of switches.
pub(crate) fn needs_job(algorithm: &Value) -> bool {
    let is_in_switch =
        |value: &Value| matches!(&value.content, Content::Text(name) if name == in_switch::IN_SWITCH);
    let Content::Table(entries) = &algorithm.content else { return is_in_switch(algorithm) };
    let [only] = entries.as_slice() else { return false };
    let Content::Table(levels) = &only.value.content else { return false };
    levels.iter().any(|level| match level.key.as_str() {
        "chunks" => !matches!(level.value.content, Content::Integer(Some(1))),
        _ => is_in_switch(&level.value),
    })
}

/// The messages of a collective as a step of a job.
pub(crate) fn messages(collective: Collective) -> StepBody {
    StepBody::Messages { shares: collective.share_count(), program: Arc::new(collective) }
}

/// The steps of all chunks, chunk by chunk.
pub(crate) fn steps(levels: &Levels) -> Vec<ChunkStep> {
    let mut steps = vec![];
    for (chunk, of_chunk) in levels.chunks.iter().enumerate() {
        for (place, step) in of_chunk.iter().enumerate() {
            let number = steps.len();
            let of_same_chunk = (place > 0).then(|| number - 1);
            let of_chunk_before = (chunk > 0).then(|| number - of_chunk.len());
            let (operation, body, groups) = match step {
                LevelStep::Groups(groups) => {
                    let body = messages(Collective::of_groups(Arc::clone(groups)));
                    (groups.specification().operation, body, Some(Arc::clone(groups)))
                }
                LevelStep::InSwitches(operation, reduction) => {
                    (*operation, StepBody::InSwitches(Arc::clone(reduction)), None)
                }
            };
            steps.push(ChunkStep {
                name: format!("chunk {chunk} step {place} {operation}"),
                operation,
                body,
                algorithm: groups.is_none().then(|| in_switch::IN_SWITCH.into()),
                groups,
                after: of_same_chunk.into_iter().chain(of_chunk_before).collect(),
            });
        }
    }
    steps
}

/// The program of a collective that is a job.
pub(super) fn job(
    reading: &mut Reading<'_>,
    kind: &'static ProgramKind,
    value: &Value,
    levels: &Levels,
    per_node: u64,
) -> Option<ScenarioProgram> {
    let (mut job_steps, mut descriptions) = (vec![], vec![]);
    for ChunkStep { name, operation, body, groups, algorithm, after } in steps(levels) {
        job_steps.push(JobStep { name, body, after, takes_part: Arc::default() });
        descriptions.push(JobStepDescription { kind: operation.name(), groups, bytes: None, algorithm });
    }
    let shape = levels.whole.groups.shape().clone();
    let ranks = u32::try_from(shape.node_count()).ok()?;
    let shares = job_steps.iter().map(JobStep::share_count).max().unwrap_or(1);
    let [while_made, kept] = Job::bytes_to_make(u64::from(ranks) * u64::from(shares));
    if let Err(over) = reading.settings.budget().take_for_a_while(while_made, kept) {
        over_budget(reading, over, ranks.into());
        return None;
    }
    match Job::new(ranks, 1, job_steps) {
        Ok(job) => Some(ScenarioProgram::of_job(kind, job, shape, descriptions, per_node)),
        Err(error) => {
            reading.settings.fail(ScenarioError::at(&value.place, error.to_string(), "too many chunks"))
        }
    }
}
