//! The processes of a guest on the nodes of a hypercube machine, its axes taken in pairs (6.2).
//!
//! Each pair of axes, or axis alone, decides some bits of the node; the parts share no bit.

use std::fmt;

use cubefold_topology::{Grid, HostDimension, Machine, NodeId};
use rayon::prelude::*;

use super::{GreenbergEmbedding, GreenbergError, GreenbergMethod, MeshSides, WrapPlace, slot_table::bits_of};
use crate::{PlacementTable, ProcessId};

/// Where the processes of a mesh sit on a hypercube.
///
/// Two dimensions lie in the smallest hypercube (theorem 3). Of further ones, as many as possible are taken
/// in pairs that save a dimension of the cube each, and what is left by the Gray code: dilation at
/// most 5, no promise that the cube is the smallest (6.2). A guest dimension may wrap where the
/// embedding brings its ends together: as the compressed, shorter side of a mesh by reflection
/// (6.2, "column wrap-around"), or by the Gray code at a power of two.
///
/// ```
/// use cubefold_mapping::GreenbergPlacement;
/// use cubefold_topology::{Machine, MachineKind};
///
/// let guest = Machine::new(MachineKind::Mesh, &[5, 11])?;
/// let cube = Machine::new(MachineKind::Hypercube, &[2; 6])?;
/// let placement = GreenbergPlacement::new(&guest, &cube)?;
/// assert_eq!(placement.promised_dilation(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreenbergPlacement {
    guest: Machine,
    parts: Vec<PairedAxes>, // at least one
    table: PlacementTable,
}

/// Two dimensions of a guest that are placed together, or one alone, with the bits of the node that
/// they decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedAxes {
    rows: Option<HostDimension>, // of the guest; `None` if one dimension is alone
    columns: HostDimension,
    embedding: GreenbergEmbedding, // of (rows, columns)
    first_bit: u32,
}

impl PairedAxes {
    /// The guest dimension whose coordinate is the row of the mesh, which is compressed; none where
    /// one dimension is placed alone, as a mesh of one row.
    #[must_use]
    pub fn rows(&self) -> Option<HostDimension> {
        self.rows
    }

    /// The guest dimension whose coordinate is the column.
    #[must_use]
    pub fn columns(&self) -> HostDimension {
        self.columns
    }

    /// The embedding of the mesh of the two.
    #[must_use]
    pub fn embedding(&self) -> &GreenbergEmbedding {
        &self.embedding
    }

    /// The lowest bit of the node that is theirs, the cube's dimensions being counted from 0.
    #[must_use]
    pub fn first_bit(&self) -> u32 {
        self.first_bit
    }

    fn new(guest: &Grid, axes: Axes) -> Result<Self, GreenbergError> {
        let dimensions: Vec<HostDimension> = guest.shape().dimensions().collect();
        let (rows, columns) = match axes {
            Axes::Alone(index) => (None, dimensions[index]),
            Axes::Pair(pair) => {
                let [one, other] = pair.map(|index| dimensions[index]);
                // The shorter one is compressed; of two as long as each other, the one that wraps.
                let rank = |axis| (guest.extent(axis).length(), !guest.extent(axis).is_ring());
                if rank(other) < rank(one) { (Some(other), one) } else { (Some(one), other) }
            }
        };
        let length = |axis| guest.extent(axis).length();
        let embedding = GreenbergEmbedding::new([rows.map_or(1, length), length(columns)])?;
        check_wrap(guest, columns, WrapPlace::Longer, embedding.method())?;
        if let Some(rows) = rows.filter(|_| embedding.method() == GreenbergMethod::Gray) {
            check_wrap(guest, rows, WrapPlace::Gray, embedding.method())?;
        }
        Ok(Self { rows, columns, embedding, first_bit: 0 })
    }

    /// The bits of the node that a process has from its coordinates in these dimensions.
    fn bits(&self, guest: &Grid, process: ProcessId) -> u32 {
        let coordinate = |axis| guest.shape().coordinate(NodeId::new(process.label()), axis);
        let node = self.embedding.node([self.rows.map_or(0, coordinate), coordinate(self.columns)]);
        node << self.first_bit
    }
}

/// Whether the ends of a guest dimension, which is not compressed, may be joined.
fn check_wrap(
    guest: &Grid,
    dimension: HostDimension,
    place: WrapPlace,
    method: GreenbergMethod,
) -> Result<(), GreenbergError> {
    let length = guest.extent(dimension).length();
    let place = match method {
        GreenbergMethod::Gray => WrapPlace::Gray,
        GreenbergMethod::Reflection => place,
    };
    let is_closed = method == GreenbergMethod::Gray && length.is_power_of_two();
    if is_closed || !guest.extent(dimension).is_ring() {
        return Ok(());
    }
    Err(GreenbergError::Wrap { dimension, length, place })
}

