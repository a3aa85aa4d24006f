//! The links that can carry data between ranks (`docs/model.md` section 24).

use cubefold_topology::{Cluster, ClusterPart, LinkTime, Machine, NodeId};

/// The links of a machine that bounds count.
///
/// A node of a cluster that stands alone also has NICs, over which no message goes if all ways inside are shorter.
#[derive(Debug, Clone, Copy)]
pub struct UsableLinks<'machine> {
    inside_of: Option<&'machine Cluster>, // whose other links carry nothing
}

impl<'machine> UsableLinks<'machine> {
    /// All links.
    pub const ALL: Self = Self { inside_of: None };

    /// The links on the routes between hosts, given the time of links that are alike. Bounds that hold for switches that
    /// combine what they receive take [all](Self::ALL).
    #[must_use]
    pub fn on_routes(machine: &'machine Machine, alike: LinkTime) -> Self {
        let first_unit = |part: ClusterPart| {
            let times = machine.link_times().and_then(|times| times.get(part as usize));
            times.copied().unwrap_or(alike).first_unit()
        };
        let is_idle_outside = |cluster: &&Cluster| {
            cluster.nodes == 1 && machine.failures().is_none() && cluster.keeps_messages_inside(first_unit)
        };
        Self { inside_of: machine.cluster().filter(is_idle_outside) }
    }

    /// Whether the link between two nodes is one of them.
    #[must_use]
    pub fn contains(&self, one: NodeId, other: NodeId) -> bool {
        self.inside_of.is_none_or(|cluster| cluster.part(one, other) == ClusterPart::Inside)
    }

    /// Whether they are all links.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.inside_of.is_none()
    }
}
