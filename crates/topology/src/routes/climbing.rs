//! The way up through the levels of switches, on which switches combine messages (`docs/model.md` section 16).

use crate::{Channel, Network, NodeId};

/// The networks of a cluster on which messages climb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClimbingSide {
    /// All links; the machine is not a cluster.
    Whole,
    /// The switches inside the nodes of a cluster.
    Inside,
    /// The network between the nodes of a cluster.
    Outside,
}

/// A cable to the next level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Climb {
    /// The channel upwards.
    pub up: Channel,
    /// The channel back.
    pub down: Channel,
    /// The vertex of the next level.
    pub to: NodeId,
}

impl Network {
    /// Whether a vertex is a switch, not a host or NIC.
    #[must_use]
    pub fn is_switch(&self, vertex: NodeId) -> bool {
        let is_nic = self.cluster().is_some_and(|cluster| cluster.is_nic(vertex));
        u64::from(vertex.index()) >= self.host_count() && !is_nic
    }

    /// The cable over which message number `number` climbs from a vertex: of those to the next level, by number and
    /// neighbour, the one at place `floor(number / delta_i)` (section 19). `None` at the top.
    #[must_use]
    pub fn climb(&self, at: NodeId, number: u64, side: ClimbingSide) -> Option<Climb> {
        let level = self.levels().of(at)?;
        let neighbours = self.neighbours(at);
        let leads_on = |to: NodeId| {
            let is_inside = self.cluster().is_some_and(|cluster| cluster.is_inside_switch(to));
            let is_on_side = match side {
                ClimbingSide::Whole => true,
                ClimbingSide::Inside => is_inside,
                ClimbingSide::Outside => !is_inside,
            };
            is_on_side && self.levels().of(to) == Some(level + 1)
        };
        // Parallel links stand side by side.
        let mut cables: Vec<(usize, NodeId, usize)> = (0..)
            .zip(neighbours)
            .filter(|(_, to)| leads_on(**to))
            .map(|(port, &to)| (port - neighbours.partition_point(|&other| other < to), to, port))
            .collect();
        cables.sort_unstable();
        let place = number / self.destinations().stride(level) % (cables.len() as u64).max(1);
        let &(_, to, port) = cables.get(usize::try_from(place).ok()?)?;
        let opposite = self.opposite_channel(at, port) - self.first_channel(to.index()) as usize;
        let channel = |node: NodeId, port: usize| {
            Some(Channel { node, direction: self.direction(node, u16::try_from(port).ok()?) })
        };
        Some(Climb { up: channel(at, port)?, down: channel(to, opposite)?, to })
    }
}
