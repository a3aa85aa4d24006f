//! The scenario lines, or the command, that use a file: the next step that `inspect` suggests.

use serde_json::Value;

use crate::{
    format::Format,
    read::booksim_config,
    value::{Benchmark, Content, Link, Network, Trace},
};

/// The lines that use a file with a value; empty if nothing reads it. `".."` marks data to be filled in.
#[must_use]
pub fn lines(content: &Content, format: &Format, path: &str) -> Vec<String> {
    let file = format!("{path:?}");
    match content {
        Content::Network(network) => of_network(network, &file),
        Content::Hosts(..) if format.name == "coordinate-map" => {
            let path = crate::format::quoted(path);
            vec![format!("cubefold place SCENARIO --format hosts --coordinates {path}")]
        }
        Content::Hosts(..) => vec![
            "[machine]".to_owned(),
            format!("host_names = {file}"),
            format!("# or, of a job on a machine whose hosts have these names: allocation = {file}"),
        ],
        Content::Ranks(ranks) => vec![
            "[machine]".to_owned(),
            // Relative hosts of Open MPI (`+n2`) have no names.
            format!(
                "host_names = {}",
                if ranks.iter().any(|host| host.starts_with('+')) { "\"..\"" } else { &file }
            ),
            "[mapping]".to_owned(),
            format!("embeddings = [{:?}]", format!("file:{path}")),
        ],
        Content::Matrix(_) if format.name == "qaplib" => {
            let mut lines = of_program("traffic", &file);
            lines.push("matrix = 1".to_owned());
            lines
        }
        Content::Matrix(_) => of_program("traffic", &file),
        Content::Benchmark(benchmark) => vec![calibrate(benchmark, path)],
        Content::Trace(trace) => of_trace(trace, format, &file),
        Content::Settings(settings) => match format.name {
            "booksim-config" => settings.get("keys").and_then(Value::as_object).map(booksim_config::lines),
            "nccl-graph" => {
                settings.get("graphs").and_then(Value::as_array).and_then(|graphs| of_rings(graphs))
            }
            "astra-system" => settings.get("keys").and_then(of_system),
            _ => None,
        }
        .unwrap_or_default(),
    }
}

/// A note on a trace that cannot run unchanged, with a remedy.
pub(crate) fn how_used(format: &Format) -> Option<&'static str> {
    match format.name {
        "astra-sim-1-workload" => Some(
            "its layers are counted, not run: chakra_converter Text --input FILE --output FILE --num-npus N \
             --num-passes 1 makes traces for kind = \"chakra\"",
        ),
        "msccl-xml" => Some(
            "its steps are counted, not run: a collective with algorithm = \"..\" is the nearest program",
        ),
        "paraver" | "simgrid-ti" => {
            Some("used as a matrix: all its messages in one stage, without their times and order")
        }
        _ => None,
    }
}

fn of_program(kind: &str, file: &str) -> Vec<String> {
    vec!["[program]".to_owned(), format!("kind = {kind:?}"), format!("file = {file}")]
}

fn of_network(network: &Network, file: &str) -> Vec<String> {
    let mut lines = vec!["[machine]".to_owned(), "kind = \"network\"".into(), format!("edges = {file}")];
    if network.hosts.is_none() {
        lines.push("hosts = \"..\"".to_owned());
    }
    if network.needs_forwarding_hosts() {
        lines.push("hosts_forward = true".to_owned());
    }
    let lacks_speed =
        |link: &Link| link.cycles.is_none() && (link.bandwidth.is_none() || link.latency.is_none());
    let (of_lanes, others): (Vec<&Link>, Vec<&Link>) =
        network.links.iter().filter(|link| lacks_speed(link)).partition(|link| link.lanes.is_some());
    let figures = "{ bandwidth = \"..\", latency = \"..\" }";
    lines.extend((!of_lanes.is_empty()).then(|| format!("lane = {figures}")));
    lines.extend((!others.is_empty()).then(|| format!("link = {figures}")));
    // Adapters are no nodes, and some classes only they have.
    let joins = |pairs: &Vec<[String; 2]>| {
        pairs.iter().any(|pair| pair.iter().all(|name| network.place(name).is_some()))
    };
    let classes: Vec<String> = network
        .paths
        .iter()
        .filter(|(_, pairs)| joins(pairs))
        .map(|(class, _)| format!("{class} = \"..\""))
        .collect();
    if network.is_unconnected() && !classes.is_empty() {
        lines.push(format!("paths = {{ {} }}", classes.join(", ")));
    }
    lines
}

