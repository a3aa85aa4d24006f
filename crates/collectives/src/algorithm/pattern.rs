//! Patterns in several dimensions: matchings of the coordinates of one dimension a step, in every
//! share.
//!
//! Reduce-scatter runs the steps of a share in order; a message carries the product of the sender's
//! reach in the other dimensions with what its line pattern sends in this one. All-gather is the
//! reverse. With [`Exchange::Whole`] every message is the whole share (`docs/model.md` section 16).

use std::num::NonZeroU64;

use cubefold_topology::{Digit, IndexDigit, narrow};

use super::line_pattern::{Edge, LinePattern};
use crate::{
    rank_grid::RankGrid,
    schedule::{End, Payload, PeerMessage, Place, StageSchedule, StageTally, tally_by_rank, visit_by_rank},
    specification::Exchange,
    vector::BlockTable,
};

/// The line patterns of a share, one for each dimension, and the order of their steps.
pub(crate) struct PatternShare {
    /// The patterns by dimension: an index into the list of [`PatternSchedule::new`].
    pub(crate) lines: Vec<usize>,
    /// The dimension of each step. A dimension occurs as often as its pattern has steps.
    pub(crate) order: Vec<usize>,
}

/// A step of a share.
#[derive(Debug, Clone)]
struct Step {
    dimension: usize,
    line: usize,        // the pattern of the dimension
    within_line: usize, // the step of that pattern
    line_count: usize,
    matching: Option<Matching>,
    // By source where the step is a matching, else by edge of the line, then line; empty where whole
    // shares are sent.
    units: Vec<u64>,
}

impl Step {
    /// The other end of the message of a rank in a matching, and its size \[units\], given that of whole shares.
    #[inline]
    fn message(&self, matching: &Matching, whole: Option<u64>, rank: u32, end: End) -> PeerMessage {
        let peer = matching.partner(rank);
        let source = if end == End::Source { rank } else { peer };
        (peer, whole.unwrap_or_else(|| self.units[source as usize]))
    }
}

/// A step in which every coordinate exchanges with one partner, and is that one's partner.
#[derive(Debug, Clone)]
struct Matching {
    digit: IndexDigit,  // the coordinate in a rank
    partners: Vec<u32>, // by coordinate
}

impl Matching {
    /// The partner of a rank.
    #[inline]
    fn partner(&self, rank: u32) -> u32 {
        let x = self.digit.position(rank);
        // Modulo 2^32; the outcome is a rank.
        rank.wrapping_sub(self.digit.offset(x)).wrapping_add(self.digit.offset(self.partners[x as usize]))
    }
}

/// The patterns of an algorithm on a grid.
#[derive(Debug, Clone)]
pub(crate) struct PatternSchedule {
    grid: RankGrid,
    lines: Vec<LinePattern>,
    shares: Vec<Vec<Step>>,
    share_lines: Vec<Vec<usize>>,
    whole_units: Option<Vec<u64>>, // of each share, where messages are whole shares
}

