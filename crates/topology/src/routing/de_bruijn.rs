//! Undirected de Bruijn networks: words linked by shifts (Pradhan & Reddy 1982).
//!
//! A walk shifts a word right and left. What it never shifts out stays: a block of `m` bits that two words have in common,
//! `s` places apart. All else is shifted out, which takes `2 (n - m) - |s|` links: the bits on one side of the block, then
//! those on the other, then back to its place in the second word. `n` links replace all bits, as a block of no bits that
//! moves by `n`. So the greatest `2 m + |s|` decides; the blocks that have it are all the shortest routes, and each
//! begins with a link that follows from its place.

use std::{cmp::Ordering, hint::select_unpredictable};

use super::{
    Hop,
    bit_runs::{ones, places, runs},
    drawn_walks::DrawnWalks,
    route_graph::RoutesLeft,
    route_steps::RouteSteps,
    shift_walk::{Block, ShiftWalk},
};
use crate::narrow;

/// Two words of a de Bruijn network.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeBruijn {
    order: u32,
    x: u32,
    y: u32,
}

/// Both shifts of words lie side by side in one.
const HALF: u32 = 32;

/// Steps, with the new bit 0: to the left and to the right. With the new bit 1 they are 1 more.
const LEFT: u8 = 0;
const RIGHT: u8 = 2;

/// First links of routes, a bit for each step: to the left and to the right, each with the new bit 0 and 1.
const FIRST_LEFT: [u8; 2] = [1, 2];
const FIRST_RIGHT: [u8; 2] = [4, 8];
const ALL_LEFT: u8 = FIRST_LEFT[0] | FIRST_LEFT[1];
const ALL_RIGHT: u8 = FIRST_RIGHT[0] | FIRST_RIGHT[1];

impl DeBruijn {
    #[inline]
    pub(super) fn new(order: u32, x: u32, y: u32) -> Self {
        Self { order, x, y }
    }

    /// Where the words agree when a block moves by so many places, below `n`: in the lower half by its place in the second
    /// word when it moves down, in the upper half by its place in the first when it moves up.
    #[inline]
    fn agreement(self, shift: u32) -> u64 {
        let mask = narrow(ones(self.order - shift));
        let (down, up) = (!(self.x >> shift ^ self.y) & mask, !(self.x ^ self.y >> shift) & mask);
        u64::from(down) | u64::from(up) << HALF
    }

    /// The greatest `2 m + |s|`.
    #[inline]
    fn overlap(self) -> u32 {
        self.greatest_blocks().0
    }

    /// The greatest `2 m + |s|`, and for which `|s|` a block has it, a bit each.
    #[inline]
    fn greatest_blocks(self) -> (u32, u64) {
        // No block stays: a block of no bits moves by n.
        let (mut greatest, mut shifts) = (self.order, 1_u64 << self.order);
        for shift in (0..self.order).rev() {
            // So many bits are as good, or better.
            let mut length = (greatest + 1 - shift) / 2;
            let mut starts = runs(self.agreement(shift), length);
            if starts == 0 {
                continue;
            }
            loop {
                let longer = starts & starts >> 1;
                if longer == 0 {
                    break;
                }
                (starts, length) = (longer, length + 1);
            }
            if 2 * length + shift > greatest {
                (greatest, shifts) = (2 * length + shift, 0);
            }
            shifts |= 1 << shift;
        }
        (greatest, shifts)
    }

    #[inline]
    pub(super) fn distance(self) -> u32 {
        2 * self.order - self.overlap()
    }

    /// The first links of all shortest routes between two words that differ by so many links.
    #[inline]
    fn first_steps(self, distance: u32) -> u8 {
        let (n, overlap) = (self.order, 2 * self.order - distance);
        let mut steps = 0;
        let mut shift = overlap % 2;
        while shift < n {
            let length = (overlap - shift) / 2;
            if length <= n - shift {
                let starts = runs(self.agreement(shift), length);
                steps |= self.steps_down(starts & u64::from(u32::MAX), shift, length);
                steps |= self.steps_up(starts >> HALF, shift);
            }
            shift += 2;
        }
        if distance == n {
            steps |= self.steps_of_no_block();
        }
        steps
    }

    /// The first links of routes that replace all bits.
    #[inline]
    fn steps_of_no_block(self) -> u8 {
        FIRST_LEFT[(self.y >> (self.order - 1)) as usize & 1] | FIRST_RIGHT[self.y as usize & 1]
    }

