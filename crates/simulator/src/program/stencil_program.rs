//! Stencils: every process sends to all processes around it in one stage (`docs/model.md` section 23.2).

use std::collections::BTreeMap;

use cubefold_derive::Words;
use cubefold_mapping::{GraphGuest, Guest, ProcessId};
use cubefold_topology::{Extent, Wrap, narrow};

use crate::{Cycles, End, Facts, GuestRef, MAX_MESSAGES, Peer, Program};

/// The processes that a process of a stencil sends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Words)]
pub enum Reach {
    /// A process sends to those that differ from it in one dimension.
    #[default]
    Faces,
    /// A process sends to those that differ from it in one dimension or two.
    Edges,
    /// A process sends to all around it, that differ in any number of dimensions.
    All,
}

impl Reach {
    /// The most dimensions of `dimensions` in which neighbours differ.
    #[must_use]
    pub fn most_differing(self, dimensions: usize) -> usize {
        match self {
            Self::Faces => dimensions.min(1),
            Self::Edges => dimensions.min(2),
            Self::All => dimensions,
        }
    }
}

/// A program of one stage on a grid, in which every process sends to every process whose coordinates differ by
/// at most one in every dimension, cyclically in dimensions that wrap.
///
/// In a wrapping dimension of length 2 the neighbour is met twice: the sizes of both messages add up, and one
/// message is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StencilProgram {
    guest: GraphGuest,
    most: usize,               // of the dimensions in which neighbours differ
    sizes: BTreeMap<u32, u64>, // of messages, by the set of dimensions that differ [units]
    most_neighbours: usize,
    compute: Cycles,
}

/// An invalid guest, or invalid sizes, of a stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StencilError {
    /// The guest is a network, which has no dimensions.
    #[error("a guest without dimensions, expected a torus or mesh")]
    NoGrid,
    /// There are more messages than engines can number.
    #[error("more than 2^30 messages, expected fewer")]
    TooManyMessages,
    /// A message of no unit, or of 2^63 or more.
    #[error(
        "a message between processes that differ in {differing} dimensions has {units} units, expected 1 to 2^63 - 1"
    )]
    Size {
        /// The number of dimensions in which the processes differ.
        differing: u32,
        /// The size \[units\].
        units: u128,
    },
}

impl StencilProgram {
    /// The stencil on a grid; `units` gives the size of a message between processes that differ in a set of
    /// dimensions, bit `i` of which is dimension `i` \[units\].
    ///
    /// # Errors
    ///
    /// If the guest is not a grid, there are over 2^30 messages, or a size is 0 or over 2^63 - 1.
    pub fn new(
        guest: GraphGuest,
        reach: Reach,
        compute: Cycles,
        units: impl Fn(u32) -> u128,
    ) -> Result<Self, StencilError> {
        if guest.shape().graph().is_some() {
            return Err(StencilError::NoGrid);
        }
        let extents: Vec<Extent> = guest.shape().extents().collect();
        let most = reach.most_differing(extents.len());
        let processes = guest.shape().node_count();
        let (mut sizes, mut most_neighbours) = (BTreeMap::new(), 0_u64);
        let mut sets = vec![(0, 0)]; // of dimensions below the next one, with their number
        for dimension in 0..extents.len() {
            let with =
                |&(set, count): &(u32, usize)| (count < most).then_some((set | 1 << dimension, count + 1));
            let more: Vec<(u32, usize)> = sets.iter().filter_map(with).collect();
            sets.extend(more);
            // Every process has a neighbour in each set of dimensions.
            if (sets.len() as u64 - 1).saturating_mul(processes) > MAX_MESSAGES {
                return Err(StencilError::TooManyMessages);
            }
        }
        for (set, count) in sets.into_iter().filter(|set| set.1 > 0) {
            let differing = || extents.iter().enumerate().filter(|(dimension, _)| set >> dimension & 1 == 1);
            let doubled = differing().filter(|(_, extent)| is_met_twice(**extent)).count();
            let ways: u64 = differing().map(|(_, extent)| if extent.length() > 2 { 2 } else { 1 }).product();
            most_neighbours = most_neighbours.saturating_add(ways);
            let size = units(set).saturating_mul(1 << doubled);
            match u64::try_from(size) {
                Ok(size) if (1..1 << 63).contains(&size) => sizes.insert(set, size),
                _ => return Err(StencilError::Size { differing: narrow(count as u64), units: size }),
            };
        }
        if guest.process_count().saturating_mul(most_neighbours) > MAX_MESSAGES {
            return Err(StencilError::TooManyMessages);
        }
        let most_neighbours = usize::try_from(most_neighbours).unwrap_or(usize::MAX);
        Ok(Self { guest, most, sizes, most_neighbours, compute })
    }

