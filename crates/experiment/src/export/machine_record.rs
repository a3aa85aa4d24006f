//! The machine of a record.

use cubefold_simulator::Communication;
use cubefold_topology::{Machine, MachineKind, Wrap};
use serde::{Serialize, Serializer};

/// A machine as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MachineRecord {
    /// The kind that it was asked for as.
    #[serde(serialize_with = "kind_name")]
    pub kind: MachineKind,
    /// The lengths of its dimensions.
    pub shape: Vec<u64>,
    /// Whether each dimension wraps, as declared or implied by the kind.
    pub wrap: Vec<bool>,
    /// The link mode.
    pub links: &'static str,
    /// `T_c` \[cycles\].
    pub hop_cycles: u64,
}

impl MachineRecord {
    /// The record of a machine with these links.
    #[must_use]
    pub fn new(machine: &Machine, communication: Communication) -> Self {
        Self {
            kind: machine.kind(),
            shape: machine.shape().lengths().to_vec(),
            wrap: machine.extents().iter().map(|extent| extent.wrap() == Wrap::Around).collect(),
            links: communication.links().name(),
            hop_cycles: communication.hop().get(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn kind_name<S: Serializer>(kind: &MachineKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}
