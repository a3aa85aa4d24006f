//! Links between accelerators: tables of `nvidia-smi` and `rocm-smi`, and bandwidths measured per pair.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::Value;

use crate::{
    format::{Complaint, FileText, Format, Read, Reader, Reading, wrong},
    input::{Ratio, text::described},
    value::{Content, Kind, Link, Network},
};

const HOLDS: &[Kind] = &[Kind::Network, Kind::Hosts];

pub(super) static NVIDIA_TOPO: Format = Format {
    name: "nvidia-topo",
    tool: "nvidia-smi topo -m",
    holds: HOLDS,
    is_like: |file| {
        let is_row = |line: &str| line.starts_with("GPU0") && line.split_whitespace().nth(1) == Some("X");
        file.lines().any(|(_, line)| is_row(line.trim_start())).into()
    },
    reader: Reader::Reads(read_nvidia),
};

pub(super) static ROCM_SHOWTOPO: Format = Format {
    name: "rocm-showtopo",
    tool: "rocm-smi --showtopo",
    holds: HOLDS,
    is_like: |file| file.text.contains("Link Type between two GPUs").into(),
    reader: Reader::Reads(read_rocm),
};

pub(super) static PAIR_RATES: Format = Format {
    name: "gpu-pair-rates",
    tool: "nvbandwidth, also with -j; p2pBandwidthLatencyTest",
    holds: HOLDS,
    is_like: |file| {
        let has = |word: &str| file.text.contains(word);
        (has("memcpy CE GPU(row)") || has("P2P=Enabled Bandwidth")).into()
    },
    reader: Reader::Reads(read_rates),
};

/// The cells of a square table, with their lines, by row and column name.
type Cells<'t> = BTreeMap<(&'t str, &'t str), (usize, &'t str)>;

fn is_device(word: &str) -> bool {
    let is_numbered = |prefix: &str| {
        word.strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_numbered("GPU")
}

/// Reads the table's cells, checked for symmetry, and its column names.
fn nvidia_cells<'t>(file: &'t FileText<'_>) -> Result<(Cells<'t>, Vec<&'t str>), Vec<Complaint>> {
    let is_header = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("GPU0") && words.next() != Some("X")
    };
    let Some((_, header)) = file.lines().find(|(_, line)| is_header(line)) else {
        return wrong(0, "no header with GPU0 and its neighbours");
    };
    // Adapters are named after their devices, such as mlx5_bond_0.
    let columns: Vec<&str> = header.split_whitespace().take_while(|column| *column != "CPU").collect();
    let (mut cells, mut rows): (Cells<'_>, BTreeSet<&str>) = (BTreeMap::new(), BTreeSet::new());
    for (line, text) in file.lines().filter(|(_, text)| *text != header) {
        let mut words = text.split_whitespace();
        let Some(name) = words.next().filter(|name| columns.contains(name)) else { continue };
        let row: Vec<&str> = words.take(columns.len()).collect();
        if row.first() == Some(&"=") {
            continue; // the legend
        }
        if row.len() < columns.len() {
            return wrong(line, format!("{} cells, expected {}", row.len(), columns.len()));
        }
        if !rows.insert(name) {
            return wrong(line, format!("{name} a second time, expected a row for each"));
        }
        for (column, word) in columns.iter().zip(row) {
            if lanes(word).is_none()
                && !matches!(word, "X" | "PIX" | "PXB" | "PHB" | "NODE" | "SYS" | "SOC" | "N/A")
            {
                let expected = "expected NV1, PIX, PXB, PHB, NODE or SYS";
                return wrong(line, format!("cell is {}, {expected}", described(word)));
            }
            cells.insert((name, column), (line, word));
        }
    }
    if let Some(missing) = columns.iter().find(|column| !rows.contains(*column)) {
        return wrong(0, format!("no row for {missing}"));
    }
    check_symmetry(&cells)?;
    Ok((cells, columns))
}

