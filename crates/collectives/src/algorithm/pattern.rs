//! Patterns in several dimensions: matchings of the coordinates of one dimension a step, in every
//! share.
//!
//! Reduce-scatter runs the steps of a share in order; a message carries the product of the sender's
//! reach in the other dimensions with the set that its line pattern sends in this one. All-gather is
//! the reverse. With [`Exchange::Whole`] every message is the whole share (`docs/model.md` section 16).

use cubefold_topology::{Digit, IndexDigit, narrow};

use super::{
    AlgorithmDescriptor, ShareRule,
    line_pattern::{Edge, LinePattern},
};
use crate::{
    Operation,
    plan::{Plan, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, StageSchedule},
    specification::{CollectiveSpecification, Exchange},
    vector::BlockTable,
};

/// Returns the phases of a pattern: reduce-scatter its steps, all-gather their reverse, all-reduce one
/// or both.
pub(super) fn pattern_plan(context: &PlanContext, schedule: PatternSchedule) -> Plan {
    let mut plan = Plan::default();
    match context.operation() {
        Operation::AllGather => plan.copy_reversed(schedule),
        Operation::AllReduce if context.exchange == Exchange::Halving => plan.reduce_and_return(schedule),
        _ => plan.reduce(schedule),
    }
    plan
}

/// A pattern in one share or two shares a dimension, to be completed by a name, shapes and a plan.
pub(super) const BLANK_PATTERN: AlgorithmDescriptor = AlgorithmDescriptor {
    operations: &[Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather],
    exchange_operations: &[Operation::AllReduce],
    shares: ShareRule::Ports,
    table_bytes,
    ..AlgorithmDescriptor::BLANK
};

/// Returns an upper bound on the memory of a pattern on ranks in these sides, in this number of shares \[bytes\].
pub(super) fn pattern_bytes(sides: &[u64], shares: u64, is_whole: bool) -> u64 {
    // Per coordinate and step: an edge, its number by source and by target, and the partner of a matching.
    const BYTES_AN_EDGE: u64 = (size_of::<Edge>() + 4 * size_of::<u32>()) as u64;
    let ranks = sides.iter().fold(1_u64, |ranks, &side| ranks.saturating_mul(side));
    let steps = |side: u64| u64::from(side.next_power_of_two().ilog2());
    let of_lines = |side: &u64| side.saturating_mul(steps(*side)).saturating_mul(BYTES_AN_EDGE);
    let lines: u64 = sides.iter().map(of_lines).fold(0, u64::saturating_add);
    let all_steps: u64 = sides.iter().map(|&side| steps(side)).sum();
    let units =
        if is_whole { 0 } else { ranks.saturating_mul(all_steps).saturating_mul(size_of::<u64>() as u64) };
    // Mirrored lines of the later shares.
    lines.saturating_mul(shares.min(2)).saturating_add(units.saturating_mul(shares))
}

/// Returns [`pattern_bytes`] of a specification whose shares all run patterns.
fn table_bytes(asked: &CollectiveSpecification) -> u64 {
    let is_whole = asked.chosen_exchange() == Some(Exchange::Whole);
    pattern_bytes(asked.shape.lengths(), asked.share_count() as u64, is_whole)
}

