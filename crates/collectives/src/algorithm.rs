//! Algorithms of collectives: the one list, and what all of them are made from.
//!
//! An algorithm is a file with an [`AlgorithmDescriptor`]: its name, operations, shapes and source,
//! and the function that makes its [`Plan`]. [`ALGORITHMS`] lists the descriptors; names, help,
//! documentation and tests derive from it.

use std::fmt;

use crate::{
    Operation,
    rank_grid::RankGrid,
    schedule::Schedule,
    specification::{CollectiveSpecification, Exchange, Ports},
    vector::BlockTable,
};

pub(crate) mod all_to_all;
mod bine;
pub(crate) mod bruck;
pub(crate) mod bucket;
pub(crate) mod dissemination;
mod line_pattern;
pub(crate) mod pattern;
pub(crate) mod recursive_doubling;
pub(crate) mod ring;
mod shape_requirement;
mod swing;
pub(crate) mod tree;
mod trivance;

use line_pattern::LinePattern;
use pattern::{PatternSchedule, PatternShare};
pub use shape_requirement::ShapeRequirement;
use shape_requirement::hamiltonian_sides;

/// An algorithm of one or more operations (`docs/model.md` section 16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    /// Partners across one bit of a coordinate.
    RecursiveDoubling,
    /// Recursive doubling with every partner on the other side.
    Mirrored,
    /// Partners at distances 1, 1, 3, 5, 11, .. alternately on either side.
    Swing,
    /// Swing on the ranks in a row, and negabinary trees.
    Bine,
    /// Partners on both sides at distances 1, 3, 9, ...
    Trivance,
    /// One ring through all ranks.
    Ring,
    /// Two rings in opposite directions.
    BidirectionalRing,
    /// Four rings on two edge-disjoint Hamiltonian cycles.
    HamiltonianRings,
    /// Rings in one dimension after another.
    Bucket,
    /// Powers of two around the ring of all ranks.
    Bruck,
    /// A binomial tree.
    Binomial,
    /// A binomial scatter and a ring all-gather.
    ScatterAllGather,
    /// All messages in one stage.
    Direct,
    /// One partner a stage.
    Pairwise,
    /// All processes of a line with each other, a dimension a stage.
    ByDimension,
    /// One unit to the process 1, 2, 4, .. further on.
    Dissemination,
}

/// How many shares of the vector an algorithm moves side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareRule {
    /// The vector whole.
    One,
    /// Halves.
    Two,
    /// Quarters.
    Four,
    /// One with one port, two a dimension with all ports.
    Ports,
}

impl ShareRule {
    /// The number of shares in `dimension_count` dimensions.
    pub(crate) fn share_count(self, ports: Ports, dimension_count: usize) -> usize {
        match (self, ports) {
            (Self::One, _) | (Self::Ports, Ports::One) => 1,
            (Self::Two, _) => 2,
            (Self::Four, _) => 4,
            (Self::Ports, Ports::All) => 2 * dimension_count,
        }
    }
}

/// An algorithm: its name, what it is for, its source, and how to plan it.
#[derive(Debug)]
pub struct AlgorithmDescriptor {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The name in every file.
    pub name: &'static str,
    /// A line for help.
    pub summary: &'static str,
    /// Authors and year.
    pub source: &'static str,
    /// The operations that it performs.
    pub operations: &'static [Operation],
    /// Those of them for which there is a choice of [`Exchange`].
    pub exchange_operations: &'static [Operation],
    /// The number of shares; with [`ShareRule::Ports`] there is a choice of [`Ports`].
    pub shares: ShareRule,
    /// The shapes for which it is defined.
    pub shapes: ShapeRequirement,
    /// The shapes for which it is defined with [`Exchange::Whole`].
    pub whole_shapes: ShapeRequirement,
    /// The schedules of a collective.
    pub(crate) plan: fn(&PlanContext) -> Plan,
}

