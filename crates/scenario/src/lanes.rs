//! `machine.lane`, `unit-of-linkspeed` and `paths`: the speed of a lane of links such as `NVLink`, of the unit of Slurm's
//! `LinkSpeed`, and of the buses that join devices without a direct link (`docs/model.md` section 22).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use cubefold_formats::{
    input::{Ratio, quantity::Measure},
    launcher::fabric::{Fabric, LinkSpeed},
};

use super::{
    errors::{Errors, ScenarioError},
    network::NetworkKeys,
    part_links::PartLink,
    timing::quantity,
    value::{Content, Entry, Table, Value},
};

/// The network with the speeds of lanes and paths from the keys, and notes on assumptions and omissions.
pub(super) fn with_speeds(
    keys: &NetworkKeys<'_>,
    fabric: Arc<Fabric>,
    errors: &Errors,
) -> Option<Arc<Fabric>> {
    let (has_lanes, is_of_slurm) = (fabric.has_lanes(), fabric.format.starts_with("a Slurm topology"));
    let fits = [
        ("lane", keys.lane, has_lanes && !is_of_slurm, "its links have no lanes"),
        ("unit-of-linkspeed", keys.link_speed_unit, has_lanes && is_of_slurm, "it has no LinkSpeed"),
        ("paths", keys.paths, !fabric.paths.is_empty(), "every pair has links of its own"),
    ];
    let before = errors.len();
    for (key, value, fits, why) in fits {
        errors.report_all(value.filter(|_| !fits).map(|value| {
            let message = format!("{}.{key} beside {}, expected none", keys.name, fabric.format);
            ScenarioError::at(&value.place, message, why).with_help("leave it out")
        }));
    }
    if errors.len() > before {
        return None;
    }
    if !has_lanes && fabric.paths.is_empty() {
        return Some(fabric);
    }
    let lane = lane(keys, is_of_slurm, errors)?;
    let paths = paths(keys, &fabric, lane, errors)?;
    let mut noted = Fabric::clone(&fabric);
    let speeds: BTreeSet<Option<u64>> = fabric.links.iter().map(|link| link.speed.lanes).collect();
    let note = match (is_of_slurm, keys.lane.or(keys.link_speed_unit), lane) {
        (_, Some(_), _) => None,
        // If a site gives no LinkSpeed, it is 1 for all links.
        (true, ..) => (speeds.len() > 1).then_some(
            "LinkSpeed has no unit and is not used (unit-of-linkspeed = \"1 Gb/s\" if it is in Gb/s)",
        ),
        (false, _, Some(_)) => {
            Some("a link of n lanes has n times the bandwidth of machine.link (lane = { .. })")
        }
        (false, _, None) => Some("the lanes of a link are not counted: times are in cycles (lane = { .. })"),
    };
    noted.notes.extend(note.filter(|_| has_lanes).map(str::to_owned));
    let left_out: Vec<&str> = fabric.classes().filter(|class| !paths.contains_key(*class)).collect();
    if !left_out.is_empty() {
        let classes = left_out.join(", ");
        noted
            .notes
            .push(format!("pairs without a link of their own ({classes}) are left out (paths = {{ .. }})"));
    }
    Some(Arc::new(noted.with_lane(lane).with_paths(&paths)))
}

/// The speed of a lane, or of a unit of `LinkSpeed`: for lanes by default the speed of all links; `Some(None)` if there
/// is neither.
#[expect(clippy::option_option, reason = "an error, nothing written, or a speed")]
fn lane(keys: &NetworkKeys<'_>, is_of_slurm: bool, errors: &Errors) -> Option<Option<LinkSpeed>> {
    match (keys.lane, keys.link_speed_unit, keys.link) {
        (Some(value), ..) => PartLink::read(value, "machine.lane", errors).map(|link| Some(link.speed)),
        (None, Some(value), _) => {
            let bandwidth = bandwidth(value, "machine.unit-of-linkspeed", errors)?;
            Some(Some(LinkSpeed { bandwidth: Some(bandwidth), ..LinkSpeed::default() }))
        }
        // Its errors are reported where the times of links are read.
        (None, None, Some(value)) if !is_of_slurm && matches!(value.content, Content::Table(_)) => {
            Some(PartLink::read(value, "machine.link", &Errors::default()).map(|link| link.speed))
        }
        (None, None, _) => Some(None),
    }
}

/// The speeds of classes of pairs: a bandwidth, with the latency of a lane, or a table of bandwidth and latency.
fn paths(
    keys: &NetworkKeys<'_>,
    fabric: &Fabric,
    lane: Option<LinkSpeed>,
    errors: &Errors,
) -> Option<BTreeMap<String, LinkSpeed>> {
    let latency = lane.and_then(|lane| lane.latency).or(Some(Ratio::ZERO));
    let Some(value) = keys.paths else { return Some(BTreeMap::new()) };
    let classes: Vec<&str> = fabric.classes().collect();
    let before = errors.len();
    let table = Table::read(value, "machine.paths", &classes, errors)?;
    let found: BTreeMap<String, LinkSpeed> = table
        .entries()
        .iter()
        .filter_map(|Entry { key, value, .. }| {
            Some((key.clone(), path(value, &table.name(key), latency, errors)?))
        })
        .collect();
    (errors.len() == before).then_some(found)
}

/// The speed of one class. Routes are those of the least latency, so a bus must not have less than a link by default.
fn path(value: &Value, name: &str, latency: Option<Ratio>, errors: &Errors) -> Option<LinkSpeed> {
    let Content::Text(_) = value.content else {
        return PartLink::read(value, name, errors).map(|link| link.speed);
    };
    let bandwidth = bandwidth(value, name, errors)?;
    Some(LinkSpeed { bandwidth: Some(bandwidth), latency, ..LinkSpeed::default() })
}

/// A bandwidth above 0.
fn bandwidth(value: &Value, name: &str, errors: &Errors) -> Option<Ratio> {
    let bandwidth = quantity(value, name, Measure::Bandwidth, errors)?;
    if bandwidth == Ratio::ZERO {
        return errors.fail(value.unexpected(name, "more than 0"));
    }
    Some(bandwidth)
}

/// The keys that join the devices of a network whose pairs have classes, for the help of an error.
pub(super) fn joining(fabric: &Fabric) -> Option<String> {
    let classes: Vec<String> = fabric.classes().map(|class| format!("{class} = \"..\"")).collect();
    (!classes.is_empty()).then(|| format!("paths = {{ {} }} joins pairs without a link", classes.join(", ")))
}
