//! Full meshes and networks with switches in the `[machine]` table: their parameters (`docs/model.md` section 19).

use cubefold_topology::{Machine, MachineKind, NetworkParameters};

use super::{
    cluster,
    errors::ScenarioError,
    keys::{Key, KeyMachines, KeyValues},
    part_links::OwnLinks,
    settings::Settings,
    source_file::Place,
    value::Size,
};
use crate::input::text::with_article;

/// Reads the machine of a kind with parameters, with the lengths by which its nodes are numbered, and the speed of its
/// links if it brings that with it.
pub(super) fn read(
    settings: &Settings<'_>,
    kind: MachineKind,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Machine, Size, Option<OwnLinks>)> {
    let before = errors.len();
    let kind_place = settings.place(Key::MachineKind);
    let is_foreign =
        |key: Key| key.entry().machines != KeyMachines::All && !kind.descriptor().keys.contains(&key.key());
    settings.report_foreign(Key::MachineKind, kind.name(), is_foreign, errors);
    let mut own = None;
    let parameters = match kind {
        MachineKind::FullMesh => {
            const RANGE: std::ops::RangeInclusive<u64> = 2..=8192;
            let Some(value) = settings.get(Key::MachineNodes) else {
                let error = settings.missing(Key::MachineNodes, "from 2 to 8192");
                errors.push(error.because(kind_place, "a full-mesh"));
                return None;
            };
            NetworkParameters::FullMesh { nodes: value.natural(Key::MachineNodes.path(), RANGE, errors)? }
        }
        MachineKind::HyperX => {
            let Some(value) = settings.get(Key::MachineShape) else {
                let expected = "the number of switches in each dimension: [4, 4]";
                errors.push(settings.missing(Key::MachineShape, expected).because(kind_place, "a hyperx"));
                return None;
            };
            let shape = Size::read(value, Key::MachineShape.path(), errors)?.lengths;
            let hosts_per_switch = number(settings, kind, Key::MachineHostsPerSwitch, errors)?;
            NetworkParameters::HyperX { shape, hosts_per_switch }
        }
        MachineKind::Dragonfly => {
            let [hosts_per_switch, switches_per_group, global_links] =
                [Key::MachineHostsPerSwitch, Key::MachineSwitchesPerGroup, Key::MachineGlobalLinks]
                    .map(|key| number(settings, kind, key, errors));
            NetworkParameters::Dragonfly {
                hosts_per_switch: hosts_per_switch?,
                switches_per_group: switches_per_group?,
                global_links: global_links?,
            }
        }
        MachineKind::Cluster => {
            let (cluster, links) = cluster::read(settings, errors)?;
            own = links;
            cluster
        }
        _ => fat_tree(settings, errors)?,
    };
    if errors.len() > before {
        return None;
    }
    let (machine, size) = make(settings, &parameters, kind_place?, errors)?;
    Some((machine, size, own))
}

/// The machine with these parameters, whose kind is given at `place`.
fn make(
    settings: &Settings<'_>,
    parameters: &NetworkParameters,
    place: &Place,
    errors: &mut Vec<ScenarioError>,
) -> Option<(Machine, Size)> {
    let (nodes, links) = (parameters.node_count(), parameters.link_count());
    if parameters.is_makeable()
        && let Err(over) = settings.budget().take_network(nodes, links, place)
    {
        errors.push(over);
        return None;
    }
    match Machine::of_parameters(parameters) {
        Ok(machine) => {
            let size = Size::of_machine(&machine, place);
            Some((machine, size))
        }
        Err(error) => {
            errors.push(ScenarioError::at(place, error.to_string(), "these parameters"));
            None
        }
    }
}

/// Reads a tree of leaves and spines, or of an arity and levels.
fn fat_tree(settings: &Settings<'_>, errors: &mut Vec<ScenarioError>) -> Option<NetworkParameters> {
    const OF_TWO: [Key; 3] = [Key::MachineLeaves, Key::MachineHostsPerSwitch, Key::MachineSpines];
    const OF_ANY: [Key; 2] = [Key::MachineArity, Key::MachineLevels];
    let written = |keys: &[Key]| keys.iter().copied().find(|&key| settings.get(key).is_some());
    if let (Some(one), Some(other)) = (written(&OF_TWO), written(&OF_ANY)) {
        let message =
            format!("both {} and {}, expected the keys of one form of fat tree", one.path(), other.path());
        let error = ScenarioError::at(settings.place(other)?, message, "of k-ary n-trees");
        errors.push(
            error
                .because(settings.place(one), "of trees of two levels")
                .with_help("give leaves, hosts_per_switch and spines, or arity and levels"),
        );
        return None;
    }
    let mut number = |key| number(settings, MachineKind::FatTree, key, errors);
    if written(&OF_ANY).is_some() {
        let [arity, levels] = OF_ANY.map(&mut number);
        return Some(NetworkParameters::KAryTree { arity: arity?, levels: levels? });
    }
    let [leaves, hosts_per_switch, spines] = OF_TWO.map(&mut number);
    Some(NetworkParameters::LeafSpine {
        leaves: leaves?,
        hosts_per_switch: hosts_per_switch?,
        spines: spines?,
    })
}

/// Reads the integer of a required key.
fn number(
    settings: &Settings<'_>,
    kind: MachineKind,
    key: Key,
    errors: &mut Vec<ScenarioError>,
) -> Option<u64> {
    let KeyValues::Integer { least, greatest } = key.entry().values else { return None };
    let Some(value) = settings.get(key) else {
        let expected = format!("from {least} to {greatest}");
        let error = settings.missing(key, &expected);
        errors.push(error.because(settings.place(Key::MachineKind), with_article(kind.name())));
        return None;
    };
    value.natural(key.path(), least..=greatest, errors)
}
