//! Neutral values of files: networks, hosts, places of ranks, matrices, traces, benchmarks, settings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::input::Ratio;

/// The kinds of values that files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Hosts => "hosts",
            Self::Ranks => "ranks",
            Self::Matrix => "matrix",
            Self::Trace => "trace",
            Self::Benchmark => "benchmark",
            Self::Settings => "settings",
        }
    }
}

impl Kind {
    /// A word for it in messages, with its article.
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

/// The links between two nodes that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The two nodes, by number.
    pub ends: [usize; 2],
    /// The number of cables, at least 1.
    pub count: u64,
    /// The bandwidth of a cable in one direction \[bytes/s\].
    pub bandwidth: Option<Ratio>,
    /// The latency \[s\].
    pub latency: Option<Ratio>,
    /// The lanes of one link, which carry a message together.
    pub lanes: Option<u64>,
    /// `NVLink`, `XGMI`, `PCIe` or `SYS`.
    pub class: Option<&'static str>,
    /// The latency along `ends` and back \[cycles\], if the file counts cycles.
    pub cycles: Option<[u64; 2]>,
}

/// Nodes and links; hosts come first.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// The names of all nodes, hosts first.
    pub nodes: Vec<String>,
    /// The number of hosts; `None` if the file does not tell them from switches.
    pub hosts: Option<usize>,
    /// The links.
    pub links: Vec<Link>,
    /// Pairs that have no link of their own, by class.
    pub paths: BTreeMap<String, Vec<[String; 2]>>,
    /// The number of cables from a node back to itself.
    pub loops: u64,
    places: BTreeMap<String, usize>,
    are_hosts: Vec<bool>,
}

impl Network {
    /// The number of the node with a name, which is added if it is new.
    pub fn node(&mut self, name: &str, is_host: bool) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.nodes.push(name.to_owned());
        self.are_hosts.push(is_host);
        self.places.insert(name.to_owned(), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The number of a known node.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Adds a cable with nothing known about it.
    pub fn cable(&mut self, from: usize, to: usize) {
        self.links.push(Link { ends: [from, to], count: 1, ..Link::default() });
    }

    /// Adds a pair that has no link of its own.
    pub(crate) fn path(&mut self, class: &str, one: &str, other: &str) {
        self.paths.entry(class.to_owned()).or_default().push([one.to_owned(), other.to_owned()]);
    }

    /// The same network, its nodes in the order of their numbers.
    #[must_use]
    pub fn in_numeric_order(self) -> Self {
        let number = |name: &String| name.parse::<u64>().unwrap_or(u64::MAX);
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| number(&self.nodes[node]));
        self.in_order(&order)
    }

    /// The same network, its nodes in an order of their present numbers.
    fn in_order(mut self, order: &[usize]) -> Self {
        let mut new = vec![0; order.len()];
        for (place, &old) in order.iter().enumerate() {
            new[old] = place;
        }
        self.nodes = order.iter().map(|&old| std::mem::take(&mut self.nodes[old])).collect();
        self.are_hosts = order.iter().map(|&old| self.are_hosts[old]).collect();
        self.places = self.nodes.iter().cloned().zip(0..).collect();
        for link in &mut self.links {
            link.ends = link.ends.map(|end| new[end]);
        }
        self
    }

    /// Puts hosts first, links that are alike together; `knows_hosts` says whether hosts are told from switches.
    #[must_use]
    pub fn finish(mut self, knows_hosts: bool) -> Self {
        if knows_hosts {
            let mut order: Vec<usize> = (0..self.nodes.len()).collect();
            order.sort_by_key(|&node| !self.are_hosts[node]);
            self.hosts = Some(self.are_hosts.iter().filter(|own| **own).count());
            self = self.in_order(&order);
        }
        for link in &mut self.links {
            if link.ends[0] > link.ends[1] {
                link.ends.reverse();
                link.cycles = link.cycles.map(|[one, other]| [other, one]);
            }
        }
        self.links.sort_by_key(|own| own.ends);
        let mut merged: Vec<Link> = vec![];
        for link in std::mem::take(&mut self.links) {
            let same = merged
                .iter_mut()
                .rev()
                .take_while(|own| own.ends == link.ends)
                .find(|own| Link { count: 0, ..(**own).clone() } == Link { count: 0, ..link.clone() });
            match same {
                Some(own) => own.count += link.count,
                None => merged.push(link),
            }
        }
        self.links = merged;
        self
    }

