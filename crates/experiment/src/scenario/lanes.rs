//! `machine.lane` and `machine.paths`: the speed of a lane of links such as `NVLink`, and of the buses that join devices
//! without a link of their own (`docs/model.md` section 22).

use std::{collections::BTreeMap, sync::Arc};

use super::{
    errors::ScenarioError,
    network::NetworkKeys,
    part_links::PartLink,
    timing::quantity,
    value::{Content, Entry, Table, Value},
};
use crate::{
    input::{Ratio, quantity::Measure},
    launcher::fabric::{Fabric, LinkSpeed},
};

/// The network, its lanes and paths as fast as the keys say, with notes on what is assumed and left out.
pub(super) fn with_speeds(
    keys: &NetworkKeys<'_>,
    fabric: Arc<Fabric>,
    errors: &mut Vec<ScenarioError>,
) -> Option<Arc<Fabric>> {
    if !fabric.has_lanes() && fabric.paths.is_empty() {
        for (key, value) in [("lane", keys.lane), ("paths", keys.paths)] {
            errors.extend(value.map(|value| {
                let message = format!("{}.{key} beside {}, expected none", keys.name, fabric.format);
                let what = "its links have no lanes, and every pair has links of its own";
                ScenarioError::at(&value.place, message, what).with_help("leave it out")
            }));
        }
        return Some(fabric);
    }
    let (lane, paths) = (lane(keys, &fabric, errors), paths(keys, &fabric, errors));
    let (lane, paths) = (lane?, paths?);
    let mut own = Fabric::clone(&fabric);
    if fabric.has_lanes() && keys.lane.is_none() {
        let told = match lane {
            Some(_) => "a link of n lanes has n times the bandwidth of machine.link (lane = { .. })",
            None => "the lanes of a link are not counted: times are in cycles (lane = { .. })",
        };
        own.notes.push(told.to_owned());
    }
    let left_out: Vec<&str> = fabric.classes().filter(|class| !paths.contains_key(*class)).collect();
    if !left_out.is_empty() {
        let classes = left_out.join(", ");
        own.notes
            .push(format!("pairs without a link of their own ({classes}) are left out (paths = {{ .. }})"));
    }
    let own = lane.map_or(own.clone(), |lane| own.with_lane(lane));
    Some(Arc::new(own.with_paths(&paths)))
}

/// The speed of a lane: that of all links if there is none of its own; `None` inside if there is neither.
#[expect(clippy::option_option, reason = "an error, nothing written, or a speed")]
fn lane(
    keys: &NetworkKeys<'_>,
    fabric: &Fabric,
    errors: &mut Vec<ScenarioError>,
) -> Option<Option<LinkSpeed>> {
    match (keys.lane, keys.link) {
        (Some(value), _) if !fabric.has_lanes() => {
            let message = format!("{}.lane beside {}, expected none", keys.name, fabric.format);
            let error = ScenarioError::at(&value.place, message, "its links have no lanes");
            errors.push(error.with_help("leave it out"));
            None
        }
        (Some(value), _) => PartLink::read(value, "machine.lane", errors).map(|own| Some(own.speed)),
        // Its errors are reported where the times of links are read.
        (None, Some(value)) if matches!(value.content, Content::Table(_)) => {
            Some(PartLink::read(value, "machine.link", &mut vec![]).map(|own| own.speed))
        }
        (None, _) => Some(None),
    }
}

/// The speeds of classes of pairs: a bandwidth, or a table of bandwidth and latency.
fn paths(
    keys: &NetworkKeys<'_>,
    fabric: &Fabric,
    errors: &mut Vec<ScenarioError>,
) -> Option<BTreeMap<String, LinkSpeed>> {
    let Some(value) = keys.paths else { return Some(BTreeMap::new()) };
    let classes: Vec<&str> = fabric.classes().collect();
    let before = errors.len();
    let table = Table::read(value, "machine.paths", &classes, errors)?;
    let found: BTreeMap<String, LinkSpeed> = table
        .entries()
        .iter()
        .filter_map(|Entry { key, value, .. }| Some((key.clone(), path(value, &table.name(key), errors)?)))
        .collect();
    (errors.len() == before).then_some(found)
}

/// The speed of one class.
fn path(value: &Value, name: &str, errors: &mut Vec<ScenarioError>) -> Option<LinkSpeed> {
    let Content::Text(_) = value.content else {
        return PartLink::read(value, name, errors).map(|own| own.speed);
    };
    let bandwidth = quantity(value, name, Measure::Bandwidth, errors)?;
    if bandwidth == Ratio::ZERO {
        errors.push(value.unexpected(name, "more than 0"));
        return None;
    }
    Some(LinkSpeed { bandwidth: Some(bandwidth), latency: Some(Ratio::ZERO), ..LinkSpeed::default() })
}

/// The keys that join the devices of a network whose pairs have classes, for the help of an error.
pub(super) fn joining(fabric: &Fabric) -> Option<String> {
    let classes: Vec<String> = fabric.classes().map(|own| format!("{own} = \"..\"")).collect();
    (!classes.is_empty()).then(|| format!("paths = {{ {} }} joins pairs without a link", classes.join(", ")))
}
