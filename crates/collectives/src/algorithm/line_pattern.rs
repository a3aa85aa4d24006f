//! A pattern of exchanges along one line: the partners of each coordinate, and the blocks that it
//! sends them.
//!
//! At step `j` of `S`, coordinate `x` exchanges with one or two partners. Its *reach* `A_j(x)` is
//! the set of coordinates whose blocks it has still to reduce, or has already gathered, before step
//! `j`: `A_S(x) = {x}` and `A_j(x) = A_(j+1)(x)` together with `A_(j+1)(y)` for all partners `y`.
//! In a reduce-scatter `x` sends to `y` the part of `A_(j+1)(y)` that is not in `A_(j+1)(x)`; where
//! two partners of a step could take a block, the first takes it (`docs/model.md` section 16).
//!
//! All patterns look alike from every coordinate up to a shift, a reflection or an exclusive or.
//! The sets are therefore kept once, as offsets from a coordinate, and a [`Symmetry`] says how offsets
//! are counted. The one exception is the last coordinate of an odd side of swing, which *trades*
//! single blocks with the others.

use std::collections::BTreeSet;

use crate::schedule::End;

/// The coordinate at offset `o` from coordinate `x` of a side `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symmetry {
    /// `x + o` modulo `k`.
    Shift,
    /// `x xor o`.
    ExclusiveOr,
    /// `x + o` modulo `k` for even `x`, `x - o` for odd.
    Alternating,
    /// For sets as `Shift`. The partner at the power of two `o` is `x - o` where that bit of `x` is
    /// 0, `x + o` where it is 1, modulo `k`.
    Mirrored,
}

/// The blocks that an edge carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cargo {
    /// The set of offsets of this partner of the step.
    Partner(usize),
    /// The target's own block.
    Trade,
}

/// A message along the line: from the coordinate `source` to `target`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) source: u32,
    pub(crate) target: u32,
    cargo: Cargo,
}

/// The messages of one step.
#[derive(Debug, Clone)]
pub(crate) struct LineStep {
    pub(crate) edges: Vec<Edge>, // by source, then target
    first: Vec<u32>,             // k + 1 entries: the edges from x are first[x]..first[x + 1]
    incoming: Vec<u32>,          // edges by target, then source
    first_incoming: Vec<u32>,
    sent: Vec<Vec<u32>>, // by partner: the offsets, from the source, of the blocks sent to it
}

impl LineStep {
    /// Returns the partner of each coordinate, if partners are mutual and every coordinate has one.
    pub(crate) fn matching(&self) -> Option<Vec<u32>> {
        let side = self.first.len() - 1;
        let partners: Vec<u32> = self.edges.iter().map(|edge| edge.target).collect();
        let is_matching = partners.len() == side
            && (0..)
                .zip(&self.edges)
                .all(|(x, edge)| edge.source == x && partners[edge.target as usize] == x);
        is_matching.then_some(partners)
    }

    /// Returns the edges that have a coordinate at this end, each by its number, with the coordinate at
    /// the other end, ascending.
    pub(crate) fn at(&self, x: u32, end: End) -> impl Iterator<Item = (usize, u32)> + '_ {
        let starts = self.starts(end);
        (starts[x as usize]..starts[x as usize + 1]).map(move |number| match end {
            End::Source => (number as usize, self.edges[number as usize].target),
            End::Destination => {
                let edge = self.incoming[number as usize] as usize;
                (edge, self.edges[edge].source)
            }
        })
    }

    /// Returns the most edges that a coordinate has at this end.
    pub(crate) fn max_messages(&self, end: End) -> u32 {
        self.starts(end).windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    fn starts(&self, end: End) -> &[u32] {
        match end {
            End::Source => &self.first,
            End::Destination => &self.first_incoming,
        }
    }
}

