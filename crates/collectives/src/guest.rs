//! The guest of a collective: the graph of its processes that exchange messages.

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Program as _, StageProgramError};
use cubefold_topology::{Machine, MachineKind, Network, narrow};

use crate::{Collective, schedule::End};

/// The most edges of a guest.
const MAX_EDGES: usize = 1 << 22;

impl Collective {
    /// Adds the guest: an edge between every two processes of different ranks that exchange a message.
    ///
    /// It has no edges if they would exceed 2^22, or the most edges of a network's node. The metrics of a placement then
    /// ignore the collective; runs do not depend on the guest.
    ///
    /// # Errors
    ///
    /// When there are fewer than two processes, or more than nodes of a network.
    pub fn with_guest(mut self) -> Result<Self, StageProgramError> {
        let processes = narrow(self.process_count());
        let network = match self.edges().map(|edges| Network::from_edges(processes, &edges)) {
            Some(Ok(network)) => network,
            Some(Err(_)) | None => Network::from_edges(processes, &[])?,
        };
        self.guest = Some(GraphGuest::new(Machine::network(MachineKind::Network, network)?));
        Ok(self)
    }

    /// Estimates the memory that the guest takes during construction, and the memory that it keeps \[bytes\].
    ///
    /// Assumes that every process has as many partners as the one with the most among the first, the
    /// last and two between them: the root of a tree is the first, and other algorithms treat all alike.
    #[must_use]
    pub fn bytes_of_guest(&self) -> [u64; 2] {
        let processes = self.process_count();
        let messages = processes.saturating_mul(self.facts().max_received as u64).min(2 * MAX_EDGES as u64);
        let most = 2 * MAX_EDGES as u64 / processes.max(1) + 1;
        let samples = [0, 1, processes / 2, processes - 1];
        let partners = samples.map(|label| self.partner_count(ProcessId::new(narrow(label)), most));
        let partners = partners.into_iter().max().unwrap_or(0);
        let edges = (processes.saturating_mul(partners) / 2).min(MAX_EDGES as u64);
        let [while_made, kept] = Network::bytes_to_make(processes, edges);
        // The pairs of this stage and the last one, and all pairs, twice until duplicates are removed.
        let pairs = messages.saturating_mul(2).saturating_add(edges.saturating_mul(2));
        [while_made.saturating_add(pairs.saturating_mul(size_of::<(u32, u32)>() as u64)), kept]
    }

    /// Returns the stages that may have pairs of processes that no earlier stage has.
    fn stages_with_pairs(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.stage_count()).filter(|&stage| !self.adds_no_pairs(stage))
    }

    /// Returns the number of processes that a process sends to in any stage, at most `most`.
    fn partner_count(&self, process: ProcessId, most: u64) -> u64 {
        let mut partners = vec![];
        for stage in self.stages_with_pairs() {
            let known = partners.len();
            self.list(End::Source, stage, process, &mut |to, _| partners.push(to));
            if partners[known..].iter().all(|partner| partners[..known].last() == Some(partner)) {
                partners.truncate(known);
            }
            if partners.len() as u64 > 2 * most {
                partners.sort_unstable();
                partners.dedup();
            }
            if partners.len() as u64 > most {
                return most;
            }
        }
        partners.sort_unstable();
        partners.dedup();
        partners.len() as u64
    }

    /// Returns the pairs of processes of different ranks that exchange messages, each once; `None` if
    /// there are too many.
    fn edges(&self) -> Option<Vec<(u32, u32)>> {
        /// The least number of pairs worth sorting.
        const FEW: usize = 1 << 16;
        let mut all: Vec<(u32, u32)> = vec![];
        let (mut listed, mut different) = (0, FEW);
        let mut last = vec![];
        for stage in self.stages_with_pairs() {
            let pairs = self.pairs(stage)?;
            if pairs == last {
                continue;
            }
            all.extend_from_slice(&pairs);
            listed += pairs.len();
            last = pairs;
            if listed > MAX_EDGES || all.len() > 2 * different {
                all.sort_unstable();
                all.dedup();
                different = all.len().max(FEW);
            }
            if listed > MAX_EDGES {
                listed = all.len();
                if listed > MAX_EDGES / 2 {
                    return None;
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// Returns the pairs of processes of different ranks that exchange messages in a stage, the lower
    /// first, once for each message; `None` if they are more than twice the most edges.
    fn pairs(&self, stage: usize) -> Option<Vec<(u32, u32)>> {
        let mut pairs = vec![];
        let mut add = |source: ProcessId, destination: ProcessId| {
            if pairs.len() <= 2 * MAX_EDGES && self.rank(source) != self.rank(destination) {
                let (one, other) = (source.label(), destination.label());
                pairs.push((one.min(other), one.max(other)));
            }
            pairs.len() <= 2 * MAX_EDGES
        };
        let processes = self.process_count();
        if processes.saturating_mul(self.facts().max_received as u64) <= 2 * MAX_EDGES as u64 {
            self.visit(stage, &mut |source, destination, _| {
                add(source, destination);
            });
            return Some(pairs);
        }
        // There may be far too many, so list process by process, which can end early.
        for source in ProcessId::first(processes) {
            let mut has_room = true;
            self.list(End::Source, stage, source, &mut |to, _| has_room &= add(source, to));
            if !has_room {
                return None;
            }
        }
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use cubefold_topology::Shape;

    use super::*;
    use crate::{Algorithm, CollectiveSpecification, Operation};

    /// A walk through all stages and ranks would take minutes.
    #[test]
    fn partners_of_a_large_ring_with_blocks_of_different_sizes_are_found_at_once() {
        const RANKS: u64 = 1 << 16;
        for units in [3 * RANKS + 1, RANKS - 1, RANKS / 3] {
            for algorithm in [Algorithm::Ring, Algorithm::BidirectionalRing, Algorithm::Bucket] {
                let shape = Shape::new(&[RANKS]).unwrap();
                let asked = CollectiveSpecification::new(Operation::AllReduce, algorithm, shape, units);
                let collective = Collective::new(asked).unwrap();
                let edges = collective.edges().unwrap().len() as u64;
                assert_eq!(edges, RANKS * u64::from(collective.share_count()), "{algorithm:?} of {units}");
            }
        }
    }
}
