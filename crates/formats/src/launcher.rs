//! Placements in launcher formats: writes and reads the files that tell `mpirun`, `srun` and others the node of
//! every process.
//!
//! A process is a rank. With `L` the largest number of processes on one node of the machine, node `m` has the
//! slots `m L .. m L + L - 1`, and its processes take them in ascending order. A host, which launchers
//! identify by name or number, has `N` slots, a multiple of `L`: it consists of whole nodes of the machine with
//! consecutive numbers (the first coordinate varies fastest).
//!
//! In a partition, names and coordinates refer to the whole machine, as in placement files. Formats that
//! only number the nodes of a job ([`LauncherFormat::CRAY_RANK_ORDER`], [`LauncherFormat::FLUX_TASKMAP`])
//! number the nodes of the partition.
//!
//! Each format has a file with its descriptor, writer and reader, and a line in [`LauncherFormat::ALL`]. Nothing
//! here opens files or knows of scenarios.

mod bluegene_mapfile;
mod coordinates;
mod cray_rank_order;
mod error;
pub mod fabric;
mod file;
mod flux_taskmap;
mod fujitsu_rank_map;
mod host_lines;
pub mod host_names;
mod hosts;
mod hydra_hostfile;
mod jax_device_order;
mod open_mpi_rankfile;
mod reading;
mod slurm_hostfile;

#[cfg(test)]
mod tests;

use std::{
    cmp::Ordering,
    fmt,
    io::{self, Write},
};

use self::reading::Reading;
pub use self::reading::read;
pub use self::{
    coordinates::{CoordinateError, CoordinateMap},
    error::LauncherError,
    file::LauncherFile,
    hosts::{HostList, HostOptions},
};

/// A launcher's file format. The set is closed; scenarios and the command line use the same words.
#[derive(Clone, Copy)]
pub struct LauncherFormat(&'static FormatDescriptor);

struct FormatDescriptor {
    name: &'static str,
    summary: &'static str,
    hosts: HostNaming,
    has_slots: bool,
    /// Checks that the format can hold the placement.
    check: fn(&LauncherFile<'_>) -> Result<(), LauncherError>,
    write: fn(&LauncherFile<'_>, &mut dyn Write) -> io::Result<()>,
    /// Puts the processes on their nodes.
    read: fn(&mut Reading<'_>),
}

/// Ways of referring to the nodes of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HostNaming {
    /// By host names, which the machine does not know; a host may have several nodes.
    Names,
    /// By host numbers; a host may have several nodes.
    Numbers,
    /// By single nodes.
    Nodes,
    /// By the devices of a coordinate map, or by single nodes without one.
    Devices,
}

impl LauncherFormat {
    /// `rank N=host slot=S`, for `mpirun --rankfile`.
    pub const OPEN_MPI_RANKFILE: Self = Self(&open_mpi_rankfile::FORMAT);
    /// The host of every rank, for `srun --distribution=arbitrary`.
    pub const SLURM_HOSTFILE: Self = Self(&slurm_hostfile::FORMAT);
    /// The rank in each slot, for `MPICH_RANK_REORDER_METHOD=3`: the inverse of the others.
    pub const CRAY_RANK_ORDER: Self = Self(&cray_rank_order::FORMAT);
    /// Coordinates and place in the node of every rank, for `runjob --mapping`.
    pub const BLUEGENE_MAPFILE: Self = Self(&bluegene_mapfile::FORMAT);
    /// Blocks of nodes and tasks, for `flux submit --taskmap=manual:..`.
    pub const FLUX_TASKMAP: Self = Self(&flux_taskmap::FORMAT);
    /// Coordinates of every rank, for `pjsub --mpi rank-map-hostfile=..` and `mpiexec --vcoordfile`.
    pub const FUJITSU_RANK_MAP: Self = Self(&fujitsu_rank_map::FORMAT);
    /// Hosts with their consecutive ranks, for `mpiexec -machinefile` of MPICH and Intel MPI.
    pub const HYDRA_HOSTFILE: Self = Self(&hydra_hostfile::FORMAT);
    /// The position of the device of every process in `jax.devices()`, for `jax.sharding.Mesh`.
    pub const JAX_DEVICE_ORDER: Self = Self(&jax_device_order::FORMAT);
    /// The id of the device of every process.
    pub const JAX_DEVICE_IDS: Self = Self(&jax_device_order::IDS);

    /// Every format.
    pub const ALL: [Self; 9] = [
        Self::OPEN_MPI_RANKFILE,
        Self::SLURM_HOSTFILE,
        Self::CRAY_RANK_ORDER,
        Self::BLUEGENE_MAPFILE,
        Self::FLUX_TASKMAP,
        Self::FUJITSU_RANK_MAP,
        Self::HYDRA_HOSTFILE,
        Self::JAX_DEVICE_ORDER,
        Self::JAX_DEVICE_IDS,
    ];

    /// Its name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Contents and reader of the file, for a help text.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        self.0.summary
    }

    /// Whether it names nodes by hosts, which the machine does not know.
    #[must_use]
    pub const fn names_hosts(self) -> bool {
        matches!(self.0.hosts, HostNaming::Names)
    }

    /// Whether it gives the slot of a rank on its host.
    #[must_use]
    pub const fn has_slots(self) -> bool {
        self.0.has_slots
    }

    /// Whether it has hosts, by name or number, which may have several nodes of the machine.
    #[must_use]
    pub const fn groups_nodes(self) -> bool {
        matches!(self.0.hosts, HostNaming::Names | HostNaming::Numbers)
    }

    /// Whether a coordinate map can say which host or device a node is.
    #[must_use]
    pub const fn takes_coordinates(self) -> bool {
        matches!(self.0.hosts, HostNaming::Names | HostNaming::Devices)
    }

    /// Whether it names devices that only a coordinate map knows.
    #[must_use]
    pub fn needs_coordinates(self) -> bool {
        self == Self::JAX_DEVICE_IDS
    }
}

impl fmt::Display for LauncherFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Debug for LauncherFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("LauncherFormat").field(&self.name()).finish()
    }
}

impl PartialEq for LauncherFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for LauncherFormat {}

impl PartialOrd for LauncherFormat {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LauncherFormat {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}