impl AlgorithmDescriptor {
    /// Whether there is a choice of ports.
    #[must_use]
    pub fn has_ports(&self) -> bool {
        self.shares == ShareRule::Ports
    }

    /// Whether there is a choice of exchange for an operation.
    #[must_use]
    pub fn has_exchange(&self, operation: Operation) -> bool {
        self.exchange_operations.contains(&operation)
    }

    /// Whether the algorithm has a choice of exchange for another operation and always halves in this one, as
    /// patterns do in reduce-scatter and all-gather.
    #[must_use]
    pub fn always_halves(&self, operation: Operation) -> bool {
        matches!(operation, Operation::ReduceScatter | Operation::AllGather)
            && !self.exchange_operations.is_empty()
            && self.operations.contains(&operation)
            && !self.has_exchange(operation)
    }

    /// The shapes for which the algorithm is defined with an exchange.
    #[must_use]
    pub fn shapes_with(&self, exchange: Exchange) -> ShapeRequirement {
        match exchange {
            Exchange::Whole => self.whole_shapes,
            Exchange::Halving => self.shapes,
        }
    }
}

/// Every algorithm, in the order of help and documentation.
pub static ALGORITHMS: &[&AlgorithmDescriptor] = &[
    &recursive_doubling::RECURSIVE_DOUBLING,
    &recursive_doubling::MIRRORED,
    &swing::SWING,
    &bine::BINE,
    &trivance::TRIVANCE,
    &ring::RING,
    &ring::BIDIRECTIONAL_RING,
    &ring::HAMILTONIAN_RINGS,
    &bucket::BUCKET,
    &bruck::BRUCK,
    &tree::BINOMIAL,
    &tree::SCATTER_ALL_GATHER,
    &all_to_all::DIRECT,
    &all_to_all::PAIRWISE,
    &all_to_all::BY_DIMENSION,
    &dissemination::DISSEMINATION,
];

impl Algorithm {
    /// Every algorithm, in the order of [`ALGORITHMS`].
    pub const ALL: [Self; ALGORITHMS.len()] = {
        let mut all = [Self::RecursiveDoubling; ALGORITHMS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = ALGORITHMS[at].algorithm;
            assert!(all[at] as usize == at, "algorithms are declared in the order of ALGORITHMS");
            at += 1;
        }
        all
    };

    /// The name, operations, shapes and source.
    #[must_use]
    pub fn descriptor(self) -> &'static AlgorithmDescriptor {
        ALGORITHMS[self as usize]
    }

    /// The name in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What an algorithm plans from: a checked specification and what follows from it.
#[derive(Debug)]
pub(crate) struct PlanContext<'a> {
    pub(crate) specification: &'a CollectiveSpecification,
    /// The exchange; `Halving` where there is no choice.
    pub(crate) exchange: Exchange,
    pub(crate) grid: RankGrid,
    /// The blocks of each share.
    pub(crate) blocks: Vec<BlockTable>,
}

impl PlanContext<'_> {
    pub(crate) fn operation(&self) -> Operation {
        self.specification.operation
    }

    pub(crate) fn root(&self) -> u32 {
        self.specification.root
    }
}

/// A phase of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The stages of a schedule.
    Messages {
        /// Which of the plan's.
        schedule: usize,
        /// Whether the schedule runs backwards, each message in the opposite direction.
        is_reversed: bool,
        /// Whether what arrives is to be reduced with what is there.
        is_reducing: bool,
    },
    /// A stage in which the shares of each rank wait for each other.
    Synchronisation,
    /// A stage without messages, in which what came last is reduced.
    Reduction,
}

/// The phases of a collective, in order.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) schedules: Vec<Schedule>,
    pub(crate) phases: Vec<Phase>,
}

impl Plan {
    /// Adds a phase whose messages are reduced.
    pub(crate) fn reduce(&mut self, schedule: impl Into<Schedule>) {
        self.push(schedule, false, true);
    }