impl GreenbergPlacement {
    /// The placement of `guest` on `host`, a hypercube of [`Self::cube_dimensions`] dimensions.
    ///
    /// # Errors
    ///
    /// When the host is no hypercube of that size, the guest has over [`MeshSides::MAX_PROCESSES`]
    /// processes, or wraps where the embedding does not bring the ends of a dimension together.
    ///
    /// # Complexity
    ///
    /// O(P d) for P processes in d dimensions, and as [`GreenbergEmbedding::new`] for each pair.
    pub fn new(guest: &Machine, host: &Machine) -> Result<Self, GreenbergError> {
        let Some(grid) = guest.grid() else {
            return Err(GreenbergError::Network { kind: guest.kind() });
        };
        if host.graph().is_some() {
            return Err(GreenbergError::Network { kind: host.kind() });
        }
        let processes = guest.node_count();
        if processes > MeshSides::MAX_PROCESSES {
            return Err(GreenbergError::Processes { processes });
        }
        let expected = Self::cube_dimensions(guest);
        check_host(host, expected)?;
        let mut parts = vec![];
        let mut first_bit = 0;
        for axes in pairs(guest.shape().lengths()) {
            let part = PairedAxes { first_bit, ..PairedAxes::new(grid, axes)? };
            first_bit += part.embedding.cube_dimensions();
            parts.push(part);
        }
        let processes: Vec<ProcessId> = ProcessId::first(processes).collect();
        let node = |&process: &ProcessId| {
            NodeId::new(parts.iter().map(|part| part.bits(grid, process)).fold(0, |node, bits| node | bits))
        };
        let nodes = processes.par_iter().map(node).collect();
        let table = PlacementTable::new(host, nodes)?;
        Ok(Self { guest: guest.clone(), parts, table })
    }

    /// The dimensions of the hypercube that a guest of this shape needs: the smallest for one or
    /// two dimensions, of more one for each pair fewer than the Gray code (6.2).
    #[must_use]
    pub fn cube_dimensions(guest: &Machine) -> u32 {
        let lengths = guest.shape().lengths();
        let part = |axes: &Axes| match *axes {
            Axes::Alone(axis) => bits_of(lengths[axis]),
            Axes::Pair([one, other]) => {
                bits_of(lengths[one]) + bits_of(lengths[other])
                    - u32::from(saves(lengths[one], lengths[other]))
            }
        };
        pairs(lengths).iter().map(part).sum()
    }

    /// The guest.
    #[must_use]
    pub fn guest(&self) -> &Machine {
        &self.guest
    }

    /// Its dimensions as they are placed: in pairs, and alone.
    #[must_use]
    pub fn parts(&self) -> &[PairedAxes] {
        &self.parts
    }

    /// The nodes of the processes.
    #[must_use]
    pub fn table(&self) -> &PlacementTable {
        &self.table
    }

    /// Reflection where any pair is placed by it.
    #[must_use]
    pub fn method(&self) -> GreenbergMethod {
        let reflects = |part: &PairedAxes| part.embedding.method() == GreenbergMethod::Reflection;
        if self.parts.iter().any(reflects) { GreenbergMethod::Reflection } else { GreenbergMethod::Gray }
    }

    /// The most links between neighbours that are promised, those round the dimensions that wrap
    /// included \[links\].
    #[must_use]
    pub fn promised_dilation(&self) -> u32 {
        self.method().promised_dilation()
    }
}

impl fmt::Display for GreenbergPlacement {
    /// The meshes and the intermediate ones that they lie in, by dimensions:
    /// `dimensions 1 and 2: 5 x 11 in 4 x 16`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.parts.iter().enumerate() {
            let separator = if place > 0 { "; " } else { "" };
            let (sides, intermediate) = (part.embedding.sides(), part.embedding.intermediate());
            write!(formatter, "{separator}{part}: ")?;
            match part.rows {
                Some(_) => write!(
                    formatter,
                    "{} x {} in {} x {}",
                    sides.rows(),
                    sides.columns(),
                    intermediate.rows(),
                    intermediate.columns()
                )?,
                None => write!(formatter, "{} in {}", sides.columns(), intermediate.columns())?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for PairedAxes {
    /// Its dimensions, that of the rows first: `dimensions 1 and 2`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            Some(rows) => write!(formatter, "dimensions {rows} and {}", self.columns),
            None => write!(formatter, "dimension {}", self.columns),
        }
    }
}

