//! The processes of a guest on the nodes of a hypercube machine, or of a torus as a polymorphic array.
//!
//! By the Gray code, and by reflection in pairs (6.2), each pair of axes, or axis alone, decides some bits of the node;
//! the parts share no bit.

use std::fmt;

use cubefold_topology::{Extent, Grid, Machine, NodeId};
use rayon::prelude::*;

use super::{
    GreenbergConstruction, GreenbergError, MeshSides, WrapPlace,
    paired_axes::{Axes, PairedAxes, check_open, pairs, two_dimensions},
    polymorphic::PolymorphicArray,
    slot_table::bits_of,
    tiles::Tiles,
};
use crate::{GraphGuest, Guest, PlacementTable, ProcessId, PromisedDilation};

/// The nodes of the processes of a guest on a machine.
///
/// On a hypercube of `sum ceil(log2 l_i)` dimensions or more, every grid lies by the Gray code. Two dimensions lie in
/// the smallest hypercube (theorem 3). Of further ones, as many as possible are taken in pairs that save a dimension of
/// the cube each, and the rest by the Gray code: dilation at most 5, no promise that the cube is the smallest (6.2).
/// Three sides `3 * 2^a` lie in the smallest cube by tiles.
///
/// ```
/// use cubefold_mapping::GreenbergPlacement;
/// use cubefold_topology::{Machine, MachineKind};
///
/// let guest = Machine::new(MachineKind::Mesh, &[5, 11])?;
/// let cube = |dimensions| Machine::new(MachineKind::Hypercube, &vec![2; dimensions]);
/// assert_eq!(GreenbergPlacement::new(&guest, &cube(6)?)?.promised_dilation().links, 5);
/// assert_eq!(GreenbergPlacement::new(&guest, &cube(7)?)?.promised_dilation().links, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GreenbergPlacement {
    guest: Machine,
    construction: GreenbergConstruction,
    parts: Vec<PairedAxes>, // empty by tiles and on a polymorphic array
    formula: String,
    dilation: PromisedDilation,
    table: PlacementTable,
}

/// A placement without its table.
struct Plan {
    construction: GreenbergConstruction,
    parts: Vec<PairedAxes>,
    formula: String,
    dilation: PromisedDilation,
}

impl GreenbergPlacement {
    /// The placement of `guest` on `host`, a hypercube: by the Gray code where it is large enough, else, on one of
    /// [`Self::cube_dimensions`] dimensions, by tiles or by reflection.
    ///
    /// # Errors
    ///
    /// When the host is not a hypercube of such a size, the guest has over [`MeshSides::MAX_PROCESSES`] processes, or wraps
    /// where the embedding does not bring the ends of a dimension together.
    ///
    /// # Complexity
    ///
    /// O(P d) for P processes in d dimensions, and as [`GreenbergEmbedding::new`](super::GreenbergEmbedding::new) for
    /// each pair.
    pub fn new(guest: &Machine, host: &Machine) -> Result<Self, GreenbergError> {
        let grid = guest_grid(guest, host)?;
        let (found, gray, least) = (cube(host)?, gray_dimensions(guest), Self::cube_dimensions(guest));
        if found >= gray as usize {
            return by_parts(GreenbergConstruction::Gray, gray_parts(grid)?).place(guest, host, grid);
        }
        if found != least as usize {
            return Err(GreenbergError::CubeDimensions { found, expected: least, gray: Some(gray) });
        }
        match Tiles::of(grid) {
            Some(tiles) => tiled().place_by(guest, host, |process| tiles.node(coordinates(grid, process))),
            None => by_parts(GreenbergConstruction::Reflection, paired_parts(grid)?).place(guest, host, grid),
        }
    }

