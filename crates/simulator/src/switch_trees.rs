//! The trees on which switches combine the chunks of a collective (`docs/model.md` section 16): the hosts of a group climb
//! together, a level at a time, until all are at one switch.
//!
//! Invariant: every vertex of a tree except the root has one edge to its parent; NICs are not vertices, but lie on edges.

use std::collections::BTreeMap;

use cubefold_topology::{Channel, Machine, Network, NodeId, narrow};

use crate::{Job, StepBody, SwitchReduction, explicit_routes::RoutedPair, program::job::StepStage};

/// Ranks that no reduction in switches can join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SwitchTreeError {
    /// No switch is above all ranks of a group.
    #[error("rank {rank} meets no switch that is above all ranks of its group, expected one")]
    NeverMeet {
        /// The first rank of the group.
        rank: u32,
    },
    /// Two ranks of a group share a host.
    #[error("ranks {ranks:?} of a group share a host, expected one rank on each")]
    SharedHost {
        /// Two of them.
        ranks: [u32; 2],
    },
}

/// The trees of all steps of a job that reduce in switches.
#[derive(Debug)]
pub(crate) struct SwitchTrees<'run> {
    job: &'run Job,
    steps: Vec<Option<StepTrees<'run>>>,
}

#[derive(Debug)]
pub(crate) struct StepTrees<'run> {
    pub(crate) reduction: &'run SwitchReduction,
    first_switch: u32,    // the process of vertex 0, 2 P
    group_of: Box<[u32]>, // by rank
    trees: Vec<Tree>,     // by group, then by chunk
}

/// The tree of a chunk of a group.
#[derive(Debug, Default)]
struct Tree {
    edges: Vec<Edge>,
    switches: BTreeMap<u32, Switch>,
    of_rank: BTreeMap<u32, usize>, // the edge of a rank
}

/// A switch of a tree.
#[derive(Debug, Default)]
struct Switch {
    to_parent: Option<usize>, // an edge; `None` at the root
    to_children: Vec<usize>,
}

/// The edge of a child to its parent.
#[derive(Debug)]
pub(crate) struct Edge {
    child: Child,
    parent: NodeId,
    /// The units that go up, and those that go down; 0 without a message.
    pub(crate) units: [u64; 2],
    up: Vec<Channel>,
    down: Vec<Channel>,
}

/// The lower end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Child {
    Rank(u32),
    Switch(NodeId),
}

/// A message between a switch and another end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SwitchMessage {
    pub(crate) source: u32, // processes
    pub(crate) destination: u32,
    pub(crate) units: u64,
}

/// A group in a step whose tree grows.
struct Growth<'a> {
    network: &'a Network,
    reduction: &'a SwitchReduction,
    chunk: usize,
    tree: Tree,
}

/// An edge that has not reached its parent.
struct Branch {
    child: Child,
    below: u64, // units of the blocks of the ranks below
    up: Vec<Channel>,
    down: Vec<Channel>,
}

impl<'run> SwitchTrees<'run> {
    /// The trees of a job whose ranks are on these nodes; `None` if no step reduces in switches.
    pub(crate) fn new(
        job: &'run Job,
        machine: &Machine,
        node: impl Fn(u32) -> NodeId,
    ) -> Result<Option<Self>, SwitchTreeError> {
        if !job.reduces_in_switches() {
            return Ok(None);
        }
        let of_step = |body: &'run StepBody| match body {
            StepBody::InSwitches(reduction) => {
                StepTrees::new(reduction, job.rank_count(), machine, &node).map(Some)
            }
            StepBody::Computation(_) | StepBody::Messages { .. } => Ok(None),
        };
        let steps = job.steps().iter().map(|step| of_step(&step.body)).collect::<Result<_, _>>()?;
        Ok(Some(Self { job, steps }))
    }

    /// The trees of a step, if it reduces in switches.
    pub(crate) fn of_step(&self, step: u32) -> Option<&StepTrees<'run>> {
        self.steps[step as usize].as_ref()
    }

    /// The route of a message; `None` if it does not go to or from a switch.
    pub(crate) fn route(&self, pair: RoutedPair) -> Option<Vec<Channel>> {
        let StepStage { step, within, .. } = self.job.locate(pair.stage as usize);
        let trees = self.steps[step].as_ref()?;
        trees.route(within, pair.source.label(), pair.destination.label())
    }
}

