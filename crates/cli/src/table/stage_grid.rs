//! The intermediate mesh of Greenberg 1987 as figure 6 prints it: which row of the mesh is in each slot.

use std::io::{self, Write};

use cubefold_mapping::{PairedAxes, SlotTable};

use super::grid::{BESIDE, EMPTY};
use crate::stage_name::StageName;

/// What stands between the last column of the cube and those beyond it.
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

/// What the grid shows.
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
    cube_columns: usize, // of as many columns as there are, where none is beyond
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
