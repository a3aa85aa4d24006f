//! Collectives that switches combine on the way: the model's section 16, by a task graph that says the same.
//!
//! The tree of every chunk is grown vertex by vertex. A send of a rank is a calculation and an eager message over the
//! cables of its branch; a switch is a process that receives, combines by a calculation and sends on.

use std::collections::{BTreeMap, BTreeSet};

use super::grid::Channel;
use super::task_graph::{Task, TaskOperation, TaskProblem, run_operations};
use super::wires::{Destinations, Wires};

/// What switches do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchOperation {
    /// Every rank gets the sum.
    AllReduce,
    /// Every rank gets its block of the sum.
    ReduceScatter,
    /// Every rank gets all blocks.
    AllGather,
}

/// The cables of a cluster over which messages climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// All; the machine is no cluster.
    Whole,
    /// Those to the switches inside nodes.
    Inside,
    /// The others.
    Outside,
}

/// A collective of groups of ranks.
#[derive(Clone, Debug)]
pub struct SwitchStep {
    /// The operation.
    pub operation: SwitchOperation,
    /// The side.
    pub side: Side,
    /// The ranks of each group.
    pub groups: Vec<Vec<usize>>,
    /// The sizes of the chunks \[units\].
    pub chunks: Vec<u64>,
    /// What a rank computes before each chunk \[cycles\].
    pub compute: u64,
    /// The units that a switch combines in a cycle; none if that takes no time.
    pub units_per_cycle: Option<u64>,
    /// Whether it comes after the step before, or else beside it.
    pub is_after: bool,
}

/// Collectives on a machine.
#[derive(Clone, Debug)]
pub struct SwitchProblem {
    /// The machine with the nodes of the ranks; it has no operations of its own.
    pub machine: TaskProblem,
    /// What the levels of the machine depend on.
    pub destinations: Destinations,
    /// The first NIC that is a vertex, and their number.
    pub nics: (u64, u64),
    /// The collectives.
    pub steps: Vec<SwitchStep>,
}

/// The times of collectives.
#[derive(Clone, Debug)]
pub struct SwitchOutcome {
    /// Begin and finish, by step and rank.
    pub steps: Vec<Vec<(u64, u64)>>,
    /// The most packets left in the queue of a channel at the end of a cycle.
    pub longest_queue: u64,
    /// Links crossed by packets.
    pub hops: u64,
}

/// Runs collectives one after another or side by side; none where the ranks of a group never meet.
///
/// # Panics
///
/// Where the machine is a grid, or a law of the model is broken, a fault of this module.
pub fn run_in_switches(problem: &SwitchProblem) -> Option<SwitchOutcome> {
    let ranks = problem.machine.nodes.len();
    let mut lowering = Lowering::new(problem);
    let mut ends: Vec<Vec<Ends>> = Vec::new();
    for (number, step) in problem.steps.iter().enumerate() {
        let before = ends.last().filter(|_| step.is_after);
        let before = |rank: usize| before.map_or_else(Vec::new, |ends: &Vec<Ends>| ends[rank].last.clone());
        let of_step = lowering.step(number, step, (0..ranks).map(before).collect())?;
        ends.push(of_step);
    }
    let vertices = u64::try_from(lowering.wires.neighbours.len()).expect("few vertices");
    let nodes = problem.machine.nodes.iter().copied();
    let nodes: Vec<u64> = nodes.clone().chain(nodes).chain(0..vertices).collect();
    let Lowering { operations, lists, numbers_of_tags, .. } = lowering;
    let graph = TaskProblem {
        operations,
        lists,
        numbers_of_tags,
        nodes,
        eager_units: u64::MAX,
        message_cost: 0, // ranks have theirs as calculations, switches none
        ..problem.machine.clone()
    };
    let outcome = run_operations(&graph).expect("every message has a receive");
    let times = |own: &Ends| {
        let finish = own.last.iter().map(|&operation| outcome.over[operation]).max();
        (outcome.over[own.ready], finish.expect("it is ready at the least"))
    };
    let steps = ends.iter().map(|ranks| ranks.iter().map(times).collect()).collect();
    Some(SwitchOutcome { steps, longest_queue: outcome.longest_queue, hops: outcome.hops })
}

/// The operations of a rank in a step: the one at which it begins, and those that end it.
#[derive(Clone, Debug)]
struct Ends {
    ready: usize,
    last: Vec<usize>,
}

/// A message between a child, a process, and its parent, a switch.
#[derive(Clone, Debug)]
struct Edge {
    child: usize,
    parent: u64,
    below: u64, // units of the blocks of the ranks below
    up: Vec<Channel>,
}

