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
    bit_runs::runs,
    route_graph::{RouteGraph, RoutesLeft},
    route_steps::RouteSteps,
};

/// Two words of a de Bruijn network.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeBruijn {
    order: u32,
    x: u32,
    y: u32,
}

/// Both shifts of words lie side by side in one.
const HALF: u32 = 32;

/// First links of routes, a bit each: to the left and to the right, each with the new bit 0 and 1.
const LEFT: [u8; 2] = [1, 2];
const RIGHT: [u8; 2] = [4, 8];
const ALL_LEFT: u8 = LEFT[0] | LEFT[1];
const ALL_RIGHT: u8 = RIGHT[0] | RIGHT[1];

impl DeBruijn {
    #[inline]
    pub(super) fn new(order: u32, x: u32, y: u32) -> Self {
        Self { order, x, y }
    }

    #[inline]
    fn mask(order: u32) -> u32 {
        (1 << order) - 1
    }

    /// Where the words agree when a block moves by so many places, below `n`: in the lower half by its place in the second
    /// word when it moves down, in the upper half by its place in the first when it moves up.
    #[inline]
    fn agreement(self, shift: u32) -> u64 {
        let mask = Self::mask(self.order - shift);
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
        LEFT[(self.y >> (self.order - 1)) as usize & 1] | RIGHT[self.y as usize & 1]
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
        below | if shift == 0 { ALL_LEFT } else { LEFT[(self.y >> (shift - 1)) as usize & 1] }
    }

    /// The same downwards, by the places of the blocks in the second word: what is above a block goes first.
    #[inline]
    fn steps_down(self, starts: u64, shift: u32, length: u32) -> u8 {
        let top = self.order - length - shift;
        let above = if starts & ((1 << top) - 1) != 0 { ALL_LEFT } else { 0 };
        if starts >> top & 1 == 0 {
            return above;
        }
        above | if shift == 0 { ALL_RIGHT } else { RIGHT[(self.y >> (self.order - shift)) as usize & 1] }
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
        let (left, right) = (lowest(0), lowest(2));
        if right.1 < left.1 { right } else { left }
    }

    /// The neighbour of the first word with the lowest number that is nearer to the second, another word.
    #[inline]
    pub(super) fn lowest(self) -> u32 {
        self.lowest_of(self.first_steps(self.distance())).1
    }

    /// All shortest routes, and their length.
    fn routes(self) -> (u32, ShortestRoutes) {
        let (overlap, shifts) = self.greatest_blocks();
        let moves = shifts << self.order | shifts.reverse_bits() >> (u64::BITS - 1 - self.order);
        (2 * self.order - overlap, ShortestRoutes { pair: self, moves })
    }

    /// The links of the route over the lowest neighbours, whose number is returned too.
    pub(super) fn steps(self) -> (u32, RouteSteps) {
        let (links, mut rest) = self.routes();
        let mut steps = RouteSteps::default();
        for before in 0..links {
            if rest.is_straight(links - before) {
                (before..links).for_each(|link| steps.set(link, rest.straight_step(links - link)));
                break;
            }
            let first = rest.first_steps(links - before);
            let (step, _) = rest.pair.lowest_of(first);
            steps.set(before, step);
            rest = rest.after_step(step);
        }
        (links, steps)
    }

    /// The words on all shortest routes, and their length.
    pub(super) fn route_graph(self) -> (u32, RouteGraph<ShortestRoutes>) {
        let (links, routes) = self.routes();
        (links, RouteGraph::new(routes, links))
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
    /// Whether all of so many links go in one direction on the only route that is left: the only block moves by as many
    /// places.
    #[inline]
    fn is_straight(self, links: u32) -> bool {
        self.moves.is_power_of_two() && self.moves.trailing_zeros().abs_diff(self.pair.order) == links
    }

    /// The step with so many links left of such a route: the bits of the second word that are not in the block come in, the
    /// highest first to the left, the lowest first to the right.
    #[inline]
    fn straight_step(self, links: u32) -> u8 {
        let DeBruijn { order, y, .. } = self.pair;
        let is_left = self.moves.trailing_zeros() > order;
        let bit = if is_left { y >> (links - 1) } else { y >> (order - links) };
        2 * u8::from(!is_left) + u8::from(bit & 1 == 1)
    }
}

impl RoutesLeft for ShortestRoutes {
    #[inline]
    fn word(&self) -> u32 {
        self.pair.x
    }

    #[inline]
    fn first_steps(&mut self, links: u32) -> u8 {
        let (mut rest, mut first) = (self.moves, 0);
        while rest != 0 {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
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
    let is_left = next >> 1 == (word << 1 & DeBruijn::mask(order)) >> 1;
    Hop { code: select_unpredictable(is_left, next & 1, step.into()), next }
}

/// A word after a step: to the left with the new bit 0 or 1, to the right likewise.
#[inline]
pub(super) fn after(order: u32, word: u32, step: u8) -> u32 {
    let bit = u32::from(step & 1);
    let (left, right) = (word << 1 & DeBruijn::mask(order) | bit, word >> 1 | bit << (order - 1));
    select_unpredictable(step < 2, left, right)
}