impl<'run> StepTrees<'run> {
    fn new(
        reduction: &'run SwitchReduction,
        ranks: u64,
        machine: &Machine,
        node: &impl Fn(u32) -> NodeId,
    ) -> Result<Self, SwitchTreeError> {
        let ranks = narrow(ranks);
        let mut group_of = vec![0; ranks as usize];
        let mut trees = vec![];
        for (number, group) in (0_u32..).zip(&reduction.groups) {
            group.iter().for_each(|&rank| group_of[rank as usize] = number);
            check_hosts(group, node)?;
            let never = SwitchTreeError::NeverMeet { rank: group.first().copied().unwrap_or(0) };
            let network = machine.graph().ok_or(never)?;
            for chunk in 0..reduction.chunks.len() {
                let growth = Growth { network, reduction, chunk, tree: Tree::default() };
                trees.push(growth.grow(group, node).ok_or(never)?);
            }
        }
        Ok(Self {
            reduction,
            first_switch: SwitchReduction::SHARES * ranks,
            group_of: group_of.into(),
            trees,
        })
    }

    fn tree(&self, group: u32, chunk: usize) -> &Tree {
        &self.trees[group as usize * self.reduction.chunks.len() + chunk]
    }

    /// The vertex of a process; `None` for a rank.
    pub(crate) fn vertex(&self, process: u32) -> Option<NodeId> {
        process.checked_sub(self.first_switch).map(NodeId::new)
    }

    /// The group of a message with at most one rank as its end; between switches, the sender's group is known.
    pub(crate) fn group_of_rank(&self, rank: u32) -> u32 {
        self.group_of[rank as usize]
    }

    /// The lowest rank of a group.
    pub(crate) fn first_rank(&self, group: u32) -> u32 {
        self.reduction.groups[group as usize].iter().copied().min().unwrap_or(0)
    }

    /// The message that a rank sends, or receives, in a chunk; `None` if it is empty.
    pub(crate) fn of_rank(&self, rank: u32, chunk: usize, is_receiver: bool) -> Option<SwitchMessage> {
        let edge = self.edge_of_rank(rank, chunk)?;
        Some(self.message(edge, is_receiver)).filter(|message| message.units > 0)
    }

    /// The message over an edge.
    fn message(&self, edge: &Edge, is_down: bool) -> SwitchMessage {
        let parent = self.first_switch + edge.parent.index();
        let ranks = self.first_switch / SwitchReduction::SHARES;
        let child = match edge.child {
            Child::Switch(vertex) => self.first_switch + vertex.index(),
            Child::Rank(rank) if is_down => ranks + rank,
            Child::Rank(rank) => rank,
        };
        if is_down {
            SwitchMessage { source: parent, destination: child, units: edge.units[1] }
        } else {
            SwitchMessage { source: child, destination: parent, units: edge.units[0] }
        }
    }

    /// The edge of a rank in a chunk of its group.
    fn edge_of_rank(&self, rank: u32, chunk: usize) -> Option<&Edge> {
        let tree = self.tree(self.group_of_rank(rank), chunk);
        Some(&tree.edges[*tree.of_rank.get(&rank)?])
    }

    /// The edges of a switch to its children in a chunk of a group.
    fn edges_below(&self, vertex: NodeId, group: u32, chunk: usize) -> impl Iterator<Item = &Edge> {
        let tree = self.tree(group, chunk);
        let children = tree.switches.get(&vertex.index()).map_or(&[][..], |switch| &switch.to_children);
        children.iter().map(|&edge| &tree.edges[edge])
    }

