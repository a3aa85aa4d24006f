//! The formats there are.

use std::fmt;

/// A launcher's file format. The set is closed; scenarios and the command line use the same words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LauncherFormat {
    /// `rank N=host slot=S`, for `mpirun --rankfile`.
    OpenMpiRankfile,
    /// The host of every rank, for `srun --distribution=arbitrary`.
    SlurmHostfile,
    /// Which rank sits in which slot, for `MPICH_RANK_REORDER_METHOD=3`: the inverse of the others.
    CrayRankOrder,
    /// Coordinates and the place in the node of every rank, for `runjob --mapping`.
    BluegeneMapfile,
    /// Blocks of nodes and tasks, for `flux submit --taskmap=manual:..`.
    FluxTaskmap,
    /// Coordinates of every rank, for `pjsub --mpi rank-map-hostfile=..` and `mpiexec --vcoordfile`.
    FujitsuRankMap,
}

impl LauncherFormat {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::OpenMpiRankfile,
        Self::SlurmHostfile,
        Self::CrayRankOrder,
        Self::BluegeneMapfile,
        Self::FluxTaskmap,
        Self::FujitsuRankMap,
    ];

    /// Its name in scenarios and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenMpiRankfile => "open-mpi-rankfile",
            Self::SlurmHostfile => "slurm-hostfile",
            Self::CrayRankOrder => "cray-rank-order",
            Self::BluegeneMapfile => "bluegene-mapfile",
            Self::FluxTaskmap => "flux-taskmap",
            Self::FujitsuRankMap => "fujitsu-rank-map",
        }
    }

    /// What it holds and what reads it, for a help text.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::OpenMpiRankfile => "Host and slot of every rank, for mpirun --rankfile; needs --hosts",
            Self::SlurmHostfile => "Host of every rank, for srun --distribution=arbitrary; needs --hosts",
            Self::CrayRankOrder => "Rank of every slot, for MPICH_RANK_REORDER_METHOD=3",
            Self::BluegeneMapfile => "Coordinates and T of every rank, for runjob --mapping",
            Self::FluxTaskmap => "Nodes and tasks in blocks, for flux submit --taskmap=manual:..",
            Self::FujitsuRankMap => "Coordinates of every rank, for pjsub --mpi rank-map-hostfile=..",
        }
    }

    /// Whether it calls nodes by the names of hosts, which the machine does not know.
    #[must_use]
    pub const fn names_hosts(self) -> bool {
        match self {
            Self::OpenMpiRankfile | Self::SlurmHostfile => true,
            Self::CrayRankOrder | Self::BluegeneMapfile | Self::FluxTaskmap | Self::FujitsuRankMap => false,
        }
    }

    /// Whether it speaks of hosts, by name or number, which may have several nodes of the machine.
    #[must_use]
    pub const fn groups_nodes(self) -> bool {
        match self {
            Self::OpenMpiRankfile | Self::SlurmHostfile | Self::FluxTaskmap => true,
            Self::CrayRankOrder | Self::BluegeneMapfile | Self::FujitsuRankMap => false,
        }
    }

    /// Whether it says which slot of a host a rank takes.
    #[must_use]
    pub const fn tells_slots(self) -> bool {
        match self {
            Self::OpenMpiRankfile | Self::CrayRankOrder | Self::BluegeneMapfile => true,
            Self::SlurmHostfile | Self::FluxTaskmap | Self::FujitsuRankMap => false,
        }
    }
}

impl fmt::Display for LauncherFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
