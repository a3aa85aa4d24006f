//! Topologies known to schedulers, and settings of simulators.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    format::{Complaint, FileText, Format, Reading, wrong},
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

fn parsed_tree(file: &FileText<'_>) -> Result<Value, Vec<Complaint>> {
    file.tree().map_err(|message| vec![Complaint { line: 0, message }])
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
        let blocks_of_file = parsed_tree(file)?;
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
    "kubectl get nodes -L LABEL,..",
    HOLDS,
    |file| {
        let head = file.rows().next().map_or("", |(_, row)| row);
        (head.starts_with("NAME ") && head.contains("STATUS") && head.contains("VERSION")).into()
    },
    |file| {
        let mut rows = file.rows();
        let header: Vec<&str> = rows.next().map_or("", |(_, row)| row).split_whitespace().collect();
        let known = ["NAME", "STATUS", "ROLES", "AGE", "VERSION", "HOSTNAME"];
        let levels: Vec<usize> =
            (0..header.len()).filter(|column| !known.contains(&header[*column])).collect();
        if levels.is_empty() {
            return wrong(1, "no column of a label: kubectl get nodes -L BLOCK,RACK adds them");
        }
        let mut network = Network::default();
        let mut above: BTreeMap<String, String> = BTreeMap::new();
        let mut without_labels = vec![];
        for (line, text) in rows {
            let row: Vec<&str> = text.split_whitespace().collect();
            // kubectl leaves the cell of a missing label empty.
            if row.len() + levels.len() == header.len() {
                without_labels.push(row[0].to_owned());
                continue;
            }
            if row.len() != header.len() {
                return wrong(
                    line,
                    format!("{} columns, expected {} as in the header", row.len(), header.len()),
                );
            }
            if network.place(row[0]).is_some() {
                return wrong(line, format!("node {} a second time, expected every node once", row[0]));
            }
            let mut child = network.node(row[0], true);
            let mut name = row[0];
            for &level in levels.iter().rev() {
                let parent = network.node(row[level], false);
                match above.get(name) {
                    Some(known) if known != row[level] => {
                        return wrong(
                            line,
                            format!("{name} below {known} and below {}, expected it below one", row[level]),
                        );
                    }
                    Some(_) => {}
                    None => {
                        above.insert(name.to_owned(), row[level].to_owned());
                        network.cable(child, parent);
                    }
                }
                (child, name) = (parent, row[level]);
            }
        }
        let mut reading = of_tree(network);
        if !without_labels.is_empty() {
            reading.notes.push(format!("nodes without labels are left out: {}", without_labels.join(", ")));
        }
        Ok(reading)
    },
);

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
        let mut settings = Map::new();
        settings.insert("levels".into(), json!(levels));
        let mut reading = Reading::from(Content::Settings(settings));
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
        let keys = parsed_tree(file)?.as_object().cloned().unwrap_or_default();
        let mut settings = Map::new();
        settings.insert("keys".into(), keys.into());
        Ok(Content::Settings(settings).into())
    },
);