    /// The placement by a construction.
    ///
    /// # Errors
    ///
    /// As [`Self::new`], and when the construction does not take the guest or the machine.
    pub fn named(
        construction: GreenbergConstruction,
        guest: &Machine,
        host: &Machine,
    ) -> Result<Self, GreenbergError> {
        let grid = guest_grid(guest, host)?;
        let expect = |expected: u32, is_least: bool| {
            let found = cube(host)?;
            let fits = found == expected as usize || (is_least && found > expected as usize);
            let gray = is_least.then_some(expected);
            if fits { Ok(()) } else { Err(GreenbergError::CubeDimensions { found, expected, gray }) }
        };
        let smallest = bits_of(guest.node_count());
        let parts = match construction {
            GreenbergConstruction::Gray => {
                expect(gray_dimensions(guest), true)?;
                gray_parts(grid)?
            }
            GreenbergConstruction::Reflection => {
                expect(paired_dimensions(guest), false)?;
                paired_parts(grid)?
            }
            GreenbergConstruction::LongerSide => {
                expect(smallest, false)?;
                vec![PairedAxes::longer_side(grid)?]
            }
            GreenbergConstruction::Folded => {
                expect(smallest, false)?;
                vec![PairedAxes::folded(grid)?]
            }
            GreenbergConstruction::Tiles => {
                let tiles = Tiles::of(grid).ok_or(GreenbergError::NoTiles)?;
                expect(tiles.cube_dimensions(), false)?;
                return tiled().place_by(guest, host, |process| tiles.node(coordinates(grid, process)));
            }
            GreenbergConstruction::Polymorphic => return on_array(guest, host, grid),
        };
        by_parts(construction, parts).place(guest, host, grid)
    }

    /// The dimensions of the smallest hypercube on which [`Self::new`] places a guest of this shape: the smallest of all
    /// for one or two dimensions and for three sides `3 * 2^a`, else one for each pair fewer than the Gray code
    /// (6.2).
    #[must_use]
    pub fn cube_dimensions(guest: &Machine) -> u32 {
        let tiles = guest.grid().and_then(Tiles::of);
        tiles.map_or_else(|| paired_dimensions(guest), Tiles::cube_dimensions)
    }

    /// The guest.
    #[must_use]
    pub fn guest(&self) -> &Machine {
        &self.guest
    }

    /// The construction.
    #[must_use]
    pub fn construction(&self) -> GreenbergConstruction {
        self.construction
    }

    /// The dimensions in the groups that are placed together, pairs or single ones; empty for placements by tiles and on a
    /// polymorphic array.
    #[must_use]
    pub fn parts(&self) -> &[PairedAxes] {
        &self.parts
    }

    /// The nodes of the processes.
    #[must_use]
    pub fn table(&self) -> &PlacementTable {
        &self.table
    }

    /// The statement that promises the dilation.
    #[must_use]
    pub fn statement(&self) -> &'static str {
        match self.construction {
            GreenbergConstruction::Reflection if self.parts.len() > 1 => "section 6.2",
            construction => construction.descriptor().statement,
        }
    }

    /// The promised links between neighbours, those round the dimensions that wrap included.
    #[must_use]
    pub fn promised_dilation(&self) -> PromisedDilation {
        self.dilation
    }

    /// Whether the embeddings of the parts have checked that neighbours are as near as promised.
    fn is_checked_by_its_parts(&self) -> bool {
        let wraps = self.guest.extents().any(Extent::is_ring);
        match self.construction {
            GreenbergConstruction::Gray
            | GreenbergConstruction::Reflection
            | GreenbergConstruction::LongerSide => !wraps,
            GreenbergConstruction::Folded
            | GreenbergConstruction::Tiles
            | GreenbergConstruction::Polymorphic => false,
        }
    }

    /// Checks that neighbours are as near as promised.
    fn checked(self) -> Result<Self, GreenbergError> {
        let (guest, machine) = (GraphGuest::new(self.guest.clone()), self.table.machine());
        let far = |dimension: usize| {
            let links = |(one, other)| machine.distance(self.table.node(one), self.table.node(other));
            guest.edges(dimension).map(links).max().unwrap_or(0)
        };
        let found = (0..guest.dimension_count()).map(far).max().unwrap_or(0);
        match u32::try_from(self.dilation.links) {
            Ok(promised) if found > self.dilation.links => {
                let found = usize::try_from(found).unwrap_or(usize::MAX);
                Err(GreenbergError::Dilation { found, promised })
            }
            Ok(_) | Err(_) => Ok(self),
        }
    }
}