struct Lowering<'problem> {
    problem: &'problem SwitchProblem,
    wires: &'problem Wires,
    levels: Vec<u64>,
    operations: Vec<TaskOperation>,
    lists: BTreeMap<usize, Vec<Channel>>,
    numbers_of_tags: Vec<u32>, // one tag for each chunk of each group
    first_stage: u32,
}

impl<'problem> Lowering<'problem> {
    fn new(problem: &'problem SwitchProblem) -> Self {
        let wires = problem.machine.wires.as_ref().expect("a network");
        Self {
            problem,
            wires,
            levels: wires.levels(problem.destinations.hosts),
            operations: Vec::new(),
            lists: BTreeMap::new(),
            numbers_of_tags: Vec::new(),
            first_stage: 0,
        }
    }

    fn add(&mut self, process: usize, processor: usize, task: Task, requires: Vec<usize>) -> usize {
        self.operations.push(TaskOperation { process, processor, task, requires, irequires: Vec::new() });
        self.operations.len() - 1
    }

    fn ranks(&self) -> usize {
        self.problem.machine.nodes.len()
    }

    /// The process of a vertex.
    fn process(&self, vertex: u64) -> usize {
        2 * self.ranks() + usize::try_from(vertex).expect("few vertices")
    }

    /// Adds a step, which each rank begins after these operations.
    fn step(&mut self, number: usize, step: &SwitchStep, before: Vec<Vec<usize>>) -> Option<Vec<Ends>> {
        let mut ends = Vec::new();
        for (rank, before) in before.into_iter().enumerate() {
            let ready = self.add(rank, number + 1, Task::Calc(0), before);
            ends.push(Ends { ready, last: vec![ready] });
        }
        let mut last: Vec<[usize; 2]> = ends.iter().map(|own| [own.ready; 2]).collect(); // of both shares
        let mut groups = step.groups.clone();
        groups.sort_by_key(|group| group.iter().copied().min());
        for (chunk, &units) in step.chunks.iter().enumerate() {
            for group in &groups {
                let edges = self.tree(step.side, group, chunk, units)?;
                let tag = u32::try_from(self.numbers_of_tags.len()).expect("few tags");
                self.numbers_of_tags.push(self.first_stage + u32::try_from(chunk).expect("few chunks"));
                self.chunk(number, step, (units, tag), &edges, &mut last);
            }
        }
        self.first_stage += u32::try_from(step.chunks.len()).expect("few chunks");
        for (own, last) in ends.iter_mut().zip(last) {
            own.last.extend(last);
        }
        Some(ends)
    }

    /// The edges of the tree of a chunk, children before their parents; none where the ranks never meet.
    fn tree(&self, side: Side, group: &[usize], chunk: usize, units: u64) -> Option<Vec<Edge>> {
        let (chunk, count) = (chunk as u64, group.len() as u64);
        let mut edges = Vec::new();
        let mut at: BTreeMap<u64, Vec<(usize, u64, Vec<Channel>)>> = BTreeMap::new();
        for (place, &rank) in (0..count).zip(group) {
            let block = (place + 1) * units / count - place * units / count;
            at.entry(self.problem.machine.nodes[rank]).or_default().push((rank, block, Vec::new()));
        }
        loop {
            let is_root = at.len() == 1 && at.keys().all(|&vertex| self.is_switch(vertex));
            let mut above: BTreeMap<u64, Vec<(usize, u64, Vec<Channel>)>> = BTreeMap::new();
            for (vertex, mut branches) in at {
                if self.is_switch(vertex) {
                    let all = branches.iter().map(|own| own.1).sum();
                    for (child, below, up) in branches {
                        edges.push(Edge { child, parent: vertex, below, up });
                    }
                    branches = vec![(self.process(vertex), all, Vec::new())];
                }
                if is_root {
                    return Some(edges);
                }
                let (next, channel) = self.climb(side, vertex, chunk)?;
                for (_, _, up) in &mut branches {
                    up.push(channel);
                }
                above.entry(next).or_default().append(&mut branches);
            }
            at = above;
        }
    }

    fn is_switch(&self, vertex: u64) -> bool {
        let (first, count) = self.problem.nics;
        vertex >= self.problem.destinations.hosts && !(first..first + count).contains(&vertex)
    }

