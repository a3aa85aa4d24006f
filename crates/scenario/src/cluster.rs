//! Clusters of accelerators in the `[machine]` table (`docs/model.md` section 22): nodes, devices, and the tables of their links.

use cubefold_topology::{
    Cluster, ClusterInside, ClusterOutside, ClusterPart, ClusterUplinks, MAX_NETWORK_NODES, MachineKind,
    NetworkParameters,
};

use super::{
    collective::in_switch,
    errors::ScenarioError,
    keys::Key,
    part_links::{OwnLinks, PART_KEYS, PartLink, part_link},
    settings::Settings,
    switched::required,
    value::{Content, Table, Value},
};

/// The kinds of networks inside a node.
const INSIDES: [&str; 5] = ["switch", "full-mesh", "ring", "hypercube", "none"];

/// Reads the parameters of a cluster, and the speeds of its parts, if any are given.
pub(super) fn read(settings: &Settings<'_>) -> Option<(NetworkParameters, Option<OwnLinks>)> {
    let before = settings.errors().len();
    let required = |key| required(settings, MachineKind::Cluster, key, 1..=MAX_NETWORK_NODES);
    let nodes = required(Key::MachineNodes);
    let devices = required(Key::MachineDevicesPerNode);
    let inside = inside(settings, devices);
    let nics = nics(settings);
    let outside = outside(settings, nics.or(devices));
    let nic = nic(settings, nics, devices);
    let (nodes, devices) = (nodes?, devices?);
    if let (None, Some(value)) = (settings.get(Key::MachineOutside), settings.get(Key::MachineNodes))
        && nodes > 1
    {
        let message = format!("{nodes} nodes without machine.outside, expected the links between them");
        let help =
            "outside = { link = { bandwidth = \"50 GB/s\", latency = \"1 us\" }, leaves = { nodes = 8 } }";
        settings
            .report(ScenarioError::at(&value.place, message, "not linked with each other").with_help(help));
    }
    if settings.errors().len() > before {
        return None;
    }
    let (inside, inside_link) = inside?;
    let (outside, links) = outside?;
    let [outside_link, spine_link] = links;
    let nics_are_vertices = outside.is_some_and(|outside| outside.nics_per_node < devices);
    let nic_link = nic?.or_else(|| outside_link.clone()).filter(|_| nics_are_vertices);
    // By default, devices forward messages if there is no other route.
    let passes = matches!(inside, ClusterInside::Ring | ClusterInside::Hypercube)
        || outside.is_none_or(|outside| outside.spines == 0);
    let hosts_forward = match settings.get(Key::MachineHostsForward) {
        None => passes,
        Some(value) => value.truth(Key::MachineHostsForward.path(), settings.errors())?,
    };
    let cluster = Cluster { nodes, devices_per_node: devices, inside, outside, hosts_forward };
    let spine_link = spine_link.or_else(|| outside_link.clone());
    let links = ClusterPart::ALL.map(|part| match part {
        ClusterPart::Inside => inside_link.as_ref(),
        ClusterPart::Nic => nic_link.as_ref(),
        ClusterPart::Outside => outside_link.as_ref(),
        ClusterPart::Spine => spine_link.as_ref(),
    });
    let place = links.iter().find_map(|link| Some(link.as_ref()?.place.clone()));
    let speed = |link: Option<&PartLink>| link.map(|link| link.speed).unwrap_or_default();
    let own_links = place.map(|place| OwnLinks { by_class: links.map(speed).to_vec(), place });
    Some((NetworkParameters::Cluster(cluster), own_links))
}

/// Reads the network inside a node, and the speed of its links.
fn inside(settings: &Settings<'_>, devices: Option<u64>) -> Option<(ClusterInside, Option<PartLink>)> {
    let key = Key::MachineInside;
    let Some(value) = settings.get(key) else {
        let example = "the network of a node: { kind = \"switch\", link = { bandwidth = \"450 GB/s\", latency = \"500 ns\" } }";
        return settings
            .fail(settings.missing(key, example).because(settings.place(Key::MachineKind), "a cluster"));
    };
    let table = Table::read(
        value,
        key.path(),
        &[&["kind", "planes", "reduce"], &PART_KEYS[..]].concat(),
        settings.errors(),
    )?;
    if table.get("kind").is_none() {
        report_replaced(settings, value)?;
    }
    let kind_value = table.required("kind", &INSIDES.join(", "), settings.errors())?;
    let kinds = INSIDES.map(|name| (name, name));
    let kind = kind_value.choice(&table.name("kind"), &kinds, settings.errors())?;
    let planes = planes(settings, &table, kind)?;
    if let Some(value) = table.get("reduce") {
        if kind != "switch" {
            let message =
                format!("{} of a {kind}, expected none: only switches reduce", table.name("reduce"));
            return settings.fail(ScenarioError::at(&value.place, message, "nothing reduces"));
        }
        in_switch::reduce(value, &table.name("reduce"), settings.errors());
    }
    let link = part_link(&table, settings.errors())?;
    let inside = match kind {
        "switch" => ClusterInside::Switch { planes },
        "full-mesh" => ClusterInside::FullMesh,
        "ring" => ClusterInside::Ring,
        "hypercube" => ClusterInside::Hypercube,
        _ => ClusterInside::None,
    };
    if let (ClusterInside::Hypercube, Some(found)) =
        (inside, devices.filter(|count| !count.is_power_of_two()))
    {
        let message = format!("a hypercube of {found} devices, expected a power of two");
        let error = ScenarioError::at(&kind_value.place, message, "needs a power of two");
        return settings
            .fail(error.because(settings.place(Key::MachineDevicesPerNode), format!("{found} devices")));
    }
    Some((inside, link))
}

