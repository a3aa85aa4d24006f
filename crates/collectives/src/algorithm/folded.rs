//! Folding: a pattern for powers of two on any number of ranks.
//!
//! Of `P` ranks, `k = 2^S` below `P` take part in the pattern. Each of the `P - k` extra ranks sends to its partner
//! before the pattern, and receives from it afterwards (`docs/model.md` section 16; Thakur, Rabenseifner & Gropp 2005).

use cubefold_topology::{Shape, narrow};

use super::{
    line_pattern::LinePattern,
    pattern::{PatternSchedule, PatternShare},
};
use crate::{
    Exchange, Fold, Operation,
    plan::{Plan, PlanContext},
    rank_grid::RankGrid,
    schedule::{End, Payload, Place, StageSchedule},
    vector::BlockTable,
};

/// Returns the phases of a pattern among the participants, its first share by one line pattern and the second by another.
pub(super) fn plan(context: &PlanContext, patterns: [fn(u32) -> LinePattern; 2]) -> Plan {
    let folding = Folding::new(context.grid.rank_count(), context.specification.fold);
    let operation = context.operation();
    let tables: Vec<BlockTable> =
        context.blocks.iter().map(|blocks| folding.table(blocks, operation)).collect();
    let side = folding.participants.len() as u64;
    let Ok(shape) = Shape::new(&[side]) else { return Plan::default() }; // at least 2, since `P` is at least 3
    let lines = patterns.map(|pattern| pattern(narrow(side))).to_vec();
    let steps = lines[0].step_count();
    let share = |share: usize| PatternShare { lines: vec![share], order: vec![0; steps] };
    let shares: Vec<PatternShare> = (0..tables.len()).map(share).collect();
    let grid = RankGrid::new(&shape);
    let pattern = PatternSchedule::new(&grid, lines, &shares, &tables, context.exchange);
    let blocks_of_participant = match operation {
        Operation::AllReduce => None,
        _ => Some(folding.participants.iter().map(|&rank| folding.blocks_of(rank)).collect()),
    };
    let pattern = Participants { pattern, folding: folding.clone(), blocks_of_participant };
    let with_extras =
        |contents| Extras { folding: folding.clone(), blocks: context.blocks.clone(), contents };
    let mut plan = Plan::default();
    match operation {
        Operation::AllGather => {
            plan.copy(with_extras(Contents::Own));
            plan.copy_reversed(pattern);
            plan.copy_reversed(with_extras(Contents::Others));
        }
        Operation::ReduceScatter => {
            plan.reduce(with_extras(Contents::All));
            plan.reduce(pattern);
            plan.copy_reversed(with_extras(Contents::Own));
        }
        _ => {
            plan.reduce(with_extras(Contents::All));
            if context.exchange == Exchange::Halving {
                plan.reduce_and_return(pattern);
            } else {
                plan.reduce(pattern);
            }
            plan.copy_reversed(with_extras(Contents::All));
        }
    }
    plan
}

/// The participants of the pattern and the extra ranks.
#[derive(Debug, Clone)]
struct Folding {
    participants: Vec<u32>,     // by place, ascending
    places: Vec<Option<u32>>,   // by rank; `None` for an extra rank
    partners: Vec<Option<u32>>, // by rank, between an extra rank and its partner
}

impl Folding {
    fn new(ranks: u32, fold: Fold) -> Self {
        let count = 1 << (ranks - 1).ilog2(); // the greatest power of two below
        let extra_of = |pair: u32| match fold {
            Fold::Pairs => (2 * pair, 2 * pair + 1),
            Fold::Tail => (count + pair, pair),
        };
        let (mut partners, mut is_extra) = (vec![None; ranks as usize], vec![false; ranks as usize]);
        for (extra, partner) in (0..ranks - count).map(extra_of) {
            partners[extra as usize] = Some(partner);
            partners[partner as usize] = Some(extra);
            is_extra[extra as usize] = true;
        }
        let participants: Vec<u32> = (0..ranks).filter(|&rank| !is_extra[rank as usize]).collect();
        let mut places = vec![None; ranks as usize];
        for (place, &rank) in (0..).zip(&participants) {
            places[rank as usize] = Some(place);
        }
        Self { participants, places, partners }
    }

