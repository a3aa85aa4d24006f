//! Metrics of a placement in records, and their columns.

mod columns;

use std::collections::BTreeMap;

use cubefold_mapping::{DilationBound, DimensionDistances, Extremes, GraphBounds, PlacementMetrics};
use serde::{Deserialize, Serialize};

pub(crate) use self::columns::{BOUNDS, DILATION_BOUND, PLACEMENT};
use super::{
    MachineRecord, ProgramRecord, Word,
    column::{Column, Record, Row},
    construction_record::{CONSTRUCTION, ConstructionRecord},
    row_records::{NODES, PROCESSES, RUN},
    run_columns::SWEEP,
};
use crate::{
    records::{
        definition::{Definition, Kind},
        exact_mean, mean_of_means,
    },
    scenario::{CountedPaths, Run},
};

/// One entry of `measure`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacementEntry {
    /// Its index in the results, counted from 0 over all files.
    pub run: u64,
    /// The scenario's name.
    pub scenario: String,
    /// The keys that the sweep sets, with their values as written; `None` without a sweep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// The number of processes of the program.
    pub processes: u64,
    /// Number of nodes that the program can use.
    pub nodes: u64,
    /// The machine.
    pub machine: MachineRecord,
    /// The program, whose guest is placed.
    pub program: ProgramRecord,
    /// The embedding's name.
    pub embedding: String,
    /// Sentences on what is assumed, left out or rounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A dilation that no placement of this guest with one process a node is below \[links\]; `None` unless guest and
    /// machine are grids and no node has several processes.
    #[serde(default)]
    pub dilation_bound: Option<u64>,
    /// The argument for it.
    #[serde(default)]
    pub dilation_bound_source: Option<Word>,
    /// Its metrics, with the distances of each guest dimension.
    pub placement: PlacementRecord,
}

/// Metrics of a placement of the whole guest graph (`docs/model.md` section 7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacementRecord {
    /// Whether every guest dimension has the same distance for every process.
    pub constant_distances: bool,
    /// `D_a`: the mean over the guest dimensions of their mean distances \[links\].
    pub average_distance: Option<f64>,
    /// Dilations of the guest edges \[links\].
    pub dilation: DilationRecord,
    /// Guest edges that pass a node.
    pub node_load: NodeLoadRecord,
    /// Guest edges per link.
    pub link_congestion: CongestionRecord,
    /// Guest edges that touch a node.
    pub node_congestion: CongestionRecord,
    /// Processes per node.
    pub load: LoadRecord,
    /// Number of nodes over number of processes.
    pub expansion: Option<f64>,
    /// Greatest load over least load; `None` if a node is empty.
    pub node_evenness: Option<f64>,
    /// Links crossed by the units of all messages, in total; only in `measure`, like all that is weighed by sizes, if
    /// messages have more than one unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop_units: Option<u128>,
    /// The mean distance of a unit \[links\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_distance: Option<f64>,
    /// Units of all messages that cross a link, in both directions together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_units: Option<CongestionRecord>,
    /// Units on the busiest channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_units_max: Option<u64>,
    /// The paths over which load and congestion are counted: `embedding` for those of the construction, `machine` for
    /// the machine's routes; only if the routing is `embedding`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Word>,
    /// The distances of each guest dimension; only in `measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distances: Option<Vec<DistancesRecord>>,
    /// Lower bounds that follow from guest and machine; only in `measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<BoundsRecord>,
    /// The construction of Tao, Greenberg or CS838 that made it; only in `measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub construction: Option<ConstructionRecord>,
}

/// Distances and loads of a placement, weighed by the sizes of all messages of all stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightedMetrics {
    /// Units of all messages, also inside nodes.
    pub units: u128,
    /// Links that they cross, in total.
    pub hop_units: u128,
    /// The number of links of the machine.
    pub links: u64,
    /// Units on the busiest link, both directions together.
    pub link_max: u64,
    /// Units on the busiest channel.
    pub channel_max: u64,
}

/// Dilations of all guest edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DilationRecord {
    /// The largest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
    /// The sum.
    pub total: u64,
    /// Number of edges with each dilation.
    pub spectrum: BTreeMap<u64, u64>,
}

/// Guest edges that pass each node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeLoadRecord {
    /// The largest.
    pub max: u64,
    /// The smallest.
    pub min: u64,
    /// The mean over all nodes.
    pub mean: Option<f64>,
}

/// Guest edges per link or node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CongestionRecord {
    /// The largest.
    pub max: u64,
    /// The mean over all links or nodes.
    pub mean: Option<f64>,
}

/// Processes on each node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadRecord {
    /// The largest.
    pub max: u64,
    /// The smallest.
    pub min: u64,
}

/// Lower bounds on load, dilation and congestion (CS838 1999; `docs/model.md` section 28.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundsRecord {
    /// On the largest load \[processes\].
    pub load: u64,
    /// On the dilation \[links\], of a placement one to one on all nodes.
    pub dilation: Option<u64>,
    /// On the largest link congestion \[guest edges\], given the mean dilation.
    pub congestion: u64,
}

/// Distances between neighbours in one guest dimension \[links\].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DistancesRecord {
    /// The dimension, counted from 0.
    pub dimension: usize,
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: Option<f64>,
}