/// A pattern along a line of `k` coordinates.
#[derive(Debug, Clone)]
pub(crate) struct LinePattern {
    side: u32,
    modulus: u32, // of the symmetry: the side, or the side less 1 if the last coordinate trades
    symmetry: Symmetry,
    steps: Vec<LineStep>,
    reach: Vec<Vec<u32>>,  // S + 1 sets of offsets
    trade_steps: Vec<u32>, // of each coordinate but the last, if the last one trades
    is_disjoint: bool,     // whether the reaches of x and its partners never overlap
}

impl LinePattern {
    /// Returns the pattern of a line of `side` coordinates with partners at these offsets, by step.
    ///
    /// The first partner of a step takes the blocks that several could take.
    pub(crate) fn new(side: u32, symmetry: Symmetry, partners: &[Vec<u32>]) -> Self {
        Self::with_trades(side, side, symmetry, partners, Vec::new())
    }

    /// Returns the pattern of an odd side: `side - 1` coordinates with partners at these offsets, each
    /// of which also trades one block each way with the last coordinate at its step of `trade_steps`.
    pub(crate) fn with_odd_end(
        side: u32,
        symmetry: Symmetry,
        partners: &[Vec<u32>],
        trade_steps: Vec<u32>,
    ) -> Self {
        Self::with_trades(side, side - 1, symmetry, partners, trade_steps)
    }

    fn with_trades(
        side: u32,
        modulus: u32,
        symmetry: Symmetry,
        partners: &[Vec<u32>],
        trade_steps: Vec<u32>,
    ) -> Self {
        let trades = trade_steps.iter().map(|&step| step as usize + 1).max().unwrap_or(0);
        let step_count = partners.len().max(trades);
        let mut pattern = Self {
            side,
            modulus,
            symmetry,
            steps: Vec::with_capacity(step_count),
            reach: vec![vec![0]],
            trade_steps,
            is_disjoint: true,
        };
        for step in (0..step_count).rev() {
            let offsets = partners.get(step).map_or(&[][..], Vec::as_slice);
            let sent = pattern.extend_reach(offsets);
            pattern.steps.push(pattern.step(step, offsets, sent));
        }
        pattern.steps.reverse();
        pattern.reach.reverse();
        pattern.is_disjoint &= pattern.trade_steps.is_empty();
        pattern
    }

    /// Adds the reach before a step, given the reaches after it, and returns the offsets of the blocks
    /// sent to each partner.
    fn extend_reach(&mut self, partners: &[u32]) -> Vec<Vec<u32>> {
        let later = &self.reach[self.reach.len() - 1];
        let mut all: BTreeSet<u32> = later.iter().copied().collect();
        let mut sent = Vec::with_capacity(partners.len());
        for &partner in partners {
            let theirs = later.iter().map(|&offset| self.through_partner(partner, offset));
            let new: Vec<u32> = theirs.filter(|&offset| all.insert(offset)).collect();
            sent.push(new);
        }
        self.is_disjoint &= sent.iter().all(|set| set.len() == later.len());
        self.reach.push(all.into_iter().collect());
        sent
    }

    /// Returns the offset from `x` of the coordinate at `offset` from the partner at `partner` from `x`.
    fn through_partner(&self, partner: u32, offset: u32) -> u32 {
        match self.symmetry {
            Symmetry::Shift | Symmetry::Mirrored => (partner + offset) % self.modulus,
            Symmetry::ExclusiveOr => partner ^ offset,
            // A partner is at an odd offset: it sees its offsets reflected.
            Symmetry::Alternating => (partner + self.modulus - offset) % self.modulus,
        }
    }

    /// Returns the coordinate at an offset from `x`.
    fn at(&self, x: u32, offset: u32) -> u32 {
        let sum = match self.symmetry {
            Symmetry::ExclusiveOr => return x ^ offset,
            Symmetry::Alternating if x % 2 == 1 => x + self.modulus - offset,
            Symmetry::Shift | Symmetry::Mirrored | Symmetry::Alternating => x + offset,
        };
        if sum >= self.modulus { sum - self.modulus } else { sum }
    }

