//! The switches of a job that combine chunks on the way (`docs/model.md` section 16).
//!
//! A switch combines one chunk at a time, first come first served. Invariant between cycles: a switch with chunks that
//! wait combines one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cubefold_topology::NodeId;

use crate::{
    Cycle, Cycles,
    switch_trees::{StepTrees, SwitchMessage, SwitchTrees},
};

#[derive(Debug)]
pub(super) struct Switches<'run> {
    pub(super) trees: &'run SwitchTrees<'run>,
    arrived: BTreeMap<Work, Arrivals>,
    combining: BTreeMap<u32, Combining>, // by vertex
    idle: Vec<u32>,                      // vertices that may begin to combine in this cycle
    ready: VecDeque<(Place, SwitchMessage)>,
}

/// The messages of a chunk that a switch has received from its children.
#[derive(Debug, Default, Clone, Copy)]
struct Arrivals {
    messages: usize,
    units: u64,
}

/// The chunks at a switch that are complete.
#[derive(Debug, Default)]
struct Combining {
    current: Option<Place>,
    waiting: BTreeSet<(Cycle, u32, u32, Place, u64)>, // the cycle, the stage, the lowest rank, and the units
}

/// A chunk of a group in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) stage: u32, // of the job
    pub(super) step: u32,
    pub(super) chunk: u32,
    pub(super) group: u32,
}

/// A chunk of a group at a vertex.
type Work = (Place, u32);

impl<'run> Switches<'run> {
    pub(super) fn new(trees: &'run SwitchTrees<'run>) -> Self {
        Self {
            trees,
            arrived: BTreeMap::new(),
            combining: BTreeMap::new(),
            idle: vec![],
            ready: VecDeque::new(),
        }
    }

    /// The trees of a step, if it reduces in switches.
    pub(super) fn of_step(&self, step: u32) -> Option<&'run StepTrees<'run>> {
        self.trees.of_step(step)
    }

    /// A message of a chunk arrives at a switch.
    pub(super) fn receive(&mut self, vertex: NodeId, place: Place, source: u32, units: u64, now: Cycle) {
        let Some(trees) = self.of_step(place.step) else { return };
        let chunk = place.chunk as usize;
        if trees.is_from_above(vertex, place.group, chunk, source) {
            self.send_down(vertex, place);
            return;
        }
        let arrivals = self.arrived.entry((place, vertex.index())).or_default();
        arrivals.messages += 1;
        arrivals.units += units;
        let units = arrivals.units;
        if arrivals.messages < trees.awaited(vertex, place.group, chunk) {
            return;
        }
        self.arrived.remove(&(place, vertex.index()));
        if trees.reduction.time_to_combine(units) == Cycles::ZERO {
            self.send_on(vertex, place);
            return;
        }
        let waiting = &mut self.combining.entry(vertex.index()).or_default().waiting;
        waiting.insert((now, place.stage, trees.first_rank(place.group), place, units));
        self.idle.push(vertex.index());
    }

    /// A chunk is combined: it goes up, or from the root down.
    fn send_on(&mut self, vertex: NodeId, place: Place) {
        let Some(trees) = self.of_step(place.step) else { return };
        match trees.upwards(vertex, place.group, place.chunk as usize) {
            Some(message) if message.units > 0 => self.ready.push_back((place, message)),
            Some(_) => {}
            None => self.send_down(vertex, place),
        }
    }

    fn send_down(&mut self, vertex: NodeId, place: Place) {
        let Some(trees) = self.of_step(place.step) else { return };
        let messages = trees.downwards(vertex, place.group, place.chunk as usize);
        self.ready.extend(messages.map(|message| (place, message)));
    }

    /// Takes a message that sets out now.
    pub(super) fn take_ready(&mut self) -> Option<(Place, SwitchMessage)> {
        self.ready.pop_front()
    }

    /// A vertex has combined its chunk.
    pub(super) fn combined(&mut self, vertex: u32) {
        let current = self.combining.get_mut(&vertex).and_then(|combining| combining.current.take());
        self.idle.push(vertex);
        if let Some(place) = current {
            self.send_on(NodeId::new(vertex), place);
        }
    }

    /// Starts idle switches; lists them with the time that each takes.
    pub(super) fn begin(&mut self) -> Vec<(u32, Cycles)> {
        let mut begun = vec![];
        for vertex in std::mem::take(&mut self.idle) {
            let Some(at_vertex) =
                self.combining.get_mut(&vertex).filter(|combining| combining.current.is_none())
            else {
                continue;
            };
            let Some((_, _, _, place, units)) = at_vertex.waiting.pop_first() else { continue };
            at_vertex.current = Some(place);
            if let Some(trees) = self.trees.of_step(place.step) {
                begun.push((vertex, trees.reduction.time_to_combine(units)));
            }
        }
        begun
    }
}
