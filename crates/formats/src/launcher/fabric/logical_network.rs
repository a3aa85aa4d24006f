//! ASTRA-sim's analytical network: dimensions of rings, switches and full meshes.
//!
//! ```text
//! topology: [ Ring, Switch ]
//! npus_count: [ 4, 2 ]
//! bandwidth: [ 50.0, 25.0 ]     # GB/s, of 2^30 bytes
//! latency: [ 500.0, 1000.0 ]    # ns
//! ```
//!
//! Won et al. 2023, ASTRA-sim 2.0. The first dimension varies fastest. Every line of a dimension is a bidirectional
//! ring, a full mesh, or hosts on a switch.

use super::{
    FabricReading, LinkSpeed, MAX_NODES, PlacedFormat,
    reading::Vertex,
    yaml_tree::{YamlNode, YamlTree},
};
use crate::input::{Ratio, quantity::Measure, text::described};

pub(super) static FORMAT: PlacedFormat = PlacedFormat { name: "a network of ASTRA-sim", read };

const MAX_LINKS: u64 = 1 << 24;

struct Dimension {
    building: Building,
    length: u64,
    speed: LinkSpeed,
}

/// How the hosts of a line are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Building {
    Ring,
    FullMesh,
    Switch,
}

fn read(reading: &mut FabricReading<'_>) {
    let tree = match YamlTree::read(reading.text) {
        Ok(tree) => tree,
        Err(error) => return reading.complain_at(error.place, || error.message),
    };
    let Some(root) = &tree.root else { return };
    let Some(dimensions) = dimensions(reading, &tree, root) else { return };
    let hosts = dimensions.iter().fold(1_u64, |product, dimension| product.saturating_mul(dimension.length));
    let links_of = |dimension: &Dimension| match dimension.building {
        Building::Ring | Building::Switch => hosts,
        Building::FullMesh => hosts.saturating_mul(dimension.length - 1) / 2,
    };
    let links = dimensions.iter().map(links_of).fold(0, u64::saturating_add);
    if hosts > MAX_NODES.into() || links > MAX_LINKS {
        return reading.complain_at(root.place.clone(), || {
            format!("{hosts} hosts with {links} links, expected at most {MAX_NODES} and {MAX_LINKS}")
        });
    }
    for host in 0..hosts {
        if reading.host(&host.to_string(), "").is_none() {
            return;
        }
    }
    let (mut stride, mut switches) = (1, 0);
    for dimension in &dimensions {
        let firsts = (0..hosts).filter(|host| host / stride % dimension.length == 0);
        for first in firsts {
            let line: Vec<Vertex> = (0..dimension.length)
                .filter_map(|at| u32::try_from(first + at * stride).ok())
                .map(Vertex::Host)
                .collect();
            link_line(reading, dimension, &line, &format!("switch{switches}"));
            switches += u64::from(dimension.building == Building::Switch);
        }
        stride *= dimension.length;
    }
}

fn link_line(reading: &mut FabricReading<'_>, dimension: &Dimension, line: &[Vertex], name: &str) {
    let link = |reading: &mut FabricReading<'_>, ends| reading.link_at(ends, 1, dimension.speed, 0..0);
    match dimension.building {
        Building::Ring => {
            line.windows(2).for_each(|two| link(reading, [two[0], two[1]]));
            // A ring of two has a single link.
            if let [first, _, .., last] = line {
                link(reading, [*first, *last]);
            }
        }
        Building::FullMesh => {
            for (place, &one) in line.iter().enumerate() {
                line[place + 1..].iter().for_each(|&other| link(reading, [one, other]));
            }
        }
        Building::Switch => {
            if let Some((switch, _)) = reading.switch(name, "") {
                line.iter().for_each(|&host| link(reading, [host, switch]));
            }
        }
    }
}

fn dimensions(
    reading: &mut FabricReading<'_>,
    tree: &YamlTree<'_>,
    root: &YamlNode,
) -> Option<Vec<Dimension>> {
    let mut lists = vec![];
    for key in ["topology", "npus_count", "bandwidth", "latency"] {
        let Some(list) = tree.get(root, key) else {
            reading.complain_at(root.place.clone(), || {
                format!("no {key}, expected topology, npus_count, bandwidth and latency")
            });
            return None;
        };
        lists.push(YamlTree::items(list));
    }
    if let Some(other) = lists.iter().find(|list| list.len() != lists[0].len()) {
        let place = other.first().map_or(root.place.clone(), |first| first.place.clone());
        let (found, expected) = (other.len(), lists[0].len());
        reading.complain_at(place, || format!("{found} entries, expected {expected} as in topology"));
        return None;
    }
    let mut found = vec![];
    for dimension in 0..lists[0].len() {
        let word = |list: usize| tree.scalar(&lists[list][dimension]).unwrap_or_default();
        let building = match word(0).to_ascii_lowercase().as_str() {
            "ring" => Some(Building::Ring),
            "fullyconnected" => Some(Building::FullMesh),
            "switch" => Some(Building::Switch),
            _ => None,
        };
        let length = word(1).parse().ok().filter(|&length: &u64| length >= 1);
        let gigabytes = Measure::Bandwidth.parse(&format!("{} GiB/s", word(2))).ok();
        let bandwidth = gigabytes.filter(|&bandwidth| bandwidth != Ratio::ZERO);
        let latency = Measure::Time.parse(&format!("{} ns", word(3))).ok();
        let is_right = [building.is_some(), length.is_some(), bandwidth.is_some(), latency.is_some()];
        let expected = [
            "Ring, FullyConnected or Switch",
            "an integer of at least 1",
            "a number of GB/s above 0",
            "a number of ns",
        ];
        for list in (0..is_right.len()).filter(|&list| !is_right[list]) {
            let (entry, found) = (&lists[list][dimension], described(word(list)));
            reading
                .complain_at(entry.place.clone(), || format!("entry {found}, expected {}", expected[list]));
        }
        let (Some(building), Some(length)) = (building, length) else { continue };
        found.push(Dimension {
            building,
            length,
            speed: LinkSpeed { bandwidth, latency, ..LinkSpeed::default() },
        });
    }
    reading.is_right().then_some(found)
}
