//! The machine of a record, and its columns.

use cubefold_topology::{MachineKind, Partition, Wrap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    Word,
    column::{Cell, Column, Record, Row},
};
use crate::{
    Run,
    definition::{Definition, Kind},
};

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

impl Record for MachineRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(MACHINE, record);
        row.section(PARTITION, record.and_then(|machine| machine.partition.as_ref()));
    }
}

/// The machine.
pub(crate) static MACHINE: &[Column<MachineRecord>] = &[
    Column {
        definition: Definition {
            name: "machine_kind",
            title: "machine",
            aliases: &["kind", "host"],
            kind: Kind::Text,
            text: "The host: line, ring, mesh, torus, hypercube, or a network such as de-bruijn. \
                  Its nodes carry the processes and its links the messages.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |machine| machine.kind.name().into(),
    },
    Column {
        definition: Definition {
            name: "machine_shape",
            title: "shape",
            aliases: &["k"],
            kind: Kind::Shape,
            unit: "nodes",
            text: "The lengths of the machine's dimensions, such as 8x8; of a network those by \
                  which its nodes are numbered.",
            formula: "k_1, ..., k_c",
            source: "docs/model.md, section 1",
        },
        value: |machine| Cell::shape(&machine.shape),
    },
    Column {
        definition: Definition {
            name: "machine_wrap",
            title: "wrap",
            kind: Kind::List,
            text: "For each dimension of the machine whether its last node is linked to its first; \
                  empty for a network.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |machine| Cell::list(&machine.wrap),
    },
    Column {
        definition: Definition {
            name: "machine_links",
            title: "links",
            aliases: &["link mode"],
            kind: Kind::Text,
            text: "Full-duplex: a link carries one message in each direction at a time. \
                  Half-duplex: one message in all. Single-direction: the whole machine moves \
                  messages along one dimension in one direction at a time.",
            source: "Tao 1988, 4.2; docs/model.md, sections 1, 5 and 6",
            ..Definition::BLANK
        },
        value: |machine| (&machine.links).into(),
    },
    Column {
        definition: Definition {
            name: "machine_hop_cycles",
            title: "hop cycles",
            aliases: &["T_c"],
            kind: Kind::Natural,
            unit: "cycles",
            text: "The time that one message takes over one link.",
            formula: "T_c",
            source: "docs/model.md, section 2",
        },
        value: |machine| machine.hop_cycles.into(),
    },
];

/// The partition of a machine, where the program does not have all of it.
pub(crate) static PARTITION: &[Column<PartitionRecord>] = &[
    Column {
        definition: Definition {
            name: "machine_partition_base",
            title: "partition base",
            aliases: &["base"],
            kind: Kind::List,
            text: "The coordinates of the first node of the box that the program runs in. The \
                  column is there only if a run has a partition.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |partition| Cell::list(&partition.base),
    },
    Column {
        definition: Definition {
            name: "machine_partition_shape",
            title: "partition shape",
            aliases: &["partition"],
            kind: Kind::Shape,
            unit: "nodes",
            text: "The lengths of the box that the program runs in; the other metrics count the \
                  nodes and links of this box only.",
            source: "docs/model.md, section 1",
            ..Definition::BLANK
        },
        value: |partition| Cell::shape(&partition.shape),
    },
];