/// Reports a table without a kind that replaces that of the machine file; `Some` if it replaces none.
fn report_replaced(settings: &Settings<'_>, value: &Value) -> Option<()> {
    let Some(replaced) = settings.replaced(Key::MachineInside) else { return Some(()) };
    let message = "machine.inside.kind is missing: the table replaces that of the machine file as a whole";
    let error = ScenarioError::at(&value.place, message, "without kind");
    let error = error.because(Some(&replaced.place), "replaced");
    settings.fail(error.with_help("write all keys of machine.inside, also those of the machine file"))
}

/// Reads the number of planes of the switches inside a node.
fn planes(settings: &Settings<'_>, table: &Table<'_>, kind: &str) -> Option<u64> {
    match table.get("planes") {
        Some(value) if kind == "switch" => {
            value.natural(table.name("planes"), 1..=MAX_NETWORK_NODES, settings.errors())
        }
        Some(value) => {
            let message =
                format!("{} of a {kind}, expected none: only switches have planes", table.name("planes"));
            settings.fail(ScenarioError::at(&value.place, message, "not needed").with_help("remove planes"))
        }
        None => Some(1),
    }
}

/// Reads the NICs of a node; `None` if there is one for each device.
fn nics(settings: &Settings<'_>) -> Option<u64> {
    let value = settings.get(Key::MachineNicsPerNode)?;
    let found = value.natural(Key::MachineNicsPerNode.path(), 1..=MAX_NETWORK_NODES, settings.errors())?;
    settings.obeys(Key::MachineNicsPerNode);
    Some(found)
}

/// Reads the speed of the links between devices and NICs.
#[expect(clippy::option_option, reason = "an error, nothing written, or a link")]
fn nic(settings: &Settings<'_>, nics: Option<u64>, devices: Option<u64>) -> Option<Option<PartLink>> {
    let key = Key::MachineNic;
    let Some(value) = settings.get(key) else { return Some(None) };
    let table = Table::read(value, key.path(), &PART_KEYS, settings.errors())?;
    let link = part_link(&table, settings.errors())?;
    if nics.is_none_or(|nics| devices.is_some_and(|devices| nics >= devices)) {
        let message =
            "machine.nic with a NIC for each device, expected none: a device has the link to its leaf itself";
        let error = ScenarioError::at(&value.place, message, "no such links");
        return settings.fail(error.with_help("remove nic, or give nics_per_node"));
    }
    Some(link)
}

/// Reads the links between nodes, and the speeds of those to leaves and to spines.
fn outside(
    settings: &Settings<'_>,
    nics: Option<u64>,
) -> Option<(Option<ClusterOutside>, [Option<PartLink>; 2])> {
    const KEYS: [&str; 6] = ["leaves", "rails", "spines", "uplinks", "spine_link", "reduce"];
    let key = Key::MachineOutside;
    let Some(value) = settings.get(key) else { return Some((None, [None, None])) };
    let table = Table::read(value, key.path(), &[&KEYS[..], &PART_KEYS[..]].concat(), settings.errors())?;
    if let Some(value) = table.get("reduce") {
        in_switch::reduce(value, &table.name("reduce"), settings.errors());
    }
    let leaves_name = table.name("leaves");
    let leaves = table.required("leaves", "the nodes on a leaf: { nodes = 8 }", settings.errors());
    let leaves = leaves.and_then(|value| Table::read(value, &leaves_name, &["nodes"], settings.errors()));
    let nodes_per_leaf = leaves.and_then(|leaves| {
        let value = leaves.required("nodes", "the nodes on a leaf", settings.errors())?;
        value.natural(leaves.name("nodes"), 1..=MAX_NETWORK_NODES, settings.errors())
    });
    let spines = match table.get("spines") {
        Some(value) => value.natural(table.name("spines"), 0..=MAX_NETWORK_NODES, settings.errors()),
        None => Some(0),
    };
    let uplinks = match table.get("uplinks") {
        Some(Value { content: Content::Text(text), .. }) if text == "full" => Some(ClusterUplinks::Full),
        Some(value) => value
            .natural(table.name("uplinks"), 1..=MAX_NETWORK_NODES, settings.errors())
            .map(ClusterUplinks::Each),
        None => Some(ClusterUplinks::Each(1)),
    };
    let has_rails = match table.get("rails") {
        None => Some(false),
        Some(value) => value.truth(table.name("rails"), settings.errors()),
    };
    if let (Some(value), Some(0)) = (table.get("spine_link"), spines) {
        let message = format!("{} without spines, expected the number of spines", table.name("spine_link"));
        settings
            .report(ScenarioError::at(&value.place, message, "leads nowhere").with_help("add spines = .."));
    }
    let link = part_link(&table, settings.errors());
    let spine_link = match table.get("spine_link") {
        Some(value) => {
            PartLink::read_in_either(value, &table.name("spine_link"), settings.errors()).map(Some)
        }
        None => Some(None),
    };
    let outside = ClusterOutside {
        nics_per_node: nics?,
        nodes_per_leaf: nodes_per_leaf?,
        has_rails: has_rails?,
        spines: spines?,
        uplinks: uplinks?,
    };
    Some((Some(outside), [link?, spine_link?]))
}