fn check_host(host: &Machine, expected: u32) -> Result<(), GreenbergError> {
    let mut lengths = host.shape().dimensions().zip(host.shape().lengths());
    if let Some((dimension, &length)) = lengths.find(|&(_, &length)| length != 2) {
        return Err(GreenbergError::NoHypercube { dimension, length });
    }
    let found = host.shape().dimension_count();
    if found == expected as usize {
        return Ok(());
    }
    Err(GreenbergError::CubeDimensions { found, expected })
}

/// The axes of a guest that are placed together, by their indices: a pair, or one alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axes {
    /// Two.
    Pair([usize; 2]),
    /// One, by the Gray code.
    Alone(usize),
}

impl Axes {
    fn first(self) -> usize {
        match self {
            Self::Pair([first, _]) => first,
            Self::Alone(axis) => axis,
        }
    }
}

/// As many pairs as there can be of which each saves a dimension of the cube, in the order of their
/// first axes; two axes that are all there is are a pair in any case.
///
/// A pair saves one where the product of its sides is no more than half of what the Gray code has
/// slots. Axes fill the Gray code to some share each, and the fuller an axis is the fewer others it
/// goes with: to pair the fullest that still goes with the emptiest, again and again, gives the
/// most pairs.
fn pairs(lengths: &[u64]) -> Vec<Axes> {
    if lengths.len() == 2 {
        return vec![Axes::Pair([0, 1])];
    }
    let mut by_share: Vec<usize> = (0..lengths.len()).collect();
    // a / over(a) < b / over(b)
    by_share.sort_by_key(|&axis| (u128::from(lengths[axis]) << 64 >> bits_of(lengths[axis]), axis));
    let (mut axes, mut rest) = (vec![], by_share.as_slice());
    while let [emptiest, between @ .., fullest] = rest {
        rest = if saves(lengths[*emptiest], lengths[*fullest]) {
            let pair = [*emptiest, *fullest];
            axes.push(Axes::Pair([pair[0].min(pair[1]), pair[0].max(pair[1])]));
            between
        } else {
            axes.push(Axes::Alone(*fullest));
            &rest[..rest.len() - 1]
        };
    }
    axes.extend(rest.iter().map(|&axis| Axes::Alone(axis)));
    axes.sort_by_key(|axes| axes.first());
    axes
}

/// Whether the mesh of two sides needs a dimension fewer than its Gray code.
fn saves(one: u64, other: u64) -> bool {
    let gray = 1_u128 << (bits_of(one) + bits_of(other));
    2 * u128::from(one) * u128::from(other) <= gray
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_saves_a_dimension_where_reflection_is_its_method() {
        for rows in 1..=64 {
            for columns in rows..=64 {
                let reflects = MeshSides::new(rows, columns).unwrap().method() == GreenbergMethod::Reflection;
                assert_eq!(saves(rows, columns), reflects, "{rows} x {columns}");
            }
        }
    }

    /// The most pairs, by trial of all.
    fn most_pairs(lengths: &[u64]) -> usize {
        let Some((&first, others)) = lengths.split_first() else { return 0 };
        let with = |at: usize| {
            let rest: Vec<u64> =
                others.iter().enumerate().filter(|&(own, _)| own != at).map(|(_, &own)| own).collect();
            1 + most_pairs(&rest)
        };
        let paired = (0..others.len()).filter(|&at| saves(first, others[at])).map(with);
        paired.max().unwrap_or(0).max(most_pairs(others))
    }

    #[test]
    fn no_other_pairing_has_more_pairs() {
        let sides = [2, 3, 4, 5, 6, 7, 9, 11];
        for code in 0..8_usize.pow(5) {
            let lengths: Vec<u64> = (0..5).map(|digit| sides[code / 8_usize.pow(digit) % 8]).collect();
            if !lengths.is_sorted() {
                continue;
            }
            let found = pairs(&lengths);
            let count = found.iter().filter(|axes| matches!(axes, Axes::Pair(_))).count();
            assert_eq!(count, most_pairs(&lengths), "{lengths:?}");
            assert_eq!(count + found.len(), lengths.len(), "{lengths:?}");
        }
    }

    #[test]
    fn two_axes_are_a_pair_and_three_cubes_of_three_have_none() {
        assert_eq!(pairs(&[4, 4]), [Axes::Pair([0, 1])]);
        assert_eq!(pairs(&[3, 3, 3]), [Axes::Alone(0), Axes::Alone(1), Axes::Alone(2)]);
        assert_eq!(pairs(&[5, 4, 5]), [Axes::Pair([0, 2]), Axes::Alone(1)]);
        assert_eq!(pairs(&[7]), [Axes::Alone(0)]);
    }
}
