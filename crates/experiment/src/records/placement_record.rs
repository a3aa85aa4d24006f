//! Metrics of a placement in records, and their columns.

use std::collections::BTreeMap;

use cubefold_mapping::{DimensionDistances, Extremes, GraphBounds, PlacementMetrics};
use serde::{Deserialize, Serialize};

use super::{
    MachineRecord, ProgramRecord, Word,
    column::{Cell, Column, Record, Row, no_cell},
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

/// Columns of the lower bounds.
pub(crate) static BOUNDS: &[Column<BoundsRecord>] = &[
    Column {
        definition: Definition {
            name: "placement_bounds_load",
            title: "load, at least",
            kind: Kind::Natural,
            unit: "processes",
            text: "A lower bound on the largest load of any placement of the guest on the machine.",
            formula: "max(1, ceil(V(G) / V(H)))",
            source: "CS838 1999, lower bounds; docs/model.md, section 28.6",
            ..Definition::BLANK
        },
        value: |bounds| bounds.load.into(),
    },
    Column {
        definition: Definition {
            name: "placement_bounds_dilation",
            title: "dilation, at least",
            kind: Kind::Natural,
            unit: "links",
            text: "A lower bound on the dilation of any placement one to one on all nodes. Missing for other \
                   placements, and where a network is too large to find its diameter.",
            formula: "ceil(diam H / diam G)",
            source: "CS838 1999, lower bounds; docs/model.md, section 28.6",
            ..Definition::BLANK
        },
        value: |bounds| bounds.dilation.into(),
    },
    Column {
        definition: Definition {
            name: "placement_bounds_congestion",
            title: "link congestion, at least",
            kind: Kind::Natural,
            unit: "guest edges",
            text: "A lower bound on the largest link congestion, whatever routes of the same mean length the \
                   guest edges take: the mean link congestion, rounded up.",
            formula: "ceil(k E(G) / E(H)), k the mean dilation",
            source: "CS838 1999, lower bounds; docs/model.md, section 28.6",
            ..Definition::BLANK
        },
        value: |bounds| bounds.congestion.into(),
    },
];

/// Columns of the metrics.
pub(crate) static PLACEMENT: &[Column<PlacementRecord>] = &[
    Column {
        definition: Definition {
            name: "placement_paths",
            title: "counted paths",
            aliases: &["paths"],
            kind: Kind::Text,
            text: "The paths of the guest edges over which node load and the congestion of links and nodes are \
                   counted: those of the embedding's construction, or the machine's routes if it gives none. \
                   The column is there only if the routing is embedding.",
            source: "CS838 1999, basic definitions; docs/model.md, section 28.1",
            ..Definition::BLANK
        },
        value: |placement| Cell::optional(placement.paths.as_ref()),
    },
    Column {
        definition: Definition {
            name: "placement_constant_distances",
            title: "constant distances",
            kind: Kind::Truth,
            unit: "yes or no",
            text: "Whether in each guest dimension all processes have their neighbour at one and \
                  the same distance. Then no process waits, unless messages contend for links.",
            formula: "D_i(n) is the same for all n, for each i",
            source: "González & Valero 1993, 2.2; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.constant_distances.into(),
    },
    Column {
        definition: Definition {
            name: "placement_average_distance",
            title: "average distance",
            aliases: &["D_a"],
            kind: Kind::Decimal,
            unit: "links",
            text: "The mean over the guest dimensions of the mean distance between neighbours.",
            formula: "D_a = sum over i of mean D_i / d",
            source: "González & Valero 1993, 2.2; docs/model.md, section 7",
        },
        value: |placement| placement.average_distance.into(),
    },
    Column {
        definition: Definition {
            name: "placement_dilation_max",
            title: "dilation, largest",
            aliases: &["dilation"],
            kind: Kind::Natural,
            unit: "links",
            text: "The dilation of a guest edge is the distance between the nodes of its two ends; \
                  that of a placement is the largest. An edge inside a node has dilation 0.",
            formula: "max over the guest edges of their dilation",
            source: "Tao 1988, 3.2.1; docs/model.md, section 7",
        },
        value: |placement| placement.dilation.max.into(),
    },
    Column {
        definition: Definition {
            name: "placement_dilation_mean",
            title: "dilation, mean",
            kind: Kind::Decimal,
            unit: "links",
            text: "The mean dilation of the guest edges.",
            formula: "total dilation / number of guest edges",
            source: "González et al. 1995, 4.4; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.dilation.mean.into(),
    },
    Column {
        definition: Definition {
            name: "placement_dilation_total",
            title: "dilation, total",
            kind: Kind::Natural,
            unit: "links",
            text: "The sum of the dilations of all guest edges.",
            source: "González et al. 1995, 4.4; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.dilation.total.into(),
    },
    Column {
        definition: Definition {
            name: "placement_dilation_spectrum",
            title: "spectrum",
            kind: Kind::Term,
            unit: "guest edges",
            text: "The number of guest edges with each dilation. It is in JSON only.",
            source: "González et al. 1995, 4.2; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: no_cell,
    },
    Column {
        definition: Definition {
            name: "placement_node_load_max",
            title: "node load, largest",
            aliases: &["node load"],
            kind: Kind::Natural,
            unit: "guest edges",
            text: "Node load is the number of guest edges whose route passes through a node \
                  without ending there; here that of the node with the most. Every guest edge is \
                  routed once.",
            source: "González et al. 1995, 4.5; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.node_load.max.into(),
    },
    Column {
        definition: Definition {
            name: "placement_node_load_min",
            title: "node load, least",
            kind: Kind::Natural,
            unit: "guest edges",
            text: "The node load of the node with the least, also if nothing passes it.",
            source: "González et al. 1995, 4.5; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.node_load.min.into(),
    },
    Column {
        definition: Definition {
            name: "placement_node_load_mean",
            title: "node load, mean",
            kind: Kind::Decimal,
            unit: "guest edges",
            text: "The mean node load over all nodes.",
            source: "González et al. 1995, 4.6; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.node_load.mean.into(),
    },
    Column {
        definition: Definition {
            name: "placement_link_congestion_max",
            title: "link congestion, largest",
            aliases: &["link congestion", "congestion"],
            kind: Kind::Natural,
            unit: "guest edges",
            text: "Link congestion is the number of guest edges whose route uses a link; here that \
                  of the link with the most. It is a hint at contention and no measure of it: not \
                  all edges are used at one time.",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.link_congestion.max.into(),
    },
    Column {
        definition: Definition {
            name: "placement_link_congestion_mean",
            title: "link congestion, mean",
            kind: Kind::Decimal,
            unit: "guest edges",
            text: "The mean link congestion over all links.",
            formula: "total dilation / number of links",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.link_congestion.mean.into(),
    },
    Column {
        definition: Definition {
            name: "placement_node_congestion_max",
            title: "node congestion, largest",
            aliases: &["node congestion"],
            kind: Kind::Natural,
            unit: "guest edges",
            text: "Node congestion is the number of guest edges whose route touches a node, the \
                  ends included; here that of the node with the most.",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.node_congestion.max.into(),
    },
    Column {
        definition: Definition {
            name: "placement_node_congestion_mean",
            title: "node congestion, mean",
            kind: Kind::Decimal,
            unit: "guest edges",
            text: "The mean node congestion over all nodes.",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.node_congestion.mean.into(),
    },
    Column {
        definition: Definition {
            name: "placement_load_max",
            title: "load, largest",
            aliases: &["load", "processes on a node", "L"],
            kind: Kind::Natural,
            unit: "processes",
            text: "Load is the number of processes on a node; here that of the fullest node.",
            formula: "L",
            source: "CS838 1999; docs/model.md, section 7",
        },
        value: |placement| placement.load.max.into(),
    },
    Column {
        definition: Definition {
            name: "placement_load_min",
            title: "load, least",
            kind: Kind::Natural,
            unit: "processes",
            text: "The number of processes on the emptiest node.",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.load.min.into(),
    },
    Column {
        definition: Definition {
            name: "placement_expansion",
            title: "expansion",
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The number of nodes per process; below 1 if processes share nodes.",
            formula: "nodes / processes",
            source: "CS838 1999; docs/model.md, section 7",
            ..Definition::BLANK
        },
        value: |placement| placement.expansion.into(),
    },
    Column {
        definition: Definition {
            name: "placement_node_evenness",
            title: "node evenness",
            aliases: &["evenness"],
            kind: Kind::Decimal,
            unit: "ratio",
            text: "The unevenness of the load: 1 if all nodes have the same number of processes. Not \
                   defined if a node is empty.",
            formula: "largest load / least load",
            source: "Tao 1988, 5.2; docs/model.md, section 7",
        },
        value: |placement| placement.node_evenness.into(),
    },
    Column {
        definition: Definition {
            name: "placement_hop_units",
            title: "hop units",
            aliases: &["hop_units"],
            kind: Kind::Sum,
            unit: "units times links",
            text: "The links that the units of all messages cross, in total. The columns that are weighed by \
                   sizes are there only in measure, and only if messages have more than one unit.",
            formula: "sum over the messages of L * distance",
            source: "docs/model.md, section 23",
        },
        value: |placement| Cell::optional(placement.hop_units),
    },
    Column {
        definition: Definition {
            name: "placement_weighted_distance",
            title: "weighted distance, mean",
            aliases: &["weighted mean distance"],
            kind: Kind::Decimal,
            unit: "links",
            text: "The mean distance of a unit: every message counts as often as it has units.",
            formula: "hop units / units of all messages",
            source: "docs/model.md, section 23",
        },
        value: |placement| Cell::optional(placement.weighted_distance),
    },
    Column {
        definition: Definition {
            name: "placement_link_units_max",
            title: "link units, largest",
            aliases: &["link units", "weighted load"],
            kind: Kind::Natural,
            unit: "units",
            text: "The units of all messages that cross a link, both directions together; here of the \
                   link with the most.",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |placement| Cell::optional(placement.link_units.as_ref().map(|own| own.max)),
    },
    Column {
        definition: Definition {
            name: "placement_link_units_mean",
            title: "link units, mean",
            kind: Kind::Decimal,
            unit: "units",
            text: "The mean over all links of the units that cross them.",
            formula: "hop units / number of links",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |placement| Cell::optional(placement.link_units.as_ref().and_then(|own| own.mean)),
    },
    Column {
        definition: Definition {
            name: "placement_channel_units_max",
            title: "channel units, largest",
            kind: Kind::Natural,
            unit: "units",
            text: "The units on the busiest channel, which is one direction of a link.",
            source: "docs/model.md, section 23",
            ..Definition::BLANK
        },
        value: |placement| Cell::optional(placement.channel_units_max),
    },
    Column {
        definition: Definition {
            name: "placement_distances",
            title: "distance, dimension",
            aliases: &[
                "distance",
                "distances",
                "stages_distance_min",
                "stages_distance_max",
                "stages_distance_mean",
                "D_i",
            ],
            kind: Kind::Term,
            unit: "links",
            text: "The number of links between neighbours in a guest dimension: the least, the \
                  greatest and the mean over all processes. It is the length of a shortest route, \
                  and 0 between processes of one node.",
            formula: "D_i(n) = distance between the nodes of n and of its neighbour N_i(n)",
            source: "González & Valero 1993, 2.2; docs/model.md, sections 3 and 7",
        },
        value: no_cell,
    },
];
