//! Collectives behind the pointer of any program, with the graph of who exchanges messages.
//!
//! Scenarios measure placements of the guest of a program; runs do not need it.

use std::sync::{Arc, OnceLock};

use cubefold_mapping::{GraphGuest, ProcessId};
use cubefold_simulator::{Cycles, End, Facts, GuestRef, Peer, Program, StageProgramError};
use cubefold_topology::{Machine, MachineKind, Network, narrow};

use crate::CollectiveProgramForm;

/// The most edges that a guest of a collective has.
const MAX_EDGES: usize = 1 << 22;

/// A collective in any form with its guest: an edge between every two processes of different ranks
/// that exchange a message.
///
/// The guest has no edges where they would be more than 2^22, or more than a network has at a
/// node: then the metrics of a placement say nothing of the collective, and runs are as exact as
/// any.
#[derive(Debug, Clone)]
pub struct CollectiveProgram<C> {
    collective: Arc<C>,
    facts: OnceLock<Facts>, // which a look at all messages makes known
    guest: GraphGuest,
}

impl<C: CollectiveProgramForm> CollectiveProgram<C> {
    /// Returns a collective with its guest.
    ///
    /// # Errors
    ///
    /// When there are fewer than two processes, or more than nodes of a network.
    pub fn new(collective: C) -> Result<Self, StageProgramError> {
        let processes = narrow(collective.process_count());
        let network = match edges(&collective).map(|edges| Network::from_edges(processes, &edges)) {
            Some(Ok(network)) => network,
            Some(Err(_)) | None => Network::from_edges(processes, &[])?,
        };
        let guest = GraphGuest::new(Machine::network(MachineKind::Network, network)?);
        Ok(Self { collective: Arc::new(collective), facts: OnceLock::new(), guest })
    }

    /// Returns the collective.
    #[must_use]
    pub fn collective(&self) -> &Arc<C> {
        &self.collective
    }
}

/// Estimates the memory that the guest of a collective takes while it is made, and what of it is kept
/// \[bytes\].
///
/// Every process is taken to have as many partners as the one with the most of the first, the last
/// and two between them: the root of a tree is the first, and other algorithms treat all alike.
#[must_use]
pub fn bytes_of_guest<C: CollectiveProgramForm>(collective: &C) -> [u64; 2] {
    let processes = Program::process_count(collective);
    let messages = processes.saturating_mul(collective.max_received() as u64).min(2 * MAX_EDGES as u64);
    let most = 2 * MAX_EDGES as u64 / processes.max(1) + 1;
    let samples = [0, 1, processes / 2, processes - 1];
    let partners = samples.map(|label| partner_count(collective, ProcessId::new(narrow(label)), most));
    let partners = partners.into_iter().max().unwrap_or(0);
    let edges = (processes.saturating_mul(partners) / 2).min(MAX_EDGES as u64);
    let [while_made, kept] = Network::bytes_to_make(processes, edges);
    // The pairs of this stage and the last one, and all pairs, twice before they are sorted out.
    let pairs = messages.saturating_mul(2).saturating_add(edges.saturating_mul(2));
    [while_made.saturating_add(pairs.saturating_mul(size_of::<(u32, u32)>() as u64)), kept]
}

