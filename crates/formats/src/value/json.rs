//! Values as JSON, written entry by entry: a file of 64 MiB may hold 2^24 entries.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use super::{BenchmarkRow, Content, Link, Matrix, Network, Trace, TracedOperation, number};
use crate::input::Ratio;

/// A list that is made element by element while it is written.
struct Listed<F>(F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Listed<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Network(network) => network.serialize(serializer),
            Self::Hosts(hosts, _) => {
                let rows = || hosts.iter().map(|(name, slots)| json!({"name": name, "slots": slots}));
                serializer.collect_map([("hosts", Listed(rows))])
            }
            Self::Ranks(ranks) => serializer.collect_map([("ranks", ranks)]),
            Self::Matrix(matrix) => matrix.serialize(serializer),
            Self::Trace(trace) => trace.serialize(serializer),
            Self::Benchmark(benchmark) => {
                let rows = || benchmark.rows.iter().map(row);
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("operation", &benchmark.operation)?;
                map.serialize_entry("measures", benchmark.measures)?;
                map.serialize_entry("ranks", &benchmark.ranks)?;
                map.serialize_entry("rows", &Listed(rows))?;
                map.end()
            }
            Self::Settings(settings) => settings.serialize(serializer),
        }
    }
}

fn row(row: &BenchmarkRow) -> Value {
    let mut value = json!({"bytes": row.bytes, "time": row.time, "bandwidth": row.bandwidth});
    if let (Some(operation), Some(map)) = (&row.operation, value.as_object_mut()) {
        map.insert("operation".into(), json!(operation));
    }
    value
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(matrix) = &self.matrix {
            return matrix.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rank", &self.rank)?;
        map.serialize_entry("ranks", &self.ranks)?;
        if let Some(operations) = &self.operations {
            map.serialize_entry("operations", &Listed(|| operations.iter().map(operation)))?;
        }
        if let Some(algorithm) = &self.algorithm {
            map.serialize_entry("algorithm", algorithm)?;
        }
        map.end()
    }
}

fn operation(operation: &TracedOperation) -> Value {
    let TracedOperation { operation, bytes, group, span, .. } = operation;
    let [begin, end] = [0, 1].map(|place| span.map(|span| span[place]));
    json!({"operation": operation, "bytes": bytes, "group": group, "begin": begin, "end": end})
}

impl Serialize for Matrix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = || {
            let entries = self.entries().filter(|entry| entry.amount != Ratio::ZERO);
            entries.map(|entry| (entry.source, entry.destination, number(entry.amount), entry.messages))
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("unit", self.unit)?;
        map.serialize_entry("entries", &Listed(entries))?;
        if let Some(labels) = &self.labels {
            map.serialize_entry("labels", labels)?;
        }
        if let Some(ranks) = &self.ranks {
            map.serialize_entry("ranks", ranks)?;
        }
        map.end()
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("nodes", &self.nodes)?;
        map.serialize_entry("hosts", &self.hosts.map(|count| &self.nodes[..count]))?;
        map.serialize_entry("links", &Listed(|| self.links.iter().map(|link| link_of(self, link))))?;
        if !self.paths.is_empty() {
            map.serialize_entry("paths", &self.paths)?;
        }
        map.end()
    }
}

fn link_of(network: &Network, link: &Link) -> Value {
    let mut value = Map::new();
    value.insert("ends".into(), json!(link.ends.map(|end| &network.nodes[end])));
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
    value.into()
}
