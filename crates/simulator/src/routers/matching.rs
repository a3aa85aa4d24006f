//! Matchings of inputs and outputs in two rounds (`docs/model.md` section 26.2, phases 4 and 5).
//!
//! In the first round every output keeps one of the inputs that ask for it (output-first, as iSLIP), or every input one of
//! the outputs that it asks for (input-first); in the second round the other side chooses among the remaining requests.

use super::settings::Allocator;

/// An input that asks for an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) input: u32,
    pub(super) output: u32,
    /// The channel of the input port for which it asks, where inputs are ports.
    pub(super) channel: u32,
    /// Whether it comes after those that are not speculative.
    pub(super) is_speculative: bool,
}

/// Matches requests, with reusable buffers.
#[derive(Debug)]
pub(super) struct Matcher {
    allocator: Allocator,
    best: Vec<(u64, u32)>, // by place of the choosing side: the least key, and the place of its request
    chosen: Vec<u32>,      // places of the choosing side with a request
    left: Vec<Request>,    // after the first round
    pairs: Vec<Request>,
}

impl Matcher {
    /// The key of a place without a request.
    const NONE: (u64, u32) = (u64::MAX, 0);

    /// A matcher for up to `places` inputs and outputs.
    pub(super) fn new(allocator: Allocator, places: usize) -> Self {
        Self { allocator, best: vec![Self::NONE; places], chosen: vec![], left: vec![], pairs: vec![] }
    }

    /// Matches requests of `count` inputs and outputs. `grant` is the pointer of an output over the inputs, `accept` that of
    /// an input over the outputs.
    #[inline]
    pub(super) fn pairs(
        &mut self,
        requests: &[Request],
        count: u32,
        grant: impl Fn(u32) -> u32,
        accept: impl Fn(u32) -> u32,
    ) -> &[Request] {
        if let [only] = requests {
            self.pairs.clear();
            self.pairs.push(*only);
            return &self.pairs;
        }
        let (input, output) = (|request: &Request| request.input, |request: &Request| request.output);
        let by_output = |request: &Request| u64::from(after(grant(request.output), request.input, count));
        let by_input = |request: &Request| u64::from(after(accept(request.input), request.output, count));
        // Input-first, requests that are not speculative come before others in both rounds.
        let late = |request: &Request| u64::from(request.is_speculative) << 32;
        let (mut left, mut pairs) = (std::mem::take(&mut self.left), std::mem::take(&mut self.pairs));
        match self.allocator {
            Allocator::OutputFirst => {
                self.round(requests, output, by_output, &mut left);
                self.round(&left, input, by_input, &mut pairs);
            }
            Allocator::InputFirst => {
                self.round(requests, input, |request| late(request) | by_input(request), &mut left);
                self.round(&left, output, |request| late(request) | by_output(request), &mut pairs);
            }
        }
        (self.left, self.pairs) = (left, pairs);
        &self.pairs
    }

    /// Every place of a side keeps the request with the least key; `side` gives the place of a request.
    #[inline]
    fn round(
        &mut self,
        requests: &[Request],
        side: impl Fn(&Request) -> u32,
        key: impl Fn(&Request) -> u64,
        kept: &mut Vec<Request>,
    ) {
        kept.clear();
        for (number, request) in (0..).zip(requests) {
            let place = side(request);
            let best = &mut self.best[place as usize];
            if *best == Self::NONE {
                self.chosen.push(place);
            }
            *best = (*best).min((key(request), number));
        }
        for place in self.chosen.drain(..) {
            let (_, number) = std::mem::replace(&mut self.best[place as usize], Self::NONE);
            kept.push(requests[number as usize]);
        }
    }
}

/// The distance from a pointer on to a place, cyclically.
#[inline]
fn after(pointer: u32, place: u32, count: u32) -> u32 {
    if place >= pointer { place - pointer } else { place + count - pointer }
}

/// The bits of a mask from `first` on, then those before it.
#[inline]
pub(super) fn bits_from(mask: u64, first: u32) -> impl Iterator<Item = u32> {
    let low = mask & ((1 << first) - 1);
    bits(mask ^ low).chain(bits(low))
}

/// The bits of a mask, ascending.
#[inline]
pub(super) fn bits(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        Some(bit)
    })
}
