//! All shortest routes between two words: how many begin with each link, and one of them by chance.
//!
//! The words on these routes are found level by level, a level for each number of links left. A link that leads nearer
//! leaves only such routes as it begins, so that those left at a word follow from those of a word before it, and no
//! distance is asked for. Then the routes are counted, from the destination back. Routes are different when their words
//! are: links that lead to the same word are one.

use super::{
    Draw, MAX_ROUTE_COUNT, RouteSteps,
    drawn_walks::{DrawnWalks, OpenWalk},
};

/// The shortest routes from a word to another, as a family of networks knows them.
pub(super) trait RoutesLeft: Copy {
    /// The walks that they are.
    type Walk: OpenWalk;

    /// The walks of all routes between two words, given their length; none where [`DrawnWalks::push`] refuses one.
    fn walks(self, links: u32) -> Option<DrawnWalks<Self::Walk>>;

    /// The word.
    fn word(&self) -> u32;

    /// The first links of the routes, a bit for each step, given their length, which is not 0.
    fn first_steps(&mut self, links: u32) -> u8;

    /// Those that a step leaves.
    fn after_step(self, step: u8) -> Self;
}

/// The words on all shortest routes between two.
#[derive(Debug)]
pub(super) struct RouteGraph<R> {
    places: Vec<Place<R>>, // by level, from the source on, in each by word
    levels: Vec<usize>,    // where each level begins
}

/// A word on shortest routes.
#[derive(Debug, Clone, Copy)]
struct Place<R> {
    left: R,
    steps: u8,   // the first links
    routes: u64, // how many there are from here, at most MAX_ROUTE_COUNT
}

/// A neighbour that is nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NearerWord {
    pub(crate) word: u32,
    /// The lowest step that leads there.
    pub(crate) step: u8,
    /// How many shortest routes there are from it, at most [`MAX_ROUTE_COUNT`].
    pub(crate) routes: u64,
}

/// The most neighbours of a word.
const MAX_NEXT: usize = 4;

impl<R: RoutesLeft> RouteGraph<R> {
    /// Returns all of these routes, given their length.
    pub(super) fn new(routes: R, links: u32) -> Self {
        let mut graph = Self { places: vec![Place { left: routes, steps: 0, routes: 1 }], levels: vec![0] };
        for left in (1..=links).rev() {
            graph.add_level(left);
        }
        graph.count();
        graph
    }

    /// Finds the words behind those of the last level, where so many links are left.
    fn add_level(&mut self, links: u32) {
        let (last, begin) = (self.levels.last().copied().unwrap_or(0), self.places.len());
        for at in last..begin {
            let place = &mut self.places[at];
            place.steps = place.left.first_steps(links);
            let Place { left, steps, .. } = *place;
            let next = |step| Place { left: left.after_step(step), steps: 0, routes: 1 };
            self.places.extend(each(steps).map(next));
        }
        self.places[begin..].sort_unstable_by_key(|place| place.left.word());
        let mut end = begin;
        for at in begin..self.places.len() {
            // What is left at a word is the same by whatever way it is reached.
            if end == begin || self.places[end - 1].left.word() != self.places[at].left.word() {
                self.places[end] = self.places[at];
                end += 1;
            }
        }
        self.places.truncate(end);
        self.levels.push(begin);
    }

    /// Counts the routes from all words before the last level, which is the destination.
    fn count(&mut self) {
        for level in (0..self.levels.len() - 1).rev() {
            for at in self.levels[level]..self.levels[level + 1] {
                let sum: u64 = self.next(level, at).map(|next| next.routes).sum();
                self.places[at].routes = sum.min(MAX_ROUTE_COUNT);
            }
        }
    }

    /// The words behind one of a level, ascending.
    fn next(&self, level: usize, at: usize) -> impl Iterator<Item = NearerWord> + use<R> {
        let Place { left, steps, .. } = self.places[at];
        let begin = self.levels[level + 1];
        let words = &self.places[begin..self.levels.get(level + 2).copied().unwrap_or(self.places.len())];
        let mut found = [None; MAX_NEXT];
        for (slot, step) in found.iter_mut().zip(each(steps)) {
            let word = left.after_step(step).word();
            let place = words.binary_search_by_key(&word, |place| place.left.word());
            *slot = place.ok().map(|place| NearerWord { word, step, routes: words[place].routes });
        }
        found.sort_unstable();
        let mut before = None;
        found.into_iter().flatten().filter(move |next| before.replace(next.word) != Some(next.word))
    }

    /// The neighbours of the first word with shortest routes from them, ascending.
    pub(super) fn first(&self) -> impl Iterator<Item = NearerWord> + use<R> {
        (self.levels.len() > 1).then(|| self.next(0, 0)).into_iter().flatten()
    }

    /// The links of a route, drawn word by word by a hash of the word: that modulo the number of routes from it, which
    /// follow one another in the order of the words behind it.
    pub(super) fn draw(&self, hash: impl Fn(u32) -> u64) -> RouteSteps {
        let (mut at, mut steps) = (0, RouteSteps::default());
        for (before, level) in (0..).zip(0..self.levels.len() - 1) {
            let total: u64 = self.next(level, at).map(|next| next.routes).sum(); // below 2^51
            let mut draw = Draw::new(hash(self.places[at].left.word()), total);
            let Some(next) = self.next(level, at).find(|next| draw.falls_on(next.routes)) else { break };
            steps.set(before, next.step);
            let words = &self.places[self.levels[level + 1]..];
            at = self.levels[level + 1]
                + words.iter().position(|place| place.left.word() == next.word).unwrap_or(0);
        }
        steps
    }
}

/// The steps whose bits are set.
fn each(steps: u8) -> impl Iterator<Item = u8> {
    (0..8).filter(move |step| steps >> step & 1 == 1)
}
