//! The metrics themselves: extremes of counts, distances, dilations, congestion and load.

use std::collections::BTreeMap;

/// All metrics of a placement of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementMetrics {
    /// The distances between neighbours, for each guest dimension.
    pub distances: Vec<DimensionDistances>,
    /// The dilations of all guest edges.
    pub dilation: Dilation,
    /// Over all nodes: the guest edges whose route passes the node and does not end there.
    pub node_load: Extremes,
    /// Over all links: the guest edges whose route uses the link.
    pub link_congestion: Extremes,
    /// Over all nodes: the guest edges whose route touches the node, ends included.
    pub node_congestion: Extremes,
    /// Over all nodes: the processes on the node.
    pub load: Extremes,
}

/// The distances between the images of neighbours in one guest dimension; each edge counts once \[links\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DimensionDistances {
    /// The least, the greatest, the sum and the number of edges.
    pub over_edges: Extremes,
}

/// The number of guest edges of each dilation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dilation {
    /// The number of edges of each dilation that occurs.
    pub spectrum: BTreeMap<u64, u64>,
}

/// The congestion of nodes and links by the routes of a guest's edges, and the load of nodes by its processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Congestion {
    /// Over all nodes: the guest edges whose route passes the node and does not end there.
    pub node_load: Extremes,
    /// Over all links: the guest edges whose route uses the link.
    pub link_congestion: Extremes,
    /// Over all nodes: the guest edges whose route touches the node, ends included.
    pub node_congestion: Extremes,
    /// Over all nodes: the processes on the node.
    pub load: Extremes,
}

/// The least and greatest of some counts, with their sum and number for the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extremes {
    /// The least, 0 over nothing.
    pub min: u64,
    /// The greatest, 0 over nothing.
    pub max: u64,
    /// The sum.
    pub sum: u64,
    /// The number of values.
    pub count: u64,
}

impl PlacementMetrics {
    /// Whether all distances are constant: for every guest dimension, the same for every process.
    #[must_use]
    pub fn constant_distances(&self) -> bool {
        self.distances.iter().all(|distances| distances.over_edges.min == distances.over_edges.max)
    }
}

impl Dilation {
    /// The largest dilation, 0 without edges.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.spectrum.last_key_value().map_or(0, |(&dilation, _)| dilation)
    }

    /// The sum of all dilations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.spectrum.iter().map(|(dilation, edges)| dilation * edges).sum()
    }

    /// The number of edges.
    #[must_use]
    pub fn edges(&self) -> u64 {
        self.spectrum.values().sum()
    }
}

impl Extremes {
    /// The extremes of no values.
    pub const NONE: Self = Self { min: 0, max: 0, sum: 0, count: 0 };

    /// Returns the extremes of some values.
    #[must_use]
    pub fn of(values: impl IntoIterator<Item = u64>) -> Self {
        values.into_iter().fold(Self::NONE, |extremes, value| {
            extremes.and(Self { min: value, max: value, sum: value, count: 1 })
        })
    }

    /// The extremes of the values of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self.count, other.count) {
            (0, _) => other,
            (_, 0) => self,
            _ => Self {
                min: self.min.min(other.min),
                max: self.max.max(other.max),
                sum: self.sum + other.sum,
                count: self.count + other.count,
            },
        }
    }

    /// The extremes of each value repeated `times` times.
    #[must_use]
    pub fn repeated(self, times: u64) -> Self {
        Self { sum: self.sum * times, count: self.count * times, ..self }
    }
}
