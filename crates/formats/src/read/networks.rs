//! Networks: fabrics, simulators' files, graphs of generators.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    format::{Complaint, FileText, Format, Likeness, Read, Reader, Reading, wrong},
    input::{Ratio, quantity::Measure, text::described},
    launcher::fabric::{self, Fabric},
    value::{Content, Kind, Link, Network},
};

pub(super) const HOLDS: &[Kind] = &[Kind::Network, Kind::Hosts];

fn is_fabric(file: &FileText<'_>, names: &[&str]) -> Likeness {
    (!file.text.trim().is_empty() && names.contains(&fabric::format_of(&file.text).name)).into()
}

pub(super) static SLURM: Format = Format {
    name: "slurm-topology",
    tool: "Slurm: topology.conf, topology.yaml, scontrol show topology",
    holds: HOLDS,
    is_like: |file| {
        let is_block = |own: (usize, &str)| own.1.trim_start().starts_with("BlockName=");
        let is_yaml = is_fabric(file, &["a Slurm topology", "a Slurm topology in YAML"]);
        if file.lines().any(is_block) { Likeness::Sure } else { is_yaml }
    },
    reader: Reader::Reads(read_slurm),
};

pub(super) static ASTRA_NETWORK: Format = Format {
    name: "astra-network",
    tool: "ASTRA-sim, analytical network (network.yml)",
    holds: HOLDS,
    is_like: |file| {
        let has = |key: &str| file.lines().any(|own| own.1.trim_start().starts_with(key));
        (has("topology:") && has("npus_count:")).into()
    },
    reader: Reader::Reads(|file| of_fabric(file, &file.text)),
};

pub(super) static LINK_TABLE: Format = Format {
    name: "link-table",
    tool: "a table of links with a header: from, to, ..",
    holds: HOLDS,
    is_like: |file| is_fabric(file, &["a table of links"]),
    reader: Reader::Reads(|file| of_fabric(file, &file.text)),
};

pub(super) static EDGE_LIST: Format = Format {
    name: "edge-list",
    tool: "two nodes a line",
    holds: HOLDS,
    is_like: |file| {
        let rows = || {
            file.rows()
                .map(|own| own.1.split('#').next().unwrap_or_default().trim())
                .filter(|own| !own.is_empty())
        };
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_pair = |row: &str| {
            if let Some((one, other)) = row.split_once(',') {
                return is_number(one.trim()) && is_number(other.trim());
            }
            let words: Vec<&str> = row.split_whitespace().collect();
            // Other numbers than those of nodes are amounts.
            let is_name = |word: &&str| {
                !word.contains(['=', ':', '{', '<', '"', ';', '['])
                    && (is_number(word) || word.parse::<f64>().is_err())
            };
            words.len() == 2 && words.iter().all(is_name)
        };
        if rows().next().is_some() && rows().all(is_pair) { Likeness::Maybe } else { Likeness::No }
    },
    reader: Reader::Reads(|file| {
        let reading = of_fabric(file, &file.text)?;
        Ok(counted_from_1(&reading).unwrap_or(reading))
    }),
};

/// The network of a list that counts its nodes from 1, which leaves node 0 alone; `None` of others.
fn counted_from_1(reading: &Reading) -> Option<Reading> {
    let Content::Network(own) = &reading.content else { return None };
    let mut linked = vec![false; own.nodes.len()];
    own.links.iter().flat_map(|link| link.ends).for_each(|end| linked[end] = true);
    let is_numbered = own.nodes.first().is_some_and(|first| first == "0");
    if !is_numbered || linked[0] || linked.len() < 3 || !linked[1..].iter().all(|own| *own) {
        return None;
    }
    let mut network = Network::default();
    for node in 0..own.nodes.len() - 1 {
        network.node(&node.to_string(), true);
    }
    let less = |link: &Link| Link { ends: link.ends.map(|end| end - 1), ..link.clone() };
    network.links = own.links.iter().map(less).collect();
    let mut assumed = reading.assumed.clone();
    assumed.push("base-1");
    let content = Content::Network(network.finish(true));
    Some(Reading { content, assumed, missing: reading.missing.clone(), notes: reading.notes.clone() })
}

/// Reads a text as today's formats of networks do.
fn of_fabric(file: &FileText<'_>, text: &str) -> Read {
    let read = match Fabric::parse_part(text) {
        Ok(own) => own,
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
            cycles: cycles.map(|own| [own, own]),
            ..Link::default()
        });
    }
    let knows_hosts = read.hosts.is_some();
    let mut reading = Reading::from(Content::Network(network.finish(knows_hosts || !is_named)));
    reading.notes = read.notes;
    if !knows_hosts && !is_named {
        reading.assumed.push("all-hosts");
    }
    Ok(reading)
}

