//! The units that must cross into and out of sets of nodes under any algorithm (`docs/model.md` section 24):
//! messages, and groups whose operation says what the members inside and outside a set have to exchange.
//!
//! Messages are visited once for all divisions of the nodes into classes, and are not kept.

use std::{
    collections::BTreeMap,
    fmt,
    ops::{Add, AddAssign},
};

use cubefold_mapping::Placement;
use cubefold_topology::{NodeId, narrow};

use crate::Program;

/// The most classes with separate pairs, so that all their intervals can be tried.
const MAX_PAIRED: usize = 512;

/// The class of nodes without one.
const NO_CLASS: u32 = u32::MAX;

/// The units that must cross the border of a set of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Crossing {
    /// Into the set \[units\].
    pub into: u128,
    /// Out of it \[units\].
    pub out: u128,
}

impl AddAssign for Crossing {
    fn add_assign(&mut self, other: Self) {
        self.into += other.into;
        self.out += other.out;
    }
}

/// Some members of a group: those on a node, or in a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Members {
    /// Their number.
    pub count: u64,
    /// The units of their blocks.
    pub units: u128,
    /// Whether the root is one of them.
    pub has_root: bool,
}

impl Add for Members {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            units: self.units + other.units,
            has_root: self.has_root || other.has_root,
        }
    }
}

impl Members {
    /// Returns all members of a group, given the members in each place.
    #[must_use]
    pub fn all<Place>(group: &[(Place, Self)]) -> Self {
        group.iter().fold(Self::default(), |sum, &(_, demand)| sum + demand)
    }

    /// Adds up the members of equal, adjacent places.
    pub fn merge<Place: PartialEq>(group: &mut Vec<(Place, Self)>) {
        group.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same {
                first.1 = first.1 + next.1;
            }
            is_same
        });
    }

    /// Returns the members of a group without these.
    #[must_use]
    pub fn others(self, all: Self) -> Self {
        Self {
            count: all.count - self.count,
            units: all.units - self.units,
            has_root: all.has_root && !self.has_root,
        }
    }
}

/// The groups of a step, all of the same operation.
pub struct StepDemand<'a> {
    /// The members of each group by node, each node once, ascending.
    pub groups: &'a [Vec<(NodeId, Members)>],
    /// The units that must cross the border of a set with some members inside and some outside.
    pub crossing: &'a dyn Fn(Members, Members) -> Crossing,
}

impl fmt::Debug for StepDemand<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StepDemand").field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// All that must cross between nodes during a run.
#[derive(Debug)]
pub enum Demand<'a> {
    /// The messages of a program on a placement.
    Messages(&'a dyn Program, &'a Placement),
    /// Steps of groups.
    Groups(Vec<StepDemand<'a>>),
}

/// A division of nodes into classes, such as those with the same coordinate.
pub(super) struct Division<'a> {
    /// The class of a node, if it is in one.
    pub(super) class: Box<dyn Fn(NodeId) -> Option<u32> + 'a>,
    /// The classes to examine.
    pub(super) scope: Scope,
}

/// The classes of a division to examine.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The classes with processes, each alone.
    Alone,
    /// The intervals of classes with processes.
    Intervals,
    /// The intervals of all classes below this number.
    AllIntervals(u32),
}

/// The demand among the classes of a division.
pub(super) struct ClassDemand<'a> {
    pub(super) classes: Vec<u32>, // ascending, perhaps with NO_CLASS
    messages: MessageSums,
    groups: Vec<ClassGroup<'a>>,
}

/// The units of messages among classes, by their places in the list of classes.
enum MessageSums {
    /// Into and out of each class alone.
    Alone(Vec<Crossing>),
    /// Between each pair of `classes` classes: from `a` to `b` at `a classes + b`.
    Pairs { classes: usize, units: Vec<u128> },
    /// Across the borders of classes `0..=i`: units that start to cross at `i`, and units that stop.
    Prefixes(Vec<[Crossing; 2]>),
}

/// Groups with the same members in every class.
struct ClassGroup<'a> {
    members: Vec<(u32, Members)>, // by place of the class, ascending, at least two
    all: Members,
    crossing: &'a dyn Fn(Members, Members) -> Crossing,
    count: u128,
}