/// Rejects pairs whose two cells differ, and rows without a matching column.
fn check_symmetry(cells: &Cells<'_>) -> Result<(), Vec<Complaint>> {
    for ((one, other), (line, word)) in cells {
        match cells.get(&(other, one)) {
            None => {
                return wrong(
                    *line,
                    format!("no cell of {other} and {one}, expected a row and a column for each"),
                );
            }
            Some((_, back)) if back != word => {
                let (one, other) = (one.min(other), one.max(other));
                return wrong(*line, format!("cells of {one} and {other} differ"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The number of links in a cell such as `NV18`.
fn lanes(word: &str) -> Option<u64> {
    word.strip_prefix("NV").and_then(|count| count.parse().ok()).filter(|count| *count > 0)
}

/// The maximum number of links per GPU; a full mesh that needs more is wired through a switch.
const MOST_LINKS: u64 = 18;

fn read_nvidia(file: &FileText<'_>) -> Read {
    let (cells, columns) = nvidia_cells(file)?;
    let gpus: Vec<&str> = columns.iter().copied().filter(|column| column.starts_with("GPU")).collect();
    let mut network = Network::default();
    for gpu in &gpus {
        network.node(gpu, true);
    }
    let mut linked = vec![];
    for (place, one) in columns.iter().enumerate() {
        for other in &columns[place + 1..] {
            let word = cells[&(*one, *other)].1;
            if let Some(lanes) = lanes(word) {
                linked.push((*one, *other, lanes));
            } else if !matches!(word, "X" | "N/A") {
                network.path(word, one, other);
            }
        }
    }
    let first = linked.first().map_or(0, |(_, _, lanes)| *lanes);
    let count = gpus.len();
    let is_full = count > 1
        && linked.len() == count * (count - 1) / 2
        && linked.iter().all(|(_, _, lanes)| *lanes == first);
    let link =
        |ends, lanes| Link { ends, count: 1, lanes: Some(lanes), class: Some("NVLink"), ..Link::default() };
    if is_full && first.saturating_mul(count as u64 - 1) > MOST_LINKS {
        let switch = network.node("NVSwitch", false);
        network.links.extend((0..count).map(|gpu| link([gpu, switch], first)));
    } else {
        for (one, other, lanes) in linked {
            let ends = [network.node(one, true), network.node(other, true)];
            network.links.push(link(ends, lanes));
        }
    }
    Ok(Content::Network(network.finish(true)).into())
}

/// The tables of `rocm-smi` by name, such as `Hops`.
fn rocm_tables<'t>(file: &'t FileText<'_>) -> Result<BTreeMap<&'static str, Cells<'t>>, Vec<Complaint>> {
    let mut tables: BTreeMap<&str, Cells<'_>> = BTreeMap::new();
    let (mut title, mut columns): (Option<&str>, Vec<&str>) = (None, vec![]);
    for (line, text) in file.lines() {
        if text.contains("between two GPUs") {
            let is_title = |name: &&str| text.contains(&format!("{name} between"));
            title = ["Weight", "Hops", "Link Type"].into_iter().find(is_title);
            columns.clear();
        } else if text.starts_with('=') {
            title = None;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some(name) = title.filter(|_| words.first().is_some_and(|word| is_device(word))) else {
            continue;
        };
        if columns.is_empty() && words.iter().all(|word| is_device(word)) {
            columns = words;
            continue;
        }
        if words.len() != columns.len() + 1 {
            return wrong(line, format!("{} cells, expected {}", words.len() - 1, columns.len()));
        }
        for (column, word) in columns.iter().zip(&words[1..]) {
            tables.entry(name).or_default().insert((words[0], column), (line, word));
        }
    }
    Ok(tables)
}

fn read_rocm(file: &FileText<'_>) -> Read {
    let tables = rocm_tables(file)?;
    let Some(types) = tables.get("Link Type") else { return wrong(0, "no table of link types") };
    check_symmetry(types)?;
    let mut network = Network::default();
    let mut names: Vec<&str> = types.keys().map(|&(row, _)| row).collect();
    names.dedup();
    names.sort_by_key(|name| name.get(3..).and_then(|digits| digits.parse::<u64>().ok()));
    for name in &names {
        network.node(name, true);
    }
    for (&(one, other), &(_, word)) in types {
        let (from, to) = (network.node(one, true), network.node(other, true));
        if from >= to {
            continue;
        }
        let hops =
            tables.get("Hops").and_then(|cells| cells.get(&(one, other))).map_or("1", |(_, count)| *count);
        if word == "XGMI" && hops == "1" {
            network.links.push(Link { ends: [from, to], count: 1, class: Some("XGMI"), ..Link::default() });
        } else if word != "0" && word != "N/A" {
            network.path(word, one, other);
        }
    }
    Ok(Content::Network(network.finish(true)).into())
}

/// The rows of a square table, with their lines.
type SquareTable<'t> = Vec<(usize, Vec<Cow<'t, str>>)>;

/// The first square table of numbers after a line that contains `title`.
fn square_table<'t>(file: &'t FileText<'_>, title: &str) -> Option<SquareTable<'t>> {
    let mut lines = file.lines().skip_while(|(_, line)| !line.contains(title)).skip(1);
    let header: Vec<&str> = lines.next()?.1.split_whitespace().collect();
    let columns = header.iter().filter(|word| word.parse::<u64>().is_ok()).count();
    let mut rows = vec![];
    for (line, text) in lines.take(columns) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() != columns + 1 {
            return None;
        }
        rows.push((line, words[1..].iter().map(|word| (*word).into()).collect()));
    }
    (rows.len() == columns && columns > 1).then_some(rows)
}

/// The first square table of the document of nvbandwidth whose description contains `title`.
fn listed_table(document: &Value, title: &str) -> Option<SquareTable<'static>> {
    let tests = document.pointer("/nvbandwidth/testcases")?.as_array()?;
    let is_asked = |test: &&Value| {
        test["bandwidth_description"].as_str().is_some_and(|description| description.contains(title))
    };
    let cell = |cell: &Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned).into();
    let row = |row: &Value| Some((0, row.as_array()?.iter().map(cell).collect()));
    tests.iter().filter(is_asked).find_map(|test| {
        let rows: SquareTable<'static> =
            test["bandwidth_matrix"].as_array()?.iter().map(row).collect::<Option<_>>()?;
        (rows.len() > 1 && rows.iter().all(|(_, row)| row.len() == rows.len())).then_some(rows)
    })
}

fn read_rates(file: &FileText<'_>) -> Read {
    let document = file.tree().ok();
    let to_column = "memcpy CE GPU(row) -> GPU(column)";
    let rates = [to_column, "memcpy CE GPU(row) <- GPU(column)", "Unidirectional P2P=Enabled Bandwidth"]
        .iter()
        .find_map(|title| match &document {
            Some(document) => listed_table(document, title),
            None => square_table(file, title),
        });
    let Some(rates) = rates else { return wrong(0, "no square table of bandwidths between GPUs") };
    let latencies = square_table(file, "P2P=Enabled Latency").filter(|table| table.len() == rates.len());
    let mut network = Network::default();
    for gpu in 0..rates.len() {
        network.node(&format!("GPU{gpu}"), true);
    }
    let value = |table: &SquareTable<'_>, row: usize, column: usize, unit: Ratio| {
        Ratio::parse_decimal(&table[row].1[column])?.times(unit)
    };
    for one in 0..rates.len() {
        for other in one + 1..rates.len() {
            let both = |table: &SquareTable<'_>, unit| {
                [(one, other), (other, one)].map(|(row, column)| value(table, row, column, unit))
            };
            if [(one, other), (other, one)].iter().any(|&(row, column)| rates[row].1[column] == "N/A") {
                continue;
            }
            let [Some(there), Some(back)] = both(&rates, Ratio::from(1_000_000_000)) else {
                return wrong(rates[one].0, format!("a rate of GPU {one} and GPU {other} is no number"));
            };
            let is_less = |left: Ratio, right: Ratio| left.to_f64() < right.to_f64();
            let bandwidth = Some(if is_less(there, back) { there } else { back });
            let latency =
                latencies.as_ref().and_then(|latencies| match both(latencies, Ratio::new(1, 1_000_000)) {
                    [Some(there), Some(back)] => Some(if is_less(there, back) { back } else { there }),
                    _ => None,
                });
            network.links.push(Link { ends: [one, other], count: 1, bandwidth, latency, ..Link::default() });
        }
    }
    let mut reading = Reading::from(Content::Network(network.finish(true)));
    reading.assumed.push("full-mesh");
    Ok(reading)
}