    /// Visits the neighbours of a process with the sets of dimensions in which they differ.
    fn visit(&self, process: ProcessId, visit: &mut dyn FnMut(ProcessId, u32)) {
        let mut found = vec![(u64::from(process.label()), 0_u32, 0)]; // label, set, number of dimensions in it
        let mut stride = 1;
        for (dimension, extent) in self.guest.shape().extents().enumerate() {
            let (length, coordinate) =
                (extent.length(), u64::from(process.label()) / stride % extent.length());
            for place in 0..found.len() {
                let (label, set, count) = found[place];
                if count == self.most {
                    continue;
                }
                let up = if coordinate + 1 < length { Some(coordinate + 1) } else { wrapped(extent, 0) };
                let down = if coordinate > 0 { Some(coordinate - 1) } else { wrapped(extent, length - 1) };
                for to in up.into_iter().chain(down.filter(|_| up != down)) {
                    found.push((label - coordinate * stride + to * stride, set | 1 << dimension, count + 1));
                }
            }
            stride *= length;
        }
        for &(label, set, _) in &found[1..] {
            visit(ProcessId::new(narrow(label)), set);
        }
    }
}

/// The coordinate across the wraparound, if there is one.
fn wrapped(extent: Extent, to: u64) -> Option<u64> {
    (extent.wrap() == Wrap::Around).then_some(to)
}

/// Whether both directions lead to the same neighbour.
fn is_met_twice(extent: Extent) -> bool {
    extent.wrap() == Wrap::Around && extent.length() == 2
}

impl Program for StencilProgram {
    fn facts(&self) -> Facts {
        let mut sizes = self.sizes.values();
        let first = sizes.next().copied();
        Facts {
            max_received: self.most_neighbours,
            uniform_units: first.filter(|first| sizes.all(|size| size == first)),
            ..Facts::new(self.guest.process_count(), 1, self.compute)
        }
    }

    fn max_units(&self, _: usize) -> u64 {
        self.sizes.values().copied().max().unwrap_or(1)
    }

    fn computation(&self, _: usize, _: ProcessId) -> Cycles {
        self.compute
    }

    fn list(&self, _: End, _: usize, process: ProcessId, peers: &mut Vec<Peer>) {
        let first = peers.len();
        self.visit(process, &mut |process, set| {
            peers.push(Peer { process, units: self.sizes.get(&set).copied().unwrap_or(1) });
        });
        peers[first..].sort_unstable();
    }