impl fmt::Display for GreenbergPlacement {
    /// The meshes and their intermediate meshes, by dimensions: `dimensions 1 and 2: 5 x 11 in 4 x 16`;
    /// otherwise the function.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.formula)
    }
}

impl Plan {
    fn place(
        self,
        guest: &Machine,
        host: &Machine,
        grid: &Grid,
    ) -> Result<GreenbergPlacement, GreenbergError> {
        let parts = self.parts.clone();
        self.place_by(guest, host, |process| {
            parts.iter().map(|part| part.bits(grid, process)).fold(0, |node, bits| node | bits)
        })
    }

    fn place_by(
        self,
        guest: &Machine,
        host: &Machine,
        node: impl Fn(ProcessId) -> u32 + Sync,
    ) -> Result<GreenbergPlacement, GreenbergError> {
        let processes: Vec<ProcessId> = ProcessId::first(guest.node_count()).collect();
        let nodes = processes.par_iter().map(|&process| NodeId::new(node(process))).collect();
        let table = PlacementTable::new(host, nodes)?;
        let Self { construction, parts, formula, dilation } = self;
        let placed =
            GreenbergPlacement { guest: guest.clone(), construction, parts, formula, dilation, table };
        if placed.is_checked_by_its_parts() { Ok(placed) } else { placed.checked() }
    }
}

/// The grid of a guest of at most [`MeshSides::MAX_PROCESSES`] processes for a grid.
fn guest_grid<'guest>(guest: &'guest Machine, host: &Machine) -> Result<&'guest Grid, GreenbergError> {
    let Some(grid) = guest.grid() else { return Err(GreenbergError::Network { kind: guest.kind() }) };
    if host.graph().is_some() {
        return Err(GreenbergError::Network { kind: host.kind() });
    }
    let processes = guest.node_count();
    if processes > MeshSides::MAX_PROCESSES {
        return Err(GreenbergError::Processes { processes });
    }
    Ok(grid)
}

/// The number of dimensions of a machine that is a hypercube.
fn cube(host: &Machine) -> Result<usize, GreenbergError> {
    let mut lengths = host.shape().dimensions().zip(host.shape().lengths());
    match lengths.find(|&(_, &length)| length != 2) {
        Some((dimension, &length)) => Err(GreenbergError::NoHypercube { dimension, length }),
        None => Ok(host.shape().dimension_count()),
    }
}

/// `sum ceil(log2 l_i)`.
fn gray_dimensions(guest: &Machine) -> u32 {
    guest.shape().lengths().iter().map(|&length| bits_of(length)).sum()
}

/// The same, one fewer for each pair.
fn paired_dimensions(guest: &Machine) -> u32 {
    let lengths = guest.shape().lengths();
    let saved = |axes: Axes| match axes {
        Axes::Pair(_) => 1,
        Axes::Alone(_) => 0,
    };
    gray_dimensions(guest) - pairs(lengths).into_iter().map(saved).sum::<u32>()
}

/// The Gray code along all dimensions: of two, in one part.
fn gray_parts(grid: &Grid) -> Result<Vec<PairedAxes>, GreenbergError> {
    match grid.shape().dimension_count() {
        2 => Ok(vec![PairedAxes::gray(grid, Some(0), 1)?]),
        dimensions => side_by_side((0..dimensions).map(|dimension| PairedAxes::gray(grid, None, dimension))),
    }
}

/// Pairs by reflection and the other dimensions by the Gray code.
fn paired_parts(grid: &Grid) -> Result<Vec<PairedAxes>, GreenbergError> {
    side_by_side(pairs(grid.shape().lengths()).into_iter().map(|axes| match axes {
        Axes::Pair(pair) => PairedAxes::reflected(grid, pair),
        Axes::Alone(dimension) => PairedAxes::gray(grid, None, dimension),
    }))
}

