//! InfiniBand fabrics, as printed by `ibnetdiscover` and read by `ibsim`: nodes, and one line per port.
//!
//! ```text
//! Switch  36 "S-0002c902004014b8"   # "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3 lmc 0
//! [1]     "H-0002c9030007d3be"[1](2c9030007d3bf)    # "node01 HCA-1" lid 5 4xHDR
//! Ca      1 "H-0002c9030007d3be"    # "node01 HCA-1"
//! [1](2c9030007d3bf)   "S-0002c902004014b8"[1]      # lid 5 lmc 0 "MF0;leaf1:MQM8700/U1" lid 3 4xHDR
//! ```
//!
//! `ibnetdiscover`(8). A cable is listed twice, once per end, and is one link. Adapters whose descriptions start
//! with the same word belong to one host and are one node. A lane carries its signalling rate less the overhead
//! of the line code (InfiniBand Architecture 1.7; HDR and later by their names).

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    format::{Complaint, FileText, Format, Read, Reading, wrong},
    input::{
        Ratio,
        text::{counted, described},
    },
    read::{networks::HOLDS, reads},
    value::{Content, Link, Network},
};

pub(super) static INFINIBAND: Format = reads(
    "infiniband-net",
    "ibnetdiscover, ibsim",
    HOLDS,
    |file| file.lines().any(|(_, line)| ib_node(line).is_some()).into(),
    read_infiniband,
);

/// `Switch 36 "ID"  # "DESCRIPTION" ..`: the kind, ID and description.
fn ib_node(line: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = line.split_once(char::is_whitespace)?;
    if !matches!(kind, "Switch" | "Hca" | "Ca" | "Rt") {
        return None;
    }
    let (ports, rest) = rest.trim_start().split_once(char::is_whitespace)?;
    ports.parse::<u32>().ok()?;
    let (id, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let description =
        rest.split_once('"').and_then(|(_, after)| after.split_once('"')).map_or("", |(quoted, _)| quoted);
    Some((kind, id, description))
}

/// `[P] "ID"[Q]`, with guids in parentheses: port, ID, far port, and the rest.
fn ib_port(line: &str) -> Option<(u64, &str, Option<u64>, &str)> {
    let (port, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    let (id, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
    let far = rest.strip_prefix('[').and_then(|after| after.split_once(']'));
    let (far, rest) = far.map_or((None, rest), |(digits, after)| (digits.parse().ok(), after));
    Some((port.parse().ok()?, id, far, rest))
}

/// The speed of a link such as `4xEDR` \[bytes/s\].
fn ib_speed(text: &str) -> Option<Ratio> {
    text.split_whitespace().find_map(rate_of_lanes)
}

/// The nodes of a file: names by ID, and the IDs of nodes left out.
#[derive(Default)]
struct Nodes<'t> {
    network: Network,
    names: BTreeMap<&'t str, &'t str>,
    left_out: BTreeSet<&'t str>,
    has_hosts: bool,
}

fn ib_nodes<'t>(file: &'t FileText<'_>) -> Result<Nodes<'t>, Vec<Complaint>> {
    let mut nodes = Nodes::default();
    for (line, text) in file.lines() {
        let Some((kind, id, description)) = ib_node(text) else { continue };
        let is_host = matches!(kind, "Hca" | "Ca");
        if is_host && description.contains("Aggregation Node") {
            nodes.left_out.insert(id);
            continue;
        }
        // All adapters of a host are one node.
        let name = if is_host { host_of_adapter(description).unwrap_or(id) } else { id };
        if nodes.names.insert(id, name).is_some() {
            return wrong(line, format!("node {} a second time, expected every node once", described(id)));
        }
        nodes.network.node(name, is_host);
        nodes.has_hosts |= is_host;
    }
    Ok(nodes)
}

fn read_infiniband(file: &FileText<'_>) -> Read {
    let Nodes { mut network, names, left_out, has_hosts } = ib_nodes(file)?;
    let mut cables: BTreeMap<[(&str, u64); 2], Option<Ratio>> = BTreeMap::new();
    let mut current: Option<&str> = None;
    for (line, text) in file.lines() {
        if let Some((_, id, _)) = ib_node(text) {
            current = Some(id);
            continue;
        }
        let (Some(node), Some((port, far, far_port, rest))) = (current, ib_port(text)) else { continue };
        if left_out.contains(node) || left_out.contains(far) {
            continue;
        }
        if !names.contains_key(far) {
            return wrong(line, format!("a cable to {}, which is no node of the file", described(far)));
        }
        let mut ends = [(node, port), (far, far_port.unwrap_or(1))];
        ends.sort_unstable();
        let speed = cables.entry(ends).or_default();
        *speed = speed.or_else(|| ib_speed(rest));
    }
    let cable_count = cables.len();
    for ([one, other], bandwidth) in cables {
        let [Some(from), Some(to)] = [one, other].map(|(id, _)| network.place(names[id])) else { continue };
        if from == to {
            network.loops += 1;
            continue;
        }
        network.links.push(Link { ends: [from, to], count: 1, bandwidth, ..Link::default() });
    }
    if cable_count == 0 {
        return wrong(0, "no cable, expected lines such as [1] \"S-0002c902004014b8\"[36] below a node");
    }
    let loops = network.loops;
    let mut reading = Reading::from(Content::Network(network.finish(has_hosts)));
    if loops > 0 {
        reading.notes.push(format!("left out: {} from a node back to itself", counted(loops, "cable")));
    }
    if !left_out.is_empty() {
        reading.notes.push(format!(
            "left out: {} inside switches",
            counted(left_out.len() as u64, "aggregation node")
        ));
    }
    Ok(reading)
}

/// The host name in an adapter's description: `node01` in `node01 mlx5_0` or `node01 HCA-1`; `None` in others.
fn host_of_adapter(description: &str) -> Option<&str> {
    let mut words = description.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let second = second.to_ascii_lowercase();
    let is_adapter = ["hca", "mlx", "mthca", "hfi", "qib", "ib", "bnxt", "irdma", "rxe"];
    (!first.is_empty() && is_adapter.iter().any(|known| second.starts_with(known))).then_some(first)
}

/// The bandwidth of a width and a rate such as `4xHDR` \[bytes/s\].
fn rate_of_lanes(word: &str) -> Option<Ratio> {
    // Bytes of data per second on one lane. FDR signals at 14.0625 Gb/s in a 64b/66b line code.
    let lane = match word.split_once('x')?.1 {
        "SDR" => Ratio::new(2_000_000_000, 8),
        "DDR" => Ratio::new(4_000_000_000, 8),
        "QDR" => Ratio::new(8_000_000_000, 8),
        "FDR10" => Ratio::new(10_000_000_000, 8),
        "FDR" => Ratio::new(14_062_500_000 * 64, 66 * 8),
        "EDR" => Ratio::new(25_000_000_000, 8),
        "HDR" => Ratio::new(50_000_000_000, 8),
        "NDR" => Ratio::new(100_000_000_000, 8),
        "XDR" => Ratio::new(200_000_000_000, 8),
        _ => return None,
    };
    let width: u64 = word.split_once('x')?.0.parse().ok().filter(|&width| width > 0 && width <= 12)?;
    lane.times(Ratio::from(width))
}
