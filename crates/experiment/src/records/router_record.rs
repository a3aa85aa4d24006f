//! Routers with finite buffers in the results, and their columns (`docs/model.md` section 26).

use cubefold_simulator::{AdaptiveChoice, RouterRouting, RouterSettings, TableChoice};
use serde::{Deserialize, Serialize};

use super::{Word, column::Column};
use crate::records::definition::{Definition, Kind};

/// The routers of a machine, as a scenario describes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouterRecord {
    /// The virtual channels of an input, `V`.
    pub virtual_channels: u32,
    /// The units of the buffer of a channel, `B`.
    pub buffer_units: u32,
    /// The cycles of a head in a router, `R`.
    pub cycles: u32,
    /// The cycles of a credit in a router, `c`.
    pub credit_cycles: u32,
    /// The latency of links to terminals, `m`.
    pub terminal_latency_cycles: u32,
    /// The latency of the links between groups of a dragonfly, if it is one of its own.
    #[serde(default)]
    pub global_latency_cycles: Option<u64>,
    /// The steps of a router in a cycle, `s`.
    pub speedup: f64,
    /// `all` or `class`.
    pub ejection: Word,
    /// `output-first` or `input-first`.
    pub allocator: Word,
}

impl RouterRecord {
    /// Makes the record of routers.
    #[must_use]
    pub fn new(own: &RouterSettings) -> Self {
        Self {
            virtual_channels: own.virtual_channels,
            buffer_units: own.buffer_units,
            cycles: own.router_cycles,
            credit_cycles: own.credit_cycles,
            terminal_latency_cycles: own.terminal_latency,
            global_latency_cycles: own.global_latency,
            speedup: f64::from(own.speedup.hundredths()) / 100.0,
            ejection: own.ejection.name().into(),
            allocator: own.allocator.name().into(),
        }
    }
}

/// The choice of ports under adaptive routing; `None` under another.
pub(super) fn adaptive_choice(own: &RouterSettings) -> Option<&'static str> {
    match own.routing {
        RouterRouting::Adaptive(choice) => Some(AdaptiveChoice::name(choice)),
        _ => None,
    }
}

/// The threshold of UGAL and PAR; `None` under another routing.
pub(super) fn ugal_threshold(own: &RouterSettings) -> Option<u64> {
    own.routing.threshold().and_then(|threshold| u64::try_from(threshold).ok())
}

/// The choice among the candidates of a table; `None` without a table.
pub(super) fn route_choice(own: &RouterSettings) -> Option<&'static str> {
    match own.routing {
        RouterRouting::Table(choice) => Some(TableChoice::name(choice)),
        _ => None,
    }
}

/// Columns of routers; they are there only if a machine has some.
pub(crate) static ROUTER: &[Column<RouterRecord>] = &[
    Column {
        definition: Definition {
            name: "machine_router_virtual_channels",
            title: "virtual channels",
            aliases: &["virtual channel", "VC"],
            kind: Kind::Natural,
            unit: "channels",
            text: "The virtual channels of each input of a router: as many packets share a link, and each \
                   waits in a buffer of its own.",
            formula: "V",
            source: "Dally 1992; docs/model.md, section 26",
        },
        value: |own| own.virtual_channels.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_buffer_units",
            title: "buffer",
            aliases: &["buffer units", "buffer depth"],
            kind: Kind::Natural,
            unit: "units",
            text: "The units that the buffer of a virtual channel holds. Upstream, credits count its free \
                   places.",
            formula: "B",
            source: "docs/model.md, section 26",
        },
        value: |own| own.buffer_units.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_cycles",
            title: "router cycles",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles of the head of a packet in a router. With 1 or 2 the switch is allocated \
                   speculatively.",
            formula: "R",
            source: "docs/model.md, section 26",
            ..Definition::BLANK
        },
        value: |own| own.cycles.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_credit_cycles",
            title: "credit cycles",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The cycles of a credit in a router.",
            formula: "c",
            source: "docs/model.md, section 26",
            ..Definition::BLANK
        },
        value: |own| own.credit_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_terminal_latency_cycles",
            title: "terminal latency",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The latency of the link between a router and its terminal.",
            formula: "m",
            source: "docs/model.md, section 26",
            ..Definition::BLANK
        },
        value: |own| own.terminal_latency_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_global_latency_cycles",
            title: "global latency",
            kind: Kind::Natural,
            unit: "cycles",
            text: "The latency of the links between the groups of a dragonfly, if it is not that of the \
                   others.",
            source: "docs/model.md, section 30.1",
            ..Definition::BLANK
        },
        value: |own| own.global_latency_cycles.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_speedup",
            title: "speedup",
            aliases: &["internal speedup"],
            kind: Kind::Decimal,
            unit: "steps",
            text: "The steps of allocation that a router takes in a cycle, on average. Links carry one unit a \
                   cycle all the same.",
            formula: "s",
            source: "docs/model.md, section 30.1",
        },
        value: |own| own.speedup.into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_ejection",
            title: "ejection",
            kind: Kind::Text,
            text: "The channels of its terminal that a packet asks for at its destination: all, or those of \
                   its class.",
            source: "docs/model.md, section 30.1",
            ..Definition::BLANK
        },
        value: |own| (&own.ejection).into(),
    },
    Column {
        definition: Definition {
            name: "machine_router_allocator",
            title: "allocator",
            aliases: &["output-first", "input-first", "islip"],
            kind: Kind::Text,
            text: "The order in which requests are granted. Output-first: outputs offer themselves to inputs \
                   (iSLIP with one iteration). Input-first: each input asks for one output.",
            source: "McKeown 1999; docs/model.md, section 26",
            ..Definition::BLANK
        },
        value: |own| (&own.allocator).into(),
    },
];
