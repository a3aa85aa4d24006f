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
    let (_, unmatched) = translated(&keys);
    if !unmatched.is_empty() {
        let of =
            |key: &&str| format!("{key} = {}", keys.get(*key).and_then(Value::as_str).unwrap_or_default());
        let all: Vec<String> = unmatched.iter().map(of).collect();
        notes.push(format!("nothing here is like {}", all.join(", ")));
    }
    Ok(Reading { notes, ..Content::setting("keys", keys.into()).into() })
}

/// The keys that [`lines`] translates into scenario keys.
const USED: [&str; 18] = [
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
    "packet_size_rate",
    "injection_rate_uses_flits",
];

/// The lines of the scenario equivalent to a configuration; empty if its topology is unknown.
pub(crate) fn lines(keys: &Map<String, Value>) -> Vec<String> {
    translated(keys).0
}

/// A configuration, and the keys whose values have no equivalent.
struct Configuration<'k> {
    keys: &'k Map<String, Value>,
    unmatched: Vec<&'static str>,
}

impl<'k> Configuration<'k> {
    fn word(&self, key: &str) -> Option<&'k str> {
        self.keys.get(key).and_then(Value::as_str)
    }

    /// The value of a key, or its default; `None` for one without an equivalent.
    fn read<T>(&mut self, key: &'static str, default: T, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let Some(word) = self.word(key) else { return Some(default) };
        let value = parse(word);
        if value.is_none() {
            self.unmatched.push(key);
        }
        value
    }

    fn number(&mut self, key: &'static str, default: u64) -> u64 {
        self.read(key, default, |word| word.parse().ok()).unwrap_or(default)
    }
}

/// The lines, and the keys whose values have no equivalent in them.
fn translated(keys: &Map<String, Value>) -> (Vec<String>, Vec<&'static str>) {
    let mut config = Configuration { keys, unmatched: vec![] };
    let Some(machine) = machine(&mut config) else { return (vec![], vec!["topology"]) };
    let mut lines = vec!["[machine]".to_owned()];
    lines.extend(machine);
    lines.push("switching = \"wormhole\"".to_owned());
    lines.push(format!("router = {{ {} }}", router(&mut config).join(", ")));
    lines.extend(program(&mut config));
    let routing = config.read("routing_function", &[][..], |word| {
        Some(match word {
            "dor" | "dim_order" => &["routing = \"dimension-order\"", "tie = \"random\""],
            "nca" => &["routing = \"up-down\""],
            "valiant" => &["routing = \"valiant\""],
            "romm" => &["routing = \"romm\""],
            "min_adapt" => &["routing = \"adaptive\"", "adaptive_choice = \"any\""],
            "ugal" => &["routing = \"ugal\""],
            "min" => &[],
            _ => return None,
        })
    });
    let routing = routing.unwrap_or_default();
    if !routing.is_empty() {
        lines.push("[execution]".to_owned());
        lines.extend(routing.iter().map(|line| (*line).to_owned()));
    }
    (lines, config.unmatched)
}

fn router(config: &mut Configuration<'_>) -> Vec<String> {
    let cycles = match (config.number("routing_delay", 1), config.number("speculative", 0)) {
        (0, 1..) => 2,
        (delay, _) => delay.saturating_add(3),
    };
    let mut router = vec![
        format!("virtual_channels = {}", config.number("num_vcs", 16)),
        format!("buffer_units = {}", config.number("vc_buf_size", 8)),
        format!("cycles = {cycles}"),
        format!("credit_cycles = {}", config.number("credit_delay", 1).saturating_add(1)),
    ];
    let speedup = config.read("internal_speedup", 1.0, |word| word.parse::<f64>().ok());
    router.extend(speedup.filter(|speedup| *speedup > 1.0).map(|speedup| format!("speedup = {speedup:?}")));
    let allocator = config.read("vc_allocator", "output-first", |word| match word {
        "islip" => Some("output-first"),
        "separable_input_first" => Some("input-first"),
        _ => None,
    });
    if allocator == Some("input-first") {
        router.push("allocator = \"input-first\"".to_owned());
    }
    if config.word("topology") == Some("dragonflynew") && config.word("routing_function") == Some("min") {
        router.push("ejection = \"class\"".to_owned());
    }
    router
}

