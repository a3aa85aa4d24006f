//! Traces as a task graph: every operation of a trace becomes operations of a schedule, and a collective becomes the
//! operations of its algorithm (`docs/model.md` section 23.4).
//!
//! At each member a collective starts and ends with a calculation of zero length; between them are the operations of
//! its stages. Tags number the stages of all activities, in the order of the activities.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use cubefold_collectives::{
    Algorithm, Collective, CollectiveError, CollectiveSpecification, Operation as CollectiveOperation,
};
use cubefold_formats::input::Ratio;
use cubefold_mapping::ProcessId;
use cubefold_simulator::{
    Operation, OperationKind, Requirement, StuckReason, StuckTasks, TaskGraph, TaskSchedule,
    TaskScheduleBuilder, TaskScheduleError, task_schedule,
};
use cubefold_topology::{Shape, narrow};

use super::{
    trace_reader::Work,
    trace_set::{ActivityKind, NodePlace, TraceSet},
};
use crate::{
    PhysicalScale, ScenarioError,
    budget::{Budget, OverBudget},
    collective::algorithms_for,
    placement_file::Failure,
};

/// Memory per operation while the schedule is made \[bytes\].
const BYTES_AN_OPERATION: u64 = 72;
/// The most operations that one error names.
const MAX_NAMED: usize = 8;

/// The choices that turn traces into a program.
pub(super) struct Choices {
    /// Whether control dependencies count.
    pub(super) has_control: bool,
    /// Whether device operations of one stream start in order.
    pub(super) has_streams: bool,
    /// The algorithm of each kind of collective.
    pub(super) algorithms: BTreeMap<CollectiveOperation, Algorithm>,
}

/// A set of traces that becomes a program.
pub(super) struct Lowering<'a> {
    pub(super) set: &'a Arc<TraceSet>,
    pub(super) choices: Choices,
    /// The bytes of a unit, if units have bytes; else a byte is a unit.
    pub(super) scale: Option<PhysicalScale>,
    pub(super) budget: &'a Budget,
    /// The path pattern of the traces, for errors.
    pub(super) pattern: &'a Path,
}

/// A collective without an algorithm, or one that its algorithm does not support.
pub(super) enum LoweringError {
    /// No algorithm is given for the kind of this collective.
    NoAlgorithm(CollectiveOperation, NodePlace),
    /// The algorithm does not support this.
    Misfit(CollectiveOperation, CollectiveError, NodePlace),
    Traces(Failure),
}

/// The traces that a task graph is made of, with the first operation of the graph for each operation of a trace.
#[derive(Debug)]
pub struct TraceProgram {
    pub(super) set: Arc<TraceSet>,
    pub(super) firsts: Vec<Vec<u32>>, // by rank and place: the first operation of the schedule
}

/// The operations of each member of a collective, for all collectives with one [`TemplateKey`].
struct Template {
    members: Vec<Vec<TemplateOperation>>,
    tags: u64,
}

struct TemplateOperation {
    operation: Operation, // of members, with tags from 0
    required: Vec<u32>,   // places among the member's operations
    is_last: bool,        // whether the member's part ends with it (and with others)
}

type TemplateKey = (CollectiveOperation, u32, u64); // the members and the units of the vector

