//! Random permutation-type sets of messages between neighbours.

use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use rand::{Rng, RngExt, seq::SliceRandom};

/// Messages between neighbours of which no two have the same source or the same destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PermutationSet {
    destinations: Vec<Option<ProcessId>>, // by source
    sources: Vec<Option<ProcessId>>,      // by destination
}

impl PermutationSet {
    /// A random set: in random order every process sends to a random one of those of its neighbours that
    /// receive nothing yet, if there is one.
    pub(super) fn random(guest: &GraphGuest, generator: &mut impl Rng) -> Self {
        let mut order: Vec<ProcessId> = ProcessId::first(guest.process_count()).collect();
        let mut set = Self { destinations: vec![None; order.len()], sources: vec![None; order.len()] };
        order.shuffle(generator);
        for source in order {
            let open = guest.neighbours(source).filter(|&neighbour| set.source(neighbour).is_none());
            let open: Vec<ProcessId> = open.collect();
            if !open.is_empty() {
                let destination = open[generator.random_range(0..open.len())];
                set.destinations[source.label() as usize] = Some(destination);
                set.sources[destination.label() as usize] = Some(source);
            }
        }
        set
    }

    pub(super) fn destination(&self, source: ProcessId) -> Option<ProcessId> {
        self.destinations[source.label() as usize]
    }

    pub(super) fn source(&self, destination: ProcessId) -> Option<ProcessId> {
        self.sources[destination.label() as usize]
    }
}
