//! Neutral values of files: networks, hosts, places of ranks, matrices, traces, benchmarks, settings.

mod json;
mod matrix;
mod network;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use cubefold_derive::Words;
use serde_json::{Map, Value, json};

pub use self::{
    matrix::{Entry, Matrix},
    network::{Link, MAX_NODES, Network},
};
use crate::input::{Ratio, text};

/// The kinds of values that files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Words)]
pub enum Kind {
    /// Nodes and links.
    Network,
    /// Names of hosts in an order.
    Hosts,
    /// The host of every rank.
    Ranks,
    /// Amounts between pairs of ranks.
    Matrix,
    /// Operations of ranks.
    Trace,
    /// Sizes and times.
    Benchmark,
    /// Keys of a tool.
    Settings,
}

impl Kind {
    /// Its name in messages, with an article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Network => "a network",
            Self::Hosts => "a list of hosts",
            Self::Ranks => "the hosts of ranks",
            Self::Matrix => "a matrix",
            Self::Trace => "a trace",
            Self::Benchmark => "output of a benchmark",
            Self::Settings => "settings of a tool",
        }
    }
}

/// An operation of a trace.
#[derive(Debug, Clone, Default)]
pub struct TracedOperation {
    /// `all-reduce`, ..
    pub operation: String,
    /// Bytes of the operation.
    pub bytes: u64,
    /// The number of ranks that take part, if it is known.
    pub group: Option<u64>,
    /// These ranks, ascending, if they are known.
    pub members: Option<Arc<[u64]>>,
    /// Start and end \[s\], if they are known.
    pub span: Option<[f64; 2]>,
}

/// Operations of a rank, or a matrix with counts, or an algorithm.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// The rank, if it is known.
    pub rank: Option<u64>,
    /// The number of ranks, if it is known.
    pub ranks: Option<u64>,
    /// The operations.
    pub operations: Option<Vec<TracedOperation>>,
    /// Messages between ranks.
    pub matrix: Option<Matrix>,
    /// An algorithm of a collective.
    pub algorithm: Option<Value>,
    /// Further counts.
    pub counts: Map<String, Value>,
}

/// A row of a benchmark.
#[derive(Debug, Clone, Default)]
pub struct BenchmarkRow {
    /// The size, if it is known.
    pub bytes: Option<u64>,
    /// The time \[s\].
    pub time: Option<f64>,
    /// The bandwidth \[bytes/s\].
    pub bandwidth: Option<f64>,
    /// The operation, if the file has several.
    pub operation: Option<String>,
}

/// Sizes and times.
#[derive(Debug, Clone, Default)]
pub struct Benchmark {
    /// The operation, if it is known.
    pub operation: Option<String>,
    /// `time`, `latency` or `bandwidth`.
    pub measures: &'static str,
    /// The number of ranks, if it is known.
    pub ranks: Option<u64>,
    /// The rows.
    pub rows: Vec<BenchmarkRow>,
}

/// The value of a file.
#[derive(Debug, Clone)]
pub enum Content {
    /// Nodes and links.
    Network(Network),
    /// Names with slots, and the counts of cores and dummies.
    Hosts(Vec<(String, Option<u64>)>, Map<String, Value>),
    /// The host of every rank.
    Ranks(Vec<String>),
    /// Amounts between pairs of ranks.
    Matrix(Matrix),
    /// Operations.
    Trace(Trace),
    /// Sizes and times.
    Benchmark(Benchmark),
    /// Keys and other contents of a settings file.
    Settings(Map<String, Value>),
}

/// A number as JSON: an integer if it is whole.
#[must_use]
pub fn number(ratio: Ratio) -> Value {
    let (numerator, denominator) = ratio.parts();
    match u64::try_from(numerator) {
        Ok(whole) if denominator == 1 => json!(whole),
        Ok(_) | Err(_) => json!(ratio.to_f64()),
    }
}

/// Rounds a fraction to six digits, for people.
fn in_six_digits(value: &Value) -> Value {
    let number = value.as_f64().filter(|_| value.is_f64());
    number.map_or_else(
        || value.clone(),
        |number| json!(format!("{number:.5e}").parse::<f64>().unwrap_or(number)),
    )
}

