//! `slurm-hostfile`: host of every rank, a line per rank.
//!
//! Slurm, srun(1), `--distribution=arbitrary`: tasks go to hosts in the order of the file that
//! `SLURM_HOSTFILE` names; a line may hold several (`node[000-255]`). The file has no slots: on a host, tasks
//! come in ascending order, and `--cpu-bind` binds them. On a cluster, the devices of a node take its ranks in order.
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

pub(super) static FORMAT: FormatDescriptor = FormatDescriptor {
    name: "slurm-hostfile",
    summary: "Host of every rank, for srun --distribution=arbitrary; needs --hosts",
    hosts: HostNaming::Names,
    has_slots: false,
    check: |_| Ok(()),
    write,
    read,
};

fn write(file: &LauncherFile<'_>, output: &mut dyn Write) -> io::Result<()> {
    for seat in file.seats() {
        writeln!(output, "{}", file.host(seat))?;
    }
    Ok(())
}

/// Reads the hosts; a line may abbreviate several.
fn read(reading: &mut Reading<'_>) {
    let Some(mut ranks) = RanksInOrder::new(reading) else { return };
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
                if !ranks.seat_next(reading, &name, part) {
                    return;
                }
            }
        }
    }
}

/// Ranks in their order, each with the name of its host. The devices of a cluster's node take its ranks in turn.
pub(super) struct RanksInOrder<'t> {
    hosts: NodesOfHosts<'t>,
    next: u64, // rank
}

impl<'t> RanksInOrder<'t> {
    /// No rank yet; reports an error and returns `None` if hosts have several nodes that are not devices of a cluster.
    pub(super) fn new(reading: &mut Reading<'t>) -> Option<Self> {
        let hosts = reading.hosts()?;
        let each = hosts.nodes_per_host;
        if each > 1 && each != reading.devices() {
            let (found, expected) = (hosts.names.count(), hosts.names.count() * each);
            reading.complain_of_all(|| {
                let found = counted(found, "host");
                format!("{found}, expected {expected}, one a node: this format has no slots")
            });
            return None;
        }
        Some(Self { hosts, next: 0 })
    }

    /// Whether a host has this name.
    pub(super) fn is_host(&self, name: &str) -> bool {
        self.hosts.names.place(name).is_some()
    }

    /// Puts the next rank on a host named by `part`. Returns whether more ranks may follow.
    pub(super) fn seat_next(&mut self, reading: &mut Reading<'_>, name: &str, part: &str) -> bool {
        let Some(process) = reading.next_process(part, self.next) else { return false };
        self.next += 1;
        let place = self.hosts.names.place(name);
        if place.is_none() {
            let found = described(name);
            reading.complain(part, || format!("host {found} is none of the hosts, expected one of them"));
        }
        let node = place.and_then(|place| {
            let is_cluster = self.hosts.nodes_per_host > 1;
            let device = if is_cluster { reading.next_device(place, name, part)? } else { 0 };
            reading.numbered_node(part, self.hosts.node(place) + device)
        });
        reading.seat(process, node, part);
        true
    }
}
