//! Metrics of a placement in records, and their columns.

use std::collections::BTreeMap;

use cubefold_derive::Columns;
use cubefold_mapping::{DilationBound, DimensionDistances, Extremes, GraphBounds, PlacementMetrics};
use cubefold_scenario::{CountedPaths, Run};
use serde::{Deserialize, Serialize};

use super::{
    MachineRecord, ProgramRecord, Word,
    column::{Cell, Record, Row},
    construction_record::{CONSTRUCTION, ConstructionRecord},
    shared_columns::{EMBEDDING, NODES, PROCESSES, RUN, SCENARIO, SWEEP},
};
use crate::{exact_mean, mean_of_means};

/// One entry of `measure`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(DILATION_BOUND, source = "docs/model.md, section 29.5")]
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
    /// Sentences on assumptions, omissions and rounding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A dilation that no placement of this guest with one process a node is below. Missing unless guest and
    /// machine are grids, and for placements with several processes on a node.
    #[column("least dilation, bound", aliases = ["dilation bound"], unit = "links")]
    #[serde(default)]
    pub dilation_bound: Option<u64>,
    /// The argument for the bound of dilation: edge, diameter, balls, pairs, parity, cycle, greenberg or line.
    #[column("least dilation, by")]
    #[serde(default)]
    pub dilation_bound_source: Option<Word>,
    /// Its metrics, with the distances of each guest dimension.
    pub placement: PlacementRecord,
}

/// Metrics of a placement of the whole guest graph (`docs/model.md` section 7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(PLACEMENT, prefix = "placement_", source = "CS838 1999; docs/model.md, section 7")]
pub struct PlacementRecord {
    /// Whether in each guest dimension all processes have their neighbour at one and the same distance. Then no
    /// process waits, unless messages contend for links.
    #[column(
        "constant distances",
        unit = "yes or no",
        formula = "D_i(n) is the same for all n, for each i",
        source = "González & Valero 1993, 2.2; docs/model.md, section 7"
    )]
    pub constant_distances: bool,
    /// The mean over the guest dimensions of the mean distance between neighbours.
    #[column(
        "average distance", aliases = ["D_a"], unit = "links", formula = "D_a = sum over i of mean D_i / d",
        source = "González & Valero 1993, 2.2; docs/model.md, section 7"
    )]
    pub average_distance: Option<f64>,
    /// Dilations of the guest edges \[links\].
    #[column(
        "dilation, largest", name = "placement_dilation_max", aliases = ["dilation"], unit = "links",
        kind = Natural,
        text = "The dilation of a guest edge is the distance between the nodes of its two ends; that of a \
        placement is the largest. An edge inside a node has dilation 0.",
        formula = "max over the guest edges of their dilation",
        source = "Tao 1988, 3.2.1; docs/model.md, section 7",
        value = |placement| placement.dilation.max.into()
    )]
    #[column(
        "dilation, mean", name = "placement_dilation_mean", unit = "links", kind = Decimal,
        text = "The mean dilation of the guest edges.", formula = "total dilation / number of guest edges",
        source = "González et al. 1995, 4.4; docs/model.md, section 7",
        value = |placement| placement.dilation.mean.into()
    )]
    #[column(
        "dilation, total", name = "placement_dilation_total", unit = "links", kind = Natural,
        text = "The sum of the dilations of all guest edges.",
        source = "González et al. 1995, 4.4; docs/model.md, section 7",
        value = |placement| placement.dilation.total.into()
    )]
    #[column(
        "spectrum",
        term,
        name = "placement_dilation_spectrum",
        unit = "guest edges",
        text = "The number of guest edges with each dilation. It is in JSON only.",
        source = "González et al. 1995, 4.2; docs/model.md, section 7"
    )]
    pub dilation: DilationRecord,
    /// Guest edges that pass a node.
    #[column(
        "node load, largest", name = "placement_node_load_max", aliases = ["node load"],
        unit = "guest edges", kind = Natural,
        text = "Node load is the number of guest edges whose route passes through a node without ending \
        there; here that of the node with the most. Every guest edge is routed once.",
        source = "González et al. 1995, 4.5; docs/model.md, section 7",
        value = |placement| placement.node_load.max.into()
    )]
    #[column(
        "node load, least", name = "placement_node_load_min", unit = "guest edges", kind = Natural,
        text = "The node load of the node with the least, also if nothing passes it.",
        source = "González et al. 1995, 4.5; docs/model.md, section 7",
        value = |placement| placement.node_load.min.into()
    )]
    #[column(
        "node load, mean", name = "placement_node_load_mean", unit = "guest edges", kind = Decimal,
        text = "The mean node load over all nodes.",
        source = "González et al. 1995, 4.6; docs/model.md, section 7",
        value = |placement| placement.node_load.mean.into()
    )]
    pub node_load: NodeLoadRecord,
    /// Guest edges per link.
    #[column(
        "link congestion, largest", name = "placement_link_congestion_max",
        aliases = ["link congestion", "congestion"], unit = "guest edges", kind = Natural,
        text = "Link congestion is the number of guest edges whose route uses a link; here that of the link \
        with the most. It is a hint at contention and no measure of it: not all edges are used at one time.",
        value = |placement| placement.link_congestion.max.into()
    )]
    #[column(
        "link congestion, mean", name = "placement_link_congestion_mean", unit = "guest edges",
        kind = Decimal, text = "The mean link congestion over all links.",
        formula = "total dilation / number of links",
        value = |placement| placement.link_congestion.mean.into()
    )]
    pub link_congestion: CongestionRecord,
    /// Guest edges that touch a node.
    #[column(
        "node congestion, largest", name = "placement_node_congestion_max", aliases = ["node congestion"],
        unit = "guest edges", kind = Natural,
        text = "Node congestion is the number of guest edges whose route touches a node, the ends included; \
        here that of the node with the most.",
        value = |placement| placement.node_congestion.max.into()
    )]
    #[column(
        "node congestion, mean", name = "placement_node_congestion_mean", unit = "guest edges",
        kind = Decimal, text = "The mean node congestion over all nodes.",
        value = |placement| placement.node_congestion.mean.into()
    )]
    pub node_congestion: CongestionRecord,
    /// Processes per node.
    #[column(
        "load, largest", name = "placement_load_max",
        aliases = ["load of a node", "processes on a node", "L"], unit = "processes", kind = Natural,
        text = "Load is the number of processes on a node; here that of the fullest node.", formula = "L",
        value = |placement| placement.load.max.into()
    )]
    #[column(
        "load, least", name = "placement_load_min", unit = "processes", kind = Natural,
        text = "The number of processes on the emptiest node.",
        value = |placement| placement.load.min.into()
    )]
    pub load: LoadRecord,
    /// The number of nodes per process; below 1 if processes share nodes.
    #[column("expansion", unit = "ratio", formula = "nodes / processes")]
    pub expansion: Option<f64>,
    /// The unevenness of the load: 1 if all nodes have the same number of processes. Not defined if a node is
    /// empty.
    #[column(
        "node evenness", aliases = ["evenness"], unit = "ratio", formula = "largest load / least load",
        source = "Tao 1988, 5.2; docs/model.md, section 7"
    )]
    pub node_evenness: Option<f64>,
    /// The links that the units of all messages cross, in total. The columns that are weighed by sizes are there
    /// only in measure, and only if messages have more than one unit.
    #[column(
        "hop units", aliases = ["hop_units"], unit = "units times links",
        formula = "sum over the messages of L * distance", source = "docs/model.md, section 23"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop_units: Option<u128>,
    /// The mean distance of a unit: every message counts as often as it has units.
    #[column(
        "weighted distance, mean", aliases = ["weighted mean distance"], unit = "links",
        formula = "hop units / units of all messages", source = "docs/model.md, section 23"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weighted_distance: Option<f64>,
    /// Units of all messages that cross a link, in both directions together.
    #[column(
        "link units, largest", name = "placement_link_units_max", aliases = ["link units", "weighted load"],
        unit = "units", kind = Natural,
        text = "The units of all messages that cross a link, both directions together; here of the link \
        with the most.",
        source = "docs/model.md, section 23",
        value = |placement| Cell::optional(placement.link_units.as_ref().map(|link_units| link_units.max))
    )]
    #[column(
        "link units, mean", name = "placement_link_units_mean", unit = "units", kind = Decimal,
        text = "The mean over all links of the units that cross them.",
        formula = "hop units / number of links", source = "docs/model.md, section 23",
        value = |placement| Cell::optional(placement.link_units.as_ref().and_then(|link_units| link_units.mean))
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_units: Option<CongestionRecord>,
    /// The units on the busiest channel, which is one direction of a link.
    #[column("channel units, largest", unit = "units", source = "docs/model.md, section 23")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_units_max: Option<u64>,
    /// The paths of the guest edges over which node load and the congestion of links and nodes are counted: those
    /// of the embedding's construction, or the machine's routes if it gives none. The column is there only if the
    /// routing is embedding.
    #[column(
        "counted paths", list = PATHS, aliases = ["paths"],
        source = "CS838 1999, basic definitions; docs/model.md, section 28.1"
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Word>,
    /// The number of links between neighbours in a guest dimension: the least, the greatest and the mean over all
    /// processes. It is the length of a shortest route, and 0 between processes of one node.
    #[column(
        "distance, dimension", term,
        aliases = ["distance", "distances", "stages_distance_min", "stages_distance_max", "stages_distance_mean", "D_i"],
        unit = "links", formula = "D_i(n) = distance between the nodes of n and of its neighbour N_i(n)",
        source = "González & Valero 1993, 2.2; docs/model.md, sections 3 and 7"
    )]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Columns)]