    fn guest(&self) -> Option<GuestRef<'_>> {
        Some(GuestRef::Graph(&self.guest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::received;
    use cubefold_topology::{Machine, MachineKind, Network, Shape};

    fn stencil(lengths: &[u64], wraps: &[bool], reach: Reach) -> StencilProgram {
        let wraps: Vec<Wrap> =
            wraps.iter().map(|&wrap| if wrap { Wrap::Around } else { Wrap::Open }).collect();
        let shape = Machine::with_wraps(MachineKind::Torus, lengths, &wraps).unwrap();
        let units = |set: u32| 10_u128.pow(set.count_ones());
        StencilProgram::new(GraphGuest::new(shape), reach, Cycles::ZERO, units).unwrap()
    }

    /// The messages by the definition: every displacement of -1, 0 or 1 a dimension is a message of its size.
    fn by_definition(lengths: &[u64], wraps: &[bool], most: usize) -> Vec<(u32, u32, u64)> {
        let shape = Shape::new(lengths).unwrap();
        let (count, ways) = (shape.node_count(), 3_u32.pow(u32::try_from(lengths.len()).unwrap()));
        let mut messages = BTreeMap::new();
        for source in 0..count {
            for way in 0..ways {
                let (mut to, mut stride, mut differing, mut exists) = (0, 1, 0, true);
                let mut rest = (source, way);
                for (&length, &wrap) in lengths.iter().zip(wraps) {
                    let step = i64::from(rest.1 % 3) - 1;
                    let at = i64::try_from(rest.0 % length).unwrap() + step;
                    let end = i64::try_from(length).unwrap();
                    exists &= wrap || (0..end).contains(&at);
                    to += u64::try_from(at.rem_euclid(end)).unwrap() * stride;
                    differing += usize::from(step != 0);
                    (stride, rest) = (stride * length, (rest.0 / length, rest.1 / 3));
                }
                if exists && (1..=most).contains(&differing) {
                    *messages.entry((narrow(source), narrow(to))).or_insert(0) +=
                        10_u64.pow(narrow(differing as u64));
                }
            }
        }
        messages.into_iter().map(|((source, to), units)| (source, to, units)).collect()
    }

    #[test]
    fn messages_are_those_of_all_displacements() {
        let shapes: [&[u64]; 7] = [&[2], &[5], &[3, 4], &[2, 2], &[2, 3, 4], &[3, 3, 2], &[2, 2, 2, 3]];
        for lengths in shapes {
            for wraps in 0..1 << lengths.len() {
                let wraps: Vec<bool> =
                    (0..lengths.len()).map(|dimension| wraps >> dimension & 1 == 1).collect();
                for reach in Reach::ALL {
                    let program = stencil(lengths, &wraps, reach);
                    let expected = by_definition(lengths, &wraps, reach.most_differing(lengths.len()));
                    let found: Vec<_> = program
                        .messages(0)
                        .iter()
                        .map(|message| (message.source.label(), message.destination.label(), message.units))
                        .collect();
                    assert_eq!(found, expected, "{lengths:?} {wraps:?} {reach:?}");
                    assert_eq!(received(&program, 0), program.messages(0));
                    let most = found.chunk_by(|one, next| one.0 == next.0).map(<[_]>::len).max().unwrap_or(0);
                    assert_eq!(program.facts().max_received.max(most), program.facts().max_received);
                    assert_eq!(program.max_units(0), found.iter().map(|message| message.2).max().unwrap());
                }
            }
        }
    }

    #[test]
    fn other_guests_and_sizes_are_refused() {
        let path = Network::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
        let path = Machine::network(MachineKind::Network, path);
        let new = |shape: Machine, units: u128| {
            StencilProgram::new(GraphGuest::new(shape), Reach::All, Cycles::ZERO, |_| units).unwrap_err()
        };
        assert_eq!(new(path.unwrap(), 1), StencilError::NoGrid);
        let torus = |lengths: &[u64]| Machine::new(MachineKind::Torus, lengths).unwrap();
        assert_eq!(new(torus(&[3, 3]), 0), StencilError::Size { differing: 1, units: 0 });
        assert_eq!(new(torus(&[3, 3]), 1 << 63), StencilError::Size { differing: 1, units: 1 << 63 });
        assert_eq!(new(torus(&[1024, 1024, 64]), 1), StencilError::TooManyMessages);
        assert_eq!(new(torus(&[2; 32]), 1), StencilError::TooManyMessages);
    }
}
