//! A machine drawn as a grid with the process of each node.
//!
//! Columns are the first coordinate, rows the second, as figures 2, 3 and 6 of González & Valero 1993
//! draw them; further coordinates make layers.

use std::io::{self, Write};

use cubefold_mapping::Placement;
use cubefold_topology::NodeId;

/// What stands for an empty node.
pub(super) const EMPTY: &str = ".";
/// What stands between the processes of one node.
pub(super) const BESIDE: &str = "+";

/// Writes the grid, row by row: a large one is never held as a whole.
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

/// The width of the widest cell: of the greatest label, where no processes share a node.
fn width(placement: &Placement) -> usize {
    if placement.is_one_to_one() {
        return (placement.process_count() - 1).to_string().len().max(EMPTY.len());
    }
    placement.machine().nodes().map(|node| cell(placement, node).len()).max().unwrap_or(0)
}

/// Says which coordinates, from the third on, the layer that begins at `node` has.
fn write_layer_title(output: &mut impl Write, placement: &Placement, node: NodeId) -> io::Result<()> {
    let coordinates = placement.machine().shape().coordinates(node);
    let named = coordinates.as_slice().iter().enumerate().skip(2);
    let named: Vec<String> = named.map(|(index, value)| format!("p_{} = {value}", index + 1)).collect();
    let gap = if node.index() == 0 { "" } else { "\n" };
    writeln!(output, "{gap}{}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_mapping::{EmbeddingKind, Hypercube, PlacementTable};
    use cubefold_topology::{Machine, MachineKind};

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