/// Returns the schedule in which the first `D` shares run `plain` in every dimension, the others
/// `mirrored`.
///
/// Share `c` starts with dimension `c mod D`: for `j = 0, 1, ..` it takes the dimensions from there
/// on that have a step `j`.
pub(super) fn patterns_by_share(
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

/// The line patterns of a share, one for each dimension, and the order of their steps.
pub(super) struct PatternShare {
    /// The patterns by dimension: an index into the list of [`PatternSchedule::new`].
    pub(super) lines: Vec<usize>,
    /// The dimension of each step. A dimension occurs as often as its pattern has steps.
    pub(super) order: Vec<usize>,
}

/// A step of a share.
#[derive(Debug, Clone)]
struct Step {
    dimension: usize,
    line: usize,        // the pattern of the dimension
    within_line: usize, // the step of that pattern
    line_count: usize,
    matching: Option<Matching>,
    // By source if the step is a matching, else by edge of the line, then line; empty if whole shares
    // are sent.
    units: Vec<u64>,
}

/// A step in which every coordinate exchanges with one partner, which exchanges with it.
#[derive(Debug, Clone)]
struct Matching {
    digit: IndexDigit,  // the coordinate in a rank
    partners: Vec<u32>, // by coordinate
}

impl Matching {
    #[inline]
    fn partner(&self, rank: u32) -> u32 {
        let x = self.digit.position(rank);
        // Modulo 2^32; the outcome is a rank.
        rank.wrapping_sub(self.digit.offset(x)).wrapping_add(self.digit.offset(self.partners[x as usize]))
    }
}

/// The patterns of an algorithm on a grid.
#[derive(Debug)]
pub(super) struct PatternSchedule {
    grid: RankGrid,
    lines: Vec<LinePattern>,
    shares: Vec<Vec<Step>>,
    share_lines: Vec<Vec<usize>>,
    whole_units: Option<Vec<u64>>, // of each share, if messages are whole shares
}

impl PatternSchedule {
    /// Returns the schedule of a reduce-scatter, or of an exchange of whole shares.
    ///
    /// `shares` and `blocks` have an entry for each share.
    ///
    /// # Complexity
    ///
    /// An entry a step, share and message; if reaches overlap, as on sides that are no powers, also an
    /// addition for each member of a reach in one dimension.
    pub(super) fn new(
        grid: &RankGrid,
        lines: Vec<LinePattern>,
        shares: &[PatternShare],
        blocks: &[BlockTable],
        exchange: Exchange,
    ) -> Self {
        let mut schedule = Self {
            grid: grid.clone(),
            lines,
            shares: Vec::with_capacity(shares.len()),
            share_lines: shares.iter().map(|share| share.lines.clone()).collect(),
            whole_units: None,
        };
        if exchange == Exchange::Whole {
            schedule.whole_units = Some(blocks.iter().map(BlockTable::units).collect());
        }
        for (share, blocks) in shares.iter().zip(blocks) {
            let steps = schedule.steps(share, blocks, exchange);
            schedule.shares.push(steps);
        }
        schedule
    }

    /// Returns the size of a share, if messages are whole shares \[units\].
    #[inline]
    fn share_units(&self, share: u32) -> Option<u64> {
        self.whole_units.as_ref().map(|units| units[share as usize])
    }

    fn steps(&self, share: &PatternShare, blocks: &BlockTable, exchange: Exchange) -> Vec<Step> {
        let mut done = vec![0; self.grid.dimension_count()];
        let step = |&dimension: &usize| {
            let (line, within_line) = (share.lines[dimension], done[dimension]);
            let partners = self.lines[line].messages(within_line).matching();
            let digit = self.grid.digit(dimension);
            let step = Step {
                dimension,
                line,
                within_line,
                line_count: self.grid.line_count(dimension) as usize,
                matching: partners.map(|partners| Matching { digit, partners }),
                units: Vec::new(),
            };
            done[dimension] += 1;
            step
        };
        let mut steps: Vec<Step> = share.order.iter().map(step).collect();
        if exchange == Exchange::Halving {
            // Backwards, with the sum of blocks in the reach of each rank after the step.
            let mut reached = blocks.sizes();
            for step in steps.iter_mut().rev() {
                done[step.dimension] -= 1;
                step.units = if self.lines[step.line].is_disjoint() {
                    self.disjoint_units(step, &mut reached)
                } else {
                    self.overlapping_units(share, blocks, &done, step, &mut reached)
                };
            }
        }
        steps
    }

    /// Returns the sizes of the messages of a step between disjoint reaches: the blocks that the target
    /// reaches after the step.
    ///
    /// `reached` has the units that each rank reaches: on entry after the step, on return
    /// before it.
    fn disjoint_units(&self, step: &Step, reached: &mut [u64]) -> Vec<u64> {
        let edges = &self.lines[step.line].messages(step.within_line).edges;
        let line_count = step.line_count;
        let mut units = vec![0; edges.len() * line_count];
        let mut line = 0;
        let mut after = Vec::new();
        self.grid.transform_lines(reached, step.dimension, |values| {
            after.clear();
            after.extend_from_slice(values);
            let index = self.index_of_units(step, line);
            for (number, edge) in edges.iter().enumerate() {
                let theirs = after[edge.target as usize];
                units[index(number)] = theirs;
                values[edge.source as usize] += theirs;
            }
            line += 1;
        });
        units
    }

    /// Returns the index in [`Step::units`] of each edge of a line. Edge `x` of a matching begins at
    /// coordinate `x`.
    fn index_of_units(&self, step: &Step, line: usize) -> impl Fn(usize) -> usize + use<> {
        let (first, factor) = match step.matching {
            Some(Matching { digit, .. }) => {
                let start = self.grid.line_start(narrow(line as u64), step.dimension);
                (start as usize, narrow(digit.stride()) as usize)
            }
            None => (line, step.line_count),
        };
        move |edge| first + edge * factor
    }

    /// Returns the sizes of the messages of a step whose reaches may overlap: the sums of the blocks that
    /// each edge carries.
    ///
    /// `done[i]` steps of dimension `i` precede the step. On return, `reached` has the units that each rank
    /// reaches before the step.
    fn overlapping_units(
        &self,
        share: &PatternShare,
        blocks: &BlockTable,
        done: &[usize],
        step: &Step,
        reached: &mut Vec<u64>,
    ) -> Vec<u64> {
        let line = &self.lines[step.line];
        let mut values = blocks.sizes();
        for (other, (&line, &done)) in share.lines.iter().zip(done).enumerate() {
            if other != step.dimension {
                self.sum_sets(&mut values, other, &self.lines[line].reaches(done));
            }
        }
        let sent = line.all_sent(step.within_line);
        let line_count = step.line_count;
        let mut units = vec![0; sent.len() * line_count];
        let mut number = 0;
        self.grid.transform_lines(&mut values, step.dimension, |values| {
            let index = self.index_of_units(step, number);
            for (edge, set) in sent.iter().enumerate() {
                units[index(edge)] = set.iter().map(|&at| values[at as usize]).sum();
            }
            number += 1;
        });
        self.sum_sets(&mut values, step.dimension, &line.reaches(step.within_line));
        *reached = values;
        units
    }

    /// Replaces the value at each coordinate of a dimension by the sum over the set of that
    /// coordinate.
    fn sum_sets(&self, values: &mut [u64], dimension: usize, sets: &[Vec<u32>]) {
        let mut old = Vec::new();
        self.grid.transform_lines(values, dimension, |values| {
            old.clear();
            old.extend_from_slice(values);
            for (value, set) in values.iter_mut().zip(sets) {
                *value = set.iter().map(|&at| old[at as usize]).sum();
            }
        });
    }

    /// Returns the blocks that a rank sends over an edge of a step in a reduce-scatter.
    fn blocks(&self, stage: usize, share: u32, source: u32, edge: Edge) -> Vec<u32> {
        let (steps, lines) = (&self.shares[share as usize], &self.share_lines[share as usize]);
        let step = &steps[stage];
        let sets: Vec<Vec<u32>> = (0..self.grid.dimension_count())
            .map(|dimension| {
                if dimension == step.dimension {
                    return self.lines[step.line].sent(step.within_line, edge);
                }
                let done = steps[..stage].iter().filter(|earlier| earlier.dimension == dimension).count();
                self.lines[lines[dimension]].reach(done, self.grid.coordinate(source, dimension))
            })
            .collect();
        self.grid.product(&sets)
    }
}

impl StageSchedule for PatternSchedule {
    fn stage_count(&self) -> usize {
        self.shares[0].len()
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let step = &self.shares[place.share as usize][stage];
        let whole = self.share_units(place.share);
        let mut add = |peer, units| {
            if units > 0 {
                add(peer, units);
            }
        };
        if let Some(matching) = &step.matching {
            let peer = matching.partner(place.rank);
            let source = if end == End::Source { place.rank } else { peer };
            return add(peer, whole.unwrap_or_else(|| step.units[source as usize]));
        }
        let line = self.grid.line(place.rank, step.dimension) as usize;
        let x = self.grid.coordinate(place.rank, step.dimension);
        for (edge, peer) in self.lines[step.line].messages(step.within_line).at(x, end) {
            let units = whole.unwrap_or_else(|| step.units[edge * step.line_count + line]);
            add(self.grid.with_coordinate(place.rank, step.dimension, peer), units);
        }
    }

    fn max_messages(&self, end: End) -> u32 {
        let steps = self.shares.iter().flatten();
        let counts = steps.map(|step| self.lines[step.line].messages(step.within_line).max_messages(end));
        counts.max().unwrap_or(0)
    }

    fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload {
        let step = &self.shares[share as usize][stage];
        let coordinate = |rank| self.grid.coordinate(rank, step.dimension);
        let (from, to) = (coordinate(source), coordinate(destination));
        let edges = &self.lines[step.line].messages(step.within_line).edges;
        let edge = edges.iter().find(|edge| (edge.source, edge.target) == (from, to));
        Payload::Blocks(match (edge, &self.whole_units) {
            (None, _) => Vec::new(),
            (Some(_), Some(_)) => (0..self.grid.rank_count()).collect(),
            (Some(&edge), None) => self.blocks(stage, share, source, edge),
        })
    }
}
