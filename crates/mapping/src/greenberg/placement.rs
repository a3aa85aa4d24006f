//! The processes of a guest on the nodes of a hypercube machine, its axes taken in pairs.

use std::fmt;

use cubefold_topology::{Grid, HostDimension, Machine, NodeId};
use rayon::prelude::*;

use super::{
    GreenbergEmbedding, GreenbergError, MeshSides, Method, WrapPlace,
    mesh_sides::bits_of,
    pairing::{Axes, pairs, saves},
};
use crate::{PlacementTable, ProcessId};

/// Where the processes of a mesh sit on a hypercube.
///
/// Two dimensions lie in the smallest hypercube (theorem 3). Of more, as many as possible are taken in pairs that save
/// a dimension of the cube each, and what is left by the Gray code: dilation at most 5, no promise that the cube is
/// the smallest (6.2). A guest dimension may wrap where the embedding brings its ends together: as the compressed,
/// shorter side of a mesh by reflection (6.2, "column wrap-around"), or by the Gray code at a power of two.
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

/// Two dimensions of a guest that are placed together, or one alone, with the bits of the node that they decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairedAxes {
    rows: Option<HostDimension>, // of the guest; none where one is alone
    columns: HostDimension,
    embedding: GreenbergEmbedding, // of (rows, columns)
    first_bit: u32,
}

impl PairedAxes {
    /// The guest dimension whose coordinate is the row of the mesh, which is compressed; none where one dimension is
    /// placed alone, as a mesh of one row.
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
        if let Some(rows) = rows.filter(|_| embedding.method() == Method::Gray) {
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
    method: Method,
) -> Result<(), GreenbergError> {
    let length = guest.extent(dimension).length();
    let place = match method {
        Method::Gray => WrapPlace::Gray,
        Method::Reflection => place,
    };
    let is_closed = method == Method::Gray && length.is_power_of_two();
    if is_closed || !guest.extent(dimension).is_ring() {
        return Ok(());
    }
    Err(GreenbergError::Wrap { dimension, length, place })
}

impl GreenbergPlacement {
    /// The placement of `guest` on `host`, which has the dimensions that [`Self::cube_dimensions`] tells.
    ///
    /// # Errors
    ///
    /// When the host is no hypercube of that size, the guest has over [`MeshSides::MAX_PROCESSES`] processes, or wraps
    /// where the embedding does not bring the ends of a dimension together.
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

    /// The dimensions of the hypercube that a guest of this shape needs: the smallest with room for one or two
    /// dimensions, of more one for each pair fewer than the Gray code (6.2).
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
    pub fn method(&self) -> Method {
        let reflects = |part: &PairedAxes| part.embedding.method() == Method::Reflection;
        if self.parts.iter().any(reflects) { Method::Reflection } else { Method::Gray }
    }

    /// The most links between neighbours that are promised, those round the dimensions that wrap included \[links\].
    #[must_use]
    pub fn promised_dilation(&self) -> u32 {
        self.method().promised_dilation()
    }
}

impl fmt::Display for GreenbergPlacement {
    /// The meshes and the intermediate ones that they lie in, by dimensions: `dimensions 1 and 2: 5 x 11 in 4 x 16`.
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
