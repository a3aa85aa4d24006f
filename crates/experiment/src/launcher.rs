//! Placements in the words of launchers: the files that tell `mpirun`, `srun` and their kin which process goes
//! where, written and read back.
//!
//! A process is a rank. With `L` the most processes on one node of the machine, its node `m` has the slots
//! `m L .. m L + L - 1`, and the processes on it take them in ascending order. A host, which is what a launcher
//! calls by a name or a number, has `N` slots, a multiple of `L`: one node of the machine after the other, in the
//! order of their numbers (the first coordinate runs fastest), and none divided.
//!
//! In a partition, names and coordinates are those of the whole machine, as in placement files. Formats that
//! only number the nodes of a job ([`LauncherFormat::CrayRankOrder`], [`LauncherFormat::FluxTaskmap`]) number those
//! of the partition, which are what the job is given.
//!
//! Each format has a file with its writer and its reader. Nothing here opens files or knows of scenarios.

mod bluegene_mapfile;
mod cray_rank_order;
mod error;
mod file;
mod flux_taskmap;
mod format;
mod fujitsu_rank_map;
mod host_list;
mod open_mpi_rankfile;
mod reading;
mod slots;
mod slurm_hostfile;
mod turns;

#[cfg(test)]
mod tests;

pub(crate) use self::reading::read;
pub use self::{
    error::LauncherError,
    file::{HostOptions, LauncherFile},
    format::LauncherFormat,
    host_list::HostList,
};
