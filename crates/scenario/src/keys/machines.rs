//! The keys of `[machine]` that describe each kind of machines: the one list from which `explain` and the errors about
//! keys of other kinds derive, of machines and of guests. A key that no kind lists applies to all, but for `partition`.

use cubefold_topology::MachineKind;

/// Lists the keys that describe a machine of a kind, or a guest, besides its kind.
#[must_use]
#[expect(clippy::too_many_lines, reason = "a line for each key")]
pub fn machine_keys(kind: MachineKind) -> &'static [&'static str] {
    match kind {
        MachineKind::Line | MachineKind::Ring | MachineKind::Mesh => &["shape", "wrap"],
        MachineKind::Torus => &["shape", "wrap", "twist"],
        MachineKind::Hypercube => &["dimensions", "shape", "wrap"],
        MachineKind::CubeConnectedCycles
        | MachineKind::WrappedButterfly
        | MachineKind::Butterfly
        | MachineKind::ShuffleExchange
        | MachineKind::DeBruijn
        | MachineKind::MeshOfTrees => &["dimensions"],
        MachineKind::BinaryTree | MachineKind::StretchedTree | MachineKind::TwoTrees => &["levels"],
        MachineKind::KAryTree => &["arity", "levels"],
        MachineKind::RandomTree => &["vertices"],
        MachineKind::Caterpillar => &["legs"],
        MachineKind::Grammar => &["grammar", "size"],
        MachineKind::FullMesh => &["nodes"],
        MachineKind::HyperX => &["shape", "hosts_per_switch"],
        MachineKind::Dragonfly => &[
            "hosts_per_switch",
            "switches_per_group",
            "global_links",
            "groups",
            "global_latency_cycles",
            "links_between_groups",
            "nics_per_host",
            "nics_on",
        ],
        MachineKind::FatTree => &[
            "leaves",
            "hosts_per_switch",
            "spines",
            "arity",
            "levels",
            "uplinks",
            "reduce",
            "nics_per_host",
            "nics_on",
        ],
        MachineKind::Cluster => {
            &["nodes", "devices_per_node", "nics_per_node", "inside", "nic", "outside", "hosts_forward"]
        }
        MachineKind::Network => &[
            "edges",
            "hosts",
            "hosts_forward",
            "uplinks",
            "lane",
            "unit-of-linkspeed",
            "paths",
            "reduce",
            "directed",
        ],
    }
}

/// Whether a key, of `[machine]` or of a guest, describes only machines of other kinds.
pub(crate) fn is_foreign_to_machine(key: &str, kind: MachineKind) -> bool {
    match key {
        // Selects a box of any grid.
        "partition" => !kind.is_grid(),
        // The readers of lengths say what to write instead.
        "dimensions" if kind.is_grid() => false,
        _ => {
            let describes = |kind: &MachineKind| machine_keys(*kind).contains(&key);
            !describes(&kind) && MachineKind::ALL.iter().any(describes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Key, Section};

    #[test]
    fn the_keys_of_machines_are_keys_of_scenarios() {
        for kind in MachineKind::HOSTS {
            for key in machine_keys(kind) {
                assert!(Key::with_key(Section::Machine, key).is_some(), "{kind}: {key}");
            }
        }
    }

    #[test]
    fn a_key_is_foreign_to_the_kinds_that_do_not_list_it() {
        let takes = |key: &str| {
            MachineKind::HOSTS.into_iter().filter(|kind| !is_foreign_to_machine(key, *kind)).count()
        };
        assert_eq!(takes("partition"), MachineKind::GRIDS.len());
        assert_eq!(takes("twist"), 1);
        assert_eq!(takes("reduce"), 2);
        assert_eq!(takes("levels"), 3); // fat trees, binary and k-ary ones
        assert_eq!(takes("failed_links"), MachineKind::HOSTS.len());
    }
}
