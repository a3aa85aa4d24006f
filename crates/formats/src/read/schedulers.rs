//! Topologies known to schedulers, and settings of simulators.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    format::{FileText, Format, Read, Reading, wrong},
    input::text::span,
    read::reads,
    value::{Content, Kind, Network},
};

const HOLDS: &[Kind] = &[Kind::Network, Kind::Hosts];
const SETTINGS: &[Kind] = &[Kind::Settings];

/// The tree of a scheduler, assuming one cable per link.
pub(super) fn of_tree(network: Network) -> Reading {
    let mut reading = Reading::from(Content::Network(network.finish(true)));
    reading.assumed.push("one-cable");
    reading
}

pub(super) static AZSLURM: Format = reads(
    "azslurm-blocks",
    "azslurm topology, blocks of Azure CycleCloud",
    HOLDS,
    |file| {
        let is_block = |block: &Value| block.get("blockname").is_some() && block.get("nodelist").is_some();
        file.outline()
            .and_then(Value::as_array)
            .is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_block))
            .into()
    },
    |file| {
        let mut network = Network::default();
        let mut blocks: Vec<(usize, &str)> = vec![];
        let blocks_of_file = file.tree()?;
        for entry in blocks_of_file.as_array().into_iter().flatten() {
            let name = entry["blockname"].as_str().unwrap_or_default();
            if network.place(name).is_some() {
                return wrong(0, format!("block {name} a second time, expected each once"));
            }
            let block = network.node(name, false);
            let nodes = entry["nodelist"].as_array().cloned().unwrap_or_default();
            if entry.get("size").and_then(Value::as_u64).is_some_and(|size| size != nodes.len() as u64) {
                return wrong(
                    0,
                    format!("block {name} has {} nodes, expected {}", nodes.len(), entry["size"]),
                );
            }
            for node in nodes {
                let node = node.as_str().unwrap_or_default();
                if network.place(node).is_some() {
                    return wrong(0, format!("node {node} a second time, expected every node once"));
                }
                let node = network.node(node, true);
                network.cable(node, block);
            }
            blocks.push((block, name));
        }
        if let [(_, first), .., (_, last)] = blocks[..] {
            let root = network.node(&format!("{first}..{last}"), false);
            for (block, _) in blocks {
                network.cable(block, root);
            }
        }
        Ok(of_tree(network))
    },
);

fn value_of<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    let line = line.trim().trim_start_matches("- ");
    Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().trim_matches(['"', '\'']))
}

pub(super) static KUBECTL: Format = reads(
    "kubectl-nodes",
    "kubectl get nodes, with -L LABEL,.. for a network",
    HOLDS,
    |file| {
        let head = file.rows().next().map_or("", |(_, row)| row);
        (head.starts_with("NAME ") && head.contains("STATUS") && head.contains("VERSION")).into()
    },
    read_kubectl,
);

/// The columns of `kubectl get nodes` that are no labels.
const KUBECTL_COLUMNS: [&str; 12] = [
    "NAME",
    "STATUS",
    "ROLES",
    "AGE",
    "VERSION",
    "HOSTNAME",
    "INTERNAL-IP",
    "EXTERNAL-IP",
    "OS-IMAGE",
    "KERNEL-VERSION",
    "CONTAINER-RUNTIME",
    "LABELS",
];

/// The cells of a row below a header, the last `levels` of which are labels. Cells begin below their headings, and may
/// have blanks or be empty; a copy without the padding has as many words as headings, or leaves labels out.
fn kubectl_cells<'t>(header: &str, levels: usize, row: &'t str) -> Option<Vec<&'t str>> {
    let columns: Vec<&str> = header.split_whitespace().collect();
    let starts: Vec<usize> = columns.iter().map(|column| span(header, column).start).collect();
    let ends = starts[1..].iter().copied().chain([row.len()]);
    let cell = |(&start, end): (&usize, usize)| {
        // The cell before ends with blanks.
        let is_apart = start == 0 || row.get(..start).is_none_or(|before| before.ends_with("  "));
        let cell = if start >= row.len() { Some("") } else { row.get(start..end.min(row.len())) };
        cell.map(str::trim).filter(|_| is_apart)
    };
    let padded: Option<Vec<&str>> = starts.iter().zip(ends).map(cell).collect();
    padded.filter(|_| header.contains("  ")).or_else(|| {
        let mut words: Vec<&str> = row.split_whitespace().collect();
        let fits = [columns.len(), columns.len() - levels].contains(&words.len());
        words.resize(columns.len(), "");
        fits.then_some(words)
    })
}

