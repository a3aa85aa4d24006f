//! `slurm-hostfile`: host of every rank, a line per rank.
//!
//! Slurm, srun(1), `--distribution=arbitrary`: tasks go to hosts in the order of the file that
//! `SLURM_HOSTFILE` names; a line may hold several (`node[000-255]`). The file has no slots: on a host, tasks
//! come in ascending order, and `--cpu-bind` binds them.
//!
//! ```text
//! node-1
//! node-3
//! node-2
//! ```

use std::io::{self, Write};

use super::{
    FormatDescriptor, HostNaming,
    file::LauncherFile,
    host_names::{MAX_HOSTS, NameError, expanded, parts},
    reading::{NodesOfHosts, Reading},
};
use crate::input::text::{Remarks, counted, described, lines};

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
        writeln!(output, "{}", file.host(seat))?;
    }
    Ok(())
}

/// Reads the hosts; a line may abbreviate several.
fn read(reading: &mut Reading<'_>) {
    let Some(hosts) = single_nodes(reading) else { return };
    let mut rank = 0;
    for line in lines(reading.text, Remarks::AfterHash) {
        for part in parts(line).map(str::trim) {
            let names = match expanded(part) {
                Ok(names) => names,
                // An invalid name is reported as an unknown host.
                Err(NameError::Malformed) => vec![part.to_owned()],
                Err(NameError::TooMany) => {
                    reading.complain_of_rank(part, || format!("more than {MAX_HOSTS} hosts"));
                    return;
                }
            };
            for name in names {
                if !seat_next(reading, hosts, &mut rank, &name, part) {
                    return;
                }
            }
        }
    }
}

/// Hosts with at most one node each; reports an error and returns `None` if one has several.
pub(super) fn single_nodes<'t>(reading: &mut Reading<'t>) -> Option<NodesOfHosts<'t>> {
    let hosts = reading.hosts()?;
    let each = hosts.nodes_per_host;
    if each > 1 {
        let (found, expected) = (hosts.names.count(), hosts.names.count() * each);
        reading.complain_of_all(|| {
            let found = counted(found, "host");
            format!("{found}, expected {expected}, one a node: this format has no slots")
        });
        return None;
    }
    Some(hosts)
}

/// Puts the next rank on a host named by `part`. Returns whether more ranks may follow.
pub(super) fn seat_next(
    reading: &mut Reading<'_>,
    hosts: NodesOfHosts<'_>,
    rank: &mut u64,
    name: &str,
    part: &str,
) -> bool {
    let Some(process) = reading.next_process(part, *rank) else { return false };
    *rank += 1;
    let place = hosts.names.place(name);
    if place.is_none() {
        let found = described(name);
        reading.complain(part, || format!("host {found} is none of the hosts, expected one of them"));
    }
    let node = place.and_then(|place| reading.numbered_node(part, hosts.node(place)));
    reading.seat(process, node, part);
    true
}
