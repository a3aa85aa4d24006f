//! `fujitsu-rank-map`: coordinates of every rank in parentheses, a line per rank.
//!
//! Fujitsu Technical Computing Suite, Job Operation Software End-user's Guide, `pjsub --mpi
//! rank-map-hostfile=FILE`, and MPI User's Guide, `mpiexec --vcoordfile FILE`: a line per rank, in order,
//! with the logical coordinates of its node, one to three like the shape of the job. Ranks of one node take
//! its slots in ascending order.
//!
//! ```text
//! (0,0,0)
//! (1,0,0)
//! ```

use std::io::{self, Write};

use super::{
    FormatDescriptor, HostNaming, LauncherError, LauncherFormat, file::LauncherFile, reading::Reading,
};
use crate::input::text::{Remarks, described, lines};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "fujitsu-rank-map",
    summary: "Coordinates of every rank, for pjsub --mpi rank-map-hostfile=..",
    hosts: HostNaming::Nodes,
    has_slots: false,
    check,
    write,
    read,
};

const MAX_COORDINATES: usize = 3;

fn check(file: &LauncherFile<'_>) -> Result<(), LauncherError> {
    let found = file.region.machine.shape().dimension_count();
    if found <= MAX_COORDINATES {
        return Ok(());
    }
    Err(LauncherError::Dimensions { format: LauncherFormat::FUJITSU_RANK_MAP, found, most: MAX_COORDINATES })
}

/// Writes `(p_1,..)` for each rank.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        for (place, coordinate) in file.address(seat.node).as_slice().iter().enumerate() {
            write!(output, "{}{coordinate}", if place == 0 { '(' } else { ',' })?;
        }
        writeln!(output, ")")?;
    }
    Ok(())
}

fn read(reading: &mut Reading<'_>) {
    let expected = reading.region.machine.shape().dimension_count();
    for (rank, line) in (0..).zip(lines(reading.text, Remarks::None)) {
        let Some(process) = reading.next_process(line, rank) else { break };
        let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let words: Vec<&str> = inner.unwrap_or_default().split(',').map(str::trim).collect();
        if inner.is_none() || words.len() != expected {
            let form = form(expected);
            reading.complain(line, || format!("line is {}, expected {form}", described(line)));
            reading.seat(process, None, line);
            continue;
        }
        let node = reading.node_at(&words);
        reading.seat(process, node, line);
    }
}

/// Form of a line: `"(p_1,p_2)"`.
fn form(dimensions: usize) -> String {
    let names: Vec<String> = (1..=dimensions).map(|number| format!("p_{number}")).collect();
    format!("\"({})\"", names.join(","))
}
