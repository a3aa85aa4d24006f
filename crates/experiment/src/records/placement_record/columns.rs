//! Columns of the metrics of a placement and of their lower bounds.

use super::{BoundsRecord, PlacementEntry, PlacementRecord};
use crate::records::{
    column::{Cell, Column, no_cell},
    definition::{Definition, Kind},
};

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

/// Columns of the bound of dilation over all placements.
pub(crate) static DILATION_BOUND: &[Column<PlacementEntry>] = &[
    Column {
        definition: Definition {
            name: "dilation_bound",
            title: "least dilation, bound",
            aliases: &["dilation bound"],
            kind: Kind::Natural,
            unit: "links",
            text: "A dilation that no placement of this guest with one process a node is below. Missing unless guest and \
                   machine are grids, and for placements with several processes on a node.",
            source: "docs/model.md, section 29.5",
            ..Definition::BLANK
        },
        value: |entry| entry.dilation_bound.into(),
    },
    Column {
        definition: Definition {
            name: "dilation_bound_source",
            title: "least dilation, by",
            kind: Kind::Text,
            text: "The argument for the bound of dilation: edge, diameter, balls, pairs, parity, cycle, greenberg or line.",
            source: "docs/model.md, section 29.5",
            ..Definition::BLANK
        },
        value: |entry| entry.dilation_bound_source.as_ref().into(),
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
            aliases: &["load of a node", "processes on a node", "L"],
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
