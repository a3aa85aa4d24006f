//! `hydra-hostfile`: a host and its number of consecutive ranks per line.
//!
//! MPICH Hydra, "Using the Hydra Process Manager", and Intel MPI Library, Developer Reference,
//! `-machinefile`: each line takes the next ranks, in the number it gives. A host may have several lines.
//!
//! ```text
//! node-1:2
//! node-3:1
//! ```

use std::io::{self, Write};

use super::{
    FormatDescriptor, HostNaming, file::LauncherFile, reading::Reading, slurm_hostfile::RanksInOrder,
};
use crate::input::text::{Remarks, described, lines};

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "hydra-hostfile",
    summary: "Hosts with their consecutive ranks, for mpiexec -machinefile of MPICH and Intel MPI; needs --hosts",
    hosts: HostNaming::Names,
    has_slots: false,
    check: |_| Ok(()),
    write,
    read,
};

/// Writes a line for each run of ranks on one host.
fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    let mut hosts = file.seats().map(|seat| file.host(seat)).peekable();
    while let Some(host) = hosts.next() {
        let mut count = 1_u64;
        while hosts.next_if_eq(&host).is_some() {
            count += 1;
        }
        writeln!(output, "{host}:{count}")?;
    }
    Ok(())
}

/// Reads the lines; a number of 1 may be omitted.
fn read(reading: &mut Reading<'_>) {
    let Some(mut ranks) = RanksInOrder::new(reading) else { return };
    for line in lines(reading.text, Remarks::AfterHash) {
        // Addresses contain colons.
        let is_host = ranks.is_host(line);
        let (name, count) = match line.rsplit_once(':').filter(|_| !is_host) {
            None => (line, Some(1)),
            Some((name, count)) => {
                (name, reading.number(count.trim(), "the number of ranks", 1..=reading.processes))
            }
        };
        let Some(count) = count else {
            reading.no_more_missing();
            continue;
        };
        if name.contains(char::is_whitespace) {
            reading.complain_of_rank(line, || format!("line is {}, expected HOST:RANKS", described(line)));
            continue;
        }
        for _ in 0..count {
            if !ranks.seat_next(reading, name, line) {
                return;
            }
        }
    }
}