    /// Adds a phase whose messages are reduced: the reverse of a schedule.
    pub(crate) fn reduce_reversed(&mut self, schedule: impl Into<Schedule>) {
        self.push(schedule, true, true);
    }

    /// Adds a phase whose messages are copied.
    pub(crate) fn copy(&mut self, schedule: impl Into<Schedule>) {
        self.push(schedule, false, false);
    }

    /// Adds a phase whose messages are copied: the reverse of a schedule.
    pub(crate) fn copy_reversed(&mut self, schedule: impl Into<Schedule>) {
        self.push(schedule, true, false);
    }

    /// Adds a stage in which the shares of a rank wait for each other, unless it would be the
    /// first.
    pub(crate) fn synchronise(&mut self) {
        if !self.phases.is_empty() {
            self.phases.push(Phase::Synchronisation);
        }
    }

    fn push(&mut self, schedule: impl Into<Schedule>, is_reversed: bool, is_reducing: bool) {
        self.phases.push(Phase::Messages { schedule: self.schedules.len(), is_reversed, is_reducing });
        self.schedules.push(schedule.into());
    }
}

/// Adds the phases of a pattern: reduce-scatter its steps, all-gather their reverse, all-reduce one
/// or both.
fn pattern_plan(context: &PlanContext, schedule: PatternSchedule, plan: &mut Plan) {
    match context.operation() {
        Operation::AllGather => plan.copy_reversed(schedule),
        Operation::AllReduce if context.exchange == Exchange::Halving => {
            plan.reduce(schedule);
            plan.phases.push(Phase::Messages { schedule: 0, is_reversed: true, is_reducing: false });
        }
        _ => plan.reduce(schedule),
    }
}

/// The schedule in which the first `D` shares run `plain` in every dimension, the others
/// `mirrored`.
///
/// Share `c` starts with dimension `c mod D`: for `j = 0, 1, ..` it takes the dimensions from there
/// on that have a step `j`.
fn patterns_by_share(
    context: &PlanContext,
    plain: impl Fn(u32) -> LinePattern,
    mirrored: impl Fn(u32) -> LinePattern,
) -> PatternSchedule {
    let sides = context.grid.sides();
    let dimension_count = sides.len();
    let mut lines: Vec<LinePattern> = sides.iter().map(|&side| plain(side)).collect();
    if context.blocks.len() > dimension_count {
        lines.extend(sides.iter().map(|&side| mirrored(side)));
    }
    let step_counts: Vec<usize> = lines.iter().map(LinePattern::step_count).collect();
    let most = step_counts.iter().copied().max().unwrap_or(0);
    let share = |share: usize| {
        let dimension_at = |index: usize| (share + index) % dimension_count;
        let order = (0..most)
            .flat_map(|step| (0..dimension_count).map(move |index| (step, dimension_at(index))))
            .filter(|&(step, dimension)| step < step_counts[dimension])
            .map(|(_, dimension)| dimension);
        let first_line = share / dimension_count * dimension_count;
        PatternShare { lines: (first_line..first_line + dimension_count).collect(), order: order.collect() }
    };
    let shares: Vec<PatternShare> = (0..context.blocks.len()).map(share).collect();
    PatternSchedule::new(&context.grid, lines, &shares, &context.blocks, context.exchange)
}

/// `ceil(log2 count)`, of a count of at least 1.
fn ceil_log2(count: u32) -> usize {
    (u32::BITS - (count - 1).leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_chosen_for_operations_that_the_algorithm_performs() {
        let exchanges =
            ALGORITHMS.iter().flat_map(|one| one.exchange_operations.iter().map(move |of| (one, of)));
        assert!(exchanges.into_iter().all(|(one, operation)| one.operations.contains(operation)));
    }

    #[test]
    fn logarithms_are_rounded_up() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(ceil_log2), [0, 1, 2, 2, 3, 3, 4]);
    }
}
