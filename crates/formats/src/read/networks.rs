//! Networks: fabrics, input files of simulators, generated graphs.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{
        Ratio,
        quantity::Measure,
        text::{counted, described},
    },
    launcher::fabric::{self, Fabric},
    value::{Content, Kind, Link, Network},
};

pub(super) const HOLDS: &[Kind] = &[Kind::Network, Kind::Hosts];

pub(super) static SLURM: Format = Format {
    name: "slurm-topology",
    tool: "Slurm: topology.conf, topology.yaml, scontrol show topology",
    holds: HOLDS,
    is_like: |file| {
        // ASTRA-sim uses the same key.
        (fabric::is_slurm(&file.text) && !file.text.contains("npus_count")).into()
    },
    reader: Reader::Reads(read_slurm),
};

pub(super) static ASTRA_NETWORK: Format = Format {
    name: "astra-network",
    tool: "ASTRA-sim, analytical network (network.yml)",
    holds: HOLDS,
    is_like: |file| {
        let has = |key: &str| file.lines().any(|(_, line)| line.trim_start().starts_with(key));
        (has("topology:") && has("npus_count:")).into()
    },
    reader: Reader::Reads(|file| read_fabric(file, &ASTRA_NETWORK)),
};

pub(super) static LINK_TABLE: Format = Format {
    name: "link-table",
    tool: "a table of links with a header: from, to, ..",
    holds: HOLDS,
    is_like: |file| fabric::has_header(&file.text).into(),
    reader: Reader::Reads(|file| read_fabric(file, &LINK_TABLE)),
};

pub(super) static EDGE_LIST: Format = Format {
    name: "edge-list",
    tool: "two nodes a line",
    holds: HOLDS,
    is_like: |file| {
        let rows = || {
            file.rows()
                .map(|(_, row)| row.split('#').next().unwrap_or_default().trim())
                .filter(|row| !row.is_empty() && !row.starts_with('%'))
        };
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_pair = |row: &str| {
            if let Some((one, other)) = row.split_once(',') {
                return is_number(one.trim()) && is_number(other.trim());
            }
            let words: Vec<&str> = row.split_whitespace().collect();
            // Numbers other than node numbers are amounts.
            let is_name = |word: &&str| {
                !word.contains(['=', ':', '{', '<', '"', ';', '['])
                    && (is_number(word) || word.parse::<f64>().is_err())
            };
            words.len() == 2 && words.iter().all(is_name)
        };
        if rows().next().is_some() && rows().all(is_pair) { Likeness::Maybe } else { Likeness::No }
    },
    reader: Reader::Reads(|file| read_fabric(file, &EDGE_LIST)),
};

/// Reads a text in a format whose parser reports errors with exact positions.
fn read_fabric(file: &FileText<'_>, format: &Format) -> Read {
    let Some(placed) = fabric::placed(format, &file.text) else { return wrong(0, "no network") };
    let read = match Fabric::parse_part(&file.text, placed) {
        Ok(read) => read,
        Err(diagnostics) => return super::from_diagnostics(file, &diagnostics),
    };
    let is_named = !read.names.is_empty();
    let hosts = read.hosts.unwrap_or(if is_named { 0 } else { read.nodes });
    let mut network = Network::default();
    for node in 0..read.nodes {
        network.node(&read.name(node), node < hosts);
    }
    for link in &read.links {
        let cycles = link.speed.hop_cycles.zip(link.speed.latency_cycles).map(|(hop, latency)| hop + latency);
        network.links.push(Link {
            ends: [link.ends.0 as usize, link.ends.1 as usize],
            count: link.count,
            bandwidth: link.speed.bandwidth,
            latency: link.speed.latency,
            cycles: cycles.map(|cycles| [cycles, cycles]),
            ..Link::default()
        });
    }
    let knows_hosts = read.hosts.is_some();
    let mut reading = Reading::from(Content::Network(network.finish(knows_hosts || !is_named)));
    reading.notes = read.notes;
    if !knows_hosts && !is_named {
        reading.assumed.push("all-hosts");
    }
    if reading.notes.iter().any(|note| note == fabric::COUNTED_FROM_1) {
        reading.assumed.push("base-1");
    }
    Ok(reading)
}

fn read_slurm(file: &FileText<'_>) -> Read {
    let mut reading = read_fabric(file, &SLURM)?;
    reading.assumed.push("one-cable");
    if file.text.contains("LinkSpeed=") {
        reading.missing.push("unit-of-linkspeed");
    }
    Ok(reading)
}

pub(super) static ASTRA_LINKS: Format = Format {
    name: "astra-link-list",
    tool: "ASTRA-sim with ns-3, SimAI",
    holds: HOLDS,
    is_like: |file| {
        let mut rows = file.rows().map(|(_, row)| row.split_whitespace().collect::<Vec<_>>());
        let head = rows.next().unwrap_or_default();
        let is_count = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_head = matches!(head.len(), 3 | 6) && head.iter().take(head.len().min(5)).all(is_count);
        (is_head && rows.any(|row| row.len() >= 4 && row[2].ends_with("bps") && row[3].ends_with('s'))).into()
    },
    reader: Reader::Reads(read_astra_links),
};

/// Parses a speed such as `400Gbps` \[bytes/s\].
fn speed(word: &str) -> Option<Ratio> {
    let prefix = [("Tbps", "Tb/s"), ("Gbps", "Gb/s"), ("Mbps", "Mb/s"), ("kbps", "kb/s"), ("Kbps", "kb/s")];
    match prefix.iter().find_map(|(from, to)| Some((word.strip_suffix(from)?, to))) {
        Some((number, unit)) => Measure::Bandwidth.parse(&format!("{number} {unit}")).ok(),
        None => Ratio::parse_decimal(word.strip_suffix("bps")?)?.over(Ratio::from(8)),
    }
}

