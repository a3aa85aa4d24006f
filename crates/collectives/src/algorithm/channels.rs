//! Channels: rings and trees of nodes, each with its own order of the devices of a node.
//!
//! With `g` ranks a node, rank `a g + i` is device `i` of node `a`. Channel `c` of `k` passes through the devices of a
//! node as `z_c`: from its start device alternately upwards and downwards. Rings pass through odd nodes backwards, so that
//! a step between nodes joins equal devices (`docs/model.md` section 16).

use crate::specification::{Channels, CollectiveSpecification};

/// Returns the order of the devices of a node on a channel, `z_c`.
pub(super) fn devices(channels: &Channels, channel: u32, per_node: u32) -> Vec<u32> {
    if let Some(ring) = channels.rings.get(channel as usize % channels.rings.len().max(1)) {
        return ring.clone();
    }
    let (k, g) = (u64::from(channels.count.get()), u64::from(per_node));
    let start = if k <= g { u64::from(channel) * g / k } else { u64::from(channel) % g };
    let entry = |place: u64| {
        let shifted = if place.is_multiple_of(2) { start + g - place / 2 } else { start + place.div_ceil(2) };
        u32::try_from(shifted % g).unwrap_or(0) // below the number of ranks
    };
    (0..g).map(entry).collect()
}

/// Returns the first device of a node on a channel.
pub(crate) fn first_device(channels: &Channels, channel: u32, per_node: u32) -> u32 {
    devices(channels, channel, per_node).first().copied().unwrap_or(0)
}

/// Returns the ranks in the order of the ring of a channel, `o_c`.
pub(super) fn ring(asked: &CollectiveSpecification, channels: &Channels, channel: u32) -> Vec<u32> {
    let per_node = asked.ranks_per_node;
    let order = devices(channels, channel, per_node);
    let nodes = u32::try_from(asked.rank_count()).unwrap_or(u32::MAX) / per_node;
    let mut ranks = vec![];
    for node in 0..nodes {
        let of_node = order.iter().map(|device| node * per_node + device);
        if node % 2 == 0 { ranks.extend(of_node) } else { ranks.extend(of_node.rev()) }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, num::NonZeroU32};

    use cubefold_topology::Shape;
    use serde_json::Value;

    use super::*;
    use crate::{Algorithm, Operation};

    #[test]
    fn rings_are_those_of_the_golden_file() {
        let file: Value = serde_json::from_str(include_str!("../../../../tests/golden/truth.json")).unwrap();
        let cases = file["ring_orders"].as_array().unwrap();
        assert_eq!(cases.len(), 19);
        for case in cases {
            let number = |key: &str| u32::try_from(case[key].as_u64().unwrap()).unwrap();
            let [channel, count, devices, nodes] = ["channel", "channels", "devices", "nodes"].map(number);
            let channels = Channels { count: NonZeroU32::new(count).unwrap(), rings: vec![] };
            let shape = Shape::new(&[u64::from(devices) * u64::from(nodes)]).unwrap();
            let asked = CollectiveSpecification {
                ranks_per_node: devices,
                ..CollectiveSpecification::new(Operation::AllReduce, Algorithm::Ring, shape, 1)
            };
            assert_eq!(serde_json::json!(ring(&asked, &channels, channel)), case["order"], "{case}");
        }
    }

    #[test]
    fn as_many_chains_as_devices_use_each_channel_between_two_devices_once_if_they_are_even() {
        for count in [2, 4, 6, 8, 16] {
            let channels = Channels { count: NonZeroU32::new(count).unwrap(), rings: vec![] };
            let mut pairs = BTreeSet::new();
            for channel in 0..count {
                for pair in devices(&channels, channel, count).windows(2) {
                    assert!(pairs.insert((pair[0], pair[1])), "{count}");
                }
            }
            assert_eq!(pairs.len(), (count * (count - 1)) as usize);
        }
    }
}
