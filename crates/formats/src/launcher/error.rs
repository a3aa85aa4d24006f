//! Reasons why a placement cannot be written in a format.

use super::LauncherFormat;
use crate::input::text::counted;

/// The reason why a placement cannot be written in a launcher's format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LauncherError {
    /// The format needs host names, but none are given.
    #[error("{format} without the names of the hosts, expected a list of them")]
    NoHosts {
        /// The format.
        format: LauncherFormat,
    },
    /// The format has no host names.
    #[error("{} for {format}, expected none: it names no hosts", if *are_of_map { "a coordinate map" } else { "host names" })]
    UnneededHosts {
        /// The format.
        format: LauncherFormat,
        /// Whether a coordinate map gave them.
        are_of_map: bool,
    },
    /// The format numbers devices, but none are given.
    #[error("{format} without the devices, expected a list of them")]
    NoDevices {
        /// The format.
        format: LauncherFormat,
    },
    /// More processes on a node than it has devices.
    #[error("{found} processes on a node with {expected} devices, expected at most one a device")]
    SharedDevice {
        /// The most processes on one node.
        found: u64,
        /// The devices of each node.
        expected: u64,
    },
    /// Slots are given although a node has several hosts.
    #[error(
        "{found} slots a host, expected none: the coordinate map has {hosts_per_node} hosts at every node"
    )]
    SeveralHosts {
        /// Slots per host.
        found: u64,
        /// The hosts at each node.
        hosts_per_node: u64,
    },
    /// The format does not support hosts with several nodes.
    #[error("slots per host for {format}, expected none: it names every node of the machine")]
    UnneededSlots {
        /// The format.
        format: LauncherFormat,
    },
    /// A node of the machine would lie on two hosts.
    #[error("{found} slots a host, expected a multiple of {load}, the most processes on one node")]
    DividedNode {
        /// Slots per host.
        found: u64,
        /// The most processes on one node.
        load: u64,
    },
    /// The hosts would have different numbers of nodes.
    #[error("{each} nodes on a host, expected a divisor of {nodes}, the nodes of the machine")]
    UnevenHosts {
        /// Nodes of the machine on each host.
        each: u64,
        /// The nodes of the machine.
        nodes: u64,
    },
    /// The number of hosts does not fit the machine.
    #[error(
        "{}, expected {expected} for a machine of {} with {each} on a host",
        counted(*.found, "host"),
        counted(*.nodes, "node")
    )]
    HostCount {
        /// Number of host names.
        found: u64,
        /// Number of hosts that the machine needs.
        expected: u64,
        /// The nodes of the machine.
        nodes: u64,
        /// Nodes of the machine on each host.
        each: u64,
    },
    /// A host has fewer slots than processes.
    #[error(
        "host {host} (line {line} of the list) has {}, expected at least {expected}, one for each of its processes",
        counted(*.found, "slot")
    )]
    FewSlots {
        /// The host.
        host: String,
        /// Its line in the list of hosts, counted from 1.
        line: u64,
        /// Its slots according to the host list.
        found: u64,
        /// The processes on it.
        expected: u64,
    },
    /// The format cannot leave a slot empty.
    #[error("{} on node {address}, expected {expected} as on the fullest node", in_words(*.found))]
    EmptySlot {
        /// The coordinates of the node, as `(x, y)`.
        address: String,
        /// Processes on it.
        found: u64,
        /// The most processes on one node.
        expected: u64,
    },
    /// The machine has more dimensions than the format can hold.
    #[error("a machine of {found} dimensions, expected at most {most} for {format}")]
    Dimensions {
        /// The format.
        format: LauncherFormat,
        /// The dimensions of the machine.
        found: usize,
        /// Largest number that the format can hold.
        most: usize,
    },
}

impl LauncherError {
    /// Suggests a correction on the command line.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::NoHosts { .. } => {
                "give --hosts FILE with a name a line, in the order of the nodes: the first coordinate runs fastest".into()
            }
            Self::UnneededHosts { are_of_map: false, .. } => "leave out --hosts".into(),
            Self::UnneededHosts { are_of_map: true, .. } => {
                "leave out --coordinates: the file goes by the coordinates of the machine".into()
            }
            Self::NoDevices { .. } => "give --coordinates FILE with the output of print(jax.devices())".into(),
            Self::SharedDevice { .. } => {
                "give program.processes_per_node the number of devices, or the machine more nodes".into()
            }
            Self::SeveralHosts { .. } => "leave out --slots-per-node: hosts share the processes of a node".into(),
            Self::UnneededSlots { .. } => "leave out --slots-per-node".into(),
            Self::DividedNode { load, .. } => {
                format!("no node is divided between hosts: give --slots-per-node {load} or a multiple of it")
            }
            Self::UnevenHosts { .. } => {
                "all hosts have the same number of nodes: give --slots-per-node another value".into()
            }
            Self::HostCount { .. } => {
                "list the hosts of this machine and no others; --slots-per-node puts several nodes on a host".into()
            }
            Self::FewSlots { .. } => {
                "give the host more slots in the list, or fewer processes: program.processes_per_node".into()
            }
            Self::EmptySlot { .. } => {
                "a rank order cannot leave a slot empty: use a format that names hosts or coordinates".into()
            }
            Self::Dimensions { .. } => {
                "a job on Tofu has one to three logical lengths: give machine.shape those of pjsub -L node=XxYxZ, or use another format".into()
            }
        }
    }
}

fn in_words(processes: u64) -> String {
    if processes == 1 { "1 process".to_owned() } else { format!("{processes} processes") }
}