impl PatternSchedule {
    /// Returns the schedule of a reduce-scatter, or of an exchange of whole shares.
    ///
    /// `shares` and `blocks` have an entry for each share.
    ///
    /// # Complexity
    ///
    /// An entry a step, share and message. Where reaches overlap, as on sides that are no powers,
    /// also as many additions for each as a reach has members in one dimension.
    pub(crate) fn new(
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

    /// The size of a share, where messages are whole shares \[units\].
    #[inline]
    fn share_units(&self, share: u32) -> Option<u64> {
        self.whole_units.as_ref().map(|units| units[share as usize])
    }

    /// The steps of a share.
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

    /// The sizes of the messages of a step between disjoint reaches: what the target reaches after
    /// the step.
    ///
    /// `reached` is brought to the state before the step.
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

    /// The index in [`Step::units`] of each edge of a line.
    ///
    /// Edge `x` of a matching is that from coordinate `x`.
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

    /// The sizes of the messages of a step whose reaches may overlap: sums over what each edge
    /// carries.
    ///
    /// `done[i]` steps of each dimension are over before the step. `reached` is brought to the
    /// state before the step.
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

    /// What a rank sends over an edge of a step in a reduce-scatter.
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

    #[inline]
    fn candidate_count(&self, stage: usize, place: Place, end: End) -> u32 {
        let step = &self.shares[place.share as usize][stage];
        if step.matching.is_some() {
            return 1;
        }
        let line = self.lines[step.line].messages(step.within_line);
        let x = self.grid.coordinate(place.rank, step.dimension) as usize;
        match end {
            End::Source => line.first[x + 1] - line.first[x],
            End::Destination => line.first_incoming[x + 1] - line.first_incoming[x],
        }
    }

    #[inline]
    fn candidate(&self, stage: usize, place: Place, end: End, index: u32) -> Option<PeerMessage> {
        let step = &self.shares[place.share as usize][stage];
        if let Some(matching) = &step.matching {
            let (peer, units) = step.message(matching, self.share_units(place.share), place.rank, end);
            return (units > 0).then_some((peer, units));
        }
        let line = self.lines[step.line].messages(step.within_line);
        let x = self.grid.coordinate(place.rank, step.dimension) as usize;
        let edge = match end {
            End::Source => line.first[x] + index,
            End::Destination => line.incoming[(line.first_incoming[x] + index) as usize],
        } as usize;
        let units = self.share_units(place.share).unwrap_or_else(|| {
            step.units[edge * step.line_count + self.grid.line(place.rank, step.dimension) as usize]
        });
        let peer = match end {
            End::Source => line.edges[edge].target,
            End::Destination => line.edges[edge].source,
        };
        (units > 0).then(|| (self.grid.with_coordinate(place.rank, step.dimension, peer), units))
    }

    fn visit(&self, stage: usize, share: u32, ranks: u32, end: End, visit: &mut dyn FnMut(u32, u32, u64)) {
        let step = &self.shares[share as usize][stage];
        let Some(matching) = &step.matching else {
            return visit_by_rank(self, stage, share, ranks, end, visit);
        };
        let whole = self.share_units(share);
        for rank in 0..ranks {
            let (peer, units) = step.message(matching, whole, rank, end);
            if units > 0 {
                visit(rank, peer, units);
            }
        }
    }

    fn tally(
        &self,
        stage: usize,
        share: u32,
        ranks: u32,
        received: End,
        rate: Option<NonZeroU64>,
    ) -> StageTally {
        let step = &self.shares[share as usize][stage];
        let whole = self.share_units(share).map(|units| [units]);
        let units = whole.as_ref().map_or(&step.units[..], |units| units);
        let line = self.lines[step.line].messages(step.within_line);
        // Where all messages have units, every rank with an edge is active, and what one receives over
        // a single edge is in the list of sizes.
        if units.contains(&0) || !line.reaches_all() || (rate.is_some() && step.matching.is_none()) {
            return tally_by_rank(self, stage, share, ranks, received, rate);
        }
        let mut tally = StageTally { active: ranks.into(), ..StageTally::default() };
        let times = if whole.is_some() { ranks } else { 1 };
        for &units in units {
            tally.add_received(units, rate);
        }
        tally.reduction_cycles *= u128::from(times);
        tally.add_sizes(units.iter().copied().min().unwrap_or(0), tally.max_received_units);
        tally
    }

    fn max_candidates(&self, end: End) -> u32 {
        let steps = self.shares.iter().flatten();
        let counts = steps.flat_map(|step| {
            let line = self.lines[step.line].messages(step.within_line);
            let starts = match end {
                End::Source => &line.first,
                End::Destination => &line.first_incoming,
            };
            starts.windows(2).map(|ends| ends[1] - ends[0])
        });
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