    /// The first links for blocks of one length that move up by so many places, by their places in the first word: what is
    /// below a block goes first.
    #[inline]
    fn steps_up(self, starts: u64, shift: u32) -> u8 {
        // New bits above the block go after that, whatever they are.
        let below = if starts >> 1 != 0 { ALL_RIGHT } else { 0 };
        if starts & 1 == 0 {
            return below;
        }
        // Nothing is below: the bits come in that lie below the block in the end, the highest first.
        below | if shift == 0 { ALL_LEFT } else { FIRST_LEFT[(self.y >> (shift - 1)) as usize & 1] }
    }

    /// The same downwards, by the places of the blocks in the second word: what is above a block goes first.
    #[inline]
    fn steps_down(self, starts: u64, shift: u32, length: u32) -> u8 {
        let top = self.order - length - shift;
        let above = if starts & ((1 << top) - 1) != 0 { ALL_LEFT } else { 0 };
        if starts >> top & 1 == 0 {
            return above;
        }
        above
            | if shift == 0 { ALL_RIGHT } else { FIRST_RIGHT[(self.y >> (self.order - shift)) as usize & 1] }
    }

    /// The first links of those shortest routes whose blocks move by so many places, `0..n` for `-n` to `-1` and so on.
    #[inline]
    fn first_steps_moving(self, place: u32, distance: u32) -> u8 {
        let (n, overlap) = (self.order, 2 * self.order - distance);
        let shift = place.abs_diff(n);
        let Some(length) =
            overlap.checked_sub(shift).map(|twice| twice / 2).filter(|&length| length <= n - shift)
        else {
            return 0;
        };
        if (overlap - shift) % 2 == 1 {
            return 0;
        }
        if length == 0 {
            let towards = if place > n { ALL_LEFT } else { ALL_RIGHT };
            return if shift == n { self.steps_of_no_block() & towards } else { 0 };
        }
        let agreement = self.agreement(shift);
        let lower = agreement & u64::from(u32::MAX);
        match place.cmp(&n) {
            Ordering::Less => self.steps_down(runs(lower, length), shift, length),
            Ordering::Greater => self.steps_up(runs(agreement >> HALF, length), shift),
            Ordering::Equal => {
                let starts = runs(lower, length);
                self.steps_down(starts, shift, length) | self.steps_up(starts, shift)
            }
        }
    }

    /// Of these first links, the one to the neighbour of the first word with the lowest number, and that neighbour.
    #[inline]
    fn lowest_of(self, steps: u8) -> (u8, u32) {
        // Of one direction the new bit 0 makes the lower number.
        let lowest = |direction: u8| {
            let of_direction = steps >> direction & 3;
            let step = direction + u8::from(of_direction == 2);
            (step, if of_direction == 0 { u32::MAX } else { self.after(step) })
        };
        let (left, right) = (lowest(LEFT), lowest(RIGHT));
        if right.1 < left.1 { right } else { left }
    }

    /// The neighbour of the first word with the lowest number that is nearer to the second, another word.
    #[inline]
    pub(super) fn lowest(self) -> u32 {
        self.lowest_of(self.first_steps(self.distance())).1
    }

    /// All shortest routes, and their length.
    #[inline]
    pub(super) fn routes(self) -> (u32, ShortestRoutes) {
        let (overlap, shifts) = self.greatest_blocks();
        let moves = shifts << self.order | shifts.reverse_bits() >> (u64::BITS - 1 - self.order);
        (2 * self.order - overlap, ShortestRoutes { pair: self, moves })
    }

    /// The links of the route over the lowest neighbours, and how many they are.
    pub(super) fn steps(self) -> (u32, RouteSteps) {
        let (links, mut rest) = self.routes();
        let mut steps = RouteSteps::default();
        for before in 0..links {
            if let Some(block) = rest.only_block(links - before) {
                // Bits that come in and go out again are 0, as in the lowest neighbours.
                steps.set_all(before, ShiftWalk::new(self.order, self.y, block).codes());
                break;
            }
            let first = rest.first_steps(links - before);
            let (step, _) = rest.pair.lowest_of(first);
            steps.set(before, step);
            rest = rest.after_step(step);
        }
        (links, steps)
    }

    /// The first word after a step.
    #[inline]
    fn after(self, step: u8) -> u32 {
        after(self.order, self.x, step)
    }
}

/// The shortest routes between two words, by how much their blocks move.
///
/// A link leaves only such shortest routes as it begins: those that are left at a word are known from the word before.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortestRoutes {
    pair: DeBruijn,
    moves: u64, // up and down, a bit each: those of all shortest routes, and others that a link has ended
}