impl Content {
    /// Settings with one key.
    pub(crate) fn setting(key: &str, value: Value) -> Self {
        Self::Settings(Map::from_iter([(key.to_owned(), value)]))
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Network(_) => Kind::Network,
            Self::Hosts(..) => Kind::Hosts,
            Self::Ranks(_) => Kind::Ranks,
            Self::Matrix(_) => Kind::Matrix,
            Self::Trace(_) => Kind::Trace,
            Self::Benchmark(_) => Kind::Benchmark,
            Self::Settings(_) => Kind::Settings,
        }
    }

    /// Whether it yields a value of a kind.
    #[must_use]
    pub fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Hosts => self.hosts().is_some(),
            Kind::Ranks => self.ranks().is_some(),
            Kind::Matrix => self.matrix().is_some(),
            Kind::Network | Kind::Trace | Kind::Benchmark | Kind::Settings => self.kind() == kind,
        }
    }

    /// The limit that a value exceeds.
    pub(crate) fn excess(&self) -> Option<&'static str> {
        match self {
            Self::Network(network) => network.excess(),
            Self::Hosts(hosts, _) if hosts.len() > MAX_NODES => Some("more than 2^20 hosts"),
            _ => self.matrix()?.excess(),
        }
    }

    /// The hosts in their order, with their slots.
    #[must_use]
    pub fn hosts(&self) -> Option<Vec<(String, Option<u64>)>> {
        match self {
            Self::Hosts(hosts, _) => Some(hosts.clone()),
            Self::Network(network) => {
                Some(network.nodes[..network.hosts?].iter().map(|name| (name.clone(), None)).collect())
            }
            _ => {
                let ranks = self.ranks()?;
                let mut hosts: Vec<(String, Option<u64>)> = vec![];
                let mut places: BTreeMap<&String, usize> = BTreeMap::new();
                for name in &ranks {
                    let place = *places.entry(name).or_insert(hosts.len());
                    if place == hosts.len() {
                        hosts.push((name.clone(), Some(0)));
                    }
                    hosts[place].1 = hosts[place].1.map(|slots| slots + 1);
                }
                Some(hosts)
            }
        }
    }

    /// The host of each rank.
    #[must_use]
    pub fn ranks(&self) -> Option<Vec<String>> {
        match self {
            Self::Ranks(ranks) => Some(ranks.clone()),
            Self::Matrix(matrix) => matrix.ranks.as_ref()?.iter().cloned().collect(),
            _ => None,
        }
    }

    /// The amounts between pairs of ranks.
    #[must_use]
    pub fn matrix(&self) -> Option<&Matrix> {
        match self {
            Self::Matrix(matrix) => Some(matrix),
            Self::Trace(trace) => trace.matrix.as_ref(),
            _ => None,
        }
    }

    /// The codes of data that a scenario needs and the value lacks.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = vec![];
        match self {
            Self::Network(network) => {
                if network.links.iter().any(|link| link.bandwidth.is_none()) {
                    missing.push("bandwidth");
                }
                if network.links.iter().any(|link| link.latency.is_none() && link.cycles.is_none()) {
                    missing.push("latency");
                }
                if !network.paths.is_empty() {
                    missing.push("speeds-by-class");
                }
                if network.hosts.is_none() {
                    missing.push("hosts");
                }
                if network.is_unconnected() {
                    missing.push("unconnected");
                }
            }
            Self::Matrix(matrix) if matrix.unit == "weight" => missing.push("unit"),
            Self::Benchmark(benchmark) => {
                if benchmark.operation.is_none() {
                    missing.push("operation");
                }
                if benchmark.ranks.is_none() {
                    missing.push("ranks");
                }
                if benchmark.rows.iter().any(|row| row.bytes.is_none()) {
                    missing.push("size");
                }
            }
            Self::Trace(trace) if trace.ranks.is_none() => missing.push("ranks"),
            Self::Hosts(..) | Self::Ranks(_) | Self::Matrix(_) | Self::Trace(_) | Self::Settings(_) => {}
        }
        missing
    }

    /// A line for people: the kind and its counts.
    #[must_use]
    pub fn summary(&self) -> String {
        let counts = self.counts();
        let counted = |(name, count): (&String, &Value)| {
            let noun = name.replace('_', " ");
            let count = &in_six_digits(count);
            let noun = match noun.strip_suffix("ies") {
                Some(begin) if *count == json!(1) => format!("{begin}y"),
                None if *count == json!(1) => noun.strip_suffix('s').unwrap_or(&noun).to_owned(),
                _ => noun,
            };
            format!("{count} {noun}")
        };
        let mut counts: Vec<String> = counts.iter().map(counted).collect();
        if let Self::Network(network) = self
            && !network.paths.is_empty()
        {
            let pairs = text::counted(network.paths.values().map(Vec::len).sum::<usize>() as u64, "pair");
            let classes: Vec<&str> = network.paths.keys().map(String::as_str).collect();
            counts.push(format!("{pairs} by class ({})", classes.join(", ")));
        }
        format!("{}: {}", self.kind().name(), counts.join(", "))
    }

    /// The counts of `inspect`.
    #[must_use]
    pub fn counts(&self) -> Map<String, Value> {
        let mut counts = Map::new();
        match self {
            Self::Network(network) => {
                counts.insert("nodes".into(), json!(network.nodes.len()));
                if let Some(hosts) = network.hosts {
                    counts.insert("hosts".into(), json!(hosts));
                }
                counts
                    .insert("links".into(), json!(network.links.iter().map(|link| link.count).sum::<u64>()));
                if network.loops > 0 {
                    counts.insert("loops".into(), json!(network.loops));
                }
            }
            Self::Hosts(hosts, further) => {
                counts.insert("hosts".into(), json!(hosts.len()));
                counts.extend(further.clone());
            }
            Self::Ranks(ranks) => {
                let hosts: BTreeSet<&String> = ranks.iter().collect();
                counts.insert("ranks".into(), json!(ranks.len()));
                counts.insert("hosts".into(), json!(hosts.len()));
            }
            Self::Matrix(matrix) => matrix.counts(&mut counts),
            Self::Trace(trace) => {
                if let Some(operations) = &trace.operations {
                    counts.insert("operations".into(), json!(operations.len()));
                    let bytes: u64 = operations.iter().map(|operation| operation.bytes).sum();
                    counts.insert("bytes".into(), json!(bytes));
                    let ends = operations.iter().filter_map(|operation| operation.span).map(|span| span[1]);
                    if let Some(last) = ends.max_by(f64::total_cmp) {
                        counts.insert("seconds".into(), json!(last));
                    }
                }
                if let Some(ranks) = trace.ranks {
                    counts.insert("ranks".into(), json!(ranks));
                }
                if let Some(matrix) = &trace.matrix {
                    matrix.counts(&mut counts);
                }
                counts.extend(trace.counts.clone());
            }
            Self::Benchmark(benchmark) => {
                counts.insert("rows".into(), json!(benchmark.rows.len()));
            }
            Self::Settings(settings) => {
                let keys = settings.get("keys").and_then(Value::as_object).map_or(settings.len(), Map::len);
                counts.insert("keys".into(), json!(keys));
            }
        }
        counts
    }
}