impl Lowering<'_> {
    /// Makes the schedule, with times in nanoseconds and sizes in bytes.
    pub(super) fn schedule(&self) -> Result<(TaskSchedule, TraceProgram), LoweringError> {
        let templates = self.templates()?;
        let tags = self.tags(&templates)?;
        let mut parts: Vec<Vec<(usize, usize)>> =
            self.set.traces.iter().map(|trace| vec![(usize::MAX, 0); trace.nodes.len()]).collect();
        for (number, activity) in self.set.activities.iter().enumerate() {
            match &activity.kind {
                ActivityKind::Pair { send, receive, .. } => {
                    for (end, part) in [send, receive].into_iter().enumerate() {
                        parts[part.0 as usize][part.1 as usize] = (number, end);
                    }
                }
                ActivityKind::Collective { group, places, .. } => {
                    let members = &self.set.groups.all[*group].1;
                    for (member, (rank, place)) in members.iter().zip(places).enumerate() {
                        parts[*rank as usize][*place as usize] = (number, member);
                    }
                }
            }
        }
        let mut builder = TaskScheduleBuilder::new(narrow(self.set.traces.len() as u64));
        let (mut firsts, mut lasts) = (vec![], vec![]);
        for (rank, of_rank) in (0..).zip(&parts) {
            let (mut own_firsts, mut own_lasts) = (vec![], vec![]);
            for (place, &part) in (0..).zip(of_rank) {
                own_firsts.push(narrow(builder.len() as u64));
                own_lasts.push(self.add_node(&mut builder, (rank, place), part, &templates, &tags));
            }
            firsts.push(own_firsts);
            lasts.push(own_lasts);
        }
        self.add_requirements(&mut builder, &firsts, &lasts);
        let program = TraceProgram { set: Arc::clone(self.set), firsts };
        match builder.finish() {
            Ok(schedule) => {
                let kept = schedule.bytes();
                self.budget.give_back(
                    (schedule.operations().len() as u64 * BYTES_AN_OPERATION).saturating_sub(kept),
                );
                Ok((schedule, program))
            }
            Err(error) => Err(LoweringError::Traces(self.wrong(&program, &error))),
        }
    }

    /// The error for an invalid schedule.
    fn wrong(&self, program: &TraceProgram, error: &TaskScheduleError) -> Failure {
        // Only the first of several cycles is named, since ranks of one job often have the same one.
        let first = match error {
            TaskScheduleError::Several(all) => {
                all.iter().find(|one| matches!(one, TaskScheduleError::Cycle { .. }))
            }
            _ => Some(error),
        };
        let Some(TaskScheduleError::Cycle { operations }) = first else {
            return Failure::of_file(self.pattern, error.to_string());
        };
        let nodes = program.nodes_of(operations);
        let rank = nodes.first().map_or(0, |node| node.0);
        let shown: Vec<String> =
            nodes.iter().take(MAX_NAMED).map(|node| self.set.node(*node).described()).collect();
        let more = if nodes.len() > MAX_NAMED { ", .." } else { "" };
        let message = format!(
            "rank {rank}: {} operations wait for each other in a circle, expected an order: {}{more}, each for the one before it, the first for the last",
            nodes.len(),
            shown.join(", ")
        );
        let message = match &shown[..] {
            [only] => format!("rank {rank}: {only} waits for itself, expected an order"),
            _ => message,
        };
        let help = if self.choices.has_control {
            "traces of PyTorch have circles of control dependencies: give dependencies = \"data\""
        } else {
            ""
        };
        ScenarioError::of_file(&self.set.paths[rank as usize], message).with_help(help).into()
    }

    /// The templates of all different collectives.
    fn templates(&self) -> Result<BTreeMap<TemplateKey, Template>, LoweringError> {
        let mut templates = BTreeMap::new();
        for activity in &self.set.activities {
            let ActivityKind::Collective { group, places, .. } = &activity.kind else { continue };
            let Some(key) = self.template_key(&activity.kind) else { continue };
            if templates.contains_key(&key) {
                continue;
            }
            let place = (self.set.groups.all[*group].1[0], places[0]);
            let (operation, members, units) = key;
            let algorithm = self.choices.algorithms.get(&operation).copied().or_else(|| only(operation));
            let algorithm = algorithm.ok_or(LoweringError::NoAlgorithm(operation, place))?;
            let traces = |message: String| LoweringError::Traces(Failure::of_file(self.pattern, message));
            let shape = Shape::new(&[members.into()]).map_err(|error| traces(error.to_string()))?;
            let asked = CollectiveSpecification::new(operation, algorithm, shape, units);
            let misfit = |error| LoweringError::Misfit(operation, error, place);
            let collective = Collective::new(asked).map_err(misfit)?;
            // Roughly a message and its operations per pair of members.
            let most = u64::from(members).saturating_mul(collective.stage_count() as u64);
            let over = self.budget.take_for_a_while(most.saturating_mul(2 * BYTES_AN_OPERATION), 0);
            over.map_err(|over| self.over_budget(over))?;
            let template = template(&collective).map_err(|error| traces(error.to_string()))?;
            templates.insert(key, template);
        }
        Ok(templates)
    }

    fn over_budget(&self, over: OverBudget) -> LoweringError {
        LoweringError::Traces(over.of_file(self.pattern, "its task graph:").into())
    }

    fn units(&self, bytes: u64) -> u64 {
        self.scale.map_or(bytes, |scale| scale.units(Ratio::from(bytes)).unwrap_or(u64::MAX))
    }

    /// The kind, members and units of a collective with messages.
    fn template_key(&self, kind: &ActivityKind) -> Option<TemplateKey> {
        let ActivityKind::Collective { operation, bytes, places, .. } = kind else { return None };
        let members = places.len() as u64;
        let parts = match operation {
            CollectiveOperation::AllGather | CollectiveOperation::Gather => members,
            _ => 1,
        };
        let has_messages = members > 1 && (*bytes > 0 || *operation == CollectiveOperation::Barrier);
        let bytes = if *operation == CollectiveOperation::Barrier { 0 } else { bytes.saturating_mul(parts) };
        has_messages.then(|| (*operation, narrow(members), self.units(bytes)))
    }

    /// The first tag of each activity; takes the memory of all operations.
    fn tags(&self, templates: &BTreeMap<TemplateKey, Template>) -> Result<Vec<u32>, LoweringError> {
        let (mut next, mut tags) = (0_u64, vec![]);
        let mut operations: u64 = self.set.traces.iter().map(|trace| 2 * trace.nodes.len() as u64).sum();
        for activity in &self.set.activities {
            tags.push(narrow(next.min(u32::MAX.into())));
            let template = self.template_key(&activity.kind).and_then(|key| templates.get(&key));
            next += match (&activity.kind, template) {
                (ActivityKind::Pair { .. }, _) => 1,
                (ActivityKind::Collective { .. }, Some(template)) => template.tags,
                (ActivityKind::Collective { .. }, None) => 0,
            };
            let count = template.map_or(0, |template| template.members.iter().map(Vec::len).sum::<usize>());
            operations = operations.saturating_add(count as u64);
        }
        let over = self.budget.take(operations.saturating_mul(BYTES_AN_OPERATION));
        over.map_err(|over| self.over_budget(over))?;
        for (what, found, limit) in [
            ("operations with those of all stages", operations, cubefold_simulator::MAX_OPERATIONS as u64),
            ("messages and stages of collectives", next, u32::MAX.into()),
        ] {
            if found > limit {
                let message = format!("{found} {what}, expected at most {limit}");
                return Err(LoweringError::Traces(Failure::of_file(self.pattern, message)));
            }
        }
        Ok(tags)
    }

    /// Adds the operations for one operation of a trace; returns the last of them.
    fn add_node(
        &self,
        builder: &mut TaskScheduleBuilder,
        (rank, place): NodePlace,
        (activity, part): (usize, usize),
        templates: &BTreeMap<TemplateKey, Template>,
        tags: &[u32],
    ) -> u32 {
        let (process, node) = (ProcessId::new(rank), self.set.node((rank, place)));
        let calculation = |amount: u64| Operation {
            amount,
            process,
            peer: process,
            tag: 0,
            processor: u16::from(node.is_cpu),
            kind: OperationKind::Calc,
            is_awaited: true,
        };
        let kind = match (&node.work, self.set.activities.get(activity)) {
            (Work::Compute(time), _) => return builder.add(calculation(*time)),
            (Work::Nothing, _) | (_, None) => return builder.add(calculation(0)),
            (_, Some(activity)) => &activity.kind,
        };
        match kind {
            ActivityKind::Pair { send, receive, bytes } => {
                let (peer, kind) = match part {
                    0 => (receive.0, OperationKind::Send),
                    _ => (send.0, OperationKind::Receive),
                };
                let (peer, tag) = (ProcessId::new(peer), tags[activity]);
                builder.add(Operation { amount: *bytes, kind, peer, tag, processor: 0, ..calculation(0) })
            }
            ActivityKind::Collective { group, .. } => {
                let start = builder.add(calculation(0));
                let template = self.template_key(kind).and_then(|key| templates.get(&key));
                let Some(template) = template else { return start };
                let members = &self.set.groups.all[*group].1;
                let last = self.add_share(builder, start, &template.members[part], members, tags[activity]);
                let end = builder.add(calculation(0));
                last.into_iter().for_each(|operation| builder.require(end, operation, Requirement::Over));
                end
            }
        }
    }

    /// Adds the operations of a member of a collective after `start`; returns the last ones.
    fn add_share(
        &self,
        builder: &mut TaskScheduleBuilder,
        start: u32,
        operations: &[TemplateOperation],
        members: &[u32],
        first_tag: u32,
    ) -> Vec<u32> {
        let unit_bytes = self.scale.map_or(1, |scale| scale.unit_bytes());
        let first = narrow(builder.len() as u64);
        let process_of = |member: ProcessId| ProcessId::new(members[member.label() as usize]);
        let mut last = vec![];
        for (number, TemplateOperation { operation, required, is_last }) in (first..).zip(operations) {
            builder.add(Operation {
                amount: match operation.kind {
                    OperationKind::Calc => operation.amount,
                    OperationKind::Send | OperationKind::Receive => {
                        operation.amount.saturating_mul(unit_bytes)
                    }
                },
                process: process_of(operation.process),
                peer: process_of(operation.peer),
                tag: first_tag + operation.tag,
                ..*operation
            });
            required.iter().for_each(|before| builder.require(number, first + before, Requirement::Over));
            if required.is_empty() {
                builder.require(number, start, Requirement::Over);
            }
            last.extend(is_last.then_some(number));
        }
        if last.is_empty() { vec![start] } else { last }
    }

    /// Adds the requirements of the operations of traces.
    fn add_requirements(&self, builder: &mut TaskScheduleBuilder, firsts: &[Vec<u32>], lasts: &[Vec<u32>]) {
        for (rank, trace) in self.set.traces.iter().enumerate() {
            let mut latest: BTreeMap<i128, u32> = BTreeMap::new(); // by stream: the first operation
            for (place, node) in trace.nodes.iter().enumerate() {
                let first = firsts[rank][place];
                let control = if self.choices.has_control { &node.control[..] } else { &[] };
                for &required in node.data.iter().chain(control) {
                    builder.require(first, lasts[rank][required as usize], Requirement::Over);
                }
                if let Some(stream) = node.stream.filter(|_| self.choices.has_streams && !node.is_cpu)
                    && let Some(before) = latest.insert(stream, first)
                {
                    builder.require(first, before, Requirement::Begun);
                }
            }
        }
    }
}