/// Adds a host below its labels, the nearest last; the error of a node that is already below another one.
fn add_below(
    network: &mut Network,
    above: &mut BTreeMap<String, String>,
    host: &str,
    labels: &[&str],
) -> Option<String> {
    let (mut child, mut name) = (network.node(host, true), host);
    for &label in labels.iter().rev() {
        let parent = network.node(label, false);
        match above.get(name) {
            Some(known) if known != label => return Some(format!("{name} below {known} and below {label}")),
            Some(_) => {}
            None => {
                above.insert(name.to_owned(), label.to_owned());
                network.cable(child, parent);
            }
        }
        (child, name) = (parent, label);
    }
    None
}

fn read_kubectl(file: &FileText<'_>) -> Read {
    let mut rows = file.rows();
    let header = rows.next().map_or("", |(_, row)| row);
    let columns: Vec<&str> = header.split_whitespace().collect();
    let levels: Vec<usize> =
        (0..columns.len()).filter(|column| !KUBECTL_COLUMNS.contains(&columns[*column])).collect();
    let mut network = Network::default();
    let mut above: BTreeMap<String, String> = BTreeMap::new();
    let mut without_labels = vec![];
    for (line, text) in rows {
        let Some(row) = kubectl_cells(header, levels.len(), text) else {
            let found = text.split_whitespace().count();
            return wrong(line, format!("{found} columns, expected {} as in the header", columns.len()));
        };
        // kubectl leaves the cell of a missing label empty.
        if levels.iter().any(|&level| row[level].is_empty()) {
            without_labels.push(row[0].to_owned());
            continue;
        }
        if network.place(row[0]).is_some() {
            return wrong(line, format!("node {} a second time, expected every node once", row[0]));
        }
        let labels: Vec<&str> = levels.iter().map(|&level| row[level]).collect();
        if let Some(known) = add_below(&mut network, &mut above, row[0], &labels) {
            return wrong(line, format!("{known}, expected it below one"));
        }
    }
    if levels.is_empty() {
        let hosts = network.nodes.into_iter().map(|name| (name, None)).collect();
        let mut reading = Reading::from(Content::Hosts(hosts, Map::new()));
        reading.notes.push("a network needs columns of labels: kubectl get nodes -L BLOCK,RACK".to_owned());
        return Ok(reading);
    }
    let mut reading = of_tree(network);
    if !without_labels.is_empty() {
        reading.notes.push(format!("nodes without labels are left out: {}", without_labels.join(", ")));
    }
    Ok(reading)
}

pub(super) static KUEUE: Format = reads(
    "kueue-topology",
    "Kueue, kind: Topology",
    SETTINGS,
    |file| file.lines().any(|(_, line)| line.trim() == "kind: Topology").into(),
    |file| {
        let levels: Vec<&str> = file.lines().filter_map(|(_, line)| value_of(line, "nodeLabel")).collect();
        if levels.is_empty() {
            return wrong(0, "no nodeLabel, expected one for each level");
        }
        let mut reading = Reading::from(Content::setting("levels", json!(levels)));
        reading.missing.push("hosts");
        reading.notes.push(format!("its nodes: kubectl get nodes -L {}", levels.join(",")));
        Ok(reading)
    },
);

pub(super) static ASTRA_SYSTEM: Format = reads(
    "astra-system",
    "ASTRA-sim, system.json",
    SETTINGS,
    |file| {
        let is_key = |key: &String| key.ends_with("-implementation");
        file.outline().and_then(Value::as_object).is_some_and(|object| object.keys().any(is_key)).into()
    },
    |file| {
        let keys = file.tree()?.as_object().cloned().unwrap_or_default();
        Ok(Content::setting("keys", keys.into()).into())
    },
);
