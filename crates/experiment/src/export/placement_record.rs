//! The metrics of a placement, as records hold them.

use std::collections::BTreeMap;

use cubefold_mapping::{
    ClassicPlacement, Construction, DimensionDistances, Exactness, Extremes, GreenbergMethod,
    GreenbergPlacement, Placement, PlacementMetrics,
};
use serde::{Deserialize, Serialize};

use super::{MachineRecord, ProgramRecord, Word};
use crate::{exact_mean, mean_of_means};

/// One entry of `measure`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacementEntry {
    /// The scenario's name.
    pub scenario: String,
    /// The machine.
    pub machine: MachineRecord,
    /// The program, whose guest was placed.
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
    /// Guest edges that use a link.
    pub link_congestion: CongestionRecord,
    /// Guest edges that touch a node.
    pub node_congestion: CongestionRecord,
    /// Processes on a node.
    pub load: LoadRecord,
    /// Nodes over processes.
    pub expansion: Option<f64>,
    /// Greatest load over least load; none when a node is empty.
    pub node_evenness: Option<f64>,
    /// The distances of each guest dimension; only in `measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distances: Option<Vec<DistancesRecord>>,
    /// The construction of Tao's, Greenberg's or the notes' that made it; only in `measure`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub construction: Option<ConstructionRecord>,
}

/// A construction of Tao's, of Greenberg's or of the notes CS838, and what it promises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstructionRecord {
    /// Its name, as a scenario asks for it behind `tao:` or `cs838:`, or Greenberg's method.
    pub name: Word,
    /// The statement that it rests on; of the notes, the heading.
    pub theorem: Word,
    /// The function in the dissertation's letters; of the notes, the guest and the host that it is for; of Greenberg's the
    /// meshes with the intermediate ones.
    pub formula: String,
    /// The dilation that is promised \[links\].
    pub promised_dilation: u64,
    /// Whether the dilation is at most that, or equal.
    pub promised_dilation_is: Word,
    /// The routing vector; only of Tao's.
    pub routing_vector: Option<Vec<u32>>,
    /// The phase length of each of its subsets, in the order in which they are routed \[links\]; only of Tao's.
    pub phase_lengths: Option<Vec<Option<u64>>>,
    /// The parallel data movement steps that suffice for any permutation-type set, by link mode.
    pub promised_steps: PromisedStepsRecord,
}

/// Parallel data movement steps that a construction promises, by link mode; only of Tao's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromisedStepsRecord {
    /// Under mode 1.
    pub full_duplex: Option<u64>,
    /// Under mode 2.
    pub half_duplex: Option<u64>,
    /// Under mode 3.
    pub single_direction: Option<u64>,
}

impl PromisedStepsRecord {
    /// Of constructions that promise none.
    const NONE: Self = Self { full_duplex: None, half_duplex: None, single_direction: None };
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
    /// How many edges have each dilation.
    pub spectrum: BTreeMap<u64, u64>,
}

/// Guest edges that pass each node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeLoadRecord {
    /// Of the node with the most.
    pub max: u64,
    /// Of the node with the fewest.
    pub min: u64,
    /// The mean over all nodes.
    pub mean: Option<f64>,
}

/// Guest edges at each link or node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CongestionRecord {
    /// The most.
    pub max: u64,
    /// The mean over all links or nodes.
    pub mean: Option<f64>,
}

/// Processes on each node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadRecord {
    /// On the fullest node.
    pub max: u64,
    /// On the emptiest node.
    pub min: u64,
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
    /// The record of the metrics, without the distances by dimension.
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
            distances: None,
            construction: None,
        }
    }

    /// The record with the distances of each guest dimension, and the construction where one made it.
    #[must_use]
    pub fn with_distances(metrics: &PlacementMetrics, placement: &Placement) -> Self {
        let distances = metrics.distances.iter().enumerate().map(DistancesRecord::new).collect();
        let construction = match placement {
            Placement::Construction(construction) => Some(ConstructionRecord::new(construction)),
            Placement::Classic(placement) => Some(ConstructionRecord::of_the_notes(placement)),
            Placement::Greenberg(placement) => Some(ConstructionRecord::greenberg(placement)),
            Placement::Product(_) | Placement::Table(_) => None,
        };
        Self { distances: Some(distances), construction, ..Self::new(metrics) }
    }
}

impl ConstructionRecord {
    fn new(construction: &Construction) -> Self {
        let (dilation, steps) = (construction.dilation(), construction.routing().steps());
        let phase_lengths = construction.routing().subsets().iter().map(|subset| subset.phase_length);
        Self {
            name: construction.kind().name().into(),
            theorem: construction.theorem().into(),
            formula: construction.formula().to_owned(),
            promised_dilation: dilation.links,
            promised_dilation_is: word(dilation.exactness),
            routing_vector: Some(construction.routing().vector().to_vec()),
            phase_lengths: Some(phase_lengths.collect()),
            promised_steps: PromisedStepsRecord {
                full_duplex: Some(steps.full_duplex),
                half_duplex: Some(steps.half_duplex),
                single_direction: Some(steps.single_direction),
            },
        }
    }

    fn greenberg(placement: &GreenbergPlacement) -> Self {
        let (theorem, promised_dilation_is) = match placement.method() {
            GreenbergMethod::Gray => ("theorem 1", "exact"),
            GreenbergMethod::Reflection if placement.parts().len() > 1 => ("section 6.2", "at most"),
            GreenbergMethod::Reflection => ("theorem 3", "at most"),
        };
        Self {
            name: placement.method().name().into(),
            theorem: theorem.into(),
            formula: placement.to_string(),
            promised_dilation: placement.promised_dilation().into(),
            promised_dilation_is: promised_dilation_is.into(),
            routing_vector: None,
            phase_lengths: None,
            promised_steps: PromisedStepsRecord::NONE,
        }
    }

    fn of_the_notes(placement: &ClassicPlacement) -> Self {
        let (construction, dilation) = (placement.construction(), placement.dilation());
        Self {
            name: construction.name.into(),
            theorem: construction.source.into(),
            formula: construction.summary.to_owned(),
            promised_dilation: dilation.links,
            promised_dilation_is: word(dilation.exactness),
            routing_vector: None,
            phase_lengths: None,
            promised_steps: PromisedStepsRecord::NONE,
        }
    }
}

fn word(exactness: Exactness) -> Word {
    match exactness {
        Exactness::Exact => "exact".into(),
        Exactness::AtMost => "at most".into(),
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
