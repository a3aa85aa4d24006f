//! Full meshes and networks with switches in the `[machine]` table: their parameters (`docs/model.md` section 19).

use std::ops::RangeInclusive;

use cubefold_formats::input::text::with_article;
use cubefold_topology::{HostNics, MAX_NETWORK_NODES, Machine, MachineKind, NetworkParameters};

use super::{
    cluster,
    errors::ScenarioError,
    keys::{Key, KeyValues, NICS_ON},
    part_links::OwnLinks,
    settings::Settings,
    source_file::Place,
    uplinks::Uplinks,
    value::{Content, Size},
};

/// Reads the machine of a kind with parameters, with the lengths by which its nodes are numbered, and the speeds of its
/// links if it defines them.
pub(super) fn read(settings: &Settings<'_>, kind: MachineKind) -> Option<(Machine, Size, Option<OwnLinks>)> {
    let before = settings.errors().len();
    let kind_place = settings.place(Key::MachineKind);
    let mut own_links = None;
    let parameters = match kind {
        MachineKind::FullMesh => {
            NetworkParameters::FullMesh { nodes: required(settings, kind, Key::MachineNodes, 2..=8192)? }
        }
        MachineKind::HyperX => {
            let Some(value) = settings.get(Key::MachineShape) else {
                let expected = "the number of switches in each dimension: [4, 4]";
                return settings
                    .fail(settings.missing(Key::MachineShape, expected).because(kind_place, "a hyperx"));
            };
            let shape = Size::read(value, Key::MachineShape.path(), settings.errors())?.lengths;
            let hosts_per_switch = number(settings, kind, Key::MachineHostsPerSwitch)?;
            NetworkParameters::HyperX { shape, hosts_per_switch }
        }
        MachineKind::Dragonfly => {
            let [hosts_per_switch, switches_per_group, global_links] =
                [Key::MachineHostsPerSwitch, Key::MachineSwitchesPerGroup, Key::MachineGlobalLinks]
                    .map(|key| number(settings, kind, key));
            let whole = [hosts_per_switch?, switches_per_group?, global_links?];
            dragonfly(settings, whole)?
        }
        MachineKind::Cluster => {
            let (cluster, links) = cluster::read(settings)?;
            own_links = links;
            cluster
        }
        _ => fat_tree(settings)?,
    };
    if settings.errors().len() > before {
        return None;
    }
    let (machine, size) = make(settings, &parameters, kind_place?)?;
    Some((machine, size, own_links))
}

/// The machine with these parameters; `place` is the place of its kind.
fn make(settings: &Settings<'_>, parameters: &NetworkParameters, place: &Place) -> Option<(Machine, Size)> {
    let (nodes, links) = (parameters.node_count(), parameters.link_count());
    if parameters.is_makeable() {
        settings.errors().value_of(settings.budget().take_network(nodes, links, place))?;
    }
    match Machine::of_parameters(parameters) {
        Ok(machine) => {
            let size = Size::of_machine(&machine, place);
            Some((machine, size))
        }
        Err(error) => settings.fail(ScenarioError::at(place, error.to_string(), "these parameters")),
    }
}

