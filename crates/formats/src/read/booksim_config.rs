//! `BookSim` configurations (`key = value;`), and the closest equivalent scenario (`docs/routers.md`).

use serde_json::{Map, Value, json};

use crate::{
    format::{FileText, Format, Read, Reading, wrong},
    input::text::described,
    read::reads,
    value::{Content, Kind},
};

pub(super) static BOOKSIM_CONFIG: Format = reads(
    "booksim-config",
    "BookSim, a configuration",
    &[Kind::Settings],
    |file| {
        let is_topology = |line: &str| {
            line.split_once('=').is_some_and(|(key, value)| key.trim() == "topology" && value.contains(';'))
        };
        file.lines().any(|(_, line)| is_topology(line)).into()
    },
    read_config,
);

fn read_config(file: &FileText<'_>) -> Read {
    let mut keys = Map::new();
    for (line, text) in file.lines() {
        let text = text.split("//").next().unwrap_or_default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return wrong(line, format!("{}, expected key = value;", described(part)));
            };
            keys.insert(key.trim().to_owned(), json!(value.trim()));
        }
    }
    let unused: Vec<&str> = keys.keys().map(String::as_str).filter(|key| !USED.contains(key)).collect();
    let mut notes = vec![];
    if !unused.is_empty() {
        notes.push(format!("no key stands for {}", unused.join(", ")));
    }
    let mut settings = Map::new();
    settings.insert("keys".into(), keys.into());
    Ok(Reading { notes, ..Content::Settings(settings).into() })
}

/// The keys that [`lines`] translates into scenario keys.
const USED: [&str; 17] = [
    "topology",
    "k",
    "n",
    "network_file",
    "use_noc_latency",
    "num_vcs",
    "vc_buf_size",
    "routing_delay",
    "speculative",
    "internal_speedup",
    "credit_delay",
    "vc_allocator",
    "routing_function",
    "traffic",
    "injection_rate",
    "packet_size",
    "injection_rate_uses_flits",
];

/// The lines of the scenario equivalent to a configuration; empty if its topology is unknown.
pub(crate) fn lines(keys: &Map<String, Value>) -> Vec<String> {
    let word = |key: &str| keys.get(key).and_then(Value::as_str);
    let number = |key: &str, default: u64| word(key).and_then(|value| value.parse().ok()).unwrap_or(default);
    let Some(machine) = machine(keys) else { return vec![] };
    let mut lines = vec!["[machine]".to_owned()];
    lines.extend(machine);
    lines.push("switching = \"wormhole\"".to_owned());
    let cycles = match (number("routing_delay", 1), number("speculative", 0)) {
        (0, 1..) => 2,
        (delay, _) => delay.saturating_add(3),
    };
    let mut router = vec![
        format!("virtual_channels = {}", number("num_vcs", 16)),
        format!("buffer_units = {}", number("vc_buf_size", 8)),
        format!("cycles = {cycles}"),
        format!("credit_cycles = {}", number("credit_delay", 1).saturating_add(1)),
    ];
    match word("internal_speedup").and_then(|value| value.parse::<f64>().ok()) {
        Some(speedup) if speedup > 1.0 => router.push(format!("speedup = {speedup:?}")),
        _ => {}
    }
    if word("vc_allocator") == Some("separable_input_first") {
        router.push("allocator = \"input-first\"".to_owned());
    }
    if word("topology") == Some("dragonflynew") && word("routing_function") == Some("min") {
        router.push("ejection = \"class\"".to_owned());
    }
    lines.push(format!("router = {{ {} }}", router.join(", ")));
    lines.extend(program(keys));
    let routing = match word("routing_function") {
        Some("dor" | "dim_order") => &["routing = \"dimension-order\"", "tie = \"random\""][..],
        Some("nca") => &["routing = \"up-down\""],
        Some("valiant") => &["routing = \"valiant\""],
        Some("romm") => &["routing = \"romm\""],
        Some("min_adapt") => &["routing = \"adaptive\"", "adaptive_choice = \"any\""],
        Some("ugal") => &["routing = \"ugal\""],
        _ => &[],
    };
    if !routing.is_empty() {
        lines.push("[execution]".to_owned());
        lines.extend(routing.iter().map(|line| (*line).to_owned()));
    }
    lines
}

/// The keys of the machine; `None` for unsupported topologies.
fn machine(keys: &Map<String, Value>) -> Option<Vec<String>> {
    let word = |key: &str| keys.get(key).and_then(Value::as_str);
    let number =
        |key: &str, default: usize| word(key).and_then(|value| value.parse().ok()).unwrap_or(default);
    let (k, n) = (number("k", 8), number("n", 2));
    match word("topology")? {
        kind @ ("mesh" | "torus") if (1..=16).contains(&n) => {
            let shape = vec![k.to_string(); n].join(", ");
            // A channel of a BookSim torus takes two cycles.
            let is_long = kind == "torus" && number("use_noc_latency", 1) > 0;
            let mut lines = vec![format!("kind = {kind:?}"), format!("shape = [{shape}]")];
            lines.push(format!("latency_cycles = {}", u8::from(is_long)));
            Some(lines)
        }
        "fattree" => {
            Some(vec!["kind = \"fat-tree\"".to_owned(), format!("arity = {k}"), format!("levels = {n}")])
        }
        "dragonflynew" => Some(vec![
            "kind = \"dragonfly\"".to_owned(),
            format!("hosts_per_switch = {k}"),
            format!("switches_per_group = {}", k.saturating_mul(2)),
            format!("global_links = {k}"),
        ]),
        "anynet" => Some(vec![
            "kind = \"network\"".to_owned(),
            format!("edges = {:?}", word("network_file").unwrap_or("..")),
        ]),
        _ => None,
    }
}

fn program(keys: &Map<String, Value>) -> Vec<String> {
    let word = |key: &str| keys.get(key).and_then(Value::as_str);
    let size = word("packet_size").and_then(|value| value.parse::<u32>().ok()).unwrap_or(1);
    let rate = word("injection_rate").and_then(|value| value.parse::<f64>().ok()).unwrap_or(0.1);
    let is_of_flits = word("injection_rate_uses_flits").is_some_and(|value| value != "0");
    let load = if is_of_flits { rate } else { rate * f64::from(size) };
    let pattern = match word("traffic") {
        Some("bitrev") => "bit-reversal",
        Some("bitcomp") => "bit-complement",
        Some("neighbor") => "neighbour",
        Some(name @ ("transpose" | "shuffle" | "tornado")) => name,
        _ => "uniform",
    };
    vec![
        "[program]".to_owned(),
        "kind = \"open-loop\"".to_owned(),
        format!("pattern = {pattern:?}"),
        format!("load = {load:?}"),
        format!("sizes = [[{size}, 1]]"),
    ]
}
