//! The nodes that processes may use: a machine, or the inside of a partition.

use std::ops::RangeInclusive;

use cubefold_topology::{Coordinates, HostDimension, Machine, NodeId, Partition};

/// The nodes of a job, in its order (`docs/model.md` section 22): at least one, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    nodes: Vec<NodeId>,
    places: Vec<(NodeId, u32)>, // the inverse, by node
    as_box: Option<Partition>,
}

impl Allocation {
    /// An allocation of different nodes; `as_box` is the partition that consists of these nodes in this order, if any.
    #[must_use]
    pub fn new(nodes: Vec<NodeId>, as_box: Option<Partition>) -> Self {
        let mut places: Vec<(NodeId, u32)> = nodes.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Self { nodes, places, as_box }
    }

    /// The memory that an allocation of `count` nodes takes \[bytes\].
    #[must_use]
    pub fn bytes(count: u64) -> u64 {
        count.saturating_mul((size_of::<NodeId>() + size_of::<(NodeId, u32)>()) as u64)
    }

    /// The nodes, in the job's order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The number of nodes.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// The position of a node in the allocation; `None` for other nodes.
    #[must_use]
    pub fn place(&self, node: NodeId) -> Option<u64> {
        let place = self.places.binary_search_by_key(&node, |(known, _)| *known).ok()?;
        Some(self.places[place].1.into())
    }

    /// The box that consists of these nodes in this order, if any.
    #[must_use]
    pub fn as_box(&self) -> Option<&Partition> {
        self.as_box.as_ref()
    }
}

/// A machine, or the inside of a partition. Files name its nodes by coordinates or numbers on the whole machine.
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    /// The machine that processes are placed on: the whole one, or the inside of the partition.
    pub machine: &'a Machine,
    /// The partition, if the machine is its inside.
    pub partition: Option<&'a Partition>,
    /// The nodes of the job, unless it has all.
    pub allocation: Option<&'a Allocation>,
}

impl Region<'_> {
    /// The whole machine.
    pub fn whole(&self) -> &Machine {
        self.partition.map_or(self.machine, Partition::whole)
    }

    /// Coordinates along a dimension, on the whole machine.
    #[must_use]
    pub fn coordinates_along(&self, dimension: HostDimension) -> RangeInclusive<u64> {
        let base = self.partition.map_or(0, |partition| partition.base().along(dimension).into());
        base..=base + self.machine.shape().length(dimension) - 1
    }

    /// Coordinates of a node on the whole machine.
    #[must_use]
    pub fn address(&self, node: NodeId) -> Coordinates {
        self.partition
            .map_or_else(|| self.machine.shape().coordinates(node), |partition| partition.address(node))
    }

    /// The number of nodes that hosts are listed for: the job's nodes, or the whole machine.
    pub fn listed_hosts(&self) -> u64 {
        self.allocation.map_or_else(|| self.whole().numbered_hosts(), Allocation::count)
    }

    /// The nodes of the machine on each node of a cluster, in a row among those that hosts are listed for: its devices.
    /// 1 on other machines, and if the job has some devices of a node without the others.
    #[must_use]
    pub fn devices_per_host(&self) -> u64 {
        let Some(cluster) = self.machine.cluster() else { return 1 };
        let each = cluster.devices_per_node;
        let is_whole = |nodes: &[NodeId]| {
            let mut numbers = nodes.iter().map(|node| u64::from(node.index()));
            let first = numbers.next().unwrap_or(0);
            first.is_multiple_of(each) && numbers.eq(first + 1..first + each)
        };
        let along = usize::try_from(each).unwrap_or(usize::MAX);
        match self.allocation {
            Some(allocation) if !allocation.nodes().chunks(along).all(is_whole) => 1,
            Some(_) | None => each,
        }
    }

    /// The number of nodes of the job.
    pub fn job_nodes(&self) -> u64 {
        self.allocation.map_or_else(|| self.machine.numbered_hosts(), Allocation::count)
    }

    /// The position of a node among the job's nodes.
    #[must_use]
    pub fn job_place(&self, node: NodeId) -> u64 {
        let place = self.allocation.and_then(|allocation| allocation.place(node));
        place.unwrap_or_else(|| node.index().into())
    }

    /// The node at a position among the job's nodes.
    #[must_use]
    pub fn job_node(&self, place: u64) -> Option<NodeId> {
        match self.allocation {
            Some(allocation) => allocation.nodes().get(usize::try_from(place).ok()?).copied(),
            None => self.machine.node(place).ok(),
        }
    }

    /// The job's nodes, in its order.
    pub fn nodes_of_job(&self) -> impl Iterator<Item = NodeId> {
        (0..self.job_nodes()).filter_map(|place| self.job_node(place))
    }

    /// Number of a node among those that hosts are listed for.
    #[must_use]
    pub fn number(&self, node: NodeId) -> u64 {
        if let Some(place) = self.allocation.and_then(|allocation| allocation.place(node)) {
            return place;
        }
        match self.partition {
            Some(partition) => partition.whole().shape().node_at(&partition.address(node)).index().into(),
            None => node.index().into(),
        }
    }

    /// The node with this number among those that hosts are listed for, or `None` if it is outside the partition or the
    /// machine.
    #[must_use]
    pub fn node(&self, number: u64) -> Option<NodeId> {
        if self.allocation.is_some() {
            return self.job_node(number);
        }
        let node = self.whole().node(number).ok()?;
        let mut index = 0;
        for dimension in self.machine.shape().dimensions() {
            let range = self.coordinates_along(dimension);
            let coordinate = u64::from(self.whole().shape().coordinate(node, dimension));
            if !range.contains(&coordinate) {
                return None;
            }
            index += (coordinate - range.start()) * self.machine.shape().stride(dimension);
        }
        self.machine.node(index).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubefold_topology::MachineKind;

    #[test]
    fn nodes_of_a_partition_go_by_their_numbers_on_the_whole_machine() {
        let whole = Machine::new(MachineKind::Torus, &[5, 4, 3]).unwrap();
        let partition = Partition::new(&whole, &[1, 0, 1], &[3, 2, 2]).unwrap();
        let region = Region { machine: partition.inside(), partition: Some(&partition), allocation: None };
        let numbers: Vec<u64> = partition.inside().nodes().map(|node| region.number(node)).collect();
        // 1 + 5 * 0 + 20 * 1 is the first; the box's second row begins 5 later, its second layer 20.
        assert_eq!(numbers, [21, 22, 23, 26, 27, 28, 41, 42, 43, 46, 47, 48]);
        let back: Vec<Option<NodeId>> = (0..61).map(|number| region.node(number)).collect();
        for (number, node) in back.iter().enumerate() {
            let place = numbers.iter().position(|&known| known == number as u64);
            assert_eq!(node.map(|node| node.index() as usize), place, "{number}");
        }
    }
}