impl<'a> Demand<'a> {
    /// Returns the nodes that messages or groups may use, each once, ascending.
    fn nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = match self {
            Self::Messages(_, placement) => placement.listed_nodes().into_owned(),
            Self::Groups(steps) => {
                let groups = steps.iter().flat_map(|step| step.groups);
                groups.flatten().map(|&(node, _)| node).collect()
            }
        };
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns the demand among the classes of each division.
    pub(super) fn among(&self, divisions: &[Division<'_>]) -> Vec<ClassDemand<'a>> {
        let nodes = self.nodes();
        let mut demands: Vec<ClassDemand<'a>> = vec![];
        let mut places: Vec<Vec<u32>> = vec![]; // by division and node of the list: the place of its class
        for division in divisions {
            let classes_of_nodes: Vec<u32> =
                nodes.iter().map(|&node| (division.class)(node).unwrap_or(NO_CLASS)).collect();
            let classes = match division.scope {
                Scope::AllIntervals(count) => (0..count).collect(),
                Scope::Alone | Scope::Intervals => {
                    let mut classes = classes_of_nodes.clone();
                    classes.sort_unstable();
                    classes.dedup();
                    classes
                }
            };
            let place = |class: &u32| {
                narrow(classes.partition_point(|classes_of_nodes| classes_of_nodes < class) as u64)
            };
            places.push(classes_of_nodes.iter().map(place).collect());
            let messages = MessageSums::new(classes.len(), division.scope);
            demands.push(ClassDemand { classes, messages, groups: vec![] });
        }
        match self {
            Self::Messages(program, placement) => {
                let listed = placement.listed_nodes();
                let index = |node: &NodeId| narrow(nodes.partition_point(|other| other < node) as u64);
                let of_process: Vec<u32> = listed.iter().map(index).collect();
                for_each_message(*program, &mut |source, destination, units| {
                    let ends = [of_process[source as usize], of_process[destination as usize]];
                    for (demand, places) in demands.iter_mut().zip(&places) {
                        let [from, to] = ends.map(|node| places[node as usize]);
                        if from != to {
                            demand.messages.add(from, to, units);
                        }
                    }
                });
            }
            Self::Groups(steps) => {
                for (demand, places) in demands.iter_mut().zip(&places) {
                    let place = |node: NodeId| places[nodes.partition_point(|&other| other < node)];
                    demand.groups = steps.iter().flat_map(|step| class_groups(step, &place)).collect();
                }
            }
        }
        demands
    }
}

/// Visits the messages of all stages: source, destination and units, those of a stage that is repeated once for all times.
fn for_each_message(program: &dyn Program, visit: &mut dyn FnMut(u32, u32, u128)) {
    for (stage, times) in program.distinct_stages() {
        program.for_each_message(stage, &mut |source, destination, units| {
            visit(source.label(), destination.label(), u128::from(units) * times as u128);
        });
    }
}

/// Returns the groups of a step by the places of their classes; those within one class are left out.
fn class_groups<'a>(step: &StepDemand<'a>, place: &dyn Fn(NodeId) -> u32) -> Vec<ClassGroup<'a>> {
    let mut found: BTreeMap<Vec<(u32, Members)>, u128> = BTreeMap::new();
    for group in step.groups {
        let mut members: Vec<_> = group.iter().map(|&(node, demand)| (place(node), demand)).collect();
        members.sort_by_key(|&(place, _)| place);
        Members::merge(&mut members);
        if members.len() > 1 {
            *found.entry(members).or_default() += 1;
        }
    }
    let group = |(members, count): (Vec<(u32, Members)>, u128)| {
        let all = Members::all(&members);
        ClassGroup { members, all, crossing: step.crossing, count }
    };
    found.into_iter().map(group).collect()
}

impl MessageSums {
    fn new(classes: usize, scope: Scope) -> Self {
        match classes {
            _ if scope == Scope::Alone => Self::Alone(vec![Crossing::default(); classes]),
            0..=MAX_PAIRED => Self::Pairs { classes, units: vec![0; classes * classes] },
            _ => Self::Prefixes(vec![[Crossing::default(); 2]; classes]),
        }
    }