/// The algorithm of an operation that has only one.
fn only(operation: CollectiveOperation) -> Option<Algorithm> {
    match algorithms_for(operation)[..] {
        [(_, only)] => Some(only),
        _ => None,
    }
}

/// The operations of the members of a collective.
fn template(collective: &Collective) -> Result<Template, TaskScheduleError> {
    let schedule = task_schedule(collective)?;
    let requirements = schedule.requirements();
    let (ranks, shares) = (collective.rank_count(), collective.share_count());
    let member = |process: ProcessId| collective.rank(process);
    let mut members: Vec<Vec<TemplateOperation>> = (0..ranks).map(|_| vec![]).collect();
    let mut places: Vec<u32> = vec![]; // by operation: its place among its member's
    // Whether an operation other than a send waits for it.
    let mut has_later = vec![false; schedule.operations().len()];
    for (operation, required) in schedule.operations().iter().zip(&requirements) {
        if operation.kind != OperationKind::Send {
            required.iter().for_each(|before| has_later[before.0 as usize] = true);
        }
        let member = member(operation.process) as usize;
        places.push(narrow(members[member].len() as u64));
        members[member].push(TemplateOperation {
            operation: Operation {
                process: ProcessId::new(narrow(member as u64)),
                peer: ProcessId::new(collective.rank(operation.peer)),
                tag: operation.tag * shares + collective.share(operation.process),
                is_awaited: operation.kind != OperationKind::Send,
                ..*operation
            },
            required: required.iter().map(|before| places[before.0 as usize]).collect(),
            is_last: false,
        });
    }
    for (number, operation) in schedule.operations().iter().enumerate() {
        let is_last = operation.kind != OperationKind::Send && !has_later[number];
        members[member(operation.process) as usize][places[number] as usize].is_last = is_last;
    }
    Ok(Template { members, tags: collective.stage_count() as u64 * u64::from(shares) })
}

