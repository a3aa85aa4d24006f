//! The places of resources: their numbers, or where a table has them.
//!
//! A run makes room for all resources before it begins. Where its messages can need only few of them, as one stage of messages
//! on a full mesh, that would take most of its time: then there is room for those that can be needed, and a resource has the
//! first free place from one on that its number is mixed to. At least half of the places stay free, so that few are looked at.

use cubefold_topology::{Network, narrow};

use crate::Program;

/// To find the place of a resource takes as long as to make room for so many.
const SEARCH: u64 = 16;

/// Which place a resource has.
#[derive(Debug)]
pub(super) enum Places {
    /// All resources have one, their number.
    All,
    /// Those that have been needed: by place, 1 more than their numbers, 0 where there is none. There are 2^n places.
    Needed(Vec<u32>),
}

impl Places {
    /// There are at least so many places for a resource that may be needed.
    const PLACES_NEEDED: u64 = 2;

    /// The bytes of a place, and of the resource in it.
    const BYTES_OF_PLACE: u64 = 2 * size_of::<u32>() as u64;

    /// The places for a run, and the resources that have one before it begins, idle.
    pub(super) fn new<P: Program>(program: &P, network: &Network) -> (Self, Vec<u32>) {
        match Self::most_needed(program, network) {
            None => {
                let all = usize::try_from(network.channel_numbers()).unwrap_or(usize::MAX);
                (Self::All, vec![0; all])
            }
            Some(needed) => Self::needed(needed),
        }
    }

    /// The places of as many resources as are needed at most, and the idle resources.
    pub(super) fn needed(most: u64) -> (Self, Vec<u32>) {
        let places = usize::try_from(Self::place_count(most)).unwrap_or(usize::MAX);
        (Self::Needed(vec![0; places]), vec![0; places])
    }

    /// So many places there are for as many resources as are needed at most, which are less than 2^28.
    fn place_count(most: u64) -> u64 {
        (Self::PLACES_NEEDED * most).next_power_of_two()
    }

    /// Bytes that resources and their places take in a run at most, where a resource takes so many if all have a place.
    pub(super) fn bytes<P: Program>(program: &P, network: &Network, bytes_of_all: u64) -> u64 {
        Self::most_needed(program, network).map_or_else(
            || network.channel_numbers() * bytes_of_all,
            |most| Self::place_count(most) * Self::BYTES_OF_PLACE,
        )
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

    /// Makes of the numbers of resources their places.
    #[inline]
    pub(super) fn find(&mut self, numbers: &mut [u32]) {
        let Self::Needed(marks) = self else { return };
        let last = marks.len() - 1;
        for number in numbers {
            let mark = *number + 1;
            let mut place = mixed(mark) & last;
            while marks[place] != 0 && marks[place] != mark {
                place = (place + 1) & last;
            }
            marks[place] = mark;
            *number = narrow(place as u64);
        }
    }
}

/// A number whose lower bits depend on all bits of another, other than 0 (Knuth 1973, multiplicative hashing).
#[inline]
fn mixed(number: u32) -> usize {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15; // 2^64 divided by the golden ratio
    narrow(u64::from(number).wrapping_mul(GOLDEN) >> u32::BITS) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
            let room = needed.map_or(9900, Places::place_count);
            assert_eq!(resources.len() as u64, room);
            assert_eq!(matches!(places, Places::Needed(_)), needed.is_some());
            let bytes = needed.map_or(9900 * 12, |needed| Places::place_count(needed) * 8);
            assert_eq!(Places::bytes(&program(stages), network, 12), bytes);
        }
    }

    #[test]
    fn resources_keep_places_of_their_own() {
        let (mut places, resources) = Places::needed(300);
        assert_eq!(resources, [0; 1024]);
        // Some of them in a row, some far apart, and the largest that there may be.
        let numbers: Vec<u32> =
            (0..100).chain((1..=100).map(|part| part << 24)).chain(u32::MAX - 100..u32::MAX).collect();
        let mut found = numbers.clone();
        places.find(&mut found);
        assert!(found.iter().all(|&place| place < 1024));
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), numbers.len());
        for (&number, &place) in numbers.iter().zip(&found).rev() {
            let mut again = [number];
            places.find(&mut again);
            assert_eq!(again, [place]);
        }
    }

    #[test]
    fn resources_that_are_mixed_to_one_place_have_the_next_ones() {
        let (mut places, _) = Places::needed(4);
        let last: Vec<u32> = (0..).filter(|number| mixed(number + 1) & 7 == 7).take(4).collect();
        let mut found: Vec<u32> = last.iter().chain(&last).copied().collect();
        places.find(&mut found);
        assert_eq!(found, [7, 0, 1, 2, 7, 0, 1, 2]);
    }
}
