//! The units that must cross into and out of a set of nodes, whatever an algorithm does (`docs/model.md` section 24):
//! messages, and groups whose operation says what the members inside and outside a set have to exchange.

use std::{
    collections::BTreeMap,
    fmt,
    ops::{Add, AddAssign},
};

use cubefold_mapping::{Placement, ProcessId};
use cubefold_topology::NodeId;

use crate::Program;

/// The most pairs of nodes whose messages are summed up.
const MAX_PAIRS: usize = 1 << 20;

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
    /// Returns the members of a group that are none of these.
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
#[derive(Debug, Default)]
pub struct Demand<'a> {
    /// Units between two different nodes, each pair once.
    pub messages: Vec<(NodeId, NodeId, u128)>,
    /// Steps of groups.
    pub steps: Vec<StepDemand<'a>>,
}

/// The same among classes of nodes, such as those with the same coordinate.
pub(super) struct ClassDemand<'a> {
    messages: Vec<(u32, u32, u128)>,
    groups: Vec<ClassGroup<'a>>,
}

/// Groups with the same members in every class.
struct ClassGroup<'a> {
    members: Vec<(u32, Members)>, // ascending, at least two
    all: Members,
    crossing: &'a dyn Fn(Members, Members) -> Crossing,
    count: u128,
}

impl Demand<'_> {
    /// Returns what the messages of all stages need; none where more than 2^20 pairs of nodes exchange messages.
    pub(super) fn of_program(program: &dyn Program, placement: &Placement) -> Option<Self> {
        let nodes = placement.listed_nodes();
        let node = |process: ProcessId| nodes[process.label() as usize];
        let mut sums: BTreeMap<(NodeId, NodeId), u128> = BTreeMap::new();
        let mut stage = 0;
        while stage < program.stage_count() {
            let repeated = (stage + 1..program.stage_count()).take_while(|&next| program.repeats(next));
            let times = 1 + repeated.count();
            program.for_each_message(stage, &mut |source, destination, units| {
                let ends = (node(source), node(destination));
                if ends.0 != ends.1 && sums.len() <= MAX_PAIRS {
                    *sums.entry(ends).or_default() += u128::from(units) * times as u128;
                }
            });
            if sums.len() > MAX_PAIRS {
                return None;
            }
            stage += times;
        }
        let messages = sums.into_iter().map(|((from, to), units)| (from, to, units)).collect();
        Some(Self { messages, steps: vec![] })
    }

    /// Returns what classes of nodes need; a node may be in none.
    pub(super) fn among(&self, class: &dyn Fn(NodeId) -> Option<u32>) -> ClassDemand<'_> {
        // Nodes in no class are one class of their own, above all others.
        let class = |node| class(node).unwrap_or(u32::MAX);
        let mut pairs: BTreeMap<(u32, u32), u128> = BTreeMap::new();
        for &(from, to, units) in &self.messages {
            if class(from) != class(to) {
                *pairs.entry((class(from), class(to))).or_default() += units;
            }
        }
        let mut groups = vec![];
        for step in &self.steps {
            let mut found: BTreeMap<Vec<(u32, Members)>, u128> = BTreeMap::new();
            for group in step.groups {
                let mut members: Vec<_> = group.iter().map(|&(node, own)| (class(node), own)).collect();
                members.sort_by_key(|&(class, _)| class);
                members.dedup_by(|next, first| {
                    let is_same = next.0 == first.0;
                    if is_same {
                        first.1 = first.1 + next.1;
                    }
                    is_same
                });
                if members.len() > 1 {
                    *found.entry(members).or_default() += 1;
                }
            }
            groups.extend(found.into_iter().map(|(members, count)| {
                let all = members.iter().fold(Members::default(), |sum, &(_, own)| sum + own);
                ClassGroup { members, all, crossing: step.crossing, count }
            }));
        }
        ClassDemand {
            messages: pairs.into_iter().map(|((from, to), units)| (from, to, units)).collect(),
            groups,
        }
    }
}

impl ClassGroup<'_> {
    /// Returns what must cross between these members and the others.
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
    /// Returns what must cross into and out of every class, as far as anything must.
    pub(super) fn of_each(&self) -> BTreeMap<u32, Crossing> {
        let mut sums: BTreeMap<u32, Crossing> = BTreeMap::new();
        for &(from, to, units) in &self.messages {
            sums.entry(from).or_default().out += units;
            sums.entry(to).or_default().into += units;
        }
        for group in &self.groups {
            for &(class, members) in &group.members {
                *sums.entry(class).or_default() += group.crossing(members);
            }
        }
        sums.remove(&u32::MAX);
        sums
    }

    /// Returns a measure of the time that [`of_intervals`](Self::of_intervals) takes among so many classes.
    pub(super) fn size(&self, length: u32) -> u64 {
        self.messages.len() as u64 + (1 + self.groups.len() as u64) * u64::from(length)
    }

    /// Returns what must cross into and out of the classes `first`, `first + 1 .. first + n - 1` modulo `length`, for every
    /// `n` in `1..length`.
    pub(super) fn of_intervals(&self, first: u32, length: u32) -> Vec<Crossing> {
        let place = |class: u32| ((class + length - first) % length) as usize;
        let mut sums = vec![Crossing::default(); length as usize];
        // A message crosses the borders between its ends: its sum begins at one and ends at the other.
        let mut ends = vec![Crossing::default(); length as usize];
        for &(from, to, units) in &self.messages {
            let (from, to) = (place(from), place(to));
            if to < from {
                sums[to].into += units;
                ends[from].into += units;
            } else {
                sums[from].out += units;
                ends[to].out += units;
            }
        }
        let mut under_way = Crossing::default();
        for (own, end) in sums.iter_mut().zip(ends) {
            under_way += *own;
            under_way = Crossing { into: under_way.into - end.into, out: under_way.out - end.out };
            *own = under_way;
        }
        for group in &self.groups {
            let mut by_place = vec![Members::default(); length as usize];
            for &(class, members) in &group.members {
                by_place[place(class)] = members;
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