/// The keys of the machine; `None` for unsupported topologies.
fn machine(config: &mut Configuration<'_>) -> Option<Vec<String>> {
    let (k, n) = (config.number("k", 8), config.number("n", 2));
    match config.word("topology")? {
        kind @ ("mesh" | "torus") if (1..=16).contains(&n) => {
            let shape = (0..n).map(|_| k.to_string()).collect::<Vec<_>>().join(", ");
            // A channel of a BookSim torus takes two cycles.
            let is_long = kind == "torus" && config.number("use_noc_latency", 1) > 0;
            let mut lines = vec![format!("kind = {kind:?}"), format!("shape = [{shape}]")];
            lines.push(format!("latency_cycles = {}", u8::from(is_long)));
            Some(lines)
        }
        "fattree" => {
            Some(vec!["kind = \"fat-tree\"".to_owned(), format!("arity = {k}"), format!("levels = {n}")])
        }
        // Its channels take 10 cycles in a group and 100 between groups (`dragonfly.cpp`).
        "dragonflynew" => Some(vec![
            "kind = \"dragonfly\"".to_owned(),
            format!("hosts_per_switch = {k}"),
            format!("switches_per_group = {}", k.saturating_mul(2)),
            format!("global_links = {k}"),
            "latency_cycles = 9".to_owned(),
            "global_latency_cycles = 99".to_owned(),
        ]),
        "anynet" => Some(vec![
            "kind = \"network\"".to_owned(),
            format!("edges = {:?}", config.word("network_file").unwrap_or("..")),
        ]),
        _ => None,
    }
}

/// The numbers of the first class in a value such as `5`, `{5}` or `{{1,5}}`.
fn numbers(word: &str) -> Option<Vec<u32>> {
    let inner = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')).unwrap_or(word);
    let of_class = match inner.strip_prefix('{') {
        Some(rest) => rest.split_once('}')?.0,
        None => inner.split(',').next()?,
    };
    of_class.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// The spots of `hotspot({5,6})`, which are all equally hot.
fn spots(traffic: &str) -> Option<String> {
    let spots = traffic.strip_prefix("hotspot(")?.strip_suffix(')')?.trim();
    let list = spots.strip_prefix('{').and_then(|list| list.strip_suffix('}')).unwrap_or(spots);
    let all: Option<Vec<String>> =
        list.split(',').map(|spot| Some(spot.trim().parse::<u32>().ok()?.to_string())).collect();
    all.map(|all| all.join(", "))
}

fn program(config: &mut Configuration<'_>) -> Vec<String> {
    let sizes = config.read("packet_size", vec![1], numbers);
    let count = sizes.as_ref().map_or(1, Vec::len);
    let rates = config.read("packet_size_rate", vec![1; count], numbers);
    let sizes: Option<Vec<(u32, u32)>> = sizes.zip(rates).map(|(sizes, rates)| {
        let rates = rates.into_iter().chain(std::iter::repeat(1));
        sizes.into_iter().zip(rates).collect()
    });
    let weight = |of: fn(&(u32, u32)) -> f64| sizes.iter().flatten().map(of).sum::<f64>();
    let mean = weight(|(size, rate)| f64::from(*size) * f64::from(*rate)) / weight(|pair| f64::from(pair.1));
    let rate = config.read("injection_rate", 0.1, |word| word.parse::<f64>().ok());
    let is_of_flits = config.word("injection_rate_uses_flits").is_some_and(|word| word != "0");
    let load = rate
        .map(|rate| if is_of_flits { rate } else { (rate * mean * 1e9).round() / 1e9 })
        .filter(|load| load.is_finite());
    let pattern = config.read("traffic", "pattern = \"uniform\"".to_owned(), |word| {
        let name = match word {
            "uniform" | "transpose" | "shuffle" | "tornado" => word,
            "bitrev" => "bit-reversal",
            "bitcomp" => "bit-complement",
            "neighbor" => "neighbour",
            _ => {
                let spots = spots(word)?;
                return Some(format!("pattern = \"hotspot\"\nhotspots = [{spots}]\nhotspot_share = 1.0"));
            }
        };
        Some(format!("pattern = {name:?}"))
    });
    let pattern = pattern.unwrap_or_else(|| "pattern = \"..\"".to_owned());
    let sizes = sizes.map(|sizes| {
        sizes.iter().map(|(size, rate)| format!("[{size}, {rate}]")).collect::<Vec<_>>().join(", ")
    });
    let mut lines = vec!["[program]".to_owned(), "kind = \"open-loop\"".to_owned()];
    lines.extend(pattern.lines().map(str::to_owned));
    lines.push(load.map_or_else(|| "load = \"..\"".to_owned(), |load| format!("load = {load:?}")));
    lines.push(sizes.map_or_else(|| "sizes = \"..\"".to_owned(), |sizes| format!("sizes = [{sizes}]")));
    lines
}
