//! The places of resources: their numbers, or the order in which they are needed.
//!
//! A run makes room for all resources before it begins. Where its messages can need only few of them, as one stage of messages
//! on a full mesh, that would take most of its time: then only those have a place that have been needed.

use cubefold_topology::{Network, narrow};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::Program;

/// To find the place of a resource takes as long as to make room for so many.
const SEARCH: u64 = 16;

/// Which place a resource has.
#[derive(Debug)]
pub(super) enum Places {
    /// All resources have one, their number.
    All,
    /// Those that have been needed.
    Needed(FxHashMap<u32, u32>),
}

impl Places {
    /// The most bytes of a resource that is needed, and of its place, while the lists of them grow.
    const BYTES_NEEDED: u64 = 48;

    /// The places for a run, and the resources that have one before it begins, idle.
    pub(super) fn new<P: Program>(program: &P, network: &Network) -> (Self, Vec<u32>) {
        match Self::most_needed(program, network) {
            None => {
                let all = usize::try_from(network.channel_numbers()).unwrap_or(usize::MAX);
                (Self::All, vec![0; all])
            }
            Some(needed) => {
                // Growing them would take longer than all else; a stage is not known to need more.
                let at_first = needed.min(Self::messages_of_stage(program));
                let capacity = usize::try_from(at_first).unwrap_or(usize::MAX);
                (Self::Needed(FxHashMap::with_capacity_and_hasher(capacity, FxBuildHasher)), vec![])
            }
        }
    }

    /// Bytes that resources and their places take in a run at most, where a resource takes so many if all have a place.
    pub(super) fn bytes<P: Program>(program: &P, network: &Network, bytes_of_all: u64) -> u64 {
        Self::most_needed(program, network)
            .map_or_else(|| network.channel_numbers() * bytes_of_all, |needed| needed * Self::BYTES_NEEDED)
    }

    /// The most resources that the messages of a run can need, where that is a small part of all.
    fn most_needed<P: Program>(program: &P, network: &Network) -> Option<u64> {
        let messages = Self::messages_of_stage(program).saturating_mul(program.stage_count() as u64);
        let needed = messages.saturating_mul(network.distance_bound());
        (needed.saturating_mul(SEARCH) < network.channel_numbers()).then_some(needed)
    }

    /// The most messages of a stage.
    fn messages_of_stage<P: Program>(program: &P) -> u64 {
        program.process_count().saturating_mul(program.max_received().max(1) as u64)
    }

    /// Makes of the numbers of resources their places; resources that are needed for the first time are added to the list of
    /// all, idle.
    #[inline]
    pub(super) fn find(&mut self, numbers: &mut [u32], resources: &mut Vec<u32>) {
        let Self::Needed(places) = self else { return };
        for number in numbers {
            *number = *places.entry(*number).or_insert_with(|| {
                resources.push(0);
                narrow(resources.len() as u64 - 1)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::ProcessId;
    use cubefold_topology::{Machine, NetworkParameters};

    use super::*;
    use crate::{Computations, Cycles, StageMessage, StageProgram};

    #[test]
    fn few_messages_have_places_for_what_they_need() {
        let machine = Machine::of_parameters(&NetworkParameters::FullMesh { nodes: 100 }).unwrap();
        let network = machine.graph().unwrap();
        let program = |stages: usize| {
            let message = |stage| StageMessage {
                stage,
                source: ProcessId::new(0),
                destination: ProcessId::new(1),
                units: 1,
            };
            let messages: Vec<_> = (0..stages).map(message).collect();
            StageProgram::new(2, Computations::Same(Cycles::ZERO), &messages).unwrap()
        };
        // Routes have at most 2 links for all that is known: 4 are needed in a stage, of 9900.
        for (stages, needed) in [(1, Some(4)), (154, Some(616)), (155, None)] {
            let (places, resources) = Places::new(&program(stages), network);
            assert_eq!(resources.len(), if needed.is_some() { 0 } else { 9900 });
            assert_eq!(matches!(places, Places::Needed(_)), needed.is_some());
            let bytes = needed.map_or(9900 * 12, |needed| needed * Places::BYTES_NEEDED);
            assert_eq!(Places::bytes(&program(stages), network, 12), bytes);
        }
    }

    #[test]
    fn a_place_stays_what_it_is() {
        let (mut places, mut resources) = (Places::Needed(FxHashMap::default()), vec![]);
        for (numbers, expected) in [([7, 900, 7], [0, 1, 0]), ([900, 3, 7], [1, 2, 0])] {
            let mut found = numbers;
            places.find(&mut found, &mut resources);
            assert_eq!(found, expected);
        }
        assert_eq!(resources, [0; 3]);
    }
}