    /// The next vertex above, and the channel to it.
    fn climb(&self, side: Side, vertex: u64, chunk: u64) -> Option<(u64, Channel)> {
        let level = |vertex: u64| self.levels[usize::try_from(vertex).expect("few vertices")];
        let (first, count) = self.problem.destinations.cluster.map_or((0, 0), |own| own.inside);
        let neighbours = &self.wires.neighbours[usize::try_from(vertex).expect("few vertices")];
        let mut cables: Vec<(u64, u64)> = Vec::new();
        for next in neighbours.iter().copied().collect::<BTreeSet<u64>>() {
            let is_on_side = match side {
                Side::Whole => true,
                Side::Inside => (first..first + count).contains(&next),
                Side::Outside => !(first..first + count).contains(&next),
            };
            if is_on_side && level(next) == level(vertex) + 1 {
                let links = neighbours.iter().filter(|&&other| other == next).count() as u64;
                cables.extend((0..links).map(|number| (number, next)));
            }
        }
        cables.sort_unstable();
        let width = |level| self.wires.width(level, &self.levels, &self.problem.destinations);
        let below: u64 = (0..level(vertex)).map(width).product();
        let place = (chunk / below).checked_rem(cables.len() as u64)?;
        let (number, next) = cables[usize::try_from(place).expect("few cables")];
        Some((next, self.wires.channel(vertex, next, number)))
    }

    /// Adds the messages of a chunk over the edges of its tree.
    fn chunk(
        &mut self,
        number: usize,
        step: &SwitchStep,
        (units, tag): (u64, u32),
        edges: &[Edge],
        last: &mut [[usize; 2]],
    ) {
        let (ranks, cost) = (self.ranks(), self.problem.machine.message_cost);
        let sizes = |edge: &Edge| match step.operation {
            SwitchOperation::AllReduce => [units, units],
            SwitchOperation::ReduceScatter => [units, edge.below],
            SwitchOperation::AllGather => [edge.below, units],
        };
        let mut awaited: BTreeMap<u64, (Vec<usize>, u64)> = BTreeMap::new(); // by switch: receives, and their units
        let mut combined: BTreeMap<u64, usize> = BTreeMap::new();
        for edge in edges {
            let [up, _] = sizes(edge);
            let after = if edge.child < ranks {
                let rank = edge.child;
                let mut own = self.add(rank, number + 1, Task::Calc(step.compute), vec![last[rank][0]]);
                if cost > 0 && up > 0 {
                    own = self.add(rank, number + 1, Task::Calc(cost), vec![own]);
                }
                last[rank][0] = own;
                Some(own)
            } else {
                // All edges to the child come before.
                self.combine(step, (edge.child - 2 * ranks) as u64, &awaited, &mut combined)
            };
            if let Some(after) = after.filter(|_| up > 0) {
                let parent = self.process(edge.parent);
                let send = self.add(edge.child, 0, Task::Send { to: parent, tag, units: up }, vec![after]);
                self.lists.insert(send, edge.up.clone());
                let receive = self.add(parent, 0, Task::Receive { from: edge.child, tag }, Vec::new());
                let own = awaited.entry(edge.parent).or_default();
                own.0.push(receive);
                own.1 += up;
            }
        }
        let Some(root) = edges.last().map(|edge| edge.parent) else { return };
        let Some(sum) = self.combine(step, root, &awaited, &mut combined) else { return };
        let mut there: BTreeMap<u64, usize> = BTreeMap::from([(root, sum)]);
        for edge in edges.iter().rev() {
            let [_, down] = sizes(edge);
            let Some(&after) = there.get(&edge.parent).filter(|_| down > 0) else { continue };
            let parent = self.process(edge.parent);
            let child = if edge.child < ranks { ranks + edge.child } else { edge.child };
            let send = self.add(parent, 0, Task::Send { to: child, tag, units: down }, vec![after]);
            let back = edge.up.iter().rev().map(|&channel| self.wires.opposite(channel)).collect();
            self.lists.insert(send, back);
            let mut receive = self.add(child, 0, Task::Receive { from: parent, tag }, Vec::new());
            if edge.child < ranks {
                let share = &mut last[edge.child][1];
                if cost > 0 {
                    let task = Task::Calc(cost);
                    receive = self.add(child, number + 1, task, vec![receive, *share]);
                } else {
                    receive = self.add(child, number + 1, Task::Calc(0), vec![receive, *share]);
                }
                *share = receive;
            } else {
                there.insert((edge.child - 2 * ranks) as u64, receive);
            }
        }
    }

    /// The operation in which a switch combines what its children send; none if they send nothing.
    fn combine(
        &mut self,
        step: &SwitchStep,
        vertex: u64,
        awaited: &BTreeMap<u64, (Vec<usize>, u64)>,
        combined: &mut BTreeMap<u64, usize>,
    ) -> Option<usize> {
        if let Some(&known) = combined.get(&vertex) {
            return Some(known);
        }
        let (receives, units) = awaited.get(&vertex)?;
        let rate = step.units_per_cycle.filter(|_| step.operation != SwitchOperation::AllGather);
        let cycles = rate.map_or(0, |rate| units.div_ceil(rate));
        let own = self.add(self.process(vertex), 0, Task::Calc(cycles), receives.clone());
        combined.insert(vertex, own);
        Some(own)
    }
}