    #[inline]
    fn add(&mut self, from: u32, to: u32, units: u128) {
        let (from, to) = (from as usize, to as usize);
        match self {
            Self::Alone(sums) => {
                sums[from].out += units;
                sums[to].into += units;
            }
            Self::Pairs { classes, units: pairs } => pairs[from * *classes + to] += units,
            Self::Prefixes(borders) => add_between(borders, from, to, units),
        }
    }
}

/// Adds a message to the units that start and stop crossing borders at each place: it crosses those between its ends.
#[inline]
fn add_between(borders: &mut [[Crossing; 2]], from: usize, to: usize, units: u128) {
    if to < from {
        borders[to][0].into += units;
        borders[from][1].into += units;
    } else {
        borders[from][0].out += units;
        borders[to][1].out += units;
    }
}

impl ClassGroup<'_> {
    /// Returns the units that must cross between these members and the others.
    fn crossing(&self, inside: Members) -> Crossing {
        let outside = inside.others(self.all);
        if inside.count == 0 || outside.count == 0 {
            return Crossing::default();
        }
        let one = (self.crossing)(inside, outside);
        Crossing { into: one.into * self.count, out: one.out * self.count }
    }
}

impl ClassDemand<'_> {
    /// Returns the classes of a division without intervals, ascending, with the units that must cross into and out of each.
    pub(super) fn of_each(&self) -> Vec<(u32, Crossing)> {
        let mut sums = match &self.messages {
            MessageSums::Alone(sums) => sums.clone(),
            MessageSums::Pairs { .. } | MessageSums::Prefixes(_) => {
                vec![Crossing::default(); self.classes.len()]
            }
        };
        for group in &self.groups {
            for &(place, members) in &group.members {
                sums[place as usize] += group.crossing(members);
            }
        }
        self.classes.iter().copied().zip(sums).filter(|&(class, _)| class != NO_CLASS).collect()
    }

    /// Returns a measure of the time that all [intervals](Self::from) take; `None` if only those from the first class on
    /// are known.
    pub(super) fn time_of_intervals(&self) -> Option<u64> {
        let classes = self.classes.len() as u64;
        let messages = match &self.messages {
            MessageSums::Pairs { units, .. } => units.len() as u64,
            MessageSums::Prefixes(_) if self.groups.is_empty() => return None,
            MessageSums::Alone(_) | MessageSums::Prefixes(_) => 0,
        };
        Some((messages + (1 + self.groups.len() as u64) * classes).saturating_mul(classes))
    }

    /// Returns the units that must cross into and out of `n` classes from place `first` on, cyclically, for every `n` from 1 to one
    /// less than all, in a division with intervals.
    pub(super) fn from(&self, first: usize) -> Vec<Crossing> {
        let count = self.classes.len();
        let place = |class: usize| (class + count - first) % count;
        let mut borders = vec![[Crossing::default(); 2]; count];
        match &self.messages {
            MessageSums::Alone(_) => {}
            MessageSums::Prefixes(sums) => borders.clone_from(sums),
            MessageSums::Pairs { units, .. } => {
                let moved = (0..).zip(units).filter(|&(_, &units)| units > 0);
                for (pair, &units) in moved {
                    add_between(&mut borders, place(pair / count), place(pair % count), units);
                }
            }
        }
        let mut under_way = Crossing::default();
        let mut sums = vec![];
        for [begins, ends] in borders {
            under_way += begins;
            under_way = Crossing { into: under_way.into - ends.into, out: under_way.out - ends.out };
            sums.push(under_way);
        }
        for group in &self.groups {
            let mut by_place = vec![Members::default(); count];
            for &(class, members) in &group.members {
                by_place[place(class as usize)] = members;
            }
            let mut inside = Members::default();
            for (sum, members) in sums.iter_mut().zip(by_place) {
                inside = inside + members;
                *sum += group.crossing(inside);
            }
        }
        sums.pop();
        sums
    }
}
