//! Harper 1966: the least dilation of a cube on a line.

use cubefold_mapping::{EmbeddingKind, Guest, Hypercube, ProcessId};

use super::super::{Case, Scope, claim::Claim, pairs::Words, trial::Trial};
use super::{cube, embed, line, measure};

const BYWEIGHT: Claim = Claim::new(
    "Harper 1966",
    "dilation of byweight on the line of 2^d: the sum over k < d of binomial(k, floor(k/2))",
);
const LEAST: Claim = Claim::new(
    "Harper 1966",
    "least dilation of all placements of the d-cube on a line: the same, by search",
);

/// In the order in which they are shown.
pub(super) const CLAIMS: &[Claim] = &[BYWEIGHT, LEAST];

pub(super) fn cases(scope: Scope) -> Vec<Case> {
    let (formula, search) = match scope {
        Scope::Quick => (12, 3),
        Scope::Full => (16, 4),
    };
    let mut cases: Vec<Case> = vec![];
    for bits in 1..=formula {
        cases.push(Box::new(move |findings| {
            let line = line(bits);
            let dilation = measure(&embed(EmbeddingKind::Byweight, &line)).dilation.max();
            findings.add(BYWEIGHT, Trial::equal(harper(bits), dilation), &Words(&line));
        }));
    }
    for bits in 1..=search {
        cases.push(Box::new(move |findings| {
            let line = line(bits);
            let bounds = 1..1_usize << bits;
            let least = bounds.into_iter().find(|&bound| Search::finds(cube(&line), bound)).unwrap_or(0);
            findings.add(LEAST, Trial::equal(harper(bits), least as u64), &Words(&line));
        }));
    }
    cases
}

/// The sum over `k < d` of `binomial(k, floor(k/2))`.
fn harper(bits: u32) -> u64 {
    let middle = |k: u64| (0..k / 2).fold(1, |binomial, i| binomial * (k - i) / (i + 1));
    (0..u64::from(bits)).map(middle).sum()
}

/// A search for a placement of a cube on a line with no dilation over a bound.
///
/// Nodes are filled in order; a partial placement is given up when the neighbours of a placed process that have no
/// node yet do not fit into the nodes within the bound.
struct Search {
    neighbours: Vec<Vec<usize>>,
    order: Vec<usize>,            // the processes placed so far
    position: Vec<Option<usize>>, // of each process
    bound: usize,
}

impl Search {
    fn finds(cube: Hypercube, bound: usize) -> bool {
        let of = |process| cube.neighbours(process).map(|own| own.label() as usize).collect();
        let neighbours: Vec<Vec<usize>> = ProcessId::first(cube.process_count()).map(of).collect();
        let position = vec![None; neighbours.len()];
        // The cube looks the same from every process: 0 may be the first.
        let mut search = Self { neighbours, order: vec![], position, bound };
        search.place(0)
    }

    fn place(&mut self, process: usize) -> bool {
        self.position[process] = Some(self.order.len());
        self.order.push(process);
        let found = self.is_open() && (self.order.len() == self.position.len() || self.place_next());
        self.order.pop();
        self.position[process] = None;
        found
    }

    fn place_next(&mut self) -> bool {
        (0..self.position.len()).any(|process| self.position[process].is_none() && self.place(process))
    }

    /// Whether there is room for the neighbours of every placed process: those due by a node are no more than
    /// the nodes up to it.
    fn is_open(&self) -> bool {
        let filled = self.order.len();
        let mut due = vec![usize::MAX; self.position.len()]; // the last node that each unplaced process may have
        for (at, &process) in self.order.iter().enumerate() {
            for &neighbour in self.neighbours[process].iter().filter(|&&own| self.position[own].is_none()) {
                due[neighbour] = due[neighbour].min(at + self.bound);
            }
        }
        due.retain(|&due| due != usize::MAX);
        due.sort_unstable();
        due.iter().zip(filled..).all(|(&due, node)| node <= due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harpers_values_are_those_printed() {
        assert_eq!([1, 2, 3, 4, 5, 6].map(harper), [1, 2, 4, 7, 13, 23]);
    }
}