impl PlacementRecord {
    /// Makes the record without the distances by dimension.
    #[must_use]
    pub fn new(metrics: &PlacementMetrics) -> Self {
        let dilation = &metrics.dilation;
        let (nodes, processes) = (metrics.load.count, metrics.load.sum);
        let dimension = |own: &DimensionDistances| (own.over_edges.sum, own.over_edges.count);
        let dimensions: Vec<(u64, u64)> = metrics.distances.iter().map(dimension).collect();
        let mean_dilation = exact_mean(dilation.total().into(), dilation.edges().into());
        Self {
            constant_distances: metrics.constant_distances(),
            average_distance: mean_of_means(&dimensions),
            dilation: DilationRecord {
                max: dilation.max(),
                mean: mean_dilation,
                total: dilation.total(),
                spectrum: dilation.spectrum.clone(),
            },
            node_load: NodeLoadRecord {
                max: metrics.node_load.max,
                min: metrics.node_load.min,
                mean: mean(metrics.node_load),
            },
            link_congestion: congestion(metrics.link_congestion),
            node_congestion: congestion(metrics.node_congestion),
            load: LoadRecord { max: metrics.load.max, min: metrics.load.min },
            expansion: exact_mean(nodes.into(), processes.into()),
            node_evenness: exact_mean(metrics.load.max.into(), metrics.load.min.into()),
            hop_units: None,
            weighted_distance: None,
            link_units: None,
            channel_units_max: None,
            paths: None,
            distances: None,
            bounds: None,
            construction: None,
        }
    }

    /// Adds the distances and loads that are weighed by the sizes of messages, if there are any.
    #[must_use]
    pub fn weighted(self, weighted: Option<WeightedMetrics>) -> Self {
        let Some(WeightedMetrics { units, hop_units, links, link_max, channel_max }) = weighted else {
            return self;
        };
        Self {
            hop_units: Some(hop_units),
            weighted_distance: exact_mean(hop_units, units),
            link_units: Some(CongestionRecord { max: link_max, mean: exact_mean(hop_units, links.into()) }),
            channel_units_max: Some(channel_max),
            ..self
        }
    }

    /// The same with the paths over which load and congestion are counted.
    pub(crate) fn counting(self, paths: Option<CountedPaths<'_>>) -> Self {
        Self { paths: paths.map(|paths| paths.name().into()), ..self }
    }

    /// Makes the record of the placement of a run with the distances of each guest dimension, the lower bounds, and the
    /// construction if one was used.
    #[must_use]
    pub fn with_distances(metrics: &PlacementMetrics, run: &Run) -> Self {
        let distances = metrics.distances.iter().enumerate().map(DistancesRecord::new).collect();
        let GraphBounds { load, dilation, congestion } =
            GraphBounds::new(&run.program.guest().shape(), &run.machine, metrics);
        Self {
            distances: Some(distances),
            bounds: Some(BoundsRecord { load, dilation, congestion }),
            construction: ConstructionRecord::new(&run.placement),
            ..Self::new(metrics)
        }
    }
}

/// The bound of the dilation of the guest of a run over all placements with one process a node; `None` if its placement has
/// several on a node.
pub(crate) fn dilation_bound(run: &Run, metrics: &PlacementMetrics) -> Option<DilationBound> {
    let is_single = metrics.load.max <= 1;
    is_single.then(|| DilationBound::new(&run.program.guest().shape(), &run.machine)).flatten()
}

impl DistancesRecord {
    fn new((dimension, distances): (usize, &DimensionDistances)) -> Self {
        let over_edges = distances.over_edges;
        Self { dimension, min: over_edges.min, max: over_edges.max, mean: mean(over_edges) }
    }
}

fn congestion(extremes: Extremes) -> CongestionRecord {
    CongestionRecord { max: extremes.max, mean: mean(extremes) }
}

pub(super) fn mean(extremes: Extremes) -> Option<f64> {
    exact_mean(extremes.sum.into(), extremes.count.into())
}

impl Record for PlacementEntry {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(RUN, record.map(|entry| &entry.run));
        row.section(SCENARIO, record.map(|entry| entry.scenario.as_str()));
        row.section(SWEEP, record.and_then(|entry| entry.sweep.as_deref()));
        row.section(PROCESSES, record.map(|entry| &entry.processes));
        row.section(NODES, record.map(|entry| &entry.nodes));
        row.part(record.map(|entry| &entry.machine));
        row.part(record.map(|entry| &entry.program));
        row.section(EMBEDDING, record.map(|entry| entry.embedding.as_str()));
        row.section(DILATION_BOUND, record);
        row.part(record.map(|entry| &entry.placement));
    }
}

impl Record for PlacementRecord {
    fn fill<'record>(record: Option<&'record Self>, row: &mut Row<'record>) {
        row.section(PLACEMENT, record);
        row.section(BOUNDS, record.and_then(|placement| placement.bounds.as_ref()));
        row.section(CONSTRUCTION, record.and_then(|placement| placement.construction.as_ref()));
    }
}

/// Column of the scenario's name.
pub(crate) static SCENARIO: &[Column<str>] = &[Column {
    definition: Definition {
        name: "scenario",
        title: "scenario",
        aliases: &["name"],
        kind: Kind::Text,
        text: "The name of the scenario, or the stem of its file if it has none.",
        source: "docs/scenarios.md, top-level keys",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];

/// Column of the embedding's name.
pub(crate) static EMBEDDING: &[Column<str>] = &[Column {
    definition: Definition {
        name: "embedding",
        title: "embedding",
        aliases: &["placement"],
        kind: Kind::Text,
        text: "Which process sits on which node, as the scenario names it.",
        source: "docs/embeddings.md; docs/model.md, section 3",
        ..Definition::BLANK
    },
    value: |name| name.into(),
}];