    /// The edge of a switch to its parent in a chunk of a group; `None` at the root.
    fn edge_above(&self, vertex: NodeId, group: u32, chunk: usize) -> Option<&Edge> {
        let tree = self.tree(group, chunk);
        Some(&tree.edges[tree.switches.get(&vertex.index())?.to_parent?])
    }

    /// The messages that a switch awaits from its children in a chunk of a group.
    pub(crate) fn awaited(&self, vertex: NodeId, group: u32, chunk: usize) -> usize {
        self.edges_below(vertex, group, chunk).filter(|edge| edge.units[0] > 0).count()
    }

    /// Whether a message to a switch comes from above.
    pub(crate) fn is_from_above(&self, vertex: NodeId, group: u32, chunk: usize, source: u32) -> bool {
        let above = self.edge_above(vertex, group, chunk);
        above.is_some_and(|edge| self.first_switch + edge.parent.index() == source)
    }

    /// The message that a switch sends when it has combined a chunk, unless it is the root.
    pub(crate) fn upwards(&self, vertex: NodeId, group: u32, chunk: usize) -> Option<SwitchMessage> {
        Some(self.message(self.edge_above(vertex, group, chunk)?, false))
    }

    /// The messages that a switch sends to its children.
    pub(crate) fn downwards(
        &self,
        vertex: NodeId,
        group: u32,
        chunk: usize,
    ) -> impl Iterator<Item = SwitchMessage> {
        let messages = self.edges_below(vertex, group, chunk).map(|edge| self.message(edge, true));
        messages.filter(|message| message.units > 0)
    }

    /// The route of a message of a chunk between processes.
    fn route(&self, chunk: usize, source: u32, destination: u32) -> Option<Vec<Channel>> {
        let ranks = self.first_switch / SwitchReduction::SHARES;
        let [one, other] = [source, destination].map(|process| self.vertex(process));
        for (is_down, process, child, parent) in
            [(false, source, one, other), (true, destination, other, one)]
        {
            let Some(parent) = parent else { continue };
            let leads_there = |edge: &&Edge| edge.parent == parent;
            let edge = match child {
                None => self.edge_of_rank(process % ranks, chunk).filter(leads_there),
                // Groups of one step may share switches, whose edges between two levels depend on the chunk alone.
                Some(vertex) => (0..narrow(self.reduction.groups.len() as u64))
                    .find_map(|group| self.edge_above(vertex, group, chunk).filter(leads_there)),
            };
            if let Some(edge) = edge {
                return Some(if is_down { edge.down.clone() } else { edge.up.clone() });
            }
        }
        None
    }
}

/// Checks that the ranks of a group are on different hosts.
fn check_hosts(group: &[u32], node: impl Fn(u32) -> NodeId) -> Result<(), SwitchTreeError> {
    let mut hosts: BTreeMap<NodeId, u32> = BTreeMap::new();
    for &rank in group {
        if let Some(other) = hosts.insert(node(rank), rank) {
            return Err(SwitchTreeError::SharedHost { ranks: [other, rank] });
        }
    }
    Ok(())
}