    /// Whether hosts, or all nodes if hosts are unknown, are in several parts.
    fn is_unconnected(&self) -> bool {
        let mut part: Vec<usize> = (0..self.nodes.len()).collect();
        for link in &self.links {
            let [one, other] = link.ends.map(|end| root(&mut part, end));
            part[one] = other;
        }
        let count = self.hosts.unwrap_or(self.nodes.len());
        let first = if count > 0 { root(&mut part, 0) } else { 0 };
        (1..count).any(|node| root(&mut part, node) != first)
    }
}

/// The representative of the part of a node.
fn root(part: &mut [usize], mut node: usize) -> usize {
    while part[node] != node {
        part[node] = part[part[node]];
        node = part[node];
    }
    node
}

/// A matrix of amounts.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    /// The number of ranks.
    pub size: usize,
    /// `bytes`, `units` or `weight`.
    pub unit: &'static str,
    /// Amount and number of messages, if it is known, by source and destination.
    pub entries: BTreeMap<(usize, usize), (Ratio, Option<u64>)>,
    /// The names of ranks.
    pub labels: Option<Vec<String>>,
    /// The hosts of ranks, as far as they are known.
    pub ranks: Option<Vec<Option<String>>>,
}

impl Matrix {
    /// Adds an amount and messages to an entry; whether it was there already.
    pub fn add(&mut self, source: usize, destination: usize, amount: Ratio, messages: Option<u64>) -> bool {
        self.size = self.size.max(source + 1).max(destination + 1);
        if let Some(own) = self.entries.get_mut(&(source, destination)) {
            own.0 = own.0.plus(amount).unwrap_or(own.0);
            own.1 = own.1.zip(messages).map(|(one, other)| one.saturating_add(other));
            return true;
        }
        self.entries.insert((source, destination), (amount, messages));
        false
    }

    /// Whether its ranks are exactly 1 to n.
    pub(crate) fn counts_from_1(&self) -> bool {
        let used: BTreeSet<usize> = self.entries.keys().flat_map(|own| [own.0, own.1]).collect();
        !used.is_empty() && used.iter().copied().eq(1..=used.len())
    }

    /// The same matrix of ranks that are counted from 0 instead of 1.
    pub(crate) fn counted_from_0(self) -> Self {
        let entries = self.entries.into_iter().map(|((from, to), own)| ((from - 1, to - 1), own));
        Self { size: self.size - 1, entries: entries.collect(), ..self }
    }

    fn data(&self) -> Value {
        let entries = self.entries.iter().filter(|(_, own)| own.0 != Ratio::ZERO);
        let rows: Vec<Value> =
            entries.map(|(&(from, to), &(amount, count))| json!([from, to, number(amount), count])).collect();
        let mut data = Map::new();
        data.insert("size".into(), json!(self.size));
        data.insert("unit".into(), json!(self.unit));
        data.insert("entries".into(), rows.into());
        if let Some(labels) = &self.labels {
            data.insert("labels".into(), json!(labels));
        }
        if let Some(ranks) = &self.ranks {
            data.insert("ranks".into(), json!(ranks));
        }
        data.into()
    }

    fn counts(&self, counts: &mut Map<String, Value>) {
        let others = self.entries.iter().filter(|(pair, own)| pair.0 != pair.1 && own.0 != Ratio::ZERO);
        let sum = self.entries.values().fold(Ratio::ZERO, |sum, own| sum.plus(own.0).unwrap_or(sum));
        counts.insert("ranks".into(), json!(self.size));
        counts.insert("pairs".into(), json!(others.count()));
        counts.insert(if self.unit == "weight" { "weight" } else { self.unit }.into(), number(sum));
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
    /// Begin and end \[s\], if they are known.
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
    /// Keys, or what else a file of settings has.
    Settings(Map<String, Value>),
}

/// A number as JSON: whole if it is whole.
#[must_use]
pub fn number(ratio: Ratio) -> Value {
    let (numerator, denominator) = ratio.parts();
    match u64::try_from(numerator) {
        Ok(whole) if denominator == 1 => json!(whole),
        Ok(_) | Err(_) => json!(ratio.to_f64()),
    }
}

/// A number that is not whole in six digits, for people.
fn in_six_digits(value: &Value) -> Value {
    let number = value.as_f64().filter(|_| value.is_f64());
    number.map_or_else(|| value.clone(), |own| json!(format!("{own:.5e}").parse::<f64>().unwrap_or(own)))
}

impl Content {
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