    fn is_extra(&self, rank: u32) -> bool {
        self.places[rank as usize].is_none()
    }

    /// Returns the blocks that a participant represents: its own, and that of its extra rank.
    fn blocks_of(&self, participant: u32) -> Vec<u32> {
        let mut blocks: Vec<u32> =
            std::iter::once(participant).chain(self.partners[participant as usize]).collect();
        blocks.sort_unstable();
        blocks
    }

    /// Returns the blocks of a share by participant.
    fn table(&self, blocks: &BlockTable, operation: Operation) -> BlockTable {
        if operation == Operation::AllReduce {
            return blocks.clone();
        }
        let sizes = self
            .participants
            .iter()
            .map(|&rank| self.blocks_of(rank).into_iter().map(|block| blocks.size(block)).sum());
        BlockTable::of_sizes(sizes)
    }
}

/// The contents of the message between an extra rank and its partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// The share.
    All,
    /// The block of the extra rank.
    Own,
    /// All blocks except the extra rank's.
    Others,
}

/// A stage in which every extra rank sends to its partner.
#[derive(Debug)]
struct Extras {
    folding: Folding,
    blocks: Vec<BlockTable>,
    contents: Contents,
}

impl Extras {
    fn carried(&self, share: u32, extra: u32) -> Vec<u32> {
        let all = 0..self.blocks[share as usize].count();
        match self.contents {
            Contents::All => all.collect(),
            Contents::Own => vec![extra],
            Contents::Others => all.filter(|&block| block != extra).collect(),
        }
    }

    fn units(&self, share: u32, extra: u32) -> u64 {
        let blocks = &self.blocks[share as usize];
        match self.contents {
            Contents::All => blocks.units(),
            Contents::Own => blocks.size(extra),
            Contents::Others => blocks.units() - blocks.size(extra),
        }
    }
}

impl StageSchedule for Extras {
    fn stage_count(&self) -> usize {
        1
    }

    fn list(&self, _: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        let Some(partner) = self.folding.partners[place.rank as usize] else { return };
        if self.folding.is_extra(place.rank) == (end == End::Source) {
            let extra = if end == End::Source { place.rank } else { partner };
            let units = self.units(place.share, extra);
            if units > 0 {
                add(partner, units);
            }
        }
    }

    fn payload(&self, _: usize, share: u32, source: u32, _: u32) -> Payload {
        Payload::Blocks(self.carried(share, source))
    }
}

/// The stages of the pattern.
#[derive(Debug)]
struct Participants {
    pattern: PatternSchedule, // of places
    folding: Folding,
    blocks_of_participant: Option<Vec<Vec<u32>>>, // by place, if blocks belong to ranks
}

impl StageSchedule for Participants {
    fn stage_count(&self) -> usize {
        self.pattern.stage_count()
    }

    fn list(&self, stage: usize, place: Place, end: End, add: &mut dyn FnMut(u32, u64)) {
        if let Some(rank) = self.folding.places[place.rank as usize] {
            self.pattern.list(stage, Place { rank, ..place }, end, &mut |peer, units| {
                add(self.folding.participants[peer as usize], units);
            });
        }
    }

    fn max_messages(&self, end: End) -> u32 {
        self.pattern.max_messages(end)
    }

    fn payload(&self, stage: usize, share: u32, source: u32, destination: u32) -> Payload {
        let [from, to] =
            [source, destination].map(|rank| self.folding.places[rank as usize].unwrap_or_default());
        match (self.pattern.payload(stage, share, from, to), &self.blocks_of_participant) {
            (Payload::Blocks(places), Some(blocks)) => {
                let mut all: Vec<u32> =
                    places.into_iter().flat_map(|place| blocks[place as usize].iter().copied()).collect();
                all.sort_unstable();
                Payload::Blocks(all)
            }
            (payload, _) => payload,
        }
    }
}
