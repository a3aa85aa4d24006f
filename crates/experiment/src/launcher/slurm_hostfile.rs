//! `slurm-hostfile`: the host of every rank, a line a rank.
//!
//! Slurm, srun(1), `--distribution=arbitrary`: tasks are given to hosts in the order in which the file that
//! `SLURM_HOSTFILE` names lists them. The file has no word for slots: on a host the tasks come in ascending order,
//! and where they are bound is for `--cpu-bind` to say.
//!
//! ```text
//! node-1
//! node-3
//! node-2
//! ```

use std::io::{self, Write};

use super::{FormatDescriptor, HostNaming, file::LauncherFile, reading::Reading};
use crate::text::{Remarks, described, lines};

/// The format.
pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "slurm-hostfile",
    summary: "Host of every rank, for srun --distribution=arbitrary; needs --hosts",
    hosts: HostNaming::Names,
    has_slots: false,
    check: |_| Ok(()),
    write,
    read,
};

/// Writes the host of each rank.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        writeln!(output, "{}", file.host(seat.node))?;
    }
    Ok(())
}

/// Reads the hosts, each of which must be one node of the machine.
fn read(reading: &mut Reading<'_>) {
    let Some((hosts, each)) = reading.hosts() else { return };
    if each > 1 {
        let (found, expected) = (hosts.count(), hosts.count() * each);
        reading.complain_of_all(|| {
            format!("{found} hosts, expected {expected}, one a node: this format does not tell slots")
        });
        return;
    }
    for (rank, line) in (0..).zip(lines(reading.text, Remarks::AfterHash)) {
        let Some(process) = reading.next_process(line, rank) else { break };
        let place = hosts.place(line);
        if place.is_none() {
            let found = described(line);
            reading.complain(line, || format!("host {found} is none of the hosts, expected one of them"));
        }
        let node = place.and_then(|place| reading.numbered_node(line, place));
        reading.seat(process, node, line);
    }
}