/// The command that fits a machine to a benchmark, with options for what its log does not say.
fn calibrate(benchmark: &Benchmark, path: &str) -> String {
    let mut command = format!("cubefold calibrate {}", crate::format::quoted(path));
    if benchmark.measures == "time" && benchmark.operation.is_none() {
        command.push_str(" --operation ..");
    }
    if benchmark.ranks.is_none() {
        command.push_str(" --ranks ..");
    }
    if benchmark.rows.iter().any(|row| row.bytes.is_none()) {
        command.push_str(" --bytes ..");
    }
    command
}

/// An algorithm for an operation, so that a trace can run.
fn algorithm_of(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "all-reduce" | "all-gather" | "reduce-scatter" => "ring",
        "all-to-all" => "direct",
        "broadcast" | "reduce" | "gather" | "scatter" => "binomial",
        "barrier" => "dissemination",
        _ => return None,
    })
}

fn of_trace(trace: &Trace, format: &Format, file: &str) -> Vec<String> {
    match format.name {
        "goal" => return of_program("goal", file),
        "chakra" | "chakra-json" => return of_program("chakra", &of_all_ranks(file)),
        // These have layers and steps, which no kind of program accepts.
        "astra-sim-1-workload" | "msccl-xml" => return vec![],
        _ => {}
    }
    if trace.matrix.is_some() {
        return of_program("traffic", file);
    }
    let mut operations: Vec<&str> = vec![];
    for traced in trace.operations.iter().flatten() {
        if !operations.contains(&traced.operation.as_str()) {
            operations.push(&traced.operation);
        }
    }
    let algorithms: Option<Vec<String>> = operations
        .iter()
        .map(|operation| Some(format!("{operation} = {:?}", algorithm_of(operation)?)))
        .collect();
    // The messages of a single rank have no partner.
    let Some(algorithms) = algorithms.filter(|algorithms| !algorithms.is_empty()) else { return vec![] };
    let mut lines = of_program("trace", file);
    lines.push(format!("algorithms = {{ {} }}", algorithms.join(", ")));
    lines
}

/// The pattern for the files of all ranks, from the name of one: `trace.{rank}.et` from `trace.0.et`.
fn of_all_ranks(file: &str) -> String {
    let begin = file.rfind('/').map_or(0, |at| at + 1);
    let is_digit = |sign: char| sign.is_ascii_digit();
    let Some(last) = file[begin..].rfind(is_digit).map(|at| begin + at + 1) else { return file.to_owned() };
    let first = file[..last].trim_end_matches(is_digit).len().max(begin);
    format!("{}{{rank}}{}", &file[..first], &file[last..])
}

/// The rings of NCCL's graphs: pattern 4 is a ring.
fn of_rings(graphs: &[Value]) -> Option<Vec<String>> {
    const RING: u64 = 4;
    let ring = graphs.iter().find(|graph| graph["pattern"].as_u64() == Some(RING))?;
    let channels = ring["channels"].as_array().filter(|channels| !channels.is_empty())?;
    Some(vec![
        "[program]".to_owned(),
        "kind = \"all-reduce\"".to_owned(),
        "algorithm = \"ring\"".to_owned(),
        "bytes = \"..\"".to_owned(),
        format!("channels = {}", channels.len()),
        format!("rings = {}", Value::from(channels.clone())),
    ])
}

/// The algorithm of all-reduce in ASTRA-sim's settings, the same in all dimensions, and its chunks.
fn of_system(keys: &Value) -> Option<Vec<String>> {
    let names = keys["all-reduce-implementation"].as_array()?;
    let first = names.first()?.as_str()?;
    if names.iter().any(|name| name.as_str() != Some(first)) {
        return None;
    }
    let algorithm = match first {
        "ring" | "oneRing" => "ring",
        "direct" | "oneDirect" => "direct",
        "halvingDoubling" | "oneHalvingDoubling" => "recursive-doubling",
        "doubleBinaryTree" => "double-tree",
        _ => return None,
    };
    let mut lines = vec![
        "[program]".to_owned(),
        "kind = \"all-reduce\"".to_owned(),
        format!("algorithm = {algorithm:?}"),
        "bytes = \"..\"".to_owned(),
    ];
    if let Some(chunks) = keys["preferred-dataset-splits"].as_u64().filter(|_| algorithm == "double-tree") {
        lines.push(format!("chunks = {chunks}"));
    }
    Some(lines)
}
