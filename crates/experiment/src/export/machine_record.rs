//! The machine of a record.

use cubefold_topology::{MachineKind, Partition, Wrap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::Word;
use crate::Run;

/// A machine as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineRecord {
    /// The kind that it was asked for as.
    #[serde(serialize_with = "kind_name", deserialize_with = "kind_with_name")]
    pub kind: MachineKind,
    /// The lengths of its dimensions.
    pub shape: Vec<u64>,
    /// Whether each dimension wraps, as declared or implied by the kind.
    pub wrap: Vec<bool>,
    /// The link mode.
    pub links: Word,
    /// `T_c` \[cycles\].
    pub hop_cycles: u64,
    /// The box of nodes that the program runs in, where it is not the whole machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionRecord>,
}

/// A partition of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionRecord {
    /// The coordinates of its first node.
    pub base: Vec<u32>,
    /// Its lengths.
    pub shape: Vec<u64>,
}

impl MachineRecord {
    /// The record of the machine of a run.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        let machine = run.partition.as_ref().map_or(&run.machine, Partition::whole);
        Self {
            kind: machine.kind(),
            shape: machine.shape().lengths().to_vec(),
            wrap: machine.extents().map(|extent| extent.wrap() == Wrap::Around).collect(),
            links: run.communication.links().name().into(),
            hop_cycles: run.communication.hop().get(),
            partition: run.partition.as_ref().map(PartitionRecord::new),
        }
    }
}

impl PartitionRecord {
    fn new(partition: &Partition) -> Self {
        Self {
            base: partition.base().as_slice().to_vec(),
            shape: partition.inside().shape().lengths().to_vec(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn kind_name<S: Serializer>(kind: &MachineKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

fn kind_with_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MachineKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    let kind = MachineKind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| D::Error::custom(format!("no kind of machine is called {name:?}")))
}