impl TraceProgram {
    /// The cycles that the devices of all ranks compute.
    #[must_use]
    pub fn device_computations(&self, graph: &TaskGraph) -> u128 {
        let mut sum = 0;
        for (trace, firsts) in self.set.traces.iter().zip(&self.firsts) {
            for (node, first) in trace.nodes.iter().zip(firsts) {
                if matches!(node.work, Work::Compute(_)) && !node.is_cpu {
                    sum += u128::from(graph.cycles(*first).get());
                }
            }
        }
        sum
    }

    /// The operation of a trace to which an operation of the schedule belongs.
    fn node_of(&self, operation: u32) -> NodePlace {
        let begun = |firsts: &Vec<u32>| firsts.first().is_none_or(|first| *first <= operation);
        let rank = self.firsts.partition_point(begun).saturating_sub(1);
        // Ranks without operations have the same start as the next one.
        let rank = (0..=rank).rev().find(|rank| !self.firsts[*rank].is_empty()).unwrap_or(0);
        let place = self.firsts[rank].partition_point(|first| *first <= operation).saturating_sub(1);
        (narrow(rank as u64), narrow(place as u64))
    }

    /// The operations of the traces to which these belong, in their order, without repeats in a row; the first of a circle is
    /// not repeated at its end.
    fn nodes_of(&self, operations: &[u32]) -> Vec<NodePlace> {
        let mut nodes: Vec<NodePlace> = operations.iter().map(|operation| self.node_of(*operation)).collect();
        nodes.dedup();
        if nodes.len() > 1 && nodes.first() == nodes.last() {
            nodes.pop();
        }
        nodes
    }

    /// Explains, with the operations of the traces, why a run is stuck in which messages are eager or not.
    #[must_use]
    pub fn describe_stuck(&self, stuck: &StuckTasks, is_eager: bool) -> String {
        let nodes = self.nodes_of(&stuck.operations);
        let shown: Vec<String> = nodes
            .iter()
            .take(MAX_NAMED)
            .map(|node| {
                let path = self.set.paths[node.0 as usize].display();
                format!("rank {}: {} ({path})", node.0, self.set.node(*node).described())
            })
            .collect();
        let reason = match stuck.reason {
            StuckReason::Cycle if is_eager => "operations wait for one another",
            StuckReason::Cycle => {
                "operations wait for one another (sends by rendezvous wait, execution.eager_units = \"all\" do not)"
            }
            StuckReason::ReceiveWithoutSend => "a receive without a send",
            StuckReason::SendWithoutReceive => "a send without a receive",
        };
        let more = match nodes.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        format!("{reason}: {}{more}", shown.join("; "))
    }
}