/// The numbers of nodes, switches and links in the header of a list.
fn astra_counts(head: &[&str]) -> (usize, usize, usize) {
    let count = |at: usize| head.get(at).and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
    if head.len() == 3 {
        (count(0), count(1), count(2))
    } else {
        (count(0), count(2).saturating_add(count(3)), count(4))
    }
}

fn read_astra_links(file: &FileText<'_>) -> Read {
    let rows: Vec<(usize, Vec<&str>)> =
        file.rows().map(|(line, row)| (line, row.split_whitespace().collect())).collect();
    let Some(((first, head), rows)) = rows.split_first() else { return wrong(0, "an empty file") };
    let (nodes, switches, links) = astra_counts(head);
    if nodes > 1 << 20 || nodes > 2 * rows.len() + (1 << 16) {
        let lines = rows.len();
        return wrong(
            *first,
            format!("{nodes} nodes of {lines} lines, expected at most 2^20 that are linked"),
        );
    }
    let is_link = |row: &[&str]| row.len() >= 4 && row[2].ends_with("bps");
    let named: BTreeSet<usize> = rows
        .iter()
        .take_while(|row| !is_link(&row.1))
        .flat_map(|row| row.1.iter().filter_map(|word| word.parse().ok()))
        .collect();
    if named.len() != switches {
        return wrong(*first, format!("{} switches, expected {switches}", named.len()));
    }
    let mut network = Network::default();
    for node in 0..nodes {
        network.node(&node.to_string(), !named.contains(&node));
    }
    let (mut found, mut with_errors) = (0, 0);
    for (line, row) in rows.iter().skip_while(|row| !is_link(&row.1)) {
        network.links.push(astra_link(*line, row, nodes)?);
        found += 1;
        with_errors +=
            u32::from(row.get(4).and_then(|word| word.parse().ok()).is_some_and(|rate: f64| rate > 0.0));
    }
    if found != links {
        return wrong(*first, format!("{found} links, expected {links}"));
    }
    let mut reading = Reading::from(Content::Network(network.finish(true)));
    if with_errors > 0 {
        reading.notes.push(format!(
            "left out: the error rates of {}; no message is lost",
            counted(with_errors.into(), "link")
        ));
    }
    Ok(reading)
}

fn astra_link(line: usize, row: &[&str], nodes: usize) -> Result<Link, Vec<Complaint>> {
    let end =
        |at: usize| row.get(at).and_then(|word| word.parse::<usize>().ok()).filter(|node| *node < nodes);
    let latency = row.get(3).and_then(|word| Measure::Time.parse(word).ok());
    let bandwidth = row.get(2).and_then(|word| speed(word));
    let (Some(from), Some(to), Some(_), Some(_)) = (end(0), end(1), bandwidth, latency) else {
        let found = described(&row.join(" "));
        return wrong(line, format!("link is {found}, expected two nodes below {nodes}, a speed and a time"));
    };
    if from == to {
        return wrong(line, format!("a link of node {from} to itself, expected two nodes"));
    }
    Ok(Link { ends: [from, to], count: 1, bandwidth, latency, ..Link::default() })
}

pub(super) static ANYNET: Format = Format {
    name: "booksim-anynet",
    tool: "BookSim, topology = anynet",
    holds: HOLDS,
    is_like: |file| {
        let begins = |line: &str| {
            let mut words = line.split_whitespace();
            matches!(words.next(), Some("router" | "node"))
                && words.next().is_some_and(|word| word.parse::<u32>().is_ok())
        };
        file.lines().any(|(_, line)| begins(line)).into()
    },
    reader: Reader::Reads(read_anynet),
};

fn read_anynet(file: &FileText<'_>) -> Read {
    let mut network = Network::default();
    let mut channels: BTreeMap<[usize; 2], (u64, bool)> = BTreeMap::new();
    for (line, text) in file.rows() {
        let mut words = text.split('#').next().unwrap_or_default().split_whitespace().peekable();
        let mut head: Option<(usize, bool)> = None;
        while let Some(kind) = words.next() {
            let number = words.next().filter(|word| word.parse::<u32>().is_ok());
            let (Some(number), "router" | "node") = (number, kind) else {
                return wrong(
                    line,
                    format!("{} in a line, expected router or node and its number", described(kind)),
                );
            };
            let is_host = kind == "node";
            let node = network.node(&format!("{kind} {number}"), is_host);
            let Some((from, from_host)) = head else {
                head = Some((node, is_host));
                continue;
            };
            let latency =
                words.next_if(|word| word.parse::<u64>().is_ok()).and_then(|word| word.parse().ok());
            if latency == Some(0) {
                return wrong(line, "a latency of 0 cycles, expected at least 1");
            }
            if from_host && is_host || from == node {
                return wrong(line, "a link between two nodes, expected a router at one end");
            }
            if channels.get(&[from, node]).is_some_and(|(_, is_listed)| *is_listed) {
                return wrong(line, "a channel a second time, expected every channel once");
            }
            channels.insert([from, node], (latency.unwrap_or(1), true));
            channels.entry([node, from]).or_insert((1, false));
        }
    }
    for (&[from, to], &(cycles, _)) in channels.iter().filter(|channel| channel.0[0] < channel.0[1]) {
        let back = channels[&[to, from]].0;
        network.links.push(Link {
            ends: [from, to],
            count: 1,
            cycles: Some([cycles, back]),
            ..Link::default()
        });
    }
    Ok(Content::Network(network.finish(true).hosts_by_number()).into())
}