impl Growth<'_> {
    /// The tree of a group; `None` if its ranks have no common switch.
    fn grow(mut self, group: &[u32], node: impl Fn(u32) -> NodeId) -> Option<Tree> {
        let mut level: BTreeMap<NodeId, Vec<Branch>> = BTreeMap::new();
        for (place, &rank) in (0..).zip(group) {
            let below = self.reduction.block(self.chunk, place, group.len() as u64);
            let branch = Branch { child: Child::Rank(rank), below, up: vec![], down: vec![] };
            level.entry(node(rank)).or_default().push(branch);
        }
        loop {
            if let [only] = *level.keys().collect::<Vec<_>>()
                && self.network.is_switch(*only)
            {
                let (root, branches) = level.pop_first()?;
                self.join(root, branches);
                return Some(self.tree);
            }
            level = self.climb(level)?;
        }
    }

    /// All vertices of a level climb to the next.
    fn climb(&mut self, level: BTreeMap<NodeId, Vec<Branch>>) -> Option<BTreeMap<NodeId, Vec<Branch>>> {
        let mut next: BTreeMap<NodeId, Vec<Branch>> = BTreeMap::new();
        for (vertex, mut branches) in level {
            if self.network.is_switch(vertex) {
                branches = vec![self.join(vertex, branches)];
            }
            let climb = self.network.climb(vertex, self.chunk as u64, self.reduction.side)?;
            for branch in &mut branches {
                branch.up.push(climb.up);
                branch.down.insert(0, climb.down);
            }
            next.entry(climb.to).or_default().append(&mut branches);
        }
        Some(next)
    }

    /// Branches end at a switch, where another starts.
    fn join(&mut self, vertex: NodeId, branches: Vec<Branch>) -> Branch {
        let below = branches.iter().map(|branch| branch.below).sum();
        for Branch { child, below, up, down } in branches {
            let (edge, units) = (self.tree.edges.len(), self.reduction.sizes(self.chunk, below));
            self.tree.edges.push(Edge { child, parent: vertex, units, up, down });
            match child {
                Child::Rank(rank) => {
                    self.tree.of_rank.insert(rank, edge);
                }
                Child::Switch(switch) => {
                    self.tree.switches.entry(switch.index()).or_default().to_parent = Some(edge);
                }
            }
            self.tree.switches.entry(vertex.index()).or_default().to_children.push(edge);
        }
        Branch { child: Child::Switch(vertex), below, up: vec![], down: vec![] }
    }
}

#[cfg(test)]
mod tests {
    use cubefold_topology::{ClimbingSide, GraphSource, NetworkParameters};

    use super::*;
    use crate::{Cycles, JobStep, SwitchOperation};

    #[test]
    fn chunks_take_spines_in_turn_and_sizes_are_those_of_the_ranks_below() {
        let parameters = NetworkParameters::leaf_spine(2, 2, 2);
        let machine = Machine::of_parameters(&parameters).unwrap();
        assert!(matches!(machine.source(), Some(GraphSource::Parameters(_))));
        let reduction = SwitchReduction {
            operation: SwitchOperation::AllGather,
            side: ClimbingSide::Whole,
            groups: vec![vec![0, 1, 2, 3]],
            chunks: vec![4, 4, 4, 4],
            compute: Cycles::ZERO,
            units_per_cycle: None,
        };
        let step = |name: &str| JobStep {
            name: name.to_owned(),
            body: StepBody::InSwitches(reduction.clone().into()),
            after: vec![],
            takes_part: std::sync::Arc::default(),
        };
        let job = Job::new(4, 1, vec![step("a")]).unwrap();
        let trees = SwitchTrees::new(&job, &machine, NodeId::new).unwrap().unwrap();
        let step = trees.of_step(0).unwrap();
        // Hosts 0 to 3, leaves 4 and 5, spines 6 and 7; `delta_1` is 1.
        let roots: Vec<u32> = (0..4)
            .map(|chunk| step.upwards(NodeId::new(4), 0, chunk).unwrap().destination - step.first_switch)
            .collect();
        assert_eq!(roots, [6, 7, 6, 7]);
        let [up, down] =
            [step.upwards(NodeId::new(4), 0, 0).unwrap().units, step.of_rank(0, 0, true).unwrap().units];
        assert_eq!([up, down], [2, 4]);
        let shared = SwitchTrees::new(&job, &machine, |_| NodeId::new(0)).map(|_| ());
        assert_eq!(shared, Err(SwitchTreeError::SharedHost { ranks: [0, 1] }));
    }
}