/// The number of processes that a process sends to in any stage, or `most` where there are more.
fn partner_count<C: CollectiveProgramForm>(collective: &C, process: ProcessId, most: u64) -> u64 {
    let (mut partners, mut peers) = (vec![], vec![]);
    for stage in (0..collective.stage_count()).filter(|&stage| !collective.adds_no_pairs(stage)) {
        let known = partners.len();
        collective.list(End::Source, stage, process, &mut peers);
        partners.extend(peers.drain(..).map(|peer| peer.process));
        if partners[known..].iter().all(|own| partners[..known].last() == Some(own)) {
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

/// The pairs of processes of different ranks that exchange messages, each once; none where there
/// are too many.
fn edges<C: CollectiveProgramForm>(collective: &C) -> Option<Vec<(u32, u32)>> {
    /// Fewer are not worth sorting out.
    const FEW: usize = 1 << 16;
    let mut all: Vec<(u32, u32)> = vec![];
    let (mut listed, mut different) = (0, FEW);
    let mut last = vec![];
    for stage in (0..collective.stage_count()).filter(|&stage| !collective.adds_no_pairs(stage)) {
        let own = pairs(collective, stage)?;
        if own == last {
            continue;
        }
        all.extend_from_slice(&own);
        listed += own.len();
        last = own;
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

/// The pairs of processes of different ranks that exchange messages in a stage, the lower first, once for each message; none
/// where there are over twice as many as edges.
fn pairs<C: CollectiveProgramForm>(collective: &C, stage: usize) -> Option<Vec<(u32, u32)>> {
    let mut pairs = vec![];
    let mut add = |source: ProcessId, destination: ProcessId| {
        if pairs.len() <= 2 * MAX_EDGES && collective.rank(source) != collective.rank(destination) {
            let (one, other) = (source.label(), destination.label());
            pairs.push((one.min(other), one.max(other)));
        }
        pairs.len() <= 2 * MAX_EDGES
    };
    let processes = Program::process_count(collective);
    if processes.saturating_mul(collective.max_received() as u64) > 2 * MAX_EDGES as u64 {
        // There may be far too many: process by process, which can end early.
        let mut peers = vec![];
        let to_all = |source| {
            collective.list(End::Source, stage, source, &mut peers);
            peers.drain(..).all(|peer| add(source, peer.process))
        };
        ProcessId::first(processes).all(to_all).then_some(pairs)
    } else {
        Program::for_each_message(collective, stage, &mut |source, destination, _| {
            add(source, destination);
        });
        Some(pairs)
    }
}

impl<C: CollectiveProgramForm> Program for CollectiveProgram<C> {
    fn facts(&self) -> Facts {
        *self.facts.get_or_init(|| self.collective.facts())
    }

    fn max_units(&self, stage: usize) -> u64 {
        self.collective.max_units(stage)
    }

    fn computation(&self, stage: usize, process: ProcessId) -> Cycles {
        self.collective.computation(stage, process)
    }

    fn list(&self, end: End, stage: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        self.collective.list(end, stage, process, peers);
    }

    fn for_each_message(&self, stage: usize, visit: &mut dyn FnMut(ProcessId, ProcessId, u64)) {
        Program::for_each_message(&*self.collective, stage, visit);
    }

    fn list_computations(&self, stage: usize, computations: &mut Vec<u64>) {
        Program::list_computations(&*self.collective, stage, computations);
    }

    fn repeats(&self, stage: usize) -> bool {
        Program::repeats(&*self.collective, stage)
    }

    fn process_count(&self) -> u64 {
        Program::process_count(&*self.collective)
    }

    fn stage_count(&self) -> usize {
        Program::stage_count(&*self.collective)
    }

    fn units(&self, stage: usize, source: ProcessId, destination: ProcessId) -> u64 {
        Program::units(&*self.collective, stage, source, destination)
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Collective, CollectiveSpecification, Operation};
    use cubefold_topology::Shape;

    /// A walk through all stages and ranks would take minutes.
    #[test]
    fn partners_of_a_large_ring_with_blocks_of_different_sizes_are_found_at_once() {
        const RANKS: u64 = 1 << 16;
        for units in [3 * RANKS + 1, RANKS - 1, RANKS / 3] {
            for algorithm in [Algorithm::Ring, Algorithm::BidirectionalRing, Algorithm::Bucket] {
                let shape = Shape::new(&[RANKS]).unwrap();
                let asked = CollectiveSpecification::new(Operation::AllReduce, algorithm, shape, units);
                let collective = Collective::new(asked).unwrap();
                let edges = edges(&collective).unwrap().len() as u64;
                assert_eq!(edges, RANKS * u64::from(collective.share_count()), "{algorithm:?} of {units}");
            }
        }
    }
}