fn read_slurm(file: &FileText<'_>) -> Read {
    // `scontrol show topology` lists blocks like topology.conf, with an index, and greater blocks of its own.
    let is_shown = |line: &str| line.starts_with("AggregatedBlock=");
    let plain: Vec<String> = file
        .lines()
        .filter(|own| !is_shown(own.1))
        .map(|(_, line)| {
            let words = line.split_whitespace().filter(|word| {
                !line.starts_with("BlockName=")
                    || !["BlockIndex=", "BlockSize="].iter().any(|own| word.starts_with(own))
            });
            if line.starts_with("BlockName=") { words.collect::<Vec<_>>().join(" ") } else { line.to_owned() }
        })
        .collect();
    let mut text = plain.join("\n");
    let size = |line: &str| line.split_once("BlockSize=").and_then(|own| own.1.trim().parse::<u64>().ok());
    if !file.text.contains("BlockSizes=") && file.text.contains("AggregatedBlock=") {
        let sizes: BTreeSet<u64> = file.lines().filter_map(|own| size(own.1)).collect();
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        text.push_str(&format!("\nBlockSizes={}", sizes.join(",")));
    }
    let mut reading = of_fabric(file, &text)?;
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
        let mut rows = file.rows().map(|own| own.1.split_whitespace().collect::<Vec<_>>());
        let head = rows.next().unwrap_or_default();
        let is_count = |own: &&str| own.bytes().all(|byte| byte.is_ascii_digit());
        let is_head = matches!(head.len(), 3 | 6) && head.iter().take(head.len().min(5)).all(is_count);
        (is_head && rows.any(|row| row.len() >= 4 && row[2].ends_with("bps") && row[3].ends_with('s'))).into()
    },
    reader: Reader::Reads(read_astra_links),
};

/// A speed such as `400Gbps`.
fn speed(word: &str) -> Option<Ratio> {
    let prefix = [("Tbps", "Tb/s"), ("Gbps", "Gb/s"), ("Mbps", "Mb/s"), ("kbps", "kb/s"), ("Kbps", "kb/s")];
    match prefix.iter().find_map(|(from, to)| Some((word.strip_suffix(from)?, to))) {
        Some((number, unit)) => Measure::Bandwidth.parse(&format!("{number} {unit}")).ok(),
        None => Ratio::parse_decimal(word.strip_suffix("bps")?)?.over(Ratio::from(8)),
    }
}

/// The nodes, the switches and the links that a list announces.
fn astra_counts(head: &[&str]) -> (usize, usize, usize) {
    let count = |at: usize| head.get(at).and_then(|own| own.parse::<usize>().ok()).unwrap_or(0);
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
        .take_while(|own| !is_link(&own.1))
        .flat_map(|own| own.1.iter().filter_map(|word| word.parse().ok()))
        .collect();
    if named.len() != switches {
        return wrong(*first, format!("{} switches, expected {switches}", named.len()));
    }
    let mut network = Network::default();
    for node in 0..nodes {
        network.node(&node.to_string(), !named.contains(&node));
    }
    let mut found = 0;
    for (line, row) in rows.iter().skip_while(|own| !is_link(&own.1)) {
        network.links.push(astra_link(*line, row, nodes)?);
        found += 1;
    }
    if found != links {
        return wrong(*first, format!("{found} links, expected {links}"));
    }
    Ok(Content::Network(network.finish(true)).into())
}

fn astra_link(line: usize, row: &[&str], nodes: usize) -> Result<Link, Vec<Complaint>> {
    let end = |at: usize| row.get(at).and_then(|own| own.parse::<usize>().ok()).filter(|own| *own < nodes);
    let latency = row.get(3).and_then(|own| Measure::Time.parse(own).ok());
    let bandwidth = row.get(2).and_then(|own| speed(own));
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
    is_like: |file| is_fabric(file, &["an anynet file of BookSim"]),
    reader: Reader::Reads(read_anynet),
};

fn read_anynet(file: &FileText<'_>) -> Read {
    let mut network = Network::default();
    let mut channels: BTreeMap<[usize; 2], (u64, bool)> = BTreeMap::new();
    for (line, text) in file.rows() {
        let mut words = text.split('#').next().unwrap_or_default().split_whitespace().peekable();
        let mut head: Option<(usize, bool)> = None;
        while let Some(kind) = words.next() {
            let number = words.next().filter(|own| own.parse::<u32>().is_ok());
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
            let said = words.next_if(|own| own.parse::<u64>().is_ok()).and_then(|own| own.parse().ok());
            if said == Some(0) {
                return wrong(line, "a latency of 0 cycles, expected at least 1");
            }
            if from_host && is_host || from == node {
                return wrong(line, "a link between two nodes, expected a router at one end");
            }
            if channels.get(&[from, node]).is_some_and(|own| own.1) {
                return wrong(line, "a channel a second time, expected every channel once");
            }
            channels.insert([from, node], (said.unwrap_or(1), true));
            channels.entry([node, from]).or_insert((1, false));
        }
    }
    for (&[from, to], &(cycles, _)) in channels.iter().filter(|own| own.0[0] < own.0[1]) {
        let back = channels[&[to, from]].0;
        network.links.push(Link {
            ends: [from, to],
            count: 1,
            cycles: Some([cycles, back]),
            ..Link::default()
        });
    }
    Ok(Content::Network(network.finish(true)).into())
}