#[columns(
    BOUNDS,
    prefix = "placement_bounds_",
    source = "CS838 1999, lower bounds; docs/model.md, section 28.6"
)]
pub struct BoundsRecord {
    /// A lower bound on the largest load of any placement of the guest on the machine.
    #[column("load, at least", unit = "processes", formula = "max(1, ceil(V(G) / V(H)))")]
    pub load: u64,
    /// A lower bound on the dilation of any placement one to one on all nodes. Missing for other placements, and
    /// where a network is too large to find its diameter.
    #[column("dilation, at least", unit = "links", formula = "ceil(diam H / diam G)")]
    pub dilation: Option<u64>,
    /// A lower bound on the largest link congestion, whatever routes of the same mean length the guest edges take:
    /// the mean link congestion, rounded up.
    #[column(
        "link congestion, at least",
        unit = "guest edges",
        formula = "ceil(k E(G) / E(H)), k the mean dilation"
    )]
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
        let dimension =
            |distances: &DimensionDistances| (distances.over_edges.sum, distances.over_edges.count);
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
    #[must_use]
    pub fn counting(self, paths: Option<CountedPaths<'_>>) -> Self {
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

/// The bound on the dilation of a run's guest over all placements with one process a node; `None` if its placement has
/// several on a node.
#[must_use]
pub fn dilation_bound(run: &Run, metrics: &PlacementMetrics) -> Option<DilationBound> {
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
        row.section(PATHS, record);
        row.section(PLACEMENT, record);
        row.section(BOUNDS, record.and_then(|placement| placement.bounds.as_ref()));
        row.section(CONSTRUCTION, record.and_then(|placement| placement.construction.as_ref()));
    }
}
