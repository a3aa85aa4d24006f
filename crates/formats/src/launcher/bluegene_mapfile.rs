//! `bluegene-mapfile`: coordinates and place in the node, a line per rank.
//!
//! IBM Blue Gene/Q Application Development, appendix on mapping, and `runjob --mapping`; on Blue Gene/L and
//! /P `BGLMPI_MAPPING`: a line per rank, in order, with the three or five coordinates on the torus and `T`,
//! the number of the process in its node.
//!
//! ```text
//! 0 0 0 0
//! 0 0 2 0
//! ```

use std::io::{self, Write};

use super::{FormatDescriptor, HostNaming, file::LauncherFile, reading::Reading};
use crate::input::text::{Remarks, lines};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "bluegene-mapfile",
    summary: "Coordinates and T of every rank, for runjob --mapping",
    hosts: HostNaming::Nodes,
    has_slots: true,
    check: |_| Ok(()),
    write,
    read,
};

/// Writes `p_1 .. p_c T` for each rank.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        for coordinate in file.address(seat.node).as_slice() {
            write!(output, "{coordinate} ")?;
        }
        writeln!(output, "{}", seat.turn)?;
    }
    Ok(())
}

fn read(reading: &mut Reading<'_>) {
    let expected = reading.region.machine.shape().dimension_count() + 1;
    for (rank, line) in (0..).zip(lines(reading.text, Remarks::None)) {
        let Some(process) = reading.next_process(line, rank) else { break };
        let words: Vec<&str> = line.split_whitespace().collect();
        let (found, Some((turn, coordinates))) = (words.len(), words.split_last()) else { continue };
        if found != expected {
            reading.complain(line, || {
                format!("{found} numbers, expected {expected}: the coordinates and T, the place in the node")
            });
            reading.seat(process, None, line);
            continue;
        }
        let node = reading.node_at(coordinates);
        let turn = reading.number(turn, "T", 0..=u32::MAX.into()).zip(words.last());
        reading.seat(process, node, line);
        if let (Some(node), Some((number, word))) = (node, turn) {
            reading.take(process, (node.index().into(), number), word);
        }
    }
}
