//! Routers with finite buffers in the results, and their columns (`docs/model.md` section 26).

use cubefold_derive::Columns;
use cubefold_simulator::{RouterSettings, RoutingOption};
use serde::{Deserialize, Serialize};

use super::Word;

/// The routers of a machine, as a scenario describes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Columns)]
#[columns(ROUTER, prefix = "machine_router_", source = "docs/model.md, section 26")]
pub struct RouterRecord {
    /// The virtual channels of each input of a router: as many packets share a link, and each waits in a buffer of
    /// its own.
    #[column(
        "virtual channels", aliases = ["virtual channel", "VC"], unit = "channels", formula = "V",
        source = "Dally 1992; docs/model.md, section 26"
    )]
    pub virtual_channels: u32,
    /// The units that the buffer of a virtual channel holds. Upstream, credits count its free places.
    #[column("buffer", aliases = ["buffer units", "buffer depth"], unit = "units", formula = "B")]
    pub buffer_units: u32,
    /// The cycles of the head of a packet in a router. With 1 or 2 the switch is allocated speculatively.
    #[column("router cycles", unit = "cycles", formula = "R")]
    pub cycles: u32,
    /// The cycles of a credit in a router.
    #[column("credit cycles", unit = "cycles", formula = "c")]
    pub credit_cycles: u32,
    /// The latency of the link between a router and its terminal.
    #[column("terminal latency", unit = "cycles", formula = "m")]
    pub terminal_latency_cycles: u32,
    /// The latency of the links between the groups of a dragonfly, if it is not that of the others.
    #[column("global latency", unit = "cycles", source = "docs/model.md, section 30.1")]
    #[serde(default)]
    pub global_latency_cycles: Option<u64>,
    /// The steps of allocation that a router takes in a cycle, on average. Links carry one unit a cycle all the
    /// same.
    #[column(
        "speedup", aliases = ["internal speedup"], unit = "steps", formula = "s",
        source = "docs/model.md, section 30.1"
    )]
    pub speedup: f64,
    /// The channels of its terminal that a packet asks for at its destination: all, or those of its class.
    #[column("ejection", source = "docs/model.md, section 30.1")]
    pub ejection: Word,
    /// The order in which requests are granted. Output-first: outputs offer themselves to inputs (iSLIP with one
    /// iteration). Input-first: each input asks for one output.
    #[column(
        "allocator", aliases = ["output-first", "input-first", "islip"],
        source = "McKeown 1999; docs/model.md, section 26"
    )]
    pub allocator: Word,
}

impl RouterRecord {
    /// Makes the record of routers.
    #[must_use]
    pub fn new(settings: &RouterSettings) -> Self {
        Self {
            virtual_channels: settings.virtual_channels,
            buffer_units: settings.buffer_units,
            cycles: settings.router_cycles,
            credit_cycles: settings.credit_cycles,
            terminal_latency_cycles: settings.terminal_latency,
            global_latency_cycles: settings.global_latency,
            speedup: f64::from(settings.speedup.hundredths()) / 100.0,
            ejection: settings.ejection.name().into(),
            allocator: settings.allocator.name().into(),
        }
    }
}

/// The choice of ports under adaptive routing; `None` under another.
pub(super) fn adaptive_choice(settings: &RouterSettings) -> Option<&'static str> {
    let has_choice = settings.routing.has(RoutingOption::AdaptiveChoice);
    has_choice.then(|| settings.routing.options().adaptive_choice.name())
}

/// The threshold of UGAL and PAR; `None` under another routing.
pub(super) fn ugal_threshold(settings: &RouterSettings) -> Option<u64> {
    let threshold = settings.routing.options().ugal_threshold;
    settings.routing.has(RoutingOption::UgalThreshold).then(|| u64::try_from(threshold).ok()).flatten()
}

/// The choice among the candidates of a table; `None` without a table.
pub(super) fn route_choice(settings: &RouterSettings) -> Option<&'static str> {
    settings.routing.has(RoutingOption::RouteChoice).then(|| settings.routing.options().route_choice.name())
}
