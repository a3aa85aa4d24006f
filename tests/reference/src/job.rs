//! Jobs: the model's section 23, by a task graph that says the same.
//!
//! Every stage of every actor is a computation and the messages that wait for it (section 18, the last paragraphs);
//! an actor waits for all actors of its rank in the steps that its step comes after, an iteration for all of the one
//! before. Stages are numbered on through steps and iterations, and are the tags.

use super::stage_program::SizedMessage;
use super::task_graph::{Stuck, Task, TaskOperation, TaskProblem, run_operations};

/// A step of a job.
#[derive(Clone, Debug)]
pub struct ReferenceStep {
    /// The steps that it comes after, by their places.
    pub after: Vec<usize>,
    /// Whether each rank takes part.
    pub takes_part: Vec<bool>,
    /// The computation of a rank on the processor that its computations share; none where it has messages.
    pub computation: Option<u64>,
    /// The actors of a rank.
    pub shares: usize,
    /// What a process computes: `computations[stage][process]` \[cycles\].
    pub computations: Vec<Vec<u64>>,
    /// The messages, their stages counted in the step.
    pub messages: Vec<SizedMessage>,
}

/// A job placed on a machine.
#[derive(Clone, Debug)]
pub struct ReferenceJob {
    /// The machine with the nodes of the processes `c P + r`; it has no operations of its own.
    pub machine: TaskProblem,
    /// `P`.
    pub ranks: usize,
    /// How often the steps come.
    pub iterations: usize,
    /// The steps.
    pub steps: Vec<ReferenceStep>,
}

/// What a job came to.
#[derive(Clone, Debug)]
pub struct JobOutcome {
    /// Begin and finish, by iteration, step and rank.
    pub steps: Vec<Vec<Vec<(u64, u64)>>>,
    /// The latest finish.
    pub makespan: u64,
    /// The sum over ranks of their finish less their computations.
    pub exposed: u64,
    /// The most packets left in the queue of a channel at the end of a cycle.
    pub longest_queue: u64,
    /// Links crossed by packets.
    pub hops: u64,
}

/// The operations of a rank in a step: those that say when it begins and is over.
#[derive(Clone, Copy, Debug)]
struct Ends {
    ready: usize,
    over: usize,
    computation: Option<usize>,
}

/// Runs a job (section 23).
///
/// # Errors
///
/// When it does not come to its end.
pub fn run_job(job: &ReferenceJob) -> Result<JobOutcome, Stuck> {
    let mut lowering = Lowering { job, operations: Vec::new() };
    let mut ends: Vec<Vec<Vec<Ends>>> = Vec::new();
    let mut stage = 0;
    for _ in 0..job.iterations {
        let mut of_iteration: Vec<Vec<Ends>> = Vec::new();
        for step in &job.steps {
            let before = |rank: usize| -> Vec<usize> {
                if step.after.is_empty() {
                    return ends.last().into_iter().flatten().map(|step| step[rank].over).collect();
                }
                step.after.iter().map(|&before: &usize| of_iteration[before][rank].over).collect()
            };
            let of_step = lowering.step(step, stage, (0..job.ranks).map(before).collect());
            of_iteration.push(of_step);
            stage += if step.computation.is_some() { 1 } else { step.computations.len() };
        }
        ends.push(of_iteration);
    }
    let operations = lowering.operations;
    let outcome = run_operations(&TaskProblem { operations: operations.clone(), ..job.machine.clone() })?;
    let times = |own: &Ends| {
        let over = outcome.over[own.over];
        let begin = match own.computation.map(|own| operations[own].task) {
            Some(Task::Calc(cycles)) => over - cycles,
            _ => outcome.over[own.ready],
        };
        (begin, over)
    };
    let steps: Vec<Vec<Vec<(u64, u64)>>> = ends
        .iter()
        .map(|steps| steps.iter().map(|ranks| ranks.iter().map(times).collect()).collect())
        .collect();
    let finish = |rank: usize| steps.iter().flatten().map(|ranks| ranks[rank].1).max().unwrap_or(0);
    let computed = |rank: usize| {
        let own = job.steps.iter().filter(|step| step.takes_part[rank]).filter_map(|step| step.computation);
        own.sum::<u64>() * job.iterations as u64
    };
    Ok(JobOutcome {
        makespan: (0..job.ranks).map(finish).max().unwrap_or(0),
        exposed: (0..job.ranks).map(|rank| finish(rank) - computed(rank)).sum(),
        longest_queue: outcome.longest_queue,
        hops: outcome.hops,
        steps,
    })
}