    /// Whether a value of a kind can be had from it.
    #[must_use]
    pub fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Hosts => self.hosts().is_some(),
            Kind::Ranks => self.ranks().is_some(),
            Kind::Matrix => self.matrix().is_some(),
            Kind::Network | Kind::Trace | Kind::Benchmark | Kind::Settings => self.kind() == kind,
        }
    }

    /// The hosts in their order, with their slots.
    #[must_use]
    pub fn hosts(&self) -> Option<Vec<(String, Option<u64>)>> {
        match self {
            Self::Hosts(hosts, _) => Some(hosts.clone()),
            Self::Network(own) => {
                Some(own.nodes[..own.hosts?].iter().map(|name| (name.clone(), None)).collect())
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
            Self::Matrix(own) => Some(own),
            Self::Trace(own) => own.matrix.as_ref(),
            _ => None,
        }
    }

    /// The codes of what is missing for a scenario, as far as they follow from the value.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = vec![];
        match self {
            Self::Network(own) => {
                if own.links.iter().any(|link| link.bandwidth.is_none()) {
                    missing.push("bandwidth");
                }
                if own.links.iter().any(|link| link.latency.is_none() && link.cycles.is_none()) {
                    missing.push("latency");
                }
                if !own.paths.is_empty() {
                    missing.push("speeds-by-class");
                }
                if own.hosts.is_none() {
                    missing.push("hosts");
                }
                if own.is_unconnected() {
                    missing.push("unconnected");
                }
            }
            Self::Matrix(own) if own.unit == "weight" => missing.push("unit"),
            Self::Benchmark(own) => {
                if own.operation.is_none() {
                    missing.push("operation");
                }
                if own.ranks.is_none() {
                    missing.push("ranks");
                }
                if own.rows.iter().any(|row| row.bytes.is_none()) {
                    missing.push("size");
                }
            }
            Self::Trace(own) if own.ranks.is_none() => missing.push("ranks"),
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
            let noun = if *count == json!(1) { noun.strip_suffix('s').unwrap_or(&noun) } else { &noun };
            format!("{count} {noun}")
        };
        let mut counts: Vec<String> = counts.iter().map(counted).collect();
        if let Self::Network(own) = self
            && !own.paths.is_empty()
        {
            let pairs: usize = own.paths.values().map(Vec::len).sum();
            let classes: Vec<&str> = own.paths.keys().map(String::as_str).collect();
            counts.push(format!("{pairs} pairs by class ({})", classes.join(", ")));
        }
        format!("{}: {}", self.kind().name(), counts.join(", "))
    }

    /// The lines of a scenario, or the command, that use a file with this value.
    #[must_use]
    pub fn lines(&self, path: &str) -> Vec<String> {
        let file = format!("{path:?}");
        match self {
            Self::Network(own) => {
                let mut lines =
                    vec!["[machine]".to_owned(), "kind = \"network\"".into(), format!("edges = {file}")];
                if own.hosts.is_none() {
                    lines.push("hosts = \"..\"".to_owned());
                }
                let lacks_speed = |link: &Link| {
                    link.cycles.is_none() && (link.bandwidth.is_none() || link.latency.is_none())
                };
                let (of_lanes, others): (Vec<&Link>, Vec<&Link>) =
                    own.links.iter().filter(|link| lacks_speed(link)).partition(|link| link.lanes.is_some());
                let figures = "{ bandwidth = \"..\", latency = \"..\" }";
                lines.extend((!of_lanes.is_empty()).then(|| format!("lane = {figures}")));
                lines.extend((!others.is_empty()).then(|| format!("link = {figures}")));
                if own.is_unconnected() && !own.paths.is_empty() {
                    let classes: Vec<String> =
                        own.paths.keys().map(|own| format!("{own} = \"..\"")).collect();
                    lines.push(format!("paths = {{ {} }}", classes.join(", ")));
                }
                lines
            }
            Self::Hosts(..) => vec!["[machine]".to_owned(), format!("host_names = {file}")],
            Self::Ranks(_) => {
                vec!["[mapping]".to_owned(), format!("embeddings = [{:?}]", format!("file:{path}"))]
            }
            Self::Matrix(_) => {
                vec!["[program]".to_owned(), "kind = \"traffic\"".into(), format!("file = {file}")]
            }
            Self::Benchmark(_) => vec![format!("cubefold calibrate {path}")],
            Self::Trace(_) => {
                vec!["[program]".to_owned(), "kind = \"trace\"".into(), format!("file = {file}")]
            }
            Self::Settings(_) => vec![],
        }
    }

    /// The counts of `inspect`.
    #[must_use]
    pub fn counts(&self) -> Map<String, Value> {
        let mut counts = Map::new();
        match self {
            Self::Network(own) => {
                counts.insert("nodes".into(), json!(own.nodes.len()));
                if let Some(hosts) = own.hosts {
                    counts.insert("hosts".into(), json!(hosts));
                }
                counts.insert("links".into(), json!(own.links.iter().map(|link| link.count).sum::<u64>()));
                if own.loops > 0 {
                    counts.insert("loops".into(), json!(own.loops));
                }
            }
            Self::Hosts(hosts, further) => {
                counts.insert("hosts".into(), json!(hosts.len()));
                counts.extend(further.clone());
            }
            Self::Ranks(ranks) => {
                let hosts: std::collections::BTreeSet<&String> = ranks.iter().collect();
                counts.insert("ranks".into(), json!(ranks.len()));
                counts.insert("hosts".into(), json!(hosts.len()));
            }
            Self::Matrix(own) => own.counts(&mut counts),
            Self::Trace(own) => {
                if let Some(operations) = &own.operations {
                    counts.insert("operations".into(), json!(operations.len()));
                    counts.insert("bytes".into(), json!(operations.iter().map(|own| own.bytes).sum::<u64>()));
                    let ends = operations.iter().filter_map(|own| own.span).map(|span| span[1]);
                    if let Some(last) = ends.max_by(f64::total_cmp) {
                        counts.insert("seconds".into(), json!(last));
                    }
                }
                if let Some(ranks) = own.ranks {
                    counts.insert("ranks".into(), json!(ranks));
                }
                if let Some(matrix) = &own.matrix {
                    matrix.counts(&mut counts);
                }
                counts.extend(own.counts.clone());
            }
            Self::Benchmark(own) => {
                counts.insert("rows".into(), json!(own.rows.len()));
            }
            Self::Settings(own) => {
                let keys = own.get("keys").and_then(Value::as_object).map_or(own.len(), Map::len);
                counts.insert("keys".into(), json!(keys));
            }
        }
        counts
    }

    /// The value as JSON.
    #[must_use]
    pub fn data(&self) -> Value {
        match self {
            Self::Network(own) => own.data(),
            Self::Hosts(hosts, _) => {
                let rows = hosts.iter().map(|(name, slots)| json!({"name": name, "slots": slots}));
                json!({ "hosts": rows.collect::<Vec<_>>() })
            }
            Self::Ranks(ranks) => json!({ "ranks": ranks }),
            Self::Matrix(own) => own.data(),
            Self::Trace(own) => {
                if let Some(matrix) = &own.matrix {
                    return matrix.data();
                }
                let mut data = Map::new();
                data.insert("rank".into(), json!(own.rank));
                data.insert("ranks".into(), json!(own.ranks));
                if let Some(operations) = &own.operations {
                    let row = |own: &TracedOperation| {
                        json!({"operation": own.operation, "bytes": own.bytes, "group": own.group,
                               "begin": own.span.map(|span| span[0]), "end": own.span.map(|span| span[1])})
                    };
                    data.insert("operations".into(), operations.iter().map(row).collect());
                }
                if let Some(algorithm) = &own.algorithm {
                    data.insert("algorithm".into(), algorithm.clone());
                }
                data.into()
            }
            Self::Benchmark(own) => {
                let row = |row: &BenchmarkRow| {
                    let mut value = json!({"bytes": row.bytes, "time": row.time, "bandwidth": row.bandwidth});
                    if let (Some(operation), Some(map)) = (&row.operation, value.as_object_mut()) {
                        map.insert("operation".into(), json!(operation));
                    }
                    value
                };
                let rows: Vec<Value> = own.rows.iter().map(row).collect();
                json!({"operation": own.operation, "measures": own.measures, "ranks": own.ranks, "rows": rows})
            }
            Self::Settings(own) => own.clone().into(),
        }
    }
}

impl Network {
    fn data(&self) -> Value {
        let link = |link: &Link| {
            let mut value = Map::new();
            value.insert("ends".into(), json!(link.ends.map(|end| &self.nodes[end])));
            value.insert("count".into(), json!(link.count));
            value.insert("bandwidth".into(), link.bandwidth.map_or(Value::Null, number));
            value.insert("latency".into(), link.latency.map_or(Value::Null, number));
            if let Some(lanes) = link.lanes {
                value.insert("lanes".into(), json!(lanes));
            }
            if let Some(class) = link.class {
                value.insert("class".into(), json!(class));
            }
            if let Some(cycles) = link.cycles {
                value.insert("cycles".into(), json!(cycles));
            }
            Value::from(value)
        };
        let links: Vec<Value> = self.links.iter().map(link).collect();
        let mut data = Map::new();
        data.insert("nodes".into(), json!(self.nodes));
        data.insert("hosts".into(), json!(self.hosts.map(|count| &self.nodes[..count])));
        data.insert("links".into(), links.into());
        if !self.paths.is_empty() {
            data.insert("paths".into(), json!(self.paths));
        }
        data.into()
    }
}