/// Reads a tree of leaves and spines, or of an arity and levels.
fn fat_tree(settings: &Settings<'_>) -> Option<NetworkParameters> {
    const OF_TWO: [Key; 3] = [Key::MachineLeaves, Key::MachineHostsPerSwitch, Key::MachineSpines];
    const OF_ANY: [Key; 2] = [Key::MachineArity, Key::MachineLevels];
    let written = |keys: &[Key]| keys.iter().copied().find(|&key| settings.get(key).is_some());
    if let (Some(one), Some(other)) = (written(&OF_TWO), written(&OF_ANY)) {
        let message =
            format!("both {} and {}, expected the keys of one form of fat tree", one.path(), other.path());
        let error = ScenarioError::at(settings.place(other)?, message, "of k-ary n-trees");
        return settings.fail(
            error
                .because(settings.place(one), "of trees of two levels")
                .with_help("give leaves, hosts_per_switch and spines, or arity and levels"),
        );
    }
    let mut number = |key| number(settings, MachineKind::FatTree, key);
    if written(&OF_ANY).is_some() {
        let [arity, levels] = OF_ANY.map(&mut number);
        let (arity, levels) = (arity?, levels?);
        let nics_per_host = settings.natural(Key::MachineNicsPerHost)?;
        if let Some(value) = settings.get(Key::MachineNicsOn)
            && matches!(&value.content, Content::Text(text) if *text == NICS_ON[1])
        {
            let message = "machine.nics_on = neighbours of a k-ary n-tree, expected one-switch";
            return settings.fail(ScenarioError::at(&value.place, message, "only of leaves and spines"));
        }
        // Every switch has equally many links up and down.
        let full = || vec![nics_per_host; count(levels - 1)];
        let uplinks = uplinks(settings, count(levels - 1), full)?;
        return Some(NetworkParameters::KAryTree { arity, levels, uplinks, nics_per_host });
    }
    let [leaves, hosts_per_switch, spines] = OF_TWO.map(&mut number);
    let (leaves, hosts_per_switch, spines) = (leaves?, hosts_per_switch?, spines?);
    let nics = nics(settings, leaves, Key::MachineLeaves)?;
    let links = match nics {
        HostNics::OneSwitch(nics) => hosts_per_switch.saturating_mul(nics),
        HostNics::Neighbours(_) => hosts_per_switch,
    };
    let uplinks = uplinks(settings, 1, || vec![links.div_ceil(spines.max(1))])?;
    Some(NetworkParameters::LeafSpine { leaves, hosts_per_switch, spines, uplinks: uplinks[0], nics })
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Reads the cables of each level of links between switches of a fat tree; one each by default.
fn uplinks(settings: &Settings<'_>, levels: usize, full: impl FnOnce() -> Vec<u64>) -> Option<Vec<u64>> {
    let Some(value) = settings.get(Key::MachineUplinks) else { return Some(vec![1; levels]) };
    Uplinks::read(value, Key::MachineUplinks.path(), settings.errors())?.by_level(
        levels,
        full,
        value,
        settings.errors(),
    )
}

/// Reads the links of a host; those on neighbouring switches must divide the `switches` switches that a key gives.
fn nics(settings: &Settings<'_>, switches: u64, switches_key: Key) -> Option<HostNics> {
    let nics = settings.natural(Key::MachineNicsPerHost)?;
    let names = NICS_ON.map(|name| (name, name));
    let on = match settings.get(Key::MachineNicsOn) {
        Some(value) => value.choice(Key::MachineNicsOn.path(), &names, settings.errors())?,
        None => NICS_ON[0],
    };
    if on == NICS_ON[0] {
        return Some(HostNics::OneSwitch(nics));
    }
    if !switches.is_multiple_of(nics)
        && let Some(value) = settings.get(Key::MachineNicsPerHost)
    {
        let message = format!(
            "{nics} links of a host on neighbours among {switches} switches, expected a divisor of {switches}"
        );
        let error = ScenarioError::at(&value.place, message, "does not divide them");
        return settings.fail(error.because(settings.place(switches_key), format!("{switches} switches")));
    }
    Some(HostNics::Neighbours(nics))
}

/// Reads the groups of a dragonfly, and the links between every two, as far as ports allow.
fn dragonfly(
    settings: &Settings<'_>,
    [hosts_per_switch, switches_per_group, global_links]: [u64; 3],
) -> Option<NetworkParameters> {
    let ports = switches_per_group.saturating_mul(global_links);
    let within = |key: Key, least: u64, most: u64, default: u64| {
        let Some(value) = settings.get(key) else { return Some(default) };
        let found = value.natural(key.path(), least..=MAX_NETWORK_NODES, settings.errors())?;
        if found <= most {
            return Some(found);
        }
        let message = format!("{} is {found}, expected at most {most}", key.path());
        let error = ScenarioError::at(&value.place, message, "more than there are ports for");
        settings
            .fail(error.because(settings.place(Key::MachineGlobalLinks), format!("{ports} ports a group")))
    };
    let groups = within(Key::MachineGroups, 2, ports.saturating_add(1), ports.saturating_add(1))?;
    let most = ports / (groups - 1).max(1);
    let links_between_groups = within(Key::MachineLinksBetweenGroups, 1, most, most)?;
    let nics = nics(settings, switches_per_group, Key::MachineSwitchesPerGroup)?;
    Some(NetworkParameters::Dragonfly {
        hosts_per_switch,
        switches_per_group,
        global_links,
        groups,
        links_between_groups,
        nics,
    })
}

/// Reads the integer of a required key, in the range of the table of keys.
fn number(settings: &Settings<'_>, kind: MachineKind, key: Key) -> Option<u64> {
    let KeyValues::Integer { least, greatest } = key.entry().values else { return None };
    required(settings, kind, key, least..=greatest)
}

/// Reads the integer of a key that a kind of machine requires.
pub(super) fn required(
    settings: &Settings<'_>,
    kind: MachineKind,
    key: Key,
    range: RangeInclusive<u64>,
) -> Option<u64> {
    let Some(value) = settings.get(key) else {
        let error = settings.missing(key, &format!("from {} to {}", range.start(), range.end()));
        return settings.fail(error.because(settings.place(Key::MachineKind), with_article(kind.name())));
    };
    value.natural(key.path(), range, settings.errors())
}