    /// Returns the partner of `x` at this offset.
    fn partner(&self, x: u32, offset: u32) -> u32 {
        match self.symmetry {
            Symmetry::Mirrored if x & offset == 0 => (x + self.modulus - offset) % self.modulus,
            _ => self.at(x, offset),
        }
    }

    fn step(&self, step: usize, partners: &[u32], sent: Vec<Vec<u32>>) -> LineStep {
        let mut edges: Vec<Edge> = Vec::new();
        if !partners.is_empty() {
            edges.extend((0..self.modulus).flat_map(|source| {
                partners.iter().enumerate().map(move |(index, &offset)| {
                    let target = self.partner(source, offset);
                    Edge { source, target, cargo: Cargo::Partner(index) }
                })
            }));
        }
        for (x, _) in (0..).zip(&self.trade_steps).filter(|&(_, &trade)| trade as usize == step) {
            edges.push(Edge { source: x, target: self.modulus, cargo: Cargo::Trade });
            edges.push(Edge { source: self.modulus, target: x, cargo: Cargo::Trade });
        }
        edges.sort_unstable_by_key(|edge| (edge.source, edge.target));
        let first = self.starts(edges.iter().map(|edge| edge.source));
        let mut incoming: Vec<u32> = (0..).take(edges.len()).collect();
        incoming.sort_unstable_by_key(|&edge| (edges[edge as usize].target, edges[edge as usize].source));
        let first_incoming = self.starts(incoming.iter().map(|&edge| edges[edge as usize].target));
        LineStep { edges, first, incoming, first_incoming, sent }
    }

    /// Returns the number of entries below each coordinate of an ascending list, and the number of all.
    fn starts(&self, coordinates: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut starts = vec![0; self.side as usize + 1];
        coordinates.for_each(|at| starts[at as usize + 1] += 1);
        for at in 0..self.side as usize {
            starts[at + 1] += starts[at];
        }
        starts
    }

    /// Returns the number of steps `S`.
    pub(crate) fn step_count(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn messages(&self, step: usize) -> &LineStep {
        &self.steps[step]
    }

    /// Returns the reach of `x` before a step, or after the last one if `step` is `S`.
    pub(crate) fn reach(&self, step: usize, x: u32) -> Vec<u32> {
        if x == self.modulus {
            let later = (0..).zip(&self.trade_steps).filter(|&(_, &trade)| trade as usize >= step);
            return later.map(|(x, _)| x).chain([x]).collect();
        }
        let trades = self.trade_steps.get(x as usize).is_some_and(|&trade| trade as usize >= step);
        let end = trades.then_some(self.modulus);
        self.reach[step].iter().map(|&offset| self.at(x, offset)).chain(end).collect()
    }

    /// Returns the coordinates whose blocks an edge of a step carries in a reduce-scatter.
    pub(crate) fn sent(&self, step: usize, edge: Edge) -> Vec<u32> {
        match edge.cargo {
            Cargo::Trade => vec![edge.target],
            Cargo::Partner(partner) => {
                self.steps[step].sent[partner].iter().map(|&offset| self.at(edge.source, offset)).collect()
            }
        }
    }

    /// Returns the reach of every coordinate before a step.
    pub(crate) fn reaches(&self, step: usize) -> Vec<Vec<u32>> {
        (0..self.side).map(|x| self.reach(step, x)).collect()
    }

    /// Returns the coordinates whose blocks each edge of a step carries, in the order of the edges.
    pub(crate) fn all_sent(&self, step: usize) -> Vec<Vec<u32>> {
        self.steps[step].edges.iter().map(|&edge| self.sent(step, edge)).collect()
    }

    /// Whether the reaches of a coordinate and its partners after a step never overlap, so that a
    /// message carries the whole reach of the partner.
    pub(crate) fn is_disjoint(&self) -> bool {
        self.is_disjoint
    }
}