/// Parts one above the other in the bits of the node.
fn side_by_side(
    parts: impl Iterator<Item = Result<PairedAxes, GreenbergError>>,
) -> Result<Vec<PairedAxes>, GreenbergError> {
    let mut first_bit = 0;
    let above = |part: Result<PairedAxes, GreenbergError>| {
        let part = part?.above(first_bit);
        first_bit += part.embedding().cube_dimensions();
        Ok(part)
    };
    parts.map(above).collect()
}

/// A placement by parts, whose promise is the largest of theirs.
fn by_parts(construction: GreenbergConstruction, parts: Vec<PairedAxes>) -> Plan {
    let promised = parts.iter().map(|part| part.embedding().promised_dilation()).max().unwrap_or(1);
    let dilation = match construction {
        GreenbergConstruction::Gray => PromisedDilation::exactly(promised.into()),
        // Two edges of the mesh, and a move of each end in the percolation.
        GreenbergConstruction::Folded => PromisedDilation::at_most(8),
        _ => PromisedDilation::at_most(promised.into()),
    };
    let of_part = |part: &PairedAxes| format!("{part}: {}", part.mesh_in_mesh());
    let formula = parts.iter().map(of_part).collect::<Vec<_>>().join("; ");
    Plan { construction, parts, formula, dilation }
}

fn tiled() -> Plan {
    Plan {
        construction: GreenbergConstruction::Tiles,
        parts: vec![],
        formula: "dimensions 1, 2 and 3: tiles of 3 x 3 x 3 in 32".to_owned(),
        dilation: PromisedDilation::exactly(2),
    }
}

fn on_array(guest: &Machine, host: &Machine, grid: &Grid) -> Result<GreenbergPlacement, GreenbergError> {
    for dimension in two_dimensions(grid)? {
        check_open(grid, dimension, WrapPlace::Array)?;
    }
    let array = PolymorphicArray::of(host)?;
    let (on_cube, formula, dilation) = match cube(host) {
        Ok(dimensions) => {
            let on_cube = array_on_cube(array, host, dimensions)?;
            let formula = format!("{array}, on the hypercube as a torus: {}", on_cube.formula);
            // A step along the array is one along each dimension of the torus.
            let dilation = PromisedDilation::at_most(2 * on_cube.dilation.links);
            (Some(on_cube), formula, dilation)
        }
        Err(_) => (None, array.to_string(), PromisedDilation::at_most(2)),
    };
    let construction = GreenbergConstruction::Polymorphic;
    let plan = Plan { construction, parts: vec![], formula, dilation };
    plan.place_by(guest, host, |process| {
        let node = array.node(coordinates(grid, process));
        on_cube.as_ref().map_or(node, |placed| placed.table.node(ProcessId::new(node)).index())
    })
}

/// The torus of an array on its smallest hypercube: by the Gray code if that fits, else with the longer side folded.
fn array_on_cube(
    array: PolymorphicArray,
    host: &Machine,
    dimensions: usize,
) -> Result<GreenbergPlacement, GreenbergError> {
    let torus = array.torus()?;
    let by_gray = gray_dimensions(&torus) as usize == dimensions;
    let construction = if by_gray { GreenbergConstruction::Gray } else { GreenbergConstruction::Folded };
    GreenbergPlacement::named(construction, &torus, host)
}

/// The coordinates of a process of a guest of as many dimensions.
fn coordinates<const DIMENSIONS: usize>(grid: &Grid, process: ProcessId) -> [u32; DIMENSIONS] {
    let mut all = [0; DIMENSIONS];
    for (slot, dimension) in all.iter_mut().zip(grid.shape().dimensions()) {
        *slot = grid.shape().coordinate(NodeId::new(process.label()), dimension);
    }
    all
}
