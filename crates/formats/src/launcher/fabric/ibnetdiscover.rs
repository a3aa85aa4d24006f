//! `ibnetdiscover`: the switches and channel adapters of an InfiniBand fabric, port by port.
//!
//! ```text
//! Switch  36 "S-0002c902004014b8"   # "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 3 lmc 0
//! [1]     "H-0002c9030007d3be"[1](2c9030007d3bf)    # "node01 HCA-1" lid 5 4xHDR
//! Ca      1 "H-0002c9030007d3be"    # "node01 HCA-1"
//! [1](2c9030007d3bf)   "S-0002c902004014b8"[1]      # lid 5 lmc 0 "MF0;leaf1:MQM8700/U1" lid 3 4xHDR
//! ```
//!
//! `ibnetdiscover`(8). A cable is on two lines, one per end, and is one link. Adapters of one host, by the first
//! word of their descriptions, are one node. A lane carries its signalling rate less the overhead of the line code
//! (InfiniBand Architecture 1.7; HDR and later by their names).

use std::collections::{BTreeMap, BTreeSet};

use super::{FabricFormat, FabricReading, LinkSpeed, reading::Vertex};
use crate::input::{
    Ratio,
    text::{Remarks, described, lines},
};

pub(super) const FORMAT: FabricFormat = FabricFormat {
    name: "a fabric as ibnetdiscover prints it",
    is_like: |text| lines(text, Remarks::None).any(|line| definition(line).is_some()),
    read,
};

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Switch,
    Adapter,
}

/// A line that defines a node: `Switch 36 "S-.." # "description"`.
struct Definition<'t> {
    kind: Kind,
    id: &'t str,
    description: &'t str,
}

/// The port of a node.
type Port<'t> = (&'t str, u64);

fn definition(line: &str) -> Option<Definition<'_>> {
    let (node, remark) = line.split_once('#').unwrap_or((line, ""));
    let mut words = node.split_whitespace();
    let kind = match words.next()? {
        "Switch" | "Rt" => Kind::Switch,
        "Ca" => Kind::Adapter,
        _ => return None,
    };
    words.next()?.parse::<u64>().ok()?;
    let id = words.next()?.strip_prefix('"')?.strip_suffix('"')?;
    let description = remark.split('"').nth(1).unwrap_or_default();
    Some(Definition { kind, id, description })
}

fn read(reading: &mut FabricReading<'_>) {
    let text = reading.text;
    let mut nodes: BTreeMap<&str, Option<Vertex>> = BTreeMap::new(); // `None` of what is left out
    for line in lines(text, Remarks::None) {
        let Some(own) = definition(line) else { continue };
        let vertex = match own.kind {
            Kind::Adapter if own.description.contains("Aggregation Node") => None,
            Kind::Adapter => {
                let Some((host, _)) = reading.host(host_of_adapter(own.description).unwrap_or(own.id), line)
                else {
                    return;
                };
                Some(host)
            }
            Kind::Switch => {
                let name = if own.description.is_empty() { own.id } else { own.description };
                let Some((mut switch, is_new)) = reading.switch(name, line) else { return };
                if !is_new {
                    let Some((other, _)) = reading.switch(&format!("{name} {}", own.id), line) else {
                        return;
                    };
                    switch = other;
                }
                Some(switch)
            }
        };
        if nodes.insert(own.id, vertex).is_some() {
            reading.complain(line, || {
                format!("node {} a second time, expected every node once", described(own.id))
            });
        }
    }
    let left_out = nodes.values().filter(|vertex| vertex.is_none()).count();
    if left_out > 0 {
        reading.note(format!("{left_out} aggregation nodes inside switches are left out"));
    }
    read_cables(reading, &nodes);
}

/// The name of the host of an adapter: `node01` of `node01 mlx5_0` and `node01 HCA-1`; `None` of other descriptions.
pub(crate) fn host_of_adapter(description: &str) -> Option<&str> {
    let mut words = description.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let second = second.to_ascii_lowercase();
    let is_adapter = ["hca", "mlx", "mthca", "hfi", "qib", "ib", "bnxt", "irdma", "rxe"];
    (!first.is_empty() && is_adapter.iter().any(|known| second.starts_with(known))).then_some(first)
}

fn read_cables(reading: &mut FabricReading<'_>, nodes: &BTreeMap<&str, Option<Vertex>>) {
    let mut cables: BTreeSet<[Port<'_>; 2]> = BTreeSet::new();
    let mut at = None;
    for line in lines(reading.text, Remarks::None) {
        if let Some(own) = definition(line) {
            at = Some(own.id);
            continue;
        }
        if !line.starts_with('[') {
            continue; // identifiers of a node, and remarks
        }
        let (Some(own), Some((port, other, speed))) = (at, cable(line)) else {
            reading.complain(line, || {
                format!("line is {}, expected a cable: [1] \"S-..\"[2] # ..", described(line))
            });
            continue;
        };
        let (Some(&from), Some(&to)) = (nodes.get(own), nodes.get(other.0)) else {
            reading.complain(line, || {
                format!("a cable to {}, expected a node with lines of its own", described(other.0))
            });
            continue;
        };
        let own = (own, port);
        let is_new = cables.insert([own.min(other), own.max(other)]);
        if let (Some(from), Some(to), true) = (from, to, is_new) {
            let speed = match speed {
                None => LinkSpeed::default(),
                Some(word) => {
                    if let Some(bandwidth) = rate_of_lanes(word) {
                        LinkSpeed { bandwidth: Some(bandwidth), ..LinkSpeed::default() }
                    } else {
                        reading.complain(word, || {
                            format!("speed {}, expected one such as 4xHDR", described(word))
                        });
                        continue;
                    }
                }
            };
            reading.link([from, to], 1, speed, line);
        }
    }
}

/// The port of a cable, the port at its other end, and its width and rate.
fn cable(line: &str) -> Option<(u64, Port<'_>, Option<&str>)> {
    let (ends, remark) = line.split_once('#').unwrap_or((line, ""));
    let (port, rest) = ends.strip_prefix('[')?.split_once(']')?;
    let (_, rest) = rest.split_once('"')?;
    let (id, rest) = rest.split_once('"')?;
    let (other_port, _) = rest.strip_prefix('[')?.split_once(']')?;
    let speed = remark.split_whitespace().rev().find(|word| {
        word.split_once('x').is_some_and(|(width, rate)| {
            width.parse::<u64>().is_ok() && rate.starts_with(|first: char| first.is_ascii_uppercase())
        })
    });
    Some((port.parse().ok()?, (id, other_port.parse().ok()?), speed))
}

/// The bytes a second of a width and a rate, such as `4xHDR`.
pub(crate) fn rate_of_lanes(word: &str) -> Option<Ratio> {
    // Data bits a second of a lane, in units of 2^-3 / 33 Gb/s: 14.0625 Gb/s of FDR in a code of 64 to 66.
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
