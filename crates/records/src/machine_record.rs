//! The machine of a record, and its columns.

use std::num::NonZeroU64;

use cubefold_derive::Columns;
use cubefold_scenario::{PhysicalScale, Run};
use cubefold_simulator::LocalCost;
use cubefold_topology::{GraphSource, Machine, MachineKind, Partition, Wrap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    Word,
    column::{Cell, Record, Row},
    router_record::{ROUTER, RouterRecord},
};
use crate::links_record::LinksRecord;

/// A machine as a scenario describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(MACHINE, prefix = "machine_", source = "docs/model.md, section 19")]
pub struct MachineRecord {
    /// The host: line, ring, mesh, torus, hypercube, or a network such as de-bruijn. Its nodes carry the processes
    /// and its links the messages.
    #[column(
        "machine", aliases = ["kind", "host"], kind = Text, source = "docs/model.md, section 1",
        value = |machine| machine.kind.name().into()
    )]
    #[serde(serialize_with = "kind_name", deserialize_with = "kind_with_name")]
    pub kind: MachineKind,
    /// The lengths of the machine's dimensions, such as 8x8; for a network, the lengths by which its nodes are
    /// numbered.
    #[column(
        "shape", aliases = ["k"], unit = "nodes", kind = Shape, formula = "k_1, ..., k_c",
        source = "docs/model.md, section 1", value = |machine| Cell::shape(&machine.shape)
    )]
    pub shape: Vec<u64>,
    /// For each dimension of the machine whether its last node is linked to its first; empty for a network.
    #[column("wrap", source = "docs/model.md, section 1")]
    pub wrap: Vec<bool>,
    /// The link mode and the times of links.
    #[column(
        "links", aliases = ["link mode"], kind = Text,
        text = "Full-duplex: a link carries one message in each direction at a time. Half-duplex: one \
        message in all. Single-direction: the whole machine moves messages along one dimension in one direction at a time.",
        source = "Tao 1988, 4.2; docs/model.md, sections 1, 5 and 6",
        value = |machine| machine.links.mode().into()
    )]
    #[column(
        "hop cycles", name = "machine_hop_cycles", aliases = ["T_c"], unit = "cycles", kind = Natural,
        text = "The time for which a unit of a message occupies a link; empty if links differ.",
        formula = "T_c, or u", source = "docs/model.md, sections 2 and 13",
        value = |machine| machine.links.cycles().map(|(unit, _)| unit).into()
    )]
    #[column(
        "latency", name = "machine_latency_cycles", aliases = ["latency_cycles"], unit = "cycles",
        kind = Natural,
        text = "The time of a unit on the wire and in the router of a link, which does not occupy the link; \
        empty if links differ.",
        formula = "l", source = "docs/model.md, section 13",
        value = |machine| machine.links.cycles().map(|(_, latency)| latency).into()
    )]
    #[serde(flatten)]
    pub links: LinksRecord,
    /// Store-and-forward: a message joins its next queue when all of it is there. Cut-through: when its first unit
    /// is. Wormhole and virtual-cut-through: through routers with finite buffers; the latter grants a channel only
    /// to a packet that fits its buffer.
    #[column(
        "switching", aliases = ["store-and-forward", "cut-through", "wormhole", "virtual-cut-through"],
        source = "Kermani & Kleinrock 1979; Dally & Seitz 1986; docs/model.md, sections 13 and 26"
    )]
    pub switching: Word,
    /// The largest number of units of a packet; empty if messages are not divided.
    #[column(
        "packet size", aliases = ["packet_units"], unit = "units", formula = "P",
        source = "docs/model.md, section 13"
    )]
    pub packet_units: Option<u64>,
    /// Which message a channel takes next. First-come: the one that joined its queue first. Round-robin: that of
    /// the next input of the node.
    #[column("arbitration", aliases = ["first-come", "round-robin"], source = "docs/model.md, section 13")]
    pub arbitration: Word,
    /// The length of a cycle: the time of a unit on a link, or where bandwidths differ the longest time of which
    /// the times of a unit are multiples. Empty if the machine is described in cycles.
    #[column(
        "cycle", aliases = ["cycle_nanoseconds"], unit = "nanoseconds", formula = "unit_bytes / bandwidth",
        source = "docs/model.md, sections 17 and 21"
    )]
    pub cycle_nanoseconds: Option<f64>,
    /// The number of bytes of a unit, if the machine is described by bandwidth and latency.
    #[column("unit", unit = "bytes", source = "docs/model.md, section 17")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_bytes: Option<u64>,
    /// The increase of the latency of a link by rounding it to a whole number of cycles; negative if it is shorter
    /// than given.
    #[column(
        "latency rounding",
        unit = "nanoseconds",
        formula = "(l + u) * cycle - latency",
        source = "docs/model.md, section 17"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_rounding_nanoseconds: Option<f64>,
    /// The number of processes of a node that compute at the same time. The column is there only if a run has more
    /// than one.
    #[column("processors a node", list = NODE, unit = "processes", source = "docs/model.md, section 15")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processors_per_node: Option<u64>,
    /// The time of a message inside a node, apart from its units. The column is there only if such messages take
    /// time.
    #[column("local latency", list = NODE, unit = "cycles", source = "docs/model.md, section 15")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_latency_cycles: Option<u64>,
    /// The time of each unit of a message inside a node. The column is there only if such messages take time.
    #[column("local unit", list = NODE, unit = "cycles", source = "docs/model.md, section 15")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_unit_cycles: Option<u64>,
    /// The number of nodes that can hold processes, without switches and failed nodes. The column is there only if
    /// a machine has such.
    #[column("hosts", unit = "nodes")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u64>,
    /// Cables between linked switches of adjacent levels, from the leaves up; of fat trees, clusters, and networks whose
    /// file does not count them. The column is there only if a machine has such.
    #[column("uplinks", unit = "cables", source = "docs/model.md, section 19")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplinks: Option<Vec<u64>>,
    /// Whether these cables are assumed: neither the scenario nor the file gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uplinks_assumed: Option<bool>,
    /// Whether links lead in one direction only, as the file of the network lists them; present only if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directed: Option<bool>,
    /// The coordinate offsets of the wraparounds of a twisted torus, a list for each dimension. The column is there only if
    /// a machine is one.
    #[column(
        "twist", unit = "nodes", kind = Text, source = "docs/model.md, section 19",
        value = |machine| Cell::optional(machine.twist.as_ref().map(|twist| Cell::Text(format!("{twist:?}").into())))
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twist: Option<Vec<Vec<u64>>>,
    /// The number of failed links, without those of failed nodes. The column is there only if a machine has
    /// failures.
    #[column(
        "failed links", unit = "links", kind = Natural,
        value = |machine| Cell::optional(machine.failed_links.as_ref().map(|links| links.len() as u64))
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_links: Option<Vec<[u32; 2]>>,
    /// The number of nodes that are down. The column is there only if a machine has failures.
    #[column(
        "failed nodes", unit = "nodes", kind = Natural,
        value = |machine| Cell::optional(machine.failed_nodes.as_ref().map(|nodes| nodes.len() as u64))
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_nodes: Option<Vec<u32>>,
    /// The parameters of a network with switches, a tree or the graph of an edge grammar. The column is there only
    /// if a machine has some.
    #[column("network")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<String>,
    /// Its routers with finite buffers, if it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router: Option<RouterRecord>,
    /// The box of nodes of the program, unless it is the whole machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionRecord>,
}

