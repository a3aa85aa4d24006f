//! Slurm's `topology.yaml`: a list of topologies, each a tree of switches, blocks, or flat.
//!
//! ```text
//! - topology: main
//!   cluster_default: true
//!   tree:
//!     switches:
//!       - switch: root
//!         children: s[1-2]
//!       - switch: s1
//!         nodes: node[01-16]
//! ```
//!
//! `topology.yaml`(5). If there are several topologies, the one with `cluster_default` is read, else the first.

use super::{
    FabricReading, PlacedFormat,
    slurm_topology::{Topology, Unit},
    yaml_tree::{YamlNode, YamlTree},
};

pub(super) static FORMAT: PlacedFormat = PlacedFormat { name: "a Slurm topology in YAML", read };

pub(super) fn is_like(text: &str) -> bool {
    let key = |line: &str| line.trim_start().trim_start_matches(['-', ' ']).starts_with("topology:");
    text.lines().any(key)
}

fn read(reading: &mut FabricReading<'_>) {
    let tree = match YamlTree::read(reading.text) {
        Ok(tree) => tree,
        Err(error) => return reading.complain_at(error.place, || error.message),
    };
    let Some(root) = &tree.root else { return };
    let all: Vec<&YamlNode> =
        YamlTree::items(root).iter().filter(|item| tree.get(item, "topology").is_some()).collect();
    let is_default = |item: &&&YamlNode| {
        let value = tree.get(item, "cluster_default").and_then(|value| tree.scalar(value));
        value.is_some_and(|value| value.eq_ignore_ascii_case("true"))
    };
    let Some(chosen) = all.iter().find(is_default).or(all.first()) else {
        return reading
            .complain_at(root.place.clone(), || "no topology, expected a list with one".to_owned());
    };
    if all.len() > 1 {
        let name = tree.get(chosen, "topology").and_then(|name| tree.scalar(name)).unwrap_or_default();
        reading.note(format!("of {} topologies {name} is read", all.len()));
    }
    let Some(topology) = topology(reading, &tree, chosen) else { return };
    topology.link(reading, &tree.text);
}

/// The switches or blocks of a topology.
fn topology<'n>(
    reading: &mut FabricReading<'_>,
    tree: &'n YamlTree<'_>,
    chosen: &'n YamlNode,
) -> Option<Topology<'n>> {
    let mut topology = Topology::default();
    if let Some(switches) = tree.get(chosen, "tree").and_then(|node| tree.get(node, "switches")) {
        topology.switches = units(reading, tree, switches, "switch");
        return Some(topology);
    }
    if let Some(block) = tree.get(chosen, "block") {
        if let Some(blocks) = tree.get(block, "blocks") {
            topology.blocks = units(reading, tree, blocks, "block");
        }
        let sizes = tree.get(block, "block_sizes").map(YamlTree::items).unwrap_or_default();
        topology.block_sizes = sizes.iter().filter_map(|size| tree.scalar(size)).collect();
        return Some(topology);
    }
    let flat = if tree.get(chosen, "flat").is_some() { "a flat topology names no hosts" } else { "neither" };
    reading.complain_at(chosen.place.clone(), || {
        format!("{flat}, expected a tree with switches or a block with blocks")
    });
    None
}

/// The switches or blocks of a list.
fn units<'n>(
    reading: &mut FabricReading<'_>,
    tree: &'n YamlTree<'_>,
    list: &'n YamlNode,
    key: &str,
) -> Vec<Unit<'n>> {
    let mut units = vec![];
    for entry in YamlTree::items(list) {
        let value = |key: &str| tree.get(entry, key).and_then(|value| tree.scalar(value)).unwrap_or_default();
        if value(key).is_empty() {
            reading.complain_at(entry.place.clone(), || format!("no {key}: in an entry, expected its name"));
            continue;
        }
        units.push(Unit {
            name: value(key),
            nodes: value("nodes"),
            below: value("children"),
            repeats_hosts: false,
            link_speed: None,
        });
    }
    units
}
