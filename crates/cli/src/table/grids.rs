//! Placements drawn as grids: a machine with the process of each node, and the intermediate mesh of Greenberg
//! 1987 with the row of the mesh in each slot.
//!
//! Columns of a machine are the first coordinate, rows the second, as in figures 2, 3 and 6 of González & Valero 1993;
//! further coordinates make layers. The intermediate mesh follows figure 6 of Greenberg.

use std::io::{self, Write};

use cubefold_mapping::{PairedAxes, Placement, SlotTable};
use cubefold_topology::NodeId;

use crate::option_value::StageName;

/// The sign of an empty node.
pub(super) const EMPTY: &str = ".";
/// The separator of the processes of one node.
pub(super) const BESIDE: &str = "+";

/// Writes the grid row by row, so that a large one is never held as a whole.
pub(crate) fn write_grid(output: &mut impl Write, placement: &Placement) -> io::Result<()> {
    let machine = placement.machine();
    let lengths = machine.shape().lengths();
    let width = width(placement);
    let layer = lengths[0] * lengths.get(1).copied().unwrap_or(1);
    for node in machine.nodes() {
        let index = u64::from(node.index());
        if index.is_multiple_of(layer) && lengths.len() > 2 {
            write_layer_title(output, placement, node)?;
        }
        let separator = if (index + 1).is_multiple_of(lengths[0]) { "\n" } else { " " };
        write!(output, "{:>width$}{separator}", cell(placement, node))?;
    }
    Ok(())
}

/// The processes of a node.
fn cell(placement: &Placement, node: NodeId) -> String {
    let processes: Vec<String> = placement.processes(node).map(|process| process.to_string()).collect();
    if processes.is_empty() { EMPTY.to_owned() } else { processes.join(BESIDE) }
}

/// The width of the widest cell: of the greatest label, if no processes share a node.
fn width(placement: &Placement) -> usize {
    if placement.is_one_to_one() {
        return (placement.process_count() - 1).to_string().len().max(EMPTY.len());
    }
    placement.machine().nodes().map(|node| cell(placement, node).len()).max().unwrap_or(0)
}

/// The title of the layer that begins at `node`: its coordinates from the third on.
fn write_layer_title(output: &mut impl Write, placement: &Placement, node: NodeId) -> io::Result<()> {
    let coordinates = placement.machine().shape().coordinates(node);
    let named = coordinates.as_slice().iter().enumerate().skip(2);
    let named: Vec<String> = named.map(|(index, value)| format!("p_{} = {value}", index + 1)).collect();
    let gap = if node.index() == 0 { "" } else { "\n" };
    writeln!(output, "{gap}{}", named.join(", "))
}

/// The separator of the last column of the cube and those beyond it.
const END_OF_CUBE: &str = "|";

/// Writes a title and the rows of slots, in the order of the Gray code; rows of the mesh count from 1.
pub(crate) fn write_stage(
    output: &mut impl Write,
    stage: StageName,
    part: &PairedAxes,
    table: &SlotTable,
) -> io::Result<()> {
    let grid = Grid::new(part, table);
    writeln!(output, "{} ({part})\n{}", stage.summary(), subject(part))?;
    for row in &grid.rows {
        grid.write_row(output, row)?;
    }
    Ok(())
}

/// The title of the grid.
fn subject(part: &PairedAxes) -> String {
    let (sides, intermediate) = (part.embedding().sides(), part.embedding().intermediate());
    let slots = format!("{} x {} slots", intermediate.rows(), intermediate.columns());
    match part.rows() {
        Some(_) => format!("rows 1 to {} of the {0} x {} mesh in {slots}", sides.rows(), sides.columns()),
        None => format!("positions 1 to {} of the line in {slots}", sides.columns()),
    }
}

/// The cells of all slots.
struct Grid {
    rows: Vec<Vec<String>>,
    width: usize,        // of the widest cell
    cube_columns: usize, // all columns, if all belong to the cube
}

impl Grid {
    fn new(part: &PairedAxes, table: &SlotTable) -> Self {
        let intermediate = part.embedding().intermediate();
        let columns = table.width().max(intermediate.columns()) as usize;
        let mut rows = vec![vec![String::new(); columns]; intermediate.rows() as usize];
        for (row, column, slot) in table.iter() {
            let entry = if part.rows().is_some() { row + 1 } else { column + 1 };
            let cell = &mut rows[slot.row as usize][slot.column as usize];
            *cell = if cell.is_empty() { entry.to_string() } else { format!("{cell}{BESIDE}{entry}") };
        }
        for cell in rows.iter_mut().flatten().filter(|cell| cell.is_empty()) {
            EMPTY.clone_into(cell);
        }
        let width = rows.iter().flatten().map(String::len).max().unwrap_or(0);
        Self { rows, width, cube_columns: intermediate.columns() as usize }
    }

    fn write_row(&self, output: &mut impl Write, row: &[String]) -> io::Result<()> {
        for (column, cell) in row.iter().enumerate() {
            let separator = match column {
                0 => String::new(),
                _ if column == self.cube_columns => format!(" {END_OF_CUBE} "),
                _ => " ".to_owned(),
            };
            write!(output, "{separator}{cell:>width$}", width = self.width)?;
        }
        writeln!(output)
    }
}

#[cfg(test)]
mod tests {
    use cubefold_mapping::{EmbeddingKind, Hypercube, PlacementTable};
    use cubefold_topology::{Machine, MachineKind};

    use super::*;

    fn grid(placement: &Placement) -> String {
        let mut drawn = vec![];
        write_grid(&mut drawn, placement).unwrap();
        String::from_utf8(drawn).unwrap()
    }

    #[test]
    fn a_cube_on_a_torus_is_drawn_row_by_row() {
        let torus = Machine::new(MachineKind::Torus, &[4, 4]).unwrap();
        let xor = Placement::embed(EmbeddingKind::Xor, Hypercube::new(4).unwrap(), &torus).unwrap();
        assert_eq!(grid(&xor), " 0  1  3  2\n 4  5  7  6\n12 13 15 14\n 8  9 11 10\n");
    }

    #[test]
    fn empty_nodes_are_dots_and_third_dimensions_layers() {
        let mesh = Machine::new(MachineKind::Mesh, &[2, 2, 2]).unwrap();
        let nodes = [5, 0].map(NodeId::new).to_vec();
        let placement = Placement::Table(PlacementTable::new(&mesh, nodes).unwrap());
        assert_eq!(grid(&placement), "p_3 = 0\n1 .\n. .\n\np_3 = 1\n. 0\n. .\n");
    }

    #[test]
    fn processes_of_one_node_stand_side_by_side() {
        let line = Machine::new(MachineKind::Line, &[3]).unwrap();
        let nodes = [2, 0, 2, 2].map(NodeId::new).to_vec();
        let placement = Placement::Table(PlacementTable::new(&line, nodes).unwrap());
        assert_eq!(grid(&placement), "    1     . 0+2+3\n");
    }
}
