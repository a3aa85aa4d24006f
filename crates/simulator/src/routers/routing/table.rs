//! Routes from a table (`docs/model.md` section 30.2).

use std::sync::Arc;

use cubefold_topology::{ClassIn, NextHop, NodeId, PacketRoutes, RouteLines, mix, narrow};

use super::{
    AdaptiveChoice, AtRouter, Classes, RoutingRule, TableChoice,
    descriptor::{RoutingDescriptor, RoutingOption},
};
use crate::routers::{
    channel_load::add_by_table,
    packet::{Candidate, Packet, Progress, Route},
};

/// The routes of the machine's table.
pub(super) const TABLE: RoutingDescriptor = RoutingDescriptor {
    options: &[RoutingOption::RouteChoice],
    is_from_file: true,
    classes: |machine| machine.packet_routes().map_or(1, |table| table.classes()),
    longest_route: |machine| machine.packet_routes().map_or(0, |table| table.longest()),
    link_loads: Some(add_by_table),
    ..RoutingDescriptor::new(
        "table",
        "The routes of a file.",
        |machine| machine.packet_routes().is_some(),
        |machine, settings, classes| {
            let choice = settings.routing.options().route_choice;
            Box::new(TableRoutes { table: machine.packet_routes().cloned(), choice, classes })
        },
    )
};

/// The tag of the draw of a route.
const PATH: u64 = 160;
/// The tag of the draw of a candidate after 0 links.
const CANDIDATE: u64 = 224;

#[derive(Debug)]
struct TableRoutes {
    table: Option<Arc<PacketRoutes>>, // of the machine: without one no machine has these routes
    choice: TableChoice,
    classes: Classes,
}

impl TableRoutes {
    /// The ports that lead to a next router, in its class.
    fn candidates<'a>(
        &self,
        hop: NextHop,
        at: &AtRouter<'a>,
        is_escape: bool,
    ) -> impl Iterator<Item = Candidate> + use<'a> {
        let channels = self.classes.of[hop.class as usize];
        let beyond = at.wiring.routers_beyond(at.router).filter(move |(_, node)| *node == hop.node);
        beyond.map(move |(port, _)| Candidate { port, channels, is_escape })
    }

    /// The terminal of a packet and its router.
    fn end(terminal: u32, at: &AtRouter<'_>) -> [NodeId; 2] {
        let port = at.wiring.port_of_terminal(terminal);
        [NodeId::new(terminal), at.wiring.node(at.wiring.router(port))]
    }
}

impl RoutingRule for TableRoutes {
    fn route(
        &self,
        packet: &mut Packet,
        at: &AtRouter<'_>,
        candidates: &mut Vec<Candidate>,
    ) -> Option<Route> {
        let (links, to) = (packet.progress.links, Self::end(packet.to, at));
        packet.progress.links += 1;
        let lines = match self.table.as_deref()?.lines() {
            RouteLines::Hop(lines) => lines,
            RouteLines::Path(lines) => {
                if packet.progress.middle == Progress::NONE {
                    let path = lines.choose(Self::end(packet.from, at), to, mix(packet.key ^ PATH))?;
                    packet.progress.middle = u32::try_from(path).ok()?;
                }
                let hop = lines.hops(packet.progress.middle as usize).get(links as usize)?;
                candidates.extend(self.candidates(*hop, at, false));
                return Some(Route::among(candidates, AdaptiveChoice::Credits));
            }
        };
        let class = match at.came_in {
            None => ClassIn::Terminal,
            Some(channel) => ClassIn::Class(self.classes.of_channel(channel)),
        };
        let hops = lines.candidates(at.wiring.node(at.router), class, to)?;
        let is_escape = |hop: &NextHop| lines.is_escape(hop.class);
        let others = || hops.iter().filter(|hop| !is_escape(hop));
        let (drawn, choice) = match self.choice {
            TableChoice::Credits => (None, AdaptiveChoice::Credits),
            TableChoice::Any => (None, AdaptiveChoice::Any),
            TableChoice::Random => {
                let draw = mix(packet.key ^ (CANDIDATE + u64::from(links)));
                let place = draw % (others().count() as u64).max(1);
                (Some(narrow(place) as usize), AdaptiveChoice::Any)
            }
        };
        let wanted = others().enumerate().filter(|(place, _)| drawn.is_none_or(|drawn| drawn == *place));
        // Escape channels are candidates beside one that is drawn of the others.
        for hop in wanted.map(|wanted| wanted.1).chain(hops.iter().filter(|hop| is_escape(hop))) {
            candidates.extend(self.candidates(*hop, at, is_escape(hop)));
        }
        Some(Route::among(candidates, choice))
    }

    fn needs_room(&self) -> bool {
        self.table.as_ref().is_some_and(|table| table.has_escape())
    }
}