impl ShortestRoutes {
    /// The only block that is left, which moves in one way, of routes of so many links.
    #[inline]
    fn only_block(self, links: u32) -> Option<Block> {
        if !self.moves.is_power_of_two() {
            return None;
        }
        let order = self.pair.order;
        let (block, starts) = self.blocks(self.moves.trailing_zeros(), links);
        let Block { shift, begin, length, .. } = block;
        // A block that stays where it is goes both ways, if there are bits on both sides of it.
        let is_only = starts.is_power_of_two() && (shift > 0 || begin == 0 || begin + length == order);
        is_only.then_some(block)
    }

    /// The first of the blocks that move in one way, of routes of so many links, and where all of them begin, a bit each.
    #[inline]
    fn blocks(self, place: u32, links: u32) -> (Block, u64) {
        let order = self.pair.order;
        let (shift, is_up) = (place.abs_diff(order), place > order);
        // As in `first_steps_moving`; a block of no bits moves from one end to the other.
        let length = ((2 * order - links) - shift) / 2;
        let agreement = self.pair.agreement(shift % order);
        let agreement = if is_up { agreement >> HALF } else { agreement & u64::from(u32::MAX) };
        let starts = if length == 0 { 1 } else { runs(agreement, length) };
        (Block { shift, is_up, begin: starts.trailing_zeros(), length }, starts)
    }
}

impl RoutesLeft for ShortestRoutes {
    type Walk = ShiftWalk;

    #[inline]
    fn walks(self, links: u32) -> Option<DrawnWalks<ShiftWalk>> {
        let DeBruijn { order, x, y } = self.pair;
        let mut walks = DrawnWalks::new(x);
        for place in places(self.moves) {
            let (block, starts) = self.blocks(place, links);
            for begin in places(starts) {
                let block = Block { begin, ..block };
                walks.push(ShiftWalk::new(order, y, block))?;
                // As in `only_block`.
                if block.shift == 0 && begin > 0 && begin + block.length < order {
                    walks.push(ShiftWalk::new(order, y, Block { is_up: true, ..block }))?;
                }
            }
        }
        Some(walks)
    }

    #[inline]
    fn word(&self) -> u32 {
        self.pair.x
    }

    #[inline]
    fn first_steps(&mut self, links: u32) -> u8 {
        let mut first = 0;
        for place in places(self.moves) {
            let own = self.pair.first_steps_moving(place, links);
            first |= own;
            self.moves &= !(u64::from(own == 0) << place);
        }
        first
    }

    #[inline]
    fn after_step(self, step: u8) -> Self {
        let Self { pair, moves } = self;
        let all = (2_u64 << (2 * pair.order)) - 1;
        let moves = if step < 2 { moves >> 1 } else { moves << 1 & all };
        Self { pair: DeBruijn { x: pair.after(step), ..pair }, moves }
    }
}

/// How many steps there are.
pub(super) const STEPS: u32 = 4;

/// The link of a step, whose code is the first step that leads to the same word.
#[inline]
pub(super) fn hop(order: u32, word: u32, step: u8) -> Hop {
    let next = after(order, word, step);
    let is_left = (next ^ word.wrapping_shl(1)) & narrow(ones(order)) <= 1;
    Hop { code: select_unpredictable(is_left, next & 1, step.into()), next }
}

/// The number of the link between two words: the bits of one and the bit that comes in, which are those of the other and the
/// bit that comes in there. Where there are two such numbers, the lower.
#[inline]
pub(super) fn link(order: u32, word: u32, next: u32) -> u32 {
    let all = narrow(ones(order));
    let (left, right) = (word.wrapping_shl(1) | next & 1, next & (all ^ all >> 1));
    let right = right.wrapping_shl(1) | word;
    let [left, right] = [(left, left & all), (right, right >> 1)]
        .map(|(link, end)| select_unpredictable(end == next, link, u32::MAX));
    left.min(right)
}

/// A word after a step: to the left with the new bit 0 or 1, to the right likewise.
#[inline]
pub(super) fn after(order: u32, word: u32, step: u8) -> u32 {
    let bit = u32::from(step & 1);
    let left = word.wrapping_shl(1) & narrow(ones(order)) | bit;
    let right = word.wrapping_shr(1) | bit.wrapping_shl(order.wrapping_sub(1));
    select_unpredictable(step < 2, left, right)
}