/// The operations that another one comes after: those that must be over, and those that must have begun.
#[derive(Clone, Default)]
struct After {
    over: Vec<usize>,
    begun: Vec<usize>,
}

impl After {
    fn over(over: Vec<usize>) -> Self {
        Self { over, begun: Vec::new() }
    }
}

struct Lowering<'job> {
    job: &'job ReferenceJob,
    operations: Vec<TaskOperation>,
}

impl Lowering<'_> {
    fn add(&mut self, process: usize, processor: usize, task: Task, after: After) -> usize {
        let After { over: requires, begun: irequires } = after;
        self.operations.push(TaskOperation { process, processor, task, requires, irequires });
        self.operations.len() - 1
    }

    /// Adds a step, whose first stage has this number, after these operations of each rank.
    fn step(&mut self, step: &ReferenceStep, first: usize, before: Vec<Vec<usize>>) -> Vec<Ends> {
        let ranks = self.job.ranks;
        let mut ends = Vec::new();
        for (rank, before) in before.into_iter().enumerate() {
            let ready = self.add(rank, 0, Task::Calc(0), After::over(before));
            let (mut last, mut computation) = (After::over(vec![ready]), None);
            if step.takes_part[rank] {
                if let Some(cycles) = step.computation {
                    // Processor 0 of share 0 is the one that the computations of the rank share.
                    last = After::over(vec![self.add(rank, 0, Task::Calc(cycles), last)]);
                    computation = last.over.first().copied();
                } else {
                    last = After::default();
                    for share in 0..step.shares {
                        let own = self.actor(step, first, share * ranks + rank, ready);
                        last.over.extend(own.over);
                        last.begun.extend(own.begun);
                    }
                }
            }
            let over = self.add(rank, 0, Task::Calc(0), last);
            ends.push(Ends { ready, over, computation });
        }
        ends
    }

    /// Adds an actor; returns what it has ended with. Its sends and receives take its processor in the order of their keys,
    /// if they cost anything; a stage then lasts until they have had it.
    fn actor(&mut self, step: &ReferenceStep, first: usize, process: usize, ready: usize) -> After {
        let mut required = After::over(vec![ready]);
        for (stage, computations) in step.computations.iter().enumerate() {
            // The actor has a processor of its own: one for each first stage, as no other has it.
            let own = self.add(process, first + 1, Task::Calc(computations[process]), required);
            let tag = u32::try_from(first + stage).expect("few stages");
            required = After::over(vec![own]);
            let takes_part = |process: usize| step.takes_part[process % self.job.ranks];
            let mut of_stage: Vec<SizedMessage> =
                step.messages.iter().copied().filter(|own| own.stage == stage).collect();
            of_stage.sort_unstable_by_key(|own| (own.source != process, own.source, own.destination));
            for SizedMessage { source, destination, units, .. } in of_stage {
                let after = After::over(vec![own]);
                if source == process && takes_part(destination) {
                    let send =
                        self.add(process, first + 1, Task::Send { to: destination, tag, units }, after);
                    if self.job.machine.message_cost > 0 {
                        required.begun.push(send);
                    }
                } else if destination == process && takes_part(source) {
                    let receive = self.add(process, first + 1, Task::Receive { from: source, tag }, after);
                    required.over.push(receive);
                }
            }
        }
        required
    }
}