/// A partition of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(PARTITION, prefix = "machine_partition_", source = "docs/model.md, section 1")]
pub struct PartitionRecord {
    /// The coordinates of the first node of the box that the program runs in. The column is there only if a run has
    /// a partition.
    #[column("partition base", aliases = ["base"])]
    pub base: Vec<u32>,
    /// The lengths of the box that the program runs in; the other metrics count the nodes and links of this box
    /// only.
    #[column(
        "partition shape", aliases = ["partition"], unit = "nodes", kind = Shape,
        value = |partition| Cell::shape(&partition.shape)
    )]
    pub shape: Vec<u64>,
}

impl MachineRecord {
    /// Makes the record of the machine of a run.
    #[must_use]
    pub fn new(run: &Run) -> Self {
        let machine = run.partition.as_deref().map_or(&*run.machine, Partition::whole);
        let (rules, scale) = (run.communication, run.scale.as_ref());
        let processors = rules.processors().get();
        let local = Some(rules.local_cost()).filter(|local| *local != LocalCost::default());
        Self {
            kind: machine.kind(),
            shape: machine.shape().lengths().to_vec(),
            wrap: machine
                .coordinate_grid()
                .into_iter()
                .flat_map(Machine::extents)
                .map(|extent| extent.wrap() == Wrap::Around)
                .collect(),
            links: LinksRecord::new(run),
            switching: rules
                .routers()
                .map_or(rules.switching().name(), |routers| routers.flow_control.name())
                .into(),
            packet_units: rules.packet().map(NonZeroU64::get),
            arbitration: rules.service().name().into(),
            cycle_nanoseconds: scale.map(|scale| scale.cycle_nanoseconds().to_f64()),
            unit_bytes: scale.map(PhysicalScale::unit_bytes),
            latency_rounding_nanoseconds: run.physical_links.as_deref().and_then(|links| {
                let [only] = links.classes() else { return None };
                Some(only.latency_rounding_nanoseconds(links.scale()))
            }),
            processors_per_node: Some(processors).filter(|&processors| processors > 1),
            local_latency_cycles: local.map(|local| local.latency.get()),
            local_unit_cycles: local.map(|local| local.unit.get()),
            hosts: Some(machine.host_count()).filter(|&hosts| hosts < machine.node_count()),
            uplinks: has_uplinks(machine).then(|| machine.uplinks()),
            uplinks_assumed: machine.assumes_uplinks(),
            directed: Some(machine.is_directed()).filter(|&is_directed| is_directed),
            twist: match machine.source() {
                Some(GraphSource::Twists(twists)) => Some(twists.clone()),
                _ => None,
            },
            failed_links: machine.failures().map(|failures| {
                failures.links.iter().map(|(one, other)| [one.index(), other.index()]).collect()
            }),
            failed_nodes: machine
                .failures()
                .map(|failures| failures.nodes.iter().map(|node| node.index()).collect()),
            network: description(machine),
            router: rules.routers().as_ref().map(RouterRecord::new),
            partition: run.partition.as_deref().map(PartitionRecord::new),
        }
    }
}

/// Whether cables between the switches of a machine are recorded.
fn has_uplinks(machine: &Machine) -> bool {
    let is_known = match machine.kind() {
        MachineKind::FatTree => true,
        MachineKind::Cluster => machine.uplinks().iter().any(|&uplink| uplink > 0),
        _ => false,
    };
    is_known || machine.assumes_uplinks().is_some()
}

/// The parameters of a machine that a number of dimensions or lengths do not describe.
pub(super) fn description(machine: &Machine) -> Option<String> {
    match machine.source()? {
        GraphSource::Parameters(parameters) => Some(parameters.to_string()),
        GraphSource::Tree(parameters) => Some(parameters.to_string()),
        GraphSource::Grammar(words) => Some(format!("{} of {} symbols", words.grammar(), words.size())),
        GraphSource::Dimensions(_) | GraphSource::Links | GraphSource::Twists(_) | GraphSource::Grid => None,
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
        row.section(NODE, record);
        row.section(ROUTER, record.and_then(|machine| machine.router.as_ref()));
        row.section(PARTITION, record.and_then(|machine| machine.partition.as_ref()));
    }
}
